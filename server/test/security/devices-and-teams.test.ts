import { randomUUID } from 'node:crypto'
import { type Answer, type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { createWorld, signedIn, type World } from '@patchbay/testkit/test-world'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { getRow, getRows, snapshot, sorted, statusAndMessage } from '../fixtures.ts'
import { readAuditEntries } from '../owned-records.ts'

/** Attacks on SIP clients and Teams tenants, which any token may write in jambonz, including concurrent requests. */

let api: TestApi
let world: World
let ofP: Caller
let ofA: Caller
beforeAll(async () => {
  api = await createTestApi()
})
beforeEach(async () => {
  world = await createWorld(api)
  ofP = await signedIn(api, world.users['user of P'])
  ofA = await signedIn(api, world.users['user of A'])
})
afterAll(() => api.close())

const noneFailed = (answers: readonly Answer[]) =>
  expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([])

const tenantsPath = '/MicrosoftTeamsTenants'
const readClient = async (sid: string) => getRow(await api.admin.get(`/Clients/${sid}`))
const readTenant = async (sid: string) => getRow(await api.admin.get(`${tenantsPath}/${sid}`))

const client = async (account_sid: string, username: string = randomUUID()) =>
  member(await api.admin.post('/Clients', { account_sid, username, password: 'sdf12412' }), 'sid')

const tenant = async (more: object = {}) => {
  const { P: service_provider_sid, A: account_sid } = world.sid
  const tenant_fqdn = `${randomUUID()}.example.org`
  return member(await api.admin.post(tenantsPath, { service_provider_sid, account_sid, tenant_fqdn, ...more }), 'sid')
}

describe('three hundred concurrent requests by an admin, a provider, and an account', () => {
  /** Each caller may have a hundred writes in progress. Excess requests are rejected first. */
  const three = (send: (caller: Caller, nth: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: 300 }, (_, nth) => send([api.admin, ofP, ofA][nth % 3] ?? ofA, nth)))

  test.each([
    [
      'the user name of a client',
      400,
      { msg: "the client's username already exists", field: 'username' },
      (caller: Caller, nth: number) => {
        const username = nth % 2 ? 'front desk' : 'FRONT desk'
        return caller.post('/Clients', { account_sid: world.sid.A, username })
      },
      '/Clients',
    ],
    [
      'the domain of a tenant',
      422,
      { msg: 'Duplicate entry: tenant_fqdn is already in use', field: 'tenant_fqdn' },
      (caller: Caller, nth: number) => {
        const { P: service_provider_sid, A: account_sid } = world.sid
        const tenant_fqdn = `${nth % 2 ? 'front' : 'FRONT'}-${account_sid}.example.org`
        return caller.post(tenantsPath, { service_provider_sid, account_sid, tenant_fqdn })
      },
      tenantsPath,
    ],
  ] as const)('%s: one wins, and the others are told at the field', async (_, refused, body, send, path) => {
    const before = getRows(await ofA.get(path)).length
    const answers = await three(send)
    const [created = [], taken = [], away = []] = [201, refused, 429].map((status) =>
      answers.filter((answer) => answer.status === status),
    )
    expect(created).toHaveLength(1)
    expect(taken.length + away.length).toBe(299)
    expect(taken.length).toBeGreaterThanOrEqual(99)
    for (const answer of taken) expect(answer.body).toMatchObject(body)
    expect(getRows(await ofA.get(path))).toHaveLength(before + 1)
  })
})

