import type { CallQuality } from '@patchbay/contract/call-quality'
import type { CallOwner, SearchContext } from './search-options.ts'

/** Filters of a quality report. `from` and `until` are UTC days since the Unix epoch, both inclusive. */
export interface QualitySearch {
  owner: CallOwner
  from: number
  until: number
  trunk?: string
  direction?: string
}

/** The statistics that the store of the calls contains. */
export type CallTotals = Omit<CallQuality, 'counts_sip' | 'blocked_numbers' | 'identities'>

/** The store of the statistics. */
export interface QualityTotals {
  /** Returns the figures of the period: in total, by day, trunk, direction, and account. */
  getTotals(search: QualitySearch, searcher?: SearchContext): Promise<CallTotals>
}
