import type { Call } from '@patchbay/contract/recent-calls'
import { isSid } from '@patchbay/contract/values'
import type { ExpressionBuilder, Kysely } from 'kysely'
import { createHash } from 'node:crypto'
import { addToDays } from '../../database/call-day-counts.ts'
import { addToHours, hourMilliseconds, toHourNumber } from '../../database/call-hour-counts.ts'
import {
  contains,
  type Database,
  type EngineName,
  insertIgnoringDuplicates,
  inTransaction,
  floorDivide,
} from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { createFairQueue, type RunStep } from '../../lib/fair-queue.ts'
import type { CallRecord } from '../ingest/parse-call-point.ts'
import { toCall } from './to-call.ts'
import { type CallId, type CallNarrowing, type CallSearch, idColumn, type KeptCalls, maxResults } from './calls.ts'
import { split, writeInstant } from './nanosecond-timestamps.ts'
import {
  addedByWriter,
  allTime,
  type CallOwner,
  maxSearchesPerTenant,
  ownerColumn,
  type SearchContext,
  type Window,
  toWindow,
} from './search-options.ts'

/** The call's identity beside account and time; a record without any id is known by all it holds. */
const callKey = ({ call_sid, sip_callid, ...rest }: CallRecord): string => {
  if (call_sid) return call_sid
  if (sip_callid && sip_callid.length <= 255) return sip_callid
  const held = { ...rest, sip_callid, time: rest.time.toString() }
  return createHash('sha256').update(JSON.stringify(held)).digest('hex')
}

/** The columns hold what fits; no platform writer sends more, and a cut text is better than a lost call. */
const fitting = (text: string | null, max = 255): string | null => text?.slice(0, max) ?? null

const rowOf = (record: CallRecord) => {
  const { milliseconds: attempted_at, nanoseconds: attempted_ns } = split(record.time)
  const { time: _time, extra, ...call } = record
  return {
    ...call,
    attempted_at,
    attempted_ns,
    call_key: callKey(record),
    answered: call.answered ? (1 as const) : (0 as const),
    from: fitting(call.from),
    to: fitting(call.to),
    host: fitting(call.host),
    remote_host: fitting(call.remote_host),
    trunk: fitting(call.trunk),
    sip_callid: fitting(call.sip_callid),
    sip_parent_callid: fitting(call.sip_parent_callid),
    termination_reason: fitting(call.termination_reason),
    recording_url: fitting(call.recording_url, 1024),
    extra: Object.keys(extra).length === 0 ? null : JSON.stringify(extra),
  }
}

/** What narrows a search beside owner and time. */
type Filters = Pick<CallSearch, 'trunk' | 'direction' | 'answered'>

/** Calls that were attempted in a window of time, newest first among others. */
interface Bucket extends Window {
  calls: number
}

const hourWindow = (hour: number): Window => ({
  from: hour * hourMilliseconds,
  until: (hour + 1) * hourMilliseconds - 1,
})

const overlap = (a: Window, b: Window): Window => ({
  from: Math.max(a.from, b.from),
  until: Math.min(a.until, b.until),
})

const filtered = ({ trunk, direction, answered }: Filters) =>
  [
    ...(trunk ? [['trunk', trunk] as const] : []),
    ...(direction ? [['direction', direction] as const] : []),
    ...(answered === undefined ? [] : [['answered', answered ? 1 : 0] as const]),
  ] as const

/** All that is asked of a call beside its owner and the text. */
const narrowed =
  (search: CallNarrowing, { from, until }: Window) =>
  (where: ExpressionBuilder<Tables, 'patchbay_calls'>) => {
    const { sip_status } = search
    return where.and([
      where('attempted_at', '>=', from),
      where('attempted_at', '<=', until),
      ...filtered(search).map(([name, value]) => where(name, '=', value)),
      ...(sip_status === undefined ? [] : [where('sip_status', '=', sip_status)]),
    ])
  }

