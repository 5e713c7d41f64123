import { expectNoFindings, rulesFor, themes } from './support/axe.ts'
import { billingScreens, boughtQuantities, buys, expect, test } from './support/billing-fixtures.ts'
import { visitorsPassword } from './support/hosted-fixtures.ts'
import { makeGitHubUser } from './support/seed-database.ts'
import { expectToast } from './support/toasts.ts'

/** The account screen of a hosted installation, from the perspective of its users. */

test('ACCOUNTS-35 ACCOUNTS-38 ACCOUNTS-39 shows the plan and the missing setup steps of the account, with links to change them', async ({
  page,
  open,
  api,
  customer,
  till,
}) => {
  const { account_sid } = customer
  const screens = billingScreens(customer)
  await open(screens.account, customer.token)
  const plan = page.getByRole('region', { name: 'Your Subscription' })
  await expect(plan).toContainText('You are on the free plan, in your trial period.')
  await expect(plan).toContainText('5 simultaneous calls and 25 registered devices')
  await expect(plan).toContainText(/Your trial ends on [A-Z][a-z]{2} \d\d, \d{4}\./)
  await expect(plan.getByRole('link', { name: 'Upgrade to a Paid Subscription' })).toHaveAttribute(
    'href',
    screens.upgrade,
  )
  const setup = page.getByRole('region', { name: 'Finish Account Setup' })
  await expect(setup.getByRole('link')).toHaveText(['Choose a SIP realm', 'Add a carrier', 'Add a speech service'])
  // Settings of the operator are hidden.
  await expect(page.getByRole('region', { name: 'Limits' })).toHaveCount(0)
  await expect(page.getByRole('textbox', { name: 'SIP realm' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Change SIP Realm' })).toHaveAttribute(
    'href',
    `/internal/accounts/${account_sid}/sip-realm/edit`,
  )
  for (const colorScheme of themes)
    for (const width of [1440, 390] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 900 })
      await expectNoFindings(page, `hosted account ${colorScheme} ${width}`, { rules: rulesFor(colorScheme, width) })
    }

  const speech = { vendor: 'deepgram', api_key: 'k3y-of-a-visitor', use_for_tts: 0, use_for_stt: 1 }
  const created = await api.send('POST', `/Accounts/${account_sid}/SpeechCredentials`, speech, customer.token)
  expect(created.status).toBe(201)
  await buys(api, till, customer, 5)
  await open(screens.account, customer.token)
  await expect(setup.getByRole('link')).toHaveText(['Choose a SIP realm', 'Add a carrier'])
  await expect(plan).toContainText(/You will be billed \$50\.00 on [A-Z][a-z]{2} \d\d, \d{4}\./)
  await expect(plan.getByRole('link', { name: 'Manage Payment Info' })).toHaveAttribute('href', screens.payment)
  await expect(plan.getByRole('link', { name: 'Modify My Subscription' })).toHaveAttribute('href', screens.modify)

  // An operator sees the settings in addition to the plan.
  await open(screens.account)
  await expect(page.getByRole('textbox', { name: 'SIP realm' })).toBeVisible()
  await expect(plan).toHaveCount(0)
})

test('ACCOUNTS-41 ACCOUNTS-42 ACCOUNTS-43 lets a user delete the own account with a message and the password, and signs the user out', async ({
  page,
  open,
  api,
  customer,
  till,
}) => {
  await buys(api, till, customer, 5)
  const { account_sid } = customer
  const deletionBodies: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'DELETE') deletionBodies.push(request.postDataJSON())
  })
  await open(billingScreens(customer).account, customer.token)
  await page.getByRole('button', { name: 'Delete Account' }).click()
  const form = page.getByRole('form', { name: 'Delete Account' })
  const message = form.getByLabel('Delete Message')
  const really = form.getByRole('button', { name: 'PERMANENTLY DELETE MY ACCOUNT' })
  await expect(message).toBeFocused()
  // The rows of the trial and of the paid plan are one subscription.
  await expect(form).toContainText(/1 user, 3 applications, 1 subscription\b/)
  await expect(form).not.toContainText('2 subscriptions')
  await expectNoFindings(page, 'delete account')
  await really.click()
  await expect(form.getByText('Enter your password')).toBeVisible()
  for (const typed of ['', 'Delete my account', 'delete my account ']) {
    await message.fill(typed)
    await really.click()
    await expect(
      form.getByText('You must type the delete message correctly in order to delete your account.'),
    ).toBeVisible()
  }
  await form.getByRole('button', { name: 'Cancel' }).click()
  await expect(form).toHaveCount(0)
  await page.getByRole('button', { name: 'Delete Account' }).click()
  await message.fill('delete my account')
  await form.getByLabel('Password', { exact: true }).fill('not-the-passw0rd')
  await really.click()
  await expect(form.getByText('The password is wrong')).toBeVisible()
  expect(await boughtQuantities(api, customer)).toMatchObject({ plan: 'paid' })
  await form.getByLabel('Password', { exact: true }).fill(visitorsPassword)
  await really.click()
  await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible()
  await expect(page).toHaveURL(/\/(\?|$)/)
  expect(deletionBodies).toEqual([{ password: 'not-the-passw0rd' }, { password: visitorsPassword }])
  expect((await api.send('GET', `/Accounts/${account_sid}`)).status).toBe(404)
  expect([...till.stripe.state.subscriptions.values()].at(-1)?.status).toBe('canceled')
})

test('lists what a user without a password must delete before the own account', async ({
  page,
  open,
  api,
  customer,
  server,
}) => {
  const { account_sid, user_sid } = customer
  makeGitHubUser(server, user_sid)
  await open(billingScreens(customer).account, customer.token)
  await page.getByRole('button', { name: 'Delete Account' }).click()
  await expect(page.getByRole('list', { name: '3 applications' }).getByRole('listitem')).toHaveCount(3)
  await expectNoFindings(page, 'what blocks the deletion of the own account')
  await expect(page.getByRole('form', { name: 'Delete Account' })).toHaveCount(0)
  const { body: applications } = await api.send(
    'GET',
    `/Accounts/${account_sid}/Applications`,
    undefined,
    customer.token,
  )
  for (const { application_sid } of applications)
    await api.send('DELETE', `/Applications/${application_sid}`, undefined, customer.token)
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Delete Account' }).click()
  await page.getByLabel('Delete Message').fill('delete my account')
  await page.getByRole('button', { name: 'PERMANENTLY DELETE MY ACCOUNT' }).click()
  await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible()
  expect((await api.send('GET', `/Accounts/${account_sid}`)).status).toBe(404)
})

test('reports a failed deletion and keeps the account', async ({ page, open, api, customer }) => {
  const { account_sid } = customer
  await page.route(`**/Accounts/${account_sid}`, (route) =>
    route.request().method() === 'DELETE'
      ? route.fulfill({ status: 500, json: { msg: 'not today' } })
      : route.fallback(),
  )
  await open(billingScreens(customer).account, customer.token)
  await page.getByRole('button', { name: 'Delete Account' }).click()
  await page.getByLabel('Delete Message').fill('delete my account')
  await page.getByLabel('Password', { exact: true }).fill(visitorsPassword)
  await page.getByRole('button', { name: 'PERMANENTLY DELETE MY ACCOUNT' }).click()
  await expectToast(page, 'not today')
  await expect(page.getByLabel('Delete Message')).toHaveValue('delete my account')
  const viewer = await api.person({ account_sid, is_view_only: true })
  await open(billingScreens(customer).account, viewer.token)
  await expect(page.getByRole('button', { name: 'Delete Account' })).toHaveAttribute('aria-disabled', 'true')
})
