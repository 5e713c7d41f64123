import type { Call } from '../recent-calls.ts'
import type { AnalyzedSip, NamedFinding } from '../sip/findings/findings.ts'
import type { SipFinding } from '../sip/findings/rule.ts'
import type { SipLadder } from '../sip/ladder.ts'
import { type CallEvidence, type CallSide, isOutbound, strengths } from './evidence.ts'
import { explainRecord } from './record-rules.ts'

/** Rules for the captured SIP of a call. Pure. */

/** Returns the side of the host that a finding names. Undefined if the host is in no record. */
const findSide = (call: Call, ladder: SipLadder, { where }: SipFinding): CallSide | undefined => {
  const address = where === undefined ? undefined : ladder.lanes[where]?.address
  if (address === undefined) return undefined
  if (address === call.host) return 'platform'
  if (address !== call.remote_host) return undefined
  if (call.trunk !== null && call.trunk !== 'user' && call.trunk !== 'sipUri') return 'carrier'
  return isOutbound(call) ? 'called-party' : 'caller'
}

/** An answer that the offer does not allow makes the media of a call uncertain, whatever its effect is. */
const isProblem = ({ severity, rule }: NamedFinding): boolean => severity === 'bad' || rule === 'badAnswer'

const toEvidence = (call: Call, ladder: SipLadder, finding: NamedFinding): CallEvidence => {
  const side = findSide(call, ladder, finding)
  const base = { source: 'sip', detail: finding.text, isProblem: isProblem(finding) } as const
  if (call.answered)
    return {
      ...base,
      side: side ?? 'unknown',
      title: 'The signaling or the audio of the call had a problem.',
      next: 'Open the messages of this finding.',
      strength: strengths.context,
    }
  const record = explainRecord(call)
  if (record.isChoice) return { ...record, ...base, strength: strengths.provenChoice }
  const strength = finding.severity === 'bad' ? strengths.sipError : strengths.sipWarning
  return { ...record, ...base, side: side ?? record.side, strength }
}

/**
 * Returns the evidence of captured SIP: the first finding that explains a call that was not answered, or the problems of
 * an answered one.
 */
export const explainSip = (call: Call, { ladder, findings }: AnalyzedSip): CallEvidence[] => {
  const bad = findings.find(({ severity }) => severity === 'bad')
  const chosen = call.answered
    ? findings.filter(isProblem)
    : [bad ?? findings.find(({ severity }) => severity === 'warn') ?? findings[0]]
  return chosen.flatMap((finding) => (finding === undefined ? [] : [toEvidence(call, ladder, finding)]))
}
