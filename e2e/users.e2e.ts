import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { hold } from './support/hold-requests.ts'
import { unsavedChanges } from './support/records.ts'
import { showManyUsers } from './support/seed-users.ts'
import { typeSignIn } from './support/sign-in.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const table = (page: Page) => page.getByRole('table', { name: 'Users' })
const rows = (page: Page) => table(page).locator('tbody tr[data-row]')
const row = (page: Page, name: string) => rows(page).filter({ has: page.getByRole('link', { name, exact: true }) })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const save = (page: Page) => page.getByRole('button', { name: 'Save' })
const scope = (page: Page) => page.getByRole('combobox', { name: 'Scope', exact: true })
const account = (page: Page) => page.getByRole('combobox', { name: 'Account', exact: true })
const filterBox = (page: Page) => page.getByRole('searchbox', { name: 'Filter users' })
const notice = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text, { exact: true })

/** Creates a user of the provider, one of its account, and one of another provider. */
const people = async (api: Api, { service_provider_sid, account_sid }: Tenant) => ({
  ofProvider: await api.person({ service_provider_sid }),
  ofAccount: await api.person({ service_provider_sid, account_sid }),
  elsewhere: await api.person({ service_provider_sid: await api.provider() }),
})

const fetchUser = async (api: Api, user_sid: string) => (await api.send('GET', `/Users/${user_sid}`)).body

