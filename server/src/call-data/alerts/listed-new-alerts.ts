import type { Alert } from '@patchbay/contract/alerts'
import type { Database } from '../../database/engine.ts'
import type { AlertKey, Alerts } from './alerts.ts'
import { readAcknowledged, readNewest } from './listed-alert-groups.ts'
import { compareKeys, findSeenUntil, type NewAlertSearch, type NewAlerts, toAlertKey } from './new-alerts.ts'

/** Reads how far a user of a service provider has seen the lists of single accounts. */
const readSeenOfAccounts = async ({ reader }: Database, { owner, user_sid }: NewAlertSearch) => {
  if ('account_sid' in owner) return new Map<string | null, AlertKey>()
  const rows = await reader
    .selectFrom('patchbay_seen_alerts')
    .select(['account_sid', 'raised_at', 'raised_ns', 'fingerprint'])
    .where('user_sid', '=', user_sid)
    .where('account_sid', 'is not', null)
    .execute()
  return new Map<string | null, AlertKey>(rows.map((row) => [row.account_sid, row]))
}

const isAfter = (key: AlertKey, seen: AlertKey | undefined): boolean => seen === undefined || compareKeys(key, seen) > 0

/**
 * Creates the reader of new alerts that only a search by page can read, such as those in InfluxDB. Of more than
 * `maxListedAlerts`, the oldest are left out.
 */
export const createListedNewAlerts = (database: Database, alerts: Alerts): NewAlerts => ({
  async search(search, searcher) {
    const { owner, user_sid, from, count } = search
    const [seen, ofAccounts] = await Promise.all([
      findSeenUntil(database, user_sid, owner),
      readSeenOfAccounts(database, search),
    ])
    const selection = { owner, from: Math.max(from, seen?.raised_at ?? from) }
    const { newestAlerts } = await readNewest(alerts, selection, searcher)
    const isAcknowledged = newestAlerts.length === 0 ? () => false : await readAcknowledged(database, selection)
    const unseen = newestAlerts
      .map((alert: Alert) => ({ alert, key: toAlertKey(alert) }))
      .filter(
        ({ alert, key }) =>
          isAfter(key, seen) && isAfter(key, ofAccounts.get(alert.account_sid)) && !isAcknowledged(alert),
      )
      .toSorted((a, b) => compareKeys(a.key, b.key))
    const page = unseen.slice(0, count)
    return {
      total: unseen.length,
      alerts: page.map(({ alert }) => alert),
      last: page.at(-1)?.key,
      newest: unseen.at(-1)?.key,
    }
  },
})
