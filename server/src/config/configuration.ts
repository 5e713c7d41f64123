import { withoutTrailingSlashes } from '@patchbay/contract/shared/trailing-slashes'
import { isEmail } from '@patchbay/contract/identity/emails'
import { isSid } from '@patchbay/contract/values'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { withDataDirErrors, makeDataFolder, writeFileAtomic } from './data-directory.ts'
import type { DatabaseAddress, Credentials, AccountQuotas, OutgoingNetwork, RateLimit } from './option-types.ts'
import { isNetwork } from '../lib/ip-networks.ts'
import { FatalError } from '../lib/cli.ts'

/** Every setting is an environment variable, read here once. docs/configuration.md lists them. */

export class InvalidConfigurationError extends FatalError {}

const port = z.coerce.number({ error: 'must be a port number' }).int().min(0).max(65535)
const positive = z.coerce.number({ error: 'must be a number' }).int().min(1)
const days = z.coerce.number({ error: 'must be a number of days' }).int().min(0)
const onOff = z
  .enum(['true', 'false', '1', '0', ''], { error: 'must be true or false' })
  .transform((value) => value === 'true' || value === '1')

const intakeAddress = z
  .string()
  .regex(/^(?:[^:\s]+:)?\d{1,5}$/, { error: 'must be a port, or host:port; 0 turns it off' })

const isDatabaseUrl = (url: string): boolean =>
  URL.canParse(url) && ['mysql:', 'mariadb:'].includes(new URL(url).protocol) && new URL(url).pathname.length > 1

const isPublicUrl = (url: string): boolean => URL.canParse(url) && /^https?:\/\/[^?#@]+$/.test(url)

/** Without a query: in it nodemailer takes settings, one of which believes any certificate. */
const isSmtpUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== '' && url.search === ''
}

/** `name@host` or `Name <name@host>` */
const isSender = (text: string): boolean => isEmail(/^[^<>]*<([^<>]+)>$/.exec(text)?.[1] ?? text)

const itemsOf = (list: string): string[] =>
  list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

const addressesIn = (list: string): Record<string, string> =>
  Object.fromEntries(itemsOf(list).map((item) => [item.split('=')[0] ?? '', item.split('=').slice(1).join('=')]))

const isAddressOf = ([host, origin]: [string, string]): boolean =>
  /^(?:\*\.)?[a-z0-9.-]+$/.test(host) && /^https?:$/.test(URL.parse(origin)?.protocol ?? '')

/** Of a service that is called: `https://host/path`, without the last slash. */
const baseAddress = (standard: string) =>
  z
    .string()
    .refine(isPublicUrl, { error: `must be an address, as ${standard}` })
    .default(standard)
    .transform((base) => withoutTrailingSlashes(base))

