import type { Page } from '@playwright/test'
import { makeApplications } from './support/seed-database.ts'
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
  await expect(result(page).getByRole('heading', { name: 'Menu answers the call.' })).toBeVisible()
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
  await expect(result(page)).toContainText('Menu answers the call.')

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

test('is hidden if the server has no such endpoint', async ({ page, open }) => {
  await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
  await open('/internal/least-cost-routing')
  await expect(page.getByRole('button', { name: 'Try a number' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Test inbound routing' })).toHaveCount(0)
  await page.goto(screen)
  await expect(page.getByText('You do not have access.', { exact: true })).toBeVisible()
})
