import { stripeKeys } from '@patchbay/testkit/fakes/stripe/request-checks'
import type { Page, Request } from '@playwright/test'
import { expectNoFindings, rulesFor, themes } from './support/axe.ts'
import { billingScreens, boughtQuantities, buys, expect, test, typeCard } from './support/billing-fixtures.ts'
import { hold } from './support/hold-requests.ts'
import { expectToast } from './support/toasts.ts'

/** Billing of a hosted installation, with a fake Stripe API. */

const processed =
  'Your requested changes are being processed. Please do not leave the page or hit the back button until complete.'

const pay = (page: Page, amount = '$50.00') =>
  page.getByRole('button', { name: `Pay ${amount} and Upgrade to Paid Plan` })

const calls = (page: Page) => page.getByRole('spinbutton', { name: 'Maximum concurrent call sessions' })
const devices = (page: Page) => page.getByRole('spinbutton', { name: 'Additional device registrations' })

/** Records all subscription requests. */
const recordOrders = (page: Page): Record<string, unknown>[] => {
  const orderBodies: Record<string, unknown>[] = []
  page.on('request', (request: Request) => {
    if (request.method() === 'POST' && request.url().endsWith('/Subscriptions'))
      orderBodies.push(request.postDataJSON())
  })
  return orderBodies
}

const look = async (page: Page, what: string) => {
  for (const colorScheme of themes)
    for (const width of [1440, 390] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 900 })
      const name = `${what}-${colorScheme}-${width}`
      await expectNoFindings(page, name, { rules: rulesFor(colorScheme, width) })
      const folder = process.env['PICTURES']
      if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
    }
  await page.setViewportSize({ width: 1440, height: 900 })
}

