import type { Actor } from '@patchbay/contract/api/access'
import { ApiError } from '@patchbay/contract/api/errors'
import type { callTraceEndpoints } from '@patchbay/contract/call-traces'
import { isTraceId } from '@patchbay/rules/traces/traces'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import { readOwnTrace } from '../../call-data/traces/read-own-trace.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'

export const callTraceRoutes = (services: Services): Handlers<keyof typeof callTraceEndpoints> => {
  const read = async ({ actor, signal }: { actor: Actor; signal: AbortSignal }, owner: CallOwner, trace_id: string) => {
    if (!isTraceId(trace_id)) throw new ApiError('not_found')
    const work = () => readOwnTrace(services, owner, trace_id.toLowerCase())
    const trace = await services.callDetails.run(fairnessKey(actor), (runStep) => runStep(work), signal)
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
