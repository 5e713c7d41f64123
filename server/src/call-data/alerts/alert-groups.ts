import type { Alert } from '@patchbay/contract/alerts'
import type { SearchContext } from '../calls/search-options.ts'
import type { AlertSearch } from './alerts.ts'

/** The alerts of a period that are searched for groups. */
export type AlertSelection = Omit<AlertSearch, 'page' | 'pageSize'>

export interface AlertGroupSearch extends AlertSearch {
  /** Leaves out groups of which all alerts are acknowledged. */
  hidesAcknowledged: boolean
}

/** Alerts of one owner, type, and object. Times are milliseconds since the Unix epoch. */
export interface FoundGroup {
  key: string
  count: number
  /** Number of alerts that are not acknowledged. */
  openCount: number
  firstAt: number
  lastAt: number
  newest: Alert
}

export interface FoundGroups {
  /** Number of groups on all pages. */
  total: number
  alertCount: number
  openCount: number
  /** Number of alerts in groups. Smaller than `alertCount` if there are too many alerts or groups. */
  groupedCount: number
  /** A page of the groups, newest first. */
  groups: readonly FoundGroup[]
}

/** Groups of alerts. */
export interface AlertGroups {
  /** Returns a page of the groups. */
  search(search: AlertGroupSearch, searcher: SearchContext): Promise<FoundGroups>
  /** Returns the number of alerts that are not acknowledged. */
  countOpen(selection: AlertSelection, searcher: SearchContext): Promise<number>
}
