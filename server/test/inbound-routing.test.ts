import { randomUUID } from 'node:crypto'
import { type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { createWorld, signedIn, type World } from '@patchbay/testkit/test-world'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { callRecord, getRow, nanosecondsAt, type Row, statusAndMessage } from './fixtures.ts'

/** Routing of inbound calls with stored rows, without revealing resources of other tenants. */

let api: TestApi
let world: World
/** Each test uses different addresses, because the lookup covers all tenants. */
let nth = 0
let address: string
let network: string
const number = '15083084809'
beforeAll(async () => {
  api = await createTestApi()
})
beforeEach(async () => {
  world = await createWorld(api)
  nth += 1
  network = `10.77.${nth}.0`
  address = `10.77.${nth}.9`
})
afterAll(() => api.close())

const createResource = async (path: string, body: object) => member(await api.admin.post(path, body), 'sid')
const carrierAt = async (owner: object, ipv4 = address, netmask = 32, more: object = {}) => {
  const voip_carrier_sid = await createResource('/VoipCarriers', { name: `carrier ${randomUUID()}`, ...owner, ...more })
  await createResource('/SipGateways', { voip_carrier_sid, ipv4, netmask, inbound: true })
  return voip_carrier_sid
}
const ask = async (caller: Caller, realm = '3.3.3.3', more: Record<string, string> = {}) => {
  const query = new URLSearchParams({ source: address, number: `+${number}`, realm, ...more })
  return caller.get(`/patchbay/inbound-routing?${query.toString()}`)
}
const answer = async (caller: Caller, realm?: string, more?: Record<string, string>) =>
  getRow(await ask(caller, realm, more)) as { steps: Row[]; end: Row; concerns: Row[]; inactive_carriers: Row[] }
const readRealm = async (account: string) => String(getRow(await api.admin.get(`/Accounts/${account}`))['sip_realm'])
const as = (name: 'user of A' | 'user of P' | 'user of Q' | 'user of B' | 'user of A2') =>
  signedIn(api, world.users[name])

test('a number on a carrier of the account returns carrier, number, and application by name', async () => {
  const { A } = world.sid
  const voip_carrier_sid = await carrierAt({ account_sid: A })
  const { application_sid } = world.things.A
  const phone_number_sid = await createResource('/PhoneNumbers', {
    number,
    voip_carrier_sid,
    account_sid: A,
    application_sid,
  })
  const end = {
    is: 'taken',
    byCarrier: true,
    carrier: { sid: voip_carrier_sid, name: expect.stringMatching(/^carrier /) as string },
    account: { sid: A, name: `account ${A}` },
    number: { phone_number_sid, number },
    application: { sid: application_sid, name: `application ${application_sid}` },
    has_application: true,
    of: 'number',
    isByChance: false,
    trunks: [],
  }
  for (const caller of [api.admin, await as('user of P'), await as('user of A')]) {
    const routing = await answer(caller)
    expect(routing.end).toEqual(end)
    expect(routing.steps.map(({ is }) => is)).toEqual(['gateways', 'numbers'])
    expect((await answer(caller, await readRealm(A))).end).toEqual(end)
  }
  expect((await answer(await as('user of A'), await readRealm(A))).steps[0]).toEqual({
    is: 'realm',
    found: true,
    account: { sid: A, name: `account ${A}` },
  })
})

test('other tenants learn only that the call belongs to another tenant', async () => {
  const { A } = world.sid
  const voip_carrier_sid = await carrierAt({ account_sid: A })
  await createResource('/PhoneNumbers', { number, voip_carrier_sid, account_sid: A })
  const realms = ['3.3.3.3', await readRealm(A)]
  for (const name of ['user of A2', 'user of B', 'user of Q'] as const)
    for (const realm of realms)
      expect(await answer(await as(name), realm)).toEqual({
        steps: [],
        end: { is: 'elsewhere' },
        concerns: [],
        inactive_carriers: [],
      })
  // The own carrier at the same address is visible, but the number of the other tenant decides.
  const ofB = await carrierAt({ account_sid: world.sid.B })
  expect((await answer(await as('user of B'))).end).toEqual({ is: 'elsewhere' })
  await createResource('/PhoneNumbers', { number, voip_carrier_sid: ofB, account_sid: world.sid.B })
  const both = await ask(await as('user of B'))
  expect(getRow(both)['end']).toEqual({ is: 'refused', status: 503, why: 'several_numbers' })
  for (const mark of [...world.marks.A, ...world.marks.P, voip_carrier_sid]) expect(both.text).not.toContain(mark)
  const [gateways, rows] = (getRow(both)['steps'] as Row[]).map(
    (step) => (step['gateways'] ?? step['rows']) as unknown[],
  )
  expect([gateways?.filter((each) => each === null).length, rows?.filter((each) => each === null).length]).toEqual([
    1, 1,
  ])
})

test('accounts can see a shared carrier of their provider, but not numbers of other accounts on it', async () => {
  const { P, A2 } = world.sid
  const voip_carrier_sid = await carrierAt({ service_provider_sid: P })
  const ofA = await as('user of A')
  expect((await answer(ofA)).steps[0]).toMatchObject({
    is: 'gateways',
    gateways: [{ ipv4: address, carrier: { sid: voip_carrier_sid } }],
  })
  expect((await answer(ofA)).end).toEqual({ is: 'refused', status: 404, why: 'not_provisioned' })
  await createResource('/PhoneNumbers', { number, voip_carrier_sid, account_sid: A2 })
  await createResource('/PhoneNumbers', { number: '^1508', voip_carrier_sid, account_sid: A2 })
  expect((await answer(ofA)).end).toEqual({ is: 'elsewhere' })
  const { end, steps } = await answer(await as('user of P'))
  expect(end).toMatchObject({ is: 'taken', account: { sid: A2 }, number: { number } })
  expect(steps[1]).toMatchObject({ is: 'numbers', rows: [{ number }] })
})

test('an application of another account that handles the calls of a shared carrier is not named', async () => {
  const { P, A } = world.sid
  const voip_carrier_sid = await carrierAt({ service_provider_sid: P })
  await createResource('/PhoneNumbers', { number, voip_carrier_sid, account_sid: A })
  const { application_sid } = world.things.A2
  // Other components can store such rows.
  await api.test.database.db
    .updateTable('phone_numbers')
    .set({ application_sid })
    .where('voip_carrier_sid', '=', voip_carrier_sid)
    .execute()
  expect((await answer(await as('user of A'))).end).toMatchObject({
    is: 'taken',
    account: { sid: A },
    application: null,
    has_application: true,
  })
  expect((await answer(await as('user of A')))['concerns']).toEqual([])
  expect((await answer(await as('user of P'))).end).toMatchObject({ application: { sid: application_sid } })
})

test('patterns are evaluated from longest to shortest, and those of other tenants are hidden', async () => {
  const { P, A, A2 } = world.sid
  const voip_carrier_sid = await carrierAt({ service_provider_sid: P })
  for (const [pattern, account_sid] of [
    ['508*', A],
    ['^1508308', A2],
    ['(((', A],
    ['^99999999', A],
  ] as const)
    await createResource('/PhoneNumbers', { number: pattern, voip_carrier_sid, account_sid })
  const { steps, end } = await answer(await as('user of P'))
  expect(steps[2]).toMatchObject({
    is: 'patterns',
    tried: [
      { row: { number: '^99999999' }, match: 'unmatched' },
      { row: { number: '^1508308' }, match: 'matched' },
    ],
  })
  expect(end).toMatchObject({ is: 'taken', account: { sid: A2 }, number: { number: '^1508308' } })
  expect((await answer(await as('user of A'))).end).toEqual({ is: 'elsewhere' })
  const other = await answer(await as('user of A'), undefined, { number: '7508' })
  expect(other.end).toMatchObject({ is: 'taken', number: { number: '508*' } })
  expect(JSON.stringify(other.steps)).not.toContain('1508308')
})

test('networks of every size match their addresses, and an exact address comes first', async () => {
  const { P } = world.sid
  const ofP = await as('user of P')
  const findMatches = async () => {
    const [step] = (await answer(ofP)).steps
    const gateways = (step?.['gateways'] ?? []) as { ipv4: string; netmask: number }[]
    return gateways.map(({ ipv4, netmask }) => `${ipv4}/${netmask}`)
  }
  expect(await findMatches()).toEqual([])
  for (const [ipv4, netmask] of [
    [network, 24],
    [`10.77.${nth}.200`, 25],
    [`10.77.${nth}.8`, 31],
    [`10.77.${nth}.255`, 23],
    ['10.0.0.0', 8],
    ['8.0.0.0', 5],
  ] as const)
    await carrierAt({ service_provider_sid: P }, ipv4, netmask)
  const matches = await findMatches()
  expect(matches.slice(0, 2)).toEqual([`10.77.${nth}.8/31`, `${network}/24`])
  expect(matches).toEqual([`10.77.${nth}.8/31`, `${network}/24`, `10.77.${nth}.255/23`, '10.0.0.0/8', '8.0.0.0/5'])
  await carrierAt({ service_provider_sid: P })
  expect(await findMatches()).toEqual([`${address}/32`, ...matches])
  // Used by tests that expect no matching carrier.
  await api.test.database.db.updateTable('voip_carriers').set({ is_active: 0 }).execute()
})

test('an unknown realm, and a subdomain of a realm that is used for devices', async () => {
  const { A } = world.sid
  const ofA = await as('user of A')
  expect(await answer(ofA, 'nobody.example.net')).toEqual({
    steps: [
      { is: 'realm', found: false, account: null },
      { is: 'registrations', gateways: [] },
      { is: 'gateways', how: 'network', gateways: [] },
      { is: 'devices', found: false, account: null },
    ],
    end: { is: 'refused', status: 404, why: 'unknown_realm' },
    concerns: [],
    inactive_carriers: [],
  })
  const { application_sid } = world.things.A
  await api.admin.put(`/Accounts/${A}`, { device_calling_application_sid: application_sid })
  const realm = `sub.${await readRealm(A)}`
  expect((await answer(ofA, realm)).end).toMatchObject({
    is: 'taken',
    byCarrier: false,
    account: { sid: A },
    application: { sid: application_sid },
    of: 'account',
  })
  expect((await answer(await as('user of B'), realm)).end).toEqual({ is: 'elsewhere' })
  await api.admin.put(`/Accounts/${A}`, { is_active: false })
  expect((await answer(await as('user of P'), realm)).end).toEqual({
    is: 'refused',
    status: 503,
    why: 'inactive_account',
  })
  expect((await answer(await as('user of Q'), realm)).end).toEqual({ is: 'elsewhere' })
})

test('Microsoft Teams by its addresses, and a registering carrier by host and user', async () => {
  const { A } = world.sid
  const ofA = await as('user of A')
  const fqdn = `${world.things.A.ms_teams_tenant_sid}.example.org`
  const source = '52.114.1.1'
  expect((await answer(ofA, fqdn, { source })).end).toMatchObject({ is: 'taken', of: 'teams', account: { sid: A } })
  expect((await answer(ofA, 'other.example.org', { source })).end).toMatchObject({
    status: 404,
    why: 'no_teams_tenant',
  })
  const registers = { requires_register: true, register_username: 'u', register_password: 'p' }
  const voip_carrier_sid = await carrierAt({ account_sid: A }, address, 32, {
    ...registers,
    register_sip_realm: 'carrier.example.net',
  })
  expect((await answer(ofA, 'carrier.example.net', { number: 'u' })).end).toMatchObject({
    is: 'taken',
    carrier: { sid: voip_carrier_sid },
  })
  await carrierAt({ account_sid: A }, address, 32, { ...registers, register_sip_realm: 'carrier.example.net' })
  expect((await answer(ofA, 'carrier.example.net', { number: 'u' })).end).toMatchObject({
    why: 'several_registrations',
  })
})

test('a host name that is no realm uses the source address, as the IP address of an SBC does', async () => {
  const { A } = world.sid
  const { application_sid } = world.things.A
  const voip_carrier_sid = await carrierAt({ account_sid: A })
  await createResource('/PhoneNumbers', { number, voip_carrier_sid, account_sid: A, application_sid })
  const ofA = await as('user of A')
  const named = await answer(ofA, 'sip.acme-voice.example')
  expect(named.end).toMatchObject({ is: 'taken', application: { sid: application_sid }, of: 'number' })
  expect(named.end).toEqual((await answer(ofA)).end)
  expect(named.steps.map(({ is }) => is)).toEqual(['realm', 'registrations', 'gateways', 'numbers'])
})

test('a call to a realm from an unknown address can come from a trunk with credentials', async () => {
  const { A, P, Q } = world.sid
  const { application_sid } = world.things.A
  const trunk = (name: string, owner: object, more: object = {}) =>
    createResource('/VoipCarriers', {
      name: `${name} ${randomUUID()}`,
      trunk_type: 'auth',
      inbound_auth_username: randomUUID(),
      inbound_auth_password: 'secret123',
      ...owner,
      ...more,
    })
  const own = await trunk('1', { account_sid: A }, { application_sid })
  const numbered = await trunk('2', { service_provider_sid: P })
  await createResource('/PhoneNumbers', { number, voip_carrier_sid: numbered, account_sid: A, application_sid })
  const plain = await trunk('3', { service_provider_sid: P })
  await trunk('4', { service_provider_sid: Q })
  await trunk('5', { account_sid: A }, { is_active: false })
  const routing = await answer(await as('user of A'), await readRealm(A))
  expect(routing.end).toMatchObject({
    is: 'taken',
    byCarrier: false,
    has_application: false,
    trunks: [
      { sid: own, has_application: true },
      { sid: numbered, has_application: true },
      { sid: plain, has_application: false },
    ],
  })
  expect((await answer(await as('user of A2'), await readRealm(A))).end).toEqual({ is: 'elsewhere' })
})

test('a registration trunk whose user name is a number uses the application of that number', async () => {
  const { A, P } = world.sid
  const { application_sid } = world.things.A
  const registers = {
    requires_register: true,
    register_sip_realm: `${randomUUID()}.example.net`,
    register_username: number,
    register_password: 'p',
  }
  const voip_carrier_sid = await carrierAt({ account_sid: A }, address, 32, registers)
  await createResource('/PhoneNumbers', { number, voip_carrier_sid, account_sid: A, application_sid })
  const called = { number }
  const ofA = await as('user of A')
  expect((await answer(ofA, registers.register_sip_realm, called)).end).toMatchObject({
    is: 'taken',
    carrier: { sid: voip_carrier_sid },
    application: { sid: application_sid },
    of: 'number',
  })
  await createResource('/SipGateways', { voip_carrier_sid, ipv4: address, inbound: false, outbound: true })
  expect((await answer(ofA, registers.register_sip_realm, called)).end).toMatchObject({
    status: 503,
    why: 'several_registrations',
  })
  const ofProvider = { ...registers, register_sip_realm: `${randomUUID()}.example.net` }
  await carrierAt({ service_provider_sid: P }, address, 32, ofProvider)
  expect((await answer(api.admin, ofProvider.register_sip_realm, called)).end).toMatchObject({
    status: 404,
    why: 'unknown_realm',
  })
})

test('a number on a network counts although another tenant has the exact address, depending on the version', async () => {
  const { A, B } = world.sid
  const { application_sid } = world.things.A
  await carrierAt({ account_sid: B })
  const voip_carrier_sid = await carrierAt({ account_sid: A }, network, 24)
  await createResource('/PhoneNumbers', { number, voip_carrier_sid, account_sid: A, application_sid })
  expect((await answer(await as('user of A'))).end).toMatchObject({
    is: 'taken',
    carrier: { sid: voip_carrier_sid },
    application: { sid: application_sid },
    isVersionDependent: true,
  })
})

test('the narrower network of two carriers of a realm takes the call for certain', async () => {
  const { A } = world.sid
  await carrierAt({ account_sid: A }, network, 24)
  const exact = await carrierAt({ account_sid: A })
  expect((await answer(await as('user of A'), await readRealm(A))).end).toMatchObject({
    is: 'taken',
    carrier: { sid: exact },
    isByChance: false,
  })
})

test('a pattern of another account on a shared carrier takes the calls to a realm for that account', async () => {
  const { P, A, A2 } = world.sid
  const voip_carrier_sid = await carrierAt({ service_provider_sid: P })
  await createResource('/PhoneNumbers', { number: '^1508', voip_carrier_sid, account_sid: A2 })
  expect((await answer(await as('user of P'), await readRealm(A))).end).toMatchObject({
    is: 'taken',
    account: { sid: A2 },
    number: { number: '^1508' },
  })
  expect((await answer(await as('user of A'), await readRealm(A))).end).toEqual({ is: 'elsewhere' })
})

test('a number of another account is used for a realm if the carrier has no application of its own', async () => {
  const { P, A, A2 } = world.sid
  const { application_sid } = world.things.A2
  const voip_carrier_sid = await carrierAt({ service_provider_sid: P })
  await createResource('/PhoneNumbers', { number, voip_carrier_sid, account_sid: A2, application_sid })
  const realm = await readRealm(A)
  expect((await answer(await as('user of P'), realm)).end).toMatchObject({
    is: 'taken',
    account: { sid: A },
    number: null,
    application: { sid: application_sid },
    of: 'number',
  })
  expect((await answer(await as('user of A'), realm)).end).toMatchObject({ application: null, has_application: true })
})

test('a number without an account makes the SBC fail', async () => {
  const { P } = world.sid
  const voip_carrier_sid = await carrierAt({ service_provider_sid: P })
  await createResource('/PhoneNumbers', { number, voip_carrier_sid, service_provider_sid: P })
  expect((await answer(await as('user of P'))).end).toEqual({ is: 'refused', status: 500, why: 'no_account' })
})

test.each([
  [{ source: 'here' }, 'source must be an IPv4 address'],
  [{ source: '10.0.0.9/24' }, 'source must be an IPv4 address'],
  [{ number: '' }, 'number must not be empty'],
  [{ realm: '' }, 'realm must not be empty'],
])('%j is rejected', async (more, msg) => {
  expect(statusAndMessage(await ask(api.admin, undefined, more))).toEqual([400, msg])
})

test('tenants are limited to 60 requests per minute, and admins are unlimited', async () => {
  const ofA = await as('user of A')
  const answers = await Promise.all(Array.from({ length: 61 }, () => ask(ofA)))
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
  expect((await ask(await as('user of A2'))).status).toBe(200)
  expect((await ask(api.admin)).status).toBe(200)
})

test('a pattern with exponential backtracking is invalid and does not block the server', async () => {
  const { A } = world.sid
  const voip_carrier_sid = await carrierAt({ account_sid: A })
  await createResource('/PhoneNumbers', { number: String.raw`(\d+)+x`, voip_carrier_sid, account_sid: A })
  const routing = await answer(api.admin, '3.3.3.3', { number: '1'.repeat(100) })
  expect(routing.steps).toContainEqual({ is: 'patterns', tried: [expect.objectContaining({ match: 'invalid' })] })
})

test('names what can make the call of the application fail: speech, and the webhook at its last call', async () => {
  const { A, P } = world.sid
  const { application_sid } = world.things.A
  const { db } = api.test.database
  const voip_carrier_sid = await carrierAt({ account_sid: A })
  await createResource('/PhoneNumbers', { number, voip_carrier_sid, account_sid: A, application_sid })
  const webhook_sid = randomUUID()
  await db.insertInto('webhooks').values({ webhook_sid, url: 'https://app.example.org/call' }).execute()
  await db
    .updateTable('applications')
    .set({ call_hook_sid: webhook_sid, app_json: null, speech_synthesis_vendor: 'nuance' })
    .set({ speech_recognizer_vendor: 'google', speech_recognizer_label: 'new' })
    .where('application_sid', '=', application_sid)
    .execute()
  const credential = { vendor: 'google', label: 'new', account_sid: A, service_provider_sid: P, credential: '' }
  await db
    .insertInto('speech_credentials')
    .values({ speech_credential_sid: randomUUID(), ...credential, stt_tested_ok: 0 })
    .execute()
  const ofA = await as('user of A')
  expect((await answer(ofA)).concerns).toEqual([
    { is: 'speech_missing', use: 'tts', vendor: 'nuance', label: null },
    { is: 'speech_failed', use: 'stt', vendor: 'google', label: 'new' },
    { is: 'webhook_unproven' },
  ])
  await db.updateTable('speech_credentials').set({ stt_tested_ok: 1 }).where('account_sid', '=', A).execute()
  await db
    .insertInto('speech_credentials')
    .values({ ...credential, speech_credential_sid: randomUUID(), vendor: 'nuance', label: null })
    .execute()
  expect((await answer(ofA)).concerns).toEqual([{ is: 'webhook_unproven' }])

  const at = Date.now() - 60_000
  const call = async (time: number, answered: boolean) => {
    const call_sid = randomUUID()
    const more = { service_provider_sid: P, application_sid, direction: 'inbound', answered, call_sid }
    await api.sinks.calls.store([callRecord(A, { ...more, time: nanosecondsAt(time) })])
    return call_sid
  }
  const alert = (target_sid: string | null, message: string, time: number, alert_type = 'webhook-failure') =>
    api.sinks.alerts.store([
      {
        time: nanosecondsAt(time),
        account_sid: A,
        service_provider_sid: P,
        alert_type,
        message,
        detail: null,
        target_sid,
        vendor: null,
        extra: {},
      },
    ])
  const failed = await call(at, false)
  expect((await answer(ofA)).concerns).toEqual([{ is: 'webhook_unproven' }])
  // An alert of another webhook says nothing about this one.
  await alert(null, 'https://other.example.org returned 500', at)
  expect((await answer(ofA)).concerns).toEqual([{ is: 'webhook_unproven' }])
  await alert(failed, 'returned 500', at + 1000)
  expect((await answer(ofA)).concerns).toEqual([
    { is: 'webhook_failed', alert_type: 'webhook-failure', at: new Date(at).toISOString() },
  ])
  const next = await call(at + 40_000, true)
  expect((await answer(ofA)).concerns).toEqual([])
  // Speech failed at an answered call, and that of another call says nothing about this one.
  await alert(randomUUID(), 'failed', at + 41_000, 'tts-failure')
  await alert(next, 'declined', at + 41_000, 'no-carrier')
  expect((await answer(ofA)).concerns).toEqual([])
  await alert(next, 'failed', at + 41_000, 'tts-failure')
  const speechFailed = [{ is: 'call_failed', alert_type: 'tts-failure', at: new Date(at + 40_000).toISOString() }]
  expect((await answer(ofA)).concerns).toEqual(speechFailed)
  // Stored verbs need no webhook, and use the same speech services.
  await db.updateTable('applications').set({ app_json: '[]' }).where('application_sid', '=', application_sid).execute()
  expect((await answer(ofA)).concerns).toEqual(speechFailed)
})

test('names the inactive carriers of the caller that have the address', async () => {
  const { A } = world.sid
  const voip_carrier_sid = await carrierAt({ account_sid: A }, address, 32, { is_active: false })
  const { end, inactive_carriers } = await answer(await as('user of A'))
  expect(end).toMatchObject({ is: 'refused', status: 404 })
  expect(inactive_carriers).toMatchObject([{ sid: voip_carrier_sid }])
  expect((await answer(await as('user of B'))).inactive_carriers).toEqual([])
})
