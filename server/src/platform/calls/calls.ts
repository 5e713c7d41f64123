import type { Call } from '@patchbay/contract/recent-calls'
import type { CallRecord } from '../intake/call-point.ts'

/** Whose calls, which of them, and which page. Instants are epoch milliseconds of the attempt. */
export interface CallSearch {
  owner: { account_sid: string } | { service_provider_sid: string }
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
  store(records: readonly CallRecord[]): Promise<void>
}
