import type { Trace } from '@patchbay/contract/call-traces'
import type { Call } from '@patchbay/contract/recent-calls'
import type { Owners } from '../../auth/owner-lookup.ts'
import type { Calls } from '../calls/calls.ts'
import { allTime, type CallOwner } from '../calls/search-options.ts'
import type { Masking } from '../masking/masking.ts'
import { filterOwnSpans } from './trace-access.ts'
import type { Traces } from './traces.ts'

interface TraceSources {
  calls: Calls
  traces: Traces
  owners: Owners
  masking: Masking
}

/** Masks the texts of a trace by the rules of its owner. */
export const maskTrace = async (masking: Masking, owner: CallOwner, trace: Trace): Promise<Trace> => ({
  ...trace,
  resourceSpans: await masking.maskSpans(await masking.findRules(owner), trace.resourceSpans),
})

/**
 * Returns the spans of a trace that belong to an owner (see trace-access.ts) with masked texts, or undefined if there are
 * none.
 * @param knownCalls the owner's calls with the ID of the trace, if they have been read
 */
export const readOwnTrace = async (
  { calls, traces, owners, masking }: TraceSources,
  owner: CallOwner,
  trace_id: string,
  knownCalls?: readonly Call[],
): Promise<Trace | undefined> => {
  const [ownCalls, trace] = await Promise.all([knownCalls ?? calls.find(owner, { trace_id }), traces.read(trace_id)])
  if (trace === undefined) return undefined
  const own = await filterOwnSpans(trace, {
    async isOwn(account_sid) {
      if ('account_sid' in owner) return owner.account_sid === account_sid
      // Call records remain after their account is deleted.
      if (ownCalls.some((call) => call.account_sid === account_sid)) return true
      const account = await owners.account(account_sid)
      return account?.service_provider_sid === owner.service_provider_sid
    },
    hasCall: ownCalls.length > 0,
    async isShared() {
      return (await calls.findForeign(owner, [{ trace_id }], allTime)).flat().length > 0
    },
  })
  return own && maskTrace(masking, owner, own)
}
