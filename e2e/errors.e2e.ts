import type { Page } from '@playwright/test'
import { typeSignIn } from './support/sign-in.ts'
import { fillStorage, listStored } from './support/stored-values.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const storedToken = (page: Page) => page.evaluate(() => localStorage.getItem('token'))

test("ERRORS-01 COMMON-68 clears the storage after a 401, and shows the sign-in page with 'Your session has expired. Please log in and try again.'", async ({
  page,
  open,
}) => {
  await open('/internal/accounts')
  await expect(page.getByRole('heading', { name: 'Accounts' })).toBeVisible()
  await page.evaluate(() => {
    const { setItem } = Storage.prototype
    Storage.prototype.setItem = function setItemAndReport(key, value) {
      if (this === sessionStorage) document.documentElement.dataset[key] = value
      setItem.call(this, key, value)
    }
  })
  await page.route('**/RecentCalls*', async (route) => {
    await fillStorage(page)
    await route.fulfill({ status: 401, json: { msg: 'Unauthorized' } })
  })
  await page.getByRole('link', { name: 'Recent calls' }).click()
  // Checked first, because the message disappears after five seconds.
  await expect(page.getByText('Your session has expired. Please log in and try again.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  expect(await listStored(page)).toEqual([])
  const flash = await page.evaluate(() => [
    document.documentElement.dataset['SESS_FLASH_MSG'],
    sessionStorage.getItem('SESS_FLASH_MSG'),
  ])
  expect(flash).toEqual(['Your session has expired. Please log in and try again.', null])
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await expect(page.getByText('Your session has expired. Please log in and try again.')).toHaveCount(0)
})

test("ERRORS-02 NAV-01 redirects an internal route without a session to sign-in with 'You must log in to view that page', and back afterwards", async ({
  page,
  api,
  tenant,
}) => {
  const { name, password } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await page.goto(`${api.url}/internal/recent-calls?date=7`)
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await expect(page.getByText('You must log in to view that page')).toBeVisible()
  await typeSignIn(page, name, password)
  await expect(page).toHaveURL(/\/internal\/recent-calls\?date=7$/)
})

test("ERRORS-03 COMMON-72 ERRORS-13 shows the server's msg as a toast", async ({ page, tenant, open }) => {
  await page.route('**/Accounts/*', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 422, json: { msg: 'That will not do' } })
      : route.fallback(),
  )
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await page.getByLabel('Account name').fill('Another name')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'That will not do')
  await expect(page.getByLabel('Account name')).toHaveValue('Another name')
})

for (const [member, body] of [
  ['error', { error: 'said in error' }],
  ['status', { status: 'said in status' }],
] as const)
  test(`ERRORS-13 a refusal that carries only ${member} shows it`, async ({ page, open }) => {
    await page.route('**/RecentCalls*', (route) => route.fulfill({ status: 400, json: body }))
    await open('/internal/recent-calls')
    await expect(page.getByText(Object.values(body)[0] ?? '')).toBeVisible()
  })

test("ERRORS-04 shows 'Something went wrong, please try again' for an invalid response, and keeps the session", async ({
  page,
  open,
}) => {
  await page.route('**/RecentCalls*', (route) => route.fulfill({ status: 200, body: '<html>' }))
  await open('/internal/recent-calls')
  await expect(page.getByText('Something went wrong, please try again', { exact: true })).toBeVisible()
  expect(await storedToken(page)).toMatch(/^ey/)
})

test("ERRORS-05 shows 'Something went wrong, please try again.' for an error response without msg", async ({
  page,
  open,
}) => {
  await page.route('**/RecentCalls*', (route) => route.fulfill({ status: 500, json: {} }))
  await open('/internal/recent-calls')
  await expect(page.getByText('Something went wrong, please try again.', { exact: true })).toBeVisible()
})

