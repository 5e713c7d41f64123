import { request } from 'node:http'
import { mysqlStore, sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { startMariaDb } from '@patchbay/testkit/servers/mariadb'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { halted } from '@patchbay/testkit/servers/spawn-server'
import { expect, test } from 'vitest'

/** The readiness of a real process while its database fails, and during a shutdown under load. */

/** Sends a request on a new connection, as after a decision of a load balancer. */
const get = ({ url }: RunningServer, path: string): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    request(new URL(path, url), { agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body }))
      response.once('error', reject)
    })
      .once('error', reject)
      .end()
  })

const untilReadiness = async (server: RunningServer, expected: string): Promise<void> => {
  await expect.poll(async () => (await get(server, '/readyz')).body).toContain(expected)
}

test('is not ready while MariaDB hangs or is down, stays alive, and is ready again afterwards', async () => {
  const mariadb = await startMariaDb()
  const store = mysqlStore(await mariadb.createDatabase('readiness'))
  const server = await startServer(store.settings)
  try {
    await untilReadiness(server, '"ready"')
    await halted(mariadb.pid)
    try {
      await untilReadiness(server, '"no_response"')
      // A flood of probes must not use up the connections of the pool.
      const flood = await Promise.all(Array.from({ length: 200 }, () => get(server, '/readyz')))
      expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([503]))
      expect((await get(server, '/livez')).status).toBe(200)
    } finally {
      process.kill(mariadb.pid, 'SIGCONT')
    }
    await untilReadiness(server, '"ready"')
    await mariadb.kill()
    await untilReadiness(server, '"unreachable"')
    expect((await get(server, '/livez')).status).toBe(200)
    expect((await get(server, '/health')).body).toBe('OK')
    await mariadb.restart()
    await untilReadiness(server, '"ready"')
    expect(server.output()).toContain('"msg":"the server is not ready"')
    expect(server.output()).not.toMatch(/"msg":"request failed"/)
  } finally {
    await server.stop()
    await mariadb.stop()
  }
})

test('a shutdown under load loses no request of a load balancer that watches /readyz', async () => {
  const store = sqliteStore()
  const server = await startServer({ ...store.settings, SHUTDOWN_DELAY_SECONDS: '2' })
  try {
    const removal = new AbortController()
    const statuses: number[] = []
    const sendRequests = async () => {
      while (!removal.signal.aborted) statuses.push((await get(server, '/v1/Accounts')).status)
    }
    const clients = Array.from({ length: 8 }, sendRequests)
    await expect.poll(() => statuses.length).toBeGreaterThan(50)
    process.kill(server.pid, 'SIGTERM')
    await untilReadiness(server, '"shutting_down"')
    removal.abort()
    await Promise.all(clients)
    expect(new Set(statuses)).toEqual(new Set([401]))
    expect(await server.ended).toBe(0)
  } finally {
    await server.kill()
    store.remove()
  }
})

test('/version and the output of the start name the commit of the build, and whether its sources differ from it', async () => {
  const store = sqliteStore()
  const server = await startServer(store.settings)
  try {
    const build: unknown = JSON.parse((await get(server, '/version')).body)
    expect(build).toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{40}$/), modified: expect.any(Boolean) })
    const { commit, modified } = build as { commit: string; modified: boolean }
    const changes = modified ? ' with changes' : ''
    expect(server.output()).toContain(`\n  Built from commit ${commit.slice(0, 12)}${changes}\n`)
  } finally {
    await server.kill()
    store.remove()
  }
})
