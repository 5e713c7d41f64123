import type { Call } from '@patchbay/contract/recent-calls'
import type { AnalyzedSip, NamedFinding } from '../sip/findings/findings.ts'
import type { SipFinding } from '../sip/findings/rule.ts'
import type { SipLadder } from '../sip/ladder.ts'
import { getHeader } from '../sip/parser.ts'
import { explainRefusal } from '../sip/refusal.ts'
import type { Refusal } from '../sip/refused-call.ts'
import { formatStatus } from '../sip/statuses.ts'
import { type CallEvidence, isOutbound, strengths } from './evidence.ts'
import { describeFeatureServer } from './feature-server.ts'
import { getProblemAdvice } from './problem-advice.ts'
import { describeDestination, explainRecord } from './record-rules.ts'
import { findHop, findSide } from './sip-hosts.ts'
import {
  describeRinging,
  describeSilence,
  findSideBehind,
  isAnsweredElsewhere,
  isSilence,
  isSilent,
  nameSilent,
} from './unanswered-calls.ts'

/** Rules for the captured SIP of a call. Pure. */

/**
 * An answer that the offer does not allow, and a finding with advice, make the media of a call uncertain, whatever their effect
 * is.
 */
const isProblem = ({ severity, rule, advice }: NamedFinding): boolean =>
  severity === 'bad' || rule === 'badAnswer' || (severity === 'warn' && advice !== undefined)

/** Explains the captured refusal that has the final status of the record. The capture says which host sent it. */
const findRefusal = (call: Call, ladder: SipLadder, { refused }: SipFinding): Refusal | undefined =>
  refused === undefined || refused.response.status !== call.sip_status
    ? undefined
    : explainRefusal(refused, {
        hop: findHop(call, ladder, refused.by),
        ...describeDestination(call),
        isOutbound: isOutbound(call),
      })

/** Formats the status of the record with the phrase of the captured response. */
const formatResponse = (status: number, { phrase }: Refusal): string =>
  phrase === '' ? formatStatus(status) : `${status} ${phrase}`

const refine = (record: CallEvidence, call: Call, refusal: Refusal): CallEvidence => {
  const { title, side, advice, isOrdinary } = refusal
  const status = call.sip_status ?? 0
  const response = formatResponse(status, refusal)
  const refined = { ...record, side: isOrdinary || side === 'unknown' ? record.side : side, isOrdinary }
  return title === undefined
    ? { ...refined, title: record.title.replace(`(${formatStatus(status)})`, `(${response})`) }
    : { ...refined, side, title: `${title} (${response}).`, next: advice }
}

/** Returns the leg of the record, which its messages name. */
const findOwnLeg = ({ sip_callid }: Call, { arrows }: SipLadder): number | undefined =>
  arrows.find(({ message }) => message !== undefined && getHeader(message, 'call-id') === sip_callid)?.leg

/**
 * Returns the refusal of another leg, if it says more than the record: the platform passed the call on, and responded
 * with another status than the party that rejected it, or with a status that the record alone blames the platform for.
 */
const findPassedOn = (call: Call, ladder: SipLadder, { rule, refused, about }: NamedFinding): Refusal | undefined => {
  if (rule !== 'legs' || refused === undefined) return undefined
  const [rejected, affected] = about ?? []
  const isOwn = rejected !== affected && affected !== undefined && affected === findOwnLeg(call, ladder)
  const isBlamed = isOwn && explainRecord(call).side === 'platform'
  // Behind an inbound call is a part of the platform, or a party that its application dialed.
  const host = isOutbound(call) ? {} : { kind: 'unknown' as const }
  return refused.response.status !== call.sip_status || isBlamed ? explainRefusal(refused, host) : undefined
}

/** Returns whether a finding says that the call was rejected after a response was not confirmed. */
const isUnconfirmed = (
  call: Call,
  finding: SipFinding,
): finding is SipFinding & Required<Pick<SipFinding, 'unconfirmed'>> =>
  finding.unconfirmed !== undefined && (call.sip_status ?? 0) >= 500

