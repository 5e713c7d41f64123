import { createHash } from 'node:crypto'
import { setImmediate as nextTick } from 'node:timers/promises'
import { findAccountOfLine, groupByCall, sortByTime, toTruncatedLog } from '../logs/log-lines.ts'
import type { LogSink, Logs } from '../logs/logs.ts'
import type { ClickHouse } from './clickhouse.ts'
import { createPartTable, findParts, type PartRow, type PartTable } from './part-table.ts'
import type { TableWriter } from './table-writer.ts'

/** Log lines of calls in ClickHouse. */

export const logPartTable: PartTable<'call_id'> = {
  name: 'log_parts',
  id: 'call_id',
  maxStored: { parts: 2000, bytes: 64 * 1024 * 1024 },
  maxRead: { parts: 2000, items: 50_000, bytes: 8 * 1024 * 1024 },
}

export type LogRow = PartRow<'call_id'>

export const logTable = createPartTable(logPartTable)

/** Returns the lines of a call in one delivery as a row. */
export const toLogRow = (call_id: string, lines: readonly string[], received_at: number): LogRow => {
  const content = JSON.stringify(lines)
  return {
    call_id,
    received_at,
    part_key: createHash('sha256').update(content).digest('hex'),
    account_sid: findAccountOfLine(lines[0] ?? '') ?? '',
    items: lines.length,
    bytes: Buffer.byteLength(content),
    content,
  }
}

/** Creates the destination of received log lines. */
export const createClickHouseLogSink = (writer: TableWriter<LogRow>, now: () => number = Date.now): LogSink => ({
  async store(lines) {
    const received_at = now()
    const rows = [...groupByCall(lines)].map(([call_id, own]) => toLogRow(call_id, own, received_at))
    const { excess } = await writer.store(rows)
    return lines.length - excess.reduce((sum, { items }) => sum + items, 0)
  },
})

/** Creates the reader of log lines. */
export const createClickHouseLogs = (clickHouse: ClickHouse): Logs => ({
  async read({ call_sid, sip_callid }) {
    const ids = [call_sid, sip_callid].filter((id) => id !== null)
    if (ids.length === 0) return []
    const { contents, isCut } = await findParts(clickHouse, logPartTable, ids)
    const lines: string[] = []
    for await (const content of contents) {
      for (const line of JSON.parse(content) as string[]) lines.push(line)
      // Parsing a part takes a few milliseconds. Other requests run in between.
      await nextTick()
    }
    return isCut ? toTruncatedLog(lines) : sortByTime(lines)
  },
})
