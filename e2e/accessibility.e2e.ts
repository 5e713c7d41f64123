import type { Page } from '@playwright/test'
import { accountList } from '../console/src/routes/accounts.ts'
import { alerts } from '../console/src/routes/alerts.ts'
import { createPassword } from '../console/src/routes/create-password.ts'
import { inboundExplainer } from '../console/src/routes/inbound-explainer.ts'
import { recentCalls } from '../console/src/routes/recent-calls.ts'
import { signIn } from '../console/src/routes/sign-in.ts'
import { expectNoFindings, inEachLayout, type Layout, layoutsOfTier, themes } from './support/axe.ts'
import { makeRouting, seededScreens, seededTest, toAddress } from './support/every-screen.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { expectPlainLanguage } from './support/plain-language.ts'
import { typeSignIn } from './support/sign-in.ts'
import { expect, test } from './support/test.ts'

/**
 * Checks every declared screen: plain texts, and in the layouts of the tier no accessibility violations and no horizontal
 * scrolling.
 */

/** Saves a screenshot to the folder in the environment variable PICTURES, if it is set. */
const picture = async (page: Page, name: string): Promise<void> => {
  const folder = process.env['PICTURES']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

/** Waits for a render with the new width, which happens after the next frame. */
const untilRendered = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))

/** Checks a page in each theme and width, and saves a screenshot. */
const look = async (page: Page, name: string): Promise<void> => {
  await expectPlainLanguage(page, name)
  const check = async ({ colorScheme, width, rules }: Layout) => {
    await untilRendered(page)
    const what = `${name}-${colorScheme}-${width}`
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
    await expectNoFindings(page, what, { rules })
    await expectToFit(page, what)
    await picture(page, what)
  }
  await inEachLayout(page, check, layoutsOfTier)
}

/** Checks a screen and each of its other tabs. */
const tour = async (page: Page, name: string): Promise<void> => {
  await look(page, name)
  const others = page.getByRole('main').getByRole('tab', { selected: false }).filter({ visible: true })
  // In reverse order, because nested tabs precede the tabs around them.
  for (const label of (await others.allInnerTexts()).toReversed()) {
    await page.getByRole('main').getByRole('tab', { name: label, exact: true }).click()
    await look(page, `${name}-${label.toLowerCase()}`)
  }
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

/** Steps that make all parts of a screen visible before it is checked. */
const prepare: Partial<Record<string, (page: Page) => Promise<void>>> = {
  [recentCalls.path]: (page) =>
    page
      .getByRole('button', { name: /^Call from/ })
      .first()
      .click(),
  [alerts.path]: (page) => page.getByRole('button', { name: 'Webhook failed:' }).click(),
  [inboundExplainer.path]: async (page) => {
    await page.getByLabel('Source address').fill('10.0.0.1')
    await page.getByLabel('Called number').fill('15083084809')
    await page.getByLabel('Called host').fill('nowhere.example.org')
    await page.getByRole('button', { name: 'Explain' }).click()
    await expect(page.getByRole('list', { name: 'Steps' })).toBeVisible()
  },
}

for (const screen of seededScreens)
  seededTest(`${screen.title} has no accessibility findings`, async ({ page, open, house }) => {
    const path = toAddress(screen, house)
    await open(path)
    await expect(page).toHaveURL(new RegExp(`${path}(\\?|$)`))
    await expect(page.locator('#page-title')).toBeVisible()
    await prepare[screen.path]?.(page)
    await tour(page, path.replaceAll(/\W+/g, '-').replace('-internal-', ''))
  })

for (const [name, path, title] of [
  ['sign-in', signIn.path, signIn.title],
  ['documentation', '/api/docs', 'Patchbay API'],
  ['not found', '/internal/nowhere', "That page doesn't exist."],
] as const)
  test(`${name} has no accessibility findings`, async ({ page, open }) => {
    if (name === 'not found') await open(path)
    else await page.goto(path)
    await expect(heading(page, title)).toBeVisible()
    if (name === 'documentation') await page.getByRole('button', { name: 'Open all' }).click()
    await look(page, name)
  })

test('the dialogs have no accessibility violations', async ({ page, open, api, tenant }) => {
  await open('/internal/accounts')
  await page.getByRole('button', { name: 'Add service provider' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectNoFindings(page, 'add a service provider')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: `Delete ${tenant.accountName}` }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectNoFindings(page, 'delete an account')
  const { token, user_sid } = await api.person()
  await open(`/internal/users/${user_sid}/edit`, token)
  for (const name of ['Change password', 'Delete user']) {
    await page.getByRole('button', { name }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expectNoFindings(page, name)
    await page.keyboard.press('Escape')
  }
  await makeRouting(api, tenant)
  await open('/internal/least-cost-routing')
  await page.getByRole('button', { name: 'Try a number' }).click()
  await page.getByLabel('Called number').fill('15083084809')
  await page.getByLabel('Account', { exact: true }).selectOption(tenant.account_sid)
  await expect(page.getByText('No route selects a carrier.')).toBeVisible()
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme })
    await expectNoFindings(page, 'try a number')
  }
})

test('the forced change of password has no accessibility findings', async ({ page, api, tenant }) => {
  const { name, password } = await api.person({ service_provider_sid: tenant.service_provider_sid, force_change: true })
  await page.goto(signIn.path)
  await typeSignIn(page, name, password)
  await expect(heading(page, createPassword.title)).toBeVisible()
  await look(page, 'create-password')
})

test('the open menu has no accessibility violations', async ({ page, open }) => {
  await page.setViewportSize({ width: 390, height: 900 })
  await open(accountList.path)
  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  await expectNoFindings(page, 'open menu')
  await expectToFit(page, 'open menu')
})
