import { describeParty, describePartyBriefly, type SipCall, type SipTransaction } from '../transactions.ts'
import { isPrivateAddress, isPublicAddress } from '../addresses.ts'
import { arrowIds, sentence, type SipFinding, type SipRule } from './rule.ts'
import { secondsText, type ParsedArrow } from '../ladder.ts'
import { isAnswered, getStatus } from './outcome.ts'
import { formatCodecs, commonCodecs, isHoldAddress, type MediaDirection, type SdpMedia, speechCodecs } from '../sdp.ts'

/** Findings about the negotiated media of a call (RFC 3264). Pure. */

interface Agreement {
  transaction: SipTransaction
  offer: ParsedArrow
  answer: ParsedArrow
  /** True if the offer changes an established call, for example to put it on hold. */
  isChange: boolean
}

const hasMedia = ({ media }: ParsedArrow): boolean => media.length > 0

/**
 * Finds the offer and the answer. The INVITE contains the offer, or the response does and the ACK contains the answer
 * (RFC 3264 §5, RFC 3261 §13.2.1).
 */
const findAgreement = (call: SipCall, transaction: SipTransaction): Agreement | undefined => {
  const { request, answers, final } = transaction
  const isChange = request.message.toTag !== ''
  if (hasMedia(request)) {
    const answer = isAnswered(transaction) && final && hasMedia(final) ? final : answers.findLast(hasMedia)
    return answer && { transaction, offer: request, answer, isChange }
  }
  if (final === undefined || !hasMedia(final)) return undefined
  const ack = call.acks.find(
    (one) => one.message.number === request.message.number && one.from === final.to && hasMedia(one),
  )
  return ack && { transaction, offer: final, answer: ack, isChange }
}

/** Considers only the first hop, because later hops repeat the negotiation with other addresses. */
const findAgreements = (call: SipCall): Agreement[] => {
  const { last, caller } = call
  if (last === undefined || caller === undefined) return []
  const next = last.request.to
  const isOnFirstHop = ({ request: { from, to } }: SipTransaction) =>
    (from === caller && to === next) || (from === next && to === caller)
  return call.transactions
    .filter((one) => ['INVITE', 'UPDATE'].includes(one.request.message.method) && isOnFirstHop(one))
    .flatMap((one) => findAgreement(call, one) ?? [])
}

const sends = ({ direction, port, address }: SdpMedia): boolean =>
  port !== 0 && !isHoldAddress(address) && (direction === 'sendrecv' || direction === 'sendonly')

const receives = ({ direction, port, address }: SdpMedia): boolean =>
  port !== 0 && !isHoldAddress(address) && (direction === 'sendrecv' || direction === 'recvonly')

const formatEndpoint = ({ address, port }: SdpMedia): string => `${address || 'no address'}:${port}`

interface Stream {
  offered: SdpMedia
  answered: SdpMedia
  /** Whether media flows from the offerer, and to it. */
  isOut: boolean
  isIn: boolean
  /** Codecs that both sides can use. */
  common: readonly string[]
}

const toStreams = ({ offer, answer }: Agreement): Stream[] =>
  offer.media.flatMap((offered, at) => {
    const answered = answer.media[at]
    if (answered === undefined) return []
    return [
      {
        offered,
        answered,
        isOut: sends(offered) && receives(answered),
        isIn: sends(answered) && receives(offered),
        common: commonCodecs(speechCodecs(answered.codecs), speechCodecs(offered.codecs)),
      },
    ]
  })

const findAudio = (agreement: Agreement): Stream | undefined =>
  toStreams(agreement).find(({ offered }) => offered.kind === 'audio')

/** Returns the reason why no media flows: the direction, a hold address, or port 0. */
const describeStop = ({ direction, port, address }: SdpMedia): string => {
  if (port === 0) return 'port 0'
  if (isHoldAddress(address)) return `the address ${address}`
  return `a=${direction}`
}

