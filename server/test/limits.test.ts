import { randomUUID } from 'node:crypto'
import { member } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { getRows, sorted, statusAndMessage } from './fixtures.ts'

const api = await openTestApi()
const provider = await api.provider()

const categories = [
  'api_rate',
  'voice_call_session',
  'device',
  'voice_call_minutes',
  'voice_call_session_license',
  'voice_call_minutes_license',
]

/** Accounts and providers have the same limits under different names. */
const owners = [
  {
    of: 'an account',
    collection: 'Accounts',
    sidName: 'account_limits_sid',
    ownerName: 'account_sid',
    make: () => api.account(provider),
  },
  {
    of: 'a provider',
    collection: 'ServiceProviders',
    sidName: 'service_provider_limits_sid',
    ownerName: 'service_provider_sid',
    make: () => api.provider(),
  },
] as const

describe.each(owners)('limits of $of', ({ collection, sidName, ownerName, make }) => {
  const getPath = (owner: string) => `/${collection}/${owner}/Limits`
  const read = async (owner: string, query = '') => getRows(await api.admin.get(`${getPath(owner)}${query}`))
  const set = (owner: string, category: unknown, quantity: unknown) =>
    api.admin.post(getPath(owner), { category, quantity })

  test('API-020 API-043 GET .../Limits returns all limits or those of one category', async () => {
    const [owner, other] = [await make(), await make()]
    expect(await read(owner)).toEqual([])
    const device = member(await set(owner, 'device', 10), 'sid')
    const session = member(await set(owner, 'voice_call_session', 20), 'sid')
    await set(other, 'device', 30)
    const expected = [
      { [sidName]: device, [ownerName]: owner, category: 'device', quantity: 10 },
      { [sidName]: session, [ownerName]: owner, category: 'voice_call_session', quantity: 20 },
    ]
    const answered = await read(owner)
    expect(answered).toHaveLength(2)
    expect(answered).toEqual(expect.arrayContaining(expected))
    expect(await read(owner, '?category=device')).toEqual([expected[0]])
    expect(await read(owner, '?category=api_rate')).toEqual([])
    expect((await api.admin.get(`${getPath(owner)}?category=nonsense`)).status).toBe(400)
  })

  test('PROVIDERS-07 API-021 API-044 POST .../Limits with category and quantity sets a limit, and updates the same row', async () => {
    const owner = await make()
    for (const category of categories) {
      const first = await set(owner, category, 200)
      expect(first).toMatchObject({ status: 201, body: { sid: expect.stringMatching(/^[0-9a-f-]{36}$/) } })
      expect(await set(owner, category, 205)).toMatchObject({ status: 201, body: first.body })
      expect(await read(owner, `?category=${category}`)).toEqual([
        { [sidName]: member(first, 'sid'), [ownerName]: owner, category, quantity: 205 },
      ])
    }
    expect(await read(owner)).toHaveLength(categories.length)
  })

  test('a complete row may be sent, a number may be a string, and 0 is a valid value', async () => {
    const owner = await make()
    await set(owner, 'device', 5)
    const [row] = await read(owner)
    expect((await api.admin.post(getPath(owner), { ...row, quantity: '6' })).status).toBe(201)
    expect(await read(owner)).toEqual([{ ...row, quantity: 6 }])
    expect((await set(owner, 'device', 0)).status).toBe(201)
    expect(await read(owner)).toEqual([{ ...row, quantity: 0 }])
  })

  test.each([
    ['nonsense', 1, 'category'],
    [undefined, 1, 'category'],
    ['device', undefined, 'quantity'],
    ['device', null, 'quantity'],
    ['device', -1, 'quantity'],
    ['device', 1.5, 'quantity'],
    ['device', 'many', 'quantity'],
    ['device', '', 'quantity'],
    ['device', 2_147_483_648, 'quantity'],
    ['device', '99999999999999999999', 'quantity'],
  ])('category %j with quantity %j is rejected with the field name', async (category, quantity, field) => {
    const owner = await make()
    expect(await set(owner, category, quantity)).toMatchObject({
      status: 400,
      body: { field, msg: expect.stringContaining(field) },
    })
    expect(await read(owner)).toEqual([])
  })

  test('API-022 API-045 DELETE .../Limits?category= deletes that limit only', async () => {
    const [owner, other] = [await make(), await make()]
    for (const category of ['device', 'api_rate', 'voice_call_minutes']) await set(owner, category, 1)
    await set(other, 'device', 1)
    expect(await api.admin.delete(`${getPath(owner)}?category=device`)).toMatchObject({ status: 204, text: '' })
    expect(sorted((await read(owner)).map(({ category }) => category))).toEqual(['api_rate', 'voice_call_minutes'])
    expect((await api.admin.delete(`${getPath(owner)}?category=device`)).status).toBe(204)
    expect((await api.admin.delete(`${getPath(owner)}?category=nonsense`)).status).toBe(400)
    expect(await read(owner)).toHaveLength(2)
    expect(await read(other)).toHaveLength(1)
  })

  test('without a category, all limits of this owner are deleted', async () => {
    const [owner, other] = [await make(), await make()]
    for (const each of [owner, other]) for (const category of categories) await set(each, category, 1)
    expect((await api.admin.delete(getPath(owner))).status).toBe(204)
    expect(await read(owner)).toEqual([])
    expect(await read(other)).toHaveLength(categories.length)
  })

  const update = (owner: string, body: object, headers?: Record<string, string>) =>
    api.admin.put(`/patchbay${getPath(owner)}`, body, headers)
  const readQuantities = async (owner: string) =>
    Object.fromEntries((await read(owner)).map(({ category, quantity }) => [category, quantity]))

  test('PUT .../Limits sets, changes, and removes several limits, and leaves others unchanged', async () => {
    const owner = await make()
    for (const category of ['device', 'api_rate', 'voice_call_session']) await set(owner, category, 1)
    const [device] = await read(owner, '?category=device')
    const body = { device: 2, api_rate: null, voice_call_minutes: '0' }
    expect(await update(owner, body)).toMatchObject({ status: 204, text: '' })
    expect(await readQuantities(owner)).toEqual({ device: 2, voice_call_session: 1, voice_call_minutes: 0 })
    expect(await read(owner, '?category=device')).toEqual([{ ...device, quantity: 2 }])
    expect((await update(owner, { api_rate: null })).status).toBe(204)
    expect((await update(owner, {})).status).toBe(204)
  })

  test.each([
    { device: 2, nonsense: 1 },
    { device: 2, api_rate: -1 },
    { device: 2, api_rate: 'many' },
  ])('PUT .../Limits with %j changes nothing', async (body) => {
    const owner = await make()
    expect((await update(owner, body)).status).toBe(400)
    expect(await read(owner)).toEqual([])
  })

  test('PUT .../Limits for an unknown owner is 404', async () => {
    expect((await update(randomUUID(), { device: 1 })).status).toBe(404)
  })

  test('a version covers all limits of the owner, and no others', async () => {
    const [owner, other] = [await make(), await make()]
    const readVersion = async () => String((await api.admin.get(getPath(owner))).headers['record-version'])
    const version = await readVersion()
    await set(other, 'device', 1)
    expect(await readVersion()).toBe(version)
    await set(owner, 'api_rate', 1)
    const rejected = await update(owner, { device: 5 }, { 'if-match': version })
    expect(rejected).toMatchObject({ status: 412, body: { record: [{ category: 'api_rate', quantity: 1 }] } })
    const merged = await update(owner, { device: 5 }, { 'if-match': String(rejected.headers['record-version']) })
    expect(merged.status).toBe(204)
    expect(merged.headers['record-version']).toBe(await readVersion())
    expect(await readQuantities(owner)).toEqual({ api_rate: 1, device: 5 })
  })

  test('only one of many concurrent updates with the same version succeeds', async () => {
    const owner = await make()
    const version = String((await api.admin.get(getPath(owner))).headers['record-version'])
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => update(owner, { device: at, api_rate: at }, { 'if-match': version })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      204,
      ...Array.from({ length: 9 }, () => 412),
    ])
    const winner = answers.findIndex(({ status }) => status === 204)
    expect(await readQuantities(owner)).toEqual({ device: winner, api_rate: winner })
  })

  test('a malformed sid is 400, an unknown one 404 for an admin', async () => {
    expect(statusAndMessage(await set('invalid-sid', 'device', 1))).toEqual([400, 'Bad request'])
    expect((await set(randomUUID(), 'device', 1)).status).toBe(404)
  })

  test('an error response contains both message fields', async () => {
    const owner = await make()
    const { caller } = await api.user({ service_provider_sid: await api.provider() })
    const answer = await caller.post(getPath(owner), { category: 'device', quantity: 1 })
    expect(answer).toMatchObject({
      status: 403,
      body: { status: 'fail', message: 'insufficient privileges', msg: 'insufficient privileges' },
    })
  })
})
