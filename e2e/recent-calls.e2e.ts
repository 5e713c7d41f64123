import { randomUUID } from 'node:crypto'
import { formatPhoneNumber } from '@patchbay/rules/phone-number/format'
import type { Page, Request } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { aCall, writeCalls } from './support/calls.ts'
import { expectPlainLanguage } from './support/plain-language.ts'
import { makeApplications } from './support/seed-database.ts'
import { expect, test } from './support/test.ts'

const rows = (page: Page) => page.getByRole('table', { name: 'Recent calls' }).locator('tbody tr[data-row]')
const accountFilter = (page: Page) => page.getByRole('combobox', { name: 'Account' })
const isCallRequest = (request: Request) => request.url().includes('/RecentCalls')
const day = 86_400_000
/** Returns the value of a field in the details of a call. */
const fieldValue = (page: Page, name: string) =>
  page
    .locator('dl > div')
    .filter({ has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) })
    .locator('dd')

test('NAV-24 NAV-59 opens from the menu and by its URL', async ({ page, open }) => {
  await open('/internal/accounts')
  await page.getByRole('link', { name: 'Recent calls' }).click()
  await expect(page).toHaveURL(/\/internal\/recent-calls$/)
  await expect(page.getByRole('heading', { name: 'Recent calls' })).toBeFocused()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Recent calls' })).toBeVisible()
})

test("CALLS-07 shows 'No data.' for an empty list", async ({ page, open }) => {
  await open('/internal/recent-calls')
  await expect(page.getByText('No data.', { exact: true })).toBeVisible()
  await expect(page.getByText(/^Total:/)).toHaveCount(0)
})

test('CALLS-01 COMMON-21 lets provider users select an account, and shows account users their own calls without a filter', async ({
  page,
  api,
  server,
  tenant,
  open,
  browser,
}) => {
  const other = await api.account(tenant.service_provider_sid, { name: 'Zeta' })
  await writeCalls(server.intakePort, tenant, [aCall({ from: 'first-account' })])
  await writeCalls(server.intakePort, { ...tenant, account_sid: other }, [aCall({ from: 'zeta-account' })])
  const provider = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await open('/internal/recent-calls', provider.token)
  await expect(rows(page)).toHaveCount(2)
  await accountFilter(page).selectOption(tenant.accountName)
  await expect(rows(page)).toHaveText([/first-account/])
  await accountFilter(page).selectOption('Zeta')
  await expect(rows(page)).toHaveText([/zeta-account/])

  const user = await api.person({ account_sid: other, service_provider_sid: tenant.service_provider_sid })
  const own = await (await browser.newContext()).newPage()
  await own.goto(`${api.url}/patchbay.svg`)
  await own.evaluate((token) => localStorage.setItem('token', token), user.token)
  await own.goto(`${api.url}/internal/recent-calls`)
  await expect(rows(own)).toHaveText(/zeta-account/)
  await expect(accountFilter(own)).toHaveCount(0)
  await own.context().close()
})

test('opens on the calls of all accounts with their account, for users of a service provider', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const other = await api.account(tenant.service_provider_sid, { name: 'Zeta' })
  await writeCalls(server.intakePort, tenant, [aCall({ from: 'first-account', attempted_at: Date.now() - 2000 })])
  await writeCalls(server.intakePort, { ...tenant, account_sid: other }, [aCall({ from: 'zeta-account' })])
  const elsewhere = await api.send('POST', '/ServiceProviders', { name: `Elsewhere ${tenant.accountName}` })
  const foreign = { service_provider_sid: elsewhere.body.sid, account_sid: await api.account(elsewhere.body.sid) }
  await writeCalls(server.intakePort, foreign, [aCall({ from: 'foreign' })])
  const provider = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await open('/internal/recent-calls', provider.token)
  await expect(accountFilter(page)).toHaveValue('')
  await expect(rows(page)).toHaveText([/zeta-account.*Zeta/, new RegExp(`first-account.*${tenant.accountName}`)])
  await accountFilter(page).selectOption(tenant.accountName)
  await expect(rows(page)).toHaveText([/first-account/])
  await expect(page.getByRole('columnheader', { name: 'Account' })).toHaveCount(0)
  await accountFilter(page).selectOption('All accounts')
  await expect(rows(page)).toHaveText([/zeta-account.*Zeta/, new RegExp(`first-account.*${tenant.accountName}`)])
  await expect(page).toHaveURL(/account=all/)
  await page.getByRole('button', { name: 'Call from zeta-account' }).click()
  await expect(page.getByRole('region', { name: 'Verdict' })).toContainText('Answered, 45 s.')
  await page.goBack()
  await expect(rows(page)).toHaveText([/first-account/])

  const user = await api.person({ account_sid: other, service_provider_sid: tenant.service_provider_sid })
  await open('/internal/recent-calls?account=all', user.token)
  await expect(rows(page)).toHaveText([/zeta-account/])
})

