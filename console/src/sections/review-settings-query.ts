import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { queryCallOptions } from '../api/shared-queries.ts'

/** Reads criteria, labels, and rules of reviews: for their form, and for the form of a review. */
export const reviewSettingsQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['review-settings', service_provider_sid],
    queryFn: (context) =>
      api(
        'GET /patchbay/ServiceProviders/:service_provider_sid/ReviewSettings',
        { params: { service_provider_sid } },
        queryCallOptions(context),
      ),
    structuralSharing: false,
  })
