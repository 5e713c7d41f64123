import { isPrivateAddress, isPublicAddress } from '../addresses.ts'
import { elapsedText, hostAt, type ParsedArrow } from '../ladder.ts'
import { getHeader } from '../parser.ts'
import {
  describeParty,
  findOrigin,
  getStatus,
  isAnswered,
  isInitialInvite,
  lastSeenAt,
  requestsNamed,
  type SipCall,
  type SipTransaction,
} from '../transactions.ts'
import { findHiddenContact, findRemoteTarget, getLaneAddress, publicContact } from './contact-addresses.ts'
import { arrowIds, provenCopies, type SipFinding, type SipRule, sentence, times } from './rule.ts'

/** Findings about acknowledgments that did not arrive. Pure. */

/** T1 in microseconds (RFC 3261 §17.1.1.1). */
export const roundTrip = 500_000

const isInvite = ({ request }: SipTransaction): boolean => request.message.method === 'INVITE'

/**
 * The sender of a 2xx response without an ACK hangs up after 64*T1, 32 s (RFC 3261 §13.3.1.4), and that of a reliable
 * provisional response without a PRACK rejects the call (RFC 3262 §3). In microseconds, with a margin.
 */
export const ackTimeout = { min: 25_000_000, max: 45_000_000 } as const

/** The longest time between two copies of a 2xx response is T2, 4 s (RFC 3261 §13.3.1.4). In microseconds, with a margin. */
const longestPause = 5_000_000

/** Returns the ACKs of an answer: its own transaction with the tags of the dialog (RFC 3261 §13.2.2.4). */
const findAcks = ({ acks }: SipCall, { message: { number, toTag } }: ParsedArrow): ParsedArrow[] =>
  acks.filter(({ message }) => message.number === number && message.toTag === toTag)

/**
 * Returns an ACK that answers nothing in the capture, although it follows an answer on its hop: the To tag is of no
 * response, or the CSeq number of no INVITE. Such an ACK does not match the dialog of the answer (RFC 3261 §12.2.2).
 */
const findMismatch = (
  { acks, transactions }: SipCall,
  { id, from, to, message: answer }: ParsedArrow,
): { ack: ParsedArrow; what: string } | undefined => {
  const invites = transactions.filter((one) => isInvite(one) && one.request.message.fromTag === answer.fromTag)
  const numbers = new Set(invites.map(({ request }) => request.message.number))
  const tags = new Set(invites.flatMap(({ answers }) => answers.map(({ message }) => message.toTag)))
  const onHop = acks.filter((one) => one.id > id && one.from === to && one.to === from)
  const ofDialog = onHop.filter(({ message }) => message.fromTag === answer.fromTag)
  const other = ofDialog.find(({ message }) => message.number === answer.number && !tags.has(message.toTag))
  if (other !== undefined) return { ack: other, what: 'a To tag that no captured response has' }
  const ack = ofDialog.find(({ message }) => message.toTag === answer.toTag && !numbers.has(message.number))
  return ack && { ack, what: 'a CSeq number that no captured INVITE has' }
}

/**
 * Returns whether the ACK of an answer can pass by the hosts of the capture: a proxy forwarded the INVITE, and did not ask
 * for the later requests of the dialog (RFC 3261 §16.6, step 4).
 */
const canBypass = ({ request, final }: SipTransaction): boolean =>
  request.message.branches.length > 1 &&
  final !== undefined &&
  getHeader(final.message, 'record-route') === undefined &&
  // A sender that repeats it longer got no ACK on any path.
  lastSeenAt(final) - final.at < ackTimeout.min

/** Returns the BYE by which the sender of an answer gave up on the ACK. */
const findGivenUp = (call: SipCall, final: ParsedArrow): ParsedArrow | undefined =>
  requestsNamed(call, 'BYE').find(
    ({ request }) =>
      request.from === final.from && request.at - final.at > ackTimeout.min && request.at - final.at < ackTimeout.max,
  )?.request

