import { getHeader, type ParsedSipMessage } from './parser.ts'

/** What a message says of media (RFC 8866; offers and answers: RFC 3264). Pure. */

export const directions = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const
export type MediaDirection = (typeof directions)[number]

export interface SdpMedia {
  /** audio, video, … */
  kind: string
  /** 0: refused, or not to be (RFC 3264 §6, §8.2) */
  port: number
  /** RTP/AVP, RTP/SAVP, … */
  protocol: string
  address: string
  direction: MediaDirection
  /** as `PCMU/8000`, in the order of preference */
  codecs: readonly string[]
}

/** RFC 3551 §6 */
const staticCodecs: Readonly<Record<string, string>> = {
  0: 'PCMU/8000',
  3: 'GSM/8000',
  4: 'G723/8000',
  8: 'PCMA/8000',
  9: 'G722/8000',
  13: 'CN/8000',
  15: 'G728/8000',
  18: 'G729/8000',
  31: 'H261/90000',
  34: 'H263/90000',
}

/** The number of media descriptions that are parsed per message. */
const maxMedia = 64

/** The number of formats (payload types) that are parsed per media description. */
const maxFormats = 128

/** The longest line of a session description that is parsed, in characters. */
const maxLineLength = 2048

interface Section {
  address: string
  direction: MediaDirection
  lines: readonly string[]
}

const addressOf = (lines: readonly string[]): string | undefined => {
  const line = lines.find((one) => one.startsWith('c='))
  return line && /^c=IN IP[46] ([^\s/]+)/i.exec(line)?.[1]
}

const directionOf = (lines: readonly string[]): MediaDirection | undefined =>
  directions.find((direction) => lines.includes(`a=${direction}`))

const mediaOf = ({ lines, ...session }: Section): SdpMedia[] => {
  const [media = '', ports = '', protocol = '', ...formats] = (lines[0] ?? '').slice('m='.length).split(/\s+/)
  const [, port] = /^(\d{1,5})(?:\/\d+)?$/.exec(ports) ?? []
  if (media === '' || port === undefined || protocol === '') return []
  const named = new Map(
    lines.flatMap((line) => {
      const [, payload, name] = /^a=rtpmap:(\d{1,3}) (\S{1,64})/.exec(line) ?? []
      return payload && name ? [[payload, name.replace(/\/1$/, '')] as const] : []
    }),
  )
  return [
    {
      kind: media,
      port: Number(port),
      protocol,
      address: addressOf(lines) ?? session.address,
      direction: directionOf(lines) ?? session.direction,
      codecs: formats
        .filter(Boolean)
        .slice(0, maxFormats)
        .map((payload) => named.get(payload) ?? staticCodecs[payload] ?? payload),
    },
  ]
}

/** Of a body of several parts the one that is SDP. */
const descriptionIn = ({ body, headers }: ParsedSipMessage): readonly string[] => {
  const lines = body.split(/\r?\n/)
  const from = lines.indexOf('v=0')
  if (from < 0) return []
  const type = getHeader({ headers }, 'content-type')?.toLowerCase() ?? ''
  const until = type.startsWith('multipart/') ? lines.findIndex((line, at) => at > from && line.startsWith('--')) : -1
  return lines.slice(from, until < 0 ? undefined : until).map((line) => line.slice(0, maxLineLength).trimEnd())
}

/** Its streams of media in order; empty where it says nothing of any. */
export const parseSdp = (message: ParsedSipMessage): readonly SdpMedia[] => {
  const lines = descriptionIn(message)
  const starts = lines.flatMap((line, at) => (line.startsWith('m=') ? [at] : []))
  const session = lines.slice(0, starts[0] ?? 0)
  const [address, direction] = [addressOf(session) ?? '', directionOf(session) ?? 'sendrecv']
  return starts
    .slice(0, maxMedia)
    .flatMap((start, at) => mediaOf({ address, direction, lines: lines.slice(start, starts[at + 1]) }))
}

/** What is spoken in, apart from tones and silence. */
export const spoken = (codecs: readonly string[]): string[] =>
  codecs.filter((codec) => !/^(?:telephone-event|cn|red)(?:\/|$)/i.test(codec))

const plain = (codec: string): string => codec.toLowerCase()

/** Those of the one that the other has too. */
export const inBoth = (codecs: readonly string[], others: readonly string[]): string[] => {
  const known = new Set(others.map(plain))
  return codecs.filter((codec) => known.has(plain(codec)))
}

/** `PCMU, opus/48000`: clock rates are told where they are not those of telephones. */
export const formatCodecs = (codecs: readonly string[]): string =>
  codecs.length === 0 ? 'no codec' : codecs.map((codec) => codec.replace(/\/8000$/, '')).join(', ')

/** Nothing is sent there: the old way to hold a call (RFC 3264 §8.4). */
export const isNowhere = (address: string): boolean => address === '0.0.0.0' || address === '::'