/** Returns the refusal that a finding, or the one about the leg that it names first, describes. */
const findAnyRefusal = ({ refused, about: [leg] = [] }: NamedFinding, findings: readonly NamedFinding[]) =>
  refused ?? (leg === undefined ? undefined : findings.find((one) => one.leg === leg && one.refused)?.refused)

/** Returns what the evidence of a finding states whatever the call was. */
const toBase = (finding: NamedFinding) =>
  ({
    source: 'sip',
    detail: finding.text,
    isProblem: isProblem(finding),
    contacts: finding.contacts ?? [],
  }) as const

/** Describes a problem of an answered call. The host that rejected another leg of it can be any. */
const describeProblem = (call: Call, { ladder, findings }: AnalyzedSip, finding: NamedFinding): CallEvidence => {
  const { advice, rule } = finding
  const refused = findAnyRefusal(finding, findings)
  const ofRefusal = refused === undefined ? undefined : explainRefusal(refused, { kind: 'unknown' }).advice
  return {
    ...toBase(finding),
    side: findSide(call, ladder, finding) ?? 'unknown',
    title: 'The signaling or the audio of the call had a problem.',
    next: advice ?? ofRefusal ?? getProblemAdvice(rule),
    strength: strengths.context,
  }
}

/** Explains a call that was not answered by one of its findings. */
const toEvidence = (call: Call, ladder: SipLadder, finding: NamedFinding): CallEvidence => {
  const { severity } = finding
  const side = findSide(call, ladder, finding)
  const base = toBase(finding)
  const recorded = explainRecord(call)
  const refusal = findRefusal(call, ladder, finding)
  // The host that sent a CANCEL can have passed it on, and that of an ordinary end has nothing to do.
  const isRecorded = recorded.isOrdinary || finding.rule === 'cancelled'
  const record =
    refusal === undefined
      ? { ...recorded, side: isRecorded ? recorded.side : (side ?? recorded.side) }
      : refine(recorded, call, refusal)
  const server = describeFeatureServer(call, ladder, finding)
  const passedOn = server?.title === undefined ? findPassedOn(call, ladder, finding) : undefined
  if (passedOn !== undefined)
    return {
      ...record,
      ...base,
      side: side ?? passedOn.side,
      isOrdinary: passedOn.isOrdinary,
      title: `The call was passed on, and rejected there: ${passedOn.explanation} (${formatStatus(finding.refused?.response.status ?? 0)}).`,
      next: passedOn.advice,
      strength: passedOn.isOrdinary ? strengths.provenOrdinary : strengths.sipError,
    }
  if (isUnconfirmed(call, finding))
    return {
      ...recorded,
      ...base,
      side: side ?? 'unknown',
      title: `${finding.unconfirmed.text}, and the call was rejected (${formatStatus(call.sip_status ?? 0)}).`,
      next: finding.unconfirmed.advice,
      strength: strengths.sipError,
    }
  // A call that no host responded to is broken, although it was canceled in the end.
  if (finding.rule === 'unanswered' && severity === 'bad' && recorded.isOrdinary)
    return {
      ...record,
      ...base,
      side: side ?? 'unknown',
      isOrdinary: false,
      title: `The call got no response before it was canceled (${formatStatus(call.sip_status ?? 0)}).`,
      next: 'Check that the host of this finding is up, and that its responses come back.',
      strength: strengths.provenOrdinary,
    }
  if (recorded.isOrdinary && isSilent(finding))
    return {
      ...record,
      ...base,
      ...describeSilence(call, finding.silentSeconds),
      strength: strengths.provenOrdinary,
    }
  if (recorded.isOrdinary && isAnsweredElsewhere(ladder, finding))
    return {
      ...record,
      ...base,
      side: 'unknown',
      title: `The call was canceled, because it was answered elsewhere (${formatStatus(call.sip_status ?? 0)}).`,
      next: 'Nothing has to be done.',
      strength: strengths.provenOrdinary,
    }
  if (isSilence(call, ladder, finding))
    return {
      ...record,
      ...base,
      ...nameSilent(call, ladder, finding),
      side: side ?? findSideBehind(call, ladder, finding),
      isOrdinary: false,
      strength: recorded.isOrdinary ? strengths.provenOrdinary : strengths.sipError,
    }
  const ringing = describeRinging(call, recorded, finding)
  if (ringing !== undefined) return { ...record, ...base, ...ringing, strength: strengths.provenOrdinary }
  // The record alone would say that nothing is broken, so that what refines it has to be stronger.
  if (record.isOrdinary || recorded.isOrdinary)
    return { ...record, ...base, ...server, strength: strengths.provenOrdinary }
  const strength = severity === 'bad' ? strengths.sipError : strengths.sipWarning
  return { ...record, ...base, ...server, strength }
}

