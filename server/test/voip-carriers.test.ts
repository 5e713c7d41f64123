import { randomUUID } from 'node:crypto'
import { type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { createWorld, signedIn, type World } from '@patchbay/testkit/test-world'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countMentions, getRow, getRows, type Row, snapshot, sorted, statusAndMessage } from './fixtures.ts'

let api: TestApi
let world: World
beforeAll(async () => {
  api = await createTestApi()
  world = await createWorld(api)
})
afterAll(() => api.close())

const createCarrier = async (body: object = {}, caller: Caller = api.admin) =>
  member(await caller.post('/VoipCarriers', { name: `carrier ${randomUUID()}`, ...body }), 'sid')
const read = async (sid: string) => getRow(await api.admin.get(`/VoipCarriers/${sid}`))
const names = (rows: readonly object[]) => sorted(rows.map((row) => Reflect.get(row, 'name') as unknown))

test('a carrier that is moved while its owner changes it keeps the new owner', async () => {
  const { A, B } = world.sid
  const ofA = await signedIn(api, world.users['user of A'])
  const sid = member(await api.admin.post('/VoipCarriers', { name: 'moving', account_sid: A }), 'sid')
  const changes = (path: string, body: object) => Array.from({ length: 8 }, () => ofA.put(path, body))
  const work = [
    ...changes(`/VoipCarriers/${sid}`, { description: 'mine' }),
    api.admin.put(`/VoipCarriers/${sid}`, { account_sid: B }),
    ...changes(`/VoipCarriers/${sid}`, { description: 'still mine' }),
    ...changes(`/patchbay/carriers/${sid}`, { carrier: { description: 'still mine' } }),
  ]
  const statuses = (await Promise.all(work)).map(({ status }) => status)
  expect(statuses.filter((status) => ![200, 204, 422].includes(status))).toEqual([])
  expect(getRow(await api.admin.get(`/VoipCarriers/${sid}`))['account_sid']).toBe(B)
})

