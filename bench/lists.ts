import { dayMs } from '@patchbay/contract/shared/durations'
import {
  ask,
  cpuSeconds,
  type Filled,
  filledServer,
  parseEngines,
  printTable,
  productionMariaDb,
  quantile,
  scaled,
} from './harness.ts'
import { fillLists } from './list-data.ts'

/**
 * npm run bench:lists [sqlite] [mariadb]: reads pages of each list with 100,000 rows (10,000 carriers) over HTTP, with
 * sequential requests, as a user of the service provider. CPU is that of the server and the database together. `ROWS=1000` measures other numbers of rows.
 */

const rows = Number(process.env['ROWS'] ?? scaled(100_000, 500))
const carriers = Math.ceil(rows / 10)
const rounds = scaled(30)
/** Rounds of requests that return all rows, which take seconds. */
const wholeRounds = scaled(3)
const pageSize = 25

interface Page {
  total: number
}

interface PagedList {
  name: string
  /** The path with the query, up to the number of the page. */
  path: (sids: Sids) => string
  /** The part of a name or number that a search looks for, and one that does not exist. */
  searches?: Readonly<Record<string, string>>
}

interface Sids {
  provider: string
  account: string
}

const pagedLists: readonly PagedList[] = [
  {
    name: 'phone numbers',
    path: () => `/patchbay/phone-numbers?page_size=${pageSize}`,
    searches: { 'part of a number': 'filter=5551', 'no such number': 'filter=nobody', 'any number': 'filter=%25' },
  },
  {
    name: 'phone numbers of an account',
    path: ({ account }) => `/patchbay/phone-numbers?page_size=${pageSize}&account_sid=${account}`,
  },
  {
    name: 'applications',
    path: () => `/Applications?page_size=${pageSize}`,
    searches: { 'part of a name': 'name=oslo%20sales', 'no such name': 'name=nowhere' },
  },
  {
    name: 'applications of an account',
    path: ({ account }) => `/Accounts/${account}/Applications?page_size=${pageSize}`,
  },
  {
    name: 'carriers',
    path: ({ provider }) => `/ServiceProviders/${provider}/VoipCarriers?page_size=${pageSize}`,
    searches: { 'part of a name': 'name=oslo%20sales', 'no such name': 'name=nowhere' },
  },
  {
    name: 'alerts',
    path: ({ provider }) => `/ServiceProviders/${provider}/Alerts?count=${pageSize}`,
    searches: { 'a type': 'alert_type=no-carrier' },
  },
  {
    name: 'audit trail',
    path: () => `/patchbay/audit-trail?count=${pageSize}`,
    searches: { 'part of a name': 'filter=5551', 'no such name': 'filter=nowhere', 'an action': 'action=delete' },
  },
]

/** Returns the cells of a row: the number of rows, p50 and p95, and the CPU time of the server and the database. */
const measure = async (
  { server, databasePid }: Filled,
  runs: number,
  total: number,
  work: () => Promise<unknown>,
): Promise<string[]> => {
  const pids = [server.pid, ...(databasePid === undefined ? [] : [databasePid])]
  const readCpu = () => pids.map(cpuSeconds).reduce((sum, seconds) => sum + seconds, 0)
  // The first request prepares the statements.
  await work()
  const times: number[] = []
  const cpuBefore = readCpu()
  for (let run = 0; run < runs; run += 1) {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
  }
  const cpuMs = ((readCpu() - cpuBefore) / runs) * 1000
  return [String(total), ...[quantile(times, 0.5), quantile(times, 0.95), cpuMs].map((value) => value.toFixed(1))]
}

const measureList = async (
  filled: Filled,
  { name, path, searches = {} }: PagedList,
  sids: Sids,
): Promise<string[][]> => {
  const { server, token } = filled
  const read = (query: string) => ask<Page>(server.url, token, `${path(sids)}&${query}`)
  const measured = async (what: string, query: string) => {
    const { total } = await read(query)
    return [`${name}: ${what}`, ...(await measure(filled, rounds, total, () => read(query)))]
  }
  const last = Math.ceil((await read('page=1')).total / pageSize)
  const table = [
    await measured('first page', 'page=1'),
    await measured('middle page', `page=${Math.ceil(last / 2)}`),
    await measured('last page', `page=${last}`),
  ]
  for (const [what, query] of Object.entries(searches)) table.push(await measured(what, `page=1&${query}`))
  return table
}

const measureWhole = async (filled: Filled, path: string, name: string): Promise<string[]> => {
  const readAll = () => ask<unknown[]>(filled.server.url, filled.token, path)
  const { length } = await readAll()
  return [`${name}: all`, ...(await measure(filled, wholeRounds, length, readAll))]
}

const reviewFilters = { 'first page': '', 'a rare reason': '&reason=failed', unassigned: '&assignee=none' }

/** Reviews have a cursor instead of a total. The number of rows is that of the page. */
const measureReviews = async (filled: Filled, { provider, account }: Sids): Promise<string[][]> => {
  const { server, token } = filled
  const [from = '', until = ''] = [399, 0].map((days) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10))
  const table: string[][] = []
  for (const owner of [`service-providers/${provider}`, `accounts/${account}`])
    for (const [what, filter] of Object.entries(reviewFilters)) {
      const path = `/patchbay/${owner}/reviews?from=${from}&until=${until}&count=${pageSize}${filter}`
      const read = () => ask<{ calls: unknown[] }>(server.url, token, path)
      const { calls } = await read()
      const name = `reviews${owner.startsWith('accounts') ? ' of an account' : ''}: ${what}`
      table.push([name, ...(await measure(filled, rounds, calls.length, read))])
    }
  return table
}

for (const engine of parseEngines(process.argv.slice(2))) {
  const filled = await filledServer(engine, ['--accounts', '20', '--calls', '0'], { mariaDbOptions: productionMariaDb })
  try {
    process.stderr.write('filling the lists…\n')
    await fillLists(filled, { rows, carriers })
    const sids = { provider: filled.provider, account: filled.busiest }
    const table: string[][] = []
    for (const list of pagedLists) table.push(...(await measureList(filled, list, sids)))
    table.push(...(await measureReviews(filled, sids)))
    table.push(await measureWhole(filled, '/Clients', 'SIP clients'), await measureWhole(filled, '/Users', 'users'))
    process.stdout.write(`\n${engine}, ${rows} rows\n\n`)
    printTable([['list', 'rows', 'p50 ms', 'p95 ms', 'CPU ms'], ...table])
  } finally {
    await filled.stop()
  }
}
