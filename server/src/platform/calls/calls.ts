import type { Call } from '@patchbay/contract/recent-calls'
import type { CallRecord } from '../intake/call-point.ts'
import type { PageSearch, Searcher } from './page-search.ts'

/** Which calls. Instants are those of the attempt. */
export interface CallSearch extends PageSearch {
  trunk?: string
  direction?: string
  answered?: boolean
  /** part of the calling or called number, or a whole call_sid */
  text?: string
}

/** Call records: found newest first with the count of all matches. */
export interface Calls {
  search(search: CallSearch, searcher?: Searcher): Promise<{ total: number; calls: Call[] }>
}

/** Those that are kept here: stored once however often they are sent. */
export interface KeptCalls extends Calls {
  store(records: readonly CallRecord[]): Promise<void>
}
