import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { showProviders } from './support/providers.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'

const provider = (page: Page) => page.getByRole('combobox', { name: 'Service provider' })

test("NAV-02 NAV-03 an unknown path shows \"That page doesn't exist.\", and signed out a 'Log in' button", async ({
  page,
  server,
}) => {
  await page.goto(`${server.url}/nowhere/at/all`)
  await expect(page.getByRole('heading', { name: "That page doesn't exist." })).toBeVisible()
  await page.getByRole('link', { name: 'Log in' }).click()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
})

test('NAV-04 NAV-02 an unknown path under /internal/ shows a not-found screen inside the frame', async ({
  page,
  open,
}) => {
  await open('/internal/nowhere')
  await expect(page.getByRole('heading', { name: "That page doesn't exist." })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Log in' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Accounts', exact: true }).click()
  await expect(page).toHaveURL(/\/internal\/accounts$/)
})

test('NAV-18 NAV-19 NAV-20 opens the account screens by URL', async ({ page, open, tenant }) => {
  await open('/internal/accounts')
  await expect(page.getByRole('heading', { name: 'Accounts', level: 1 })).toBeVisible()
  await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
  await page.goto('/internal/accounts/add')
  await expect(page.getByRole('form', { name: 'Add an account' })).toBeVisible()
  await page.goto(`/internal/accounts/${tenant.account_sid}/edit`)
  await expect(page.getByLabel('Account name')).toHaveValue(tenant.accountName)
})

/** The groups of the menu of an administrator. Only the server of Patchbay has the entries that are false. */
const menuGroups: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  Overview: { Overview: false },
  Calls: { 'Recent calls': true, 'Live calls': true, Alerts: true, 'Call quality': false },
  Conversations: { Conversations: false },
  'BYO Services': {
    Carriers: true,
    Speech: true,
    'Phone Numbers': true,
    'MS Teams Tenants': true,
    'Outbound Call Routing': true,
  },
  Manage: {
    Applications: true,
    Accounts: true,
    Clients: true,
    Users: true,
    'API keys': false,
    'Audit trail': false,
    'System status': false,
    Settings: true,
    'API documentation': false,
  },
}

/** Gives the provider a domain for Microsoft Teams, with which the menu has all its entries. */
const addTeamsDomain = (api: Api, { service_provider_sid }: Tenant) =>
  api.send('PUT', `/ServiceProviders/${service_provider_sid}`, { ms_teams_fqdn: 'teams.example.org' })

const menu = (page: Page) => page.getByRole('navigation', { name: 'Main' })

for (const [server, config] of [
  ['ours', undefined],
  ["the platform's own", {}],
] as const)
  test(`NAV-54 NAV-65 (deviation) shows the menu in the order of daily work (server: ${server})`, async ({
    page,
    api,
    tenant,
    open,
  }) => {
    if (config) await page.route('**/config.json', (route) => route.fulfill({ json: config }))
    await addTeamsDomain(api, tenant)
    await open('/internal/accounts')
    const expected = Object.entries(menuGroups).flatMap(([group, isEverywhere]) => {
      const entries = Object.keys(isEverywhere).filter((entry) => config === undefined || isEverywhere[entry])
      return entries.length === 0 ? [] : [{ group, entries }]
    })
    await expect(menu(page).getByRole('list')).toHaveCount(expected.length)
    for (const [position, { group, entries }] of expected.entries()) {
      const list = menu(page).getByRole('list').nth(position)
      await expect(list).toHaveAccessibleName(entries.includes(group) ? '' : group)
      await expect(list.getByRole('link')).toHaveText(entries)
    }
    await expect(menu(page).getByRole('link')).toHaveText(expected.flatMap(({ entries }) => entries))
  })

