import type { RuleName } from '@patchbay/rules/sip/findings/findings'
import type { CapturedLeg } from '@patchbay/rules/sip/ladder'
import { toFlowCapture } from './call-flows.ts'
import type { CallOptions } from './generated-call-options.ts'
import type { CallRecorder } from './generated-calls.ts'
import { GeneratedCall } from './generated-calls-scenario.ts'
import { type RegistrationOptions, recordRegistration } from './generated-registrations.ts'
import { type MediaOptions, plainMedia } from './generated-sessions.ts'

/**
 * Calls that produce each finding. A rule without a call that it reports is a type error here, and every severity that a
 * rule has in the corpus of call flows has to be among them.
 */

const plainCall: CallOptions = {
  hasProxy: false,
  agents: 'one',
  skew: 0,
  media: plainMedia,
  authentication: 'none',
  before: 'none',
  isForked: false,
  ringing: ['180 Ringing'],
  early: 'none',
  repeatsMedia: false,
  isOfferDelayed: false,
  refresher: 'none',
  beginsOnHold: false,
  middle: [],
  end: 'caller',
}

type Injector = () => readonly CapturedLeg[]

const toLeg = (name: string, { messages }: Pick<CallRecorder, 'messages'>): CapturedLeg => ({
  name,
  capture: toFlowCapture({ messages }),
})

const record = (options: Partial<CallOptions>, callId = 'injected@flows.example'): CallRecorder =>
  new GeneratedCall(callId, { ...plainCall, ...options }).run()

const call =
  (options: Partial<CallOptions>, media: Partial<MediaOptions> = {}): Injector =>
  () => [toLeg('A', record({ media: { ...plainMedia, ...media }, ...options }))]

const plainRegistration: RegistrationOptions = {
  authentication: 'none',
  isTooBrief: false,
  hasOtherDevice: false,
  rounds: 1,
  isRemoved: false,
}

const registration =
  (options: Partial<RegistrationOptions>): Injector =>
  () => [toLeg('A', recordRegistration('registered@flows.example', { ...plainRegistration, ...options }))]

/** A call whose first leg is answered by the platform, and whose second one has the options. */
const secondLeg =
  (options: Partial<CallOptions>): Injector =>
  () => [toLeg('A', record({})), toLeg('B', record(options, 'second@flows.example'))]

/** A call with a leg that is rejected, and another one that is answered at the same time. */
const rejectedBesideAnswered: Injector = () => [
  toLeg('A', record({})),
  toLeg('B', record({ fault: 'refused' }, 'second@flows.example')),
  toLeg('C', record({}, 'third@flows.example')),
]

/** A call with a change of its captured messages. */
const changed =
  (options: Partial<CallOptions>, change: (recorder: CallRecorder) => void): Injector =>
  () => {
    const recorder = record(options)
    change(recorder)
    return [toLeg('A', recorder)]
  }

const withoutMessage = (pattern: RegExp, options: Partial<CallOptions> = {}): Injector =>
  changed(options, ({ messages }) => {
    const at = messages.findIndex(({ text }) => pattern.test(text))
    messages.splice(at, 1)
  })

const rewritten = (pattern: RegExp, replacement: string, options: Partial<CallOptions> = {}): Injector =>
  changed(options, ({ messages }) => {
    for (const [at, message] of messages.entries())
      messages[at] = { ...message, text: message.text.replace(pattern, replacement) }
  })

/** A keepalive whose challenge is not answered. */
const challengedOptions: Injector = () => {
  const { messages } = recordRegistration('options@flows.example', { ...plainRegistration, fault: 'no credentials' })
  return [
    toLeg('A', { messages: messages.map((one) => ({ ...one, text: one.text.replaceAll('REGISTER', 'OPTIONS') })) }),
  ]
}

/** Names the caller by its address behind a NAT, and the public one in the responses, which say where requests came from. */
const behindNat = (text: string): string =>
  text
    .replaceAll(/^(Via: \S+ )203\.0\.113\.7\b/gm, (_, start: string) => `${start}192.168.1.7`)
    .replace(/^(SIP\/2\.0[^]*?;branch=\w+)/, '$1;received=203.0.113.7')

/** A private address in media, and a called party that has seen where the requests of the caller come from. */
const noticedNat: Injector = changed({}, ({ messages }) => {
  for (const [at, message] of messages.entries())
    messages[at] = { ...message, text: behindNat(message.text).replaceAll('IN IP4 203.0.113.7', 'IN IP4 192.168.1.7') }
})

