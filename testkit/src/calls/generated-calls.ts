import type { FlowMessage } from './call-flows.ts'

/**
 * A small model of valid SIP dialogs (RFC 3261, 3262, 3264, 3311, 3515, 4028) that writes the messages of a call as
 * capture agents see them. Hosts send what the RFCs allow, and nothing else, unless the test injects a fault.
 */

export interface Host {
  address: string
  port: number
  /** The tag of its side of a dialog. */
  tag: string
}

/** A request on its way through the proxies. */
export interface OutgoingRequest {
  method: string
  cseq: number
  from: Host
  to: Host
  toTag: string
  /** The hosts from the sender to the recipient. */
  path: readonly Host[]
  /** The branch that each hop added. */
  branches: readonly string[]
  /** Hops at the beginning of the path that see nothing of this branch of a fork. */
  hopsBefore?: number
}

interface Content {
  headers?: readonly string[]
  body?: string
}

/** Returns the capture agent of a hop, and the seconds by which its clock differs. */
export type AgentFinder = (source: Host, destination: Host) => { agent: number | undefined; offset: number }

/** Records the messages of one call. Time advances with each message. */
export class CallRecorder {
  readonly messages: FlowMessage[] = []
  readonly callId: string
  #time = 0
  #branches = 0
  readonly #findAgent: AgentFinder

  constructor(callId: string, findAgent: AgentFinder) {
    this.callId = callId
    this.#findAgent = findAgent
  }

  wait(seconds: number): void {
    this.#time += seconds
  }

  /** Records one message on one hop, and its copies. */
  #record(source: Host, destination: Host, text: string, copies: readonly number[] = []): void {
    this.#time += 0.02
    const { agent, offset } = this.#findAgent(source, destination)
    for (const later of [0, ...copies])
      this.messages.push({ seconds: this.#time + offset + later, source, destination, transport: 'udp', agent, text })
  }

  #toText(start: string, headers: readonly string[], { headers: more = [], body = '' }: Content): string {
    const type =
      body === '' || more.some((line) => /^content-type:/i.test(line)) ? [] : ['Content-Type: application/sdp']
    const lines = [start, ...headers, ...more, ...type, `Content-Length: ${Buffer.byteLength(body)}`]
    return `${lines.join('\r\n')}\r\n\r\n${body}`
  }

