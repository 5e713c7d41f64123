import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { text } from './api/values.ts'

/**
 * Text messages from and to SMS providers (docs/reference/platform-api/numbers-and-clients.md#short-messages). jambonz
 * loads a module for each provider. Patchbay has no such modules, so both endpoints reject every message with the
 * errors of jambonz.
 */

const message = z.looseObject({ provider: text(255).optional().nullable() })

const access = { minScope: 'public', owner: 'none', optionalAuth: true } as const

export const messagingEndpoints = endpoints({
  'POST /messaging/:provider': {
    summary: 'Receive a text message from an SMS provider; no providers are supported',
    access,
    body: z.looseObject({}),
    responses: { 200: z.object({}) },
  },
  'POST /outboundSMS': {
    summary: 'Send a text message through an SMS provider; no providers are supported',
    access,
    body: message,
    responses: { 200: z.object({}) },
  },
})

/** Descriptions of fields for the API documentation. */
export const messagingDescriptions: Descriptions = {
  provider: 'Name of the SMS provider.',
}
