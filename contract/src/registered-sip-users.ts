import { z } from 'zod'
import { endpoints, type OwnerRule } from './endpoint.ts'

/** SIP users who are registered with the platform (api/1-identity.md §8.12). */

/** User names without the realm. Anything that is no list asks for all, as an empty list does. */
const userNames = z.preprocess(
  (value) => (Array.isArray(value) ? value : []),
  z.array(z.string({ error: 'must be a text' }).max(255), { error: 'must be a list of user names' }),
)

/** What the registrar keeps of a user; members that newer ones add pass straight through. */
const registration = {
  name: z.string(),
  contact: z.string().nullable(),
  protocol: z.string().nullable(),
  /** epoch ms; 0: not registered */
  expiryTime: z.number(),
}

const status = z.enum(['active', 'inactive'])

/** `registered_status` and `sbcAddress` come for users who were asked for by name. */
const registeredUser = z.looseObject({ ...registration, registered_status: status.optional() })
export type RegisteredUser = z.infer<typeof registeredUser>

/** 0 or 1, as of the account's client of that name; 0 without one. */
const flag = z.literal([0, 1])

const registeredClient = z.object({
  ...registration,
  allow_direct_app_calling: flag,
  allow_direct_queue_calling: flag,
  allow_direct_user_calling: flag,
  registered_status: status,
  proxy: z.string().nullable(),
})
export type RegisteredClient = z.infer<typeof registeredClient>

const ofAccount: OwnerRule = { of: 'account', param: 'account_sid' }

export const registeredSipUserEndpoints = endpoints({
  'GET /patchbay/registered-clients': {
    summary: 'Which of the SIP clients that the caller may see are registered, by sid',
    access: { minScope: 'account', owner: 'narrowed' },
    responses: { 200: z.array(z.string()) },
  },
  'GET /Accounts/:account_sid/RegisteredSipUsers': {
    summary: 'The registered SIP users of an account, as name@realm',
    access: { minScope: 'account', owner: ofAccount },
    responses: { 200: z.array(z.string()) },
  },
  'POST /Accounts/:account_sid/RegisteredSipUsers': {
    summary: 'The registrations of SIP users by name, or of all who are registered',
    access: { minScope: 'account', owner: ofAccount },
    body: userNames,
    responses: { 200: z.array(registeredUser) },
  },
  'GET /Accounts/:account_sid/RegisteredSipUsers/:client': {
    summary: 'The registration of one SIP user and what its client may call',
    access: { minScope: 'account', owner: ofAccount },
    responses: { 200: registeredClient },
  },
})
