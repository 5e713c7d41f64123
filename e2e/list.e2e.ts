import type { Page } from '@playwright/test'
import { aCall, writeCalls } from './support/calls.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { showManyAccounts } from './support/seed-accounts.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Features of all lists, tested with accounts (a complete list) and recent calls (a paged list). */

declare global {
  interface Window {
    find: (text: string) => boolean
  }
}

const rows = (page: Page, name = 'Accounts') => page.getByRole('table', { name }).locator('tbody tr[data-row]')
const filter = (page: Page) => page.getByRole('searchbox', { name: 'Filter accounts' })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const accountName = (page: Page) => page.getByLabel('Account name')
const count = (page: Page) => page.getByRole('search', { name: 'Filters' }).locator('output')
const comeBack = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))

test.describe('complete lists', () => {
  test.beforeEach(async ({ api, tenant }) => {
    for (const name of ['Beta 10', 'beta 9', 'Alpha'])
      await api.account(tenant.service_provider_sid, {
        name,
        sip_realm: `${name.replace(' ', '-')}.${tenant.account_sid}.example.com`,
      })
  })

  test('undo a typed filter or a sort order with a single Back', async ({ page, open }) => {
    await open('/internal/accounts')
    await filter(page).pressSequentially('beta')
    await expect(rows(page)).toHaveCount(2)
    await page.getByRole('button', { name: 'Name' }).click()
    await expect(page).toHaveURL(/filter=beta&sort=name/)
    await page.goBack()
    await expect(page).toHaveURL(/filter=beta$/)
    await page.goBack()
    await expect(page).toHaveURL(/accounts$/)
    await expect(rows(page)).toHaveCount(4)
    await expect(filter(page)).toHaveValue('')
  })

  test('announce the number of filtered rows, also to screen readers', async ({ page, open }) => {
    await open('/internal/accounts')
    await expect(count(page)).toHaveText('4 accounts')
    await filter(page).fill('beta')
    await expect(count(page)).toHaveText('2 of 4 accounts')
  })

  test('sort by a column header, with numeric order for numbers and empty values last', async ({
    page,
    open,
    tenant,
  }) => {
    await open('/internal/accounts?filter=a&sort=-realm')
    const header = page.getByRole('columnheader', { name: 'SIP realm' })
    await expect(header).toHaveAttribute('aria-sort', 'descending')
    await expect(rows(page).getByRole('link').filter({ hasNotText: /^$/ })).toHaveText([
      'Beta 10',
      'beta 9',
      'Alpha',
      tenant.accountName,
    ])
    await header.getByRole('button').click()
    await expect(header).toHaveAttribute('aria-sort', 'ascending')
    await expect(rows(page).first()).toContainText('Alpha')
    await expect(rows(page).last()).toContainText(tenant.accountName)
  })

  test('open a row by a click anywhere except on its controls', async ({ page, open }) => {
    await open('/internal/accounts')
    await rows(page).filter({ hasText: 'Alpha' }).getByText('Active').click()
    await expect(page.getByRole('heading', { name: 'Alpha' })).toBeVisible()
    await page.goBack()
    await page.getByRole('button', { name: 'Delete Alpha' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expect(page).toHaveURL(/accounts$/)
  })

  test('have one tab stop per row, and arrow keys for rows and their controls', async ({ page, open }) => {
    await open('/internal/accounts')
    await link(page, 'Alpha').focus()
    await page.keyboard.press('Tab')
    await expect(link(page, 'Beta 10').or(link(page, 'beta 9'))).toHaveCount(2)
    await expect(page.locator('tr[data-row] a:focus')).toHaveText(/beta/i)
    await link(page, 'Alpha').focus()
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('button', { name: 'Copy the SID of Alpha' })).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await expect(page.locator('tr[data-row] a:focus')).toHaveText(/beta/i)
    await link(page, 'Alpha').focus()
    await page.keyboard.press('ArrowLeft')
    const box = page.getByRole('checkbox', { name: 'Select Alpha' })
    await expect(box).toBeFocused()
    await page.keyboard.press('Space')
    await expect(box).toBeChecked()
    await page.keyboard.press('ArrowRight')
    await expect(link(page, 'Alpha')).toBeFocused()
  })

  test('restore filter, sort order, and the changed row when the user returns from a record', async ({
    page,
    open,
  }) => {
    await open('/internal/accounts')
    await filter(page).fill('beta')
    await page.getByRole('button', { name: 'Name' }).click()
    await link(page, 'beta 9').click()
    await page.getByLabel('Account name').fill('beta 09')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page).toHaveURL(/accounts\?filter=beta&sort=name/)
    await expect(link(page, 'beta 09')).toBeFocused()
    await link(page, 'Beta 10').click()
    const crumb = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Accounts' })
    await expect(crumb, 'the screen above is not the current one').not.toHaveAttribute('aria-current')
    await crumb.click()
    await expect(rows(page)).toHaveCount(2)
  })

  test('restore the scroll position of long lists when the user returns', async ({ page, open, api, tenant }) => {
    await showManyAccounts(page, 500, 'Account')
    const { body } = await api.send('GET', `/Accounts/${tenant.account_sid}`)
    await page.route('**/Accounts/00000499*', (route) => route.fulfill({ json: { ...body, name: 'Account 499' } }))
    await open('/internal/accounts')
    // All rows are in the document while the page is idle, so that the browser's search finds them.
    await expect(rows(page)).toHaveCount(500)
    expect(await page.evaluate(() => window.find('Account 498'))).toBe(true)
    await expect(link(page, 'Account 498')).toBeInViewport()
    expect(await page.evaluate(() => getSelection()?.toString())).toBe('Account 498')
    await link(page, 'Account 0').focus()
    await page.keyboard.press('End')
    await expect(link(page, 'Account 499')).toBeFocused()
    await expect(link(page, 'Account 499')).toBeInViewport()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Account 499', level: 1 })).toBeVisible()
    await page.goBack()
    await expect(link(page, 'Account 499')).toBeInViewport()
  })

  test('keep the rows if a background refresh fails, with an error and a retry', async ({ page, open }) => {
    await page.clock.install()
    await open('/internal/accounts')
    await expect(rows(page)).toHaveCount(4)
    let away = true
    await page.route('**/ServiceProviders/*/Accounts', (route) =>
      away ? route.fulfill({ status: 500, json: { msg: 'The database is away' } }) : route.fallback(),
    )
    await page.clock.fastForward(60_000)
    await comeBack(page)
    await expect(page.getByText('Refresh failed: The database is away')).toBeVisible()
    await expect(rows(page)).toHaveCount(4)
    away = false
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByText('Refresh failed')).toHaveCount(0)
    await expect(rows(page)).toHaveCount(4)
  })

  for (const [kind, path, requests, loaded] of [
    ['a list', '/internal/accounts', '**/ServiceProviders/*/Accounts', link],
    ['a record', '/internal/accounts/$sid/edit', '**/api/v1/Accounts/*', accountName],
  ] as const)
    test(`say that ${kind} is still loading after 8 s, and send the request again`, async ({ page, open, tenant }) => {
      await page.clock.install()
      let requestCount = 0
      let isStuck = true
      await page.route(requests, (route) => {
        if (!isStuck) return route.fallback()
        requestCount += 1
      })
      await open(path.replace('$sid', tenant.account_sid))
      await expect.poll(() => requestCount).toBeGreaterThan(0)
      const main = page.getByRole('main')
      await expect(main.getByText('Loading…')).toBeAttached()
      await page.clock.fastForward(7_000)
      await expect(main.getByText('Still loading')).toHaveCount(0)
      await page.clock.fastForward(1_500)
      await expect(main.getByText('Still loading')).toBeVisible()
      isStuck = false
      await main.getByRole('button', { name: 'Retry' }).click()
      await expect(loaded(page, tenant.accountName)).toBeVisible()
      await expect(main.getByText('Still loading')).toHaveCount(0)
    })

  test('keep the session after a network failure without user activity', async ({ page, open }) => {
    await page.clock.install()
    await open('/internal/accounts')
    await expect(rows(page)).toHaveCount(4)
    await page.route('**/api/v1/**', (route) => route.abort('connectionfailed'))
    await page.clock.fastForward(60_000)
    await comeBack(page)
    await expect(page.getByText('Refresh failed: The server cannot be reached')).toBeVisible()
    await expect(rows(page)).toHaveCount(4)
    await expect(page).toHaveURL(/accounts$/)
  })

  test('announce new rows instead of inserting them, and remove deleted ones', async ({ page, open, api, tenant }) => {
    await page.clock.install()
    await open('/internal/accounts')
    await expect(rows(page)).toHaveCount(4)
    await api.account(tenant.service_provider_sid, { name: 'Aaa, from elsewhere' })
    await page.clock.fastForward(60_000)
    await comeBack(page)
    const news = page.getByRole('status').getByRole('button', { name: 'Show 1 new account' })
    await expect(news).toBeVisible()
    await expect(rows(page)).toHaveCount(4)
    await news.click()
    await expect(link(page, 'Aaa, from elsewhere')).toBeVisible()
    await api.account(tenant.service_provider_sid, { name: 'Aab' })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(link(page, 'Aab')).toBeVisible()
    await expect(news).toHaveCount(0)
  })

  test('are tables from 600 px of width, and cards of two lines below', async ({ page, open }) => {
    await page.setViewportSize({ width: 648, height: 900 })
    await open('/internal/accounts')
    const header = page.getByRole('columnheader', { name: 'Name' })
    await expect(header).toBeInViewport()
    await expect(rows(page).first()).toHaveCSS('display', 'table-row')
    await page.setViewportSize({ width: 646, height: 900 })
    await expect(header).not.toBeInViewport()
    await page.setViewportSize({ width: 390, height: 900 })
    const box = await rows(page).first().boundingBox()
    expect(box?.height, 'two lines').toBeLessThanOrEqual(62)
  })

  test('write each row on one line, and cut only long names, which have a title', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const name = 'The Honourable Company of Switchboard Operators of the far North'
    await api.account(tenant.service_provider_sid, { name })
    const row = rows(page).filter({ hasText: name })
    for (const width of [1440, 1024, 768]) {
      await page.setViewportSize({ width, height: 900 })
      await open('/internal/accounts')
      // The first cell selects the row.
      await expect(row.getByRole('cell').nth(1)).toHaveAttribute('title', name)
      expect((await row.boundingBox())?.height).toBe(38)
      await expectToFit(page, `the list at ${width} px`)
    }
  })

  test('show the buttons of a row on hover and focus, in a place of their own', async ({ page, open }) => {
    await open('/internal/accounts')
    const edit = rows(page)
      .first()
      .getByRole('link', { name: /^Edit / })
    const group = edit.locator('xpath=..')
    await page.getByRole('heading', { level: 1 }).hover()
    await expect(group).toHaveCSS('opacity', '0')
    const before = await rows(page).first().getByRole('cell').last().boundingBox()
    await rows(page).first().hover()
    await expect(group).toHaveCSS('opacity', '1')
    expect(await rows(page).first().getByRole('cell').last().boundingBox()).toEqual(before)
    await page.getByRole('heading', { level: 1 }).hover()
    await edit.focus()
    await expect(group).toHaveCSS('opacity', '1')
  })

  test('keep the column widths during typing', async ({ page, open }) => {
    await open('/internal/accounts')
    const widths = () =>
      page
        .getByRole('columnheader')
        .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().width)))
    await expect(rows(page)).toHaveCount(4)
    const before = await widths()
    await filter(page).fill('alpha')
    await expect(rows(page)).toHaveCount(1)
    expect(await widths()).toEqual(before)
  })
})

