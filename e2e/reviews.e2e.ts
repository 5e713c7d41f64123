import { type FakeLanguageModel, startFakeLanguageModel } from '@patchbay/testkit/fakes/language-model'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import type { Page } from '@playwright/test'
import { createEventfulCall, writeSpannedCall } from './support/conversations.ts'
import { expectEveryLayout } from './support/expect-every-layout.ts'
import { withoutExtensions } from './support/records.ts'
import { type Api, test as base, expect } from './support/test.ts'

/** Reviews of calls, from the list of calls to review to the export, and their settings. */

const test = base.extend<{ model: FakeLanguageModel }>({
  settings: [{ PRIVATE_NETWORKS: loopbackNetwork }, { scope: 'worker' }],
  model: async ({ page: _page }, use) => {
    const model = await startFakeLanguageModel()
    await use(model)
    await model.stop()
  },
})

/** Creates a provider with an account and a user, because the tests of a worker share the other one. */
const createOwner = async (api: Api) => {
  const service_provider_sid = await api.provider()
  const account_sid = await api.account(service_provider_sid)
  const { token, name } = await api.person({ service_provider_sid })
  return { service_provider_sid, account_sid, token, name }
}

const table = (page: Page, name: string) => page.getByRole('table', { name, exact: true })
const rows = (page: Page, name: string) => table(page, name).locator('tbody').getByRole('row')
const choose = (page: Page, label: string, option: string) =>
  page.getByRole('combobox', { name: label, exact: true }).selectOption(option)
const score = (page: Page, group: string, value: number) =>
  page.getByRole('group', { name: group }).getByRole('radio', { name: String(value) })
const toast = (page: Page, text: string) =>
  expect(page.getByRole('region', { name: 'Notifications' }).getByText(text)).toBeVisible()

/** Waits until the server has computed the conversations, which it does in the background. */
const openList = async (page: Page, count: number) =>
  expect(async () => {
    await page.reload()
    await expect(rows(page, 'Calls to review')).toHaveCount(count, { timeout: 2000 })
  }).toPass({ timeout: 60_000 })

