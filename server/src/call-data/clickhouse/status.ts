import { hourMs } from '@patchbay/contract/shared/durations'
import type { CallDataKind } from '../call-data-sinks.ts'
import type { ClickHouse } from './clickhouse.ts'

/** The state of the call data in ClickHouse, for the system status. */

export interface StoredData {
  /** Rows of the table. A row is a call, a SIP message, or the spans or lines of one delivery. */
  rows: number
  /** Compressed, with indexes and sums. */
  bytes: number
  /** Start of the latest call, or receipt of the latest data, in milliseconds since the Unix epoch. Null if there is none. */
  last: number | null
}

export interface CallDataStore {
  /**
   * Reads the version and what is stored. Kinds that other stores contain are absent.
   * @throws ApiError `unavailable` (503) if ClickHouse fails
   */
  readStatus(): Promise<{ version: string; stored: ReadonlyMap<CallDataKind, StoredData> }>
}

/** Tables whose size belongs to a kind, the table of its rows first. */
const tables = {
  calls: ['calls', 'call_costs', 'call_ids', 'call_hours'],
  traces: ['trace_parts'],
  logs: ['log_parts'],
  captures: ['sip_messages'],
} satisfies Partial<Record<CallDataKind, [string, ...string[]]>>

type StoredKind = keyof typeof tables

/** Selects the latest time of each kind, from the sums of hours, and from the limits of partitions. */
const lastTimes: Readonly<Record<StoredKind, string>> = {
  calls: `(SELECT maxOrNull(hour) * ${hourMs} FROM call_hours WHERE hour <= {hour:Int32})`,
  traces: '(SELECT maxOrNull(received_at) FROM trace_parts)',
  logs: '(SELECT maxOrNull(received_at) FROM log_parts)',
  captures: '(SELECT maxOrNull(received_at) FROM sip_messages)',
}

interface StatusRow extends Record<`last_${StoredKind}`, string | number | null> {
  version: string
  sizes: readonly (readonly [table: string, rows: string, bytes: string])[]
}

/** Reads the state from the metadata of the tables, without reading their rows. */
export const readStatus = async (clickHouse: ClickHouse): ReturnType<CallDataStore['readStatus']> => {
  const kinds = Object.keys(tables) as StoredKind[]
  const [row] = await clickHouse.query<StatusRow>(
    `SELECT version() AS version, ${kinds.map((kind) => `${lastTimes[kind]} AS last_${kind}`).join()},
       (SELECT groupArray((table, rows, bytes)) FROM (
         SELECT table, sum(parts.rows) AS rows, sum(bytes_on_disk) AS bytes
         FROM system.parts AS parts WHERE active AND database = currentDatabase() GROUP BY table
       )) AS sizes`,
    { hour: Math.floor(Date.now() / hourMs) },
  )
  if (row === undefined) throw new Error('ClickHouse returned no state')
  const sizes = new Map(row.sizes.map(([table, rows, bytes]) => [table, { rows: Number(rows), bytes: Number(bytes) }]))
  const stored = kinds.map((kind): [CallDataKind, StoredData] => {
    const names = tables[kind]
    const last = row[`last_${kind}`]
    const bytes = names.reduce((sum, name) => sum + (sizes.get(name)?.bytes ?? 0), 0)
    return [kind, { rows: sizes.get(names[0] ?? '')?.rows ?? 0, bytes, last: last === null ? null : Number(last) }]
  })
  return { version: row.version, stored: new Map(stored) }
}
