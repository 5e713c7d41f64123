import type { webhookRecordEndpoints } from '@patchbay/contract/webhook-records'
import type { Handlers } from '../../http/contract-router.ts'
import { createdSid, okOrNotFound } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { createWebhook, readWebhook } from '../shared/webhooks.ts'

export const webhookRecordRoutes = ({ database, write }: Services): Handlers<keyof typeof webhookRecordEndpoints> => ({
  'POST /Webhooks': ({ actor, body }) => createdSid(write(actor, (tx) => createWebhook(tx, body, actor))),

  'GET /Webhooks/:webhook_sid': ({ actor, params }) =>
    okOrNotFound(readWebhook(database, params.webhook_sid, !actor.is_view_only)),
})
