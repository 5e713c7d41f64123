import type { Database } from '../database/engine.ts'
import type { OwnerLookups } from '../http/mount.ts'

/** Whose things are, by sid: what access is decided on before a handler runs. */
export const createOwnerLookups = ({ db }: Database): OwnerLookups => ({
  account: (account_sid) =>
    db
      .selectFrom('accounts')
      .select(['account_sid', 'service_provider_sid'])
      .where('account_sid', '=', account_sid)
      .executeTakeFirst(),

  async service_provider(service_provider_sid) {
    const provider = await db
      .selectFrom('service_providers')
      .select('service_provider_sid')
      .where('service_provider_sid', '=', service_provider_sid)
      .executeTakeFirst()
    return provider && { ...provider, account_sid: null }
  },

  async user(user_sid) {
    const user = await db
      .selectFrom('users')
      .leftJoin('accounts', 'accounts.account_sid', 'users.account_sid')
      .select([
        'users.account_sid',
        'users.service_provider_sid',
        'accounts.service_provider_sid as provider_of_account',
      ])
      .where('users.user_sid', '=', user_sid)
      .executeTakeFirst()
    if (user === undefined) return undefined
    const { account_sid, service_provider_sid, provider_of_account } = user
    return { account_sid, service_provider_sid: provider_of_account ?? service_provider_sid }
  },
})
