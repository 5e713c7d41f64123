import { setImmediate as nextTick } from 'node:timers/promises'
import type { ResourceSpans } from '@patchbay/contract/call-traces'
import { type Database, inTransaction } from '../../database/engine.ts'
import { unpackedText } from '../../database/gzip-json.ts'
import { upsertDelays } from '../traces/post-dial-delay.ts'
import { storeTraceLinks } from '../traces/trace-links.ts'
import type { TracePart, TraceSink, Traces } from '../traces/traces.ts'
import type { ClickHouse } from './clickhouse.ts'
import { createPartTable, findParts, type PartRow, type PartTable } from './part-table.ts'
import type { TableWriter } from './table-writer.ts'

/** Traces in ClickHouse. The table contains the uncompressed JSON, which ClickHouse compresses over all traces. */

export const tracePartTable: PartTable<'trace_id'> = {
  name: 'trace_parts',
  id: 'trace_id',
  maxStored: { parts: 2000, bytes: 64 * 1024 * 1024 },
  maxRead: { parts: 2000, items: 10_000, bytes: 4 * 1024 * 1024 },
}

export type TraceRow = PartRow<'trace_id'>

export const traceTable = createPartTable(tracePartTable)

/** Bytes of uncompressed spans that one request adds to the memory of the writer at a time. */
const maxUnpackedBytes = 4 * 1024 * 1024

/** Divides parts into lists whose spans have up to `maxUnpackedBytes` bytes. A single part can exceed it. */
function* divide(parts: readonly TracePart[]): Generator<TracePart[]> {
  let list: TracePart[] = []
  let bytes = 0
  for (const part of parts) {
    if (list.length > 0 && bytes + part.bytes > maxUnpackedBytes) {
      yield list
      list = []
      bytes = 0
    }
    list.push(part)
    bytes += part.bytes
  }
  if (list.length > 0) yield list
}

/** Returns a part with uncompressed content. */
export const toTraceRow = async (
  { trace_id, part_key, content, spans, bytes, account_sid = '' }: TracePart,
  received_at: number,
): Promise<TraceRow> => {
  const text = (await unpackedText(content, bytes)).toString('utf8')
  return { trace_id, received_at, part_key, account_sid, items: spans, bytes, content: text }
}

/**
 * Creates the destination of received spans.
 * @param database gets the times between dialing and ringing, which the records of calls include later, and the calls that
 * spans name
 */
export const createClickHouseTraceSink = (
  writer: TableWriter<TraceRow>,
  database: Database,
  now: () => number = Date.now,
): TraceSink => ({
  async storeParts(parts) {
    let rejected = 0
    for (const list of divide(parts)) {
      const received_at = now()
      const { excess } = await writer.store(await Promise.all(list.map((part) => toTraceRow(part, received_at))))
      rejected += excess.reduce((sum, { items }) => sum + items, 0)
      const excessKeys = new Set(excess.map(traceTable.toKey))
      const accepted = list.filter((part) => !excessKeys.has(traceTable.toKey(part)))
      const delays = accepted.flatMap((part) => part.delays)
      if (delays.length > 0 || accepted.some(({ calls }) => calls.length > 0))
        await inTransaction(database, async (trx) => {
          await storeTraceLinks(trx, database.engine, accepted, received_at)
          await upsertDelays(trx, database.engine, delays, received_at)
        })
    }
    return rejected
  },
})

/** Creates the reader of traces. */
export const createClickHouseTraces = (clickHouse: ClickHouse): Traces => ({
  async read(trace_id) {
    const { contents, isCut } = await findParts(clickHouse, tracePartTable, [trace_id])
    const resourceSpans: ResourceSpans[] = []
    for await (const content of contents) {
      for (const one of JSON.parse(content) as ResourceSpans[]) resourceSpans.push(one)
      // Parsing a part takes a few milliseconds. Other requests run in between.
      await nextTick()
    }
    if (resourceSpans.length === 0 && !isCut) return undefined
    return isCut ? { resourceSpans, is_cut: true, cut_at: 'end' } : { resourceSpans }
  },
})
