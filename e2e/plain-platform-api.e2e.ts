import type { Page } from '@playwright/test'
import { screens } from '../console/src/app/pages.ts'
import { withoutExtensions } from './support/records.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'
import { fetchUnconditionally } from './support/unconditional-fetch.ts'

/** The console with the platform's own API server, without Patchbay's extensions. */

const onPlatform = (page: Page) => page.route('**/config.json', (route) => route.fulfill({ json: {} }))

const readFilterParameter = async (page: Page, text: string): Promise<string | null> => {
  const filterRequest = page.waitForRequest((request) => new URL(request.url()).searchParams.has('filter'))
  await page.getByRole('searchbox', { name: 'Filter' }).fill(text)
  return new URL((await filterRequest).url()).searchParams.get('filter')
}

test('escapes the filter of recent calls, because that server treats it as a regular expression', async ({
  page,
  open,
}) => {
  await onPlatform(page)
  await open('/internal/recent-calls')
  expect(await readFilterParameter(page, 'sales+1')).toBe('sales\\+1')
  await expect(page).toHaveURL(/filter=sales%2B1$/)
})

test('sends the filter unchanged to Patchbay’s own server, and a number as its digits', async ({ page, open }) => {
  await open('/internal/recent-calls')
  expect(await readFilterParameter(page, 'sales+1')).toBe('sales+1')
  expect(await readFilterParameter(page, '+44 20 7946-0958')).toBe('442079460958')
})

test('derives view-only access from the token if Users/me does not contain it', async ({ page, api, tenant, open }) => {
  await onPlatform(page)
  await page.route('**/Users/me', async (route) => {
    const answer = await fetchUnconditionally(route)
    const { user, ...rest } = await answer.json()
    const { is_view_only: _unsaid, ...columns } = user
    await route.fulfill({ json: { ...rest, user: columns } })
  })
  const { service_provider_sid } = tenant
  const viewer = await api.person({ service_provider_sid, is_view_only: true })
  const banner = page.getByText('You have view-only access. You can see everything here but can’t change it.')
  await open('/internal/accounts', viewer.token)
  await expect(banner).toBeVisible()
  const writer = await api.person({ service_provider_sid })
  await open('/internal/accounts', writer.token)
  await expect(page.getByRole('heading', { name: 'Accounts', level: 1 })).toBeVisible()
  await expect(banner).toHaveCount(0)
})

for (const [server, prepare] of [
  ['that server', onPlatform],
  ['ours', () => Promise.resolve()],
] as const)
  test(`a save sends ${server} what was changed and nothing else; without a change it sends nothing`, async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await prepare(page)
    const path = `/Accounts/${tenant.account_sid}`
    const hook = { url: 'https://example.org/r', method: 'GET', username: 'u', password: 'p' }
    await api.send('PUT', path, { registration_hook: hook, queue_event_hook: { ...hook, method: 'POST' } })
    const edit = `/internal/accounts/${tenant.account_sid}/edit`
    const save = page.getByRole('button', { name: 'Save' })
    const relevantRequests: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET' || request.url().includes('/taken')) relevantRequests.push(request.url())
    })

    await open(edit)
    await expect(page.getByLabel('Account name')).toHaveValue(tenant.accountName)
    await save.click()
    await expect(page).toHaveURL(/\/internal\/accounts$/)
    expect(relevantRequests).toEqual([])

    await page.goto(edit)
    await page.getByLabel('Registration webhook password').fill('another')
    const put = page.waitForRequest((request) => request.method() === 'PUT')
    await save.click()
    expect((await put).postDataJSON()).toEqual({ registration_hook: { ...hook, password: 'another' } })
    await expectToast(page, 'Account updated successfully')
    // A concurrent change of the name is not overwritten.
    await page.goto(edit)
    await expect(page.getByLabel('Account name')).toHaveValue(tenant.accountName)
    await api.send('PUT', path, { name: `${tenant.accountName} of another` })
    await page.getByLabel('Enable debug log for this account').check()
    await save.click()
    await expectToast(page, 'Account updated successfully')
    expect((await api.send('GET', path)).body).toMatchObject({
      name: `${tenant.accountName} of another`,
      enable_debug_log: 1,
    })
  })

