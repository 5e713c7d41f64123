import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as moment } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import { builtServer, type RunningServer, startServer } from '../servers/server-process.ts'
import {
  answered,
  callApi,
  countWrites,
  findLostWrites,
  getBody,
  getText,
  isDone,
  keepWriting,
  type Ledger,
  openLedger,
  seeded,
  sendAgain,
  type Target,
  type Written,
} from './durability-ledger.ts'

/**
 * Crash tests: each round writes to the built server, kills it at a random moment, and checks that all acknowledged
 * writes still exist.
 */

/** A database that survives the server. */
export interface PersistentStore {
  settings: NodeJS.ProcessEnv
  /** Returns the problems that the database engine finds in its own files. */
  damage(): Promise<string[]>
  remove(): void
}

export const damageOfSqlite = (file: string): string[] => {
  const connection = new DatabaseSync(file, { readOnly: true })
  try {
    const integrity = connection.prepare('PRAGMA integrity_check').all()
    const foreignKeys = connection.prepare('PRAGMA foreign_key_check').all()
    return [
      ...(JSON.stringify(integrity) === '[{"integrity_check":"ok"}]' ? [] : [`damaged: ${JSON.stringify(integrity)}`]),
      ...(JSON.stringify(foreignKeys) === '[]' ? [] : [`refer to nothing: ${JSON.stringify(foreignKeys)}`]),
    ]
  } finally {
    connection.close()
  }
}

export const sqliteStore = (folder = mkdtempSync(join(tmpdir(), 'patchbay-kept-'))): PersistentStore => ({
  settings: { DATA_DIR: folder },
  damage: () => Promise.resolve(damageOfSqlite(join(folder, 'patchbay.sqlite'))),
  remove: () => rmSync(folder, { recursive: true, force: true }),
})

const damageOfMysql = async (url: string): Promise<string[]> => {
  const connection = await mysql.createConnection(url)
  try {
    const [tables] = await connection.query<mysql.RowDataPacket[]>('SHOW TABLES')
    const names = tables.map((row) => `\`${String(Object.values(row)[0])}\``)
    const [checked] = await connection.query<mysql.RowDataPacket[]>(`CHECK TABLE ${names.join(', ')} EXTENDED`)
    return checked.filter(({ Msg_text }) => Msg_text !== 'OK').map((row) => `damaged: ${JSON.stringify(row)}`)
  } finally {
    await connection.end()
  }
}

export const mysqlStore = (url: string): PersistentStore => ({
  settings: { DATABASE_URL: url, JWT_SECRET: 'a secret that outlives the server' },
  damage: () => damageOfMysql(url),
  remove: () => {},
})

/** Password of the admin after `enter`. */
export const adminPassword = 'Kept-through-everything-1'

/** Signs in for the first time, changes the password as required, and creates an API key. */
export const enter = async (server: RunningServer): Promise<Target> => {
  const credentials = { username: 'admin', password: server.firstPassword }
  const signedIn = getBody(await callApi(server, '', 'POST', '/login', credentials))
  const session = getText(signedIn, 'token')
  const user_sid = getText(signedIn, 'user_sid')
  const change = { old_password: server.firstPassword, new_password: adminPassword }
  getBody(await callApi(server, session, 'PUT', `/Users/${user_sid}`, change))
  const key = getBody(await callApi(server, session, 'POST', '/ApiKeys', {}))
  const { url, intakePort, otlpPort } = server
  return { url, intakePort, otlpPort, session, apiKey: getText(key, 'token') }
}

/** Starts the server and kills it, possibly before it is ready. */
const killSoon = async (store: PersistentStore, milliseconds: number): Promise<void> => {
  const child = spawn(process.execPath, builtServer, {
    env: {
      PATH: process.env['PATH'],
      HOST: '127.0.0.1',
      PORT: '0',
      INTAKE_INFLUX: '0',
      INTAKE_OTLP: '0',
      INTAKE_HEP: '0',
      ...store.settings,
    },
    stdio: 'ignore',
  })
  const exit = once(child, 'exit')
  await moment(milliseconds)
  child.kill('SIGKILL')
  await exit
}

