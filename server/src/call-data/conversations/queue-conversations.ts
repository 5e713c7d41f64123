import { isTraceId } from '@patchbay/rules/traces/traces'
import type { Database } from '../../database/engine.ts'
import type { OpenCallDataSinks } from '../call-data-sinks.ts'
import type { CallRecord } from '../calls/call-record.ts'
import { type Calls, noAccount } from '../calls/calls.ts'
import { allTime } from '../calls/search-options.ts'
import { findLinkedCallIds } from '../traces/trace-links.ts'
import { enqueueConversations, enqueueTraces, type QueuedCall, settlingMs } from './conversation-queue.ts'

/** Stores in which the data of a call is found. */
interface ConversationStores {
  /** The stored calls, or undefined if they are in a store that reads all calls to find one. */
  calls: Pick<Calls, 'findForeign'> | undefined
  /** The calls, their spans, and their log lines are in the database. Otherwise, any trace ID can have spans. */
  isDatabaseOnly: boolean
}

type StoredCall = Pick<CallRecord, 'account_sid' | 'call_sid' | 'sip_callid' | 'trace_id' | 'recording_url'>

type IdentifiedCall = StoredCall & { call_sid: string }

const hasCallSid = (record: StoredCall): record is IdentifiedCall => record.call_sid !== null

const listCallIds = ({ call_sid, sip_callid }: IdentifiedCall): string[] => [
  call_sid,
  ...(sip_callid === null ? [] : [sip_callid]),
]

const listTraceIds = ({ trace_id }: IdentifiedCall): string[] => (isTraceId(trace_id) ? [trace_id.toLowerCase()] : [])

/** Returns those of the trace IDs, call_sids, and Call-IDs that have spans, a trace of another program, or log lines. */
const findStoredIds = async ({ db }: Database, calls: readonly IdentifiedCall[]): Promise<ReadonlySet<string>> => {
  const call_ids = calls.flatMap(listCallIds)
  if (call_ids.length === 0) return new Set()
  const trace_ids = calls.flatMap(listTraceIds)
  const ids = db
    .selectFrom('patchbay_trace_links')
    .select('call_id as id')
    .where('call_id', 'in', call_ids)
    // Log lines that arrived before their account was known are masked with the conversation.
    .union(db.selectFrom('patchbay_log_parts').select('call_id as id').where('call_id', 'in', call_ids))
    .$if(trace_ids.length > 0, (all) =>
      all.union(db.selectFrom('patchbay_trace_parts').select('trace_id as id').where('trace_id', 'in', trace_ids)),
    )
  return new Set((await ids.execute()).map(({ id }) => id))
}

/**
 * Returns the calls that can have a conversation when their record arrives: with a recording, spans, or a trace of another
 * program. Most calls of a platform without tracing have none.
 */
export const findConversationCalls = async (
  database: Database,
  records: readonly StoredCall[],
  { isDatabaseOnly }: Pick<ConversationStores, 'isDatabaseOnly'>,
): Promise<QueuedCall[]> => {
  const calls = records.filter(hasCallSid)
  const hasData = ({ recording_url, trace_id }: IdentifiedCall): boolean =>
    Boolean(recording_url) || (!isDatabaseOnly && isTraceId(trace_id))
  const others = calls.filter((call) => !hasData(call))
  const ids = isDatabaseOnly
    ? await findStoredIds(database, others)
    : new Set(await findLinkedCallIds(database, others.flatMap(listCallIds)))
  return calls
    .filter((call) => hasData(call) || [...listTraceIds(call), ...listCallIds(call)].some((id) => ids.has(id)))
    .map(({ account_sid, call_sid }) => ({ account_sid, call_sid }))
}

/** Returns the calls whose records have arrived before the first spans of their traces. */
const findTracedCalls = async ({ db }: Database, trace_ids: readonly string[]): Promise<QueuedCall[]> => {
  const calls = db.selectFrom('patchbay_calls').select(['account_sid', 'call_sid']).distinct()
  const rows = await calls.where('trace_id', 'in', trace_ids).where('call_sid', 'is not', null).execute()
  return rows.flatMap(({ account_sid, call_sid }) => (call_sid === null ? [] : [{ account_sid, call_sid }]))
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

/** Returns the sinks, with the conversations of received calls computed in the background, and again with later spans. */
export const queueConversations = (
  sinks: OpenCallDataSinks,
  database: Database,
  { calls, isDatabaseOnly }: ConversationStores,
): OpenCallDataSinks => ({
  calls: {
    async store(records) {
      await sinks.calls.store(records)
      const queued = await findConversationCalls(database, records, { isDatabaseOnly })
      await enqueueConversations(database, queued, Date.now() + settlingMs)
    },
    rate: (ratings) => sinks.calls.rate(ratings),
  },
  traces: {
    async storeParts(parts) {
      const trace_ids = [...new Set(parts.map(({ trace_id }) => trace_id))]
      const call_ids = [...new Set(parts.flatMap((part) => part.calls))]
      const linked = new Set(await findLinkedCallIds(database, call_ids))
      const rejected = await sinks.traces.storeParts(parts)
      // The database has all calls of a trace, also those whose conversation has not been computed yet.
      const traced = isDatabaseOnly && trace_ids.length > 0 ? await findTracedCalls(database, trace_ids) : []
      const computed = { trace_ids: isDatabaseOnly ? [] : trace_ids, call_ids }
      await enqueueTraces(database, computed, Date.now() + settlingMs)
      // A record that arrives after the link finds the call. Here, it may have arrived before the first link.
      const stored = await findStoredCalls(
        calls,
        call_ids.filter((id) => !linked.has(id)),
      )
      await enqueueConversations(database, [...traced, ...stored], Date.now() + settlingMs)
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
