import { type Call, maxLegs } from '@patchbay/contract/recent-calls'
import { isCallId } from '@patchbay/contract/sip/message-head'
import { isTraceId } from '@patchbay/contract/shared/traces'
import type { CallId, Calls } from '../../call-data/calls/calls.ts'
import type { CallOwner } from '../../call-data/calls/search-options.ts'

/** What of a call record tells with which others it is one call (api/4-calls-and-hosted.md §1.2). */
const relativesOf = ({ sip_callid, sip_parent_callid, trace_id }: Call): CallId[] => [
  ...(isTraceId(trace_id) ? [{ trace_id }] : []),
  ...(sip_parent_callid ? [{ sip_callid: sip_parent_callid }, { sip_parent_callid }] : []),
  ...(sip_callid ? [{ sip_parent_callid: sip_callid }] : []),
]

const keyOf = ({ sip_callid, call_sid, attempted_at }: Call): string =>
  JSON.stringify([sip_callid, call_sid, attempted_at])

/**
 * The legs of the owner's call that has this Call-ID, or was made of it, oldest first. Those of others are none, whatever
 * a record says of its parent or its trace.
 */
export const findLegs = async (calls: Calls, owner: CallOwner, sip_callid: string): Promise<Call[]> => {
  if (!isCallId(sip_callid)) return []
  const known = await Promise.all([
    calls.find(owner, { sip_callid }),
    calls.find(owner, { sip_parent_callid: sip_callid }),
  ])
  const own = known.flat()
  const asked = new Map(own.flatMap(relativesOf).map((id) => [JSON.stringify(id), id]))
  for (const id of [{ sip_callid }, { sip_parent_callid: sip_callid }]) asked.delete(JSON.stringify(id))
  const related = await Promise.all([...asked.values()].slice(0, maxLegQueries).map((id) => calls.find(owner, id)))
  const legs = new Map([...own, ...related.flat()].map((call) => [keyOf(call), call]))
  return [...legs.values()]
    .toSorted((a, b) => Date.parse(a.attempted_at) - Date.parse(b.attempted_at))
    .slice(0, maxLegs)
}

/** A call has one trace and one parent; records that lie cost no more than some. */
const maxLegQueries = 6
