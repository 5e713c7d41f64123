import type { SecureContextOptions } from 'node:tls'
import type { CompiledQuery, QueryResult } from 'kysely'
import type { ConnectionConfig, Connection as DriverConnection, FieldInfo, UpsertResult } from 'mariadb'
import type { MysqlAddress } from '../config/option-types.ts'
import { monotonicMs } from '../lib/clock.ts'
import { getErrorCode } from '../lib/error-code.ts'
import { withTimeout } from '../lib/timeout.ts'
import { MysqlError, toConnectionError, toMysqlError } from './mysql-error.ts'
import { publishQuery, startQuery } from './observe-query.ts'
import { isPrepared } from './prepared-query.ts'
import { compileRowMapper, type RowMapper } from './row-objects.ts'

/** Connections to MySQL or MariaDB whose session settings are verified. */

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

const sessionNames = Object.keys(session)
const readSession = `SELECT ${sessionNames.map((name) => `@@${name}`).join(', ')}`

/** Prepared statements per connection. All connections to a server share its max_prepared_stmt_count of 16,382. */
const maxPreparedStatements = 100

/** Time limit of the connection and the handshake, and again of the settings of the session. */
const openTimeoutSeconds = 5

/** Time in which a server reports that it has ended a statement at its limit, before the connection counts as lost. */
const statementGraceSeconds = 2

/** Time that a closing connection waits for the results of its statements. */
const closeTimeoutSeconds = 5

/** The types of the driver lack these options. */
interface DriverOptions extends Omit<ConnectionConfig, 'ssl'> {
  ssl?: SecureContextOptions & { servername: string; rejectUnauthorized: true }
  /** Returns JSON as text. */
  jsonStrings: boolean
  /** Returns a BIT(1) as a boolean. */
  bitOneIsBoolean: boolean
}

const connectionOptions = ({ url, ca, responseTimeoutSeconds }: MysqlAddress): DriverOptions => {
  const { hostname, port, username, password, pathname } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  return {
    host,
    port: port === '' ? 3306 : Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    connectTimeout: openTimeoutSeconds * 1000,
    // Detects within 20 seconds that the host of a connection is lost, but not while a statement is unacknowledged.
    keepAliveDelay: 10_000,
    // The driver closes a connection on which nothing arrives and nothing is sent for this time.
    ...(responseTimeoutSeconds === undefined
      ? {}
      : { socketTimeout: (responseTimeoutSeconds + statementGraceSeconds) * 1000 }),
    charset: 'utf8mb4',
    // The driver passes the socket to the TLS library, which then does not know the name that it must verify.
    ...(ca === undefined ? {} : { ssl: { ca, servername: host, rejectUnauthorized: true } }),
    // MySQL 8 sends the key that encrypts the password of a connection without TLS.
    allowPublicKeyRetrieval: true,
    prepareCacheLength: maxPreparedStatements,
    rowsAsArray: true,
    metaAsArray: true,
    dateStrings: true,
    jsonStrings: true,
    bitOneIsBoolean: false,
    // Integers that a number cannot represent are returned as text.
    supportBigNumbers: true,
    logger: { warning: () => {} },
  }
}

/** A connection with the wrong session settings is unusable, so the error is fatal like a network error. */
const createSessionError = (reason: string): MysqlError =>
  new MysqlError(`the session could not be set up: ${reason}`, { fatal: true })

/**
 * Sets and verifies the settings of a session.
 *
 * @throws MysqlError
 */
export const openSession = async (connection: Pick<DriverConnection, 'query'>): Promise<void> => {
  // The driver does not wait for the first result before it sends the second statement.
  const [, [rows]] = await Promise.all([
    connection.query(setSession),
    connection.query<[unknown[][], unknown]>(readSession),
  ]).catch((error: unknown) => {
    throw createSessionError(getErrorCode(error) || String(error))
  })
  const [actual = []] = rows
  const differences = Object.values(session).flatMap((value, position) =>
    actual[position] === value ? [] : [`${sessionNames[position]} is ${String(actual[position])}`],
  )
  if (differences.length > 0) throw createSessionError(differences.join(', '))
}

/** The first variable is MariaDB's, the second MySQL's. Each server knows only its own. */
const limitStatements = (connection: DriverConnection, seconds: number): void => {
  connection.query(`SET max_statement_time = ${seconds}`).catch(() => {})
  connection.query(`SET max_execution_time = ${seconds * 1000}`).catch(() => {})
}

/**
 * Lets MariaDB roll a transaction back if this process has disappeared, for which the locks of its rows would otherwise
 * wait for hours. MySQL has no such setting.
 */
const limitIdleTransactions = (connection: DriverConnection, seconds: number): void => {
  connection.query(`SET idle_transaction_timeout = ${seconds}`).catch(() => {})
}

/**
 * Opens a connection of the driver with verified session settings. Times are returned as text, and integers that a
 * number cannot represent as strings.
 *
 * @throws an error with `fatal: true`, because any failure means that the database is unavailable
 */
export const openDriverConnection = async (address: MysqlAddress): Promise<DriverConnection> => {
  // Loaded on first use, so that an installation with SQLite starts without it.
  const { createConnection } = await import('mariadb')
  const connection = await createConnection(connectionOptions(address)).catch((error: unknown) => {
    throw toConnectionError(error)
  })
  // Statements report errors too. An error without a listener would end the process.
  connection.on('error', () => {})
  try {
    await withTimeout(openSession(connection), openTimeoutSeconds, () => createSessionError('no response'))
    if (address.responseTimeoutSeconds !== undefined) limitIdleTransactions(connection, address.responseTimeoutSeconds)
    return connection
  } catch (error) {
    connection.destroy()
    throw error
  }
}

