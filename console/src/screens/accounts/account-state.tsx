import type { Account } from '@patchbay/contract/accounts'
import { StateBadge } from '../../ui/badge.tsx'

export const accountStateLabel = ({ is_active }: Pick<Account, 'is_active'>): string =>
  is_active ? 'Active' : 'Inactive'

export const AccountState = ({ account }: { account: Account }) => (
  <StateBadge tone={account.is_active ? 'good' : 'neutral'}>{accountStateLabel(account)}</StateBadge>
)
