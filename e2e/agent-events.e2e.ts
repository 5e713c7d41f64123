import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { agentDialog, sendAgentEvents } from './support/agent-events.ts'
import { expectNoFindings } from './support/axe.ts'
import { aCall, writeCalls } from './support/calls.ts'
import { createEventfulCall, writeSpannedCall } from './support/conversations.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { hold } from './support/hold-requests.ts'
import { expectPlainLanguage } from './support/plain-language.ts'
import { expect, type Tenant, test } from './support/test.ts'

/** Calls whose agent reports its turns, from the signed request to the call and to conversation quality. */

const tabs = (page: Page) => page.getByRole('tablist', { name: 'Parts of the call' }).getByRole('tab')
const items = (page: Page) => page.getByRole('list', { name: 'Conversation', exact: true }).getByRole('listitem')

/** Stores the record of an answered call of two minutes ago, without a trace and a recording. */
const writeUntracedCall = async (intakePort: number, tenant: Tenant) => {
  const call = aCall({ attempted_at: Date.now() - 120_000, duration: 60 })
  await writeCalls(intakePort, tenant, [call])
  return { ...call, account_sid: tenant.account_sid }
}

test('opens a call without a trace on its conversation, and counts it in conversation quality', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const call = await writeUntracedCall(server.intakePort, tenant)
  await sendAgentEvents(api, call, agentDialog)
  await open(`/internal/recent-calls/${tenant.account_sid}/${call.call_sid}`)
  await expect(tabs(page)).toHaveText(['Conversation', 'Details', 'SIP'])
  await expect(tabs(page).first()).toHaveAttribute('aria-selected', 'true')
  await expect(items(page)).toHaveText([
    /^00:03Caller.*I want to fly to Lisbon/,
    /^00:05Tool call.*find_flights.*\{"to":"LIS"\}/,
    /^Response gap 790ms.*00:05Agent.*Which day\?/,
    /^00:08Caller.*On Monday/,
    /^Response gap 790ms.*00:09Agent.*Interrupted by the caller at 00:11, after “flight”.*There is a flight$/,
  ])
  await page.getByRole('button', { name: 'Response gap 790ms' }).first().click()
  await expect(
    page.getByRole('table', { name: 'Parts of the response gap of 790ms' }).first().getByRole('row'),
  ).toHaveText([
    /Part.*Duration.*Source/,
    /Endpointing90msMeasured agent events/,
    /Speech to text180msMeasured agent events/,
    /Model, first token400msMeasured agent events/,
    /Text to speech, first byte120msMeasured agent events/,
    /Unattributed0msDerived/,
  ])
  await expect(page.getByText('This call has no recording.')).toBeVisible()
  await expectPlainLanguage(page, 'conversation of agent events')
  await expectNoFindings(page, 'conversation of agent events')
  await page.setViewportSize({ width: 390, height: 900 })
  const [badge, list] = [items(page).getByText(/^Interrupted by/), items(page).last()]
  const getEnd = async (part: Locator) => {
    const { x = 0, width = Infinity } = (await part.boundingBox()) ?? {}
    return x + width
  }
  expect(await getEnd(badge)).toBeLessThan(await getEnd(list))
  await page.setViewportSize({ width: 1440, height: 900 })

  await open('/internal/conversation-quality?by=model')
  const conversations = page.getByRole('table', { name: 'Conversations', exact: true }).locator('tbody tr')
  await expect(async () => {
    await page.reload()
    await expect(conversations).toHaveCount(1, { timeout: 2000 })
  }).toPass({ timeout: 60_000 })
  const card = (label: string) => page.locator('dl > div').filter({ has: page.getByText(label, { exact: true }) })
  const figures = page.getByRole('table', { name: 'More figures' })
  await expect(figures.getByRole('row', { name: /^Tokens/ })).toContainText('1.5K + 50')
  await expect(card('Interrupted by the other party')).toContainText('50.0 %')
  await expect(
    page.getByRole('table', { name: 'By language model' }).getByRole('row', { name: /^gpt-5/ }),
  ).toBeVisible()
  await conversations.getByRole('link').click()
  await expect(page.getByRole('tab', { name: 'Conversation', selected: true })).toBeVisible()
  await expect(items(page).first()).toContainText('I want to fly to Lisbon')
})

test('shows the conversation of a call without a trace from the trace of its agent', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const call_sid = randomUUID()
  const createSpans = (startedAt: number) => {
    const [root, ...spans] = createEventfulCall(startedAt)
    return root === undefined ? [] : [{ ...root, attributes: { call_sid } }, ...spans]
  }
  await writeSpannedCall(server, tenant, createSpans, { call_sid, trace_id: '0'.repeat(32) })
  await open(`/internal/recent-calls/${tenant.account_sid}/${call_sid}`)
  await expect(tabs(page)).toHaveText(['Conversation', 'Details', 'SIP'])
  await tabs(page).first().click()
  await expect(items(page).filter({ hasText: 'I want to fly to Lisbon' })).toBeVisible()
})

