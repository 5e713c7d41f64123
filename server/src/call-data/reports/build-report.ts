import type { CallReport } from '@patchbay/contract/call-reports'
import type { Call } from '@patchbay/contract/recent-calls'
import type { ReportMasking } from '@patchbay/contract/shared/call-report-choices'
import { type CallEvidence, sideLabels } from '@patchbay/rules/call-verdict/evidence'
import { judgeCall } from '@patchbay/rules/call-verdict/verdict'
import { formatParties } from '@patchbay/rules/calls/call-parties'
import { formatPhoneNumber } from '@patchbay/rules/phone-number/format'
import type { ShownLeg } from '@patchbay/rules/sip/captured-legs'
import type { AnalyzedSip } from '@patchbay/rules/sip/findings/findings'
import type { SipArrow } from '@patchbay/rules/sip/ladder'
import type { SipMasker } from '@patchbay/rules/sip/masking/mask-message'
import { formatStatus } from '@patchbay/rules/sip/statuses'

/**
 * Builds the report of a call from what is known about it. The rules judge the messages as they were captured, because a
 * masked address is no longer private. All texts are masked afterwards. Pure.
 */

interface ReportParts {
  account_name: string
  call: Call
  /** The records of all legs. */
  related: readonly Call[]
  /** The legs with captured SIP. */
  named: readonly (ShownLeg & { name: string })[]
  analyzed: AnalyzedSip
  evidence: readonly CallEvidence[]
  masking: ReportMasking
  masker: SipMasker
}

/** Returns a function that masks a number or SIP user of a record, which can be a SIP address. */
const createPartyMask =
  ({ numbers }: ReportMasking, { maskUser, maskHost }: SipMasker) =>
  (party: string): string => {
    const address = party.replace(/^<?sips?:/i, '')
    const [user = '', host] = address.split(/[@;>]/, 2)
    if (address.includes('@')) return `${maskUser(user)}@${maskHost(host ?? '')}`
    return numbers === 'shown' ? formatPhoneNumber(party) : maskUser(party)
  }

type Texts = Pick<SipMasker, 'maskText'>

const toEvidence = (
  { maskText }: Texts,
  { title, side, detail }: CallEvidence,
): CallReport['verdict']['further'][number] => ({
  title: maskText(title),
  side: sideLabels[side],
  detail: detail ? maskText(detail) : null,
})

const toArrow = ({ maskText, maskMessage }: SipMasker, arrow: SipArrow): CallReport['arrows'][number] => ({
  id: arrow.id,
  leg: arrow.leg,
  from: arrow.from,
  to: arrow.to,
  at: arrow.at,
  since_first: arrow.sinceFirst,
  since_before: arrow.sinceBefore,
  early: arrow.early ?? null,
  again: [...arrow.again],
  title: maskText(arrow.title),
  transport: arrow.transport,
  raw: maskMessage(arrow.raw),
})

const maskOrNull = (text: string | null, maskText: (text: string) => string): string | null =>
  text === null || text === '' ? null : maskText(text)

/** Returns a time of a record as ISO text, or null. The jambonz server returns 1970 for an unknown time. */
const toInstant = (text: string | null): string | null => {
  const at = Date.parse(text ?? '')
  return at > 0 ? new Date(at).toISOString() : null
}

const toFacts = (call: Call, maskParty: (party: string) => string, { maskText }: SipMasker): CallReport['call'] => ({
  attempted_at: new Date(call.attempted_at).toISOString(),
  answered_at: call.answered ? toInstant(call.answered_at) : null,
  terminated_at: toInstant(call.terminated_at),
  duration: call.duration,
  direction: call.direction,
  from: maskOrNull(call.from, maskParty),
  to: maskOrNull(call.to, maskParty),
  sip_status: call.sip_status ? formatStatus(call.sip_status) : null,
  termination_reason: maskOrNull(call.termination_reason, maskText),
  trunk: maskOrNull(call.trunk, maskText),
})

/** Builds the report of a call. */
export const buildReport = (parts: ReportParts): CallReport => {
  const { account_name, call, related, named, analyzed, masking, masker } = parts
  const { ladder, findings } = analyzed
  const { maskText, maskHost, maskCallId } = masker
  const maskParty = createPartyMask(masking, masker)
  const { tone, title, cause, further } = judgeCall(call, parts.evidence)
  const describe = ({ sip_callid, description }: ShownLeg): string => {
    const record = related.find((leg) => leg.sip_callid === sip_callid)
    if (record === undefined) return maskText(description)
    const others = [record.direction, record.trunk].filter(Boolean).map((text) => maskText(text ?? ''))
    return [formatParties(record, maskParty), ...others].join(', ')
  }
  return {
    account_name,
    masking,
    call: toFacts(call, maskParty, masker),
    verdict: {
      tone,
      title: maskText(title),
      cause: cause === undefined ? null : toEvidence(masker, cause),
      further: further.map((one) => toEvidence(masker, one)),
    },
    legs: named.map((leg, index) => ({
      name: leg.name,
      sip_callid: maskCallId(leg.sip_callid),
      description: describe(leg),
      doubled: ladder.legs[index]?.doubled ?? 0,
    })),
    lanes: ladder.lanes.map(({ host, name }) => ({
      host: maskHost(host),
      name: name === undefined ? null : maskText(name),
    })),
    arrows: ladder.arrows.map((arrow) => toArrow(masker, arrow)),
    findings: findings.map(({ severity, text, source, arrows, leg }) => ({
      severity,
      text: maskText(text),
      source,
      arrows: [...arrows],
      leg: leg ?? null,
    })),
    is_cut: ladder.isCut,
  }
}
