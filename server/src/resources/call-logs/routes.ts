import type { callLogEndpoints } from '@patchbay/contract/call-logs'
import { refuse } from '@patchbay/contract/errors'
import { ok } from '../../http/answers.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Services } from '../../services.ts'

export const callLogRoutes = ({ calls, logs }: Services): Handlers<keyof typeof callLogEndpoints> => ({
  'GET /Accounts/:account_sid/RecentCalls/:call_sid/logs': async ({ params: { account_sid, call_sid }, query }) => {
    if (logs === undefined) return refuse('no_logs_here')
    const [call] = await calls.find({ account_sid }, { call_sid })
    if (call === undefined) return refuse('call_not_found')
    return ok(await logs.read(call, query.logGroupName))
  },

  'GET /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/logs': async () => refuse('logs_of_account'),
})
