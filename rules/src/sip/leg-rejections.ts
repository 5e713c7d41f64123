import type { ParsedArrow } from './ladder.ts'
import { canCause, follows, isNear, isPassedOn, isProvenLater, type Leg, type LegRequest } from './leg-order.ts'
import { findOrigin, getStatus, isChallenged, requestsNamed } from './transactions.ts'

/** Finds out which rejected leg made the platform reject the first leg of a call. Pure. */

export interface Rejection {
  leg: Leg
  /** The final error response. */
  final: ParsedArrow
  /** The lane of the host that sent it. */
  by: number
}

/** Returns the final error response of a leg, unless it asks for credentials or results from a CANCEL. */
export const findRejection = (leg: Leg): Rejection | undefined => {
  const { call, last } = leg
  const { final } = last
  if (final === undefined || getStatus(final) < 300 || isChallenged(last)) return undefined
  if (getStatus(final) === 487 && requestsNamed(call, 'CANCEL').length > 0) return undefined
  return { leg, final, by: findOrigin(call, last, final).request.to }
}

const toRequest = (leg: Leg): LegRequest => ({ leg, request: leg.firstInvite })

/**
 * Returns the leg that was tried next after a rejected one, and before the first leg was rejected. A leg on the way to the
 * rejected one began before it, so that only clocks can tell it the other way around.
 */
export const findNextLeg = (
  { leg, final }: Rejection,
  { final: end }: Rejection,
  others: readonly Leg[],
): Leg | undefined =>
  others
    .filter((other) => {
      const { firstInvite } = other
      const isBetween = firstInvite.at >= final.at && firstInvite.at <= end.at
      const isOnTheWay = canCause(toRequest(other), toRequest(leg)) && !isProvenLater(firstInvite, final)
      return other !== leg && isBetween && !isOnTheWay
    })
    .toSorted((one, other) => one.firstInvite.at - other.firstInvite.at)[0]

/**
 * Returns whether a rejection passed through another leg: the host that received its INVITE sent that of the inner leg. The
 * time stamps decide if each of two hosts sent one to the other.
 */
const isInside = (inner: Rejection, outer: Rejection): boolean => {
  const [one, other] = [toRequest(outer.leg), toRequest(inner.leg)]
  return canCause(one, other)
    ? follows(other.request, one.request) && follows(outer.final, inner.final)
    : isPassedOn(one, other) && other.request.at > one.request.at && outer.final.at > inner.final.at
}

/** Adds the rejections that passed through those that are given, over any number of legs. */
const addInner = (outer: readonly Rejection[], all: readonly Rejection[]): readonly Rejection[] => {
  const inner = all.filter((one) => !outer.includes(one) && outer.some((other) => isInside(one, other)))
  return inner.length === 0 ? outer : addInner([...outer, ...inner], all)
}

/** A rejection that resulted in that of the first leg. */
export interface RejectionCause extends Rejection {
  /** True if it says why: no other rejection resulted in it, and all such rejections have the same status. */
  isReason: boolean
}

/**
 * Returns the rejections that resulted in that of the first leg: shortly before it, and not followed by another attempt. If
 * legs that were tried at the same time disagree, the platform passed on those with the status of the first leg (RFC 3261
 * §16.7, step 6).
 */
export const findRejectionCauses = (first: Rejection, others: readonly Leg[]): RejectionCause[] => {
  const last = others.flatMap((leg) => {
    const rejection = findRejection(leg)
    if (rejection === undefined || findNextLeg(rejection, first, others) !== undefined) return []
    // After a while, the platform can have rejected the call for another reason.
    return follows(first.final, rejection.final) && isNear(first.final, rejection.final) ? [rejection] : []
  })
  const passedOn = last.filter(({ final }) => getStatus(final) === getStatus(first.final))
  const causes = passedOn.length === 0 ? last : addInner(passedOn, last)
  const origins = causes.filter((one) => !causes.some((other) => other !== one && isInside(other, one)))
  const isAgreed = new Set(origins.map(({ final }) => getStatus(final))).size === 1
  return causes.map((one) => ({ ...one, isReason: isAgreed && origins.includes(one) }))
}
