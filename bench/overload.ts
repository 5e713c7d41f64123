import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { planSpans, toLogLines, toResourceSpans, toSipMessages } from '@patchbay/server/demo/call-details'
import { callFacts } from '@patchbay/server/demo/call-records'
import { createRandom } from '@patchbay/server/demo/seeded-random'
import { hepAgent, hepPacket } from '@patchbay/testkit/peers/hep'
import { ask, type Filled, filledServer, memory, parseEngines, printTable, quantile, scaled } from './harness.ts'
import {
  type Measurement,
  measure,
  medianMeasurement,
  printMeasurements,
  scenarios,
  violations,
} from './hostile/measure.ts'
import { fetchStatus, formatCounts } from './hostile/scenario.ts'
import { isSuccess, type OtherTenant, type ProbeResult, startProbe } from './probe.ts'

/**
 * `npm run bench:flood -- [sqlite] [mariadb] [--rounds N] [--check] [NAME…]` floods the server, then attacks it with
 * hostile peers, and measures the requests of another tenant meanwhile. Each flood and each attack uses a new server
 * process, so that its peak memory can be measured. NAME selects floods and attacks by a part of their name. Attacks
 * are repeated `--rounds` times, and medians are printed. With `--check`, the exit code is 1 if an attack exceeds a
 * limit.
 */

const calls = process.env['CALLS'] ?? String(scaled(200_000, 500))
/**
 * A flood is repeated until it has lasted for `floodMs`. Clients close the connection after `timeoutMs`
 * without a response.
 */
const floodMs = scaled(5000, 200)
const timeoutMs = 30_000
/** Slower probe requests, in milliseconds, count as delayed. */
const slow = 250

interface Target {
  url: string
  intake: string
  otlp: string
  hepPort: number
  provider: string
  account: string
  key: string
}

interface Request {
  url: string
  init?: RequestInit
}

interface Flood {
  name: string
  /** Number of concurrent requests. */
  together: number
  /** Creates a request. For protocols without responses, it sends the data itself and returns undefined. */
  request(target: Target, index: number): Request | Promise<undefined>
  /**
   * Number of requests to create before the flood starts, because creating them would use a core. The flood ends with
   * the last of them.
   */
  preparedCount?: number
}

type Sent = ReturnType<Flood['request']>

const json = (method: string, body: object, more: Record<string, string> = {}): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json', ...more },
  body: JSON.stringify(body),
})

const signIn = ({ url }: Target, username: string, password: string) => ({
  url: `${url}/v1/login`,
  init: json('POST', { username, password }),
})

const signIns = (together: number): Flood[] => [
  {
    name: `${together} sign-ins, right`,
    together,
    request: (target) => signIn(target, 'provider-user', 'demo-2026'),
  },
  { name: `${together} sign-ins, wrong`, together, request: (target) => signIn(target, 'account-user', 'wrong') },
  { name: `${together} sign-ins, unknown`, together, request: (target) => signIn(target, randomUUID(), 'wrong') },
]

const packed = (url: string, body: Buffer<ArrayBuffer>, type = 'text/plain') => ({
  url,
  init: { method: 'POST', headers: { 'content-encoding': 'gzip', 'content-type': type }, body },
})

const badLines = (megabytes: number) => gzipSync('x\n'.repeat(megabytes * 500_000))
const bomb = badLines(25)
const bombUnderLimit = badLines(8)
const smallBomb = badLines(1)

/** Bodies of some kB that would be decompressed to 256 MB, before the server knows who sends them. */
const apiBombs = Object.entries({
  br: brotliCompressSync,
  deflate: deflateSync,
  gzip: gzipSync,
  zstd: zstdCompressSync,
})

const createApiBombFlood = ([encoding, compress]: (typeof apiBombs)[number]): Flood => {
  let body: Buffer<ArrayBuffer> | undefined
  return {
    name: `100 ${encoding} bombs before sign-in`,
    together: 100,
    request: ({ url }) => {
      body ??= compress(Buffer.alloc(scaled(256, 1) * 1024 ** 2))
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
      return { url: `${url}/v1/login`, init: { method: 'POST', headers, body } }
    },
  }
}

/** Creates a different batch for each request, because existing records are cheaper to write. */
const batch = (account: string): Buffer<ArrayBuffer> => {
  const line = () =>
    `cdrs,account_sid=${account},direction=inbound,answered=true call_sid="${randomUUID()}",duration=1 ${Date.now()}000000`
  return gzipSync(Array.from({ length: 50 }, line).join('\n'))
}

const intakeFlood = (
  name: string,
  together: number,
  body: (target: Target) => Buffer<ArrayBuffer>,
  db = 'cdrs',
): Flood => ({
  name,
  together,
  request: (target) => packed(`${target.intake}/write?db=${db}`, body(target)),
})

const dice = createRandom(1)

