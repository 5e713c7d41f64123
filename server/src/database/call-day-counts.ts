import { dayMilliseconds, toDayNumber } from '@patchbay/contract/shared/call-quality'
import { type Kysely, sql, type Transaction } from 'kysely'
import { owners } from './call-hour-counts.ts'
import { type EngineName, upsertIncrement, floorDivide } from './engine.ts'
import type { Tables } from './tables.ts'

/** How calls went, by day: patchbay_call_days is added to only here, in the transaction that stores the calls. */

/** What the sums need to know of a call. */
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

const keyOf = ({ owner_sid, provider_sid, day, trunk, direction, sip_status, answered }: DayRow): string =>
  [owner_sid, provider_sid, day, trunk, direction, sip_status, answered].join('\n')

/** A status fits three digits; what a writer says beyond is not known. */
const statusOf = (status: number | null | undefined): number =>
  status && Number.isInteger(status) && status > 0 && status < 1000 ? status : 0

/** A record for the account, and one for its provider. */
const rowsOf = (call: SummedCall, pdd: number | undefined): DayRow[] => {
  const row = {
    day: toDayNumber(call.attempted_at),
    trunk: call.trunk ?? '',
    direction: call.direction ?? '',
    sip_status: statusOf(call.sip_status),
    answered: call.answered,
    calls: 1,
    seconds: Math.max(0, call.duration),
    pdd_calls: pdd === undefined ? 0 : 1,
    pdd_milliseconds: pdd ?? 0,
  }
  const provider_sid = call.service_provider_sid ?? ''
  const ofAccount = { owner_sid: call.account_sid, provider_sid, ...row }
  return provider_sid ? [ofAccount, { owner_sid: provider_sid, provider_sid: '', ...row }] : [ofAccount]
}

/** In one order everywhere, so that two transactions wait for each other rather than crosswise. */
const dayRows = (calls: readonly SummedCall[], delays: ReadonlyMap<string, number>): DayRow[] => {
  const rows = new Map<string, DayRow>()
  for (const one of calls.flatMap((call) => rowsOf(call, delays.get(call.call_sid ?? '')))) {
    const row = rows.get(keyOf(one))
    if (row) for (const sum of sums) row[sum] += one[sum]
    else rows.set(keyOf(one), one)
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

/** A ring after ten minutes is of another call. */
const maxDelayMs = 600_000

/** Milliseconds from dialling to ringing by call_sid, of calls whose trace has told; they are forgotten with that. */
const takeDelays = async (
  trx: Transaction<Tables>,
  calls: readonly SummedCall[],
): Promise<ReadonlyMap<string, number>> => {
  const sids = calls.flatMap(({ call_sid }) => call_sid ?? [])
  if (sids.length === 0) return new Map()
  const rows = await trx.selectFrom('patchbay_call_delays').selectAll().where('call_sid', 'in', sids).execute()
  if (rows.length === 0) return new Map()
  const taken = rows.map(({ call_sid }) => call_sid)
  await trx.deleteFrom('patchbay_call_delays').where('call_sid', 'in', taken).execute()
  return new Map(
    rows.flatMap(({ call_sid, dialled_at, rung_at }) => {
      if (dialled_at === null || rung_at === null) return []
      const delay = rung_at - dialled_at
      return delay >= 0 && delay <= maxDelayMs ? [[call_sid, delay] as const] : []
    }),
  )
}

export const addToDays = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  calls: readonly SummedCall[],
): Promise<void> => {
  if (calls.length === 0) return
  await upsertIncrement(trx, engine, 'patchbay_call_days', dayRows(calls, await takeDelays(trx, calls)), sums)
}

/** Sums up what is there, for those who had calls before there were sums; sums that are there are made anew. */
export const sumDays = async (db: Kysely<Tables>, engine: EngineName): Promise<void> => {
  await db.deleteFrom('patchbay_call_days').execute()
  const text = (of: ReturnType<typeof sql.ref>) => sql<string>`coalesce(${of}, '')`
  const status = sql<number>`case when sip_status between 1 and 999 then sip_status else 0 end`
  for (const owner of owners)
    await db
      .insertInto('patchbay_call_days')
      .columns(['owner_sid', 'provider_sid', 'day', 'trunk', 'direction', 'sip_status', 'answered', ...sums])
      .expression((from) =>
        from
          .selectFrom('patchbay_calls')
          .select((select) => [
            sql<string>`${select.ref(owner)}`.as('sum_owner'),
            (owner === 'account_sid' ? text(sql.ref('service_provider_sid')) : sql<string>`''`).as('sum_provider'),
            floorDivide(engine, 'attempted_at', dayMilliseconds).as('sum_day'),
            text(sql.ref('trunk')).as('sum_trunk'),
            text(sql.ref('direction')).as('sum_direction'),
            status.as('sum_status'),
            'answered',
            select.fn.countAll<number>().as('calls'),
            select.fn.sum<number>('duration').as('seconds'),
            sql<number>`0`.as('pdd_calls'),
            sql<number>`0`.as('pdd_milliseconds'),
          ])
          .where(owner, 'is not', null)
          .groupBy(['sum_owner', 'sum_provider', 'sum_day', 'sum_trunk', 'sum_direction', 'sum_status', 'answered']),
      )
      .execute()
}
