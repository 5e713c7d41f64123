import type { conversationEndpoints } from '@patchbay/contract/conversations'
import { buildConversation } from '@patchbay/contract/conversations/build-conversation'
import { throwApiError } from '@patchbay/contract/errors'
import { isTraceId, parseSpans } from '@patchbay/contract/shared/traces'
import { readOwnTrace } from '../../call-data/traces/read-own-trace.ts'
import { ok } from '../../http/responses.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'

export const conversationRoutes = (services: Services): Handlers<keyof typeof conversationEndpoints> => {
  const readSpans = async (account_sid: string, trace_id: string | undefined) => {
    const trace = trace_id && (await readOwnTrace(services, { account_sid }, trace_id))
    return trace ? { spans: parseSpans(trace), isTraceCut: trace.is_cut === true } : { spans: [], isTraceCut: false }
  }

  /** Returns undefined if the call has no data to derive a conversation from. */
  const readConversation = async (account_sid: string, call_sid: string) => {
    const legs = await services.calls.find({ account_sid }, { call_sid })
    if (legs.length === 0) return throwApiError('call_not_found')
    const trace_id = legs.map((leg) => leg.trace_id).find(isTraceId)
    const recording_url = legs.map((leg) => leg.recording_url).find((url) => typeof url === 'string' && url !== '')
    const callStartedAt = Math.min(...legs.map(({ attempted_at }) => Date.parse(attempted_at)))
    const [spans, recording] = await Promise.all([
      readSpans(account_sid, trace_id?.toLowerCase()),
      recording_url ? services.voiceActivities.find({ account_sid, call_sid, recording_url }) : undefined,
    ])
    return buildConversation({ ...spans, callStartedAt, recording })
  }

  return {
    'GET /patchbay/accounts/:account_sid/calls/:call_sid/conversation': async ({
      params: { account_sid, call_sid },
      actor,
      signal,
    }) => {
      const read = () => readConversation(account_sid, call_sid)
      const conversation = await services.callDetails.run(fairnessKey(actor), (runStep) => runStep(read), signal)
      return conversation === undefined ? throwApiError('not_found') : ok(conversation)
    },
  }
}