/** Creates ten calls with records, traces, and logs. */
const tenCalls = ({ account, provider }: Target) =>
  Array.from({ length: 10 }, () => {
    const owner = { account_sid: account, service_provider_sid: provider }
    const call = {
      ...callFacts(dice, { ...owner, at: Date.now(), call_sid: dice.uuid() }),
      answered: true,
      seconds: 60,
    }
    return { call, spans: planSpans(dice, call) }
  })

const createTraces = (target: Target): Buffer<ArrayBuffer> => {
  const resourceSpans = tenCalls(target).flatMap(({ call, spans }) => toResourceSpans(dice, call, spans))
  return gzipSync(JSON.stringify({ resourceSpans }))
}

const createLines = (target: Target): Buffer<ArrayBuffer> =>
  gzipSync(
    tenCalls(target)
      .flatMap(({ call, spans }) => toLogLines(call, spans))
      .join('\n'),
  )

const agents = new Map<number, ReturnType<typeof hepAgent>>()

const getAgent = (port: number): ReturnType<typeof hepAgent> => {
  const agent = agents.get(port) ?? hepAgent(port)
  agents.set(port, agent)
  return agent
}

const sendSip = async (target: Target): Promise<undefined> => {
  const { hepPort } = target
  for (const { call } of tenCalls(target))
    for (const { at, source, destination, content } of toSipMessages(call)) {
      const ends = { source: source.address, sourcePort: source.port }
      const others = { destination: destination.address, destinationPort: destination.port }
      await getAgent(hepPort).send(hepPacket({ at, ...ends, ...others, payload: Buffer.from(content) }))
    }
}

const authorized = (token: string) => ({ authorization: `Bearer ${token}` })

const floods: readonly Flood[] = [
  ...signIns(300),
  ...signIns(3000),
  {
    name: '500 writes of one key',
    together: 500,
    request: ({ url, account, key }, index) => ({
      url: `${url}/v1/Accounts/${account}`,
      init: json('PUT', { name: `written ${index}` }, authorized(key)),
    }),
  },
  {
    name: '600 searches of one tenant',
    together: 600,
    request: ({ url, account, key }) => ({
      url: `${url}/v1/Accounts/${account}/RecentCalls?page=1&count=25&filter=nobody`,
      init: { headers: authorized(key) },
    }),
  },
  intakeFlood('50 bombs of 25 MB', 50, () => bomb),
  intakeFlood('50 bodies of 8 MB, bad lines', 50, () => bombUnderLimit),
  intakeFlood('250 bodies of 1 MB, bad lines', 250, () => smallBomb),
  intakeFlood('250 of them for nobody', 250, () => smallBomb, 'call_counts'),
  intakeFlood('250 batches of 50 calls', 250, ({ account }) => batch(account)),
  {
    name: '100 batches of 10 traces',
    together: 100,
    preparedCount: 400,
    request: (target) => packed(`${target.otlp}/v1/traces`, createTraces(target), 'application/json'),
  },
  {
    name: '100 batches of 10 logs',
    together: 100,
    preparedCount: 400,
    request: (target) => packed(`${target.otlp}/logs`, createLines(target), 'application/x-ndjson'),
  },
  { name: '100 times 10 calls of SIP', together: 100, request: sendSip },
  {
    name: '500 random tokens',
    together: 500,
    request: ({ url }) => ({ url: `${url}/v1/Accounts`, init: { headers: authorized(randomUUID()) } }),
  },
  ...apiBombs.map(createApiBombFlood),
  {
    name: '300 invalid links to shared calls',
    together: 300,
    request: ({ url }) => ({ url: `${url}/v1/patchbay/shared-call`, init: { headers: authorized(randomUUID()) } }),
  },
  {
    name: '500 unknown paths',
    together: 500,
    request: ({ url, key }) => ({ url: `${url}/v1/${randomUUID()}`, init: { headers: authorized(key) } }),
  },
]

/**
 * Returns the response status, or 0 if there is no response. Each flood uses its own client address for the API, because
 * the server also locks out addresses. The intakes accept only addresses of this machine.
 */
const sendFrom = async (address: string, pendingRequest: Sent, apiUrl: string): Promise<number> => {
  const request = await Promise.resolve(pendingRequest).catch(() => undefined)
  if (request === undefined) return 0
  const { url, init } = request
  const headers = new Headers(init?.headers)
  if (url.startsWith(apiUrl)) headers.set('x-forwarded-for', address)
  return fetchStatus(url, { ...init, headers, signal: AbortSignal.timeout(timeoutMs) })
}

const prepareRequests = ({ preparedCount: count, request }: Flood, target: Target): Sent[] | undefined =>
  count === undefined ? undefined : Array.from({ length: count }, (_, index) => request(target, index))