const environment = z.object({
  PORT: port.optional(),
  HTTP_PORT: port.optional(),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z
    .string()
    .refine(isDatabaseUrl, { error: 'must be mysql://user:password@host:port/database' })
    .optional(),
  DATABASE_CA_FILE: z.string().optional(),
  DATABASE_CONNECTIONS: positive.default(10),
  JWT_SECRET: z.string().optional(),
  ENCRYPTION_SECRET: z.string().min(16, { error: 'must be at least 16 characters long' }).optional(),
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
  INTAKE_INFLUX: intakeAddress.optional(),
  INTAKE_OTLP: intakeAddress.optional(),
  AWS_REGION: z
    .string()
    .regex(/^[a-z\d-]+$/, { error: 'must be a region, as us-east-1' })
    .optional(),
  AWS_IDENTITY_FOR_SPEECH: onOff.default(false),
  JAEGER_BASE_URL: z
    .string()
    .refine(isPublicUrl, { error: "must be the address of Jaeger's query service, as http://jaeger:16686" })
    .optional(),
  INTAKE_HEP: intakeAddress.optional(),
  HOMER_BASE_URL: z
    .string()
    .refine(isPublicUrl, { error: 'must be the address of Homer, as http://homer:9080' })
    .optional(),
  HOMER_USERNAME: z.string().optional(),
  HOMER_PASSWORD: z.string().optional(),
  INTAKE_USERNAME: z.string().min(1).optional(),
  INTAKE_PASSWORD: z.string().min(1).optional(),
  JAMBONES_TIME_SERIES_HOST: z
    .string()
    .regex(/^(?:\[[0-9a-fA-F:]+\]|[\w.-]+)(?::\d{1,5})?$/, { error: 'must be a host, or host:port' })
    .optional(),
  JAMBONZ_RECORD_WS_USERNAME: z.string().min(1).optional(),
  JAMBONES_RECORD_WS_USERNAME: z.string().min(1).optional(),
  JAMBONZ_RECORD_WS_PASSWORD: z.string().min(1).optional(),
  JAMBONES_RECORD_WS_PASSWORD: z.string().min(1).optional(),
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
  JAMBONES_REDIS_PASSWORD: z.string().optional(),
  JAMBONES_REDIS_SENTINELS: z
    .string()
    .regex(/^[^:,\s]+(:\d{1,5})?(,\s*[^:,\s]+(:\d{1,5})?)*$/, { error: 'must be host:port, separated by commas' })
    .optional(),
  JAMBONES_REDIS_SENTINEL_MASTER_NAME: z.string().optional(),
  JAMBONES_REDIS_SENTINEL_USERNAME: z.string().optional(),
  JAMBONES_REDIS_SENTINEL_PASSWORD: z.string().optional(),
  JAMBONES_REDIS_SENTINEL_SERVER_PASSWORD: z.string().optional(),
  ENABLE_JAMBONES_REDIS_TLS: onOff.default(false),
  JAMBONES_REDIS_TLS_CA_FILE: z.string().optional(),
  JAMBONES_REDIS_TLS_KEY_FILE: z.string().optional(),
  JAMBONES_REDIS_TLS_CERT_FILE: z.string().optional(),
  JAMBONES_CLUSTER_ID: z.string().default('default'),
  JAMBONES_API_VERSION: z
    .string()
    .regex(/^[\w.-]+$/, { error: 'must be a part of a path, as v1' })
    .default('v1'),
  K8S: z.string().default(''),
  K8S_FEATURE_SERVER_SERVICE_NAME: z
    .string()
    .regex(/^[\w.-]+$/, { error: 'must be a host' })
    .optional(),
  K8S_FEATURE_SERVER_SERVICE_PORT: port.default(3000),
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
  PUBLIC_URL: z
    .string()
    .refine(isPublicUrl, { error: 'must be the address of the console, as https://host' })
    .optional(),
  JAMBONES_HOSTING: z.string().default(''),
  DEFAULT_SERVICE_PROVIDER_SID: z
    .string()
    .refine(isSid, { error: 'must be the sid of a service provider' })
    .default('2708b1b3-2736-40ea-b502-c53d8396247f'),
  TERMS_URL: z
    .string()
    .refine(isPublicUrl, { error: 'must be the address of a page, as https://host/terms' })
    .default('https://jambonz.org/terms'),
  PRIVACY_URL: z
    .string()
    .refine(isPublicUrl, { error: 'must be the address of a page, as https://host/privacy' })
    .default('https://jambonz.org/privacy'),
  SMTP_URL: z
    .string()
    .refine(isSmtpUrl, { error: 'must be smtp://user:password@host:port, or smtps://, without a query' })
    .optional(),
  SMTP_CA_FILE: z.string().optional(),
  RESERVED_SUBDOMAINS: z
    .string()
    .default('')
    .transform((list) => itemsOf(list.toLowerCase()))
    .refine((names) => names.every((name) => /^[a-z0-9-]{1,63}$/.test(name)), {
      error: 'must be subdomains such as partner, separated by commas',
    }),
  PRIVATE_NETWORKS: z
    .string()
    .default('')
    .transform(itemsOf)
    .refine((list) => list.every(isNetwork), { error: 'must be networks such as 10.0.0.0/8, separated by commas' }),
  VENDOR_ADDRESSES: z
    .string()
    .default('')
    .transform((list) => addressesIn(list))
    .refine((addresses) => Object.entries(addresses).every(isAddressOf), {
      error: 'must be host=origin, as api.deepgram.com=http://127.0.0.1:9000, separated by commas',
    }),
  STRIPE_API_KEY: z.string().optional(),
  STRIPE_WEBHOOK_SECRET: z.string().optional(),
  STRIPE_PUBLISHABLE_KEY: z.string().optional(),
  STRIPE_BASE_URL: z
    .string()
    .refine(isPublicUrl, { error: 'must be the address of Stripe, as https://api.stripe.com/v1' })
    .default('https://api.stripe.com/v1'),
  STRIPE_JS_URL: z
    .string()
    .refine(isPublicUrl, { error: 'must be the address of the script, as https://js.stripe.com/endive/stripe.js' })
    .default('https://js.stripe.com/endive/stripe.js'),
  GOOGLE_OAUTH_CLIENT_ID: z.string().min(1).optional(),
  GOOGLE_OAUTH_CLIENT_SECRET: z.string().min(1).optional(),
  GOOGLE_OAUTH_ISSUER: baseAddress('https://accounts.google.com'),
  GITHUB_CLIENT_ID: z.string().min(1).optional(),
  GITHUB_CLIENT_SECRET: z.string().min(1).optional(),
  GITHUB_BASE_URL: baseAddress('https://github.com'),
  GITHUB_API_URL: baseAddress('https://api.github.com'),
  DME_BASE_URL: baseAddress('https://api.dnsmadeeasy.com/V2.0'),
  DME_API_KEY: z.string().min(1).optional(),
  DME_API_SECRET: z.string().min(1).optional(),
  MAIL_FROM: z.string().refine(isSender, { error: 'must be name@host, or Name <name@host>' }).optional(),
})

