import type { Actor } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { Capture, callCaptureEndpoints } from '@patchbay/contract/call-captures'
import { isCallId } from '@patchbay/rules/sip/message-head'
import { findClaim, isClaimed } from '../../call-data/calls/claims.ts'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import { readFiltered } from '../../call-data/captures/capture-filter.ts'
import { toCapture } from '../../call-data/captures/capture-response.ts'
import type { CaptureFilter, CaptureKind } from '../../call-data/captures/captures.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'
import { isRegistration } from '../shared/carrier-registrations.ts'

/** Returns a file name that is valid on all systems for any Call-ID. */
const getFileName = (sip_callid: string): string => `callid-${sip_callid.replace(/[^\w.@+-]/g, '_')}.pcap`

interface Access {
  filter: CaptureFilter
  /** True if another tenant has a call with this Call-ID. */
  isShared: boolean
}

interface Caller {
  actor: Actor
  signal: AbortSignal
}

export const callCaptureRoutes = ({
  calls,
  captures,
  callDetails,
  database,
}: Services): Handlers<keyof typeof callCaptureEndpoints> => {
  /**
   * Returns which messages of a Call-ID an owner may see: those from the time of its own calls (see claims.ts), and
   * REGISTER messages if a carrier that it may use is registered with this Call-ID.
   */
  const getAccess = async (owner: CallOwner, sip_callid: string): Promise<Access | undefined> => {
    if (!isCallId(sip_callid)) return undefined
    const [claim, registers] = await Promise.all([
      findClaim(calls, owner, sip_callid),
      isRegistration(database, owner, sip_callid),
    ])
    const kinds: CaptureKind[] = [
      ...(claim ? (['invite'] as const) : []),
      ...(registers ? (['register'] as const) : []),
    ]
    if (kinds.length === 0) return undefined
    const includes = (kind: CaptureKind, atMicroseconds: number) =>
      kind === 'register' || (claim !== undefined && isClaimed(claim, atMicroseconds / 1000))
    return { filter: { kinds, includes }, isShared: (claim?.foreign.length ?? 0) > 0 }
  }

  const runInQueue = <T>({ actor, signal }: Caller, work: () => Promise<T>): Promise<T> =>
    callDetails.run(fairnessKey(actor), (runStep) => runStep(work), signal)

  const readCapture = async (owner: CallOwner, sip_callid: string): Promise<Capture> => {
    const access = await getAccess(owner, sip_callid)
    return access === undefined ? toCapture([]) : readFiltered(captures, sip_callid, access.filter)
  }

  const read = async (caller: Caller, owner: CallOwner, sip_callid: string) =>
    ok(await runInQueue(caller, () => readCapture(owner, sip_callid)))

  const readPcap = async (owner: CallOwner, sip_callid: string, kind: CaptureKind) => {
    const access = await getAccess(owner, sip_callid)
    if (access === undefined || !access.filter.kinds.includes(kind)) return undefined
    // A pcap file from Homer cannot be divided between tenants.
    if (access.isShared && !captures.filters) return undefined
    return captures.pcap(sip_callid, kind, access.filter)
  }

  const pcap = async (caller: Caller, owner: CallOwner, sip_callid: string, method: string) => {
    const kind = method.toLowerCase()
    if (kind !== 'invite' && kind !== 'register') return throwApiError('not_found')
    const content = await runInQueue(caller, () => readPcap(owner, sip_callid, kind))
    if (content === undefined) return throwApiError('not_found')
    const headers = { 'content-disposition': `attachment; filename=${getFileName(sip_callid)}` }
    return ok({ type: 'application/octet-stream', content, headers })
  }

  return {
    'GET /Accounts/:account_sid/RecentCalls/:sip_callid': ({ params: { account_sid, sip_callid }, ...caller }) =>
      read(caller, { account_sid }, sip_callid),

    'GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid': ({
      params: { service_provider_sid, sip_callid },
      ...caller
    }) => read(caller, { service_provider_sid }, sip_callid),

    'GET /Accounts/:account_sid/RecentCalls/:sip_callid/:method/pcap': ({
      params: { account_sid, sip_callid, method },
      ...caller
    }) => pcap(caller, { account_sid }, sip_callid, method),

    'GET /ServiceProviders/:service_provider_sid/RecentCalls/:sip_callid/:method/pcap': ({
      params: { service_provider_sid, sip_callid, method },
      ...caller
    }) => pcap(caller, { service_provider_sid }, sip_callid, method),
  }
}
