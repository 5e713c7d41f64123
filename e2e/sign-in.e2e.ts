import type { Page } from '@playwright/test'
import { randomUUID } from 'node:crypto'
import { beginForcedChange, typeSignIn } from './support/sign-in.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key)

test('AUTH-01 NAV-05 the sign-in page shows username, password and an error area', async ({ page, server }) => {
  await page.goto(server.url)
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await expect(page.getByLabel('Username')).toBeVisible()
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Enter your username and password' })).toBeVisible()
})

test('COMMON-02 self-hosted: username and password only, no Google, no GitHub, no register link', async ({
  page,
  server,
}) => {
  await page.goto(server.url)
  await expect(page.getByLabel('Username')).toBeVisible()
  await expect(page.getByText(/google|github|register/i)).toHaveCount(0)
})

test("AUTH-02 the password field shows 'CAPSLOCK is enabled!' while caps lock is on", async ({ page, server }) => {
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

test('AUTH-07 AUTH-11 signing in stores the token, later calls carry it, and an admin goes to the accounts list', async ({
  page,
  api,
}) => {
  const { name, password } = await api.person()
  await page.goto(api.url)
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  const asked = page.waitForRequest((request) => request.url().endsWith('/Users/me'))
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page).toHaveURL(/\/internal\/accounts$/)
  const token = await stored(page, 'token')
  expect(token).toMatch(/^ey/)
  expect((await asked).headers()['authorization']).toBe(`Bearer ${token}`)
})

test('AUTH-11 a service-provider user goes to the accounts list', async ({ page, api, tenant }) => {
  const { name, password } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await page.goto(api.url)
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/internal\/accounts$/)
})

test('AUTH-12 an account user goes to the edit page of the own account', async ({ page, api, tenant }) => {
  const { account_sid, service_provider_sid } = tenant
  const { name, password } = await api.person({ account_sid, service_provider_sid })
  await page.goto(api.url)
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/internal/accounts/${account_sid}/edit$`))
})

test("AUTH-13 wrong credentials show 'Login credentials are incorrect', and the user stays", async ({ page, api }) => {
  await page.goto(api.url)
  await typeSignIn(page, `nobody-${randomUUID()}`, 'wrong')
  await expect(page.getByRole('alert').getByText('Login credentials are incorrect')).toBeVisible()
  await expect(page).toHaveURL(`${api.url}/`)
  await expect(page.getByLabel('Username')).not.toHaveValue('')
})

test('AUTH-13 a lock-out says how long it lasts in a second line', async ({ page, api }) => {
  const name = `nobody-${randomUUID()}`
  for (let attempt = 0; attempt < 5; attempt += 1)
    await api.send('POST', '/login', { username: name, password: 'wrong' }, '')
  await page.goto(api.url)
  await typeSignIn(page, name, 'wrong')
  await expect(page.getByText('Login credentials are incorrect')).toBeVisible()
  await expect(page.getByText('Maximum login attempts reached. Please try again in 1800 seconds.')).toBeVisible()
})

test('AUTH-14 a server error shows a server-error message', async ({ page, api }) => {
  await page.route('**/login', (route) => route.fulfill({ status: 500, json: { msg: 'no matter' } }))
  await page.goto(api.url)
  await typeSignIn(page, 'a', 'b')
  await expect(page.getByText('The server cannot be reached')).toBeVisible()
})

test('AUTH-15 any other failure of signing in shows the generic message', async ({ page, api }) => {
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

  test('AUTH-10 NAV-06 COMMON-69 leads to /create-password, with user id and old password in session storage', async ({
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

  test("AUTH-18 AUTH-24 a confirmation that differs shows 'Passwords do not match'", async ({ page }) => {
    await fill(page, 'abcdef1!', 'abcdef1?')
    await expect(page.getByText('Passwords do not match')).toBeVisible()
  })

  test('AUTH-23 saving sends old and new password, and one goes on with the new one', async ({ page, tenant, api }) => {
    const sent = page.waitForRequest((request) => request.method() === 'PUT')
    const old = await page.evaluate(() => sessionStorage.getItem('SESS_OLD_PASSWORD'))
    const user_sid = await page.evaluate(() => sessionStorage.getItem('SESS_USER_SID'))
    const password = `New-${randomUUID()}`
    await fill(page, password)
    const request = await sent
    expect(request.url()).toContain(`/Users/${user_sid}`)
    expect(request.postDataJSON()).toEqual({ old_password: old, new_password: password })
    await expect(page).toHaveURL(new RegExp(`/internal/accounts/${tenant.account_sid}/edit$`))
    await expect(page.getByLabel('Account name')).toHaveValue(tenant.accountName)
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    const name = await page.locator('aside strong').textContent()
    expect(await api.signIn(name ?? '', password)).toMatch(/^ey/)
  })

  test('a refusal of the server stays on the page, and the change can be tried again', async ({ page }) => {
    await page.route('**/Users/*', (route) => route.fulfill({ status: 403, json: { msg: 'Forbidden' } }), { times: 1 })
    await fill(page, 'abcdef1!')
    await expect(page.getByText('Forbidden')).toBeVisible()
    await fill(page, 'abcdef1!')
    await expect(page).toHaveURL(/\/edit$/)
  })

  test('no other screen opens before the change', async ({ page }) => {
    await page.goto('/internal/recent-calls')
    await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  })
})

test.describe('with a strict policy', () => {
  test('AUTH-19 AUTH-20 AUTH-21 the faults of a password are listed', async ({ page, api, tenant }) => {
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

test('AUTH-26 signing out calls the server, clears what is stored and says "You\'ve successfully logged out."', async ({
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

test('AUTH-27 when signing out fails, everything is cleared and the user goes to sign-in all the same', async ({
  page,
  open,
}) => {
  await open('/internal/accounts')
  await page.route('**/logout', (route) => route.fulfill({ status: 500, json: { msg: 'broken' } }))
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  expect(await stored(page, 'token')).toBeNull()
})

test('signing out in one tab signs out the others', async ({ page, api, tenant, open, context }) => {
  const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await open('/internal/accounts', token)
  const other = await context.newPage()
  await other.goto('/internal/accounts')
  await expect(other.getByRole('heading', { name: 'Accounts' })).toBeVisible()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(other.getByRole('heading', { name: 'Log in' })).toBeVisible()
})
