import { dayMs, hourMs } from '@patchbay/contract/shared/durations'
import { createFairQueue } from '../../lib/fair-queue.ts'
import { type Cell, toCallQuality } from '../calls/aggregate-quality.ts'
import { type CallActivity, sumByHour } from '../calls/call-activity.ts'
import { splitAtHours } from '../calls/page-windows.ts'
import type { QualitySearch, QualityTotals } from '../calls/quality.ts'
import {
  type CallOwner,
  maxSearchesPerTenant,
  ownerColumn,
  type SearchContext,
  type Window,
} from '../calls/search-options.ts'
import { type ClickHouse, type Parameters, quoteAll } from './clickhouse.ts'
import { hourOfCall } from './schema.ts'
import { inWindow, joinConditions, ofOwner, writeConditions } from './where.ts'

/** Call quality and activity, from the sums of hours in ClickHouse. */

const hoursPerDay = dayMs / hourMs

const concurrency = 4

/** Leaves out sums from which all calls have been subtracted (delete-call-data.ts). */
const withCalls = 'HAVING sum(call_hours.calls) > 0'

interface AnsweredCount {
  hour: number
  answered: boolean
  calls: string
}

/** Counts the calls of a window by hour and outcome. */
const readWindow = async (
  clickHouse: ClickHouse,
  owner: CallOwner,
  window: Window,
  signal: AbortSignal | undefined,
) => {
  const { hours, ends } = splitAtHours(window)
  const fromHours = ({ first, last }: { first: number; last: number }) =>
    clickHouse.query<AnsweredCount>(
      `SELECT hour, answered, sum(call_hours.calls) AS calls FROM call_hours
       WHERE owner_sid = {owner:String} AND hour >= {first:Int32} AND hour <= {last:Int32} GROUP BY hour, answered
       ${withCalls}`,
      { owner: ownerColumn(owner)[1], first, last },
      signal,
    )
  const fromCalls = (end: Window) => {
    const where = joinConditions(ofOwner(owner), inWindow(end))
    return clickHouse.query<AnsweredCount>(
      `SELECT ${hourOfCall} AS hour, answered, count() AS calls
       FROM calls WHERE ${writeConditions(where)} GROUP BY hour, answered`,
      where.parameters,
      signal,
    )
  }
  const counts = await Promise.all([...(hours ? [fromHours(hours)] : []), ...ends.map(fromCalls)])
  return sumByHour(
    counts.flat().map(({ hour, answered, calls }) => ({ time: hour * hourMs, answered, calls: Number(calls) })),
  )
}

const toHours = ({ from, until }: { from: number; until: number }) => ({
  first: from * hoursPerDay,
  last: (until + 1) * hoursPerDay - 1,
})

type SumKey = 'trunk' | 'direction' | 'owner_sid' | 'day'

type SummedRow = Record<keyof Omit<Cell, 'answered'>, number | string> & { answered: boolean; key: number | string }

/** Reads sums by an expression, for one owner or for the accounts of a provider. */
const queryCellsBy = async (
  clickHouse: ClickHouse,
  key: SumKey,
  { owner, from, until, trunk, direction }: QualitySearch,
  signal: AbortSignal | undefined,
) => {
  const parameters: Parameters = {
    owner: ownerColumn(owner)[1],
    ...toHours({ from, until }),
    ...(trunk === undefined ? {} : { trunk }),
    ...(direction === undefined ? {} : { direction }),
  }
  const rows = await clickHouse.query<SummedRow>(
    `SELECT ${key === 'day' ? `toInt32(floor(hour / ${hoursPerDay}))` : key} AS key, sip_status, answered,
       sum(call_hours.calls) AS calls, sum(call_hours.seconds) AS seconds, sum(call_hours.pdd_calls) AS pdd_calls,
       sum(call_hours.pdd_milliseconds) AS pdd_milliseconds
     FROM call_hours
     WHERE ${key === 'owner_sid' ? 'provider_sid' : 'owner_sid'} = {owner:String}
       AND hour >= {first:Int32} AND hour <= {last:Int32}
       ${trunk === undefined ? '' : 'AND trunk = {trunk:String}'}
       ${direction === undefined ? '' : 'AND direction = {direction:String}'}
     GROUP BY key, sip_status, answered ${withCalls}`,
    parameters,
    signal,
  )
  return rows.map(({ key: value, answered, ...sums }) => ({
    key: value,
    answered,
    sip_status: Number(sums.sip_status),
    calls: Number(sums.calls),
    seconds: Number(sums.seconds),
    pdd_calls: Number(sums.pdd_calls),
    pdd_milliseconds: Number(sums.pdd_milliseconds),
  }))
}

