import { z } from 'zod'
import { endpoints } from './endpoint.ts'

/** The trace of a call (api/4-calls-and-hosted.md §2.1): OTLP JSON in the older naming. */

/** Exactly one of the three; all numbers are doubles. */
const attribute = z.object({
  key: z.string(),
  value: z.union([
    z.object({ stringValue: z.string() }),
    z.object({ doubleValue: z.number() }),
    z.object({ boolValue: z.boolean() }),
  ]),
})

/** Ids are base64 of their bytes; times are nanoseconds since the epoch in decimal text. */
const span = z.looseObject({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string(),
  name: z.string(),
  kind: z.string(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: z.array(attribute),
})

export const trace = z.object({
  /** true if the trace has more spans than are returned; absent if it does not, and from a platform's own server */
  is_cut: z.boolean().optional(),
  /** where spans are missing: of a long trace the first ones that arrived are returned */
  cut_at: z.enum(['end']).optional(),
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      instrumentationLibrarySpans: z.array(
        z.object({
          instrumentationLibrary: z.object({ name: z.string(), version: z.string() }),
          spans: z.array(span),
        }),
      ),
    }),
  ),
})
export type Trace = z.infer<typeof trace>

export const callTraceEndpoints = endpoints({
  'GET /Accounts/:account_sid/RecentCalls/trace/:trace_id': {
    summary: 'What was done during a call of an account, as spans; 404 where there is no trace of it',
    access: {
      minScope: 'account',
      owner: { of: 'account', param: 'account_sid' },
      refusal: 'insufficient_privileges',
    },
    responses: { 200: trace },
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/trace/:trace_id': {
    summary: 'What was done during a call of a service provider, as spans; 404 where there is no trace of it',
    access: {
      minScope: 'service_provider',
      owner: { of: 'service_provider', param: 'service_provider_sid' },
      refusal: 'insufficient_privileges',
    },
    responses: { 200: trace },
  },
})
