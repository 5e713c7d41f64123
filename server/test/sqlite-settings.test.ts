import { createTestDatabase, isMysql, type TestDatabase } from '@patchbay/testkit/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Settings for the durability of acknowledged writes, read from the connections that the server uses. */

let opened: TestDatabase

beforeAll(async () => {
  opened = await createTestDatabase()
})
afterAll(() => opened.drop())

test.skipIf(isMysql).each([
  ['journal_mode', 'wal'],
  // FULL: every commit is on disk before the response.
  ['synchronous', 2],
  ['foreign_keys', 1],
  ['busy_timeout', 5000],
  ['trusted_schema', 0],
  ['cache_size', -16000],
])('%s is %s', async (pragma, value) => {
  const { rows } = await sql.raw<Record<string, unknown>>(`PRAGMA ${pragma}`).execute(opened.database.db)
  expect(rows.map((row) => Object.values(row))).toEqual([[value]])
})

test.skipIf(isMysql).each(['reader', 'searcher'] as const)('the %s connection is read-only', async (name) => {
  const { db, [name]: reader } = opened.database
  const writing = reader.deleteFrom('patchbay_settings').returning('setting').execute()
  await expect(writing).rejects.toMatchObject({ code: 'SQLITE_READONLY' })
  expect(await db.selectFrom('patchbay_settings').select('setting').execute()).not.toEqual([])
})
