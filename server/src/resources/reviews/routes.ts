import { throwApiError } from '@patchbay/contract/api/errors'
import type { reviewSettingEndpoints } from '@patchbay/contract/review-settings'
import type { ReviewFilters, ReviewInput, reviewEndpoints } from '@patchbay/contract/reviews'
import { type CallOwner, maxSearchesPerTenant } from '../../call-data/calls/search-options.ts'
import { type ReviewedConversation, readReviewSettings } from '../../call-data/reviews/review-items.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import { createFairQueue, fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'
import { createTextExports } from '../shared/text-exports.ts'
import { formatReviewsCsv, formatReviewsJsonl } from './export.ts'
import { listReviews, type PageOfReviews, walkReviews } from './list.ts'
import { listReviewers } from './reviewers.ts'
import { changeReviewSettings } from './settings-store.ts'
import { assignCall, deleteOwnReview, readCallReviews, saveOwnReview } from './store.ts'

interface CallParams {
  account_sid: string
  call_sid: string
}

/** Returns a call of an account. */
export const findReviewedCall = async (
  { calls }: Pick<Services, 'calls'>,
  { account_sid, call_sid }: CallParams,
): Promise<ReviewedConversation> => {
  const [leg] = await calls.find({ account_sid }, { call_sid })
  if (leg === undefined) return throwApiError('call_not_found')
  const { service_provider_sid, attempted_at } = leg
  return { account_sid, call_sid, service_provider_sid, started_at: Date.parse(attempted_at) }
}

/** Selects calls that are assigned to the caller or another user, or calls without an assignee. */
const toAssignee = (assignee: string | undefined, { user_sid }: Caller) => {
  if (assignee === undefined) return {}
  if (assignee === 'me') return { assignee_sid: user_sid ?? '' }
  return { assignee_sid: assignee === 'none' ? null : assignee }
}

const toSearch = (owner: CallOwner, { assignee, ...filters }: ReviewFilters, actor: Caller) => ({
  owner,
  ...filters,
  ...toAssignee(assignee, actor),
})

interface ListContext<Query> {
  query: Query
  actor: Caller
  signal: AbortSignal
}

export const reviewRoutes = (
  services: Services,
): Handlers<keyof typeof reviewEndpoints | keyof typeof reviewSettingEndpoints> => {
  const { database, write, masking, owners } = services
  const { db, reader } = database
  const queue = createFairQueue({
    name: 'reviews',
    concurrency: database.concurrency.searches,
    max: maxSearchesPerTenant,
  })
  const exportText = createTextExports()

  const list = async (owner: CallOwner, { query, actor, signal }: ListContext<ReviewFilters & PageOfReviews>) => {
    const { after, count, ...filters } = query
    const read = () => listReviews(database, toSearch(owner, filters, actor), { after, count })
    return ok(await queue.run(fairnessKey(actor), (runStep) => runStep(read), signal))
  }

  const walk = (owner: CallOwner, { query, actor, signal }: ListContext<ReviewFilters>) =>
    walkReviews((page) => {
      const read = () => listReviews(database, toSearch(owner, query, actor), page)
      return queue.run(fairnessKey(actor), (runStep) => runStep(read), signal, true)
    })

  const exportCsv = async (owner: CallOwner, context: Omit<ListContext<ReviewFilters>, 'signal'>) => {
    const provider =
      'account_sid' in owner
        ? (await owners.account(owner.account_sid))?.service_provider_sid
        : owner.service_provider_sid
    const { criteria } = await readReviewSettings(reader, provider ?? '')
    const names = criteria.map(({ name }) => name)
    const file = { type: 'text/csv; charset=utf-8', name: 'reviews.csv' }
    return exportText(fairnessKey(context.actor), file, (signal) =>
      formatReviewsCsv(walk(owner, { ...context, signal }), names),
    )
  }

  const exportJsonl = (owner: CallOwner, context: Omit<ListContext<ReviewFilters>, 'signal'>) =>
    exportText(fairnessKey(context.actor), { type: 'application/jsonl', name: 'reviews.jsonl' }, (signal) =>
      formatReviewsJsonl({ reader, masking }, walk(owner, { ...context, signal }), context.actor.is_view_only),
    )

  /** Reviewers may quote what was said, so notes are masked like transcripts. */
  const maskNote = async (account_sid: string, input: ReviewInput): Promise<ReviewInput> => {
    const [note = ''] = await masking.maskLines(await masking.findRules({ account_sid }), [input.note])
    return { ...input, note }
  }

  return {
    'GET /patchbay/accounts/:account_sid/calls/:call_sid/reviews': async ({ params, actor }) => {
      const call = await findReviewedCall(services, params)
      return ok(await readCallReviews(db, actor, call))
    },

    'PUT /patchbay/accounts/:account_sid/calls/:call_sid/reviews/own': async ({ params, body, actor }) => {
      const call = await findReviewedCall(services, params)
      const input = await maskNote(params.account_sid, body)
      await write(actor, (tx) => saveOwnReview(tx, call, input, Date.now()))
    },

    'DELETE /patchbay/accounts/:account_sid/calls/:call_sid/reviews/own': async ({ params, actor }) => {
      const call = await findReviewedCall(services, params)
      await write(actor, (tx) => deleteOwnReview(tx, call))
    },

    'PUT /patchbay/accounts/:account_sid/calls/:call_sid/assignee': async ({ params, body: { user_sid }, actor }) => {
      const call = await findReviewedCall(services, params)
      await write(actor, (tx) => assignCall(tx, call, user_sid))
    },

    'GET /patchbay/accounts/:account_sid/reviewers': async ({ params: { account_sid }, actor }) => {
      const { service_provider_sid = null } = (await owners.account(account_sid)) ?? {}
      return ok(await listReviewers(db, actor, { account_sid, service_provider_sid }))
    },

    'GET /patchbay/accounts/:account_sid/reviews': (context) =>
      list({ account_sid: context.params.account_sid }, context),

    'GET /patchbay/service-providers/:service_provider_sid/reviews': (context) =>
      list({ service_provider_sid: context.params.service_provider_sid }, context),

    'GET /patchbay/accounts/:account_sid/reviews.csv': (context) =>
      exportCsv({ account_sid: context.params.account_sid }, context),

    'GET /patchbay/service-providers/:service_provider_sid/reviews.csv': (context) =>
      exportCsv({ service_provider_sid: context.params.service_provider_sid }, context),

    'GET /patchbay/accounts/:account_sid/reviews.jsonl': async (context) =>
      exportJsonl({ account_sid: context.params.account_sid }, context),

    'GET /patchbay/service-providers/:service_provider_sid/reviews.jsonl': async (context) =>
      exportJsonl({ service_provider_sid: context.params.service_provider_sid }, context),

    'GET /patchbay/ServiceProviders/:service_provider_sid/ReviewSettings': async ({
      params: { service_provider_sid },
    }) => ok(await readReviewSettings(db, service_provider_sid)),

    'PUT /patchbay/ServiceProviders/:service_provider_sid/ReviewSettings': ({ params, actor, body }) =>
      write(actor, (tx) => changeReviewSettings(tx, params.service_provider_sid, body)),
  }
}
