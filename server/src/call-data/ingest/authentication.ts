import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIPv6 } from 'node:net'
import type { Credentials } from '../../config/option-types.ts'

interface Incoming {
  headers: IncomingHttpHeaders
}

/** Digests are of one length, whatever was given. */
const digest = (value: string): Buffer => createHash('sha256').update(value).digest()

export const sameText = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))

/** username:password of Basic authentication (RFC 7617); undefined where the request has none. */
export const basicCredentials = ({ headers }: Incoming): string | undefined => {
  const [scheme, encoded = ''] = (headers.authorization ?? '').split(' ')
  return scheme?.toLowerCase() === 'basic' ? Buffer.from(encoded, 'base64').toString('utf8') : undefined
}

/** Whether `username:password` is what is wanted; takes as long whatever is given. */
export const areCredentials = (given: string | undefined, { username, password }: Credentials): boolean =>
  sameText(given ?? '', `${username}:${password}`)

const hostnameOf = (host: string): string | undefined => {
  const address = `http://${isIPv6(host) ? `[${host}]` : host}`
  return URL.canParse(address) ? new URL(address).hostname : undefined
}

/** Also of a name that was made to lead here: what a browser calls by another name is not meant for us. */
export const isAddressedTo = (host: string, { headers }: Incoming): boolean => {
  if (headers.host === undefined) return true
  const named = hostnameOf(headers.host)
  return named !== undefined && (named === hostnameOf(host) || /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(named))
}

/** A browser tells that it is one. */
export const isOfWebPage = ({ headers }: Incoming): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
