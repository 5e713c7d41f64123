import { withoutTrailingSlashes } from '@patchbay/contract/shared/trailing-slashes'
import { isEmail } from '@patchbay/contract/identity/emails'
import { accountLengths } from '@patchbay/contract/accounts/record'
import { serviceProviderLengths } from '@patchbay/contract/service-providers/record'
import { userLengths } from '@patchbay/contract/users/record'
import { maxPasswordLength } from '@patchbay/contract/users'
import { isSid, name as nameSchema, text as textSchema } from '@patchbay/contract/values'
import { isRegion, isStorageEndpoint } from '@patchbay/contract/recordings/storage'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { type BackupTarget, parseBackupTarget } from './backup-target.ts'
import { getDatabasePath, withDataDirErrors } from './data-directory.ts'
import { InvalidConfigurationError } from './invalid-configuration.ts'
import type {
  AccountQuotas,
  ClickHouseAddress,
  Credentials,
  DatabaseAddress,
  OutgoingNetwork,
  RateLimit,
  VendorAddresses,
} from './option-types.ts'
import { getIntakes, influxPort, intakeVariables, type IntakeSettings, loopback } from './intake-settings.ts'
import { resolveSecretFiles } from './secret-files.ts'
import { type EncryptionSecret, getSecrets, listEncryptionSecrets, type Secrets } from './secrets.ts'
import { isPublicUrl, markSecret, onOff, positive, secretSettings, splitList } from './setting-schemas.ts'
import { getTracingSettings, type TracingSettings, tracingVariables } from './tracing-settings.ts'
import { isNetwork } from '../lib/ip-networks.ts'

/** Reads the configuration from environment variables, once. docs/reference/configuration.md lists them. */

const port = z.coerce.number({ error: 'must be a port number' }).int().min(0).max(65535)
const days = z.coerce.number({ error: 'must be a number of days' }).int().min(0)

/** Query parameters are rejected, because a library would read settings such as `ssl` from them, and Patchbay does not. */
const isDatabaseUrl = (text: string): boolean => {
  const url = URL.parse(text)
  const isComplete = url !== null && url.pathname.length > 1 && url.search === ''
  // Name and password are decoded, so a percent sign must be encoded.
  return isComplete && ['mysql:', 'mariadb:'].includes(url.protocol) && !/%(?![\da-f]{2})/i.test(text)
}

/** A database without a user name has the user `default`. */
const isClickHouseUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && /^\/[\w-]+$/.test(url.pathname) && url.search === ''
}

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/**
 * Query parameters are rejected because nodemailer reads settings from them, one of which disables certificate checks.
 */
const isSmtpUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== '' && url.search === ''
}

/** `name@host` or `Name <name@host>` */
const isSender = (text: string): boolean => isEmail(/^[^<>]*<([^<>]+)>$/.exec(text)?.[1] ?? text)

const parseAddressList = (list: string): Record<string, string> =>
  Object.fromEntries(splitList(list).map((item) => [item.split('=')[0] ?? '', item.split('=').slice(1).join('=')]))

const isVendorAddress = ([host, origin]: [string, string]): boolean =>
  /^(?:\*\.)?[a-z0-9.-]+$/.test(host) && /^https?:$/.test(URL.parse(origin)?.protocol ?? '')

/** Base URL of an external service, such as `https://host/path`. A trailing slash is removed. */
const baseAddress = (defaultAddress: string) =>
  z
    .string()
    .refine(isPublicUrl, { error: `must be an address such as ${defaultAddress}` })
    .default(defaultAddress)
    .transform((base) => withoutTrailingSlashes(base))

const networkList = z
  .string()
  .transform(splitList)
  .refine((list) => list.every(isNetwork), { error: 'must be networks such as 10.0.0.0/8, separated by commas' })

