import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mysqlStore, sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi } from '@patchbay/testkit/crash/durability-ledger'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { builtServer, startServer } from '@patchbay/testkit/servers/server-process'
import { afterAll, expect, inject, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'patchbay-initial-setup-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const password = 'Unattended-2026!'

const writeSecret = (name: string, value: string): string => {
  const path = join(folder, name)
  writeFileSync(path, `${value}\n`)
  return path
}

const engines = {
  sqlite: () => Promise.resolve(sqliteStore()),
  mariadb: async () => mysqlStore(await mariaDbClient(inject('mariadb')).createDatabase()),
}

const names = (body: unknown): unknown[] => (body as { name: string }[]).map(({ name }) => name)

test.each(Object.entries(engines))(
  'an unattended installation is complete after the first start (%s)',
  async (engine, create) => {
    const store = await create()
    const apiKey = randomUUID()
    const settings = {
      ...store.settings,
      PATCHBAY_INIT_ADMIN_NAME: 'operator',
      PATCHBAY_INIT_ADMIN_PASSWORD_FILE: writeSecret(`${engine}-password`, password),
      PATCHBAY_INIT_PROVIDER: 'Harbor Voice',
      PATCHBAY_INIT_ACCOUNT: 'Alder Dental',
      PATCHBAY_INIT_API_KEY_FILE: writeSecret(`${engine}-key`, apiKey),
    }
    // On one database of MariaDB, several processes start at the same time.
    const count = engine === 'mariadb' ? 3 : 1
    const servers = await Promise.all(Array.from({ length: count }, () => startServer(settings)))
    try {
      const output = servers.map((server) => server.output()).join('\n')
      expect(output.match(/Sign in as operator with the password of PATCHBAY_INIT_ADMIN_PASSWORD\./g)).toHaveLength(1)
      expect(output).not.toContain(password)
      expect(output).not.toContain(apiKey)
      const at = { url: servers[0]?.url ?? '' }
      const signedIn = await callApi(at, '', 'POST', '/login', { username: 'operator', password })
      expect(signedIn).toMatchObject({ status: 200, body: { scope: 'admin', force_change: false } })
      const read = async (path: string) => (await callApi(at, apiKey, 'GET', path)).body
      expect(names(await read('/ServiceProviders'))).toEqual(['Harbor Voice'])
      expect(names(await read('/Accounts'))).toEqual(['Alder Dental'])
      expect(names(await read('/Users'))).toEqual(['operator'])
      expect(names(await read('/PredefinedCarriers'))).not.toEqual([])
    } finally {
      await Promise.all(servers.map((server) => server.stop()))
    }
    const later = await startServer({
      ...store.settings,
      PATCHBAY_INIT_ADMIN_NAME: 'other',
      PATCHBAY_INIT_ADMIN_PASSWORD: 'Another-password-1',
      PATCHBAY_INIT_PROVIDER: 'Other provider',
      PATCHBAY_INIT_API_KEY: randomUUID(),
    })
    try {
      expect(later.output()).not.toContain('Sign in as')
      expect(names((await callApi({ url: later.url }, apiKey, 'GET', '/ServiceProviders')).body)).toEqual([
        'Harbor Voice',
      ])
      expect(names((await callApi({ url: later.url }, apiKey, 'GET', '/Users')).body)).toEqual(['operator'])
    } finally {
      await later.stop()
      store.remove()
    }
  },
)

const runStart = (settings: NodeJS.ProcessEnv) =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', ...settings }
    const child = execFile(process.execPath, [...builtServer], { env, cwd: folder }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
  })

test.each([
  ['PATCHBAY_INIT_ADMIN_NAME', 'must not be empty', '  '],
  ['PATCHBAY_INIT_ADMIN_PASSWORD', 'password must be at least 6 characters long', 'short'],
  ['PATCHBAY_INIT_ADMIN_PASSWORD', 'password is too common', 'Password1'],
  ['PATCHBAY_INIT_ADMIN_PASSWORD', 'must be at most 1024 characters long', 'x'.repeat(1025)],
  ['PATCHBAY_INIT_PROVIDER', 'must be at most 64 characters long', 'x'.repeat(65)],
  ['PATCHBAY_INIT_ACCOUNT', 'must be at most 64 characters long', 'x'.repeat(65)],
  ['PATCHBAY_INIT_API_KEY', 'must be a UUID, such as the output of uuidgen', 'a-key-of-somebody'],
])('a wrong %s prevents the start (%s), and nothing is created', async (name, reason, value) => {
  const DATA_DIR = join(folder, 'wrong')
  const { code, stdout, stderr } = await runStart({ DATA_DIR, [name]: value })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe(`Patchbay cannot start with these settings:\n  ${name}: ${reason}\n`)
  expect(existsSync(join(DATA_DIR, 'patchbay.sqlite'))).toBe(false)
})
