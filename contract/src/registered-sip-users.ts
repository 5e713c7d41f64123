import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'

/** SIP users with an active registration (docs/reference/platform-api/tenants.md#registered-sip-users). */

/** User names without the realm. An empty list, or a body that is not a list, selects all users. */
const userNames = z.preprocess(
  (value) => (Array.isArray(value) ? value : []),
  z.array(z.string({ error: 'must be a text' }).max(255), { error: 'must be a list of user names' }),
)

/** Registration data of a user as stored by the registrar. */
const registration = {
  name: z.string(),
  contact: z.string().nullable(),
  protocol: z.string().nullable(),
  /** Milliseconds since the Unix epoch. 0 if the user is not registered. */
  expiryTime: z.number(),
}

const status = z.enum(['active', 'inactive'])

/**
 * Loose: members that newer platform versions add are passed through. `registered_status` and `sbcAddress` are set only
 * if the request lists user names.
 */
const registeredUser = z.looseObject({ ...registration, registered_status: status.optional() })
export type RegisteredUser = z.infer<typeof registeredUser>

/** Copied from the account's SIP client with the same user name. 0 if there is no such client. */
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

const ofAccount = { of: 'account' } as const

export const registeredSipUserEndpoints = endpoints({
  'GET /patchbay/registered-clients': {
    summary: 'List the registered SIP clients that the caller can access, by sid',
    access: { minScope: 'account', owner: 'narrowed' },
    responses: { 200: z.array(z.string()) },
  },
  'GET /Accounts/:account_sid/RegisteredSipUsers': {
    summary: 'List the registered SIP users of an account as name@realm',
    access: { minScope: 'account', owner: ofAccount },
    responses: { 200: z.array(z.string()) },
  },
  'POST /Accounts/:account_sid/RegisteredSipUsers': {
    summary: 'List the registrations of SIP users by name, or of all registered users',
    access: { minScope: 'account', owner: ofAccount },
    body: userNames,
    responses: { 200: z.array(registeredUser) },
  },
  'GET /Accounts/:account_sid/RegisteredSipUsers/:client': {
    summary: 'Get the registration of a SIP user and the permissions of its client',
    access: { minScope: 'account', owner: ofAccount },
    responses: { 200: registeredClient },
  },
})

/** Descriptions of fields for the API documentation. */
export const registeredSipUserDescriptions: Descriptions = {
  client: 'Name of the SIP client.',
  contact: 'Contact address of the registration.',
  expiryTime: 'Time at which the registration expires, in milliseconds since 1970.',
  proxy: 'Address of the SBC that received the registration.',
  registered_status: 'active or inactive.',
}
