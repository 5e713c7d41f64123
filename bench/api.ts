import { hash } from '@node-rs/argon2'
import {
  ask,
  type Filled,
  filledServer,
  generateLoad,
  type Load,
  parseEngines,
  printTable,
  quantile,
  scaled,
  startBare,
} from './harness.ts'
import { untilConversationsComputed } from './list-data.ts'
import {
  addApplications,
  findRecords,
  formatCount,
  type KnownRecords,
  loadServer,
  type MeasuredServer,
  readMeasuredServer,
} from './measured-servers.ts'

/**
 * npm run bench:api [sqlite] [mariadb]: measures the cost of requests, each relative to a minimal node:http server
 * measured immediately before. Reads are also sent to the server of BENCH_OTHER_URL, if there is one.
 */

const calls = scaled(100_000, 25)
const demo = ['--accounts', '20', '--calls', String(calls), '--busiest', '100', '--days', '30']

interface Row {
  name: string
  load: Omit<Load, 'url' | 'token'> & { path: string; key?: boolean }
  /** Limit as a multiple of the minimal server's CPU time. */
  cpuGoal?: number
  goal?: string
}

const rowsFor = ({ account, provider, application }: Omit<KnownRecords, 'carrier'>): Row[] => {
  const applications = `/Accounts/${account}/Applications?page=1&page_size=25`
  const recentCalls = `/Accounts/${account}/RecentCalls?count=25`
  const lastPage = Math.ceil(calls / 25)
  return [
    { name: 'accounts, a list of 20', load: { path: '/Accounts' }, cpuGoal: 12, goal: '0.10 / 0.05 of bare' },
    { name: 'the same with an API key', load: { path: '/Accounts', key: true }, cpuGoal: 12 },
    { name: 'one account', load: { path: `/Accounts/${account}` }, cpuGoal: 12 },
    { name: 'recent calls, page 1 of 4,000', load: { path: `${recentCalls}&page=1` }, goal: '250/s' },
    { name: 'recent calls, one day', load: { path: `${recentCalls}&page=1&days=1` }, goal: '1,000/s' },
    { name: 'recent calls, last page', load: { path: `${recentCalls}&page=${lastPage}` }, goal: 'as page 1' },
    {
      name: 'recent calls of the provider',
      load: { path: `/ServiceProviders/${provider}/RecentCalls?count=25&page=1&days=7` },
    },
    { name: 'applications, page 1 of 40', load: { path: applications } },
    { name: 'applications, by a part of the name', load: { path: `${applications}&name=line%209` } },
    { name: 'one application', load: { path: `/Applications/${application}` } },
    {
      name: 'languages and voices of Microsoft',
      load: {
        path: `/Accounts/${account}/SpeechCredentials/speech/supportedLanguagesAndVoices?vendor=microsoft&create_new=1`,
      },
    },
    {
      name: 'change an account',
      load: { path: `/Accounts/${account}`, method: 'PUT', body: { device_to_call_ratio: 0 } },
    },
    {
      name: 'create an account',
      load: {
        path: '/Accounts',
        method: 'POST',
        body: { name: 'made by a benchmark', service_provider_sid: provider },
      },
      cpuGoal: 12,
    },
  ]
}

/** The server's hash parameters. argon2id is the default algorithm of this module. */
const argon2id = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const fixed = (value: number, digits = 0): string => value.toFixed(digits)

