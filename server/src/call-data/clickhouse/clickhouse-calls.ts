import type { Call } from '@patchbay/contract/recent-calls'
import { isSid } from '@patchbay/contract/shared/sids'
import { createFairQueue } from '../../lib/fair-queue.ts'
import { type CallFilter, type CallId, type Calls, hasId, idColumn, isNumber, maxResults } from '../calls/calls.ts'
import {
  type CallOwner,
  maxSearchesPerTenant,
  ownerColumn,
  type SearchContext,
  toWindow,
} from '../calls/search-options.ts'
import { queryCalls } from './call-costs.ts'
import { createPageSearch, newestFirstOrder, onceEach, selectNewest } from './call-pages.ts'
import { type CallRow, callColumns, rowToCall } from './call-rows.ts'
import type { ClickHouse } from './clickhouse.ts'
import {
  inWindow,
  joinConditions,
  matchesFilters,
  matching,
  needsScan,
  noConditions,
  ofOwner,
  type Where,
  writeConditions,
} from './where.ts'

/** Number of queries for pages and ids, and of those for searches and exports, that run at the same time. */
const concurrency = { reads: 4, searches: 2 }

/** Number of rows that `walk` reads per query. */
const streamBatchSize = 5000

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
  return queryCalls(
    clickHouse,
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

  const findPage = createPageSearch(clickHouse)

  return {
    async search(search, searcher = { owner: 'patchbay' }) {
      const calls = await searchById(search, searcher)
      if (calls !== undefined) {
        const from = (search.page - 1) * search.pageSize
        return { total: calls.length, calls: calls.slice(from, from + search.pageSize).map(rowToCall) }
      }
      const queue = needsScan(search) ? searches : reads
      return queue.run(searcher.owner, (runStep) => findPage(search, runStep, searcher.signal), searcher.signal)
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
