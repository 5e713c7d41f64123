import type { Command } from 'commander'
import { openBackupFile } from '../backup/open-backup-file.ts'
import { restoreBackup } from '../backup/restore-backup.ts'
import { readBackupSettings } from '../config/configuration.ts'
import { describeContent, toJsonResult } from './backup-report.ts'
import { parseTime } from './option-parsers.ts'
import { jsonOption, printResult } from './output.ts'
import { allowUnencryptedOption, createPassphraseReader } from './passphrase.ts'
import { describeRestoredSecrets } from './restored-secrets.ts'

interface Options {
  allowUnencrypted?: boolean
  /** Milliseconds since 1970. */
  zeroDates?: number
  json?: boolean
}

const run = async (target: string, { allowUnencrypted = false, zeroDates, json }: Options): Promise<void> => {
  const settings = readBackupSettings(process.env)
  const { location, passphrase, parseTarget, vendorAddresses } = settings
  const file = await openBackupFile(parseTarget(target), vendorAddresses)
  const summary = await restoreBackup({
    location,
    file,
    getPassphrase: createPassphraseReader(passphrase),
    requiresEncryption: passphrase !== undefined && !allowUnencrypted,
    zeroDates: zeroDates === undefined ? undefined : new Date(zeroDates).toISOString(),
  })
  const secrets = await describeRestoredSecrets(settings)
  const lines = [`Restored ${target}: ${describeContent(summary)}.`, ...secrets, '']
  printResult(json, { ...toJsonResult(target, summary), secrets }, lines.join('\n'))
}

/** `patchbay restore`: restores a backup into the empty database that the server's settings select. */
export const configure = (command: Command): void => {
  command
    .description(
      'Restore a backup into an empty database and a DATA_DIR without recordings. Stop Patchbay first. The backup can ' +
        'come from another database engine or an older version. If the command fails or is interrupted, the database ' +
        'is still empty.',
    )
    .argument(
      '<file>',
      'path of the backup, or its URL: s3://bucket/key, azure://container/blob, or gs://bucket/object',
    )
    .option(...allowUnencryptedOption)
    .option(
      '--zero-dates <time>',
      'time to store instead of zero dates, such as 1970-01-01T00:00:00Z. Columns that may be empty become empty',
      parseTime,
    )
    .option(...jsonOption)
    .action(run)
}
