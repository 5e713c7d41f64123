import type { Database } from '../../database/engine.ts'
import type { OpenCallDataSinks } from '../call-data-sinks.ts'
import { findLinkedCallIds } from '../traces/trace-links.ts'
import type { CallRecord } from '../ingest/parse-call-point.ts'
import {
  enqueueConversations,
  enqueueTraces,
  hasConversationData,
  type QueuedCall,
  settlingMs,
} from './conversation-queue.ts'

type StoredCall = Pick<CallRecord, 'account_sid' | 'call_sid' | 'sip_callid' | 'trace_id' | 'recording_url'>

type IdentifiedCall = StoredCall & { call_sid: string }

const hasCallSid = (record: StoredCall): record is IdentifiedCall => record.call_sid !== null

/** Returns the calls that can have a conversation: with a trace, a recording, or a trace of another program. */
export const findConversationCalls = async (
  database: Database,
  records: readonly StoredCall[],
): Promise<QueuedCall[]> => {
  const calls = records.filter(hasCallSid)
  const listIds = ({ call_sid, sip_callid }: IdentifiedCall) => [call_sid, ...(sip_callid === null ? [] : [sip_callid])]
  const ids = calls.filter((call) => !hasConversationData(call)).flatMap(listIds)
  const linked = new Set(await findLinkedCallIds(database, ids))
  return calls
    .filter((call) => hasConversationData(call) || listIds(call).some((id) => linked.has(id)))
    .map(({ account_sid, call_sid }) => ({ account_sid, call_sid }))
}

/** Returns the sinks, with the conversations of received calls computed in the background, and again with later spans. */
export const queueConversations = (sinks: OpenCallDataSinks, database: Database): OpenCallDataSinks => ({
  calls: {
    async store(records) {
      await sinks.calls.store(records)
      await enqueueConversations(database, await findConversationCalls(database, records), Date.now() + settlingMs)
    },
  },
  traces: {
    async storeParts(parts) {
      const rejected = await sinks.traces.storeParts(parts)
      const trace_ids = [...new Set(parts.map(({ trace_id }) => trace_id))]
      const call_ids = [...new Set(parts.flatMap(({ calls }) => calls))]
      await enqueueTraces(database, { trace_ids, call_ids }, Date.now() + settlingMs)
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
