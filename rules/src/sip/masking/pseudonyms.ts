import type { ReportMasking } from '@patchbay/contract/shared/call-report-choices'
import { parseIpAddress } from '../../networks/ip-address.ts'
import { isPrivateAddress } from '../addresses.ts'
import { replaceAddresses } from './address-text.ts'
import { createNumberPseudonyms } from './number-pseudonyms.ts'

/** Replaces numbers, users, and addresses of a call consistently: the same value always has the same pseudonym. */

/** Users that say that there is no name (RFC 3323 §4.1.1.3), and what some platforms use for it. */
const anonymousUsers = new Set(['anonymous', 'unavailable', 'restricted', 'unknown', 'unassigned', ''])

/** Suffixes of names that only their own network resolves (RFC 6762, RFC 8375, ICANN's .internal, Kubernetes). */
const privateSuffix = /(?:^|\.)(?:local|localdomain|localhost|internal|intranet|private|lan|home|corp|svc|home\.arpa)$/

const hostName = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/

/** Words of texts that are looked up among masked hosts and users. */
const word = /[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?/gi

/** Users with these names identify no person, and texts about a call contain the same words. */
const roleNames = new Set(
  'agent answer call called callee caller carrier client gateway host invite number party phone platform proxy server session trunk user'.split(
    ' ',
  ),
)

/** Shorter users are also ordinary words and numbers. */
const minUserLength = 4

const decodePercent = (text: string): string =>
  text.replace(/%([2-7][0-9a-f])/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))

export interface Pseudonyms {
  isShowingNumbers: boolean
  /** Replaces the user part of a URI, without its password and parameters. */
  maskUser: (user: string) => string
  /** Replaces a host without its port. IPv6 addresses keep their brackets. Undefined if it is neither address nor name. */
  maskHost: (host: string) => string | undefined
  /** Masks what is known of the call in an identifier, such as a tag or a Call-ID. */
  maskIdentifier: (text: string) => string
  /** Masks a text for people, in which everything that looks like a number is masked. */
  maskText: (text: string) => string
}

const isPrivateName = (name: string): boolean => !name.includes('.') || privateSuffix.test(name)

/**
 * Creates the pseudonyms of a call.
 * @param contents everything that is masked, because a pseudonym must not be an address that is shown
 */
export const createPseudonyms = ({ numbers, addresses }: ReportMasking, contents: readonly string[]): Pseudonyms => {
  const isShowingNumbers = numbers === 'shown'
  const hosts = new Map<string, string>()
  const users = new Map<string, string>()
  const numberPseudonyms = createNumberPseudonyms(numbers === 'last_digits')
  /** Addresses for documentation (RFC 5737, RFC 3849) that the call itself contains. */
  const documentation =
    /192\.0\.2\.\d{1,3}|198\.1[89]\.\d{1,3}\.\d{1,3}|2001:db8::[0-9a-f]{1,4}|host-\d{1,6}\.invalid/gi
  const used = new Set(contents.flatMap((text) => text.toLowerCase().match(documentation) ?? []))
  /** Pseudonyms, which are not masked again. */
  const pseudonymSet = new Set(['anonymous.invalid'])
  const counts = { ipv4: 0, ipv6: 0, name: 0, user: 0 }

  /** Returns the next pseudonym that the call itself does not contain. */
  const next = (kind: keyof typeof counts, format: (count: number) => string): string => {
    const pseudonym = format((counts[kind] += 1))
    if (used.has(pseudonym)) return next(kind, format)
    pseudonymSet.add(pseudonym)
    return pseudonym
  }
  /** 192.0.2.0/24, then 198.18.0.0/15 (RFC 2544), which are not used on the Internet. */
  const nextIpv4 = () =>
    next('ipv4', (count) => {
      const rest = count - 255
      return count < 255 ? `192.0.2.${count}` : `198.${18 + ((rest >> 16) & 1)}.${(rest >> 8) & 255}.${rest & 255}`
    })
  const nextIpv6 = () => next('ipv6', (count) => `2001:db8::${count.toString(16)}`)

  const isMaskedAddress = (address: string): boolean => {
    if (addresses === 'shown' || pseudonymSet.has(address) || parseIpAddress(address)?.range() === 'unspecified')
      return false
    return addresses === 'all' || isPrivateAddress(address)
  }

  const assignPseudonym = (key: string, create: () => string): string => {
    const pseudonym = hosts.get(key) ?? create()
    hosts.set(key, pseudonym)
    return pseudonym
  }
  const replaceAddress = (text: string): string => {
    const ip = parseIpAddress(text)
    return assignPseudonym(String(ip), ip?.kind() === 'ipv4' ? nextIpv4 : nextIpv6)
  }
  const choice = { isMasked: isMaskedAddress, isPseudonym: (text: string) => pseudonymSet.has(text) }
  const maskAddresses = (text: string): string =>
    addresses === 'shown' ? text : replaceAddresses(text, choice, replaceAddress)

  const maskNumbers = (text: string): string => (isShowingNumbers ? text : numberPseudonyms.maskSeen(text))
  const maskIdentifier = (text: string): string => maskAddresses(maskNumbers(text))

  const isMaskedName = (name: string): boolean => {
    if (pseudonymSet.has(name)) return false
    const isMasked = addresses === 'all' || (addresses === 'private' && isPrivateName(name))
    // A name that contains a masked address or number is masked as a whole.
    return isMasked || maskIdentifier(name) !== name || (!isShowingNumbers && /\d{7}/.test(name))
  }

  const maskHost = (host: string): string | undefined => {
    if (parseIpAddress(host) !== undefined) {
      if (!isMaskedAddress(host)) return host
      const address = replaceAddress(host)
      return address.includes(':') && host.startsWith('[') ? `[${address}]` : address
    }
    const name = host.toLowerCase().replace(/\.$/, '')
    if (!hostName.test(name)) return undefined
    return isMaskedName(name) ? assignPseudonym(name, () => next('name', (count) => `host-${count}.invalid`)) : host
  }

  const maskUser = (user: string): string => {
    if (isShowingNumbers) return user
    const decoded = decodePercent(user).split(/[;:]/, 1)[0]?.trim() ?? ''
    if (anonymousUsers.has(decoded.toLowerCase())) return decoded
    const number = numberPseudonyms.maskNumber(decoded)
    if (number !== undefined) return number
    const key = decoded.toLowerCase()
    const pseudonym = users.get(key) ?? `user-${(counts.user += 1)}`
    users.set(key, pseudonym)
    return pseudonym
  }

  const maskWord = (text: string): string => {
    const key = text.toLowerCase()
    if (roleNames.has(key)) return text
    return hosts.get(key) ?? (key.length < minUserLength ? undefined : users.get(key)) ?? text
  }
  const maskText = (text: string): string => {
    const decoded = isShowingNumbers ? text : numberPseudonyms.maskAll(decodePercent(text))
    return maskAddresses(decoded).replace(word, maskWord)
  }

  return { isShowingNumbers, maskUser, maskHost, maskIdentifier, maskText }
}
