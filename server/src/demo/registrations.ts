import type { ReceivedMessage } from '../call-data/captures/captures.ts'
import type { DemoContext } from './demo-context.ts'

/** SIP messages of registrations with carriers (RFC 3261 §10, §22). */

interface DemoRegistration {
  callId: string
  realm: string
  /** IP addresses of the SBC and of the registrar. */
  host: string
  registrar: string
  /** CSeq number of the first REGISTER. */
  sequence: number
  answer: string
}

export const demoRegistrations = {
  taken: {
    callId: '6f1e2c7a@10.0.0.5',
    realm: 'sip.atlantic.example',
    host: '10.0.0.5',
    registrar: '192.0.2.10',
    sequence: 1041,
    answer: '200 OK',
  },
  refused: {
    callId: '0c93b1de@10.0.0.6',
    realm: 'reg.bluewave.example',
    host: '10.0.0.6',
    registrar: '192.0.2.61',
    sequence: 16,
    answer: '403 Forbidden',
  },
} as const satisfies Record<string, DemoRegistration>

const createMessages = (
  { callId, realm, host, registrar, sequence, answer }: DemoRegistration,
  at: number,
): ReceivedMessage[] => {
  const user = `<sip:harbour-voice@${realm}>`
  const contact = `Contact: <sip:harbour-voice@${host}:5060>;expires=3600`
  const [client, server] = [
    { address: host, port: 5060 },
    { address: registrar, port: 5060 },
  ]
  const message = (milliseconds: number, start: string, number: number, more: readonly string[]): ReceivedMessage => {
    const isAnswer = start.startsWith('SIP/2.0')
    const lines = [
      start,
      `Via: SIP/2.0/UDP ${host}:5060;branch=z9hG4bKregister${number}`,
      `From: ${user};tag=${callId.slice(0, 8)}`,
      `To: ${user}${isAnswer ? ';tag=registrar' : ''}`,
      `Call-ID: ${callId}`,
      `CSeq: ${number} REGISTER`,
      ...more,
      'Content-Length: 0',
      '',
      '',
    ]
    const [source, destination] = isAnswer ? [server, client] : [client, server]
    const content = Buffer.from(lines.join('\r\n'))
    const seen = { sip_callid: callId, method: 'REGISTER', transport: 17, source, destination, content }
    return { ...seen, at: (at + milliseconds) * 1000 }
  }
  const challenge = `realm="${realm}", nonce="b1c3f0a9"`
  const credentials = `username="harbour-voice", ${challenge}, uri="sip:${realm}", response="6629fae49393a05397450978507c4ef1"`
  return [
    message(0, `REGISTER sip:${realm} SIP/2.0`, sequence, [contact]),
    message(24, 'SIP/2.0 401 Unauthorized', sequence, [`WWW-Authenticate: Digest ${challenge}`]),
    message(27, `REGISTER sip:${realm} SIP/2.0`, sequence + 1, [contact, `Authorization: Digest ${credentials}`]),
    message(61, `SIP/2.0 ${answer}`, sequence + 1, answer === '200 OK' ? [contact] : []),
  ]
}

/** Time of the registrations before the last call. */
const offsetMs = 600_000

export const fillRegistrations = async ({ sinks: { captures } }: DemoContext, until: number): Promise<void> => {
  for (const registration of Object.values(demoRegistrations))
    await captures.store(createMessages(registration, until - offsetMs))
}
