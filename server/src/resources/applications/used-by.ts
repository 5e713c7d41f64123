import type { Actor } from '@patchbay/contract/api/access'
import { getBlockers, type TableReference } from '@patchbay/contract/api/record-tables'
import { type ApplicationUses, applicationUses } from '@patchbay/contract/applications'
import { maxNamed } from '@patchbay/contract/lists/usage-limits'
import { sql } from 'kysely'
import { isVisibleTo } from '../../auth/visible-to.ts'
import type { Database } from '../../database/engine.ts'
import { selectUses } from '../shared/references.ts'

/** Resources that refer to an application and prevent its deletion and its move to another account. */
export const applicationBlockers = getBlockers('applications')

export const readUsedBy = async (
  { reader: db }: Database,
  actor: Actor,
  application_sid: string,
): Promise<ApplicationUses> => {
  const read = async (referring: TableReference) => {
    const { table } = referring.table
    const uses = selectUses(db, referring, application_sid)
      .select(sql.ref<string | null>(`${table}.account_sid`).as('account_sid'))
      .as('used')
    const [counted, first] = await Promise.all([
      db
        .selectFrom(uses)
        .select(({ fn }) => fn.countAll<number | string>().as('total'))
        .executeTakeFirstOrThrow(),
      db
        .selectFrom(uses)
        .leftJoin('accounts', 'accounts.account_sid', 'used.account_sid')
        .select(['used.sid', 'used.name'])
        // References from other tenants can exist in databases of jambonz. They are counted but not named.
        .where(isVisibleTo(actor, { service_provider: 'accounts.service_provider_sid', account: 'used.account_sid' }))
        .orderBy('used.name')
        .orderBy('used.sid')
        .limit(maxNamed)
        .execute(),
    ])
    return { total: Number(counted.total), first }
  }
  const uses = applicationBlockers.map(async (referring) => [referring.name, await read(referring)] as const)
  return applicationUses.parse(Object.fromEntries(await Promise.all(uses)))
}
