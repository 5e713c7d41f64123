import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { created } from './api/values.ts'
import { isQuantity, type LimitCategory, limitCategories } from './limits/quantities.ts'
import { accountLimitTable, providerLimitTable } from './limits/record.ts'

/**
 * Limits of an account or service provider (docs/reference/platform-api/tenants.md#limits). A limit of 0, like a
 * missing row, means unlimited.
 */

const category = z.enum(limitCategories, { error: `must be one of ${limitCategories.join(', ')}` })

/** A whole number of at least 0. Numeric strings are accepted for API compatibility. */
const quantity = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], { error: 'must be a whole number of at least 0' })
  .refine(isQuantity, { error: 'must be a whole number of at least 0' })

const limitBody = z.object({ category, quantity })

/** The limits of an owner by category. Absent ones are unchanged, and null removes a limit. */
const limitsChange = z.strictObject(
  // The cast is safe: the object has a member for each category.
  Object.fromEntries(limitCategories.map((each) => [each, quantity.nullish()])) as Record<
    LimitCategory,
    z.ZodOptional<z.ZodNullable<typeof quantity>>
  >,
)
export type LimitsChange = z.output<typeof limitsChange>
const limitQuery = z.object({ category: category.optional() })

const accountLimit = z.object({
  account_limits_sid: z.string(),
  account_sid: z.string(),
  category: z.enum(limitCategories),
  quantity: z.number(),
})

const providerLimit = z.object({
  service_provider_limits_sid: z.string(),
  service_provider_sid: z.string(),
  category: z.enum(limitCategories),
  quantity: z.number(),
})

const ofAccount = { of: 'account' } as const
export const limitEndpoints = endpoints({
  'GET /Accounts/:account_sid/Limits': {
    summary: 'List the limits of an account',
    access: accountAccess,
    query: limitQuery,
    responses: { 200: z.array(accountLimit) },
  },
  'POST /Accounts/:account_sid/Limits': {
    summary: 'Set a limit of an account',
    access: { minScope: 'service_provider', owner: ofAccount, errorCode: 'insufficient_privileges' },
    body: limitBody,
    responses: { 201: created },
  },
  'DELETE /Accounts/:account_sid/Limits': {
    summary: 'Remove one limit of an account, or all of them',
    access: { minScope: 'service_provider', owner: ofAccount, errorCode: 'insufficient_privileges' },
    query: limitQuery,
    responses: { 204: null },
  },
  'PUT /patchbay/Accounts/:account_sid/Limits': {
    summary: 'Update limits of an account; absent limits are unchanged, null removes a limit',
    access: { minScope: 'service_provider', owner: ofAccount, errorCode: 'insufficient_privileges' },
    updates: {
      record: 'GET /Accounts/:account_sid/Limits',
      stored: { table: accountLimitTable.table, key: 'account_sid' },
    },
    body: limitsChange,
    responses: { 204: null },
  },
  'GET /ServiceProviders/:service_provider_sid/Limits': {
    summary: 'List the limits of a service provider',
    access: providerAccess,
    query: limitQuery,
    responses: { 200: z.array(providerLimit) },
  },
  'POST /ServiceProviders/:service_provider_sid/Limits': {
    summary: 'Set a limit of a service provider',
    access: providerAccess,
    body: limitBody,
    responses: { 201: created },
  },
  'DELETE /ServiceProviders/:service_provider_sid/Limits': {
    summary: 'Remove one limit of a service provider, or all of them',
    access: providerAccess,
    query: limitQuery,
    responses: { 204: null },
  },
  'PUT /patchbay/ServiceProviders/:service_provider_sid/Limits': {
    summary: 'Update limits of a service provider; absent limits are unchanged, null removes a limit',
    access: providerAccess,
    updates: {
      record: 'GET /ServiceProviders/:service_provider_sid/Limits',
      stored: { table: providerLimitTable.table, key: 'service_provider_sid' },
    },
    body: limitsChange,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const limitDescriptions: Descriptions = {
  account_limits_sid: 'SID of the limit.',
  api_rate: 'Limit of API requests.',
  category: 'Kind of the limit, such as voice_call_session.',
  device: 'Limit of registered devices.',
  service_provider_limits_sid: 'SID of the limit.',
  voice_call_minutes: 'Limit of call minutes.',
  voice_call_minutes_license: 'Limit of licensed call minutes.',
  voice_call_session: 'Limit of concurrent calls.',
  voice_call_session_license: 'Limit of licensed concurrent calls.',
}
