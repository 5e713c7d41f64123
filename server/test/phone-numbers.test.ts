import { randomUUID } from 'node:crypto'
import { type Caller, createTestApi, member } from '@patchbay/testkit/test-api'
import { createWorld, openTestWorld, signedIn, type UserName, type World } from '@patchbay/testkit/test-world'
import { beforeAll, describe, expect, test } from 'vitest'
import { getRow, getRows, type Row, snapshot, sorted, statusAndMessage } from './fixtures.ts'

const { api, world } = await openTestWorld()

interface InsertedNumber {
  number: string
  account_sid?: string
  service_provider_sid?: string
  voip_carrier_sid?: string
  application_sid?: string
}

const insert = async (row: InsertedNumber) => {
  const phone_number_sid = randomUUID()
  await api.test.database.db
    .insertInto('phone_numbers')
    .values({ phone_number_sid, ...row })
    .execute()
  return phone_number_sid
}

const as = (name: UserName, of: World = world) => signedIn(api, of.users[name])

const carrier = async (owner: object = {}) =>
  member(await api.admin.post('/VoipCarriers', { name: 'a carrier', ...owner }), 'sid')

let serial = 0
const fresh = (): string => `1508${String((serial += 1)).padStart(7, '0')}`
const createNumber = async (body: object = {}, caller: Caller = api.admin) =>
  member(await caller.post('/PhoneNumbers', { number: fresh(), ...body }), 'sid')
const read = async (sid: string) => getRow(await api.admin.get(`/PhoneNumbers/${sid}`))

const getSids = (rows: readonly Row[]): string[] => sorted(rows.map((row) => row['phone_number_sid']))

test('API-093 NUMBERS-18 GET PhoneNumbers/{sid} returns one number with all its fields', async () => {
  const { A: account_sid, P: service_provider_sid } = world.sid
  const { voip_carrier_sid, application_sid } = world.things.A
  const none = { voip_carrier_sid: null, account_sid: null, application_sid: null, service_provider_sid: null }
  const caller = await as('user of P')
  for (const row of [
    { number: '15083084809', account_sid },
    { number: '15083084810', account_sid, voip_carrier_sid, application_sid },
    { number: '15083084811', service_provider_sid },
  ]) {
    const phone_number_sid = await insert(row)
    const answer = await caller.get(`/PhoneNumbers/${phone_number_sid}`)
    expect(answer.body).toEqual({ ...none, ...row, phone_number_sid })
  }
  expect((await api.admin.get('/PhoneNumbers/nonsense')).status).toBe(400)
  expect((await api.admin.get(`/PhoneNumbers/${randomUUID()}`)).status).toBe(404)
})

test('a number without an account belongs to the provider that it names, or else to admins only', async () => {
  const of = await createWorld(api)
  const named = await insert({ number: 'named', service_provider_sid: of.sid.P })
  const loose = await insert({ number: 'loose' })
  // A number of an account does not belong to another provider, even if its row names one.
  const foreign = await insert({ number: 'foreign', account_sid: of.sid.A, service_provider_sid: of.sid.Q })
  const seen = async (name: UserName) => {
    const caller = await as(name, of)
    const listed = getRows(await caller.get('/PhoneNumbers')).map((row) => row['phone_number_sid'])
    const statuses = []
    for (const sid of [named, loose, foreign]) statuses.push((await caller.get(`/PhoneNumbers/${sid}`)).status)
    return [[named, loose, foreign].map((sid) => listed.includes(sid)), statuses]
  }
  expect(await seen('user of P')).toEqual([
    [true, false, true],
    [200, 404, 200],
  ])
  expect(await seen('user of Q')).toEqual([
    [false, false, false],
    [404, 404, 404],
  ])
  expect(await seen('user of A')).toEqual([
    [false, false, true],
    [404, 404, 200],
  ])
  expect(await seen('admin')).toEqual([
    [true, true, true],
    [200, 200, 200],
  ])
})