type Environment = z.output<typeof environment>

/** The platform's Redis, addressed as its other components address it (api/4-calls-and-hosted.md §4). */
export interface RedisAddress {
  at:
    | { host: string; port: number }
    | { sentinels: { host: string; port: number }[]; name: string; sentinelPassword?: string }
  /** of the Redis server itself, also behind Sentinels */
  username?: string
  password?: string
  /** PEM texts */
  tls?: { ca?: string; key?: string; cert?: string }
}

export interface SmtpAddress {
  /** smtp: or smtps:, with user and password where the server wants them */
  url: string
  /** who may sign its certificate, PEM, instead of those whom Node knows */
  ca?: string
  /** whom mails are from */
  from: string
}

/** Stripe, and how it knows us and we know it. */
export interface StripeAccess {
  /** as `https://api.stripe.com` */
  origin: string
  key: string
  /** signs what it tells us */
  webhookSecret: string
}

/** Patchbay as a client of one who knows who people are. */
export interface SignInProviderSettings {
  /** where it is: of Google the issuer */
  base: string
  /** of its API, where that is elsewhere */
  api: string
  /** told everybody */
  clientId: string
  clientSecret: string
  /** the page where people consent */
  authorizeUrl: string
}

/** A DNS Made Easy account, in whose zones SIP realms get their records. */
export interface DnsSettings {
  /** as `https://api.dnsmadeeasy.com/V2.0` */
  base: string
  key: string
  secret: string
}

/** A platform's Homer, where captured SIP is read. */
export interface HomerAddress {
  /** as `http://homer:9080` */
  base: string
  username: string
  password: string
}

/** The platform's feature servers, which have the calls (api/4-calls-and-hosted.md §3.1). */
export interface FeatureServers {
  /** names the set of those that are at work, in Redis */
  cluster: string
  /** the one address of them all, in place of that set; null: there is none */
  service: string | null
  /** in the paths of their API */
  version: string
}

/** Where an intake listens, and what writers must send. */
export interface IntakeAddress {
  host: string
  port: number
  credentials?: Credentials
}

