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

/** Call quality statistics. */
export interface Quality {
  /** Returns the figures of the period: in total, by day, trunk, direction, and account. */
  getCallQuality(search: QualitySearch, searcher?: SearchContext): Promise<CallQuality>
}