test('NAV-48 NAV-49 NAV-55 lets admins select and add providers, and shows the entry Accounts', async ({
  page,
  api,
  open,
}) => {
  await api.provider()
  await open('/internal/accounts')
  await expect(provider(page)).toBeEnabled()
  await expect(page.getByRole('button', { name: 'Add service provider' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Accounts', exact: true })).toBeVisible()
})

test('NAV-48 NAV-49 NAV-55 disables the provider selector for provider users, without an add button, and shows the entry Accounts', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await open('/internal/accounts', token)
  await expect(provider(page)).toBeDisabled()
  await expect(provider(page).locator('option:checked')).toHaveText(tenant.providerName)
  await expect(page.getByRole('button', { name: 'Add service provider' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Accounts', exact: true })).toBeVisible()
})

test('NAV-48 NAV-49 NAV-55 NAV-56 shows account users the entry Account, which opens their own account', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const { token } = await api.person({ account_sid, service_provider_sid })
  await open('/internal/recent-calls', token)
  await expect(provider(page)).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Add service provider' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Accounts', exact: true })).toHaveCount(0)
  await page.getByRole('link', { name: 'Account', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/internal/accounts/${account_sid}/edit$`))
})

test('COMMON-01 links to the screens of all features of the platform, and to the forms for adding records', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await addTeamsDomain(api, tenant)
  await open('/internal/accounts')
  for (const [entry, add] of [
    ['Accounts', 'Add account'],
    ['Clients', 'Add SIP client'],
    ['Applications', 'Add application'],
    ['Recent calls', undefined],
    ['Alerts', undefined],
    ['Carriers', 'Add carrier'],
    ['Speech', 'Add speech service'],
    ['Phone Numbers', 'Add phone number'],
    ['MS Teams Tenants', 'Add tenant'],
    ['Outbound Call Routing', 'Add outbound call routes'],
  ] as const) {
    await menu(page).getByRole('link', { name: entry, exact: true }).click()
    await expect(menu(page).getByRole('link', { name: entry, exact: true })).toHaveAttribute('aria-current', 'page')
    await expect(page.getByRole('search', { name: 'Filters' })).toBeVisible()
    if (add) await expect(page.getByRole('main').getByRole('link', { name: add }).first()).toBeVisible()
  }
  await menu(page).getByRole('link', { name: 'Carriers', exact: true }).click()
  await page.getByRole('main').getByRole('link', { name: 'Add carrier' }).first().click()
  await expect(
    page
      .getByRole('main')
      .getByRole('button', { name: /^Add .*SIP gateway/ })
      .first(),
  ).toBeVisible()
  await page.getByRole('main').getByRole('tab', { name: 'SMS' }).click()
  await expect(
    page
      .getByRole('main')
      .getByRole('button', { name: /^Add .*SMPP .*gateway/ })
      .first(),
  ).toBeVisible()
})

test('closes and opens the groups of the menu, keeps the entry of the page, and remembers it', async ({
  page,
  open,
}) => {
  await open('/internal/accounts')
  const group = (name: string) => menu(page).getByRole('button', { name, exact: true })
  const entry = (name: string) => menu(page).getByRole('link', { name, exact: true })
  await group('Manage').click()
  await expect(group('Manage')).toHaveAttribute('aria-expanded', 'false')
  await expect(entry('Settings')).toBeHidden()
  await expect(entry('Accounts')).toBeVisible()
  await group('BYO Services').press('Enter')
  await expect(entry('Carriers')).toBeHidden()
  await entry('Recent calls').click()
  await expect(entry('Accounts')).toBeHidden()
  await page.reload()
  await expect(entry('Recent calls')).toBeVisible()
  await expect(entry('Settings')).toBeHidden()
  await group('Manage').click()
  await expect(entry('Settings')).toBeVisible()
  await expect(entry('Carriers')).toBeHidden()
})

test('shows all entries without scrolling at a height of 768 px, and the sign-out from 600 px on', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await addTeamsDomain(api, tenant)
  await page.setViewportSize({ width: 1280, height: 768 })
  await open('/internal/accounts')
  const signOut = page.getByRole('button', { name: 'Sign out' })
  for (const entry of await menu(page).getByRole('link').all()) await expect(entry).toBeInViewport({ ratio: 1 })
  expect(await menu(page).evaluate((box) => box.scrollHeight - box.clientHeight)).toBeLessThanOrEqual(0)
  await expect(signOut).toBeInViewport({ ratio: 1 })
  await page.setViewportSize({ width: 1280, height: 600 })
  await expect(signOut).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('button', { name: 'Preferences' })).toBeInViewport({ ratio: 1 })
  const last = menu(page).getByRole('link', { name: 'Settings' })
  await last.scrollIntoViewIfNeeded()
  await expect(last).toBeInViewport({ ratio: 1 })
  await expect(signOut).toBeInViewport({ ratio: 1 })
})

test('shows only icons with tooltips at 1024 px, and by choice in wide windows, which is remembered', async ({
  page,
  open,
}) => {
  await page.setViewportSize({ width: 1024, height: 900 })
  await open('/internal/accounts')
  const side = page.getByRole('complementary', { name: 'Console' })
  const width = async () => (await side.boundingBox())?.width
  expect(await width()).toBe(56)
  const entry = menu(page).getByRole('link', { name: 'Carriers', exact: true })
  await entry.hover()
  await expect(menu(page).getByRole('tooltip').filter({ hasText: 'Carriers' })).toBeVisible()
  await menu(page).getByRole('link', { name: 'Speech', exact: true }).focus()
  await page.keyboard.press('Shift+Tab')
  await expect(entry).toBeFocused()
  await expect(menu(page).getByRole('tooltip').filter({ hasText: 'Carriers' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Show icons only' })).toBeHidden()
  await expectNoFindings(page, 'menu of icons')
  await page.setViewportSize({ width: 1440, height: 900 })
  expect(await width()).toBe(232)
  await page.getByRole('button', { name: 'Show icons only' }).click()
  expect(await width()).toBe(56)
  await page.reload()
  await expect(entry).toBeVisible()
  expect(await width()).toBe(56)
  await page.getByRole('button', { name: 'Show names in the menu' }).click()
  expect(await width()).toBe(232)
  await entry.hover()
  await expect(menu(page).getByRole('tooltip').filter({ hasText: 'Carriers' })).toBeHidden()
})

test('COMMON-65 the account switch is the account filter of all lists, and is remembered', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const account_sid = await api.account(tenant.service_provider_sid, { name: 'Without carriers' })
  await open('/internal/carriers')
  const accountSwitch = page.getByRole('complementary').getByRole('button', { name: /^Account/ })
  const usedBy = page.getByRole('combobox', { name: 'Used by' })
  await expect(accountSwitch).toHaveText(/All accounts/)
  await accountSwitch.click()
  const search = page.getByRole('combobox', { name: 'Search accounts' })
  await search.fill('without')
  await search.press('Enter')
  await expect(page).toHaveURL(new RegExp(`account=${account_sid}`))
  await expect(usedBy).toHaveValue(account_sid)
  await expect(accountSwitch).toHaveText(/Without carriers/)
  await expect(accountSwitch).toBeFocused()
  await expect(page.getByText('This list shows only the account Without carriers.')).toBeVisible()
  // Another list, and a screen that has no such filter.
  await menu(page).getByRole('link', { name: 'Clients', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`account=${account_sid}`))
  await menu(page).getByRole('link', { name: 'Settings', exact: true }).click()
  await expect(accountSwitch).toHaveText(/Without carriers/)
  await page.reload()
  await expect(accountSwitch).toHaveText(/Without carriers/)
  await menu(page).getByRole('link', { name: 'Carriers', exact: true }).click()
  await page.getByRole('button', { name: 'Show all accounts' }).click()
  await expect(accountSwitch).toHaveText(/All accounts/)
  await expect(page).not.toHaveURL(/account=/)
  await usedBy.selectOption({ label: tenant.accountName })
  await expect(accountSwitch).toHaveText(new RegExp(tenant.accountName))
  await expectNoFindings(page, 'account switch')
})

test('COMMON-65 ignores an account that no longer exists', async ({ page, open }) => {
  await open('/internal/settings')
  await page.evaluate((sid) => localStorage.setItem('accountFilter', sid), randomUUID())
  await menu(page).getByRole('link', { name: 'Carriers', exact: true }).click()
  await expect(page).not.toHaveURL(/account=/)
  await expect(page.getByRole('combobox', { name: 'Used by' })).toHaveValue('')
})

test('COMMON-21 account users have no account switch, and narrow windows have it at the top', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const { token } = await api.person({ account_sid, service_provider_sid })
  await page.setViewportSize({ width: 390, height: 844 })
  await open('/internal/carriers')
  await page
    .getByRole('banner')
    .getByRole('button', { name: /^Account/ })
    .click()
  await page.getByRole('dialog').getByRole('option', { name: tenant.accountName }).click()
  await expect(page).toHaveURL(new RegExp(`account=${account_sid}`))
  await open('/internal/recent-calls', token)
  await expect(page.getByRole('heading', { name: 'Recent calls', level: 1 })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Account/ })).toHaveCount(0)
})

test('NAV-51 offers signing out in the side navigation', async ({ page, api, tenant, open }) => {
  const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await open('/internal/accounts', token)
  await page.getByRole('complementary').getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
})

test('NAV-52 COMMON-63 toggles the menu below 800 px, and keeps it open in wider windows', async ({ page, open }) => {
  await page.setViewportSize({ width: 799, height: 900 })
  await open('/internal/accounts')
  await expect(page.getByRole('heading', { name: 'Accounts', level: 1 })).toBeVisible()
  const entry = page.getByRole('link', { name: 'Recent calls' })
  await expect(entry).toBeHidden()
  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(entry).toBeVisible()
  await page.getByRole('button', { name: 'Close menu' }).click()
  await expect(entry).toBeHidden()
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.keyboard.press('Escape')
  await expect(entry).toBeHidden()
  await page.getByRole('button', { name: 'Open menu' }).click()
  await entry.click()
  await expect(page.getByRole('heading', { name: 'Recent calls', level: 1 })).toBeVisible()
  await expect(entry).toBeHidden()
  await page.setViewportSize({ width: 800, height: 900 })
  await expect(entry).toBeVisible()
  await expect(page.getByRole('button', { name: 'Open menu' })).toBeHidden()
})

test("PROVIDERS-01 PROVIDERS-02 ROLES-02 adds and selects a provider as an admin, with the toast 'Added new service provider {name}'", async ({
  page,
  open,
  tenant,
}) => {
  const name = `Added ${randomUUID().slice(0, 8)}`
  await showProviders(page, [tenant.providerName, name])
  await open('/internal/accounts')
  await page.getByRole('button', { name: 'Add service provider' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add new service provider' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Enter a name')).toBeVisible()
  await dialog.getByLabel('Service provider name').fill(name)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText(`Added new service provider ${name}`)).toBeVisible()
  await expect(dialog).toHaveCount(0)
  await expect(provider(page).locator('option:checked')).toHaveText(name)
  await expect(page.getByText('No Accounts.')).toBeVisible()
})

test('reports a duplicate provider name in the open dialog', async ({ page, open, tenant }) => {
  await open('/internal/accounts')
  await page.getByRole('button', { name: 'Add service provider' }).click()
  await page.getByLabel('Service provider name').fill(tenant.providerName)
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('form').getByText('Duplicate entry: name is already in use')).toBeVisible()
  await expect(page.getByLabel('Service provider name')).toHaveValue(tenant.providerName)
})

test('PROVIDERS-03 PROVIDERS-04 COMMON-64 ROLES-01 returns to the start page after selecting a provider, and keeps the selection after a reload', async ({
  page,
  api,
  open,
  tenant,
}) => {
  const name = `Other ${randomUUID().slice(0, 8)}`
  await showProviders(page, [tenant.providerName, name])
  const other = await api.provider(name)
  const account_sid = await api.account(other, { name: 'Only of the other' })
  const hook = { url: 'https://other.example.org', method: 'POST' }
  const created = await Promise.all([
    api.send('POST', '/Applications', {
      account_sid,
      name: 'Line of the other',
      call_hook: hook,
      call_status_hook: hook,
    }),
    api.send('POST', `/ServiceProviders/${other}/VoipCarriers`, { name: 'Trunk of the other' }),
    api.send('POST', '/Clients', { account_sid, username: 'phone-of-the-other', password: 'Secret-0f-0thers' }),
  ])
  expect(created.map(({ status }) => status)).toEqual([201, 201, 201])
  await open('/internal/recent-calls')
  const everything = [
    ['/internal/applications', 'Line of the other'],
    ['/internal/carriers', 'Trunk of the other'],
    ['/internal/clients', 'phone-of-the-other'],
  ] as const
  for (const [path, text] of everything) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByText(text)).toHaveCount(0)
  }
  await provider(page).selectOption(name)
  await expect(page).toHaveURL(/\/internal\/accounts$/)
  await expect(page.getByRole('link', { name: 'Only of the other', exact: true })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Accounts' }).locator('tbody tr[data-row]')).toHaveCount(1)
  expect(await page.evaluate(() => localStorage.getItem('activeServiceProvider'))).toBe(other)
  await page.reload()
  await expect(provider(page).locator('option:checked')).toHaveText(name)
  await expect(page.getByRole('link', { name: 'Only of the other', exact: true })).toBeVisible()
  for (const [path, text] of everything) {
    await page.goto(path)
    await expect(page.getByText(text).first()).toBeVisible()
  }
})

test('focuses the page heading after navigation, and updates the document title', async ({ page, open }) => {
  await open('/internal/accounts')
  await expect(page).toHaveTitle('Accounts · Patchbay')
  await page.getByRole('link', { name: 'Recent calls' }).press('Enter')
  await expect(page.getByRole('heading', { name: 'Recent calls', level: 1 })).toBeFocused()
  await expect(page).toHaveTitle('Recent calls · Patchbay')
  await page.getByRole('link', { name: 'Accounts', exact: true }).press('Enter')
  await expect(page.getByRole('heading', { name: 'Accounts', level: 1 })).toBeFocused()
  await page.getByRole('link', { name: 'Add account' }).press('Enter')
  await expect(page.getByRole('heading', { name: 'Add an account', level: 1 })).toBeFocused()
  await expect(page).toHaveTitle('Add an account · Patchbay')
  // Typing in the filter changes the URL but not the page, so the focus is kept.
  await page.goto('/internal/accounts')
  const filter = page.getByRole('searchbox', { name: 'Filter accounts' })
  await filter.pressSequentially('abc')
  await expect(page).toHaveURL(/filter=abc$/)
  await expect(filter).toBeFocused()
})

test('NAV-52 opens the menu above the page on a phone, and closes it with Esc', async ({ page, open }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open('/internal/accounts')
  const toggle = page.getByRole('button', { name: 'Open menu' })
  const entry = page.getByRole('link', { name: 'Recent calls' })
  await expect(toggle).toHaveAttribute('aria-expanded', 'false')
  await expect(entry).toBeHidden()
  await toggle.press('Enter')
  await expect(entry).toBeVisible()
  await expect(page.getByRole('button', { name: 'Close menu' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(entry).toBeHidden()
  await expect(toggle).toBeFocused()
  // No part of the page extends beyond the right edge.
  await expectToFit(page, 'the page at 390 px')
})

test('has a skip link to the content, and keeps the theme', async ({ page, open }) => {
  // A start screen can show the setup steps before its own links.
  await open('/internal/carriers')
  await expect(page.getByRole('heading', { name: 'Carriers', level: 1 })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Add carrier' }).first()).toBeFocused()
  await page.getByRole('button', { name: 'Preferences' }).click()
  await page.getByLabel('Theme').selectOption('Dark')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.getByRole('button', { name: 'Preferences' }).click()
  await expect(page.getByLabel('Theme')).toHaveValue('dark')
})
