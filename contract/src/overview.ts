import { z } from 'zod'
import { accountAccess, endpoints, providerAccess } from './endpoint.ts'
import { attentionKinds, setupSteps, stepProblems, stepStates } from './shared/overview.ts'

/**
 * The overview of an account or a service provider: calls, problems, and the steps to a first call. A Patchbay
 * extension; the platform has no equivalent.
 */

const instant = (arg: string) => z.iso.datetime({ offset: true, error: `invalid "${arg}" query arg` }).optional()

export const overviewQuery = z.object({
  /** Start of the caller's day. The default is the start of the day in UTC. At most two days ago. */
  today: instant('today'),
  /** Alerts since this time are counted. The default is 30 days ago. */
  alerts_since: instant('alerts_since'),
})

/** `not_connected` names the setting of the server that connects the source. */
const sourceState = z.enum(['connected', 'not_connected', 'unavailable'])
export type SourceState = z.infer<typeof sourceState>

const counts = { attempts: z.number(), answered: z.number() }

const callFigures = z.object({
  today: z.object(counts),
  /** Counts of the same weekday last week, up to the same time of day. */
  last_week: z.object(counts),
  /** The last 24 hours in ascending order, each with the time of its start. The last hour is incomplete. */
  hours: z.array(z.object({ hour: z.string(), ...counts })),
  /** Calls that the network failed to deliver, by final SIP status. Status 0 means unknown. */
  failures: z.object({
    /** UTC days, both inclusive, as YYYY-MM-DD. */
    from: z.string(),
    until: z.string(),
    calls: z.number(),
    statuses: z.array(z.object({ sip_status: z.number(), calls: z.number() })),
  }),
})
export type CallFigures = z.infer<typeof callFigures>

/** A record that needs attention. */
const attentionRecord = z.object({
  /** Null for a carrier that only call records name. */
  sid: z.string().nullable(),
  name: z.string(),
  account_sid: z.string().nullable(),
  /** The vendor of a speech service, the reason of a carrier, or the category of a limit. */
  detail: z.string().nullable(),
  /** The time at which an API key or a TLS certificate expires (ISO 8601). */
  expires_at: z.string().nullable(),
  /** Delivered calls of all calls, or the used part of a limit. */
  used: z.number().nullable(),
  quantity: z.number().nullable(),
})
export type AttentionRecord = z.infer<typeof attentionRecord>

const attention = z.object({
  kind: z.enum(attentionKinds),
  /** At most `maxAttentionCount`. */
  count: z.number(),
  records: z.array(attentionRecord),
})
export type Attention = z.infer<typeof attention>

const setup = z.object({
  /** Whether all steps are done, or calls have been answered in the last 30 days. */
  is_ready: z.boolean(),
  steps: z.array(
    z.object({
      step: z.enum(setupSteps),
      state: z.enum(stepStates),
      /** Null unless the state is `untested` or `failing`. */
      problem: z.enum(stepProblems).nullable(),
    }),
  ),
})
export type Setup = z.infer<typeof setup>

const overview = z.object({
  live_calls: z.object({ state: sourceState, setting: z.string().nullable(), count: z.number().nullable() }),
  call_data: z.object({ state: sourceState, setting: z.string().nullable(), figures: callFigures.nullable() }),
  attention: z.array(attention),
  setup,
})
export type Overview = z.infer<typeof overview>

export const overviewEndpoints = endpoints({
  'GET /patchbay/accounts/:account_sid/overview': {
    summary: 'Get the calls, the problems, and the setup steps of an account',
    access: accountAccess,
    query: overviewQuery,
    responses: { 200: overview },
  },
  'GET /patchbay/service-providers/:service_provider_sid/overview': {
    summary: 'Get the calls, the problems, and the setup steps of a service provider and its accounts',
    access: providerAccess,
    query: overviewQuery,
    responses: { 200: overview },
  },
})
