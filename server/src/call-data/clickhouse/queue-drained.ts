import type { Database } from '../../database/engine.ts'
import { enqueueConversations, enqueueTraces, hasConversationData } from '../conversations/conversation-queue.ts'
import type { NewCallRow } from './call-rows.ts'
import type { TraceRow } from './clickhouse-traces.ts'

/** Queues the conversations of call data that has waited on the disk. They were computed without it, or not at all. */

/** Queues the conversations of calls that ClickHouse has stored now. */
export const queueDrainedCalls = (database: Database, rows: readonly NewCallRow[]): Promise<void> => {
  const calls = rows
    .filter((row) => row.has_call_sid && hasConversationData(row))
    .map(({ account_sid, call_key }) => ({ account_sid, call_sid: call_key }))
  return enqueueConversations(database, calls, Date.now())
}

/** Queues the conversations of calls whose spans ClickHouse has stored now. */
export const queueDrainedTraces = (database: Database, rows: readonly TraceRow[]): Promise<void> => {
  const trace_ids = [...new Set(rows.map(({ trace_id }) => trace_id))]
  return enqueueTraces(database, { trace_ids, call_ids: [] }, Date.now())
}
