import { aCall, writeCalls } from './support/calls.ts'
import { expectEveryLayout } from './support/expect-every-layout.ts'
import { expect, test } from './support/test.ts'

/** The tab of an account on which its call data is deleted. */

const dayMs = 86_400_000

test('deletes the call data of past days after the name is typed, and shows the progress', async ({
  page,
  api,
  server,
  open,
}) => {
  const service_provider_sid = await api.provider()
  const account_sid = await api.account(service_provider_sid, { name: 'Flower shop' })
  const owner = { service_provider_sid, account_sid }
  await writeCalls(server.intakePort, owner, [aCall({ attempted_at: Date.now() - 3 * dayMs }), aCall({})])
  const { token } = await api.person({ account_sid, service_provider_sid })
  await open(`/internal/accounts/${account_sid}/edit`, token)
  await page.getByRole('tab', { name: 'Call data' }).click()
  await expect(page.getByText('No call data was deleted on request.')).toBeVisible()
  await page.getByRole('button', { name: 'Delete call data' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete call data?' })
  const confirm = dialog.getByRole('button', { name: 'Delete call data' })
  await expect(confirm).toBeDisabled()
  await dialog.getByLabel('Type Flower shop to confirm').fill('Flower')
  await expect(confirm).toBeDisabled()
  await dialog.getByLabel('Type Flower shop to confirm').fill('Flower shop')
  await page.route('**/DataDeletions', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 500, json: { msg: 'Out of order' } })
      : route.continue(),
  )
  await confirm.click()
  await expect(dialog.getByText('Out of order')).toBeVisible()
  await page.unrouteAll()
  await confirm.click()
  await expect(page.getByText('Deletion of call data started')).toBeVisible()
  const row = page.getByRole('table', { name: 'Deletions of call data' }).locator('tbody').getByRole('row')
  await expect(row).toHaveCount(1)
  await expect(row).toContainText('Finished', { timeout: 30_000 })
  await expect(row).toContainText('1 call')
  const { body } = await api.send('GET', `/Accounts/${account_sid}/RecentCalls?page=1&count=25&days=30`)
  expect(body.total).toBe(1)
  await expectEveryLayout(page)
  // The next deletion finds nothing.
  await page.getByRole('button', { name: 'Delete call data' }).click()
  await dialog.getByLabel('Type Flower shop to confirm').fill('Flower shop')
  await confirm.click()
  await expect(row).toHaveCount(2)
  await expect(row.first()).toContainText(/Finished\s*nothing$/, { timeout: 30_000 })
})

test('view-only users see the deletions and cannot request one', async ({ page, api, tenant, open }) => {
  const { account_sid, service_provider_sid } = tenant
  const { token } = await api.person({ account_sid, service_provider_sid, is_view_only: true })
  await open(`/internal/accounts/${account_sid}/edit`, token)
  await page.getByRole('tab', { name: 'Call data' }).click()
  await expect(page.getByRole('button', { name: 'Delete call data' })).toBeDisabled()
})
