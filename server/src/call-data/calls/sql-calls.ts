import type { Call } from '@patchbay/contract/recent-calls'
import { hourMs } from '@patchbay/contract/shared/durations'
import { isSid } from '@patchbay/contract/shared/sids'
import type { Kysely } from 'kysely'
import { contains, type Database, type EngineName, floorDivide } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { createFairQueue, type RunStep } from '../../lib/fair-queue.ts'
import { matchesFilter, matching } from './call-conditions.ts'
import { selectCalls } from './call-indexes.ts'
import {
  type CallFilter,
  type CallId,
  type CallSearch,
  type Calls,
  idColumn,
  isNumber,
  maxResults,
  searchEach,
} from './calls.ts'
import { writeInstant } from './nanosecond-timestamps.ts'
import { type Bucket, hourWindow, locatePage, newestFirst, overlap, splitAtHours } from './page-windows.ts'
import {
  type CallOwner,
  maxSearchesPerTenant,
  ownerColumn,
  parseExtraFields,
  type SearchContext,
  toWindow,
  type Window,
} from './search-options.ts'
import { filtersOutcome, needsScan, readStoredCounts } from './stored-call-counts.ts'
import { toCall } from './to-call.ts'

/** Counts the calls themselves. Used for text searches and for partial hours at the ends of a window. */
const countRows = async (
  reader: Kysely<Tables>,
  engine: EngineName,
  search: CallSearch,
  window: Window,
): Promise<Bucket[]> => {
  const rows = await selectCalls(reader, engine, search, 'count')
    .select((select) => [
      floorDivide(engine, 'attempted_at', hourMs).as('hour'),
      select.fn.countAll<number | string>().as('calls'),
    ])
    .where(matching(engine, search, window))
    .groupBy('hour')
    .execute()
  // MySQL counts in a bigint, which its driver may return as a string.
  return rows.map(({ hour, calls }) => ({ ...overlap(hourWindow(hour), window), calls: Number(calls) }))
}

/** Uses the stored counts for complete hours and counts the rows of partial hours. */
const countByHour = async ({ reader, engine }: Database, search: CallSearch): Promise<Bucket[]> => {
  const { hours, ends } = splitAtHours(toWindow(search))
  const counted = await Promise.all([
    ...(hours ? [readStoredCounts(reader, search, hours)] : []),
    ...ends.map((end) => countRows(reader, engine, search, end)),
  ])
  return newestFirst(counted.flat().filter(({ calls }) => calls > 0))
}

/**
 * Groups hours with calls, newest first, into windows of at most `callBatchSize` calls. An hour with more calls is a
 * window of its own.
 */
const groupIntoWindows = (counted: readonly Bucket[], callBatchSize: number): Window[] => {
  const windows: Bucket[] = []
  for (const { from, until, calls } of counted) {
    const last = windows.at(-1)
    if (last === undefined || last.calls + calls > callBatchSize) windows.push({ from, until, calls })
    else Object.assign(last, { from, calls: last.calls + calls })
  }
  return windows
}

/** Counts text matches in windows of limited size. */
const countTextMatches = async (
  database: Database,
  search: CallSearch,
  runStep: RunStep,
  callBatchSize: number,
): Promise<Bucket[]> => {
  const { reader, searcher, engine } = database
  const { hours, ends } = splitAtHours(toWindow(search))
  const counted = hours ? await runStep(() => readStoredCounts(reader, search, hours)) : []
  const buckets: Bucket[] = []
  for (const window of [...groupIntoWindows(newestFirst(counted), callBatchSize), ...ends])
    buckets.push(...(await runStep(() => countRows(searcher, engine, search, window))))
  return newestFirst(buckets)
}

/** Buckets with smaller gaps between them are read in one query. */
const maxGapMs = 3 * hourMs

/** Without an index for the outcome of calls, a query reads all calls of its window, so gaps cost more. */
const getMaxGapMs = (search: CallSearch): number => (filtersOutcome(search) ? 1 : maxGapMs)

const mergeNeighbors = (counted: readonly Bucket[], maxGap: number): Bucket[] =>
  counted.reduce<Bucket[]>((runs, bucket) => {
    const last = runs.at(-1)
    if (last === undefined || last.from - bucket.until > maxGap) return [...runs, bucket]
    return [...runs.slice(0, -1), { from: bucket.from, until: last.until, calls: last.calls + bucket.calls }]
  }, [])

