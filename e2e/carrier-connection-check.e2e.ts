import { startSippCarrier } from '@patchbay/testkit/peers/sipp'
import { freeUdpPort, loopbackNetwork } from '@patchbay/testkit/servers/ports'
import type { Page } from '@playwright/test'
import { expectEveryLayout } from './support/expect-every-layout.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'

/** Connection checks, with SIPp as the carrier. */

test.use({ settings: { PRIVATE_NETWORKS: loopbackNetwork } })

const rows = (page: Page) =>
  page.getByRole('table', { name: 'Connection to the SIP gateways' }).locator('tbody tr[data-row]')

const createCarrier = async (
  api: Api,
  { service_provider_sid, account_sid }: Tenant,
  sip_gateways: object[],
): Promise<string> => {
  const carrier = { name: 'Checked telco', service_provider_sid, account_sid }
  const { body } = await api.send('POST', '/patchbay/carriers', { carrier, sip_gateways })
  return body.voip_carrier_sid
}

const outbound = { ipv4: '127.0.0.1', inbound: false, outbound: true }
const path = (sid: string) => `/internal/carriers/${sid}/edit?tab=health`

test('checks the gateways of a carrier, and keeps the results until the next check', async ({
  page,
  open,
  api,
  tenant,
}) => {
  const carrier = await startSippCarrier()
  const closed = await freeUdpPort()
  const sid = await createCarrier(api, tenant, [
    { ...outbound, port: carrier.port },
    { ...outbound, port: closed },
    { ipv4: '10.0.0.0', netmask: 24, inbound: true, outbound: false },
  ])
  try {
    await open(path(sid))
    await expect(page.getByText('Not checked yet.')).toBeVisible()
    await page.getByRole('button', { name: 'Check connection' }).click()
    const outboundResults = [
      [carrier.port, new RegExp(`127\\.0\\.0\\.1:${carrier.port} UDP.*Responds.*Received 200 OK from`, 's')],
      [closed, new RegExp(`127\\.0\\.0\\.1:${closed} UDP.*Connection refused.*refused UDP port ${closed}`, 's')],
    ] as const
    await expect(rows(page)).toHaveText([
      ...outboundResults.toSorted(([one], [other]) => one - other).map(([, result]) => result),
      /10\.0\.0\.0.*Not checked.*no single address/s,
    ])
    await expect(page.getByText('1 of 2 gateways responded.').first()).toBeVisible()
    await expect(page.getByText('None in the last 7 days')).toBeVisible()
    await expectEveryLayout(page)
    await page.getByRole('tab', { name: 'Used by' }).click()
    await page.getByRole('tab', { name: 'Health' }).click()
    await expect(rows(page)).toHaveCount(3)
  } finally {
    await carrier.stop()
  }
  await page.getByRole('button', { name: 'Check again' }).click()
  await expect(page.getByText('0 of 2 gateways responded.').first()).toBeVisible()
})

test('says why a check failed, and checks again', async ({ page, open, api, tenant }) => {
  const sid = await createCarrier(api, tenant, [{ ...outbound, port: await freeUdpPort() }])
  await open(path(sid))
  const tooMany = { status: 429, json: { msg: 'Too many requests' } }
  await page.route('**/connection-check', (route) => route.fulfill(tooMany), { times: 1 })
  await page.getByRole('button', { name: 'Check connection' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'The connection could not be checked' })).toContainText(
    'Too many requests',
  )
  await page.getByRole('button', { name: 'Check connection' }).click()
  await expect(rows(page)).toHaveText([/Connection refused/])
  await expect(page.getByText('The connection could not be checked')).toHaveCount(0)
})

test('checks gateways before they are saved, and forgets the results when they change', async ({
  page,
  open,
  api,
  tenant,
}) => {
  const carrier = await startSippCarrier()
  const closed = await freeUdpPort()
  try {
    await open('/internal/carriers/add')
    const gateway = page.getByRole('group', { name: 'SIP gateway 1' })
    const check = page.getByRole('button', { name: 'Check before saving' })
    await check.click()
    await expect(gateway.getByLabel('Network address')).toHaveAttribute('aria-invalid', 'true')
    await gateway.getByLabel('Network address').fill('127.0.0.1')
    await gateway.getByLabel('Port').fill(String(carrier.port))
    await check.click()
    await expect(page.getByText('1 of 1 gateway responded.')).toBeVisible()
    await expect(rows(page)).toHaveText([/Responds.*Received 200 OK from/s])
    await gateway.getByLabel('Port').fill(String(closed))
    await expect(rows(page)).toHaveCount(0)
    const tooMany = { status: 429, json: { msg: 'Too many requests' } }
    await page.route('**/carriers/connection-check', (route) => route.fulfill(tooMany), { times: 1 })
    await check.click()
    await expect(page.getByRole('alert').filter({ hasText: 'could not be checked' })).toContainText('Too many requests')
    await check.click()
    await expect(rows(page)).toHaveText([/Connection refused/])
    await expectEveryLayout(page)
  } finally {
    await carrier.stop()
  }
  const carriers = `/ServiceProviders/${tenant.service_provider_sid}/VoipCarriers`
  expect((await api.send('GET', carriers)).body).toEqual([])
  const sid = await createCarrier(api, tenant, [{ ...outbound, port: closed }])
  const { token } = await api.person({ account_sid: tenant.account_sid, is_view_only: true })
  await open(`/internal/carriers/${sid}/edit?tab=voice`, token)
  await expect(page.getByRole('group', { name: 'SIP gateway 1' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Check before saving' })).toHaveCount(0)
})

test('tells a carrier without gateways, and denies view-only users the check', async ({ page, open, api, tenant }) => {
  const sid = await createCarrier(api, tenant, [])
  await open(path(sid))
  await page.getByRole('button', { name: 'Check connection' }).click()
  await expect(page.getByText('The carrier has no active SIP gateway.').first()).toBeVisible()
  const viewer = await api.person({ account_sid: tenant.account_sid, is_view_only: true })
  await open(path(sid), viewer.token)
  const button = page.getByRole('button', { name: 'Check connection' })
  await expect(button).toHaveAttribute('aria-disabled', 'true')
})

test('is absent on a server without connection checks', async ({ page, open, api, tenant }) => {
  const sid = await createCarrier(api, tenant, [{ ...outbound, port: 5060 }])
  await page.route('**/config.json', async (route) => {
    const answer = await route.fetch()
    const { extensions, ...rest } = await answer.json()
    const others = extensions.filter((name: string) => name !== 'carrier-connection-check')
    await route.fulfill({ json: { ...rest, extensions: others } })
  })
  await open(path(sid))
  await expect(page.getByRole('table', { name: 'Health of the SIP gateways' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Check connection' })).toHaveCount(0)
})
