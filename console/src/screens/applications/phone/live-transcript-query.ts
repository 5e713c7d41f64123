import type { Turn } from '@patchbay/contract/conversations'
import type { LiveCall } from '@patchbay/contract/live-calls'
import { parseSpans } from '@patchbay/rules/traces/traces'
import { queryOptions } from '@tanstack/react-query'
import { isNotFound } from '../../../api/api-error.ts'
import { api, type CallOptions } from '../../../api/client.ts'
import { queryCallOptions } from '../../../api/shared-queries.ts'

/** Derives the transcript of a call in progress from its trace, as far as the platform has sent it. */

export interface CallInProgress {
  account_sid: string
  /** The Call-ID of the INVITE that the browser has sent. */
  callId: string
  /** The SID that the platform names in its answer, if the SBC lets this header pass. */
  callSid: string | undefined
}

/** The platform sends finished spans every few seconds. */
const pollMs = 2000

/** Each failed read doubles the pause: the platform may not be connected at all. */
const maxPauseMs = 60_000

const undefinedIfMissing = (error: unknown): undefined => {
  if (!isNotFound(error)) throw error
}

/** The SBC can replace the Call-ID. The feature server then keeps the one that the SBC has received. */
const hasCallId = (call: LiveCall, callId: string): boolean => call.call_id === callId || call['sbc_callid'] === callId

const findLiveCall = async (
  { account_sid, callId, callSid }: CallInProgress,
  options: CallOptions,
): Promise<LiveCall | undefined> => {
  if (callSid === undefined) {
    const calls = await api('GET /Accounts/:account_sid/Calls', { params: { account_sid }, query: {} }, options)
    return calls.find((call) => hasCallId(call, callId))
  }
  const params = { account_sid, call_sid: callSid }
  return api('GET /Accounts/:account_sid/Calls/:call_sid', { params }, options).catch(undefinedIfMissing)
}

const readTurns = async (call: CallInProgress, options: CallOptions): Promise<readonly Turn[]> => {
  const { account_sid } = call
  const trace_id = (await findLiveCall(call, options))?.trace_id
  if (trace_id === undefined) return []
  const [trace, { buildConversation }] = await Promise.all([
    api('GET /Accounts/:account_sid/RecentCalls/trace/:trace_id', { params: { account_sid, trace_id } }, options).catch(
      undefinedIfMissing,
    ),
    import('@patchbay/rules/conversations/build-conversation'),
  ])
  const conversation = buildConversation({ spans: parseSpans(trace), isTraceCut: trace?.is_cut === true })
  return conversation?.turns.filter(({ text }) => text !== '') ?? []
}

/** The turns with a text so far. */
export const liveTranscriptQuery = (call: CallInProgress) =>
  queryOptions({
    queryKey: ['live-transcript', call],
    queryFn: (context) => readTurns(call, { ...queryCallOptions(context), background: true }),
    refetchInterval: ({ state }) => Math.min(maxPauseMs, pollMs * 2 ** state.errorUpdateCount),
    gcTime: 0,
  })
