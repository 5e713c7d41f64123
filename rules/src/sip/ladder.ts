import { asArray, asRecord, asString } from '../traces/traces.ts'
import { laneKeys, numberIn, type Packet, parsePacket } from './captured-packets.ts'
import { orderByCause } from './causal-order.ts'
import { mergeCopies } from './packet-copies.ts'
import { getHeader, headersNamed, type ParsedSipMessage } from './parser.ts'
import { parseSdp, type SdpMedia } from './sdp.ts'

/**
 * Converts captured SIP to a ladder diagram: hosts as lanes, messages as arrows in causal order
 * (docs/reference/platform-api/traces-and-captures.md#captured-sip). Pure.
 */

export interface SipLane {
  /** Formatted as address:port, with IPv6 addresses in brackets. */
  host: string
  address: string
  /**
   * Display name: from the caller of `toLadder`, from an alias in the capture, or from the User-Agent header of the
   * host's messages.
   */
  name: string | undefined
}

export interface SipArrow {
  /** Index in `arrows`. */
  id: number
  /** Index in `legs`. */
  leg: number
  /** Indexes in `lanes`. */
  from: number
  to: number
  /** Microseconds since the Unix epoch. */
  at: number
  /**
   * Microseconds since the first arrow, and since the previous one. Negative if the clocks of the capture agents differ.
   */
  sinceFirst: number
  sinceBefore: number
  /**
   * The arrow that has to precede this one although its time stamp is later, and by how many microseconds. Undefined if
   * the time stamps agree with the order of events.
   */
  early: { cause: number; by: number } | undefined
  /** The capture agent that stamped the message, if known (HEP chunk 0x0c). */
  agent: string | undefined
  /**
   * Times of retransmissions of the same bytes on the same path, in microseconds since the Unix epoch (RFC 3261
   * §17.1.1.2, §13.3.1.4).
   */
  again: readonly number[]
  /** `INVITE`, `180 Ringing`, or a placeholder if the packet is not SIP. */
  title: string
  transport: string
  /** The captured text. */
  raw: string
  /** Undefined if the packet is not SIP. */
  message: ParsedSipMessage | undefined
  media: readonly SdpMedia[]
}

/** An arrow with a parsed SIP message. */
export type ParsedArrow = SipArrow & { message: ParsedSipMessage }

/** The messages of one Call-ID. A call that is bridged to another party has one leg per Call-ID (RFC 3261 §12). */
export interface SipLeg {
  /** A letter such as `A`. */
  name: string
  /** Number of packets that were captured at two points of the network. */
  doubled: number
  /**
   * Number of packets that were captured at two points of the network, or repeated early. Undefined in a shared report,
   * whose findings state it.
   */
  unclear?: number
}

export interface SipLadder {
  /** In the order of the input. */
  legs: readonly SipLeg[]
  lanes: readonly SipLane[]
  arrows: readonly SipArrow[]
  /** True if a capture has more messages than it contains. */
  isCut: boolean
  /** Position of the missing messages, if known. */
  cutAt: 'beginning' | 'end' | undefined
}

const noSip = 'No SIP'

/**
 * Returns the User-Agent of a request that has passed no proxy, so that the header names the program of the sending
 * host (RFC 3261 §20.35, §20.41).
 */
const getUserAgent = ({ message }: SipArrow): string | undefined => {
  if (message === undefined) return undefined
  if (message.status === undefined)
    return headersNamed(message, 'via').length === 1 ? getHeader(message, 'user-agent') : undefined
  return undefined
}

const isParsed = (arrow: SipArrow): arrow is ParsedArrow => arrow.message !== undefined

/** Returns the arrows of a ladder whose messages could be parsed. */
export const parsedArrows = ({ arrows }: SipLadder): ParsedArrow[] => arrows.filter(isParsed)

/** The response of `GET …/RecentCalls/{sip_callid}` for one leg. */
export interface CapturedLeg {
  name: string
  capture: unknown
  /** Display names by address, with or without the port. */
  names?: Readonly<Record<string, string>>
}

const getMessages = ({ capture }: CapturedLeg): readonly unknown[] =>
  asArray(asRecord(asRecord(capture)['data'])['messages'])

const isCutIn = (leg: CapturedLeg): boolean => {
  const record = asRecord(leg.capture)
  const count = getMessages(leg).length
  return record['is_cut'] === true || (numberIn(record['total']) ?? count) > count
}

const cutAtIn = ({ capture }: CapturedLeg): SipLadder['cutAt'] => {
  const at = asRecord(capture)['cut_at']
  return at === 'beginning' || at === 'end' ? at : undefined
}

/** Merges objects. The result has no prototype, because hosts in captures can have the names of its members. */
const merge = (records: readonly unknown[]): Readonly<Record<string, unknown>> =>
  Object.assign(Object.create(null), ...records) as Record<string, unknown>

/** Merges the legs' display names (by address, with or without the port) and aliases (by address and port). */
const namesIn = (legs: readonly CapturedLeg[]) => ({
  names: merge(legs.map(({ names }) => names)) as Readonly<Record<string, string>>,
  alias: merge(legs.map(({ capture }) => asRecord(asRecord(asRecord(capture)['data'])['alias']))),
})

/** Numbers the lanes in the order in which their hosts first appear. */
const numberLanes = (packets: readonly Packet[], keys: ReadonlyMap<string, string>): Map<string, number> => {
  const lanes = new Map<string, number>()
  for (const { source, destination } of packets)
    for (const host of [source, destination]) {
      const lane = keys.get(host) ?? host
      lanes.set(lane, lanes.get(lane) ?? lanes.size)
    }
  return lanes
}