test('shows a record without a second tab without any tabs', async ({ page, open, tenant }) => {
  await onPlatform(page)
  await open(`/internal/accounts/${tenant.account_sid}/edit?tab=contents`)
  await expect(page.getByLabel('Account name')).toHaveValue(tenant.accountName)
  await expect(page.getByRole('tab')).toHaveCount(0)
})

test('rotates an API key with the endpoints of that server only', async ({ page, api, open, tenant }) => {
  await onPlatform(page)
  const { account_sid } = tenant
  const old = (await api.send('POST', '/ApiKeys', { account_sid })).body
  const writes: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') writes.push(`${request.method()} ${new URL(request.url()).pathname}`)
  })
  await open(`/internal/accounts/${account_sid}/edit`)
  await page.getByRole('button', { name: /^Rotate / }).click()
  const created = page.waitForRequest((request) => request.method() === 'POST')
  await page.getByRole('button', { name: 'Create new key' }).click()
  expect((await created).postDataJSON()).toEqual({ account_sid })
  await page.getByRole('button', { name: 'Delete the old key…' }).click()
  await page.getByRole('button', { name: 'Delete key' }).click()
  await expectToast(page, 'API key deleted')
  expect(writes).toEqual(['POST /api/v1/ApiKeys', `DELETE /api/v1/ApiKeys/${String(old.sid)}`])
})

test("keeps the provider's webhook on that server, and neither requests nor shows missing features", async ({
  page,
  api,
  tenant,
  open,
}) => {
  await onPlatform(page)
  const registration_hook = { url: 'https://example.org/r', method: 'POST', username: null, password: null }
  await api.send('PUT', `/ServiceProviders/${tenant.service_provider_sid}`, { registration_hook })
  const ours: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/patchbay/')) ours.push(request.url())
  })
  await page.route('**/TtsCache', (route) => route.fulfill({ json: { size: 2 } }))
  await open('/internal/settings')
  await expect(page.getByText('2 prompts cached.')).toBeVisible()
  await expect(page.getByText('Platform API keys')).toHaveCount(0)
  await page.getByRole('tab', { name: 'Service provider' }).click()
  await page.getByLabel('Service provider name').fill(`${tenant.providerName} renamed`)
  const put = page.waitForRequest((request) => request.method() === 'PUT')
  await page.getByRole('button', { name: 'Save' }).click()
  expect((await put).postDataJSON()).toEqual({ name: `${tenant.providerName} renamed`, registration_hook })
  await page.getByRole('button', { name: 'Delete service provider' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete service provider?' })
  await expect(dialog).toContainText('It must have no accounts and no users left.')
  await dialog.getByLabel(/^Type /).fill(`${tenant.providerName} renamed`)
  await dialog.getByRole('button', { name: 'Delete service provider' }).click()
  await expect(dialog.getByRole('alert').first()).toContainText('insufficient privileges')
  expect(ours.filter((url) => !url.includes('/patchbay/session'))).toEqual([])
})

test("opens every screen without an error in the browser's console and without a request below /patchbay/", async ({
  page,
  api,
  open,
  tenant,
}) => {
  await withoutExtensions(page)
  const { account_sid, service_provider_sid } = tenant
  const carrier = await api.send('POST', '/VoipCarriers', { name: 'Main trunk', service_provider_sid })
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`))
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.includes('/patchbay/')) complaints.push(request.url())
  })
  const paths = screens
    .filter(({ audience, path, serverExtension }) => audience === undefined && !path.includes('$') && !serverExtension)
    .map(({ path }) => path)
  expect(paths.length).toBeGreaterThan(20)
  await open('/internal/accounts')
  for (const path of [
    ...paths,
    `/internal/accounts/${account_sid}/edit`,
    `/internal/carriers/${carrier.body.sid}/edit?tab=used-by`,
  ]) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  }
  expect(complaints).toEqual([])
})
