import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWorld, rowOf, type Row, rowsOf, signedIn, sorted, type World } from './support.ts'

let api: TestApi
let world: World
beforeAll(async () => {
  api = await createTestApi()
  world = await createWorld(api)
})
afterAll(() => api.close())

const insert = async (row: {
  name: string
  account_sid?: string
  service_provider_sid?: string
  call_hook_sid?: string
  messaging_hook_sid?: string
  env_vars?: string
}) => {
  const application_sid = randomUUID()
  await api.test.database.db
    .insertInto('applications')
    .values({ application_sid, ...row })
    .execute()
  return application_sid
}

const hook = async () => {
  const webhook_sid = randomUUID()
  const row = {
    webhook_sid,
    url: 'wss://app.example.org',
    method: 'GET',
    username: 'u',
    password: 'hook-password',
  } as const
  await api.test.database.db.insertInto('webhooks').values(row).execute()
  return row
}

const sidsOf = (rows: readonly Row[]): string[] => sorted(rows.map((row) => row['application_sid']))
const namesIn = (page: Row): unknown[] => (page['data'] as Row[]).map((row) => row['name'])

describe('one application', () => {
  test('API-031 APPS-45 GET Applications/{sid} answers every field, hooks with their sid, variables decrypted', async () => {
    const { webhook_sid, ...rest } = await hook()
    const { encryption } = api.services
    const env_vars = { GREETING: 'hello', RETRIES: 3, API_KEY: 'sk-0123456789' }
    const sid = await insert({
      name: 'whole',
      account_sid: world.sid.A,
      call_hook_sid: webhook_sid,
      messaging_hook_sid: webhook_sid,
      env_vars: encryption.encrypt(JSON.stringify(env_vars)),
    })
    const shown = rowOf(await api.admin.get(`/Applications/${sid}`))
    expect(shown).toEqual({
      application_sid: sid,
      name: 'whole',
      service_provider_sid: null,
      account_sid: world.sid.A,
      call_hook: { webhook_sid, ...rest },
      call_status_hook: null,
      messaging_hook: { webhook_sid, ...rest },
      app_json: null,
      speech_synthesis_vendor: 'google',
      speech_synthesis_language: 'en-US',
      speech_synthesis_voice: 'en-US-Standard-C',
      speech_synthesis_label: null,
      speech_recognizer_vendor: 'google',
      speech_recognizer_language: 'en-US',
      speech_recognizer_label: null,
      use_for_fallback_speech: 0,
      fallback_speech_synthesis_vendor: null,
      fallback_speech_synthesis_language: null,
      fallback_speech_synthesis_voice: null,
      fallback_speech_synthesis_label: null,
      fallback_speech_recognizer_vendor: null,
      fallback_speech_recognizer_language: null,
      fallback_speech_recognizer_label: null,
      env_vars,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      record_all_calls: 0,
    })

    const viewer = await signedIn(api, world.users['view-only user of A'])
    const masked = rowOf(await viewer.get(`/Applications/${sid}`))
    expect(masked).toEqual({
      ...shown,
      call_hook: { webhook_sid, ...rest, password: 'hook-pXXXXXXX' },
      messaging_hook: { webhook_sid, ...rest, password: 'hook-pXXXXXXX' },
      env_vars: { ...env_vars, API_KEY: 'sk-012XXXXXXX' },
    })
    for (const path of ['/Applications', `/Accounts/${world.sid.A}/Applications`]) {
      const listed = rowsOf(await viewer.get(path)).find((row) => row['application_sid'] === sid)
      expect([path, listed]).toEqual([path, masked])
    }
  })

  test('variables that cannot be read are none', async () => {
    for (const [env_vars, expected] of [
      ['no secret of ours', {}],
      [api.services.encryption.encrypt('"a text"'), {}],
      [undefined, null],
    ] as const) {
      const sid = await insert({ name: randomUUID(), account_sid: world.sid.A, ...(env_vars ? { env_vars } : {}) })
      expect(rowOf(await api.admin.get(`/Applications/${sid}`))['env_vars']).toEqual(expected)
    }
  })

  test("a provider's own, of no account, is read by the provider, and by no other", async () => {
    const sid = await insert({ name: 'test application', service_provider_sid: world.sid.P })
    const status = async (name: 'user of P' | 'user of Q' | 'user of A') =>
      (await (await signedIn(api, world.users[name])).get(`/Applications/${sid}`)).status
    expect([await status('user of P'), await status('user of Q'), await status('user of A')]).toEqual([200, 404, 404])
  })

  test("what is of an account is no other provider's, whatever its row says", async () => {
    const sid = await insert({ name: 'of A', account_sid: world.sid.A, service_provider_sid: world.sid.Q })
    const status = async (name: 'user of P' | 'user of Q') =>
      (await (await signedIn(api, world.users[name])).get(`/Applications/${sid}`)).status
    expect([await status('user of P'), await status('user of Q')]).toEqual([200, 404])
  })

  test('a sid that is none is 400, an unknown one 404', async () => {
    expect((await api.admin.get('/Applications/nonsense')).status).toBe(400)
    expect((await api.admin.get(`/Applications/${randomUUID()}`)).status).toBe(404)
  })
})