/** A caller with a private contact, whose NAT the other side has noticed. */
const noticedContact: Injector = changed({ fault: 'private contact' }, ({ messages }) => {
  for (const [at, message] of messages.entries()) messages[at] = { ...message, text: behindNat(message.text) }
})

/** An INVITE whose responses arrive after its second copy. */
const copiedInvite: Injector = changed({}, ({ messages }) => {
  const [invite] = messages
  if (invite === undefined) return
  for (const [at, message] of messages.entries()) messages[at] = { ...message, seconds: message.seconds + 3 }
  messages.unshift(invite, { ...invite, seconds: 0.5 }, { ...invite, seconds: 1.5 })
})

/** An answer that is repeated until an ACK arrives, which was not captured. */
const repeatedAnswer: Injector = changed({}, ({ messages }) => {
  const at = messages.findIndex(({ text }) => /^SIP\/2.0 200 [^]*CSeq: 1 INVITE/.test(text))
  const answer = messages[at]
  if (answer === undefined) return
  const copies = [0.5, 1.5, 3.5].map((later) => ({ ...answer, seconds: answer.seconds + later }))
  messages.splice(at + 1, 1, ...copies)
  for (const [position, message] of messages.entries())
    if (position > at + copies.length) messages[position] = { ...message, seconds: message.seconds + 60 }
})

/** A change that is refused, after which the side that asked for it immediately hangs up. */
const hungUpAfterRefusal = (middle: 'fax refused' | 'change refused'): Injector =>
  changed({ middle: [middle] }, ({ messages }) => {
    const refusal = messages.find(({ text }) => text.startsWith('SIP/2.0 488'))
    if (refusal === undefined) return
    for (const [at, message] of messages.entries())
      if (/^CSeq: \d+ BYE/m.test(message.text)) messages[at] = { ...message, seconds: refusal.seconds + 0.5 }
  })

/** A silent called party, and a capture that ends before the caller gives up. */
const silentUntilTheEnd: Injector = changed({ fault: 'silent' }, ({ messages }) => {
  messages.splice(0, messages.length, ...messages.filter(({ seconds }) => seconds < 16))
})

/** A hold that the caller ends, and an answer to it that stops all audio. */
const declinedResume: Injector = changed({ middle: ['hold'] }, ({ messages }) => {
  const at = messages.findLastIndex(({ text }) => /^SIP\/2\.0 200 [^]*^CSeq: \d+ INVITE/m.test(text))
  const message = messages[at]
  if (message !== undefined) messages[at] = { ...message, text: message.text.replace('a=sendrecv', 'a=inactive') }
})

/** A call that is rejected when the wait for a PRACK has passed. */
const unconfirmedResponse: Injector = changed({ fault: 'no PRACK' }, ({ messages }) => {
  const reliable = messages.find(({ text }) => /^RSeq:/m.test(text))
  const at = messages.findIndex(({ text }) => /^SIP\/2.0 200 [^]*CSeq: 1 INVITE/.test(text))
  const answer = messages[at]
  if (answer === undefined || reliable === undefined) return
  const text = answer.text.replace(/^SIP\/2.0 200 OK/, 'SIP/2.0 504 Server Time-out')
  messages.splice(at, messages.length, { ...answer, seconds: reliable.seconds + 32, text })
})

/** A capture that ends after the INVITE. */
const onlyInvite: Injector = changed({}, ({ messages }) => {
  messages.splice(1)
})

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const identity = `Identity: ${base64({ alg: 'ES256', ppt: 'shaken', typ: 'passport', x5u: 'https://certs.example/c.pem' })}.${base64(
  { attest: 'B', dest: { tn: ['15550100002'] }, iat: 1_772_366_400, orig: { tn: '15550100001' }, origid: 'o-1' },
)}.c2ln;info=<https://certs.example/c.pem>;alg=ES256;ppt=shaken`

