import { join, resolve } from 'node:path'
import type { StorageCredential } from '@patchbay/contract/recording-storage'
import { defaultRegion, isRegion, isStorageEndpoint } from '@patchbay/contract/recordings/storage'
import { z } from 'zod'
import { FatalError } from '../../lib/cli.ts'
import { markSecret, type Values } from './schemas.ts'

/** Parses the targets of backups: paths, and URLs of object storages. */

/** The settings with which object storages are opened. */
export const backupStorageVariables = {
  BACKUP_S3_ACCESS_KEY_ID: z.string().optional().describe('ID of the access key for `s3://`'),
  BACKUP_S3_SECRET_ACCESS_KEY: markSecret(z.string().optional().describe('Secret of that access key')),
  BACKUP_S3_REGION: z
    .string()
    .refine(isRegion, { error: 'must be a region such as us-east-1' })
    .optional()
    .meta({ description: 'Region of the bucket', documentedDefault: defaultRegion }),
  BACKUP_S3_ENDPOINT: z
    .string()
    .refine(isStorageEndpoint, { error: 'must be a URL that starts with http:// or https://' })
    .optional()
    .describe('URL of an S3-compatible storage. Unset: Amazon S3'),
  BACKUP_AZURE_CONNECTION_STRING: markSecret(
    z.string().optional().describe('Connection string of the storage account for `azure://`'),
  ),
  BACKUP_GOOGLE_SERVICE_KEY: markSecret(z.string().optional().describe('JSON key of a service account for `gs://`')),
}

export type BackupStorageSettings = Values<typeof backupStorageVariables>

/** A file or object, or the folder or prefix that contains them. `name` is the path or URL. */
export type BackupTarget =
  | { is: 'path'; name: string }
  | { is: 'object'; name: string; key: string; credential: StorageCredential }

const objectUrl = /^(s3|azure|gs):\/\/([^/\s]+)(?:\/(.*))?$/

const requireSetting = (settings: BackupStorageSettings, name: keyof BackupStorageSettings, scheme: string): string => {
  const value = settings[name]
  if (value === undefined) throw new FatalError(`${name} must be set for backups in ${scheme}:// storages.`)
  return value
}

const toCredential = (scheme: string, name: string, settings: BackupStorageSettings): StorageCredential => {
  const getValue = (setting: keyof BackupStorageSettings) => requireSetting(settings, setting, scheme)
  if (scheme === 'azure')
    return { vendor: 'azure', name, connection_string: getValue('BACKUP_AZURE_CONNECTION_STRING') }
  if (scheme === 'gs') return { vendor: 'google', name, service_key: getValue('BACKUP_GOOGLE_SERVICE_KEY') }
  const keys = {
    access_key_id: getValue('BACKUP_S3_ACCESS_KEY_ID'),
    secret_access_key: getValue('BACKUP_S3_SECRET_ACCESS_KEY'),
  }
  const { BACKUP_S3_REGION: region = defaultRegion, BACKUP_S3_ENDPOINT: endpoint } = settings
  return endpoint === undefined
    ? { vendor: 'aws_s3', name, region, ...keys }
    : { vendor: 's3_compatible', name, endpoint, region, ...keys }
}

/** Returns whether a URL has a user or a password before its bucket. A password can contain slashes. */
const hasCredentials = (text: string): boolean => {
  const [, start = '', rest = ''] = /^[a-z\d+.-]+:\/\/([^/]*)(.*)$/is.exec(text) ?? []
  return start.includes('@') || (start.includes(':') && rest.includes('@'))
}

/**
 * Parses a path, or a URL such as `s3://bucket/folder/file`, `azure://container/file`, or `gs://bucket/file`. Messages do
 * not contain the text, because credentials may be in it.
 * @throws FatalError if the URL has another scheme or credentials, or a setting of its storage is missing
 */
export const parseBackupTarget = (text: string, settings: BackupStorageSettings): BackupTarget => {
  if (hasCredentials(text))
    throw new FatalError(
      'The target of backups contains credentials. Remove everything between // and @, and use the settings BACKUP_S3_…, ' +
        'BACKUP_AZURE_…, or BACKUP_GOOGLE_….',
    )
  const [, scheme, bucket = '', key = ''] = objectUrl.exec(text) ?? []
  if (scheme !== undefined) return { is: 'object', name: text, key, credential: toCredential(scheme, bucket, settings) }
  if (/^[a-z\d+.-]+:\/\//i.test(text))
    throw new FatalError('This is not a target for backups. Use a path, s3://, azure://, or gs://.')
  return { is: 'path', name: resolve(text) }
}

/** Returns the target of a file in a folder, or of an object below a prefix. */
export const appendToTarget = (folder: BackupTarget, fileName: string): BackupTarget => {
  if (folder.is === 'path') return { is: 'path', name: join(folder.name, fileName) }
  const append = (start: string) =>
    start === '' || start.endsWith('/') ? `${start}${fileName}` : `${start}/${fileName}`
  return { ...folder, name: append(folder.name), key: append(folder.key) }
}
