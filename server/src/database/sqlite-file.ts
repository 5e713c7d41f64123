import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'

/** A connection to the embedded database, as the main thread and the reader threads use it. */

/**
 * What fails carries a code of SQLite's by its name, where the difference matters, or else by its number
 * (https://www.sqlite.org/rescode.html).
 */
export class SqliteError extends Error {
  readonly code: string
  constructor({ message, code }: { message: string; code: string }) {
    super(message)
    this.code = code
  }
}

/** A code of ours, for a reader that could not be opened, or that ended. */
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

const faultFrom = (error: unknown): unknown => {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error
  const code = codeNames[error.errcode] ?? `SQLITE_${error.errcode}`
  return new SqliteError({ message: error.message, code })
}

const orFault = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw faultFrom(error)
  }
}

/** Texts differ only where a list in them is longer or shorter, so this is hardly ever reached. */
const maxPreparedStatements = 500

export interface SqliteStatement {
  /** of the columns that it answers; none where it only changes something */
  names: readonly string[]
  /** rows by position */
  all(parameters: readonly unknown[]): SQLOutputValue[][]
  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
}

export class SqliteFile {
  readonly #connection: DatabaseSync
  /** Statements are prepared once: the same texts come again and again. */
  readonly #prepared = new Map<string, SqliteStatement>()

  /**
   * WAL so that readers never wait for the writer, FULL so that what was acknowledged survives a power cut, foreign
   * keys on (off by default there), and a cache of 16 MB instead of 2.
   */
  constructor(path: string, { readOnly = false } = {}) {
    this.#connection = orFault(() => new DatabaseSync(path, { readOnly, timeout: 5000 }))
    const pragmas = ['foreign_keys = ON', 'trusted_schema = OFF', 'cache_size = -16000']
    if (!readOnly) pragmas.unshift('journal_mode = WAL', 'synchronous = FULL')
    for (const pragma of pragmas) orFault(() => this.#connection.exec(`PRAGMA ${pragma}`))
  }

  get inTransaction(): boolean {
    return this.#connection.isTransaction
  }

  prepare(text: string): SqliteStatement {
    const known = this.#prepared.get(text)
    if (known) return known
    if (this.#prepared.size >= maxPreparedStatements) this.#prepared.clear()
    const made = statementOf(orFault(() => this.#connection.prepare(text)))
    this.#prepared.set(text, made)
    return made
  }

  close(): void {
    this.#connection.close()
  }
}

/** Values come from Kysely, which leaves it to drivers to refuse what they cannot bind. */
const bound = (parameters: readonly unknown[]): SQLInputValue[] => {
  const [first] = parameters
  // Node would take it for names with values, and bind nothing.
  if (typeof first === 'object' && first !== null) throw new TypeError('an object cannot be bound to a parameter')
  // Newer releases of Node take it for NULL.
  if (parameters.includes(undefined)) throw new TypeError('undefined cannot be bound to a parameter')
  return parameters as SQLInputValue[]
}

const statementOf = (statement: StatementSync): SqliteStatement => {
  statement.setReturnArrays(true)
  return {
    names: statement.columns().map(({ name }) => name),
    // With setReturnArrays rows are lists; the types of Node do not know it.
    all: (parameters) => orFault(() => statement.all(...bound(parameters)) as unknown as SQLOutputValue[][]),
    run: (parameters) => orFault(() => statement.run(...bound(parameters))),
  }
}
