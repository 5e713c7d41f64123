import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { aCall, anAlert, writeAlerts, writeCalls } from './support/calls.ts'
import { expect, test } from './support/test.ts'

const rows = (page: Page) => page.getByRole('table', { name: 'Alerts' }).locator('tbody tr[data-row]')
const accountFilter = (page: Page) => page.getByRole('combobox', { name: 'Account' })
const day = 86_400_000

test('NAV-25 NAV-60 ALERTS-06 opens the list from the menu and by its URL, and describes an empty list', async ({
  page,
  open,
}) => {
  await open('/internal/accounts')
  await page.getByRole('link', { name: 'Alerts', exact: true }).click()
  await expect(page).toHaveURL(/\/internal\/alerts$/)
  await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeFocused()
  await page.reload()
  await expect(page.getByText('No data.', { exact: true })).toBeVisible()
  await expect(page.getByText('Alerts in the chosen period appear here.')).toBeVisible()
})

test('ALERTS-01 lets provider users select an account, all alerts, or those without an account, and shows account users only their own', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const { service_provider_sid } = tenant
  const other = await api.account(service_provider_sid, { name: 'Zeta' })
  const at = Date.now() - 5000
  await writeAlerts(server.intakePort, tenant, [anAlert({ message: 'of the first', at })])
  await writeAlerts(server.intakePort, { service_provider_sid, account_sid: other }, [
    anAlert({ message: 'of zeta', at: at + 1 }),
  ])
  await writeAlerts(server.intakePort, { service_provider_sid }, [
    anAlert({ message: 'of the provider', at: at + 2, alert_type: 'service-provider-call-limit' }),
  ])
  const provider = await api.person({ service_provider_sid })
  await open('/internal/alerts', provider.token)
  await expect(rows(page)).toHaveText([/of the provider.*Service provider/, /of zeta.*Zeta/, /of the first/])
  await accountFilter(page).selectOption('Zeta')
  await expect(rows(page)).toHaveText([/of zeta/])
  // The choice is remembered for this list and for others.
  await page.goto(`${api.url}/internal/alerts`)
  await expect(rows(page)).toHaveText([/of zeta/])
  await accountFilter(page).selectOption('All accounts')
  await expect(rows(page)).toHaveCount(3)
  await expect(page).toHaveURL(/account=all/)

  const user = await api.person({ account_sid: other, service_provider_sid })
  await open('/internal/alerts', user.token)
  await expect(rows(page)).toHaveText([/of zeta/])
  await expect(accountFilter(page)).toHaveCount(0)
})

test('ALERTS-02 COMMON-66 offers today, yesterday, and the last 7, 14, and 30 days, starts with today, and remembers another choice', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const midnight = await page.evaluate(() => new Date(new Date().toDateString()).getTime())
  const at = (when: number, message: string) => anAlert({ at: when, message })
  await writeAlerts(server.intakePort, tenant, [
    at(midnight + 1, 'of today'),
    at(midnight - 1, 'of yesterday'),
    at(midnight - 5 * day, 'of five days ago'),
    at(midnight - 12 * day, 'of twelve days ago'),
    at(midnight - 25 * day, 'of twenty-five days ago'),
    at(midnight - 40 * day, 'of forty days ago'),
  ])
  await open('/internal/alerts')
  const date = page.getByRole('combobox', { name: 'Date', exact: true })
  await expect(date.locator('option')).toHaveText(['today', 'yesterday', 'last 7 days', 'last 14 days', 'last 30 days'])
  await expect(date).toHaveValue('today')
  await expect(rows(page)).toHaveText([/of today/])
  for (const [choice, last, count] of [
    ['yesterday', 'of yesterday', 1],
    ['last 7 days', 'of five days ago', 3],
    ['last 14 days', 'of twelve days ago', 4],
    ['last 30 days', 'of twenty-five days ago', 5],
  ] as const) {
    await date.selectOption(choice)
    await expect(rows(page)).toHaveCount(count)
    await expect(rows(page).last()).toContainText(last)
  }
  expect(await page.evaluate(() => localStorage.getItem('queryFilter'))).toMatch(/^30\//)
  await page.goto(new URL('/internal/alerts', page.url()).href)
  await expect(date).toHaveValue('30')
})

