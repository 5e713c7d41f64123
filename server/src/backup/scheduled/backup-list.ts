import { hourMs, minuteMs } from '@patchbay/contract/shared/durations'
import type { Selectable, Transaction } from 'kysely'
import { acquireNamedLock, type Database, inTransaction } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { isPending, latestDeadline } from '../../lib/clock.ts'

/** The list of scheduled backups in the database, which all processes of an installation share. */

export type ListedBackup = Selectable<Tables['patchbay_backups']>

/** A running backup belongs to a process that ended if it is silent for this time. */
export const heartbeatTimeoutMs = minuteMs

/** A failed backup is repeated after this time, which doubles with each further failure. */
const firstRetryMs = 5 * minuteMs
const maxRetryMs = hourMs

/** A backup from the future was started when the clock was wrong, and says nothing about when the next one is due. */
const clockToleranceMs = hourMs

/** Failed backups that stay in the list. */
const keptFailures = 50

/** More than any retention keeps in practice. */
const maxRows = 10_000

const interrupted = 'The process that wrote the backup ended before it was complete.'

const selectNewest = (db: Database['db'] | Transaction<Tables>) =>
  db.selectFrom('patchbay_backups').selectAll().orderBy('started_at', 'desc').orderBy('name').limit(maxRows)

/** Returns the failures since the last verified backup. Rows are in descending order. */
const listFailures = (rows: readonly ListedBackup[]): ListedBackup[] => {
  const verified = rows.findIndex(({ state }) => state === 'verified')
  return rows.slice(0, verified < 0 ? rows.length : verified).filter(({ state }) => state === 'failed')
}

/** Returns when the next backup is to start. */
const findDueTime = (rows: readonly ListedBackup[], getNext: (after: number) => number): number => {
  const verified = rows.find(({ state }) => state === 'verified')
  const failures = listFailures(rows)
  const lastFailureAt = Math.max(...failures.map(({ ended_at }) => ended_at ?? 0))
  const retryAt =
    failures.length === 0 ? 0 : lastFailureAt + Math.min(maxRetryMs, firstRetryMs * 2 ** (failures.length - 1))
  return Math.max(verified === undefined ? 0 : getNext(verified.started_at), retryAt)
}

interface NewBackup {
  name: string
  target: string
  /** Returns the first time of the schedule after a time. */
  getNext: (after: number) => number
}

/** Returns whether a process writes the backup. A heartbeat in the future was stored before the clock was set back. */
const isAlive = ({ state, heartbeat_at }: ListedBackup, now: number): boolean =>
  state === 'running' && isPending(heartbeat_at + heartbeatTimeoutMs, now, heartbeatTimeoutMs)

/** Returns whether a backup is due and no process writes one. */
const isDue = (rows: readonly ListedBackup[], { target, getNext }: NewBackup, now: number): boolean => {
  if (rows.some((row) => isAlive(row, now))) return false
  const ofTarget = rows.filter((row) => row.target === target && row.started_at <= now + clockToleranceMs)
  return now >= findDueTime(ofTarget, getNext)
}

/** Marks running backups as failed whose process has ended. */
const failInterrupted = async (db: Database['db'] | Transaction<Tables>, now: number): Promise<void> => {
  await db
    .updateTable('patchbay_backups')
    .set({ state: 'failed', ended_at: now, reason: interrupted })
    .where('state', '=', 'running')
    .where(({ eb, or }) =>
      or([
        eb('heartbeat_at', '<=', now - heartbeatTimeoutMs),
        eb('heartbeat_at', '>', latestDeadline(now, heartbeatTimeoutMs) - heartbeatTimeoutMs),
      ]),
    )
    .execute()
}

/**
 * Adds a running backup to the list if one is due and no other process writes one. Running backups of processes that
 * ended become failed. Returns whether the backup was added.
 * @param now milliseconds since the Unix epoch
 */
export const claimBackup = async (database: Database, backup: NewBackup, now: number): Promise<boolean> => {
  const { name, target } = backup
  // Processes look at the list often, and change it rarely.
  const listed = await selectNewest(database.db).execute()
  if (listed.some((row) => row.state === 'running' && !isAlive(row, now))) await failInterrupted(database.db, now)
  else if (!isDue(listed, backup, now)) return false
  return inTransaction(database, async (trx) => {
    await acquireNamedLock(trx, database.engine, 'scheduled backup')
    if (!isDue(await selectNewest(trx).execute(), backup, now)) return false
    const times = { started_at: now, heartbeat_at: now, ended_at: null, next_due_at: null }
    const result = { size: null, reason: null, has_file: 1 } as const
    await trx
      .insertInto('patchbay_backups')
      .values({ name, target, state: 'running', ...times, ...result })
      .execute()
    return true
  })
}

/** Shows other processes that the backup is still being written. Returns false if one of them has given it up. */
export const keepAlive = async ({ db }: Database, name: string, now: number): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('patchbay_backups')
    .set({ heartbeat_at: now })
    .where('name', '=', name)
    .where('state', '=', 'running')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

type Result = { state: 'verified'; size: number; next_due_at: number } | { state: 'failed'; reason: string }

/** Stores the result of a running backup. Returns false if another process has given it up. */
export const finishBackup = async ({ db }: Database, name: string, result: Result, now: number): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('patchbay_backups')
    .set({ ...result, ended_at: now, heartbeat_at: now })
    .where('name', '=', name)
    .where('state', '=', 'running')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns all backups of a target, newest first. */
export const listBackups = async ({ db }: Database, target: string): Promise<ListedBackup[]> =>
  (await selectNewest(db).execute()).filter((row) => row.target === target)

/** Notes that a failed backup has left no file. */
export const markFileRemoved = async ({ db }: Database, name: string): Promise<void> => {
  await db.updateTable('patchbay_backups').set({ has_file: 0 }).where('name', '=', name).execute()
}

/** Removes backups from the list, whose files were deleted. */
export const forgetBackups = async ({ db }: Database, names: readonly string[]): Promise<void> => {
  if (names.length > 0) await db.deleteFrom('patchbay_backups').where('name', 'in', names).execute()
}

/** Returns the names of failed backups without a file that are too old to be of interest. */
export const selectForgettable = (rows: readonly ListedBackup[]): string[] =>
  rows
    .filter(({ state, has_file }) => state === 'failed' && !has_file)
    .slice(keptFailures)
    .map(({ name }) => name)

export interface BackupStatus {
  /** The newest verified backup. Times are in milliseconds since the Unix epoch. */
  last: { startedAt: number; endedAt: number; size: number } | null
  isRunning: boolean
  /** Failed backups since the newest verified one. */
  failures: number
  /** Why the newest backup failed, if it did. */
  failureReason: string | null
  /** When the next backup is, or was, due. Null until the first one has started. */
  dueAt: number | null
}

/** Reads the state of the scheduled backups. */
export const readBackupStatus = async ({ reader }: Database, now: number): Promise<BackupStatus> => {
  const rows = await selectNewest(reader).execute()
  const verified = rows.find(({ state }) => state === 'verified')
  const failures = listFailures(rows)
  const { started_at, ended_at, size, next_due_at } = verified ?? {}
  return {
    last: started_at === undefined ? null : { startedAt: started_at, endedAt: ended_at ?? started_at, size: size ?? 0 },
    isRunning: rows.some((row) => isAlive(row, now)),
    failures: failures.length,
    failureReason: failures[0]?.reason ?? null,
    dueAt: next_due_at ?? (started_at === undefined ? rows.at(-1)?.started_at : undefined) ?? null,
  }
}
