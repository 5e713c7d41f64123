import { CompiledQuery, type Insertable, type Kysely, sql, type Transaction } from 'kysely'
import { type EngineName, insertIgnoringDuplicates, quotedName } from './engine.ts'
import { ownTables } from './patchbay-schema.ts'
import type { Tables } from './tables.ts'

/** The entries of the audit trail, whose key is the moment they were written at. */

const momentsInMillisecond = 1000

/** The first moment, in epoch microseconds, of an epoch millisecond. */
export const toMoment = (milliseconds: number): number => milliseconds * momentsInMillisecond

export const momentToMs = (moment: number): number => Math.floor(moment / momentsInMillisecond)

export type AuditRow = Omit<Insertable<Tables['patchbay_audit_trail']>, 'moment'>

/** Moments of this process: never the same, never back, and hardly ever those of another. */
const createMoments = (): (() => number) => {
  let last = 0
  return () => (last = Math.max(last + 1, toMoment(Date.now()) + Math.floor(Math.random() * momentsInMillisecond)))
}

type EntryWriter = (trx: Transaction<Tables>, entries: readonly AuditRow[]) => Promise<void>

/** Writes entries in their order; one whose moment another process took comes after the others. */
const createTrailWriter = (engine: EngineName): EntryWriter => {
  const nextMoment = createMoments()
  return async (trx, entries) => {
    let left = entries
    while (left.length > 0) {
      const rows = left.map((entry) => ({ ...entry, moment: nextMoment() }))
      const written = new Set(await insertIgnoringDuplicates(trx, engine, 'patchbay_audit_trail', rows))
      left = rows.filter((row) => !written.has(row))
    }
  }
}

const { moment: _moment, ...fieldsOfEntries } = ownTables.patchbay_audit_trail.columns
const fields = Object.keys(fieldsOfEntries) as (keyof AuditRow)[]
const columns = ['moment', ...fields].map((column) => quotedName('sqlite', column)).join(', ')

/** No moment comes twice in both tables, so that entries can be moved as they are. */
const intoLatest = `
  INSERT INTO patchbay_audit_latest (${columns})
  SELECT ?, ${fields.map(() => '?').join(', ')}
  WHERE NOT EXISTS (SELECT 1 FROM patchbay_audit_trail WHERE moment = ?)
  ON CONFLICT DO NOTHING`
const moveLatest = [
  `INSERT INTO patchbay_audit_trail (${columns}) SELECT ${columns} FROM patchbay_audit_latest ORDER BY moment`,
  'DELETE FROM patchbay_audit_latest',
].map((text) => CompiledQuery.raw(text))

/** So many are moved at once. */
export const maxLatestEntries = 100

const countLatest = async (trx: Transaction<Tables>): Promise<number> => {
  const counted = trx.selectFrom('patchbay_audit_latest').select(({ fn }) => fn.countAll<number>().as('count'))
  return (await counted.executeTakeFirstOrThrow()).count
}

/**
 * The same for the engine inside this process, whose commits cost by the page: an entry takes one of the table of the
 * latest, and the indexes follow with whoever writes the last of many. What other processes write meanwhile is moved, too.
 */
const createLatestWriter = (): EntryWriter => {
  const nextMoment = createMoments()
  let standing: number | undefined
  const isWritten = async (trx: Transaction<Tables>, entry: AuditRow): Promise<boolean> => {
    const moment = nextMoment()
    const values = [moment, ...fields.map((field) => entry[field] ?? null), moment]
    return (await trx.executeQuery(CompiledQuery.raw(intoLatest, values))).numAffectedRows === 1n
  }
  return async (trx, entries) => {
    standing ??= await countLatest(trx)
    for (const entry of entries) while (!(await isWritten(trx, entry)));
    standing += entries.length
    if (standing < maxLatestEntries) return
    standing = 0
    for (const query of moveLatest) await trx.executeQuery(query)
  }
}

export const createEntryWriter = (engine: EngineName): EntryWriter =>
  engine === 'mysql' ? createTrailWriter(engine) : createLatestWriter()

/** Where entries stand. */
export const auditTables = (engine: EngineName) =>
  engine === 'mysql'
    ? (['patchbay_audit_trail'] as const)
    : (['patchbay_audit_trail', 'patchbay_audit_latest'] as const)

/** All entries: what is asked of them goes to each table, and is answered from its indexes. */
export const auditEntries = (db: Kysely<Tables>, engine: EngineName) => {
  const entriesIn = (table: ReturnType<typeof auditTables>[number]) =>
    db.selectFrom(table).select(['moment', ...fields])
  const trail = entriesIn('patchbay_audit_trail')
  return db.selectFrom((engine === 'mysql' ? trail : trail.unionAll(entriesIn('patchbay_audit_latest'))).as('entry'))
}

/**
 * Moves what the audit trail's first table holds into the one that is ordered by time: each entry at its time, or right
 * after the one before. A start that was killed on the way is made up for by the next.
 */
export const moveAuditEntries = async (db: Kysely<Tables>): Promise<void> => {
  const kept = sql.join(fields.map((field) => sql.ref(field)))
  const [from, to] = [sql.table('patchbay_audit'), sql.table('patchbay_audit_trail')]
  await sql`DELETE FROM ${to}`.execute(db)
  await sql`
    INSERT INTO ${to} (moment, ${kept})
    SELECT place + MAX(at * ${sql.lit(momentsInMillisecond)} - place) OVER (ORDER BY place), ${kept}
    FROM (SELECT ROW_NUMBER() OVER (ORDER BY at, turn, entry_sid) AS place, at, ${kept} FROM ${from}) AS entries
  `.execute(db)
  await sql`DROP TABLE ${from}`.execute(db)
}
