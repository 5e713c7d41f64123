import { hourMs } from '@patchbay/contract/shared/durations'
import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely'
import { type EngineName, upsertIncrement } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'

/**
 * Tables that count calls per owner. Each is declared as data: its key columns, how a call becomes their values, and its
 * sums. Accounts and providers have rows of their own.
 */

type CountTableName =
  | 'patchbay_call_hours'
  | 'patchbay_call_outcomes'
  | 'patchbay_call_applications'
  | 'patchbay_call_days'

type SumName = 'calls' | 'seconds' | 'pdd_calls' | 'pdd_milliseconds'

export type CountRow<T extends CountTableName> = Selectable<Tables[T]>

interface OwnedCall {
  account_sid: string
  service_provider_sid?: string | null | undefined
}

export interface KeyColumn<Call> {
  /** Returns the value of a call, in the row of an owner. */
  of: (call: Call, owner_sid: string) => string | number
}

/** A key column whose value is also known for calls in patchbay_calls. */
export interface StoredKeyColumn<Call> extends KeyColumn<Call> {
  stored: (engine: EngineName) => RawBuilder<unknown>
}

export interface CountTable<T extends CountTableName, Call, Column extends KeyColumn<Call> = KeyColumn<Call>> {
  table: T
  /** The key columns. A call counts once for each set of them. */
  keys: readonly Readonly<Record<Exclude<keyof CountRow<T>, 'owner_sid' | SumName>, Column>>[]
  /** Return what a call adds to the other columns. */
  sums: Readonly<Record<Extract<keyof CountRow<T>, SumName>, (call: Call) => number>>
  /** Selects the calls that count. Default: all. */
  only?: { of: (call: Call) => boolean; stored: RawBuilder<boolean> }
}

type Values = Record<string, string | number>

/**
 * Sums rows with the same values in the other columns, into the first of them. The result is sorted so that concurrent
 * transactions lock the rows in the same order and cannot deadlock.
 */
export const sumEqualRows = <Row extends object>(
  rows: readonly Row[],
  sums: readonly (keyof Row & string)[],
): Row[] => {
  const keyColumns = Object.keys(rows[0] ?? {}).filter((column) => !sums.some((sum) => sum === column))
  const added = new Map<string, Values>()
  for (const row of rows as readonly (Values & Row)[]) {
    let key = ''
    for (const column of keyColumns) key += `${row[column]}\n`
    const existing = added.get(key)
    if (existing === undefined) added.set(key, row)
    else for (const sum of sums) existing[sum] = Number(existing[sum]) + Number(row[sum])
  }
  return [...added].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row as Values & Row)
}

const toRows = <T extends CountTableName, Call extends OwnedCall>(
  { keys, sums, only }: CountTable<T, Call>,
  calls: readonly Call[],
): CountRow<T>[] => {
  const columnSets = keys.map((columns) => Object.entries<KeyColumn<Call>>(columns))
  const sumColumns = Object.entries<(call: Call) => number>(sums)
  const rows: Values[] = []
  for (const call of only ? calls.filter((one) => only.of(one)) : calls)
    for (const owner_sid of [call.account_sid, call.service_provider_sid])
      for (const columns of owner_sid ? columnSets : []) {
        const row: Values = { owner_sid: owner_sid ?? '' }
        for (const [name, { of }] of columns) row[name] = of(call, owner_sid ?? '')
        for (const [name, getAddend] of sumColumns) row[name] = getAddend(call)
        rows.push(row)
      }
  return rows as (Values & CountRow<T>)[]
}

const sumNames = <T extends CountTableName>({ sums }: Pick<CountTable<T, never>, 'sums'>) =>
  Object.keys(sums) as (keyof CountRow<T> & string)[]

/** Returns the rows of calls, in the order in which transactions lock them. */
export const countCalls = <T extends CountTableName, Call extends OwnedCall>(
  definition: CountTable<T, Call>,
  calls: readonly Call[],
): CountRow<T>[] => sumEqualRows(toRows(definition, calls), sumNames(definition))

