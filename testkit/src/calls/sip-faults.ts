/**
 * SIPp scenarios with faults or other deviations from SIPp's own scenarios, for both the caller and the called party.
 */

export const scenario = (name: string, steps: string): string =>
  `<?xml version="1.0" encoding="ISO-8859-1" ?>\n<scenario name="${name}">\n${steps}\n</scenario>\n`

interface MessageOptions {
  headers?: readonly string[]
  /** SDP lines after the connection line. */
  media?: readonly string[]
  /** Milliseconds before the first retransmission. Without it, the message is sent once. */
  again?: number | undefined
}

const pcmu = ['m=audio [media_port] RTP/AVP 0 101', 'a=rtpmap:0 PCMU/8000', 'a=rtpmap:101 telephone-event/8000']

const toSdp = (media: readonly string[]): string[] =>
  media.length === 0
    ? []
    : [
        'v=0',
        'o=user 1 1 IN IP[local_ip_type] [local_ip]',
        's=-',
        'c=IN IP[media_ip_type] [media_ip]',
        't=0 0',
        ...media,
      ]

const send = (head: readonly string[], { headers = [], media = [], again }: MessageOptions): string => {
  const typed = media.length === 0 ? [] : ['Content-Type: application/sdp']
  const lines = [...head, ...headers, ...typed, 'Content-Length: [len]', '', ...toSdp(media)]
  const retrans = again === undefined ? '' : ` retrans="${again}"`
  return `<send${retrans}><![CDATA[\n\n${lines.map((line) => `      ${line}`).join('\n')}\n\n]]></send>`
}

const request = (method: string, number: number, more: MessageOptions = {}, to = '[peer_tag_param]'): string =>
  send(
    [
      `${method} sip:called@[remote_ip]:[remote_port] SIP/2.0`,
      'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
      'From: <sip:caller@[local_ip]:[local_port]>;tag=caller[call_number]',
      `To: <sip:called@[remote_ip]:[remote_port]>${to}`,
      'Call-ID: [call_id]',
      `CSeq: ${number} ${method}`,
      'Contact: <sip:caller@[local_ip]:[local_port]>',
      'Max-Forwards: 70',
    ],
    more,
  )

const invite = (number = 1, more: MessageOptions = {}): string =>
  request('INVITE', number, { again: 500, media: pcmu, ...more }, '')

const answer = (line: string, more: MessageOptions = {}, sequence = '[last_CSeq:]'): string =>
  send(
    [
      `SIP/2.0 ${line}`,
      '[last_Via:]',
      '[last_From:]',
      '[last_To:];tag=called[call_number]',
      '[last_Call-ID:]',
      sequence,
      'Contact: <sip:called@[local_ip]:[local_port]>',
    ],
    more,
  )

const got = (method: string, more = ''): string => `<recv request="${method}"${more}/>`
const gotAnswer = (status: number, more = ''): string => `<recv response="${status}"${more}/>`
const maybe = (status: number): string => gotAnswer(status, ' optional="true"')
const pause = (milliseconds: number): string => `<pause milliseconds="${milliseconds}"/>`

const pair = (name: string, client: readonly string[], server: readonly string[]) => ({
  client: scenario(name, client.join('\n')),
  server: scenario(name, server.join('\n')),
})

const ended = {
  client: [request('BYE', 2, { again: 500 }), gotAnswer(200)],
  server: [got('BYE'), answer('200 OK')],
}

const refusing = (name: string, line: string, more: MessageOptions = {}, offer: MessageOptions = {}) =>
  pair(
    name,
    [invite(1, offer), maybe(100), gotAnswer(Number(line.slice(0, 3))), request('ACK', 1)],
    [got('INVITE'), answer('100 Trying'), answer(line, more), got('ACK')],
  )

const challenge = answer('407 Proxy Authentication Required', {
  headers: ['Proxy-Authenticate: Digest realm="patchbay.example", nonce="47ebe028cda119c35d4877b383027d28"'],
})
const challenged = (number: number, headers: readonly string[]): string[] => [
  invite(number, { headers }),
  gotAnswer(407, ' auth="true"'),
  request('ACK', number),
]
const credentials = ['[authentication username=caller password=wrong]']

