import {
  describeParty,
  findOrigin,
  getStatus,
  isAnswered,
  isChallenged,
  requestsNamed,
  type SipCall,
  type SipTransaction,
} from './transactions.ts'
import { arrowIds, sentence, type SipFinding } from './findings/rule.ts'
import { secondsText, type ParsedArrow } from './ladder.ts'
import { isSilenceProven, toRefusedCall } from './findings/outcome.ts'
import { formatReasonHeaders } from './reasons.ts'
import { explainRefusal } from './refusal.ts'

/** Findings about the relation between the legs of a call. Pure. */

interface Leg {
  call: SipCall
  /** Formatted as `leg B`. */
  name: string
  firstInvite: ParsedArrow
  last: SipTransaction
}

type LegRule = (first: Leg, other: Leg) => readonly SipFinding[]

const findFirst = ({ call }: Leg, method: string): ParsedArrow | undefined => requestsNamed(call, method)[0]?.request

/** Returns the final error response of a leg, unless it asks for credentials or results from a CANCEL. */
const findRejection = ({ call, last }: Leg) => {
  const { final } = last
  if (final === undefined || getStatus(final) < 300 || isChallenged(last)) return undefined
  if (getStatus(final) === 487 && requestsNamed(call, 'CANCEL').length > 0) return undefined
  return { final, by: findOrigin(call, last, final).request.to }
}

/** Microseconds by which the clocks of two capture agents can differ. */
const clockTolerance = 2_000_000

/** Returns whether a message follows another one of another leg. Each leg can have a clock of its own. */
const follows = (later: ParsedArrow, earlier: ParsedArrow): boolean =>
  later.at >= earlier.at - (later.agent !== undefined && later.agent === earlier.agent ? 0 : clockTolerance)

/** Formats the time between messages of two legs. */
const formatLater = (earlier: ParsedArrow, later: ParsedArrow): string =>
  later.at >= earlier.at ? `${secondsText(later.at - earlier.at)} later` : 'at the same time'

interface LegRequest {
  leg: Leg
  request: ParsedArrow
}

const addressAt = ({ call }: Leg, lane: number): string | undefined => call.ladder.lanes[lane]?.address

/** Returns whether the host that received a request sent the other one, and not the other way around. */
const canCause = (one: LegRequest, other: LegRequest): boolean => {
  const { leg, request } = one
  const isPassedOn = addressAt(leg, request.to) === addressAt(other.leg, other.request.from)
  return isPassedOn && addressAt(other.leg, other.request.to) !== addressAt(leg, request.from)
}

/**
 * Orders the same request of several legs: a host between the legs received it before it sent the next one. Time stamps
 * decide if the hosts do not, or if they differ by more than clocks do.
 */
const compareRequests = (one: LegRequest, other: LegRequest): number => {
  if (follows(one.request, other.request) && follows(other.request, one.request)) {
    if (canCause(one, other)) return -1
    if (canCause(other, one)) return 1
  }
  return one.request.at - other.request.at
}

/** Reports which leg hung up first, and how long afterwards the other legs did. RFC 3261 §15. */
const hungUpFirst = (legs: readonly Leg[]): SipFinding[] => {
  const byes = legs
    .flatMap((leg) => {
      const request = findFirst(leg, 'BYE')
      return request === undefined ? [] : [{ leg, request }]
    })
    .toSorted(compareRequests)
  const [first, ...then] = byes
  if (first === undefined || legs.filter(({ last }) => isAnswered(last)).length < 2) return []
  const { leg, request: bye } = first
  const followed = then.map(({ leg: { name }, request }) => `${name} was hung up ${formatLater(bye, request)}`)
  return [
    {
      severity: 'info',
      text:
        `The hangup came from ${leg.name}: there ${describeParty(leg.call, bye.from)} hung up first` +
        `${followed.length > 0 ? `, and ${followed.join(', ')}` : '. No BYE of another leg was captured'}.${formatReasonHeaders(bye.message)}`,
      where: bye.from,
      arrows: arrowIds(bye, ...then.map(({ request }) => request)),
      source: 'RFC 3261 §15',
    },
  ]
}

/** Says what became of a leg after which, or beside which, another leg was answered. */
const describeSuperseded = ({ call, name, last }: Leg): SipFinding => {
  const { request, final } = last
  const outcome = final === undefined ? 'no final response was captured' : final.title
  return {
    severity: 'info',
    text: `${sentence(name)} to ${describeParty(call, request.to)} was tried, too (${outcome}). Another leg was answered.`,
    where: request.to,
    arrows: arrowIds(request, final),
    source: 'RFC 3261 §16.7, RFC 3263 §4.3',
  }
}