test('CALLS-02 COMMON-34 offers today, yesterday, and the last 7, 14, and 30 days, and starts with today', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const midnight = await page.evaluate(() => new Date(new Date().toDateString()).getTime())
  const at = (attempted_at: number, from: string) => aCall({ attempted_at, from })
  await writeCalls(server.intakePort, tenant, [
    at(midnight + 1, 'today-call'),
    at(midnight - 1, 'yesterday-call'),
    at(midnight - 5 * day, 'five-days'),
    at(midnight - 12 * day, 'twelve-days'),
    at(midnight - 25 * day, 'twenty-five-days'),
    at(midnight - 40 * day, 'forty-days'),
  ])
  await open('/internal/recent-calls')
  const date = page.getByLabel('Date')
  await expect(date.locator('option')).toHaveText(['today', 'yesterday', 'last 7 days', 'last 14 days', 'last 30 days'])
  await expect(date).toHaveValue('today')
  await expect(rows(page)).toHaveText([/today-call/])
  for (const [choice, last, count] of [
    ['yesterday', 'yesterday-call', 1],
    ['last 7 days', 'five-days', 3],
    ['last 14 days', 'twelve-days', 4],
    ['last 30 days', 'twenty-five-days', 5],
  ] as const) {
    await date.selectOption(choice)
    await expect(rows(page)).toHaveCount(count)
    await expect(rows(page).last()).toContainText(last)
  }
})

test('draws the wait for the answer and the talk of each call on one scale, as far as its record has the times', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const attempted_at = Date.now() - 200_000
  const times = (waiting: number, talking: number) => {
    const answered_at = attempted_at + waiting * 1000
    return { attempted_at, answered_at, terminated_at: answered_at + talking * 1000 }
  }
  await writeCalls(server.intakePort, tenant, [
    aCall({ from: 'long', ...times(10, 90) }),
    aCall({ from: 'short', ...times(5, 45) }),
    aCall({ from: 'failed', attempted_at, terminated_at: attempted_at + 20_000, answered: false, sip_status: 503 }),
    aCall({ from: 'untimed', attempted_at }),
  ])
  await page.setViewportSize({ width: 1440, height: 900 })
  await open('/internal/recent-calls')
  await expect(page.getByRole('columnheader', { name: 'Wait and talk, 0 to 01:40' })).toBeVisible()
  const bar = (from: string) =>
    rows(page)
      .filter({ hasText: from })
      .getByRole('img', { name: / until the / })
  await expect(bar('long')).toHaveAccessibleName('00:10 until the answer, 01:30 talking')
  await expect(bar('short')).toHaveAccessibleName('00:05 until the answer, 00:45 talking')
  await expect(bar('failed')).toHaveAccessibleName('00:20 until the end')
  await expect(bar('untimed')).toHaveCount(0)
  const getWidth = async (from: string, part: 'i' | 'b') => (await bar(from).locator(part).boundingBox())?.width ?? 0
  expect((await getWidth('long', 'b')) / (await getWidth('short', 'b'))).toBeCloseTo(2, 1)
  expect((await getWidth('long', 'b')) / (await getWidth('failed', 'i'))).toBeCloseTo(4.5, 1)
  await page.setViewportSize({ width: 1024, height: 900 })
  await expect(page.getByRole('columnheader', { name: 'Wait and talk' })).toHaveCount(0)
})