test.describe('the list', () => {
  /** Creates two accounts with a user each, and an admin. */
  const createNeighbors = async (api: Api, tenant: Tenant) => {
    const { service_provider_sid } = tenant
    const everybody = await people(api, tenant)
    const beside = await api.account(service_provider_sid, { name: 'Beside' })
    const neighbour = await api.person({ service_provider_sid, account_sid: beside, is_view_only: true })
    return { ...everybody, beside, neighbour, admin: await api.person() }
  }

  test('USERS-04 USERS-07 NAV-14 shows admins and users of the provider with their scope and state', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { ofProvider, ofAccount, elsewhere, neighbour, admin } = await createNeighbors(api, tenant)
    await api.send('PUT', `/Users/${ofAccount.user_sid}`, { is_active: false })
    await open('/internal/accounts')
    await page.getByRole('link', { name: 'Users', exact: true }).click()
    await expect(page).toHaveURL(/\/internal\/users$/)
    const cells = (name: string) => row(page, name).getByRole('cell')
    await expect(cells(admin.name).filter({ hasText: /^All$/ })).toBeVisible()
    await expect(row(page, ofProvider.name)).toContainText(`Service Provider: ${tenant.providerName}`)
    await expect(row(page, ofAccount.name)).toContainText(`Account: ${tenant.accountName}`)
    await expect(row(page, ofAccount.name)).toContainText('Inactive')
    await expect(row(page, neighbour.name)).toContainText('View-only')
    await expect(row(page, 'admin')).toContainText('you')
    await expect(table(page).getByText('you', { exact: true })).toHaveCount(1)
    await expect(row(page, elsewhere.name)).toHaveCount(0)
  })

  test('USERS-02 USERS-03 COMMON-65 filters by scope and account according to the URL', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { beside, neighbour, admin } = await createNeighbors(api, tenant)
    await open('/internal/users')
    await expect(scope(page).getByRole('option')).toHaveText(['All scopes', 'Admin', 'Service provider', 'Account'])
    await scope(page).selectOption('Account')
    await expect(rows(page)).toHaveCount(2)
    await expect(page).toHaveURL(/users\?scope=account$/)
    await account(page).selectOption('Beside')
    await expect(rows(page)).toHaveText([new RegExp(neighbour.name)])
    await page.reload()
    await expect(rows(page)).toHaveText([new RegExp(neighbour.name)])
    await expect(account(page).locator('option:checked')).toHaveText('Beside')
    // The next visit starts with the most recently selected account.
    await page.goto('/internal/users')
    await expect(page).toHaveURL(`/internal/users?account=${beside}`)
    await expect(rows(page)).toHaveText([new RegExp(neighbour.name)])
    await scope(page).selectOption('Admin')
    await expect(rows(page)).toHaveCount(0)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect(row(page, admin.name)).toBeVisible()
    await expect(account(page).locator('option:checked')).toHaveText('All accounts')
  })

  test('USERS-01 USERS-05 finds users by text, in the palette, and with keys, and links to their forms', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { ofProvider, neighbour } = await createNeighbors(api, tenant)
    await open('/internal/users')
    await expect(row(page, ofProvider.name)).toBeVisible()
    await page.keyboard.press('/')
    await expect(filterBox(page)).toBeFocused()
    await filterBox(page).fill(ofProvider.name.toUpperCase())
    await expect(rows(page)).toHaveText([new RegExp(ofProvider.name)])
    await row(page, ofProvider.name)
      .getByRole('link', { name: `Edit ${ofProvider.name}` })
      .click()
    await expect(page).toHaveURL(new RegExp(`/internal/users/${ofProvider.user_sid}/edit$`))
    await page.goBack()
    await page.getByRole('link', { name: 'Add user' }).click()
    await expect(page).toHaveURL(/\/internal\/users\/add$/)

    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Command palette' })
    await palette.getByRole('combobox').fill(neighbour.name)
    await expect(palette.getByRole('option', { name: neighbour.name })).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(heading(page, neighbour.name)).toBeFocused()
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    await expect(heading(page, 'Users')).toBeFocused()
  })

  test('ROLES-08 ROLES-09 ROLES-11 COMMON-21 requests no admins as a provider user, and only its own users as an account user', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { ofProvider, ofAccount } = await people(api, tenant)
    await open('/internal/users', ofProvider.token)
    await expect(rows(page)).toHaveCount(2)
    await expect(scope(page).getByRole('option')).toHaveText(['All scopes', 'Service provider', 'Account'])
    await expect(account(page)).toBeVisible()
    await open('/internal/users', ofAccount.token)
    await expect(rows(page)).toHaveText([new RegExp(ofAccount.name)])
    await expect(scope(page).getByRole('option')).toHaveText(['Account'])
    await expect(account(page)).toHaveCount(0)
  })

  test("USERS-06 shows 'No users.' for an empty list, and offers a retry after a failure", async ({ page, open }) => {
    await page.route('**/Users', (route) => route.fulfill({ json: [] }), { times: 1 })
    await open('/internal/users')
    await expect(page.getByText('No users.', { exact: true })).toBeVisible()
    await page.route('**/Users', (route) => route.fulfill({ status: 500, json: { msg: 'The database is away' } }), {
      times: 1,
    })
    await page.reload()
    await expect(page.getByText('The database is away')).toBeVisible()
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(row(page, 'admin')).toBeVisible()
  })

  test('shows users of the platform’s own API server, which returns fewer fields', async ({ page, open }) => {
    const plain = { user_sid: randomUUID(), name: 'plain', email: 'plain@example.org', scope: 'admin' }
    await page.route('**/Users', (route) => route.fulfill({ json: [{ ...plain, is_active: 1, force_change: 1 }] }))
    await open('/internal/users')
    await expect(rows(page)).toHaveText([/plain.*All.*Active.*Must change password/])
  })

  test('displays 100,000 users immediately and filters them with every keystroke', async ({ page, open, tenant }) => {
    await showManyUsers(page, 100_000, tenant)
    await open('/internal/users')
    await expect(page.getByText('100,000 users')).toBeVisible()
    await page.getByRole('link', { name: 'person 0', exact: true }).focus()
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('link', { name: 'person 1', exact: true })).toBeFocused()
    await filterBox(page).pressSequentially('99999')
    await expect(rows(page)).toHaveText([/person 99999/])
    await expect(filterBox(page)).toHaveValue('99999')
  })
})