/** Adds calls to their rows, in the transaction that stores them. */
export const addToCounts = async <T extends CountTableName, Call extends OwnedCall>(
  trx: Transaction<Tables>,
  engine: EngineName,
  definition: CountTable<T, Call>,
  calls: readonly Call[],
): Promise<void> => {
  const rows = countCalls(definition, calls) as (CountRow<T> & Insertable<Tables[T]> & Values)[]
  await upsertIncrement(trx, engine, definition.table, rows, sumNames(definition))
}

/** Condition that selects a row by its key. */
export const inRow = <T extends CountTableName>(
  definition: Pick<CountTable<T, never>, 'sums'>,
  row: CountRow<T>,
): RawBuilder<boolean> => {
  const names = new Set<string>(sumNames(definition))
  const conditions = Object.entries(row).flatMap(([column, value]) =>
    names.has(column) ? [] : [sql`${sql.ref(column)} = ${value}`],
  )
  return sql`${sql.join(conditions, sql` and `)}`
}

/** Subtracts sums from a row, and deletes it if it has no calls. */
export const subtractRow = async <T extends CountTableName>(
  trx: Transaction<Tables>,
  definition: Pick<CountTable<T, never>, 'table' | 'sums'>,
  row: CountRow<T>,
): Promise<void> => {
  const { table } = definition
  const changes = sumNames(definition).map((sum) => sql`${sql.ref(sum)} = ${sql.ref(sum)} - ${row[sum]}`)
  const condition = inRow(definition, row)
  await sql`update ${sql.table(table)} set ${sql.join(changes)} where ${condition}`.execute(trx)
  await sql`delete from ${sql.table(table)} where ${condition} and calls <= 0`.execute(trx)
}

/** Subtracts calls from their rows, in the transaction that deletes them. */
export const subtractFromCounts = async <T extends CountTableName, Call extends OwnedCall>(
  trx: Transaction<Tables>,
  definition: CountTable<T, Call>,
  calls: readonly Call[],
): Promise<void> => {
  for (const row of countCalls(definition, calls)) await subtractRow(trx, definition, row)
}

/** The columns that contain the owners of a call. */
export const owners = ['account_sid', 'service_provider_sid'] as const

/** The calls of an owner in an hour, for which counts can be recomputed separately. */
export interface OwnerHour {
  owner_sid: string
  hour: number
}

/** Returns the conditions that select the calls of an hour. Without an hour, none. */
const inOwnerHour = (owner: (typeof owners)[number], only: OwnerHour | undefined) =>
  only === undefined
    ? sql<boolean>`${sql.ref(owner)} is not null`
    : sql<boolean>`${sql.ref(owner)} = ${only.owner_sid} and attempted_at >= ${only.hour * hourMs}
        and attempted_at < ${(only.hour + 1) * hourMs}`

/**
 * Recomputes the counts of an hourly table from the stored calls, for calls that versions without the table have stored.
 *
 * @param hour the calls to count. Default: all
 */
export const recountCalls = async <T extends 'patchbay_call_outcomes' | 'patchbay_call_applications', Call>(
  db: Kysely<Tables>,
  engine: EngineName,
  { table, keys, only }: CountTable<T, Call, StoredKeyColumn<Call>>,
  hour?: OwnerHour,
): Promise<void> => {
  const ofHour = hour ? sql`owner_sid = ${hour.owner_sid} and hour = ${hour.hour}` : sql`1 = 1`
  await sql`delete from ${sql.table(table)} where ${ofHour}`.execute(db)
  for (const owner of owners)
    for (const columns of keys) {
      const values = Object.entries<StoredKeyColumn<Call>>(columns).map(
        ([name, { stored }]) => [name, stored(engine)] as const,
      )
      const selected = [['owner_sid', sql.ref(owner)] as const, ...values]
      const aliases = selected.map(([name]) => sql.ref(`count_${name}`))
      await sql`insert into ${sql.table(table)} (${sql.join(selected.map(([name]) => sql.ref(name)))}, calls)
        select ${sql.join(selected.map(([name, value]) => sql`${value} as ${sql.ref(`count_${name}`)}`))}, count(*)
        from patchbay_calls where ${inOwnerHour(owner, hour)} and ${only?.stored ?? sql`1 = 1`}
        group by ${sql.join(aliases)}`.execute(db)
    }
}
