import type { Page } from '@playwright/test'
import { expectNoFindings, rulesFor, themes } from './support/axe.ts'
import { closeDialog, readCode } from './support/copied-requests.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { test } from './support/redis.ts'
import { readCurlRequests } from './support/run-code.ts'
import { type Api, expect, type Tenant, test as withoutRedis } from './support/test.ts'
import { expectToast } from './support/toasts.ts'
import { fetchUnconditionally } from './support/unconditional-fetch.ts'

/** Active calls on a platform, with a real Redis and a fake feature server. */

const path = ({ account_sid }: Tenant) => `/internal/live-calls?account=${account_sid}`
const rows = (page: Page) => page.getByRole('table', { name: 'Live calls' }).locator('tr[data-row]')

const application = async (api: Api, { account_sid }: Tenant): Promise<string> => {
  const call_hook = { url: 'https://apps.example.org/menu', username: 'u', password: 'p' }
  const body = {
    name: 'Main menu',
    account_sid,
    call_hook,
    call_status_hook: { url: 'https://apps.example.org/status' },
  }
  return (await api.send('POST', '/Applications', body)).body.sid
}

test('shows active calls with their age, refreshes automatically, and hangs up a call with a link to its record', async ({
  page,
  api,
  open,
  tenant,
  featureServer,
}) => {
  const { account_sid } = tenant
  const applicationSid = await application(api, tenant)
  const first = await featureServer.call(account_sid, { applicationSid }, Date.now() - 3_723_000)
  await featureServer.write(
    ['ZADD', `queue:${account_sid}:support`, '999', '1:http://10.0.0.1'],
    ['HSET', `conf:${account_sid}:weekly`, 'sipAddress', '10.0.0.1'],
  )
  await open(path(tenant))
  await expect(rows(page)).toHaveCount(1)
  const row = rows(page).first()
  for (const text of ['In progress', '+1 (508) 372-8299', '+1 (508) 308-4809', 'a trunk'])
    await expect(row).toContainText(text)
  await expect(row.getByRole('link', { name: 'Main menu' })).toBeVisible()
  await expect(row.getByText(/^1:0\d:\d\d$/)).toBeVisible()
  const aside = page.getByRole('region', { name: 'Queues and conferences' })
  await expect(aside).toContainText('1 waiting')
  await expect(aside).toContainText('weekly')

  for (const colorScheme of themes)
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 900 })
      await expectNoFindings(page, `live calls at ${width} px`, { rules: rulesFor(colorScheme, width) })
      await expectToFit(page, `live calls at ${width} px`)
    }
  await page.setViewportSize({ width: 1440, height: 900 })

  // The list refreshes without user activity.
  const ringing = { from: '4930123456', callStatus: 'ringing', direction: 'outbound' }
  const second = await featureServer.call(account_sid, ringing)
  await expect(rows(page)).toHaveCount(2)
  await expect(rows(page).first()).toContainText('Ringing')

  await row.getByRole('button', { name: 'Hang up the call from 4930123456' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Hang up the call from 15083728299' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Hang up' }).click()
  await expectToast(page, 'The call is being ended')
  expect(featureServer.heard.at(-1)).toEqual({
    path: `/v1/updateCall/${first}`,
    body: { call_status: 'completed' },
  })
  await expect(rows(page)).toHaveCount(1)
  // A call that was not answered cannot be completed.
  await page.getByRole('button', { name: 'Hang up the call from 4930123456' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Hang up' }).click()
  await expect(rows(page)).toHaveCount(0)
  expect(featureServer.heard.at(-1)).toEqual({
    path: `/v1/updateCall/${second}`,
    body: { call_status: 'no-answer' },
  })
  await page.getByRole('combobox', { name: 'Calls', exact: true }).selectOption('ended recently')
  await expect(rows(page)).toHaveCount(2)
  await expect(rows(page).first()).toContainText('No answer')
  await expect(rows(page).last()).toContainText('Completed')
  await expect(rows(page).last()).toContainText('00:07')
  await rows(page)
    .last()
    .getByRole('link', { name: /^Show the call from/ })
    .click()
  await expect(page).toHaveURL(new RegExp(`/internal/recent-calls/${account_sid}/${first}`))
})

