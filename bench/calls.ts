import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import {
  ask,
  type Filled,
  filledServer,
  memory,
  parseEngines,
  printTable,
  productionMariaDb,
  quantile,
  scaled,
  startReader,
} from './harness.ts'
import { getReceivedCount, multiplyCalls } from './multiply-calls.ts'

/**
 * npm run bench:calls [sqlite] [mariadb] [clickhouse]: measures queries on an account with a million calls over 30 days, while
 * another client writes 500 records per second and a third one requests accounts continuously.
 */

const count = Number(process.env['CALLS'] ?? scaled(1_000_000, 2000))
const rounds = scaled(30)
const recordsASecond = 500
/** Most calls of the demo data have one of 2,000 numbers that begin like this. The others have random ones. */
const commonNumbers = '1508555'

const record = (account_sid: string, service_provider_sid: string, at: number): string =>
  `cdrs,direction=inbound,host=10.0.0.9,trunk=benchmark,service_provider_sid=${service_provider_sid},account_sid=${account_sid},answered=true ` +
  `call_sid="${randomUUID()}",duration=12,from="15085550001",to="15085550002",sip_callid="${randomUUID()}",sip_status=200,termination_reason="caller hungup" ${at}000000`

/**
 * Writes batches of fifty records like the platform until it is stopped. Returns the number of acknowledged records.
 */
const startWriter = ({ server, provider }: Filled, account_sid: string) => {
  let written = 0
  let stopped = false
  const run = async () => {
    const started = performance.now()
    for (;;) {
      if (stopped) break
      const lines = Array.from({ length: 50 }, () => record(account_sid, provider, Date.now()))
      const answer = await fetch(`http://127.0.0.1:${server.intakePort}/write?db=cdrs&precision=n`, {
        method: 'POST',
        body: lines.join('\n'),
      })
      if (answer.status !== 204) throw new Error(`the intake answered ${answer.status}`)
      written += lines.length
      await pause(Math.max(0, (written / recordsASecond) * 1000 - (performance.now() - started)))
    }
    return { written, seconds: (performance.now() - started) / 1000 }
  }
  const done = run()
  return () => {
    stopped = true
    return done
  }
}

/**
 * Downloads all calls as CSV. Returns rows, megabytes, seconds, and the server's memory before the download and at its
 * peak.
 */
