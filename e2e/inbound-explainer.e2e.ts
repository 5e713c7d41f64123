import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { aCall, anAlert, writeAlerts, writeCalls } from './support/calls.ts'
import { makeApplications, setRegisterStatus } from './support/seed-database.ts'
import { expect, test } from './support/test.ts'

const screen = '/internal/phone-numbers/inbound'

const ask = async (page: Page, source: string, number: string, realm: string) => {
  await page.getByLabel('Source address').fill(source)
  await page.getByLabel('Called number').fill(number)
  await page.getByLabel('Called host').fill(realm)
  await page.getByRole('button', { name: 'Explain' }).click()
}
const result = (page: Page) => page.getByRole('region', { name: 'Result' })

test('explains an inbound call step by step to its tenant, and only names the reason to other tenants', async ({
  page,
  api,
  tenant,
  server,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const send = async (path: string, body: object): Promise<string> => (await api.send('POST', path, body)).body.sid
  const [application_sid] = makeApplications(server, account_sid, ['Menu'])
  const voip_carrier_sid = await send('/VoipCarriers', { name: 'North', service_provider_sid })
  await send('/SipGateways', { voip_carrier_sid, ipv4: '198.51.100.0', netmask: 24, inbound: true })
  await send('/PhoneNumbers', { number: '15083084809', voip_carrier_sid, account_sid, application_sid })

  await open('/internal/least-cost-routing')
  await page.getByRole('link', { name: 'Test inbound routing' }).click()
  await expect(page.getByRole('heading', { name: 'Inbound routing test', level: 1 })).toBeFocused()
  await ask(page, 'sip.example.org', '', '')
  await expect(page.getByText('Enter an IPv4 address such as 203.0.113.7')).toBeVisible()
  await expect(page.getByText('Enter the called number')).toBeVisible()
  await expect(page.getByLabel('Source address')).toBeFocused()

  await ask(page, '198.51.100.7', '+15083084809', '203.0.113.1')
  // The account has no speech service of the vendor that the application uses.
  await expect(result(page).getByRole('heading', { name: 'Menu is selected, but the call may fail.' })).toBeVisible()
  await expect(result(page)).toContainText('The account has no speech service of Google for text-to-speech.')
  await expect(result(page)).toContainText(`The call comes by carrier North, for account ${tenant.accountName}.`)
  await expect(result(page).getByRole('list', { name: 'Steps' })).toContainText('198.51.100.0/24 of North')
  // The URL contains the query.
  const resultUrl = page.url()
  await ask(page, '198.51.100.7', '1', '203.0.113.1')
  await expect(result(page)).toContainText('The only account of the carrier’s service provider')
  await page.goBack()
  await expect(page).toHaveURL(resultUrl)
  await page.reload()
  await expect(page.getByLabel('Called number')).toHaveValue('+15083084809')
  await expect(result(page)).toContainText('Menu is selected, but the call may fail.')

  const otherTenantUser = await api.person({ service_provider_sid: await api.provider() })
  await open(resultUrl, otherTenantUser.token)
  await expect(result(page)).toContainText('The call belongs to another tenant.')
  await expect(result(page)).not.toContainText('North')

  await page.route('**/inbound-routing?*', (route) =>
    route.fulfill({ status: 429, json: { msg: 'Too many requests' } }),
  )
  await ask(page, '198.51.100.8', '1', '203.0.113.1')
  await expect(page.getByText('Too many requests')).toBeVisible()
  await page.unroute('**/inbound-routing?*')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(result(page)).toContainText('The call belongs to another tenant.')
})

test('offers the carriers with their addresses, the numbers, and the hosts that exist', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const send = async (path: string, body: object): Promise<string> => (await api.send('POST', path, body)).body.sid
  const addCarrier = async (name: string, ipv4: string, inbound = true) => {
    const voip_carrier_sid = await send('/VoipCarriers', { name, service_provider_sid })
    await send('/SipGateways', { voip_carrier_sid, ipv4, inbound, outbound: true })
    return voip_carrier_sid
  }
  const voip_carrier_sid = await addCarrier('North', '198.51.100.7')
  await addCarrier('Outbound only', '198.51.100.9', false)
  await send('/PhoneNumbers', { number: '15083084809', voip_carrier_sid, account_sid })
  await send('/Sbcs', { ipv4: '203.0.113.77', port: 5060, service_provider_sid })
  await open(screen)
  const source = page.getByLabel('Source address')
  await page.getByLabel('Carrier').selectOption('North')
  await expect(source).toHaveValue('198.51.100.7')
  await page.getByLabel('Carrier').selectOption('Outbound only')
  await expect(page.getByText('The carrier has no gateway with an IP address for inbound calls.')).toBeVisible()
  await page.getByLabel('Carrier').selectOption('North')
  await expect(page.locator('datalist option[value="15083084809"]')).toBeAttached()
  await expect(page.locator('datalist option[value="203.0.113.77"]')).toBeAttached()
  await page.getByLabel('Called number').fill('15083084809')
  await page.getByLabel('Called host').fill('203.0.113.77')
  await page.getByRole('button', { name: 'Explain' }).click()
  await expect(result(page)).toContainText('198.51.100.7 of North')
  await expectNoFindings(page, 'the inbound routing test with its choices')
})

