import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import { ApiError } from '@patchbay/contract/api/errors'
import type { ClickHouseAddress } from '../../config/option-types.ts'
import { runStatement, StatementError } from './run-statement.ts'

/** Client of ClickHouse with limits of time, rows, and memory for each query. */

/** Values of the parameters that a statement names, such as `{owner:String}`. */
export type Parameters = Readonly<Record<string, string | number | bigint | readonly (string | bigint)[]>>

export interface ClickHouse {
  /**
   * Runs a SELECT and returns its rows. 64-bit integers are strings.
   * @throws ApiError `unavailable` if ClickHouse fails, or if the query exceeds a limit
   * @throws ApiError `client_closed_request` if the signal aborts
   */
  query<Row>(statement: string, parameters: Parameters, signal?: AbortSignal): Promise<Row[]>
  /**
   * Inserts rows as lines of JSON. A repeated insert with the same token has no effect.
   * @throws Error of ClickHouse or of the connection, or the reason of the signal. The rows may have been stored then
   */
  insert(table: string, rows: readonly object[], token: string, signal?: AbortSignal): Promise<void>
  /** Runs another statement. Throws the error of ClickHouse or of the connection. */
  command(statement: string): Promise<void>
  close(): Promise<void>
}

/**
 * Returns values as a list of literals, for a statement. Parameters are a part of the URL, which is too short for many
 * values.
 */
export const quoteAll = (values: Iterable<string>): string =>
  [...values]
    .map((text) => `'${text.replaceAll(/[\\'\0]/g, (character) => (character === '\0' ? '\\0' : `\\${character}`))}'`)
    .join()

const queryTimeoutSeconds = 20
/** Time limit of a statement and its response. ClickHouse itself reports first that a query takes too long. */
const defaultTimeoutMs = queryTimeoutSeconds * 1000 + 2000

/** Limits of a query. A search of a tenant that exceeds them fails, and no other tenant waits for it. */
const readLimits: ClickHouseSettings = {
  // Allows settings, and lets ClickHouse cancel the query when the client disconnects.
  readonly: '2',
  cancel_http_readonly_queries_on_client_close: 1,
  max_execution_time: queryTimeoutSeconds,
  timeout_overflow_mode: 'throw',
  max_rows_to_read: '2000000000',
  max_memory_usage: '2000000000',
  max_result_rows: '100000',
  // Comparisons contain the keys of a batch, which has up to 8 MiB. Each backslash in a text becomes four.
  max_query_size: '64000000',
  output_format_json_quote_64bit_integers: 1,
}

/** TIMEOUT_EXCEEDED, TOO_MANY_ROWS, MEMORY_LIMIT_EXCEEDED, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES */
const limitCodes = new Set(['159', '158', '241', '307', '396'])

const isLimitException = (error: unknown): boolean =>
  error instanceof StatementError && error.code !== undefined && limitCodes.has(error.code)

/** Returns whether a query failed because it exceeds a limit of time, rows, or memory. */
export const exceedsLimit = (error: unknown): boolean => error instanceof ApiError && isLimitException(error.cause)

/** Converts an error of ClickHouse or of the connection to an error of the API. */
export const toApiError = (cause: unknown, signal: AbortSignal | undefined): ApiError => {
  if (signal?.aborted) return new ApiError('client_closed_request')
  const msg = isLimitException(cause)
    ? 'The search reads too much call data. Choose a shorter period or more filters.'
    : 'The call data cannot be reached, please try again'
  return Object.assign(new ApiError('unavailable', { msg }), { cause })
}

/** The client logs the text of failed statements, which can contain data of tenants. Callers report the errors. */
const silentLogger = class {
  trace() {}
  debug() {}
  info() {}
  warn() {}
  error() {}
}

const createStatements = (client: ClickHouseClient, timeoutMs: number): ClickHouse => ({
  async query<Row>(statement: string, parameters: Parameters, signal?: AbortSignal) {
    const text = `${statement}\nFORMAT JSONEachRow`
    try {
      return await runStatement<Row>(client, { text, parameters, settings: readLimits, signal }, timeoutMs)
    } catch (error) {
      throw toApiError(error, signal)
    }
  },
  async insert(table, rows, token, signal) {
    const settings: ClickHouseSettings = {
      insert_deduplication_token: token,
      // A repeated insert also completes the materialized views if the first one failed in between.
      deduplicate_blocks_in_dependent_materialized_views: 1,
      // Clocks of senders can be wrong, and each month has a partition of its own.
      max_partitions_per_insert_block: '0',
    }
    const data = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    const text = `INSERT INTO ${table} FORMAT JSONEachRow`
    await runStatement(client, { text, data, settings, signal }, timeoutMs)
  },
  async command(text) {
    await runStatement(client, { text, settings: {} }, timeoutMs)
  },
  close: () => client.close(),
})

/**
 * Connects to ClickHouse on first use. The client is loaded only here, because most installations do not need it.
 * @param timeoutMs time limit of a statement and its response in milliseconds
 */
export const createClickHouse = async (
  { url, username, password, database }: ClickHouseAddress,
  timeoutMs = defaultTimeoutMs,
): Promise<ClickHouse> => {
  const { createClient } = await import('@clickhouse/client')
  const client = createClient({
    url,
    username,
    password,
    database,
    application: 'patchbay',
    request_timeout: timeoutMs,
    max_open_connections: 10,
    compression: { request: true, response: true },
    log: { LoggerClass: silentLogger },
  })
  return createStatements(client, timeoutMs)
}
