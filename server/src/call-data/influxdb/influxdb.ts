import { ApiError } from '@patchbay/contract/api/errors'
import { z } from 'zod'
import { mebibyte, operatorTransport, readBody } from '../../adapters/outbound-http/transport.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import { readInstant } from '../calls/nanosecond-timestamps.ts'
import {
  allTime,
  type CallOwner,
  maxSearchesPerTenant,
  ownerColumn,
  type PageSearch,
  type SearchContext,
  toWindow,
  type Window,
} from '../calls/search-options.ts'
import type { FieldValue } from '../ingest/line-protocol.ts'
import type { PointData } from '../ingest/parse-call-point.ts'

/**
 * Queries the InfluxDB 1.x of jambonz (docs/reference/platform-api/call-records.md#influxdb). Each measurement has a
 * database of the same name.
 */

export interface InfluxSearch {
  measurement: 'cdrs' | 'alerts'
  /** Fields of which every counted point has at least one. */
  counted: readonly string[]
  search: PageSearch
  /** Set to search the points of all tenants except the owner. */
  ofOthers?: boolean
  /** Further InfluxQL conditions. They contain no user input except as written by `toInfluxPattern`. */
  conditions: readonly string[]
  /** Values of the parameters that the conditions name, such as $name. */
  params: Readonly<Record<string, string>>
}

export interface InfluxSums {
  measurement: 'cdrs'
  owner: CallOwner
  window: Window
  conditions: readonly string[]
  params: Readonly<Record<string, string>>
  /** InfluxQL: the selected expressions, each with an alias. */
  select: string
  /** Tags, and optionally time, to group by. */
  by: readonly string[]
}

/** A group's tags, selected values, and start of its time interval. */
export type SumRow = Readonly<Record<string, FieldValue | null>>

export interface InfluxDb {
  /**
   * Aggregates the points of an owner. Returns no rows if there are no points. Throws `unavailable` (503) if InfluxDB
   * fails.
   */
  sums(sums: InfluxSums, searcher?: SearchContext): Promise<SumRow[]>
  /**
   * Returns a page of the points of an owner, newest first, and the number of matches. Throws `unavailable` (503) if
   * InfluxDB fails.
   */
  search(search: InfluxSearch, searcher?: SearchContext): Promise<{ total: number; points: PointData[] }>
}

/** Number of queries that run at the same time. */
const concurrency = 4

const maxResponseBytes = 16 * mebibyte

const queryResponse = z.object({
  results: z.tuple([
    z.object({
      series: z
        .array(
          z.object({
            tags: z.record(z.string(), z.string()).optional(),
            columns: z.array(z.string()),
            values: z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()]))),
          }),
        )
        .optional(),
      error: z.string().optional(),
    }),
  ]),
})
type Series = NonNullable<z.infer<typeof queryResponse>['results'][0]['series']>[number]

const user = 'root'

/** The credentials that jambonz components use. InfluxDB ignores them unless authentication is enabled. */
const authorization = `Basic ${Buffer.from(`${user}:root`).toString('base64')}`

/** InfluxDB does not accept the credentials, or the user is not permitted to read. */
class InfluxAuthorizationError extends Error {}

const unreachable = (cause: unknown): ApiError => {
  const msg =
    cause instanceof InfluxAuthorizationError
      ? `InfluxDB rejected the user ${user}. Create it in InfluxDB like for the components of jambonz.`
      : 'The call data cannot be reached, please try again'
  return Object.assign(new ApiError('unavailable', { msg }), { cause })
}

interface Database {
  origin: string
  /** Time limit of a query. */
  timeoutMs: number
}

