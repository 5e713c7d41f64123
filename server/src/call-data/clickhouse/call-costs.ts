import { randomUUID } from 'node:crypto'
import { groupBy } from '@patchbay/rules/lib/groups'
import type { CallRating } from '../calls/call-record.ts'
import { getStated, hasTags, reasonsOfRejection } from '../calls/rate-calls.ts'
import { type CallKey, type CallRow, keyColumns, toKey } from './call-rows.ts'
import type { ClickHouse, Parameters } from './clickhouse.ts'
import { selectByPairs } from './stored-table.ts'

/**
 * Costs that a rating engine adds to calls afterwards. Rows of calls are never changed, so the costs have a table of
 * their own, and readers take them from there.
 */

type Cost = Pick<CallRow, 'cost' | 'rate' | 'billed_seconds'>
type CostRow = CallKey & Cost
type RatedCall = CostRow & Pick<CallRow, 'service_provider_sid' | 'direction' | 'host' | 'trunk' | 'answered'>

const costColumns = 'cost, rate, billed_seconds'

/** Replaces the costs of rows by those that were added afterwards. */
const withCosts = async <Row extends CostRow>(
  clickHouse: ClickHouse,
  rows: readonly Row[],
  signal?: AbortSignal,
): Promise<Row[]> => {
  if (rows.length === 0) return []
  const costs = await selectByPairs<CostRow, Row>(
    clickHouse,
    {
      table: 'call_costs',
      columns: `${keyColumns}, ${costColumns}`,
      pair: ['account_sid', 'attempted_at'],
      // A merge removes the earlier costs of a call at some time.
      order: `ORDER BY rated_at DESC LIMIT 1 BY ${keyColumns}`,
    },
    rows,
    signal,
  )
  const byKey = new Map(costs.map((row) => [toKey(row), row]))
  return rows.map((row) => ({ ...row, ...byKey.get(toKey(row)) }))
}

/**
 * Runs a SELECT of calls with all columns, and returns the rows with their costs.
 * @throws ApiError as `ClickHouse.query` does
 */
export const queryCalls = async (
  clickHouse: ClickHouse,
  statement: string,
  parameters: Parameters,
  signal?: AbortSignal,
): Promise<CallRow[]> => withCosts(clickHouse, await clickHouse.query<CallRow>(statement, parameters, signal), signal)

/** Returns the calls with the accounts and times of ratings, each once, with their costs. */
const findCalls = async (clickHouse: ClickHouse, ratings: readonly CallRating[]): Promise<RatedCall[]> => {
  const pairs = ratings.map(({ account_sid, time }) => ({ account_sid, attempted_at: String(time) }))
  const calls = await selectByPairs<RatedCall, (typeof pairs)[number]>(
    clickHouse,
    {
      table: 'calls',
      columns: `${keyColumns}, ${costColumns}, service_provider_sid, direction, host, trunk, answered`,
      pair: ['account_sid', 'attempted_at'],
      order: `LIMIT 1 BY ${keyColumns}`,
    },
    pairs,
    undefined,
  )
  return withCosts(clickHouse, calls)
}

const toPoint = (account_sid: string, attempted_at: bigint | string): string => `${account_sid}\n${attempted_at}`

const isRated = (call: RatedCall, rating: CallRating): boolean =>
  hasTags({ ...call, service_provider_sid: call.service_provider_sid || null }, rating)

interface RateOptions {
  clickHouse: ClickHouse
  /** Creates the tables. */
  prepare: () => Promise<void>
  /** Returns whether calls wait on the disk, so that ClickHouse does not have all of them. */
  hasWaiting: () => boolean
}

/**
 * Stores ratings. Returns the reason for each one that was not stored.
 * @throws Error if ClickHouse fails, or if the call of a rating may be waiting on the disk
 */
export const rateCalls = async (
  { clickHouse, prepare, hasWaiting }: RateOptions,
  ratings: readonly CallRating[],
): Promise<(string | undefined)[]> => {
  await prepare()
  const calls = groupBy(await findCalls(clickHouse, ratings), (call) => toPoint(call.account_sid, call.attempted_at))
  const costs = new Map<string, CostRow>()
  const reasons = ratings.map((rating) => {
    const candidates = calls.get(toPoint(rating.account_sid, rating.time)) ?? []
    const [call, ...others] = candidates.filter((candidate) => isRated(candidate, rating))
    if (call === undefined && hasWaiting()) throw new Error('the call of a cost may be waiting for ClickHouse')
    if (call === undefined) return reasonsOfRejection.noCall
    if (others.length > 0) return reasonsOfRejection.severalCalls
    const { account_sid, attempted_at, call_key } = call
    const { cost, rate, billed_seconds } = costs.get(toKey(call)) ?? call
    costs.set(toKey(call), { account_sid, attempted_at, call_key, cost, rate, billed_seconds, ...getStated(rating) })
    return undefined
  })
  // A token of the content would suppress a cost that is corrected and then set again.
  if (costs.size > 0) await clickHouse.insert('call_costs', [...costs.values()], randomUUID())
  return reasons
}
