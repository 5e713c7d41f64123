import { can } from '@patchbay/contract/access'
import type { Me } from '@patchbay/contract/users'
import { Link } from '@tanstack/react-router'
import { LogOut, Monitor, Moon, Search, Sun } from 'lucide-react'
import type { MenuEntry } from '../page/screen.ts'
import { screens } from '../screens/all.ts'
import { requiredSession } from '../session/session.ts'
import { IconButton } from '../ui/button.tsx'
import { Mark } from '../ui/mark.tsx'
import { Keys } from './keys.tsx'
import { menuTarget } from './menu.ts'
import { modifier } from './modifier.ts'
import styles from './navigation.module.css'
import { ProviderChoice } from './provider-select.tsx'
import { chooseTheme, themes, useTheme } from './theme.ts'
import { useSignOut } from './sign-out.ts'

const scopeNames = { admin: 'Admin', service_provider: 'Service provider', account: 'Account' } as const

/** The entries of one group, for those whom they lead somewhere. */
const Entries = ({ group }: { group: MenuEntry['group'] }) => {
  const { actor } = requiredSession()
  return screens.map((screen) => {
    const target = menuTarget(screen, actor)
    if (target === undefined || screen.menu?.group !== group) return null
    const { icon: Icon, label = screen.title } = screen.menu
    return (
      <li key={screen.path}>
        <Link
          {...target}
          className={styles['entry']}
          activeProps={{ 'aria-current': 'page' }}
          activeOptions={{ includeSearch: false }}
        >
          <Icon size={16} aria-hidden="true" />
          {label}
        </Link>
      </li>
    )
  })
}

const nextTheme = (theme: (typeof themes)[number]) => themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'

const ThemeButton = () => {
  const theme = useTheme()
  const Icon = { system: Monitor, light: Sun, dark: Moon }[theme]
  return (
    <IconButton label={`Theme: ${theme}`} onClick={() => chooseTheme(nextTheme(theme))}>
      <Icon size={16} aria-hidden="true" />
    </IconButton>
  )
}

const SearchButton = ({ onClick }: { onClick: () => void }) => (
  <button type="button" className={styles['search']} aria-keyshortcuts={`${modifier.name}+K`} onClick={onClick}>
    <Search size={15} aria-hidden="true" />
    <span>Search…</span>
    <Keys keys={[modifier.shown, 'K']} hidden />
  </button>
)

/** The side navigation: search, provider, menu, and who is signed in. */
export const Navigation = ({ user, onSearch }: { user: Me['user']; onSearch: () => void }) => {
  const { actor } = requiredSession()
  const signOut = useSignOut()
  return (
    <div className={styles['navigation']}>
      <div className={styles['brand']}>
        <Mark />
        Patchbay
      </div>
      <SearchButton onClick={onSearch} />
      <ProviderChoice
        mayChoose={actor.scope === 'admin'}
        mayAdd={actor.scope === 'admin' && can(actor, 'write', { account_sid: null, service_provider_sid: null })}
      />
      <nav aria-label="Main">
        <ul>
          <Entries group="general" />
        </ul>
      </nav>
      <div className={styles['user']}>
        <div>
          <strong title={user.name}>{user.name}</strong>
          <span>Scope: {scopeNames[actor.scope]}</span>
        </div>
        <ThemeButton />
        <IconButton label="Sign out" onClick={() => void signOut()}>
          <LogOut size={16} aria-hidden="true" />
        </IconButton>
      </div>
    </div>
  )
}
