import { maskKey } from '../shared/masking.ts'
import type { Stored, StoredField, Vendor } from './descriptor.ts'

/**
 * Where the secrets of a speech service are sent. Whoever may change a service without knowing its secrets must not get
 * them by changing an address: a new host requires the secrets again.
 */

/** Fields that the address of requests is made of. */
const isDestination = (field: { name: string }): boolean => /(?:_ur[il]|region)$/.test(field.name)

/** Returns the host and port of an address, with the scheme if the connection is not encrypted. */
const hostOf = (address: string): string => {
  const url = URL.parse(/^\w+:\/\//.test(address) ? address : `https://${address}`)
  if (url === null || url.host === '') return address.toLowerCase()
  return /^(?:http|ws):$/.test(url.protocol) ? `${url.protocol}//${url.host}` : url.host
}

const textIn = (stored: Stored, name: string): string => {
  const value = stored[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** Returns where the vendor's own choices lead: to itself, so no secret is given away by choosing another one. */
const ownDestinations = ({ parts }: Vendor): ReadonlySet<string> =>
  new Set(parts.flatMap((part) => (part.kind === 'choice' ? part.options.map(({ value }) => hostOf(value)) : [])))

const destinationFields = ({ parts }: Vendor): StoredField[] =>
  parts.filter((part) => part.kind !== 'question').filter(isDestination)

/** Returns the first host in `after` that `before` does not name, or undefined. */
export const newDestination = (vendor: Vendor, before: Stored, after: Stored): string | undefined => {
  const fields = destinationFields(vendor)
  const own = ownDestinations(vendor)
  const known = new Set(fields.map(({ name }) => hostOf(textIn(before, name))))
  return fields
    .map(({ name }) => textIn(after, name))
    .filter((address) => address !== '')
    .map(hostOf)
    .find((host) => !known.has(host) && !own.has(host))
}

/** Returns the names of the secrets that a stored service has. */
export const storedSecrets = ({ parts }: Vendor, stored: Stored): string[] =>
  parts.filter((part) => part.kind === 'secret' && textIn(stored, part.name) !== '').map(({ name }) => name)

/** Returns whether a body carries a secret itself, not nothing and not its mask. */
export const hasNewSecret = (body: Stored, stored: Stored, name: string): boolean => {
  const sent = textIn(body, name)
  return sent !== '' && sent !== maskKey(textIn(stored, name))
}
