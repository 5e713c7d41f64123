import { Worker } from 'node:worker_threads'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely'
import { publishQuery, startQuery } from './observe-query.ts'
import { toRowObjects } from './row-objects.ts'
import { readerEnded, SqliteError } from './sqlite-file.ts'
import { StablePlanQueryCompiler } from './sqlite-query-compiler.ts'

/**
 * A read-only Kysely dialect that runs statements on a separate thread, so that a slow search of call records does not
 * delay other requests.
 */

interface Reply {
  id: number
  names?: string[]
  rows?: unknown[][]
  error?: { message: string; code: string }
}

interface PendingQuery {
  resolve(rows: unknown[]): void
  reject(error: Error): void
}

const toReaderError = (cause: unknown): SqliteError =>
  new SqliteError({
    message: `call data cannot be read: ${cause instanceof Error ? cause.message : ''}`,
    code: readerEnded,
  })

class ReaderThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, PendingQuery>()
  #next = 0
  #failure: SqliteError | undefined

  constructor(file: string) {
    this.#worker = new Worker(new URL('./reader-thread.mjs', import.meta.url), { workerData: { file } })
    this.#worker.on('message', (reply: Reply) => this.#settle(reply))
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('the thread has ended')))
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined
  }

  query(sql: string, parameters: readonly unknown[]): Promise<unknown[]> {
    if (this.#failure) return Promise.reject(this.#failure)
    const id = this.#next
    this.#next += 1
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage({ id, sql, parameters })
    })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #settle({ id, names = [], rows = [], error }: Reply): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) waiting?.reject(new SqliteError(error))
    else waiting?.resolve(toRowObjects(names, rows))
  }

  #fail(cause: unknown): void {
    this.#failure ??= toReaderError(cause)
    for (const { reject } of this.#waiting.values()) reject(this.#failure)
    this.#waiting.clear()
  }
}

class ReaderConnection implements DatabaseConnection {
  readonly #thread: ReaderThread
  readonly #pool: string
  constructor(thread: ReaderThread, pool: string) {
    this.#thread = thread
    this.#pool = pool
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const startedAt = startQuery()
    let hasFailed = true
    try {
      const rows = await this.#thread.query(sql, parameters)
      hasFailed = false
      // The rows have the type of the compiled query, as with every Kysely driver.
      return { rows: rows as R[] }
    } finally {
      publishQuery(this.#pool, sql, startedAt, hasFailed)
    }
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('the reader does not stream')
  }
}

class ReaderDriver implements Driver {
  readonly #file: string
  readonly #pool: string
  #thread: ReaderThread | undefined

  constructor(file: string, pool: string) {
    this.#file = file
    this.#pool = pool
  }

  init(): Promise<void> {
    return Promise.resolve()
  }

  /** A failed thread is replaced by a new one, because the cause of the failure may be gone. */
  async acquireConnection(): Promise<DatabaseConnection> {
    try {
      if (this.#thread === undefined || this.#thread.hasFailed) this.#thread = new ReaderThread(this.#file)
      return new ReaderConnection(this.#thread, this.#pool)
    } catch (error) {
      throw toReaderError(error)
    }
  }

  beginTransaction(): Promise<void> {
    throw new Error('the reader only reads')
  }
  commitTransaction(): Promise<void> {
    throw new Error('the reader only reads')
  }
  rollbackTransaction(): Promise<void> {
    throw new Error('the reader only reads')
  }
  releaseConnection(): Promise<void> {
    return Promise.resolve()
  }
  async destroy(): Promise<void> {
    await this.#thread?.end()
  }
}

/** @param pool label of the connection in metrics */
export const sqliteReader = (file: string, pool = 'reader'): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new ReaderDriver(file, pool),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new StablePlanQueryCompiler(),
})