test('lists the calls of all accounts that the overview counts, and of one account where the server lists no others', async ({
  page,
  api,
  open,
  tenant,
  featureServer,
}) => {
  const { service_provider_sid } = tenant
  const [one, other] = [
    await api.account(service_provider_sid, { name: '1 First' }),
    await api.account(service_provider_sid, { name: '2 Second' }),
  ]
  const { token } = await api.person({ service_provider_sid })
  await featureServer.call(one, { from: '4930111' })
  await featureServer.call(other, { from: '4930222' }, Date.now() - 5_000)
  await featureServer.call(other, { callStatus: 'completed' })
  await open('/internal/overview', token)
  await page.getByRole('link', { name: '2 calls in progress' }).click()
  await expect(rows(page)).toHaveCount(2)
  await expect(rows(page).first()).toContainText('1 First')
  await expect(rows(page).last().getByRole('link', { name: '2 Second' })).toBeVisible()
  await expectNoFindings(page, 'live calls of all accounts')
  await page.setViewportSize({ width: 390, height: 844 })
  await expectToFit(page, 'live calls of all accounts')
  await page.setViewportSize({ width: 1440, height: 900 })

  const list = '**/service-providers/*/live-calls'
  await page.route(list, async (route) => {
    const { data } = await (await fetchUnconditionally(route)).json()
    await route.fulfill({ json: { data, is_cut: true } })
  })
  await expect(page.getByText('Only the 3 newest calls are listed.')).toBeVisible()
  await page.route(list, (route) => route.fulfill({ status: 503, json: { msg: 'Redis is away' } }))
  await page.reload()
  await expect(page.getByText('Redis is away')).toBeVisible()
  await page.unroute(list)
  await page.getByRole('button', { name: 'Retry' }).click()
  await rows(page).last().getByRole('button', { name: 'Hang up the call from 4930222' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Hang up' }).click()
  await expect(rows(page)).toHaveCount(1)

  // The API server of jambonz lists the calls of one account.
  await page.route('**/config.json', async (route) => {
    const config = await (await route.fetch()).json()
    const extensions = config.extensions.filter((extension: string) => extension !== 'live-calls-of-provider')
    await route.fulfill({ json: { ...config, extensions } })
  })
  const requests: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  await open('/internal/live-calls?account=all', token)
  await expect(rows(page)).toHaveCount(1)
  await expect(page.getByRole('columnheader', { name: 'Account' })).toHaveCount(0)
  expect(requests.some((pathname) => pathname.endsWith(`/Accounts/${one}/Calls`))).toBe(true)
  expect(requests.some((pathname) => /\/api\/.*\/live-calls$/.test(pathname))).toBe(false)
})

test('transfers a call to an application or a webhook, and shows errors of the feature server in the dialog', async ({
  page,
  api,
  open,
  tenant,
  featureServer,
}) => {
  const call_sid = await featureServer.call(tenant.account_sid)
  await application(api, tenant)
  await open(path(tenant))
  const dialog = page.getByRole('dialog', { name: 'Transfer the call' })
  const openDialog = () => page.getByRole('button', { name: /^Transfer the call from/ }).click()
  const transfer = () => dialog.getByRole('button', { name: 'Transfer', exact: true }).click()
  await openDialog()
  await transfer()
  await expect(dialog.getByText('Choose an application', { exact: true }).last()).toBeVisible()
  await dialog.getByRole('combobox', { name: 'Application', exact: true }).selectOption('Main menu')
  const code = await readCode(page, 'curl', dialog)
  expect(code).not.toContain('"password":"p"')
  const call_hook = { url: 'https://apps.example.org/menu', method: 'POST', username: 'u', password: 'p' }
  const callPath = `/api/v1/Accounts/${tenant.account_sid}/Calls/${call_sid}`
  expect(await readCurlRequests(code, () => 'p')).toEqual([{ method: 'PUT', path: callPath, body: { call_hook } }])
  await closeDialog(page)
  expect(featureServer.heard.filter(({ path: heard }) => heard.includes(`updateCall/${call_sid}`))).toEqual([])
  featureServer.answer = (response) =>
    response.writeHead(409).end(JSON.stringify({ msg: 'the call is just being answered' }))
  await transfer()
  await expect(dialog.getByRole('alert')).toContainText('the call is just being answered')
  featureServer.answer = undefined
  await transfer()
  await expectToast(page, 'The call is being transferred')
  expect(featureServer.heard.at(-1)).toEqual({ path: `/v1/updateCall/${call_sid}`, body: { call_hook } })

  await openDialog()
  await dialog.getByRole('combobox', { name: 'Transfer to', exact: true }).selectOption('A webhook')
  await dialog.getByLabel('Webhook URL').fill('ftp://example.org')
  await transfer()
  await expect(dialog.getByText('Enter an address such as')).toBeVisible()
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoFindings(page, `a transfer at ${width} px`, { rules: rulesFor('light', width) })
  }
  await dialog.getByLabel('Webhook URL').fill('https://example.org/next')
  await transfer()
  await expect(dialog).toHaveCount(0)
  const hook = { url: 'https://example.org/next', method: 'POST' }
  expect(featureServer.heard.at(-1)?.body).toEqual({ call_hook: hook })
})

test('reports a Redis outage once above the list without a toast, and explains why view-only users cannot act', async ({
  page,
  api,
  open,
  tenant,
  featureServer,
}) => {
  await featureServer.call(tenant.account_sid)
  const { token } = await api.person({ account_sid: tenant.account_sid, is_view_only: true })
  await open(path(tenant), token)
  await expect(rows(page)).toHaveCount(1)
  const hangUp = page.getByRole('button', { name: /^Hang up/ })
  await expect(hangUp).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByRole('button', { name: /^Transfer/ })).toHaveAttribute('aria-disabled', 'true')
  let failed = 0
  await page.route('**/Calls', (route) => {
    failed += 1
    return route.fulfill({ status: 503, json: { msg: 'A required service cannot be reached' } })
  })
  const refreshError = page.getByRole('alert').filter({ hasText: 'Refresh failed' })
  await expect(refreshError).toContainText('A required service cannot be reached')
  await expect.poll(() => failed).toBeGreaterThan(1)
  await expect(refreshError).toHaveCount(1)
  await expect(rows(page)).toHaveCount(1)
  await page.unroute('**/Calls')
  await expect(refreshError).toHaveCount(0)
})

