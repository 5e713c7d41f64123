import { startFakeVendorServer } from '@patchbay/testkit/fakes/speech/fake-vendor-server'
import { google } from '@patchbay/testkit/fakes/speech/google'
import { startWebhookApp } from '@patchbay/testkit/fakes/webhook-app'
import { startSippCarrier } from '@patchbay/testkit/peers/sipp'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { expect, type Page, test } from '@playwright/test'
import { writeTracedCall } from './support/calls.ts'
import { createCountedUser } from './support/count-inputs.ts'
import { expectDocumentedInputs } from './support/documented-inputs.ts'

/** The path of a new user from an empty system to a received call, along the setup steps of the overview. */

const maxInputs = 40
const maxMinutes = 3

/** Less than the refresh interval of the overview, because a completed step is shown without waiting for it. */
const promptly = { timeout: 20_000 }

const step = (page: Page, name: string) =>
  page
    .getByRole('region', { name: 'Get ready for calls' })
    .getByRole('listitem')
    .filter({ has: page.getByText(name, { exact: true }) })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const save = (page: Page) => button(page, 'Save')

/** Reads the owner of the call records as the platform knows it, from the database. */
const readOwner = async (page: Page, url: string) => {
  const token = await page.evaluate(() => localStorage.getItem('token'))
  const response = await page.request.get(`${url}/api/v1/Accounts`, { headers: { authorization: `Bearer ${token}` } })
  const [{ account_sid, service_provider_sid }] = await response.json()
  return { account_sid, service_provider_sid }
}

test('leads from the first sign-in to a received call with at most 40 inputs and clicks, in less than 3 minutes', async ({
  page,
}) => {
  const [carrier, vendors, app] = await Promise.all([startSippCarrier(), startFakeVendorServer(), startWebhookApp()])
  const server = await startServer({ PRIVATE_NETWORKS: loopbackNetwork, ...vendors.environment })
  const user = createCountedUser()
  const startedAt = Date.now()
  try {
    await page.goto(server.url)
    await user.fill(page.getByLabel('Username'), 'admin')
    await user.fill(page.getByLabel('Password', { exact: true }), server.firstPassword)
    await user.click(button(page, 'Log in'))
    await user.fill(page.getByLabel('New password', { exact: true }), 'My-own-1')
    await user.fill(page.getByLabel('Confirm new password'), 'My-own-1')
    await user.click(button(page, 'Create password'))
    const openOverview = () => user.click(link(page, 'Patchbay'))

    await openOverview()
    await expect(page.getByText('0 of 6 steps are done.')).toBeVisible()
    await user.click(step(page, 'SIP addresses').getByRole('link'))
    await user.fill(page.getByLabel('IP address or host name'), '203.0.113.30')
    await user.click(page.getByRole('dialog').getByRole('button', { name: 'Save' }))
    await expect(page.getByRole('table', { name: 'SIP addresses' })).toContainText('203.0.113.30:5060')

    await openOverview()
    await expect(step(page, 'SIP addresses')).toContainText('Done', promptly)
    await user.click(step(page, 'Carrier').getByRole('link'))
    await user.click(page.getByRole('link', { name: 'IP trunk' }))
    await expect(page.getByText('203.0.113.30:5060', { exact: true })).toBeVisible()
    await user.fill(page.getByLabel('Carrier name'), 'Acme Telecom')
    await user.fill(page.getByLabel('Network address'), '127.0.0.1')
    await user.fill(page.getByLabel('Port', { exact: true }), String(carrier.port))
    await user.click(save(page))
    await expect(page.getByText('1 of 1 gateway responded.').first()).toBeVisible()
    await expect(page.getByRole('table', { name: 'Connection to the SIP gateways' })).toContainText('200 OK')

    await user.click(link(page, 'Back to the overview'))
    await expect(step(page, 'Carrier')).toContainText('Done', promptly)
    await user.click(step(page, 'Speech service').getByRole('link'))
    const vendor = page.getByRole('combobox', { name: 'Vendor', exact: true })
    // The field becomes searchable after the page is displayed.
    await expect(vendor).not.toHaveJSProperty('tagName', 'SELECT')
    await user.click(vendor)
    // New applications speak and listen with Google.
    await user.click(page.getByRole('option', { name: 'Google', exact: true }))
    await user.choose(page.getByLabel('Service key'), { name: 'key.json', content: JSON.stringify(google.credential) })
    await user.click(page.getByLabel('Use for text-to-speech'))
    await user.click(page.getByLabel('Use for speech-to-text'))
    await user.click(save(page))
    await user.click(page.getByRole('button', { name: /^Test Google/ }))
    await expect(page.getByRole('table', { name: 'Speech services' })).toContainText('Status ok')

    await openOverview()
    await expect(step(page, 'Speech service')).toContainText('Done', promptly)
    await user.click(step(page, 'Application').getByRole('link'))
    await user.fill(page.getByLabel('Application name'), 'Reception')
    await user.fill(page.getByLabel('Calling webhook URL'), `${app.origin}/call`)
    await user.click(save(page))
    await expect(page.getByRole('table', { name: 'Applications' })).toContainText('Reception')

    await openOverview()
    await expect(step(page, 'Application')).toContainText('Done', promptly)
    await user.click(step(page, 'Phone number').getByRole('link'))
    await user.fill(page.getByRole('textbox', { name: 'Phone number' }), '15085550100')
    await user.select(page.getByRole('combobox', { name: 'Carrier' }), 'Acme Telecom')
    await user.select(page.getByRole('combobox', { name: 'Application' }), 'Reception')
    await user.click(save(page))
    await expect(page.getByRole('table', { name: 'Phone numbers' })).toContainText('+1 (508) 555-0100')

    await openOverview()
    await expect(step(page, 'Phone number')).toContainText('Done', promptly)
    const owner = await readOwner(page, server.url)
    await writeTracedCall(server, owner, { to: '15085550100', trunk: 'Acme Telecom' })
    await user.click(step(page, 'First call').getByRole('link'))
    await expect(page.getByRole('table', { name: 'Recent calls' })).toContainText('+1 (508) 555-0100')
    const { clicks, fields } = user.count()
    const minutes = (Date.now() - startedAt) / 60_000
    await page.goto(`${server.url}/internal/overview`)
    await expect(page.getByRole('region', { name: 'Calls', exact: true })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Get ready for calls' })).toHaveCount(0)
    await expect(page.getByText('uses a speech service that is not configured')).toHaveCount(0)
    expect(clicks + fields).toBeLessThanOrEqual(maxInputs)
    expectDocumentedInputs(user, 'Get ready for the first inbound call')
    expect(minutes).toBeLessThan(maxMinutes)
  } finally {
    app.close()
    await Promise.all([server.stop(), carrier.stop(), vendors.stop()])
  }
})
