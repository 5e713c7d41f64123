import { type SdpMedia, parseSdp } from './sdp.ts'
import { headersNamed, getHeader, type ParsedSipMessage, parseSip } from './parser.ts'
import { asArray, asRecord, asString } from '../shared/traces.ts'

/** Captured SIP as a ladder: hosts as lanes, messages as arrows in order of time (api/4-calls-and-hosted.md §2.3). Pure. */

export interface SipLane {
  /** address:port, IPv6 in brackets */
  host: string
  address: string
  /** what is known of it: what whoever asks knows, an alias, or the program that wrote its messages */
  name: string | undefined
}

export interface SipArrow {
  /** its place among the arrows, from 0 */
  id: number
  /** place of its leg */
  leg: number
  /** places of lanes */
  from: number
  to: number
  /** epoch microseconds */
  at: number
  /** microseconds since the first arrow, and since the one before */
  sinceFirst: number
  sinceBefore: number
  /** when the same bytes went the same way again, epoch microseconds (RFC 3261 §17.1.1.2, §13.3.1.4) */
  again: readonly number[]
  /** `INVITE`, `180 Ringing`, or what is said of what is no SIP */
  title: string
  transport: string
  /** as it was captured */
  raw: string
  /** undefined for what is no SIP */
  message: ParsedSipMessage | undefined
  media: readonly SdpMedia[]
}

/** An arrow of which it is known what it says. */
export type ParsedArrow = SipArrow & { message: ParsedSipMessage }

/** What a ladder tells of one Call-ID: a call that is dialled on has a leg for each of its own (RFC 3261 §12). */
export interface SipLeg {
  /** as `A` */
  name: string
  /** packets that were captured at two places */
  doubled: number
}

export interface SipLadder {
  /** in the order in which they were given */
  legs: readonly SipLeg[]
  lanes: readonly SipLane[]
  arrows: readonly SipArrow[]
  /** there is more than was told */
  isCut: boolean
  /** where, as far as that was told */
  cutAt: 'beginning' | 'end' | undefined
}

interface Packet {
  leg: number
  at: number
  source: string
  sourceHost: string
  destination: string
  destinationHost: string
  transport: string
  raw: string
}

const transports: Readonly<Record<number, string>> = { 6: 'TCP', 17: 'UDP', 132: 'SCTP' }

const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** Epoch microseconds. Homer tells the packet's own seconds; what it calls `micro_ts` has been milliseconds too. */
const timeOf = (message: Record<string, unknown>): number => {
  const [seconds, microseconds] = [numberIn(message['timeSeconds']), numberIn(message['timeUseconds'])]
  if (seconds !== undefined && microseconds !== undefined) return seconds * 1e6 + microseconds
  const told =
    numberIn(message['micro_ts']) ?? numberIn(message['create_date']) ?? Date.parse(asString(message['create_date']))
  if (!(told >= 0 && told < 8e15)) return 0
  return told > 1e14 ? told : told * 1000
}

const hostOf = (address: string, port: unknown): string =>
  `${address.includes(':') ? `[${address}]` : address}:${numberIn(port) ?? '?'}`

const packetOf = (given: unknown, leg: number): Packet => {
  const message = asRecord(given)
  const [source, destination] = [asString(message['srcIp']) || 'unknown', asString(message['dstIp']) || 'unknown']
  const protocol = numberIn(message['protocol']) ?? 17
  return {
    leg,
    at: timeOf(message),
    source,
    sourceHost: hostOf(source, message['srcPort']),
    destination,
    destinationHost: hostOf(destination, message['dstPort']),
    transport: transports[protocol] ?? `protocol ${protocol}`,
    raw: asString(message['raw']),
  }
}

/** A copy so soon after was not sent again (the first is sent again after T1, 500 ms) but seen at two places, microseconds. */
const doubledWithin = 20_000

/**
 * Returns the lane of each host. A TCP client has an ephemeral port per connection: a host that is seen at another port of
 * an address shares the lane of the first one, unless messages pass between the two. Takes linear time: a lane that does
 * not match costs one of the packets between the two hosts.
 */
const laneKeys = (packets: readonly Packet[]): ReadonlyMap<string, string> => {
  const hosts = new Map<string, { address: string; isTcpOnly: boolean }>()
  const pairs = new Set<string>()
  for (const { source, sourceHost, destination, destinationHost, transport } of packets) {
    pairs.add(`${sourceHost} ${destinationHost}`).add(`${destinationHost} ${sourceHost}`)
    for (const [host, address] of [
      [sourceHost, source],
      [destinationHost, destination],
    ] as const)
      hosts.set(host, { address, isTcpOnly: (hosts.get(host)?.isTcpOnly ?? true) && transport === 'TCP' })
  }
  const keys = new Map<string, string>()
  const lanesByAddress = new Map<string, string[]>()
  for (const [host, { address, isTcpOnly }] of hosts) {
    const lanes = lanesByAddress.get(address) ?? []
    const same = isTcpOnly ? lanes.find((lane) => !pairs.has(`${host} ${lane}`)) : undefined
    keys.set(host, same ?? host)
    if (same !== undefined) continue
    lanes.push(host)
    lanesByAddress.set(address, lanes)
  }
  return keys
}

const noSip = 'No SIP'

/** Who wrote a message says so in the first that it sends for itself, which passed nobody before (RFC 3261 §20.35, §20.41). */
const programIn = ({ message }: SipArrow): string | undefined => {
  if (message === undefined) return undefined
  if (message.status === undefined)
    return headersNamed(message, 'via').length === 1 ? getHeader(message, 'user-agent') : undefined
  return undefined
}

