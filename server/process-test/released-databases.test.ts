import { type Database, quotedName } from '@patchbay/server/database/engine'
import { migrate } from '@patchbay/server/database/migrations'
import { changingTables, pairAnswers } from '@patchbay/testkit/releases/release-answers'
import { releaseNames } from '@patchbay/testkit/releases/released-version'
import {
  createStore,
  fixtureKinds,
  loadFixture,
  readAnswers,
  withDatabase,
} from '@patchbay/testkit/releases/upgrade-fixture'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { findLostRows, readAllRows } from '@patchbay/testkit/table-rows'
import { readSchema } from '@patchbay/testkit/table-schema'
import { CompiledQuery } from 'kysely'
import { expect, inject, test } from 'vitest'

/** This version opens the databases that every release wrote, and responds as the release did. */

const cases = releaseNames.flatMap((release) => fixtureKinds.map((kind) => [release, kind] as const))

/** The row with the version that changed the schema last, which is this version after a migration. */
const schemaVersion = 'patchbay_settings: ["schema version"'

/** Returns the definitions of the tables of the platform, which Patchbay does not change. */
const readPlatformTables = async ({ db, engine }: Database): Promise<unknown[]> => {
  const tables = (await db.introspection.getTables()).filter(({ name }) => !name.startsWith('patchbay_'))
  const definitions = tables.map(async ({ name }) => {
    const { rows } = await db.executeQuery(CompiledQuery.raw(`SHOW CREATE TABLE ${quotedName(engine, name)}`))
    return rows
  })
  return Promise.all(definitions)
}

interface Started {
  schema: string
  migrations: string[]
}

/** Returns what the log says about the schema. */
const findStarted = (log: string): Started => {
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Started & { msg: string })
  const started = lines.find(({ msg }) => msg === 'started')
  if (started === undefined) throw new Error(`the server did not start:\n${log}`)
  return started
}

const connectToMariaDb = () => ({ ...mariaDbClient(inject('mariadb')), ...inject('mariadb') })

test.for(cases)('a database of %s (%s) keeps its data, and the API responds as before', async ([release, kind]) => {
  const fixture = await loadFixture(release, kind, connectToMariaDb())
  const { store, answers } = fixture
  // The rows have arbitrary values. Jobs correct those of reviews of calls that do not exist, as soon as they run, and on
  // a platform the only destination of alerts.
  const reviewed = ['patchbay_review_items', 'patchbay_transcript_removals']
  const ignored = [...changingTables, ...reviewed, ...(kind === 'platform' ? ['patchbay_alert_destinations'] : [])]
  try {
    // Fewer responses would prove little.
    expect(answers.size).toBeGreaterThan(120)
    const before = await withDatabase(store, readAllRows)
    const readDefinitions = async () => (kind === 'platform' ? withDatabase(store, readPlatformTables) : [])
    const definitions = await readDefinitions()
    const starts: Started[] = []
    const note = (log: string) => void starts.push(findStarted(log))
    const current = await readAnswers(fixture, undefined, note)
    for (const [released, response] of pairAnswers(answers, current)) expect(response).toMatchObject(released)
    const after = await withDatabase(store, readAllRows)
    expect(findLostRows(before, after, ignored).filter((row) => !row.startsWith(schemaVersion))).toEqual([])
    // Tables that this version adds are not in the database of the release.
    expect([...before.keys()].filter((table) => !after.has(table))).toEqual([])
    expect(await store.damage()).toEqual([])

    const second = await startServer({ ...store.settings, LOG_LEVEL: 'info' })
    await second.stop()
    note(second.log())
    expect(starts[1]).toMatchObject({ migrations: [], schema: starts[0]?.schema })
    expect(await readDefinitions()).toEqual(definitions)
  } finally {
    store.remove()
  }
})

test.for(cases)(
  'a database of %s (%s) gets the columns, indexes, and references of a new one',
  async ([release, kind]) => {
    const server = connectToMariaDb()
    const { store } = await loadFixture(release, kind, server)
    const empty = await createStore(kind, server)
    const migrateAndRead = async (database: Database) => {
      await migrate(database)
      // Patchbay does not change the tables of a platform.
      return readSchema(database, kind === 'platform' ? 'patchbay_' : '')
    }
    try {
      const created = await withDatabase(empty, migrateAndRead)
      expect(Object.keys(created).length).toBeGreaterThan(50)
      expect(await withDatabase(store, migrateAndRead)).toEqual(created)
    } finally {
      store.remove()
      empty.remove()
    }
  },
)
