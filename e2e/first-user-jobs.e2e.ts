import { startAlertReceivers } from '@patchbay/testkit/fakes/alert-receivers'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import type { Page } from '@playwright/test'
import { writeCallFlow } from './support/call-flows.ts'
import { aCall, anAlert, writeAlerts, writeCalls } from './support/calls.ts'
import { createEventfulCall, writeSpannedCall } from './support/conversations.ts'
import { createCountedUser } from './support/count-inputs.ts'
import { expectDocumentedInputs } from './support/documented-inputs.ts'
import { listRow, listRows, save } from './support/records.ts'
import { readClipboard } from './support/run-code.ts'
import { makeApplications, makeNumbers } from './support/seed-database.ts'
import { type Api, expect, test } from './support/test.ts'

/**
 * Jobs of a first user, from the start page and by the menu, each with exactly the clicks and fields that the
 * documentation states. The job that starts with the first sign-in is in first-call.e2e.ts, and a call from
 * the browser in phone.e2e.ts.
 */

test.use({ settings: { PRIVATE_NETWORKS: loopbackNetwork } })

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const select = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true })
const textbox = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const callRow = (page: Page) => page.getByRole('button', { name: /^Call from/ })

/** Opens the start page as a user whose inputs are counted from now on, and who opens screens by the menu. */
const start = async (page: Page, open: (path: string) => Promise<void>) => {
  const user = createCountedUser()
  await open('/internal')
  const menu = page.getByRole('navigation', { name: 'Main' })
  return { ...user, openScreen: (name: string) => user.click(menu.getByRole('link', { name, exact: true })) }
}

/** Creates a record through the API, and returns its SID. */
const create = async (api: Api, path: string, body: object): Promise<string> => {
  const created = await api.send('POST', path, body)
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  return created.body.sid
}
const fetchAll = async (api: Api, path: string): Promise<any[]> => (await api.send('GET', path)).body

test('Find why a call failed', async ({ page, server, tenant, open }, { title }) => {
  const failed = aCall({ answered: false, direction: 'outbound', sip_status: 503 })
  await writeCalls(server.intakePort, tenant, [failed, aCall(), aCall()])
  const user = await start(page, open)
  await user.openScreen('Recent calls')
  await user.select(page.getByLabel('Status'), 'not answered')
  await expect(callRow(page)).toHaveCount(1)
  await user.click(callRow(page))
  await expect(page.getByRole('region', { name: 'Verdict' })).toContainText('503 Service Unavailable')
  expectDocumentedInputs(user, title)
})

test('Find why an agent is slow', async ({ page, server, tenant, open }, { title }) => {
  const [application_sid] = makeApplications(server, tenant.account_sid, ['Booking agent'])
  await writeSpannedCall(server, tenant, createEventfulCall, { ...(application_sid && { application_sid }) })
  const user = await start(page, open)
  const conversations = page.getByRole('table', { name: 'Conversations', exact: true }).locator('tbody tr')
  await user.openScreen('Conversations')
  // The server computes conversations in the background, after their spans have arrived.
  await expect(async () => {
    await page.reload()
    await expect(conversations).toHaveCount(1, { timeout: 2000 })
  }).toPass({ timeout: 60_000 })
  await user.select(select(page, 'Group by'), 'Application')
  await user.click(button(page, 'Booking agent'))
  await user.click(conversations.getByRole('link'))
  await user.click(button(page, 'Response gap 2.83s, slow'))
  await expect(page.getByRole('table', { name: 'Parts of the response gap of 2.83s' })).toBeVisible()
  expectDocumentedInputs(user, title)
})

test('Change a gateway', async ({ page, api, tenant, open }, { title }) => {
  const { service_provider_sid } = tenant
  const voip_carrier_sid = await create(api, '/VoipCarriers', { name: 'Acme Telecom', service_provider_sid })
  await create(api, '/SipGateways', { voip_carrier_sid, ipv4: '198.51.100.7', inbound: true })
  const user = await start(page, open)
  await user.openScreen('Carriers')
  await user.click(link(page, 'Acme Telecom'))
  await user.fill(page.getByRole('group', { name: 'SIP gateway 1' }).getByLabel('Network address'), '198.51.100.8')
  await user.click(save(page))
  await expect
    .poll(async () =>
      (await fetchAll(api, `/SipGateways?voip_carrier_sid=${voip_carrier_sid}`)).map(({ ipv4 }) => ipv4),
    )
    .toEqual(['198.51.100.8'])
  expectDocumentedInputs(user, title)
})

