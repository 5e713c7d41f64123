import { startHangingServer } from '@patchbay/testkit/fakes/hanging-server'
import { startWebhookApp } from '@patchbay/testkit/fakes/webhook-app'
import { create, createAccount, fetchStatus, type Scenario, type Target, wait } from './scenario.ts'

/** An account with 20 webhooks that never respond and many alerts. Alerts of another account are timed. */

const webhooks = 20
const alertsPerBatch = 50
const batchIntervalMs = 500
/** Further alerts within a minute are sent together as a digest, up to a minute later. */
const timedAlerts = 5
const timedIntervalMs = 2000
const maxWaitMs = 10_000

const alertLine = (account_sid: string, message: string): string =>
  `alerts,alert_type=webhook-failure,account_sid=${account_sid} message="${message}" ${Date.now()}${String(
    Math.floor(Math.random() * 1e6),
  ).padStart(6, '0')}`

const raise = ({ server }: Target, lines: readonly string[], signal?: AbortSignal): Promise<number> =>
  fetchStatus(`http://127.0.0.1:${server.intakePort}/write?db=alerts`, {
    method: 'POST',
    body: lines.join('\n'),
    ...(signal ? { signal } : {}),
  })

const createWebhook = (target: Target, account_sid: string, address: string): Promise<string> =>
  create(target, '/patchbay/alert-destinations', { name: 'webhook', kind: 'webhook', target: address, account_sid })

export const alertScenario: Scenario = {
  name: 'hostile alert webhooks: no response',
  async prepare(target) {
    const [hanging, app] = await Promise.all([startHangingServer(), startWebhookApp()])
    app.answer = (response) => response.writeHead(204).end()
    const [attacker, victim] = await Promise.all([createAccount(target), createAccount(target)])
    for (let nth = 0; nth < webhooks; nth += 1) await createWebhook(target, attacker, `${hanging.origin}/${nth}`)
    await createWebhook(target, victim, app.origin)

    const attack = async (signal: AbortSignal) => {
      for (let nth = 0; !signal.aborted; nth += 1) {
        const lines = Array.from({ length: alertsPerBatch }, (_, at) => alertLine(attacker, `alert ${nth} ${at}`))
        await raise(target, lines, signal)
        await wait(batchIntervalMs, signal)
      }
    }

    /** Returns the milliseconds until the webhook received an alert. */
    const timeDelivery = async (): Promise<number> => {
      const before = app.heard.length
      const started = performance.now()
      await raise(target, [alertLine(victim, 'an alert')])
      const timeout = AbortSignal.timeout(maxWaitMs)
      while (app.heard.length === before && !timeout.aborted) await wait(10, timeout)
      return performance.now() - started
    }

    const time = async (signal: AbortSignal): Promise<number[]> => {
      const times: number[] = []
      while (times.length < timedAlerts && !signal.aborted) {
        await wait(timedIntervalMs, signal)
        if (!signal.aborted) times.push(await timeDelivery())
      }
      return times
    }

    return {
      async run(signal) {
        const [times] = await Promise.all([time(signal), attack(signal)])
        const seconds = times.map((ms) => (ms / 1000).toFixed(1)).join(', ')
        return `other account's alerts delivered after ${seconds} s`
      },
      stop() {
        hanging.close()
        app.close()
      },
    }
  },
}
