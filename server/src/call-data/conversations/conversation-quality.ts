import { type ConversationQuality, maxGroups } from '@patchbay/contract/conversation-quality'
import { type MeasureSum, toFigures } from '@patchbay/contract/conversations/quality-figures'
import type { Dimension } from '@patchbay/contract/conversations/summarize'
import { formatDay } from '@patchbay/contract/shared/call-quality'
import type { Database } from '../../database/engine.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import { type CallOwner, maxSearchesPerTenant, ownerColumn, type SearchContext } from '../calls/search-options.ts'

/** Reads the statistics of conversations from their daily sums. */

export interface ConversationQualitySearch {
  owner: CallOwner
  /** First and last day of the period, as day numbers. */
  from: number
  until: number
  by: Dimension
  value?: string
}

export interface ConversationStatistics {
  getQuality(search: ConversationQualitySearch, context: SearchContext): Promise<ConversationQuality>
}

const selectSums = ({ reader }: Database, owner: CallOwner, dimension: Dimension) =>
  reader
    .selectFrom('patchbay_conversation_counts')
    .where('owner_sid', '=', ownerColumn(owner)[1])
    .where('dimension', '=', dimension)

const readDays = (
  database: Database,
  { owner, from, until, by, value }: ConversationQualitySearch,
): Promise<(MeasureSum & { day: number })[]> =>
  selectSums(database, owner, value === undefined ? 'all' : by)
    .select(['day', 'measure', 'bucket', 'amount'])
    .where('day', '>=', from)
    .where('day', '<=', until)
    .where('value', '=', value ?? '')
    .execute()

/** Returns the sums of the values with the most conversations. */
const readGroups = async (
  database: Database,
  { owner, from, until, by }: ConversationQualitySearch,
): Promise<ReadonlyMap<string, MeasureSum[]>> => {
  const inPeriod = () => selectSums(database, owner, by).where('day', '>=', from).where('day', '<=', until)
  const largest = await inPeriod()
    .select(({ fn }) => ['value', fn.sum<number | string>('amount').as('conversations')])
    .where('measure', '=', 'conversations')
    .groupBy('value')
    .having(({ fn }) => fn.sum('amount'), '>', 0)
    .orderBy('conversations', 'desc')
    .orderBy('value')
    .limit(maxGroups)
    .execute()
  const groups = new Map(largest.map(({ value }) => [value, [] as MeasureSum[]]))
  if (groups.size === 0) return groups
  const rows = await inPeriod()
    .select(({ fn }) => ['value', 'measure', 'bucket', fn.sum<number | string>('amount').as('amount')])
    .where('value', 'in', [...groups.keys()])
    .groupBy(['value', 'measure', 'bucket'])
    .execute()
  for (const { value, measure, bucket, amount } of rows)
    groups.get(value)?.push({ measure, bucket, amount: Number(amount) })
  return groups
}

/** Returns the names of applications or accounts by SID. */
const readNames = async ({ db }: Database, by: Dimension, sids: readonly string[]): Promise<Map<string, string>> => {
  if (sids.length === 0 || (by !== 'application' && by !== 'account')) return new Map()
  const rows =
    by === 'application'
      ? await db
          .selectFrom('applications')
          .select(['application_sid as sid', 'name'])
          .where('application_sid', 'in', sids)
          .execute()
      : await db
          .selectFrom('accounts')
          .select(['account_sid as sid', 'name'])
          .where('account_sid', 'in', sids)
          .execute()
  return new Map(rows.map(({ sid, name }) => [sid, name]))
}

const groupByDay = (rows: readonly (MeasureSum & { day: number })[]): [number, MeasureSum[]][] => {
  const days = new Map<number, MeasureSum[]>()
  for (const row of rows) {
    const sums = days.get(row.day)
    if (sums === undefined) days.set(row.day, [row])
    else sums.push(row)
  }
  return [...days].toSorted(([a], [b]) => a - b)
}

/** Creates the access to statistics of conversations. */
export const createConversationStatistics = (database: Database): ConversationStatistics => {
  const queue = createFairQueue({
    name: 'conversation_quality',
    concurrency: database.concurrency.reads,
    max: maxSearchesPerTenant,
  })
  const read = async (search: ConversationQualitySearch): Promise<ConversationQuality> => {
    const { from, until, value } = search
    const length = until - from + 1
    const [rows, groups] = await Promise.all([
      readDays(database, { ...search, from: from - length }),
      value === undefined ? readGroups(database, search) : new Map<string, MeasureSum[]>(),
    ])
    const names = await readNames(database, search.by, [...groups.keys()])
    const current = rows.filter(({ day }) => day >= from)
    return {
      total: toFigures(current),
      previous: toFigures(rows.filter(({ day }) => day < from)),
      days: groupByDay(current)
        .map(([day, sums]) => ({ day: formatDay(day), ...toFigures(sums) }))
        .filter(({ conversations }) => conversations > 0),
      groups: [...groups].map(([group, sums]) => ({
        value: group,
        name: names.get(group) ?? null,
        ...toFigures(sums),
      })),
    }
  }
  return {
    getQuality: (search, { owner, signal }) => queue.run(owner, (runStep) => runStep(() => read(search)), signal),
  }
}
