import type { ListedUser } from '@patchbay/contract/users'
import { Eye, KeyRound, UserRound } from 'lucide-react'
import { StateBadge } from '../../ui/badge.tsx'
import styles from './user-state.module.css'

type UserFlags = Pick<ListedUser, 'is_active' | 'force_change'> & {
  /** Absent in the list of the upstream jambonz server. */
  is_view_only?: boolean
}

export const isInactive = ({ is_active }: UserFlags): boolean => !is_active

/** Returns the labels of a user's state. */
export const userStateLabels = (user: UserFlags): string[] => [
  isInactive(user) ? 'Inactive' : 'Active',
  ...(user.is_view_only ? ['View-only'] : []),
  ...(user.force_change ? ['Must change password'] : []),
]

/** Shows a badge for each state. */
export const UserState = ({ user }: { user: UserFlags }) => (
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

/** Marks the signed-in user. */
export const You = () => (
  <StateBadge tone="neutral" icon={<UserRound size={13} aria-hidden="true" />}>
    you
  </StateBadge>
)
