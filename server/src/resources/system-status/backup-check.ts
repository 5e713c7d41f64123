import { kibibyte, mebibyte } from '../../adapters/outbound-http/transport.ts'
import { type BackupStatus, readBackupStatus } from '../../backup/scheduled/backup-list.ts'
import type { ScheduledBackupSettings } from '../../config/settings/backup-settings.ts'
import type { Database } from '../../database/engine.ts'
import { isBackupOverdue } from '../shared/overdue-backups.ts'
import { type Check, type Finding, notConfigured, toInstant } from './finding.ts'

/** Checks the scheduled backups. */

const formatTime = (time: number): string => `${toInstant(time).slice(0, 16).replace('T', ' ')} UTC`

const formatSize = (bytes: number): string =>
  bytes < mebibyte
    ? `${Math.ceil(bytes / kibibyte)} kB`
    : `${(bytes / mebibyte).toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`

const describeLast = ({ last }: BackupStatus): string =>
  last === null
    ? 'No backup has been written yet.'
    : `Last backup: ${formatTime(last.startedAt)}, ${formatSize(last.size)}.`

/** Judges the backups by the newest one. The reason of a failure names the target, but no credentials. */
export const judgeBackups = (status: BackupStatus, now: number): Finding => {
  const { last, isRunning, failures, failureReason, dueAt } = status
  const last_contact = last === null ? null : toInstant(last.endedAt)
  const detail = describeLast(status)
  if (failures > 0) {
    const reason = (failureReason ?? '').replace(/\.?$/, '.')
    return {
      state: 'failing',
      detail: `The last ${failures === 1 ? 'attempt' : `${failures} attempts`} failed: ${reason} ${detail}`,
      last_contact,
    }
  }
  if (isRunning)
    return { state: last === null ? 'unknown' : 'ok', detail: `A backup is being written. ${detail}`, last_contact }
  const isLate = dueAt !== null && dueAt < now
  const next = isLate ? `The next one was due at ${formatTime(dueAt)}.` : `Next: ${formatTime(dueAt ?? now)}.`
  if (isBackupOverdue(status, now)) return { state: 'warning', detail: `${detail} ${next}`, last_contact }
  if (last === null) return { state: 'unknown', detail, last_contact }
  return { state: 'ok', detail: `${detail} ${next}`, last_contact }
}

export const createBackupCheck =
  (database: Database, settings: ScheduledBackupSettings | null): Check =>
  async () =>
    settings === null
      ? notConfigured('No backups are scheduled.')
      : judgeBackups(await readBackupStatus(database, Date.now()), Date.now())
