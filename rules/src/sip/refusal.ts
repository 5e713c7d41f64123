import { adviseAbout } from './destination-advice.ts'
import { findNetworkBlock, type NetworkBlock, withoutBlockDetails } from './network-block.ts'
import { getHeader } from './parser.ts'
import { describePlatformReason } from './platform-reasons.ts'
import { describeCallLimit, describeFraudFilter, describeRateLimit } from './rate-limit.ts'
import {
  cleanText,
  findProviderError,
  formatProviderDetails,
  formatReasons,
  formatRetryAfter,
  getPhrase,
  parseReasons,
} from './reasons.ts'
import { describeRedirect } from './redirects.ts'
import {
  adviseAboutUnspecified,
  contradictedBusy,
  describeDoNotDisturb,
  describeLongRinging,
  describeMissingRoute,
  describeNoResponse,
  describeNumberCause,
  describeOrdinaryCause,
  describeUnavailable,
  isBusyContradicted,
} from './refusal-causes.ts'
import type { Refusal, RefusalHop, RefusedCall, Responder } from './refused-call.ts'
import { describeStatus, type StatusSide } from './statuses.ts'
import { describeWarning } from './warnings.ts'

/** Explains the final error response of a call by what is known about it. Pure. */

/**
 * Returns whether it is proven that the called side decided. 603 proves it only after ringing from a registered device;
 * networks, filters, and platforms send 603 too.
 */
const isDecision = ({ response, rang, isCanceled, seconds }: RefusedCall, hop: RefusalHop): boolean => {
  if (isCanceled || hop === 'platform') return false
  if (response.status === 607) return true
  if (response.status !== 603 || hop !== 'client' || !rang || seconds < 1) return false
  const isContradicted = parseReasons(response).some(
    ({ protocol, cause, location }) =>
      (protocol === 'Q.850' && !(cause === 21 && location?.toUpperCase() === 'U')) ||
      (protocol === 'SIP' && cause !== 603),
  )
  const phrase = getPhrase(response).toLowerCase()
  return (
    !isContradicted &&
    (phrase === 'decline' || phrase === 'declined') &&
    getHeader(response, 'x-twilio-error') === undefined
  )
}

const blockAdvice =
  'Do not call again immediately, and do not switch the carrier to get around the block. Check the attestation of the ' +
  'calling number, its registration with the analytics vendors, and the call pattern, such as many short calls.'

/** A server that gives up sends the same status as one that was asked to cancel (RFC 3261 §16.8). */
const endedWithoutCancel: Partial<Refusal> = {
  explanation:
    'it ended the request before an answer, although no CANCEL was captured: the CANCEL is missing, or an upstream timeout expired',
  title: 'The call ended before an answer, and no CANCEL was captured',
  side: 'unknown',
}

