import { bar, box, button, confirmEdit, deleteSelected, dialog } from './support/bulk.ts'
import { hold } from './support/hold-requests.ts'
import { listRow, listRows } from './support/records.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'

/** Bulk changes from lists that the server pages, whose selection is kept on other pages. */

test('carriers of several pages are selected and disabled', async ({
  page,
  api,
  tenant: { service_provider_sid },
  open,
}) => {
  for (let nth = 0; nth < 27; nth += 1)
    await api.send('POST', '/VoipCarriers', { name: `Trunk ${String(nth).padStart(2, '0')}`, service_provider_sid })
  await open('/internal/carriers')
  await box(page, 'Select all on this page').check()
  await expect(bar(page)).toContainText('25 carriers selected')
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(listRows(page, 'Carriers')).toHaveCount(2)
  await expect(bar(page)).toContainText('25 carriers selected')
  await expect(box(page, 'Select all on this page')).not.toBeChecked()
  await box(page, 'Select Trunk 26').check()
  await expect(box(page, 'Select all on this page')).toBeChecked({ indeterminate: true })
  await button(page, 'Clear selection').click()
  await expect(bar(page)).toHaveCount(0)
  await page.getByRole('searchbox', { name: 'Filter carriers' }).fill('Trunk')
  await expect(page).toHaveURL(/filter=Trunk/)
  await expect(listRows(page, 'Carriers')).toHaveCount(25)

  await box(page, 'Select all on this page').check()
  await box(page, 'Select Trunk 03').uncheck()
  await page.getByRole('button', { name: 'Next page' }).click()
  await box(page, 'Select Trunk 25').check()
  await button(page, 'Disable').click()
  await button(page, 'Disable 25 carriers').click()
  await expect(page.getByText('Changed 25 carriers.')).toBeVisible()
  await expect(listRow(page, 'Carriers', 'Trunk 25')).toContainText('Inactive')
  const { body } = await api.send('GET', `/ServiceProviders/${service_provider_sid}/VoipCarriers`)
  const active = body.filter((carrier: { is_active: number }) => carrier.is_active)
  expect(active.map(({ name }: { name: string }) => name).toSorted()).toEqual(['Trunk 03', 'Trunk 26'])
})

for (const [list, path, requests, add] of [
  [
    'Carriers',
    'carriers',
    '**/ServiceProviders/*/VoipCarriers?*',
    (api: Api, { service_provider_sid }: Tenant, nth: number) =>
      api.send('POST', '/VoipCarriers', { name: `Trunk ${nth}`, service_provider_sid }),
  ],
  [
    'Phone numbers',
    'phone-numbers',
    '**/patchbay/phone-numbers?*',
    (api: Api, { account_sid }: Tenant, nth: number) =>
      api.send('POST', '/PhoneNumbers', { number: String(15_085_550_100 + nth), account_sid }),
  ],
] as const)
  test(`${list}: rows cannot be selected while those of other filters or of another page are loading`, async ({
    page,
    api,
    tenant,
    open,
  }) => {
    for (let nth = 0; nth < 27; nth += 1) expect((await add(api, tenant, nth)).status).toBe(201)
    await open(`/internal/${path}`)
    await expect(listRows(page, list)).toHaveCount(25)
    const all = box(page, 'Select all on this page')
    const first = page.getByRole('checkbox', { name: /^Select (?!all)/ }).first()
    await expect(all).toBeEnabled()
    const answer = await hold(page, requests)
    await page.getByRole('combobox', { name: 'Page size' }).selectOption('50')
    await expect(all).toBeDisabled()
    await expect(first).toBeDisabled()
    answer()
    await all.check()
    await expect(bar(page)).toContainText('27 ')
    await button(page, 'Clear selection').click()

    const answerFilter = await hold(page, requests)
    await page.getByRole('searchbox').fill(list === 'Carriers' ? 'Trunk 26' : '550126')
    await expect(all).toBeDisabled()
    await expect(first).toBeDisabled()
    answerFilter()
    await all.check()
    await expect(bar(page)).toContainText(/^1 /)
  })

test('applications are edited and deleted together, and one that is in use is kept with a link to it', async ({
  page,
  api,
  tenant: { service_provider_sid, account_sid },
  open,
}) => {
  const hook = { url: 'https://app.example.org' }
  const sids: string[] = []
  for (const name of ['Front desk', 'Night desk', 'Survey']) {
    const body = { name, account_sid, call_hook: hook, call_status_hook: hook }
    sids.push((await api.send('POST', '/Applications', body)).body.sid)
  }
  const [front, night, survey] = sids
  await open('/internal/applications')
  await box(page, 'Select Front desk').check()
  await box(page, 'Select Survey').check()
  await button(page, 'Edit…').click()
  await dialog(page, 'Edit 2 applications').getByLabel('Record all calls').selectOption('Yes')
  await confirmEdit(page, 2, 'applications')
  await expect(page.getByText('Changed 2 applications.')).toBeVisible()
  for (const [sid, record_all_calls] of [
    [front, 1],
    [night, 0],
    [survey, 1],
  ] as const)
    expect((await api.send('GET', `/Applications/${sid}`)).body).toMatchObject({ record_all_calls })

  await box(page, 'Select all on this page').check()
  await button(page, 'Delete…').click()
  const confirmation = dialog(page, 'Delete 3 applications?')
  await confirmation.getByRole('textbox', { name: 'Type 3 to confirm' }).fill('3')
  // Someone else uses an application after the dry run.
  const carrier = await api.send('POST', '/VoipCarriers', { name: 'Atlantic', service_provider_sid })
  const number = { number: '15085550199', voip_carrier_sid: carrier.body.sid, account_sid, application_sid: night }
  await api.send('POST', '/PhoneNumbers', number)
  await confirmation.getByRole('button', { name: 'Delete 3 applications' }).click()
  await expect(page.getByText('Deleted 2 of 3 applications.')).toBeVisible()
  await expect(listRows(page, 'Applications')).toHaveCount(1)
  await page.getByRole('list', { name: 'Not changed' }).getByRole('link', { name: 'Night desk' }).click()
  await expect(page.getByRole('heading', { name: 'Night desk', level: 1 })).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`/internal/applications/${night}/`))
})

test('API keys are deleted together', async ({ page, api, tenant: { account_sid }, open }) => {
  for (const name of ['Billing', 'Dialer', 'Reports']) await api.send('POST', '/ApiKeys', { account_sid, name })
  await open('/internal/api-keys')
  await box(page, 'Select Billing').check()
  await box(page, 'Select Reports').check()
  await deleteSelected(page, 2, 'keys')
  await expect(page.getByText('Deleted 2 keys.')).toBeVisible()
  await expect(box(page, 'Select Billing')).toHaveCount(0)
  await expect(box(page, 'Select Dialer')).toBeVisible()
})
