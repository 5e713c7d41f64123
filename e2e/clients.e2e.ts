import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import {
  account,
  cancelDeletion,
  deleteOpenRecord,
  expectNoAccess,
  failOnce,
  heading,
  listRow,
  listRows,
  save,
} from './support/records.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const rows = (page: Page) => listRows(page, 'Clients')
const row = (page: Page, name: string) => listRow(page, 'Clients', name)
const filterBox = (page: Page) => page.getByRole('searchbox', { name: 'Filter clients' })
const addLink = (page: Page) => page.getByRole('link', { name: 'Add SIP client' })
const box = (page: Page, name: string) => page.getByRole('checkbox', { name })

const permissions = ['applications', 'queues', 'users'].map((name) => `Allow direct calling to ${name}`)

const withRealm = async (api: Api, account_sid: string) => {
  const sip_realm = `${account_sid}.example.org`
  await api.send('PUT', `/Accounts/${account_sid}`, { sip_realm })
  return sip_realm
}

const client = async (api: Api, account_sid: string, username: string): Promise<string> =>
  (await api.send('POST', '/Clients', { account_sid, username, password: 'sdf12412' })).body.sid

const fetchClient = async (api: Api, client_sid: string) => (await api.send('GET', `/Clients/${client_sid}`)).body

const ofAccount = ({ service_provider_sid, account_sid }: Tenant) => ({ service_provider_sid, account_sid })

/** Simulates a server with the platform's Redis, in which these clients are registered. */
const withRegistered = async (page: Page, names: readonly string[], extensions?: readonly string[]) => {
  await page.route('**/config.json', async (route) => {
    const config = await (await route.fetch()).json()
    await route.fulfill({ json: { ...config, switches: [], extensions: extensions ?? config.extensions } })
  })
  await page.route('**/RegisteredSipUsers', (route) =>
    route.fulfill({ json: names.map((name) => `${name}@sip.example.org`) }),
  )
  await page.route('**/RegisteredSipUsers/*', (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1) ?? ''
    const flags = { allow_direct_app_calling: 1, allow_direct_queue_calling: 1, allow_direct_user_calling: 1 }
    const none = { contact: null, protocol: null, proxy: null, expiryTime: 0, registered_status: 'inactive' }
    const one = { contact: 'sip:198.51.100.7:5060', protocol: 'tls', proxy: null, registered_status: 'active' }
    const registration = names.includes(name) ? { ...one, expiryTime: Date.now() + 3_600_000 } : none
    return route.fulfill({ json: { name, ...flags, ...registration } })
  })
}

