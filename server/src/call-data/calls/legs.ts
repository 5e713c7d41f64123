import { type Call, maxLegs } from '@patchbay/contract/recent-calls'
import { isCallId } from '@patchbay/rules/sip/message-head'
import { isTraceId } from '@patchbay/rules/traces/traces'
import type { CallId, Calls } from './calls.ts'
import type { CallOwner } from './search-options.ts'

/**
 * Returns the ids by which related call records can be found (docs/reference/platform-api/call-records.md#call-record).
 */
const getRelatedIds = ({ sip_callid, sip_parent_callid, trace_id }: Call): CallId[] => [
  ...(isTraceId(trace_id) ? [{ trace_id }] : []),
  ...(sip_parent_callid ? [{ sip_callid: sip_parent_callid }, { sip_parent_callid }] : []),
  ...(sip_callid ? [{ sip_parent_callid: sip_callid }] : []),
]

const getKey = ({ sip_callid, call_sid, attempted_at }: Call): string =>
  JSON.stringify([sip_callid, call_sid, attempted_at])

/**
 * Returns the legs of the owner's call with this Call-ID, and of calls created from it, oldest first. Legs of other
 * owners are never included, regardless of the parent or trace that a record names.
 */
export const findLegs = async (calls: Calls, owner: CallOwner, sip_callid: string): Promise<Call[]> => {
  if (!isCallId(sip_callid)) return []
  const directMatches = await calls.findEach(owner, [{ sip_callid }, { sip_parent_callid: sip_callid }])
  const own = directMatches.flat()
  const relatedIds = new Map(own.flatMap(getRelatedIds).map((id) => [JSON.stringify(id), id]))
  for (const id of [{ sip_callid }, { sip_parent_callid: sip_callid }]) relatedIds.delete(JSON.stringify(id))
  const related = await calls.findEach(owner, [...relatedIds.values()].slice(0, maxRelatedIds))
  const legs = new Map([...own, ...related.flat()].map((call) => [getKey(call), call]))
  return [...legs.values()]
    .toSorted((a, b) => Date.parse(a.attempted_at) - Date.parse(b.attempted_at))
    .slice(0, maxLegs)
}

/**
 * Maximum number of related ids to search for. A call has one trace and one parent, so this bounds the work for
 * inconsistent records.
 */
const maxRelatedIds = 6
