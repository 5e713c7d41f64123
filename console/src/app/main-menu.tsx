import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { ChevronDown, Code } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { config } from '../api/configuration.ts'
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

/** Returns the name of the entry of a screen. Screens with tabs share an entry, which has the name of their group. */
const getLabel = ({ title, menu }: Screen): string => (menu?.tab === undefined ? (menu?.label ?? title) : menu.group)

/** Returns whether the entry of a screen is the current page, although its link opens another one. */
const isAround = (here: string, { menu }: Screen): boolean => {
  if (menu?.activeFor !== undefined) return here.startsWith(`${menu.activeFor}/`)
  const tabs = menu?.tab === undefined ? [] : screens.filter((screen) => screen.menu?.group === menu.group)
  return tabs.some(({ path }) => here === path || here.startsWith(`${path}/`))
}

interface EntryProps {
  screen: Screen
  label: string
  target: NonNullable<ReturnType<typeof menuTarget>>
}

const Entry = ({ screen, label, target }: EntryProps) => {
  const here = useLocation({ select: ({ pathname }) => pathname })
  if (screen.menu === undefined) return null
  const { icon: Icon } = screen.menu
  return (
    <li>
      <Tooltip text={label} align="beside">
        {() => (
          <Link
            {...target}
            className={styles['entry']}
            aria-current={isAround(here, screen) ? 'page' : undefined}
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

/** The documentation of the API, which only Patchbay's own server has. */
const ApiDocumentation = () => {
  const { apiBase, extensions } = config()
  const label = 'API documentation'
  return (
    extensions.size > 0 && (
      <li>
        <a
          href={new URL('/api/docs', new URL(apiBase, location.href)).href}
          target="_blank"
          title={label}
          className={styles['entry']}
        >
          <Code size={16} aria-hidden="true" />
          <span>{label}</span>
        </a>
      </li>
    )
  )
}

/** The menu: the screens that the user can open, in groups. An entry with the name of its group stands alone. */
export const MainMenu = () => {
  const { actor } = requiredSession()
  const { current } = useProviders()
  return (
    <nav aria-label="Main" className={styles['menu']}>
      {menuGroups.map((group) => {
        const inGroup = screens.flatMap((screen) => {
          const target = screen.menu?.group === group && menuTarget(screen, actor, current)
          return target ? [{ screen, target, label: getLabel(screen) }] : []
        })
        const [first] = inGroup
        if (first === undefined) return null
        const isAlone = first.label === group
        const entries = (isAlone ? [first] : inGroup).map((entry) => <Entry key={entry.screen.path} {...entry} />)
        return isAlone ? (
          <ul key={group}>{entries}</ul>
        ) : (
          <Group key={group} title={group}>
            {entries}
            {group === 'Manage' && <ApiDocumentation />}
          </Group>
        )
      })}
    </nav>
  )
}
