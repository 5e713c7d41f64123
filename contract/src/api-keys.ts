import { z } from 'zod'
import { endpoints, type OwnerRule } from './endpoint.ts'
import { earliestExpiry, lastKeyEnd } from './identity/api-key-expiry.ts'
import { instant, instantInput, sid } from './values.ts'

/** API keys (api/1-identity.md §9). The token comes back whole once, from the call that creates it. */

export const apiKey = z.object({
  api_key_sid: z.string(),
  /** masked: the last four characters */
  token: z.string(),
  account_sid: z.string().nullable(),
  service_provider_sid: z.string().nullable(),
  expires_at: instant.nullable(),
  last_used: instant.nullable(),
  created_at: instant.nullable(),
})

/** A token that is sent is replaced by a generated one. */
const ofNewKey = {
  token: z.string().nullish(),
  /** of a key that a key makes: no later than that one's, which is the default */
  expires_at: instantInput(earliestExpiry, lastKeyEnd).nullish(),
}
const newApiKey = z.strictObject({ account_sid: sid.nullish(), service_provider_sid: sid.nullish(), ...ofNewKey })
/** Of the owner that the path names. */
const newOwnedKey = z.strictObject(ofNewKey)

const made = z.object({ sid: z.string(), token: z.string() })
const ofAccount: OwnerRule = { of: 'account', param: 'account_sid' }
const ofProvider: OwnerRule = { of: 'service_provider', param: 'service_provider_sid' }

export type ApiKey = z.infer<typeof apiKey>

export const apiKeyEndpoints = endpoints({
  'POST /ApiKeys': {
    summary: 'Create an API key of an account, a service provider, or (without either) of the platform',
    access: { minScope: 'account', owner: 'body' },
    body: newApiKey,
    responses: { 201: made },
  },
  'DELETE /ApiKeys/:api_key_sid': {
    summary: 'Delete an API key',
    access: { minScope: 'account', owner: 'body' },
    looseSids: true,
    responses: { 204: null },
  },
  'GET /Accounts/:account_sid/ApiKeys': {
    summary: 'The API keys of an account',
    access: { minScope: 'account', owner: ofAccount },
    responses: { 200: z.array(apiKey) },
  },
  'POST /Accounts/:account_sid/ApiKeys': {
    summary: 'Create an API key of an account',
    access: { minScope: 'account', owner: ofAccount },
    body: newOwnedKey,
    responses: { 201: made },
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
    responses: { 201: made },
  },
  'DELETE /ServiceProviders/:service_provider_sid/ApiKeys/:api_key_sid': {
    summary: 'Delete an API key of a service provider',
    access: { minScope: 'service_provider', owner: ofProvider },
    responses: { 204: null },
  },
  'GET /ServiceProviders/:service_provider_sid/ApiKeys': {
    summary: 'The API keys of a service provider',
    access: { minScope: 'account', owner: { ...ofProvider, members: 'read' } },
    responses: { 200: z.array(apiKey) },
  },
  'GET /patchbay/platform-api-keys': {
    summary: 'The API keys of the platform itself, which act as admins',
    access: { minScope: 'admin', owner: 'none' },
    responses: { 200: z.array(apiKey) },
  },
})
