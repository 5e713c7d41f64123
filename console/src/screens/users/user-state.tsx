import type { ListedUser } from '@patchbay/contract/users'
import { Eye, KeyRound, UserRound } from 'lucide-react'
import { StateBadge } from '../../ui/badge.tsx'
import styles from './user-state.module.css'

type Standing = Pick<ListedUser, 'is_active' | 'force_change'> & {
  /** the platform's own list does not say it */
  is_view_only?: boolean
}

export const isInactive = ({ is_active }: Standing): boolean => !is_active

/** How a user stands, in words. */
export const userStateLabels = (user: Standing): string[] => [
  isInactive(user) ? 'Inactive' : 'Active',
  ...(user.is_view_only ? ['View-only'] : []),
  ...(user.force_change ? ['Must change password'] : []),
]

/** A badge for each. */
export const UserState = ({ user }: { user: Standing }) => (
  <span className={styles.states}>
    <StateBadge tone={isInactive(user) ? 'neutral' : 'good'}>{isInactive(user) ? 'Inactive' : 'Active'}</StateBadge>
    {user.is_view_only && (
      <StateBadge tone="neutral" icon={<Eye size={13} aria-hidden="true" />}>
        View-only
      </StateBadge>
    )}
    {Boolean(user.force_change) && (
      <StateBadge tone="warn" icon={<KeyRound size={13} aria-hidden="true" />}>
        Must change password
      </StateBadge>
    )}
  </span>
)

/** Marks the one who is signed in. */
export const You = () => (
  <StateBadge tone="neutral" icon={<UserRound size={13} aria-hidden="true" />}>
    you
  </StateBadge>
)
