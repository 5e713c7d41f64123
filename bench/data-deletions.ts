import { randomUUID } from 'node:crypto'
import type { DataDeletion } from '@patchbay/contract/data-deletions'
import { dayMs } from '@patchbay/contract/shared/durations'
import { createSqlCallSink } from '@patchbay/server/call-data/calls/sql-call-sink'
import { createSqlTraces } from '@patchbay/server/call-data/traces/sql-traces'
import { gzipJson } from '@patchbay/server/database/gzip-json'
import { createRandom } from '@patchbay/server/demo/seeded-random'
import {
  ask,
  type Filled,
  filledServer,
  parseEngines,
  printTable,
  productionMariaDb,
  quantile,
  scaled,
} from './harness.ts'
import { openFilled } from './list-data.ts'

/**
 * npm run bench:deletions [sqlite] [mariadb]: deletes the data of 100,000 calls of an account, each tenth with a trace, while
 * another account reads its calls.
 */

const calls = scaled(100_000, 200)
const days = 30
const batchSize = 1000
const callsPerTrace = 10

/** Stores the calls of an account. */
const fillCalls = async (filled: Filled, account_sid: string): Promise<void> => {
  const database = openFilled(filled)
  const [sqlCalls, sqlTraces] = [createSqlCallSink(database), createSqlTraces(database)]
  const random = createRandom(36)
  const start = Date.now() - (days + 1) * dayMs
  const spans = await gzipJson([{ resource: { attributes: [] }, instrumentationLibrarySpans: [] }])
  const unknown = { answered_at: null, terminated_at: null, remote_host: null, application_sid: null, extra: {} }
  const unused = { sip_parent_callid: null, recording_url: null, cost: null, rate: null, billed_seconds: null }
  try {
    for (let from = 0; from < calls; from += batchSize) {
      const records = Array.from({ length: Math.min(batchSize, calls - from) }, (_, nth) => ({
        ...unknown,
        ...unused,
        time: BigInt(start + Math.floor(((from + nth) / calls) * days * dayMs)) * 1_000_000n,
        account_sid,
        service_provider_sid: filled.provider,
        call_sid: randomUUID(),
        direction: 'inbound',
        answered: random.roll() < 0.8,
        duration: random.below(600),
        from: `1508372${random.below(10_000)}`,
        to: `1508308${random.below(10_000)}`,
        host: '10.0.0.5',
        trunk: `trunk ${random.below(5)}`,
        sip_callid: randomUUID(),
        sip_status: 200,
        termination_reason: 'caller hungup',
        trace_id: random.hex(32),
      }))
      await sqlCalls.store(records)
      const part = { ...spans, spans: 1, bytes: 100, delays: [], calls: [] }
      const traced = records.filter((_, nth) => nth % callsPerTrace === 0)
      await sqlTraces.storeParts(traced.map(({ trace_id }) => ({ ...part, trace_id })))
    }
  } finally {
    await database.close()
  }
}

/** Reads the first page of an account until the signal aborts. Returns the times in milliseconds. */
const readUntil = async ({ server, token, busiest }: Filled, signal: AbortSignal): Promise<number[]> => {
  const times: number[] = []
  while (!signal.aborted) {
    const started = performance.now()
    await ask(server.url, token, `/Accounts/${busiest}/RecentCalls?page=1&count=25`)
    times.push(performance.now() - started)
  }
  return times
}

const waitForEnd = async ({ server, token }: Filled, account_sid: string): Promise<DataDeletion> => {
  for (;;) {
    const [deletion] = await ask<DataDeletion[]>(server.url, token, `/patchbay/Accounts/${account_sid}/DataDeletions`)
    if (deletion?.status === 'finished') return deletion
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const formatTimes = (times: readonly number[]): string[] =>
  [0.5, 0.95, 1].map((part) => quantile(times, part).toFixed(1))

for (const engine of parseEngines(process.argv.slice(2))) {
  const filled = await filledServer(engine, ['--accounts', '5', '--calls', '1000'], {
    mariaDbOptions: productionMariaDb,
  })
  try {
    const { server, token, provider, busiest } = filled
    const accounts = await ask<{ account_sid: string }[]>(server.url, token, `/ServiceProviders/${provider}/Accounts`)
    const account_sid = accounts.find((account) => account.account_sid !== busiest)?.account_sid ?? ''
    await fillCalls(filled, account_sid)
    const before = new AbortController()
    setTimeout(() => before.abort(), scaled(5000, 100))
    const idle = await readUntil(filled, before.signal)
    const running = new AbortController()
    const reading = readUntil(filled, running.signal)
    await ask(server.url, token, `/patchbay/Accounts/${account_sid}/DataDeletions`, {})
    const { started_at, finished_at, deleted } = await waitForEnd(filled, account_sid)
    running.abort()
    const seconds = (Date.parse(finished_at ?? '') - Date.parse(started_at ?? '')) / 1000
    const rows = Object.values(deleted).reduce((sum, count) => sum + count, 0)
    process.stdout.write(
      `\n${engine}: ${rows.toLocaleString('en')} rows of ${calls.toLocaleString('en')} calls in ${seconds.toFixed(0)} s, ` +
        `${Math.round((deleted.calls ?? 0) / seconds).toLocaleString('en')} calls/s\n\n`,
    )
    printTable([
      ['list of another account', 'p50 ms', 'p95 ms', 'max ms'],
      ['before', ...formatTimes(idle)],
      ['during the deletion', ...formatTimes(await reading)],
    ])
  } finally {
    await filled.stop()
  }
}
