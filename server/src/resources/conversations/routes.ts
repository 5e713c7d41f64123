import { throwApiError } from '@patchbay/contract/api/errors'
import type { conversationEndpoints } from '@patchbay/contract/conversations'
import { readConversation } from '../../call-data/conversations/read-conversation.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'

export const conversationRoutes = (services: Services): Handlers<keyof typeof conversationEndpoints> => ({
  'GET /patchbay/accounts/:account_sid/calls/:call_sid/conversation': async ({
    params: { account_sid, call_sid },
    actor,
    signal,
  }) => {
    const read = () => readConversation(services, account_sid, call_sid)
    const result = await services.callDetails.run(fairnessKey(actor), (runStep) => runStep(read), signal)
    if (result === undefined) return throwApiError('call_not_found')
    return result.conversation === undefined ? throwApiError('not_found') : ok(result.conversation)
  },
})
