import { AxeBuilder } from '@axe-core/playwright'
import { aCall, writeCalls } from './support/calls.ts'
import { typeSignIn } from './support/sign-in.ts'
import { expect, test } from './support/test.ts'

/** Every screen, in both themes and three widths: not one finding. */

const screens = [
  ['sign-in', () => '/', 'Log in'],
  ['accounts', () => '/internal/accounts', 'Accounts'],
  ['add account', () => '/internal/accounts/add', 'Add an account'],
  ['edit account', (account: string) => `/internal/accounts/${account}/edit`, 'Edit account'],
  ['recent calls', () => '/internal/recent-calls', 'Recent calls'],
  ['documentation', () => '/api/docs', 'Patchbay API'],
  ['not found', () => '/internal/nowhere', "That page doesn't exist."],
] as const

for (const [name, path, heading] of screens)
  test(`${name} has no accessibility findings`, async ({ page, open, tenant, server }) => {
    await writeCalls(server.intakePort, tenant, [aCall(), aCall({ answered: false, direction: 'outbound' })])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      for (const width of [1440, 1024, 390]) {
        await page.setViewportSize({ width, height: 900 })
        if (name === 'sign-in') await page.goto('/')
        else await open(path(tenant.account_sid))
        await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible()
        if (name === 'documentation') await page.getByRole('button', { name: 'Open all' }).click()
        if (name === 'recent calls')
          await page
            .getByRole('button', { name: /^Call from/ })
            .first()
            .click()
        await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
        const { violations } = await new AxeBuilder({ page }).analyze()
        const findings = violations.map(
          ({ id, nodes }) =>
            `${id}: ${nodes
              .map((node) => node.html)
              .join(' | ')
              .slice(0, 300)}`,
        )
        expect(findings, `${name}, ${colorScheme}, ${width} px`).toEqual([])
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect(overflow, `${name} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0)
      }
    }
  })

test('the dialogs have no accessibility findings', async ({ page, open, tenant }) => {
  await open('/internal/accounts')
  await page.getByRole('button', { name: 'Add service provider' }).click()
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: `Delete ${tenant.accountName}` }).click()
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
})

test('the forced change of password and the open menu have no accessibility findings', async ({
  page,
  open,
  api,
  tenant,
}) => {
  const { name, password } = await api.person({ service_provider_sid: tenant.service_provider_sid, force_change: true })
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1440, 1024, 390]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 900 })
      await page.goto('/')
      await page.evaluate(() => localStorage.clear())
      await page.goto('/')
      await typeSignIn(page, name, password)
      await expect(page.getByRole('heading', { name: 'Create password' })).toBeVisible()
      expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
    }
  await page.evaluate(() => sessionStorage.clear())
  await open('/internal/accounts')
  await page.getByRole('button', { name: 'Open menu' }).click()
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
})
