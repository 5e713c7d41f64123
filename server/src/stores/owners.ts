import type { Database } from '../database/engine.ts'
import { prepared } from '../database/prepared.ts'
import type { OwnerLookups } from '../http/mount.ts'
import { type OwnerRows, placeOf, userStandings } from './principals.ts'

/** Whose things are, by sid: what access is decided on before a handler runs. */
export type Owners = OwnerLookups & OwnerRows

export const createOwnerLookups = ({ db }: Database): Owners => {
  const accounts = prepared(db, (account_sid: string) =>
    db
      .selectFrom('accounts')
      .select(['account_sid', 'service_provider_sid', 'is_active'])
      .where('account_sid', '=', account_sid),
  )
  const providers = prepared(db, (service_provider_sid: string) =>
    db
      .selectFrom('service_providers')
      .select('service_provider_sid')
      .where('service_provider_sid', '=', service_provider_sid),
  )
  const users = prepared(db, (user_sid: string) => userStandings(db).where('users.user_sid', '=', user_sid))
  return {
    async account(sid) {
      const [account] = await accounts(sid)
      return account
    },
    async service_provider(sid) {
      const [provider] = await providers(sid)
      return provider && { ...provider, account_sid: null }
    },
    async user(sid) {
      const [user] = await users(sid)
      return user && placeOf(user)
    },
  }
}