test('CALLS-03 CALLS-04 sends Direction and Status as direction and answered', async ({
  page,
  server,
  tenant,
  open,
}) => {
  await writeCalls(server.intakePort, tenant, [
    aCall({ from: 'in-yes' }),
    aCall({ from: 'in-no', answered: false }),
    aCall({ from: 'out-yes', direction: 'outbound' }),
  ])
  await open('/internal/recent-calls')
  await expect(rows(page)).toHaveCount(3)
  await expect(page.getByLabel('Direction').locator('option')).toHaveText(['either', 'inbound', 'outbound'])
  await expect(page.getByLabel('Status').locator('option')).toHaveText(['all', 'answered', 'not answered'])
  const callRequest = page.waitForRequest(isCallRequest)
  await page.getByLabel('Direction').selectOption('outbound')
  expect(new URL((await callRequest).url()).searchParams.get('direction')).toBe('outbound')
  await expect(rows(page)).toHaveText([/out-yes/])
  await page.getByLabel('Direction').selectOption('either')
  await expect(rows(page)).toHaveCount(3)
  const answered = page.waitForRequest(isCallRequest)
  await page.getByLabel('Status').selectOption('not answered')
  expect(new URL((await answered).url()).searchParams.get('answered')).toBe('false')
  await expect(rows(page)).toHaveText([/in-no/])
  await page.getByLabel('Status').selectOption('answered')
  await expect(rows(page)).toHaveCount(2)
})

test('filters by result, and counts and pages the calls with it, with the filter in the URL', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const failed = (sip_status: number, more = {}) => aCall({ answered: false, sip_status, ...more })
  await writeCalls(server.intakePort, tenant, [
    aCall({ from: 'picked-up' }),
    failed(486, { from: 'busy-line' }),
    failed(480, { from: 'nobody-home' }),
    failed(487, { from: 'hung-up' }),
    ...Array.from({ length: 26 }, () => failed(503)),
  ])
  await open('/internal/recent-calls')
  await expect(page.getByText('30 calls', { exact: true })).toBeVisible()
  const dialog = page.getByRole('dialog', { name: 'Add filter' })
  const choose = async (result: string) => {
    await page.getByRole('button', { name: 'Add filter' }).click()
    await dialog.getByLabel('Result').selectOption(result)
    await dialog.getByRole('button', { name: 'Apply filters' }).click()
  }
  for (const [choice, expected] of [
    ['answered', /picked-up/],
    ['busy', /busy-line/],
    ['no answer', /nobody-home/],
    ['cancelled', /hung-up/],
  ] as const) {
    await choose(choice)
    await expect(rows(page)).toHaveText([expected])
  }
  await choose('failed')
  await expect(page.getByText('26 calls', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/result=failed/)
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(rows(page)).toHaveText([/failed 503/])
  await page.reload()
  await expect(rows(page)).toHaveText([/failed 503/])
  await page.getByRole('button', { name: 'Result: failed: remove this filter' }).click()
  await expect(page.getByText('30 calls', { exact: true })).toBeVisible()
})

test('filters by dates, carrier, SIP status, and duration, with the filters in the URL', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const at = Date.UTC(2026, 9, 5, 12)
  const { service_provider_sid } = tenant
  for (const name of ['Twilio', 'Voxbone'])
    expect((await api.send('POST', '/VoipCarriers', { name, service_provider_sid })).status).toBe(201)
  await writeCalls(server.intakePort, tenant, [
    aCall({ attempted_at: at, from: 'short', duration: 20, trunk: 'Twilio' }),
    aCall({ attempted_at: at, from: 'long', duration: 400, trunk: 'Twilio' }),
    aCall({ attempted_at: at, from: 'failed', answered: false, sip_status: 503, trunk: 'Voxbone' }),
    aCall({ from: 'today' }),
  ])
  await open('/internal/recent-calls')
  await expect(rows(page)).toHaveText([/today/])
  const dialog = page.getByRole('dialog', { name: 'Add filter' })
  const apply = async (fill: () => Promise<unknown>) => {
    await page.getByRole('button', { name: 'Add filter' }).click()
    await fill()
    await dialog.getByRole('button', { name: 'Apply filters' }).click()
  }
  await apply(async () => {
    await dialog.getByLabel('From').fill('2026-10-05')
    await dialog.getByLabel('Until').fill('2026-10-04')
    await expect(dialog.getByLabel('From')).toHaveAccessibleDescription(
      /^The first day, in UTC like the days of all charts\. It replaces the date filter\./,
    )
    await expect(dialog.getByLabel('Until')).toHaveAccessibleDescription(/The last day, in UTC\./)
    await dialog.getByLabel('SIP status').fill('5')
  })
  await expect(dialog.getByText('The first day, in UTC like the days of all charts.')).toBeVisible()
  await expect(dialog.getByText('The last day is before the first.')).toBeVisible()
  await expect(dialog.getByText('Enter a status from 100 to 699.')).toBeVisible()
  await expectNoFindings(page, 'the filters', { part: 'dialog' })
  await expectPlainLanguage(page, 'the filters')
  await dialog.getByLabel('Until').fill('2026-10-05')
  await dialog.getByLabel('SIP status').fill('503')
  await dialog.getByRole('button', { name: 'Apply filters' }).click()
  await expect(rows(page)).toHaveText([/failed/])
  await expect(page).toHaveURL(/from=2026-10-05&until=2026-10-05&sip_status=503/)
  await page.getByRole('button', { name: 'Ended with 503: remove this filter' }).click()
  await expect(rows(page)).toHaveCount(3)
  await apply(() => dialog.getByLabel('Minimum duration').selectOption('5 minutes'))
  await expect(rows(page)).toHaveText([/long/])
  await expect(page).toHaveURL(/min_duration=300/)
  await page.reload()
  await expect(rows(page)).toHaveText([/long/])
  await page.getByRole('button', { name: 'At least 5 minutes: remove this filter' }).click()
  await apply(() => dialog.getByLabel('Carrier').selectOption('Voxbone'))
  await expect(rows(page)).toHaveText([/failed/])
  await page.goBack()
  await expect(rows(page)).toHaveCount(3)
  await page.getByRole('searchbox', { name: 'Filter' }).fill('Voxbo')
  await page.keyboard.press('Enter')
  await expect(rows(page)).toHaveText([/failed/])
  // Links of earlier versions use another name.
  await page.goto('/internal/recent-calls?from=2026-10-05&status=503')
  await expect(rows(page)).toHaveText([/failed/])
})

