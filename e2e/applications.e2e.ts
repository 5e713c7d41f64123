import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { account, expectNoAccess, failOnce, heading, listRows, save } from './support/records.ts'
import { makeApplications, makeNumbers, makeTeamsTenant } from './support/seed-database.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'
import { fetchUnconditionally } from './support/unconditional-fetch.ts'

const list = '/internal/applications'
const editPath = (sid: string) => `${list}/${sid}/edit`
const rows = (page: Page) => listRows(page, 'Applications')
const addLink = (page: Page) => page.getByRole('link', { name: 'Add application' })
const nameField = (page: Page) => page.getByLabel('Application name')
const url = (page: Page, title = 'Calling webhook') => page.getByLabel(`${title} URL`)
const method = (page: Page, title = 'Calling webhook') => page.getByLabel(`${title} Method`)
const statusHook = 'Call status webhook'

/** Simulates the platform's own API server, without Patchbay's extensions. */
const onPlatform = (page: Page) => page.route('**/config.json', (route) => route.fulfill({ json: {} }))

const hook = (address: string) => ({ url: address, method: 'POST', username: null, password: null })

const makeApplication = async (api: Api, { account_sid }: Pick<Tenant, 'account_sid'>, more: object = {}) => {
  const body = {
    name: 'Reception',
    account_sid,
    call_hook: hook('https://a.example/call'),
    call_status_hook: hook('https://a.example/status'),
    ...more,
  }
  const created = await api.send('POST', '/Applications', body)
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  return created.body.sid as string
}

const stored = async (api: Api, sid: string) => (await api.send('GET', `/Applications/${sid}`)).body

const countRequests = (page: Page, pattern: RegExp): URL[] => {
  const matchingRequests: URL[] = []
  page.on('request', (request) => {
    if (pattern.test(request.url())) matchingRequests.push(new URL(request.url()))
  })
  return matchingRequests
}