describe('a single carrier', () => {
  test('API-062 API-064 CARRIERS-55 has the values that were set, the defaults of jambonz for others, and masked passwords', async () => {
    const { A: account_sid, P: service_provider_sid } = world.sid
    const { application_sid } = world.things.A
    const input = {
      name: 'Carrier One',
      description: 'the first',
      account_sid,
      application_sid,
      e164_leading_plus: true,
      requires_register: '1',
      register_username: 'one',
      register_sip_realm: 'sip.example.com',
      register_password: 'a password of one',
      tech_prefix: '991',
      inbound_auth_username: 'in',
      inbound_auth_password: 'a password in',
      diversion: '+15083084809',
      smpp_system_id: 'smpp',
      smpp_password: 'a password out',
      smpp_inbound_system_id: 'smpp-in',
      smpp_inbound_password: 'a password for in',
      register_from_user: 'from',
      register_from_domain: 'from.example.com',
      register_public_ip_in_contact: true,
      dtmf_type: 'tones',
      outbound_sip_proxy: 'proxy.example.com',
      trunk_type: 'reg',
    }
    const sid = await createCarrier(input)
    const { created_at, ...row } = await read(sid)
    expect(Date.parse(String(created_at))).toBeGreaterThan(Date.now() - 60_000)
    expect(row).toEqual({
      ...input,
      voip_carrier_sid: sid,
      service_provider_sid,
      e164_leading_plus: 1,
      requires_register: 1,
      register_public_ip_in_contact: 1,
      is_active: 1,
      smpp_enquire_link_interval: 0,
      register_status: {},
      register_password: 'XXXXXXXX',
      inbound_auth_password: 'XXXXXXXX',
      smpp_password: 'XXXXXXXX',
      smpp_inbound_password: 'XXXXXXXX',
    })
    const change = { is_active: false, tech_prefix: null, dtmf_type: 'rfc2833' }
    expect((await api.admin.put(`/VoipCarriers/${sid}`, change)).status).toBe(204)
    let expected: Row = { ...row, created_at, is_active: 0, tech_prefix: null, dtmf_type: 'rfc2833' }
    expect(await read(sid)).toEqual(expected)
    const others: [string, unknown, unknown?][] = [
      ['name', 'Carrier Two'],
      ['description', 'the second'],
      ['application_sid', null],
      ['e164_leading_plus', false, 0],
      ['register_username', 'two'],
      ['register_sip_realm', 'sip.example.net'],
      ['register_from_user', null],
      ['register_from_domain', 'from.example.net'],
      ['register_public_ip_in_contact', false, 0],
      ['inbound_auth_username', 'inbound'],
      ['diversion', '+15083084810'],
      ['smpp_system_id', null],
      ['smpp_inbound_system_id', 'smpp-two'],
      ['outbound_sip_proxy', 'proxy.example.net'],
      ['trunk_type', 'auth'],
      ['requires_register', false, 0],
      ['is_active', true, 1],
    ]
    for (const [field, value, stored = value] of others) {
      const { status } = await api.admin.put(`/VoipCarriers/${sid}`, { [field]: value })
      expect([field, status]).toEqual([field, 204])
      expected = { ...expected, [field]: stored }
      expect(await read(sid)).toEqual(expected)
    }
    expect(await read(await createCarrier())).toMatchObject({
      account_sid: null,
      service_provider_sid: null,
      dtmf_type: 'rfc2833',
      trunk_type: 'static_ip',
      requires_register: 0,
    })
  })

  test('the mask of a password keeps it, any other mask is rejected, and another password replaces it', async () => {
    const sid = await createCarrier({ inbound_auth_username: 'u', inbound_auth_password: 'the first password' })
    const put = (inbound_auth_password: string) => api.admin.put(`/VoipCarriers/${sid}`, { inbound_auth_password })
    const stored = async () => {
      const { db } = api.test.database
      const row = await db
        .selectFrom('voip_carriers')
        .select('inbound_auth_password')
        .where('voip_carrier_sid', '=', sid)
        .executeTakeFirstOrThrow()
      return row.inbound_auth_password
    }
    expect((await put('XXXXXXXX')).status).toBe(204)
    expect(await stored()).toBe('the first password')
    // The second was the mask of older versions: accepting it would tell whether the first six characters are right.
    for (const other of ['zzzzzzXXXXXX', 'the fiXXXXXXXXXXXX'])
      expect(await put(other)).toMatchObject({ status: 400, body: { field: 'inbound_auth_password' } })
    expect(await stored()).toBe('the first password')
    expect((await put('another')).status).toBe(204)
    expect(await stored()).toBe('another')
  })

  test('CARRIERS-55 the registration status has status, reason, and callId; it is ignored in a request, and an unreadable stored status is empty', async () => {
    const sid = await createCarrier()
    const { db } = api.test.database
    const put = (register_status: string | null) =>
      db.updateTable('voip_carriers').set({ register_status }).where('voip_carrier_sid', '=', sid).execute()
    const status = { status: 'fail', reason: '401 Unauthorized', cseq: '1 REGISTER', callId: 'a@b' }
    await put(JSON.stringify(status))
    expect((await api.admin.put(`/VoipCarriers/${sid}`, { register_status: { status: 'ok' } })).status).toBe(204)
    expect((await read(sid))['register_status']).toEqual(status)
    const timed = { status: 'ok', timestamp: '2026-11-25T11:00:00.000Z', expires: 3600 }
    await put(JSON.stringify(timed))
    expect((await read(sid))['register_status']).toEqual(timed)
    // After a network error, the reason is an object. The failure must not look like a registration that has not started.
    await put('{"status":"fail","reason":{}}')
    expect((await read(sid))['register_status']).toEqual({ status: 'fail' })
    for (const text of ['[object Object]', '[]', '"x"', '{"status":{}}']) {
      await put(text)
      expect((await read(sid))['register_status']).toEqual({})
    }
  })

  test('an invalid sid is 400, and an unknown one 404', async () => {
    expect(statusAndMessage(await api.admin.get('/VoipCarriers/nonsense'))).toEqual([400, 'Bad request'])
    for (const [method, path] of [
      ['get', `/VoipCarriers/${randomUUID()}`],
      ['delete', `/VoipCarriers/${randomUUID()}`],
    ] as const)
      expect((await api.admin[method](path)).status).toBe(404)
    expect((await api.admin.put(`/VoipCarriers/${randomUUID()}`, { name: 'x' })).status).toBe(404)
  })
})
describe('the owner of a carrier', () => {
  test('API-063 is a provider, its account, the own account of a user, or none for an admin', async () => {
    const { P, Q, A, B } = world.sid
    const ofP = await signedIn(api, world.users['user of P'])
    const ofA = await signedIn(api, world.users['user of A'])
    const owner = async (sid: string) => {
      const { account_sid, service_provider_sid } = await read(sid)
      return [account_sid, service_provider_sid]
    }
    const name = 'whose'
    const under = async (path: string, body: object, caller: Caller) =>
      owner(member(await caller.post(path, { name, ...body }), 'sid'))
    const provider = `/ServiceProviders/${P}/VoipCarriers/`
    expect(await under(provider, { account_sid: null, service_provider_sid: Q }, ofP)).toEqual([null, P])
    expect(await under(provider, { account_sid: A }, ofP)).toEqual([A, P])
    expect(await under('/VoipCarriers', {}, ofP)).toEqual([null, P])
    expect(await under('/VoipCarriers', { account_sid: B, service_provider_sid: Q }, ofA)).toEqual([A, P])
    expect(await under(`/Accounts/${A}/VoipCarriers`, { account_sid: null }, ofA)).toEqual([A, P])
    expect(await under(`/Accounts/${A}/VoipCarriers`, { account_sid: B }, api.admin)).toEqual([A, P])
    expect(await under('/VoipCarriers', { account_sid: B }, api.admin)).toEqual([B, Q])
    expect(
      await under('/VoipCarriers', {}, world.keys['key of A'] ? api.as(world.keys['key of A'].token) : ofA),
    ).toEqual([A, P])
  })

  test.each([
    ['an account of another provider', { account_sid: 'B' }, 'unknown account_sid'],
    ['no account at all', { account_sid: 'xxxx' }, 'unknown account_sid'],
    ['an application without an account', { application_sid: 'x' }, 'account_sid missing'],
    ['an application that is none', { account_sid: 'A', application_sid: 'xxx' }, 'unknown application_sid'],
    [
      'another account’s application',
      { account_sid: 'A', application_sid: 'of A2' },
      'application_sid does not exist for specified account_sid',
    ],
    ['another provider', { service_provider_sid: 'Q' }, 'service_provider_sid must be your own'],
  ])('cannot be %s for a provider, neither for a new carrier nor for one of its own', async (_, wrong, msg) => {
    const named: Readonly<Record<string, string>> = { ...world.sid, 'of A2': world.things.A2.application_sid }
    const body = Object.fromEntries(Object.entries(wrong).map(([field, value]) => [field, named[value] ?? value]))
    const ofP = await signedIn(api, world.users['user of P'])
    const own = await createCarrier({}, ofP)
    const before = await snapshot(api)
    expect(statusAndMessage(await ofP.post('/VoipCarriers', { name: 'x', ...body }))).toEqual([400, msg])
    expect(statusAndMessage(await ofP.put(`/VoipCarriers/${own}`, body))).toEqual([400, msg])
    expect(await snapshot(api)).toEqual(before)
  })

  test('can be changed only if the application belongs to the new one', async () => {
    const { A, A2 } = world.sid
    const sid = await createCarrier({ account_sid: A, application_sid: world.things.A.application_sid })
    const move = (more: object) => api.admin.put(`/VoipCarriers/${sid}`, { account_sid: A2, ...more })
    expect((await move({})).status).toBe(400)
    expect((await move({ application_sid: world.things.A2.application_sid })).status).toBe(204)
    expect((await api.admin.put(`/VoipCarriers/${sid}`, { account_sid: null, application_sid: '' })).status).toBe(204)
    expect(await read(sid)).toMatchObject({ account_sid: null, service_provider_sid: world.sid.P })
  })

  test('can be changed only if all numbers and routes that refer to the carrier may still use it', async () => {
    const its = await createWorld(api)
    const { P, Q, A, A2, B } = its.sid
    const { db } = api.test.database
    const sid = await createCarrier({ service_provider_sid: P })
    const move = async (body: object) => (await api.admin.put(`/VoipCarriers/${sid}`, body)).status
    const number = { phone_number_sid: randomUUID(), number: randomUUID(), account_sid: A, voip_carrier_sid: sid }
    await db.insertInto('phone_numbers').values(number).execute()
    expect(await move({ account_sid: A2 })).toBe(422)
    expect(await move({ service_provider_sid: Q })).toBe(422)
    expect(await move({ account_sid: B })).toBe(422)
    expect(await move({ account_sid: A })).toBe(204)
    expect(await move({ account_sid: null })).toBe(204)
    await db.deleteFrom('phone_numbers').where('phone_number_sid', '=', number.phone_number_sid).execute()
    const [lcr_sid, lcr_route_sid] = [randomUUID(), randomUUID()]
    await db.insertInto('lcr').values({ lcr_sid, account_sid: A }).execute()
    await db.insertInto('lcr_routes').values({ lcr_route_sid, lcr_sid, regex: '1', priority: 0 }).execute()
    const entry = { lcr_carrier_set_entry_sid: randomUUID(), lcr_route_sid, voip_carrier_sid: sid }
    await db.insertInto('lcr_carrier_set_entry').values(entry).execute()
    expect([await move({ account_sid: A2 }), await move({ service_provider_sid: Q })]).toEqual([422, 422])
    expect(await move({ account_sid: A })).toBe(204)
    await db
      .updateTable('lcr')
      .set({ account_sid: null, service_provider_sid: P })
      .where('lcr_sid', '=', lcr_sid)
      .execute()
    expect([await move({ account_sid: B }), await move({ account_sid: A2 })]).toEqual([422, 204])
  })

  test('is checked against a nested path', async () => {
    const { P, Q, A, A2 } = world.sid
    const body = { name: 'taken over' }
    const ofP = await signedIn(api, world.users['user of P'])
    const ofA = await signedIn(api, world.users['user of A'])
    const { A: things, B: foreign } = world.things
    const foreignTo = async (caller: Caller, path: string) => (await caller.put(path, body)).status
    expect(await foreignTo(ofP, `/ServiceProviders/${P}/VoipCarriers/${foreign.voip_carrier_sid}`)).toBe(422)
    expect(await foreignTo(ofA, `/Accounts/${A}/VoipCarriers/${world.things.A2.voip_carrier_sid}`)).toBe(422)
    expect(await foreignTo(ofA, `/Accounts/${A}/VoipCarriers/${await createCarrier({}, ofP)}`)).toBe(422)
    expect(await foreignTo(api.admin, `/ServiceProviders/${Q}/VoipCarriers/${things.voip_carrier_sid}`)).toBe(404)
    expect(await foreignTo(api.admin, `/Accounts/${A2}/VoipCarriers/${things.voip_carrier_sid}`)).toBe(404)
    expect(Object.keys(await countMentions(api, 'taken over'))).toEqual([])
  })
})

