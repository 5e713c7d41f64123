import type { Page } from '@playwright/test'
import { expectNoFindings, themes } from './support/axe.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const list = '/internal/api-keys'
const table = (page: Page) => page.getByRole('table', { name: 'API keys' })
const row = (page: Page, name: string) => table(page).getByRole('row').filter({ hasText: name })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

test('adds a key with a name for an account, renames it, and deletes it', async ({ page, tenant, api, open }) => {
  await open(list)
  await expect(page.getByText('No API keys yet.', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Add key' }).first().click()
  const form = dialog(page, 'Add API key')
  await form.getByRole('textbox', { name: 'Name' }).fill('Billing export')
  await form.getByRole('combobox', { name: 'Access to' }).selectOption(tenant.accountName)
  await form.getByRole('button', { name: 'Add key' }).click()
  await expectToast(page, 'API key created')
  const token = (await dialog(page, 'Your new API key').locator('code').textContent()) ?? ''
  await dialog(page, 'Your new API key').getByRole('button', { name: 'Close' }).last().click()
  await expect(row(page, 'Billing export')).toContainText(tenant.accountName)
  expect((await api.send('GET', `/Accounts/${tenant.account_sid}`, undefined, token)).status).toBe(200)
  expect((await api.send('GET', `/ServiceProviders/${tenant.service_provider_sid}/ApiKeys`)).body).toEqual([])

  await page.getByRole('button', { name: 'Rename Billing export' }).click()
  await dialog(page, 'Rename API key').getByRole('textbox', { name: 'Name' }).fill('Invoices')
  await dialog(page, 'Rename API key').getByRole('button', { name: 'Rename key' }).click()
  await expectToast(page, 'API key renamed')
  await expect(row(page, 'Invoices')).toBeVisible()

  await page.getByRole('button', { name: 'Delete Invoices' }).click()
  await dialog(page, 'Delete API key?').getByRole('button', { name: 'Delete key' }).click()
  await expectToast(page, 'API key deleted')
  await expect(page.getByText('No API keys yet.', { exact: true })).toBeVisible()
  expect((await api.send('GET', `/Accounts/${tenant.account_sid}`, undefined, token)).status).toBe(401)
})

test('rotates a key: creates one with the same access, and deletes the old one only after a confirmation', async ({
  page,
  tenant,
  api,
  open,
}) => {
  const { service_provider_sid, account_sid } = tenant
  const dayMs = 86_400_000
  const expires_at = new Date(Date.now() + 90 * dayMs + 60_000).toISOString()
  const { body: old } = await api.send('POST', '/ApiKeys', { account_sid, name: 'Dialer', expires_at })
  const getStatus = async (token: string) =>
    (await api.send('GET', `/Accounts/${account_sid}`, undefined, token)).status
  const rotation = dialog(page, 'Rotate API key')
  const created = dialog(page, 'Your new API key')
  await open(list)

  await page.getByRole('button', { name: 'Rotate Dialer' }).click()
  await expect(rotation.getByRole('textbox', { name: 'Name' })).toHaveValue('Dialer')
  await expect(rotation.getByRole('combobox', { name: 'Expires' })).toHaveValue('90')
  await expect(rotation).toContainText(`The old key Dialer (…${String(old.token).slice(-4)}) works until`)
  await expectNoFindings(page, 'the form')
  await rotation.getByRole('button', { name: 'Cancel' }).click()
  expect((await api.send('GET', `/Accounts/${account_sid}/ApiKeys`)).body).toHaveLength(1)

  // The new key cannot be created at first. The dialog keeps its values.
  await page.route('**/ApiKeys', (route) =>
    route.fulfill({ status: 503, json: { msg: 'The database cannot be reached' } }),
  )
  await page.getByRole('button', { name: 'Rotate Dialer' }).click()
  await rotation.getByRole('textbox', { name: 'Name' }).fill('Dialer 2')
  await rotation.getByRole('button', { name: 'Create new key' }).click()
  await expect(rotation.getByRole('alert').first()).toContainText('The database cannot be reached')
  await page.unrouteAll()
  await rotation.getByRole('button', { name: 'Create new key' }).click()
  const token = (await created.locator('code').first().textContent()) ?? ''
  expect([await getStatus(old.token), await getStatus(token)]).toEqual([200, 200])
  await expectNoFindings(page, 'the new key')

  // The old key is deleted only after the question, which can be cancelled.
  await created.getByRole('button', { name: 'Delete the old key…' }).click()
  const question = dialog(page, 'Delete API key?')
  await expect(question).toContainText(
    `Programs that use Dialer (…${String(old.token).slice(-4)}) lose access immediately.`,
  )
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(await getStatus(old.token)).toBe(200)
  await expect(row(page, 'Dialer 2')).toBeVisible()
  await page.getByRole('button', { name: 'Delete Dialer', exact: true }).click()
  await question.getByRole('button', { name: 'Delete key' }).click()
  await expectToast(page, 'API key deleted')
  expect([await getStatus(old.token), await getStatus(token)]).toEqual([401, 200])
  const [key] = (await api.send('GET', `/Accounts/${account_sid}/ApiKeys`)).body
  expect(key).toMatchObject({ name: 'Dialer 2', account_sid, service_provider_sid: null })
  expect(Math.round((Date.parse(key.expires_at) - Date.now()) / dayMs)).toBe(90)

  // A key of the provider stays one of the provider.
  await api.send('POST', '/ApiKeys', { service_provider_sid, name: 'Billing' })
  await page.reload()
  await page.getByRole('button', { name: 'Rotate Billing' }).click()
  await expect(rotation.getByRole('combobox', { name: 'Expires' })).toHaveValue('')
  await rotation.getByRole('button', { name: 'Create new key' }).click()
  await created.getByRole('button', { name: 'Close' }).last().click()
  await expect(row(page, 'Billing')).toHaveCount(2)
  expect((await api.send('GET', `/ServiceProviders/${service_provider_sid}/ApiKeys`)).body).toHaveLength(2)
})

test('finds keys by name, account, and last characters, and pages through them', async ({
  page,
  tenant,
  api,
  open,
}) => {
  const { service_provider_sid, account_sid, accountName } = tenant
  for (let number = 10; number < 36; number += 1)
    await api.send('POST', '/ApiKeys', { service_provider_sid, name: `Program ${number}` })
  const created = await api.send('POST', '/ApiKeys', { account_sid, name: 'Dialer' })
  await open(list)
  await expect(page.getByText('Total: 27 record(s)')).toBeVisible()
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(table(page).locator('tbody tr[data-row]')).toHaveCount(2)
  const filter = page.getByRole('searchbox', { name: 'Filter by name, account, or last four characters' })
  for (const text of ['dialer', accountName, String(created.body.token).slice(-4)]) {
    await filter.fill(text)
    await expect(row(page, 'Dialer')).toBeVisible()
    await expect(page.getByText('Total: 1 record(s)')).toBeVisible()
  }
  await expect(page).toHaveURL(/filter=/)
  await filter.fill('no such key')
  await expect(table(page)).toHaveCount(0)
})

test('the command palette finds the screen by other words, and a key by its name', async ({
  page,
  tenant,
  api,
  open,
}) => {
  await api.send('POST', '/ApiKeys', { account_sid: tenant.account_sid, name: 'Nightly import' })
  await open('/internal/accounts')
  await expect(page.getByRole('table', { name: 'Accounts' })).toBeVisible()
  const palette = dialog(page, 'Command palette')
  await page.keyboard.press('Control+k')
  await palette.getByRole('combobox').fill('token')
  await palette.getByRole('option', { name: 'API keys' }).click()
  await expect(page).toHaveURL(list)
  await page.keyboard.press('Control+k')
  await palette.getByRole('combobox').fill('nightly')
  await palette.getByRole('option', { name: 'Nightly import' }).click()
  await expect(page).toHaveURL(/filter=Nightly/)
  await expect(row(page, 'Nightly import')).toBeVisible()
})

test('account users see and add only keys of their account, and view-only users change nothing', async ({
  page,
  tenant,
  api,
  open,
}) => {
  const { service_provider_sid, account_sid } = tenant
  await api.send('POST', '/ApiKeys', { service_provider_sid, name: 'Of the provider' })
  await api.send('POST', '/ApiKeys', { account_sid, name: 'Of the account' })
  const user = await api.person({ account_sid, service_provider_sid })
  await open(list, user.token)
  await expect(row(page, 'Of the account')).toBeVisible()
  await expect(row(page, 'Of the provider')).toHaveCount(0)
  await page.getByRole('button', { name: 'Add key' }).click()
  await expect(dialog(page, 'Add API key').getByRole('textbox', { name: 'Name' })).toBeFocused()
  await expect(dialog(page, 'Add API key').getByLabel('Access to')).toHaveCount(0)
  await dialog(page, 'Add API key').getByRole('button', { name: 'Add key' }).click()
  await expectToast(page, 'API key created')
  expect((await api.send('GET', `/Accounts/${account_sid}/ApiKeys`)).body).toHaveLength(2)

  const viewer = await api.person({ account_sid, service_provider_sid, is_view_only: true })
  await open(list, viewer.token)
  for (const name of ['Add key', 'Rotate Of the account', 'Rename Of the account', 'Delete Of the account'])
    await expect(page.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true')
})

test('keeps the dialog with its name after an error, and offers a retry if the list fails', async ({
  page,
  tenant,
  api,
  open,
}) => {
  await api.send('POST', '/ApiKeys', { account_sid: tenant.account_sid, name: 'Dialer' })
  const fail = async (method: string) =>
    page.route(/\/patchbay\/.*api-keys/, (route) =>
      route.request().method() === method
        ? route.fulfill({ status: 503, json: { msg: 'The database cannot be reached' } })
        : route.fallback(),
    )
  await fail('PUT')
  await open(list)
  await page.getByRole('button', { name: 'Rename Dialer' }).click()
  await dialog(page, 'Rename API key').getByRole('textbox', { name: 'Name' }).fill('Autodialer')
  await dialog(page, 'Rename API key').getByRole('button', { name: 'Rename key' }).click()
  await expect(dialog(page, 'Rename API key').getByRole('alert')).toContainText('The database cannot be reached')
  await expect(dialog(page, 'Rename API key').getByRole('textbox', { name: 'Name' })).toHaveValue('Autodialer')
  await page.unrouteAll()
  await dialog(page, 'Rename API key').getByRole('button', { name: 'Rename key' }).click()
  await expect(row(page, 'Autodialer')).toBeVisible()

  await fail('GET')
  await page.reload()
  await expect(page.getByText('The database cannot be reached')).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(row(page, 'Autodialer')).toBeVisible()
})

test('has no accessibility findings and fits on a phone', async ({ page, tenant, api, open }) => {
  await api.send('POST', '/ApiKeys', { account_sid: tenant.account_sid, name: 'A program with a long name '.repeat(2) })
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme })
    await page.setViewportSize({ width: 390, height: 844 })
    await open(list)
    await expect(row(page, 'A program')).toBeVisible()
    await expectNoFindings(page, `API keys, ${theme}`)
    await expectToFit(page, 'API keys')
    await page.getByRole('button', { name: /^Rename/ }).click()
    await expect(dialog(page, 'Rename API key')).toBeVisible()
    await expectNoFindings(page, `API keys, ${theme}`)
  }
})