test.describe('the list', () => {
  test('NAV-41 NAV-57 CLIENTS-01 CLIENTS-14 COMMON-20 opens from the menu, and filters by account and by text', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const realm = await withRealm(api, tenant.account_sid)
    const beside = await api.account(tenant.service_provider_sid, { name: 'Beside' })
    await client(api, tenant.account_sid, 'reception')
    await client(api, tenant.account_sid, 'door')
    const ofBeside = await client(api, beside, 'ward')
    await client(api, await api.account(await api.provider()), 'elsewhere')
    await open('/internal/accounts')
    await page.getByRole('link', { name: 'Clients', exact: true }).click()
    await expect(page).toHaveURL(/\/internal\/clients$/)
    await expect(rows(page)).toHaveText([/door/, /reception/, /ward/])
    await expect(row(page, 'reception')).toContainText(`reception@${realm}`)
    await expect(row(page, 'reception')).toContainText(tenant.accountName)
    await expect(row(page, 'reception')).toContainText('Active')
    await expect(addLink(page)).toHaveAttribute('href', '/internal/clients/add')
    await filterBox(page).fill('WAR')
    await expect(rows(page)).toHaveText([/ward/])
    await filterBox(page).fill('nothing')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await account(page).selectOption('Beside')
    await expect(rows(page)).toHaveText([/ward/])
    await expect(page.getByText('Devices of Beside cannot register yet')).toBeVisible()
    await page.reload()
    await expect(rows(page)).toHaveText([/ward/])
    await account(page).selectOption(tenant.accountName)
    await expect(page.getByText(`register with ${realm}`)).toBeVisible()

    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox').fill('ward')
    await expect(page.getByRole('option', { name: 'ward' })).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(`/internal/clients/${ofBeside}/edit$`))
  })

  test('CLIENTS-15 shows account users only their own clients, describes an empty list, and offers a retry after a failure', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await client(api, await api.account(tenant.service_provider_sid), 'of-another')
    const { token } = await api.person(ofAccount(tenant))
    await open('/internal/clients', token)
    await expect(page.getByText('No sip clients.', { exact: true })).toBeVisible()
    await expect(page.getByText('A SIP client contains the credentials')).toBeVisible()
    await expect(addLink(page)).toHaveCount(2)
    await expect(account(page)).toHaveCount(0)
    await client(api, tenant.account_sid, 'own')
    await failOnce(page, '**/Clients', 'The database is away')
    await page.reload()
    await expect(page.getByText('The database is away')).toBeVisible()
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(rows(page)).toHaveText([/own/])
  })

  test('shows registered clients with a single request, or with one request per account on the platform’s own API server', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { account_sid } = tenant
    await withRealm(api, account_sid)
    const desk = await client(api, account_sid, 'desk')
    await client(api, account_sid, 'door')
    await page.route('**/patchbay/registered-clients', (route) => route.fulfill({ json: [desk] }))
    await withRegistered(page, ['door'])
    const requestedPaths: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (/registered/i.test(pathname)) requestedPaths.push(pathname.replace('/api/v1', ''))
    })
    await open('/internal/clients')
    await expect(row(page, 'desk')).toContainText('Registered')
    await expect(row(page, 'door')).toContainText('Not registered')
    await expectNoFindings(page, 'clients with their registrations')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect.poll(() => requestedPaths).toEqual(['/patchbay/registered-clients', '/patchbay/registered-clients'])

    requestedPaths.length = 0
    await withRegistered(page, ['door'], [])
    await page.reload()
    await expect(row(page, 'desk')).toContainText('Active')
    await expect(page.getByRole('columnheader', { name: 'Registration' })).toHaveCount(0)
    await account(page).selectOption(tenant.accountName)
    await expect(row(page, 'desk')).toContainText('Not registered')
    await expect(row(page, 'door')).toContainText('Registered')
    expect(requestedPaths).toEqual([`/Accounts/${account_sid}/RegisteredSipUsers`])
  })
})

