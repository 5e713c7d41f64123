import { z } from 'zod'
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.ts'
import { InvalidConfigurationError } from '../invalid-configuration.ts'
import type { ClickHouseAddress } from '../option-types.ts'
import { days, markSecret, positive, publicUrl, type Values } from './schemas.ts'

/** The settings of the servers that store call data, and the days for which it is kept. */

/** A database without a user name has the user `default`. */
const isClickHouseUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && /^\/[\w-]+$/.test(url.pathname) && url.search === ''
}

export const callDataVariables = {
  JAMBONES_TIME_SERIES_HOST: z
    .string()
    .regex(/^(?:\[[0-9a-fA-F:]+\]|[\w.-]+)(?::\d{1,5})?$/, { error: 'must be a host, or host:port' })
    .optional()
    .describe(
      "host[:port] of the platform's InfluxDB 1.x, default port 8086. Call records and alerts are read " +
        'there and not stored by Patchbay. Do not set it to the address of Patchbay',
    ),
  CLICKHOUSE_URL: markSecret(
    z
      .string()
      .refine(isClickHouseUrl, { error: 'must be http://user:password@host:port/database, or https://' })
      .optional()
      .describe(
        'ClickHouse that stores call records, traces, log lines, and captured SIP, such as ' +
          '`http://user:password@clickhouse:8123/patchbay`, or `https://`. The database must exist ([how ' +
          'to](../how-to/store-call-data-in-clickhouse.md)). Not together with `JAMBONES_TIME_SERIES_HOST`',
      ),
  ),
  CLICKHOUSE_SPOOL_MAX_MB: positive
    .default(1024)
    .describe(
      'MiB (compressed) that each process keeps in `DATA_DIR` for each of these kinds of data while ' +
        'ClickHouse is unavailable. Beyond it, senders get 503',
    ),
  JAEGER_BASE_URL: publicUrl("the address of Jaeger's query service, such as http://jaeger:16686")
    .optional()
    .describe("Query service of the platform's Jaeger, such as `http://jaeger:16686`. Traces are read there"),
  HOMER_BASE_URL: publicUrl('the address of Homer, such as http://homer:9080')
    .optional()
    .describe("The platform's Homer, such as `http://homer:9080`. Captured SIP is read there"),
  HOMER_USERNAME: z.string().optional().describe('Name of a user of that Homer. Required with `HOMER_BASE_URL`'),
  HOMER_PASSWORD: markSecret(z.string().optional().describe('Password of that user. Required with `HOMER_BASE_URL`')),
  AWS_REGION: z
    .string()
    .regex(/^[a-z\d-]+$/, { error: 'must be a region such as us-east-1' })
    .optional()
    .describe(
      'Region of a platform at AWS. Log lines of calls are read from CloudWatch, with the credentials ' +
        'that AWS libraries find by themselves',
    ),
  CALL_DATA_DAYS: days
    .default(0)
    .describe('Days that call data is kept in the database and in `DATA_DIR`. 0: without limit'),
  AUDIT_TRAIL_DAYS: days.default(365).describe('Days that the audit trail is kept. 0: without limit'),
}

type CallDataEnvironment = Values<typeof callDataVariables>

/** The port of InfluxDB. */
export const influxPort = 8086

const getTimeSeriesOrigin = ({ JAMBONES_TIME_SERIES_HOST: at }: CallDataEnvironment): string | null =>
  at === undefined ? null : `http://${/:\d+$/.test(at) ? at : `${at}:${influxPort}`}`

const getClickHouse = (env: CallDataEnvironment): ClickHouseAddress | null => {
  if (env.CLICKHOUSE_URL === undefined) return null
  if (env.JAMBONES_TIME_SERIES_HOST !== undefined)
    throw new InvalidConfigurationError(
      'CLICKHOUSE_URL and JAMBONES_TIME_SERIES_HOST cannot be set together: call data is either stored in ClickHouse or read from the InfluxDB of the platform.',
    )
  const { origin, username, password, pathname } = new URL(env.CLICKHOUSE_URL)
  return {
    url: origin,
    username: decodeURIComponent(username) || 'default',
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    maxSpoolBytes: env.CLICKHOUSE_SPOOL_MAX_MB * 1024 * 1024,
  }
}

/** The Homer installation of jambonz, which stores captured SIP. */
export type HomerAddress = NonNullable<ReturnType<typeof getHomerAddress>>

const getHomerAddress = (env: CallDataEnvironment) => {
  const { HOMER_BASE_URL: base, HOMER_USERNAME: username, HOMER_PASSWORD: password } = env
  if (base === undefined) return null
  if (username === undefined || password === undefined)
    throw new InvalidConfigurationError('HOMER_USERNAME and HOMER_PASSWORD must be set together with HOMER_BASE_URL.')
  return { base: withoutTrailingSlashes(base), username, password }
}

export const getCallDataSettings = (env: CallDataEnvironment) => ({
  /**
   * Origin of the InfluxDB of jambonz, from which call records and alerts are read. Null if the database stores them.
   */
  timeSeries: getTimeSeriesOrigin(env),
  /** The ClickHouse that stores call records. Null if the database stores them. */
  clickHouse: getClickHouse(env),
  /** Base URL of the Jaeger of jambonz, from which traces are read. Null if the database stores them. */
  jaeger: env.JAEGER_BASE_URL ?? null,
  /** Homer, from which captured SIP is read. Null if the database stores it. */
  homer: getHomerAddress(env),
  /** AWS region, if jambonz runs at Amazon and CloudWatch stores its logs. */
  awsRegion: env.AWS_REGION ?? null,
  /** Days that call data is stored. 0 means without limit. */
  callDataDays: env.CALL_DATA_DAYS,
  /** Days that the audit trail is stored. 0 means without limit. */
  auditTrailDays: env.AUDIT_TRAIL_DAYS,
})
