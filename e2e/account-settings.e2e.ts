import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { expect, test } from './support/test.ts'

/** Account settings that also exist for service providers: limits, API keys, and the TTS cache. */

const edit = (account_sid: string) => `/internal/accounts/${account_sid}/edit`
const save = (page: Page) => page.getByRole('button', { name: 'Save' })
const notice = (page: Page, text: string | RegExp) =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text, { exact: true })

test('ACCOUNTS-15 PROVIDERS-09 PROVIDERS-11 stores a limit, treats 0 as unlimited, removes an empty limit, and makes it read-only for account users', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const stored = async () => (await api.send('GET', `/Accounts/${account_sid}/Limits`)).body
  const limit = page.getByLabel('Max calls')
  const unlimited = page.getByText('unlimited', { exact: true })
  await open(edit(account_sid))
  await expect(limit).toHaveValue('')
  await expect(unlimited).toBeVisible()
  await limit.fill('25')
  await expect(unlimited).toHaveCount(0)
  await page.getByLabel('Account name').fill('Limited')
  await save(page).click()
  await expect(notice(page, 'Account updated successfully')).toBeVisible()
  expect(await stored()).toMatchObject([{ category: 'voice_call_session', quantity: 25 }])
  expect((await api.send('GET', `/Accounts/${account_sid}`)).body.name).toBe('Limited')

  await page.goto(edit(account_sid))
  await expect(limit).toHaveValue('25')
  await limit.fill('0')
  await expect(unlimited).toBeVisible()
  await save(page).click()
  await expect(page).toHaveURL(/\/internal\/accounts$/)
  expect(await stored()).toMatchObject([{ quantity: 0 }])

  const { token } = await api.person({ account_sid, service_provider_sid })
  await open(edit(account_sid), token)
  await expect(page.getByRole('group', { name: 'Max calls' })).toContainText('Unlimited')
  await expect(page.getByRole('textbox', { name: 'Max calls' })).toHaveCount(0)
  await expect(page.getByText('set by your service provider')).toBeVisible()

  await open(edit(account_sid))
  await expect(limit).toHaveValue('0')
  await limit.fill('')
  const removed = page.waitForRequest((request) => request.method() === 'PUT')
  await save(page).click()
  expect((await removed).url()).toContain(`/patchbay/Accounts/${account_sid}/Limits`)
  expect((await removed).postDataJSON()).toEqual({ voice_call_session: null })
  await expect(page).toHaveURL(/\/internal\/accounts$/)
  expect(await stored()).toEqual([])
})

test('creates an account with its limit, and keeps the account and reports the limit if that fails', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const named = async (name: string) =>
    (await api.send('GET', `/ServiceProviders/${tenant.service_provider_sid}/Accounts`)).body.filter(
      (account: { name: string }) => account.name === name,
    )
  const [whole, half] = [randomUUID(), randomUUID()]
  await open('/internal/accounts/add')
  await page.getByLabel('Account name').fill(whole)
  await page.getByLabel('Max calls').fill('4')
  await save(page).click()
  await expect(page).toHaveURL(/\/internal\/accounts$/)
  const [created] = await named(whole)
  expect((await api.send('GET', `/Accounts/${created.account_sid}/Limits`)).body).toMatchObject([{ quantity: 4 }])

  await page.route('**/Accounts/*/Limits', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 500, json: { msg: 'No limits today' } })
      : route.fallback(),
  )
  await page.goto('/internal/accounts/add')
  await page.getByLabel('Account name').fill(half)
  await page.getByLabel('Max calls').fill('4')
  await save(page).click()
  await expect(notice(page, 'Account created successfully')).toBeVisible()
  await expect(notice(page, 'No limits today')).toBeVisible()
  await expect(page).toHaveURL(/\/edit$/)
  await expect(page.getByLabel('Account name')).toHaveValue(half)
  expect(await named(half)).toHaveLength(1)
})

test("ACCOUNTS-34 counts the entries of an account's TTS cache, and clears it after a confirmation", async ({
  page,
  tenant,
  open,
}) => {
  let size = 3
  await page.route('**/config.json', async (route) => {
    const { switches: _none, ...rest } = await (await route.fetch()).json()
    await route.fulfill({ json: rest })
  })
  await page.route(`**/Accounts/${tenant.account_sid}/TtsCache`, (route) => {
    if (route.request().method() !== 'DELETE') return route.fulfill({ json: { size } })
    size = 0
    return route.fulfill({ status: 204 })
  })
  await open(edit(tenant.account_sid))
  await expect(page.getByText('3 prompts cached.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear TTS cache' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Clear TTS cache' }).click()
  await expect(notice(page, 'Tts Cache successfully cleaned')).toBeVisible()
  await expect(page.getByText('No prompt is cached.')).toBeVisible()
})

test('lets account users create and delete API keys of their own account', async ({ page, api, tenant, open }) => {
  const { account_sid, service_provider_sid } = tenant
  const { token } = await api.person({ account_sid, service_provider_sid })
  await open(edit(account_sid), token)
  await expect(page.getByText('No API keys yet.', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Add key' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add key' }).click()
  await expect(notice(page, 'API key created')).toBeVisible()
  const key = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
  expect((await api.send('GET', `/Accounts/${account_sid}`, undefined, key)).status).toBe(200)
  expect((await api.send('GET', '/Accounts', undefined, key)).body).toHaveLength(1)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Delete \*/ }).click()
  await page.getByRole('button', { name: 'Delete key' }).click()
  await expect(notice(page, 'API key deleted')).toBeVisible()
  expect((await api.send('GET', `/Accounts/${account_sid}`, undefined, key)).status).toBe(401)
})
