import { composeCall, toPcm } from '@patchbay/testkit/calls/voices/synthetic-call'
import type { Locator, Page } from '@playwright/test'
import { expectNoFindings, rulesFor } from './support/axe.ts'
import { aCall, writeCalls, writeTracedCall } from './support/calls.ts'
import {
  type ChosenSpan,
  createEventfulCall,
  createLongCall,
  storeRecording,
  writeSpannedCall,
} from './support/conversations.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { expectPlainLanguage } from './support/plain-language.ts'
import { expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'
import { fetchUnconditionally } from './support/unconditional-fetch.ts'

/** The conversation of a call, from spans at the OTLP intake and a recording at the websocket. */

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
const items = (page: Page) => page.getByRole('list', { name: 'Conversation', exact: true }).getByRole('listitem')
const item = (page: Page, text: string | RegExp) => items(page).filter({ hasText: text }).first()
const findings = (page: Page) => page.getByRole('region', { name: 'Findings' })
const status = (page: Page) => findings(page).getByRole('status')
const player = (page: Page) => page.getByRole('region', { name: 'Recording', exact: true })
const onWaveform = (page: Page) => page.getByRole('group', { name: 'Conversation on the waveform' })

const openTab = async (
  page: Page,
  open: (path: string) => Promise<void>,
  { account_sid }: Pick<Tenant, 'account_sid'>,
  { call_sid }: { call_sid: string },
): Promise<void> => {
  await open(`/internal/recent-calls/${account_sid}/${call_sid}`)
  await tab(page, 'Conversation').click()
}

const recordRequests = (page: Page, part: string): string[] => {
  const urls: string[] = []
  page.on('request', (request) => {
    if (request.url().includes(part)) urls.push(request.url())
  })
  return urls
}

const isInView = (row: Locator) =>
  row.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return bottom > 0 && top < window.innerHeight
  })

test('shows turns, response gaps, and events in order, and opens the page of the call on them', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const { account_sid } = tenant
  const call = await writeSpannedCall(server, tenant, createEventfulCall)
  const requests = recordRequests(page, `/calls/${call.call_sid}/conversation`)
  // The list shows the details of a call, and reads its conversation when the tab is opened.
  await open('/internal/recent-calls')
  await page.getByRole('button', { name: /^Call from/ }).click()
  await expect(page.getByRole('tablist', { name: 'Parts of the call' }).getByRole('tab').first()).toHaveText(
    'Conversation',
  )
  await expect(tab(page, 'Details')).toHaveAttribute('aria-selected', 'true')
  await page.waitForLoadState('networkidle')
  expect(requests).toEqual([])
  await open(`/internal/recent-calls/${account_sid}/${call.call_sid}`)
  await expect(tab(page, 'Conversation')).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByText('6 turns, response gap: median 1.67s, slowest 2.83s')).toBeVisible()
  expect(requests).toHaveLength(1)
  await expect(items(page)).toHaveText([
    /^00:01Agent.*en-US-C.*Welcome to Example Airlines/,
    /^00:04Caller.*Low confidence, 45 %.*I want to fly to Lisbon/,
    /^00:07Tool call.*find_flights \(200ms\)/,
    /^00:07Failed tool call.*find_fares \(100ms\): No fares found/,
    /^Response gap 2\.83s, slow.*00:09Agent.*Interrupted by the caller at 00:12.*Shall I book it/,
    /^00:09Caller.*93 % sure.*Yes please/,
    /^Response gap 500ms.*00:12Agent.*Anything else/,
    /^00:14Silence.*6\.00s/,
    /^00:20Caller.*Are you still there/,
    /^00:23Digit.*5/,
    /^00:23No input/,
    /^00:30Transfer.*\+4420/,
  ])
  await expect(page.getByText('This call has no recording.')).toBeVisible()
  await expect(page.getByText('The clock of my-bot agrees with that of the platform.')).toBeVisible()
})

