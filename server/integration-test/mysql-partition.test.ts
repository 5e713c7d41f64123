import { EventEmitter, once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { classifyDbError, type Database, inTransaction, openDatabase } from '@patchbay/server/database/engine'
import { sqliteReader } from '@patchbay/server/database/sqlite-reader'
import { createCertificate } from '@patchbay/testkit/fakes/certificate'
import { type PartitionProxy, startPartitionProxy } from '@patchbay/testkit/peers/partition-proxy'
import { type MariaDb, startMariaDb } from '@patchbay/testkit/servers/mariadb'
import { sql } from 'kysely'
import { type Connection, createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** The host of a database disappears: its connections stay open, and nothing arrives on them any more. */

const folder = mkdtempSync(join(tmpdir(), 'patchbay-partition-'))
const certificate = createCertificate(folder, 'database', 'DNS:localhost')
const row = { setting: 'partition', value: 'before' }

let mariadb: MariaDb
/** Connection that the proxy does not affect. */
let direct: Connection
let databaseUrl: string

beforeAll(async () => {
  mariadb = await startMariaDb([`--ssl-cert=${certificate.cert}`, `--ssl-key=${certificate.key}`])
  databaseUrl = await mariadb.createDatabase('partition')
  direct = await createConnection(databaseUrl)
  await direct.query('CREATE TABLE patchbay_settings (setting VARCHAR(40) PRIMARY KEY, value VARCHAR(40))')
  await direct.query('INSERT INTO patchbay_settings SET ?', row)
})
afterAll(async () => {
  await direct.end()
  await mariadb.stop()
  rmSync(folder, { recursive: true })
})

const connections = 5
/** Connections that short reads share. */
const shared = 2

interface Options {
  responseTimeoutSeconds?: number
  ca?: string
}

/** Runs a test with a database behind a proxy. */
const withProxy = async (options: Options, work: (database: Database, proxy: PartitionProxy) => Promise<void>) => {
  const proxy = await startPartitionProxy(mariadb.port)
  const url = new URL(databaseUrl)
  url.host = `localhost:${proxy.port}`
  const database = openDatabase({ engine: 'mysql', url: url.href, connections, ...options }, sqliteReader)
  try {
    await work(database, proxy)
  } finally {
    await database.close()
    proxy.stop()
  }
}

const read = async ({ db }: Database) =>
  (await db.selectFrom('patchbay_settings').select('value').execute()).map(({ value }) => value)

/** Runs a statement for a number of seconds. The others of the database are shorter. */
const sleep = ({ reader }: Database, seconds: number) =>
  reader.selectNoFrom(sql<number>`SLEEP(${sql.lit(seconds)})`.as('interrupted')).executeTakeFirstOrThrow()

/** Counts more combinations than a server can in a year. */
const countCombinations = ({ reader }: Database) => {
  const tables = Array.from({ length: 6 }, (_, position) => sql.raw(`information_schema.collations AS c${position}`))
  return sql`SELECT COUNT(*) FROM ${sql.join(tables)}`.execute(reader)
}

const write = (database: Database, value: string) =>
  inTransaction(database, (trx) => trx.updateTable('patchbay_settings').set({ value }).execute())

const classifyOutcome = async (work: Promise<unknown>) => {
  const [result] = await Promise.allSettled([work])
  return result.status === 'rejected' ? classifyDbError(result.reason)?.fault : 'none'
}

const responseTimeoutSeconds = 3

test.each([
  { name: 'without TLS', options: {} },
  { name: 'with TLS', options: { ca: readFileSync(certificate.cert, 'utf8') } },
])('statements on lost connections fail as unreachable, and later ones reach the new host $name', ({ options }) =>
  withProxy({ responseTimeoutSeconds, ...options }, async (database, proxy) => {
    // Opens all connections.
    await Promise.all(Array.from({ length: 50 }, () => read(database)))
    await Promise.all(Array.from({ length: connections }, () => sleep(database, 0)))
    expect(proxy.openConnections()).toBeGreaterThan(connections - 2)
    proxy.partition()
    const lost = [
      ...Array.from({ length: 300 }, () => read(database)),
      ...Array.from({ length: 10 }, () => write(database, 'lost')),
      sleep(database, 0),
    ]
    expect(new Set(await Promise.all(lost.map(classifyOutcome)))).toEqual(new Set(['unreachable']))
    proxy.replaceHost()
    expect(await Promise.all(Array.from({ length: 50 }, () => read(database)))).toEqual(
      Array.from({ length: 50 }, () => [row.value]),
    )
    await write(database, row.value)
    await expect.poll(() => proxy.openConnections()).toBeLessThanOrEqual(connections)
    expect(database.pools()).toMatchObject([{ inUse: 0, waiting: 0 }, { inUse: 0 }])
  }),
)

test('a transaction on a lost connection is rolled back, and its locks are released', ({ skip }) =>
  withProxy({ responseTimeoutSeconds }, async (database, proxy) => {
    skip(mariadb.isMysql, 'MySQL does not limit the time of idle transactions.')
    const fault = classifyOutcome(
      inTransaction(database, async (trx) => {
        await trx.updateTable('patchbay_settings').set({ value: 'uncommitted' }).execute()
        proxy.partition()
        await trx.selectFrom('patchbay_settings').select('value').execute()
      }),
    )
    expect(await fault).toBe('unreachable')
    // This statement waits until the server has released the lock of the row.
    await direct.query('UPDATE patchbay_settings SET value = CONCAT(value, ?)', ['!'])
    proxy.replaceHost()
    expect(await read(database)).toEqual([`${row.value}!`])
    await write(database, row.value)
  }))

test('a lost connection during COMMIT is an unknown outcome', () =>
  withProxy({ responseTimeoutSeconds }, async (database, proxy) => {
    const outcome = inTransaction(database, async (trx) => {
      await trx.updateTable('patchbay_settings').set({ value: 'uncommitted' }).execute()
      proxy.partition()
    })
    await expect(outcome).rejects.toMatchObject({
      message: expect.stringContaining('lost during COMMIT') as unknown,
      cause: { message: expect.stringContaining('did not respond in time') as unknown },
    })
  }))

test('connection attempts fail as unreachable while the host does not respond', () =>
  withProxy({ responseTimeoutSeconds }, async (database, proxy) => {
    proxy.partition()
    const attempts = Array.from({ length: 300 }, () => classifyOutcome(read(database)))
    expect(new Set(await Promise.all(attempts))).toEqual(new Set(['unreachable']))
    await expect.poll(() => proxy.openConnections()).toBe(0)
    proxy.replaceHost()
    expect(await read(database)).toEqual([row.value])
  }))

test('connections that were idle for longer than the limit are replaced without an error', () =>
  withProxy({ responseTimeoutSeconds }, async (database, proxy) => {
    await Promise.all([read(database), read(database), write(database, row.value)])
    expect(proxy.openConnections()).toBeGreaterThan(0)
    await expect.poll(() => proxy.openConnections()).toBe(0)
    expect(await read(database)).toEqual([row.value])
    await write(database, row.value)
  }))

test('statements may take as long as they need without a limit, and no longer than the limit', async () => {
  await withProxy({}, async (database) => {
    expect(await sleep(database, responseTimeoutSeconds + 1)).toEqual({ interrupted: 0 })
  })
  await withProxy({ responseTimeoutSeconds }, async (database) => {
    // On MySQL, the limit ends SLEEP() without an error.
    expect(await classifyOutcome(countCombinations(database))).toBe('timeout')
    expect(await read(database)).toEqual([row.value])
  })
})

test('a transaction waits for a connection no longer than the limit, and is not made later', () =>
  withProxy({ responseTimeoutSeconds }, async (database) => {
    const release = new EventEmitter()
    const released = once(release, 'now')
    let used = 0
    const holding = Array.from({ length: connections - shared }, () =>
      inTransaction(database, async (trx) => {
        await trx.selectFrom('patchbay_settings').select('value').execute()
        used += 1
        await released
      }),
    )
    await expect.poll(() => used).toBe(holding.length)
    expect(await classifyOutcome(write(database, 'late'))).toBe('unreachable')
    release.emit('now')
    await Promise.allSettled(holding)
    expect(await read(database)).toEqual([row.value])
  }))

test('closing the database waits for the results of pending statements', () =>
  withProxy({}, async (database) => {
    const results = Promise.all([sleep(database, 1), sleep(database, 1)])
    await expect.poll(() => database.pools()[0]?.inUse).toBe(2)
    await database.close()
    expect(await results).toEqual([{ interrupted: 0 }, { interrupted: 0 }])
  }))
