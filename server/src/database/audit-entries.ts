import { type Insertable, type Kysely, sql, type Transaction } from 'kysely'
import { type EngineName, insertNew } from './engine.ts'
import { ownTables } from './own-schema.ts'
import type { Tables } from './tables.ts'

/** The entries of the audit trail, whose key is the moment they were written at. */

const momentsInMillisecond = 1000

/** The first moment, in epoch microseconds, of an epoch millisecond. */
export const momentOf = (milliseconds: number): number => milliseconds * momentsInMillisecond

export const millisecondsOf = (moment: number): number => Math.floor(moment / momentsInMillisecond)

export type AuditRow = Omit<Insertable<Tables['patchbay_audit_trail']>, 'moment'>

/** Moments of this process: never the same, never back, and hardly ever those of another. */
const createMoments = (): (() => number) => {
  let last = 0
  return () => (last = Math.max(last + 1, momentOf(Date.now()) + Math.floor(Math.random() * momentsInMillisecond)))
}

/** Writes entries in their order; one whose moment another process took comes after the others. */
export const createEntryWriter = (engine: EngineName) => {
  const nextMoment = createMoments()
  return async (trx: Transaction<Tables>, entries: readonly AuditRow[]): Promise<void> => {
    let left = entries
    while (left.length > 0) {
      const rows = left.map((entry) => ({ ...entry, moment: nextMoment() }))
      const written = new Set(await insertNew(trx, engine, 'patchbay_audit_trail', rows))
      left = rows.filter((row) => !written.has(row))
    }
  }
}

/**
 * Moves what the audit trail's first table holds into the one that is ordered by time: each entry at its time, or right
 * after the one before. A start that was killed on the way is made up for by the next.
 */
export const moveAuditEntries = async (db: Kysely<Tables>): Promise<void> => {
  const { moment: _moment, ...kept } = ownTables.patchbay_audit_trail.columns
  const columns = sql.join(Object.keys(kept).map((column) => sql.ref(column)))
  const [from, to] = [sql.table('patchbay_audit'), sql.table('patchbay_audit_trail')]
  await sql`DELETE FROM ${to}`.execute(db)
  await sql`
    INSERT INTO ${to} (moment, ${columns})
    SELECT place + MAX(at * ${sql.lit(momentsInMillisecond)} - place) OVER (ORDER BY place), ${columns}
    FROM (SELECT ROW_NUMBER() OVER (ORDER BY at, turn, entry_sid) AS place, at, ${columns} FROM ${from}) AS entries
  `.execute(db)
  await sql`DROP TABLE ${from}`.execute(db)
}
