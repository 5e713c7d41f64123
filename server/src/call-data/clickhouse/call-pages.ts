import type { Call } from '@patchbay/contract/recent-calls'
import type { RunStep } from '../../lib/fair-queue.ts'
import { type CallFilter, type CallSearch, isNumber } from '../calls/calls.ts'
import { type Bucket, hourWindow, locatePage, newestFirst, overlap, splitAtHours } from '../calls/page-windows.ts'
import { ownerColumn, toWindow, type Window } from '../calls/search-options.ts'
import { queryCalls } from './call-costs.ts'
import { type CallRow, callColumns, keyColumns, rowToCall } from './call-rows.ts'
import type { ClickHouse } from './clickhouse.ts'
import { hourOfCall } from './schema.ts'
import {
  countedFilters,
  filtersDuration,
  joinConditions,
  matching,
  matchingByIndex,
  needsScan,
  ofDurationClass,
  ofOwner,
  type Where,
  writeConditions,
} from './where.ts'

/**
 * Pages of a search. Counts by hour locate a page, so that the last one is as fast as the first. If calls have to be
 * compared for the count, the same query also returns the times of the newest matches, because a second one would compare
 * all calls again.
 */

/** Order of pages. */
export const newestFirstOrder = 'ORDER BY attempted_at DESC, call_key DESC'

/** Another process can have stored the same record at the same time. Readers see it once. */
export const onceEach = `LIMIT 1 BY ${keyColumns}`

interface HourCount {
  hour: number
  calls: string
}

const toBuckets = (rows: readonly HourCount[], window: Window): Bucket[] =>
  rows.map(({ hour, calls }) => ({ ...overlap(hourWindow(hour), window), calls: Number(calls) }))

/**
 * Counts the calls of a window by hour. If the conditions are those of the projection `by_outcome`, ClickHouse reads its
 * counts instead of the calls.
 */
const countCalls = async (
  clickHouse: ClickHouse,
  where: Where,
  window: Window,
  signal: AbortSignal | undefined,
): Promise<Bucket[]> => {
  const rows = await clickHouse.query<HourCount>(
    `SELECT ${hourOfCall} AS hour, count() AS calls
     FROM calls WHERE ${writeConditions(where)} GROUP BY hour`,
    where.parameters,
    signal,
  )
  return toBuckets(rows, window)
}

interface Hours {
  first: number
  last: number
}

/** Returns the condition of complete hours, both inclusive. */
const inHours = ({ first, last }: Hours, hour: string): Where => ({
  conditions: [`${hour} >= {first:Int32}`, `${hour} <= {last:Int32}`],
  parameters: { first, last },
})

/** Reads the counts of complete hours. */
const readHours = async (
  clickHouse: ClickHouse,
  search: CallFilter,
  hours: Hours,
  signal: AbortSignal | undefined,
): Promise<Bucket[]> => {
  const window = { from: hourWindow(hours.first).from, until: hourWindow(hours.last).until }
  const filters = countedFilters(search)
  if (filtersDuration(search)) {
    const where = joinConditions(ofOwner(search.owner), filters, ofDurationClass(search), inHours(hours, hourOfCall))
    return countCalls(clickHouse, where, window, signal)
  }
  const where = joinConditions(inHours(hours, 'hour'), filters)
  const rows = await clickHouse.query<HourCount>(
    `SELECT hour, sum(call_hours.calls) AS calls FROM call_hours
     WHERE owner_sid = {owner:String} AND ${writeConditions(where)}
     GROUP BY hour`,
    { ...where.parameters, owner: ownerColumn(search.owner)[1] },
    signal,
  )
  return toBuckets(rows, window)
}

/** Returns the hours of a search that have calls, newest first. */
const countByHour = async (
  clickHouse: ClickHouse,
  search: CallFilter,
  signal: AbortSignal | undefined,
): Promise<Bucket[]> => {
  const countRows = (window: Window) => countCalls(clickHouse, matching(search, window), window, signal)
  const window = toWindow(search)
  if (needsScan(search)) return newestFirst(await countRows(window))
  const { hours, ends } = splitAtHours(window)
  const counted = await Promise.all([
    ...(hours ? [readHours(clickHouse, search, hours, signal)] : []),
    ...ends.map(countRows),
  ])
  return newestFirst(counted.flat())
}

/**
 * Selects the newest calls. The subquery sorts and skips only the key of each call. With all columns, a page far down in
 * an hour of 500,000 calls would take five times as long.
 */
export const selectNewest = (
  clickHouse: ClickHouse,
  where: Where,
  { limit, offset = 0 }: { limit: number; offset?: number },
  signal: AbortSignal | undefined,
): Promise<CallRow[]> =>
  queryCalls(
    clickHouse,
    `SELECT ${callColumns} FROM calls
     WHERE ${writeConditions(where)} AND (${keyColumns}) IN (
       SELECT ${keyColumns} FROM calls WHERE ${writeConditions(where)}
       ${newestFirstOrder} ${onceEach} LIMIT {limit:UInt32} OFFSET {offset:UInt64}
     )
     ${newestFirstOrder} ${onceEach} LIMIT {limit:UInt32}`,
    { ...where.parameters, limit, offset },
    signal,
  )

