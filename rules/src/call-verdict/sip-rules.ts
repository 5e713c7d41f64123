import type { Call } from '@patchbay/contract/recent-calls'
import { isPrivateAddress } from '../sip/addresses.ts'
import { adviseAbout } from '../sip/destination-advice.ts'
import type { AnalyzedSip, NamedFinding } from '../sip/findings/findings.ts'
import type { SipFinding } from '../sip/findings/rule.ts'
import type { SipLadder } from '../sip/ladder.ts'
import { getHeader } from '../sip/parser.ts'
import { parseReasons } from '../sip/reasons.ts'
import { explainRefusal } from '../sip/refusal.ts'
import { longRinging } from '../sip/refusal-causes.ts'
import type { Refusal, RefusalHop } from '../sip/refused-call.ts'
import { formatStatus } from '../sip/statuses.ts'
import { describeHost } from '../sip/transactions.ts'
import { type CallEvidence, type CallSide, isOutbound, strengths } from './evidence.ts'
import { describeDestination, explainRecord, isCarrierLeg } from './record-rules.ts'

/** Rules for the captured SIP of a call. Pure. */

/** Returns the side of the host that a finding names. Undefined if the host is in no record. */
const findSide = (call: Call, ladder: SipLadder, { where }: SipFinding): CallSide | undefined => {
  const address = where === undefined ? undefined : ladder.lanes[where]?.address
  if (address === undefined) return undefined
  if (address === call.host) return 'platform'
  if (address !== call.remote_host) return undefined
  if (isCarrierLeg(call)) return 'carrier'
  return isOutbound(call) ? 'called-party' : 'caller'
}

/**
 * An answer that the offer does not allow, and a finding with advice, make the media of a call uncertain, whatever their effect
 * is.
 */
const isProblem = ({ severity, rule, advice }: NamedFinding): boolean =>
  severity === 'bad' || rule === 'badAnswer' || (severity === 'warn' && advice !== undefined)

/** Returns the hop that sent a response, by the addresses of the call record. */
const findHop = (call: Call, ladder: SipLadder, lane: number): RefusalHop => {
  const address = ladder.lanes[lane]?.address
  if (address === undefined) return 'unknown'
  if (address === call.host) return 'platform'
  if (address !== call.remote_host || !isOutbound(call)) return 'unknown'
  return isCarrierLeg(call) ? 'carrier' : call.trunk === 'user' ? 'client' : 'unknown'
}

/** Returns whether a finding is about the host that an outbound call was sent to. */
const isDestination = (call: Call, ladder: SipLadder, { where }: SipFinding): boolean =>
  isOutbound(call) && where !== undefined && ladder.lanes[where]?.address === call.remote_host

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

/** Seconds without any progress after which a canceled call is not ordinary. Callers usually hear ringing within ten. */
const maxSilentSeconds = 15

const isSilent = (finding: NamedFinding): finding is NamedFinding & { silentSeconds: number } =>
  (finding.silentSeconds ?? 0) >= maxSilentSeconds

/**
 * Says that no ringing preceded the end of a canceled call. It is no failure, because the messages of a destination that
 * rang may be missing in the capture.
 */
const describeSilence = (call: Call, seconds: number): Pick<CallEvidence, 'side' | 'title' | 'next'> => {
  const { name, side, kind } = describeDestination(call)
  const title = `The call was canceled after ${Math.round(seconds)} s, and no ringing was captured (${formatStatus(call.sip_status ?? 0)}).`
  return isOutbound(call)
    ? { side, title, next: `${name} received the request, and no progress was captured. ${adviseAbout(504, kind)}` }
    : {
        side: 'platform',
        title,
        next: 'The platform received the request, and no progress was captured. Check that a feature server is available, and that the webhook of the application responds.',
      }
}

/** Seconds for which a dial verb of jambonz calls a party, unless the application sets another timeout. */
const dialTimeout = 60

/**
 * Says how long an outbound call rang before it was canceled. Both a caller who gives up and the timeout of a dial verb
 * cancel it, so that only the time speaks for one of them.
 */
const describeRinging = (
  call: Call,
  record: CallEvidence,
  { ringing }: SipFinding,
): Pick<CallEvidence, 'title' | 'next'> | undefined => {
  if (ringing === undefined || ringing.seconds < longRinging || !isOutbound(call) || call.sip_status !== 487)
    return undefined
  const isAtTimeout = Math.abs(ringing.sinceBegin - dialTimeout) <= 1
  return {
    title: `The call rang for ${Math.round(ringing.seconds)} s, and was canceled before it was answered (${formatStatus(487)}).`,
    next: isAtTimeout
      ? `It was canceled after ${dialTimeout} s. That is the timeout of a dial verb, unless the application sets another one: raise it if callers should wait longer.`
      : record.next,
  }
}

