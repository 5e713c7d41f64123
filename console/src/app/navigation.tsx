import { can, isAtLeast } from '@patchbay/contract/access'
import type { Me } from '@patchbay/contract/users'
import { Link } from '@tanstack/react-router'
import { Building2, LogOut, Monitor, Moon, PhoneCall, Sun } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { requiredSession } from '../session/session.ts'
import { IconButton } from '../ui/button.tsx'
import { Mark } from '../ui/mark.tsx'
import styles from './navigation.module.css'
import { paths } from './paths.ts'
import { ProviderChoice } from './provider-select.tsx'
import { chooseTheme, readTheme, themes } from './theme.ts'
import { useSignOut } from './sign-out.ts'

const scopeNames = { admin: 'Admin', service_provider: 'Service provider', account: 'Account' } as const

const Entry = ({ children, icon, ...target }: { children: string; icon: ReactNode } & Target) => (
  <li>
    <Link
      {...target}
      className={styles['entry']}
      activeProps={{ 'aria-current': 'page' }}
      activeOptions={{ includeSearch: false }}
    >
      {icon}
      {children}
    </Link>
  </li>
)

type Target =
  | { to: typeof paths.accounts | typeof paths.recentCalls }
  | { to: typeof paths.editAccount; params: { account_sid: string } }

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
  const manages = isAtLeast(actor.scope, 'service_provider')
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
          {manages && (
            <Entry to={paths.accounts} icon={<Building2 size={16} aria-hidden="true" />}>
              Accounts
            </Entry>
          )}
          {actor.account_sid !== null && (
            <Entry
              to={paths.editAccount}
              params={{ account_sid: actor.account_sid }}
              icon={<Building2 size={16} aria-hidden="true" />}
            >
              Account
            </Entry>
          )}
          <Entry to={paths.recentCalls} icon={<PhoneCall size={16} aria-hidden="true" />}>
            Recent calls
          </Entry>
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
