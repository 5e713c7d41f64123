import { stored } from '../session/storage.ts'
import type { AccountSummary } from './use-accounts-in-scope.ts'

/** Returns the SID of the account if there is only one, because then there is no choice. */
export const findOnlyAccount = (accounts: readonly AccountSummary[] = []): string | undefined =>
  accounts.length === 1 ? accounts[0]?.account_sid : undefined

/**
 * Returns the account that a new record starts with: the one that lists are filtered by, or the only one. Empty
 * otherwise.
 */
export const startAccount = (accounts: readonly AccountSummary[]): string => {
  const filtered = stored.accountFilter.read()
  const filteredAccount = accounts.find(({ account_sid }) => account_sid === filtered)
  return filteredAccount?.account_sid ?? findOnlyAccount(accounts) ?? ''
}
