import type { MailServer } from '@patchbay/testkit/fake-mail-server'
import { freePort } from '@patchbay/testkit/ports'
import { type RunningServer, startServer } from '@patchbay/testkit/server-process'
import type { APIRequestContext, Page } from '@playwright/test'
import { typeSignIn } from './support/sign-in.ts'
import { test as base } from './support/mails.ts'
import { expect } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** A forgotten password: from the link on the sign-in screen, by a real mail, to signing in with the new one. */

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

/** The link of a mail that was asked for beside the console. */
const linkOf = async (request: APIRequestContext, { switched, mails }: Switched & { mails: MailServer }) => {
  await request.post(`${switched.url}/api/v1/forgot-password`, { data: { email: 'admin@example.org' } })
  const [url = '', id = ''] = /http:\S+\/reset-password\/(\S+)/.exec((await mails.next()).text) ?? []
  return { url, id }
}

test('AUTH-04 RESET-01 RESET-04 the sign-in screen leads to where a mail is asked for, which an unknown address does not get', async ({
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
  // An unknown address looks the same, and gets nothing.
  await askForLink(page, 'nobody@example.org')
  await page.getByRole('link', { name: 'Forgot Password' }).click()
  await askForLink(page, 'admin@example.org')
  const mail = await mails.next()
  expect([mails.received.length, mail.to]).toEqual([before + 1, ['admin@example.org']])
})

test('RESET-05 RESET-06 RESET-09 RESET-10 RESET-11 the link is exchanged on load; what is wrong with a password shows', async ({
  page,
  request,
  mails,
  switched,
}) => {
  const { url, id } = await linkOf(request, { mails, switched })
  const validated = page.waitForRequest((sent) => sent.url().endsWith('/signin'))
  await page.goto(url)
  expect((await validated).postDataJSON()).toEqual({ link: id })
  await expect(page.getByRole('heading', { name: 'Reset Password' })).toBeVisible()
  await fill(page, 'abcde')
  await expect(page.getByText('The password must be at least 7 characters long.')).toBeVisible()
  await fill(page, 'New-pass-1', 'another')
  const different =
    'The confirmation password does not match the new password. Please ensure both passwords are identical.'
  await expect(page.getByText(different)).toBeVisible()
  // It is sent all the same: the server refuses it for being common, and the page goes on.
  await fill(page, '123456')
  await expect(page.getByText('Password must contain a letter.')).toBeVisible()
  await expectToast(page, 'password is one of the commonest, which are guessed first')
})

test("RESET-07 RESET-08 the new password is set, 'New password was successfully set.' shows, and one signs in with it", async ({
  page,
  request,
  mails,
  switched,
}) => {
  const { url, id } = await linkOf(request, { mails, switched })
  await page.goto(url)
  const changed = page.waitForRequest((sent) => sent.url().endsWith('/change-password'))
  await fill(page, '73519408')
  expect((await changed).postDataJSON()).toEqual({ old_password: id, new_password: '73519408' })
  await expectToast(page, 'New password was successfully set.')
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull()
  await typeSignIn(page, 'admin', '73519408')
  await expect(page).toHaveURL(/internal/)

  // The link was good for once, also for one who is signed in.
  await page.goto(url)
  await expectToast(page, 'Forbidden')
  await page.getByRole('link', { name: 'Ask for another one' }).waitFor()
})

test('one’s own address, where links are mailed, wants the present password', async ({ page, switched }) => {
  await page.goto(switched.url)
  await typeSignIn(page, 'ann', annsPassword)
  await page.getByRole('complementary', { name: 'Console' }).getByRole('link', { name: 'ann' }).click()
  const email = page.getByLabel('User email')
  const password = page.getByLabel('Present password')
  const save = page.getByRole('button', { name: 'Save' })
  await expect(email).toHaveValue('ann@example.org')
  await expect(password).toHaveCount(0)
  await email.fill('ann@example.net')
  await save.click()
  await expect(password).toHaveAccessibleDescription(/Enter your present password$/)
  await password.fill('not the password')
  await save.click()
  await expect(password).toHaveAccessibleDescription(/The password was not accepted$/)
  await password.fill(annsPassword)
  const sent = page.waitForRequest((request) => request.method() === 'PUT')
  await save.click()
  expect((await sent).postDataJSON()).toMatchObject({ email: 'ann@example.net', old_password: annsPassword })
  await expectToast(page, 'User updated successfully')
})

test('NAV-07 NAV-08 COMMON-10 switched on there is a link, and both screens', async ({ page, switched }) => {
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

test('AUTH-04 NAV-07 NAV-08 COMMON-10 switched off there is no link and neither screen', async ({ page, server }) => {
  await page.goto(server.url)
  await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Forgot Password' })).toHaveCount(0)
  for (const path of ['/forgot-password', '/reset-password/some-link']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { name: "That page doesn't exist." })).toBeVisible()
  }
})
