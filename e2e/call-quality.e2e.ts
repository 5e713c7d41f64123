import type { Page } from '@playwright/test'
import { aCall, writeCalls } from './support/calls.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { expect, test } from './support/test.ts'

/** Call quality figures, and the links from a figure to its calls. */

const figures = (page: Page, name: string) => page.getByRole('table', { name, exact: true })
const findRow = (page: Page, table: string, name: string | RegExp) =>
  figures(page, table)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader').getByText(name, { exact: true }) })
const calls = (page: Page) => page.getByRole('table', { name: 'Recent calls' }).locator('tbody tr[data-row]')

test('shows figures by carrier, account, and final status, each with a link to its calls', async ({
  page,
  api,
  tenant,
  server,
  open,
}) => {
  const beside = await api.account(tenant.service_provider_sid, { name: 'Beside' })
  await writeCalls(server.intakePort, tenant, [
    aCall({ trunk: 'north', duration: 60, from: '15550000001' }),
    aCall({ trunk: 'north', duration: 30, from: '15550000002' }),
    aCall({ trunk: 'south', answered: false, sip_status: 503, from: '15550000003' }),
    aCall({ trunk: 'south', answered: false, sip_status: 486, from: '15550000004' }),
  ])
  await writeCalls(server.intakePort, { ...tenant, account_sid: beside }, [
    aCall({ trunk: 'south', answered: false, sip_status: 503, from: '15550000005' }),
  ])
  await open('/internal/recent-calls')
  await expect(page.getByRole('heading', { name: 'Recent calls', level: 1 })).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('q')
  await expect(page.getByRole('heading', { name: 'Call quality', level: 1 })).toBeVisible()
  const main = page.getByRole('main')
  await expect(main.getByText('40.0 %').first()).toBeVisible()
  await expect(main.getByText('60.0 %').first()).toBeVisible()
  await expect(main.getByText('00:45').first()).toBeVisible()
  await expect(page.getByRole('figure', { name: 'Calls', exact: true })).toBeVisible()
  await expect(findRow(page, 'By carrier', 'north')).toContainText(/2.*2.*100\.0 %.*100\.0 %.*00:45/)
  await expect(findRow(page, 'By carrier', 'south')).toContainText(/3.*0.*0\.0 %.*33\.3 %/)
  await expect(
    figures(page, 'Calls that were not answered').getByRole('row', { name: '503 Service Unavailable' }),
  ).toContainText(/overloaded, in maintenance.*2.*66\.7 %/)

  // Links to the calls of all accounts with this status.
  await page.getByRole('link', { name: '2 calls that ended with 503' }).click()
  await expect(calls(page)).toHaveCount(2)
  await expect(calls(page).first()).toContainText('failed 503')
  await page.getByRole('button', { name: 'Ended with 503: remove this filter' }).click()
  await expect(calls(page)).toHaveCount(3)
  await page.goBack()
  await page.goBack()

  await findRow(page, 'By account', 'Beside').getByRole('button', { name: 'Beside' }).click()
  await expect(findRow(page, 'By carrier', 'south')).toContainText(/1.*0/)
  await expect(figures(page, 'By account')).toHaveCount(0)
  await page.getByRole('button', { name: 'south', exact: true }).click()
  await expect(page).toHaveURL(/trunk=south/)
  await page.getByRole('link', { name: '1 attempt over south' }).click()
  await expect(calls(page)).toHaveText([/1 \(555\) 000-0005|15550000005/])
  await page.getByRole('button', { name: 'Carrier: south: remove this filter' }).click()
  await expect(page).not.toHaveURL(/trunk=/)
})