/** The driver sends the largest 32-bit integer as a double too. */
const isInt32 = (value: number): boolean => value >= -(2 ** 31) && value < 2 ** 31 - 1

/**
 * Converts a value to one that the driver sends with its type. It would send integers above 2^31 as doubles, which
 * MySQL divides differently, plain byte arrays as JSON, and undefined as NULL.
 */
const toParameter = (value: unknown): unknown => {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) && !isInt32(value) ? BigInt(value) : value
  if (value === undefined) throw new TypeError('a value of a statement is undefined')
  if (value instanceof Uint8Array && !Buffer.isBuffer(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return value
}

const timeTypes = new Set<string>(['DATE', 'DATETIME', 'TIMESTAMP'])

/** MariaDB sends the columns of a prepared statement only if they have changed, so the driver reuses their array. */
const rowMappers = new WeakMap<readonly FieldInfo[], RowMapper>()

const getRowMapper = (fields: readonly FieldInfo[]): RowMapper => {
  const cached = rowMappers.get(fields)
  if (cached) return cached
  const times = new Set(fields.flatMap(({ type }, position) => (timeTypes.has(type) ? [position] : [])))
  const rowMapper = compileRowMapper(
    fields.map((field) => field.name()),
    times,
  )
  rowMappers.set(fields, rowMapper)
  return rowMapper
}

/** The rows and columns of a read, or the number of changed rows. */
type DriverResult = [unknown[][] | UpsertResult, FieldInfo[]]

const toQueryResult = <R>([result, fields]: DriverResult): QueryResult<R> => {
  if (!Array.isArray(result)) return { rows: [], numAffectedRows: BigInt(result.affectedRows) }
  const createRow = getRowMapper(fields)
  // The rows have the type of the compiled query, as with every driver of Kysely.
  return { rows: result.map((values) => createRow(values) as R) }
}

/** A connection that can run several statements: the server answers them in the order in which they were sent. */
export class MysqlConnection {
  readonly #connection: DriverConnection
  readonly #pool: string
  /** Time at which the server began the oldest statement, in milliseconds. */
  #startedAt = 0
  /** Called when no statement is pending any more. */
  #onIdle: (() => void) | undefined
  /** Number of statements whose result has not arrived. */
  pending = 0

  constructor(connection: DriverConnection, pool: string) {
    this.#connection = connection
    this.#pool = pool
  }

  /** @param statementSeconds time limit that the server enforces. Default: that of the address */
  static async open(address: MysqlAddress, pool: string, statementSeconds?: number): Promise<MysqlConnection> {
    const connection = await openDriverConnection(address)
    const seconds = statementSeconds ?? address.responseTimeoutSeconds
    if (seconds !== undefined) limitStatements(connection, seconds)
    return new MysqlConnection(connection, pool)
  }

  get isOpen(): boolean {
    return this.#connection.isValid()
  }

  /** Returns how long the oldest statement has been running, in milliseconds. */
  get runningMs(): number {
    return this.pending === 0 ? 0 : monotonicMs() - this.#startedAt
  }

  /**
   * Runs a statement. Values are sent as protocol parameters. They are never escaped into the text, because the meaning
   * of escapes depends on the server's mode. Statements without values need no preparation, and some cannot be prepared.
   *
   * @throws MysqlError
   */
  async run<R>({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<QueryResult<R>> {
    const startedAt = startQuery()
    let hasFailed = true
    if (this.pending === 0) this.#startedAt = monotonicMs()
    this.pending += 1
    try {
      const result: DriverResult =
        parameters.length > 0 || isPrepared(sql)
          ? await this.#runPrepared(sql, parameters.map(toParameter))
          : await this.#connection.query(sql)
      hasFailed = false
      return toQueryResult<R>(result)
    } catch (error) {
      throw toMysqlError(error, sql)
    } finally {
      this.pending -= 1
      if (this.pending === 0) this.#onIdle?.()
      this.#startedAt = monotonicMs()
      publishQuery(this.#pool, sql, startedAt, hasFailed)
    }
  }

  /**
   * Prepares a statement, unless the connection has prepared it already, and runs it.
   *
   * The driver's own `execute` is unsafe: it sends both commands at once. If the first one fails, for example because of
   * a conflict in a cluster, MariaDB runs the previously prepared statement with the new values.
   */
  async #runPrepared(sql: string, parameters: readonly unknown[]): Promise<DriverResult> {
    const statement = await this.#connection.prepare(sql)
    try {
      return await statement.execute<DriverResult>(parameters)
    } finally {
      // The driver keeps the statement in its cache.
      statement.close()
    }
  }

  /** Closes the connection after its pending statements, for which it waits up to 5 seconds. */
  async close(): Promise<void> {
    // The driver would close the connection before the results arrive, and never report that to their callers.
    if (this.pending > 0 && this.isOpen) await this.#waitUntilIdle()
    await this.#connection.end().catch(() => {})
  }

  async #waitUntilIdle(): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
    await withTimeout(idle, closeTimeoutSeconds, () => new Error('statements are still running')).catch(() => {})
  }
}
