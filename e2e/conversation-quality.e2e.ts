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
  await expect(page.getByRole('heading', { name: 'Conversations', level: 1 })).toBeVisible()
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
  const figure = (label: string) => table(page, 'More figures').getByRole('row', { name: label })
  await expect(figure('Errors').getByRole('cell')).toHaveText('3')
  await expect(figure('Spoken characters').getByRole('cell')).toHaveText(/^[1-9]\d*$/)
  await expect(figure('Tokens').getByRole('cell')).toHaveText('–')
  const gap = page.getByRole('slider', { name: 'Response gap: day' })
  await gap.focus()
  await expect(gap).toContainText(/not over95th percentile2\.[789]\d sMedian(4[89]\d|5[0-2]\d) msResponses6/)
  await gap.press('ArrowLeft')
  await expect(gap).toContainText(/95th percentile–Median–Responses0/)
  await gap.blur()
  const trend = page.getByRole('table', { name: 'Response gap by day' }).getByRole('row')
  await expect(trend).toHaveCount(8)
  await expect(trend.last()).toContainText(/2\.[789]\d s(4[89]\d|5[0-2]\d) ms6$/)
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
  await choose(page, 'Group by', 'Hour of the day (UTC)')
  await expect(table(page, 'By hour of the day (UTC)').getByRole('rowheader')).toHaveText([/^\d\d$/])
  await choose(page, 'Group by', 'Carrier')
  await row(page, 'By carrier', 'north').getByRole('link', { name: 'Calls of north' }).click()
  await expect(page.getByRole('table', { name: 'Recent calls' }).locator('tbody tr[data-row]')).toHaveCount(1)
})

test('leads from each figure to its conversations', async ({ page, server, tenant, open }) => {
  const call = await writeSpannedCall(server, tenant, createEventfulCall, { trunk: 'north' })
  await writeSpannedCall(server, tenant, createEventfulCall, { trunk: 'south' })
  await open('/internal/conversation-quality?by=tts_vendor')
  const conversations = table(page, 'Conversations').locator('tbody tr')
  await expect(async () => {
    await page.reload()
    await expect(conversations).toHaveCount(2, { timeout: 2000 })
  }).toPass({ timeout: 60_000 })

  await row(page, 'By text-to-speech vendor', 'google').getByRole('button', { name: 'google' }).click()
  await expect(conversations).toHaveCount(2)
  await table(page, 'Parts of the response gap')
    .getByRole('row', { name: /^Speech to text/ })
    .getByRole('button', { name: /or longer: list the conversations$/ })
    .click()
  const filter = page.getByRole('combobox', { name: 'Conversations', exact: true })
  await expect(filter).toHaveValue('speech_to_text')
  await expect(conversations).toHaveCount(2)
  await filter.selectOption('with a response after 1.50 s')
  await expect(conversations).toHaveCount(2)

  await table(page, 'Parts of the response gap')
    .getByRole('row', { name: /^Response gap/ })
    .getByRole('button', { name: /or longer: list the conversations$/ })
    .click()
  await expect(filter).toHaveValue('gap')
  await expect(filter.getByRole('option', { name: /^response gap: 2\.[789]\d s or longer$/ })).toBeAttached()
  await expect(conversations).toHaveCount(2)
  await expect(page.getByRole('region', { name: 'List of conversations' })).toBeFocused()

  await page.getByRole('button', { name: 'Text-to-speech vendor google: show all' }).click()
  await choose(page, 'Group by', 'Carrier')
  await row(page, 'By carrier', 'north').getByRole('button', { name: 'north' }).click()
  await expect(conversations).toHaveCount(1)
  await conversations.getByRole('link').click()
  await expect(page).toHaveURL(new RegExp(`${call.call_sid}\\?tab=conversation$`))
  await expect(page.getByRole('tab', { name: 'Conversation', selected: true })).toBeVisible()
})

test('leads from a day and from missing values to their conversations, and counts errors by voice', async ({
  page,
  server,
  tenant,
  open,
}) => {
  await writeSpannedCall(server, tenant, createEventfulCall, { trunk: 'north' })
  await open('/internal/conversation-quality?by=voice')
  const conversations = table(page, 'Conversations').locator('tbody tr')
  await expect(async () => {
    await page.reload()
    await expect(conversations).toHaveCount(1, { timeout: 2000 })
  }).toPass({ timeout: 60_000 })
  const days = table(page, 'By day (UTC)')
  await expect(days.getByRole('link', { name: /^Calls on/ })).toHaveCount(1)
  await row(page, 'By voice', 'en-US-C').getByRole('button').click()
  await expect(page.getByRole('button', { name: 'Voice en-US-C: show all' })).toBeVisible()
  await expect(table(page, 'By voice')).toHaveCount(0)
  await expect(table(page, 'More figures').getByRole('row', { name: 'Errors' }).getByRole('cell')).toHaveText('1')
  // The list of calls has no filter for voices.
  await expect(days.getByRole('link', { name: /^Calls on/ })).toHaveCount(0)
  const day = days.getByRole('button', { name: /so far/ })
  const date = ((await day.textContent()) ?? '').slice(0, 10)
  await day.click()
  await expect(page).toHaveURL(new RegExp(`value=en-US-C&day=${date}|day=${date}&value=en-US-C`))
  await expect(page.getByRole('region', { name: 'List of conversations' })).toBeFocused()
  await expect(conversations).toHaveCount(1)
  await page.goto(page.url().replace(date, '2026-01-01'))
  await expect(page.getByText('No conversation matches.')).toBeVisible()
  await page.getByRole('button', { name: 'Day 2026-01-01 (UTC): show all' }).click()
  await expect(conversations).toHaveCount(1)

  await choose(page, 'Group by', 'Application')
  await row(page, 'By application', 'none').getByRole('button').click()
  await expect(page.getByRole('button', { name: 'Application none: show all' })).toBeVisible()
  await expect(table(page, 'By application')).toHaveCount(0)
  await expect(conversations).toHaveCount(1)
  await page.reload()
  await expect(conversations).toHaveCount(1)
  await page.getByRole('button', { name: 'Application none: show all' }).click()
  await choose(page, 'Group by', 'Carrier')
  await row(page, 'By carrier', 'north').getByRole('button', { name: 'north' }).click()
  await days.getByRole('link', { name: `Calls on ${date}` }).click()
  await expect(page).toHaveURL(/trunk=north/)
  await expect(page).toHaveURL(new RegExp(`from=${date}&until=${date}`))
})

