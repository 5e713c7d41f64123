import type { Call } from '@patchbay/contract/recent-calls'
import type { SipFinding } from '../sip/findings/rule.ts'
import type { SipLadder } from '../sip/ladder.ts'
import type { RefusalHop } from '../sip/refused-call.ts'
import { type CallSide, isOutbound } from './evidence.ts'
import { isCarrierLeg } from './record-rules.ts'

/** Compares the hosts of captured SIP with those of the call record. Pure. */

/** Returns the side of the host that a finding names. Undefined if the host is in no record. */
export const findSide = (call: Call, ladder: SipLadder, { where }: SipFinding): CallSide | undefined => {
  const address = where === undefined ? undefined : ladder.lanes[where]?.address
  if (address === undefined) return undefined
  if (address === call.host) return 'platform'
  if (address !== call.remote_host) return undefined
  if (isCarrierLeg(call)) return 'carrier'
  return isOutbound(call) ? 'called-party' : 'caller'
}

/** Returns the hop that sent a response, by the addresses of the call record. */
export const findHop = (call: Call, ladder: SipLadder, lane: number): RefusalHop => {
  const address = ladder.lanes[lane]?.address
  if (address === undefined) return 'unknown'
  if (address === call.host) return 'platform'
  if (address !== call.remote_host || !isOutbound(call)) return 'unknown'
  return isCarrierLeg(call) ? 'carrier' : call.trunk === 'user' ? 'client' : 'unknown'
}

/** Returns whether a finding is about the host that an outbound call was sent to. */
export const isDestination = (call: Call, ladder: SipLadder, { where }: SipFinding): boolean =>
  isOutbound(call) && where !== undefined && ladder.lanes[where]?.address === call.remote_host
