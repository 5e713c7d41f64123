import { findByes } from './findings/hangup.ts'
import { isSilenceProven } from './findings/outcome.ts'
import { arrowIds, type SipFinding, sentence } from './findings/rule.ts'
import { type ParsedArrow, secondsText } from './ladder.ts'
import { findHangups } from './leg-hangups.ts'
import {
  canCause,
  causes,
  compareRequests,
  follows,
  formatLater,
  haveSameSender,
  isNear,
  isProvenLater,
  type Leg,
} from './leg-order.ts'
import { findNextLeg, findRejection, findRejectionCauses, type Rejection } from './leg-rejections.ts'
import { explainRefusal } from './refusal.ts'
import { toRefusedCall } from './refused-call.ts'
import {
  describeHost,
  describeParty,
  getStatus,
  isAnswered,
  lastSeenAt,
  requestsNamed,
  type SipCall,
} from './transactions.ts'

/** Findings about the relation between the legs of a call. Pure. */

/** @param others all legs except the first one */
type LegRule = (first: Leg, other: Leg, others: readonly Leg[]) => readonly SipFinding[]

const findFirst = ({ call }: Leg, method: string): ParsedArrow | undefined => requestsNamed(call, method)[0]?.request

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

/** Says what became of the first leg after another one was rejected, and with which message. */
const describeEffect = (first: Leg, rejected: Rejection, others: readonly Leg[], isCause: boolean) => {
  const after = (arrow: ParsedArrow) => formatLater(rejected.final, arrow)
  const own = findRejection(first)
  if (own !== undefined && follows(own.final, rejected.final)) {
    const next = findNextLeg(rejected, own, others)
    const [before, result] = [next ? `${next.name} was tried next, and ` : '', isCause ? ' as a result' : '']
    const text = `${before}${first.name} was rejected with ${own.final.title} ${after(own.final)}${result}`
    return { text, arrow: own.final }
  }
  if (!isAnswered(first.last)) return { text: `${first.name} was not answered`, arrow: undefined }
  const bye = findByes(first.call)[0]?.request
  return bye !== undefined && follows(bye, rejected.final)
    ? { text: `${first.name} had been answered, and was hung up ${after(bye)}`, arrow: bye }
    : { text: `${first.name} was answered`, arrow: undefined }
}

/** Reports a rejected leg and the effect on the first leg. RFC 3261 §21. */
const rejectedLeg: LegRule = (first, other, others) => {
  const rejected = findRejection(other)
  if (rejected === undefined) return []
  const { final, by } = rejected
  const refused = toRefusedCall(other.call, other.last, final)
  const { explanation, details, severity, source, block } = explainRefusal(refused)
  const own = findRejection(first)
  const cause = own && findRejectionCauses(own, others).find(({ leg }) => leg === other)
  const effect = describeEffect(first, rejected, others, cause !== undefined)
  return [
    {
      severity,
      text:
        `${sentence(other.name)} failed: ${describeParty(other.call, by)} responded with ${final.title} (${explanation}). ` +
        `${sentence(effect.text)}.${details}`,
      where: by,
      arrows: arrowIds(other.last.request, final, effect.arrow),
      source,
      contacts: block?.contacts ?? [],
      ...(cause === undefined ? {} : { about: [other.index, first.index] }),
      ...(cause?.isReason === true ? { refused: { ...refused, by } } : {}),
    },
  ]
}

/** Returns the request that ended a leg, and the verb for it. */
const findEnd = (leg: Leg) => {
  const cancel = findFirst(leg, 'CANCEL')
  if (cancel !== undefined) return { request: cancel, ended: 'canceled the call on' }
  const bye = findByes(leg.call)[0]?.request
  return bye && { request: bye, ended: 'hung up' }
}

/** Says who canceled a leg, and whether the end of the first leg is the reason. */
const describeCancel = (first: Leg, other: Leg, cancel: ParsedArrow) => {
  const party = describeParty(other.call, other.last.request.to)
  const since = `${secondsText(cancel.at - other.firstInvite.at)} after it began, before ${party} had answered`
  const by = describeParty(other.call, cancel.from)
  const end = findEnd(first)
  const plain = { text: `${sentence(other.name)} was canceled ${since}, by ${by}.`, end: undefined }
  if (end === undefined) return plain
  const [one, result] = [
    { leg: first, request: end.request },
    { leg: other, request: cancel },
  ]
  // A CANCEL that is stamped before the end of the first leg can come from a timeout.
  if (cancel.at >= end.request.at && causes(one, result)) {
    const who = sentence(describeParty(first.call, end.request.from))
    return {
      text: `${who} ${end.ended} ${first.name}; ${other.name} was canceled as a result, ${since}.`,
      end: end.request,
    }
  }
  if (haveSameSender(one, result) && isNear(end.request, cancel)) {
    const who = describeHost(other.call.ladder, cancel.from)
    return { text: `${who} ${end.ended} ${first.name}, and canceled ${other.name} ${since}.`, end: end.request }
  }
  return isProvenLater(end.request, cancel)
    ? {
        text: `${sentence(other.name)} was canceled ${since}: not by the caller of ${first.name}, but by ${by}.`,
        end: undefined,
      }
    : plain
}

