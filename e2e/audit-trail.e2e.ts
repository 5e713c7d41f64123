import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { heading } from './support/records.ts'
import { makeApplications } from './support/seed-database.ts'
import { expect, test } from './support/test.ts'

/** Audit entries on their own screen and in the history of a record. */

const row = (page: Page, text: string | RegExp) =>
  page.getByRole('table', { name: 'Audit trail' }).locator('tr[data-row]').filter({ hasText: text })
const select = (page: Page, label: string) => page.getByRole('combobox', { name: label, exact: true })

test("shows changes field by field, and only the provider's own entries to provider users", async ({
  page,
  open,
  api,
  tenant,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const person = await api.person({ service_provider_sid })
  const name = `Renamed ${randomUUID().slice(0, 8)}`
  await api.send('PUT', `/Accounts/${account_sid}`, { name }, person.token)
  await api.account(await api.provider(), { name: 'Account of another provider' })

  await open('/internal/audit-trail', person.token)
  await expect(page.getByRole('heading', { name: 'Audit trail', level: 1 })).toBeVisible()
  const changed = row(page, name)
  await expect(changed).toContainText(person.name)
  await expect(changed).toContainText('changed')
  await changed.click()
  await expect(page).toHaveURL(/open=/)
  await expect(page.getByText(`before: ${tenant.accountName}`)).toBeVisible()
  await expect(page.getByText(`after: ${name}`)).toBeVisible()
  await expect(page.getByText('127.0.0.1').first()).toBeVisible()
  // Changes by admins are shown without the IP address.
  await expect(row(page, `Account${tenant.accountName}`)).toContainText('admin')
  await expect(row(page, 'Account of another provider')).toHaveCount(0)
  await expect(select(page, 'Scope')).toHaveCount(0)
})

test('names the records to which a change refers, and links those that still exist', async ({
  page,
  open,
  api,
  server,
  tenant,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const person = await api.person({ service_provider_sid })
  const post = async (path: string, body: object) => (await api.send('POST', path, body)).body.sid
  const [old = '', application_sid = ''] = makeApplications(server, account_sid, ['Old reception', 'Reception'])
  const number = '15085550147'
  const phone_number_sid = await post('/PhoneNumbers', { number, account_sid, application_sid: old })
  await api.send('PUT', `/PhoneNumbers/${phone_number_sid}`, { application_sid })
  await api.send('DELETE', `/Applications/${old}`)

  await open(`/internal/phone-numbers/${phone_number_sid}/edit?tab=history`, person.token)
  const entries = page.getByRole('list', { name: 'History' }).getByRole('listitem')
  const values = entries.first().getByRole('definition')
  await expect(values.first()).toContainText('Old reception')
  await expect(values.first()).toContainText('(deleted)')
  await expect(values.first().getByRole('link')).toHaveCount(0)
  const link = values.last().getByRole('link', { name: 'Reception', exact: true })
  await link.hover()
  await expect(page.getByRole('tooltip').getByText(application_sid)).toBeVisible()
  await expect(entries.last().getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
  await link.click()
  await expect(heading(page, 'Reception')).toBeVisible()

  await open('/internal/audit-trail?action=update', person.token)
  await row(page, number).click()
  await expect(page.getByRole('link', { name: 'Reception', exact: true })).toBeVisible()
})

test('keeps its filters in the URL', async ({ page, open, api, tenant }) => {
  const { service_provider_sid, account_sid } = tenant
  const accountUser = await api.person({ service_provider_sid, account_sid })
  await api.send('DELETE', `/ServiceProviders/${service_provider_sid}`, undefined, accountUser.token)
  // Denied requests are written within about a second.
  const written = async () =>
    (await api.send('GET', `/patchbay/audit-trail?page=1&count=1&actor_sid=${accountUser.user_sid}&action=refused`))
      .body.total
  await expect.poll(written).toBe(1)
  await open('/internal/audit-trail')
  await expect(row(page, tenant.accountName)).toHaveCount(1)
  await select(page, 'Action').selectOption('refused')
  await expect(page).toHaveURL(/action=refused/)
  await expect(row(page, 'DELETE /ServiceProviders')).toHaveCount(1)
  await expect(row(page, tenant.accountName)).toHaveCount(0)
  await page.goBack()
  await expect(row(page, tenant.accountName)).toHaveCount(1)
  await select(page, 'Record').selectOption('User')
  await expect(row(page, accountUser.name)).toHaveCount(1)
  await page.getByRole('searchbox').fill('nothing is called so')
  await expect(page.getByText('Nothing matches these filters.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(row(page, tenant.accountName)).toHaveCount(1)
})

test('shows admins the whole platform, and the current provider on request', async ({ page, open, api, tenant }) => {
  const elsewhere = `Elsewhere ${randomUUID().slice(0, 8)}`
  await api.account(await api.provider(), { name: elsewhere })
  await open('/internal/audit-trail')
  await expect(row(page, tenant.accountName)).toHaveCount(1)
  await expect(row(page, elsewhere)).toHaveCount(1)
  await select(page, 'Scope').selectOption('this provider')
  await expect(row(page, elsewhere)).toHaveCount(0)
  await expect(row(page, tenant.accountName)).toHaveCount(1)
  await row(page, tenant.accountName).click()
  await page.getByRole('link', { name: 'Show the account', exact: true }).click()
  await expect(page.getByRole('heading', { name: tenant.accountName, level: 1 })).toBeVisible()
})

test('shows the history of a record on its own tab', async ({ page, open, api, tenant }) => {
  const { account_sid } = tenant
  await api.send('PUT', `/Accounts/${account_sid}`, { record_format: 'wav' })
  await open(`/internal/accounts/${account_sid}/edit?tab=history`)
  const entries = page.getByRole('list', { name: 'History' }).getByRole('listitem')
  await expect(entries).toHaveCount(2)
  await expect(entries.first()).toContainText('admin')
  await expect(entries.first().getByRole('term')).toHaveText('Record format')
  await expect(entries.first().getByRole('definition')).toHaveText(['before: mp3', '→after: wav'])
  // A change that is saved in the form appears in the history immediately.
  await page.getByRole('tab', { name: 'Details' }).click()
  await page.getByLabel('Account name').fill('A name in the history')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('link', { name: 'A name in the history', exact: true }).click()
  await page.getByRole('tab', { name: 'History' }).click()
  await expect(entries).toHaveCount(3)
})

test('shows the last change in the header of a record', async ({ page, open, api, tenant }) => {
  const { account_sid, service_provider_sid } = tenant
  const person = await api.person({ service_provider_sid })
  await api.send('PUT', `/Accounts/${account_sid}`, { record_format: 'wav' }, person.token)
  await open(`/internal/accounts/${account_sid}/edit`)
  const head = page.getByRole('main').locator('header', { has: page.locator('#page-title') })
  await expect(head).toContainText(/changed\s*just now/)
  await expect(head).toContainText(`by ${person.name}`)
})

test('loads a long history in parts', async ({ page, open, api, tenant }) => {
  for (let change = 0; change < 26; change += 1)
    await api.send('PUT', `/Accounts/${tenant.account_sid}`, { device_to_call_ratio: change })
  await open(`/internal/accounts/${tenant.account_sid}/edit?tab=history`)
  const entries = page.getByRole('list', { name: 'History' }).getByRole('listitem')
  await expect(entries).toHaveCount(25)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(entries).toHaveCount(27)
  await expect(page.getByRole('button', { name: 'Show more' })).toHaveCount(0)
})

test('is hidden from account users, and on the platform’s own API server', async ({ page, open, api, tenant }) => {
  const { service_provider_sid, account_sid } = tenant
  const user = await api.person({ service_provider_sid, account_sid })
  await open('/internal/audit-trail', user.token)
  await expect(page.getByText('You do not have permissions to view the audit trail')).toBeVisible()
  await open(`/internal/accounts/${tenant.account_sid}/edit`, user.token)
  await expect(page.getByLabel('Account name')).toBeVisible()
  await expect(page.getByRole('tab', { name: 'History' })).toHaveCount(0)
  await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
  await open('/internal/accounts')
  await expect(page.getByRole('link', { name: 'Accounts', exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Audit trail' })).toHaveCount(0)
})
