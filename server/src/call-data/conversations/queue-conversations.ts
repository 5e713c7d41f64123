import type { Database } from '../../database/engine.ts'
import type { OpenCallDataSinks } from '../call-data-sinks.ts'
import type { CallRecord } from '../ingest/parse-call-point.ts'
import { enqueueConversations, enqueueTraces, type QueuedCall, settlingMs } from './conversation-queue.ts'

/** Returns the calls that can have a conversation. */
const findConversationCalls = (records: readonly CallRecord[]): QueuedCall[] =>
  records.flatMap(({ account_sid, call_sid, trace_id, recording_url }) =>
    call_sid !== null && (trace_id !== null || recording_url !== null) ? [{ account_sid, call_sid }] : [],
  )

/** Returns the sinks, with the conversations of received calls computed in the background, and again with later spans. */
export const queueConversations = (sinks: OpenCallDataSinks, database: Database): OpenCallDataSinks => ({
  calls: {
    async store(records) {
      await sinks.calls.store(records)
      await enqueueConversations(database, findConversationCalls(records), Date.now() + settlingMs)
    },
  },
  traces: {
    async storeParts(parts) {
      const rejected = await sinks.traces.storeParts(parts)
      const trace_ids = [...new Set(parts.map(({ trace_id }) => trace_id))]
      const call_sids = [...new Set(parts.flatMap(({ calls }) => calls))]
      await enqueueTraces(database, { trace_ids, call_sids }, Date.now() + settlingMs)
      return rejected
    },
  },
  alerts: sinks.alerts,
  logs: sinks.logs,
  captures: sinks.captures,
  hasBatches: sinks.hasBatches,
  getWaitingBytes: (kind) => sinks.getWaitingBytes(kind),
  close: () => sinks.close(),
})
