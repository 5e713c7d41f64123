import type { Alert } from '@patchbay/contract/alerts'
import { maxAlertGroups } from '@patchbay/contract/shared/alert-objects'
import { type ExpressionBuilder, sql } from 'kysely'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { createFairQueue, type RunStep } from '../../lib/fair-queue.ts'
import { maxSearchesPerTenant, ownerColumn, toWindow } from '../calls/search-options.ts'
import { selectAcknowledgments, wholeGroup } from './acknowledgments.ts'
import {
  type AlertGroupSearch,
  type AlertGroups,
  type AlertSelection,
  type CountedGroup,
  countOpenAlerts,
  type FoundGroup,
  type FoundGroups,
  toFoundGroups,
} from './alert-groups.ts'
import { countAlerts, createAlertFilter, rowToAlert } from './sql-alerts.ts'

/** Reads groups with index entries only. */
const selectGroups = ({ reader }: Database, selection: AlertSelection) =>
  reader
    .selectFrom('patchbay_alerts')
    .select(({ fn }) => [
      'group_key',
      fn.countAll<number | string>().as('count'),
      fn.min('raised_at').as('first_at'),
      fn.max('raised_at').as('last_at'),
    ])
    .where(createAlertFilter(selection))
    .where('group_key', 'is not', null)
    .groupBy('group_key')
    .orderBy('last_at', 'desc')
    .orderBy('group_key')
    .limit(maxAlertGroups)
    .execute()

/**
 * Selects alerts of a group that a table before this one in the query names. The owner is compared in an expression, so
 * that the database uses the index of the group instead of that of the owner, which has as many entries as alerts.
 */
const createGroupedFilter = (selection: AlertSelection) => {
  const { from, until } = toWindow(selection)
  const [column, sid] = ownerColumn(selection.owner)
  return (where: ExpressionBuilder<Tables, 'patchbay_alerts'>) =>
    where.and([
      where('patchbay_alerts.raised_at', '>=', from),
      where('patchbay_alerts.raised_at', '<=', until),
      sql<boolean>`COALESCE(${sql.ref(`patchbay_alerts.${column}`)}, '') = ${sid}`,
      ...(selection.alert_type ? [where('patchbay_alerts.alert_type', '=', selection.alert_type)] : []),
    ])
}

/**
 * Counts the acknowledged alerts of each group. It begins with the acknowledgments, which are few, because a condition
 * on each alert would take several times as long as reading the groups.
 */
const countAcknowledged = async (
  { reader }: Database,
  selection: AlertSelection,
): Promise<ReadonlyMap<string, number>> => {
  const ofOwner = selectAcknowledgments({ reader }, selection.owner, toWindow(selection).from)
  const groups = ofOwner
    .where('single_ns', '=', wholeGroup)
    .select(['group_key', ({ fn }) => fn.max('until_at').as('reach')])
    .groupBy('group_key')
  const [ofGroups, ofSingles] = await Promise.all([
    reader
      .selectFrom(groups.as('done'))
      // SQLite keeps the order of the tables in a cross join.
      .crossJoin('patchbay_alerts')
      .select(({ fn }) => ['patchbay_alerts.group_key', fn.countAll<number | string>().as('count')])
      .whereRef('patchbay_alerts.group_key', '=', 'done.group_key')
      .whereRef('patchbay_alerts.raised_at', '<=', 'done.reach')
      .where(createGroupedFilter(selection))
      .groupBy('patchbay_alerts.group_key')
      .execute(),
    reader
      .selectFrom(
        ofOwner.where('single_ns', '!=', wholeGroup).select(['group_key', 'until_at', 'single_ns']).as('single'),
      )
      .leftJoin(groups.as('done'), 'done.group_key', 'single.group_key')
      .crossJoin('patchbay_alerts')
      .whereRef('patchbay_alerts.group_key', '=', 'single.group_key')
      .whereRef('patchbay_alerts.raised_at', '=', 'single.until_at')
      .whereRef('patchbay_alerts.raised_ns', '=', 'single.single_ns')
      .select(({ fn }) => ['patchbay_alerts.group_key', fn.countAll<number | string>().as('count')])
      .where((where) =>
        where.or([where('done.reach', 'is', null), where('single.until_at', '>', where.ref('done.reach'))]),
      )
      .where(createGroupedFilter(selection))
      .groupBy('patchbay_alerts.group_key')
      .execute(),
  ])
  const acknowledged = new Map<string, number>()
  for (const { group_key, count } of [...ofGroups, ...ofSingles])
    if (group_key !== null) acknowledged.set(group_key, (acknowledged.get(group_key) ?? 0) + Number(count))
  return acknowledged
}

/** Adds the newest alert to the groups of a page. A group whose alerts were deleted meanwhile is left out. */
const addNewest = async ({ reader }: Database, groups: readonly CountedGroup[]): Promise<FoundGroup[]> => {
  const completed: FoundGroup[] = []
  for (const group of groups) {
    const row = await reader
      .selectFrom('patchbay_alerts')
      .selectAll()
      .where('group_key', '=', group.key)
      .where('raised_at', '<=', group.lastAt)
      .orderBy('raised_at', 'desc')
      .orderBy('raised_ns', 'desc')
      .limit(1)
      .executeTakeFirst()
    const newest: Alert | undefined = row && rowToAlert(row)
    if (newest !== undefined) completed.push({ ...group, newest })
  }
  return completed
}

const searchGroups = async (database: Database, search: AlertGroupSearch, runStep: RunStep): Promise<FoundGroups> => {
  const alertCount = await runStep(() => countAlerts(database, search))
  const rows = alertCount === 0 ? [] : await runStep(() => selectGroups(database, search))
  const acknowledged =
    alertCount === 0 ? new Map<string, number>() : await runStep(() => countAcknowledged(database, search))
  const groups = rows.map(({ group_key, count, first_at, last_at }) => ({
    key: group_key ?? '',
    count: Number(count),
    firstAt: first_at,
    lastAt: last_at,
  }))
  return toFoundGroups({ search, alertCount, groups, acknowledged }, (page) => runStep(() => addNewest(database, page)))
}

/** Creates the reader of groups of alerts in Patchbay's own table. */
export const createSqlAlertGroups = (database: Database): AlertGroups => {
  const reads = createFairQueue({
    name: 'alert_reads',
    concurrency: database.concurrency.reads,
    max: maxSearchesPerTenant,
  })
  return {
    search: (search, { owner, signal }) =>
      reads.run(owner, (runStep) => searchGroups(database, search, runStep), signal),

    countOpen: (selection, { owner, signal }) =>
      reads.run(
        owner,
        async (runStep) => {
          const count = await runStep(() => countAlerts(database, selection))
          if (count === 0) return 0
          return countOpenAlerts(count, await runStep(() => countAcknowledged(database, selection)))
        },
        signal,
      ),
  }
}
