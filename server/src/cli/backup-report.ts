import type { BackupSummary } from '../backup/create-backup.ts'
import { describeCommit } from '../lib/build-info.ts'

/** The output of the commands for backups. */

export const formatCount = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`

const formatMegabytes = (bytes: number): string =>
  `${(bytes / 2 ** 20).toLocaleString('en-US', { maximumFractionDigits: 1, minimumFractionDigits: 1 })} MB`

const countRows = ({ manifest }: BackupSummary): number => manifest.tables.reduce((sum, { rows }) => sum + rows, 0)

/** Returns one line about the content of a backup, without a period. */
export const describeContent = (summary: BackupSummary): string => {
  const { header, manifest } = summary
  const { commit = null, modified = null } = header
  const recordings = `${formatCount(manifest.recordings.files, 'recording')} (${formatMegabytes(manifest.recordings.bytes)})`
  return (
    `${formatCount(countRows(summary), 'row')} of ${formatCount(header.tables.length, 'table')}, ${recordings}, ` +
    `${manifest.hasSecrets ? 'with' : 'without'} secrets, ${formatMegabytes(summary.bytes)}, ` +
    `written by Patchbay ${header.program} (${describeCommit({ commit, modified })}) at ${header.createdAt}`
  )
}

/** Returns the result of a command for `--json`. */
export const toJsonResult = (file: string, summary: BackupSummary): object => {
  const { program, commit = null, modified = null, engine, createdAt, leftOut } = summary.header
  const { recordings, hasSecrets, tables } = summary.manifest
  const contents = {
    rows: countRows(summary),
    tables: tables.length,
    recordings: recordings.files,
    hasSecrets,
    leftOut,
  }
  return { file, bytes: summary.bytes, program, commit, modified, engine, createdAt, ...contents }
}
