import { throwApiError } from '@patchbay/contract/errors'
import type { reviewModelEndpoints } from '@patchbay/contract/review-model'
import { checkByModel } from '../../call-data/reviews/model-check.ts'
import { modelReviewer } from '../../call-data/reviews/reviews.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { createFairQueue, fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'
import { changeReviewModel, readReviewModel } from './model-store.ts'
import { checkAddress } from '../shared/check-address.ts'
import { findReviewedCall } from './routes.ts'
import { readCallReviews, saveModelReview } from './store.ts'

/** Checks that run at a time, and checks of a tenant that run or wait. */
const limits = { concurrency: 4, max: 8 }

export const reviewModelRoutes = (services: Services): Handlers<keyof typeof reviewModelEndpoints> => {
  const { configuration, database, encryption, outgoing, write } = services
  const { db } = database
  const queue = createFairQueue({ name: 'model_checks', ...limits })
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
      const check = () => checkByModel(options, call, signal)
      const result = await queue.run(fairnessKey(actor), (runStep) => runStep(check), signal)
      await write(actor, (tx) => saveModelReview(tx, call, result, Date.now()))
      const { reviews } = await readCallReviews(db, actor, call)
      return ok(reviews.find(({ reviewer_sid }) => reviewer_sid === modelReviewer) ?? throwApiError('not_found'))
    },
  }
}