describe('lists', () => {
  test("API-030 GET Applications answers what the caller may see; a provider's list holds no other tenant's", async () => {
    const { things, sid, users } = await createWorld(api)
    const [ofA, ofA2, ofB] = [things.A, things.A2, things.B].map(({ application_sid }) => application_sid)
    const seen = async (name: 'user of A' | 'user of P' | 'user of B' | 'admin', path: string) =>
      sidsOf(rowsOf(await (await signedIn(api, users[name])).get(path)))
    expect(await seen('user of A', '/Applications')).toEqual([ofA])
    expect(await seen('user of B', `/Applications?account_sid=${sid.A}`)).toEqual([ofB])
    expect(await seen('user of P', '/Applications')).toEqual(sorted([ofA, ofA2]))
    expect(await seen('admin', '/Applications')).toEqual(expect.arrayContaining([ofA, ofA2, ofB]))
    const ofProvider = `/ServiceProviders/${sid.P}/Applications`
    expect(await seen('user of P', ofProvider)).toEqual(sorted([ofA, ofA2]))
    expect(await seen('admin', ofProvider)).toEqual(sorted([ofA, ofA2]))
    expect(await seen('user of A', ofProvider)).toEqual([ofA])
    expect(await seen('user of P', `/Accounts/${sid.A}/Applications`)).toEqual([ofA])
  })

  describe('of an account', () => {
    let path: string
    beforeAll(async () => {
      const account_sid = await api.account(world.sid.P)
      path = `/Accounts/${account_sid}/Applications`
      for (const name of ['beta', 'Alpha', 'gamma 100%', 'Hotel_1', 'hotelx1']) await insert({ name, account_sid })
    })
    const page = async (query: string) => rowOf(await api.admin.get(`${path}?${query}`))

    test('API-029 GET Accounts/{sid}/Applications with page, page_size and name answers data and total, by name', async () => {
      const first = await page('page=1&page_size=3')
      expect(first).toMatchObject({ total: 5, page: 1, page_size: 3 })
      expect(namesIn(first)).toEqual(['Alpha', 'beta', 'gamma 100%'])
      expect(namesIn(await page('page=2&page_size=2'))[0]).toBe('gamma 100%')
      expect(namesIn(await page('page=1&page_size=10'))).toHaveLength(5)
      const filtered = await page('page=1&page_size=10&name=ALPHA')
      expect([filtered['total'], namesIn(filtered)]).toEqual([1, ['Alpha']])
    })

    test.each([
      ['page=', { page: 0, page_size: 50 }, 5],
      ['page=0&page_size=2', { page: 0, page_size: 2 }, 2],
      ['page=1', { page: 1, page_size: 50 }, 5],
      ['page=1&page_size=', { page: 1, page_size: 0 }, 0],
      ['page=1&page_size=0', { page: 1, page_size: 0 }, 0],
      ['page=9&page_size=2', { page: 9, page_size: 2 }, 0],
      ['page=999999999&page_size=999999', { page: 999_999_999, page_size: 999_999 }, 0],
    ])('%s is answered with %j and %i rows', async (query, answered, rows) => {
      const shown = await page(query)
      expect(shown).toMatchObject({ ...answered, total: 5 })
      expect(shown['data']).toHaveLength(rows)
    })

    test.each(['page=-1', 'page=x', 'page=1&page_size=-1', 'page=1&page_size=1.5', 'page=1&page=2', 'page_size=x'])(
      '%s is 400 and named',
      async (query) => {
        const { status, body } = await api.admin.get(`${path}?${query}`)
        expect([status, body]).toEqual([
          400,
          expect.objectContaining({ msg: expect.stringMatching(/"page(_size)?"/) as unknown }),
        ])
      },
    )

    test.each([
      ['a', 3],
      ['HOTEL', 2],
      ['hotel_1', 2],
      ['a%a', 2],
      ['hotel\\_1', 1],
      ['100\\%', 1],
      ["' OR 1=1 --", 0],
    ])('the name %s finds %i of them, with and without a page', async (name, count) => {
      const query = String(new URLSearchParams({ name }))
      expect(rowsOf(await api.admin.get(`${path}?${query}`))).toHaveLength(count)
      expect((await page(`${query}&page=1`))['total']).toBe(count)
    })

    test('without a page all come, by sid', async () => {
      const sids = rowsOf(await api.admin.get(path)).map((row) => row['application_sid'])
      expect(sids).toHaveLength(5)
      expect(sids).toEqual(sorted(sids))
    })
  })
})

test('a hook that shares nothing with the others is left out where the platform has no such column', async () => {
  const { createApplicationStore } = await import('@patchbay/server/resources/applications/store')
  const { webhook_sid } = await hook()
  const sid = await insert({ name: 'lacking', account_sid: world.sid.A2, messaging_hook_sid: webhook_sid })
  const admin = {
    token: 'user',
    scope: 'admin',
    user_sid: null,
    account_sid: null,
    service_provider_sid: null,
    is_view_only: false,
    must_change_password: false,
  } as const
  const read = async (lacks: ReadonlySet<string>) =>
    (await createApplicationStore(api.test.database, lacks, api.services.encryption).read(admin, sid))?.messaging_hook
  expect(await read(new Set())).toMatchObject({ webhook_sid })
  expect(await read(new Set(['applications.messaging_hook_sid']))).toBeNull()
})
