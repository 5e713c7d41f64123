import { z } from 'zod'
import { endpoints } from './api/endpoint.ts'
import { instant, instantInput, name, sid } from './api/values.ts'
import { earliestExpiry, lastKeyEnd } from './api-keys/expiry.ts'
import { apiKeyLengths } from './api-keys/record.ts'
import { pageQuery } from './lists/page-query.ts'
import { keyAttention } from './shared/attention-kinds.ts'

/**
 * API keys (docs/reference/platform-api/tenants.md#api-keys). The full token is returned only once, in the response to
 * its creation.
 */

export const apiKey = z.object({
  api_key_sid: z.string(),
  /** Name of the program that uses the key. The server of jambonz has no such member. */
  name: z.string().nullish(),
  /** Masked except for the last four characters. */
  token: z.string(),
  account_sid: z.string().nullable(),
  service_provider_sid: z.string().nullable(),
  expires_at: instant.nullable(),
  last_used: instant.nullable(),
  created_at: instant.nullable(),
})

/** A token in the request is ignored: the server generates one. */
const ofNewKey = {
  token: z.string().nullish(),
  name: name(apiKeyLengths.name).nullish(),
  /** A key that creates another key cannot set a later expiry than its own, which is also the default. */
  expires_at: instantInput(earliestExpiry, lastKeyEnd).nullish(),
}
const newApiKey = z.strictObject({ account_sid: sid.nullish(), service_provider_sid: sid.nullish(), ...ofNewKey })
/** The path names the owner. */
const newOwnedKey = z.strictObject(ofNewKey)

/** An API key with its owner, for lists of the keys of several owners. */
export const ownedApiKey = apiKey.extend({ account_name: z.string().nullable() })
export type OwnedApiKey = z.infer<typeof ownedApiKey>

const createdApiKey = z.object({ sid: z.string(), token: z.string() })
const ofAccount = { of: 'account' } as const
const ofProvider = { of: 'service_provider' } as const

export type ApiKey = z.infer<typeof apiKey>

export const apiKeyEndpoints = endpoints({
  'POST /ApiKeys': {
    summary: 'Create an API key of an account, a service provider, or (without either) the platform',
    access: { minScope: 'account', owner: 'body' },
    body: newApiKey,
    responses: { 201: createdApiKey },
  },
  'DELETE /ApiKeys/:api_key_sid': {
    summary: 'Delete an API key',
    access: { minScope: 'account', owner: 'body' },
    lenientSids: true,
    responses: { 204: null },
  },
  'GET /Accounts/:account_sid/ApiKeys': {
    summary: 'List the API keys of an account',
    access: { minScope: 'account', owner: ofAccount },
    responses: { 200: z.array(apiKey) },
  },
  'POST /Accounts/:account_sid/ApiKeys': {
    summary: 'Create an API key of an account',
    access: { minScope: 'account', owner: ofAccount },
    body: newOwnedKey,
    responses: { 201: createdApiKey },
  },
  'DELETE /Accounts/:account_sid/ApiKeys/:api_key_sid': {
    summary: 'Delete an API key of an account',
    access: { minScope: 'account', owner: ofAccount },
    responses: { 204: null },
  },
  'POST /ServiceProviders/:service_provider_sid/ApiKeys': {
    summary: 'Create an API key of a service provider',
    access: { minScope: 'service_provider', owner: ofProvider },
    body: newOwnedKey,
    responses: { 201: createdApiKey },
  },
  'DELETE /ServiceProviders/:service_provider_sid/ApiKeys/:api_key_sid': {
    summary: 'Delete an API key of a service provider',
    access: { minScope: 'service_provider', owner: ofProvider },
    responses: { 204: null },
  },
  'GET /ServiceProviders/:service_provider_sid/ApiKeys': {
    summary: 'List the API keys of a service provider',
    access: { minScope: 'account', owner: { ...ofProvider, members: 'read' } },
    responses: { 200: z.array(apiKey) },
  },
  'GET /patchbay/service-providers/:service_provider_sid/api-keys': {
    summary: 'List a page of the API keys of a service provider and its accounts, newest first',
    access: { minScope: 'account', owner: { ...ofProvider, members: 'read' } },
    query: z.object({
      page: pageQuery.page,
      count: pageQuery.count,
      filter: z.string().max(255).optional(),
      /** Only keys with this problem. */
      attention: z.enum(keyAttention).optional(),
    }),
    responses: {
      200: z.object({ total: z.number(), page: z.string(), page_size: z.string(), data: z.array(ownedApiKey) }),
    },
  },
  'PUT /patchbay/api-keys/:api_key_sid': {
    summary: 'Rename an API key',
    access: { minScope: 'account', owner: { of: 'api_key' }, errorCode: 'not_found' },
    lenientSids: true,
    body: z.strictObject({ name: name(apiKeyLengths.name).nullable() }),
    responses: { 204: null },
  },
  'GET /patchbay/platform-api-keys': {
    summary: 'List the API keys of the platform, which have admin access',
    access: { minScope: 'admin', owner: 'none' },
    responses: { 200: z.array(apiKey) },
  },
})
