import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { lazyComponentQuery } from '../lazy/lazy-component-query.ts'
import { idle, savesData } from '../lazy/prefetch-when-idle.ts'
import { alerts } from '../routes/alerts.ts'
import { menuGroups, type Screen } from '../routes/define-screen.ts'
import { useProviders } from '../session/current-provider.ts'
import { requiredSession } from '../session/session.ts'
import { stored } from '../session/storage.ts'
import { classes } from '../ui/classes.ts'
import { Tooltip } from '../ui/overlay/tooltip.tsx'
import styles from './main-menu.module.css'
import { menuTarget } from './menu-targets.ts'
import { screens } from './pages.ts'

const unreadBadge = lazyComponentQuery('unread alerts', async () => {
  await idle()
  return (await import('../screens/alerts/unread-badge.tsx')).UnreadBadge
})

/** The number of new alerts. Its code loads when the browser is idle, and not at all for users who save data. */
const UnreadAlerts = () => {
  const { data } = useQuery({ ...unreadBadge, enabled: !savesData() })
  return data && <data.Part />
}

/** The titles of the groups that the user has closed, which the browser remembers. */
const readClosed = (): string[] => stored.closedMenuGroups.read()?.split('\n') ?? []

/** A group of the menu. While it is closed, only the entry of the current page is visible. */
const Group = ({ title, children }: { title: string; children: ReactNode }) => {
  const id = useId()
  const [isClosed, setClosed] = useState(() => readClosed().includes(title))
  const toggle = () => {
    const others = readClosed().filter((other) => other !== title)
    stored.closedMenuGroups.write((isClosed ? others : [...others, title]).join('\n'))
    setClosed(!isClosed)
  }
  return (
    <div className={classes(styles['group'], isClosed && styles['closed'])}>
      <button type="button" id={id} className={styles['title']} aria-expanded={!isClosed} onClick={toggle}>
        {title}
        <ChevronDown size={14} aria-hidden="true" />
      </button>
      <ul aria-labelledby={id}>{children}</ul>
    </div>
  )
}

const Entry = ({ screen, target }: { screen: Screen; target: NonNullable<ReturnType<typeof menuTarget>> }) => {
  const here = useLocation({ select: ({ pathname }) => pathname })
  if (screen.menu === undefined) return null
  const { icon: Icon, label = screen.title, activeFor } = screen.menu
  return (
    <li>
      <Tooltip text={label} align="beside">
        {() => (
          <Link
            {...target}
            className={styles['entry']}
            aria-current={activeFor !== undefined && here.startsWith(`${activeFor}/`) ? 'page' : undefined}
            activeProps={{ 'aria-current': 'page' }}
            activeOptions={{ includeSearch: false }}
          >
            <Icon size={16} aria-hidden="true" />
            <span>{label}</span>
          </Link>
        )}
      </Tooltip>
      {screen.path === alerts.path && <UnreadAlerts />}
    </li>
  )
}

/** The menu: the screens that the user can open, in groups. The overview stands alone, above the others. */
export const MainMenu = () => {
  const { actor } = requiredSession()
  const { current } = useProviders()
  return (
    <nav aria-label="Main" className={styles['menu']}>
      {menuGroups.map((group) => {
        const entries = screens.flatMap((screen) => {
          const target = screen.menu?.group === group && menuTarget(screen, actor, current)
          return target ? [<Entry key={screen.path} screen={screen} target={target} />] : []
        })
        if (entries.length === 0) return null
        if (group === 'Overview') return <ul key={group}>{entries}</ul>
        return (
          <Group key={group} title={group}>
            {entries}
          </Group>
        )
      })}
    </nav>
  )
}
