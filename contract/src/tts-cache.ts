import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints } from './api/endpoint.ts'

/** The platform's cache of synthesized prompts (docs/reference/platform-api/tenants.md#tts-cache). */

/** Number of cached prompts. */
const ttsCache = z.object({ size: z.number() })

export const ttsCacheEndpoints = endpoints({
  'GET /TtsCache': {
    summary: 'Count the prompts in the TTS cache',
    access: { minScope: 'admin', owner: 'none', errorCode: 'insufficient_privileges' },
    responses: { 200: ttsCache },
  },
  'DELETE /TtsCache': {
    summary: 'Empty the TTS cache',
    access: { minScope: 'admin', owner: 'none', errorCode: 'insufficient_privileges' },
    responses: { 204: null },
  },
  'GET /Accounts/:account_sid/TtsCache': {
    summary: 'Count the prompts of an account in the TTS cache',
    access: accountAccess,
    responses: { 200: ttsCache },
  },
  'DELETE /Accounts/:account_sid/TtsCache': {
    summary: 'Empty the TTS cache of an account',
    access: accountAccess,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const ttsCacheDescriptions: Descriptions = {
  size: 'Number of cached prompts.',
}
