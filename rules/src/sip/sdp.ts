import { addToGroup } from '../lib/groups.ts'
import { type SdpFormat, staticCodecs } from './codecs.ts'
import { getHeader, type ParsedSipMessage } from './parser.ts'

/**
 * Parses session descriptions (RFC 8866; offers and answers: RFC 3264). Reads what is written loosely too: line feeds
 * alone, blanks around values, keywords in upper case, and missing lines. Pure.
 */

export const directions = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const
export type MediaDirection = (typeof directions)[number]

/** The keys with which a stream is encrypted, and how they are exchanged. */
export interface SdpKeys {
  /** Tags and suites of `a=crypto` in lower case, such as `1 aes_cm_128_hmac_sha1_80` (RFC 4568). */
  suites: readonly string[]
  /** True if the stream, or the session, has a certificate fingerprint for DTLS (RFC 5763). */
  hasFingerprint: boolean
  /** True if keys are exchanged by another protocol, such as MIKEY (RFC 4567) or ZRTP (RFC 6189). */
  hasOther: boolean
  /** DTLS role: active, passive, actpass, holdconn, or empty (RFC 4145). */
  setup: string
}

export interface SdpMedia {
  /** Media type in lower case: audio, video, image, message, … */
  kind: string
  /** 0 if the stream is rejected or inactive (RFC 3264 §6, §8.2). */
  port: number
  /** Transport protocol: RTP/AVP, RTP/SAVP, … */
  protocol: string
  address: string
  direction: MediaDirection
  /** Codecs such as `PCMU/8000`, in the order of preference. */
  codecs: readonly string[]
  /** The codecs with their payload types and parameters. */
  formats: readonly SdpFormat[]
  keys: SdpKeys
  /** True if ICE decides where media goes, so that `address` and `port` say nothing (RFC 8839). */
  usesIce: boolean
  hasRtcpMux: boolean
  /** True if the stream shares the transport of others (RFC 9143). */
  isBundled: boolean
  /** True if port 0 does not reject the stream, because it is only available in a bundle (RFC 9143 §6). */
  isBundleOnly: boolean
  /** True if other transports than that of the media line are offered or chosen (RFC 5939). */
  hasCapabilities: boolean
  /** True if the description lists other addresses than that of its connection line (RFC 6947, RFC 7006 §3.1). */
  hasOtherAddresses: boolean
}

/** The number of media descriptions that are parsed per message. */
const maxMedia = 64

/** The number of formats (payload types) that are parsed per media description. */
const maxFormats = 128

/** The longest line of a session description that is parsed, in characters. */
const maxLineLength = 2048

interface SdpLine {
  /** The letter before the equals sign, in lower case. */
  type: string
  value: string
}

const parseLine = (line: string): SdpLine => {
  const equals = line.indexOf('=')
  return { type: line.slice(0, Math.max(equals, 0)).trim().toLowerCase(), value: line.slice(equals + 1).trim() }
}

/** Values of attributes by name, in order. Names are in lower case. */
type Attributes = ReadonlyMap<string, readonly string[]>

const parseAttributes = (lines: readonly SdpLine[]): Attributes => {
  const attributes = new Map<string, string[]>()
  for (const { type, value } of lines) {
    if (type !== 'a') continue
    const [name = ''] = value.split(':', 1)
    addToGroup(attributes, name.trim().toLowerCase(), value.slice(name.length + 1).trim())
  }
  return attributes
}

const findAddress = (lines: readonly SdpLine[]): string | undefined => {
  const line = lines.find(({ type }) => type === 'c')
  return line && /^IN\s+IP[46]\s+([^\s/]+)/i.exec(line.value)?.[1]
}

const findDirection = (attributes: Attributes): MediaDirection | undefined =>
  directions.find((direction) => attributes.has(direction))

interface Section {
  lines: readonly SdpLine[]
  attributes: Attributes
}

const toSection = (lines: readonly SdpLine[]): Section => ({ lines, attributes: parseAttributes(lines) })

