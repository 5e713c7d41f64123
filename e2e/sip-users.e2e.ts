import type { Page } from '@playwright/test'
import { expectNoFindings, rulesFor } from './support/axe.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { expect, test } from './support/test.ts'

/** Registered SIP users. The responses are simulated, because the test server has no registrar. */

const rows = (page: Page) => page.getByRole('table', { name: 'Registered SIP users' }).getByRole('row')

/** Simulates a server with the platform's Redis and this many registered users. */
const withUsers = async (page: Page, count: number) => {
  await page.route('**/config.json', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ json: { ...(await answer.json()), switches: [] } })
  })
  const users = Array.from({ length: count }, (_, index) => ({
    name: `user${index}`,
    contact: `sip:user${index}@10.0.${index >> 8}.${index & 255}:5060`,
    protocol: 'wss',
    proxy: 'sip:10.1.1.1',
    expiryTime: Date.now() + 12_500_000,
  }))
  await page.route('**/RegisteredSipUsers', (route) =>
    route.fulfill({
      json: route.request().method() === 'GET' ? users.map(({ name }) => `${name}@sip.example.org`) : users,
    }),
  )
}

test.beforeEach(async ({ api, tenant }) => {
  await api.send('PUT', `/Accounts/${tenant.account_sid}`, { sip_realm: `${tenant.account_sid}.example.org` })
})

const tab = ({ account_sid }: { account_sid: string }) => `/internal/accounts/${account_sid}/edit?tab=sip-users`

test("hides registrations without the platform's Redis, and the tab without a SIP realm", async ({
  page,
  api,
  tenant,
  open,
}) => {
  await open(tab(tenant))
  await expect(page.getByRole('tab', { name: 'SIP users', selected: true })).toBeVisible()
  await expect(page.getByText('Registrations are not available.')).toBeVisible()
  await api.send('PUT', `/Accounts/${tenant.account_sid}`, { sip_realm: null })
  await page.reload()
  await expect(page.getByRole('tab', { name: 'Contents' })).toBeVisible()
  await expect(page.getByRole('tab', { name: 'SIP users' })).toHaveCount(0)
})

test('shows registered users with contact, protocol, and expiry, filters by text, and refreshes', async ({
  page,
  tenant,
  open,
}) => {
  await withUsers(page, 5000)
  await open(tab(tenant))
  await expect(page.getByText('5,000 registered users')).toBeVisible()
  const first = rows(page).nth(1)
  for (const text of ['user0', 'sip:user0@10.0.0.0:5060', 'wss', 'sip:10.1.1.1', 'in 3 hours'])
    await expect(first).toContainText(text)
  const filter = page.getByRole('searchbox', { name: 'Filter SIP users' })
  await filter.fill('user4321')
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByText('1 of 5,000 registered users')).toBeVisible()
  await filter.fill('nobody')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(first).toContainText('user0')
  await withUsers(page, 0)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByText('No SIP user is registered.')).toBeVisible()
})

test('offers a retry if the list cannot be loaded, and keeps a loaded list if a refresh fails', async ({
  page,
  tenant,
  open,
}) => {
  await withUsers(page, 1)
  const fail = () =>
    page.route('**/RegisteredSipUsers', (route) => route.fulfill({ status: 503, json: { msg: 'Redis is away' } }), {
      times: 1,
    })
  await fail()
  await open(tab(tenant))
  await expect(page.getByText('Redis is away')).toBeVisible()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(rows(page)).toHaveCount(2)
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoFindings(page, `SIP users at ${width} px`, { rules: rulesFor('light', width) })
    await expectToFit(page, 'the registered SIP users')
  }
  await fail()
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByRole('alert').first()).toContainText('Refresh failed: Redis is away')
  await expect(rows(page)).toHaveCount(2)
})

test('shows registrations one by one to view-only users, who cannot request the list on the platform’s own API server', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await withUsers(page, 2)
  await page.route('**/RegisteredSipUsers/user1', (route) =>
    route.fulfill({
      json: {
        name: 'user1',
        contact: 'sip:user1@10.0.0.9',
        protocol: 'udp',
        proxy: null,
        expiryTime: Date.now() + 3_600_000,
        registered_status: 'active',
      },
    }),
  )
  const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid, is_view_only: true })
  await open(tab(tenant), token)
  await expect(rows(page)).toHaveCount(3)
  await rows(page).nth(2).click()
  await expect(page.getByText('sip:user1@10.0.0.9')).toBeVisible()
})
