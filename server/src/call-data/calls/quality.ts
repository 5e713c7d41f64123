import type { CallQuality } from '@patchbay/contract/call-quality'
import type { CallOwner, SearchContext } from './search-options.ts'

/** Which calls: days since the epoch in UTC, both included. */
export interface QualitySearch {
  owner: CallOwner
  from: number
  until: number
  trunk?: string
  direction?: string
}

/** How well calls went through. */
export interface Quality {
  of(search: QualitySearch, searcher?: SearchContext): Promise<CallQuality>
}
