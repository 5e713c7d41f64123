import type { Page } from '@playwright/test'
import { beginForcedChange, typeSignIn } from './support/sign-in.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const logIn = (page: Page) => page.getByRole('heading', { name: 'Log in' })
const warning = (page: Page) => page.getByRole('status').filter({ hasText: 'Your session' })
const remembered = (page: Page) =>
  page.evaluate(() => [sessionStorage.getItem('SESS_OLD_PASSWORD'), sessionStorage.getItem('SESS_USER_SID')])
const token = (page: Page) => page.evaluate(() => localStorage.getItem('token'))

test.describe('the old password, which is stored for a forced change', () => {
  test.beforeEach(async ({ page, api, tenant }) => {
    const { password, user_sid } = await beginForcedChange(page, api, tenant)
    expect(await remembered(page)).toEqual([password, user_sid])
  })

  const isForgotten = async (page: Page) => {
    await expect(logIn(page)).toBeVisible()
    expect(await remembered(page)).toEqual([null, null])
    expect(await token(page)).toBeNull()
  }

  test('is removed by a reload', async ({ page }) => {
    await page.reload()
    await isForgotten(page)
    await expectToast(page, 'Log in again to change your password.')
  })

  test('is removed by opening another URL of the console', async ({ page }) => {
    await page.goto('/internal/accounts')
    await isForgotten(page)
  })

  test('is removed by opening another site, also after coming back', async ({ page }) => {
    await page.goto('about:blank')
    await page.goBack()
    await isForgotten(page)
  })

  test('is removed by leaving the page within the console', async ({ page }) => {
    await page.evaluate(() => {
      history.pushState({}, '', '/nowhere')
      dispatchEvent(new PopStateEvent('popstate'))
    })
    await isForgotten(page)
  })

  test('is removed when the session ends in another tab', async ({ page, context }) => {
    const other = await context.newPage()
    await other.goto('/patchbay.svg')
    await other.evaluate(() => localStorage.removeItem('token'))
    await isForgotten(page)
  })

  test('is removed when another user signs in in another tab', async ({ page, context, api }) => {
    const other = await context.newPage()
    await other.goto('/patchbay.svg')
    await other.evaluate((otherToken) => localStorage.setItem('token', otherToken), api.token)
    await expect(page.getByRole('heading', { name: 'Accounts' })).toBeVisible()
    expect(await remembered(page)).toEqual([null, null])
  })

  test('is removed from a copy of the tab', async ({ page, context }) => {
    // A tab that the page opens starts with a copy of its session storage.
    const [copy] = await Promise.all([context.waitForEvent('page'), page.evaluate(() => void window.open('/'))])
    await isForgotten(copy)
    await isForgotten(page)
  })
})

test('returns to the page on which the session ended', async ({ page, api, tenant, open }) => {
  const { name, password, token: own } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await open('/internal/recent-calls?date=7', own)
  await expect(page.getByText('No data.')).toBeVisible()
  await api.send('POST', '/logout', {}, own)
  await page.getByLabel('Direction').selectOption('inbound')
  await expect(page.getByText('Your session has expired. Please log in and try again.')).toBeVisible()
  await typeSignIn(page, name, password)
  await expect(page).toHaveURL(/\/internal\/recent-calls\?date=7&direction=inbound$/)
  await expect(page.getByText('No data.')).toBeVisible()
})

test('opens the start page at the next sign-in after signing out', async ({ page, api, tenant, open }) => {
  const { name, password, token: own } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await open('/internal/recent-calls', own)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expectToast(page, "You've successfully logged out.")
  await expect(page).toHaveURL(/\/$/)
  await typeSignIn(page, name, password)
  await expect(page).toHaveURL(/\/internal\/accounts$/)
})

for (const next of [
  '//evil.example',
  '///evil.example/internal/',
  '\\\\evil.example',
  '/\\evil.example',
  '/internal/\\..\\..\\evil.example',
  'https://evil.example/internal/accounts',
  'javascript:document.title="evil"',
  'data:text/html,evil',
  '/api/docs',
])
  for (const again of ['', '&again=yes'])
    test(`signing in never leads to ${next}${again}`, async ({ page, api, tenant }) => {
      const { name, password } = await api.person({ service_provider_sid: tenant.service_provider_sid })
      await page.goto(`${api.url}/?next=${encodeURIComponent(next)}${again}`)
      await typeSignIn(page, name, password)
      await expect(page.getByRole('heading', { name: 'Accounts', level: 1 })).toBeVisible()
      expect(page.url()).toBe(`${api.url}/internal/accounts`)
    })

