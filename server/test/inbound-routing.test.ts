import { type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createWorld, statusAndMessage, type Row, getRow, signedIn, type World } from './fixtures.ts'

/** What becomes of a call that comes in, of rows as they are stored; and that nobody learns of it what is of others. */

let api: TestApi
let world: World
/** each test has addresses of its own: what is asked of one looks over all tenants */
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

const made = async (path: string, body: object) => member(await api.admin.post(path, body), 'sid')
const carrierAt = async (owner: object, ipv4 = address, netmask = 32, more: object = {}) => {
  const voip_carrier_sid = await made('/VoipCarriers', { name: `carrier ${randomUUID()}`, ...owner, ...more })
  await made('/SipGateways', { voip_carrier_sid, ipv4, netmask, inbound: true })
  return voip_carrier_sid
}
const ask = async (caller: Caller, realm = '3.3.3.3', more: Record<string, string> = {}) => {
  const query = new URLSearchParams({ source: address, number: `+${number}`, realm, ...more })
  return caller.get(`/patchbay/inbound-routing?${query.toString()}`)
}
const answer = async (caller: Caller, realm?: string, more?: Record<string, string>) =>
  getRow(await ask(caller, realm, more)) as { steps: Row[]; end: Row }
const realmOf = async (account: string) => String(getRow(await api.admin.get(`/Accounts/${account}`))['sip_realm'])
const as = (name: 'user of A' | 'user of P' | 'user of Q' | 'user of B' | 'user of A2') =>
  signedIn(api, world.users[name])

test('a number on a carrier of the account: carrier, number and application by name', async () => {
  const { A } = world.sid
  const voip_carrier_sid = await carrierAt({ account_sid: A })
  const { application_sid } = world.things.A
  const phone_number_sid = await made('/PhoneNumbers', { number, voip_carrier_sid, account_sid: A, application_sid })
  const end = {
    is: 'taken',
    byCarrier: true,
    carrier: { sid: voip_carrier_sid, name: expect.stringMatching(/^carrier /) as string },
    account: { sid: A, name: `account ${A}` },
    number: { phone_number_sid, number },
    application: { sid: application_sid, name: `application ${application_sid}` },
    of: 'number',
    isByChance: false,
  }
  for (const caller of [api.admin, await as('user of P'), await as('user of A')]) {
    const found = await answer(caller)
    expect(found.end).toEqual(end)
    expect(found.steps.map(({ is }) => is)).toEqual(['gateways', 'numbers'])
    expect((await answer(caller, await realmOf(A))).end).toEqual(end)
  }
  expect((await answer(await as('user of A'), await realmOf(A))).steps[0]).toEqual({
    is: 'realm',
    found: true,
    account: { sid: A, name: `account ${A}` },
  })
})

