import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { showProviders } from './support/providers.ts'
import { type Api, expect, test } from './support/test.ts'

const admin = '/internal/settings'
const provider = '/internal/settings?tab=provider'

const save = (page: Page) => page.getByRole('button', { name: 'Save' })
const tab = (page: Page, name: string) => page.getByRole('tab', { name })
const notice = (page: Page, text: string | RegExp) =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text, { exact: true })

test.describe('the admin tab', () => {
  // The tests of a worker share the platform's settings.
  test.afterEach(async ({ api }) => {
    const none = { domain_name: null, sip_domain_name: null, monitoring_domain_name: null, private_network_cidr: null }
    await api.send('POST', '/SystemInformation', { ...none, log_level: 'info' })
    const policy = { min_password_length: 6, require_digit: 0, require_special_character: 0 }
    await api.send('POST', '/PasswordSettings', policy)
  })

  test('NAV-17 SETTINGS-01 SETTINGS-04 has two tabs for admins, with log levels and password lengths', async ({
    page,
    open,
  }) => {
    await open(admin)
    await expect(page.getByRole('tab')).toHaveText(['Admin', 'Service provider'])
    await expect(tab(page, 'Admin')).toHaveAttribute('aria-selected', 'true')
    const level = page.getByLabel('Log level')
    await expect(level).toHaveValue('info')
    await expect(level.getByRole('option')).toHaveText(['Info', 'Debug'])
    const length = page.getByLabel('Minimum password length')
    await expect(length).toHaveValue('6')
    const choices = Array.from({ length: 15 }, (_, index) => String(6 + index))
    await expect(length.getByRole('option')).toHaveText(choices)
  })

  test('SIP addresses are added, changed, and deleted, and the carrier form says how to add the first one', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const addresses = page.getByRole('table', { name: 'SIP addresses' })
    const dialog = (title: string) => page.getByRole('dialog', { name: title })
    await open('/internal/carriers/add')
    const forCarrier = page.getByText('Have your carrier send calls to these addresses')
    await forCarrier.click()
    await page.getByRole('link', { name: 'Add one in the settings' }).click()
    // The link opens the form. A reload does not.
    await expect(dialog('Add SIP address').getByLabel('IP address or host name')).toBeFocused()
    await expect(page).toHaveURL(/\/internal\/settings$/)
    await page.reload()
    await expect(page.getByText('No SIP addresses yet.')).toBeVisible()
    await expect(dialog('Add SIP address')).toBeHidden()

    await page.getByRole('button', { name: 'Add address' }).click()
    await dialog('Add SIP address').getByLabel('IP address or host name').fill('203.0.113.300')
    await dialog('Add SIP address').getByLabel('TLS port').fill('99999')
    await dialog('Add SIP address').getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Enter an IPv4 address or a host name')).toBeVisible()
    await expect(page.getByText('Enter a port from 1 to 65535')).toBeVisible()
    await dialog('Add SIP address').getByLabel('IP address or host name').fill('203.0.113.30')
    await dialog('Add SIP address').getByLabel('TLS port').fill('5061')
    await page.route('**/Sbcs', (route) => route.fulfill({ status: 503, json: { msg: 'The database is busy' } }), {
      times: 1,
    })
    await dialog('Add SIP address').getByRole('button', { name: 'Save' }).click()
    await expect(dialog('Add SIP address').getByRole('alert')).toContainText('The database is busy')
    await dialog('Add SIP address').getByRole('button', { name: 'Save' }).click()
    await expect(notice(page, 'SIP address added')).toBeVisible()
    await expect(addresses).toContainText('203.0.113.30:5060')
    await expect(addresses).toContainText('5061')
    await expect(addresses).toContainText('Entered by hand')

    await page.getByRole('button', { name: 'Edit 203.0.113.30:5060' }).click()
    await dialog('Edit SIP address').getByLabel('SIP port').fill('5070')
    // The old address cannot be deleted at first, so the new one must not stay either.
    await page.route('**/Sbcs/*', (route) => route.fulfill({ status: 503, json: { msg: 'The database is busy' } }), {
      times: 1,
    })
    await dialog('Edit SIP address').getByRole('button', { name: 'Save' }).click()
    await expect(dialog('Edit SIP address').getByRole('alert')).toContainText('The database is busy')
    const stored = await api.send('GET', '/Sbcs')
    expect(stored.body.map(({ port }: { port: number }) => port)).toEqual([5060])
    await dialog('Edit SIP address').getByRole('button', { name: 'Save' }).click()
    await expect(notice(page, 'SIP address updated')).toBeVisible()
    await expect(addresses).toContainText('203.0.113.30:5070')
    await expect(addresses).not.toContainText('203.0.113.30:5060')

    const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
    await open('/internal/carriers/add', token)
    await forCarrier.click()
    await expect(page.getByText('203.0.113.30:5070', { exact: true })).toBeVisible()

    await open(admin)
    await page.getByRole('button', { name: 'Delete 203.0.113.30:5070' }).click()
    await page.getByRole('button', { name: 'Delete address', exact: true }).click()
    await expect(notice(page, 'SIP address deleted')).toBeVisible()
    await expect(page.getByText('No SIP addresses yet.')).toBeVisible()
    await open('/internal/carriers/add', token)
    await forCarrier.click()
    await expect(page.getByText('Ask the administrator of the platform to add one in the settings.')).toBeVisible()
  })

  test("SETTINGS-03 SETTINGS-05 SETTINGS-08 saves both parts together, and shows 'Admin settings updated successfully'", async ({
    page,
    api,
    open,
  }) => {
    await open(admin)
    await page.getByLabel('Domain name', { exact: true }).fill('example.org')
    await page.getByLabel('SIP domain name').fill('sip.example.org')
    await page.getByLabel('Monitoring domain name').fill('monitoring.example.org')
    await page.getByLabel('Private network CIDR').fill('10.0.0.0/8,192.168.0.1')
    await page.getByLabel('Log level').selectOption('Debug')
    const length = page.getByLabel('Minimum password length')
    const digit = page.getByLabel('Passwords require a digit')
    const special = page.getByLabel('Passwords require a special character')
    await expect(length).toHaveValue('6')
    await expect(digit).not.toBeChecked()
    await expect(special).not.toBeChecked()
    await length.selectOption('9')
    await digit.check()
    await special.check()
    await save(page).click()
    await expect(notice(page, 'Admin settings updated successfully')).toBeVisible()
    expect((await api.send('GET', '/SystemInformation')).body).toEqual({
      domain_name: 'example.org',
      sip_domain_name: 'sip.example.org',
      monitoring_domain_name: 'monitoring.example.org',
      private_network_cidr: '10.0.0.0/8,192.168.0.1',
      log_level: 'debug',
    })
    const policy = { min_password_length: 9, require_digit: 1, require_special_character: 1 }
    expect((await api.send('GET', '/PasswordSettings')).body).toEqual(policy)
    await page.reload()
    await expect(page.getByLabel('Domain name', { exact: true })).toHaveValue('example.org')
    await expect(page.getByLabel('SIP domain name')).toHaveValue('sip.example.org')
    await expect(page.getByLabel('Monitoring domain name')).toHaveValue('monitoring.example.org')
    await expect(page.getByLabel('Private network CIDR')).toHaveValue('10.0.0.0/8,192.168.0.1')
    await expect(page.getByLabel('Log level')).toHaveValue('debug')
    await expect(length).toHaveValue('9')
    await expect(digit).toBeChecked()
    await expect(special).toBeChecked()
    await special.uncheck()
    await page.getByLabel('Domain name', { exact: true }).fill('')
    await save(page).click()
    await expect(notice(page, 'Admin settings updated successfully')).toBeVisible()
    expect((await api.send('GET', '/SystemInformation')).body).toMatchObject({ domain_name: null })
    expect((await api.send('GET', '/PasswordSettings')).body).toEqual({ ...policy, require_special_character: 0 })
  })

  test('SETTINGS-12 shows an error with the invalid private network, and saves nothing', async ({ page, open }) => {
    let writeCount = 0
    page.on('request', (request) => {
      if (request.method() !== 'GET') writeCount += 1
    })
    await open(admin)
    await page.getByLabel('Domain name', { exact: true }).fill('example.org')
    await page.getByLabel('Private network CIDR').fill('10.0.0.0/8,10.0.0.0/33')
    await save(page).click()
    await expect(page.getByText('Invalid private network CIDR "10.0.0.0/33"', { exact: true })).toBeVisible()
    await expect(page.getByLabel('Private network CIDR')).toBeFocused()
    expect(writeCount).toBe(0)
  })

  test('reports the part that failed with its reason, and sends only that part on the next Save', async ({
    page,
    api,
    open,
  }) => {
    await open(admin)
    await page.route('**/PasswordSettings', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 500, json: { msg: 'The disk is full' } })
        : route.fallback(),
    )
    await page.getByLabel('Domain name', { exact: true }).fill('half.example.org')
    await page.getByLabel('Passwords require a digit').check()
    await save(page).click()
    const form = page.getByRole('form', { name: 'Admin settings' })
    await expect(form.getByRole('alert')).toContainText(
      'Saved: system information. Not saved: password policy (The disk is full).',
    )
    expect((await api.send('GET', '/SystemInformation')).body).toMatchObject({ domain_name: 'half.example.org' })
    await page.unroute('**/PasswordSettings')
    const writePaths: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') writePaths.push(new URL(request.url()).pathname)
    })
    await save(page).click()
    await expect(notice(page, 'Admin settings updated successfully')).toBeVisible()
    expect(writePaths).toEqual(['/api/v1/PasswordSettings'])
    expect((await api.send('GET', '/PasswordSettings')).body).toMatchObject({ require_digit: 1 })
  })

  test('a save only writes, and merges changes of other fields', async ({ page, api, open }) => {
    await open(admin)
    await page.getByLabel('Domain name', { exact: true }).fill('mine.example.org')
    await page.getByLabel('Passwords require a digit').check()
    await api.send('POST', '/SystemInformation', { sip_domain_name: 'theirs.example.org' })
    const requests: string[] = []
    page.on('request', (request) => {
      const [record] = /(SystemInformation|PasswordSettings)$/.exec(request.url()) ?? []
      if (record) requests.push(`${request.method()} ${record}`)
    })
    await save(page).click()
    await expect(notice(page, 'Admin settings updated successfully')).toBeVisible()
    // The first request is rejected, because the record has changed.
    const writes = ['POST SystemInformation', 'POST SystemInformation', 'POST PasswordSettings']
    expect(requests.slice(0, 3)).toEqual(writes)
    expect((await api.send('GET', '/SystemInformation')).body).toMatchObject({
      domain_name: 'mine.example.org',
      sip_domain_name: 'theirs.example.org',
    })
  })

  test('loads each tab when it is first shown, keeps typed values, and asks before leaving', async ({
    page,
    tenant,
    open,
  }) => {
    const read: string[] = []
    page.on('request', (request) => read.push(new URL(request.url()).pathname.replace('/api/v1', '')))
    await open(admin)
    await expect(page.getByLabel('Log level')).toBeVisible()
    const ofProvider = `/ServiceProviders/${tenant.service_provider_sid}`
    // The menu counts the alerts.
    const ofTab = read.filter((path) => path.startsWith(ofProvider) && path !== `${ofProvider}/Alerts`)
    expect(ofTab).toEqual([])
    await page.getByLabel('Domain name', { exact: true }).fill('unsaved.example.org')
    await tab(page, 'Service provider').click()
    await expect(page).toHaveURL(/tab=provider$/)
    await expect(page.getByLabel('Service provider name')).toHaveValue(tenant.providerName)
    await tab(page, 'Admin').click()
    await expect(page.getByLabel('Domain name', { exact: true })).toHaveValue('unsaved.example.org')
    await page.getByRole('link', { name: 'Accounts', exact: true }).click()
    await expect(page.getByRole('dialog', { name: 'Leave without saving?' })).toBeVisible()
  })

  test('reports settings that cannot be loaded in place, with a retry', async ({ page, open }) => {
    await page.route('**/SystemInformation', (route) => route.fulfill({ status: 500, json: { msg: 'It is away' } }), {
      times: 1,
    })
    await open(admin)
    await expect(page.getByText('It is away')).toBeVisible()
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByLabel('Log level')).toBeVisible()
  })
})

