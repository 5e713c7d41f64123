import { createIndex } from '@patchbay/server/database/ddl'
import { createTestDatabase } from '@patchbay/testkit/test-database'
import { createConnection } from 'mysql2/promise'
import { expect, test } from 'vitest'

/** Migrations beside the processes of the previous version. */

test('an index that waits for a transaction does not stop other queries of the table', async () => {
  const { database, address, drop } = await createTestDatabase()
  const observer = await createConnection(address)
  const { db } = database
  const readApplications = (from: Pick<typeof db, 'selectFrom'> = db) =>
    from.selectFrom('applications').select('application_sid').execute()
  try {
    const transaction = await db.startTransaction().execute()
    await readApplications(transaction)
    let isCreated = false
    const creating = db
      .connection()
      .execute((connection) => createIndex(connection, 'mysql', 'applications', 'of_the_test', ['record_all_calls']))
      .finally(() => {
        isCreated = true
      })
    await expect
      .poll(async () => {
        const [rows] = await observer.query('SHOW PROCESSLIST')
        return (rows as { State: string | null }[]).map(({ State }) => State)
      })
      .toContain('Waiting for table metadata lock')
    for (let count = 0; count < 20; count += 1) await readApplications()
    expect(isCreated).toBe(false)
    await transaction.commit().execute()
    await creating
    const [indexes] = await observer.query("SHOW INDEX FROM applications WHERE Key_name = 'of_the_test'")
    expect(indexes).toHaveLength(1)
  } finally {
    await observer.end()
    await drop()
  }
})
