import { randomBytes } from 'node:crypto'
import type { VendorAddresses } from '../../config/option-types.ts'
import type { ScheduledBackupSettings } from '../../config/settings/backup-settings.ts'
import { appendToTarget } from '../../config/settings/backup-target.ts'
import type { Database } from '../../database/engine.ts'
import type { OnBackgroundError } from '../../lib/log.ts'
import { BackupError } from '../backup-error.ts'
import { openBackupFile } from '../open-backup-file.ts'
import {
  claimBackup,
  finishBackup,
  forgetBackups,
  heartbeatTimeoutMs,
  keepAlive,
  type ListedBackup,
  listBackups,
  markFileRemoved,
  selectForgettable,
} from './backup-list.ts'
import type { WriteBackup } from './backup-process.ts'
import { selectExpired } from './retention.ts'
import { createSchedule } from './schedule.ts'

/** Writes backups by a schedule, and deletes the old ones. */

interface ScheduledBackupOptions {
  database: Database
  settings: ScheduledBackupSettings
  vendorAddresses: VendorAddresses
  writeBackup: WriteBackup
  onBackgroundError: OnBackgroundError
  now?: () => number
  /** Milliseconds between the signs of life of a running backup. */
  heartbeatMs?: number
}

export interface ScheduledBackups {
  /**
   * Writes a backup if one is due, whatever the number of processes, and deletes the old ones if it is intact.
   * @throws BackupError if it cannot be written
   */
  runDue(): Promise<void>
  /** Ends a running backup. */
  stop(): void
}

/** The names of files that retention can delete. */
const ownName = /^patchbay-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[\da-f]{8}\.backup$/

/** Returns a name that sorts by time and that no other backup has. */
const createName = (now: number): string => {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')
  return `patchbay-${time}Z-${randomBytes(4).toString('hex')}.backup`
}

export const createScheduledBackups = (options: ScheduledBackupOptions): ScheduledBackups => {
  const { database, settings, vendorAddresses, writeBackup, onBackgroundError, now = Date.now } = options
  const { heartbeatMs = heartbeatTimeoutMs / 6 } = options
  const { target } = settings
  const stopped = new AbortController()
  let schedule: ReturnType<typeof createSchedule> | undefined

  const openFile = (name: string) => openBackupFile(appendToTarget(target, name), vendorAddresses)

  const removeFile = async ({ name }: Pick<ListedBackup, 'name'>): Promise<void> => {
    if (!ownName.test(name)) throw new Error(`${name} is not the name of a scheduled backup`)
    await (await openFile(name)).remove()
  }

  /** Deletes what failed backups have left. */
  const removeFailed = async (backups: readonly ListedBackup[]): Promise<void> => {
    for (const backup of backups)
      if (backup.state === 'failed' && backup.has_file) {
        await removeFile(backup)
        await markFileRemoved(database, backup.name)
      }
  }

  const removeExpired = async (backups: readonly ListedBackup[]): Promise<void> => {
    const verified = backups.filter(({ state }) => state === 'verified')
    for (const backup of selectExpired(verified, settings, now())) {
      await removeFile(backup)
      await forgetBackups(database, [backup.name])
    }
  }

  /** Deletes files that are no longer needed. A failure is reported, and the next backup repeats it. */
  const cleanUp = async (includesExpired: boolean): Promise<void> => {
    try {
      const backups = await listBackups(database, target.name)
      await removeFailed(backups)
      if (includesExpired) await removeExpired(backups)
      await forgetBackups(database, selectForgettable(backups))
    } catch (error) {
      onBackgroundError(error, 'old backups could not be deleted; retrying after the next backup')
    }
  }

  /** Runs work while other processes see that this one is alive. The signal aborts if one of them has taken over. */
  const withHeartbeat = async <T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const lost = new AbortController()
    const beat = async (): Promise<void> => {
      if (!(await keepAlive(database, name, now()))) lost.abort(new BackupError('Another process has taken over.'))
    }
    const timer = setInterval(() => {
      // A failure is repeated at the next beat, before the backup counts as given up.
      beat().catch(() => undefined)
    }, heartbeatMs)
    try {
      return await work(AbortSignal.any([stopped.signal, lost.signal]))
    } finally {
      clearInterval(timer)
    }
  }

  const write = async (name: string, startedAt: number, getNext: (after: number) => number): Promise<void> => {
    try {
      const size = await withHeartbeat(name, (signal) => writeBackup(appendToTarget(target, name).name, signal))
      const result = { state: 'verified', size, next_due_at: getNext(startedAt) } as const
      if (!(await finishBackup(database, name, result, now()))) throw new BackupError('Another process has taken over.')
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!stopped.signal.aborted) {
        await finishBackup(database, name, { state: 'failed', reason }, now())
        throw error
      }
      // A shutdown is not a failure: the next process starts the backup again.
      await removeFile({ name })
      await forgetBackups(database, [name])
    }
  }

  return {
    async runDue() {
      if (stopped.signal.aborted) return
      schedule ??= createSchedule(settings.schedule, settings.timeZone)
      const getNext = await schedule
      const startedAt = now()
      const name = createName(startedAt)
      if (!(await claimBackup(database, { name, target: target.name, getNext }, startedAt))) return
      await cleanUp(false)
      try {
        await write(name, startedAt, getNext)
      } catch (error) {
        await cleanUp(false)
        throw error
      }
      if (!stopped.signal.aborted) await cleanUp(true)
    },
    stop: () => stopped.abort(),
  }
}
