import type { Page } from '@playwright/test'
import { answerWithDeletion, cascadeDialogs } from './support/cascade.ts'
import { expectEveryLayout } from './support/expect-every-layout.ts'
import { failOnce, listRow, withoutExtensions } from './support/records.ts'
import { test as withRedis } from './support/redis.ts'
import { makeApplications, makeNumbers, makeTeamsTenant } from './support/seed-database.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'

/** Deleting an account with its contents, after the dialog has listed what blocks its deletion. */

const { inUse, question, withContents, confirm, nameField } = cascadeDialogs('account')
const press = (page: Page, name: string) =>
  page.getByRole('button', { name: `Delete ${name}`, exact: true }).press('Enter')

const ask = async (page: Page, { accountName }: Tenant) => {
  await press(page, accountName)
  await withContents(page).press('Enter')
  await expect(question(page)).toBeVisible()
}

const status = async (api: Api, path: string): Promise<number> => (await api.send('GET', path)).status

test('an account is deleted with its contents by keyboard, after its name is typed', async ({
  page,
  api,
  tenant,
  open,
  server,
}) => {
  const { account_sid, service_provider_sid, accountName } = tenant
  const [application = ''] = makeApplications(server, account_sid, ['Welcome line'])
  makeNumbers(server, account_sid, ['15085550001', '15085550002'])
  makeTeamsTenant(server, tenant, `${account_sid}.example.org`)
  await api.send('POST', `/Accounts/${account_sid}/ApiKeys`, {})
  await api.send('POST', '/Clients', { account_sid, username: 'alice', password: 'sdf12412' })
  const person = await api.person({ account_sid, service_provider_sid })
  await api.send('PUT', `/Accounts/${account_sid}`, { device_calling_application_sid: application })
  await open('/internal/accounts')
  await press(page, accountName)
  await expect(inUse(page)).toContainText('cannot be deleted while these belong to it. Move or delete them first.')
  await withContents(page).focus()
  await page.keyboard.press('Enter')
  await expect(question(page).getByRole('button', { name: 'Cancel' })).toBeFocused()
  const deleted = question(page).getByRole('list', { name: 'Deleted:' })
  for (const text of ['1 user', '1 API key', '1 application', '2 phone numbers', '1 MS Teams tenant', '1 SIP client'])
    await expect(deleted.getByRole('listitem').filter({ hasText: text })).toBeVisible()
  await expect(deleted.getByRole('link', { name: '2 phone numbers' })).toHaveAttribute(
    'href',
    /phone-numbers\?.*account=/,
  )
  const keptList = question(page).getByRole('list', { name: 'Kept:' })
  await expect(keptList).toContainText('Calls in progress, which are not known here without Redis.')
  await expect(keptList).toContainText('The audit trail, with an entry for each deleted record')
  await expectEveryLayout(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await expect(confirm(page)).toHaveAccessibleDescription('Type the name of the account to confirm.')
  await confirm(page).press('Enter')
  await expect(question(page)).toBeVisible()
  await nameField(page).focus()
  await page.keyboard.type(accountName)
  await confirm(page).press('Enter')
  await expect(question(page)).toHaveCount(0)
  await expect(page.getByText(`Deleted account ${accountName} with its contents.`)).toBeVisible()
  await expect(listRow(page, 'Accounts', accountName)).toHaveCount(0)
  expect(await status(api, `/Accounts/${account_sid}`)).toBe(404)
  expect(await status(api, `/Users/${person.user_sid}`)).toBe(404)
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(page.getByText(`Deleted account ${accountName} with its contents.`)).toHaveCount(0)
})

test('records that others use are named, and nothing is deleted until they are free', async ({
  page,
  api,
  tenant,
  open,
  server,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const other = await api.account(service_provider_sid, { name: 'Other account' })
  const [application] = makeApplications(server, account_sid, ['Welcome line'])
  await api.send('PUT', `/Accounts/${account_sid}`, { device_calling_application_sid: application })
  const carrier = await api.send('POST', '/VoipCarriers', { name: 'Atlantic', service_provider_sid, account_sid })
  const routing = { name: 'Shared routes', service_provider_sid }
  const lcr = await api.send('POST', '/Lcrs', routing)
  const route = { lcr_sid: lcr.body.sid, regex: '^1', priority: 1 }
  const lcr_route_sid = (await api.send('POST', '/LcrRoutes', route)).body.sid
  const entry = { lcr_route_sid, voip_carrier_sid: carrier.body.sid, workload: 1, priority: 1 }
  expect((await api.send('POST', '/LcrCarrierSetEntries', entry)).status).toBe(201)
  await failOnce(page, '**/used-elsewhere', 'The database is away')
  await open('/internal/accounts')
  await ask(page, tenant)
  await expect(question(page)).toContainText('The database is away')
  await nameField(page).fill(tenant.accountName)
  await expect(confirm(page)).toHaveAccessibleDescription('It is not known what would be deleted.')
  await question(page).getByRole('button', { name: 'Retry' }).click()
  const used = question(page).getByRole('list', { name: 'Used outside of the account' })
  await expect(used.getByRole('listitem')).toHaveText(['carrier Atlantic, used by outbound routings'])
  await expect(confirm(page)).toHaveAccessibleDescription('Records outside of the account use records of it.')
  await expectEveryLayout(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.keyboard.press('Escape')
  await api.send('DELETE', `/Lcrs/${lcr.body.sid}`)
  await ask(page, tenant)
  await expect(used).toHaveCount(0)
  await nameField(page).fill(tenant.accountName)
  await confirm(page).click()
  await expect(page.getByText(`Deleted account ${tenant.accountName} with its contents.`)).toBeVisible()
  expect([await status(api, `/Accounts/${account_sid}`), await status(api, `/Accounts/${other}`)]).toEqual([404, 200])
})

test('a deletion that is not possible keeps the dialog with the reason', async ({
  page,
  api,
  tenant,
  open,
  server,
}) => {
  makeNumbers(server, tenant.account_sid, ['15085550001'])
  await open('/internal/accounts')
  await ask(page, tenant)
  await failOnce(page, '**/patchbay/bulk-changes', '5 bulk changes of this tenant are not finished', 429)
  await nameField(page).fill(tenant.accountName)
  await confirm(page).click()
  await expect(question(page).getByRole('alert')).toContainText('5 bulk changes of this tenant are not finished')
  expect(await status(api, `/Accounts/${tenant.account_sid}`)).toBe(200)
})

test('the list shows the progress, also after a reload, and what could not be deleted by kind and name', async ({
  page,
  api,
  tenant,
  open,
  server,
}) => {
  const { account_sid, accountName } = tenant
  makeNumbers(server, account_sid, ['15085550001'])
  const change = await answerWithDeletion(page, {
    kind: 'account',
    sid: account_sid,
    name: accountName,
    total: 9,
    done: 4,
  })
  await open(`/internal/accounts/${account_sid}/edit`)
  await page.getByRole('button', { name: 'Delete account', exact: true }).click()
  await withContents(page).click()
  await nameField(page).fill(accountName)
  await confirm(page).click()
  const progress = page.getByRole('group', { name: 'Bulk change' })
  await expect(progress).toContainText(`Deleting account ${accountName}: 4 of 9`)
  await expect(page).toHaveURL(/\/internal\/accounts(\?|$)/)
  await expectEveryLayout(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.reload()
  await expect(progress).toContainText(`Deleting account ${accountName}: 4 of 9`)
  const reason = 'cannot delete application with phone numbers'
  change.failures = [
    { kind: 'application', sid: 'a', name: 'Welcome line', reason },
    { kind: 'account', sid: account_sid, name: accountName, reason: 'The account was kept' },
  ]
  Object.assign(change, { status: 'finished', total: 6, failed: 2, finished_at: new Date().toISOString() })
  await expect(page.getByRole('alert')).toContainText(`Kept account ${accountName}. 4 records of it were deleted.`)
  await expect(page.getByRole('list', { name: 'Not changed' }).getByRole('listitem')).toHaveText([
    `Application Welcome line: ${reason}`,
    `Account ${accountName}: The account was kept`,
  ])
  await expectEveryLayout(page)
  expect(await status(api, `/Accounts/${account_sid}`)).toBe(200)
})

test('is offered neither to view-only users nor by a server without it', async ({
  page,
  api,
  tenant,
  open,
  server,
}) => {
  const { service_provider_sid, accountName } = tenant
  makeNumbers(server, tenant.account_sid, ['15085550001'])
  const viewer = await api.person({ service_provider_sid, is_view_only: true })
  await open('/internal/accounts', viewer.token)
  const remove = page.getByRole('button', { name: `Delete ${accountName}`, exact: true })
  await expect(remove).toHaveAttribute('aria-disabled', 'true')
  await expect(remove).toHaveAccessibleDescription(/view-only access/)
  await withoutExtensions(page)
  await open('/internal/accounts')
  await press(page, accountName)
  await expect(inUse(page)).toContainText('1 phone number')
  await expect(withContents(page)).toHaveCount(0)
})

withRedis(
  'calls in progress are counted and ended first, and nothing is deleted if they cannot be',
  async ({ page, api, tenant, open, server, featureServer }) => {
    const { account_sid, accountName } = tenant
    makeNumbers(server, account_sid, ['15085550001'])
    await featureServer.call(account_sid)
    await open('/internal/accounts')
    await ask(page, tenant)
    const keptList = question(page).getByRole('list', { name: 'Kept:' })
    await expect(keptList.getByRole('listitem').first()).toHaveText('1 call in progress.')
    await question(page).getByRole('checkbox', { name: 'End the 1 call in progress' }).check()
    await nameField(page).fill(accountName)
    featureServer.answer = (response) => response.writeHead(480, 'Temporarily Unavailable').end()
    await confirm(page).click()
    await expect(question(page).getByRole('alert')).toContainText('1 call could not be ended, so nothing was deleted.')
    expect((await api.send('GET', '/patchbay/bulk-changes')).body).toEqual([])
    featureServer.answer = undefined
    await confirm(page).click()
    await expect(page.getByText(`Deleted account ${accountName} with its contents.`)).toBeVisible()
    expect(featureServer.heard.map(({ body }) => body['call_status'])).toContain('completed')
    expect(await status(api, `/Accounts/${account_sid}`)).toBe(404)
  },
)
