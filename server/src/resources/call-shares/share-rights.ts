import { can } from '@patchbay/contract/access'
import { createPrincipalLookup } from '../../auth/principals.ts'
import type { Services } from '../services.ts'
import type { CallShareRow } from './store.ts'

/**
 * Returns a function that returns whether the creator of a link could create it now. It reads the current rows of the
 * creator and the account, like the authentication of a request, so a link ends when its creator is deleted,
 * deactivated, suspended, moved to another tenant, or limited to reading.
 */
export const createRightsCheck = ({ database, owners }: Pick<Services, 'database' | 'owners'>) => {
  const findPrincipal = createPrincipalLookup(database.db)
  return async ({ account_sid, user_sid, api_key_sid }: CallShareRow): Promise<boolean> => {
    const [creator, owner] = await Promise.all([findPrincipal({ user_sid, api_key_sid }), owners.account(account_sid)])
    return (
      creator !== undefined &&
      owner !== undefined &&
      !creator.is_suspended &&
      can(creator, 'write', { ...owner, account_sid })
    )
  }
}