describe('lists of numbers', () => {
  test('API-092 are filtered by account and provider for admins, and restricted to the scope of other callers', async () => {
    const of = await createWorld(api)
    const { sid, things } = of
    const [ofA, ofA2, ofB] = [things.A, things.A2, things.B].map(({ phone_number_sid }) => phone_number_sid)
    const seen = async (name: UserName, query: string) =>
      getSids(getRows(await (await as(name, of)).get(`/PhoneNumbers?${query}`)))
    expect(await seen('admin', '')).toEqual(expect.arrayContaining([ofA, ofA2, ofB]))
    expect(await seen('admin', `service_provider_sid=${sid.P}`)).toEqual(sorted([ofA, ofA2]))
    expect(await seen('admin', `account_sid=${sid.B}`)).toEqual([ofB])
    expect(await seen('admin', `account_sid=${sid.B}&service_provider_sid=${sid.P}`)).toEqual([])
    expect(await seen('admin', `account_sid=&service_provider_sid=${sid.P}`)).toEqual(sorted([ofA, ofA2]))
    expect(await seen('user of P', '')).toEqual(sorted([ofA, ofA2]))
    expect(await seen('user of P', `account_sid=${sid.A2}`)).toEqual([ofA2])
    expect(await seen('user of P', `account_sid=${sid.B}&service_provider_sid=${sid.Q}`)).toEqual([])
    expect(await seen('user of A', `account_sid=${sid.B}&service_provider_sid=${sid.Q}`)).toEqual([ofA])
    const ofProvider = async (name: UserName) =>
      getSids(getRows(await (await as(name, of)).get(`/ServiceProviders/${sid.P}/PhoneNumbers`)))
    expect(await ofProvider('admin')).toEqual(sorted([ofA, ofA2]))
    expect(await ofProvider('user of P')).toEqual(sorted([ofA, ofA2]))
    expect(await ofProvider('user of A2')).toEqual([ofA2])
  })
})

test('API-078 numbers on a carrier are listed if the caller may see them, all or by page', async () => {
  const of = await createWorld(api)
  const { P, A, A2 } = of.sid
  const voip_carrier_sid = await carrier({ service_provider_sid: P })
  const onIt = [
    await createNumber({ account_sid: A, voip_carrier_sid }),
    await createNumber({ account_sid: A2, voip_carrier_sid }),
  ]
  const [first] = onIt
  const seen = async (name: UserName, query = '') =>
    getSids(getRows(await (await as(name, of)).get(`/PhoneNumbers?voip_carrier_sid=${voip_carrier_sid}${query}`)))
  expect(await seen('admin')).toEqual(sorted(onIt))
  expect(await seen('user of P')).toEqual(sorted(onIt))
  expect(await seen('user of P', `&account_sid=${A}`)).toEqual([first])
  expect(await seen('user of A')).toEqual([first])
  expect(await seen('user of Q')).toEqual([])
  const page = await api.admin.get(`/PhoneNumbers?voip_carrier_sid=${voip_carrier_sid}&page=2&page_size=1`)
  expect(page.body).toMatchObject({ total: 2, page: 2, data: [{ voip_carrier_sid }] })
  expect(getRows(await api.admin.get('/PhoneNumbers?voip_carrier_sid=nonsense'))).toEqual([])
})

