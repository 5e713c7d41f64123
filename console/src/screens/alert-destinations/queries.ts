import type { AlertDestination } from '@patchbay/contract/alert-destinations'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { editDestination } from '../../routes/alert-destinations.ts'
import { recordLink } from '../../routes/record-link.ts'
import { requiredSession } from '../../session/session.ts'

/** Returns the destinations of the caller's account, or of a service provider and all its accounts. */
export const destinationsQuery = (service_provider_sid: string) => {
  const { account_sid } = requiredSession().actor
  return queryOptions({
    queryKey: ['alert-destinations', account_sid ?? service_provider_sid],
    queryFn: (context) =>
      account_sid === null
        ? api(
            'GET /patchbay/service-providers/:service_provider_sid/alert-destinations',
            { params: { service_provider_sid } },
            queryCallOptions(context),
          )
        : api(
            'GET /patchbay/accounts/:account_sid/alert-destinations',
            { params: { account_sid } },
            queryCallOptions(context),
          ),
  })
}

export const destinationQuery = (alert_destination_sid: string) =>
  queryOptions({
    queryKey: ['alert-destination', alert_destination_sid],
    queryFn: (context) =>
      api(
        'GET /patchbay/alert-destinations/:alert_destination_sid',
        { params: { alert_destination_sid } },
        queryCallOptions(context),
      ),
  })

export const deliveriesQuery = (alert_destination_sid: string, count: number) =>
  queryOptions({
    queryKey: ['alert-deliveries', alert_destination_sid, count],
    queryFn: (context) =>
      api(
        'GET /patchbay/alert-destinations/:alert_destination_sid/deliveries',
        { params: { alert_destination_sid }, query: { page: '1', count: String(count) } },
        queryCallOptions(context),
      ),
    placeholderData: keepPreviousData,
  })

export const signingSecretQuery = (alert_destination_sid: string) =>
  queryOptions({
    queryKey: ['alert-destination-secret', alert_destination_sid],
    queryFn: (context) =>
      api(
        'GET /patchbay/alert-destinations/:alert_destination_sid/webhook-secret',
        { params: { alert_destination_sid }, query: {} },
        queryCallOptions(context),
      ),
  })

export const destinationLink = recordLink(editDestination, ({ name }: AlertDestination) => name)
