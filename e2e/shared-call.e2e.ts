import type { Browser, Page } from '@playwright/test'
import { expectNoFindings, themes } from './support/axe.ts'
import { createEventfulCall, storeRecording, writeSpannedCall } from './support/conversations.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { expectPlainLanguage } from './support/plain-language.ts'
import { readClipboard } from './support/run-code.ts'
import { expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'
import { fetchUnconditionally } from './support/unconditional-fetch.ts'

/** Links to calls: created in the Conversation tab, and opened by people without a user. */

const shareDialog = (page: Page) => page.getByRole('dialog', { name: 'Share call' })
const links = (page: Page) => shareDialog(page).getByRole('list', { name: 'Links to this call' }).getByRole('listitem')
const turns = (page: Page) => page.getByRole('list', { name: 'Conversation', exact: true }).getByRole('listitem')

const openDialog = async (
  page: Page,
  open: (path: string) => Promise<void>,
  { account_sid }: Pick<Tenant, 'account_sid'>,
  { call_sid }: { call_sid: string },
): Promise<void> => {
  await open(`/internal/recent-calls/${account_sid}/${call_sid}?tab=conversation`)
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await expect(shareDialog(page)).toBeVisible()
}

/** Creates a link in the open dialog, and returns its URL. */
const createLink = async (page: Page): Promise<string> => {
  await shareDialog(page).getByRole('button', { name: 'Create and copy link' }).click()
  const url = shareDialog(page).getByText('/shared-call#')
  await expect(url).toBeVisible()
  return url.innerText()
}

/** Opens a link in a browser without a session. */
const openLink = async (browser: Browser, url: string): Promise<Page> => {
  const page = await (await browser.newContext()).newPage()
  await page.goto(url)
  return page
}

test('shares a recorded call by a link that works without a session, and until it is revoked', async ({
  page,
  browser,
  server,
  tenant,
  open,
}) => {
  const recorded = await storeRecording(server.url, tenant.account_sid)
  await writeSpannedCall(server, tenant, createEventfulCall, recorded)
  await openDialog(page, open, tenant, recorded)
  await expect(shareDialog(page).getByText('No links.')).toBeVisible()
  await shareDialog(page).getByRole('checkbox', { name: 'Include the recording' }).check()
  await shareDialog(page).getByRole('textbox', { name: 'Note' }).fill('For the speech vendor')
  const url = await createLink(page)
  await expect(links(page)).toHaveText([/For the speech vendor.*0 views.*With recording/s])

  const requests: string[] = []
  const viewer = await openLink(browser, 'about:blank')
  viewer.on('request', (request) => requests.push(`${request.url()} ${request.headers()['referer'] ?? ''}`))
  await viewer.goto(url)
  await expect(viewer.getByRole('heading', { name: 'Shared call' })).toBeVisible()
  await expect(viewer.getByText(tenant.accountName)).toBeVisible()
  await expect(turns(viewer).filter({ hasText: 'I want to fly to Lisbon' })).toBeVisible()
  await expect(viewer.getByRole('button', { name: /Show span/ })).toHaveCount(0)
  await viewer.getByRole('button', { name: 'Response gap 2.83s, slow' }).click()
  await expect(viewer.getByRole('table', { name: 'Parts of the response gap of 2.83s' })).toBeVisible()
  const turn = turns(viewer).getByRole('button', { name: /Shall I book/ })
  await turn.click()
  await expect(turn).toHaveAttribute('aria-current', 'true')
  await expect(viewer.getByRole('button', { name: 'Pause', exact: true })).toBeVisible()
  const [, token = ''] = url.split('#')
  expect(token).toHaveLength(43)
  const paths = requests.map((request) => request.replace(`#${token}`, ''))
  expect(paths.filter((request) => request.includes(token))).toEqual([])
  expect(requests.some((request) => request.includes('/patchbay/shared-call/recording'))).toBe(true)
  expect(requests.filter((request) => /Accounts|Users|login/.test(request))).toEqual([])

  await page.reload()
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await expect(links(page)).toHaveText([/1 view/])
  await links(page).getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog', { name: 'Revoke this link?' }).getByRole('button', { name: 'Revoke link' }).click()
  await expectToast(page, 'Link revoked')
  await expect(shareDialog(page).getByText('No links.')).toBeVisible()
  await viewer.reload()
  await expect(viewer.getByText('This link is no longer valid.')).toBeVisible()
  await expect(turns(viewer)).toHaveCount(0)
  await viewer.context().close()
})

test('says why the recording of a shared call has no turns, and waits for its analysis', async ({
  page,
  browser,
  server,
  tenant,
  open,
}) => {
  const recorded = await storeRecording(server.url, tenant.account_sid)
  await writeSpannedCall(server, tenant, createEventfulCall, recorded)
  await openDialog(page, open, tenant, recorded)
  await shareDialog(page).getByRole('checkbox', { name: 'Include the recording' }).check()
  const url = await createLink(page)
  const viewer = await openLink(browser, 'about:blank')
  await viewer.route(
    '**/patchbay/shared-call',
    async (route) => {
      const body = await (await fetchUnconditionally(route)).json()
      const { recording, ...conversation } = body.conversation
      const analyzing = { ...conversation, turns: [], events: [], recording: { ...recording, status: 'analyzing' } }
      await route.fulfill({ json: { ...body, conversation: analyzing } })
    },
    { times: 1 },
  )
  await viewer.goto(url)
  await expect(viewer.getByText('Patchbay is analyzing the recording.')).toBeVisible()
  await expect(viewer.getByText('Its data may have been deleted.')).toHaveCount(0)
  await expect(turns(viewer).first()).toBeVisible()
  await viewer.context().close()
})

test('copies a link, and creates another one for another time', async ({ page, context, server, tenant, open }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const call = await writeSpannedCall(server, tenant, createEventfulCall)
  await openDialog(page, open, tenant, call)
  // This call has no recording.
  await expect(shareDialog(page).getByRole('checkbox')).toHaveCount(0)
  const url = await createLink(page)
  await expect(shareDialog(page).getByText('The link is in the clipboard.')).toBeVisible()
  expect(await readClipboard(page)).toBe(url)
  await page.evaluate(() => navigator.clipboard.writeText('something else'))
  await shareDialog(page).getByRole('button', { name: 'Copy the link' }).click()
  await expectToast(page, 'Link copied to clipboard')
  expect(await readClipboard(page)).toBe(url)
  await shareDialog(page).getByRole('button', { name: 'Create another link' }).click()
  await shareDialog(page).getByRole('combobox', { name: 'Expires after' }).selectOption('1 day')
  expect(await createLink(page)).not.toBe(url)
  await expect(links(page)).toHaveCount(2)
  await page.keyboard.press('Escape')
  await expect(shareDialog(page)).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Share', exact: true })).toBeFocused()
})

test('says that an unknown link is not valid, retries after a failure, and follows another link', async ({
  page,
  browser,
  server,
  tenant,
  open,
}) => {
  const call = await writeSpannedCall(server, tenant, createEventfulCall)
  await openDialog(page, open, tenant, call)
  const url = await createLink(page)
  const viewer = await openLink(browser, `${server.url}/shared-call#${'x'.repeat(43)}`)
  await expect(viewer.getByText('This link is no longer valid.')).toBeVisible()
  await viewer.route('**/patchbay/shared-call', (route) => route.fulfill({ status: 503, json: { msg: 'Try later' } }), {
    times: 1,
  })
  await viewer.goto(url)
  await expect(viewer.getByText('Try later')).toBeVisible()
  await viewer.getByRole('button', { name: 'Retry' }).click()
  await expect(turns(viewer).first()).toBeVisible()
  await viewer.context().close()
})

test('lets view-only users read the links to a call, but not change them', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const { account_sid } = tenant
  const call = await writeSpannedCall(server, tenant, createEventfulCall)
  const path = `/patchbay/Accounts/${account_sid}/Calls/${call.call_sid}/Shares`
  await api.send('POST', path, { expires_in_hours: 1, includes_recording: false, note: 'For the customer' })
  const { token } = await api.person({ account_sid, is_view_only: true })
  await openDialog(page, (to) => open(to, token), tenant, call)
  await expect(links(page)).toHaveText([/For the customer.*Created by admin/s])
  await expect(
    shareDialog(page)
      .getByText(/You have view-only access/)
      .first(),
  ).toBeVisible()
  await expect(shareDialog(page).getByRole('button', { name: 'Create and copy link' })).toHaveCount(0)
  await expect(links(page).getByRole('button', { name: /Revoke/ })).toHaveAttribute('aria-disabled', 'true')
})

