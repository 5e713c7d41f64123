import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { dayMs } from '@patchbay/contract/shared/durations'
import type { AlertRecord } from '@patchbay/server/call-data/alerts/alert-record'
import type { CallRecord } from '@patchbay/server/call-data/calls/call-record'
import type { ReceivedMessage } from '@patchbay/server/call-data/captures/captures'
import type {
  ClaimedConversation,
  ComputedConversation,
} from '@patchbay/server/call-data/conversations/store-conversation'
import { createUnfinishedPath } from '@patchbay/server/call-data/recordings/file-recordings'
import { storeSpans } from '@patchbay/server/call-data/traces/trace-parts'
import { toResponseSpans } from '@patchbay/server/call-data/traces/trace-response'
import { platformTables } from '@patchbay/server/database/platform-schema'
import type { Tables } from '@patchbay/server/database/tables'
import type { Answer, Caller, TestApi } from '@patchbay/testkit/test-api'
import { type AccountThings, newMailbox } from '@patchbay/testkit/test-world'

/** Shared fixtures of the API tests. */

export type Row = Readonly<Record<string, unknown>>

/** Sorts strings, to compare lists whose order does not matter. */
export const sorted = (values: readonly unknown[]): string[] => values.map(String).toSorted()

/** Returns the rows of a response that is a list. */
export const getRows = ({ status, body, text }: Answer): Row[] => {
  if (!Array.isArray(body)) throw new Error(`no list in ${status} ${text}`)
  return body as Row[]
}

/** Returns the body of a response that is an object. */
export const getRow = ({ status, body, text }: Answer): Row => {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Error(`no object in ${status} ${text}`)
  return body as Row
}

/** A page of audit entries or call data, as returned by the API. */
export interface RowPage {
  total: unknown
  page: unknown
  page_size: unknown
  data: Row[]
}

/** Requests the first page unless the query says otherwise. The app itself validates responses against the contract. */
export const readPage = async (caller: Caller, path: string, query: Record<string, string>): Promise<RowPage> => {
  const search = new URLSearchParams({ page: '1', count: '25', ...query })
  return getRow(await caller.get(`${path}?${search.toString()}`)) as unknown as RowPage
}

/** Returns nanoseconds since the Unix epoch for milliseconds since the epoch or a timestamp. */
export const nanosecondsAt = (at: number | string): bigint =>
  BigInt(typeof at === 'number' ? at : Date.parse(at)) * 1_000_000n

export const getMessage = (answer: Answer): unknown => (answer.text === '' ? undefined : getRow(answer)['msg'])

/** Returns status and message, for error responses. */
export const statusAndMessage = (answer: Answer): [number, unknown] => [answer.status, getMessage(answer)]

const tableNames = [...Object.keys(platformTables), 'patchbay_sessions'] as (keyof Tables)[]

const ofTable = async ({ test: { database } }: TestApi, table: keyof Tables): Promise<[string, string]> => {
  const rows: object[] = await database.db.selectFrom(table).selectAll().execute()
  // Every request with an API key updates its `last_used`, even a denied one.
  const serializedRows = rows.map((row) =>
    JSON.stringify(row, (member, value: unknown) => (member === 'last_used' ? null : value)),
  )
  return [table, serializedRows.toSorted().join('\n')]
}

/** Returns the content of all tables of the API. Equal before and after an operation that changes nothing. */
export const snapshot = async (api: TestApi): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(await Promise.all(tableNames.map((table) => ofTable(api, table))))

/** Counts the occurrences of a value in all tables. Returns an empty object if it does not occur. */
export const countMentions = async (api: TestApi, value: string): Promise<Readonly<Record<string, number>>> => {
  const counted = Object.entries(await snapshot(api)).map(
    ([table, text]) => [table, text.split(value).length - 1] as const,
  )
  return Object.fromEntries(counted.filter(([, count]) => count > 0))
}

/** Returns whether an endpoint requires a page in its query. */
export const isPaged = (key: string): boolean =>
  /RecentCalls$|Alerts$|audit-trail$|deliveries$|patchbay\/phone-numbers$|api-keys$|alert-groups$|health-changes$/.test(
    key,
  )

