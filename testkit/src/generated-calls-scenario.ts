import {
  type AgentFinder,
  type AudioType,
  CallRecorder,
  type Host,
  type OutgoingRequest,
  sessionDescription,
} from './generated-calls.ts'

/** Writes a valid call from options that a property-based test chooses, with a fault at most. */

/** Deviations from a valid call, each of which breaks something. */
export const faults = [
  'refused',
  'silent',
  'no ACK',
  'error without ACK',
  'no PRACK',
  'wrong password',
  'no credentials',
  'private contact',
  'slow',
  'BYE refused',
  'dialog lost',
  'digits refused',
  'abnormal end',
  'session timer',
] as const
export type Fault = (typeof faults)[number]

export const middles = ['hold', 'refresh', 'update', 'digits', 'glare', 'options', 'transfer', 'minimum'] as const
export type Middle = (typeof middles)[number]

export interface CallOptions {
  hasProxy: boolean
  /** Capture agents: their IDs are known, or not. */
  agents: 'one' | 'two' | 'unknown'
  /** Milliseconds by which the clock of the second agent differs. */
  skew: number
  audio: AudioType
  authentication: 'none' | 'challenge' | 'stale' | 'renewed' | 'two realms'
  before: 'none' | 'redirect' | 'overloaded' | 'silent'
  isForked: boolean
  ringing: readonly ('180 Ringing' | '183 Session Progress')[]
  isReliable: boolean
  isOfferDelayed: boolean
  middle: readonly Middle[]
  end: 'caller' | 'called' | 'both' | 'canceled' | 'open'
  fault?: Fault
}

const host = (address: string, port: number, tag: string): Host => ({ address, port, tag })
const caller = host('203.0.113.7', 5060, 'caller')
const proxy = host('198.51.100.1', 5060, 'proxy')
const called = host('198.51.100.40', 5060, 'called')
const other = host('198.51.100.41', 5060, 'other')
const firstTarget = host('198.51.100.9', 5060, 'first')

/** Times of retransmissions over UDP (RFC 3261 §17.1.1.2), in seconds after the first message. */
const retransmissions = [0.5, 1.5, 3.5, 7.5, 15.5, 31.5]

const challenge = (name: string, realm: string, nonce: string, more = '') =>
  `${name}: Digest realm="${realm}", nonce="${nonce}", algorithm=MD5${more}`
const credentials = (name: string, realm: string, nonce: string) =>
  `${name}: Digest username="u", realm="${realm}", nonce="${nonce}", uri="sip:x", response="00"`

export class GeneratedCall {
  readonly recorder: CallRecorder
  readonly #options: CallOptions
  #cseq = 0

  constructor(callId: string, options: CallOptions) {
    this.#options = options
    const { agents, skew, hasProxy } = options
    const findAgent: AgentFinder = (source, destination) => {
      const isSecond = hasProxy && ![source, destination].includes(caller)
      const agent = isSecond && agents !== 'one' ? 2002 : 2001
      const offset = isSecond && agents !== 'one' ? skew / 1000 : 0
      return { agent: agents === 'unknown' ? undefined : agent, offset }
    }
    this.recorder = new CallRecorder(callId, findAgent)
  }