describe('pages', () => {
  let account_sid: string
  beforeAll(async () => {
    account_sid = await api.account(world.sid.P)
    for (const number of ['15551', '+44207', '15550', '4420', '15552']) await insert({ number, account_sid })
  })
  const numbers = async (query: Record<string, string>) => {
    const search = new URLSearchParams({ account_sid, ...query })
    const answer = await api.admin.get(`/PhoneNumbers?${String(search)}`)
    const rows = Array.isArray(answer.body) ? getRows(answer) : (getRow(answer)['data'] as Row[])
    return { body: answer.body, numbers: rows.map((row) => row['number']) }
  }

  test('API-092 page, page_size, and filter return data and total, sorted by number as text', async () => {
    const first = await numbers({ page: '1', page_size: '3' })
    expect(first.body).toMatchObject({ total: 5, page: 1, page_size: 3 })
    expect(first.numbers).toEqual(['+44207', '15550', '15551'])
    expect((await numbers({ page: '2', page_size: '3' })).numbers).toEqual(['15552', '4420'])
    expect((await numbers({})).numbers).toEqual(['+44207', '15550', '15551', '15552', '4420'])
    const filtered = await numbers({ page: '1', filter: '+442' })
    expect([filtered.numbers, filtered.body]).toEqual([
      ['+44207'],
      expect.objectContaining({ total: 1, page_size: 50 }),
    ])
    expect((await numbers({ filter: '555' })).numbers).toEqual(['15550', '15551', '15552'])
    // Servers sort punctuation by their collations.
    await insert({ number: '155_', account_sid })
    expect((await numbers({ filter: String.raw`155\_` })).numbers).toEqual(['155_'])
    expect((await numbers({ page: '', page_size: '2' })).body).toMatchObject({ page: 0, page_size: 2 })
    expect((await numbers({ page: '1', page_size: '' })).body).toMatchObject({ page_size: 0, data: [], total: 6 })
  })

  test('an invalid page is 400', async () => {
    for (const query of ['page=-1', 'page=one', 'page=1&page_size=-5'])
      expect([query, (await api.admin.get(`/PhoneNumbers?${query}`)).status]).toEqual([query, 400])
  })
})

describe('adding', () => {
  test('API-095 a number with carrier, account, and application, by the account, its provider, or an admin', async () => {
    const { P, A } = world.sid
    const { voip_carrier_sid, application_sid } = world.things.A
    const ofAll = await carrier({ service_provider_sid: P })
    for (const [caller, body] of [
      [await as('user of A'), { voip_carrier_sid, application_sid }],
      [await as('user of A'), { voip_carrier_sid: ofAll, account_sid: world.sid.B }],
      [api.as(world.keys['key of A'].token), { voip_carrier_sid: '', application_sid: null }],
      [await as('user of P'), { voip_carrier_sid, application_sid, account_sid: A, service_provider_sid: P }],
      [api.admin, { voip_carrier_sid: ofAll, application_sid, account_sid: A }],
    ] as const) {
      const number = fresh()
      const phone_number_sid = await createNumber({ number: `+${number}`, ...body }, caller)
      expect(await read(phone_number_sid)).toEqual({
        phone_number_sid,
        number,
        voip_carrier_sid: body.voip_carrier_sid || null,
        account_sid: A,
        application_sid: ('application_sid' in body && body.application_sid) || null,
        service_provider_sid: null,
      })
    }
  })

  test.each([
    ['+15083084809', '15083084809'],
    ['++1555', '+1555'],
    ['abc*#', 'abc*#'],
    [String.raw`^1(508|617)\d+$`, String.raw`^1(508|617)\d+$`],
    [`+${'1'.repeat(132)}`, '1'.repeat(132)],
  ])('%j is stored as %j', async (number, stored) => {
    expect(await read(await createNumber({ number }))).toMatchObject({ number: stored })
  })

  test.each([
    [undefined, 'number is required'],
    [null, 'number is required'],
    ['', 'number is required'],
    [15083084809, 'number is required'],
    ['1508 3084809', 'number cannot contain whitespace'],
    ['\u00a015083084809', 'number cannot contain whitespace'],
    ['+', 'number must not be empty'],
    ['1'.repeat(133), 'number must be at most 132 characters long'],
  ])('%j is not a number', async (number, msg) => {
    const answer = await api.admin.post('/PhoneNumbers', { number })
    expect(answer).toMatchObject({ status: 400, body: { msg, field: 'number' } })
  })

  test('a number exists once per carrier regardless of its notation, and again on another carrier or without one', async () => {
    const number = fresh()
    const [one, other] = [await carrier(), await carrier()]
    const add = (body: object) => api.admin.post('/PhoneNumbers', { number, ...body })
    expect((await add({ voip_carrier_sid: one })).status).toBe(201)
    const before = await snapshot(api)
    for (const again of [number, `+${number}`])
      expect(await add({ number: again, voip_carrier_sid: one })).toMatchObject({
        status: 422,
        body: { msg: 'Duplicate entry: number is already in use on this carrier', field: 'number' },
      })
    expect(await snapshot(api)).toEqual(before)
    for (const voip_carrier_sid of [other, null, null]) expect((await add({ voip_carrier_sid })).status).toBe(201)
  })

  test('three hundred concurrent creations of the same number create one, and the others get an error', async () => {
    const { P, A } = world.sid
    const body = { number: fresh(), account_sid: A, voip_carrier_sid: await carrier({ service_provider_sid: P }) }
    const callers = [api.admin, await as('user of P'), await as('user of A')]
    const all = await Promise.all(
      Array.from({ length: 300 }, (_, nth) => (callers[nth % 3] ?? api.admin).post('/PhoneNumbers', body)),
    )
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(
      all.filter(
        ({ status, body: answerBody }) => status === 422 && Reflect.get(Object(answerBody), 'field') === 'number',
      ),
    ).toHaveLength(299)
    expect(getRows(await api.admin.get(`/PhoneNumbers?voip_carrier_sid=${body.voip_carrier_sid}`))).toHaveLength(1)
  })
})

