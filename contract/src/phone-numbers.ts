import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { listOrPage, listPageQuery } from './api/list-pages.ts'
import { anySid, created, name } from './api/values.ts'
import { phoneNumberLengths as lengths } from './phone-numbers/record.ts'

/** Phone numbers (docs/reference/platform-api/numbers-and-clients.md#phone-numbers). */

export const phoneNumber = z.object({
  phone_number_sid: z.string(),
  /** Digits without a leading +, or a pattern in the platform's syntax. */
  number: z.string(),
  voip_carrier_sid: z.string().nullable(),
  account_sid: z.string().nullable(),
  application_sid: z.string().nullable(),
  /** The service provider that uses the number for tests. */
  service_provider_sid: z.string().nullable(),
})
export type PhoneNumber = z.infer<typeof phoneNumber>

/** Filters by owner or carrier. If the caller is not allowed to see the record, the list is empty. */
const filterSid = anySid.optional()

/**
 * Removes one leading +. Other characters are not validated because a number can also be a pattern
 * (docs/reference/platform-api/runtime-routing.md#number-patterns).
 */
const numberIn = z
  .custom<string>((value) => typeof value === 'string' && value !== '', { error: 'number is required', abort: true })
  .refine((value) => !/\s/.test(value), { error: 'number cannot contain whitespace', abort: true })
  .meta({ type: 'string' })
  .transform((value) => value.replace(/^\+/, ''))
  .pipe(name(lengths.number))

const routing = {
  account_sid: anySid.nullish(),
  application_sid: anySid.nullish(),
  /** For admins only, because the platform discloses a provider's test numbers to every caller. */
  service_provider_sid: anySid.nullish(),
}

export const newPhoneNumber = z.strictObject({ number: numberIn, voip_carrier_sid: anySid.nullish(), ...routing })
export type NewPhoneNumber = z.output<typeof newPhoneNumber>

export const phoneNumberChange = z.strictObject(routing)
export type PhoneNumberChange = z.output<typeof phoneNumberChange>

const byOwner = { of: 'phone_number' } as const

export const phoneNumberEndpoints = endpoints({
  'GET /PhoneNumbers': {
    summary: 'List the phone numbers that the caller can access, or a page of them',
    access: { minScope: 'account', owner: 'narrowed' },
    query: z.object({
      ...listPageQuery,
      account_sid: filterSid,
      /** For admins only. Other callers always use their own service provider. */
      service_provider_sid: filterSid,
      voip_carrier_sid: filterSid,
      /** Part of the number; `%` and `_` are wildcards. */
      filter: z.string().max(255).optional(),
    }),
    responses: { 200: listOrPage(phoneNumber) },
  },
  'GET /ServiceProviders/:service_provider_sid/PhoneNumbers': {
    summary: 'List the phone numbers of a service provider',
    access: { minScope: 'account', owner: { of: 'service_provider', members: 'read' } },
    responses: { 200: z.array(phoneNumber) },
  },
  'POST /PhoneNumbers': {
    summary: 'Create a phone number; it is unique within its carrier',
    access: { minScope: 'account', owner: 'body' },
    body: newPhoneNumber,
    responses: { 201: created },
  },
  'GET /PhoneNumbers/:phone_number_sid': {
    summary: 'Get a phone number',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    responses: { 200: phoneNumber },
  },
  'PUT /PhoneNumbers/:phone_number_sid': {
    summary: "Update the account and the application of a phone number; number and carrier can't be changed",
    access: { minScope: 'account', owner: byOwner, errorCode: 'insufficient_privileges' },
    lenientSids: true,
    updates: { record: 'GET /PhoneNumbers/:phone_number_sid' },
    body: phoneNumberChange,
    responses: { 204: null },
  },
  'DELETE /PhoneNumbers/:phone_number_sid': {
    summary: 'Delete a phone number',
    access: { minScope: 'account', owner: byOwner, errorCode: 'insufficient_privileges' },
    lenientSids: true,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const phoneNumberDescriptions: Descriptions = {
  number: 'Phone number with country code, or a pattern.',
}
