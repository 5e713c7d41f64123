import type { Page } from '@playwright/test'
import { aCall, anAlert, writeAlerts, writeCalls } from './support/calls.ts'
import { makeApplications } from './support/seed-database.ts'
import { expect, test } from './support/test.ts'

/** What the console costs its users, where it can be counted: requests, bytes, and what moves on the page. */

declare global {
  interface Window {
    shifts: string[]
  }
}

/** Who saves data is spared what is only fetched ahead. */
const saveData = (page: Page) =>
  page.addInitScript(() => {
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } })
  })

/** Every movement that no input has caused, with what has moved. */
const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    window.shifts = []
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (!('hadRecentInput' in entry && entry.hadRecentInput)) window.shifts.push(JSON.stringify(entry))
    }).observe({ type: 'layout-shift', buffered: true })
  })

/** All that the browser asks for from now on, and its bytes on the wire. */
const listen = async (page: Page) => {
  const heard = { paths: [] as string[], bytes: 0 }
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  await client.send('Network.setCacheDisabled', { cacheDisabled: true })
  client.on('Network.requestWillBeSent', ({ request }) => {
    if (request.url.startsWith('http')) heard.paths.push(new URL(request.url).pathname)
  })
  client.on('Network.loadingFinished', ({ encodedDataLength }) => {
    heard.bytes += encodedDataLength
  })
  return heard
}

const apiPaths = (paths: readonly string[]): string[] =>
  paths
    .filter((path) => path.startsWith('/api/'))
    .map((path) => path.replace('/api/v1', ''))
    .toSorted()

/** The scripts that a page fetches from now on. */
const scriptsOf = (page: Page): string[] => {
  const scripts: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url())
  })
  return scripts
}

const settled = async (page: Page) => {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  await page.waitForLoadState('networkidle')
}

test('the sign-in page, cold, takes at most six requests and 160 kB', async ({ page }) => {
  await saveData(page)
  const heard = await listen(page)
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await page.waitForLoadState('networkidle')
  const paths = heard.paths.toSorted()
  // The browser fetches the icon on its own; not every one tells.
  const kinds = new Set([...paths, '/patchbay.svg'].map((path) => path.replace(/-[\w-]{8}\./, '.')))
  expect([...kinds].toSorted()).toEqual([
    '/',
    '/assets/index.css',
    '/assets/index.js',
    '/assets/inter-latin-wght-normal.woff2',
    '/config.json',
    '/patchbay.svg',
  ])
  expect(paths).toHaveLength(new Set(paths).size)
  expect(heard.bytes).toBeGreaterThan(50_000)
  expect(heard.bytes).toBeLessThanOrEqual(160_000)
})

const shell = ['/ServiceProviders', '/Users/me']

