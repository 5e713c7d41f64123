import type { CompiledQuery, QueryResult } from 'kysely'
import type { MysqlAddress } from '../config/option-types.ts'
import { MysqlConnection } from './mysql-connection.ts'
import { MysqlError } from './mysql-error.ts'

/**
 * The connections of this process to a MySQL or MariaDB server. Transactions have a connection of their own. Short reads
 * share a few connections, where each is sent without waiting for the results of earlier ones. That takes less CPU time
 * on both sides (docs/decisions/0031-share-connections-for-short-reads.md).
 *
 * The pool of the driver is not used. It cannot share connections, and it repeats a failed connection attempt for ten
 * seconds before it reports that the database is unavailable.
 */

/** Use of the connections of a pool. */
export interface PoolUse {
  /** Label of the pool in metrics. */
  pool: string
  inUse: number
  /** Queries and transactions that wait for a connection. */
  waiting: number
  max: number
}

/** Two connections are answered faster than one. Four need more CPU time. */
const maxShared = 2
/** A smaller pool shares no connections. */
const minConnectionsToShare = 4
/** Statements in a shared connection, including the one that runs. */
const maxPending = 16
/** A shared connection whose statement has been running for longer gets no further ones. */
const slowAfterMs = 20

interface Waiter {
  /** Takes a connection, or none when another may be opened. */
  resolve(connection: MysqlConnection | undefined): void
  reject(error: unknown): void
}

/** A shared connection, which is undefined while it is being opened. */
interface SharedConnection {
  connection?: MysqlConnection
}

export class MysqlPool {
  readonly #address: MysqlAddress
  readonly #label: string
  readonly #statementSeconds: number | undefined
  readonly #maxShared: number
  readonly #maxExclusive: number
  readonly #exclusive = new Set<MysqlConnection>()
  readonly #idle: MysqlConnection[] = []
  readonly #waiting: Waiter[] = []
  readonly #shared: SharedConnection[] = []
  /** Exclusive connections that are being opened. */
  #opening = 0
  #isClosed = false

  /**
   * @param label of the pool in metrics
   * @param statementSeconds time limit of a statement that the server enforces. Default: that of the address
   */
  constructor(address: MysqlAddress, label: string, statementSeconds?: number) {
    this.#address = address
    this.#label = label
    this.#statementSeconds = statementSeconds
    this.#maxShared = address.connections >= minConnectionsToShare ? maxShared : 0
    this.#maxExclusive = address.connections - this.#maxShared
  }

  use(): PoolUse {
    const usedShared = this.#shared.filter(({ connection }) => connection !== undefined && connection.pending > 0)
    return {
      pool: this.#label,
      inUse: this.#exclusive.size - this.#idle.length + usedShared.length,
      waiting: this.#waiting.length,
      max: this.#address.connections,
    }
  }

  /**
   * Returns a connection for exclusive use, which must be released.
   *
   * @throws MysqlError if the database is unavailable, or no connection is released in time
   */
  async acquire(): Promise<MysqlConnection> {
    for (;;) {
      if (this.#isClosed) throw new MysqlError('the connection pool is closed', { fatal: true })
      const idle = this.#idle.pop()
      if (idle?.isOpen) return idle
      if (idle) this.#exclusive.delete(idle)
      if (this.#exclusive.size + this.#opening < this.#maxExclusive) return this.#openExclusive()
      const handed = await this.#waitForConnection()
      if (handed) return handed
    }
  }

  release(connection: MysqlConnection): void {
    const next = this.#waiting.shift()
    if (connection.isOpen && !this.#isClosed) {
      if (next) next.resolve(connection)
      else this.#idle.push(connection)
      return
    }
    this.#exclusive.delete(connection)
    void connection.close()
    next?.resolve(undefined)
  }

  /** Runs a statement that only reads and is expected to be short. */
  async read<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const shared = this.#findShared() ?? (await this.#openShared())
    if (shared) return shared.run<R>(query)
    const connection = await this.acquire()
    try {
      return await connection.run<R>(query)
    } finally {
      this.release(connection)
    }
  }

  /** Closes the connections after their pending statements. Transactions in progress are rolled back. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const waiter of this.#waiting.splice(0)) waiter.resolve(undefined)
    const shared = this.#shared.splice(0).flatMap(({ connection }) => connection ?? [])
    await Promise.all([...this.#exclusive, ...shared].map((connection) => connection.close()))
  }

  /**
   * Waits as long as for the response of a statement. A write that waited longer would be made after its request has
   * failed.
   */
  async #waitForConnection(): Promise<MysqlConnection | undefined> {
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise((resolve, reject) => {
        const waiter: Waiter = { resolve, reject }
        this.#waiting.push(waiter)
        const { responseTimeoutSeconds } = this.#address
        if (responseTimeoutSeconds === undefined) return
        timer = setTimeout(() => {
          const position = this.#waiting.indexOf(waiter)
          if (position >= 0) this.#waiting.splice(position, 1)
          reject(new MysqlError('all connections are in use', { fatal: true }))
        }, responseTimeoutSeconds * 1000)
      })
    } finally {
      clearTimeout(timer)
    }
  }

  async #openExclusive(): Promise<MysqlConnection> {
    this.#opening += 1
    try {
      const connection = await this.#openConnection()
      if (this.#isClosed) await connection.close()
      else this.#exclusive.add(connection)
      return connection
    } catch (error) {
      this.#failWaiting(error)
      throw error
    } finally {
      this.#opening -= 1
    }
  }

  /**
   * Rejects all waiting callers after a failed attempt to open a connection. Each could only repeat it, and those at the
   * end of the queue would wait for minutes. If a connection is open, they wait for it, and one of them tries again.
   */
  #failWaiting(error: unknown): void {
    const hasOpen = [...this.#exclusive].some(({ isOpen }) => isOpen)
    if (hasOpen) this.#waiting.shift()?.resolve(undefined)
    else for (const waiter of this.#waiting.splice(0)) waiter.reject(error)
  }

  #openConnection(): Promise<MysqlConnection> {
    return MysqlConnection.open(this.#address, this.#label, this.#statementSeconds)
  }

  /** Returns the shared connection with the fewest pending statements, unless another one should be opened first. */
  #findShared(): MysqlConnection | undefined {
    let best: MysqlConnection | undefined
    let usable = 0
    for (const { connection } of this.#shared) {
      if (connection !== undefined && !connection.isOpen) continue
      usable += 1
      if (connection === undefined) continue
      if (connection.pending === 0) return connection
      const accepts = connection.pending < maxPending && connection.runningMs < slowAfterMs
      if (accepts && connection.pending < (best?.pending ?? maxPending)) best = connection
    }
    return usable < this.#maxShared ? undefined : best
  }

  /** Opens another shared connection, if the limit allows it. */
  async #openShared(): Promise<MysqlConnection | undefined> {
    const closed = this.#shared.findIndex(({ connection }) => connection !== undefined && !connection.isOpen)
    if (closed >= 0) this.#shared.splice(closed, 1)
    if (this.#shared.length >= this.#maxShared || this.#isClosed) return undefined
    const shared: SharedConnection = {}
    this.#shared.push(shared)
    try {
      shared.connection = await this.#openConnection()
      if (this.#isClosed) await shared.connection.close()
      return shared.connection
    } catch (error) {
      this.#shared.splice(this.#shared.indexOf(shared), 1)
      throw error
    }
  }
}
