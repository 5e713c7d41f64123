import { type CapturedLeg, type SipLadder, selectLeg, toMultiLegLadder } from '../ladder.ts'
import { findLegFindings, findSuperseded } from '../legs.ts'
import { type SipCall, toSipCall } from '../transactions.ts'
import { registered } from './accepted-registration.ts'
import { badAnswer, badChange } from './answers.ts'
import { authentication } from './authentication.ts'
import { blockedWithoutAttestation, callerIdentity, identityProblem } from './caller-identity.ts'
import { clocks } from './clocks.ts'
import { codecs, refusedChange } from './common-codecs.ts'
import { keys, noTones } from './dtmf.ts'
import { fax } from './fax.ts'
import { hungUp, openEnded } from './hangup.ts'
import { hold, oneWay } from './hold.ts'
import { noAck, refusalNotAcked } from './lost-acks.ts'
import { noMediaReceived, noOutgoingMedia } from './media-reports.ts'
import { answered, cancelled, rejected, unanswered } from './outcome.ts'
import { privateContact, privateMedia } from './private-addresses.ts'
import { noPrack, repeated, unreadable } from './protocol.ts'
import { otherRequests } from './requests.ts'
import { type SipFinding, type SipRule, times } from './rule.ts'
import { agreed, declinedStreams, noAnswerToOffer } from './streams.ts'
import { replaced, transfer } from './transfer.ts'
import { triedElsewhere } from './tried-elsewhere.ts'

/** Rules for the course of the call. Their findings come first, in this order. */
const courseRules = { answered, cancelled, rejected, unanswered, hungUp, openEnded, registered }

const problemRules = {
  authentication,
  noAck,
  noMediaReceived,
  noOutgoingMedia,
  noAnswerToOffer,
  codecs,
  oneWay,
  hold,
  fax,
  transfer,
  privateMedia,
  privateContact,
  triedElsewhere,
  otherRequests,
  badAnswer,
  badChange,
  refusedChange,
  refusalNotAcked,
  noPrack,
  repeated,
  agreed,
  declinedStreams,
  keys,
  noTones,
  clocks,
  replaced,
  callerIdentity,
  identityProblem,
  blockedWithoutAttestation,
  unreadable,
}

/** The name of a rule. `legs` stands for the rules that compare the legs of a call. */
export type RuleName = keyof typeof courseRules | keyof typeof problemRules | 'legs'

export const ruleNames = [...Object.keys(courseRules), ...Object.keys(problemRules), 'legs'] as readonly RuleName[]

/** Further findings of the same rule are merged into one, for captures with many calls under one Call-ID. */
const maxFindingsPerRule = 5

const ranks = { bad: 0, warn: 1, good: 2, info: 3 } as const

const bySeverity = (a: SipFinding, b: SipFinding): number => ranks[a.severity] - ranks[b.severity]

/** Merges the least severe findings of a rule if there are many. */
const limitFindings = (all: readonly SipFinding[]): readonly SipFinding[] => {
  const findings = all.length > maxFindingsPerRule ? all.toSorted(bySeverity) : all
  const more = findings.slice(maxFindingsPerRule)
  const [first] = more
  if (first === undefined) return findings
  const { severity, source } = first
  const text = `The same was found ${times(more.length)} more.`
  return [
    ...findings.slice(0, maxFindingsPerRule),
    { severity, text, arrows: more.flatMap(({ arrows }) => arrows), source },
  ]
}

/** A finding with the name of its rule. */
export interface NamedFinding extends SipFinding {
  rule: string
}

const findingsIn = (call: SipCall): NamedFinding[] => {
  const applyRules = (rules: Readonly<Record<string, SipRule>>) =>
    Object.entries(rules).flatMap(([name, rule]) => limitFindings(rule(call)).map((one) => ({ ...one, rule: name })))
  return [...applyRules(courseRules), ...applyRules(problemRules).toSorted(bySeverity)]
}

/** A problem of a target that was tried before the one that answered is no problem of the call. */
const asNote = ({ severity }: SipFinding): Pick<SipFinding, 'severity'> => ({
  severity: severity === 'good' ? 'good' : 'info',
})

/**
 * Analyzes a ladder diagram. Returns first how the call went, then the problems, most severe first. For a call with
 * several legs, returns first the findings between legs, then those of each leg. Pure.
 */
export const findSipFindings = (ladder: SipLadder): NamedFinding[] => {
  if (ladder.legs.length === 1) return findingsIn(toSipCall(ladder))
  const legs = ladder.legs.map(({ name }, leg) => ({ name, leg, call: toSipCall(selectLeg(ladder, leg)) }))
  const superseded = findSuperseded(legs)
  return [
    ...limitFindings(findLegFindings(legs)).map((finding) => ({ ...finding, rule: 'legs' })),
    ...legs.flatMap(({ call, leg }) =>
      findingsIn(call).map((finding) => ({ ...finding, ...(superseded.has(call) ? asNote(finding) : {}), leg })),
    ),
  ]
}

/** A ladder diagram and its findings. */
export interface AnalyzedSip {
  ladder: SipLadder
  findings: readonly NamedFinding[]
}

/** Converts the captures of the legs of a call to a ladder diagram, and analyzes it. */
export const analyzeCaptures = (legs: readonly CapturedLeg[]): AnalyzedSip => {
  const ladder = toMultiLegLadder(legs)
  return { ladder, findings: findSipFindings(ladder) }
}
