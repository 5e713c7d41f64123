import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { text } from './api/values.ts'
import { triedHooks, triedStatuses } from './webhooks/webhooks.ts'

/**
 * Sends the request that the platform would send for an inbound call to a webhook of a stored application, and returns
 * the response. A Patchbay extension; the platform has no equivalent.
 */

const enumWithMessage = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` })

/** A phone number or the user part of a SIP address. */
const party = text(128).refine((value) => /^[^\s\p{Cc}<>"@;]+$/u.test(value), {
  error: 'must be a phone number or a user name without spaces',
})

const trial = z.strictObject({
  hook: enumWithMessage(triedHooks),
  from: party,
  to: party,
  /** For status webhooks only: the call status to report. */
  call_status: enumWithMessage(triedStatuses).default('completed'),
})
export type WebhookTrial = z.output<typeof trial>

/**
 * Line and column of the problem in the response's `text`, counted from 1. Null if the problem concerns the response as
 * a whole.
 */
const fault = z.object({ message: z.string(), line: z.number().nullable(), column: z.number().nullable() })
export type WebhookProblem = z.infer<typeof fault>

const report = z.object({
  /** The request as sent, with masked secrets. */
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string().nullable(),
  }),
  /** Duration until the response was complete or had failed. */
  milliseconds: z.number(),
  /** Null if no response started. */
  answer: z
    .object({
      status: z.number(),
      status_text: z.string(),
      /** Headers that describe the result of the request, with lowercase names. */
      headers: z.record(z.string(), z.string()),
      /** The body. JSON is reformatted with line breaks. */
      text: z.string(),
      /** Size of the unmodified body. */
      bytes: z.number(),
    })
    .nullable(),
  /** Reason for a missing or incomplete response. */
  failure: z.string().nullable(),
  /** Names of the verbs in order, if the platform could start a call with them. */
  verbs: z.array(z.string()),
  /** Reasons why the platform would reject the response. Empty if it would accept it. */
  faults: z.array(fault),
  /** Verbs that the platform would accept, but that need something which the account lacks, such as a speech service. */
  warnings: z.array(fault),
  /** Total number of problems, of which `faults` contains only the first ones. */
  faults_total: z.number(),
})
export type WebhookReport = z.infer<typeof report>

export const webhookWorkbenchEndpoints = endpoints({
  'POST /patchbay/applications/:application_sid/webhook-test': {
    summary: 'Send a test request for an inbound call to a webhook and return its response; rate-limited',
    access: { minScope: 'account', owner: { of: 'application' }, errorCode: 'not_found' },
    body: trial,
    responses: { 200: report },
  },
})

/** Descriptions of fields for the API documentation. */
export const webhookWorkbenchDescriptions: Descriptions = {
  answer: 'Response of the webhook, or null if there was none.',
  body: 'Body of the request.',
  bytes: 'Size in bytes.',
  column: 'Column, starting at 1.',
  faults: 'Errors in the response with their positions.',
  faults_total: 'Number of all errors in the response.',
  headers: 'Headers of the request. Secrets are masked.',
  hook: 'Which webhook to test: call_hook or call_status_hook.',
  request: 'The request that was sent.',
  status: 'HTTP status code.',
  status_text: 'HTTP reason phrase.',
  verbs: 'Verbs in the response.',
  warnings: 'Verbs of the response that need a service which the account lacks, with their positions.',
}