const screens = [
  {
    name: 'accounts',
    path: () => '/internal/accounts',
    asks: (_: string, provider: string) => [`/ServiceProviders/${provider}/Accounts`],
  },
  { name: 'add account', path: () => '/internal/accounts/add', asks: () => [] },
  {
    name: 'edit account',
    path: (account: string) => `/internal/accounts/${account}/edit`,
    asks: (account: string) => [
      `/Accounts/${account}`,
      `/Accounts/${account}/ApiKeys`,
      `/Accounts/${account}/Applications`,
      `/Accounts/${account}/Limits`,
      '/patchbay/audit-trail',
    ],
  },
  {
    name: 'settings',
    path: () => '/internal/settings',
    asks: () => ['/PasswordSettings', '/SystemInformation', '/patchbay/platform-api-keys'],
  },
  {
    name: 'settings of a provider',
    path: () => '/internal/settings?tab=provider',
    asks: (_: string, provider: string) => [
      `/ServiceProviders/${provider}/ApiKeys`,
      `/ServiceProviders/${provider}/Limits`,
    ],
  },
  {
    // Whose clients are, their rows do not say by name.
    name: 'SIP clients',
    path: () => '/internal/clients',
    asks: (_: string, provider: string) => ['/Clients', `/ServiceProviders/${provider}/Accounts`],
  },
  {
    name: 'edit SIP client',
    path: (_: string, client: string) => `/internal/clients/${client}/edit`,
    asks: (account: string, _: string, client: string) => [
      `/Accounts/${account}`,
      `/Clients/${client}`,
      '/Sbcs',
      '/patchbay/audit-trail',
    ],
  },
  {
    name: 'MS Teams tenants',
    path: () => '/internal/ms-teams-tenants',
    asks: (_: string, provider: string) => [
      '/MicrosoftTeamsTenants',
      `/ServiceProviders/${provider}/Accounts`,
      '/patchbay/ms-teams-tenants/applications',
    ],
  },
  {
    name: 'phone numbers',
    path: () => '/internal/phone-numbers',
    asks: (_: string, provider: string) => ['/patchbay/phone-numbers', `/ServiceProviders/${provider}/Accounts`],
  },
  {
    name: 'applications',
    path: () => '/internal/applications',
    asks: (account: string, provider: string) => [
      `/Accounts/${account}/Applications`,
      `/ServiceProviders/${provider}/Accounts`,
    ],
  },
  {
    name: 'recent calls',
    path: () => '/internal/recent-calls',
    asks: (account: string, provider: string) => [
      `/Accounts/${account}/RecentCalls`,
      `/ServiceProviders/${provider}/Accounts`,
    ],
  },
  {
    name: 'alerts',
    path: () => '/internal/alerts',
    asks: (account: string, provider: string) => [
      `/Accounts/${account}/Alerts`,
      `/ServiceProviders/${provider}/Accounts`,
    ],
  },
  {
    name: 'outbound call routing',
    path: () => '/internal/least-cost-routing',
    // Accounts to choose from, whose names stand in the list.
    asks: (_: string, provider: string) => ['/Lcrs', `/ServiceProviders/${provider}/Accounts`],
  },
  {
    name: 'add outbound call routes',
    path: () => '/internal/least-cost-routing/add',
    asks: (_: string, provider: string) => [
      `/ServiceProviders/${provider}/Accounts`,
      `/ServiceProviders/${provider}/VoipCarriers`,
    ],
  },
] as const

for (const { name, path, asks } of screens)
  test(`${name}: asks the API for exactly what it shows, and nothing on it moves`, async ({
    page,
    open,
    tenant,
    server,
    api,
  }) => {
    // More accounts than a plain select serves, so that the one that can be searched is part of it.
    for (let made = 0; made < 11; made += 1) await api.account(tenant.service_provider_sid)
    await writeCalls(server.intakePort, tenant, [aCall(), aCall({ answered: false, direction: 'outbound' })])
    await writeAlerts(server.intakePort, tenant, [anAlert(), anAlert({ alert_type: 'no-tts' })])
    const { account_sid, service_provider_sid } = tenant
    await api.send('PUT', `/Accounts/${account_sid}`, { sip_realm: `${account_sid}.example.org` })
    const client = (await api.send('POST', '/Clients', { account_sid, username: 'desk' })).body.sid
    const [application_sid] = makeApplications(server, account_sid, ['Reception'])
    const customer = { service_provider_sid, account_sid, application_sid, tenant_fqdn: `${account_sid}.example.org` }
    await api.send('POST', '/MicrosoftTeamsTenants', customer)
    await watchShifts(page)
    // What the menu asks for by itself, when the page rests, is no part of the screen.
    await saveData(page)
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await open('/patchbay.svg')
      await page.evaluate((account) => localStorage.setItem('accountFilter', account), account_sid)
      const asked: string[] = []
      const hear = (request: { url: () => string }) => void asked.push(new URL(request.url()).pathname)
      page.on('request', hear)
      await page.goto(path(account_sid, client))
      await settled(page)
      page.off('request', hear)
      expect(apiPaths(asked), `${width} px`).toEqual(
        [...shell, ...asks(account_sid, service_provider_sid, client)].toSorted(),
      )
      expect(await page.evaluate(() => window.shifts), `${width} px`).toEqual([])
    }
  })