describe('concurrent writers', () => {
  test('two clients that take the same name: one succeeds', async () => {
    const { A } = world.sid
    const sids = [await client(A), await client(A)]
    const answers = await Promise.all(sids.map((sid) => api.admin.put(`/Clients/${sid}`, { username: 'only-one' })))
    expect(sorted(answers.map(({ status }) => status))).toEqual(['204', '400'])
    const names = await Promise.all(sids.map(readClient))
    expect(names.filter(({ username }) => username === 'only-one')).toHaveLength(1)
  })

  test('clients with the same name that are swapped between accounts are never in the same account', async () => {
    const { A, A2 } = world.sid
    const [here, there] = [await client(A, 'wanderer'), await client(A2, 'wanderer')]
    const moves = Array.from({ length: 20 }, (_, nth) =>
      ofP.put(`/Clients/${nth % 2 ? here : there}`, { account_sid: nth % 4 < 2 ? A : A2 }),
    )
    const answers = await Promise.all(moves)
    noneFailed(answers)
    for (const { status } of answers) expect([204, 400]).toContain(status)
    const places = [await readClient(here), await readClient(there)].map(({ account_sid }) => account_sid)
    expect(new Set(places)).toEqual(new Set([A, A2]))
  })

  test('a tenant that is moved while it gets an application never refers to one of another account', async () => {
    const { A, A2 } = world.sid
    const { application_sid } = world.things.A
    for (let turn = 0; turn < 5; turn += 1) {
      const sid = await tenant()
      const bodies = [{ account_sid: A2 }, { application_sid }]
      const inTurn = turn % 2 ? bodies : bodies.toReversed()
      noneFailed(await Promise.all(inTurn.map((body) => ofP.put(`${tenantsPath}/${sid}`, body))))
      const now = await readTenant(sid)
      expect([
        [A, application_sid],
        [A2, null],
      ]).toContainEqual([now['account_sid'], now['application_sid']])
    }
  })

  test('resources created while their account is deleted exist only if the account does', async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const account_sid = await api.account(world.sid.P)
      const { P: service_provider_sid } = world.sid
      const answers = await Promise.all([
        api.admin.post('/Clients', { account_sid, username: 'late' }),
        api.admin.post(tenantsPath, { service_provider_sid, account_sid, tenant_fqdn: `${account_sid}.example.org` }),
        api.admin.delete(`/Accounts/${account_sid}`),
        api.admin.post('/Clients', { account_sid, username: 'later' }),
        api.admin.post(tenantsPath, { service_provider_sid, account_sid, tenant_fqdn: `2.${account_sid}.example.org` }),
      ])
      noneFailed(answers)
      const isThere = (await api.admin.get(`/Accounts/${account_sid}`)).status === 200
      for (const path of ['/Clients', tenantsPath]) {
        const remaining = getRows(await api.admin.get(path)).filter((row) => row['account_sid'] === account_sid)
        expect(isThere ? [] : remaining).toEqual([])
      }
    }
  })

  test('a client that is changed and deleted concurrently is deleted, and the audit trail has the right order', async () => {
    const sid = await client(world.sid.A)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, nth) =>
        nth === 5 ? ofP.delete(`/Clients/${sid}`) : ofP.put(`/Clients/${sid}`, { is_active: nth % 2 === 0 }),
      ),
    )
    noneFailed(answers)
    expect((await api.admin.get(`/Clients/${sid}`)).status).toBe(404)
    const trail = await readAuditEntries(ofP, 'client', sid)
    expect(trail[0]).toMatchObject({ action: 'delete' })
    expect(trail.filter(({ action }) => action === 'delete')).toHaveLength(1)
  })
})

