import { randomUUID } from 'node:crypto'
import type { AlertDelivery, AlertDestination, DestinationReport } from '@patchbay/contract/alert-destinations'
import type { AlertRecord } from '@patchbay/server/call-data/alerts/alert-record'
import { createAlertSender } from '@patchbay/server/call-data/alerts/alert-sender'
import { claimDestination, claimMs, maxDeliveries, retryMs } from '@patchbay/server/call-data/alerts/delivery-queue'
import { createUnsubscribeLinks } from '@patchbay/server/call-data/alerts/unsubscribe-links'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { up as confirmMailed } from '@patchbay/server/database/migrations/0018-alert-addresses'
import { toContext } from '@patchbay/server/database/migrations/index'
import { maxConfirmations } from '@patchbay/server/resources/alert-destinations/confirmation-mailer'
import { maxDestinationTestsPerMinute } from '@patchbay/server/resources/alert-destinations/operations'
import { type MailServer, type Received, startMailServer } from '@patchbay/testkit/fakes/mail-server'
import { startWebhookApp, type WebhookApp } from '@patchbay/testkit/fakes/webhook-app'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { type Answer, type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { createWorld, signedIn } from '@patchbay/testkit/test-world'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { alertRecord, getRow, getRows, nanosecondsAt, statusAndMessage, storeMailbox } from './fixtures.ts'

/** Delivery of alerts to webhooks and mailboxes, with a simulated clock. */

let api: TestApi
let mails: MailServer
let app: WebhookApp | undefined
let provider: string
let account_sid: string
let clock: number

const path = '/patchbay/alert-destinations'

beforeAll(async () => {
  mails = await startMailServer()
  api = await createTestApi({
    PRIVATE_NETWORKS: loopbackNetwork,
    SMTP_URL: mails.url,
    MAIL_FROM: 'Patchbay <no-reply@example.org>',
    PUBLIC_URL: 'https://console.example.org',
  })
})
afterAll(async () => {
  await api.close()
  await mails.stop()
})
beforeEach(async () => {
  // Deletes alerts that an earlier test has left waiting.
  await api.test.database.db.deleteFrom('patchbay_alert_destinations').execute()
  provider = await api.provider()
  account_sid = await api.account(provider)
  clock = Date.now() + 1000
})
afterEach(() => {
  app?.close()
  app = undefined
  mails.rejectRecipient = undefined
})

const createSender = () => createAlertSender({ ...api.services, now: () => clock })
/** Sends the alerts that are due. */
const pass = async () => {
  const sender = createSender()
  await sender.queueDue()
  await sender.settled()
}

const readSecret = async (sid: string) => member(await api.admin.get(`${path}/${sid}/webhook-secret`), 'webhook_secret')
const accountSecret = async () =>
  member(await api.admin.get(`/Accounts/${account_sid}/WebhookSecret`), 'webhook_secret')

const make = async (more: object = {}, caller: Caller = api.admin) =>
  member(await caller.post(path, { name: 'on call', kind: 'email', target: 'a@example.org', ...more }), 'sid')

const mailTo = async (target: string): Promise<Received> => {
  const mail = await mails.next()
  return mail.to.includes(target) ? mail : mailTo(target)
}
const linkIn = ({ text }: Received, act: 'confirm' | 'stop'): string =>
  new RegExp(`https://console\\.example\\.org/alert-mails/${act}/([\\w.-]+)`).exec(text)?.[1] ?? ''
const say = (act: 'confirm' | 'stop', link: string) => api.nobody.post(`/patchbay/alert-addresses/${act}`, { link })

/** Creates a mailbox destination and returns the link of its confirmation mail. */
const createUnconfirmedMailbox = async (more: object = {}): Promise<{ sid: string; target: string; link: string }> => {
  const target = `${randomUUID()}@example.org`
  const sid = await make({ account_sid, target, ...more })
  return { sid, target, link: linkIn(await mailTo(target), 'confirm') }
}
const createUnsubscribeLink = ({ sid, target }: { sid: string; target: string }) =>
  createUnsubscribeLinks(api.services.configuration)
    .createPath({ alert_destination_sid: sid, target })
    .split('/')
    .at(-1) ?? ''
/** Creates a confirmed mailbox destination. */
const mailbox = async () => {
  const { link, ...rest } = await createUnconfirmedMailbox()
  expect((await say('confirm', link)).status).toBe(204)
  return rest
}

/** Creates a webhook destination that verifies signatures with jambonz's SDK. */
const createWebhook = async (more: object = {}): Promise<{ sid: string; webhookApp: WebhookApp }> => {
  const webhookApp = await startWebhookApp(await accountSecret())
  app = webhookApp
  webhookApp.answer = (response) => response.writeHead(204).end()
  return {
    sid: await make({ kind: 'webhook', target: `${webhookApp.origin}/alerts`, account_sid, ...more }),
    webhookApp,
  }
}

let moment = 0
const alert = (more: Partial<AlertRecord> = {}) =>
  alertRecord({
    account_sid,
    service_provider_sid: provider,
    time: nanosecondsAt(Date.now()) + BigInt((moment += 1)),
    ...more,
  })
const raise = async (...records: AlertRecord[]): Promise<void> => {
  await api.sinks.alerts.store(records)
  // The store queues alerts with the real clock, so the simulated clock must not be behind it.
  clock = Math.max(clock, Date.now())
}
const many = (count: number) => Array.from({ length: count }, (_, nth) => alert({ message: `alert ${nth}` }))

const readDestination = async (sid: string) =>
  getRow(await api.admin.get(`${path}/${sid}`)) as unknown as AlertDestination
const readLog = async (sid: string, count = 500) =>
  getRow(await api.admin.get(`${path}/${sid}/deliveries?page=1&count=${count}`)) as unknown as {
    total: number
    data: AlertDelivery[]
  }
const readStates = async (sid: string) =>
  (await readLog(sid)).data.map(({ state, attempts }) => `${state} ${attempts}`).toSorted()
const bodies = (webhookApp: WebhookApp) =>
  webhookApp.heard.map(({ body }) => body as { alert?: object; alerts?: object[]; count?: number })

describe('a destination', () => {
  test('is created, listed, changed, and deleted with its log, and the audit trail names the actor', async () => {
    const account = await api.user({ account_sid, service_provider_sid: provider })
    const sid = await make({ types: ['no-tts'] }, account.caller)
    const expected = {
      alert_destination_sid: sid,
      account_sid,
      service_provider_sid: provider,
      name: 'on call',
      kind: 'email',
      target: 'a@example.org',
      types: ['no-tts'],
      is_active: 1,
      once_per_hour: 0,
      created_at: expect.any(String),
      is_confirmed: 0,
      confirmation_sent_at: expect.any(String),
      last_delivered_at: null,
      failing_since: null,
      last_error: null,
    }
    await mailTo('a@example.org')
    await expect.poll(async () => (await readDestination(sid)).confirmation_sent_at).not.toBeNull()
    expect(await readDestination(sid)).toEqual(expected)
    const ofProvider = await make({ name: 'all', service_provider_sid: provider })
    const list = async (where: string) => getRows(await api.admin.get(`/patchbay/${where}/alert-destinations`))
    expect(await list(`accounts/${account_sid}`)).toEqual([expected])
    expect((await list(`service-providers/${provider}`)).map(({ name }) => name)).toEqual(['all', 'on call'])
    expect(await readDestination(ofProvider)).toMatchObject({ account_sid: null, service_provider_sid: provider })

    expect((await account.caller.put(`${path}/${sid}`, { is_active: false, types: [] })).status).toBe(204)
    expect(await readDestination(sid)).toMatchObject({ is_active: 0, types: [], name: 'on call' })
    await account.caller.put(`${path}/${sid}`, { is_active: true })
    await raise(alert())
    expect((await account.caller.delete(`${path}/${sid}`)).status).toBe(204)
    expect((await api.admin.get(`${path}/${sid}`)).status).toBe(404)
    const { db } = api.test.database
    const remaining = db.selectFrom('patchbay_alert_deliveries').selectAll().where('alert_destination_sid', '=', sid)
    expect(await remaining.execute()).toEqual([])
    const trail = getRow(await api.admin.get(`/patchbay/audit-trail?page=1&count=25&sid=${sid}`))
    const changes = (trail['data'] as { action: string; kind: string }[]).filter(
      ({ kind }) => kind === 'alert_destination',
    )
    expect(changes.map(({ action }) => action)).toEqual(['delete', 'update', 'update', 'create'])
  })

  test.each([
    ['no address', { kind: 'webhook', target: 'nowhere' }, 'must be an http or https URL'],
    ['a WebSocket', { kind: 'webhook', target: 'wss://example.org' }, 'must be an http or https URL'],
    ['blanks', { kind: 'webhook', target: ' https://example.org' }, 'must be an http or https URL'],
    [
      'a password in the address',
      { kind: 'webhook', target: 'https://ada:secret@example.org' },
      'must be a URL without a user name and password',
    ],
    ['no email address', { target: 'ada' }, 'must be an email address'],
    ['two of them', { target: 'a@example.org,b@example.org' }, 'must be an email address'],
    ['a line break', { target: 'a@example.org\nBcc: b@example.org' }, 'must be an email address'],
    ['another kind', { kind: 'fax' }, 'must be one of webhook, slack, pagerduty, email'],
    ['types that are none', { types: 'all' }, 'must be a list of types'],
    [
      'a private network',
      { kind: 'webhook', target: 'http://10.0.0.1/' },
      '10.0.0.1 is in a private network. Use a public address',
    ],
    [
      'an IPv6 address of a private network',
      { kind: 'webhook', target: 'http://[::1]/' },
      '::1 is in a private network. Use a public address',
    ],
  ])('is rejected with %s when creating and changing', async (_, changes, says) => {
    const whole = { name: 'n', kind: 'email', target: 'a@example.org', account_sid, ...changes }
    const response = await api.admin.post(path, whole)
    expect([response.status, String(statusAndMessage(response)[1])]).toEqual([400, expect.stringContaining(says)])
    const sid = await make({ account_sid })
    expect((await api.admin.put(`${path}/${sid}`, changes)).status).toBe(400)
    expect(await readDestination(sid)).toMatchObject({ kind: 'email', target: 'a@example.org' })
  })

  test('belongs to a tenant: unknown owners are rejected, and users of an account can only use their own', async () => {
    const { sid, users, things } = await createWorld(api)
    const ofQ = await signedIn(api, users['user of Q'])
    const ofA2 = await signedIn(api, users['user of A2'])
    const body = { name: 'n', kind: 'email', target: 'a@example.org' }
    expect(statusAndMessage(await ofQ.post(path, { ...body, account_sid: sid.A }))).toEqual([
      400,
      'unknown account_sid',
    ])
    expect(statusAndMessage(await ofQ.post(path, { ...body, service_provider_sid: sid.P }))).toEqual([
      400,
      'service_provider_sid must be your own',
    ])
    expect(statusAndMessage(await api.admin.post(path, body))).toEqual([
      400,
      'missing account_sid or service_provider_sid',
    ])
    const destinationSid = await make({ account_sid: sid.A }, ofA2)
    expect((await readDestination(destinationSid)).account_sid).toBe(sid.A2)
    const foreign = things.A.alert_destination_sid
    for (const caller of [ofQ, ofA2])
      for (const [foreignSid, none] of [
        [await caller.get(`${path}/${foreign}`), await caller.get(`${path}/${randomUUID()}`)],
        [await caller.delete(`${path}/${foreign}`), await caller.delete(`${path}/x`)],
        [await caller.post(`${path}/${foreign}/test`), await caller.post(`${path}/x/test`)],
      ] as const)
        expect([foreignSid.status, foreignSid.body]).toEqual([none.status, none.body])
  })

  test('is limited to twenty per owner, also for fifty concurrent requests', async () => {
    const body = { name: 'n', kind: 'webhook', target: 'https://example.org', account_sid }
    const answers = await Promise.all(Array.from({ length: 50 }, () => api.admin.post(path, body)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(statusAndMessage(answers.find(({ status }) => status === 422) as Answer)).toEqual([
      422,
      'there are 20 destinations already; at most 20 can be created',
    ])
    await make({ service_provider_sid: provider })
  })

  test('is deleted with its account or provider', async () => {
    const sids = [await make({ account_sid }), await make({ service_provider_sid: provider })]
    expect((await api.admin.delete(`/Accounts/${account_sid}`)).status).toBe(204)
    expect((await api.admin.delete(`/ServiceProviders/${provider}`)).status).toBe(204)
    for (const sid of sids) expect((await api.admin.get(`${path}/${sid}`)).status).toBe(404)
  })

  test("has its own secret for a provider and the account's for an account; view-only users cannot read it", async () => {
    const sid = await make({ service_provider_sid: provider })
    const first = await readSecret(sid)
    expect(first).toMatch(/^wh_secret_\w{22}$/)
    expect(await readSecret(sid)).toBe(first)
    const next = member(await api.admin.get(`${path}/${sid}/webhook-secret?regenerate=true`), 'webhook_secret')
    expect(next).not.toBe(first)
    expect(await readSecret(sid)).toBe(next)
    const of = await make({ account_sid })
    expect(await readSecret(of)).toBe(await accountSecret())
    expect((await api.admin.get(`${path}/${of}/webhook-secret?regenerate=true`)).status).toBe(400)
    const viewer = await api.user({ service_provider_sid: provider, is_view_only: true })
    for (const query of ['', '?regenerate=true'])
      expect((await viewer.caller.get(`${path}/${sid}/webhook-secret${query}`)).status).toBe(403)
    const row = await api.test.database.db.selectFrom('patchbay_alert_destinations').selectAll().execute()
    expect(JSON.stringify(row)).not.toContain('wh_secret_')
  })
})

describe('sending', () => {
  test("posts an alert once, signed with the account's secret, and no alerts of other types or tenants", async () => {
    const { sid, webhookApp } = await createWebhook({ types: ['no-tts', 'webhook-failure'] })
    const other = await api.account(provider)
    await raise(alert(), alert({ alert_type: 'no-stt' }), alert({ account_sid: other }), alert({ account_sid: null }))
    await pass()
    await pass()
    const [heard, ...more] = bodies(webhookApp)
    expect(more).toEqual([])
    expect(heard).toEqual({
      alert: expect.objectContaining({ account_sid, alert_type: 'webhook-failure', service_provider_sid: provider }),
    })
    expect((await readLog(sid)).data).toEqual([
      expect.objectContaining({
        alert_type: 'webhook-failure',
        message: 'https://example.org returned 503',
        state: 'delivered',
        attempts: 1,
        attempted_at: new Date(clock).toISOString(),
        status: 204,
        error: null,
        together: 1,
      }),
    ])
    expect(await readDestination(sid)).toMatchObject({
      last_delivered_at: new Date(clock).toISOString(),
      failing_since: null,
    })
  })

  test('sends a repeated point once', async () => {
    const { webhookApp } = await createWebhook()
    const same = alert()
    await raise(same)
    await raise(same, same)
    await pass()
    expect(webhookApp.heard).toHaveLength(1)
  })

  test("sends alerts of a provider's accounts to the provider's destination, signed with its own secret", async () => {
    app = await startWebhookApp()
    const sid = await make({ kind: 'webhook', target: app.origin, service_provider_sid: provider })
    app.close()
    app = await startWebhookApp(await readSecret(sid))
    await api.admin.put(`${path}/${sid}`, { target: app.origin })
    await raise(alert(), alert({ account_sid: null }), alert({ service_provider_sid: null }))
    await pass()
    expect(app.heard).toHaveLength(2)
    expect(await readStates(sid)).toEqual(['delivered 1', 'delivered 1'])
  })

  test('sends up to five alerts per minute individually; further alerts wait until the minute is over', async () => {
    const { sid, webhookApp } = await createWebhook()
    await raise(...many(5))
    await pass()
    expect(bodies(webhookApp).every(({ alert: one }) => one)).toBe(true)
    await raise(alert(), alert())
    await pass()
    expect(webhookApp.heard).toHaveLength(5)
    clock += 60_000
    await pass()
    expect(bodies(webhookApp).map((body) => Object.keys(body))).toEqual(Array.from({ length: 7 }, () => ['alert']))
    await raise(...many(300))
    clock += 60_000
    await pass()
    const digest = bodies(webhookApp).at(-1)
    expect([digest?.count, digest?.alerts?.length]).toEqual([300, 100])
    expect((await readLog(sid)).data[0]).toMatchObject({ state: 'delivered', together: 300 })
  })

  test('queues up to a thousand alerts, and the digest reports the number of omitted ones', async () => {
    const { sid, webhookApp } = await createWebhook()
    await raise(...many(700))
    await raise(...many(700))
    expect((await readLog(sid)).total).toBe(maxDeliveries)
    await pass()
    expect(bodies(webhookApp).map(({ count }) => count)).toEqual([1400])
    clock += 60_000
    await raise(...many(400))
    await pass()
    expect(bodies(webhookApp).at(-1)?.count).toBe(400)
    expect((await readLog(sid)).total).toBeLessThanOrEqual(maxDeliveries)
  })

  test('retries with increasing delays, then gives up, and shows since when a destination has been failing', async () => {
    const { sid, webhookApp } = await createWebhook()
    webhookApp.answer = (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    await raise(alert())
    await pass()
    const began = new Date(clock).toISOString()
    for (const [nth, wait] of retryMs.entries()) {
      expect(webhookApp.heard).toHaveLength(nth + 1)
      expect(await readStates(sid)).toEqual([`waiting ${nth + 1}`])
      clock += wait - 1
      await pass()
      expect(webhookApp.heard).toHaveLength(nth + 1)
      clock += 1
      await pass()
    }
    expect(webhookApp.heard).toHaveLength(6)
    expect((await readLog(sid)).data[0]).toMatchObject({
      state: 'given_up',
      attempts: 6,
      status: 302,
      error: 'Redirects are not followed: the webhook responded with 302',
    })
    expect(await readDestination(sid)).toMatchObject({ failing_since: began, last_delivered_at: null })
    clock += 86_400_000
    await pass()
    expect(webhookApp.heard).toHaveLength(6)

    webhookApp.answer = (response) => response.writeHead(200).end('thanks')
    await raise(alert())
    await pass()
    expect(await readStates(sid)).toEqual(['delivered 1', 'given_up 6'])
    expect(await readDestination(sid)).toMatchObject({ failing_since: null, last_error: null })
  })

  test('waits as long as the receiver asks for, at most six hours, and never shorter than the delay of the attempt', async () => {
    const { sid, webhookApp } = await createWebhook()
    const refuseFor = (wait: string) => {
      webhookApp.answer = (response) => response.writeHead(429, { 'retry-after': wait }).end()
    }
    refuseFor('3600')
    // The second alert is not sent, because the receiver asked to wait.
    await raise(alert(), alert())
    await pass()
    expect(webhookApp.heard).toHaveLength(1)
    expect((await readDestination(sid)).last_error).toBe(
      'The webhook responded with 429 Too Many Requests, and asks to wait 60 minutes',
    )
    clock += 3_600_000 - 1
    await pass()
    expect(webhookApp.heard).toHaveLength(1)
    refuseFor('100000000')
    clock += 1
    await pass()
    expect(webhookApp.heard).toHaveLength(2)
    clock += (retryMs.at(-1) ?? 0) - 1
    await pass()
    expect(webhookApp.heard).toHaveLength(2)
    webhookApp.answer = (response) => response.writeHead(204).end()
    clock += 1
    await pass()
    expect(webhookApp.heard.length).toBeGreaterThan(2)
  })

  test('retries immediately after the target is changed, together with alerts that arrived in the meantime', async () => {
    const { sid, webhookApp } = await createWebhook()
    await api.admin.put(`${path}/${sid}`, { target: 'http://127.0.0.1:1/' })
    await raise(alert())
    await pass()
    expect((await readDestination(sid)).last_error).toBe('The host of the webhook refused the connection')
    await raise(alert())
    await api.admin.put(`${path}/${sid}`, { target: webhookApp.origin })
    await pass()
    expect(webhookApp.heard).toHaveLength(2)
    expect(await readStates(sid)).toEqual(['delivered 1', 'delivered 2'])
  })

  test('rejects a private network address at delivery time', async () => {
    const { sid } = await createWebhook()
    await api.test.database.db
      .updateTable('patchbay_alert_destinations')
      .set({ target: 'http://10.0.0.1/' })
      .where('alert_destination_sid', '=', sid)
      .execute()
    await raise(alert())
    await pass()
    expect((await readDestination(sid)).last_error).toContain('10.0.0.1 is in a private network')
  })

  test('sends each alert once with twenty concurrent senders', async () => {
    const { webhookApp } = await createWebhook()
    await raise(...many(5))
    await Promise.all(Array.from({ length: 20 }, pass))
    expect(webhookApp.heard).toHaveLength(5)
  })

  test('releases the claim of a killed process after its time limit, and that process can no longer settle it', async () => {
    const { sid, webhookApp } = await createWebhook()
    await raise(alert())
    expect(await claimDestination(api.test.database, sid, clock)).toBeDefined()
    await pass()
    clock += claimMs - 1
    await pass()
    expect(webhookApp.heard).toHaveLength(0)
    clock += 1
    await pass()
    expect(webhookApp.heard).toHaveLength(1)
    expect(await readStates(sid)).toEqual(['delivered 1'])
  })

  test('sends nothing to an inactive destination', async () => {
    const { sid, webhookApp } = await createWebhook({ is_active: 0 })
    await raise(alert())
    await pass()
    expect([webhookApp.heard.length, (await readLog(sid)).total]).toEqual([0, 0])
  })

  test('gives up alerts that have been deleted, and deletes old deliveries with old alerts', async () => {
    const { sid, webhookApp } = await createWebhook()
    await raise(alert())
    await api.test.database.db.deleteFrom('patchbay_alerts').execute()
    await pass()
    expect(webhookApp.heard).toEqual([])
    expect((await readLog(sid)).data[0]).toMatchObject({ state: 'given_up', message: null })
    await removeBefore(api.test.database, 'calls', clock)
    expect((await readLog(sid)).total).toBe(0)
  })
})

describe('mail', () => {
  test('gives up an alert whose recipient the mail server rejects, and retries a deferred one', async () => {
    const { sid } = await mailbox()
    mails.rejectRecipient = () => ({ responseCode: 451, message: 'Greylisted' })
    await raise(alert())
    await pass()
    expect(await readStates(sid)).toEqual(['waiting 1'])
    mails.rejectRecipient = () => ({ responseCode: 550, message: 'No such user' })
    clock += retryMs[1] ?? 0
    await pass()
    expect(await readStates(sid)).toEqual(['given_up 2'])
    expect((await readDestination(sid)).last_error).toContain('550')
    mails.rejectRecipient = undefined
    await raise(alert())
    clock += retryMs.at(-1) ?? 0
    await pass()
    expect(await readStates(sid)).toEqual(['delivered 1', 'given_up 2'])
  })

  test('sends one alert per mail and one mail per minute, with many alerts as a digest', async () => {
    const { sid, target } = await mailbox()
    await raise(alert({ detail: 'Bcc: nobody@example.org\r\n.\r\n', vendor: 'google' }))
    await pass()
    const first = await mails.next()
    expect(first.to).toEqual([target])
    expect(first.text).toContain('Subject: Alert: Webhook failed')
    expect(first.text).toContain('https://example.org returned 503')
    expect(first.text).toContain('Vendor: google')
    expect(first.html).toContain('<td class="text"')
    expect(first.html).toContain(
      `https://console.example.org/alert-mails/stop/${createUnsubscribeLink({ sid, target })}`,
    )
    await raise(...many(200))
    await pass()
    expect(await readStates(sid)).toContain('waiting 0')
    clock += 60_000
    await pass()
    const second = await mails.next()
    expect(second.text).toContain('Subject: 200 alerts')
    expect(second.text).toContain('Webhook failed: alert 99')
    expect(second.text).toContain('100 more alerts are not in this email.')
    expect(new Set(await readStates(sid))).toEqual(new Set(['delivered 1']))
  })
})

describe('the owner of an email address', () => {
  test('gets a confirmation mail without user text, gets no alerts before confirming, and can unsubscribe at any time', async () => {
    const target = `${randomUUID()}@example.org`
    const sid = await make({ account_sid, target, name: 'Buy at evil.example now' })
    const mail = await mailTo(target)
    expect(mail.text).toContain('Subject: Confirm this address for alerts')
    expect(mail.text).not.toContain('evil.example')
    await expect.poll(async () => (await readDestination(sid)).confirmation_sent_at).not.toBeNull()
    expect(await readDestination(sid)).toMatchObject({ is_confirmed: 0, confirmation_sent_at: expect.any(String) })
    await raise(alert())
    await pass()
    expect((await readLog(sid)).total).toBe(0)
    expect(statusAndMessage(await api.admin.post(`${path}/${sid}/test`))[0]).toBe(422)

    expect((await say('confirm', linkIn(mail, 'confirm'))).status).toBe(204)
    expect(await readDestination(sid)).toMatchObject({ is_confirmed: 1 })
    expect(statusAndMessage(await say('confirm', linkIn(mail, 'confirm')))).toEqual([
      422,
      'This link was already used. The address is confirmed.',
    ])
    expect(statusAndMessage(await api.admin.post(`${path}/${sid}/confirmation`))).toEqual([
      422,
      'There is nothing to confirm',
    ])
    await raise(alert())
    await pass()
    const alertMail = await mailTo(target)
    const stop = linkIn(alertMail, 'stop')
    expect(alertMail.text.replaceAll(/\s+/g, ' ')).toContain(
      `List-Unsubscribe: <https://console.example.org/alert-mails/stop/${stop}>`,
    )
    for (const _ of [1, 2]) expect((await say('stop', stop)).status).toBe(204)
    expect(await readDestination(sid)).toMatchObject({ is_confirmed: 0, confirmation_sent_at: null })
    clock += 60_000
    await raise(alert())
    await pass()
    expect(await readStates(sid)).toEqual(['delivered 1'])
    expect((await say('confirm', linkIn(mail, 'confirm'))).status).toBe(404)
    const trail = async () => {
      const { data } = getRow(await api.admin.get(`/patchbay/audit-trail?page=1&count=25&sid=${sid}`))
      const entries = data as { actor: string; kind: string; address: string | null; request_id: string | null }[]
      expect(entries.filter(({ address, request_id }) => !address || !request_id)).toEqual([])
      return entries.map(({ actor, kind }) => `${actor} ${kind}`).toSorted()
    }
    // The entries of both links, the user of the account, and the confirmation mail.
    await expect
      .poll(trail)
      .toEqual([
        'nobody alert_destination',
        'nobody alert_destination',
        'user alert_destination',
        'user confirmation_link',
      ])
  })

  test('must confirm again when the address changes, while alerts wait, even if it was confirmed earlier', async () => {
    const { sid, target } = await mailbox()
    await raise(alert())
    const other = `${randomUUID()}@example.org`
    await api.admin.put(`${path}/${sid}`, { target: other })
    const link = linkIn(await mailTo(other), 'confirm')
    await pass()
    expect(await readStates(sid)).toEqual(['waiting 0'])
    await api.admin.put(`${path}/${sid}`, { target })
    expect(await readDestination(sid)).toMatchObject({ is_confirmed: 0 })
    expect((await say('confirm', link)).status).toBe(404)
    expect((await say('confirm', linkIn(await mailTo(target), 'confirm'))).status).toBe(204)
    clock = Date.now()
    await pass()
    expect(await readStates(sid)).toEqual(['delivered 1'])
    expect((await mailTo(target)).text).toContain('Subject: Alert')
  })

  test('can confirm only with the latest link, within three days, and once even with fifty concurrent requests', async () => {
    const { sid, target, link } = await createUnconfirmedMailbox()
    expect((await api.admin.post(`${path}/${sid}/confirmation`)).status).toBe(204)
    const next = linkIn(await mailTo(target), 'confirm')
    expect((await say('confirm', link)).status).toBe(404)
    const addresses = api.test.database.db.updateTable('patchbay_alert_addresses')
    const until = (link_until: number) =>
      addresses.set({ link_until }).where('alert_destination_sid', '=', sid).execute()
    const { link_until } = await api.test.database.db
      .selectFrom('patchbay_alert_addresses')
      .selectAll()
      .where('alert_destination_sid', '=', sid)
      .executeTakeFirstOrThrow()
    expect(Math.round((link_until - Date.now()) / 3_600_000)).toBe(72)
    await until(Date.now())
    expect(statusAndMessage(await say('confirm', next))[0]).toBe(422)
    expect(await readDestination(sid)).toMatchObject({ is_confirmed: 0 })
    await until(link_until)
    const answers = await Promise.all(Array.from({ length: 50 }, () => say('confirm', next)))
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      204,
      ...Array.from({ length: 49 }, () => 422),
    ])
    const rows = await api.test.database.db.selectFrom('patchbay_alert_addresses').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(next)
  })

  test('gets few mails, even with three hundred concurrent requests and many destinations', async () => {
    const { sid, target } = await createUnconfirmedMailbox()
    const before = mails.received.length
    const answers = await Promise.all(Array.from({ length: 300 }, () => api.admin.post(`${path}/${sid}/confirmation`)))
    const acceptedCount = answers.filter(({ status }) => status === 204).length
    expect(acceptedCount).toBeLessThan(maxConfirmations.mailbox)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(300 - acceptedCount)
    expect(mails.received.length - before).toBeLessThan(maxConfirmations.mailbox)
    const statuses: number[] = []
    for (let nth = 0; nth <= maxConfirmations.mailbox; nth += 1) {
      const more = await make({ account_sid: await api.account(provider), target: target.toUpperCase() })
      statuses.push((await api.admin.post(`${path}/${more}/confirmation`)).status)
    }
    expect(statuses.at(-1)).toBe(429)
    const mailed = mails.received.filter(({ to }) => to.some((one) => one.toLowerCase() === target.toLowerCase()))
    expect(mailed.length).toBeLessThanOrEqual(maxConfirmations.mailbox)
  })

  test('stays confirmed after an upgrade if mails were delivered, and must confirm otherwise', async () => {
    const { db } = api.test.database
    const [mailed, never] = [await storeMailbox(api, account_sid), await storeMailbox(api, account_sid)]
    const posted = await make({ account_sid, kind: 'webhook', target: 'https://example.org' })
    for (const sid of [mailed.alert_destination_sid, posted])
      await db
        .updateTable('patchbay_alert_destinations')
        .set({ last_delivered_at: 1000 })
        .where('alert_destination_sid', '=', sid)
        .execute()
    // A killed migration starts again.
    for (const _ of [1, 2]) await confirmMailed(toContext(api.test.database))
    expect(await readDestination(mailed.alert_destination_sid)).toMatchObject({ is_confirmed: 1 })
    expect(await readDestination(never.alert_destination_sid)).toMatchObject({
      is_confirmed: 0,
      confirmation_sent_at: null,
    })
    const rows = db.selectFrom('patchbay_alert_addresses').selectAll().where('alert_destination_sid', '=', posted)
    expect(await rows.execute()).toEqual([])
  })

  test('a mail that the mail server rejects causes an error, and the destination shows that none was sent', async () => {
    const away = await createTestApi({}, undefined, { mail: { send: () => Promise.reject(new Error('away')) } })
    try {
      const body = {
        name: 'n',
        kind: 'email',
        target: 'a@example.org',
        account_sid: await away.account(await away.provider()),
      }
      const sid = member(await away.admin.post(path, body), 'sid')
      expect(statusAndMessage(await away.admin.post(`${path}/${sid}/confirmation`))).toEqual([
        503,
        'The email could not be sent. Try again.',
      ])
      expect(getRow(await away.admin.get(`${path}/${sid}`))).toMatchObject({ confirmation_sent_at: null })
    } finally {
      await away.close()
    }
  })

  test('an invalid link reveals nothing, and many attempts are rate limited', async () => {
    const { sid, link } = await createUnconfirmedMailbox()
    const other = await mailbox()
    const stop = createUnsubscribeLink(other).split('.')[1] ?? ''
    for (const wrong of [
      link.slice(1),
      `${link}x`,
      randomUUID(),
      `${sid}.${stop}`,
      `${other.sid}.`,
      sid,
      '%00\r\n',
      '.',
    ])
      for (const act of ['confirm', 'stop'] as const) {
        const answer = await say(act, wrong)
        expect([answer.status, (answer.body as { code: string }).code]).toEqual([404, 'address_link_invalid'])
      }
    for (const body of [{}, { link: '' }, { link: 7 }, { link: 'x'.repeat(129) }, { link: ['x'] }, { link, more: 1 }])
      expect((await api.nobody.post('/patchbay/alert-addresses/confirm', body)).status).toBe(400)
    expect((await say('confirm', 'x'.repeat(200_000))).status).toBe(413)
    expect((await api.nobody.get(`/patchbay/alert-addresses/confirm?link=${link}`)).status).toBe(401)
    const answers = await Promise.all(Array.from({ length: 80 }, () => say('stop', randomUUID())))
    expect(answers.filter(({ status }) => status !== 404 && status !== 429)).toEqual([])
    expect((await say('stop', randomUUID())).status).toBe(429)
    expect((await say('confirm', link)).status).toBe(204)
    expect(await readDestination(other.sid)).toMatchObject({ is_confirmed: 1 })
  })
})

describe('a test', () => {
  const tried = async (sid: string) => {
    const answer = await api.admin.post(`${path}/${sid}/test`)
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
    return answer.body as DestinationReport
  }

  test('reports every kind of response', async () => {
    const { sid, webhookApp } = await createWebhook()
    webhookApp.answer = (response) => response.writeHead(200).end('thanks')
    expect(await tried(sid)).toMatchObject({ delivered: true, status: 200, text: 'thanks', failure: null })
    expect(bodies(webhookApp)[0]).toMatchObject({ alert: { alert_type: 'test', account_sid } })
    webhookApp.answer = (response) => response.writeHead(503).end('busy')
    expect(await tried(sid)).toMatchObject({
      delivered: false,
      status: 503,
      text: 'busy',
      failure: 'The webhook responded with 503 Service Unavailable',
    })
    webhookApp.answer = (response) => response.destroy()
    expect(await tried(sid)).toMatchObject({
      delivered: false,
      status: null,
      text: null,
      failure: 'The host of the webhook closed the connection',
    })
    webhookApp.answer = (response) => response.writeHead(200).end('x'.repeat(100_000))
    expect((await tried(sid)).failure).toBe('The response is larger than 65536 bytes')
  })

  test('sends a mail for an email destination', async () => {
    const { sid, target } = await mailbox()
    expect(await tried(sid)).toMatchObject({ delivered: true, failure: null })
    const mail = await mails.next()
    expect([mail.to, mail.text]).toEqual([[target], expect.stringContaining('Nothing went wrong.')])
  })

  test('is rate limited per minute', async () => {
    const { sid } = await createWebhook()
    const answers: Answer[] = []
    for (let nth = 0; nth <= maxDestinationTestsPerMinute.account; nth += 1)
      answers.push(await api.admin.post(`${path}/${sid}/test`))
    expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([429])
  })

  const testDraft = (body: object, caller: Caller = api.admin) => caller.post(`${path}/test`, body)

  test('of a destination that is not saved stores nothing, and is signed with the secret that it will have', async () => {
    const { sid, webhookApp } = await createWebhook()
    const draft = { kind: 'webhook', target: `${webhookApp.origin}/draft` }
    const ofAccount = await testDraft({ ...draft, account_sid })
    expect(ofAccount).toMatchObject({ status: 200, body: { delivered: true, is_signed_provisionally: false } })
    // The app rejects a wrong signature.
    const ofProvider = await testDraft({ ...draft, service_provider_sid: provider })
    expect(ofProvider.body).toMatchObject({ delivered: false, status: 401, is_signed_provisionally: true })
    const changed = await testDraft({ ...draft, alert_destination_sid: sid })
    expect(changed.body).toMatchObject({ delivered: true, is_signed_provisionally: false })
    expect(await readDestination(sid)).toMatchObject({ target: `${webhookApp.origin}/alerts`, last_delivered_at: null })
    const stored = getRows(await api.admin.get(`/patchbay/accounts/${account_sid}/alert-destinations`))
    expect(stored).toHaveLength(1)
    const trail = await api.admin.get(
      `/patchbay/audit-trail?page=1&count=25&service_provider_sid=${provider}&action=try`,
    )
    expect(trail.body).toMatchObject({ total: 3 })
  })

  test('of a destination that is not saved never sends a mail, and rejects a private network at its field', async () => {
    const unconfirmed = await testDraft({ kind: 'email', target: 'stranger@example.org', account_sid })
    expect(unconfirmed).toMatchObject({ status: 422, body: { code: 'address_unconfirmed' } })
    const inside = await testDraft({ kind: 'webhook', target: 'http://10.0.0.1/', account_sid })
    expect(inside).toMatchObject({ status: 400, body: { field: 'target' } })
    const wrongKey = await testDraft({ kind: 'pagerduty', target: 'https://example.org', account_sid })
    expect(wrongKey).toMatchObject({ status: 400, body: { field: 'target' } })
    expect(await testDraft({ kind: 'slack', target: 'https://example.org' })).toMatchObject({
      status: 400,
      body: { field: 'account_sid' },
    })
  })

  test('of a destination that is not saved does not use the secret of another tenant', async () => {
    const { sid, webhookApp } = await createWebhook()
    const otherProvider = await api.provider()
    const other = await api.user({ account_sid: await api.account(otherProvider), service_provider_sid: otherProvider })
    const draft = { kind: 'webhook', target: webhookApp.origin, alert_destination_sid: sid }
    expect((await testDraft(draft, other.caller)).status).toBe(404)
    const viewer = await api.user({ account_sid, service_provider_sid: provider, is_view_only: true })
    expect((await testDraft(draft, viewer.caller)).status).toBe(403)
    expect(webhookApp.heard).toHaveLength(0)
  })

  test('of a destination that is not saved counts against the limit of its account', async () => {
    const { sid, webhookApp } = await createWebhook()
    const answers: Answer[] = []
    for (let nth = 0; nth < maxDestinationTestsPerMinute.account; nth += 1)
      answers.push(await testDraft({ kind: 'webhook', target: webhookApp.origin, account_sid }))
    answers.push(await api.admin.post(`${path}/${sid}/test`))
    expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([429])
  })
})
