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

export type CountedGroup = Omit<FoundGroup, 'newest'>

/** Number of acknowledged alerts by group. */
type Acknowledged = ReadonlyMap<string, number>

/** Returns the number of alerts that are not acknowledged. */
export const countOpenAlerts = (alertCount: number, acknowledged: Acknowledged): number =>
  Math.max(0, alertCount - [...acknowledged.values()].reduce((sum, count) => sum + count, 0))

/**
 * Selects the page of a search from the groups of a store.
 * @param addNewest adds the newest alert to the groups of the page
 */
export const toFoundGroups = async (
  {
    search,
    alertCount,
    groups,
    acknowledged,
  }: {
    search: AlertGroupSearch
    alertCount: number
    groups: readonly Omit<CountedGroup, 'openCount'>[]
    acknowledged: Acknowledged
  },
  addNewest: (page: readonly CountedGroup[]) => Promise<FoundGroup[]>,
): Promise<FoundGroups> => {
  const all = groups.map((group) => ({
    ...group,
    openCount: Math.max(0, group.count - (acknowledged.get(group.key) ?? 0)),
  }))
  const visible = search.hidesAcknowledged ? all.filter(({ openCount }) => openCount > 0) : all
  const start = (search.page - 1) * search.pageSize
  const page = visible.slice(start, start + search.pageSize)
  return {
    total: visible.length,
    alertCount,
    openCount: countOpenAlerts(alertCount, acknowledged),
    groupedCount: all.reduce((sum, { count }) => sum + count, 0),
    groups: page.length === 0 ? [] : await addNewest(page),
  }
}
