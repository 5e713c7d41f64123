import type { Actor } from '@patchbay/contract/api/access'
import type { conversationListEndpoints, conversationListQuery } from '@patchbay/contract/conversation-list'
import { parseCursor } from '@patchbay/contract/shared/conversation-cursor'
import { toDayRange } from '@patchbay/rules/calls/call-quality'
import type { z } from 'zod'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'

type Query = z.output<typeof conversationListQuery>

export const conversationListRoutes = ({
  conversationStatistics,
}: Services): Handlers<keyof typeof conversationListEndpoints> => {
  const list = async (
    owner: CallOwner,
    { query: { from, until, after, ...filters }, actor, signal }: { query: Query; actor: Actor; signal: AbortSignal },
  ) => {
    const search = {
      owner,
      ...toDayRange({ from, until }),
      after: after === undefined ? undefined : parseCursor(after),
      ...filters,
    }
    return ok(await conversationStatistics.list(search, { owner: fairnessKey(actor), signal }))
  }
  return {
    'GET /patchbay/accounts/:account_sid/conversations': (context) =>
      list({ account_sid: context.params.account_sid }, context),

    'GET /patchbay/service-providers/:service_provider_sid/conversations': (context) =>
      list({ service_provider_sid: context.params.service_provider_sid }, context),
  }
}