/**
 * Returns whether the sender of an answer stopped repeating it long before it would have given up, although the call went
 * on. So an ACK reached it, which was lost at first, or took a path without a capture point.
 */
const isAcknowledgedLater = ({ end }: SipCall, final: ParsedArrow): boolean =>
  lastSeenAt(final) - final.at < ackTimeout.min && end - lastSeenAt(final) > longestPause

interface LostAck extends Pick<SipFinding, 'where' | 'advice'> {
  text: string
  ack?: ParsedArrow | undefined
}

/** Returns whether the INVITE of an answer passed by a host, so that the ACK can pass by it, too. */
const isOnPath = ({ transactions }: SipCall, { message }: ParsedArrow, lane: number): boolean =>
  transactions.some(
    ({ request }) =>
      request.to === lane &&
      request.message.method === 'INVITE' &&
      request.message.number === message.number &&
      request.message.fromTag === message.fromTag,
  )

/** Describes an ACK that was sent to another host than the one that answered. */
const describeStray = (call: SipCall, final: ParsedArrow, ack: ParsedArrow, status: string): LostAck => {
  const [answering, target] = [describeParty(call, final.from), describeParty(call, ack.to)]
  if (isOnPath(call, final, ack.to))
    return {
      text: `${sentence(target)} received the ACK and did not forward it to ${answering} (${status}).`,
      where: ack.to,
      ack,
    }
  const address = getLaneAddress(call, ack.to)
  if (findRemoteTarget(final.message) !== address)
    return { text: `The ACK was sent to ${target}, and did not reach ${answering} (${status}).`, where: undefined, ack }
  const isUnreachable = isPrivateAddress(address) && isPublicAddress(getLaneAddress(call, final.from))
  return {
    text:
      `The ACK did not reach ${answering} (${status}): it was sent to ${hostAt(call.ladder, ack.to)}, which the answer names as its Contact` +
      `${isUnreachable ? ', a private address' : ''}.`,
    where: final.from,
    ack,
    ...(isUnreachable ? { advice: publicContact } : {}),
  }
}

/**
 * Returns whether a complete answer that begins a dialog lacks the Contact header, so that its ACK has no target (RFC 3261
 * §12.1.1, §13.3.1.4). In a re-INVITE, the target of the dialog stays.
 */
const isWithoutContact = (transaction: SipTransaction, { message, raw }: ParsedArrow): boolean =>
  isInitialInvite(transaction) && getHeader(message, 'contact') === undefined && /\r?\n\r?\n/.test(raw)

/**
 * Describes why the ACK of an answer did not arrive. An ACK goes to the Contact of the answer, unless a proxy asked for it
 * (RFC 3261 §12.2.1.1), so the Contact is the reason if it is out of reach.
 */
const describeLostAck = (
  call: SipCall,
  transaction: SipTransaction,
  final: ParsedArrow,
  acks: readonly ParsedArrow[],
): LostAck => {
  const status = `${final.title}, sent ${times(final.again.length + 1)}`
  const stray = acks.at(-1)
  if (stray !== undefined) return describeStray(call, final, stray, status)
  const [caller, answering] = [describeParty(call, final.to), describeParty(call, final.from)]
  const mismatch = findMismatch(call, final)
  const contact = mismatch === undefined ? findHiddenContact(call, transaction, final) : undefined
  if (contact !== undefined)
    return {
      text: `No ACK of ${caller} reached ${answering} (${status}), which names ${contact} as its Contact: a private address, which ${hostAt(call.ladder, final.to)} cannot reach from a public network.`,
      where: final.from,
      advice: publicContact,
    }
  if (mismatch === undefined && isWithoutContact(transaction, final))
    return {
      text: `No ACK reached ${answering} (${status}): its answer has no Contact header, which says where to send an ACK.`,
      where: final.from,
      advice: 'Let the host that answered add a Contact header to its answer, which RFC 3261 requires.',
    }
  return {
    text: `${sentence(caller)} never acknowledged the answer of ${answering} (${status}): ${mismatch ? `its ACK has ${mismatch.what}` : 'no ACK was captured'}.`,
    where: final.to,
    ack: mismatch?.ack,
  }
}