/**
 * Converts captures to a ladder diagram, one leg per capture, with all arrows in causal order. Packets that are not SIP
 * become arrows without a message. Never throws, whatever the captures contain.
 */
export const toMultiLegLadder = (captures: readonly CapturedLeg[]): SipLadder => {
  const { names, alias } = namesIn(captures)
  const packets = captures
    .flatMap((one, leg) => getMessages(one).map((message) => parsePacket(message, leg)))
    .toSorted((a, b) => a.at - b.at)
  const keys = laneKeys(packets)
  const toLane = (host: string): string => keys.get(host) ?? host
  const merged = mergeCopies(packets)
  const ordered = orderByCause(
    merged.map((packet) => ({ ...packet, source: toLane(packet.source), destination: toLane(packet.destination) })),
  )
  const laneIndexes = numberLanes(
    ordered.map(({ packet }) => packet),
    keys,
  )
  const first = ordered[0]?.packet.at ?? 0
  const ids = new Map(ordered.map(({ packet }, id) => [packet, id]))
  const arrows = ordered.map(({ packet, cause, earlyBy }, id): SipArrow => {
    const { leg, at, transport, raw, agent, message, again } = packet
    const causeId = cause && ids.get(cause)
    return {
      id,
      leg,
      from: laneIndexes.get(packet.source) ?? 0,
      to: laneIndexes.get(packet.destination) ?? 0,
      at,
      sinceFirst: at - first,
      sinceBefore: at - (ordered[id - 1]?.packet.at ?? at),
      early: earlyBy > 0 && causeId !== undefined ? { cause: causeId, by: earlyBy } : undefined,
      agent,
      again,
      title: message?.title ?? noSip,
      transport,
      raw,
      message,
      media: message === undefined ? [] : parseSdp(message),
    }
  })
  const programs = new Map<number, string>()
  for (const arrow of arrows) {
    const program = getUserAgent(arrow)
    if (program && !programs.has(arrow.from)) programs.set(arrow.from, program)
  }
  const addresses = new Map(
    packets.flatMap(({ source, sourceAddress, destination, destinationAddress }) => [
      [toLane(source), sourceAddress] as const,
      [toLane(destination), destinationAddress] as const,
    ]),
  )
  const lanes = [...laneIndexes.keys()].map((host, laneIndex): SipLane => {
    const address = addresses.get(host) ?? ''
    const aliasName = asString(alias[`${address}:${host.slice(host.lastIndexOf(':') + 1)}`])
    const isAlias = aliasName !== '' && !aliasName.startsWith(address)
    return { host, address, name: names[host] ?? names[address] ?? (isAlias ? aliasName : programs.get(laneIndex)) }
  })
  const legs = captures.map(({ name }) => ({ name, doubled: 0, unclear: 0 }))
  for (const { leg, doubled, unclear } of merged) {
    const its = legs[leg]
    if (its === undefined) continue
    its.doubled += doubled
    its.unclear += unclear
  }
  return { legs, lanes, arrows, isCut: captures.some(isCutIn), cutAt: captures.map(cutAtIn).find(Boolean) }
}

/** Converts the capture of a single leg to a ladder diagram. */
export const toLadder = (capture: unknown, names: Readonly<Record<string, string>> = {}): SipLadder =>
  toMultiLegLadder([{ name: 'A', capture, names }])

/** Returns the part of a ladder diagram that belongs to one leg. Arrows keep their IDs. */
export const selectLeg = (ladder: SipLadder, leg: number): SipLadder =>
  ladder.legs.length === 1
    ? ladder
    : { ...ladder, legs: ladder.legs.slice(leg, leg + 1), arrows: ladder.arrows.filter((arrow) => arrow.leg === leg) }

/** Formats microseconds as 0.004 s, 12.30 s, or 2 min 5 s. */
export const secondsText = (microseconds: number): string => {
  const seconds = microseconds / 1e6
  if (seconds < 1) return `${seconds.toFixed(3)} s`
  if (seconds < 59.995) return `${seconds.toFixed(2)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}

/** Formats the time between two arrows. Capture clocks can differ, so that the later one has the earlier time stamp. */
export const elapsedText = (from: Pick<SipArrow, 'at'>, to: Pick<SipArrow, 'at'>): string =>
  secondsText(Math.max(0, to.at - from.at))

/** Returns the host of a lane by its index. */
export const hostAt = ({ lanes }: SipLadder, lane: number): string => lanes[lane]?.host ?? 'unknown'

/** Says that the time stamp of an arrow contradicts the order of events. Undefined if it does not. */
export const describeEarly = ({ early }: SipArrow): string | undefined =>
  early && `stamped ${secondsText(early.by)} before the message that caused it`

/** Describes an arrow as text: `INVITE from 203.0.113.7:5060 to 10.0.0.5:5060, 0.120 s`. */
export const describeArrow = (ladder: SipLadder, arrow: SipArrow): string => {
  const { leg, title, from, to, sinceFirst, again } = arrow
  const copies = again.length === 0 ? '' : `, sent ${again.length + 1} times`
  const name = ladder.legs.length > 1 ? `Leg ${ladder.legs[leg]?.name}: ` : ''
  const early = describeEarly(arrow)
  return `${name}${title} from ${hostAt(ladder, from)} to ${hostAt(ladder, to)}, ${secondsText(sinceFirst)}${copies}${early ? `, ${early}` : ''}`
}
