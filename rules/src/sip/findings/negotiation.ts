import { groupBy } from '../../lib/groups.ts'
import { commonCodecs, speechCodecs } from '../codecs.ts'
import type { ParsedArrow } from '../ladder.ts'
import { getHeader, headersNamed } from '../parser.ts'
import { haveMixedFamilies, isActive, isBodyCut, isHeldByAddress, type SdpMedia } from '../sdp.ts'
import { isAnswered, isProvisional, requestsNamed, type SipCall, type SipTransaction } from '../transactions.ts'

/**
 * Finds which media were agreed by an offer and its answer (RFC 3264, RFC 6337). SDP says what was agreed, not what was
 * sent or heard. Pure.
 */

/** A stream of an offer, with the stream of the answer at the same position. */
export interface Stream {
  offered: SdpMedia
  answered: SdpMedia
  /** True if both sides use the stream. */
  isAccepted: boolean
  /** Whether media flows from the offerer, and to it. */
  isOut: boolean
  isIn: boolean
  /** Codecs that both sides can use, without those for DTMF and comfort noise. */
  common: readonly string[]
}

export interface Agreement {
  transaction: SipTransaction
  offer: ParsedArrow
  answer: ParsedArrow
  /** True if the offer changes a session, for example to put it on hold. */
  isChange: boolean
  /** The tags of the dialog and the two hosts of the hop. */
  dialog: string
  streams: readonly Stream[]
  /** The agreement before this one in the same dialog. Undefined if there is none, or none was captured. */
  before: Agreement | undefined
  /** All agreements of the dialog on all of its hops, in the order of their answers. */
  ofDialog: readonly Agreement[]
}

/** An offer and an answer, before their streams are compared. */
type Exchange = Pick<Agreement, 'transaction' | 'offer' | 'answer'>

export const hasMedia = ({ media }: ParsedArrow): boolean => media.length > 0

/** Returns whether a provisional response is confirmed by a PRACK, so that it can contain an offer or an answer. */
export const isReliable = ({ message }: ParsedArrow): boolean =>
  getHeader(message, 'rseq') !== undefined &&
  headersNamed(message, 'require').some((value) => value.toLowerCase().includes('100rel'))

/** Returns whether two responses belong to the same dialog. A forked call has one dialog for each To tag. */
const isSameDialog = (one: ParsedArrow, other: ParsedArrow): boolean =>
  one.message.toTag === '' || one.message.toTag === other.message.toTag

interface Index {
  /** By CSeq number and From tag. */
  acks: ReadonlyMap<string, readonly ParsedArrow[]>
  /** By the RAck header and From tag. */
  pracks: ReadonlyMap<string, readonly SipTransaction[]>
}

const toIndex = (call: SipCall): Index => ({
  acks: groupBy(call.acks, ({ message }) => `${message.number} ${message.fromTag}`),
  pracks: groupBy(
    requestsNamed(call, 'PRACK'),
    ({ request: { message } }) =>
      `${getHeader(message, 'rack')?.split(/\s+/).slice(0, 2).join(' ')} ${message.fromTag}`,
  ),
})

/** Returns the reliable responses with a session description in the dialog that the final response established. */
const findReliable = ({ answers }: SipTransaction, final: ParsedArrow): ParsedArrow | undefined =>
  answers.find((one) => isProvisional(one) && isReliable(one) && hasMedia(one) && isSameDialog(one, final))

/**
 * Returns the response that answers the offer of an INVITE: a reliable provisional one, or the final one. If neither
 * has a session description, callers use what an unreliable provisional response had.
 */
export const findAnswer = (transaction: SipTransaction): ParsedArrow | undefined => {
  const { answers, final } = transaction
  if (final === undefined || !isAnswered(transaction)) return undefined
  if (transaction.request.message.method !== 'INVITE') return hasMedia(final) ? final : undefined
  return (
    findReliable(transaction, final) ??
    (hasMedia(final) ? final : answers.findLast((one) => hasMedia(one) && isSameDialog(one, final)))
  )
}

/**
 * Finds the offer and the answer of an answered transaction. Without a description in the INVITE, the response contains
 * the offer, and the PRACK or the ACK the answer (RFC 3261 §13.2.1, RFC 3262 §5).
 */
