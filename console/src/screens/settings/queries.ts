import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { providersQuery, queryCallOptions } from '../../api/shared-queries.ts'

export const systemInformationQuery = queryOptions({
  queryKey: ['system-information'],
  queryFn: (context) => api('GET /SystemInformation', {}, queryCallOptions(context)),
  structuralSharing: false,
})

/** A single service provider, with its version. */
export const providerQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: [...providersQuery.queryKey, service_provider_sid],
    queryFn: (context) =>
      api(
        'GET /ServiceProviders/:service_provider_sid',
        { params: { service_provider_sid } },
        queryCallOptions(context),
      ),
    structuralSharing: false,
  })

/** Returns whether the server lists the API keys of the platform itself. */
export const hasPlatformKeys = (): boolean => config().extensions.has('platform-api-keys')

export const passwordSettingsQuery = queryOptions({
  queryKey: ['password-settings'],
  queryFn: (context) => api('GET /PasswordSettings', {}, queryCallOptions(context)),
  structuralSharing: false,
})

export const providerContentsQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['provider-contents', service_provider_sid],
    queryFn: (context) =>
      api(
        'GET /patchbay/service-providers/:service_provider_sid/contents',
        { params: { service_provider_sid } },
        queryCallOptions(context),
      ),
    // The counts are not cached, so that the dialog shows current data.
    staleTime: 0,
    gcTime: 0,
  })
