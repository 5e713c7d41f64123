import type { Actor } from '@patchbay/contract/access'
import { msTeamsTenant, type MsTeamsTenant } from '@patchbay/contract/ms-teams-tenants'
import type { Kysely } from 'kysely'
import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared.ts'
import type { Tables } from '../../database/tables.ts'

/** All SQL of Microsoft Teams tenants (api/2-telephony.md §8, §16). */

/** Answered as members of the same name. */
const columns = msTeamsTenant.keyof().options.map((column) => `ms_teams_tenants.${column}` as const)

/** The lists of each scope, compiled once; whose a tenant is, its account says. */
const queries = (db: Kysely<Tables>) => {
  const ordered = () => db.selectFrom('ms_teams_tenants').select(columns).orderBy('tenant_fqdn')
  return {
    all: prepared(db, () => ordered()),
    ofProvider: prepared(db, (sid: string) =>
      ordered()
        .innerJoin('accounts', 'accounts.account_sid', 'ms_teams_tenants.account_sid')
        .where('accounts.service_provider_sid', '=', sid),
    ),
    ofAccount: prepared(db, (sid: string) => ordered().where('ms_teams_tenants.account_sid', '=', sid)),
    one: prepared(db, (sid: string) => ordered().where('ms_teams_tenants.ms_teams_tenant_sid', '=', sid)),
  }
}

export interface MsTeamsTenantStore {
  list(actor: Actor): Promise<MsTeamsTenant[]>
  read(ms_teams_tenant_sid: string): Promise<MsTeamsTenant | undefined>
}

export const createMsTeamsTenantStore = ({ db, reader }: Database): MsTeamsTenantStore => {
  const { one } = queries(db)
  const find = queries(reader)
  return {
    list({ scope, account_sid, service_provider_sid }) {
      switch (scope) {
        case 'admin':
          return find.all()
        case 'service_provider':
          return find.ofProvider(service_provider_sid ?? '')
        case 'account':
          return find.ofAccount(account_sid ?? '')
      }
    },
    async read(ms_teams_tenant_sid) {
      const [tenant] = await one(ms_teams_tenant_sid)
      return tenant
    },
  }
}