test('the sign-in page does not move', async ({ page }) => {
  await watchShifts(page)
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/')
    await settled(page)
    expect(await page.evaluate(() => window.shifts), `${width} px`).toEqual([])
  }
})

test('a slow answer comes in the place of its skeleton: nothing moves either', async ({
  page,
  open,
  tenant,
  server,
}) => {
  await writeCalls(server.intakePort, tenant, [aCall()])
  await watchShifts(page)
  const answers: (() => void)[] = []
  await page.route(/\/(?:Accounts|RecentCalls)(?:\?.*)?$/, async (route) => {
    await new Promise<void>((resolve) => void answers.push(resolve))
    await route.continue()
  })
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await open('/internal/accounts')
    await expect(page.locator('[aria-busy=true]')).toHaveCount(1)
    for (const answer of answers.splice(0)) answer()
    await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
    await settled(page)
    expect(await page.evaluate(() => window.shifts), `${width} px`).toEqual([])
  }
})

test('what may be opened next is there before it is opened: no script comes over the network', async ({
  page,
  open,
  tenant,
}) => {
  const scripts = scriptsOf(page)
  await open('/internal/accounts')
  await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
  // The largest of them comes last.
  await expect.poll(() => scripts.some((url) => url.includes('/search-select-'))).toBe(true)
  await page.waitForLoadState('networkidle')
  scripts.length = 0
  await page.getByRole('link', { name: 'Recent calls' }).click()
  await expect(page.getByText('No data.', { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Accounts' }).click()
  await page.getByRole('link', { name: tenant.accountName, exact: true }).click()
  await expect(page.getByLabel('Account name')).toHaveValue(tenant.accountName)
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Add account' }).click()
  await expect(page.getByRole('heading', { name: 'Add an account' })).toBeVisible()
  expect(scripts).toEqual([])
})

test('pointing at an entry of the menu reads its list, once: the click asks for nothing more', async ({
  page,
  open,
  tenant,
  server,
}) => {
  await writeCalls(server.intakePort, tenant, [aCall()])
  await open('/internal/accounts')
  await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
  await page.waitForLoadState('networkidle')
  const asked: string[] = []
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
  const entry = page.getByRole('link', { name: 'Recent calls' })
  const answer = page.waitForResponse(/RecentCalls/)
  await entry.hover()
  await answer
  await entry.click()
  await expect(page.getByRole('table', { name: 'Recent calls' }).locator('tr[data-row]')).toHaveCount(1)
  expect(apiPaths(asked)).toEqual([`/Accounts/${tenant.account_sid}/RecentCalls`])
})

test('signing in opens the accounts without a script from the network', async ({ page, api, tenant }) => {
  const { name, password } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  const scripts = scriptsOf(page)
  await page.goto('/')
  await expect.poll(() => scripts.filter((url) => url.includes('/list-')).length).toBeGreaterThan(1)
  await page.waitForLoadState('networkidle')
  const before = new Set(scripts)
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
  // What may be opened next is fetched then.
  const opened = /\/(?:list|internal|index)-/
  expect(scripts.filter((url) => !before.has(url) && opened.test(url))).toEqual([])
})

test('who saves data is spared what is fetched ahead', async ({ page }) => {
  await saveData(page)
  const heard = await listen(page)
  await page.goto('/')
  await settled(page)
  await page.evaluate(
    () => new Promise<void>((resolve) => requestIdleCallback(() => requestIdleCallback(() => resolve()))),
  )
  expect(heard.paths.filter((path) => path.endsWith('.js'))).toHaveLength(1)
})
