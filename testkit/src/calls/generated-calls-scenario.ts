import type { CallOptions, Middle } from './generated-call-options.ts'
import { type AgentFinder, CallRecorder, type Host, type OutgoingRequest } from './generated-calls.ts'
import { type MediaError, mediaErrors } from './generated-media-errors.ts'
import { formatSession, MediaSession, type Session, type Side } from './generated-sessions.ts'

/** Writes a valid call from options that a property-based test chooses, with a fault at most. */

const host = (address: string, port: number, tag: string): Host => ({ address, port, tag })
const caller = host('203.0.113.7', 5060, 'caller')
const proxy = host('198.51.100.1', 5060, 'proxy')
const called = host('198.51.100.40', 5060, 'called')
const other = host('198.51.100.41', 5060, 'other')
const firstTarget = host('198.51.100.9', 5060, 'first')

/** Times of retransmissions over UDP (RFC 3261 §17.1.1.2), in seconds after the first message. */
const retransmissions = [0.5, 1.5, 3.5, 7.5, 15.5, 31.5]

/** Times of three copies, which prove that nothing came back. */
const someCopies = retransmissions.slice(0, 3)

const challenge = (name: string, realm: string, nonce: string, more = '') =>
  `${name}: Digest realm="${realm}", nonce="${nonce}", algorithm=MD5${more}`
const credentials = (name: string, realm: string, nonce: string) =>
  `${name}: Digest username="u", realm="${realm}", nonce="${nonce}", uri="sip:x", response="00"`

const otherSide = (side: Side): Side => (side === 'caller' ? 'called' : 'caller')

const findMediaError = ({ mediaError }: CallOptions): MediaError | undefined =>
  mediaError === undefined ? undefined : mediaErrors[mediaError.name]

export class GeneratedCall {
  readonly recorder: CallRecorder
  readonly #options: CallOptions
  readonly #media: MediaSession
  #firstOffer: Session
  #cseq = 0

  constructor(callId: string, options: CallOptions) {
    this.#options = options
    const { agents, skew, hasProxy, media, isOfferDelayed, beginsOnHold } = options
    const findAgent: AgentFinder = (source, destination) => {
      const isSecond = hasProxy && ![source, destination].includes(caller)
      const agent = isSecond && agents !== 'one' ? 2002 : 2001
      const offset = isSecond && agents !== 'one' ? skew / 1000 : 0
      return { agent: agents === 'unknown' ? undefined : agent, offset }
    }
    this.recorder = new CallRecorder(callId, findAgent)
    this.#media = new MediaSession(media, caller, called)
    if (beginsOnHold) this.#media.setDirection('caller', 'sendonly')
    this.#firstOffer = this.#offer(isOfferDelayed ? 'called' : 'caller', 'first')
  }

