import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { aCall, writeCalls } from './support/calls.ts'
import { expectPlainLanguage } from './support/plain-language.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Saved views and columns of recent calls. They belong to a user, so each test signs in users of its own. */

const rows = (page: Page) => page.getByRole('table', { name: 'Recent calls' }).locator('tbody tr[data-row]')
const headers = (page: Page) => page.getByRole('columnheader')
const viewsButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const openMenuItem = async (page: Page, button: string, item: string) => {
  await viewsButton(page, button).click()
  await page.getByRole('menuitem', { name: item }).click()
}
const calls = ({ account_sid, service_provider_sid }: Tenant, intakePort: number) =>
  writeCalls(intakePort, { account_sid, service_provider_sid }, [
    aCall({ from: 'good', sip_status: 200 }),
    aCall({ from: 'bad', answered: false, sip_status: 486 }),
  ])
const createUser = (api: Api, { account_sid, service_provider_sid }: Tenant) =>
  api.person({ account_sid, service_provider_sid })
const chooseColumns = async (page: Page, change: (dialog: ReturnType<Page['getByRole']>) => Promise<void>) => {
  await page.getByRole('button', { name: 'Columns' }).click()
  const dialog = page.getByRole('dialog', { name: 'Columns' })
  await change(dialog)
  await dialog.getByRole('button', { name: 'Apply columns' }).click()
  return dialog
}
const allHeaders = ['Time', 'Direction', 'From', 'To', 'Status', 'Duration', 'Wait and talk', 'Trunk']

test('a user chooses the columns of recent calls, and finds them again in another browser', async ({
  page,
  api,
  server,
  tenant,
  open,
  browser,
}) => {
  await calls(tenant, server.intakePort)
  const user = await createUser(api, tenant)
  await open('/internal/recent-calls', user.token)
  await expect(rows(page)).toHaveCount(2)
  await expect(headers(page).filter({ hasText: /\S/ })).toContainText(allHeaders)
  const dialog = await chooseColumns(page, async (columns) => {
    for (const name of allHeaders) await columns.getByRole('checkbox', { name, exact: true }).uncheck()
  })
  await expect(dialog.getByText('Select at least one column.')).toBeVisible()
  await expectNoFindings(page, 'the columns', { part: 'dialog' })
  await expectPlainLanguage(page, 'the columns')
  for (const name of ['Time', 'From', 'SIP status']) await dialog.getByRole('checkbox', { name, exact: true }).check()
  await dialog.getByRole('button', { name: 'Apply columns' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('columnheader', { name: 'SIP status' })).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'Trunk' })).toHaveCount(0)
  await expect(rows(page).filter({ hasText: 'bad' })).toContainText('486')
  await expect(page).not.toHaveURL(/columns/)

  const elsewhere = await (await browser.newContext()).newPage()
  await open('/internal/recent-calls', user.token, elsewhere)
  await expect(elsewhere.getByRole('columnheader', { name: 'SIP status' })).toBeVisible()
  await expect(elsewhere.getByRole('columnheader', { name: 'Trunk' })).toHaveCount(0)
  await chooseColumns(elsewhere, (columns) => columns.getByRole('button', { name: 'Restore default columns' }).click())
  await expect(elsewhere.getByRole('columnheader', { name: 'Trunk' })).toBeVisible()
  await expect(elsewhere.getByRole('columnheader', { name: 'SIP status' })).toHaveCount(0)
  await elsewhere.context().close()
})

test('keeps the columns and shows the error in the dialog if they cannot be stored', async ({
  page,
  api,
  tenant,
  server,
  open,
}) => {
  await calls(tenant, server.intakePort)
  const user = await createUser(api, tenant)
  await page.route('**/list-columns', (route) => route.fulfill({ status: 503, json: { msg: 'The database is away' } }))
  await open('/internal/recent-calls', user.token)
  const dialog = await chooseColumns(page, (columns) =>
    columns.getByRole('checkbox', { name: 'Trunk', exact: true }).uncheck(),
  )
  await expect(dialog.getByRole('alert')).toContainText('The database is away')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('columnheader', { name: 'Trunk' })).toBeVisible()
})