/** Selects the newest calls of a window that match a search. */
export const newestRows = (reader: Kysely<Tables>, engine: EngineName, search: CallSearch, window: Window) =>
  selectCalls(reader, engine, search, 'page')
    .selectAll()
    .where(matching(engine, search, window))
    .orderBy('attempted_at', 'desc')
    .orderBy('attempted_ns', 'desc')
    .orderBy('call_key', 'desc')
    .limit(search.pageSize)

const selectRows = (reader: Kysely<Tables>, engine: EngineName, search: CallSearch, window: Window, skip: number) =>
  newestRows(reader, engine, search, window).offset(skip).execute()

const readPage = async (database: Database, search: CallSearch, counted: readonly Bucket[]): Promise<CallRow[]> => {
  const { reader, engine } = database
  const { pageBuckets, skip } = locatePage(counted, (search.page - 1) * search.pageSize, search.pageSize)
  const rows = await Promise.all(
    mergeNeighbors(pageBuckets, getMaxGapMs(search)).map((run, position) =>
      selectRows(reader, engine, search, run, position === 0 ? skip : 0),
    ),
  )
  return rows.flat().slice(0, search.pageSize)
}

/** Number of rows that `walk` reads per query. */
const streamBatchSize = 1000

type Cursor = Pick<CallRow, 'attempted_at' | 'attempted_ns' | 'call_key'>

/** Reads the next rows of a walk, after the last row that was read. */
const selectRowsAfter = (
  { searcher, engine }: Database,
  search: CallSearch,
  last: Cursor | undefined,
): Promise<CallRow[]> => {
  const { from, until } = toWindow(search)
  if (last === undefined) return newestRows(searcher, engine, search, { from, until }).execute()
  const { attempted_at, attempted_ns, call_key } = last
  return newestRows(searcher, engine, search, { from, until: attempted_at })
    .where((where) =>
      where.or([
        where('attempted_at', '<', attempted_at),
        where('attempted_ns', '<', attempted_ns),
        where.and([where('attempted_ns', '=', attempted_ns), where('call_key', '<', call_key)]),
      ]),
    )
    .execute()
}

type CallRow = Awaited<ReturnType<typeof selectRows>>[number]

const rowToCall = (row: CallRow): Call =>
  toCall(
    { ...row, answered: row.answered === 1, extra: parseExtraFields(row.extra) },
    writeInstant(row.attempted_at, row.attempted_ns),
  )

/** Selects an owner's calls with an id, newest first. */
export const selectCallsById = ({ reader }: Pick<Database, 'reader'>, owner: CallOwner, id: CallId) => {
  const [ownerName, sid] = ownerColumn(owner)
  const [name, value] = idColumn(id)
  return (
    reader
      .selectFrom('patchbay_calls')
      .selectAll()
      .where(name, '=', value)
      // Using coalesce() prevents use of an index on the owner column. With that index, an engine could scan every call
      // by this owner to sort the result.
      .where(({ fn, val }) => fn.coalesce(ownerName, val('')), '=', sid)
      .orderBy('attempted_at', 'desc')
      .orderBy('attempted_ns', 'desc')
      .limit(maxResults)
  )
}

/** Selects calls of other tenants with an id that were attempted in a window. */
const selectForeignCallsById = ({ reader }: Pick<Database, 'reader'>, owner: CallOwner, id: CallId, window: Window) => {
  const [ownerName, sid] = ownerColumn(owner)
  const [name, value] = idColumn(id)
  return reader
    .selectFrom('patchbay_calls')
    .selectAll()
    .where(name, '=', value)
    .where(({ fn, val }) => fn.coalesce(ownerName, val('')), '!=', sid)
    .where('attempted_at', '>=', window.from)
    .where('attempted_at', '<=', window.until)
    .limit(maxResults)
}

/**
 * Returns the calls with the id that a search names, or undefined if there are none. The search then does not also look
 * for the id in phone numbers, so that opening a call by its id is fast in a large table.
 */
const findById = async (database: Database, search: CallFilter, id: CallId): Promise<CallRow[] | undefined> => {
  const callsWithId = selectCallsById(database, search.owner, id)
  const matches = await callsWithId.execute()
  if (matches.length === 0 || matches.length === maxResults) return undefined
  return callsWithId.where(matchesFilter(database.engine, search, toWindow(search))).execute()
}

