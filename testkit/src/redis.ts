import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureRedis } from '../../scripts/ensure-tools.mjs'
import { end, endWithUs, halted, onFreePort, ready, type Server } from './spawn-server.ts'

/** A Redis server of one's own on 127.0.0.1, which keeps everything in memory: whoever kills it empties it. */
export interface RedisServer {
  readonly port: number
  readonly pid: number
  /** The settings that make Patchbay use it. */
  readonly settings: { JAMBONES_REDIS_HOST: string; JAMBONES_REDIS_PORT: string }
  /** Ends the server and removes its folder. */
  stop(): Promise<void>
  /** SIGKILL: what a crash of the server looks like to its clients. */
  kill(): Promise<void>
  /** SIGSTOP and SIGCONT: a server that accepts connections and answers nothing. */
  pause(): Promise<void>
  resume(): void
  /** Ends the server if it runs, and starts it again, empty, on the same port. */
  restart(): Promise<void>
}

/** How one differs from a plain server. */
export interface RedisVariant {
  /** goes before all other arguments */
  args?: readonly string[]
  /** the text of a configuration file, which a Sentinel needs, since it keeps what it finds out in it */
  file?: string
  /** what its log says when it is there */
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
