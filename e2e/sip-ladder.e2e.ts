import { type CapturedDatagram, hepAgent, hepPacket } from '@patchbay/testkit/peers/hep'
import { type SippSession, sipSession } from '@patchbay/testkit/peers/sipp'
import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { aCall, writeCalls, writeTracedCall } from './support/calls.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { expect, test } from './support/test.ts'
import { fetchUnconditionally } from './support/unconditional-fetch.ts'

const messages = (page: Page) => page.getByRole('list', { name: 'SIP messages' }).getByRole('button')
const findings = (page: Page) => page.getByRole('region', { name: 'Findings' }).getByRole('listitem')
const filter = (page: Page) => page.getByRole('searchbox', { name: 'Filter messages' })

test('draws and explains a real call with one-way audio, with keyboard navigation, full messages, and comparison', async ({
  page,
  api,
  server,
  tenant,
  open,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { account_sid } = tenant
  const { call_sid } = await writeTracedCall(server, tenant)
  const callid = `sip-${call_sid}`
  const agent = hepAgent(server.hepPort)
  const { length } = await sipSession('audio one way', { host: '127.0.0.1', callid }, (packet) => agent.send(packet))
  agent.stop()
  const captured = () => api.send('GET', `/Accounts/${account_sid}/RecentCalls/${callid}`)
  await expect.poll(async () => (await captured()).body.total).toBe(length)

  await open(`/internal/recent-calls/${account_sid}/${call_sid}`)
  await page.getByRole('tab', { name: 'SIP', exact: true }).click()
  await expect(messages(page)).toHaveText([/INVITE/, /200 OK/, /ACK/, /BYE/, /200 OK/])
  await expect(messages(page).first()).toHaveAccessibleName(
    /^INVITE from 127\.0\.0\.1:\d+ to 127\.0\.0\.1:\d+, 0\.000 s, audio sendrecv: PCMU$/,
  )
  await expect(findings(page)).toHaveText([
    /The called party \(127.* answered after/,
    /The caller \(127.* hung up .*RFC 3261 §15\.1\.1/,
    /One-way audio: the called party \(127.*\) sent a=sendonly in its SDP, so the caller hears the called party but is not heard\.\s*RFC 3264/,
  ])
  await expectNoFindings(page, 'the ladder')

  await page.getByRole('button', { name: /^Show 2 messages.*One-way audio/ }).click()
  await expect(messages(page).first()).toBeFocused()
  await expect(page.getByRole('button', { name: /, marked$/ })).toHaveCount(2)
  await page.keyboard.press('ArrowDown')
  await expect(messages(page).nth(1)).toBeFocused()
  await page.keyboard.press('Enter')
  const whole = page.getByRole('dialog', { name: '200 OK' })
  await expect(whole.getByLabel('The whole message')).toContainText(/^SIP\/2\.0 200 OK[^]*a=sendonly/)
  await whole.getByRole('button', { name: 'Copy the message' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(`Call-ID: ${callid}`)
  await whole.getByRole('button', { name: 'Previous' }).click()
  const first = page.getByRole('dialog', { name: 'INVITE' })
  await expect(first.getByLabel('The whole message')).toContainText(/^INVITE sip:called@/)
  await first.getByRole('button', { name: 'Compare with another' }).click()
  await expect(page.getByText(/Choose the message to compare with INVITE/)).toBeVisible()
  await messages(page).nth(1).click()
  const both = page.getByRole('dialog', { name: 'INVITE and 200 OK' })
  await expect(both.getByRole('row').filter({ hasText: 'a=sendonly' })).toContainText('only in the second')
  await expect(both.getByRole('row').filter({ hasText: /^\W*changed.*To:/ })).toContainText(';tag=called')
  const all = await both.getByRole('row').count()
  await both.getByLabel('Differences only').check()
  await expect.poll(() => both.getByRole('row').count()).toBeLessThan(all)
  await expectNoFindings(page, 'two messages', { part: 'dialog' })
  await page.keyboard.press('Escape')
  await filter(page).fill('sendonly')
  await expect(messages(page)).toHaveText([/200 OK/])
  await filter(page).fill('nowhere to be found')
  await expect(page.getByText('No messages match.')).toBeVisible()
})

test('reports a missing, failing, truncated, or invalid ladder, and shows it below the details of an untraced call', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const { account_sid } = tenant
  const call = aCall({ answered: false })
  const callid = `sip-${call.call_sid}`
  await writeCalls(server.intakePort, tenant, [call])
  const path = `**/RecentCalls/${callid}`
  await page.route(path, (route) => route.fulfill({ status: 500, json: { msg: 'The disk is on fire' } }))
  await open(`/internal/recent-calls/${account_sid}/${call.call_sid}`)
  await page.getByRole('button', { name: 'SIP ladder', exact: true }).click()
  await expect(page.getByText('The disk is on fire')).toBeVisible()
  await page.unroute(path)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('No SIP of this call was captured.')).toBeVisible()

  const agent = hepAgent(server.hepPort)
  const [caller, called] = ['203.0.113.7', '10.0.0.5']
  const createDatagram = (seconds: number, isByCaller: boolean, lines: readonly string[]): CapturedDatagram => ({
    source: isByCaller ? caller : called,
    sourcePort: 5060,
    destination: isByCaller ? called : caller,
    destinationPort: 5060,
    at: (call.attempted_at + seconds * 1000) * 1000,
    payload: Buffer.from(
      [...lines, 'From: <sip:1@a>;tag=1', 'To: <sip:2@b>', `Call-ID: ${callid}`, 'CSeq: 1 INVITE', '', ''].join('\r\n'),
    ),
  })
  await agent.send(hepPacket(createDatagram(0, true, ['INVITE sip:2@b SIP/2.0', 'Contact: <sip:1@192.168.1.10>'])))
  await agent.send(hepPacket(createDatagram(1, false, ['SIP/2.0 486 Busy Here', 'Content-Length: 9'])))
  const read = () => api.send('GET', `/Accounts/${account_sid}/RecentCalls/${callid}`)
  await expect.poll(async () => (await read()).body.total).toBe(2)
  agent.stop()
  await page.route(path, async (route) => {
    const answer = await (await fetchUnconditionally(route)).json()
    const micro_ts = (call.attempted_at + 2000) * 1000
    answer.data.messages.push({ ...answer.data.messages[0], raw: '\u0000nonsense', micro_ts })
    await route.fulfill({ json: { ...answer, total: 9, cut_at: 'beginning' } })
  })
  await page.getByRole('button', { name: 'Check again' }).click()
  await expect(messages(page)).toHaveText([/INVITE/, /486 Busy Here/, /No SIP/])
  await expect(page.getByText('The capture is incomplete.')).toBeVisible()
  await expect(page.getByText('only its newest part is shown')).toBeVisible()
  await expect(findings(page)).toHaveText([
    /rejected the call with 486 Busy Here: the called party is busy/,
    /is behind a NAT and advertises 192\.168\.1\.10/,
    /One captured packet is not valid SIP/,
    /One message has a body that is shorter than its Content-Length/,
  ])
  await messages(page).nth(2).click()
  await expect(page.getByText('This is not a valid SIP message.')).toBeVisible()
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect(page.getByText('The end of this message is missing.')).toBeVisible()
  await page.keyboard.press('Escape')
  await expectToFit(page, 'the narrow ladder')
  await expectNoFindings(page, 'the narrow ladder')

  await page.route(path, async (route) => {
    const answer = await (await fetchUnconditionally(route)).json()
    const [first] = answer.data.messages
    const many = Array.from({ length: 5000 }, (_, n) => ({
      ...first,
      micro_ts: n + 1e15,
      raw: first.raw.replace('CSeq: 1', `CSeq: ${n}`),
    }))
    await route.fulfill({ json: { ...answer, data: { ...answer.data, messages: many } } })
  })
  await page.reload()
  // The URL contains the open ladder.
  await expect(page.getByRole('button', { name: 'SIP ladder', exact: true })).toHaveAttribute('aria-expanded', 'true')
  await expect(page.getByText('5000 messages', { exact: true })).toBeVisible()
  await expect(page.getByText('The same was found 4994 times more.').first()).toBeVisible()
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  expect(height).toBeLessThan(5000)
  await messages(page).first().focus()
  await page.keyboard.press('End')
  await expect(messages(page).last()).toBeFocused()
  await expect(messages(page).last()).toContainText('INVITE 4999')
  expect(await messages(page).count()).toBeLessThan(500)
})

test('fits the ladder into a card of the list', async ({ page, api, server, tenant, open }) => {
  const { account_sid } = tenant
  const call = aCall({ answered: false })
  await writeCalls(server.intakePort, tenant, [call])
  const agent = hepAgent(server.hepPort)
  const callid = `sip-${call.call_sid}`
  await sipSession('the called party is busy', { host: '127.0.0.1', callid }, (packet) => agent.send(packet))
  agent.stop()
  const read = () => api.send('GET', `/Accounts/${account_sid}/RecentCalls/${callid}`)
  await expect.poll(async () => (await read()).body.total).toBe(4)
  await page.setViewportSize({ width: 390, height: 844 })
  await open('/internal/recent-calls')
  await page.getByRole('button', { name: /^Call from/ }).click()
  await page.getByRole('button', { name: 'SIP ladder', exact: true }).click()
  await expect(messages(page)).toHaveCount(4)
  await expectToFit(page, 'the ladder in a card')
})

for (const server of ['ours', 'an unmodified one'] as const)
  test(`one ladder shows all legs of a call and how one affected another, where the server is ${server}`, async ({
    page,
    api,
    server: { intakePort, hepPort },
    tenant,
    open,
  }) => {
    if (server !== 'ours') await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
    const { account_sid } = tenant
    const attempted_at = Date.now() - 60_000
    const first = aCall({ attempted_at, duration: 0 })
    const sip_parent_callid = `sip-${first.call_sid}`
    const other = aCall({
      attempted_at: attempted_at + 500,
      direction: 'outbound',
      answered: false,
      sip_status: 486,
      trunk: 'far',
      sip_parent_callid,
    })
    const unrelated = aCall({ attempted_at: attempted_at + 600 })
    await writeCalls(intakePort, tenant, [first, other, unrelated])
    const agent = hepAgent(hepPort)
    const runSession = (kind: SippSession, callid: string) =>
      sipSession(kind, { host: '127.0.0.1', callid }, (packet) => agent.send(packet))
    const seen = await runSession('call', sip_parent_callid)
    await runSession('the called party is busy', `sip-${other.call_sid}`)
    agent.stop()
    const fetchTotal = async (callid: string) =>
      (await api.send('GET', `/Accounts/${account_sid}/RecentCalls/${callid}`)).body.total
    await expect.poll(() => fetchTotal(sip_parent_callid)).toBe(seen.length)
    await expect.poll(() => fetchTotal(`sip-${other.call_sid}`)).toBe(4)

    await open(`/internal/recent-calls/${account_sid}/${other.call_sid}`)
    await page.getByRole('button', { name: 'SIP ladder', exact: true }).click()
    const legs = page.getByRole('group', { name: 'Legs of the call' }).getByRole('button')
    await expect(legs).toHaveText(['All legs', 'Leg A', 'Leg B'])
    await expect(page.getByRole('list', { name: 'Description of the legs' }).getByRole('listitem')).toHaveText([
      /^Leg A: .*inbound, my trunk$/,
      /^Leg B: .*outbound, far \(this record\)$/,
    ])
    await expect(messages(page)).toHaveCount(seen.length + 4)
    await expect(messages(page).first()).toHaveAccessibleName(/^Leg A: INVITE from /)
    await expect(findings(page).filter({ hasText: 'Leg B failed' })).toContainText(
      /responded with 486 Busy Here \(the called party is busy\)\. Leg A/,
    )
    await expect(
      findings(page).filter({ hasText: /^Warning: Leg B: .* rejected the call with 486 Busy Here/ }),
    ).toHaveCount(1)
    await expectNoFindings(page, 'a ladder of two legs')
    await page.setViewportSize({ width: 390, height: 844 })
    await expectToFit(page, 'the ladder')
    await legs.nth(2).click()
    await expect(legs.nth(2)).toHaveAttribute('aria-pressed', 'true')
    await expect(messages(page)).toHaveText([/INVITE/, /100 Trying/, /486 Busy Here/, /ACK/])
    await expect(findings(page).filter({ hasText: 'Leg B failed' })).toHaveCount(0)
    await legs.first().click()
    await expect(messages(page)).toHaveCount(seen.length + 4)

    const recordsPattern = server === 'ours' ? '**/call-legs?*' : '**/RecentCalls?*start=*'
    await page.route(recordsPattern, (route) =>
      route.fulfill({ status: 500, json: { msg: 'The records are on fire' } }),
    )
    await page.route(`**/RecentCalls/${sip_parent_callid}`, (route) =>
      route.fulfill({ status: 500, json: { msg: 'The disk is on fire' } }),
    )
    await page.reload()
    await expect(page.getByText('The other legs of this call could not be loaded.')).toBeVisible()
    await expect(messages(page)).toHaveCount(4)
    await page.unroute(recordsPattern)
    await page.getByRole('button', { name: 'Load them again' }).click()
    await expect(page.getByText('The SIP of another leg could not be loaded.')).toBeVisible()
    await expect(page.getByText('No SIP is shown for one more leg.')).toBeVisible()
    await expect(messages(page)).toHaveCount(4)
  })
