import type { Call } from '@patchbay/contract/recent-calls'
import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { queryCallOptions } from '../../api/queries.ts'
import { collectLegs } from './call-legs.ts'

/** The platform's own server knows calls by their time alone: of those that began during this one the first so many are asked for. */
const maxOverlappingCalls = 500

const during = async (
  { account_sid, attempted_at, terminated_at }: Call,
  how: CallOptions,
): Promise<readonly Call[]> => {
  const start = new Date(Date.parse(attempted_at) - 60_000).toISOString()
  const query = {
    page: '1',
    count: String(maxOverlappingCalls),
    start,
    ...(terminated_at ? { end: terminated_at } : {}),
  }
  const { data } = await api('GET /Accounts/:account_sid/RecentCalls', { params: { account_sid }, query }, how)
  return data
}

/** The records of the call that a record is of, itself included, oldest first. */
export const legsQuery = (own: Call, sip_callid: string) =>
  queryOptions({
    queryKey: ['call-legs', own.account_sid, sip_callid],
    queryFn: async (context) => {
      const params = { account_sid: own.account_sid }
      const found = config().extensions.has('call-legs')
        ? await api(
            'GET /patchbay/accounts/:account_sid/call-legs',
            { params, query: { sip_callid } },
            queryCallOptions(context),
          )
        : await during(own, queryCallOptions(context))
      return collectLegs(own, found)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
