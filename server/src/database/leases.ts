import { randomUUID } from 'node:crypto'
import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import { latestDeadline } from '../lib/clock.ts'
import { type Database, inTransaction } from './engine.ts'
import type { Tables } from './tables.ts'

/**
 * Leases of rows, so that only one process at a time works on what a row describes. A lease expires, so that another
 * process takes over from one that was killed, and only its holder can change the row with it.
 */

type Condition = RawBuilder<boolean>

/**
 * Condition that a stored time is over. A time that is later than any that can have been stored was stored before the
 * system clock was set back, and is over too.
 *
 * @param now epoch milliseconds
 * @param longestMs the furthest time ahead that the column can contain
 */
export const hasPassed = (column: string, now: number, longestMs: number): Condition =>
  sql`(${sql.ref(column)} <= ${now} or ${sql.ref(column)} > ${latestDeadline(now, longestMs)})`

type Row<T extends keyof Tables> = Selectable<Tables[T]>

type Column<T extends keyof Tables> = keyof Row<T> & string

interface LeasedTable<T extends keyof Tables, K extends Column<T>> {
  table: T
  /** The columns that identify a row. */
  key: readonly K[]
  /** Longer than any step of the work between two renewals. */
  durationMs: number
}

const joinEqual = (values: object, separator: RawBuilder<unknown>) =>
  sql<boolean>`${sql.join(
    Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    separator,
  )}`

const equals = <R extends object>(row: R, columns: readonly (keyof R & string)[]): Condition =>
  joinEqual(Object.fromEntries(columns.map((column) => [column, row[column]])), sql` and `)

/** Changes the row that a condition selects. Returns whether there is one, even if it has these values already. */
const changeRow = async (db: Kysely<Tables>, table: string, set: object, condition: Condition): Promise<boolean> => {
  const update = sql`update ${sql.table(table)} set ${joinEqual(set, sql`, `)} where ${condition}`
  const { numAffectedRows = 0n } = await update.execute(db)
  return numAffectedRows > 0n
}

/** The columns of a row without a lease. */
export const noLease = { claim: null, claimed_until: 0 } as const

/** The tables whose rows name the current lease in `claim` and its end in `claimed_until`. */
type ClaimTable =
  | 'patchbay_alert_destinations'
  | 'patchbay_billing'
  | 'patchbay_bulk_changes'
  | 'patchbay_data_deletions'

/** Creates the leases of a table with the columns `claim` and `claimed_until`. */
export const createClaimLeases = <T extends ClaimTable, K extends Column<T>>({
  table,
  key,
  durationMs,
}: LeasedTable<T, K>) => {
  type Leased = Pick<Row<T>, K> & { claim: string | null }
  const isFree = (now: number): Condition => hasPassed('claimed_until', now, durationMs)
  const extend = (now: number) => ({ claimed_until: now + durationMs })
  /** Changes a row. Returns false, and changes nothing, if the lease is lost. */
  const change = (db: Kysely<Tables>, leased: Leased, set: Partial<Row<T>>): Promise<boolean> =>
    changeRow(db, table, set, sql`${equals(leased, key)} and claim = ${leased.claim}`)
  return {
    durationMs,
    /** Condition that no process has a lease of the row. */
    isFree,
    /** Returns the columns that extend a lease, for a change of the row. */
    extend,
    /**
     * Leases a row to this process. Returns the ID of the lease, or undefined if another process has one.
     *
     * @param set what else changes in the row
     * @param condition what else must be true of the row
     */
    async claim(
      db: Kysely<Tables>,
      row: Pick<Row<T>, K>,
      now: number,
      { set = {}, condition = sql`1 = 1` }: { set?: Partial<Row<T>>; condition?: Condition } = {},
    ): Promise<string | undefined> {
      const claim = randomUUID()
      const isClaimable: Condition = sql`${equals(row, key)} and ${isFree(now)} and ${condition}`
      return (await changeRow(db, table, { ...set, claim, ...extend(now) }, isClaimable)) ? claim : undefined
    },
    change,
    /** Ends a lease. Returns false if it is lost. */
    release: (db: Kysely<Tables>, leased: Leased, set: Partial<Row<T>> = {}): Promise<boolean> =>
      change(db, leased, { ...set, ...noLease }),
  }
}

interface QueueTable<T extends keyof Tables, K extends Column<T>, D extends Column<T>> extends LeasedTable<T, K> {
  /** The column with the time at which a row is due. */
  dueAt: D
  /** The furthest time ahead at which a row can be due. */
  longestMs: number
}

/**
 * Creates the leases of a queue, whose rows have the time at which they are due. A lease postpones a row, and its end
 * identifies it: a row that is queued again meanwhile has another time, so that the work is repeated.
 */
export const createQueueLeases = <
  T extends 'patchbay_conversation_queue' | 'patchbay_review_items',
  K extends Column<T>,
  D extends Column<T>,
>({
  table,
  key,
  dueAt,
  durationMs,
  longestMs,
}: QueueTable<T, K, D>) => {
  type Leased = Pick<Row<T>, K | D>
  const column = sql.ref<number>(dueAt)
  const isLeased = (leased: Leased): Condition => equals(leased, [...key, dueAt])
  const select = async (db: Kysely<Tables>, condition: Condition, limit: number, suffix = sql``) =>
    (
      await sql<Row<T>>`select * from ${sql.table(table)} where ${condition} order by ${column} limit ${limit}
        ${suffix}`.execute(db)
    ).rows
  /** Changes a row. Returns false, and changes nothing, if the lease is lost or the row was queued again. */
  const change = (db: Kysely<Tables>, leased: Leased, set: Partial<Row<T>>): Promise<boolean> =>
    changeRow(db, table, set, isLeased(leased))
  return {
    /**
     * Leases rows that are due to this process, in their order.
     *
     * @param update returns what else changes in a row
     */
    claimDue: (
      database: Database,
      now: number,
      limit: number,
      update: (row: Row<T>) => Partial<Row<T>> = () => ({}),
    ): Promise<Row<T>[]> =>
      inTransaction(database, async (trx) => {
        const lock = database.engine === 'mysql' ? sql`for update` : sql``
        const due = await select(trx, sql`${column} <= ${now}`, limit, lock)
        // A condition for both would sort all rows that are due. A lock would delay transactions that add rows.
        const late: Condition = sql`${column} > ${latestDeadline(now, longestMs)}`
        const rows = due.length < limit ? [...due, ...(await select(trx, late, limit - due.length))] : due
        const claimed: Row<T>[] = []
        for (const row of rows) {
          const set = { ...update(row), [dueAt]: now + durationMs }
          if (await changeRow(trx, table, set, isLeased(row))) claimed.push({ ...row, ...set })
        }
        return claimed
      }),
    change,
    /** Deletes a row. Does nothing if the lease is lost or the row was queued again. */
    async remove(db: Kysely<Tables>, leased: Leased): Promise<void> {
      await sql`delete from ${sql.table(table)} where ${isLeased(leased)}`.execute(db)
    },
  }
}