const parents: Readonly<Record<string, keyof AccountThings>> = {
  'GET /SipGateways': 'voip_carrier_sid',
  'GET /SmppGateways': 'voip_carrier_sid',
  'GET /patchbay/carrier-health': 'voip_carrier_sid',
  'GET /patchbay/gateway-counts': 'voip_carrier_sid',
  'GET /GoogleCustomVoices': 'speech_credential_sid',
  'GET /LcrRoutes': 'lcr_sid',
  'GET /LcrCarrierSetEntries': 'lcr_route_sid',
}

const oneWeekAgo = new Date(Date.now() - 7 * dayMs).toISOString()

/** Returns the required query parameters of an endpoint, such as the carrier of gateways. */
export const parentQuery = (key: string, things: AccountThings): string => {
  if (key === 'GET /patchbay/inbound-routing') return '?source=10.1.1.1&number=1&realm=10.0.0.1'
  if (/(?:call-quality|conversation-quality|\/conversations|\/reviews(?:\.csv|\.jsonl)?)$/.test(key))
    return '?from=2026-11-01&until=2026-11-30'
  if (key.endsWith('ConversationSearch')) return '?q=hello&page=1&count=25'
  if (key === 'GET /Availability') return '?type=subdomain&value=free.sip.example.org'
  if (key.endsWith('new-alerts')) return '?count=25'
  // The response repeats the end of the period, which is now by default.
  if (key.endsWith('/overview')) return `?last_week_until=${oneWeekAgo}`
  if (key.endsWith('list-settings')) return '?screen=recent-calls'
  if (key.endsWith('call-legs')) return '?sip_callid=nobody'
  if (key.includes('/call-report.')) return '?sip_callid=nobody&numbers=masked&addresses=all'
  if (key === 'GET /patchbay/alert-acknowledgments')
    return '?alert_type=no-tts&object_kind=vendor&object_id=google&time=2026-11-01T10:00:00Z'
  // No server listens at this address.
  if (key === 'GET /AppEnv') return '?url=http://127.0.0.1:1'
  if (key.endsWith('supportedLanguagesAndVoices')) return '?vendor=nvidia'
  const parent = parents[key]
  return parent ? `?${parent}=${things[parent]}` : ''
}

/** A call record with overridable fields. */
export const callRecord = (account_sid: string, more: Partial<CallRecord> = {}): CallRecord => ({
  time: 1_700_000_000_000_000_000n,
  account_sid,
  service_provider_sid: null,
  call_sid: randomUUID(),
  direction: 'inbound',
  answered: true,
  answered_at: null,
  terminated_at: null,
  duration: 0,
  from: '15083728299',
  to: '15083084809',
  host: '10.0.0.5',
  remote_host: '3.3.3.3',
  trunk: 'a trunk',
  application_sid: null,
  sip_callid: randomUUID(),
  sip_parent_callid: null,
  sip_status: 200,
  termination_reason: 'caller hungup',
  trace_id: null,
  recording_url: null,
  cost: null,
  rate: null,
  billed_seconds: null,
  extra: {},
  ...more,
})

/** Creates an unconfirmed email destination of an account, for which no confirmation mail has been sent. */
export const storeMailbox = async ({ test: { database } }: TestApi, account_sid: string) => {
  const mailbox = { alert_destination_sid: randomUUID(), target: `${randomUUID()}@example.org` }
  await database.db
    .insertInto('patchbay_alert_destinations')
    .values({ ...newMailbox, ...mailbox, account_sid })
    .execute()
  return mailbox
}

/** An alert with overridable fields. */
export const alertRecord = (more: Partial<AlertRecord> = {}): AlertRecord => ({
  time: 1_700_000_000_000_000_000n,
  account_sid: null,
  service_provider_sid: null,
  alert_type: 'webhook-failure',
  message: 'https://example.org returned 503',
  detail: null,
  target_sid: null,
  vendor: null,
  extra: {},
  ...more,
})

/** A span in OTLP JSON. */
export const otlpSpan = (trace_id: string, more: Row = {}): Row => ({
  traceId: trace_id,
  spanId: randomUUID().replaceAll('-', '').slice(0, 16),
  name: 'incoming-call',
  startTimeUnixNano: '1700000000000000000',
  endTimeUnixNano: '1700000001000000000',
  attributes: [],
  ...more,
})

