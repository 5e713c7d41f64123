import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'

/** A connection to SQLite, which the main thread and the reader threads use. */

/**
 * An SQLite error. Its code is the name if Patchbay distinguishes it, or else the number
 * (https://www.sqlite.org/rescode.html).
 */
export class SqliteError extends Error {
  readonly code: string
  constructor({ message, code }: { message: string; code: string }) {
    super(message)
    this.code = code
  }
}

/** Patchbay's own error code for a reader that could not be opened or has ended. */
export const readerEnded = 'READER_ENDED'

const codeNames: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
  517: 'SQLITE_BUSY_SNAPSHOT',
  778: 'SQLITE_IOERR_WRITE',
  787: 'SQLITE_CONSTRAINT_FOREIGNKEY',
  1034: 'SQLITE_IOERR_FSYNC',
  1546: 'SQLITE_IOERR_TRUNCATE',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
  4874: 'SQLITE_IOERR_SHMSIZE',
}

/**
 * Returns the primary result code for the code of a `SqliteError`, such as 10 for `SQLITE_IOERR_WRITE`. Returns
 * undefined for codes of other errors.
 */
export const getPrimaryResultCode = (code: string): number | undefined => {
  const [, suffix] = /^SQLITE_(.+)/.exec(code) ?? []
  if (suffix === undefined) return undefined
  const [resultCode] = Object.entries(codeNames).find(([, name]) => name === code) ?? []
  // The first byte of an extended code is the primary one.
  return Number(resultCode ?? suffix) & 0xff
}

/** Converts an error of SQLite. Returns errors of other kinds unchanged. */
export const toSqliteError = (error: unknown): unknown => {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error
  const code = codeNames[error.errcode] ?? `SQLITE_${error.errcode}`
  return new SqliteError({ message: error.message, code })
}

const withSqliteErrors = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw toSqliteError(error)
  }
}

/**
 * The number of different statements is small because they differ only in the length of lists, so this limit is hardly
 * ever reached.
 */
const maxPreparedStatements = 500

export interface SqliteStatement {
  /** Names of the result columns. Empty for a statement that returns no rows. */
  names: readonly string[]
  /** Returns rows by position. */
  all(parameters: readonly unknown[]): SQLOutputValue[][]
  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
}

/** Maximum time that a statement waits for a lock of another process. */
export const busyTimeoutMs = 5000

export class SqliteFile {
  readonly #connection: DatabaseSync
  /** Statements are prepared once and cached, because the same ones are run repeatedly. */
  readonly #prepared = new Map<string, SqliteStatement>()

  /**
   * Opens the database: WAL so that readers never wait for the writer, FULL so that committed data survives a power
   * failure, foreign keys on (off by default), and a cache of 16 MB instead of 2. Deleted rows are overwritten with
   * zeros.
   */
  constructor(path: string, { readOnly = false } = {}) {
    this.#connection = withSqliteErrors(() => new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs }))
    const pragmas = ['foreign_keys = ON', 'trusted_schema = OFF', 'cache_size = -16000']
    if (!readOnly) pragmas.unshift('journal_mode = WAL', 'synchronous = FULL', 'secure_delete = ON')
    for (const pragma of pragmas) withSqliteErrors(() => this.#connection.exec(`PRAGMA ${pragma}`))
  }

  get inTransaction(): boolean {
    return this.#connection.isTransaction
  }

  prepare(text: string): SqliteStatement {
    const cached = this.#prepared.get(text)
    if (cached) return cached
    if (this.#prepared.size >= maxPreparedStatements) this.#prepared.clear()
    const statement = toStatement(withSqliteErrors(() => this.#connection.prepare(text)))
    this.#prepared.set(text, statement)
    return statement
  }

  close(): void {
    this.#connection.close()
  }
}

/** Kysely leaves it to the driver to reject values that cannot be bound. */
const toParameters = (parameters: readonly unknown[]): SQLInputValue[] => {
  const [first] = parameters
  // Node would interpret an object other than bytes as named parameters, and bind nothing.
  if (typeof first === 'object' && first !== null && !ArrayBuffer.isView(first))
    throw new TypeError('an object cannot be bound to a parameter')
  // Newer versions of Node bind undefined as NULL.
  if (parameters.includes(undefined)) throw new TypeError('undefined cannot be bound to a parameter')
  return parameters as SQLInputValue[]
}

const toStatement = (statement: StatementSync): SqliteStatement => {
  statement.setReturnArrays(true)
  const names = statement.columns().map(({ name }) => name)
  // Node.js 26 fails after an insert whose row ID is no exact JavaScript number, unless it can return a bigint.
  if (names.length === 0) statement.setReadBigInts(true)
  return {
    names,
    // setReturnArrays makes rows arrays, which Node's types do not reflect.
    all: (parameters) =>
      withSqliteErrors(() => statement.all(...toParameters(parameters)) as unknown as SQLOutputValue[][]),
    run: (parameters) => withSqliteErrors(() => statement.run(...toParameters(parameters))),
  }
}
