import { elapsedText, type ParsedArrow } from '../ladder.ts'
import { getHeader } from '../parser.ts'
import {
  describeParty,
  findOrigin,
  getStatus,
  isAnswered,
  lastSeenAt,
  requestsNamed,
  type SipCall,
  type SipTransaction,
} from '../transactions.ts'
import { arrowIds, provenCopies, type SipFinding, type SipRule, sentence, times } from './rule.ts'

/** Findings below the call level: acknowledgments and packet loss. Pure. */

/** T1 in microseconds (RFC 3261 §17.1.1.1). */
const roundTrip = 500_000

const isInvite = ({ request }: SipTransaction): boolean => request.message.method === 'INVITE'

/**
 * The sender of a 2xx response without an ACK hangs up after 64*T1, 32 s (RFC 3261 §13.3.1.4). In microseconds, with a
 * margin.
 */
const ackTimeout = { min: 25_000_000, max: 45_000_000 } as const

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
    const statusWithCount = `${final.title}, sent ${times(final.again.length + 1)}`
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
      const lost = acks.at(-1)
      const mismatch = findMismatch(call, final)
      return [
        {
          severity: 'bad',
          text: lost
            ? `${sentence(describeParty(call, lost.to))} received the ACK and did not forward it to ${describeParty(call, final.from)} (${statusWithCount}).${ended}`
            : `${sentence(describeParty(call, final.to))} never acknowledged the answer of ${describeParty(call, final.from)} (${statusWithCount}): ${mismatch ? `its ACK has ${mismatch.what}` : 'no ACK was captured'}.${ended}`,
          where: lost?.to ?? final.to,
          arrows: arrowIds(final, lost ?? mismatch?.ack, bye),
          source: 'RFC 3261 §13.2.2.4, §13.3.1.4',
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

/**
 * Reports a reliable provisional response that was repeated because no PRACK arrived, or although one did. It is not
 * confirmed if the final response came first. RFC 3262 §3.
 */
export const noPrack: SipRule = (call) => {
  const pracks = new Map(
    requestsNamed(call, 'PRACK').map(({ request }) => [
      `${request.to} ${getHeader(request.message, 'rack')?.trim().split(/\s+/, 1)[0]}`,
      request,
    ]),
  )
  const confirmed = new Set([...pracks.keys()].map((key) => key.split(' ')[1]))
  return call.transactions.flatMap(({ answers }) =>
    answers.flatMap((answer): SipFinding[] => {
      const sequence = getHeader(answer.message, 'rseq')?.trim()
      if (sequence === undefined || getStatus(answer) >= 200 || answer.again.length < provenCopies) return []
      const base = { severity: 'warn', source: 'RFC 3262 §3' } as const
      const prack = pracks.get(`${answer.from} ${sequence}`)
      // A copy that was under way when the PRACK arrived proves nothing.
      const late = prack === undefined ? 0 : answer.again.filter((at) => at - prack.at > roundTrip).length
      if (prack !== undefined && late >= provenCopies)
        return [
          {
            ...base,
            text: `${sentence(describeParty(call, answer.from))} repeated ${answer.title} ${times(late)} after the PRACK had been seen: the PRACK does not reach it or does not match its response.`,
            where: answer.from,
            arrows: arrowIds(answer, prack),
          },
        ]
      if (confirmed.has(sequence)) return []
      return [
        {
          ...base,
          text: `${sentence(describeParty(call, answer.to))} did not confirm ${answer.title} with a PRACK, which ${describeParty(call, answer.from)} asked for (sent ${times(answer.again.length + 1)}).`,
          where: answer.to,
          arrows: arrowIds(answer),
        },
      ]
    }),
  )
}

/** After so many copies, which are sent in 7.5 s (RFC 3261 §17.1.1.2), callers notice the delay. */
const manyCopies = 4

/**
 * Reports requests that were retransmitted although there was a response: packets are lost, or responses are slow. RFC
 * 3261 §17.1.1.1, §17.1.2.2.
 */
export const repeated: SipRule = (call) => {
  const late = call.transactions.flatMap(({ request, answers }) => {
    const [first] = answers
    return request.again.length > 0 && first !== undefined ? [{ request, first }] : []
  })
  // A single copy is normal: the response was under way.
  if (late.reduce((sum, one) => sum + one.request.again.length, 0) < 2) return []
  const [slowest] = late.toSorted((a, b) => b.request.again.length - a.request.again.length)
  if (slowest === undefined) return []
  const { request, first } = slowest
  const isLate = first.at > (request.again[0] ?? 0)
  const copies = late.reduce((sum, one) => sum + one.request.again.length, 0)
  return [
    {
      severity: request.again.length < manyCopies ? 'info' : 'warn',
      text:
        `Requests were retransmitted ${times(copies)}, mostly the ${request.title} to ${describeParty(call, request.to)}: ` +
        (isLate
          ? `its first response took ${elapsedText(request, first)}.`
          : `its responses, the first after ${elapsedText(request, first)}, did not all reach ${describeParty(call, request.from)}.`),
      where: isLate ? request.to : request.from,
      arrows: late.map((one) => one.request.id),
      source: 'RFC 3261 §17.1.1.1, §17.1.2.2',
    },
  ]
}

/** Reports packets that are not SIP, and messages that are truncated. RFC 3261 §7, §18.3. */
export const unreadable: SipRule = ({ ladder: { arrows, legs } }) => {
  const [doubled, unclear] = [
    legs.reduce((sum, leg) => sum + leg.doubled, 0),
    legs.reduce((sum, leg) => sum + (leg.unclear ?? 0), 0),
  ]
  const [nonsense, cut] = [
    arrows.filter(({ message }) => message === undefined),
    arrows.filter(({ message }) => message?.isCut),
  ]
  const findings: SipFinding[] = []
  if (nonsense.length > 0)
    findings.push({
      severity: 'info',
      text: `${nonsense.length === 1 ? 'One captured packet is' : `${nonsense.length} captured packets are`} not valid SIP.`,
      arrows: nonsense.map(({ id }) => id),
      source: 'RFC 3261 §7',
    })
  if (cut.length > 0)
    findings.push({
      severity: 'info',
      text: `${cut.length === 1 ? 'One message has' : `${cut.length} messages have`} a body that is shorter than its Content-Length: truncated in transit or by the capture.`,
      arrows: cut.map(({ id }) => id),
      source: 'RFC 3261 §18.3',
    })
  if (doubled > 0)
    findings.push({
      severity: 'info',
      text: `Packets were captured at several places. ${doubled === 1 ? 'One copy is' : `${doubled} copies are`} not displayed.`,
      arrows: [],
      source: 'RFC 3261 §17.1.1.2: nothing is retransmitted before T1, 500 ms',
    })
  if (unclear > 0)
    findings.push({
      severity: 'info',
      text: `${unclear === 1 ? 'One packet is not displayed, because it repeats' : `${unclear} packets are not displayed, because each repeats`} another one within 0.1 s: captured twice, or sent again early.`,
      arrows: [],
      source: 'RFC 3261 §17.1.1.1',
    })
  return findings
}
