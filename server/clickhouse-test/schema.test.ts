import { randomUUID } from 'node:crypto'
import { dayMs } from '@patchbay/contract/shared/durations'
import { createClickHouse } from '@patchbay/server/call-data/clickhouse/clickhouse'
import { migrateClickHouse } from '@patchbay/server/call-data/clickhouse/migrate-clickhouse'
import { durationClass, hourOfCall, schemaVersion } from '@patchbay/server/call-data/clickhouse/schema'
import { matchingByIndex } from '@patchbay/server/call-data/clickhouse/where'
import {
  type ClickHouseDatabase,
  createClickHouseDatabase,
} from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { createTestApi, type TestApi, testConfiguration } from '@patchbay/testkit/test-api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { callRecord, nanosecondsAt } from '../test/fixtures.ts'

let database: ClickHouseDatabase
let api: TestApi

beforeEach(async () => {
  database = await createClickHouseDatabase()
  api = await createTestApi(database.settings)
})

afterEach(async () => {
  await api.close()
  await database.drop()
})

const connect = async () => {
  const { clickHouse } = testConfiguration(database.settings)
  if (clickHouse === null) throw new Error('ClickHouse is not configured')
  return createClickHouse(clickHouse)
}

const store = async (calls: Parameters<typeof callRecord>[1][]) => {
  const account_sid = randomUUID()
  await api.sinks.calls.store(
    calls.map((call) => callRecord(account_sid, { service_provider_sid: 'provider', ...call })),
  )
  return account_sid
}

const readVersions = async () =>
  database.query("SELECT max(value) FROM patchbay_schema WHERE name = 'version' FORMAT TabSeparated")

test('processes that start at the same time, or again, create the tables once', async () => {
  const clients = await Promise.all([connect(), connect(), connect()])
  await Promise.all(clients.map((client) => migrateClickHouse(client, 0)))
  await Promise.all(clients.map((client) => migrateClickHouse(client, 30)))
  expect(await readVersions()).toBe(`${schemaVersion}\n`)
  expect(await database.query('SHOW TABLES FORMAT TabSeparated')).toBe(
    'call_costs\ncall_hours\ncall_ids\ncalls\nfill_call_hours\nfill_call_ids\nfill_id_days_of_log_parts\n' +
      'fill_id_days_of_sip_messages\nfill_id_days_of_trace_parts\nid_days\nlog_parts\npatchbay_schema\nsip_messages\n' +
      'trace_parts\ntranscript_tokens\n',
  )
  await Promise.all(clients.map((client) => client.close()))
})

test('a migration that was interrupted is completed', async () => {
  const client = await connect()
  await migrateClickHouse(client, 0)
  await database.query('DROP VIEW fill_call_hours')
  await database.query('TRUNCATE TABLE patchbay_schema')
  await migrateClickHouse(client, 0)
  const account_sid = await store([{ call_sid: 'one' }])
  expect(await database.query(`SELECT sum(calls) FROM call_hours WHERE owner_sid = '${account_sid}'`)).toBe('1\n')
  await client.close()
})

test('rejects tables of a newer version', async () => {
  const client = await connect()
  await migrateClickHouse(client, 0)
  await database.query(`INSERT INTO patchbay_schema (name, value) VALUES ('version', ${schemaVersion + 1})`)
  await expect(migrateClickHouse(client, 0)).rejects.toThrow(
    `The tables in ClickHouse (CLICKHOUSE_URL) have version ${schemaVersion + 1}, and this version of Patchbay ` +
      `supports versions up to ${schemaVersion}. Start the newer version of Patchbay.`,
  )
  await client.close()
})

/** Counts calls with the expressions of the projection `by_outcome`. */
const countByDuration = `SELECT ${hourOfCall} AS hour, count() AS calls FROM calls WHERE ${durationClass} >= 0 GROUP BY hour`

const readsProjection = async () => (await database.query(`EXPLAIN ${countByDuration}`)).includes('by_outcome')

test('calls are counted by duration, also those that were stored by an earlier version', async () => {
  const client = await connect()
  await migrateClickHouse(client, 0)
  await client.command('ALTER TABLE calls DROP PROJECTION by_outcome')
  const account_sid = await store([3, 4, 5, 59, 60].map((duration) => ({ call_sid: `lasts ${duration} s`, duration })))
  const findTotal = async () =>
    (
      await api.services.calls.search({
        owner: { account_sid },
        min_duration: 5,
        max_duration: 59,
        page: 1,
        pageSize: 25,
      })
    ).total
  expect([await readsProjection(), await findTotal()]).toEqual([false, 2])
  await client.command(
    "ALTER TABLE patchbay_schema DELETE WHERE name = 'version' AND value > 4 SETTINGS mutations_sync = 1",
  )
  await migrateClickHouse(client, 0)
  await expect.poll(readsProjection).toBe(true)
  expect(await findTotal()).toBe(2)
  await client.close()
})

