import { randomUUID } from 'node:crypto'
import type { AlertGroup } from '@patchbay/contract/alert-groups'
import { dayMs } from '@patchbay/contract/shared/durations'
import { groupStoredAlerts } from '@patchbay/server/call-data/alerts/alert-group-keys'
import type { AlertRecord } from '@patchbay/server/call-data/alerts/alert-record'
import { createSqlAlertSink } from '@patchbay/server/call-data/alerts/sql-alerts'
import { migrate } from '@patchbay/server/database/migrations'
import { isClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { callDataPlaces } from './call-data.ts'
import { alertRecord, getRow, nanosecondsAt, readPage, statusAndMessage } from './fixtures.ts'

/** Groups of alerts and their acknowledgments. */

const acknowledgments = '/patchbay/alert-acknowledgments'

/** The members of a request that name a group. */
const toReference = ({ alert_type, account_sid, service_provider_sid, object_kind, object_id }: AlertGroup) => ({
  alert_type,
  account_sid,
  ...(account_sid === null ? { service_provider_sid } : {}),
  object_kind,
  object_id,
})

describe.each(callDataPlaces)('in %s', async (_place, open) => {
  const { api, storeAlerts } = await open()
  let provider: string
  let account_sid: string
  beforeEach(async () => {
    provider = await api.provider()
    account_sid = await api.account(provider)
  })

  const now = Date.now()
  let nanoseconds = 0n
  /** An alert with its own nanosecond, because InfluxDB merges alerts with the same time. */
  const alert = (at: number, more: Partial<AlertRecord> = {}) =>
    alertRecord({
      account_sid,
      service_provider_sid: provider,
      time: nanosecondsAt(at) + (nanoseconds += 1n),
      ...more,
    })
  const store = (...records: AlertRecord[]) => storeAlerts(records)
  const ofAccount = () => `/patchbay/accounts/${account_sid}`
  const ofProvider = () => `/patchbay/service-providers/${provider}`
  const read = (query: Record<string, string> = {}, path = ofAccount(), caller: Caller = api.admin) =>
    readPage(caller, `${path}/alert-groups`, query)
  // The cast is safe: the app itself checks responses against the contract.
  const findGroups = async (query: Record<string, string> = {}, path = ofAccount()) =>
    (await read(query, path)).data as unknown as AlertGroup[]
  const findGroup = async (): Promise<AlertGroup> => {
    const [group] = await findGroups()
    if (group === undefined) throw new Error('no group')
    return group
  }
  const countOpen = async (path = ofAccount()) => getRow(await api.admin.get(`${path}/open-alerts`))['open_count']
  const acknowledge = (group: AlertGroup, more: object = {}, caller: Caller = api.admin) =>
    caller.post(acknowledgments, { ...toReference(group), until: group.last_at, ...more })

  describe('groups', () => {
    test('consist of the alerts with the same type, object, and account, with count, first, and last time', async () => {
      const other = await api.account(provider)
      const call = randomUUID()
      await store(
        alert(now - 4000, { message: 'https://example.org/a?call=1 returned 500' }),
        alert(now - 3000, { message: 'https://example.org/a?call=2 returned 503', target_sid: call }),
        alert(now - 6000, { message: 'https://example.org/b returned 503' }),
        alert(now - 5000, { alert_type: 'no-tts', vendor: 'google', message: 'no credentials' }),
        alert(now - 2000, { account_sid: other, message: 'https://example.org/a returned 500' }),
        alert(now - 1000, { account_sid: null, alert_type: 'service-provider-call-limit', message: 'limit' }),
      )
      const facts = (groups: readonly AlertGroup[]) =>
        groups.map(({ alert_type, object_kind, object_id, count, open_count }) => [
          alert_type,
          object_kind,
          object_id,
          count,
          open_count,
        ])
      expect(facts(await findGroups())).toEqual([
        ['webhook-failure', 'url', 'https://example.org/a', 2, 2],
        ['no-tts', 'vendor', 'google', 1, 1],
        ['webhook-failure', 'url', 'https://example.org/b', 1, 1],
      ])
      expect((await findGroups())[0]).toMatchObject({
        account_sid,
        first_at: new Date(now - 4000).toISOString(),
        last_at: new Date(now - 3000).toISOString(),
        newest: { message: 'https://example.org/a?call=2 returned 503', target_sid: call },
        acknowledgment: null,
      })
      expect((await findGroups({}, ofProvider())).map((group) => [group.account_sid, group.object_kind])).toEqual([
        [null, 'service_provider'],
        [other, 'url'],
        [account_sid, 'url'],
        [account_sid, 'vendor'],
        [account_sid, 'url'],
      ])
      expect(await read({}, ofProvider())).toMatchObject({ total: 5, alert_count: 6, open_count: 6, grouped_count: 6 })
    })

    test('are returned by page, for a period of at most 31 days, and for a type', async () => {
      await store(
        ...Array.from({ length: 5 }, (_, index) => alert(now - index * 1000, { vendor: `vendor ${index}` })),
        alert(now - 20 * dayMs, { alert_type: 'no-stt', vendor: 'old' }),
        alert(now - 40 * dayMs, { vendor: 'older' }),
      )
      const vendors = async (query: Record<string, string>) =>
        (await findGroups(query)).map(({ object_id }) => object_id)
      expect(await read({ count: '2' })).toMatchObject({ total: 6, page: '1', page_size: '2', alert_count: 6 })
      expect(await vendors({ count: '2', page: '2' })).toEqual(['vendor 2', 'vendor 3'])
      expect(await vendors({ count: '2', page: '9' })).toEqual([])
      expect(await vendors({ days: '1' })).not.toContain('old')
      expect(await vendors({ alert_type: 'no-stt' })).toEqual(['old'])
      const start = new Date(now - 50 * dayMs).toISOString()
      const end = new Date(now - 30 * dayMs).toISOString()
      expect(await vendors({ start, end })).toEqual(['older'])
      expect(Date.parse(String(Reflect.get(await read({ start }), 'start')))).toBeGreaterThan(now - 33 * dayMs)
    })
  })

  describe('an acknowledgment', () => {
    test('covers the group up to a time, names who made it, and ends with a newer alert', async () => {
      const user = await api.user({ account_sid, service_provider_sid: provider })
      await store(alert(now - 9000), alert(now - 8000), alert(now - 9500, { alert_type: 'no-tts', vendor: 'google' }))
      const group = await findGroup()
      const sid = member(await acknowledge(group, {}, user.caller), 'sid')
      expect(await findGroups()).toMatchObject([
        {
          open_count: 0,
          count: 2,
          acknowledgment: {
            alert_acknowledgment_sid: sid,
            acknowledged_by: user.name,
            acknowledged_until: group.last_at,
          },
        },
        { alert_type: 'no-tts', open_count: 1, acknowledgment: null },
      ])
      expect(await countOpen()).toBe(1)
      expect((await findGroups({ acknowledged: 'hide' })).map(({ alert_type }) => alert_type)).toEqual(['no-tts'])
      expect(await read({ acknowledged: 'hide' })).toMatchObject({ total: 1, alert_count: 3, open_count: 1 })
      await store(alert(now - 7000))
      expect(await findGroup()).toMatchObject({
        open_count: 1,
        count: 3,
        acknowledgment: { acknowledged_by: user.name },
      })
      expect(await countOpen(ofProvider())).toBe(2)
      const overview = getRow(await api.admin.get(`${ofAccount()}/overview`))
      expect(overview['attention']).toMatchObject([{ kind: 'alerts', count: 2 }])
    })

    test('is undone by its SID, after which the earlier one applies again', async () => {
      await store(alert(now - 9000))
      const first = member(await acknowledge(await findGroup()), 'sid')
      await store(alert(now - 8000))
      const second = member(await acknowledge(await findGroup()), 'sid')
      expect(await countOpen()).toBe(0)
      expect((await api.admin.delete(`${acknowledgments}/${second}`)).status).toBe(204)
      expect(await findGroup()).toMatchObject({ open_count: 1, acknowledgment: { alert_acknowledgment_sid: first } })
      expect((await api.admin.delete(`${acknowledgments}/${second}`)).status).toBe(404)
      expect((await api.admin.delete(`${acknowledgments}/${first}`)).status).toBe(204)
      expect(await findGroup()).toMatchObject({ open_count: 2, acknowledgment: null })
    })

    test('for a single alert covers only this alert, even in an acknowledged group', async () => {
      const [one, two, three] = [alert(now - 9000), alert(now - 8000), alert(now - 7000)]
      await store(one, two, three)
      const [, middle] = (await readPage(api.admin, `/Accounts/${account_sid}/Alerts`, {})).data
      const until = String(middle?.['time'])
      const group = await findGroup()
      const find = async (time: unknown) => {
        const query = new URLSearchParams({
          account_sid,
          alert_type: group.alert_type,
          object_kind: group.object_kind,
          object_id: group.object_id ?? '',
          time: String(time),
        })
        return getRow(await api.admin.get(`${acknowledgments}?${query.toString()}`))['acknowledgment']
      }
      expect(await find(until)).toBeNull()
      const sid = member(await acknowledge(group, { until, is_single: true }), 'sid')
      expect(await findGroup()).toMatchObject({ count: 3, open_count: 2 })
      expect(await find(until)).toMatchObject({ alert_acknowledgment_sid: sid, acknowledged_until: until })
      expect(await find(group.last_at)).toBeNull()
      await acknowledge(group, { until: new Date(now - 8500).toISOString() })
      expect(await findGroup()).toMatchObject({ open_count: 1 })
      await acknowledge(group, { until: new Date(now - 7500).toISOString() })
      expect(await findGroup()).toMatchObject({ open_count: 1 })
      await acknowledge(group)
      expect(await findGroup()).toMatchObject({ open_count: 0 })
      expect(await countOpen()).toBe(0)
    })

    test('is stored once if several callers send it at the same time', async () => {
      await store(alert(now - 9000))
      const group = await findGroup()
      const answers = await Promise.all(Array.from({ length: 8 }, () => acknowledge(group)))
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201))
      expect(new Set(answers.map((answer) => member(answer, 'sid'))).size).toBe(1)
    })
  })
})

