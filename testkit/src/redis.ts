import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureRedis } from '../../scripts/ensure-tools.mjs'
import { end, endWithUs, halted, onFreePort, ready, type Server } from './spawn-server.ts'

/** A dedicated Redis server on 127.0.0.1 without persistence, so a restart empties it. */
export interface RedisServer {
  readonly port: number
  readonly pid: number
  /** Settings for a Patchbay server that uses this Redis. */
  readonly settings: { JAMBONES_REDIS_HOST: string; JAMBONES_REDIS_PORT: string }
  /** Stops the server and removes its folder. */
  stop(): Promise<void>
  /** Sends SIGKILL, which clients experience as a crash. */
  kill(): Promise<void>
  /** Sends SIGSTOP and SIGCONT. A paused server accepts connections but does not respond. */
  pause(): Promise<void>
  resume(): void
  /** Stops the server if it is running, and starts an empty one on the same port. */
  restart(): Promise<void>
}

/** Options that deviate from a plain server. */
export interface RedisVariant {
  /** Arguments that precede all others. */
  args?: readonly string[]
  /** Content of the configuration file. A Sentinel requires one, because it stores its state in the file. */
  file?: string
  /** Log text that indicates readiness. */
  ready?: string
}

interface Launch {
  program: string
  folder: string
  variant: RedisVariant
}

const launch = async ({ program, folder, variant }: Launch, port: number): Promise<Server> => {
  const { args = [], file, ready: text = 'Ready to accept connections' } = variant
  const settings = ['--bind', '127.0.0.1', '--port', `${port}`, '--dir', folder, '--save', '', '--appendonly', 'no']
  const configuration = join(folder, 'redis.conf')
  if (file !== undefined) await writeFile(configuration, file)
  const all = [...(file === undefined ? [] : [configuration]), ...args, ...settings]
  const child = spawn(program, all, { stdio: ['ignore', 'pipe', 'ignore'] })
  endWithUs(child)
  try {
    await ready(child, child.stdout, { name: 'Redis', text })
    return child
  } catch (error) {
    await end(child)
    throw error
  }
}

export const startRedis = async (variant: RedisVariant = {}): Promise<RedisServer> => {
  const program = await ensureRedis()
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-redis-'))
  const remove = () => {
    process.off('exit', remove)
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', remove)
  const how: Launch = { program, folder, variant }
  const { port, child: first } = await onFreePort((free) => launch(how, free)).catch((error: unknown) => {
    remove()
    throw error
  })
  let child = first
  return {
    port,
    settings: { JAMBONES_REDIS_HOST: '127.0.0.1', JAMBONES_REDIS_PORT: String(port) },
    get pid() {
      return child.pid ?? 0
    },
    async stop() {
      await end(child)
      remove()
    },
    kill: () => end(child),
    pause: () => halted(child.pid ?? 0),
    resume: () => void child.kill('SIGCONT'),
    async restart() {
      await end(child)
      child = await launch(how, port)
    },
  }
}
