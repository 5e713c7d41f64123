import { findOrigin, type SipCall, type SipTransaction, who } from './transactions.ts'
import { arrowIds, sentence, type SipFinding } from './findings/rule.ts'
import { secondsText, type ParsedArrow } from './ladder.ts'
import { challenges, isAnswered, requestsNamed, getStatus } from './findings/outcome.ts'
import { describeStatus, formatReasonHeaders } from './status-meanings.ts'

/** What one leg of a call did to another. Pure. */

interface Leg {
  call: SipCall
  /** `leg B` */
  name: string
  begun: ParsedArrow
  last: SipTransaction
}

type LegRule = (first: Leg, other: Leg) => readonly SipFinding[]

const firstOf = ({ call }: Leg, method: string): ParsedArrow | undefined => requestsNamed(call, method)[0]?.request

/** A refusal that was no question for credentials, whoever passed it on. */
const refusalOf = ({ call, last }: Leg) => {
  const { final } = last
  if (final === undefined || getStatus(final) < 300 || challenges.has(getStatus(final))) return undefined
  if (getStatus(final) === 487 && requestsNamed(call, 'CANCEL').length > 0) return undefined
  return { final, by: findOrigin(call, last, final).request.to }
}

/** On which leg a call was hung up first, and how long after it the other was. RFC 3261 §15. */
const hungUpFirst = (legs: readonly Leg[]): SipFinding[] => {
  const byes = legs
    .flatMap((leg) => {
      const bye = firstOf(leg, 'BYE')
      return bye === undefined ? [] : [{ leg, bye }]
    })
    .toSorted((a, b) => a.bye.at - b.bye.at)
  const [first, ...then] = byes
  if (first === undefined || legs.filter(({ last }) => isAnswered(last)).length < 2) return []
  const { leg, bye } = first
  const followed = then.map((next) => `${next.leg.name} was hung up ${secondsText(next.bye.at - bye.at)} later`)
  return [
    {
      severity: 'info',
      text:
        `The hangup came from ${leg.name}: there ${who(leg.call, bye.from)} hung up first` +
        `${followed.length > 0 ? `, and ${followed.join(', ')}` : '. No BYE of another leg was captured'}.${formatReasonHeaders(bye.message)}`,
      where: bye.from,
      arrows: arrowIds(bye, ...then.map((next) => next.bye)),
      source: 'RFC 3261 §15',
    },
  ]
}

/** A leg that was refused, and what became of the one for which it was made. RFC 3261 §21. */
const refusedThere: LegRule = (first, other) => {
  const refusal = refusalOf(other)
  if (refusal === undefined) return []
  const { final, by } = refusal
  const { words, section, isChoice } = describeStatus(getStatus(final))
  const before = refusalOf(first)
  const bye = firstOf(first, 'BYE')
  const after = (arrow: ParsedArrow) => `${secondsText(arrow.at - final.at)} later`
  const [became, more] =
    before !== undefined && before.final.at >= final.at
      ? [`${first.name} was refused with ${before.final.title} ${after(before.final)}, for that`, before.final]
      : isAnswered(first.last)
        ? bye !== undefined && bye.at >= final.at
          ? [`${first.name} had been answered, and was hung up ${after(bye)}`, bye]
          : [`${first.name} itself was answered`, undefined]
        : [`${first.name} was not answered`, undefined]
  return [
    {
      severity: isChoice ? 'warn' : 'bad',
      text:
        `It is ${other.name} that failed: ${who(other.call, by)} answered ${final.title} there (${words}). ` +
        `${sentence(became)}.${formatReasonHeaders(final.message)}`,
      where: by,
      arrows: arrowIds(other.last.request, final, more),
      source: `RFC 3261 §${section}`,
    },
  ]
}

/** A leg that nobody took, whether it was given up or not. RFC 3261 §9.1, §17.1.1.2. */
const neverTaken: LegRule = (first, other) => {
  const { request, answers, final } = other.last
  const [given, cancel] = [firstOf(first, 'CANCEL'), firstOf(other, 'CANCEL')]
  if (answers.length === 0)
    return [
      {
        severity: 'bad',
        text: `It is ${other.name} that failed: ${who(other.call, request.to)} never answered the INVITE there.`,
        where: request.to,
        arrows: arrowIds(request),
        source: 'RFC 3261 §17.1.1.2',
      },
    ]
  if (cancel === undefined || (final !== undefined && getStatus(final) !== 487)) return []
  const since = `${secondsText(cancel.at - other.begun.at)} after it began, before ${who(other.call, request.to)} had answered`
  return [
    {
      severity: given === undefined ? 'warn' : 'info',
      text:
        given !== undefined && given.at <= cancel.at
          ? `${sentence(who(first.call, given.from))} gave the call up on ${first.name}; ${other.name} was given up for that, ${since}.`
          : `${sentence(other.name)} was given up ${since}: not by the caller of ${first.name}, but by ${who(other.call, cancel.from)}.`,
      where: given?.from ?? cancel.from,
      arrows: arrowIds(given, cancel),
      source: 'RFC 3261 §9.1',
    },
  ]
}

const rules: readonly LegRule[] = [refusedThere, neverTaken]

/** The first leg against each that was made for it; what is no call is left out. */
export const betweenLegs = (calls: readonly { call: SipCall; name: string }[]): SipFinding[] => {
  const legs = calls.flatMap(({ call, name }): Leg[] => {
    const { last, attempts } = call
    return last === undefined ? [] : [{ call, name: `leg ${name}`, begun: attempts[0]?.request ?? last.request, last }]
  })
  const [first, ...others] = legs.toSorted((a, b) => a.begun.at - b.begun.at)
  if (first === undefined) return []
  return [...hungUpFirst(legs), ...others.flatMap((other) => rules.flatMap((rule) => rule(first, other)))]
}
