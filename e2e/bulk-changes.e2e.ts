import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { bar, box, button, confirmEdit, deleteSelected, dialog } from './support/bulk.ts'
import { listRow, listRows, withoutExtensions } from './support/records.ts'
import { type Api, expect, test } from './support/test.ts'

/** The selection of records in lists, and what changes the selected ones. */

const rows = (page: Page) => listRows(page, 'Clients')
const row = (page: Page, name: string) => listRow(page, 'Clients', name)

const createClients = async (api: Api, account_sid: string, names: readonly string[]): Promise<string[]> => {
  const sids: string[] = []
  for (const username of names)
    sids.push((await api.send('POST', '/Clients', { account_sid, username, password: 'sdf12412' })).body.sid)
  return sids
}

const readClient = async (api: Api, sid: string | undefined) => (await api.send('GET', `/Clients/${sid}`)).body

test('selected records are disabled and edited by keyboard, and the others stay as they are', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const sids = await createClients(api, tenant.account_sid, ['alice', 'bob', 'carol'])
  await open('/internal/clients')
  await box(page, 'Select alice').focus()
  await page.keyboard.press('Space')
  await box(page, 'Select bob').focus()
  await page.keyboard.press('Space')
  await expect(bar(page)).toContainText('2 SIP clients selected')
  await expect(box(page, 'Select all SIP clients')).toBeChecked({ indeterminate: true })
  await button(page, 'Disable').focus()
  await page.keyboard.press('Enter')
  await expect(dialog(page, 'Disable 2 SIP clients?')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(button(page, 'Disable')).toBeFocused()
  await page.keyboard.press('Enter')
  await button(page, 'Disable 2 SIP clients').press('Enter')
  await expect(page.getByText('Changed 2 SIP clients.')).toBeVisible()
  await expect(bar(page)).toHaveCount(0)
  await expect(row(page, 'alice')).toContainText('Inactive')
  await expect(row(page, 'carol')).toContainText('Active')
  await button(page, 'Close').click()
  await expect(page.getByText('Changed 2 SIP clients.')).toHaveCount(0)

  await box(page, 'Select all SIP clients').check()
  await button(page, 'Edit…').click()
  const edit = dialog(page, 'Edit 3 SIP clients')
  await expect(edit.getByRole('button', { name: 'Continue' })).toHaveAttribute('aria-disabled', 'true')
  await edit.getByRole('combobox', { name: 'Allow direct calling to queues' }).selectOption('No')
  await confirmEdit(page, 3, 'SIP clients')
  await expect(page.getByText('Changed 3 SIP clients.')).toBeVisible()
  for (const [nth, is_active] of [0, 0, 1].entries())
    expect(await readClient(api, sids[nth])).toMatchObject({
      is_active,
      allow_direct_queue_calling: 0,
      allow_direct_app_calling: 1,
    })
})

test('a filter limits the change to the rows that match it', async ({ page, api, tenant, open }) => {
  const [alice, bob] = await createClients(api, tenant.account_sid, ['alice', 'bob'])
  await open('/internal/clients')
  await page.getByRole('searchbox', { name: 'Filter clients' }).fill('ali')
  await expect(rows(page)).toHaveCount(1)
  await box(page, 'Select all SIP clients').check()
  await expect(bar(page)).toContainText('1 SIP client selected')
  await button(page, 'Disable').click()
  await button(page, 'Disable 1 SIP client').click()
  await expect(page.getByText('Changed 1 SIP client.')).toBeVisible()
  expect([(await readClient(api, alice)).is_active, (await readClient(api, bob)).is_active]).toEqual([0, 1])
})

test('selected records are deleted after a dry run and a typed number, and failures are listed', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const [alice, bob, carol] = await createClients(api, tenant.account_sid, ['alice', 'bob', 'carol'])
  await open('/internal/clients')
  await expect(rows(page)).toHaveCount(3)
  await api.send('DELETE', `/Clients/${carol}`)
  await box(page, 'Select all SIP clients').check()
  await button(page, 'Delete…').click()
  const confirmation = dialog(page, 'Delete 3 SIP clients?')
  await expect(confirmation.getByRole('list', { name: 'Not deleted' })).toContainText('This record does not exist')
  const confirm = confirmation.getByRole('button', { name: 'Delete 2 SIP clients' })
  await expect(confirm).toHaveAttribute('aria-disabled', 'true')
  await expectNoFindings(page, 'deleting several clients')
  await confirmation.getByRole('textbox', { name: 'Type 2 to confirm' }).fill('2')
  // The record is deleted by someone else after the dry run.
  await api.send('DELETE', `/Clients/${bob}`)
  await confirm.click()
  await expect(page.getByText('Deleted 1 of 2 SIP clients.')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Not changed' })).toContainText(`${bob}: This record does not exist`)
  await expect(rows(page)).toHaveCount(0)
  expect((await api.send('GET', `/Clients/${alice}`)).status).toBe(404)
})

