import { ApiError } from '@patchbay/contract/errors'
import { z } from 'zod'
import { createFairQueue } from '../lib/fair-queue.ts'
import { readInstant } from './calls/nanosecond-timestamps.ts'
import {
  allTime,
  type CallOwner,
  maxSearchesPerTenant,
  ownerColumn,
  type PageSearch,
  type SearchContext,
  type Window,
  toWindow,
} from './calls/search-options.ts'
import type { Stored } from './ingest/parse-call-point.ts'
import type { FieldValue } from './ingest/line-protocol.ts'
import { mebibyte, operatorTransport, readBody } from '../adapters/outbound-http/transport.ts'

/** Reading of the platform's InfluxDB 1.x (api/4-calls-and-hosted.md §1.3): one database a measurement, of its name. */

export interface InfluxSearch {
  measurement: 'cdrs' | 'alerts'
  /** fields of which every point that is to be counted has one */
  counted: readonly string[]
  search: PageSearch
  /** the points of all tenants except the owner */
  ofOthers?: boolean
  /** further conditions: InfluxQL that holds nothing a caller has said, except as `pattern` writes it */
  conditions: readonly string[]
  /** what they name as $name */
  params: Readonly<Record<string, string>>
}

export interface InfluxSums {
  measurement: 'cdrs'
  owner: CallOwner
  window: Window
  conditions: readonly string[]
  params: Readonly<Record<string, string>>
  /** InfluxQL: what is selected, each under a name of its own */
  select: string
  /** tags, and perhaps time, by which it is grouped */
  by: readonly string[]
}

/** A row of sums: the tags it was grouped by, and what was selected, with the beginning of its time. */
export type SumRow = Readonly<Record<string, FieldValue | null>>

export interface InfluxDb {
  /** Sums over the points of an owner; none where there are no points. Refused with 503 where they cannot be had. */
  sums(sums: InfluxSums, searcher?: SearchContext): Promise<SumRow[]>
  /** A page of the points of an owner, newest first, and how many match. Refused with 503 where it cannot be had. */
  search(search: InfluxSearch, searcher?: SearchContext): Promise<{ total: number; points: Stored[] }>
}

/** Searches that are sent at a time. */
const concurrency = 4

const maxResponseBytes = 16 * mebibyte

