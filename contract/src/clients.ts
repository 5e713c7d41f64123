import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { anySid, booleanInput, created, flag, name, text } from './api/values.ts'
import { clientLengths as lengths } from './clients/record.ts'

/**
 * SIP clients: credentials with which devices register
 * (docs/reference/platform-api/numbers-and-clients.md#sip-clients).
 */

export const client = z.object({
  client_sid: z.string(),
  account_sid: z.string(),
  is_active: flag,
  username: z.string().nullable(),
  /**
   * Masked except for the first character. A masked password in a request keeps the stored one. Null if the client has
   * no password.
   */
  password: z.string().nullable(),
  allow_direct_app_calling: flag,
  allow_direct_queue_calling: flag,
  allow_direct_user_calling: flag,
})
export type Client = z.infer<typeof client>

const settings = {
  /** Optional for users and keys of an account: it defaults to their own account. */
  account_sid: anySid.optional(),
  password: text(lengths.password).nullish(),
  is_active: booleanInput.optional(),
  allow_direct_app_calling: booleanInput.optional(),
  allow_direct_queue_calling: booleanInput.optional(),
  allow_direct_user_calling: booleanInput.optional(),
}

export const newClient = z.strictObject({ username: name(lengths.username), ...settings })
export type NewClient = z.output<typeof newClient>

export const clientChange = z.strictObject({ username: name(lengths.username).optional(), ...settings })
export type ClientChange = z.output<typeof clientChange>

const byOwner = { of: 'client' } as const

export const clientEndpoints = endpoints({
  'GET /Clients': {
    summary: 'List the SIP clients that the caller can access',
    access: { minScope: 'account', owner: 'narrowed' },
    responses: { 200: z.array(client) },
  },
  'POST /Clients': {
    summary: 'Create a SIP client; its user name is unique within the account',
    access: { minScope: 'account', owner: 'body' },
    body: newClient,
    responses: { 201: created },
  },
  'GET /Clients/:client_sid': {
    summary: 'Get a SIP client',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    lenientSids: true,
    responses: { 200: client },
  },
  'PUT /Clients/:client_sid': {
    summary: 'Update a SIP client; absent fields are unchanged, a null password clears it',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    lenientSids: true,
    updates: { record: 'GET /Clients/:client_sid' },
    body: clientChange,
    responses: { 204: null },
  },
  'DELETE /Clients/:client_sid': {
    summary: 'Delete a SIP client',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    lenientSids: true,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const clientDescriptions: Descriptions = {
  allow_direct_app_calling: 'Whether the device can call applications of the account.',
  allow_direct_queue_calling: 'Whether the device can take calls from queues.',
  allow_direct_user_calling: 'Whether the device can call other SIP clients of the account.',
}
