import type { Scope } from '@patchbay/contract/access'
import type { TokenClaims } from '@patchbay/contract/sessions'
import { platformTables } from '@patchbay/server/database/platform-schema'
import type { Encryption } from '@patchbay/server/lib/encryption'
import type { Tables } from '@patchbay/server/database/tables'
import { createSqlCalls } from '@patchbay/server/call-data/calls/sql-calls'
import type { SeenMessage } from '@patchbay/server/call-data/captures/captures'
import { createSqlCaptures } from '@patchbay/server/call-data/captures/sql-captures'
import { createUnfinishedPath } from '@patchbay/server/call-data/recordings/file-recordings'
import { createSqlTraces } from '@patchbay/server/call-data/traces/sql-traces'
import { toResponseSpans } from '@patchbay/server/call-data/traces/trace-response'
import type { AlertRecord, CallRecord } from '@patchbay/server/call-data/ingest/parse-call-point'
import { type Answer, type Caller, type TestApi, testSecret } from '@patchbay/testkit/test-api'
import { SignJWT } from 'jose'
import type { Transaction } from 'kysely'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'

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
  /RecentCalls$|Alerts$|audit-trail$|deliveries$|patchbay\/phone-numbers$/.test(key)

const parents: Readonly<Record<string, keyof AccountThings>> = {
  'GET /SipGateways': 'voip_carrier_sid',
  'GET /SmppGateways': 'voip_carrier_sid',
  'GET /patchbay/gateway-counts': 'voip_carrier_sid',
  'GET /GoogleCustomVoices': 'speech_credential_sid',
  'GET /LcrRoutes': 'lcr_sid',
  'GET /LcrCarrierSetEntries': 'lcr_route_sid',
}

