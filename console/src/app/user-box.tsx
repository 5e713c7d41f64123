import type { Me } from '@patchbay/contract/users'
import { LogOut, Settings2 } from 'lucide-react'
import { useLazyComponent } from '../lazy/use-lazy-component.ts'
import { scopeNames } from '../record/scope-labels.ts'
import { editUser } from '../routes/users.ts'
import { ScreenLink } from '../screen/links.tsx'
import { signOut } from '../session/keep-alive.ts'
import { requiredSession } from '../session/session.ts'
import { IconButton } from '../ui/button.tsx'
import { Tooltip } from '../ui/overlay/tooltip.tsx'
import { initials } from './initials.ts'
import styles from './user-box.module.css'

const PreferencesButton = () => {
  const dialog = useLazyComponent(async () => (await import('./preferences-dialog.tsx')).PreferencesDialog)
  return (
    <>
      <IconButton label="Preferences" size="small" busy={dialog.isLoading} onClick={dialog.open}>
        <Settings2 aria-hidden="true" />
      </IconButton>
      {dialog.Part && <dialog.Part onClose={dialog.close} />}
    </>
  )
}

/** The user at the bottom of the menu, with the preferences and the sign-out. */
export const UserBox = ({ user: { name, user_sid } }: { user: Me['user'] }) => (
  <div className={styles['user']}>
    <Tooltip text={`Edit user ${name}`}>
      {(tipId) => (
        <ScreenLink to={editUser} params={{ user_sid }} className={styles['person']} aria-describedby={tipId}>
          <span className={styles['avatar']} data-initials={initials(name)} aria-hidden="true" />
          <span className={styles['words']}>
            <strong>{name}</strong>
            <span className={styles['scope']}>Scope: {scopeNames[requiredSession().actor.scope]}</span>
          </span>
        </ScreenLink>
      )}
    </Tooltip>
    <PreferencesButton />
    <IconButton label="Sign out" size="small" onClick={() => void signOut()}>
      <LogOut aria-hidden="true" />
    </IconButton>
  </div>
)
