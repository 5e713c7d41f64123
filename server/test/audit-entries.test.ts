import { removeBefore } from '@patchbay/server/call-data/retention'
import {
  auditEntries,
  auditTables,
  createEntryWriter,
  maxLatestEntries,
  toMoment,
} from '@patchbay/server/database/audit-tables'
import { type Database, inTransaction, openDatabase } from '@patchbay/server/database/engine'
import { migrate } from '@patchbay/server/database/migrations'
import { sqliteReader } from '@patchbay/server/database/sqlite-reader'
import { createTestDatabase, isMysql, type TestDatabase } from '@patchbay/testkit/test-database'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'

/** Storage of audit entries, and their migration from the first version of the table. */

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.database
})
afterAll(() => testDatabase.drop())
afterEach(async () => {
  vi.restoreAllMocks()
  for (const table of auditTables(database.engine)) await database.db.deleteFrom(table).execute()
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

const readEntries = () =>
  auditEntries(database.db, database.engine).select(['moment', 'name']).orderBy('moment').execute()
const namesKept = async () => (await readEntries()).map(({ name }) => name)
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, nth) => `${prefix}${nth}`)

const indexByColumn = {
  service_provider_sid: 'patchbay_audit_trail_idx_1',
  account_sid: 'patchbay_audit_trail_idx_2',
  sid: 'patchbay_audit_trail_idx_3',
}

