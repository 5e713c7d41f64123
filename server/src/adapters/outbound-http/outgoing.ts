import type { LookupAddress } from 'node:dns'
import type { OutgoingNetwork } from '../../config/option-types.ts'
import { createAgents } from './agents.ts'
import { encodeBody } from './fetch.ts'
import { observeOutgoing } from './observe-outgoing.ts'
import { anyAddressPolicy, publicAddressPolicy } from './ssrf-guard.ts'
import { createTransport, defaultLimits, type ResponseHead, readBody, type Transport } from './transport.ts'
import { replacementFor } from './vendor-addresses.ts'
import { type OutboundSocket, openWebSocket } from './web-socket.ts'

export type { OutboundSocket as FarSocket } from './web-socket.ts'

/**
 * Sends requests to addresses that tenants or vendors provide. Only public addresses and those that the operator allows
 * are reachable. Responses are bounded, and every request ends when its caller's signal aborts. Redirects are not
 * followed.
 */
export interface Outgoing {
  /**
   * Resolves with the response, whatever its status, and rejects if there is none. `ws:` and `wss:` URLs are requested
   * over HTTP(S).
   */
  send(url: string, request: OutgoingRequest): Promise<OutboundResponse>
  /** Resolves when the WebSocket is open. */
  connect(url: string, opening: Opening): Promise<OutboundSocket>
  /**
   * Throws AddressNotAllowedError if a URL contains an IP address that must not be called. Host names are not resolved.
   */
  check(url: string): void
  /** Resolves a URL (https://host, or http://host:port) for libraries that open connections themselves. */
  resolve(url: string): Promise<Endpoint>
}

/** A request to an address that a tenant or vendor provides. */
export interface OutgoingRequest {
  /** Default: GET. */
  method?: string
  headers?: Readonly<Record<string, string>>
  /**
   * FormData is sent as multipart, URLSearchParams as application/x-www-form-urlencoded. For other bodies the caller
   * sets the content type.
   */
  body?: string | Buffer | FormData | URLSearchParams
  /** Called when the head of the response has arrived. */
  onAnswer?: (head: AnswerHead) => void
  /** Maximum number of bytes of the response body. Default: 4 MiB. Bodies of errors are cut off at 64 KiB. */
  max?: number
  stop: AbortSignal
}

export type AnswerHead = ResponseHead

/** A response with its complete body. */
export interface OutboundResponse extends AnswerHead {
  body: Buffer
}

/** Options of a WebSocket connection. */
export interface Opening {
  headers?: Readonly<Record<string, string>>
  stop: AbortSignal
}

/** The resolved address of a URL, with the host name to send to the server. */
export interface Endpoint {
  address: string
  port: number
  /** Host name, with the port if the URL has one. */
  authority: string
  hostname: string
  secure: boolean
}

/** Number of concurrent requests per tenant and host. */
const maxConcurrentPerHost = 32

/** Creates the transport for addresses that tenants provide. */
export const createTenantTransport = (
  { privateNetworks, vendorAddresses }: OutgoingNetwork,
  onBlocked?: (error: Error) => void,
): Transport =>
  createTransport({ policy: publicAddressPolicy(privateNetworks, onBlocked), vendorAddresses, maxConcurrentPerHost })

const toHttpUrl = (url: string): URL => new URL(url.replace(/^ws(?=s?:)/i, 'http'))

/**
 * Creates the client for addresses that tenants or vendors provide.
 * @param onBlocked is called when a request to a forbidden address is rejected
 */
export const createOutgoing = (network: OutgoingNetwork, onBlocked?: (error: Error) => void): Outgoing => {
  const { privateNetworks, vendorAddresses } = network
  const transport = createTenantTransport(network, onBlocked)
  const policy = publicAddressPolicy(privateNetworks, onBlocked)
  const agents = createAgents(policy)
  const unrestricted = createAgents(anyAddressPolicy)

  return {
    async send(address, { method = 'GET', headers, body, onAnswer, max = defaultLimits.maxResponseBytes, stop }) {
      const encoded = await encodeBody(body)
      const response = await transport.send(toHttpUrl(address), {
        method,
        headers: { ...encoded.headers, ...headers },
        body: encoded.content,
        signal: stop,
        limits: { maxResponseBytes: max, maxErrorBytes: Math.min(max, defaultLimits.maxErrorBytes) },
      })
      const { status, statusText } = response
      const head = { status, statusText, headers: response.headers }
      onAnswer?.(head)
      return { ...head, body: await readBody(response) }
    },

    async connect(address, { headers = {}, stop }) {
      const requestedUrl = toHttpUrl(address)
      const replacement = replacementFor(vendorAddresses, requestedUrl)
      const open = () =>
        openWebSocket({
          url: replacement ?? requestedUrl,
          agents: replacement ? unrestricted : agents,
          headers: { ...headers, host: requestedUrl.host },
          signal: stop,
        })
      return observeOutgoing({ url: requestedUrl, method: 'GET' }, open)
    },

    check(address) {
      const url = toHttpUrl(address)
      if (replacementFor(vendorAddresses, url) === undefined) policy.check(url.hostname)
    },

    async resolve(address) {
      const requestedUrl = toHttpUrl(address)
      const replacement = replacementFor(vendorAddresses, requestedUrl)
      const url = replacement ?? requestedUrl
      const hostname = url.hostname.replace(/^\[|\]$/g, '')
      const secure = url.protocol === 'https:'
      const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
      const endpoint = { port, authority: requestedUrl.host, hostname: requestedUrl.hostname, secure }
      if (replacement) return { ...endpoint, address: hostname }
      policy.check(hostname)
      const [first] = await new Promise<LookupAddress[]>((resolve, reject) => {
        policy.lookup(hostname, { all: true }, (error, addresses) => {
          if (error) reject(error)
          else resolve([addresses].flat().filter((item) => typeof item !== 'string'))
        })
      })
      if (first === undefined) throw new Error(`${hostname} has no address`)
      return { ...endpoint, address: first.address }
    },
  }
}
