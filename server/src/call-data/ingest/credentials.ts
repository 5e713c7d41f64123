import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIPv6 } from 'node:net'
import type { Credentials } from '../../config/option-types.ts'
import { isForwarded } from '../../lib/forwarding-headers.ts'

/** Authentication of clients that write to an ingest server. Clients are programs, never web pages. */

interface Incoming {
  headers: IncomingHttpHeaders
}

/** Digests have a fixed length, so the comparison time does not depend on the input. */
const digest = (value: string): Buffer => createHash('sha256').update(value).digest()

/** Compares two secrets in constant time. */
export const isEqual = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))

/** Returns `username:password` from Basic authentication (RFC 7617), or undefined if the header is missing. */
export const getBasicCredentials = ({ headers }: Incoming): string | undefined => {
  const [scheme, encoded = ''] = (headers.authorization ?? '').split(' ')
  return scheme?.toLowerCase() === 'basic' ? Buffer.from(encoded, 'base64').toString('utf8') : undefined
}

/** Compares `username:password` with the configured credentials in constant time. */
export const areCredentials = (received: string | undefined, { username, password }: Credentials): boolean =>
  isEqual(received ?? '', `${username}:${password}`)

const parseHostname = (host: string): string | undefined => {
  const address = `http://${isIPv6(host) ? `[${host}]` : host}`
  return URL.canParse(address) ? new URL(address).hostname : undefined
}

/**
 * Returns whether the Host header names this server. Protects against DNS rebinding: a browser that was led here by
 * another name sends that name.
 */
const isAddressedTo = (host: string, { headers }: Incoming): boolean => {
  if (headers.host === undefined) return true
  const hostname = parseHostname(headers.host)
  return (
    hostname !== undefined && (hostname === parseHostname(host) || /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname))
  )
}

/**
 * Returns whether a request without credentials can come from a program on this machine only. A proxy on this machine
 * connects from here too, on behalf of everybody.
 */
export const isLocal = (host: string, request: Incoming): boolean =>
  !isForwarded(request) && isAddressedTo(host, request)

/** Returns whether a browser sent the request, which it indicates with these headers. */
export const isFromBrowser = ({ headers }: Incoming): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
