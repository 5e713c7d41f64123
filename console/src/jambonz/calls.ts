import { ApiError } from '../api/api-error.ts'
import { type Answer, api } from '../api/client.ts'
import { deriveConversation } from '../screens/recent-calls/conversation/conversation-query.ts'

/** Data of an open call, which the screens pass to each request (`CallOptions.call`). */

/** jambonz can only select calls by time, so the legs are searched among this many calls in the period of the call. */
const maxOverlappingCalls = 500

/** Returns the calls in the period of the call. The screens select its legs among them. */
export const callLegs: Answer<'GET /patchbay/accounts/:account_sid/call-legs'> = async (
  { params: { account_sid } },
  { call, ...options },
) => {
  if (call === undefined) return []
  const { attempted_at, terminated_at } = call
  const query = {
    page: '1',
    count: String(maxOverlappingCalls),
    start: new Date(Date.parse(attempted_at) - 60_000).toISOString(),
    ...(terminated_at ? { end: terminated_at } : {}),
  }
  const { data } = await api('GET /Accounts/:account_sid/RecentCalls', { params: { account_sid }, query }, options)
  return data
}

/** Derives the conversation from the trace of the call. */
export const conversation: Answer<'GET /patchbay/accounts/:account_sid/calls/:call_sid/conversation'> = async (
  { params: { account_sid } },
  { call },
) => {
  const derived = call?.trace_id ? await deriveConversation(account_sid, call.trace_id) : null
  if (derived === null) throw new ApiError('rejected', 404, 'There is no conversation of this call')
  return derived
}