test('Add a user', async ({ page, api, tenant, open }, { title }) => {
  const name = `ada-${tenant.account_sid.slice(0, 8)}`
  const user = await start(page, open)
  await user.openScreen('Users')
  await user.click(link(page, 'Add user'))
  await user.select(select(page, 'Scope'), 'Account')
  await user.fill(page.getByLabel('User name'), name)
  await user.fill(page.getByLabel('User email'), `${name}@example.org`)
  await user.fill(page.getByLabel('Temporary password'), 'Pass-word-1')
  await user.click(save(page))
  await expect(listRow(page, 'Users', name)).toContainText(tenant.accountName)
  expect(await api.signIn(name, 'Pass-word-1')).toMatch(/^ey/)
  expectDocumentedInputs(user, title)
})

test('Import phone numbers', async ({ page, api, tenant, open }, { title }) => {
  const { service_provider_sid, account_sid, accountName } = tenant
  await create(api, '/VoipCarriers', { name: 'Acme Telecom', service_provider_sid })
  const rows = ['15085550100', '15085550101', '15085550102'].map((number) => `${number},Acme Telecom,${accountName}`)
  const content = ['number,carrier,account', ...rows].join('\n')
  const user = await start(page, open)
  await user.openScreen('Phone Numbers')
  await user.click(link(page, 'Import'))
  await user.choose(page.getByLabel('CSV file'), { name: 'numbers.csv', type: 'text/csv', content })
  await user.click(button(page, 'Check 3 rows'))
  await user.click(button(page, 'Import 3 phone numbers'))
  await expect(page.getByRole('region', { name: 'Rows' })).toContainText('3 imported')
  expect(await fetchAll(api, `/PhoneNumbers?account_sid=${account_sid}`)).toHaveLength(3)
  expectDocumentedInputs(user, title)
})

test('Route 50 phone numbers', async ({ page, api, server, tenant, open }, { title }) => {
  const { account_sid } = tenant
  const numbers = Array.from({ length: 50 }, (_, nth) => String(15_085_550_100 + nth))
  makeNumbers(server, account_sid, numbers)
  const [reception] = makeApplications(server, account_sid, ['Reception'])
  const user = await start(page, open)
  await user.openScreen('Phone Numbers')
  await user.click(page.getByRole('checkbox', { name: 'Select all on this page' }))
  await user.click(button(page, 'Select all 50 phone numbers'))
  await user.click(button(page, 'Set application'))
  await user.select(select(page, 'Application'), 'Reception')
  await user.click(button(page, 'Apply'))
  await expect
    .poll(async () => {
      const stored = await fetchAll(api, `/PhoneNumbers?account_sid=${account_sid}`)
      return stored.filter(({ application_sid }) => application_sid === reception).length
    })
    .toBe(50)
  expectDocumentedInputs(user, title)
})

test('Rotate an API key', async ({ page, api, tenant, open }, { title }) => {
  const { account_sid } = tenant
  const old = (await api.send('POST', '/ApiKeys', { account_sid, name: 'Dialer' })).body.token
  const requestWith = async (token: string) =>
    (await api.send('GET', `/Accounts/${account_sid}`, undefined, token)).status
  expect(await requestWith(old)).toBe(200)
  const user = await start(page, open)
  await user.openScreen('API keys')
  await user.click(button(page, 'Rotate Dialer'))
  await user.click(dialog(page, 'Rotate API key').getByRole('button', { name: 'Create new key' }))
  const created = dialog(page, 'Your new API key')
  const token = await created.locator('code').first().innerText()
  await user.click(created.getByRole('button', { name: /^Copy/ }))
  expect([await requestWith(old), await requestWith(token)]).toEqual([200, 200])
  await user.click(created.getByRole('button', { name: 'Delete the old key…' }))
  await user.click(dialog(page, 'Delete API key?').getByRole('button', { name: 'Delete key' }))
  await expect.poll(() => requestWith(old)).toBe(401)
  expect(await requestWith(token)).toBe(200)
  expectDocumentedInputs(user, title)
})