test('retries the list of conversations, and continues it', async ({ page, server, tenant, open }) => {
  await writeSpannedCall(server, tenant, createEventfulCall)
  await open('/internal/conversation-quality')
  const conversations = table(page, 'Conversations').locator('tbody tr')
  await expect(async () => {
    await page.reload()
    await expect(conversations).toHaveCount(1, { timeout: 2000 })
  }).toPass({ timeout: 60_000 })
  await page.route('**/conversations?*', (route) => route.fulfill({ status: 500, json: { msg: 'Out of order' } }))
  await page.reload()
  await expect(page.getByRole('main').getByText('Out of order')).toBeVisible()
  await page.unrouteAll()
  // The first page ends before it has found a conversation.
  await page.route('**/conversations?*', async (route) => {
    const isFirst = !route.request().url().includes('after=')
    if (isFirst) await route.fulfill({ json: { conversations: [], next: '1900000000000~x~y' } })
    else await route.continue()
  })
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('None of the latest 1,000 conversations matches.')).toBeVisible()
  await page.getByRole('button', { name: 'Search earlier conversations' }).click()
  await expect(conversations).toHaveCount(1)
  await expect(page.getByRole('button', { name: /^(?:Search earlier conversations|Show more)$/ })).toHaveCount(0)
})

test('sets limits, rejects invalid ones, and says which are exceeded', async ({ page, api, tenant, open }) => {
  const { token } = await api.person({
    service_provider_sid: tenant.service_provider_sid,
    account_sid: tenant.account_sid,
  })
  await open('/internal/conversation-quality', token)
  await page.getByRole('button', { name: 'Limits' }).click()
  const dialog = page.getByRole('dialog', { name: 'Limits' })
  const gap = dialog.getByRole('textbox', { name: 'Response gap, 95th percentile' })
  await gap.fill('1.5')
  await dialog.getByRole('textbox', { name: 'Period' }).fill('')
  await dialog.getByRole('button', { name: 'Save limits' }).click()
  await expect(dialog.getByText('Enter a whole number from 100 to 60000')).toBeVisible()
  await expect(dialog.getByText('Enter a whole number from 5 to 1440')).toBeVisible()
  await expect(gap).toBeFocused()
  await gap.fill('1500')
  await dialog.getByRole('textbox', { name: 'Period' }).fill('30')
  await page.route('**/conversation-limits', (route) => route.fulfill({ status: 500, json: { msg: 'Out of order' } }), {
    times: 1,
  })
  await dialog.getByRole('button', { name: 'Save limits' }).click()
  await expect(dialog.getByRole('alert').getByText('Out of order')).toBeVisible()
  await dialog.getByRole('button', { name: 'Save limits' }).click()
  await expect(page.getByText('Limits saved')).toBeVisible()
  await page.getByRole('button', { name: 'Limits' }).click()
  await expect(gap).toHaveValue('1500')
  await expect(dialog.getByRole('textbox', { name: 'Period' })).toHaveValue('30')
  await page.setViewportSize({ width: 390, height: 844 })
  await expectToFit(page, 'Limits')
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  // The server needs a minute to compare conversations (conversation-limits.test.ts).
  await page.route('**/conversation-limits', async (route) => {
    const response = await route.fetch()
    const exceeded = [{ measure: 'gap_p95_ms', since: '2026-11-20T10:00:00.000Z' }]
    await route.fulfill({ response, json: { ...(await response.json()), exceeded } })
  })
  await page.reload()
  await expect(page.getByText('Conversations exceed a limit')).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: 'The 95th percentile of the response gap' })).toBeVisible()
})

test('draws the limit of the response gap, and marks the figure beyond it', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  await writeSpannedCall(server, tenant, createEventfulCall)
  await open('/internal/conversation-quality')
  const figure = page.getByRole('figure', { name: 'Response gap', exact: true })
  await expect(async () => {
    await page.reload()
    await expect(figure).toBeVisible({ timeout: 2000 })
  }).toPass({ timeout: 60_000 })
  await expect(figure).not.toContainText('limit')
  const path = `/patchbay/service-providers/${tenant.service_provider_sid}/conversation-limits`
  expect((await api.send('PUT', path, { gap_p95_ms: 1500 })).status).toBe(204)
  await page.reload()
  await expect(figure).toContainText('limit 1.50 s')
  await expect(page.getByRole('definition').filter({ hasText: 'limit 1.50 s' })).toBeVisible()
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
