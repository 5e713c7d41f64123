import type { BulkChange } from '@patchbay/contract/bulk-changes'
import { enter, mysqlStore, type PersistentStore, sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi } from '@patchbay/testkit/crash/durability-ledger'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { expect, inject, test, vi } from 'vitest'

/**
 * A bulk change, and the deletion of an account or a service provider with its contents, continue after the server was
 * killed: each record is changed once, and with its audit entry.
 */

const numbers = 5000
const perImport = 500
/** Numbers of each of the three accounts of a service provider. */
const perAccount = 650
/** A bulk change can be claimed again 30 seconds after the last change of a killed process. */
const timeoutMs = 240_000

const createClient = (server: RunningServer, key: string) => ({
  get: async <T>(path: string) => (await callApi(server, key, 'GET', path)).body as T,
  post: async <T>(path: string, body: object) => (await callApi(server, key, 'POST', path, body)).body as T,
})
type Client = ReturnType<typeof createClient>

interface Tenant {
  account_sid: string
  application_sid: string
}

const make = async ({ post }: Client, path: string, body: object) => (await post<{ sid: string }>(path, body)).sid

const createProvider = async (client: Client) => {
  const service_provider_sid = await make(client, '/ServiceProviders', { name: 'killed' })
  return {
    service_provider_sid,
    carrier: await make(client, '/VoipCarriers', { name: 'killed', service_provider_sid }),
  }
}

/** Creates an account with an application, and with phone numbers, which are a multiple of a thousand apart. */
const createAccount = async (
  client: Client,
  { service_provider_sid, carrier }: Awaited<ReturnType<typeof createProvider>>,
  { thousand, count }: { thousand: number; count: number },
): Promise<Tenant> => {
  const account_sid = await make(client, '/Accounts', { name: `killed ${thousand}`, service_provider_sid })
  const hook = { url: 'https://app.example.org' }
  const application = { name: 'killed', account_sid, call_hook: hook, call_status_hook: hook }
  for (let first = 0; first < count; first += perImport) {
    const rows = Array.from({ length: Math.min(perImport, count - first) }, (_, row) => ({
      number: `${1000 * thousand + first + row}`,
      carrier,
      account: account_sid,
    }))
    await client.post('/patchbay/phone-numbers/import', { service_provider_sid, dry_run: false, rows })
  }
  return { account_sid, application_sid: await make(client, '/Applications', application) }
}

const createTenant = async (client: Client): Promise<Tenant> =>
  createAccount(client, await createProvider(client), { thousand: 1000, count: numbers })

interface StoredNumber {
  phone_number_sid: string
  application_sid: string | null
}

/** Returns the SIDs of the records of a kind that have an audit entry of an action, one for each entry, in order. */
const readAudited = async ({ get }: Client, action: 'update' | 'delete', kind = 'phone_number'): Promise<string[]> => {
  const sids: string[] = []
  for (let page = 1; ; page += 1) {
    const path = `/patchbay/audit-trail?page=${page}&count=500&kind=${kind}&action=${action}`
    const { data } = await get<{ data: { sid: string }[] }>(path)
    sids.push(...data.map(({ sid }) => sid))
    if (data.length === 0) return sids.toSorted()
  }
}

const listNumbers = ({ get }: Client, account_sid: string) =>
  get<StoredNumber[]>(`/PhoneNumbers?account_sid=${account_sid}`)

const readChange = ({ get }: Client, { bulk_change_sid }: BulkChange) =>
  get<BulkChange>(`/patchbay/bulk-changes/${bulk_change_sid}`)

/** Waits for a state. `expect.poll` belongs to the test that runs, and another one may just have ended. */
const waitFor = (work: () => Promise<void>, interval: number) => vi.waitFor(work, { timeout: timeoutMs, interval })

/** Starts a bulk change, and kills the server in the middle of it. */
const killAfterStart = async (server: RunningServer, client: Client, body: object): Promise<BulkChange> => {
  const change = await client.post<BulkChange>('/patchbay/bulk-changes', body)
  await waitFor(async () => expect((await readChange(client, change)).done).toBeGreaterThan(500), 20)
  await server.kill()
  return change
}