/** Returns the first words of attributes such as `a=rtpmap:101 telephone-event/8000`, and what follows them. */
const toPairs = (values: readonly string[] = []): ReadonlyMap<string, string> =>
  new Map(
    values.flatMap((value) => {
      const [, first, rest] = /^(\S{1,64})\s+(\S.*)$/.exec(value) ?? []
      return first && rest ? [[first, rest] as const] : []
    }),
  )

const parseFormats = (payloads: readonly string[], attributes: Attributes): SdpFormat[] => {
  const [names, parameters] = [toPairs(attributes.get('rtpmap')), toPairs(attributes.get('fmtp'))]
  return payloads.slice(0, maxFormats).map((payload) => {
    const [named = ''] = (names.get(payload) ?? '').split(/\s/, 1)
    return {
      payload,
      codec: named.slice(0, 64).replace(/\/1$/, '') || (staticCodecs.get(payload) ?? payload),
      parameters: parameters.get(payload) ?? '',
    }
  })
}

const parseSuite = (value: string): string => value.split(/\s+/, 2).join(' ').toLowerCase()

const parseMedia = ({ lines, attributes }: Section, session: Section): SdpMedia[] => {
  const [kind = '', ports = '', protocol = '', ...payloads] = (lines[0]?.value ?? '').split(/\s+/)
  const [, port] = /^(\d{1,5})(?:\/\d+)?$/.exec(ports) ?? []
  if (kind === '' || port === undefined || protocol === '') return []
  const formats = parseFormats(payloads.filter(Boolean), attributes)
  const has = (name: string): boolean => attributes.has(name) || session.attributes.has(name)
  const [mid] = attributes.get('mid') ?? []
  const groups = session.attributes.get('group') ?? []
  return [
    {
      kind: kind.toLowerCase(),
      port: Number(port),
      protocol,
      address: findAddress(lines) ?? findAddress(session.lines) ?? '',
      direction: findDirection(attributes) ?? findDirection(session.attributes) ?? 'sendrecv',
      codecs: formats.map(({ codec }) => codec),
      formats,
      keys: {
        suites: (attributes.get('crypto') ?? []).map(parseSuite),
        hasFingerprint: has('fingerprint'),
        hasOther: has('key-mgmt') || has('zrtp-hash'),
        setup: (attributes.get('setup') ?? session.attributes.get('setup') ?? [])[0]?.toLowerCase() ?? '',
      },
      usesIce: has('candidate') || has('ice-ufrag'),
      hasRtcpMux: attributes.has('rtcp-mux') || attributes.has('rtcp-mux-only'),
      isBundled: mid !== undefined && groups.some((group) => isInBundle(group, mid)),
      isBundleOnly: attributes.has('bundle-only'),
      hasCapabilities: attributes.has('pcfg') || attributes.has('acfg'),
      hasOtherAddresses: has('altc') || has('ccap'),
    },
  ]
}

const isInBundle = (group: string, mid: string): boolean => {
  const [semantics = '', ...mids] = group.split(/\s+/)
  return semantics.toUpperCase() === 'BUNDLE' && mids.includes(mid)
}

const isSdpType = (type: string): boolean => /^application\/sdp(?:[\s;]|$)/i.test(type.trim())

const isFirstLine = (line: string): boolean => /^\s*v\s*=\s*0\s*$/i.test(line)

/**
 * Returns the lines of the part of a multipart body that is the session description (RFC 5621). Parts of a nested
 * multipart body are parts too. The description of another session, such as one for early media, is none of the call's.
 */
const findSdpPart = (lines: readonly string[]): readonly string[] => {
  let part: string[] | undefined
  let [type, disposition] = ['', '']
  for (const [at, line] of lines.entries()) {
    if (line.startsWith('--')) {
      if (part !== undefined) break
      ;[type, disposition] = ['', '']
      continue
    }
    const [name = ''] = line.slice(0, 32).toLowerCase().split(':', 1)
    // The short form is one of SIP headers only, but gateways write it in parts too.
    if (name.trim() === 'content-type' || name.trim() === 'c') type = line.slice(name.length + 1)
    if (name.trim() === 'content-disposition') disposition = line.slice(name.length + 1).trim()
    const isWanted = (isSdpType(type) || isPartStart(lines, at)) && !/^early-session/i.test(disposition)
    if (part === undefined && isWanted && isFirstLine(line)) part = []
    part?.push(line)
  }
  return part ?? []
}

