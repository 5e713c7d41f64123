import type { Contract } from '@patchbay/contract/contract'
import type { QueryInput } from '@patchbay/contract/endpoint'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import { queryCallOptions } from '../../api/queries.ts'

export type AlertQuery = QueryInput<Contract['GET /Accounts/:account_sid/Alerts']>
export type AlertOwner = { account_sid: string } | { service_provider_sid: string }

/** Reads alerts of an account, or of a service provider and all its accounts. */
export const readAlerts = (owner: AlertOwner, query: AlertQuery, how: CallOptions = {}) =>
  'account_sid' in owner
    ? api('GET /Accounts/:account_sid/Alerts', { params: owner, query }, how)
    : api('GET /ServiceProviders/:service_provider_sid/Alerts', { params: owner, query }, how)

export const alertsQuery = (owner: AlertOwner, query: AlertQuery) =>
  queryOptions({
    queryKey: ['alerts', owner, query],
    queryFn: (context) => readAlerts(owner, query, queryCallOptions(context)),
    placeholderData: keepPreviousData,
  })
