import type { Call } from '@patchbay/contract/recent-calls'
import type { SelectedResult } from '@patchbay/contract/shared/call-results'
import { searchedNumber } from '@patchbay/rules/phone-number/searched-number'
import { chunk } from '../../lib/chunk.ts'
import type { CallRating, CallRecord } from './call-record.ts'
import type { CallOwner, PageSearch, SearchContext, Window } from './search-options.ts'

/** An identifier of a call, used in call records and in the stores of traces, captures, recordings, and logs. */
export type CallId =
  | { call_sid: string }
  | { sip_callid: string }
  /** Call-ID of the call that created this one. */
  | { sip_parent_callid: string }
  | { trace_id: string }

/** Returns the database column of an identifier and its value. */
export const idColumn = (id: CallId) => {
  if ('call_sid' in id) return ['call_sid', id.call_sid] as const
  if ('trace_id' in id) return ['trace_id', id.trace_id] as const
  return 'sip_callid' in id
    ? (['sip_callid', id.sip_callid] as const)
    : (['sip_parent_callid', id.sip_parent_callid] as const)
}

/** Returns whether a call has an identifier. */
export const hasId = (call: Call, id: CallId): boolean => {
  const [name, value] = idColumn(id)
  return call[name] === value
}

/** The owner to which the calls of all accounts are foreign. */
export const noAccount = { account_sid: '' }

/** Maximum number of calls that `find`, `findEach`, and `findForeign` return for an id. */
export const maxResults = 50

/** A part of the calling or called number. */
export interface NumberPart {
  /** Digits, or the text itself if it is no phone number, such as the name of a SIP client. */
  text: string
  /** Whether the number begins with the text. A stored number may have a + or 00 before it. */
  isStart: boolean
}

/** Characters that a stored number can have before its country code. */
export const internationalPrefixes = ['', '+', '00'] as const

/** Parses a number as typed, such as `+1 (508) 555`. With + or 00 before it, it is the start of an E.164 number. */
export const parseNumberPart = (typed: string): NumberPart => {
  const searched = searchedNumber(typed)
  return searched === undefined
    ? { text: typed.trim(), isStart: false }
    : { text: searched.digits, isStart: searched.isInternational }
}

/** Filters of a call search. Times refer to the call attempt. */
export interface CallSearch extends PageSearch {
  trunk?: string
  direction?: string
  answered?: boolean
  /** Status of the final response. 0 if it is unknown. */
  sip_status?: number
  result?: SelectedResult
  /** Duration in seconds. */
  min_duration?: number
  /** Duration in seconds, inclusive. */
  max_duration?: number
  application_sid?: string
  number?: NumberPart
  /** Part of the calling or called number or of a carrier's name, or a complete call_sid or Call-ID. */
  text?: string
  /** Names of carriers that the text also finds. The store determines them. */
  trunks?: readonly string[]
}

/** Returns whether a filter text is a part of a phone number. */
export const isNumber = (text: string): boolean => /^[+\d\s()-]*$/.test(text)

/** A call search without pagination. */
export type CallFilter = Omit<CallSearch, 'page' | 'pageSize'>

/** Call search. Results are sorted from newest to oldest and come with the total count of matches. */
export interface Calls {
  /** Returns a page of matches and their total number. */
  search(search: CallSearch, searcher?: SearchContext): Promise<{ total: number; calls: Call[] }>
  /** Yields all matches in batches, newest first. Calls that arrive during the iteration are not included. */
  walk(search: CallFilter, searcher?: SearchContext): AsyncIterable<readonly Call[]>
  /**
   * Returns the owner's calls with this id, newest first: its legs, and the calls that a transfer created. At most 50.
   */
  find(owner: CallOwner, id: CallId): Promise<Call[]>
  /** Returns a list for each id, as `find` does. */
  findEach(owner: CallOwner, ids: readonly CallId[]): Promise<Call[][]>
  /** Returns calls of other tenants that were attempted in a time window: for each id a list of at most 50. */
  findForeign(owner: CallOwner, ids: readonly CallId[], window: Window): Promise<Call[][]>
}

/** Number of ids for which a store that searches them one by one searches at the same time. */
const concurrentIds = 4

/** Calls `search` for each id. A call can be linked with a hundred traces, which must not occupy all connections. */
export const searchEach = async (
  ids: readonly CallId[],
  search: (id: CallId) => Promise<Call[]>,
): Promise<Call[][]> => {
  const results: Call[][] = []
  for (const some of chunk(ids, concurrentIds)) results.push(...(await Promise.all(some.map(search))))
  return results
}

/** Stores received calls. A record that is sent repeatedly is stored once. */
export interface CallSink {
  /** Stores call records in one transaction. */
  store(records: readonly CallRecord[]): Promise<void>
  /** Adds the cost to stored calls. Returns the reason for each rating that was not stored, in the same order. */
  rate(ratings: readonly CallRating[]): Promise<(string | undefined)[]>
}
