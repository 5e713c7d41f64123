import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { listOrPage, listPageQuery } from './api/list-pages.ts'
import { anySid, booleanInput, created, flag, instant, integerInput, name, text } from './api/values.ts'
import { carrierAttention } from './shared/attention-kinds.ts'
import { dtmfTypes, trunkTypes } from './shared/gateways.ts'
import { voipCarrierLengths as lengths } from './voip-carriers/record.ts'

/** Carriers (docs/reference/platform-api/carriers.md#carrier-object). */

/** Outcome of the last REGISTER, written by the platform's registration process. */
export const registerStatus = z.object({
  status: z.string().nullable().optional(),
  reason: z.string().nullable().optional(),
  cseq: z.string().nullable().optional(),
  callId: z.string().nullable().optional(),
  /** Time of the report: ISO 8601, or milliseconds since the Unix epoch. */
  timestamp: z.union([z.string(), z.number()]).nullable().optional(),
  /** Seconds. */
  expires: z.union([z.string(), z.number()]).nullable().optional(),
})
export type RegisterStatus = z.infer<typeof registerStatus>

/** Settings that a carrier can take from a template (`predefined-carriers.ts`). */
export const templateFields = {
  e164_leading_plus: flag,
  requires_register: flag,
  register_username: z.string().nullable(),
  register_sip_realm: z.string().nullable(),
  /** Passwords are masked. A masked password in a request keeps the stored one. */
  register_password: z.string().nullable(),
  tech_prefix: z.string().nullable(),
  inbound_auth_username: z.string().nullable(),
  inbound_auth_password: z.string().nullable(),
  diversion: z.string().nullable(),
  trunk_type: z.enum(trunkTypes),
}

export const voipCarrier = z.object({
  voip_carrier_sid: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  account_sid: z.string().nullable(),
  service_provider_sid: z.string().nullable(),
  application_sid: z.string().nullable(),
  ...templateFields,
  is_active: flag,
  created_at: instant,
  smpp_system_id: z.string().nullable(),
  smpp_password: z.string().nullable(),
  smpp_enquire_link_interval: z.number().nullable(),
  smpp_inbound_system_id: z.string().nullable(),
  smpp_inbound_password: z.string().nullable(),
  register_from_user: z.string().nullable(),
  register_from_domain: z.string().nullable(),
  register_public_ip_in_contact: flag,
  /** Empty until the registration process has reported a status. */
  register_status: registerStatus,
  dtmf_type: z.enum(dtmfTypes),
  outbound_sip_proxy: z.string().nullable(),
})
export type VoipCarrier = z.infer<typeof voipCarrier>

const settings = {
  description: text(lengths.description).nullish(),
  account_sid: anySid.nullish(),
  service_provider_sid: anySid.nullish(),
  application_sid: anySid.nullish(),
  e164_leading_plus: booleanInput.optional(),
  requires_register: booleanInput.optional(),
  register_username: text(lengths.register_username).nullish(),
  register_sip_realm: text(lengths.register_sip_realm).nullish(),
  register_password: text(lengths.register_password).nullish(),
  tech_prefix: text(lengths.tech_prefix).nullish(),
  inbound_auth_username: text(lengths.inbound_auth_username).nullish(),
  inbound_auth_password: text(lengths.inbound_auth_password).nullish(),
  diversion: text(lengths.diversion).nullish(),
  is_active: booleanInput.optional(),
  smpp_system_id: text(lengths.smpp_system_id).nullish(),
  smpp_password: text(lengths.smpp_password).nullish(),
  smpp_enquire_link_interval: integerInput(0, 86_400).nullish(),
  smpp_inbound_system_id: text(lengths.smpp_inbound_system_id).nullish(),
  smpp_inbound_password: text(lengths.smpp_inbound_password).nullish(),
  register_from_user: text(lengths.register_from_user).nullish(),
  register_from_domain: text(lengths.register_from_domain).nullish(),
  register_public_ip_in_contact: booleanInput.optional(),
  dtmf_type: z.enum(dtmfTypes, { error: `must be one of ${dtmfTypes.join(', ')}` }).optional(),
  outbound_sip_proxy: text(lengths.outbound_sip_proxy).nullish(),
  trunk_type: z.enum(trunkTypes, { error: `must be one of ${trunkTypes.join(', ')}` }).optional(),
}

export const newVoipCarrier = z.strictObject({
  name: name(lengths.name),
  ...settings,
  /** Ignored. Clients copy carriers together with the values that the platform maintains. */
  register_status: z.unknown().optional(),
  created_at: z.unknown().optional(),
})
export type NewVoipCarrier = z.output<typeof newVoipCarrier>

export const voipCarrierChange = z.strictObject({ name: name(lengths.name).optional(), ...settings })
export type VoipCarrierChange = z.output<typeof voipCarrierChange>

const ofProvider = { of: 'service_provider' } as const
const ofAccount = { of: 'account' } as const
const byOwner = { of: 'voip_carrier' } as const

/** The registration process reports the status at any time. */
const updates = { record: 'GET /VoipCarriers/:voip_carrier_sid', ignored: ['register_status'] } as const

const listQuery = z.object({
  ...listPageQuery,
  /** Carriers that this account can use: its own, and those of its service provider that belong to no account. */
  account_sid: z.string().max(64).optional(),
  /** Part of the name; `%` and `_` are wildcards. */
  name: z.string().max(255).optional(),
})

