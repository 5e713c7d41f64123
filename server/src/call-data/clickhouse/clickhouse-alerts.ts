import { maxAlertGroups } from '@patchbay/contract/shared/alert-groups'
import type { Database } from '../../database/engine.ts'
import { createFairQueue, type RunStep } from '../../lib/fair-queue.ts'
import { fromNearerEnd } from '../../lib/nearer-end.ts'
import { selectAcknowledgments, wholeGroup } from '../alerts/acknowledgments.ts'
import {
  type AlertGroups,
  type AlertGroupSearch,
  type AlertSelection,
  type CountedGroup,
  countOpenAlerts,
  type FoundGroup,
  type FoundGroups,
  toFoundGroups,
} from '../alerts/alert-groups.ts'
import type { AlertKey, Alerts, AlertSearch } from '../alerts/alerts.ts'
import { split, toNanoseconds } from '../calls/nanosecond-timestamps.ts'
import { type CallOwner, maxSearchesPerTenant, ownerColumn, toWindow } from '../calls/search-options.ts'
import { alertColumns, type AlertRow, rowToAlert } from './alert-rows.ts'
import { inWindow, joinConditions, ofOwner, type Where, writeConditions } from './call-conditions.ts'
import { type ClickHouse, quoteAll } from './clickhouse.ts'

/** Alerts and their groups in ClickHouse. Two processes can have stored the same alert; it is counted and listed once. */

const concurrency = 4

/** Identifies an alert among those of an owner. */
const key = '(raised_at, fingerprint)'

const toWhere = (selection: AlertSelection): Where => {
  const { alert_type } = selection
  return joinConditions(ofOwner(selection.owner), inWindow(toWindow(selection), 'raised_at'), {
    conditions: alert_type ? ['alert_type = {alert_type:String}'] : [],
    parameters: alert_type ? { alert_type } : {},
  })
}

type Signal = AbortSignal | undefined

const countAlerts = async (clickHouse: ClickHouse, selection: AlertSelection, signal: Signal): Promise<number> => {
  const where = toWhere(selection)
  const [row] = await clickHouse.query<{ total: string }>(
    `SELECT uniqExact(${key}) AS total FROM alerts WHERE ${writeConditions(where)}`,
    where.parameters,
    signal,
  )
  return Number(row?.total ?? 0)
}

/** Finds the page by its keys, from the nearer end of the list, and reads only the rows of that page. */
const selectPage = (
  clickHouse: ClickHouse,
  search: AlertSearch,
  total: number,
  signal: Signal,
): Promise<AlertRow[]> => {
  const { direction, limit, offset } = fromNearerEnd(total, search.pageSize, (search.page - 1) * search.pageSize)
  const order = direction === 'forward' ? 'DESC' : 'ASC'
  const where = toWhere(search)
  const conditions = writeConditions(where)
  return clickHouse.query<AlertRow>(
    `SELECT ${alertColumns} FROM alerts
     WHERE ${conditions} AND ${key} IN (
       SELECT raised_at, fingerprint FROM alerts WHERE ${conditions}
       ORDER BY raised_at ${order}, fingerprint ${order} LIMIT 1 BY raised_at, fingerprint
       LIMIT {limit:UInt32} OFFSET {offset:UInt64}
     )
     ORDER BY raised_at DESC, fingerprint DESC LIMIT 1 BY raised_at, fingerprint`,
    { ...where.parameters, limit, offset },
    signal,
  )
}

const selectMessages = async (
  clickHouse: ClickHouse,
  owner: CallOwner,
  keys: readonly AlertKey[],
): Promise<ReadonlyMap<string, string>> => {
  const where = ofOwner(owner)
  const times = keys.map(({ raised_at, raised_ns }) => toNanoseconds(raised_at, raised_ns))
  const rows = await clickHouse.query<{ fingerprint: string; message: string }>(
    `SELECT fingerprint, any(message) AS message FROM alerts
     WHERE ${writeConditions(where)} AND raised_at IN (${times.join()})
       AND fingerprint IN (${quoteAll(keys.map(({ fingerprint }) => fingerprint))})
     GROUP BY fingerprint`,
    where.parameters,
  )
  return new Map(rows.map(({ fingerprint, message }) => [fingerprint, message]))
}

const selectGroups = async (clickHouse: ClickHouse, selection: AlertSelection, signal: Signal) => {
  const where = toWhere(selection)
  const rows = await clickHouse.query<{ group_key: string; count: string; first_at: string; last_at: string }>(
    `SELECT group_key, uniqExact(${key}) AS count, min(raised_at) AS first_at, max(raised_at) AS last_at
     FROM alerts WHERE ${writeConditions(where)}
     GROUP BY group_key ORDER BY last_at DESC, group_key LIMIT ${maxAlertGroups}`,
    where.parameters,
    signal,
  )
  return rows.map(({ group_key, count, first_at, last_at }) => ({
    key: group_key,
    count: Number(count),
    firstAt: split(BigInt(first_at)).milliseconds,
    lastAt: split(BigInt(last_at)).milliseconds,
  }))
}

/** Number of acknowledgments that a statement contains. */
const acknowledgmentBatchSize = 10_000

