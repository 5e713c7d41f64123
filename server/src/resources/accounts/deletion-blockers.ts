import { accountBlockers, type AccountBlockers } from '@patchbay/contract/accounts'
import { maskToken } from '@patchbay/contract/shared/masking'
import { maxNamed } from '@patchbay/contract/lists/usage-limits'
import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'

const kinds = accountBlockers.keyof().options

/**
 * Creates a reader for the resources that the console requires to be deleted before an account: the first of each kind,
 * and the total count.
 */
export const createBlockersReader = ({ reader: db }: Database): ((account_sid: string) => Promise<AccountBlockers>) => {
  const selectCounts = prepared(db, (account_sid: string) =>
    db.selectNoFrom((select) =>
      kinds.map((kind) =>
        select
          .selectFrom(kind)
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('account_sid', '=', account_sid)
          .$asScalar()
          .$notNull()
          .as(kind),
      ),
    ),
  )
  const selectFirst = {
    applications: prepared(db, (account_sid: string) =>
      db
        .selectFrom('applications')
        .select(['application_sid as sid', 'name'])
        .where('account_sid', '=', account_sid)
        .orderBy('name')
        .limit(maxNamed),
    ),
    phone_numbers: prepared(db, (account_sid: string) =>
      db
        .selectFrom('phone_numbers')
        .select(['phone_number_sid as sid', 'number as name'])
        .where('account_sid', '=', account_sid)
        .orderBy('number')
        .limit(maxNamed),
    ),
    ms_teams_tenants: prepared(db, (account_sid: string) =>
      db
        .selectFrom('ms_teams_tenants')
        .select(['ms_teams_tenant_sid as sid', 'tenant_fqdn as name'])
        .where('account_sid', '=', account_sid)
        .orderBy('tenant_fqdn')
        .limit(maxNamed),
    ),
    api_keys: prepared(db, (account_sid: string) =>
      db
        .selectFrom('api_keys')
        .select(['api_key_sid as sid', 'token as name'])
        .where('account_sid', '=', account_sid)
        .orderBy('created_at')
        .orderBy('api_key_sid')
        .limit(maxNamed),
    ),
  } as const
  return async (account_sid) => {
    const [[counts], applications, numbers, tenants, keys] = await Promise.all([
      selectCounts(account_sid),
      selectFirst.applications(account_sid),
      selectFirst.phone_numbers(account_sid),
      selectFirst.ms_teams_tenants(account_sid),
      selectFirst.api_keys(account_sid),
    ])
    const masked = keys.map(({ sid, name }) => ({ sid, name: maskToken(name) }))
    return {
      applications: { total: counts?.applications ?? 0, first: applications },
      phone_numbers: { total: counts?.phone_numbers ?? 0, first: numbers },
      ms_teams_tenants: { total: counts?.ms_teams_tenants ?? 0, first: tenants },
      api_keys: { total: counts?.api_keys ?? 0, first: masked },
    }
  }
}
