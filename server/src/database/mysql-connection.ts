import type { MysqlPool, MysqlPoolConnection } from 'kysely'
import type { Connection as MysqlConnection, Pool, PoolConnection, TypedParameter } from 'mysql2'
import type { MysqlAddress } from '../config/option-types.ts'
import { publishQuery, startQuery } from './observe-query.ts'
import { captureContext, isTracing } from '../lib/tracing.ts'
import { isPrepared } from './prepared-query.ts'

/** Connections to MySQL or MariaDB, with the interface that Kysely's dialect expects. */

/**
 * Removes the values that a server quotes in an error message, such as "Duplicate entry 'x'", but keeps index names.
 * Values are sent separately from the statement, so the statement's text contains none.
 */
const withoutValues = (message: string, text: string): string => {
  const index = / for key '[\w.]+'$/.exec(message)?.[0] ?? ''
  const quote = message.search(/['"`]/)
  const prefix = quote < 0 ? message : `${message.slice(0, quote).trimEnd()} …`
  return `${prefix}${index}, in: ${text.slice(0, 200)}`
}

interface ServerError extends Error {
  code?: string
  errno?: number
  sqlState?: string
  fatal?: boolean
}

/** Replaces mysql2's errors, which contain the statement and quoted values. */
class MysqlError extends Error {
  readonly code: string | undefined
  readonly errno: number | undefined
  readonly fatal: boolean

  constructor({ message, code, errno, sqlState, fatal = false }: ServerError, text: string) {
    // The message of a trigger may contain anything, so only its number is used. An error without an SQL state was not
    // sent by the server but is a connection failure.
    const serverMessage = code === undefined || code === 'ER_SIGNAL_EXCEPTION' ? `refused with ${errno}` : message
    super(sqlState === undefined ? message : withoutValues(serverMessage, text))
    this.code = code
    this.errno = errno
    this.fatal = fatal
  }
}

const toMysqlError = (error: unknown, text: string): unknown =>
  error instanceof Error ? new MysqlError(error, text) : error

/** Numbers of used connections, and of callers that wait for one. */
interface ConnectionCounts {
  /** Label of the pool in metrics. */
  pool: string
  inUse: number
  waiting: number
}

type QueryCallback = NonNullable<Parameters<MysqlPoolConnection['query']>[2]>
type Integer = typeof TypedParameter.LONGLONG

/** mysql2 sends numbers as doubles. MySQL rejects them in a LIMIT, and divides them differently. */
const toParameter = (value: unknown, integer: Integer) =>
  Number.isSafeInteger(value) ? integer(value as number) : value

/**
 * Values are sent as protocol parameters. They are never escaped into the text, because the meaning of escapes depends
 * on the server's mode. Statements without values need no preparation, and some cannot be prepared.
 */
class Connection implements MysqlPoolConnection {
  readonly #connection: PoolConnection
  readonly #integer: Integer
  readonly #use: ConnectionCounts
  #isInUse = false

  constructor(connection: PoolConnection, integer: Integer, use: ConnectionCounts) {
    this.#connection = connection
    this.#integer = integer
    this.#use = use
  }

  /** Counts the connection as used until it is released or destroyed. */
  occupy(): this {
    this.#use.inUse += 1
    this.#isInUse = true
    return this
  }

  #vacate(): void {
    if (this.#isInUse) this.#use.inUse -= 1
    this.#isInUse = false
  }

  query(text: string, values: unknown[], onResult?: QueryCallback): { stream: never } {
    if (onResult === undefined) throw new Error('rows are not streamed')
    const startedAt = startQuery()
    // The library calls back in the context in which the connection was opened.
    const inContext = isTracing() ? captureContext() : undefined
    const settle = (error: unknown, rows: unknown) => {
      const publish = () => publishQuery(this.#use.pool, text, startedAt, Boolean(error))
      if (inContext) inContext(publish)
      else publish()
      onResult(error ? toMysqlError(error, text) : error, rows as Parameters<QueryCallback>[1])
    }
    if (values.length > 0 || isPrepared(text)) {
      const parameters = values.map((value) => toParameter(value, this.#integer))
      // Kysely leaves it to the driver to reject values that cannot be bound.
      this.#connection.execute(text, parameters as (string | number | null)[], settle)
    } else this.#connection.query(text, settle)
    return unstreamed
  }

  get config(): object {
    return this.#connection.config
  }

  get threadId(): number {
    return this.#connection.threadId
  }

  connect(onConnected?: (error: unknown) => void): void {
    onConnected?.(null)
  }

  release(): void {
    this.#vacate()
    this.#connection.release()
  }

  destroy(): void {
    this.#vacate()
    this.#connection.destroy()
  }
}

const unstreamed: { stream: never } = {
  get stream(): never {
    throw new Error('rows are not streamed')
  },
}

/**
 * The session settings that the meaning of statements and values depends on, so that the server's own settings do not
 * matter: times are UTC, strict modes reject values that would be truncated, and no mode changes the meaning of quotes,
 * backslashes, or pipes.
 */
const session = {
  character_set_client: 'utf8mb4',
  character_set_results: 'utf8mb4',
  collation_connection: 'utf8mb4_unicode_ci',
  time_zone: '+00:00',
  sql_mode: 'STRICT_TRANS_TABLES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
}

const setSession = `SET ${Object.entries(session)
  .map(([name, value]) => `${name} = '${value}'`)
  .join(', ')}`

const readSession = `SELECT ${Object.keys(session)
  .map((name) => `@@${name} AS ${name}`)
  .join(', ')}`

/** The first variable is MariaDB's, the second MySQL's. Each server knows only its own. */
const limitStatements = (connection: PoolConnection, seconds: number): void => {
  connection.query(`SET max_statement_time = ${seconds}`, () => {})
  connection.query(`SET max_execution_time = ${seconds * 1000}`, () => {})
}

/** A connection with the wrong session settings is unusable, so the error closes it like a network error. */
const createSessionError = (reason: string): Error =>
  Object.assign(new Error(`the session could not be set up: ${reason}`), { fatal: true })

const openSession = (
  connection: Pick<MysqlConnection, 'query'>,
  onOpened: (error: Error | undefined) => void,
): void => {
  connection.query(setSession, (setError) => {
    if (setError) return onOpened(createSessionError(setError.code ?? setError.message))
    connection.query(readSession, (readError, rows) => {
      if (readError) return onOpened(createSessionError(readError.code ?? readError.message))
      const [actual = {}] = rows as Record<string, unknown>[]
      const differences = Object.entries(session).filter(([name, value]) => actual[name] !== value)
      const reason = differences.map(([name]) => `${name} is ${String(actual[name])}`).join(', ')
      onOpened(differences.length > 0 ? createSessionError(reason) : undefined)
    })
  })
}

/** Prepared statements per connection. All connections to a server share its max_prepared_stmt_count of 16,382. */
const maxPreparedStatements = 100

const connectionOptions = ({ url, ca }: MysqlAddress) => ({
  uri: url,
  connectTimeout: 5000,
  enableKeepAlive: true,
  keepAliveInitialDelay: 10_000,
  charset: 'utf8mb4',
  timezone: 'Z',
  supportBigNumbers: true,
  ...(ca === undefined ? {} : { ssl: { ca, verifyIdentity: true } }),
})

const openPool = async (address: MysqlAddress) => {
  // Loaded on first use, so that an installation with SQLite starts without it.
  const { createPool, TypedParameter: typed } = (await import('mysql2')).default
  const pool = createPool({
    ...connectionOptions(address),
    connectionLimit: address.connections,
    waitForConnections: true,
    maxPreparedStatements: maxPreparedStatements,
  })
  // The pool handles the first error and drops the connection. A second error without a listener would end the process.
  pool.on('connection', (connection) => void connection.on('error', () => {}))
  return { pool, integer: typed.LONGLONG }
}

/** Returns a pool that only hands out connections with verified session settings. */
export const withSession = (
  pool: Pick<Pool, 'getConnection' | 'end'>,
  integer: Integer,
  use: ConnectionCounts = { pool: 'main', inUse: 0, waiting: 0 },
  statementSeconds?: number,
): MysqlPool => {
  const readyConnections = new WeakMap<PoolConnection, Connection>()
  return {
    getConnection: (onConnection) => {
      use.waiting += 1
      pool.getConnection((error, connection) => {
        use.waiting -= 1
        // Any failure to get a connection means that the database is unavailable.
        if (error) return onConnection(Object.assign(error, { fatal: true }), connection)
        const ready = readyConnections.get(connection)
        if (ready) return onConnection(null, ready.occupy())
        openSession(connection, (sessionError) => {
          const wrapped = new Connection(connection, integer, use)
          if (sessionError) {
            connection.destroy()
            return onConnection(sessionError, wrapped)
          }
          if (statementSeconds !== undefined) limitStatements(connection, statementSeconds)
          readyConnections.set(connection, wrapped)
          onConnection(null, wrapped.occupy())
        })
      })
    },
    end: (ended) => pool.end(ended),
  }
}

/** @param use is updated with the use of the connections */
export const openMysqlPool = async (
  address: MysqlAddress,
  use: ConnectionCounts,
  statementSeconds?: number,
): Promise<MysqlPool> => {
  const { pool, integer } = await openPool(address)
  return withSession(pool, integer, use, statementSeconds)
}

/**
 * Opens a single connection with verified session settings, for results that are streamed. Times are returned as text,
 * and integers that a number cannot represent as strings.
 */
export const openMysqlConnection = async (address: MysqlAddress): Promise<MysqlConnection> => {
  const { createConnection } = (await import('mysql2')).default
  const connection = createConnection({ ...connectionOptions(address), dateStrings: true, jsonStrings: true })
  // Queries report errors too. An error without a listener would end the process.
  connection.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    openSession(connection, (error) => (error ? reject(error) : resolve()))
  }).catch((error: unknown) => {
    connection.destroy()
    throw error
  })
  return connection
}
