import { getHeader, type ParsedSipMessage } from './parser.ts'

/** Parses session descriptions (RFC 8866; offers and answers: RFC 3264). Pure. */

export const directions = ['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const
export type MediaDirection = (typeof directions)[number]

export interface SdpMedia {
  /** Media type: audio, video, … */
  kind: string
  /** 0 if the stream is rejected or inactive (RFC 3264 §6, §8.2). */
  port: number
  /** Transport protocol: RTP/AVP, RTP/SAVP, … */
  protocol: string
  address: string
  direction: MediaDirection
  /** Codecs such as `PCMU/8000`, in the order of preference. */
  codecs: readonly string[]
}

/** RFC 3551 §6 */
const staticCodecs: ReadonlyMap<string, string> = new Map([
  ['0', 'PCMU/8000'],
  ['3', 'GSM/8000'],
  ['4', 'G723/8000'],
  ['8', 'PCMA/8000'],
  ['9', 'G722/8000'],
  ['13', 'CN/8000'],
  ['15', 'G728/8000'],
  ['18', 'G729/8000'],
  ['31', 'H261/90000'],
  ['34', 'H263/90000'],
])

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

const findAddress = (lines: readonly string[]): string | undefined => {
  const line = lines.find((one) => one.startsWith('c='))
  return line && /^c=IN IP[46] ([^\s/]+)/i.exec(line)?.[1]
}

const findDirection = (lines: readonly string[]): MediaDirection | undefined =>
  directions.find((direction) => lines.includes(`a=${direction}`))

const parseMedia = ({ lines, ...session }: Section): SdpMedia[] => {
  const [media = '', ports = '', protocol = '', ...formats] = (lines[0] ?? '').slice('m='.length).split(/\s+/)
  const [, port] = /^(\d{1,5})(?:\/\d+)?$/.exec(ports) ?? []
  if (media === '' || port === undefined || protocol === '') return []
  const codecNames = new Map(
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
      address: findAddress(lines) ?? session.address,
      direction: findDirection(lines) ?? session.direction,
      codecs: formats
        .filter(Boolean)
        .slice(0, maxFormats)
        .map((payload) => codecNames.get(payload) ?? staticCodecs.get(payload) ?? payload),
    },
  ]
}

/** Returns the lines of the session description, which can be one part of a multipart body. */
const findSdpLines = ({ body, headers }: ParsedSipMessage): readonly string[] => {
  const lines = body.split(/\r?\n/)
  const from = lines.indexOf('v=0')
  if (from < 0) return []
  const type = getHeader({ headers }, 'content-type')?.toLowerCase() ?? ''
  const until = type.startsWith('multipart/') ? lines.findIndex((line, at) => at > from && line.startsWith('--')) : -1
  return lines.slice(from, until < 0 ? undefined : until).map((line) => line.slice(0, maxLineLength).trimEnd())
}

/** Returns the media streams of a message in order. Empty if the message has no session description. */
export const parseSdp = (message: ParsedSipMessage): readonly SdpMedia[] => {
  const lines = findSdpLines(message)
  const starts = lines.flatMap((line, at) => (line.startsWith('m=') ? [at] : []))
  const session = lines.slice(0, starts[0] ?? 0)
  const [address, direction] = [findAddress(session) ?? '', findDirection(session) ?? 'sendrecv']
  return starts
    .slice(0, maxMedia)
    .flatMap((start, at) => parseMedia({ address, direction, lines: lines.slice(start, starts[at + 1]) }))
}

/** Returns the codecs without those for DTMF, comfort noise, and redundancy. */
export const speechCodecs = (codecs: readonly string[]): string[] =>
  codecs.filter((codec) => !/^(?:telephone-event|cn|red)(?:\/|$)/i.test(codec))

const plain = (codec: string): string => codec.toLowerCase()

/** Returns the codecs that both lists contain. */
export const commonCodecs = (codecs: readonly string[], others: readonly string[]): string[] => {
  const otherCodecs = new Set(others.map(plain))
  return codecs.filter((codec) => otherCodecs.has(plain(codec)))
}

/** Formats codecs as `PCMU, opus/48000`. Omits the usual clock rate of 8000 Hz. */
export const formatCodecs = (codecs: readonly string[]): string =>
  codecs.length === 0 ? 'no codec' : codecs.map((codec) => codec.replace(/\/8000$/, '')).join(', ')

/** Returns whether the address means that no media is sent, the older way to put a call on hold (RFC 3264 §8.4). */
export const isHoldAddress = (address: string): boolean => address === '0.0.0.0' || address === '::'
