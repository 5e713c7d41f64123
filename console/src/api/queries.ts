import type { QueryInput } from '@patchbay/contract/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import { keepPreviousData, type QueryFunctionContext, queryOptions } from '@tanstack/react-query'
import { call, type CallOptions } from './client.ts'

/** What screens read, each under one key. */

/** Where there is an answer already, nobody waits for the next one. */
export const reading = ({ client, queryKey, signal }: QueryFunctionContext): CallOptions => ({
  signal,
  unasked: client.getQueryData(queryKey) !== undefined,
})

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: (context) => call('GET /Users/me', {}, reading(context)),
  staleTime: 60_000,
})

export const providersQuery = queryOptions({
  queryKey: ['service-providers'],
  queryFn: (context) => call('GET /ServiceProviders', {}, reading(context)),
  staleTime: 60_000,
})

export const accountsQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['accounts', service_provider_sid],
    queryFn: (context) =>
      call(
        'GET /ServiceProviders/:service_provider_sid/Accounts',
        { params: { service_provider_sid } },
        reading(context),
      ),
  })

/** On the wire % and _ stand for any. */
export const asIs = (name: string): string => name.replaceAll(/[\\%_]/g, String.raw`\$&`)

export type AuditQuery = QueryInput<Contract['GET /patchbay/audit-trail']>

export const auditTrailQuery = (query: AuditQuery) =>
  queryOptions({
    queryKey: ['audit-trail', query],
    queryFn: (context) => call('GET /patchbay/audit-trail', { query }, reading(context)),
    placeholderData: keepPreviousData,
  })

/** The last change of a record. */
export const lastChangeQuery = (kind: string, sid: string) =>
  auditTrailQuery({ page: '1', count: '1', kind, sid, action: 'update' })
