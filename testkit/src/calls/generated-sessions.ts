import type { Host } from './generated-calls.ts'

/**
 * A model of offers and answers that writes session descriptions as RFC 3264 allows them: codecs with telephone-event for
 * each clock rate (RFC 4733), SRTP with keys in the description (RFC 4568) or by DTLS (RFC 5763), ICE (RFC 8839), video
 * (RFC 6184), and fax (ITU-T T.38).
 */

export type Side = 'caller' | 'called'
export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'

export interface Payload {
  number: string
  /** Empty for a format that is not RTP. */
  name: string
  fmtp: string
}

export interface Stream {
  kind: 'audio' | 'video' | 'image'
  port: number
  protocol: string
  payloads: readonly Payload[]
  direction: Direction
  /** Further attributes, without `a=`. */
  attributes: readonly string[]
}

export interface Session {
  version: number
  address: string
  /** Attributes of the session, without `a=`. */
  attributes: readonly string[]
  streams: readonly Stream[]
}

/** Codecs with their static payload type, and with the parameters that their RFCs name. */
const audioCodecs = {
  pcma: { number: '8', name: 'PCMA/8000', fmtp: '' },
  pcmu: { number: '0', name: 'PCMU/8000', fmtp: '' },
  g722: { number: '9', name: 'G722/8000', fmtp: '' },
  g729: { number: '18', name: 'G729/8000', fmtp: 'annexb=no' },
  opus: { number: '', name: 'opus/48000/2', fmtp: 'minptime=10;useinbandfec=1' },
  amr: { number: '', name: 'AMR-WB/16000', fmtp: 'octet-align=1' },
  speex: { number: '', name: 'speex/16000', fmtp: '' },
} as const satisfies Readonly<Record<string, Payload>>

export type AudioCodec = keyof typeof audioCodecs
export const allAudioCodecs = Object.keys(audioCodecs) as readonly AudioCodec[]

const videoCodecs: readonly Payload[] = [
  { number: '', name: 'VP8/90000', fmtp: '' },
  { number: '', name: 'H264/90000', fmtp: 'profile-level-id=42e01f;packetization-mode=1' },
  { number: '', name: 'H264/90000', fmtp: 'profile-level-id=42e01f' },
]

export interface MediaOptions {
  /** The codecs of the caller, most wanted first. */
  codecs: readonly AudioCodec[]
  /** True if both sides can send keys as events in the audio (RFC 4733). */
  hasEvents: boolean
  /** True if the answer lists all codecs of the offer, and not only the one that its sender prefers. */
  answersAll: boolean
  /** True if the called party numbers dynamic payload types in its own way (RFC 3264 §5.1). */
  hasOwnNumbers: boolean
  security: 'none' | 'keys' | 'keys with feedback' | 'best effort' | 'best effort declined' | 'dtls'
  /** The position of the suite that an answer chooses. */
  suite: 0 | 1 | 2
  /** The DTLS roles of the first offer, and of its answer. */
  roles:
    | readonly ['actpass', 'active']
    | readonly ['actpass', 'passive']
    | readonly ['active', 'passive']
    | readonly ['passive', 'active']
  ice: 'none' | 'full' | 'trickle' | 'lite' | 'declined'
  hasVideo: boolean
  /** The called party does not take the video. */
  declinesVideo: boolean
}

export const plainMedia: MediaOptions = {
  codecs: ['pcma', 'pcmu'],
  hasEvents: true,
  answersAll: false,
  hasOwnNumbers: false,
  security: 'none',
  suite: 0,
  roles: ['actpass', 'active'],
  ice: 'none',
  hasVideo: false,
  declinesVideo: false,
}

const suites = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32', 'AEAD_AES_256_GCM']

const protocols = {
  none: 'RTP/AVP',
  'best effort': 'RTP/AVP',
  'best effort declined': 'RTP/AVP',
  keys: 'RTP/SAVP',
  'keys with feedback': 'RTP/SAVPF',
  dtls: 'UDP/TLS/RTP/SAVPF',
} as const satisfies Readonly<Record<MediaOptions['security'], string>>

