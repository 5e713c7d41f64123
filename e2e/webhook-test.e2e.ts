import { randomUUID } from 'node:crypto'
import { startWebhookApp, type WebhookApp } from '@patchbay/testkit/fakes/webhook-app'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { closeDialog, readCode } from './support/copied-requests.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { readCurlRequests } from './support/run-code.ts'
import { type Api, test as base, expect, type Tenant } from './support/test.ts'

/** The webhook workbench of an application, with a webhook built on the platform's own SDK. */

const test = base.extend<{ app: WebhookApp }>({
  settings: [{ PRIVATE_NETWORKS: loopbackNetwork }, { scope: 'worker' }],
  app: async ({ api, tenant }, use) => {
    const { body } = await api.send('GET', `/Accounts/${tenant.account_sid}/WebhookSecret`)
    const app = await startWebhookApp(body.webhook_secret)
    await use(app)
    app.close()
  },
})

const makeApplication = async (api: Api, { account_sid }: Tenant, url: string, more: object = {}): Promise<string> => {
  const hook = { url, username: 'ada', password: 'l0velace' }
  const body = { name: randomUUID(), account_sid, call_hook: hook, call_status_hook: hook, ...more }
  return (await api.send('POST', '/Applications', body)).body.sid
}

const editPath = (sid: string) => `/internal/applications/${sid}/edit`
const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true })
const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('shows the request, the response, and a valid verdict for a webhook that responds with verbs', async ({
  page,
  api,
  tenant,
  open,
  app,
}) => {
  const sid = await makeApplication(api, tenant, `${app.origin}/call`, { env_vars: { API_TOKEN: 'abcdefghij' } })
  const { account_sid } = tenant
  await api.send('POST', '/PhoneNumbers', { number: '15083084809', account_sid, application_sid: sid })
  await open(editPath(sid))
  await page.getByLabel('Application name').fill('Front desk')
  await page.getByRole('tab', { name: 'Test webhook' }).click()
  await expect(page.getByText('The details have unsaved changes. The test uses the saved values.')).toBeVisible()
  await page.getByLabel('From', { exact: true }).fill('+442079460123')
  // A phone number that is routed to the application.
  await expect(page.getByLabel('To', { exact: true })).toHaveValue('15083084809')
  await page.getByLabel('To', { exact: true }).press('Enter')
  await expect(part(page, 'Verdict').getByRole('list', { name: 'Verbs' }).getByRole('listitem')).toHaveText([
    'pause',
    'say',
    'hangup',
  ])
  await expect(part(page, 'Answer').getByText('200 OK')).toBeVisible()
  await expect(part(page, 'Answer').getByText(/^\d+ ms$/)).toBeVisible()
  const request = part(page, 'Raw request')
  await expect(request).toContainText(`POST ${app.origin}/call`)
  await expect(request).toContainText(/Jambonz-Signature: t=\d+,v1=[\da-f]{64}/)
  await expect(request).toContainText('Authorization: Basic ********')
  await expect(request).toContainText('"from": "+442079460123"')
  await expect(request).toContainText('"API_TOKEN": "abcdefXXXX"')
  expect(app.heard).toMatchObject([
    { method: 'POST', body: { from: '+442079460123', to: '15083084809', env_vars: { API_TOKEN: 'abcdefghij' } } },
  ])
  await expectNoFindings(page, 'a tried webhook')

  // Typed text is kept.
  await page.getByRole('tab', { name: 'Details' }).click()
  await expect(page.getByLabel('Application name')).toHaveValue('Front desk')
  await page.getByRole('tab', { name: 'Test webhook' }).click()
  await page.getByLabel('Webhook', { exact: true }).selectOption('Call status webhook')
  await page.getByLabel('Call status', { exact: true }).selectOption('no-answer')
  const requests = await readCurlRequests(await readCode(page), () => '')
  await closeDialog(page)
  expect(app.heard).toHaveLength(1)
  const testRequest = page.waitForRequest('**/webhook-test')
  await send(page).click()
  const body = (await testRequest).postDataJSON()
  expect(requests).toEqual([{ method: 'POST', path: `/api/v1/patchbay/applications/${sid}/webhook-test`, body }])
  await expect(page.getByText('The webhook accepted the event. Its response is ignored.')).toBeVisible()
  expect(app.heard.at(-1)?.body).toMatchObject({ call_status: 'no-answer', sip_status: 487 })
})