/**
 * Reports a 2xx response that was repeated because no ACK arrived. Its sender repeats it until the ACK arrives, also over
 * TCP, so an answer that is sent once was acknowledged, wherever the ACK went: without Record-Route it does not pass the
 * hosts between the two sides. RFC 3261 §13.2.2.4, §13.3.1.4.
 */
export const noAck: SipRule = (call) =>
  call.transactions.flatMap((transaction): SipFinding[] => {
    const { final } = transaction
    if (!isInvite(transaction) || final === undefined || !isAnswered(transaction)) return []
    // If several hops carry the call, only the hop where the response originated is reported.
    if (findOrigin(call, transaction, final) !== transaction) return []
    const acks = findAcks(call, final)
    const arrived = acks.find((ack) => ack.to === final.from)
    const bye = findGivenUp(call, final)
    const ended = bye ? ` It hung up for this reason after ${elapsedText(final, bye)}.` : ''
    // A copy that was under way when the ACK arrived proves nothing.
    const late = arrived === undefined ? final.again : final.again.filter((at) => at - arrived.at > roundTrip)
    if (late.length < provenCopies) return []
    if (bye === undefined && isAcknowledgedLater(call, final))
      return [
        {
          severity: 'info',
          text: `${sentence(describeParty(call, final.from))} sent ${final.title} ${times(final.again.length + 1)}, until an ACK reached it. ${acks.length === 0 ? 'The ACK was not captured.' : 'Others were lost, or took longer.'}`,
          arrows: arrowIds(final, arrived),
          source: 'RFC 3261 §13.3.1.4',
        },
      ]
    if (acks.length === 0 && bye === undefined && canBypass(transaction))
      return [
        {
          severity: 'info',
          text: `${sentence(describeParty(call, final.from))} sent ${final.title} ${times(final.again.length + 1)}. No proxy asked for the later requests (Record-Route), so that the ACK can take a path without a capture point.`,
          arrows: arrowIds(final),
          source: 'RFC 3261 §12.1.1, §13.2.2.4',
        },
      ]
    if (arrived === undefined) {
      const { text, where, ack, advice } = describeLostAck(call, transaction, final, acks)
      return [
        {
          severity: 'bad',
          text: `${text}${ended}`,
          where,
          arrows: arrowIds(final, ack, bye),
          source: 'RFC 3261 §13.2.2.4, §13.3.1.4',
          ...(advice === undefined ? {} : { advice }),
        },
      ]
    }
    return [
      {
        severity: 'bad',
        text: `${sentence(describeParty(call, final.from))} repeated ${final.title} ${times(late.length)} after the ACK had been seen: the ACK does not reach it or does not match its dialog.${ended}`,
        where: final.from,
        arrows: arrowIds(final, arrived, bye),
        source: 'RFC 3261 §13.3.1.4',
      },
    ]
  })

/**
 * Reports an error response that was repeated because no ACK arrived on its hop. Over UDP it is repeated until then, so
 * one that is sent once was acknowledged, or the capture ended. RFC 3261 §17.1.1.3, §17.2.1.
 */
export const refusalNotAcked: SipRule = (call) =>
  call.transactions.flatMap((transaction): SipFinding[] => {
    const { request, final } = transaction
    if (!isInvite(transaction) || final === undefined || getStatus(final) < 300) return []
    if (final.again.length < provenCopies) return []
    const { number } = request.message
    if (call.acks.some((ack) => ack.message.number === number && ack.to === final.from)) return []
    return [
      {
        severity: 'warn',
        text: `${sentence(describeParty(call, final.to))} did not acknowledge ${final.title} of ${describeParty(call, final.from)}, sent ${times(final.again.length + 1)}.`,
        where: final.to,
        arrows: arrowIds(final),
        source: 'RFC 3261 §17.1.1.3',
      },
    ]
  })
