import { readFileSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import { expectNoFindings, themes } from './support/axe.ts'
import { writeCallFlow } from './support/call-flows.ts'
import { expectEveryLayout } from './support/expect-every-layout.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { expectPlainLanguage } from './support/plain-language.ts'
import { withoutExtensions } from './support/records.ts'
import { expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Reports about calls for the support of a carrier: files and links. */

const reportButton = (page: Page) => page.getByRole('button', { name: 'Report for the carrier' })
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Report for the carrier' })
const links = (page: Page) => dialog(page).getByRole('list', { name: 'Links to this call' }).getByRole('listitem')
const messages = (page: Page) => page.getByRole('list', { name: 'SIP messages' })
const choose = (page: Page, label: string, option: string) => dialog(page).getByLabel(label).selectOption(option)

interface Server {
  intakePort: number
  hepPort: number
}
interface Api {
  send: (method: 'GET', path: string) => Promise<{ body: { total: number } }>
}

/** Writes a call that its carrier rejected, with its SIP. Returns the path of its page. */
const writeRejectedCall = async (server: Server, tenant: Tenant, api: Api): Promise<string> => {
  const { call, callid, length } = await writeCallFlow(server, tenant, 'faulty/refused-503-no-circuit', {
    answered: false,
    sip_status: 503,
    direction: 'outbound',
    from: '15550100001',
    to: '15550100002',
  })
  const captured = () => api.send('GET', `/Accounts/${tenant.account_sid}/RecentCalls/${callid}`)
  await expect.poll(async () => (await captured()).body.total).toBe(length)
  return `/internal/recent-calls/${tenant.account_sid}/${call.call_sid}`
}

const openDialog = async (page: Page): Promise<void> => {
  await reportButton(page).click()
  await expect(dialog(page)).toBeVisible()
}

/** Creates a link in the open dialog, and returns its URL. */
const createLink = async (page: Page): Promise<string> => {
  await dialog(page).getByRole('button', { name: 'Create and copy link' }).click()
  const url = dialog(page).getByText('/shared-report#')
  await expect(url).toBeVisible()
  return url.innerText()
}

const download = async (page: Page, name: string, part: Page | Locator = page) => {
  const [file] = await Promise.all([page.waitForEvent('download'), part.getByRole('button', { name }).click()])
  return { name: file.suggestedFilename(), content: readFileSync(await file.path(), 'latin1') }
}

const numbers = ['15550100001', '15550100002']

test('shares a masked report by a link that works without a session, and until it is revoked', async ({
  page,
  browser,
  server,
  tenant,
  api,
  open,
}) => {
  await open(await writeRejectedCall(server, tenant, api))
  await openDialog(page)
  await expect(dialog(page).getByRole('button', { name: 'Create and copy link' })).toBeVisible()
  // A call with one leg has no choice.
  await expect(dialog(page).getByLabel('Legs')).toHaveCount(0)
  await choose(page, 'Phone numbers', 'Mask numbers')
  await choose(page, 'Addresses', 'Mask all addresses')
  await dialog(page).getByRole('textbox', { name: 'Note' }).fill('Ticket 4711')
  const url = await createLink(page)
  await expect(links(page)).toHaveText([/Ticket 4711.*0 views.*Report: numbers masked, addresses masked/s])

  const viewer = await (await browser.newContext()).newPage()
  const bodies: string[] = []
  viewer.on('response', async (response) => {
    if (response.url().includes('/patchbay/')) bodies.push(await response.text())
  })
  await viewer.goto(url)
  await expect(viewer.getByRole('region', { name: 'Verdict' })).toContainText('503 Service Unavailable')
  await messages(viewer)
    .getByRole('button', { name: /INVITE/ })
    .first()
    .click()
  const text = viewer.getByRole('dialog').getByLabel('The whole message')
  await expect(text).toContainText('sip:number-')
  await viewer.keyboard.press('Escape')
  const report = await download(viewer, 'Download report')
  const pcap = await download(viewer, 'Download pcap')
  expect(report.name).toMatch(/^call-report-.*Z\.html$/)
  expect(pcap.name).toMatch(/^call-report-.*Z\.pcap$/)
  const everything = [...bodies, await viewer.content(), report.content, pcap.content].join('\n')
  for (const number of numbers) expect(everything).not.toContain(number)

  await links(page).getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog', { name: 'Revoke this link?' }).getByRole('button', { name: 'Revoke link' }).click()
  await expectToast(page, 'Link revoked')
  await viewer.reload()
  await expect(viewer.getByText('This link is no longer valid.')).toBeVisible()
  await expect(messages(viewer)).toHaveCount(0)
  await viewer.context().close()
})

test('downloads the files of a report by keyboard, with an example of what is masked', async ({
  page,
  server,
  tenant,
  api,
  open,
}) => {
  await open(await writeRejectedCall(server, tenant, api))
  await reportButton(page).focus()
  await page.keyboard.press('Enter')
  await expect(dialog(page).getByLabel('Phone numbers')).toBeFocused()
  await expect(dialog(page)).toContainText('15550100002 is shown.')
  await page.keyboard.press('ArrowDown')
  await expect(dialog(page)).toContainText('15550100002 becomes number-1-0002.')
  const report = await download(page, 'Download report', dialog(page))
  expect(report.content).toContain('503 Service Unavailable')
  for (const number of numbers) expect(report.content).not.toContain(number)
  await page.route('**/call-report.pcap?*', (route) => route.fulfill({ status: 404, json: { msg: 'No SIP here' } }), {
    times: 1,
  })
  await dialog(page).getByRole('button', { name: 'Download pcap' }).click()
  await expect(dialog(page).getByRole('alert')).toHaveText(/No SIP here/)
  const pcap = await download(page, 'Download pcap', dialog(page))
  expect(pcap.content.startsWith('\xd4\xc3\xb2\xa1')).toBe(true)
  await page.keyboard.press('Escape')
  await expect(reportButton(page)).toBeFocused()
})

/** Facts that identify the leg of the caller, in its record and in its SIP. */
const callerFacts = ['15550100736', '15550100737', '442079460111', '203.0.113.7', '198.51.100.4', 'Bluewave-SBC']

/** Writes a call with the leg of a SIP user, and one that a carrier rejected. Returns the path of the first. */
const writeTwoLegs = async (server: Server, tenant: Tenant, api: Api): Promise<string> => {
  const captured = (callid: string) => async () =>
    (await api.send('GET', `/Accounts/${tenant.account_sid}/RecentCalls/${callid}`)).body.total
  const own = await writeCallFlow(server, tenant, 'healthy/ack-after-bye', {
    direction: 'inbound',
    trunk: 'user',
    from: '442079460111',
    to: '15550100737',
  })
  const outbound = await writeCallFlow(server, tenant, 'faulty/refused-503-no-circuit', {
    answered: false,
    sip_status: 503,
    direction: 'outbound',
    trunk: 'Northern Telecom',
    from: '15550100001',
    to: '15550100002',
    sip_parent_callid: own.callid,
  })
  for (const { callid, length } of [own, outbound]) await expect.poll(captured(callid)).toBe(length)
  return `/internal/recent-calls/${tenant.account_sid}/${own.call.call_sid}`
}

const legField = (page: Page) => dialog(page).getByLabel('Legs')

test('has only the leg of the carrier at first, in its files and in its link, and all legs by choice', async ({
  page,
  browser,
  server,
  tenant,
  api,
  open,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open(await writeTwoLegs(server, tenant, api))
  await openDialog(page)
  await expect(legField(page).locator('option')).toHaveText([
    'All legs',
    /^Only leg A: .*inbound, user$/,
    /^Only leg B: .*outbound, Northern Telecom$/,
  ])
  await expect(legField(page).locator('option:checked')).toHaveText(/^Only leg B/)
  await expect(dialog(page)).toContainText('The leg of the carrier, which has seen no other.')
  await expectEveryLayout(page)
  await choose(page, 'Addresses', 'Show addresses')
  const files = await Promise.all([
    download(page, 'Download report', dialog(page)),
    download(page, 'Download pcap', dialog(page)),
  ])
  const url = await createLink(page)
  await expect(links(page)).toHaveText([/Report: numbers shown, addresses shown, one leg/])

  const viewer = await (await browser.newContext()).newPage()
  await viewer.goto(url)
  await expect(viewer.getByRole('region', { name: 'Verdict' })).toContainText('503 Service Unavailable')
  const contents = [...files.map(({ content }) => content), await viewer.content()]
  for (const text of contents) {
    expect(text).toContain('15550100002')
    for (const fact of callerFacts) expect(text).not.toContain(fact)
  }
  await viewer.context().close()

  await legField(page).selectOption('All legs')
  await expect(dialog(page)).toContainText('The report shows what every party of the call has sent.')
  const { content } = await download(page, 'Download report', dialog(page))
  for (const fact of [...callerFacts.slice(0, 2), '15550100002']) expect(content).toContain(fact)
})

test('chooses legs by keyboard, and has only the opened one if the others cannot be loaded', async ({
  page,
  server,
  tenant,
  api,
  open,
}) => {
  const path = await writeTwoLegs(server, tenant, api)
  await open(path)
  await openDialog(page)
  await legField(page).focus()
  await page.keyboard.press('ArrowUp')
  await expect(legField(page).locator('option:checked')).toHaveText(/^Only leg A/)
  await expect(dialog(page)).toContainText('Nothing of the other legs is in the report.')
  const chosen = await download(page, 'Download report', dialog(page))
  expect(chosen.content).toContain('15550100736')
  expect(chosen.content).not.toContain('15550100002')

  await page.route('**/call-legs?*', (route) => route.fulfill({ status: 500, json: { msg: 'Out of order' } }))
  await open(path)
  await openDialog(page)
  await expect(dialog(page).getByRole('alert')).toContainText('The other legs of this call could not be loaded.')
  await expect(legField(page)).toHaveCount(0)
  const opened = await download(page, 'Download report', dialog(page))
  expect(opened.content).toContain('15550100736')
  expect(opened.content).not.toContain('15550100002')
})

test('lets view-only users download a report, but not create a link', async ({ page, server, tenant, api, open }) => {
  const path = await writeRejectedCall(server, tenant, api)
  const { token } = await api.person({ account_sid: tenant.account_sid, is_view_only: true })
  await open(path, token)
  await openDialog(page)
  await expect(
    dialog(page)
      .getByText(/You have view-only access/)
      .first(),
  ).toBeVisible()
  await expect(dialog(page).getByRole('button', { name: 'Create and copy link' })).toHaveCount(0)
  expect((await download(page, 'Download pcap', dialog(page))).name).toMatch(/\.pcap$/)
})

test('is hidden if the server does not have it', async ({ page, server, tenant, api, open }) => {
  const path = await writeRejectedCall(server, tenant, api)
  await withoutExtensions(page)
  await open(path)
  await expect(page.getByRole('button', { name: 'Download pcap' })).toBeVisible()
  await expect(reportButton(page)).toHaveCount(0)
})

for (const theme of themes)
  test(`has no accessibility findings, overflow, or odd language (${theme})`, async ({
    page,
    browser,
    server,
    tenant,
    api,
    open,
  }) => {
    await page.emulateMedia({ colorScheme: theme })
    await open(await writeRejectedCall(server, tenant, api))
    await openDialog(page)
    await expectNoFindings(page, 'the form')
    await page.setViewportSize({ width: 390, height: 844 })
    await expectToFit(page, 'the form at 390 px')
    const url = await createLink(page)
    await expect(links(page)).toHaveCount(1)
    await expectNoFindings(page, 'the new link')
    await expectPlainLanguage(page, 'the dialog')
    const viewer = await (await browser.newContext()).newPage()
    await viewer.emulateMedia({ colorScheme: theme })
    await viewer.goto(url)
    await expect(messages(viewer).getByRole('button').first()).toBeVisible()
    for (const width of [1440, 390]) {
      await viewer.setViewportSize({ width, height: 900 })
      await expectToFit(viewer, `the report at ${width} px`)
      await expectNoFindings(viewer, `the report at ${width} px`)
    }
    await expectPlainLanguage(viewer, 'the report')
    const { content } = await download(viewer, 'Download report')
    // The console allows no document to be written into its own pages.
    const file = await viewer.context().newPage()
    await file.emulateMedia({ colorScheme: theme })
    await file.setContent(content)
    for (const width of [1440, 390]) {
      await file.setViewportSize({ width, height: 900 })
      await expectToFit(file, `the file at ${width} px`)
      await expectNoFindings(file, `the file at ${width} px`)
    }
    await viewer.context().close()
  })
