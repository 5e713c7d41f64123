import type { Command } from 'commander'
import { openBackupFile } from '../backup/open-backup-file.ts'
import { type BackupSummary, createBackup } from '../backup/create-backup.ts'
import { readBackup } from '../backup/open-backup.ts'
import { readBackupSettings } from '../config/configuration.ts'
import { describeContent, toJsonResult } from './backup-report.ts'
import { exitCodes } from './exit-codes.ts'
import { jsonOption, printResult } from './output.ts'
import { allowUnencryptedOption, createPassphraseReader } from './passphrase.ts'

interface Options {
  verify?: boolean
  allowUnencrypted?: boolean
  withSecrets?: boolean
  json?: boolean
}

/** Returns notes for the operator who will restore the backup. */
const listNotes = ({ header, manifest }: BackupSummary): string[] => [
  ...(manifest.hasSecrets
    ? []
    : ['The backup contains no secrets. Keep secrets.json, or JWT_SECRET and ENCRYPTION_SECRET, separately.']),
  ...(header.isAdopted ? ['The database belongs to a platform. Back it up with the tools of the database too.'] : []),
  ...(header.leftOut.length > 0 ? [`Patchbay does not use, and has left out: ${header.leftOut.join(', ')}.`] : []),
]

/** Ends this process if the server that has started it ends, because another one writes the backup again then. */
const endWithParent = (): void => {
  if (process.channel === undefined) return
  process.on('disconnect', () => process.exit(exitCodes.failure))
  process.channel.unref()
}

const run = async (
  target: string,
  { verify, allowUnencrypted = false, withSecrets = false, json }: Options,
): Promise<void> => {
  endWithParent()
  const { location, passphrase, parseTarget, vendorAddresses } = readBackupSettings(process.env)
  const file = await openBackupFile(parseTarget(target), vendorAddresses)
  if (verify) {
    const requiresEncryption = passphrase !== undefined && !allowUnencrypted
    const summary = await readBackup(file, createPassphraseReader(passphrase), {}, requiresEncryption)
    return printResult(json, toJsonResult(target, summary), `${target} is intact: ${describeContent(summary)}.\n`)
  }
  const summary = await createBackup({
    location,
    file,
    passphrase,
    withSecrets: withSecrets || passphrase !== undefined,
  })
  const lines = [`Wrote ${target}: ${describeContent(summary)}.`, ...listNotes(summary)]
  printResult(json, toJsonResult(target, summary), `${lines.join('\n')}\n`)
}

/** `patchbay backup`: backs up the installation that the server's settings select, or verifies a backup. */
export const configure = (command: Command): void => {
  command
    .description(
      'Write the database and the recordings to a new file. The server can continue to run. With BACKUP_PASSPHRASE, ' +
        'the file is encrypted and contains secrets.json.',
    )
    .argument(
      '<file>',
      'path of the backup, or its URL: s3://bucket/key, azure://container/blob, or gs://bucket/object',
    )
    .option('--verify', 'check an existing backup, without a database')
    .option(...allowUnencryptedOption)
    .option('--with-secrets', 'include secrets.json in a backup that is not encrypted')
    .option(...jsonOption)
    .action(run)
}
