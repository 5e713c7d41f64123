import type { Account } from '@patchbay/contract/accounts'
import type { Call } from '@patchbay/contract/recent-calls'
import { findSipFindings } from '@patchbay/contract/sip/findings/findings'
import { toLadder } from '@patchbay/contract/sip/ladder'
import { type DocumentedCommand, readShownOutput, runDocument } from '@patchbay/testkit/documented-commands'
import { freePort } from '@patchbay/testkit/ports'
import { type RunningServer, startServer } from '@patchbay/testkit/server-process'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

/** The commands of the documentation work as they are written, and print what the documentation shows. */

const documents = fileURLToPath(new URL('../../docs', import.meta.url))
const demo = fileURLToPath(new URL('../dist/demo.mjs', import.meta.url))
const adminPassword = fileURLToPath(new URL('../dist/admin-password.mjs', import.meta.url))

let folder: string
let server: RunningServer

const start = async (): Promise<void> => {
  server = await startServer({ PRIVATE_NETWORKS: '127.0.0.1/32', DATA_DIR: join(folder, 'data') })
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
  runDocument(join(documents, document), folder, {
    'http://127.0.0.1:3000': server.url,
    'npm run admin:password --': `DATA_DIR=data node ${adminPassword}`,
    'npm run admin:password': `DATA_DIR=data node ${adminPassword}`,
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
  const commands = await run('tutorial/first-call.md', { 'the printed password': server.firstPassword, '8090': port })
  expect(findDifferences(commands)).toEqual([])
  const started = readShownOutput(join(documents, 'tutorial/first-call.md'), 'start', {
    'http://127.0.0.1:3000': server.url,
  })
  expect(server.output().trimEnd()).toMatch(started)
  expect(commands.filter(({ expected }) => expected !== undefined)).toHaveLength(6)
})

test('the tutorial finds the causes of failed calls in the demo data', async () => {
  const tutorial = join(documents, 'tutorial/find-why-a-call-failed.md')
  const [, options = ''] = /^npm run demo -- (.+)$/m.exec(readFileSync(tutorial, 'utf8')) ?? []
  execFileSync(process.execPath, [demo, ...options.split(' ')], {
    env: { ...process.env, DATA_DIR: join(folder, 'data') },
  })
  await start()
  const commands = await run('tutorial/find-why-a-call-failed.md')
  expect(findDifferences(commands)).toEqual([])
  expect(commands.filter(({ expected }) => expected !== undefined)).toHaveLength(5)
  const findings = await findFirstFindings(await signIn())
  expect(findings).toMatch(readShownOutput(tutorial, 'finding', {}))
})

test('the health check responds as documented', async () => {
  await start()
  expect(findDifferences(await run('how-to/run-standalone.md'))).toEqual([])
})

test('the documented command sets a new password of an administrator', async () => {
  await start()
  expect(findDifferences(await run('how-to/recover-a-password.md', { NAME: 'admin' }))).toEqual([])
})

test('a documented backup contains the data, and a server starts with it', async () => {
  await start()
  mkdirSync(join(folder, 'data/recordings'))
  expect(findDifferences(await run('how-to/back-up-and-upgrade.md', { '/backup': `${folder}/backup` }))).toEqual([])
  const restored = await startServer({ DATA_DIR: join(folder, 'backup') })
  try {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ username: 'admin', password: server.firstPassword })
    expect((await fetch(`${restored.url}/api/v1/login`, { method: 'POST', headers, body })).status).toBe(200)
    expect(restored.firstPassword).toBe('')
  } finally {
    await restored.stop()
  }
})