test('filters by number, application, and maximum duration, with the filters in the URL', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const [application_sid = ''] = makeApplications(server, tenant.account_sid, ['Reception desk'])
  const { account_sid } = tenant
  expect((await api.send('POST', '/PhoneNumbers', { account_sid, number: '442079460958' })).status).toBe(201)
  await writeCalls(server.intakePort, tenant, [
    aCall({ from: '15085551079', to: '442079460958', duration: 59, application_sid }),
    aCall({ from: '+4930123456', to: '15085552000', duration: 60 }),
    aCall({ from: '33123456789', to: '33123456780', duration: 0, answered: false, application_sid }),
  ])
  await open('/internal/recent-calls')
  await expect(rows(page)).toHaveCount(3)
  const dialog = page.getByRole('dialog', { name: 'Add filter' })
  const openDialog = () => page.getByRole('button', { name: 'Add filter' }).click()
  const apply = () => dialog.getByRole('button', { name: 'Apply filters' }).click()
  await openDialog()
  await expect(dialog.locator('datalist option')).toHaveAttribute('value', '442079460958')
  await dialog.getByLabel('Number').fill(' +1 (508) 555 ')
  await dialog.getByLabel('Minimum duration').selectOption('5 minutes')
  await dialog.getByLabel('Maximum duration').selectOption('less than 1 minute')
  await apply()
  await expect(dialog.getByText('The maximum is shorter than the minimum.')).toBeVisible()
  await dialog.getByLabel('Minimum duration').selectOption('any')
  await apply()
  await expect(rows(page)).toHaveText([/\+1 \(508\) 555-1079/])
  await expect(page).toHaveURL(/max_duration=59/)
  await page.getByRole('button', { name: 'Less than 1 minute: remove this filter' }).click()
  await expect(rows(page)).toHaveCount(2)
  await page.getByRole('button', { name: 'Number: +1 (508) 555: remove this filter' }).click()
  await expect(rows(page)).toHaveCount(3)

  await openDialog()
  await dialog.getByLabel('Application').selectOption('Reception desk')
  await apply()
  await expect(rows(page)).toHaveCount(2)
  await page.reload()
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByRole('button', { name: 'Application: Reception desk: remove this filter' })).toBeVisible()
  // Another account has other applications.
  await accountFilter(page).selectOption('All accounts')
  await expect(page).not.toHaveURL(/application_sid/)
  await openDialog()
  await dialog.getByLabel('Application').selectOption('Reception desk')
  await expectNoFindings(page, 'the filters of all accounts', { part: 'dialog' })
})

