import { randomUUID } from 'node:crypto'
import { type Answer, member } from '@patchbay/testkit/test-api'
import { createWorld, type KeyName, openTestApi, signedIn, type UserName } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { getRows, type Row, snapshot, statusAndMessage } from './fixtures.ts'

const api = await openTestApi()
const provider = await api.provider()
const world = await createWorld(api)

/** The two kinds of callers with the same scope: a signed-in user and a key. */
const both = async (user: UserName, key: KeyName) => [
  await signedIn(api, world.users[user]),
  api.as(world.keys[key].token),
]

const keyIn = (rows: readonly Row[], sid: string) => rows.find(({ api_key_sid }) => api_key_sid === sid)

const masked = (token: string) => token.slice(0, -4).replace(/[0-9a-f]/g, '*') + token.slice(-4)

const owners = [
  {
    of: 'an account',
    collection: 'Accounts',
    member: 'account_sid',
    other: 'service_provider_sid',
    make: () => api.account(provider),
  },
  {
    of: 'a service provider',
    collection: 'ServiceProviders',
    member: 'service_provider_sid',
    other: 'account_sid',
    make: () => api.provider(),
  },
] as const

describe.each(owners)('keys of $of', ({ collection, member: ownerName, other: otherName, make }) => {
  const list = async (owner: string) => getRows(await api.admin.get(`/${collection}/${owner}/ApiKeys`))

  test('APIKEYS-07 API-023 API-129 GET .../ApiKeys returns the keys of the owner only, with masked tokens', async () => {
    const [owner, other] = [await make(), await make()]
    expect(await list(owner)).toEqual([])
    const response = await api.admin.post('/ApiKeys', { [ownerName]: owner, expires_at: '2031-02-03T04:05:06Z' })
    await api.admin.post('/ApiKeys', { [ownerName]: other })
    expect(await list(owner)).toEqual([
      {
        api_key_sid: member(response, 'sid'),
        token: masked(member(response, 'token')),
        [ownerName]: owner,
        [otherName]: null,
        expires_at: '2031-02-03T04:05:06.000Z',
        last_used: null,
        name: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    ])
    const { text } = await api.admin.get(`/${collection}/${owner}/ApiKeys`)
    expect(text).not.toContain(member(response, 'token'))

    const since = Date.now()
    const caller = api.as(member(response, 'token'))
    expect((await caller.get(`/${collection}/${owner}`)).status).toBe(200)
    const readLastUsed = async () => Date.parse(String((await list(owner))[0]?.['last_used']))
    await expect.poll(readLastUsed).toBeGreaterThanOrEqual(since - 1000)
    expect(await readLastUsed()).toBeLessThanOrEqual(Date.now() + 1000)
  })

  test('API-024 API-130 POST ApiKeys creates a key that works as a bearer token', async () => {
    const owner = await make()
    const response = await api.admin.post('/ApiKeys', { [ownerName]: owner })
    expect(response).toMatchObject({
      status: 201,
      body: { sid: expect.any(String), token: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    })
    const caller = api.as(member(response, 'token'))
    expect((await caller.get(`/${collection}/${owner}`)).status).toBe(200)
    expect((await caller.get(`/${collection}/${await make()}`)).status).toBe(403)
  })

  test('API-025 API-131 DELETE ApiKeys/{sid} removes it, and it no longer works', async () => {
    const owner = await make()
    const { sid, caller } = await api.apiKey({ [ownerName]: owner })
    const otherKey = await api.apiKey({ [ownerName]: owner })
    expect((await caller.get('/Accounts')).status).toBe(200)
    expect(await api.admin.delete(`/ApiKeys/${sid}`)).toMatchObject({ status: 204, text: '' })
    expect((await caller.get('/Accounts')).status).toBe(401)
    expect((await list(owner)).map(({ api_key_sid }) => api_key_sid)).toEqual([otherKey.sid])
    expect((await otherKey.caller.get('/Accounts')).status).toBe(200)
  })

  test('APIKEYS-08 keys are read, created, and deleted under their own owner only', async () => {
    const [owner, other] = [await make(), await make()]
    const path = `/${collection}/${owner}/ApiKeys`
    const response = await api.admin.post(path, { expires_at: '2031-02-03T04:05:06Z' })
    expect(response).toMatchObject({ status: 201, body: { sid: expect.any(String), token: expect.any(String) } })
    expect(await list(owner)).toMatchObject([
      {
        api_key_sid: member(response, 'sid'),
        [ownerName]: owner,
        [otherName]: null,
        expires_at: '2031-02-03T04:05:06.000Z',
      },
    ])
    expect((await api.as(member(response, 'token')).get(path)).status).toBe(200)
    expect(await api.admin.post(path, { [ownerName]: other })).toMatchObject({
      status: 400,
      body: { field: ownerName },
    })
    for (const foreign of [{ [ownerName]: other }, {}]) {
      const { sid } = await api.apiKey(foreign)
      expect((await api.admin.delete(`${path}/${sid}`)).status).toBe(404)
    }
    expect((await api.admin.delete(`${path}/${randomUUID()}`)).status).toBe(404)
    expect(await api.admin.delete(`${path}/${member(response, 'sid')}`)).toMatchObject({ status: 204, text: '' })
    expect(await list(owner)).toEqual([])
    expect(await list(other)).toHaveLength(1)
  })

  test('the last use is a timestamp after the first use', async () => {
    const owner = await make()
    const { sid, caller } = await api.apiKey({ [ownerName]: owner })
    const idle = await api.apiKey({ [ownerName]: owner })
    const before = Date.now()
    await caller.get(`/${collection}/${owner}/ApiKeys`)
    const rows = await list(owner)
    const lastUsed = keyIn(rows, sid)?.['last_used']
    expect(lastUsed).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Math.abs(Date.parse(String(lastUsed)) - before)).toBeLessThan(60_000)
    expect(keyIn(rows, idle.sid)?.['last_used']).toBeNull()
  })
})

const make = (body: object) => api.admin.post('/ApiKeys', body)

const readOwner = async (creation: Answer): Promise<unknown> => {
  const { db } = api.test.database
  const rows = db.selectFrom('api_keys').select(['account_sid', 'service_provider_sid'])
  return rows.where('api_key_sid', '=', member(creation, 'sid')).executeTakeFirst()
}

describe('creating keys', () => {
  test('the token is generated, and a token in the request is ignored', async () => {
    const token = randomUUID()
    expect(member(await make({ token }), 'token')).not.toBe(token)
    expect((await api.as(token).get('/Accounts')).status).toBe(401)
  })

  test('a key without an owner is an admin, and one with an account and its provider belongs to the account only', async () => {
    const admin = api.as(member(await make({}), 'token'))
    expect((await admin.post('/ServiceProviders', { name: randomUUID() })).status).toBe(201)
    const { A, P, A2, Q } = world.sid
    const ofBoth = api.as(member(await make({ account_sid: A, service_provider_sid: P }), 'token'))
    expect((await ofBoth.get(`/Accounts/${A}`)).status).toBe(200)
    expect((await ofBoth.get(`/Accounts/${A2}`)).status).toBe(403)
    expect(await make({ account_sid: A, service_provider_sid: Q })).toMatchObject({
      status: 400,
      body: { field: 'account_sid' },
    })
  })

  test('a key is valid until it expires', async () => {
    const good = api.as(member(await make({ expires_at: new Date(Date.now() + 3_600_000).toISOString() }), 'token'))
    expect((await good.get('/Accounts')).status).toBe(200)
    const ended = api.as(member(await make({ expires_at: new Date(Date.now() - 2_000).toISOString() }), 'token'))
    expect((await ended.get('/Accounts')).status).toBe(401)
    expect(await make({ expires_at: 'tomorrow' })).toMatchObject({ status: 400, body: { field: 'expires_at' } })
    expect(await make({ expiry_secs: 60 })).toMatchObject({ status: 400, body: { msg: 'unknown field expiry_secs' } })
  })

  test('a key created by a key expires no later than its creator, for every owner', async () => {
    const { A, P } = world.sid
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().replace(/\.\d+Z$/, '.000Z')
    const [earlier, end] = [at(1), at(2)]
    const readExpiry = async (creation: Answer) => {
      const { db } = api.test.database
      const rows = db.selectFrom('api_keys').select('expires_at').where('api_key_sid', '=', member(creation, 'sid'))
      return (await rows.executeTakeFirstOrThrow()).expires_at
    }
    for (const owner of [{}, { service_provider_sid: P }, { account_sid: A }]) {
      const { caller } = await api.apiKey({ ...owner, expires_at: end })
      const post = (more: object) => caller.post('/ApiKeys', { account_sid: A, ...more })
      const posted =
        'service_provider_sid' in owner || 'account_sid' in owner
          ? post
          : (more: object) => caller.post('/ApiKeys', more)
      expect(await readExpiry(await posted({}))).toBe(end)
      expect(await readExpiry(await posted({ expires_at: null }))).toBe(end)
      expect(await readExpiry(await posted({ expires_at: earlier }))).toBe(earlier)
      expect(await readExpiry(await posted({ expires_at: end }))).toBe(end)
      const before = await snapshot(api)
      expect(await posted({ expires_at: at(3) })).toMatchObject({
        status: 400,
        body: { msg: 'a key that expires may not create one that expires later', field: 'expires_at' },
      })
      expect(await snapshot(api)).toEqual(before)
    }
    const lasting = await api.apiKey({ account_sid: A })
    expect(await readExpiry(await lasting.caller.post('/ApiKeys', { account_sid: A }))).toBeNull()
  })

  test('an unknown owner is 400, and no key is created', async () => {
    const before = await snapshot(api)
    for (const field of ['account_sid', 'service_provider_sid']) {
      expect(await make({ [field]: randomUUID() })).toMatchObject({ status: 400, body: { field } })
      expect(await make({ [field]: 'x' })).toMatchObject({ status: 400, body: { field } })
    }
    expect(await snapshot(api)).toEqual(before)
  })

  const noAdmin = [400, 'service provider token may not be used to create admin token']
  const sameProvider = [400, 'a service provider token can only be used to create tokens for the same service provider']
  const sameAccount = [
    400,
    'an account level token can only be used to create account level tokens for the same account',
  ]

  test('a provider creates keys for itself and its accounts', async () => {
    const { P, Q, A, A2, B } = world.sid
    for (const caller of await both('user of P', 'key of P')) {
      const post = (body: object) => caller.post('/ApiKeys', body)
      expect(await readOwner(await post({ service_provider_sid: P }))).toEqual({
        account_sid: null,
        service_provider_sid: P,
      })
      expect(await readOwner(await post({ account_sid: A }))).toEqual({ account_sid: A, service_provider_sid: null })
      expect(await readOwner(await post({ account_sid: A2, service_provider_sid: P }))).toEqual({
        account_sid: A2,
        service_provider_sid: null,
      })
      const before = await snapshot(api)
      expect(statusAndMessage(await post({}))).toEqual(noAdmin)
      expect(statusAndMessage(await post({ account_sid: null, service_provider_sid: null }))).toEqual(noAdmin)
      expect(statusAndMessage(await post({ service_provider_sid: Q }))).toEqual(sameProvider)
      expect(statusAndMessage(await post({ account_sid: B }))).toEqual(sameProvider)
      expect(statusAndMessage(await post({ account_sid: B, service_provider_sid: P }))).toEqual(sameProvider)
      expect(statusAndMessage(await post({ account_sid: randomUUID() }))).toEqual(sameProvider)
      expect(await snapshot(api)).toEqual(before)
    }
  })

  test('an account creates keys only for itself', async () => {
    const { P, A, A2, B } = world.sid
    for (const caller of await both('user of A', 'key of A')) {
      const post = (body: object) => caller.post('/ApiKeys', body)
      expect(await readOwner(await post({ account_sid: A }))).toEqual({ account_sid: A, service_provider_sid: null })
      expect(await readOwner(await post({ account_sid: A, service_provider_sid: P }))).toEqual({
        account_sid: A,
        service_provider_sid: null,
      })
      const before = await snapshot(api)
      for (const body of [
        {},
        { account_sid: A2 },
        { account_sid: B },
        { service_provider_sid: P },
        { account_sid: randomUUID() },
      ])
        expect(statusAndMessage(await post(body))).toEqual(sameAccount)
      expect(await snapshot(api)).toEqual(before)
    }
  })
})

describe('names of keys', () => {
  const rename = (sid: string, name: unknown, caller = api.admin) => caller.put(`/patchbay/api-keys/${sid}`, { name })
  const readTrail = async (sid: string) =>
    ((await api.admin.get(`/patchbay/audit-trail?page=1&count=10&sid=${sid}`)).body as { data: Row[] }).data
  const search = async (sid: string, query: string, caller = api.admin) => {
    const { body } = await caller.get(`/patchbay/service-providers/${sid}/api-keys?page=1&count=10${query}`)
    return body as { total: number; page: string; page_size: string; data: Row[] }
  }

  test('a key is created with a name, renamed, and loses its name, and the audit trail shows each change', async () => {
    const owner = await api.account(provider)
    const sid = member(await make({ account_sid: owner, name: 'Billing' }), 'sid')
    const readName = async () => {
      const [key] = getRows(await api.admin.get(`/Accounts/${owner}/ApiKeys`))
      return key?.['name']
    }
    expect(await readName()).toBe('Billing')
    expect(await rename(sid, 'Billing export')).toMatchObject({ status: 204, text: '' })
    expect(await readName()).toBe('Billing export')
    expect((await rename(sid, null)).status).toBe(204)
    expect(await readName()).toBeNull()
    expect((await readTrail(sid)).map(({ action, name }) => [action, name])).toEqual([
      ['update', null],
      ['update', 'Billing export'],
      ['create', 'Billing'],
    ])
  })

  test('the audit trail names the key that made a change', async () => {
    const account_sid = await api.account(provider)
    const created = await make({ account_sid, name: 'Deployment' })
    const second = await api.as(member(created, 'token')).post('/ApiKeys', { account_sid })
    const [entry] = await readTrail(member(second, 'sid'))
    expect(entry).toMatchObject({ actor: 'api_key', actor_name: 'Deployment' })
  })

  test.each([
    ['an empty name', ''],
    ['blanks', '   '],
    ['65 characters', 'x'.repeat(65)],
    ['a number', 7],
    ['no name', undefined],
  ])('rejects %s at the field', async (_case, name) => {
    const { sid } = await api.apiKey({ account_sid: world.sid.A })
    expect(await rename(sid, name)).toMatchObject({ status: 400, body: { field: 'name' } })
  })

  test('keys of others, and unknown keys, cannot be renamed', async () => {
    const key = await api.apiKey({ account_sid: world.sid.A })
    for (const caller of [api.as(world.keys['key of B'].token), api.as(world.keys['key of Q'].token)])
      expect((await rename(key.sid, 'Mine', caller)).status).toBe(404)
    expect((await rename(randomUUID(), 'Mine')).status).toBe(404)
    const { sid } = await api.apiKey({})
    expect((await rename(sid, 'Mine', api.as(world.keys['key of P'].token))).status).toBe(404)
    expect((await rename(sid, 'Platform')).status).toBe(204)
  })

  test('the list of a provider contains its keys and those of its accounts, newest first, by page and filter', async () => {
    const own = await api.provider()
    const account_sid = await api.account(own, { name: 'Zeta 100%' })
    const create = (owner: object, name: string) => make({ ...owner, name })
    const first = await create({ service_provider_sid: own }, 'Import')
    await create({ account_sid }, 'Export')
    await create({ account_sid }, 'Old_dashboard')
    await api.apiKey({ account_sid: world.sid.A })
    const all = await search(own, '')
    expect(all).toMatchObject({ total: 3, page: '1', page_size: '10' })
    expect(all.data.map(({ name, account_name }) => [name, account_name])).toEqual(
      expect.arrayContaining([
        ['Import', null],
        ['Export', 'Zeta 100%'],
        ['Old_dashboard', 'Zeta 100%'],
      ]),
    )
    expect(all.data.map(({ token }) => String(token).slice(0, 9))).toEqual(['********-', '********-', '********-'])
    const names = async (filter: string) => (await search(own, `&filter=${filter}`)).data.map(({ name }) => name)
    expect(await names('port')).toHaveLength(2)
    expect(await names('zeta%20100%25')).toHaveLength(2)
    expect(await names('%25')).toHaveLength(2)
    expect(await names('d_d')).toEqual(['Old_dashboard'])
    expect(await names(member(first, 'token').slice(-4))).toEqual(['Import'])
    expect(await names(member(first, 'token').slice(-5))).toEqual([])
    const second = await api.admin.get(`/patchbay/service-providers/${own}/api-keys?page=2&count=2`)
    expect(second.body).toMatchObject({ total: 3, data: [{}] })
  })

  test('users and keys of an account see only the keys of their account in the list of the provider', async () => {
    const { A, P } = world.sid
    for (const caller of await both('user of A', 'key of A')) {
      const { data } = await search(P, '', caller)
      expect(data.length).toBeGreaterThan(0)
      expect(new Set(data.map(({ account_sid }) => account_sid))).toEqual(new Set([A]))
    }
  })

  test('deleting a key, its account, or its provider deletes the name', async () => {
    const own = await api.provider()
    const account_sid = await api.account(own)
    const sids = await Promise.all(
      [{ account_sid }, { account_sid }, { service_provider_sid: own }].map(async (owner) =>
        member(await make({ ...owner, name: 'Short-lived' }), 'sid'),
      ),
    )
    const { db } = api.test.database
    const stored = async () =>
      (await db.selectFrom('patchbay_api_key_names').select('api_key_sid').where('api_key_sid', 'in', sids).execute())
        .length
    expect(await stored()).toBe(3)
    await api.admin.delete(`/ApiKeys/${sids[0]}`)
    expect(await stored()).toBe(2)
    for (const key of getRows(await api.admin.get(`/Accounts/${account_sid}/ApiKeys`)))
      await api.admin.delete(`/ApiKeys/${String(key['api_key_sid'])}`)
    expect((await api.admin.delete(`/Accounts/${account_sid}`)).status).toBe(204)
    expect(await stored()).toBe(1)
    expect((await api.admin.delete(`/ServiceProviders/${own}`)).status).toBe(204)
    expect(await stored()).toBe(0)
  })
})

const freshKey = async (owner: object) => (await api.apiKey(owner)).sid

describe('deleting keys', () => {
  test('a provider deletes only its own keys and those of its accounts', async () => {
    const { P, Q, A, B } = world.sid
    const [admins, foreign, foreignAccount] = [
      await freshKey({}),
      await freshKey({ service_provider_sid: Q }),
      await freshKey({ account_sid: B }),
    ]
    const otherProvider = [400, 'a service provider user may not delete api key from another service provider']
    for (const caller of await both('user of P', 'key of P')) {
      const before = await snapshot(api)
      expect(statusAndMessage(await caller.delete(`/ApiKeys/${admins}`))).toEqual([
        400,
        'a service provider user may not delete an admin token',
      ])
      expect(statusAndMessage(await caller.delete(`/ApiKeys/${foreign}`))).toEqual(otherProvider)
      expect(statusAndMessage(await caller.delete(`/ApiKeys/${foreignAccount}`))).toEqual(otherProvider)
      expect(await snapshot(api)).toEqual(before)
      for (const owner of [{ service_provider_sid: P }, { account_sid: A }])
        expect((await caller.delete(`/ApiKeys/${await freshKey(owner)}`)).status).toBe(204)
    }
  })

  test('an account deletes only its own keys', async () => {
    const { P, A, A2, B } = world.sid
    const others = [{}, { service_provider_sid: P }, { account_sid: A2 }, { account_sid: B }]
    const foreign: string[] = []
    for (const owner of others) foreign.push(await freshKey(owner))
    for (const caller of await both('user of A', 'key of A')) {
      const before = await snapshot(api)
      for (const sid of foreign)
        expect(statusAndMessage(await caller.delete(`/ApiKeys/${sid}`))).toEqual([
          400,
          'a user may not delete a token associated with a different account',
        ])
      expect(await snapshot(api)).toEqual(before)
      expect((await caller.delete(`/ApiKeys/${await freshKey({ account_sid: A })}`)).status).toBe(204)
    }
  })

  test('an admin deletes any key; an unknown or malformed sid is 404', async () => {
    for (const owner of [{}, { service_provider_sid: world.sid.Q }, { account_sid: world.sid.B }])
      expect((await api.admin.delete(`/ApiKeys/${await freshKey(owner)}`)).status).toBe(204)
    for (const sid of [randomUUID(), 'nonsense']) {
      expect((await api.admin.delete(`/ApiKeys/${sid}`)).status).toBe(404)
      expect((await api.as(world.keys['key of A'].token).delete(`/ApiKeys/${sid}`)).status).toBe(404)
    }
  })
})

describe('listing keys', () => {
  test('an admin lists the keys of the platform itself, masked, and other callers cannot see them', async () => {
    const response = await make({})
    const rows = getRows(await api.admin.get('/patchbay/platform-api-keys'))
    expect(keyIn(rows, member(response, 'sid'))).toMatchObject({
      token: masked(member(response, 'token')),
      account_sid: null,
      service_provider_sid: null,
    })
    for (const owned of ['key of P', 'key of A'] as const)
      expect(keyIn(rows, world.keys[owned].api_key_sid)).toBeUndefined()
  })

  test('an account user who requests the keys of the provider sees none', async () => {
    const { sid, users } = await createWorld(api)
    const caller = await signedIn(api, users['user of A'])
    expect(getRows(await caller.get(`/ServiceProviders/${sid.P}/ApiKeys`))).toEqual([])
  })

  test('the keys of accounts are not keys of their provider', async () => {
    const rows = getRows(await api.admin.get(`/ServiceProviders/${world.sid.P}/ApiKeys`))
    expect(keyIn(rows, world.keys['key of P'].api_key_sid)).toBeDefined()
    expect(keyIn(rows, world.keys['key of A'].api_key_sid)).toBeUndefined()
  })
})
