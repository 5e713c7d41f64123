import { splitValues } from '../scan.ts'
import { maskAddress, maskHostPort } from './mask-address.ts'
import { maskParameters } from './mask-parameters.ts'
import type { Pseudonyms } from './pseudonyms.ts'

/**
 * Masks the values of SIP headers. A header that is not listed here, or does not have the grammar of its name, is left
 * out: it can contain tokens, names, and numbers in any notation. Pure.
 */

/** Returns the masked value, or undefined if it is left out. */
export type MaskHeader = (value: string, pseudonyms: Pseudonyms) => string | undefined

/** Applies to each of the values that commas separate. One that cannot be masked is left out with the others. */
const each =
  (mask: MaskHeader): MaskHeader =>
  (value, pseudonyms) => {
    const masked = splitValues(value).map((one) => mask(one, pseudonyms))
    return masked.every((one) => one !== undefined) && masked.length > 0 ? masked.join(', ') : undefined
  }

const matching =
  (pattern: RegExp): MaskHeader =>
  (value) =>
    pattern.test(value) ? value : undefined

/** Names of methods, extensions, and types, which contain no long numbers. */
const tokens: MaskHeader = (value, { maskText }) =>
  /^[\w\s,.;!%*+`'~/"=-]*$/.test(value) && !/\d{4}/.test(value) ? maskText(value) : undefined

/** A number with parameters: `1800;refresher=uac`. */
const seconds: MaskHeader = (value, pseudonyms) => {
  const [, number, list = ''] = /^(\d{1,7})(?:[ \t]{0,8}\([^)]*\))?[ \t]{0,8}((?:;.*)?)$/.exec(value) ?? []
  return number && `${number}${maskParameters(list, pseudonyms)}`
}

/** An identifier with parameters: `dialog;id=1`, `a84b4c76e66710@host;to-tag=1`. */
const identifier: MaskHeader = (value, pseudonyms) => {
  const [, id, list = ''] = /^([^\s;"<>]{1,255})[ \t]*((?:;.*)?)$/.exec(value) ?? []
  if (id === undefined) return undefined
  const [local = '', host, ...more] = id.split('@')
  if (more.length > 0) return undefined
  const maskedHost = host === undefined ? '' : (maskHostPort(host, pseudonyms) ?? pseudonyms.maskIdentifier(host))
  const masked = pseudonyms.maskIdentifier(local) + (host === undefined ? '' : `@${maskedHost}`)
  return `${masked}${maskParameters(list, pseudonyms)}`
}

const via: MaskHeader = (value, pseudonyms) => {
  const [, transport, sender = '', list = ''] =
    /^SIP[ \t]*\/[ \t]*2\.0[ \t]*\/[ \t]*([a-z-]{2,8})[ \t]+([^\s;]{1,300})[ \t]*((?:;.*)?)$/i.exec(value) ?? []
  const host = maskHostPort(sender, pseudonyms)
  return transport && host && `SIP/2.0/${transport} ${host}${maskParameters(list, pseudonyms)}`
}

const warning: MaskHeader = (value, pseudonyms) => {
  const [, code, agent = '', text = ''] = /^(\d{3}) (\S{1,300}) "((?:[^"\\]|\\.)*)"$/.exec(value) ?? []
  const host = maskHostPort(agent, pseudonyms)
  return code && host && `${code} ${host} "${pseudonyms.maskText(text)}"`
}

const reason: MaskHeader = (value, pseudonyms) => {
  const [, protocol, list = ''] = /^([\w.-]{1,32})[ \t]*((?:;.*)?)$/.exec(value) ?? []
  return protocol && `${protocol}${maskParameters(list, pseudonyms)}`
}

const freeText: MaskHeader = (value, { maskText }) => maskText(value)
const textOfCaller: MaskHeader = (value, { isShowingNumbers, maskText }) =>
  isShowingNumbers ? maskText(value) : undefined

/** Keeps the settings of a challenge. The rest proves who the caller is, or helps to guess a password. */
const credentials: MaskHeader = (value, { maskText }) => {
  const [, scheme] = /^(digest|basic|bearer)\b/i.exec(value) ?? []
  if (scheme === undefined) return undefined
  const readable = /\b(algorithm|qop|stale)[ \t]*=[ \t]*("?[\w-]{1,32}"?)(?![\w-])/gi
  const realm = /\brealm[ \t]*=[ \t]*"([^"\\]{0,255})"/i.exec(value)?.[1]
  const parts = scheme.toLowerCase() === 'digest' ? [...value.matchAll(readable)].map(([one]) => one) : []
  const first = realm === undefined || parts.length === 0 ? [] : [`realm="${maskText(realm)}"`]
  return `${scheme} ${[...first, ...parts, 'masked="credentials"'].join(', ')}`
}

/** A signed token (RFC 8224), which contains the numbers of the call. */
const signedIdentity: MaskHeader = (value, { isShowingNumbers, maskIdentifier }) =>
  isShowingNumbers && /^[\w-]{1,2000}\.[\w-]{0,4000}\.[\w-]{1,2000}(?:;[\w-]{1,16}=[^\s;"]{1,300})*$/.test(value)
    ? maskIdentifier(value)
    : undefined

const contact: MaskHeader = (value, pseudonyms) => (value === '*' ? value : each(maskAddress)(value, pseudonyms))

/** By full name in lower case. */
const headers: Readonly<Record<string, MaskHeader>> = {
  accept: tokens,
  'accept-encoding': tokens,
  'accept-language': tokens,
  allow: tokens,
  'allow-events': tokens,
  authorization: credentials,
  'authentication-info': credentials,
  'call-id': identifier,
  contact,
  'content-disposition': tokens,
  'content-encoding': tokens,
  cseq: matching(/^\d{1,10}[ \t]+[a-z]{2,16}$/i),
  date: matching(/^[a-z]{3}, \d{2} [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT$/i),
  diversion: each(maskAddress),
  event: identifier,
  expires: seconds,
  from: maskAddress,
  'history-info': each(maskAddress),
  identity: signedIdentity,
  'info-package': tokens,
  'max-forwards': matching(/^\d{1,3}$/),
  'mime-version': tokens,
  'min-expires': seconds,
  'min-se': seconds,
  organization: textOfCaller,
  'p-asserted-identity': each(maskAddress),
  'p-called-party-id': maskAddress,
  'p-early-media': tokens,
  'p-preferred-identity': each(maskAddress),
  path: each(maskAddress),
  privacy: tokens,
  'proxy-authenticate': credentials,
  'proxy-authorization': credentials,
  'proxy-require': tokens,
  rack: matching(/^\d{1,10}[ \t]+\d{1,10}[ \t]+[a-z]{2,16}$/i),
  reason: each(reason),
  'record-route': each(maskAddress),
  'recv-info': tokens,
  'refer-sub': tokens,
  'refer-to': maskAddress,
  'referred-by': maskAddress,
  'remote-party-id': each(maskAddress),
  replaces: identifier,
  require: tokens,
  'retry-after': seconds,
  route: each(maskAddress),
  rseq: matching(/^\d{1,10}$/),
  server: freeText,
  'service-route': each(maskAddress),
  'session-expires': seconds,
  subject: textOfCaller,
  'subscription-state': reason,
  supported: tokens,
  timestamp: matching(/^\d{1,6}(?:\.\d{1,6})?$/),
  to: maskAddress,
  unsupported: tokens,
  'user-agent': freeText,
  via: each(via),
  warning: each(warning),
  'www-authenticate': credentials,
}

/** Masks the value of a header with this full name in lower case. Undefined if the value is left out. */
export const maskHeader = (name: string, value: string, pseudonyms: Pseudonyms): string | undefined =>
  Object.hasOwn(headers, name) ? headers[name]?.(value, pseudonyms) : undefined
