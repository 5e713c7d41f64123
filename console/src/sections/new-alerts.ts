import type { NewAlertPage } from '@patchbay/contract/new-alerts'
import { useQuery } from '@tanstack/react-query'
import { api, type CallOptions } from '../api/client.ts'
import { liveRefresh } from '../api/live-refresh.ts'
import type { OwnerSid } from '../api/record-queries.ts'
import type { AlertSearch } from '../routes/alerts.ts'
import { useProviderSid } from '../session/current-provider.ts'
import { requiredSession } from '../session/session.ts'

const pollMs = 60_000

/** The key of the query that counts unread alerts. */
export const unreadKey = ['unread-alerts'] as const

/** Reads the oldest alerts that the user has not seen. */
export const readNewAlerts = (owner: OwnerSid, count: number, how: CallOptions): Promise<NewAlertPage> => {
  const query = { count: String(count) }
  return owner.account_sid === undefined
    ? api('GET /patchbay/service-providers/:service_provider_sid/new-alerts', { params: owner, query }, how)
    : api('GET /patchbay/accounts/:account_sid/new-alerts', { params: owner, query }, how)
}

/** The badge polls in the background. A failed poll shows no error and never ends the session. */
const unreadQuery = (owner: OwnerSid) => ({
  queryKey: [...unreadKey, owner],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    readNewAlerts(owner, 1, { signal, background: true, ownFailures: true }),
  ...liveRefresh(pollMs),
  retry: false,
})

/**
 * Counts the alerts that the user has not seen, of all accounts that the user can access, and returns the filters of the
 * list that select them (docs/reference/platform-api/call-records.md#unread-alerts).
 */
export const useUnreadAlerts = (): { total: number; search: AlertSearch } => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const owner = actor.account_sid ? { account_sid: actor.account_sid } : { service_provider_sid }
  const { data } = useQuery({
    ...unreadQuery(owner),
    enabled: actor.account_sid !== null || service_provider_sid !== '',
  })
  return {
    total: data?.total ?? 0,
    search: { ...(actor.account_sid ? {} : { account: 'all' }), ...(data?.since ? { since: data.since } : {}) },
  }
}
