import { z } from 'zod'
import { endpoints } from './endpoint.ts'
import { isIpv4 } from './shared/addresses.ts'
import { phoneNumberLengths } from './shared/column-lengths.ts'

/** What becomes of a call that comes in, before one does (rules/inbound.ts). */

/** Something that is named; null where it is of another tenant, whoever that is. */
const thing = z.object({ sid: z.string(), name: z.string() }).nullable()

/** As it is stored. */
const numberShown = z.object({ phone_number_sid: z.string(), number: z.string() }).nullable()

const gatewayShown = z
  .object({ sip_gateway_sid: z.string(), ipv4: z.string(), netmask: z.number(), carrier: thing })
  .nullable()

const step = z.discriminatedUnion('is', [
  z.object({ is: z.literal('realm'), found: z.boolean(), account: thing }),
  z.object({
    is: z.literal('gateways'),
    how: z.enum(['realm', 'address', 'network']),
    gateways: z.array(gatewayShown),
  }),
  z.object({ is: z.literal('registrations'), gateways: z.array(gatewayShown) }),
  z.object({ is: z.literal('numbers'), rows: z.array(numberShown) }),
  z.object({
    is: z.literal('patterns'),
    tried: z.array(z.object({ row: numberShown, match: z.enum(['matched', 'unmatched', 'invalid']) })),
  }),
  z.object({ is: z.literal('default_carriers'), gateways: z.array(gatewayShown) }),
  z.object({ is: z.literal('only_account'), found: z.boolean(), account: thing }),
  z.object({ is: z.literal('teams'), found: z.boolean() }),
  z.object({ is: z.literal('devices'), found: z.boolean(), account: thing }),
])

const end = z.discriminatedUnion('is', [
  z.object({
    is: z.literal('taken'),
    /** false: of no carrier, but of a device or of MS Teams */
    byCarrier: z.boolean(),
    carrier: thing,
    account: thing,
    number: numberShown,
    /** null: nothing answers it */
    application: thing,
    of: z.enum(['number', 'carrier', 'account', 'teams']),
    /** several carriers would do, and nothing puts them in an order */
    isByChance: z.boolean(),
  }),
  z.object({
    is: z.literal('refused'),
    status: z.union([z.literal(404), z.literal(503)]),
    why: z.enum([
      'not_provisioned',
      'several_numbers',
      'several_registrations',
      'several_carriers',
      'inactive_account',
      'no_teams_tenant',
      'unknown_realm',
    ]),
  }),
  /** another tenant's carrier, number or realm decides it */
  z.object({ is: z.literal('elsewhere') }),
])

/** Of what others own nothing is told: where they decide it, there are no steps. */
export const inboundAnswer = z.object({ steps: z.array(step), end })
export type InboundAnswer = z.infer<typeof inboundAnswer>

const inboundQuery = z.object({
  /** IPv4, from where the call comes */
  source: z.string().refine(isIpv4, { error: 'must be an IPv4 address' }),
  /** the user of the Request-URI */
  number: z.string().min(1, { error: 'must not be empty' }).max(phoneNumberLengths.number),
  /** its host: a name or an address */
  realm: z.string().min(1, { error: 'must not be empty' }).max(255),
})
export type InboundQuery = z.output<typeof inboundQuery>

export const inboundRoutingEndpoints = endpoints({
  'GET /patchbay/inbound-routing': {
    summary:
      'What becomes of a call that comes in: its carrier, number and application, or why it is refused; what is of others is not told',
    access: { minScope: 'account', owner: 'narrowed' },
    query: inboundQuery,
    responses: { 200: inboundAnswer },
  },
})