const findExchange = (transaction: SipTransaction, index: Index): Exchange | undefined => {
  const { request, final } = transaction
  if (hasMedia(request)) {
    const answer = findAnswer(transaction)
    return answer && { transaction, offer: request, answer }
  }
  if (request.message.method !== 'INVITE' || final === undefined || !isAnswered(transaction)) return undefined
  const reliable = findReliable(transaction, final)
  const offer = reliable ?? final
  if (!hasMedia(offer)) return undefined
  const { number, fromTag } = request.message
  const confirmations =
    reliable === undefined
      ? (index.acks.get(`${number} ${fromTag}`) ?? [])
      : (index.pracks.get(`${getHeader(reliable.message, 'rseq')?.trim()} ${number} ${fromTag}`) ?? []).map(
          (prack) => prack.request,
        )
  const answer = confirmations.find((one) => one.from === offer.to && hasMedia(one))
  return answer && { transaction, offer, answer }
}

/** A side that holds a call by its address receives nothing, and may still send, such as music (RFC 3264 §8.4). */
const sends = (media: SdpMedia): boolean =>
  isActive(media) && (media.direction === 'sendrecv' || media.direction === 'sendonly')

const receives = (media: SdpMedia): boolean =>
  isActive(media) && !isHeldByAddress(media) && (media.direction === 'sendrecv' || media.direction === 'recvonly')

/** Returns whether a side neither refuses nor restricts a stream. */
export const isOpen = (media: SdpMedia): boolean => sends(media) && receives(media)

/** Returns whether an answer stops audio that its offer allows. */
export const restricts = ({ offered, answered }: Pick<Stream, 'offered' | 'answered'>): boolean =>
  (sends(offered) && !receives(answered)) || (receives(offered) && !sends(answered))

const toStreams = ({ offer, answer }: Exchange): Stream[] =>
  offer.media.flatMap((offered, at) => {
    const answered = answer.media[at]
    if (answered === undefined) return []
    return [
      {
        offered,
        answered,
        isAccepted: isActive(offered) && isActive(answered),
        isOut: sends(offered) && receives(answered),
        isIn: sends(answered) && receives(offered),
        common: commonCodecs(answered, offered),
      },
    ]
  })

/** Returns the tags of both sides, which all hops share. */
const toTags = ({ transaction: { request, final } }: Exchange): string => {
  const { fromTag, toTag } = request.message
  return [fromTag, toTag || (final?.message.toTag ?? '')].toSorted().join(' ')
}

const toDialog = (exchange: Exchange): string => {
  const { from, to, leg } = exchange.transaction.request
  return [leg, toTags(exchange), ...[from, to].toSorted((a, b) => a - b), exchange.answer.leg].join(' ')
}

const describeShape = ({ streams, isChange }: Agreement): string =>
  JSON.stringify([
    isChange,
    streams.map(({ offered, answered, isAccepted, isOut, isIn }) => [
      [offered, answered].map(({ kind, protocol, formats, direction }) => [kind, protocol, formats, direction]),
      isAccepted,
      isOut,
      isIn,
      haveMixedFamilies(offered, answered),
    ]),
  ])

/** Microseconds within which a hop repeats the negotiation of another one. */
const repeatWindow = 5_000_000

/** Omits what further hops repeat with other addresses, so that each fact is found once. */
const withoutRepeats = (agreements: readonly Agreement[]): Agreement[] => {
  const latest = new Map<string, Agreement>()
  return agreements.filter((agreement) => {
    const shape = describeShape(agreement)
    const earlier = latest.get(shape)
    const isRepeat =
      earlier !== undefined &&
      earlier.dialog !== agreement.dialog &&
      agreement.offer.at - earlier.offer.at < repeatWindow
    if (!isRepeat) latest.set(shape, agreement)
    return !isRepeat
  })
}

/** Omits changes that a further hop repeats, even if it negotiates other codecs or transports. In order of the offers. */
export const withoutNextHops = (changes: readonly Agreement[]): Agreement[] => {
  const onFirstHop: Agreement[] = []
  for (const change of changes) {
    const previous = onFirstHop.at(-1)
    const isNextHop =
      previous !== undefined && previous.dialog !== change.dialog && change.offer.at - previous.offer.at < repeatWindow
    if (!isNextHop) onFirstHop.push(change)
  }
  return onFirstHop
}

const negotiating = new Set(['INVITE', 'UPDATE', 'PRACK'])

