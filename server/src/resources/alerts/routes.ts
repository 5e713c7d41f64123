import type { alertEndpoints, alertQuery } from '@patchbay/contract/alerts'
import type { Actor } from '@patchbay/contract/api/access'
import { toPeriodBounds } from '@patchbay/contract/lists/page-query'
import type { z } from 'zod'
import type { AlertSearch } from '../../call-data/alerts/alerts.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'

type Query = z.output<typeof alertQuery>

const toSearch = (owner: AlertSearch['owner'], query: Query): AlertSearch => ({
  owner,
  ...toPeriodBounds(query),
  ...(query.alert_type ? { alert_type: query.alert_type } : {}),
  page: Number(query.page),
  pageSize: Number(query.count),
})

export const alertRoutes = ({ alerts }: Services): Handlers<keyof typeof alertEndpoints> => {
  const page = async (
    owner: AlertSearch['owner'],
    { query, actor, signal }: { query: Query; actor: Actor; signal: AbortSignal },
  ) => {
    const result = await alerts.search(toSearch(owner, query), { owner: fairnessKey(actor), signal })
    return ok({ total: result.total, page_size: query.count, page: query.page, data: result.alerts })
  }
  return {
    'GET /Accounts/:account_sid/Alerts': (context) => page({ account_sid: context.params.account_sid }, context),

    'GET /ServiceProviders/:service_provider_sid/Alerts': (context) =>
      page({ service_provider_sid: context.params.service_provider_sid }, context),
  }
}
