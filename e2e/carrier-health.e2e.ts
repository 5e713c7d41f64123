import { startFeatureServer } from '@patchbay/testkit/peers/feature-server'
import type { Page } from '@playwright/test'
import { aCall, writeCalls } from './support/calls.ts'
import { expectEveryLayout } from './support/expect-every-layout.ts'
import { test } from './support/redis.ts'
import { type Api, expect, type Tenant } from './support/test.ts'
import { fetchUnconditionally } from './support/unconditional-fetch.ts'

/** The health of carriers, with a real Redis and the keys of the SBCs. */

const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Carriers' }).locator('tr[data-row]').filter({ hasText: name })
const gateways = (page: Page) =>
  page.getByRole('table', { name: 'Health of the SIP gateways' }).locator('tbody tr[data-row]')

const pinged = { outbound: true, send_options_ping: true }

const createCarrier = async (api: Api, { service_provider_sid }: Tenant, name: string, sip_gateways: object[]) => {
  const { body } = await api.send('POST', '/patchbay/carriers', {
    carrier: { name, service_provider_sid },
    sip_gateways,
  })
  return body as { voip_carrier_sid: string; sip_gateway_sids: string[] }
}

test('shows failing gateways in the list and on the page of the carrier, and that no failure is known', async ({
  page,
  open,
  api,
  tenant,
  redis,
  server,
}) => {
  const broken = await createCarrier(api, tenant, 'Broken telco', [
    { ipv4: '192.0.2.1', ...pinged },
    { ipv4: '192.0.2.2', ...pinged },
    { ipv4: '192.0.2.3', inbound: true },
  ])
  await createCarrier(api, tenant, 'Quiet telco', [{ ipv4: '192.0.2.4', ...pinged }])
  await createCarrier(api, tenant, 'Inbound telco', [{ ipv4: '192.0.2.5', inbound: true }])
  const platform = await startFeatureServer(redis.port)
  await platform.write(['SET', `blacklist-sip-gateway:${broken.sip_gateway_sids[1]}`, '1', 'EX', '180'])
  await platform.close()
  await writeCalls(server.intakePort, tenant, [
    aCall({ trunk: 'Broken telco' }),
    aCall({ trunk: 'Broken telco', answered: false }),
  ])
  await open('/internal/carriers')
  await expect(row(page, 'Broken telco')).toContainText('Partly failing')
  await expect(row(page, 'Quiet telco')).toContainText('No failure known')
  await expect(row(page, 'Inbound telco')).toContainText('Not monitored')
  await row(page, 'Broken telco').getByText('Partly failing').hover()
  await expect(page.getByRole('tooltip')).toHaveText(
    /^1 of 3 gateways failed an OPTIONS ping\. 1 of 2 calls were answered since \d\d:00 UTC\.$/,
  )

  await row(page, 'Broken telco').getByRole('link', { name: 'Broken telco', exact: true }).click()
  await page.getByRole('tab', { name: 'Health' }).click()
  await expect(gateways(page)).toHaveText([
    /192\.0\.2\.2.*Failing.*minutes ago.*skip this gateway/s,
    /192\.0\.2\.1.*No failure known/s,
    /192\.0\.2\.3.*Not monitored/s,
  ])
  await expect(page.getByText(/^1 of 2 calls were answered since \d\d:00 UTC\.$/)).toBeVisible()
  await expectEveryLayout(page)
})

test('shows a registration that has expired', async ({ page, open, api, tenant }) => {
  const { voip_carrier_sid } = await createCarrier(api, tenant, 'Expired telco', [])
  await page.route(`**/carriers/${voip_carrier_sid}/health`, async (route) => {
    const answer = await fetchUnconditionally(route)
    const registration = {
      state: 'stale',
      reason: '200 OK',
      reported_at: '2026-11-01T10:00:00.000Z',
      expires_at: '2026-11-01T11:00:00.000Z',
    }
    await route.fulfill({ json: { ...(await answer.json()), state: 'failing', registration } })
  })
  await open(`/internal/carriers/${voip_carrier_sid}/edit?tab=health`)
  await expect(page.getByText('The registration has expired.')).toBeVisible()
  await expect(page.getByText('No SIP gateways.')).toBeVisible()
})

test('says that the health is unknown if it cannot be loaded, and offers a retry', async ({
  page,
  open,
  api,
  tenant,
}) => {
  const { voip_carrier_sid } = await createCarrier(api, tenant, 'Any telco', [{ ipv4: '192.0.2.1', ...pinged }])
  await page.route(/carrier-health|\/health$/, (route) => route.fulfill({ status: 500, json: { msg: 'Out of order' } }))
  await open('/internal/carriers')
  await expect(row(page, 'Any telco')).toContainText('Unknown')
  await row(page, 'Any telco').getByText('Unknown').hover()
  await expect(page.getByRole('tooltip')).toHaveText('Out of order')
  await page.goto(`/internal/carriers/${voip_carrier_sid}/edit?tab=health`)
  await expect(page.getByRole('main').getByText('Out of order')).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(gateways(page)).toHaveText([/No failure known/])
})

