import { type Endpoint, splitKey } from '@patchbay/contract/api/endpoint'
import { contract } from '@patchbay/contract/contract'
import { findRecordUpdate } from '@patchbay/server/http/record-updates'
import type { Answer, Caller } from '@patchbay/testkit/test-api'
import { openTestWorld, signedIn } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import type { EndpointName } from './access-matrix/rule.ts'
import { rules } from './access-matrix/rules.ts'
import { getRow, snapshot, statusAndMessage } from './fixtures.ts'

/** Reading a record, changing one member, and sending all of it back, for every resource. */

const { api, world } = await openTestWorld()
const { A } = world.things

// Records with secrets and with all kinds of members.
const hook = { url: 'https://user:secret@hooks.example.org/a', method: 'GET', username: 'u', password: 'hook-secret' }
const entry = { voip_carrier_sid: A.voip_carrier_sid, workload: 2 }
const storedEntry = { ...entry, lcr_carrier_set_entry_sid: A.lcr_carrier_set_entry_sid }
const wholeRouting = {
  default_voip_carrier_sid: A.voip_carrier_sid,
  routes: [
    { lcr_route_sid: A.lcr_route_sid, regex: '^49', lcr_carrier_set_entries: [storedEntry, entry] },
    { regex: '^1', description: 'America', lcr_carrier_set_entries: [entry] },
  ],
}
const fillRecords = async () => {
  const { admin } = api
  const account = `/Accounts/${world.sid.A}`
  const bucket_credential = {
    vendor: 'aws_s3',
    region: 'us-east-1',
    name: 'recordings',
    access_key_id: 'AKIAIOSFODNN7EXAMPLE',
    secret_access_key: 'a-secret-access-key-of-an-account',
  }
  const subspace = { subspace_client_id: 'client', subspace_client_secret: 'a-secret-of-subspace' }
  const changes: [string, object][] = [
    [account, { bucket_credential, ...subspace, queue_event_hook: hook, trial_end_date: '2027-01-02T03:04:05.000Z' }],
    [`/ServiceProviders/${world.sid.P}`, { registration_hook: hook, root_domain: 'sip.example.org' }],
    [`/Applications/${A.application_sid}`, { messaging_hook: hook, env_vars: { key: 'value', count: 3 } }],
    [`/VoipCarriers/${A.voip_carrier_sid}`, { inbound_auth_password: 'an-inbound-secret', dtmf_type: 'info' }],
    ['/PasswordSettings', { min_password_length: 8 }],
    [`/Clients/${A.client_sid}`, { password: 'a-device-password' }],
    [`/SipGateways/${A.sip_gateway_sid}`, { remove_ice: true, dtls_off: true, port: null }],
    [`/patchbay/lcrs/${A.lcr_sid}`, wholeRouting],
  ]
  for (const [path, body] of changes) expect(statusAndMessage(await admin.put(path, body))).toEqual([204, undefined])
  expect((await admin.post('/SystemInformation', { domain_name: 'example.org' })).status).toBe(201)
}
await fillRecords()
const vendors = [
  { vendor: 'google', service_key: JSON.stringify({ private_key: 'a key', client_email: 'a@example.org' }) },
  { vendor: 'microsoft', api_key: 'a-microsoft-key', region: 'eastus' },
  { vendor: 'aws', access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'an-aws-secret', aws_region: 'us-east-1' },
]

const callerNames = ['admin', 'user of P', 'user of A', 'admin key', 'key of P', 'key of A'] as const
type CallerName = (typeof callerNames)[number]

const getCaller = async (name: CallerName): Promise<Caller> =>
  name === 'admin key' || name === 'key of P' || name === 'key of A'
    ? api.as(world.keys[name].token)
    : signedIn(api, world.users[name])

const sids: Readonly<Record<string, string>> = {
  ...A,
  alert_hook_sid: A.alert_destination_sid,
  account_sid: world.sid.A,
  service_provider_sid: world.sid.P,
  user_sid: world.users['another user of A'].user_sid,
}

/** Updates that return the SIDs of the parts that they have saved. */
const withContent: readonly string[] = ['PUT /patchbay/carriers/:voip_carrier_sid']

const toPath = (key: string): string =>
  splitKey(key).path.replace(/:(\w+)/g, (_match, name: string) => sids[name] ?? `no ${name}`)

/** Sends an update with the method of its endpoint. */
const update = (caller: Caller, key: string, body: object, headers?: Record<string, string>): Promise<Answer> =>
  caller[splitKey(key).method === 'POST' ? 'post' : 'put'](toPath(key), body, headers)

const getSuccess = (key: EndpointName): number => {
  if (splitKey(key).method === 'POST') return 201
  return withContent.includes(key) ? 200 : 204
}

/** Returns the record as the body of its update. A list is not the body of an update, which then changes nothing. */
const toBody = (answer: Answer): Record<string, unknown> => (Array.isArray(answer.body) ? {} : getRow(answer))

const updates = Object.entries<Endpoint>(contract).flatMap(([key, endpoint]) => {
  const recordUpdate = findRecordUpdate(key, endpoint)
  return recordUpdate === undefined
    ? []
    : [{ key: key as EndpointName, ...recordUpdate, ignored: endpoint.updates?.ignored ?? [] }]
})

