import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** Reads the settings of the language model. */
export const reviewModelQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['review-model', service_provider_sid],
    queryFn: (context) =>
      api(
        'GET /patchbay/ServiceProviders/:service_provider_sid/ReviewModel',
        { params: { service_provider_sid } },
        queryCallOptions(context),
      ),
    structuralSharing: false,
  })
