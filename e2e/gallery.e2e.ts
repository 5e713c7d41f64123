import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expectNoFindings, layoutsOfTier } from './support/axe.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { expect, test } from './support/gallery.ts'

/** The console's components in isolation, with the behavior that every screen relies on. */

test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
test.setTimeout(300_000)
// All tests use one worker, because each worker would start its own server.
test.describe.configure({ mode: 'default' })

const account = 'a2b9d1c0-11f2-4d19-9f3e-3cf1c1a0b7aa'
const firstCall = (page: Page) => page.getByRole('table', { name: 'Calls' }).locator('tr[data-row]').first()
const openTip = (page: Page) => page.locator('[role=tooltip]:popover-open')

/** Stops the page's clock until the test advances it, so that the machine's speed does not matter. */
const stopClock = async (page: Page) => {
  const start = Date.now()
  await page.clock.install({ time: start })
  await page.reload()
  await page.getByRole('heading', { name: 'Building blocks' }).waitFor()
  await page.clock.pauseAt(start + 3_600_000)
}
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

for (const { colorScheme, width, rules } of layoutsOfTier)
  test(`no piece has an accessibility finding: ${colorScheme}, ${width} px`, async ({ page }) => {
    const expectGood = async (what: string, part?: string) => {
      await expectNoFindings(page, what, { ...(part ? { part } : {}), rules })
      await expectToFit(page, what)
    }
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 900 })
    await page.getByRole('button', { name: 'Go offline' }).click()
    await expect(page.getByText('You are offline.')).toBeVisible()
    await expectGood('all of them')
    await page.getByRole('button', { name: 'Go online' }).click()

    const states = page.getByRole('tablist', { name: 'State of the list' })
    for (const state of await states.getByRole('tab').all()) {
      await state.click()
      await expectGood(await state.innerText(), '[role=tabpanel]')
    }
    for (const opener of await page.getByRole('button', { name: /^Open / }).all()) {
      const name = await opener.innerText()
      await opener.click()
      await expectGood(name, 'dialog')
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
    }
    await page.getByRole('textbox', { name: 'Prefix' }).fill('+1')
    await page.keyboard.press('Control+s')
    await expect(page.getByRole('dialog', { name: 'Another user changed this record' })).toBeVisible()
    await expectGood('whose change counts', 'dialog')
  })

test('shows the palette with all entries, with results, without results, and while loading', async ({ page }) => {
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  for (const [state, status, visibleText] of [
    ['palette', '', 'Accounts'],
    ['palette with results', '8 results.', 'Nordlicht 1'],
    ['palette without results', 'Nothing matches.', undefined],
    ['palette while it reads', 'Loading Accounts…', undefined],
  ] as const) {
    await page.getByRole('button', { name: `Open ${state}`, exact: true }).click()
    await expect(palette.getByRole('status')).toHaveText(status)
    if (visibleText) await expect(palette.getByRole('option', { name: visibleText, exact: true })).toBeVisible()
    else await expect(palette.getByRole('option')).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(palette).toHaveCount(0)
  }
})

test('applies the time zone, clock format, and density immediately', async ({ page }) => {
  const time = firstCall(page).locator('time').first()
  const iso = (await time.getAttribute('datetime')) ?? ''
  const height = async () => (await firstCall(page).boundingBox())?.height ?? 0
  const roomy = await height()

  await page.getByRole('button', { name: 'Preferences' }).click()
  await page.getByLabel('Time zone').selectOption('UTC')
  await expect(time).toContainText(iso.slice(11, 19))
  await page.getByLabel('Time zone').selectOption({ label: 'Asia/Tokyo' })
  const tokyo = new Date(Date.parse(iso) + 9 * 3_600_000).toISOString()
  await expect(time).toContainText(tokyo.slice(11, 19))
  await page.getByLabel('Clock').selectOption('12')
  await expect(time).toContainText(/\d\d:\d\d:\d\d [AP]M$/)
  await page.getByLabel('Density').selectOption('compact')
  expect(await height()).toBeLessThan(roomy)
})