test('shows calls, answer rate, and post-dial delay by day, at the pointer, the keyboard, and in a table', async ({
  page,
  tenant,
  server,
  open,
}) => {
  await writeCalls(server.intakePort, tenant, [
    aCall(),
    aCall(),
    aCall({ answered: false, sip_status: 486 }),
    aCall({ answered: false, sip_status: 503 }),
  ])
  await open('/internal/call-quality')
  const chart = (name: string) => page.getByRole('figure', { name, exact: true })
  await expect(
    chart('Calls').getByRole('img', {
      name: 'Calls by day: 4 attempts, 2 answered, 1 not delivered or unknown',
      exact: true,
    }),
  ).toBeVisible()
  const day = page.getByRole('slider', { name: 'Calls: day' })
  const values = day.getByRole('term')
  await expect(values).toHaveCount(0)
  await day.focus()
  await expect(day).toContainText(/not overAttempts4Answered2Delivered, not answered1Not delivered or unknown1/)
  await expect(day).toHaveAttribute('aria-valuetext', /: Attempts 4, Answered 2, .+ answered 1, .+ unknown 1$/)
  await day.press('ArrowLeft')
  await expect(day).toContainText(/Attempts0Answered0/)
  await expect(day).not.toContainText('not over')
  await day.blur()
  await expect(values).toHaveCount(0)
  const rate = page.getByRole('slider', { name: 'Answer rate: day' })
  const box = await rate.boundingBox()
  await rate.hover({ position: { x: (box?.width ?? 0) - 3, y: 20 } })
  await expect(rate).toContainText(/ASR50\.0 %NER75\.0 %/)
  await rate.press('Home')
  await expect(rate).toContainText(/ASR–NER–/)
  const rows = chart('Answer rate').getByRole('table', { name: 'Answer rate by day' }).getByRole('row')
  await expect(rows).toHaveCount(8)
  await expect(rows.last()).toHaveText(/^\w{3}, \w{3} \d+50\.0 %75\.0 %$/)
  // The chart is left out, because no delay was measured.
  await expect(chart('Post-dial delay')).toHaveCount(0)

  await page.route(/patchbay.*call-quality\?/, async (route) => {
    const response = await route.fetch()
    const text = await response.text()
    const body = text.replaceAll('"pdd_calls":0,"pdd_milliseconds":0', '"pdd_calls":2,"pdd_milliseconds":1200')
    await route.fulfill({ response, body })
  })
  await page.reload()
  await expect(chart('Post-dial delay').getByRole('img', { name: /: 0\.60 s on average over all days$/ })).toBeVisible()
  await page.getByRole('combobox', { name: 'Date', exact: true }).selectOption('today (UTC)')
  const delay = page.getByRole('slider', { name: 'Post-dial delay: day' })
  await delay.focus()
  await expect(delay).toContainText(/not overAverage0\.60 sCalls measured2/)
  for (const width of [390, 1024, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expectToFit(page, `call quality with charts at ${width}`)
  }
})

test('links no calls without a carrier, which no filter selects', async ({ page, tenant, server, open }) => {
  await writeCalls(server.intakePort, tenant, [aCall({ trunk: 'north' }), aCall({ trunk: 'south' })])
  await page.route(/call-quality\?/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replace('"trunk":"north"', '"trunk":""') })
  })
  await open('/internal/call-quality')
  await expect(findRow(page, 'By carrier', 'none').getByRole('cell').first()).toHaveText('1')
  await expect(findRow(page, 'By carrier', 'none').getByRole('link')).toHaveCount(0)
  await expect(findRow(page, 'By carrier', 'south').getByRole('link')).toHaveCount(2)
})

test('counts blocked calls by carrier', async ({ page, tenant, server, open }) => {
  const blocked = { answered: false, direction: 'outbound' } as const
  await writeCalls(server.intakePort, tenant, [
    aCall({ ...blocked, trunk: 'north', sip_status: 608 }),
    aCall({ ...blocked, trunk: 'north', sip_status: 607 }),
    aCall({ ...blocked, trunk: 'south', sip_status: 603 }),
  ])
  await open('/internal/call-quality')
  await expect(page.getByRole('main')).toContainText('ended with 607 or 608')
  await expect(figures(page, 'By carrier').getByRole('columnheader').last()).toHaveText('Blocked')
  await expect(findRow(page, 'By carrier', 'north').getByRole('cell').last()).toHaveText('2')
  await expect(findRow(page, 'By carrier', 'south').getByRole('cell').last()).toHaveText('0')
  await expectToFit(page, 'call quality with blocked calls')
  await expect(figures(page, 'Calls that were not answered').getByRole('row', { name: '603 Decline' })).toContainText(
    'the status alone does not say who rejected the request, or why',
  )
  await page.setViewportSize({ width: 390, height: 900 })
  await expectToFit(page, 'call quality with blocked calls')
  await findRow(page, 'By carrier', 'north').getByRole('rowheader').scrollIntoViewIfNeeded()
  await expect(figures(page, 'By carrier').getByRole('columnheader', { name: 'Blocked' })).toBeInViewport({ ratio: 1 })
  await expect(figures(page, 'Calls that were not answered').getByRole('row', { name: '608 Rejected' })).toContainText(
    'a filter in a network blocked the call',
  )
})

