import type { Call } from '@patchbay/contract/recent-calls'
import type { SipFinding } from '../sip/findings/rule.ts'
import type { SipArrow, SipLadder } from '../sip/ladder.ts'
import type { RefusalHop } from '../sip/refused-call.ts'
import { type CallSide, isOutbound } from './evidence.ts'
import { isCarrierLeg } from './record-rules.ts'

/** Compares the hosts of captured SIP with those of the call record. Pure. */

/** The start of a branch that is unique (RFC 3261 §8.1.1.7). */
const uniqueBranch = 'z9hG4bK'

/** Returns what a request is the same by on both sides of a NAT: a proxy writes a branch of its own (RFC 3261 §16.6). */
const getIdentity = ({ message }: SipArrow): string | undefined => {
  const branch = message?.branches[0] ?? ''
  if (message === undefined || message.status !== undefined || !branch.startsWith(uniqueBranch)) return undefined
  return `${message.method} ${message.number} ${branch}`
}

/**
 * Returns the address of a lane that the record can name: a host has two lanes if the capture has both sides of a NAT. Then
 * the same request reached or left another lane with an address of the record.
 */
const findAddress = ({ host, remote_host }: Call, { arrows, lanes }: SipLadder, lane: number): string | undefined => {
  const recorded = [host, remote_host]
  const address = lanes[lane]?.address
  if (address === undefined || recorded.includes(address)) return address
  for (const end of ['from', 'to'] as const) {
    const own = new Set(arrows.flatMap((one) => (one[end] === lane ? (getIdentity(one) ?? []) : [])))
    const twin = arrows.find(
      (one) => own.has(getIdentity(one) ?? '') && recorded.includes(lanes[one[end]]?.address ?? ''),
    )
    if (twin !== undefined) return lanes[twin[end]]?.address
  }
  return address
}

/** Returns the side of the host that a finding names. Undefined if the host is in no record. */
export const findSide = (call: Call, ladder: SipLadder, { where }: SipFinding): CallSide | undefined => {
  const address = where === undefined ? undefined : findAddress(call, ladder, where)
  if (address === undefined) return undefined
  if (address === call.host) return 'platform'
  if (address !== call.remote_host) return undefined
  if (isCarrierLeg(call)) return 'carrier'
  return isOutbound(call) ? 'called-party' : 'caller'
}

/** Returns the hop that sent a response, by the addresses of the call record. */
export const findHop = (call: Call, ladder: SipLadder, lane: number): RefusalHop => {
  const address = findAddress(call, ladder, lane)
  if (address === undefined) return 'unknown'
  if (address === call.host) return 'platform'
  if (address !== call.remote_host || !isOutbound(call)) return 'unknown'
  return isCarrierLeg(call) ? 'carrier' : call.trunk === 'user' ? 'client' : 'unknown'
}

/** Returns whether a finding is about the host that an outbound call was sent to. */
export const isDestination = (call: Call, ladder: SipLadder, { where }: SipFinding): boolean =>
  isOutbound(call) && where !== undefined && findAddress(call, ladder, where) === call.remote_host