test('Set up routing with three routes', async ({ page, api, tenant, open }, { title }) => {
  const { service_provider_sid } = tenant
  for (const name of ['North', 'South']) await create(api, '/VoipCarriers', { name, service_provider_sid })
  const user = await start(page, open)
  const addRoute = async (nth: number, pattern: string, carrier: string) => {
    await user.fill(page.getByLabel(`Digit prefix or regex of route ${nth}`, { exact: true }), pattern)
    await user.select(page.getByLabel(`Carrier of route ${nth}`, { exact: true }), carrier)
  }
  await user.openScreen('Outbound Call Routing')
  await user.click(link(page, 'Add outbound call routes').first())
  await user.select(page.getByLabel('Select a default outbound carrier'), 'South')
  await addRoute(1, '^44', 'North')
  await user.click(button(page, 'Add route'))
  await addRoute(2, '^1508', 'South')
  await user.click(button(page, 'Add route'))
  await addRoute(3, '^49', 'North')
  await user.click(save(page))
  await expect(page.getByRole('table', { name: 'Outbound call routing' })).toContainText('3 routes')
  const lcrs = await fetchAll(api, '/Lcrs')
  const { lcr_sid } = lcrs.find((lcr) => lcr.service_provider_sid === service_provider_sid)
  const patterns = (await fetchAll(api, `/LcrRoutes?lcr_sid=${lcr_sid}`)).map(({ regex }) => regex)
  expect(patterns).toEqual(['^44', '^1508', '^49', '.*'])
  expectDocumentedInputs(user, title)
})

test('Find who changed what', async ({ page, api, tenant, open }, { title }) => {
  const person = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await api.send('PUT', `/Accounts/${tenant.account_sid}`, { record_format: 'wav' }, person.token)
  const user = await start(page, open)
  await user.openScreen('Audit trail')
  const changed = page
    .getByRole('table', { name: 'Audit trail' })
    .locator('tr[data-row]')
    .filter({ hasText: 'changed' })
  await user.click(changed.filter({ hasText: tenant.accountName }))
  await expect(page.getByText('before: mp3')).toBeVisible()
  await expect(page.getByText('after: wav')).toBeVisible()
  await expect(changed.filter({ hasText: tenant.accountName })).toContainText(person.name)
  expectDocumentedInputs(user, title)
})

test('Send alerts to Slack', async ({ page, server, tenant, open }, { title }) => {
  const receivers = await startAlertReceivers()
  try {
    const user = await start(page, open)
    await user.openScreen('Alerts')
    await user.click(link(page, 'Destinations'))
    await user.click(link(page, 'Add destination').first())
    await user.fill(page.getByLabel('Name'), 'On call')
    await user.select(select(page, 'Kind'), 'Slack')
    await user.fill(page.getByLabel('Address of the incoming webhook'), receivers.slackUrl)
    await user.click(save(page))
    await expect(listRow(page, 'Alert destinations', 'On call')).toBeVisible()
    await writeAlerts(server.intakePort, tenant, [anAlert({ message: 'no answer from the far side' })])
    await expect.poll(() => receivers.slackMessages.join('\n')).toContain('no answer from the far side')
    expectDocumentedInputs(user, title)
  } finally {
    receivers.close()
  }
})

test('Mask card numbers', async ({ page, api, tenant, open }, { title }) => {
  const user = await start(page, open)
  await user.openScreen('Settings')
  await user.click(page.getByRole('tab', { name: 'Service provider' }))
  await user.click(link(page, 'Edit masking'))
  await expect(page.getByLabel('Mask card numbers')).toBeChecked()
  await user.fill(textbox(page, 'Text'), 'My card is 4111 1111 1111 1111')
  await user.click(button(page, 'Test rules'))
  await expect(page.getByRole('status', { name: 'Masked text' })).toHaveText('My card is [card number]')
  const { body } = await api.send('GET', `/patchbay/ServiceProviders/${tenant.service_provider_sid}/MaskingRules`)
  expect(body.card_numbers).toBe(1)
  expectDocumentedInputs(user, title)
})

test('Share a call', async ({ page, context, browser, server, tenant, open }, { title }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await writeSpannedCall(server, tenant, createEventfulCall)
  const user = await start(page, open)
  await user.openScreen('Recent calls')
  await user.click(callRow(page))
  await user.click(page.getByRole('tab', { name: 'Conversation' }))
  await user.click(button(page, 'Share'))
  const share = dialog(page, 'Share call')
  await user.click(share.getByRole('button', { name: 'Create and copy link' }))
  const url = await share.getByText('/shared-call#').innerText()
  expect(await readClipboard(page)).toBe(url)
  const viewer = await (await browser.newContext()).newPage()
  await viewer.goto(url)
  await expect(viewer.getByText('I want to fly to Lisbon')).toBeVisible()
  await viewer.context().close()
  expectDocumentedInputs(user, title)
})

