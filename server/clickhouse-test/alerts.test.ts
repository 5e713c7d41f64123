import type { ClickHouse } from '@patchbay/server/call-data/clickhouse/clickhouse'
import { moveAlerts } from '@patchbay/server/call-data/clickhouse/alert-mover'
import { createSqlAlertSink } from '@patchbay/server/call-data/alerts/sql-alerts'
import type { AlertRecord } from '@patchbay/server/call-data/alerts/alert-record'
import { createQuotas } from '@patchbay/server/call-data/quotas/quotas'
import { openMigrated } from '@patchbay/server/database/migrations'
import { type ClickHouseServer, startClickHouse } from '@patchbay/testkit/clickhouse/clickhouse'
import { startMariaDb } from '@patchbay/testkit/mariadb'
import { createTestApi, member, type TestApi, testConfiguration } from '@patchbay/testkit/test-api'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { alertRecord, nanosecondsAt } from '../test/fixtures.ts'

/** Alerts wait in the database until ClickHouse has stored them, and until their deliveries are complete. */

let server: ClickHouseServer
let api: TestApi
let clickHouse: ClickHouse
let provider: string
let account_sid: string

beforeAll(async () => {
  server = await startClickHouse()
  api = await createTestApi(server.settings)
  if (api.clickHouse === undefined) throw new Error('ClickHouse is not configured')
  clickHouse = api.clickHouse
})

afterAll(async () => {
  await api.close()
  await server.stop()
})

beforeEach(async () => {
  provider = await api.provider()
  account_sid = await api.account(provider)
})

const createAlerts = (count: number, more: Partial<AlertRecord> = {}): AlertRecord[] =>
  Array.from({ length: count }, (_, index) =>
    alertRecord({
      account_sid,
      service_provider_sid: provider,
      time: nanosecondsAt(Date.now() - 60_000) + BigInt(index),
      detail: randomUUID(),
      ...more,
    }),
  )

const search = (owner = { account_sid } as { account_sid: string } | { service_provider_sid: string }) =>
  api.services.alerts.search({ owner, page: 1, pageSize: 100 })

const listInDatabase = () =>
  api.test.database.db.selectFrom('patchbay_alerts').selectAll().where('account_sid', '=', account_sid).execute()

const listDeliveries = () => api.test.database.db.selectFrom('patchbay_alert_deliveries').selectAll().execute()

test('alerts are listed at once, for the account and its provider, and then leave the database', async () => {
  const alerts = createAlerts(30)
  await api.sinks.alerts.store(alerts)
  expect((await search()).total).toBe(30)
  expect((await search({ service_provider_sid: provider })).total).toBe(30)
  await api.moveAlerts()
  expect(await listInDatabase()).toEqual([])
  const { total, alerts: found } = await search()
  expect(total).toBe(30)
  expect(new Set(found.map(({ detail }) => detail))).toEqual(new Set(alerts.map(({ detail }) => detail)))
})

test('alerts of an earlier version, and those that Patchbay raises itself, are moved', async () => {
  await createSqlAlertSink(api.test.database).store(createAlerts(1500, { alert_type: 'webhook-failure' }))
  await api.test.database.db.updateTable('patchbay_alerts').set({ group_key: null }).execute()
  const quotas = createQuotas({
    database: api.test.database,
    limits: { callDataRowsPerDay: 10, recordingBytes: 0 },
    logger: api.app.log,
  })
  await quotas.admit('calls', account_sid, 20)
  await api.moveAlerts()
  expect(await listInDatabase()).toEqual([])
  const { total, alerts } = await search()
  expect(total).toBe(1501)
  expect(alerts[0]).toMatchObject({ alert_type: 'account-quota-reached', account_sid })
  const groups = await api.services.alertGroups.search(
    { owner: { account_sid }, page: 1, pageSize: 10, hidesAcknowledged: false },
    { owner: 'test' },
  )
  expect(groups).toMatchObject({ total: 2, alertCount: 1501, groupedCount: 1501, openCount: 1501 })
})

test('a repeated alert is stored and delivered once, also after it has left the database', async () => {
  await api.admin.post('/patchbay/alert-destinations', {
    name: 'operations',
    kind: 'slack',
    target: 'https://hooks.example.org/x',
    account_sid,
  })
  const alerts = createAlerts(2)
  await api.sinks.alerts.store([...alerts, ...alerts])
  expect(await listDeliveries()).toHaveLength(2)
  await api.test.database.db.updateTable('patchbay_alert_deliveries').set({ state: 'delivered' }).execute()
  await api.moveAlerts()
  expect(await listInDatabase()).toEqual([])
  await api.sinks.alerts.store([...alerts, ...createAlerts(1, { message: 'another' })])
  expect(await listDeliveries()).toHaveLength(3)
  expect((await search()).total).toBe(3)
})

