import type { CallFigures } from '@patchbay/contract/call-quality'
import {
  type BlockedNumber,
  type CallQuality,
  type IdentityFigures,
  maxBlockedNumbers,
  maxListItems,
} from '@patchbay/contract/call-quality'
import { dayMs } from '@patchbay/contract/shared/durations'
import { formatDay } from '@patchbay/rules/calls/call-quality'
import { sql } from 'kysely'
import { type Database, floorDivide } from '../../database/engine.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import type { CallTotals, QualitySearch, QualityTotals } from './quality.ts'
import { maxSearchesPerTenant, ownerColumn, type SearchContext } from './search-options.ts'

/** Adds to call quality what the database counts of blocked calls and of captured SIP, whatever stores the calls. */

/** Call quality statistics. */
export interface Quality {
  /** Returns the figures of the period: in total, by day, trunk, direction, and account. */
  getCallQuality(search: QualitySearch, searcher?: SearchContext): Promise<CallQuality>
}

const selectBlocked = ({ reader }: Database, { owner, from, until, trunk, direction }: QualitySearch) => {
  const [column, sid] = ownerColumn(owner)
  return reader
    .selectFrom('patchbay_blocked_calls')
    .where(column, '=', sid)
    .where('attempted_at', '>=', from * dayMs)
    .where('attempted_at', '<', (until + 1) * dayMs)
    .$if(trunk !== undefined, (query) => query.where('trunk', '=', trunk ?? ''))
    .$if(direction !== undefined, (query) => query.where('direction', '=', direction ?? ''))
}

/** Counts the blocks that the status of a record does not tell. The totals contain the others. */
const countAnalytics = async (database: Database, search: QualitySearch) => {
  const rows = await selectBlocked(database, search)
    .select(({ fn }) => [
      floorDivide(database.engine, 'attempted_at', dayMs).as('day'),
      'trunk',
      'direction',
      'account_sid',
      fn.countAll<number | string>().as('calls'),
    ])
    .where('kind', '=', 'analytics')
    .groupBy(['day', 'trunk', 'direction', 'account_sid'])
    .execute()
  // MySQL counts in a bigint, which its driver may return as a string.
  return rows.map(({ day, calls, ...row }) => ({ ...row, day: formatDay(day), calls: Number(calls) }))
}

type AnalyticsCount = Awaited<ReturnType<typeof countAnalytics>>[number]

const addBlocked = <Figures extends CallFigures>(
  figures: Figures,
  counts: readonly AnalyticsCount[],
  isCounted: (count: AnalyticsCount) => boolean,
): Figures => ({
  ...figures,
  blocked: counts.filter(isCounted).reduce((sum, { calls }) => sum + calls, figures.blocked),
})

const addAnalytics = (totals: CallTotals, counts: readonly AnalyticsCount[]): CallTotals =>
  counts.length === 0
    ? totals
    : {
        ...totals,
        total: addBlocked(totals.total, counts, () => true),
        days: totals.days.map((one) => addBlocked(one, counts, ({ day }) => day === one.day)),
        trunks: totals.trunks.map((one) => addBlocked(one, counts, ({ trunk }) => trunk === one.trunk)),
        directions: totals.directions.map((one) =>
          addBlocked(one, counts, ({ direction }) => direction === one.direction),
        ),
        accounts: totals.accounts.map((one) =>
          addBlocked(one, counts, ({ account_sid }) => account_sid === one.account_sid),
        ),
      }

const countKind = (kind: string) => sql<number | string>`sum(case when kind = ${kind} then 1 else 0 end)`