/** Returns the required query parameters of an endpoint, such as the carrier of gateways. */
export const parentQuery = (key: string, things: AccountThings): string => {
  if (key === 'GET /patchbay/inbound-routing') return '?source=10.1.1.1&number=1&realm=10.0.0.1'
  if (key.endsWith('call-quality')) return '?from=2026-11-01&until=2026-11-30'
  if (key === 'GET /Availability') return '?type=subdomain&value=free.sip.example.org'
  if (key.endsWith('call-legs')) return '?sip_callid=nobody'
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

const newMailbox = {
  name: 'on call',
  kind: 'email',
  target: 'operator@example.org',
  types: '[]',
  is_active: 1 as const,
  claimed_until: 0,
  minute_at: 0,
  minute_sent: 0,
  left_out: 0,
}

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
export const storeTrace = async ({ test: { database } }: TestApi, more: Row = {}): Promise<string> => {
  const trace_id = randomUUID().replaceAll('-', '')
  const { traces } = toResponseSpans([{ scopeSpans: [{ spans: [otlpSpan(trace_id, more)] }] }])
  await createSqlTraces(database).store([{ trace_id, resourceSpans: traces.get(trace_id) ?? [] }])
  return trace_id
}

interface CallOwner {
  account_sid: string
  service_provider_sid: string
}

/** Stores a call. Returns its sid. */
export const storeCall = async (
  api: TestApi,
  { account_sid, ...more }: CallOwner,
  call_sid: string = randomUUID(),
): Promise<string> => {
  await createSqlCalls(api.test.database).store([callRecord(account_sid, { ...more, call_sid })])
  return call_sid
}

/** Stores a call, and its trace unless it already exists. Returns the trace id. */
export const storeTracedCall = async (
  api: TestApi,
  { account_sid, ...more }: CallOwner,
  existingTraceId?: string,
): Promise<string> => {
  const trace_id = existingTraceId ?? (await storeTrace(api))
  await createSqlCalls(api.test.database).store([callRecord(account_sid, { ...more, trace_id })])
  return trace_id
}

/** A captured SIP message with overridable fields. */
export const seenMessage = (sip_callid: string, more: Partial<SeenMessage> = {}): SeenMessage => {
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
  await createSqlCaptures(api.test.database).store([seenMessage(sip_callid)])
  await createSqlCalls(api.test.database).store([callRecord(account_sid, { ...more, sip_callid })])
  return sip_callid
}

/** Stores a call and a short recording. Returns the path of the recording below its owner. */
export const storeRecordedCall = async (
  { services, test: { database } }: TestApi,
  { account_sid, ...more }: { account_sid: string; service_provider_sid: string },
  call_sid: string = randomUUID(),
): Promise<string> => {
  await createSqlCalls(database).store([callRecord(account_sid, { ...more, call_sid })])
  const file = await createUnfinishedPath(services.configuration.dataDir)
  await writeFile(file, 'a recording')
  const name = { call_sid, day: '2026-05-01', format: 'mp3' } as const
  await services.recordings.store({ account_sid, name, file, metadata: {}, recording_id: randomUUID() })
  return `/RecentCalls/${call_sid}/record/2026/05/01/mp3`
}

export const worldPassword = 'Pass-of-the-w0rld'

/** Scope of a user or key. Both values are null for the platform itself. */
interface ScopedOwner {
  account_sid: string | null
  service_provider_sid: string | null
}

export interface WorldUser extends ScopedOwner {
  user_sid: string
  name: string
  is_view_only: boolean
  force_change: 0 | 1
}

export interface WorldKey extends ScopedOwner {
  api_key_sid: string
  token: string
}

/** A resource of each kind for one account. */
export interface AccountThings {
  alert_destination_sid: string
  application_sid: string
  phone_number_sid: string
  ms_teams_tenant_sid: string
  client_sid: string
  voip_carrier_sid: string
  sip_gateway_sid: string
  smpp_gateway_sid: string
  speech_credential_sid: string
  google_custom_voice_sid: string
  lcr_sid: string
  lcr_route_sid: string
  lcr_carrier_set_entry_sid: string
}

/**
 * Two providers: P with the accounts A and A2, and Q with the account B, with users and API keys of every kind. The
 * rows are inserted directly into the database, so that tests can create many worlds quickly.
 */
export interface World {
  /** Sids by name. */
  sid: Readonly<Record<'P' | 'Q' | 'A' | 'A2' | 'B', string>>
  users: Readonly<Record<UserName, WorldUser>>
  keys: Readonly<Record<KeyName, WorldKey>>
  /** Sids of the resources of each account, by kind. */
  things: Readonly<Record<'A' | 'A2' | 'B', AccountThings>>
  /** Sids, names, realms, tokens, and addresses that occur only in these scopes. */
  marks: Readonly<Record<'P' | 'A', readonly string[]>>
}

const userNames = [
  'user of A',
  'another user of A',
  'user of A2',
  'user of B',
  'user of P',
  'user of Q',
  'admin',
  'view-only user of A',
  'view-only user of P',
  'view-only admin',
  'user of A who must change the password',
  'user of P who must change the password',
  'admin who must change the password',
] as const
export type UserName = (typeof userNames)[number]

const keyNames = ['key of A', 'key of A2', 'key of B', 'key of P', 'key of Q', 'admin key'] as const
export type KeyName = (typeof keyNames)[number]

let sharedHash: Promise<string> | undefined

/** The scope is the last capital letter in the name, except for admins. */
const toScopedOwner = (name: string, sid: World['sid']): ScopedOwner => {
  const [, at] = / of (A2|A|B|P|Q)\b/.exec(name) ?? []
  if (at === 'P' || at === 'Q') return { account_sid: null, service_provider_sid: sid[at] }
  if (at === 'A' || at === 'A2') return { account_sid: sid[at], service_provider_sid: sid.P }
  return at === 'B'
    ? { account_sid: sid.B, service_provider_sid: sid.Q }
    : { account_sid: null, service_provider_sid: null }
}

const insertTenancy = async (
  trx: Transaction<Tables>,
  sid: World['sid'],
  realms: Record<string, string>,
): Promise<void> => {
  const hook = async (url: string) => {
    const webhook_sid = randomUUID()
    await trx.insertInto('webhooks').values({ webhook_sid, url, username: 'hook', password: 'hook-password' }).execute()
    return webhook_sid
  }
  for (const name of ['P', 'Q'] as const)
    await trx
      .insertInto('service_providers')
      .values({
        service_provider_sid: sid[name],
        name: `provider ${sid[name]}`,
        registration_hook_sid: await hook(`https://${sid[name]}.example.org`),
      })
      .execute()
  for (const name of ['A', 'A2', 'B'] as const)
    await trx
      .insertInto('accounts')
      .values({
        account_sid: sid[name],
        name: `account ${sid[name]}`,
        service_provider_sid: name === 'B' ? sid.Q : sid.P,
        sip_realm: realms[name] ?? null,
        webhook_secret: `wh_secret_${sid[name].slice(0, 22)}`,
        registration_hook_sid: await hook(`https://${sid[name]}.example.org`),
      })
      .execute()
  for (const name of ['A', 'A2', 'B'] as const)
    await trx
      .insertInto('account_limits')
      .values({ account_limits_sid: randomUUID(), account_sid: sid[name], category: 'device', quantity: 7 })
      .execute()
  for (const name of ['P', 'Q'] as const)
    await trx
      .insertInto('service_provider_limits')
      .values({
        service_provider_limits_sid: randomUUID(),
        service_provider_sid: sid[name],
        category: 'device',
        quantity: 8,
      })
      .execute()
}

const insertThings = async (
  trx: Transaction<Tables>,
  owner: { account_sid: string; service_provider_sid: string },
  things: AccountThings,
  encryption: Encryption,
): Promise<void> => {
  const { application_sid, phone_number_sid, ms_teams_tenant_sid, client_sid } = things
  const { voip_carrier_sid, sip_gateway_sid, smpp_gateway_sid } = things
  const { account_sid, service_provider_sid } = owner
  const call_hook_sid = randomUUID()
  const hook = { webhook_sid: call_hook_sid, url: `https://${application_sid}.example.org` }
  await trx
    .insertInto('webhooks')
    .values({ ...hook, username: 'hook', password: 'hook-password' })
    .execute()
  await trx
    .insertInto('applications')
    .values({ application_sid, account_sid, name: `application ${application_sid}`, call_hook_sid })
    .execute()
  await trx.insertInto('phone_numbers').values({ phone_number_sid, account_sid, number: phone_number_sid }).execute()
  const tenant_fqdn = `${ms_teams_tenant_sid}.example.org`
  await trx
    .insertInto('ms_teams_tenants')
    .values({ ms_teams_tenant_sid, account_sid, service_provider_sid, tenant_fqdn })
    .execute()
  await trx.insertInto('clients').values({ client_sid, account_sid, username: client_sid }).execute()
  await trx
    .insertInto('patchbay_alert_addresses')
    .values({
      alert_destination_sid: things.alert_destination_sid,
      target: newMailbox.target,
      link_until: 0,
      confirmed_at: 1,
    })
    .execute()
  await trx
    .insertInto('patchbay_alert_destinations')
    .values({ ...newMailbox, alert_destination_sid: things.alert_destination_sid, account_sid })
    .execute()
  const passwords = { register_password: `register-${voip_carrier_sid}`, smpp_password: `smpp-${voip_carrier_sid}` }
  await trx
    .insertInto('voip_carriers')
    .values({ voip_carrier_sid, ...owner, name: `carrier ${voip_carrier_sid}`, ...passwords })
    .execute()
  const gateway = { voip_carrier_sid, ipv4: '10.1.1.1', inbound: 1, outbound: 0 } as const
  await trx
    .insertInto('sip_gateways')
    .values({ ...gateway, sip_gateway_sid })
    .execute()
  await trx
    .insertInto('smpp_gateways')
    .values({ ...gateway, smpp_gateway_sid })
    .execute()
  const { speech_credential_sid } = things
  const credential = encryption.encrypt(
    JSON.stringify({ riva_server_uri: `${speech_credential_sid}.example.org:50051` }),
  )
  await trx
    .insertInto('speech_credentials')
    .values({ speech_credential_sid, ...owner, vendor: 'nvidia', label: speech_credential_sid, credential })
    .execute()
  const { google_custom_voice_sid } = things
  await trx
    .insertInto('google_custom_voices')
    .values({
      google_custom_voice_sid,
      speech_credential_sid,
      name: `voice ${google_custom_voice_sid}`,
      model: 'm',
      voice_cloning_key: `key ${google_custom_voice_sid}`,
    })
    .execute()
  const { lcr_sid, lcr_route_sid, lcr_carrier_set_entry_sid } = things
  await trx
    .insertInto('lcr')
    .values({ lcr_sid, name: `lcr ${lcr_sid}`, account_sid })
    .execute()
  await trx.insertInto('lcr_routes').values({ lcr_route_sid, lcr_sid, regex: '^1', priority: 0 }).execute()
  await trx
    .insertInto('lcr_carrier_set_entry')
    .values({ lcr_carrier_set_entry_sid, lcr_route_sid, voip_carrier_sid })
    .execute()
}

const insertUser = async (trx: Transaction<Tables>, user: WorldUser, hashed_password: string): Promise<void> => {
  const { is_view_only, ...row } = user
  const email = `${user.user_sid}@example.org`
  await trx
    .insertInto('users')
    .values({ ...row, email, hashed_password, provider: 'local' })
    .execute()
  if (!is_view_only) return
  const { permission_sid } = await trx
    .selectFrom('permissions')
    .select('permission_sid')
    .where('name', '=', 'VIEW_ONLY')
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('user_permissions')
    .values({ user_permissions_sid: randomUUID(), user_sid: user.user_sid, permission_sid })
    .execute()
}

export const createWorld = async ({
  test: { database },
  services: { passwords, encryption },
}: TestApi): Promise<World> => {
  const sid = { P: randomUUID(), Q: randomUUID(), A: randomUUID(), A2: randomUUID(), B: randomUUID() }
  const realms = Object.fromEntries(['A', 'A2', 'B'].map((name) => [name, `${randomUUID()}.example.org`]))
  sharedHash ??= passwords.hash(worldPassword)
  const hash = await sharedHash
  const users = Object.fromEntries(
    userNames.map((name): [UserName, WorldUser] => {
      const user_sid = randomUUID()
      const is_view_only = name.startsWith('view-only')
      const force_change = name.includes('must change') ? 1 : 0
      return [name, { user_sid, name: `user ${user_sid}`, is_view_only, force_change, ...toScopedOwner(name, sid) }]
    }),
  ) as Record<UserName, WorldUser>
  const keys = Object.fromEntries(
    keyNames.map((name): [KeyName, WorldKey] => {
      const owner = toScopedOwner(name, sid)
      const service_provider_sid = owner.account_sid === null ? owner.service_provider_sid : null
      return [
        name,
        { api_key_sid: randomUUID(), token: randomUUID(), account_sid: owner.account_sid, service_provider_sid },
      ]
    }),
  ) as Record<KeyName, WorldKey>
  const some = (): AccountThings => ({
    alert_destination_sid: randomUUID(),
    application_sid: randomUUID(),
    phone_number_sid: randomUUID(),
    ms_teams_tenant_sid: randomUUID(),
    client_sid: randomUUID(),
    voip_carrier_sid: randomUUID(),
    sip_gateway_sid: randomUUID(),
    smpp_gateway_sid: randomUUID(),
    speech_credential_sid: randomUUID(),
    google_custom_voice_sid: randomUUID(),
    lcr_sid: randomUUID(),
    lcr_route_sid: randomUUID(),
    lcr_carrier_set_entry_sid: randomUUID(),
  })
  const things = { A: some(), A2: some(), B: some() }
  await database.db.transaction().execute(async (trx) => {
    await insertTenancy(trx, sid, realms)
    for (const name of ['A', 'A2', 'B'] as const)
      await insertThings(
        trx,
        { account_sid: sid[name], service_provider_sid: name === 'B' ? sid.Q : sid.P },
        things[name],
        encryption,
      )
    for (const user of Object.values(users)) await insertUser(trx, user, hash)
    for (const key of Object.values(keys)) await trx.insertInto('api_keys').values(key).execute()
  })
  const collectMarks = (names: readonly string[], accounts: readonly ('A' | 'A2')[]) => [
    ...accounts.flatMap((name) => [sid[name], realms[name] ?? '', `wh_secret_${sid[name].slice(0, 22)}`]),
    ...accounts.flatMap((name) => Object.values(things[name])),
    ...userNames.filter((name) => names.includes(name)).map((name) => users[name].user_sid),
    ...keyNames
      .filter((name) => names.includes(name))
      .flatMap((name) => [keys[name].api_key_sid, keys[name].token, `********${keys[name].token.slice(-4)}`]),
  ]
  const ofA = [
    'user of A',
    'another user of A',
    'view-only user of A',
    'user of A who must change the password',
    'key of A',
  ]
  const ofP = [
    ...ofA,
    'user of A2',
    'user of P',
    'view-only user of P',
    'user of P who must change the password',
    'key of A2',
    'key of P',
  ]
  return {
    sid,
    users,
    keys,
    things,
    marks: { A: collectMarks(ofA, ['A']), P: [sid.P, ...collectMarks(ofP, ['A', 'A2'])] },
  }
}

const getScope = ({ account_sid, service_provider_sid }: ScopedOwner): Scope =>
  account_sid !== null ? 'account' : service_provider_sid !== null ? 'service_provider' : 'admin'

/** Returns the token claims of this user. */
const createClaims = (user: WorldUser): TokenClaims => ({
  scope: getScope(user),
  user_sid: user.user_sid,
  name: user.name,
  permissions: user.is_view_only ? ['VIEW_ONLY'] : [],
  is_view_only: user.is_view_only,
  ...(user.account_sid === null ? {} : { account_sid: user.account_sid, account_name: '' }),
  ...(user.service_provider_sid === null
    ? {}
    : { service_provider_sid: user.service_provider_sid, service_provider_name: '' }),
})

/** Starts a new session of this user. */
export const signedIn = async (api: TestApi, user: WorldUser): Promise<Caller> => {
  const { tokens, sessions } = api.services
  const issued = await tokens.issue(createClaims(user))
  if (issued === undefined) throw new Error('no token')
  const { token, expiresAt } = issued
  await sessions.start(token, user.user_sid, expiresAt)
  return api.as(token)
}

/** Creates an expired token whose session row still exists. */
export const expired = async (api: TestApi, user: WorldUser): Promise<Caller> => {
  const anHourAgo = Math.floor(Date.now() / 1000) - 3600
  const token = await new SignJWT({ ...createClaims(user) })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(anHourAgo - 3600)
    .setExpirationTime(anHourAgo)
    .setJti(randomUUID())
    .sign(new TextEncoder().encode(testSecret))
  await api.services.sessions.start(token, user.user_sid, Date.now() + 3_600_000)
  return api.as(token)
}
