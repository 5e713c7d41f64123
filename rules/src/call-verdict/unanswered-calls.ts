import type { Call } from '@patchbay/contract/recent-calls'
import { isPrivateAddress } from '../sip/addresses.ts'
import { adviseAbout } from '../sip/destination-advice.ts'
import type { NamedFinding } from '../sip/findings/findings.ts'
import type { SipFinding } from '../sip/findings/rule.ts'
import type { SipLadder } from '../sip/ladder.ts'
import { parseReasons } from '../sip/reasons.ts'
import { longRinging } from '../sip/refusal-causes.ts'
import { formatStatus } from '../sip/statuses.ts'
import { describeHost } from '../sip/transactions.ts'
import { type CallEvidence, type CallSide, isOutbound } from './evidence.ts'
import { describeDestination } from './record-rules.ts'
import { findSide, isDestination } from './sip-hosts.ts'

/** Describes calls that timed out or were canceled, by what was captured before: silence, ringing, or another answer. Pure. */

/** Seconds without any progress after which a canceled call is not ordinary. Callers usually hear ringing within ten. */
const maxSilentSeconds = 15

export const isSilent = (finding: NamedFinding): finding is NamedFinding & { silentSeconds: number } =>
  (finding.silentSeconds ?? 0) >= maxSilentSeconds

/**
 * Says that no ringing preceded the end of a canceled call. It is no failure, because the messages of a destination that
 * rang may be missing in the capture.
 */
export const describeSilence = (call: Call, seconds: number): Pick<CallEvidence, 'side' | 'title' | 'next'> => {
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
export const describeRinging = (
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
export const isAnsweredElsewhere = ({ arrows }: SipLadder, finding: NamedFinding): boolean =>
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
export const isSilence = (call: Call, ladder: SipLadder, finding: NamedFinding): boolean =>
  finding.severity === 'bad' &&
  (finding.isSilence === true ||
    (finding.rule === 'unanswered' && call.sip_status === 408 && findSide(call, ladder, finding) !== undefined))

/** Names the host that was silent, and says what to do. */
export const nameSilent = (
  call: Call,
  ladder: SipLadder,
  finding: NamedFinding,
): Pick<CallEvidence, 'title' | 'next'> => {
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
export const findSideBehind = (call: Call, ladder: SipLadder, { where }: SipFinding): CallSide =>
  !isOutbound(call) && where !== undefined && isPrivateAddress(ladder.lanes[where]?.address ?? '')
    ? 'platform'
    : 'unknown'