test("ERRORS-06 clears the storage after 60 s of network failures, and shows the sign-in page with 'The server cannot be reached'", async ({
  page,
  open,
}) => {
  await page.clock.install()
  await open('/internal/accounts')
  await expect(page.getByRole('heading', { name: 'Accounts' })).toBeVisible()
  await page.route('**/RecentCalls*', (route) => route.abort('connectionrefused'))
  await page.getByRole('link', { name: 'Recent calls' }).click()
  await expect(page.getByText("Can't reach the server. Reconnecting…")).toBeVisible()
  await page.clock.fastForward(55_000)
  await expect(page.getByRole('heading', { name: 'Recent calls' })).toBeVisible()
  expect(await storedToken(page)).toMatch(/^ey/)
  await page.clock.fastForward(10_000)
  await expect(page.getByText('The server cannot be reached')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  expect(await storedToken(page)).toBeNull()
})

test('ERRORS-06 retries a failed read once without a message', async ({ page, open }) => {
  await page.route('**/RecentCalls*', (route) => route.abort('connectionrefused'), { times: 2 })
  await open('/internal/recent-calls')
  await expect(page.getByText('No data.')).toBeVisible()
  expect(await storedToken(page)).toMatch(/^ey/)
})

test('ERRORS-07 reports on the sign-in page that the server cannot be reached', async ({ page, api }) => {
  await page.route('**/login', (route) => route.abort('connectionrefused'))
  await page.goto(api.url)
  await page.evaluate(() => localStorage.setItem('theme', 'dark'))
  await typeSignIn(page, 'someone', 'something')
  await expect(page.getByRole('alert').getByText('The server cannot be reached')).toBeVisible()
  await expect(page.getByLabel('Username')).toHaveValue('someone')
  expect(await page.evaluate(() => localStorage.getItem('theme'))).toBe('dark')
})

test("ERRORS-09 shows 'Unexpected Application Error!' and a way back if a screen crashes", async ({ page, open }) => {
  await page.route('**/ServiceProviders', (route) => route.fulfill({ json: [{ name: 1 }, { name: 2 }] }))
  await open('/internal/accounts')
  await expect(page.getByRole('heading', { name: 'Unexpected Application Error!' })).toBeVisible()
  await page.unroute('**/ServiceProviders')
  await page.getByRole('link', { name: 'Start over' }).click()
  await expect(page.getByRole('heading', { name: 'Accounts' })).toBeVisible()
})

test("ERRORS-10 shows '{text} copied to clipboard' after copying, with a mask for secrets", async ({
  page,
  context,
  tenant,
  open,
  api,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await page.getByRole('button', { name: 'Copy Account SID' }).click()
  await expectToast(page, `${tenant.account_sid} copied to clipboard`)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(tenant.account_sid)
  const secret: string = (await api.send('GET', `/Accounts/${tenant.account_sid}`)).body.webhook_secret
  await page.getByRole('button', { name: 'Copy Webhook secret' }).click()
  await expectToast(page, `${secret.slice(-4)} copied to clipboard`)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
  expect(await page.locator('body').textContent()).not.toContain(secret)
})

test("ERRORS-11 shows 'Unable to copy {text}, please select the text and right click to copy' if copying fails", async ({
  page,
  tenant,
  open,
}) => {
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))
  })
  await page.getByRole('button', { name: 'Copy Account SID' }).click()
  await expectToast(page, `Unable to copy ${tenant.account_sid}, please select the text and right click to copy`)
})

test('COMMON-04 reads the API base from the runtime configuration, without a new build', async ({
  page,
  server,
  open,
}) => {
  const requestedPaths: string[] = []
  await page.route('**/config.json', (route) => route.fulfill({ json: { apiBase: `${server.url}/v1` } }))
  page.on('request', (request) => {
    if (/\/(Users|ServiceProviders)/.test(request.url())) requestedPaths.push(new URL(request.url()).pathname)
  })
  await open('/internal/accounts')
  await expect(page.getByRole('heading', { name: 'Accounts' })).toBeVisible()
  await expect.poll(() => requestedPaths.length).toBeGreaterThan(2)
  expect(requestedPaths.every((path) => path.startsWith('/v1/'))).toBe(true)
})

test('shows the sign-in page instead of a blank page for a malformed stored token', async ({ page, open }) => {
  await open('/internal/accounts', 'garbage')
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
})

test('ERRORS-08 ends the session for 401, and reports the statuses 400, 403, 404, 422, 480, and 500', async ({
  page,
  open,
}) => {
  let status = 200
  await page.route('**/RecentCalls*', (route) =>
    route.fulfill({
      status,
      json: status === 200 ? { total: 0, page: '1', page_size: '25', data: [] } : { msg: `refused with ${status}` },
    }),
  )
  await open('/internal/recent-calls')
  await expect(page.getByText('No data.')).toBeVisible()
  for (status of [400, 403, 404, 422, 480, 500]) {
    await page.reload()
    await expect(page.getByText(`refused with ${status}`)).toBeVisible()
  }
  status = 401
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
})

for (const status of [200, 201, 202, 204])
  test(`a save answered ${status} is a success`, async ({ page, tenant, open }) => {
    await page.route('**/Accounts/*', (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill(status < 202 ? { status, json: {} } : { status })
        : route.fallback(),
    )
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await page.getByLabel('Account name').fill('Another name')
    await page.getByRole('button', { name: 'Save' }).click()
    await expectToast(page, 'Account updated successfully')
  })
