import { randomUUID } from 'node:crypto'
import type { DataDeletion } from '@patchbay/contract/data-deletions'
import type { Call } from '@patchbay/contract/recent-calls'
import { packContributions } from '@patchbay/server/call-data/conversations/conversation-day-sums'
import type { DeletionStep } from '@patchbay/server/call-data/deletion/deletion'
import type { Table } from '@patchbay/server/database/columns'
import { gzipJson } from '@patchbay/server/database/gzip-json'
import { ownTables } from '@patchbay/server/database/patchbay-schema'
import { createDeletionJob } from '@patchbay/server/jobs/delete-call-data'
import { isClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import type { TestApi } from '@patchbay/testkit/test-api'
import { sql } from 'kysely'
import { alertRecord, callRecord, seenMessage, storeTrace } from './fixtures.ts'

/** Stores call data of all kinds for an account, and deletes it by the job. */

export interface Tenant {
  account_sid: string
  service_provider_sid: string
}

/** Ids of a stored call. */
export interface StoredData {
  call_sid: string
  trace_id: string
  sip_callid: string
  /** Trace of another program, which names the call. */
  linked_trace_id: string
}

/** 2023-11-14T22:13:20Z */
export const firstCallMs = 1_700_000_000_000

const toNanoseconds = (milliseconds: number): bigint => BigInt(milliseconds) * 1_000_000n

/** Stores a call with its trace, log line, SIP, and alert. */
export const storeCall = async (
  api: TestApi,
  { account_sid, service_provider_sid }: Tenant,
  more: { at?: number; trace_id?: string; sip_callid?: string } = {},
): Promise<StoredData> => {
  const call_sid = randomUUID()
  const time = toNanoseconds(more.at ?? firstCallMs)
  const trace_id = more.trace_id ?? (await storeTrace(api))
  const linked_trace_id = await storeTrace(api)
  const sip_callid = more.sip_callid ?? randomUUID()
  const call = { service_provider_sid, call_sid, trace_id, sip_callid, time, application_sid: randomUUID() }
  await api.sinks.calls.store([callRecord(account_sid, { ...call, duration: 5 })])
  await api.sinks.alerts.store([alertRecord({ account_sid, service_provider_sid, time, message: randomUUID() })])
  await api.sinks.logs.store([{ call_id: call_sid, text: JSON.stringify({ callSid: call_sid, msg: 'hello' }) }])
  await api.sinks.captures.store([seenMessage(sip_callid)])
  await api.test.database.db
    .insertInto('patchbay_trace_links')
    .values({ call_id: call_sid, trace_id: linked_trace_id, received_at: firstCallMs })
    .execute()
  return { call_sid, trace_id, sip_callid, linked_trace_id }
}

/** Returns which details of a call are stored. */
export const readDetails = async (
  { services }: TestApi,
  { call_sid, trace_id, sip_callid, linked_trace_id }: StoredData,
) => {
  const call = { call_sid, sip_callid: null } as Call
  return {
    trace: (await services.traces.read(trace_id)) !== undefined,
    linked: (await services.traces.read(linked_trace_id)) !== undefined,
    sip: (await services.captures.pcap(sip_callid, 'invite')) !== undefined,
    log: ((await services.logs?.read(call)) ?? []).length > 0,
  }
}

/** Tables that do not contain call data, although their rows name an account. */
const otherTables = new Set([
  'patchbay_alert_destinations',
  'patchbay_audit_trail',
  'patchbay_audit_latest',
  'patchbay_billing',
  'patchbay_conversation_limits',
  'patchbay_data_deletions',
  'patchbay_realm_records',
  'patchbay_registrations',
  // Keeps the transcripts of a deleted account invisible until they are deleted.
  'patchbay_transcript_settings',
])

/** Returns the tables of call data that name an account, and the column. A new table is tested without a change here. */
export const ownedTables = (): { table: keyof typeof ownTables; column: string; definition: Table }[] =>
  Object.entries<Table>(ownTables).flatMap(([name, definition]) => {
    const column = ['account_sid', 'owner_sid'].find((candidate) => candidate in definition.columns)
    // Alerts are moved to ClickHouse at any time.
    const isMoved = isClickHouse && name === 'patchbay_alerts'
    return column === undefined || otherTables.has(name) || isMoved
      ? []
      : [{ table: name as keyof typeof ownTables, column, definition }]
  })

/** Returns the number of rows of an account in each table. */
export const countRows = async ({ test }: TestApi, owner: string): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { table, column } of ownedTables()) {
    const { rows } = await sql<{ count: number | string }>`
      SELECT COUNT(*) AS count FROM ${sql.table(table)} WHERE ${sql.ref(column)} = ${owner}`.execute(test.database.db)
    counts[table] = Number(rows[0]?.count)
  }
  return counts
}

/** Inserts a row of an account into each table without one. */
export const fillTables = async (api: TestApi, { account_sid, service_provider_sid }: Tenant): Promise<void> => {
  const counts = await countRows(api, account_sid)
  const contents: Readonly<Record<string, Uint8Array>> = {
    patchbay_conversations: await packContributions([
      { dimension: 'all', value: '', measure: 'conversations', bucket: 0, amount: 1 } as never,
    ]),
    patchbay_transcripts: (await gzipJson({ turns: [] })).content,
  }
  for (const { table, column, definition } of ownedTables()) {
    if (counts[table] !== 0) continue
    const values = Object.entries(definition.columns).map(([name, { kind }]) => {
      if (name === column) return account_sid
      if (name === 'service_provider_sid') return service_provider_sid
      if (name === 'transcript_id') return Math.floor(Math.random() * 2 ** 40)
      if (kind.is === 'bytes') return contents[table] ?? Buffer.from('{}')
      if (kind.is === 'text' || kind.is === 'sid' || kind.is === 'longText') return randomUUID().slice(0, 8)
      return 1
    })
    const names = Object.keys(definition.columns).map((name) => sql.ref(name))
    await sql`INSERT INTO ${sql.table(table)} (${sql.join(names)}) VALUES (${sql.join(values)})`.execute(
      api.test.database.db,
    )
  }
}

export interface RunOptions {
  now?: () => number
  steps?: readonly DeletionStep[]
  signal?: AbortSignal
  onError?: (error: unknown) => void
}

/** Runs the job once. */
export const runDeletions = (
  { services }: TestApi,
  { now = Date.now, steps = services.deletionSteps, signal = new AbortController().signal, onError }: RunOptions = {},
): Promise<void> =>
  createDeletionJob({
    database: services.database,
    steps,
    onBackgroundError: (error) => {
      if (onError === undefined) throw error
      onError(error)
    },
    now,
    signal,
    maxPauseMs: 0,
  })()

/** Returns the deletions of an account, newest first. */
export const listDeletions = async ({ admin }: TestApi, account_sid: string): Promise<DataDeletion[]> =>
  (await admin.get(`/patchbay/Accounts/${account_sid}/DataDeletions`)).body as DataDeletion[]