test.each([
  [{ requires_register: true, register_password: 'p' }, 'register_username', /register_username is required/],
  [{ requires_register: true, register_username: 'u' }, 'register_password', /register_password is required/],
  [
    { requires_register: true, register_username: 'a b', register_password: 'p' },
    'register_username',
    /must not contain whitespace/,
  ],
  [{ register_username: 'a b' }, 'register_username', /must not contain whitespace/],
  [{ register_sip_realm: '' }, 'register_sip_realm', /must not be empty string/],
  [{ register_sip_realm: 'sip:a.example' }, 'register_sip_realm', /no sip: prefix/],
  [{ register_sip_realm: 'localhost' }, 'register_sip_realm', /valid domain or IP/],
  [{ register_from_domain: 'a b.example' }, 'register_from_domain', /valid domain or IP/],
])('registration settings: %j is rejected at %s', async (wrong, field, msg) => {
  const refused = { status: 400, body: { field, msg: expect.stringMatching(msg) as string } }
  expect(await api.admin.post('/VoipCarriers', { name: 'x', ...wrong })).toMatchObject(refused)
  expect(await api.admin.put(`/VoipCarriers/${await createCarrier()}`, wrong)).toMatchObject(refused)
})

test('a registering carrier cannot lose its name or password, whose stored values count', async () => {
  const sid = await createCarrier({ requires_register: true, register_username: 'u', register_password: 'p' })
  const put = async (body: object) => (await api.admin.put(`/VoipCarriers/${sid}`, body)).status
  expect(await put({ register_sip_realm: '192.168.1.100' })).toBe(204)
  expect(await put({ register_sip_realm: null })).toBe(204)
  expect(await put({ register_username: null })).toBe(400)
  expect(await put({ register_password: '' })).toBe(400)
  expect(await put({ requires_register: false, register_username: null })).toBe(204)
})
describe('lists', () => {
  test('API-061 an account has its own carriers and the shared ones of its provider, and a provider all of its own', async () => {
    const { P, Q, A, A2 } = await createWorld(api).then((its) => {
      world = its
      return its.sid
    })
    const carriers = {
      P: { service_provider_sid: P },
      Q: { service_provider_sid: Q },
      A: { account_sid: A },
      A2: { account_sid: A2 },
    }
    for (const [name, owner] of Object.entries(carriers)) await createCarrier({ ...owner, name: `listed ${name}` })
    const seen = async (caller: Caller, path: string) =>
      names(getRows(await caller.get(path)).filter((row) => String(row['name']).startsWith('listed')))
    const ofP = await signedIn(api, world.users['user of P'])
    const ofA = await signedIn(api, world.users['user of A'])
    expect(await seen(ofA, '/VoipCarriers')).toEqual(['listed A', 'listed P'])
    expect(await seen(ofA, `/VoipCarriers?account_sid=${A2}`)).toEqual(['listed A', 'listed P'])
    expect(await seen(ofA, `/ServiceProviders/${P}/VoipCarriers`)).toEqual(['listed A', 'listed P'])
    expect(await seen(ofP, `/ServiceProviders/${P}/VoipCarriers`)).toEqual(['listed A', 'listed A2', 'listed P'])
    expect(await seen(ofP, `/ServiceProviders/${P}/VoipCarriers?account_sid=${A2}`)).toEqual(['listed A2', 'listed P'])
    expect(await seen(ofP, `/VoipCarriers?account_sid=${world.sid.B}`)).toEqual([])
    expect(await seen(ofP, '/VoipCarriers?name=ED%20a')).toEqual(['listed A', 'listed A2'])
    expect(await seen(ofP, `/Accounts/${A}/VoipCarriers`)).toEqual(['listed A'])
    expect(await seen(api.admin, '/VoipCarriers')).toEqual(['listed A', 'listed A2', 'listed P', 'listed Q'])
  })

  test('API-060 are paged, sorted by name, with the total count', async () => {
    const provider = await api.provider()
    for (const name of ['c', 'a', 'b']) await createCarrier({ service_provider_sid: provider, name: `paged ${name}` })
    const page = async (query: string) =>
      getRow(await api.admin.get(`/ServiceProviders/${provider}/VoipCarriers?${query}`))
    const first = await page('page=1&page_size=2&name=paged')
    expect(first).toMatchObject({ total: 3, page: 1, page_size: 2 })
    expect((first['data'] as { name: string }[]).map(({ name }) => name)).toEqual(['paged a', 'paged b'])
    expect(await page('page=2&page_size=2')).toMatchObject({ total: 3, data: [{ name: 'paged c' }] })
    expect(await page('page=9&page_size=25')).toMatchObject({ total: 3, data: [] })
    expect(await page('page=1&page_size=25&name=ED%20b')).toMatchObject({ total: 1, data: [{ name: 'paged b' }] })
    const [account_sid, beside] = [await api.account(provider), await api.account(provider)]
    for (const owner of [account_sid, beside]) await createCarrier({ account_sid: owner, name: `paged of ${owner}` })
    const ofAccount = await page(`page=1&page_size=25&account_sid=${account_sid}`)
    expect(ofAccount).toMatchObject({ total: 4 })
    expect(names(ofAccount['data'] as Row[])).toEqual(['paged a', 'paged b', 'paged c', `paged of ${account_sid}`])
    expect((await api.admin.get('/VoipCarriers?page=-1')).status).toBe(400)
  })
})
describe('deleting', () => {
  test('API-065 deletes the gateways too, with their audit entries', async () => {
    const sid = await createCarrier()
    await api.admin.post('/SipGateways', { voip_carrier_sid: sid, ipv4: '10.0.0.1' })
    await api.admin.post('/SmppGateways', { voip_carrier_sid: sid, ipv4: '10.0.0.1' })
    expect((await api.admin.delete(`/VoipCarriers/${sid}`)).status).toBe(204)
    expect(await countMentions(api, sid)).toEqual({})
  })

  test('is rejected without changes while a phone number or an outbound route uses the carrier', async () => {
    const { db } = api.test.database
    const voip_carrier_sid = await createCarrier()
    await api.admin.post('/SipGateways', { voip_carrier_sid, ipv4: '10.0.0.1' })
    const [phone_number_sid, lcr_sid, lcr_route_sid] = [randomUUID(), randomUUID(), randomUUID()]
    await db
      .insertInto('phone_numbers')
      .values({ phone_number_sid, number: randomUUID().slice(0, 20), voip_carrier_sid })
      .execute()
    const before = await snapshot(api)
    expect(statusAndMessage(await api.admin.delete(`/VoipCarriers/${voip_carrier_sid}`))).toEqual([
      422,
      'cannot delete voip carrier with active phone numbers',
    ])
    expect(await snapshot(api)).toEqual(before)
    await db.deleteFrom('phone_numbers').where('phone_number_sid', '=', phone_number_sid).execute()
    await db.insertInto('lcr').values({ lcr_sid }).execute()
    await db.insertInto('lcr_routes').values({ lcr_route_sid, lcr_sid, regex: '.*', priority: 0 }).execute()
    const entry = { lcr_carrier_set_entry_sid: randomUUID(), lcr_route_sid, voip_carrier_sid }
    await db.insertInto('lcr_carrier_set_entry').values(entry).execute()
    expect(statusAndMessage(await api.admin.delete(`/VoipCarriers/${voip_carrier_sid}`))).toEqual([
      422,
      'cannot delete voip carrier with active outbound call routes',
    ])
    expect(getRows(await api.admin.get(`/SipGateways?voip_carrier_sid=${voip_carrier_sid}`))).toHaveLength(1)
  })
})

