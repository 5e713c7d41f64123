import { Gauge, type Registry } from 'prom-client'
import { type BackupStatus, readBackupStatus } from '../backup/scheduled/backup-list.ts'
import type { Database } from '../database/engine.ts'
import { withTimeout } from '../lib/timeout.ts'

/**
 * Metrics of scheduled backups. They come from the database, so each process reports the same values, whichever has
 * written the last backup.
 */

const timeoutSeconds = 5

/** Adds the metrics of scheduled backups. If the list cannot be read in time, they are absent. */
export const observeBackups = (registry: Registry, database: Database): void => {
  let reading: Promise<BackupStatus | undefined> | undefined
  /** The gauges of a scrape are collected at the same time and share one query. */
  const readShared = (): Promise<BackupStatus | undefined> => {
    const tooLate = () => new Error('the list of backups could not be read in time')
    reading ??= withTimeout(readBackupStatus(database, Date.now()), timeoutSeconds, tooLate)
      .catch(() => undefined)
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  const createGauge = (name: string, help: string, getValue: (status: BackupStatus) => number | null) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const status = await readShared()
        const value = status === undefined ? null : getValue(status)
        if (value === null) this.remove()
        else this.set(value)
      },
    })
  createGauge(
    'patchbay_backup_last_success_timestamp_seconds',
    'Time at which the last intact scheduled backup started, in seconds since the Unix epoch.',
    ({ last }) => last && last.startedAt / 1000,
  )
  createGauge(
    'patchbay_backup_last_duration_seconds',
    'Time that writing and verifying the last intact scheduled backup took.',
    ({ last }) => last && (last.endedAt - last.startedAt) / 1000,
  )
  createGauge(
    'patchbay_backup_last_size_bytes',
    'Size of the last intact scheduled backup.',
    ({ last }) => last && last.size,
  )
  createGauge(
    'patchbay_backup_failures',
    'Scheduled backups that failed since the last intact one.',
    ({ failures }) => failures,
  )
  createGauge(
    'patchbay_backup_due_timestamp_seconds',
    'Time at which the next scheduled backup is or was due, in seconds since the Unix epoch.',
    ({ dueAt }) => dueAt && dueAt / 1000,
  )
}
