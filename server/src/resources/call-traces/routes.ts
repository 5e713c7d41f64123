import type { callTraceEndpoints } from '@patchbay/contract/call-traces'
import { Refused } from '@patchbay/contract/errors'
import { accountOfTrace, isTraceId, spansOf } from '@patchbay/contract/rules/traces'
import { ok } from '../../http/answers.ts'
import type { Handlers } from '../../http/mount.ts'
import type { CallOwner } from '../../platform/calls/page-search.ts'
import type { Services } from '../../services.ts'

export const callTraceRoutes = ({ calls, traces, owners }: Services): Handlers<keyof typeof callTraceEndpoints> => {
  /** Of a call that has no record, because it is not over or its account keeps none, the trace itself names the account. */
  const isNamedBy = async (owner: CallOwner, account_sid: string | undefined): Promise<boolean> => {
    if (account_sid === undefined) return false
    if ('account_sid' in owner) return owner.account_sid === account_sid
    const found = await owners.account(account_sid)
    return found?.service_provider_sid === owner.service_provider_sid
  }
  const read = async (owner: CallOwner, trace_id: string) => {
    if (!isTraceId(trace_id)) throw new Refused('not_found')
    const id = trace_id.toLowerCase()
    const [[call], trace] = await Promise.all([calls.find(owner, { trace_id: id }), traces.read(id)])
    if (trace === undefined) throw new Refused('not_found')
    const isTheirs = call !== undefined || (await isNamedBy(owner, accountOfTrace(spansOf(trace))))
    if (!isTheirs) throw new Refused('not_found')
    return ok(trace)
  }
  return {
    'GET /Accounts/:account_sid/RecentCalls/trace/:trace_id': ({ params: { account_sid, trace_id } }) =>
      read({ account_sid }, trace_id),

    'GET /ServiceProviders/:service_provider_sid/RecentCalls/trace/:trace_id': ({
      params: { service_provider_sid, trace_id },
    }) => read({ service_provider_sid }, trace_id),
  }
}
