import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hepAgent, hepPacket } from '@patchbay/testkit/peers/hep'
import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { aCall, writeCalls, writeTracedCall } from './support/calls.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const row = (page: Page) => page.getByRole('button', { name: /^Call from/ })
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
const spans = (page: Page) => page.getByRole('tree', { name: 'Spans of the call' }).getByRole('treeitem')
const span = (page: Page, name: RegExp) => spans(page).filter({ hasText: name }).first()

const recordRequests = (page: Page, part: string): string[] => {
  const requestedUrls: string[] = []
  page.on('request', (request) => {
    if (request.url().includes(part)) requestedUrls.push(request.url())
  })
  return requestedUrls
}

/** Returns the horizontal position of a bar in its row, in pixels. */
const measureBar = async (page: Page, name: RegExp) => {
  const box = await span(page, name).locator('[style*="inset-inline-start"]').first().boundingBox()
  return box ? { from: box.x, until: box.x + box.width } : { from: Number.NaN, until: Number.NaN }
}

test('CALLS-08 CALLS-09 CALLS-17 loads the trace once when it is first opened, with spans nested by time', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const { trace_id } = await writeTracedCall(server, tenant, { duration: 40 })
  const traceRequests = recordRequests(page, '/RecentCalls/trace/')
  await open('/internal/recent-calls')
  await expect(row(page)).toBeVisible()
  expect(traceRequests).toEqual([])
  await row(page).click()
  await expect(tab(page, 'Details')).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('region', { name: 'Parties' })).toBeVisible()
  await expect.poll(() => traceRequests).toEqual([expect.stringContaining(trace_id)])
  await tab(page, 'Tracing').click()
  await expect(span(page, /^incoming-call/)).toHaveAttribute('aria-level', '1')
  const say = span(page, /^verb:say/)
  await expect(say).toHaveAttribute('aria-level', '2')
  await expect(span(page, /^tts-generation/)).toHaveAttribute('aria-level', '3')
  const whole = await measureBar(page, /^incoming-call/)
  const [first, synthesis] = [await measureBar(page, /^verb:say/), await measureBar(page, /^tts-generation/)]
  expect(whole.from).toBeLessThan(first.from)
  expect(first.from).toBeLessThanOrEqual(synthesis.from)
  expect(synthesis.until).toBeLessThanOrEqual(first.until + 1)
  expect(first.until).toBeLessThan(whole.until)
  await expect(page.getByText(/The caller waited .* in all/)).toContainText(/for speech recognition/)

  await row(page).click()
  await expect(spans(page)).toHaveCount(0)
  await row(page).click()
  await tab(page, 'Tracing').click()
  await expect(say).toBeVisible()
  expect(traceRequests).toHaveLength(1)
})

