import { describeCause } from './causes.ts'
import { adviseAbout, type DestinationKind } from './destination-advice.ts'
import { formatProviderDetails, formatReasons, parseReasons } from './reasons.ts'
import type { Refusal, RefusedCall, Responder } from './refused-call.ts'

/** Explains refusals by what is more exact than their status: causes of Q.850, and how long a call rang. Pure. */

/** Statuses that say nothing more exact than an ordinary cause of Q.850 in the same response (RFC 3398 §8.2.6.1). */
const inexactStatuses = new Set([408, 480, 500, 502, 503])

/** Causes of Q.850 of a call that reached the called party (RFC 6432). */
const ordinaryCauses: ReadonlyMap<number | undefined, Partial<Refusal>> = new Map([
  [17, { title: 'The response says that the called party was busy', explanation: 'the called party is busy' }],
  [
    19,
    { title: 'The response says that the called party did not answer', explanation: 'the called party did not answer' },
  ],
])

/** Returns what an ordinary cause means. A reason of SIP, or several causes, contradict it. */
export const describeOrdinaryCause = (
  { response }: RefusedCall,
  kind: DestinationKind,
): Partial<Refusal> | undefined => {
  const [reason, ...more] = parseReasons(response)
  if (reason?.protocol !== 'Q.850' || more.length > 0 || !inexactStatuses.has(response.status ?? 0)) return undefined
  const meaning = ordinaryCauses.get(reason.cause)
  return meaning && { ...meaning, side: 'called-party', isOrdinary: true, advice: adviseAbout(486, kind) }
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
    advice: 'If this happens often, compare how long calls ring before they are answered.',
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
  { response }: RefusedCall,
  { hop, name, kind }: Responder,
): Partial<Refusal> | undefined => {
  const [{ protocol, cause = 0 } = { protocol: '' }, ...more] = parseReasons(response)
  const meaning = describeCause(cause)
  if (response.status !== 503 || protocol !== 'Q.850' || more.length > 0 || meaning === undefined) return undefined
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