const staleSignature: Partial<Refusal> = {
  explanation: 'the signature of the calling number is too old for it',
  title: 'The signature of the calling number is too old',
  advice: 'Check the clock of the signer, and how long the call was on its way.',
  source: 'RFC 8224 §6.2.2',
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const describeBlock = ({
  kind,
  network,
  identifier,
  contacts,
  changed,
  isPhraseOnly,
}: NetworkBlock): Partial<Refusal> => {
  const asks =
    contacts.length === 0
      ? ''
      : ` Ask this network to correct the block, and give the number, the time, and the Call-ID: ${contacts.map(({ value }) => value).join(', ')}.`
  const id = identifier === undefined ? '' : ` The identifier of the block is ${identifier}.`
  if (kind === 'filter') return { details: asks, title: 'A filter in a network blocked the call', side: 'network' }
  if (kind === 'unwanted') return { title: 'The called side marked the caller as unwanted', side: 'called-party' }
  const by = network === undefined ? 'the analytics of a network' : `analytics of ${network}`
  const more =
    changed === undefined ? '' : ` The ${changed === 'phrase' ? 'reason phrase' : 'status'} was changed on the way.`
  const explanation = isPhraseOnly ? 'a network blocked the call, and gave no details' : `${by} blocked the call`
  return {
    explanation,
    title: isPhraseOnly ? 'A network blocked the call' : capitalize(`${by} blocked the call`),
    details: more + id + (asks === '' && !isPhraseOnly ? ' It names no contact for an objection.' : asks),
    side: 'network',
    source: 'ATIS-1000099',
    advice: blockAdvice,
  }
}

/** Describes a refusal for which a known provider documents the reason. */
const describeProviderError = ({ response }: RefusedCall, { hop, name }: Responder): Partial<Refusal> | undefined => {
  const meaning = findProviderError(response)
  return hop === 'carrier' && meaning !== undefined
    ? {
        title: `${name} rejected the call: ${meaning}`,
        advice: 'Look up this error in the documentation of the provider, and check your account there.',
      }
    : undefined
}

/** Describes a refusal with 603 of a carrier or a device, by whether the call had rung. */
const describeUnexplained = ({ ringSeconds = 0 }: RefusedCall, { hop, name }: Responder): Partial<Refusal> => {
  const rang = ringSeconds < 1 ? '' : ` after ${Math.round(ringSeconds)} s of ringing`
  const who =
    rang === ''
      ? 'No ringing was captured before: a network or a filter can have rejected the call, or the device by a setting.'
      : 'The called party, its device by a setting, or a network can have rejected the call.'
  return {
    title: `${name} rejected the call${rang}, without a reason`,
    advice: `${who} Ask the operator of the ${hop === 'carrier' ? 'carrier' : 'device'}, with the Call-ID and the time.`,
  }
}

/** Describes a refusal with 603 by the hop that sent it. */
const describeDecline = (call: RefusedCall, responder: Responder): Partial<Refusal> => {
  const { hop, isOutbound } = responder
  if (isDecision(call, hop))
    return { explanation: 'the call was declined on the device', title: 'The call was declined on the device' }
  if (hop === 'platform')
    return {
      title: 'The platform or its application rejected the call',
      advice: isOutbound
        ? 'The SBC rejects outbound calls with this status if it has no usable carrier or gateway. Check the outbound routing of the number, and whether the application declines the call.'
        : 'Check whether the application declines the call, or dials a party that does.',
    }
  return hop === 'unknown' ? {} : describeUnexplained(call, responder)
}

/** Meanings of statuses that the SBC sends too, if the capture proves that the destination sent them. */
const provenTitles: Readonly<Record<number, string>> = {
  408: 'responded that the called side did not respond in time',
  480: 'responded that the called party cannot be reached now',
  488: 'rejected the offered media',
  500: 'failed to handle the call',
}

const findSide = (sides: readonly StatusSide[], hop: RefusalHop): Refusal['side'] => {
  const [first] = sides
  if (hop === 'platform') return 'platform'
  if (hop === 'client') return first === 'caller' ? 'caller' : 'called-party'
  if (hop === 'carrier') return first === 'caller' ? first : 'carrier'
  return sides.length === 1 && first !== undefined ? first : 'unknown'
}

/** Returns what is known about a refusal beyond the meaning of its status. */
const explainSpecial = (call: RefusedCall, responder: Responder, block: NetworkBlock | undefined): Partial<Refusal> => {
  const { hop, name, isOutbound, kind } = responder
  const { status = 0 } = call.response
  if (block !== undefined) return describeBlock(block)
  const stated = describePlatformReason(call.response, responder)
  if (stated !== undefined) return stated
  const limit =
    describeRateLimit(call.response, responder) ??
    describeCallLimit(call.response, responder) ??
    describeFraudFilter(call.response, responder)
  if (limit !== undefined) return limit
  const providerError = describeProviderError(call, responder)
  if (providerError !== undefined) return providerError
  const warning = hop === 'platform' ? undefined : describeWarning(call.response, responder)
  if (warning !== undefined) return warning
  if (call.redirect !== undefined) return describeRedirect(call.redirect, kind)
  if (status === 603) return describeDecline(call, responder)
  if (isBusyContradicted(call)) return contradictedBusy
  const ordinary = hop === 'platform' ? undefined : (describeDoNotDisturb(call) ?? describeOrdinaryCause(call, kind))
  if (ordinary !== undefined) return ordinary
  const wrongNumber = describeNumberCause(call, responder) ?? describeMissingRoute(call, responder)
  if (wrongNumber !== undefined) return wrongNumber
  // The platform can have sent 180 itself, so its own responses do not show that anyone was called.
  const ringing = hop === 'platform' || !isOutbound ? undefined : describeLongRinging(call)
  if (ringing !== undefined) return ringing
  const unavailable = describeNoResponse(call, responder) ?? describeUnavailable(call, responder)
  if (unavailable !== undefined) return unavailable
  if (status === 487 && !call.isCanceled) return endedWithoutCancel
  if (status === 403 && getPhrase(call.response).toLowerCase() === 'stale date') return staleSignature
  if (status === 403 && call.hasCredentials && (hop === 'carrier' || hop === 'client'))
    return {
      title: `${name} did not allow the call, which had credentials`,
      advice: `The credentials may be wrong: check the username and the password. ${adviseAbout(status, kind)}`,
    }
  // A host that responded with 408 is not silent, but what it called is, as for 504.
  const advised = { advice: status === 408 ? adviseAbout(504, kind) : adviseAboutUnspecified(call, kind) }
  if ((hop === 'carrier' || hop === 'client') && Object.hasOwn(provenTitles, status))
    return { ...advised, title: `${name} ${provenTitles[status]}` }
  return advised
}

const declinePhrases: readonly string[] = ['', 'decline', 'declined']

const unknownResponder: Responder = { hop: 'unknown', name: 'The other side', isOutbound: true, kind: 'carrier' }

/** Explains the final error response of a call, for the host that sent it. */
export const explainRefusal = (call: RefusedCall, host: Partial<Responder> = {}): Refusal => {
  const { response } = call
  const responder = { ...unknownResponder, ...host }
  const { hop } = responder
  const { status = 0 } = response
  const meaning = describeStatus(status)
  const block = findNetworkBlock(response)
  const special: Partial<Refusal> = explainSpecial(call, responder, block)
  const reasons = withoutBlockDetails(parseReasons(response))
  const stated = formatReasons(reasons, response) + formatProviderDetails(response)
  const hasReason = stated !== '' || !declinePhrases.includes(getPhrase(response).toLowerCase())
  const isDecline = status === 603 && special.explanation === undefined
  const isDecided = isDecision(call, hop)
  const isDelivered = meaning.isDelivered && block?.kind !== 'analytics'
  const isOrdinary = special.isOrdinary ?? (isDelivered && status !== 480 && status !== 607)
  return {
    explanation:
      special.explanation ??
      (isDecline ? (hasReason ? 'the response contains a reason' : 'it gave no reason') : meaning.explanation),
    phrase: cleanText(getPhrase(response)),
    details: (special.details ?? '') + stated + formatRetryAfter(response),
    title: isDecline && hasReason ? special.title?.replace(', without a reason', '') : special.title,
    // Without a CANCEL, the caller is not known to have ended the call.
    side: special.side ?? findSide(status === 487 && !call.isCanceled ? [] : meaning.sides, hop),
    advice: special.advice ?? adviseAbout(status, responder.kind),
    source: special.source ?? meaning.source,
    isDecided,
    isOrdinary: isDecided || isOrdinary,
    severity: special.severity ?? (isDecided || isDelivered || isOrdinary ? 'warn' : 'bad'),
    block,
  }
}