test('leaves out the filters that an unmodified server does not support', async ({ page, server, tenant, open }) => {
  await writeCalls(server.intakePort, tenant, [aCall({ from: 'first' }), aCall({ from: 'second' })])
  await page.route('**/config.json', async (route) => {
    const config = await (await route.fetch()).json()
    await route.fulfill({ json: { ...config, extensions: [] } })
  })
  const requests: string[] = []
  page.on('request', (request) => void (isCallRequest(request) && requests.push(request.url())))
  await open('/internal/recent-calls?sip_status=503&min_duration=60&max_duration=61&number=42&application_sid=none')
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByRole('button', { name: /remove this filter/ })).toHaveCount(0)
  expect(requests.join()).not.toMatch(/sip_status|min_duration|max_duration|number|application_sid/)
  await page.getByRole('button', { name: 'Add filter' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add filter' })
  await expect(dialog.getByLabel('Carrier')).toBeVisible()
  await expect(dialog.getByLabel('SIP status')).toHaveCount(0)
  for (const label of ['Minimum duration', 'Maximum duration', 'Number', 'Application', 'Result'])
    await expect(dialog.getByLabel(label)).toHaveCount(0)
})

test('CALLS-05 COMMON-33 applies the filter 1000 ms after the last keystroke, with a single request', async ({
  page,
  server,
  tenant,
  open,
}) => {
  await writeCalls(server.intakePort, tenant, [aCall({ from: '+41587' }), aCall({ from: '999' })])
  await page.clock.install()
  await open('/internal/recent-calls')
  await expect(rows(page)).toHaveCount(2)
  const requests: string[] = []
  // The list also refreshes, without a filter.
  page.on('request', (request) => {
    if (isCallRequest(request) && request.url().includes('filter=')) requests.push(request.url())
  })
  await page.clock.pauseAt(Date.now() + 60_000)
  const filter = page.getByRole('searchbox', { name: 'Filter' })
  for (const key of '+41') {
    await filter.press(key)
    await page.clock.runFor(900)
  }
  expect(requests).toEqual([])
  await page.clock.runFor(200)
  await page.clock.resume()
  await expect(rows(page)).toHaveText([/\+41587/])
  expect(requests).toHaveLength(1)
  expect(new URL(requests[0] ?? '').searchParams.get('filter')).toBe('41')
})

test('CALLS-06 COMMON-32 shows page size, pager, and total, and falls back to the last page', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const calls = Array.from({ length: 130 }, (_, index) =>
    aCall({ attempted_at: Date.now() - 1000 - index, from: `caller-${index}` }),
  )
  await writeCalls(server.intakePort, tenant, calls)
  await open('/internal/recent-calls')
  await expect(page.getByText('Total: 130 record(s)', { exact: true })).toBeVisible()
  await expect(rows(page)).toHaveCount(25)
  const pager = page.getByRole('navigation', { name: 'Pagination' })
  await pager.getByRole('button', { name: 'Next page' }).click()
  await expect(rows(page).first()).toContainText('caller-25')
  await pager.getByRole('button', { name: 'Page 6' }).click()
  await expect(rows(page)).toHaveCount(5)
  await expect(pager.getByRole('button', { name: 'Next page' })).toBeDisabled()
  await page.getByLabel('Page size').selectOption('100 / page')
  await expect(rows(page)).toHaveCount(100)
  await page.goto(`${page.url().split('?')[0]}?page=9&size=100`)
  await expect(rows(page)).toHaveCount(30)
  await expect(page).toHaveURL(/page=2/)
})

test('groups the digits of phone numbers by the plan of their country', async ({ page, server, tenant, open }) => {
  await writeCalls(server.intakePort, tenant, [aCall({ from: '442079460958', to: '+33123456789' })])
  await open('/internal/recent-calls')
  await page.getByRole('button', { name: 'Call from +44 20 7946 0958 to +33 1 23 45 67 89' }).click()
  await expect(page.getByRole('button', { name: 'Copy +44 20 7946 0958' }).first()).toBeAttached()
  await expect(page.getByRole('button', { name: 'Copy +33 1 23 45 67 89' }).first()).toBeAttached()
})