test('splits a response gap into its parts to scale, and leads from a part to its span', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const call = await writeSpannedCall(server, tenant, createEventfulCall)
  await openTab(page, open, tenant, call)
  const chip = page.getByRole('button', { name: 'Response gap 2.83s, slow' })
  await expect(chip).toHaveAttribute('aria-expanded', 'false')
  await chip.press('Enter')
  await expect(chip).toHaveAttribute('aria-expanded', 'true')
  const table = page.getByRole('table', { name: 'Parts of the response gap of 2.83s' })
  await expect(table.getByRole('row')).toHaveText([
    /Part.*Duration.*Source/,
    /Endpointing–Unknown/,
    /Speech to text400msMeasured jambonz-feature-server/,
    /Model, first token1\.50sMeasured my-bot/,
    /Application690msMeasured jambonz-feature-server/,
    /Text to speech, first byte120msMeasured jambonz-feature-server/,
    /Unattributed120msDerived/,
  ])
  const getWidth = async (title: string) =>
    (await item(page, 'Shall I book').getByTitle(title).boundingBox())?.width ?? 0
  const [model, recognition] = [await getWidth('Model, first token: 1.50s'), await getWidth('Speech to text: 400ms')]
  expect(model / recognition).toBeCloseTo(1500 / 400, 1)

  await table.getByRole('button', { name: 'Show span (Model, first token)' }).click()
  const dialog = page.getByRole('dialog', { name: 'chat' })
  await expect(dialog).toContainText(/Service\s*my-bot/)
  await expect(tab(page, 'Tracing')).toHaveAttribute('aria-selected', 'true')
  await page.reload()
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('treeitem', { name: /^chat/ })).toBeFocused()
  await page.goBack()
  await expect(tab(page, 'Conversation')).toHaveAttribute('aria-selected', 'true')
})

test('moves through the findings with n and p, buttons, and the list, and announces them', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const call = await writeSpannedCall(server, tenant, createEventfulCall)
  await openTab(page, open, tenant, call)
  await expect(status(page)).toHaveText('6 found. Press n for the next and p for the previous one.')
  await page.keyboard.press('n')
  await expect(status(page)).toHaveText('1 of 6: Low confidence, 45 %, at 00:04')
  await expect(item(page, 'I want to fly')).toBeFocused()
  await page.keyboard.press('n')
  await expect(status(page)).toHaveText('2 of 6: Slow response, 2.83s, at 00:06')
  await findings(page).getByRole('button', { name: 'Next' }).click()
  await expect(status(page)).toHaveText('3 of 6: Failed tool call, find_fares, at 00:07')
  await expect(item(page, 'No fares found')).toBeFocused()
  await page.keyboard.press('p')
  await expect(item(page, 'Shall I book')).toBeFocused()
  await findings(page)
    .getByRole('button', { name: /No input/ })
    .click()
  await expect(status(page)).toHaveText('6 of 6: No input, at 00:23')
  await expect(findings(page).getByRole('button', { name: 'Next' })).toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('n')
  await expect(status(page)).toHaveText(/^6 of 6/)
  await findings(page).getByRole('button', { name: 'Previous' }).click()
  await expect(status(page)).toHaveText('5 of 6: Long silence, 6.00s, at 00:14')
  await expect(status(page)).toBeVisible()
})

