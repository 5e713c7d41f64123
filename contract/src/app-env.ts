import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { text } from './api/values.ts'
import { webhookLengths } from './webhooks/record.ts'
import { validateHookUrl } from './webhooks/webhooks.ts'

/**
 * Environment variables that a webhook declares (docs/reference/platform-api/applications.md#declaration-of-a-webhook).
 * `webhooks/app-env.ts` validates the declarations.
 */

const variable = z.looseObject({
  type: z.enum(['string', 'number', 'boolean']),
  description: z.string(),
  required: z.boolean().optional(),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
  enum: z.array(z.unknown()).optional(),
  obscure: z.boolean().optional(),
})

const hookUrl = text(webhookLengths.url).refine((url) => validateHookUrl(url) === undefined, {
  error: ({ input }) => `url ${validateHookUrl(String(input))}`,
})

export const appEnvEndpoints = endpoints({
  'GET /AppEnv': {
    summary: 'Get the environment variables that a webhook declares; rate-limited',
    access: { minScope: 'account', owner: 'none' },
    query: z.object({ url: hookUrl }),
    responses: { 200: z.record(z.string(), variable), 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const appEnvDescriptions: Descriptions = {
  default: 'Default value of the variable.',
  enum: 'Allowed values of the variable.',
  obscure: 'Whether the value is a secret.',
  required: 'Whether a value is required.',
}