test('a user saves, opens, updates, renames, and deletes views', async ({ page, api, server, tenant, open }) => {
  await calls(tenant, server.intakePort)
  const user = await createUser(api, tenant)
  await open('/internal/recent-calls', user.token)
  await page.getByLabel('Status').selectOption('not answered')
  await expect(rows(page)).toHaveText([/bad/])
  await chooseColumns(page, (columns) => columns.getByRole('checkbox', { name: 'Trunk', exact: true }).uncheck())
  await expect(page.getByRole('columnheader', { name: 'Trunk' })).toHaveCount(0)

  await openMenuItem(page, 'Saved views', 'Save as new view')
  const save = page.getByRole('dialog', { name: 'Save view' })
  await save.getByRole('button', { name: 'Save view' }).click()
  await expect(save.getByText('Enter a name.')).toBeVisible()
  await expectNoFindings(page, 'the name of a view', { part: 'dialog' })
  await save.getByRole('textbox', { name: 'Name' }).fill('Failed calls')
  await save.getByRole('button', { name: 'Save view' }).click()
  await expectToast(page, 'View saved')
  await expect(viewsButton(page, 'View: Failed calls')).toBeVisible()

  await openMenuItem(page, 'View: Failed calls', 'Save as new view')
  await save.getByRole('textbox', { name: 'Name' }).fill('failed CALLS')
  await save.getByRole('button', { name: 'Save view' }).click()
  await expect(save.getByText('You already have a view with this name')).toBeVisible()
  await save.getByRole('button', { name: 'Cancel' }).click()

  // The user's own columns do not change those of a saved view.
  await page.goto('/internal/recent-calls?answered=true')
  await expect(rows(page)).toHaveText([/good/])
  await chooseColumns(page, (columns) => columns.getByRole('button', { name: 'Restore default columns' }).click())
  await expect(page.getByRole('columnheader', { name: 'Trunk' })).toBeVisible()
  await openMenuItem(page, 'Saved views', 'Failed calls')
  await expect(rows(page)).toHaveText([/bad/])
  await expect(page.getByRole('columnheader', { name: 'Trunk' })).toHaveCount(0)
  await page.reload()
  await expect(viewsButton(page, 'View: Failed calls')).toBeVisible()
  await expect(rows(page)).toHaveText([/bad/])

  await page.getByLabel('Direction').selectOption('outbound')
  await expect(page.getByText('No data.', { exact: true })).toBeVisible()
  await openMenuItem(page, 'View: Failed calls (changed)', 'Update view “Failed calls”')
  await expectToast(page, 'View updated')
  await expect(viewsButton(page, 'View: Failed calls')).toBeVisible()

  await openMenuItem(page, 'View: Failed calls', 'Manage views')
  const manage = page.getByRole('dialog', { name: 'Manage views' })
  await expectNoFindings(page, 'the saved views', { part: 'dialog' })
  await manage.getByRole('button', { name: 'Rename Failed calls' }).click()
  const rename = page.getByRole('dialog', { name: 'Rename view' })
  await rename.getByRole('textbox', { name: 'Name' }).fill('Outbound failures')
  await rename.getByRole('button', { name: 'Rename view' }).click()
  await expect(manage.getByText('Outbound failures', { exact: true })).toBeVisible()
  await manage.getByRole('button', { name: 'Delete Outbound failures' }).click()
  const confirm = page.getByRole('dialog', { name: 'Delete view?' })
  await expect(confirm).toContainText('Outbound failures')
  await confirm.getByRole('button', { name: 'Cancel' }).click()
  await expect(manage.getByText('Outbound failures', { exact: true })).toBeVisible()
  await manage.getByRole('button', { name: 'Delete Outbound failures' }).click()
  await confirm.getByRole('button', { name: 'Delete view' }).click()
  await expectToast(page, 'View deleted')
  await expect(manage.getByText('You have no saved views.')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(viewsButton(page, 'Saved views')).toBeVisible()
})

test('a copied link shows another user the same calls, without the saved views of its owner', async ({
  page,
  api,
  server,
  tenant,
  open,
  context,
  browser,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await calls(tenant, server.intakePort)
  const provider = { service_provider_sid: tenant.service_provider_sid }
  const [user, other] = [await api.person(provider), await api.person(provider)]
  const search = { account: tenant.account_sid, answered: 'false', columns: 'from,sip_status' }
  const view = { screen: 'recent-calls', name: 'Failed calls', search }
  const { body } = await api.send('POST', '/patchbay/saved-views', view, user.token)
  await open(`/internal/recent-calls?${new URLSearchParams({ ...search, view: body.sid })}`, user.token)
  await openMenuItem(page, 'View: Failed calls', 'Copy link')
  await expectToast(page, 'Link copied to clipboard')
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()))
  expect(Object.fromEntries(link.searchParams)).toEqual(search)

  const elsewhere = await (await browser.newContext()).newPage()
  await open(`${link.pathname}${link.search}`, other.token, elsewhere)
  await expect(rows(elsewhere)).toHaveText([/bad.*486/])
  await expect(elsewhere.getByRole('columnheader', { name: 'Time' })).toHaveCount(0)
  await viewsButton(elsewhere, 'Saved views').click()
  await expect(elsewhere.getByRole('menuitem')).toHaveText(['Save as new view', 'Copy link'])
  await elsewhere.context().close()
})

test('views that cannot be loaded can be loaded again from their menu', async ({ page, api, server, tenant, open }) => {
  await calls(tenant, server.intakePort)
  const user = await createUser(api, tenant)
  await api.send('POST', '/patchbay/saved-views', { screen: 'recent-calls', name: 'Mine', search: {} }, user.token)
  let isFailing = true
  await page.route('**/list-settings*', (route) =>
    isFailing ? route.fulfill({ status: 503, json: { msg: 'The database is away' } }) : route.continue(),
  )
  await open('/internal/recent-calls', user.token)
  await expect(rows(page)).toHaveCount(2)
  await viewsButton(page, 'Saved views').click()
  await expect(page.getByRole('menuitem', { name: 'Mine' })).toHaveCount(0)
  isFailing = false
  await page.getByRole('menuitem', { name: 'Load the saved views again' }).click()
  await viewsButton(page, 'Saved views').click()
  await expect(page.getByRole('menuitem', { name: 'Mine' })).toBeVisible()
})

test('an unmodified server has no views, and the browser keeps the columns', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  await calls(tenant, server.intakePort)
  const user = await createUser(api, tenant)
  await page.route('**/config.json', async (route) => {
    const config = await (await route.fetch()).json()
    await route.fulfill({ json: { ...config, extensions: [] } })
  })
  const requests: string[] = []
  page.on('request', (request) => void (request.url().includes('/patchbay/') && requests.push(request.url())))
  await open('/internal/recent-calls', user.token)
  await chooseColumns(page, (columns) => columns.getByRole('checkbox', { name: 'Trunk', exact: true }).uncheck())
  await expect(page.getByRole('columnheader', { name: 'Trunk' })).toHaveCount(0)
  await page.reload()
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByRole('columnheader', { name: 'Trunk' })).toHaveCount(0)
  await expect(viewsButton(page, 'Saved views')).toHaveCount(0)
  expect(requests).toEqual([])
})
