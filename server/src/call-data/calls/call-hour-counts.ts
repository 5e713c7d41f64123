import { hourMs } from '@patchbay/contract/shared/durations'
import { type Kysely, sql, type Transaction } from 'kysely'
import { type EngineName, upsertIncrement } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'

/** Hourly call counts. Only this module changes patchbay_call_hours, in the transaction that changes the calls. */

export const toHourNumber = (milliseconds: number): number => Math.floor(milliseconds / hourMs)

/** The fields of a call that the counts need. */
export interface CountedCall {
  account_sid: string
  service_provider_sid?: string | null | undefined
  attempted_at: number
  trunk?: string | null | undefined
  direction?: string | null | undefined
  answered: 0 | 1
}

type Kind = {
  owner_sid: string
  by_kind: 0 | 1
  hour: number
  trunk: string
  direction: string
  answered: 0 | 1
}

/** Returns the rows that count a call: for each owner the total of the hour and the count of the call's kind. */
const toKinds = ({
  account_sid,
  service_provider_sid,
  attempted_at,
  trunk,
  direction,
  answered,
}: CountedCall): Kind[] =>
  [account_sid, service_provider_sid].flatMap((owner_sid) => {
    if (!owner_sid) return []
    const hourTotal = {
      owner_sid,
      by_kind: 0,
      hour: toHourNumber(attempted_at),
      trunk: '',
      direction: '',
      answered: 0,
    } as const
    return [hourTotal, { ...hourTotal, by_kind: 1, trunk: trunk ?? '', direction: direction ?? '', answered }]
  })

/**
 * Counts equal rows. The result is sorted so that concurrent transactions lock the rows in the same order and cannot
 * deadlock.
 */
export const countEqualRows = <Row extends object>(rows: readonly Row[]): (Row & { calls: number })[] => {
  const counts = new Map<string, Row & { calls: number }>()
  for (const row of rows) {
    const key = Object.values(row).join('\n')
    const counted = counts.get(key)
    if (counted) counted.calls += 1
    else counts.set(key, { ...row, calls: 1 })
  }
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

export const addToHours = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  calls: readonly CountedCall[],
): Promise<void> => {
  await upsertIncrement(trx, engine, 'patchbay_call_hours', countEqualRows(calls.flatMap(toKinds)), ['calls'])
}

type CountTable = 'patchbay_call_hours' | 'patchbay_call_outcomes' | 'patchbay_call_applications'

/** Subtracts counts from those of the rows with the same values, and deletes rows without calls. */
export const subtractCounts = async (
  trx: Transaction<Tables>,
  table: CountTable,
  rows: readonly (object & { calls: number })[],
): Promise<void> => {
  for (const { calls, ...key } of rows) {
    const conditions = Object.entries(key).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
    const row = sql.join(conditions, sql` and `)
    await sql`update ${sql.table(table)} set calls = calls - ${calls} where ${row}`.execute(trx)
    await sql`delete from ${sql.table(table)} where ${row} and calls <= 0`.execute(trx)
  }
}

export const subtractFromHours = (trx: Transaction<Tables>, calls: readonly CountedCall[]): Promise<void> =>
  subtractCounts(trx, 'patchbay_call_hours', countEqualRows(calls.flatMap(toKinds)))

/** The columns that contain the owners of a call. */
export const owners = ['account_sid', 'service_provider_sid'] as const

/** The calls of an owner in an hour, for which counts can be recomputed separately. */
export interface OwnerHour {
  owner_sid: string
  hour: number
}

/** Returns the conditions that select the calls of an hour. Without an hour, none. */
export const inOwnerHour = (owner: (typeof owners)[number], only: OwnerHour | undefined) =>
  only === undefined
    ? sql<boolean>`${sql.ref(owner)} is not null`
    : sql<boolean>`${sql.ref(owner)} = ${only.owner_sid} and attempted_at >= ${only.hour * hourMs}
        and attempted_at < ${(only.hour + 1) * hourMs}`

/** Deletes the counts of an hour from a table. Without an hour, all. */
export const deleteCounts = async (
  db: Kysely<Tables>,
  table: 'patchbay_call_outcomes' | 'patchbay_call_applications',
  only: OwnerHour | undefined,
): Promise<void> => {
  const all = db.deleteFrom(table)
  await (only ? all.where('owner_sid', '=', only.owner_sid).where('hour', '=', only.hour) : all).execute()
}