test('marks a link whose creator has lost access, and shows why a link cannot be created', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const { account_sid } = tenant
  const call = await writeSpannedCall(server, tenant, createEventfulCall)
  const path = `/patchbay/Accounts/${account_sid}/Calls/${call.call_sid}/Shares`
  const { user_sid, token } = await api.person({ account_sid })
  await api.send('POST', path, { expires_in_hours: 1, includes_recording: false }, token)
  await api.send('DELETE', `/Users/${user_sid}`)
  await openDialog(page, open, tenant, call)
  await expect(links(page)).toHaveText([/Ended: its creator has no access/])
  await page.route('**/Shares', (route) => route.fulfill({ status: 400, json: { msg: 'This call has 50 links' } }), {
    times: 1,
  })
  await shareDialog(page).getByRole('button', { name: 'Create and copy link' }).click()
  await expect(shareDialog(page).getByRole('alert')).toHaveText(/This call has 50 links/)
})

test('a link that the browser does not copy is copied by a button', async ({ page, server, tenant, open }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('denied', 'NotAllowedError'))
  })
  const call = await writeSpannedCall(server, tenant, createEventfulCall)
  await openDialog(page, open, tenant, call)
  await createLink(page)
  await expect(shareDialog(page).getByText('Copy the link now. It is not shown again.')).toBeVisible()
  await expect(shareDialog(page).getByRole('button', { name: 'Copy the link' })).toBeVisible()
})

