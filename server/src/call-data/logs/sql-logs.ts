import { setImmediate as nextTick } from 'node:timers/promises'
import { type Database, insertIgnoringDuplicates, inTransaction } from '../../database/engine.ts'
import { gzipJson, unpackedText } from '../../database/gzip-json.ts'
import { getErrorCode } from '../../lib/error-code.ts'
import { groupByCall, sortByTime, toTruncatedLog } from './log-lines.ts'
import type { LogSink, Logs } from './logs.ts'

/** Limits for reading the log of a call. */
const readLimits = { parts: 2000, lines: 50_000, bytes: 8 * 1024 * 1024 }

/** Limits for storing the log of a call: deliveries, and their compressed bytes. Excess lines are dropped. */
const storeLimits = { parts: 2000, bytes: 16 * 1024 * 1024 }

/** Number of parts to read from the database per query. */
const partBatchSize = 20

interface PartKey {
  call_id: string
  part_key: string
}

/** Returns the keys of the parts of a call in order of arrival. */
const findPartKeys = ({ reader }: Database, ids: readonly string[]): Promise<PartKey[]> =>
  reader
    .selectFrom('patchbay_log_parts')
    .select(['call_id', 'part_key'])
    .where('call_id', 'in', ids)
    .orderBy('received_at')
    .orderBy('part_key')
    .limit(readLimits.parts + 1)
    .execute()

async function* readContents({ reader }: Database, partKeys: readonly PartKey[]): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < partKeys.length; from += partBatchSize) {
    const batch = partKeys.slice(from, from + partBatchSize)
    const rows = await reader
      .selectFrom('patchbay_log_parts')
      .select(['call_id', 'part_key', 'content'])
      .where('call_id', 'in', [...new Set(batch.map(({ call_id }) => call_id))])
      .where(
        'part_key',
        'in',
        batch.map(({ part_key }) => part_key),
      )
      .execute()
    for (const { call_id, part_key } of batch) {
      const row = rows.find((one) => one.call_id === call_id && one.part_key === part_key)
      if (row !== undefined) yield row.content
    }
  }
}

/** Returns the lines of a part, or undefined if they exceed `maxBytes`. */
const unpackLines = async (content: Uint8Array, maxBytes: number) => {
  try {
    const text = await unpackedText(content, maxBytes)
    return { lines: JSON.parse(text.toString('utf8')) as string[], bytes: text.length }
  } catch (error) {
    if (getErrorCode(error) === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}

/** Reads the first lines of a call by any of its ids. */
const readLines = async (database: Database, ids: readonly string[]): Promise<string[]> => {
  const partKeys = await findPartKeys(database, ids)
  const lines: string[] = []
  let bytes = 0
  for await (const content of readContents(database, partKeys.slice(0, readLimits.parts))) {
    const part = await unpackLines(content, readLimits.bytes - bytes)
    if (part === undefined || lines.length + part.lines.length > readLimits.lines) return toTruncatedLog(lines)
    for (const line of part.lines) lines.push(line)
    bytes += part.bytes
    await nextTick()
  }
  return partKeys.length > readLimits.parts ? toTruncatedLog(lines) : sortByTime(lines)
}

/** Returns the parts of calls that have not reached the limits. */
const withinLimits = async <Part extends { call_id: string; content: Uint8Array }>(
  { reader }: Database,
  parts: readonly Part[],
): Promise<Part[]> => {
  if (parts.length === 0) return []
  const storedSums = await reader
    .selectFrom('patchbay_log_parts')
    .select(['call_id'])
    .select(({ fn, ref }) => [
      fn.countAll<number | string>().as('parts'),
      fn.sum<number | string>(fn('length', [ref('content')])).as('bytes'),
    ])
    .where(
      'call_id',
      'in',
      parts.map(({ call_id }) => call_id),
    )
    .groupBy('call_id')
    .execute()
  const fullCalls = new Set(
    storedSums
      .filter((one) => Number(one.parts) >= storeLimits.parts || Number(one.bytes) >= storeLimits.bytes)
      .map(({ call_id }) => call_id),
  )
  return parts.filter(({ call_id }) => !fullCalls.has(call_id))
}

/**
 * Creates the store of log lines in Patchbay's own table. Lines of the same call and delivery are compressed into one
 * row.
 */
export const createSqlLogs = (database: Database, now: () => number = Date.now): Logs & LogSink => ({
  read({ call_sid, sip_callid }) {
    const ids = [call_sid, sip_callid].filter((id) => id !== null)
    return ids.length === 0 ? Promise.resolve([]) : readLines(database, ids)
  },

  async store(lines) {
    const received_at = now()
    const calls = groupByCall(lines)
    const parts = await Promise.all(
      [...calls].map(async ([call_id, callLines]) => {
        const { part_key, content } = await gzipJson(callLines)
        return { call_id, received_at, part_key, content }
      }),
    )
    const accepted = await withinLimits(database, parts)
    await inTransaction(database, (trx) =>
      insertIgnoringDuplicates(trx, database.engine, 'patchbay_log_parts', accepted),
    )
    return accepted.reduce((sum, { call_id }) => sum + (calls.get(call_id)?.length ?? 0), 0)
  },
})
