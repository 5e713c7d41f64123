import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { expectNoFindings, rulesFor, themes } from './support/axe.ts'
import { aCall, writeCalls } from './support/calls.ts'
import { showManyAccounts } from './support/seed-accounts.ts'
import { makeApplications } from './support/seed-database.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' })
const input = (page: Page) => palette(page).getByRole('combobox')
const options = (page: Page) => palette(page).getByRole('option')
const option = (page: Page, name: string) => palette(page).getByRole('option', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const keysDialog = (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' })

const openAccounts = async (page: Page, open: (path: string, token?: string) => Promise<void>, token?: string) => {
  await open('/internal/accounts', token)
  await expect(page.getByRole('table', { name: 'Accounts' }).locator('tr[data-row]')).not.toHaveCount(0)
}

const search = async (page: Page, text: string) => {
  await page.keyboard.press('Control+k')
  await input(page).fill(text)
}

/** Asserts the option that Enter selects, by its accessible name. */
const expectActive = async (page: Page, name: string) => {
  await expect(palette(page).getByRole('option', { selected: true })).toHaveAccessibleName(name)
  const id = await input(page).getAttribute('aria-activedescendant')
  await expect(page.locator(`[id="${id}"]`)).toHaveAccessibleName(name)
}

const expectActiveAt = async (page: Page, index: number) =>
  expect(options(page).nth(index)).toHaveAttribute('aria-selected', 'true')

test.describe('the command palette', () => {
  test('opens with Ctrl+K, finds a screen by some words, and opens it with Enter and the focus on its heading', async ({
    page,
    open,
  }) => {
    await openAccounts(page, open)
    await page.keyboard.press('Control+k')
    await expect(input(page)).toBeFocused()
    await page.keyboard.type('ca rec')
    await expect(options(page)).toHaveText(['Recent callsgc'])
    await expect(palette(page).getByRole('status')).toHaveText('1 result.')
    await page.keyboard.press('Enter')
    await expect(heading(page, 'Recent calls')).toBeFocused()
    await expect(palette(page)).toHaveCount(0)
  })

  test('finds screens and actions by other words, users by their email address, and phone numbers by their digits', async ({
    page,
    open,
    api,
    tenant,
  }) => {
    const email = `${randomUUID()}@example.org`
    const { service_provider_sid, account_sid } = tenant
    const user = { name: `Ann ${randomUUID()}`, email, initial_password: 'a-temporary-passw0rd' }
    await api.send('POST', '/Users', { ...user, service_provider_sid, account_sid, is_active: true })
    await openAccounts(page, open)
    for (const [text, name] of [
      ['sip trunk', 'Carriers'],
      ['cdr', 'Recent calls'],
      ['tts', 'Speech'],
      ['softphone', 'Clients'],
      ['dial plan', 'Outbound Call Routing'],
      ['log out', 'Sign out'],
      ['new did', 'Add a phone number'],
    ] as const) {
      await search(page, text)
      await expect(option(page, name)).toBeVisible()
      await page.keyboard.press('Escape')
    }
    await search(page, email)
    await expect(option(page, user.name)).toBeVisible()
    await page.keyboard.press('Escape')
    await search(page, '+1 (555) 308')
    await option(page, 'Phone numbers with +1 (555) 308').click()
    await expect(page).toHaveURL(/\/internal\/phone-numbers\?filter=/)
    await expect(page.getByRole('searchbox', { name: 'Filter phone numbers' })).toHaveValue('+1 (555) 308')
  })

  test('finds the calls of a pasted Call-ID, call SID, or phone number, in all accounts', async ({
    page,
    open,
    server,
    tenant,
  }) => {
    const call = aCall({ from: '+15085550100' })
    await writeCalls(server.intakePort, tenant, [call, aCall({ from: '+15085550199' })])
    const calls = page.getByRole('table', { name: 'Recent calls' }).locator('tbody tr[data-row]')
    for (const text of [call.call_sid, `sip-${call.call_sid}`, '+1 (508) 555-0100']) {
      await openAccounts(page, open)
      await search(page, text)
      await option(page, `Calls of the last 30 days with ${text}`).click()
      await expect(page).toHaveURL(/recent-calls\?account=all&date=30&filter=/)
      await expect(calls).toHaveCount(1)
    }
  })

  test('opens the call of a pasted SID or Call-ID, and the phone number of pasted digits', async ({
    page,
    api,
    open,
    server,
    tenant,
  }) => {
    const { account_sid } = tenant
    const call = aCall({ from: '+15085550100', to: '+15085550142' })
    await writeCalls(server.intakePort, tenant, [call, aCall({ from: '+15085550199' })])
    for (const text of [call.call_sid, `sip-${call.call_sid}`]) {
      await openAccounts(page, open)
      await search(page, text)
      await option(page, '+1 (508) 555-0100 to +1 (508) 555-0142').click()
      await expect(page).toHaveURL(`/internal/recent-calls/${account_sid}/${call.call_sid}`)
      await expect(heading(page, '+1 (508) 555-0100 to +1 (508) 555-0142')).toBeVisible()
    }
    const created = await api.send('POST', '/PhoneNumbers', { number: '15085550177', account_sid })
    expect(created.status).toBe(201)
    await openAccounts(page, open)
    await search(page, '+1 508 555 017')
    await expect(option(page, 'Phone numbers with +1 508 555 017')).toBeVisible()
    await page.waitForLoadState('networkidle')
    await expect(option(page, '+1 (508) 555-0177')).toHaveCount(0)
    await input(page).fill('+1 508 555 0177')
    await option(page, '+1 (508) 555-0177').click()
    await expect(page).toHaveURL(`/internal/phone-numbers/${created.body.sid}/edit`)
  })

  test('opens no record of another tenant, and searches on if a look-up fails', async ({
    page,
    api,
    open,
    server,
    tenant,
  }) => {
    const service_provider_sid = await api.provider()
    const account_sid = await api.account(service_provider_sid)
    const foreign = aCall({})
    await writeCalls(server.intakePort, { account_sid, service_provider_sid }, [foreign])
    await api.send('POST', '/PhoneNumbers', { number: '15085550188', account_sid })
    const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
    await openAccounts(page, open, token)
    for (const text of [foreign.call_sid, '15085550188']) {
      await search(page, text)
      await page.waitForLoadState('networkidle')
      await expect(
        options(page).filter({ hasText: /^(Calls of the last 30 days|Phone numbers) with / }),
      ).not.toHaveCount(0)
      await expect(options(page).filter({ hasText: /^\+1 \(/ })).toHaveCount(0)
      await page.keyboard.press('Escape')
    }
    await page.route('**/RecentCalls?*', (route) => route.fulfill({ status: 500, json: { msg: 'no' } }))
    const unknown = randomUUID()
    const rejected = page.waitForResponse((response) => response.url().includes('/RecentCalls?'))
    await search(page, unknown)
    await rejected
    await expect(option(page, `Calls of the last 30 days with ${unknown}`)).toBeVisible()
  })

  test('shows an icon for each screen, action, record, and search', async ({ page, open, server, tenant }) => {
    const { account_sid } = tenant
    makeApplications(server, account_sid, ['15085550188 reception'])
    await openAccounts(page, open)
    const icons = options(page).locator('svg')
    await page.keyboard.press('Control+k')
    const settings = ['Alert destinations', 'Masking', 'Review settings']
    for (const name of ['Recent calls', ...settings, 'Add an account', 'Theme: dark', 'Sign out'])
      await expect(option(page, name).locator('svg')).toBeVisible()
    await expect(icons).toHaveCount(await options(page).count())
    await input(page).fill('15085550188')
    for (const name of ['15085550188 reception', 'Phone numbers with 15085550188'])
      await expect(option(page, name).locator('svg')).toBeVisible()
    await expect(icons).toHaveCount(await options(page).count())
  })

  test('opens with Cmd+K, also from within a field, and closes with Esc or the same keys, which restores the focus', async ({
    page,
    open,
  }) => {
    await openAccounts(page, open)
    const filter = page.getByRole('searchbox', { name: 'Filter accounts' })
    await filter.fill('c')
    await page.keyboard.press('Meta+k')
    await expect(input(page)).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(palette(page)).toHaveCount(0)
    await expect(filter).toBeFocused()
    await expect(filter).toHaveValue('c')
    await page.keyboard.press('Control+k')
    await expect(input(page)).toBeFocused()
    await page.keyboard.press('Control+k')
    await expect(palette(page)).toHaveCount(0)
    await expect(filter).toBeFocused()
  })

  test('does not open over another dialog', async ({ page, open, tenant }) => {
    await openAccounts(page, open)
    // Loads the palette's code first.
    await page.keyboard.press('Control+k')
    await expect(input(page)).toBeFocused()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: `Delete ${tenant.accountName}` }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await page.keyboard.press('Control+k')
    await page.keyboard.press('?')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })

  for (const [width, name] of [
    [1440, 'Search or go to'],
    [390, 'Search'],
  ] as const)
    test(`at ${width} px a button opens it, and a click chooses, closes it, or on the backdrop leaves it`, async ({
      page,
      open,
    }) => {
      await page.setViewportSize({ width, height: 800 })
      await openAccounts(page, open)
      const button = page.getByRole('button', { name, exact: true })
      await button.click()
      await expect(input(page)).toBeFocused()
      // All of it is visible: the list scrolls.
      await expect(option(page, 'Settings')).toBeAttached()
      const box = await palette(page).boundingBox()
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(790)
      await palette(page).getByRole('button', { name: 'Close' }).click()
      await expect(palette(page)).toHaveCount(0)
      await expect(button).toBeFocused()
      await button.click()
      await expect(input(page)).toBeFocused()
      await page.mouse.click(width / 2, 790)
      await expect(palette(page)).toHaveCount(0)
      await button.click()
      await option(page, 'Recent calls').hover()
      await expectActive(page, 'Recent calls')
      await option(page, 'Recent calls').click()
      await expect(heading(page, 'Recent calls')).toBeVisible()
    })

  test('moves through the options with arrows, Home, and End, wraps around, and restarts at the first option after typing', async ({
    page,
    open,
  }) => {
    await openAccounts(page, open)
    await page.keyboard.press('Control+k')
    await expectActiveAt(page, 0)
    await page.keyboard.press('ArrowDown')
    await expectActiveAt(page, 1)
    await page.keyboard.press('End')
    await expectActive(page, 'Sign out')
    await page.keyboard.press('ArrowDown')
    await expectActiveAt(page, 0)
    await page.keyboard.press('ArrowUp')
    await expectActive(page, 'Sign out')
    await page.keyboard.press('Home')
    await expectActiveAt(page, 0)
    await page.keyboard.press('End')
    await page.keyboard.type('theme')
    await expectActive(page, 'Theme: dark')
    await expect(input(page)).toBeFocused()
    await page.keyboard.type(' of nobody')
    await expect(options(page)).toHaveCount(0)
    await expect(palette(page).getByRole('status')).toHaveText('Nothing matches.')
    await expect(input(page)).toHaveAttribute('aria-expanded', 'false')
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await expect(input(page)).toBeFocused()
  })

  test('finds an account by words of its name in any order, with or without accents', async ({
    page,
    open,
    api,
    tenant,
  }) => {
    const sid = await api.account(tenant.service_provider_sid, { name: 'Zürich, the Lake Office' })
    await open('/internal/recent-calls')
    await expect(heading(page, 'Recent calls')).toBeVisible()
    await search(page, 'office zurich')
    await expect(palette(page).getByRole('group', { name: 'Accounts' }).getByRole('option')).toHaveCount(1)
    await expectActive(page, 'Zürich, the Lake Office')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(`/internal/accounts/${sid}/edit$`))
    await expect(heading(page, 'Zürich, the Lake Office')).toBeVisible()
  })

  test('finds a renamed account by its new name', async ({ page, open, tenant }) => {
    await openAccounts(page, open)
    await search(page, tenant.accountName)
    await expectActive(page, tenant.accountName)
    await page.keyboard.press('Enter')
    await page.getByLabel('Account name').fill('Renamed in between')
    await page.getByRole('button', { name: 'Save' }).click()
    await expectToast(page, 'Account updated successfully')
    await search(page, 'in between')
    await expectActive(page, 'Renamed in between')
  })

  test('opens an account by a pasted SID, and lets the server resolve an unknown one', async ({
    page,
    open,
    api,
    tenant,
  }) => {
    const elsewhere = await api.account(await api.provider(), { name: 'In another provider' })
    await openAccounts(page, open)
    await search(page, ` ${tenant.account_sid.toUpperCase()} `)
    await expect(options(page)).toHaveCount(1)
    await expectActive(page, tenant.accountName)
    await input(page).fill(elsewhere)
    await expectActive(page, `Open account ${elsewhere}`)
    await page.keyboard.press('Enter')
    await expect(heading(page, 'In another provider')).toBeVisible()
    const nobodys = randomUUID()
    await search(page, nobodys)
    await expectActive(page, `Open account ${nobodys}`)
    await page.keyboard.press('Enter')
    await expectToast(page, 'You do not have access to this resource')
    await expect(page).toHaveURL(/\/internal\/accounts$/)
  })

  test('opens a screen in a new tab with Ctrl+Enter and Ctrl+click', async ({ page, context, open, tenant }) => {
    await openAccounts(page, open)
    await search(page, tenant.accountName)
    await expectActive(page, tenant.accountName)
    const opened = context.waitForEvent('page')
    await page.keyboard.press('Control+Enter')
    await expect(heading(await opened, tenant.accountName)).toBeVisible()
    await search(page, 'recent')
    const another = context.waitForEvent('page')
    await option(page, 'Recent calls').click({ modifiers: ['ControlOrMeta'] })
    await expect(heading(await another, 'Recent calls')).toBeVisible()
    await expect(heading(page, 'Accounts')).toBeVisible()
  })

  test('offers actions: add, theme, shortcuts, sign out', async ({ page, open }) => {
    await openAccounts(page, open)
    await search(page, 'add an')
    await page.keyboard.press('Enter')
    await expect(heading(page, 'Add an account')).toBeFocused()
    await search(page, 'dark')
    await page.keyboard.press('Enter')
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
    await search(page, 'theme')
    await expect(options(page)).toHaveText(['Theme: light', 'Theme: system'])
    await input(page).fill('shortcuts')
    await page.keyboard.press('Enter')
    await expect(keysDialog(page)).toBeVisible()
  })

  test('ends the session by its sign-out action', async ({ page, open, api, tenant }) => {
    const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
    await openAccounts(page, open, token)
    await search(page, 'sign')
    await page.keyboard.press('Enter')
    await expect(heading(page, 'Log in')).toBeVisible()
    await expectToast(page, "You've successfully logged out.")
  })

  test('reloads data with Refresh', async ({ page, open, api, tenant }) => {
    await openAccounts(page, open)
    await api.account(tenant.service_provider_sid, { name: 'Come meanwhile' })
    await search(page, 'refresh')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('link', { name: 'Come meanwhile', exact: true })).toBeVisible()
  })

  test('offers account users only their own account', async ({ page, open, api, tenant }) => {
    const { account_sid, service_provider_sid } = tenant
    await api.account(service_provider_sid, { name: 'A neighbour' })
    const { token } = await api.person({ account_sid, service_provider_sid })
    await open('/internal/recent-calls', token)
    await expect(page.getByText('No data.', { exact: true })).toBeVisible()
    await page.keyboard.press('Control+k')
    for (const name of ['Users', 'Account', 'Recent calls']) await expect(option(page, name)).toBeVisible()
    for (const name of ['Accounts', 'Settings', 'Add an account']) await expect(option(page, name)).toHaveCount(0)
    await input(page).fill('neighbour')
    await expect(palette(page).getByRole('status')).toHaveText('Nothing matches.')
    await input(page).fill(randomUUID())
    await expect(options(page)).toHaveText([/^Calls of the last 30 days with /])
    await input(page).fill(account_sid)
    await expectActive(page, 'Account')
    await page.keyboard.press('Enter')
    await expect(heading(page, tenant.accountName)).toBeVisible()
  })

  test('finds everything for view-only users, and offers no changes', async ({ page, open, api, tenant }) => {
    const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid, is_view_only: true })
    await openAccounts(page, open, token)
    await page.keyboard.press('Control+k')
    await expect(option(page, 'Accounts')).toBeVisible()
    await expect(option(page, 'Add an account')).toHaveCount(0)
    await input(page).fill('add an account')
    await expect(palette(page).getByRole('status')).toHaveText('Nothing matches.')
    await input(page).fill(tenant.accountName)
    await page.keyboard.press('Enter')
    await expect(heading(page, tenant.accountName)).toBeVisible()
  })

  test('shows the best matches of 10,000 accounts and their total', async ({ page, open, api, tenant }) => {
    await showManyAccounts(page, 10_000, 'Tenant')
    // The account does not exist, so its response is simulated. Otherwise the screen would redirect.
    const { body } = await api.send('GET', `/Accounts/${tenant.account_sid}`)
    await page.route('**/Accounts/00000777*', (route) => route.fulfill({ json: { ...body, name: 'Tenant 777' } }))
    await openAccounts(page, open)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('tenant 777')
    const accountGroup = palette(page).getByRole('group', { name: 'Accounts: the best 8 of 19' })
    await expect(accountGroup.getByRole('option')).toHaveCount(8)
    await expectActive(page, 'Tenant 777')
    await page.keyboard.press('Enter')
    await expect(heading(page, 'Tenant 777')).toBeVisible()
    await expect(page).toHaveURL(/\/internal\/accounts\/00000777/)
  })

  test('reports accounts that cannot be loaded, and finds the rest', async ({ page, open }) => {
    await page.route('**/ServiceProviders/*/Accounts', (route) =>
      route.fulfill({ status: 500, json: { msg: 'The database is away' } }),
    )
    await open('/internal/accounts/add')
    await expect(heading(page, 'Add an account')).toBeVisible()
    await search(page, 'recent')
    await expect(palette(page).getByRole('status')).toHaveText(/^1 result\. .*Accounts could not be read\./)
    await expectActive(page, 'Recent calls')
  })

  test('shows that accounts are being loaded', async ({ page, open, tenant }) => {
    const answers: (() => void)[] = []
    await page.route('**/ServiceProviders/*/Accounts', async (route) => {
      await new Promise<void>((resolve) => void answers.push(resolve))
      await route.continue()
    })
    await open('/internal/accounts/add')
    await expect(heading(page, 'Add an account')).toBeVisible()
    await search(page, tenant.accountName)
    await expect(palette(page).getByRole('status')).toHaveText(/^Loading .*Accounts(, |…)/)
    await expect.poll(() => answers.length).toBe(1)
    for (const answer of answers) answer()
    await expectActive(page, tenant.accountName)
  })

  test('opens the best match with Enter even before it is loaded, and focuses its heading', async ({
    page,
    open,
    tenant,
  }) => {
    const answers: (() => void)[] = []
    await page.route(/\/Accounts(?:\/[\w-]+)?$/, async (route) => {
      await new Promise<void>((resolve) => void answers.push(resolve))
      await route.continue()
    })
    const answer = async () => {
      await expect.poll(() => answers.length).toBe(1)
      answers.pop()?.()
    }
    await open('/internal/accounts/add')
    await expect(heading(page, 'Add an account')).toBeVisible()
    await search(page, tenant.accountName)
    await page.keyboard.press('Enter')
    await expect(palette(page).getByRole('status')).toHaveText(
      /^Loading .*Accounts.*… The best match opens when loading ends\.$/,
    )
    await answer()
    await expect(heading(page, 'Edit account')).toBeFocused()
    await answer()
    await expect(heading(page, tenant.accountName)).toBeFocused()
  })

  for (const last of ['', 'Enter', 'Escape'])
    test(`what is typed while it is fetched is its own${last && `, ${last} too`}`, async ({ page, open }) => {
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route('**/palette-*.js', async (route) => {
        await released
        await route.continue()
      })
      await openAccounts(page, open)
      const filter = page.getByRole('searchbox', { name: 'Filter accounts' })
      await filter.focus()
      await page.keyboard.press('Control+k')
      await page.keyboard.type('ca rexc')
      for (const key of ['Backspace', 'Backspace', 'c', last]) if (key) await page.keyboard.press(key)
      await expect(filter).toHaveValue('')
      release()
      if (last === '') await expect(input(page)).toHaveValue('ca rec')
      if (last === 'Enter') await expect(heading(page, 'Recent calls')).toBeFocused()
      if (last !== 'Escape') return
      await page.keyboard.type('of the page')
      await expect(filter).toHaveValue('of the page')
    })

  test('asks before leaving a form with unsaved changes', async ({ page, open }) => {
    await open('/internal/accounts/add')
    await page.getByLabel('Account name').fill('Not saved')
    await search(page, 'recent calls')
    await page.keyboard.press('Enter')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await expect(question).toBeVisible()
    await expect(palette(page)).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(page.getByLabel('Account name')).toBeFocused()
    await expect(page.getByLabel('Account name')).toHaveValue('Not saved')
  })

  test('loads on first use, and reports a failure to load', async ({ page, open }) => {
    const fetched: string[] = []
    page.on('request', (request) => void fetched.push(new URL(request.url()).pathname))
    await openAccounts(page, open)
    // The largest prefetched file arrives last.
    await expect.poll(() => fetched.some((path) => path.includes('/search-select-'))).toBe(true)
    await page.waitForLoadState('networkidle')
    const ofPalette = () => fetched.filter((path) => /\/(?:palette|keys-dialog|records)-/.test(path))
    expect(ofPalette()).toEqual([])
    await page.route('**/palette-*.js', (route) => route.abort())
    await page.keyboard.press('Control+k')
    await expectToast(page, 'Something went wrong, please try again')
  })

  test('has no accessibility violations, nor does the list of shortcuts', async ({ page, open, tenant }) => {
    await openAccounts(page, open)
    for (const colorScheme of themes)
      for (const width of [1440, 390]) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.setViewportSize({ width, height: 800 })
        const expectGood = (what: string) =>
          expectNoFindings(page, `${what}, ${colorScheme}, ${width} px`, { rules: rulesFor(colorScheme, width) })
        await page.keyboard.press('Control+k')
        await input(page).fill(tenant.accountName)
        await expectActive(page, tenant.accountName)
        await expectGood('with an account')
        await input(page).fill('no such thing')
        await expect(options(page)).toHaveCount(0)
        await expectGood('without results')
        await page.keyboard.press('Escape')
        await expect(palette(page)).toHaveCount(0)
        await page.keyboard.press('?')
        await expect(keysDialog(page)).toBeVisible()
        await expectGood('keys')
        await page.keyboard.press('Escape')
        await expect(keysDialog(page)).toHaveCount(0)
      }
  })
})

