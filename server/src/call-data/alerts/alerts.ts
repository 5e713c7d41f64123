import type { Alert } from '@patchbay/contract/alerts'
import type { PageSearch, SearchContext } from '../calls/search-options.ts'
import type { AlertRecord } from '../ingest/parse-call-point.ts'

/** Which alerts. */
export interface AlertSearch extends PageSearch {
  /** as it is stored */
  alert_type?: string
}

/** Alerts: found newest first with the count of all matches. */
export interface Alerts {
  search(search: AlertSearch, searcher?: SearchContext): Promise<{ total: number; alerts: Alert[] }>
}

/** Those that are kept here: distinct ones of one moment are all kept, a repeated one is stored once. */
export interface KeptAlerts extends Alerts {
  store(records: readonly AlertRecord[]): Promise<void>
}
