import type { CallFacts } from './call-records.ts'

/** Forwarded calls: an inbound call, and the outbound leg that the application dials. */

/** Milliseconds from the answer of a call to the outbound leg, and the maximum ringing time of that leg. */
const forwardDelayMs = 4000
const maxRingingMs = 6000

/** Minimum duration of a forwarded call in seconds, and the ratio: one in three eligible calls is forwarded. */
const minSeconds = 30
const forwardInterval = 3

const getEndTime = ({ at, ringing, seconds }: CallFacts): number => at + ringing + seconds * 1000

/** Returns the duration of the outbound leg. The party that hangs up ends its own leg first. */
const getLegSeconds = (first: CallFacts, answered_at: number): number => {
  const seconds = (getEndTime(first) - answered_at) / 1000
  return first.reason === 'caller hungup' ? Math.ceil(seconds) : Math.floor(seconds)
}

const linkLegs = (first: CallFacts, outboundLeg: CallFacts): void => {
  outboundLeg.at = first.at + first.ringing + forwardDelayMs
  outboundLeg.ringing = Math.min(outboundLeg.ringing, maxRingingMs)
  if (outboundLeg.answered) {
    outboundLeg.seconds = getLegSeconds(first, outboundLeg.at + outboundLeg.ringing)
    outboundLeg.reason = first.reason
  }
  const { host, trace_id, from, sip_callid } = first
  Object.assign(outboundLeg, { host, trace_id, from, sip_parent_callid: sip_callid })
  first.dialled = outboundLeg
}

const canForward = ({ direction, answered, seconds }: CallFacts): boolean =>
  direction === 'inbound' && answered && seconds >= minSeconds

/**
 * Turns outbound calls into legs of inbound calls: for each, the account's next outbound call that is not a leg. The
 * time of that call is moved forward.
 */
export const joinLegs = (calls: readonly CallFacts[]): void => {
  const availableLegs = new Set(calls.filter(({ direction }) => direction === 'outbound'))
  for (const [position, first] of calls.filter(canForward).entries()) {
    if (position % forwardInterval !== 0) continue
    const dialled_at = first.at + first.ringing + forwardDelayMs
    const outboundLeg = [...availableLegs].find(
      ({ at, account_sid }) => at >= dialled_at && account_sid === first.account_sid,
    )
    if (outboundLeg === undefined) continue
    availableLegs.delete(outboundLeg)
    linkLegs(first, outboundLeg)
  }
}
