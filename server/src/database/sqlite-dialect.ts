import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely'
import { publishQuery, startQuery } from './observe-query.ts'
import { toRowObjects } from './row-objects.ts'
import type { SqliteFile } from './sqlite-file.ts'
import { StablePlanQueryCompiler } from './sqlite-query-compiler.ts'

/** Kysely's dialect for SQLite on the main thread: one connection for writes and one for reads. */

/** A lock that is granted in the order of requests. The event loop runs between two holders. */
export const createLock = () => {
  const waiting: (() => void)[] = []
  let isLocked = false
  const wakeNext = () => setImmediate(() => waiting.shift()?.())
  return {
    take: (): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(resolve)
        if (!isLocked) wakeNext()
        isLocked = true
      }),
    release: (): void => {
      if (waiting.length > 0) wakeNext()
      else isLocked = false
    },
    /** Returns the number of holders, which is 0 or 1, and of those that wait. */
    use: () => ({ inUse: isLocked ? 1 : 0, waiting: waiting.length }),
  }
}

type Lock = ReturnType<typeof createLock>

export interface SqliteFiles {
  writer: SqliteFile
  reader: SqliteFile
}

const run = <R>(file: SqliteFile, { sql: text, parameters }: CompiledQuery): QueryResult<R> => {
  const statement = file.prepare(text)
  // The rows have the type of the compiled query, as with every driver of Kysely.
  if (statement.names.length > 0) return { rows: toRowObjects(statement.names, statement.all(parameters)) as R[] }
  const { changes, lastInsertRowid } = statement.run(parameters)
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
}

/**
 * Reads outside a transaction use the read connection and never wait. Everything else acquires the lock and holds it
 * until the connection is released.
 */
class SqliteFileConnection implements DatabaseConnection {
  readonly #files: SqliteFiles
  readonly #lock: Lock
  #holdsLock = false

  constructor(files: SqliteFiles, lock: Lock) {
    this.#files = files
    this.#lock = lock
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const startedAt = startQuery()
    let hasFailed = true
    try {
      const isRead = !this.#holdsLock && SelectQueryNode.is(query.query)
      if (!isRead) await this.#takeLock()
      const result = run<R>(isRead ? this.#files.reader : this.#files.writer, query)
      hasFailed = false
      return result
    } finally {
      publishQuery('main', query.sql, startedAt, hasFailed)
    }
  }

  async #takeLock(): Promise<void> {
    if (this.#holdsLock) return
    await this.#lock.take()
    this.#holdsLock = true
  }

  release(): void {
    if (this.#holdsLock) this.#lock.release()
    this.#holdsLock = false
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('rows are not streamed')
  }
}

class SqliteFileDriver implements Driver {
  readonly #files: SqliteFiles
  readonly #lock: Lock

  constructor(files: SqliteFiles, lock: Lock) {
    this.#files = files
    this.#lock = lock
  }

  init(): Promise<void> {
    return Promise.resolve()
  }

  acquireConnection(): Promise<SqliteFileConnection> {
    return Promise.resolve(new SqliteFileConnection(this.#files, this.#lock))
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  /**
   * If the disk is full, SQLite may have ended the transaction itself. A failing rollback must not hide the original
   * error.
   */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#files.writer.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  releaseConnection(connection: SqliteFileConnection): Promise<void> {
    return Promise.resolve(connection.release())
  }

  destroy(): Promise<void> {
    this.#files.reader.close()
    this.#files.writer.close()
    return Promise.resolve()
  }
}

/** Migrations run in one transaction, so that an interrupted first start leaves nothing. */
class SqliteFileAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  /** The connections themselves ensure that there is one writer at a time. */
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** @param lock held by the connection that writes */
export const sqliteDialect = (files: SqliteFiles, lock = createLock()): Dialect => ({
  createAdapter: () => new SqliteFileAdapter(),
  createDriver: () => new SqliteFileDriver(files, lock),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new StablePlanQueryCompiler(),
})