export const injectors: Readonly<Record<RuleName, readonly Injector[]>> = {
  answered: [call({}), withoutMessage(/^SIP\/2.0 200 [^]*CSeq: 1 INVITE/, { ringing: [] })],
  cancelled: [
    call({ end: 'canceled' }),
    call({ fault: 'refused', refusal: ['487 Request Terminated', 'Reason: Q.850;cause=38'] }),
  ],
  rejected: [
    call({ fault: 'refused' }),
    call({ fault: 'refused', refusal: ['486 Busy Here'] }),
    call({ fault: 'refused', refusal: ['480 Temporarily Unavailable'] }),
    rejectedBesideAnswered,
  ],
  unanswered: [call({ fault: 'silent' }), silentUntilTheEnd, onlyInvite],
  hungUp: [call({}), call({ fault: 'abnormal end' })],
  openEnded: [call({ end: 'open' })],
  registered: [registration({}), registration({ isRemoved: true }), registration({ fault: 'not kept' })],
  authentication: [call({ fault: 'wrong password' }), registration({ fault: 'no credentials' }), challengedOptions],
  noAck: [call({ fault: 'no ACK' }), repeatedAnswer],
  noMediaReceived: [call({ fault: 'no media received' })],
  noOutgoingMedia: [rewritten(/PS=1100,OS=176000,PR=0/, 'PS=0,OS=0,PR=1100', { fault: 'no packets received' })],
  noAnswerToOffer: [
    call({ fault: 'no description in the answer', ringing: [] }),
    call({ fault: 'UPDATE without an answer' }),
  ],
  codecs: [call({ fault: 'media refused' }), call({ fault: 'media refused', refusal: ['415 Unsupported Media Type'] })],
  oneWay: [call({ mediaError: { name: 'no audio', where: 'first' } }), call({ beginsOnHold: true })],
  hold: [call({ middle: ['hold'] }), declinedResume],
  fax: [call({ middle: ['fax'] }), call({ middle: ['fax refused'] }), hungUpAfterRefusal('fax refused')],
  transfer: [call({ middle: ['transfer'] }), call({ fault: 'transfer failed' })],
  privateMedia: [call({ mediaError: { name: 'a private address', where: 'first' } }), noticedNat],
  privateContact: [call({ fault: 'private contact' }), noticedContact],
  triedElsewhere: [call({ before: 'overloaded' })],
  otherRequests: [
    call({ fault: 'BYE refused' }),
    call({ fault: 'digits refused' }),
    registration({ fault: 'refused' }),
  ],
  badAnswer: [
    call({ mediaError: { name: 'encryption not offered', where: 'first' } }),
    call({ mediaError: { name: 'feedback not offered', where: 'first' } }),
  ],
  badChange: [
    call({ mediaError: { name: 'encryption not offered', where: 'UPDATE' } }),
    call({ mediaError: { name: 'feedback not offered', where: 'INVITE' } }),
  ],
  refusedChange: [call({ middle: ['change refused'] }), hungUpAfterRefusal('change refused')],
  refusalNotAcked: [call({ fault: 'error without ACK' })],
  noPrack: [call({ fault: 'no PRACK' }), unconfirmedResponse],
  repeated: [call({ fault: 'slow' }), copiedInvite],
  agreed: [call({}), rewritten(/m=audio/g, 'm=text'), call({}, { hasVideo: true })],
  declinedStreams: [call({}, { hasVideo: true, declinesVideo: true })],
  keys: [call({ middle: ['digits'] }), call({ fault: 'digits refused' }, { hasEvents: false })],
  noTones: [call({}, { hasEvents: false })],
  clocks: [call({ hasProxy: true, agents: 'two', skew: -1500 })],
  replaced: [call({ headers: { invite: ['Replaces: old@flows.example;to-tag=a;from-tag=b'] } })],
  callerIdentity: [call({ headers: { invite: [identity] } })],
  identityProblem: [call({ headers: { ringing: ['Reason: STIR;cause=436;text="Bad Identity Info"'] } })],
  blockedWithoutAttestation: [
    call({
      fault: 'refused',
      refusal: ['603 Network Blocked', 'Reason: SIP;cause=603;text="v=analytics1;url=https://networks.example"'],
    }),
  ],
  unreadable: [
    changed({}, ({ messages }) => {
      const [first] = messages
      if (first !== undefined) messages.push({ ...first, text: 'not a message' })
    }),
  ],
  legs: [
    secondLeg({}),
    secondLeg({ fault: 'refused' }),
    secondLeg({ fault: 'refused', refusal: ['486 Busy Here'] }),
    secondLeg({ end: 'canceled' }),
    secondLeg({ fault: 'silent' }),
  ],
}
