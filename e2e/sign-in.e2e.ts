import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { beginForcedChange, typeSignIn } from './support/sign-in.ts'
import { fillStorage, listStored } from './support/stored-values.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key)

test('AUTH-01 NAV-05 has user name, password, and an error area', async ({ page, server }) => {
  await page.goto(server.url)
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await expect(page.getByLabel('Username')).toBeVisible()
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Enter your username and password' })).toBeVisible()
})

test('COMMON-02 has no Google, GitHub, and register links in a self-hosted installation', async ({ page, server }) => {
  await page.goto(server.url)
  await expect(page.getByLabel('Username')).toBeVisible()
  await expect(page.getByText(/google|github|register/i)).toHaveCount(0)
})

test("AUTH-02 shows 'CAPSLOCK is enabled!' at the password field while caps lock is on", async ({ page, server }) => {
  await page.goto(server.url)
  const password = page.getByLabel('Password', { exact: true })
  await password.focus()
  const type = (capsLock: boolean) =>
    password.evaluate(
      (input, modifierCapsLock) =>
        input.dispatchEvent(new KeyboardEvent('keydown', { key: 'A', bubbles: true, modifierCapsLock })),
      capsLock,
    )
  await type(true)
  await expect(page.getByText('CAPSLOCK is enabled!')).toBeVisible()
  await type(false)
  await expect(page.getByText('CAPSLOCK is enabled!')).toHaveCount(0)
})

test('AUTH-07 AUTH-11 stores the token, sends it with later requests, and opens the accounts for an admin', async ({
  page,
  api,
}) => {
  const { name, password } = await api.person()
  await page.goto(api.url)
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  const userRequest = page.waitForRequest((request) => request.url().endsWith('/Users/me'))
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page).toHaveURL(/\/internal\/accounts$/)
  const token = await stored(page, 'token')
  expect(token).toMatch(/^ey/)
  expect((await userRequest).headers()['authorization']).toBe(`Bearer ${token}`)
})

test('accepts a password whose accents another keyboard composes', async ({ page, api }) => {
  const { user_sid, name } = await api.person()
  const initial_password = 'Cafe\u0301-quartz-11'
  expect((await api.send('PUT', `/Users/${user_sid}`, { initial_password })).status).toBe(204)
  await page.goto(api.url)
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password', { exact: true }).fill('Caf\u00e9-quartz-11')
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page).toHaveURL(/\/internal\/accounts$/)
})

test('AUTH-11 opens the accounts for a provider user', async ({ page, api, tenant }) => {
  const { name, password } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await page.goto(api.url)
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/internal\/accounts$/)
})

