import { type AlertReceivers, startAlertReceivers } from '@patchbay/testkit/fakes/alert-receivers'
import { startWebhookApp } from '@patchbay/testkit/fakes/webhook-app'
import { freePort, loopbackNetwork } from '@patchbay/testkit/servers/ports'
import type { Page } from '@playwright/test'
import { expectNoFindings, themes } from './support/axe.ts'
import { aCall, anAlert, type WrittenAlert, writeAlerts, writeCalls } from './support/calls.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { test as base } from './support/mails.ts'
import { adminPassword, expect } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const test = base.extend<object, { receivers: AlertReceivers }>({
  receivers: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from the pattern
    async ({}, use) => {
      const receivers = await startAlertReceivers()
      await use(receivers)
      receivers.close()
    },
    { scope: 'worker' },
  ],
  settings: [
    async ({ mails, receivers }, use) => {
      const PORT = String(await freePort())
      const mail = { SMTP_URL: mails.url, MAIL_FROM: 'Patchbay <no-reply@example.org>' }
      const alerts = { PRIVATE_NETWORKS: loopbackNetwork, PAGERDUTY_EVENTS_URL: receivers.pagerDutyUrl }
      await use({ PORT, PUBLIC_URL: `http://127.0.0.1:${PORT}`, ...alerts, ...mail })
    },
    { scope: 'worker' },
  ],
})

const list = '/internal/alert-destinations'
const rows = (page: Page) => page.getByRole('table', { name: 'Alert destinations' }).locator('tbody tr[data-row]')
const save = (page: Page) => page.getByRole('button', { name: 'Save' })

/** Lets the next request fail. */
const failOnce = (page: Page, address: RegExp) =>
  page.route(address, (route) => route.fulfill({ status: 503, json: { msg: 'The database cannot be reached' } }), {
    times: 1,
  })