test('excludes values in a row from the tab order, and reaches them with arrow keys', async ({ page }) => {
  const stops = await firstCall(page).evaluate(
    (row) =>
      [...row.querySelectorAll<HTMLElement>('*')].filter((each) => each.tabIndex === 0 && each.checkVisibility())
        .length,
  )
  expect(stops, 'the name').toBe(1)

  await firstCall(page).getByRole('link', { name: 'Nordlicht GmbH' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(firstCall(page).getByRole('button', { name: 'Copy the SID of the call' })).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(openTip(page)).toHaveText('1 hour 2 minutes 3 seconds')
  for (let steps = 0; steps < 5; steps += 1) await page.keyboard.press('ArrowLeft')
  await expect(firstCall(page).locator('time').nth(1)).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(firstCall(page).locator('time').first()).toBeFocused()
  await expect(openTip(page)).toHaveText(/^2 hours ago\n\w{3} .+ UTC\+01:00\n.+ UTC$/)
})

test('copies a number as stored, and a reference by its SID', async ({ page }) => {
  await firstCall(page).hover()
  await firstCall(page).getByRole('button', { name: 'Copy +1 (508) 308-4809' }).click()
  await expect.poll(() => copied(page)).toBe('15083084809')
  await firstCall(page).getByRole('link', { name: 'Nordlicht GmbH' }).focus()
  await page.keyboard.press('Control+C')
  await expect.poll(() => copied(page)).toBe(account)
})

test('shows a dash for invalid times', async ({ page }) => {
  const rows = page.getByRole('table', { name: 'Calls' }).locator('tr[data-row]')
  for (const row of [rows.nth(1), rows.nth(2)]) await expect(row.getByRole('cell').nth(1)).toHaveText('–')
})

test('isolates the text direction of names in any script', async ({ page }) => {
  const name = page.getByRole('link', { name: 'شركة الاتصالات (1)' }).locator('bdi')
  await expect(name).toHaveText('شركة الاتصالات (1)')
})

test('lets users without write access read, reveal, and copy values of a form', async ({ page }) => {
  const form = page.getByRole('group', { name: 'A form that cannot be changed' })
  await expect(form.getByRole('button', { name: 'Make a new one' })).toHaveAttribute('aria-disabled', 'true')
  await form.getByRole('button', { name: 'Reveal Signing secret' }).click()
  await expect(form.getByText('wh_secret_q8fJ2kdP0sLmZ3x')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(form.getByText('wh_secret_q8fJ2kdP0sLmZ3x')).toBeHidden()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await expect.poll(() => copied(page)).toBe('wh_secret_q8fJ2kdP0sLmZ3x')
  const frame = (name: string) =>
    page
      .getByRole('textbox', { name })
      .evaluate((input) => getComputedStyle(input.parentElement ?? input).borderTopColor)
  const clear = 'rgba(0, 0, 0, 0)'
  expect(await frame('Name of the account')).toBe(clear)
  expect(await frame('Read only')).toBe(clear)
  expect(await frame('SIP realm')).not.toBe(clear)
})

test('continues the time of a toast while a dialog opens', async ({ page }) => {
  await stopClock(page)
  await page.getByRole('button', { name: 'Failure with a request' }).click()
  const toast = page.getByRole('alert').filter({ hasText: 'Request id req-4f2a9c1e' })
  await page.mouse.move(0, 0)
  await page.clock.runFor(3000)
  await page.getByRole('button', { name: 'Preferences' }).click()
  await expect(page.getByRole('dialog').getByText('Request id req-4f2a9c1e')).toBeVisible()
  await page.clock.runFor(1500)
  await expect(toast).toBeVisible()
  await page.clock.runFor(600)
  await expect(toast).toBeHidden()
})

test('copies the ID of a failed request from its toast', async ({ page }) => {
  await stopClock(page)
  await page.getByRole('button', { name: 'Failure with a request' }).click()
  await page.getByRole('alert').getByRole('button', { name: 'Copy request ID' }).click()
  await expect.poll(() => copied(page)).toBe('req-4f2a9c1e')
})

test('exports a list as a cURL command, as JavaScript, as JSON, and as CSV', async ({ page, pieces }) => {
  const choose = async (name: string) => {
    await page.getByRole('button', { name: 'Copy or download calls' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await choose('Copy as cURL')
  await expect.poll(() => copied(page)).toContain(`curl '${pieces}/api/v1/RecentCalls?page=1'`)
  await choose('Copy as JavaScript')
  await expect.poll(() => copied(page)).toContain(`await request("GET", "${pieces}/api/v1/RecentCalls?page=1")`)
  await choose('Copy as JSON')
  await expect.poll(async () => (await copied(page)).startsWith('[\n')).toBe(true)
  const download = page.waitForEvent('download')
  await choose('Download CSV')
  const file = await download
  expect(file.suggestedFilename()).toBe('calls.csv')
  expect(await readFile(await file.path(), 'utf8')).toMatch(
    /^\ufeffattempted_at,from,to\r\n.+,15083084809,\+442079460958\r\n/,
  )
})

test('dims the whole window behind a dialog without moving content, and has no sticky parts in a low window', async ({
  page,
}) => {
  const places = () =>
    page.evaluate(() => ({
      title: document.querySelector('h1')?.getBoundingClientRect().left,
      free: window.innerWidth - document.documentElement.offsetWidth,
    }))
  const before = await places()
  await page.getByRole('button', { name: 'Open information' }).click()
  expect(await places()).toEqual({ title: before.title, free: 0 })
  const footer = page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().locator('..')
  const sticks = () => footer.evaluate((element) => getComputedStyle(element).position)
  expect(await sticks()).toBe('sticky')
  await page.setViewportSize({ width: 320, height: 256 })
  expect(await sticks()).toBe('static')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.keyboard.press('Escape')
  expect(await places()).toEqual(before)
})

test('prints content without controls', async ({ page }) => {
  await firstCall(page).getByRole('link', { name: 'Nordlicht GmbH' }).hover()
  await expect(openTip(page)).toHaveText(account)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await expect(openTip(page).filter({ visible: true })).toHaveCount(0)
  await expect(page.getByRole('table', { name: 'Calls' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Name' }).first(), 'a header by which one sorts').toBeVisible()
  await expect(page.getByRole('button', { name: 'Preferences' })).toBeHidden()
  await expect(page.getByRole('link', { name: 'A link' })).toHaveCount(0)
  await expect(page.getByText('Fields marked with an asterisk').filter({ visible: true })).toHaveCount(0)
  await expect(page.getByRole('search')).toHaveCount(0)
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('light')
})

test.describe('on a touch screen', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } })

  test('opens and closes a tooltip by tapping, and makes its text selectable', async ({ page }) => {
    const duration = firstCall(page).locator('time').last()
    await duration.tap()
    await expect(openTip(page)).toHaveText('1 hour 2 minutes 3 seconds')
    await openTip(page).tap()
    await expect(openTip(page)).toHaveCount(1)
    expect(await openTip(page).evaluate((tip) => getComputedStyle(tip).userSelect)).toBe('text')
    await duration.tap()
    await expect(openTip(page)).toHaveCount(0)
    await duration.tap()
    await expect(openTip(page)).toHaveCount(1)
    await firstCall(page).getByText('+44 20 7946 0958', { exact: true }).tap()
    await expect(openTip(page)).toHaveCount(0)
  })
})
