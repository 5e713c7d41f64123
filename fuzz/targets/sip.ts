import { formatCodecs } from '@patchbay/rules/sip/codecs'
import { findSipFindings } from '@patchbay/rules/sip/findings/findings'
import { parseIdentities, parseStatedVerifications } from '@patchbay/rules/sip/identity'
import { toLadder } from '@patchbay/rules/sip/ladder'
import { isCallId, parseSipMessage } from '@patchbay/rules/sip/message-head'
import { type ParsedSipMessage, parseSip, parseUriHost } from '@patchbay/rules/sip/parser'
import { formatReasonHeaders } from '@patchbay/rules/sip/reasons'
import { explainRefusal } from '@patchbay/rules/sip/refusal'
import { parseSdp } from '@patchbay/rules/sip/sdp'
import { assertEqual, assertRule, type FuzzTarget } from '../engine/target.ts'

/** Captured SIP: the intake reads each message, and a request for the findings of a call reads all of them. */

const isText = (value: unknown): boolean => typeof value === 'string'

/** Returns the message as a text with the same meaning. */
const format = ({ method, status, title, headers, body }: ParsedSipMessage): string => {
  const start = status === undefined ? `${method} sip:x SIP/2.0` : `SIP/2.0 ${title}`
  return [start, ...headers.map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n')
}

const checkMessage = (text: string): void => {
  const head = parseSipMessage(text)
  const message = parseSip(text)
  if (head !== undefined) {
    assertRule(isCallId(head.callid), () => 'the Call-ID is invalid')
    assertRule(message?.status === head.status, () => 'the two parsers read different status codes')
    assertRule(message?.method === head.method.toUpperCase(), () => 'the two parsers read different methods')
  }
  if (message === undefined) return
  const { headers, body } = message
  for (const [name, value] of headers) {
    assertRule(isText(name) && isText(value), () => `the name of a header is a ${typeof name}`)
    parseUriHost(value)
  }
  assertRule(body.length <= text.length, () => 'the body is longer than the message')
  const media = parseSdp(message)
  for (const { kind, protocol, address, codecs } of media) {
    const parts = [kind, protocol, address, ...codecs]
    assertRule(parts.every(isText), () => `${parts.map(String).join(' ')} are not all texts`)
    formatCodecs(codecs)
  }
  const { explanation, details } = explainRefusal({
    response: message,
    rang: true,
    ringSeconds: 20,
    isCanceled: false,
    seconds: 2,
    hasCredentials: true,
  })
  const reasons = `${formatReasonHeaders(message)} ${explanation} ${details}`
  for (const { token, type, called } of parseIdentities(message))
    assertRule([token, type, ...called].every(isText), () => `${type} has claims that are not all texts`)
  for (const { header, text: stated } of parseStatedVerifications(message)) assertRule(isText(stated), () => header)
  assertRule(!reasons.includes('[native code]'), () => reasons)
  // A header without a name does not survive, and a long head is cut.
  if (text.length > 16_000 || headers.some(([name]) => name === '')) return
  const again = parseSip(format(message))
  assertRule(again !== undefined, () => 'a message and what it is written as differ')
  assertEqual({ ...again, isCut: message.isCut }, message, 'a message and what it is written as')
}

const hosts = ['203.0.113.7', '10.0.0.9', '198.51.100.4', '2001:db8::1']

/** Separates the messages of a capture. Two digits before the message choose its hosts, and its transport. */
const separator = '\0'

const checkCapture = (text: string): void => {
  const messages = text.split(separator).map((raw, position) => ({
    micro_ts: 1_700_000_000_000_000 + position * 1000,
    srcIp: hosts[raw.charCodeAt(0) % hosts.length],
    srcPort: 5060,
    dstIp: hosts[raw.charCodeAt(1) % hosts.length],
    dstPort: 5060,
    protocol: raw.charCodeAt(0) % 3 === 0 ? 6 : 17,
    raw: raw.slice(2),
  }))
  const ladder = toLadder({ total: messages.length, data: { messages } })
  assertRule(ladder.arrows.length <= messages.length, () => 'there are more arrows than messages')
  const findings = findSipFindings(ladder)
  assertRule(findings.length <= 10 + 2 * messages.length, () => `there are ${findings.length} findings`)
  for (const { text: finding, arrows } of findings) {
    assertRule(isText(finding) && !finding.includes('[native code]'), () => finding)
    assertRule(
      arrows.every((id) => ladder.arrows[id] !== undefined),
      () => 'a finding refers to no arrow',
    )
  }
}

const message = (start: string, cseq: string, toTag: string, ...more: readonly string[]): string =>
  [
    start,
    'Via: SIP/2.0/UDP 203.0.113.7;branch=z9hG4bK1',
    'From: "Ann \\"A\\"" <sip:1@a.example;user=phone>;tag=a',
    `To: <sip:2@b.example>${toTag}`,
    'i: x@y',
    `CSeq: 1 ${cseq}`,
    ...more,
  ].join('\r\n')

const sdp = [
  'Content-Type: application/sdp',
  'Content-Length: 150',
  '',
  'v=0',
  'o=- 1 1 IN IP4 10.0.0.7',
  'c=IN IP4 10.0.0.7',
  'm=audio 20000 RTP/AVP 0 8 101',
  'a=rtpmap:101 telephone-event/8000',
  'a=sendonly',
  '',
]

const invite = message(
  'INVITE sip:2@b.example SIP/2.0',
  'INVITE',
  '',
  'Contact: <sip:1@10.0.0.7>',
  'Require: 100rel',
  ...sdp,
)

/** Returns the messages of calls that are rejected, answered, and canceled. */
const createCalls = (): string[][] => [
  [
    `00${invite}`,
    `10${message('SIP/2.0 183 Progress', 'INVITE', ';tag=b', 'RSeq: 1', ...sdp)}`,
    `10${message('SIP/2.0 486 Busy', 'INVITE', ';tag=b', 'Reason: Q.850;cause=17;text="busy"', 'Warning: 399 x "y"', '', '')}`,
    `01${message('ACK sip:2@b.example SIP/2.0', 'ACK', ';tag=b', '', '')}`,
  ],
  [
    `01${invite}`,
    `10${message('SIP/2.0 407 Proxy', 'INVITE', ';tag=b', 'Proxy-Authenticate: Digest realm="x"', '', '')}`,
    `12${invite}`,
    `21${message('SIP/2.0 200 OK', 'INVITE', ';tag=b', 'Session-Expires: 90;refresher=uac', ...sdp)}`,
    `01${message('ACK sip:2@b.example SIP/2.0', 'ACK', ';tag=b', '', '')}`,
    `01${message('BYE sip:2@b.example SIP/2.0', 'BYE', ';tag=b', 'Reason: SIP;cause=200', '', '')}`,
    `10${message('SIP/2.0 481 No Call', 'BYE', ';tag=b', '', '')}`,
  ],
  [
    `01${invite}`,
    `10${message('SIP/2.0 180 Ringing', 'INVITE', ';tag=b', '', '')}`,
    `01${message('CANCEL sip:2@b.example SIP/2.0', 'CANCEL', '', 'Reason: SIP;cause=200;text="Call completed elsewhere"', '', '')}`,
    `10${message('SIP/2.0 487 Terminated', 'INVITE', ';tag=b', '', '')}`,
  ],
]

const registration = `01${message('REGISTER sip:b.example SIP/2.0', 'REGISTER', '', 'Expires: 60', '', '')}`

const methods = ['INVITE', 'ACK', 'BYE', 'CANCEL', 'PRACK', 'REGISTER', 'UPDATE', 'REFER', 'INFO', 'OPTIONS']
const headerNames = [
  'v: ',
  'Contact: <sip:',
  'Reason: ',
  'Reason: SIP;cause=603;text="v=analytics1;url=https://',
  'Retry-After: 120 (',
  'Identity: e30.e30.x;info=<https://',
  'Warning: ',
  'User-Agent: ',
  'Content-Type: multipart/mixed\r\n',
]

export const target: FuzzTarget = {
  name: 'sip',
  files: /\/rules\/src\/sip\/(?!line-diff)/,
  maxBytes: 65_536,
  maxCpuMs: 1000,
  maxRssMb: 600,
  tokens: [
    ...methods,
    ...headerNames,
    'SIP/2.0 200 OK',
    'SIP/2.0 401 ',
    'SIP/2.0 487 ',
    'SIP/2.0 503 ',
    ' SIP/2.0\r\n',
    '\r\n\r\n',
    '\r\n ',
    ';tag=',
    '\0',
    '\x0001',
    '\x0010',
    'v=0\r\n',
    'm=audio 0 RTP/AVP 0',
    'a=inactive',
    'c=IN IP4 0.0.0.0',
    'a=rtpmap:',
  ],
  createSeeds: () =>
    [...createCalls().map((call) => call.join(separator)), invite, registration].map((text) => Buffer.from(text)),
  run(input) {
    const text = input.toString('utf8')
    for (const raw of text.split(separator, 64)) checkMessage(raw.slice(2))
    checkCapture(text)
  },
}