test('creates a destination with alert types, changes it, and deletes it', async ({ page, tenant, open }) => {
  await open('/internal/alerts')
  await page.getByRole('link', { name: 'Destinations', exact: true }).click()
  await expect(page).toHaveURL(list)
  await expect(page.getByText('No alert destination.')).toBeVisible()
  await page.getByRole('link', { name: 'Add destination' }).first().click()
  await page.getByLabel('Name').fill('On call')
  await page.getByRole('combobox', { name: 'Alerts of', exact: true }).selectOption(tenant.accountName)
  await page.getByRole('combobox', { name: 'Kind', exact: true }).selectOption('Email')
  await page.getByLabel('Email address').fill('nowhere')
  await page.getByRole('checkbox', { name: 'Only alerts of some types' }).check()
  await save(page).click()
  await expect(page.getByText('Enter an email address')).toBeVisible()
  await expect(page.getByText('Choose at least one type')).toBeVisible()
  await page.getByLabel('Email address').fill('operator@example.org')
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

test('shows a rejected private network at its field and the result of a test, and denies tests to view-only users', async ({
  page,
  api,
  tenant,
  open,
  server,
}) => {
  const { service_provider_sid, account_sid } = tenant
  const app = await startWebhookApp()
  app.answer = (response) => response.writeHead(503, { 'retry-after': '7200' }).end('closed on Sundays')
  const body = { name: 'Hook', kind: 'webhook', target: app.origin, service_provider_sid, account_sid }
  const { sid } = (await api.send('POST', '/patchbay/alert-destinations', body)).body as { sid: string }
  await open(`${list}/${sid}/edit`)
  await page.getByLabel('Address').fill('http://10.0.0.1/')
  await save(page).click()
  await expect(page.getByText('10.0.0.1 is in a private network').first()).toBeVisible()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByRole('tab', { name: 'Deliveries' }).click()
  await expect(page.getByText('No alerts sent yet.')).toBeVisible()
  await page.getByRole('tab', { name: 'Signing secret' }).click()
  await expect(page.getByRole('button', { name: 'Reveal Signing secret' })).toBeVisible()
  await page.getByRole('tab', { name: 'Details' }).click()
  await page.getByLabel('Address').fill(app.origin)
  await page.getByRole('button', { name: 'Send test alert' }).click()
  await expect(
    page.getByText('The webhook responded with 503 Service Unavailable, and asks to wait 120 minutes'),
  ).toBeVisible()
  await expect(page.getByText('Not delivered', { exact: true })).toBeVisible()
  await expect(page.getByText('closed on Sundays')).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectToFit(page, 'what came of a test at 390 px')
  await page.setViewportSize({ width: 1280, height: 720 })
  app.answer = (response) => response.writeHead(204).end()
  await page.getByRole('button', { name: 'Send test alert' }).click()
  await expect(page.getByText('Response 204')).toBeVisible()

  await writeAlerts(server.intakePort, tenant, [anAlert({ message: 'no answer from the far side' })])
  await expect
    .poll(() => app.heard.map(({ body: notification }) => JSON.stringify(notification)).join(''))
    .toContain('no answer from')
  await page.reload()
  await failOnce(page, /deliveries/)
  await page.getByRole('tab', { name: 'Deliveries' }).click()
  await expect(page.getByText('This could not be loaded.')).toBeVisible()
  await page.getByRole('button', { name: 'Retry' }).click()
  const deliveries = page.getByRole('table', { name: 'Deliveries' })
  await expect(async () => {
    await page.getByRole('button', { name: 'Refresh', exact: true }).click()
    await expect(deliveries).toContainText('Delivered', { timeout: 500 })
  }).toPass()
  await expect(deliveries).toContainText('Webhook failed: no answer from the far side')
  await expect(deliveries).toContainText('Response 204')
  await failOnce(page, /deliveries/)
  await page.getByRole('button', { name: 'Refresh', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('Refresh failed: The database cannot be reached')
  await expect(deliveries).toContainText('Response 204')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('Refresh failed')).toHaveCount(0)

  const { token } = await api.person({ service_provider_sid, account_sid, is_view_only: true })
  await open(`${list}/${sid}/edit`, token)
  await expect(page.getByRole('button', { name: 'Send test alert' })).toBeDisabled()
  await expect(page.getByRole('tab', { name: 'Signing secret' })).toHaveCount(0)
  app.close()
})

test('sends a test alert to Slack and PagerDuty, and rejects a wrong integration key at its field', async ({
  page,
  open,
  receivers,
}) => {
  const add = async (name: string, kind: string, label: string, target: string) => {
    await open(`${list}/add`)
    await page.getByLabel('Name').fill(name)
    await page.getByRole('combobox', { name: 'Kind', exact: true }).selectOption(kind)
    await page.getByLabel(label).fill(target)
    await page.getByRole('switch', { name: 'Once per type and hour' }).check()
    await save(page).click()
  }
  const sendTest = async (name: string) => {
    await expectToast(page, 'Alert destination created successfully')
    await rows(page).getByRole('link', { name, exact: true }).click()
    await expect(page.getByRole('switch', { name: 'Once per type and hour' })).toBeChecked()
    await page.getByRole('button', { name: 'Send test alert' }).click()
    await expect(page.getByText('Delivered', { exact: true })).toBeVisible()
    await expect(page.getByRole('tab', { name: 'Signing secret' })).toHaveCount(0)
  }
  await add('Channel', 'Slack', 'Address of the incoming webhook', receivers.slackUrl)
  await sendTest('Channel')
  expect(receivers.slackMessages).toEqual([expect.stringContaining('Nothing went wrong.')])

  await add('On duty', 'PagerDuty', 'Integration key', 'wrong')
  await expect(page.getByText('Enter the integration key, which has 32 letters and digits')).toBeVisible()
  await page.getByLabel('Integration key').fill('0123456789abcdef0123456789abcdef')
  await save(page).click()
  await sendTest('On duty')
  expect(receivers.pagerDutyEvents.map(({ event_action }) => event_action)).toEqual(['trigger'])
})

test('sends a test alert before a destination is saved, and forgets the outcome when its address changes', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const app = await startWebhookApp()
  app.answer = (response) => response.writeHead(204).end()
  const send = page.getByRole('button', { name: 'Send test alert' })
  await open(`${list}/add`)
  await expect(send).toHaveAccessibleDescription(/^Enter where the alerts are sent to first/)
  await page.getByRole('combobox', { name: 'Kind', exact: true }).selectOption('Email')
  await page.getByLabel('Email address').fill('operator@example.org')
  await expect(send).toHaveAccessibleDescription(/^Save the email address first/)
  await page.getByRole('combobox', { name: 'Kind', exact: true }).selectOption('Webhook')
  await page.getByLabel('Address').fill('http://10.0.0.1/')
  await send.click()
  await expect(page.getByRole('textbox', { name: 'Address' })).toHaveAccessibleDescription(/is in a private network/)
  await page.getByLabel('Address').fill(app.origin)
  await send.click()
  await expect(page.getByText('Response 204')).toBeVisible()
  await expect(page.getByText('A receiver that verifies signatures rejects this test.')).toBeVisible()
  await expectNoFindings(page, 'a test of a new destination')
  await page.getByRole('combobox', { name: 'Alerts of', exact: true }).selectOption(tenant.accountName)
  await expect(page.getByText('Response 204')).toHaveCount(0)
  await send.click()
  await expect(page.getByText('Response 204')).toBeVisible()
  await expect(page.getByText('A receiver that verifies signatures rejects this test.')).toHaveCount(0)
  expect(app.heard).toHaveLength(2)
  const destinations = `/patchbay/service-providers/${tenant.service_provider_sid}/alert-destinations`
  expect((await api.send('GET', destinations)).body).toEqual([])

  const body = { name: 'Hook', kind: 'webhook', target: 'https://example.org', account_sid: tenant.account_sid }
  const { sid } = (await api.send('POST', '/patchbay/alert-destinations', body)).body as { sid: string }
  await open(`${list}/${sid}/edit`)
  await page.getByLabel('Address').fill(`${app.origin}/new`)
  await send.click()
  await expect(page.getByText('Response 204')).toBeVisible()
  expect(app.heard.at(-1)?.path).toBe('/new')
  app.close()
})

test('links in messages open the call, the alert, or the alerts that they are about, after the sign-in', async ({
  page,
  api,
  tenant,
  open,
  server,
  receivers,
}) => {
  const { service_provider_sid, account_sid } = tenant
  const slack = { name: 'Channel', kind: 'slack', target: receivers.slackUrl, account_sid }
  expect((await api.send('POST', '/patchbay/alert-destinations', slack)).status).toBe(201)
  const call = aCall()
  await writeCalls(server.intakePort, { service_provider_sid, account_sid }, [call])
  const findLinks = (text: string) => [...text.matchAll(/<(http[^|>]+)\|([^>]+)>/g)].map(([, url = '']) => url)
  const raise = async (...alerts: WrittenAlert[]): Promise<string[]> => {
    const before = receivers.slackMessages.length
    await writeAlerts(server.intakePort, tenant, alerts)
    await expect.poll(() => receivers.slackMessages.length).toBeGreaterThan(before)
    return findLinks(receivers.slackMessages.at(-1) ?? '')
  }
  const [toCall = ''] = await raise(anAlert({ message: 'webhook of a call', target_sid: call.call_sid }))
  await page.goto(toCall)
  await page.getByLabel('Username').fill('admin')
  await page.getByRole('textbox', { name: 'Password' }).fill(adminPassword)
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page).toHaveURL(new RegExp(`/internal/recent-calls/${account_sid}/${call.call_sid}`))
  const [toAlert = ''] = await raise(anAlert({ alert_type: 'no-tts', message: 'nothing speaks' }))
  await open(toAlert)
  const listed = page.getByRole('table', { name: 'Alerts', exact: true }).locator('tbody tr[data-row]')
  await expect(listed).toHaveText([/nothing speaks/])
})

test('confirms an email address with the link and button of its mail, and unsubscribes it likewise', async ({
  page,
  api,
  mails,
  tenant,
  open,
  server,
}) => {
  const { service_provider_sid, account_sid } = tenant
  const target = `${account_sid}@example.org`
  const body = { name: 'Box', kind: 'email', target, account_sid }
  expect((await api.send('POST', '/patchbay/alert-destinations', body)).status).toBe(201)
  // Delayed mails to destinations of other tests also arrive here.
  const readLink = async (act: string): Promise<string> => {
    const { to, text } = await mails.next()
    const [link] = (to.includes(target) && new RegExp(`http:\\S+/alert-mails/${act}/[\\w.-]+`).exec(text)) || []
    return link ?? readLink(act)
  }
  const old = await readLink('confirm')
  await open(list)
  await expect(rows(page)).toContainText(['Waiting for confirmation'])
  await rows(page).getByRole('link', { name: 'Box', exact: true }).click()
  await expect(page.getByText('It is valid for three days.')).toBeVisible()
  await expectNoFindings(page, 'a destination that waits for its confirmation')
  const send = page.getByRole('button', { name: 'Send test alert' })
  await expect(send).toHaveAttribute('aria-disabled', 'true')
  await expect(send).toHaveAccessibleDescription(/^The email address is not confirmed yet/)
  await failOnce(page, /confirmation$/)
  await page.getByRole('button', { name: 'Send again' }).click()
  await expectToast(page, 'The database cannot be reached')
  await page.getByRole('button', { name: 'Send again' }).click()
  await expectToast(page, `A confirmation link was sent to ${target}`)
  const link = await readLink('confirm')

  const visitor = await page.context().browser()?.newPage()
  if (visitor === undefined) throw new Error('there is no browser')
  await visitor.goto(old)
  await visitor.getByRole('button', { name: 'Confirm address' }).click()
  await expect(visitor.getByRole('alert')).toContainText('This link is invalid or was replaced by a newer one')
  await visitor.goto(link)
  await expect(visitor.getByRole('heading', { name: 'Alerts by email' })).toBeVisible()
  for (const colours of themes) {
    await visitor.emulateMedia({ colorScheme: colours })
    await expectNoFindings(visitor, `the page of a mail, ${colours}`)
  }
  // Opening the link does not confirm the address.
  await page.reload()
  await expect(page.getByText('Waiting for confirmation')).toBeVisible()
  await visitor.getByRole('button', { name: 'Confirm address' }).click()
  await expect(visitor.getByText('Your address is confirmed.')).toBeVisible()
  await visitor.reload()
  await visitor.getByRole('button', { name: 'Confirm address' }).click()
  await expect(visitor.getByRole('alert')).toContainText('This link was already used. The address is confirmed.')

  await page.reload()
  await expect(page.getByLabel('Email address')).toHaveValue(target)
  await expect(page.getByText('Waiting for confirmation')).toHaveCount(0)
  await writeAlerts(server.intakePort, { account_sid, service_provider_sid }, [anAlert({})])
  await visitor.goto(await readLink('stop'))
  await visitor.getByRole('button', { name: 'Unsubscribe' }).click()
  await expect(visitor.getByText('You are unsubscribed.')).toBeVisible()
  await open(list)
  await expect(rows(page)).toContainText(['Waiting for confirmation'])
  await visitor.close()
})

test('renews the signing secret of a provider’s destination after a confirmation', async ({
  page,
  api,
  tenant: { service_provider_sid, account_sid },
  open,
}) => {
  const make = async (owner: object): Promise<string> => {
    const body = { name: 'Hook', kind: 'webhook', target: 'https://example.org', ...owner }
    return (await api.send('POST', '/patchbay/alert-destinations', body)).body.sid
  }
  const sid = await make({ service_provider_sid })
  const secret = async () =>
    (await api.send('GET', `/patchbay/alert-destinations/${sid}/webhook-secret`)).body.webhook_secret as string
  const before = await secret()
  await open(`${list}/${sid}/edit?tab=signing`)
  await page.getByRole('button', { name: 'Reveal Signing secret' }).click()
  await expect(page.getByText(before)).toBeVisible()
  await page.getByRole('button', { name: 'Generate new secret' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('The current secret stops working immediately.')
  await expectNoFindings(page, 'a new signing secret')
  await failOnce(page, /webhook-secret/)
  await dialog.getByRole('button', { name: 'Generate' }).click()
  await expect(dialog).toContainText('The database cannot be reached')
  await dialog.getByRole('button', { name: 'Generate' }).click()
  await expectToast(page, 'Webhook signing secret was successfully generated')
  expect(await secret()).not.toBe(before)
  await expect(page.getByText(await secret())).toBeVisible()
  await page.getByRole('tab', { name: 'History' }).click()
  await expect(page.getByText('Webhook secret').first()).toBeVisible()

  await open(`${list}/${await make({ account_sid })}/edit?tab=signing`)
  await expect(page.getByText('signed with the account’s webhook secret')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Generate new secret' })).toHaveCount(0)
})
