import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { box, button, confirmEdit, dialog } from './support/bulk.ts'
import { listRow } from './support/records.ts'
import { type Api, expect, test } from './support/test.ts'

/** New values of fields for several records, and the undo of such a change. */

const hook = { url: 'https://app.example.org' }
const createApplication = async (api: Api, account_sid: string, name: string): Promise<string> =>
  (await api.send('POST', '/Applications', { name, account_sid, call_hook: hook, call_status_hook: hook })).body.sid
const createCarrier = async (api: Api, body: { name: string; account_sid: string; application_sid?: string }) =>
  (await api.send('POST', '/VoipCarriers', body)).body.sid as string
const readCarriers = async (api: Api, sids: readonly string[]) => {
  const carriers: Record<string, unknown>[] = []
  for (const sid of sids) carriers.push((await api.send('GET', `/VoipCarriers/${sid}`)).body)
  return carriers
}

const field = (page: Page, name: string) => page.getByRole('dialog').getByRole('combobox', { name, exact: true })
const effects = (page: Page) => page.getByRole('list', { name: 'New values' })

test('carriers get an application and a DTMF type by keyboard, and have their own values again after an undo', async ({
  page,
  api,
  tenant: { account_sid },
  open,
}) => {
  const front = await createApplication(api, account_sid, 'Front desk')
  const night = await createApplication(api, account_sid, 'Night desk')
  const sids = [
    await createCarrier(api, { name: 'Atlantic', account_sid }),
    await createCarrier(api, { name: 'Baltic', account_sid, application_sid: night }),
    await createCarrier(api, { name: 'Caspian', account_sid, application_sid: front }),
  ]
  const before = await readCarriers(api, sids)
  await open('/internal/carriers')
  await box(page, 'Select all on this page').focus()
  await page.keyboard.press('Space')
  await button(page, 'Edit…').press('Enter')
  await expect(dialog(page, 'Edit 3 carriers')).toBeVisible()
  await expect(button(page, 'Continue')).toHaveAccessibleDescription(/Choose a value for at least one field/)
  await field(page, 'Default application').selectOption('Front desk')
  await field(page, 'DTMF type').selectOption('Tones')
  await button(page, 'Continue').press('Enter')
  await expect(dialog(page, 'Change 3 carriers?')).toBeVisible()
  await expect(effects(page)).toContainText(
    'Default application: Front desk (replaces another value of 1 carrier, set for 1 carrier without a value, 1 carrier has it already)',
  )
  await expectNoFindings(page, 'new values of several carriers')
  await page.keyboard.press('Escape')
  await expect(field(page, 'DTMF type')).toHaveValue('tones')
  await button(page, 'Continue').press('Enter')
  await button(page, 'Change 3 carriers').press('Enter')
  await expect(page.getByText('Changed 3 carriers.')).toBeVisible()
  for (const carrier of await readCarriers(api, sids))
    expect(carrier).toMatchObject({ application_sid: front, dtmf_type: 'tones' })
  await button(page, 'Undo').press('Enter')
  await expect(page.getByText('Restored 3 carriers.')).toBeVisible()
  await expect(button(page, 'Undo')).toHaveCount(0)
  expect(await readCarriers(api, sids)).toEqual(before)
})

test('records that are refused are listed before the change, with the reasons, and the others are changed', async ({
  page,
  api,
  tenant: { service_provider_sid, account_sid, accountName },
  open,
}) => {
  const second = await api.send('POST', '/Accounts', { name: 'Second account', service_provider_sid })
  const application_sid = await createApplication(api, account_sid, 'Front desk')
  const own = await createCarrier(api, { name: 'Atlantic', account_sid })
  const other = await createCarrier(api, { name: 'Baltic', account_sid: second.body.sid })
  await open('/internal/carriers')
  await box(page, 'Select all on this page').check()
  await button(page, 'Edit…').click()
  await field(page, 'Applications of').selectOption(accountName)
  await field(page, 'Default application').selectOption('Front desk')
  await button(page, 'Continue').click()
  await expect(page.getByRole('list', { name: 'Refused' })).toHaveText(
    'Baltic: application_sid does not exist for specified account_sid',
  )
  await button(page, 'Change 1 carrier').click()
  await expect(page.getByText('Changed 1 carrier.')).toBeVisible()
  const carriers = await readCarriers(api, [own, other])
  expect(carriers.map((carrier) => carrier['application_sid'])).toEqual([application_sid, null])
})

test('a value is removed by a choice of its own, after its count was confirmed', async ({
  page,
  api,
  tenant: { account_sid },
  open,
}) => {
  const application_sid = await createApplication(api, account_sid, 'Front desk')
  const used = await createCarrier(api, { name: 'Atlantic', account_sid, application_sid })
  await createCarrier(api, { name: 'Baltic', account_sid })
  await open('/internal/carriers')
  await box(page, 'Select all on this page').check()
  await button(page, 'Edit…').click()
  await field(page, 'Default application').selectOption('None')
  await button(page, 'Continue').click()
  await expect(dialog(page, 'Change 1 carrier?')).toBeVisible()
  await expect(effects(page)).toHaveText(
    'Default application: None (removed from 1 carrier, 1 carrier has none already)',
  )
  expect(await readCarriers(api, [used])).toMatchObject([{ application_sid }])
  await button(page, 'Change 1 carrier').click()
  await expect(page.getByText('Changed 1 carrier.')).toBeVisible()
  expect(await readCarriers(api, [used])).toMatchObject([{ application_sid: null }])
})

