import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureInfluxDb } from '../../scripts/ensure-tools.mjs'
import { end, endWithUs, halted, onFreePort, ready, type Server } from './spawn-server.ts'
import { freePort } from './ports.ts'

/** A dedicated InfluxDB 1.x on 127.0.0.1, empty and without authentication, like on the platform. */
export interface InfluxServer {
  readonly port: number
  /** Settings for a Patchbay server that reads from this database. */
  readonly settings: { JAMBONES_TIME_SERIES_HOST: string }
  /** Writes points in line protocol with nanosecond timestamps. Creates the database if necessary. */
  write(db: string, lines: readonly string[]): Promise<void>
  /** Stops the server and removes its folder. */
  stop(): Promise<void>
  /** Sends SIGSTOP and SIGCONT. A paused server accepts connections but does not respond. */
  pause(): Promise<void>
  resume(): void
}

const toConfiguration = (folder: string, port: number, other: number): string => `reporting-disabled = true
bind-address = "127.0.0.1:${other}"
[meta]
  dir = "${folder}/meta"
[data]
  dir = "${folder}/data"
  wal-dir = "${folder}/wal"
  query-log-enabled = false
[http]
  bind-address = "127.0.0.1:${port}"
  log-enabled = false
[monitor]
  store-enabled = false
`

const launch = async (program: string, folder: string, port: number): Promise<Server> => {
  const file = join(folder, 'influxdb.conf')
  await writeFile(file, toConfiguration(folder, port, await freePort()))
  const child = spawn(program, ['run', '-config', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  endWithUs(child)
  try {
    await ready(child, child.stderr, { name: 'InfluxDB', text: 'Listening for signals' })
    return child
  } catch (error) {
    await end(child)
    throw error
  }
}

const post = async (url: string, body: string | URLSearchParams): Promise<void> => {
  const answer = await fetch(url, { method: 'POST', body })
  if (!answer.ok) throw new Error(`InfluxDB answered ${answer.status} ${await answer.text()}`)
}

export const startInfluxDb = async (): Promise<InfluxServer> => {
  const program = await ensureInfluxDb()
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-influxdb-'))
  const remove = () => {
    process.off('exit', remove)
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', remove)
  const { port, child } = await onFreePort((free) => launch(program, folder, free)).catch((error: unknown) => {
    remove()
    throw error
  })
  const origin = `http://127.0.0.1:${port}`
  return {
    port,
    settings: { JAMBONES_TIME_SERIES_HOST: `127.0.0.1:${port}` },
    async write(db, lines) {
      const body = lines.join('\n')
      for (let attempt = 1; ; attempt += 1)
        try {
          await post(`${origin}/query`, new URLSearchParams({ q: `CREATE DATABASE "${db}"` }))
          return await post(`${origin}/write?db=${db}&precision=n`, body)
        } catch (error) {
          // InfluxDB can report a database as missing immediately after its creation.
          if (attempt === 5 || !String(error).includes('database not found')) throw error
        }
    },
    async stop() {
      await end(child)
      remove()
    },
    pause: () => halted(child.pid ?? 0),
    resume: () => void child.kill('SIGCONT'),
  }
}
