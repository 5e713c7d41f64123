import type { LiveCall } from '@patchbay/contract/live-calls'
import { getEndStatus } from '@patchbay/contract/shared/call-changes'
import { api } from '../../api/client.ts'

/** Identifies a call that can be ended, with its status. */
export type EndableCall = Pick<LiveCall, 'call_status'> & { account_sid: string; call_sid: string }

/** Ends a call for all participants. The platform confirms that it ends the call, and does so after that. */
export const endCall = (call: EndableCall): Promise<unknown> => {
  const { account_sid, call_sid } = call
  const body = { call_status: getEndStatus(call) }
  return api('PUT /Accounts/:account_sid/Calls/:call_sid', { params: { account_sid, call_sid }, body }, { once: true })
}
