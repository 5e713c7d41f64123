import type { Database } from '../../database/engine.ts'
import { deleteDelays, readDelays } from '../calls/call-day-counts.ts'
import { type CallKey, type CallRow, callColumns, keyColumns, type NewCallRow, toKey } from './call-rows.ts'
import type { ClickHouse } from './clickhouse.ts'
import { leaveOutStored, type StoredTable, selectByPairs } from './stored-table.ts'

/** The table of call records, for the writer and for copies. */

/** Size of most call records in bytes. */
const typicalBytes = 1000

/** Selects the rows with the accounts and times of other rows, by the primary key. */
const selectSimilar = <Row>(
  clickHouse: ClickHouse,
  columns: string,
  rows: readonly CallKey[],
  signal?: AbortSignal,
): Promise<Row[]> =>
  selectByPairs<Row, CallKey>(
    clickHouse,
    { table: 'calls', columns, pair: ['account_sid', 'attempted_at'] },
    rows,
    signal,
  )

/** Returns the rows that ClickHouse does not have. */
const withoutStored = async (
  clickHouse: ClickHouse,
  rows: readonly NewCallRow[],
  signal: AbortSignal | undefined,
): Promise<NewCallRow[]> => {
  const stored = await selectSimilar<CallKey>(clickHouse, keyColumns, rows, signal)
  return leaveOutStored(rows, stored, toKey)
}

/** Reads the stored rows with the keys of other rows, in their order. Missing rows are undefined. */
export const readStored = async (
  clickHouse: ClickHouse,
  rows: readonly NewCallRow[],
): Promise<(CallRow | undefined)[]> => {
  const stored = await selectSimilar<CallRow>(clickHouse, callColumns, rows)
  const byKey = new Map(stored.map((row) => [toKey(row), row]))
  return rows.map((row) => byKey.get(toKey(row)))
}

/**
 * Describes the table to the writer.
 * @param database contains the times between dialing and ringing that traces have reported
 */
export const createCallTable = ({ db }: Pick<Database, 'db'>): StoredTable<NewCallRow> => ({
  name: 'calls',
  toKey,
  measure: () => typicalBytes,
  compare: async (clickHouse, rows, signal) => ({
    missing: await withoutStored(clickHouse, rows, signal),
    excess: [],
  }),
  async complete(rows) {
    const calls = rows.map(({ has_call_sid, call_key }) => ({ call_sid: has_call_sid ? call_key : null }))
    const reported = await readDelays(db, calls)
    return {
      rows: rows.map((row) => ({ ...row, post_dial_delay: reported.delays.get(row.call_key) ?? null })),
      finish: () => deleteDelays(db, reported),
    }
  },
})
