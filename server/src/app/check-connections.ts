import { createStripeBilling } from '../adapters/billing/stripe-billing.ts'
import { operatorTransport } from '../adapters/outbound-http/transport.ts'
import { pingRedis } from '../adapters/redis.ts'
import { checkBackupTarget } from '../backup/check-target.ts'
import { createSchedule } from '../backup/scheduled/schedule.ts'
import { createHomerCaptures } from '../call-data/captures/homer-captures.ts'
import { createJaegerTraces } from '../call-data/traces/jaeger-traces.ts'
import type { Configuration } from '../config/configuration.ts'
import { checkDataFolder } from '../config/data-directory.ts'
import type { ClickHouseAddress } from '../config/option-types.ts'
import type { DnsSettings } from '../config/settings/dns-settings.ts'
import type { SignInProviderSettings } from '../config/settings/sign-in-provider-settings.ts'
import type { TracingSettings } from '../config/settings/tracing-settings.ts'
import { describeFoundKey, findEncryptionKey } from '../database/encryption-check.ts'
import { planMigrations } from '../database/migrations.ts'
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

const checkDatabase = async (configuration: Configuration): Promise<string> => {
  const { database, dataDir } = configuration
  if (database.engine === 'sqlite') checkDataFolder(dataDir)
  const sentences: string[] = []
  const { length } = await planMigrations(database, async (db, tables) => {
    const found = await findEncryptionKey(db, tables, configuration)
    sentences.push(...describeFoundKey(found, configuration))
  })
  return [
    length === 0 ? 'The schema is current.' : `The next start makes ${length} schema changes.`,
    ...sentences,
  ].join(' ')
}

/** Requests a page without credentials. Rejects if the status of the response is larger than `maxStatus`. */
const requestPage = async (url: string, maxStatus = 299): Promise<void> => {
  const limits = { timeoutMs: timeoutSeconds * 1000, maxResponseBytes: 64 * 1024 }
  const { status, body } = await operatorTransport.send(url, { limits })
  body.destroy()
  if (status > maxStatus) throw new Error(`${url} answered with status ${status}`)
}

/** Largest status of a service that responds, although it has no page at a URL. */
const maxClientError = 499

const checkInflux = async (origin: string): Promise<string> => {
  await requestPage(`${origin}/ping`)
  return 'InfluxDB responds.'
}

/** Reads the domains, which needs the credentials. */
const checkDns = async (settings: DnsSettings): Promise<string> => {
  const { createDnsMadeEasy } = await import('../adapters/dns/dns-made-easy.ts')
  await createDnsMadeEasy(settings, { seconds: timeoutSeconds }).findZone('realm.invalid')
  return 'DNS Made Easy accepts the key.'
}

/** The secret of the client is used at a sign-in only, so the check finds wrong addresses and closed networks. */
const checkGoogle = async ({ base }: SignInProviderSettings): Promise<string> => {
  await requestPage(`${base}/.well-known/openid-configuration`)
  return 'Google responds. The credentials are used at a sign-in only.'
}

const checkGithub = async ({ base, api }: SignInProviderSettings): Promise<string> => {
  await Promise.all([requestPage(base, maxClientError), requestPage(api, maxClientError)])
  return 'GitHub responds. The credentials are used at a sign-in only.'
}

const checkCloudWatch = async (region: string): Promise<string> => {
  const { createCloudWatchLogs } = await import('../call-data/logs/cloudwatch-logs.ts')
  await createCloudWatchLogs(region, timeoutSeconds).check()
  return `CloudWatch in ${region} accepts the credentials.`
}

/** A service of Kubernetes. Without one, the feature servers register their addresses in Redis. */
const checkFeatureServers = async (base: string): Promise<string> => {
  await requestPage(base, maxClientError)
  return 'The service of the feature servers responds.'
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
  const { redis, timeSeries, clickHouse, jaeger, homer, awsRegion, smtp, publicUrl, backups } = configuration
  const { billing, dns, featureServers, signInProviders, tracingExport } = configuration
  const { google, github } = signInProviders
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
    ['DNS provider', dns && (() => checkDns(dns))],
    ['sign-in with Google', google && (() => checkGoogle(google))],
    ['sign-in with GitHub', github && (() => checkGithub(github))],
    ['CloudWatch service', awsRegion === null ? null : () => checkCloudWatch(awsRegion)],
    [
      'feature server',
      featureServers.service === null ? null : () => checkFeatureServers(featureServers.service ?? ''),
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
