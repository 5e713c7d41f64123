import { throwApiError } from '@patchbay/contract/api/errors'
import type { reviewModelEndpoints } from '@patchbay/contract/review-model'
import { checkByModel } from '../../call-data/reviews/model-check.ts'
import { modelReviewer } from '../../call-data/reviews/reviews.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { createFairQueue, fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'
import { checkAddress } from '../shared/check-address.ts'
import { changeReviewModel, readReviewModel } from './model-store.ts'
import { findReviewedCall } from './routes.ts'
import { readCallReviews, saveModelReview } from './store.ts'

/** Checks that run at a time, and checks of a tenant that run or wait. */
const limits = { concurrency: 4, max: 8 }

/** Returns a function that runs work with the same key one after another. */
const createKeyedLock = () => {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const result = (last.get(key) ?? Promise.resolve()).then(work)
    const ended = result.catch(() => {})
    last.set(key, ended)
    try {
      return await result
    } finally {
      if (last.get(key) === ended) last.delete(key)
    }
  }
}

export const reviewModelRoutes = (services: Services): Handlers<keyof typeof reviewModelEndpoints> => {
  const { configuration, database, encryption, outgoing, write } = services
  const { db } = database
  const queue = createFairQueue({ name: 'model_checks', ...limits })
  // The second of two checks of a call finds the review of the first one, and sends nothing.
  const runAlone = createKeyedLock()
  // Less than the time limit of a request, so that its response names the model.
  const timeoutMs = (configuration.requestTimeoutSeconds - 5) * 1000
  const options = { database, encryption, outgoing, sources: services, now: Date.now, timeoutMs }
  return {
    'GET /patchbay/ServiceProviders/:service_provider_sid/ReviewModel': async ({ params: { service_provider_sid } }) =>
      ok(await readReviewModel(db, encryption, service_provider_sid, Date.now())),

    'PUT /patchbay/ServiceProviders/:service_provider_sid/ReviewModel': async ({ params, body, actor }) => {
      if (body.url) checkAddress(outgoing, body.url, 'url')
      await write(actor, (tx) => changeReviewModel(tx, encryption, params.service_provider_sid, body))
    },

    'POST /patchbay/accounts/:account_sid/calls/:call_sid/reviews/model': async ({ params, actor, signal }) => {
      const call = await findReviewedCall(services, params)
      const check = async () => {
        const result = await checkByModel(options, call, signal)
        if (result !== undefined) await write(actor, (tx) => saveModelReview(tx, call, result, Date.now()))
      }
      const key = `${params.account_sid} ${params.call_sid}`
      await queue.run(fairnessKey(actor), (runStep) => runAlone(key, () => runStep(check)), signal)
      const { reviews } = await readCallReviews(db, actor, call)
      return ok(reviews.find(({ reviewer_sid }) => reviewer_sid === modelReviewer) ?? throwApiError('not_found'))
    },
  }
}
