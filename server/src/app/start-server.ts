import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { healthHistoryDays } from '@patchbay/contract/carrier-health'
import type { FastifyBaseLogger } from 'fastify'
import packageJson from '../../../package.json' with { type: 'json' }
import { describeNodeRange, isSafeNode } from '../../../scripts/run/node-versions.mjs'
import { tenantErrorGuard } from '../adapters/tenant-errors.ts'
import { createPasswords } from '../auth/password-hashing.ts'
import { discardInterruptedRestore } from '../backup/interrupted-restore.ts'
import { createSchedule } from '../backup/scheduled/schedule.ts'
import type { IntakeName, IntakeStatus } from '../call-data/ingest/intake-status.ts'
import { removeRecordingsBefore } from '../call-data/recordings/file-recordings.ts'
import { removeBefore, startRetention } from '../call-data/retention.ts'
import { type Configuration, readConfiguration } from '../config/configuration.ts'
import { restrictPermissions } from '../config/data-directory.ts'
import { isShortSecret } from '../config/secrets.ts'
import type { InitialSetup } from '../config/settings/initial-setup-settings.ts'
import { type MigrationResult, readSchemaName, withExplainedErrors } from '../database/migrations.ts'
import { createWriter } from '../database/write-transaction.ts'
import { createGracefulClose } from '../http/graceful-shutdown.ts'
import { buildInfo, describeCommit } from '../lib/build-info.ts'
import { FatalError, runCli } from '../lib/cli.ts'
import { getErrorCode } from '../lib/error-code.ts'
import { createLogStream } from '../lib/log.ts'
import { createApp } from './app.ts'
import { endOnSignals } from './end-process.ts'
import { createFaultHandler } from './fault-handling.ts'
import { startIngestServers } from './ingest.ts'
import { openInstallation } from './open-installation.ts'
import { checkInitialSetup } from './seed/check-initial-setup.ts'
import { type FirstAdmin, firstStart } from './seed/first-start.ts'
import { lockDataFolder } from './server-lock.ts'
import { startMetrics } from './start-metrics.ts'
import { startTracing } from './start-tracing.ts'

/** Starts the server: reads the configuration, listens, and shuts down gracefully. */

/** Expired sessions, registrations, and links are deleted after these days, also if no later one deletes them. */
const expiredDays = 1

const consoleRoot = fileURLToPath(new URL('../../console/dist', import.meta.url))

/** Returns a URL that works on this machine even if the server listens on all addresses. */
const toLocalUrl = (address: string): string => address.replace('//0.0.0.0', '//127.0.0.1').replace('//[::]', '//[::1]')

const formatFirstAdmin = ({ name, password }: FirstAdmin, { adminPassword }: InitialSetup): string[] =>
  adminPassword === undefined
    ? [`  Sign in as ${name} with the password ${password}`, '  You will be asked to change it. It is not shown again.']
    : [`  Sign in as ${name} with the password of PATCHBAY_INIT_ADMIN_PASSWORD.`]

const welcome = (
  address: string,
  admin: FirstAdmin | undefined,
  { adopted }: MigrationResult,
  setup: InitialSetup,
): string => {
  const localUrl = toLocalUrl(address)
  const signIn = admin
    ? formatFirstAdmin(admin, setup)
    : adopted
      ? ['  The users of the existing platform database sign in with their own passwords.']
      : []
  const lines = [
    '',
    `  Patchbay ${buildInfo.version} is ready: ${localUrl}`,
    `  Built from ${describeCommit(buildInfo)}`,
    `  API and its documentation: ${localUrl}/api/docs`,
    ...signIn,
    '',
    '',
  ]
  return lines.join('\n')
}

const listenErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses that port. Set another one with PORT',
  EACCES: 'this user is not allowed to use that port. Set another one with PORT',
  EADDRNOTAVAIL: 'this machine does not have that address. Set it with HOST',
  ENOTFOUND: 'the host does not exist. Set it with HOST',
  EAI_AGAIN: 'the host name cannot be resolved. Set it with HOST',
}

/**
 * Explains why a port cannot be used.
 *
 * @param prefix prefix of the names of its settings
 */
const withListenErrors = async <T>(
  { host, port }: { host: string; port: number },
  work: () => Promise<T>,
  prefix = '',
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    const reason = listenErrors[getErrorCode(error)]?.replace(/(?:PORT|HOST)$/, `${prefix}$&`)
    if (reason === undefined) throw error
    throw new FatalError(`Patchbay cannot listen on port ${port} of ${host}: ${reason}.`, { cause: error })
  }
}

/** Warns if this version of Node has security holes that are reachable in Patchbay. The server starts all the same. */
const warnAboutNode = (log: FastifyBaseLogger): void => {
  const { node: version } = process.versions
  const { node: safeRange } = packageJson.engines
  if (isSafeNode(version, safeRange)) return
  const fields = { version, safe: describeNodeRange(safeRange) }
  log.warn(fields, 'this version of Node.js has known security holes; install a safe one')
}

/**
 * Makes V8 collect garbage when the heap has doubled, instead of later. This reduces peak memory by a quarter and costs
 * a twentieth of the throughput.
 */
const limitHeapGrowth = (): void => setFlagsFromString('--heap-growing-percent=100')

/** Milliseconds that requests in progress have to finish during a shutdown. The process ends after twice this time. */
const gracePeriodMs = 5000

/** The log of a running server is less important than its work, so a full disk or a closed pipe does not end it. */
const surviveLogErrors = (): void => {
  let isKnown = false
  process.stdout.on('error', (error) => {
    if (!isKnown) process.stderr.write(`The log cannot be written to the standard output: ${error.message}.\n`)
    isKnown = true
  })
}

