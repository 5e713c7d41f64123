import { type ChildProcess, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureProgram } from '../../../../scripts/run/programs.mjs'
import { scenario } from '../../calls/sip-faults.ts'
import { freeUdpPort } from '../../servers/ports.ts'
import { end, endWithUs } from '../../servers/spawn-server.ts'

/** An application that takes calls: SIPp answers them, and a socket echoes their audio and reads their digits. */

const address = '127.0.0.1'

export interface AnsweringApplication {
  /** SIP address, for the SBC. */
  uri: string
  /** The digits that arrived in order: as telephone events (RFC 4733), or in INFO requests if it agreed on no events. */
  digits(): string
  /** Number of RTP packets with audio that arrived. */
  audioPackets(): number
  /** Resolves when the call has ended as the behavior says. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

export type Behavior =
  /** Without events, the answer has no telephone-event (RFC 4733 §2.4). */
  | { kind: 'answers'; callSid?: string; hangsUp?: boolean; hasEvents?: boolean }
  | { kind: 'rings' }
  | { kind: 'rejects'; status: string; headers?: readonly string[] }

const response = (status: string, headers: readonly string[], body: readonly string[] = []): string => {
  const dialog = ['[last_Via:]', '[last_From:]', '[last_To:];tag=[call_number]', '[last_Call-ID:]', '[last_CSeq:]']
  const typed = body.length === 0 ? [] : ['Content-Type: application/sdp']
  const lines = [`SIP/2.0 ${status}`, ...dialog, ...headers, ...typed, 'Content-Length: [len]', '', ...body]
  return `<send><![CDATA[\n\n${lines.map((line) => `      ${line}`).join('\n')}\n\n]]></send>`
}

const inDialog = ['[last_Record-Route:]', 'Contact: <sip:[local_ip]:[local_port]>']
const bare = (status: string): string =>
  `<send><![CDATA[\n\n      SIP/2.0 ${status}\n      [last_Via:]\n      [last_From:]\n      [last_To:]\n      [last_Call-ID:]\n      [last_CSeq:]\n      Content-Length: 0\n\n]]></send>`

const receiveInvite = '<recv request="INVITE"/>'

/** Keeps what a request of the called side needs: its From is the To of the INVITE, and the other way around. */
const receiveInviteToEnd = `<recv request="INVITE" rrs="true"><action>
    <ereg regexp=".*" search_in="hdr" header="From:" assign_to="1"/>
    <ereg regexp=".*" search_in="hdr" header="To:" assign_to="2"/>
  </action></recv>`

const hangUp = `<send retrans="500"><![CDATA[

      BYE [next_url] SIP/2.0
      Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
      [routes]
      From:[$2];tag=[call_number]
      To:[$1]
      Call-ID: [call_id]
      CSeq: 1 BYE
      Max-Forwards: 70
      Content-Length: 0

    ]]></send>
    <recv response="200"/>`

/** The time for which a call lasts that the application ends. */
const talkMs = 1500

const describe = (mediaPort: number, hasEvents: boolean): string[] => [
  'v=0',
  `o=application 1 1 IN IP4 ${address}`,
  's=-',
  `c=IN IP4 ${address}`,
  't=0 0',
  `m=audio ${mediaPort} RTP/AVP 0${hasEvents ? ' 126' : ''}`,
  'a=rtpmap:0 PCMU/8000',
  ...(hasEvents ? ['a=rtpmap:126 telephone-event/8000'] : []),
]

const digitLog = 'digits.log'

/** Accepts INFO requests until the BYE, and logs their digits. */
const receiveDigits = `<label id="1"/>
  <recv request="INFO" optional="true" next="2"><action>
    <ereg regexp="Signal= *([0-9*#])" search_in="body" assign_to="3,4"/>
    <log message="[$4]"/>
  </action></recv>
  <recv request="BYE" next="3"/>
  <label id="2"/>
  ${bare('200 OK').replace('<send>', '<send next="1">')}
  <label id="3"/>
  <Reference variables="3"/>`

const toSteps = (behavior: Behavior, sdp: readonly string[]): string => {
  if (behavior.kind === 'rejects')
    return [receiveInvite, response(behavior.status, behavior.headers ?? []), '<recv request="ACK"/>'].join('\n')
  const ringing = response('180 Ringing', inDialog)
  if (behavior.kind === 'rings')
    return [
      receiveInvite,
      ringing,
      '<recv request="CANCEL"/>',
      bare('200 OK'),
      response('487 Request Terminated', []),
    ].join('\n')
  const { callSid, hangsUp = false, hasEvents = true } = behavior
  const headers = [...inDialog, ...(callSid === undefined ? [] : [`X-Call-Sid: ${callSid}`])]
  const answered = [ringing, response('200 OK', headers, sdp), '<recv request="ACK"/>']
  return hangsUp
    ? [receiveInviteToEnd, ...answered, `<pause milliseconds="${talkMs}"/>`, hangUp].join('\n')
    : [receiveInvite, ...answered, hasEvents ? '<recv request="BYE"/>' : receiveDigits, bare('200 OK')].join('\n')
}

const eventType = 126
const digitNames = '0123456789*#'

/** Echoes RTP to its sender, and collects the digits. */
const startMedia = async () => {
  const socket = createSocket('udp4')
  socket.bind(0, address)
  await once(socket, 'listening')
  let digits = ''
  let audioPackets = 0
  let eventAt: number | undefined
  socket.on('message', (packet, { port, address: from }) => {
    const type = (packet[1] ?? 0) & 0x7f
    if (type !== eventType) {
      audioPackets += 1
      socket.send(packet, port, from)
      return
    }
    // All packets of an event have the timestamp of its start.
    const at = packet.readUInt32BE(4)
    if (at !== eventAt) digits += digitNames[packet[12] ?? 0] ?? '?'
    eventAt = at
  })
  return {
    port: socket.address().port,
    digits: () => digits,
    audioPackets: () => audioPackets,
    close: () => socket.close(),
  }
}

/** Returns the digits in the log of SIPp, which has a line for each. */
const readLoggedDigits = (file: string): string =>
  existsSync(file) ? readFileSync(file, 'latin1').replaceAll(/[^\d*#]/g, '') : ''

/** Starts an application that takes one call at a time. */
export const startAnsweringApplication = async (behavior: Behavior): Promise<AnsweringApplication> => {
  const media = await startMedia()
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-application-'))
  const hasEvents = behavior.kind !== 'answers' || behavior.hasEvents !== false
  await writeFile(
    join(folder, 'answer.xml'),
    scenario('application', toSteps(behavior, describe(media.port, hasEvents))),
  )
  const port = await freeUdpPort()
  const args = [
    '-sf',
    'answer.xml',
    '-i',
    address,
    '-p',
    String(port),
    '-nostdin',
    '-nd',
    '-m',
    '1',
    '-trace_logs',
    '-log_file',
    digitLog,
  ]
  const child: ChildProcess = spawn(await ensureProgram('sipp'), args, { cwd: folder, stdio: 'ignore' })
  endWithUs(child)
  const ended = new Promise<void>((resolve) => child.once('exit', (code) => code === 0 && resolve()))
  return {
    ended,
    uri: `sip:${address}:${port}`,
    digits: () => (hasEvents ? media.digits() : readLoggedDigits(join(folder, digitLog))),
    audioPackets: media.audioPackets,
    async stop() {
      media.close()
      await end(child)
      await rm(folder, { recursive: true })
    },
  }
}
