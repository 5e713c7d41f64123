import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readConfiguration } from '../docs/documentation.ts'
import { createCertificate } from '../fakes/certificate.ts'
import { type Haproxy, startHaproxy } from './haproxy.ts'
import { freePort } from './ports.ts'
import { builtServer, type RunningServer, startServer } from './server-process.ts'

/** Three processes behind HAProxy, with the configuration of `docs/how-to/run-several-processes.md`. */

export interface BalancedProcesses {
  /** Plain HTTP of the load balancer. */
  readonly url: string
  /** Port for TLS, and the certificate of the load balancer, which is valid for 127.0.0.1. */
  readonly tls: { port: number; ca: Buffer }
  /** Ports at which the load balancer receives call records and traces. */
  readonly intakePort: number
  readonly otlpPort: number
  readonly processes: readonly RunningServer[]
  /** Tells the load balancer to send no more requests to a process, for versions that do not announce their end. */
  drain(position: number): Promise<void>
  /** Sends SIGTERM to a process and resolves with its exit code. */
  terminate(position: number): Promise<number | null>
  /**
   * Starts a process again that has ended, on its former ports. Resolves when the load balancer uses it.
   *
   * @param command program and arguments of another version
   */
  restart(position: number, command?: readonly string[]): Promise<void>
  stop(): Promise<void>
}

const names = ['one', 'two', 'three'] as const

interface Addresses {
  http: number
  intake: number
  otlp: number
}

/**
 * @param settings settings of all processes, with the shared database and Redis
 * @param command program and arguments of the version that runs first
 * @param readinessPath path that the load balancer requests. Default: that of the documentation
 */
export const startBalancedProcesses = async (
  settings: NodeJS.ProcessEnv,
  { command = builtServer, readinessPath = '/readyz' }: { command?: readonly string[]; readinessPath?: string } = {},
): Promise<BalancedProcesses> => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-balanced-'))
  const findAddresses = async () => ({
    http: await freePort(),
    intake: await freePort(),
    otlp: await freePort(),
  })
  const addresses: readonly Addresses[] = await Promise.all(names.map(findAddresses))
  const start = async (position: number, program = command): Promise<RunningServer> => {
    const { http = 0, intake = 0, otlp = 0 } = addresses[position] ?? {}
    const server = await startServer(
      {
        ...settings,
        JAMBONES_TRUST_PROXY: '1',
        SHUTDOWN_DELAY_SECONDS: '3',
        PORT: `${http}`,
        INTAKE_INFLUX: `${intake}`,
        INTAKE_OTLP: `${otlp}`,
      },
      program,
    )
    return { ...server, intakePort: intake, otlpPort: otlp }
  }

  const certificate = createCertificate(folder, 'balancer')
  const pem = join(folder, 'balancer.pem')
  writeFileSync(pem, readFileSync(certificate.cert, 'utf8') + readFileSync(certificate.key, 'utf8'))
  const [tls, plain, intakePort, otlpPort] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const toServers = (documented: number, port: keyof Addresses) =>
    addresses.map((address, position) => [`10.0.0.1${position + 1}:${documented}`, `127.0.0.1:${address[port]}`])
  const configuration = readConfiguration('docs/how-to/run-several-processes.md', 'haproxy', 0, {
    'bind :443 ssl crt /etc/ssl/console.example.com.pem': `bind 127.0.0.1:${tls} ssl crt ${pem}\n  bind 127.0.0.1:${plain}`,
    'httpchk GET /readyz': `httpchk GET ${readinessPath}`,
    'bind 10.0.0.10:8086': `bind 127.0.0.1:${intakePort}`,
    'bind 10.0.0.10:4318': `bind 127.0.0.1:${otlpPort}`,
    ...Object.fromEntries([...toServers(3000, 'http'), ...toServers(8086, 'intake'), ...toServers(4318, 'otlp')]),
  })

  const processes: RunningServer[] = []
  let balancer: Haproxy | undefined
  const isUsed = async (position: number) =>
    (await balancer?.readStates())?.get(`patchbay/${names[position]}`)?.startsWith('UP') ?? false
  const stop = async () => {
    await Promise.all(processes.map((each) => each.kill()))
    for (const { dataDir } of processes) rmSync(dataDir, { recursive: true, force: true })
    await balancer?.stop()
    rmSync(folder, { recursive: true })
  }
  const untilUsed = async (position: number) => {
    while (!(await isUsed(position))) await delay(50)
  }
  try {
    // The first process creates the tables and prints the password of the administrator.
    for (const position of names.keys()) processes.push(await start(position))
    balancer = await startHaproxy(configuration, await freePort())
    for (const position of names.keys()) await untilUsed(position)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url: `http://127.0.0.1:${plain}`,
    tls: { port: tls, ca: readFileSync(certificate.cert) },
    intakePort,
    otlpPort,
    processes,
    drain: async (position) => balancer?.command(`set server patchbay/${names[position]} state drain`),
    async terminate(position) {
      const target = processes[position]
      if (target === undefined) throw new Error(`there is no process ${position}`)
      process.kill(target.pid, 'SIGTERM')
      return target.ended
    },
    async restart(position, program = command) {
      const former = processes[position]
      if (former) rmSync(former.dataDir, { recursive: true, force: true })
      processes[position] = await start(position, program)
      await balancer?.command(`set server patchbay/${names[position]} state ready`)
      await untilUsed(position)
    },
    stop,
  }
}