test('draws the conversation on the waveform, plays a turn, and marks the turn that plays', async ({
  page,
  context,
  server,
  tenant,
  open,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const recorded = await storeRecording(server.url, tenant.account_sid)
  await writeSpannedCall(server, tenant, createEventfulCall, recorded)
  await open(`/internal/recent-calls/${tenant.account_sid}/${recorded.call_sid}`)
  const gap = onWaveform(page).getByRole('button', { name: 'Response gap 2.83s' })
  expect((await gap.boundingBox())?.width).toBeCloseTo(283, 0)
  // The agent's first turn lasts from 1.15 s to 4.2 s. 100 pixels are a second.
  expect(
    (
      await onWaveform(page)
        .getByTitle(/^Agent: Welcome/)
        .boundingBox()
    )?.width,
  ).toBeCloseTo(305, 0)

  // The recording begins half a second after the call. The turn begins at 9.43 s.
  await item(page, 'Shall I book')
    .getByRole('button', { name: /Shall I book/ })
    .click()
  const turn = item(page, 'Shall I book').getByRole('button', { name: /Shall I book/ })
  await expect(turn).toHaveAttribute('aria-current', 'true')
  await expect(player(page).getByRole('button', { name: 'Pause', exact: true })).toBeVisible()
  await player(page).getByRole('button', { name: 'Pause', exact: true }).click()
  await expect(player(page).getByRole('timer')).toHaveText(/^00:(08|09|1\d) \//)
  await player(page).getByRole('slider', { name: 'Position in the recording' }).press('Home')
  await expect(turn).not.toHaveAttribute('aria-current')
  await player(page).getByRole('slider', { name: 'Position in the recording' }).press('PageDown')

  // A finding moves the player to the second before it.
  await findings(page)
    .getByRole('button', { name: /Slow response/ })
    .click()
  await expect(player(page).getByRole('timer')).toHaveText(/^00:05 \//)
  await expect.poll(async () => (await gap.boundingBox())?.x).toBeGreaterThan(300)

  await gap.dispatchEvent('click')
  await expect(item(page, 'Shall I book')).toBeFocused()
  await expect(page.getByRole('table', { name: 'Parts of the response gap of 2.83s' })).toBeVisible()
  await onWaveform(page).getByRole('button', { name: 'Failed tool call: find_fares' }).dispatchEvent('click')
  await expect(item(page, 'No fares found')).toBeFocused()
  await page.getByRole('button', { name: 'Copy transcript' }).click()
  await expectToast(page, 'Transcript copied to clipboard')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^00:01 Agent: Welcome to/)

  await tab(page, 'Details').click()
  // The conversation is the transcript of the call, so the player has none.
  await expect(player(page).getByText('Transcript', { exact: true })).toHaveCount(0)
  await expect(onWaveform(page)).toHaveCount(0)
})

test('keeps the player in view above every tab, with turns, findings, and the visible part on a strip', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const recorded = await storeRecording(server.url, tenant.account_sid)
  const answered_at = Date.now() - 115_000
  const times = { answered_at, terminated_at: answered_at + 52_000 }
  await writeSpannedCall(server, tenant, createEventfulCall, { ...recorded, ...times })
  await page.setViewportSize({ width: 1280, height: 720 })
  await open(`/internal/recent-calls/${tenant.account_sid}/${recorded.call_sid}`)
  await expect(page.getByText('00:52 talking', { exact: true })).toBeVisible()
  await expect(page.getByText(/^answered after [56] seconds$/)).toBeVisible()

  const mark = (kind: string) => player(page).locator(`[data-mark="${kind}"]`)
  await expect(mark('finding')).toHaveCount(await findings(page).getByRole('listitem').count())
  await expect(mark('caller').first()).toBeAttached()
  const strip = mark('agent').first().locator('../..')
  const visible = strip.locator('> span')
  const [whole, part] = [await strip.boundingBox(), await visible.boundingBox()]
  const wave = await player(page).getByRole('slider', { name: 'Position in the recording' }).boundingBox()
  const [, seconds = '0'] = /\/ 00:(\d\d)/.exec(await player(page).getByRole('timer').innerText()) ?? []
  expect((part?.width ?? 0) / (whole?.width ?? 1)).toBeCloseTo((wave?.width ?? 0) / 100 / Number(seconds), 1)
  await player(page).getByRole('slider', { name: 'Position in the recording' }).press('End')
  await expect.poll(async () => (await visible.boundingBox())?.x).toBeGreaterThan((part?.x ?? 0) + 50)

  await page.mouse.move(600, 600)
  for (const name of ['Conversation', 'Details']) {
    await tab(page, name).click()
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await expect(player(page).getByRole('button', { name: 'Play', exact: true })).toBeInViewport({ ratio: 1 })
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await expectToFit(page, 'a call with a player')
  // On a phone the player would hide half of the page.
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
  await expect(player(page).getByRole('button', { name: 'Play', exact: true })).not.toBeInViewport()
})

test('puts the facts of a call beside its content, and below it in a narrow window', async ({
  page,
  api,
  server,
  tenant,
  open,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { account_sid } = tenant
  const call_hook = { url: 'https://example.org', method: 'POST' }
  const body = { account_sid, name: 'Router support', call_hook, call_status_hook: call_hook }
  const application_sid = (await api.send('POST', '/Applications', body)).body.sid
  const { call_sid } = await writeSpannedCall(server, tenant, createEventfulCall, {
    application_sid,
    trunk: 'Bluewave',
  })
  const facts = page.getByRole('region', { name: 'Facts of the call' })
  await page.setViewportSize({ width: 1440, height: 900 })
  await open(`/internal/recent-calls/${account_sid}/${call_sid}`)
  await expect(facts.getByRole('link', { name: 'Router support' })).toBeVisible()
  await expect(facts.getByText('Bluewave', { exact: true })).toBeVisible()
  await facts.getByRole('button', { name: 'Copy Call SID' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(call_sid)
  for (const [name, width] of [
    ['Conversation', 320],
    ['SIP', 384],
  ] as const) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await tab(page, name).click()
    const panel = page.getByRole('tabpanel')
    const [whole, side] = [await panel.boundingBox(), await facts.boundingBox()]
    expect(side?.width).toBe(width)
    expect((side?.x ?? 0) + width).toBeCloseTo((whole?.x ?? 0) + (whole?.width ?? 0), 0)
    await page.setViewportSize({ width: 1024, height: 900 })
    expect((await facts.boundingBox())?.x).toBe((await panel.boundingBox())?.x)
  }
  // The details contain all facts.
  await tab(page, 'Details').click()
  await expect(page.getByText('Router support')).toHaveCount(0)
  await expect(facts).toHaveCount(0)
})

test('shows the turns and interruptions of a recorded call without a trace', async ({ page, server, tenant, open }) => {
  const spoken = composeCall(11, { noise: 'pink', signalToNoise: 25 }, 3)
  const recorded = await storeRecording(server.url, tenant.account_sid, toPcm(spoken))
  await writeCalls(server.intakePort, tenant, [aCall({ ...recorded, duration: 60 })])
  await openTab(page, open, tenant, recorded)
  const turns = items(page).filter({ hasText: /Caller|Agent/ })
  await expect(turns).toHaveCount(spoken.turns.filter(({ isBackchannel }) => !isBackchannel).length)
  await expect(items(page).getByText(/^Interrupted by the caller/)).toHaveCount(1)
  await expect(items(page).getByText(/^Interrupted by the agent/)).toHaveCount(1)
  await expect(items(page).getByText('(speech without text)').first()).toBeVisible()
  await expect(tab(page, 'Tracing')).toHaveCount(0)
  await turns.nth(2).getByRole('button').last().click()
  await expect(player(page).getByRole('button', { name: 'Pause', exact: true })).toBeVisible()
})

test('names the called party of an outbound call, in its turns, its findings, and on the waveform', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const spoken = composeCall(11, { noise: 'pink', signalToNoise: 25 }, 3)
  const recorded = await storeRecording(server.url, tenant.account_sid, toPcm(spoken))
  await writeCalls(server.intakePort, tenant, [aCall({ ...recorded, duration: 60, direction: 'outbound' })])
  await openTab(page, open, tenant, recorded)
  await expect(items(page).filter({ hasText: 'Called party' }).first()).toBeVisible()
  await expect(items(page).getByText(/^Interrupted by the called party/)).toHaveCount(1)
  await expect(page.getByText(/, by the called party|^by the called party/)).toHaveCount(1)
  await expect(onWaveform(page).getByRole('button', { name: 'Interruption by the called party' })).toHaveCount(1)
  await expect(player(page).getByText('Called party', { exact: true })).toHaveCount(1)
  await expect(page.getByRole('tabpanel').getByText(/\bcaller\b/i)).toHaveCount(0)
})

test('says why a call has no conversation, and retries a failed load', async ({ page, server, tenant, open }) => {
  const { call_sid } = await writeTracedCall(server, tenant)
  const answers = [
    { status: 404, json: { msg: 'Not Found' } },
    { status: 500, json: { msg: 'The disk is on fire' } },
  ]
  await page.route(`**/calls/${call_sid}/conversation`, (route) => {
    const [answer] = answers.splice(0, 1)
    return answer ? route.fulfill(answer) : route.continue()
  })
  await openTab(page, open, tenant, { call_sid })
  await expect(page.getByText('There is no conversation of this call.')).toBeVisible()
  await expect(page.getByText('set the OpenTelemetry exporter of the feature servers')).toBeVisible()
  await page.getByRole('button', { name: 'Check again' }).click()
  await expect(page.getByText('The disk is on fire')).toBeVisible()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(item(page, 'Welcome to Example Airlines')).toBeVisible()
})

test('says that the trace of a call without speech contains no conversation', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const call = await writeSpannedCall(server, tenant, () => [{ name: 'incoming-call', from: 0, until: 5000 }])
  await openTab(page, open, tenant, call)
  await expect(page.getByText('The trace of this call contains no conversation.')).toBeVisible()
})

test('says why the recording of a call without a trace has no turns', async ({ page, server, tenant, open }) => {
  const { account_sid } = tenant
  const silence = Buffer.alloc(8000 * 4 * 2)
  const silent = await storeRecording(server.url, account_sid, silence)
  const other = aCall()
  const deleted = { ...other, recording_url: silent.recording_url.replace(silent.call_sid, other.call_sid) }
  await writeCalls(server.intakePort, tenant, [aCall(silent), deleted])
  await openTab(page, open, tenant, silent)
  await expect(page.getByText('The recording contains no speech.')).toBeVisible()
  await openTab(page, open, tenant, deleted)
  await expect(page.getByText('The recording cannot be read.')).toBeVisible()
  await expect(page.getByText(/It was deleted, or its storage does not respond/)).toBeVisible()
  await expect(page.getByText(/trace of this call/)).toHaveCount(0)

  // A mono file, and an analysis that takes longer than the request, are in recorded-conversations.test.ts.
  const answers = ['analyzing', 'unreadable']
  await page.route(`**/calls/${deleted.call_sid}/conversation`, async (route) => {
    const body = await (await fetchUnconditionally(route)).json()
    const [next] = answers.splice(0, 1)
    await route.fulfill({ json: { ...body, recording: { ...body.recording, status: next } } })
  })
  await page.reload()
  await expect(page.getByText('Patchbay is analyzing the recording.')).toBeVisible()
  await expect(page.getByText(/contains no conversation/)).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Check again' })).toHaveCount(0)
  await expect(page.getByText('The recording is not audio with one channel for each side.')).toBeVisible()
})

test('reports no silence and no slow response while the platform connects the caller', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const [, hello, answer] = createLongCall(4)
  const spans = (dialed: number) => [
    { name: 'incoming-call', from: 0, until: dialed + 60_000 },
    ...[hello, answer].flatMap((span) => span ?? []),
    {
      name: 'verb:dial{1}',
      from: dialed,
      until: dialed + 44_820,
      attributes: { 'verb.summary': 'dial{+15550100002}' },
    },
    {
      name: 'stt-listen:2',
      from: dialed + 5000,
      until: dialed + 9000,
      attributes: {
        'stt.resolve': 'transcript',
        'stt.result': JSON.stringify({ alternatives: [{ transcript: 'Sales, this is Anna.', confidence: 0.9 }] }),
      },
    },
    { name: 'verb:say{text=Back}', from: dialed + 44_900, until: dialed + 46_000, attributes: { text: 'Back again.' } },
  ]
  const last = Math.max(hello?.until ?? 0, answer?.until ?? 0)
  const call = await writeSpannedCall(server, tenant, () => spans(last + 50))
  await openTab(page, open, tenant, call)
  await expect(items(page).last()).toContainText('Back again.')
  await expect(items(page)).toContainText(['dial{+15550100002}'])
  await expect(items(page).filter({ hasText: 'Sales, this is Anna.' })).toContainText('Other side')
  await expect(findings(page)).toContainText('No slow responses, interruptions, long silences, errors')
})

test('says that a conversation has no findings', async ({ page, server, tenant, open }) => {
  const call = await writeSpannedCall(server, tenant, () => createLongCall(4).slice(0, 3))
  await openTab(page, open, tenant, call)
  await expect(items(page)).toHaveText([/Sentence number 1/, /Sentence number 2/])
  await expect(findings(page)).toContainText('No slow responses, interruptions, long silences, errors')
  await page.keyboard.press('n')
  await expect(findings(page)).toContainText('No slow responses')
})

test('has no conversation tab for a call that was not answered', async ({ page, server, tenant, open }) => {
  const call = aCall({ answered: false, trace_id: 'a'.repeat(32) })
  await writeCalls(server.intakePort, tenant, [call])
  await open(`/internal/recent-calls/${tenant.account_sid}/${call.call_sid}`)
  await expect(tab(page, 'Tracing')).toBeVisible()
  await expect(tab(page, 'Conversation')).toHaveCount(0)
})

test('derives the conversation from the trace if the server has no conversations', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const call = await writeSpannedCall(server, tenant, createEventfulCall)
  const requests = recordRequests(page, '/patchbay/accounts/')
  await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
  await openTab(page, open, tenant, call)
  await expect(items(page)).toHaveCount(12)
  await expect(item(page, 'Shall I book')).toHaveText(/^Response gap 2\.83s, slow/)
  await expect(page.getByRole('button', { name: 'Share', exact: true })).toHaveCount(0)
  expect(requests).toEqual([])
})

