import { randomUUID } from 'node:crypto'
import type { ConversationQuality } from '@patchbay/contract/conversation-quality'
import { amounts, type Dimension, durations } from '@patchbay/contract/conversations/figures'
import type { Call } from '@patchbay/contract/recent-calls'
import { formatDay, lastDays, toDayNumber } from '@patchbay/rules/calls/call-quality'
import { toBucket } from '@patchbay/rules/conversations/duration-buckets'
import { formatSums, sumUp } from '@patchbay/rules/conversations/sums'
import { enqueueConversations, settlingMs } from '@patchbay/server/call-data/conversations/conversation-queue'
import { startDetection } from '@patchbay/server/call-data/recordings/detect-voice'
import { createEncoder } from '@patchbay/server/call-data/recordings/encoders'
import { insertIgnoringDuplicates, inTransaction } from '@patchbay/server/database/engine'
import { createRandom, type Random } from '@patchbay/server/demo/seeded-random'
import { composeCall, toPcm } from '@patchbay/testkit/calls/voices/synthetic-call'
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
import { openFilled, untilConversationsComputed } from './list-data.ts'

/**
 * npm run bench:conversations [sqlite] [mariadb]: reads statistics of a million conversations of 90 days, opens
 * conversations, and analyzes recordings. Requests are sequential, as a user of the service provider.
 */

const days = scaled(90, 3)
const conversationsPerDay = 11_000
const rounds = scaled(30, 3)
/** Rows per transaction. */
const batchSize = 5000

/** The number of values of each property, as a provider with some accounts has them. */
const valueCounts: Readonly<Record<Dimension, number>> = {
  all: 1,
  account: 20,
  application: 20,
  carrier: 5,
  sbc: 3,
  stt_vendor: 4,
  tts_vendor: 4,
  voice: 10,
  language: 5,
  model: 5,
  hour: 24,
}

/** Returns the sums of a day for one value of a property: amounts, and durations in 30 to 40 buckets each. */
const createSums = (random: Random, conversations: number) => [
  ...amounts.map((measure, position) => ({ measure, bucket: 0, amount: Math.ceil(conversations / (position + 1)) })),
  ...durations.flatMap((measure) => {
    const first = toBucket(100 + random.below(200))
    return Array.from({ length: 30 + random.below(10) }, (_, position) => ({
      measure,
      bucket: first + position,
      amount: 1 + random.below(Math.ceil(conversations / 4)),
    }))
  }),
]

/** Stores the sums of all days for the provider of the demo data. Returns the number of rows. */
const fillSums = async (filled: Filled): Promise<number> => {
  const database = openFilled(filled)
  const random = createRandom(1)
  const today = toDayNumber(Date.now())
  let count = 0
  try {
    // The server has computed the conversations of the demo data.
    await database.db.deleteFrom('patchbay_conversation_days').where('owner_sid', '=', filled.provider).execute()
    for (let day = today - days + 1; day <= today; day += 1) {
      const rows = Object.entries(valueCounts).flatMap(([dimension, values]) =>
        Array.from({ length: values }, (_, value) => ({
          owner_sid: filled.provider,
          dimension,
          day,
          value: dimension === 'all' ? '' : `${dimension} ${value}`,
          conversations: Math.ceil(conversationsPerDay / values),
          sums: formatSums(sumUp(createSums(random, Math.ceil(conversationsPerDay / values)))),
        })),
      )
      for (let from = 0; from < rows.length; from += batchSize)
        await inTransaction(database, (trx) =>
          insertIgnoringDuplicates(
            trx,
            database.engine,
            'patchbay_conversation_days',
            rows.slice(from, from + batchSize),
          ),
        )
      count += rows.length
    }
  } finally {
    await database.close()
  }
  return count
}

const measure = async (work: () => Promise<unknown>): Promise<string[]> => {
  // The first request prepares the statements.
  await work()
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
  }
  return [quantile(times, 0.5), quantile(times, 0.95)].map((value) => value.toFixed(1))
}

const measureQuality = async ({ server, token, provider }: Filled): Promise<string[][]> => {
  const table: string[][] = []
  for (const [period, by] of [
    [1, 'application'],
    [7, 'application'],
    [30, 'application'],
    [30, 'voice'],
    [30, 'carrier'],
    [90, 'application'],
  ] as const) {
    const { from, until } = lastDays(period)
    const path = `/patchbay/service-providers/${provider}/conversation-quality?from=${from}&until=${until}&by=${by}`
    const read = () => ask<ConversationQuality>(server.url, token, path)
    const { total } = await read()
    table.push([`${period} days by ${by}`, total.conversations.toLocaleString('en'), ...(await measure(read))])
  }
  return table
}

const tracedCalls = scaled(5000, 20)

