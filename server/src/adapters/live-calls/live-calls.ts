import type { Queue } from '@patchbay/contract/live-calls'

/** The fields of a call as its feature server writes them, all text. */
export type CallMembers = Readonly<Record<string, string>>

/** A call with the fields that its feature server has stored. */
export interface StoredCall {
  call_sid: string
  members: CallMembers
  /** Epoch milliseconds when the call was first seen. Undefined if unknown. */
  startedAt: number | undefined
}

/** Calls of several accounts, newest first. */
export interface CallsOfAccounts {
  calls: readonly (StoredCall & { account_sid: string })[]
  /** True if there are more calls, which are older. */
  isCut: boolean
}

/** The calls in progress (docs/reference/platform-api/live-calls.md). */
export interface LiveCalls {
  /** Returns the calls of an account, newest first. */
  list(account_sid: string): Promise<StoredCall[]>
  /**
   * Returns the newest calls of several accounts, in one scan.
   * @param owner the service provider of the accounts, whose requests wait for each other
   */
  listOfAccounts(owner: string, account_sids: ReadonlySet<string>, max: number): Promise<CallsOfAccounts>
  /** Returns a call of the account, or undefined. */
  find(account_sid: string, call_sid: string): Promise<StoredCall | undefined>
  /** Removes a call. Returns whether it existed. */
  remove(account_sid: string, call_sid: string): Promise<boolean>
  /** Returns the number of calls in progress. 0 if the SBCs do not count them. */
  count(account_sid: string): Promise<{ inbound: number; outbound: number }>
  /**
   * Returns the number of calls that have not ended, by account_sid. Callers share one count for a few seconds.
   */
  countInProgress(): Promise<ReadonlyMap<string, number>>
  /** @param pattern glob for the queue name, with `*` and `?` */
  queues(account_sid: string, pattern?: string): Promise<Queue[]>
  /** Returns the names of the running conferences of an account. */
  conferences(account_sid: string): Promise<string[]>
  /** Returns the addresses of the active feature servers, sorted. */
  featureServers(): Promise<string[]>
}

const none = () => Promise.resolve([])

/** Used without Redis: there are no calls in progress and no feature servers. */
export const noLiveCalls: LiveCalls = {
  list: none,
  listOfAccounts: () => Promise.resolve({ calls: [], isCut: false }),
  find: () => Promise.resolve(undefined),
  remove: () => Promise.resolve(false),
  count: () => Promise.resolve({ inbound: 0, outbound: 0 }),
  countInProgress: () => Promise.resolve(new Map()),
  queues: none,
  conferences: none,
  featureServers: none,
}