/** Returns the intakes that listen, by name. */
const listIntakes = ({ influxIntake, otlpIntake, hepIntake }: Configuration, intakes: IntakeStatus): object =>
  Object.fromEntries(
    Object.entries({ influx: influxIntake, otlp: otlpIntake, hep: hepIntake } satisfies Record<IntakeName, unknown>)
      .filter(([name]) => intakes.get(name as IntakeName)?.is === 'listening')
      .map(([name, address]) => [name, { host: address?.host, port: address?.port }]),
  )

const start = async (): Promise<void> => {
  const settings = readConfiguration(process.env)
  checkInitialSetup(settings)
  if (settings.backups !== null) await createSchedule(settings.backups.schedule, settings.backups.timeZone)
  const metrics = await startMetrics(settings)
  const tracing = await startTracing(settings)
  const lock = await lockDataFolder(settings)
  // No request waits longer for the database.
  const installation = await withExplainedErrors(settings.database, () =>
    openInstallation(settings, settings.requestTimeoutSeconds),
  )
  const { database, migrated, configuration } = installation
  const shutdown = new AbortController()
  const app = await createApp({
    configuration,
    database,
    missingSchema: migrated.missingSchema,
    log: createLogStream(process.stdout),
    runsBackgroundJobs: true,
    shutdownSignal: shutdown.signal,
    keepsMasking: true,
    ...(existsSync(consoleRoot) ? { consoleRoot } : {}),
  })
  if (isShortSecret(configuration.jwtSecret))
    app.log.warn('JWT_SECRET is too short; an attacker who guesses it can forge any session')
  warnAboutNode(app.log)
  const { secret, unreadable } = installation
  if (!secret.isSelected)
    app.log.warn(
      { source: secret.source, legacyCrypto: configuration.legacyCrypto },
      'the stored credentials are encrypted with another secret or cipher than the settings select, which is used',
    )
  if (unreadable > 0) app.log.warn({ values: unreadable }, 'some stored credentials cannot be decrypted')
  if (database.engine === 'sqlite')
    for (const path of restrictPermissions(configuration.dataDir))
      app.log.warn({ path }, 'other users of this machine can access a file, and its mode cannot be changed')
  await discardInterruptedRestore(configuration.dataDir).catch((error: unknown) => {
    app.log.warn({ err: error }, 'the folder restore.partial of an interrupted restore could not be removed')
  })
  tracing?.logTo(app.log)
  const closeApp = createGracefulClose(app, gracePeriodMs)
  const closeIntakes = await startIngestServers(app.services, app.log, gracePeriodMs)
  const closeMetrics =
    metrics && configuration.metrics
      ? await withListenErrors(
          configuration.metrics,
          () => metrics.serve(database, app.services.callActivity, app.log, gracePeriodMs),
          'METRICS_',
        )
      : () => Promise.resolve()
  const { callDataDays, auditTrailDays, dataDir } = configuration
  const stopRetention = [
    startRetention('calls', callDataDays, (...args) => removeBefore(database, 'calls', ...args), app.log),
    startRetention('recordings', callDataDays, (...args) => removeRecordingsBefore(dataDir, ...args), app.log),
    startRetention('health', healthHistoryDays, (...args) => removeBefore(database, 'health', ...args), app.log),
    startRetention('sign_ins', expiredDays, (...args) => removeBefore(database, 'signIns', ...args), app.log),
    startRetention('audit', auditTrailDays, (...args) => removeBefore(database, 'audit', ...args), app.log),
  ]
  const closeAll = async (): Promise<void> => {
    shutdown.abort()
    // The database is closed even if closing the others fails.
    await Promise.allSettled([closeApp(), closeIntakes(), closeMetrics(), ...stopRetention.map((stop) => stop())])
    await Promise.allSettled([app.services.masking.close(), database.close(), tracing?.close()])
    lock?.release()
  }
  const delayMs = configuration.shutdownDelaySeconds * 1000
  /** Continues to serve requests until load balancers have noticed that the server is not ready, then closes. */
  const shutDown = async (): Promise<void> => {
    shutdown.abort()
    if (delayMs > 0) await pause(delayMs)
    await closeAll()
  }
  const endProcess = endOnSignals({
    log: app.log,
    close: closeAll,
    closeWhenDrained: shutDown,
    timeoutMs: { close: 2 * gracePeriodMs, closeWhenDrained: delayMs + 2 * gracePeriodMs },
  })
  const onUncaughtError = createFaultHandler({ log: app.log, tenantErrors: tenantErrorGuard, endProcess })
  process.on('uncaughtException', onUncaughtError)
  process.on('unhandledRejection', onUncaughtError)
  const address = await withListenErrors(configuration, () =>
    app.listen({ host: configuration.host, port: configuration.port }),
  )
  // The admin is created after the port is known to be available and immediately before the password is printed,
  // because the password is printed only once.
  const services = { database, write: createWriter(database), passwords: createPasswords() }
  const { initialSetup } = configuration
  const admin = await withExplainedErrors(configuration.database, () =>
    firstStart(services, migrated, initialSetup.adminPassword, initialSetup),
  )
  app.log.info(
    {
      ...buildInfo,
      engine: database.engine,
      schema: readSchemaName(),
      migrations: migrated.applied,
      url: address,
      intakes: listIntakes(configuration, app.services.intakes),
    },
    'started',
  )
  // The standard output has the log, which programs read.
  process.stderr.write(welcome(address, admin, migrated, initialSetup))
}

/** Starts the server of this process. If it cannot start, prints the reason and ends the process with code 1. */
export const startServer = async (): Promise<void> => {
  limitHeapGrowth()
  surviveLogErrors()
  await runCli(start)
}
