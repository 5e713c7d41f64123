import { who, whoBriefly, type SipCall, type SipTransaction } from '../transactions.ts'
import { isPrivateAddress, isPublicAddress } from '../addresses.ts'
import { arrowIds, sentence, type SipFinding, type SipRule } from './rule.ts'
import { secondsText, type ParsedArrow } from '../ladder.ts'
import { isAnswered, getStatus } from './outcome.ts'
import { formatCodecs, inBoth, isNowhere, type MediaDirection, type SdpMedia, spoken } from '../sdp.ts'

/** What two sides agreed to send each other, and what they will not hear (RFC 3264). Pure. */

interface Agreement {
  transaction: SipTransaction
  offer: ParsedArrow
  answer: ParsedArrow
  /** the call had begun before: a hold, or a change */
  isChange: boolean
}

const hasMedia = ({ media }: ParsedArrow): boolean => media.length > 0

/** An offer is in the INVITE, or in the answer to it, and then answered in the ACK (RFC 3264 §5, RFC 3261 §13.2.1). */
const agreementOf = (call: SipCall, transaction: SipTransaction): Agreement | undefined => {
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

/** Of the first hop alone: those behind it say the same again, with addresses of their own. */
const agreementsOf = (call: SipCall): Agreement[] => {
  const { last, caller } = call
  if (last === undefined || caller === undefined) return []
  const next = last.request.to
  const isOnFirstHop = ({ request: { from, to } }: SipTransaction) =>
    (from === caller && to === next) || (from === next && to === caller)
  return call.transactions
    .filter((one) => ['INVITE', 'UPDATE'].includes(one.request.message.method) && isOnFirstHop(one))
    .flatMap((one) => agreementOf(call, one) ?? [])
}

const sends = ({ direction, port, address }: SdpMedia): boolean =>
  port !== 0 && !isNowhere(address) && (direction === 'sendrecv' || direction === 'sendonly')

const hears = ({ direction, port, address }: SdpMedia): boolean =>
  port !== 0 && !isNowhere(address) && (direction === 'sendrecv' || direction === 'recvonly')

const place = ({ address, port }: SdpMedia): string => `${address || 'no address'}:${port}`

interface Stream {
  offered: SdpMedia
  answered: SdpMedia
  /** media go from who offered, and to */
  isOut: boolean
  isIn: boolean
  /** both may speak */
  common: readonly string[]
}

const streamsOf = ({ offer, answer }: Agreement): Stream[] =>
  offer.media.flatMap((offered, at) => {
    const answered = answer.media[at]
    if (answered === undefined) return []
    return [
      {
        offered,
        answered,
        isOut: sends(offered) && hears(answered),
        isIn: sends(answered) && hears(offered),
        common: inBoth(spoken(answered.codecs), spoken(offered.codecs)),
      },
    ]
  })

const audioOf = (agreement: Agreement): Stream | undefined =>
  streamsOf(agreement).find(({ offered }) => offered.kind === 'audio')

/** Who says so: the direction, an address of nowhere or port 0. */
const stopWords = ({ direction, port, address }: SdpMedia): string => {
  if (port === 0) return 'port 0'
  if (isNowhere(address)) return `the address ${address}`
  return `a=${direction}`
}

/** The media that were agreed on, first and after each change. RFC 3264 §6, RFC 8866 §6.7. */
export const agreed: SipRule = (call) =>
  agreementsOf(call).flatMap((agreement): SipFinding[] => {
    const audio = audioOf(agreement)
    const { offer, answer, isChange } = agreement
    if (audio === undefined || isChange || audio.common.length === 0 || !audio.isIn || !audio.isOut) return []
    const { offered, answered, common } = audio
    const secure = /SAVP/i.test(answered.protocol) ? ', encrypted' : ''
    return [
      {
        severity: 'good',
        text: `Audio both ways between ${place(offered)} and ${place(answered)}: ${formatCodecs(common)}${secure}.`,
        arrows: arrowIds(offer, answer),
        source: 'RFC 3264 §6',
      },
    ]
  })

/** Audio that by their own words goes one way alone, or none. RFC 3264 §5.1, §6.1, §8.4. */
export const oneWay: SipRule = (call) =>
  agreementsOf(call).flatMap((agreement): SipFinding[] => {
    const audio = audioOf(agreement)
    const { offer, answer, isChange } = agreement
    if (audio === undefined || (audio.isIn && audio.isOut)) return []
    const { offered, answered, isIn, isOut } = audio
    const [offering, answering] = [whoBriefly(call, offer.from), whoBriefly(call, answer.from)]
    const isOffered = !sends(offered) || !hears(offered)
    const culprit = isOffered ? offered : answered
    const where = isOffered ? offer.from : answer.from
    const by = who(call, where)
    const effect = isOut
      ? `${answering} hears ${offering}, and is not heard`
      : isIn
        ? `${offering} hears ${answering}, and is not heard`
        : 'neither hears the other'
    const begun = secondsText(offer.sinceFirst)
    return [
      {
        severity: isChange ? 'info' : 'bad',
        text: isChange
          ? `At ${begun} ${by} put the call on hold with ${stopWords(culprit)}: ${effect}.`
          : `Audio goes ${isOut || isIn ? 'one way' : 'no way'}: ${by} says ${stopWords(culprit)}, so ${effect}.`,
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

/** An answer that may not be given to its offer. RFC 3264 §6, §6.1. */
export const badAnswer: SipRule = (call) =>
  agreementsOf(call).flatMap((agreement): SipFinding[] => {
    const { offer, answer } = agreement
    const audio = audioOf(agreement)
    const found: SipFinding[] = []
    if (answer.media.length !== offer.media.length)
      found.push({
        severity: 'warn',
        text: `${sentence(who(call, answer.from))} answers ${offer.media.length} streams of media with ${answer.media.length}: each has to be answered, if only with port 0.`,
        where: answer.from,
        arrows: arrowIds(offer, answer),
        source: 'RFC 3264 §6',
      })
    if (audio && audio.answered.port !== 0 && !answersTo[audio.offered.direction].includes(audio.answered.direction))
      found.push({
        severity: 'warn',
        text: `${sentence(who(call, answer.from))} answers a=${audio.offered.direction} with a=${audio.answered.direction}, which does not go together.`,
        where: answer.from,
        arrows: arrowIds(offer, answer),
        source: 'RFC 3264 §6.1',
      })
    return found
  })

const offerWords = ({ codecs, protocol }: SdpMedia): string =>
  `${formatCodecs(spoken(codecs))}${/SAVP/i.test(protocol) ? ` over ${protocol} (encrypted)` : ''}`

const mediaRefusals = new Set([415, 488, 606])

/** Two sides without a codec in common: refused for that, or answered with what was not offered. RFC 3264 §6.1, RFC 3261 §13.3.1.3. */
export const codecs: SipRule = (call) => {
  const refusals = call.transactions.flatMap(({ request, final }): SipFinding[] => {
    const audio = request.media.find(({ kind }) => kind === 'audio')
    if (final === undefined || audio === undefined || !mediaRefusals.has(getStatus(final))) return []
    const can = final.media.find(({ kind }) => kind === 'audio')
    return [
      {
        severity: 'bad',
        text: `${sentence(who(call, final.from))} takes none of the media offered by ${who(call, request.from)}: ${offerWords(audio)}.${can ? ` It can do ${offerWords(can)}.` : ''}`,
        where: final.from,
        arrows: arrowIds(request, final),
        source: 'RFC 3261 §13.3.1.3, §21.4.26',
      },
    ]
  })
  const answers = agreementsOf(call).flatMap((agreement): SipFinding[] => {
    const audio = audioOf(agreement)
    const { offer, answer } = agreement
    if (audio === undefined || audio.answered.port === 0 || audio.common.length > 0) return []
    return [
      {
        severity: 'bad',
        text: `No codec in common: ${who(call, offer.from)} offers ${offerWords(audio.offered)}, ${who(call, answer.from)} answers ${offerWords(audio.answered)}.`,
        where: answer.from,
        arrows: arrowIds(offer, answer),
        source: 'RFC 3264 §6.1',
      },
    ]
  })
  return [...refusals, ...answers]
}

const hasTones = ({ codecs: all }: SdpMedia): boolean => all.some((codec) => /^telephone-event(?:\/|$)/i.test(codec))

/** Keys that are pressed are not told as events. RFC 4733 §2.5.1.1. */
export const noTones: SipRule = (call) =>
  agreementsOf(call).flatMap((agreement): SipFinding[] => {
    const audio = audioOf(agreement)
    const { offer, answer, isChange } = agreement
    if (audio === undefined || isChange || audio.common.length === 0) return []
    if (hasTones(audio.offered) && hasTones(audio.answered)) return []
    const lacking = hasTones(audio.offered) ? answer : offer
    return [
      {
        severity: 'info',
        text: `${sentence(who(call, lacking.from))} does not do telephone-event: keys that are pressed come as sounds, or not at all.`,
        where: lacking.from,
        arrows: arrowIds(offer, answer),
        source: 'RFC 4733 §2.5.1.1',
      },
    ]
  })

/** A call that was answered without a word of the media that were offered. RFC 3261 §13.2.1. */
export const noAnswerToOffer: SipRule = (call) => {
  const { last } = call
  if (last?.final === undefined || !isAnswered(last) || !hasMedia(last.request)) return []
  if (last.answers.some(hasMedia)) return []
  return [
    {
      severity: 'bad',
      text: `${sentence(who(call, last.final.from))} answered the call and says nothing of media, though they were offered: nobody hears anything.`,
      where: last.final.from,
      arrows: arrowIds(last.request, last.final),
      source: 'RFC 3261 §13.2.1',
    },
  ]
}

/**
 * Media awaited at an address of a private network, told to somebody outside: they are sent nowhere, unless the other
 * side answers to where it is sent from. RFC 1918 §3, RFC 6598 §4.
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
        text: `${sentence(who(call, arrow.from))} awaits ${hidden.kind} at ${place(hidden)}, within its private network: it hears nothing unless the other side sends to where its media come from.`,
        where: arrow.from,
        arrows: arrowIds(arrow),
        source: 'RFC 1918 §3, RFC 6598 §4',
      },
    ]
  })
}
