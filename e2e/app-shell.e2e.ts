import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { hold } from './support/hold-requests.ts'
import { showProviders } from './support/providers.ts'
import { beginForcedChange } from './support/sign-in.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'
import { fetchUnconditionally } from './support/unconditional-fetch.ts'

/** The shell around all screens: while it loads, without a network, in narrow and low windows, and in print. */

const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const loading = (page: Page) => page.getByRole('status').filter({ hasText: 'Loading…' })
const offline = (page: Page) => page.getByText('You are offline. The data on this page may be out of date.')
const scrollLeft = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

test.describe('before the console is loaded', () => {
  test('shows placeholders in both themes while the API is slow, and removes them afterwards', async ({
    page,
    open,
    tenant,
  }) => {
    const answer = await hold(page, '**/Users/me')
    await open('/internal/accounts')
    await expect(loading(page)).toHaveCount(1)
    const side = page.locator('#skeleton .side')
    await expect(side).toBeVisible()
    expect((await side.boundingBox())?.width).toBe(232)
    const ground = () => side.evaluate((shape) => getComputedStyle(shape).backgroundColor)
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await ground()).toBe('rgb(245, 247, 247)')
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await ground()).toBe('rgb(9, 14, 16)')
    await expectNoFindings(page, 'skeleton', { part: '#skeleton' })
    answer()
    await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
    await expect(page.locator('#skeleton')).toBeHidden()
  })

  for (const [path, shape, color] of [
    ['/', '#skeleton .card', 'rgb(13, 19, 21)'],
    ['/internal/accounts', '#skeleton .side', 'rgb(9, 14, 16)'],
  ] as const)
    test(`they need no file but the page: ${path}`, async ({ page, server }) => {
      await page.route('**/assets/**', (route) => route.abort('connectionrefused'))
      await page.addInitScript(() => localStorage.setItem('theme', 'dark'))
      await page.emulateMedia({ colorScheme: 'light' })
      await page.goto(server.url + path)
      await expect(page.locator(shape)).toBeVisible()
      await expect(page.locator(shape), 'in the theme that was chosen').toHaveCSS('background-color', color)
      expect((await page.locator(`${shape} .mark`).boundingBox())?.width).toBe(104)
      await expect(loading(page)).toHaveCount(1)
    })
})

test.describe('without a network connection', () => {
  test('shows a banner while offline, and reloads the data afterwards', async ({
    page,
    open,
    context,
    tenant,
    api,
  }) => {
    await open('/internal/accounts')
    await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
    await expect(offline(page)).toHaveCount(0)
    await context.setOffline(true)
    await expect(page.getByRole('status').filter({ has: offline(page) })).toBeVisible()
    await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
    const name = `Made meanwhile ${randomUUID().slice(0, 8)}`
    await api.account(tenant.service_provider_sid, { name })
    await context.setOffline(false)
    await expect(offline(page)).toHaveCount(0)
    await expect(page.getByText(/^Show \d+ new accounts?$|Made meanwhile/).first()).toBeVisible()
  })

  test('queues a save while offline, reports it, and sends it when the connection is back', async ({
    page,
    open,
    context,
    tenant,
  }) => {
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await page.getByLabel('Account name').fill(`Saved ${tenant.accountName}`)
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Pending requests continue when the network is back.')).toBeVisible()
    await context.setOffline(false)
    await expectToast(page, 'Account updated successfully')
  })

  test('treats an unreachable server like a missing network until it responds', async ({ page, open, tenant }) => {
    await page.clock.install()
    await open('/internal/accounts')
    await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
    let isOffline = true
    await page.route('**/Accounts', (route) => (isOffline ? route.abort('connectionrefused') : route.fallback()))
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.clock.runFor(3000)
    const notice = page.getByText("Can't reach the server. Reconnecting…")
    await expect(notice).toBeVisible()
    await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
    isOffline = false
    await page.clock.runFor(10_000)
    await expect(notice).toHaveCount(0)
  })
})