test('an index finds the numbers of calls, also of those that were stored by an earlier version', async () => {
  const client = await connect()
  await migrateClickHouse(client, 0)
  await client.command('ALTER TABLE calls DROP INDEX numbers SETTINGS mutations_sync = 1')
  const account_sid = await store([
    { call_sid: 'one', from: '+15085551079', to: null },
    { call_sid: 'two', from: null, to: '15085551079' },
    { call_sid: 'three', from: 'alice', to: '15085552000' },
  ])
  const search = { owner: { account_sid }, page: 1, pageSize: 25 }
  const findTotals = () =>
    Promise.all(
      ['5551079', 'alice', '555', '0000'].map(
        async (text) => (await api.services.calls.search({ ...search, text })).total,
      ),
    )
  expect(await findTotals()).toEqual([2, 1, 3, 0])
  await client.command(
    "ALTER TABLE patchbay_schema DELETE WHERE name = 'version' AND value > 5 SETTINGS mutations_sync = 1",
  )
  await migrateClickHouse(client, 0)
  const { conditions } = matchingByIndex({ owner: { account_sid }, text: '7777' }) ?? { conditions: [] }
  const explain = `EXPLAIN indexes = 1 SELECT count() FROM calls WHERE ${conditions
    .join(' AND ')
    .replace('{owner:String}', `'${account_sid}'`)
    .replace('{text_pattern:String}', "'%7777%'")} FORMAT TabSeparatedRaw`
  await expect.poll(() => database.query(explain)).toMatch(/Name: numbers[^]*Granules: 0\/1/)
  expect(await findTotals()).toEqual([2, 1, 3, 0])
  await api.sinks.calls.store([callRecord(account_sid, { call_sid: 'four', from: '15085551079' })])
  expect(await findTotals()).toEqual([3, 1, 4, 0])
  await client.close()
})

test('ClickHouse deletes call records, their ids, and their sums after the retention period', async () => {
  const client = await connect()
  const old = { call_sid: 'old', time: nanosecondsAt(Date.now() - 31 * dayMs) }
  const last = { call_sid: 'last', time: 2n ** 63n - 1n }
  await store([
    old,
    { ...old, call_sid: 'older', time: -1n },
    { call_sid: 'new', time: nanosecondsAt(Date.now()) },
    last,
  ])
  const count = async () => {
    for (const table of ['calls', 'call_ids', 'call_hours']) await database.query(`OPTIMIZE TABLE ${table} FINAL`)
    return database.query(
      `SELECT (SELECT count() FROM calls), (SELECT uniqExact(attempted_at) FROM call_ids), (SELECT sum(calls) FROM call_hours),
         (SELECT sum(calls) FROM (${countByDuration})) FORMAT TabSeparated`,
    )
  }
  expect(await count()).toBe('4\t4\t8\t4\n')
  await migrateClickHouse(client, 32)
  expect(await count()).toBe('3\t3\t6\t3\n')
  await migrateClickHouse(client, 30)
  expect(await count()).toBe('2\t2\t4\t2\n')
  await migrateClickHouse(client, 0)
  await store([old])
  expect(await count()).toBe('3\t3\t6\t3\n')
  await client.close()
})

test('opening a call reads one partition, and a list of a provider uses the projection', async () => {
  const times = Array.from({ length: 24 }, (_, month) => nanosecondsAt(Date.UTC(2024, month, 15)))
  const account_sid = await store(times.map((time, index) => ({ call_sid: `call-${index}`, time })))
  const explained = await database.query(
    `EXPLAIN indexes = 1 SELECT * FROM calls WHERE (account_sid, attempted_at) IN (
      SELECT account_sid, attempted_at FROM call_ids WHERE id_hash = cityHash64('call_sid', 'call-7')
    ) AND account_sid = '${account_sid}' FORMAT TabSeparatedRaw`,
  )
  expect(explained).toMatch(/Parts: 1\/24/)
  const provider = await database.query(
    `EXPLAIN indexes = 1, projections = 1 SELECT * FROM calls WHERE service_provider_sid = 'provider'
     ORDER BY attempted_at DESC, call_key DESC LIMIT 25 FORMAT TabSeparatedRaw`,
  )
  expect(provider).toMatch(/by_provider/)
})

test('ClickHouse deletes traces, log lines, SIP messages, and their days after the retention period', async () => {
  const client = await connect()
  const now = Date.now()
  for (const [id, days] of [
    ['old', 40],
    ['new', 1],
  ] as const) {
    const at = now - days * dayMs
    for (const table of ['trace_parts', 'log_parts'])
      await database.query(`INSERT INTO ${table} VALUES ('${id}', ${at}, 'key', '', 1, 2, '[]')`)
    await database.query(
      `INSERT INTO sip_messages VALUES ('${id}', ${at * 1000}, 'key', ${at}, 'INVITE', 17, '', 0, '', 0, false, '', NULL, 0)`,
    )
  }
  const tables = ['trace_parts', 'log_parts', 'sip_messages', 'id_days']
  const count = async () => {
    for (const table of tables) await database.query(`OPTIMIZE TABLE ${table} FINAL`)
    return Promise.all(tables.map(async (table) => Number(await database.query(`SELECT count() FROM ${table}`))))
  }
  expect(await count()).toEqual([2, 2, 2, 6])
  await migrateClickHouse(client, 45)
  expect(await count()).toEqual([2, 2, 2, 6])
  await migrateClickHouse(client, 30)
  expect(await count()).toEqual([1, 1, 1, 3])
  await client.close()
})
