import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AlertDelivery, AlertDestination } from '@patchbay/contract/alert-destinations'
import { type AlertSender, createAlertSender } from '@patchbay/server/call-data/alerts/alert-sender'
import { claimDestination } from '@patchbay/server/call-data/alerts/delivery-queue'
import { type HangingServer, startHangingServer } from '@patchbay/testkit/fakes/hanging-server'
import { startWebhookApp, type WebhookApp } from '@patchbay/testkit/fakes/webhook-app'
import { getPort, loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { member } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { alertRecord, getRow, nanosecondsAt } from '../fixtures.ts'

/** Attacks of one account on the alert delivery of others. */

let hanging: HangingServer
let webhook: WebhookApp
let sender: AlertSender
let clock: number
let lost: unknown[]

const path = '/patchbay/alert-destinations'
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const api = await openTestApi({ PRIVATE_NETWORKS: loopbackNetwork })
const provider = await api.provider()
beforeEach(async () => {
  await api.test.database.db.deleteFrom('patchbay_alert_destinations').execute()
  hanging = await startHangingServer()
  webhook = await startWebhookApp()
  webhook.answer = (response) => response.writeHead(204).end()
  clock = Date.now() + 1000
  lost = []
  sender = createAlertSender({ ...api.services, onBackgroundError: (error) => lost.push(error), now: () => clock })
})
afterEach(async () => {
  sender.stop()
  hanging.close()
  await sender.settled()
  webhook.close()
})

const destination = async (account_sid: string, target: string): Promise<string> =>
  member(await api.admin.post(path, { name: 'webhook', kind: 'webhook', target, account_sid }), 'sid')

let nth = 0
const raise = async (account_sid: string, count = 1): Promise<void> => {
  await api.sinks.alerts.store(
    Array.from({ length: count }, () =>
      alertRecord({
        account_sid,
        service_provider_sid: provider,
        time: nanosecondsAt(Date.now()) + BigInt((nth += 1)),
        message: `alert ${nth}`,
      }),
    ),
  )
  // The store queues alerts with the real clock, so the simulated clock must not be behind it.
  clock = Math.max(clock, Date.now())
}

const readDeliveries = async (sid: string): Promise<AlertDelivery[]> => {
  const answer = getRow(await api.admin.get(`${path}/${sid}/deliveries?page=1&count=500`))
  return answer['data'] as AlertDelivery[]
}
const readStates = async (sid: string) =>
  (await readDeliveries(sid)).map(({ state, attempts }) => `${state} ${attempts}`).toSorted()
const readDestination = async (sid: string) =>
  getRow(await api.admin.get(`${path}/${sid}`)) as unknown as AlertDestination

const deliver = async () => {
  await sender.queueDue()
  await sender.settled()
}

test('20 webhooks of one account that hang do not delay the alert of another account', async () => {
  const [attacker, victim] = [await api.account(provider), await api.account(provider)]
  const dead = await Promise.all(
    Array.from({ length: 20 }, (_, at) => destination(attacker, `${hanging.origin}/${at}`)),
  )
  await raise(attacker)
  const sid = await destination(victim, webhook.origin)
  await raise(victim)
  await sender.queueDue()
  await expect.poll(() => readStates(sid)).toEqual(['delivered 1'])
  // The alert was delivered in the first round, before any delivery of the attacker was settled.
  for (const other of dead) expect(await readStates(other)).toEqual(['waiting 0'])
  expect(hanging.maxConnections()).toBeLessThanOrEqual(2)
})

test('more hanging webhooks than slots, over several accounts, delay the alert of another account only once', async () => {
  const attackers = await Promise.all(Array.from({ length: 6 }, () => api.account(provider)))
  const dead: string[] = []
  for (const attacker of attackers) {
    for (const at of [1, 2]) dead.push(await destination(attacker, `${hanging.origin}/${at}`))
    await raise(attacker)
  }
  const victim = await api.account(provider)
  const sid = await destination(victim, webhook.origin)
  await raise(victim)
  await sender.queueDue()
  await expect.poll(() => readStates(sid)).toEqual(['delivered 1'])
  hanging.close()
  await sender.settled()
  for (const other of dead) expect((await readDestination(other)).failing_since).not.toBeNull()

  // Destinations that have failed use separate slots next time.
  clock += minute
  const others = createAlertSender({
    ...api.services,
    onBackgroundError: (error) => lost.push(error),
    now: () => clock,
  })
  await raise(victim)
  await others.queueDue()
  await expect.poll(() => readStates(sid)).toEqual(['delivered 1', 'delivered 1'])
  await others.settled()
  expect(lost).toEqual([])
})

test('a destination without a response gets one message at a time, and all when it responds', async () => {
  const account_sid = await api.account(provider)
  const sid = await destination(account_sid, `${hanging.origin}/alerts`)
  await raise(account_sid, 4)
  await sender.queueDue()
  await expect.poll(() => hanging.connections.size).toBe(1)
  hanging.close()
  await sender.settled()
  expect(await readStates(sid)).toEqual(['waiting 0', 'waiting 0', 'waiting 0', 'waiting 1'])
  expect(hanging.maxConnections()).toBe(1)
  expect((await readDestination(sid)).last_error).not.toBeNull()

  await api.admin.put(`${path}/${sid}`, { target: webhook.origin })
  clock += 2 * minute
  await deliver()
  expect(await readStates(sid)).toEqual(['delivered 1', 'delivered 1', 'delivered 1', 'delivered 2'])
  expect((await readDestination(sid)).failing_since).toBeNull()
})

test('new alerts do not shorten the backoff of a failing destination', async () => {
  let connections = 0
  const resetting = createServer((socket) => {
    connections += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(resetting, 'listening')
  const account_sid = await api.account(provider)
  const sid = await destination(account_sid, `http://127.0.0.1:${getPort(resetting)}/`)
  // With one alert per hour for a day, attempts become rarer although each alert is new.
  let [inFirstHours, inLastHours] = [0, 0]
  for (let hours = 0; hours < 24; hours += 1) {
    const before = connections
    await raise(account_sid)
    // Alerts are queued with the real clock.
    await api.test.database.db
      .updateTable('patchbay_alert_deliveries')
      .set({ queued_at: clock })
      .where('alert_destination_sid', '=', sid)
      .where('queued_at', '<=', Date.now())
      .execute()
    for (let minutes = 0; minutes < 60; minutes += 10) {
      clock += 10 * minute
      await deliver()
    }
    if (hours < 8) inFirstHours += connections - before
    else inLastHours += connections - before
  }
  resetting.close()
  expect(inFirstHours).toBeGreaterThan(2)
  expect(inLastHours).toBeLessThanOrEqual(3)
  // Alerts that have waited longer than all retries are given up with an error.
  const givenUp = (await readDeliveries(sid)).filter(({ state }) => state === 'given_up')
  expect(givenUp.length).toBeGreaterThan(0)
  for (const { error } of givenUp) expect(error).not.toBeNull()
})

test('a destination that is deleted during a delivery leaves no rows', async () => {
  const account_sid = await api.account(provider)
  const sid = await destination(account_sid, `${hanging.origin}/alerts`)
  await raise(account_sid, 2)
  await sender.queueDue()
  await expect.poll(() => hanging.connections.size).toBe(1)
  expect((await api.admin.delete(`${path}/${sid}`)).status).toBe(204)
  hanging.close()
  await sender.settled()
  expect(lost).toEqual([])
  const { db } = api.test.database
  for (const table of ['patchbay_alert_destinations', 'patchbay_alert_deliveries'] as const)
    expect(await db.selectFrom(table).selectAll().where('alert_destination_sid', '=', sid).execute()).toEqual([])
})

test.each(['due_at', 'claimed_until', 'minute_at'] as const)(
  'a clock that was set back two days does not stop deliveries (%s)',
  async (column) => {
    const account_sid = await api.account(provider)
    const sid = await destination(account_sid, webhook.origin)
    await raise(account_sid)
    await api.test.database.db
      .updateTable('patchbay_alert_destinations')
      .set({ [column]: clock + 2 * day, minute_sent: 5 })
      .where('alert_destination_sid', '=', sid)
      .execute()
    await deliver()
    expect(await readStates(sid)).toEqual(['delivered 1'])
  },
)

test('a destination is claimed once by processes whose clocks differ by a minute', async () => {
  const account_sid = await api.account(provider)
  const sid = await destination(account_sid, webhook.origin)
  await raise(account_sid)
  const { database } = api.test
  expect(await claimDestination(database, sid, clock + minute)).toBeDefined()
  expect(await claimDestination(database, sid, clock)).toBeUndefined()
})
