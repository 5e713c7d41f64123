import { randomUUID } from 'node:crypto'
import type { AlertRecord } from '@patchbay/server/call-data/alerts/alert-record'
import { createAlertSender } from '@patchbay/server/call-data/alerts/alert-sender'
import { migrate } from '@patchbay/server/database/migrations'
import { type AlertReceivers, startAlertReceivers } from '@patchbay/testkit/fakes/alert-receivers'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { alertRecord, getRow, getRows, nanosecondsAt, statusAndMessage, storeMailbox } from './fixtures.ts'

/** The alert hooks of newer platforms, and the destinations that they add: Slack and PagerDuty. */

const integrationKey = 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6'
const unconfirmed = 'The email address is not confirmed yet'

let api: TestApi
let receivers: AlertReceivers
let provider: string
let account_sid: string
let clock: number

beforeAll(async () => {
  receivers = await startAlertReceivers()
  api = await createTestApi({
    PRIVATE_NETWORKS: loopbackNetwork,
    PUBLIC_URL: 'https://console.example.org',
    PAGERDUTY_EVENTS_URL: receivers.pagerDutyUrl,
  })
})
afterAll(async () => {
  await api.close()
  receivers.close()
})
beforeEach(async () => {
  await api.test.database.db.deleteFrom('patchbay_alert_destinations').execute()
  provider = await api.provider()
  account_sid = await api.account(provider)
  clock = Date.now()
  receivers.slackMessages.length = 0
  receivers.pagerDutyEvents.length = 0
})

const hooks = (sid = account_sid) => `/Accounts/${sid}/AlertHooks`
const hookPath = (sid: string, account = account_sid) => `${hooks(account)}/${sid}`
const createHook = async (type: string, address: string) =>
  member(await api.admin.post(hooks(), { type, address }), 'sid')

let moment = 0
const alert = (more: Partial<AlertRecord> = {}) =>
  alertRecord({
    account_sid,
    service_provider_sid: provider,
    time: nanosecondsAt(Date.now()) + BigInt((moment += 1)),
    ...more,
  })
const store = (...records: AlertRecord[]) => api.sinks.alerts.store(records)
/** Sends the alerts that are due. */
const sendDue = async () => {
  const sender = createAlertSender({ ...api.services, now: () => clock })
  clock = Math.max(clock, Date.now())
  await sender.queueDue()
  await sender.settled()
}
const countQueued = async (sid: string) =>
  getRow(await api.admin.get(`/patchbay/alert-destinations/${sid}/deliveries?page=1&count=25`))['total']

