import { setImmediate as nextTick } from 'node:timers/promises'
import type { ConversationList } from '@patchbay/contract/conversation-list'
import { type ConversationQuality, maxGroups } from '@patchbay/contract/conversation-quality'
import type { Dimension } from '@patchbay/contract/conversations/figures'
import { formatDay } from '@patchbay/rules/calls/call-quality'
import { toFigures } from '@patchbay/rules/conversations/quality-figures'
import { mergeFormattedSums, mergeSums, parseSums, type Sums } from '@patchbay/rules/conversations/sums'
import type { Database } from '../../database/engine.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import { type CallOwner, maxSearchesPerTenant, ownerColumn, type SearchContext } from '../calls/search-options.ts'
import { type ConversationListSearch, listConversations } from './conversation-list.ts'

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
  list(search: ConversationListSearch, context: SearchContext): Promise<ConversationList>
}

const selectDays = (
  { reader }: Database,
  { owner, from, until }: Pick<ConversationQualitySearch, 'owner' | 'from' | 'until'>,
  dimension: Dimension,
) =>
  reader
    .selectFrom('patchbay_conversation_days')
    .where('owner_sid', '=', ownerColumn(owner)[1])
    .where('dimension', '=', dimension)
    .where('day', '>=', from)
    .where('day', '<=', until)

const readDays = async (
  database: Database,
  search: ConversationQualitySearch,
): Promise<{ day: number; sums: Sums }[]> => {
  const { by, value } = search
  const rows = await selectDays(database, search, value === undefined ? 'all' : by)
    .select(['day', 'sums'])
    .where('value', '=', value ?? '')
    .orderBy('day')
    .execute()
  return rows.map(({ day, sums }) => ({ day, sums: parseSums(sums) }))
}

/** Rows that are added up before other work of the process continues. */
const rowsPerStep = 500

/** Returns the sums of the values with the most conversations. */
const readGroups = async (
  database: Database,
  search: ConversationQualitySearch,
): Promise<ReadonlyMap<string, Sums>> => {
  const largest = await selectDays(database, search, search.by)
    .select(({ fn }) => ['value', fn.sum<number | string>('conversations').as('total')])
    .groupBy('value')
    .having(({ fn }) => fn.sum('conversations'), '>', 0)
    .orderBy('total', 'desc')
    .orderBy('value')
    .limit(maxGroups)
    .execute()
  const groups = new Map(largest.map(({ value }) => [value, new Map() as Sums]))
  if (groups.size === 0) return groups
  const rows = await selectDays(database, search, search.by)
    .select(['value', 'sums'])
    .where('value', 'in', [...groups.keys()])
    .execute()
  for (const [position, { value, sums }] of rows.entries()) {
    const group = groups.get(value)
    if (group !== undefined) mergeFormattedSums(group, sums)
    if (position % rowsPerStep === rowsPerStep - 1) await nextTick()
  }
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

const addUp = (days: readonly { sums: Sums }[]): Sums => {
  const total: Sums = new Map()
  for (const { sums } of days) mergeSums(total, sums)
  return total
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
    const [days, groups] = await Promise.all([
      readDays(database, { ...search, from: from - length }),
      value === undefined ? readGroups(database, search) : new Map<string, Sums>(),
    ])
    const names = await readNames(database, search.by, [...groups.keys()])
    const current = days.filter(({ day }) => day >= from)
    return {
      total: toFigures(addUp(current)),
      previous: toFigures(addUp(days.filter(({ day }) => day < from))),
      days: current
        .map(({ day, sums }) => ({ day: formatDay(day), ...toFigures(sums) }))
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
    list: (search, { owner, signal }) =>
      queue.run(owner, (runStep) => runStep(() => listConversations(database, search)), signal),
  }
}
