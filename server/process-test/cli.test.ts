import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { version } from '../../package.json' with { type: 'json' }

const folder = mkdtempSync(join(tmpdir(), 'patchbay-cli-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const built = fileURLToPath(new URL('../dist/main.mjs', import.meta.url))

interface Result {
  code: number
  stdout: string
  stderr: string
}

/** Runs the built program with a data folder that does not exist yet. */
const run = (...args: readonly string[]): Promise<Result> =>
  new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], DATA_DIR: join(folder, 'data') }
    const child = execFile(process.execPath, [built, ...args], { env, cwd: folder }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })

test.each([
  [['strat'], "unknown command 'strat'\n(Did you mean start?)"],
  [['start', '--port', '3000'], "unknown option '--port'"],
  [['demo', '--calls', 'many'], "option '--calls <n>' argument 'many' is invalid. It must be a whole number."],
  [['demo', '--until', 'later'], 'It must be a time such as 2026-11-21T12:00:00Z.'],
  [['reset-password', 'admin'], 'too many arguments'],
])('%j is a wrong command line: exit code 2, a message on stderr, and nothing is created', async (args, message) => {
  const { code, stdout, stderr } = await run(...args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(message)
  expect(readdirSync(folder)).toEqual([])
})

test('--help and --version succeed, for the program and for a command', async () => {
  expect(await run('--help')).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('reset-password') })
  expect(await run('demo', '--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('--calls <n>') })
  expect(await run('help', 'demo')).toEqual(await run('demo', '--help'))
  expect(await run('--version')).toMatchObject({ code: 0, stdout: `${version}\n` })
})

test('a failure has exit code 1, and --json prints one line of JSON', async () => {
  const failed = await run('reset-password', '--name', 'unknown', '--json')
  expect(failed).toEqual({ code: 1, stdout: '', stderr: 'There is no user unknown.\n' })
  const small = ['--accounts', '1', '--calls', '10', '--alerts', '1', '--numbers', '0']
  const filled = await run('demo', ...small, '--json')
  expect(filled.code).toBe(0)
  expect(JSON.parse(filled.stdout)).toMatchObject({
    admin: { name: 'admin', password: expect.any(String) },
    users: expect.arrayContaining([{ name: 'provider-user', password: 'demo-2026' }]),
  })
  const reset = await run('reset-password', '--json')
  expect(JSON.parse(reset.stdout)).toEqual({ name: 'admin', password: expect.any(String) })
})

test('a reader that ends before the output is no error', async () => {
  const child = spawn(process.execPath, [built, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  child.stdout.destroy()
  const [code] = (await once(child, 'close')) as [number]
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
})

test('call-data delete requests the deletion of the call data of an account, once', async () => {
  expect(await run('call-data', 'delete')).toMatchObject({ code: 1, stderr: 'Name the account with --account.\n' })
  const unknown = '4bfa1a39-7d20-4b5b-8a2d-1f2b3c4d5e6f'
  const missing = await run('call-data', 'delete', '--account', unknown)
  expect(missing).toMatchObject({ code: 1, stdout: '', stderr: `There is no account ${unknown}.\n` })
  const database = new DatabaseSync(join(folder, 'data', 'patchbay.sqlite'))
  const { account_sid } = database.prepare('SELECT account_sid FROM accounts').get() as { account_sid: string }
  const request = () =>
    run('call-data', 'delete', '--account', account_sid, '--before', '2026-11-01T10:00:00Z', '--json')
  const first = await request()
  expect(JSON.parse(first.stdout)).toMatchObject({ account_sid, status: 'waiting', before: '2026-11-01T00:00:00.000Z' })
  expect(await request()).toEqual(first)
  const ofAccount = 'SELECT account_sid FROM patchbay_data_deletions WHERE account_sid = ?'
  expect(database.prepare(ofAccount).all(account_sid)).toEqual([{ account_sid }])
  database.close()
})