test('ALERTS-03 shows page size, pager, and total, and separate rows for alerts with the same time', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const at = Date.now() - 1000
  const many = Array.from({ length: 60 }, (_, index) => anAlert({ at, message: `alert ${index} of one instant` }))
  await writeAlerts(server.intakePort, tenant, many)
  await open('/internal/alerts')
  await expect(page.getByText('Total: 60 record(s)', { exact: true })).toBeVisible()
  await expect(rows(page)).toHaveCount(25)
  // Excludes the relative time, which changes during the test.
  const messages = async () => (await rows(page).allInnerTexts()).map((text) => /alert \d+/.exec(text)?.[0])
  const seen = await messages()
  const pager = page.getByRole('navigation', { name: 'Pagination' })
  await pager.getByRole('button', { name: 'Next page' }).click()
  await expect(page).toHaveURL(/page=2/)
  await expect.poll(async () => (await messages())[0]).not.toBe(seen[0])
  seen.push(...(await messages()))
  expect(new Set(seen).size).toBe(50)
  await page.getByLabel('Page size').selectOption('100 / page')
  await expect(rows(page)).toHaveCount(60)
})

test('ALERTS-04 shows time, type, and message, expands to all fields, links to the call, and filters by type', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const call = aCall({ from: 'troubled-caller', attempted_at: Date.now() - 4000 })
  const at = Date.now() - 1000
  const message = 'text to speech request to google failed'
  await writeCalls(server.intakePort, tenant, [call, aCall({ from: 'another' })])
  await writeAlerts(server.intakePort, tenant, [
    anAlert({ at, message, alert_type: 'tts-failure', vendor: 'google', target_sid: call.call_sid }),
    anAlert({ at: at - 1, message: 'of a type to come', alert_type: 'quantum-flux', target_sid: randomUUID() }),
  ])
  await open('/internal/alerts')
  await expect(rows(page)).toHaveText([
    /Text-to-speech failed.*text to speech request/,
    /quantum-flux.*of a type to come/,
  ])
  await expect(rows(page).first().locator('time')).toHaveAttribute('datetime', new Date(at).toISOString())
  const opener = page.getByRole('button', { name: `Text-to-speech failed: ${message}` })
  await opener.click()
  await expect(opener).toHaveAttribute('aria-expanded', 'true')
  const details = page.locator('tr[data-details]')
  await expect(details.locator('dl > div')).toHaveText([
    /^Time/,
    'TypeText-to-speech failed (tts-failure)',
    `Message${message}`,
    'Vendorgoogle',
    new RegExp(`^Concerns${call.call_sid}`),
    new RegExp(`^Account SID${tenant.account_sid}`),
    new RegExp(`^Service provider SID${tenant.service_provider_sid}`),
  ])
  await page.getByText('Raw record', { exact: true }).click()
  expect(JSON.parse((await details.locator('pre').textContent()) ?? '')).toMatchObject({
    time: new Date(at).toISOString(),
    alert_type: 'tts-failure',
    detail: null,
    target_sid: call.call_sid,
  })

  const type = page.getByRole('combobox', { name: 'Type' })
  await expect(type.and(page.locator('input'))).toBeVisible()
  await type.click()
  await page.keyboard.type('text-to-speech failed')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/type=tts-failure/)
  await expect(rows(page)).toHaveCount(1)
  await page.goto(new URL('/internal/alerts?type=quantum-flux', page.url()).href)
  await expect(rows(page)).toHaveText([/of a type to come/])
  await page.goBack()

  await opener.click()
  await page.getByRole('link', { name: 'Show the call' }).click()
  await expect(page.getByRole('heading', { name: /^troubled-caller to/, level: 1 })).toBeVisible()
})

test('names the alert types of newer platforms, and filters by them', async ({ page, server, tenant, open }) => {
  const labels = {
    'no-llm': 'No language model',
    'llm-failure': 'Language model failed',
    'no-krisp': 'No noise cancellation',
    'error-updating-call': 'Call not updated',
    'wallet-low-balance': 'Balance low',
    'wallet-depleted': 'Balance used up',
    'wallet-recharge-failed': 'Balance not recharged',
  }
  const at = Date.now() - 1000
  await writeAlerts(
    server.intakePort,
    tenant,
    Object.keys(labels).map((alert_type, index) => anAlert({ alert_type, message: 'a message', at: at - index })),
  )
  await open('/internal/alerts')
  await expect(rows(page)).toHaveText(Object.values(labels).map((label) => new RegExp(`${label}.*a message`)))
  const type = page.getByRole('combobox', { name: 'Type' })
  await expect(type.and(page.locator('input'))).toBeVisible()
  for (const [alert_type, label] of Object.entries(labels)) {
    await type.click()
    await page.getByRole('option', { name: label, exact: true }).click()
    await expect(page).toHaveURL(new RegExp(`type=${alert_type}(&|$)`))
    await expect(rows(page)).toHaveText([new RegExp(label)])
  }
})

