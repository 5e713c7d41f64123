import type { Endpoint, ReceivedMessage } from '../call-data/captures/captures.ts'
import { createAudioSdp } from '../lib/sdp.ts'
import type { CallFacts } from './call-records.ts'
import type { DemoContext } from './demo-context.ts'

/** SIP messages of calls that failed or had problems. */

const statusLines: Readonly<Record<number, string>> = {
  404: '404 Not Found',
  480: '480 Temporarily Unavailable',
  486: '486 Busy Here',
  487: '487 Request Terminated',
  503: '503 Service Unavailable',
}

/** Additional headers of error responses (RFC 3326 §2, RFC 3261 §20.33). */
const additionalHeaders: Readonly<Record<number, string>> = {
  404: 'Reason: Q.850;cause=1',
  480: 'Reason: Q.850;cause=18',
  486: 'Reason: Q.850;cause=17',
  503: 'Retry-After: 30',
}

/** Returns the messages from the INVITE to the error response, or to the caller's CANCEL (RFC 3261 §9.1). */
const createFailedMessages = (call: CallFacts): ReceivedMessage[] => {
  const { from, to, sip_callid, direction, sip_status, at, ringing, rings } = call
  const platform: Endpoint = { address: call.host, port: 5060 }
  const remote: Endpoint = { address: call.remote_host, port: 5060 }
  const [caller, called] = direction === 'inbound' ? [remote, platform] : [platform, remote]
  const message = (
    milliseconds: number,
    start: string,
    { isByCaller, method = 'INVITE', headers = [], body = '' }: MessageOptions,
  ): ReceivedMessage => {
    const [source, destination] = isByCaller ? [caller, called] : [called, caller]
    const isTagged = start !== 'SIP/2.0 100 Trying' && !/^(?:INVITE|CANCEL) /.test(start)
    const lines = [
      start,
      `Via: SIP/2.0/UDP ${caller.address}:5060;branch=z9hG4bK${sip_callid.slice(0, 12)}`,
      `From: <sip:${from}@${caller.address}>;tag=${sip_callid.slice(0, 8)}`,
      `To: <sip:${to}@${called.address}>${isTagged ? `;tag=${sip_callid.slice(8, 16)}` : ''}`,
      `Call-ID: ${sip_callid}`,
      `CSeq: 1 ${method}`,
      ...headers,
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ]
    const content = Buffer.from(lines.join('\r\n'))
    return { sip_callid, method, at: Math.round(milliseconds * 1000), transport: 17, source, destination, content }
  }
  const uri = `sip:${to}@${called.address} SIP/2.0`
  const endedAt = at + ringing
  const initialMessages = [
    message(at, `INVITE ${uri}`, {
      isByCaller: true,
      headers: [`Contact: <sip:${from}@${caller.address}:5060>`],
      body: createAudioSdp(caller.address, 20_000, [0, 8, 101]),
    }),
    message(at + 5, 'SIP/2.0 100 Trying', { isByCaller: false }),
    ...([480, 487].includes(sip_status) ? [message(at + rings, 'SIP/2.0 180 Ringing', { isByCaller: false })] : []),
  ]
  const cancelMessages = [
    message(endedAt, `CANCEL ${uri}`, { isByCaller: true, method: 'CANCEL' }),
    message(endedAt + 20, 'SIP/2.0 200 OK', { isByCaller: false, method: 'CANCEL' }),
  ]
  const headers = additionalHeaders[sip_status]
  return [
    ...initialMessages,
    ...(sip_status === 487 ? cancelMessages : []),
    message(endedAt + 25, `SIP/2.0 ${statusLines[sip_status] ?? sip_status}`, {
      isByCaller: false,
      headers: headers === undefined ? [] : [headers],
    }),
    message(endedAt + 60, `ACK ${uri}`, { isByCaller: true, method: 'ACK' }),
  ]
}

interface MessageOptions {
  isByCaller: boolean
  method?: string
  headers?: readonly string[]
  body?: string
}

/**
 * Returns whether a call has one-way audio: callers who hear nothing hang up early. In these calls the SDP answer is
 * `sendonly`.
 */
const isOneWay = ({ seconds, reason }: CallFacts): boolean => seconds < 20 && reason === 'caller hungup'

export const withOneWayAudio = (call: CallFacts, messages: readonly ReceivedMessage[]): ReceivedMessage[] =>
  messages.map((message) => {
    const text = Buffer.from(message.content).toString()
    return isOneWay(call) && text.startsWith('SIP/2.0 200')
      ? { ...message, content: Buffer.from(text.replace('a=sendrecv', 'a=sendonly')) }
      : message
  })

export const fillFailedCalls = async (
  { sinks: { captures }, progress }: DemoContext,
  calls: readonly CallFacts[],
): Promise<void> => {
  for (const [position, call] of calls.entries()) {
    await captures.store(createFailedMessages(call))
    progress('failed calls', position + 1, calls.length)
  }
}