test('names the state of the carrier, the speech service, and the webhook, and is green only if all are well', async ({
  page,
  api,
  tenant,
  server,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const send = async (path: string, body: object) => {
    const { status, body: created } = await api.send('POST', path, body)
    expect(status).toBe(201)
    return created
  }
  const hook = { url: 'https://example.org/call', method: 'POST' }
  const { sid: application_sid } = await send('/Applications', {
    account_sid,
    name: 'Reception',
    call_hook: hook,
    call_status_hook: hook,
    speech_synthesis_vendor: 'deepgram',
    speech_recognizer_vendor: 'deepgram',
  })
  await send(`/Accounts/${account_sid}/SpeechCredentials`, {
    vendor: 'deepgram',
    use_for_tts: true,
    use_for_stt: true,
    api_key: 'key',
  })
  const { sid: voip_carrier_sid } = await send('/VoipCarriers', {
    name: 'Bluewave',
    service_provider_sid,
    requires_register: true,
    register_username: 'us',
    register_password: 'secret-of-ours',
    register_sip_realm: 'sip.telco.example',
  })
  await send('/SipGateways', { voip_carrier_sid, ipv4: '192.0.2.40', inbound: true, outbound: true })
  await send('/PhoneNumbers', { number: '15085550140', voip_carrier_sid, account_sid, application_sid })
  setRegisterStatus(server, voip_carrier_sid, { status: 'fail', reason: '403 Forbidden' })
  const title = (name: string) => result(page).getByRole('heading', { name, exact: true })
  await open(`${screen}?source=192.0.2.40&number=15085550140&realm=203.0.113.1`)
  await expect(title('Reception is selected, but the call may fail.')).toBeVisible()
  await expect(result(page)).toContainText('The registration failed: 403 Forbidden.')
  await expect(result(page)).toContainText('No stored call shows that the webhook of the application responds.')
  await expectNoFindings(page, 'a call that may fail')

  setRegisterStatus(server, voip_carrier_sid, { status: 'ok' })
  const explain = page.getByRole('button', { name: 'Explain' })
  await explain.click()
  await expect(title('Reception is selected.')).toBeVisible()
  const failed = aCall({ answered: false, application_sid, sip_status: 480 })
  await writeCalls(server.intakePort, tenant, [failed])
  await writeAlerts(server.intakePort, tenant, [anAlert({ target_sid: failed.call_sid })])
  await explain.click()
  await expect(title('Reception is selected, but the call may fail.')).toBeVisible()
  await expect(result(page)).toContainText('At the last call of the application, its webhook failed: Webhook failed.')
  const answered = aCall({ application_sid, attempted_at: failed.attempted_at + 1000 })
  await writeCalls(server.intakePort, tenant, [answered])
  await explain.click()
  await expect(title('Reception answers the call.')).toBeVisible()

  await api.send('PUT', `/VoipCarriers/${voip_carrier_sid}`, { is_active: false })
  await explain.click()
  await expect(title('The call is rejected with 404.')).toBeVisible()
  await expect(result(page)).toContainText(
    'Carrier Bluewave has a gateway for this address, but is inactive, so it is ignored.',
  )
})

test('is hidden if the server has no such endpoint', async ({ page, open }) => {
  await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
  await open('/internal/least-cost-routing')
  await expect(page.getByRole('button', { name: 'Try a number' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Test inbound routing' })).toHaveCount(0)
  await page.goto(screen)
  await expect(page.getByText('You do not have access.', { exact: true })).toBeVisible()
})
