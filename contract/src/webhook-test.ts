import { z } from 'zod'
import { endpoints } from './endpoint.ts'
import { triedHooks, triedStatuses } from './webhooks/webhooks.ts'
import { text } from './values.ts'

/**
 * What the platform would send for an inbound call, sent to the webhook of an application that is stored; and what comes
 * back. An extension: the platform has nothing of the kind.
 */

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` })

/** A number, or the user part of a SIP address. */
const party = text(128).refine((value) => /^[^\s\p{Cc}<>"@;]+$/u.test(value), {
  error: 'must be a number or a user name, without blanks',
})

const trial = z.strictObject({
  hook: oneOf(triedHooks),
  from: party,
  to: party,
  /** of a status webhook alone: what became of the call */
  call_status: oneOf(triedStatuses).default('completed'),
})
export type WebhookTrial = z.output<typeof trial>

/** Line and column count from 1, in the `text` of the answer; null where the answer as a whole is meant. */
const fault = z.object({ message: z.string(), line: z.number().nullable(), column: z.number().nullable() })
export type WebhookProblem = z.infer<typeof fault>

const report = z.object({
  /** as it was sent, secrets masked */
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string().nullable(),
  }),
  /** until all of the answer was there, or it was clear that it would not come */
  milliseconds: z.number(),
  /** null where none began */
  answer: z
    .object({
      status: z.number(),
      status_text: z.string(),
      /** those that say what became of the request, names in small letters */
      headers: z.record(z.string(), z.string()),
      /** JSON written in lines, all else as it came */
      text: z.string(),
      /** of the body as it came */
      bytes: z.number(),
    })
    .nullable(),
  /** why there is no answer, or no whole one */
  failure: z.string().nullable(),
  /** the verbs in their order, where a call could begin with them */
  verbs: z.array(z.string()),
  /** why the platform would not take the answer; none where it would */
  faults: z.array(fault),
  /** of them all, where not all are told */
  faults_total: z.number(),
})
export type WebhookReport = z.infer<typeof report>

export const webhookWorkbenchEndpoints = endpoints({
  'POST /patchbay/applications/:application_sid/webhook-test': {
    summary:
      'Send a stored webhook what it would be sent for an inbound call, and say what comes back; so many a minute',
    access: { minScope: 'account', owner: { of: 'application', param: 'application_sid' }, refusal: 'not_found' },
    body: trial,
    responses: { 200: report },
  },
})
