import { enter, mysqlStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi } from '@patchbay/testkit/crash/durability-ledger'
import { startPartitionProxy } from '@patchbay/testkit/peers/partition-proxy'
import { startMariaDb } from '@patchbay/testkit/servers/mariadb'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { expect, test } from 'vitest'

/** The host of the database disappears without closing its connections, and another one takes over its address. */

const connections = 6

test('requests fail in time while the host of the database is lost, and work when another one replaces it', async () => {
  const mariadb = await startMariaDb()
  const proxy = await startPartitionProxy(mariadb.port)
  const url = new URL(await mariadb.createDatabase('partition'))
  url.port = String(proxy.port)
  const server = await startServer({
    ...mysqlStore(url.href).settings,
    DATABASE_CONNECTIONS: String(connections),
    REQUEST_TIMEOUT_SECONDS: '3',
    DISABLE_RATE_LIMITS: '1',
  })
  const readReadiness = async () => (await fetch(new URL('/readyz', server.url))).text()
  try {
    const { apiKey } = await enter(server)
    const read = () => callApi(server, apiKey, 'GET', '/Accounts')
    const write = (name: string) => callApi(server, apiKey, 'POST', '/ServiceProviders', { name })
    const listProviders = async () => JSON.stringify((await callApi(server, apiKey, 'GET', '/ServiceProviders')).body)
    expect(new Set((await Promise.all(Array.from({ length: 90 }, read))).map(({ status }) => status))).toEqual(
      new Set([200]),
    )
    proxy.partition()
    const lost = await Promise.all([...Array.from({ length: 60 }, read), write('lost one'), write('lost two')])
    expect(new Set(lost.map(({ status }) => status))).toEqual(new Set([503]))
    await expect.poll(readReadiness).toMatch(/"(no_response|unreachable)"/)
    proxy.replaceHost()
    await expect.poll(readReadiness).toContain('"ready"')
    const later = await Promise.all(Array.from({ length: 90 }, read))
    expect(new Set(later.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await write('written later')).status).toBe(201)
    const providers = await listProviders()
    expect(providers).toContain('written later')
    expect(providers).not.toContain('lost')
    // Searches have two connections of their own.
    await expect.poll(() => proxy.openConnections()).toBeLessThanOrEqual(connections + 2)
  } finally {
    await server.stop()
    proxy.stop()
    await mariadb.stop()
  }
})