describe('alert hooks', () => {
  test('are created, listed, changed, and deleted, and are alert destinations that send once per hour', async () => {
    const sid = await createHook('json', 'https://example.org/alerts')
    const hook = {
      alert_hook_sid: sid,
      account_sid,
      type: 'json',
      address: 'https://example.org/alerts',
      created_at: expect.any(String) as string,
    }
    expect(getRow(await api.admin.get(hookPath(sid)))).toEqual(hook)
    expect(getRows(await api.admin.get(hooks()))).toEqual([hook])
    expect(getRow(await api.admin.get(`/patchbay/alert-destinations/${sid}`))).toMatchObject({
      name: 'example.org',
      kind: 'webhook',
      once_per_hour: 1,
      is_active: 1,
    })
    expect((await api.admin.put(hookPath(sid), { type: 'pagerduty', address: integrationKey })).status).toBe(204)
    expect(getRow(await api.admin.get(hookPath(sid)))).toMatchObject({ type: 'pagerduty', address: integrationKey })
    expect((await api.admin.put(hookPath(sid), getRow(await api.admin.get(hookPath(sid))))).status).toBe(204)
    expect((await api.admin.delete(hookPath(sid))).status).toBe(204)
    expect((await api.admin.get(hookPath(sid))).status).toBe(404)
  })

  test('include destinations of the account that were created in the console, and none of the provider', async () => {
    const create = async (more: object) =>
      member(
        await api.admin.post('/patchbay/alert-destinations', {
          name: 'operations',
          kind: 'slack',
          target: 'https://hooks.example.org/x',
          ...more,
        }),
        'sid',
      )
    const ofAccount = await create({ account_sid })
    const ofProvider = await create({ service_provider_sid: provider })
    expect(getRows(await api.admin.get(hooks())).map((row) => row['alert_hook_sid'])).toEqual([ofAccount])
    expect((await api.admin.get(hookPath(ofProvider))).status).toBe(404)
  })

  test.each([
    ['an unknown type', { type: 'fax', address: '1' }, 'must be one of json, slack, pagerduty, email'],
    ['no address', { type: 'json' }, 'address'],
    ['an address that is no URL', { type: 'slack', address: 'channel' }, 'must be an http or https URL'],
    ['a private network', { type: 'slack', address: 'http://10.0.0.1/' }, '10.0.0.1 is in a private network'],
    ['a short key', { type: 'pagerduty', address: 'abc' }, 'must be an integration key of 32 characters'],
    ['no email address', { type: 'email', address: 'ada' }, 'must be an email address'],
    ['an unknown member', { type: 'email', address: 'a@example.org', name: 'x' }, 'name'],
  ])('are rejected with %s when creating and changing', async (_, body, says) => {
    const response = await api.admin.post(hooks(), body)
    expect([response.status, String(statusAndMessage(response)[1])]).toEqual([400, expect.stringContaining(says)])
    if (!('address' in body)) return
    const sid = await createHook('json', 'https://example.org/alerts')
    const change = await api.admin.put(hookPath(sid), body)
    expect([change.status, String(statusAndMessage(change)[1])]).toEqual([400, expect.stringContaining(says)])
    expect(getRow(await api.admin.get(hookPath(sid)))).toMatchObject({ address: 'https://example.org/alerts' })
  })

  test('a change of the type alone is rejected if the address does not fit it', async () => {
    const sid = await createHook('json', 'https://example.org/alerts')
    const change = await api.admin.put(hookPath(sid), { type: 'email' })
    expect([change.status, getRow(change)['field']]).toEqual([400, 'address'])
  })

  test('are limited to five per account, also for fifty concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, nth) =>
        api.admin.post(hooks(), { type: 'json', address: `https://example.org/${nth}` }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    const rejected = answers.find(({ status }) => status !== 201)
    expect(rejected && String(statusAndMessage(rejected)[1])).toContain('at most 5')
  })

  test('of another account cannot be read, changed, deleted, or tested', async () => {
    const sid = await createHook('slack', receivers.slackUrl)
    const other = await api.account(provider)
    const { caller } = await api.user({ account_sid: other, service_provider_sid: provider })
    const sendTest = (account: string) => caller.post(`${hooks(account)}/test`, { alert_hook_sid: sid })
    const answers = [
      await caller.get(hookPath(sid, other)),
      await caller.put(hookPath(sid, other), { address: 'https://example.org/stolen' }),
      await caller.delete(hookPath(sid, other)),
      await sendTest(other),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect([(await caller.get(hookPath(sid))).status, (await sendTest(account_sid)).status]).toEqual([403, 403])
    expect(getRow(await api.admin.get(hookPath(sid)))).toMatchObject({ address: receivers.slackUrl })
    expect(receivers.slackMessages).toEqual([])
  })

  test('mask the address for view-only users', async () => {
    const sid = await createHook('pagerduty', integrationKey)
    const { caller } = await api.user({ account_sid, service_provider_sid: provider, is_view_only: true })
    expect(JSON.stringify([(await caller.get(hookPath(sid))).body, (await caller.get(hooks())).body])).not.toContain(
      integrationKey.slice(4),
    )
  })

  test('report whether email is configured', async () => {
    expect((await api.admin.get(`${hooks()}/capabilities`)).body).toEqual({ email: false })
    const mailing = await createTestApi({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@example.org' })
    try {
      const account = await mailing.account(await mailing.provider())
      expect((await mailing.admin.get(`${hooks(account)}/capabilities`)).body).toEqual({ email: true })
    } finally {
      await mailing.close()
    }
  })

  test('send a test to one hook or to all, with one result each', async () => {
    const slack = await createHook('slack', receivers.slackUrl)
    const pagerduty = await createHook('pagerduty', integrationKey)
    const { alert_destination_sid: email } = await storeMailbox(api, account_sid)
    const wrong = await createHook('slack', `${receivers.pagerDutyUrl}/services/unknown`)
    const all = (await api.admin.post(`${hooks()}/test`, {})).body as { results: { alert_hook_sid: string }[] }
    const bySid = Object.fromEntries(all.results.map(({ alert_hook_sid, ...result }) => [alert_hook_sid, result]))
    expect(bySid).toEqual({
      [slack]: { type: 'slack', success: true, status: 200, error: null },
      [pagerduty]: { type: 'pagerduty', success: true, status: 202, error: null },
      [email]: { type: 'email', success: false, status: null, error: unconfirmed },
      [wrong]: { type: 'slack', success: false, status: 404, error: 'The Slack webhook responded with 404 Not Found' },
    })
    const one = await api.admin.post(`${hooks()}/test`, { alert_hook_sid: slack })
    expect(one.body).toEqual({
      results: [{ alert_hook_sid: slack, type: 'slack', success: true, status: 200, error: null }],
    })
    expect((await api.admin.post(`${hooks()}/test`, { alert_hook_sid: randomUUID() })).status).toBe(404)
    expect((await api.admin.post(`${hooks(await api.account(provider))}/test`)).body).toEqual({ results: [] })
  })

  test('report tests beyond the limit as failed', async () => {
    const sid = await createHook('slack', receivers.slackUrl)
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => api.admin.post(`${hooks()}/test`, { alert_hook_sid: sid })),
    )
    const results = answers.map(({ body }) => (body as { results: { error: string | null }[] }).results[0]?.error)
    expect(results.filter((error) => error === null)).toHaveLength(10)
    expect(results.filter((error) => error === 'Too many tests. Try again in a minute.')).toHaveLength(5)
  })
})

test('the migration adds the columns to a table of an earlier version, also if it is repeated', async () => {
  const { db } = api.test.database
  for (const column of ['once_per_hour', 'created_at'])
    await sql`ALTER TABLE patchbay_alert_destinations DROP COLUMN ${sql.ref(column)}`.execute(db)
  for (const _ of [1, 2]) {
    // Migrations run in order, so the later ones are repeated, too.
    await sql`DELETE FROM patchbay_migrations WHERE name >= '0021-alert-hooks'`.execute(db)
    await migrate(api.test.database)
  }
  const sid = await createHook('slack', receivers.slackUrl)
  expect(getRow(await api.admin.get(`/patchbay/alert-destinations/${sid}`))).toMatchObject({ once_per_hour: 1 })
})

describe('a hook with alerts', () => {
  test('gets the first alert of each type within an hour', async () => {
    const sid = await createHook('slack', receivers.slackUrl)
    await store(alert(), alert(), alert({ alert_type: 'no-tts' }))
    await store(alert())
    await sendDue()
    expect(await countQueued(sid)).toBe(2)
    expect(receivers.slackMessages).toHaveLength(2)
    const { db } = api.test.database
    const makeOlder = (milliseconds: number) =>
      db
        .updateTable('patchbay_alert_deliveries')
        .set((set) => ({ queued_at: set('queued_at', '-', milliseconds) }))
        .execute()
    await makeOlder(3_540_000)
    await store(alert())
    expect(await countQueued(sid)).toBe(2)
    await makeOlder(60_000)
    await store(alert())
    expect(await countQueued(sid)).toBe(3)
  })

  test('gets one alert of a type, also if twenty deliveries of alerts arrive at the same time', async () => {
    const sid = await createHook('slack', receivers.slackUrl)
    await Promise.all(Array.from({ length: 20 }, () => store(alert())))
    expect(await countQueued(sid)).toBe(1)
  })

  test('posts a text without markup of the alert to Slack', async () => {
    await createHook('slack', receivers.slackUrl)
    await store(alert({ message: '<!channel> & <https://evil.example|click>' }))
    await sendDue()
    expect(receivers.slackMessages).toEqual([
      expect.stringContaining('&lt;!channel&gt; &amp; &lt;https://evil.example|click&gt;'),
    ])
    expect(receivers.slackMessages[0]).toContain(
      `*<https://console.example.org/internal/alerts?account=${account_sid}&`,
    )
  })

  test('keeps messages within the limit of Slack, also if every character has to be escaped', async () => {
    await api.admin.post('/patchbay/alert-destinations', {
      name: 'channel',
      kind: 'slack',
      target: receivers.slackUrl,
      account_sid,
    })
    const records = Array.from({ length: 30 }, () => alert({ message: '&'.repeat(4000), detail: '&'.repeat(4000) }))
    await store(...records)
    await sendDue()
    expect(receivers.slackMessages).toEqual([expect.stringMatching(/^\*30 alerts\*\n[^]*… and \d+ more\n/)])
    expect(receivers.slackMessages[0]?.length).toBeLessThan(40_000)
  })

  test('triggers one PagerDuty incident per type and account', async () => {
    await createHook('pagerduty', integrationKey)
    await store(alert({ message: 'x'.repeat(5000) }))
    await sendDue()
    expect(receivers.pagerDutyEvents).toEqual([
      expect.objectContaining({
        routing_key: integrationKey,
        event_action: 'trigger',
        dedup_key: `patchbay:${account_sid}:webhook-failure`,
        client_url: expect.stringContaining(`https://console.example.org/internal/alerts?account=${account_sid}&`),
      }),
    ])
    expect(receivers.pagerDutyEvents[0]?.payload).toMatchObject({ source: account_sid, severity: 'error' })
  })

  test.each([
    ['gateway-failing', 'gateway-recovered', { voip_carrier_sid: 'carrier', sip_gateway_sid: 'gateway' }, 'gateway'],
    ['registration-lost', 'registration-recovered', { voip_carrier_sid: 'carrier' }, 'carrier'],
    ['conversation-limit-exceeded', 'conversation-limit-recovered', { measure: 'errors' }, 'errors'],
  ])('resolves the PagerDuty incident of %s with %s', async (failure, recovery, extra, object) => {
    await createHook('pagerduty', integrationKey)
    for (const alert_type of [failure, recovery]) {
      await store(alert({ alert_type, extra }))
      await sendDue()
    }
    const dedup_key = `patchbay:${account_sid}:${failure}:${object}`
    expect(receivers.pagerDutyEvents).toEqual([
      expect.objectContaining({ event_action: 'trigger', dedup_key }),
      { routing_key: integrationKey, event_action: 'resolve', dedup_key },
    ])
  })

  test('sends PagerDuty every recovery, also of a type that it has had within the hour, and other kinds only the first', async () => {
    await createHook('pagerduty', integrationKey)
    const slack = await createHook('slack', receivers.slackUrl)
    const recover = async () => {
      await store(alert({ alert_type: 'gateway-recovered', extra: { sip_gateway_sid: 'gateway' } }))
      await sendDue()
    }
    await recover()
    await recover()
    expect(receivers.pagerDutyEvents.map(({ event_action }) => event_action)).toEqual(['resolve', 'resolve'])
    expect(await countQueued(slack)).toBe(1)
  })

  test('reports several recoveries to PagerDuty as information', async () => {
    await api.admin.post('/patchbay/alert-destinations', {
      name: 'on duty',
      kind: 'pagerduty',
      target: integrationKey,
      account_sid,
    })
    await store(...Array.from({ length: 20 }, () => alert({ alert_type: 'gateway-recovered' })))
    await sendDue()
    expect(receivers.pagerDutyEvents.map(({ payload }) => payload?.severity)).toEqual(['info'])
  })

  test('shortens the texts of an event for PagerDuty, which accepts 512 kB', async () => {
    await api.admin.post('/patchbay/alert-destinations', {
      name: 'on duty',
      kind: 'pagerduty',
      target: integrationKey,
      account_sid,
    })
    await store(...Array.from({ length: 20 }, () => alert({ message: 'x'.repeat(40_000) })))
    await sendDue()
    expect(receivers.pagerDutyEvents.map(({ payload }) => payload?.summary.slice(0, 9))).toEqual(['20 alerts'])
  })

  test('sends many alerts to Slack and PagerDuty as one digest', async () => {
    const create = (kind: string, target: string) =>
      api.admin.post('/patchbay/alert-destinations', { name: kind, kind, target, account_sid })
    await create('slack', receivers.slackUrl)
    await create('pagerduty', integrationKey)
    await store(...Array.from({ length: 50 }, (_, nth) => alert({ message: `alert ${nth}` })))
    await sendDue()
    expect(receivers.slackMessages).toEqual([expect.stringContaining('*50 alerts*')])
    expect(receivers.slackMessages[0]).toContain('… and 30 more')
    expect(receivers.pagerDutyEvents.map(({ payload }) => payload?.summary)).toEqual([
      expect.stringMatching(/^50 alerts, first: alert \d+$/),
    ])
  })
})
