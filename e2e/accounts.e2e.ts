import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { unsavedChanges } from './support/records.ts'
import { showManyAccounts } from './support/seed-accounts.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const rows = (page: Page) => page.getByRole('table', { name: 'Accounts' }).locator('tbody tr[data-row]')
const save = (page: Page) => page.getByRole('button', { name: 'Save' })
const notice = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text, { exact: true })

test.describe('the list', () => {
  test('ACCOUNTS-01 filters the accounts by all words, and keeps the filter in the URL', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await api.account(tenant.service_provider_sid, { name: 'Acme production' })
    await api.account(tenant.service_provider_sid, { name: 'Acme test' })
    await open('/internal/accounts')
    await expect(rows(page)).toHaveCount(3)
    await page.keyboard.press('/')
    const filter = page.getByRole('searchbox', { name: 'Filter accounts' })
    await expect(filter).toBeFocused()
    await filter.fill('PROD acme')
    await expect(rows(page)).toHaveText([/Acme production/])
    await expect(page).toHaveURL(/filter=PROD\+acme/)
    await page.reload()
    await expect(rows(page)).toHaveText([/Acme production/])
    await filter.fill('nothing like it')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect(rows(page)).toHaveCount(3)
  })

  test('ACCOUNTS-02 ACCOUNTS-03 has a link for adding, and controls for editing and deleting in each row', async ({
    page,
    tenant,
    open,
  }) => {
    await open('/internal/accounts')
    await expect(page.getByRole('button', { name: `Delete ${tenant.accountName}` })).toBeVisible()
    await page.getByRole('link', { name: `Edit ${tenant.accountName}` }).click()
    await expect(page).toHaveURL(new RegExp(`${tenant.account_sid}/edit$`))
    await page.goBack()
    await page.getByRole('link', { name: 'Add account' }).click()
    await expect(page).toHaveURL(/\/accounts\/add$/)
  })

  test("ACCOUNTS-04 shows 'No Accounts.' for an empty list", async ({ page, api, tenant, open }) => {
    await api.send('DELETE', `/Accounts/${tenant.account_sid}`)
    await open('/internal/accounts')
    await expect(page.getByText('No Accounts.', { exact: true })).toBeVisible()
  })

  test("ACCOUNTS-05 COMMON-73 deletes after a confirmation, shows 'Deleted account {name}', and reloads the list", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await api.account(tenant.service_provider_sid, { name: 'Stays' })
    await open('/internal/accounts')
    const button = page.getByRole('button', { name: `Delete ${tenant.accountName}` })
    await button.click()
    await expect(page.getByRole('dialog', { name: 'Delete account?' })).toContainText(tenant.accountName)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(button).toBeFocused()
    await expect(rows(page)).toHaveCount(2)
    await button.click()
    await page.getByRole('button', { name: 'Delete account', exact: true }).click()
    await expectToast(page, `Deleted account ${tenant.accountName}`)
    await expect(rows(page)).toHaveText([/Stays/])
    expect((await api.send('GET', `/Accounts/${tenant.account_sid}`)).status).toBe(404)
  })

  test("shows the server's reason for a rejected deletion in the dialog", async ({ page, tenant, open }) => {
    await page.route('**/Accounts/*', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({ status: 422, json: { msg: 'still in use by something else' } })
        : route.fallback(),
    )
    await open('/internal/accounts')
    await page.getByRole('button', { name: `Delete ${tenant.accountName}` }).click()
    await page.getByRole('button', { name: 'Delete account', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete account?' })
    await expect(dialog.getByRole('alert').first()).toContainText('still in use by something else')
    await expect(rows(page)).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expect(page.getByRole('button', { name: `Delete ${tenant.accountName}` })).toBeFocused()
  })

  test('displays 10,000 accounts immediately, with keyboard navigation and filters', async ({ page, open }) => {
    await showManyAccounts(page, 10_000, 'Account')
    await open('/internal/accounts')
    await expect(page.getByRole('link', { name: 'Account 0', exact: true })).toBeVisible()
    await page.getByRole('link', { name: 'Account 0', exact: true }).focus()
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('link', { name: 'Account 1', exact: true })).toBeFocused()
    // The browser's search finds the first thousand rows.
    await expect.poll(() => rows(page).count()).toBeGreaterThan(1000)
    // A filter that matches more than a thousand rows renders the first ones immediately, and the others later.
    const drawn = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const countRows = () => document.querySelectorAll('main tbody tr[data-row]').length
          const before = countRows()
          const observer = new MutationObserver(() => {
            if (countRows() !== before) resolve(countRows())
          })
          observer.observe(document.body, { childList: true, subtree: true })
        }),
    )
    await page.getByRole('searchbox', { name: 'Filter accounts' }).fill('00001')
    expect(await drawn).toBeLessThan(400)
    await page.getByRole('searchbox', { name: 'Filter accounts' }).fill('9999')
    await expect(rows(page)).toHaveText([/Account 9999/])
  })

  test('shows an error in place with a retry if the list cannot be loaded', async ({ page, open }) => {
    await page.route(
      '**/ServiceProviders/*/Accounts',
      (route) => route.fulfill({ status: 500, json: { msg: 'The database is away' } }),
      { times: 1 },
    )
    await open('/internal/accounts')
    await expect(page.getByText('The database is away')).toBeVisible()
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(rows(page)).toHaveCount(1)
  })
})