/** Counts blocked outbound calls by calling number. An inbound call is blocked by the account, not by its carriers. */
const listNumbers = async (database: Database, search: QualitySearch): Promise<BlockedNumber[]> => {
  const rows = await selectBlocked(database, search)
    .select(({ fn }) => [
      'number',
      fn.countAll<number | string>().as('calls'),
      countKind('analytics').as('analytics'),
      countKind('filter').as('filtered'),
      countKind('unwanted').as('unwanted'),
      fn.max('attempted_at').as('last_at'),
    ])
    .where('direction', '=', 'outbound')
    .where('number', 'is not', null)
    .groupBy('number')
    .orderBy('calls', 'desc')
    .orderBy('number')
    .limit(maxBlockedNumbers)
    .execute()
  return rows.map((row) => ({
    number: row.number ?? '',
    calls: Number(row.calls),
    analytics: Number(row.analytics),
    filtered: Number(row.filtered),
    unwanted: Number(row.unwanted),
    last_at: new Date(row.last_at).toISOString(),
  }))
}

const sumCalls = (condition: ReturnType<typeof sql<boolean>>) =>
  sql<number | string>`sum(case when ${condition} then calls else 0 end)`
const hasLevel = (level: string) => sumCalls(sql<boolean>`attestation = ${level}`)
const hasResult = (result: string) => sumCalls(sql<boolean>`verification = ${result}`)

const listIdentities = async (
  { reader }: Database,
  { owner, from, until, trunk, direction }: QualitySearch,
): Promise<IdentityFigures[]> => {
  const [column, sid] = ownerColumn(owner)
  const rows = await reader
    .selectFrom('patchbay_identity_days')
    .select(({ fn }) => [
      'trunk',
      'direction',
      fn.sum<number | string>('calls').as('sum'),
      hasLevel('A').as('level_a'),
      hasLevel('B').as('level_b'),
      hasLevel('C').as('level_c'),
      hasLevel('none').as('no_level'),
      hasResult('passed').as('passed'),
      hasResult('failed').as('failed'),
    ])
    .where(column, '=', sid)
    .where('day', '>=', from)
    .where('day', '<=', until)
    .$if(trunk !== undefined, (query) => query.where('trunk', '=', trunk ?? ''))
    .$if(direction !== undefined, (query) => query.where('direction', '=', direction ?? ''))
    .groupBy(['trunk', 'direction'])
    .orderBy('sum', 'desc')
    .orderBy('trunk')
    .orderBy('direction')
    .limit(maxListItems)
    .execute()
  return rows.map((row) => ({
    trunk: row.trunk,
    direction: row.direction,
    calls: Number(row.sum),
    level_a: Number(row.level_a),
    level_b: Number(row.level_b),
    level_c: Number(row.level_c),
    no_level: Number(row.no_level),
    passed: Number(row.passed),
    failed: Number(row.failed),
  }))
}

export interface QualitySources {
  database: Database
  totals: QualityTotals
  /** Whether Patchbay receives the call records. */
  storesCalls: boolean
  /** Whether Patchbay receives captured SIP. */
  receivesSip: boolean
}

/** Creates the statistics from the totals of a store and what the database counts. */
export const createQuality = ({ database, totals, storesCalls, receivesSip }: QualitySources): Quality => {
  const queue = createFairQueue({
    name: 'blocked_calls',
    concurrency: database.concurrency.reads,
    max: maxSearchesPerTenant,
  })
  const read = async (search: QualitySearch) => {
    const [counts, numbers, identities] = await Promise.all([
      countAnalytics(database, search),
      listNumbers(database, search),
      listIdentities(database, search),
    ])
    return { counts, numbers, identities }
  }
  return {
    async getCallQuality(search, searcher = { owner: 'patchbay' }) {
      const ofStore = await totals.getTotals(search, searcher)
      if (!storesCalls) return { ...ofStore, counts_sip: false, blocked_numbers: null, identities: [] }
      const { counts, numbers, identities } = await queue.run(
        searcher.owner,
        (runStep) => runStep(() => read(search)),
        searcher.signal,
      )
      return {
        ...addAnalytics(ofStore, counts),
        counts_sip: receivesSip,
        blocked_numbers: numbers,
        identities,
      }
    },
  }
}