const awaitEnd = (client: Client, change: BulkChange): Promise<void> =>
  waitFor(async () => expect((await readChange(client, change)).status).toBe('finished'), 250)

/** Returns the damage of the database after a bulk change that was interrupted and continued. */
const killInTheMiddle = async (store: PersistentStore): Promise<string[]> => {
  const first = await startServer(store.settings)
  const { apiKey } = await enter(first)
  const client = createClient(first, apiKey)
  const { account_sid, application_sid } = await createTenant(client)
  const sids = (await listNumbers(client, account_sid)).map(({ phone_number_sid }) => phone_number_sid)
  expect(sids.length).toBe(numbers)
  const body = { kind: 'phone_number', operation: 'update', values: { application_sid }, sids }
  const change = await killAfterStart(first, client, body)

  const again = await startServer(store.settings)
  try {
    const restarted = createClient(again, apiKey)
    const interrupted = await readChange(restarted, change)
    const changed = (await listNumbers(restarted, account_sid)).filter(
      (number) => number.application_sid === application_sid,
    )
    expect(interrupted).toMatchObject({ status: 'running', done: changed.length, failed: 0 })
    expect(changed.length).toBeLessThan(numbers)
    expect(await readAudited(restarted, 'update')).toEqual(
      changed.map(({ phone_number_sid }) => phone_number_sid).toSorted(),
    )

    await awaitEnd(restarted, change)
    expect(await readChange(restarted, change)).toMatchObject({ total: numbers, done: numbers, failed: 0 })
    expect(
      (await listNumbers(restarted, account_sid)).every((number) => number.application_sid === application_sid),
    ).toBe(true)
    expect(await readAudited(restarted, 'update')).toEqual(sids.toSorted())
    return await store.damage()
  } finally {
    await again.stop()
    store.remove()
  }
}

/** Returns the damage of the database after the deletion of an account that was interrupted and continued. */
const killDeletion = async (store: PersistentStore): Promise<string[]> => {
  const first = await startServer(store.settings)
  const { apiKey } = await enter(first)
  const client = createClient(first, apiKey)
  const { account_sid, application_sid } = await createTenant(client)
  const sids = (await listNumbers(client, account_sid)).map(({ phone_number_sid }) => phone_number_sid).toSorted()
  // The account refers to its application, which is then deleted in three steps.
  await callApi(first, apiKey, 'PUT', `/Accounts/${account_sid}`, { device_calling_application_sid: application_sid })
  const body = { kind: 'account', operation: 'delete_cascade', sids: [account_sid] }
  const change = await killAfterStart(first, client, body)

  const again = await startServer(store.settings)
  try {
    const restarted = createClient(again, apiKey)
    const listAccounts = async () =>
      (await restarted.get<{ account_sid: string }[]>('/Accounts')).filter((one) => one.account_sid === account_sid)
    const remaining = new Set(
      (await listNumbers(restarted, account_sid)).map(({ phone_number_sid }) => phone_number_sid),
    )
    const interrupted = await readChange(restarted, change)
    expect(interrupted).toMatchObject({ status: 'running', done: numbers - remaining.size, failed: 0 })
    expect(remaining.size).toBeGreaterThan(0)
    expect(await readAudited(restarted, 'delete')).toEqual(sids.filter((sid) => !remaining.has(sid)))
    expect(await listAccounts()).toHaveLength(1)

    await awaitEnd(restarted, change)
    const total = numbers + 2
    expect(await readChange(restarted, change)).toMatchObject({ total, done: total, failed: 0, failures: [] })
    expect(await readAudited(restarted, 'delete')).toEqual(sids)
    expect(await readAudited(restarted, 'delete', 'application')).toEqual([application_sid])
    expect(await readAudited(restarted, 'delete', 'account')).toEqual([account_sid])
    expect(await listAccounts()).toEqual([])
    expect(await restarted.get<unknown[]>('/VoipCarriers')).toHaveLength(1)
    return await store.damage()
  } finally {
    await again.stop()
    store.remove()
  }
}