test('CALLS-18 CALLS-19 shows name, times, and attributes of a span, and supports navigating and folding with keys', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const { account_sid } = tenant
  const { call_sid } = await writeTracedCall(server, tenant, { duration: 30 })
  await open(`/internal/recent-calls/${account_sid}/${call_sid}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^\+1 \(508\) 308-4809 to/)
  await tab(page, 'Tracing').click()
  await expect(spans(page).first()).toBeVisible()
  const all = await spans(page).count()
  await page.getByRole('button', { name: 'Collapse all', exact: true }).click()
  await expect(spans(page)).toHaveCount(1)
  await spans(page).first().focus()
  await page.keyboard.press('ArrowRight')
  await expect(span(page, /^incoming-call/)).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('ArrowDown')
  await expect(span(page, /^lookupAccountDetails/)).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(span(page, /^incoming-call/)).toBeFocused()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'incoming-call' })
  const parseInstant = async (edge: 'Start' | 'End') => {
    const pattern = new RegExp(String.raw`Span ${edge}\s*(\d\d)/(\d\d)/(\d\d) (\d\d:\d\d:\d\d\.\d{3})`)
    await expect(dialog).toContainText(pattern)
    const [, day, month, year, time] = pattern.exec((await dialog.textContent()) ?? '') ?? []
    return Date.parse(`20${year}-${month}-${day}T${time}Z`)
  }
  const seconds = ((await parseInstant('End')) - (await parseInstant('Start'))) / 1000
  expect(seconds).toBeCloseTo(30, 0)
  await expect(dialog).toContainText(/Duration\s*30\.\d\ds/)
  await expect(dialog).toContainText('call.termination')
  await expect(dialog).toContainText('hangup by caller')
  for (const hidden of ['telemetry.sdk', 'internal.span']) await expect(dialog).not.toContainText(hidden)
  await page.keyboard.press('Escape')
  await expect(span(page, /^incoming-call/)).toBeFocused()

  await page.getByRole('searchbox', { name: 'Filter spans' }).fill('Wavenet')
  await expect(spans(page).first()).toContainText('incoming-call')
  await span(page, /^tts-generation/).click()
  const generationDetails = page.getByRole('dialog', { name: 'tts-generation' })
  await expect(generationDetails).toContainText(/tts\.cached\s*false/)
  await page.keyboard.press('Escape')
  await page.getByRole('searchbox', { name: 'Filter spans' }).fill('nowhere to be found')
  await expect(page.getByText('No spans match.')).toBeVisible()
  await page.getByRole('searchbox', { name: 'Filter spans' }).fill('')
  await page.getByRole('button', { name: 'Expand all' }).click()
  await expect(spans(page)).toHaveCount(all)
})

test('renders only the visible part of 5,000 spans, and reaches any span with keys, the wheel, and the filter', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const trace_id = randomUUID().replaceAll('-', '')
  const call = aCall({ trace_id })
  const toSpanId = (n: number) => (n + 1).toString(16).padStart(16, '0')
  // Groups of ten spans, all of them descendants of the first span.
  const getParent = (n: number) => (n === 0 ? {} : { parentSpanId: toSpanId(n % 10 === 1 ? 0 : n - ((n - 1) % 10)) })
  const nanoseconds = (milliseconds: number) => `${call.attempted_at + milliseconds}000000`
  const all = Array.from({ length: 5000 }, (_, n) => ({
    traceId: trace_id,
    spanId: toSpanId(n),
    ...getParent(n),
    kind: 1,
    name: n === 0 ? 'incoming-call' : `verb:${n}.`,
    startTimeUnixNano: nanoseconds(n),
    endTimeUnixNano: nanoseconds(n === 0 ? 6000 : n + 1),
    attributes: [{ key: 'text', value: { stringValue: `part ${n}` } }],
  }))
  const exportResponse = await fetch(`http://127.0.0.1:${server.otlpPort}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: all }] }] }),
  })
  expect(exportResponse.status).toBe(200)
  await writeCalls(server.intakePort, tenant, [call])
  await open(`/internal/recent-calls/${tenant.account_sid}/${call.call_sid}`)
  await tab(page, 'Tracing').click()
  await expect(page.getByText('5,000 spans in 6.00s')).toBeVisible()
  await spans(page).first().focus()
  await page.keyboard.press('End')
  await expect(span(page, /^verb:4999/)).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(span(page, /^verb:4998/)).toBeFocused()
  expect(await spans(page).count()).toBeLessThan(300)
  await page.mouse.wheel(0, -60_000)
  await expect(span(page, /^verb:4998/)).toHaveCount(0)
  const { y } = (await page.getByRole('tree').boundingBox()) ?? { y: Number.NaN }
  expect(y).toBeLessThan(0)
  await expect(spans(page).nth(100)).toBeVisible()
  await spans(page).nth(100).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('part ')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Home')
  await expect(span(page, /^incoming-call/)).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(span(page, /^verb:1\./)).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowDown')
  await expect(span(page, /^verb:11\./)).toBeFocused()
  await page.getByRole('searchbox', { name: 'Filter spans' }).fill('part 2345')
  await expect(spans(page)).toHaveText([/^incoming-call/, /^verb:2341/, /^verb:2345/])
})