const environment = z.object({
  PORT: port.optional(),
  HTTP_PORT: port.optional(),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: markSecret(
    z.string().refine(isDatabaseUrl, { error: 'must be mysql://user:password@host:port/database' }).optional(),
  ),
  DATABASE_CA_FILE: z.string().optional(),
  DATABASE_CONNECTIONS: positive.default(10),
  JWT_SECRET: markSecret(z.string().optional()),
  ENCRYPTION_SECRET: markSecret(z.string().min(16, { error: 'must be at least 16 characters long' }).optional()),
  BACKUP_PASSPHRASE: markSecret(z.string().min(12, { error: 'must be at least 12 characters long' }).optional()),
  BACKUP_TARGET: z.string().optional(),
  BACKUP_SCHEDULE: z
    .string()
    .regex(/^\S+(?: +\S+){4}$/, { error: 'must be five fields of cron, such as 0 2 * * *' })
    .optional(),
  BACKUP_TIME_ZONE: z
    .string()
    .refine(isTimeZone, { error: 'must be a time zone such as Europe/Berlin' })
    .default('UTC'),
  BACKUP_KEEP: positive.default(7),
  BACKUP_KEEP_DAYS: days.default(0),
  BACKUP_S3_ACCESS_KEY_ID: z.string().optional(),
  BACKUP_S3_SECRET_ACCESS_KEY: markSecret(z.string().optional()),
  BACKUP_S3_REGION: z.string().refine(isRegion, { error: 'must be a region such as us-east-1' }).optional(),
  BACKUP_S3_ENDPOINT: z
    .string()
    .refine(isStorageEndpoint, { error: 'must be a URL that starts with http:// or https://' })
    .optional(),
  BACKUP_AZURE_CONNECTION_STRING: markSecret(z.string().optional()),
  BACKUP_GOOGLE_SERVICE_KEY: markSecret(z.string().optional()),
  JWT_EXPIRES_IN: positive.default(60),
  SESSION_MAX_HOURS: positive.default(24),
  LOGIN_ATTEMPTS_MAX_RETRIES: positive.default(6),
  LOGIN_ATTEMPTS_TIME: positive.default(1800),
  RATE_LIMIT_WINDOWS_MINS: positive.default(5),
  RATE_LIMIT_MAX_PER_WINDOW: positive.default(3000),
  RATE_LIMIT_MAX_PER_ADDRESS: positive.optional(),
  DISABLE_RATE_LIMITS: onOff.default(false),
  JAMBONES_TRUST_PROXY: z.coerce.number({ error: 'must be a number of proxies' }).int().min(0).default(0),
  REQUEST_TIMEOUT_SECONDS: positive.default(30),
  SHUTDOWN_DELAY_SECONDS: z.coerce.number({ error: 'must be a number of seconds' }).int().min(0).max(300).default(0),
  ...intakeVariables,
  TRACE_CALL_ATTRIBUTES: z
    .string()
    .max(1000, { error: 'must be at most 1000 characters long' })
    .default('call_sid,sip.call_id')
    .transform(splitList),
  AWS_REGION: z
    .string()
    .regex(/^[a-z\d-]+$/, { error: 'must be a region such as us-east-1' })
    .optional(),
  AWS_IDENTITY_FOR_SPEECH: onOff.default(false),
  JAEGER_BASE_URL: z
    .string()
    .refine(isPublicUrl, { error: "must be the address of Jaeger's query service, such as http://jaeger:16686" })
    .optional(),
  HOMER_BASE_URL: z
    .string()
    .refine(isPublicUrl, { error: 'must be the address of Homer, such as http://homer:9080' })
    .optional(),
  HOMER_USERNAME: z.string().optional(),
  HOMER_PASSWORD: markSecret(z.string().optional()),
  JAMBONES_TIME_SERIES_HOST: z
    .string()
    .regex(/^(?:\[[0-9a-fA-F:]+\]|[\w.-]+)(?::\d{1,5})?$/, { error: 'must be a host, or host:port' })
    .optional(),
  CLICKHOUSE_URL: markSecret(
    z
      .string()
      .refine(isClickHouseUrl, { error: 'must be http://user:password@host:port/database, or https://' })
      .optional(),
  ),
  CLICKHOUSE_SPOOL_MAX_MB: positive.default(1024),
  JAMBONZ_RECORD_WS_USERNAME: z.string().min(1).optional(),
  JAMBONES_RECORD_WS_USERNAME: z.string().min(1).optional(),
  JAMBONZ_RECORD_WS_PASSWORD: markSecret(z.string().min(1).optional()),
  JAMBONES_RECORD_WS_PASSWORD: markSecret(z.string().min(1).optional()),
  ACCOUNT_CALL_DATA_ROWS_PER_DAY: z.coerce
    .number({ error: 'must be a number of rows' })
    .int()
    .min(0)
    .default(10_000_000),
  ACCOUNT_RECORDINGS_MAX_MB: z.coerce.number({ error: 'must be a number of megabytes' }).int().min(0).default(102_400),
  CALL_DATA_DAYS: days.default(0),
  AUDIT_TRAIL_DAYS: days.default(365),
  JAMBONES_REDIS_HOST: z.string().optional(),
  JAMBONES_REDIS_PORT: port.default(6379),
  JAMBONES_REDIS_USERNAME: z.string().optional(),
  JAMBONES_REDIS_PASSWORD: markSecret(z.string().optional()),
  JAMBONES_REDIS_SENTINELS: z
    .string()
    .regex(/^[^:,\s]+(:\d{1,5})?(,\s*[^:,\s]+(:\d{1,5})?)*$/, { error: 'must be host:port, separated by commas' })
    .optional(),
  JAMBONES_REDIS_SENTINEL_MASTER_NAME: z.string().optional(),
  JAMBONES_REDIS_SENTINEL_USERNAME: z.string().optional(),
  JAMBONES_REDIS_SENTINEL_PASSWORD: markSecret(z.string().optional()),
  JAMBONES_REDIS_SENTINEL_SERVER_PASSWORD: markSecret(z.string().optional()),
  ENABLE_JAMBONES_REDIS_TLS: onOff.default(false),
  JAMBONES_REDIS_TLS_CA_FILE: z.string().optional(),
  JAMBONES_REDIS_TLS_KEY_FILE: z.string().optional(),
  JAMBONES_REDIS_TLS_CERT_FILE: z.string().optional(),
  JAMBONES_CLUSTER_ID: z.string().default('default'),
  OPTIONS_PING_TTL: positive.default(300),
  JAMBONES_API_VERSION: z
    .string()
    .regex(/^[\w.-]+$/, { error: 'must be a part of a path such as v1' })
    .default('v1'),
  K8S: z.string().default(''),
  K8S_FEATURE_SERVER_SERVICE_NAME: z
    .string()
    .regex(/^[\w.-]+$/, { error: 'must be a host' })
    .optional(),
  K8S_FEATURE_SERVER_SERVICE_PORT: port.default(3000),
  ACCESS_LOG: onOff.default(false),
  METRICS_PORT: port.default(0),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PROVIDERS: z.coerce
    .number({ error: 'must be a number of service providers' })
    .int()
    .min(0)
    .max(1000)
    .default(0),
  ...tracingVariables,
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  CONSOLE_API_BASE: z.string().optional(),
  ACCOUNT_LIMITS: onOff.default(false),
  APPLY_JAMBONZ_DB_LIMITS: z.string().default(''),
  JAMBONES_ADMIN_CARRIER: onOff.default(false),
  LEGACY_CRYPTO: z.string().default(''),
  JAMBONZ_MIN_GATEWAY_NETMASK: z.coerce.number({ error: 'must be a number of bits' }).int().min(0).max(32).default(0),
  DISABLE_CALL_RECORDING: onOff.default(false),
  DISABLE_ADDITIONAL_SPEECH_VENDORS: onOff.default(false),
  DISABLE_CUSTOM_SPEECH: onOff.default(false),
  DISABLE_INITIAL_APPLICATION: onOff.default(false),
  DISABLE_JAEGER_TRACING: onOff.default(false),
  DISABLE_LCR: onOff.default(false),
  DISABLE_DEFAULT_TRUNK_ROUTING: onOff.default(false),
  ENABLE_FORGOT_PASSWORD: onOff.default(false),
  PASSWORD_REJECT_COMMON: onOff.default(true),
  PUBLIC_URL: z
    .string()
    .refine(isPublicUrl, { error: 'must be the address of the console, such as https://host' })
    .optional(),
  JAMBONES_HOSTING: z.string().default(''),
  DEFAULT_SERVICE_PROVIDER_SID: z
    .string()
    .refine(isSid, { error: 'must be the sid of a service provider' })
    .default('2708b1b3-2736-40ea-b502-c53d8396247f'),
  TERMS_URL: z
    .string()
    .refine(isPublicUrl, { error: 'must be the address of a page, such as https://host/terms' })
    .default('https://jambonz.org/terms'),
  PRIVACY_URL: z
    .string()
    .refine(isPublicUrl, { error: 'must be the address of a page, such as https://host/privacy' })
    .default('https://jambonz.org/privacy'),
  SMTP_URL: markSecret(
    z
      .string()
      .refine(isSmtpUrl, { error: 'must be smtp://user:password@host:port, or smtps://, without a query' })
      .optional(),
  ),
  SMTP_CA_FILE: z.string().optional(),
  RESERVED_SUBDOMAINS: z
    .string()
    .default('')
    .transform((list) => splitList(list.toLowerCase()))
    .refine((names) => names.every((name) => /^[a-z0-9-]{1,63}$/.test(name)), {
      error: 'must be subdomains such as partner, separated by commas',
    }),
  TRUSTED_NETWORKS: networkList.optional(),
  PRIVATE_NETWORKS: networkList.prefault(''),
  VENDOR_ADDRESSES: z
    .string()
    .default('')
    .transform((list) => parseAddressList(list))
    .refine((addresses) => Object.entries(addresses).every(isVendorAddress), {
      error: 'must be host=origin, such as api.deepgram.com=http://127.0.0.1:9000, separated by commas',
    }),
  STRIPE_API_KEY: markSecret(z.string().optional()),
  STRIPE_WEBHOOK_SECRET: markSecret(z.string().optional()),
  STRIPE_PUBLISHABLE_KEY: z.string().optional(),
  STRIPE_BASE_URL: z
    .string()
    .refine(isPublicUrl, { error: 'must be the address of Stripe, such as https://api.stripe.com/v1' })
    .default('https://api.stripe.com/v1'),
  STRIPE_JS_URL: z
    .string()
    .refine(isPublicUrl, { error: 'must be the address of the script, such as https://js.stripe.com/endive/stripe.js' })
    .default('https://js.stripe.com/endive/stripe.js'),
  GOOGLE_OAUTH_CLIENT_ID: z.string().min(1).optional(),
  GOOGLE_OAUTH_CLIENT_SECRET: markSecret(z.string().min(1).optional()),
  GOOGLE_OAUTH_ISSUER: baseAddress('https://accounts.google.com'),
  GITHUB_CLIENT_ID: z.string().min(1).optional(),
  GITHUB_CLIENT_SECRET: markSecret(z.string().min(1).optional()),
  GITHUB_BASE_URL: baseAddress('https://github.com'),
  GITHUB_API_URL: baseAddress('https://api.github.com'),
  PAGERDUTY_EVENTS_URL: baseAddress('https://events.pagerduty.com'),
  DME_BASE_URL: baseAddress('https://api.dnsmadeeasy.com/V2.0'),
  DME_API_KEY: markSecret(z.string().min(1).optional()),
  DME_API_SECRET: markSecret(z.string().min(1).optional()),
  PATCHBAY_INIT_ADMIN_NAME: nameSchema(userLengths.name).default('admin'),
  PATCHBAY_INIT_ADMIN_PASSWORD: markSecret(textSchema(maxPasswordLength).optional()),
  PATCHBAY_INIT_PROVIDER: nameSchema(serviceProviderLengths.name).optional(),
  PATCHBAY_INIT_ACCOUNT: nameSchema(accountLengths.name).optional(),
  PATCHBAY_INIT_API_KEY: markSecret(
    z.string().refine(isSid, { error: 'must be a UUID, such as the output of uuidgen' }).optional(),
  ),
  MAIL_FROM: z.string().refine(isSender, { error: 'must be name@host, or Name <name@host>' }).optional(),
})