/** Stores copies of the calls with spans, about 150 each, and queues their conversations. Returns their number. */
const queueTracedCalls = async (filled: Filled): Promise<number> => {
  const database = openFilled(filled)
  const { db, engine } = database
  try {
    const ids = db.selectFrom('patchbay_trace_parts').select('trace_id')
    const traced = await db.selectFrom('patchbay_calls').selectAll().where('trace_id', 'in', ids).execute()
    // The analysis of a recording costs many times as much, and is measured alone.
    const calls = traced.filter(({ recording_url }) => recording_url === null)
    const copiesOfEach = Math.ceil(tracedCalls / calls.length)
    for (const call of calls) {
      const stored = db.selectFrom('patchbay_trace_parts').selectAll()
      const parts = await stored.where('trace_id', '=', call.trace_id ?? '').execute()
      const copies = Array.from({ length: copiesOfEach }, () => ({
        ...call,
        call_key: randomUUID(),
        call_sid: randomUUID(),
        trace_id: randomUUID().replaceAll('-', ''),
      }))
      const copiedParts = copies.flatMap(({ trace_id }) => parts.map((part) => ({ ...part, trace_id })))
      await inTransaction(database, async (trx) => {
        await insertIgnoringDuplicates(trx, engine, 'patchbay_calls', copies)
        await insertIgnoringDuplicates(trx, engine, 'patchbay_trace_parts', copiedParts)
      })
      await enqueueConversations(database, copies, Date.now() + settlingMs)
    }
    return copiesOfEach * calls.length
  } finally {
    await database.close()
  }
}

/** Returns what the computing of conversations costs the server and the database. */
const measureComputing = async (filled: Filled): Promise<string> => {
  const { engine, server, databasePid } = filled
  const pids = [server.pid, ...(databasePid === undefined ? [] : [databasePid])]
  const readCpu = () => pids.map(cpuSeconds).reduce((sum, one) => sum + one, 0)
  await untilConversationsComputed(filled)
  const queued = await queueTracedCalls(filled)
  const before = readCpu()
  const started = performance.now()
  await untilConversationsComputed(filled)
  const seconds = (performance.now() - started) / 1000
  const milliseconds = ((readCpu() - before) * 1000) / Math.max(1, queued)
  return `${engine}, ${queued} calls with spans: ${milliseconds.toFixed(2)} ms of CPU per conversation, ${seconds.toFixed(0)} s with the wait for late spans`
}

/** Opens calls with a trace, and calls whose recording has been analyzed. */
const measureOpening = async ({ server, token, provider }: Filled): Promise<string[][]> => {
  const since = formatDay(toDayNumber(Date.now()) - 30)
  const path = `/ServiceProviders/${provider}/RecentCalls?page=1&count=500&start=${since}`
  const { data } = await ask<{ data: Call[] }>(server.url, token, path)
  const answered = data.filter(({ answered: isAnswered }) => isAnswered)
  const open = (call: Call | undefined) =>
    ask(server.url, token, `/patchbay/accounts/${call?.account_sid ?? ''}/calls/${call?.call_sid ?? ''}/conversation`)
  const traced = answered.find(({ recording_url }) => recording_url === null)
  const recorded = answered.find(({ recording_url }) => recording_url !== null)
  return [
    ['opening a conversation, from a trace', '1', ...(await measure(() => open(traced)))],
    ['opening a conversation, with a recording', '1', ...(await measure(() => open(recorded)))],
  ]
}

/** Returns the CPU time per minute of audio in milliseconds, for decoding MP3 and detecting voices. */
const measureAnalysis = async (): Promise<number> => {
  const call = composeCall(5, { noise: 'pink', signalToNoise: 25 }, scaled(60, 3))
  const encoder = createEncoder('mp3', 8000)
  const file = Buffer.concat([Buffer.from(await encoder.encode(toPcm(call))), Buffer.from(await encoder.end())])
  encoder.close()
  const analyze = async () => {
    const detection = await startDetection('mp3')
    for (let from = 0; from < file.length; from += 65_536) detection.add(file.subarray(from, from + 65_536))
    detection.finish()
    detection.close()
  }
  await analyze()
  const started = process.cpuUsage()
  await analyze()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000 / (call.caller.length / 8000 / 60)
}

process.stdout.write(`analysis of a recording: ${(await measureAnalysis()).toFixed(0)} ms of CPU per minute of audio\n`)
for (const engine of parseEngines(process.argv.slice(2))) {
  const filled = await filledServer(engine, ['--accounts', '20', '--calls', '2000'], {
    mariaDbOptions: productionMariaDb,
  })
  try {
    const computing = await measureComputing(filled)
    process.stderr.write('filling the sums…\n')
    const rows = await fillSums(filled)
    process.stdout.write(`\n${computing}\n`)
    const table = [...(await measureQuality(filled)), ...(await measureOpening(filled))]
    process.stdout.write(`\n${engine}, ${rows.toLocaleString('en')} sums of ${days} days\n\n`)
    printTable([['what', 'conversations', 'p50 ms', 'p95 ms'], ...table])
  } finally {
    await filled.stop()
  }
}
