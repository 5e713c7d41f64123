import { stored } from '../session/storage.ts'
import type { AccountSummary } from './use-accounts-in-scope.ts'

/** Of which account something new is at first: the one that lists show, or the only one there is; else empty. */
export const startAccount = (accounts: readonly AccountSummary[]): string => {
  const filtered = stored.accountFilter.read()
  const known = accounts.find(({ account_sid }) => account_sid === filtered)
  return (known ?? (accounts.length === 1 ? accounts[0] : undefined))?.account_sid ?? ''
}