/** The names of all settings. */
export const settingNames: readonly string[] = Object.keys(environment.shape)

/** The names of the settings that are secret or contain a secret. Each can also be given as `NAME_FILE`. */
export const secretNames: readonly string[] = Object.entries(environment.shape)
  .filter(([, schema]) => secretSettings.has(schema))
  .map(([name]) => name)

/** The default values by the name of the setting. Settings without a value by default are absent. */
export const defaultValues: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(environment.shape).flatMap(([name, schema]) => {
    const { data } = schema.safeParse(undefined)
    const isPlain = typeof data === 'string' || typeof data === 'number' || typeof data === 'boolean'
    return isPlain && data !== '' ? [[name, String(data)]] : []
  }),
)

type Environment = z.output<typeof environment>

/**
 * The Redis of jambonz, configured like the other components of jambonz
 * (docs/reference/platform-api/live-calls.md#redis-keys).
 */
export interface RedisAddress {
  at:
    | { host: string; port: number }
    | { sentinels: { host: string; port: number }[]; name: string; sentinelPassword?: string }
  /** Credentials of the Redis server, including one behind Sentinels. */
  username?: string
  password?: string
  /** PEM. */
  tls?: { ca?: string; key?: string; cert?: string }
}

export interface SmtpAddress {
  /** `smtp:` or `smtps:` URL, with user and password if the server needs them. */
  url: string
  /** PEM of the authority that signed the server's certificate. Default: the authorities that Node trusts. */
  ca?: string
  /** Sender address. */
  from: string
}

