import { setTimeout as pause } from 'node:timers/promises'
import { type ClickHouse, quoteAll } from './clickhouse.ts'

/**
 * Deletions of rows. ClickHouse runs them in the background, one part of a table after another, with fewer threads than
 * merges. Only the deletion of call data uses them.
 */

/** Interval between two reads of the state. */
const pollMs = 200

/** Returns the number of rows. */
export const countRows = async (clickHouse: ClickHouse, table: string, condition: string): Promise<number> => {
  const [row] = await clickHouse.query<{ rows: string }>(`SELECT count() AS rows FROM ${table} WHERE ${condition}`, {})
  return Number(row?.rows ?? 0)
}

/** Starts to delete rows, and rewrites the parts that contain them. Works with projections. */
export const startDeletion = (clickHouse: ClickHouse, table: string, condition: string): Promise<void> =>
  clickHouse.command(`ALTER TABLE ${table} DELETE WHERE ${condition} SETTINGS mutations_sync = 0`)

/** Starts to delete rows if there are any. Returns their number. */
export const deleteFrom = async (clickHouse: ClickHouse, table: string, condition: string): Promise<number> => {
  const rows = await countRows(clickHouse, table, condition)
  if (rows > 0) await startDeletion(clickHouse, table, condition)
  return rows
}

/**
 * Starts to mark rows of a partition as deleted, so that no query returns them. This writes one small column, whatever
 * the size of the rows. `startRemoval` removes them.
 */
export const startMarking = (
  clickHouse: ClickHouse,
  table: string,
  partition: string,
  condition: string,
): Promise<void> =>
  clickHouse.command(
    `DELETE FROM ${table} IN PARTITION ${partition} WHERE ${condition} SETTINGS lightweight_deletes_sync = 0`,
  )

/** Starts to remove the marked rows from the disk. Parts without marked rows are not rewritten. */
export const startRemoval = (clickHouse: ClickHouse, table: string): Promise<void> =>
  clickHouse.command(`ALTER TABLE ${table} APPLY DELETED MASK SETTINGS mutations_sync = 0`)

interface Pending {
  parts: string
  reason: string
}

/**
 * Waits until the deletions of tables are complete.
 * @throws Error if a deletion fails. ClickHouse repeats it
 * @throws an AbortError if the signal aborts. ClickHouse continues
 */
export const waitForDeletions = async (
  clickHouse: ClickHouse,
  tables: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  for (;;) {
    const [pending] = await clickHouse.query<Pending>(
      `SELECT count() AS parts, max(latest_fail_reason) AS reason
       FROM system.mutations WHERE database = currentDatabase() AND table IN (${quoteAll(tables)}) AND NOT is_done`,
      {},
      signal,
    )
    if (pending === undefined || pending.parts === '0') return
    if (pending.reason !== '') throw new Error(`ClickHouse cannot delete rows: ${pending.reason.slice(0, 300)}`)
    await pause(pollMs, undefined, { signal })
  }
}
