import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repositoryRoot } from '@patchbay/testkit/docs/documentation'
import { builtServer, type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scripts } from '../../package.json' with { type: 'json' }

/** Runs each benchmark with little data, so that none stops working unnoticed. Its figures mean nothing then. */

const scale = '0.001'

/** Arguments of benchmarks that have many parts, or options of their own. Others use SQLite. */
const benchArguments: Readonly<Record<string, readonly string[]>> = {
  'bench:flood': ['sqlite', '500 random tokens', 'alert webhooks: no response'],
  'bench:kill': ['--rounds', '1'],
}

const benchmarks = Object.entries(scripts).flatMap(([name, command]) => {
  const [, file] = /^node scripts\/bench\.mjs (.+)$/.exec(command) ?? []
  return file === undefined ? [] : [[name, file] as const]
})

const run = async (file: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> => {
  const env = { ...process.env, BENCH_SCALE: scale, ...more }
  const options = { cwd: repositoryRoot, env, maxBuffer: 16 * 1024 * 1024 }
  return (await promisify(execFile)(process.execPath, [`bench/${file}.ts`, ...args], options)).stdout
}

test('there are benchmarks', () => {
  expect(benchmarks.length).toBeGreaterThan(9)
})

test.each(benchmarks)('%s prints figures for little data', async (name, file) => {
  const output = await run(file, benchArguments[name] ?? ['sqlite'])
  // A table with a number in a column after the first.
  expect(output).toMatch(/^\| [^|]+ \|.*\d.*\|$/m)
})

test.each(['sqlite', 'mariadb'])('bench:call-data opens copies of calls on %s', async (engine) => {
  // The benchmark fails if a copy has no data.
  const output = await run('call-data', [engine], { CALLS: '10', BARE_CALLS: '10', COPIES: '31' })
  expect(output).toMatch(/^640 calls, \d+ bytes per call$/m)
})

describe('next to another server', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-other-server-'))
  let server: RunningServer
  let token: string
  beforeAll(async () => {
    const demo = [builtServer.at(-1) ?? '', 'demo', '--accounts', '3', '--calls', '20', '--numbers', '40']
    await promisify(execFile)(process.execPath, demo, { env: { ...process.env, DATA_DIR: dataDir } })
    server = await startServer({ DATA_DIR: dataDir })
    const signedIn = await fetch(`${server.url}/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'provider-user', password: 'demo-2026' }),
    })
    token = String(Object(await signedIn.json()).token)
  })
  afterAll(async () => {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const toOther = () => ({ BENCH_OTHER_URL: server.url, BENCH_OTHER_TOKEN: token, BENCH_OTHER_PID: String(server.pid) })
  const countAccounts = async () => {
    const accounts = await fetch(`${server.url}/v1/Accounts`, { headers: { authorization: `Bearer ${token}` } })
    return ((await accounts.json()) as unknown[]).length
  }

  test('bench:pair measures both, with the CPU time of both', async () => {
    const output = await run('pair', ['sqlite', '--rounds', '1'], toOther())
    expect(output).toContain(`sqlite, 1: this build, 2: ${server.url}`)
    // Requests per second, CPU of the server, an embedded database, and bytes, of each server.
    expect(output).toMatch(/^\| one account +\|( +\d+ \| +\d+ \| +– \| +\d+ \|){2}/m)
  })

  test('bench:pair measures two running servers without a database of its own', async () => {
    const { BENCH_OTHER_URL: url, BENCH_OTHER_TOKEN, BENCH_OTHER_PID } = toOther()
    const first = { BENCH_URL: url, BENCH_TOKEN: BENCH_OTHER_TOKEN, BENCH_PID: BENCH_OTHER_PID }
    // The CPU time of a server without a process ID is unknown.
    const output = await run('pair', ['--rounds', '1'], { ...first, BENCH_OTHER_URL: url, BENCH_OTHER_TOKEN })
    expect(output).toMatch(/^\| numbers of a provider +\|( +\d+ \|){2} +– \|( +\d+ \|){2} +– \|/m)
  })

  test('bench:api has columns for its reads, and changes nothing there', async () => {
    const before = await countAccounts()
    const output = await run('api', ['sqlite'], toOther())
    expect(output).toMatch(/^\| one account +\|( +[^|]+\|){7} +\d+ \| +\d+ \|/m)
    expect(output).toMatch(/^\| create an account +\|( +[^|]+\|){7} +\| +\|/m)
    expect(await countAccounts()).toBe(before)
  })
})