/** Address and credentials of Stripe. */
export interface StripeAccess {
  /** For example `https://api.stripe.com`. */
  origin: string
  key: string
  /** Secret that signs webhook events. */
  webhookSecret: string
}

/** Client settings of an identity provider. */
export interface SignInProviderSettings {
  /** Base URL of the provider. For Google it is the issuer. */
  base: string
  /** Base URL of the provider's API, which differs from `base` for GitHub. */
  api: string
  /** Public. */
  clientId: string
  clientSecret: string
  /** URL of the consent page. */
  authorizeUrl: string
}

/** A DNS Made Easy account for the DNS records of SIP realms. */
export interface DnsSettings {
  /** For example `https://api.dnsmadeeasy.com/V2.0`. */
  base: string
  key: string
  secret: string
}

/** The Homer installation of jambonz, which stores captured SIP. */
export interface HomerAddress {
  /** For example `http://homer:9080`. */
  base: string
  username: string
  password: string
}

/** The feature servers of jambonz, which run the calls (docs/reference/platform-api/live-calls.md#feature-servers). */
export interface FeatureServers {
  /** Cluster name, the prefix of the Redis set that lists the active feature servers. */
  cluster: string
  /** Single address of all feature servers, used instead of the set. Null if there is none. */
  service: string | null
  /** Version in the paths of the feature servers' API. */
  version: string
}

/** Replaces the defaults of what the first start with a new database creates. */
export interface InitialSetup {
  /** Sign-in name of the administrator. */
  adminName: string
  /** Undefined if the password is random, and must be changed at the first sign-in. */
  adminPassword?: string | undefined
  /** Name of the service provider. */
  provider?: string | undefined
  /** Name of the account. */
  account?: string | undefined
  /** An API key with the permissions of an administrator. */
  apiKey?: string | undefined
}

/** When and where backups are written, and which ones are kept. */
export interface ScheduledBackupSettings {
  /** A folder, or a prefix in an object storage. */
  target: BackupTarget
  /** Five fields of cron, in the time zone. */
  schedule: string
  timeZone: string
  /** The number of newest backups that are kept. */
  keep: number
  /** Backups of this many days are kept in addition. */
  keepDays: number
}