/** Kills first starts at random moments. The start after each of them must find a usable database. */
export const killFirstStarts = async (
  newStore: () => PersistentStore,
  count: number,
  seed: number,
): Promise<string[]> => {
  const random = seeded(seed)
  const problems: string[] = []
  let whole = 0
  for (let round = 0; round <= count; round += 1) {
    const store = newStore()
    // The first round runs without a kill, to measure how long a start takes.
    const milliseconds = whole * (0.4 + 0.6 * random())
    if (round > 0) await killSoon(store, milliseconds)
    const started = performance.now()
    try {
      const server = await startServer(store.settings)
      if (round === 0) whole = performance.now() - started
      // The password is empty if the killed process had already printed it, or was about to.
      if (server.firstPassword !== '') await enter(server)
      await server.stop()
      problems.push(...(await store.damage()))
    } catch (error) {
      problems.push(`killed after ${milliseconds.toFixed(0)} ms: ${String(error)}`)
    } finally {
      store.remove()
    }
  }
  return problems
}

export interface Round {
  acknowledged: ReturnType<typeof countWrites>
  /** Number of call batches and traces without an acknowledgment at the time of the kill. */
  resentBatches: number
  restartMs: number
  problems: string[]
}

export interface KillRounds {
  round(): Promise<Round>
  /** Checks all writes that were acknowledged in any round. */
  all(): Promise<string[]>
  end(): Promise<void>
}

/** Returns the writes that failed before the kill, which must be none. */
const findFailures = ({ answers }: Ledger): string[] =>
  answers.filter((answer) => !isDone(answer)).map((answer) => `without a kill: ${JSON.stringify(answer)}`)

/** Starts a server for crash rounds. The seed determines the moments of the kills and the data that is written. */
export const startKillRounds = async (
  store: PersistentStore,
  seed: number,
  {
    longestMoment: maxDelayMs = 400,
    what = 'everything',
  }: {
    /** Milliseconds after the first responses of every kind. */
    longestMoment?: number
    what?: Written
  } = {},
): Promise<KillRounds> => {
  const random = seeded(seed)
  const ledgers: Ledger[] = []
  let server = await startServer(store.settings)
  let target = await enter(server)

  const restart = async (): Promise<number> => {
    const started = performance.now()
    server = await startServer(store.settings)
    target = { ...target, url: server.url, intakePort: server.intakePort, otlpPort: server.otlpPort }
    return performance.now() - started
  }

  const writeAndKill = async (ledger: Ledger): Promise<string[]> => {
    const writing = keepWriting(target, ledger, seeded(seed + ledgers.length), what)
    try {
      await answered(ledger, isDone, what)
      await moment(random() * maxDelayMs)
      return findFailures(ledger)
    } finally {
      await Promise.all([server.kill(), writing.stop()])
    }
  }

  const withOutput = (cause: unknown): never => {
    throw new Error(`the server said:\n${server.output()}`, { cause })
  }

  const round = async (): Promise<Round> => {
    const ledger = await openLedger(target)
    ledgers.push(ledger)
    const failures = await writeAndKill(ledger)
    const acknowledged = countWrites(ledger)
    const resentBatches = ledger.openBatches.length + ledger.openTraces.length
    const restartMs = await restart()
    const lost = await findLostWrites(target, ledger)
    // Clients resend unacknowledged writes, which must not create duplicates.
    await sendAgain(target, ledger)
    const problems = [...failures, ...lost, ...(await findLostWrites(target, ledger)), ...(await store.damage())]
    if (ledger.openBatches.length + ledger.openTraces.length > 0) problems.push('a batch could not be sent again')
    return { acknowledged, resentBatches, restartMs, problems }
  }

  const all = async (): Promise<string[]> => {
    const problems: string[] = []
    for (const ledger of ledgers) problems.push(...(await findLostWrites(target, ledger)))
    const me = await callApi(target, target.session, 'GET', '/Users/me')
    if (!isDone(me)) problems.push(`the session is lost: ${JSON.stringify(me)}`)
    return problems
  }

  const end = async () => {
    await server.stop()
    store.remove()
  }
  return { round: () => round().catch(withOutput), all, end }
}
