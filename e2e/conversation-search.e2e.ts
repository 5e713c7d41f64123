import type { Page } from '@playwright/test'
import { createEventfulCall, writeSpannedCall } from './support/conversations.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { withoutExtensions } from './support/records.ts'
import { expect, test } from './support/test.ts'

/** Search in what was said in calls, from spans at the OTLP intake to the turn of the conversation. */

const calls = (page: Page) =>
  page.getByRole('main').getByRole('list', { name: 'Calls', exact: true }).locator(':scope > li')

const menu = (page: Page) => page.getByRole('navigation', { name: 'Main' })

const searchFor = async (page: Page, query: string) => {
  const field = page.getByRole('searchbox', { name: 'Words or phrases' })
  await field.fill(query)
  await field.press('Enter')
}

test('finds what was said, marks the words, and leads to the turn in the conversation', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const call = await writeSpannedCall(server, tenant, createEventfulCall)
  await open('/internal/conversation-quality')
  const tabs = page.getByRole('main').getByRole('navigation', { name: 'Conversations' })
  await expect(tabs.getByRole('link', { name: 'Quality' })).toHaveAttribute('aria-current', 'page')
  await tabs.getByRole('link', { name: 'Search' }).click()
  await expect(page).toHaveTitle(/^Conversation search/)
  await expect(menu(page).getByRole('link', { name: 'Conversations' })).toHaveAttribute('aria-current', 'page')
  await expect(page.getByText('Search in conversations.')).toBeVisible()
  await searchFor(page, '"nine fifteen"')
  // The server computes conversations in the background, after their spans have arrived.
  await expect(async () => {
    await page.reload()
    await expect(calls(page)).toHaveCount(1, { timeout: 2000 })
  }).toPass({ timeout: 60_000 })
  await expect(page).toHaveURL(/filter=/)
  await expect(tabs.getByRole('link', { name: 'Search' })).toHaveAttribute('aria-current', 'page')
  await expect(calls(page).locator('mark')).toHaveText(['nine fifteen'])
  await expect(calls(page)).toContainText(tenant.accountName)

  await page.setViewportSize({ width: 390, height: 844 })
  await expectToFit(page, 'Conversation search')
  await page.setViewportSize({ width: 1440, height: 900 })

  const speaker = page.getByRole('combobox', { name: 'Speaker' })
  await speaker.selectOption('caller')
  await expect(page.getByText('No calls found.')).toBeVisible()
  await speaker.selectOption('agent')
  await expect(calls(page)).toHaveCount(1)
  await searchFor(page, 'flight -lisbon')
  await expect(calls(page)).toHaveCount(1)

  await calls(page)
    .getByRole('link', { name: /There is a flight at nine fifteen/ })
    .click()
  await expect(page).toHaveURL(new RegExp(`${call.call_sid}.*tab=conversation`))
  const current = page.getByRole('list', { name: 'Conversation', exact: true }).locator('li[aria-current]')
  await expect(current).toContainText('There is a flight at nine fifteen')
  await expect(current).toBeFocused()
  await page.goBack()
  await expect(page.getByRole('searchbox', { name: 'Words or phrases' })).toHaveValue('flight -lisbon')
})

test('says what is wrong with a query, that nothing was found, and retries a failed search', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const { token } = await api.person({ service_provider_sid, account_sid })
  await open('/internal/conversation-search', token)
  await searchFor(page, '"an open quotation')
  await expect(page.getByText('Enclose a phrase in two quotation marks.')).toBeVisible()
  await searchFor(page, '-refund')
  await expect(page.getByText('Enter a word to search for.')).toBeVisible()
  await page.route('**/ConversationSearch?*', (route) => route.fulfill({ status: 500, json: { msg: 'Out of order' } }))
  await searchFor(page, 'refund')
  await expect(page.getByRole('main').getByText('Out of order')).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('No calls found.')).toBeVisible()
})

test('is turned off in the account, which deletes the text, and says so', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const { token } = await api.person({ service_provider_sid, account_sid })
  await writeSpannedCall(server, tenant, createEventfulCall)
  await open(`/internal/accounts/${account_sid}/edit`, token)
  const access = page.getByRole('combobox', { name: 'Access to the search' })
  await expect(access).toHaveValue('editors')
  await access.selectOption('everyone')
  await expect(page.getByText('Conversation search updated')).toBeVisible()

  await page.route('**/TranscriptSettings', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 500, json: { msg: 'Out of order' } })
      : route.continue(),
  )
  await access.selectOption('off')
  const dialog = page.getByRole('dialog', { name: 'Turn off conversation search?' })
  await dialog.getByRole('button', { name: 'Turn off and delete text' }).click()
  await expect(dialog.getByText('Out of order')).toBeVisible()
  await page.unrouteAll()
  await dialog.getByRole('button', { name: 'Turn off and delete text' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(access).toHaveValue('off')
  await expect(page.getByText('Conversation search turned off')).toBeVisible()

  await open('/internal/conversation-search?filter=flight', token)
  await expect(page.getByText('You cannot search in these transcripts.')).toBeVisible()
  await expect(page.getByText('Search in transcripts is off for this account.')).toBeVisible()
  await page.getByRole('link', { name: 'Open the account' }).click()
  await expect(page.getByRole('combobox', { name: 'Access to the search' })).toHaveValue('off')
})

test('explains to view-only users that they cannot search', async ({ page, api, tenant, open }) => {
  const { account_sid, service_provider_sid } = tenant
  const { token } = await api.person({ service_provider_sid, account_sid, is_view_only: true })
  await open('/internal/conversation-search?filter=flight', token)
  await expect(page.getByText('View-only users cannot search in these transcripts.')).toBeVisible()
})

test("is not in the menu of the platform's own API server", async ({ page, tenant, open }) => {
  await withoutExtensions(page)
  await open('/internal/recent-calls')
  await expect(menu(page).getByRole('link', { name: 'Recent calls' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Conversations' })).toHaveCount(0)
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await expect(page.getByRole('heading', { name: 'Account API keys' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Conversation search' })).toHaveCount(0)
})
