import type { Call } from '@patchbay/contract/recent-calls'
import type { CallRecord } from '../ingest/parse-call-point.ts'
import type { CallOwner, PageSearch, SearchContext, Window } from './search-options.ts'

/** What a call is known by, here and in the stores of its trace, capture, recording and log. */
export type CallId =
  | { call_sid: string }
  | { sip_callid: string }
  /** of the call from which it was made */
  | { sip_parent_callid: string }
  | { trace_id: string }

export const idColumn = (id: CallId) => {
  if ('call_sid' in id) return ['call_sid', id.call_sid] as const
  if ('trace_id' in id) return ['trace_id', id.trace_id] as const
  return 'sip_callid' in id
    ? (['sip_callid', id.sip_callid] as const)
    : (['sip_parent_callid', id.sip_parent_callid] as const)
}

/** The most calls that are found by an id. */
export const maxResults = 50

/** Which calls. Instants are those of the attempt. */
export interface CallSearch extends PageSearch {
  trunk?: string
  direction?: string
  answered?: boolean
  /** of the final answer */
  sip_status?: number
  /** part of the calling or called number, or a whole call_sid */
  text?: string
}

/** Which calls, without a page of them. */
export type CallNarrowing = Omit<CallSearch, 'page' | 'pageSize'>

/** Call records: found newest first with the count of all matches. */
export interface Calls {
  search(search: CallSearch, searcher?: SearchContext): Promise<{ total: number; calls: Call[] }>
  /** All that match, newest first, some at a time; what comes meanwhile is not among them. */
  walk(search: CallNarrowing, searcher?: SearchContext): AsyncIterable<readonly Call[]>
  /** The owner's calls that are known by this id, newest first: its legs, and what a transfer made of it; 50 at most. */
  find(owner: CallOwner, id: CallId): Promise<Call[]>
  /** The calls of other tenants that are known by this id and were attempted in a window; 50 at most. */
  findForeign(owner: CallOwner, id: CallId, window: Window): Promise<Call[]>
}

/** Those that are kept here: stored once however often they are sent. */
export interface KeptCalls extends Calls {
  store(records: readonly CallRecord[]): Promise<void>
}
