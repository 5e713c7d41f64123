import { formatCodecs } from '../codecs.ts'
import { elapsedText, type ParsedArrow } from '../ladder.ts'
import { getHeader } from '../parser.ts'
import { isSecure, type SdpMedia } from '../sdp.ts'
import {
  describeParty,
  getStatus,
  isAnswered,
  requestsNamed,
  type SipCall,
  type SipTransaction,
} from '../transactions.ts'
import { findMediaProblem } from '../warnings.ts'
import { findAgreements, isFax, mainCodecs, type Stream } from './negotiation.ts'
import { arrowIds, type SipFinding, type SipRule, sentence } from './rule.ts'

/** Findings about codecs that the two sides do not share (RFC 3264 §6.1). Pure. */

const describeMedia = (media: SdpMedia): string =>
  `${formatCodecs(mainCodecs(media))}${isSecure(media) ? ` over ${media.protocol} (encrypted)` : ''}`

/** Describes codecs with the same name that differ in parameters: `AMR (octet-align=1)`. */
const describeWithParameters = (media: SdpMedia): string =>
  media.formats
    .filter(({ codec }) => mainCodecs(media).includes(codec))
    .map(({ codec, parameters }) => `${formatCodecs([codec])} (${parameters || 'without parameters'})`)
    .join(', ')

/** Returns the audio of a description, or all that it has. */
const describeOffer = (media: readonly SdpMedia[]): string => {
  const audio = media.filter(({ kind }) => kind === 'audio')
  return (audio.length > 0 ? audio : media).map(describeMedia).join(', or ')
}

/** Statuses that refuse the description of media, or a body of this type (RFC 3261 §21.4.13, §21.4.26, §21.6.4). */
const mediaRefusals = new Set([415, 488, 606])

/** Returns whether an offer was refused because of its media. */
export const isMediaRefused = ({ request, final }: SipTransaction): boolean =>
  request.media.length > 0 && mediaRefusals.has(getStatus(final))

/** Returns the response that refuses an offer because of its media. */
const findRefusal = (transaction: SipTransaction) => (isMediaRefused(transaction) ? transaction.final : undefined)

/** Reports the refusal of the offer that begins a call. RFC 3261 §13.3.1.3. */
const describeRefusal = (call: SipCall, transaction: SipTransaction): SipFinding[] => {
  const { request } = transaction
  const final = findRefusal(transaction)
  if (final === undefined || request.message.toTag !== '') return []
  const isSettled = call.last !== undefined && call.last !== transaction && isAnswered(call.last)
  const base = {
    severity: isSettled ? ('info' as const) : ('bad' as const),
    where: final.from,
    arrows: arrowIds(request, final),
  }
  const by = sentence(describeParty(call, final.from))
  const settled = isSettled ? ' A later attempt was answered.' : ''
  if (getStatus(final) === 415) {
    const accepted = getHeader(final.message, 'accept')
    return [
      {
        ...base,
        text: `${by} does not accept the type of the body, ${getHeader(request.message, 'content-type') ?? 'which is not named'}.${accepted ? ` It accepts ${accepted}.` : ''}${settled}`,
        source: 'RFC 3261 §21.4.13',
      },
    ]
  }
  const offer = `did not accept the media offered by ${describeParty(call, request.from)}`
  const problem = findMediaProblem(final.message)
  if (problem !== undefined)
    return [{ ...base, text: `${by} ${offer}, because of ${problem.name}.${settled}`, source: 'RFC 3261 §20.43' }]
  const can = final.media.length > 0 ? ` It can do ${describeOffer(final.media)}.` : ''
  return [
    {
      ...base,
      text: `${by} ${offer}: ${describeOffer(request.media)}.${can}${settled}`,
      source: 'RFC 3261 §13.3.1.3, §21.4.26',
    },
  ]
}

/** Returns whether both sides use a stream of RTP for which they have no codec in common. */
const isWithoutCodec = ({ offered, answered, isAccepted, common }: Stream): boolean =>
  isAccepted && offered.kind === answered.kind && /RTP/i.test(answered.protocol) && common.length === 0

/**
 * Reports missing common codecs: a rejected offer, or an answer without any offered codec. RFC 3264 §6.1, RFC 3261
 * §13.3.1.3.
 */
export const codecs: SipRule = (call) => {
  const refusals = call.transactions.flatMap((transaction) => describeRefusal(call, transaction))
  const answers = findAgreements(call).flatMap(({ offer, answer, streams }) =>
    streams.filter(isWithoutCodec).map(({ offered, answered }): SipFinding => {
      const isSameName = mainCodecs(answered).some((codec) => mainCodecs(offered).includes(codec))
      const describe = isSameName ? describeWithParameters : describeMedia
      return {
        severity: 'bad',
        text: `No ${offered.kind === 'audio' ? '' : `${offered.kind} `}codec in common: ${describeParty(call, offer.from)} offers ${describe(offered)}, ${describeParty(call, answer.from)} answers ${describe(answered)}.`,
        where: answer.from,
        arrows: arrowIds(offer, answer),
        source: 'RFC 3264 §6.1',
      }
    }),
  )
  return [...refusals, ...answers]
}

/** Microseconds. A program that ends the call because of a refusal does so immediately. */
const reaction = 1_000_000

/** Returns the BYE with which the side whose change was refused immediately ended the call. */
const findAbandonment = (call: SipCall, request: ParsedArrow, final: ParsedArrow): ParsedArrow | undefined =>
  requestsNamed(call, 'BYE').find(
    ({ request: bye }) =>
      bye.message.fromTag === request.message.fromTag && bye.id > final.id && bye.at - final.at <= reaction,
  )?.request

/**
 * Reports a refused change of an established session, which stays unchanged. Fax has a rule of its own. RFC 3261
 * §14.1.
 */
export const refusedChange: SipRule = (call) => {
  const seen = new Set<string>()
  return call.transactions.flatMap((transaction): SipFinding[] => {
    const { request } = transaction
    const final = findRefusal(transaction)
    const { method, toTag, fromTag, number } = request.message
    const key = `${method} ${number} ${fromTag}`
    if (final === undefined || toTag === '' || request.media.some(isFax) || seen.has(key)) return []
    seen.add(key)
    const end = findAbandonment(call, request, final)
    return [
      {
        severity: end === undefined ? 'info' : 'warn',
        text:
          `${sentence(describeParty(call, final.from))} did not accept the change of media with ${final.title}` +
          (end === undefined
            ? '. The session stays unchanged.'
            : `, and ${describeParty(call, end.from)}, which had asked for it, hung up ${elapsedText(final, end)} later. The session would have stayed unchanged.`),
        where: final.from,
        arrows: arrowIds(request, final, end),
        source: 'RFC 3261 §14.1',
      },
    ]
  })
}
