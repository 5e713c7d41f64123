import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ensureProgram } from '../../../../scripts/run/programs.mjs'
import { freePort, freeUdpPort } from '../../servers/ports.ts'
import { ready } from '../../servers/spawn-server.ts'
import { collectOutput } from '../capture-agents.ts'

/** A real SBC for phones in browsers: Kamailio and rtpengine on this machine. */

export interface PhoneSbc {
  /** Port of its WebSocket on 127.0.0.1. */
  port: number
  /** Sends calls of a realm to an application. */
  route(realm: string, uri: string): Promise<void>
  /** Lets a SIP client call. The platform reads it from the database. */
  allowClient(username: string, password: string): Promise<void>
  stop(): Promise<void>
}

const address = '127.0.0.1'

/** Ends a program with the processes that it has started. They keep its log open. */
const killGroup = ({ pid, exitCode }: ChildProcess): void => {
  if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL')
}

const readConfiguration = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(name, String(value)),
    readFileSync(join(import.meta.dirname, 'kamailio.cfg'), 'utf8'),
  )

/** @param consoleOrigin the only origin whose pages may connect */
export const startPhoneSbc = async (consoleOrigin: string): Promise<PhoneSbc> => {
  const [kamailio, rtpengine] = [await ensureProgram('kamailio'), await ensureProgram('rtpengine')]
  const [port, rpcPort, sipPort, controlPort] = [
    await freePort(),
    await freePort(),
    await freeUdpPort(),
    await freeUdpPort(),
  ]
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-phone-sbc-'))
  const file = join(folder, 'kamailio.cfg')
  const configuration = readConfiguration({
    SBC_ADDRESS: address,
    SIP_PORT: sipPort,
    WEBSOCKET_PORT: port,
    RPC_PORT: rpcPort,
    CONTROL_PORT: controlPort,
    CONSOLE_ORIGIN: consoleOrigin,
  })
  writeFileSync(file, configuration)
  const run = (program: string, args: readonly string[]) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true })
    const kill = () => killGroup(child)
    process.once('exit', kill)
    child.once('exit', () => process.off('exit', kill))
    return child
  }
  const media = run(rtpengine, [
    '--foreground',
    '--log-stderr',
    '--table=-1',
    `--interface=${address}`,
    `--listen-ng=${address}:${controlPort}`,
    `--pidfile=${join(folder, 'pid')}`,
    // The file of the package belongs to an installation.
    '--config-file=none',
  ])
  const sip = run(kamailio, ['-DD', '-E', '-f', file, '-Y', folder, '-m', '32', '-M', '8'])
  const output = collectOutput(sip)
  const call = async (method: string, params: readonly unknown[]): Promise<void> => {
    const response = await fetch(`http://${address}:${rpcPort}/`, {
      method: 'POST',
      // Kamailio can close a connection at the moment at which it would be used again.
      headers: { connection: 'close' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const text = await response.text()
    if (!response.ok || text.includes('"error"')) throw new Error(`${method}: ${response.status} ${text}`)
  }
  const stop = async () => {
    const running = [sip, media].filter(({ exitCode }) => exitCode === null)
    const closed = running.map((child) => once(child, 'close'))
    killGroup(sip)
    killGroup(media)
    await Promise.all(closed)
    rmSync(folder, { recursive: true })
  }
  try {
    if (!media.stderr || !sip.stderr) throw new Error('the programs have no log')
    await ready(media, media.stderr, { name: 'rtpengine', text: 'Startup complete' })
    while (
      sip.exitCode === null &&
      !(await call('core.version', []).then(
        () => true,
        () => false,
      ))
    )
      await delay(50)
    if (sip.exitCode !== null) throw new Error(`Kamailio ended with ${sip.exitCode}\n${output()}`)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    port,
    route: (realm, uri) => call('htable.sets', ['applications', realm, uri]),
    allowClient: (username, password) => call('htable.sets', ['clients', username, password]),
    stop,
  }
}
