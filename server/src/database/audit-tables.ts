import { CompiledQuery, type Insertable, type Kysely, type Transaction } from 'kysely'
import { type EngineName, insertIgnoringDuplicates, quotedName } from './engine.ts'
import { ownTables } from './patchbay-schema.ts'
import type { Tables } from './tables.ts'

/** Storage of audit trail entries. Their key is the time at which they were written. */

const momentsPerMillisecond = 1000

/** Returns the first moment, in epoch microseconds, of an epoch millisecond. */
export const toMoment = (milliseconds: number): number => milliseconds * momentsPerMillisecond

export const momentToMs = (moment: number): number => Math.floor(moment / momentsPerMillisecond)

export type AuditRow = Omit<Insertable<Tables['patchbay_audit_trail']>, 'moment'>

/** Returns a function that generates unique, increasing moments. They rarely equal those of another process. */
const createMoments = (): (() => number) => {
  let last = 0
  return () => (last = Math.max(last + 1, toMoment(Date.now()) + Math.floor(Math.random() * momentsPerMillisecond)))
}

type EntryWriter = (trx: Transaction<Tables>, entries: readonly AuditRow[]) => Promise<void>

/** Writes entries in order. If another process has used a moment, that entry is written after the others. */
const createTrailWriter = (engine: EngineName): EntryWriter => {
  const nextMoment = createMoments()
  return async (trx, entries) => {
    let pendingEntries = entries
    while (pendingEntries.length > 0) {
      const rows = pendingEntries.map((entry) => ({ ...entry, moment: nextMoment() }))
      const written = new Set(await insertIgnoringDuplicates(trx, engine, 'patchbay_audit_trail', rows))
      pendingEntries = rows.filter((row) => !written.has(row))
    }
  }
}

const { moment: _moment, ...fieldsOfEntries } = ownTables.patchbay_audit_trail.columns
const fields = Object.keys(fieldsOfEntries) as (keyof AuditRow)[]
const columns = ['moment', ...fields].map((column) => quotedName('sqlite', column)).join(', ')

/** A moment is unique across both tables, so that entries can be moved unchanged. */
const intoLatest = `
  INSERT INTO patchbay_audit_latest (${columns})
  SELECT ?, ${fields.map(() => '?').join(', ')}
  WHERE NOT EXISTS (SELECT 1 FROM patchbay_audit_trail WHERE moment = ?)
  ON CONFLICT DO NOTHING`
const moveLatest = [
  `INSERT INTO patchbay_audit_trail (${columns}) SELECT ${columns} FROM patchbay_audit_latest ORDER BY moment`,
  'DELETE FROM patchbay_audit_latest',
].map((text) => CompiledQuery.raw(text))

/** Number of entries in the unindexed table at which they are moved. */
export const maxLatestEntries = 100

const countLatest = async (trx: Transaction<Tables>): Promise<number> => {
  const query = trx.selectFrom('patchbay_audit_latest').select(({ fn }) => fn.countAll<number>().as('count'))
  return (await query.executeTakeFirstOrThrow()).count
}

/**
 * Writes entries on SQLite, where the cost of a commit depends on the number of changed pages. An entry is first
 * appended to a table without indexes, which changes one page. The writer of every hundredth entry moves all of them,
 * including those that other processes have written.
 */
const createLatestWriter = (): EntryWriter => {
  const nextMoment = createMoments()
  let latestCount: number | undefined
  const tryWrite = async (trx: Transaction<Tables>, entry: AuditRow): Promise<boolean> => {
    const moment = nextMoment()
    const values = [moment, ...fields.map((field) => entry[field] ?? null), moment]
    return (await trx.executeQuery(CompiledQuery.raw(intoLatest, values))).numAffectedRows === 1n
  }
  return async (trx, entries) => {
    latestCount ??= await countLatest(trx)
    for (const entry of entries) while (!(await tryWrite(trx, entry)));
    latestCount += entries.length
    if (latestCount < maxLatestEntries) return
    latestCount = 0
    for (const query of moveLatest) await trx.executeQuery(query)
  }
}

export const createEntryWriter = (engine: EngineName): EntryWriter =>
  engine === 'mysql' ? createTrailWriter(engine) : createLatestWriter()

/** Returns the tables that contain entries. */
export const auditTables = (engine: EngineName) =>
  engine === 'mysql'
    ? (['patchbay_audit_trail'] as const)
    : (['patchbay_audit_trail', 'patchbay_audit_latest'] as const)

/** Returns a query for all entries. Conditions apply to each table and use its indexes. */
export const auditEntries = (db: Kysely<Tables>, engine: EngineName) => {
  const entriesIn = (table: ReturnType<typeof auditTables>[number]) =>
    db.selectFrom(table).select(['moment', ...fields])
  const trail = entriesIn('patchbay_audit_trail')
  return db.selectFrom((engine === 'mysql' ? trail : trail.unionAll(entriesIn('patchbay_audit_latest'))).as('entry'))
}