/** Reports the audio negotiated at the beginning of the call. RFC 3264 §6, RFC 8866 §6.7. */
export const agreed: SipRule = (call) =>
  findAgreements(call).flatMap((agreement): SipFinding[] => {
    const audio = findAudio(agreement)
    const { offer, answer, isChange } = agreement
    if (audio === undefined || isChange || audio.common.length === 0 || !audio.isIn || !audio.isOut) return []
    const { offered, answered, common } = audio
    const secure = /SAVP/i.test(answered.protocol) ? ', encrypted' : ''
    return [
      {
        severity: 'good',
        text: `Audio both ways between ${formatEndpoint(offered)} and ${formatEndpoint(answered)}: ${formatCodecs(common)}${secure}.`,
        arrows: arrowIds(offer, answer),
        source: 'RFC 3264 §6',
      },
    ]
  })

/**
 * Reports audio that flows in one direction only, or not at all, according to the negotiation. RFC 3264 §5.1, §6.1,
 * §8.4.
 */
export const oneWay: SipRule = (call) =>
  findAgreements(call).flatMap((agreement): SipFinding[] => {
    const audio = findAudio(agreement)
    const { offer, answer, isChange } = agreement
    if (audio === undefined || (audio.isIn && audio.isOut)) return []
    const { offered, answered, isIn, isOut } = audio
    const [offering, answering] = [describePartyBriefly(call, offer.from), describePartyBriefly(call, answer.from)]
    const isOffered = !sends(offered) || !receives(offered)
    const culprit = isOffered ? offered : answered
    const where = isOffered ? offer.from : answer.from
    const by = describeParty(call, where)
    const effect = isOut
      ? `${answering} hears ${offering} but is not heard`
      : isIn
        ? `${offering} hears ${answering} but is not heard`
        : 'neither hears the other'
    const begun = secondsText(offer.sinceFirst)
    return [
      {
        severity: isChange ? 'info' : 'bad',
        text: isChange
          ? `At ${begun} ${by} put the call on hold with ${describeStop(culprit)}: ${effect}.`
          : `${isOut || isIn ? 'One-way audio' : 'No audio'}: ${by} sent ${describeStop(culprit)} in its SDP, so ${effect}.`,
        where,
        arrows: arrowIds(offer, answer),
        source: isChange ? 'RFC 3264 §8.4' : culprit.port === 0 ? 'RFC 3264 §6' : 'RFC 3264 §5.1, §6.1',
      },
    ]
  })

const answersTo: Readonly<Record<MediaDirection, readonly MediaDirection[]>> = {
  sendrecv: ['sendrecv', 'sendonly', 'recvonly', 'inactive'],
  sendonly: ['recvonly', 'inactive'],
  recvonly: ['sendonly', 'inactive'],
  inactive: ['inactive'],
}

/** Reports an answer that does not fit its offer. RFC 3264 §6, §6.1. */
export const badAnswer: SipRule = (call) =>
  findAgreements(call).flatMap((agreement): SipFinding[] => {
    const { offer, answer } = agreement
    const audio = findAudio(agreement)
    const findings: SipFinding[] = []
    if (answer.media.length !== offer.media.length)
      findings.push({
        severity: 'warn',
        text: `${sentence(describeParty(call, answer.from))} answers ${offer.media.length} media streams with ${answer.media.length}. Each stream requires an answer, with port 0 to reject it.`,
        where: answer.from,
        arrows: arrowIds(offer, answer),
        source: 'RFC 3264 §6',
      })
    if (audio && audio.answered.port !== 0 && !answersTo[audio.offered.direction].includes(audio.answered.direction))
      findings.push({
        severity: 'warn',
        text: `${sentence(describeParty(call, answer.from))} answers a=${audio.offered.direction} with a=${audio.answered.direction}, which is not compatible.`,
        where: answer.from,
        arrows: arrowIds(offer, answer),
        source: 'RFC 3264 §6.1',
      })
    return findings
  })

const describeOffer = ({ codecs, protocol }: SdpMedia): string =>
  `${formatCodecs(speechCodecs(codecs))}${/SAVP/i.test(protocol) ? ` over ${protocol} (encrypted)` : ''}`

const mediaRefusals = new Set([415, 488, 606])

/**
 * Reports missing common codecs: a rejected offer, or an answer without any offered codec. RFC 3264 §6.1, RFC 3261
 * §13.3.1.3.
 */
