import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { attentionKinds, setupSteps, stepProblems, stepStates } from './shared/attention-kinds.ts'

/**
 * The overview of an account or a service provider: calls, problems, and the steps to a first call. A Patchbay
 * extension; the platform has no equivalent.
 */

const instant = (arg: string) => z.iso.datetime({ offset: true, error: `invalid "${arg}" query arg` }).optional()

export const overviewQuery = z.object({
  /** Start of the caller's day. The default is the start of the day in UTC. At most two days ago. */
  today: instant('today'),
  /**
   * Start of the caller's day one week ago, and the current time of that day, which a change of the clock moves. The default
   * is seven times 24 hours before `today` and now.
   */
  last_week_from: instant('last_week_from'),
  last_week_until: instant('last_week_until'),
  /** Alerts since this time are counted. By default, those that the user has not seen, or of 30 days for API keys. */
  alerts_since: instant('alerts_since'),
})

/** `not_connected` names the setting of the server that connects the source. */
const sourceState = z.enum(['connected', 'not_connected', 'unavailable'])
export type SourceState = z.infer<typeof sourceState>

const counts = { attempts: z.number(), answered: z.number() }

const callFigures = z.object({
  today: z.object(counts),
  /** Counts of the same weekday last week, up to the same time of day, and the times between which they are (ISO 8601). */
  last_week: z.object({ ...counts, from: z.string(), until: z.string() }),
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
  /** The first ones by name. All of them if no list can be filtered by the kind. */
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

/** Descriptions of fields for the API documentation. */
export const overviewDescriptions: Descriptions = {
  alerts_since:
    'Start of the period in which alerts are counted (ISO 8601). By default, those of 30 days that the signed-in user has not seen.',
  answered: 'Number of answered calls.',
  attempts: 'Number of call attempts.',
  attention: 'Problems, most urgent kind first.',
  call_data: 'Figures from call records.',
  calls: 'Number of calls.',
  count: 'Number of calls in progress, or of problems of the kind.',
  detail: 'Reason of the carrier, vendor of the speech service, or kind of the limit.',
  failures: 'Calls that the network failed to deliver.',
  figures: 'Counts of calls, or null without call records.',
  from: 'First UTC day of the failures, or the first instant of the calls of last week.',
  hour: 'Start of the hour (ISO 8601).',
  hours: 'Calls by hour of the last 24 hours.',
  is_ready: 'Whether all steps are done, or calls have been answered in the last 30 days.',
  kind: 'Kind of the problem.',
  last_week: 'Calls of the same weekday last week, up to the same time of day.',
  live_calls: 'Calls in progress.',
  problem: 'Why a step whose record exists is not done, or null.',
  quantity: 'The limit, or number of attempted calls.',
  records:
    'The first records that have the problem, by name; all of them for limits and for carriers that deliver too little.',
  setting: 'Setting of the server that connects the source, or null if it is connected.',
  setup: 'Steps to a first call.',
  state:
    'State of the source (connected, not_connected, or unavailable), or of the setup step (open, untested, failing, done, or unknown).',
  statuses: 'The most frequent SIP statuses of the failures.',
  step: 'Name of the setup step.',
  steps: 'Setup steps in their order.',
  last_week_from: "Start of the caller's day one week ago (ISO 8601). The default is seven days before `today`.",
  last_week_until: "Current time of the caller's day one week ago (ISO 8601). The default is seven days ago.",
  today: 'Calls since the start of the day of the caller. As a query parameter: that start (ISO 8601).',
  until: 'Last UTC day of the failures, or the last instant of the calls of last week.',
  used: 'Used part of the limit, or number of delivered calls.',
}