test('two processes that write in the same microsecond keep all of their entries', async () => {
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now)
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const write = (of: string[]) => {
    const writeEntries = createEntryWriter(database.engine)
    return inTransaction(database, (trx) => writeEntries(trx, of.map(entry)))
  }
  await write(['a1', 'a2', 'a3'])
  await write(['b1', 'b2', 'b3', 'b4', 'b5'])
  const all = await namesKept()
  expect(all).toHaveLength(8)
  expect(all.filter((name) => name?.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
  expect((await readEntries())[0]?.moment).toBe(toMoment(now) + 500)
})

test("a clock that is set back does not change the order of one process's entries", async () => {
  const writeEntries = createEntryWriter(database.engine)
  const at = vi.spyOn(Date, 'now')
  for (const [position, milliseconds] of [5000, 4000, 6000].entries()) {
    at.mockReturnValue(milliseconds)
    await inTransaction(database, (trx) => writeEntries(trx, [entry(`e${position}`)]))
  }
  expect(await namesKept()).toEqual(['e0', 'e1', 'e2'])
})

test('entries older than the retention period are deleted, with millisecond precision', async () => {
  const tables = auditTables(database.engine)
  for (const [nth, table] of tables.entries()) {
    const rows = [999, 1000, 1001].map((at) => ({ ...entry(`at ${at} in ${table}`), moment: toMoment(at) + 990 + nth }))
    await database.db.insertInto(table).values(rows).execute()
  }
  await removeBefore(database, 'audit', 1000)
  expect(await namesKept()).toEqual([1000, 1001].flatMap((at) => tables.map((table) => `at ${at} in ${table}`)))
})

test('two processes that write many entries concurrently keep each of them once', async () => {
  const address = isMysql
    ? { engine: 'mysql' as const, url: testDatabase.address, connections: 5 }
    : { engine: 'sqlite' as const, file: testDatabase.address }
  const another = openDatabase(address, sqliteReader)
  try {
    const process = async (of: Database, prefix: string) => {
      const writeEntries = createEntryWriter(of.engine)
      const all = names(prefix, 2 * maxLatestEntries)
      for (let start = 0; start < all.length; start += 7)
        await inTransaction(of, (trx) => writeEntries(trx, all.slice(start, start + 7).map(entry)))
      return all
    }
    const written = await Promise.all([process(database, 'a'), process(another, 'b')])
    const all = await namesKept()
    expect(all).toHaveLength(4 * maxLatestEntries)
    expect(new Set(all)).toEqual(new Set(written.flat()))
  } finally {
    await another.close()
  }
})

describe.skipIf(isMysql)('the latest entries of the embedded database', () => {
  const namesIn = async (table: 'patchbay_audit_trail' | 'patchbay_audit_latest') =>
    (await database.db.selectFrom(table).select('name').orderBy('moment').execute()).map(({ name }) => name)

  const write = (writeEntries: ReturnType<typeof createEntryWriter>, of: readonly string[]) =>
    inTransaction(database, (trx) => writeEntries(trx, of.map(entry)))

  test('are kept in a separate table until there are many, and are moved with the change that exceeds the limit', async () => {
    const writeEntries = createEntryWriter('sqlite')
    const all = names('e', maxLatestEntries)
    await write(writeEntries, all.slice(0, -1))
    expect(await namesIn('patchbay_audit_latest')).toEqual(all.slice(0, -1))
    expect(await namesIn('patchbay_audit_trail')).toEqual([])
    const before = await readEntries()
    await write(writeEntries, all.slice(-1))
    expect(await namesIn('patchbay_audit_latest')).toEqual([])
    expect(await namesIn('patchbay_audit_trail')).toEqual(all)
    expect((await readEntries()).slice(0, -1)).toEqual(before)
  })

  test('remain there if that change is rolled back, and are moved with a later one', async () => {
    const writeEntries = createEntryWriter('sqlite')
    const all = names('e', maxLatestEntries - 1)
    await write(writeEntries, all)
    const undone = inTransaction(database, async (trx) => {
      await writeEntries(trx, [entry('undone')])
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await namesIn('patchbay_audit_latest')).toEqual(all)
    const more = names('f', maxLatestEntries)
    await write(writeEntries, more)
    expect(await namesIn('patchbay_audit_latest')).toEqual([])
    expect(await namesIn('patchbay_audit_trail')).toEqual([...all, ...more])
  })

  test('are moved by the next process with its first entries if their process was killed', async () => {
    const all = names('e', maxLatestEntries - 1)
    await write(createEntryWriter('sqlite'), all)
    await write(createEntryWriter('sqlite'), ['of the next'])
    expect(await namesIn('patchbay_audit_latest')).toEqual([])
    // Entries of different processes in the same millisecond have no defined order.
    expect(new Set(await namesIn('patchbay_audit_trail'))).toEqual(new Set([...all, 'of the next']))
  })

  test('get no key that exists in the audit trail', async () => {
    const now = Date.now()
    vi.spyOn(Date, 'now').mockReturnValue(now)
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const taken = { ...entry('moved'), moment: toMoment(now) }
    await database.db.insertInto('patchbay_audit_trail').values(taken).execute()
    await write(createEntryWriter('sqlite'), ['latest'])
    expect((await readEntries()).map(({ moment }) => moment)).toEqual([toMoment(now), toMoment(now) + 1])
  })
})

test.each([['sid'], ['account_sid'], ['service_provider_sid']] as const)(
  'entries of one %s are found in its index, in their order',
  async (column) => {
    const rows = names('e', 500).map((name, nth) => ({ ...entry(name), [column]: `s${nth % 50}`, moment: nth }))
    await database.db.insertInto('patchbay_audit_trail').values(rows).execute()
    const query = auditEntries(database.db, database.engine)
      .selectAll()
      .where(column, '=', 's7')
      .orderBy('moment', 'desc')
      .limit(25)
    const plan = JSON.stringify(isMysql ? await query.explain() : await query.explain(undefined, sql`QUERY PLAN`))
    expect(plan).toMatch(isMysql ? `"key":"${indexByColumn[column]}"` : `USING INDEX ${indexByColumn[column]} (`)
    expect(plan).not.toMatch(/filesort|temp b-tree/i)
  },
)

test('entries of the first table are moved with their times and in order, even if an earlier start was killed', async () => {
  const { db } = database
  const moment = isMysql ? 'BIGINT' : 'INTEGER'
  const columns = Object.keys(entry('')).filter((column) => column !== 'times')
  const columnDefinitions = columns.map((column) => `${isMysql ? `\`${column}\`` : `"${column}"`} TEXT`).join(', ')
  await sql
    .raw(
      `CREATE TABLE patchbay_audit (entry_sid VARCHAR(36) PRIMARY KEY, at ${moment}, turn INTEGER, times INTEGER, ${columnDefinitions})`,
    )
    .execute(db)
  // More entries in one millisecond than it has microseconds, and one immediately after it.
  const first = Array.from({ length: 1200 }, (_, turn) => ({ entry_sid: `e${turn}`, at: 5000, turn }))
  const rows = [...first, { entry_sid: 'last', at: 5001, turn: 0 }, { entry_sid: 'later', at: 7000, turn: 0 }]
  for (let start = 0; start < rows.length; start += 50)
    await db
      .insertInto('patchbay_audit' as 'patchbay_audit_trail')
      .values(rows.slice(start, start + 50).map((row) => ({ ...entry(row.entry_sid), ...row }) as never))
      .execute()
  await db
    .deleteFrom('patchbay_migrations' as never)
    // Also undoes the later migrations.
    .where('name' as never, '>=', '0004-audit-trail' as never)
    .execute()
  // Simulates a start that was killed between the copy and the removal of the first table.
  if (isMysql)
    await db
      .insertInto('patchbay_audit_trail')
      .values({ ...entry('e0'), moment: toMoment(5000) })
      .execute()
  else await sql`DROP TABLE patchbay_audit_trail`.execute(db)
  await migrate(database)
  const moved = await readEntries()
  expect(moved.map(({ name }) => name)).toEqual(rows.map(({ entry_sid }) => entry_sid))
  expect([moved[0]?.moment, moved.at(-1)?.moment]).toEqual([toMoment(5000), toMoment(7000)])
  const tables = await db.introspection.getTables()
  expect(tables.map(({ name }) => name)).not.toContain('patchbay_audit')
})