test.describe('keyboard shortcuts', () => {
  test('lists the shortcuts with ?, including those for the available screens', async ({ page, open, api, tenant }) => {
    const { account_sid, service_provider_sid } = tenant
    const { token } = await api.person({ account_sid, service_provider_sid })
    await open('/internal/recent-calls', token)
    await expect(page.getByText('No data.', { exact: true })).toBeVisible()
    await page.keyboard.press('?')
    await expect(
      keysDialog(page)
        .getByRole('term')
        .filter({ hasText: /^Account$/ }),
    ).toBeVisible()
    await expect(keysDialog(page).getByRole('term').filter({ hasText: 'Accounts' })).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(keysDialog(page)).toHaveCount(0)
  })

  test('opens screens with g and a letter, and the own account for account users', async ({
    page,
    open,
    api,
    tenant,
  }) => {
    await page.clock.setFixedTime(new Date())
    await openAccounts(page, open)
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await expect(heading(page, 'Recent calls')).toBeFocused()
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await expect(heading(page, 'Accounts')).toBeFocused()
    const { account_sid, service_provider_sid } = tenant
    const { token } = await api.person({ account_sid, service_provider_sid })
    await open('/internal/recent-calls', token)
    await expect(page.getByText('No data.', { exact: true })).toBeVisible()
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await expect(heading(page, tenant.accountName)).toBeVisible()
  })

  test('accepts the letter for 1.5 seconds, and only immediately after g', async ({ page, open }) => {
    const start = Date.now()
    await page.clock.setFixedTime(start)
    await openAccounts(page, open)
    const goesWhen = async (milliseconds: number, between?: string) => {
      await page.clock.setFixedTime(start)
      await page.keyboard.press('g')
      if (between) await page.keyboard.press(between)
      await page.clock.setFixedTime(start + milliseconds)
      await page.keyboard.press('c')
    }
    await goesWhen(1501)
    await goesWhen(0, 'x')
    await goesWhen(0, 'Control')
    await page.evaluate(() => new Promise<void>((resolve) => requestIdleCallback(() => resolve())))
    await expect(page).toHaveURL(/\/internal\/accounts$/)
    await goesWhen(1500)
    await expect(heading(page, 'Recent calls')).toBeVisible()
  })

  test('ignores single-key shortcuts in text fields, with modifiers, below dialogs, and if they are disabled', async ({
    page,
    open,
  }) => {
    await page.clock.setFixedTime(new Date())
    await openAccounts(page, open)
    const expectToStay = async () => {
      await expect(page).toHaveURL(/\/internal\/accounts(?:\?|$)/)
      await expect(keysDialog(page)).toHaveCount(0)
    }
    await page.keyboard.press('/')
    await page.keyboard.type('gc?')
    await expect(page.getByRole('searchbox', { name: 'Filter accounts' })).toHaveValue('gc?')
    await expectToStay()
    await page.getByRole('searchbox', { name: 'Filter accounts' }).fill('')
    await page.getByRole('combobox', { name: 'Service provider' }).focus()
    await page.keyboard.type('gc?')
    await expectToStay()
    // In a searchable list, typing opens the list.
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add service provider' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).focus()
    await page.keyboard.type('gc?')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expectToStay()
    await heading(page, 'Accounts').focus()
    await page.keyboard.press('g')
    await page.keyboard.press('Alt+c')
    await expectToStay()

    await page.keyboard.press('?')
    await keysDialog(page).getByRole('checkbox', { name: 'Enable single-character shortcuts' }).uncheck()
    await page.keyboard.press('Escape')
    await expect(keysDialog(page)).toHaveCount(0)
    await page.keyboard.type('/gc?')
    await expectToStay()
    await expect(page.getByRole('searchbox', { name: 'Filter accounts' })).not.toBeFocused()
    await search(page, 'shortcuts')
    await page.keyboard.press('Enter')
    await expect(keysDialog(page)).toBeVisible()
  })
})
