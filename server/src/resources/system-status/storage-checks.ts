import { sql } from 'kysely'
import type { PlatformHealth } from '../../adapters/platform-health/platform-health.ts'
import type { Database } from '../../database/engine.ts'
import { type Check, type Finding, notConfigured, toInstant } from './finding.ts'

/** Checks of the stores that every request needs. */

const engineNames = { sqlite: 'SQLite', mysql: 'MySQL or MariaDB' } as const

/** Creates the check of the database. */
export const createDatabaseCheck =
  ({ db, engine }: Database): Check =>
  async () => {
    const read = engine === 'sqlite' ? sql<string>`sqlite_version()` : sql<string>`version()`
    const { version } = await db.selectNoFrom(read.as('version')).executeTakeFirstOrThrow()
    return { state: 'ok', detail: `${engineNames[engine]} responds.`, version, last_contact: toInstant(Date.now()) }
  }

/** Returns the finding of a component whose state only Redis knows. */
export const needsRedis = (subject: string): Finding =>
  notConfigured(`No Redis is connected, so Patchbay cannot see ${subject}.`)

/** Creates the check of Redis. */
export const createRedisCheck =
  (health: PlatformHealth | undefined): Check =>
  async () => {
    if (health === undefined)
      return notConfigured('No Redis is connected. Patchbay stores sessions and counters in the database.')
    const version = await health.ping()
    return { state: 'ok', detail: 'Redis responds.', version, last_contact: toInstant(Date.now()) }
  }
