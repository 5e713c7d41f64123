import type { Actor } from '@patchbay/contract/api/access'
import type { callQualityEndpoints, qualityQuery } from '@patchbay/contract/call-quality'
import { toDayRange } from '@patchbay/rules/calls/call-quality'
import type { z } from 'zod'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'

type Query = z.output<typeof qualityQuery>

export const callQualityRoutes = ({ quality }: Services): Handlers<keyof typeof callQualityEndpoints> => {
  const read = async (
    owner: CallOwner,
    { query: { from, until, trunk, direction }, actor, signal }: { query: Query; actor: Actor; signal: AbortSignal },
  ) => {
    const search = {
      owner,
      ...toDayRange({ from, until }),
      ...(trunk === undefined ? {} : { trunk }),
      ...(direction === undefined ? {} : { direction }),
    }
    return ok(await quality.getCallQuality(search, { owner: fairnessKey(actor), signal }))
  }
  return {
    'GET /patchbay/accounts/:account_sid/call-quality': (context) =>
      read({ account_sid: context.params.account_sid }, context),

    'GET /patchbay/service-providers/:service_provider_sid/call-quality': (context) =>
      read({ service_provider_sid: context.params.service_provider_sid }, context),
  }
}