const matching =
  (engine: EngineName, search: CallSearch, window: Window) => (where: ExpressionBuilder<Tables, 'patchbay_calls'>) => {
    const { text } = search
    const [column, sid] = ownerColumn(search.owner)
    return where.and([
      where(column, '=', sid),
      narrowed(search, window)(where),
      ...(text
        ? [where.or([contains(engine, 'from', text), contains(engine, 'to', text), where('call_sid', '=', text)])]
        : []),
    ])
  }

/** By looking at the calls themselves: where a text is looked for, and for the hours that a window cuts. */
const countedByLooking = async (
  reader: Kysely<Tables>,
  engine: EngineName,
  search: CallSearch,
  window: Window,
): Promise<Bucket[]> => {
  const rows = await reader
    .selectFrom('patchbay_calls')
    .select((select) => [
      floorDivide(engine, 'attempted_at', hourMilliseconds).as('hour'),
      select.fn.countAll<number | string>().as('calls'),
    ])
    .where(matching(engine, search, window))
    .groupBy('hour')
    .execute()
  // MySQL counts in a bigint, which its driver may give as text.
  return rows.map(({ hour, calls }) => ({ ...overlap(hourWindow(hour), window), calls: Number(calls) }))
}

/** What no count is kept of. */
const isLookedFor = ({ text, sip_status }: CallSearch): boolean => Boolean(text) || sip_status !== undefined

/** From the kept counts, for whole hours. */
const countedByHours = async (
  reader: Kysely<Tables>,
  search: CallSearch,
  hours: { first: number; last: number },
): Promise<Bucket[]> => {
  const [, owner_sid] = ownerColumn(search.owner)
  const kinds = filtered(search)
  const rows = await reader
    .selectFrom('patchbay_call_hours')
    .select((select) => ['hour', select.fn.sum<number | string>('calls').as('calls')])
    .where((where) =>
      where.and([
        where('owner_sid', '=', owner_sid),
        where('by_kind', '=', kinds.length > 0 ? 1 : 0),
        where('hour', '>=', hours.first),
        where('hour', '<=', hours.last),
        ...kinds.map(([name, value]) => where(name, '=', value)),
      ]),
    )
    .groupBy('hour')
    .execute()
  return rows.map(({ hour, calls }) => ({ ...hourWindow(hour), calls: Number(calls) }))
}

const maxHour = 2 ** 31 - 1

/** The hours that lie whole in the window, and what it cuts off at either end. */
const cutAtHours = (window: Window) => {
  const first = window.from === allTime.from ? -maxHour : Math.ceil(window.from / hourMilliseconds)
  const last = window.until === allTime.until ? maxHour : toHourNumber(window.until + 1) - 1
  if (first > last) return { hours: undefined, ends: [window] }
  const before = { from: window.from, until: first * hourMilliseconds - 1 }
  const after = { from: (last + 1) * hourMilliseconds, until: window.until }
  const ends = [
    ...(window.from === allTime.from ? [] : [before]),
    ...(window.until === allTime.until ? [] : [after]),
  ].filter(({ from, until }) => from <= until)
  return { hours: { first, last }, ends }
}

/** From the kept counts. What a window cuts off an hour is looked at. */
const countedByHoursAndEnds = async ({ reader, engine }: Database, search: CallSearch): Promise<Bucket[]> => {
  const { hours, ends } = cutAtHours(toWindow(search))
  const counted = await Promise.all([
    ...(hours ? [countedByHours(reader, search, hours)] : []),
    ...ends.map((end) => countedByLooking(reader, engine, search, end)),
  ])
  return newestFirst(counted.flat().filter(({ calls }) => calls > 0))
}

/** Hours that have calls, newest first, as windows of so many calls, unless a single hour has more. */
const windowsOfSome = (counted: readonly Bucket[], callBatchSize: number): Window[] => {
  const windows: Bucket[] = []
  for (const { from, until, calls } of counted) {
    const last = windows.at(-1)
    if (last === undefined || last.calls + calls > callBatchSize) windows.push({ from, until, calls })
    else Object.assign(last, { from, calls: last.calls + calls })
  }
  return windows
}