test.describe('deleting', () => {
  test("USERS-20 COMMON-73 deletes after a confirmation, shows 'Deleted user {name}', and removes the row", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { ofProvider, ofAccount } = await people(api, tenant)
    await open('/internal/users', ofProvider.token)
    const button = page.getByRole('button', { name: `Delete ${ofAccount.name}` })
    await button.click()
    await expect(page.getByRole('dialog', { name: 'Delete user?' })).toContainText(ofAccount.name)
    await page.keyboard.press('Escape')
    await expect(button).toBeFocused()
    await button.click()
    await page.getByRole('button', { name: 'Delete user', exact: true }).click()
    await expect(notice(page, `Deleted user ${ofAccount.name}`)).toBeVisible()
    await expect(rows(page)).toHaveText([new RegExp(ofProvider.name)])
    expect((await api.send('GET', `/Users/${ofAccount.user_sid}`)).status).toBe(404)
  })

  test('asks before deleting the own user, and signs out', async ({ page, api, tenant, open }) => {
    const { ofProvider } = await people(api, tenant)
    await open(`/internal/users/${ofProvider.user_sid}/edit`, ofProvider.token)
    await page.getByRole('button', { name: 'Delete user' }).click()
    await expect(page.getByRole('dialog', { name: 'Delete yourself?' })).toContainText(
      'is your own user. You will be signed out immediately and can’t sign in again.',
    )
    await page.getByRole('button', { name: 'Delete my user' }).click()
    await expect(heading(page, 'Log in')).toBeVisible()
    await expect(notice(page, `Deleted user ${ofProvider.name}`)).toBeVisible()
    await expect(page.getByText('Your session has expired')).toHaveCount(0)
    expect(await api.signIn(ofProvider.name, ofProvider.password)).toBeUndefined()
  })

  test('keeps the last admin, and explains why', async ({ page, api, open }) => {
    const admin = await api.person()
    await page.route('**/Users/*', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({
            status: 400,
            json: { msg: 'The last active admin cannot be deactivated, deleted, or given another scope' },
          })
        : route.fallback(),
    )
    await open(`/internal/users/${admin.user_sid}/edit`)
    await page.getByRole('button', { name: 'Delete user' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete user?' })
    await dialog.getByRole('button', { name: 'Delete user' }).click()
    await expect(dialog.getByRole('alert').first()).toContainText(
      'The last active admin cannot be deactivated, deleted, or given another scope',
    )
    await page.keyboard.press('Escape')
    await expect(heading(page, admin.name)).toBeVisible()
  })
})

const fill = async (page: Page, name: string, password = `Pass-${randomUUID()}`) => {
  await page.getByLabel('User name').fill(name)
  await page.getByLabel('User email').fill(`${name}@example.org`)
  await page.getByLabel('Temporary password').fill(password)
}

test.describe('adding', () => {
  test('USERS-08 NAV-15 has every field, with common defaults', async ({ page, open }) => {
    await open('/internal/users/add')
    for (const field of ['User name', 'User email', 'Temporary password'])
      await expect(page.getByLabel(field, { exact: false }).first()).toHaveValue('')
    await expect(scope(page).locator('option:checked')).toHaveText('Account')
    await expect(page.getByLabel('Force change of password')).toBeChecked()
    await expect(page.getByLabel('User is active')).toBeChecked()
    await expect(page.getByLabel('View-only User')).not.toBeChecked()
    await expect(account(page)).toBeVisible()
    await scope(page).selectOption('Admin')
    await expect(account(page)).toHaveCount(0)
  })

  test("USERS-17 USERS-18 ROLES-05 COMMON-22 creates users of every scope as an admin, sends all fields, and shows 'User created successfully'", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { service_provider_sid, account_sid } = tenant
    await api.account(service_provider_sid, { name: 'Beside' })
    await open('/internal/users/add')
    const scopesToCreate = [
      { chosen: 'Admin', service_provider_sid: null, account_sid: null },
      { chosen: 'Service provider', service_provider_sid, account_sid: null },
      { chosen: 'Account', service_provider_sid, account_sid },
    ]
    for (const { chosen, ...owner } of scopesToCreate) {
      const name = `made-${randomUUID().slice(0, 8)}`
      await page.goto('/internal/users/add')
      await scope(page).selectOption(chosen)
      if (chosen === 'Account') await account(page).selectOption(tenant.accountName)
      await fill(page, name, 'Pass-word-1')
      await page.getByLabel('Force change of password').uncheck()
      await page.getByLabel('View-only User').check()
      const createRequest = page.waitForRequest(
        (request) => request.method() === 'POST' && request.url().endsWith('/Users'),
      )
      await save(page).click()
      expect((await createRequest).postDataJSON()).toEqual({
        name,
        email: `${name}@example.org`,
        initial_password: 'Pass-word-1',
        force_change: false,
        is_active: true,
        is_view_only: true,
        ...owner,
      })
      await expect(notice(page, 'User created successfully')).toBeVisible()
      await expect(page).toHaveURL(
        chosen === 'Account' ? `/internal/users?account=${account_sid}` : /\/internal\/users$/,
      )
      await expect(row(page, name)).toContainText('View-only')
      expect(await api.signIn(name, 'Pass-word-1')).toMatch(/^ey/)
    }
  })

  test('ROLES-08 creates users of the own provider and its accounts as a provider user, and of the own account as an account user', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { ofProvider, ofAccount } = await people(api, tenant)
    const createAs = async (token: string, choose?: () => Promise<unknown>) => {
      const name = `made-${randomUUID().slice(0, 8)}`
      await open('/internal/users/add', token)
      await fill(page, name)
      await choose?.()
      await save(page).click()
      await expect(notice(page, 'User created successfully')).toBeVisible()
      const { body } = await api.send('GET', '/Users')
      return body.find((user: { name: string }) => user.name === name)
    }
    const options = scope(page).getByRole('option')
    const first = await createAs(ofProvider.token, async () => {
      await expect(options).toHaveText(['Service provider', 'Account'])
      await scope(page).selectOption('Service provider')
    })
    expect(first).toMatchObject({ scope: 'service_provider', service_provider_sid: tenant.service_provider_sid })
    // The narrowest scope and the only account are preselected.
    const second = await createAs(ofProvider.token)
    expect(second).toMatchObject({ scope: 'account', account_sid: tenant.account_sid, force_change: 1 })
    const third = await createAs(ofAccount.token, () => expect(scope(page)).toHaveCount(0))
    expect(third).toMatchObject({ scope: 'account', account_sid: tenant.account_sid })
  })

  test('keeps a choice that is made before the accounts are loaded, and preselects the only account', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { ofProvider } = await people(api, tenant)
    const answer = await hold(page, '**/ServiceProviders/*/Accounts*')
    await open('/internal/users/add', ofProvider.token)
    await scope(page).selectOption('Account')
    await page.getByLabel('User name').fill('early')
    await expect(account(page)).toBeVisible()
    answer()
    await expect(account(page).locator('option:checked')).toHaveText(tenant.accountName)
    await expect(scope(page).locator('option:checked')).toHaveText('Account')
    await expect(page.getByLabel('User name')).toHaveValue('early')
  })

  test("USERS-15 shows 'Cannot create an account. Service Provider has no accounts.' for the account scope without accounts", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await api.send('DELETE', `/Accounts/${tenant.account_sid}`)
    await open('/internal/users/add')
    await fill(page, 'nobody')
    await expect(scope(page).locator('option:checked')).toHaveText('Service provider')
    await scope(page).selectOption('Account')
    const text = 'Cannot create an account. Service Provider has no accounts.'
    await expect(page.getByText(text)).toBeVisible()
    await expect(account(page)).toBeDisabled()
    let posts = 0
    page.on('request', (request) => void (posts += Number(request.method() === 'POST')))
    await save(page).click()
    await expect(page.getByText(text)).toBeVisible()
    await expect(unsavedChanges(page)).toBeVisible()
    expect(posts).toBe(0)
  })

  test("USERS-16 COMMON-62 requires mandatory fields, and shows 'Invalid password.' with the unmet requirements of the policy", async ({
    page,
    open,
  }) => {
    await page.route('**/PasswordSettings', (route) =>
      route.fulfill({ json: { min_password_length: 9, require_digit: 1, require_special_character: 1 } }),
    )
    await open('/internal/users/add')
    await scope(page).selectOption('Admin')
    await save(page).click()
    for (const text of ['Enter a name', 'Enter an email address', 'Enter a temporary password'])
      await expect(page.getByText(text, { exact: true })).toBeVisible()
    await expect(page.getByLabel('User name')).toBeFocused()
    await fill(page, 'somebody', 'abcdefgh1')
    await save(page).click()
    const password = page.getByLabel('Temporary password')
    await expect(password).toBeFocused()
    await expect(password).toHaveAccessibleDescription(
      /Be at least 9 characters long \(met\).*number \(met\).*special character \(not met\).*Invalid password\.$/,
    )
    await password.pressSequentially('!')
    await expect(password).not.toHaveAccessibleDescription(/Invalid password|not met/)
  })

  test('shows a duplicate name at its field, keeps the typed text, and rejects a common password', async ({
    page,
    api,
    open,
  }) => {
    const { name } = await api.person()
    await open('/internal/users/add')
    await scope(page).selectOption('Admin')
    await fill(page, name)
    await save(page).click()
    await expect(page.getByLabel('User name')).toHaveAccessibleDescription('Another user has this name.')
    await expect(notice(page, 'invalid username or email')).toBeVisible()
    await expect(page.getByLabel('User name')).toHaveValue(name)
    await fill(page, `${name}-2`, 'baseball')
    await save(page).click()
    const password = page.getByLabel('Temporary password')
    await expect(password).toHaveAccessibleDescription(/password is too common/)
    await password.fill('Not-so-common-1')
    await save(page).click()
    await expectToast(page, 'User created successfully')
  })
})