test('renders 2,000 turns of two hours for the page search, and jumps to any of them', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const call = await writeSpannedCall(server, tenant, () => [
    ...createLongCall(2000),
    { name: 'dtmf:7', from: 7_199_000, until: 7_199_020, attributes: { dtmf: '7' } },
    { name: 'verb:tag', from: 7_199_500, until: 7_199_600, error: 'The last span failed' },
  ])
  await openTab(page, open, tenant, call)
  await expect(page.getByText(/^2,000 turns/)).toBeVisible()
  await page.keyboard.press('p')
  const last = item(page, 'The last span failed')
  await expect(last).toBeFocused()
  await expect.poll(() => isInView(last)).toBe(true)
  await expect(items(page)).toHaveCount(2002)
  // The browser's page search finds a turn far from the visible ones.
  expect(await page.evaluate(() => window.find('number 1001 of'))).toBe(true)
  expect(await page.evaluate(() => getSelection()?.anchorNode?.parentElement?.textContent)).toContain(
    'Sentence number 1001 of',
  )
})

test('has plain texts and no accessibility violations, on a phone and in dark', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const recorded = await storeRecording(server.url, tenant.account_sid)
  await writeSpannedCall(server, tenant, createEventfulCall, recorded)
  await openTab(page, open, tenant, recorded)
  await page.getByRole('button', { name: 'Response gap 2.83s, slow' }).click()
  await expectPlainLanguage(page, 'conversation')
  for (const theme of ['light', 'dark'] as const)
    for (const width of [1440, 390] as const) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 900 })
      await expectNoFindings(page, `conversation-${theme}-${width}`, { rules: rulesFor(theme, width) })
      await expectToFit(page, `conversation-${theme}-${width}`)
      const folder = process.env['PICTURES']
      if (folder) await page.screenshot({ path: `${folder}/conversation-${theme}-${width}.png`, fullPage: true })
    }
})