/** Returns whether a finding about a canceled call says that another party answered it (RFC 3326 §3.1). */
const isAnsweredElsewhere = ({ arrows }: SipLadder, finding: NamedFinding): boolean =>
  finding.rule === 'cancelled' &&
  finding.arrows.some((id) => {
    const message = arrows[id]?.message
    return (
      message?.method === 'CANCEL' &&
      parseReasons(message).some(({ protocol, cause }) => protocol === 'SIP' && cause === 200)
    )
  })

/**
 * Returns whether a finding says that a host was silent, and the call timed out or was canceled because of it. The host has
 * to be known, because the call of the record can have been tried elsewhere, too.
 */
const isSilence = (call: Call, ladder: SipLadder, finding: NamedFinding): boolean =>
  finding.severity === 'bad' &&
  (finding.isSilence === true ||
    (finding.rule === 'unanswered' && call.sip_status === 408 && findSide(call, ladder, finding) !== undefined))

/** Names the host that was silent, and says what to do. */
const nameSilent = (call: Call, ladder: SipLadder, finding: NamedFinding): Pick<CallEvidence, 'title' | 'next'> => {
  const status = formatStatus(call.sip_status ?? 0)
  if (isDestination(call, ladder, finding)) {
    const { name, kind } = describeDestination(call)
    return { title: `${name} did not respond (${status}).`, next: adviseAbout(408, kind) }
  }
  const host = finding.where === undefined ? 'A host' : describeHost(ladder, finding.where)
  return {
    title: `${host} did not respond (${status}).`,
    next: `Check that ${host} is up, and that its responses come back.`,
  }
}

/** Returns the side of a host behind an inbound call: a private address is a part of the platform, or next to it. */
const findSideBehind = (call: Call, ladder: SipLadder, { where }: SipFinding): CallSide =>
  !isOutbound(call) && where !== undefined && isPrivateAddress(ladder.lanes[where]?.address ?? '')
    ? 'platform'
    : 'unknown'

/** Returns whether a finding says that the call was rejected after a response was not confirmed. */
const isUnconfirmed = (call: Call, finding: SipFinding): finding is SipFinding & { unconfirmed: string } =>
  finding.unconfirmed !== undefined && (call.sip_status ?? 0) >= 500

const toEvidence = (call: Call, ladder: SipLadder, finding: NamedFinding): CallEvidence => {
  const { severity, text, contacts = [] } = finding
  const side = findSide(call, ladder, finding)
  const base = { source: 'sip', detail: text, isProblem: isProblem(finding), contacts } as const
  if (call.answered)
    return {
      ...base,
      side: side ?? 'unknown',
      title: 'The signaling or the audio of the call had a problem.',
      next: finding.advice ?? 'Open the messages of this finding.',
      strength: strengths.context,
    }
  const recorded = explainRecord(call)
  const refusal = findRefusal(call, ladder, finding)
  // The host that sent a CANCEL can have passed it on, and that of an ordinary end has nothing to do.
  const isRecorded = recorded.isOrdinary || finding.rule === 'cancelled'
  const record =
    refusal === undefined
      ? { ...recorded, side: isRecorded ? recorded.side : (side ?? recorded.side) }
      : refine(recorded, call, refusal)
  const passedOn = findPassedOn(call, ladder, finding)
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
      title: `No PRACK for ${finding.unconfirmed} arrived, and the call was rejected (${formatStatus(call.sip_status ?? 0)}).`,
      next: 'Check that the side that has to confirm responses supports PRACK (100rel), and that it can reach the address in the Contact header of the response. Otherwise, turn off reliable provisional responses.',
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
  if (record.isOrdinary || recorded.isOrdinary) return { ...record, ...base, strength: strengths.provenOrdinary }
  const strength = severity === 'bad' ? strengths.sipError : strengths.sipWarning
  return { ...record, ...base, strength }
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

/** Returns how the leg of an answered call ended. Another leg can have ended differently. */
const listEndings = (call: Call, { ladder, findings }: AnalyzedSip): CallEvidence[] => {
  const own = ladder.legs.length === 1 ? undefined : findOwnLeg(call, ladder)
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
 * Returns the evidence of captured SIP: the first finding that explains a call that was not answered, or the problems of
 * an answered one.
 */
export const explainSip = (call: Call, analyzed: AnalyzedSip): CallEvidence[] => {
  const { ladder, findings } = analyzed
  if (call.answered)
    return [
      ...findings.filter(isProblem).map((finding) => toEvidence(call, ladder, finding)),
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