/** Values in bodies that are placeholders for resources of the world. */
type Named = Readonly<Record<string, string | null>>

const resolveBody = (named: Named, resources: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(named).map(([field, value]) => [field, value === null ? null : (resources[value] ?? value)]),
  )

describe('references to resources of other tenants', () => {
  let resources: Readonly<Record<string, string>>
  beforeAll(async () => {
    const { things, sid } = world
    resources = {
      ...sid,
      'carrier of A': things.A.voip_carrier_sid,
      'carrier of A2': things.A2.voip_carrier_sid,
      'carrier of B': things.B.voip_carrier_sid,
      'carrier of Q': await carrier({ service_provider_sid: sid.Q }),
      'carrier of nobody': await carrier(),
      'application of A': things.A.application_sid,
      'application of A2': things.A2.application_sid,
      'application of B': things.B.application_sid,
    }
  })

  const foreign = 'voip_carrier not found for sid'
  const unfit = 'voip_carrier_sid does not belong to the account'
  const elsewhere = 'application_sid does not exist for specified account_sid'

  test.each<[UserName, Named, string]>([
    ['user of A', { voip_carrier_sid: 'carrier of A2' }, foreign],
    ['user of A', { voip_carrier_sid: 'carrier of A2', account_sid: 'A2' }, foreign],
    ['user of A', { voip_carrier_sid: 'carrier of Q' }, foreign],
    ['user of A', { voip_carrier_sid: 'carrier of nobody' }, foreign],
    ['user of A', { voip_carrier_sid: 'xxx' }, foreign],
    ['user of A', { application_sid: 'application of A2' }, elsewhere],
    ['user of A', { application_sid: 'application of A2', account_sid: 'A2' }, elsewhere],
    ['user of A', { application_sid: 'xxx' }, 'unknown application_sid'],
    ['user of P', { account_sid: 'B' }, 'unknown account_sid'],
    ['user of P', { account_sid: 'xxx' }, 'unknown account_sid'],
    ['user of P', { account_sid: 'A', voip_carrier_sid: 'carrier of A2' }, unfit],
    ['user of P', { account_sid: 'A', voip_carrier_sid: 'carrier of B' }, foreign],
    ['user of P', { voip_carrier_sid: 'carrier of Q' }, foreign],
    ['user of P', { account_sid: 'A', voip_carrier_sid: 'carrier of nobody' }, foreign],
    ['user of P', { account_sid: 'A', application_sid: 'application of B' }, elsewhere],
    ['user of P', { voip_carrier_sid: 'carrier of A', application_sid: 'application of A' }, 'account_sid missing'],
    ['user of P', { account_sid: 'A', service_provider_sid: 'Q' }, 'service_provider_sid must be your own'],
    ['user of P', {}, 'account_sid missing'],
    ['admin', { account_sid: 'A', voip_carrier_sid: 'carrier of B' }, unfit],
    ['admin', { account_sid: 'A', voip_carrier_sid: 'carrier of Q' }, unfit],
    ['admin', { account_sid: 'A', service_provider_sid: 'Q' }, 'account_sid is not of this service provider'],
    ['admin', { service_provider_sid: 'xxx' }, 'unknown service_provider_sid'],
  ])('%s cannot create one with %j', async (name, named, msg) => {
    const caller = await as(name)
    const before = await snapshot(api)
    const answer = await caller.post('/PhoneNumbers', { number: fresh(), ...resolveBody(named, resources) })
    expect(answer).toMatchObject({ status: 400, body: { msg: expect.stringContaining(msg) as string } })
    expect(await snapshot(api)).toEqual(before)
  })

  test.each<[UserName, Named, string]>([
    ['user of A', { application_sid: 'application of A2' }, elsewhere],
    ['user of A', { application_sid: 'application of A2', account_sid: 'A2' }, elsewhere],
    ['user of P', { account_sid: 'B' }, 'unknown account_sid'],
    ['user of P', { account_sid: 'A2' }, unfit],
    ['user of P', { application_sid: 'application of B' }, elsewhere],
    ['user of P', { account_sid: 'A2', application_sid: 'application of A2' }, unfit],
    ['user of P', { account_sid: null, application_sid: 'application of A' }, 'account_sid missing'],
    ['user of P', { service_provider_sid: 'Q' }, 'service_provider_sid must be your own'],
    ['admin', { account_sid: 'B' }, unfit],
    ['admin', { service_provider_sid: 'Q' }, 'account_sid is not of this service provider'],
    ['admin', { voip_carrier_sid: 'carrier of A2' }, 'voip_carrier_sid may not be modified'],
    ['admin', { number: '1', voip_carrier_sid: '' }, 'number may not be modified'],
  ])('%s cannot give a number of A %j', async (name, named, msg) => {
    const { A: account_sid } = world.sid
    const caller = await as(name)
    const sid = await createNumber({ account_sid, voip_carrier_sid: resources['carrier of A'] })
    const before = await snapshot(api)
    const answer = await caller.put(`/PhoneNumbers/${sid}`, resolveBody(named, resources))
    expect(answer).toMatchObject({ status: 400, body: { msg: expect.stringContaining(msg) as string } })
    expect(await snapshot(api)).toEqual(before)
  })
})

