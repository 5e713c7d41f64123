import type { Database } from '../../database/engine.ts'
import type { OpenCallDataSinks } from '../call-data-sinks.ts'
import type { CallRecord } from '../calls/call-record.ts'
import { type Calls, noAccount } from '../calls/calls.ts'
import { allTime } from '../calls/search-options.ts'
import { findLinkedCallIds } from '../traces/trace-links.ts'
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

/** Maximum number of calls that a delivery of spans can name for the first time after their records. */
const maxLookedUp = 100

/**
 * Returns the stored calls with these call_sids and Call-IDs. A call without data of its own was not queued when its record
 * arrived, and the agent of a short call can send all spans at its end.
 */
const findStoredCalls = async (
  calls: Pick<Calls, 'findForeign'> | undefined,
  call_ids: readonly string[],
): Promise<QueuedCall[]> => {
  if (calls === undefined) return []
  const ids = call_ids.slice(0, maxLookedUp).flatMap((id) => [{ call_sid: id }, { sip_callid: id }])
  return (await calls.findForeign(noAccount, ids, allTime))
    .flat()
    .flatMap(({ account_sid, call_sid }) => (call_sid === null ? [] : [{ account_sid, call_sid }]))
}

/**
 * Returns the sinks, with the conversations of received calls computed in the background, and again with later spans.
 * @param calls the stored calls, or undefined if they are in a store that reads all calls to find one
 */
export const queueConversations = (
  sinks: OpenCallDataSinks,
  database: Database,
  calls: Pick<Calls, 'findForeign'> | undefined,
): OpenCallDataSinks => ({
  calls: {
    async store(records) {
      await sinks.calls.store(records)
      await enqueueConversations(database, await findConversationCalls(database, records), Date.now() + settlingMs)
    },
    rate: (ratings) => sinks.calls.rate(ratings),
  },
  traces: {
    async storeParts(parts) {
      const trace_ids = [...new Set(parts.map(({ trace_id }) => trace_id))]
      const call_ids = [...new Set(parts.flatMap((part) => part.calls))]
      const linked = new Set(await findLinkedCallIds(database, call_ids))
      const rejected = await sinks.traces.storeParts(parts)
      await enqueueTraces(database, { trace_ids, call_ids }, Date.now() + settlingMs)
      // A record that arrives after the link finds the call. Here, it may have arrived before the first link.
      const stored = await findStoredCalls(
        calls,
        call_ids.filter((id) => !linked.has(id)),
      )
      await enqueueConversations(database, stored, Date.now() + settlingMs)
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
