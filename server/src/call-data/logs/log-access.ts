import type { Call } from '@patchbay/contract/recent-calls'
import { setImmediate as nextTick } from 'node:timers/promises'
import { type Claim, isClaimed } from '../calls/claims.ts'

/**
 * Decides which log lines belong to a call. A store finds lines by a `callSid` or a `callId`, and both are texts that one
 * column holds: a caller may choose the Call-ID of its call to be the `callSid` of another tenant's call.
 */

/** What a line says of its call. `time` is in epoch milliseconds. */
interface LineIds {
  callSid?: unknown
  callId?: unknown
  accountSid?: unknown
  account_sid?: unknown
  time?: unknown
}

const isNamed = (value: unknown): value is string => typeof value === 'string' && value !== ''

export interface CallClaims {
  call: Pick<Call, 'account_sid' | 'call_sid' | 'sip_callid'>
  /** to what is stored under the call's call_sid */
  bySid: Claim | undefined
  /** to what is stored under its SIP Call-ID */
  byCallId: Claim | undefined
}

/**
 * Whether a line belongs to a call: its `callSid` must be the call's, or else its `callId`; an account that it names must
 * be the call's. A line that names no account must have been written around the time of the call, and when no other tenant
 * had a call with this id.
 */
const isOfCall = (line: string, { call, bySid, byCallId }: CallClaims): boolean => {
  let ids: LineIds
  try {
    ids = Object(JSON.parse(line))
  } catch {
    return false
  }
  const { callSid, callId, time } = ids
  // The store's own line about a log that is cut names no call.
  if (!isNamed(callSid) && !isNamed(callId)) return true
  const isThis = isNamed(callSid) ? callSid === call.call_sid : callId === call.sip_callid
  if (!isThis) return false
  const account = [ids.accountSid, ids.account_sid].find(isNamed)
  if (account !== undefined) return account === call.account_sid
  const claim = isNamed(callSid) ? bySid : byCallId
  if (claim === undefined) return false
  // The platform chooses a callSid, so that it is shared only if something is wrong.
  if (isNamed(callSid) && claim.foreign.length === 0) return true
  return typeof time === 'number' && isClaimed(claim, time)
}

/** Lines that are looked at before other requests run. */
const lineBatchSize = 500

/** Returns the lines that belong to a call. */
export const linesOfCall = async (lines: readonly string[], claims: CallClaims): Promise<string[]> => {
  const own: string[] = []
  for (const [at, line] of lines.entries()) {
    if (isOfCall(line, claims)) own.push(line)
    if (at % lineBatchSize === lineBatchSize - 1) await nextTick()
  }
  return own
}
