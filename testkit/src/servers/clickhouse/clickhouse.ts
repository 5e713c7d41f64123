import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ensureChdb } from '../../../../scripts/run/ensure-chdb.mjs'
import { end, endWithUs, ready, type Server, type ServerControl, startInFolder } from '../spawn-server.ts'

/** A dedicated ClickHouse on 127.0.0.1 with a user and a password. Its data survives a restart. */
export interface ClickHouseServer extends ServerControl {
  /** Base URL with the credentials. */
  readonly url: string
  /** Settings for a Patchbay server that stores call records in this ClickHouse. */
  readonly settings: { CLICKHOUSE_URL: string }
  /** Runs a statement and returns its result as text. Throws the text of the exception. */
  query(statement: string): Promise<string>
}

const program = fileURLToPath(new URL('http-interface.mjs', import.meta.url))
const username = 'patchbay'
const password = 'p@ss:word/of ClickHouse'

const launch = async (chdb: string, folder: string, port: number): Promise<Server> => {
  const args = [program, chdb, folder, String(port), username, password]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  endWithUs(child)
  try {
    await Promise.race([
      ready(child, child.stdout, { name: 'ClickHouse', text: 'Ready for connections' }),
      // Reads the reason for a failure, which the error of the child process does not contain.
      ready(child, child.stderr, { name: 'ClickHouse', text: 'Ready for connections' }),
    ])
    return child
  } catch (error) {
    await end(child)
    throw error
  }
}

/**
 * Runs a statement and returns its result as text. Throws the text of the exception.
 * @param address URL with the credentials, and with the database as its path
 */
export const queryClickHouse = async (address: string, statement: string): Promise<string> => {
  const { origin, username: user, password: secret, pathname } = new URL(address)
  const authorization = `Basic ${Buffer.from(`${decodeURIComponent(user)}:${decodeURIComponent(secret)}`).toString('base64')}`
  const database = pathname === '/' ? 'default' : pathname.slice(1)
  const response = await fetch(`${origin}/?database=${database}`, {
    method: 'POST',
    headers: { authorization },
    body: statement,
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}

/** Starts ClickHouse with an empty database named `patchbay`. */
export const startClickHouse = async (): Promise<ClickHouseServer> => {
  const chdb = await ensureChdb()
  const control = await startInFolder('clickhouse', (folder, port) => launch(chdb, folder, port))
  const server = `http://${username}:${encodeURIComponent(password)}@127.0.0.1:${control.port}/`
  const url = `${server}patchbay`
  await queryClickHouse(server, 'CREATE DATABASE patchbay')
  // A copy of the object would have the process ID of the first start.
  return Object.assign(control, {
    url,
    settings: { CLICKHOUSE_URL: url },
    query: (statement: string) => queryClickHouse(url, statement),
  })
}
