/**
 * Names of the tables on a single server and in a cluster. On a single server, each table has its name. In a cluster, each server has a local table with the
 * rows of its shard, which is replicated, and a distributed table with the name of the table, which all queries and
 * inserts use.
 */

/** Name of the cluster, or null for a single server. */
export type Cluster = string | null

export const quoteName = (name: string): string => `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``

/** Returns the name of the table that contains the rows. */
export const toLocalName = (cluster: Cluster, table: string): string => (cluster === null ? table : `${table}_local`)

/** Returns the clause that runs a statement on all servers, with a space before it. */
export const onCluster = (cluster: Cluster): string => (cluster === null ? '' : ` ON CLUSTER ${quoteName(cluster)}`)

const quoteText = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

/** Returns a system table, with the rows of one replica of each shard. */
export const ofShards = (cluster: Cluster, systemTable: string): string =>
  cluster === null ? systemTable : `cluster(${quoteText(cluster)}, ${systemTable})`

/** Returns a system table, with the rows of all servers. */
export const ofReplicas = (cluster: Cluster, systemTable: string): string =>
  cluster === null ? systemTable : `clusterAllReplicas(${quoteText(cluster)}, ${systemTable})`
