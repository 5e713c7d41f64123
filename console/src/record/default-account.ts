import { stored } from '../session/storage.ts'
import type { AccountSummary } from './use-accounts-in-scope.ts'

/**
 * Returns the account that a new record starts with: the one that lists are filtered by, or the only one. Empty
 * otherwise.
 */
export const startAccount = (accounts: readonly AccountSummary[]): string => {
  const filtered = stored.accountFilter.read()
  const filteredAccount = accounts.find(({ account_sid }) => account_sid === filtered)
  return (filteredAccount ?? (accounts.length === 1 ? accounts[0] : undefined))?.account_sid ?? ''
}