const negotiate = (call: SipCall): readonly Agreement[] => {
  const index = toIndex(call)
  const all = call.transactions.flatMap((transaction): Agreement[] => {
    const { message } = transaction.request
    if (!negotiating.has(message.method)) return []
    const exchange = findExchange(transaction, index)
    if (exchange === undefined || isBodyCut(exchange.offer.message) || isBodyCut(exchange.answer.message)) return []
    const isChange = message.toTag !== ''
    const dialog = toDialog(exchange)
    return [{ ...exchange, isChange, dialog, streams: toStreams(exchange), before: undefined, ofDialog: [] }]
  })
  const lastOfHop = new Map<string, Agreement>()
  const byTags = new Map<string, Agreement[]>()
  const isEarlyOnly = findEarlyDialogs(call)
  const linked = all
    .filter(({ transaction: { request } }) => request.message.toTag === '' || !isEarlyOnly(request))
    .toSorted((a, b) => a.answer.id - b.answer.id)
    .map((agreement) => {
      const tags = toTags(agreement)
      const ofDialog = byTags.get(tags) ?? []
      const withOthers = { ...agreement, before: lastOfHop.get(agreement.dialog), ofDialog }
      lastOfHop.set(agreement.dialog, withOthers)
      byTags.set(tags, ofDialog)
      ofDialog.push(withOthers)
      return withOthers
    })
  return withoutRepeats(linked.toSorted((a, b) => a.offer.id - b.offer.id))
}

/** Returns whether a request belongs to a dialog of an INVITE that was captured and not answered with a success. */
const findEarlyDialogs = ({ transactions }: SipCall): ((request: ParsedArrow) => boolean) => {
  const [begun, answered] = [new Set<string>(), new Set<string>()]
  for (const transaction of transactions) {
    const { request, final } = transaction
    if (request.message.method !== 'INVITE' || request.message.toTag !== '') continue
    begun.add(request.message.fromTag)
    if (isAnswered(transaction) && final !== undefined)
      answered.add(`${request.message.fromTag} ${final.message.toTag}`)
  }
  return ({ message: { fromTag, toTag } }) =>
    (begun.has(fromTag) && !answered.has(`${fromTag} ${toTag}`)) ||
    (begun.has(toTag) && !answered.has(`${toTag} ${fromTag}`))
}

/** Each rule asks for the agreements of the same call. */
const agreementsByCall = new WeakMap<SipCall, readonly Agreement[]>()

/**
 * Returns the agreements of all dialogs that were established, in the order of their offers. A refused offer is none,
 * and leaves the session as it was (RFC 3261 §14.1). Neither are the early dialogs of a call that was not answered, or
 * was answered elsewhere.
 */
export const findAgreements = (call: SipCall): readonly Agreement[] => {
  const agreements = agreementsByCall.get(call) ?? negotiate(call)
  agreementsByCall.set(call, agreements)
  return agreements
}

/** Returns the stream of this kind that both sides use, or the first one of the kind if they use none. */
export const findStream = ({ streams }: Pick<Agreement, 'streams'>, kind: string): Stream | undefined => {
  const ofKind = streams.filter(({ offered, answered }) => offered.kind === kind && answered.kind === kind)
  return ofKind.find(({ isAccepted }) => isAccepted) ?? ofKind[0]
}

export const findAudio = (agreement: Pick<Agreement, 'streams'>): Stream | undefined => findStream(agreement, 'audio')

/** Returns whether the description offers fax over T.38: as UDPTL (ITU-T T.38 Annex D), or over RTP (RFC 4612). */
export const isFax = ({ kind, formats }: SdpMedia): boolean =>
  formats.some(({ codec, payload }) => (kind === 'image' ? /^t38$/i.test(payload) : /^t38\//i.test(codec)))

/** Returns the stream of a fax over T.38 that both sides use. */
export const findFax = ({ streams }: Pick<Agreement, 'streams'>): Stream | undefined =>
  streams.find(({ offered, answered, isAccepted }) => isAccepted && isFax(offered) && isFax(answered))

/** Returns the audio stream of an agreement whose both directions are open, with a codec that both sides have. */
export const isAudioBothWays = (agreement: Agreement): boolean => {
  const audio = findAudio(agreement)
  return audio !== undefined && audio.isIn && audio.isOut && audio.common.length > 0
}

/** Returns the main codecs of a description. */
export const mainCodecs = ({ codecs }: SdpMedia): string[] => speechCodecs(codecs)

/** Returns whether the called party records the call. It only listens (RFC 7866 §7.1.1). */
export const isRecordingSession = ({ offer: { message } }: Pick<Agreement, 'offer'>): boolean =>
  ['require', 'contact'].some((name) => /\bsiprec\b|\+sip\.src\b/i.test(getHeader(message, name) ?? ''))

/** Returns what was agreed when the call was answered. Later offers can precede the answer of the call (RFC 3311 §5). */
export const findAnswered = (initial: Agreement): Agreement =>
  initial.ofDialog.findLast(
    ({ dialog, answer }) => dialog === initial.dialog && answer.id < (initial.transaction.final?.id ?? 0),
  ) ?? initial
