import { addToGroup } from '../lib/groups.ts'
import { getHeader, type ParsedSipMessage } from './parser.ts'

/**
 * Orders captured messages by cause and effect. Each capture agent stamps messages with its own clock, and some stamp
 * when they process a message, so the order of time stamps is not the order of events (RFC 3261 §17: a response is
 * matched by branch and CSeq, not by time). Pure.
 */

/** A captured message with the hosts of its hop. */
export interface OrderedPacket {
  leg: number
  /** Microseconds since the Unix epoch. */
  at: number
  source: string
  destination: string
  message: ParsedSipMessage | undefined
}

interface Cause<Packet> {
  packet: Packet
  /** The message that has to precede it. */
  cause: Packet | undefined
  /** Microseconds by which its time stamp is before that of its cause. 0 if it is not. */
  earlyBy: number
}

/** A response that a proxy received, and the one that it forwarded. */
interface Forwarding<Packet> {
  origin: Packet
  effect: Packet
}

/** Indexes messages by a key, in chronological order. */
class MessageIndex<Packet extends OrderedPacket> {
  readonly #byKey = new Map<string, Packet[]>()

  add(key: string, packet: Packet): void {
    addToGroup(this.#byKey, key, packet)
  }

  all(key: string): readonly Packet[] {
    return this.#byKey.get(key) ?? []
  }

  /** Returns the latest message before `at`, or the first one after it. */
  nearest(key: string, at: number): Packet | undefined {
    const all = this.all(key)
    const after = this.#findAfter(all, at)
    return all[after - 1] ?? all[after]
  }

  /** Returns the first message after `at`, or the latest one before it. */
  next(key: string, at: number): Packet | undefined {
    const all = this.all(key)
    const after = this.#findAfter(all, at)
    return all[after] ?? all[after - 1]
  }

  /** Returns the position of the first message after `at`. */
  #findAfter(all: readonly Packet[], at: number): number {
    let [low, high] = [0, all.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((all[middle]?.at ?? 0) <= at) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Identifies a request by its hop, from the sender to the recipient. */
const requestKey = (leg: number, hop: string, { method, number, fromTag, branches }: ParsedSipMessage): string =>
  `${leg} ${hop} ${method} ${number} ${fromTag} ${branches[0] ?? ''}`

const sequenceKey = ({ leg, source }: OrderedPacket, { fromTag }: ParsedSipMessage, number: number): string =>
  `${leg} ${source} ${fromTag} ${number}`

/** Identifies a dialog on a host, whichever side sent the message: each side has its own tag first (RFC 3261 §12). */
const dialogKey = (leg: number, host: string, { fromTag, toTag }: ParsedSipMessage): string =>
  `${leg} ${host} ${[fromTag, toTag].toSorted().join(' ')}`

/**
 * Finds the message that has to precede each message: the request of a response, the response that an ACK or a PRACK
 * confirms, the INVITE that a CANCEL ends, the answer that begins the dialog of a BYE, and the message that a proxy
 * forwarded.
 */
class CauseFinder<Packet extends OrderedPacket> {
  readonly #requests = new MessageIndex<Packet>()
  readonly #responses = new MessageIndex<Packet>()
  readonly #answers = new MessageIndex<Packet>()
  /** The INVITE requests that can begin a dialog: those without a tag of the called side. */
  readonly #initial = new Set<string>()
  readonly #forwarded = new MessageIndex<Packet>()
  readonly #bySequence = new MessageIndex<Packet>()
  readonly #origins = new Map<Packet, Packet>()

  constructor(packets: readonly Packet[]) {
    for (const packet of packets) this.#add(packet)
    this.#findOrigins(packets)
  }

  #add(packet: Packet): void {
    const { leg, source, destination, message } = packet
    if (message === undefined) return
    const { method, number, status, fromTag, toTag } = message
    this.#forwarded.add(this.#forwardKey(packet, message, message.branches), packet)
    if (status === undefined) {
      if (method === 'INVITE' && toTag === '') this.#initial.add(`${leg} ${fromTag} ${number}`)
      this.#requests.add(requestKey(leg, `${source} ${destination}`, message), packet)
      if (method !== 'ACK' && method !== 'CANCEL') this.#bySequence.add(sequenceKey(packet, message, number), packet)
      return
    }
    if (method !== 'INVITE') return
    const reliable = getHeader(message, 'rseq')
    if (status >= 200) this.#responses.add(`${leg} ${destination} ${number} ${toTag}`, packet)
    else if (reliable !== undefined) this.#responses.add(`${leg} ${destination} ${number} rseq ${reliable}`, packet)
    if (status < 200 || status >= 300) return
    for (const side of [source, destination]) this.#answers.add(dialogKey(leg, side, message), packet)
  }

  /**
   * A proxy adds a Via to the request that it forwards, and removes it from the response (RFC 3261 §16.6, §16.7). Each
   * target of a request has its own tag in its responses.
   */
  #forwardKey(
    { leg }: Packet,
    { method, number, status, toTag }: ParsedSipMessage,
    branches: readonly string[],
  ): string {
    return `${leg} ${method} ${number} ${status} ${status === undefined ? '' : toTag} ${branches.join(' ')}`
  }

  #confirmed({ leg, source, at }: Packet, message: ParsedSipMessage): Packet | undefined {
    const [sequence = '', number = ''] = (getHeader(message, 'rack') ?? '').split(/\s+/, 2)
    return message.method === 'ACK'
      ? this.#responses.nearest(`${leg} ${source} ${message.number} ${message.toTag}`, at)
      : this.#responses.nearest(`${leg} ${source} ${number} rseq ${sequence}`, at)
  }