describe('resources of other tenants', () => {
  /** A user of A names resources of A2 (same provider) and of B (another provider). */
  const others = ['A2', 'B'] as const

  test.each(others)('an account cannot read, change, delete, or refer to resources of %s', async (other) => {
    const { application_sid, client_sid, ms_teams_tenant_sid } = world.things[other]
    const { [other]: account_sid, P: service_provider_sid } = world.sid
    const own = [await client(world.sid.A), await tenant()]
    const before = await snapshot(api)
    for (const path of [`/Clients/${client_sid}`, `${tenantsPath}/${ms_teams_tenant_sid}`]) {
      // Includes values that would be valid for own resources.
      for (const body of [{}, { account_sid: world.sid.A }, { account_sid }, { is_active: 2 }]) {
        const fields = path.startsWith('/Clients') || !('is_active' in body) ? body : { tenant_fqdn: 1 }
        expect([400, 404]).toContain((await ofA.put(path, fields)).status)
      }
      for (const answer of [await ofA.get(path), await ofA.delete(path), await ofA.put(path, {})])
        expect(statusAndMessage(answer)).toEqual([404, 'Not Found'])
    }
    const foreign = { application_sid, tenant_fqdn: `${randomUUID()}.example.org`, service_provider_sid, account_sid }
    expect((await ofA.post(tenantsPath, foreign)).status).toBe(400)
    expect((await ofA.put(`${tenantsPath}/${own[1]}`, { application_sid })).status).toBe(400)
    expect(await snapshot(api)).toEqual(before)
  })

  test('lists and application names never reveal resources of other accounts, with any query', async () => {
    await tenant({ account_sid: world.sid.A2, application_sid: world.things.A2.application_sid })
    const query = `?account_sid=${world.sid.A2}&service_provider_sid=${world.sid.P}&page=1`
    for (const path of ['/Clients', tenantsPath, '/patchbay/ms-teams-tenants/applications']) {
      const { text } = await ofA.get(`${path}${query}`)
      for (const foreign of [world.sid.A2, ...Object.values(world.things.A2)]) expect(text).not.toContain(foreign)
    }
  })

  test.each([
    ['created_at', '2026-01-01T00:00:00.000Z'],
    ['username_hash', 'x'],
  ])('a body cannot set %s', async (field, value) => {
    const { P: service_provider_sid, A: account_sid } = world.sid
    const before = await snapshot(api)
    const device = { account_sid, username: randomUUID(), [field]: value }
    const customer = { service_provider_sid, account_sid, tenant_fqdn: `${randomUUID()}.example.org`, [field]: value }
    for (const answer of [await ofP.post('/Clients', device), await ofP.post(tenantsPath, customer)])
      expect(answer).toMatchObject({ status: 400, body: { field } })
    const { client_sid, ms_teams_tenant_sid } = world.things.A
    expect((await ofP.put(`/Clients/${client_sid}`, { [field]: value })).status).toBe(400)
    expect((await ofP.put(`${tenantsPath}/${ms_teams_tenant_sid}`, { [field]: value })).status).toBe(400)
    expect(await snapshot(api)).toEqual(before)
  })

  test('a change cannot set the SID, and a creation replaces it', async () => {
    const before = await snapshot(api)
    const { client_sid, ms_teams_tenant_sid } = world.things.A
    expect((await ofP.put(`/Clients/${client_sid}`, { client_sid: randomUUID() })).status).toBe(400)
    const changed = await ofP.put(`${tenantsPath}/${ms_teams_tenant_sid}`, { ms_teams_tenant_sid: randomUUID() })
    expect(changed.status).toBe(400)
    expect(await snapshot(api)).toEqual(before)
    const sid = randomUUID()
    const device = { account_sid: world.sid.A, username: randomUUID(), client_sid: sid }
    expect((await ofP.post('/Clients', device)).status).toBe(201)
    expect((await api.admin.get(`/Clients/${sid}`)).status).toBe(404)
  })
})

/** The engines must agree on which names are equal. Otherwise, one of them would permit duplicates. */
test.each([
  ['desk', 'DESK', true],
  ['desk', 'desk2', false],
])('%j and %j are the same name, and the same domain: %s', async (one, other, same) => {
  const { A: account_sid, P: service_provider_sid } = world.sid
  await client(account_sid, one)
  expect((await ofP.post('/Clients', { account_sid, username: other })).status).toBe(same ? 400 : 201)
  const domain = (name: string) => `${name}.${account_sid}.example.org`
  await tenant({ tenant_fqdn: domain(one) })
  const again = await ofP.post(tenantsPath, { service_provider_sid, account_sid, tenant_fqdn: domain(other) })
  expect(again.status).toBe(same ? 422 : 201)
})
