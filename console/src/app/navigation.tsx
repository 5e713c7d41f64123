import { can } from '@patchbay/contract/api/access'
import type { Me } from '@patchbay/contract/users'
import { PanelLeft, Search, X } from 'lucide-react'
import type { Ref } from 'react'
import { requiredSession } from '../session/session.ts'
import { IconButton } from '../ui/button.tsx'
import { Tooltip } from '../ui/overlay/tooltip.tsx'
import { AccountSwitch } from './account-switch.tsx'
import { BrandLink } from './brand-link.tsx'
import { Keys, modifier } from './kbd.tsx'
import { MainMenu } from './main-menu.tsx'
import { useMenuLook } from './menu-look.ts'
import styles from './navigation.module.css'
import { ProviderChoice } from './provider-select.tsx'
import scope from './scope-box.module.css'
import { UserBox } from './user-box.tsx'

const SearchButton = ({ onClick }: { onClick: () => void }) => (
  <Tooltip text="Search or go to" align="beside">
    {() => (
      <button type="button" className={styles['search']} aria-keyshortcuts={`${modifier.name}+K`} onClick={onClick}>
        <Search size={16} aria-hidden="true" />
        <span>Search or go to</span>
        <Keys keys={[modifier.shown, 'K']} hidden />
      </button>
    )}
  </Tooltip>
)

/** Shows names in the menu, or only icons. */
const LookButton = () => {
  const { isIcons, toggle } = useMenuLook()
  return (
    <IconButton
      label={isIcons ? 'Show names in the menu' : 'Show icons only'}
      size="small"
      className={styles['look']}
      onClick={toggle}
    >
      <PanelLeft aria-hidden="true" />
    </IconButton>
  )
}

interface NavigationProps {
  user: Me['user']
  onSearch: () => void
  /** Closes the drawer of narrow windows. */
  onClose: () => void
  /** The button that closes the drawer. */
  closer: Ref<HTMLButtonElement>
}

/** The side navigation: what lists are limited to, search, menu, and user. */
export const Navigation = ({ user, onSearch, onClose, closer }: NavigationProps) => {
  const { actor } = requiredSession()
  return (
    <div className={styles['navigation']}>
      <div className={styles['top']}>
        <div className={styles['brand']}>
          <BrandLink />
          <LookButton />
          <div className={styles['closer']}>
            <IconButton ref={closer} label="Close menu" onClick={onClose}>
              <X size={20} aria-hidden="true" />
            </IconButton>
          </div>
        </div>
        <div className={scope['box']}>
          <ProviderChoice
            canChoose={actor.scope === 'admin'}
            canAdd={actor.scope === 'admin' && can(actor, 'write', { account_sid: null, service_provider_sid: null })}
          />
          {actor.scope !== 'account' && <AccountSwitch />}
        </div>
        <SearchButton onClick={onSearch} />
      </div>
      <MainMenu />
      <UserBox user={user} />
    </div>
  )
}