test('the progress of a bulk change in the background is displayed again after a reload', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const names = Array.from({ length: 101 }, (_, nth) => `client-${nth}`)
  await createClients(api, tenant.account_sid, names)
  const running = { status: 'running', done: 40, failed: 0, total: 101, stop_reason: null, failures: [] }
  const change = { kind: 'client', operation: 'update', requested_at: new Date().toISOString(), finished_at: null }
  let isHeld = true
  await page.route('**/patchbay/bulk-changes/*', async (route) => {
    const bulk_change_sid = new URL(route.request().url()).pathname.split('/').at(-1)
    await (isHeld ? route.fulfill({ json: { bulk_change_sid, ...change, ...running } }) : route.fallback())
  })
  await open('/internal/clients')
  await box(page, 'Select all SIP clients').check()
  await button(page, 'Disable').click()
  await button(page, 'Disable 101 SIP clients').click()
  const progress = page.getByRole('group', { name: 'Bulk change' })
  await expect(progress).toContainText('Changing: 40 of 101')
  await page.reload()
  await expect(progress).toContainText('Changing: 40 of 101')
  isHeld = false
  await expect(page.getByText('Changed 101 SIP clients.')).toBeVisible()
  await expect(row(page, 'client-0')).toContainText('Inactive')
})

test('view-only users read why they cannot change selected records', async ({ page, api, tenant, open }) => {
  const { service_provider_sid, account_sid } = tenant
  await createClients(api, account_sid, ['alice'])
  const viewer = await api.person({ service_provider_sid, account_sid, is_view_only: true })
  await open('/internal/clients', viewer.token)
  await box(page, 'Select alice').check()
  for (const name of ['Edit…', 'Enable', 'Disable', 'Delete…']) {
    await expect(button(page, name)).toHaveAttribute('aria-disabled', 'true')
    await expect(button(page, name)).toHaveAccessibleDescription(/view-only access/)
  }
})

test('a server without bulk changes has no selection', async ({ page, api, tenant, open }) => {
  await createClients(api, tenant.account_sid, ['alice'])
  await withoutExtensions(page)
  await open('/internal/clients')
  await expect(rows(page)).toHaveCount(1)
  await expect(page.getByRole('checkbox')).toHaveCount(0)
})

test('the selection works on a phone', async ({ page, api, tenant, open }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await createClients(api, tenant.account_sid, ['alice', 'bob'])
  await open('/internal/clients')
  await expect(page.getByRole('link', { name: 'alice', exact: true })).toBeVisible()
  await box(page, 'Select alice').check()
  await expect(bar(page)).toContainText('1 SIP client selected')
  await expectNoFindings(page, 'selected clients on a phone')
  const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(scrollWidth).toBeLessThanOrEqual(390)
  await button(page, 'Clear selection').click()
  await expect(bar(page)).toHaveCount(0)
})

test('users, alert destinations, MS Teams tenants, and routings are selected and deleted', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { service_provider_sid, account_sid } = tenant
  const { name } = await api.person({ service_provider_sid, account_sid })
  const target = 'https://alerts.example.org'
  const destination = { name: 'On call', kind: 'webhook', target, account_sid }
  await api.send('POST', '/patchbay/alert-destinations', destination)
  const teams = { service_provider_sid, account_sid, tenant_fqdn: `${account_sid}.teams.example.org` }
  await api.send('POST', '/MicrosoftTeamsTenants', teams)
  await api.send('POST', '/Lcrs', { name: 'Own routes', service_provider_sid })
  const lists = [
    ['least-cost-routing', 'Own routes', 'outbound routing'],
    ['users', name, 'user'],
    ['alert-destinations', 'On call', 'destination'],
    ['ms-teams-tenants', teams.tenant_fqdn, 'tenant'],
  ] as const
  for (const [path, record, noun] of lists) {
    await open(`/internal/${path}`)
    await box(page, `Select ${record}`).check()
    await deleteSelected(page, 1, noun)
    await expect(page.getByText(`Deleted 1 ${noun}.`)).toBeVisible()
    await expect(box(page, `Select ${record}`)).toHaveCount(0)
  }
})