export interface Configuration extends IntakeSettings {
  host: string
  port: number
  dataDir: string
  database: DatabaseAddress
  initialSetup: InitialSetup
  /** Null if no backups are scheduled. */
  backups: ScheduledBackupSettings | null
  jwtSecret: string
  /** Encrypts stored credentials. Until `openInstallation` has proven one, it is the one that the settings select. */
  encryptionSecret: string
  /** True if the components of jambonz use their older encryption. */
  legacyCrypto: boolean
  /** All known secrets with which stored credentials can be encrypted. */
  encryptionSecrets: Secrets['encryption']
  /** Text of a `secrets.json` that has to be stored before its secrets are used, or null. */
  newSecretsFile: string | null
  /** Lifetime of a token, and the maximum duration of a session, however often its token is renewed. */
  sessionSeconds: number
  longestSessionSeconds: number
  signIn: { attempts: number; windowSeconds: number }
  rateLimit: RateLimit | null
  /** Number of proxies whose forwarding headers are trusted. */
  trustedProxies: number
  /**
   * Networks from which the open endpoints of the platform's API answer without a token. Null means loopback and the
   * stored private networks.
   */
  trustedNetworks: readonly string[] | null
  requestTimeoutSeconds: number
  /** Seconds between the failing readiness check and the end of listening. */
  shutdownDelaySeconds: number
  /** Names of span attributes that name a call. */
  traceCallAttributes: readonly string[]
  /**
   * Origin of the InfluxDB of jambonz, from which call records and alerts are read. Null if the database stores them.
   */
  timeSeries: string | null
  /** The ClickHouse that stores call records. Null if the database stores them. */
  clickHouse: ClickHouseAddress | null
  /** Base URL of the Jaeger of jambonz, from which traces are read. Null if the database stores them. */
  jaeger: string | null
  /** AWS region, if jambonz runs at Amazon and CloudWatch stores its logs. */
  awsRegion: string | null
  /** Whether AWS speech services may use the server's own identity, directly or to assume a role. */
  awsIdentityForSpeech: boolean
  /** Homer, from which captured SIP is read. Null if the database stores it. */
  homer: HomerAddress | null
  /**
   * Credentials for sending recordings. Without them, only local processes can send recordings. Null if that cannot be
   * ensured because the server is reachable from other machines.
   */
  recordSocket: { credentials: Credentials } | { host: string } | null
  /** Storage limits of each account. */
  accountQuotas: AccountQuotas
  /** Days that call data is stored. 0 means without limit. */
  callDataDays: number
  /** Days that the audit trail is stored. 0 means without limit. */
  auditTrailDays: number
  /** Null if sessions and counters are stored in the database, and registrations of SIP users are unavailable. */
  redis: RedisAddress | null
  featureServers: FeatureServers
  /** Seconds for which the SBCs store that an OPTIONS ping of a gateway failed. */
  pingTtlSeconds: number
  logLevel: string
  /** Whether each request to the console and the API is logged. */
  accessLog: boolean
  /** Address of the metrics, and the number of service providers with figures of their own. Null if disabled. */
  metrics: { host: string; port: number; providers: number } | null
  /** Export of Patchbay's own traces. Null if disabled. */
  tracingExport: TracingSettings | null
  /** API base URL in config.json. Null if the API has the same origin as the console. */
  apiBase: string | null
  /** Whether the console offers limits for minutes and licenses. */
  accountLimits: boolean
  /**
   * Whether an account's limits on the number of carriers, gateways, and phone numbers are enforced for its own users
   * and keys.
   */
  createLimits: boolean
  /** Whether accounts cannot change carriers and gateways, including their own, and cannot add phone numbers. */
  adminCarriers: boolean
  /** Minimum number of bits in the netmask of a SIP gateway. */
  minNetmask: number
  /** Whether the console offers call recording. */
  callRecording: boolean
  /** Whether users can add custom speech services, and vendors that not every jambonz installation supports. */
  customSpeech: boolean
  additionalSpeechVendors: boolean
  /** Whether the console shows call traces. */
  tracing: boolean
  /** Whether the console offers static verbs that replace the calling webhook's first response. */
  initialApplication: boolean
  /** Whether the console offers outbound routing. */
  outboundRouting: boolean
  /** Whether all users can set the default application of a carrier, or only admins. */
  defaultTrunkRouting: boolean
  /** Enables password reset by mail. Links use `publicUrl`, regardless of the host of the request. Null if disabled. */
  passwordReset: { publicUrl: string } | null
  /** Rejects the most common passwords where a person chooses a password. */
  rejectCommonPasswords: boolean
  /** URL of the console. Null if it is not configured. */
  publicUrl: string | null
  /** Base URL of PagerDuty's Events API. */
  pagerDutyUrl: string
  /**
   * Enables registration of visitors. Their accounts belong to this service provider. Null if only operators create
   * accounts.
   */
  hosting: { serviceProvider: string; termsUrl: string; privacyUrl: string } | null
  /** Subdomains that accounts cannot choose, in addition to the built-in ones. Lowercase. */
  reservedSubdomains: readonly string[]
  /** Null if mail is written to the log. */
  smtp: SmtpAddress | null
  /** Payment provider and its publishable key. Null if billing is disabled. */
  billing: (StripeAccess & { publishableKey: string | null; scriptUrl: string }) | null
  /** Identity providers for sign-in. Null for each that is not configured. */
  signInProviders: { google: SignInProviderSettings | null; github: SignInProviderSettings | null }
  /** Null if no DNS records are created for SIP realms. */
  dns: DnsSettings | null
  /** Rules for outgoing requests: private networks that may be called, and replacements for vendors' addresses. */
  outgoing: OutgoingNetwork
}

/** Every day at 02:00. */
const defaultBackupSchedule = '0 2 * * *'

const getPort = ({ PORT, HTTP_PORT }: Environment): number => PORT ?? HTTP_PORT ?? 3000

const getTimeSeriesOrigin = ({ JAMBONES_TIME_SERIES_HOST: at }: Environment): string | null =>
  at === undefined ? null : `http://${/:\d+$/.test(at) ? at : `${at}:${influxPort}`}`

const getClickHouse = (env: Environment): ClickHouseAddress | null => {
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

/** The components of jambonz accept both spellings (docs/reference/platform-api/recordings.md#recording-websocket). */
const getRecordSocket = (env: Environment): Configuration['recordSocket'] => {
  const username = env.JAMBONZ_RECORD_WS_USERNAME ?? env.JAMBONES_RECORD_WS_USERNAME
  const password = env.JAMBONZ_RECORD_WS_PASSWORD ?? env.JAMBONES_RECORD_WS_PASSWORD
  if ((username === undefined) !== (password === undefined))
    throw new InvalidConfigurationError(
      'JAMBONZ_RECORD_WS_USERNAME and JAMBONZ_RECORD_WS_PASSWORD must be set together, or neither of them.',
    )
  if (username !== undefined && password !== undefined) return { credentials: { username, password } }
  // Behind a proxy, every connection comes from this machine.
  return loopback.has(env.HOST) && env.JAMBONES_TRUST_PROXY === 0 ? { host: env.HOST } : null
}

const readTextFile = (variable: string, file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new InvalidConfigurationError(`${variable} names ${file}, which cannot be read.`)
  }
}

/** The MySQL library compares a certificate only with host names. */
const databaseCa = (url: string, file: string | undefined): { ca?: string } => {
  if (file === undefined) return {}
  if (isIP(new URL(url).hostname.replace(/^\[|\]$/g, '')) !== 0)
    throw new InvalidConfigurationError('DATABASE_URL must give the database by the name in its certificate.')
  return { ca: readTextFile('DATABASE_CA_FILE', file) }
}

