import type { QueryInput } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

export type QualityQuery = QueryInput<Contract['GET /patchbay/accounts/:account_sid/call-quality']>

export const qualityQuery = (owner: OwnerSid, query: QualityQuery) =>
  queryOptions({
    queryKey: ['call-quality', owner, query],
    queryFn: (context) =>
      owner.account_sid === undefined
        ? api(
            'GET /patchbay/service-providers/:service_provider_sid/call-quality',
            { params: owner, query },
            queryCallOptions(context),
          )
        : api('GET /patchbay/accounts/:account_sid/call-quality', { params: owner, query }, queryCallOptions(context)),
    placeholderData: keepPreviousData,
  })