/** The spans of a LiveKit agent that does not report contents, and what no turn contains. */
const createSilentCall = (): readonly ChosenSpan[] => {
  const session = { parent: 0, service: 'livekit-agents' }
  return [
    { name: 'incoming-call', from: 0, until: 60_000 },
    { name: 'verb:config', from: 500, until: 512, attributes: { 'verb.summary': 'config{recognizer}' } },
    {
      name: 'user_turn',
      from: 5000,
      until: 7500,
      attributes: { 'lk.transcription_delay': 0.3, 'lk.end_of_turn_delay': 0.5 },
      ...session,
    },
    { name: 'agent_turn', from: 7510, until: 11_000, attributes: { 'lk.e2e_latency': 1.6 }, ...session },
    { name: 'agent_speaking', from: 8600, until: 10_900, parent: 3, service: 'livekit-agents' },
    // A response that the caller interrupted before its audio.
    { name: 'agent_turn', from: 20_000, until: 20_800, attributes: { 'lk.interrupted': true }, ...session },
  ]
}

test('keeps turns without their texts, and shows what no turn contains when it is wanted', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const call = await writeSpannedCall(server, tenant, createSilentCall)
  await openTab(page, open, tenant, call)
  const turns = [
    /^00:05Caller\(speech without text\)$/,
    /^Response gap 1\.60s.*00:08Agent\(speech without text\)$/,
  ] as const
  await expect(items(page)).toHaveText([...turns])
  const others = page.getByRole('button', { name: '2 other steps' })
  await others.click()
  await expect(others).toHaveAttribute('aria-pressed', 'true')
  await expect(items(page)).toHaveText([
    /^00:00Stepconfig\{recognizer\} \(12ms\), jambonz-feature-serverShow span/,
    ...turns,
    /^00:20Stepagent_turn \(800ms\), livekit-agentsShow span/,
  ])
  await expectPlainLanguage(page, 'conversation without texts')
  await expectNoFindings(page, 'conversation without texts')
  await page.setViewportSize({ width: 390, height: 900 })
  await expectToFit(page, 'conversation without texts at 390 px')
  await others.click()
  await expect(items(page)).toHaveText([...turns])
})
