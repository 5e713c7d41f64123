import { setImmediate as nextTick } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { type Database, inTransaction, lockForUpdate } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { ExternalTranscriptIndex, IndexEntry, TranscriptStorage } from './external-transcript-index.ts'
import { addToIndex, removeFromIndex } from './transcript-index.ts'
import { recordRemovals } from './transcript-removals.ts'
import { indexVersions, toTokenText } from './transcript-tokens.ts'
import { type Transcript, toIds, unpackTranscript } from './transcripts.ts'

/**
 * Adds transcripts to the index that were stored without it: those of a restored database, those whose index is
 * elsewhere since the server has been configured differently, and all new ones if the index is outside the database.
 */

/** SQLite indexes on the main thread, 1 to 2 ms for each transcript. */
const databaseBatchSize = 20
/** Each insert creates a file in ClickHouse, which has to merge them. */
const externalBatchSize = 500

/** Returns the turns of a row, or none if its content is damaged, so that it does not prevent that others are indexed. */
const unpackTurns = async (content: Uint8Array): Promise<Transcript['turns']> => {
  try {
    return (await unpackTranscript(content)).turns
  } catch {
    return []
  }
}

const selectPending = (db: Kysely<Tables>, version: number, limit: number) =>
  db
    .selectFrom('patchbay_transcripts')
    .select([
      'transcript_id',
      'account_sid',
      'service_provider_sid',
      'application_sid',
      'generation',
      'index_version',
      'content',
    ])
    .where(({ or, eb }) => or([eb('index_version', '<', version), eb('index_version', '>', version)]))
    .limit(limit)

type PendingRow = Awaited<ReturnType<ReturnType<typeof selectPending>['execute']>>[number]

const updateVersion = async (trx: Kysely<Tables>, rows: readonly PendingRow[], index_version: number) => {
  if (rows.length > 0)
    await trx
      .updateTable('patchbay_transcripts')
      .set({ index_version })
      .where('transcript_id', 'in', toIds(rows))
      .execute()
}

const indexInDatabase = async (database: Database): Promise<boolean> => {
  const version = indexVersions.database
  // Almost always nothing is pending, which needs no transaction.
  if ((await selectPending(database.db, version, 1).execute()).length === 0) return false
  await inTransaction(database, async (trx) => {
    const rows = await lockForUpdate(database.engine, selectPending(trx, version, databaseBatchSize)).execute()
    const turns = await Promise.all(rows.map(({ content }) => unpackTurns(content)))
    const transcripts = rows.map((row, position) => ({ ...row, turns: turns[position] ?? [] }))
    await addToIndex(trx, database.engine, transcripts)
    await updateVersion(trx, rows, version)
  })
  return true
}

const toIndexEntry = async ({ content, index_version: _version, ...row }: PendingRow): Promise<IndexEntry> => {
  // Other requests run in between.
  await nextTick()
  return { ...row, tokens: toTokenText(await unpackTurns(content)) }
}

/** Two processes can add the same transcripts, of which the index keeps one. */
const indexExternally = async (database: Database, transcriptIndex: ExternalTranscriptIndex): Promise<boolean> => {
  const { db, engine } = database
  const version = indexVersions.external
  const rows = await selectPending(db, version, externalBatchSize).execute()
  if (rows.length === 0) return false
  const entries: IndexEntry[] = []
  for (const row of rows) entries.push(await toIndexEntry(row))
  await transcriptIndex.add(entries)
  await inTransaction(database, async (trx) => {
    const stored = trx
      .selectFrom('patchbay_transcripts')
      .select('transcript_id')
      .where('transcript_id', 'in', toIds(rows))
    const existing = new Set(toIds(await lockForUpdate(engine, stored).execute()))
    await updateVersion(trx, rows, version)
    await removeFromIndex(
      trx,
      engine,
      toIds(rows.filter(({ index_version }) => index_version === indexVersions.database)),
    )
    // Transcripts that were deleted meanwhile have words that no search returns.
    await recordRemovals(trx, engine, toIds(rows.filter(({ transcript_id }) => !existing.has(transcript_id))))
  })
  return true
}

/** Adds some transcripts to the index that are not in it. Returns whether there were some. */
export const indexPendingTranscripts = ({ database, transcriptIndex }: TranscriptStorage): Promise<boolean> =>
  transcriptIndex === undefined ? indexInDatabase(database) : indexExternally(database, transcriptIndex)
