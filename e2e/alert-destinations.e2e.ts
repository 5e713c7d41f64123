import { startWebhookApp } from '@patchbay/testkit/webhook-app'
import type { Page } from '@playwright/test'
import { loopbackNetwork } from '@patchbay/testkit/storages'
import { anAlert, writeAlerts } from './support/calls.ts'
import { expect, test as base } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const test = base.extend({ settings: [{ PRIVATE_NETWORKS: loopbackNetwork }, { scope: 'worker' }] })

const list = '/internal/alert-destinations'
const rows = (page: Page) => page.getByRole('table', { name: 'Alert destinations' }).locator('tbody tr[data-row]')
const save = (page: Page) => page.getByRole('button', { name: 'Save' })

test('alerts lead to their destinations: one is added with its types, changed and deleted', async ({
  page,
  tenant,
  open,
}) => {
  await open('/internal/alerts')
  await page.getByRole('link', { name: 'Destinations', exact: true }).click()
  await expect(page).toHaveURL(list)
  await expect(page.getByText('No alert destination.')).toBeVisible()
  await page.getByRole('link', { name: 'Add destination' }).first().click()
  await page.getByLabel('Name').fill('On call')
  await page.getByRole('combobox', { name: 'Alerts of', exact: true }).selectOption(tenant.accountName)
  await page.getByRole('combobox', { name: 'Kind', exact: true }).selectOption('E-mail')
  await page.getByLabel('E-mail address').fill('nowhere')
  await page.getByRole('checkbox', { name: 'Only alerts of some types' }).check()
  await save(page).click()
  await expect(page.getByText('Enter an e-mail address')).toBeVisible()
  await expect(page.getByText('Choose at least one type')).toBeVisible()
  await page.getByLabel('E-mail address').fill('operator@example.org')
  await page.getByRole('checkbox', { name: 'Webhook failed' }).check()
  await save(page).click()
  await expectToast(page, 'Alert destination created successfully')
  await expect(rows(page)).toContainText(['operator@example.org'])
  await expect(rows(page)).toContainText([tenant.accountName])

  await rows(page).getByRole('link', { name: 'On call', exact: true }).click()
  await expect(page.getByRole('checkbox', { name: 'Webhook failed' })).toBeChecked()
  await expect(page.getByRole('checkbox', { name: 'No carrier' })).not.toBeChecked()
  await page.getByRole('switch', { name: 'Send alerts' }).uncheck()
  await save(page).click()
  await expectToast(page, 'Alert destination updated successfully')
  await expect(rows(page)).toContainText(['Off'])
  await page.getByRole('button', { name: 'Delete On call', exact: true }).click()
  await page.getByRole('button', { name: 'Delete destination', exact: true }).click()
  await expectToast(page, 'Deleted alert destination On call')
  await expect(rows(page)).toHaveCount(0)
})

test('a private network is refused at its field; a test says what came back, and who only looks sends none', async ({
  page,
  api,
  tenant,
  open,
  server,
}) => {
  const { service_provider_sid, account_sid } = tenant
  const app = await startWebhookApp()
  app.answer = (response) => response.writeHead(503).end('closed on Sundays')
  const body = { name: 'Hook', kind: 'webhook', target: app.origin, service_provider_sid, account_sid }
  const { sid } = (await api.send('POST', '/patchbay/alert-destinations', body)).body as { sid: string }
  await open(`${list}/${sid}/edit`)
  await page.getByLabel('Address').fill('http://10.0.0.1/')
  await save(page).click()
  await expect(page.getByText('10.0.0.1 is in a private network').first()).toBeVisible()
  await page.getByRole('tab', { name: 'Deliveries' }).click()
  await expect(page.getByText('Nothing was sent yet.')).toBeVisible()
  await page.getByRole('tab', { name: 'Test' }).click()
  await expect(page.getByText('Signing secret', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await expect(page.getByText('The webhook answered 503 Service Unavailable')).toBeVisible()
  await expect(page.getByText('closed on Sundays')).toBeVisible()
  app.answer = (response) => response.writeHead(204).end()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await expect(page.getByText('The webhook answered 204')).toBeVisible()

  await writeAlerts(server.intakePort, tenant, [anAlert({ message: 'no answer from the far side' })])
  await expect.poll(() => app.heard.map(({ body: told }) => JSON.stringify(told)).join('')).toContain('no answer from')
  await page.getByRole('tab', { name: 'Deliveries' }).click()
  const deliveries = page.getByRole('table', { name: 'Deliveries' })
  await expect(async () => {
    await page.getByRole('button', { name: 'Refresh', exact: true }).click()
    await expect(deliveries).toContainText('Delivered', { timeout: 500 })
  }).toPass()
  await expect(deliveries).toContainText('Webhook failed: no answer from the far side')
  await expect(deliveries).toContainText('Answered 204')

  const { token } = await api.person({ service_provider_sid, account_sid, is_view_only: true })
  await open(`${list}/${sid}/edit?tab=test`, token)
  await expect(page.getByRole('button', { name: 'Send a test' })).toBeDisabled()
  await expect(page.getByText('Signing secret', { exact: true })).toHaveCount(0)
  app.close()
})
