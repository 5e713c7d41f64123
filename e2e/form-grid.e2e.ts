import type { Locator, Page } from '@playwright/test'
import { makeRouting } from './support/every-screen.ts'
import { save, unsavedChanges } from './support/records.ts'
import { expect, test } from './support/test.ts'

/** Forms, and the tables in and after them, stand in one grid: title and sentence left, fields right. */

const wide = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

const getBox = async (locator: Locator) => {
  const box = await locator.boundingBox()
  if (box === null) throw new Error(`not visible: ${String(locator)}`)
  return box
}

/** Returns the left edge and the width of the column of fields, and the right edge of the fields. */
const getColumn = async (field: Locator) => {
  const { x, width } = await getBox(field)
  return { left: Math.round(x), right: Math.round(x + width), width: Math.round(width) }
}

const isPair = async (one: Locator, other: Locator): Promise<boolean> => {
  const [left, right] = [await getBox(one), await getBox(other)]
  return Math.abs(left.y - right.y) < 1 && right.x > left.x + left.width
}

const expectPairs = async (page: Page, pairs: readonly (readonly [Locator, Locator])[]) => {
  for (const [one, other] of pairs) {
    await page.setViewportSize(wide)
    expect(await isPair(one, other), `pair of ${String(one)}`).toBe(true)
    await page.setViewportSize(phone)
    const [above, below] = [await getBox(one), await getBox(other)]
    expect(Math.round(below.x), 'one column on a phone').toBe(Math.round(above.x))
    expect(below.y).toBeGreaterThan(above.y + above.height)
  }
}

test('tables in a form and after it stand in the column of the fields, with rows of 44 px', async ({
  page,
  open,
  api,
  tenant,
}) => {
  const { service_provider_sid } = tenant
  await api.send('POST', '/ApiKeys', { service_provider_sid, name: 'Dialer' })
  await page.setViewportSize(wide)
  await open('/internal/settings')
  await page.getByRole('tab', { name: 'Service provider' }).click()
  const keys = page.getByRole('table', { name: 'Service provider API keys' })
  const row = keys.getByRole('row').filter({ hasText: 'Dialer' })
  await expect(row).toBeVisible()
  const column = await getColumn(page.getByLabel('Service provider name'))
  // The border of a field is part of its column.
  const table = await getColumn(keys)
  expect(Math.abs(table.left - column.left)).toBeLessThanOrEqual(1)
  expect(Math.abs(table.right - column.right)).toBeLessThanOrEqual(1)
  expect(table.width).toBe(680)
  expect(Math.round((await getBox(row)).height)).toBe(44)
  expect(Math.round((await getBox(keys.getByRole('row').first())).height)).toBe(32)

  await open(`/internal/least-cost-routing/${await makeRouting(api, tenant)}/edit`)
  const routes = page.getByRole('list', { name: 'Routes' })
  await expect(routes.getByRole('listitem')).toHaveCount(4)
  expect((await getColumn(routes)).width).toBe(680)
  expect((await getColumn(routes)).left).toBe(table.left)
  const heights = await routes.getByRole('listitem').evaluateAll((items) => items.map((item) => item.clientHeight))
  expect(Math.min(...heights)).toBe(44)
})

test('short fields stand in pairs, and below each other on a phone', async ({ page, open, tenant }) => {
  await page.setViewportSize(wide)
  await open('/internal/users/add')
  await expectPairs(page, [
    [page.getByLabel('User name'), page.getByLabel('User email')],
    [page.getByLabel('User is active'), page.getByLabel('View-only User')],
  ])
  await open('/internal/clients/add')
  await expectPairs(page, [[page.getByLabel('User name'), page.getByLabel('Password', { exact: true })]])
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await expectPairs(page, [
    [page.getByLabel('Application for SIP device calls'), page.getByLabel('Application for SIPREC calls')],
  ])
  await page.setViewportSize(wide)
  const column = await getColumn(page.getByLabel('Account name'))
  const limit = await getColumn(page.getByLabel('Max calls'))
  expect(limit.left).toBe(column.left)
  expect(limit.width / column.width, 'one short field').toBeLessThan(0.51)
})

test('the bar of a short form is the last row of its column, and its buttons end where the fields end', async ({
  page,
  open,
  tenant,
}) => {
  await open(`/internal/users/add`)
  for (const viewport of [wide, { width: 1024, height: 700 }, phone]) {
    await page.setViewportSize(viewport)
    await expect(save(page)).toBeInViewport({ ratio: 1 })
    const fields = await getColumn(page.getByRole('region', { name: 'Access' }))
    const button = await getBox(save(page))
    const right = Math.min(fields.right, fields.left + (viewport.width < 1280 ? 680 : 952))
    expect(Math.abs(button.x + button.width - right)).toBeLessThanOrEqual(1)
  }
  await page.setViewportSize(wide)
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await page.getByLabel('Account name').fill('Renamed')
  const bar = await getColumn(unsavedChanges(page))
  const section = await getColumn(page.getByRole('region', { name: 'Details' }))
  expect([bar.left, bar.right]).toEqual([section.left, section.right])
})