  /** Returns the Via headers that a message has after this number of hops. */
  #vias({ path, branches }: OutgoingRequest, hops: number): string[] {
    return branches
      .slice(0, hops)
      .map((branch, hop) => `Via: SIP/2.0/UDP ${path[hop]?.address}:${path[hop]?.port};branch=${branch}`)
      .toReversed()
  }

  #dialogHeaders({ from, to, toTag, cseq }: OutgoingRequest, method: string, answeredTag = toTag): string[] {
    return [
      `From: <sip:${from.tag}@flows.example>;tag=${from.tag}`,
      `To: <sip:${to.tag}@flows.example>${answeredTag && `;tag=${answeredTag}`}`,
      `Call-ID: ${this.callId}`,
      `CSeq: ${cseq} ${method}`,
    ]
  }

  #requestText(outgoing: OutgoingRequest, method: string, hop: number, content: Content): string {
    const { path, to, from } = outgoing
    const headers = [
      ...this.#vias(outgoing, hop + 1),
      `Max-Forwards: ${70 - hop}`,
      ...path
        .slice(1, hop + 1)
        .toReversed()
        .map(({ address, port }) => `Record-Route: <sip:${address}:${port};lr>`),
      ...this.#dialogHeaders(outgoing, method),
      ...(content.headers?.some((line) => line.startsWith('Contact:'))
        ? []
        : [`Contact: <sip:${from.tag}@${from.address}:${from.port}>`]),
    ]
    return this.#toText(`${method} sip:${to.tag}@${to.address}:${to.port} SIP/2.0`, headers, content)
  }

  /**
   * Sends a request along a path of hosts.
   * @param copies seconds after which its sender repeats it on the first hop
   * @param reaches the number of hops that it passes before it is lost
   */
  request(
    method: string,
    cseq: number,
    path: readonly Host[],
    content: Content & { toTag?: string; copies?: readonly number[]; reaches?: number } = {},
  ): OutgoingRequest {
    const [from, to] = [path[0], path.at(-1)]
    if (from === undefined || to === undefined) throw new Error('A path has two hosts')
    const branches = path.slice(1).map(() => `z9hG4bK${this.callId.length}x${(this.#branches += 1)}`)
    const outgoing: OutgoingRequest = { method, cseq, from, to, toTag: content.toTag ?? '', path, branches }
    for (const [hop, source] of path.slice(0, content.reaches ?? -1).entries()) {
      const text = this.#requestText(outgoing, method, hop, content)
      this.#record(source, path[hop + 1] ?? to, text, hop === 0 ? content.copies : [])
    }
    return outgoing
  }

  /** Forwards a request from the second host of its path to another device, too (RFC 3261 §16.6). Returns that hop. */
  fork(outgoing: OutgoingRequest, device: Host, body: string): OutgoingRequest {
    const source = outgoing.path[1] ?? outgoing.to
    const branches = [outgoing.branches[0] ?? '', `z9hG4bK${this.callId.length}x${(this.#branches += 1)}`]
    const forked: OutgoingRequest = { ...outgoing, to: device, path: [outgoing.from, source, device], branches }
    this.#record(source, device, this.#requestText(forked, outgoing.method, 1, { body }))
    return { ...forked, hopsBefore: 1 }
  }

  /** Responds along the path of a request. */
  respond(
    outgoing: OutgoingRequest,
    status: string,
    content: Content & { copies?: readonly number[]; tag?: string } = {},
  ): void {
    const { path, method, to } = outgoing
    const tag = status.startsWith('100') ? outgoing.toTag : content.tag || outgoing.toTag || to.tag
    const isSuccess = status.startsWith('2')
    for (let hop = path.length - 1; hop > (outgoing.hopsBefore ?? 0); hop -= 1) {
      const headers = [
        ...this.#vias(outgoing, hop),
        ...this.#dialogHeaders(outgoing, method, tag),
        ...(isSuccess && method === 'INVITE' ? [`Contact: <sip:${to.tag}@${to.address}:${to.port}>`] : []),
      ]
      const [source, destination] = [path[hop] ?? to, path[hop - 1] ?? to]
      const text = this.#toText(`SIP/2.0 ${status}`, headers, content)
      this.#record(source, destination, text, hop === path.length - 1 ? content.copies : [])
    }
  }

  /** Acknowledges a refusal on each hop, with the branch of the INVITE (RFC 3261 §17.1.1.3), or cancels it (§9.1). */
  onEachHop(method: 'ACK' | 'CANCEL', outgoing: OutgoingRequest, toTag = ''): void {
    for (const [hop, source] of outgoing.path.slice(0, -1).entries()) {
      if (hop < (outgoing.hopsBefore ?? 0)) continue
      const destination = outgoing.path[hop + 1] ?? outgoing.to
      const branches = [outgoing.branches[hop] ?? '']
      const single: OutgoingRequest = {
        ...outgoing,
        path: [source, destination],
        branches,
        toTag,
        method,
        hopsBefore: 0,
      }
      this.#record(source, destination, this.#requestText(single, method, 0, {}))
      if (method === 'CANCEL') this.respond(single, '200 OK')
    }
  }

  /** Acknowledges an answer end to end (RFC 3261 §13.2.2.4). */
  acknowledge(outgoing: OutgoingRequest, content: Content & { toTag?: string } = {}): void {
    this.request('ACK', outgoing.cseq, outgoing.path, { toTag: outgoing.toTag || outgoing.to.tag, ...content })
  }
}
