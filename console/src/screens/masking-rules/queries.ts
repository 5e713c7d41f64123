import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

export const maskingRulesQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['masking-rules', service_provider_sid],
    queryFn: (context) =>
      api(
        'GET /patchbay/ServiceProviders/:service_provider_sid/MaskingRules',
        { params: { service_provider_sid } },
        queryCallOptions(context),
      ),
    structuralSharing: false,
  })
