import type { Page } from '@playwright/test'
import { aCall, anAlert, writeAlerts, writeCalls } from './support/calls.ts'
import { expectEveryLayout } from './support/expect-every-layout.ts'
import { expect, test } from './support/test.ts'
import { fetchUnconditionally } from './support/unconditional-fetch.ts'

/** Alerts grouped by type and object, and their acknowledgments. */

const rows = (page: Page) => page.getByRole('table', { name: 'Alerts' }).locator('tbody tr[data-row]')
/** The requests for groups, and not the script of that name. */
const groupRequests = /\/alert-groups\?/
const groupBy = (page: Page) => page.getByRole('combobox', { name: 'Group by' })
const badge = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /new alert/ })

test('groups alerts by type and object, with the view in the URL, and the menu opens single alerts', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const now = Date.now()
  const call = aCall({ from: 'troubled-caller', attempted_at: now - 4000 })
  await writeCalls(server.intakePort, tenant, [call])
  await writeAlerts(server.intakePort, tenant, [
    anAlert({ at: now - 4000, message: 'https://example.org/hook?a=1 returned 500' }),
    anAlert({ at: now - 1000, message: 'https://example.org/hook?a=2 returned 503', target_sid: call.call_sid }),
    anAlert({ at: now - 3000, alert_type: 'no-tts', vendor: 'google', message: 'no credentials' }),
    anAlert({ at: now - 2000, alert_type: 'account-call-limit', message: 'limit reached' }),
  ])
  await open('/internal/alerts')
  await expect(rows(page)).toHaveCount(4)
  await groupBy(page).selectOption('type and object')
  await expect(page).toHaveURL(/view=groups/)
  await expect(rows(page)).toHaveText([
    /Webhook failed.*https:\/\/example\.org\/hook.*2/s,
    /Call limit of the account reached.*Account/s,
    /No text-to-speech.*google.*1/s,
  ])
  await expect(page.getByText('3 groups')).toBeVisible()
  await page.reload()
  await expect(rows(page)).toHaveCount(3)

  await page.getByRole('button', { name: 'No text-to-speech: google' }).click()
  await expect(page.getByRole('link', { name: 'Show the speech services' })).toBeVisible()
  await page.getByRole('button', { name: 'Call limit of the account reached: Account' }).click()
  await expect(page.getByRole('link', { name: 'Show the account' })).toHaveAttribute(
    'href',
    new RegExp(`${tenant.account_sid}/edit`),
  )
  await page.getByRole('button', { name: 'Webhook failed: https://example.org/hook' }).click()
  await expect(page.getByRole('link', { name: 'Show the applications' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Show the call', exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Show the alerts of this type' }).click()
  await expect(page).not.toHaveURL(/view=groups/)
  await expect(rows(page)).toHaveText([/a=2 returned 503/, /a=1 returned 500/])
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Alerts', exact: true }).click()
  await expect(groupBy(page)).toHaveValue('')
  await expect(rows(page)).toHaveCount(4)
})

test('acknowledges a group with undo, hides it, and opens it again with a newer alert', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const now = Date.now()
  await writeAlerts(server.intakePort, tenant, [
    anAlert({ at: now - 4000 }),
    anAlert({ at: now - 3000 }),
    anAlert({ at: now - 5000, alert_type: 'no-tts', vendor: 'google', message: 'no credentials' }),
  ])
  const { account_sid, service_provider_sid } = tenant
  const person = await api.person({ account_sid, service_provider_sid })
  await open('/internal/accounts')
  await expect(badge(page)).toHaveText('3')
  await open('/internal/alerts?view=groups', person.token)
  const webhook = rows(page).filter({ hasText: 'Webhook failed' })
  await webhook.getByRole('button', { name: 'Acknowledge' }).click()
  const notification = page.getByRole('region', { name: 'Notifications' })
  await expect(notification.getByText('Alerts acknowledged.')).toBeVisible()
  await expect(webhook).toContainText(person.name)
  await notification.getByRole('button', { name: 'Undo' }).click()
  await expect(notification.getByText('Acknowledgment withdrawn.')).toBeVisible()
  await expect(webhook).not.toContainText(person.name)

  await webhook.getByRole('button', { name: 'Acknowledge' }).click()
  await expect(webhook.getByRole('button', { name: 'Withdraw' })).toBeVisible()
  await page.getByRole('combobox', { name: 'Acknowledged' }).selectOption('hide')
  await expect(page).toHaveURL(/acknowledged=hide/)
  await expect(rows(page)).toHaveText([/No text-to-speech/])
  await writeAlerts(server.intakePort, tenant, [anAlert({ at: now - 1000 })])
  await page.reload()
  await expect(webhook).toContainText('1 new of 3')
  await page.getByRole('button', { name: 'Webhook failed: https://example.org' }).click()
  await expectEveryLayout(page)
})

