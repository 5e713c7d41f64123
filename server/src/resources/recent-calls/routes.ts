import type { Actor } from '@patchbay/contract/access'
import type { callQuery, recentCallEndpoints } from '@patchbay/contract/recent-calls'
import { periodOf } from '@patchbay/contract/rules/page-query'
import type { z } from 'zod'
import { ok } from '../../http/answers.ts'
import type { Handlers } from '../../http/mount.ts'
import type { CallSearch } from '../../platform/calls/calls.ts'
import type { Services } from '../../services.ts'
import { ownerOf } from '../../turns.ts'

type Query = z.output<typeof callQuery>

const answeredOf = (answered: string | undefined): Pick<CallSearch, 'answered'> =>
  answered === 'true' || answered === 'false' ? { answered: answered === 'true' } : {}

const searchOf = (owner: CallSearch['owner'], query: Query): CallSearch => ({
  owner,
  ...periodOf(query),
  ...answeredOf(query.answered),
  ...(query.trunk ? { trunk: query.trunk } : {}),
  ...(query.direction ? { direction: query.direction } : {}),
  ...(query.filter ? { text: query.filter } : {}),
  ...(/^\d{3}$/.test(query.sip_status ?? '') ? { sip_status: Number(query.sip_status) } : {}),
  page: Number(query.page),
  pageSize: Number(query.count),
})

export const recentCallRoutes = ({ calls }: Services): Handlers<keyof typeof recentCallEndpoints> => {
  const page = async (
    owner: CallSearch['owner'],
    { query, actor, gone }: { query: Query; actor: Actor; gone: AbortSignal },
  ) => {
    const found = await calls.search(searchOf(owner, query), { owner: ownerOf(actor), gone })
    return ok({ total: found.total, page_size: query.count, page: query.page, data: found.calls })
  }
  return {
    'GET /Accounts/:account_sid/RecentCalls': (context) => page({ account_sid: context.params.account_sid }, context),

    'GET /ServiceProviders/:service_provider_sid/RecentCalls': (context) =>
      page({ service_provider_sid: context.params.service_provider_sid }, context),
  }
}
