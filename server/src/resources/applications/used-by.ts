import type { Actor } from '@patchbay/contract/access'
import { type ApplicationUses, applicationUses } from '@patchbay/contract/applications'
import { maxNamed } from '@patchbay/contract/lists/usage-limits'
import type { Uses } from '@patchbay/contract/used-by'
import type { AliasedSelectQueryBuilder, ExpressionBuilder, Kysely } from 'kysely'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'

/** What refers to an application, so that it can neither be deleted nor moved to another account. */

interface Use {
  sid: string
  name: string
  account_sid: string | null
}

type Kind = keyof ApplicationUses

/** The order of this list is that in which a deletion names what is in its way. */
const kinds = applicationUses.keyof().options

const usesOf = (db: Kysely<Tables>, sid: string): Record<Kind, AliasedSelectQueryBuilder<Use, 'used'>> => {
  const accounts = (role: 'device_calling_application_sid' | 'siprec_hook_sid') =>
    db
      .selectFrom('accounts')
      .select(['accounts.account_sid as sid', 'accounts.name', 'accounts.account_sid'])
      .where(role, '=', sid)
      .as('used')
  return {
    phone_numbers: db
      .selectFrom('phone_numbers')
      .select(['phone_number_sid as sid', 'number as name', 'account_sid'])
      .where('application_sid', '=', sid)
      .as('used'),
    device_calling_accounts: accounts('device_calling_application_sid'),
    siprec_accounts: accounts('siprec_hook_sid'),
    ms_teams_tenants: db
      .selectFrom('ms_teams_tenants')
      .select(['ms_teams_tenant_sid as sid', 'tenant_fqdn as name', 'account_sid'])
      .where('application_sid', '=', sid)
      .as('used'),
    voip_carriers: db
      .selectFrom('voip_carriers')
      .select(['voip_carrier_sid as sid', 'name', 'account_sid'])
      .where('application_sid', '=', sid)
      .as('used'),
    call_routes: db
      .selectFrom('call_routes')
      .select(['call_route_sid as sid', 'regex as name', 'account_sid'])
      .where('application_sid', '=', sid)
      .as('used'),
  }
}

/** The first kind of what uses it, if anything does. */
export const firstUse = async (db: Kysely<Tables>, application_sid: string): Promise<Kind | undefined> => {
  const uses = usesOf(db, application_sid)
  for (const kind of kinds)
    if (await db.selectFrom(uses[kind]).select('used.sid').limit(1).executeTakeFirst()) return kind
  return undefined
}

/** A platform may hold uses across the walls: those are counted, and not named. */
const isSeen = (where: ExpressionBuilder<Tables & { used: Use }, 'used' | 'accounts'>, actor: Actor) => {
  switch (actor.scope) {
    case 'admin':
      return where.lit(true)
    case 'service_provider':
      return where('accounts.service_provider_sid', '=', actor.service_provider_sid ?? '')
    case 'account':
      return where('used.account_sid', '=', actor.account_sid ?? '')
  }
}

export const readUsedBy = async (
  { reader: db }: Database,
  actor: Actor,
  application_sid: string,
): Promise<ApplicationUses> => {
  const uses = usesOf(db, application_sid)
  const read = async (kind: Kind): Promise<[Kind, Uses]> => {
    const [counted, first] = await Promise.all([
      db
        .selectFrom(uses[kind])
        .select(({ fn }) => fn.countAll<number | string>().as('total'))
        .executeTakeFirstOrThrow(),
      db
        .selectFrom(uses[kind])
        .leftJoin('accounts', 'accounts.account_sid', 'used.account_sid')
        .select(['used.sid', 'used.name'])
        .where((where) => isSeen(where, actor))
        .orderBy('used.name')
        .orderBy('used.sid')
        .limit(maxNamed)
        .execute(),
    ])
    return [kind, { total: Number(counted.total), first }]
  }
  return applicationUses.parse(Object.fromEntries(await Promise.all(kinds.map(read))))
}