test('acknowledges a single alert in its details, after which the badge no longer counts it', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const now = Date.now()
  await writeAlerts(server.intakePort, tenant, [
    anAlert({ at: now - 2000, message: 'https://example.org/hook returned 500' }),
    anAlert({ at: now - 1000, message: 'https://example.org/hook returned 503' }),
  ])
  // The alerts stay new, so that the badge counts what is not acknowledged.
  await page.route('**/seen-alerts', (route) => route.fulfill({ status: 503, json: { msg: 'not now' } }))
  await open('/internal/alerts')
  await page.getByRole('button', { name: 'Webhook failed: https://example.org/hook returned 500' }).click()
  await page.getByRole('button', { name: 'Acknowledge alert' }).click()
  await expect(page.getByText('Acknowledged by')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Withdraw acknowledgment' })).toBeVisible()
  await page.goto(new URL('/internal/overview', page.url()).href)
  await expect(badge(page)).toHaveText('1')
  await expect(page.getByRole('main').getByText('1 new alert')).toBeVisible()
})

test('users with view-only access see who acknowledged alerts, without the buttons', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const at = Date.now() - 1000
  await writeAlerts(server.intakePort, tenant, [anAlert({ at })])
  const { account_sid, service_provider_sid } = tenant
  const reference = { account_sid, alert_type: 'webhook-failure', object_kind: 'url', object_id: 'https://example.org' }
  const until = new Date(at).toISOString()
  await api.send('POST', '/patchbay/alert-acknowledgments', { ...reference, until })
  const viewer = await api.person({ account_sid, service_provider_sid, is_view_only: true })
  await open('/internal/alerts?view=groups', viewer.token)
  await expect(rows(page)).toHaveText([/Webhook failed.*admin/s])
  await expect(page.getByRole('button', { name: 'Withdraw' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Webhook failed: https://example.org' }).click()
  await expect(page.getByRole('link', { name: 'Show the alerts of this type' })).toBeVisible()
})

test('describes an empty list, says which alerts are in no group, and offers a retry after a failure', async ({
  page,
  server,
  tenant,
  open,
}) => {
  await open('/internal/alerts?view=groups')
  await expect(page.getByText('Alerts in the selected period appear here, grouped by type and object.')).toBeVisible()
  await writeAlerts(server.intakePort, tenant, [anAlert()])
  await page.route(groupRequests, (route) => route.fulfill({ status: 503, json: { msg: 'The store is away' } }), {
    times: 1,
  })
  await page.reload()
  await expect(page.getByText('The store is away')).toBeVisible()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(rows(page)).toHaveText([/Webhook failed/])
  await page.route(groupRequests, async (route) => {
    const answer = await fetchUnconditionally(route)
    await route.fulfill({ json: { ...(await answer.json()), alert_count: 12_000, grouped_count: 5000 } })
  })
  await page.reload()
  await expect(page.getByText('The groups contain the newest 5,000 of 12,000 alerts.')).toBeVisible()
})

test('are absent on the platform’s own API server', async ({ page, server, tenant, open }) => {
  await writeAlerts(server.intakePort, tenant, [anAlert()])
  await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
  await open('/internal/alerts?view=groups')
  await expect(rows(page)).toHaveText([/Webhook failed.*returned 503/s])
  await expect(groupBy(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Webhook failed:' }).click()
  await expect(page.getByText('Raw record', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Acknowledge alert' })).toHaveCount(0)
})