test('an alert stays in the database as long as a delivery waits', async () => {
  const created = await api.admin.post('/patchbay/alert-destinations', {
    name: 'operations',
    kind: 'slack',
    target: 'https://hooks.example.org/x',
    account_sid,
    types: ['webhook-failure'],
  })
  const alert_destination_sid = member(created, 'sid')
  const [awaited, other] = [
    createAlerts(1, { alert_type: 'webhook-failure' }),
    createAlerts(1, { alert_type: 'tts-failure' }),
  ]
  await api.sinks.alerts.store([...awaited, ...other])
  await api.moveAlerts()
  expect(await listInDatabase()).toMatchObject([{ alert_type: 'webhook-failure' }])
  expect((await search()).total).toBe(2)
  await api.test.database.db
    .updateTable('patchbay_alert_deliveries')
    .set({ state: 'given_up' })
    .where('alert_destination_sid', '=', alert_destination_sid)
    .execute()
  await api.moveAlerts()
  expect(await listInDatabase()).toEqual([])
  expect((await search()).total).toBe(2)
})

test('alerts that two processes have stored at the same time are listed and counted once', async () => {
  const message = 'https://example.org/hook returned 500'
  await api.sinks.alerts.store(createAlerts(5, { alert_type: 'webhook-failure', message }))
  await server.query(`INSERT INTO alerts SELECT * FROM alerts WHERE account_sid = '${account_sid}'`)
  const { total, alerts } = await search()
  expect([total, alerts.length]).toEqual([5, 5])
  const groups = await api.services.alertGroups.search(
    { owner: { account_sid }, page: 1, pageSize: 10, hidesAcknowledged: false },
    { owner: 'test' },
  )
  expect(groups).toMatchObject({ alertCount: 5, openCount: 5, groups: [{ count: 5, openCount: 5 }] })
})

test('the log of a destination has the messages of alerts that have left the database', async () => {
  const destinations: string[] = []
  for (const owner of [{ account_sid }, { service_provider_sid: provider }]) {
    const body = { name: 'log', kind: 'slack', target: 'https://hooks.example.org/x', ...owner }
    destinations.push(member(await api.admin.post('/patchbay/alert-destinations', body), 'sid'))
  }
  await api.sinks.alerts.store(createAlerts(2, { message: 'x'.repeat(1200) }))
  await api.test.database.db.updateTable('patchbay_alert_deliveries').set({ state: 'delivered' }).execute()
  await api.moveAlerts()
  expect(await listInDatabase()).toEqual([])
  const readMessages = async (sid: string) => {
    const { status, body } = await api.admin.get(`/patchbay/alert-destinations/${sid}/deliveries?page=1&count=10`)
    return [status, (body as { data: { message: string | null }[] }).data.map(({ message }) => message)]
  }
  const message = 'x'.repeat(1000)
  for (const sid of destinations) expect(await readMessages(sid)).toEqual([200, [message, message]])
  await server.kill()
  expect(await readMessages(destinations[0] ?? '')).toEqual([200, [null, null]])
  await server.restart()
})

test('the list of a provider uses the projection', async () => {
  await api.sinks.alerts.store(createAlerts(3))
  const explained = await server.query(
    `EXPLAIN indexes = 1, projections = 1 SELECT * FROM alerts WHERE service_provider_sid = '${provider}'
     ORDER BY raised_at DESC, fingerprint DESC LIMIT 25 FORMAT TabSeparatedRaw`,
  )
  expect(explained).toMatch(/by_provider/)
})

describe('without ClickHouse', () => {
  test('alerts wait in the database, and are listed when ClickHouse is back', async () => {
    const alerts = createAlerts(20)
    await api.sinks.alerts.store(alerts.slice(0, 5))
    await server.kill()
    await api.sinks.alerts.store(alerts.slice(0, 10))
    await api.sinks.alerts.store(alerts.slice(5))
    expect((await listInDatabase()).length).toBeGreaterThanOrEqual(15)
    await expect(search()).rejects.toMatchObject({ code: 'unavailable' })
    await expect(api.moveAlerts()).rejects.toMatchObject({ code: 'unavailable' })
    expect((await listInDatabase()).length).toBeGreaterThanOrEqual(15)
    await server.restart()
    await api.moveAlerts()
    expect(await listInDatabase()).toEqual([])
    expect((await search()).total).toBe(20)
  })
})

test('alerts in MariaDB are moved', async () => {
  const mariadb = await startMariaDb()
  try {
    const url = await mariadb.createDatabase('moved_alerts')
    const { database } = await openMigrated(testConfiguration({ DATABASE_URL: url }).database)
    await createSqlAlertSink(database).store(createAlerts(2500))
    await moveAlerts({ clickHouse, prepare: () => Promise.resolve(), database })
    expect(await database.db.selectFrom('patchbay_alerts').selectAll().execute()).toEqual([])
    await database.close()
    expect((await search()).total).toBe(2500)
  } finally {
    await mariadb.stop()
  }
})
