import { maxDestinationTestsPerMinute } from '@patchbay/server/resources/alert-destinations/operations'
import { startWebhookApp, type WebhookApp } from '@patchbay/testkit/fakes/webhook-app'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Accounts of a hosted installation, all of one service provider, that use up shared limits. */

let api: TestApi
let provider: string
let webhook: WebhookApp

beforeAll(async () => {
  api = await createTestApi({ PRIVATE_NETWORKS: loopbackNetwork })
  provider = await api.provider()
  webhook = await startWebhookApp()
  webhook.answer = (response) => response.writeHead(204).end()
})
afterAll(async () => {
  webhook.close()
  await api.close()
})

interface Tenant {
  caller: Caller
  sid: string
}

const tenant = async (): Promise<Tenant> => {
  const account_sid = await api.account(provider)
  const { caller } = await api.user({ account_sid, service_provider_sid: provider })
  const body = { name: 'webhook', kind: 'webhook', target: webhook.origin, account_sid }
  return { caller, sid: member(await caller.post('/patchbay/alert-destinations', body), 'sid') }
}

/** Returns how many of `times` test messages were sent. */
const sendTests = async ({ caller, sid }: Tenant, times: number): Promise<number> => {
  let messageCount = 0
  for (let nth = 0; nth < times; nth += 1) {
    const { status } = await caller.post(`/patchbay/alert-destinations/${sid}/test`)
    expect([200, 429]).toContain(status)
    if (status === 200) messageCount += 1
  }
  return messageCount
}

test('three accounts at their limits do not reduce the limit of a fourth', async () => {
  const { account } = maxDestinationTestsPerMinute
  for (let nth = 0; nth < 3; nth += 1) expect(await sendTests(await tenant(), account + 5)).toBe(account)
  expect(await sendTests(await tenant(), account)).toBe(account)
})

test('any number of accounts at their limits leave another account its guaranteed share', async () => {
  for (let nth = 0; nth < 10; nth += 1) await sendTests(await tenant(), maxDestinationTestsPerMinute.account)
  expect(await sendTests(await tenant(), 3)).toBe(3)
})