describe('changing', () => {
  test('API-096 API-132 changes account and application, only the application if it is sent alone, and never number or carrier', async () => {
    const { A, A2 } = world.sid
    const ofA = world.things.A.application_sid
    const voip_carrier_sid = await carrier({ service_provider_sid: world.sid.P })
    const sid = await createNumber({ account_sid: A, voip_carrier_sid })
    const before = await read(sid)
    const put = async (body: object) => (await api.admin.put(`/PhoneNumbers/${sid}`, body)).status
    expect(await put({ application_sid: ofA })).toBe(204)
    expect(await read(sid)).toEqual({ ...before, application_sid: ofA })
    expect(await put({})).toBe(204)
    expect(await put({ voip_carrier_sid: null, number: '' })).toBe(204)
    expect(await read(sid)).toEqual({ ...before, application_sid: ofA })
    expect(await put({ application_sid: null })).toBe(204)
    expect(await read(sid)).toEqual(before)
    const { application_sid } = world.things.A2
    expect(await put({ account_sid: A2, application_sid })).toBe(204)
    expect(await read(sid)).toEqual({ ...before, account_sid: A2, application_sid })
    expect(await put({ account_sid: A })).toBe(400)
    expect(await put({ account_sid: null })).toBe(400)
    expect(await put({ account_sid: null, application_sid: '' })).toBe(204)
    expect(await read(sid)).toEqual({ ...before, account_sid: null })
  })

  test('an admin can create a number without an owner and later assign it to an account, whose provider can then change it', async () => {
    const { A, A2 } = world.sid
    const { application_sid } = world.things.A
    const sid = await createNumber({ voip_carrier_sid: await carrier() })
    expect((await api.admin.put(`/PhoneNumbers/${sid}`, { account_sid: A })).status).toBe(204)
    expect((await api.admin.put(`/PhoneNumbers/${sid}`, { application_sid, account_sid: A })).status).toBe(204)
    const ofP = await as('user of P')
    const put = async (body: object) => statusAndMessage(await ofP.put(`/PhoneNumbers/${sid}`, body))
    expect(await put({ account_sid: A2, application_sid: null })).toEqual([204, undefined])
    // With a carrier without an owner, the number would have no owner either.
    expect(await put({ account_sid: null })).toEqual([400, 'account_sid missing'])
  })

  test('an account cannot transfer its numbers', async () => {
    const { A, A2 } = world.sid
    const sid = await createNumber({ account_sid: A })
    expect((await (await as('user of A')).put(`/PhoneNumbers/${sid}`, { account_sid: A2 })).status).toBe(204)
    expect(await read(sid)).toMatchObject({ account_sid: A })
  })

  test('the provider of a test number can be set by admins only, and must be that of its account', async () => {
    const { P, Q, A, B } = world.sid
    const sid = await createNumber({ account_sid: A, service_provider_sid: P })
    expect(await read(sid)).toMatchObject({ service_provider_sid: P })
    expect((await (await as('user of P')).put(`/PhoneNumbers/${sid}`, { service_provider_sid: '' })).status).toBe(204)
    expect(await read(sid)).toMatchObject({ service_provider_sid: P })
    expect((await api.admin.put(`/PhoneNumbers/${sid}`, { account_sid: B })).status).toBe(204)
    expect(await read(sid)).toMatchObject({ account_sid: B, service_provider_sid: null })
    expect((await api.admin.put(`/PhoneNumbers/${sid}`, { service_provider_sid: Q })).status).toBe(204)
    expect((await api.admin.put(`/PhoneNumbers/${sid}`, { service_provider_sid: null })).status).toBe(204)
    expect(await read(sid)).toMatchObject({ account_sid: B, service_provider_sid: null })
  })

  test('a number without an account belongs to the provider of its carrier', async () => {
    const of = await createWorld(api)
    const sids = [
      await createNumber({ voip_carrier_sid: of.things.A.voip_carrier_sid }, await as('user of P', of)),
      await createNumber(
        { voip_carrier_sid: await carrier({ service_provider_sid: of.sid.P }) },
        await as('user of P', of),
      ),
    ]
    for (const sid of sids) {
      expect(await read(sid)).toMatchObject({ account_sid: null, service_provider_sid: null })
      const isListed = async (name: UserName, path: string) =>
        getSids(getRows(await (await as(name, of)).get(path))).includes(sid)
      for (const path of ['/PhoneNumbers', `/ServiceProviders/${of.sid.P}/PhoneNumbers`]) {
        expect(await isListed('user of P', path)).toBe(true)
        expect(await isListed('user of A', path)).toBe(false)
      }
      expect(await isListed('user of Q', '/PhoneNumbers')).toBe(false)
      const change = { account_sid: of.sid.A }
      for (const name of ['user of Q', 'user of A', 'user of B'] as const)
        expect((await (await as(name, of)).put(`/PhoneNumbers/${sid}`, change)).status).toBe(403)
      expect((await (await as('user of P', of)).put(`/PhoneNumbers/${sid}`, change)).status).toBe(204)
    }
  })

  test('routing a number while it is moved to another account either happens before or fails', async () => {
    const { P, A, A2 } = world.sid
    const voip_carrier_sid = await carrier({ service_provider_sid: P })
    const { application_sid } = world.things.A
    const [ofP, ofA] = [await as('user of P'), await as('user of A')]
    const sids = []
    for (let count = 0; count < 20; count += 1) sids.push(await createNumber({ account_sid: A, voip_carrier_sid }))
    const statuses = await Promise.all(
      sids.flatMap((sid) => [
        ofA.put(`/PhoneNumbers/${sid}`, { application_sid }),
        ofP.put(`/PhoneNumbers/${sid}`, { account_sid: A2, application_sid: null }),
      ]),
    )
    for (const { status } of statuses) expect([204, 403]).toContain(status)
    for (const sid of sids) expect(await read(sid)).toMatchObject({ account_sid: A2, application_sid: null })
  })
})

