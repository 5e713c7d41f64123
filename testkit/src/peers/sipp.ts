import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { isIPv6 } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ensureProgram } from '../../../scripts/run/programs.mjs'
import { faultScenarios, scenario } from '../calls/sip-faults.ts'
import { freeUdpPort } from '../servers/ports.ts'
import { type CapturedDatagram, hepPacket, sipRelay } from './hep.ts'

/** Real SIP traffic between two SIPp processes on this machine, with a capture agent between them. */

const register = scenario(
  'register',
  `<send retrans="500"><![CDATA[

      REGISTER sip:[remote_ip]:[remote_port] SIP/2.0
      Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
      From: <sip:trunk@[remote_ip]>;tag=[call_number]
      To: <sip:trunk@[remote_ip]>
      Call-ID: [call_id]
      CSeq: 1 REGISTER
      Contact: <sip:trunk@[local_ip]:[local_port]>;expires=3600
      Max-Forwards: 70
      Content-Length: 0

    ]]></send>
    <recv response="200"/>`,
)

const respondToAll = (method: string, header: string): string =>
  scenario(
    method.toLowerCase(),
    `<recv request="${method}"/>
    <send><![CDATA[

      SIP/2.0 200 OK
      [last_Via:]
      [last_From:]
      [last_To:];tag=[call_number]
      [last_Call-ID:]
      [last_CSeq:]
      ${header}
      Content-Length: 0

    ]]></send>`,
  )

const registrar = respondToAll('REGISTER', '[last_Contact:]')
const optionsResponder = respondToAll('OPTIONS', 'Allow: INVITE, ACK, BYE, CANCEL, OPTIONS')

/** Scenarios for both sides. Undefined selects SIPp's built-in scenarios. */
const kinds = {
  call: undefined,
  registration: { client: register, server: registrar },
  ...faultScenarios,
} as const

export type SippSession = keyof typeof kinds

/**
 * Sessions about messages that are repeated without a response. In all others, SIPp must not repeat messages, because
 * on a busy machine a response can take longer than the first interval of 500 ms.
 */
const repeatingSessions: readonly SippSession[] = ['no answer', 'no ACK']

interface Running {
  /** Rejects with the output if the call did not succeed, or did not end in time. */
  done: Promise<void>
  end(): void
}

/**
 * Limit of a session. SIPp's own option `-timeout` does not end it: without retransmissions, SIPp waits for the response
 * to a message that was lost.
 */
const sessionLimitMs = 60_000

