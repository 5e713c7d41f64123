import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi } from '@patchbay/testkit/crash/durability-ledger'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { expect, test } from 'vitest'

/**
 * The fixture was written with better-sqlite3 by a server that was killed while its last write stood in the
 * write-ahead log alone: demo data of three accounts and sixty calls, and one account more.
 */
const unpack = (folder: string): void => {
  for (const file of ['sqlite', 'sqlite-wal'])
    writeFileSync(
      join(folder, `patchbay.${file}`),
      gunzipSync(readFileSync(new URL(`fixtures/better-sqlite3.${file}.gz`, import.meta.url))),
    )
}

test('a database that an earlier version wrote is opened with all that it held, and worked on', async () => {
  const store = sqliteStore()
  unpack(store.settings['DATA_DIR'] ?? '')
  const server = await startServer(store.settings)
  try {
    const at = { url: server.url }
    const credentials = { username: 'provider-user', password: 'demo-2026' }
    const signedIn = await callApi(at, '', 'POST', '/login', credentials)
    expect(signedIn).toMatchObject({ status: 200, body: { scope: 'service_provider' } })
    const { token } = signedIn.body as { token: string }
    const accounts = await callApi(at, token, 'GET', '/Accounts')
    const [first, ...others] = accounts.body as { name: string; service_provider_sid: string }[]
    expect([first, ...others].map((account) => account?.name)).toEqual([
      'Alder Dental',
      'Bayside Energy',
      'Cedar Fitness',
      'Left in the write-ahead log',
    ])
    const service_provider_sid = first?.service_provider_sid ?? ''
    const calls = await callApi(
      at,
      token,
      'GET',
      `/ServiceProviders/${service_provider_sid}/RecentCalls?page=1&count=25`,
    )
    expect(calls).toMatchObject({ status: 200, body: { total: 60 } })
    const added = await callApi(at, token, 'POST', '/Accounts', { name: 'Added since', service_provider_sid })
    expect(added.status).toBe(201)
    // No first start over it: the admin is the one who was there.
    expect(server.firstPassword).toBe('')
    expect(await store.damage()).toEqual([])
  } finally {
    await server.stop()
    store.remove()
  }
})
