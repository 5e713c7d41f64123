import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { booleanInput, flag, integerInput, text } from './api/values.ts'
import { review } from './reviews.ts'
import { reviewModelLimits as limits } from './shared/review-limits.ts'

/**
 * Checks of calls by a language model with the API of OpenAI (`POST /chat/completions`). Off by default. A Patchbay
 * extension.
 */

const reviewModel = z.object({
  is_enabled: flag,
  /** Base URL of the API, such as https://api.openai.com/v1. */
  url: z.string(),
  model: z.string(),
  /** Masked. Null if the API needs no key. */
  api_key: z.string().nullable(),
  /** Added to the instructions of Patchbay. */
  instructions: z.string(),
  /** Whether calls that a rule selects for review are checked without being asked for. */
  is_automatic: flag,
  /** Maximum number of checks per day in UTC. */
  daily_limit: z.number().int(),
  /** Checks of the current day. */
  used_today: z.number().int(),
})
export type ReviewModel = z.infer<typeof reviewModel>

const isHttpUrl = (value: string): boolean => {
  if (value === '') return true
  const url = URL.canParse(value) ? new URL(value) : undefined
  return (
    (url?.protocol === 'https:' || url?.protocol === 'http:') &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === ''
  )
}

const reviewModelChange = z
  .strictObject({
    is_enabled: booleanInput,
    url: text(limits.url).refine(isHttpUrl, {
      error: 'must be an http or https URL without user name, query, and fragment',
    }),
    model: text(limits.model),
    api_key: text(limits.apiKey).nullable(),
    instructions: text(limits.instructions),
    is_automatic: booleanInput,
    daily_limit: integerInput(1, limits.dailyLimit),
  })
  .partial()
export type ReviewModelChange = z.output<typeof reviewModelChange>

export const reviewModelEndpoints = endpoints({
  'GET /patchbay/ServiceProviders/:service_provider_sid/ReviewModel': {
    summary: 'Get the language model that checks calls; the API key is masked',
    access: providerAccess,
    responses: { 200: reviewModel },
  },
  'PUT /patchbay/ServiceProviders/:service_provider_sid/ReviewModel': {
    summary: 'Update the language model that checks calls; a new URL requires the API key again',
    access: providerAccess,
    updates: {
      record: 'GET /patchbay/ServiceProviders/:service_provider_sid/ReviewModel',
      ignored: ['used_today'],
      stored: { table: 'patchbay_review_models', key: 'service_provider_sid', live: ['used_on', 'used'] },
    },
    body: reviewModelChange,
    responses: { 204: null },
  },
  'POST /patchbay/accounts/:account_sid/calls/:call_sid/reviews/model': {
    summary: "Send the masked transcript of a call to the service provider's language model, and store its review",
    access: accountAccess,
    responses: { 200: review },
  },
})

/** Descriptions of fields for the API documentation. */
export const reviewModelDescriptions: Descriptions = {
  api_key: 'API key of the language model, masked. Null if none is needed. A new URL requires it again.',
  daily_limit: 'Maximum number of checks by the language model per day in UTC.',
  instructions: 'Instructions for the language model, in addition to those of Patchbay.',
  is_automatic: 'Whether the language model checks all calls that a rule selects.',
  is_enabled: 'Whether the language model can check calls.',
  url: 'Base URL of an API like that of OpenAI, to which /chat/completions is added.',
  used_today: 'Number of checks of this day in UTC.',
}