/** Reads a page in the window of the hours that contain its calls. */
const readPage = (
  clickHouse: ClickHouse,
  search: CallSearch,
  counted: readonly Bucket[],
  signal: AbortSignal | undefined,
): Promise<CallRow[]> => {
  const { pageBuckets, skip } = locatePage(counted, (search.page - 1) * search.pageSize, search.pageSize)
  const [newest] = pageBuckets
  const oldest = pageBuckets.at(-1)
  if (newest === undefined || oldest === undefined) return Promise.resolve([])
  const where = matching(search, { from: oldest.from, until: newest.until })
  return selectNewest(clickHouse, where, { limit: search.pageSize, offset: skip }, signal)
}

/** Maximum number of newest matches whose times a query returns. Pages beyond it are located by hours. */
const maxTimes = 1000

interface Matches {
  total: number
  /** Times of the newest matches in nanoseconds since the Unix epoch. */
  times: string[]
}

/** Counts matches and returns the times of the newest. */
const findNewest = async (
  clickHouse: ClickHouse,
  { conditions, parameters }: Where,
  { count, settings }: { count: number; settings: string },
  signal: AbortSignal | undefined,
): Promise<Matches> => {
  // The function sorts in ascending order, and the inverted bits have the opposite order.
  const [row] = await clickHouse.query<{ total: string; times: string[] }>(
    `SELECT count() AS total, arrayMap(time -> bitNot(time), groupArraySorted(${count})(bitNot(attempted_at))) AS times
     FROM calls WHERE ${conditions.join(' AND ')} ${settings}`,
    parameters,
    signal,
  )
  return { total: Number(row?.total ?? 0), times: row?.times ?? [] }
}

/** Returns whether a text is the ID of a call, or a part of the name of a carrier. The index contains numbers only. */
const isIdOrCarrier = async (
  clickHouse: ClickHouse,
  text: string,
  owner: CallFilter['owner'],
  signal: AbortSignal | undefined,
): Promise<boolean> => {
  const carriers = `UNION ALL
    SELECT 1 FROM call_hours WHERE owner_sid = {owner:String} AND position(trunk, {text:String}) > 0 LIMIT 1`
  const rows = await clickHouse.query(
    `SELECT 1 FROM call_ids WHERE id_hash = cityHash64('call_sid', {text:String}) LIMIT 1 ${isNumber(text) ? '' : carriers}`,
    { text, ...(isNumber(text) ? {} : { owner: ownerColumn(owner)[1] }) },
    signal,
  )
  return rows.length > 0
}

/** The projection for providers has no index. */
const indexSettings = 'SETTINGS optimize_use_projections = 0'

/** Creates the search for a page and the total number of matches. */
export const createPageSearch = (clickHouse: ClickHouse) => {
  const locateNewest = async (search: CallFilter, count: number, signal: AbortSignal | undefined): Promise<Matches> => {
    const indexed = matchingByIndex(search)
    if (indexed === undefined || (search.text && (await isIdOrCarrier(clickHouse, search.text, search.owner, signal))))
      return findNewest(clickHouse, matching(search), { count, settings: '' }, signal)
    return findNewest(clickHouse, indexed, { count, settings: indexSettings }, signal)
  }

  /** Reads the calls of a page by their times. */
  const readByTimes = (search: CallSearch, times: readonly string[], signal: AbortSignal | undefined) => {
    const offset = (search.page - 1) * search.pageSize
    const [first, ...others] = times.slice(offset, offset + search.pageSize)
    if (first === undefined) return Promise.resolve([])
    const { conditions, parameters } = matching(search)
    return queryCalls(
      clickHouse,
      `SELECT ${callColumns} FROM calls
       WHERE attempted_at IN (${[first, ...others].join()}) AND ${conditions.join(' AND ')}
       ${newestFirstOrder} ${onceEach} LIMIT {limit:UInt32} OFFSET {offset:UInt64}`,
      { ...parameters, limit: search.pageSize, offset: offset - times.indexOf(first) },
      signal,
    )
  }

  const findRows = async (search: CallSearch, runStep: RunStep, signal: AbortSignal | undefined) => {
    const last = search.page * search.pageSize
    if (needsScan(search) && last <= maxTimes) {
      const { total, times } = await runStep(() => locateNewest(search, last, signal))
      return { total, rows: await runStep(() => readByTimes(search, times, signal)) }
    }
    const counted = await runStep(() => countByHour(clickHouse, search, signal))
    const rows = await runStep(() => readPage(clickHouse, search, counted, signal))
    return { total: counted.reduce((sum, { calls }) => sum + calls, 0), rows }
  }

  return async (
    search: CallSearch,
    runStep: RunStep,
    signal: AbortSignal | undefined,
  ): Promise<{ total: number; calls: Call[] }> => {
    const { total, rows } = await findRows(search, runStep, signal)
    return { total, calls: rows.map(rowToCall) }
  }
}
