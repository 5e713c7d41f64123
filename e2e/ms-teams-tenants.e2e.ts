import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { hold } from './support/hold-requests.ts'
import {
  account,
  cancelDeletion,
  deleteOpenRecord,
  expectNoAccess,
  failOnce,
  heading,
  listRow,
  listRows,
  retryAfter,
  save,
  withoutExtensions,
} from './support/records.ts'
import { makeApplications } from './support/seed-database.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const rows = (page: Page) => listRows(page, 'MS Teams Tenants')
const row = (page: Page, name: string) => listRow(page, 'MS Teams Tenants', name)
const filterBox = (page: Page) => page.getByRole('searchbox', { name: 'Filter MS Teams tenants' })
const application = (page: Page) => page.getByRole('combobox', { name: 'Application', exact: true })
const domain = (page: Page) => page.getByLabel('Domain name')
const addLink = (page: Page) => page.getByRole('link', { name: 'Add tenant' })
const menuEntry = (page: Page) => page.getByRole('link', { name: 'MS Teams Tenants', exact: true })

const teamsList = '/internal/ms-teams-tenants'

const customer = async (api: Api, tenant: Tenant, more: object = {}) => {
  const { service_provider_sid, account_sid } = tenant
  const tenant_fqdn = `${randomUUID()}.example.org`
  const body = { service_provider_sid, account_sid, tenant_fqdn, ...more }
  return { ...body, sid: (await api.send('POST', '/MicrosoftTeamsTenants', body)).body.sid as string }
}

/** Creates a tenant of another provider. */
const foreignCustomer = async (api: Api, tenant: Tenant) => {
  const service_provider_sid = await api.provider()
  return customer(api, { ...tenant, service_provider_sid, account_sid: await api.account(service_provider_sid) })
}

const withDomain = (api: Api, { service_provider_sid }: Tenant) =>
  api.send('PUT', `/ServiceProviders/${service_provider_sid}`, { ms_teams_fqdn: 'teams.example.org' })

const ofAccount = ({ service_provider_sid, account_sid }: Tenant) => ({ service_provider_sid, account_sid })