test('stays open when its viewer signs out in another tab', async ({ page, context, server, tenant, open }) => {
  const call = await writeSpannedCall(server, tenant, createEventfulCall)
  await openDialog(page, open, tenant, call)
  const url = await createLink(page)
  const viewer = await context.newPage()
  await viewer.goto(url)
  await expect(turns(viewer).first()).toBeVisible()
  const other = await context.newPage()
  await other.goto('/internal/accounts')
  await expect(other.getByRole('heading', { name: 'Accounts' })).toBeVisible()
  // The listener is there before another page changes the storage.
  const signOut = await viewer.evaluateHandle(() => ({
    noticed: new Promise<void>((resolve) => window.addEventListener('storage', () => resolve(), { once: true })),
  }))
  await page.evaluate(() => localStorage.clear())
  await signOut.evaluate(({ noticed }) => noticed)
  await expect(other.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await expect(turns(viewer).first()).toBeVisible()
  expect(viewer.url()).toBe(url)
  await viewer.reload()
  await expect(turns(viewer).first()).toBeVisible()
})

test('lists the links of an account with pages, opens their calls, and revokes one', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const { account_sid } = tenant
  const call = await writeSpannedCall(server, tenant, createEventfulCall)
  await open(`/internal/accounts/${account_sid}/edit?tab=shared-calls`)
  await expect(page.getByText('No calls are shared.')).toBeVisible()
  const path = `/patchbay/Accounts/${account_sid}/Calls/${call.call_sid}/Shares`
  for (let number = 1; number <= 26; number += 1)
    await api.send('POST', path, { expires_in_hours: 1, includes_recording: false, note: `Viewer ${number}` })
  await page.reload()
  const list = page.getByRole('list', { name: 'Links to shared calls' }).getByRole('listitem')
  await expect(list).toHaveCount(25)
  await expectNoFindings(page, 'the links of an account')
  await expectPlainLanguage(page, 'the links of an account')
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(list).toHaveCount(1)
  await list.getByRole('button', { name: /Revoke/ }).click()
  await page.getByRole('button', { name: 'Revoke link' }).click()
  await expectToast(page, 'Link revoked')
  // The page that has become empty is left.
  await expect(list).toHaveCount(25)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectToFit(page, 'the links of an account at 390 px')
  await list
    .first()
    .getByRole('link', { name: /Open call/ })
    .click()
  await expect(page).toHaveURL(new RegExp(`/internal/recent-calls/${account_sid}/${call.call_sid}`))
})

for (const theme of themes)
  test(`has no accessibility findings, overflow, or odd language (${theme})`, async ({
    page,
    browser,
    server,
    tenant,
    open,
  }) => {
    const recorded = await storeRecording(server.url, tenant.account_sid)
    await writeSpannedCall(server, tenant, createEventfulCall, recorded)
    await page.emulateMedia({ colorScheme: theme })
    await openDialog(page, open, tenant, recorded)
    await shareDialog(page).getByRole('checkbox', { name: 'Include the recording' }).check()
    await expectNoFindings(page, 'the form')
    const url = await createLink(page)
    await expect(links(page)).toHaveCount(1)
    await expectNoFindings(page, 'the new link')
    await expectPlainLanguage(page, 'the dialog')
    const viewer = await openLink(browser, 'about:blank')
    await viewer.emulateMedia({ colorScheme: theme })
    await viewer.goto(url)
    await expect(viewer.getByRole('button', { name: 'Play', exact: true })).toBeVisible()
    await expect(turns(viewer).first()).toBeVisible()
    for (const width of [1440, 390]) {
      await viewer.setViewportSize({ width, height: 900 })
      await expectToFit(viewer, `the shared call at ${width} px`)
      await expectNoFindings(viewer, `the shared call at ${width} px`)
    }
    await expectPlainLanguage(viewer, 'the shared call')
    await viewer.context().close()
  })
