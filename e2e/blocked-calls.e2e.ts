import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { writeCallFlow } from './support/call-flows.ts'
import { aCall, type WrittenCall, writeCalls } from './support/calls.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { expectPlainLanguage } from './support/plain-language.ts'
import { expect, test } from './support/test.ts'

/** Refused calls and signed calling numbers, as flows of the corpus that a capture agent sends. */

const verdict = (page: Page) => page.getByRole('region', { name: 'Verdict' })
const findings = (page: Page) => page.getByRole('region', { name: 'Findings' }).getByRole('listitem')
const contacts = (page: Page) => verdict(page).getByRole('list', { name: 'Contacts for an objection' })

interface Opened {
  api: { send: (method: string, path: string) => Promise<{ body: { total?: number } }> }
  server: { hepPort: number; intakePort: number }
  tenant: { account_sid: string; service_provider_sid: string }
  open: (path: string) => Promise<void>
}

const openFlow = async ({ api, server, tenant, open }: Opened, name: string, more: Partial<WrittenCall> = {}) => {
  const { call, callid, length } = await writeCallFlow(server, tenant, name, more)
  const captured = () => api.send('GET', `/Accounts/${tenant.account_sid}/RecentCalls/${callid}`)
  await expect.poll(async () => (await captured()).body.total).toBe(length)
  await open(`/internal/recent-calls/${tenant.account_sid}/${call.call_sid}`)
}

const refused = (sip_status: number): Partial<WrittenCall> => ({ answered: false, direction: 'outbound', sip_status })

test('a call that analytics blocked names the network, the identifier, and the contacts', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  await openFlow({ api, server, tenant, open }, 'faulty/refused-603-network-blocked', refused(603))
  await expect(verdict(page)).toContainText(
    'Analytics of the network of the called party blocked the call (603 Network Blocked).',
  )
  await expect(verdict(page)).toContainText(/Side:\s*Network/)
  await expect(verdict(page)).toContainText('do not switch the carrier to get around the block')
  await expect(verdict(page)).not.toContainText(/declined|No action is necessary/)
  await expect(contacts(page).getByRole('link')).toHaveText([
    'https://redress.example/calls',
    '+15550100099',
    'redress@analytics.example',
  ])
  const link = contacts(page).getByRole('link', { name: 'https://redress.example/calls' })
  await expect(link).toHaveAttribute('href', 'https://redress.example/calls')
  await expect(link).toHaveAttribute('rel', 'noreferrer')
  await expect(contacts(page).getByRole('link', { name: '+15550100099' })).toHaveAttribute('href', 'tel:+15550100099')
  await expect(contacts(page).getByRole('link', { name: /@/ })).toHaveAttribute(
    'href',
    'mailto:redress@analytics.example',
  )
  await expectNoFindings(page, 'a blocked call')
  await expectPlainLanguage(page, 'a blocked call')
  await verdict(page).getByRole('button', { name: 'Show SIP' }).click()
  await expect(findings(page).first()).toContainText(
    /rejected the call with 603 Network Blocked: analytics of the network of the called party blocked the call\. The identifier of the block is 42\. Ask this network to correct the block/,
  )
  await expect(findings(page).filter({ hasText: 'No signature of the calling number was captured.' })).toHaveCount(1)
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await expectToFit(page, 'a blocked call')
  }
})

test('607 and 608 have different explanations, and 603 without captured SIP names no culprit', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  await openFlow({ api, server, tenant, open }, 'faulty/refused-608-filter', refused(608))
  await expect(verdict(page)).toContainText('A filter in a network blocked the call (608 Rejected).')
  await expect(contacts(page).getByRole('link')).toHaveText(['https://block.example/jcard'])
  await openFlow({ api, server, tenant, open }, 'faulty/refused-607-unwanted', refused(607))
  await expect(verdict(page)).toContainText('The called side marked the caller as unwanted (607 Unwanted).')
  await expect(verdict(page)).toContainText(/Side:\s*Called party/)
  await expect(contacts(page)).toHaveCount(0)

  const call = aCall(refused(603))
  await writeCalls(server.intakePort, tenant, [call])
  await open(`/internal/recent-calls/${tenant.account_sid}/${call.call_sid}`)
  await expect(verdict(page)).toContainText('The call was rejected, without a reason (603 Decline).')
  await expect(verdict(page)).toContainText(/Side:\s*Side unknown/)
  await expect(verdict(page)).not.toContainText(/called party declined|No action is necessary/)
})

test('a time to try again is a number of seconds, and empty reasons are not shown', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  await openFlow({ api, server, tenant, open }, 'faulty/refused-503-retry-after', refused(503))
  await verdict(page).getByRole('button', { name: 'Show SIP' }).click()
  await expect(findings(page).first()).toContainText(
    'It asks to send it no calls for 120 seconds ("maintenance"), and can be reached for 3600 seconds after that.',
  )
  await openFlow({ api, server, tenant, open }, 'faulty/refused-488-empty-reasons', refused(488))
  await verdict(page).getByRole('button', { name: 'Show SIP' }).click()
  await expect(findings(page).first()).toContainText('it did not accept the media that were offered.')
  await expect(page.getByText(/Reason given|It warns/)).toHaveCount(0)
})

test('a signed calling number is shown as a claim, and the word of a carrier as its word', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const sip = page.getByRole('button', { name: 'SIP ladder', exact: true })
  await openFlow({ api, server, tenant, open }, 'healthy/identity-attestation-b')
  await sip.click()
  const claim = findings(page).filter({ hasText: 'Claimed attestation: B' })
  await expect(claim).toContainText('Note: The request has a signature for the calling number')
  await expect(claim).toContainText('Origination identifier: 3f1c6c1e-7b7d-4d0c-9d54-0f3a2b1c4d5e.')
  await expect(claim).toContainText('These are claims, and are not verified here.')
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await page.screenshot({ path: `/tmp/refgen/identity-${width}.png`, fullPage: true })
  }
  await openFlow({ api, server, tenant, open }, 'healthy/identity-verstat-passed')
  await sip.click()
  await expect(findings(page).filter({ hasText: 'states in P-Asserted-Identity' })).toContainText(
    /Note: .*198\.51\.100\.7:5060\) states in P-Asserted-Identity that it verified the calling number, level A\. This is the word of that host/,
  )
})
