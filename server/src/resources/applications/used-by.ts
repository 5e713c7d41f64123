import type { Actor } from '@patchbay/contract/access'
import { type ApplicationUses, applicationUses } from '@patchbay/contract/applications'
import { maxNamed } from '@patchbay/contract/lists/usage-limits'
import type { Uses } from '@patchbay/contract/used-by'
import type { AliasedSelectQueryBuilder, Kysely } from 'kysely'
import { isVisibleTo } from '../../auth/visible-to.ts'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'

/** Resources that refer to an application and prevent its deletion and its move to another account. */

interface Use {
  sid: string
  name: string
  account_sid: string | null
}

type Kind = keyof ApplicationUses

/** The first kind in this list with a reference is named in the error of a deletion. */
const kinds = applicationUses.keyof().options

const selectUses = (db: Kysely<Tables>, sid: string): Record<Kind, AliasedSelectQueryBuilder<Use, 'used'>> => {
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

/** Returns the first kind of resource that refers to an application, if any. */
export const findFirstUse = async (db: Kysely<Tables>, application_sid: string): Promise<Kind | undefined> => {
  const uses = selectUses(db, application_sid)
  for (const kind of kinds)
    if (await db.selectFrom(uses[kind]).select('used.sid').limit(1).executeTakeFirst()) return kind
  return undefined
}

export const readUsedBy = async (
  { reader: db }: Database,
  actor: Actor,
  application_sid: string,
): Promise<ApplicationUses> => {
  const uses = selectUses(db, application_sid)
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
        // References from other tenants can exist in databases of jambonz. They are counted but not named.
        .where(isVisibleTo(actor, { service_provider: 'accounts.service_provider_sid', account: 'used.account_sid' }))
        .orderBy('used.name')
        .orderBy('used.sid')
        .limit(maxNamed)
        .execute(),
    ])
    return [kind, { total: Number(counted.total), first }]
  }
  return applicationUses.parse(Object.fromEntries(await Promise.all(kinds.map(read))))
}