test('an undo keeps what another user has changed since, and is offered for a minute', async ({
  page,
  api,
  tenant: { account_sid },
  open,
}) => {
  const sids = [
    await createCarrier(api, { name: 'Atlantic', account_sid }),
    await createCarrier(api, { name: 'Baltic', account_sid }),
  ]
  await page.clock.install()
  await open('/internal/carriers')
  const setTones = async () => {
    await box(page, 'Select all on this page').check()
    await button(page, 'Edit…').click()
    await field(page, 'DTMF type').selectOption('Tones')
    await confirmEdit(page, 2, 'carriers')
    await expect(page.getByText('Changed 2 carriers.')).toBeVisible()
  }
  await setTones()
  await page.reload()
  await expect(button(page, 'Undo')).toBeVisible()
  await api.send('PUT', `/VoipCarriers/${sids[1]}`, { dtmf_type: 'info' })
  await button(page, 'Undo').click()
  await expect(page.getByText('Restored 1 of 2 carriers.')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Not changed' })).toHaveText(
    'Baltic: It was changed again since, and keeps its present values',
  )
  const carriers = await readCarriers(api, sids)
  expect(carriers.map((carrier) => carrier['dtmf_type'])).toEqual(['rfc2833', 'info'])
  await setTones()
  await expect(button(page, 'Undo')).toBeVisible()
  await page.clock.fastForward('01:00')
  await expect(button(page, 'Undo')).toHaveCount(0)
  await expect(page.getByText('Changed 2 carriers.')).toBeVisible()
})

test('an undo that the server rejects is explained', async ({ page, api, tenant: { account_sid }, open }) => {
  await createCarrier(api, { name: 'Atlantic', account_sid })
  await open('/internal/carriers')
  await box(page, 'Select Atlantic').check()
  await button(page, 'Disable').click()
  await button(page, 'Disable 1 carrier').click()
  await page.route('**/undo', (route) => route.fulfill({ status: 422, json: { msg: 'It ended too long ago.' } }))
  await button(page, 'Undo').click()
  await expect(page.getByText('It ended too long ago.')).toBeVisible()
  await expect(listRow(page, 'Carriers', 'Atlantic')).toContainText('Inactive')
})

test('a dry run that fails can be repeated, and changes nothing', async ({
  page,
  api,
  tenant: { account_sid },
  open,
}) => {
  await createCarrier(api, { name: 'Atlantic', account_sid })
  await open('/internal/carriers')
  let attempts = 0
  await page.route('**/bulk-changes/dry-run', (route) => {
    attempts += 1
    return attempts === 1 ? route.fulfill({ status: 400, json: { msg: 'no dry run today' } }) : route.fallback()
  })
  await box(page, 'Select Atlantic').check()
  await button(page, 'Edit…').click()
  await field(page, 'E.164 syntax').selectOption('No')
  await button(page, 'Continue').click()
  await expect(page.getByRole('dialog')).toContainText('no dry run today')
  await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click()
  await expect(button(page, 'Change')).toHaveAccessibleDescription(/None of these would change/)
})

test('users of an account move no records, and choose from its applications', async ({
  page,
  api,
  tenant: { service_provider_sid, account_sid },
  open,
}) => {
  await createApplication(api, account_sid, 'Front desk')
  const tenant = { service_provider_sid, account_sid, tenant_fqdn: `${account_sid}.teams.example.org` }
  await api.send('POST', '/MicrosoftTeamsTenants', tenant)
  const { token } = await api.person({ service_provider_sid, account_sid })
  await page.setViewportSize({ width: 390, height: 844 })
  await open('/internal/ms-teams-tenants', token)
  await box(page, `Select ${tenant.tenant_fqdn}`).check()
  await button(page, 'Edit…').click()
  await expect(page.getByRole('dialog').getByRole('combobox')).toHaveCount(1)
  await field(page, 'Application').selectOption('Front desk')
  await expectNoFindings(page, 'editing several tenants on a phone')
  await button(page, 'Continue').click()
  await expect(effects(page)).toHaveText('Application: Front desk (set for 1 tenant without a value)')
  await expectNoFindings(page, 'new values of several tenants on a phone')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await button(page, 'Change 1 tenant').click()
  await button(page, 'Undo').click()
  await expect(page.getByText('Restored 1 tenant.')).toBeVisible()
})

test('phone numbers move to another account with one of its applications, and back', async ({
  page,
  api,
  tenant: { service_provider_sid, account_sid },
  open,
}) => {
  const second = await api.send('POST', '/Accounts', { name: 'Second account', service_provider_sid })
  const application_sid = await createApplication(api, second.body.sid, 'Survey')
  const carrier = await api.send('POST', '/VoipCarriers', { name: 'Atlantic', service_provider_sid })
  for (const number of ['15085550101', '15085550102'])
    await api.send('POST', '/PhoneNumbers', { number, voip_carrier_sid: carrier.body.sid, account_sid })
  const readNumbers = async () => {
    const { body } = await api.send('GET', `/ServiceProviders/${service_provider_sid}/PhoneNumbers`)
    return body as { account_sid: string; application_sid: string | null }[]
  }
  await open('/internal/phone-numbers')
  await box(page, 'Select all on this page').check()
  await button(page, 'Edit…').click()
  await field(page, 'Account').selectOption('Second account')
  await field(page, 'Application').selectOption('Survey')
  await confirmEdit(page, 2, 'phone numbers')
  await expect(page.getByText('Changed 2 phone numbers.')).toBeVisible()
  for (const number of await readNumbers())
    expect(number).toMatchObject({ account_sid: second.body.sid, application_sid })
  await button(page, 'Undo').click()
  await expect(page.getByText('Restored 2 phone numbers.')).toBeVisible()
  for (const number of await readNumbers()) expect(number).toMatchObject({ account_sid, application_sid: null })
})
