import type { Command } from 'commander'
import { BackupError } from '../backup/backup-error.ts'
import { describeOutcome, describeProblem, type RowProblem } from '../backup/check-rows.ts'
import { type BackupSummary, createBackup } from '../backup/create-backup.ts'
import { openBackupFile } from '../backup/open-backup-file.ts'
import { verifyBackup } from '../backup/restore-backup.ts'
import { readBackupSettings } from '../config/configuration.ts'
import { describeContent, formatCount, toJsonResult } from './backup-report.ts'
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

/** Returns the rows that a restore would reject, and what it does with them. */
const listProblems = (problems: readonly RowProblem[]): string[] =>
  problems.length === 0
    ? ['All rows fit into the schema of a restored database.']
    : [
        'But not all rows can be restored:',
        ...problems.map((problem) => `  ${describeProblem(problem)}: ${describeOutcome(problem)}.`),
      ]

const describeVerified = (target: string, summary: BackupSummary, problems: readonly RowProblem[]): string =>
  [`${target} is intact: ${describeContent(summary)}.`, ...listProblems(problems), ''].join('\n')

const countRows = (problems: readonly RowProblem[]): string =>
  formatCount(
    problems.reduce((sum, { rows }) => sum + rows, 0),
    'row',
  )

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
    const { summary, problems } = await verifyBackup(file, createPassphraseReader(passphrase), requiresEncryption)
    printResult(json, { ...toJsonResult(target, summary), problems }, describeVerified(target, summary, problems))
    // Zero dates can be restored with an option, so that a schedule keeps the backup.
    const fatal = problems.filter(({ isZeroDate }) => !isZeroDate)
    if (fatal.length > 0) throw new BackupError(`${target} is intact, but ${countRows(fatal)} cannot be restored.`)
    return
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
    .option('--verify', 'check an existing backup and whether it can be restored, without a database')
    .option(...allowUnencryptedOption)
    .option('--with-secrets', 'include secrets.json in a backup that is not encrypted')
    .option(...jsonOption)
    .action(run)
}
