import { z } from 'zod'

/** Returns whether a text is an IPv4 address in dotted-decimal notation, without a netmask. */
export const isIpv4 = (text: string): boolean => z.regexes.ipv4.test(text)

/** Returns whether a text is an IPv4 network in CIDR notation, such as `10.0.0.0/8`. */
export const isIpv4Network = (text: string): boolean => z.regexes.cidrv4.test(text)

export type HostKind = 'ip' | 'fqdn' | 'fqdn-top-level' | 'invalid'

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i

/**
 * Classifies a text as an IPv4 address, a domain name with a subdomain, a domain name without one, or not a host
 * (COMMON-36). Unlike the console of jambonz, this function rejects texts such as `256.1.1.1` and `10.0.0.1/24`.
 */
export const classifyHost = (input: string): HostKind => {
  const text = input.trim()
  if (isIpv4(text)) return 'ip'
  const parts = text.split('.')
  if (parts.length < 2 || !parts.every((part) => label.test(part))) return 'invalid'
  // No top-level domain is numeric, so the text is an invalid IP address.
  if (/^\d+$/.test(parts.at(-1) ?? '')) return 'invalid'
  if (parts.length > 2) return 'fqdn'
  return /^[a-z]/i.test(text) ? 'fqdn-top-level' : 'invalid'
}

/** Decimal digits, from 0 to 65535. */
export const isPort = (text: string): boolean => /^\d{1,5}$/.test(text.trim()) && Number(text) <= 65_535

const proxyPattern = /^(?:(sips?):(?:[^@\s]+@)?)?([^@:;?\s]+)(?::([^;?\s]*))?((?:[;?]\S*)?)$/i

export interface SipProxy {
  host: string
  port: number | null
  /** Null if the text names none. */
  transport: 'udp' | 'tcp' | 'tls' | null
}

const toProxyTransport = (scheme: string | undefined, parameters: string): SipProxy['transport'] => {
  if (scheme?.toLowerCase() === 'sips') return 'tls'
  const named = /;transport=(udp|tcp|tls)(?![^;?])/i.exec(parameters)?.[1]?.toLowerCase()
  return named === 'udp' || named === 'tcp' || named === 'tls' ? named : null
}

/**
 * Parses an outbound proxy: a host with an optional port, or a SIP URI with a host, such as `10.1.1.1`,
 * `proxy.example.com:5060`, or `sips:bob@example.com`. Returns undefined for other texts.
 */
export const parseSipProxy = (text: string): SipProxy | undefined => {
  const [, scheme, host = '', port, parameters = ''] = proxyPattern.exec(text) ?? []
  if (classifyHost(host) === 'invalid') return undefined
  if (port !== undefined && !(isPort(port) && Number(port) > 0)) return undefined
  return { host, port: port === undefined ? null : Number(port), transport: toProxyTransport(scheme, parameters) }
}
