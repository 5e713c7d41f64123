import { alerts } from '../../routes/alerts.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { useUnreadAlerts } from '../../sections/new-alerts.ts'
import styles from './unread-badge.module.css'

/** From this count on, the badge shows one less and a plus sign ("9+"). */
const overflowCount = 10

/** Links to the unread alerts and shows their number, next to the menu entry. */
export const UnreadBadge = () => {
  const { total, search } = useUnreadAlerts()
  if (total === 0) return null
  const text = total < overflowCount ? String(total) : `${overflowCount - 1}+`
  return (
    <ScreenLink
      to={alerts}
      search={search}
      aria-label={`${text} new ${total === 1 ? 'alert' : 'alerts'}`}
      className={styles['badge']}
    >
      {text}
    </ScreenLink>
  )
}
