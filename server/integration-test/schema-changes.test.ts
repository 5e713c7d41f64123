import { setTimeout as pause } from 'node:timers/promises'
import { toContext } from '@patchbay/server/database/migrations/index'
import { alterTables } from '@patchbay/server/database/migrations/statements'
import type { Tables } from '@patchbay/server/database/tables'
import { createTestDatabase } from '@patchbay/testkit/test-database'
import type { Kysely } from 'kysely'
import { type Connection, createConnection } from 'mysql2/promise'
import { expect, test } from 'vitest'

/** Migrations beside the processes of the previous version. */

const alter = (statement: string) => (db: Kysely<Tables>) =>
  alterTables(toContext({ db, engine: 'mysql' }), { sqlite: [], mysql: [statement] })

const changes = {
  'a new index': alter('CREATE INDEX of_the_test ON applications (record_all_calls)'),
  'a dropped index': alter('DROP INDEX of_the_test ON applications'),
  'a new column': alter('ALTER TABLE applications ADD COLUMN of_the_test BOOLEAN NOT NULL DEFAULT 0'),
}

/** Resolves when a connection is in a state of MariaDB. */
const untilState = async (observer: Connection, state: string): Promise<void> => {
  await expect
    .poll(async () => {
      const [rows] = await observer.query('SHOW PROCESSLIST')
      return (rows as { State: string | null }[]).map(({ State }) => State)
    })
    .toContain(state)
}

test.each(Object.entries(changes))(
  '%s that waits for a transaction does not stop other queries of the table',
  async (_name, change) => {
    const { database, address, drop } = await createTestDatabase()
    const observer = await createConnection(address)
    const { db } = database
    const readApplications = (from: Pick<typeof db, 'selectFrom'> = db) =>
      from.selectFrom('applications').select('application_sid').execute()
    try {
      if (change === changes['a dropped index']) await db.connection().execute(changes['a new index'])
      const transaction = await db.startTransaction().execute()
      await readApplications(transaction)
      let isChanged = false
      const changing = db
        .connection()
        .execute(change)
        .finally(() => {
          isChanged = true
        })
      await untilState(observer, 'Waiting for table metadata lock')
      for (let count = 0; count < 20; count += 1) await readApplications()
      expect(isChanged).toBe(false)
      await transaction.commit().execute()
      await changing
      const [table] = await observer.query('SHOW CREATE TABLE applications')
      const [{ 'Create Table': definition = '' } = {}] = table as { 'Create Table'?: string }[]
      expect(definition.includes('of_the_test')).toBe(change !== changes['a dropped index'])
    } finally {
      await observer.end()
      await drop()
    }
  },
)

test('an index is created on a table that is never unused for a second', async () => {
  const { database, address, drop } = await createTestDatabase()
  const { db } = database
  const readers = await Promise.all([createConnection(address), createConnection(address)])
  const progress = { isCreated: false }
  /** Reads for three seconds at a time. The two readers take turns, so that their reads overlap. */
  const keepReading = async (reader: (typeof readers)[number], delayMs: number) => {
    await pause(delayMs)
    while (!progress.isCreated) await reader.query('SELECT SLEEP(3), COUNT(*) FROM service_providers')
  }
  try {
    const create = alter('CREATE INDEX of_the_test ON service_providers (name)')
    await Promise.all([
      ...readers.map((reader, position) => keepReading(reader, position * 1500)),
      pause(100)
        .then(() => db.connection().execute(create))
        .finally(() => {
          progress.isCreated = true
        }),
    ])
    const [indexes] = await readers[0].query("SHOW INDEX FROM service_providers WHERE Key_name = 'of_the_test'")
    expect(indexes).toHaveLength(1)
  } finally {
    await Promise.all([...readers.map((reader) => reader.end()), drop()])
  }
})

const deadlocks = 6
/** Less than the test would take if the statement waited longer after each deadlock, as it does for a table in use. */
const deadlockTimeoutMs = 40_000

test(
  'an index is created soon after deadlocks with writers of a table that refers to its table',
  async () => {
    const { database, address, drop } = await createTestDatabase()
    const { db } = database
    const [writer, observer] = [await createConnection(address), await createConnection(address)]
    /** A change of applications also locks the accounts, which refer to them, once it has the lock of its own table. */
    const begin = async () => {
      await writer.beginTransaction()
      await writer.query('SELECT account_sid FROM accounts FOR UPDATE')
    }
    const deadlock = async () => {
      await untilState(observer, 'Committing alter table to storage engine')
      await writer.query('SELECT application_sid FROM applications')
      await writer.rollback()
    }
    try {
      await writer.query("INSERT INTO service_providers (service_provider_sid, name) VALUES ('p', 'p')")
      await writer.query("INSERT INTO accounts (account_sid, name, service_provider_sid) VALUES ('a', 'a', 'p')")
      await begin()
      const creating = db.connection().execute(changes['a new index'])
      for (let count = 1; count < deadlocks; count += 1) {
        await deadlock()
        await begin()
      }
      await deadlock()
      await creating
      const [indexes] = await observer.query("SHOW INDEX FROM applications WHERE Key_name = 'of_the_test'")
      expect(indexes).toHaveLength(1)
    } finally {
      await Promise.all([writer.end(), observer.end(), drop()])
    }
  },
  deadlockTimeoutMs,
)