/** Stores a trace with one span. Returns its id. */
export const storeTrace = async (
  { sinks }: Pick<TestApi, 'sinks'>,
  more: Row = {},
  trace_id = randomUUID().replaceAll('-', ''),
): Promise<string> => {
  const { traces } = toResponseSpans([{ scopeSpans: [{ spans: [otlpSpan(trace_id, more)] }] }])
  await storeSpans(sinks.traces, trace_id, traces.get(trace_id) ?? [])
  return trace_id
}

interface CallOwner {
  account_sid: string
  service_provider_sid: string
}

/** Returns a conversation to store, of a call that this process has claimed. */
export const claimConversation = (
  conversation: Omit<ComputedConversation, 'trace_id' | 'sip_callid'>,
): ClaimedConversation => {
  const { account_sid, call_sid } = conversation
  return {
    conversation: { ...conversation, trace_id: null, sip_callid: null },
    claimed: { account_sid, call_sid, due_at: 0, attempts: 1 },
    repeatAt: undefined,
  }
}

/** Stores a call. Returns its sid. */
export const storeCall = async (
  api: TestApi,
  { account_sid, ...more }: CallOwner & { trace_id?: string; recording_url?: string },
  call_sid: string = randomUUID(),
): Promise<string> => {
  await api.sinks.calls.store([callRecord(account_sid, { ...more, call_sid })])
  return call_sid
}

/** Stores a call, and its trace unless it already exists. Returns the trace id. */
export const storeTracedCall = async (
  api: TestApi,
  { account_sid, ...more }: CallOwner,
  existingTraceId?: string,
): Promise<string> => {
  const trace_id = existingTraceId ?? (await storeTrace(api))
  await api.sinks.calls.store([callRecord(account_sid, { ...more, trace_id })])
  return trace_id
}

/** A captured SIP message with overridable fields. */
export const seenMessage = (sip_callid: string, more: Partial<ReceivedMessage> = {}): ReceivedMessage => {
  const method = more.method ?? 'INVITE'
  const lines = [
    `${method} sip:15083084809@10.0.0.5 SIP/2.0`,
    'Via: SIP/2.0/UDP 3.3.3.3:5060;branch=z9hG4bK776asdhds',
    'From: <sip:15083728299@3.3.3.3>;tag=1928301774',
    'To: "Desk, \\"north\\"" <sip:15083084809@10.0.0.5>',
    `Call-ID: ${sip_callid}`,
    `CSeq: 314159 ${method}`,
    'Content-Length: 0',
  ]
  return {
    sip_callid,
    method,
    at: 1_700_000_000_123_456,
    transport: 17,
    source: { address: '3.3.3.3', port: 5060 },
    destination: { address: '10.0.0.5', port: 5070 },
    content: Buffer.from(`${lines.join('\r\n')}\r\n\r\n`),
    ...more,
  }
}

/** Stores a call, and one captured message of it unless it already exists. Returns its Call-ID. */
export const storeCapturedCall = async (
  api: TestApi,
  { account_sid, ...more }: CallOwner,
  sip_callid: string = randomUUID(),
): Promise<string> => {
  await api.sinks.captures.store([seenMessage(sip_callid)])
  await api.sinks.calls.store([callRecord(account_sid, { ...more, sip_callid })])
  return sip_callid
}

/** Stores a call and a short recording. Returns the path of the recording below its owner. */
export const storeRecordedCall = async (
  { services, sinks }: TestApi,
  { account_sid, ...more }: { account_sid: string; service_provider_sid: string },
  call_sid: string = randomUUID(),
): Promise<string> => {
  const path = `/RecentCalls/${call_sid}/record/2026/05/01/mp3`
  const recording_url = `/Accounts/${account_sid}${path}`
  await sinks.calls.store([callRecord(account_sid, { ...more, call_sid, recording_url })])
  const file = await createUnfinishedPath(services.configuration.dataDir)
  await writeFile(file, 'a recording')
  const name = { call_sid, day: '2026-05-01', format: 'mp3' } as const
  await services.recordings.store({ account_sid, name, file, metadata: {}, recording_id: randomUUID() })
  return path
}
