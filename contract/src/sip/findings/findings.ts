import { toSipCall, type SipCall } from '../transactions.ts'
import { noAck, noPrack, privateContact, refusalNotAcked, repeated, unreadable } from './protocol.ts'
import { type SipFinding, type SipRule, times } from './rule.ts'
import { selectLeg, type SipLadder } from '../ladder.ts'
import { betweenLegs } from '../legs.ts'
import { agreed, badAnswer, codecs, noAnswerToOffer, noTones, oneWay, privateMedia } from './media.ts'
import {
  answered,
  authentication,
  cancelled,
  hungUp,
  openEnded,
  otherRequests,
  refused,
  silent,
  triedElsewhere,
} from './outcome.ts'
import { registered } from './registration.ts'

/** How the call went: these stand first, in this order. */
const course: readonly SipRule[] = [answered, cancelled, refused, silent, hungUp, openEnded, registered]

const faults: readonly SipRule[] = [
  authentication,
  noAck,
  noAnswerToOffer,
  codecs,
  oneWay,
  privateMedia,
  privateContact,
  triedElsewhere,
  otherRequests,
  badAnswer,
  refusalNotAcked,
  noPrack,
  repeated,
  agreed,
  noTones,
  unreadable,
]

/** Of one rule so many are told by themselves: a flood of calls by one Call-ID is no flood of sentences. */
const maxFindingsPerRule = 5

const bounded = (found: readonly SipFinding[]): readonly SipFinding[] => {
  const more = found.slice(maxFindingsPerRule)
  const [first] = more
  if (first === undefined) return found
  const { severity, source } = first
  const text = `The same was found ${times(more.length)} more.`
  return [
    ...found.slice(0, maxFindingsPerRule),
    { severity, text, arrows: more.flatMap(({ arrows }) => arrows), source },
  ]
}

const ranks = { bad: 0, warn: 1, good: 2, info: 3 } as const

const findingsIn = (call: SipCall): SipFinding[] => {
  const found = (rules: readonly SipRule[]) => rules.flatMap((rule) => bounded(rule(call)))
  return [...found(course), ...found(faults).toSorted((a, b) => ranks[a.severity] - ranks[b.severity])]
}

/**
 * What happened, and whose fault it was: how the call went, then what broke it, then the rest. Of a call with many legs
 * first what one did to another, then each. Pure.
 */
export const findSipFindings = (ladder: SipLadder): SipFinding[] => {
  if (ladder.legs.length === 1) return findingsIn(toSipCall(ladder))
  const legs = ladder.legs.map(({ name }, leg) => ({ name, leg, call: toSipCall(selectLeg(ladder, leg)) }))
  return [
    ...bounded(betweenLegs(legs)),
    ...legs.flatMap(({ call, leg }) => findingsIn(call).map((finding) => ({ ...finding, leg }))),
  ]
}