test('reports that a trace has more spans than are shown', async ({ page, server, tenant, open }) => {
  const trace_id = randomUUID().replaceAll('-', '')
  const call = aCall({ trace_id })
  const createSpan = (n: number) => ({
    traceId: trace_id,
    spanId: (n + 1).toString(16).padStart(16, '0'),
    ...(n === 0 ? {} : { parentSpanId: (1).toString(16).padStart(16, '0') }),
    kind: 1,
    name: n === 0 ? 'incoming-call' : `verb:${n}`,
    startTimeUnixNano: `${call.attempted_at + n}000000`,
    endTimeUnixNano: `${call.attempted_at + n + 1}000000`,
    attributes: [],
  })
  for (let from = 0; from < 12_000; from += 4000) {
    const some = Array.from({ length: 4000 }, (_, n) => createSpan(from + n))
    const { status } = await fetch(`http://127.0.0.1:${server.otlpPort}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: some }] }] }),
    })
    expect(status).toBe(200)
  }
  await writeCalls(server.intakePort, tenant, [call])
  await open(`/internal/recent-calls/${tenant.account_sid}/${call.call_sid}`)
  await tab(page, 'Tracing').click()
  await expect(page.getByText('This trace is not complete.')).toBeVisible()
  await expect(page.getByText('You see the first 10,000.')).toBeVisible()
  await expectNoFindings(page, 'cut trace')
})

test('CALLS-09 COMMON-13 shows only the details of a call without a trace, or if tracing is switched off', async ({
  page,
  server,
  tenant,
  open,
}) => {
  await writeCalls(server.intakePort, tenant, [aCall({ trace_id: '0'.repeat(32) })])
  const traceRequests = recordRequests(page, '/RecentCalls/trace/')
  await open('/internal/recent-calls')
  const conversation = page.waitForResponse(/\/conversation$/)
  await row(page).click()
  const parties = page.getByRole('region', { name: 'Parties' })
  await expect(parties).toBeVisible()
  expect((await conversation).status()).toBe(404)
  await expect(page.getByRole('tab')).toHaveCount(0)

  const { call_sid } = await writeTracedCall(server, tenant)
  await page.route('**/config.json', async (route) => {
    const config = await (await route.fetch()).json()
    await route.fulfill({ json: { ...config, switches: [...config.switches, 'no-tracing'] } })
  })
  for (const search of ['', '?tab=conversation']) {
    const derived = page.waitForResponse(/\/conversation$/)
    await open(`/internal/recent-calls/${tenant.account_sid}/${call_sid}${search}`)
    await expect(parties).toBeVisible()
    await derived
    await expect(page.getByRole('tab')).toHaveCount(0)
  }
  expect(traceRequests).toEqual([])
})

test('shows a missing or failing trace in place, with a retry', async ({ page, server, tenant, open }) => {
  const { call_sid, trace_id } = await writeTracedCall(server, tenant)
  const pattern = `**/RecentCalls/trace/${trace_id}`
  const answers = [
    { status: 404, json: { msg: 'Not Found' } },
    { status: 500, json: { msg: 'The disk is on fire' } },
  ]
  await page.route(pattern, (route) => {
    const [answer] = answers.splice(0, 1)
    return answer ? route.fulfill(answer) : route.continue()
  })
  await open(`/internal/recent-calls/${tenant.account_sid}/${call_sid}`)
  await tab(page, 'Tracing').click()
  await expect(page.getByText('There is no trace of this call.')).toBeVisible()
  await page.getByRole('button', { name: 'Check again' }).click()
  await expect(page.getByText('The disk is on fire')).toBeVisible()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(span(page, /^incoming-call/)).toBeVisible()
})

test('shows an empty page for an unknown call or a call of another account', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const other = await api.account(tenant.service_provider_sid)
  const { call_sid } = await writeTracedCall(server, { ...tenant, account_sid: other })
  await open(`/internal/recent-calls/${tenant.account_sid}/${call_sid}`)
  await expect(page.getByText('There is no record of this call.')).toBeVisible()
})

test.describe('logs of a call', () => {
  const line = (call_sid: string, level: number, msg: string) =>
    JSON.stringify({ level, time: 1_764_000_000_123, callSid: call_sid, msg })
  const ship = (otlpPort: number, lines: readonly string[]) =>
    fetch(`http://127.0.0.1:${otlpPort}/logs`, { method: 'POST', body: lines.join('\n') })
  const lines = (page: Page) => page.getByRole('list', { name: 'Log lines' }).getByRole('listitem')

  test('CALLS-10 CALLS-30 CALLS-33 COMMON-18 filters, expands, and copies log lines, and hides the tab if logs are switched off', async ({
    page,
    server,
    tenant,
    open,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const { call_sid } = await writeTracedCall(server, tenant)
    await ship(server.otlpPort, [line(call_sid, 30, 'call answered'), line(call_sid, 50, 'webhook failed'), ''])
    const path = `/internal/recent-calls/${tenant.account_sid}/${call_sid}`
    await open(path)
    await tab(page, 'Logs').click()
    await expect(lines(page)).toHaveText([/2025-11-24 16:00:00Z\s*info\s*call answered/, /error\s*webhook failed/])
    await lines(page).first().getByText('call answered').first().click()
    await expect(lines(page).first().locator('pre')).toContainText('"time": "2025-11-24 16:00:00Z"')
    await page.getByLabel('Level').selectOption('error')
    await expect(lines(page)).toHaveText([/webhook failed/])
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await expectToast(page, 'Logs copied to clipboard')
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(JSON.parse(copied)).toMatchObject({ level: 50, msg: 'webhook failed' })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download', exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`${call_sid}.log`)

    await page.route('**/config.json', async (route) => {
      const config = await (await route.fetch()).json()
      const switches = config.switches.filter((name: string) => name !== 'call-logs')
      await route.fulfill({ json: { ...config, switches } })
    })
    await open(path)
    await expect(tab(page, 'Tracing')).toBeVisible()
    await expect(tab(page, 'Logs')).toHaveCount(0)
  })

  test('CALLS-31 CALLS-32 CALLS-34 reports missing lines, a missing log, and a missing clipboard', async ({
    page,
    server,
    tenant,
    open,
  }) => {
    const { call_sid } = await writeTracedCall(server, tenant)
    await page.addInitScript(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('no'))
    })
    await open(`/internal/recent-calls/${tenant.account_sid}/${call_sid}`)
    await tab(page, 'Logs').click()
    await expect(page.getByText('No logs found', { exact: true })).toBeVisible()
    const pattern = `**/RecentCalls/${call_sid}/logs`
    await page.route(pattern, (route) => route.fulfill({ status: 404, json: { msg: 'Call not found' } }))
    await page.reload()
    await tab(page, 'Logs').click()
    await expect(page.getByText('There is no log for this call', { exact: true })).toBeVisible()
    await page.unroute(pattern)
    await ship(server.otlpPort, [line(call_sid, 30, 'late')])
    await page.getByRole('button', { name: 'Check again' }).click()
    await expect(lines(page)).toHaveText([/late/])
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await expectToast(page, 'Failed to copy logs')
  })
})

test('CALLS-12 downloads the captured SIP of a call as a pcap file, and reports a missing capture', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const { account_sid } = tenant
  const call = aCall()
  await writeCalls(server.intakePort, tenant, [call])
  await open('/internal/recent-calls')
  await row(page).click()
  const pcap = page.getByRole('button', { name: 'Download pcap' })
  await pcap.click()
  await expect(page.getByText('No SIP of this call was captured.')).toBeVisible()
  const sip_callid = `sip-${call.call_sid}`
  const agent = hepAgent(server.hepPort)
  const ends = { source: '10.0.0.5', sourcePort: 5060, destination: '10.1.1.1', destinationPort: 5060 }
  const payload = Buffer.from(`INVITE sip:1@example.org SIP/2.0\r\nCall-ID: ${sip_callid}\r\nCSeq: 1 INVITE\r\n\r\n`)
  await agent.send(hepPacket({ ...ends, payload }))
  const captured = () => api.send('GET', `/Accounts/${account_sid}/RecentCalls/${sip_callid}`)
  await expect.poll(async () => (await captured()).body.total).toBe(1)
  const [download] = await Promise.all([page.waitForEvent('download'), pcap.click()])
  expect(download.suggestedFilename()).toBe(`callid-${sip_callid}.pcap`)
  const file = readFileSync(await download.path())
  expect([file.readUInt32LE(0), file.includes('INVITE sip:1@example.org')]).toEqual([0xa1b2c3d4, true])
  agent.stop()
})