/** Reports a rejected leg and the effect on the first leg. RFC 3261 §21. */
const rejectedLeg: LegRule = (first, other) => {
  const refusal = findRejection(other)
  if (refusal === undefined) return []
  const { final, by } = refusal
  const refused = toRefusedCall(other.call, other.last, final)
  const { explanation, details, severity, source, block } = explainRefusal(refused)
  const before = findRejection(first)
  const isCause = before !== undefined && follows(before.final, final)
  const bye = findFirst(first, 'BYE')
  const after = (arrow: ParsedArrow) => formatLater(final, arrow)
  const [became, more] =
    before !== undefined && isCause
      ? [`${first.name} was rejected with ${before.final.title} ${after(before.final)} as a result`, before.final]
      : isAnswered(first.last)
        ? bye !== undefined && follows(bye, final)
          ? [`${first.name} had been answered, and was hung up ${after(bye)}`, bye]
          : [`${first.name} was answered`, undefined]
        : [`${first.name} was not answered`, undefined]
  return [
    {
      severity,
      text:
        `${sentence(other.name)} failed: ${describeParty(other.call, by)} responded with ${final.title} (${explanation}). ` +
        `${sentence(became)}.${details}`,
      where: by,
      arrows: arrowIds(other.last.request, final, more),
      source,
      contacts: block?.contacts ?? [],
      ...(isCause ? { refused: { ...refused, by } } : {}),
    },
  ]
}

/** Reports an unanswered leg, whether it was canceled or not. RFC 3261 §9.1, §17.1.1.2. */
const unansweredLeg: LegRule = (first, other) => {
  const { request, answers, final } = other.last
  const [firstCancel, cancel] = [findFirst(first, 'CANCEL'), findFirst(other, 'CANCEL')]
  if (answers.length === 0) {
    if (!isSilenceProven(other.call, request)) return []
    return [
      {
        severity: 'bad',
        text: `${sentence(other.name)} failed: ${describeParty(other.call, request.to)} never answered the INVITE.`,
        where: request.to,
        arrows: arrowIds(request),
        source: 'RFC 3261 §17.1.1.2',
      },
    ]
  }
  if (cancel === undefined || (final !== undefined && getStatus(final) !== 487)) return []
  const since = `${secondsText(cancel.at - other.firstInvite.at)} after it began, before ${describeParty(other.call, request.to)} had answered`
  return [
    {
      // A call that goes on, for example to a voicemail, is not broken.
      severity: firstCancel === undefined && !isAnswered(first.last) ? 'warn' : 'info',
      text:
        firstCancel !== undefined && follows(cancel, firstCancel)
          ? `${sentence(describeParty(first.call, firstCancel.from))} canceled the call on ${first.name}; ${other.name} was canceled as a result, ${since}.`
          : `${sentence(other.name)} was canceled ${since}: not by the caller of ${first.name}, but by ${describeParty(other.call, cancel.from)}.`,
      where: firstCancel?.from ?? cancel.from,
      arrows: arrowIds(firstCancel, cancel),
      source: 'RFC 3261 §9.1',
    },
  ]
}

const rules: readonly LegRule[] = [rejectedLeg, unansweredLeg]

/** Returns the legs with an INVITE, the one that began first before all others. */
const toLegs = (calls: readonly NamedCall[]): Leg[] =>
  calls
    .flatMap(({ call, name }): Leg[] => {
      const { last, attempts } = call
      return last === undefined
        ? []
        : [{ call, name: `leg ${name}`, firstInvite: attempts[0]?.request ?? last.request, last }]
    })
    .toSorted((one, other) =>
      compareRequests({ leg: one, request: one.firstInvite }, { leg: other, request: other.firstInvite }),
    )

interface NamedCall {
  call: SipCall
  name: string
}

/**
 * Returns the calls of the legs that do not matter, because another leg was answered: targets that were tried before it
 * or at the same time. The first leg is the call itself, and always matters.
 */
export const findSuperseded = (calls: readonly NamedCall[]): ReadonlySet<SipCall> => {
  const [, ...others] = toLegs(calls)
  const isAnyAnswered = others.some(({ last }) => isAnswered(last))
  return new Set(isAnyAnswered ? others.filter(({ last }) => !isAnswered(last)).map(({ call }) => call) : [])
}

/** Compares the first leg with each of the others. Legs without an INVITE are ignored. */
export const findLegFindings = (calls: readonly NamedCall[]): SipFinding[] => {
  const legs = toLegs(calls)
  const [first, ...others] = legs
  if (first === undefined) return []
  const superseded = findSuperseded(calls)
  const compare = (other: Leg): SipFinding[] =>
    superseded.has(other.call) ? [describeSuperseded(other)] : rules.flatMap((rule) => rule(first, other))
  return [...hungUpFirst(legs), ...others.flatMap(compare)]
}