test('keeps the list in place when the health arrives after it', async ({ page, open, api, tenant }) => {
  await createCarrier(api, tenant, 'Late telco', [{ ipv4: '192.0.2.1', ...pinged }])
  let send = () => {}
  const isReleased = new Promise<void>((resolve) => {
    send = resolve
  })
  await page.route(/carrier-health/, async (route) => {
    await isReleased
    await route.continue()
  })
  await open('/internal/carriers')
  await expect(row(page, 'Late telco')).toContainText('Checking health…')
  await expect(row(page, 'Late telco')).toContainText('1 outbound')
  const before = await row(page, 'Late telco').boundingBox()
  send()
  await expect(row(page, 'Late telco')).toContainText('No failure known')
  expect(await row(page, 'Late telco').boundingBox()).toEqual(before)
})

test('is absent on the platform’s own API server', async ({ page, open, api, tenant }) => {
  const { voip_carrier_sid } = await createCarrier(api, tenant, 'Plain telco', [{ ipv4: '192.0.2.1', ...pinged }])
  await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
  await open('/internal/carriers')
  await expect(row(page, 'Plain telco')).toContainText('1 outbound')
  await expect(page.getByRole('columnheader', { name: 'Health' })).toHaveCount(0)
  await open(`/internal/carriers/${voip_carrier_sid}/edit`)
  await expect(page.getByLabel('Carrier name')).toHaveValue('Plain telco')
  await expect(page.getByRole('tab', { name: 'Health' })).toHaveCount(0)
})

/** A change as the server returns it. */
const change = (more: object) => ({
  sip_gateway_sid: 'g',
  address: '192.0.2.1:5060',
  from_state: 'no_failure_known',
  to_state: 'failing',
  reason: null,
  changed_at: '2026-11-24T10:00:00.000Z',
  ended_at: '2026-11-24T10:05:30.000Z',
  ...more,
})

test('shows the changes of the last 30 days in words, with their duration, and when Patchbay did not watch', async ({
  page,
  open,
  api,
  tenant,
}) => {
  const { voip_carrier_sid } = await createCarrier(api, tenant, 'Changing telco', [{ ipv4: '192.0.2.1', ...pinged }])
  await page.route(`**/carriers/${voip_carrier_sid}/health-changes*`, (route) =>
    route.fulfill({
      json: {
        total: 1200,
        page: '1',
        page_size: '200',
        watched_since: '2026-11-01T10:00:00.000Z',
        unwatched: [{ from: '2026-11-20T10:00:00.000Z', until: '2026-11-20T11:00:00.000Z' }],
        data: [
          change({
            from_state: 'failing',
            to_state: 'no_failure_known',
            changed_at: '2026-11-24T10:05:30.000Z',
            ended_at: null,
          }),
          change({}),
          change({
            sip_gateway_sid: null,
            address: null,
            from_state: 'registered',
            to_state: 'registration_failing',
            reason: '403 Forbidden',
            changed_at: '2026-11-23T10:00:00.000Z',
          }),
        ],
      },
    }),
  )
  await open(`/internal/carriers/${voip_carrier_sid}/edit?tab=health`)
  const changes = page.getByRole('table', { name: 'History of the carrier health' }).locator('tbody tr[data-row]')
  await expect(changes).toHaveText([
    /192\.0\.2\.1:5060.*Recovered: no OPTIONS ping has failed lately.*ongoing/s,
    /192\.0\.2\.1:5060.*An OPTIONS ping failed.*5:30/s,
    /Registration.*Registration failed: 403 Forbidden/s,
  ])
  await expect(page.getByText('The newest 3 of 1,200 changes.')).toBeVisible()
  await expect(page.getByText(/^Not watched from/)).toContainText(
    'because Patchbay did not run or Redis was not available',
  )
  await expectEveryLayout(page)
})

test('describes an empty history, and offers a retry if it cannot be loaded', async ({ page, open, api, tenant }) => {
  const { voip_carrier_sid } = await createCarrier(api, tenant, 'Steady telco', [{ ipv4: '192.0.2.1', ...pinged }])
  let watched_since: string | null = null
  await page.route('**/health-changes*', (route) =>
    route.fulfill({ json: { total: 0, page: '1', page_size: '200', watched_since, unwatched: [], data: [] } }),
  )
  const path = `/internal/carriers/${voip_carrier_sid}/edit?tab=health`
  await open(path)
  await expect(page.getByText('No checks yet.')).toBeVisible()
  watched_since = '2026-11-01T10:00:00.000Z'
  await page.reload()
  await expect(page.getByText('No changes.')).toBeVisible()
  await expect(page.getByText(/Patchbay watches the SIP gateways and the registration since/)).toBeVisible()
  await page.unrouteAll()
  await page.route('**/health-changes*', (route) => route.fulfill({ status: 500, json: { msg: 'Out of order' } }))
  await page.reload()
  await expect(page.getByRole('main').getByText('Out of order')).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(
    page
      .getByRole('table', { name: 'History of the carrier health' })
      .or(page.getByText(/^No (checks yet|changes)\.$/)),
  ).toBeVisible()
})
