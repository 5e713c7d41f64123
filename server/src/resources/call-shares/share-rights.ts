import { can } from '@patchbay/contract/api/access'
import { findPrincipals, type OwnerRows } from '../../auth/principals.ts'
import type { Services } from '../services.ts'
import type { CallShareRow } from './store.ts'

/**
 * Returns those of an account's links that are valid now: the account is active, and the creator could create the link.
 * Reads the current rows of the creators and the account, like the authentication of a request, so a link ends when its
 * account is deactivated, or its creator is deleted, deactivated, suspended, moved to another tenant, or limited to
 * reading.
 */
export const findValidShares = async (
  { database, owners }: { database: Services['database']; owners: OwnerRows },
  account_sid: string,
  rows: readonly CallShareRow[],
): Promise<ReadonlySet<CallShareRow>> => {
  const [findCreator, owner] = await Promise.all([findPrincipals(database.db, rows), owners.account(account_sid)])
  if (owner?.is_active !== 1) return new Set()
  return new Set(
    rows.filter((row) => {
      const creator = findCreator(row)
      return creator !== undefined && !creator.is_suspended && can(creator, 'write', { ...owner, account_sid })
    }),
  )
}
