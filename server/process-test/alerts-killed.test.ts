import type { ServerResponse } from 'node:http'
import type { AlertDelivery } from '@patchbay/contract/alert-destinations'
import { mysqlStore, type PersistentStore, sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi } from '@patchbay/testkit/crash/durability-ledger'
import { startWebhookApp, type WebhookApp } from '@patchbay/testkit/fakes/webhook-app'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { expect, inject, test, vi } from 'vitest'

/** Received alerts are sent at least once, even if the server is killed while sending. */

const password = 'Pass-of-the-k1ll'
const alerts = 5
/** A destination can be claimed again 90 seconds after the claim of a killed process. */
const timeoutMs = 120_000

const raise = async ({ intakePort }: RunningServer, account_sid: string, provider: string): Promise<void> => {
  const at = BigInt(Date.now()) * 1_000_000n
  const lines = Array.from(
    { length: alerts },
    (_, nth) =>
      `alerts,account_sid=${account_sid},service_provider_sid=${provider},alert_type=no-tts message="alert ${nth}" ${at + BigInt(nth)}`,
  )
  const answer = await fetch(`http://127.0.0.1:${intakePort}/write?db=alerts`, {
    method: 'POST',
    body: lines.join('\n'),
  })
  expect(answer.status).toBe(204)
}

const messagesIn = ({ heard }: WebhookApp): string[] =>
  heard.map(({ body }) => (body as { alert?: { message: string } }).alert?.message ?? '')

/** Returns how often the webhook received each alert. */
const killedWhileSending = async (store: PersistentStore): Promise<number[]> => {
  const settings = { ...store.settings, PRIVATE_NETWORKS: loopbackNetwork }
  const webhookApp = await startWebhookApp()
  const first = await startServer(settings)
  const begin = await callApi(first, '', 'POST', '/login', { username: 'admin', password: first.firstPassword })
  const { token, user_sid } = begin.body as { token: string; user_sid: string }
  const change = { old_password: first.firstPassword, new_password: password }
  await callApi(first, token, 'PUT', `/Users/${user_sid}`, change)
  const make = async (path: string, body: object) =>
    ((await callApi(first, token, 'POST', path, body)).body as { sid: string }).sid
  const service_provider_sid = await make('/ServiceProviders', { name: 'killed' })
  const account_sid = await make('/Accounts', { name: 'killed', service_provider_sid })
  const body = { name: 'far side', kind: 'webhook', target: webhookApp.origin, account_sid }
  const sid = await make('/patchbay/alert-destinations', body)

  // The webhook has accepted two alerts, and the third is in transit. No outcome is recorded.
  const third = new Promise<void>((resolve) => {
    webhookApp.answer = (response: ServerResponse) =>
      webhookApp.heard.length < 3 ? response.writeHead(204).end() : resolve()
  })
  await raise(first, account_sid, service_provider_sid)
  await third
  await first.kill()
  expect(messagesIn(webhookApp)).toEqual(['alert 0', 'alert 1', 'alert 2'])

  webhookApp.answer = (response) => response.writeHead(204).end()
  const again = await startServer(settings)
  try {
    const session = await callApi(again, '', 'POST', '/login', { username: 'admin', password })
    const log = async () => {
      const path = `/patchbay/alert-destinations/${sid}/deliveries?page=1&count=25`
      const answer = await callApi(again, (session.body as { token: string }).token, 'GET', path)
      return (answer.body as { data: AlertDelivery[] }).data
    }
    expect((await log()).map(({ state, attempts }) => `${state} ${attempts}`)).toEqual(
      Array.from({ length: alerts }, () => 'waiting 0'),
    )
    // `expect.poll` belongs to the test that runs, and another one may just have ended.
    await vi.waitFor(
      async () =>
        expect((await log()).map(({ state, attempts, status }) => `${state} ${attempts} ${status}`)).toEqual(
          Array.from({ length: alerts }, () => 'delivered 1 204'),
        ),
      { timeout: timeoutMs, interval: 500 },
    )
    expect(await store.damage()).toEqual([])
    return Array.from(
      { length: alerts },
      (_, nth) => messagesIn(webhookApp).filter((message) => message === `alert ${nth}`).length,
    )
  } finally {
    await again.stop()
    webhookApp.close()
    store.remove()
  }
}

/** Alerts without a recorded outcome are sent again, the others once. None is lost. */
const heard = [2, 2, 2, 1, 1]

// The tests run concurrently because each waits for a claim to expire.
test.concurrent('a server killed while sending alerts has sent each after its restart, on SQLite', async () => {
  expect(await killedWhileSending(sqliteStore())).toEqual(heard)
})

test.concurrent('a server killed while sending alerts has sent each after its restart, on MariaDB', async () => {
  const url = await mariaDbClient(inject('mariadb')).createDatabase()
  expect(await killedWhileSending(mysqlStore(url))).toEqual(heard)
})