export interface Configuration {
  host: string
  port: number
  dataDir: string
  database: DatabaseAddress
  jwtSecret: string
  encryptionSecret: string
  /** the platform's components encrypt in their older way */
  legacyCrypto: boolean
  /** of one token, and of a session however often it is renewed */
  sessionSeconds: number
  longestSessionSeconds: number
  signIn: { attempts: number; windowSeconds: number }
  rateLimit: RateLimit | null
  /** number of proxies in front whose forwarding headers are believed */
  trustedProxies: number
  requestTimeoutSeconds: number
  /** where call records and alerts are written to, where traces are, and captured SIP; null: nowhere */
  influxIntake: IntakeAddress | null
  otlpIntake: IntakeAddress | null
  hepIntake: IntakeAddress | null
  /** the origin of the platform's InfluxDB, where call records and alerts are read from instead; null: they are kept here */
  timeSeries: string | null
  /** the platform's Jaeger, where traces are read from instead; null: traces are kept here */
  jaeger: string | null
  /** where the platform runs at Amazon, and CloudWatch has its logs */
  awsRegion: string | null
  /** whether speech services at AWS may use the server's own identity, to assume a role or directly */
  awsIdentityForSpeech: boolean
  /** where captured SIP is read from instead; null: it is kept here */
  homer: HomerAddress | null
  /** who may send recordings; without credentials writers of this machine alone, and nobody where others reach the server */
  recordSocket: { credentials: Credentials } | { host: string } | null
  /** how much each account may store */
  accountQuotas: AccountQuotas
  /** days that call data is kept; 0: for ever */
  callDataDays: number
  /** days that the audit trail is kept; 0: for ever */
  auditTrailDays: number
  /** null: sessions and counters live in the database, and nobody is registered */
  redis: RedisAddress | null
  featureServers: FeatureServers
  logLevel: string
  /** what config.json tells the console; null: the same host */
  apiBase: string | null
  /** the console offers limits of minutes and of licenses, too */
  accountLimits: boolean
  /** an account's own users and keys may make so many carriers, gateways and numbers, and no more */
  createLimits: boolean
  /** accounts change no carriers and gateways, not even their own, and add no phone numbers */
  adminCarriers: boolean
  /** bits that the netmask of a SIP gateway has at least */
  minNetmask: number
  /** the console offers it */
  callRecording: boolean
  /** speech services of one's own can be added in the console, and such of vendors that not every platform has */
  customSpeech: boolean
  additionalSpeechVendors: boolean
  /** the console shows traces of calls */
  tracing: boolean
  /** the console offers verbs in place of the calling webhook's first answer */
  initialApplication: boolean
  /** the console's menu has it */
  outboundRouting: boolean
  /** the console offers the default application of a carrier to all, not to admins alone */
  defaultTrunkRouting: boolean
  /** who forgot the password may be sent a link; it leads to `publicUrl`, whatever host a request names. null: switched off */
  passwordReset: { publicUrl: string } | null
  /** where people reach the console; null: nobody has said */
  publicUrl: string | null
  /** visitors may register, and their accounts are of this provider; null: only who runs the installation makes accounts */
  hosting: { serviceProvider: string; termsUrl: string; privacyUrl: string } | null
  /** subdomains that accounts may not choose, beside the built-in ones; in lowercase */
  reservedSubdomains: readonly string[]
  /** null: mails stand in the log */
  smtp: SmtpAddress | null
  /** who takes the customers' money, with the key that browsers have of it; null: nothing is sold */
  billing: (StripeAccess & { publishableKey: string | null; scriptUrl: string }) | null
  /** by whom people may sign in; null: not by this one */
  signInProviders: { google: SignInProviderSettings | null; github: SignInProviderSettings | null }
  /** null: SIP realms get no records */
  dns: DnsSettings | null
  /** what of the addresses that tenants name may be called, and where vendors are found */
  outgoing: OutgoingNetwork
}

const loopback = new Set(['127.0.0.1', '::1', 'localhost'])

const influxPort = 8086

const timeSeriesOf = ({ JAMBONES_TIME_SERIES_HOST: at }: Environment): string | null =>
  at === undefined ? null : `http://${/:\d+$/.test(at) ? at : `${at}:${influxPort}`}`

const intakeOf = (
  env: Environment,
  variable: 'INTAKE_INFLUX' | 'INTAKE_OTLP' | 'INTAKE_HEP',
  given: string,
): IntakeAddress | null => {
  const [portText = '0', host = '127.0.0.1'] = given.split(':').reverse()
  if (Number(portText) === 0) return null
  const { INTAKE_USERNAME: username, INTAKE_PASSWORD: password } = env
  if ((username === undefined) !== (password === undefined))
    throw new InvalidConfigurationError('INTAKE_USERNAME and INTAKE_PASSWORD must be set together, or neither of them.')
  const credentials = username !== undefined && password !== undefined ? { username, password } : undefined
  if (!loopback.has(host) && credentials === undefined)
    throw new InvalidConfigurationError(
      `${variable} listens on ${host}, which other machines reach: set INTAKE_USERNAME and INTAKE_PASSWORD as well.`,
    )
  return { host, port: Number(portText), ...(credentials ? { credentials } : {}) }
}

