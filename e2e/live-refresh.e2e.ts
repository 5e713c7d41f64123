import type { Page } from '@playwright/test'
import { aCall, anAlert, writeAlerts, writeCalls } from './support/calls.ts'
import { expect, test } from './support/test.ts'

/** Lists and the overview refresh while they are visible. The clock of the page is advanced instead of waiting. */

const rows = (page: Page, table: string) => page.getByRole('table', { name: table }).locator('tbody tr[data-row]')
const news = (page: Page) => page.getByRole('status').getByRole('button', { name: /^Show \d+ new/ })

/** Collects the requests for a path. */
const collectRequests = (page: Page, path: string): string[] => {
  const requests: string[] = []
  page.on('request', (request) => void (request.url().includes(path) && requests.push(request.url())))
  return requests
}

const setVisibility = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate((visibility) => {
    Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true })
    window.dispatchEvent(new Event('visibilitychange'))
  }, state)

test('recent calls announce new calls, keep their rows, and update the count', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const at = Date.now() - 60_000
  await writeCalls(server.intakePort, tenant, [aCall({ from: 'first', attempted_at: at })])
  await page.clock.install()
  await open('/internal/recent-calls')
  await expect(rows(page, 'Recent calls')).toHaveText([/first/])
  await page.getByRole('button', { name: /^Call from first/ }).click()
  const getPosition = () => rows(page, 'Recent calls').first().boundingBox()
  const before = await getPosition()
  const more = Array.from({ length: 30 }, (_, n) => aCall({ from: `later-${n}`, attempted_at: at + 1000 + n }))
  await writeCalls(server.intakePort, tenant, more)
  await page.clock.fastForward(15_000)
  await expect(news(page)).toHaveText('Show 30 new calls')
  await expect(rows(page, 'Recent calls')).toHaveText([/first/])
  await expect(page.getByRole('button', { name: /^Call from first/ })).toHaveAttribute('aria-expanded', 'true')
  expect(await getPosition()).toEqual(before)
  await expect(page.getByText('Total: 31 record(s)', { exact: true })).toBeVisible()
  await expect(page.getByText('31 calls', { exact: true })).toBeVisible()
  await news(page).click()
  await expect(rows(page, 'Recent calls').first()).toContainText('later-29')
  await expect(news(page)).toHaveCount(0)
})

test('shows the first calls of an empty list without a notice', async ({ page, server, tenant, open }) => {
  await page.clock.install()
  await open('/internal/recent-calls')
  await expect(page.getByText('No data.', { exact: true })).toBeVisible()
  await writeCalls(server.intakePort, tenant, [aCall({ from: 'first', attempted_at: Date.now() - 60_000 })])
  await page.clock.fastForward(15_000)
  await expect(rows(page, 'Recent calls')).toHaveText([/first/])
  await expect(news(page)).toHaveCount(0)
})

test('a hidden page sends no requests, and reads everything when it is visible again', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const at = Date.now() - 60_000
  await writeCalls(server.intakePort, tenant, [aCall({ from: 'first', attempted_at: at })])
  await page.clock.install()
  await open('/internal/recent-calls')
  await expect(rows(page, 'Recent calls')).toHaveText([/first/])
  await page.waitForLoadState('networkidle')
  await setVisibility(page, 'hidden')
  const requests = collectRequests(page, '/api/v1/')
  for (let minute = 0; minute < 5; minute += 1) await page.clock.runFor(60_000)
  expect(requests).toEqual([])
  await writeCalls(server.intakePort, tenant, [aCall({ from: 'second', attempted_at: at + 1000 })])
  await setVisibility(page, 'visible')
  await expect(news(page)).toHaveText('Show 1 new call')
})

test('failed refreshes become less frequent, and keep the rows and the session', async ({
  page,
  server,
  tenant,
  open,
}) => {
  await writeCalls(server.intakePort, tenant, [aCall({ from: 'first', attempted_at: Date.now() - 60_000 })])
  await page.clock.install()
  await open('/internal/recent-calls')
  await expect(rows(page, 'Recent calls')).toHaveText([/first/])
  let isFailing = true
  let failures = 0
  await page.route('**/RecentCalls*', (route) => {
    if (!isFailing) return route.continue()
    failures += 1
    return route.fulfill({ status: 503, json: { msg: 'The database is away' } })
  })
  await page.clock.fastForward(15_000)
  await expect(page.getByText('Refresh failed: The database is away')).toBeVisible()
  await expect(rows(page, 'Recent calls')).toHaveText([/first/])
  // Without back-off, 10 minutes have 40 intervals.
  for (let step = 0; step < 120; step += 1) {
    await page.clock.runFor(5_000)
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
  }
  expect(failures).toBeGreaterThanOrEqual(4)
  expect(failures).toBeLessThanOrEqual(8)
  isFailing = false
  await page.clock.fastForward(300_000)
  await expect(page.getByText('Refresh failed')).toHaveCount(0)
  await expect(page).toHaveURL(/recent-calls$/)
})

test('a period in the past does not refresh', async ({ page, open }) => {
  await page.clock.install()
  await open('/internal/recent-calls?from=2026-10-01&until=2026-10-02')
  await expect(page.getByText('No data.', { exact: true })).toBeVisible()
  const requests = collectRequests(page, '/RecentCalls')
  await page.clock.runFor(120_000)
  expect(requests).toEqual([])
})

test('alerts announce new alerts', async ({ page, server, tenant, open }) => {
  const at = Date.now() - 60_000
  await writeAlerts(server.intakePort, tenant, [anAlert({ message: 'first alert', at })])
  await page.clock.install()
  await open('/internal/alerts')
  await expect(rows(page, 'Alerts')).toHaveText([/first alert/])
  await writeAlerts(server.intakePort, tenant, [anAlert({ message: 'second alert', at: at + 1000 })])
  await page.clock.fastForward(15_000)
  await expect(news(page)).toHaveText('Show 1 new alert')
  await expect(rows(page, 'Alerts')).toHaveText([/first alert/])
  await news(page).click()
  await expect(rows(page, 'Alerts')).toHaveText([/second alert/, /first alert/])
})

test('a refresh of an unchanged list transfers no rows, and one after a change shows it', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await page.clock.install()
  await open('/internal/accounts')
  await expect(rows(page, 'Accounts')).toHaveCount(1)
  await expect(rows(page, 'Accounts')).toContainText(tenant.accountName)
  const path = `/ServiceProviders/${tenant.service_provider_sid}/Accounts`
  const refresh = async () => {
    const response = page.waitForResponse((one) => one.url().endsWith(path))
    await page.clock.fastForward(60_000)
    await setVisibility(page, 'visible')
    const answered = await response
    return { status: answered.status(), bytes: (await answered.request().sizes()).responseBodySize }
  }
  expect(await refresh()).toEqual({ status: 304, bytes: 0 })
  expect(await refresh()).toEqual({ status: 304, bytes: 0 })
  await expect(rows(page, 'Accounts')).toContainText(tenant.accountName)
  await api.send('PUT', `/Accounts/${tenant.account_sid}`, { name: 'Renamed elsewhere' })
  expect(await refresh()).toMatchObject({ status: 200 })
  await expect(rows(page, 'Accounts')).toContainText('Renamed elsewhere')
  expect(await refresh()).toEqual({ status: 304, bytes: 0 })
  await expect(rows(page, 'Accounts')).toContainText('Renamed elsewhere')
})
