import { setImmediate as nextTick } from 'node:timers/promises'
import type { ResourceSpans } from '@patchbay/contract/call-traces'
import type { Database } from '../../database/engine.ts'
import { chunk } from '../../lib/chunk.ts'
import { enqueueConversations, enqueueTraces } from '../conversations/conversation-queue.ts'
import { findConversationCalls } from '../conversations/queue-conversations.ts'
import { findNamedCalls } from '../traces/trace-links.ts'
import type { NewCallRow } from './call-rows.ts'
import type { TraceRow } from './clickhouse-traces.ts'

/** Queues the conversations of call data that has waited on the disk. They were computed without it, or not at all. */

/** Databases limit the number of values in a query. */
const chunkSize = 1000

/** Queues the conversations of calls that ClickHouse has stored now. */
export const queueDrainedCalls = async (database: Database, rows: readonly NewCallRow[]): Promise<void> => {
  const records = rows.map((row) => ({ ...row, call_sid: row.has_call_sid ? row.call_key : null }))
  for (const some of chunk(records, chunkSize))
    await enqueueConversations(
      database,
      await findConversationCalls(database, some, { isDatabaseOnly: false }),
      Date.now(),
    )
}

/** Returns the calls that the spans of rows name. */
const listNamedCalls = async (rows: readonly TraceRow[], callAttributes: ReadonlySet<string>): Promise<string[]> => {
  if (callAttributes.size === 0) return []
  const calls = new Set<string>()
  for (const { content } of rows) {
    for (const id of findNamedCalls(JSON.parse(content) as ResourceSpans[], callAttributes)) calls.add(id)
    // Parsing a part takes a few milliseconds. Other requests run in between.
    await nextTick()
  }
  return [...calls]
}

/**
 * Queues the conversations of calls whose spans ClickHouse has stored now.
 * @param callAttributes names of the attributes by which traces of other programs name a call
 */
export const queueDrainedTraces = async (
  database: Database,
  callAttributes: ReadonlySet<string>,
  rows: readonly TraceRow[],
): Promise<void> => {
  const traces = new Set(rows.map(({ trace_id }) => trace_id))
  for (const trace_ids of chunk([...traces], chunkSize))
    await enqueueTraces(database, { trace_ids, call_ids: [] }, Date.now())
  for (const call_ids of chunk(await listNamedCalls(rows, callAttributes), chunkSize))
    await enqueueTraces(database, { trace_ids: [], call_ids }, Date.now())
}
