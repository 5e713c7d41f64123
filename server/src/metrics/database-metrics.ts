import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '../database/engine.ts'
import type { PoolUse } from '../database/mysql-pool.ts'
import { auditEvents, queryEvents, transactionEvents, type Unsubscribe } from '../lib/telemetry.ts'
import { createDurationHistogram } from './duration-histogram.ts'

/** Metrics of the database: statements, connection pools, transactions, and audit entries. */

const statements = new Set(['select', 'insert', 'update', 'delete', 'begin', 'commit', 'rollback'])

/** Statements repeat, and differ in the length of their lists only, so this limit is hardly ever reached. */
const maxCachedLabels = 1000
const labels = new Map<string, string>()

/** Returns the first word of a statement if it is a common one, or `other`. */
export const getStatementLabel = (sql: string): string => {
  const cached = labels.get(sql)
  if (cached !== undefined) return cached
  const word = /^\s*([a-z]+)/i.exec(sql)?.[1]?.toLowerCase() ?? ''
  const label = statements.has(word) ? word : 'other'
  if (labels.size >= maxCachedLabels) labels.clear()
  labels.set(sql, label)
  return label
}

export const observeDatabase = (registry: Registry): Unsubscribe[] => {
  const registers = [registry]
  const queries = createDurationHistogram(registry, {
    name: 'patchbay_database_query_duration_seconds',
    help: 'Time of a statement. With SQLite it includes the wait for the write lock.',
    labelNames: ['pool', 'statement', 'result'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
  })
  const retries = new Counter({
    name: 'patchbay_database_transaction_retries_total',
    help: 'Transactions that were repeated after a conflict.',
    registers,
  })
  const unknown = new Counter({
    name: 'patchbay_database_unknown_commits_total',
    help: 'Transactions whose connection was lost while they were committed.',
    registers,
  })
  const entries = new Counter({
    name: 'patchbay_audit_entries_total',
    help: 'Audit entries that were stored, by action.',
    labelNames: ['action'],
    registers,
  })
  return [
    queryEvents.subscribe(({ pool, sql, seconds, hasFailed }) => {
      const statement = getStatementLabel(sql)
      const result = hasFailed ? 'error' : 'ok'
      queries.observe(`${pool} ${statement} ${result}`, seconds, () => ({ pool, statement, result }))
    }),
    transactionEvents.subscribe((event) => (event.is === 'retried' ? retries : unknown).inc()),
    auditEvents.subscribe(({ action }) => entries.inc({ action })),
  ]
}

/** Adds gauges for the connection pools of an open database. */
export const observePools = (registry: Registry, database: Pick<Database, 'pools'>): void => {
  const createGauge = (name: string, help: string, value: (use: PoolUse) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        for (const use of database.pools()) this.set({ pool: use.pool }, value(use))
      },
    })
  createGauge('patchbay_database_connections_in_use', 'Database connections in use.', ({ inUse }) => inUse)
  createGauge('patchbay_database_connections_max', 'Maximum number of database connections.', ({ max }) => max)
  createGauge(
    'patchbay_database_connections_waiting',
    'Queries and transactions that wait for a database connection.',
    ({ waiting }) => waiting,
  )
}