  /** Returns the key of the same message on the side of the proxy where it has one Via less. */
  #otherHopKey(packet: Packet, message: ParsedSipMessage): string | undefined {
    const { branches } = message
    // Without a branch for each hop, two messages cannot be distinguished.
    if (branches.length < 2 || new Set(branches).size < branches.length || branches.includes('')) return undefined
    return this.#forwardKey(packet, message, branches.slice(1))
  }

  /** Returns the messages that precede this one. */
  findCauses(packet: Packet): Packet[] {
    const { message } = packet
    if (message === undefined) return []
    const causes =
      message.status === undefined ? this.#beforeRequest(packet, message) : this.#beforeResponse(packet, message)
    return [...new Set(causes)].filter((one) => one !== undefined).filter((one) => one !== packet)
  }

  /** Returns whether a response answers an INVITE that can begin a dialog. */
  #isInitial({ leg, message }: Packet): boolean {
    return message !== undefined && this.#initial.has(`${leg} ${message.fromTag} ${message.number}`)
  }

  #beforeResponse(packet: Packet, message: ParsedSipMessage): (Packet | undefined)[] {
    const { leg, source, destination, at } = packet
    const key = requestKey(leg, `${destination} ${source}`, message)
    return [this.#requests.nearest(key, at), this.#origins.get(packet)]
  }

  #beforeRequest(packet: Packet, message: ParsedSipMessage): (Packet | undefined)[] {
    const { leg, source, destination, at } = packet
    const { method, number, fromTag } = message
    const receivedKey = this.#otherHopKey(packet, message)
    const before = [
      receivedKey === undefined ? undefined : this.#forwarded.nearest(receivedKey, at),
      // A host counts its own requests, so the previous number was sent before (RFC 3261 §12.2.1.1).
      this.#bySequence.nearest(sequenceKey(packet, message, number - 1), at),
    ]
    if (method === 'ACK' || method === 'PRACK') before.push(this.#confirmed(packet, message))
    if (method === 'CANCEL') {
      const invite = { ...message, method: 'INVITE' }
      before.push(this.#requests.nearest(requestKey(leg, `${source} ${destination}`, invite), at))
    }
    if (method === 'BYE' || (method === 'INVITE' && message.toTag !== '')) {
      const answer = this.#answers.nearest(dialogKey(leg, source, message), at)
      const isOwn = answer?.message?.number === number && answer.message.fromTag === fromTag
      // A later answer began the dialog only if it is that of the first INVITE: others answer later changes.
      const canPrecede = answer !== undefined && (answer.at <= at || this.#isInitial(answer))
      if (!isOwn && canPrecede) before.push(answer)
    }
    return before
  }

  /**
   * Records the responses that a proxy received before it forwarded them. It forwards each of them, in their order. The
   * capture can lack some of several provisional responses, so that one that was forwarded before it was received proves
   * nothing, unless the final response shows that the clocks of both hops differ.
   */
  #findOrigins(packets: readonly Packet[]): void {
    const differing = new Set<string>()
    const received = new Map<string, Packet[]>()
    for (const packet of packets) {
      const key = packet.message && this.#receivedKey(packet, packet.message)
      if (key !== undefined) addToGroup(received, key, packet)
    }
    const pairs = [...received].flatMap(([key, origins]) => this.#pair(key, origins))
    const isFinal = ({ origin }: Forwarding<Packet>) => (origin.message?.status ?? 0) >= 200
    for (const pair of [...pairs.filter(isFinal), ...pairs.filter((one) => !isFinal(one))]) {
      const { origin, effect } = pair
      const hops = `${origin.leg} ${origin.source} ${origin.destination} ${effect.destination}`
      const isEarly = effect.at < origin.at
      if (isEarly && isFinal(pair)) differing.add(hops)
      if (!isEarly || differing.has(hops)) this.#origins.set(effect, origin)
    }
  }

  /** Returns the key of the response that a proxy forwards. A 100 is only for its hop (RFC 3261 §16.7). */
  #receivedKey(packet: Packet, message: ParsedSipMessage): string | undefined {
    return message.status === undefined || message.status === 100 ? undefined : this.#otherHopKey(packet, message)
  }

  #pair(key: string, origins: readonly Packet[]): Forwarding<Packet>[] {
    const forwarded = this.#forwarded.all(key)
    const used = new Set<Packet>()
    return origins.flatMap((origin, position) => {
      // If the capture lacks some of them, the next one after the response is its effect.
      const effect = forwarded.length === origins.length ? forwarded[position] : this.#forwarded.next(key, origin.at)
      if (effect === undefined || used.has(effect)) return []
      used.add(effect)
      return [{ origin, effect }]
    })
  }
}

