import { formatCodecs } from '../codecs.ts'
import { type ParsedArrow, parsedArrows } from '../ladder.ts'
import { getHeader, headersNamed } from '../parser.ts'
import { formatEndpoint, isActive, isBodyCut, isSecure, type SdpMedia } from '../sdp.ts'
import {
  describeParty,
  describePartyBriefly,
  isAnswered,
  requestsNamed,
  type SipCall,
  type SipTransaction,
} from '../transactions.ts'
import { badAnswer, badChange } from './answers.ts'
import { codecs } from './common-codecs.ts'
import { noMediaReceived } from './media-reports.ts'
import {
  type Agreement,
  findAgreements,
  findAnswer,
  findAnswered,
  findAudio,
  findFax,
  hasMedia,
  isAudioBothWays,
  isReliable,
} from './negotiation.ts'
import { arrowIds, nameRequest, type SipFinding, type SipRule, sentence } from './rule.ts'

/** Findings about the streams of a call: which were agreed, and which not (RFC 3264). Pure. */

const names: ReadonlyMap<string, string> = new Map([
  ['image', 'fax'],
  ['message', 'messages'],
  ['application', 'data'],
])

const describeKind = ({ kind }: SdpMedia): string => names.get(kind) ?? kind

/** Formats a stream as `video (VP8, H264)` or `messages (TCP/MSRP)`. */
const describeStream = (media: SdpMedia, codecNames: readonly string[]): string => {
  const named = codecNames.filter((name) => name !== '*')
  return `${describeKind(media)} (${named.length > 0 ? formatCodecs(named) : media.protocol})`
}

const describePlace = (call: SipCall, media: SdpMedia, lane: number): string =>
  media.usesIce ? describePartyBriefly(call, lane) : formatEndpoint(media)

const isEncrypted = ({ keys, ...media }: SdpMedia): boolean =>
  isSecure({ keys, ...media }) || keys.suites.length > 0 || keys.hasFingerprint

/** Describes the streams beside the audio that both sides use. */
const describeFurther = ({ streams }: Agreement): string =>
  streams
    .filter(({ isAccepted, offered }) => isAccepted && offered.kind !== 'audio')
    .map(({ answered, common }) => describeStream(answered, common))
    .join(', ')

/** Returns whether a message of the call contradicts that audio in both directions was agreed and arrived. */
const isContradicted = (call: SipCall): boolean =>
  [...badAnswer(call), ...findUnanswered(call), ...noMediaReceived(call)].length > 0 ||
  [...badChange(call), ...codecs(call)].some(({ severity }) => severity === 'bad')

/**
 * Reports the audio that was agreed at the beginning of the call. Says nothing about what was heard. RFC 3264 §6, RFC
 * 8866 §6.7.
 */
export const agreed: SipRule = (call) => {
  if (isContradicted(call)) return []
  return findAgreements(call).flatMap((initial): SipFinding[] => {
    if (initial.isChange) return []
    const agreement = findAnswered(initial)
    const audio = findAudio(agreement)
    const { offer, answer } = agreement
    const further = describeFurther(agreement)
    const base = { arrows: arrowIds(offer, answer), source: 'RFC 3264 §6' }
    if (audio === undefined && further !== '' && findFax(agreement) === undefined)
      return [{ ...base, severity: 'info', text: `No audio was offered. Agreed: ${further}.` }]
    if (audio === undefined || !isAudioBothWays(agreement)) return []
    const { offered, answered, common } = audio
    const places = `${describePlace(call, offered, offer.from)} and ${describePlace(call, answered, answer.from)}`
    const secure = isEncrypted(answered) ? ', encrypted' : ''
    const ice = offered.usesIce || answered.usesIce ? ' ICE selects the addresses.' : ''
    return [
      {
        ...base,
        severity: 'good',
        text: `Audio in both directions was agreed between ${places}: ${formatCodecs(common)}${secure}.${ice}${further === '' ? '' : ` Also agreed: ${further}.`}`,
      },
    ]
  })
}