/** By looking for the text, some calls at a time. */
const countedByText = async (
  database: Database,
  search: CallSearch,
  runStep: RunStep,
  callBatchSize: number,
): Promise<Bucket[]> => {
  const { reader, searcher, engine } = database
  const { hours, ends } = cutAtHours(toWindow(search))
  const counted = hours ? await runStep(() => countedByHours(reader, search, hours)) : []
  const found: Bucket[] = []
  for (const window of [...windowsOfSome(newestFirst(counted), callBatchSize), ...ends])
    found.push(...(await runStep(() => countedByLooking(searcher, engine, search, window))))
  return newestFirst(found)
}

const newestFirst = (counted: readonly Bucket[]): Bucket[] => counted.toSorted((a, b) => b.from - a.from)

/** Buckets with little between them are read at once. */
const closeBy = 3 * hourMilliseconds

const joined = (counted: readonly Bucket[]): Bucket[] =>
  counted.reduce<Bucket[]>((runs, bucket) => {
    const last = runs.at(-1)
    if (last === undefined || last.from - bucket.until > closeBy) return [...runs, bucket]
    return [...runs.slice(0, -1), { from: bucket.from, until: last.until, calls: last.calls + bucket.calls }]
  }, [])

/** The buckets that hold the page, and how many calls of the first come before it. */
const locatePage = (counted: readonly Bucket[], offset: number, size: number): { held: Bucket[]; skip: number } => {
  let before = 0
  let skip = 0
  const held: Bucket[] = []
  for (const bucket of counted) {
    if (before >= offset + size) break
    if (before + bucket.calls > offset) {
      if (held.length === 0) skip = offset - before
      held.push(bucket)
    }
    before += bucket.calls
  }
  return { held, skip }
}

/** Newest first. */
const newestRows = (reader: Kysely<Tables>, engine: EngineName, search: CallSearch, window: Window) =>
  reader
    .selectFrom('patchbay_calls')
    .selectAll()
    .where(matching(engine, search, window))
    .orderBy('attempted_at', 'desc')
    .orderBy('attempted_ns', 'desc')
    .orderBy('call_key', 'desc')
    .limit(search.pageSize)

const rowsIn = (reader: Kysely<Tables>, engine: EngineName, search: CallSearch, window: Window, skip: number) =>
  newestRows(reader, engine, search, window).offset(skip).execute()

const pageOf = async (database: Database, search: CallSearch, counted: readonly Bucket[]): Promise<CallRow[]> => {
  const { reader, engine } = database
  const { held, skip } = locatePage(counted, (search.page - 1) * search.pageSize, search.pageSize)
  const found = await Promise.all(
    joined(held).map((run, position) => rowsIn(reader, engine, search, run, position === 0 ? skip : 0)),
  )
  return found.flat().slice(0, search.pageSize)
}

/** Rows that a walk reads at a time. */
const streamBatchSize = 1000

type Cursor = Pick<CallRow, 'attempted_at' | 'attempted_ns' | 'call_key'>

