import { createEntryWriter, momentOf } from '@patchbay/server/database/audit-entries'
import { type Database, inTransaction } from '@patchbay/server/database/engine'
import { migrate } from '@patchbay/server/database/migrations'
import { removeBefore } from '@patchbay/server/platform/retention'
import { createTestDatabase, isMysql, type TestDatabase } from '@patchbay/testkit/test-database'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'

/** How entries of the audit trail are kept, and moved from its first table. */

let made: TestDatabase
let database: Database
beforeAll(async () => {
  made = await createTestDatabase()
  database = made.database
})
afterAll(() => made.drop())
afterEach(async () => {
  vi.restoreAllMocks()
  await database.db.deleteFrom('patchbay_audit_trail').execute()
})

const entry = (name: string) => ({
  action: 'update',
  kind: 'account',
  sid: 'sid',
  name,
  account_sid: null,
  service_provider_sid: null,
  actor: 'patchbay',
  actor_sid: null,
  actor_name: null,
  actor_scope: null,
  address: null,
  request_id: null,
  changes: '[]',
  reason: null,
  times: 1,
})

const kept = () => database.db.selectFrom('patchbay_audit_trail').select(['moment', 'name']).orderBy('moment').execute()
const namesKept = async () => (await kept()).map(({ name }) => name)

test('two processes that write in the same microsecond both keep all of theirs', async () => {
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now)
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const write = (names: string[]) => {
    const writeEntries = createEntryWriter(database.engine)
    return inTransaction(database, (trx) => writeEntries(trx, names.map(entry)))
  }
  await write(['a1', 'a2', 'a3'])
  await write(['b1', 'b2', 'b3', 'b4', 'b5'])
  const names = await namesKept()
  expect(names).toHaveLength(8)
  expect(names.filter((name) => name?.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
  expect((await kept())[0]?.moment).toBe(momentOf(now) + 500)
})

test('a clock that goes back does not change the order of one process', async () => {
  const writeEntries = createEntryWriter(database.engine)
  const at = vi.spyOn(Date, 'now')
  for (const [position, milliseconds] of [5000, 4000, 6000].entries()) {
    at.mockReturnValue(milliseconds)
    await inTransaction(database, (trx) => writeEntries(trx, [entry(`e${position}`)]))
  }
  expect(await namesKept()).toEqual(['e0', 'e1', 'e2'])
})

test('what is older than the operator wants to keep goes, to the millisecond', async () => {
  const rows = [999, 1000, 1001].map((at) => ({ ...entry(`at ${at}`), moment: momentOf(at) + 999 }))
  await database.db.insertInto('patchbay_audit_trail').values(rows).execute()
  await removeBefore(database, 'audit', 1000)
  expect(await namesKept()).toEqual(['at 1000', 'at 1001'])
})

test('entries of the first table are moved with their times and in their order, also by a start after one that was killed', async () => {
  const { db } = database
  const moment = isMysql ? 'BIGINT' : 'INTEGER'
  const columns = Object.keys(entry('')).filter((column) => column !== 'times')
  const texts = columns.map((column) => `${isMysql ? `\`${column}\`` : `"${column}"`} TEXT`).join(', ')
  await sql
    .raw(
      `CREATE TABLE patchbay_audit (entry_sid VARCHAR(36) PRIMARY KEY, at ${moment}, turn INTEGER, times INTEGER, ${texts})`,
    )
    .execute(db)
  // More in one millisecond than it has microseconds, and one right after it.
  const first = Array.from({ length: 1200 }, (_, turn) => ({ entry_sid: `e${turn}`, at: 5000, turn }))
  const rows = [...first, { entry_sid: 'last', at: 5001, turn: 0 }, { entry_sid: 'later', at: 7000, turn: 0 }]
  for (let start = 0; start < rows.length; start += 50)
    await db
      .insertInto('patchbay_audit' as 'patchbay_audit_trail')
      .values(rows.slice(start, start + 50).map((row) => ({ ...entry(row.entry_sid), ...row }) as never))
      .execute()
  await db
    .deleteFrom('patchbay_migrations' as never)
    // And of what came after it.
    .where('name' as never, '>=', '2026-11-25-audit-by-time' as never)
    .execute()
  // Of a start that was killed between the copy and the end of the first table.
  if (isMysql)
    await db
      .insertInto('patchbay_audit_trail')
      .values({ ...entry('e0'), moment: momentOf(5000) })
      .execute()
  else await sql`DROP TABLE patchbay_audit_trail`.execute(db)
  await migrate(database)
  const moved = await kept()
  expect(moved.map(({ name }) => name)).toEqual(rows.map(({ entry_sid }) => entry_sid))
  expect([moved[0]?.moment, moved.at(-1)?.moment]).toEqual([momentOf(5000), momentOf(7000)])
  const tables = await db.introspection.getTables()
  expect(tables.map(({ name }) => name)).not.toContain('patchbay_audit')
})
