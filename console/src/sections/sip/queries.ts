import type { Capture } from '@patchbay/contract/call-captures'
import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** A leg's capture, or why it could not be read. */
export type ReadCapture = { capture: Capture; error?: never } | { capture?: never; error: unknown }

const readOne = async (owner: OwnerSid, sip_callid: string, how: CallOptions): Promise<ReadCapture> => {
  try {
    const capture =
      owner.account_sid === undefined
        ? await api(
            'GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid',
            { params: { ...owner, sip_callid } },
            how,
          )
        : await api('GET /Accounts/:account_sid/RecentCalls/:sip_callid', { params: { ...owner, sip_callid } }, how)
    return { capture }
  } catch (error) {
    return { error }
  }
}

/** Loads the code that explains a call. It loads while the captures are read, because the diagram does not need it. */
export const findingsCodeQuery = queryOptions({
  queryKey: ['script', 'sip-findings'],
  queryFn: async () => {
    const [{ findSipFindings, analyzeCaptures }, { explainSip }] = await Promise.all([
      import('@patchbay/rules/sip/findings/findings'),
      import('@patchbay/rules/call-verdict/sip-rules'),
    ])
    return { find: findSipFindings, analyze: analyzeCaptures, explain: explainSip }
  },
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
})

/** Reads the captures of the legs on demand, in order, as pcap downloads do. Fails if the capture of `own` fails. */
export const capturesQuery = (owner: OwnerSid, sip_callids: readonly string[], own: string) =>
  queryOptions({
    queryKey: ['captures', owner, sip_callids, own],
    queryFn: async (context) => {
      const read = await Promise.all(sip_callids.map((one) => readOne(owner, one, queryCallOptions(context))))
      const ownCapture = read[sip_callids.indexOf(own)]
      if (ownCapture?.error !== undefined) throw ownCapture.error
      return read
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
