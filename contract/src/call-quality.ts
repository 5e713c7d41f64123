import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { dayMs } from './shared/durations.ts'

/**
 * Call quality figures, from totals that are updated as call records arrive. A Patchbay extension; the platform has no
 * equivalent.
 */

/** A day in UTC. The period includes its first and last day. */
const day = (arg: string) => z.iso.date({ error: `invalid "${arg}" query arg` })

/** A leap year plus a margin. */
const maxQualityDays = 400

/** Selects a period. */
export const periodQuery = z
  .object({ from: day('from'), until: day('until') })
  .refine(({ from, until }) => Date.parse(until) >= Date.parse(from), {
    error: '"until" is before "from"',
    path: ['until'],
  })
  .refine(({ from, until }) => Date.parse(until) - Date.parse(from) < maxQualityDays * dayMs, {
    error: `a period has ${maxQualityDays} days at most`,
    path: ['from'],
  })

export const qualityQuery = periodQuery.safeExtend({
  trunk: z.string().max(255).optional(),
  direction: z.enum(['inbound', 'outbound']).optional(),
})

/** Totals over a set of calls. */
const figures = z.object({
  attempts: z.number(),
  /** Number of answered calls. */
  answered: z.number(),
  /** Number of calls for which the network did its part: answered, busy, unwanted, canceled, or unanswered. */
  delivered: z.number(),
  /** Number of calls that the called side (607), a filter (608), or, as captured SIP says, analytics (603+) blocked. */
  blocked: z.number(),
  /** Total talk time. */
  seconds: z.number(),
  /** Calls with a known post-dial delay, and the sum of their delays in milliseconds. */
  pdd_calls: z.number(),
  pdd_milliseconds: z.number(),
})
export type CallFigures = z.infer<typeof figures>

/** The blocked calls of a calling number, by what blocked them. */
const blockedNumber = z.object({
  /** Digits of the number. */
  number: z.string(),
  calls: z.number(),
  /** 603+: analytics of a network. */
  analytics: z.number(),
  /** 608: a filter. */
  filtered: z.number(),
  /** 607: the called side. */
  unwanted: z.number(),
  last_at: z.iso.datetime(),
})
export type BlockedNumber = z.infer<typeof blockedNumber>

/** The calls of a carrier and a direction whose first INVITE has an identity. */
const identity = z.object({
  trunk: z.string(),
  direction: z.string(),
  calls: z.number(),
  /** Calls by the attestation that the Identity header claims. */
  level_a: z.number(),
  level_b: z.number(),
  level_c: z.number(),
  /** Calls whose Identity headers have no attestation, or cannot be read. */
  no_level: z.number(),
  /** Calls whose sender says that the number passed or failed its verification. */
  passed: z.number(),
  failed: z.number(),
})
export type IdentityFigures = z.infer<typeof identity>

/** All lists except `days` are sorted by attempts in descending order and have at most 500 entries. */
const quality = z.object({
  total: figures,
  /** Days with calls in ascending order, as YYYY-MM-DD. */
  days: z.array(figures.extend({ day: z.string() })),
  /** Carrier names from the call records. An empty name stands for calls without a carrier. */
  trunks: z.array(figures.extend({ trunk: z.string() })),
  directions: z.array(figures.extend({ direction: z.string() })),
  /** Returned for service providers only. */
  accounts: z.array(figures.extend({ account_sid: z.string() })),
  /** Final SIP statuses of unanswered calls. Status 0 means unknown. */
  statuses: z.array(z.object({ sip_status: z.number(), calls: z.number() })),
  /** False if Patchbay stores no calls or receives no captured SIP: `blocked` then lacks 603+, and `identities` is empty. */
  counts_sip: z.boolean(),
  /** Outbound calls only. The most blocked numbers come first, at most 100. Null if Patchbay stores no calls. */
  blocked_numbers: z.array(blockedNumber).nullable(),
  /** Claims of the first INVITE, which are not verified. By carrier and direction, sorted by calls. */
  identities: z.array(identity),
})
export type CallQuality = z.infer<typeof quality>

export const maxListItems = 500
export const maxBlockedNumbers = 100

export const callQualityEndpoints = endpoints({
  'GET /patchbay/accounts/:account_sid/call-quality': {
    summary: 'Get call statistics of an account by day, carrier, and direction',
    access: accountAccess,
    query: qualityQuery,
    responses: { 200: quality },
  },
  'GET /patchbay/service-providers/:service_provider_sid/call-quality': {
    summary: 'Get call statistics of a service provider by day, carrier, direction, and account',
    access: providerAccess,
    query: qualityQuery,
    responses: { 200: quality },
  },
})

/** Descriptions of fields for the API documentation. */
export const callQualityDescriptions: Descriptions = {
  accounts: 'Statistics by account.',
  analytics: 'Number of calls that analytics of a network blocked (603+).',
  answered: 'Number of answered calls.',
  blocked:
    'Number of calls that the called side (607), a filter (608), or, as captured SIP says, analytics (603+) blocked.',
  blocked_numbers:
    'Blocked outbound calls by calling number, the most blocked first. Null if Patchbay does not store the calls.',
  calls: 'Number of calls.',
  counts_sip: 'Whether blocks and identities in captured SIP are counted.',
  days: 'Statistics by day (UTC).',
  delivered:
    'Number of calls for which the network did its part: answered, busy, unwanted, canceled, or not picked up.',
  directions: 'Statistics by direction.',
  failed: 'Number of calls whose sender states that the verification of the calling number failed.',
  filtered: 'Number of calls that a filter blocked (608).',
  from: 'First day of the period.',
  identities:
    'Calls by the identity that their first INVITE claims, by carrier and direction. Patchbay verifies nothing of it.',
  last_at: 'Time of the last blocked call.',
  level_a: 'Number of calls with the claimed attestation A.',
  level_b: 'Number of calls with the claimed attestation B.',
  level_c: 'Number of calls with the claimed attestation C.',
  no_level: 'Number of calls whose Identity headers have no readable attestation.',
  number: 'Digits of the calling number.',
  passed: 'Number of calls whose sender states that the calling number was verified.',
  pdd_calls: 'Number of calls with a known post-dial delay.',
  pdd_milliseconds: 'Sum of the post-dial delays in milliseconds.',
  seconds: 'Sum of the call durations in seconds.',
  statuses: 'Failed calls by SIP status.',
  trunks: 'Statistics by carrier.',
  unwanted: 'Number of calls that the called side marked as unwanted (607).',
}
