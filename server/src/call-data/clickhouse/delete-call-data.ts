import { hourMs } from '@patchbay/contract/shared/durations'
import type { Database } from '../../database/engine.ts'
import {
  type DetailIds,
  deleteReferences,
  type FindForeignIds,
  findOwnIds,
  listDetailIds,
} from '../deletion/delete-details.ts'
import type {
  DeletableRecordings,
  DeletedCall,
  DeletedRows,
  DeletionScope,
  DeletionStep,
  StepResult,
} from '../deletion/deletion.ts'
import { type ClickHouse, quoteAll } from './clickhouse.ts'
import { countRows, deleteFrom, startMarking, startRemoval, waitForDeletions } from './mutations.ts'
import { hasMovedAlerts, movedAlerts } from './return-alerts.ts'
import { receivedDay } from './schema.ts'

/** Deletes call data in ClickHouse. */

/** Each batch makes ClickHouse mark rows of a few partitions. */
const batchSize = 2000

const perMillisecond = 1_000_000n
const maxNanoseconds = 2n ** 63n - 1n

const toNanoseconds = (before: number | undefined): bigint =>
  before === undefined ? maxNanoseconds : BigInt(before) * perMillisecond

interface CallPosition {
  attempted_at: string
  call_key: string
}

type ListedCall = DeletedCall & CallPosition

const listCalls = (clickHouse: ClickHouse, scope: DeletionScope, after: CallPosition | undefined) =>
  clickHouse.query<ListedCall>(
    `SELECT attempted_at, call_key, if(has_call_sid, call_key, NULL) AS call_sid, sip_callid, sip_parent_callid,
       trace_id, recording_url
     FROM calls WHERE account_sid = {account:String} AND attempted_at <= {end:Int64}
       ${after ? 'AND (attempted_at, call_key) > ({at:Int64}, {key:String})' : ''}
     ORDER BY attempted_at, call_key LIMIT ${batchSize}`,
    {
      account: scope.sid,
      end: scope.before === undefined ? maxNanoseconds : toNanoseconds(scope.before) - 1n,
      ...(after ? { at: after.attempted_at, key: after.call_key } : {}),
    },
  )

/** The kinds of ids in `call_ids`. */
const idKinds = {
  trace_ids: ['trace_id'],
  call_sids: ['call_sid'],
  sip_callids: ['sip_callid', 'sip_parent_callid'],
} as const satisfies Record<keyof DetailIds, readonly string[]>

/** Finds the ids that calls of other accounts have. */
const createForeignIdSearch =
  (clickHouse: ClickHouse): FindForeignIds =>
  async (account_sid, ids) => {
    const find = async (name: keyof DetailIds): Promise<ReadonlySet<string>> => {
      if (ids[name].size === 0) return new Set()
      const hashes = (id: string) => `[${idKinds[name].map((kind) => `cityHash64('${kind}', ${id})`).join()}]`
      const all = `[${quoteAll(ids[name])}]`
      const rows = await clickHouse.query<{ id: string }>(
        `SELECT arrayJoin(${all}) AS id WHERE hasAny(${hashes('id')}, (
         SELECT groupUniqArray(id_hash) FROM call_ids
         WHERE account_sid != {account:String}
           AND id_hash IN (SELECT arrayJoin(arrayFlatten(arrayMap(one -> ${hashes('one')}, ${all}))))
       ))`,
        { account: account_sid },
      )
      return new Set(rows.map(({ id }) => id))
    }
    return {
      trace_ids: await find('trace_ids'),
      call_sids: await find('call_sids'),
      sip_callids: await find('sip_callids'),
    }
  }

/** Tables of details, the columns of their ids, and what a row of them counts as. */
const detailTables = [
  { table: 'trace_parts', id: 'trace_id', kind: 'traces', select: ({ trace_ids }: DetailIds) => [...trace_ids] },
  {
    table: 'log_parts',
    id: 'call_id',
    kind: 'logs',
    select: ({ call_sids, sip_callids }: DetailIds) => [...call_sids, ...sip_callids],
  },
  {
    table: 'sip_messages',
    id: 'sip_callid',
    kind: 'captures',
    select: ({ sip_callids }: DetailIds) => [...sip_callids],
  },
] as const

type DetailTable = (typeof detailTables)[number]

/** Marks rows of all days that contain them. Returns their number. */
const markRows = async (clickHouse: ClickHouse, table: string, days: string, condition: string): Promise<number> => {
  const rows = await clickHouse.query<{ day: string; rows: string }>(
    `SELECT ${receivedDay} AS day, count() AS rows
     FROM ${table} WHERE ${days} ${condition} GROUP BY day`,
    {},
  )
  for (const { day } of rows) await startMarking(clickHouse, table, `'${day}'`, condition)
  return rows.reduce((sum, row) => sum + Number(row.rows), 0)
}

const markDetails = async (clickHouse: ClickHouse, { table, id, select }: DetailTable, ids: DetailIds) => {
  const values = select(ids)
  if (values.length === 0) return 0
  const hashes = `SELECT cityHash64('${id}', arrayJoin([${quoteAll(values)}]))`
  const days = `${receivedDay} IN (SELECT day FROM id_days WHERE id_hash IN (${hashes})) AND`
  return markRows(clickHouse, table, days, `${id} IN (${quoteAll(values)})`)
}

const tablesOfDetails = detailTables.map(({ table }) => table)

