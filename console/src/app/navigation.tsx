import { can } from '@patchbay/contract/api/access'
import type { Me } from '@patchbay/contract/users'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { LogOut, Search, Settings2 } from 'lucide-react'
import { lazyComponentQuery } from '../lazy/lazy-component-query.ts'
import { idle, savesData } from '../lazy/prefetch-when-idle.ts'
import { useLazyComponent } from '../lazy/use-lazy-component.ts'
import { scopeNames } from '../record/scope-labels.ts'
import { alerts } from '../routes/alerts.ts'
import type { MenuEntry } from '../routes/define-screen.ts'
import { editUser } from '../routes/users.ts'
import { ScreenLink } from '../screen/links.tsx'
import { useProviders } from '../session/current-provider.ts'
import { signOut } from '../session/keep-alive.ts'
import { requiredSession } from '../session/session.ts'
import { IconButton } from '../ui/button.tsx'
import { Tooltip } from '../ui/overlay/tooltip.tsx'
import { BrandLink } from './brand-link.tsx'
import { Keys, modifier } from './kbd.tsx'
import { menuTarget } from './menu-targets.ts'
import styles from './navigation.module.css'
import { screens } from './pages.ts'
import { ProviderChoice } from './provider-select.tsx'

const unreadBadge = lazyComponentQuery('unread alerts', async () => {
  await idle()
  return (await import('../screens/alerts/unread-badge.tsx')).UnreadBadge
})

/** The number of new alerts. Its code loads when the browser is idle, and not at all for users who save data. */
const UnreadAlerts = () => {
  const { data } = useQuery({ ...unreadBadge, enabled: !savesData() })
  return data && <data.Part />
}

/** The menu entries of one group that the user can open. */
const Entries = ({ group }: { group: MenuEntry['group'] }) => {
  const { actor } = requiredSession()
  const here = useLocation({ select: ({ pathname }) => pathname })
  const { current } = useProviders()
  return screens.map((screen) => {
    const target = menuTarget(screen, actor, current)
    if (target === undefined || screen.menu?.group !== group) return null
    const { icon: Icon, label = screen.title, activeFor } = screen.menu
    return (
      <li key={screen.path}>
        <Link
          {...target}
          className={styles['entry']}
          aria-current={activeFor !== undefined && here.startsWith(`${activeFor}/`) ? 'page' : undefined}
          activeProps={{ 'aria-current': 'page' }}
          activeOptions={{ includeSearch: false }}
        >
          <Icon size={16} aria-hidden="true" />
          {label}
        </Link>
        {screen.path === alerts.path && <UnreadAlerts />}
      </li>
    )
  })
}

const PreferencesButton = () => {
  const dialog = useLazyComponent(async () => (await import('./preferences-dialog.tsx')).PreferencesDialog)
  return (
    <>
      <IconButton label="Preferences" size="small" busy={dialog.isLoading} onClick={dialog.open}>
        <Settings2 size={16} aria-hidden="true" />
      </IconButton>
      {dialog.Part && <dialog.Part onClose={dialog.close} />}
    </>
  )
}

const SearchButton = ({ onClick }: { onClick: () => void }) => (
  <button type="button" className={styles['search']} aria-keyshortcuts={`${modifier.name}+K`} onClick={onClick}>
    <Search size={15} aria-hidden="true" />
    <span>Search…</span>
    <Keys keys={[modifier.shown, 'K']} hidden />
  </button>
)

/** The side navigation: search, service provider, menu, and user. */
export const Navigation = ({ user, onSearch }: { user: Me['user']; onSearch: () => void }) => {
  const { actor } = requiredSession()
  return (
    <div className={styles['navigation']}>
      <BrandLink />
      <SearchButton onClick={onSearch} />
      <ProviderChoice
        canChoose={actor.scope === 'admin'}
        canAdd={actor.scope === 'admin' && can(actor, 'write', { account_sid: null, service_provider_sid: null })}
      />
      <nav aria-label="Main">
        <ul>
          <Entries group="general" />
        </ul>
        <p id="byo-services" className={styles['caption']}>
          BYO Services
        </p>
        <ul aria-labelledby="byo-services">
          <Entries group="byo" />
        </ul>
      </nav>
      <div className={styles['user']}>
        <Tooltip text={`Edit user ${user.name}`}>
          {(tipId) => (
            <ScreenLink
              to={editUser}
              params={{ user_sid: user.user_sid }}
              className={styles['person']}
              aria-describedby={tipId}
            >
              <strong>{user.name}</strong>
              <span className={styles['scope']}>Scope: {scopeNames[actor.scope]}</span>
            </ScreenLink>
          )}
        </Tooltip>
        <PreferencesButton />
        <IconButton label="Sign out" size="small" onClick={() => void signOut()}>
          <LogOut size={16} aria-hidden="true" />
        </IconButton>
      </div>
    </div>
  )
}