/**
 * Reports streams beside the audio that the other side did not accept. A stream that is offered twice, for example with
 * and without encryption, is accepted if one of them is. RFC 3264 §6.
 */
export const declinedStreams: SipRule = (call) =>
  findAgreements(call).flatMap(({ offer, answer, streams, isChange }): SipFinding[] => {
    const accepted = new Set(streams.filter(({ isAccepted }) => isAccepted).map(({ offered }) => offered.kind))
    const declined = streams.filter(
      ({ offered, answered }) =>
        isActive(offered) && !isActive(answered) && !accepted.has(offered.kind) && offered.kind !== 'image',
    )
    const kinds = [...new Set(declined.map(({ offered }) => describeKind(offered)))]
    if (isChange || accepted.size === 0 || kinds.length === 0) return []
    return [
      {
        severity: 'info',
        text: `${sentence(describeParty(call, answer.from))} did not take the ${kinds.join(' and the ')} of the offer.`,
        where: answer.from,
        arrows: arrowIds(offer, answer),
        source: 'RFC 3264 §6',
      },
    ]
  })

/** Returns whether a message has a body whose description of media cannot be read, such as an encrypted one. */
const isOpaque = ({ message, media }: ParsedArrow): boolean => {
  const type = getHeader(message, 'content-type')?.toLowerCase() ?? ''
  return (
    isBodyCut(message) ||
    getHeader(message, 'content-encoding') !== undefined ||
    type.includes('pkcs7') ||
    (media.length === 0 && type.trim().startsWith('multipart/'))
  )
}

/**
 * Returns whether the capture may lack a reliable response, which can have the answer to the offer of an INVITE (RFC 3262
 * §5): a PRACK shows that there was one, or the caller used CSeq numbers that were not captured.
 */
const isReliableMissing = (
  { ladder }: SipCall,
  { request, answers }: Pick<SipTransaction, 'request' | 'answers'>,
): boolean => {
  const { fromTag, number } = request.message
  const own = parsedArrows(ladder).filter(({ message }) => message.fromTag === fromTag)
  if (own.some(({ message }) => message.method === 'PRACK'))
    return !answers.some((one) => isReliable(one) && hasMedia(one))
  const supports = ['supported', 'require'].some((name) =>
    headersNamed(request.message, name).some((value) => value.toLowerCase().includes('100rel')),
  )
  const next = Math.min(...own.map(({ message }) => message.number).filter((one) => one > number))
  return supports && next !== number + 1
}

/** Finds an answered call without an answer to its first offer. */
const findUnanswered = (call: SipCall): SipFinding[] => {
  const { last } = call
  if (last?.final === undefined || !isAnswered(last) || isOpaque(last.final)) return []
  const { request, final } = last
  const by = sentence(describeParty(call, final.from))
  const base = { where: final.from, arrows: arrowIds(request, final), source: 'RFC 3261 §13.2.1' }
  if (isOpaque(request)) return []
  if (!hasMedia(request)) return findMissingAnswer(call, last)
  const answer = findAnswer(last)
  if (!hasMedia(final) && (answer === undefined || !isReliable(answer)) && isReliableMissing(call, last))
    return [
      {
        ...base,
        severity: 'info',
        text: `${by} answered the call without a media description. If a reliable response before it had one, that response was not captured.`,
        source: 'RFC 3262 §5',
      },
    ]
  if (answer === undefined)
    return [
      {
        ...base,
        severity: 'bad',
        text: `${by} answered the call without a media description although media was offered: there is no audio in either direction.`,
      },
    ]
  if (hasMedia(final) || isReliable(answer)) return []
  return [
    {
      ...base,
      severity: 'warn',
      text: `${by} answered the call without a media description. Only ${answer.title} had one, which was not sent reliably, so the caller may not use it.`,
      arrows: arrowIds(request, answer, final),
    },
  ]
}

