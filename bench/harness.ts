import autocannon from 'autocannon'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { accountName } from '@patchbay/server/demo/names'
import { type MariaDb, startMariaDb } from '@patchbay/testkit/mariadb'
import { type RunningServer, startServer } from '@patchbay/testkit/server-process'

/** What the benchmarks share: a filled server, the bare one beside it, load, and a process's own CPU accounting. */

export type Engine = 'sqlite' | 'mariadb'

/** CPU seconds that a process has used, user and system together (proc_pid_stat(5), fields 14 and 15). */
export const cpuSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** Resident memory and its peak, megabytes (proc_pid_status(5)). */
export const memory = (pid: number): { now: number; peak: number } => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1000
  return { now: of('VmRSS'), peak: of('VmHWM') }
}

const demoProgram = fileURLToPath(new URL('../server/dist/demo.mjs', import.meta.url))

export interface Filled {
  engine: Engine
  server: RunningServer
  /** of MariaDB, whose CPU counts as well */
  databasePid: number | undefined
  token: string
  provider: string
  /** the account with most of the calls */
  busiest: string
  /** the same settings, another process */
  restart(settings?: NodeJS.ProcessEnv): Promise<RunningServer>
  stop(): Promise<void>
}

export const provideMariaDb = (engine: Engine, more: readonly string[] = []): Promise<MariaDb> | undefined =>
  engine === 'mariadb' ? startMariaDb(more) : undefined

/** Each commit reaches the disk before it is answered, as on a server that nobody has told otherwise. */
export const durable = ['--innodb-flush-log-at-trx-commit=1', '--loose-innodb-flush-method=O_DIRECT'] as const

const body = async (answer: Response): Promise<unknown> => {
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** Calls the API; what it answers is known from the contract. */
export const ask = async <T>(url: string, token: string, path: string, send?: object): Promise<T> =>
  (await body(
    await fetch(`${url}/v1${path}`, {
      ...(send ? { method: 'POST', body: JSON.stringify(send) } : {}),
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    }),
  )) as T

/** A server on demo data of this size, with a provider's user signed in. */
export const filledServer = async (engine: Engine, demo: readonly string[]): Promise<Filled> => {
  const database = await provideMariaDb(engine)
  const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-bench-'))
  const settings = {
    DATA_DIR: dataDir,
    ...(database ? { DATABASE_URL: await database.createDatabase(), JWT_SECRET: 'a secret for benchmarks only' } : {}),
  }
  process.stderr.write(`filling ${engine}…\n`)
  execFileSync(process.execPath, [demoProgram, ...demo], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const server = await startServer(settings)
  const { token } = await ask<{ token: string }>(server.url, '', '/login', {
    username: 'provider-user',
    password: 'demo-2026',
  })
  const accounts = await ask<{ account_sid: string; name: string; service_provider_sid: string }[]>(
    server.url,
    token,
    '/Accounts',
  )
  return {
    engine,
    server,
    databasePid: database?.pid,
    token,
    provider: accounts[0]?.service_provider_sid ?? '',
    busiest: accounts.find(({ name }) => name === accountName(0))?.account_sid ?? '',
    restart: (more = {}) => startServer({ ...settings, ...more }),
    stop: async () => {
      await server.stop()
      await database?.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** A server that does nothing but answer: what a request costs at the least on this machine, just now. */
const bareProgram = `
  const body = JSON.stringify({ name: 'bare', answer: 'a short one' })
  const server = require('node:http').createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json; charset=utf-8')
    response.setHeader('content-length', body.length)
    response.end(body)
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

export interface Bare {
  url: string
  pid: number
  stop(): void
}

export const startBare = async (): Promise<Bare> => {
  const child: ChildProcess = spawn(process.execPath, ['-e', bareProgram], { stdio: ['ignore', 'pipe', 'inherit'] })
  process.once('exit', () => child.kill('SIGKILL'))
  if (child.stdout === null) throw new Error('no output')
  const [port] = await once(child.stdout, 'data')
  return { url: `http://127.0.0.1:${String(port).trim()}`, pid: child.pid ?? 0, stop: () => child.kill() }
}

export interface Load {
  url: string
  method?: 'GET' | 'POST' | 'PUT'
  token?: string
  body?: object
  connections?: number
  /** seconds */
  duration?: number
}

export interface Measured {
  /** a second */
  requests: number
  /** microseconds of CPU a request, of all processes that were named */
  cpu: number
  /** milliseconds */
  p50: number
  p95: number
  bytes: number
}

/** Presses as hard as the connections allow, and fails when an answer was not a success. */
export const press = async (
  { url, method = 'GET', token, body: send, connections = 10, duration = 4 }: Load,
  pids: readonly number[],
): Promise<Measured> => {
  const run = (seconds: number) =>
    autocannon({
      url,
      method,
      connections,
      duration: seconds,
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      ...(send ? { body: JSON.stringify(send) } : {}),
    })
  await run(1)
  const before = pids.map(cpuSeconds)
  const result = await run(duration)
  const used = pids.map(cpuSeconds).reduce((sum, now, position) => sum + now - (before[position] ?? 0), 0)
  if (result.non2xx + result.errors + result.timeouts > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors, ${result.timeouts} timeouts`)
  const { total } = result.requests
  return {
    requests: total / result.duration,
    cpu: (used / total) * 1e6,
    p50: result.latency.p50,
    p95: result.latency.p97_5,
    bytes: result.throughput.total / total,
  }
}

/** Columns as wide as their widest cell; numbers stand to the right. */
export const printTable = (rows: readonly (readonly string[])[]): void => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const cells = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
  const [head = [], ...others] = rows
  const lines = [cells(head), widths.map((width) => '-'.repeat(width)), ...others.map(cells)]
  process.stdout.write(`${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n\n`)
}

export const parseEngines = (args: readonly string[]): Engine[] => {
  const asked = args.filter((arg) => arg === 'sqlite' || arg === 'mariadb')
  return asked.length > 0 ? asked : ['sqlite', 'mariadb']
}

/** The value that `part` (0 to 1) of the sorted others lie below. */
export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
