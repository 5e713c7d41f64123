import type { QueryInput } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import { keepPreviousData, type QueryFunctionContext, queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from './client.ts'

/** The queries that several screens share. */

/**
 * Returns call options for a query. A query that has data already is refreshed in the background, unless the user waits
 * for it (`fetchLatest`).
 */
export const queryCallOptions = ({ client, queryKey, signal, meta }: QueryFunctionContext): CallOptions => ({
  signal,
  unasked: client.getQueryData(queryKey) !== undefined && meta?.['awaited'] !== true,
})

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: (context) => api('GET /Users/me', {}, queryCallOptions(context)),
  staleTime: 60_000,
})

export const providersQuery = queryOptions({
  queryKey: ['service-providers'],
  queryFn: (context) => api('GET /ServiceProviders', {}, queryCallOptions(context)),
  staleTime: 60_000,
})

/** The accounts of a service provider. */
export const accountsQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['accounts', service_provider_sid],
    queryFn: (context) =>
      api(
        'GET /ServiceProviders/:service_provider_sid/Accounts',
        { params: { service_provider_sid } },
        queryCallOptions(context),
      ),
  })

/** Escapes a name for a filter of the API, which treats % and _ as wildcards. */
export const escapeLike = (name: string): string => name.replaceAll(/[\\%_]/g, String.raw`\$&`)

export type AuditQuery = QueryInput<Contract['GET /patchbay/audit-trail']>

/** A page of the audit trail. Keeps the previous page while the next one loads. */
export const auditTrailQuery = (query: AuditQuery) =>
  queryOptions({
    queryKey: ['audit-trail', query],
    queryFn: (context) => api('GET /patchbay/audit-trail', { query }, queryCallOptions(context)),
    placeholderData: keepPreviousData,
  })

/** The last update of a record, from the audit trail. */
export const lastChangeQuery = (kind: string, sid: string) =>
  auditTrailQuery({ page: '1', count: '1', kind, sid, action: 'update' })
