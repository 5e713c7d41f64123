import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureProgram } from '../../../scripts/run/programs.mjs'
import { end, endWithUs, ready, type Server, type ServerControl, startInFolder } from './spawn-server.ts'

/** A dedicated Redis server on 127.0.0.1 without persistence, so a restart empties it. */
export interface RedisServer extends ServerControl {
  /** Settings for a Patchbay server that uses this Redis. */
  readonly settings: { JAMBONES_REDIS_HOST: string; JAMBONES_REDIS_PORT: string }
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

const launch = async (program: string, variant: RedisVariant, folder: string, port: number): Promise<Server> => {
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
  const program = await ensureProgram('redis')
  const control = await startInFolder('redis', (folder, port) => launch(program, variant, folder, port))
  const { port } = control
  // A copy of the object would have the process ID of the first start.
  return Object.assign(control, {
    settings: { JAMBONES_REDIS_HOST: '127.0.0.1', JAMBONES_REDIS_PORT: String(port) },
  })
}
