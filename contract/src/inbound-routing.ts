import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { phoneNumberLengths } from './phone-numbers/record.ts'
import { isIpv4 } from './shared/addresses.ts'
import { applicationConcern } from './shared/application-concerns.ts'

/** Simulates how an inbound call is routed, without placing it (routing/inbound.ts). */

/** A reference to a record. Null if the record belongs to another tenant. */
const namedRef = z.object({ sid: z.string(), name: z.string() }).nullable()

/** The number as stored. */
const phoneNumberRef = z.object({ phone_number_sid: z.string(), number: z.string() }).nullable()

const gatewayRef = z
  .object({ sip_gateway_sid: z.string(), ipv4: z.string(), netmask: z.number(), carrier: namedRef })
  .nullable()

const step = z.discriminatedUnion('is', [
  z.object({ is: z.literal('realm'), found: z.boolean(), account: namedRef }),
  z.object({
    is: z.literal('gateways'),
    how: z.enum(['realm', 'network']),
    gateways: z.array(gatewayRef),
  }),
  z.object({ is: z.literal('registrations'), gateways: z.array(gatewayRef) }),
  z.object({ is: z.literal('numbers'), rows: z.array(phoneNumberRef) }),
  z.object({
    is: z.literal('patterns'),
    tried: z.array(z.object({ row: phoneNumberRef, match: z.enum(['matched', 'unmatched', 'invalid']) })),
  }),
  z.object({ is: z.literal('default_carriers'), gateways: z.array(gatewayRef) }),
  z.object({ is: z.literal('only_account'), found: z.boolean(), account: namedRef }),
  z.object({ is: z.literal('teams'), found: z.boolean() }),
  z.object({ is: z.literal('devices'), found: z.boolean(), account: namedRef }),
])

/** Present if versions of the SBC that ignore networks when a gateway has exactly the address decide otherwise. */
const versioned = { isVersionDependent: z.literal(true).optional() }

const end = z.discriminatedUnion('is', [
  z.object({
    is: z.literal('taken'),
    ...versioned,
    /** False if the call comes from a device or from MS Teams instead of a carrier. */
    byCarrier: z.boolean(),
    carrier: namedRef,
    account: namedRef,
    number: phoneNumberRef,
    /** Null if no application handles the call, or one of another tenant. */
    application: namedRef,
    has_application: z.boolean(),
    of: z.enum(['number', 'carrier', 'account', 'teams']),
    /** True if several carriers match equally, so that it is undefined which one the platform chooses. */
    isByChance: z.boolean(),
    /** Carriers from which a call without a carrier comes if the caller has their credentials. */
    trunks: z.array(z.object({ sid: z.string(), name: z.string(), has_application: z.boolean() })),
  }),
  z.object({
    is: z.literal('refused'),
    ...versioned,
    status: z.union([z.literal(404), z.literal(500), z.literal(503)]),
    why: z.enum([
      'not_provisioned',
      'several_numbers',
      'several_registrations',
      'several_carriers',
      'inactive_account',
      'no_account',
      'no_teams_tenant',
      'unknown_realm',
    ]),
  }),
  /** A carrier, number, or realm of another tenant determines the route. */
  z.object({ is: z.literal('elsewhere') }),
])

/** The calls in progress have reached a limit for simultaneous calls. The SBC enforces limits, if it is set up to. */
const limitConcern = z.object({
  is: z.literal('limit_reached'),
  of: z.enum(['account', 'service_provider']),
  /** Null for callers that may not see the provider's figures. */
  used: z.number().nullable(),
  quantity: z.number().nullable(),
})
export type LimitConcern = z.infer<typeof limitConcern>

/** Records of other tenants are redacted. If another tenant's record determines the route, `steps` is empty. */
export const inboundAnswer = z.object({
  steps: z.array(step),
  end,
  /** Stored reasons for which the call can fail. Empty for applications of other tenants. */
  concerns: z.array(z.discriminatedUnion('is', [...applicationConcern.options, limitConcern])),
  /** Inactive carriers of the caller with a gateway for the source address, which the platform ignores. */
  inactive_carriers: z.array(namedRef.unwrap()),
})
export type InboundAnswer = z.infer<typeof inboundAnswer>

const inboundQuery = z.object({
  /** IPv4 source address of the call. */
  source: z.string().refine(isIpv4, { error: 'must be an IPv4 address' }),
  /** User part of the Request-URI. */
  number: z.string().min(1, { error: 'must not be empty' }).max(phoneNumberLengths.number),
  /** Host part of the Request-URI: a domain name or an IP address. */
  realm: z.string().min(1, { error: 'must not be empty' }).max(255),
})
export type InboundQuery = z.output<typeof inboundQuery>

export const inboundRoutingEndpoints = endpoints({
  'GET /patchbay/inbound-routing': {
    summary:
      'Test the routing of an incoming call: returns its carrier, number, and application, or why it is rejected, without details of other tenants',
    access: { minScope: 'account', owner: 'narrowed' },
    query: inboundQuery,
    responses: { 200: inboundAnswer },
  },
})

/** Descriptions of fields for the API documentation. */
export const inboundRoutingDescriptions: Descriptions = {
  account: 'Name of the account, or the account itself.',
  alert_type: 'Type of the alert about the webhook.',
  application: 'Name of the application, or the application itself.',
  at: 'Time of the call at which the webhook failed (ISO 8601).',
  byCarrier: 'Whether the call comes from a carrier.',
  concerns: 'Reasons for which the call can fail, as far as they are stored.',
  end: 'Result of the routing.',
  found: 'Whether the step found a record.',
  has_application: 'Whether an application handles the call, also one of another tenant.',
  how: 'How the step searches.',
  inactive_carriers: 'Inactive carriers with a gateway for the source address, which are ignored.',
  is: 'Kind of the result.',
  isByChance: 'Whether several records match and their order is undefined.',
  isVersionDependent: 'Whether versions of the SBC decide differently.',
  match: 'How the record matched.',
  number: 'Called number, or the matching number.',
  of: 'Source of the application (the number, carrier, account, or Microsoft Teams tenant), or owner of the limit.',
  quantity: 'Limit for simultaneous calls.',
  realm: 'Called host: a SIP realm or the address of an SBC.',
  row: 'The selected record.',
  rows: 'Records or rows in their order.',
  source: 'Source IP address of the INVITE.',
  steps: 'Steps of the routing in their order.',
  tried: 'Carriers or patterns that were tried.',
  trunks: 'Carriers that handle the call if the caller has their credentials.',
  use: 'Use of the speech service: tts or stt.',
  used: 'Number of calls in progress.',
  why: 'Explanation of the result.',
}
