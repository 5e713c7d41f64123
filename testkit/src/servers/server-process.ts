import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serverCommand, serverEnvironment } from '../../../scripts/patchbay.mjs'
import { freePort, freeUdpAndTcpPort } from './ports.ts'

/** The built server, started like users start it, with its own database. */
export interface RunningServer {
  url: string
  /** Port of the intake for call records. */
  intakePort: number
  /** Port of the intake for traces. */
  otlpPort: number
  /** Port of the intake for captured SIP, for UDP and TCP. */
  hepPort: number
  /** The password that the first start prints. Empty for later starts. */
  firstPassword: string
  readonly pid: number
  /** Resolves with the exit code when the process exits. */
  readonly ended: Promise<number | null>
  /** Folder with the database and secrets. stop() removes it unless the settings contain it. */
  dataDir: string
  /** Returns the complete output so far. */
  output(): string
  /** Returns what the server has written to the standard output, which is its log. */
  log(): string
  /** Sends SIGTERM and removes the data. */
  stop(): Promise<void>
  /** Sends SIGKILL, which clients experience as a crash. The data is kept. */
  kill(): Promise<void>
}

export const builtServer: readonly string[] = serverCommand(fileURLToPath(new URL('../../..', import.meta.url)))

const endProcess = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

/** Resolves with the match of `pattern` in the output. Rejects with the output if the process exits before. */
const untilOutput = (child: ChildProcess, pattern: RegExp, output: () => string): Promise<RegExpExecArray> =>
  new Promise((resolve, reject) => {
    const look = () => {
      const match = pattern.exec(output())
      if (match) resolve(match)
    }
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', look)
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
  const [intakePort, otlpPort, hepPort] = await Promise.all([freePort(), freePort(), freeUdpAndTcpPort()])
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
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  // The parent process can exit without stopping the server.
  const killWithUs = () => child.kill('SIGKILL')
  process.once('exit', killWithUs)
  child.once('exit', () => process.off('exit', killWithUs))
  let text = ''
  const output = () => text
  let log = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk
  })
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  const [, url = ''] = await untilOutput(child, /Patchbay (?:\S+ )?is ready: (http:\/\/\S+)[^]*\n\n/, output)
  return {
    url,
    intakePort,
    otlpPort,
    hepPort,
    firstPassword: /with the password (\S+)/.exec(text)?.[1] ?? '',
    pid: child.pid ?? 0,
    ended: exited,
    dataDir,
    output,
    log: () => log,
    stop: async () => {
      await endProcess(child, 'SIGTERM')
      remove()
    },
    kill: () => endProcess(child, 'SIGKILL'),
  }
}
