import { type ClickHouse, toApiError } from '@patchbay/server/call-data/clickhouse/clickhouse'
import { returnAlerts } from '@patchbay/server/call-data/clickhouse/return-alerts'
import { StatementError } from '@patchbay/server/call-data/clickhouse/run-statement'
import type { Database } from '@patchbay/server/database/engine'
import { openMigrated } from '@patchbay/server/database/migrations'
import { createAlertReturn } from '@patchbay/server/jobs/return-alerts'
import { openClickHouseApi } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-api'
import { startMariaDb } from '@patchbay/testkit/servers/mariadb'
import { member, testConfiguration } from '@patchbay/testkit/test-api'
import { beforeEach, expect, test } from 'vitest'
import { runDeletions } from '../test/deletion-support.ts'
import { alertRecord } from '../test/fixtures.ts'

/** Alerts are in the database also if ClickHouse stores the calls. Earlier versions moved them to ClickHouse. */

const { server, api } = await openClickHouseApi()
const { clickHouse } = api
if (clickHouse === undefined) throw new Error('ClickHouse is not configured')

let provider: string
let account_sid: string

beforeEach(async () => {
  provider = await api.provider()
  account_sid = await api.account(provider)
})

/** Creates the table of an earlier version with alerts, a second apart, each of which is in it twice. */
const storeMoved = async (count: number, group_key = 'group'): Promise<void> => {
  await server.query('DROP TABLE IF EXISTS alerts')
  await server.query(
    `CREATE TABLE alerts (account_sid LowCardinality(String), service_provider_sid LowCardinality(String),
       raised_at Int64, fingerprint String, group_key String, alert_type LowCardinality(String), message String,
       detail Nullable(String), target_sid Nullable(String), vendor LowCardinality(Nullable(String)), extra String)
     ENGINE = MergeTree PARTITION BY toYYYYMM(fromUnixTimestamp64Nano(raised_at, 'UTC'))
     ORDER BY (account_sid, raised_at, fingerprint)`,
  )
  const start = `(1790000000000000000 + toInt64(number) * 1000000000 + 7)`
  const insert = () =>
    server.query(
      `INSERT INTO alerts SELECT if(number % 10 = 0, '', '${account_sid}'), '${provider}', ${start},
         lower(hex(SHA256(concat('${account_sid}', toString(number))))), '${group_key}', 'webhook-failure',
         concat('message ', toString(number)), NULL, NULL, NULL, '' FROM numbers(${count})`,
    )
  await insert()
  await insert()
}

const listStored = (database: Database = api.test.database) =>
  database.db
    .selectFrom('patchbay_alerts')
    .selectAll()
    .where('service_provider_sid', '=', provider)
    .orderBy('raised_at')
    .execute()

/** Returns the number of different alerts in ClickHouse. */
const countMoved = async () => Number(await server.query('SELECT uniqExact(fingerprint) FROM alerts'))

const run = (client: ClickHouse = clickHouse, onProgress: () => Promise<unknown> = () => Promise.resolve()) =>
  returnAlerts(
    { clickHouse: client, database: api.test.database, onProgress, settleMs: 0 },
    new AbortController().signal,
  )

test('alerts are stored once, listed, and kept without ClickHouse', async () => {
  const record = alertRecord({ account_sid, service_provider_sid: provider })
  await api.sinks.alerts.store([record])
  await server.kill()
  await api.sinks.alerts.store([record, alertRecord({ account_sid, service_provider_sid: provider, message: 'b' })])
  const answer = await api.admin.get(`/Accounts/${account_sid}/Alerts?page=1&count=25&start=2000-01-01`)
  expect([answer.status, (answer.body as { total: number }).total]).toEqual([200, 2])
  await server.restart()
})

