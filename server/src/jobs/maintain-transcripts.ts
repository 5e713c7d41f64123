import { indexPendingTranscripts, removeInvisibleTranscripts } from '../call-data/conversations/transcripts.ts'
import { type Database, inTransaction } from '../database/engine.ts'

/** Deletes the transcripts of accounts that no longer keep them, and completes the index after a restore. */

const deletionBatchSize = 200
/** SQLite indexes on the main thread, 1 to 2 ms for each transcript. */
const indexBatchSize = 20
/** Maximum number of batches per run, so that the process can stop. */
const maxBatches = 1000

/** Returns an account with invisible transcripts. */
const findAccount = async ({ db }: Database): Promise<string | undefined> => {
  const row = await db
    .selectFrom('patchbay_transcript_settings as settings')
    .select('settings.account_sid')
    .where('settings.generation', '>', 0)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('patchbay_transcripts as stored')
          .select('stored.transcript_id')
          .whereRef('stored.account_sid', '=', 'settings.account_sid')
          .whereRef('stored.generation', '<', 'settings.generation'),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return row?.account_sid
}

/** Returns whether there was something to do. */
const runBatch = async (database: Database): Promise<boolean> => {
  const account_sid = await findAccount(database)
  const removed =
    account_sid === undefined
      ? 0
      : await inTransaction(database, (trx) =>
          removeInvisibleTranscripts(trx, database.engine, account_sid, deletionBatchSize),
        )
  const indexed = await indexPendingTranscripts(database, indexBatchSize)
  return removed + indexed > 0
}

/** Creates the job that deletes invisible transcripts and adds pending ones to the index. */
export const createTranscriptJob = (database: Database) => async (): Promise<void> => {
  for (let batch = 0; batch < maxBatches; batch += 1) if (!(await runBatch(database))) return
}
