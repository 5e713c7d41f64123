import { hourMs } from '@patchbay/contract/shared/durations'
import { type Database, floorDivide } from '../../database/engine.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import {
  type CallActivity,
  type DayRange,
  type OwnerCount,
  sumByHour,
  type TrunkCount,
  type TrunkSearch,
} from './call-activity.ts'
import { toHourNumber } from './call-counts.ts'
import { splitAtHours } from './page-windows.ts'
import { type CallOwner, maxSearchesPerTenant, ownerColumn, type Window } from './search-options.ts'

/** Reads the stored counts of complete hours: some rows per hour, whatever the number of calls. */
const readHours = ({ reader }: Database, owner: CallOwner, { first, last }: { first: number; last: number }) =>
  reader
    .selectFrom('patchbay_call_hours')
    .select((select) => ['hour', 'answered', select.fn.sum<number | string>('calls').as('calls')])
    .where('owner_sid', '=', ownerColumn(owner)[1])
    .where('by_kind', '=', 1)
    .where('hour', '>=', first)
    .where('hour', '<=', last)
    .groupBy(['hour', 'answered'])
    .execute()

/** Counts the calls of a part of an hour. The index of the owner and the time limits the rows to those of the part. */
const countPart = ({ reader, engine }: Database, owner: CallOwner, { from, until }: Window) => {
  const [column, sid] = ownerColumn(owner)
  return reader
    .selectFrom('patchbay_calls')
    .select((select) => [
      floorDivide(engine, 'attempted_at', hourMs).as('hour'),
      'answered',
      select.fn.countAll<number | string>().as('calls'),
    ])
    .where(column, '=', sid)
    .where('attempted_at', '>=', from)
    .where('attempted_at', '<=', until)
    .groupBy(['hour', 'answered'])
    .execute()
}

const readWindow = async (database: Database, owner: CallOwner, window: Window) => {
  const { hours, ends } = splitAtHours(window)
  const counts = await Promise.all([
    ...(hours ? [readHours(database, owner, hours)] : []),
    ...ends.map((end) => countPart(database, owner, end)),
  ])
  // MySQL counts in a bigint, and sums in a decimal, which its driver may return as a string.
  return sumByHour(
    counts
      .flat()
      .map(({ hour, answered, calls }) => ({ time: hour * hourMs, answered: answered === 1, calls: Number(calls) })),
  )
}

const readOutcomes = async ({ reader }: Database, owner: CallOwner, { from, until }: DayRange) => {
  const rows = await reader
    .selectFrom('patchbay_call_days')
    .select((select) => ['trunk', 'sip_status', 'answered', select.fn.sum<number | string>('calls').as('calls')])
    .where('owner_sid', '=', ownerColumn(owner)[1])
    .where('day', '>=', from)
    .where('day', '<=', until)
    .groupBy(['trunk', 'sip_status', 'answered'])
    .execute()
  return rows.map((row) => ({ ...row, answered: row.answered === 1, calls: Number(row.calls) }))
}

const readTrunks = async ({ reader }: Database, { owner_sids, trunks, hours }: TrunkSearch): Promise<TrunkCount[]> => {
  const rows = await reader
    .selectFrom('patchbay_call_hours')
    .select(({ fn }) => ['owner_sid', 'trunk', 'answered', fn.sum<number | string>('calls').as('calls')])
    .where('owner_sid', 'in', owner_sids)
    .where('by_kind', '=', 1)
    .where('hour', 'in', hours)
    .where('trunk', 'in', trunks)
    .groupBy(['owner_sid', 'trunk', 'answered'])
    .execute()
  return rows.map((row) => ({ ...row, answered: row.answered === 1, calls: Number(row.calls) }))
}

const readOwners = async (
  { reader }: Database,
  owner_sids: readonly string[],
  firstHour: number,
): Promise<OwnerCount[]> => {
  const rows = await reader
    .selectFrom('patchbay_call_hours')
    .select(({ fn }) => ['owner_sid', 'answered', fn.sum<number | string>('calls').as('calls')])
    .where('owner_sid', 'in', owner_sids)
    .where('by_kind', '=', 1)
    .where('hour', '>=', firstHour)
    .groupBy(['owner_sid', 'answered'])
    .execute()
  return rows.map((row) => ({ ...row, answered: row.answered === 1, calls: Number(row.calls) }))
}

const readAny = ({ reader }: Database, owner: CallOwner, answeredFrom: number | undefined) =>
  reader
    .selectFrom('patchbay_call_hours')
    .select('hour')
    .where('owner_sid', '=', ownerColumn(owner)[1])
    .$if(answeredFrom !== undefined, (query) =>
      query
        .where('by_kind', '=', 1)
        .where('hour', '>=', toHourNumber(answeredFrom ?? 0))
        .where('answered', '=', 1),
    )
    .limit(1)
    .execute()

/** Counts calls by means of the hourly and daily sums that are stored with the calls. */
export const createSqlCallActivity = (database: Database): CallActivity => {
  const queue = createFairQueue({
    name: 'call_activity',
    concurrency: database.concurrency.reads,
    max: maxSearchesPerTenant,
  })
  return {
    countByHour: (owner, window, searcher = { owner: 'patchbay' }) =>
      queue.run(searcher.owner, (runStep) => runStep(() => readWindow(database, owner, window)), searcher.signal),
    countOutcomes: (owner, days, searcher = { owner: 'patchbay' }) =>
      queue.run(searcher.owner, (runStep) => runStep(() => readOutcomes(database, owner, days)), searcher.signal),
    countByTrunk: (search) => readTrunks(database, search),
    countByOwner: (owner_sids, firstHour) => readOwners(database, owner_sids, firstHour),
    hasCalls: (owner, answeredFrom, searcher = { owner: 'patchbay' }) =>
      queue.run(
        searcher.owner,
        async (runStep) => (await runStep(() => readAny(database, owner, answeredFrom))).length > 0,
        searcher.signal,
      ),
  }
}
