import type { QueryInput } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

export type QualityQuery = QueryInput<Contract['GET /patchbay/accounts/:account_sid/conversation-quality']>

/** Reads the statistics of the conversations of an account or a provider. */
export const conversationQualityQuery = (owner: OwnerSid, query: QualityQuery) =>
  queryOptions({
    queryKey: ['conversation-quality', owner, query],
    queryFn: (context) =>
      owner.account_sid === undefined
        ? api(
            'GET /patchbay/service-providers/:service_provider_sid/conversation-quality',
            { params: owner, query },
            queryCallOptions(context),
          )
        : api(
            'GET /patchbay/accounts/:account_sid/conversation-quality',
            { params: owner, query },
            queryCallOptions(context),
          ),
    placeholderData: keepPreviousData,
  })

/** The key of the limits of an account or a provider. */
export const limitsKey = (owner: OwnerSid) => ['conversation-limits', owner] as const

export const limitsQuery = (owner: OwnerSid) =>
  queryOptions({
    queryKey: limitsKey(owner),
    queryFn: (context) =>
      owner.account_sid === undefined
        ? api(
            'GET /patchbay/service-providers/:service_provider_sid/conversation-limits',
            { params: owner },
            queryCallOptions(context),
          )
        : api('GET /patchbay/accounts/:account_sid/conversation-limits', { params: owner }, queryCallOptions(context)),
  })