/**
 * Returns packets in causal order: in the order of their time stamps, but each one after its causes, which it waits for.
 * Packets with the same time stamp stay in the order of the input. Takes linear time, apart from sorting.
 */
export const orderByCause = <Packet extends OrderedPacket>(packets: readonly Packet[]): Cause<Packet>[] => {
  const sorted = packets.toSorted((a, b) => a.at - b.at)
  const finder = new CauseFinder(sorted)
  const causes = new Map(sorted.map((packet) => [packet, finder.findCauses(packet)]))
  const effects = new Map<Packet, Packet[]>()
  for (const [packet, ownCauses] of causes) for (const cause of ownCauses) addToGroup(effects, cause, packet)
  const ordered: Cause<Packet>[] = []
  const done = new Set<Packet>()
  const passed = new Set<Packet>()
  const isReady = (packet: Packet): boolean => causes.get(packet)?.every((cause) => done.has(cause)) === true
  /** Appends a packet, and those that had to wait for it. */
  const append = (first: Packet): void => {
    const next = [first]
    for (const packet of next) {
      if (done.has(packet)) continue
      done.add(packet)
      const [cause] = causes.get(packet)?.toSorted((a, b) => b.at - a.at) ?? []
      ordered.push({ packet, cause, earlyBy: Math.max(0, (cause?.at ?? packet.at) - packet.at) })
      for (const effect of effects.get(packet) ?? []) if (passed.has(effect) && isReady(effect)) next.push(effect)
    }
  }
  for (const packet of sorted) {
    passed.add(packet)
    if (isReady(packet)) append(packet)
  }
  // Messages that contradict each other, so that each one waits for another, stay in the order of their time stamps.
  for (const packet of sorted) append(packet)
  return ordered
}
