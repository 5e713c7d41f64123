import { useQuery } from '@tanstack/react-query'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { stored } from '../../session/storage.ts'
import styles from './unread-badge.module.css'
import { type AlertOwner, readAlerts } from './queries.ts'
import { unreadKey } from './unread.ts'

const pollMs = 60_000
/** So many and more are told as this many and a plus. */
const max = 10

/** Nobody asked for it: not even that the session is over is for it to tell. */
const unasked = { background: true, ownFailures: true } as const

/** Alerts since the list was last looked at, or of a month where it never was (api/4-calls-and-hosted.md §6.5). */
const unreadQuery = (owner: AlertOwner) => ({
  queryKey: [...unreadKey, owner],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const start = stored.alertsLastViewed.read()
    const query = { page: '1', count: String(max), ...(start ? { start } : { days: '30' }) }
    return (await readAlerts(owner, query, { signal, ...unasked })).total
  },
  refetchInterval: pollMs,
  retry: false,
})

/** How many alerts nobody has looked at, beside the entry of the menu. */
export const UnreadBadge = () => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const owner = actor.account_sid ? { account_sid: actor.account_sid } : { service_provider_sid }
  const unread = useQuery({ ...unreadQuery(owner), enabled: actor.account_sid !== null || service_provider_sid !== '' })
  if (!unread.data) return null
  const text = unread.data < max ? String(unread.data) : `${max - 1}+`
  return (
    <span role="img" aria-label={`${text} new ${unread.data === 1 ? 'alert' : 'alerts'}`} className={styles['badge']}>
      {text}
    </span>
  )
}
