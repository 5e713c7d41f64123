import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { hash } from '@node-rs/argon2'
import { startMariaDb } from '@patchbay/testkit/servers/mariadb'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { createConnection } from 'mysql2/promise'
import { typeSignIn } from './support/sign-in.ts'
import { test as base, expect } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Compatibility with the platform: the console on MariaDB, together with the platform's published packages. */

const require = createRequire(import.meta.url)
const dbHelpers = require('@jambonz/db-helpers')
const shippedSchema = join(dirname(require.resolve('@jambonz/db-helpers')), 'test/db/jambones-sql.sql')

const test = base.extend<object, { mariadb: Awaited<ReturnType<typeof startMariaDb>> }>({
  mariadb: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from the pattern
    async ({}, use) => {
      const mariadb = await startMariaDb()
      await use(mariadb)
      await mariadb.stop()
    },
    { scope: 'worker' },
  ],
})

const settings = (url: string) => ({ DATABASE_URL: url, JWT_SECRET: 'a secret of the whole platform' })

/** The platform's hash algorithm, by its number in the library. */
const argon2i = 1

const silent = { info: () => {}, debug: () => {}, error: () => {}, warn: () => {} }

test('writes data on MariaDB that the platform’s db-helpers package can read', async ({ page, mariadb }) => {
  const url = await mariadb.createDatabase('console_saves')
  const server = await startServer(settings(url))
  await page.goto(server.url)
  await typeSignIn(page, 'admin', server.firstPassword)
  await page.getByLabel('New password', { exact: true }).fill('Brand-new-1')
  await page.getByLabel('Confirm new password').fill('Brand-new-1')
  await page.getByRole('button', { name: 'Create password' }).click()
  await page.getByRole('link', { name: 'Add account' }).click()
  await page.getByLabel('Account name').fill('Read by the platform')
  await page.getByLabel('SIP realm').fill('Platform.SIP.example.com')
  await page.getByLabel('Registration webhook URL').fill('https://hooks.example.com/register')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Account created successfully')

  const { hostname: host, port } = new URL(url)
  const helpers = dbHelpers(
    { host, port: Number(port), user: 'root', database: 'console_saves', connectionLimit: 2 },
    silent,
  )
  // The package opens a connection immediately, and throws if it is closed before the connection is established.
  let connections = 0
  helpers.pool.on('connection', () => (connections += 1))
  const byRealm = await helpers.lookupAccountBySipRealm('platform.sip.example.com')
  expect(byRealm).toMatchObject({
    name: 'Read by the platform',
    sip_realm: 'platform.sip.example.com',
    is_active: 1,
    registration_hook: { url: 'https://hooks.example.com/register', method: 'POST' },
  })
  const bySid = await helpers.lookupAccountBySid(byRealm.account_sid)
  expect(bySid).toEqual(byRealm)
  expect(bySid.webhook_secret).toMatch(/^wh_secret_/)
  await expect.poll(() => connections).toBe(2)
  await helpers.pool.end()
  await server.stop()
})

const snapshot = async (url: string) => {
  const db = await createConnection({ uri: url })
  const [tables] = await db.query('SHOW TABLES')
  const names = (tables as object[])
    .map((row) => String(Object.values(row)[0]))
    .filter((name) => !name.startsWith('patchbay_'))
  const definitions: Record<string, unknown> = {}
  for (const name of names) {
    const [row] = await db.query(`SHOW CREATE TABLE \`${name}\``)
    const [sum] = await db.query(`CHECKSUM TABLE \`${name}\``)
    definitions[name] = [row, sum]
  }
  await db.end()
  return definitions
}

test('adopts an existing platform database without changing it', async ({ page, mariadb }) => {
  const url = await mariadb.createDatabase('platform')
  const db = await createConnection({ uri: url, multipleStatements: true })
  // The file requires double quotes to be string delimiters.
  await db.query("SET SESSION sql_mode = 'STRICT_TRANS_TABLES'")
  await db.query(readFileSync(shippedSchema, 'utf8'))
  // Hashed like the platform's own installer does.
  const hashed = await hash('platform-admin', {
    algorithm: argon2i,
    memoryCost: 65_536,
    timeCost: 3,
    parallelism: 4,
  })
  const sp = '2708b1b3-2736-40ea-b502-c53d8396247f'
  await db.query('INSERT INTO service_providers (service_provider_sid, name) VALUES (?, ?)', [sp, 'platform provider'])
  await db.query('INSERT INTO accounts (account_sid, name, service_provider_sid, webhook_secret) VALUES (?, ?, ?, ?)', [
    '9351f46a-678c-43f5-b8a6-d4eb58d131af',
    'platform account',
    sp,
    'wh_secret_x',
  ])
  await db.query(
    "INSERT INTO users (user_sid, name, email, provider, hashed_password) VALUES (UUID(), 'admin', 'a@b.c', 'local', ?)",
    [hashed],
  )
  await db.end()
  const before = await snapshot(url)

  const first = await startServer(settings(url))
  expect(first.firstPassword).toBe('')
  expect(await snapshot(url)).toEqual(before)
  await first.stop()

  const server = await startServer(settings(url))
  await page.goto(server.url)
  await typeSignIn(page, 'admin', 'platform-admin')
  await page.getByRole('link', { name: 'platform account', exact: true }).click()
  await page.getByLabel('Account name').fill('renamed account')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Account updated successfully')
  await page.getByRole('button', { name: 'Delete renamed account' }).click()
  await page.getByRole('button', { name: 'Delete account' }).click()
  await expectToast(page, 'Deleted account renamed account')
  await expect(page.getByText('No Accounts.')).toBeVisible()

  // Queries that join tables of the platform with those of Patchbay, whose collations differ.
  const api = `${server.url}/api/v1`
  const signedIn = await page.request.post(`${api}/login`, { data: { username: 'admin', password: 'platform-admin' } })
  const asAdmin = { authorization: `Bearer ${(await signedIn.json()).token}` }
  const key = await page.request.post(`${api}/ApiKeys`, {
    headers: asAdmin,
    data: { service_provider_sid: sp, name: 'Export', expires_at: new Date(Date.now() + 86_400_000).toISOString() },
  })
  const asKey = { authorization: `Bearer ${(await key.json()).token}` }
  const provider = `${api}/patchbay/service-providers/${sp}`
  const keys = await page.request.get(`${provider}/api-keys?page=1&count=10`, { headers: asKey })
  expect(await keys.json()).toMatchObject({ total: 1, data: [{ name: 'Export' }] })
  const overview = await page.request.get(`${provider}/overview`, { headers: asKey })
  expect((await overview.json()).attention).toMatchObject([{ kind: 'api_key_expiring', records: [{ name: 'Export' }] }])
  const calls = `${api}/ServiceProviders/${sp}/RecentCalls?page=1&count=25&days=7&sip_status=503&filter=carrier`
  expect((await page.request.get(calls, { headers: asKey })).status()).toBe(200)
  await server.stop()
})

test('refuses to start with a database that lacks a column, and names it', async ({ mariadb }) => {
  const url = await mariadb.createDatabase('lacking')
  const db = await createConnection({ uri: url, multipleStatements: true })
  // The file requires double quotes to be string delimiters.
  await db.query("SET SESSION sql_mode = 'STRICT_TRANS_TABLES'")
  await db.query(readFileSync(shippedSchema, 'utf8'))
  await db.query('ALTER TABLE accounts DROP COLUMN record_format')
  await db.query('DROP TABLE password_settings')
  await db.end()
  await expect(startServer(settings(url))).rejects.toThrow(
    /it lacks: column accounts\.record_format, table password_settings/,
  )
})