test('shows an error in place with a retry, and exports alerts as CSV', async ({ page, server, tenant, open }) => {
  await writeAlerts(server.intakePort, tenant, [anAlert({ message: 'after retry' })])
  await page.route('**/Alerts*', (route) => route.fulfill({ status: 503, json: { msg: 'The store is away' } }), {
    times: 1,
  })
  await open('/internal/alerts')
  await expect(page.getByText('The store is away')).toBeVisible()
  await page.getByRole('button', { name: 'Retry', exact: true }).click()
  await expect(rows(page)).toHaveText([/after retry/])
  await page.getByRole('button', { name: 'Copy or download' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Download CSV' }).click()
  expect((await download).suggestedFilename()).toBe('alerts.csv')
})

test('shows the number of new alerts in the menu until the list is opened', async ({ page, server, tenant, open }) => {
  const write = (count: number) =>
    writeAlerts(
      server.intakePort,
      tenant,
      Array.from({ length: count }, (_, position) =>
        anAlert({ message: `alert ${position}`, at: Date.now() + position }),
      ),
    )
  const badge = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
  await write(2)
  await open('/internal/accounts')
  await expect(badge('2 new alerts')).toBeVisible()
  await page.getByRole('link', { name: 'Alerts', exact: true }).click()
  await expect(rows(page)).toHaveCount(2)
  await expect(badge('new alerts')).toHaveCount(0)
  await write(12)
  await page.goto('/internal/accounts')
  await expect(badge('9+ new alerts')).toHaveText('9+')
})

test('the badge leads to the new alerts of all accounts whatever their day, and the menu to the default', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const other = await api.account(tenant.service_provider_sid)
  const dayMs = 86_400_000
  await writeAlerts(server.intakePort, tenant, [anAlert({ message: 'old', at: Date.now() - 3 * dayMs })])
  await writeAlerts(server.intakePort, { ...tenant, account_sid: other }, [
    anAlert({ message: 'of another account', at: Date.now() - 2 * dayMs }),
  ])
  await open('/internal/accounts')
  await page.getByRole('link', { name: '2 new alerts' }).click()
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByRole('combobox', { name: 'Date', exact: true })).toHaveValue('other')
  await expect(page.getByRole('link', { name: 'new alerts' })).toHaveCount(0)
  await page.reload()
  await expect(rows(page)).toHaveCount(2)
  await page.getByRole('link', { name: 'Alerts', exact: true }).click()
  await expect(page.getByText('No data.')).toBeVisible()
  await expect(page).not.toHaveURL(/since=/)
})

const newGroup = (page: Page) => page.getByRole('region', { name: 'New since your last visit' })
const newRows = (page: Page) => newGroup(page).locator('tbody tr[data-row]')
const badge = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /new alert/ })

