import type { Call } from '@patchbay/contract/recent-calls'
import type { CallRecord } from '../intake/call-point.ts'

export type CallOwner = { account_sid: string } | { service_provider_sid: string }

/** What a call is known by, here and in the stores of its trace, capture, recording and log. */
export type CallId =
  | { call_sid: string }
  | { sip_callid: string }
  /** of the call from which it was made */
  | { sip_parent_callid: string }
  | { trace_id: string }

/** Whose calls, which of them, and which page. Instants are epoch milliseconds of the attempt. */
export interface CallSearch {
  owner: CallOwner
  /** after this instant */
  after?: number
  /** at or after */
  from?: number
  /** at or before */
  until?: number
  trunk?: string
  direction?: string
  answered?: boolean
  /** part of the calling or called number, or a whole call_sid */
  text?: string
  /** 1-based */
  page: number
  pageSize: number
}

/** Who searches: searches of one owner wait for each other, and end when their caller is gone. */
export interface Searcher {
  owner: string
  gone?: AbortSignal
}

/** Call records: found newest first with the count of all matches; stored once however often they are sent. */
export interface Calls {
  search(search: CallSearch, searcher?: Searcher): Promise<{ total: number; calls: Call[] }>
  /** The owner's calls that are known by this id, newest first: its legs, and what a transfer made of it; 50 at most. */
  find(owner: CallOwner, id: CallId): Promise<Call[]>
  store(records: readonly CallRecord[]): Promise<void>
}