test('AUTH-12 opens the own account for an account user', async ({ page, api, tenant }) => {
  const { account_sid, service_provider_sid } = tenant
  const { name, password } = await api.person({ account_sid, service_provider_sid })
  await page.goto(api.url)
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/internal/accounts/${account_sid}/edit$`))
})

test("AUTH-13 shows 'Login credentials are incorrect' for wrong credentials", async ({ page, api }) => {
  await page.goto(api.url)
  await typeSignIn(page, `nobody-${randomUUID()}`, 'wrong')
  await expect(page.getByRole('alert').getByText('Login credentials are incorrect')).toBeVisible()
  await expect(page).toHaveURL(`${api.url}/`)
  await expect(page.getByLabel('Username')).not.toHaveValue('')
})

test("AUTH-13 shows 'Login credentials are incorrect' for every status from 400 to 499, and stays on the page", async ({
  page,
  api,
}) => {
  let status = 0
  await page.route('**/login', (route) => route.fulfill({ status, json: { msg: 'no matter' } }))
  for (status of [400, 404, 422, 429, 499]) {
    await page.goto(api.url)
    await typeSignIn(page, 'a', 'b')
    await expect(page.getByRole('alert')).toContainText('Login credentials are incorrect')
    await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  }
})

test('AUTH-13 shows the duration of a lockout in a second line', async ({ page, api }) => {
  const name = `nobody-${randomUUID()}`
  for (let attempt = 0; attempt < 5; attempt += 1)
    await api.send('POST', '/login', { username: name, password: 'wrong' }, '')
  await page.goto(api.url)
  await typeSignIn(page, name, 'wrong')
  await expect(page.getByText('Login credentials are incorrect')).toBeVisible()
  await expect(page.getByText('Maximum login attempts reached. Please try again in 1800 seconds.')).toBeVisible()
})

test('AUTH-14 shows a message for a server error, and not that the server cannot be reached', async ({ page, api }) => {
  await page.route('**/login', (route) => route.fulfill({ status: 500, json: { msg: 'no matter' } }))
  await page.goto(api.url)
  await typeSignIn(page, 'a', 'b')
  await expect(page.getByRole('alert')).toContainText('Something went wrong, please try again')
  await expect(page.getByText('The server cannot be reached')).toHaveCount(0)
  await page.unroute('**/login')
  await page.route('**/login', (route) => route.abort())
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.getByRole('alert')).toContainText('The server cannot be reached')
})

test('AUTH-15 shows the generic message for any other failure', async ({ page, api }) => {
  await page.route('**/login', (route) => route.fulfill({ status: 502, body: 'bad gateway' }))
  await page.goto(api.url)
  await typeSignIn(page, 'a', 'b')
  await expect(page.getByText('Something went wrong, please try again')).toBeVisible()
})

test.describe('a forced change of password', () => {
  test.beforeEach(async ({ page, api, tenant }) => {
    const { password, user_sid } = await beginForcedChange(page, api, tenant)
    const session = await page.evaluate(() => Object.fromEntries(Object.entries(sessionStorage)))
    expect(session).toMatchObject({ SESS_USER_SID: user_sid, SESS_OLD_PASSWORD: password })
  })

  const fill = async (page: Page, password: string, confirmation = password) => {
    await page.getByLabel('New password', { exact: true }).fill(password)
    await page.getByLabel('Confirm new password').fill(confirmation)
    await page.getByRole('button', { name: 'Create password' }).click()
  }

  test('AUTH-10 NAV-06 COMMON-69 opens /create-password, with user ID and old password in the session storage', async ({
    page,
  }) => {
    await expect(page).toHaveURL(/\/create-password$/)
  })

  test('AUTH-16 AUTH-17 shows both fields, each warning while caps lock is on', async ({ page }) => {
    for (const label of ['New password', 'Confirm new password']) {
      const field = page.getByLabel(label, { exact: true })
      await field.focus()
      await field.evaluate((input) =>
        input.dispatchEvent(new KeyboardEvent('keydown', { key: 'A', bubbles: true, modifierCapsLock: true })),
      )
      await expect(page.getByText('CAPSLOCK is enabled!')).toBeVisible()
      await field.blur()
      await expect(page.getByText('CAPSLOCK is enabled!')).toHaveCount(0)
    }
  })

  test("AUTH-18 AUTH-24 shows 'Passwords do not match' for a different confirmation", async ({ page }) => {
    await fill(page, 'abcdef1!', 'abcdef1?')
    await expect(page.getByText('Passwords do not match')).toBeVisible()
    await page.getByLabel('Confirm new password').fill('abcdef1')
    await expect(page.getByText('Passwords do not match')).toBeVisible()
    await page.getByLabel('Confirm new password').fill('abcdef1!')
    await expect(page.getByText('Passwords do not match')).toHaveCount(0)
  })

  test('AUTH-23 sends the old and the new password, and continues with the new one', async ({ page, tenant, api }) => {
    const saveRequest = page.waitForRequest((request) => request.method() === 'PUT')
    const old = await page.evaluate(() => sessionStorage.getItem('SESS_OLD_PASSWORD'))
    const user_sid = await page.evaluate(() => sessionStorage.getItem('SESS_USER_SID'))
    const password = `New-${randomUUID()}`
    await fill(page, password)
    const request = await saveRequest
    expect(request.url()).toContain(`/Users/${user_sid}`)
    expect(request.postDataJSON()).toEqual({ old_password: old, new_password: password })
    await expect(page).toHaveURL(new RegExp(`/internal/accounts/${tenant.account_sid}/edit$`))
    await expect(page.getByLabel('Account name')).toHaveValue(tenant.accountName)
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    const name = await page.locator('aside strong').textContent()
    expect(await api.signIn(name ?? '', password)).toMatch(/^ey/)
  })

  test('shows a server error on the page, and allows another attempt', async ({ page }) => {
    await page.route('**/Users/*', (route) => route.fulfill({ status: 403, json: { msg: 'Forbidden' } }), { times: 1 })
    await fill(page, 'abcdef1!')
    await expect(page.getByText('Forbidden')).toBeVisible()
    await fill(page, 'abcdef1!')
    await expect(page).toHaveURL(/\/edit$/)
  })

  test('denies other screens before the change', async ({ page }) => {
    await page.goto('/internal/recent-calls')
    await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  })
})

test('asks for the current password in another tab of a user who must change it', async ({ page, api, tenant }) => {
  const { password } = await beginForcedChange(page, api, tenant)
  const tab = await page.context().newPage()
  await tab.goto(`${api.url}/internal/recent-calls`)
  await expect(tab).toHaveURL(/\/create-password$/)
  const current = tab.getByLabel('Current password')
  const chosen = `New-${randomUUID()}`
  await tab.getByLabel('New password', { exact: true }).fill(chosen)
  await tab.getByLabel('Confirm new password').fill(chosen)
  const submit = tab.getByRole('button', { name: 'Create password' })
  await submit.click()
  await expect(tab.getByRole('alert')).toContainText('Enter your current password')
  await current.fill('another password')
  await submit.click()
  await expect(tab.getByRole('alert')).toContainText('The current password was not accepted')
  // Leaving the page does not end the session of the other tab.
  await tab.reload()
  await expect(tab).toHaveURL(/\/create-password$/)
  await current.fill(password)
  await tab.getByLabel('New password', { exact: true }).fill(chosen)
  await tab.getByLabel('Confirm new password').fill(chosen)
  await submit.click()
  await expect(tab).toHaveURL(new RegExp(`/internal/accounts/${tenant.account_sid}/edit$`))
})

test('continues after the change although a request from before it is rejected later', async ({
  page,
  api,
  tenant,
}) => {
  const { password } = await beginForcedChange(page, api, tenant)
  const tab = await page.context().newPage()
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const early = `**/Accounts/${tenant.account_sid}`
  await tab.route(
    early,
    async (route) => {
      const response = await route.fetch()
      await released
      await route.fulfill({ response }).catch(() => undefined)
    },
    { times: 1 },
  )
  const rejected = tab.waitForRequest(early)
  await tab.goto(`${api.url}/internal/accounts/${tenant.account_sid}/edit`)
  await tab.getByLabel('Current password').fill(password)
  await rejected
  const chosen = `New-${randomUUID()}`
  await tab.getByLabel('New password', { exact: true }).fill(chosen)
  await tab.getByLabel('Confirm new password').fill(chosen)
  const saved = tab.waitForResponse((response) => response.request().method() === 'PUT' && response.ok())
  await tab.getByRole('button', { name: 'Create password' }).click()
  await saved
  release()
  await expect(tab.getByLabel('Account name')).toHaveValue(tenant.accountName)
  await expect(tab).toHaveURL(new RegExp(`/internal/accounts/${tenant.account_sid}/edit$`))
})

test('keeps the changes of a form when an administrator demands a new password', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { service_provider_sid, account_sid } = tenant
  const person = await api.person({ service_provider_sid, account_sid })
  const path = `/internal/accounts/${account_sid}/edit`
  await open(path, person.token)
  await page.getByLabel('Account name').fill('Draft')
  await api.send('PUT', `/Users/${person.user_sid}`, { force_change: true })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page).toHaveURL(/\/create-password$/)
  await page.getByLabel('Current password').fill(person.password)
  const chosen = `New-${randomUUID()}`
  await page.getByLabel('New password', { exact: true }).fill(chosen)
  await page.getByLabel('Confirm new password').fill(chosen)
  await page.getByRole('button', { name: 'Create password' }).click()
  await expect(page).toHaveURL(new RegExp(`${path}$`))
  await expect(page.getByLabel('Account name')).toHaveValue('Draft')
})

test.describe('with a strict password policy', () => {
  test('AUTH-19 AUTH-20 AUTH-21 lists the unmet requirements of a password', async ({ page, api, tenant }) => {
    await page.route('**/PasswordSettings', (route) =>
      route.fulfill({ json: { min_password_length: 9, require_digit: 1, require_special_character: 1 } }),
    )
    const { name, password } = await api.person({
      service_provider_sid: tenant.service_provider_sid,
      force_change: true,
    })
    await page.goto(api.url)
    await typeSignIn(page, name, password)
    await page.getByLabel('New password', { exact: true }).fill('abc')
    await page.getByLabel('Confirm new password').fill('abc')
    await page.getByRole('button', { name: 'Create password' }).click()
    await expect(page.getByText('Password must:')).toBeVisible()
    await expect(page.getByRole('listitem')).toHaveText([
      'Be at least 9 characters long',
      'Contain at least one number',
      'Contain at least one special character',
    ])
  })
})

test('AUTH-26 calls the server when signing out, clears the storage, and says "You\'ve successfully logged out."', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await open('/internal/accounts', token)
  const answered = page.waitForResponse((response) => response.url().endsWith('/logout'))
  await page.getByRole('button', { name: 'Sign out' }).click()
  expect((await answered).status()).toBe(204)
  await expectToast(page, "You've successfully logged out.")
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([])
  expect((await api.send('GET', '/Users/me', undefined, token)).status).toBe(401)
})

test('AUTH-27 clears everything and shows the sign-in page even if signing out fails', async ({ page, open }) => {
  await open('/internal/accounts')
  await expect(page.getByRole('heading', { name: 'Accounts' })).toBeVisible()
  await fillStorage(page)
  await page.route('**/logout', (route) => route.fulfill({ status: 500, json: { msg: 'broken' } }))
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  expect(await listStored(page)).toEqual([])
})

test('signs out all tabs', async ({ page, api, tenant, open, context }) => {
  const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await open('/internal/accounts', token)
  const other = await context.newPage()
  await other.goto('/internal/accounts')
  await expect(other.getByRole('heading', { name: 'Accounts' })).toBeVisible()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(other.getByRole('heading', { name: 'Log in' })).toBeVisible()
})
