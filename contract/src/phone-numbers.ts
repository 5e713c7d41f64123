import { z } from 'zod'
import { endpoints } from './endpoint.ts'
import { listOrPage, listPageQuery } from './list-pages.ts'

/** Phone numbers (api/2-telephony.md §7). */

export const phoneNumber = z.object({
  phone_number_sid: z.string(),
  number: z.string(),
  voip_carrier_sid: z.string().nullable(),
  account_sid: z.string().nullable(),
  application_sid: z.string().nullable(),
  service_provider_sid: z.string().nullable(),
})
export type PhoneNumber = z.infer<typeof phoneNumber>

/** Who asks for one that is none of what they may see gets an empty list. */
const ofWhom = z.string().max(64).optional()

export const phoneNumberEndpoints = endpoints({
  'GET /PhoneNumbers': {
    summary: 'The phone numbers the caller may see, or a page of them',
    access: { least: 'account', owner: 'narrowed' },
    query: z.object({
      ...listPageQuery,
      account_sid: ofWhom,
      /** of admins alone; others have their own */
      service_provider_sid: ofWhom,
      /** a part of the number; % and _ stand for any */
      filter: z.string().max(255).optional(),
    }),
    answers: { 200: listOrPage(phoneNumber) },
  },
  'GET /ServiceProviders/:service_provider_sid/PhoneNumbers': {
    summary: 'The phone numbers of a service provider',
    access: { least: 'account', owner: { of: 'service_provider', param: 'service_provider_sid', members: 'read' } },
    answers: { 200: z.array(phoneNumber) },
  },
  'GET /PhoneNumbers/:phone_number_sid': {
    summary: 'One phone number',
    access: { least: 'account', owner: { of: 'phone_number', param: 'phone_number_sid' }, refusal: 'not_found' },
    answers: { 200: phoneNumber },
  },
})
