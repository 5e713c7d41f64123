import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@patchbay/testkit/servers/ports'
import { startServer } from '@patchbay/testkit/servers/server-process'
import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { typeSignIn } from './support/sign-in.ts'
import { test as base, expect } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** The console while its server is stopped and started again, at the same address and with the same data. */

interface Outage {
  /** Ends the server without a warning. */
  begin: () => Promise<void>
  /** Starts the server again. Each test has to end its outage. */
  end: () => Promise<void>
}

const test = base.extend<object, { outage: Outage }>({
  settings: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from the pattern
    async ({}, use) => {
      const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-outage-'))
      await use({ PORT: String(await freePort()), DATA_DIR: dataDir })
      rmSync(dataDir, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
  outage: [
    async ({ server, settings }, use) => {
      let running = server
      await use({
        begin: () => running.kill(),
        end: async () => {
          running = await startServer(settings)
        },
      })
      await running.stop()
    },
    { scope: 'worker' },
  ],
})

const notice = (page: Page) => page.getByText("Can't reach the server. Reconnecting…")
const storedToken = (page: Page) => page.evaluate(() => localStorage.getItem('token'))
const accountName = (page: Page) => page.getByLabel('Account name')

test('ERRORS-06 keeps the page and the typed text during a restart, and completes the pending save', async ({
  page,
  open,
  tenant,
  outage,
}) => {
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await accountName(page).fill('Typed before the outage')
  // The code of the notices is fetched after the screen is displayed.
  await page.waitForLoadState('networkidle')
  await outage.begin()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('status').filter({ has: notice(page) })).toBeVisible()
  await expectNoFindings(page, 'reconnecting')
  await expect(accountName(page)).toHaveValue('Typed before the outage')
  expect(await storedToken(page)).toMatch(/^ey/)
  await outage.end()
  await expectToast(page, 'Account updated successfully')
  await expect(page.getByRole('link', { name: 'Typed before the outage', exact: true })).toBeVisible()
  await expect(notice(page)).toHaveCount(0)
})

test('ERRORS-06 opens the selected screen after a restart', async ({ page, open, outage }) => {
  await open('/internal/accounts')
  await expect(page.getByRole('heading', { name: 'Accounts' })).toBeVisible()
  // The code of the screens is fetched while the browser is idle.
  await page.waitForLoadState('networkidle')
  await outage.begin()
  await page.getByRole('link', { name: 'Recent calls' }).click()
  await expect(notice(page)).toBeVisible()
  await page.getByRole('link', { name: 'Applications' }).click()
  await expect(page.getByRole('heading', { name: 'Applications', level: 1 })).toBeVisible()
  expect(await storedToken(page)).toMatch(/^ey/)
  await outage.end()
  await expect(page.getByText('No applications.')).toBeVisible()
  await expect(notice(page)).toHaveCount(0)
})

test('ERRORS-06 ends the session after 60 s, and restores the page and the typed text after signing in', async ({
  page,
  api,
  open,
  tenant,
  outage,
}) => {
  const { name, password, token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await page.clock.install()
  await open(`/internal/accounts/${tenant.account_sid}/edit`, token)
  await accountName(page).fill('Typed before the outage')
  // The code of the notices is fetched after the screen is displayed.
  await page.waitForLoadState('networkidle')
  await outage.begin()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(notice(page)).toBeVisible()
  await page.clock.fastForward(65_000)
  await expect(page.getByText('The server cannot be reached')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  expect(await storedToken(page)).toBeNull()
  await outage.end()
  await typeSignIn(page, name, password)
  await expect(page).toHaveURL(new RegExp(`/internal/accounts/${tenant.account_sid}/edit`))
  await expect(accountName(page)).toHaveValue('Typed before the outage')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Account updated successfully')
})

test('ERRORS-06 restores the page when several requests wait, and give up one after another', async ({
  page,
  api,
  open,
  tenant,
  outage,
}) => {
  const { name, password, token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await page.clock.install()
  const edit = `/internal/accounts/${tenant.account_sid}/edit`
  await open(edit, token)
  await accountName(page).fill('Typed before the outage')
  // The code of the dialog is fetched when it is opened.
  await page.getByRole('button', { name: 'Add key' }).first().click()
  const addKey = page.getByRole('dialog', { name: 'Add API key' })
  await expect(addKey).toBeVisible()
  await page.keyboard.press('Escape')
  await outage.begin()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(notice(page)).toBeVisible()
  await page.clock.fastForward(30_000)
  await page.getByRole('button', { name: 'Add key' }).first().click()
  await addKey.getByRole('textbox', { name: 'Name' }).fill('Invoices')
  await addKey.getByRole('button', { name: 'Add key' }).click()
  await page.clock.fastForward(40_000)
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await expect(page).toHaveURL(/next=/)
  // The request of the dialog gives up later, and changes nothing on the sign-in page.
  await page.clock.fastForward(70_000)
  await expect(page.getByText('The server cannot be reached')).toHaveCount(0)
  await outage.end()
  await typeSignIn(page, name, password)
  await expect(page).toHaveURL(new RegExp(edit))
  await expect(accountName(page)).toHaveValue('Typed before the outage')
})

test('ERRORS-06 does not repeat a lost request that creates a record', async ({ page, open, tenant, api }) => {
  await open('/internal/accounts/add')
  await accountName(page).fill('Created once')
  let attempts = 0
  await page.route('**/api/v1/Accounts', (route) => {
    attempts += 1
    return route.abort('connectionreset')
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('form').getByText('The connection was lost before the server responded.')).toBeVisible()
  await expect(accountName(page)).toHaveValue('Created once')
  expect(attempts).toBe(1)
  const { body } = await api.send('GET', `/ServiceProviders/${tenant.service_provider_sid}/Accounts`)
  expect(body).toHaveLength(1)
})
