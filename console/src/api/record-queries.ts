import type { LimitCategory } from '@patchbay/contract/limits/quantities'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'
import { pageIn } from './list-page.ts'
import { readApplications } from './read-applications.ts'
import { escapeLike, queryCallOptions } from './shared-queries.ts'

/** The queries of forms. They are a separate module, so that lists do not load them. */

/** Number of records that a search by name returns. */
export const choicePageSize = 25

/** A single account. */
export const accountQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['account', account_sid],
    queryFn: (context) => api('GET /Accounts/:account_sid', { params: { account_sid } }, queryCallOptions(context)),
    structuralSharing: false,
  })

const namesWith = (name: string) => ({ page: '1', page_size: String(choicePageSize), name: escapeLike(name) })

/** The first applications of an owner whose name contains the text, and their total number. */
export const applicationsQuery = (owner: OwnerSid, name: string) =>
  queryOptions({
    queryKey: ['applications', owner, name],
    queryFn: (context) => readApplications(owner, namesWith(name), queryCallOptions(context)),
    placeholderData: keepPreviousData,
  })

/** A single application. */
export const applicationQuery = (application_sid: string) =>
  queryOptions({
    queryKey: ['application', application_sid],
    queryFn: (context) =>
      api('GET /Applications/:application_sid', { params: { application_sid } }, queryCallOptions(context)),
  })

/** A single carrier. */
export const carrierQuery = (voip_carrier_sid: string) =>
  queryOptions({
    queryKey: ['carrier', voip_carrier_sid],
    queryFn: (context) =>
      api('GET /VoipCarriers/:voip_carrier_sid', { params: { voip_carrier_sid } }, queryCallOptions(context)),
  })

/**
 * The first carriers whose name contains the text, and their total number.
 * @param account_sid limits them to carriers that the account can use; empty for all of the provider
 */
export const carriersToChooseQuery = (service_provider_sid: string, account_sid: string, name: string) =>
  queryOptions({
    queryKey: ['carriers', service_provider_sid, account_sid, name],
    queryFn: async (context) =>
      pageIn(
        await api(
          'GET /ServiceProviders/:service_provider_sid/VoipCarriers',
          {
            params: { service_provider_sid },
            query: { ...namesWith(name), account_sid: account_sid === '' ? undefined : account_sid },
          },
          queryCallOptions(context),
        ),
      ),
    placeholderData: keepPreviousData,
  })

/** An account or a service provider. */
export type OwnerSid =
  | { account_sid: string; service_provider_sid?: never }
  | { service_provider_sid: string; account_sid?: never }

/** The limits of an account or service provider. */
export const limitsQuery = ({ account_sid, service_provider_sid }: OwnerSid) =>
  queryOptions({
    queryKey: ['limits', account_sid ?? service_provider_sid],
    queryFn: async (context): Promise<readonly { category: LimitCategory; quantity: number }[]> =>
      account_sid === undefined
        ? api(
            'GET /ServiceProviders/:service_provider_sid/Limits',
            { params: { service_provider_sid }, query: {} },
            queryCallOptions(context),
          )
        : api('GET /Accounts/:account_sid/Limits', { params: { account_sid }, query: {} }, queryCallOptions(context)),
    structuralSharing: false,
  })

/** The owner of API keys: an account, a service provider, or the platform itself. */
export type KeyOwner = OwnerSid | 'platform'

/** The beginning of the keys of all queries of API keys. */
export const apiKeysKey = ['api-keys'] as const

/** The API keys of an owner. */
export const apiKeysQuery = (owner: KeyOwner) =>
  queryOptions({
    queryKey: [...apiKeysKey, owner],
    queryFn: (context) => {
      if (owner === 'platform') return api('GET /patchbay/platform-api-keys', {}, queryCallOptions(context))
      const { account_sid, service_provider_sid } = owner
      return account_sid === undefined
        ? api(
            'GET /ServiceProviders/:service_provider_sid/ApiKeys',
            { params: { service_provider_sid } },
            queryCallOptions(context),
          )
        : api('GET /Accounts/:account_sid/ApiKeys', { params: { account_sid } }, queryCallOptions(context))
    },
  })

/** The number of prompts in the TTS cache, of an account or in total. */
export const ttsCacheQuery = (account_sid: string | undefined) =>
  queryOptions({
    queryKey: ['tts-cache', account_sid],
    queryFn: (context) =>
      account_sid === undefined
        ? api('GET /TtsCache', {}, queryCallOptions(context))
        : api('GET /Accounts/:account_sid/TtsCache', { params: { account_sid } }, queryCallOptions(context)),
  })