const pour = async (
  flood: Flood,
  target: Target,
  preparedRequests: Sent[] | undefined,
): Promise<Map<number, number>> => {
  const { together, request } = flood
  const next = (): Sent[] =>
    preparedRequests?.splice(0, together) ?? Array.from({ length: together }, (_, index) => request(target, index))
  const address = `198.51.100.${floods.indexOf(flood) + 1}`
  const statuses = new Map<number, number>()
  const started = performance.now()
  const isOver = () => performance.now() - started > floodMs || preparedRequests?.length === 0
  while (!isOver()) {
    const burst = next().map((pendingRequest) => sendFrom(address, pendingRequest, target.url))
    for (const status of await Promise.all(burst)) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  return statuses
}

const isBad = (result: ProbeResult): boolean => !isSuccess(result) || result.milliseconds > slow

const fixed = (value: number): string => value.toFixed(0)

const row = async (
  flood: Flood,
  filled: Filled,
  target: Pick<Target, 'account' | 'key' | 'provider'>,
  other: OtherTenant,
) => {
  const server = await filled.restart({ DISABLE_RATE_LIMITS: '0', JAMBONES_TRUST_PROXY: '1' })
  const intake = `http://127.0.0.1:${server.intakePort}`
  const otlp = `http://127.0.0.1:${server.otlpPort}`
  const targets = { url: server.url, intake, otlp, hepPort: server.hepPort, ...target }
  const preparedRequests = prepareRequests(flood, targets)
  const { results: probes, stop } = startProbe(server.url, other)
  try {
    await pause(scaled(2000, 500))
    const begun = Date.now()
    const statuses = await pour(flood, targets, preparedRequests)
    const ended = Date.now()
    await pause(scaled(6000, 500))
    const during = probes.filter(({ at }) => at >= begun && at <= ended)
    const times = during.map(({ milliseconds }) => milliseconds)
    const quiet = probes.filter(({ at }) => at < begun).map(({ milliseconds }) => milliseconds)
    const failed = during.filter((result) => !isSuccess(result)).length
    const lastBad = Math.max(
      ended,
      ...probes.filter((probe) => isBad(probe)).map(({ at, milliseconds }) => at + milliseconds),
    )
    return [
      flood.name,
      fixed(quantile(quiet, 0.95)),
      fixed(quantile(times, 0.95)),
      fixed(Math.max(...times)),
      String(failed),
      fixed(memory(server.pid).peak),
      ((lastBad - ended) / 1000).toFixed(1),
      formatCounts(statuses),
    ]
  } finally {
    stop()
    for (const agent of agents.values()) agent.stop()
    agents.clear()
    await server.stop()
  }
}

const { values: options, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '1' }, check: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const selected = positionals.filter((name) => name !== 'sqlite' && name !== 'mariadb')
const isSelected = ({ name }: { name: string }) => selected.length === 0 || selected.some((part) => name.includes(part))

const runFloods = async (filled: Filled, target: Pick<Target, 'account' | 'key' | 'provider'>, other: OtherTenant) => {
  const table: string[][] = []
  for (const flood of floods.filter(isSelected)) {
    process.stderr.write(`${flood.name}…\n`)
    table.push(await row(flood, filled, target, other))
  }
  if (table.length === 0) return
  process.stdout.write(`\n${filled.engine}\n\n`)
  printTable([
    ['flood', 'p95 before, ms', 'p95 ms', 'max ms', 'failed', 'peak MB', 'as before, s', 'answers'],
    ...table,
  ])
}

const runAttacks = async (filled: Filled, other: OtherTenant) => {
  const all: Measurement[][] = scenarios.filter(isSelected).map(() => [])
  for (let round = 1; round <= Number(options.rounds); round += 1)
    for (const [index, scenario] of scenarios.filter(isSelected).entries()) {
      process.stderr.write(`${scenario.name}, round ${round}…\n`)
      const measurement = await measure(scenario, filled, other)
      process.stderr.write(`${JSON.stringify(measurement)}\n`)
      all[index]?.push(measurement)
    }
  if (all.length === 0) return
  const medians = all.map(medianMeasurement)
  process.stdout.write(`\n${filled.engine}, medians of ${options.rounds}\n\n`)
  printMeasurements(medians)
  const exceeded = violations(medians)
  for (const line of exceeded) process.stdout.write(`${line}\n`)
  if (options.check && exceeded.length > 0) process.exitCode = 1
}

for (const engine of parseEngines(positionals)) {
  const filled = await filledServer(engine, ['--accounts', '20', '--calls', calls, '--busiest', '90'])
  try {
    const { server, token, busiest } = filled
    const accounts = await ask<{ account_sid: string }[]>(server.url, token, '/Accounts')
    const account = accounts.find(({ account_sid }) => account_sid !== busiest)?.account_sid ?? ''
    const createKey = async (account_sid: string) =>
      (await ask<{ token: string }>(server.url, token, '/ApiKeys', { account_sid })).token
    const keys: string[] = []
    while (keys.length < 20) keys.push(await createKey(account))
    const key = await createKey(busiest)
    await server.stop()
    await runFloods(filled, { account: busiest, key, provider: filled.provider }, { account, keys })
    await runAttacks(filled, { account, keys })
  } finally {
    await filled.stop()
  }
}