describe('access to acknowledgments', () => {
  let api: TestApi
  let provider: string
  let account_sid: string
  let group: object
  beforeAll(async () => {
    api = await createTestApi()
    provider = await api.provider()
    account_sid = await api.account(provider)
    group = { account_sid, alert_type: 'no-tts', object_kind: 'vendor', object_id: 'google' }
  })
  afterAll(() => api.close())
  const until = new Date(Date.now() - 1000).toISOString()

  test('callers of another tenant can neither create, find, nor delete one, and view-only users can find one', async () => {
    const sid = member(await api.admin.post(acknowledgments, { ...group, until }), 'sid')
    const otherProvider = await api.provider()
    const others = [
      await api.user({ service_provider_sid: otherProvider }),
      await api.user({ service_provider_sid: otherProvider, account_sid: await api.account(otherProvider) }),
      await api.user({ service_provider_sid: provider, account_sid: await api.account(provider) }),
    ]
    const query = new URLSearchParams({ ...group, time: until }).toString()
    for (const { caller } of others) {
      const refused = [400, 'unknown account_sid']
      expect(statusAndMessage(await caller.post(acknowledgments, { ...group, until }))).toEqual(refused)
      expect(statusAndMessage(await caller.get(`${acknowledgments}?${query}`))).toEqual(refused)
      expect((await caller.delete(`${acknowledgments}/${sid}`)).status).toBe(404)
    }
    const viewer = await api.user({ service_provider_sid: provider, account_sid, is_view_only: true })
    expect((await viewer.caller.post(acknowledgments, { ...group, until })).status).toBe(403)
    expect((await viewer.caller.delete(`${acknowledgments}/${sid}`)).status).toBe(403)
    expect(getRow(await viewer.caller.get(`${acknowledgments}?${query}`))['acknowledgment']).toMatchObject({
      alert_acknowledgment_sid: sid,
    })
    const [entry] = (await readPage(api.admin, '/patchbay/audit-trail', { kind: 'alert_acknowledgment' })).data
    expect(entry).toMatchObject({ action: 'create', name: 'no-tts', account_sid })
  })

  test.each([
    [{ until: 'soon' }, 'until'],
    [{ until: '2999-01-01T00:00:00Z' }, 'until'],
    [{ alert_type: '' }, 'alert_type'],
    [{ alert_type: 'x'.repeat(65) }, 'alert_type'],
    [{ object_kind: 'call' }, 'object_kind'],
    [{ object_id: 'x'.repeat(256) }, 'object_id'],
    [{ is_single: 'maybe' }, 'is_single'],
    [{ account_sid: randomUUID() }, 'account_sid'],
    [{ account_sid: null }, 'account_sid'],
    [{ account_sid: null, service_provider_sid: randomUUID() }, 'service_provider_sid'],
  ])('%o is rejected at its field', async (wrong, field) => {
    const answer = await api.admin.post(acknowledgments, { ...group, until, ...wrong })
    expect([answer.status, getRow(answer)['field']]).toEqual([400, field])
  })

  test('an account is deleted with its acknowledgments', async () => {
    const sid = await api.account(provider)
    await api.admin.post(acknowledgments, { ...group, account_sid: sid, until })
    const { db } = api.test.database
    const rows = db.selectFrom('patchbay_alert_acknowledgments').selectAll().where('account_sid', '=', sid)
    expect(await rows.execute()).toHaveLength(1)
    expect((await api.admin.delete(`/Accounts/${sid}`)).status).toBe(204)
    expect(await rows.execute()).toEqual([])
  })

  test.skipIf(isClickHouse)(
    'alerts that an earlier version has stored are grouped by the migration, also if it is repeated',
    async () => {
      const { database } = api.test
      const message = 'https://example.org/hook returned 500'
      const records = Array.from({ length: 1200 }, (_, index) =>
        alertRecord({
          account_sid,
          message,
          detail: `alert ${index}`,
          time: nanosecondsAt(Date.now() - 5000) + BigInt(index % 7),
        }),
      )
      await createSqlAlertSink(database).store(records)
      await database.db.updateTable('patchbay_alerts').set({ group_key: null }).execute()
      await groupStoredAlerts(database.db)
      await sql`DELETE FROM patchbay_migrations WHERE name >= '2026-12-15'`.execute(database.db)
      await migrate(database)
      const page = await readPage(api.admin, `/patchbay/accounts/${account_sid}/alert-groups`, {})
      expect(page.data).toMatchObject([{ count: 1200, object_id: 'https://example.org/hook' }])
    },
  )
})
