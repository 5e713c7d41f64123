import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serverCommand, serverEnvironment } from '../../scripts/start.mjs'
import { freePort, freeUdpPort } from './ports.ts'

/** The built server as its users start it, on a database of its own. */
export interface RunningServer {
  url: string
  /** where call records are written to */
  intakePort: number
  /** where traces are exported to */
  otlpPort: number
  /** where captured SIP is sent to, over UDP */
  hepPort: number
  /** the password that the first start printed; empty where it printed none */
  firstPassword: string
  readonly pid: number
  /** its exit code, once it has ended by itself */
  readonly ended: Promise<number | null>
  /** where its database and secrets are; removed by stop(), unless the settings named it */
  dataDir: string
  /** everything it has said so far */
  output(): string
  /** SIGTERM, and the end of its data */
  stop(): Promise<void>
  /** SIGKILL: what a crash looks like to its clients. The data stays. */
  kill(): Promise<void>
}

export const builtServer: readonly string[] = serverCommand(fileURLToPath(new URL('../..', import.meta.url)))

const ended = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

/** Resolves with what `pattern` finds in the output; rejects with the output when the process ends without it. */
const said = (child: ChildProcess, pattern: RegExp, output: () => string): Promise<RegExpExecArray> =>
  new Promise((resolve, reject) => {
    const look = () => {
      const found = pattern.exec(output())
      if (found) resolve(found)
    }
    child.stdout?.on('data', look)
    look()
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${output()}`)))
  })

export const startServer = async (
  settings: NodeJS.ProcessEnv = {},
  command: readonly string[] = builtServer,
  cwd?: string,
  program = process.execPath,
): Promise<RunningServer> => {
  const named = settings['DATA_DIR']
  const dataDir = named ?? mkdtempSync(join(tmpdir(), 'patchbay-server-'))
  const remove = () => (named === undefined ? rmSync(dataDir, { recursive: true, force: true }) : undefined)
  const [intakePort, otlpPort, hepPort] = await Promise.all([freePort(), freePort(), freeUdpPort()])
  const child = spawn(program, command, {
    ...(cwd ? { cwd } : {}),
    env: {
      ...serverEnvironment,
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
      INTAKE_INFLUX: String(intakePort),
      INTAKE_OTLP: String(otlpPort),
      INTAKE_HEP: String(hepPort),
      DISABLE_RATE_LIMITS: '1',
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const over = new Promise<number | null>((resolve) => child.once('exit', resolve))
  // Whoever started it may end without stopping it.
  const killWithUs = () => child.kill('SIGKILL')
  process.once('exit', killWithUs)
  child.once('exit', () => process.off('exit', killWithUs))
  let text = ''
  const output = () => text
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  const [, url = ''] = await said(child, /Patchbay is ready: (http:\/\/\S+)[^]*\n\n/, output)
  return {
    url,
    intakePort,
    otlpPort,
    hepPort,
    firstPassword: /with the password (\S+)/.exec(text)?.[1] ?? '',
    pid: child.pid ?? 0,
    ended: over,
    dataDir,
    output,
    stop: async () => {
      await ended(child, 'SIGTERM')
      remove()
    },
    kill: () => ended(child, 'SIGKILL'),
  }
}