test.describe('adding', () => {
  test('NAV-42 CLIENTS-02 CLIENTS-03 CLIENTS-08 creates an active client with all permissions, and reports a duplicate name', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { account_sid } = tenant
    await withRealm(api, account_sid)
    await client(api, account_sid, 'reception')
    await open('/internal/clients')
    await addLink(page).click()
    await expect(page).toHaveURL(/\/internal\/clients\/add$/)
    for (const name of ['Active', ...permissions]) await expect(box(page, name)).toBeChecked()
    await save(page).click()
    for (const fault of ['Enter a user name', 'Enter a password']) await expect(page.getByText(fault)).toBeVisible()
    await expect(page.getByLabel('User name')).toBeFocused()
    await page.getByLabel('User name').fill('Reception')
    await page.getByRole('button', { name: 'Generate a password' }).click()
    const password = page.getByLabel('Password', { exact: true })
    await expect(password).toHaveValue(/^\w{20}$/)
    await password.fill('a-password-of-mine')
    await box(page, permissions[1] ?? '').uncheck()
    await save(page).click()
    await expect(page.getByText('The account already has a SIP client with this name.')).toBeVisible()
    await page.getByLabel('User name').fill('desk')
    await save(page).click()
    await expectToast(page, 'Client created successfully')
    await expect(page).toHaveURL(`/internal/clients?account=${account_sid}`)
    await expect(row(page, 'desk')).toBeVisible()
    const created = (await api.send('GET', '/Clients')).body.find(
      (one: { account_sid: string; username: string }) => one.account_sid === account_sid && one.username === 'desk',
    )
    expect(created).toMatchObject({
      password: 'aXXXXXXXXXXXXXXXXX',
      is_active: 1,
      allow_direct_app_calling: 1,
      allow_direct_queue_calling: 0,
      allow_direct_user_calling: 1,
    })
  })

  test('CLIENTS-07 requires a SIP realm, links to its setting, and reads the account of account users from Users/me', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const beside = await api.account(tenant.service_provider_sid, { name: 'Beside' })
    await withRealm(api, beside)
    const warning = page.getByText('Sip realm is not set for the account.', { exact: true })
    await open('/internal/clients/add')
    await expect(save(page)).toBeEnabled()
    await account(page).selectOption(tenant.accountName)
    await expect(warning.first()).toBeVisible()
    await expect(save(page)).toBeDisabled()
    await account(page).selectOption('Beside')
    await expect(warning).toHaveCount(0)
    await expect(save(page)).toBeEnabled()
    await account(page).selectOption(tenant.accountName)
    const realmLink = page.getByRole('link', { name: 'Set the SIP realm' })
    await expect(realmLink).toHaveAttribute('href', `/internal/accounts/${tenant.account_sid}/edit`)

    const { token } = await api.person(ofAccount(tenant))
    await open('/internal/clients/add', token)
    await expect(warning.first()).toBeVisible()
    await expect(account(page)).toHaveCount(0)
    await page.getByLabel('User name').fill('desk')
    await page.getByLabel('Password', { exact: true }).fill('a-password')
    await page.keyboard.press('Control+s')
    await expect(save(page)).toBeDisabled()
    expect((await api.send('GET', '/Clients', undefined, token)).body).toEqual([])
    await expectNoFindings(page, 'adding a client without a realm')

    await withRealm(api, tenant.account_sid)
    await page.reload()
    await page.getByLabel('User name').fill('desk')
    await page.getByLabel('Password', { exact: true }).fill('a-password')
    await save(page).click()
    await expectToast(page, 'Client created successfully')
    await expect(rows(page)).toHaveText([/desk/])
  })
})

