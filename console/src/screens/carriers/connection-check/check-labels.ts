import type { ConnectionCheck, GatewayCheck } from '@patchbay/contract/carrier-connection-check'
import { type ConnectionFailure, lastCallDays, type SipTransport } from '@patchbay/contract/shared/connection-check'
import type { StateTone } from '../../../ui/badge.tsx'
import { formatCount } from '../../../ui/format/text.ts'

/** Labels and sentences about the results of a connection check. */

export const transportLabels: Readonly<Record<SipTransport, string>> = { udp: 'UDP', tcp: 'TCP', tls: 'TLS' }

const failureLabels: Readonly<Record<ConnectionFailure, string>> = {
  invalid_address: 'Invalid address',
  address_not_allowed: 'Private address',
  not_resolved: 'Not found in DNS',
  refused: 'Connection refused',
  unreachable: 'Unreachable',
  closed: 'Connection closed',
  timeout: 'No response',
  certificate_invalid: 'Invalid certificate',
  tls_failed: 'TLS failed',
  malformed_response: 'Invalid response',
  response_too_large: 'Invalid response',
  no_response: 'No SIP response',
}

const formatPort = ({ transport, port, outbound_sip_proxy: proxy }: GatewayCheck): string =>
  `${transportLabels[transport]}${port === null || proxy !== null ? '' : ` port ${port}`}`

const explainFailure = (code: ConnectionFailure, detail: string | null, gateway: GatewayCheck): string => {
  switch (code) {
    case 'invalid_address':
      return gateway.outbound_sip_proxy === null
        ? 'This address or port can’t be called. Correct it in the gateway.'
        : 'The address of the gateway or of the outbound SIP proxy can’t be called. Correct it.'
    case 'address_not_allowed':
      return 'Patchbay must not send requests to this private network. The administrator can allow it with PRIVATE_NETWORKS.'
    case 'not_resolved':
      return 'The name has no address in DNS, or only private addresses. Check the spelling.'
    case 'refused':
      return `The host or a firewall refused ${formatPort(gateway)}. Check the port and the protocol.`
    case 'unreachable':
      return 'No route leads to this address. Check the address and your network.'
    case 'closed':
      return 'The gateway closed the connection without a response. The carrier may only accept known addresses.'
    case 'timeout':
      return 'No response within 3 seconds. Check the address, port, and protocol. A firewall may block the request, or the carrier may ignore addresses that it does not know.'
    case 'certificate_invalid':
      return `The TLS certificate is not valid for this gateway: ${detail ?? 'unknown reason'}.`
    case 'tls_failed':
      return `The TLS handshake failed. Check that the gateway accepts TLS on ${formatPort(gateway)}.`
    case 'malformed_response':
      return 'The response is not SIP. Another program may use this port.'
    case 'response_too_large':
      return 'The response exceeds 64 kB. Another program may use this port.'
    case 'no_response':
      return `No SIP response on ${formatPort(gateway)} within 3 seconds. Check the address, port, and protocol. A firewall may block the request, or the carrier may ignore addresses that it does not know. An administrator sees the exact reason.`
  }
}

/**
 * Says which calls work. The SBCs treat every response to their pings but 200 as a failure
 * (docs/reference/platform-api/runtime-routing.md#health-of-gateways-and-servers).
 */
const explainCalls = (calls: string): string =>
  `${calls} can still work if OPTIONS pings are off for this gateway. With pings, the SBCs skip it for outbound calls unless it responds to them with 200.`

/** Returns what a status other than 2xx means for a carrier, or an empty text. */
const explainStatus = (status: number): string => {
  if (status === 401 || status === 407)
    return `The carrier asks for credentials. ${explainCalls('Calls that send them')}`
  if (status === 403) return 'The carrier rejects requests from this server. It may still accept calls from your SBCs.'
  // A 404 is about the address of the request (RFC 3261 section 21.4.5), and says nothing about the method.
  if (status === 404) return `The carrier does not know the address of this request. ${explainCalls('Calls')}`
  if (status === 405 || status === 501) return `The carrier does not support OPTIONS. ${explainCalls('Calls')}`
  return status >= 500 ? 'The carrier reports a failure.' : ''
}

export interface GatewayResult {
  tone: StateTone
  label: string
  /** Full sentences. */
  explanation: string
}

/** Returns the result of a gateway in words. */
export const describeGateway = (gateway: GatewayCheck): GatewayResult => {
  const { response, failure, outbound } = gateway
  if (response !== null) {
    const { status, reason, address, round_trip_ms } = response
    const isOk = status < 300
    const what = `${status} ${reason}`.trim()
    const received = `Received ${what} from ${address} in ${round_trip_ms < 1 ? 'less than 1' : Math.round(round_trip_ms)} ms.`
    return {
      tone: isOk ? 'good' : 'warn',
      label: isOk ? 'Responds' : `Responds with ${status}`,
      explanation: `${received} ${explainStatus(status)}`.trim(),
    }
  }
  if (failure === null)
    return {
      tone: 'neutral',
      label: 'Not checked',
      explanation: 'Calls can arrive from every address of this network, so there is no single address to check.',
    }
  const inboundNote = outbound ? '' : ' Calls from this gateway can still arrive.'
  const proxyNote =
    gateway.outbound_sip_proxy === null ? '' : ' The request was sent to the outbound SIP proxy of the carrier.'
  return {
    tone: outbound ? 'bad' : 'warn',
    label: failureLabels[failure.code],
    explanation: explainFailure(failure.code, failure.detail, gateway) + inboundNote + proxyNote,
  }
}

/** Returns how many of the checked gateways respond. */
export const summarizeCheck = ({
  gateways,
  gateway_count,
}: Pick<ConnectionCheck, 'gateways' | 'gateway_count'>): string => {
  const checked = gateways.filter(({ response, failure }) => response !== null || failure !== null)
  if (checked.length === 0)
    return gateway_count === 0 ? 'The carrier has no active SIP gateway.' : 'The carrier has no gateway to check.'
  const responding = checked.filter(({ response }) => response !== null).length
  const rest = gateway_count - gateways.length
  const noun = checked.length === 1 ? 'gateway' : 'gateways'
  return `${responding} of ${checked.length} ${noun} responded.${rest > 0 ? ` ${formatCount(rest)} more were not checked.` : ''}`
}

export const noRecentCall = `None in the last ${lastCallDays} days`
