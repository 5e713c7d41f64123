import { startFeatureServer } from '@patchbay/testkit/peers/feature-server'
import { hepAgent, hepChunk, toHepPacket } from '@patchbay/testkit/peers/hep'
import type { Page } from '@playwright/test'
import { aCall, writeCalls } from './support/calls.ts'
import { expectEveryLayout } from './support/expect-every-layout.ts'
import { test } from './support/redis.ts'
import { expect } from './support/test.ts'
import { fetchUnconditionally } from './support/unconditional-fetch.ts'

/** The state of the platform for administrators, with a real Redis. */

const path = '/internal/system'
const endpoint = '**/patchbay/system-status'
const component = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, level: 3, exact: true }) })

test('shows what fails, with its effect and the settings that repair it, and recovers with the platform', async ({
  page,
  open,
  redis,
  server,
  tenant,
}) => {
  await writeCalls(server.intakePort, tenant, [aCall()])
  const platform = await startFeatureServer(redis.port)
  await platform.write(['SET', `incalls:account:${tenant.account_sid}`, '3'])
  await open('/internal/accounts')
  await page.getByRole('link', { name: 'System status' }).click()
  await expect(page.getByRole('heading', { name: 'System status', level: 1 })).toBeVisible()
  await expect(component(page, 'Redis')).toContainText(/^RedisOKVersion\d+\.\d+/)
  await expect(component(page, 'Redis')).toContainText('Redis responds.')
  await expect(component(page, 'Call records and alerts')).toContainText(/OK.*Last contact/)
  await expect(component(page, 'Mail')).toContainText('Not configured')
  await expect(page.getByText('Calls in progress: 3 inbound, 0 outbound')).toBeVisible()

  const servers = component(page, 'Feature servers')
  await expect(servers).toContainText('No feature server is registered in Redis, so the SBCs reject every call.')
  // The help of a failing component is open.
  await expect(servers.getByText('The SBCs reject every call, and no application runs.')).toBeVisible()
  await expect(servers.getByText('JAMBONES_CLUSTER_ID', { exact: true })).toBeVisible()
  await expect(component(page, 'Redis').getByText('Users cannot sign in')).toBeHidden()
  const urgent = page.getByRole('list', { name: 'Components that need attention' })
  await expect(urgent.getByRole('listitem')).toHaveText(['SBCs', 'Feature servers'])
  await urgent.getByRole('link', { name: 'Feature servers' }).click()
  await expect(servers).toBeInViewport()

  await platform.write(
    ['SADD', 'default:active-fs', '10.0.0.1:5060', '10.0.0.2:5060'],
    ['SADD', 'default:drained-fs', '10.0.0.2:5060'],
  )
  // The server caches the status for a few seconds.
  await expect(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(servers).toContainText('1 feature server is active.', { timeout: 1_000 })
  }).toPass()
  const instances = servers.getByRole('list', { name: 'Instances: Feature servers' }).getByRole('listitem')
  await expect(instances).toHaveText([/10\.0\.0\.1:5060.*OK/, /10\.0\.0\.2:5060.*Warning.*Drained/])
  await expect(urgent.getByRole('listitem')).toHaveText(['SBCs'])
  await platform.close()
})

test('counts captured packets that cannot be stored by reason, and describes the latest one without its numbers', async ({
  page,
  open,
  server,
}) => {
  const agent = hepAgent(server.hepPort)
  const packet = toHepPacket([
    hepChunk(1, Buffer.from([10])),
    hepChunk(7, Buffer.from([0x13, 0xc4])),
    hepChunk(15, Buffer.from('INVITE sip:+15085551079@10.0.0.2 SIP/2.0\r\n')),
  ])
  await agent.send(packet)
  await agent.send(packet)
  await open(path)
  const captures = component(page, 'Captured SIP')
  await expect(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(captures).toContainText('2 without IP addresses (HEP chunks 3 and 4, or 5 and 6)', { timeout: 1_000 })
  }).toPass()
  await expect(captures).toContainText('Warning')
  await expect(captures).toContainText('15 (42 bytes), with INVITE sip:….')
  await expect(captures).not.toContainText('1508')
  agent.stop()
})

test('shows a failed load with a retry, and keeps the last state if a refresh fails', async ({ page, open }) => {
  let isBroken = true
  await page.route(endpoint, (route) =>
    isBroken ? route.fulfill({ status: 500, json: { msg: 'Out of order' } }) : route.continue(),
  )
  await open(path)
  await expect(page.getByRole('main').getByText('Out of order')).toBeVisible()
  isBroken = false
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(component(page, 'Database')).toContainText('OK')
  isBroken = true
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByText('Refresh failed: Out of order')).toBeVisible()
  await expect(component(page, 'Database')).toContainText('OK')
})

test('refreshes every 30 seconds while it is visible', async ({ page, open }) => {
  await page.clock.install()
  await open(path)
  await expect(component(page, 'Database')).toBeVisible()
  let requests = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/patchbay/system-status')) requests += 1
  })
  const setVisibility = (state: 'hidden' | 'visible') =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true })
      window.dispatchEvent(new Event('visibilitychange'))
    }, state)
  await page.clock.runFor(31_000)
  await expect.poll(() => requests).toBe(1)
  await setVisibility('hidden')
  await page.clock.runFor(120_000)
  expect(requests).toBe(1)
  await setVisibility('visible')
  await expect.poll(() => requests).toBe(2)
})

test('fits with many instances and long texts, in both themes and all widths', async ({ page, open }) => {
  await page.route(endpoint, async (route) => {
    const answer = await fetchUnconditionally(route)
    const status = await answer.json()
    const parts = Array.from({ length: 50 }, (_, index) => ({
      name: `sbc-${index}.with-a-rather-long-name.eu-central-1.compute.internal:5060`,
      state: index % 2 === 0 ? 'failing' : 'ok',
      detail: index % 2 === 0 ? 'No heartbeat for more than 2 minutes.' : null,
      last_contact: '2026-11-01T10:00:00.000Z',
    }))
    for (const each of status.components)
      if (each.id === 'sbcs') Object.assign(each, { state: 'warning', parts, part_count: 1234 })
    await route.fulfill({ json: status })
  })
  await open(path)
  await expect(component(page, 'SBCs').getByText('and 1,184 more')).toBeVisible()
  await expectEveryLayout(page)
})

test('is for administrators only, and hidden on the platform’s own API server', async ({ page, open, api, tenant }) => {
  const { service_provider_sid, account_sid } = tenant
  for (const owner of [{ service_provider_sid }, { service_provider_sid, account_sid }]) {
    const { token } = await api.person(owner)
    await open(path, token)
    await expect(page.getByText('You do not have access.')).toBeVisible()
    await expect(page.getByRole('link', { name: 'System status' })).toHaveCount(0)
  }
  await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
  await open('/internal/accounts')
  await expect(page.getByRole('link', { name: 'Accounts', exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: 'System status' })).toHaveCount(0)
})

test('is found in the command palette by other words', async ({ page, open }) => {
  await open('/internal/accounts')
  await expect(page.getByRole('heading', { name: 'Accounts', level: 1 })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox').fill('outage')
  await page.getByRole('option', { name: 'System status' }).click()
  await expect(page.getByRole('heading', { name: 'System status', level: 1 })).toBeVisible()
})