const key = (side: Side): string => `inline:${side === 'caller' ? 'WVNf' : 'PS1u'}X19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz`

const fingerprint = (side: Side): string =>
  `fingerprint:sha-256 ${side === 'caller' ? '0B' : '7C'}:30:55:7A:9F:C4:E9:0E`

const getRate = (name: string): string => name.split('/')[1] ?? ''
const isEvents = ({ name }: Payload): boolean => name.startsWith('telephone-event')

const sends = (direction: Direction): boolean => direction === 'sendrecv' || direction === 'sendonly'
const receives = (direction: Direction): boolean => direction === 'sendrecv' || direction === 'recvonly'

/** Returns the direction of an answer: what its sender wants, and the offer allows (RFC 3264 §6.1). */
const answerDirection = (own: Direction, offered: Direction): Direction => {
  const [isOut, isIn] = [sends(own) && receives(offered), receives(own) && sends(offered)]
  if (isOut) return isIn ? 'sendrecv' : 'sendonly'
  return isIn ? 'recvonly' : 'inactive'
}

const formatStream = ({ kind, port, protocol, payloads, direction, attributes }: Stream): string[] => {
  const isRtp = protocol.includes('RTP/')
  return [
    `m=${kind} ${port} ${protocol} ${payloads.map(({ number }) => number).join(' ')}`,
    ...payloads.flatMap(({ number, name, fmtp }) => [
      ...(isRtp && name !== '' ? [`a=rtpmap:${number} ${name}`] : []),
      ...(fmtp === '' ? [] : [`a=fmtp:${number} ${fmtp}`]),
    ]),
    ...attributes.map((attribute) => `a=${attribute}`),
    ...(isRtp ? [`a=${direction}`] : []),
  ]
}

/** Writes a session description. */
export const formatSession = ({ version, address, attributes, streams }: Session): string =>
  [
    'v=0',
    `o=- 7 ${version} IN IP4 ${address}`,
    's=-',
    `c=IN IP4 ${address}`,
    't=0 0',
    ...attributes.map((attribute) => `a=${attribute}`),
    ...streams.flatMap(formatStream),
    '',
  ].join('\r\n')

/** The state of one side. */
interface Party {
  host: Host
  version: number
  direction: Direction
  isHeldByAddress: boolean
  port: number
  /** The role in the handshake of DTLS, once it is agreed. */
  role: string
}

/** The course of a session: both sides, and the streams in the order of the first offer that had them (RFC 3264 §8). */
export class MediaSession {
  readonly #options: MediaOptions
  readonly #parties: Readonly<Record<Side, Party>>
  #lines: { kind: Stream['kind']; isActive: boolean }[]
  #codecs: readonly AudioCodec[]