test('the page to return to survives the end of the session while signing in again', async ({
  page,
  api,
  open,
  tenant,
}) => {
  const { name, password, token: own } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await open(`/?next=${encodeURIComponent('/internal/recent-calls?date=7')}&again=yes`, own)
  await expect(page.getByLabel('Username')).toBeVisible()
  const otherTab = await page.context().newPage()
  await otherTab.goto(`${api.url}/patchbay.svg`)
  await otherTab.evaluate(() => localStorage.removeItem('token'))
  await expect(page).toHaveURL(/next=/)
  await typeSignIn(page, name, password)
  await expect(page).toHaveURL(/\/internal\/recent-calls\?date=7$/)
})

test.describe('without session renewal', () => {
  test.beforeEach(async ({ page }) => {
    await page.clock.install()
    await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
  })

  test('warns before the session ends, and returns to the page after signing in again', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { name, password, token: own } = await api.person({ service_provider_sid: tenant.service_provider_sid })
    await open('/internal/recent-calls?date=7', own)
    await expect(page.getByText('No data.')).toBeVisible()
    await page.clock.fastForward('54:00')
    await expect(warning(page)).toHaveCount(0)
    await page.clock.fastForward('01:30')
    await expect(warning(page)).toContainText('Your session ends in 5 minutes.')
    await page.clock.fastForward('03:50')
    await expect(warning(page)).toContainText('Your session ends in a minute.')
    await page.getByRole('link', { name: 'Sign in again' }).click()
    await typeSignIn(page, name, password)
    await expect(page).toHaveURL(/\/internal\/recent-calls\?date=7$/)
    expect(await token(page)).not.toBe(own)
  })

  test('reports the end of the session before typed values are sent', async ({ page, tenant, open }) => {
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await page.getByLabel('Account name').fill('Typed, not saved')
    await page.clock.fastForward('01:01:00')
    await expect(warning(page)).toContainText('Your session has ended.')
    await page.getByRole('link', { name: 'Sign in again' }).click()
    await expect(page.getByRole('dialog', { name: 'Leave without saving?' })).toBeVisible()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByLabel('Account name')).toHaveValue('Typed, not saved')
  })

  test('removes the warning after signing in again in another tab', async ({ page, context, api, tenant, open }) => {
    const { token: own } = await api.person({ service_provider_sid: tenant.service_provider_sid })
    await open('/internal/accounts', own)
    await expect(page.getByRole('heading', { name: 'Accounts' })).toBeVisible()
    await page.clock.fastForward('58:00')
    await expect(warning(page)).toBeVisible()
    const tokenOfLater = await page.evaluate(() => {
      const [head, claims = '', tail] = (localStorage.getItem('token') ?? '').split('.')
      const payload = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/')))
      return [head, btoa(JSON.stringify({ ...payload, exp: payload.exp + 3600 })), tail].join('.')
    })
    const other = await context.newPage()
    await other.goto('/patchbay.svg')
    await other.evaluate((later) => localStorage.setItem('token', later), tokenOfLater)
    await expect(warning(page)).toHaveCount(0)
  })
})

test('continues a session that the server no longer renews until it ends, with a warning', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { token: own } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await page.clock.install()
  let renewalRequests = 0
  await page.route('**/patchbay/session', (route) => {
    renewalRequests += 1
    return route.fulfill({ status: 401, json: { msg: 'Unauthorized' } })
  })
  await open('/internal/accounts', own)
  await expect(page.getByRole('heading', { name: 'Accounts', level: 1 })).toBeVisible()
  await page.clock.fastForward('56:30')
  await page.getByRole('heading', { name: 'Accounts', level: 1 }).click()
  await expect.poll(() => renewalRequests).toBe(1)
  await expect(warning(page)).toContainText('Your session ends in 4 minutes.')
  await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
  expect(await token(page)).toBe(own)
})