test('Delete an account', async ({ page, api, tenant, open }, { title }) => {
  const name = `Account to delete ${tenant.account_sid.slice(0, 8)}`
  const account_sid = await api.account(tenant.service_provider_sid, { name })
  const user = await start(page, open)
  await user.click(button(page, `Delete ${name}`))
  await user.click(dialog(page, 'Delete account?').getByRole('button', { name: 'Delete account', exact: true }))
  await expect.poll(async () => (await api.send('GET', `/Accounts/${account_sid}`)).status).toBe(404)
  expectDocumentedInputs(user, title)
})

test('Suspend an account', async ({ page, api, tenant, open }, { title }) => {
  const { account_sid, accountName } = tenant
  const person = await api.person({ account_sid })
  const user = await start(page, open)
  await user.click(link(page, accountName))
  await user.click(page.getByRole('main').getByRole('button', { name: 'Deactivate account' }))
  const question = dialog(page, 'Deactivate account?')
  await user.click(question.getByRole('button', { name: 'Deactivate account' }))
  await expect(page.getByText('Inactive', { exact: true })).toBeVisible()
  expect((await api.send('GET', '/Users/me', undefined, person.token)).status).toBe(401)
  expectDocumentedInputs(user, title)
})

test('Report a failed call to a carrier', async ({ page, context, browser, server, tenant, open }, { title }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const answered = aCall()
  await writeCalls(server.intakePort, tenant, [answered])
  const rejected = { answered: false, direction: 'outbound', sip_status: 503 } as const
  await writeCallFlow(server, tenant, 'faulty/refused-503-no-circuit', rejected)
  const user = await start(page, open)
  await user.openScreen('Recent calls')
  await user.select(page.getByLabel('Status'), 'not answered')
  await expect(callRow(page)).toHaveCount(1)
  await user.click(callRow(page))
  await user.click(button(page, 'Report for the carrier'))
  const report = dialog(page, 'Report for the carrier')
  await user.click(report.getByRole('button', { name: 'Create and copy link' }))
  const url = await report.getByText('/shared-report#').innerText()
  expect(await readClipboard(page)).toBe(url)
  const viewer = await (await browser.newContext()).newPage()
  await viewer.goto(url)
  await expect(viewer.getByRole('region', { name: 'Verdict' })).toContainText('503 Service Unavailable')
  await viewer.context().close()
  expectDocumentedInputs(user, title)
})

test('Change 50 carriers', async ({ page, api, tenant, open }, { title }) => {
  const { service_provider_sid } = tenant
  for (let nth = 0; nth < 50; nth += 1)
    await create(api, '/VoipCarriers', { name: `Telecom ${nth}`, service_provider_sid })
  const user = await start(page, open)
  await user.openScreen('Carriers')
  await user.select(select(page, 'Page size'), '50 / page')
  await expect(listRows(page, 'Carriers')).toHaveCount(50)
  await user.click(page.getByRole('checkbox', { name: 'Select all on this page' }))
  await user.click(button(page, 'Disable'))
  await user.click(button(page, 'Disable 50 carriers'))
  await expect
    .poll(async () => {
      const stored = await fetchAll(api, `/ServiceProviders/${service_provider_sid}/VoipCarriers`)
      return stored.filter(({ is_active }) => !is_active).length
    })
    .toBe(50)
  expectDocumentedInputs(user, title)
})

test('Delete an account with its contents', async ({ page, api, server, tenant, open }, { title }) => {
  const { service_provider_sid } = tenant
  const name = `Account to empty ${tenant.account_sid.slice(0, 8)}`
  const account_sid = await api.account(service_provider_sid, { name })
  const person = await api.person({ account_sid, service_provider_sid })
  makeApplications(server, account_sid, ['Welcome line'])
  const user = await start(page, open)
  await user.click(button(page, `Delete ${name}`))
  await user.click(button(page, 'Delete with contents…'))
  const question = dialog(page, 'Delete account with contents?')
  await user.fill(question.getByRole('textbox', { name: /^Type .* to confirm$/ }), name)
  await user.click(question.getByRole('button', { name: 'Delete account with contents' }))
  await expect.poll(async () => (await api.send('GET', `/Accounts/${account_sid}`)).status).toBe(404)
  expect((await api.send('GET', `/Users/${person.user_sid}`)).status).toBe(404)
  expectDocumentedInputs(user, title)
})