  constructor(options: MediaOptions, caller: Host, called: Host) {
    this.#options = options
    this.#codecs = options.codecs
    const toParty = (host: Host, port: number): Party => ({
      host,
      version: 0,
      direction: 'sendrecv',
      isHeldByAddress: false,
      port,
      role: '',
    })
    this.#parties = { caller: toParty(caller, 20_000), called: toParty(called, 30_000) }
    this.#lines = [
      { kind: 'audio', isActive: true },
      ...(options.hasVideo ? [{ kind: 'video' as const, isActive: true }] : []),
    ]
  }

  /** Sets what a side wants to send and receive: `sendonly` and `inactive` put the call on hold (RFC 3264 §8.4). */
  setDirection(side: Side, direction: Direction): void {
    this.#parties[side].direction = direction
  }

  /** Puts the call on hold in the older way, with the address 0.0.0.0, or ends that (RFC 3264 §8.4). */
  setHeldByAddress(side: Side, isHeld: boolean): void {
    this.#parties[side].isHeldByAddress = isHeld
  }

  /** Lets a side receive media at another port (RFC 3264 §8.3.1). */
  move(side: Side): void {
    this.#parties[side].port += 100
  }

  /** Changes the order of the codecs (RFC 3264 §8.3.2). */
  rotateCodecs(): void {
    const [first, ...others] = this.#codecs
    this.#codecs = first === undefined ? [] : [...others, first]
  }

  /** Begins or ends a stream. Its place in the description stays (RFC 3264 §8.1, §8.2). */
  setStream(kind: Stream['kind'], isActive: boolean): void {
    const line = this.#lines.find((one) => one.kind === kind)
    if (line === undefined) this.#lines.push({ kind, isActive })
    else line.isActive = isActive
  }

  get hasIce(): boolean {
    return this.#options.ice !== 'none'
  }

  /** False if only candidates have an address that the other side can reach. Fax over UDPTL has none. */
  get canFax(): boolean {
    return this.#options.ice !== 'full' && this.#options.ice !== 'trickle'
  }

  #getAddress(side: Side, isOffer: boolean): string {
    const { host, isHeldByAddress } = this.#parties[side]
    const { ice } = this.#options
    if (isHeldByAddress) return '0.0.0.0'
    if (ice === 'trickle' && isOffer) return '0.0.0.0'
    // With ICE, the line may have an address that the other side cannot reach.
    return ice === 'full' ? `192.168.1.${host.port % 200}` : host.address
  }

  #formatIce(side: Side, isOffer: boolean, port: number): string[] {
    const { ice } = this.#options
    if (ice === 'none' || (ice === 'declined' && !isOffer)) return []
    const { host } = this.#parties[side]
    const own = [`ice-ufrag:${side.slice(0, 4)}`, 'ice-pwd:k3Zb1Qv7xT9mLw2sR8dY4fH1']
    const reflexive = `candidate:2 1 udp 1686052607 ${host.address} ${port} typ srflx raddr 0.0.0.0 rport 0`
    const direct = `candidate:1 1 udp 2130706431 192.168.1.20 ${port} typ host`
    if (ice === 'trickle') return [...own, 'ice-options:trickle']
    if (ice === 'lite' && !isOffer) return [...own, `candidate:1 1 udp 2130706431 ${host.address} ${port} typ host`]
    return [...own, direct, reflexive, 'end-of-candidates']
  }

  #number(payloads: readonly Payload[], side: Side, first: number): Payload[] {
    const isOwn = side === 'called' && this.#options.hasOwnNumbers
    let next = isOwn ? first + 14 : first
    return payloads.map((payload) => (payload.number === '' ? { ...payload, number: String((next += 1)) } : payload))
  }

  /** Lists telephone-event for each clock rate of the audio (RFC 4733 §2.1). */
  #addEvents(payloads: readonly Payload[]): Payload[] {
    const rates = this.#options.hasEvents ? [...new Set(payloads.map(({ name }) => getRate(name)))] : []
    return [...payloads, ...rates.map((rate) => ({ number: '', name: `telephone-event/${rate}`, fmtp: '0-16' }))]
  }

  #formatKeys(side: Side, isOffer: boolean): string[] {
    const { security, suite } = this.#options
    if (security === 'none' || (security === 'best effort declined' && !isOffer)) return []
    if (security === 'dtls') return [fingerprint(side), `setup:${this.#getRole(side, isOffer)}`, 'rtcp-mux']
    const offered = suites.map((name, at) => `crypto:${at + 1} ${name} ${key(side)}`)
    return isOffer ? offered : offered.slice(suite, suite + 1)
  }

  /** A later offer leaves the choice again, and the answer keeps the role (RFC 8842 §5.5). */
  #getRole(side: Side, isOffer: boolean): string {
    const { roles } = this.#options
    const party = this.#parties[side]
    if (isOffer) return party.role === '' ? roles[0] : 'actpass'
    if (party.role === '') {
      const other = this.#parties[side === 'caller' ? 'called' : 'caller']
      party.role = roles[1]
      other.role = roles[1] === 'active' ? 'passive' : 'active'
    }
    return party.role
  }

  #toAttributes(side: Side, isOffer: boolean, at: number, port: number): string[] {
    const { security } = this.#options
    const mid = security === 'dtls' ? [`mid:${at}`] : []
    return [...mid, ...this.#formatKeys(side, isOffer), ...this.#formatIce(side, isOffer, port)]
  }

  /** Numbers the formats that a side offers. */
  #offerPayloads(kind: Stream['kind'], side: Side): Payload[] {
    if (kind === 'image') return [{ number: 't38', name: '', fmtp: '' }]
    if (kind === 'video') return this.#number(videoCodecs, side, 120 - 14)
    return this.#number(this.#addEvents(this.#codecs.map((codec) => audioCodecs[codec])), side, 95)
  }

  #toSession(side: Side, isOffer: boolean, streams: readonly Stream[]): Session {
    const { security, ice } = this.#options
    const party = this.#parties[side]
    party.version += 1
    const bundled = streams.flatMap(({ kind, port }, at) => (kind !== 'image' && port > 0 ? [at] : []))
    const isLite = ice === 'lite' && !isOffer
    return {
      version: party.version,
      address: this.#getAddress(side, isOffer),
      attributes: [
        ...(security === 'dtls' && bundled.length > 0 ? [`group:BUNDLE ${bundled.join(' ')}`] : []),
        ...(isLite ? ['ice-lite'] : []),
      ],
      streams,
    }
  }

  #getPort(side: Side, at: number, isOffer: boolean): number {
    return this.#options.ice === 'trickle' && isOffer ? 9 : this.#parties[side].port + at * 2
  }

  /** Returns an offer of a side with all streams of the session. */
  offer(side: Side): Session {
    const { security } = this.#options
    const streams = this.#lines.map(({ kind, isActive }, at): Stream => {
      const port = isActive ? this.#getPort(side, at, true) : 0
      const isFax = kind === 'image'
      return {
        kind,
        port,
        protocol: isFax ? 'udptl' : protocols[security],
        payloads: this.#offerPayloads(kind, side),
        direction: this.#parties[side].direction,
        attributes: isFax || !isActive ? [] : this.#toAttributes(side, true, at, port),
      }
    })
    return this.#toSession(side, true, streams)
  }

  /** Returns an offer of a side that would switch the session to fax. The session stays as it is. */
  offerFax(side: Side): Session {
    const lines = this.#lines
    this.#lines = [
      ...lines.map((line) => ({ ...line, isActive: line.kind === 'image' })),
      ...(lines.some(({ kind }) => kind === 'image') ? [] : [{ kind: 'image' as const, isActive: true }]),
    ]
    const offer = this.offer(side)
    this.#lines = lines
    return offer
  }

  #answerPayloads(offered: Stream, side: Side): Payload[] {
    const { answersAll, hasOwnNumbers } = this.#options
    const main = offered.payloads.filter((one) => !isEvents(one))
    const chosen = answersAll ? main : main.slice(0, 1)
    const rates = new Set(chosen.map(({ name }) => getRate(name)))
    const taken = [...chosen, ...offered.payloads.filter((one) => isEvents(one) && rates.has(getRate(one.name)))]
    if (!hasOwnNumbers || offered.kind === 'image') return taken
    const isDynamic = ({ number }: Payload): boolean => Number(number) >= 96
    return this.#number(
      taken.map((one) => (isDynamic(one) ? { ...one, number: '' } : one)),
      side,
      offered.kind === 'video' ? 106 : 95,
    )
  }

  /** Returns the answer of a side to an offer. */
  answer(side: Side, offer: Session): Session {
    const { declinesVideo } = this.#options
    const streams = offer.streams.map((offered, at): Stream => {
      const isTaken = offered.port > 0 && !(offered.kind === 'video' && declinesVideo)
      const port = isTaken ? this.#getPort(side, at, false) : 0
      return {
        ...offered,
        port,
        payloads: isTaken ? this.#answerPayloads(offered, side) : offered.payloads,
        direction: answerDirection(this.#parties[side].direction, offered.direction),
        attributes: isTaken && offered.kind !== 'image' ? this.#toAttributes(side, false, at, port) : [],
      }
    })
    return this.#toSession(side, false, streams)
  }
}