/** Creates call quality reports. */
export const createClickHouseQuality = (clickHouse: ClickHouse): QualityTotals => {
  const queue = createFairQueue({ name: 'call_quality', concurrency, max: maxSearchesPerTenant })
  const read = async (search: QualitySearch, signal: AbortSignal | undefined) => {
    const query = (key: SumKey) => queryCellsBy(clickHouse, key, search, signal)
    const [days, trunks, directions, accounts] = await Promise.all([
      query('day'),
      query('trunk'),
      query('direction'),
      'account_sid' in search.owner ? [] : query('owner_sid'),
    ])
    return toCallQuality({
      days: days.map(({ key, ...cell }) => ({ ...cell, day: Number(key) })),
      trunks: trunks.map(({ key, ...cell }) => ({ ...cell, trunk: String(key) })),
      directions: directions.map(({ key, ...cell }) => ({ ...cell, direction: String(key) })),
      accounts: accounts.map(({ key, ...cell }) => ({ ...cell, account_sid: String(key) })),
    })
  }
  return {
    getTotals: (search, { owner, signal } = { owner: 'patchbay' }) =>
      queue.run(owner, (runStep) => runStep(() => read(search, signal)), signal),
  }
}

/** Creates the counts of recent calls. */
export const createClickHouseCallActivity = (clickHouse: ClickHouse): CallActivity => {
  const queue = createFairQueue({ name: 'call_activity', concurrency, max: maxSearchesPerTenant })
  const run = <T>({ owner, signal }: SearchContext, step: () => Promise<T>): Promise<T> =>
    queue.run(owner, (runStep) => runStep(step), signal)
  return {
    countByHour: (owner, window, searcher = { owner: 'patchbay' }) =>
      run(searcher, () => readWindow(clickHouse, owner, window, searcher.signal)),
    countOutcomes: (owner, days, searcher = { owner: 'patchbay' }) =>
      run(searcher, async () => {
        const rows = await clickHouse.query<{ trunk: string; sip_status: number; answered: boolean; calls: string }>(
          `SELECT trunk, sip_status, answered, sum(call_hours.calls) AS calls FROM call_hours
           WHERE owner_sid = {owner:String} AND hour >= {first:Int32} AND hour <= {last:Int32}
           GROUP BY trunk, sip_status, answered ${withCalls}`,
          { owner: ownerColumn(owner)[1], ...toHours(days) },
          searcher.signal,
        )
        return rows.map((row) => ({ ...row, calls: Number(row.calls) }))
      }),
    async countByTrunk({ owner_sids, trunks, hours }) {
      const rows = await clickHouse.query<{ owner_sid: string; trunk: string; answered: boolean; calls: string }>(
        `SELECT owner_sid, trunk, answered, sum(call_hours.calls) AS calls FROM call_hours
         WHERE owner_sid IN (${quoteAll(owner_sids)}) AND hour IN (${hours.join()}) AND trunk IN (${quoteAll(trunks)})
         GROUP BY owner_sid, trunk, answered ${withCalls}`,
        {},
      )
      return rows.map((row) => ({ ...row, calls: Number(row.calls) }))
    },
    async countByOwner(owner_sids, firstHour) {
      const rows = await clickHouse.query<{ owner_sid: string; answered: boolean; calls: string }>(
        `SELECT owner_sid, answered, sum(call_hours.calls) AS calls FROM call_hours
         WHERE owner_sid IN (${quoteAll(owner_sids)}) AND hour >= {first:Int32}
         GROUP BY owner_sid, answered ${withCalls}`,
        { first: firstHour },
      )
      return rows.map((row) => ({ ...row, calls: Number(row.calls) }))
    },
    hasCalls: (owner, answeredFrom, searcher = { owner: 'patchbay' }) =>
      run(searcher, async () => {
        const rows = await clickHouse.query(
          `SELECT 1 FROM call_hours WHERE owner_sid = {owner:String}
           ${answeredFrom === undefined ? '' : 'AND answered AND hour >= {first:Int32}'}
           GROUP BY hour ${withCalls} LIMIT 1`,
          {
            owner: ownerColumn(owner)[1],
            ...(answeredFrom === undefined ? {} : { first: Math.floor(answeredFrom / hourMs) }),
          },
          searcher.signal,
        )
        return rows.length > 0
      }),
  }
}
