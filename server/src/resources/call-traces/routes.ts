import type { Actor } from '@patchbay/contract/access'
import type { callTraceEndpoints, Trace } from '@patchbay/contract/call-traces'
import { ApiError } from '@patchbay/contract/errors'
import { isTraceId } from '@patchbay/contract/shared/traces'
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
}: Services): Handlers<keyof typeof callTraceEndpoints> => {
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
  const read = async ({ actor, signal }: { actor: Actor; signal: AbortSignal }, owner: CallOwner, trace_id: string) => {
    if (!isTraceId(trace_id)) throw new ApiError('not_found')
    const work = () => readTrace(owner, trace_id.toLowerCase())
    const trace = await callDetails.run(fairnessKey(actor), (runStep) => runStep(work), signal)
    if (trace === undefined) throw new ApiError('not_found')
    return ok(trace)
  }
  return {
    'GET /Accounts/:account_sid/RecentCalls/trace/:trace_id': ({ params: { account_sid, trace_id }, ...caller }) =>
      read(caller, { account_sid }, trace_id),

    'GET /ServiceProviders/:service_provider_sid/RecentCalls/trace/:trace_id': ({
      params: { service_provider_sid, trace_id },
      ...caller
    }) => read(caller, { service_provider_sid }, trace_id),
  }
}
