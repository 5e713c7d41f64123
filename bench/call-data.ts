import { setTimeout as pause } from 'node:timers/promises'
import { planSpans, toLogLines, toResourceSpans, toSipMessages } from '@patchbay/server/demo/call-details'
import { type CallFacts, callFacts, callLine } from '@patchbay/server/demo/call-records'
import { createRandom } from '@patchbay/server/demo/seeded-random'
import { hepAgent, hepPacket } from '@patchbay/testkit/peers/hep'
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
} from './harness.ts'
import { untilConversationsComputed } from './list-data.ts'
import { copyCallDetails, toCopiedCall } from './multiply-calls.ts'

/**
 * npm run bench:call-data [sqlite] [mariadb] [clickhouse]: sends calls with traces, logs, and captured SIP to the intakes like the
 * platform's components do, then opens random calls one after another.
 */

const count = Number(process.env['CALLS'] ?? scaled(20_000, 40))
/** Calls of the same account without traces, logs, or captures. */
const bare = Number(process.env['BARE_CALLS'] ?? scaled(1000))
/** Number of copies of all these calls within the store, because the intake would take hours for millions. */
const copies = Number(process.env['COPIES'] ?? 0)
const batchSize = 20
const opened = scaled(300, 5)
const messagesOfCall = 7
/**
 * Responses about calls that do not exist are shorter, and would be fast. The log lines of copies name the original
 * call, so they are read and then left out.
 */
const minAnswerLength = 200

const post = async (url: string, body: string, type: string): Promise<void> => {
  const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': type } })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status} ${await answer.text()}`)
}

/** Returns answered calls of one minute, spread over the last month. */
const calls = ({ provider, busiest }: Filled): CallFacts[] => {
  const dice = createRandom(count)
  const start = Date.now() - 30 * 86_400_000
  return Array.from({ length: count }, (_, position) => {
    const at = Math.floor(start + (position / count) * 30 * 86_400_000)
    const owner = { account_sid: busiest, service_provider_sid: provider }
    const facts = callFacts(dice, { ...owner, at, call_sid: dice.uuid() })
    return { ...facts, direction: 'inbound', answered: true, sip_status: 200, seconds: 60, reason: 'caller hungup' }
  })
}

/** Returns the total milliseconds for each kind of data. */
const send = async ({ server }: Filled, all: readonly CallFacts[]) => {
  const dice = createRandom(1)
  const agent = hepAgent(server.hepPort)
  const took = { records: 0, traces: 0, logs: 0, sip: 0 }
  const timed = async (what: keyof typeof took, work: () => Promise<unknown>) => {
    const before = performance.now()
    await work()
    took[what] += performance.now() - before
  }
  for (let from = 0; from < all.length; from += batchSize) {
    const some = all.slice(from, from + batchSize)
    const planned = some.map((call) => planSpans(dice, call))
    const spans = some.flatMap((call, position) => toResourceSpans(dice, call, planned[position] ?? []))
    const lines = some.flatMap((call, position) => toLogLines(call, planned[position] ?? []))
    const records = some.map((call) => callLine(dice, call)).join('\n')
    const traces = JSON.stringify({ resourceSpans: spans })
    const base = `http://127.0.0.1:${server.otlpPort}`
    await timed('records', () => post(`http://127.0.0.1:${server.intakePort}/write?db=cdrs`, records, 'text/plain'))
    await timed('traces', () => post(`${base}/v1/traces`, traces, 'application/json'))
    await timed('logs', () => post(`${base}/logs`, lines.join('\n'), 'application/x-ndjson'))
    await timed('sip', async () => {
      for (const { at, source, destination, content } of some.flatMap(toSipMessages))
        await agent.send(
          hepPacket({
            at,
            source: source.address,
            sourcePort: source.port,
            destination: destination.address,
            destinationPort: destination.port,
            payload: Buffer.from(content),
          }),
        )
    })
  }
  agent.stop()
  return took
}

/**
 * Waits until no more packets are stored. HEP has no acknowledgments, and UDP drops packets that a busy server does not
 * read in time.
 */
const untilStored = async ({ server, token, busiest }: Filled, { sip_callid }: CallFacts): Promise<number> => {
  const path = `/Accounts/${busiest}/RecentCalls/${encodeURIComponent(sip_callid)}`
  const stored = async () => (await ask<{ total: number }>(server.url, token, path)).total
  let last = -1
  for (let now = await stored(); now > last && now < messagesOfCall; now = await stored()) {
    last = now
    await pause(2000)
  }
  return stored()
}

/** Sends calls, and prints how long that took. */
const fill = async (filled: Filled, all: readonly CallFacts[]): Promise<void> => {
  const took = await send(filled, all)
  const [last] = all.slice(-1)
  const came = last === undefined ? 0 : await untilStored(filled, last)
  await untilConversationsComputed(filled)
  const each = Object.entries(took).map(([what, ms]) => `${what} ${(ms / count).toFixed(2)} ms`)
  process.stdout.write(
    `\n${filled.engine}, ${count} calls beside ${bare} others, sent one after another, a call: ${each.join(', ')}; ${came} of ${messagesOfCall} messages of the last came; at the peak ${memory(filled.server.pid).peak.toFixed(0)} MB\n\n`,
  )
}

/** Opens random calls, which can be copies. */
const measure = async (filled: Filled, all: readonly CallFacts[]): Promise<void> => {
  const { server, token, busiest } = filled
  const below = `/Accounts/${busiest}/RecentCalls`
  const requests: [string, (call: CallFacts) => string][] = [
    ['its records', ({ call_sid }) => `${below}?page=1&count=50&filter=${call_sid}`],
    ['its trace', ({ trace_id }) => `${below}/trace/${trace_id}`],
    ['its log', ({ call_sid }) => `${below}/${call_sid}/logs`],
    ['its SIP', ({ sip_callid }) => `${below}/${encodeURIComponent(sip_callid)}`],
  ]
  const dice = createRandom(2)
  const table: string[][] = []
  for (const [name, toPath] of requests) {
    const times: number[] = []
    for (let round = 0; round < opened; round += 1) {
      const path = toPath(toCopiedCall(filled, dice.pick(all), dice.below(copies + 1)))
      const before = performance.now()
      const answer = await ask<object>(server.url, token, path)
      times.push(performance.now() - before)
      const isExpected = copies === 0 || name !== 'its log'
      if (isExpected && JSON.stringify(answer).length < minAnswerLength) throw new Error(`${path} has no data`)
    }
    table.push([name, quantile(times, 0.5).toFixed(1), quantile(times, 0.95).toFixed(1), 'p95 100 ms'])
  }
  printTable([['of a call', 'p50 ms', 'p95 ms', 'goal'], ...table])
}

for (const engine of parseEngines(process.argv.slice(2))) {
  const filled = await filledServer(engine, ['--accounts', '5', '--calls', String(bare), '--days', '30'], {
    mariaDbOptions: productionMariaDb,
  })
  try {
    const all = calls(filled)
    await fill(filled, all)
    if (copies > 0) {
      // The server stops meanwhile, because its queries need the indexes that are created again after the copies.
      await filled.server.stop()
      await copyCallDetails(filled, count + bare, copies)
      const server = await filled.restart()
      try {
        await measure({ ...filled, server }, all)
      } finally {
        await server.stop()
      }
    } else await measure(filled, all)
  } finally {
    await filled.stop()
  }
}
