import { queryOptions } from '@tanstack/react-query'
import type { Capture } from '@patchbay/contract/call-captures'
import { api, type CallOptions } from '../../api/client.ts'
import { queryCallOptions } from '../../api/queries.ts'

/** Whose captured SIP it is, as far as the caller knows. */
export type CaptureOwner = { account_sid: string } | { service_provider_sid: string }

/** A leg's capture, or why it could not be read. */
export type ReadCapture = { capture: Capture; error?: never } | { capture?: never; error: unknown }

const readOne = async (owner: CaptureOwner, sip_callid: string, how: CallOptions): Promise<ReadCapture> => {
  try {
    const capture =
      'account_sid' in owner
        ? await api('GET /Accounts/:account_sid/RecentCalls/:sip_callid', { params: { ...owner, sip_callid } }, how)
        : await api(
            'GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid',
            { params: { ...owner, sip_callid } },
            how,
          )
    return { capture }
  } catch (error) {
    return { error }
  }
}

/** The captures of these legs, in their order, read when they are asked for, as a pcap is; fails where that of `own` does. */
export const capturesQuery = (owner: CaptureOwner, sip_callids: readonly string[], own: string) =>
  queryOptions({
    queryKey: ['captures', owner, sip_callids, own],
    queryFn: async (context) => {
      const read = await Promise.all(sip_callids.map((one) => readOne(owner, one, queryCallOptions(context))))
      const mine = read[sip_callids.indexOf(own)]
      if (mine?.error !== undefined) throw mine.error
      return read
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
