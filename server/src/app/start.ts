import closeWithGrace from 'close-with-grace'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { createApp } from './app.ts'
import { createGracefulClose } from '../http/graceful-shutdown.ts'
import { type Configuration, isShortSecret, readConfiguration } from '../config/configuration.ts'
import { restrictPermissions } from '../config/data-directory.ts'
import { openMigrated, type Migrated } from '../database/migrations.ts'
import { createWriter } from '../database/write-transaction.ts'
import { getErrorCode } from '../lib/error-code.ts'
import { startIngestServers } from './ingest.ts'
import { createLogStream } from '../lib/log.ts'
import { createFaultHandler } from './fault-handling.ts'
import { createPasswords } from '../auth/password-hashing.ts'
import { removeRecordingsBefore } from '../call-data/recordings/file-recordings.ts'
import { keepFor, removeBefore } from '../call-data/retention.ts'
import { tenantErrorGuard } from '../adapters/tenant-errors.ts'
import { FatalError, runCli } from '../lib/cli.ts'
import { type FirstAdmin, firstStart } from './seed/first-start.ts'

/** Reads the configuration, listens, closes gracefully. */

const consoleRoot = fileURLToPath(new URL('../../console/dist', import.meta.url))

/** An address that leads here from this machine, also where the server listens on all of them. */
const reachable = (address: string): string => address.replace('//0.0.0.0', '//127.0.0.1').replace('//[::]', '//[::1]')

const welcome = (address: string, admin: FirstAdmin | undefined, { adopted }: Migrated): string => {
  const place = reachable(address)
  const signIn = admin
    ? [
        `  Sign in as ${admin.name} with the password ${admin.password}`,
        '  You will be asked to change it. It is not shown again.',
      ]
    : adopted
      ? ['  The users of the existing platform database sign in with their own passwords.']
      : []
  const lines = [
    '',
    `  Patchbay is ready: ${place}`,
    `  API and its documentation: ${place}/api/docs`,
    ...signIn,
    '',
    '',
  ]
  return lines.join('\n')
}

const notListening: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has that port. PORT sets another',
  EACCES: 'this user may not use that port. PORT sets another',
  EADDRNOTAVAIL: 'this machine has no such address. HOST sets it',
  ENOTFOUND: 'there is no such host. HOST sets it',
  EAI_AGAIN: 'the name of the host cannot be looked up. HOST sets it',
}

const listen = async (app: FastifyInstance, { host, port }: Configuration): Promise<string> => {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    const why = notListening[getErrorCode(error)]
    if (why === undefined) throw error
    throw new FatalError(`Patchbay cannot listen on port ${port} of ${host}: ${why}.`, { cause: error })
  }
}

/** The collector comes when the heap has doubled, not later: a quarter less memory at the peak, for a twentieth of the speed. */
const keepHeapSmall = (): void => setFlagsFromString('--heap-growing-percent=100')

/** How long requests under way have to be answered when the server is told to stop; then all is ended after as much again. */
const graceMilliseconds = 5000

/** Closes what can be closed in the time there is, then ends the process with code 1. */
const endAfterFault = (log: FastifyBaseLogger, closeAll: () => Promise<void>): (() => void) => {
  let isEnding = false
  return () => {
    // A second fault, while the first is dealt with.
    if (isEnding) process.exit(1)
    isEnding = true
    setTimeout(() => process.exit(1), 2 * graceMilliseconds)
    closeAll()
      .catch((error: unknown) => log.error({ err: error }, 'could not close everything after an unexpected error'))
      .finally(() => process.exit(1))
  }
}

const handleFaults = (log: FastifyBaseLogger, closeAll: () => Promise<void>): void => {
  const handle = createFaultHandler({ log, tenantFaults: tenantErrorGuard, endProcess: endAfterFault(log, closeAll) })
  process.on('uncaughtException', handle)
  process.on('unhandledRejection', handle)
}

const start = async (): Promise<void> => {
  const configuration = readConfiguration(process.env)
  const { database, migrated } = await openMigrated(configuration.database)
  const app = await createApp({
    configuration,
    database,
    missingSchema: migrated.missingSchema,
    log: createLogStream(process.stdout),
    worksInBackground: true,
    ...(existsSync(consoleRoot) ? { consoleRoot } : {}),
  })
  if (isShortSecret(configuration.jwtSecret))
    app.log.warn('JWT_SECRET is so short that it may be guessed, and with it any session be forged')
  if (database.engine === 'sqlite')
    for (const path of restrictPermissions(configuration.dataDir))
      app.log.warn(`${path} is open to other users of this machine, and that cannot be changed`)
  const closeApp = createGracefulClose(app, graceMilliseconds)
  const closeIntakes = await startIngestServers(configuration, database, app.log, graceMilliseconds)
  const { callDataDays, auditTrailDays, dataDir } = configuration
  const stopRemoving = [
    keepFor('calls', callDataDays, (...old) => removeBefore(database, 'calls', ...old), app.log),
    keepFor('recordings', callDataDays, (...old) => removeRecordingsBefore(dataDir, ...old), app.log),
    keepFor('audit', auditTrailDays, (...old) => removeBefore(database, 'audit', ...old), app.log),
  ]
  const closeAll = async (): Promise<void> => {
    // Whatever of them fails, the database is closed.
    await Promise.allSettled([closeApp(), closeIntakes(), ...stopRemoving.map((stop) => stop())])
    await database.close()
  }
  handleFaults(app.log, closeAll)
  closeWithGrace(
    {
      delay: 2 * graceMilliseconds,
      logger: app.log,
      // A second signal comes with the first if a whole group of processes is told to end.
      onSecondSignal: () => {},
      skip: ['uncaughtException', 'unhandledRejection'],
    },
    closeAll,
  )
  const address = await listen(app, configuration)
  // Once it is known that the address can be had, and right before it is told: the password is shown only here.
  const admin = await firstStart({ database, write: createWriter(database), passwords: createPasswords() }, migrated)
  process.stdout.write(welcome(address, admin, migrated))
}

keepHeapSmall()
await runCli(start)