test('NAV-44 BILLING-01 BILLING-03 BILLING-15 BILLING-16 shows a trial customer the cost of the selected capacities', async ({
  page,
  open,
  customer,
  till: { script },
}) => {
  await open(billingScreens(customer).upgrade, customer.token)
  await expect(page.getByRole('heading', { name: 'Upgrade your Subscription', level: 1, exact: true })).toBeVisible()
  const table = page.getByRole('table', { name: 'Subscription' })
  await expect(table.getByRole('columnheader')).toHaveText(['Service', 'Capacity', 'Price', 'Cost'])
  await expect(table.getByRole('row')).toHaveCount(3)
  const line = table.getByRole('row', { name: /^Maximum concurrent call sessions/ })
  await expect(calls(page)).toHaveValue('5')
  await expect(line.getByRole('cell').nth(1)).toHaveText('$10.00 per session')
  await expect(line.getByRole('cell').nth(2)).toHaveText('$50.00')
  await expect(table.getByRole('row', { name: 'Total monthly cost' })).toContainText('$50.00')
  await expect(page.getByRole('heading', { name: 'Payment Information' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Cancel' })).toBeVisible()
  await expect(pay(page)).toBeVisible()

  // Stripe's form accepts only cards, for later charges.
  await expect(page.frameLocator('iframe').getByLabel('Card number')).toBeVisible()
  await expect
    .poll(() => script.elementsOptions.at(-1))
    .toMatchObject({
      mode: 'setup',
      currency: 'usd',
      paymentMethodCreation: 'manual',
      allowedPaymentMethodTypes: ['card'],
      kind: 'payment',
    })
  await look(page, 'upgrade')

  await calls(page).fill('7')
  await expect(line.getByRole('cell').nth(2)).toHaveText('$70.00')
  await expect(table.getByRole('row', { name: 'Total monthly cost' })).toContainText('$70.00')
  await expect(pay(page, '$70.00')).toBeVisible()
})

test('BILLING-04 BILLING-05 BILLING-06 BILLING-07 BILLING-08 adds devices on demand, and rejects invalid capacities', async ({
  page,
  open,
  customer,
}) => {
  const orderBodies = recordOrders(page)
  await open(billingScreens(customer).upgrade, customer.token)
  await expect(page.getByText('With 5 call sessions you can register 25 concurrent devices')).toBeVisible()
  await calls(page).fill('20')
  await expect(page.getByText('With 20 call sessions you can register 100 concurrent devices')).toBeVisible()
  await expect(devices(page)).toHaveCount(0)
  await expect(page.getByText('Would you like to purchase additional device registrations?')).toBeVisible()
  await page.getByRole('button', { name: 'Add device registrations' }).click()
  await expect(page.getByText('Would you like to purchase additional device registrations?')).toBeHidden()
  for (const [field, min, max] of [
    [calls(page), '5', '1000'],
    [devices(page), '0', '200'],
  ] as const) {
    await expect(field).toHaveAttribute('min', min)
    await expect(field).toHaveAttribute('max', max)
    await expect(field).toHaveAttribute('required')
  }
  await devices(page).fill('10')
  await expect(
    page.getByText('With 20 call sessions you can register 110 concurrent devices, including 10 additional'),
  ).toBeVisible()
  await expect(pay(page, '$220.00')).toBeVisible()

  await typeCard(page, '4242 4242 4242 4242')
  for (const [field, value] of [
    [calls(page), '4'],
    [calls(page), '1001'],
    [calls(page), ''],
    [devices(page), '201'],
  ] as const) {
    await calls(page).fill('20')
    await field.fill(value)
    await page.getByRole('button', { name: /^Pay/ }).click()
    await expect(field).toHaveAttribute('aria-invalid', 'true')
    await expect(field).toBeFocused()
  }
  expect(orderBodies).toEqual([])
})

test('COMMON-08 BILLING-11 BILLING-24 BILLING-25 BILLING-30 charges a valid card and activates the paid plan', async ({
  page,
  open,
  api,
  customer,
  till: { script },
}) => {
  // Stripe rejects requests of browsers with another key, and the console has no other source of it.
  const configuration = await (await page.request.get(`${api.url}/config.json`)).json()
  expect(configuration).toMatchObject({ hosting: { stripePublishableKey: stripeKeys.publishable } })
  const requestedUrls: string[] = []
  page.on('request', (request) => requestedUrls.push(request.url()))
  const screens = billingScreens(customer)
  await open(screens.account, customer.token)
  await page.getByRole('link', { name: 'Upgrade to a Paid Subscription' }).click()
  await expect(page).toHaveURL(screens.upgrade)
  // Stripe returns the unit label as `per session`.
  await expect(page.getByRole('cell', { name: '$10.00 per session', exact: true })).toBeVisible()
  await typeCard(page, '4242 4242 4242 4242')
  expect(requestedUrls.filter((url) => url.startsWith(script.origin))).toContain(script.url)
  const release = await hold(page, '**/Subscriptions')
  await pay(page).click()
  await expect(page.getByRole('dialog', { name: processed })).toBeVisible()
  release()
  await expect(page.getByText('You are on the paid plan. It includes 5 simultaneous calls')).toBeVisible()
  await expect(page).toHaveURL(screens.account)
  await expectToast(page, 'Payment completed successfully')
  expect(await boughtQuantities(api, customer)).toEqual({ plan: 'paid', status: 'active', quantities: [5] })
  // The new document does not include Stripe's script.
  expect(await page.evaluate(() => 'Stripe' in window)).toBe(false)
})

test("BILLING-26 returns from the bank's authentication to the account, and changes the plan after Stripe's event", async ({
  page,
  open,
  api,
  customer,
  deliverStripeEvents,
}) => {
  const screens = billingScreens(customer)
  await open(screens.upgrade, customer.token)
  await typeCard(page, '4000 0025 0000 3155')
  await pay(page).click()
  const bank = page.frameLocator('iframe[title="Your bank"]')
  await bank.getByRole('button', { name: 'Complete authentication' }).click()
  await expect(page).toHaveURL(new RegExp(`${screens.account}(\\?|$)`))
  await expect(page.getByRole('heading', { name: 'Your Subscription' })).toBeVisible()
  await expectToast(page, 'Payment completed successfully')
  expect(await boughtQuantities(api, customer)).toMatchObject({ plan: 'trial' })
  await deliverStripeEvents()
  await expect(page.getByText('You are on the paid plan.')).toBeVisible()
})

for (const choice of ['Fail authentication', 'Cancel'])
  test(`BILLING-26 reports a payment that ended with "${choice}" on the bank's page, and changes nothing`, async ({
    page,
    open,
    api,
    customer,
    deliverStripeEvents,
    till: { script },
  }) => {
    const screens = billingScreens(customer)
    script.bank = 'page'
    await open(screens.upgrade, customer.token)
    await typeCard(page, '4000 0025 0000 3155')
    script.bank = 'frame'
    await pay(page).click()
    await page.getByRole('button', { name: choice, exact: true }).click()
    await expect(page).toHaveURL(new RegExp(`${screens.account}(\\?|$)`))
    await expectToast(page, 'The payment was not completed. Nothing was changed.')
    await deliverStripeEvents()
    expect(await boughtQuantities(api, customer)).toMatchObject({ plan: 'trial' })
    await expect(page.getByRole('heading', { name: 'Your Subscription' })).toBeVisible()
  })

test('checks the card fields before it creates a payment method from them, as Stripe requires', async ({
  page,
  open,
  customer,
}) => {
  await open(billingScreens(customer).upgrade, customer.token)
  await expect(page.frameLocator('iframe').getByLabel('Card number')).toBeVisible()
  // Runs as text, because the types of Stripe.js are not part of this project.
  const message = await page.evaluate(`
    const elements = window.Stripe('pk_test').elements({ mode: 'setup', currency: 'usd' })
    window.Stripe('pk_test').createPaymentMethod({ elements }).then(() => 'created', String)
  `)
  expect(message).toBe('IntegrationError: elements.submit() must be called before stripe.createPaymentMethod().')
})

test("BILLING-27 BILLING-29 shows the payment provider's message for a rejected card, and completes the order with the next card", async ({
  page,
  open,
  api,
  customer,
}) => {
  const orderBodies = recordOrders(page)
  await open(billingScreens(customer).upgrade, customer.token)
  const problem = page.getByRole('form').getByRole('alert')
  // Errors of Stripe's script, of the bank, and of the charge.
  await typeCard(page, '4242')
  await pay(page).click()
  await expect(problem).toHaveText('Your card number is incomplete.')
  await typeCard(page, '4000 0025 0000 3155')
  await pay(page).click()
  await page.frameLocator('iframe[title="Your bank"]').getByRole('button', { name: 'Fail authentication' }).click()
  await expect(problem).toContainText('We are unable to authenticate your payment method.')
  await typeCard(page, '4000 0000 0000 0341')
  await pay(page).click()
  await expect(problem).toContainText('Your card was declined.')
  await expect(pay(page)).not.toHaveAttribute('aria-disabled')
  await expect(page.getByRole('dialog', { name: processed })).toHaveCount(0)
  await typeCard(page, '5555 5555 5555 4444')
  await pay(page).click()
  await expect(page.getByText('You are on the paid plan.')).toBeVisible()
  await expectToast(page, 'Payment completed successfully')
  expect(orderBodies.map(({ action }) => action)).toEqual([
    'upgrade-to-paid',
    'update-payment-method',
    'update-payment-method',
  ])
  expect(await boughtQuantities(api, customer)).toMatchObject({ plan: 'paid' })
})

test('NAV-46 BILLING-02 BILLING-17 BILLING-18 BILLING-19 shows the cost of changed capacities for review', async ({
  page,
  open,
  api,
  customer,
  till,
}) => {
  await buys(api, till, customer, 10, 4)
  const orderBodies = recordOrders(page)
  await open(billingScreens(customer).modify, customer.token)
  await expect(page.getByRole('heading', { name: 'Configure Your Subscription', level: 1, exact: true })).toBeVisible()
  await expect(calls(page)).toHaveValue('10')
  await expect(devices(page)).toHaveValue('4')
  await expect(page.getByRole('heading', { name: 'Payment Information' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Cancel' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Return to free plan' })).toBeVisible()
  const review = page.getByRole('button', { name: 'Review Changes' })
  await expect(review).toHaveAttribute('aria-disabled', 'true')
  await calls(page).fill('12')
  await expect(review).not.toHaveAttribute('aria-disabled')
  await calls(page).fill('10')
  await expect(review).toHaveAttribute('aria-disabled', 'true')
  await look(page, 'modify')
  await calls(page).fill('12')
  await review.click()
  const dialog = page.getByRole('dialog', { name: 'Confirm Changes' })
  await expect(dialog).toContainText('Your account will have 12 simultaneous calls and 64 registered devices.')
  await expect(dialog).toContainText('Your new monthly cost is $128.00')
  await expect(dialog).toContainText(/charged \$\d+\.\d\d now/)
  await expectNoFindings(page, 'confirm changes')
  expect(orderBodies).toMatchObject([{ action: 'update-quantities', dry_run: true }])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await boughtQuantities(api, customer)).toEqual({ plan: 'paid', status: 'active', quantities: [10, 4] })
})

test('BILLING-09 ACCOUNTS-37 promises the registered devices before the payment that the account page shows after it', async ({
  page,
  open,
  api,
  customer,
  till,
}) => {
  await buys(api, till, customer, 10, 4)
  await open(billingScreens(customer).modify, customer.token)
  await calls(page).fill('11')
  await devices(page).fill('5')
  await expect(page.getByText('With 11 call sessions you can register 60 concurrent devices')).toBeVisible()
  await page.getByRole('button', { name: 'Review Changes' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm Changes' })
  await expect(dialog).toContainText('Your account will have 11 simultaneous calls and 60 registered devices.')
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText('It includes 11 simultaneous calls and 60 registered devices.')).toBeVisible()
})

test('BILLING-20 BILLING-21 BILLING-28 applies a change after its confirmation, but not before its payment', async ({
  page,
  open,
  api,
  customer,
  till,
}) => {
  await buys(api, till, customer, 5)
  const screens = billingScreens(customer)
  const orderBodies = recordOrders(page)
  const confirm = async (capacity: string) => {
    await calls(page).fill(capacity)
    await page.getByRole('button', { name: 'Review Changes' }).click()
    await page.getByRole('dialog', { name: 'Confirm Changes' }).getByRole('button', { name: 'Confirm' }).click()
  }
  await open(screens.modify, customer.token)
  await confirm('8')
  await expect(page.getByText('It includes 8 simultaneous calls and 40 registered devices.')).toBeVisible()
  await expectToast(page, 'Your subscription capacity has been successfully modified.')
  expect(orderBodies[1]).toMatchObject({ action: 'update-quantities', products: [{ quantity: 8 }] })
  expect(orderBodies[1]).not.toHaveProperty('dry_run')

  for (const method of till.stripe.state.methods.values()) method.kind = 'declines'
  await page.getByRole('link', { name: 'Modify My Subscription' }).click()
  await expect(calls(page)).toHaveValue('8')
  await confirm('9')
  await expect(page.getByRole('form').getByRole('alert')).toHaveText(
    'The additional capacity you that you requested could not be granted due to a failure processing payment. Please configure a valid credit card for your account and the upgrade will be automatically processed',
  )
  expect(await boughtQuantities(api, customer)).toMatchObject({ quantities: [8] })
})

test('BILLING-14 BILLING-22 BILLING-23 BILLING-24 returns to the free plan at the end of the paid period', async ({
  page,
  open,
  api,
  customer,
  till,
}) => {
  await buys(api, till, customer, 5)
  const orderBodies = recordOrders(page)
  await open(billingScreens(customer).modify, customer.token)
  await page.getByRole('button', { name: 'Return to free plan' }).click()
  const dialog = page.getByRole('dialog', { name: 'Return to Free Plan' })
  await expect(dialog).toContainText('the free plan, with 1 simultaneous call and 1 registered device.')
  await expect(dialog).toContainText('This takes effect at the next billing cycle')
  const release = await hold(page, '**/Subscriptions')
  await dialog.getByRole('button', { name: 'Return to free plan' }).click()
  await expect(page.getByRole('dialog', { name: processed })).toBeVisible()
  await look(page, 'return-to-free-plan')
  release()
  await expect(page.getByText('at the end of this billing period you return to the free plan')).toBeVisible()
  await expectToast(page, 'Downgrade to free plan completed successfully')
  expect(orderBodies).toEqual([{ action: 'downgrade-to-free' }])
})

test('BILLING-14 shows one call and one device after the return to the free plan, regardless of the device ratio', async ({
  page,
  open,
  api,
  customer,
  till: { stripe, script },
  deliverStripeEvents,
}) => {
  await buys(api, { stripe, script }, customer, 5)
  const returned = await api.send('POST', '/Subscriptions', { action: 'downgrade-to-free' }, customer.token)
  expect(returned).toMatchObject({ status: 200, body: { status: 'success' } })
  stripe.advance(32 * 86_400)
  await deliverStripeEvents()
  const { body } = await api.send('GET', '/Users/me', undefined, customer.token)
  expect(body.account).toMatchObject({ plan_type: 'free', device_to_call_ratio: 5 })
  expect(await boughtQuantities(api, customer)).toEqual({ plan: 'free', status: 'active', quantities: [1, 1] })
  await open(billingScreens(customer).account, customer.token)
  await expect(page.getByRole('region', { name: 'Your Subscription' })).toContainText(
    'It is limited to 1 simultaneous call and 1 registered device.',
  )
})

test('NAV-45 BILLING-31 BILLING-32 shows the current card and replaces it', async ({
  page,
  open,
  api,
  customer,
  till,
}) => {
  await buys(api, till, customer, 5)
  const screens = billingScreens(customer)
  await open(screens.account, customer.token)
  await page.getByRole('link', { name: 'Manage Payment Info' }).click()
  await expect(page.getByRole('heading', { name: 'Manage Payment Information', level: 1 })).toBeVisible()
  const current = page.getByRole('region', { name: 'Current Payment Information' })
  await expect(current).toContainText('visa')
  await expect(current).toContainText('**** **** **** 4242')
  await expect(current).toContainText(/12\/20\d\d/)
  await page.getByRole('button', { name: 'Change Payment Info' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Change Payment Info' }).click()
  await typeCard(page, '5555 5555 5555 4444')
  await look(page, 'manage-payment')
  await page.getByRole('button', { name: 'Save New Card' }).click()
  await expect(page.getByRole('heading', { name: 'Your Subscription' })).toBeVisible()
  await expectToast(page, 'Payment completed successfully')
  await page.getByRole('link', { name: 'Manage Payment Info' }).click()
  await expect(current).toContainText('**** **** **** 4444')
})

test("allows Stripe's script only on payment screens, and reports if it cannot be loaded", async ({
  page,
  open,
  request,
  customer,
  till: { script },
}) => {
  const screens = billingScreens(customer)
  const fetchPolicy = async (path: string) => {
    const response = await request.get(path, { headers: { accept: 'text/html' } })
    return response.headers()['content-security-policy'] ?? ''
  }
  for (const path of [screens.upgrade, `${screens.payment}?a=1`, screens.modify])
    expect(await fetchPolicy(path)).toContain(`frame-src ${script.origin} https://*.js.stripe.com`)
  for (const path of ['/', screens.account, '/internal/accounts', `${screens.account}?next=${screens.upgrade}`]) {
    const policy = await fetchPolicy(path)
    expect(policy).not.toContain('stripe.com')
    expect(policy).not.toContain(script.origin)
    expect(policy).toContain("trusted-types 'none'")
  }
  let isThere = false
  await page.route(script.url, (route) => (isThere ? route.fallback() : route.abort()))
  await open(screens.upgrade, customer.token)
  await expect(page.getByText('The form for cards could not be loaded from Stripe.')).toBeVisible()
  await expect(pay(page)).toHaveAttribute('aria-disabled', 'true')
  isThere = true
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.frameLocator('iframe').getByLabel('Card number')).toBeVisible()
  // Navigates between the two documents.
  await page.getByRole('link', { name: 'Applications' }).click()
  await expect(page.getByRole('heading', { name: 'Applications', level: 1 })).toBeVisible()
  await expect.poll(() => page.evaluate(() => 'Stripe' in window)).toBe(false)
  await page.goBack()
  await expect(page.frameLocator('iframe').getByLabel('Card number')).toBeVisible()
})

test('explains view-only access, a different plan, and a failing server', async ({ page, open, api, customer }) => {
  const { account_sid } = customer
  const screens = billingScreens(customer)
  await open(screens.modify, customer.token)
  await expect(page.getByText('The account has no paid subscription yet.')).toBeVisible()
  await open(screens.payment, customer.token)
  await expect(page.getByText('No card is stored.')).toBeVisible()
  await open(screens.upgrade)
  await expect(page.getByText('Only users of the account can manage its subscription')).toBeVisible()
  const viewer = await api.person({ account_sid, is_view_only: true })
  await open(screens.upgrade, viewer.token)
  await expect(page.getByText('View only')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Pay/ })).toHaveCount(0)
  await page.route('**/Prices', (route) => route.fulfill({ status: 500, json: { msg: 'no prices today' } }))
  await open(screens.upgrade, customer.token)
  await expect(page.getByText('no prices today')).toBeVisible()
  await page.unroute('**/Prices')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(calls(page)).toHaveValue('5')
})

test('leads a customer with a failed payment to another card, which pays the open invoice', async ({
  page,
  open,
  api,
  customer,
  deliverStripeEvents,
  till,
}) => {
  await buys(api, till, customer, 5)
  for (const method of till.stripe.state.methods.values()) method.kind = 'declines'
  till.stripe.advance(32 * 86_400)
  await deliverStripeEvents()
  const screens = billingScreens(customer)
  await expect.poll(() => boughtQuantities(api, customer)).toMatchObject({ status: 'suspended' })
  await open(screens.account, customer.token)
  await expect(page.getByText('Your last payment failed, so no calls can be made.')).toBeVisible()
  await page.getByRole('link', { name: 'Modify My Subscription' }).click()
  await page.getByRole('main').getByRole('link', { name: 'Manage Payment Info' }).click()
  const problem = page.getByRole('form').getByRole('alert')
  await page.getByRole('button', { name: 'Change Payment Info' }).click()
  await typeCard(page, '4000 0000 0000 0341')
  await page.getByRole('button', { name: 'Save New Card' }).click()
  await expect(problem).toContainText('Your card was declined.')
  await typeCard(page, '4242 4242 4242 4242')
  await page.getByRole('button', { name: 'Save New Card' }).click()
  await expect(page.getByText('You are on the paid plan. It includes 5 simultaneous calls')).toBeVisible()
  await expectToast(page, 'Payment completed successfully')
  expect(await boughtQuantities(api, customer)).toMatchObject({ plan: 'paid', status: 'active' })
})