const downloadCsv = async ({ server, token, busiest }: Filled) => {
  const before = memory(server.pid).now
  let [rows, bytes, peak] = [-1, 0, before]
  const started = performance.now()
  const answer = await fetch(`${server.url}/v1/patchbay/accounts/${busiest}/recent-calls.csv`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (!answer.ok || answer.body === null) throw new Error(`the table was answered ${answer.status}`)
  for await (const chunk of answer.body) {
    bytes += chunk.length
    for (const byte of chunk) rows += Number(byte === 10)
    peak = Math.max(peak, memory(server.pid).now)
  }
  const seconds = (performance.now() - started) / 1000
  return { rows, megabytes: bytes / 1e6, seconds, before, peak }
}

interface CallPage {
  total: number
  data: { from: string }[]
}

/** Returns numbers with few calls, one for each round, because ClickHouse remembers what a repeated search reads. */
const findRareNumbers = async (read: (query: string) => Promise<CallPage>): Promise<string[]> => {
  const rare = new Set<string>()
  for (let page = 1; rare.size < rounds && page <= 2 * rounds; page += 1)
    for (const { from } of (await read(`page=${page}&count=25&days=30`)).data)
      if (!from.startsWith(commonNumbers)) rare.add(from)
  return [...rare].slice(0, rounds)
}

const measure = async (filled: Filled): Promise<void> => {
  const { server, token, busiest: account } = filled
  const read = (query: string) => ask<CallPage>(server.url, token, `/Accounts/${account}/RecentCalls?${query}`)
  const rareNumbers = await findRareNumbers(read)
  const { total: before } = await read('page=1&count=25')
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const month = `from=${day(29)}&until=${day(0)}`
  const stopWriting = startWriter(filled, account)
  const last = Math.ceil(before / 25)
  const queries: { name: string; query: string | ((round: number) => string); goal: string; path?: string }[] = [
    { name: 'today, the default', query: 'page=1&count=25&days=1', goal: 'p95 100 ms' },
    { name: '7 days, inbound', query: 'page=1&count=25&days=7&direction=inbound', goal: 'p95 100 ms' },
    { name: '30 days', query: 'page=1&count=25&days=30', goal: 'p95 100 ms' },
    { name: '30 days, middle page', query: `page=${Math.floor(last / 2)}&count=25&days=30`, goal: 'p95 100 ms' },
    { name: '30 days, last page', query: `page=${Math.max(1, last - 50)}&count=25&days=30`, goal: 'p95 100 ms' },
    { name: 'whole store', query: 'page=1&count=25', goal: 'p95 100 ms' },
    { name: '30 days, status 503', query: 'page=1&count=25&days=30&sip_status=503', goal: 'p95 100 ms' },
    {
      name: '30 days, status 503, outbound, not answered',
      query: 'page=1&count=25&days=30&sip_status=503&direction=outbound&answered=false',
      goal: 'p95 100 ms',
    },
    { name: '30 days, 30 min or longer', query: 'page=1&count=25&days=30&min_duration=1800', goal: 'p95 100 ms' },
    { name: 'whole store, 60 s or longer', query: 'page=1&count=25&min_duration=60', goal: 'p95 100 ms' },
    { name: '30 days, less than 5 s', query: 'page=1&count=25&days=30&max_duration=4', goal: 'p95 100 ms' },
    { name: '30 days, part of a number', query: 'page=1&count=25&days=30&filter=5551234', goal: 'under 1 s' },
    { name: '30 days, a number that is not there', query: 'page=1&count=25&days=30&filter=nobody', goal: 'under 1 s' },
    { name: '30 days, start of a number', query: 'page=1&count=25&days=30&number=%2B1508555', goal: 'under 1 s' },
    {
      name: '30 days, a complete number of few calls',
      query: (round) => `page=1&count=25&days=30&filter=${rareNumbers[round % rareNumbers.length] ?? ''}`,
      goal: 'p95 100 ms',
    },
    {
      name: 'quality of 30 days',
      query: month,
      path: `/patchbay/accounts/${account}/call-quality`,
      goal: 'p95 200 ms',
    },
    {
      name: 'quality of 30 days, of the provider',
      query: month,
      path: `/patchbay/service-providers/${filled.provider}/call-quality`,
      goal: 'p95 200 ms',
    },
    {
      name: 'overview',
      query: '',
      path: `/patchbay/accounts/${account}/overview`,
      goal: 'p95 100 ms',
    },
    {
      name: 'overview of the provider',
      query: '',
      path: `/patchbay/service-providers/${filled.provider}/overview`,
      goal: 'p95 100 ms',
    },
  ]
  const table: string[][] = []
  for (const { name, query, goal, path } of queries) {
    const others = startReader(filled)
    const times: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const text = typeof query === 'string' ? query : query(round)
      const started = performance.now()
      await (path ? ask(server.url, token, `${path}?${text}`) : read(text))
      times.push(performance.now() - started)
    }
    await others.stop()
    const cells = [times, others.times].flatMap((of) => [quantile(of, 0.5).toFixed(1), quantile(of, 0.95).toFixed(1)])
    table.push([name, ...cells, goal])
  }
  const { written, seconds } = await stopWriting()
  const { total: after } = await read('page=1&count=25')
  process.stdout.write(
    `\n${filled.engine}, ${before} calls, ${(written / seconds).toFixed(0)} records/s written beside\n\n`,
  )
  printTable([['asked for', 'p50 ms', 'p95 ms', 'others p50', 'others p95', 'goal'], ...table])
  const { rows, megabytes, seconds: taken, before: calm, peak } = await downloadCsv(filled)
  process.stdout.write(
    `\n${rows} calls as a table: ${megabytes.toFixed(0)} MB in ${taken.toFixed(0)} s; the server had ${calm.toFixed(0)} MB before and ${peak.toFixed(0)} MB at most.\n`,
  )
  const lost = before + written - after
  process.stdout.write(`${written} records were acknowledged meanwhile, ${lost} of them are lost.\n\n`)
  if (lost !== 0) process.exitCode = 1
}

for (const engine of parseEngines(process.argv.slice(2))) {
  const received = getReceivedCount(engine, count)
  const filled = await filledServer(engine, ['--accounts', '20', '--calls', String(received), '--busiest', '100'], {
    mariaDbOptions: productionMariaDb,
  })
  try {
    // The server stops meanwhile, because its queries need the indexes that are created again after the copies.
    await filled.server.stop()
    await multiplyCalls(filled, received, count)
    const server = await filled.restart()
    try {
      await measure({ ...filled, server })
    } finally {
      await server.stop()
    }
  } finally {
    await filled.stop()
  }
}