test('API-094 DELETE PhoneNumbers/{sid} deletes a number once', async () => {
  const { A: account_sid } = world.sid
  const { application_sid, voip_carrier_sid } = world.things.A
  const sid = await createNumber({ account_sid, application_sid, voip_carrier_sid })
  const ofA = await as('user of A')
  const signal = await Promise.all([ofA, ofA, ofA].map((caller) => caller.delete(`/PhoneNumbers/${sid}`)))
  expect(signal.filter(({ status }) => status === 204)).toHaveLength(1)
  expect((await api.admin.get(`/PhoneNumbers/${sid}`)).status).toBe(404)
  for (const none of [sid, 'nonsense']) {
    expect((await api.admin.delete(`/PhoneNumbers/${none}`)).status).toBe(404)
    expect((await api.admin.put(`/PhoneNumbers/${none}`, {})).status).toBe(404)
  }
})

test('the audit trail shows changes of a number to its owner, by number', async () => {
  const of = await createWorld(api)
  const ofP = await as('user of P', of)
  const number = fresh()
  const sid = await createNumber({ number, voip_carrier_sid: await carrier({ service_provider_sid: of.sid.P }) }, ofP)
  await ofP.put(`/PhoneNumbers/${sid}`, { account_sid: of.sid.A })
  await ofP.delete(`/PhoneNumbers/${sid}`)
  const entries = getRow(await ofP.get(`/patchbay/audit-trail?page=1&count=25&kind=phone_number&sid=${sid}`))[
    'data'
  ] as Row[]
  expect(entries.map(({ action, name, account_sid }) => [action, name, account_sid])).toEqual([
    ['delete', number, of.sid.A],
    ['update', number, of.sid.A],
    ['create', number, null],
  ])
})