test.describe('adding', () => {
  test("ACCOUNTS-07 ACCOUNTS-08 ACCOUNTS-11 COMMON-22 COMMON-73 sends every field, shows 'Account created successfully', and returns to the list", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await open('/internal/accounts/add')
    const name = `Made ${randomUUID().slice(0, 8)}`
    const realm = `${randomUUID().slice(0, 8)}.example.org`
    await page.getByLabel('Account name').fill(name)
    await page.getByLabel('SIP realm').fill(realm.toUpperCase())
    await page.getByLabel('Enable debug log for this account').check()
    await page.getByLabel('Registration webhook URL').fill('https://example.org/register')
    await page.getByLabel('Registration webhook Method').selectOption('GET')
    await page.getByLabel('Use HTTP basic authentication for the registration webhook').check()
    await page.getByLabel('Registration webhook username').fill('user')
    await page.getByLabel('Registration webhook password').fill('secret')
    await page.getByLabel('Queue event webhook URL').fill('https://example.org/queue')
    const createRequest = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/Accounts'),
    )
    await save(page).click()
    expect((await createRequest).postDataJSON()).toEqual({
      name,
      sip_realm: realm,
      registration_hook: { url: 'https://example.org/register', method: 'GET', username: 'user', password: 'secret' },
      queue_event_hook: { url: 'https://example.org/queue', method: 'POST', username: null, password: null },
      service_provider_sid: tenant.service_provider_sid,
      enable_debug_log: true,
    })
    await expectToast(page, 'Account created successfully')
    await expect(page).toHaveURL(/\/internal\/accounts$/)
    await expect(page.getByRole('link', { name, exact: true })).toBeVisible()
    const all = (await api.send('GET', `/ServiceProviders/${tenant.service_provider_sid}/Accounts`)).body
    expect(all.find((account: { name: string }) => account.name === name)).toMatchObject({
      sip_realm: realm,
      enable_debug_log: 1,
    })
  })

  test('COMMON-62 COMMON-24 starts with an empty form, and requires mandatory fields', async ({ page, open }) => {
    await open('/internal/accounts/add')
    await expect(page.getByText('Fields marked with an asterisk (*) are required.')).toBeVisible()
    await expect(page.getByLabel('Account name')).toHaveValue('')
    await expect(page.getByLabel('SIP realm')).toHaveValue('')
    await expect(page.getByLabel('Registration webhook URL')).toHaveValue('')
    await expect(page.getByLabel('Registration webhook Method')).toHaveValue('POST')
    const asterisk = (label: string) =>
      page
        .locator('label', { hasText: label })
        .evaluate((element) => getComputedStyle(element, '::after').content.includes('*'))
    expect(await asterisk('Account name')).toBe(true)
    expect(await asterisk('SIP realm')).toBe(false)
    let posts = 0
    page.on('request', (request) => {
      if (request.method() === 'POST') posts += 1
    })
    await save(page).click()
    await expect(page.getByText('Enter a name')).toBeVisible()
    await expect(page.getByLabel('Account name')).toBeFocused()
    expect(posts).toBe(0)
  })

  test("ACCOUNTS-44 shows 'The name you have entered is already in use on another one of your accounts.' for a duplicate name", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await open('/internal/accounts/add')
    await page.getByLabel('Account name').fill(tenant.accountName)
    await save(page).click()
    await expect(
      page.getByText('The name you have entered is already in use on another one of your accounts.'),
    ).toBeVisible()
    await expect(page.getByLabel('Account name')).toBeFocused()
    expect((await api.send('GET', `/ServiceProviders/${tenant.service_provider_sid}/Accounts`)).body).toHaveLength(1)
  })

  test("ACCOUNTS-45 shows 'The SIP Realm you have entered is already in use on another one of your accounts.' for a duplicate realm", async ({
    page,
    api,
    open,
  }) => {
    const realm = `${randomUUID().slice(0, 8)}.example.org`
    await api.account(await api.provider(), { sip_realm: realm })
    await open('/internal/accounts/add')
    await page.getByLabel('Account name').fill('Some name')
    await page.getByLabel('SIP realm').fill(realm.toUpperCase())
    await save(page).click()
    await expect(
      page.getByText('The SIP Realm you have entered is already in use on another one of your accounts.'),
    ).toBeVisible()
  })

  for (const [server, config] of [
    ['ours', undefined],
    ["the platform's own", {}],
  ] as const)
    test(`ACCOUNTS-44 compares the name with all accounts that the user manages, of all providers (server: ${server})`, async ({
      page,
      api,
      tenant,
      open,
    }) => {
      if (config) await page.route('**/config.json', (route) => route.fulfill({ json: config }))
      const name = `Elsewhere ${randomUUID()}`
      await api.account(await api.provider(), { name })
      const addAccount = async () => {
        await page.getByLabel('Account name').fill(name)
        await save(page).click()
      }
      await open('/internal/accounts/add')
      await addAccount()
      await expect(
        page.getByText('The name you have entered is already in use on another one of your accounts.'),
      ).toBeVisible()
      // A user of a provider does not manage the accounts of others, and is not told their names.
      const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
      await open('/internal/accounts/add', token)
      await addAccount()
      await expectToast(page, 'Account created successfully')
    })

  test('ACCOUNTS-45 marks a realm that is taken between the check and the save', async ({ page, open }) => {
    await page.route('**/Accounts', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status: 422,
            json: { msg: 'Duplicate entry: sip_realm is already in use', field: 'sip_realm' },
          })
        : route.fallback(),
    )
    await open('/internal/accounts/add')
    await page.getByLabel('Account name').fill(`Name ${randomUUID()}`)
    await page.getByLabel('SIP realm').fill('taken.example.org')
    await save(page).click()
    await expect(
      page.getByText('The SIP Realm you have entered is already in use on another one of your accounts.'),
    ).toBeVisible()
    await expect(page.getByLabel('SIP realm')).toHaveValue('taken.example.org')
  })

  test('ACCOUNTS-44 marks a name that is taken between the check and the save', async ({ page, open }) => {
    await page.route('**/Accounts', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 422, json: { msg: 'Duplicate entry: name is already in use', field: 'name' } })
        : route.fallback(),
    )
    await open('/internal/accounts/add')
    const name = page.getByLabel('Account name')
    await name.fill('Just taken')
    await save(page).click()
    await expect(name).toHaveAccessibleDescription(
      'The name you have entered is already in use on another one of your accounts.',
    )
    await expect(name).toHaveValue('Just taken')
  })

  test('creates one account if Save is pressed twice', async ({ page, api, tenant, open }) => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let posts = 0
    await page.route('**/Accounts', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback()
      posts += 1
      await released
      return route.fallback()
    })
    await open('/internal/accounts/add')
    const name = `Once ${randomUUID().slice(0, 8)}`
    await page.getByLabel('Account name').fill(name)
    await save(page).dblclick()
    await expect.poll(() => posts).toBe(1)
    // While the first request is pending, neither the button nor the Enter key sends another one.
    await save(page).click({ force: true })
    await page.getByLabel('Account name').press('Enter')
    release()
    await expectToast(page, 'Account created successfully')
    await expect(page.getByRole('link', { name, exact: true })).toBeVisible()
    expect(posts).toBe(1)
    const all = (await api.send('GET', `/ServiceProviders/${tenant.service_provider_sid}/Accounts`)).body
    expect(all.filter((account: { name: string }) => account.name === name)).toHaveLength(1)
  })

  test('ACCOUNTS-12 offers no GET for the queue event webhook, and requires GET for a websocket URL', async ({
    page,
    open,
  }) => {
    await open('/internal/accounts/add')
    await expect(page.getByLabel('Queue event webhook Method').locator('option')).toHaveText(['POST'])
    const method = page.getByLabel('Registration webhook Method')
    await expect(method.locator('option')).toHaveText(['GET', 'POST'])
    await page.getByLabel('Registration webhook URL').fill('wss://example.org/register')
    await expect(method.locator('option')).toHaveText(['GET'])
    await expect(method).toHaveValue('GET')
  })

  test('requires both user name and password for basic authentication, and a valid URL', async ({ page, open }) => {
    await open('/internal/accounts/add')
    await page.getByLabel('Account name').fill('Some name')
    await page.getByLabel('Registration webhook URL').fill('https://example.org')
    await page.getByLabel('Use HTTP basic authentication for the registration webhook').check()
    await page.getByLabel('Registration webhook username').fill('user')
    await page.getByLabel('Queue event webhook URL').fill('not an address')
    await save(page).click()
    await expect(page.getByText('HTTP basic authentication needs both username and password')).toBeVisible()
    await expect(page.getByText('Enter a URL that starts with http://, https://, ws://, or wss://')).toBeVisible()
  })
})