  get #path(): Host[] {
    return this.#options.hasProxy ? [caller, proxy, called] : [caller, called]
  }

  #offer(side: Side, where: 'first' | 'INVITE' | 'UPDATE' | 'other'): Session {
    const offer = this.#media.offer(side)
    return where === this.#options.mediaError?.where ? (findMediaError(this.#options)?.offer?.(offer) ?? offer) : offer
  }

  #answerOffer(side: Side, offer: Session, where: 'first' | 'INVITE' | 'UPDATE' | 'other'): string {
    const answer = this.#media.answer(side, offer)
    const isFaulty = where === this.#options.mediaError?.where
    return formatSession(isFaulty ? (findMediaError(this.#options)?.answer?.(answer, offer) ?? answer) : answer)
  }

  #invite(path: readonly Host[], headers: readonly string[] = [], more = {}): OutgoingRequest {
    const { fault, isOfferDelayed, refresher, early } = this.#options
    const extensions = [...(early === 'none' ? [] : ['100rel']), ...(refresher === 'none' ? [] : ['timer'])]
    const contact = fault === 'private contact' ? ['Contact: <sip:caller@192.168.1.20>'] : []
    const timer = refresher === 'none' ? [] : ['Session-Expires: 1800']
    const supported = extensions.length === 0 ? [] : [`Supported: ${extensions.join(', ')}`]
    const body = isOfferDelayed ? {} : { body: formatSession(this.#firstOffer) }
    return this.recorder.request('INVITE', (this.#cseq += 1), path, {
      headers: [...contact, ...supported, ...timer, ...(this.#options.headers?.invite ?? []), ...headers],
      ...body,
      ...more,
    })
  }

  #refuse(outgoing: OutgoingRequest, status: string, headers: readonly string[] = [], isAcknowledged = true): void {
    this.recorder.respond(outgoing, status, { headers, copies: isAcknowledged ? [] : someCopies })
    if (isAcknowledged) this.recorder.onEachHop('ACK', outgoing, outgoing.to.tag)
    else this.recorder.wait(4)
  }

  /** Tries another target first (RFC 3261 §8.1.3.4, RFC 3263 §4.3). */
  #tryFirstTarget(): void {
    const { before } = this.#options
    if (before === 'none') return
    if (before === 'silent') {
      this.#invite([caller, firstTarget], [], { copies: someCopies })
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

  /** A second device that the proxy calls at the same time (RFC 3261 §16.7), with ringback of its own. */
  #fork(outgoing: OutgoingRequest): OutgoingRequest | undefined {
    const { isForked, hasProxy, isOfferDelayed, media, ringing } = this.#options
    if (!isForked || !hasProxy) return undefined
    const fork = this.recorder.fork(outgoing, other, isOfferDelayed ? '' : formatSession(this.#firstOffer))
    if (ringing.length > 1 && !isOfferDelayed) {
      const body = formatSession(new MediaSession(media, caller, other).answer('called', this.#firstOffer))
      this.recorder.respond({ ...fork, hopsBefore: 0 }, '183 Session Progress', { body, tag: other.tag })
    }
    return fork
  }

  /** Returns the first answer, or the offer if the INVITE had none. */
  #describeCalled(): string {
    const { isOfferDelayed } = this.#options
    return isOfferDelayed ? formatSession(this.#firstOffer) : this.#answerOffer('called', this.#firstOffer, 'first')
  }

  /** Returns the description that the answer of the call contains, or an empty text without one. */
  #ring(outgoing: OutgoingRequest): string {
    const {
      ringing,
      early,
      repeatsMedia,
      isOfferDelayed,
      fault,
      headers: { ringing: headers = [] } = {},
    } = this.#options
    this.recorder.respond(outgoing, '100 Trying')
    const body = this.#describeCalled()
    const hasMedia = !isOfferDelayed && fault !== 'no description in the answer'
    for (const status of ringing) {
      this.recorder.wait(0.5)
      this.recorder.respond(outgoing, status, { headers, body: status.startsWith('183') && hasMedia ? body : '' })
    }
    if (fault === 'description in an unreliable response only') {
      this.recorder.respond(outgoing, '183 Session Progress', { body })
      return ''
    }
    if (fault === 'no description in the answer') return ''
    if (early === 'none' && fault !== 'no PRACK') return body
    const reliable = { headers: ['Require: 100rel', 'RSeq: 1'], body }
    if (fault === 'no PRACK') {
      this.recorder.respond(outgoing, '183 Session Progress', { ...reliable, copies: someCopies })
      this.recorder.wait(4)
      return body
    }
    this.recorder.respond(outgoing, '183 Session Progress', reliable)
    const latest = this.#confirm(outgoing, body)
    return repeatsMedia && !isOfferDelayed ? latest : ''
  }

  /** Confirms a reliable response (RFC 3262 §5). Returns the latest description of the called party. */
  #confirm(outgoing: OutgoingRequest, body: string): string {
    const { early, isOfferDelayed } = this.#options
    const rack = { headers: [`RAck: 1 ${outgoing.cseq} INVITE`], toTag: called.tag }
    const prack = (more: string): OutgoingRequest =>
      this.recorder.request('PRACK', (this.#cseq += 1), outgoing.path, { ...rack, body: more })
    if (isOfferDelayed) {
      this.recorder.respond(prack(this.#answerOffer('caller', this.#firstOffer, 'first')), '200 OK')
      return body
    }
    if (early === 'offer in PRACK') {
      this.#media.rotateCodecs()
      const offer = this.#offer('caller', 'other')
      const latest = this.#answerOffer('called', offer, 'other')
      this.recorder.respond(prack(formatSession(offer)), '200 OK', { body: latest })
      return latest
    }
    this.recorder.respond(prack(''), '200 OK')
    if (early !== 'update') return body
    this.#media.move('caller')
    return this.#changeMedia('UPDATE', 'caller', 'other')
  }

  #inDialog(method: string, side: Side, content = {}): OutgoingRequest {
    const path = side === 'caller' ? this.#path : this.#path.toReversed()
    const toTag = side === 'caller' ? called.tag : caller.tag
    return this.recorder.request(method, (this.#cseq += 1), path, { toTag, ...content })
  }

  /** Changes the media of the session. Returns the answer. */
  #changeMedia(
    method: 'INVITE' | 'UPDATE',
    side: Side,
    where: 'INVITE' | 'UPDATE' | 'other' = 'other',
    headers: readonly string[] = [],
  ): string {
    const offer = this.#offer(side, where)
    const outgoing = this.#inDialog(method, side, { body: formatSession(offer), headers })
    const body = this.#answerOffer(otherSide(side), offer, where)
    this.recorder.respond(outgoing, '200 OK', { body, headers })
    if (method === 'INVITE') this.recorder.acknowledge(outgoing)
    return body
  }

  #hold(side: Side, direction: 'sendonly' | 'inactive' | 'sendrecv'): void {
    this.#media.setDirection(side, direction)
    this.#changeMedia('INVITE', side)
    this.recorder.wait(5)
  }

  /** Lets the other side offer: its offer is in the response, and the answer in the ACK (RFC 3261 §14.1). */
  #changeWithoutOffer(side: Side): void {
    const outgoing = this.#inDialog('INVITE', side)
    const offer = this.#offer(otherSide(side), 'other')
    this.recorder.respond(outgoing, '200 OK', { body: formatSession(offer) })
    this.recorder.acknowledge(outgoing, { body: this.#answerOffer(side, offer, 'other') })
  }

  #switchToFax(side: Side, isFax: boolean): void {
    this.#media.setStream('image', isFax)
    this.#media.setStream('audio', !isFax)
    this.#changeMedia('INVITE', side)
    this.recorder.wait(5)
  }

  #change(middle: Middle, at: number): void {
    this.recorder.wait(3)
    const side: Side = at % 2 === 0 ? 'caller' : 'called'
    const { media } = this.#options
    switch (middle) {
      case 'hold':
      case 'silent hold':
        this.#hold(side, middle === 'hold' ? 'sendonly' : 'inactive')
        return this.#hold(side, 'sendrecv')
      case 'hold by address':
        if (this.#media.hasIce) return undefined
        this.#media.setHeldByAddress(side, true)
        this.#changeMedia('INVITE', side)
        this.recorder.wait(5)
        this.#media.setHeldByAddress(side, false)
        return void this.#changeMedia('INVITE', side)
      case 'hold by both':
        for (const direction of ['sendonly', 'sendrecv'] as const)
          for (const one of [side, otherSide(side)]) this.#hold(one, direction)
        return undefined
      case 'refresh':
        return void this.#changeMedia('INVITE', side)
      case 'update':
        return this.recorder.respond(this.#inDialog('UPDATE', side), '200 OK')
      case 'update of media':
        this.#media.rotateCodecs()
        return void this.#changeMedia('UPDATE', side)
      case 'codecs':
        this.#media.rotateCodecs()
        return void this.#changeMedia('INVITE', side)
      case 'move':
        this.#media.move(side)
        return void this.#changeMedia('INVITE', side)
      case 'video':
        this.#media.setStream('video', !media.hasVideo)
        this.#changeMedia('INVITE', side)
        this.recorder.wait(5)
        this.#media.setStream('video', media.hasVideo)
        return void this.#changeMedia('INVITE', side)
      case 'offerless':
        return this.#changeWithoutOffer(side)
      case 'fax':
        if (!this.#media.canFax) return undefined
        this.#switchToFax(side, true)
        return this.#switchToFax(side, false)
      case 'fax refused':
      case 'change refused': {
        if (middle === 'fax refused' && !this.#media.canFax) return undefined
        const offer = middle === 'fax refused' ? this.#media.offerFax(side) : this.#media.offer(side)
        const outgoing = this.#inDialog('INVITE', side, { body: formatSession(offer) })
        return this.#refuse(outgoing, '488 Not Acceptable Here')
      }
      case 'glare': {
        const outgoing = this.#inDialog('INVITE', side, { body: formatSession(this.#offer(side, 'other')) })
        this.#refuse(outgoing, '491 Request Pending')
        this.recorder.wait(2.5)
        return void this.#changeMedia('INVITE', side)
      }
      case 'digits':
        return this.#sendDigit(side, '200 OK')
      case 'minimum': {
        const outgoing = this.#inDialog('UPDATE', side, { headers: ['Session-Expires: 60'] })
        this.recorder.respond(outgoing, '422 Session Interval Too Small', { headers: ['Min-SE: 90'] })
        return this.recorder.respond(this.#inDialog('UPDATE', side, { headers: ['Session-Expires: 90'] }), '200 OK')
      }
      case 'options':
        return this.recorder.respond(this.#inDialog('OPTIONS', side), '405 Method Not Allowed')
      case 'transfer':
        return this.#transfer(side, '200 OK')
    }
  }

  #sendDigit(side: Side, status: string): void {
    const headers = ['Content-Type: application/dtmf-relay']
    const outgoing = this.#inDialog('INFO', side, { headers, body: 'Signal=5\r\nDuration=160\r\n' })
    this.recorder.respond(outgoing, status)
  }

  #transfer(side: Side, result: string): void {
    const headers = ['Refer-To: <sip:15550100009@flows.example>']
    this.recorder.respond(this.#inDialog('REFER', side, { headers }), '202 Accepted')
    for (const [status, state] of [
      ['100 Trying', 'active;expires=60'],
      [result, 'terminated;reason=noresource'],
    ]) {
      const notice = ['Event: refer', `Subscription-State: ${state}`, 'Content-Type: message/sipfrag']
      const body = `SIP/2.0 ${status}\r\n`
      this.recorder.respond(this.#inDialog('NOTIFY', otherSide(side), { headers: notice, body }), '200 OK')
    }
  }

  /** Refreshes the session at half of its interval, with the description unchanged, or without any (RFC 4028 §10). */
  #refresh(): void {
    const { refresher } = this.#options
    if (refresher === 'none') return
    this.recorder.wait(900)
    const headers = [`Session-Expires: 1800;refresher=uac`]
    const side: Side = refresher === 'uac' ? 'caller' : 'called'
    this.recorder.respond(this.#inDialog('UPDATE', side, { headers }), '200 OK', { headers })
    this.recorder.wait(900)
    this.#changeMedia('INVITE', side, 'other', headers)
  }

  /** Injects a fault of an answered call. */
  #break(): void {
    const { fault, mediaError } = this.#options
    if (mediaError !== undefined && mediaError.where !== 'first')
      this.#changeMedia(mediaError.where, 'caller', mediaError.where)
    const body = fault === undefined ? '' : formatSession(this.#offer('caller', 'other'))
    switch (fault) {
      case 'dialog lost':
        return this.#refuse(this.#inDialog('INVITE', 'caller', { body }), '481 Call/Transaction Does Not Exist')
      case 're-INVITE without an answer': {
        const outgoing = this.#inDialog('INVITE', 'caller', { body })
        this.recorder.respond(outgoing, '200 OK')
        return this.recorder.acknowledge(outgoing)
      }
      case 'UPDATE without an answer':
        return this.recorder.respond(this.#inDialog('UPDATE', 'called', { body }), '200 OK')
      case 'digits refused':
        return this.#sendDigit('caller', '415 Unsupported Media Type')
      case 'transfer refused': {
        const headers = ['Refer-To: <sip:15550100009@flows.example>']
        return this.recorder.respond(this.#inDialog('REFER', 'caller', { headers }), '603 Decline')
      }
      case 'transfer failed':
        return this.#transfer('called', '486 Busy Here')
      default:
        return undefined
    }
  }

  #hangUp(): void {
    const { end, fault } = this.#options
    const bye = (side: Side, ...headers: string[]): OutgoingRequest => this.#inDialog('BYE', side, { headers })
    switch (fault) {
      case 'BYE refused':
        return this.recorder.respond(bye('caller'), '500 Server Internal Error')
      case 'BYE not answered':
        this.#inDialog('BYE', 'caller', { copies: someCopies })
        return this.recorder.wait(32)
      case 'abnormal end':
        return this.recorder.respond(bye('called', 'Reason: Q.850;cause=41;text="Temporary failure"'), '200 OK')
      case 'no media received':
        return this.recorder.respond(bye('called', 'Reason: SIP;cause=200;text="RTP Timeout"'), '200 OK')
      case 'no packets received':
        return this.recorder.respond(bye('caller', 'P-RTP-Stat: PS=1100,OS=176000,PR=0,OR=0,PL=0,JI=0'), '200 OK')
      case 'no ACK':
      case 'session timer':
        return this.recorder.respond(bye('called'), '200 OK')
      default:
        break
    }
    if (end === 'open') return undefined
    if (end !== 'both') return this.recorder.respond(bye(end === 'called' ? 'called' : 'caller'), '200 OK')
    const [first, second] = [bye('caller'), bye('called')]
    this.recorder.respond(first, '481 Call/Transaction Does Not Exist')
    return this.recorder.respond(second, '200 OK')
  }

  #answer(outgoing: OutgoingRequest, body: string): void {
    const { isOfferDelayed, fault, refresher, early } = this.#options
    const timer = refresher === 'none' ? [] : [`Session-Expires: 1800;refresher=${refresher}`, 'Require: timer']
    const headers = fault === 'session timer' ? ['Session-Expires: 90;refresher=uac'] : timer
    const copies = fault === 'no ACK' ? retransmissions : []
    this.recorder.respond(outgoing, '200 OK', { body, headers, copies })
    const isOffer = isOfferDelayed && (early === 'none' || fault === 'no PRACK')
    const hasAnswer = isOffer && fault !== 'ACK without an answer'
    if (fault === 'no ACK') this.recorder.wait(32)
    else
      this.recorder.acknowledge(
        outgoing,
        hasAnswer ? { body: this.#answerOffer('caller', this.#firstOffer, 'first') } : {},
      )
    if (fault === 'session timer') this.recorder.wait(50)
  }

  #cancel(outgoing: OutgoingRequest): void {
    this.recorder.onEachHop('CANCEL', outgoing)
    this.#refuse(outgoing, '487 Request Terminated')
  }

  #runAnswered(outgoing: OutgoingRequest, fork: OutgoingRequest | undefined, body: string): void {
    const { middle, beginsOnHold } = this.#options
    this.#answer(outgoing, body)
    if (fork !== undefined) this.#cancel(fork)
    if (beginsOnHold) {
      this.recorder.wait(5)
      this.#hold('caller', 'sendrecv')
    }
    for (const [at, one] of middle.entries()) this.#change(one, at)
    this.#break()
    this.#refresh()
    this.recorder.wait(20)
    this.#hangUp()
  }

  /** Records the whole call. */
  run(): CallRecorder {
    const { fault, end } = this.#options
    this.#tryFirstTarget()
    const path = this.#path
    const headers = this.#authenticate(path)
    if (headers === undefined) return this.recorder
    if (fault === 'silent') {
      this.#invite(path, headers, { copies: retransmissions, reaches: path.length - 1 })
      this.recorder.wait(32)
      return this.recorder
    }
    const outgoing = this.#invite(path, headers, fault === 'slow' ? { copies: retransmissions.slice(0, 4) } : {})
    if (fault === 'slow') this.recorder.wait(9)
    const fork = this.#fork(outgoing)
    const body = this.#ring(outgoing)
    this.recorder.wait(2)
    if (fault === 'refused' || fault === 'media refused') {
      if (fork !== undefined) this.#refuse(fork, '486 Busy Here')
      const usualStatus = fault === 'refused' ? '503 Service Unavailable' : '488 Not Acceptable Here'
      const [status, ...more] = this.#options.refusal ?? [usualStatus]
      this.#refuse(outgoing, status, more)
    } else if (end === 'canceled' && fault === undefined && this.#options.mediaError === undefined) {
      if (fork !== undefined) this.#cancel(fork)
      this.#cancel(outgoing)
    } else {
      this.#runAnswered(outgoing, fork, body)
    }
    return this.recorder
  }
}
