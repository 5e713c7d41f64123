import type { Alert } from '@patchbay/contract/alerts'
import { maxAlertGroups } from '@patchbay/contract/shared/alert-objects'
import type { Database } from '../../database/engine.ts'
import { readInstant, split } from '../calls/nanosecond-timestamps.ts'
import { type SearchContext, toWindow } from '../calls/search-options.ts'
import { selectAcknowledgments, wholeGroup } from './acknowledgments.ts'
import { getAlertGroupKey } from './alert-group-keys.ts'
import type { AlertGroups, AlertSelection, FoundGroup } from './alert-groups.ts'
import type { Alerts } from './alerts.ts'

/**
 * Maximum number of alerts that are read and grouped. InfluxDB cannot group by a message, so older alerts of the period
 * are in no group.
 */
export const maxListedAlerts = 5000

const pageSize = 1000

/** Reads the newest alerts of a selection, newest first. */
export const readNewest = async (alerts: Alerts, selection: AlertSelection, searcher: SearchContext) => {
  const newestAlerts: Alert[] = []
  let total = 0
  for (let page = 1; page === 1 || newestAlerts.length < Math.min(total, maxListedAlerts); page += 1) {
    const result = await alerts.search({ ...selection, page, pageSize }, searcher)
    newestAlerts.push(...result.alerts)
    if (page === 1) total = result.total
    if (result.alerts.length < pageSize) break
  }
  return { total, newestAlerts }
}

/** Returns a function that tells whether an alert is acknowledged. */
export const readAcknowledged = async (database: Database, selection: AlertSelection) => {
  const rows = await selectAcknowledgments(database, selection.owner, toWindow(selection).from)
    .select(['group_key', 'until_at', 'single_ns'])
    .execute()
  const reach = new Map<string, number>()
  const singles = new Set<string>()
  for (const { group_key, until_at, single_ns } of rows)
    if (single_ns === wholeGroup) reach.set(group_key, Math.max(until_at, reach.get(group_key) ?? until_at))
    else singles.add(`${group_key} ${until_at} ${single_ns}`)
  return (alert: Alert): boolean => {
    const key = getAlertGroupKey(alert)
    const { milliseconds, nanoseconds } = split(readInstant(alert.time))
    return milliseconds <= (reach.get(key) ?? -Infinity) || singles.has(`${key} ${milliseconds} ${nanoseconds}`)
  }
}

/** Creates the reader of groups of alerts that only a search by page can read, such as those in InfluxDB. */
export const createListedAlertGroups = (database: Database, alerts: Alerts): AlertGroups => {
  const read = async (selection: AlertSelection, searcher: SearchContext) => {
    // Alerts that arrive while the pages are read do not move the others.
    const until = Math.min(selection.until ?? Infinity, Date.now())
    const { total, newestAlerts } = await readNewest(alerts, { ...selection, until }, searcher)
    const isAcknowledged = newestAlerts.length === 0 ? () => false : await readAcknowledged(database, selection)
    const groups = new Map<string, FoundGroup>()
    let acknowledgedCount = 0
    for (const alert of newestAlerts) {
      const key = getAlertGroupKey(alert)
      const time = split(readInstant(alert.time))
      const isDone = isAcknowledged(alert)
      if (isDone) acknowledgedCount += 1
      const group = groups.get(key) ?? {
        key,
        count: 0,
        openCount: 0,
        firstAt: 0,
        lastAt: time.milliseconds,
        newest: alert,
      }
      groups.set(key, {
        ...group,
        count: group.count + 1,
        openCount: group.openCount + (isDone ? 0 : 1),
        firstAt: time.milliseconds,
      })
    }
    return { total, openCount: total - acknowledgedCount, groups: [...groups.values()].slice(0, maxAlertGroups) }
  }
  return {
    async search(search, searcher) {
      const { total: alertCount, openCount, groups } = await read(search, searcher)
      const visible = search.hidesAcknowledged ? groups.filter((group) => group.openCount > 0) : groups
      const start = (search.page - 1) * search.pageSize
      return {
        total: visible.length,
        alertCount,
        openCount,
        groupedCount: groups.reduce((sum, { count }) => sum + count, 0),
        groups: visible.slice(start, start + search.pageSize),
      }
    },

    async countOpen(selection, searcher) {
      const [any] = await selectAcknowledgments(database, selection.owner, toWindow(selection).from)
        .select('group_key')
        .limit(1)
        .execute()
      if (any !== undefined) return (await read(selection, searcher)).openCount
      return (await alerts.search({ ...selection, page: 1, pageSize: 1 }, searcher)).total
    },
  }
}
