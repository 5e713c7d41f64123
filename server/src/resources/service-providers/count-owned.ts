import { forEachName, getContents, type Named } from '@patchbay/contract/api/record-tables'
import type { AllProviderContents } from '@patchbay/contract/service-providers'
import type { Kysely } from 'kysely'
import { belongsTo } from '../../database/record-owners.ts'
import type { AnyTable, Tables } from '../../database/tables.ts'
import type { RecordOwner } from '../../lib/caller.ts'

/** The records that a service provider and its accounts contain. */
const contents: readonly Named<keyof AllProviderContents>[] = [
  ...getContents('service_providers'),
  ...getContents('accounts'),
]

/** Counts the records of a service provider and of all its accounts, by name. */
export const countOwned = async (db: Kysely<Tables>, owner: RecordOwner): Promise<AllProviderContents> => {
  const counts = forEachName(contents, 0)
  const tables = new Map(contents.map(({ name, table }) => [name, table.table]))
  for (const [name, table] of tables) {
    const { records } = await db
      .selectFrom(table as AnyTable)
      .where(belongsTo(table, owner))
      .select(({ fn }) => fn.countAll<number | string>().as('records'))
      .executeTakeFirstOrThrow()
    counts[name] = Number(records)
  }
  return counts
}
