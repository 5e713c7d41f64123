import type { QueryInput } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import type { FoundPage } from '@patchbay/contract/conversation-search'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

export type SearchQuery = QueryInput<Contract['GET /patchbay/Accounts/:account_sid/ConversationSearch']>

/** Searches in the transcripts of an account or a provider. */
export const conversationSearchQuery = (owner: OwnerSid, query: SearchQuery) =>
  queryOptions({
    queryKey: ['conversation-search', owner, query],
    queryFn: (context): Promise<FoundPage> =>
      owner.account_sid === undefined
        ? api(
            'GET /patchbay/ServiceProviders/:service_provider_sid/ConversationSearch',
            { params: owner, query },
            queryCallOptions(context),
          )
        : api(
            'GET /patchbay/Accounts/:account_sid/ConversationSearch',
            { params: owner, query },
            queryCallOptions(context),
          ),
    placeholderData: keepPreviousData,
  })