  get #path(): Host[] {
    return this.#options.hasProxy ? [caller, proxy, called] : [caller, called]
  }

  #offer(direction = 'sendrecv', from = caller, version = 1): string {
    return sessionDescription(from, { audio: this.#options.audio, direction, version })
  }

  #invite(path: readonly Host[], headers: readonly string[] = [], more = {}): OutgoingRequest {
    const { fault } = this.#options
    const contact = fault === 'private contact' ? ['Contact: <sip:caller@192.168.1.20>'] : []
    const body = this.#options.isOfferDelayed ? {} : { body: this.#offer() }
    return this.recorder.request('INVITE', (this.#cseq += 1), path, {
      headers: [...contact, ...headers],
      ...body,
      ...more,
    })
  }

  #refuse(outgoing: OutgoingRequest, status: string, headers: readonly string[] = [], isAcknowledged = true): void {
    const copies = isAcknowledged ? [] : [0.5, 1.5, 3.5]
    this.recorder.respond(outgoing, status, { headers, copies })
    if (isAcknowledged) this.recorder.onEachHop('ACK', outgoing, outgoing.to.tag)
    else this.recorder.wait(4)
  }

  /** Tries another target first (RFC 3261 §8.1.3.4, RFC 3263 §4.3). */
  #tryFirstTarget(): void {
    const { before } = this.#options
    if (before === 'none') return
    if (before === 'silent') {
      this.#invite([caller, firstTarget], [], { copies: [0.5, 1.5, 3.5] })
      this.recorder.wait(4)
      return
    }
    const outgoing = this.#invite([caller, firstTarget])
    if (before === 'redirect') this.#refuse(outgoing, '302 Moved Temporarily', ['Contact: <sip:called@198.51.100.40>'])
    else this.#refuse(outgoing, '503 Service Unavailable', ['Retry-After: 5'])
  }

  /** Repeats the INVITE with credentials (RFC 3261 §22). Returns the headers of the INVITE that is taken. */
  #authenticate(path: readonly Host[]): string[] | undefined {
    const { authentication, fault } = this.#options
    const ask = (nonce: string, more = '') => challenge('WWW-Authenticate', 'flows.example', nonce, more)
    const answer = (nonce: string) => credentials('Authorization', 'flows.example', nonce)
    if (fault === 'no credentials' || fault === 'wrong password' || fault === 'error without ACK') {
      this.#refuse(this.#invite(path), '401 Unauthorized', [ask('n1')], fault !== 'error without ACK')
      if (fault === 'no credentials') return undefined
      if (fault === 'error without ACK') return [answer('n1')]
      this.#refuse(this.#invite(path, [answer('n1')]), '401 Unauthorized', [ask('n2')])
      return undefined
    }
    if (authentication === 'none') return []
    if (authentication === 'renewed') {
      this.#refuse(this.#invite(path, [answer('kept')]), '401 Unauthorized', [ask('n2')])
      return [answer('n2')]
    }
    this.#refuse(this.#invite(path), '401 Unauthorized', [ask('n1')])
    if (authentication === 'challenge') return [answer('n1')]
    if (authentication === 'stale') {
      this.#refuse(this.#invite(path, [answer('n1')]), '401 Unauthorized', [ask('n2', ', stale=true')])
      return [answer('n2')]
    }
    const proxyAsk = challenge('Proxy-Authenticate', 'proxy.example', 'p1')
    this.#refuse(this.#invite(path, [answer('n1')]), '407 Proxy Authentication Required', [proxyAsk])
    return [answer('n1'), credentials('Proxy-Authorization', 'proxy.example', 'p1')]
  }

  /** A second device that the proxy calls at the same time (RFC 3261 §16.7). */
  #fork(outgoing: OutgoingRequest): OutgoingRequest | undefined {
    const { isForked, hasProxy } = this.#options
    if (!isForked || !hasProxy) return undefined
    return this.recorder.fork(outgoing, other, this.#offer())
  }

  #ring(outgoing: OutgoingRequest): void {
    const { ringing, isReliable, isOfferDelayed, fault } = this.#options
    this.recorder.respond(outgoing, '100 Trying')
    for (const status of ringing) {
      this.recorder.wait(0.5)
      this.recorder.respond(outgoing, status, status.startsWith('183') ? { body: this.#offer('sendrecv', called) } : {})
    }
    if ((!isReliable || isOfferDelayed) && fault !== 'no PRACK') return
    const headers = ['Require: 100rel', 'RSeq: 1']
    const isLost = fault === 'no PRACK'
    this.recorder.respond(outgoing, '183 Session Progress', {
      headers,
      body: this.#offer('sendrecv', called),
      copies: isLost ? [0.5, 1.5, 3.5] : [],
    })
    if (isLost) {
      this.recorder.wait(4)
      return
    }
    const rack = { headers: [`RAck: 1 ${outgoing.cseq} INVITE`], toTag: called.tag }
    this.recorder.respond(this.recorder.request('PRACK', (this.#cseq += 1), outgoing.path, rack), '200 OK')
  }

  #inDialog(method: string, isByCaller: boolean, content = {}): OutgoingRequest {
    const path = isByCaller ? this.#path : this.#path.toReversed()
    const toTag = isByCaller ? called.tag : caller.tag
    return this.recorder.request(method, (this.#cseq += 1), path, { toTag, ...content })
  }

  #reinvite(isByCaller: boolean, direction: string, version: number): void {
    const [from, to] = isByCaller ? [caller, called] : [called, caller]
    const outgoing = this.#inDialog('INVITE', isByCaller, { body: this.#offer(direction, from, version) })
    const back = direction === 'sendonly' ? 'recvonly' : 'sendrecv'
    this.recorder.respond(outgoing, '200 OK', { body: this.#offer(back, to, version) })
    this.recorder.acknowledge(outgoing)
  }

  #change(middle: Middle, at: number): void {
    this.recorder.wait(3)
    const isByCaller = at % 2 === 0
    switch (middle) {
      case 'hold':
        this.#reinvite(isByCaller, 'sendonly', 2 + at * 2)
        this.recorder.wait(5)
        return this.#reinvite(isByCaller, 'sendrecv', 3 + at * 2)
      case 'refresh':
        return this.#reinvite(isByCaller, 'sendrecv', 1)
      case 'update':
        return this.recorder.respond(this.#inDialog('UPDATE', isByCaller), '200 OK')
      case 'digits': {
        const headers = ['Content-Type: application/dtmf-relay']
        const outgoing = this.#inDialog('INFO', isByCaller, { headers, body: 'Signal=5\r\nDuration=160\r\n' })
        return this.recorder.respond(outgoing, '200 OK')
      }
      case 'glare': {
        const outgoing = this.#inDialog('INVITE', isByCaller, {
          body: this.#offer('sendrecv', isByCaller ? caller : called),
        })
        this.#refuse(outgoing, '491 Request Pending')
        this.recorder.wait(2.5)
        return this.#reinvite(isByCaller, 'sendrecv', 1)
      }
      case 'minimum': {
        const outgoing = this.#inDialog('UPDATE', isByCaller, { headers: ['Session-Expires: 60'] })
        this.recorder.respond(outgoing, '422 Session Interval Too Small', { headers: ['Min-SE: 90'] })
        return this.recorder.respond(
          this.#inDialog('UPDATE', isByCaller, { headers: ['Session-Expires: 90'] }),
          '200 OK',
        )
      }
      case 'options':
        return this.recorder.respond(this.#inDialog('OPTIONS', isByCaller), '405 Method Not Allowed')
      case 'transfer': {
        const headers = ['Refer-To: <sip:15550100009@flows.example>']
        this.recorder.respond(this.#inDialog('REFER', isByCaller, { headers }), '202 Accepted')
        for (const [status, state] of [
          ['100 Trying', 'active;expires=60'],
          ['200 OK', 'terminated;reason=noresource'],
        ]) {
          const notice = ['Event: refer', `Subscription-State: ${state}`, 'Content-Type: message/sipfrag']
          const outgoing = this.#inDialog('NOTIFY', !isByCaller, { headers: notice, body: `SIP/2.0 ${status}\r\n` })
          this.recorder.respond(outgoing, '200 OK')
        }
      }
    }
  }

  /** Injects a fault of an answered call. */
  #break(): void {
    const { fault } = this.#options
    if (fault === 'dialog lost') {
      const outgoing = this.#inDialog('INVITE', true, { body: this.#offer() })
      this.#refuse(outgoing, '481 Call/Transaction Does Not Exist')
    }
    if (fault === 'digits refused') {
      const headers = ['Content-Type: application/dtmf-relay']
      const outgoing = this.#inDialog('INFO', true, { headers, body: 'Signal=5\r\n' })
      this.recorder.respond(outgoing, '415 Unsupported Media Type')
    }
  }

  #hangUp(): void {
    const { end, fault } = this.#options
    if (fault === 'BYE refused') return this.recorder.respond(this.#inDialog('BYE', true), '500 Server Internal Error')
    if (fault === 'abnormal end') {
      const headers = ['Reason: Q.850;cause=41;text="Temporary failure"']
      return this.recorder.respond(this.#inDialog('BYE', false, { headers }), '200 OK')
    }
    if (fault === 'no ACK' || fault === 'session timer')
      return this.recorder.respond(this.#inDialog('BYE', false), '200 OK')
    if (end === 'open') return undefined
    if (end !== 'both') return this.recorder.respond(this.#inDialog('BYE', end === 'caller'), '200 OK')
    const [first, second] = [this.#inDialog('BYE', true), this.#inDialog('BYE', false)]
    this.recorder.respond(first, '481 Call/Transaction Does Not Exist')
    return this.recorder.respond(second, '200 OK')
  }

  #answer(outgoing: OutgoingRequest): void {
    const { isOfferDelayed, fault } = this.#options
    const headers = fault === 'session timer' ? ['Session-Expires: 90;refresher=uac'] : []
    const copies = fault === 'no ACK' ? retransmissions : []
    this.recorder.respond(outgoing, '200 OK', { body: this.#offer('sendrecv', called), headers, copies })
    if (fault === 'no ACK') this.recorder.wait(32)
    else this.recorder.acknowledge(outgoing, isOfferDelayed ? { body: this.#offer() } : {})
    if (fault === 'session timer') this.recorder.wait(50)
  }

  #cancel(outgoing: OutgoingRequest): void {
    this.recorder.onEachHop('CANCEL', outgoing)
    this.#refuse(outgoing, '487 Request Terminated')
  }

  /** Records the whole call. */
  run(): CallRecorder {
    const { fault, end, middle } = this.#options
    this.#tryFirstTarget()
    const path = this.#path
    const headers = this.#authenticate(path)
    if (headers === undefined) return this.recorder
    if (fault === 'silent') {
      this.#invite(path, headers, { copies: retransmissions, reaches: path.length - 1 })
      this.recorder.wait(32)
      return this.recorder
    }
    const outgoing = this.#invite(path, headers, fault === 'slow' ? { copies: [0.5, 1.5, 3.5, 7.5] } : {})
    if (fault === 'slow') this.recorder.wait(9)
    const fork = this.#fork(outgoing)
    this.#ring(outgoing)
    this.recorder.wait(2)
    if (fault === 'refused') {
      if (fork !== undefined) this.#refuse(fork, '486 Busy Here')
      this.#refuse(outgoing, '503 Service Unavailable')
    } else if (end === 'canceled' && fault === undefined) {
      if (fork !== undefined) this.#cancel(fork)
      this.#cancel(outgoing)
    } else {
      this.#answer(outgoing)
      if (fork !== undefined) this.#cancel(fork)
      for (const [at, one] of middle.entries()) this.#change(one, at)
      this.#break()
      this.recorder.wait(20)
      this.#hangUp()
    }
    return this.recorder
  }
}
