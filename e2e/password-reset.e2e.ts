import type { MailServer } from '@patchbay/testkit/fakes/mail-server'
import { freePort } from '@patchbay/testkit/servers/ports'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import type { APIRequestContext, Page } from '@playwright/test'
import { test as base } from './support/mails.ts'
import { typeSignIn } from './support/sign-in.ts'
import { expect } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Password reset from the link on the sign-in screen, with a real mail, to signing in with the new password. */

interface Switched {
  switched: RunningServer
}

const first = 'Adm1n-of-the-reset'
const annsPassword = 'Ann-of-the-reset-1'

const test = base.extend<object, Switched>({
  switched: [
    async ({ mails, playwright }, use) => {
      const PORT = String(await freePort())
      const PUBLIC_URL = `http://127.0.0.1:${PORT}`
      const mail = { SMTP_URL: mails.url, MAIL_FROM: 'Patchbay <no-reply@example.org>' }
      const server = await startServer({ PORT, PUBLIC_URL, ENABLE_FORGOT_PASSWORD: 'true', ...mail })
      const api = await playwright.request.newContext({ baseURL: `${server.url}/api/v1/` })
      const login = await api.post('login', { data: { username: 'admin', password: server.firstPassword } })
      const { token, user_sid } = await login.json()
      const headers = { authorization: `Bearer ${token}` }
      const password = { old_password: server.firstPassword, new_password: first }
      await api.put(`Users/${user_sid}`, { headers, data: password })
      const admin = { email: 'admin@example.org', old_password: first }
      await api.put(`Users/${user_sid}`, { headers, data: admin })
      const someone = { name: 'ann', email: 'ann@example.org', initial_password: annsPassword }
      await api.post('Users', { headers, data: someone })
      await use(server)
      await api.dispose()
      await server.stop()
    },
    { scope: 'worker' },
  ],
})

const askForLink = async (page: Page, email: string) => {
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send me a reset password link' }).click()
  await expectToast(
    page,
    'A password reset email has been sent to your email. Please check your inbox (and, possibly, spam folder) and follow the instructions to reset your password.',
  )
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
}

const fill = async (page: Page, password: string, confirmation = password) => {
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('Confirm new password').fill(confirmation)
  await page.getByRole('button', { name: 'Save' }).click()
}

/** Requests a mail through the API and returns its link. */
const requestLink = async (request: APIRequestContext, { switched, mails }: Switched & { mails: MailServer }) => {
  await request.post(`${switched.url}/api/v1/forgot-password`, { data: { email: 'admin@example.org' } })
  const [url = '', id = ''] = /http:\S+\/reset-password\/(\S+)/.exec((await mails.next()).text) ?? []
  return { url, id }
}

test('AUTH-04 RESET-01 RESET-04 requests a reset mail from the sign-in screen, and sends none to an unknown address', async ({
  page,
  mails,
  switched,
}) => {
  await page.goto(switched.url)
  await page.getByRole('link', { name: 'Forgot Password' }).click()
  await expect(page.getByRole('heading', { name: 'Forgot Password' })).toBeVisible()
  await page.getByRole('button', { name: 'Send me a reset password link' }).click()
  await expect(page.getByText('Enter an email address', { exact: true })).toBeVisible()
  const before = mails.received.length
  // The response for an unknown address is the same, but no mail is sent.
  await askForLink(page, 'nobody@example.org')
  await page.getByRole('link', { name: 'Forgot Password' }).click()
  await askForLink(page, 'admin@example.org')
  const mail = await mails.next()
  expect([mails.received.length, mail.to]).toEqual([before + 1, ['admin@example.org']])
})

test('RESET-05 RESET-06 RESET-09 RESET-10 RESET-11 exchanges the link on load, and shows the errors of a password', async ({
  page,
  request,
  mails,
  switched,
}) => {
  const { url, id } = await requestLink(request, { mails, switched })
  const validated = page.waitForRequest((candidate) => candidate.url().endsWith('/signin'))
  await page.goto(url)
  expect((await validated).postDataJSON()).toEqual({ link: id })
  await expect(page.getByRole('heading', { name: 'Reset Password' })).toBeVisible()
  await fill(page, 'abcde')
  const tooShort = page.getByText('The password must be at least 7 characters long.')
  await expect(tooShort).toBeVisible()
  // The message goes as soon as its field is corrected.
  await page.getByLabel('New password', { exact: true }).fill('abcd')
  await expect(tooShort).toBeVisible()
  await page.getByLabel('New password', { exact: true }).fill('abcdef')
  await expect(tooShort).toHaveCount(0)
  await fill(page, 'New-pass-1', 'another')
  const different =
    'The confirmation password does not match the new password. Please ensure both passwords are identical.'
  await expect(page.getByText(different)).toBeVisible()
  await page.getByLabel('Confirm new password').fill('New-pass-1')
  await expect(page.getByText(different)).toHaveCount(0)
  // The password is sent anyway. The server rejects it as too common, and the page stays open.
  await fill(page, '123456')
  await expect(page.getByText('Password must contain a letter.')).toBeVisible()
  await expectToast(page, 'password is too common')
})

