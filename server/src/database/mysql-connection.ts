import type { MysqlPool, MysqlPoolConnection } from 'kysely'
import type { Pool, PoolConnection, TypedParameter } from 'mysql2'
import type { MysqlAddress } from '../config/option-types.ts'
import { isPrepared } from './prepared-query.ts'

/** Connections to MySQL or MariaDB, as Kysely's dialect uses them. */

/**
 * What a server says of an error, without what it quotes: "Duplicate entry 'x'" holds a value. The names of indexes
 * are put back. Values travel beside the statement, so its text holds none.
 */
const withoutValues = (message: string, text: string): string => {
  const index = / for key '[\w.]+'$/.exec(message)?.[0] ?? ''
  const quote = message.search(/['"`]/)
  const said = quote < 0 ? message : `${message.slice(0, quote).trimEnd()} …`
  return `${said}${index}, in: ${text.slice(0, 200)}`
}

interface ServerError extends Error {
  code?: string
  errno?: number
  sqlState?: string
  fatal?: boolean
}

/** mysql2's own errors carry the statement and what the server quotes of its values. */
class MysqlFault extends Error {
  readonly code: string | undefined
  readonly errno: number | undefined
  readonly fatal: boolean

  constructor({ message, code, errno, sqlState, fatal = false }: ServerError, text: string) {
    // A trigger may say anything, under its own number. Without a state it is no error of the server, but of the way there.
    const said = code === undefined || code === 'ER_SIGNAL_EXCEPTION' ? `refused with ${errno}` : message
    super(sqlState === undefined ? message : withoutValues(said, text))
    this.code = code
    this.errno = errno
    this.fatal = fatal
  }
}

const faultFrom = (error: unknown, text: string): unknown =>
  error instanceof Error ? new MysqlFault(error, text) : error

type Answered = NonNullable<Parameters<MysqlPoolConnection['query']>[2]>
type Integer = typeof TypedParameter.LONGLONG

/** mysql2 sends numbers as doubles, which MySQL refuses for a LIMIT and which divide otherwise. */
const bound = (value: unknown, integer: Integer) => (Number.isSafeInteger(value) ? integer(value as number) : value)

/**
 * Values are parameters of the protocol: nothing is ever escaped into a text, whose meaning depends on the server's
 * mode. Texts without values need no preparing, and some cannot be prepared.
 */
class Connection implements MysqlPoolConnection {
  readonly #connection: PoolConnection
  readonly #integer: Integer

  constructor(connection: PoolConnection, integer: Integer) {
    this.#connection = connection
    this.#integer = integer
  }

  query(text: string, values: unknown[], answered?: Answered): { stream: never } {
    if (answered === undefined) throw new Error('rows are not streamed')
    const settle = (error: unknown, rows: unknown) =>
      answered(error ? faultFrom(error, text) : error, rows as Parameters<Answered>[1])
    if (values.length > 0 || isPrepared(text)) {
      const parameters = values.map((value) => bound(value, this.#integer))
      // Values come from Kysely, which leaves it to drivers to refuse what they cannot bind.
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

  connect(connected?: (error: unknown) => void): void {
    connected?.(null)
  }

  release(): void {
    this.#connection.release()
  }

  destroy(): void {
    this.#connection.destroy()
  }
}

const unstreamed: { stream: never } = {
  get stream(): never {
    throw new Error('rows are not streamed')
  },
}

/**
 * The whole of a session that the meaning of statements and values depends on, whatever the server's own settings:
 * times are UTC, strict modes refuse what would be cut or mangled, and no mode turns a quote, a backslash or a pipe
 * into something else.
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

/** MariaDB's name for the limit, and MySQL's; each knows only its own. */
const limitStatements = (connection: PoolConnection, seconds: number): void => {
  connection.query(`SET max_statement_time = ${seconds}`, () => {})
  connection.query(`SET max_execution_time = ${seconds * 1000}`, () => {})
}

/** The connection is worth nothing without it, so a fault ends it as one of the network would. */
const sessionFault = (why: string): Error =>
  Object.assign(new Error(`the session could not be set up: ${why}`), { fatal: true })

const openSession = (connection: PoolConnection, opened: (error: Error | undefined) => void): void => {
  connection.query(setSession, (notSet) => {
    if (notSet) return opened(sessionFault(notSet.code ?? notSet.message))
    connection.query(readSession, (notRead, rows) => {
      if (notRead) return opened(sessionFault(notRead.code ?? notRead.message))
      const [found = {}] = rows as Record<string, unknown>[]
      const other = Object.entries(session).filter(([name, value]) => found[name] !== value)
      const why = other.map(([name]) => `${name} is ${String(found[name])}`).join(', ')
      opened(other.length > 0 ? sessionFault(why) : undefined)
    })
  })
}

/** What a connection keeps prepared. All connections of a server share its max_prepared_stmt_count of 16,382. */
const maxPreparedStatements = 100

const openPool = async ({ url, connections, ca }: MysqlAddress) => {
  // Loaded when it is needed: an embedded installation starts without it.
  const { createPool, TypedParameter: typed } = (await import('mysql2')).default
  const pool = createPool({
    uri: url,
    connectionLimit: connections,
    waitForConnections: true,
    connectTimeout: 5000,
    enableKeepAlive: true,
    keepAliveInitialDelay: 10_000,
    maxPreparedStatements: maxPreparedStatements,
    charset: 'utf8mb4',
    timezone: 'Z',
    supportBigNumbers: true,
    ...(ca === undefined ? {} : { ssl: { ca, verifyIdentity: true } }),
  })
  // The pool hears of the first error and forgets the connection; one that nobody hears would end the process.
  pool.on('connection', (connection) => void connection.on('error', () => {}))
  return { pool, integer: typed.LONGLONG }
}

/** Connections whose session is known to be as it must be; no other is ever handed out. */
export const inSession = (
  pool: Pick<Pool, 'getConnection' | 'end'>,
  integer: Integer,
  statementSeconds?: number,
): MysqlPool => {
  const known = new WeakMap<PoolConnection, Connection>()
  return {
    getConnection: (got) =>
      pool.getConnection((error, connection) => {
        // Whatever the reason: without a connection there is no database.
        if (error) return got(Object.assign(error, { fatal: true }), connection)
        const open = known.get(connection)
        if (open) return got(null, open)
        openSession(connection, (fault) => {
          const made = new Connection(connection, integer)
          if (fault) {
            connection.destroy()
            return got(fault, made)
          }
          if (statementSeconds !== undefined) limitStatements(connection, statementSeconds)
          known.set(connection, made)
          got(null, made)
        })
      }),
    end: (ended) => pool.end(ended),
  }
}

export const openMysqlPool = async (address: MysqlAddress, statementSeconds?: number): Promise<MysqlPool> => {
  const { pool, integer } = await openPool(address)
  return inSession(pool, integer, statementSeconds)
}