test.describe('the list', () => {
  test('NAV-35 NAV-64 TEAMS-01 COMMON-20 appears in the menu for providers with a domain, and filters by account and by text', async ({
    page,
    api,
    tenant,
    open,
    server,
  }) => {
    const [application_sid] = makeApplications(server, tenant.account_sid, ['Switchboard'])
    const answered = await customer(api, tenant, { application_sid })
    const account_sid = await api.account(tenant.service_provider_sid, { name: 'Beside' })
    const beside = await customer(api, tenant, { account_sid })
    await foreignCustomer(api, tenant)
    await open(teamsList)
    await expect(menuEntry(page)).toHaveCount(0)
    await expect(page.getByText(`${tenant.providerName} has no domain name for Microsoft Teams`)).toBeVisible()
    await withDomain(api, tenant)
    await open('/internal/accounts')
    await expect(page.getByRole('list', { name: 'BYO Services' })).toContainText('MS Teams Tenants')
    await menuEntry(page).click()
    await expect(page).toHaveURL(teamsList)
    await expect(rows(page)).toHaveCount(2)
    await expect(row(page, answered.tenant_fqdn)).toContainText('Switchboard')
    await expect(row(page, answered.tenant_fqdn)).toContainText(tenant.accountName)
    await expect(row(page, beside.tenant_fqdn)).toContainText('None')
    await expect(addLink(page)).toHaveAttribute('href', `${teamsList}/add`)
    await filterBox(page).fill('switchB')
    await expect(rows(page)).toHaveText([new RegExp(answered.tenant_fqdn)])
    await filterBox(page).fill(beside.tenant_fqdn)
    await expect(rows(page)).toHaveText([new RegExp(beside.tenant_fqdn)])
    await filterBox(page).fill('nothing')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await account(page).selectOption('Beside')
    await expect(rows(page)).toHaveText([new RegExp(beside.tenant_fqdn)])
    await page.reload()
    await expect(rows(page)).toHaveText([new RegExp(beside.tenant_fqdn)])

    const { token } = await api.person(ofAccount(tenant))
    await open(teamsList, token)
    await expect(rows(page)).toHaveText([new RegExp(answered.tenant_fqdn)])
    await expect(account(page)).toHaveCount(0)
  })

  test('TEAMS-12 describes an empty list, and offers a retry after a failure', async ({ page, api, tenant, open }) => {
    await open(teamsList)
    await expect(page.getByText('No Microsoft Teams Tenant.', { exact: true })).toBeVisible()
    await expect(page.getByText('A tenant connects the Microsoft Teams calls')).toBeVisible()
    await expectNoFindings(page, 'no Teams tenants')
    await customer(api, tenant)
    await failOnce(page, '**/MicrosoftTeamsTenants', 'The database is away')
    await page.reload()
    await retryAfter(page, 'The database is away')
    await expect(rows(page)).toHaveCount(1)
  })

  test('waits for the names of applications, and shows SIDs if they cannot be loaded', async ({
    page,
    api,
    tenant,
    open,
    server,
  }) => {
    const [application_sid = ''] = makeApplications(server, tenant.account_sid, ['Switchboard'])
    const { tenant_fqdn } = await customer(api, tenant, { application_sid })
    const names = '**/patchbay/ms-teams-tenants/applications'
    const release = await hold(page, names)
    const requested = page.waitForRequest(names)
    await open(teamsList)
    await requested
    await expect(page.getByRole('table').getByText(tenant_fqdn)).toHaveCount(0)
    release()
    await expect(row(page, tenant_fqdn)).toContainText('Switchboard')
    await page.route(names, (route) => route.fulfill({ status: 403, json: { msg: 'insufficient privileges' } }))
    await page.reload()
    await expect(row(page, tenant_fqdn)).toContainText(application_sid.slice(0, 8))
  })

  test('shows application names from the list on the platform’s own API server, read-only for view-only users', async ({
    page,
    api,
    tenant,
    open,
    server,
  }) => {
    const [application_sid] = makeApplications(server, tenant.account_sid, ['Switchboard'])
    const { tenant_fqdn, sid } = await customer(api, tenant, { application_sid })
    await withoutExtensions(page)
    const requestedPaths: string[] = []
    page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
    const { token } = await api.person({ ...ofAccount(tenant), is_view_only: true })
    await open(teamsList, token)
    await expect(row(page, tenant_fqdn)).toContainText('Switchboard')
    expect(requestedPaths.filter((path) => path.includes('/patchbay/'))).toEqual([])
    await expect(page.getByRole('button', { name: 'Add tenant' })).toBeDisabled()
    await expect(page.getByRole('button', { name: `Delete ${tenant_fqdn}` })).toBeDisabled()
    await page.goto(`${teamsList}/${sid}/edit`)
    await expect(domain(page)).not.toBeEditable()
    await expect(application(page)).toBeDisabled()
    await expect(save(page)).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Delete tenant' })).toHaveCount(0)
  })
})