test.describe('editing', () => {
  test("USERS-09 USERS-19 COMMON-22 COMMON-24 NAV-16 shows the user, sends only changes, and shows 'User updated successfully'", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { service_provider_sid, account_sid, accountName } = tenant
    const beside = await api.account(service_provider_sid, { name: 'Beside' })
    const user = await api.person({ service_provider_sid, account_sid, is_view_only: true, force_change: true })
    await open(`/internal/users/${user.user_sid}/edit`)
    await expect(heading(page, user.name)).toBeVisible()
    await expect(page.getByLabel('User name')).toHaveValue(user.name)
    await expect(page.getByLabel('User email')).toHaveValue(`${user.name}@example.org`)
    await expect(scope(page).locator('option:checked')).toHaveText('Account')
    await expect(account(page).locator('option:checked')).toHaveText(accountName)
    await expect(page.getByLabel('Temporary password')).toHaveValue('')
    await expect(page.getByLabel('Force change of password')).toBeChecked()
    await expect(page.getByLabel('User is active')).toBeChecked()
    await expect(page.getByLabel('View-only User')).toBeChecked()
    await account(page).selectOption('Beside')
    await page.getByLabel('User is active').uncheck()
    const saveRequest = page.waitForRequest((request) => request.method() === 'PUT')
    await save(page).click()
    expect((await saveRequest).postDataJSON()).toEqual({ account_sid: beside, is_active: false, is_view_only: true })
    await expect(notice(page, 'User updated successfully')).toBeVisible()
    await expect(row(page, user.name)).toContainText('Account: Beside')
    await expect(row(page, user.name)).toContainText('Inactive')
    expect(await fetchUser(api, user.user_sid)).toMatchObject({ account_sid: beside, is_active: 0, is_view_only: true })
  })

  test('extends the scope of a user as an admin, and shows it in words in the audit trail', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { service_provider_sid, account_sid } = tenant
    const user = await api.person({ account_sid, service_provider_sid })
    await open(`/internal/users/${user.user_sid}/edit`)
    await expect(scope(page).getByRole('option')).toHaveText(['Admin', 'Service provider', 'Account'])
    await scope(page).selectOption('Service provider')
    await save(page).click()
    await expect(row(page, user.name)).toContainText('Service Provider: ')
    expect(await fetchUser(api, user.user_sid)).toMatchObject({ scope: 'service_provider', account_sid: null })
    await page.goto(`/internal/users/${user.user_sid}/edit`)
    await page.getByRole('tab', { name: 'History' }).click()
    const lastChange = page.getByRole('list', { name: 'History' }).getByRole('listitem').first()
    await expect(lastChange).toContainText(/Role.*account user.*provider user/)
  })

  test('edits admins and provider users, lowers their scope, and sends nothing without a change', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { service_provider_sid, account_sid } = tenant
    const admin = await api.person()
    const ofProvider = await api.person({ service_provider_sid })
    let puts = 0
    page.on('request', (request) => void (puts += Number(request.method() === 'PUT')))
    await open(`/internal/users/${admin.user_sid}/edit`)
    await expect(page.getByLabel('User name')).toHaveValue(admin.name)
    await save(page).click()
    await expect(page).toHaveURL(/\/internal\/users$/)
    expect(puts).toBe(0)
    await page.goto(`/internal/users/${admin.user_sid}/edit`)
    await page.getByLabel('User name').fill(`${admin.name}-2`)
    await save(page).click()
    await expect(row(page, `${admin.name}-2`)).toContainText('All')
    await page.goto(`/internal/users/${ofProvider.user_sid}/edit`)
    await scope(page).selectOption('Account')
    await account(page).selectOption(tenant.accountName)
    await save(page).click()
    await expect(row(page, ofProvider.name)).toContainText(`Account: ${tenant.accountName}`)
    expect(await fetchUser(api, ofProvider.user_sid)).toMatchObject({
      scope: 'account',
      account_sid,
      service_provider_sid,
    })
  })

  test('signs out a user with a new temporary password, who must change it at the next sign-in', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { ofAccount, ofProvider } = await people(api, tenant)
    await open(`/internal/users/${ofAccount.user_sid}/edit`, ofProvider.token)
    await page.getByLabel('Temporary password').fill('For-today-1')
    const force = page.getByLabel('Force change of password')
    await expect(force).toBeChecked()
    // The administrator can say otherwise, and an empty field restores the stored value.
    await force.uncheck()
    await page.getByLabel('Temporary password').fill('For-today-2')
    await expect(force).not.toBeChecked()
    await page.getByLabel('Temporary password').fill('')
    await expect(force).not.toBeChecked()
    await page.getByLabel('Temporary password').fill('For-today-1')
    await expect(force).toBeChecked()
    await save(page).click()
    await expect(notice(page, 'User updated successfully')).toBeVisible()
    expect((await api.send('GET', '/Users/me', undefined, ofAccount.token)).status).toBe(401)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await typeSignIn(page, ofAccount.name, 'For-today-1')
    await expect(heading(page, 'Create password')).toBeVisible()
  })

  test('USERS-10 NAV-50 opens the own user from the user box, and requires the old password for a change', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { ofProvider, ofAccount } = await people(api, tenant)
    const userBox = (name: string) =>
      page.getByRole('complementary', { name: 'Console' }).getByRole('link', { name: new RegExp(`^${name} ?Scope`) })
    await open('/internal/recent-calls')
    await expect(userBox('admin')).toHaveText('adminScope: Admin')
    await open('/internal/recent-calls', ofProvider.token)
    await expect(userBox(ofProvider.name)).toHaveText(`${ofProvider.name}Scope: Service provider`)
    await open('/internal/recent-calls', ofAccount.token)
    await expect(userBox(ofAccount.name)).toHaveText(`${ofAccount.name}Scope: Account`)
    await userBox(ofAccount.name).click()
    await expect(page).toHaveURL(new RegExp(`/internal/users/${ofAccount.user_sid}/edit$`))
    await expect(page.getByLabel('User name')).toHaveValue(ofAccount.name)
    await expect(page.getByLabel('Temporary password')).toHaveCount(0)
    await page.getByRole('button', { name: 'Change password' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change password' })
    const change = async (old: string, chosen: string, again = chosen) => {
      await dialog.getByLabel('Old password').fill(old)
      await dialog.getByLabel('New password', { exact: true }).fill(chosen)
      await dialog.getByLabel('Confirm new password').fill(again)
      await dialog.getByRole('button', { name: 'Change password' }).click()
    }
    await change(ofAccount.password, 'abc', 'abd')
    await expect(dialog.getByLabel('New password', { exact: true })).toHaveAccessibleDescription(/Invalid password\.$/)
    await expect(dialog.getByLabel('Confirm new password')).toHaveAccessibleDescription('Passwords do not match')
    await change('not the old one', 'Another-1')
    await expect(dialog.getByLabel('Old password')).toHaveAccessibleDescription('The old password was not accepted')
    const saveRequest = page.waitForRequest((request) => request.method() === 'PUT')
    await change(ofAccount.password, 'Another-1')
    expect((await saveRequest).postDataJSON()).toEqual({ old_password: ofAccount.password, new_password: 'Another-1' })
    await expect(notice(page, 'User updated successfully')).toBeVisible()
    await expect(dialog).toHaveCount(0)
    expect((await api.send('GET', '/Users/me', undefined, ofAccount.token)).status).toBe(200)
    expect(await api.signIn(ofAccount.name, 'Another-1')).toMatch(/^ey/)
  })

  test('updates the user box after a change of the own name', async ({ page, api, tenant, open }) => {
    const { ofProvider } = await people(api, tenant)
    await open(`/internal/users/${ofProvider.user_sid}/edit`, ofProvider.token)
    await page.getByLabel('User name').fill(`${ofProvider.name}-2`)
    await save(page).click()
    const box = page.getByRole('complementary', { name: 'Console' }).getByRole('link', { name: `${ofProvider.name}-2` })
    await expect(box).toBeVisible()
  })

  test('COMMON-23 ROLES-16 redirects to the list for a user of another tenant', async ({ page, api, tenant, open }) => {
    const { ofProvider, ofAccount, elsewhere } = await people(api, tenant)
    for (const [token, other] of [
      [ofProvider.token, elsewhere],
      [ofAccount.token, ofProvider],
    ] as const) {
      await open(`/internal/users/${other.user_sid}/edit`, token)
      await expect(notice(page, 'You do not have access to this resource')).toBeVisible()
      await expect(page).toHaveURL(/\/internal\/users$/)
    }
  })

  test('lets view-only users read all users, and change only their own password', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { service_provider_sid } = tenant
    const { ofAccount } = await people(api, tenant)
    const viewer = await api.person({ service_provider_sid, is_view_only: true })
    await open('/internal/users', viewer.token)
    await expect(page.getByRole('button', { name: 'Add user' })).toHaveAttribute('aria-disabled', 'true')
    const remove = page.getByRole('button', { name: `Delete ${ofAccount.name}` })
    await expect(remove).toHaveAttribute('aria-disabled', 'true')
    await page.getByRole('link', { name: ofAccount.name, exact: true }).click()
    await expect(page.getByLabel('User name')).toHaveAttribute('readonly')
    await expect(page.getByLabel('User is active')).toBeDisabled()
    for (const name of ['Save', 'Delete user', 'Change password'])
      await expect(page.getByRole('button', { name })).toHaveCount(0)
    await page.getByRole('complementary', { name: 'Console' }).getByRole('link', { name: viewer.name }).click()
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByLabel('Old password').fill(viewer.password)
    await page.getByLabel('New password', { exact: true }).fill('Another-1')
    await page.getByLabel('Confirm new password').fill('Another-1')
    await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click()
    await expect(notice(page, 'User updated successfully')).toBeVisible()
    expect(await fetchUser(api, viewer.user_sid)).toMatchObject({ is_view_only: true })
  })
})

