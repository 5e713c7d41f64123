import { expect, test } from './support/test.ts'

/** A self-hosted installation without self-service registration. */

test('COMMON-11 NAV-09 NAV-10 NAV-11 NAV-12 has no screens of a hosted installation for any user', async ({
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

test('AUTH-03 AUTH-05 AUTH-06 NAV-13 NAV-53 offers only names and passwords on the sign-in page, and users in the menu', async ({
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

test('requests no data of hosted installations on the account screen', async ({
  page,
  open,
  api,
  tenant: { account_sid },
}) => {
  const { token } = await api.person({ account_sid })
  const requestedUrls: string[] = []
  page.on('request', (request) => requestedUrls.push(request.url()))
  await open(`/internal/accounts/${account_sid}/edit`, token)
  await expect(page.getByRole('textbox', { name: 'SIP realm' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Limits' })).toBeVisible()
  await expect(page.getByText('Your Subscription')).toHaveCount(0)
  expect(requestedUrls.filter((url) => /hosted|stripe|subscription|realm-box|Invoices|Prices/i.test(url))).toEqual([])
})
