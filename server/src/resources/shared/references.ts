import { findNamedTable, type Named, type TableReference } from '@patchbay/contract/api/record-tables'
import type { Uses } from '@patchbay/contract/api/used-by'
import { maxNamed } from '@patchbay/contract/lists/usage-limits'
import { maskToken } from '@patchbay/rules/masking/masking'
import { type Kysely, sql } from 'kysely'
import { prepared } from '../../database/prepared-query.ts'
import type { AnyTable, Tables } from '../../database/tables.ts'

/** Finds the records that refer to another one, by the declared references (contract/src/api/record-tables.ts). */

/** Selects the records that the API names: the referring ones, or those to which a path of references leads. */
const selectReferring = (db: Kysely<Tables>, referring: TableReference, sid: string) => {
  const { target, path } = findNamedTable(referring)
  const rows = db.selectFrom(target.table as AnyTable)
  const refersTo = sql.ref(`${referring.table.table}.${referring.column}`)
  const [first, ...rest] = path
  if (first === undefined) return rows.where(refersTo, '=', sid)
  const selectColumn = (step: typeof first) =>
    db.selectFrom(step.table as AnyTable).select(sql.ref<string>(`${step.table}.${step.column}`).as('sid'))
  const keys = rest.reduce(
    (previous, step) => selectColumn(step).where(sql.ref(`${step.table}.${step.key}`), 'in', previous),
    selectColumn(first).where(refersTo, '=', sid),
  )
  return rows.where(sql.ref(`${target.table}.${target.key}`), 'in', keys)
}

const countRows = (db: Kysely<Tables>, referring: TableReference, sid: string) =>
  selectReferring(db, referring, sid).select(({ fn }) => fn.countAll<number>().as('total'))

/** Selects the SIDs and names of the records that refer to another one. */
export const selectUses = (db: Kysely<Tables>, referring: TableReference, sid: string) => {
  const { table, key, name = key } = findNamedTable(referring).target
  return selectReferring(db, referring, sid).select([
    sql.ref<string>(`${table}.${key}`).as('sid'),
    sql.ref<string | null>(`${table}.${name}`).as('name'),
  ])
}

/**
 * Creates a function that counts the records that refer to another one, by name, in one query. Each count uses the index
 * on the reference.
 */
export const createReferenceCounter = <Name extends string>(
  db: Kysely<Tables>,
  references: readonly Named<Name>[],
): ((sid: string) => Promise<Readonly<Record<Name, number>> | undefined>) => {
  const select = prepared(db, (sid: string) =>
    db.selectNoFrom(() =>
      references.map((referring) => countRows(db, referring, sid).$asScalar().$notNull().as(referring.name)),
    ),
  )
  return async (sid) => (await select(sid))[0] as Readonly<Record<Name, number>> | undefined
}

/** Creates a function that returns the records that refer to another one: the first of each name, and their number. */
export const createUsesReader = <Name extends string>(
  db: Kysely<Tables>,
  references: readonly Named<Name>[],
): ((sid: string) => Promise<Record<Name, Uses>>) => {
  const readCounts = createReferenceCounter(db, references)
  const readersOfFirst = references.map((referring) => {
    const { table, key, name = key, isNameSecret } = findNamedTable(referring).target
    const order = isNameSecret ? ['created_at', key] : [name]
    const readFirst = prepared(db, (sid: string) =>
      selectUses(db, referring, sid)
        .orderBy(sql.join(order.map((column) => sql.ref(`${table}.${column}`))))
        .limit(maxNamed),
    )
    const toName = (text: string | null) => (isNameSecret ? maskToken(text ?? '') : (text ?? ''))
    return { name: referring.name, readFirst, toName }
  })
  return async (parent) => {
    const counts = await readCounts(parent)
    const uses = readersOfFirst.map(async ({ name, readFirst, toName }): Promise<[Name, Uses]> => {
      const rows = await readFirst(parent)
      return [name, { total: counts?.[name] ?? 0, first: rows.map((row) => ({ ...row, name: toName(row.name) })) }]
    })
    return Object.fromEntries(await Promise.all(uses)) as Record<Name, Uses>
  }
}

/** Returns the first reference to a record of which there is a row, if any. */
export const findFirstUse = async <Referring extends TableReference>(
  db: Kysely<Tables>,
  references: readonly Referring[],
  sid: string,
): Promise<Referring | undefined> => {
  for (const referring of references) {
    const { table, column } = referring
    const rows = db.selectFrom(table.table as AnyTable).select(sql.ref<string>(column).as('sid'))
    if (await rows.where(sql.ref(column), '=', sid).limit(1).executeTakeFirst()) return referring
  }
  return undefined
}