/** The platform's components know both spellings (api/4-calls-and-hosted.md §2.8). */
const recordSocketOf = (env: Environment): Configuration['recordSocket'] => {
  const username = env.JAMBONZ_RECORD_WS_USERNAME ?? env.JAMBONES_RECORD_WS_USERNAME
  const password = env.JAMBONZ_RECORD_WS_PASSWORD ?? env.JAMBONES_RECORD_WS_PASSWORD
  if ((username === undefined) !== (password === undefined))
    throw new InvalidConfigurationError(
      'JAMBONZ_RECORD_WS_USERNAME and JAMBONZ_RECORD_WS_PASSWORD must be set together, or neither of them.',
    )
  if (username !== undefined && password !== undefined) return { credentials: { username, password } }
  // Behind a proxy the whole world comes from this machine.
  return loopback.has(env.HOST) && env.JAMBONES_TRUST_PROXY === 0 ? { host: env.HOST } : null
}

const textOf = (variable: string, file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new InvalidConfigurationError(`${variable} names ${file}, which cannot be read.`)
  }
}

/** The database's library compares a certificate with names alone. */
const databaseCa = (url: string, file: string | undefined): { ca?: string } => {
  if (file === undefined) return {}
  if (isIP(new URL(url).hostname.replace(/^\[|\]$/g, '')) !== 0)
    throw new InvalidConfigurationError('DATABASE_URL must give the database by the name in its certificate.')
  return { ca: textOf('DATABASE_CA_FILE', file) }
}

const redisTls = (env: Environment): Pick<RedisAddress, 'tls'> => {
  if (!env.ENABLE_JAMBONES_REDIS_TLS) return {}
  const { JAMBONES_REDIS_TLS_CA_FILE: ca, JAMBONES_REDIS_TLS_KEY_FILE: key, JAMBONES_REDIS_TLS_CERT_FILE: cert } = env
  return {
    tls: {
      ...(ca ? { ca: textOf('JAMBONES_REDIS_TLS_CA_FILE', ca) } : {}),
      ...(key ? { key: textOf('JAMBONES_REDIS_TLS_KEY_FILE', key) } : {}),
      ...(cert ? { cert: textOf('JAMBONES_REDIS_TLS_CERT_FILE', cert) } : {}),
    },
  }
}

const signInOf = (username?: string, password?: string): Pick<RedisAddress, 'username' | 'password'> => ({
  ...(username ? { username } : {}),
  ...(password ? { password } : {}),
})

const sentinelOf = (text: string): { host: string; port: number } => {
  const [host = '', portText = '26379'] = text.trim().split(':')
  return { host, port: Number(portText) }
}

/** Sentinels win over a host where both are set, as in the platform's own components. */
const redisOf = (env: Environment): RedisAddress | null => {
  const { JAMBONES_REDIS_SENTINELS: sentinels, JAMBONES_REDIS_SENTINEL_MASTER_NAME: name } = env
  if (sentinels !== undefined) {
    if (name === undefined)
      throw new InvalidConfigurationError(
        'JAMBONES_REDIS_SENTINEL_MASTER_NAME must be set together with JAMBONES_REDIS_SENTINELS.',
      )
    const sentinelPassword = env.JAMBONES_REDIS_SENTINEL_SERVER_PASSWORD
    return {
      at: { sentinels: sentinels.split(',').map(sentinelOf), name, ...(sentinelPassword ? { sentinelPassword } : {}) },
      ...signInOf(env.JAMBONES_REDIS_SENTINEL_USERNAME, env.JAMBONES_REDIS_SENTINEL_PASSWORD),
      ...redisTls(env),
    }
  }
  if (env.JAMBONES_REDIS_HOST === undefined) return null
  return {
    at: { host: env.JAMBONES_REDIS_HOST, port: env.JAMBONES_REDIS_PORT },
    ...signInOf(env.JAMBONES_REDIS_USERNAME, env.JAMBONES_REDIS_PASSWORD),
    ...redisTls(env),
  }
}

