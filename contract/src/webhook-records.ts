import { endpoints } from './api/endpoint.ts'
import { newHook, storedHook } from './api/hooks.ts'
import { created } from './api/values.ts'

/**
 * Webhooks as separate records (docs/reference/platform-api/applications.md#webhooks). They have no owner, so only
 * admins can read them, and no other record can refer to them.
 */
export const webhookRecordEndpoints = endpoints({
  'POST /Webhooks': {
    summary: 'Create a webhook that belongs to no record',
    access: { minScope: 'account', owner: 'none' },
    body: newHook,
    responses: { 201: created },
  },
  'GET /Webhooks/:webhook_sid': {
    summary: 'Get a webhook; for administrators only, because webhooks have no owner',
    access: { minScope: 'admin', owner: 'none', errorCode: 'insufficient_privileges' },
    responses: { 200: storedHook },
  },
})