/** Creates the step that deletes the spans, log lines, and captured SIP of an account's calls, which come later. */
const createDetailStep = (
  clickHouse: ClickHouse,
  database: Database,
  recordings: DeletableRecordings,
): DeletionStep => {
  const findForeignIds = createForeignIdSearch(clickHouse)
  return {
    name: 'clickhouse details',
    async run(scope, position, signal): Promise<StepResult> {
      if (scope.owner !== 'account_sid') return { deleted: {}, position: undefined }
      const calls = await listCalls(clickHouse, scope, position as CallPosition | undefined)
      const last = calls.at(-1)
      if (last === undefined) return { deleted: {}, position: undefined }
      // An earlier process can have started the same deletion, whose rows would be counted twice.
      await waitForDeletions(clickHouse, tablesOfDetails, signal)
      const deleted: DeletedRows = {
        recordings: scope.skipsStorage ? 0 : await recordings.deleteStored(scope.sid, calls),
      }
      const all = listDetailIds(calls)
      const ids = await findOwnIds(database, scope.sid, all, findForeignIds)
      for (const detail of detailTables) deleted[detail.kind] = await markDetails(clickHouse, detail, ids)
      await waitForDeletions(clickHouse, tablesOfDetails, signal)
      await deleteReferences(database, scope.sid, all.call_sids, ids)
      return { deleted, position: { attempted_at: last.attempted_at, call_key: last.call_key } }
    },
  }
}

/** Creates the step that deletes spans and log lines that name the account, but belong to no call of it. */
const createUnlinkedStep = (clickHouse: ClickHouse): DeletionStep => ({
  name: 'clickhouse unlinked',
  async run({ owner, sid, before }, _position, signal) {
    if (owner !== 'account_sid') return { deleted: {}, position: undefined }
    const end = before === undefined ? '' : ` AND received_at < ${before}`
    const condition = `account_sid = ${quoteAll([sid])}${end}`
    const traces = await markRows(clickHouse, 'trace_parts', '', condition)
    const logs = await markRows(clickHouse, 'log_parts', '', condition)
    await waitForDeletions(clickHouse, tablesOfDetails, signal)
    return { deleted: { traces, logs }, position: undefined }
  },
})

/**
 * Subtracts the sums of an account from those of its providers. A sum is unsigned, so the subtrahend is added as its
 * complement. If a process repeats this after a kill, ClickHouse recognizes the token.
 */
const subtractFromProviders = (clickHouse: ClickHouse, condition: string, token: string): Promise<void> => {
  const sums = ['calls', 'seconds', 'pdd_calls', 'pdd_milliseconds']
  return clickHouse.command(
    `INSERT INTO call_hours (owner_sid, hour, trunk, direction, answered, sip_status, provider_sid, ${sums.join(', ')})
     SETTINGS insert_deduplication_token = ${quoteAll([token])}
     SELECT provider_sid, hour, trunk, direction, answered, sip_status, '',
       ${sums.map((sum) => `toUInt64(-sum(call_hours.${sum}))`).join(', ')}
     FROM call_hours WHERE ${condition} AND provider_sid != ''
     GROUP BY provider_sid, hour, trunk, direction, answered, sip_status`,
  )
}

const ownTables = ['calls', 'call_costs', 'call_ids', 'call_hours', movedAlerts]

/** Creates the steps that delete sums, calls, and alerts of earlier versions, each with one statement. */
const createOwnSteps = (clickHouse: ClickHouse): DeletionStep[] => [
  {
    name: 'clickhouse sums',
    async run({ sid, before, run, owner }, _position, signal) {
      await waitForDeletions(clickHouse, ownTables, signal)
      const end = before === undefined ? '' : ` AND hour < ${Math.floor(before / hourMs)}`
      const condition = `owner_sid = ${quoteAll([sid])}${end}`
      if (owner === 'account_sid' && (await countRows(clickHouse, 'call_hours', condition)) > 0)
        await subtractFromProviders(clickHouse, condition, run)
      const counts = await deleteFrom(clickHouse, 'call_hours', condition)
      await waitForDeletions(clickHouse, ownTables, signal)
      return { deleted: { counts }, position: undefined }
    },
  },
  {
    name: 'clickhouse rows',
    async run({ sid, before, owner }, _position, signal) {
      await waitForDeletions(clickHouse, ownTables, signal)
      const own = `${owner} = ${quoteAll([sid])}`
      const end = (column: string) => (before === undefined ? '' : ` AND ${column} < ${toNanoseconds(before)}`)
      const hasAlerts = await hasMovedAlerts(clickHouse, signal)
      const alerts = hasAlerts ? await deleteFrom(clickHouse, movedAlerts, `${own}${end('raised_at')}`) : 0
      let calls = 0
      if (owner === 'account_sid') {
        calls = await deleteFrom(clickHouse, 'calls', `${own}${end('attempted_at')}`)
        for (const table of ['call_costs', 'call_ids'])
          await deleteFrom(clickHouse, table, `${own}${end('attempted_at')}`)
      }
      await waitForDeletions(clickHouse, ownTables, signal)
      return { deleted: { alerts, calls }, position: undefined }
    },
  },
]

/** Creates the step that removes the details from the disk, whose rows are only marked before. */
const createRemovalStep = (clickHouse: ClickHouse): DeletionStep => ({
  name: 'clickhouse removal',
  async run({ owner }, _position, signal) {
    if (owner === 'account_sid') {
      for (const table of tablesOfDetails) await startRemoval(clickHouse, table)
      await waitForDeletions(clickHouse, tablesOfDetails, signal)
    }
    return { deleted: {}, position: undefined }
  },
})

/**
 * Creates the steps for the data in ClickHouse.
 * @param database contains what is not in ClickHouse, such as the traces that name calls
 */
export const createClickHouseSteps = (
  clickHouse: ClickHouse,
  database: Database,
  recordings: DeletableRecordings,
): DeletionStep[] => [
  createDetailStep(clickHouse, database, recordings),
  createUnlinkedStep(clickHouse),
  ...createOwnSteps(clickHouse),
  createRemovalStep(clickHouse),
]
