import { typeSignIn } from './support/sign-in.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

test('ROLES-06 ACCOUNTS-33 shows the debug log setting of an account only to admins', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const edit = `/internal/accounts/${tenant.account_sid}/edit`
  await open(edit)
  await page.getByLabel('Enable debug log for this account').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Account updated successfully')
  expect((await api.send('GET', `/Accounts/${tenant.account_sid}`)).body.enable_debug_log).toBe(1)
  const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await open(edit, token)
  await expect(page.getByLabel('Account name')).toHaveValue(tenant.accountName)
  await expect(page.getByLabel('Enable debug log for this account')).toHaveCount(0)
})

test('ROLES-10 lets account users see and change their own account', async ({ page, api, tenant, open }) => {
  const { account_sid, service_provider_sid } = tenant
  await api.send('PUT', `/Accounts/${account_sid}`, { sip_realm: `${account_sid}.example.org` })
  const { token } = await api.person({ account_sid, service_provider_sid })
  await open(`/internal/accounts/${account_sid}/edit`, token)
  await expect(page.getByLabel('SIP realm')).not.toBeEditable()
  await page.getByLabel('Account name').fill('Renamed by its user')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Account updated successfully')
  await expect(page).toHaveURL(new RegExp(`${account_sid}/edit$`))
  expect((await api.send('GET', `/Accounts/${account_sid}`)).body.name).toBe('Renamed by its user')
  expect((await api.send('GET', '/Accounts', undefined, token)).body).toHaveLength(1)
  // Text that is typed after the save is unsaved again.
  await page.getByLabel('Account name').fill('Typed later')
  await page.getByRole('link', { name: 'Recent calls' }).click()
  await expect(page.getByRole('dialog', { name: 'Leave without saving?' })).toBeVisible()
})

test("ROLES-13 ROLES-16 COMMON-23 redirects an account user from another account with 'You do not have access to this resource'", async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const other = await api.account(service_provider_sid)
  const { token } = await api.person({ account_sid, service_provider_sid })
  await open(`/internal/accounts/${other}/edit`, token)
  await expectToast(page, 'You do not have access to this resource')
  await expect(page).toHaveURL(new RegExp(`${account_sid}/edit$`))
})

test('ROLES-16 COMMON-23 redirects a provider user from an account of another provider to the list', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const foreign = await api.account(await api.provider())
  const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await open(`/internal/accounts/${foreign}/edit`, token)
  await expectToast(page, 'You do not have access to this resource')
  await expect(page).toHaveURL(/\/internal\/accounts$/)
})

test("ROLES-15 redirects an account user from the list with 'You do not have permissions to manage all accounts'", async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const { token } = await api.person({ account_sid, service_provider_sid })
  await open('/internal/accounts', token)
  await expect(page.getByText('You do not have permissions to manage all accounts')).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`${account_sid}/edit$`))
})

test("ROLES-17 COMMON-23 redirects an account user from the form for new accounts with 'You do not have access.'", async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const { token } = await api.person({ account_sid, service_provider_sid })
  await open('/internal/accounts/add', token)
  await expect(page.getByText('You do not have access.', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`${account_sid}/edit$`))
})

test("ACCOUNTS-46 shows 'You do not have permissions to make changes to this Account' to an account user who saves another account", async ({
  page,
  context,
  api,
  tenant,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const other = await api.account(service_provider_sid)
  const ownUser = await api.person({ account_sid, service_provider_sid })
  const otherUser = await api.person({ account_sid: other, service_provider_sid })
  await page.clock.install()
  // The other tab was opened before anyone signed in.
  const tab = await context.newPage()
  await tab.goto('/')
  await expect(tab.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await open(`/internal/accounts/${account_sid}/edit`, ownUser.token)
  await page.getByLabel('Account name').fill('Not to be saved')
  await typeSignIn(tab, otherUser.name, otherUser.password)
  await expect(tab).toHaveURL(new RegExp(`${other}/edit$`))
  let puts = 0
  page.on('request', (request) => {
    if (request.method() === 'PUT') puts += 1
  })
  // Returning to a tab makes the console reload its data, now with the token of the other user.
  const refused = page.waitForResponse((response) => response.status() === 403)
  await page.clock.fastForward(10_000)
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await refused
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'You do not have permissions to make changes to this Account')
  await expect(page.getByLabel('Account name')).toHaveValue('Not to be saved')
  expect(puts).toBe(0)
  expect((await api.send('GET', `/Accounts/${account_sid}`)).body.name).toBe(tenant.accountName)
})

test('shows view-only users everything, without changes', async ({ page, api, tenant, open }) => {
  const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid, is_view_only: true })
  await open('/internal/accounts', token)
  await expect(
    page.getByText('You have view-only access. You can see everything here but can’t change it.'),
  ).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add account' })).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByRole('button', { name: `Delete ${tenant.accountName}` })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await page.getByRole('link', { name: tenant.accountName, exact: true }).click()
  await expect(page.getByLabel('Account name')).toHaveAttribute('readonly')
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Generate new secret' })).toHaveCount(0)
})
