import type { Page } from '@playwright/test'
import { aCall, anAlert, writeAlerts, writeCalls } from './support/calls.ts'
import { hold } from './support/hold-requests.ts'
import { makeApplications } from './support/seed-database.ts'
import { expect, test } from './support/test.ts'

/** Measurable costs of the console: requests, bytes, and layout shifts. */

declare global {
  interface Window {
    shifts: string[]
  }
}

/** Enables data saving, which disables prefetching. */
const saveData = (page: Page) =>
  page.addInitScript(() => {
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } })
  })

/** Records layout shifts without user input, with the shifted elements. */
const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    window.shifts = []
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (!('hadRecentInput' in entry && entry.hadRecentInput)) window.shifts.push(JSON.stringify(entry))
    }).observe({ type: 'layout-shift', buffered: true })
  })

/** Records all requests from now on, and their transferred bytes. */
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

/** Records the scripts that a page loads from now on. */
const recordScripts = (page: Page): string[] => {
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

test('loads the sign-in page with an empty cache in at most six requests and 160 kB', async ({ page }) => {
  await saveData(page)
  const heard = await listen(page)
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await page.waitForLoadState('networkidle')
  const paths = heard.paths.toSorted()
  // The browser requests the icon itself, and does not always report it.
  const kinds = new Set([...paths, '/patchbay.svg'].map((path) => path.replace(/-[\w-]{7}\./, '.')))
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
    name: 'overview',
    path: () => '/internal/overview',
    asks: (_: string, provider: string) => [
      `/patchbay/service-providers/${provider}/new-alerts`,
      `/patchbay/service-providers/${provider}/overview`,
    ],
  },
  {
    name: 'accounts',
    path: () => '/internal/accounts',
    // The overview says whether users can make calls.
    asks: (_: string, provider: string) => [
      `/ServiceProviders/${provider}/Accounts`,
      `/patchbay/service-providers/${provider}/overview`,
    ],
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
      `/patchbay/Accounts/${account}/TranscriptSettings`,
      '/patchbay/audit-trail',
    ],
  },
  {
    name: 'settings',
    path: () => '/internal/settings',
    // The addresses that all providers share, and those of the current one.
    asks: () => ['/PasswordSettings', '/Sbcs', '/Sbcs', '/SystemInformation', '/patchbay/platform-api-keys'],
  },
  {
    name: 'settings of a provider',
    path: () => '/internal/settings?tab=provider',
    asks: (_: string, provider: string) => [
      `/ServiceProviders/${provider}`,
      `/ServiceProviders/${provider}/ApiKeys`,
      `/ServiceProviders/${provider}/Limits`,
    ],
  },
  {
    name: 'reviews',
    path: () => '/internal/reviews?account=all',
    asks: (_: string, provider: string) => [
      `/ServiceProviders/${provider}/Accounts`,
      `/patchbay/service-providers/${provider}/reviews`,
    ],
  },
  {
    name: 'review settings',
    path: () => '/internal/reviews/settings',
    asks: (_: string, provider: string) => [
      `/patchbay/ServiceProviders/${provider}/ReviewModel`,
      `/patchbay/ServiceProviders/${provider}/ReviewSettings`,
    ],
  },
  {
    name: 'masking',
    path: () => '/internal/settings/masking',
    asks: (_: string, provider: string) => [`/patchbay/ServiceProviders/${provider}/MaskingRules`],
  },
  {
    // The rows do not contain the names of the clients' accounts.
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
      '/patchbay/list-settings',
    ],
  },
  {
    name: 'API keys',
    path: () => '/internal/api-keys',
    asks: (_: string, provider: string) => [`/patchbay/service-providers/${provider}/api-keys`],
  },
  {
    name: 'alerts',
    path: () => '/internal/alerts',
    asks: (account: string, provider: string) => [
      `/Accounts/${account}/Alerts`,
      `/ServiceProviders/${provider}/Accounts`,
      `/patchbay/accounts/${account}/new-alerts`,
      `/patchbay/accounts/${account}/seen-alerts`,
    ],
  },
  {
    name: 'system status',
    path: () => '/internal/system',
    asks: () => ['/patchbay/system-status'],
  },
  {
    name: 'outbound call routing',
    path: () => '/internal/least-cost-routing',
    // Loads the accounts for the picker and for the names in the list.
    asks: (_: string, provider: string) => ['/Lcrs', `/ServiceProviders/${provider}/Accounts`],
  },
  {
    name: 'add outbound call routes',
    path: () => '/internal/least-cost-routing/add',
    asks: (_: string, provider: string) => [
      '/Lcrs',
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
    // More accounts than a plain select supports, so that the searchable one is measured.
    for (let count = 0; count < 11; count += 1) await api.account(tenant.service_provider_sid)
    await writeCalls(server.intakePort, tenant, [aCall(), aCall({ answered: false, direction: 'outbound' })])
    const { account_sid, service_provider_sid } = tenant
    await api.send('PUT', `/Accounts/${account_sid}`, { sip_realm: `${account_sid}.example.org` })
    const client = (await api.send('POST', '/Clients', { account_sid, username: 'desk' })).body.sid
    const [application_sid] = makeApplications(server, account_sid, ['Reception'])
    const customer = { service_provider_sid, account_sid, application_sid, tenant_fqdn: `${account_sid}.example.org` }
    await api.send('POST', '/MicrosoftTeamsTenants', customer)
    await watchShifts(page)
    // Disables prefetching by the menu, which is not part of the screen.
    await saveData(page)
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      // Each width needs alerts that the user has not seen.
      await writeAlerts(server.intakePort, tenant, [anAlert(), anAlert({ alert_type: 'no-tts' })])
      await open('/patchbay.svg')
      await page.evaluate((account) => localStorage.setItem('accountFilter', account), account_sid)
      const requestedPaths: string[] = []
      const hear = (request: { url: () => string }) => void requestedPaths.push(new URL(request.url()).pathname)
      page.on('request', hear)
      await page.goto(path(account_sid, client))
      await settled(page)
      page.off('request', hear)
      // The menu names the account that all lists are limited to.
      const named = `/ServiceProviders/${service_provider_sid}/Accounts`
      const own: readonly string[] = asks(account_sid, service_provider_sid, client)
      const all = [...shell, ...own, ...(own.includes(named) ? [] : [named])]
      expect(apiPaths(requestedPaths), `${width} px`).toEqual(all.toSorted())
      expect(await page.evaluate(() => window.shifts), `${width} px`).toEqual([])
    }
  })

