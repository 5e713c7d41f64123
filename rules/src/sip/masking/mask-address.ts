import { firstUriIn, scanAddressParameters } from '../scan.ts'
import { maskParameters } from './mask-parameters.ts'
import type { Pseudonyms } from './pseudonyms.ts'

/** Writes URIs and addresses again from their parts (RFC 3261 §19.1, §20.10, RFC 3966). Returns undefined otherwise. */

const hostAndRest = /^(\[[0-9a-f:.]{2,45}\]|[\w.-]{1,255})(:\d{1,5})?((?:;[^?]*)?)(?:\?.*)?$/i
const telephoneNumber = /^([+*#\d().A-F-]{1,64})((?:;.*)?)$/i
const serviceName = /^urn:service:[a-z.-]{1,40}$/i

/** Masks a host and its port. */
export const maskHostPort = (text: string, { maskHost }: Pseudonyms): string | undefined => {
  const [, host = '', port = '', rest = ''] = hostAndRest.exec(text) ?? []
  const masked = rest === '' ? maskHost(host) : undefined
  return masked === undefined ? undefined : `${masked}${port}`
}

const maskSipUri = (scheme: string, rest: string, pseudonyms: Pseudonyms): string | undefined => {
  const parts = rest.split('@')
  if (parts.length > 2) return undefined
  const [, host = '', port = '', parameters = ''] = hostAndRest.exec(parts.at(-1) ?? '') ?? []
  const maskedHost = pseudonyms.maskHost(host)
  if (maskedHost === undefined) return undefined
  // The password of a user is deprecated, and is never written (RFC 3261 §19.1.1).
  const [user] = parts.length === 2 ? (parts[0] ?? '').split(':', 1) : []
  const maskedUser = user === undefined ? '' : `${pseudonyms.maskUser(user)}@`
  return `${scheme}:${maskedUser}${maskedHost}${port}${maskParameters(parameters, pseudonyms)}`
}

/** Masks a SIP or tel URI, without its headers. */
export const maskUri = (uri: string, pseudonyms: Pseudonyms): string | undefined => {
  const text = uri.trim()
  const colon = text.indexOf(':')
  const scheme = text.slice(0, Math.max(colon, 0)).toLowerCase()
  const rest = text.slice(colon + 1)
  if (scheme === 'sip' || scheme === 'sips') return maskSipUri(scheme, rest, pseudonyms)
  if (scheme === 'tel') {
    const [, number, parameters = ''] = telephoneNumber.exec(rest) ?? []
    return number === undefined
      ? undefined
      : `tel:${pseudonyms.maskUser(number)}${maskParameters(parameters, pseudonyms)}`
  }
  return serviceName.test(text) ? text : undefined
}

const maskDisplayName = (name: string, { isShowingNumbers, maskText }: Pseudonyms): string => {
  if (name.trim() === '') return ''
  return isShowingNumbers ? maskText(name) : '"Masked" '
}

/** Masks an address of a header such as From or Contact: its display name, its URI, and its parameters. */
export const maskAddress = (address: string, pseudonyms: Pseudonyms): string | undefined => {
  const text = address.trim()
  const uri = firstUriIn(text)
  const open = text.lastIndexOf(`<${uri}>`)
  if (open < 0) {
    const end = uri.indexOf(';')
    const masked = maskUri(end < 0 ? uri : uri.slice(0, end), pseudonyms)
    return masked && `${masked}${maskParameters(end < 0 ? '' : uri.slice(end), pseudonyms)}`
  }
  const masked = maskUri(uri, pseudonyms)
  if (masked === undefined) return undefined
  const name = maskDisplayName(text.slice(0, open), pseudonyms)
  return `${name}<${masked}>${maskParameters(scanAddressParameters(text), pseudonyms)}`
}