/** Reads of a browser that has the same content already: the response is compressed, or 304 for its tag. */
const conditionalRows = async ({ server, token, busiest }: Filled): Promise<Row[]> => {
  const compressed = { 'accept-encoding': 'br' }
  const withTag = async (path: string) => {
    const { headers } = await fetch(`${server.url}/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
    return { path, headers: { ...compressed, 'if-none-match': headers.get('etag') ?? '' }, statusClass: 3 } as const
  }
  return [
    { name: 'accounts, with Brotli', load: { path: '/Accounts', headers: compressed } },
    { name: 'accounts, unchanged (304)', load: await withTag('/Accounts') },
    { name: 'one account, unchanged (304)', load: await withTag(`/Accounts/${busiest}`) },
  ]
}

/** Returns requests per second and CPU time of the other server. It gets no changes, because its data may be needed. */
const otherCells = async (other: MeasuredServer, rows: readonly Row[], name: string): Promise<string[]> => {
  const { path, method } = rows.find((row) => row.name === name)?.load ?? {}
  if (path === undefined || method !== undefined) return ['', '']
  const { requests, serverCpu, databaseCpu } = await loadServer(other, path)
  const cpu = serverCpu === undefined ? undefined : serverCpu + (databaseCpu ?? 0)
  return [requests, cpu].map(formatCount)
}

const measure = async (filled: Filled): Promise<string[][]> => {
  const { server, databasePid, token } = filled
  const key = await ask<{ token: string }>(server.url, token, '/ApiKeys', { service_provider_sid: filled.provider })
  const pids = [server.pid, ...(databasePid === undefined ? [] : [databasePid])]
  const { busiest: account, provider } = filled
  const application = await addApplications({ url: server.url, token }, account, scaled(1000, 100))
  const other = readMeasuredServer('BENCH_OTHER')
  const otherRows = other === undefined ? [] : rowsFor(await findRecords(other))
  const bare = await startBare()
  const table: string[][] = []
  const rows = [...(await conditionalRows(filled)), ...rowsFor({ account, provider, application })]
  for (const { name, load, cpuGoal, goal } of rows) {
    const nothing = await generateLoad({ url: bare.url }, [bare.pid])
    const { path, key: byKey, ...more } = load
    const caller = { url: `${server.url}/v1${path}`, token: byKey ? key.token : token }
    const ours = await generateLoad({ ...more, ...caller }, pids)
    const node = await generateLoad({ ...more, ...caller, duration: 2 }, [server.pid])
    table.push([
      name,
      fixed(ours.requests),
      fixed(ours.requests / nothing.requests, 3),
      fixed(ours.cpu),
      `${fixed(ours.cpu / nothing.cpu, 1)}x`,
      `${fixed(node.cpu / nothing.cpu, 1)}x`,
      fixed(ours.p50),
      fixed(ours.p95),
      ...(other === undefined ? [] : await otherCells(other, otherRows, name)),
      [goal, cpuGoal === undefined ? undefined : `CPU under ${cpuGoal}x`].filter(Boolean).join(', '),
    ])
  }
  bare.stop()
  return table
}

/** Measures sequential sign-ins and, for comparison, the password hash alone. */
const signIns = async ({ server }: Filled): Promise<string[]> => {
  const times: number[] = []
  const hashes: number[] = []
  for (let round = 0; round < scaled(30); round += 1) {
    const before = performance.now()
    await hash('demo-2026', argon2id)
    const between = performance.now()
    await ask(server.url, '', '/login', { username: 'provider-user', password: 'demo-2026' })
    hashes.push(between - before)
    times.push(performance.now() - between)
  }
  return ['sign-in, one user', ...[times, hashes].map((of) => `${fixed(quantile(of, 0.5), 1)} ms`), 'under 150 ms']
}

const columns = ['request', 'requests/s', 'of bare', 'CPU µs', 'CPU, of bare', 'without database', 'p50 ms', 'p97.5 ms']

for (const engine of parseEngines(process.argv.slice(2))) {
  const filled = await filledServer(engine, demo)
  try {
    await untilConversationsComputed(filled)
    process.stdout.write(`\n${engine}\n\n`)
    printTable([
      [...columns, ...(process.env['BENCH_OTHER_URL'] ? ['other: requests/s', 'other: CPU µs'] : []), 'goal'],
      ...(await measure(filled)),
    ])
    printTable([['', 'p50', 'argon2id alone', 'goal'], await signIns(filled)])
  } finally {
    await filled.stop()
  }
}
