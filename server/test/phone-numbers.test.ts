import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWorld, type Row, rowOf, rowsOf, signedIn, sorted, type UserName, type World } from './support.ts'

let api: TestApi
let world: World
beforeAll(async () => {
  api = await createTestApi()
  world = await createWorld(api)
})
afterAll(() => api.close())

const insert = async (row: { number: string; account_sid?: string; service_provider_sid?: string }) => {
  const phone_number_sid = randomUUID()
  await api.test.database.db
    .insertInto('phone_numbers')
    .values({ phone_number_sid, ...row })
    .execute()
  return phone_number_sid
}

const as = (name: UserName, of: World = world) => signedIn(api, of.users[name])
const sidsOf = (rows: readonly Row[]): string[] => sorted(rows.map((row) => row['phone_number_sid']))

test('API-093 NUMBERS-18 GET PhoneNumbers/{sid} answers one number with all its fields', async () => {
  const account_sid = world.sid.A
  const phone_number_sid = await insert({ number: '15083084809', account_sid })
  expect((await (await as('user of A')).get(`/PhoneNumbers/${phone_number_sid}`)).body).toEqual({
    phone_number_sid,
    number: '15083084809',
    voip_carrier_sid: null,
    account_sid,
    application_sid: null,
    service_provider_sid: null,
  })
  expect((await api.admin.get('/PhoneNumbers/nonsense')).status).toBe(400)
  expect((await api.admin.get(`/PhoneNumbers/${randomUUID()}`)).status).toBe(404)
})

test('a number without an account is of the provider that it names; one that names none is of admins alone', async () => {
  const of = await createWorld(api)
  const named = await insert({ number: 'named', service_provider_sid: of.sid.P })
  const loose = await insert({ number: 'loose' })
  // What is of an account is no other provider's, whatever its row says.
  const foreign = await insert({ number: 'foreign', account_sid: of.sid.A, service_provider_sid: of.sid.Q })
  const seen = async (name: UserName) => {
    const caller = await as(name, of)
    const listed = rowsOf(await caller.get('/PhoneNumbers')).map((row) => row['phone_number_sid'])
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

describe('whose numbers are listed', () => {
  test('API-092 admins narrow by account and provider, a provider by account within its own, an account has its own', async () => {
    const of = await createWorld(api)
    const { sid, things } = of
    const [ofA, ofA2, ofB] = [things.A, things.A2, things.B].map(({ phone_number_sid }) => phone_number_sid)
    const seen = async (name: UserName, query: string) =>
      sidsOf(rowsOf(await (await as(name, of)).get(`/PhoneNumbers?${query}`)))
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
      sidsOf(rowsOf(await (await as(name, of)).get(`/ServiceProviders/${sid.P}/PhoneNumbers`)))
    expect(await ofProvider('admin')).toEqual(sorted([ofA, ofA2]))
    expect(await ofProvider('user of P')).toEqual(sorted([ofA, ofA2]))
    expect(await ofProvider('user of A2')).toEqual([ofA2])
  })
})

describe('pages', () => {
  let account_sid: string
  beforeAll(async () => {
    account_sid = await api.account(world.sid.P)
    for (const number of ['15551', '+44207', '15550', '4420', '155_']) await insert({ number, account_sid })
  })
  const numbers = async (query: Record<string, string>) => {
    const search = new URLSearchParams({ account_sid, ...query })
    const answer = await api.admin.get(`/PhoneNumbers?${String(search)}`)
    const rows = Array.isArray(answer.body) ? rowsOf(answer) : (rowOf(answer)['data'] as Row[])
    return { body: answer.body, numbers: rows.map((row) => row['number']) }
  }

  test('API-092 page, page_size and filter answer data and total, by number as text', async () => {
    const first = await numbers({ page: '1', page_size: '3' })
    expect(first.body).toMatchObject({ total: 5, page: 1, page_size: 3 })
    expect(first.numbers).toEqual(['+44207', '15550', '15551'])
    expect((await numbers({ page: '2', page_size: '3' })).numbers).toEqual(['155_', '4420'])
    expect((await numbers({})).numbers).toEqual(['+44207', '15550', '15551', '155_', '4420'])
    const filtered = await numbers({ page: '1', filter: '+442' })
    expect([filtered.numbers, filtered.body]).toEqual([
      ['+44207'],
      expect.objectContaining({ total: 1, page_size: 50 }),
    ])
    expect((await numbers({ filter: '555' })).numbers).toEqual(['15550', '15551'])
    expect((await numbers({ filter: String.raw`155\_` })).numbers).toEqual(['155_'])
    expect((await numbers({ page: '', page_size: '2' })).body).toMatchObject({ page: 0, page_size: 2 })
    expect((await numbers({ page: '1', page_size: '' })).body).toMatchObject({ page_size: 0, data: [], total: 5 })
  })

  test('a page that is none is 400', async () => {
    for (const query of ['page=-1', 'page=one', 'page=1&page_size=-5'])
      expect([query, (await api.admin.get(`/PhoneNumbers?${query}`)).status]).toEqual([query, 400])
  })
})