test('saves with the first press of Save, even if an error message moves the button', async ({ page, open }) => {
  await open('/internal/accounts/add')
  await page.getByLabel('Registration webhook URL').fill('nonsense')
  await save(page).click()
  await expect(page.getByText('Enter a name')).toBeVisible()
  await expect(page.getByText('Enter a URL that starts with http://, https://, ws://, or wss://')).toBeVisible()
  await expect(page.getByLabel('Account name')).toBeFocused()
})

test.describe('editing', () => {
  test("ACCOUNTS-09 ACCOUNTS-10 COMMON-24 shows every stored field, and saves with 'Account updated successfully'", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const realm = `${randomUUID().slice(0, 8)}.example.org`
    await api.send('PUT', `/Accounts/${tenant.account_sid}`, {
      sip_realm: realm,
      enable_debug_log: true,
      registration_hook: { url: 'https://example.org/r', method: 'GET', username: 'u', password: 'p' },
      queue_event_hook: { url: 'https://example.org/q', method: 'POST', username: 'v', password: 'q' },
    })
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await expect(page.getByLabel('Account name')).toHaveValue(tenant.accountName)
    await expect(page.getByLabel('SIP realm')).toHaveValue(realm)
    await expect(page.getByLabel('Enable debug log for this account')).toBeChecked()
    await expect(page.getByLabel('Registration webhook URL')).toHaveValue('https://example.org/r')
    await expect(page.getByLabel('Registration webhook Method')).toHaveValue('GET')
    await expect(page.getByLabel('Registration webhook username')).toHaveValue('u')
    await expect(page.getByLabel('Registration webhook password')).toHaveValue('p')
    await expect(page.getByLabel('Queue event webhook URL')).toHaveValue('https://example.org/q')
    await expect(page.getByLabel('Queue event webhook Method')).toHaveValue('POST')
    await expect(page.getByLabel('Queue event webhook username')).toHaveValue('v')
    await expect(page.getByLabel('Queue event webhook password')).toHaveValue('q')
    // Names are unique among all accounts that an administrator manages, also those of other tests.
    const renamed = `Another ${tenant.accountName}`
    await page.getByLabel('Account name').fill(renamed)
    await page.getByLabel('Queue event webhook URL').fill('')
    await save(page).click()
    await expectToast(page, 'Account updated successfully')
    await expect(page).toHaveURL(/\/internal\/accounts$/)
    await expect(page.getByRole('link', { name: renamed, exact: true })).toBeVisible()
    expect((await api.send('GET', `/Accounts/${tenant.account_sid}`)).body).toMatchObject({
      name: renamed,
      sip_realm: realm,
      queue_event_hook: null,
      registration_hook: { url: 'https://example.org/r', username: 'u' },
    })
  })

  test("ACCOUNTS-44 accepts the account's own name", async ({ page, tenant, open }) => {
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await page.getByLabel('SIP realm').fill(`${randomUUID().slice(0, 8)}.example.org`)
    await save(page).click()
    await expectToast(page, 'Account updated successfully')
  })

  test('ACCOUNTS-31 ACCOUNTS-32 shows a new signing secret immediately, reports it, and keeps unsaved edits', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const before = (await api.send('GET', `/Accounts/${tenant.account_sid}`)).body.webhook_secret
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await page.getByLabel('Account name').fill('Not saved yet')
    await page.getByRole('button', { name: 'Reveal Webhook secret' }).click()
    await expect(page.getByText(before)).toBeVisible()
    await page.getByRole('button', { name: 'Generate new secret' }).click()
    const secretRequest = page.waitForRequest((request) => request.url().includes('/WebhookSecret'))
    await page.getByRole('dialog').getByRole('button', { name: 'Generate' }).click()
    expect((await secretRequest).url()).toMatch(/WebhookSecret\?regenerate=true$/)
    await expectToast(page, 'Webhook signing secret was successfully generated')
    const after = (await api.send('GET', `/Accounts/${tenant.account_sid}`)).body.webhook_secret
    expect(after).not.toBe(before)
    await expect(page.getByText(after)).toBeVisible()
    await expect(page.getByLabel('Account name')).toHaveValue('Not saved yet')
  })

  test('shows an error in place with a retry if the account cannot be loaded', async ({ page, tenant, open }) => {
    await page.route(
      `**/Accounts/${tenant.account_sid}`,
      (route) => route.fulfill({ status: 500, json: { msg: 'The database is away' } }),
      { times: 1 },
    )
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await expect(page.getByText('The database is away')).toBeVisible()
    await expect(page.getByLabel('Account name')).toHaveCount(0)
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByLabel('Account name')).toHaveValue(tenant.accountName)
  })

  test('asks before leaving with unsaved changes', async ({ page, tenant, open }) => {
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await page.getByLabel('Account name').fill('Not saved')
    await page.getByRole('link', { name: 'Recent calls' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByLabel('Account name')).toHaveValue('Not saved')
    await page.getByRole('link', { name: 'Recent calls' }).click()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await expect(page.getByRole('heading', { name: 'Recent calls', level: 1 })).toBeVisible()
  })

  test('COMMON-61 shows the stored values after a reload', async ({ page, tenant, open }) => {
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await page.getByLabel('Account name').fill('Not saved')
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await expect(page.getByLabel('Account name')).toHaveValue(tenant.accountName)
  })

  test('keeps the typed values after a failed save, and shows the error above the Save bar', async ({
    page,
    tenant,
    open,
  }) => {
    await page.route('**/Accounts/*', (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ status: 503, json: { msg: 'The database is away' } })
        : route.fallback(),
    )
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await page.getByLabel('Account name').fill('Kept')
    await save(page).click()
    await expect(page.getByRole('form').getByText('The database is away')).toBeVisible()
    await expect(page.getByLabel('Account name')).toHaveValue('Kept')
    await expect(unsavedChanges(page)).toBeVisible()
    await page.unroute('**/Accounts/*')
    await save(page).click()
    await expectToast(page, 'Account updated successfully')
  })

  test('COMMON-60 hides a toast after 5 s unless the pointer is over it', async ({ page, tenant, open }) => {
    await page.clock.install()
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await page.getByLabel('Account name').fill(`Renamed ${tenant.accountName}`)
    await save(page).click()
    const toast = notice(page, 'Account updated successfully')
    await expect(toast).toBeVisible()
    await page.getByRole('button', { name: 'Preferences' }).click()
    await expect(page.getByRole('dialog').getByText('Account updated successfully')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    expect(await page.evaluate(() => window.toastsSaid), 'it moved with the dialog, and was said once').toEqual([
      'Account updated successfully',
    ])
    await toast.hover()
    await page.clock.runFor(10_000)
    await expect(toast).toBeVisible()
    await page.mouse.move(0, 0)
    await page.clock.runFor(3_000)
    await expect(toast).toBeVisible()
    await page.clock.runFor(2_100)
    await expect(toast).toHaveCount(0)
  })
})