/** Runs a statement and returns its series. */
const runQuery = async (
  database: Database,
  parameters: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<Series[]> => {
  try {
    const response = await operatorTransport.send(
      `${database.origin}/query?${new URLSearchParams(parameters).toString()}`,
      {
        service: 'influxdb',
        continuesTrace: true,
        headers: { authorization },
        signal: signal,
        limits: { maxResponseBytes, timeoutMs: database.timeoutMs },
      },
    )
    const text = (await readBody(response)).toString('utf8')
    const { status } = response
    const failure = `InfluxDB answered ${status} ${text.slice(0, 200)}`
    if (status === 401 || status === 403) throw new InfluxAuthorizationError(failure)
    if (status !== 200) throw new Error(failure)
    const [{ series, error }] = queryResponse.parse(JSON.parse(text)).results
    // The database is created by the first write.
    if (error?.startsWith('database not found')) return []
    if (error) throw new Error(`InfluxDB rejected the request: ${error}`)
    return series ?? []
  } catch (error) {
    throw signal?.aborted ? new ApiError('client_closed_request') : unreachable(error)
  }
}

/**
 * Returns a regular expression that matches a literal text. Every character other than a letter or a digit is written
 * as its code point, so that the text cannot end the expression.
 */
export const toInfluxPattern = (text: string): string => {
  // Unpaired surrogates become the replacement character.
  const wellFormed = Buffer.from(text).toString()
  return `/${wellFormed.replaceAll(/[^a-zA-Z0-9]/gu, (character) => `\\x{${character.codePointAt(0)?.toString(16)}}`)}/`
}

/** Range of times that InfluxDB can represent, in epoch milliseconds. */
const representableTimes = { from: -9_223_372_036_854, until: 9_223_372_036_853 }

const formatInstant = (milliseconds: number): string =>
  new Date(Math.min(Math.max(milliseconds, representableTimes.from), representableTimes.until)).toISOString()

/**
 * Creates the conditions of a time window. Both ends are inclusive, so the upper bound covers all nanoseconds of the
 * last millisecond.
 */
const createTimeConditions = ({ from, until }: Window): { conditions: string[]; params: Record<string, string> } => {
  return {
    conditions: [
      ...(from > allTime.from ? ['time >= $from'] : []),
      ...(until < allTime.until ? ['time < $until'] : []),
    ],
    params: {
      ...(from > allTime.from ? { from: formatInstant(from) } : {}),
      ...(until < allTime.until ? { until: formatInstant(until + 1) } : {}),
    },
  }
}

/** Returns a function that creates a query from the selected expressions and the clauses that follow the conditions. */
const createSelect = ({
  measurement,
  owner,
  ofOthers = false,
  window,
  conditions,
  params,
}: Pick<InfluxSums, 'owner' | 'window'> & Pick<InfluxSearch, 'measurement' | 'ofOthers' | 'conditions' | 'params'>) => {
  const [column, sid] = ownerColumn(owner)
  const times = createTimeConditions(window)
  const where = [`"${column}"::tag ${ofOthers ? '!=' : '='} $owner`, ...times.conditions, ...conditions].join(' AND ')
  return (what: string, more = '') => ({
    db: measurement,
    q: `SELECT ${what} FROM "${measurement}" WHERE ${where}${more}`,
    params: JSON.stringify({ ...params, ...times.params, owner: sid }),
  })
}

const createSearchQueries = ({ counted, search, ...query }: InfluxSearch) => {
  const select = createSelect({ ...query, owner: search.owner, window: toWindow(search) })
  const offset = (search.page - 1) * search.pageSize
  return {
    count: select(counted.map((field) => `COUNT("${field}")`).join(', ')),
    page: select('*', ` ORDER BY time DESC LIMIT ${search.pageSize} OFFSET ${offset}`),
  }
}

/** Converts a row to a point. InfluxDB mixes tags and fields, and returns null for missing ones. */
const toPoint = (columns: readonly string[], values: readonly (FieldValue | null)[]): PointData => {
  const fields = new Map<string, FieldValue>()
  for (const [position, name] of columns.entries()) {
    const value = values[position] ?? null
    if (value !== null && name !== 'time') fields.set(name, value)
  }
  const account_sid = fields.get('account_sid')
  fields.delete('account_sid')
  return {
    time: readInstant(String(values[columns.indexOf('time')])),
    tags: new Map(account_sid === undefined ? [] : [['account_sid', String(account_sid)]]),
    fields,
  }
}

/** Returns the highest of the field counts. The first value of the row is a time. */
const getTotal = (series: Series | undefined): number => Math.max(0, ...(series?.values[0] ?? []).slice(1).map(Number))

/**
 * Creates a client of InfluxDB 1.x.
 * @param timeoutMs time limit of a query
 */
export const createInfluxDb = (origin: string, timeoutMs = 20_000): InfluxDb => {
  const database = { origin, timeoutMs }
  const queue = createFairQueue({ name: 'influxdb_queries', concurrency, max: maxSearchesPerTenant })
  return {
    sums: (sums, { owner, signal } = { owner: 'patchbay' }) =>
      queue.run(
        owner,
        async (runStep) => {
          const query = createSelect(sums)(
            sums.select,
            sums.by.length > 0 ? ` GROUP BY ${sums.by.join(', ')} fill(none)` : '',
          )
          const series = await runStep(() => runQuery(database, query, signal))
          return series.flatMap(({ tags, columns, values }) =>
            values.map((row) => ({
              ...tags,
              ...Object.fromEntries(columns.map((column, position) => [column, row[position] ?? null])),
            })),
          )
        },
        signal,
      ),

    search: (search, { owner, signal, isAdmitted } = { owner: 'patchbay' }) =>
      queue.run(
        owner,
        async (runStep) => {
          const { count, page } = createSearchQueries(search)
          const [countSeries] = await runStep(() => runQuery(database, count, signal))
          const total = getTotal(countSeries)
          if (total === 0) return { total, points: [] }
          const [pageSeries] = await runStep(() => runQuery(database, page, signal))
          return { total, points: pageSeries?.values.map((values) => toPoint(pageSeries.columns, values)) ?? [] }
        },
        signal,
        isAdmitted,
      ),
  }
}