test('displays, filters, and scrolls ten thousand calls', async ({ page, open, tenant, featureServer }) => {
  await featureServer.calls(tenant.account_sid, 10_000)
  await open(path(tenant))
  await expect(page.getByText('10,000 calls')).toBeVisible()
  await page.getByRole('searchbox', { name: 'Filter' }).fill('15089999')
  await expect(page.getByText('1 of 10,000 calls')).toBeVisible()
  await expect(rows(page)).toHaveCount(1)
})

withoutRedis('without Redis the screen says that live calls come with it', async ({ page, open, tenant }) => {
  await open('/internal/live-calls')
  await expect(page.getByText('Live calls need Redis.')).toBeVisible()
  await open(path(tenant))
  await expect(page.getByText('Live calls need Redis.')).toBeVisible()
})

test('calls a phone with an application, from its page', async ({ page, api, open, tenant, featureServer }) => {
  const { account_sid, service_provider_sid } = tenant
  // The feature server has heard of the calls of other tests.
  const heardBefore = featureServer.heard.length
  const sid = await application(api, tenant)
  await api.send('POST', '/PhoneNumbers', { number: '15083084809', account_sid, application_sid: sid })
  const edit = `/internal/applications/${sid}/edit`
  await open(edit)
  await page.getByRole('button', { name: 'Call me' }).click()
  const dialog = page.getByRole('dialog', { name: 'Call me' })
  await expect(dialog.getByLabel('Caller ID')).toHaveValue('15083084809')
  const call = dialog.getByRole('button', { name: 'Call', exact: true })
  await call.click()
  await expect(dialog.getByText('Enter a phone number with country code, such as +1 212 555 0123')).toBeVisible()
  await dialog.getByLabel('Your phone number').fill('+44 (20) 7946-0123')
  const requests = await readCurlRequests(await readCode(page, 'curl', dialog), () => '')
  expect(requests).toMatchObject([
    { path: `/api/v1/Accounts/${account_sid}/Calls`, body: { to: { number: '+442079460123' } } },
  ])
  await closeDialog(page)
  expect(featureServer.heard.slice(heardBefore).filter(({ path: heard }) => heard.includes('createCall'))).toEqual([])
  featureServer.answer = (response) => response.writeHead(480, 'Temporarily Unavailable').end()
  await call.click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  featureServer.answer = undefined
  await call.click()
  const done = page.getByRole('dialog', { name: 'Your phone will ring' })
  await expect(done).toContainText('+442079460123')
  expect(featureServer.heard.at(-1)).toMatchObject({
    path: '/v1/createCall',
    body: { from: '15083084809', to: { type: 'phone', number: '+442079460123' } },
  })
  await expectNoFindings(page, 'the dialog of a call')
  await done.getByRole('link', { name: 'Live calls' }).click()
  await expect(rows(page)).toHaveCount(1)
  const person = await api.person({ service_provider_sid })
  await open(edit, person.token)
  await expect(page.getByRole('button', { name: 'Call me' })).toHaveAttribute('aria-disabled', 'true')
  const viewer = await api.person({ service_provider_sid, account_sid, is_view_only: true })
  await open(edit, viewer.token)
  await expect(page.getByRole('tab', { name: 'Test webhook' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Call me' })).toHaveCount(0)
})
