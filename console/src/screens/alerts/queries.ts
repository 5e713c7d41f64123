import type { QueryInput } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import { liveRefresh } from '../../api/live-refresh.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

const refreshIntervalMs = 15_000

export type AlertQuery = QueryInput<Contract['GET /Accounts/:account_sid/Alerts']>

/** Reads alerts of an account, or of a service provider and all its accounts. */
export const readAlerts = (owner: OwnerSid, query: AlertQuery, how: CallOptions = {}) =>
  owner.account_sid === undefined
    ? api('GET /ServiceProviders/:service_provider_sid/Alerts', { params: owner, query }, how)
    : api('GET /Accounts/:account_sid/Alerts', { params: owner, query }, how)

export const alertsQuery = (owner: OwnerSid, query: AlertQuery) =>
  queryOptions({
    queryKey: ['alerts', owner, query],
    queryFn: (context) => readAlerts(owner, query, queryCallOptions(context)),
    placeholderData: keepPreviousData,
    ...liveRefresh(refreshIntervalMs),
  })