export const codecs: SipRule = (call) => {
  const refusals = call.transactions.flatMap(({ request, final }): SipFinding[] => {
    const audio = request.media.find(({ kind }) => kind === 'audio')
    if (final === undefined || audio === undefined || !mediaRefusals.has(getStatus(final))) return []
    const can = final.media.find(({ kind }) => kind === 'audio')
    return [
      {
        severity: 'bad',
        text: `${sentence(describeParty(call, final.from))} accepts none of the media offered by ${describeParty(call, request.from)}: ${describeOffer(audio)}.${can ? ` It can do ${describeOffer(can)}.` : ''}`,
        where: final.from,
        arrows: arrowIds(request, final),
        source: 'RFC 3261 §13.3.1.3, §21.4.26',
      },
    ]
  })
  const answers = findAgreements(call).flatMap((agreement): SipFinding[] => {
    const audio = findAudio(agreement)
    const { offer, answer } = agreement
    if (audio === undefined || audio.answered.port === 0 || audio.common.length > 0) return []
    return [
      {
        severity: 'bad',
        text: `No codec in common: ${describeParty(call, offer.from)} offers ${describeOffer(audio.offered)}, ${describeParty(call, answer.from)} answers ${describeOffer(audio.answered)}.`,
        where: answer.from,
        arrows: arrowIds(offer, answer),
        source: 'RFC 3264 §6.1',
      },
    ]
  })
  return [...refusals, ...answers]
}

const hasTones = ({ codecs: all }: SdpMedia): boolean => all.some((codec) => /^telephone-event(?:\/|$)/i.test(codec))

/** Reports that DTMF is not negotiated as events. RFC 4733 §2.5.1.1. */
export const noTones: SipRule = (call) =>
  findAgreements(call).flatMap((agreement): SipFinding[] => {
    const audio = findAudio(agreement)
    const { offer, answer, isChange } = agreement
    if (audio === undefined || isChange || audio.common.length === 0) return []
    if (hasTones(audio.offered) && hasTones(audio.answered)) return []
    const sideWithoutTones = hasTones(audio.offered) ? answer : offer
    return [
      {
        severity: 'info',
        text: `${sentence(describeParty(call, sideWithoutTones.from))} does not support telephone-event: DTMF arrives as in-band audio or not at all.`,
        where: sideWithoutTones.from,
        arrows: arrowIds(offer, answer),
        source: 'RFC 4733 §2.5.1.1',
      },
    ]
  })

/** Reports an answered call without an answer to its media offer. RFC 3261 §13.2.1. */
export const noAnswerToOffer: SipRule = (call) => {
  const { last } = call
  if (last?.final === undefined || !isAnswered(last) || !hasMedia(last.request)) return []
  if (last.answers.some(hasMedia)) return []
  return [
    {
      severity: 'bad',
      text: `${sentence(describeParty(call, last.final.from))} answered the call without a media description although media was offered: there is no audio in either direction.`,
      where: last.final.from,
      arrows: arrowIds(last.request, last.final),
      source: 'RFC 3261 §13.2.1',
    },
  ]
}

/**
 * Reports a private media address in a message from a public address. Media sent there is lost, unless the other side
 * sends to the source address of the media that it receives. RFC 1918 §3, RFC 6598 §4.
 */
export const privateMedia: SipRule = (call) => {
  const seen = new Set<string>()
  return call.ladder.arrows.flatMap((arrow): SipFinding[] => {
    const { address = '' } = call.ladder.lanes[arrow.from] ?? {}
    const hidden = arrow.media.find((media) => media.port !== 0 && isPrivateAddress(media.address))
    if (hidden === undefined || !isPublicAddress(address) || seen.has(`${arrow.from} ${hidden.address}`)) return []
    seen.add(`${arrow.from} ${hidden.address}`)
    return [
      {
        severity: 'warn',
        text: `${sentence(describeParty(call, arrow.from))} expects ${hidden.kind} at ${formatEndpoint(hidden)}, a private address. It receives nothing unless the other side sends to the source address of its media (symmetric RTP).`,
        where: arrow.from,
        arrows: arrowIds(arrow),
        source: 'RFC 1918 §3, RFC 6598 §4',
      },
    ]
  })
}
