import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'patchbay-demo-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const program = fileURLToPath(new URL('../dist/main.mjs', import.meta.url))
const size = ['--accounts', '1', '--calls', '10', '--alerts', '1', '--numbers', '0']
const fill = (dataDir = join(folder, 'data'), settings: NodeJS.ProcessEnv = {}) =>
  promisify(execFile)(process.execPath, [program, 'demo', ...size], {
    env: { ...process.env, DATA_DIR: dataDir, ...settings },
  })

test('demo data replaces the empty provider of a new database, and is not added to a database in use', async () => {
  const { stdout } = await fill()
  const [, password = ''] = /admin with the password (\S+)/.exec(stdout) ?? []
  const server = await startServer({ DATA_DIR: join(folder, 'data') })
  const send = async (method: string, path: string, body?: object, token = ''): Promise<unknown> => {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return response.status === 204 ? undefined : response.json()
  }
  const signedIn = await send('POST', '/login', { username: 'admin', password })
  const { token, user_sid } = signedIn as { token: string; user_sid: string }
  const passwords = { old_password: password, new_password: 'Adm1n-of-the-demo' }
  await send('PUT', `/Users/${user_sid}`, passwords, token)
  expect(await send('GET', '/ServiceProviders', undefined, token)).toMatchObject([{ name: 'Harbour Voice' }])
  expect(await send('GET', '/Accounts', undefined, token)).toHaveLength(1)
  await server.stop()
  await expect(fill()).rejects.toMatchObject({ stderr: expect.stringContaining('This database is in use') })
})

test('the administrator of demo data has the password and the API key of the settings', async () => {
  const dataDir = join(folder, 'with-settings')
  const [password, key] = ['a-Passw0rd-of-the-operator', randomUUID()]
  const { stdout } = await fill(dataDir, { PATCHBAY_INIT_ADMIN_PASSWORD: password, PATCHBAY_INIT_API_KEY: key })
  expect(stdout).toContain('Start Patchbay with npm start and sign in as\n    provider-user')
  expect(stdout).not.toContain(password)
  const server = await startServer({ DATA_DIR: dataDir })
  const accounts = await fetch(`${server.url}/api/v1/Accounts`, { headers: { authorization: `Bearer ${key}` } })
  expect(await accounts.json()).toHaveLength(1)
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ username: 'admin', password })
  const signedIn = await fetch(`${server.url}/api/v1/login`, { method: 'POST', headers, body })
  expect(await signedIn.json()).toMatchObject({ scope: 'admin', force_change: false })
  await server.stop()
})
