import type { Page } from '@playwright/test'
import { withoutExtensions } from './support/records.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Two users edit the same record. record.e2e.ts tests the dialog about conflicts in detail. */

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
const conflict = (page: Page) => page.getByRole('dialog', { name: 'Another user changed this record' })

/** Collects the requests of the page that change or read a record below a path. */
const collectRequests = (page: Page, path: string): string[] => {
  const requests: string[] = []
  page.on('request', (request) => {
    if (request.url().includes(path)) requests.push(request.method())
  })
  return requests
}

interface Edited {
  path: string
  screen: string
  /** Changes a field on the screen. */
  type: (page: Page) => Promise<void>
  /** The member that the field changes, and its value. */
  localValue: Readonly<Record<string, unknown>>
  /** Contains what another user changes. */
  remoteValue: Readonly<Record<string, unknown>>
  toast: string
}

const createClient = async (api: Api, { account_sid }: Tenant): Promise<Edited> => {
  await api.send('PUT', `/Accounts/${account_sid}`, { sip_realm: `${account_sid}.example.com` })
  const body = { account_sid, username: 'desk-1', password: 'a-device-password' }
  const { sid } = (await api.send('POST', '/Clients', body)).body
  return {
    path: `/Clients/${String(sid)}`,
    screen: `/internal/clients/${String(sid)}/edit`,
    type: (page) => page.getByRole('checkbox', { name: 'Active' }).uncheck(),
    localValue: { is_active: 0 },
    remoteValue: { allow_direct_user_calling: 0 },
    toast: 'Client updated successfully',
  }
}

test('a save needs one request', async ({ page, open, tenant, api }) => {
  const { path, screen, type, localValue, toast } = await createClient(api, tenant)
  await open(screen)
  await type(page)
  const requests = collectRequests(page, path)
  await save(page).click()
  await expectToast(page, toast)
  expect(requests.filter((method) => method !== 'GET')).toEqual(['PUT'])
  expect(requests[0]).toBe('PUT')
  expect((await api.send('GET', path)).body).toMatchObject(localValue)
})

test('changes of other fields are merged without a question', async ({ page, open, tenant, api }) => {
  const { path, screen, type, localValue, remoteValue, toast } = await createClient(api, tenant)
  await open(screen)
  await type(page)
  await api.send('PUT', path, remoteValue)
  const requests = collectRequests(page, path)
  await save(page).click()
  await expectToast(page, toast)
  expect(requests.slice(0, 2)).toEqual(['PUT', 'PUT'])
  expect((await api.send('GET', path)).body).toMatchObject({ ...localValue, ...remoteValue })
})

test('two changes of the same field are shown, and a third change is noticed, too', async ({
  page,
  open,
  tenant,
  api,
}) => {
  const { service_provider_sid, account_sid } = tenant
  const body = { service_provider_sid, account_sid, tenant_fqdn: `${account_sid}.teams.example.com` }
  const { sid } = (await api.send('POST', '/MicrosoftTeamsTenants', body)).body
  const path = `/MicrosoftTeamsTenants/${String(sid)}`
  const fqdn = (prefix: string) => `${prefix}.${account_sid}.example.com`
  await open(`/internal/ms-teams-tenants/${String(sid)}/edit`)
  await page.getByLabel('Domain name').fill(fqdn('mine'))
  await api.send('PUT', path, { tenant_fqdn: fqdn('theirs') })
  await save(page).click()
  await expect(conflict(page).getByRole('row', { name: new RegExp(`${fqdn('theirs')} ${fqdn('mine')}`) })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Notifications' }).getByRole('paragraph')).toHaveCount(0)
  await api.send('PUT', path, { tenant_fqdn: fqdn('third') })
  await conflict(page).getByRole('button', { name: 'Save my values' }).click()
  await expect(conflict(page).getByRole('row', { name: new RegExp(`${fqdn('third')} ${fqdn('mine')}`) })).toBeVisible()
  await conflict(page).getByRole('button', { name: 'Save my values' }).click()
  await expectToast(page, 'Microsoft Teams Tenant updated successfully')
  expect((await api.send('GET', path)).body).toMatchObject({ tenant_fqdn: fqdn('mine') })
})

test('reads the record before each save on a server without versions', async ({ page, open, tenant, api }) => {
  const { path, screen, type, localValue, remoteValue, toast } = await createClient(api, tenant)
  await withoutExtensions(page)
  await open(screen)
  await type(page)
  await api.send('PUT', path, remoteValue)
  const requests = collectRequests(page, path)
  await save(page).click()
  await expectToast(page, toast)
  expect(requests.slice(0, 3)).toEqual(['GET', 'GET', 'PUT'])
  expect((await api.send('GET', path)).body).toMatchObject({ ...localValue, ...remoteValue })
})