/** Statuses with which a host says that the next one did not respond (RFC 3261 §16.7, §21.4.9, §21.5.4, §21.5.5). */
const timeouts = new Set([408, 480, 503, 504])

/**
 * Returns whether the first leg ended because another one had no response: its host sent the INVITE of the other leg, gave
 * up on it, and neither tried nor had another leg that explains the end.
 */
const isSilenceReason = (first: Leg, other: Leg, others: readonly Leg[]): boolean => {
  const own = findRejection(first)
  const end = own?.final ?? findFirst(first, 'CANCEL')
  const { request } = other.last
  const [one, next] = [
    { leg: first, request: first.firstInvite },
    { leg: other, request },
  ]
  if (end === undefined || isAnswered(first.last) || !canCause(one, next)) return false
  if (own !== undefined && (!timeouts.has(getStatus(own.final)) || findRejectionCauses(own, others).length > 0))
    return false
  const isGivenUp = !isProvenLater({ ...request, at: lastSeenAt(request) }, end)
  const isElsewhere = ({ firstInvite, last }: Leg) => last.answers.length > 0 || isProvenLater(firstInvite, request)
  return isGivenUp && !others.some((leg) => leg !== other && isElsewhere(leg))
}

/** Reports an unanswered leg, whether it was canceled or not. RFC 3261 §9.1, §17.1.1.2. */
const unansweredLeg: LegRule = (first, other, others) => {
  const { request, answers, final } = other.last
  const cancel = findFirst(other, 'CANCEL')
  if (answers.length === 0) {
    if (!isSilenceProven(other.call, request)) return []
    return [
      {
        severity: 'bad',
        text: `${sentence(other.name)} failed: ${describeParty(other.call, request.to)} never answered the INVITE.`,
        where: request.to,
        arrows: arrowIds(request),
        source: 'RFC 3261 §17.1.1.2',
        ...(isSilenceReason(first, other, others) ? { about: [other.index, first.index], isSilence: true } : {}),
      },
    ]
  }
  if (cancel === undefined || (final !== undefined && getStatus(final) !== 487)) return []
  const { text, end } = describeCancel(first, other, cancel)
  return [
    {
      // A call that goes on, for example to a voicemail, is not broken.
      severity: findFirst(first, 'CANCEL') === undefined && !isAnswered(first.last) ? 'warn' : 'info',
      text,
      where: end?.from ?? cancel.from,
      arrows: arrowIds(end, cancel),
      source: 'RFC 3261 §9.1',
    },
  ]
}

const rules: readonly LegRule[] = [rejectedLeg, unansweredLeg]

/** Returns the legs with an INVITE, the one that began first before all others. */
const toLegs = (calls: readonly NamedCall[]): Leg[] =>
  calls
    .flatMap(({ call, name, leg }): Leg[] => {
      const { last, attempts } = call
      return last === undefined
        ? []
        : [{ call, index: leg, name: `leg ${name}`, firstInvite: attempts[0]?.request ?? last.request, last }]
    })
    .toSorted((one, other) =>
      compareRequests({ leg: one, request: one.firstInvite }, { leg: other, request: other.firstInvite }),
    )

interface NamedCall {
  call: SipCall
  name: string
  /** Index in the legs of the ladder. */
  leg: number
}

/**
 * Returns the calls of the legs that do not matter, because another leg was answered: targets that were tried before it
 * or at the same time. A leg that began after the answer, such as a later transfer, is a call of its own. The first leg is
 * the call itself, and always matters.
 */
export const findSuperseded = (calls: readonly NamedCall[]): ReadonlySet<SipCall> => {
  const [, ...others] = toLegs(calls)
  const answers = others.flatMap(({ last }) => (isAnswered(last) && last.final ? [last.final] : []))
  const isSuperseded = ({ firstInvite, last }: Leg) =>
    !isAnswered(last) && answers.some((answer) => follows(answer, firstInvite))
  return new Set(others.filter(isSuperseded).map(({ call }) => call))
}

/** Compares the first leg with each of the others. Legs without an INVITE are ignored. */
export const findLegFindings = (calls: readonly NamedCall[]): SipFinding[] => {
  const legs = toLegs(calls)
  const [first, ...others] = legs
  if (first === undefined) return []
  const superseded = findSuperseded(calls)
  const compare = (other: Leg): SipFinding[] =>
    superseded.has(other.call) ? [describeSuperseded(other)] : rules.flatMap((rule) => rule(first, other, others))
  return [
    ...findHangups(legs),
    ...others.flatMap((other) => compare(other).map((finding) => ({ about: [other.index], ...finding }))),
  ]
}
