import { parseArgs } from 'node:util'
import { buildCommit } from '@patchbay/testkit/releases/released-version'
import { type Engine, type Filled, filledServer, parseEngines, printTable, quantile, scaled } from './harness.ts'
import {
  addApplications,
  findRecords,
  formatCount,
  type KnownRecords,
  loadServer,
  type MeasuredServer,
  readMeasuredServer,
  type ServerLoad,
} from './measured-servers.ts'

/**
 * npm run bench:pair [sqlite] [mariadb] [-- --beside COMMIT] [--rounds N]: gives two servers the same requests in turns,
 * and prints the medians of requests per second and of the CPU time of server and database.
 * The first server is this build with demo data, or BENCH_URL. The second one is BENCH_OTHER_URL, or the build of COMMIT
 * with the same data. Without them, it is another process of this build: then the ratios show how exact the others are.
 */

const demo = ['--accounts', '20', '--calls', '100', '--days', '3', '--numbers', String(scaled(10_000, 100))]
/** Applications of the account whose pages are read. */
const applicationCount = scaled(1000, 30)
const roundSeconds = 3

const requests: readonly [name: string, toPath: (records: KnownRecords) => string][] = [
  ['accounts', () => '/Accounts'],
  ['one account', ({ account }) => `/Accounts/${account}`],
  ['carriers, page of 25', ({ provider }) => `/ServiceProviders/${provider}/VoipCarriers?page=1&page_size=25`],
  ['one carrier', ({ carrier }) => `/VoipCarriers/${carrier}`],
  ['applications, page of 25', ({ account }) => `/Accounts/${account}/Applications?page=1&page_size=25`],
  ['one application', ({ application }) => `/Applications/${application}`],
  ['numbers of a provider', ({ provider }) => `/ServiceProviders/${provider}/PhoneNumbers`],
]

type Pair = readonly [MeasuredServer, MeasuredServer]

const median = (loads: readonly ServerLoad[], of: (load: ServerLoad) => number | undefined): number | undefined => {
  const values = loads.map(of).filter((value) => value !== undefined)
  return values.length === 0 ? undefined : quantile(values, 0.5)
}

const formatRatio = (first: number | undefined, second: number | undefined): string =>
  first === undefined || second === undefined ? '–' : `${(first / second).toFixed(2)}x`

const measurePair = async (pair: Pair, rounds: number): Promise<string[][]> => {
  const targets = await Promise.all(pair.map(async (server) => ({ server, records: await findRecords(server) })))
  const table: string[][] = []
  for (const [name, toPath] of requests) {
    const loads: readonly ServerLoad[][] = targets.map(() => [])
    for (let round = 0; round < rounds; round += 1) {
      const inTurn = [...targets.entries()]
      // The order changes, because the first of two servers can be slower.
      for (const [position, { server, records }] of round % 2 === 0 ? inTurn : inTurn.toReversed())
        loads[position]?.push(await loadServer(server, toPath(records), { duration: roundSeconds }))
    }
    const [first, second] = loads.map((all) => ({
      bytes: median(all, ({ bytes }) => bytes),
      requests: median(all, (load) => load.requests),
      server: median(all, ({ serverCpu }) => serverCpu),
      database: median(all, ({ databaseCpu }) => databaseCpu),
    }))
    table.push([
      name,
      ...[first, second].flatMap((one) => [one?.requests, one?.server, one?.database, one?.bytes].map(formatCount)),
      formatRatio(first?.requests, second?.requests),
      formatRatio(first?.server, second?.server),
      formatRatio(first?.database, second?.database),
    ])
  }
  return table
}

const toMeasured = (name: string, { server, token, databasePid }: Filled): MeasuredServer => ({
  name,
  url: server.url,
  token,
  pid: server.pid,
  databasePid,
})

const measureEngine = async (engine: Engine | undefined, beside: string | undefined, rounds: number): Promise<void> => {
  const [running, otherRunning] = [readMeasuredServer('BENCH'), readMeasuredServer('BENCH_OTHER')]
  const started: Filled[] = []
  const start = async (name: string, command?: readonly string[]): Promise<MeasuredServer> => {
    const filled = await filledServer(engine ?? 'sqlite', demo, { command })
    started.push(filled)
    const server = toMeasured(name, filled)
    await addApplications(server, filled.busiest, applicationCount)
    return server
  }
  try {
    const other = beside === undefined ? undefined : buildCommit(beside)
    const first = running ?? (await start('this build'))
    const second = otherRunning ?? (await start(beside ?? 'this build again', other))
    const heading = started.length === 0 ? '' : `${engine ?? ''}, `
    process.stdout.write(`\n${heading}1: ${first.name}, 2: ${second.name}\n\n`)
    const columns = ['requests/s', 'server µs', 'database µs', 'bytes']
    const ratios = columns.slice(0, 3).map((column) => `${column.split(' ', 1)[0]}, 1 of 2`)
    const head = ['request', ...['1', '2'].flatMap((of) => columns.map((column) => `${of}: ${column}`)), ...ratios]
    printTable([head, ...(await measurePair([first, second], rounds))])
  } finally {
    for (const filled of started) await filled.stop()
  }
}

const { values, positionals } = parseArgs({
  options: { beside: { type: 'string' }, rounds: { type: 'string', default: '3' } },
  allowPositionals: true,
})
const isRunningPair = Boolean(process.env['BENCH_URL'] && process.env['BENCH_OTHER_URL'])
// Two running servers have databases already, so there is no engine to choose.
for (const engine of isRunningPair ? [undefined] : parseEngines(positionals))
  await measureEngine(engine, values.beside, Number(values.rounds))
