import { createApp } from '@patchbay/server/app/app'
import { openTestApi } from '@patchbay/testkit/test-world'
import type { FastifyInstance } from 'fastify'
import { afterAll, expect, test } from 'vitest'

const api = await openTestApi({ JAMBONES_TRUST_PROXY: '1' })
const openedApps: FastifyInstance[] = []
afterAll(() => Promise.all(openedApps.map((app) => app.close())))

interface Line {
  msg: string
  [field: string]: unknown
}

/** Starts an app that logs to memory. Returns it with the lines that it has logged so far. */
const openLoggingApp = async (accessLog: boolean) => {
  const lines: Line[] = []
  const configuration = { ...api.services.configuration, accessLog }
  const log = { write: (line: string) => void lines.push(JSON.parse(line) as Line) }
  const app = await createApp({ configuration, database: api.test.database, log })
  openedApps.push(app)
  return { app, lines }
}

test('logs method, URL, status, duration, address, and ID of each request', async () => {
  const { app, lines } = await openLoggingApp(true)
  const account_sid = await api.account(await api.provider())
  const headers = { authorization: `Bearer ${api.admin.token}`, 'x-forwarded-for': '203.0.113.7' }
  const response = await app.inject({ url: `/v1/Accounts/${account_sid}`, headers })
  await app.inject({ method: 'POST', url: '/api/v1/Accounts', payload: { name: 'x' }, headers: {} })
  await app.inject({ url: '/no/such/path' })
  expect(lines).toMatchObject([
    {
      msg: 'request completed',
      level: 30,
      reqId: response.headers['x-request-id'],
      method: 'GET',
      url: `/v1/Accounts/${account_sid}`,
      status: 200,
      milliseconds: expect.any(Number),
      address: '203.0.113.7',
    },
    { method: 'POST', url: '/api/v1/Accounts', status: 401 },
    { method: 'GET', url: '/no/such/path', status: 404 },
  ])
})

test('logs neither query strings nor parameters that can be secrets nor bodies nor headers', async () => {
  const { app, lines } = await openLoggingApp(true)
  const secret = 'a-secret-word'
  const headers = { authorization: `Bearer ${secret}`, cookie: secret }
  await app.inject({ url: `/v1/Accounts?access_token=${secret}`, headers })
  await app.inject({ method: 'PUT', url: `/v1/ActivationCode/${secret}`, headers, payload: { user_sid: secret } })
  await app.inject({ url: `/unknown?token=${secret}`, headers })
  await app.inject({ url: `/v1/Accounts/${secret}`, headers })
  expect(lines.map(({ url }) => url)).toEqual([
    '/v1/Accounts',
    '/v1/ActivationCode/:code',
    '/unknown',
    '/v1/Accounts/:account_sid',
  ])
  expect(JSON.stringify(lines)).not.toContain(secret)
})

test('logs no requests by default', async () => {
  const { app, lines } = await openLoggingApp(false)
  expect(api.services.configuration.accessLog).toBe(false)
  await app.inject({ url: '/v1/Accounts' })
  expect(lines).toEqual([])
})