const redisTls = (env: Environment): Pick<RedisAddress, 'tls'> => {
  const { JAMBONES_REDIS_TLS_CA_FILE: ca, JAMBONES_REDIS_TLS_KEY_FILE: key, JAMBONES_REDIS_TLS_CERT_FILE: cert } = env
  if (!env.ENABLE_JAMBONES_REDIS_TLS) {
    if (ca === undefined && key === undefined && cert === undefined) return {}
    throw new InvalidConfigurationError(
      'ENABLE_JAMBONES_REDIS_TLS must be set together with JAMBONES_REDIS_TLS_CA_FILE, JAMBONES_REDIS_TLS_KEY_FILE, and JAMBONES_REDIS_TLS_CERT_FILE. Without it, the connection to Redis is not encrypted.',
    )
  }
  requireBoth(['JAMBONES_REDIS_TLS_KEY_FILE', 'JAMBONES_REDIS_TLS_CERT_FILE'], [key, cert])
  return {
    tls: {
      ...(ca ? { ca: readTextFile('JAMBONES_REDIS_TLS_CA_FILE', ca) } : {}),
      ...(key ? { key: readTextFile('JAMBONES_REDIS_TLS_KEY_FILE', key) } : {}),
      ...(cert ? { cert: readTextFile('JAMBONES_REDIS_TLS_CERT_FILE', cert) } : {}),
    },
  }
}

const toCredentials = (username?: string, password?: string): Pick<RedisAddress, 'username' | 'password'> => ({
  ...(username ? { username } : {}),
  ...(password ? { password } : {}),
})

const parseSentinel = (text: string): { host: string; port: number } => {
  const [host = '', portText = '26379'] = text.trim().split(':')
  return { host, port: Number(portText) }
}

/** If both Sentinels and a host are configured, Sentinels take precedence, as in the components of jambonz. */
const getRedisAddress = (env: Environment): RedisAddress | null => {
  const { JAMBONES_REDIS_SENTINELS: sentinels, JAMBONES_REDIS_SENTINEL_MASTER_NAME: name } = env
  if (sentinels !== undefined) {
    if (name === undefined)
      throw new InvalidConfigurationError(
        'JAMBONES_REDIS_SENTINEL_MASTER_NAME must be set together with JAMBONES_REDIS_SENTINELS.',
      )
    const sentinelPassword = env.JAMBONES_REDIS_SENTINEL_SERVER_PASSWORD
    return {
      at: {
        sentinels: sentinels.split(',').map(parseSentinel),
        name,
        ...(sentinelPassword ? { sentinelPassword } : {}),
      },
      ...toCredentials(env.JAMBONES_REDIS_SENTINEL_USERNAME, env.JAMBONES_REDIS_SENTINEL_PASSWORD),
      ...redisTls(env),
    }
  }
  if (env.JAMBONES_REDIS_HOST === undefined) return null
  return {
    at: { host: env.JAMBONES_REDIS_HOST, port: env.JAMBONES_REDIS_PORT },
    ...toCredentials(env.JAMBONES_REDIS_USERNAME, env.JAMBONES_REDIS_PASSWORD),
    ...redisTls(env),
  }
}

const getFeatureServers = (env: Environment): FeatureServers => {
  const { K8S_FEATURE_SERVER_SERVICE_NAME: name, K8S_FEATURE_SERVER_SERVICE_PORT: at } = env
  if (env.K8S !== '' && name === undefined)
    throw new InvalidConfigurationError('K8S_FEATURE_SERVER_SERVICE_NAME must be set together with K8S.')
  return {
    cluster: env.JAMBONES_CLUSTER_ID,
    service: env.K8S === '' ? null : `http://${name}:${at}`,
    version: env.JAMBONES_API_VERSION,
  }
}

/** The port of the console and the API is public, and the metrics are not. */
const getMetrics = (env: Environment): Configuration['metrics'] => {
  const { METRICS_PORT: metricsPort, METRICS_HOST: host, METRICS_PROVIDERS: providers } = env
  if (metricsPort === 0) return null
  if (metricsPort === getPort(env))
    throw new InvalidConfigurationError('METRICS_PORT must differ from PORT, because that port is public.')
  return { host, port: metricsPort, providers }
}

const getHomerAddress = ({ HOMER_BASE_URL: base, HOMER_USERNAME: username, HOMER_PASSWORD: password }: Environment) => {
  if (base === undefined) return null
  if (username === undefined || password === undefined)
    throw new InvalidConfigurationError('HOMER_USERNAME and HOMER_PASSWORD must be set together with HOMER_BASE_URL.')
  return { base: withoutTrailingSlashes(base), username, password }
}

const getPublicUrl = ({ PUBLIC_URL: url }: Environment): string | null =>
  url === undefined ? null : withoutTrailingSlashes(url)

const getPasswordReset = (env: Environment): Configuration['passwordReset'] => {
  if (!env.ENABLE_FORGOT_PASSWORD) return null
  const publicUrl = getPublicUrl(env)
  if (publicUrl === null)
    throw new InvalidConfigurationError(
      'PUBLIC_URL must be set together with ENABLE_FORGOT_PASSWORD, because the links in emails start with it.',
    )
  return { publicUrl }
}

const getHosting = (env: Environment): Configuration['hosting'] =>
  env.JAMBONES_HOSTING === ''
    ? null
    : { serviceProvider: env.DEFAULT_SERVICE_PROVIDER_SID, termsUrl: env.TERMS_URL, privacyUrl: env.PRIVACY_URL }

const getSmtpAddress = ({ SMTP_URL: url, SMTP_CA_FILE: ca, MAIL_FROM: from }: Environment): SmtpAddress | null => {
  if (url === undefined) return null
  if (from === undefined) throw new InvalidConfigurationError('MAIL_FROM must be set together with SMTP_URL.')
  return { url, from, ...(ca ? { ca: readTextFile('SMTP_CA_FILE', ca) } : {}) }
}

