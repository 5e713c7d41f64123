import { elapsedText, type ParsedArrow } from '../ladder.ts'
import { getHeader } from '../parser.ts'
import { describeParty, getStatus, requestsNamed, type SipCall, type SipTransaction } from '../transactions.ts'
import { ackTimeout, roundTrip } from './lost-acks.ts'
import { arrowIds, provenCopies, type SipEnding, type SipFinding, type SipRule, sentence, times } from './rule.ts'

/** Findings below the call level: reliable responses and packet loss. Pure. */

/**
 * Returns the rejection with which the sender of a reliable response stops to wait for its PRACK: a 5xx, 64*T1 after the
 * response (RFC 3262 §3).
 */
const findPrackTimeout = ({ final }: SipTransaction, answer: ParsedArrow): ParsedArrow | undefined => {
  if (final === undefined || Math.floor(getStatus(final) / 100) !== 5) return undefined
  const passed = final.at - answer.at
  return passed > ackTimeout.min && passed < ackTimeout.max ? final : undefined
}

/** Returns the RAck header of the PRACK that confirms a reliable response (RFC 3262 §7.2). */
const toRack = (sequence: string, { message }: ParsedArrow): string => `${sequence} ${message.number} INVITE`

/** Returns the RAck header of a PRACK with its numbers and blanks as `toRack` writes them. */
const readRack = (prack: ParsedArrow): string | undefined => {
  const [, sequence, number, method] =
    /^(\d{1,10})\s+(\d{1,10})\s+(\S{1,32})$/.exec(getHeader(prack.message, 'rack')?.trim() ?? '') ?? []
  return sequence && `${Number(sequence)} ${Number(number)} ${method}`
}

interface Mismatch {
  prack: ParsedArrow
  refusal: ParsedArrow
  rack: string
}

/** Returns the RAck headers of PRACKs that would confirm the reliable responses of a call. */
const listRacks = ({ transactions }: SipCall): ReadonlySet<string> =>
  new Set(
    transactions.flatMap(({ answers }) =>
      answers.flatMap((one) => {
        const number = getHeader(one.message, 'rseq')?.trim()
        return number === undefined ? [] : [toRack(number, one)]
      }),
    ),
  )

/**
 * Returns a PRACK in the dialog of a reliable response that confirms no captured one, and that was refused for this reason
 * (RFC 3262 §3). Undefined if another PRACK confirms the response.
 * @param reliable see `listRacks`
 */
const findMismatch = (
  call: SipCall,
  answer: ParsedArrow,
  sequence: string,
  reliable: ReadonlySet<string>,
): Mismatch | undefined => {
  const { from, id, message } = answer
  const pracks = requestsNamed(call, 'PRACK').filter(
    ({ request }) => request.to === from && request.id > id && request.message.toTag === message.toTag,
  )
  if (pracks.some(({ request }) => readRack(request) === toRack(sequence, answer))) return undefined
  for (const { request, final } of pracks) {
    const rack = readRack(request)
    if (final !== undefined && getStatus(final) === 481 && rack !== undefined && !reliable.has(rack))
      return { prack: request, refusal: final, rack }
  }
  return undefined
}

/** Describes a reliable response that was not confirmed, and how it makes the call end. */
const describeUnconfirmed = (
  call: SipCall,
  answer: ParsedArrow,
  sequence: string,
  mismatch: Mismatch | undefined,
): { text: string; outcome: SipEnding } => {
  const [waiting, confirming] = [describeParty(call, answer.from), sentence(describeParty(call, answer.to))]
  const copies = `sent ${times(answer.again.length + 1)}`
  if (mismatch === undefined)
    return {
      text: `${confirming} did not confirm ${answer.title} with a PRACK, which ${waiting} asked for (${copies}).`,
      outcome: {
        text: `No PRACK for ${answer.title} arrived`,
        advice:
          'Check that the side that has to confirm responses supports PRACK (100rel), and that it can reach the address in the Contact header of the response. Otherwise, turn off reliable provisional responses.',
      },
    }
  return {
    text: `${confirming} confirmed ${answer.title} (${copies}) with a PRACK that does not match it: its RAck is ${mismatch.rack} instead of ${toRack(sequence, answer)}. ${sentence(waiting)} rejected it with ${mismatch.refusal.title}.`,
    outcome: {
      text: `The PRACK for ${answer.title} did not match it`,
      advice:
        'Correct the RAck header of the side that confirms responses: it repeats the RSeq number and the CSeq of the response. Otherwise, turn off reliable provisional responses.',
    },
  }
}

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
  const reliable = listRacks(call)
  const confirmed = new Set([...pracks.keys()].map((key) => key.split(' ')[1]))
  return call.transactions.flatMap((transaction) =>
    transaction.answers.flatMap((answer): SipFinding[] => {
      const sequence = getHeader(answer.message, 'rseq')?.trim()
      if (sequence === undefined || getStatus(answer) >= 200 || answer.again.length < provenCopies) return []
      const base = { severity: 'warn', source: 'RFC 3262 §3' } as const
      const prack = pracks.get(`${answer.from} ${sequence}`)
      const mismatch = findMismatch(call, answer, sequence, reliable)
      // A copy that was under way when the PRACK arrived proves nothing.
      const late = prack === undefined ? 0 : answer.again.filter((at) => at - prack.at > roundTrip).length
      if (mismatch === undefined && prack !== undefined && late >= provenCopies)
        return [
          {
            ...base,
            text: `${sentence(describeParty(call, answer.from))} repeated ${answer.title} ${times(late)} after the PRACK had been seen: the PRACK does not reach it or does not match its response.`,
            where: answer.from,
            arrows: arrowIds(answer, prack),
          },
        ]
      if (mismatch === undefined && confirmed.has(sequence)) return []
      const rejection = findPrackTimeout(transaction, answer)
      const ended = rejection
        ? ` It rejected the call with ${rejection.title} after ${elapsedText(answer, rejection)}, which is how long it waits for a PRACK.`
        : ''
      const { text, outcome } = describeUnconfirmed(call, answer, sequence, mismatch)
      return [
        {
          ...base,
          severity: rejection === undefined ? 'warn' : 'bad',
          text: `${text}${ended}`,
          where: answer.to,
          arrows: arrowIds(answer, mismatch?.prack, mismatch?.refusal, rejection),
          ...(rejection && { unconfirmed: outcome }),
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
