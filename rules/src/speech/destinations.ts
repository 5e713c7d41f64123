import type { SecretField, Stored, StoredField, Vendor } from '@patchbay/contract/speech/descriptor'
import { mask, maskKey } from '../masking/masking.ts'

/**
 * Protects the secrets of a speech service when its address changes. A user who can change a service without knowing
 * its secrets could otherwise redirect them to another server, so a new host requires the secrets again.
 */

/** Matches fields that determine the address of requests. */
const isDestination = (field: { name: string }): boolean => /(?:_ur[il]|region)$/.test(field.name)

/** Returns the host and port of an address, with the scheme if the connection is not encrypted. */
const getHost = (address: string): string => {
  const url = URL.parse(/^\w+:\/\//.test(address) ? address : `https://${address}`)
  if (url === null || url.host === '') return address.toLowerCase()
  return /^(?:http|ws):$/.test(url.protocol) ? `${url.protocol}//${url.host}` : url.host
}

const textIn = (stored: Stored, name: string): string => {
  const value = stored[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** Returns the hosts of the vendor's predefined options. They belong to the vendor, so secrets can be sent there. */
const ownDestinations = ({ parts }: Vendor): ReadonlySet<string> =>
  new Set(parts.flatMap((part) => (part.kind === 'choice' ? part.options.map(({ value }) => getHost(value)) : [])))

const destinationFields = ({ parts }: Vendor): StoredField[] =>
  parts.filter((part) => part.kind !== 'question').filter(isDestination)

/** Returns the first host in `after` that is not in `before`, or undefined. */
export const newDestination = (vendor: Vendor, before: Stored, after: Stored): string | undefined => {
  const fields = destinationFields(vendor)
  const own = ownDestinations(vendor)
  const knownHosts = new Set(fields.map(({ name }) => getHost(textIn(before, name))))
  return fields
    .map(({ name }) => textIn(after, name))
    .filter((address) => address !== '')
    .map(getHost)
    .find((host) => !knownHosts.has(host) && !own.has(host))
}

/** Returns the names of the secrets that a stored service has. */
export const storedSecrets = ({ parts }: Vendor, stored: Stored): string[] =>
  parts.filter((part) => part.kind === 'secret' && textIn(stored, part.name) !== '').map(({ name }) => name)

/** Returns a secret as responses contain it. A value that is not a text is shown unless the field is opaque. */
export const maskSecret = ({ opaque }: Pick<SecretField, 'opaque'>, value: unknown): unknown => {
  if (opaque) return value === null || typeof value === 'boolean' ? value : mask
  return typeof value === 'string' ? maskKey(value) : value
}

/** Returns whether a body contains a new value for a secret instead of its mask or nothing. */
export const hasNewSecret = (body: Stored, stored: Stored, name: string): boolean => {
  const newSecret = textIn(body, name)
  return newSecret !== '' && newSecret !== mask && newSecret !== maskKey(textIn(stored, name))
}