test.describe('the list', () => {
  test('APPS-01 APPS-03 APPS-04 NAV-21 NAV-58 appears in the menu, and shows one account with paging', async ({
    page,
    api,
    tenant,
    server,
    open,
  }) => {
    const { service_provider_sid, account_sid } = tenant
    const names = Array.from({ length: 60 }, (_, index) => `Line ${String(index).padStart(2, '0')}`)
    makeApplications(server, account_sid, names)
    const beside = await api.account(service_provider_sid, { name: 'Zeta beside' })
    await makeApplication(api, { account_sid: beside }, { name: 'Of Zeta' })
    await open('/internal/accounts')
    await page.getByRole('link', { name: 'Applications', exact: true }).click()
    await expect(page).toHaveURL(list)
    await expect(heading(page, 'Applications')).toBeVisible()
    // Without a remembered choice, the first account by name is selected. There is no option for all accounts.
    await expect(account(page).getByRole('option')).toHaveText([tenant.accountName, 'Zeta beside'])
    await expect(page.getByText('Total: 60 record(s)', { exact: true })).toBeVisible()
    await expect(rows(page)).toHaveCount(25)
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect(rows(page).first()).toContainText('Line 25')
    await page.getByRole('combobox', { name: 'Page size' }).selectOption('50')
    await expect(rows(page)).toHaveCount(50)
    await account(page).selectOption('Zeta beside')
    await expect(rows(page)).toHaveText([/Of Zeta.*https:\/\/a\.example\/call.*Google/])
    // The choice is remembered, and is the default account of a new application.
    await page.goto(list)
    await expect(rows(page)).toHaveText([/Of Zeta/])
    await addLink(page).click()
    await expect(account(page).locator('option:checked')).toHaveText('Zeta beside')

    // Users of an account have no account filter.
    const { token } = await api.person({ service_provider_sid, account_sid: beside })
    await open(list, token)
    await expect(rows(page)).toHaveText([/Of Zeta/])
    await expect(account(page)).toHaveCount(0)
  })

  test('APPS-02 APPS-05 APPS-06 NAV-22 ROLES-10 describes an empty list, filters one second after the last keystroke, and links to the forms', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { service_provider_sid, account_sid } = tenant
    const { token } = await api.person({ service_provider_sid, account_sid })
    await open(list, token)
    await expect(page.getByText('No applications.', { exact: true })).toBeVisible()
    await expectNoFindings(page, 'no applications')
    await addLink(page).first().click()
    await expect(page).toHaveURL(`${list}/add`)
    const sid = await makeApplication(api, tenant)
    await makeApplication(api, tenant, { name: '100% night' })
    await page.clock.install()
    await page.goto(list)
    await expect(rows(page)).toHaveCount(2)
    const listRequests = countRequests(page, /Applications\?/)
    await page.clock.pauseAt(Date.now() + 60_000)
    const filter = page.getByRole('searchbox', { name: 'Filter applications' })
    for (const key of '0% N') {
      await filter.press(key)
      await page.clock.runFor(900)
    }
    expect(listRequests).toEqual([])
    await page.clock.runFor(200)
    await page.clock.resume()
    await expect(rows(page)).toHaveText([/100% night/])
    expect(listRequests.map(({ searchParams }) => searchParams.get('name'))).toEqual(['0\\% N'])
    await page.getByRole('button', { name: 'Delete 100% night', exact: true }).press('Enter')
    await expect(page.getByRole('dialog', { name: 'Delete application?' })).toContainText('100% night')
    await page.keyboard.press('Escape')
    await filter.fill('')
    await filter.press('Enter')
    await page.getByRole('link', { name: 'Edit Reception', exact: true }).click()
    await expect(page).toHaveURL(editPath(sid))
  })

  test('offers a retry if the list cannot be loaded, links to accounts if there are none, and lets view-only users look', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const sid = await makeApplication(api, tenant, {
      call_hook: { ...hook('https://a.example'), username: 'u', password: 'secret-of-hook' },
    })
    await failOnce(page, '**/Accounts/*/Applications?*', 'Away')
    const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid, is_view_only: true })
    await open(list, token)
    await expect(page.locator('#main').getByText('Away')).toBeVisible()
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(rows(page)).toHaveCount(1)
    await expect(page.getByRole('button', { name: 'Add application' })).toHaveAttribute('aria-disabled', 'true')
    await expect(page.getByRole('button', { name: 'Delete Reception' })).toHaveAttribute('aria-disabled', 'true')
    await page.goto(editPath(sid))
    await expect(url(page)).not.toBeEditable()
    await expect(page.getByLabel('Calling webhook password')).toHaveValue('XXXXXXXX')
    await expect(save(page)).toHaveCount(0)

    const lonely = await api.provider()
    await open(list, (await api.person({ service_provider_sid: lonely })).token)
    await page.locator('#main').getByRole('link', { name: 'Add an account' }).click()
    await expect(page).toHaveURL('/internal/accounts/add')
  })

  test('offers a retry in the form if accounts cannot be loaded, and focuses the first invalid field', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await api.account(tenant.service_provider_sid)
    await page.route('**/ServiceProviders/*/Accounts', (route) => route.fulfill({ status: 500, json: { msg: 'Away' } }))
    await open('/internal/applications/add')
    await expect(page.locator('#main').getByText('Away')).toBeVisible()
    await page.unroute('**/ServiceProviders/*/Accounts')
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByLabel('Application name')).toHaveValue('')
    await save(page).click()
    await expect(page.getByText('Enter a name')).toBeVisible()
    await expect(page.getByLabel('Account', { exact: true })).toHaveAttribute('aria-invalid', 'true')
    await expect(page.getByLabel('Application name')).toBeFocused()
  })
})