test('others hear that it is of somebody else, and nothing of whom', async () => {
  const { A } = world.sid
  const voip_carrier_sid = await carrierAt({ account_sid: A })
  await made('/PhoneNumbers', { number, voip_carrier_sid, account_sid: A })
  const realms = ['3.3.3.3', await realmOf(A)]
  for (const name of ['user of A2', 'user of B', 'user of Q'] as const)
    for (const realm of realms)
      expect(await answer(await as(name), realm)).toEqual({ steps: [], end: { is: 'elsewhere' } })
  // One's own carrier at the same address is shown; the other's number decides.
  const ofB = await carrierAt({ account_sid: world.sid.B })
  expect((await answer(await as('user of B'))).end).toEqual({ is: 'elsewhere' })
  await made('/PhoneNumbers', { number, voip_carrier_sid: ofB, account_sid: world.sid.B })
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

test('the carrier of a provider for all accounts is shown to them; a number of another account on it is not', async () => {
  const { P, A2 } = world.sid
  const voip_carrier_sid = await carrierAt({ service_provider_sid: P })
  const ofA = await as('user of A')
  expect((await answer(ofA)).steps[0]).toMatchObject({
    is: 'gateways',
    gateways: [{ ipv4: address, carrier: { sid: voip_carrier_sid } }],
  })
  expect((await answer(ofA)).end).toEqual({ is: 'refused', status: 404, why: 'not_provisioned' })
  await made('/PhoneNumbers', { number, voip_carrier_sid, account_sid: A2 })
  await made('/PhoneNumbers', { number: '^1508', voip_carrier_sid, account_sid: A2 })
  expect((await answer(ofA)).end).toEqual({ is: 'elsewhere' })
  const { end, steps } = await answer(await as('user of P'))
  expect(end).toMatchObject({ is: 'taken', account: { sid: A2 }, number: { number } })
  expect(steps[1]).toMatchObject({ is: 'numbers', rows: [{ number }] })
})

test('the application of another account that takes the calls of a carrier for all is not named', async () => {
  const { P, A } = world.sid
  const voip_carrier_sid = await carrierAt({ service_provider_sid: P })
  await made('/PhoneNumbers', { number, voip_carrier_sid, account_sid: A })
  const { application_sid } = world.things.A2
  // As another component of the platform may leave it.
  await api.test.database.db
    .updateTable('phone_numbers')
    .set({ application_sid })
    .where('voip_carrier_sid', '=', voip_carrier_sid)
    .execute()
  expect((await answer(await as('user of A'))).end).toMatchObject({
    is: 'taken',
    account: { sid: A },
    application: null,
  })
  expect((await answer(await as('user of P'))).end).toMatchObject({ application: { sid: application_sid } })
})

test('patterns, the longest first; of others none is told', async () => {
  const { P, A, A2 } = world.sid
  const voip_carrier_sid = await carrierAt({ service_provider_sid: P })
  for (const [pattern, account_sid] of [
    ['508*', A],
    ['^1508308', A2],
    ['(((', A],
    ['^99999999', A],
  ] as const)
    await made('/PhoneNumbers', { number: pattern, voip_carrier_sid, account_sid })
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

test('networks of every width hold the address, an address of its own before them, and nothing else does', async () => {
  const { P } = world.sid
  const ofP = await as('user of P')
  const heldBy = async () => {
    const [step] = (await answer(ofP)).steps
    const gateways = (step?.['gateways'] ?? []) as { ipv4: string; netmask: number }[]
    return gateways.map(({ ipv4, netmask }) => `${ipv4}/${netmask}`)
  }
  expect(await heldBy()).toEqual([])
  for (const [ipv4, netmask] of [
    [network, 24],
    [`10.77.${nth}.200`, 25],
    [`10.77.${nth}.8`, 31],
    [`10.77.${nth}.255`, 23],
    ['10.0.0.0', 8],
    ['8.0.0.0', 5],
  ] as const)
    await carrierAt({ service_provider_sid: P }, ipv4, netmask)
  const held = await heldBy()
  expect(held.slice(0, 2)).toEqual([`10.77.${nth}.8/31`, `${network}/24`])
  expect(held).toEqual([`10.77.${nth}.8/31`, `${network}/24`, `10.77.${nth}.255/23`, '10.0.0.0/8', '8.0.0.0/5'])
  await carrierAt({ service_provider_sid: P })
  expect(await heldBy()).toEqual([`${address}/32`])
  // For tests that look for no carrier.
  await api.test.database.db.updateTable('voip_carriers').set({ is_active: 0 }).execute()
})

test('a name that is nobody’s, and one below a realm: devices', async () => {
  const { A } = world.sid
  const ofA = await as('user of A')
  expect(await answer(ofA, 'nobody.example.net')).toEqual({
    steps: [
      { is: 'realm', found: false, account: null },
      { is: 'registrations', gateways: [] },
      { is: 'devices', found: false, account: null },
    ],
    end: { is: 'refused', status: 404, why: 'unknown_realm' },
  })
  const { application_sid } = world.things.A
  await api.admin.put(`/Accounts/${A}`, { device_calling_application_sid: application_sid })
  const realm = `sub.${await realmOf(A)}`
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

test('MS Teams by its addresses, and a carrier that registers by host and user', async () => {
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

test.each([
  [{ source: 'here' }, 'source must be an IPv4 address'],
  [{ source: '10.0.0.9/24' }, 'source must be an IPv4 address'],
  [{ number: '' }, 'number must not be empty'],
  [{ realm: '' }, 'realm must not be empty'],
])('%j is refused', async (more, msg) => {
  expect(statusAndMessage(await ask(api.admin, undefined, more))).toEqual([400, msg])
})

test('a tenant has 60 questions a minute, admins any number', async () => {
  const ofA = await as('user of A')
  const asked = await Promise.all(Array.from({ length: 61 }, () => ask(ofA)))
  expect(asked.filter(({ status }) => status === 429)).toHaveLength(1)
  expect((await ask(await as('user of A2'))).status).toBe(200)
  expect((await ask(api.admin)).status).toBe(200)
})

test('a pattern that backtracks without end is invalid and does not block the server', async () => {
  const { A } = world.sid
  const voip_carrier_sid = await carrierAt({ account_sid: A })
  await made('/PhoneNumbers', { number: String.raw`(\d+)+x`, voip_carrier_sid, account_sid: A })
  const found = await answer(api.admin, '3.3.3.3', { number: '1'.repeat(100) })
  expect(found.steps).toContainEqual({ is: 'patterns', tried: [expect.objectContaining({ match: 'invalid' })] })
})