test.describe('adding', () => {
  test('NAV-36 TEAMS-06 TEAMS-07 TEAMS-08 creates a tenant with an application of its account, and reports a duplicate domain at the field', async ({
    page,
    api,
    tenant,
    open,
    server,
  }) => {
    const { service_provider_sid, account_sid } = tenant
    const [application_sid] = makeApplications(server, account_sid, ['Switchboard'])
    const beside = await api.account(service_provider_sid, { name: 'Beside' })
    makeApplications(server, beside, ['Of beside'])
    const taken = await customer(api, tenant)
    await open(teamsList)
    await addLink(page).click()
    await expect(page).toHaveURL(`${teamsList}/add`)
    await expect(heading(page, 'Add a Microsoft Teams tenant')).toBeVisible()
    await save(page).click()
    for (const fault of ['Enter a domain name', 'Choose an account'])
      await expect(page.getByText(fault).last()).toBeVisible()
    await expect(domain(page)).toBeFocused()
    await domain(page).fill(taken.tenant_fqdn.toUpperCase())
    await account(page).selectOption('Beside')
    await application(page).selectOption('Of beside')
    // An application can be used only by its own account.
    await account(page).selectOption(tenant.accountName)
    await expect(application(page).getByRole('option')).toHaveText(['None', 'Switchboard'])
    await expect(application(page)).toHaveValue('')
    await application(page).selectOption('Switchboard')
    await save(page).click()
    await expect(page.getByText('The domain name you have entered is already in use.')).toBeVisible()
    await expect(page.getByText(/already in use|[Dd]uplicate/)).toHaveCount(1)
    await expect(domain(page)).toBeFocused()
    const tenant_fqdn = `${randomUUID()}.example.org`
    await domain(page).fill(tenant_fqdn)
    await save(page).click()
    await expectToast(page, 'Microsoft Teams Tenant created successfully')
    await expect(row(page, tenant_fqdn)).toContainText('Switchboard')
    const created = (await api.send('GET', '/MicrosoftTeamsTenants')).body.filter(
      (one: { account_sid: string }) => one.account_sid === account_sid,
    )
    expect(created).toHaveLength(2)
    expect(created).toContainEqual({
      ms_teams_tenant_sid: expect.any(String),
      service_provider_sid,
      account_sid,
      application_sid,
      tenant_fqdn,
    })
  })

  test('TEAMS-02 TEAMS-03 leaves the form without an account, and reports a provider without a domain', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await open(`${teamsList}/add`)
    await expect(page.getByText(`${tenant.providerName} has no domain name for Microsoft Teams`)).toBeVisible()
    await expect(page.getByRole('link', { name: 'Set it in Settings' })).toHaveAttribute(
      'href',
      '/internal/settings?tab=provider',
    )
    await expectNoFindings(page, 'adding without a domain')
    await withDomain(api, tenant)
    await page.reload()
    await expect(domain(page)).toBeVisible()
    await expect(page.getByText('has no domain name for Microsoft Teams')).toHaveCount(0)
    await api.send('DELETE', `/Accounts/${tenant.account_sid}`)
    await page.reload()
    await expectToast(page, 'You must create an account before you can create an Microsoft Teams Tenant.')
    await expect(page).toHaveURL('/internal/accounts')
  })
})

test.describe('an existing tenant', () => {
  test('NAV-37 TEAMS-07 TEAMS-09 TEAMS-10 is changed and deleted, and keeps concurrent changes', async ({
    page,
    api,
    tenant,
    open,
    server,
  }) => {
    const [application_sid] = makeApplications(server, tenant.account_sid, ['Switchboard'])
    const { sid, tenant_fqdn } = await customer(api, tenant, { application_sid })
    const path = `/MicrosoftTeamsTenants/${sid}`
    await open(teamsList)
    await page.getByRole('link', { name: `Edit ${tenant_fqdn}` }).click()
    await expect(page).toHaveURL(`${teamsList}/${sid}/edit`)
    await expect(application(page).locator('option:checked')).toHaveText('Switchboard')
    await application(page).selectOption('None')
    const renamed = `${randomUUID()}.example.org`
    await api.send('PUT', path, { tenant_fqdn: renamed })
    await save(page).click()
    await expectToast(page, 'Microsoft Teams Tenant updated successfully')
    await expect(row(page, renamed)).toContainText('None')
    expect((await api.send('GET', path)).body).toMatchObject({ tenant_fqdn: renamed, application_sid: null })

    await cancelDeletion(page, renamed, 'Delete Microsoft Teams tenant?')
    await row(page, renamed).getByRole('link', { name: renamed, exact: true }).click()
    await deleteOpenRecord(page, 'Delete tenant', `Deleted Microsoft Teams Tenant ${renamed}`)
    await expect(page.getByText('No Microsoft Teams Tenant.')).toBeVisible()
    expect((await api.send('GET', path)).status).toBe(404)
  })

  test('offers a retry if a tenant cannot be loaded, and redirects to the list for another provider’s tenant', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { sid, tenant_fqdn } = await customer(api, tenant)
    await failOnce(page, `**/MicrosoftTeamsTenants/${sid}`, 'The database is away', 503)
    const foreign = await foreignCustomer(api, tenant)
    const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid })
    await open(`${teamsList}/${sid}/edit`, token)
    await retryAfter(page, 'The database is away')
    await expect(heading(page, tenant_fqdn)).toBeVisible()
    for (const other of [foreign.sid, randomUUID()]) {
      await open(`${teamsList}/${other}/edit`, token)
      await expectNoAccess(page, teamsList)
    }
  })
})
