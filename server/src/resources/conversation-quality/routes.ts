import type { Actor } from '@patchbay/contract/api/access'
import type { conversationQualityEndpoints, conversationQualityQuery } from '@patchbay/contract/conversation-quality'
import { toDayRange } from '@patchbay/rules/calls/call-quality'
import type { z } from 'zod'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'

type Query = z.output<typeof conversationQualityQuery>

export const conversationQualityRoutes = ({
  conversationStatistics,
}: Services): Handlers<keyof typeof conversationQualityEndpoints> => {
  const read = async (
    owner: CallOwner,
    { query: { from, until, by, value }, actor, signal }: { query: Query; actor: Actor; signal: AbortSignal },
  ) => {
    const search = {
      owner,
      ...toDayRange({ from, until }),
      by,
      ...(value === undefined ? {} : { value }),
    }
    return ok(await conversationStatistics.getQuality(search, { owner: fairnessKey(actor), signal }))
  }
  return {
    'GET /patchbay/accounts/:account_sid/conversation-quality': (context) =>
      read({ account_sid: context.params.account_sid }, context),

    'GET /patchbay/service-providers/:service_provider_sid/conversation-quality': (context) =>
      read({ service_provider_sid: context.params.service_provider_sid }, context),
  }
}