const providerListQuery = listQuery.extend({
  /** Only carriers with this problem, a Patchbay extension. */
  attention: z.enum(carrierAttention).optional(),
  /** Only carriers that belong to the account of `account_sid`, a Patchbay extension. */
  owned: z.literal('true').optional(),
})

export const voipCarrierEndpoints = endpoints({
  'GET /VoipCarriers': {
    summary: 'List the carriers that the caller can use, or a page of them',
    access: { minScope: 'account', owner: 'narrowed' },
    query: listQuery,
    responses: { 200: listOrPage(voipCarrier) },
  },
  'GET /ServiceProviders/:service_provider_sid/VoipCarriers': {
    summary: 'List the carriers of a service provider, or a page of them',
    access: { minScope: 'account', owner: { ...ofProvider, members: 'read' } },
    query: providerListQuery,
    responses: { 200: listOrPage(voipCarrier) },
  },
  'GET /Accounts/:account_sid/VoipCarriers': {
    summary: 'List the carriers of an account',
    access: { minScope: 'account', owner: ofAccount },
    responses: { 200: z.array(voipCarrier) },
  },
  'POST /VoipCarriers': {
    summary: 'Create a carrier',
    access: { minScope: 'account', owner: 'body' },
    body: newVoipCarrier,
    responses: { 201: created },
  },
  'POST /ServiceProviders/:service_provider_sid/VoipCarriers': {
    summary: 'Create a carrier of a service provider, or of one of its accounts',
    access: { minScope: 'service_provider', owner: ofProvider, errorCode: 'provider_update_forbidden' },
    body: newVoipCarrier,
    responses: { 201: created },
  },
  'POST /Accounts/:account_sid/VoipCarriers': {
    summary: 'Create a carrier of an account',
    access: { minScope: 'account', owner: ofAccount },
    body: newVoipCarrier,
    responses: { 201: created },
  },
  'GET /VoipCarriers/:voip_carrier_sid': {
    summary: 'Get a carrier',
    access: { minScope: 'account', owner: byOwner, errorCode: 'insufficient_privileges' },
    responses: { 200: voipCarrier },
  },
  'PUT /VoipCarriers/:voip_carrier_sid': {
    summary: 'Update a carrier; absent fields are unchanged, null clears a field',
    access: { minScope: 'account', owner: byOwner, errorCode: 'carrier_not_owned' },
    updates,
    body: voipCarrierChange,
    responses: { 204: null },
  },
  'PUT /ServiceProviders/:service_provider_sid/VoipCarriers/:voip_carrier_sid': {
    summary: 'Update a carrier of a service provider',
    access: { minScope: 'service_provider', owner: ofProvider, errorCode: 'provider_update_forbidden' },
    updates,
    body: voipCarrierChange,
    responses: { 204: null },
  },
  'PUT /Accounts/:account_sid/VoipCarriers/:voip_carrier_sid': {
    summary: 'Update a carrier of an account',
    access: { minScope: 'account', owner: ofAccount },
    updates,
    body: voipCarrierChange,
    responses: { 204: null },
  },
  'DELETE /VoipCarriers/:voip_carrier_sid': {
    summary: 'Delete a carrier with its gateways, unless a phone number or outbound route uses it',
    access: { minScope: 'account', owner: byOwner, errorCode: 'carrier_not_owned' },
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const voipCarrierDescriptions: Descriptions = {
  owned: 'Only carriers that belong to the account, without those that it shares.',
  callId: 'SIP Call-ID of the last REGISTER.',
  cseq: 'CSeq of the last REGISTER.',
  diversion: 'Value of the SIP Diversion header of outbound calls.',
  dtmf_type: 'How DTMF is sent: rfc2833, tones, or info.',
  e164_leading_plus: 'Whether a leading + is prepended to the numbers of outbound calls.',
  expires: 'Seconds for which the carrier accepted the last REGISTER.',
  inbound_auth_password: 'Password that the carrier uses to authenticate. Masked in responses.',
  inbound_auth_username: 'User name that the carrier uses to authenticate.',
  register_from_domain: 'Domain of the From header of registrations.',
  register_from_user: 'User of the From header of registrations.',
  register_password: 'Password for registrations and outbound calls. Masked in responses.',
  register_public_ip_in_contact: 'Whether the Contact header contains the public IP address.',
  register_sip_realm: 'SIP realm of registrations.',
  register_status: 'Result of the last registration.',
  register_username: 'User name for registrations and outbound calls.',
  requires_register: 'Whether the platform registers with the carrier.',
  smpp_enquire_link_interval: 'Interval of SMPP enquire_link requests in seconds.',
  smpp_inbound_password: 'SMPP password of the carrier. Masked in responses.',
  smpp_inbound_system_id: 'SMPP system ID of the carrier.',
  smpp_password: 'SMPP password for outbound messages. Masked in responses.',
  smpp_system_id: 'SMPP system ID for outbound messages.',
  tech_prefix: 'Digits that are prepended to called numbers.',
  timestamp: 'Time of the last REGISTER, as ISO 8601 or as milliseconds since 1970.',
  trunk_type: 'How the carrier is authenticated: static_ip, auth, or reg.',
}
