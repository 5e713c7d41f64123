import type { ChildProcess } from 'node:child_process'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureProgram } from '../../../scripts/run/programs.mjs'
import type { NetworkNamespace } from '../servers/network-namespace.ts'
import { end } from '../servers/spawn-server.ts'

/** The real capture agents of a platform: Kamailio's siptrace, and rtpengine with `--homer`. */

export interface HepDestination {
  host: string
  port: number
  protocol: 'udp' | 'tcp'
}

interface StartedProgram {
  child: ChildProcess
  output(): string
}

/** Returns a function that returns the last output of a program. */
export const collectOutput = (child: ChildProcess): (() => string) => {
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (more: string) => {
      text = (text + more).slice(-8_000)
    })
  return () => text
}

/**
 * Repeats a request until there is a response, because a program that starts does not listen yet, and a datagram to its
 * port is lost.
 */
const requestUntilAnswered = async (
  socket: Socket,
  send: () => void,
  { child, output }: StartedProgram,
): Promise<Buffer> => {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode}:\n${output()}`)
    send()
    const [response] = await Promise.race([
      once(socket, 'message') as Promise<[Buffer]>,
      new Promise<[undefined]>((resolve) => setTimeout(() => resolve([undefined]), 200)),
    ])
    if (response !== undefined) return response
  }
}

const bracket = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

const openSocket = async (address: string, port = 0): Promise<Socket> => {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  socket.bind(port, address)
  await once(socket, 'listening')
  return socket
}

const sipPort = 5060

const kamailioConfiguration = (listen: string, { host, port, protocol }: HepDestination, key?: string): string =>
  [
    '#!KAMAILIO',
    'debug=1',
    'log_stderror=yes',
    'children=1',
    'auto_aliases=no',
    ...['udp', 'tcp'].map((each) => `listen=${each}:${bracket(listen)}:${sipPort}`),
    ...['tm', 'sl', 'pv', 'siptrace'].map((name) => `loadmodule "${name}.so"`),
    ...(key === undefined ? [] : [`modparam("siptrace", "auth_key", "${key}")`]),
    'modparam("siptrace", "trace_to_database", 0)',
    'modparam("siptrace", "trace_on", 1)',
    'modparam("siptrace", "hep_mode_on", 1)',
    'modparam("siptrace", "hep_version", 3)',
    'modparam("siptrace", "hep_capture_id", 12)',
    `modparam("siptrace", "duplicate_uri", "sip:${bracket(host)}:${port}${protocol === 'tcp' ? ';transport=tcp' : ''}")`,
    'request_route {',
    '  sip_trace_mode("t");',
    '  t_newtran();',
    '  t_reply("486", "Busy Here");',
    '}',
    '',
  ].join('\n')

export interface Kamailio {
  /** Sends an INVITE with this Call-ID, which is answered with 486. */
  call(callId: string): Promise<void>
  stop(): Promise<void>
}

/** Starts a Kamailio in the namespace that mirrors its SIP, and answers every INVITE with 486. */
export const startKamailio = async (
  namespace: NetworkNamespace,
  destination: HepDestination,
  key?: string,
): Promise<Kamailio> => {
  const version = isIPv6(destination.host) ? 'ipv6' : 'ipv4'
  const [from, to] = [namespace.ownAddress[version], namespace.address[version]]
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-kamailio-'))
  const file = join(folder, 'kamailio.cfg')
  writeFileSync(file, kamailioConfiguration(to, destination, key))
  const args = ['-DD', '-E', '-f', file, '-Y', folder, '-m', '16', '-M', '4']
  const child = namespace.spawn(await ensureProgram('kamailio'), args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const output = collectOutput(child)
  return {
    async call(callId) {
      const socket = await openSocket(from)
      const { port } = socket.address()
      const lines = [
        `INVITE sip:callee@${bracket(to)} SIP/2.0`,
        `Via: SIP/2.0/UDP ${bracket(from)}:${port};branch=z9hG4bK${port}${callId}`,
        `From: <sip:caller@${bracket(from)}>;tag=1`,
        `To: <sip:callee@${bracket(to)}>`,
        `Call-ID: ${callId}`,
        'CSeq: 1 INVITE',
        'Max-Forwards: 70',
        'Content-Length: 0',
      ]
      const message = `${lines.join('\r\n')}\r\n\r\n`
      try {
        const response = await requestUntilAnswered(socket, () => socket.send(message, sipPort, to), { child, output })
        if (!response.toString().startsWith('SIP/2.0 486')) throw new Error(`unexpected: ${response.toString()}`)
      } finally {
        socket.close()
      }
    },
    async stop() {
      await end(child)
      rmSync(folder, { recursive: true })
    },
  }
}

/** Encodes texts and dictionaries (BEP 3) for rtpengine's control protocol. */
const bencode = (value: string | Readonly<Record<string, string>>): string =>
  typeof value === 'string'
    ? `${Buffer.byteLength(value)}:${value}`
    : `d${Object.keys(value)
        .toSorted()
        .map((name) => bencode(name) + bencode(value[name] ?? ''))
        .join('')}e`

const controlPort = 2223

/** A sender report with one report block (RFC 3550, section 6.4.1). */
const createSenderReport = (): Buffer => {
  const report = Buffer.alloc(52)
  report.writeUInt16BE(0x81c8, 0)
  report.writeUInt16BE(report.length / 4 - 1, 2)
  report.writeUInt32BE(0x1234, 4)
  report.writeUInt32BE(3_900_000_000, 8)
  report.writeUInt32BE(0x5678, 28)
  return report
}

export interface Rtpengine {
  /**
   * Sets up a call, and returns a function that sends a sender report of the caller to it. rtpengine connects to Homer
   * with a report, and can send that report with the next one only.
   */
  call(callId: string): Promise<() => Promise<void>>
  stop(): Promise<void>
}

/** Starts an rtpengine in the namespace, without its kernel module, that mirrors RTCP. */
export const startRtpengine = async (
  namespace: NetworkNamespace,
  { host, port, protocol }: HepDestination,
): Promise<Rtpengine> => {
  const [own, media] = [namespace.ownAddress.ipv4, namespace.address.ipv4]
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-rtpengine-'))
  const args = [
    '--foreground',
    '--log-stderr',
    '--table=-1',
    `--interface=${media}`,
    `--listen-ng=${media}:${controlPort}`,
    `--homer=${host}:${port}`,
    `--homer-protocol=${protocol}`,
    '--homer-id=11',
    `--pidfile=${join(folder, 'pid')}`,
    // The file of the package belongs to an installation.
    '--config-file=none',
  ]
  const child = namespace.spawn(await ensureProgram('rtpengine'), args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const output = collectOutput(child)
  const control = await openSocket(own)
  const callers: Socket[] = []
  let requests = 0
  const request = async (command: Readonly<Record<string, string>>): Promise<string> => {
    requests += 1
    const cookie = `${requests} `
    const send = () => control.send(cookie + bencode(command), controlPort, media)
    for (;;) {
      const response = (await requestUntilAnswered(control, send, { child, output })).toString()
      // A repeated request is answered more than once, and such an answer can arrive after the next request.
      if (response.startsWith(cookie)) return response
    }
  }
  const describe = (mediaPort: number): string =>
    `${['v=0', `o=- 1 1 IN IP4 ${own}`, 's=-', `c=IN IP4 ${own}`, 't=0 0', `m=audio ${mediaPort} RTP/AVP 0`].join('\r\n')}\r\n`
  return {
    async call(callId) {
      const caller = await openSocket(own)
      callers.push(caller)
      const rtcpPort = caller.address().port
      const call = { 'call-id': callId, 'from-tag': 'caller' }
      await request({ command: 'offer', ...call, sdp: describe(rtcpPort - 1) })
      const answer = await request({ command: 'answer', ...call, 'to-tag': 'callee', sdp: describe(rtcpPort + 1) })
      const [, rtpPort = ''] = /m=audio (\d+)/.exec(answer) ?? []
      if (rtpPort === '') throw new Error(`rtpengine answered ${answer}\n${output()}`)
      return () =>
        new Promise((resolve) => caller.send(createSenderReport(), Number(rtpPort) + 1, media, () => resolve()))
    },
    async stop() {
      for (const socket of [control, ...callers]) socket.close()
      await end(child)
      rmSync(folder, { recursive: true })
    },
  }
}
