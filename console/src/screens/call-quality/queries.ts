import type { Contract } from '@patchbay/contract/contract'
import type { QueryInput } from '@patchbay/contract/endpoint'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/queries.ts'

export type QualityQuery = QueryInput<Contract['GET /patchbay/accounts/:account_sid/call-quality']>
export type QualityOwner = { account_sid: string } | { service_provider_sid: string }

export const qualityQuery = (owner: QualityOwner, query: QualityQuery) =>
  queryOptions({
    queryKey: ['call-quality', owner, query],
    queryFn: (context) =>
      'account_sid' in owner
        ? api('GET /patchbay/accounts/:account_sid/call-quality', { params: owner, query }, queryCallOptions(context))
        : api(
            'GET /patchbay/service-providers/:service_provider_sid/call-quality',
            { params: owner, query },
            queryCallOptions(context),
          ),
    placeholderData: keepPreviousData,
  })
