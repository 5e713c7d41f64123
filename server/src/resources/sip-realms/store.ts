import type { Actor } from '@patchbay/contract/access'
import type { ExpressionBuilder } from 'kysely'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'

/** SQL of those who choose a SIP realm. */

/** The root domain of the provider of an account, in small letters; null: there is no root domain. */
export const readRootDomain = async ({ db }: Database, account_sid: string | null): Promise<string | null> => {
  const row = await db
    .selectFrom('accounts')
    .innerJoin('service_providers', 'service_providers.service_provider_sid', 'accounts.service_provider_sid')
    .select('service_providers.root_domain')
    .where('accounts.account_sid', '=', account_sid ?? '')
    .executeTakeFirst()
  return row?.root_domain?.toLowerCase() ?? null
}

/** Where calls to a realm of this account go: to the provider's own SBCs, or where it has none to those of all. */
export const readSbcAddresses = async ({ db }: Database, account_sid: string): Promise<string[]> => {
  const provider = db.selectFrom('accounts').select('service_provider_sid').where('account_sid', '=', account_sid)
  const rows = await db
    .selectFrom('sbc_addresses')
    .select(['ipv4', 'service_provider_sid'])
    .distinct()
    .where((where) =>
      where.or([where('service_provider_sid', 'is', null), where('service_provider_sid', '=', provider)]),
    )
    .orderBy('ipv4')
    .execute()
  const own = rows.filter(({ service_provider_sid }) => service_provider_sid !== null)
  return (own.length > 0 ? own : rows).map(({ ipv4 }) => ipv4)
}

const seenBy =
  ({ scope, account_sid, service_provider_sid }: Actor) =>
  (where: ExpressionBuilder<Tables, 'users'>) => {
    switch (scope) {
      case 'admin':
        return where.lit(true)
      case 'service_provider':
        return where('users.service_provider_sid', '=', service_provider_sid ?? '')
      case 'account':
        return where('users.account_sid', '=', account_sid ?? '')
    }
  }

/** Whether none of the users whom the caller may see has the address. */
export const isContactFree = async (
  { db }: Database,
  actor: Actor,
  column: 'email' | 'phone',
  value: string,
): Promise<boolean> => {
  const found = await db
    .selectFrom('users')
    .select('user_sid')
    .where(column, '=', value)
    .where(seenBy(actor))
    .executeTakeFirst()
  return found === undefined
}