test.describe('deleting', () => {
  const inUse = (page: Page) => page.getByRole('dialog', { name: 'This application is in use' })
  const question = (page: Page) => page.getByRole('dialog', { name: 'Delete application?' })
  const press = (page: Page, name: string) =>
    page.getByRole('button', { name: `Delete ${name}`, exact: true }).press('Enter')

  for (const [server, prepare] of [
    ['ours', () => Promise.resolve()],
    ["the platform's own", onPlatform],
  ] as const)
    test(`APPS-41 APPS-42 APPS-43 APPS-44 is blocked while an account or a Microsoft Teams tenant uses it, by name and with the way there (server: ${server})`, async ({
      page,
      api,
      tenant,
      open,
      server: running,
    }) => {
      await prepare(page)
      const { account_sid, accountName } = tenant
      const sid = await makeApplication(api, tenant)
      const setAccount = (body: object) => api.send('PUT', `/Accounts/${account_sid}`, body)
      const fqdn = `${account_sid}.example.org`
      makeTeamsTenant(running, tenant, fqdn)
      const tenants: { ms_teams_tenant_sid: string; tenant_fqdn: string }[] = (
        await api.send('GET', '/MicrosoftTeamsTenants')
      ).body
      const teams = tenants.find(({ tenant_fqdn }) => tenant_fqdn === fqdn)?.ms_teams_tenant_sid
      const setTenant = (application_sid: string | null) =>
        api.send('PUT', `/MicrosoftTeamsTenants/${teams}`, { application_sid })
      const removed: string[] = []
      page.on('request', (request) => request.method() === 'DELETE' && removed.push(request.url()))
      await open(list)
      for (const [use, clear, title, item] of [
        [
          () => setAccount({ device_calling_application_sid: sid }),
          () => setAccount({ device_calling_application_sid: null }),
          '1 account, for calls of its devices',
          accountName,
        ],
        [
          () => setAccount({ siprec_hook_sid: sid }),
          () => setAccount({ siprec_hook_sid: null }),
          '1 account, for SIPREC calls',
          accountName,
        ],
        [() => setTenant(sid), () => setTenant(null), '1 MS Teams tenant', fqdn],
      ] as const) {
        expect((await use()).status).toBe(204)
        await press(page, 'Reception')
        await expect(inUse(page)).toContainText('Reception cannot be deleted')
        await expect(inUse(page).getByRole('list')).toHaveCount(1)
        await expect(inUse(page).getByRole('list', { name: title }).getByRole('link')).toHaveText([item])
        await page.keyboard.press('Escape')
        await expect(inUse(page)).toHaveCount(0)
        expect((await clear()).status).toBe(204)
      }
      expect(removed).toEqual([])
      await press(page, 'Reception')
      await question(page).getByRole('button', { name: 'Delete application', exact: true }).click()
      await expectToast(page, 'Deleted application Reception')
      await expect(page.getByText('No applications.', { exact: true })).toBeVisible()
      expect((await api.send('GET', `/Applications/${sid}`)).status).toBe(404)
    })

  test('lists references on their own tab, and prevents the deletion from the form', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { account_sid, service_provider_sid } = tenant
    const application_sid = await makeApplication(api, tenant)
    await api.send('POST', '/PhoneNumbers', { number: '15083084809', account_sid, application_sid })
    await api.send('POST', '/VoipCarriers', { name: 'Main trunk', service_provider_sid, account_sid, application_sid })
    await open(`${editPath(application_sid)}?tab=used-by`)
    const tab = page.getByRole('region', { name: 'Used by' })
    await expect(tab.getByRole('list', { name: '1 phone number' })).toContainText('+1 (508) 308-4809')
    await expect(tab.getByRole('list', { name: '1 carrier' })).toContainText('Main trunk')
    await page.getByRole('button', { name: 'Delete application' }).click()
    await inUse(page).getByRole('link', { name: '+1 (508) 308-4809' }).click()
    // Returns by the tab with the number's references.
    await page.getByRole('tab', { name: 'Refers to' }).click()
    await page.getByRole('link', { name: 'Reception', exact: true }).click()
    await expect(nameField(page)).toHaveValue('Reception')
  })

  test('keeps the application if the deletion is rejected or the check for references fails', async ({
    page,
    api,
    tenant,
    open,
    server,
  }) => {
    const sid = await makeApplication(api, tenant)
    await failOnce(page, '**/used-by', 'Away')
    await open(list)
    await press(page, 'Reception')
    const confirm = question(page).getByRole('button', { name: 'Delete application', exact: true })
    await expect(question(page).getByRole('alert').first()).toContainText('Away')
    await expect(confirm).toHaveAttribute('aria-disabled', 'true')
    await question(page).getByRole('button', { name: 'Retry' }).click()
    await expect(question(page)).toContainText('This cannot be undone.')
    makeNumbers(server, tenant.account_sid, ['15083084809'])
    const [{ phone_number_sid }] = (await api.send('GET', `/PhoneNumbers?account_sid=${tenant.account_sid}`)).body
    await api.send('PUT', `/PhoneNumbers/${phone_number_sid}`, { application_sid: sid })
    await confirm.click()
    await expect(question(page)).toContainText('cannot delete application with phone numbers')
    expect((await stored(api, sid)).name).toBe('Reception')
  })
})