test('speech services are deleted together, after those that applications use were named', async ({
  page,
  api,
  tenant: { account_sid, service_provider_sid },
  open,
}) => {
  for (const vendor of ['deepgram', 'wellsaid', 'cobalt']) {
    const body = { vendor, use_for_tts: true, use_for_stt: true, api_key: 'a-key' }
    const more = vendor === 'cobalt' ? { cobalt_server_uri: 'cobalt.example.com:2727' } : {}
    await api.send('POST', `/ServiceProviders/${service_provider_sid}/SpeechCredentials`, { ...body, ...more })
  }
  const hook = { url: 'https://app.example.org' }
  const application = { name: 'Menu', account_sid, call_hook: hook, call_status_hook: hook }
  await api.send('POST', '/Applications', { ...application, speech_recognizer_vendor: 'deepgram' })
  await open('/internal/speech-services')
  await box(page, 'Select Deepgram').check()
  await box(page, 'Select Cobalt').check()
  await expect(button(page, 'Edit…')).toHaveCount(0)
  await button(page, 'Delete…').click()
  const confirmation = dialog(page, 'Delete 2 speech services?')
  await expect(confirmation.getByText('1 speech service is in use by other records, which lose it.')).toBeVisible()
  await expect(confirmation.getByRole('list', { name: 'In use' })).toHaveText('deepgram: used by 1 application')
  await expectNoFindings(page, 'deleting several speech services')
  await confirmation.getByRole('button', { name: 'Cancel' }).click()
  await deleteSelected(page, 2, 'speech services')
  await expect(page.getByText('Deleted 2 speech services.')).toBeVisible()
  await expect(box(page, 'Select WellSaid')).toBeVisible()
  await expect(box(page, 'Select Deepgram')).toHaveCount(0)
})

test('accounts are edited together, and not deleted', async ({ page, api, tenant, open }) => {
  const { service_provider_sid, account_sid, accountName } = tenant
  const { body } = await api.send('POST', '/Accounts', { name: 'Second account', service_provider_sid })
  await open('/internal/accounts')
  await box(page, 'Select all accounts').check()
  await expect(bar(page)).toContainText('2 accounts selected')
  await expect(button(page, 'Delete…')).toHaveCount(0)
  await button(page, 'Edit…').click()
  const edit = dialog(page, 'Edit 2 accounts')
  await edit.getByRole('combobox', { name: 'Record all calls' }).selectOption('Yes')
  await confirmEdit(page, 2, 'accounts')
  await expect(page.getByText('Changed 2 accounts.')).toBeVisible()
  for (const sid of [account_sid, body.sid])
    expect((await api.send('GET', `/Accounts/${sid}`)).body).toMatchObject({ record_all_calls: 1 })
  await expect(listRow(page, 'Accounts', accountName)).toBeVisible()
})

test('phone numbers of all pages are deleted after a dry run, except those that were cleared', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { service_provider_sid, account_sid } = tenant
  const carrier = await api.send('POST', '/VoipCarriers', { name: 'Atlantic', service_provider_sid })
  for (let nth = 0; nth < 30; nth += 1)
    await api.send('POST', '/PhoneNumbers', {
      number: `1508555${String(nth).padStart(4, '0')}`,
      voip_carrier_sid: carrier.body.sid,
      account_sid,
    })
  await open('/internal/phone-numbers')
  await box(page, 'Select all on this page').check()
  await button(page, 'Select all 30 phone numbers').click()
  await page.getByRole('checkbox', { name: /555-0001$/ }).uncheck()
  await expect(bar(page)).toContainText('29 phone numbers selected')
  let attempts = 0
  await page.route('**/patchbay/phone-numbers?*', (route) => {
    attempts += 1
    return attempts === 1 ? route.fulfill({ status: 400, json: { msg: 'no numbers today' } }) : route.fallback()
  })
  await button(page, 'Delete…').click()
  const confirmation = dialog(page, 'Delete 29 phone numbers?')
  await expect(confirmation).toContainText('no numbers today')
  await confirmation.getByRole('button', { name: 'Retry' }).click()
  await confirmation.getByRole('textbox', { name: 'Type 29 to confirm' }).fill('29')
  await confirmation.getByRole('button', { name: 'Delete 29 phone numbers' }).click()
  await expect(page.getByText('Deleted 29 phone numbers.')).toBeVisible()
  await expect(listRows(page, 'Phone numbers')).toHaveCount(1)
  const { body } = await api.send('GET', '/PhoneNumbers')
  expect(body.filter((one: { account_sid: string }) => one.account_sid === account_sid)).toMatchObject([
    { number: '15085550001' },
  ])
})
