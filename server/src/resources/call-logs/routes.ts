import type { callLogEndpoints } from '@patchbay/contract/call-logs'
import { throwApiError } from '@patchbay/contract/errors'
import type { Call } from '@patchbay/contract/recent-calls'
import { ok } from '../../http/responses.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { type Claim, findClaim } from '../../call-data/calls/claims.ts'
import { filterLinesOfCall } from '../../call-data/logs/log-access.ts'
import type { Services } from '../services.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'

export const callLogRoutes = ({
  calls,
  logs,
  callDetails,
  masking,
}: Services): Handlers<keyof typeof callLogEndpoints> => {
  const findClaimById = (account_sid: string, id: { call_sid: string } | { sip_callid: string | null }) => {
    if ('call_sid' in id) return findClaim(calls, { account_sid }, id)
    const { sip_callid } = id
    return sip_callid === null
      ? Promise.resolve<Claim | undefined>(undefined)
      : findClaim(calls, { account_sid }, { sip_callid })
  }
  return {
    'GET /Accounts/:account_sid/RecentCalls/:call_sid/logs': async ({
      params: { account_sid, call_sid },
      query,
      actor,
      signal,
    }) => {
      if (logs === undefined) return throwApiError('no_logs_here')
      const [call] = await calls.find({ account_sid }, { call_sid })
      if (call === undefined) return throwApiError('call_not_found')
      const read = async (foundCall: Call) => {
        const [lines, bySid, byCallId] = await Promise.all([
          logs.read(foundCall, query.logGroupName),
          findClaimById(account_sid, { call_sid }),
          findClaimById(account_sid, { sip_callid: foundCall.sip_callid }),
        ])
        const own = await filterLinesOfCall(lines, { call: foundCall, bySid, byCallId })
        return masking.maskLines(await masking.findRules({ account_sid }), own)
      }
      return ok(await callDetails.run(fairnessKey(actor), (runStep) => runStep(() => read(call)), signal))
    },

    'GET /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/logs': async () =>
      throwApiError('logs_of_account'),
  }
}
