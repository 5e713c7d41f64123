import type { Actor } from '@patchbay/contract/api/access'
import { isVisibleTo } from '../../auth/visible-to.ts'
import type { Database } from '../../database/engine.ts'

/** SQL for choosing a SIP realm. */

/** Returns the root domain of an account's provider in lowercase, or null if there is none configured. */
export const readRootDomain = async ({ db }: Database, account_sid: string | null): Promise<string | null> => {
  const row = await db
    .selectFrom('accounts')
    .innerJoin('service_providers', 'service_providers.service_provider_sid', 'accounts.service_provider_sid')
    .select('service_providers.root_domain')
    .where('accounts.account_sid', '=', account_sid ?? '')
    .executeTakeFirst()
  return row?.root_domain?.toLowerCase() ?? null
}

/** Returns the SBC addresses for the realm of an account: those of the provider, or else the shared ones. */
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

/** Returns whether no account that the caller may see has this realm. */
export const isRealmFreeToCaller = async ({ db }: Database, actor: Actor, sip_realm: string): Promise<boolean> => {
  const existing = await db
    .selectFrom('accounts')
    .select('account_sid')
    .where('sip_realm', '=', sip_realm)
    .where(isVisibleTo(actor, { service_provider: 'accounts.service_provider_sid', account: 'accounts.account_sid' }))
    .executeTakeFirst()
  return existing === undefined
}

/** Returns whether no user that the caller may see has this email address or phone number. */
export const isContactFree = async (
  { db }: Database,
  actor: Actor,
  column: 'email' | 'phone',
  value: string,
): Promise<boolean> => {
  const existing = await db
    .selectFrom('users')
    .select('user_sid')
    .where(column, '=', value)
    .where(isVisibleTo(actor, { service_provider: 'users.service_provider_sid', account: 'users.account_sid' }))
    .executeTakeFirst()
  return existing === undefined
}