test.describe('an existing client', () => {
  test('NAV-43 CLIENTS-04 CLIENTS-09 CLIENTS-12 changes only activity and permissions, and sends nothing else', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { account_sid } = tenant
    const realm = await withRealm(api, account_sid)
    const client_sid = await client(api, account_sid, 'desk')
    await open('/internal/clients')
    await row(page, 'desk').getByRole('link', { name: 'Edit desk' }).click()
    await expect(page).toHaveURL(new RegExp(`/internal/clients/${client_sid}/edit$`))
    await expect(heading(page, 'desk')).toBeVisible()
    await expect(page.getByRole('group', { name: 'User name' })).toContainText('desk')
    await expect(page.getByRole('group', { name: 'Account' })).toContainText(tenant.accountName)
    await expect(page.getByRole('group', { name: 'Password' })).toContainText('not shown again')
    await expect(page.getByRole('main').getByRole('textbox')).toHaveCount(0)
    await expect(page.getByRole('main')).not.toContainText('sXXX')
    await expect(page.getByText(`sip:desk@${realm}`)).toBeVisible()
    const updateBodies: unknown[] = []
    page.on('request', (request) => {
      if (request.method() === 'PUT') updateBodies.push(request.postDataJSON())
    })
    for (const name of ['Active', ...permissions]) await box(page, name).uncheck()
    await save(page).click()
    await expectToast(page, 'Client updated successfully')
    await expect(row(page, 'desk')).toContainText('Inactive')
    const off = {
      is_active: false,
      allow_direct_app_calling: false,
      allow_direct_queue_calling: false,
      allow_direct_user_calling: false,
    }
    expect(updateBodies).toEqual([off])
    expect(await fetchClient(api, client_sid)).toMatchObject({
      account_sid,
      username: 'desk',
      password: 'sXXXXXXX',
      is_active: 0,
      allow_direct_app_calling: 0,
      allow_direct_queue_calling: 0,
      allow_direct_user_calling: 0,
    })
    await page.goto(`/internal/clients/${client_sid}/edit?tab=history`)
    await expect(page.getByRole('list', { name: 'History' }).getByRole('listitem').first()).toContainText('Is active')
  })

  test('shows the device settings for copying, and whether the client is registered', async ({
    page,
    api,
    tenant,
    open,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const { account_sid, service_provider_sid } = tenant
    const realm = await withRealm(api, account_sid)
    const client_sid = await client(api, account_sid, 'desk')
    await api.send('POST', '/Sbcs', { ipv4: '203.0.113.10', port: 5060, tls_port: 5061, service_provider_sid })
    await withRegistered(page, ['desk'])
    await open(`/internal/clients/${client_sid}/edit`)
    await expect(page.getByRole('banner').or(page.getByRole('main')).getByText('Registered').first()).toBeVisible()
    await expect(page.getByText('sip:198.51.100.7:5060')).toBeVisible()
    for (const [name, value] of [
      ['Domain', realm],
      ['SIP address', `sip:desk@${realm}`],
      ['Proxy, UDP or TCP', '203.0.113.10:5060'],
      ['Proxy, TLS', '203.0.113.10:5061'],
    ] as const) {
      await page.getByRole('button', { name: `Copy ${name}` }).click()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(value)
    }
    await api.send('PUT', `/Accounts/${account_sid}`, { sip_realm: null })
    await page.reload()
    await expect(page.getByText('Sip realm is not set for the account.').first()).toBeVisible()
    await expect(save(page)).toBeDisabled()
    await expect(page.getByRole('button', { name: 'Copy Domain' })).toHaveCount(0)
  })

  test('CLIENTS-10 COMMON-73 is deleted from the list and from its own screen, after a confirmation', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const sids = [await client(api, tenant.account_sid, 'desk'), await client(api, tenant.account_sid, 'door')]
    await open('/internal/clients')
    const { button, dialog } = await cancelDeletion(page, 'desk', 'Delete SIP client?')
    await button.click()
    await dialog.getByRole('button', { name: 'Delete SIP client' }).click()
    await expectToast(page, 'Client deleted successfully')
    await expect(rows(page)).toHaveText([/door/])
    await page.getByRole('link', { name: 'door', exact: true }).click()
    await deleteOpenRecord(page, 'Delete SIP client', 'Client deleted successfully')
    await expect(page.getByText('No sip clients.')).toBeVisible()
    for (const sid of sids) expect((await api.send('GET', `/Clients/${sid}`)).status).toBe(404)
  })

  test('CLIENTS-11 reports a client that cannot be loaded or belongs to another tenant, and returns to the list', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const client_sid = await client(api, tenant.account_sid, 'desk')
    await page.route(`**/Clients/${client_sid}`, (route) =>
      route.fulfill({ status: 500, json: { msg: 'The database is away' } }),
    )
    await open(`/internal/clients/${client_sid}/edit`)
    await expectToast(page, 'The database is away')
    await expect(page).toHaveURL(/\/internal\/clients$/)
    await expect(rows(page)).toHaveText([/desk/])

    const foreign = await client(api, await api.account(await api.provider()), 'foreign')
    const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
    for (const sid of [foreign, randomUUID()]) {
      await open(`/internal/clients/${sid}/edit`, token)
      await expectNoAccess(page, '/internal/clients')
    }
  })

  test('shows view-only users everything, read-only', async ({ page, api, tenant, open }) => {
    await withRealm(api, tenant.account_sid)
    const client_sid = await client(api, tenant.account_sid, 'desk')
    const { token } = await api.person({ ...ofAccount(tenant), is_view_only: true })
    await open('/internal/clients', token)
    await expect(page.getByRole('button', { name: 'Add SIP client' })).toBeDisabled()
    await expect(row(page, 'desk').getByRole('button', { name: 'Delete desk' })).toBeDisabled()
    await page.goto(`/internal/clients/${client_sid}/edit`)
    await expect(box(page, 'Active')).toBeDisabled()
    await expect(save(page)).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Delete SIP client' })).toHaveCount(0)
    await expect(page.getByText(`sip:desk@${tenant.account_sid}.example.org`)).toBeVisible()
  })
})
