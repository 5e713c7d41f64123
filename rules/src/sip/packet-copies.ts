import { addToGroup, groupBy } from '../lib/groups.ts'
import { type Packet, tcpTransports } from './captured-packets.ts'
import { getHeader, type ParsedSipMessage, parseSip } from './parser.ts'

/**
 * Tells the copies of a message that were captured at several points from those that its sender repeated
 * (docs/reference/platform-api/traces-and-captures.md#captured-sip). Pure.
 */

/** A message with its copies. */
export interface SeenPacket extends Packet {
  message: ParsedSipMessage | undefined
  /** Times of its retransmissions, in microseconds since the Unix epoch. */
  again: readonly number[]
  /** Number of copies that were captured at another point. */
  doubled: number
  /** Number of copies that were captured at another point, or repeated early: nothing shows which. */
  unclear: number
}

/**
 * Microseconds. A later copy was repeated: the first retransmission follows after T1, which is 500 ms, and in networks with
 * short delays seldom less than 200 ms (RFC 3261 §17.1.1.1). An earlier one needs a reason.
 */
const duplicateWindow = 100_000

/** Microseconds. No program repeats a message without a reason within this time, so that a copy was captured twice. */
const shortestTimer = 20_000

/** The messages with the same bytes on the same path. */
interface Copies {
  /** Holds those of the agent that saw most of them, in the order of their time stamps. */
  seen: readonly [Packet, ...Packet[]]
  /** Number of those of other agents. */
  elsewhere: number
  message: ParsedSipMessage | undefined
}

const toCopies = (packets: readonly Packet[]): Copies[] => {
  const byAgent = [...groupBy(packets, ({ agent }) => agent).values()]
  const [[first, ...others] = []] = byAgent.toSorted((a, b) => b.length - a.length)
  if (first === undefined) return []
  const elsewhere = packets.length - others.length - 1
  return [{ seen: [first, ...others], elsewhere, message: parseSip(first.raw) }]
}

/** Names the way between two hosts, in both directions. */
const getPath = ({ source, destination }: Packet): string => [source, destination].toSorted().join(' ')

/** Requests precede their responses, and responses the requests that confirm them. */
const getRank = ({ message }: Copies): number => {
  const isConfirming = message?.method === 'ACK' || message?.method === 'PRACK'
  return (isConfirming ? 2 : 0) + (message?.status === undefined ? 0 : 1)
}

/** Names what a message causes: its responses for a request, and an ACK or a PRACK for a response. */
const getEffect = (leg: number, message: ParsedSipMessage): string => {
  const { method, status, number, fromTag, toTag, branches } = message
  if (status === undefined) return `${leg} ${method} ${number} ${fromTag} ${branches[0]}`
  return status < 200
    ? `${leg} PRACK ${fromTag} ${toTag} ${getHeader(message, 'rseq')?.trim()}`
    : `${leg} ACK ${number} ${fromTag} ${toTag}`
}

/**
 * Names what causes a message each time: a repeated request causes a repeated response (RFC 3261 §17.2.1, §17.2.2), and a
 * repeated final response an ACK (§13.2.2.4, §17.1.1.3). Some programs confirm a repeated provisional response again.
 */
const getCause = (leg: number, message: ParsedSipMessage): string | undefined => {
  const { method, status, number, fromTag, toTag, branches } = message
  if (status !== undefined) return `${leg} ${method} ${number} ${fromTag} ${branches[0]}`
  if (method === 'ACK') return `${leg} ACK ${number} ${fromTag} ${toTag}`
  if (method !== 'PRACK') return undefined
  return `${leg} PRACK ${fromTag} ${toTag} ${getHeader(message, 'rack')?.trim().split(/\s+/, 1)[0]}`
}

/** When a message was sent, by the clock of an agent. */
interface Sendings {
  agent: string | undefined
  times: readonly number[]
}

/** Returns how often a cause had occurred before a time. Clocks of other agents show only how often it occurred at all. */
const countCauses = (causes: readonly Sendings[], agent: string | undefined, at: number): number =>
  Math.max(
    0,
    ...causes.map((cause) => (cause.agent === agent ? cause.times.filter((one) => one <= at) : cause.times).length),
  )

/** The factor between two pauses of a timer that doubles (RFC 3261 §17.1.1.2), with a margin for late packets. */
const doubling = { min: 1.7, max: 2.4 } as const

/**
 * Returns whether the pauses between copies are those of a timer that begins early: they double until they are longer than
 * those between capture points, and no later one is shorter.
 */
const isEarlyTimer = (times: readonly number[]): boolean => {
  const pauses = times.slice(1).map((at, position) => at - (times[position] ?? at))
  const end = pauses.findIndex((pause) => pause >= duplicateWindow)
  const [first = 0] = pauses
  const getFactor = (position: number) => (pauses[position] ?? 0) / (pauses[position - 1] ?? 0)
  return (
    end > 0 &&
    first >= shortestTimer &&
    pauses.every((_pause, position) => {
      const factor = getFactor(position)
      return position === 0 || (position > end ? factor > 0.9 : factor >= doubling.min && factor <= doubling.max)
    })
  )
}

const separate = ({ seen, elsewhere, message }: Copies, causes: readonly Sendings[]): SeenPacket => {
  const [first, ...others] = seen
  // Requests are not repeated over a reliable transport (RFC 3261 §17.1.1.2), except for the ACK of a repeated answer.
  const isRepeatable = !tcpTransports.has(first.transport) || message?.status !== undefined || message?.method === 'ACK'
  const isEarly = isEarlyTimer(seen.map(({ at }) => at))
  const again: number[] = []
  let unclear = 0
  for (const { at, agent } of isRepeatable ? others : []) {
    const pause = at - (again.at(-1) ?? first.at)
    if (pause >= duplicateWindow || isEarly || countCauses(causes, agent, at) > again.length + 1) again.push(at)
    else if (pause >= shortestTimer) unclear += 1
  }
  return { ...first, message, again, doubled: elsewhere + others.length - again.length - unclear, unclear }
}

/**
 * Merges the copies of a message on its path. Those of another capture agent were captured at two points. Those of the same
 * agent were repeated if they are as late as a retransmission, or if what causes the message was repeated, too. The times
 * are those of the agent that saw most copies.
 */
export const mergeCopies = (packets: readonly Packet[]): SeenPacket[] => {
  const all = [
    ...groupBy(packets, ({ leg, source, destination, raw }) => `${leg} ${source} ${destination} ${raw}`).values(),
  ].flatMap(toCopies)
  const sendings = new Map<string, Sendings[]>()
  const seen = new Map<Copies, SeenPacket>()
  // A point that captures some packets twice captures others twice, too, whether or not there is a reason to repeat them.
  const doubledPaths = new Set<string>()
  for (const copies of all.toSorted((one, other) => getRank(one) - getRank(other))) {
    const { elsewhere, message } = copies
    const [first] = copies.seen
    const { leg } = first
    const path = getPath(first)
    const cause = message === undefined || doubledPaths.has(path) ? undefined : getCause(leg, message)
    const packet = separate(copies, (cause === undefined ? undefined : sendings.get(cause)) ?? [])
    seen.set(copies, packet)
    if (packet.doubled - elsewhere + packet.unclear > 0) doubledPaths.add(path)
    if (message !== undefined)
      addToGroup(sendings, getEffect(leg, message), { agent: packet.agent, times: [packet.at, ...packet.again] })
  }
  return all.flatMap((copies) => seen.get(copies) ?? [])
}
