import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { liveRefresh } from '../../api/live-refresh.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { alerts } from '../../routes/alerts.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { newAlerts, newSince } from '../../sections/new-alerts.ts'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { unreadKey } from './queries.ts'
import styles from './unread-badge.module.css'

const pollMs = 60_000
/** From this count on, the badge shows one less and a plus sign ("9+"). */
const overflowCount = 10

/** The badge polls in the background. A failed poll shows no error and never ends the session. */
const pollOptions = { background: true, ownFailures: true } as const

/** Counts the new alerts that are not acknowledged. */
const countNewAlerts = async (owner: OwnerSid, signal: AbortSignal): Promise<number> => {
  const start = newSince()
  const how = { signal, ...pollOptions }
  const { open_count } =
    owner.account_sid === undefined
      ? await api(
          'GET /patchbay/service-providers/:service_provider_sid/open-alerts',
          { params: owner, query: { start } },
          how,
        )
      : await api('GET /patchbay/accounts/:account_sid/open-alerts', { params: owner, query: { start } }, how)
  return open_count
}

const unreadQuery = (owner: OwnerSid) => ({
  queryKey: [...unreadKey, owner],
  queryFn: ({ signal }: { signal: AbortSignal }) => countNewAlerts(owner, signal),
  ...liveRefresh(pollMs),
  retry: false,
})

/** Links to the unread alerts and shows their number, next to the menu entry. */
export const UnreadBadge = () => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const owner = actor.account_sid ? { account_sid: actor.account_sid } : { service_provider_sid }
  const unread = useQuery({ ...unreadQuery(owner), enabled: actor.account_sid !== null || service_provider_sid !== '' })
  if (!unread.data) return null
  const text = unread.data < overflowCount ? String(unread.data) : `${overflowCount - 1}+`
  return (
    <ScreenLink
      to={alerts}
      search={newAlerts()}
      aria-label={`${text} new ${unread.data === 1 ? 'alert' : 'alerts'}`}
      className={styles['badge']}
    >
      {text}
    </ScreenLink>
  )
}
