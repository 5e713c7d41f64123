import type { TranscriptStorage } from '../call-data/conversations/external-transcript-index.ts'
import { indexPendingTranscripts } from '../call-data/conversations/index-transcripts.ts'
import { removeDueTranscripts } from '../call-data/conversations/transcript-removals.ts'
import { removeInvisibleTranscripts } from '../call-data/conversations/transcripts.ts'
import { type Database, inTransaction } from '../database/engine.ts'

/** Deletes the transcripts of accounts that no longer keep them, and completes the index. */

const deletionBatchSize = 200
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
        selectFrom('patchbay_transcripts as transcripts')
          .select('transcripts.transcript_id')
          .whereRef('transcripts.account_sid', '=', 'settings.account_sid')
          .whereRef('transcripts.generation', '<', 'settings.generation'),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return row?.account_sid
}

/** Returns whether there was something to do. */
const runBatch = async (storage: TranscriptStorage, now: number): Promise<boolean> => {
  const { database } = storage
  const account_sid = await findAccount(database)
  const removed =
    account_sid === undefined
      ? 0
      : await inTransaction(database, (trx) =>
          removeInvisibleTranscripts(trx, database.engine, account_sid, deletionBatchSize),
        )
  const hasIndexed = await indexPendingTranscripts(storage)
  return (await removeDueTranscripts(storage, now)) || hasIndexed || removed > 0
}

/** Creates the job that deletes invisible transcripts, adds pending ones to the index, and removes deleted ones. */
export const createTranscriptJob =
  (storage: TranscriptStorage, now: () => number = Date.now) =>
  async (): Promise<void> => {
    for (let batch = 0; batch < maxBatches; batch += 1) if (!(await runBatch(storage, now()))) return
  }
