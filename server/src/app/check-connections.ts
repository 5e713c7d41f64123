import { createStripeBilling } from '../adapters/billing/stripe-billing.ts'
import { operatorTransport, readBody } from '../adapters/outbound-http/transport.ts'
import { pingRedis } from '../adapters/redis.ts'
import { checkBackupTarget } from '../backup/check-target.ts'
import { createSchedule } from '../backup/scheduled/schedule.ts'
import { createHomerCaptures } from '../call-data/captures/homer-captures.ts'
import { createJaegerTraces } from '../call-data/traces/jaeger-traces.ts'
import type { Configuration } from '../config/configuration.ts'
import { checkDataFolder } from '../config/data-directory.ts'
import { planMigrations } from '../database/migrations.ts'
import type { ClickHouseAddress } from '../config/option-types.ts'
import type { TracingSettings } from '../config/tracing-settings.ts'
import { FatalError } from '../lib/cli.ts'
import { describeFailure, runBounded } from '../resources/system-status/finding.ts'

/** Checks whether the services that a configuration names can be reached, before a server runs with it. */

/** Time limit of each check. All of them run at the same time. */
const timeoutSeconds = 5

export interface ConnectionCheck {
  /** Name of the service, such as "mail server". */
  service: string
  isReachable: boolean
  /** A sentence without secrets. */
  detail: string
}

/** Does what the server does first with the service. Returns a sentence, or rejects. */
type Check = () => Promise<string>

const checkDatabase = async ({ database, dataDir }: Configuration): Promise<string> => {
  if (database.engine === 'sqlite') checkDataFolder(dataDir)
  const { length } = await planMigrations(database)
  return length === 0 ? 'The schema is current.' : `The next start makes ${length} schema changes.`
}

const checkInflux = async (origin: string): Promise<string> => {
  const limits = { timeoutMs: timeoutSeconds * 1000, maxResponseBytes: 64 * 1024 }
  const response = await operatorTransport.send(`${origin}/ping`, { limits })
  await readBody(response)
  if (response.status > 299) throw new Error(`InfluxDB answered with status ${response.status}`)
  return 'InfluxDB responds.'
}

const checkClickHouse = async (address: ClickHouseAddress): Promise<string> => {
  const { createClickHouse } = await import('../call-data/clickhouse/clickhouse.ts')
  const clickHouse = await createClickHouse(address)
  try {
    const [row] = await clickHouse.query<{ version: string }>('SELECT version() AS version', {})
    return `ClickHouse ${row?.version} responds.`
  } finally {
    await clickHouse.close()
  }
}

/** Jaeger responds with 404 for a trace that does not exist. */
const checkJaeger = async (base: string): Promise<string> => {
  await createJaegerTraces(base, timeoutSeconds).read('f'.repeat(32))
  return 'Jaeger responds.'
}

/** Exports no spans, which a receiver accepts, and which shows whether it accepts the credentials. */
const checkTraceReceiver = async (settings: TracingSettings): Promise<string> => {
  const { checkReceiver } = await import('../tracing/span-exporter.ts')
  await checkReceiver({ ...settings, timeoutMs: timeoutSeconds * 1000 })
  return 'The receiver accepts exports.'
}

const listChecks = (configuration: Configuration): [string, Check][] => {
  const { redis, timeSeries, clickHouse, jaeger, homer, smtp, publicUrl, backups, billing, tracingExport } =
    configuration
  const checks: [string, Check | null][] = [
    ['database', () => checkDatabase(configuration)],
    ['Redis server', redis && (() => pingRedis(redis).then(() => 'Redis responds.'))],
    ['InfluxDB server', timeSeries === null ? null : () => checkInflux(timeSeries)],
    ['ClickHouse server', clickHouse && (() => checkClickHouse(clickHouse))],
    ['Jaeger server', jaeger === null ? null : () => checkJaeger(jaeger)],
    [
      'Homer server',
      homer &&
        (async () => {
          await createHomerCaptures(homer, { timeoutSeconds }).check?.()
          return 'Homer accepts the credentials.'
        }),
    ],
    [
      'mail server',
      smtp &&
        (async () => {
          const { createSmtpMail } = await import('../adapters/mail/smtp.ts')
          await createSmtpMail(smtp, publicUrl, timeoutSeconds * 1000).check?.()
          return 'The mail server accepts connections.'
        }),
    ],
    [
      'backup target',
      backups &&
        (async () => {
          await createSchedule(backups.schedule, backups.timeZone)
          return checkBackupTarget(backups.target, configuration.outgoing.vendorAddresses)
        }),
    ],
    [
      'Stripe',
      billing &&
        (() =>
          createStripeBilling(billing)
            .check()
            .then(() => 'Stripe accepts the key.')),
    ],
    ['receiver of traces', tracingExport && (() => checkTraceReceiver(tracingExport))],
  ]
  return checks.flatMap(([service, check]) => (check ? [[service, check] as [string, Check]] : []))
}

const run = async ([service, check]: [string, Check]): Promise<ConnectionCheck> => {
  try {
    return { service, isReachable: true, detail: await runBounded(check, timeoutSeconds)() }
  } catch (error) {
    // A FatalError is a message for the operator. Other messages can repeat credentials.
    const detail = error instanceof FatalError ? error.message : describeFailure(error, service)
    return { service, isReachable: false, detail }
  }
}

/** Checks the database and every configured service concurrently. Each check ends after 5 seconds. */
export const checkConnections = (configuration: Configuration): Promise<ConnectionCheck[]> =>
  Promise.all(listChecks(configuration).map(run))