test("AUTH-25 shows 'CAPSLOCK is enabled!' at every password field while caps lock is on", async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { ofAccount, ofProvider } = await people(api, tenant)
  const hooks = { registration_hook: 'Registration', queue_event_hook: 'Queue event' }
  const withHooks = async () => {
    for (const title of Object.values(hooks))
      await page.getByLabel(`Use HTTP basic authentication for the ${title.toLowerCase()} webhook`).check()
  }
  const restrictedUser = await api.person({ service_provider_sid: tenant.service_provider_sid, force_change: true })
  const places: [fields: number, enter: () => Promise<unknown>][] = [
    [1, () => page.goto('/')],
    [2, () => typeSignIn(page, restrictedUser.name, restrictedUser.password)],
    [2, () => open('/internal/accounts/add').then(withHooks)],
    [2, () => open(`/internal/accounts/${tenant.account_sid}/edit`).then(withHooks)],
    [1, () => open('/internal/users/add')],
    [1, () => open(`/internal/users/${ofAccount.user_sid}/edit`)],
    [
      3,
      async () => {
        await open(`/internal/users/${ofProvider.user_sid}/edit`, ofProvider.token)
        await page.getByRole('button', { name: 'Change password' }).click()
      },
    ],
  ]
  const fields = page.locator('input[type=password]')
  for (const [count, enter] of places) {
    await enter()
    await expect(fields).toHaveCount(count)
    for (const field of await fields.all()) {
      await field.focus()
      await field.evaluate((input) =>
        input.dispatchEvent(new KeyboardEvent('keydown', { key: 'A', bubbles: true, modifierCapsLock: true })),
      )
      await expect(page.getByText('CAPSLOCK is enabled!')).toBeVisible()
      await field.blur()
      await expect(page.getByText('CAPSLOCK is enabled!')).toHaveCount(0)
    }
  }
})
