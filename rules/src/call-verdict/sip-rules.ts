import type { Call } from '@patchbay/contract/recent-calls'
import type { AnalyzedSip, NamedFinding } from '../sip/findings/findings.ts'
import type { SipFinding } from '../sip/findings/rule.ts'
import type { SipLadder } from '../sip/ladder.ts'
import { explainRefusal, type Refusal, type RefusalHop } from '../sip/refusal.ts'
import { formatStatus } from '../sip/statuses.ts'
import { type CallEvidence, type CallSide, isOutbound, strengths } from './evidence.ts'
import { describeDestination, explainRecord } from './record-rules.ts'

/** Rules for the captured SIP of a call. Pure. */

const isCarrier = ({ trunk }: Call): boolean =>
  trunk !== null && trunk !== 'undefined' && trunk !== 'user' && trunk !== 'sipUri'

/** Returns the side of the host that a finding names. Undefined if the host is in no record. */
const findSide = (call: Call, ladder: SipLadder, { where }: SipFinding): CallSide | undefined => {
  const address = where === undefined ? undefined : ladder.lanes[where]?.address
  if (address === undefined) return undefined
  if (address === call.host) return 'platform'
  if (address !== call.remote_host) return undefined
  if (isCarrier(call)) return 'carrier'
  return isOutbound(call) ? 'called-party' : 'caller'
}

/** An answer that the offer does not allow makes the media of a call uncertain, whatever its effect is. */
const isProblem = ({ severity, rule }: NamedFinding): boolean => severity === 'bad' || rule === 'badAnswer'

/** Returns the hop that sent a response, by the addresses of the call record. */
const findHop = (call: Call, ladder: SipLadder, lane: number): RefusalHop => {
  const address = ladder.lanes[lane]?.address
  if (address === undefined) return 'unknown'
  if (address === call.host) return 'platform'
  if (address !== call.remote_host || !isOutbound(call)) return 'unknown'
  return isCarrier(call) ? 'carrier' : call.trunk === 'user' ? 'client' : 'unknown'
}

/** Explains the captured refusal that has the final status of the record. The capture says which host sent it. */
const findRefusal = (call: Call, ladder: SipLadder, { refused }: SipFinding): Refusal | undefined =>
  refused === undefined || refused.response.status !== call.sip_status
    ? undefined
    : explainRefusal(refused, {
        hop: findHop(call, ladder, refused.by),
        name: describeDestination(call).name,
        isOutbound: isOutbound(call),
      })

/** Formats the status of the record, with the phrase of ATIS-1000099 if the capture has it. */
const formatRefusal = (status: number, { block }: Refusal): string =>
  status === 603 && block?.kind === 'analytics' && block.changed === undefined
    ? '603 Network Blocked'
    : formatStatus(status)

const refine = (record: CallEvidence, call: Call, refusal: Refusal): CallEvidence => {
  const { title, side, advice, isOrdinary } = refusal
  const refined = { ...record, side: isOrdinary || side === 'unknown' ? record.side : side, isOrdinary }
  return title === undefined
    ? refined
    : { ...refined, side, title: `${title} (${formatRefusal(call.sip_status ?? 0, refusal)}).`, next: advice }
}

/**
 * Returns the refusal of another leg that became another status of the call: the platform passed the call on, and its own
 * status says less than that of the party that rejected it.
 */
const findPassedOn = (call: Call, { rule, refused }: NamedFinding): Refusal | undefined =>
  rule === 'legs' && refused !== undefined && refused.response.status !== call.sip_status
    ? explainRefusal(refused)
    : undefined

const toEvidence = (call: Call, ladder: SipLadder, finding: NamedFinding): CallEvidence => {
  const { severity, text, contacts = [] } = finding
  const side = findSide(call, ladder, finding)
  const base = { source: 'sip', detail: text, isProblem: isProblem(finding), contacts } as const
  if (call.answered)
    return {
      ...base,
      side: side ?? 'unknown',
      title: 'The signaling or the audio of the call had a problem.',
      next: 'Open the messages of this finding.',
      strength: strengths.context,
    }
  const recorded = explainRecord(call)
  const refusal = findRefusal(call, ladder, finding)
  const record = refusal === undefined ? { ...recorded, side: side ?? recorded.side } : refine(recorded, call, refusal)
  const passedOn = findPassedOn(call, finding)
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
  // The record alone would say that nothing is broken, so that what refines it has to be stronger.
  if (record.isOrdinary || recorded.isOrdinary) return { ...record, ...base, strength: strengths.provenOrdinary }
  const strength = severity === 'bad' ? strengths.sipError : strengths.sipWarning
  return { ...record, ...base, strength }
}

/**
 * Returns the evidence of captured SIP: the first finding that explains a call that was not answered, or the problems of
 * an answered one.
 */
export const explainSip = (call: Call, { ladder, findings }: AnalyzedSip): CallEvidence[] => {
  const findFirst = (severity: NamedFinding['severity']) => findings.find((one) => one.severity === severity)
  const passedOn = findings.find((one) => findPassedOn(call, one) !== undefined)
  const chosen = call.answered
    ? findings.filter(isProblem)
    : [passedOn ?? findFirst('bad') ?? findFirst('warn') ?? findings[0]]
  return chosen.flatMap((finding) => (finding === undefined ? [] : [toEvidence(call, ladder, finding)]))
}