const run = (program: string, folder: string, args: readonly string[]): Running => {
  const child = spawn(program, [...args, '-m', '1', '-nostdin'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: sessionLimitMs,
    killSignal: 'SIGKILL',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const done = new Promise<void>((resolve, reject) => {
    const failed = (why: unknown) => reject(new Error(`sipp ${args.join(' ')}: ${String(why)}\n${output}`))
    child
      .once('error', failed)
      .once('close', (code, signal) => (code === 0 ? resolve() : failed(`ended with ${code ?? signal}`)))
  })
  return { done, end: () => child.kill('SIGKILL') }
}

/**
 * Waits until a UDP port accepts datagrams. A message to a port without a listener would be lost for good,
 * because most sessions do not repeat messages. The probe is a keep-alive (RFC 5626), which SIPp ignores.
 */
const waitUntilListening = async (host: string, port: number): Promise<void> => {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  let refusals = 0
  socket.on('error', () => (refusals += 1))
  socket.connect(port, host)
  await once(socket, 'connect')
  const send = () => new Promise<boolean>((resolve) => socket.send('\r\n\r\n', (error) => resolve(!error)))
  // The refusal of a datagram is reported when the next one is sent, or as an event.
  const isListening = async () => {
    const before = refusals
    const areAccepted = [await send(), await send()]
    return areAccepted.every(Boolean) && refusals === before
  }
  const end = Date.now() + sessionLimitMs
  try {
    while (!(await isListening()))
      if (Date.now() > end) throw new Error(`Nothing listens on UDP port ${port} of ${host}.`)
      else await delay(10)
  } finally {
    socket.close()
  }
}

interface SessionAddress {
  /** Either 127.0.0.1 or ::1. */
  host: string
  callid: string
  /** Captures the relay as a separate hop that forwards messages. */
  isHopBetween?: boolean
}

/**
 * Runs a call of 100 ms, a registration, or a call with a fault. Reports every datagram when it passes the relay, and
 * returns all of them.
 */
export const sipSession = async (
  kind: SippSession,
  { host, callid, isHopBetween = false }: SessionAddress,
  report: (packet: Buffer) => Promise<void>,
): Promise<CapturedDatagram[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-sipp-'))
  const [clientPort, serverPort] = await Promise.all([freeUdpPort(), freeUdpPort()])
  const reports: Promise<void>[] = []
  const seen: CapturedDatagram[] = []
  const handleDatagram = (datagram: CapturedDatagram) => {
    seen.push(datagram)
    reports.push(report(hepPacket(datagram)))
  }
  const relay = await sipRelay(host, serverPort, handleDatagram, isHopBetween)
  const scenarios = kinds[kind]
  const [client, server] = scenarios
    ? [
        ['-sf', 'client.xml'],
        ['-sf', 'server.xml'],
      ]
    : [
        ['-sn', 'uac'],
        ['-sn', 'uas'],
      ]
  const bracketed = isIPv6(host) ? `[${host}]` : host
  const repeats = repeatingSessions.includes(kind) ? [] : ['-nr']
  try {
    for (const [name, text] of Object.entries(scenarios ?? {})) await writeFile(join(folder, `${name}.xml`), text)
    const sipp = await ensureProgram('sipp')
    const answering = run(sipp, folder, [...server, ...repeats, '-i', bracketed, '-p', String(serverPort)])
    // The called side keeps running for several seconds in case of retransmissions.
    answering.done.catch(() => {})
    await Promise.race([waitUntilListening(host, serverPort), answering.done])
    const from = ['-i', bracketed, '-p', String(clientPort), '-cid_str', callid, '-d', '100']
    const asking = [...client, ...repeats, ...from]
    await run(sipp, folder, [...asking, `${bracketed}:${relay.port}`]).done.finally(answering.end)
    await Promise.all(reports)
    return seen
  } finally {
    relay.stop()
    await rm(folder, { recursive: true })
  }
}

export interface SippCarrier {
  port: number
  stop(): Promise<void>
}

const isResponding = async (port: number): Promise<boolean> => {
  const socket = createSocket('udp4')
  const aborter = new AbortController()
  const timer = setTimeout(() => aborter.abort(), 200)
  try {
    const own = `127.0.0.1;branch=z9hG4bK${port}`
    const lines = [`Via: SIP/2.0/UDP ${own};rport`, 'From: <sip:test@a>;tag=a', 'To: <sip:test@a>']
    const rest = [`Call-ID: ready-${Date.now()}`, 'CSeq: 1 OPTIONS', 'Max-Forwards: 70', 'Content-Length: 0', '', '']
    socket.send(['OPTIONS sip:test SIP/2.0', ...lines, ...rest].join('\r\n'), port, '127.0.0.1')
    await once(socket, 'message', { signal: aborter.signal })
    return true
  } catch {
    return false
  } finally {
    clearTimeout(timer)
    socket.close()
  }
}

/** Starts SIPp as a carrier that responds to OPTIONS on a UDP port of 127.0.0.1 until it is stopped. */
export const startSippCarrier = async (): Promise<SippCarrier> => {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-sipp-'))
  await writeFile(join(folder, 'options.xml'), optionsResponder)
  const port = await freeUdpPort()
  const args = ['-sf', 'options.xml', '-i', '127.0.0.1', '-p', String(port), '-nostdin']
  const child = spawn(await ensureProgram('sipp'), args, { cwd: folder, stdio: 'ignore' })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGKILL')
    await exited
    await rm(folder, { recursive: true })
  }
  while (!(await isResponding(port))) {
    if (child.exitCode === null) continue
    await stop()
    throw new Error(`SIPp ended with ${child.exitCode}.`)
  }
  return { port, stop }
}
