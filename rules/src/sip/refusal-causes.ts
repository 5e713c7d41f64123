import { describeCause } from './causes.ts'
import { adviseAbout, type DestinationKind } from './destination-advice.ts'
import { formatProviderDetails, formatReasons, parseReasons } from './reasons.ts'
import type { Refusal, RefusedCall, Responder } from './refused-call.ts'

/** Explains refusals by what is more exact than their status: causes of Q.850, and how long a call rang. Pure. */

/** Statuses that say nothing more exact than an ordinary cause of Q.850 in the same response (RFC 3398 §8.2.6.1). */
const inexactStatuses = new Set([408, 480, 500, 502, 503])

/** Final statuses that say the same as a cause of Q.850, for the causes that are explained here (RFC 3398 §7.2.4.1). */
const statusesOfCauses: ReadonlyMap<number, readonly number[]> = new Map([
  [1, [404, 604]],
  [17, [486, 600]],
  [19, [480]],
  [22, [410]],
  [27, [502]],
  [28, [484]],
  [34, [503]],
  [38, [503]],
  [41, [503]],
  [42, [503]],
  [47, [503]],
])

/**
 * Returns the cause of Q.850 that all reasons of a response agree on: several networks can have added theirs (RFC 9366),
 * and a server the status that means the same. Undefined if there is none, and if one of them says something else.
 */
const findAgreedCause = ({ response }: RefusedCall): number | undefined => {
  const reasons = parseReasons(response)
  const cause = reasons.find(({ protocol }) => protocol === 'Q.850')?.cause
  if (cause === undefined) return undefined
  const statuses = statusesOfCauses.get(cause) ?? []
  const isAgreed = reasons.every((one) =>
    one.protocol === 'Q.850' ? one.cause === cause : one.protocol === 'SIP' && statuses.includes(one.cause ?? 0),
  )
  return isAgreed ? cause : undefined
}

/** Returns the cause of a response whose status says less than it. */
const findExactCause = (call: RefusedCall): number | undefined =>
  inexactStatuses.has(call.response.status ?? 0) ? findAgreedCause(call) : undefined

const compareRinging = 'If this happens often, compare how long calls ring before they are answered.'

/** Returns what an ordinary cause means: one of a call that reached the called party (RFC 6432). */
export const describeOrdinaryCause = (call: RefusedCall, kind: DestinationKind): Partial<Refusal> | undefined => {
  const reached = { side: 'called-party', isOrdinary: true } as const
  switch (findExactCause(call)) {
    case 17:
      return {
        ...reached,
        title: 'The response says that the called party was busy',
        explanation: 'the called party is busy',
        advice: adviseAbout(486, kind),
      }
    case 19:
      return {
        ...reached,
        title: 'The response says that the called party did not answer',
        explanation: 'the called party did not answer',
        advice: compareRinging,
      }
  }
  return undefined
}

/** Causes of Q.850 that are about the called number, with what they say about it, and the status with the same advice. */
const causesOfNumbers: ReadonlyMap<number | undefined, readonly [meaning: string, status: number]> = new Map([
  [1, ['the called number is not allocated', 404]],
  [5, ['the called number has a wrong prefix', 484]],
  [22, ['the called number has changed', 410]],
  [28, ['the called number is not complete, or has a wrong format', 484]],
])

/** Returns what a cause says about the called number. Then the host that sent the response is not at fault. */
export const describeNumberCause = (
  call: RefusedCall,
  { hop, kind }: Pick<Responder, 'hop' | 'kind'>,
): Partial<Refusal> | undefined => {
  const [meaning, status] = causesOfNumbers.get(findExactCause(call)) ?? []
  if (meaning === undefined || status === undefined) return undefined
  return {
    title: `The response says that ${meaning}`,
    explanation: meaning,
    // The platform passes the cause on.
    ...(hop === 'platform' ? { side: 'unknown' } : {}),
    advice: adviseAbout(status, kind),
    source: 'RFC 3398 §7.2.4.1',
    severity: 'bad',
  }
}

/** Seconds of ringing after which a call that was not answered has ended in the usual way. */
const longRinging = 15

/** Statuses that end a call which rang and was not answered, among other things (RFC 3261 §21.4.9, §21.4.18). */
const unansweredStatuses = new Set([408, 480])

/** Causes of Q.850 that do not contradict that: normal clearing, no user responding, and unspecified. */
const causesOfNoAnswer = new Set([16, 18, 31])

/** Returns what is known about a call that rang for long, if the response gives no reason of its own. */
export const describeLongRinging = ({
  response,
  ringSeconds,
  isCanceled,
}: RefusedCall): Partial<Refusal> | undefined => {
  if (ringSeconds === undefined || ringSeconds < longRinging || isCanceled) return undefined
  const isExplained =
    formatReasons([], response) + formatProviderDetails(response) !== '' ||
    !parseReasons(response).every(({ protocol, cause = 0 }) => protocol === 'Q.850' && causesOfNoAnswer.has(cause))
  if (!unansweredStatuses.has(response.status ?? 0) || isExplained) return undefined
  const ringing = `rang for ${Math.round(ringSeconds)} s, and was not answered`
  return {
    title: `The call ${ringing}`,
    explanation: `the call ${ringing}`,
    side: 'called-party',
    isOrdinary: true,
    advice: compareRinging,
  }
}

/** Causes of Q.850 that say that all channels or resources were in use. */
const causesOfCapacity = new Set([34, 42, 44, 47])

const reportOrReroute =
  'If this happens again, send the Call-ID and the time to the carrier, or add another carrier for this destination to the outbound routing.'

/**
 * Returns what a cause of Q.850 adds to a 503. The cause is more exact than the status, which is sent for overload,
 * maintenance, and missing routes.
 */
export const describeUnavailable = (
  call: RefusedCall,
  { hop, name, kind }: Responder,
): Partial<Refusal> | undefined => {
  const cause = findAgreedCause(call) ?? 0
  const meaning = describeCause(cause)
  if (call.response.status !== 503 || meaning === undefined) return undefined
  return {
    explanation: 'it was not available for the call',
    title: hop === 'carrier' || hop === 'client' ? `${name} was not available for the call: ${meaning}` : undefined,
    advice: kind === 'carrier' && !causesOfCapacity.has(cause) ? reportOrReroute : undefined,
  }
}

const busyStatuses = new Set([486, 600])

/**
 * Causes of Q.850 that contradict a busy called party: the number does not exist, or the network has no route, no circuit,
 * or a failure (ITU-T Q.850 §2.2).
 */
const causesOfNetworks = new Set([1, 2, 3, 5, 25, 27, 28, 34, 38, 41, 42, 43, 44, 47])

export const contradictedBusy: Partial<Refusal> = {
  explanation: 'the called party is busy, which the reason in the response contradicts',
  title: 'The response says busy, which its reason contradicts',
  side: 'unknown',
  advice:
    'Ask the operator of the host that sent the response which of both is right, with the Call-ID and the time, and whether all channels were in use.',
  isOrdinary: false,
  source: 'RFC 3398 §7.2.4.1',
}

/** Returns whether a response says that the called party is busy, and gives only reasons of a network for that. */
export const isBusyContradicted = ({ response }: RefusedCall): boolean => {
  const reasons = parseReasons(response)
  return (
    busyStatuses.has(response.status ?? 0) &&
    reasons.length > 0 &&
    reasons.every(({ protocol, cause = 0 }) => protocol === 'Q.850' && causesOfNetworks.has(cause))
  )
}
