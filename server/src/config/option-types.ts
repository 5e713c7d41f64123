/** The types of configuration values that modules of several layers share. */

/** The address of a MySQL or MariaDB server. */

export interface MysqlAddress {
  engine: 'mysql'
  url: string
  /** The size of the connection pool. */
  connections: number
  /** The CA certificate in PEM format. If set, connections require TLS and a certificate that this CA has signed. */
  ca?: string
  /**
   * Seconds after which the server ends a statement. If it does not, its host has disappeared, and the connection is closed
   * two seconds later. Idle connections are closed too, and opened again when they are needed. Queries wait as long for a
   * connection. Default: no limit, for statements that may take hours, such as migrations.
   */
  responseTimeoutSeconds?: number
}

export type DatabaseAddress = { engine: 'sqlite'; file: string } | MysqlAddress

/** A ClickHouse server and the limit of data that waits for it. */
export interface ClickHouseAddress {
  /** Origin, without credentials. */
  url: string
  username: string
  password: string
  database: string
  /** Bytes in the data folder, per table, that wait until ClickHouse is available. */
  maxSpoolBytes: number
}

/** The storage limits of an account. 0 means unlimited. */
export interface AccountQuotas {
  /** Records of each kind per UTC day. */
  callDataRowsPerDay: number
  /** Bytes of recordings in the data directory, including those waiting for an upload. */
  recordingBytes: number
}

/** The credentials that writers of call data authenticate with. Writers are programs, never web pages. */
export interface Credentials {
  username: string
  password: string
}

/** Origins that replace the hosts of vendors, by host name. A key can start with `*.` for one arbitrary label. */
export type VendorAddresses = Readonly<Record<string, string>>

/** The addresses that outgoing requests can connect to. */
export interface OutgoingNetwork {
  /** Non-public networks that tenants can name nevertheless, such as `10.0.0.0/8`. */
  privateNetworks: readonly string[]
  vendorAddresses: VendorAddresses
}

/**
 * The rate limit of API requests: counted by IP address first, and by caller once the request is authenticated
 * (draft-ietf-httpapi-ratelimit-headers-03, docs/reference/platform-api/conventions.md#rate-limits).
 */
export interface RateLimit {
  /** Requests of one caller per window. */
  max: number
  /** Requests from one IP address per window. Many callers can share an address. */
  maxOfAddress: number
  windowSeconds: number
}