test('opens on what is new whatever its day, once, and for the user instead of the browser', async ({
  page,
  api,
  browser,
  server,
  tenant,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  await writeAlerts(server.intakePort, tenant, [
    anAlert({ message: 'of last week', at: Date.now() - 7 * day }),
    anAlert({ message: 'of today', at: Date.now() - 1000 }),
  ])
  const person = await api.person({ account_sid, service_provider_sid })
  await open('/internal/alerts', person.token)
  await expect(page.getByRole('combobox', { name: 'Date', exact: true })).toHaveValue('today')
  await expect(newRows(page)).toHaveText([/of last week/])
  await expect(rows(page)).toHaveText([/of today/])
  await expect(badge(page)).toHaveCount(0)
  await newRows(page).getByRole('button').first().click()
  await expect(newGroup(page).getByText('Raw record', { exact: true })).toBeVisible()

  // The group stays while the user looks at something else, and leaves when the user hides it.
  await page.getByRole('link', { name: 'Recent calls', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Recent calls', level: 1 })).toBeVisible()
  await page.goBack()
  await expect(newRows(page)).toHaveText([/of last week/])
  await newGroup(page).getByRole('button', { name: 'Hide' }).click()
  await expect(newGroup(page)).toHaveCount(0)
  await expect(rows(page)).toHaveText([/of today/])

  const another = await browser.newContext()
  const elsewhere = await another.newPage()
  await elsewhere.goto(api.url)
  await elsewhere.evaluate((token) => localStorage.setItem('token', token), person.token)
  await elsewhere.goto(`${api.url}/internal/alerts`)
  await expect(rows(elsewhere)).toHaveText([/of today/])
  await expect(newGroup(elsewhere)).toHaveCount(0)
  await expect(badge(elsewhere)).toHaveCount(0)
  await another.close()
})

test('the badge falls only by the alerts that were on the page, of the chosen account', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const { service_provider_sid } = tenant
  const other = await api.account(service_provider_sid, { name: 'Zeta' })
  const at = Date.now() - 3 * day
  await writeAlerts(
    server.intakePort,
    tenant,
    Array.from({ length: 27 }, (_, index) => anAlert({ at: at + index, message: `alert ${index} of the first` })),
  )
  await writeAlerts(server.intakePort, { service_provider_sid, account_sid: other }, [
    anAlert({ message: 'of zeta', at }),
  ])
  const provider = await api.person({ service_provider_sid })
  await open('/internal/overview', provider.token)
  await expect(badge(page)).toHaveText('9+')
  await expect(page.getByRole('main').getByText('28 new alerts')).toBeVisible()

  // A count that the server has read before it remembers the alerts arrives after that.
  const isMarked = page.waitForResponse(/seen-alerts/)
  await page.route(
    /service-providers.*new-alerts/,
    async (route) => {
      const response = await route.fetch()
      await isMarked
      await route.fulfill({ response }).catch(() => {})
    },
    { times: 1 },
  )
  await page.goto(`${api.url}/internal/alerts?account=${tenant.account_sid}`)
  await expect(newRows(page)).toHaveCount(25)
  await expect(newRows(page).first()).toContainText('alert 24 of the first')
  await expect(newGroup(page).getByText('and 2 newer alerts')).toBeVisible()
  await expect(badge(page)).toHaveText('3')
  await newGroup(page).getByRole('button', { name: 'Show more' }).click()
  await expect(newRows(page)).toHaveCount(27)
  await expect(badge(page)).toHaveText('1')
  await page.goto(`${api.url}/internal/alerts?account=all`)
  await expect(newRows(page)).toHaveText([/of zeta/])
  await expect(badge(page)).toHaveCount(0)
})

test('marks all new alerts as seen, and keeps them new while the server cannot remember it', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const at = Date.now() - 3 * day
  await writeAlerts(
    server.intakePort,
    tenant,
    Array.from({ length: 60 }, (_, index) => anAlert({ at, message: `alert ${index} of one instant` })),
  )
  const refused = page.waitForResponse((response) => /seen-alerts/.test(response.url()) && response.status() === 503)
  await page.route('**/seen-alerts', (route) => route.fulfill({ status: 503, json: { msg: 'not now' } }))
  await open('/internal/alerts')
  await refused
  await expect(newRows(page)).toHaveCount(25)
  await expect(badge(page)).toHaveText('9+')
  await page.unroute('**/seen-alerts')
  await page.reload()
  await expect(newGroup(page).getByText('and 35 newer alerts')).toBeVisible()
  await newGroup(page).getByRole('button', { name: 'Mark all as seen' }).click()
  await expect(newGroup(page)).toHaveCount(0)
  await expect(badge(page)).toHaveCount(0)
})

test('without Patchbay’s server, the browser remembers the visit, and the badge leads to the alerts since then', async ({
  page,
  server,
  tenant,
  open,
}) => {
  await writeAlerts(server.intakePort, tenant, [anAlert({ message: 'of last week', at: Date.now() - 7 * day })])
  await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await open('/internal/accounts')
  await badge(page).click()
  await expect(rows(page)).toHaveText([/of last week/])
  await expect(newGroup(page)).toHaveCount(0)
  await expect(badge(page)).toHaveCount(0)
  await page.reload()
  await expect(rows(page)).toHaveText([/of last week/])
  await expect(badge(page)).toHaveCount(0)
  expect(requests.filter((url) => /(?:new|seen)-alerts/.test(new URL(url).pathname))).toEqual([])
})
