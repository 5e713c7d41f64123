import closeWithGrace from 'close-with-grace'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { createApp } from './app.ts'
import { readConfiguration, UnusableConfiguration } from './configuration.ts'
import { openDatabase } from './database/engine.ts'
import { migrate, type Migrated, UnusableDatabase } from './database/migrations.ts'
import { sqliteReader } from './database/sqlite-reader.ts'
import { createWriter } from './database/write.ts'
import { listenForInflux } from './intake.ts'
import { logTo } from './log.ts'
import { keepFor } from './platform/retention.ts'
import { type FirstAdmin, firstStart } from './seed/first-start.ts'

/** Reads the configuration, listens, closes gracefully. */

const consoleRoot = fileURLToPath(new URL('../../console/dist', import.meta.url))

const welcome = (address: string, admin: FirstAdmin | undefined, { adopted }: Migrated): string => {
  const place = address.replace(/\/\/(0\.0\.0\.0|\[::\]|127\.0\.0\.1)/, '//localhost')
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

/** The collector comes when the heap has doubled, not later: a quarter less memory at the peak, for a twentieth of the speed. */
const keepHeapSmall = (): void => setFlagsFromString('--heap-growing-percent=100')

const start = async (): Promise<void> => {
  const configuration = readConfiguration(process.env)
  const database = openDatabase(configuration.database, sqliteReader)
  const migrated = await migrate(database)
  const admin = await firstStart(database, createWriter(database), migrated)
  const app = await createApp({
    configuration,
    database,
    lacks: migrated.lacks,
    log: logTo(process.stdout),
    ...(existsSync(consoleRoot) ? { consoleRoot } : {}),
  })
  const intake = await listenForInflux(configuration, database, app.log)
  const { callDataDays } = configuration
  const stopRemoving = callDataDays > 0 ? keepFor(database, callDataDays, app.log) : undefined
  // A second signal comes with the first where a whole group of processes is told to end.
  closeWithGrace({ delay: 10_000, logger: app.log, onSecondSignal: () => {} }, async () => {
    await app.close()
    await intake?.close()
    await stopRemoving?.()
    await database.close()
  })
  const address = await app.listen({ host: configuration.host, port: configuration.port })
  process.stdout.write(welcome(address, admin, migrated))
}

try {
  keepHeapSmall()
  await start()
} catch (error) {
  const expected = error instanceof UnusableConfiguration || error instanceof UnusableDatabase
  process.stderr.write(`${expected ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}