const featureServersOf = (env: Environment): FeatureServers => {
  const { K8S_FEATURE_SERVER_SERVICE_NAME: name, K8S_FEATURE_SERVER_SERVICE_PORT: at } = env
  if (env.K8S !== '' && name === undefined)
    throw new InvalidConfigurationError('K8S_FEATURE_SERVER_SERVICE_NAME must be set together with K8S.')
  return {
    cluster: env.JAMBONES_CLUSTER_ID,
    service: env.K8S === '' ? null : `http://${name}:${at}`,
    version: env.JAMBONES_API_VERSION,
  }
}

const homerOf = ({ HOMER_BASE_URL: base, HOMER_USERNAME: username, HOMER_PASSWORD: password }: Environment) => {
  if (base === undefined) return null
  if (username === undefined || password === undefined)
    throw new InvalidConfigurationError('HOMER_USERNAME and HOMER_PASSWORD must be set together with HOMER_BASE_URL.')
  return { base: withoutTrailingSlashes(base), username, password }
}

const publicUrlOf = ({ PUBLIC_URL: url }: Environment): string | null =>
  url === undefined ? null : withoutTrailingSlashes(url)

const passwordResetOf = (env: Environment): Configuration['passwordReset'] => {
  if (!env.ENABLE_FORGOT_PASSWORD) return null
  const publicUrl = publicUrlOf(env)
  if (publicUrl === null)
    throw new InvalidConfigurationError(
      'PUBLIC_URL must be set together with ENABLE_FORGOT_PASSWORD: links lead there.',
    )
  return { publicUrl }
}

const hostingOf = (env: Environment): Configuration['hosting'] =>
  env.JAMBONES_HOSTING === ''
    ? null
    : { serviceProvider: env.DEFAULT_SERVICE_PROVIDER_SID, termsUrl: env.TERMS_URL, privacyUrl: env.PRIVACY_URL }

const smtpOf = ({ SMTP_URL: url, SMTP_CA_FILE: ca, MAIL_FROM: from }: Environment): SmtpAddress | null => {
  if (url === undefined) return null
  if (from === undefined) throw new InvalidConfigurationError('MAIL_FROM must be set together with SMTP_URL.')
  return { url, from, ...(ca ? { ca: textOf('SMTP_CA_FILE', ca) } : {}) }
}

