/** The statements that create tables and views. */

type Engine = 'MergeTree' | 'AggregatingMergeTree' | 'ReplacingMergeTree'

export interface RowTable {
  name: string
  /** Columns and projections. */
  columns: string
  engine: Engine
  /** Partition and order. */
  order: string
  settings: readonly string[]
}

/** Number of recent inserts whose deduplication tokens ClickHouse remembers, per table. */
const rememberedInserts = 10_000

export const createTable = ({ name, columns, engine, order, settings }: RowTable): string => {
  const all = [`non_replicated_deduplication_window = ${rememberedInserts}`, ...settings].join(', ')
  return `CREATE TABLE IF NOT EXISTS ${name} (${columns}) ENGINE = ${engine} ${order} SETTINGS ${all}`
}

/** A materialized view, which stores a row of a table in another one. */
export interface View {
  name: string
  target: string
  select: string
}

export const createView = ({ name, target, select }: View): string =>
  `CREATE MATERIALIZED VIEW IF NOT EXISTS ${name} TO ${target} AS\n${select}`
