import { hourMs } from '@patchbay/contract/shared/durations'
import { type Kysely, sql, type Transaction } from 'kysely'
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
 * Hourly call counts by application. Only this module adds to patchbay_call_applications, in the transaction that stores
 * the calls. A dimension of patchbay_call_outcomes would multiply its rows, which all filters by outcome read.
 */

/** The fields of a call that the counts need. */
interface AnsweringCall extends CountedCall {
  application_sid?: string | null | undefined
}

/** Returns a row for the account and one for its provider. Calls without an application are not counted. */
const toApplications = ({ application_sid, ...call }: AnsweringCall) =>
  [call.account_sid, call.service_provider_sid].flatMap((owner_sid) =>
    owner_sid && application_sid
      ? [
          {
            owner_sid,
            application_sid,
            hour: toHourNumber(call.attempted_at),
            direction: call.direction ?? '',
            answered: call.answered,
          },
        ]
      : [],
  )

export const addToApplications = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  calls: readonly AnsweringCall[],
): Promise<void> => {
  const rows = countEqualRows(calls.flatMap(toApplications))
  await upsertIncrement(trx, engine, 'patchbay_call_applications', rows, ['calls'])
}

export const subtractFromApplications = (trx: Transaction<Tables>, calls: readonly AnsweringCall[]): Promise<void> =>
  subtractCounts(trx, 'patchbay_call_applications', countEqualRows(calls.flatMap(toApplications)))

/**
 * Recomputes the counts from the stored calls, for calls that versions without the counts have stored.
 *
 * @param only the calls to count. Default: all
 */
export const countApplications = async (db: Kysely<Tables>, engine: EngineName, only?: OwnerHour): Promise<void> => {
  await deleteCounts(db, 'patchbay_call_applications', only)
  for (const owner of owners)
    await db
      .insertInto('patchbay_call_applications')
      .columns(['owner_sid', 'application_sid', 'hour', 'direction', 'answered', 'calls'])
      .expression((from) =>
        from
          .selectFrom('patchbay_calls')
          .select((select) => [
            sql<string>`${select.ref(owner)}`.as('count_owner'),
            sql<string>`application_sid`.as('count_application'),
            floorDivide(engine, 'attempted_at', hourMs).as('count_hour'),
            sql<string>`coalesce(direction, '')`.as('count_direction'),
            'answered',
            select.fn.countAll<number>().as('calls'),
          ])
          .where(inOwnerHour(owner, only))
          .where('application_sid', 'is not', null)
          .where('application_sid', '!=', '')
          .groupBy(['count_owner', 'count_application', 'count_hour', 'count_direction', 'answered']),
      )
      .execute()
}
