import closeWithGrace from 'close-with-grace'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createApp } from './app.ts'
import { readConfiguration, UnusableConfiguration } from './configuration.ts'
import { openDatabase } from './database/engine.ts'
import { migrate, type Migrated, UnusableDatabase } from './database/migrations.ts'
import { sqliteReader } from './database/sqlite-reader.ts'
import { createWriter } from './database/write.ts'
import { listenForInflux } from './intake.ts'
import { type FirstAdmin, firstStart } from './seed/first-start.ts'

/** Reads the configuration, listens, closes gracefully. */

const consoleRoot = fileURLToPath(new URL('../../console/dist', import.meta.url))

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const tellWhere = (address: string, admin: FirstAdmin | undefined, { adopted }: Migrated): void => {
  const place = address.replace(/\/\/(0\.0\.0\.0|\[::\]|127\.0\.0\.1)/, '//localhost')
  say('')
  say(`  Patchbay is ready: ${place}`)
  say(`  API and its documentation: ${place}/api/docs`)
  if (admin) {
    say('')
    say(`  Sign in as ${admin.name} with the password ${admin.password}`)
    say('  You will be asked to change it. It is not shown again.')
  } else if (adopted) {
    say('  The users of the existing platform database sign in with their own passwords.')
  }
  say('')
}

const start = async (): Promise<void> => {
  const configuration = readConfiguration(process.env)
  const database = openDatabase(configuration.database, sqliteReader)
  const migrated = await migrate(database)
  const admin = await firstStart(database, createWriter(database), migrated)
  const app = await createApp({
    configuration,
    database,
    lacks: migrated.lacks,
    logger: true,
    ...(existsSync(consoleRoot) ? { consoleRoot } : {}),
  })
  const intake = await listenForInflux(configuration, database, app.log)
  closeWithGrace({ delay: 10_000, logger: app.log }, async () => {
    await app.close()
    await intake?.close()
    await database.close()
  })
  const address = await app.listen({ host: configuration.host, port: configuration.port })
  tellWhere(address, admin, migrated)
}

try {
  await start()
} catch (error) {
  const expected = error instanceof UnusableConfiguration || error instanceof UnusableDatabase
  process.stderr.write(`${expected ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}
