import { addToGroup } from '../lib/groups.ts'
import { asRecord, asString } from '../traces/traces.ts'

/** Reads the packets of captures (docs/reference/platform-api/traces-and-captures.md#captured-sip). Pure. */

export interface Packet {
  leg: number
  /** Microseconds since the Unix epoch. */
  at: number
  sourceAddress: string
  /** Formatted as address:port, with IPv6 addresses in brackets. */
  source: string
  destinationAddress: string
  destination: string
  transport: string
  agent: string | undefined
  raw: string
}

/** IP protocols. sofia-sip, which drachtio uses, reports 22 for TLS. */
const transports: Readonly<Record<number, string>> = { 6: 'TCP', 17: 'UDP', 22: 'TLS', 132: 'SCTP' }

/** Transports over TCP, whose clients have a port per connection. */
export const tcpTransports: ReadonlySet<string> = new Set(['TCP', 'TLS'])

export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/**
 * Returns microseconds since the Unix epoch. Homer returns the packet's own seconds and microseconds; its `micro_ts` is
 * sometimes in milliseconds.
 */
const getTimestamp = (message: Record<string, unknown>): number => {
  const [seconds, microseconds] = [numberIn(message['timeSeconds']), numberIn(message['timeUseconds'])]
  if (seconds !== undefined && microseconds !== undefined) return seconds * 1e6 + microseconds
  const timestamp =
    numberIn(message['micro_ts']) ?? numberIn(message['create_date']) ?? Date.parse(asString(message['create_date']))
  if (!(timestamp >= 0 && timestamp < 8e15)) return 0
  return timestamp > 1e14 ? timestamp : timestamp * 1000
}

const formatHost = (address: string, port: unknown): string =>
  `${address.includes(':') ? `[${address}]` : address}:${numberIn(port) ?? '?'}`

/** Homer names the agent `captureId`, as a number or a text. */
const getAgent = ({ captureId }: Record<string, unknown>): string | undefined =>
  typeof captureId === 'number' || typeof captureId === 'string' ? String(captureId) : undefined

export const parsePacket = (input: unknown, leg: number): Packet => {
  const message = asRecord(input)
  const sourceAddress = asString(message['srcIp']) || 'unknown'
  const destinationAddress = asString(message['dstIp']) || 'unknown'
  const protocol = numberIn(message['protocol']) ?? 17
  return {
    leg,
    at: getTimestamp(message),
    sourceAddress,
    source: formatHost(sourceAddress, message['srcPort']),
    destinationAddress,
    destination: formatHost(destinationAddress, message['dstPort']),
    transport: transports[protocol] ?? `protocol ${protocol}`,
    agent: getAgent(message),
    raw: asString(message['raw']),
  }
}

/**
 * Returns the lane of each host. A TCP client has an ephemeral port per connection: a host that is seen at another port of
 * an address shares the lane of the first one, unless messages pass between the two. Takes linear time: a lane that does
 * not match costs one of the packets between the two hosts.
 */
export const laneKeys = (packets: readonly Packet[]): ReadonlyMap<string, string> => {
  const hosts = new Map<string, { address: string; isTcpOnly: boolean }>()
  const pairs = new Set<string>()
  for (const { source, sourceAddress, destination, destinationAddress, transport } of packets) {
    pairs.add(`${source} ${destination}`).add(`${destination} ${source}`)
    for (const [host, address] of [
      [source, sourceAddress],
      [destination, destinationAddress],
    ] as const)
      hosts.set(host, { address, isTcpOnly: (hosts.get(host)?.isTcpOnly ?? true) && tcpTransports.has(transport) })
  }
  const keys = new Map<string, string>()
  const lanesByAddress = new Map<string, string[]>()
  for (const [host, { address, isTcpOnly }] of hosts) {
    const lanes = isTcpOnly ? lanesByAddress.get(address) : undefined
    const same = lanes?.find((lane) => !pairs.has(`${host} ${lane}`))
    keys.set(host, same ?? host)
    if (same === undefined) addToGroup(lanesByAddress, address, host)
  }
  return keys
}
