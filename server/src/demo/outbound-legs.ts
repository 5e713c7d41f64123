import type { CallFacts } from './call-records.ts'

/** Calls that an application dialled on: an inbound call, and an outbound one that was made of it. */

/** Milliseconds from the answer of a call to its dialling on, and the longest that is waited for an answer then. */
const heard = 4000
const maxRingingMs = 6000

/** So many seconds a call has at least that is dialled on; of those that could be, one in so many is. */
const minSeconds = 30
const oneIn = 3

const endOf = ({ at, ringing, seconds }: CallFacts): number => at + ringing + seconds * 1000

/** Who hangs up ends both legs, the own one first. */
const secondsOf = (first: CallFacts, answered_at: number): number => {
  const seconds = (endOf(first) - answered_at) / 1000
  return first.reason === 'caller hungup' ? Math.ceil(seconds) : Math.floor(seconds)
}

const join = (first: CallFacts, other: CallFacts): void => {
  other.at = first.at + first.ringing + heard
  other.ringing = Math.min(other.ringing, maxRingingMs)
  if (other.answered) {
    other.seconds = secondsOf(first, other.at + other.ringing)
    other.reason = first.reason
  }
  const { host, trace_id, from, sip_callid } = first
  Object.assign(other, { host, trace_id, from, sip_parent_callid: sip_callid })
  first.dialled = other
}

const mayDial = ({ direction, answered, seconds }: CallFacts): boolean =>
  direction === 'inbound' && answered && seconds >= minSeconds

/** Makes legs of outbound calls: of the next of the same account that was not made before. They come to be earlier. */
export const joinLegs = (calls: readonly CallFacts[]): void => {
  const free = new Set(calls.filter(({ direction }) => direction === 'outbound'))
  for (const [position, first] of calls.filter(mayDial).entries()) {
    if (position % oneIn !== 0) continue
    const dialled_at = first.at + first.ringing + heard
    const other = [...free].find(({ at, account_sid }) => at >= dialled_at && account_sid === first.account_sid)
    if (other === undefined) continue
    free.delete(other)
    join(first, other)
  }
}
