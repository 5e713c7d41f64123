import { isAtLeast } from '@patchbay/contract/api/access'
import { dayMs } from '@patchbay/contract/shared/durations'
import type { AlertSearch } from '../routes/alerts.ts'
import { requiredSession } from '../session/session.ts'
import { stored } from '../session/storage.ts'

const unreadDays = 30

/**
 * Returns the time since which alerts are new: when the user last opened the list, or 30 days ago if they never did
 * (docs/reference/platform-api/call-records.md#unread-alerts). ISO 8601.
 */
export const newSince = (): string =>
  stored.alertsLastViewed.read() ?? new Date(Date.now() - unreadDays * dayMs).toISOString()

/** Returns the filters of the list that select the new alerts of all accounts that the user can access. */
export const newAlerts = (): AlertSearch => ({
  ...(isAtLeast(requiredSession().actor.scope, 'service_provider') ? { account: 'all' } : {}),
  since: newSince(),
})