const registering = (number: number, headers: readonly string[] = []): string =>
  send(
    [
      'REGISTER sip:[remote_ip]:[remote_port] SIP/2.0',
      'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
      'From: <sip:trunk@[remote_ip]>;tag=[call_number]',
      'To: <sip:trunk@[remote_ip]>',
      'Call-ID: [call_id]',
      `CSeq: ${number} REGISTER`,
      'Contact: <sip:trunk@[local_ip]:[local_port]>;expires=3600',
      'Max-Forwards: 70',
    ],
    { headers, again: 500 },
  )

const registrarAsks = answer('401 Unauthorized', {
  headers: ['WWW-Authenticate: Digest realm="patchbay.example", nonce="47ebe028cda119c35d4877b383027d28"'],
})

/** A registrar that requires credentials and then responds with the given status. */
const registrarThat = (name: string, finalStatus: string) =>
  pair(
    name,
    [
      registering(1),
      gotAnswer(401, ' auth="true"'),
      registering(2, ['[authentication username=trunk password=secret]']),
      gotAnswer(Number(finalStatus.slice(0, 3))),
    ],
    [got('REGISTER'), registrarAsks, got('REGISTER'), answer(finalStatus, { headers: ['Expires: 600'] })],
  )

export const faultScenarios = {
  'a registration': registrarThat('registered', '200 OK'),
  'a registration with a wrong password': registrarThat('forbidden', '403 Forbidden'),
  'the called party hangs up': pair(
    'called',
    [invite(), maybe(180), gotAnswer(200), request('ACK', 1), got('BYE'), answer('200 OK')],
    [
      got('INVITE'),
      answer('180 Ringing'),
      answer('200 OK', { media: pcmu, again: 500 }),
      got('ACK'),
      pause(100),
      send(
        [
          'BYE sip:caller@[remote_ip]:[remote_port] SIP/2.0',
          'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
          'From: <sip:called@[local_ip]:[local_port]>;tag=called[call_number]',
          'To: <sip:caller@[remote_ip]:[remote_port]>;tag=caller[call_number]',
          'Call-ID: [call_id]',
          'CSeq: 1 BYE',
          'Max-Forwards: 70',
        ],
        { headers: ['Reason: Q.850;cause=16'], again: 500 },
      ),
      gotAnswer(200),
    ],
  ),
  'the caller gives up': pair(
    'cancel',
    [
      invite(),
      gotAnswer(180),
      pause(100),
      request('CANCEL', 1, {}, ''),
      gotAnswer(200),
      gotAnswer(487),
      request('ACK', 1),
    ],
    [
      got('INVITE'),
      answer('180 Ringing'),
      got('CANCEL'),
      answer('200 OK'),
      answer('487 Request Terminated', {}, 'CSeq: 1 INVITE'),
      got('ACK'),
    ],
  ),
  'the called party is busy': refusing('busy', '486 Busy Here', { headers: ['Reason: Q.850;cause=17'] }),
  'the next hop is overloaded': refusing('overloaded', '503 Service Unavailable', { headers: ['Retry-After: 30'] }),
  'no codec in common': refusing(
    'codecs',
    '488 Not Acceptable Here',
    { headers: ['Warning: 305 patchbay.example "Incompatible media format"'] },
    { media: ['m=audio [media_port] RTP/AVP 18', 'a=rtpmap:18 G729/8000'] },
  ),
  'credentials are refused': pair(
    'credentials',
    [...challenged(1, []), ...challenged(2, credentials), ...challenged(3, credentials)],
    [1, 2, 3].flatMap(() => [got('INVITE'), challenge, got('ACK')]),
  ),
  'no ACK': pair(
    'no ACK',
    // The answer is sent four times, because a busy machine can capture two copies at the same time.
    [invite(1, { again: undefined }), gotAnswer(200), pause(4000)],
    [got('INVITE'), answer('200 OK', { media: pcmu, again: 500 }), got('ACK', ' timeout="5000"')],
  ),
  'audio one way': pair(
    'one way',
    [invite(), gotAnswer(200), request('ACK', 1), pause(100), ...ended.client],
    [got('INVITE'), answer('200 OK', { media: [...pcmu, 'a=sendonly'], again: 500 }), got('ACK'), ...ended.server],
  ),
  'no answer': pair(
    'no answer',
    [invite(), '<recv response="200" timeout="4000" ontimeout="1"/>', '<label id="1"/>', pause(10)],
    [got('INVITE'), pause(10_000)],
  ),
} as const