const getBilling = (env: Environment): Configuration['billing'] => {
  const { STRIPE_API_KEY: key, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_PUBLISHABLE_KEY: publishable } = env
  if (key === undefined) return null
  if (webhookSecret === undefined)
    throw new InvalidConfigurationError('STRIPE_WEBHOOK_SECRET must be set together with STRIPE_API_KEY.')
  return {
    origin: new URL(env.STRIPE_BASE_URL).origin,
    key,
    webhookSecret,
    publishableKey: publishable ?? null,
    scriptUrl: env.STRIPE_JS_URL,
  }
}

const requireBoth = <T>(variables: readonly [string, string], values: readonly [T?, T?]): [T, T] | null => {
  const [first, second] = values
  if ((first === undefined) !== (second === undefined))
    throw new InvalidConfigurationError(`${variables.join(' and ')} must be set together, or neither of them.`)
  return first !== undefined && second !== undefined ? [first, second] : null
}

const getGoogleSettings = (env: Environment): SignInProviderSettings | null => {
  const client = requireBoth(
    ['GOOGLE_OAUTH_CLIENT_ID', 'GOOGLE_OAUTH_CLIENT_SECRET'],
    [env.GOOGLE_OAUTH_CLIENT_ID, env.GOOGLE_OAUTH_CLIENT_SECRET],
  )
  const base = env.GOOGLE_OAUTH_ISSUER
  return (
    client && {
      base,
      api: base,
      clientId: client[0],
      clientSecret: client[1],
      authorizeUrl: `${base}/o/oauth2/v2/auth`,
    }
  )
}

const getGithubSettings = (env: Environment): SignInProviderSettings | null => {
  const client = requireBoth(
    ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
    [env.GITHUB_CLIENT_ID, env.GITHUB_CLIENT_SECRET],
  )
  const base = env.GITHUB_BASE_URL
  return (
    client && {
      base,
      api: env.GITHUB_API_URL,
      clientId: client[0],
      clientSecret: client[1],
      authorizeUrl: `${base}/login/oauth/authorize`,
    }
  )
}

const getDnsSettings = (env: Environment): DnsSettings | null => {
  const account = requireBoth(['DME_API_KEY', 'DME_API_SECRET'], [env.DME_API_KEY, env.DME_API_SECRET])
  return account && { base: env.DME_BASE_URL, key: account[0], secret: account[1] }
}

const parse = (variables: NodeJS.ProcessEnv): Environment => {
  // Shells and compose files write an unset variable as an empty one.
  const assigned = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  const { variables: resolved, problems } = resolveSecretFiles(assigned, secretNames)
  // A compiled parser would be used once, and the text of its code would stay in memory.
  const parsed = environment.safeParse(resolved, { jitless: true })
  if (parsed.success && problems.length === 0) return parsed.data
  const issues = parsed.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? []
  const lines = [...problems, ...issues].map((line) => `  ${line}`)
  throw new InvalidConfigurationError(`Patchbay cannot start with these settings:\n${lines.join('\n')}`)
}

/** The folder and the database of an installation. */
export interface StorageLocation {
  dataDir: string
  database: DatabaseAddress
}

const getStorageLocation = (env: Environment): StorageLocation => {
  // The current folder of a relative path can have been deleted.
  const dataDir = withDataDirErrors(env.DATA_DIR, () => resolve(env.DATA_DIR))
  if (env.DATABASE_URL === undefined) return { dataDir, database: { engine: 'sqlite', file: getDatabasePath(dataDir) } }
  const url = env.DATABASE_URL.replace(/^mariadb:/, 'mysql:')
  const ca = databaseCa(env.DATABASE_URL, env.DATABASE_CA_FILE)
  return { dataDir, database: { engine: 'mysql', url, connections: env.DATABASE_CONNECTIONS, ...ca } }
}

const getScheduledBackups = (env: Environment): ScheduledBackupSettings | null => {
  const { BACKUP_TARGET: target, BACKUP_SCHEDULE: schedule } = env
  if (target === undefined) {
    if (schedule === undefined) return null
    throw new InvalidConfigurationError('BACKUP_TARGET must be set together with BACKUP_SCHEDULE.')
  }
  return {
    target: parseBackupTarget(target, env),
    schedule: schedule ?? defaultBackupSchedule,
    timeZone: env.BACKUP_TIME_ZONE,
    keep: env.BACKUP_KEEP,
    keepDays: env.BACKUP_KEEP_DAYS,
  }
}

export interface BackupSettings {
  location: StorageLocation
  /** Origins that replace the hosts of object storages. */
  vendorAddresses: VendorAddresses
  /** Returns the target that a path or URL names, with the credentials of its storage. */
  parseTarget: (text: string) => BackupTarget
  /** Encrypts new backups, and decrypts existing ones. */
  passphrase: string | undefined
  /** Returns the known secrets with which stored credentials can be encrypted, including those of a restored file. */
  listEncryptionSecrets: () => readonly EncryptionSecret[]
  legacyCrypto: boolean
  /** Whether JWT_SECRET is set, which a server needs with DATABASE_URL. */
  hasJwtSecret: boolean
}

const isLegacyCrypto = ({ LEGACY_CRYPTO }: Environment): boolean => LEGACY_CRYPTO !== ''