test('lists blocked calling numbers with links to their calls, and identities as claims', async ({
  page,
  tenant,
  server,
  open,
}) => {
  const blocked = { answered: false, direction: 'outbound' } as const
  await writeCalls(server.intakePort, tenant, [
    aCall({ ...blocked, trunk: 'north', sip_status: 608, from: '+15083084809' }),
    aCall({ ...blocked, trunk: 'south', sip_status: 607, from: '15083084809' }),
    aCall({ ...blocked, trunk: 'south', sip_status: 607, from: '15085550003' }),
    aCall({ direction: 'outbound', from: '15083084809' }),
  ])
  await open('/internal/call-quality')
  const numbers = figures(page, 'Blocked calling numbers')
  await expect(numbers.getByRole('row')).toHaveText([
    /Calling number.*Blocked.*Analytics \(603\+\).*Filter \(608\).*Unwanted \(607\).*Last/,
    /\+1 \(508\) 308-48092011.*(second|minute)s? ago|\+1 \(508\) 308-48092011.*now/,
    /\+1 \(508\) 555-00031001/,
  ])
  await expect(page.getByRole('main')).toContainText('do not switch the carrier to get around a block')
  await expect(figures(page, 'Claimed identities')).toHaveCount(0)
  await page.getByRole('link', { name: 'Unanswered outbound calls with +1 (508) 308-4809' }).click()
  await expect(calls(page)).toHaveCount(2)

  // Captured SIP is counted some minutes later, which server/test/blocked-calls.test.ts waits for.
  const counts = { calls: 9, level_a: 4, level_b: 2, level_c: 1, no_level: 1, passed: 3, failed: 1 }
  await page.route('**/call-quality?*', async (route) => {
    const response = await route.fetch()
    const quality = (await response.json()) as object
    const identities = [{ trunk: 'north', direction: 'inbound', ...counts }]
    await route.fulfill({ response, json: { ...quality, identities } })
  })
  await open('/internal/call-quality')
  const claims = figures(page, 'Claimed identities')
  await expect(claims.getByRole('row')).toHaveText([
    'CarrierDirectionCallsABCNo levelSaid passedSaid failed',
    'northinbound9421131',
  ])
  await expect(page.getByRole('main')).toContainText(
    'Patchbay verifies neither, so none of these figures proves who called.',
  )
  for (const width of [390, 1024, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expectToFit(page, `call quality with blocked numbers at ${width}`)
  }
})

test('says that blocked calls are not reported by calling number if the platform stores the calls', async ({
  page,
  tenant,
  server,
  open,
}) => {
  await writeCalls(server.intakePort, tenant, [aCall({ answered: false, direction: 'outbound', sip_status: 608 })])
  await page.route('**/call-quality?*', async (route) => {
    const response = await route.fetch()
    const quality = (await response.json()) as object
    await route.fulfill({ response, json: { ...quality, counts_sip: false, blocked_numbers: null } })
  })
  await open('/internal/call-quality')
  const main = page.getByRole('main')
  await expect(main).toContainText('Blocked calls are not reported by calling number')
  await expect(main).toContainText('only captured SIP, which is not received, tells other blocks')
  await expect(figures(page, 'Blocked calling numbers')).toHaveCount(0)
})

test('reports that there are no calls, offers a retry after a failure, and shows accounts only their own calls', async ({
  page,
  api,
  tenant,
  server,
  open,
}) => {
  const { token } = await api.person({
    service_provider_sid: tenant.service_provider_sid,
    account_sid: tenant.account_sid,
  })
  await page.route('**/call-quality?*', (route) => route.fulfill({ status: 500, json: { msg: 'Out of order' } }))
  await open('/internal/call-quality', token)
  await expect(page.getByRole('main').getByText('Out of order')).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('No calls.')).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Account', exact: true })).toHaveCount(0)
  await writeCalls(server.intakePort, tenant, [aCall({ direction: 'outbound' })])
  await page.getByRole('combobox', { name: 'Date', exact: true }).selectOption('today (UTC)')
  await expect(page.getByText('Today is not over yet, so its figures are partial.')).toBeVisible()
  await expect(findRow(page, 'By day (UTC)', /^\d{4}-\d\d-\d\d \(so far\)$/)).toContainText('1')
  await page.getByRole('combobox', { name: 'Direction', exact: true }).selectOption('outbound')
  await expect(findRow(page, 'By direction', 'outbound')).toContainText('1')
  await page.getByRole('link', { name: '1 attempt', exact: true }).click()
  await expect(calls(page)).toHaveCount(1)
})
