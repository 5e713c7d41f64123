import { countedDurations, toDurationClass } from '@patchbay/contract/shared/call-durations'
import { hourMs } from '@patchbay/contract/shared/durations'
import { type Kysely, sql, type Transaction } from 'kysely'
import { toSipStatus } from './call-day-counts.ts'
import {
  type CountedCall,
  countEqualRows,
  deleteCounts,
  inOwnerHour,
  type OwnerHour,
  owners,
  subtractCounts,
  toHourNumber,
} from './call-hour-counts.ts'
import { type EngineName, upsertIncrement, floorDivide } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'

/**
 * Hourly call counts by final SIP status and duration. Only this module adds to patchbay_call_outcomes, in the
 * transaction that stores the calls.
 */

/** The fields of a call that the counts need. */
interface EndedCall extends CountedCall {
  sip_status?: number | null | undefined
  duration: number
}

/** Returns a row for the account and one for its provider. */
const toOutcomes = (call: EndedCall) =>
  [call.account_sid, call.service_provider_sid].flatMap((owner_sid) =>
    owner_sid
      ? [
          {
            owner_sid,
            hour: toHourNumber(call.attempted_at),
            sip_status: toSipStatus(call.sip_status),
            min_seconds: toDurationClass(call.duration),
            trunk: call.trunk ?? '',
            direction: call.direction ?? '',
            answered: call.answered,
          },
        ]
      : [],
  )

export const addToOutcomes = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  calls: readonly EndedCall[],
): Promise<void> => {
  await upsertIncrement(trx, engine, 'patchbay_call_outcomes', countEqualRows(calls.flatMap(toOutcomes)), ['calls'])
}

export const subtractFromOutcomes = (trx: Transaction<Tables>, calls: readonly EndedCall[]): Promise<void> =>
  subtractCounts(trx, 'patchbay_call_outcomes', countEqualRows(calls.flatMap(toOutcomes)))

/**
 * Recomputes the counts from the stored calls, for calls that versions without the counts have stored.
 *
 * @param only the calls to count. Default: all
 */
export const countOutcomes = async (db: Kysely<Tables>, engine: EngineName, only?: OwnerHour): Promise<void> => {
  await deleteCounts(db, 'patchbay_call_outcomes', only)
  const durationClass = sql<number>`case ${sql.join(
    countedDurations.toReversed().map((minimum) => sql`when duration >= ${sql.lit(minimum)} then ${sql.lit(minimum)}`),
    sql` `,
  )} else 0 end`
  for (const owner of owners)
    await db
      .insertInto('patchbay_call_outcomes')
      .columns(['owner_sid', 'hour', 'sip_status', 'min_seconds', 'trunk', 'direction', 'answered', 'calls'])
      .expression((from) =>
        from
          .selectFrom('patchbay_calls')
          .select((select) => [
            sql<string>`${select.ref(owner)}`.as('count_owner'),
            floorDivide(engine, 'attempted_at', hourMs).as('count_hour'),
            sql<number>`case when sip_status between 1 and 999 then sip_status else 0 end`.as('count_status'),
            durationClass.as('count_duration'),
            sql<string>`coalesce(trunk, '')`.as('count_trunk'),
            sql<string>`coalesce(direction, '')`.as('count_direction'),
            'answered',
            select.fn.countAll<number>().as('calls'),
          ])
          .where(inOwnerHour(owner, only))
          .groupBy([
            'count_owner',
            'count_hour',
            'count_status',
            'count_duration',
            'count_trunk',
            'count_direction',
            'answered',
          ]),
      )
      .execute()
}
