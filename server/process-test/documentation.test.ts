import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Account } from '@patchbay/contract/accounts'
import type { Call } from '@patchbay/contract/recent-calls'
import { findSipFindings } from '@patchbay/rules/sip/findings/findings'
import { toLadder } from '@patchbay/rules/sip/ladder'
import { listDocuments, parseBlocks, readDocument } from '@patchbay/testkit/docs/documentation'
import { type DocumentedCommand, readShownOutput, runDocument } from '@patchbay/testkit/docs/documented-commands'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { freePort } from '@patchbay/testkit/servers/ports'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { createConnection } from 'mysql2/promise'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'

/**
 * The commands of the documentation work as they are written, and print what the documentation shows. The commands
 * outside of `test` blocks are in `documented-commands.test.ts`.
 */

const firstCall = 'docs/tutorial/first-call.md'
const failedCall = 'docs/tutorial/find-why-a-call-failed.md'
const backup = 'docs/how-to/back-up-and-upgrade.md'
const monitoring = 'docs/how-to/monitor.md'
/** Documents whose commands need more than a new server, or whose result is checked. */
const documentsWithOwnTest = [firstCall, failedCall, backup, monitoring]

const program = fileURLToPath(new URL('../dist/main.mjs', import.meta.url))

let folder: string
let server: RunningServer

const start = async (settings: Readonly<Record<string, string>> = {}): Promise<void> => {
  server = await startServer({ PRIVATE_NETWORKS: '127.0.0.1/32', DATA_DIR: join(folder, 'data'), ...settings })
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-documents-'))
})
afterEach(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a document with the address and the data of the server of this test. */
const run = (document: string, replacements: Readonly<Record<string, string>> = {}): Promise<DocumentedCommand[]> =>
  runDocument(document, folder, {
    'http://127.0.0.1:3000': server.url,
    'npm run admin:password --': `DATA_DIR=data node ${program} reset-password`,
    'npm run admin:password': `DATA_DIR=data node ${program} reset-password`,
    ...replacements,
  })

/** Returns the commands whose output differs from what the document shows. */
const findDifferences = (commands: readonly DocumentedCommand[]): DocumentedCommand[] =>
  commands.filter(({ output, expected }) => expected?.test(output) === false)

/** Returns a function that gets a resource of the API as a user of the demo data. */
const signIn = async () => {
  const api = `${server.url}/api/v1`
  const credentials = { username: 'provider-user', password: 'demo-2026' }
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${api}/login`, { method: 'POST', headers, body: JSON.stringify(credentials) })
  const { token } = (await response.json()) as { token: string }
  return async <T>(path: string): Promise<T> =>
    (await (await fetch(`${api}${path}`, { headers: { authorization: `Bearer ${token}` } })).json()) as T
}

/** Returns the findings that the console shows for the newest unanswered call. */
const findFirstFindings = async (get: Awaited<ReturnType<typeof signIn>>): Promise<string> => {
  const accounts = await get<Account[]>('/Accounts')
  const account = `/Accounts/${accounts.find(({ name }) => name === 'Alder Dental')?.account_sid}`
  const { data } = await get<{ data: Call[] }>(`${account}/RecentCalls?page=1&count=25&days=7&answered=false`)
  const { sip_callid, remote_host, trunk } = data[0] as Call
  const ladder = toLadder(await get(`${account}/RecentCalls/${sip_callid}`), { [String(remote_host)]: String(trunk) })
  return findSipFindings(ladder)
    .map(({ text }) => text)
    .join('\n')
}

test('the tutorial leads from an empty system to a call that reaches a webhook', async () => {
  await start()
  const port = String(await freePort())
  const commands = await run(firstCall, { 'the printed password': server.firstPassword, '8090': port })
  expect(findDifferences(commands)).toEqual([])
  const started = readShownOutput(firstCall, 'start', {
    'http://127.0.0.1:3000': server.url,
  })
  expect(server.output().trimEnd()).toMatch(started)
  expect(commands.filter(({ expected }) => expected !== undefined)).toHaveLength(6)
})

test('the tutorial finds the causes of failed calls in the demo data', async () => {
  const [, options = ''] = /^npm run demo -- (.+)$/m.exec(readDocument(failedCall)) ?? []
  execFileSync(process.execPath, [program, 'demo', ...options.split(' ')], {
    env: { ...process.env, DATA_DIR: join(folder, 'data') },
  })
  await start()
  const commands = await run(failedCall)
  expect(findDifferences(commands)).toEqual([])
  expect(commands.filter(({ expected }) => expected !== undefined)).toHaveLength(5)
  const findings = await findFirstFindings(await signIn())
  expect(findings).toMatch(readShownOutput(failedCall, 'finding', {}))
})

/** Signs in as the administrator of a new server. Returns a token that is valid for all requests. */
const signInAsAdmin = async (): Promise<string> => {
  const send = async (method: string, path: string, body: object, token = '') => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    return fetch(`${server.url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
  }
  const login = await send('POST', '/login', { username: 'admin', password: server.firstPassword })
  const { token, user_sid } = (await login.json()) as { token: string; user_sid: string }
  const passwords = { old_password: server.firstPassword, new_password: 'documented-2026' }
  expect((await send('PUT', `/Users/${user_sid}`, passwords, token)).status).toBe(204)
  return token
}

/** Writes `patchbay.log` with the line of a failed request. Returns its ID in place of `documentedId`. */
const logFailedRequest = async (documentedId: string): Promise<Record<string, string>> => {
  const headers = { authorization: `Bearer ${await signInAsAdmin()}` }
  const accounts = (await (await fetch(`${server.url}/api/v1/Accounts`, { headers })).json()) as Account[]
  const calls = `/api/v1/Accounts/${accounts[0]?.account_sid}/RecentCalls?page=1&count=25`
  const failed = await fetch(`${server.url}${calls}`, { headers })
  expect(failed.status).toBe(503)
  writeFileSync(join(folder, 'patchbay.log'), server.output())
  return { [documentedId]: failed.headers.get('x-request-id') ?? 'no ID' }
}

/** Prepare the commands of a document. Each returns what replaces texts of the document. */
const preparations: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  'docs/how-to/find-the-cause-of-a-failure.md': () => logFailedRequest('…'),
  'docs/how-to/host-accounts-with-billing.md': async () => ({
    'https://console.example.com': server.url,
    $ADMIN_KEY: await signInAsAdmin(),
  }),
  'docs/how-to/prepare-for-production.md': async () => ({ $ADMIN_KEY: await signInAsAdmin() }),
  'docs/how-to/recover-a-password.md': () => Promise.resolve({ NAME: 'admin' }),
  'docs/reference/logging.md': () => logFailedRequest('5d468563-030f-41b2-a69e-dcceee413a98'),
}