test('calls are assigned, reviewed one after another, and exported', async ({ page, api, server, open }) => {
  const owner = await createOwner(api)
  await api.send('PUT', `/patchbay/ServiceProviders/${owner.service_provider_sid}/ReviewSettings`, {
    criteria: [{ name: 'Answer', description: 'Correct and complete' }],
    labels: ['hallucination', 'rude'],
  })
  await writeSpannedCall(server, owner, createEventfulCall)
  await writeSpannedCall(server, owner, createEventfulCall)
  await open('/internal/reviews', owner.token)
  await expect(page.getByRole('main').getByRole('link', { name: 'Reviews' })).toHaveAttribute('aria-current', 'page')
  await openList(page, 2)
  const first = rows(page, 'Calls to review').first()
  await expect(first).toContainText('Slow response')
  await expect(first).toContainText('Error')
  await first.getByRole('button', { name: 'Assign to me' }).click()
  await toast(page, 'Call assigned to you')
  await choose(page, 'Assigned to', 'me')
  await expect(rows(page, 'Calls to review')).toHaveCount(1)
  await choose(page, 'Assigned to', 'all')
  await expectEveryLayout(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  await rows(page, 'Calls to review').first().getByRole('link').click()
  const form = page.getByRole('form', { name: 'Your review' })
  await expect(form).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Assigned to' })).toHaveValue(/.+/)
  await form.getByRole('button', { name: 'Save review' }).click()
  await expect(form.getByText('Choose a score')).toBeVisible()
  await score(page, 'Score of the call', 2).check()
  await score(page, 'Answer', 1).check()
  await form.getByRole('checkbox', { name: 'hallucination' }).check()
  await form.getByRole('textbox', { name: 'Other labels' }).fill('wrong price')
  await form.getByRole('textbox', { name: 'Note' }).fill('It invented a flight.')
  const opened = page.url()
  await form.getByRole('button', { name: 'Save and open next' }).click()
  await toast(page, 'Review saved')
  await expect(page).not.toHaveURL(opened)
  await expect(page).toHaveURL(/tab=conversation%3Areview/)

  await score(page, 'Score of the call', 5).check()
  await form.getByRole('button', { name: 'Save and open next' }).click()
  await toast(page, 'There are no older calls to review')
  await expect(page.getByText('No calls to review.')).toBeVisible()
  await choose(page, 'Calls', 'reviewed')
  await expect(rows(page, 'Reviewed calls')).toHaveCount(2)
  await choose(page, 'Score', '2 or lower')
  await expect(rows(page, 'Reviewed calls')).toHaveCount(1)

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export reviews' }).click()
  await page.getByRole('menuitem', { name: 'CSV, one row per review' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('reviews.csv')
  const content = await (await file.createReadStream()).toArray()
  const csv = Buffer.concat(content as Buffer[]).toString()
  expect(csv).toContain('criterion: Answer')
  expect(csv).toContain(`${owner.name},false,`)
  expect(csv).toContain('"hallucination, wrong price",It invented a flight.,1')

  await rows(page, 'Reviewed calls').first().getByRole('link').click()
  await expect(form.getByRole('textbox', { name: 'Note' })).toHaveValue('It invented a flight.')
  await form.getByRole('button', { name: 'Delete review' }).click()
  await toast(page, 'Review deleted')
  await expect(page.getByRole('heading', { name: 'To review' })).toBeVisible()
})

test('keeps a review that the server rejects', async ({ page, api, server, open }) => {
  const owner = await createOwner(api)
  const { call_sid } = await writeSpannedCall(server, owner, createEventfulCall)
  await open(`/internal/recent-calls/${owner.account_sid}/${call_sid}?tab=conversation`, owner.token)
  await page.getByRole('button', { name: 'Review call' }).click()
  await score(page, 'Score of the call', 4).check()
  const form = page.getByRole('form', { name: 'Your review' })
  await form.getByRole('textbox', { name: 'Note' }).fill('Good.')
  await expectEveryLayout(page)
  await page.route('**/reviews/own', (route) => route.fulfill({ status: 500, json: { msg: 'Out of order' } }))
  await form.getByRole('button', { name: 'Save review' }).click()
  await expect(form.getByText('Out of order')).toBeVisible()
  await expect(form.getByRole('textbox', { name: 'Note' })).toHaveValue('Good.')
  await page.unrouteAll()
  await form.getByRole('button', { name: 'Save review' }).click()
  await toast(page, 'Review saved')
  await expect(form).toHaveCount(0)
  await expect(page.getByText('4 of 5')).toBeVisible()
  await page.getByRole('combobox', { name: 'Assigned to' }).selectOption({ label: owner.name })
  await toast(page, 'Call assigned')
})

test('a language model checks a call, and its review is marked', async ({ page, api, server, open, model }) => {
  const owner = await createOwner(api)
  const { service_provider_sid, account_sid, token } = owner
  const body = { is_enabled: true, url: model.url, model: 'test-model', api_key: model.key }
  await api.send('PUT', `/patchbay/ServiceProviders/${service_provider_sid}/ReviewModel`, body)
  const { call_sid } = await writeSpannedCall(server, owner, createEventfulCall)
  await open(`/internal/recent-calls/${account_sid}/${call_sid}?tab=conversation`, token)
  model.content = 'I would rather not.'
  const check = page.getByRole('button', { name: 'Check with test-model' })
  await check.click()
  await toast(page, 'The response of the language model contains no review')
  model.content = '{"score": 2, "note": "The caller had to repeat the date."}'
  await check.click()
  await toast(page, 'The language model gave a score of 2')
  const review = page.getByRole('listitem').filter({ hasText: 'The caller had to repeat the date.' })
  await expect(review).toContainText('2 of 5')
  await expect(review.getByText('Language model')).toBeVisible()
})

test('view-only users see reviews and cannot change them', async ({ page, api, server, open }) => {
  const owner = await createOwner(api)
  const { call_sid } = await writeSpannedCall(server, owner, createEventfulCall)
  await api.send('PUT', `/patchbay/accounts/${owner.account_sid}/calls/${call_sid}/reviews/own`, {
    score: 3,
    note: 'Fine.',
  })
  const { service_provider_sid } = owner
  const { token } = await api.person({ service_provider_sid, is_view_only: true })
  await open(`/internal/recent-calls/${owner.account_sid}/${call_sid}?tab=conversation%3Areview`, token)
  await expect(page.getByText('Fine.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Review call' })).toBeDisabled()
  await expect(page.getByRole('combobox', { name: 'Assigned to' })).toBeDisabled()
})

test('settings of rules, criteria, and the language model are saved, with errors at their fields', async ({
  page,
  api,
  open,
}) => {
  const { service_provider_sid, token } = await createOwner(api)
  await open('/internal/reviews', token)
  await page.getByRole('link', { name: 'Settings', exact: true }).last().click()
  await expect(page.getByRole('heading', { name: 'Review settings', level: 1 })).toBeVisible()
  await page.getByLabel('Response gap of at least').fill('50')
  await page.getByRole('button', { name: 'Add criterion' }).click()
  await page.getByRole('group', { name: 'Criterion 1' }).getByLabel('Name').fill('Answer')
  await page.getByRole('textbox', { name: 'Labels' }).fill('rude\nRude')
  await page.getByLabel('Check calls with a language model').check()
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await save.click()
  for (const error of [
    'Enter a whole number from 100 to 60,000',
    'Enter each label once',
    'Enter the URL of the API',
    'Enter the name of a model',
  ])
    await expect(page.getByText(error)).toBeVisible()
  await page.getByLabel('Response gap of at least').fill('2000')
  await page.getByRole('textbox', { name: 'Labels' }).fill('rude\noff topic')
  await page.getByLabel('URL').fill('http://10.0.0.1/v1')
  await page.getByLabel('Model', { exact: true }).fill('test-model')
  await page.getByLabel('API key').fill('sk-secret-key')
  await save.click()
  // The rules are saved, and the language model is not.
  await expect(page.getByText('Not saved: language model').first()).toBeVisible()
  await page.getByLabel('URL').fill('https://model.example.com/v1')
  await save.click()
  await toast(page, 'Review settings updated')
  const read = async (name: string) =>
    (await api.send('GET', `/patchbay/ServiceProviders/${service_provider_sid}/${name}`)).body
  expect(await read('ReviewSettings')).toEqual({
    criteria: [{ name: 'Answer', description: '' }],
    labels: ['rude', 'off topic'],
    slow_ms: 2000,
    interrupted: 1,
    failed: 1,
    random_percent: 2,
  })
  expect(await read('ReviewModel')).toMatchObject({
    is_enabled: 1,
    url: 'https://model.example.com/v1',
    model: 'test-model',
    api_key: 'sk-secXXXXXXX',
  })
  await page.reload()
  await expect(page.getByText('sk-secXXXXXXX')).toBeVisible()
  await expectEveryLayout(page)
})

test("are not in the menu of the platform's own API server", async ({ page, open }) => {
  await withoutExtensions(page)
  await open('/internal/recent-calls')
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Recent calls' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Conversations' })).toHaveCount(0)
})
