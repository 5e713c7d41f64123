import { can } from '@patchbay/contract/access'
import type { Me } from '@patchbay/contract/users'
import { Link } from '@tanstack/react-router'
import { LogOut, Monitor, Moon, Sun } from 'lucide-react'
import { useState } from 'react'
import type { MenuEntry } from '../page/screen.ts'
import { screens } from '../screens/all.ts'
import { requiredSession } from '../session/session.ts'
import { IconButton } from '../ui/button.tsx'
import { Mark } from '../ui/mark.tsx'
import { menuTarget } from './menu.ts'
import styles from './navigation.module.css'
import { ProviderChoice } from './provider-select.tsx'
import { chooseTheme, readTheme, themes } from './theme.ts'
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
  const [theme, setTheme] = useState(readTheme)
  const Icon = { system: Monitor, light: Sun, dark: Moon }[theme]
  const change = () => {
    const chosen = nextTheme(theme)
    chooseTheme(chosen)
    setTheme(chosen)
  }
  return (
    <IconButton label={`Theme: ${theme}`} onClick={change}>
      <Icon size={16} aria-hidden="true" />
    </IconButton>
  )
}

/** The side navigation: provider, menu, and who is signed in. */
export const Navigation = ({ user }: { user: Me['user'] }) => {
  const { actor } = requiredSession()
  const signOut = useSignOut()
  return (
    <div className={styles['navigation']}>
      <div className={styles['brand']}>
        <Mark />
        Patchbay
      </div>
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