const otherDocuments = listDocuments().filter(
  (document) => !documentsWithOwnTest.includes(document) && /^ *```sh test/m.test(readDocument(document)),
)

test.each(otherDocuments)('%s: the commands work as documented', async (document) => {
  // No InfluxDB runs there, so requests for calls fail.
  await start({ JAMBONES_TIME_SERIES_HOST: `127.0.0.1:${await freePort()}` })
  expect(findDifferences(await run(document, await preparations[document]?.()))).toEqual([])
})

test('the metrics are at the documented address', async () => {
  const port = await freePort()
  await start({ METRICS_PORT: String(port) })
  const commands = await run(monitoring, { 'http://127.0.0.1:9464': `http://127.0.0.1:${port}` })
  expect(findDifferences(commands)).toEqual([])
  expect(commands.filter(({ expected }) => expected !== undefined)).toHaveLength(1)
})

test('a documented backup contains the data, and a server starts with it', async () => {
  await start()
  const commands = await run(backup, {
    'DATA_DIR=./restored npx patchbay': `DATA_DIR=./restored node ${program}`,
    'npx patchbay': `DATA_DIR=./data node ${program}`,
  })
  expect(findDifferences(commands)).toEqual([])
  const restored = await startServer({ DATA_DIR: join(folder, 'restored') })
  try {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ username: 'admin', password: server.firstPassword })
    expect((await fetch(`${restored.url}/api/v1/login`, { method: 'POST', headers, body })).status).toBe(200)
    expect(restored.firstPassword).toBe('')
  } finally {
    await restored.stop()
  }
})

/** The statements are for the tables of a platform, so they run on MariaDB. */
const statements = listDocuments().flatMap((document) =>
  parseBlocks(readDocument(document))
    .filter(({ language }) => language === 'sql')
    .map(({ content }) => ({ document, content })),
)

test.each(statements)('$document: MariaDB accepts the statements', async ({ content }) => {
  const uri = await mariaDbClient(inject('mariadb')).createDatabase()
  await start({ DATABASE_URL: uri, JWT_SECRET: 'a secret for tests only' })
  const connection = await createConnection({ uri, multipleStatements: true })
  // Patchbay created this database, with the indexes that a platform's database lacks.
  for (const [, index, table] of content.matchAll(/CREATE INDEX (\w+) ON (\w+)/g))
    await connection.query(`DROP INDEX IF EXISTS ${index} ON ${table}`)
  await expect(connection.query(content)).resolves.toBeDefined()
  await connection.end()
})
