import { z } from 'zod'
import { InvalidConfigurationError } from '../invalid-configuration.ts'
import { listEncryptionSecrets } from '../secrets.ts'
import { type BackupTarget, backupStorageVariables, parseBackupTarget } from './backup-target.ts'
import type { outgoingVariables } from './outgoing-settings.ts'
import { days, markSecret, positive, type Values } from './schemas.ts'
import { getStorageLocation, isLegacyCrypto, type storageVariables } from './storage-settings.ts'

/** The settings of scheduled backups, and of the commands for backups. */

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Every day at 02:00. */
const defaultSchedule = '0 2 * * *'

export const backupVariables = {
  BACKUP_TARGET: z
    .string()
    .optional()
    .describe(
      'An existing folder, or a prefix in an object storage: `s3://bucket/prefix`, ' +
        '`azure://container/prefix`, or `gs://bucket/prefix`. Credentials in it are rejected. Unset: no ' +
        'backups are scheduled',
    ),
  BACKUP_SCHEDULE: z
    .string()
    .regex(/^\S+(?: +\S+){4}$/, { error: 'must be five fields of cron, such as 0 2 * * *' })
    .optional()
    .meta({
      description:
        'When backups are written, as five fields of cron: minute, hour, day of the month, month, and day ' +
        'of the week',
      documentedDefault: defaultSchedule,
    }),
  BACKUP_TIME_ZONE: z
    .string()
    .refine(isTimeZone, { error: 'must be a time zone such as Europe/Berlin' })
    .default('UTC')
    .describe('Time zone of the schedule, such as `Europe/Berlin`'),
  BACKUP_KEEP: positive.default(7).describe('Number of newest backups to keep, at least 1'),
  BACKUP_KEEP_DAYS: days.default(0).describe('Backups of this many days are kept in addition'),
  BACKUP_PASSPHRASE: markSecret(
    z
      .string()
      .min(12, { error: 'must be at least 12 characters long' })
      .optional()
      .describe(
        'Encrypts backups, and decrypts them. A backup that is not encrypted is then read with ' +
          '`--allow-unencrypted` only. At least 12 characters. Unset: backups are not encrypted and contain ' +
          'no secrets',
      ),
  ),
  ...backupStorageVariables,
}

type BackupEnvironment = Values<typeof backupVariables>

export type ScheduledBackupSettings = NonNullable<ReturnType<typeof getScheduledBackups>>

/** Returns when and where backups are written, and which ones are kept. Returns null if no backups are scheduled. */
export const getScheduledBackups = (env: BackupEnvironment) => {
  const { BACKUP_TARGET: target, BACKUP_SCHEDULE: schedule } = env
  if (target === undefined) {
    if (schedule === undefined) return null
    throw new InvalidConfigurationError('BACKUP_TARGET must be set together with BACKUP_SCHEDULE.')
  }
  return {
    /** A folder, or a prefix in an object storage. */
    target: parseBackupTarget(target, env),
    /** Five fields of cron, in the time zone. */
    schedule: schedule ?? defaultSchedule,
    timeZone: env.BACKUP_TIME_ZONE,
    /** The number of newest backups that are kept. */
    keep: env.BACKUP_KEEP,
    /** Backups of this many days are kept in addition. */
    keepDays: env.BACKUP_KEEP_DAYS,
  }
}

export type BackupSettings = ReturnType<typeof getBackupSettings>

/** Returns what the commands for backups need. It requires no secrets. */
export const getBackupSettings = (
  env: BackupEnvironment & Values<typeof storageVariables> & Values<typeof outgoingVariables>,
) => {
  const location = getStorageLocation(env)
  return {
    location,
    /** Origins that replace the hosts of object storages. */
    vendorAddresses: env.VENDOR_ADDRESSES,
    /** Returns the target that a path or URL names, with the credentials of its storage. */
    parseTarget: (text: string): BackupTarget => parseBackupTarget(text, env),
    /** Encrypts new backups, and decrypts existing ones. */
    passphrase: env.BACKUP_PASSPHRASE,
    /** Returns the known secrets with which stored credentials can be encrypted, including those of a restored file. */
    listEncryptionSecrets: () => listEncryptionSecrets(env, location.dataDir),
    legacyCrypto: isLegacyCrypto(env),
    /** Whether JWT_SECRET is set, which a server needs with DATABASE_URL. */
    hasJwtSecret: env.JWT_SECRET !== undefined,
  }
}
