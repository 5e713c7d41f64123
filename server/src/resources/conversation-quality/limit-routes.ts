import type { conversationLimitEndpoints } from '@patchbay/contract/conversation-limits'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { readConversationLimits, saveConversationLimits } from './limit-store.ts'

export const conversationLimitRoutes = ({
  database,
  write,
}: Services): Handlers<keyof typeof conversationLimitEndpoints> => ({
  'GET /patchbay/accounts/:account_sid/conversation-limits': async ({ params }) =>
    ok(await readConversationLimits(database, params.account_sid)),

  'PUT /patchbay/accounts/:account_sid/conversation-limits': ({ actor, params, body }) =>
    write(actor, (tx) => saveConversationLimits(tx, params, body)),

  'GET /patchbay/service-providers/:service_provider_sid/conversation-limits': async ({ params }) =>
    ok(await readConversationLimits(database, params.service_provider_sid)),

  'PUT /patchbay/service-providers/:service_provider_sid/conversation-limits': ({ actor, params, body }) =>
    write(actor, (tx) => saveConversationLimits(tx, params, body)),
})
