import { toDayNumber } from '@patchbay/contract/shared/call-quality'
import { type Kysely, sql, type Transaction } from 'kysely'
import { type EngineName, upsertIncrement, lockForUpdate } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'

/** Daily call statistics. Only this module changes patchbay_call_days, in the transaction that changes the calls. */

/** The fields of a call that the sums need. */
interface SummedCall {
  account_sid: string
  service_provider_sid?: string | null | undefined
  attempted_at: number
  trunk?: string | null | undefined
  direction?: string | null | undefined
  sip_status?: number | null | undefined
  answered: 0 | 1
  duration: number
  call_sid?: string | null | undefined
}

const sums = ['calls', 'seconds', 'pdd_calls', 'pdd_milliseconds'] as const

type DayRow = {
  owner_sid: string
  provider_sid: string
  day: number
  trunk: string
  direction: string
  sip_status: number
  answered: 0 | 1
} & Record<(typeof sums)[number], number>

const toRowKey = ({ owner_sid, provider_sid, day, trunk, direction, sip_status, answered }: DayRow): string =>
  [owner_sid, provider_sid, day, trunk, direction, sip_status, answered].join('\n')

/** Returns a SIP status of up to three digits, or 0 for an invalid or unknown one. */
export const toSipStatus = (status: number | null | undefined): number =>
  status && Number.isInteger(status) && status > 0 && status < 1000 ? status : 0

/** Returns a row for the account and one for its provider. */
const toDayRows = (call: SummedCall, pdd: number | undefined): DayRow[] => {
  const row = {
    day: toDayNumber(call.attempted_at),
    trunk: call.trunk ?? '',
    direction: call.direction ?? '',
    sip_status: toSipStatus(call.sip_status),
    answered: call.answered,
    calls: 1,
    seconds: Math.max(0, call.duration),
    pdd_calls: pdd === undefined ? 0 : 1,
    pdd_milliseconds: pdd ?? 0,
  }
  const provider_sid = call.service_provider_sid ?? ''
  const accountRow = { owner_sid: call.account_sid, provider_sid, ...row }
  return provider_sid ? [accountRow, { owner_sid: provider_sid, provider_sid: '', ...row }] : [accountRow]
}

/**
 * Sums calls by row. The rows are sorted so that concurrent transactions lock them in the same order and cannot
 * deadlock.
 */
const aggregateRows = (calls: readonly SummedCall[], delays: ReadonlyMap<string, number>): DayRow[] => {
  const rows = new Map<string, DayRow>()
  for (const dayRow of calls.flatMap((call) => toDayRows(call, delays.get(call.call_sid ?? '')))) {
    const row = rows.get(toRowKey(dayRow))
    if (row) for (const sum of sums) row[sum] += dayRow[sum]
    else rows.set(toRowKey(dayRow), dayRow)
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

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
  if (calls.length === 0) return
  await upsertIncrement(trx, engine, 'patchbay_call_days', aggregateRows(calls, await takeDelays(trx, calls)), sums)
}

type DayKey = Omit<DayRow, (typeof sums)[number]>

const inRow = ({ owner_sid, provider_sid, day, trunk, direction, sip_status, answered }: DayKey) =>
  sql<boolean>`owner_sid = ${owner_sid} and provider_sid = ${provider_sid} and day = ${day} and trunk = ${trunk}
    and direction = ${direction} and sip_status = ${sip_status} and answered = ${answered}`

/** Subtracts sums from a row, and deletes it if it has no calls. */
const subtractRow = async (trx: Transaction<Tables>, row: DayRow): Promise<void> => {
  await trx
    .updateTable('patchbay_call_days')
    .set((column) => ({
      calls: column('calls', '-', row.calls),
      seconds: column('seconds', '-', row.seconds),
      pdd_calls: column('pdd_calls', '-', row.pdd_calls),
      pdd_milliseconds: column('pdd_milliseconds', '-', row.pdd_milliseconds),
    }))
    .where(inRow(row))
    .execute()
  await trx.deleteFrom('patchbay_call_days').where(inRow(row)).where('calls', '<=', 0).execute()
}

/** Returns the row of the provider that contains the sums of an account's row, or undefined if it has no provider. */
const toProviderRow = (row: DayRow): DayRow | undefined =>
  row.provider_sid === '' ? undefined : { ...row, owner_sid: row.provider_sid, provider_sid: '' }

/**
 * Subtracts deleted calls of accounts. The delays of single calls are not stored, so a provider loses those of an account
 * with the last call of a row.
 */
export const subtractFromDays = async (trx: Transaction<Tables>, calls: readonly SummedCall[]): Promise<void> => {
  const noDelays = new Map<string, number>()
  // Providers come last, because the rows of accounts that end contain what their providers lose.
  const rows = aggregateRows(calls, noDelays)
  for (const row of rows.filter((one) => calls.some(({ account_sid }) => account_sid === one.owner_sid))) {
    const stored = await trx.selectFrom('patchbay_call_days').selectAll().where(inRow(row)).executeTakeFirst()
    const isLast = stored !== undefined && stored.calls <= row.calls
    const lost = isLast ? { ...row, pdd_calls: stored.pdd_calls, pdd_milliseconds: stored.pdd_milliseconds } : row
    await subtractRow(trx, lost)
    const providerRow = toProviderRow(lost)
    if (providerRow) await subtractRow(trx, providerRow)
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
    await trx.deleteFrom('patchbay_call_days').where(inRow(row)).execute()
    const providerRow = toProviderRow(row)
    if (providerRow) await subtractRow(trx, providerRow)
  }
  return rows.length
}