/**
 * Returns the findings that can explain why the call of the record was not answered: those of its own leg, and then the
 * comparisons that describe this leg. Those of other legs explain it only if there are none.
 */
const listOwnFindings = (call: Call, { ladder, findings }: AnalyzedSip): readonly NamedFinding[] => {
  const own = findOwnLeg(call, ladder)
  if (ladder.legs.length === 1 || own === undefined) return findings
  const compared = findings.filter(({ about = [] }) => about.includes(own))
  // The rejection of another leg that resulted in this one says more than the effect on this one.
  const causes = compared.filter(({ about }) => about?.[0] !== own)
  const ofOwn = [...causes, ...findings.filter(({ leg }) => leg === own), ...compared]
  return ofOwn.length > 0 ? ofOwn : findings
}

/** Returns the leg of the record as findings name it: not at all if it is the only one. */
const findNamedLeg = (call: Call, ladder: SipLadder): number | undefined =>
  ladder.legs.length === 1 ? undefined : findOwnLeg(call, ladder)

/** Returns how the leg of an answered call ended. Another leg can have ended differently. */
const listEndings = (call: Call, { ladder, findings }: AnalyzedSip): CallEvidence[] => {
  const own = findNamedLeg(call, ladder)
  return findings.flatMap((finding) => {
    const { ending, text, leg } = finding
    if (ending === undefined || leg !== own) return []
    return [
      {
        source: 'sip',
        side: findSide(call, ladder, finding) ?? 'unknown',
        title: ending.text,
        detail: text,
        next: ending.advice,
        isProblem: false,
        strength: strengths.context,
        ending: ending.text,
      },
    ]
  })
}

/**
 * Returns whether a finding says that the leg of an answered call was rejected, or needed credentials. It says so only of a
 * leg without an answer, so the capture lacks the attempt that was answered.
 */
const isContradicted = (call: Call, { ladder }: AnalyzedSip, { rule, leg }: NamedFinding): boolean =>
  (rule === 'rejected' || rule === 'authentication') && leg === findNamedLeg(call, ladder)

/**
 * Returns the evidence of captured SIP: the first finding that explains a call that was not answered, or the problems of
 * an answered one.
 */
export const explainSip = (call: Call, analyzed: AnalyzedSip): CallEvidence[] => {
  const { ladder, findings } = analyzed
  if (call.answered)
    return [
      ...findings
        .filter((one) => isProblem(one) && !isContradicted(call, analyzed, one))
        .map((finding) => describeProblem(call, analyzed, finding)),
      ...listEndings(call, analyzed),
    ]
  const own = listOwnFindings(call, analyzed)
  // An address for media says nothing about a call without an answer.
  const findFirst = (severity: NamedFinding['severity']) =>
    own.find((one) => one.severity === severity && one.rule !== 'privateMedia')
  const passedOn = own.find((one) => findPassedOn(call, ladder, one) !== undefined)
  const unconfirmed = own.find((one) => isUnconfirmed(call, one))
  const chosen = passedOn ?? unconfirmed ?? findFirst('bad') ?? findFirst('warn') ?? own.find(isSilent) ?? own[0]
  return chosen === undefined ? [] : [toEvidence(call, ladder, chosen)]
}
