import type { BackupSummary } from '../backup/create-backup.ts'

/** The output of the commands for backups. */

const formatCount = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`

const formatMegabytes = (bytes: number): string =>
  `${(bytes / 2 ** 20).toLocaleString('en-US', { maximumFractionDigits: 1, minimumFractionDigits: 1 })} MB`

const countRows = ({ manifest }: BackupSummary): number => manifest.tables.reduce((sum, { rows }) => sum + rows, 0)

/** Returns one line about the content of a backup, without a period. */
export const describeContent = (summary: BackupSummary): string => {
  const { header, manifest } = summary
  const recordings = `${formatCount(manifest.recordings.files, 'recording')} (${formatMegabytes(manifest.recordings.bytes)})`
  return (
    `${formatCount(countRows(summary), 'row')} of ${formatCount(header.tables.length, 'table')}, ${recordings}, ` +
    `${manifest.hasSecrets ? 'with' : 'without'} secrets, ${formatMegabytes(summary.bytes)}, ` +
    `written by Patchbay ${header.program} at ${header.createdAt}`
  )
}

/** Returns the result of a command for `--json`. */
export const toJsonResult = (file: string, summary: BackupSummary): object => {
  const { program, engine, createdAt, leftOut } = summary.header
  const { recordings, hasSecrets, tables } = summary.manifest
  const contents = {
    rows: countRows(summary),
    tables: tables.length,
    recordings: recordings.files,
    hasSecrets,
    leftOut,
  }
  return { file, bytes: summary.bytes, program, engine, createdAt, ...contents }
}
