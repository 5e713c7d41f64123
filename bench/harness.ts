import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type ClickHouse, createClickHouse } from '@patchbay/server/call-data/clickhouse/clickhouse'
import { readConfiguration } from '@patchbay/server/config/configuration'
import { accountName } from '@patchbay/server/demo/names'
import { startClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse'
import { type MariaDb, startMariaDb } from '@patchbay/testkit/servers/mariadb'
import { builtServer, type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import autocannon from 'autocannon'

/**
 * Common parts of the benchmarks: a server with demo data, a minimal server for comparison, load generation, and CPU
 * accounting.
 */

/** With `clickhouse`, SQLite stores the configuration, and ClickHouse the call records. */
export type Engine = 'sqlite' | 'mariadb' | 'clickhouse'

/** `BENCH_SCALE=0.01` runs a benchmark with a hundredth of its data and rounds, to try it out. 1 measures. */
const scale = Number(process.env['BENCH_SCALE'] ?? 1)

/** Returns an amount of data, rounds, or time for the scale of this run. */
export const scaled = (amount: number, minimum = 1): number => Math.max(minimum, Math.round(amount * scale))

/** Requests per connection in a run that does not measure. */
const triedRequests = 3

/** Returns the CPU seconds of a process, user and system combined (proc_pid_stat(5), fields 14 and 15). */
export const cpuSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** Returns the current and peak resident memory in megabytes (proc_pid_status(5)). */
export const memory = (pid: number): { now: number; peak: number } => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1000
  return { now: of('VmRSS'), peak: of('VmHWM') }
}

/** The built server and its commands. */
export const program = fileURLToPath(new URL('../server/dist/main.mjs', import.meta.url))

export interface Filled {
  engine: Engine
  server: RunningServer
  /** Process ID of MariaDB. Its CPU time is included in the measurements. */
  databasePid: number | undefined
  token: string
  /** An API key of an administrator. */
  adminKey: string
  provider: string
  /** The account with the most calls. */
  busiest: string
  /** The environment variables of the server. */
  settings: Readonly<Record<string, string>>
  /** Starts a new process with the same settings. */
  restart(settings?: NodeJS.ProcessEnv): Promise<RunningServer>
  stop(): Promise<void>
}

export const provideMariaDb = (engine: Engine, more: readonly string[] = []): Promise<MariaDb> | undefined =>
  engine === 'mariadb' ? startMariaDb(more) : undefined

/** Options of a default installation: each commit reaches the disk before the response. */
export const durable = ['--innodb-flush-log-at-trx-commit=1', '--loose-innodb-flush-method=O_DIRECT'] as const

const body = async (answer: Response): Promise<unknown> => {
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** Sends an API request. The caller specifies the response type according to the contract. */
export const ask = async <T>(url: string, token: string, path: string, send?: object): Promise<T> =>
  (await body(
    await fetch(`${url}/v1${path}`, {
      ...(send ? { method: 'POST', body: JSON.stringify(send) } : {}),
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    }),
  )) as T

/**
 * Memory and redo log of a small production server. Those of the test servers are minimal, so that MariaDB would write
 * or read the same pages again and again.
 */
export const productionMariaDb = ['--innodb-buffer-pool-size=1G', '--innodb-log-file-size=512M'] as const

interface FillOptions {
  /** The arguments of Node that start the server, which can be another version. */
  command?: readonly string[]
  /** Additional options of MariaDB. */
  mariaDbOptions?: readonly string[]
}

/** Connects to the ClickHouse of a server. Returns undefined if it has none. */
export const openClickHouse = async ({ settings }: Pick<Filled, 'settings'>): Promise<ClickHouse | undefined> => {
  const { clickHouse } = readConfiguration({ JWT_SECRET: 'x'.repeat(32), ...settings })
  return clickHouse === null ? undefined : createClickHouse(clickHouse)
}

/** Starts a server with demo data of this size, and signs in a user of a service provider. */
export const filledServer = async (
  engine: Engine,
  demo: readonly string[],
  { command = builtServer, mariaDbOptions = [] }: FillOptions = {},
): Promise<Filled> => {
  const database = await provideMariaDb(engine, mariaDbOptions)
  const clickHouse = engine === 'clickhouse' ? await startClickHouse() : undefined
  const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-bench-'))
  const settings = {
    DATA_DIR: dataDir,
    ...clickHouse?.settings,
    ...(database ? { DATABASE_URL: await database.createDatabase(), JWT_SECRET: 'a secret for benchmarks only' } : {}),
  }
  const adminKey = randomUUID()
  process.stderr.write(`filling ${engine}…\n`)
  execFileSync(process.execPath, [command.at(-1) ?? program, 'demo', ...demo], {
    env: { ...process.env, ...settings, PATCHBAY_INIT_API_KEY: adminKey },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const server = await startServer(settings, command)
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
    adminKey,
    provider: accounts[0]?.service_provider_sid ?? '',
    busiest: accounts.find(({ name }) => name === accountName(0))?.account_sid ?? '',
    settings,
    restart: (more = {}) => startServer({ ...settings, ...more }, command),
    stop: async () => {
      await server.stop()
      await database?.stop()
      await clickHouse?.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export interface Reader {
  /** Milliseconds of each request so far. */
  times: readonly number[]
  stop(): Promise<void>
}

/** Measures another user's requests, fifty per second, until it is stopped. */
export const startReader = ({ server, token }: Pick<Filled, 'server' | 'token'>): Reader => {
  const times: number[] = []
  let stopped = false
  const run = async () => {
    for (;;) {
      if (stopped) break
      const before = performance.now()
      await ask(server.url, token, '/Accounts')
      times.push(performance.now() - before)
      await pause(Math.max(0, 20 - (performance.now() - before)))
    }
  }
  const done = run()
  return {
    times,
    stop: async () => {
      stopped = true
      await done
    },
  }
}

/**
 * A minimal server that always returns the same response. It measures the minimal cost of a request on this machine.
 */
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
  /** Further request headers. */
  headers?: Readonly<Record<string, string>>
  /** The status class of all responses, 2 by default. Conditional reads are answered with 304. */
  statusClass?: 2 | 3
  connections?: number
  /** Seconds. */
  duration?: number
}

export interface Measured {
  /** Requests per second. */
  requests: number
  /** CPU microseconds per request, summed over all given processes. */
  cpu: number
  /** CPU microseconds per request of each process, in the order of the given IDs. */
  cpuByProcess: readonly number[]
  /** Latency percentiles in milliseconds. */
  p50: number
  p95: number
  bytes: number
}

/** Sends as many requests as the connections allow. Throws if a response has a status of another class. */
export const generateLoad = async (
  { url, method = 'GET', token, body: send, headers, statusClass = 2, connections = 10, duration = 4 }: Load,
  pids: readonly number[],
): Promise<Measured> => {
  const run = (seconds: number) =>
    autocannon({
      url,
      method,
      connections,
      ...(scale < 1 ? { amount: connections * triedRequests, sampleInt: 100 } : { duration: seconds }),
      headers: {
        'content-type': 'application/json',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...headers,
      },
      ...(send ? { body: JSON.stringify(send) } : {}),
    })
  await run(1)
  const before = pids.map(cpuSeconds)
  const result = await run(duration)
  const used = pids.map((pid, position) => cpuSeconds(pid) - (before[position] ?? 0))
  const { total } = result.requests
  const expected = statusClass === 2 ? result['2xx'] : result['3xx']
  if (total - expected + result.errors + result.timeouts > 0)
    throw new Error(`${url}: ${total - expected} refusals, ${result.errors} errors, ${result.timeouts} timeouts`)
  return {
    requests: total / result.duration,
    cpu: (used.reduce((sum, one) => sum + one, 0) / total) * 1e6,
    cpuByProcess: used.map((one) => (one / total) * 1e6),
    p50: result.latency.p50,
    p95: result.latency.p97_5,
    bytes: result.throughput.total / total,
  }
}

/** Prints columns with the width of their widest cell. Numbers are right-aligned. */
export const printTable = (rows: readonly (readonly string[])[]): void => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const cells = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
  const [head = [], ...others] = rows
  const lines = [cells(head), widths.map((width) => '-'.repeat(width)), ...others.map(cells)]
  process.stdout.write(`${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n\n`)
}

export const parseEngines = (args: readonly string[]): Engine[] => {
  const selected = args.filter((arg) => arg === 'sqlite' || arg === 'mariadb' || arg === 'clickhouse')
  return selected.length > 0 ? selected : ['sqlite', 'mariadb']
}

/** Returns a quantile, such as the 95th percentile for 0.95. */
export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
