import type { Actor } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { conversationSearchEndpoints, conversationSearchQuery } from '@patchbay/contract/conversation-search'
import { maxFoundCalls } from '@patchbay/contract/conversations/transcript-query'
import { toPeriodBounds } from '@patchbay/contract/lists/page-query'
import type { z } from 'zod'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import { readTranscriptSettings } from '../../call-data/conversations/transcript-settings.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'
import { changeTranscriptAccess } from '../shared/change-transcript-access.ts'

type Query = z.output<typeof conversationSearchQuery>

interface SearchContext {
  query: Query
  actor: Actor
  signal: AbortSignal
}

export const conversationSearchRoutes = ({
  database,
  transcriptSearch,
  write,
}: Services): Handlers<keyof typeof conversationSearchEndpoints> => {
  const search = async (owner: CallOwner, { query, actor, signal }: SearchContext) => {
    const { q, page, count, speaker, application_sid } = query
    const filters = { ...(speaker && { speaker }), ...(application_sid && { application_sid }) }
    const { calls, hasMore } = await transcriptSearch.search(
      { owner, query: q, ...toPeriodBounds(query), ...filters, page: Number(page), pageSize: Number(count) },
      { owner: fairnessKey(actor), signal },
    )
    const isNextAllowed = (Number(page) + 1) * Number(count) <= maxFoundCalls
    return ok({ page, page_size: count, has_more: hasMore && isNextAllowed, data: calls })
  }

  /** @throws ApiError if the account does not allow the caller to search */
  const assertCanSearch = async (actor: Actor, account_sid: string): Promise<void> => {
    const { access } = await readTranscriptSettings(database.db, account_sid)
    if (access === 'off') throwApiError('transcript_search_disabled')
    if (access === 'editors' && actor.is_view_only) throwApiError('transcript_search_for_editors_only')
  }

  return {
    'GET /patchbay/Accounts/:account_sid/ConversationSearch': async (context) => {
      const { account_sid } = context.params
      await assertCanSearch(context.actor, account_sid)
      return search({ account_sid }, context)
    },

    'GET /patchbay/ServiceProviders/:service_provider_sid/ConversationSearch': async (context) => {
      const { service_provider_sid } = context.params
      // Accounts can allow view-only users to search, but only in their own transcripts.
      if (context.actor.is_view_only) throwApiError('transcript_search_for_editors_only')
      return search({ service_provider_sid }, context)
    },

    'GET /patchbay/Accounts/:account_sid/TranscriptSettings': async ({ params: { account_sid } }) => {
      const { access } = await readTranscriptSettings(database.db, account_sid)
      return ok({ access })
    },

    'PUT /patchbay/Accounts/:account_sid/TranscriptSettings': ({ actor, params: { account_sid }, body: { access } }) =>
      write(actor, (tx) => changeTranscriptAccess(tx, account_sid, access)),
  }
}
