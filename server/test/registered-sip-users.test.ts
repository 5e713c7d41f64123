import { randomUUID } from 'node:crypto'
import { findRegisteredClients } from '@patchbay/server/resources/registered-sip-users/store'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Registrations without Redis. With Redis: integration-test/redis.test.ts. */

let api: TestApi
let account: string
let bare: string
beforeAll(async () => {
  api = await createTestApi()
  const provider = await api.provider()
  account = await api.account(provider, { sip_realm: 'sip.example.com' })
  bare = await api.account(provider)
})
afterAll(() => api.close())

const users = (sid = account) => `/Accounts/${sid}/RegisteredSipUsers`
const inactive = { contact: null, expiryTime: 0, protocol: null, registered_status: 'inactive' }

test('no user is registered', async () => {
  expect(await api.admin.get(users())).toMatchObject({ status: 200, body: [] })
  expect(await api.admin.post(users(), [])).toMatchObject({ status: 200, body: [] })
  const response = await api.admin.post(users(), ['alice', 'bob'])
  expect([response.status, response.body]).toEqual([
    200,
    [
      { name: 'alice', ...inactive },
      { name: 'bob', ...inactive },
    ],
  ])
})

test('a single user is returned with the permissions of the client with that name in the account', async () => {
  const other = await api.account(await api.provider(), { sip_realm: 'other.example.com' })
  const flags = { allow_direct_app_calling: 1, allow_direct_queue_calling: 0, allow_direct_user_calling: 1 } as const
  const client = { client_sid: randomUUID(), account_sid: account, username: 'alice', is_active: 1, ...flags } as const
  await api.test.database.db.insertInto('clients').values(client).execute()
  const none = { allow_direct_app_calling: 0, allow_direct_queue_calling: 0, allow_direct_user_calling: 0 }
  const readUser = async (sid: string, name: string) => (await api.admin.get(`${users(sid)}/${name}`)).body
  expect(await readUser(account, 'alice')).toEqual({ name: 'alice', ...inactive, proxy: null, ...flags })
  expect(await readUser(account, 'bob')).toEqual({ name: 'bob', ...inactive, proxy: null, ...none })
  expect(await readUser(other, 'alice')).toEqual({ name: 'alice', ...inactive, proxy: null, ...none })
  expect(await readUser(bare, 'alice')).toEqual({ name: 'alice', ...inactive, proxy: null, ...none })
})

test('an account without a realm gets an error', async () => {
  const msg = 'account does not have sip_realm configuration'
  expect(await api.admin.get(users(bare))).toMatchObject({ status: 400, body: { msg } })
  expect(await api.admin.post(users(bare), ['alice'])).toMatchObject({ status: 400, body: { msg } })
})

test('a name that is not a string is rejected with its value', async () => {
  expect(await api.admin.post(users(), ['bob', 1])).toMatchObject({ status: 400, body: { msg: '1 must be a text' } })
})

test('the registered clients that the caller may see are found with one query per realm', async () => {
  expect(await api.admin.get('/patchbay/registered-clients')).toMatchObject({ status: 200, body: [] })
  const { db } = api.test.database
  const provider = await api.provider()
  const realms = [`${randomUUID()}.example.org`, `${randomUUID()}.example.org`, null]
  const accounts = await Promise.all(realms.map((sip_realm) => api.account(provider, { sip_realm })))
  const clients = accounts.flatMap((account_sid) =>
    ['desk', 'door'].map((username) => ({ client_sid: randomUUID(), account_sid, username })),
  )
  await db.insertInto('clients').values(clients).execute()
  const queriedRealms: string[] = []
  const registrations = {
    listNames: () => Promise.reject(new Error('nobody lists a realm')),
    find: (realm: string, names: readonly string[]) => {
      queriedRealms.push(realm)
      const one = { contact: 'sip:here', protocol: 'udp', expiryTime: 1 }
      return Promise.resolve(names.map((name) => (name === 'desk' || realm === realms[1] ? one : undefined)))
    },
  }
  const findClients = (account_sid: string | null) => {
    const scope = account_sid === null ? ('service_provider' as const) : ('account' as const)
    const actor = { token: 'user', user_sid: null, is_view_only: false, must_change_password: false } as const
    return findRegisteredClients(api.test.database, registrations, {
      ...actor,
      scope,
      account_sid,
      service_provider_sid: provider,
    })
  }
  const [first, , third, fourth] = clients.map(({ client_sid }) => client_sid)
  expect(new Set(await findClients(null))).toEqual(new Set([first, third, fourth]))
  expect(new Set(queriedRealms)).toEqual(new Set(realms.slice(0, 2)))
  expect(queriedRealms).toHaveLength(2)
  expect(await findClients(accounts[0] ?? '')).toEqual([first])
  expect(await findClients(accounts[2] ?? '')).toEqual([])
})
