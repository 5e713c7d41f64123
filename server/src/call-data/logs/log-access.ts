import { setImmediate as nextTick } from 'node:timers/promises'
import { type CallClaims, isClaimed } from '../calls/claims.ts'

/**
 * Decides which log lines belong to a call. A store finds lines by `callSid` or `callId`, which share one column. A
 * caller can therefore choose a Call-ID that equals the `callSid` of another tenant's call.
 */

/** The fields of a log line that identify its call. `time` is in milliseconds since the Unix epoch. */
interface LineIds {
  callSid?: unknown
  callId?: unknown
  accountSid?: unknown
  account_sid?: unknown
  time?: unknown
}

const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== ''

/**
 * Returns whether a line belongs to a call. Its `callSid`, or else its `callId`, must match. If the line names an
 * account, the account must match too. Otherwise, the line must be from around the time of the call, while no other
 * tenant had a call with this id.
 */
const isOfCall = (line: string, { call, bySid, byCallId }: CallClaims): boolean => {
  let ids: LineIds
  try {
    ids = Object(JSON.parse(line))
  } catch {
    return false
  }
  const { callSid, callId, time } = ids
  // The line with which the store reports a truncated log names no call.
  if (!isNonEmptyString(callSid) && !isNonEmptyString(callId)) return true
  const hasCallId = isNonEmptyString(callSid) ? callSid === call.call_sid : callId === call.sip_callid
  if (!hasCallId) return false
  const account = [ids.accountSid, ids.account_sid].find(isNonEmptyString)
  if (account !== undefined) return account === call.account_sid
  const claim = isNonEmptyString(callSid) ? bySid : byCallId
  if (claim === undefined) return false
  // jambonz generates call_sids, so two tenants share one only in case of an error.
  if (isNonEmptyString(callSid) && claim.foreign.length === 0) return true
  return typeof time === 'number' && isClaimed(claim, time)
}

/** Number of lines to check before other requests run. */
const lineBatchSize = 500

/** Returns the lines that belong to a call. */
export const filterLinesOfCall = async (lines: readonly string[], claims: CallClaims): Promise<string[]> => {
  const own: string[] = []
  for (const [at, line] of lines.entries()) {
    if (isOfCall(line, claims)) own.push(line)
    if (at % lineBatchSize === lineBatchSize - 1) await nextTick()
  }
  return own
}