/** Maximum number of carriers that a text can find by their names. */
const maxTrunks = 50

/** Adds the trunks whose names contain the text of a search. */
const withTrunks = async <Search extends CallFilter>({ reader, engine }: Database, search: Search): Promise<Search> => {
  const { text = '', owner } = search
  const rows = await reader
    .selectFrom('patchbay_call_days')
    .select('trunk')
    .distinct()
    .where('owner_sid', '=', ownerColumn(owner)[1])
    .where(contains(engine, 'trunk', text))
    .limit(maxTrunks)
    .execute()
  return { ...search, trunks: rows.map(({ trunk }) => trunk) }
}

/**
 * Reads the call records in Patchbay's own table. Totals come from stored hourly counts, which also locate a
 * page, so that the last page is as fast as the first. A text search yields to other searches after each batch of
 * `callBatchSize` calls.
 */
export const createSqlCalls = (database: Database, callBatchSize = 50_000): Calls => {
  const { concurrency } = database
  const reads = createFairQueue({ name: 'call_reads', concurrency: concurrency.reads, max: maxSearchesPerTenant })
  const searches = createFairQueue({
    name: 'call_searches',
    concurrency: concurrency.searches,
    max: maxSearchesPerTenant,
  })
  const findOwn = async (owner: CallOwner, id: CallId) =>
    (await selectCallsById(database, owner, id).execute()).map(rowToCall)
  const find = async (search: CallSearch, runStep: RunStep) => {
    const counted = needsScan(search)
      ? await countTextMatches(database, search, runStep, callBatchSize)
      : await runStep(() => countByHour(database, search))
    const total = counted.reduce((sum, { calls }) => sum + calls, 0)
    const rows = await runStep(() => readPage(database, search, counted))
    return { total, calls: rows.map(rowToCall) }
  }
  const searchById = async (search: CallFilter, { owner, signal, isAdmitted }: SearchContext) => {
    const { text = '' } = search
    if (isNumber(text)) return undefined
    const ids: CallId[] = isSid(text) ? [{ call_sid: text }, { sip_callid: text }] : [{ sip_callid: text }]
    for (const id of ids) {
      const calls = await reads.run(
        owner,
        (runStep) => runStep(() => findById(database, search, id)),
        signal,
        isAdmitted,
      )
      if (calls !== undefined) return calls
    }
    return undefined
  }
  const addTrunks = <Search extends CallFilter>(search: Search, { owner, signal, isAdmitted }: SearchContext) =>
    isNumber(search.text ?? '')
      ? Promise.resolve(search)
      : reads.run(owner, (runStep) => runStep(() => withTrunks(database, search)), signal, isAdmitted)
  return {
    async search(request, searcher = { owner: 'patchbay' }) {
      const calls = await searchById(request, searcher)
      if (calls !== undefined) {
        const from = (request.page - 1) * request.pageSize
        return { total: calls.length, calls: calls.slice(from, from + request.pageSize).map(rowToCall) }
      }
      const search = await addTrunks(request, searcher)
      const queue = needsScan(search) ? searches : reads
      return queue.run(searcher.owner, (runStep) => find(search, runStep), searcher.signal)
    },
    async *walk(request, searcher = { owner: 'patchbay' }) {
      const calls = await searchById(request, searcher)
      if (calls !== undefined) {
        if (calls.length > 0) yield calls.map(rowToCall)
        return
      }
      const search = await addTrunks(request, searcher)
      const { owner, signal, isAdmitted } = searcher
      let last: Cursor | undefined
      for (;;) {
        const rows: CallRow[] = await searches.run(
          owner,
          (runStep) =>
            runStep(() => selectRowsAfter(database, { ...search, page: 1, pageSize: streamBatchSize }, last)),
          signal,
          isAdmitted,
        )
        if (rows.length > 0) yield rows.map(rowToCall)
        last = rows.at(-1)
        if (rows.length < streamBatchSize) return
      }
    },
    find: findOwn,
    findEach: (owner, ids) => searchEach(ids, (id) => findOwn(owner, id)),
    findForeign: (owner, ids, window) =>
      searchEach(ids, async (id) =>
        (await selectForeignCallsById(database, owner, id, window).execute()).map(rowToCall),
      ),
  }
}
