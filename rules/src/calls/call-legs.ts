import type { Call } from '@patchbay/contract/recent-calls'
import { isTraceId } from '../traces/traces.ts'

/** Finds the records that belong to the same call (docs/reference/platform-api/call-records.md#call-record). */

const isSameCall = (own: Call, other: Call): boolean => {
  if (isTraceId(own.trace_id) && own.trace_id === other.trace_id) return true
  const parents = [own.sip_callid, own.sip_parent_callid].filter(Boolean)
  return parents.includes(other.sip_parent_callid) || (own.sip_parent_callid ?? '') === other.sip_callid
}

/** Returns the records of the same call that have a Call-ID, one per Call-ID, oldest first. */
export const collectLegs = (own: Call, candidates: readonly Call[]): readonly Call[] => {
  const byCallId = new Map(
    [own, ...candidates.filter((other) => isSameCall(own, other))].map((leg) => [leg.sip_callid, leg]),
  )
  return [...byCallId.values()]
    .filter(({ sip_callid }) => sip_callid)
    .toSorted((a, b) => Date.parse(a.attempted_at) - Date.parse(b.attempted_at))
}
