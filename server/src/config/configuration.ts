import { z } from 'zod'
import { InvalidConfigurationError } from './invalid-configuration.ts'
import type { DatabaseAddress } from './option-types.ts'
import { resolveSecretFiles } from './secret-files.ts'
import {
  type BackupSettings,
  backupVariables,
  getBackupSettings,
  getScheduledBackups,
} from './settings/backup-settings.ts'
import { billingVariables, getBillingSettings } from './settings/billing-settings.ts'
import { callDataVariables, getCallDataSettings } from './settings/call-data-settings.ts'
import { consoleVariables, getConsoleSettings } from './settings/console-settings.ts'
import { dnsVariables, getDnsSettings } from './settings/dns-settings.ts'
import { featureServerVariables, getFeatureServerSettings } from './settings/feature-server-settings.ts'
import { getHostingSettings, hostingVariables } from './settings/hosting-settings.ts'
import { getInitialSetup, initialSetupVariables } from './settings/initial-setup-settings.ts'
import { getIntakes, intakeVariables } from './settings/intake-settings.ts'
import { getLimitSettings, limitVariables } from './settings/limit-settings.ts'
import { getSmtpAddress, mailVariables } from './settings/mail-settings.ts'
import { getMetricsSettings, metricsVariables } from './settings/metrics-settings.ts'
import { getOutgoingSettings, outgoingVariables } from './settings/outgoing-settings.ts'
import { getRecordSocket, recordSocketVariables } from './settings/record-socket-settings.ts'
import { getRedisAddress, redisVariables } from './settings/redis-settings.ts'
import { secretSettings } from './settings/schemas.ts'
import { getServerSettings, serverVariables } from './settings/server-settings.ts'
import { getSignInProviders, signInProviderVariables } from './settings/sign-in-provider-settings.ts'
import { getSignInSettings, signInVariables } from './settings/sign-in-settings.ts'
import { getStorageLocation, getStorageSettings, storageVariables } from './settings/storage-settings.ts'
import { getTracingSettings, tracingVariables } from './settings/tracing-settings.ts'

/** Reads the configuration from environment variables, once. docs/reference/configuration.md lists them. */

const environment = z.object({
  ...serverVariables,
  ...metricsVariables,
  ...tracingVariables,
  ...storageVariables,
  ...backupVariables,
  ...initialSetupVariables,
  ...signInVariables,
  ...limitVariables,
  ...intakeVariables,
  ...recordSocketVariables,
  ...callDataVariables,
  ...redisVariables,
  ...featureServerVariables,
  ...outgoingVariables,
  ...mailVariables,
  ...consoleVariables,
  ...hostingVariables,
  ...signInProviderVariables,
  ...dnsVariables,
  ...billingVariables,
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

const parse = (variables: NodeJS.ProcessEnv) => {
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

/** Reads what the commands for backups need. Unlike `readConfiguration`, it requires no secrets. */
export const readBackupSettings = (variables: NodeJS.ProcessEnv): BackupSettings => getBackupSettings(parse(variables))

/** Reads the address of the database only. Unlike `readConfiguration`, it requires no secrets. */
export const readDatabaseAddress = (variables: NodeJS.ProcessEnv): DatabaseAddress =>
  getStorageLocation(parse(variables)).database

export type Configuration = ReturnType<typeof readConfiguration>

/** Reads the configuration of a server. Changes nothing: generated secrets are not stored yet. */
export const readConfiguration = (variables: NodeJS.ProcessEnv) => {
  const env = parse(variables)
  const storage = getStorageSettings(env)
  const server = getServerSettings(env)
  return {
    ...server,
    ...storage,
    metrics: getMetricsSettings(env, server.port),
    /** Export of Patchbay's own traces. */
    tracingExport: getTracingSettings(env),
    backups: getScheduledBackups(env),
    initialSetup: getInitialSetup(env),
    ...getSignInSettings(env, server),
    ...getLimitSettings(env),
    ...getIntakes(env),
    recordSocket: getRecordSocket(env, server),
    ...getCallDataSettings(env),
    redis: getRedisAddress(env),
    ...getFeatureServerSettings(env),
    ...getOutgoingSettings(env),
    smtp: getSmtpAddress(env),
    ...getConsoleSettings(env),
    ...getHostingSettings(env),
    signInProviders: getSignInProviders(env),
    dns: getDnsSettings(env),
    billing: getBillingSettings(env),
  }
}
