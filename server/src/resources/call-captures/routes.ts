import type { callCaptureEndpoints } from '@patchbay/contract/call-captures'
import { refuse } from '@patchbay/contract/errors'
import { isCallId } from '@patchbay/contract/rules/sip-messages'
import { ok } from '../../http/answers.ts'
import type { Handlers } from '../../http/mount.ts'
import type { CallOwner } from '../../platform/calls/page-search.ts'
import { wireCapture } from '../../platform/captures/wire-capture.ts'
import type { Services } from '../../services.ts'
import { isRegistration } from '../../stores/carrier-registrations.ts'

/** A name that is one everywhere, whatever the Call-ID holds. */
const fileOf = (sip_callid: string): string => `callid-${sip_callid.replace(/[^\w.@+-]/g, '_')}.pcap`

export const callCaptureRoutes = ({
  calls,
  captures,
  database,
}: Services): Handlers<keyof typeof callCaptureEndpoints> => {
  /** Its own calls, those from which they were made, and registrations with carriers that it may use. */
  const isTheirs = async (owner: CallOwner, sip_callid: string): Promise<boolean> => {
    if (!isCallId(sip_callid)) return false
    const [call] = await calls.find(owner, { sip_callid })
    if (call !== undefined) return true
    const [made] = await calls.find(owner, { sip_parent_callid: sip_callid })
    return made !== undefined || isRegistration(database, owner, sip_callid)
  }

  /** Of what is another's is told what is told of what does not exist: nothing was captured. */
  const read = async (owner: CallOwner, sip_callid: string) =>
    ok((await isTheirs(owner, sip_callid)) ? await captures.read(sip_callid) : wireCapture([]))

  const pcap = async (owner: CallOwner, sip_callid: string, method: string) => {
    const kind = method.toLowerCase()
    if (kind !== 'invite' && kind !== 'register') return refuse('not_found')
    const content = (await isTheirs(owner, sip_callid)) ? await captures.pcap(sip_callid, kind) : undefined
    if (content === undefined) return refuse('not_found')
    const headers = { 'content-disposition': `attachment; filename=${fileOf(sip_callid)}` }
    return ok({ type: 'application/octet-stream', content, headers })
  }

  return {
    'GET /Accounts/:account_sid/RecentCalls/:sip_callid': ({ params: { account_sid, sip_callid } }) =>
      read({ account_sid }, sip_callid),

    'GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid': ({
      params: { service_provider_sid, sip_callid },
    }) => read({ service_provider_sid }, sip_callid),

    'GET /Accounts/:account_sid/RecentCalls/:sip_callid/:method/pcap': ({
      params: { account_sid, sip_callid, method },
    }) => pcap({ account_sid }, sip_callid, method),

    'GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid/:method/pcap': ({
      params: { service_provider_sid, sip_callid, method },
    }) => pcap({ service_provider_sid }, sip_callid, method),
  }
}
