import type { Page, Request } from '@playwright/test'
import { expectNoFindings, rulesFor, themes } from './support/axe.ts'
import { buys, expect, heldBy, screensOf, test, typeCard } from './support/billed.ts'
import { hold } from './support/hold.ts'
import { expectToast } from './support/toasts.ts'

/** Billing of a hosted installation, against a Stripe of the tests' own. */

const processed =
  'Your requested changes are being processed. Please do not leave the page or hit the back button until complete.'

const pay = (page: Page, amount = '$50.00') =>
  page.getByRole('button', { name: `Pay ${amount} and Upgrade to Paid Plan` })

const calls = (page: Page) => page.getByRole('spinbutton', { name: 'Maximum concurrent call sessions' })
const devices = (page: Page) => page.getByRole('spinbutton', { name: 'Additional device registrations' })

/** What was asked of the server about the subscription, in order. */
const orders = (page: Page): Record<string, unknown>[] => {
  const sent: Record<string, unknown>[] = []
  page.on('request', (request: Request) => {
    if (request.method() === 'POST' && request.url().endsWith('/Subscriptions')) sent.push(request.postDataJSON())
  })
  return sent
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

test('NAV-44 BILLING-01 BILLING-03 BILLING-15 BILLING-16 a customer in the trial chooses capacities, and sees what they cost', async ({
  page,
  open,
  customer,
  till: { script },
}) => {
  await open(screensOf(customer).upgrade, customer.token)
  await expect(page.getByRole('heading', { name: 'Upgrade your Subscription', level: 1 })).toBeVisible()
  const table = page.getByRole('table', { name: 'Subscription' })
  await expect(table.getByRole('columnheader')).toHaveText(['Service', 'Capacity', 'Price', 'Cost'])
  await expect(table.getByRole('row')).toHaveCount(3)
  await expect(table).toContainText('$10.00 per session')
  await expect(table.getByRole('row', { name: 'Total monthly cost' })).toContainText('$50.00')
  await expect(page.getByRole('heading', { name: 'Payment Information' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Cancel' })).toBeVisible()
  await expect(pay(page)).toBeVisible()

  // Stripe is asked for cards alone, to be charged later on.
  await expect(page.frameLocator('iframe').getByLabel('Card number')).toBeVisible()
  await expect.poll(() => script.asked.at(-1)).toMatchObject({
    mode: 'setup',
    currency: 'usd',
    paymentMethodCreation: 'manual',
    allowedPaymentMethodTypes: ['card'],
    kind: 'payment',
  })
  await look(page, 'upgrade')
})

test('BILLING-06 BILLING-07 BILLING-08 devices are added on demand; what cannot be had is not ordered', async ({
  page,
  open,
  customer,
}) => {
  const sent = orders(page)
  await open(screensOf(customer).upgrade, customer.token)
  await expect(page.getByText('With 5 call sessions you can register 25 concurrent devices')).toBeVisible()
  await calls(page).fill('20')
  await expect(page.getByText('With 20 call sessions you can register 100 concurrent devices')).toBeVisible()
  await expect(devices(page)).toHaveCount(0)
  await expect(page.getByText('Would you like to purchase additional device registrations?')).toBeVisible()
  await page.getByRole('button', { name: 'Add device registrations' }).click()
  await expect(page.getByText('Would you like to purchase additional device registrations?')).toBeHidden()
  await devices(page).fill('10')
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
  expect(sent).toEqual([])
})

test('BILLING-24 BILLING-25 BILLING-30 a card that is good pays, and the account is on the paid plan', async ({
  page,
  open,
  api,
  customer,
  till: { script },
}) => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const screens = screensOf(customer)
  await open(screens.account, customer.token)
  await page.getByRole('link', { name: 'Upgrade to a Paid Subscription' }).click()
  await expect(page).toHaveURL(screens.upgrade)
  await typeCard(page, '4242 4242 4242 4242')
  expect(asked.filter((url) => url.startsWith(script.origin))).toContain(script.url)
  const release = await hold(page, '**/Subscriptions')
  await pay(page).click()
  await expect(page.getByRole('dialog', { name: processed })).toBeVisible()
  release()
  await expect(page).toHaveURL(screens.account)
  await expectToast(page, 'Payment completed successfully')
  await expect(page.getByText('You are on the paid plan. It includes 5 simultaneous calls')).toBeVisible()
  expect(await heldBy(api, customer)).toEqual({ plan: 'paid', quantities: [5, 0] })
  // The document that this page stands in has no place for it any more.
  expect(await page.evaluate(() => 'Stripe' in window)).toBe(false)
})
