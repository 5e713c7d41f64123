import type { Call } from '@patchbay/contract/recent-calls'
import { isSid } from '@patchbay/contract/values'
import { createFairQueue, type RunStep } from '../../lib/fair-queue.ts'
import {
  type CallFilter,
  type CallId,
  type Calls,
  type CallSearch,
  hasId,
  idColumn,
  isNumber,
  maxResults,
} from '../calls/calls.ts'
import { type Bucket, hourWindow, locatePage, newestFirst, overlap, splitAtHours } from '../calls/page-windows.ts'
import {
  type CallOwner,
  maxSearchesPerTenant,
  ownerColumn,
  type SearchContext,
  toWindow,
  type Window,
} from '../calls/search-options.ts'
import {
  joinConditions,
  countedFilters,
  filtersDuration,
  inWindow,
  matchesFilters,
  matching,
  needsScan,
  ofDurationClass,
  ofOwner,
  type Where,
  writeConditions,
} from './call-conditions.ts'
import { callColumns, type CallRow, rowToCall } from './call-rows.ts'
import type { ClickHouse } from './clickhouse.ts'
import { hourOfCall } from './schema.ts'

/** Number of queries for pages and ids, and of those for searches and exports, that run at the same time. */
const concurrency = { reads: 4, searches: 2 }

/** Number of rows that `walk` reads per query. */
const streamBatchSize = 5000

const newestFirstOrder = 'ORDER BY attempted_at DESC, call_key DESC'

/** The columns of the primary key, in its order, so that ClickHouse reads only the granules of the selected keys. */
const keyColumns = 'account_sid, attempted_at, call_key'