test('shows the sign-in page without layout shifts', async ({ page }) => {
  await watchShifts(page)
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/')
    await settled(page)
    expect(await page.evaluate(() => window.shifts), `${width} px`).toEqual([])
  }
})

test('replaces skeletons with slow responses without layout shifts', async ({ page, open, tenant, server }) => {
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

test('prefetches screens, so that opening one loads no script', async ({ page, open, tenant }) => {
  const scripts = recordScripts(page)
  await open('/internal/accounts')
  await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
  // The largest of them arrives last.
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

test('prefetches a list once when the pointer is over its menu entry, so that the click sends no request', async ({
  page,
  open,
  tenant,
  server,
}) => {
  await writeCalls(server.intakePort, tenant, [aCall()])
  await open('/internal/accounts')
  await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
  await page.waitForLoadState('networkidle')
  const requestedPaths: string[] = []
  page.on('request', (request) => void requestedPaths.push(new URL(request.url()).pathname))
  const entry = page.getByRole('link', { name: 'Recent calls' })
  const answer = page.waitForResponse(/RecentCalls/)
  await entry.hover()
  await answer
  await entry.click()
  await expect(page.getByRole('table', { name: 'Recent calls' }).locator('tr[data-row]')).toHaveCount(1)
  const calls = `/ServiceProviders/${tenant.service_provider_sid}/RecentCalls`
  expect(apiPaths(requestedPaths)).toEqual([calls, '/patchbay/list-settings'])
})

test('opens the accounts after signing in without loading a script', async ({ page, api, tenant }) => {
  const { name, password } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  const scripts = recordScripts(page)
  await page.goto('/')
  await expect.poll(() => scripts.filter((url) => url.includes('/list-')).length).toBeGreaterThan(1)
  await page.waitForLoadState('networkidle')
  // The scripts of other screens may be prefetched meanwhile, so no script arrives until the accounts are shown.
  const release = await hold(page, /\.js$/)
  await page.getByLabel('Username').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
  release()
})

test('disables prefetching if data saving is enabled', async ({ page }) => {
  await saveData(page)
  const heard = await listen(page)
  await page.goto('/')
  await settled(page)
  await page.evaluate(
    () => new Promise<void>((resolve) => requestIdleCallback(() => requestIdleCallback(() => resolve()))),
  )
  expect(heard.paths.filter((path) => path.endsWith('.js'))).toHaveLength(1)
})
