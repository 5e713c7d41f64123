import { randomBytes, randomUUID } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { SipTransport } from '@patchbay/contract/shared/connection-check'

/** Identifiers by which the response of a request is recognized (RFC 3261 §17.1.3). */
export interface OptionsTransaction {
  branch: string
  callId: string
  fromTag: string
}

/** The receiver of a request, as its URI names it. */
export interface OptionsTarget {
  /** Host name or IP address of the gateway. */
  host: string
  /** Null if the URI has no port, so that DNS determines it. */
  port: number | null
  transport: SipTransport
  usesSips: boolean
}

export interface LocalAddress {
  address: string
  port: number
}

/** The connection over which the request is sent. A proxy can use another transport than the gateway. */
export interface SendingSide extends LocalAddress {
  transport: SipTransport
}

/** Creates the identifiers of a new request. The branch starts with the magic cookie of RFC 3261 §8.1.1.7. */
export const createTransaction = (): OptionsTransaction => ({
  branch: `z9hG4bK${randomBytes(12).toString('hex')}`,
  callId: randomUUID(),
  fromTag: randomBytes(6).toString('hex'),
})

const bracket = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

const toParameter = (transport: SipTransport): string => (transport === 'udp' ? '' : `;transport=${transport}`)

/**
 * Returns an OPTIONS request outside of a dialog (RFC 3261 §11.1), with `rport` so that the response passes a NAT
 * (RFC 3581). The host must be a valid host name or IP address, because it becomes part of header lines.
 */
export const buildOptionsRequest = (
  { branch, callId, fromTag }: OptionsTransaction,
  { host, port, transport, usesSips }: OptionsTarget,
  local: SendingSide,
): string => {
  const scheme = usesSips ? 'sips' : 'sip'
  const authority = `${bracket(host)}${port === null ? '' : `:${port}`}`
  const parameter = toParameter(transport)
  const own = `${bracket(local.address)}:${local.port}`
  return [
    `OPTIONS ${scheme}:${authority}${usesSips ? '' : parameter} SIP/2.0`,
    `Via: SIP/2.0/${local.transport.toUpperCase()} ${own};branch=${branch};rport`,
    'Max-Forwards: 70',
    `From: <${scheme}:patchbay@${own}>;tag=${fromTag}`,
    `To: <${scheme}:${authority}>`,
    `Call-ID: ${callId}`,
    'CSeq: 1 OPTIONS',
    `Contact: <${scheme}:patchbay@${own}${usesSips ? '' : toParameter(local.transport)}>`,
    'Accept: application/sdp',
    'User-Agent: Patchbay',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n')
}
