import type { Page } from '@playwright/test'
import { createEventfulCall, writeSpannedCall } from './support/conversations.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { expect, test } from './support/test.ts'

/** Statistics of conversations, from spans at the OTLP intake to the figures, and the links to their calls. */

const table = (page: Page, name: string) => page.getByRole('table', { name, exact: true })
const row = (page: Page, name: string, head: string | RegExp) =>
  table(page, name)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader').getByText(head, { exact: true }) })
const choose = (page: Page, label: string, option: string) =>
  page.getByRole('combobox', { name: label, exact: true }).selectOption(option)

test('shows response gaps with their parts, by property and day, and leads to the calls', async ({
  page,
  server,
  tenant,
  open,
}) => {
  await writeSpannedCall(server, tenant, createEventfulCall, { trunk: 'north' })
  await writeSpannedCall(server, tenant, createEventfulCall, { trunk: 'south' })
  await writeSpannedCall(server, tenant, createEventfulCall, { trunk: 'south' })
  await open('/internal/conversation-quality?by=carrier')
  await expect(page.getByRole('heading', { name: 'Conversation quality', level: 1 })).toBeVisible()
  // The server computes conversations in the background, after their spans have arrived.
  await expect(async () => {
    await page.reload()
    await expect(row(page, 'By carrier', 'south')).toContainText('2', { timeout: 2000 })
    await expect(row(page, 'By carrier', 'north')).toContainText('1', { timeout: 2000 })
  }).toPass({ timeout: 60_000 })

  const parts = table(page, 'Parts of the response gap')
  await expect(parts.getByRole('row', { name: /^Speech to text/ })).toContainText(/\d+ ms/)
  // Two responses per call: 500 ms and 2.83 s. Percentiles are exact to 4 %.
  await expect(parts.getByRole('row', { name: /^Response gap/ })).toContainText(/6(4[89]\d|5[0-2]\d) ms.*2\.[789]\d s/)
  await expect(page.getByText('Today is not over yet, so its figures are partial.')).toBeVisible()
  await expect(row(page, 'By day (UTC)', /^\d{4}-\d\d-\d\d \(so far\)$/)).toContainText('3')

  await page.setViewportSize({ width: 390, height: 844 })
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
  ).toBeLessThanOrEqual(0)
  await page.setViewportSize({ width: 1440, height: 900 })

  await row(page, 'By carrier', 'south').getByRole('button', { name: 'south' }).click()
  await expect(table(page, 'By carrier')).toHaveCount(0)
  await expect(page).toHaveURL(/value=south/)
  await expect(row(page, 'By day (UTC)', /so far/)).toContainText('2')
  await page.getByRole('button', { name: 'Carrier south: show all' }).click()

  await choose(page, 'Group by', 'Text-to-speech vendor')
  await expect(row(page, 'By text-to-speech vendor', 'google')).toContainText('3')
  await choose(page, 'Group by', 'Carrier')
  await row(page, 'By carrier', 'north').getByRole('link', { name: 'Calls of north' }).click()
  await expect(page.getByRole('table', { name: 'Recent calls' }).locator('tbody tr[data-row]')).toHaveCount(1)
})

test('says that there are no conversations, and retries a failed load', async ({ page, api, tenant, open }) => {
  const { token } = await api.person({
    service_provider_sid: tenant.service_provider_sid,
    account_sid: tenant.account_sid,
  })
  await page.route('**/conversation-quality?*', (route) =>
    route.fulfill({ status: 500, json: { msg: 'Out of order' } }),
  )
  await open('/internal/conversation-quality', token)
  await expect(page.getByRole('main').getByText('Out of order')).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('No conversations.')).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Group by' }).getByRole('option', { name: 'Account' })).toHaveCount(0)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectToFit(page, 'Conversation quality')
})
