import type { Call } from '@patchbay/contract/recent-calls'
import { isTraceId } from '@patchbay/contract/shared/traces'

/** Which records are one call with another (api/4-calls-and-hosted.md §1.2). Pure. */

const isOneWith = (own: Call, other: Call): boolean => {
  if (isTraceId(own.trace_id) && own.trace_id === other.trace_id) return true
  const parents = [own.sip_callid, own.sip_parent_callid].filter(Boolean)
  return parents.includes(other.sip_parent_callid) || (own.sip_parent_callid ?? '') === other.sip_callid
}

/** Those of these that have a Call-ID of their own, and this one itself; oldest first. */
export const collectLegs = (own: Call, found: readonly Call[]): readonly Call[] => {
  const byCallId = new Map([own, ...found.filter((other) => isOneWith(own, other))].map((leg) => [leg.sip_callid, leg]))
  return [...byCallId.values()]
    .filter(({ sip_callid }) => sip_callid)
    .toSorted((a, b) => Date.parse(a.attempted_at) - Date.parse(b.attempted_at))
}
