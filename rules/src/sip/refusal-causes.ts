import { describeCause } from './causes.ts'
import { adviseAbout, type DestinationKind } from './destination-advice.ts'
import { formatProviderDetails, formatReasons, getPhrase, parseReasons } from './reasons.ts'
import type { Refusal, RefusedCall, Responder } from './refused-call.ts'
import { describeStatus } from './statuses.ts'

/** Explains refusals by what is more exact than their status: causes of Q.850, and how long a call rang. Pure. */

/** Statuses that say nothing more exact than a cause of Q.850 in the same response (RFC 3398 §8.2.6.1). */
const inexactStatuses = new Set([408, 480, 500, 502, 503])

/** Returns whether the status of a response says less than a cause. 487 answers a CANCEL, and needs no cause then. */
const isInexact = ({ response: { status = 0 }, isCanceled }: RefusedCall): boolean =>
  inexactStatuses.has(status) || (status === 487 && !isCanceled)

/** Final statuses that say the same as a cause of Q.850, for the causes that are explained here (RFC 3398 §7.2.4.1). */
const statusesOfCauses: ReadonlyMap<number, readonly number[]> = new Map([
  [1, [404, 604]],
  [2, [404]],
  [3, [404]],
  [17, [486, 600]],
  [18, [408]],
  [19, [480]],
  [20, [480]],
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
const findExactCause = (call: RefusedCall): number | undefined => (isInexact(call) ? findAgreedCause(call) : undefined)

/** Returns the cause of a response whose status says the same, but leaves more open. */
const findSameCause = (call: RefusedCall): number | undefined => {
  const cause = findAgreedCause(call)
  return statusesOfCauses.get(cause ?? 0)?.includes(call.response.status ?? 0) ? cause : undefined
}

const compareRinging = 'If this happens often, compare how long calls ring before they are answered.'

const compareRates = 'compare the answer rates of your carriers for this destination.'

/** Returns what to do about a called party that cannot be reached. Only devices of others cannot be examined. */
const adviseAboutDevice = (kind: DestinationKind): string =>
  kind === 'carrier' ? `Call again later. If this happens often, ${compareRates}` : adviseAbout(480, kind)

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
    case 20:
      return {
        ...reached,
        title: 'The response says that the called device is switched off, or out of reach',
        explanation: 'the called device is switched off, or out of reach',
        advice: adviseAboutDevice(kind),
      }
  }
  return undefined
}

/** Returns what a response means that names a setting of the called device against calls (RFC 3261 §21.4.18). */
export const describeDoNotDisturb = ({ response }: RefusedCall): Partial<Refusal> | undefined => {
  const messages = [getPhrase(response), ...parseReasons(response).map(({ text = '' }) => text)]
  if (![480, 486, 600].includes(response.status ?? 0)) return undefined
  if (!messages.some((text) => /\bdo not disturb\b/i.test(text))) return undefined
  return {
    title: 'The response says that the called party does not want to be disturbed',
    explanation: 'the called party does not want to be disturbed',
    side: 'called-party',
    isOrdinary: true,
    advice: 'Nothing has to be repaired. Call again later.',
    source: 'RFC 3261 §21.4.18',
  }
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
  const [meaning, status] = causesOfNumbers.get(findExactCause(call) ?? findSameCause(call)) ?? []
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

const checkRoute =
  'Check the number and its format. If both are right, ask the carrier for its route to this destination, or add another carrier for it to the outbound routing.'

/** Returns what a cause says about the route to a number, if the status says only that the number is not known. */
export const describeMissingRoute = (
  call: RefusedCall,
  { hop, kind }: Pick<Responder, 'hop' | 'kind'>,
): Partial<Refusal> | undefined =>
  call.response.status === 404 && [2, 3].includes(findSameCause(call) ?? 0)
    ? {
        title: 'The response says that there is no route to the called number',
        explanation: 'there is no route to the called number',
        ...(hop === 'platform' ? { side: 'unknown' } : {}),
        advice: kind === 'carrier' ? checkRoute : adviseAbout(404, kind),
        source: 'RFC 3398 §7.2.4.1',
      }
    : undefined

/**
 * Returns what cause 18 means: the called device did not respond at all. It can be switched off, or the network can have
 * lost it, so that it is not an ordinary end.
 */
export const describeNoResponse = (
  call: RefusedCall,
  { hop, kind }: Pick<Responder, 'hop' | 'kind'>,
): Partial<Refusal> | undefined =>
  findExactCause(call) === 18
    ? {
        title: 'The response says that the called party did not respond',
        explanation: 'the called party did not respond',
        side: hop === 'platform' ? 'unknown' : 'called-party',
        isOrdinary: false,
        advice: adviseAboutDevice(kind),
        source: 'RFC 3398 §7.2.4.1',
      }
    : undefined

/** Causes of Q.850 that name no reason: normal clearing, and unspecified. */
const unspecifiedCauses = new Set([16, 31])

/** Returns what to do about a 480 whose cause names no reason. */
export const adviseAboutUnspecified = (call: RefusedCall, kind: DestinationKind): string | undefined =>
  call.response.status === 480 && kind === 'carrier' && unspecifiedCauses.has(findAgreedCause(call) ?? 0)
    ? `The cause in the response names no reason. If this happens often, send the Call-ID and the time to the carrier, and ${compareRates}`
    : undefined

/** Seconds of ringing after which a call that was not answered has ended in the usual way. */
export const longRinging = 15

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

/** Causes of Q.850 that say that a network has no route, no circuit, or a failure (ITU-T Q.850 §2.2). */
const causesOfNetworks = new Set([2, 3, 25, 27, 34, 38, 41, 42, 43, 44, 47])

const checkCapacity = describeStatus(503).advice

/**
 * Returns what a cause of Q.850 adds to a status that is sent for many reasons: 503 for overload, maintenance, and missing
 * routes, and others for failures of a network and for called parties that cannot be reached.
 */
export const describeUnavailable = (
  call: RefusedCall,
  { hop, name, kind }: Responder,
): Partial<Refusal> | undefined => {
  const cause = findExactCause(call) ?? 0
  const meaning = describeCause(cause)
  const is503 = call.response.status === 503
  const isMeant = is503 ? !unspecifiedCauses.has(cause) : causesOfNetworks.has(cause)
  if (meaning === undefined || !isMeant) return undefined
  const outcome = is503 ? 'was not available for the call' : 'could not connect the call'
  const ofCarrier = causesOfCapacity.has(cause) ? checkCapacity : reportOrReroute
  return {
    explanation: `it ${outcome}`,
    title: hop === 'carrier' || hop === 'client' ? `${name} ${outcome}: ${meaning}` : undefined,
    advice: kind === 'carrier' ? ofCarrier : undefined,
    ...(is503 ? {} : { isOrdinary: false, severity: 'bad', source: 'RFC 3398 §7.2.4.1' }),
  }
}

const busyStatuses = new Set([486, 600])

/** Causes of Q.850 that contradict a busy called party: those of networks, and those about the number. */
const causesAgainstBusy = new Set([...causesOfNetworks, 1, 5, 28])

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
    reasons.every(({ protocol, cause = 0 }) => protocol === 'Q.850' && causesAgainstBusy.has(cause))
  )
}
