import { classifyDbError } from '@patchbay/server/database/engine'
import { mysqlDialect } from '@patchbay/server/database/mysql-dialect'
import { MysqlPool } from '@patchbay/server/database/mysql-pool'
import { mariaDbClient, startMariaDb } from '@patchbay/testkit/servers/mariadb'
import { CompiledQuery, Kysely, sql } from 'kysely'
import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'

/** Connections that short reads share, against a real MariaDB. */

interface Numbers {
  numbers: { id: number; value: string | null; at: string | null; bytes: Uint8Array | null }
}

let url: string
let pool: MysqlPool
let db: Kysely<Numbers>

beforeAll(async () => {
  url = await mariaDbClient(inject('mariadb')).createDatabase()
  pool = new MysqlPool({ engine: 'mysql', url, connections: 4 }, 'main')
  db = new Kysely<Numbers>({ dialect: mysqlDialect({ pool, sharesReads: true }) })
  await sql`CREATE TABLE numbers (id INT PRIMARY KEY, value VARCHAR(40), at DATETIME, bytes MEDIUMBLOB)`.execute(db)
  await db.insertInto('numbers').values({ id: 1, value: 'one', at: '2026-11-26 10:00:00', bytes: null }).execute()
})
afterAll(async () => {
  await db.destroy()
})

const connectionId = sql<number>`CONNECTION_ID()`
const readConnectionId = async (): Promise<number> => {
  const { id } = await db.selectFrom('numbers').select(connectionId.as('id')).executeTakeFirstOrThrow()
  return id
}

/** Reads from a shared connection until the read is killed. */
const readSlowly = () =>
  db
    .selectFrom('numbers')
    .select([sql<number>`SLEEP(300)`.as('slept'), connectionId.as('id')])
    .execute()

/** Connects with another driver, to observe and end slow reads. */
const observe = async () => {
  const connection = await createConnection(url)
  const findSlow = async () => {
    const [rows] = await connection.query(
      "SELECT ID, TIME FROM information_schema.PROCESSLIST WHERE INFO LIKE '%SLEEP(300)%' AND ID != CONNECTION_ID()",
    )
    const [row] = rows as { ID: number; TIME: number }[]
    return row && { id: row.ID, seconds: row.TIME }
  }
  return {
    /** Returns the connection ID of the slow read once it has been running for a while. */
    async waitForSlow(): Promise<number> {
      await expect.poll(async () => (await findSlow())?.seconds ?? 0).toBeGreaterThan(0)
      return (await findSlow())?.id ?? 0
    },
    async kill(what: 'QUERY' | 'CONNECTION', id: number) {
      await connection.query(`KILL ${what} ${id}`)
      await connection.end()
    },
  }
}

test('a slow read does not delay reads that are sent later', async () => {
  const slow = readSlowly().catch((error: unknown) => error)
  const observer = await observe()
  const id = await observer.waitForSlow()
  expect(await Promise.all(Array.from({ length: 100 }, readConnectionId))).not.toContain(id)
  await observer.kill('QUERY', id)
  expect(await slow).toMatchObject({ code: 'ER_QUERY_INTERRUPTED' })
})

test('a lost shared connection fails its pending reads as unreachable, and is replaced', async () => {
  const slow = readSlowly().catch((error: unknown) => error)
  const observer = await observe()
  await observer.kill('CONNECTION', await observer.waitForSlow())
  expect(classifyDbError(await slow)).toEqual({ fault: 'unreachable' })
  await expect(Promise.all(Array.from({ length: 20 }, readConnectionId))).resolves.toHaveLength(20)
})

test('transactions wait for a connection when all are in use', async () => {
  const waiting: (() => void)[] = []
  const run = (id: number) =>
    db.transaction().execute(async (trx) => {
      await trx.insertInto('numbers').values({ id, value: null, at: null, bytes: null }).execute()
      await new Promise<void>((resolve) => waiting.push(resolve))
      return id
    })
  const transactions = [run(11), run(12), run(13)]
  await expect.poll(() => waiting.length).toBe(2)
  expect(pool.use()).toMatchObject({ waiting: 1, max: 4 })
  // Reads have connections of their own.
  await readConnectionId()
  waiting.shift()?.()
  await expect.poll(() => waiting.length).toBe(2)
  for (const finish of waiting) finish()
  expect(await Promise.all(transactions)).toEqual([11, 12, 13])
  expect(pool.use()).toMatchObject({ inUse: 0, waiting: 0 })
})

test('a read with a lock runs in the transaction', async () => {
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('numbers').where('id', '=', 1).select('id').forUpdate().execute()
    const other = await createConnection(url)
    await other.query('SET SESSION innodb_lock_wait_timeout = 0')
    await expect(other.query('UPDATE numbers SET value = 2 WHERE id = 1')).rejects.toMatchObject({ errno: 1205 })
    await other.end()
  })
})