test('every PUT of a record that GET returns names it', () => {
  const declared = updates.map(({ key }) => key)
  const puts = Object.keys(contract).filter(
    (key) => key.startsWith('PUT ') && Object.hasOwn(contract, key.replace('PUT ', 'GET ')),
  )
  const commands = ['PUT /Accounts/:account_sid/Calls/:call_sid']
  expect(puts.filter((key) => !declared.includes(key as EndpointName))).toEqual(commands)
  for (const { recordKey } of updates) expect(Object.keys(contract)).toContain(recordKey)
})

describe.each(updates)('$key', ({ key, recordKey, readOnly, ignored }) => {
  const { may } = rules[key]
  const permitted = callerNames.filter((name) => may !== 'public' && may.includes(name))

  test.each(permitted)('accepts the record as GET returns it to the %s, and changes nothing', async (name) => {
    const caller = await getCaller(name)
    const read = await caller.get(toPath(recordKey))
    const before = await snapshot(api)
    expect(statusAndMessage(await update(caller, key, toBody(read)))).toEqual([getSuccess(key), undefined])
    expect(await snapshot(api)).toEqual(before)
    expect((await caller.get(toPath(recordKey))).body).toEqual(read.body)
  })

  test.each(permitted)('accepts the current version, and rejects another, from the %s', async (name) => {
    const caller = await getCaller(name)
    const read = await caller.get(toPath(recordKey))
    const version = String(read.headers['record-version'])
    const before = await snapshot(api)
    const rejected = await update(caller, key, toBody(read), { 'if-match': '"another"' })
    expect([rejected.status, rejected.body]).toMatchObject([412, { code: 'record_changed', record: read.body }])
    expect(rejected.headers['record-version']).toBe(version)
    const accepted = await update(caller, key, toBody(read), { 'if-match': version })
    const expected = [getSuccess(key), undefined, version]
    expect([...statusAndMessage(accepted), accepted.headers['record-version']]).toEqual(expected)
    expect(await snapshot(api)).toEqual(before)
    // The version does not depend on the caller.
    expect((await api.admin.get(toPath(recordKey))).headers['record-version']).toBe(version)
  })

  const fixed = Object.keys(readOnly).filter((member) => !ignored.includes(member))
  test.each(fixed.length > 0 ? [fixed] : [])('names a read-only member with another value', async () => {
    const record = getRow(await api.admin.get(toPath(recordKey)))
    const before = await snapshot(api)
    for (const member of fixed) {
      const answer = await api.admin.put(toPath(key), { ...record, [member]: 'another value' })
      const { status, body } = answer
      expect([member, status, body]).toMatchObject([member, 400, { field: member }])
      expect(String(statusAndMessage(answer)[1])).toContain(member)
    }
    expect(await snapshot(api)).toEqual(before)
  })

  test.each(ignored.length > 0 ? [ignored] : [])('ignores members that change on their own', async () => {
    const before = await snapshot(api)
    const record = getRow(await api.admin.get(toPath(recordKey)))
    const stale = Object.fromEntries(ignored.map((member) => [member, 'an old value']))
    expect((await api.admin.put(toPath(key), { ...record, ...stale })).status).toBe(204)
    expect(await snapshot(api)).toEqual(before)
  })
})

test.each(vendors)('the secrets of $vendor survive a whole record that is sent back', async (credential) => {
  const collection = `/Accounts/${world.sid.A}/SpeechCredentials`
  const created = await api.admin.post(collection, { ...credential, use_for_tts: true, use_for_stt: true })
  const { sid } = getRow(created)
  const ofA = await getCaller('user of A')
  const record = getRow(await ofA.get(`${collection}/${String(sid)}`))
  const before = await snapshot(api)
  expect(statusAndMessage(await ofA.put(`${collection}/${String(sid)}`, record))).toEqual([204, undefined])
  expect(await snapshot(api)).toEqual(before)
})

test('stores one changed member and leaves the others unchanged', async () => {
  const ofA = await getCaller('user of A')
  const path = `/Accounts/${world.sid.A}`
  const record = getRow(await ofA.get(path))
  expect(statusAndMessage(await ofA.put(path, { ...record, name: 'renamed' }))).toEqual([204, undefined])
  expect(getRow(await ofA.get(path))).toEqual({ ...record, name: 'renamed' })
  const { subspace_client_secret } = record
  expect(subspace_client_secret).toMatch(/^a-secr?e?t?X*/)
  expect(subspace_client_secret).not.toBe('a-secret-of-subspace')
})

test('a carrier of another tenant is denied alike for a right and a wrong guess of its members', async () => {
  const ofA = await getCaller('user of A')
  const { voip_carrier_sid } = world.things.B
  const carrier = getRow(await api.admin.get(`/VoipCarriers/${voip_carrier_sid}`))
  const put = async (path: string, body: object) => statusAndMessage(await ofA.put(path, body))
  for (const path of [
    `/VoipCarriers/${voip_carrier_sid}`,
    `/Accounts/${world.sid.A}/VoipCarriers/${voip_carrier_sid}`,
  ]) {
    const right = await put(path, { created_at: carrier['created_at'] })
    expect(right).toEqual([422, 'carrier belongs to a different user'])
    expect(await put(path, { created_at: 'a guess' })).toEqual(right)
  }
})