const isTold = (arrow: SipArrow): arrow is ParsedArrow => arrow.message !== undefined

export const parsedArrows = ({ arrows }: SipLadder): ParsedArrow[] => arrows.filter(isTold)

/** An answer of `GET …/RecentCalls/{sip_callid}`. */
export interface CapturedLeg {
  name: string
  capture: unknown
  /** of addresses, with or without their port */
  names?: Readonly<Record<string, string>>
}

const messagesOf = ({ capture }: CapturedLeg): readonly unknown[] =>
  asArray(asRecord(asRecord(capture)['data'])['messages'])

const isCutIn = (leg: CapturedLeg): boolean => {
  const told = asRecord(leg.capture)
  const count = messagesOf(leg).length
  return told['is_cut'] === true || (numberIn(told['total']) ?? count) > count
}

const cutAtIn = ({ capture }: CapturedLeg): SipLadder['cutAt'] => {
  const at = asRecord(capture)['cut_at']
  return at === 'beginning' || at === 'end' ? at : undefined
}

/** Names that were given, by address with or without its port, and aliases, by address and port. */
const namesIn = (legs: readonly CapturedLeg[]) => ({
  names: Object.assign({}, ...legs.map(({ names }) => names)) as Readonly<Record<string, string>>,
  alias: asRecord(
    Object.assign({}, ...legs.map(({ capture }) => asRecord(asRecord(asRecord(capture)['data'])['alias']))),
  ),
})

/**
 * What captures show, one a leg, in one order of time. What is no SIP stands among the arrows as what it is; nothing in
 * them makes this fail.
 */
export const toLadderOfLegs = (given: readonly CapturedLeg[]): SipLadder => {
  const { names, alias } = namesIn(given)
  const packets = given
    .flatMap((one, leg) => messagesOf(one).map((message) => packetOf(message, leg)))
    .toSorted((a, b) => a.at - b.at)
  const keys = laneKeys(packets)
  const places = new Map<string, number>()
  const addresses: string[] = []
  const laneOf = (host: string, address: string): number => {
    const key = keys.get(host) ?? host
    const place = places.get(key) ?? places.size
    if (!places.has(key)) addresses.push(address)
    places.set(key, place)
    return place
  }
  const first = packets[0]?.at ?? 0
  const arrows: (SipArrow & { again: number[] })[] = []
  const known = new Map<string, SipArrow & { again: number[] }>()
  const legs = given.map(({ name }) => ({ name, doubled: 0 }))
  for (const packet of packets) {
    const { at, raw, transport, leg } = packet
    const from = laneOf(packet.sourceHost, packet.source)
    const to = laneOf(packet.destinationHost, packet.destination)
    const key = `${leg} ${from} ${to} ${raw}`
    const same = known.get(key)
    if (same !== undefined) {
      const its = legs[leg]
      if (its !== undefined && at - (same.again.at(-1) ?? same.at) < doubledWithin) its.doubled += 1
      else same.again.push(at)
      continue
    }
    const message = parseSip(raw)
    const arrow = {
      id: arrows.length,
      leg,
      from,
      to,
      at,
      sinceFirst: at - first,
      sinceBefore: at - (arrows.at(-1)?.at ?? at),
      again: [],
      title: message?.title ?? noSip,
      transport,
      raw,
      message,
      media: message === undefined ? [] : parseSdp(message),
    }
    arrows.push(arrow)
    known.set(key, arrow)
  }
  const programs = new Map<number, string>()
  for (const arrow of arrows) {
    const program = programIn(arrow)
    if (program && !programs.has(arrow.from)) programs.set(arrow.from, program)
  }
  const lanes = [...places.keys()].map((host, place): SipLane => {
    const address = addresses[place] ?? ''
    const told = asString(alias[`${address}:${host.slice(host.lastIndexOf(':') + 1)}`])
    const isAlias = told !== '' && !told.startsWith(address)
    return { host, address, name: names[host] ?? names[address] ?? (isAlias ? told : programs.get(place)) }
  })
  return { legs, lanes, arrows, isCut: given.some(isCutIn), cutAt: given.map(cutAtIn).find(Boolean) }
}

/** What one capture shows. */
export const toLadder = (capture: unknown, names: Readonly<Record<string, string>> = {}): SipLadder =>
  toLadderOfLegs([{ name: 'A', capture, names }])

/** What the ladder tells of one leg: its arrows keep their ids. */
export const selectLeg = (ladder: SipLadder, leg: number): SipLadder =>
  ladder.legs.length === 1
    ? ladder
    : { ...ladder, legs: ladder.legs.slice(leg, leg + 1), arrows: ladder.arrows.filter((arrow) => arrow.leg === leg) }

/** Microseconds in words: 0.004 s, 12.30 s, 2 min 5 s. */
export const secondsText = (microseconds: number): string => {
  const seconds = microseconds / 1e6
  if (seconds < 1) return `${seconds.toFixed(3)} s`
  if (seconds < 59.995) return `${seconds.toFixed(2)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}

export const hostAt = ({ lanes }: SipLadder, place: number): string => lanes[place]?.host ?? 'unknown'

/** As it is read out: `INVITE from 203.0.113.7:5060 to 10.0.0.5:5060, 0.120 s`. */
export const describeArrow = (ladder: SipLadder, { leg, title, from, to, sinceFirst, again }: SipArrow): string => {
  const copies = again.length === 0 ? '' : `, sent ${again.length + 1} times`
  const name = ladder.legs.length > 1 ? `Leg ${ladder.legs[leg]?.name}: ` : ''
  return `${name}${title} from ${hostAt(ladder, from)} to ${hostAt(ladder, to)}, ${secondsText(sinceFirst)}${copies}`
}