test('merges agent events with the trace, and says how the clock of the application differs', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const call = await writeSpannedCall(server, tenant, createEventfulCall)
  const aheadMs = 90_000
  const createTurnEnd = (at: number, transcript: string, response: string, more: object = {}) =>
    [at + aheadMs, { type: 'turn_end', transcript, response, interrupted: false, ...more }] as const
  await sendAgentEvents(api, { ...call, account_sid: tenant.account_sid }, [
    createTurnEnd(4200, '', 'Welcome to Example Airlines. How can I help you?'),
    [7000 + aheadMs, { type: 'user_transcript', transcript: 'I want to fly to Lisbon.' }],
    createTurnEnd(12_000, 'I want to fly to Lisbon.', 'There is a flight at nine fifteen.', {
      interrupted: true,
      latency: { model_latency: 1200 },
    }),
    [12_500 + aheadMs, { type: 'user_transcript', transcript: 'Yes please.' }],
    createTurnEnd(14_000, 'Yes please.', 'Done. Anything else?'),
  ])
  await open(`/internal/recent-calls/${tenant.account_sid}/${call.call_sid}?tab=conversation`)
  const answer = items(page).filter({ hasText: 'There is a flight' })
  await expect(answer).toHaveText(
    /Response gap 2\.83s, slow.*Interrupted by the caller at 00:12, after “fifteen”.*There is a flight at nine fifteen\.$/,
  )
  await expect(items(page)).toHaveCount(12)
  await page.getByRole('button', { name: 'Response gap 2.83s, slow' }).click()
  await expect(
    page.getByRole('table', { name: 'Parts of the response gap of 2.83s' }).getByRole('row', { name: /^Model/ }),
  ).toHaveText(/Model, first token1\.20sMeasured agent events/)
  await expect(
    page.getByText('The clock of agent events is 1m 30s ahead of that of the platform. Patchbay corrects the times.'),
  ).toBeVisible()
})

test('has no tabs while a call without a trace has no conversation, and finds events that arrive later', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const call = await writeUntracedCall(server.intakePort, tenant)
  const url = `/internal/recent-calls/${tenant.account_sid}/${call.call_sid}`
  const missing = page.waitForResponse(`**/calls/${call.call_sid}/conversation`)
  await open(url)
  expect((await missing).status()).toBe(404)
  await expect(page.getByRole('region', { name: 'Parties' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'SIP ladder', exact: true })).toHaveAttribute('aria-expanded', 'false')
  await expect(tabs(page)).toHaveCount(0)

  await page.goto(`${url}?tab=conversation`)
  await expect(page.getByText('There is no conversation of this call.')).toBeVisible()
  await expect(page.getByText(/has no trace, no recording, and no agent events/)).toBeVisible()
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await expectToFit(page, `no conversation at ${width} px`)
  }
  await sendAgentEvents(api, call, agentDialog)
  await page.getByRole('button', { name: 'Check again' }).click()
  await expect(items(page)).toHaveCount(5)
})

test('shows the details without moving them while it is unknown whether there is a conversation', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const call = await writeUntracedCall(server.intakePort, tenant)
  await sendAgentEvents(api, call, agentDialog)
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    const release = await hold(page, `**/calls/${call.call_sid}/conversation`)
    await open('/internal/recent-calls')
    await page.getByRole('button', { name: /^Call from/ }).click()
    const details = page.getByRole('region', { name: 'Parties' })
    await expect(details).toBeVisible()
    await expect(page.getByRole('region', { name: 'Verdict' })).toHaveAttribute('aria-busy', 'false')
    await expect(tabs(page)).toHaveCount(0)
    const before = await details.boundingBox()
    release()
    await expect(tabs(page)).toHaveText(['Conversation', 'Details', 'SIP'])
    expect(await details.boundingBox()).toEqual(before)
    await page.unrouteAll()
  }
  await page.getByRole('button', { name: 'SIP ladder', exact: true }).click()
  await expect(page.getByRole('tab', { name: 'SIP', selected: true })).toBeVisible()
})

test('shows why the conversation of a call without a trace cannot be read, and retries', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const call = await writeUntracedCall(server.intakePort, tenant)
  await sendAgentEvents(api, call, agentDialog)
  const path = `**/calls/${call.call_sid}/conversation`
  await page.route(path, (route) => route.fulfill({ status: 500, json: { msg: 'Out of order' } }))
  await open(`/internal/recent-calls/${tenant.account_sid}/${call.call_sid}`)
  await tabs(page).first().click()
  await expect(page.getByText('Out of order')).toBeVisible()
  await page.unroute(path)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(items(page)).toHaveCount(5)
})
