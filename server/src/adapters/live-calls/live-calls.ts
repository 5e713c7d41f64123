import type { Queue } from '@patchbay/contract/live-calls'

/** The members of a call as its feature server writes them, all texts. */
export type CallMembers = Readonly<Record<string, string>>

export interface KeptCall {
  call_sid: string
  members: CallMembers
  /** epoch ms, when the call was first heard of; undefined where that is not known */
  startedAt: number | undefined
}

/** What of the calls that are up is known (api/4-calls-and-hosted.md §3). */
export interface LiveCalls {
  /** The calls of an account, the newest first. */
  list(account_sid: string): Promise<KeptCall[]>
  find(account_sid: string, call_sid: string): Promise<KeptCall | undefined>
  /** Whether there was one. */
  forget(account_sid: string, call_sid: string): Promise<boolean>
  count(account_sid: string): Promise<{ inbound: number; outbound: number }>
  /** `matching`: a pattern of the name, with * and ? */
  queues(account_sid: string, matching?: string): Promise<Queue[]>
  conferences(account_sid: string): Promise<string[]>
  /** The addresses of the feature servers that are at work, in order. */
  featureServers(): Promise<string[]>
}