test('twenty concurrent creations of an account stop at its limit of ten, and carriers can be restricted to the operator', async () => {
  const limited = await createTestApi({ APPLY_JAMBONZ_DB_LIMITS: '1' })
  try {
    const its = await createWorld(limited)
    const ofA = await signedIn(limited, its.users['user of A'])
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) => ofA.post('/VoipCarriers', { name: `carrier ${index}` })),
    )
    // The account already has one carrier.
    expect(all.filter(({ status }) => status === 201)).toHaveLength(9)
    const message = 'exceeded limits - you have created 10 instances of this resource'
    expect(await ofA.post('/VoipCarriers', { name: 'x' })).toMatchObject({
      status: 422,
      body: { status: 'fail', message, msg: message },
    })
    const ofP = await signedIn(limited, its.users['user of P'])
    expect((await ofP.post('/VoipCarriers', { name: 'x' })).status).toBe(201)
  } finally {
    await limited.close()
  }
  const restricted = await createTestApi({ JAMBONES_ADMIN_CARRIER: '1' })
  try {
    const its = await createWorld(restricted)
    const ofA = await signedIn(restricted, its.users['user of A'])
    const { voip_carrier_sid, sip_gateway_sid } = its.things.A
    const tried = [
      await ofA.post('/VoipCarriers', { name: 'x' }),
      await ofA.post(`/Accounts/${its.sid.A}/VoipCarriers`, { name: 'x' }),
      await ofA.put(`/VoipCarriers/${voip_carrier_sid}`, { name: 'x' }),
      await ofA.delete(`/VoipCarriers/${voip_carrier_sid}`),
      await ofA.post('/SipGateways', { voip_carrier_sid, ipv4: '10.0.0.1' }),
      await ofA.delete(`/SipGateways/${sip_gateway_sid}`),
    ]
    for (const answer of tried) expect(statusAndMessage(answer)).toEqual([400, 'insufficient privileges'])
    expect((await restricted.admin.put(`/VoipCarriers/${voip_carrier_sid}`, { name: 'x' })).status).toBe(204)
  } finally {
    await restricted.close()
  }
})
