import { toDayNumber } from '@patchbay/rules/calls/call-quality'
import type { Kysely, Transaction } from 'kysely'
import { type EngineName, lockForUpdate } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { answered, type CountedCall, direction, sipStatus, trunk } from './call-counts.ts'
import { addToCounts, type CountRow, type CountTable, countCalls, inRow, subtractRow } from './count-table.ts'

/** Daily call statistics. Only this module changes patchbay_call_days, in the transaction that changes the calls. */

/** The fields of a call that the sums need. */
interface SummedCall extends CountedCall {
  sip_status?: number | null | undefined
  duration: number
  call_sid?: string | null | undefined
}

/** The sums of days. Rows of providers have an empty `provider_sid`. */
const createDayCounts = (delays: ReadonlyMap<string, number>): CountTable<'patchbay_call_days', SummedCall> => {
  const getDelay = ({ call_sid }: SummedCall) => delays.get(call_sid ?? '')
  return {
    table: 'patchbay_call_days',
    keys: [
      {
        provider_sid: {
          of: ({ account_sid, service_provider_sid }, owner_sid) =>
            owner_sid === account_sid ? (service_provider_sid ?? '') : '',
        },
        day: { of: ({ attempted_at }) => toDayNumber(attempted_at) },
        trunk,
        direction,
        sip_status: sipStatus,
        answered,
      },
    ],
    sums: {
      calls: () => 1,
      seconds: ({ duration }) => Math.max(0, duration),
      pdd_calls: (call) => (getDelay(call) === undefined ? 0 : 1),
      pdd_milliseconds: (call) => getDelay(call) ?? 0,
    },
  }
}

const withoutDelays = createDayCounts(new Map())

type DayRow = CountRow<'patchbay_call_days'>

/** A ring after ten minutes belongs to another call. */
const maxDelayMs = 600_000

/** Reports of traces about calls. */
export interface ReportedDelays {
  /** Milliseconds from dialing to ringing by call_sid, as far as they are known and plausible. */
  delays: ReadonlyMap<string, number>
  /** All calls with a report. */
  call_sids: readonly string[]
}

/** Returns what traces have reported about the delays of calls. */
export const readDelays = async (
  db: Kysely<Tables>,
  calls: readonly Pick<SummedCall, 'call_sid'>[],
): Promise<ReportedDelays> => {
  const sids = calls.flatMap(({ call_sid }) => call_sid ?? [])
  if (sids.length === 0) return { delays: new Map(), call_sids: [] }
  const rows = await db.selectFrom('patchbay_call_delays').selectAll().where('call_sid', 'in', sids).execute()
  const delays = rows.flatMap(({ call_sid, dialled_at, rung_at }) => {
    if (dialled_at === null || rung_at === null) return []
    const delay = rung_at - dialled_at
    return delay >= 0 && delay <= maxDelayMs ? [[call_sid, delay] as const] : []
  })
  return { delays: new Map(delays), call_sids: rows.map(({ call_sid }) => call_sid) }
}

/** Deletes reports about calls whose records contain the delay from now on. */
export const deleteDelays = async (db: Kysely<Tables>, { call_sids }: ReportedDelays): Promise<void> => {
  if (call_sids.length > 0) await db.deleteFrom('patchbay_call_delays').where('call_sid', 'in', call_sids).execute()
}

const takeDelays = async (trx: Transaction<Tables>, calls: readonly SummedCall[]) => {
  const reported = await readDelays(trx, calls)
  await deleteDelays(trx, reported)
  return reported.delays
}

export const addToDays = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  calls: readonly SummedCall[],
): Promise<void> => {
  if (calls.length > 0) await addToCounts(trx, engine, createDayCounts(await takeDelays(trx, calls)), calls)
}

/** Returns the row of the provider that contains the sums of an account's row, or undefined if it has no provider. */
const toProviderRow = (row: DayRow): DayRow | undefined =>
  row.provider_sid === '' ? undefined : { ...row, owner_sid: row.provider_sid, provider_sid: '' }

/**
 * Subtracts deleted calls of accounts. The delays of single calls are not stored, so a provider loses those of an account
 * with the last call of a row.
 */
export const subtractFromDays = async (trx: Transaction<Tables>, calls: readonly SummedCall[]): Promise<void> => {
  // The rows of accounts contain what their providers lose with the last call.
  for (const row of countCalls(withoutDelays, calls).filter((one) =>
    calls.some(({ account_sid }) => account_sid === one.owner_sid),
  )) {
    const stored = await trx
      .selectFrom('patchbay_call_days')
      .selectAll()
      .where(inRow(withoutDelays, row))
      .executeTakeFirst()
    const isLast = stored !== undefined && stored.calls <= row.calls
    const lost = isLast ? { ...row, pdd_calls: stored.pdd_calls, pdd_milliseconds: stored.pdd_milliseconds } : row
    await subtractRow(trx, withoutDelays, lost)
    const providerRow = toProviderRow(lost)
    if (providerRow) await subtractRow(trx, withoutDelays, providerRow)
  }
}

/**
 * Deletes sums of an account whose calls have been deleted, up to a number of rows, and subtracts them from those of its
 * provider. Returns the number of rows.
 *
 * @param beforeDay days since the epoch in UTC
 */
export const deleteDaysOfAccount = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  account_sid: string,
  beforeDay: number,
  limit: number,
): Promise<number> => {
  const stored = trx
    .selectFrom('patchbay_call_days')
    .selectAll()
    .where('owner_sid', '=', account_sid)
    .where('day', '<', beforeDay)
    .limit(limit)
  const rows = await lockForUpdate(engine, stored).execute()
  for (const row of rows) {
    await trx.deleteFrom('patchbay_call_days').where(inRow(withoutDelays, row)).execute()
    const providerRow = toProviderRow(row)
    if (providerRow) await subtractRow(trx, withoutDelays, providerRow)
  }
  return rows.length
}