const answered = z.object({
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
type Series = NonNullable<z.infer<typeof answered>['results'][0]['series']>[number]

/** The platform's components send these; InfluxDB looks at them only where it is told to. */
const authorization = `Basic ${Buffer.from('root:root').toString('base64')}`

const unreachable = (cause: unknown): ApiError =>
  Object.assign(new ApiError('unavailable', { msg: 'The call data cannot be reached, please try again' }), { cause })

interface Database {
  origin: string
  /** after which an answer is given up */
  milliseconds: number
}

/** The series that a statement answers. */
const ask = async (
  database: Database,
  parameters: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<Series[]> => {
  try {
    const response = await operatorTransport.send(
      `${database.origin}/query?${new URLSearchParams(parameters).toString()}`,
      {
        headers: { authorization },
        signal: signal,
        limits: { maxResponseBytes, timeoutMs: database.milliseconds },
      },
    )
    const text = (await readBody(response)).toString('utf8')
    if (response.status !== 200) throw new Error(`InfluxDB answered ${response.status} ${text.slice(0, 200)}`)
    const [{ series, error }] = answered.parse(JSON.parse(text)).results
    // Nobody has written to it yet.
    if (error?.startsWith('database not found')) return []
    if (error) throw new Error(`InfluxDB refused: ${error}`)
    return series ?? []
  } catch (error) {
    throw signal?.aborted ? new ApiError('client_closed_request') : unreachable(error)
  }
}

/** A regular expression that matches where a text stands: all that is no plain letter or digit is its code point. */
export const pattern = (text: string): string => {
  // Halves of characters become what stands for what cannot be read.
  const whole = Buffer.from(text).toString()
  return `/${whole.replaceAll(/[^a-zA-Z0-9]/gu, (character) => `\\x{${character.codePointAt(0)?.toString(16)}}`)}/`
}

/** The times that InfluxDB knows, epoch milliseconds. */
const known = { from: -9_223_372_036_854, until: 9_223_372_036_853 }

const instantIn = (milliseconds: number): string =>
  new Date(Math.min(Math.max(milliseconds, known.from), known.until)).toISOString()

/** Both ends are included: the last millisecond with all its nanoseconds. */
const timesOf = ({ from, until }: Window): { conditions: string[]; params: Record<string, string> } => {
  return {
    conditions: [
      ...(from > allTime.from ? ['time >= $from'] : []),
      ...(until < allTime.until ? ['time < $until'] : []),
    ],
    params: {
      ...(from > allTime.from ? { from: instantIn(from) } : {}),
      ...(until < allTime.until ? { until: instantIn(until + 1) } : {}),
    },
  }
}

/** Makes a query of what is selected, and of what comes after its conditions. */
const selecting = ({
  measurement,
  owner,
  ofOthers = false,
  window,
  conditions,
  params,
}: Pick<InfluxSums, 'owner' | 'window'> & Pick<InfluxSearch, 'measurement' | 'ofOthers' | 'conditions' | 'params'>) => {
  const [column, sid] = ownerColumn(owner)
  const times = timesOf(window)
  const where = [`"${column}"::tag ${ofOthers ? '!=' : '='} $owner`, ...times.conditions, ...conditions].join(' AND ')
  return (what: string, more = '') => ({
    db: measurement,
    q: `SELECT ${what} FROM "${measurement}" WHERE ${where}${more}`,
    params: JSON.stringify({ ...params, ...times.params, owner: sid }),
  })
}

const queriesOf = ({ counted, search, ...asked }: InfluxSearch) => {
  const select = selecting({ ...asked, owner: search.owner, window: toWindow(search) })
  const offset = (search.page - 1) * search.pageSize
  return {
    count: select(counted.map((field) => `COUNT("${field}")`).join(', ')),
    page: select('*', ` ORDER BY time DESC LIMIT ${search.pageSize} OFFSET ${offset}`),
  }
}

/** Tags and fields come alike; what the point lacks is null. */
const pointOf = (columns: readonly string[], values: readonly (FieldValue | null)[]): Stored => {
  const held = columns.flatMap((name, position) => {
    const value = values[position] ?? null
    return value === null || name === 'time' ? [] : [[name, value] as const]
  })
  const { account_sid, ...fields } = Object.fromEntries(held)
  return {
    time: readInstant(String(values[columns.indexOf('time')])),
    tags: account_sid === undefined ? {} : { account_sid: String(account_sid) },
    fields,
  }
}

/** The count of the field that most have; the first value is a time. */
const totalOf = (series: Series | undefined): number => Math.max(0, ...(series?.values[0] ?? []).slice(1).map(Number))

export const createInfluxDb = (origin: string, milliseconds = 20_000): InfluxDb => {
  const database = { origin, milliseconds }
  const queue = createFairQueue({ concurrency, max: maxSearchesPerTenant })
  return {
    sums: (sums, { owner, signal } = { owner: 'patchbay' }) =>
      queue.run(
        owner,
        async (runStep) => {
          const query = selecting(sums)(
            sums.select,
            sums.by.length > 0 ? ` GROUP BY ${sums.by.join(', ')} fill(none)` : '',
          )
          const series = await runStep(() => ask(database, query, signal))
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
          const { count, page } = queriesOf(search)
          const [counted] = await runStep(() => ask(database, count, signal))
          const total = totalOf(counted)
          if (total === 0) return { total, points: [] }
          const [found] = await runStep(() => ask(database, page, signal))
          return { total, points: found?.values.map((values) => pointOf(found.columns, values)) ?? [] }
        },
        signal,
        isAdmitted,
      ),
  }
}
