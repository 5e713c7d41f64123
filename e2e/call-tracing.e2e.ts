import type { Page } from '@playwright/test'
import { aCall, writeCalls, writeTracedCall } from './support/calls.ts'
import { expect, test } from './support/test.ts'

const row = (page: Page) => page.getByRole('button', { name: /^Call from/ })
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
const spans = (page: Page) => page.getByRole('tree', { name: 'Spans of the call' }).getByRole('treeitem')
const span = (page: Page, name: RegExp) => spans(page).filter({ hasText: name }).first()

const askedFor = (page: Page, part: string): string[] => {
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes(part)) asked.push(request.url())
  })
  return asked
}

/** Where a bar begins and ends in its row, pixels. */
const barOf = async (page: Page, name: RegExp) => {
  const box = await span(page, name).locator('[style*="inset-inline-start"]').first().boundingBox()
  return box ? { from: box.x, until: box.x + box.width } : { from: Number.NaN, until: Number.NaN }
}

test('CALLS-08 CALLS-09 CALLS-17 the trace comes with the first opening and not again; its spans nest in time', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const { trace_id } = await writeTracedCall(server, tenant, { duration: 40 })
  const asked = askedFor(page, '/RecentCalls/trace/')
  await open('/internal/recent-calls')
  await expect(row(page)).toBeVisible()
  expect(asked).toEqual([])
  await row(page).click()
  await expect(tab(page, 'Details')).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('region', { name: 'Parties' })).toBeVisible()
  await expect.poll(() => asked).toEqual([expect.stringContaining(trace_id)])
  await tab(page, 'Tracing').click()
  await expect(span(page, /^incoming-call/)).toHaveAttribute('aria-level', '1')
  const say = span(page, /^verb:say/)
  await expect(say).toHaveAttribute('aria-level', '2')
  await expect(span(page, /^tts-generation/)).toHaveAttribute('aria-level', '3')
  const whole = await barOf(page, /^incoming-call/)
  const [first, made] = [await barOf(page, /^verb:say/), await barOf(page, /^tts-generation/)]
  expect(whole.from).toBeLessThan(first.from)
  expect(first.from).toBeLessThanOrEqual(made.from)
  expect(made.until).toBeLessThanOrEqual(first.until + 1)
  expect(first.until).toBeLessThan(whole.until)
  await expect(page.getByText(/^The caller waited .* in all/)).toContainText(/for speech recognition/)

  await row(page).click()
  await expect(spans(page)).toHaveCount(0)
  await row(page).click()
  await tab(page, 'Tracing').click()
  await expect(say).toBeVisible()
  expect(asked).toHaveLength(1)
})

test('CALLS-18 opening a span shows its name, times and attributes; the tree is walked and folded by keys', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const { account_sid } = tenant
  const { call_sid } = await writeTracedCall(server, tenant, { duration: 30 })
  await open(`/internal/recent-calls/${account_sid}/${call_sid}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/15083084809 to/)
  await tab(page, 'Tracing').click()
  const all = await spans(page).count()
  await page.getByRole('button', { name: 'Fold all', exact: true }).click()
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
  await expect(dialog).toContainText(/Span Start\s*\d\d\/\d\d\/\d\d \d\d:\d\d:\d\d\.\d{3}/)
  await expect(dialog).toContainText(/Duration\s*30\.\d\ds/)
  await expect(dialog).toContainText('call.termination')
  await expect(dialog).toContainText('hangup by caller')
  await page.keyboard.press('Escape')
  await expect(span(page, /^incoming-call/)).toBeFocused()

  await page.getByRole('searchbox', { name: 'Filter spans' }).fill('Wavenet')
  await expect(spans(page).first()).toContainText('incoming-call')
  await span(page, /^tts-generation/).click()
  const made = page.getByRole('dialog', { name: 'tts-generation' })
  await expect(made).toContainText(/tts\.cached\s*false/)
  await page.keyboard.press('Escape')
  await page.getByRole('searchbox', { name: 'Filter spans' }).fill('nowhere to be found')
  await expect(page.getByText('No span has this text.')).toBeVisible()
  await page.getByRole('searchbox', { name: 'Filter spans' }).fill('')
  await page.getByRole('button', { name: 'Unfold all' }).click()
  await expect(spans(page)).toHaveCount(all)
})

test('CALLS-09 COMMON-13 a call without a trace, and any where tracing is switched off, shows only its details', async ({
  page,
  server,
  tenant,
  open,
}) => {
  await writeCalls(server.intakePort, tenant, [aCall({ trace_id: '0'.repeat(32) })])
  const asked = askedFor(page, '/RecentCalls/trace/')
  await open('/internal/recent-calls')
  await row(page).click()
  const parties = page.getByRole('region', { name: 'Parties' })
  await expect(parties).toBeVisible()
  await expect(page.getByRole('tab')).toHaveCount(0)

  const { call_sid } = await writeTracedCall(server, tenant)
  await page.route('**/config.json', async (route) => {
    const config = await (await route.fetch()).json()
    await route.fulfill({ json: { ...config, switches: [...config.switches, 'no-tracing'] } })
  })
  await open(`/internal/recent-calls/${tenant.account_sid}/${call_sid}`)
  await expect(parties).toBeVisible()
  await expect(page.getByRole('tab')).toHaveCount(0)
  expect(asked).toEqual([])
})

test('a trace that is not there yet, or cannot be read, is told in its place and asked for again', async ({
  page,
  server,
  tenant,
  open,
}) => {
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
  await page.getByRole('button', { name: 'Look again' }).click()
  await expect(page.getByText('The disk is on fire')).toBeVisible()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(span(page, /^incoming-call/)).toBeVisible()
})

test('a call that is not, or is of another account, has an empty page', async ({ page, api, server, tenant, open }) => {
  const other = await api.account(tenant.service_provider_sid)
  const { call_sid } = await writeTracedCall(server, { ...tenant, account_sid: other })
  await open(`/internal/recent-calls/${tenant.account_sid}/${call_sid}`)
  await expect(page.getByText('There is no record of this call.')).toBeVisible()
})