test('CALLS-11 shows the fields of a call in its details', async ({ page, server, tenant, open }) => {
  const call = aCall({ answered: false, trace_id: '0123456789abcdef0123456789abcdef' })
  await writeCalls(server.intakePort, tenant, [call])
  await open('/internal/recent-calls')
  const parties = `${formatPhoneNumber(call.from)} to ${formatPhoneNumber(call.to)}`
  const opener = page.getByRole('button', { name: `Call from ${parties}` })
  await opener.click()
  await expect(opener).toHaveAttribute('aria-expanded', 'true')
  const value = (name: string) => fieldValue(page, name)
  await expect(value('Attempted').locator('time')).toHaveAttribute(
    'datetime',
    new Date(call.attempted_at).toISOString(),
  )
  await expect(value('Direction')).toHaveText('inbound')
  await expect(value('From')).toContainText('+1 (508) 308-4809')
  await expect(value('To')).toContainText('+1 (888) 234-9999')
  await expect(value('SIP Call-ID')).toContainText(`sip-${call.call_sid}`)
  await expect(value('Call SID')).toContainText(call.call_sid)
  await expect(value('Account SID')).toContainText(tenant.account_sid)
  await expect(value('Trace ID')).toContainText('0123456789abcdef0123456789abcdef')
  // The values false and 0 are displayed like other values.
  await expect(value('Answered')).toHaveText('no')
  await expect(value('Duration')).toContainText('00:00')
  for (const group of ['Times', 'Parties', 'SIP', 'IDs'])
    await expect(page.getByRole('tabpanel').getByText(group, { exact: true })).toBeVisible()
  await expect(page.locator('details', { hasText: /empty fields/ }), 'what is empty is folded').not.toHaveAttribute(
    'open',
  )
  await page.getByText('Raw record', { exact: true }).click()
  const raw = JSON.parse((await page.locator('details pre').textContent()) ?? '')
  expect(raw).toMatchObject({
    attempted_at: new Date(call.attempted_at).toISOString(),
    direction: 'inbound',
    from: call.from,
    to: call.to,
    sip_callid: `sip-${call.call_sid}`,
    call_sid: call.call_sid,
    account_sid: tenant.account_sid,
    trace_id: '0123456789abcdef0123456789abcdef',
  })
})

test('shows the other leg, the application, and the costs that newer platforms report in the details of a call', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const application_sid = randomUUID()
  const call = aCall({
    sip_parent_callid: 'the-other-leg',
    application_sid,
    billing: { cost: 0.25, rate: 1.5, billed_seconds: 120 },
  })
  await writeCalls(server.intakePort, tenant, [call])
  await open('/internal/recent-calls')
  await page.getByRole('button', { name: /^Call from/ }).click()
  await expect(fieldValue(page, 'Cost')).toHaveText('0.25')
  await expect(fieldValue(page, 'Rate')).toHaveText('1.5')
  await expect(fieldValue(page, 'Billed duration')).toContainText('02:00')
  await expect(fieldValue(page, 'SIP Call-ID of the other leg')).toContainText('the-other-leg')
  await expect(fieldValue(page, 'Application SID')).toContainText(application_sid)
  await expect(page.getByRole('heading', { name: 'Billing', exact: true })).toBeVisible()
})

test('COMMON-65 COMMON-66 remembers account, date, direction, and status, and gives precedence to the URL', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await api.account(tenant.service_provider_sid, { name: 'Zeta' })
  await open('/internal/recent-calls')
  await accountFilter(page).selectOption('Zeta')
  await page.getByLabel('Date').selectOption('last 7 days')
  await page.getByLabel('Direction').selectOption('inbound')
  await page.getByLabel('Status').selectOption('answered')
  await expect(page).toHaveURL(/answered=true/)
  const stored = await page.evaluate(() => Object.fromEntries(Object.entries(localStorage)))
  expect(stored).toMatchObject({
    queryFilter: '7/inbound/true',
    accountFilter: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  await page.goto('/internal/recent-calls')
  await expect(accountFilter(page).locator('option:checked')).toHaveText('Zeta')
  await expect(page.getByLabel('Date')).toHaveValue('7')
  await expect(page.getByLabel('Direction')).toHaveValue('inbound')
  await expect(page.getByLabel('Status').locator('option:checked')).toHaveText('answered')
  await page.goto('/internal/recent-calls?date=30')
  await expect(page.getByLabel('Date')).toHaveValue('30')
  await expect(page.getByLabel('Direction')).toHaveValue('either')
  await expect(page.getByLabel('Status').locator('option:checked')).toHaveText('all')
})

test('COMMON-67 stores the last location, and drops the filters of its lists when it is left', async ({
  page,
  open,
}) => {
  await open('/internal/recent-calls')
  await page.getByLabel('Date').selectOption('last 7 days')
  expect(await page.evaluate(() => localStorage.getItem('location'))).toBe('recent-calls')
  await page.getByRole('link', { name: 'Accounts' }).click()
  await expect(page.getByRole('heading', { name: 'Accounts' })).toBeVisible()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('location'))).toBe('accounts')
  expect(await page.evaluate(() => localStorage.getItem('queryFilter'))).toBeNull()
})

