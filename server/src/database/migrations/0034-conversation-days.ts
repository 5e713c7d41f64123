import { type Kysely, sql } from 'kysely'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { alterTables, createTables, hasTable, type Migration, type Statements } from './statements.ts'

/** Adds indexes for lists, and replaces the first version of the sums, which had a row per bucket of a duration. */

/** The first version had another table instead. */
const tables: Statements = {
  sqlite: [
    `CREATE TABLE IF NOT EXISTS patchbay_conversation_days (
      owner_sid TEXT NOT NULL,
      dimension TEXT NOT NULL,
      day INTEGER NOT NULL,
      value TEXT NOT NULL,
      conversations INTEGER NOT NULL,
      sums TEXT NOT NULL
    )`,
    'CREATE UNIQUE INDEX IF NOT EXISTS patchbay_conversation_days_idx_1 ON patchbay_conversation_days (owner_sid, dimension, day, value)',
    'CREATE INDEX IF NOT EXISTS patchbay_conversation_days_idx_2 ON patchbay_conversation_days (day)',
  ],
  mysql: [
    `CREATE TABLE IF NOT EXISTS patchbay_conversation_days (
      owner_sid VARCHAR(36) COLLATE utf8mb4_bin NOT NULL,
      dimension VARCHAR(16) COLLATE utf8mb4_bin NOT NULL,
      day INTEGER NOT NULL,
      value VARCHAR(128) COLLATE utf8mb4_bin NOT NULL,
      conversations BIGINT NOT NULL,
      sums MEDIUMTEXT NOT NULL,
      UNIQUE INDEX patchbay_conversation_days_idx_1 (owner_sid, dimension, day, value),
      INDEX patchbay_conversation_days_idx_2 (day)
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  ],
}

const changes: Statements = {
  sqlite: [
    'ALTER TABLE patchbay_conversations ADD COLUMN ended_at INTEGER NOT NULL DEFAULT 0',
    'CREATE INDEX IF NOT EXISTS patchbay_conversations_account_sid ON patchbay_conversations (account_sid, started_at, call_sid)',
    'CREATE INDEX IF NOT EXISTS patchbay_conversations_service_provider_sid ON patchbay_conversations (service_provider_sid, started_at, call_sid)',
  ],
  mysql: [
    'ALTER TABLE patchbay_conversations ADD COLUMN ended_at BIGINT NOT NULL DEFAULT 0',
    'CREATE INDEX patchbay_conversations_account_sid ON patchbay_conversations (account_sid, started_at, call_sid)',
    'CREATE INDEX patchbay_conversations_service_provider_sid ON patchbay_conversations (service_provider_sid, started_at, call_sid)',
  ],
}

interface StoredConversation {
  account_sid: string
  service_provider_sid: string | null
  call_sid: string
  started_at: number
  content: Uint8Array
}

/** Dimension, value, measure, bucket, and amount. */
type Contribution = [string, string, string, number, number]

const maxContentBytes = 16 * 1024 * 1024
const batchSize = 500
const dayMs = 86_400_000

/** The amount by bucket of each measure, by owner, dimension, day, and value as JSON. */
type DaySums = Map<string, Map<string, number[]>>

const addConversation = async (days: DaySums, { content, started_at, ...owner }: StoredConversation): Promise<void> => {
  const text = await promisify(gunzip)(content, { maxOutputLength: maxContentBytes })
  for (const [dimension, value, measure, bucket, amount] of JSON.parse(text.toString()) as Contribution[])
    for (const owner_sid of [owner.account_sid, owner.service_provider_sid]) {
      if (owner_sid === null) continue
      const key = JSON.stringify([owner_sid, dimension, Math.floor(started_at / dayMs), value])
      const measures = days.get(key) ?? new Map<string, number[]>()
      const buckets = measures.get(measure) ?? []
      while (buckets.length <= bucket) buckets.push(0)
      buckets[bucket] = (buckets[bucket] ?? 0) + amount
      days.set(key, measures.set(measure, buckets))
    }
}

/** Formats each measure as its first bucket with an amount, and the amounts from there on. */
const formatMeasures = (measures: ReadonlyMap<string, number[]>): string =>
  JSON.stringify(
    Object.fromEntries(
      [...measures].flatMap(([measure, buckets]) => {
        const first = buckets.findIndex((amount) => amount !== 0)
        const last = buckets.findLastIndex((amount) => amount !== 0)
        return first === -1 ? [] : [[measure, [first, ...buckets.slice(first, last + 1)]]]
      }),
    ),
  )

const sumConversations = async (db: Kysely<unknown>): Promise<void> => {
  await sql`DELETE FROM patchbay_conversation_days`.execute(db)
  const days: DaySums = new Map()
  for (let [call, account] = ['', '']; ; ) {
    const { rows } = await sql<StoredConversation>`
      SELECT account_sid, service_provider_sid, call_sid, started_at, content FROM patchbay_conversations
      WHERE call_sid > ${call} OR (call_sid = ${call} AND account_sid > ${account})
      ORDER BY call_sid, account_sid LIMIT ${sql.lit(batchSize)}`.execute(db)
    for (const row of rows) await addConversation(days, row)
    const last = rows.at(-1)
    if (last === undefined) break
    ;[call, account] = [last.call_sid, last.account_sid]
  }
  for (const [key, measures] of days) {
    const [owner_sid, dimension, day, value] = JSON.parse(key) as [string, string, number, string]
    const conversations = measures.get('conversations')?.[0] ?? 0
    await sql`
      INSERT INTO patchbay_conversation_days (owner_sid, dimension, day, ${sql.ref('value')}, conversations, sums)
      VALUES (${owner_sid}, ${dimension}, ${day}, ${value}, ${conversations}, ${formatMeasures(measures)})`.execute(db)
  }
}

export const up: Migration = async (context) => {
  await alterTables(context, changes)
  if (!(await hasTable(context, 'patchbay_conversation_counts'))) return
  await createTables(context, tables)
  await sumConversations(context.db)
  await sql`DROP TABLE patchbay_conversation_counts`.execute(context.db)
}