test.describe('paged lists', () => {
  const calls = (page: Page) => rows(page, 'Recent calls')
  const field = (page: Page) => page.getByRole('searchbox', { name: 'Filter' })

  test.beforeEach(async ({ server, tenant }) => {
    const many = Array.from({ length: 30 }, (_, index) => aCall({ from: `1508308${String(index).padStart(4, '0')}` }))
    await writeCalls(server.intakePort, tenant, many)
  })

  test('apply a filter with Enter, and mark it as pending until then', async ({ page, open }) => {
    await open('/internal/recent-calls')
    await expect(calls(page)).toHaveCount(25)
    await page.clock.install()
    await field(page).fill('15083080007')
    await expect(calls(page)).toHaveCount(25)
    await field(page).press('Enter')
    await expect(calls(page)).toHaveCount(1)
    await expect(page).toHaveURL(/filter=15083080007/)
  })

  test('move the focus to the table after paging, and return to the previous page with Back', async ({
    page,
    open,
  }) => {
    await open('/internal/recent-calls')
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect(calls(page)).toHaveCount(5)
    await expect(page.getByRole('table', { name: 'Recent calls' })).toBeFocused()
    await page.goBack()
    await expect(calls(page)).toHaveCount(25)
    await expect(page).toHaveURL(/recent-calls$/)
  })

  test('keep the expanded row in the URL, and close it with Esc', async ({ page, open }) => {
    await open('/internal/recent-calls')
    await calls(page).first().getByRole('cell').nth(1).click()
    await expect(page.getByText('Termination reason')).toBeVisible()
    await expect(page).toHaveURL(/open=/)
    await page.reload()
    await expect(page.getByText('Termination reason')).toBeVisible()
    await calls(page).first().getByRole('button', { name: 'Call from' }).focus()
    await page.keyboard.press('Escape')
    await expect(page.getByText('Termination reason')).toHaveCount(0)
    await expect(page).toHaveURL(/recent-calls$/)
  })

  test('need no accounts to list the calls of all, and report a chosen one that cannot be loaded', async ({
    page,
    open,
    tenant,
  }) => {
    let away = true
    await page.route('**/ServiceProviders/*/Accounts', (route) =>
      away
        ? route.fulfill({
            status: 500,
            headers: { 'x-request-id': 'req-of-mine' },
            json: { msg: 'The database is away' },
          })
        : route.fallback(),
    )
    await open('/internal/recent-calls')
    await expect(calls(page)).toHaveCount(25)
    away = false
    await open('/internal/recent-calls')
    const account = page.getByRole('main').getByRole('combobox', { name: 'Account' })
    await account.selectOption(tenant.accountName)
    await expect(page).toHaveURL(/account=/)
    await expect(calls(page)).toHaveCount(25)
    away = true
    await page.goto('/internal/recent-calls')
    await expect(page.getByText('The database is away')).toBeVisible()
    await expect(page.getByText('req-of-mine')).toBeVisible()
    away = false
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(calls(page)).toHaveCount(25)
  })

  test('report an account in the URL without access', async ({ page, open, api, tenant }) => {
    const foreign = await api.account(await api.provider())
    const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
    await open(`/internal/recent-calls?account=${foreign}`, token)
    await expect(page.getByText('You do not have access to this.')).toBeVisible()
    await expect(calls(page)).toHaveCount(0)
  })

  test('accept typing in the account picker after it was opened', async ({ page, open, api, tenant }) => {
    for (let position = 0; position < 11; position += 1)
      await api.account(tenant.service_provider_sid, { name: `Customer ${position}` })
    await open('/internal/recent-calls')
    await page.getByRole('combobox', { name: 'Account' }).and(page.locator('input')).click()
    await page.keyboard.type('customer 7')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('combobox', { name: 'Account' })).toHaveValue('Customer 7')
    await expect(page.getByText('No data.', { exact: true })).toBeVisible()
  })

  test('find a number in the displayed and in other formats', async ({ page, open }) => {
    await open('/internal/recent-calls')
    for (const written of ['+1 (508) 308-0007', '308-0007', '1508.308.0007']) {
      await field(page).fill(written)
      await field(page).press('Enter')
      await expect(calls(page)).toHaveCount(1)
      const number = calls(page).getByText('+1 (508) 308-0007', { exact: true })
      await expect(number).toBeVisible()
      await expect(number, 'on one line').toHaveCSS('white-space', 'nowrap')
    }
  })

  test('show calls below their day, to the second, with the relative time as tooltip', async ({ page, open }) => {
    await open('/internal/recent-calls')
    const time = calls(page).first().locator('time').first()
    await expect(time).toHaveText(/^\d\d:\d\d:\d\d$/)
    await expect(time, 'on one line').toHaveCSS('white-space', 'nowrap')
    await time.hover()
    await expect(calls(page).first().getByRole('tooltip').filter({ hasText: 'UTC' }).first()).toBeVisible()
  })
})

