import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { makeApplications } from './support/seed-database.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'
import { fetchUnconditionally } from './support/unconditional-fetch.ts'

/** Selection of the applications for device calls and for SIPREC calls of an account. */

const edit = (account_sid: string) => `/internal/accounts/${account_sid}/edit`
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
const forDevices = (page: Page) => page.getByRole('combobox', { name: 'Application for SIP device calls', exact: true })
const forSiprec = (page: Page) => page.getByRole('combobox', { name: 'Application for SIPREC calls', exact: true })
const selectedOption = (field: ReturnType<typeof forDevices>) => field.locator('option:checked')

test("ACCOUNTS-13 ACCOUNTS-14 ACCOUNTS-40 selects the account's applications for device calls and SIPREC, or none, and sends only changes", async ({
  page,
  api,
  tenant,
  open,
  server,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const [queue = '', voicemail = ''] = makeApplications(server, account_sid, ['Queue', 'Voicemail'])
  makeApplications(server, await api.account(service_provider_sid), ['Of another account'])
  const stored = async () => (await api.send('GET', `/Accounts/${account_sid}`)).body
  await open(edit(account_sid))
  await expect(forDevices(page).getByRole('option')).toHaveText(['None', 'Queue', 'Voicemail'])
  await expect(page.getByText('Handles incoming calls from devices registered to the realm.')).toBeVisible()
  await forDevices(page).selectOption('Queue')
  await forSiprec(page).selectOption('Voicemail')
  const put = page.waitForRequest((request) => request.method() === 'PUT')
  await save(page).click()
  expect((await put).postDataJSON()).toEqual({ device_calling_application_sid: queue, siprec_hook_sid: voicemail })
  await expectToast(page, 'Account updated successfully')
  expect(await stored()).toMatchObject({ device_calling_application_sid: queue, siprec_hook_sid: voicemail })

  await page.goto(edit(account_sid))
  await expect(selectedOption(forDevices(page))).toHaveText('Queue')
  await expect(selectedOption(forSiprec(page))).toHaveText('Voicemail')
  await forDevices(page).selectOption('None')
  const cleared = page.waitForRequest((request) => request.method() === 'PUT')
  await save(page).click()
  expect((await cleared).postDataJSON()).toEqual({ device_calling_application_sid: null })
  await expectToast(page, 'Account updated successfully')
  expect(await stored()).toMatchObject({ device_calling_application_sid: null, siprec_hook_sid: voicemail })

  await page.goto(edit(account_sid))
  const services = page.getByRole('region', { name: 'Services' })
  for (const [name, screen] of [
    ['Carriers', 'carriers'],
    ['Speech services', 'speech-services'],
  ] as const)
    await expect(services.getByRole('link', { name })).toHaveAttribute(
      'href',
      `/internal/${screen}?account=${account_sid}`,
    )
})

test('offers some of many applications, and finds any of them by typing', async ({
  page,
  api,
  tenant,
  open,
  server,
}) => {
  const { account_sid } = tenant
  const names = Array.from({ length: 2000 }, (_, index) => `Line ${String(index).padStart(4, '0')}`)
  const sids = makeApplications(server, account_sid, [...names, '100% free_line'])
  await api.send('PUT', `/Accounts/${account_sid}`, { siprec_hook_sid: sids[1900] })
  const applicationRequests: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname.includes('/Applications')) applicationRequests.push(`${pathname.replace(/.*\/v1/, '')}${search}`)
  })
  await open(edit(account_sid))
  await expect(forSiprec(page)).toHaveValue('Line 1900')
  await expect(forDevices(page)).toHaveValue('None')
  await forDevices(page).fill('1234')
  await expect(page.getByRole('option')).toHaveText(['Line 1234'])
  await page.getByRole('option', { name: 'Line 1234' }).click()
  await expect(forDevices(page)).toHaveValue('Line 1234')
  await forSiprec(page).fill('nothing is called so')
  await expect(page.getByText('Nothing matches.')).toBeVisible()
  await forSiprec(page).fill('0% free_')
  await page.getByRole('option', { name: '100% free_line' }).click()
  await expect(forSiprec(page)).toHaveValue('100% free_line')
  await expect(forDevices(page)).toHaveValue('Line 1234')
  await save(page).click()
  await expectToast(page, 'Account updated successfully')
  expect((await api.send('GET', `/Accounts/${account_sid}`)).body).toMatchObject({
    device_calling_application_sid: sids[1234],
    siprec_hook_sid: sids[2000],
  })
  for (const request of applicationRequests) expect(request).toMatch(/page=1&page_size=25|^\/Applications\//)
})

