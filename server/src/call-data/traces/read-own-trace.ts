import type { Trace } from '@patchbay/contract/call-traces'
import type { Owners } from '../../auth/owner-lookup.ts'
import type { Calls } from '../calls/calls.ts'
import { allTime, type CallOwner } from '../calls/search-options.ts'
import { filterOwnSpans } from './trace-access.ts'
import type { Traces } from './traces.ts'

interface TraceSources {
  calls: Calls
  traces: Traces
  owners: Owners
}

/** Returns the spans of a trace that belong to an owner (see trace-access.ts), or undefined if there are none. */
export const readOwnTrace = async (
  { calls, traces, owners }: TraceSources,
  owner: CallOwner,
  trace_id: string,
): Promise<Trace | undefined> => {
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
