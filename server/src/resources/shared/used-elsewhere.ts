import type { UsedElsewhere } from '@patchbay/contract/accounts'
import {
  findNamedTable,
  getBlockers,
  type Named,
  type NamedTable,
  recordTables,
  referenceName,
  referencesTo,
} from '@patchbay/contract/api/record-tables'
import type { CascadeOwnerKind } from '@patchbay/contract/bulk-changes/kinds'
import { maxNamed } from '@patchbay/contract/lists/usage-limits'
import { serviceProviderTable } from '@patchbay/contract/service-providers/record'
import type { RecordTable } from '@patchbay/contract/shared/record-table'
import { type Kysely, sql } from 'kysely'
import { belongsTo, canBelongTo } from '../../database/record-owners.ts'
import type { Tables } from '../../database/tables.ts'
import type { RecordOwner } from '../../lib/caller.ts'

/**
 * Finds records of an account or a service provider that records outside of it use, by the declared references. They
 * block its deletion.
 */

interface Use {
  parent: NamedTable
  referring: Named<string>
}

/** Returns the references to service providers. A record of another provider's account can name this one. */
const listDirectUses = (): Use[] =>
  referencesTo('service_providers')
    .filter(({ table }) => Object.hasOwn(table.references, 'account_sid'))
    .map((reference) => ({
      parent: serviceProviderTable,
      referring: { ...reference, name: referenceName(reference) },
    }))

/** Returns the references that block the deletion of records which belong to owners of a kind. */
const listUses = (kind: CascadeOwnerKind, missingSchema: ReadonlySet<string>): Use[] =>
  recordTables
    .filter((parent) => canBelongTo(parent, kind))
    .flatMap((parent: RecordTable): Use[] =>
      getBlockers(parent.table as 'applications').map((referring) => ({ parent: parent as NamedTable, referring })),
    )
    .concat(kind === 'service_provider' ? listDirectUses() : [])
    .filter(
      ({ parent, referring: { table, column } }) =>
        !missingSchema.has(parent.table) &&
        !missingSchema.has(table.table) &&
        !missingSchema.has(`${table.table}.${column}`),
    )

/** Selects records of an owner to which a reference leads from a record outside of it. */
const selectUsed = (db: Kysely<Tables>, { parent, referring }: Use, owner: RecordOwner) => {
  const { target, path } = findNamedTable(referring)
  const column = (table: string, name: string) => sql.ref(`${table}.${name}`)
  const steps = path.map((step, nth) => {
    const next = path[nth + 1] ?? target
    return sql`inner join ${sql.table(next.table)} on ${column(next.table, next.key)} = ${column(step.table, step.column)}`
  })
  const name = column(parent.table, parent.name)
  return sql<{ sid: string; name: string }>`
    select distinct ${column(parent.table, parent.key)} as sid, ${name} as name
    from ${sql.table(parent.table)}
    inner join ${sql.table(referring.table.table)}
      on ${column(referring.table.table, referring.column)} = ${column(parent.table, parent.key)}
    ${sql.join(steps, sql` `)}
    where ${belongsTo(parent.table, owner)} and (${belongsTo(target.table, owner)}) is not true
    order by name, sid limit ${maxNamed}`.execute(db)
}

/** Returns the first records of an owner that records outside of it use, for each kind of these. */
export const readUsedElsewhere = async (
  db: Kysely<Tables>,
  owner: RecordOwner,
  missingSchema: ReadonlySet<string>,
): Promise<UsedElsewhere> => {
  const used: UsedElsewhere = []
  for (const use of listUses(owner.kind, missingSchema)) {
    const kind = use.parent.key.replace(/_sid$/, '')
    const { rows } = await selectUsed(db, use, owner)
    used.push(...rows.map((row) => ({ ...row, kind, used_by: use.referring.name })))
  }
  return used
}