/** Returns whether a part of a body begins here without any header of its own. */
const isPartStart = (lines: readonly string[], at: number): boolean =>
  (lines[at - 1] ?? '').trim() === '' && (lines[at - 2] ?? '').startsWith('--')

const findSdpLines = ({ body, headers }: ParsedSipMessage): readonly string[] => {
  if (body === '') return []
  const type = getHeader({ headers }, 'content-type') ?? ''
  const lines = body.split(/\r\n|\n|\r/)
  if (/^multipart\//i.test(type.trim())) return findSdpPart(lines)
  if (isSdpType(type)) return lines
  const from = type === '' ? lines.findIndex(isFirstLine) : -1
  return from < 0 ? [] : lines.slice(from)
}

/** Returns the media streams of a message in order. Empty if the message has no session description. */
export const parseSdp = (message: ParsedSipMessage): readonly SdpMedia[] => {
  const lines = findSdpLines(message).map((line) => parseLine(line.slice(0, maxLineLength)))
  const starts = lines.flatMap(({ type }, at) => (type === 'm' ? [at] : []))
  const session = toSection(lines.slice(0, starts[0] ?? 0))
  return starts
    .slice(0, maxMedia)
    .flatMap((start, at) => parseMedia(toSection(lines.slice(start, starts[at + 1])), session))
}

/** Returns whether the end of the body is missing. Some tools drop its last line break, which changes nothing. */
export const isBodyCut = ({ isCut, headers, body }: ParsedSipMessage): boolean =>
  isCut && Number(getHeader({ headers }, 'content-length')) - new TextEncoder().encode(body).length > 2

/** Returns whether media is sent or received, so that port 0 does not reject the stream. */
export const isActive = ({ port, isBundleOnly }: Pick<SdpMedia, 'port' | 'isBundleOnly'>): boolean =>
  port !== 0 || isBundleOnly

/**
 * Returns whether the address means that no media is sent, the older way to put a call on hold (RFC 3264 §8.4). With ICE
 * it means nothing: the candidates decide, and may follow later (RFC 8839 §4.3.1).
 */
export const isHeldByAddress = ({ address, usesIce }: Pick<SdpMedia, 'address' | 'usesIce'>): boolean =>
  !usesIce && (address === '0.0.0.0' || /^[0:]{2,39}$/.test(address))

/** Returns the family of an address. Undefined for names, and for an address that means that no media is sent. */
const getFamily = ({ address }: SdpMedia): 'IPv4' | 'IPv6' | undefined => {
  if (isHeldByAddress({ address, usesIce: false })) return undefined
  if (/^(?:::ffff:)?\d{1,3}(?:\.\d{1,3}){3}$/i.test(address)) return 'IPv4'
  return address.includes(':') ? 'IPv6' : undefined
}

/**
 * Returns whether two sides expect media at addresses of different families, and neither ICE nor a list of addresses
 * lets them choose others (RFC 6157 §4).
 */
export const haveMixedFamilies = (one: SdpMedia, other: SdpMedia): boolean => {
  if ((one.usesIce && other.usesIce) || one.hasOtherAddresses || other.hasOtherAddresses) return false
  const [family, otherFamily] = [getFamily(one), getFamily(other)]
  return family !== undefined && otherFamily !== undefined && family !== otherFamily
}

/** Returns whether the transport of a stream is encrypted in any case. */
export const isSecure = ({ protocol }: SdpMedia): boolean => /SAVP/i.test(protocol)

/** Formats an address with a port: `203.0.113.7:20000`, `[2001:db8::1]:20000`. */
export const formatEndpoint = ({ address, port }: SdpMedia): string =>
  `${address.includes(':') ? `[${address}]` : address || 'no address'}:${port}`
