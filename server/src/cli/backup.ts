import type { Command } from 'commander'
import { type BackupSummary, createBackup } from '../backup/create-backup.ts'
import { readBackup } from '../backup/open-backup.ts'
import { readBackupSettings } from '../config/configuration.ts'
import { describeContent, toJsonResult } from './backup-report.ts'
import { jsonOption, printResult } from './output.ts'

interface Options {
  verify?: boolean
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

const run = async (file: string, { verify, withSecrets = false, json }: Options): Promise<void> => {
  const { location, passphrase } = readBackupSettings(process.env)
  if (verify) {
    const summary = await readBackup(file, () => Promise.resolve(passphrase))
    return printResult(json, toJsonResult(file, summary), `${file} is intact: ${describeContent(summary)}.\n`)
  }
  const summary = await createBackup({
    location,
    file,
    passphrase,
    withSecrets: withSecrets || passphrase !== undefined,
  })
  const lines = [`Wrote ${file}: ${describeContent(summary)}.`, ...listNotes(summary)]
  printResult(json, toJsonResult(file, summary), `${lines.join('\n')}\n`)
}

/** `patchbay backup`: backs up the installation that the server's settings select, or verifies a backup. */
export const configure = (command: Command): void => {
  command
    .description(
      'Write the database and the recordings to a new file. The server can continue to run. With BACKUP_PASSPHRASE, ' +
        'the file is encrypted and contains secrets.json.',
    )
    .argument('<file>', 'path of the backup')
    .option('--verify', 'check an existing backup, without a database')
    .option('--with-secrets', 'include secrets.json in a backup that is not encrypted')
    .option(...jsonOption)
    .action(run)
}
