import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  type QueryResult,
  type RootOperationNode,
  SelectQueryNode,
  type TransactionSettings,
} from 'kysely'
import type { MysqlConnection } from './mysql-connection.ts'
import type { MysqlPool } from './mysql-pool.ts'

/** Kysely's dialect for MySQL and MariaDB. */

export interface MysqlDialectOptions {
  pool: MysqlPool
  /** Whether reads outside a transaction share connections. Long reads would delay the others. */
  sharesReads: boolean
}

/** Returns whether a statement reads without locks. */
const isPlainRead = (node: RootOperationNode): boolean =>
  SelectQueryNode.is(node) && (node.endModifiers === undefined || node.endModifiers.length === 0)

/**
 * Reads outside a transaction can use a shared connection. Everything else acquires a connection, and uses it until it is
 * released.
 */
class PooledConnection implements DatabaseConnection {
  readonly #pool: MysqlPool
  readonly #sharesReads: boolean
  #own: MysqlConnection | undefined

  constructor({ pool, sharesReads }: MysqlDialectOptions) {
    this.#pool = pool
    this.#sharesReads = sharesReads
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#own === undefined && this.#sharesReads && isPlainRead(query.query)) return this.#pool.read<R>(query)
    this.#own ??= await this.#pool.acquire()
    return this.#own.run<R>(query)
  }

  /** Ends the transaction. Closes the connection if that fails, so that its changes cannot be committed later. */
  async rollback(): Promise<void> {
    // The server rolls back the transaction of a lost connection. Another error would replace that of the loss.
    if (this.#own?.isOpen === false) return
    try {
      await this.executeQuery(CompiledQuery.raw('rollback'))
    } catch (error) {
      await this.#own?.close()
      throw error
    }
  }

  release(): void {
    if (this.#own) this.#pool.release(this.#own)
    this.#own = undefined
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('rows are not streamed')
  }
}

class PoolDriver implements Driver {
  readonly #options: MysqlDialectOptions

  constructor(options: MysqlDialectOptions) {
    this.#options = options
  }

  init(): Promise<void> {
    return Promise.resolve()
  }

  acquireConnection(): Promise<PooledConnection> {
    return Promise.resolve(new PooledConnection(this.#options))
  }

  async beginTransaction(
    connection: DatabaseConnection,
    { isolationLevel, accessMode }: TransactionSettings,
  ): Promise<void> {
    const characteristics = [isolationLevel && `isolation level ${isolationLevel}`, accessMode].filter(Boolean)
    // The statement applies to the next transaction of the connection.
    if (characteristics.length > 0)
      await connection.executeQuery(CompiledQuery.raw(`set transaction ${characteristics.join(', ')}`))
    await connection.executeQuery(CompiledQuery.raw('begin'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  rollbackTransaction(connection: PooledConnection): Promise<void> {
    return connection.rollback()
  }

  releaseConnection(connection: PooledConnection): Promise<void> {
    return Promise.resolve(connection.release())
  }

  destroy(): Promise<void> {
    return this.#options.pool.close()
  }
}

export const mysqlDialect = (options: MysqlDialectOptions): Dialect => ({
  createAdapter: () => new MysqlAdapter(),
  createDriver: () => new PoolDriver(options),
  createIntrospector: (db) => new MysqlIntrospector(db),
  createQueryCompiler: () => new MysqlQueryCompiler(),
})