/** Another process can have stored the same record at the same time. Readers see it once. */
const onceEach = `LIMIT 1 BY ${keyColumns}`

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
const selectNewest = (
  clickHouse: ClickHouse,
  where: Where,
  { limit, offset = 0 }: { limit: number; offset?: number },
  signal: AbortSignal | undefined,
): Promise<CallRow[]> =>
  clickHouse.query<CallRow>(
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

/** Returns the condition that a call has one of these ids, and the condition of their rows in the look-up table. */
const matchesIds = (ids: readonly CallId[]): { calls: Where; lookUp: string } => {
  const columns = ids.map((id) => idColumn(id))
  const conditions = columns.map(([name], position) =>
    name === 'call_sid'
      ? `has_call_sid AND call_key = {id${position}:String}`
      : `ifNull(${name} = {id${position}:String}, false)`,
  )
  const hashes = columns.map(([name], position) => `cityHash64('${name}', {id${position}:String})`)
  const parameters = Object.fromEntries(columns.map(([, value], position) => [`id${position}`, value]))
  return {
    calls: { conditions: [`(${conditions.join(' OR ')})`], parameters },
    lookUp: `id_hash IN (${hashes.join()})`,
  }
}

/** Number of rows per id that a query reads from the look-up table. Other ids can have the same hash. */
const maxLookedUp = 4 * maxResults

/** Selects the newest calls that have one of these ids. The look-up table limits the read to their accounts and times. */
const selectByIds = (
  clickHouse: ClickHouse,
  ids: readonly CallId[],
  owner: Where,
  more: Where,
  signal?: AbortSignal,
): Promise<CallRow[]> => {
  const { calls, lookUp } = matchesIds(ids)
  const where = joinConditions(owner, calls, more)
  return clickHouse.query<CallRow>(
    `SELECT ${callColumns} FROM calls
     WHERE (account_sid, attempted_at) IN (
       SELECT account_sid, attempted_at FROM call_ids WHERE ${lookUp} AND ${writeConditions(owner)}
       ORDER BY attempted_at DESC LIMIT ${maxLookedUp} BY id_hash
     ) AND ${writeConditions(where)}
     ${newestFirstOrder} ${onceEach} LIMIT ${ids.length === 1 ? maxResults : ids.length * maxLookedUp}`,
    where.parameters,
    signal,
  )
}

/** Returns the calls of each id. */
const groupById = (rows: readonly CallRow[], ids: readonly CallId[]): Call[][] => {
  const calls = rows.map(rowToCall)
  return ids.map((id) => calls.filter((call) => hasId(call, id)).slice(0, maxResults))
}

/** Returns whether the look-up table has one of these ids. It is a fraction of the work of a search. */
const hasAny = async (clickHouse: ClickHouse, ids: readonly CallId[], where: Where): Promise<boolean> => {
  const { calls, lookUp } = matchesIds(ids)
  const rows = await clickHouse.query(`SELECT 1 FROM call_ids WHERE ${lookUp} AND ${writeConditions(where)} LIMIT 1`, {
    ...calls.parameters,
    ...where.parameters,
  })
  return rows.length > 0
}

const noConditions: Where = { conditions: [], parameters: {} }

const notOfOwner = (owner: CallOwner): Where => {
  const [column, sid] = ownerColumn(owner)
  return { conditions: [`${column} != {owner:String}`], parameters: { owner: sid } }
}

/** Returns the conditions that follow the last row of a walk. */
const after = (last: CallRow | undefined): Where =>
  last === undefined
    ? noConditions
    : {
        conditions: [
          'attempted_at <= {last_at:Int64}',
          '(attempted_at < {last_at:Int64} OR call_key < {last_key:String})',
        ],
        parameters: { last_at: BigInt(last.attempted_at), last_key: last.call_key },
      }

/** Creates the search of call records in ClickHouse. */
export const createClickHouseCalls = (clickHouse: ClickHouse): Calls => {
  const reads = createFairQueue({ name: 'call_reads', concurrency: concurrency.reads, max: maxSearchesPerTenant })
  const searches = createFairQueue({
    name: 'call_searches',
    concurrency: concurrency.searches,
    max: maxSearchesPerTenant,
  })
  const runOnce = <T>({ owner, signal, isAdmitted }: SearchContext, step: () => Promise<T>): Promise<T> =>
    reads.run(owner, (runStep) => runStep(step), signal, isAdmitted)

  /** Returns the calls with the id that a text names, or undefined if there are none, as the other stores do. */
  const searchById = async (search: CallFilter, searcher: SearchContext): Promise<CallRow[] | undefined> => {
    const { text = '' } = search
    if (isNumber(text)) return undefined
    const owner = ofOwner(search.owner)
    const filters = joinConditions(inWindow(toWindow(search)), matchesFilters(search))
    for (const id of isSid(text) ? [{ call_sid: text }, { sip_callid: text }] : [{ sip_callid: text }]) {
      const calls = await runOnce(searcher, () => selectByIds(clickHouse, [id], owner, noConditions, searcher.signal))
      if (calls.length === 0 || calls.length === maxResults) continue
      return runOnce(searcher, () => selectByIds(clickHouse, [id], owner, filters, searcher.signal))
    }
    return undefined
  }

  const find = async (search: CallSearch, runStep: RunStep, signal: AbortSignal | undefined) => {
    const counted = await runStep(() => countByHour(clickHouse, search, signal))
    const rows = await runStep(() => readPage(clickHouse, search, counted, signal))
    return { total: counted.reduce((sum, { calls }) => sum + calls, 0), calls: rows.map(rowToCall) }
  }

  return {
    async search(search, searcher = { owner: 'patchbay' }) {
      const calls = await searchById(search, searcher)
      if (calls !== undefined) {
        const from = (search.page - 1) * search.pageSize
        return { total: calls.length, calls: calls.slice(from, from + search.pageSize).map(rowToCall) }
      }
      const queue = needsScan(search) ? searches : reads
      return queue.run(searcher.owner, (runStep) => find(search, runStep, searcher.signal), searcher.signal)
    },
    async *walk(search, searcher = { owner: 'patchbay' }) {
      const calls = await searchById(search, searcher)
      if (calls !== undefined) {
        if (calls.length > 0) yield calls.map(rowToCall)
        return
      }
      const { owner, signal, isAdmitted } = searcher
      let last: CallRow | undefined
      for (;;) {
        const where = joinConditions(matching(search), after(last))
        const rows: CallRow[] = await searches.run(
          owner,
          (runStep) => runStep(() => selectNewest(clickHouse, where, { limit: streamBatchSize }, signal)),
          signal,
          isAdmitted,
        )
        if (rows.length > 0) yield rows.map(rowToCall)
        last = rows.at(-1)
        if (rows.length < streamBatchSize) return
      }
    },
    find: async (owner, id) => (await selectByIds(clickHouse, [id], ofOwner(owner), noConditions)).map(rowToCall),
    findEach: async (owner, ids) =>
      ids.length === 0 ? [] : groupById(await selectByIds(clickHouse, ids, ofOwner(owner), noConditions), ids),
    async findForeign(owner, ids, window) {
      if (ids.length === 0) return []
      const others = notOfOwner(owner)
      // Hardly any call shares an id with another tenant.
      if (!(await hasAny(clickHouse, ids, joinConditions(others, inWindow(window))))) return ids.map(() => [])
      return groupById(await selectByIds(clickHouse, ids, others, inWindow(window)), ids)
    },
  }
}
