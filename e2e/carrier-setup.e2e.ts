import { startSippCarrier } from '@patchbay/testkit/peers/sipp'
import { freeUdpPort, loopbackNetwork } from '@patchbay/testkit/servers/ports'
import type { Page } from '@playwright/test'
import { closeDialog, readCode } from './support/copied-requests.ts'
import { expectEveryLayout } from './support/expect-every-layout.ts'
import { readCurlRequests } from './support/run-code.ts'
import { type Api, expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** The guided setup of a carrier. */

test.use({ settings: { PRIVATE_NETWORKS: loopbackNetwork } })

const path = '/internal/carriers/add/guided'
const save = (page: Page) => page.getByRole('button', { name: 'Save' })
const gateway = (page: Page, number: number) => page.getByRole('group', { name: `SIP gateway ${number}`, exact: true })

const findCarrier = async (api: Api, page: Page) => {
  const sid = new URL(page.url()).searchParams.get('carrier') ?? ''
  const { body: carrier } = await api.send('GET', `/VoipCarriers/${sid}`)
  const { body: gateways } = await api.send('GET', `/SipGateways?voip_carrier_sid=${sid}`)
  return { carrier, gateways }
}

test('sets up an IP trunk from the empty list, shows our addresses, and checks the connection', async ({
  page,
  open,
  api,
}) => {
  const sipp = await startSippCarrier()
  const sbc = await api.send('POST', '/Sbcs', { ipv4: '203.0.113.77' })
  await open('/internal/carriers')
  await page.getByRole('link', { name: 'set it up step by step' }).click()
  await expect(page.getByRole('heading', { name: 'Connect a carrier' })).toBeVisible()
  await expectEveryLayout(page)
  await page.getByRole('link', { name: 'IP trunk' }).click()
  await expect(page.getByText('203.0.113.77:5060', { exact: true })).toBeVisible()
  await expectEveryLayout(page)

  await save(page).click()
  await expect(page.getByText('Enter a name')).toBeVisible()
  await expect(page.getByLabel('Carrier name')).toBeFocused()
  await page.getByLabel('Carrier name').fill('Acme IP')
  await gateway(page, 1).getByLabel('Network address').fill('127.0.0.1')
  await gateway(page, 1).getByLabel('Port').fill(String(sipp.port))
  await save(page).click()
  await expectToast(page, 'Carrier created successfully')
  await expect(page).toHaveURL(/\/guided\?carrier=[\w-]{36}$/)
  await expect(page.getByText('1 of 1 gateway responded.').first()).toBeVisible()
  await expect(page.getByText('203.0.113.77:5060', { exact: true })).toBeVisible()
  await expectEveryLayout(page)
  const { carrier, gateways } = await findCarrier(api, page)
  expect(carrier).toMatchObject({ name: 'Acme IP', requires_register: 0, register_username: null, account_sid: null })
  expect(gateways).toMatchObject([
    { ipv4: '127.0.0.1', port: sipp.port, inbound: 1, outbound: 1, is_active: 1, protocol: 'udp', netmask: 32 },
  ])

  await sipp.stop()
  await page.getByRole('button', { name: 'Check again' }).click()
  await expect(page.getByText('0 of 1 gateway responded.').first()).toBeVisible()
  await page.reload()
  await expect(page.getByRole('table', { name: 'Connection to the SIP gateways' })).toContainText('Connection refused')
  await page.getByRole('link', { name: 'All settings of Acme IP' }).click()
  await expect(page.getByLabel('Carrier name')).toHaveValue('Acme IP')
  await api.send('DELETE', `/Sbcs/${sbc.body.sid}`)
})

test('sets up a registration trunk whose gateway is its realm, and an authenticated trunk, by keyboard', async ({
  page,
  open,
  api,
}) => {
  await open(path)
  await page.getByRole('link', { name: 'Registration trunk' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Carrier name').focus()
  await page.keyboard.type('Acme registration')
  await page.getByLabel('SIP realm').focus()
  await page.keyboard.type('sip.acme.invalid')
  await page.keyboard.press('Tab')
  await expect(gateway(page, 1).getByLabel('Network address')).toHaveValue('sip.acme.invalid')
  await expect(gateway(page, 1).getByLabel('Calls from the carrier')).toHaveCount(0)
  await page.keyboard.type('user-1')
  await page.keyboard.press('Enter')
  await expect(page.getByText('To register, enter a password')).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill('secret-1')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Not reported')).toBeVisible()
  await expect(page.getByRole('table', { name: 'Connection to the SIP gateways' })).toContainText('Not found in DNS')
  const registration = await findCarrier(api, page)
  expect(registration.carrier).toMatchObject({
    requires_register: 1,
    register_username: 'user-1',
    register_sip_realm: 'sip.acme.invalid',
  })
  expect(registration.gateways).toMatchObject([{ ipv4: 'sip.acme.invalid', port: null, inbound: 0, outbound: 1 }])

  await page.goto(path)
  await page.getByRole('link', { name: 'Authenticated trunk' }).click()
  await page.getByLabel('Carrier name').fill('Acme auth')
  await gateway(page, 1).getByLabel('Network address').fill('127.0.0.1')
  await gateway(page, 1)
    .getByLabel('Port')
    .fill(String(await freeUdpPort()))
  await save(page).click()
  await expect(page.getByText('Enter the user name that the carrier gave you')).toBeVisible()
  await expect(page.getByText('Enter the password that the carrier gave you')).toBeVisible()
  await page.getByLabel('Auth username').fill('user-2')
  await page.getByLabel('Password', { exact: true }).fill('secret-2')
  await save(page).click()
  await expect(page.getByText('0 of 1 gateway responded.').first()).toBeVisible()
  const { carrier } = await findCarrier(api, page)
  expect(carrier).toMatchObject({ requires_register: 0, register_username: 'user-2', register_sip_realm: null })
})

test('keeps what was typed when the type changes, and takes it to all settings', async ({ page, open }) => {
  await open(path)
  await page.getByRole('link', { name: 'Authenticated trunk' }).click()
  await page.getByLabel('Carrier name').fill('Half typed')
  await page.getByLabel('Auth username').fill('user-3')
  await gateway(page, 1).getByLabel('Network address').fill('203.0.113.9')
  await page.goBack()
  await page.getByRole('link', { name: 'Registration trunk' }).click()
  await expect(page.getByLabel('Carrier name')).toHaveValue('Half typed')
  await expect(page.getByLabel('Auth username')).toHaveValue('user-3')
  await page.getByRole('link', { name: 'Change type' }).click()
  await page.getByRole('link', { name: 'IP trunk' }).click()
  await expect(gateway(page, 1).getByLabel('Network address')).toHaveValue('203.0.113.9')
  await page.getByRole('button', { name: 'All settings' }).click()
  await expect(page).toHaveURL(/\/internal\/carriers\/add$/)
  await expect(page.getByLabel('Carrier name')).toHaveValue('Half typed')
  await expect(page.getByLabel('Network address')).toHaveValue('203.0.113.9')
  await page.getByRole('link', { name: 'Set up step by step' }).click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Leave' }).click()
  await expect(page.getByRole('link', { name: 'IP trunk' })).toBeVisible()
})

test('shows errors of the server at their fields, and saves nothing', async ({ page, open, api, tenant }) => {
  await open(`${path}?type=ip`)
  await page.getByLabel('Carrier name').fill('Refused telco')
  await gateway(page, 1).getByLabel('Network address').fill('203.0.113.9')
  await page.getByRole('button', { name: 'Add SIP gateway' }).click()
  await gateway(page, 2).getByLabel('Network address').fill('203.0.113.9')
  await save(page).click()
  await expect(gateway(page, 2).getByText('Each SIP gateway must have a unique IP address.')).toBeVisible()
  await gateway(page, 2).getByLabel('Network address').fill('203.0.113.10')
  await page.route('**/patchbay/carriers', (route) =>
    route.fulfill({ status: 400, json: { msg: 'not this address', field: 'sip_gateways.1.ipv4' } }),
  )
  await save(page).click()
  await expect(gateway(page, 2).getByText('not this address')).toBeVisible()
  const { body } = await api.send('GET', `/ServiceProviders/${tenant.service_provider_sid}/VoipCarriers`)
  expect(body).toEqual([])
  await page.route('**/Sbcs?*', (route) => route.fulfill({ status: 500, json: { msg: 'No addresses' } }))
  await page.unroute('**/patchbay/carriers')
  await save(page).click()
  await expect(page.getByText('No addresses')).toHaveCount(0)
  await expect(page).toHaveURL(/carrier=/)
})

test('offers one way to create a predefined carrier in the form', async ({ page, open, api }) => {
  const [template] = (await api.send('GET', '/PredefinedCarriers')).body as { name: string }[]
  await open('/internal/carriers/add')
  await page.getByLabel('Carrier name').fill('Kept')
  await page.getByLabel('Select a predefined carrier').selectOption(template?.name ?? '')
  await expect(page.getByRole('button', { name: `Create ${template?.name}` })).toBeVisible()
  await expect(save(page)).toBeHidden()
  await page.getByLabel('Select a predefined carrier').selectOption('None')
  await expect(save(page)).toBeVisible()
  await expect(page.getByLabel('Carrier name')).toHaveValue('Kept')
})

test('asks for what a template lacks, and checks the connection of the predefined carrier', async ({
  page,
  open,
  api,
  tenant,
}) => {
  await open(`${path}?type=predefined`)
  await page.getByLabel('Select a predefined carrier').selectOption('Twilio')
  await page.getByRole('combobox', { name: 'Used by' }).selectOption({ label: tenant.accountName })
  await expect(page.getByText('will be created for the chosen account')).toBeVisible()
  await page.getByRole('button', { name: 'Create Twilio' }).click()
  await expectToast(page, 'Carrier created successfully')
  const host = page.getByLabel(/^Network address of SIP gateway \d+$/)
  await expect(host).toHaveValue('<your-domain>.pstn.twilio.com')
  await expect(page.getByText('Replace <your-domain>.', { exact: true })).toBeVisible()
  await expectEveryLayout(page)

  await save(page).click()
  await expect(page.getByText('Enter the value that the carrier gave you')).toBeVisible()
  await expect(page.getByText('Please provide a valid IP address or fully qualified domain name.')).toBeVisible()
  await page.getByLabel('Auth username').fill('acme-user')
  await page.getByLabel('Password', { exact: true }).fill('acme-secret')
  await host.fill('acme.pstn.invalid')
  const code = await readCode(page)
  expect(code).not.toContain('acme-secret')
  const requests = await readCurlRequests(code, () => 'acme-secret')
  await closeDialog(page)
  const saveRequest = page.waitForRequest((request) => request.method() === 'PUT')
  await save(page).click()
  const saved = await saveRequest
  const savedPath = new URL(saved.url()).pathname
  expect(requests).toEqual([{ method: 'PUT', path: savedPath, body: saved.postDataJSON() }])
  await expect(page.getByRole('table', { name: 'Connection to the SIP gateways' })).toContainText('Not found in DNS')
  await expect(page.getByRole('link', { name: 'All settings of Twilio' })).toBeVisible()
  const { carrier, gateways } = await findCarrier(api, page)
  expect(carrier).toMatchObject({ name: 'Twilio', register_username: 'acme-user', account_sid: tenant.account_sid })
  expect((gateways as { ipv4: string }[]).filter(({ ipv4 }) => ipv4.includes('pstn'))).toMatchObject([
    { ipv4: 'acme.pstn.invalid', outbound: 1, inbound: 0 },
  ])
})

test('works on the platform’s own API server, without checks', async ({ page, open }) => {
  await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
  await open(`${path}?type=ip`)
  await page.getByLabel('Carrier name').fill('Plain telco')
  await gateway(page, 1).getByLabel('Network address').fill('203.0.113.9')
  await save(page).click()
  await expect(page.getByRole('link', { name: 'All settings of Plain telco' })).toBeVisible()
  await expect(page.getByRole('button', { name: /Check/ })).toHaveCount(0)
})

test('says that a carrier could not be loaded, and offers a retry', async ({ page, open, api, tenant }) => {
  const carrier = { name: 'Lost telco', service_provider_sid: tenant.service_provider_sid }
  const { body } = await api.send('POST', '/patchbay/carriers', { carrier, sip_gateways: [] })
  const failed = { status: 500, json: { msg: 'Out of order' } }
  await page.route('**/patchbay/carriers/*', (route) => route.fulfill(failed))
  await open(`${path}?carrier=${body.voip_carrier_sid}`)
  await expect(page.getByRole('main').getByText('Out of order')).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('The carrier has no active SIP gateway.').first()).toBeVisible()
})
