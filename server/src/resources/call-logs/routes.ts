import { throwApiError } from '@patchbay/contract/api/errors'
import type { callLogEndpoints } from '@patchbay/contract/call-logs'
import type { Call } from '@patchbay/contract/recent-calls'
import { findClaimsOfCall } from '../../call-data/calls/claims.ts'
import { filterLinesOfCall } from '../../call-data/logs/log-access.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'

export const callLogRoutes = ({
  calls,
  logs,
  callDetails,
  masking,
}: Services): Handlers<keyof typeof callLogEndpoints> => ({
  'GET /Accounts/:account_sid/RecentCalls/:call_sid/logs': async ({
    params: { account_sid, call_sid },
    query,
    actor,
    signal,
  }) => {
    if (logs === undefined) return throwApiError('logs_not_configured')
    const legs = await calls.find({ account_sid }, { call_sid })
    const [call] = legs
    if (call === undefined) return throwApiError('call_not_found')
    const read = async (foundCall: Call) => {
      const [lines, claims] = await Promise.all([
        logs.read(foundCall, query.logGroupName),
        findClaimsOfCall(calls, foundCall, legs),
      ])
      const own = await filterLinesOfCall(lines, claims)
      return masking.maskLog(await masking.findRules({ account_sid }), own)
    }
    return ok(await callDetails.run(fairnessKey(actor), (runStep) => runStep(() => read(call)), signal))
  },

  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/logs': async () =>
    throwApiError('account_sid_required'),
})
