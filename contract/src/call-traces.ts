import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'

/**
 * The trace of a call as OTLP JSON with the older member names
 * (docs/reference/platform-api/traces-and-captures.md#traces).
 */

/** Has exactly one of the three value members. All numbers are doubles. */
const attribute = z.object({
  key: z.string(),
  value: z.union([
    z.object({ stringValue: z.string() }),
    z.object({ doubleValue: z.number() }),
    z.object({ boolValue: z.boolean() }),
  ]),
})

/** IDs are base64-encoded bytes. Times are nanoseconds since the Unix epoch, as decimal text. */
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
  /**
   * True if the trace has more spans than are returned. Absent for complete traces and for traces from an external
   * Jaeger.
   */
  is_cut: z.boolean().optional(),
  /** Position of the missing spans: only the spans that arrived first are returned. */
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
export type ResourceSpans = Trace['resourceSpans'][number]

export const callTraceEndpoints = endpoints({
  'GET /Accounts/:account_sid/RecentCalls/trace/:trace_id': {
    summary: 'Get the trace of a call of an account as spans; 404 if there is none',
    access: accountAccess,
    responses: { 200: trace },
  },
  'GET /ServiceProviders/:service_provider_sid/RecentCalls/trace/:trace_id': {
    summary: 'Get the trace of a call of a service provider as spans; 404 if there is none',
    access: providerAccess,
    responses: { 200: trace },
  },
})

/** Descriptions of fields for the API documentation. */
export const callTraceDescriptions: Descriptions = {
  attributes: 'Attributes as key and value.',
  boolValue: 'The value if it is a boolean.',
  doubleValue: 'The value if it is a number.',
  endTimeUnixNano: 'End in nanoseconds since 1970.',
  instrumentationLibrary: 'Library that recorded the spans.',
  instrumentationLibrarySpans: 'Spans by library.',
  key: 'Name of the attribute.',
  kind: 'Kind of the span.',
  parentSpanId: 'ID of the parent span.',
  resource: 'Resource of the spans.',
  resourceSpans: 'Spans by resource.',
  spanId: 'ID of the span.',
  spans: 'Spans.',
  startTimeUnixNano: 'Start in nanoseconds since 1970.',
  stringValue: 'The value if it is a text.',
  traceId: 'ID of the trace.',
}
