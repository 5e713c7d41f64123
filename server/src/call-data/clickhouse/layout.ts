/**
 * Names of the tables on a single server and in a cluster. On a single server, each table has its name. In a cluster, each
 * server has a local table with the rows of its shard, which is replicated, and a distributed table with the name of the
 * table, which all queries and inserts use.
 */

/** A cluster of ClickHouse, or null for a single server. */
export type Cluster = { readonly name: string; readonly database: string } | null

const quoteName = (name: string): string => `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``
const quoteText = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

/** Returns a name for a statement. In a cluster it contains the database, because other servers can have another default. */
export const qualify = (cluster: Cluster, name: string): string =>
  cluster === null ? name : `${quoteName(cluster.database)}.${name}`

/** Returns the name of the table that contains the rows, as system tables have it. */
export const toLocalName = (cluster: Cluster, table: string): string => (cluster === null ? table : `${table}_local`)

/** Returns the table that contains the rows, for a statement. */
export const toLocal = (cluster: Cluster, table: string): string => qualify(cluster, toLocalName(cluster, table))

/** Returns the clause that runs a statement on all servers, with a space before it. */
export const onCluster = (cluster: Cluster): string =>
  cluster === null ? '' : ` ON CLUSTER ${quoteName(cluster.name)}`

/** Returns a system table, with the rows of one replica of each shard. */
export const ofShards = (cluster: Cluster, systemTable: string): string =>
  cluster === null ? systemTable : `cluster(${quoteText(cluster.name)}, ${systemTable})`

/** Returns a system table, with the rows of all servers. */
export const ofReplicas = (cluster: Cluster, systemTable: string): string =>
  cluster === null ? systemTable : `clusterAllReplicas(${quoteText(cluster.name)}, ${systemTable})`

/** Returns the database as an expression, which has the same value on all servers. */
export const databaseName = (cluster: Cluster): string =>
  cluster === null ? 'currentDatabase()' : quoteText(cluster.database)

type Engine = 'MergeTree' | 'AggregatingMergeTree' | 'ReplacingMergeTree'

/** A table that contains rows. */
export interface RowTable {
  name: string
  /** Columns and projections. */
  columns: string
  engine: Engine
  /** Partition and order. */
  order: string
  settings: readonly string[]
  /** Expression that selects the shard of an inserted row. Rows of materialized views stay on the shard of their source. */
  shardBy: string
}

/** Number of recent inserts whose deduplication tokens ClickHouse remembers, per table. */
const rememberedInserts = 10_000

/** Returns the statements that create a table. Servers of a shard replicate it by its path in Keeper. */
export const createTable = (
  cluster: Cluster,
  { name, columns, engine, order, settings, shardBy }: RowTable,
): string[] => {
  const window = cluster === null ? 'non_replicated_deduplication_window' : 'replicated_deduplication_window'
  const all = [`${window} = ${rememberedInserts}`, ...settings].join(', ')
  const local = toLocal(cluster, name)
  const path = `/clickhouse/tables/{shard}/{database}/{table}`
  const engineClause = cluster === null ? engine : `Replicated${engine}('${path}', '{replica}')`
  const rows = `CREATE TABLE IF NOT EXISTS ${local}${onCluster(cluster)} (${columns}) ENGINE = ${engineClause} ${order} SETTINGS ${all}`
  if (cluster === null) return [rows]
  const target = [cluster.name, cluster.database, toLocalName(cluster, name)].map(quoteText).join(', ')
  return [
    rows,
    `CREATE TABLE IF NOT EXISTS ${qualify(cluster, name)}${onCluster(cluster)} AS ${local} ENGINE = Distributed(${target}, ${shardBy})`,
  ]
}

/** A materialized view, which stores a row of a table in another one on the same server. */
export interface View {
  name: string
  target: string
  /** Returns the query that reads from a table. */
  select: (source: string) => string
  source: string
}

/** Returns the statement that creates a view. */
export const createView = (cluster: Cluster, { name, target, select, source }: View): string =>
  `CREATE MATERIALIZED VIEW IF NOT EXISTS ${qualify(cluster, name)}${onCluster(cluster)} TO ${toLocal(cluster, target)} AS
${select(toLocal(cluster, source))}`

/** Returns the statement that creates a small table that all servers have completely. */
export const createSharedTable = (cluster: Cluster, name: string, columns: string, order: string): string => {
  const engine =
    cluster === null
      ? 'MergeTree'
      : `ReplicatedMergeTree('/clickhouse/tables/all/{database}/{table}', '{shard}-{replica}')`
  return `CREATE TABLE IF NOT EXISTS ${qualify(cluster, name)}${onCluster(cluster)} (${columns}) ENGINE = ${engine} ${order}`
}