/** Reads what the commands for backups need. Unlike `readConfiguration`, it requires no secrets. */
export const readBackupSettings = (variables: NodeJS.ProcessEnv): BackupSettings => {
  const env = parse(variables)
  const location = getStorageLocation(env)
  return {
    location,
    vendorAddresses: env.VENDOR_ADDRESSES,
    parseTarget: (text) => parseBackupTarget(text, env),
    passphrase: env.BACKUP_PASSPHRASE,
    listEncryptionSecrets: () => listEncryptionSecrets(env, location.dataDir),
    legacyCrypto: isLegacyCrypto(env),
    hasJwtSecret: env.JWT_SECRET !== undefined,
  }
}

/** Reads the address of the database only. Unlike `readConfiguration`, it requires no secrets. */
export const readDatabaseAddress = (variables: NodeJS.ProcessEnv): DatabaseAddress =>
  getStorageLocation(parse(variables)).database

/** Reads the configuration of a server. Changes nothing: generated secrets are not stored yet. */
export const readConfiguration = (variables: NodeJS.ProcessEnv): Configuration => {
  const env = parse(variables)
  const { dataDir, database } = getStorageLocation(env)
  const secrets = getSecrets(env, dataDir)
  return {
    host: env.HOST,
    port: getPort(env),
    dataDir,
    database,
    initialSetup: {
      adminName: env.PATCHBAY_INIT_ADMIN_NAME,
      adminPassword: env.PATCHBAY_INIT_ADMIN_PASSWORD,
      provider: env.PATCHBAY_INIT_PROVIDER,
      account: env.PATCHBAY_INIT_ACCOUNT,
      apiKey: env.PATCHBAY_INIT_API_KEY,
    },
    backups: getScheduledBackups(env),
    jwtSecret: secrets.jwt,
    encryptionSecret: secrets.encryption[0].value,
    legacyCrypto: isLegacyCrypto(env),
    encryptionSecrets: secrets.encryption,
    newSecretsFile: secrets.newFile,
    sessionSeconds: env.JWT_EXPIRES_IN * 60,
    longestSessionSeconds: env.SESSION_MAX_HOURS * 3600,
    signIn: { attempts: env.LOGIN_ATTEMPTS_MAX_RETRIES, windowSeconds: env.LOGIN_ATTEMPTS_TIME },
    rateLimit: env.DISABLE_RATE_LIMITS
      ? null
      : {
          max: env.RATE_LIMIT_MAX_PER_WINDOW,
          maxOfAddress: env.RATE_LIMIT_MAX_PER_ADDRESS ?? 4 * env.RATE_LIMIT_MAX_PER_WINDOW,
          windowSeconds: env.RATE_LIMIT_WINDOWS_MINS * 60,
        },
    trustedProxies: env.JAMBONES_TRUST_PROXY,
    trustedNetworks: env.TRUSTED_NETWORKS ?? null,
    requestTimeoutSeconds: env.REQUEST_TIMEOUT_SECONDS,
    shutdownDelaySeconds: env.SHUTDOWN_DELAY_SECONDS,
    ...getIntakes(env),
    traceCallAttributes: env.TRACE_CALL_ATTRIBUTES,
    timeSeries: getTimeSeriesOrigin(env),
    clickHouse: getClickHouse(env),
    jaeger: env.JAEGER_BASE_URL ?? null,
    awsRegion: env.AWS_REGION ?? null,
    awsIdentityForSpeech: env.AWS_IDENTITY_FOR_SPEECH,
    homer: getHomerAddress(env),
    redis: getRedisAddress(env),
    pingTtlSeconds: env.OPTIONS_PING_TTL,
    featureServers: getFeatureServers(env),
    recordSocket: getRecordSocket(env),
    accountQuotas: {
      callDataRowsPerDay: env.ACCOUNT_CALL_DATA_ROWS_PER_DAY,
      recordingBytes: env.ACCOUNT_RECORDINGS_MAX_MB * 1024 * 1024,
    },
    callDataDays: env.CALL_DATA_DAYS,
    auditTrailDays: env.AUDIT_TRAIL_DAYS,
    logLevel: env.LOG_LEVEL,
    accessLog: env.ACCESS_LOG,
    metrics: getMetrics(env),
    tracingExport: getTracingSettings(env),
    apiBase: env.CONSOLE_API_BASE ?? null,
    accountLimits: env.ACCOUNT_LIMITS,
    createLimits: env.APPLY_JAMBONZ_DB_LIMITS !== '',
    adminCarriers: env.JAMBONES_ADMIN_CARRIER,
    minNetmask: env.JAMBONZ_MIN_GATEWAY_NETMASK,
    callRecording: !env.DISABLE_CALL_RECORDING,
    customSpeech: !env.DISABLE_CUSTOM_SPEECH,
    additionalSpeechVendors: !env.DISABLE_ADDITIONAL_SPEECH_VENDORS,
    initialApplication: !env.DISABLE_INITIAL_APPLICATION,
    tracing: !env.DISABLE_JAEGER_TRACING,
    outboundRouting: !env.DISABLE_LCR,
    defaultTrunkRouting: !env.DISABLE_DEFAULT_TRUNK_ROUTING,
    passwordReset: getPasswordReset(env),
    rejectCommonPasswords: env.PASSWORD_REJECT_COMMON,
    publicUrl: getPublicUrl(env),
    pagerDutyUrl: env.PAGERDUTY_EVENTS_URL,
    hosting: getHosting(env),
    reservedSubdomains: env.RESERVED_SUBDOMAINS,
    smtp: getSmtpAddress(env),
    billing: getBilling(env),
    signInProviders: { google: getGoogleSettings(env), github: getGithubSettings(env) },
    dns: getDnsSettings(env),
    outgoing: { privateNetworks: env.PRIVATE_NETWORKS, vendorAddresses: env.VENDOR_ADDRESSES },
  }
}
