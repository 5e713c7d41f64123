import type { LimitCategory } from '@patchbay/contract/rules/limits'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import { pageIn } from './list-page.ts'
import { asIs, reading } from './queries.ts'

/** What forms read, apart from what lists do. */

/** So many records are read at once to choose from, by name. */
const choicePageSize = 25

export const accountQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['account', account_sid],
    queryFn: (context) => call('GET /Accounts/:account_sid', { params: { account_sid } }, reading(context)),
  })

const namesWith = (name: string) => ({ page: '1', page_size: String(choicePageSize), name: asIs(name) })

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