test.describe('the form', () => {
  test('APPS-07 APPS-12 APPS-13 APPS-14 APPS-39 adds an application with its two webhooks', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await open(`${list}/add`)
    await expect(heading(page, 'Add an application')).toBeVisible()
    // The only account is preselected.
    await expect(account(page).locator('option:checked')).toHaveText(tenant.accountName)
    await save(page).click()
    await expect(page.getByText('Enter a name')).toBeVisible()
    await expect(page.getByText('Enter an address')).toHaveCount(2)
    await nameField(page).fill('Reception')
    await url(page).fill('https://a.example/call')
    await method(page).selectOption('GET')
    await page.getByLabel('Use HTTP basic authentication for the calling webhook').check()
    await page.getByLabel('Calling webhook username').fill('caller')
    await page.getByLabel('Calling webhook password').fill('secret-of-caller')
    await url(page, statusHook).fill('https://a.example/status')
    await expect(method(page, statusHook)).toHaveValue('POST')
    await expect(method(page, statusHook).getByRole('option')).toHaveText(['GET', 'POST'])
    await method(page, statusHook).selectOption('GET')
    await page.getByLabel('Use HTTP basic authentication for the call status webhook').check()
    await page.getByLabel('Call status webhook username').fill('teller')
    await save(page).click()
    await expect(page.getByText('HTTP basic authentication needs both username and password')).toBeVisible()
    await page.getByLabel('Call status webhook password').fill('secret-of-teller')
    const posted = page.waitForResponse((response) => response.request().method() === 'POST')
    await save(page).click()
    const { sid } = await (await posted).json()
    await expectToast(page, 'Application created successfully')
    await expect(page).toHaveURL(`${list}?account=${tenant.account_sid}`)
    await expect(rows(page)).toHaveText([/Reception/])
    expect(await stored(api, sid)).toMatchObject({
      name: 'Reception',
      account_sid: tenant.account_sid,
      call_hook: { url: 'https://a.example/call', method: 'GET', username: 'caller', password: 'secret-of-caller' },
      call_status_hook: {
        url: 'https://a.example/status',
        method: 'GET',
        username: 'teller',
        password: 'secret-of-teller',
      },
      app_json: null,
      record_all_calls: 0,
    })
  })

  test('APPS-08 APPS-15 APPS-38 APPS-40 NAV-23 edits an application that is loaded by its SID, and rejects a duplicate name in the account', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const call_hook = { url: 'https://a.example/call', method: 'GET', username: 'caller', password: 'secret-of-caller' }
    const sid = await makeApplication(api, tenant, { call_hook, record_all_calls: true })
    await makeApplication(api, tenant, { name: 'Night line' })
    const beside = await api.account(tenant.service_provider_sid)
    await makeApplication(api, { account_sid: beside }, { name: 'Of others' })
    const before = await stored(api, sid)
    const written: string[] = []
    page.on('request', (request) => {
      if (['PUT', 'POST'].includes(request.method()) && request.url().includes('/Applications'))
        written.push(request.method())
    })
    await open(editPath(sid))
    await expect(heading(page, 'Reception')).toBeVisible()
    await expect(nameField(page)).toHaveValue('Reception')
    await expect(account(page).locator('option:checked')).toHaveText(tenant.accountName)
    await expect(url(page)).toHaveValue('https://a.example/call')
    await expect(method(page)).toHaveValue('GET')
    await expect(page.getByLabel('Calling webhook username')).toHaveValue('caller')
    await expect(page.getByLabel('Calling webhook password')).toHaveValue('secret-of-caller')
    await expect(url(page, statusHook)).toHaveValue('https://a.example/status')
    await expect(method(page, statusHook)).toHaveValue('POST')
    await expect(page.getByLabel('Use HTTP basic authentication for the call status webhook')).not.toBeChecked()
    await expect(page.getByLabel('Record all calls')).toBeChecked()
    await expect(page.getByLabel('Override webhook for initial application')).not.toBeChecked()
    await nameField(page).fill('night LINE')
    await save(page).click()
    await expect(
      page.getByText('The name you have entered is already in use on another one of your applications.'),
    ).toBeVisible()
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Leave', exact: true }).click()
    await expect(page).toHaveURL(list)
    expect(written).toEqual([])
    expect(await stored(api, sid)).toEqual(before)

    await page.goto(editPath(sid))
    await nameField(page).fill('Of others')
    await url(page, statusHook).fill('https://a.example/else')
    const put = page.waitForRequest((request) => request.method() === 'PUT')
    await save(page).click()
    // Each webhook is changed in place, also on the platform's own API server.
    expect((await put).postDataJSON()).toEqual({
      name: 'Of others',
      call_hook: before.call_hook,
      call_status_hook: { ...before.call_status_hook, url: 'https://a.example/else' },
    })
    await expectToast(page, 'Application updated successfully')
    await expect(page).toHaveURL(list)
    await page.goto(`${editPath(sid)}?tab=history`)
    await expect(page.getByRole('list', { name: 'History' })).toContainText('changed')

    // The error of a concurrent change appears at the field.
    await page.goto(editPath(sid))
    await nameField(page).fill('Night line')
    await page.route('**/Accounts/*/Applications?*', (route) => route.fulfill({ json: [] }))
    await save(page).click()
    await expectToast(page, 'Duplicate entry: name is already in use in this account')
    await expect(nameField(page)).toHaveAttribute('aria-invalid', 'true')
  })

  test('asks for no speech services of an account before one is chosen', async ({ page, api, tenant, open }) => {
    await api.account(tenant.service_provider_sid, { name: 'Beside' })
    const requests = countRequests(page, /SpeechCredentials$/)
    await open(`${list}/add`)
    await expect(account(page)).toHaveValue('')
    await page.waitForLoadState('networkidle')
    expect(requests).toEqual([])
    await expect(page.getByRole('main').getByRole('status').filter({ hasText: 'could not be loaded' })).toHaveCount(0)
    await account(page).selectOption(tenant.accountName)
    await expect(page.getByText('The account has no speech service.')).toBeVisible()
  })

  test('APPS-18 APPS-19 fixes the method for websockets, and copies the calling webhook to the status webhook', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await makeApplication(api, tenant)
    await open(`${list}/add`)
    await url(page).pressSequentially('https://a.example')
    await expect(url(page, statusHook)).toHaveValue('')
    await url(page).blur()
    await expect(url(page, statusHook)).toHaveValue('https://a.example')
    await expect(page.getByText('Copied from the calling webhook.')).toBeVisible()
    await expect(method(page).getByRole('option')).toHaveText(['GET', 'POST'])
    await url(page).fill('wss://b.example')
    await url(page).blur()
    await expect(url(page, statusHook)).toHaveValue('wss://b.example')
    for (const title of ['Calling webhook', statusHook]) {
      await expect(method(page, title)).toHaveAttribute('aria-disabled', 'true')
      await expect(method(page, title).getByRole('option')).toHaveText(['GET'])
    }
    await url(page, statusHook).fill('ws://c.example')
    await url(page).fill('ws://d.example')
    await url(page).blur()
    await expect(url(page, statusHook)).toHaveValue('ws://d.example')
    await url(page, statusHook).fill('https://c.example/status')
    await url(page).fill('wss://e.example')
    await url(page).blur()
    await expect(url(page, statusHook)).toHaveValue('https://c.example/status')
    await nameField(page).fill('By websocket')
    const post = page.waitForRequest((request) => request.method() === 'POST')
    await save(page).click()
    expect((await post).postDataJSON()).toMatchObject({
      call_hook: { url: 'wss://e.example', method: 'GET' },
      call_status_hook: { url: 'https://c.example/status', method: 'GET' },
    })
  })

  test('APPS-19 copies no invalid URL, copies on Enter, and undoes the copy until the form is left', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await makeApplication(api, tenant)
    await open(`${list}/add`)
    await url(page).fill('no url')
    await url(page).blur()
    await expect(url(page, statusHook)).toHaveValue('')
    await url(page).fill('wss://a.example')
    await url(page).press('Enter')
    await expect(url(page, statusHook)).toHaveValue('wss://a.example')
    await expect(method(page, statusHook)).toHaveValue('GET')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(url(page, statusHook)).toHaveValue('')
    await expect(page.getByText('Copied from the calling webhook.')).toHaveCount(0)
    await url(page).fill('https://b.example')
    await url(page).blur()
    await expect(url(page, statusHook)).toHaveValue('')
  })

  test('APPS-19 copies nothing if the user goes straight to the status webhook', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await makeApplication(api, tenant)
    await open(`${list}/add`)
    await url(page).fill('https://a.example/call')
    await url(page, statusHook).click()
    await page.keyboard.type('https://a.example/status')
    await expect(url(page, statusHook)).toHaveValue('https://a.example/status')
  })

  test('APPS-09 APPS-10 APPS-11 ROLES-12 redirects users without access, and reports failures', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { service_provider_sid, account_sid } = tenant
    const foreign = await makeApplication(api, { account_sid: await api.account(service_provider_sid) })
    const { token } = await api.person({ service_provider_sid, account_sid })
    await open(editPath(foreign), token)
    await expectNoAccess(page, list)

    const sid = await makeApplication(api, tenant)
    await failOnce(page, `**/Applications/${sid}`, 'It is away')
    await page.goto(editPath(sid))
    await expectToast(page, 'It is away')
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(nameField(page)).toHaveValue('Reception')

    const lonely = await api.provider()
    await open(`${list}/add`, (await api.person({ service_provider_sid: lonely })).token)
    await expectToast(page, 'You must create an account before you can create an application.')
    await expect(page).toHaveURL('/internal/accounts')
  })

  test('APPS-36 APPS-37 COMMON-14 COMMON-19 sets initial verbs, and call recording unless the account records all calls', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const sid = await makeApplication(api, tenant)
    const overrides = page.getByLabel('Override webhook for initial application')
    const verbs = page.getByRole('textbox', { name: 'Verbs' })
    const record = page.getByLabel('Record all calls')
    // Without the editor chunk, a plain text area is used.
    await page.route('**/assets/verb-editor-*.js', (route) => route.abort())
    await open(editPath(sid))
    await expect(verbs).toHaveCount(0)
    await overrides.check()
    await expect(verbs).toHaveAttribute('placeholder', 'an array of jambonz verbs to execute')
    await verbs.fill('[{"verb":"play"}]')
    await record.check()
    await save(page).click()
    // The server's own message appears at the field.
    await expectToast(page, 'Error: play: missing value for url')
    await expect(verbs).toHaveAttribute('aria-invalid', 'true')
    await expect(verbs).toBeFocused()
    await verbs.fill('[{"verb":"play","url":"https://a.example/hello.mp3"}]')
    await save(page).click()
    await expectToast(page, 'Application updated successfully')
    expect(await stored(api, sid)).toMatchObject({
      app_json: '[{"verb":"play","url":"https://a.example/hello.mp3"}]',
      record_all_calls: 1,
    })
    await page.goto(editPath(sid))
    await expect(overrides).toBeChecked()
    await expect(record).toBeChecked()
    await overrides.uncheck()
    await save(page).click()
    await expectToast(page, 'Application updated successfully')
    expect((await stored(api, sid)).app_json).toBeNull()

    await page.route(`**/Accounts/${tenant.account_sid}`, async (route) => {
      const answer = await fetchUnconditionally(route)
      await route.fulfill({ json: { ...(await answer.json()), record_all_calls: 1 } })
    })
    const accountResponse = page.waitForResponse(`**/Accounts/${tenant.account_sid}`)
    await page.goto(editPath(sid))
    await accountResponse
    await expect(nameField(page)).toHaveValue('Reception')
    await expect(overrides).not.toBeChecked()
    await expect(record).toHaveCount(0)
    await page.unroute(`**/Accounts/${tenant.account_sid}`)
    await page.goto(editPath(sid))
    await expect(record).toBeVisible()
    const switchedOff = async (name: string) => {
      await page.route('**/config.json', (route) => route.fulfill({ json: { switches: [name] } }))
      await page.goto(editPath(sid))
    }
    await switchedOff('no-call-recording')
    await expect(overrides).toBeVisible()
    await expect(record).toHaveCount(0)
    await switchedOff('no-initial-application')
    await expect(record).toBeVisible()
    await expect(overrides).toHaveCount(0)
  })

  test('marks an unknown verb of a stored application with a warning, and knows the verbs of newer platforms', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const sid = await makeApplication(api, tenant)
    // A newer component of the platform has stored the verb.
    await page.route(`**/Applications/${sid}`, async (route) => {
      if (route.request().method() !== 'GET') return route.fallback()
      const answer = await fetchUnconditionally(route)
      const app_json = '[{"verb":"sing"},{"verb":"agent","llm":{"vendor":"openai"}},{"verb":"dance"}]'
      return route.fulfill({ json: { ...(await answer.json()), app_json } })
    })
    await open(editPath(sid))
    const editor = page.getByRole('textbox', { name: 'Verbs' })
    await expect(
      page.getByText('Line 1: Patchbay does not know the verb sing. It is saved without a check (and 1 more)'),
    ).toBeVisible()
    await editor.fill('[{"verb":"sing"},{"verb":"room"}]')
    await expect(page.getByText('Line 1: room: missing value for name (and 1 more)')).toBeVisible()
    await editor.fill('[{"verb":"say","text":"x","tune":1},{"verb":"dial","target":[],"codecs":["G722"]}]')
    await expect(
      page.getByText('Line 1: say: unknown property tune. It is saved without a check', {
        exact: true,
      }),
    ).toBeVisible()
    await editor.fill('[{"verb":"jump"}]')
    await expect(page.getByText('Line 1: invalid instruction: jump')).toBeVisible()
  })

  test('moves to another account and is found by name', async ({ page, api, tenant, open }) => {
    const sid = await makeApplication(api, tenant)
    const beside = await api.account(tenant.service_provider_sid, { name: 'Beside' })
    await open(editPath(sid))
    await account(page).selectOption('Beside')
    await save(page).click()
    await expectToast(page, 'Application updated successfully')
    expect((await stored(api, sid)).account_sid).toBe(beside)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox').fill('Reception')
    await page.getByRole('option', { name: 'Reception' }).click()
    await expect(page).toHaveURL(editPath(sid))
  })
})
