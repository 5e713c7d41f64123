import type { Page } from '@playwright/test'
import { accountList } from '../console/src/screens/accounts/screens.ts'
import { screens } from '../console/src/screens/all.ts'
import { createPassword } from '../console/src/screens/create-password/screens.ts'
import { recentCalls } from '../console/src/screens/recent-calls/screens.ts'
import { signIn } from '../console/src/screens/sign-in/screens.ts'
import { expectNoFindings, rulesFor, themes, widths } from './support/axe.ts'
import { aCall, writeCalls } from './support/calls.ts'
import { typeSignIn } from './support/sign-in.ts'
import { expect, test } from './support/test.ts'

/** Every screen that is declared, in both themes and three widths: not one finding, and nothing that scrolls sideways. */

/** For a folder named in PICTURES, what the tour sees. */
const picture = async (page: Page, name: string): Promise<void> => {
  const folder = process.env['PICTURES']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

const expectToFit = async (page: Page, name: string): Promise<void> => {
  // Neither the page nor a table in it is wider than its place.
  const wider = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('table')].filter((element) => {
      const place = element === document.documentElement ? element : element.parentElement
      return (
        place !== null && Math.max(element.scrollWidth, element.getBoundingClientRect().width) > place.clientWidth + 1
      )
    }),
  )
  expect(wider, `${name} is wider than its place`).toHaveLength(0)
}

/** What follows a new width is drawn after the next frame. */
const drawn = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))

/** Looks at a place in each theme and width, and takes its picture. */
const look = async (page: Page, name: string): Promise<void> => {
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await drawn(page)
      const what = `${name}-${colorScheme}-${width}`
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      await expectNoFindings(page, what, { rules: rulesFor(colorScheme, width) })
      await expectToFit(page, what)
      await picture(page, what)
    }
  }
}

/** Looks at a screen, and behind each of its other tabs. */
const tour = async (page: Page, name: string): Promise<void> => {
  await look(page, name)
  const tabs = page.getByRole('main').getByRole('tab', { selected: false })
  for (const tab of await tabs.filter({ visible: true }).all()) {
    const label = await tab.innerText()
    await tab.click()
    await look(page, `${name}-${label.toLowerCase()}`)
  }
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

/** What is done on a screen before it is looked at, so that all of it shows. */
const prepare: Partial<Record<string, (page: Page) => Promise<void>>> = {
  [recentCalls.path]: (page) =>
    page
      .getByRole('button', { name: /^Call from/ })
      .first()
      .click(),
}

for (const screen of screens.filter(({ stage }) => stage === undefined))
  test(`${screen.title} has no accessibility findings`, async ({ page, open, api, tenant, server }) => {
    await writeCalls(server.intakePort, tenant, [aCall(), aCall({ answered: false, direction: 'outbound' })])
    const { user_sid } = await api.person({ account_sid: tenant.account_sid })
    await api.send('PUT', `/Accounts/${tenant.account_sid}`, { sip_realm: `${tenant.account_sid}.example.org` })
    const known: Readonly<Record<string, string>> = { ...tenant, user_sid }
    const path = screen.path.replaceAll(/\$(\w+)/g, (_, name: string) => known[name] ?? `the-tenant-lacks-${name}`)
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

test('the dialogs have no accessibility findings', async ({ page, open, api, tenant }) => {
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
})

test('the forced change of password has no accessibility findings', async ({ page, api, tenant }) => {
  const { name, password } = await api.person({ service_provider_sid: tenant.service_provider_sid, force_change: true })
  await page.goto(signIn.path)
  await typeSignIn(page, name, password)
  await expect(heading(page, createPassword.title)).toBeVisible()
  await look(page, 'create-password')
})

test('the open menu has no accessibility findings', async ({ page, open }) => {
  await page.setViewportSize({ width: 390, height: 900 })
  await open(accountList.path)
  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  await expectNoFindings(page, 'open menu')
  await expectToFit(page, 'open menu')
})