test.describe('copying and exporting', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
  const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
  const take = async (page: Page, item: string) => {
    await page.getByRole('button', { name: 'Copy or download' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }

  test('copies a list or record as a cURL command without the token, and as JSON without secrets', async ({
    page,
    open,
    api,
    tenant,
  }) => {
    await open('/internal/accounts')
    await take(page, 'Copy as cURL')
    await expectToast(page, 'cURL command copied to clipboard')
    const command = await copied(page)
    expect(command).toContain(`${api.url}/api/v1/ServiceProviders/${tenant.service_provider_sid}/Accounts`)
    expect(command).toContain('$PATCHBAY_TOKEN')
    expect(command).not.toContain(api.token)
    await take(page, 'Copy as JSON')
    await expectToast(page, 'JSON copied to clipboard')
    const [account] = JSON.parse(await copied(page))
    expect(account.account_sid).toBe(tenant.account_sid)
    const { webhook_secret } = (await api.send('GET', `/Accounts/${tenant.account_sid}`)).body
    expect(account.webhook_secret).not.toBe(webhook_secret)
    expect(account.webhook_secret.slice(-4)).toBe(webhook_secret.slice(-4))

    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await take(page, 'Copy as cURL')
    await expectToast(page, 'cURL command copied to clipboard')
    expect(await copied(page)).toContain(`${api.url}/api/v1/Accounts/${tenant.account_sid}`)
    await take(page, 'Copy as JSON')
    await expectToast(page, 'JSON copied to clipboard')
    expect(JSON.parse(await copied(page))).toMatchObject({
      account_sid: tenant.account_sid,
      webhook_secret: account.webhook_secret,
    })
  })

  test('exports all filtered rows of every page as CSV', async ({ page, open, server, tenant }) => {
    const many = Array.from({ length: 30 }, (_, index) => aCall({ from: index < 27 ? '+4477900123' : 'anonymous' }))
    await writeCalls(server.intakePort, tenant, many)
    await open('/internal/recent-calls?filter=4477')
    await expect(page.getByText('Total: 27 record(s)')).toBeVisible()
    const download = page.waitForEvent('download')
    await take(page, 'Download CSV')
    const file = await download
    expect(file.suggestedFilename()).toBe('recent-calls.csv')
    const chunks: Buffer[] = []
    for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer)
    const lines = Buffer.concat(chunks).toString().trim().split('\r\n')
    expect(lines).toHaveLength(28)
    expect(lines[0]).toContain('attempted_at')
    expect(lines.slice(1).every((line) => line.includes('+4477900123'))).toBe(true)
  })
})