/** The next of all that match, from where the last of them stood. */
const rowsAfter = (
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

type CallRow = Awaited<ReturnType<typeof rowsIn>>[number]

const shown = (row: CallRow): Call =>
  toCall(
    { ...row, answered: row.answered === 1, extra: addedByWriter(row.extra) },
    writeInstant(row.attempted_at, row.attempted_ns),
  )

/** Of an owner's calls those that are known by an id, newest first. */
export const callsKnownBy = ({ reader }: Pick<Database, 'reader'>, owner: CallOwner, id: CallId) => {
  const [ownerName, sid] = ownerColumn(owner)
  const [name, value] = idColumn(id)
  return (
    reader
      .selectFrom('patchbay_calls')
      .selectAll()
      .where(name, '=', value)
      // Said so that no index of the owner serves: in its order an engine would look through all of the owner's calls.
      .where(({ fn, val }) => fn.coalesce(ownerName, val('')), '=', sid)
      .orderBy('attempted_at', 'desc')
      .orderBy('attempted_ns', 'desc')
      .limit(maxResults)
  )
}

/** Returns the calls of other tenants that are known by an id and were attempted in a window. */
const foreignCallsKnownBy = ({ reader }: Pick<Database, 'reader'>, owner: CallOwner, id: CallId, window: Window) => {
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
 * The calls whose sid is looked for; undefined where there are none. It stands for them alone: numbers that hold the sid
 * of a call are not looked for, so that a call is opened at once among however many.
 */
const namedCalls = async (
  database: Database,
  search: CallNarrowing,
  call_sid: string,
): Promise<CallRow[] | undefined> => {
  const ofThatSid = callsKnownBy(database, search.owner, { call_sid })
  const known = await ofThatSid.execute()
  if (known.length === 0 || known.length === maxResults) return undefined
  return ofThatSid.where(narrowed(search, toWindow(search))).execute()
}

/**
 * Call records in our own table. Totals come from the kept counts of whole hours, and a page is read where those say
 * it is, so that the last page costs what the first does. After `callBatchSize` that were looked at others have a turn.
 */
export const createSqlCalls = (database: Database, callBatchSize = 50_000): KeptCalls => {
  const { concurrency } = database
  const reads = createFairQueue({ concurrency: concurrency.reads, max: maxSearchesPerTenant })
  const searches = createFairQueue({ concurrency: concurrency.searches, max: maxSearchesPerTenant })
  const find = async (search: CallSearch, runStep: RunStep) => {
    const counted = isLookedFor(search)
      ? await countedByText(database, search, runStep, callBatchSize)
      : await runStep(() => countedByHoursAndEnds(database, search))
    const total = counted.reduce((sum, { calls }) => sum + calls, 0)
    const rows = await runStep(() => pageOf(database, search, counted))
    return { total, calls: rows.map(shown) }
  }
  const named = async (search: CallNarrowing, { owner, signal, isAdmitted }: SearchContext) => {
    const { text = '' } = search
    if (!isSid(text)) return undefined
    return reads.run(owner, (runStep) => runStep(() => namedCalls(database, search, text)), signal, isAdmitted)
  }
  return {
    async search(search, searcher = { owner: 'patchbay' }) {
      const calls = await named(search, searcher)
      if (calls !== undefined) {
        const from = (search.page - 1) * search.pageSize
        return { total: calls.length, calls: calls.slice(from, from + search.pageSize).map(shown) }
      }
      const queue = isLookedFor(search) ? searches : reads
      return queue.run(searcher.owner, (runStep) => find(search, runStep), searcher.signal)
    },
    async *walk(search, searcher = { owner: 'patchbay' }) {
      const calls = await named(search, searcher)
      if (calls !== undefined) {
        if (calls.length > 0) yield calls.map(shown)
        return
      }
      const { owner, signal, isAdmitted } = searcher
      let last: Cursor | undefined
      for (;;) {
        const rows: CallRow[] = await searches.run(
          owner,
          (runStep) => runStep(() => rowsAfter(database, { ...search, page: 1, pageSize: streamBatchSize }, last)),
          signal,
          isAdmitted,
        )
        if (rows.length > 0) yield rows.map(shown)
        last = rows.at(-1)
        if (rows.length < streamBatchSize) return
      }
    },
    find: async (owner, id) => (await callsKnownBy(database, owner, id).execute()).map(shown),
    findForeign: async (owner, id, window) =>
      (await foreignCallsKnownBy(database, owner, id, window).execute()).map(shown),
    async store(records) {
      const { engine } = database
      await inTransaction(database, async (trx) => {
        const added = await insertIgnoringDuplicates(trx, engine, 'patchbay_calls', records.map(rowOf))
        await addToHours(trx, engine, added)
        await addToDays(trx, engine, added)
      })
    },
  }
}
