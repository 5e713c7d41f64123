import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureInfluxDb } from '../../scripts/ensure-tools.mjs'
import { end, endWithUs, halted, onFreePort, ready, type Server } from './spawn-server.ts'
import { freePort } from './ports.ts'

/** An InfluxDB 1.x of one's own on 127.0.0.1, empty and without sign-in, as a platform runs it. */
export interface InfluxServer {
  readonly port: number
  /** The settings that make Patchbay read from it. */
  readonly settings: { JAMBONES_TIME_SERIES_HOST: string }
  /** Points in line protocol with nanoseconds; the database is made where it is not there. */
  write(db: string, lines: readonly string[]): Promise<void>
  /** Ends the server and removes its folder. */
  stop(): Promise<void>
  /** SIGSTOP and SIGCONT: a server that accepts connections and answers nothing. */
  pause(): Promise<void>
  resume(): void
}

const configurationOf = (folder: string, port: number, other: number): string => `reporting-disabled = true
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
  await writeFile(file, configurationOf(folder, port, await freePort()))
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
          // It says so of one that was only just made, too.
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
