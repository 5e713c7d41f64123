import { randomUUID } from 'node:crypto'
import type { FoundPage } from '@patchbay/contract/conversation-search'
import { dayMs } from '@patchbay/contract/shared/durations'
import { formatDay, toDayNumber } from '@patchbay/rules/calls/call-quality'
import { createClickHouseTranscriptIndex } from '@patchbay/server/call-data/clickhouse/clickhouse-transcripts'
import { addToIndex } from '@patchbay/server/call-data/conversations/transcript-index'
import { indexVersions, type Speaker, toTokenText } from '@patchbay/server/call-data/conversations/transcript-tokens'
import { insertIgnoringDuplicates, inTransaction } from '@patchbay/server/database/engine'
import { gzipJson } from '@patchbay/server/database/gzip-json'
import { createRandom, type Random } from '@patchbay/server/demo/seeded-random'
import {
  ask,
  type Filled,
  filledServer,
  openClickHouse,
  parseEngines,
  printTable,
  productionMariaDb,
  quantile,
  scaled,
} from './harness.ts'
import { openFilled } from './list-data.ts'

/**
 * npm run bench:transcripts [sqlite] [mariadb] [clickhouse]: searches in the transcripts of a million calls of 90 days. Requests are
 * sequential, as a user of the service provider.
 */

const calls = scaled(1_000_000, 100)
const rounds = scaled(30, 3)
const days = 90
const accounts = 10
/** Different conversations, which many calls have. */
const conversations = 2000
const turnsPerCall = 20
const termsPerTurn = 12
/** Rows per transaction. A millisecond has 512 IDs, so more would need others. */
const batchSize = 500

/** Returns a word. The most frequent ones are in almost every call, the rarest in one of 300. */
const pickTerm = (random: Random): string => `term${Math.floor(random.roll() ** 4 * 20_000)}`

interface Spoken {
  turns: { speaker: Speaker; start_ms: number; text: string }[]
}

const composeTurns = (random: Random): Spoken['turns'] =>
  Array.from({ length: turnsPerCall }, (_, position) => ({
    speaker: position % 2 === 0 ? ('caller' as const) : ('agent' as const),
    start_ms: position * 5000,
    text: Array.from({ length: termsPerTurn }, () => pickTerm(random)).join(' '),
  }))

/** Stores the transcripts for the accounts of the provider. */
const fillTranscripts = async (filled: Filled, accountSids: readonly string[]): Promise<void> => {
  const database = openFilled(filled)
  const clickHouse = await openClickHouse(filled)
  const external = clickHouse && createClickHouseTranscriptIndex(clickHouse)
  const index_version = external === undefined ? indexVersions.database : indexVersions.external
  const random = createRandom(34)
  const start = Date.now() - days * dayMs
  const call = { direction: 'inbound', from: '15083728299', to: '15083084809', duration: 100 }
  const spoken = await Promise.all(
    Array.from({ length: conversations }, async () => {
      const turns = composeTurns(random)
      const attempted_at = new Date(start).toISOString()
      return { turns, content: (await gzipJson({ ...call, attempted_at, turns })).content }
    }),
  )
  try {
    for (let from = 0; from < calls; from += batchSize) {
      const rows = Array.from({ length: Math.min(batchSize, calls - from) }, (_, position) => {
        const picked = spoken[random.below(conversations)]
        const attempted = start + Math.floor(((from + position) / calls) * days * dayMs)
        const owners = {
          transcript_id: attempted * 512 + position,
          account_sid: accountSids[random.below(accountSids.length)] ?? '',
          service_provider_sid: filled.provider,
          application_sid: null,
        }
        const row = {
          ...owners,
          call_sid: randomUUID(),
          generation: 0,
          index_version,
          content: picked?.content ?? new Uint8Array(),
        }
        // Some calls have words of their own.
        const needle =
          (from + position) % 100_003 === 7 ? [{ speaker: 'caller' as const, text: 'a needle in a haystack' }] : []
        return { row, indexed: { ...owners, turns: [...(picked?.turns ?? []), ...needle] } }
      })
      await inTransaction(database, async (trx) => {
        await insertIgnoringDuplicates(
          trx,
          database.engine,
          'patchbay_transcripts',
          rows.map(({ row }) => row),
        )
        if (external === undefined)
          await addToIndex(
            trx,
            database.engine,
            rows.map(({ indexed }) => indexed),
          )
      })
      await external?.add(
        rows.map(({ indexed }) => ({ ...indexed, generation: 0, tokens: toTokenText(indexed.turns) })),
      )
      if (from % 100_000 === 0) process.stderr.write(`${from.toLocaleString('en')} transcripts…\n`)
    }
  } finally {
    await database.close()
    await clickHouse?.close()
  }
}

const measure = async ({ server, token, provider }: Filled, account_sid: string): Promise<string[][]> => {
  const since = formatDay(toDayNumber(Date.now()) - 60)
  const until = formatDay(toDayNumber(Date.now()) - 30)
  const ofProvider = `ServiceProviders/${provider}`
  const ofAccount = `Accounts/${account_sid}`
  const table: string[][] = []
  for (const [what, owner, query] of [
    ['a common word', ofProvider, 'q=term0'],
    ['a common word of an account', ofAccount, 'q=term0'],
    ['a word of one in 60 calls', ofProvider, 'q=term2000'],
    ['a word of one in 300 calls', ofProvider, 'q=term19990'],
    ['a word of ten calls', ofProvider, 'q=needle'],
    ['an unknown word', ofAccount, 'q=unknown'],
    ['a phrase of ten calls', ofProvider, 'q=%22needle in a haystack%22'],
    ['a phrase of common words', ofProvider, 'q=%22term0 term1%22'],
    ['two words', ofProvider, 'q=term500 term700'],
    ['a common word, another excluded', ofProvider, 'q=term0 -term1'],
    ['a common word 30 to 60 days ago', ofProvider, `q=term0&start=${since}&end=${until}`],
    ['the last page of a common word', ofProvider, 'q=term0&page=40'],
  ] as const) {
    const page = query.includes('page=') ? '' : '&page=1'
    const path = `/patchbay/${owner}/ConversationSearch?${query.replaceAll(' ', '%20')}${page}&count=25`
    const search = () => ask<FoundPage>(server.url, token, path)
    const { data } = await search()
    const times: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const started = performance.now()
      await search()
      times.push(performance.now() - started)
    }
    table.push([what, String(data.length), ...[0.5, 0.95].map((part) => quantile(times, part).toFixed(1))])
  }
  return table
}

for (const engine of parseEngines(process.argv.slice(2))) {
  const filled = await filledServer(engine, ['--accounts', String(accounts), '--calls', '100'], {
    mariaDbOptions: productionMariaDb,
  })
  try {
    const list = await ask<{ account_sid: string }[]>(
      filled.server.url,
      filled.token,
      `/ServiceProviders/${filled.provider}/Accounts`,
    )
    const started = performance.now()
    await fillTranscripts(
      filled,
      list.map(({ account_sid }) => account_sid),
    )
    const seconds = (performance.now() - started) / 1000
    process.stdout.write(
      `\n${engine}, ${calls.toLocaleString('en')} transcripts, stored in ${seconds.toFixed(0)} s\n\n`,
    )
    printTable([['search', 'calls', 'p50 ms', 'p95 ms'], ...(await measure(filled, list[0]?.account_sid ?? ''))])
  } finally {
    await filled.stop()
  }
}
