import type { Call } from '@patchbay/contract/recent-calls'
import { type CallId, type Calls, maxResults } from './calls.ts'
import type { CallOwner, Window } from './search-options.ts'

/**
 * Decides which records that are known by an id belong to an owner.
 *
 * Captured SIP and log lines carry a SIP Call-ID and no account. The caller chooses the Call-ID, so a call of one tenant
 * may have the Call-ID of another's. What is stored under an id is shown to an owner only
 * - around the time of a call record of this owner with this id, and
 * - not at the time of a call record of another tenant with this id: at such a time it is nobody's.
 * For a provider, the calls of all of its accounts are its own.
 *
 * A call that is in progress has no record yet. Until it ends, it does not keep its SIP from a tenant that has a call
 * with the same Call-ID at the same time.
 */

export interface Claim {
  /** times of the owner's calls, epoch milliseconds */
  own: readonly Window[]
  /** times of other tenants' calls with the same id */
  foreign: readonly Window[]
}

const minuteMs = 60_000

/** SIP and log lines of a call begin before it is routed and end after it is over; clocks differ. */
const ownMarginMs = 15 * minuteMs
const foreignMarginMs = 5 * minuteMs

/** The longest call that is taken into account, and how long a call may last before it makes another one. */
const maxCallMs = 24 * 60 * minuteMs
const maxParentMs = 4 * 60 * minuteMs

const endOf = ({ attempted_at, terminated_at, duration }: Call): number => {
  const start = Date.parse(attempted_at)
  const end = terminated_at === null ? start + duration * 1000 : Date.parse(terminated_at)
  return Math.max(start, end)
}

/** Returns when a call took place. A call that was made of another began at an unknown time after it. */
const windowOf = (call: Call, marginMs: number, isMadeOfIt: boolean): Window => ({
  from: Date.parse(call.attempted_at) - (isMadeOfIt ? maxParentMs : marginMs),
  until: endOf(call) + marginMs,
})

/** Returns when calls may have begun that took place at one of these times. */
const beginningsOf = (windows: readonly Window[]): Window => ({
  from: Math.min(...windows.map(({ from }) => from)) - maxCallMs,
  until: Math.max(...windows.map(({ until }) => until)) + foreignMarginMs,
})

/** Returns the claim of an owner to what is stored under an id, or undefined if the owner has no call with it. */
export const findClaim = async (calls: Calls, owner: CallOwner, id: CallId): Promise<Claim | undefined> => {
  const found = await calls.find(owner, id)
  const parents: CallId[] = 'sip_callid' in id ? [{ sip_parent_callid: id.sip_callid }] : []
  const made = found.length > 0 ? [] : (await Promise.all(parents.map((parent) => calls.find(owner, parent)))).flat()
  const own = [
    ...found.map((call) => windowOf(call, ownMarginMs, false)),
    ...made.map((call) => windowOf(call, ownMarginMs, true)),
  ]
  if (own.length === 0) return undefined
  const near = beginningsOf(own)
  const others = await Promise.all([id, ...parents].map((one) => calls.findForeign(owner, one, near)))
  // If there are more than were read, it is not known when the others took place.
  if (others.some(({ length }) => length >= maxResults)) return { own, foreign: [near] }
  const foreign = others.flat().map((call) => windowOf(call, foreignMarginMs, false))
  return { own, foreign }
}

const contains = (windows: readonly Window[], atMs: number): boolean =>
  windows.some(({ from, until }) => atMs >= from && atMs <= until)

/** Whether what happened at a time, in epoch milliseconds, belongs to the owner of the claim. */
export const isClaimed = ({ own, foreign }: Claim, atMs: number): boolean =>
  contains(own, atMs) && !contains(foreign, atMs)
