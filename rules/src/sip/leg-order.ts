import { type ParsedArrow, secondsText } from './ladder.ts'
import type { SipCall, SipTransaction } from './transactions.ts'

/** Order and cause of messages of several legs, whose time stamps can come from several clocks. Pure. */

export interface Leg {
  call: SipCall
  /** Index in the legs of the ladder. */
  index: number
  /** Formatted as `leg B`. */
  name: string
  firstInvite: ParsedArrow
  last: SipTransaction
}

export interface LegRequest {
  leg: Leg
  request: ParsedArrow
}

/** Microseconds by which the clocks of two capture agents can differ. */
const clockTolerance = 2_000_000

/** Microseconds within which a host passes on the end of one leg to another one. */
const maxReaction = 5_000_000

/** Returns by how many microseconds the time stamps of two messages can differ from their order. */
const getTolerance = (one: ParsedArrow, other: ParsedArrow): number =>
  one.agent !== undefined && one.agent === other.agent ? 0 : clockTolerance

/** Returns whether a message can follow another one of another leg. Each leg can have a clock of its own. */
export const follows = (later: ParsedArrow, earlier: ParsedArrow): boolean =>
  later.at >= earlier.at - getTolerance(later, earlier)

/** Returns whether a message follows another one, whatever the clocks are. */
export const isProvenLater = (later: ParsedArrow, earlier: ParsedArrow): boolean => !follows(earlier, later)

/** Returns whether two messages are close enough in time for one to be the reason for the other one. */
export const isNear = (one: ParsedArrow, other: ParsedArrow): boolean => Math.abs(one.at - other.at) <= maxReaction

/** Formats the time between messages of two legs. */
export const formatLater = (earlier: ParsedArrow, later: ParsedArrow): string =>
  later.at >= earlier.at ? `${secondsText(later.at - earlier.at)} later` : 'at the same time'

const getAddress = ({ call }: Leg, lane: number): string | undefined => call.ladder.lanes[lane]?.address

/** Returns whether the same host sent two requests. */
export const haveSameSender = (one: LegRequest, other: LegRequest): boolean =>
  getAddress(one.leg, one.request.from) === getAddress(other.leg, other.request.from)

/** Returns whether the host that received a request sent the other one. */
export const isPassedOn = (one: LegRequest, other: LegRequest): boolean =>
  getAddress(one.leg, one.request.to) === getAddress(other.leg, other.request.from)

/** Returns whether a host between the legs can have passed on a request as the other one, and not the other way around. */
export const canCause = (one: LegRequest, other: LegRequest): boolean =>
  isPassedOn(one, other) && !isPassedOn(other, one)

/** Returns whether a host takes part in both requests. A host with an address for each leg shows no connection. */
const shareHost = (one: LegRequest, other: LegRequest): boolean => {
  const getHosts = ({ leg, request }: LegRequest) => [getAddress(leg, request.from), getAddress(leg, request.to)]
  return getHosts(one).some((address) => getHosts(other).includes(address))
}

/**
 * Returns whether a request that ended a leg is the reason for the one that ended another leg. If the hosts do not show
 * it, because the same carrier is on both sides or because no host is in both legs, the time stamps have to prove it.
 */
export const causes = (one: LegRequest, other: LegRequest): boolean => {
  if (!isNear(one.request, other.request)) return false
  if (canCause(one, other)) return follows(other.request, one.request)
  return (isPassedOn(one, other) || !shareHost(one, other)) && isProvenLater(other.request, one.request)
}

/**
 * Orders the same request of several legs: a host between the legs received it before it sent the next one. Time stamps
 * decide if the hosts do not, or if they differ by more than clocks do.
 */
export const compareRequests = (one: LegRequest, other: LegRequest): number => {
  if (follows(one.request, other.request) && follows(other.request, one.request)) {
    if (canCause(one, other)) return -1
    if (canCause(other, one)) return 1
  }
  return one.request.at - other.request.at
}
