import { setImmediate as nextTick } from 'node:timers/promises'
import type { ResourceSpans, Trace } from '@patchbay/contract/call-traces'
import { type Database, insertIgnoringDuplicates, inTransaction } from '../../database/engine.ts'
import { unpackedText } from '../../database/gzip-json.ts'
import { getErrorCode } from '../../lib/error-code.ts'
import { upsertDelays } from './post-dial-delay.ts'
import { storeTraceLinks } from './trace-links.ts'
import { countSpans } from './trace-parts.ts'
import type { TracePart, TraceSink, Traces } from './traces.ts'

/** Limits for reading a trace. A one-hour call has several hundred spans. */
const readLimits = { parts: 2000, spans: 10_000, bytes: 4 * 1024 * 1024 }

/** Limits for storing a trace: parts, and their compressed bytes. Excess spans are rejected. */
const storeLimits = { parts: 2000, bytes: 16 * 1024 * 1024 }

/** Number of parts to read from the database per query. */
const partBatchSize = 20

/** Returns the keys of the parts of a trace in order of arrival. */
const findPartKeys = async ({ reader }: Database, trace_id: string): Promise<string[]> => {
  const rows = await reader
    .selectFrom('patchbay_trace_parts')
    .select('part_key')
    .where('trace_id', '=', trace_id)
    .orderBy('received_at')
    .orderBy('part_key')
    .limit(readLimits.parts + 1)
    .execute()
  return rows.map(({ part_key }) => part_key)
}

/** Yields the contents of parts in the order of their keys. */
async function* readContents(
  { reader }: Database,
  trace_id: string,
  keys: readonly string[],
): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < keys.length; from += partBatchSize) {
    const batch = keys.slice(from, from + partBatchSize)
    const rows = await reader
      .selectFrom('patchbay_trace_parts')
      .select(['part_key', 'content'])
      .where('trace_id', '=', trace_id)
      .where('part_key', 'in', batch)
      .execute()
    const contents = new Map(rows.map(({ part_key, content }) => [part_key, content]))
    yield* batch.flatMap((key) => contents.get(key) ?? [])
  }
}

/** Returns the spans of a part and their size as JSON, or undefined if they exceed `maxBytes`. */
const unpackPart = async (content: Uint8Array, maxBytes: number) => {
  try {
    const text = await unpackedText(content, maxBytes)
    return { resourceSpans: JSON.parse(text.toString('utf8')) as ResourceSpans[], bytes: text.length }
  } catch (error) {
    if (getErrorCode(error) === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}

const readTrace = async (database: Database, trace_id: string): Promise<Trace | undefined> => {
  const keys = await findPartKeys(database, trace_id)
  if (keys.length === 0) return undefined
  const resourceSpans: ResourceSpans[] = []
  const truncated = (): Trace => ({ resourceSpans, is_cut: true, cut_at: 'end' })
  let [spans, bytes] = [0, 0]
  for await (const content of readContents(database, trace_id, keys.slice(0, readLimits.parts))) {
    if (spans >= readLimits.spans || bytes >= readLimits.bytes) return truncated()
    const part = await unpackPart(content, readLimits.bytes - bytes)
    if (part === undefined) return truncated()
    for (const one of part.resourceSpans) resourceSpans.push(one)
    spans += countSpans(part.resourceSpans)
    bytes += part.bytes
    // Parsing a part takes a few milliseconds. Other requests run in between.
    await nextTick()
  }
  return keys.length > readLimits.parts ? truncated() : { resourceSpans }
}

/** Returns the parts of traces that have not reached the limits, and the number of spans in the other parts. */
const withinLimits = async ({ reader }: Database, parts: readonly TracePart[]) => {
  const stored = await reader
    .selectFrom('patchbay_trace_parts')
    .select(['trace_id'])
    .select(({ fn, ref }) => [
      fn.countAll<number | string>().as('parts'),
      fn.sum<number | string>(fn('length', [ref('content')])).as('bytes'),
    ])
    .where('trace_id', 'in', [...new Set(parts.map(({ trace_id }) => trace_id))])
    .groupBy('trace_id')
    .execute()
  const sums = new Map(stored.map((one) => [one.trace_id, { parts: Number(one.parts), bytes: Number(one.bytes) }]))
  const accepted: TracePart[] = []
  let rejected = 0
  for (const part of parts) {
    const sum = sums.get(part.trace_id) ?? { parts: 0, bytes: 0 }
    if (sum.parts >= storeLimits.parts || sum.bytes >= storeLimits.bytes) {
      rejected += part.spans
      continue
    }
    accepted.push(part)
    sums.set(part.trace_id, { parts: sum.parts + 1, bytes: sum.bytes + part.content.length })
  }
  return { accepted, rejected }
}

/** Creates the store of traces in Patchbay's own tables. */
export const createSqlTraces = (database: Database, now: () => number = Date.now): Traces & TraceSink => {
  const storeParts = async (parts: readonly TracePart[]): Promise<number> => {
    if (parts.length === 0) return 0
    const received_at = now()
    const { accepted, rejected } = await withinLimits(database, parts)
    const rows = accepted.map(({ trace_id, part_key, content }) => ({ trace_id, part_key, received_at, content }))
    const delays = accepted.flatMap((part) => part.delays)
    await inTransaction(database, async (trx) => {
      await insertIgnoringDuplicates(trx, database.engine, 'patchbay_trace_parts', rows)
      await storeTraceLinks(trx, database.engine, accepted, received_at)
      await upsertDelays(trx, database.engine, delays, received_at)
    })
    return rejected
  }
  return {
    read: (trace_id) => readTrace(database, trace_id),
    storeParts,
  }
}
