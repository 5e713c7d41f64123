import type { Actor } from '@patchbay/contract/access'
import type { callTraceEndpoints, Trace } from '@patchbay/contract/call-traces'
import type { conversationEndpoints } from '@patchbay/contract/conversations'
import { buildConversation } from '@patchbay/contract/conversations/build-conversation'
import { ApiError } from '@patchbay/contract/errors'
import { isTraceId, parseSpans } from '@patchbay/contract/shared/traces'
import { ok } from '../../http/responses.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { type CallOwner, allTime } from '../../call-data/calls/search-options.ts'
import { filterOwnSpans } from '../../call-data/traces/trace-access.ts'
import type { Services } from '../services.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'

export const callTraceRoutes = ({
  calls,
  traces,
  owners,
  callDetails,
}: Services): Handlers<keyof typeof callTraceEndpoints | keyof typeof conversationEndpoints> => {
  /** Returns the spans of a trace that belong to an owner (see trace-access.ts). */
  const readTrace = async (owner: CallOwner, trace_id: string): Promise<Trace | undefined> => {
    const [ownCalls, trace] = await Promise.all([calls.find(owner, { trace_id }), traces.read(trace_id)])
    return (
      trace &&
      filterOwnSpans(trace, {
        async isOwn(account_sid) {
          if ('account_sid' in owner) return owner.account_sid === account_sid
          // Call records remain after their account is deleted.
          if (ownCalls.some((call) => call.account_sid === account_sid)) return true
          const account = await owners.account(account_sid)
          return account?.service_provider_sid === owner.service_provider_sid
        },
        hasCall: ownCalls.length > 0,
        async isShared() {
          return (await calls.findForeign(owner, { trace_id }, allTime)).length > 0
        },
      })
    )
  }
  /** Reads a trace, and makes the response from it while the tenant has a slot for call details. */
  const read = async <T>(
    { actor, signal }: { actor: Actor; signal: AbortSignal },
    owner: CallOwner,
    trace_id: string,
    toBody: (trace: Trace) => T | undefined,
  ) => {
    if (!isTraceId(trace_id)) throw new ApiError('not_found')
    const work = async () => {
      const trace = await readTrace(owner, trace_id.toLowerCase())
      return trace && toBody(trace)
    }
    const body = await callDetails.run(fairnessKey(actor), (runStep) => runStep(work), signal)
    if (body === undefined) throw new ApiError('not_found')
    return ok(body)
  }
  const toTrace = (trace: Trace) => trace
  const toConversation = (trace: Trace) => buildConversation(parseSpans(trace), trace.is_cut === true)
  return {
    'GET /Accounts/:account_sid/RecentCalls/trace/:trace_id': ({ params: { account_sid, trace_id }, ...caller }) =>
      read(caller, { account_sid }, trace_id, toTrace),

    'GET /ServiceProviders/:service_provider_sid/RecentCalls/trace/:trace_id': ({
      params: { service_provider_sid, trace_id },
      ...caller
    }) => read(caller, { service_provider_sid }, trace_id, toTrace),

    'GET /patchbay/accounts/:account_sid/conversations/:trace_id': ({ params: { account_sid, trace_id }, ...caller }) =>
      read(caller, { account_sid }, trace_id, toConversation),

    'GET /patchbay/service-providers/:service_provider_sid/conversations/:trace_id': ({
      params: { service_provider_sid, trace_id },
      ...caller
    }) => read(caller, { service_provider_sid }, trace_id, toConversation),
  }
}
