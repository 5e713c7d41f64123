import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { reading } from '../../api/queries.ts'

/** What these screens alone read. */

export const systemInformationQuery = queryOptions({
  queryKey: ['system-information'],
  queryFn: (context) => call('GET /SystemInformation', {}, reading(context)),
})

export const passwordSettingsQuery = queryOptions({
  queryKey: ['password-settings'],
  queryFn: (context) => call('GET /PasswordSettings', {}, reading(context)),
})

export const providerContentsQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['provider-contents', service_provider_sid],
    queryFn: (context) =>
      call(
        'GET /patchbay/service-providers/:service_provider_sid/contents',
        { params: { service_provider_sid } },
        reading(context),
      ),
    // What stands in the way is counted when it is asked for.
    staleTime: 0,
    gcTime: 0,
  })