/** Returns the damage of the database after the deletion of a service provider that was interrupted and continued. */
const killProviderDeletion = async (store: PersistentStore): Promise<string[]> => {
  const first = await startServer(store.settings)
  const { apiKey } = await enter(first)
  const client = createClient(first, apiKey)
  const provider = await createProvider(client)
  const { service_provider_sid } = provider
  const accounts: Tenant[] = []
  for (const thousand of [1000, 2000, 3000])
    accounts.push(await createAccount(client, provider, { thousand, count: perAccount }))
  // Each account uses the application of the next one.
  for (const [nth, { account_sid }] of accounts.entries()) {
    const device_calling_application_sid = accounts[(nth + 1) % accounts.length]?.application_sid
    await callApi(first, apiKey, 'PUT', `/Accounts/${account_sid}`, { device_calling_application_sid })
  }
  await callApi(first, apiKey, 'POST', '/ApiKeys', { service_provider_sid })
  const listAllNumbers = async (of: Client) => {
    const lists = await Promise.all(accounts.map(({ account_sid }) => listNumbers(of, account_sid)))
    return lists.flat().map(({ phone_number_sid }) => phone_number_sid)
  }
  const sids = (await listAllNumbers(client)).toSorted()
  expect(sids.length).toBe(3 * perAccount)
  const body = { kind: 'service_provider', operation: 'delete_cascade', sids: [service_provider_sid] }
  const change = await killAfterStart(first, client, body)

  const again = await startServer(store.settings)
  try {
    const restarted = createClient(again, apiKey)
    const remaining = new Set(await listAllNumbers(restarted))
    const interrupted = await readChange(restarted, change)
    expect(interrupted).toMatchObject({ status: 'running', done: sids.length - remaining.size, failed: 0 })
    expect(remaining.size).toBeGreaterThan(0)
    expect(await readAudited(restarted, 'delete')).toEqual(sids.filter((sid) => !remaining.has(sid)))
    expect(await readAudited(restarted, 'delete', 'account')).toEqual([])

    await awaitEnd(restarted, change)
    // Besides the numbers: a carrier, an API key, three applications, three accounts, and the provider.
    const total = sids.length + 9
    expect(await readChange(restarted, change)).toMatchObject({ total, done: total, failed: 0, failures: [] })
    expect(await readAudited(restarted, 'delete')).toEqual(sids)
    const audited = (kind: string) => readAudited(restarted, 'delete', kind)
    const sorted = (key: keyof Tenant) => accounts.map((each) => each[key]).toSorted()
    expect(await audited('account')).toEqual(sorted('account_sid'))
    expect(await audited('application')).toEqual(sorted('application_sid'))
    expect(await audited('voip_carrier')).toEqual([provider.carrier])
    expect(await audited('api_key')).toHaveLength(1)
    expect(await audited('service_provider')).toEqual([service_provider_sid])
    const providers = await restarted.get<{ service_provider_sid: string }[]>('/ServiceProviders')
    expect(providers.map((each) => each.service_provider_sid)).not.toContain(service_provider_sid)
    return await store.damage()
  } finally {
    await again.stop()
    store.remove()
  }
}

test.concurrent('a server killed in the deletion of a provider continues it after its restart, on SQLite', async () => {
  expect(await killProviderDeletion(sqliteStore())).toEqual([])
})

test.concurrent('a server killed in the deletion of a provider continues it after its restart, on MariaDB', async () => {
  const url = await mariaDbClient(inject('mariadb')).createDatabase()
  expect(await killProviderDeletion(mysqlStore(url))).toEqual([])
})

test.concurrent('a server killed in the deletion of an account continues it after its restart, on SQLite', async () => {
  expect(await killDeletion(sqliteStore())).toEqual([])
})

test.concurrent('a server killed in the deletion of an account continues it after its restart, on MariaDB', async () => {
  const url = await mariaDbClient(inject('mariadb')).createDatabase()
  expect(await killDeletion(mysqlStore(url))).toEqual([])
})

test.concurrent('a server killed in a bulk change continues it after its restart, on SQLite', async () => {
  expect(await killInTheMiddle(sqliteStore())).toEqual([])
})

test.concurrent('a server killed in a bulk change continues it after its restart, on MariaDB', async () => {
  const url = await mariaDbClient(inject('mariadb')).createDatabase()
  expect(await killInTheMiddle(mysqlStore(url))).toEqual([])
})
