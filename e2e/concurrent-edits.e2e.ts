import type { Page, Request } from '@playwright/test'
import { unsavedChanges, withoutExtensions } from './support/records.ts'
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

test('a save ends with an error if a proxy removes the versions of records', async ({ page, open, tenant, api }) => {
  const { path, screen, type } = await createClient(api, tenant)
  await open(screen)
  const { body: record } = await api.send('GET', path)
  let putCount = 0
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() !== 'PUT') return route.fallback()
    putCount += 1
    return route.fulfill({ status: 412, json: { msg: 'The record has been changed', code: 'record_changed', record } })
  })
  await type(page)
  await save(page).click()
  await expect(page.getByRole('alert').filter({ hasText: 'The record has been changed' })).toBeVisible()
  expect(putCount).toBe(6)
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

/**
 * Collects the requests for a record and its parts, after those of the screen that has opened. The result returns those
 * up to the last write, with its status.
 */
const collectUntilWritten = async (page: Page, paths: RegExp) => {
  await page.waitForLoadState('networkidle')
  const requests: Request[] = []
  page.on('request', (request) => {
    if (paths.test(new URL(request.url()).pathname)) requests.push(request)
  })
  return () => {
    const end = requests.findLastIndex((request) => request.method() !== 'GET') + 1
    return Promise.all(
      requests.slice(0, end).map(async (request) => {
        const method = request.method()
        return method === 'GET' ? method : `${method} ${String((await request.response())?.status())}`
      }),
    )
  }
}

const ofCarriers = /\/(?:carriers|VoipCarriers|SipGateways|SmppGateways)\b/

test('a carrier with its gateways is saved with one request, apart from the look-up of a name', async ({
  page,
  open,
  tenant,
  api,
}) => {
  const created = await api.send('POST', '/patchbay/carriers', {
    carrier: { name: 'Telco', service_provider_sid: tenant.service_provider_sid },
    sip_gateways: [{ ipv4: '10.1.1.1' }, { ipv4: '10.1.1.2' }],
  })
  const { voip_carrier_sid } = created.body
  const screen = `/internal/carriers/${String(voip_carrier_sid)}/edit`
  const read = async () => (await api.send('GET', `/patchbay/carriers/${String(voip_carrier_sid)}`)).body
  const gateway = (nth: number) => page.getByRole('group', { name: `SIP gateway ${nth}`, exact: true })

  await open(screen)
  await page.getByLabel('Tech prefix').fill('777')
  await gateway(1).getByLabel('Port').fill('5070')
  const requests = await collectUntilWritten(page, ofCarriers)
  await save(page).click()
  await expectToast(page, 'Carrier updated successfully')
  expect(await requests()).toEqual(['PUT 200'])

  await open(screen)
  await page.getByLabel('Carrier name').fill('Renamed')
  const renamed = await collectUntilWritten(page, ofCarriers)
  await save(page).click()
  await expectToast(page, 'Carrier updated successfully')
  expect(await renamed()).toEqual(['GET', 'PUT 200'])

  // A gateway that is deleted beside the form is no change of another user.
  await open(screen)
  await page.getByLabel('Tech prefix').fill('888')
  await gateway(1).getByLabel('Port').fill('5080')
  await page.getByRole('button', { name: 'Delete SIP gateway 2' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete gateway' }).click()
  await expect(gateway(2)).toHaveCount(0)
  const afterDeletion = await collectUntilWritten(page, ofCarriers)
  await save(page).click()
  await expectToast(page, 'Carrier updated successfully')
  expect(await afterDeletion()).toEqual(['PUT 200'])
  const whole = { carrier: { name: 'Renamed', tech_prefix: '888' }, sip_gateways: [{ ipv4: '10.1.1.1', port: 5080 }] }
  expect(await read()).toMatchObject(whole)

  await open(screen)
  await page.getByLabel('Tech prefix').fill('999')
  await api.send('POST', '/SipGateways', { voip_carrier_sid, ipv4: '10.1.1.3' })
  const merged = await collectUntilWritten(page, ofCarriers)
  await save(page).click()
  await expectToast(page, 'Carrier updated successfully')
  expect(await merged()).toEqual(['PUT 412', 'PUT 200'])
  expect(await read()).toMatchObject({ carrier: { tech_prefix: '999' }, sip_gateways: [{}, { ipv4: '10.1.1.3' }] })
})

/** The fields of carriers make requests of their own. */
const ofRoutings = /\/(?:lcrs|Lcrs|LcrRoutes)\b/

test('each save of an outbound routing needs one request, also in a form that stays open', async ({
  page,
  open,
  tenant,
  api,
}) => {
  const { account_sid } = tenant
  const { sid: voip_carrier_sid } = (await api.send('POST', '/VoipCarriers', { name: 'North', account_sid })).body
  const routes = ['^1', '^2'].map((regex) => ({ regex, lcr_carrier_set_entries: [{ voip_carrier_sid }] }))
  const body = { name: 'Routing', account_sid, routes, default_voip_carrier_sid: voip_carrier_sid }
  const { sid } = (await api.send('POST', '/patchbay/lcrs', body)).body
  const read = async () => (await api.send('GET', `/patchbay/lcrs/${String(sid)}`)).body
  const pattern = (nth: number) => page.getByLabel(`Digit prefix or regex of route ${nth}`, { exact: true })
  const { token } = await api.person({ account_sid, service_provider_sid: tenant.service_provider_sid })

  await open(`/internal/least-cost-routing/${String(sid)}/edit`, token)
  for (const regex of ['^11', '^12']) {
    await pattern(1).fill(regex)
    const requests = await collectUntilWritten(page, ofRoutings)
    await save(page).click()
    await expect(unsavedChanges(page)).toHaveCount(0)
    expect(await requests()).toEqual(['PUT 204'])
  }

  // A route that is deleted beside the form is no change of another user.
  await pattern(1).fill('^13')
  await page.getByRole('button', { name: 'Remove route 2' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete route' }).click()
  await expect(pattern(2)).toHaveCount(0)
  const afterDeletion = await collectUntilWritten(page, ofRoutings)
  await save(page).click()
  await expect(unsavedChanges(page)).toHaveCount(0)
  expect(await afterDeletion()).toEqual(['PUT 204'])
  expect(await read()).toMatchObject({ routes: [{ regex: '^13' }] })

  await page.getByLabel('Name').fill('Mine')
  const route = { regex: '^7', priority: 5, lcr_carrier_set_entries: [{ voip_carrier_sid }] }
  await api.send('PUT', `/Lcrs/${String(sid)}/Routes`, [route])
  const merged = await collectUntilWritten(page, ofRoutings)
  await save(page).click()
  await expect(unsavedChanges(page)).toHaveCount(0)
  expect(await merged()).toEqual(['PUT 412', 'PUT 204'])
  await expect(pattern(2)).toHaveValue('^7')
  expect(await read()).toMatchObject({ name: 'Mine', routes: [{ regex: '^13' }, { regex: '^7' }] })
})