test("RESET-07 RESET-08 sets the new password, shows 'New password was successfully set.', and accepts the password for signing in", async ({
  page,
  request,
  mails,
  switched,
}) => {
  // The link also ends the session of another user in this browser.
  await page.goto(switched.url)
  await typeSignIn(page, 'ann', annsPassword)
  await expect(page).toHaveURL(/internal/)
  const { url, id } = await requestLink(request, { mails, switched })
  await page.goto(url)
  const changed = page.waitForRequest((candidate) => candidate.url().endsWith('/change-password'))
  await fill(page, '73519408')
  expect((await changed).postDataJSON()).toEqual({ old_password: id, new_password: '73519408' })
  await expectToast(page, 'New password was successfully set.')
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull()
  await typeSignIn(page, 'admin', '73519408')
  await expect(page).toHaveURL(/internal/)

  // The link is valid once, also for a signed-in user.
  await page.goto(url)
  await expectToast(page, 'Forbidden')
  await page.getByRole('link', { name: 'Request another one' }).waitFor()
})

test('requires the current password for a change of one’s own email address if reset mails are enabled', async ({
  page,
  switched,
}) => {
  await page.goto(switched.url)
  await typeSignIn(page, 'ann', annsPassword)
  await page.getByRole('complementary', { name: 'Console' }).getByRole('link', { name: 'ann' }).click()
  const email = page.getByLabel('User email')
  const password = page.getByLabel('Current password')
  const save = page.getByRole('button', { name: 'Save' })
  await expect(email).toHaveValue('ann@example.org')
  await expect(password).toHaveCount(0)
  await email.fill('ann@example.net')
  await save.click()
  await expect(password).toHaveAccessibleDescription(/Enter your current password$/)
  await password.fill('not the password')
  await save.click()
  await expect(password).toHaveAccessibleDescription(/The password was not accepted$/)
  await password.fill(annsPassword)
  const saveRequest = page.waitForRequest((request) => request.method() === 'PUT')
  await save.click()
  expect((await saveRequest).postDataJSON()).toMatchObject({ email: 'ann@example.net', old_password: annsPassword })
  await expectToast(page, 'User updated successfully')
})

test('NAV-07 NAV-08 COMMON-10 has a link and both screens if switched on', async ({ page, switched }) => {
  await page.goto(switched.url)
  await expect(page.getByRole('link', { name: 'Forgot Password' })).toBeVisible()
  for (const [path, name] of [
    ['/forgot-password', 'Forgot Password'],
    ['/reset-password/some-link', 'Reset Password'],
  ] as const) {
    await page.goto(switched.url + path)
    await expect(page.getByRole('heading', { name })).toBeVisible()
  }
})

test('AUTH-04 NAV-07 NAV-08 COMMON-10 has neither link nor screens if switched off', async ({ page, server }) => {
  await page.goto(server.url)
  await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Forgot Password' })).toHaveCount(0)
  for (const path of ['/forgot-password', '/reset-password/some-link']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { name: "That page doesn't exist." })).toBeVisible()
  }
})

test('invites a user by email, who chooses a password and signs in with the name on the page', async ({
  page,
  browser,
  mails,
  switched,
}) => {
  await page.goto(switched.url)
  await typeSignIn(page, 'ann', annsPassword)
  await expect(page).toHaveURL(/\/internal\//)
  await page.goto(`${switched.url}/internal/users/add`)
  await page.getByRole('combobox', { name: 'Scope', exact: true }).selectOption('Admin')
  await page.getByLabel('User name').fill('Invited Ida')
  await page.getByLabel('User email').fill('ida@example.org')
  await page.getByLabel('Send an invitation by email').check()
  await expect(page.getByLabel('Temporary password')).toHaveCount(0)
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'User created successfully')
  const mail = await mails.next()
  expect(mail.to).toEqual(['ida@example.org'])
  await page.getByRole('link', { name: /^Invited Ida/ }).click()
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await expectToast(page, 'A link was sent to ida@example.org')
  const [link = ''] = /http:\S+\/reset-password\/\S+/.exec((await mails.next()).text) ?? []
  const context = await browser.newContext()
  const guest = await context.newPage()
  await guest.goto(link)
  await expect(guest.getByLabel('Username')).toHaveValue('Invited Ida')
  await fill(guest, 'Chosen-by-ida-1')
  await expect(guest.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await typeSignIn(guest, 'Invited Ida', 'Chosen-by-ida-1')
  await expect(guest).toHaveURL(/\/internal\//)
  await context.close()
})
