import type { Call } from '@patchbay/contract/recent-calls'
import { dayMs, minuteMs } from '@patchbay/contract/shared/durations'
import { type CallId, type Calls, maxResults } from './calls.ts'
import type { CallOwner, Window } from './search-options.ts'

/**
 * Decides which records with an id belong to an owner.
 *
 * Captured SIP and log lines carry a SIP Call-ID and no account. The caller chooses the Call-ID, so calls of two
 * tenants can have the same Call-ID. Patchbay shows the records of an id to an owner only if they are
 * - from around the time of one of the owner's calls with this id, and
 * - not from the time of another tenant's call with this id. Patchbay hides records of such times from all tenants.
 *
 * The calls of a service provider are the calls of all of its accounts.
 *
 * A call in progress is not recorded until it ends. Until then, its SIP can be visible to another tenant that has a
 * call with the same Call-ID at the same time.
 */

export interface Claim {
  /** Time windows of the owner's calls. */
  own: readonly Window[]
  /** Time windows of other tenants' calls with the same id. */
  foreign: readonly Window[]
}

/**
 * SIP and log lines of a call start before the call is routed and end after it is over. Clocks also differ between
 * hosts.
 */
const ownMarginMs = 15 * minuteMs
const foreignMarginMs = 5 * minuteMs

/**
 * Maximum duration of a call that the search for conflicts considers, and maximum age of a call when it creates another
 * call.
 */
const maxCallMs = dayMs
const maxParentMs = 4 * 60 * minuteMs

const getEndMs = ({ attempted_at, terminated_at, duration }: Call): number => {
  const start = Date.parse(attempted_at)
  const end = terminated_at === null ? start + duration * 1000 : Date.parse(terminated_at)
  return Math.max(start, end)
}

/** Returns the time window of a call. A child call starts at an unknown time after its parent. */
const toWindow = (call: Call, marginMs: number, isChild: boolean): Window => ({
  from: Date.parse(call.attempted_at) - (isChild ? maxParentMs : marginMs),
  until: getEndMs(call) + marginMs,
})

const contains = (windows: readonly Window[], atMs: number): boolean =>
  windows.some(({ from, until }) => atMs >= from && atMs <= until)

/** Returns whether a message of this time can belong to a call with its Call-ID. */
export const isTimeOfCall = (call: Call, atMs: number): boolean => contains([toWindow(call, ownMarginMs, false)], atMs)

/** Returns the window in which calls that overlap one of these windows can have started. */
const getStartWindow = (windows: readonly Window[]): Window => ({
  from: Math.min(...windows.map(({ from }) => from)) - maxCallMs,
  until: Math.max(...windows.map(({ until }) => until)) + foreignMarginMs,
})

/** Returns the window in which calls that were in progress at one of these times can have started. */
export const toStartWindow = (timesMs: readonly number[]): Window =>
  getStartWindow([{ from: Math.min(...timesMs), until: Math.max(...timesMs) + ownMarginMs }])

/** Returns the windows of other tenants' calls, for each id. */
const findForeignWindows = async (
  calls: Calls,
  owner: CallOwner,
  ids: readonly CallId[],
  own: readonly Window[],
): Promise<Window[][]> => {
  const searchWindow = getStartWindow(own)
  const foreignCalls = await calls.findForeign(owner, ids, searchWindow)
  return foreignCalls.map((found) =>
    // If the result is truncated, the times of the remaining calls are unknown, so the whole window counts as foreign.
    found.length >= maxResults ? [searchWindow] : found.map((call) => toWindow(call, foreignMarginMs, false)),
  )
}

/** Returns an owner's claim to the records of a Call-ID, or undefined if the owner has no call with it. */
export const findClaim = async (calls: Calls, owner: CallOwner, sip_callid: string): Promise<Claim | undefined> => {
  const directCalls = await calls.find(owner, { sip_callid })
  const parent = { sip_parent_callid: sip_callid }
  const own =
    directCalls.length > 0
      ? directCalls.map((call) => toWindow(call, ownMarginMs, false))
      : (await calls.find(owner, parent)).map((call) => toWindow(call, ownMarginMs, true))
  if (own.length === 0) return undefined
  return { own, foreign: (await findForeignWindows(calls, owner, [{ sip_callid }, parent], own)).flat() }
}

/** An account's claims to the records of one of its calls. */
export interface CallClaims {
  call: Call
  /** Claim to the records of its `call_sid`. */
  bySid: Claim | undefined
  /** Claim to the records of its Call-ID. */
  byCallId: Claim | undefined
}

/**
 * Returns the claims of an account to the records of one of its calls.
 * @param legs the account's calls with the same `call_sid`
 */
export const findClaimsOfCall = async (calls: Calls, call: Call, legs: readonly Call[]): Promise<CallClaims> => {
  const owner = { account_sid: call.account_sid }
  const { call_sid, sip_callid } = call
  const sids: CallId[] = call_sid === null ? [] : [{ call_sid }]
  const callIds: CallId[] = sip_callid === null ? [] : [{ sip_callid }, { sip_parent_callid: sip_callid }]
  const callsWithSid = call_sid === null ? [] : legs
  const callsWithCallId = sip_callid === null ? [] : await calls.find(owner, { sip_callid })
  const toOwn = (own: readonly Call[]) => own.map((one) => toWindow(one, ownMarginMs, false))
  const [ownBySid, ownByCallId] = [toOwn(callsWithSid), toOwn(callsWithCallId)]
  if (ownBySid.length + ownByCallId.length === 0) return { call, bySid: undefined, byCallId: undefined }
  const foreign = await findForeignWindows(calls, owner, [...sids, ...callIds], [...ownBySid, ...ownByCallId])
  const toClaim = (own: readonly Window[], windows: readonly Window[][]): Claim | undefined =>
    own.length === 0 ? undefined : { own, foreign: windows.flat() }
  return {
    call,
    bySid: toClaim(ownBySid, foreign.slice(0, sids.length)),
    byCallId: toClaim(ownByCallId, foreign.slice(sids.length)),
  }
}

/** Returns whether a record of this time, in milliseconds since the Unix epoch, belongs to the owner of the claim. */
export const isClaimed = ({ own, foreign }: Claim, atMs: number): boolean =>
  contains(own, atMs) && !contains(foreign, atMs)