test('alerts of an earlier version return to the database once, with their groups and without deliveries', async () => {
  const body = { name: 'a', kind: 'slack', target: 'https://hooks.example.org/x', account_sid }
  member(await api.admin.post('/patchbay/alert-destinations', body), 'sid')
  await storeMoved(12_000, '')
  const { counters } = api.services
  const job = createAlertReturn({ counters, returnAlerts: (onProgress) => run(clickHouse, onProgress) })
  await job()
  const rows = await listStored()
  expect(rows).toHaveLength(12_000)
  expect(rows[0]).toMatchObject({ account_sid: null, raised_at: 1_790_000_000_000, raised_ns: 7, extra: null })
  expect(rows[11_999]).toMatchObject({ account_sid, message: 'message 11999', group_key: expect.stringMatching(/./) })
  expect(new Set(rows.map(({ group_key }) => group_key)).size).toBe(2)
  await expect.poll(countMoved).toBe(0)
  expect(await api.test.database.db.selectFrom('patchbay_alert_deliveries').selectAll().execute()).toEqual([])
  await job()
  expect(await run()).toBe(true)
  // A process of an earlier version that still runs keeps its alerts in the database.
  await expect(server.query("INSERT INTO alerts (message) VALUES ('late')")).rejects.toThrow(
    /alerts_are_in_the_database|alerts_return/,
  )
})

test('an installation without moved alerts has nothing to return', async () => {
  await server.query('DROP TABLE IF EXISTS alerts')
  expect(await run()).toBe(true)
})

test('a return that fails continues later, and loses nothing', async () => {
  await storeMoved(12_000)
  let batches = 0
  const failing: ClickHouse = {
    ...clickHouse,
    query(statement, parameters, signal) {
      if (statement.includes('LIMIT 1 BY')) batches += 1
      const error = toApiError(new StatementError('Code: 159. Timeout exceeded', undefined), signal)
      return batches === 2 ? Promise.reject(error) : clickHouse.query(statement, parameters, signal)
    },
  }
  await expect(run(failing)).rejects.toMatchObject({ code: 'unavailable' })
  const first = await listStored()
  expect([first.length, first[0]?.message]).toEqual([5000, 'message 7000'])
  await server.kill()
  await expect(run()).rejects.toMatchObject({ code: 'unavailable' })
  await server.restart()
  const aborted = AbortSignal.abort()
  await expect(returnAlerts({ clickHouse, database: api.test.database, settleMs: 0 }, aborted)).rejects.toBeInstanceOf(
    Error,
  )
  expect(await countMoved()).toBe(12_000)
  expect(await run()).toBe(true)
  expect(await listStored()).toHaveLength(12_000)
})

test('alerts that are deleted while they return do not come back', async () => {
  await storeMoved(30)
  let isDeleted = false
  const slow: ClickHouse = {
    ...clickHouse,
    async query(statement, parameters, signal) {
      const rows = await clickHouse.query<never>(statement, parameters, signal)
      if (statement.includes('LIMIT 1 BY') && !isDeleted) {
        isDeleted = true
        await api.admin.delete(`/Accounts/${account_sid}`)
        await runDeletions(api)
      }
      return rows
    },
  }
  expect(await run(slow)).toBe(true)
  expect((await listStored()).map((row) => row.account_sid)).toEqual([null, null, null])
})

test('a deletion of call data includes alerts that have not returned', async () => {
  await storeMoved(30)
  await api.admin.post(`/patchbay/Accounts/${account_sid}/DataDeletions`, {})
  await runDeletions(api)
  expect(await countMoved()).toBe(3)
  expect(await run()).toBe(true)
  expect(await listStored()).toHaveLength(3)
})

test('alerts return to MariaDB', async () => {
  const mariadb = await startMariaDb()
  try {
    await storeMoved(12_000)
    const url = await mariadb.createDatabase('returned_alerts')
    const { database } = await openMigrated(testConfiguration({ DATABASE_URL: url }).database)
    expect(await returnAlerts({ clickHouse, database, settleMs: 0 }, new AbortController().signal)).toBe(true)
    expect(await listStored(database)).toHaveLength(12_000)
    await database.close()
  } finally {
    await mariadb.stop()
  }
})