test.describe('signing in and out', () => {
  test('focuses the user name immediately, with or without a message', async ({ page, server }) => {
    await page.goto(server.url)
    await expect(page.getByLabel('Username')).toBeFocused()
    await page.goto(`${server.url}/internal/accounts`)
    await expect(page.getByRole('alert').getByText('You must log in to view that page')).toBeVisible()
    await expect(page.getByLabel('Username')).toBeFocused()
    await expect(page.getByLabel('Username')).toHaveAttribute('autocomplete', 'username')
  })

  test('does not focus a field if a touch keyboard would cover the page', async ({ browser, server }) => {
    const context = await browser.newContext({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    await page.goto(server.url)
    await expect(title(page, 'Log in')).toBeVisible()
    await expect(page.getByLabel('Username')).not.toBeFocused()
    await context.close()
  })

  test('lets a user who must change the password log out, which ends the session on the server', async ({
    page,
    api,
    tenant,
  }) => {
    await beginForcedChange(page, api, tenant)
    const token = (await page.evaluate(() => localStorage.getItem('token'))) ?? ''
    await page.getByRole('button', { name: 'Log out' }).click()
    await expectToast(page, "You've successfully logged out.")
    await expect(title(page, 'Log in')).toBeVisible()
    const storedValues = await page.evaluate(() => [
      localStorage.getItem('token'),
      sessionStorage.getItem('SESS_OLD_PASSWORD'),
    ])
    expect(storedValues).toEqual([null, null])
    expect((await api.send('GET', '/PasswordSettings', undefined, token)).status).toBe(401)
  })
})

test.describe('errors and unknown pages', () => {
  test("offers a way back from an unknown URL, also with the browser's Back button", async ({ page, open }) => {
    await open('/internal/accounts')
    await expect(title(page, 'Accounts')).toBeVisible()
    await page.evaluate(() => {
      history.pushState({}, '', '/internal/nowhere')
      dispatchEvent(new PopStateEvent('popstate'))
    })
    await expect(title(page, "That page doesn't exist.")).toBeVisible()
    await page.goBack()
    await expect(title(page, 'Accounts')).toBeVisible()
    await page.goForward()
    await expect(title(page, "That page doesn't exist.")).toBeVisible()
    await page.reload()
    await expect(title(page, "That page doesn't exist.")).toBeVisible()
  })

  test('offers a retry and a way back for a screen that fails', async ({ page, open }) => {
    await open('/internal/accounts')
    await expect(title(page, 'Accounts')).toBeVisible()
    await page.route('**/RecentCalls*', (route) => route.fulfill({ json: { total: 1, data: [null] } }))
    await page.getByRole('link', { name: 'Recent calls' }).click()
    await expect(title(page, 'Unexpected Application Error!')).toBeVisible()
    await page.getByRole('button', { name: 'Back' }).click()
    await expect(title(page, 'Accounts')).toBeVisible()
  })

  test('offers a retry for a denied request', async ({ page, open, tenant }) => {
    let refused = true
    await page.route('**/Accounts', (route) =>
      refused ? route.fulfill({ status: 403, json: { msg: 'not for you' } }) : route.fallback(),
    )
    await open('/internal/accounts')
    await expect(page.getByText('You do not have access to this.')).toBeVisible()
    refused = false
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
  })
})

test.describe('the menu of a narrow window', () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test.beforeEach(async ({ page, open }) => {
    await open('/internal/accounts')
    await page.getByRole('button', { name: 'Open menu' }).click()
    await expect(page.getByRole('complementary', { name: 'Console' })).toBeVisible()
  })

  test('traps the focus and makes the rest of the page inert', async ({ page }) => {
    await expect(page.locator('main')).toHaveAttribute('inert')
    const reached = new Set<string>()
    for (let step = 0; step < 20; step += 1) {
      await page.keyboard.press('Tab')
      reached.add(await page.evaluate(() => document.activeElement?.closest('main, aside, header')?.tagName ?? ''))
    }
    expect(reached).toContain('ASIDE')
    expect(reached).not.toContain('MAIN')
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY)).toBe('hidden')
  })

  for (const [how, close] of [
    ['Esc', (page: Page) => page.keyboard.press('Escape')],
    ['a click beside it', (page: Page) => page.mouse.click(350, 500)],
    ['its button', (page: Page) => page.getByRole('button', { name: 'Close menu' }).click()],
  ] as const)
    test(`${how} closes it and gives the focus back to its button`, async ({ page }) => {
      await close(page)
      await expect(page.getByRole('complementary')).toBeHidden()
      await expect(page.getByRole('button', { name: 'Open menu' })).toBeFocused()
      await expect(page.locator('main')).not.toHaveAttribute('inert')
    })

  test('closes when the window becomes wide, and leaves nothing inert', async ({ page }) => {
    await page.setViewportSize({ width: 1000, height: 844 })
    await expect(page.locator('main')).not.toHaveAttribute('inert')
    await expect(page.getByRole('complementary')).toBeVisible()
    await page.setViewportSize({ width: 390, height: 844 })
    await expect(page.getByRole('complementary')).toBeHidden()
  })

  test('stays open when Esc closes a dialog that was opened from it', async ({ page }) => {
    await page.getByRole('button', { name: 'Preferences' }).click()
    await expect(page.getByRole('dialog', { name: 'Preferences' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Preferences' })).toBeFocused()
  })
})

test('has no sticky elements and no horizontal scrolling at a zoom of 400%, and the menu is usable', async ({
  page,
  open,
}) => {
  await page.setViewportSize({ width: 320, height: 256 })
  await open('/internal/accounts')
  await expect(title(page, 'Accounts')).toBeVisible()
  const header = page.getByRole('banner')
  await expect(header).toHaveCSS('position', 'static')
  expect(await scrollLeft(page)).toBeLessThanOrEqual(0)
  await page.getByRole('button', { name: 'Open menu' }).click()
  const signOut = page.getByRole('button', { name: 'Sign out' })
  await signOut.scrollIntoViewIfNeeded()
  await expect(signOut).toBeInViewport({ ratio: 1 })
  await page.getByRole('link', { name: 'Recent calls' }).click()
  await expect(title(page, 'Recent calls')).toBeVisible()
  expect(await scrollLeft(page)).toBeLessThanOrEqual(0)
})

test('prints the list without navigation', async ({ page, open, tenant }) => {
  await open('/internal/accounts')
  await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
  for (const width of [1440, 700]) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ media: 'print' })
    await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
    await expect(title(page, 'Accounts')).toBeVisible()
    await expect(page.getByRole('complementary')).toBeHidden()
    await expect(page.getByText('Patchbay', { exact: true }).filter({ visible: true })).toHaveCount(0)
    expect((await page.getByRole('main').boundingBox())?.x).toBeLessThan(20)
    await page.emulateMedia({ media: null })
  }
})