/** Simulates a TTS cache with this many prompts on an installation with Redis. */
const showCache = async (page: Page, path: string, size: number) => {
  let remaining = size
  await page.route('**/config.json', async (route) => {
    const { switches: _none, ...rest } = await (await route.fetch()).json()
    await route.fulfill({ json: rest })
  })
  await page.route(`**${path}`, (route) => {
    if (route.request().method() !== 'DELETE') return route.fulfill({ json: { size: remaining } })
    remaining = 0
    return route.fulfill({ status: 204 })
  })
}

test.describe('the TTS cache', () => {
  test("SETTINGS-06 SETTINGS-07 shows the size, clears the cache after a confirmation, and shows 'Tts Cache successfully cleaned'", async ({
    page,
    open,
  }) => {
    await showCache(page, '/api/v1/TtsCache', 1234)
    await open(admin)
    await expect(page.getByText('1,234 prompts cached.')).toBeVisible()
    await page.getByRole('button', { name: 'Clear TTS cache' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Clear TTS cache' }).click()
    await expect(notice(page, 'Tts Cache successfully cleaned')).toBeVisible()
    await expect(page.getByText('No prompt is cached.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Clear TTS cache' })).toHaveAttribute('aria-disabled', 'true')
  })

  test('reports that there is no cache without Redis', async ({ page, open }) => {
    await open(admin)
    await expect(page.getByRole('paragraph').filter({ hasText: 'The platform caches prompts in Redis' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Clear TTS cache' })).toHaveAttribute('aria-disabled', 'true')
  })
})

const fetchLimits = async (api: Api, sid: string) =>
  Object.fromEntries(
    (await api.send('GET', `/ServiceProviders/${sid}/Limits`)).body.map(
      ({ category, quantity }: { category: string; quantity: number }) => [category, quantity],
    ),
  )

test.describe('the service provider tab', () => {
  test("SETTINGS-09 SETTINGS-10 PROVIDERS-09 PROVIDERS-11 saves name, MS Teams domain, and limits, shows 'Settings updated', and removes an empty limit", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { service_provider_sid } = tenant
    await open(provider)
    const name = `Renamed ${randomUUID().slice(0, 8)}`
    await page.getByLabel('Service provider name').fill(name)
    await expect(page.getByLabel('SBC domain name')).toHaveCount(0)
    await page.getByLabel('Enable MS Teams Direct Routing').check()
    await page.getByLabel('Max calls').fill('no number')
    await save(page).click()
    await expect(page.getByText('Enter a domain name such as sbc.example.com')).toBeVisible()
    await expect(page.getByText('Enter a whole number of at least 0')).toBeVisible()
    await page.getByLabel('SBC domain name').fill('sbc.example.org')
    await page.getByLabel('Max calls').fill('25')
    await save(page).click()
    await expect(notice(page, 'Settings updated')).toBeVisible()
    // The selector is a native select, or a searchable one if there are many options.
    const chosen = page.getByRole('combobox', { name: 'Service provider' })
    await expect
      .poll(() =>
        chosen.evaluate((box) =>
          box instanceof HTMLSelectElement ? box.selectedOptions[0]?.label : Reflect.get(box, 'value'),
        ),
      )
      .toBe(name)
    const stored = async () => (await api.send('GET', `/ServiceProviders/${service_provider_sid}`)).body
    expect(await stored()).toMatchObject({ name, ms_teams_fqdn: 'sbc.example.org' })
    expect(await fetchLimits(api, service_provider_sid)).toEqual({ voice_call_session: 25 })
    await page.reload()
    await expect(page.getByLabel('Max calls')).toHaveValue('25')
    await expect(page.getByLabel('SBC domain name')).toHaveValue('sbc.example.org')
    const removed = page.waitForRequest(/Limits$/)
    await page.getByLabel('Max calls').fill('')
    await expect(page.getByText('unlimited', { exact: true })).toBeVisible()
    await page.getByLabel('Enable MS Teams Direct Routing').uncheck()
    await save(page).click()
    expect((await removed).postDataJSON()).toEqual({ voice_call_session: null })
    await expect(notice(page, 'Settings updated')).toBeVisible()
    expect(await fetchLimits(api, service_provider_sid)).toEqual({})
    expect(await stored()).toMatchObject({ ms_teams_fqdn: null })
  })

  test('COMMON-17 shows limits with units if the account-limits switch is on, and only the call limit otherwise', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const path = `/ServiceProviders/${tenant.service_provider_sid}/Limits`
    await api.send('POST', path, { category: 'voice_call_session', quantity: 7 })
    await open(provider)
    await expect(page.getByLabel('Max calls')).toHaveValue('7')
    for (const label of ['Unit', 'Licensed calls', 'Max minutes', 'Licensed minutes'])
      await expect(page.getByLabel(label)).toHaveCount(0)
    await page.route('**/config.json', async (route) => {
      const config = await (await route.fetch()).json()
      await route.fulfill({ json: { ...config, switches: [...config.switches, 'account-limits'] } })
    })
    await page.reload()
    await page.getByLabel('Licensed calls').fill('5')
    await page.getByLabel('Unit').selectOption('Minute')
    await expect(page.getByText('Also set: Max calls 7, Licensed calls 5.')).toBeVisible()
    await expect(page.getByLabel('Max calls')).toHaveCount(0)
    await page.getByLabel('Max minutes').fill('1000')
    await page.getByLabel('Licensed minutes').fill('0')
    await save(page).click()
    await expect(notice(page, 'Settings updated')).toBeVisible()
    expect(await fetchLimits(api, tenant.service_provider_sid)).toEqual({
      voice_call_session: 7,
      voice_call_session_license: 5,
      voice_call_minutes: 1000,
      voice_call_minutes_license: 0,
    })
  })

  test('shows a duplicate provider name at the field, and saves the rest', async ({ page, api, tenant, open }) => {
    const taken = `Taken ${randomUUID().slice(0, 8)}`
    await api.provider(taken)
    await open(provider)
    await page.getByLabel('Service provider name').fill(taken)
    await page.getByLabel('Max calls').fill('3')
    await save(page).click()
    await expect(page.getByText('Another service provider has this name', { exact: true })).toBeVisible()
    await expect(page.getByRole('form').getByText(/^Saved: Max calls\. Not saved: name and MS Teams/)).toBeVisible()
    expect(await fetchLimits(api, tenant.service_provider_sid)).toEqual({ voice_call_session: 3 })
  })

  test("ROLES-03 PROVIDERS-05 deletes a provider after typing its name, shows 'Deleted service provider {name}', and removes it from the selector", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { providerName, account_sid } = tenant
    const other = `Other ${randomUUID().slice(0, 8)}`
    await api.provider(other)
    await showProviders(page, [providerName, other])
    await open(provider)
    const ask = page.getByRole('button', { name: 'Delete service provider' })
    await ask.click()
    const inUse = page.getByRole('dialog', { name: 'This service provider is in use' })
    await expect(inUse).toContainText('cannot be deleted while it has 1 account')
    await expect(inUse.getByRole('link', { name: 'Show its accounts' })).toBeVisible()
    await page.keyboard.press('Escape')
    await api.send('DELETE', `/Accounts/${account_sid}`)
    await ask.click()
    const dialog = page.getByRole('dialog', { name: 'Delete service provider?' })
    await expect(dialog).toContainText('which is empty')
    const confirm = dialog.getByRole('button', { name: 'Delete service provider' })
    await expect(confirm).toHaveAttribute('aria-disabled', 'true')
    await dialog.getByLabel(`Type ${providerName} to confirm`).fill(providerName)
    await confirm.click()
    await expect(notice(page, `Deleted service provider ${providerName}`)).toBeVisible()
    await expect(page).toHaveURL(/\/internal\/accounts$/)
    await expect(page.getByText(other, { exact: true }).first()).toBeVisible()
    await expect(page.getByText(providerName, { exact: true })).toHaveCount(0)
    await page.goto(provider)
    await expect(page.getByLabel('Service provider name')).toHaveValue(other)
    await expect(ask).toHaveAttribute('aria-disabled', 'true')
  })
})

test.describe('API keys', () => {
  const table = (page: Page) => page.getByRole('table', { name: 'Service provider API keys' })
  const rows = (page: Page) => table(page).locator('tbody tr[data-row]')

  test("APIKEYS-01 APIKEYS-02 APIKEYS-03 APIKEYS-04 APIKEYS-05 shows 'No API keys yet.', then a new key in full once, and masked afterwards", async ({
    page,
    context,
    api,
    open,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await open(provider)
    await expect(page.getByText('No API keys yet.', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Add key' }).click()
    const asking = page.getByRole('dialog', { name: 'Add API key' })
    await asking.getByLabel('Expires').selectOption('In 30 days')
    await asking.getByRole('button', { name: 'Add key' }).click()
    await expect(notice(page, 'API key created')).toBeVisible()
    const keyDialog = page.getByRole('dialog', { name: 'Your new API key' })
    const token = (await keyDialog.locator('code').textContent()) ?? ''
    expect(token).toMatch(/^[0-9a-f-]{36}$/)
    await keyDialog.getByRole('button', { name: 'Copy the API key' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token)
    await expect(notice(page, 'API key copied to clipboard')).toBeVisible()
    await page.mouse.click(5, 5)
    await expect(keyDialog).toBeVisible()
    await keyDialog.getByRole('button', { name: 'Close' }).last().click()
    await expect(keyDialog).toHaveCount(0)

    const masked = token.slice(0, -4).replaceAll(/[0-9a-f]/g, '*') + token.slice(-4)
    await expect(table(page).getByRole('columnheader')).toHaveText([
      'Name',
      'Key',
      'Created',
      'Expires',
      'Last used',
      'Actions',
    ])
    await expect(rows(page)).toHaveCount(1)
    await expect(rows(page).locator('code')).toHaveText(masked)
    await expect(rows(page)).toContainText('in 29 days')
    await expect(rows(page)).toContainText('Never used')
    expect((await api.send('GET', '/ServiceProviders', undefined, token)).status).toBe(200)
    await page.reload()
    await expect(rows(page)).toContainText('Today')
  })

  test("APIKEYS-06 deletes a key and shows 'API key deleted'", async ({ page, api, tenant, open }) => {
    const { service_provider_sid } = tenant
    const { token } = (await api.send('POST', '/ApiKeys', { service_provider_sid })).body
    await open(provider)
    await page.getByRole('button', { name: /^Delete .*-/ }).click()
    await page.getByRole('dialog', { name: 'Delete API key?' }).getByRole('button', { name: 'Delete key' }).click()
    await expect(notice(page, 'API key deleted')).toBeVisible()
    await expect(page.getByText('No API keys yet.', { exact: true })).toBeVisible()
    expect((await api.send('GET', '/ServiceProviders', undefined, token)).status).toBe(401)
  })

  test('COMMON-40 masks a key that another server returns in full, and shows expiry and last use', async ({
    page,
    open,
  }) => {
    const day = 86_400_000
    const key = (token: string, used: number | undefined, ends: number) => ({
      api_key_sid: token,
      token,
      account_sid: null,
      service_provider_sid: null,
      created_at: '2026-01-01T00:00:00.000Z',
      last_used: used === undefined ? null : new Date(Date.now() - used * day).toISOString(),
      expires_at: new Date(Date.now() + ends * day).toISOString(),
    })
    await page.route('**/ServiceProviders/*/ApiKeys', (route) =>
      route.fulfill({
        json: [
          key('aaaaaaaa-1234', 1, -1),
          key('bbbbbbbb-5678', 12, 400),
          key('cccccccc-9012', 0, 400),
          key('dddddddd-3456', undefined, 400),
        ],
      }),
    )
    await open(provider)
    await expect(rows(page).nth(0)).toContainText('********-1234')
    await expect(rows(page).nth(0)).toContainText('Expired')
    await expect(rows(page).nth(0)).toContainText('Yesterday')
    await expect(rows(page).nth(1)).toContainText('12 days ago')
    await expect(rows(page).nth(2)).toContainText('Today')
    await expect(rows(page).nth(3)).toContainText('Never used')
  })

  test('lets admins create keys of the platform', async ({ page, api, open }) => {
    await open(admin)
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Add key' }).click()
    const token = (await page.getByRole('dialog', { name: 'Your new API key' }).locator('code').textContent()) ?? ''
    expect((await api.send('GET', '/SystemInformation', undefined, token)).status).toBe(200)
    await page.keyboard.press('Escape')
    await expect(
      page
        .getByRole('table', { name: 'Platform API keys' })
        .locator('code')
        .filter({ hasText: token.slice(-4) }),
    ).toBeVisible()
  })
})

test.describe('permissions', () => {
  test('NAV-54 SETTINGS-02 ROLES-04 ROLES-07 shows provider users the form of their own provider without tabs', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { service_provider_sid } = tenant
    const { token } = await api.person({ service_provider_sid })
    await open('/internal/accounts', token)
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await expect(page).toHaveURL(/\/internal\/settings$/)
    await expect(page.getByLabel('Service provider name')).toHaveValue(tenant.providerName)
    await expect(page.getByRole('tab')).toHaveCount(0)
    await expect(page.getByLabel('Log level')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Delete service provider' })).toHaveCount(0)
    await page.getByLabel('Max calls').fill('12')
    await save(page).click()
    await expect(notice(page, 'Settings updated')).toBeVisible()
    expect(await fetchLimits(api, service_provider_sid)).toEqual({ voice_call_session: 12 })
    await page.getByRole('link', { name: 'Accounts', exact: true }).click()
    await expect(page.getByRole('link', { name: tenant.accountName, exact: true })).toBeVisible()
  })

  test("NAV-54 ROLES-14 hides settings from account users, and redirects with 'You do not have permissions to manage Settings'", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { account_sid, service_provider_sid } = tenant
    const { token } = await api.person({ account_sid, service_provider_sid })
    await open(admin, token)
    await expect(notice(page, 'You do not have permissions to manage Settings')).toBeVisible()
    await expect(page).toHaveURL(new RegExp(`${account_sid}/edit$`))
    await expect(page.getByRole('link', { name: 'Settings', exact: true })).toHaveCount(0)
  })

  test('shows view-only users all settings and explains why they cannot change them', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { service_provider_sid } = tenant
    await api.send('POST', '/ApiKeys', { service_provider_sid })
    const { token } = await api.person({ service_provider_sid, is_view_only: true })
    await open(admin, token)
    await expect(page.getByLabel('Service provider name')).toHaveAttribute('readonly')
    await expect(page.getByRole('group', { name: 'Max calls' })).toContainText('Unlimited')
    await expect(page.getByRole('textbox', { name: 'Max calls' })).toHaveCount(0)
    await expect(save(page)).toHaveCount(0)
    for (const name of ['Add key', /^Delete \*/])
      await expect(page.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true')
  })
})

test('links each part to its history, if the user can read it and the server has one', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { service_provider_sid, account_sid } = tenant
  const history = (of: string) => page.getByRole('link', { name: `History of the ${of}`, exact: true })
  const rows = page.getByRole('table', { name: 'Audit trail' }).locator('tbody tr[data-row]')
  const name = `Renamed ${randomUUID().slice(0, 8)}`
  await api.send('PUT', `/ServiceProviders/${service_provider_sid}`, { name })
  await api.send('PUT', `/Accounts/${account_sid}`, { record_format: 'wav' })
  await api.send('POST', '/PasswordSettings', { min_password_length: 7 })
  await api.send('POST', '/PasswordSettings', { min_password_length: 6 })

  await open(admin)
  await expect(history('system information')).toBeVisible()
  await history('password policy').click()
  await expect(rows.first()).toContainText('Password policy')
  await expect(rows.filter({ hasNotText: 'Password policy' })).toHaveCount(0)

  const user = await api.person({ service_provider_sid })
  await open('/internal/settings', user.token)
  await history('service provider').click()
  await expect(rows).toHaveCount(2)
  await expect(rows.first()).toContainText(name)
  await expect(rows.first()).toContainText('changed')
  await page.reload()
  await expect(rows).toHaveCount(2)

  await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
  await open('/internal/settings', user.token)
  await expect(page.getByLabel('Service provider name')).toHaveValue(name)
  await expect(page.getByRole('link', { name: /^History/ })).toHaveCount(0)
})