test('says what the account lacks for the verbs of a webhook', async ({ page, api, tenant, open, app }) => {
  const sid = await makeApplication(api, tenant, `${app.origin}/call`)
  await open(editPath(sid))
  await page.getByRole('tab', { name: 'Test webhook' }).click()
  await send(page).click()
  const verdict = part(page, 'Verdict')
  await expect(verdict.getByText('1 problem')).toBeVisible()
  await expect(verdict.getByText('These verbs may fail.')).toBeVisible()
  const problem = verdict.getByRole('list', { name: 'Problems' }).getByRole('listitem')
  await expect(problem).toContainText('The account has no speech service of Google for text-to-speech')
  await problem.getByRole('button', { name: /^Line \d+$/ }).click()
  await expect(page.locator('li:focus')).toContainText('The account has no speech service')
  const service_key = JSON.stringify({ private_key: 'a', client_email: 'a@example.org' })
  const service = { vendor: 'google', service_key, use_for_tts: 1 }
  await api.send('POST', `/Accounts/${tenant.account_sid}/SpeechCredentials`, service)
  await send(page).click()
  await expect(verdict.getByText('Good', { exact: true })).toBeVisible()
})

test('marks invalid verbs at their lines, with links from the verdict, also by keyboard at 390 px', async ({
  page,
  api,
  tenant,
  open,
  app,
}) => {
  app.answer = (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify([{ verb: 'say', text: 'hi', loop: true }, { verb: 'sing' }]))
  const sid = await makeApplication(api, tenant, app.origin)
  await page.setViewportSize({ width: 390, height: 800 })
  await open(`${editPath(sid)}?tab=try`)
  await send(page).click()
  await expect(page.getByText(/^2 problems, \d+ ms$/)).toBeVisible()
  await expect(page.getByRole('list', { name: 'Problems' }).getByRole('listitem')).toHaveText([
    'Line 5say: property loop has invalid data type, must be one of number,string',
    'Line 7invalid instruction: sing',
  ])
  await page.getByRole('button', { name: 'Line 5', exact: true }).press('Enter')
  const line = part(page, 'Response of the webhook').getByRole('listitem').nth(4)
  await expect(line).toBeFocused()
  await expect(line).toHaveText(/"loop": true\s*say: property loop has invalid data type/)
  await expectToFit(page, 'the workbench')
  await expectNoFindings(page, 'wrong verbs')
})

test('reports an unreachable host, invalid numbers, too many requests, a WebSocket, and the platform’s own API server', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await open(`${editPath(await makeApplication(api, tenant, 'http://127.0.0.1:1'))}?tab=try`)
  await send(page).click()
  await expect(part(page, 'Answer').getByText('The host of the webhook refused the connection')).toBeVisible()
  await page.getByLabel('To', { exact: true }).fill('1 2')
  await send(page).click()
  await expect(page.getByText('to must be a phone number or a user name without spaces')).toBeVisible()
  await expect(page.getByLabel('To', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  const many = { status: 429, json: { msg: 'Too many requests, please try again later.' } }
  await page.route('**/webhook-test', (route) => route.fulfill(many), { times: 1 })
  await send(page).click()
  await expect(page.getByRole('alert').getByText('Too many requests, please try again later.')).toBeVisible()

  await page.goto(`${editPath(await makeApplication(api, tenant, 'wss://app.example.org'))}?tab=try`)
  await expect(send(page)).toHaveAttribute('aria-disabled', 'true')
  await expect(
    page
      .getByText('Only http and https webhooks can be tested, because a WebSocket stays open for a whole call.')
      .filter({ visible: true }),
  ).toBeVisible()

  await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
  await page.reload()
  await expect(page.getByRole('tab', { name: 'Used by' })).toBeVisible()
  await expect(page.getByRole('tab', { name: 'Test webhook' })).toHaveCount(0)
})

test('is visible to view-only users, with an explanation why they cannot use it', async ({
  page,
  api,
  tenant,
  open,
  app,
}) => {
  const sid = await makeApplication(api, tenant, app.origin)
  const { service_provider_sid, account_sid } = tenant
  const { token } = await api.person({ service_provider_sid, account_sid, is_view_only: true })
  await open(`${editPath(sid)}?tab=try`, token)
  await expect(send(page)).toHaveAttribute('aria-disabled', 'true')
  await expect(send(page)).toHaveAccessibleDescription('You have view-only access and can’t test webhooks.')
  await send(page).press('Enter')
  expect(app.heard).toEqual([])
})