/** Reads the ends of the acknowledgments of whole groups, and the acknowledged single alerts. */
const readAcknowledgments = async (database: Database, selection: AlertSelection) => {
  const rows = await selectAcknowledgments(database, selection.owner, toWindow(selection).from)
    .select(['group_key', 'until_at', 'single_ns'])
    .execute()
  const reach = new Map<string, bigint>()
  const singles = new Map<string, bigint[]>()
  for (const { group_key, until_at, single_ns } of rows)
    if (single_ns === wholeGroup) {
      const end = toNanoseconds(until_at, 999_999)
      const previous = reach.get(group_key)
      if (previous === undefined || end > previous) reach.set(group_key, end)
    } else singles.set(group_key, [...(singles.get(group_key) ?? []), toNanoseconds(until_at, single_ns)])
  return { reach, singles, keys: [...new Set(rows.map(({ group_key }) => group_key))] }
}

/** Counts the acknowledged alerts of each group. */
const countAcknowledged = async (
  clickHouse: ClickHouse,
  database: Database,
  selection: AlertSelection,
  signal: Signal,
): Promise<ReadonlyMap<string, number>> => {
  const { reach, singles, keys } = await readAcknowledgments(database, selection)
  const where = toWhere(selection)
  const counts = new Map<string, number>()
  for (let from = 0; from < keys.length; from += acknowledgmentBatchSize) {
    const some = keys.slice(from, from + acknowledgmentBatchSize)
    const wholes = some.filter((group_key) => reach.has(group_key))
    const pairs = some.flatMap((group_key) =>
      (singles.get(group_key) ?? []).map((at) => `(${quoteAll([group_key])}, ${at})`),
    )
    const conditions = [
      ...(wholes.length > 0
        ? [
            `raised_at <= transform(group_key, [${quoteAll(wholes)}],
               CAST([${wholes.map((group_key) => reach.get(group_key)).join()}] AS Array(Int64)), toInt64(-9223372036854775808))`,
          ]
        : []),
      ...(pairs.length > 0 ? [`(group_key, raised_at) IN (${pairs.join()})`] : []),
    ]
    const rows = await clickHouse.query<{ group_key: string; count: string }>(
      `SELECT group_key, uniqExact(${key}) AS count FROM alerts
       WHERE ${writeConditions(where)} AND group_key IN (${quoteAll(some)}) AND (${conditions.join(' OR ')})
       GROUP BY group_key`,
      where.parameters,
      signal,
    )
    for (const { group_key, count } of rows) counts.set(group_key, Number(count))
  }
  return counts
}

/** Adds the newest alert to the groups of a page. */
const addNewest = async (
  clickHouse: ClickHouse,
  selection: AlertSelection,
  groups: readonly CountedGroup[],
  signal: Signal,
): Promise<FoundGroup[]> => {
  const where = toWhere(selection)
  const rows = await clickHouse.query<AlertRow>(
    `SELECT ${alertColumns} FROM alerts
     WHERE ${writeConditions(where)} AND group_key IN (${quoteAll(groups.map((group) => group.key))})
     ORDER BY raised_at DESC, fingerprint DESC LIMIT 1 BY group_key`,
    where.parameters,
    signal,
  )
  const newest = new Map(rows.map((row) => [row.group_key, rowToAlert(row)]))
  return groups.flatMap((group) => {
    const alert = newest.get(group.key)
    return alert === undefined ? [] : [{ ...group, newest: alert }]
  })
}

/** Creates the search of alerts in ClickHouse. */
export const createClickHouseAlerts = (clickHouse: ClickHouse): Alerts => {
  const reads = createFairQueue({ name: 'alert_reads', concurrency, max: maxSearchesPerTenant })
  return {
    search: (search, { owner, signal } = { owner: 'patchbay' }) =>
      reads.run(
        owner,
        async (runStep) => {
          const total = await runStep(() => countAlerts(clickHouse, search, signal))
          const isBeyondLastPage = (search.page - 1) * search.pageSize >= total
          const rows = isBeyondLastPage ? [] : await runStep(() => selectPage(clickHouse, search, total, signal))
          return { total, alerts: rows.map(rowToAlert) }
        },
        signal,
      ),
    findMessages: async (owner, keys) =>
      keys.length === 0
        ? new Map()
        : reads.run(ownerColumn(owner)[1], (runStep) => runStep(() => selectMessages(clickHouse, owner, keys))),
  }
}

const searchGroups = async (
  clickHouse: ClickHouse,
  database: Database,
  search: AlertGroupSearch,
  runStep: RunStep,
  signal: Signal,
): Promise<FoundGroups> => {
  const alertCount = await runStep(() => countAlerts(clickHouse, search, signal))
  const groups = alertCount === 0 ? [] : await runStep(() => selectGroups(clickHouse, search, signal))
  const acknowledged =
    alertCount === 0
      ? new Map<string, number>()
      : await runStep(() => countAcknowledged(clickHouse, database, search, signal))
  return toFoundGroups({ search, alertCount, groups, acknowledged }, (page) =>
    runStep(() => addNewest(clickHouse, search, page, signal)),
  )
}

/**
 * Creates the reader of groups of alerts in ClickHouse.
 * @param database contains the acknowledgments
 */
export const createClickHouseAlertGroups = (clickHouse: ClickHouse, database: Database): AlertGroups => {
  const reads = createFairQueue({ name: 'alert_reads', concurrency, max: maxSearchesPerTenant })
  return {
    search: (search, { owner, signal }) =>
      reads.run(owner, (runStep) => searchGroups(clickHouse, database, search, runStep, signal), signal),

    countOpen: (selection, { owner, signal }) =>
      reads.run(
        owner,
        async (runStep) => {
          const count = await runStep(() => countAlerts(clickHouse, selection, signal))
          if (count === 0) return 0
          return countOpenAlerts(count, await runStep(() => countAcknowledged(clickHouse, database, selection, signal)))
        },
        signal,
      ),
  }
}
