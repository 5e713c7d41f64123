import type { Alert } from '@patchbay/contract/alerts'
import type { PageSearch, SearchContext } from '../calls/search-options.ts'
import type { AlertRecord } from '../ingest/parse-call-point.ts'

/** Filters of an alert search. */
export interface AlertSearch extends PageSearch {
  /** The stored type, such as `webhook-failure`. */
  alert_type?: string
}

/** Alert search. Results are sorted from newest to oldest and come with the total count of matches. */
export interface Alerts {
  /** Returns a page of matches and their total number. */
  search(search: AlertSearch, searcher?: SearchContext): Promise<{ total: number; alerts: Alert[] }>
}

/**
 * Alerts in Patchbay's own database. Different alerts with the same timestamp are all stored; a repeated alert is
 * stored once.
 */
export interface AlertStore extends Alerts {
  /** Stores alerts in one transaction. */
  store(records: readonly AlertRecord[]): Promise<void>
}