const billingOf = (env: Environment): Configuration['billing'] => {
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

const together = <T>(variables: readonly [string, string], values: readonly [T?, T?]): [T, T] | null => {
  const [first, second] = values
  if ((first === undefined) !== (second === undefined))
    throw new InvalidConfigurationError(`${variables.join(' and ')} must be set together, or neither of them.`)
  return first !== undefined && second !== undefined ? [first, second] : null
}

const googleOf = (env: Environment): SignInProviderSettings | null => {
  const client = together(
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

const githubOf = (env: Environment): SignInProviderSettings | null => {
  const client = together(
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

const dnsOf = (env: Environment): DnsSettings | null => {
  const account = together(['DME_API_KEY', 'DME_API_SECRET'], [env.DME_API_KEY, env.DME_API_SECRET])
  return account && { base: env.DME_BASE_URL, key: account[0], secret: account[1] }
}

const minSecretLength = 16

/** Whether a secret is so short that it may be guessed. */
export const isShortSecret = (secret: string): boolean => secret.length < minSecretLength

const secretsFile = z.object({ jwt: z.string().min(16), encryption: z.string().min(16) })

/** The error quotes nothing of it, as JSON.parse would. */
const secretsIn = (file: string): z.output<typeof secretsFile> => {
  const text = readFileSync(file, 'utf8')
  try {
    return secretsFile.parse(JSON.parse(text))
  } catch {
    throw new InvalidConfigurationError(
      `${file} is damaged. Put back a copy of it: without it stored credentials cannot be read.`,
    )
  }
}

/** The embedded installation makes its own secrets once and keeps them beside its database. */
const keptSecrets = (dataDir: string): z.output<typeof secretsFile> => {
  const file = join(dataDir, 'secrets.json')
  makeDataFolder(dataDir)
  return withDataDirErrors(dataDir, () => {
    if (existsSync(file)) return secretsIn(file)
    const made = { jwt: randomBytes(32).toString('base64url'), encryption: randomBytes(32).toString('base64url') }
    writeFileAtomic(file, `${JSON.stringify(made, null, 2)}\n`)
    return made
  })
}

const secretsOf = (env: Environment, dataDir: string): { jwt: string; encryption: string } => {
  const { JWT_SECRET: jwt, ENCRYPTION_SECRET: encryption } = env
  // One of a platform cannot be changed without losing what it encrypts: it is warned of when Patchbay starts.
  if (jwt !== undefined && env.DATABASE_URL === undefined && isShortSecret(jwt))
    throw new InvalidConfigurationError(`JWT_SECRET: must be at least ${minSecretLength} characters long.`)
  // On a platform ENCRYPTION_SECRET is often unset and JWT_SECRET encrypts (api/1-identity.md §15).
  if (jwt !== undefined) return { jwt, encryption: encryption ?? jwt }
  if (env.DATABASE_URL !== undefined)
    throw new InvalidConfigurationError(
      'JWT_SECRET must be set together with DATABASE_URL: all processes on one database share it.',
    )
  const kept = keptSecrets(dataDir)
  return { jwt: kept.jwt, encryption: encryption ?? kept.encryption }
}

const parse = (variables: NodeJS.ProcessEnv): Environment => {
  // An empty variable is an unset one, as shells and compose files write it.
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  const parsed = environment.safeParse(given)
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
  throw new InvalidConfigurationError(`Patchbay cannot start with these settings:\n${lines.join('\n')}`)
}

export const readConfiguration = (variables: NodeJS.ProcessEnv): Configuration => {
  const env = parse(variables)
  const dataDir = resolve(env.DATA_DIR)
  const secrets = secretsOf(env, dataDir)
  return {
    host: env.HOST,
    port: env.PORT ?? env.HTTP_PORT ?? 3000,
    dataDir,
    database:
      env.DATABASE_URL === undefined
        ? { engine: 'sqlite', file: join(dataDir, 'patchbay.sqlite') }
        : {
            engine: 'mysql',
            url: env.DATABASE_URL.replace(/^mariadb:/, 'mysql:'),
            connections: env.DATABASE_CONNECTIONS,
            ...databaseCa(env.DATABASE_URL, env.DATABASE_CA_FILE),
          },
    jwtSecret: secrets.jwt,
    encryptionSecret: secrets.encryption,
    legacyCrypto: env.LEGACY_CRYPTO !== '',
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
    requestTimeoutSeconds: env.REQUEST_TIMEOUT_SECONDS,
    influxIntake: intakeOf(
      env,
      'INTAKE_INFLUX',
      env.INTAKE_INFLUX ?? (env.JAMBONES_TIME_SERIES_HOST ? '0' : String(influxPort)),
    ),
    otlpIntake: intakeOf(env, 'INTAKE_OTLP', env.INTAKE_OTLP ?? (env.JAEGER_BASE_URL ? '0' : '4318')),
    hepIntake: intakeOf(env, 'INTAKE_HEP', env.INTAKE_HEP ?? (env.HOMER_BASE_URL ? '0' : '9060')),
    timeSeries: timeSeriesOf(env),
    jaeger: env.JAEGER_BASE_URL ?? null,
    awsRegion: env.AWS_REGION ?? null,
    awsIdentityForSpeech: env.AWS_IDENTITY_FOR_SPEECH,
    homer: homerOf(env),
    redis: redisOf(env),
    featureServers: featureServersOf(env),
    recordSocket: recordSocketOf(env),
    accountQuotas: {
      callDataRowsPerDay: env.ACCOUNT_CALL_DATA_ROWS_PER_DAY,
      recordingBytes: env.ACCOUNT_RECORDINGS_MAX_MB * 1024 * 1024,
    },
    callDataDays: env.CALL_DATA_DAYS,
    auditTrailDays: env.AUDIT_TRAIL_DAYS,
    logLevel: env.LOG_LEVEL,
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
    passwordReset: passwordResetOf(env),
    publicUrl: publicUrlOf(env),
    hosting: hostingOf(env),
    reservedSubdomains: env.RESERVED_SUBDOMAINS,
    smtp: smtpOf(env),
    billing: billingOf(env),
    signInProviders: { google: googleOf(env), github: githubOf(env) },
    dns: dnsOf(env),
    outgoing: { privateNetworks: env.PRIVATE_NETWORKS, vendorAddresses: env.VENDOR_ADDRESSES },
  }
}
