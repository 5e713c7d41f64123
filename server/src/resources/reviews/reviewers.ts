import { type Actor, isAtLeast } from '@patchbay/contract/api/access'
import { throwInvalid } from '@patchbay/contract/api/errors'
import type { Kysely } from 'kysely'
import { isViewOnly, usersWithStatus } from '../../auth/principals.ts'
import type { Tables } from '../../database/tables.ts'

/** Users who may review the calls of an account. */

export const maxReviewers = 1000

interface AccountSids {
  account_sid: string
  service_provider_sid: string | null
}

/** Users of an account see only each other, and users of a provider do not see admins. */
const reviewersQuery = (db: Kysely<Tables>, actor: Actor, { account_sid, service_provider_sid }: AccountSids) =>
  usersWithStatus(db)
    .where('users.is_active', '=', 1)
    .where(({ eb, or, and }) => {
      const ofAccount = eb('users.account_sid', '=', account_sid)
      if (!isAtLeast(actor.scope, 'service_provider')) return ofAccount
      const hasNoAccount = eb('users.account_sid', 'is', null)
      const ofProvider = and([hasNoAccount, eb('users.service_provider_sid', '=', service_provider_sid)])
      const isAdmin = and([hasNoAccount, eb('users.service_provider_sid', 'is', null)])
      return or([ofAccount, ofProvider, ...(isAtLeast(actor.scope, 'admin') ? [isAdmin] : [])])
    })

/** Returns the users who may review calls of an account and whom the caller may know, by name. */
export const listReviewers = async (db: Kysely<Tables>, actor: Actor, account: AccountSids) => {
  const users = await reviewersQuery(db, actor, account).orderBy('users.name').limit(maxReviewers).execute()
  return users.filter((user) => !isViewOnly(user)).map(({ user_sid, name }) => ({ user_sid, name }))
}

/** @throws ApiError `invalid` if the user may not review calls of the account, or the caller may not know the user */
export const checkReviewer = async (
  db: Kysely<Tables>,
  actor: Actor,
  account: AccountSids,
  user_sid: string,
): Promise<void> => {
  const user = await reviewersQuery(db, actor, account).where('users.user_sid', '=', user_sid).executeTakeFirst()
  if (user === undefined || isViewOnly(user))
    throwInvalid('user_sid must be an active user who can change this account', 'user_sid')
}
