import type { UsedElsewhere } from '@patchbay/contract/accounts'
import {
  findNamedTable,
  getBlockers,
  type Named,
  type NamedTable,
  recordTables,
} from '@patchbay/contract/api/record-tables'
import { maxNamed } from '@patchbay/contract/lists/usage-limits'
import type { RecordTable } from '@patchbay/contract/shared/record-table'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'

/** Finds records of an account that records outside of it use, by the declared references. They block its deletion. */

interface Use {
  parent: NamedTable
  referring: Named<string>
}

const belongsToAccount = ({ references }: RecordTable): boolean => references['account_sid']?.onDelete === 'cascade'

/** Returns the references that block the deletion of records which belong to accounts. */
const listUses = (missingSchema: ReadonlySet<string>): Use[] =>
  recordTables
    .filter(belongsToAccount)
    .flatMap((parent: RecordTable) =>
      getBlockers(parent.table as 'applications').map((referring) => ({ parent: parent as NamedTable, referring })),
    )
    .filter(
      ({ referring: { table, column } }) =>
        !missingSchema.has(table.table) && !missingSchema.has(`${table.table}.${column}`),
    )

/** Selects records of an account to which a reference leads from a record outside of it. */
const selectUsed = (db: Kysely<Tables>, { parent, referring }: Use, account_sid: string) => {
  const { target, path } = findNamedTable(referring)
  const column = (table: string, name: string) => sql.ref(`${table}.${name}`)
  const steps = path.map((step, nth) => {
    const next = path[nth + 1] ?? target
    return sql`inner join ${sql.table(next.table)} on ${column(next.table, next.key)} = ${column(step.table, step.column)}`
  })
  const owner = column(target.table, 'account_sid')
  const name = column(parent.table, parent.name)
  return sql<{ sid: string; name: string }>`
    select distinct ${column(parent.table, parent.key)} as sid, ${name} as name
    from ${sql.table(parent.table)}
    inner join ${sql.table(referring.table.table)}
      on ${column(referring.table.table, referring.column)} = ${column(parent.table, parent.key)}
    ${sql.join(steps, sql` `)}
    where ${column(parent.table, 'account_sid')} = ${account_sid}
      and (${owner} is null or ${owner} <> ${account_sid})
    order by name, sid limit ${maxNamed}`.execute(db)
}

/** Returns the first records of an account that records outside of it use, for each kind of these. */
export const readUsedElsewhere = async (
  db: Kysely<Tables>,
  account_sid: string,
  missingSchema: ReadonlySet<string>,
): Promise<UsedElsewhere> => {
  const used: UsedElsewhere = []
  for (const use of listUses(missingSchema)) {
    const kind = use.parent.key.replace(/_sid$/, '')
    const { rows } = await selectUsed(db, use, account_sid)
    used.push(...rows.map((row) => ({ ...row, kind, used_by: use.referring.name })))
  }
  return used
}
