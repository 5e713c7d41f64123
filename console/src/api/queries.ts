import type { QueryInput } from '@patchbay/contract/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import type { LimitCategory } from '@patchbay/contract/rules/limits'
import { keepPreviousData, type QueryFunctionContext, queryOptions } from '@tanstack/react-query'
import { call, type CallOptions } from './client.ts'
import { pageIn } from './list-page.ts'

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

export const accountQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['account', account_sid],
    queryFn: (context) => call('GET /Accounts/:account_sid', { params: { account_sid } }, reading(context)),
  })

/** So many records are read at once to choose from, by name. */
const toChooseAtOnce = 25

const namesWith = (name: string) => ({ page: '1', page_size: String(toChooseAtOnce), name: asIs(name) })

/** The first of an account's applications whose name has this in it, and how many such there are. */
export const applicationsQuery = (account_sid: string, name: string) =>
  queryOptions({
    queryKey: ['applications', account_sid, name],
    queryFn: async (context) =>
      pageIn(
        await call(
          'GET /Accounts/:account_sid/Applications',
          { params: { account_sid }, query: namesWith(name) },
          reading(context),
        ),
      ),
    placeholderData: keepPreviousData,
  })

/** On the wire % and _ stand for any. */
export const asIs = (name: string): string => name.replaceAll(/[\\%_]/g, String.raw`\$&`)

export const applicationQuery = (application_sid: string) =>
  queryOptions({
    queryKey: ['application', application_sid],
    queryFn: (context) => call('GET /Applications/:application_sid', { params: { application_sid } }, reading(context)),
  })

export const carrierQuery = (voip_carrier_sid: string) =>
  queryOptions({
    queryKey: ['carrier', voip_carrier_sid],
    queryFn: (context) =>
      call('GET /VoipCarriers/:voip_carrier_sid', { params: { voip_carrier_sid } }, reading(context)),
  })

/** The first carriers whose name has this in it, and how many such there are: those an account may use, or all. */
export const carriersToChooseQuery = (service_provider_sid: string, account_sid: string, name: string) =>
  queryOptions({
    queryKey: ['carriers', service_provider_sid, account_sid, name],
    queryFn: async (context) =>
      pageIn(
        await call(
          'GET /ServiceProviders/:service_provider_sid/VoipCarriers',
          {
            params: { service_provider_sid },
            query: { ...namesWith(name), account_sid: account_sid === '' ? undefined : account_sid },
          },
          reading(context),
        ),
      ),
    placeholderData: keepPreviousData,
  })

/** An account's, or a service provider's. */
export type OwnerSid =
  | { account_sid: string; service_provider_sid?: never }
  | { service_provider_sid: string; account_sid?: never }

export const limitsQuery = ({ account_sid, service_provider_sid }: OwnerSid) =>
  queryOptions({
    queryKey: ['limits', account_sid ?? service_provider_sid],
    queryFn: async (context): Promise<readonly { category: LimitCategory; quantity: number }[]> =>
      account_sid === undefined
        ? call(
            'GET /ServiceProviders/:service_provider_sid/Limits',
            { params: { service_provider_sid }, query: {} },
            reading(context),
          )
        : call('GET /Accounts/:account_sid/Limits', { params: { account_sid }, query: {} }, reading(context)),
  })

/** Whose API keys are meant: an account's, a service provider's, or those of the platform itself. */
export type KeyOwner = OwnerSid | 'platform'

export const apiKeysQuery = (owner: KeyOwner) =>
  queryOptions({
    queryKey: ['api-keys', owner],
    queryFn: (context) => {
      if (owner === 'platform') return call('GET /patchbay/platform-api-keys', {}, reading(context))
      const { account_sid, service_provider_sid } = owner
      return account_sid === undefined
        ? call(
            'GET /ServiceProviders/:service_provider_sid/ApiKeys',
            { params: { service_provider_sid } },
            reading(context),
          )
        : call('GET /Accounts/:account_sid/ApiKeys', { params: { account_sid } }, reading(context))
    },
  })

/** Of an account, or the whole of it. */
export const ttsCacheQuery = (account_sid: string | undefined) =>
  queryOptions({
    queryKey: ['tts-cache', account_sid],
    queryFn: (context) =>
      account_sid === undefined
        ? call('GET /TtsCache', {}, reading(context))
        : call('GET /Accounts/:account_sid/TtsCache', { params: { account_sid } }, reading(context)),
  })

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

export type CallQuery = QueryInput<Contract['GET /Accounts/:account_sid/RecentCalls']>

export const recentCallsQuery = (account_sid: string, query: CallQuery) =>
  queryOptions({
    queryKey: ['recent-calls', account_sid, query],
    queryFn: (context) =>
      call('GET /Accounts/:account_sid/RecentCalls', { params: { account_sid }, query }, reading(context)),
    placeholderData: keepPreviousData,
  })
