import { expect, test } from './support/test.ts'

/** An installation of one's own, which visitors do not register at. */

test('COMMON-11 NAV-09 NAV-10 NAV-11 NAV-12 it has none of the screens of a hosted one, for nobody', async ({
  page,
  open,
  tenant: { account_sid },
}) => {
  const outside = [
    '/register',
    '/register/email',
    '/register/email/verify-your-email',
    '/register/choose-a-subdomain',
    '/oauth-callback/google?code=1&state=2',
  ]
  for (const path of outside) {
    await page.goto(path)
    await expect(page.getByRole('heading', { name: "That page doesn't exist." })).toBeVisible()
  }
  for (const path of ['subscription', 'manage-payment', 'modify-subscription', 'sip-realm/edit']) {
    await open(`/internal/accounts/${account_sid}/${path}`)
    await expect(page.getByRole('heading', { name: "That page doesn't exist." })).toBeVisible()
  }
})

test('AUTH-03 AUTH-05 AUTH-06 NAV-13 NAV-53 its sign-in page offers names and passwords alone, its menu the users', async ({
  page,
  open,
}) => {
  const scripts: string[] = []
  page.on('request', (request) => scripts.push(request.url()))
  await page.goto('/')
  await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible()
  await expect(page.getByText('Register')).toBeHidden()
  await expect(page.getByText('Google')).toBeHidden()
  await expect(page.getByText('Github')).toBeHidden()
  await open('/internal/users')
  await expect(page.getByRole('navigation').getByRole('link', { name: 'Users' })).toBeVisible()
  expect(scripts.filter((url) => /hosted|register|stripe|oauth/i.test(url))).toEqual([])
})

test('the screen of an account asks for nothing of a hosted one', async ({
  page,
  open,
  api,
  tenant: { account_sid },
}) => {
  const { token } = await api.person({ account_sid })
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await open(`/internal/accounts/${account_sid}/edit`, token)
  await expect(page.getByRole('textbox', { name: 'SIP realm' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Limits' })).toBeVisible()
  await expect(page.getByText('Your Subscription')).toHaveCount(0)
  expect(asked.filter((url) => /hosted|stripe|subscription|realm-box|Invoices|Prices/i.test(url))).toEqual([])
})