test('prints that a list is empty or could not be loaded, but no transient messages', async ({ page, open }) => {
  await open('/internal/accounts?filter=nothing-is-called-so')
  const empty = page.getByText('Nothing matches these filters.')
  await expect(empty).toBeVisible()
  await page.emulateMedia({ media: 'print' })
  await expect(empty).toBeVisible()
  await page.emulateMedia({ media: null })
  await page.route('**/Users', (route) => route.fulfill({ status: 500, json: { msg: 'The disk is full' } }))
  await page.getByRole('link', { name: 'Users', exact: true }).click()
  const failed = page.getByRole('main').getByText('The disk is full')
  await expect(failed).toBeVisible()
  await page.emulateMedia({ media: 'print' })
  await expect(failed).toBeVisible()
  await expect(page.getByRole('button', { name: 'Retry' })).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Notifications' })).toHaveCount(0)
})

test('keeps the borders of the navigation visible in forced colors', async ({ page, open }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await open('/internal/accounts')
  const side = page.getByRole('complementary', { name: 'Console' })
  await expect(side).toHaveCSS('border-right-style', 'solid')
  await expect(page.getByRole('link', { name: 'Accounts' })).toHaveCSS('outline-style', 'solid')
})

test.describe('the provider selector', () => {
  test('searches by text if there are more than ten providers', async ({ page, open, api, tenant }) => {
    const names = [tenant.providerName]
    for (let count = 0; count < 10; count += 1) {
      names.push(`Searched ${randomUUID().slice(0, 8)}`)
      await api.provider(names.at(-1))
    }
    const searchedName = names[7] ?? ''
    await showProviders(page, names)
    await open('/internal/recent-calls')
    await expect(page.getByRole('button', { name: 'Show all: Service provider' })).toBeVisible()
    const provider = page.getByRole('combobox', { name: 'Service provider' })
    await expect(provider).toHaveValue(tenant.providerName)
    await provider.fill(searchedName)
    await provider.press('Enter')
    await expect(page).toHaveURL(/\/internal\/accounts$/)
    await expect(provider).toHaveValue(searchedName)
  })

  test.describe('on a touch screen', () => {
    test.use({ hasTouch: true })

    test('shows the complete name after a tap', async ({ page, open, api, tenant }) => {
      // Fewer providers than the search field requires, whatever other tests create.
      const other = `Other ${randomUUID()}`
      await api.provider(other)
      await showProviders(page, [tenant.providerName, other])
      await open('/internal/accounts')
      const side = page.getByRole('complementary', { name: 'Console' })
      await side.getByRole('combobox', { name: 'Service provider' }).tap()
      await expect(side.getByRole('tooltip').filter({ hasText: tenant.providerName })).toBeVisible()
    })
  })

  test('is plain text for an admin with a single provider, who can add further ones', async ({
    page,
    open,
    tenant,
  }) => {
    await showProviders(page, [tenant.providerName])
    await open('/internal/accounts')
    const side = page.getByRole('complementary', { name: 'Console' })
    await expect(side.getByText(tenant.providerName).first()).toBeVisible()
    await expect(side.getByRole('combobox')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Add service provider' })).toBeVisible()
  })

  test('truncates long names with an ellipsis, and keeps the scope on one line', async ({
    page,
    open,
    api,
    tenant,
  }) => {
    const name = `long-${'name-'.repeat(8)}${randomUUID().slice(0, 8)}`
    const { service_provider_sid } = tenant
    const { user_sid, token } = await api.person({ service_provider_sid })
    await api.send('PUT', `/Users/${user_sid}`, { name })
    await page.route('**/Users/me', async (route) => {
      const { user, ...rest } = await (await fetchUnconditionally(route)).json()
      await route.fulfill({ json: { ...rest, user: { ...user, name } } })
    })
    await open('/internal/accounts', token)
    const side = page.getByRole('complementary', { name: 'Console' })
    const truncatedName = side.locator('strong', { hasText: name })
    await expect(truncatedName).toHaveCSS('text-overflow', 'ellipsis')
    expect(await truncatedName.evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(true)
    await truncatedName.hover()
    await expect(side.getByRole('tooltip').filter({ hasText: name })).toBeVisible()
    const scope = side.getByText('Scope: Service provider')
    expect(await scope.evaluate((box) => box.scrollWidth <= box.clientWidth && box.clientHeight < 24)).toBe(true)
    expect(await side.evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true)
  })
})

test('applies preferences immediately, after a reload, and after signing out', async ({ page, open, api, tenant }) => {
  const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await open('/internal/accounts', token)
  await page.getByRole('button', { name: 'Preferences' }).click()
  const dialog = page.getByRole('dialog', { name: 'Preferences' })
  await expect(dialog.getByLabel('Theme')).toBeFocused()
  await dialog.getByLabel('Theme').selectOption('Dark')
  await dialog.getByLabel('Density').selectOption('Compact')
  await dialog.getByLabel('Clock').selectOption('12 hours')
  await dialog.getByLabel('Time zone').selectOption('UTC')
  const root = page.locator('html')
  await expect(root).toHaveAttribute('data-theme', 'dark')
  await expect(root).toHaveAttribute('data-density', 'compact')
  await expectNoFindings(page, 'preferences')
  await expect(dialog.getByText(/^Patchbay \d+\.\d+\.\d+/)).toBeVisible()
  await page.keyboard.press('Escape')
  const menu = page.getByRole('navigation', { name: 'Main' })
  await expect(menu.getByRole('link', { name: 'API documentation' })).toHaveAttribute('href', /\/api\/docs$/)
  await expect(page.getByRole('button', { name: 'Preferences' })).toBeFocused()
  await page.reload()
  await expect(root).toHaveAttribute('data-density', 'compact')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(title(page, 'Log in')).toBeVisible()
  await expect(root).toHaveAttribute('data-theme', 'dark')
  const storedPreferences = await page.evaluate(() => localStorage.getItem('preferences'))
  expect(JSON.parse(storedPreferences ?? '')).toMatchObject({ timeZone: 'UTC', clock: '12', density: 'compact' })
})