test('keeps an application that cannot be loaded when the form is saved', async ({ page, api, tenant, open }) => {
  const { account_sid } = tenant
  const lost = randomUUID()
  await page.route(`**/Accounts/${account_sid}`, async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const answer = await fetchUnconditionally(route)
    await route.fulfill({ json: { ...(await answer.json()), device_calling_application_sid: lost } })
  })
  await open(edit(account_sid))
  await expect(selectedOption(forDevices(page))).toHaveText(`Unknown application ${lost}`)
  const name = `Renamed ${tenant.accountName}`
  await page.getByLabel('Account name').fill(name)
  const put = page.waitForRequest((request) => request.method() === 'PUT')
  await save(page).click()
  expect((await put).postDataJSON()).toEqual({ name })
  await expectToast(page, 'Account updated successfully')
  expect((await api.send('GET', `/Accounts/${account_sid}`)).body.name).toBe(name)
})

test('reports applications that cannot be loaded, keeps the stored ones, and shows a rejected one at its field', async ({
  page,
  tenant,
  open,
  server,
}) => {
  const { account_sid } = tenant
  await page.route('**/Accounts/*/Applications?*', (route) =>
    route.fulfill({ status: 500, json: { msg: 'Not today' } }),
  )
  await open(edit(account_sid))
  await expect(page.getByText('Not today')).toHaveCount(2)
  await page.unroute('**/Accounts/*/Applications?*')
  makeApplications(server, account_sid, ['Queue'])
  await page.route(`**/Accounts/${account_sid}`, (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({
          status: 400,
          json: { msg: 'siprec_hook_sid must be an application of this account', field: 'siprec_hook_sid' },
        })
      : route.fallback(),
  )
  await page.reload()
  await forSiprec(page).selectOption('Queue')
  await save(page).click()
  await expect(forSiprec(page)).toHaveAttribute('aria-invalid', 'true')
  await expect(forSiprec(page)).toBeFocused()
})

test('shows both names if another user has selected a different application', async ({
  page,
  api,
  tenant,
  open,
  server,
}) => {
  const { account_sid } = tenant
  const [, voicemail = ''] = makeApplications(server, account_sid, ['Queue', 'Voicemail'])
  await open(edit(account_sid))
  await forDevices(page).selectOption('Queue')
  await api.send('PUT', `/Accounts/${account_sid}`, { device_calling_application_sid: voicemail })
  await save(page).click()
  const conflict = page.getByRole('dialog', { name: 'Another user changed this record' })
  await expect(conflict.getByRole('row').last()).toHaveText('Application for SIP device callsVoicemailQueue')
})

test('shows view-only users the selected applications', async ({ page, api, tenant, open, server }) => {
  const { account_sid, service_provider_sid } = tenant
  const [queue = ''] = makeApplications(server, account_sid, ['Queue'])
  await api.send('PUT', `/Accounts/${account_sid}`, { siprec_hook_sid: queue })
  const { token } = await api.person({ service_provider_sid, is_view_only: true })
  await open(edit(account_sid), token)
  await expect(forSiprec(page)).toBeDisabled()
  await expect(selectedOption(forSiprec(page))).toHaveText('Queue')
})
