import { useQuery } from '@tanstack/react-query'
import type { OwnerSid } from '../../api/record-queries.ts'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { stored } from '../../session/storage.ts'
import styles from './unread-badge.module.css'
import { readAlerts, unreadKey } from './queries.ts'

const pollMs = 60_000
/** From this count on, the badge shows one less and a plus sign ("9+"). */
const overflowCount = 10

/** The badge polls in the background. A failed poll shows no error and never ends the session. */
const pollOptions = { background: true, ownFailures: true } as const

/**
 * Counts alerts since the user last opened the list, or in the last 30 days if they never did
 * (docs/reference/platform-api/call-records.md#unread-alerts).
 */
const unreadQuery = (owner: OwnerSid) => ({
  queryKey: [...unreadKey, owner],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const start = stored.alertsLastViewed.read()
    const query = { page: '1', count: String(overflowCount), ...(start ? { start } : { days: '30' }) }
    return (await readAlerts(owner, query, { signal, ...pollOptions })).total
  },
  refetchInterval: pollMs,
  retry: false,
})

/** Badge with the number of unread alerts, shown next to the menu entry. */
export const UnreadBadge = () => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const owner = actor.account_sid ? { account_sid: actor.account_sid } : { service_provider_sid }
  const unread = useQuery({ ...unreadQuery(owner), enabled: actor.account_sid !== null || service_provider_sid !== '' })
  if (!unread.data) return null
  const text = unread.data < overflowCount ? String(unread.data) : `${overflowCount - 1}+`
  return (
    <span role="img" aria-label={`${text} new ${unread.data === 1 ? 'alert' : 'alerts'}`} className={styles['badge']}>
      {text}
    </span>
  )
}