test.each([
  { name: 'read committed', transaction: () => db.transaction().setIsolationLevel('read committed'), after: 'changed' },
  { name: 'by default repeatable read', transaction: () => db.transaction(), after: 'one' },
])('a transaction is isolated: $name', async ({ transaction, after }) => {
  const write = (value: string) => db.updateTable('numbers').set({ value }).where('id', '=', 1).execute()
  await write('one')
  const values = await transaction().execute(async (trx) => {
    const read = () => trx.selectFrom('numbers').select('value').where('id', '=', 1).executeTakeFirst()
    const before = await read()
    await write('changed')
    return [before?.value, (await read())?.value]
  })
  await write('one')
  expect(values).toEqual(['one', after])
})

test('closing the pool rolls back a transaction in progress', async () => {
  const closing = new Kysely<Numbers>({
    dialect: mysqlDialect({ pool: new MysqlPool({ engine: 'mysql', url, connections: 1 }, 'main'), sharesReads: true }),
  })
  const transaction = await closing.startTransaction().execute()
  await transaction.deleteFrom('numbers').where('id', '=', 1).execute()
  await closing.destroy()
  await db.updateTable('numbers').set({ value: 'one' }).where('id', '=', 1).execute()
  expect(await db.selectFrom('numbers').select('id').where('id', '=', 1).execute()).toEqual([{ id: 1 }])
  await expect(transaction.deleteFrom('numbers').execute()).rejects.toThrow(/closed/)
})

test.each([0, -1, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 1_795_687_301_000, Number.MAX_SAFE_INTEGER, 0.5])(
  'the number %s arrives as it was sent',
  async (value) => {
    const [row] = await db
      .selectFrom('numbers')
      .where('id', '=', 1)
      .select([sql<string>`CAST(${value} AS CHAR)`.as('text'), sql<number | string>`${value} DIV 1`.as('whole')])
      .execute()
    expect(row).toEqual({ text: String(value), whole: Math.trunc(value) })
  },
)

test('bytes, times, and NULL arrive as they were stored', async () => {
  const bytes = new Uint8Array(40_000).fill(0xff)
  await db.insertInto('numbers').values({ id: 2, value: 'a \' \\ " 💬', at: null, bytes }).execute()
  const other = await createConnection(url)
  await other.query("SET SESSION sql_mode = ''")
  await other.query("INSERT INTO numbers (id, at) VALUES (3, '0000-00-00 00:00:00')")
  await other.end()
  const rows = await db.selectFrom('numbers').selectAll().where('id', '<', 4).orderBy('id').execute()
  expect(rows).toEqual([
    { id: 1, value: 'one', at: '2026-11-26T10:00:00.000Z', bytes: null },
    { id: 2, value: 'a \' \\ " 💬', at: null, bytes: Buffer.from(bytes) },
    // MySQL stores this day although it does not exist.
    { id: 3, value: null, at: null, bytes: null },
  ])
})

test('a statement that cannot be prepared does not run the previous one with its values', async () => {
  const server = await startMariaDb(['--max-prepared-stmt-count=1'])
  const own = new MysqlPool({ engine: 'mysql', url: await server.createDatabase(), connections: 1 }, 'main')
  const connection = await own.acquire()
  const run = (query: string, ...values: number[]) => connection.run(CompiledQuery.raw(query, values))
  try {
    await run('CREATE TABLE one (id INT)')
    await run('CREATE TABLE other (id INT)')
    await run('INSERT INTO one (id) VALUES (?)', 1)
    const failing = run('INSERT INTO other (id) VALUES (?)', 2)
    await expect(failing).rejects.toMatchObject({ code: 'ER_MAX_PREPARED_STMT_COUNT_REACHED' })
    expect((await run('SELECT id FROM one')).rows).toEqual([{ id: 1 }])
  } finally {
    await own.close()
    await server.stop()
  }
})

test('a value that is undefined is rejected', async () => {
  await expect(db.executeQuery(CompiledQuery.raw('SELECT ?', [undefined]))).rejects.toThrow('undefined')
})

test('errors do not contain values', async () => {
  const error: unknown = await db
    .insertInto('numbers')
    .values({ id: 1, value: 'a secret', at: null, bytes: null })
    .execute()
    .catch((reason: unknown) => reason)
  expect(classifyDbError(error)).toMatchObject({ fault: 'duplicate' })
  expect(String(error)).toMatch(/for key '(numbers\.)?PRIMARY'/)
  expect(String(error)).not.toMatch(/secret|entry '1'/)
})

test('connections whose database is unavailable fail immediately', async () => {
  const closed = new MysqlPool({ engine: 'mysql', url: 'mysql://root@127.0.0.1:1/none', connections: 4 }, 'main')
  const reader = new Kysely<Numbers>({ dialect: mysqlDialect({ pool: closed, sharesReads: true }) })
  const attempts = Array.from({ length: 20 }, () => reader.selectFrom('numbers').select('id').execute())
  for (const attempt of await Promise.allSettled(attempts)) {
    expect(attempt.status).toBe('rejected')
    expect(classifyDbError((attempt as PromiseRejectedResult).reason)).toEqual({ fault: 'unreachable' })
  }
  await reader.destroy()
})