/** Describes a call without an offer: if the INVITE has none, the response that answers it has to have one. */
const describeMissingOffer = (call: SipCall, request: ParsedArrow, final: ParsedArrow): SipFinding[] => [
  {
    severity: 'bad',
    text: `${sentence(describeParty(call, final.from))} answered an INVITE without a media description, and offered no media itself: there is no audio in either direction.`,
    where: final.from,
    arrows: arrowIds(request, final),
    source: 'RFC 3261 §13.2.1',
  },
]

/** Finds an ACK without an answer to the offer in the response to an INVITE. RFC 3261 §13.2.1. */
const findMissingAnswer = (call: SipCall, { request, answers, final }: SipTransaction): SipFinding[] => {
  if (final === undefined || answers.some((one) => isReliable(one) && hasMedia(one))) return []
  const { number, fromTag, toTag } = request.message
  if (!hasMedia(final))
    return toTag === '' && !isReliableMissing(call, { request, answers })
      ? describeMissingOffer(call, request, final)
      : []
  const ack = call.acks.find(
    ({ from, message }) =>
      from === request.from &&
      message.number === number &&
      message.fromTag === fromTag &&
      message.toTag === final.message.toTag,
  )
  if (ack === undefined || hasMedia(ack) || isOpaque(ack)) return []
  const base = { where: ack.from, arrows: arrowIds(final, ack), source: 'RFC 3261 §13.2.1' }
  const [by, offerer] = [sentence(describeParty(call, ack.from)), describeParty(call, final.from)]
  if (toTag !== '')
    return [
      {
        ...base,
        severity: 'warn',
        text: `${by} confirmed a re-INVITE without answering the media that ${offerer} offered, so the two sides may use different ones.`,
      },
    ]
  return [
    {
      ...base,
      severity: 'bad',
      text: `${by} confirmed the call without answering the media that ${offerer} offered: there is no audio in either direction.`,
    },
  ]
}

const offering = new Set(['INVITE', 'UPDATE', 'PRACK'])

/**
 * Returns whether the session description of a request is an offer. In a PRACK it can also be the answer to the offer of a
 * reliable response, unless the INVITE had the offer (RFC 3262 §5).
 */
const isOffer = (call: SipCall, { message }: ParsedArrow): boolean => {
  if (message.method !== 'PRACK') return true
  const [, number] = getHeader(message, 'rack')?.split(/\s+/) ?? []
  const invite = requestsNamed(call, 'INVITE').find(
    (one) => one.request.message.fromTag === message.fromTag && one.request.message.number === Number(number),
  )
  return invite !== undefined && hasMedia(invite.request)
}

/** Finds a change of media that was accepted without an answer. RFC 3261 §14.2, RFC 3262 §5, RFC 3311 §5.2. */
const findUnansweredChanges = (call: SipCall): SipFinding[] => {
  const seen = new Set<string>()
  return call.transactions.flatMap((transaction): SipFinding[] => {
    const { request, final } = transaction
    const { method, toTag, fromTag, number } = request.message
    if (!offering.has(method) || toTag === '' || final === undefined || !isAnswered(transaction)) return []
    if (isOpaque(request) || isOpaque(final) || seen.has(`${method} ${number} ${fromTag}`)) return []
    seen.add(`${method} ${number} ${fromTag}`)
    if (!hasMedia(request)) return method === 'INVITE' ? findMissingAnswer(call, transaction) : []
    if (findAnswer(transaction) !== undefined || !isOffer(call, request)) return []
    return [
      {
        severity: 'warn',
        text: `${sentence(describeParty(call, final.from))} accepted the ${nameRequest(method)} with ${final.title}, without an answer to the media that ${describeParty(call, request.from)} offered, so the two sides may use different ones.`,
        where: final.from,
        arrows: arrowIds(request, final),
        source: method === 'INVITE' ? 'RFC 3261 §14.2' : method === 'PRACK' ? 'RFC 3262 §5' : 'RFC 3311 §5.2',
      },
    ]
  })
}

/**
 * Reports an offer without an answer, or without one that the caller can rely on: of an answered call, or of a change
 * that was accepted. RFC 3261 §13.2.1, §14.2.
 */
export const noAnswerToOffer: SipRule = (call) => [...findUnanswered(call), ...findUnansweredChanges(call)]
