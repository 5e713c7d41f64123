import { ApiError } from '@patchbay/contract/api/errors'
import { checkByModel, type ModelCheckOptions } from '../call-data/reviews/model-check.ts'
import { claimModelChecks, endModelCheck } from '../call-data/reviews/review-items.ts'
import { storeReview, toModelReviewer } from '../call-data/reviews/reviews.ts'
import { inTransaction } from '../database/engine.ts'
import type { OnBackgroundError } from '../lib/log.ts'

/** Lets language models check the calls that rules have selected for review, for providers that have turned it on. */

export interface ModelCheckJobOptions extends Omit<ModelCheckOptions, 'timeoutMs'> {
  onBackgroundError: OnBackgroundError
  /** Aborts when the process stops. Interrupted checks are repeated later. */
  signal: AbortSignal
}

const batchSize = 4
/** Models that reason take a minute for a long call. */
const timeoutMs = 120_000
/** Maximum number of batches per run, so that the process can stop. */
const maxBatches = 50

/** Creates the job. A check that fails is not repeated, because each may cost money. Users can start it again. */
export const createModelCheckJob = (options: ModelCheckJobOptions) => async (): Promise<void> => {
  const { database, onBackgroundError, now, signal } = options
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const calls = await claimModelChecks(database, now(), batchSize)
    await Promise.all(
      calls.map(async (call) => {
        const { account_sid, call_sid } = call
        try {
          const result = await checkByModel({ ...options, timeoutMs }, call, signal)
          if (result !== undefined) {
            const { model, ...review } = result
            const reviewer = toModelReviewer(model)
            await inTransaction(database, (trx) =>
              storeReview(trx, database.engine, { call, reviewer, ...review, now: now() }),
            )
          }
        } catch (error) {
          if (signal.aborted) return
          // Accounts without transcripts, disabled models, and reached limits are no failures.
          const isExpected = error instanceof ApiError && error.code !== 'review_model_failed'
          if (!isExpected)
            onBackgroundError(error, 'a call could not be checked by a language model', { account_sid, call_sid })
        }
        await endModelCheck(database, call)
      }),
    )
    if (calls.length < batchSize || signal.aborted) return
  }
}
