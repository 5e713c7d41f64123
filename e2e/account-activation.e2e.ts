import type { Page, Route } from '@playwright/test'
import { expectEveryLayout } from './support/expect-every-layout.ts'
import { withoutExtensions } from './support/records.ts'
import { test } from './support/redis.ts'
import { expect, type Tenant, test as withoutRedis } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Suspending an account, and activating it again, with a real Redis and a fake feature server. */

const edit = ({ account_sid }: Tenant) => `/internal/accounts/${account_sid}/edit`
const deactivate = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Deactivate account' })
const activate = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Activate account' })
const question = (page: Page) => page.getByRole('dialog', { name: 'Deactivate account?' })

test('deactivates an account with its calls, whose users and keys are rejected until it is activated', async ({
  page,
  api,
  open,
  tenant,
  featureServer,
}) => {
  const { account_sid, service_provider_sid, accountName } = tenant
  const person = await api.person({ account_sid, service_provider_sid })
  const { token } = (await api.send('POST', '/ApiKeys', { account_sid })).body
  await featureServer.call(account_sid)
  await featureServer.call(account_sid, { callStatus: 'ringing' })
  await featureServer.end(await featureServer.call(account_sid))
  await open(edit(tenant))
  await deactivate(page).click()
  const dialog = question(page)
  await expect(dialog).toContainText('Its users are signed out, and cannot sign in.')
  await expect(dialog).toContainText('The SBC rejects its inbound calls with 503.')
  await expect(dialog.getByRole('listitem').filter({ hasText: '2 calls in progress.' })).toBeVisible()
  await expectEveryLayout(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await dialog.getByRole('checkbox', { name: 'End the 2 calls in progress' }).check()
  await dialog.getByLabel('Reason').fill('Unusual calls at night')
  await dialog.getByRole('button', { name: 'Deactivate account' }).click()
  await expectToast(page, `Deactivated account ${accountName}, and ended 2 calls`)
  await expect(page.getByText('Inactive', { exact: true })).toBeVisible()
  const ends = new Set(featureServer.heard.map(({ body }) => body['call_status']))
  expect(ends).toEqual(new Set(['completed', 'no-answer']))
  const stored = (await api.send('GET', `/Accounts/${account_sid}`)).body
  expect(stored).toMatchObject({ is_active: 0, deactivated_reason: 'Unusual calls at night' })
  const signIn = { username: person.name, password: person.password }
  expect((await api.send('POST', '/login', signIn, '')).status).toBe(403)
  for (const rejected of [person.token, token])
    expect((await api.send('GET', '/Users/me', undefined, rejected)).status).toBe(401)

  await page.getByRole('tab', { name: 'History' }).click()
  await expect(page.getByRole('main')).toContainText('Unusual calls at night')
  await activate(page).click()
  const again = page.getByRole('dialog', { name: 'Activate account?' })
  await expect(again).toContainText('Unusual calls at night')
  await again.getByRole('button', { name: 'Activate account' }).click()
  await expectToast(page, `Activated account ${accountName}`)
  await expect(deactivate(page)).toBeVisible()
  expect((await api.send('GET', `/Accounts/${account_sid}`)).body).toMatchObject({
    is_active: 1,
    deactivated_reason: null,
  })
  expect((await api.send('POST', '/login', signIn, '')).status).toBe(200)
})

test('says how many calls could not be ended, and leaves calls alone without a mark', async ({
  page,
  api,
  open,
  tenant,
  featureServer,
}) => {
  const { account_sid, accountName } = tenant
  await featureServer.call(account_sid)
  const before = featureServer.heard.length
  const fail = (route: Route) => route.fulfill({ status: 503, json: { msg: 'A required service cannot be reached' } })
  await page.route('**/Calls', fail)
  await open(edit(tenant))
  await deactivate(page).click()
  await expect(question(page)).toContainText('which could not be counted: A required service cannot be reached.')
  await question(page).getByRole('button', { name: 'Cancel' }).click()
  await page.unroute('**/Calls')
  await deactivate(page).click()
  await expect(question(page)).toContainText('1 call in progress.')
  await question(page).getByRole('button', { name: 'Deactivate account' }).click()
  await expectToast(page, `Deactivated account ${accountName}`)
  expect(featureServer.heard.length).toBe(before)

  await api.send('PUT', `/Accounts/${account_sid}`, { is_active: true })
  await open(edit(tenant))
  await deactivate(page).click()
  await question(page).getByRole('checkbox', { name: 'End the 1 call in progress' }).check()
  featureServer.answer = (response) => response.writeHead(480, 'Temporarily Unavailable').end()
  await question(page).getByRole('button', { name: 'Deactivate account' }).click()
  await expectToast(page, '1 call could not be ended. Live calls shows what is still in progress.')
  featureServer.answer = undefined
  await expect(page.getByText('Inactive', { exact: true })).toBeVisible()

  await api.send('PUT', `/Accounts/${account_sid}`, { is_active: true })
  await open(edit(tenant))
  await deactivate(page).click()
  await question(page).getByRole('checkbox', { name: 'End the 1 call in progress' }).check()
  await page.route('**/Calls', fail)
  await question(page).getByRole('button', { name: 'Deactivate account' }).click()
  await expectToast(page, 'The calls in progress could not be read, so none was ended.')
  await expect(question(page)).toHaveCount(0)
  await expect(page.getByText('Inactive', { exact: true })).toBeVisible()
})

withoutRedis(
  'says that calls are not known without Redis, and offers nothing to users who may not',
  async ({ page, api, open, tenant }) => {
    const { account_sid, service_provider_sid } = tenant
    await open(edit(tenant))
    await deactivate(page).click()
    await expect(question(page)).toContainText('Calls in progress, which are not known here without Redis.')
    await expect(question(page).getByRole('checkbox')).toHaveCount(0)
    const viewer = await api.person({ service_provider_sid, is_view_only: true })
    await open(edit(tenant), viewer.token)
    await expect(deactivate(page)).toHaveAttribute('aria-disabled', 'true')
    const own = await api.person({ account_sid, service_provider_sid })
    await open(edit(tenant), own.token)
    await expect(page.getByRole('heading', { name: tenant.accountName, level: 1 })).toBeVisible()
    await expect(deactivate(page)).toHaveCount(0)
  },
)

withoutRedis('claims no rejection of users by an API server that does not check it', async ({ page, open, tenant }) => {
  await withoutExtensions(page)
  await open(edit(tenant))
  await deactivate(page).click()
  await expect(question(page)).toContainText('Its users and API keys, which this API server does not reject')
  await expect(question(page)).not.toContainText('cannot sign in')
})