test('an account can create up to its limit of two hundred numbers, or none if only the operator manages carriers', async () => {
  const limited = await createTestApi({ APPLY_JAMBONZ_DB_LIMITS: '1' })
  try {
    const its = await createWorld(limited)
    const { A: account_sid } = its.sid
    const rows = Array.from({ length: 198 }, (_, nth) => ({
      phone_number_sid: randomUUID(),
      account_sid,
      number: `${nth}`,
    }))
    await limited.test.database.db.insertInto('phone_numbers').values(rows).execute()
    const ofA = await signedIn(limited, its.users['user of A'])
    const all = await Promise.all(
      Array.from({ length: 5 }, (_, nth) => ofA.post('/PhoneNumbers', { number: `new-${nth}` })),
    )
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1)
    const message = 'exceeded limits - you have created 200 instances of this resource'
    expect(await ofA.post('/PhoneNumbers', { number: 'x' })).toMatchObject({ status: 422, body: { message } })
    const ofP = await signedIn(limited, its.users['user of P'])
    expect((await ofP.post('/PhoneNumbers', { number: 'x', account_sid })).status).toBe(201)
  } finally {
    await limited.close()
  }
  const restricted = await createTestApi({ JAMBONES_ADMIN_CARRIER: '1' })
  try {
    const its = await createWorld(restricted)
    const ofA = await signedIn(restricted, its.users['user of A'])
    expect(statusAndMessage(await ofA.post('/PhoneNumbers', { number: '1' }))).toEqual([400, 'insufficient privileges'])
    const path = `/PhoneNumbers/${its.things.A.phone_number_sid}`
    expect((await ofA.put(path, { application_sid: its.things.A.application_sid })).status).toBe(204)
    expect((await ofA.delete(path)).status).toBe(204)
  } finally {
    await restricted.close()
  }
})
