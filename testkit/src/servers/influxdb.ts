import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureProgram } from '../../../scripts/run/programs.mjs'
import { freePort } from './ports.ts'
import { end, endWithUs, ready, type Server, type ServerControl, startInFolder } from './spawn-server.ts'

/**
 * A dedicated InfluxDB 1.x on 127.0.0.1, empty and with authentication. Its only user has the name and the password that
 * the components of jambonz use.
 */
export interface InfluxServer extends Pick<ServerControl, 'port' | 'stop' | 'pause' | 'resume'> {
  /** Settings for a Patchbay server that reads from this database. */
  readonly settings: { JAMBONES_TIME_SERIES_HOST: string }
  /** Writes points in line protocol with nanosecond timestamps. Creates the database if necessary. */
  write(db: string, lines: readonly string[]): Promise<void>
  /** Changes the password of the user. */
  setPassword(password: string): Promise<void>
  /** Removes all privileges of the user, or grants them again. */
  setPrivileges(hasPrivileges: boolean): Promise<void>
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
  auth-enabled = true
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

const user = 'root'
/** A second administrator, so that tests can change the user. */
const admin = 'admin'

const post = async (url: string, body: string | URLSearchParams): Promise<void> => {
  const authorization = `Basic ${Buffer.from(`${admin}:${admin}`).toString('base64')}`
  const answer = await fetch(url, { method: 'POST', headers: { authorization }, body })
  if (!answer.ok) throw new Error(`InfluxDB answered ${answer.status} ${await answer.text()}`)
}

export const startInfluxDb = async (): Promise<InfluxServer> => {
  const program = await ensureProgram('influxdb')
  const { port, stop, pause, resume } = await startInFolder('influxdb', (folder, free) => launch(program, folder, free))
  const origin = `http://127.0.0.1:${port}`
  const run = (q: string) => post(`${origin}/query`, new URLSearchParams({ q }))
  // The first user can be created without a sign-in.
  await run(`CREATE USER "${admin}" WITH PASSWORD '${admin}' WITH ALL PRIVILEGES`)
  await run(`CREATE USER "${user}" WITH PASSWORD 'root' WITH ALL PRIVILEGES`)
  return {
    port,
    settings: { JAMBONES_TIME_SERIES_HOST: `127.0.0.1:${port}` },
    async write(db, lines) {
      const body = lines.join('\n')
      for (let attempt = 1; ; attempt += 1)
        try {
          await run(`CREATE DATABASE "${db}"`)
          return await post(`${origin}/write?db=${db}&precision=n`, body)
        } catch (error) {
          // InfluxDB can report a database as missing immediately after its creation.
          if (attempt === 5 || !String(error).includes('database not found')) throw error
        }
    },
    setPassword: (password) => run(`SET PASSWORD FOR "${user}" = '${password}'`),
    setPrivileges: (hasPrivileges) =>
      run(hasPrivileges ? `GRANT ALL PRIVILEGES TO "${user}"` : `REVOKE ALL PRIVILEGES FROM "${user}"`),
    stop,
    pause,
    resume,
  }
}