test('shows an error in place with a retry if the list cannot be loaded', async ({ page, server, tenant, open }) => {
  await writeCalls(server.intakePort, tenant, [aCall({ from: 'after-retry' })])
  await page.route('**/RecentCalls*', (route) => route.fulfill({ status: 503, json: { msg: 'The store is away' } }), {
    times: 1,
  })
  await open('/internal/recent-calls')
  await expect(page.getByText('The store is away')).toBeVisible()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(rows(page)).toHaveText([/after-retry/])
})

/** Returns the client of the platform's published package. */
const timeSeriesClient = async (port: number) => {
  const { createRequire } = await import('node:module')
  const timeSeries = createRequire(import.meta.url)('@jambonz/time-series')
  const logger = { info: () => {}, debug: () => {}, error: () => {} }
  return timeSeries(logger, { host: '127.0.0.1', port, commitSize: 1, commitInterval: 'test' })
}

test('shows the cost that a rating engine adds to a call, which stays one call', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const { writeCdrs, writeRatedCdrs } = await timeSeriesClient(server.intakePort)
  const { account_sid, service_provider_sid } = tenant
  const tags = { account_sid, service_provider_sid, direction: 'inbound', answered: true, host: '10.0.0.5', trunk: 'a' }
  const call_sid = randomUUID()
  const attempted_at = new Date(Date.now() - 60_000)
  await writeCdrs({ ...tags, call_sid, attempted_at, from: '15083084809', to: '18882349999', duration: 45 })
  const end_time = attempted_at.getTime() + 45_000
  await writeRatedCdrs([{ tags, call_sid, attempted_at, end_time, cost: 0.25, rate: 1.5, billed_seconds: 120 }])
  await open('/internal/recent-calls')
  await expect(page.getByText('Total: 1 record(s)', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: /^Call from/ }).click()
  await expect(fieldValue(page, 'Cost')).toHaveText('0.25')
  await expect(fieldValue(page, 'Billed duration')).toContainText('02:00')
})

test("shows calls that the platform's published time-series package has written", async ({
  page,
  server,
  tenant,
  open,
}) => {
  const { writeCdrs, writeAlerts } = await timeSeriesClient(server.intakePort)
  const { account_sid, service_provider_sid } = tenant
  const start = Date.now() - 60_000
  const cdr = (index: number) => ({
    from: '15083084809',
    to: '18882349999',
    answered: index % 5 !== 0,
    direction: index % 2 === 0 ? 'inbound' : 'outbound',
    host: '192.168.1.100',
    trunk: index % 2 === 0 ? 'a, trunk = ü' : 'user',
    remote_host: '3.55.24.34',
    sip_callid: `foo-${index}@127.0.0.1`,
    call_sid: `c0ffee00-0000-4000-8000-${String(index).padStart(12, '0')}`,
    sip_status: index % 5 === 0 ? 487 : 200,
    duration: index % 5 === 0 ? 0 : 45,
    terminated_at: Date.now(),
    termination_reason: 'caller hungup',
    account_sid,
    service_provider_sid,
    attempted_at: new Date(start - index),
  })
  for (let index = 0; index < 30; index += 1) await writeCdrs(cdr(index))
  await writeAlerts({
    alert_type: 'webhook-failure',
    account_sid,
    service_provider_sid,
    url: 'http://foo.bar',
    status: 404,
  })
  await open('/internal/recent-calls')
  await expect(page.getByText('Total: 30 record(s)', { exact: true })).toBeVisible()
  await expect(rows(page)).toHaveCount(25)
  await expect(rows(page).first()).toContainText('a, trunk = ü')
  await page.getByRole('button', { name: 'Page 2' }).click()
  await expect(rows(page)).toHaveCount(5)
  await page.getByLabel('Status').selectOption('not answered')
  await expect(page.getByText('Total: 6 record(s)', { exact: true })).toBeVisible()
  await page.getByLabel('Direction').selectOption('outbound')
  await expect(page.getByText('Total: 3 record(s)', { exact: true })).toBeVisible()
})
