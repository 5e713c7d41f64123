import type { BulkChange } from '@patchbay/contract/bulk-changes'
import { enter, mysqlStore, type PersistentStore, sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi } from '@patchbay/testkit/crash/durability-ledger'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { expect, inject, test } from 'vitest'

/** A bulk change continues after the server was killed: each record is changed once, and with its audit entry. */

const numbers = 5000
const perImport = 500
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

const createTenant = async ({ post }: Client): Promise<Tenant> => {
  const make = async (path: string, body: object) => (await post<{ sid: string }>(path, body)).sid
  const service_provider_sid = await make('/ServiceProviders', { name: 'killed' })
  const account_sid = await make('/Accounts', { name: 'killed', service_provider_sid })
  const carrier = await make('/VoipCarriers', { name: 'killed', service_provider_sid })
  const hook = { url: 'https://app.example.org' }
  const application = { name: 'killed', account_sid, call_hook: hook, call_status_hook: hook }
  for (let first = 0; first < numbers; first += perImport) {
    const rows = Array.from({ length: perImport }, (_, row) => ({
      number: `${1_000_000 + first + row}`,
      carrier,
      account: account_sid,
    }))
    await post('/patchbay/phone-numbers/import', { service_provider_sid, dry_run: false, rows })
  }
  return { account_sid, application_sid: await make('/Applications', application) }
}

interface StoredNumber {
  phone_number_sid: string
  application_sid: string | null
}

/** Returns the SIDs of the phone numbers that have an audit entry of an update, one for each entry. */
const readUpdated = async ({ get }: Client): Promise<string[]> => {
  const sids: string[] = []
  for (let page = 1; ; page += 1) {
    const path = `/patchbay/audit-trail?page=${page}&count=500&kind=phone_number&action=update`
    const { data } = await get<{ data: { sid: string }[] }>(path)
    sids.push(...data.map(({ sid }) => sid))
    if (data.length === 0) return sids
  }
}

/** Returns the damage of the database after a bulk change that was interrupted and continued. */
const killInTheMiddle = async (store: PersistentStore): Promise<string[]> => {
  const first = await startServer(store.settings)
  const { apiKey } = await enter(first)
  const client = createClient(first, apiKey)
  const { account_sid, application_sid } = await createTenant(client)
  const listNumbers = ({ get }: Client) => get<StoredNumber[]>(`/PhoneNumbers?account_sid=${account_sid}`)
  const sids = (await listNumbers(client)).map(({ phone_number_sid }) => phone_number_sid)
  expect(sids.length).toBe(numbers)
  const body = { kind: 'phone_number', operation: 'update', values: { application_sid }, sids }
  const { bulk_change_sid } = await client.post<BulkChange>('/patchbay/bulk-changes', body)
  const readChange = ({ get }: Client) => get<BulkChange>(`/patchbay/bulk-changes/${bulk_change_sid}`)
  await expect
    .poll(async () => (await readChange(client)).done, { timeout: timeoutMs, interval: 20 })
    .toBeGreaterThan(500)
  await first.kill()

  const again = await startServer(store.settings)
  try {
    const restarted = createClient(again, apiKey)
    const interrupted = await readChange(restarted)
    const changed = (await listNumbers(restarted)).filter((number) => number.application_sid === application_sid)
    expect(interrupted).toMatchObject({ status: 'running', done: changed.length, failed: 0 })
    expect(changed.length).toBeLessThan(numbers)
    expect((await readUpdated(restarted)).toSorted()).toEqual(
      changed.map(({ phone_number_sid }) => phone_number_sid).toSorted(),
    )

    await expect
      .poll(async () => (await readChange(restarted)).status, { timeout: timeoutMs, interval: 250 })
      .toBe('finished')
    expect(await readChange(restarted)).toMatchObject({ total: numbers, done: numbers, failed: 0 })
    expect((await listNumbers(restarted)).every((number) => number.application_sid === application_sid)).toBe(true)
    expect((await readUpdated(restarted)).toSorted()).toEqual(sids.toSorted())
    return await store.damage()
  } finally {
    await again.stop()
    store.remove()
  }
}

test.concurrent('a server killed in a bulk change continues it after its restart, on SQLite', async () => {
  expect(await killInTheMiddle(sqliteStore())).toEqual([])
})

test.concurrent('a server killed in a bulk change continues it after its restart, on MariaDB', async () => {
  const url = await mariaDbClient(inject('mariadb')).createDatabase()
  expect(await killInTheMiddle(mysqlStore(url))).toEqual([])
})
