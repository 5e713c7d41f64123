import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { hold } from './support/hold-requests.ts'
import { makeApplications, makeNumbers } from './support/seed-database.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const table = (page: Page) => page.getByRole('table', { name: 'Phone numbers' })
const rows = (page: Page) => table(page).locator('tbody tr[data-row]')
const row = (page: Page, name: string) => rows(page).filter({ has: page.getByRole('link', { name, exact: true }) })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const save = (page: Page) => page.getByRole('button', { name: 'Save' })
const field = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true })
const selection = (page: Page) => page.getByRole('group', { name: 'Selection' })
const filterBox = (page: Page) => page.getByRole('searchbox', { name: 'Filter phone numbers' })

/** Simulates the platform's own API server, without Patchbay's extensions. */
const onPlatform = (page: Page) => page.route('**/config.json', (route) => route.fulfill({ json: {} }))

const createCarrier = async (api: Api, owner: object, name = 'Trunk'): Promise<string> =>
  (await api.send('POST', '/VoipCarriers', { name, ...owner })).body.sid

const addNumber = async (api: Api, body: object): Promise<string> =>
  (await api.send('POST', '/PhoneNumbers', body)).body.sid

const fetchNumber = async (api: Api, sid: string) => (await api.send('GET', `/PhoneNumbers/${sid}`)).body

const fetchNumbers = async (api: Api, { account_sid }: Tenant) =>
  (await api.send('GET', `/PhoneNumbers?account_sid=${account_sid}`)).body as {
    phone_number_sid: string
    number: string
    application_sid: string | null
  }[]

const several = (count: number, from = 15_083_084_000) => Array.from({ length: count }, (_, nth) => String(from + nth))

test.describe('the list', () => {
  test('NUMBERS-01 NUMBERS-19 NAV-32 NAV-63 COMMON-20 filters by text and account, with paging', async ({
    page,
    api,
    tenant,
    server,
    open,
  }) => {
    const { service_provider_sid, account_sid } = tenant
    makeNumbers(server, account_sid, several(60))
    const [application_sid] = makeApplications(server, account_sid, ['Front desk'])
    const voip_carrier_sid = await createCarrier(api, { service_provider_sid }, 'Main trunk')
    const beside = await api.account(service_provider_sid, { name: 'Beside' })
    await addNumber(api, { number: '2^4', account_sid: beside })
    await addNumber(api, { number: '15083084809', account_sid, voip_carrier_sid, application_sid })
    await open('/internal/accounts')
    await page.getByRole('list', { name: 'BYO Services' }).getByRole('link', { name: 'Phone Numbers' }).click()
    await expect(page).toHaveURL(/\/internal\/phone-numbers$/)
    await expect(heading(page, 'Phone numbers')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Add phone number' })).toBeVisible()
    await expect(page.getByText('Total: 62 record(s)', { exact: true })).toBeVisible()
    await expect(rows(page)).toHaveCount(25)
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect(row(page, '+1 (508) 308-4025')).toBeVisible()
    await page.getByRole('combobox', { name: 'Page size' }).selectOption('50')
    await expect(rows(page)).toHaveCount(50)
    await expect(page).toHaveURL(/size=50$/)

    // Formatted for reading, with the names of the referenced records.
    await filterBox(page).fill('(508) 308-4809')
    await page.keyboard.press('Enter')
    await expect(rows(page)).toHaveText([/\+1 \(508\) 308-4809.*Main trunk.*Front desk/])
    await expect(row(page, '+1 (508) 308-4809')).toContainText(tenant.accountName)
    await filterBox(page).fill('')
    await page.keyboard.press('Enter')
    await field(page, 'Account').selectOption('Beside')
    await expect(rows(page)).toHaveText([/2\^4.*pattern.*Beside.*None/])
  })

  test('NUMBERS-17 NUMBERS-20 reports a list that cannot be loaded in place and in a toast, and describes an empty list', async ({
    page,
    open,
  }) => {
    const list = '**/patchbay/phone-numbers?*'
    await page.route(list, (route) => route.fulfill({ status: 500, json: { msg: 'The database is away' } }), {
      times: 1,
    })
    await open('/internal/phone-numbers')
    await expect(page.locator('#main').getByText('The database is away')).toBeVisible()
    await expect(rows(page)).toHaveCount(0)
    await expectToast(page, 'The database is away')
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByText('No phone numbers.', { exact: true })).toBeVisible()
    await expect(page.getByText('A phone number routes incoming calls of a carrier')).toBeVisible()
  })

  test('hides the account filter from account users, is read-only for view-only users, and for accounts if restricted to operators', async ({
    page,
    api,
    tenant,
    server,
    open,
  }) => {
    makeNumbers(server, tenant.account_sid, ['15083084809'])
    const { service_provider_sid, account_sid } = tenant
    const viewer = await api.person({ service_provider_sid, account_sid, is_view_only: true })
    await open('/internal/phone-numbers', viewer.token)
    await expect(rows(page)).toHaveCount(1)
    await expect(field(page, 'Account')).toHaveCount(0)
    await expect(page.getByRole('checkbox')).toHaveCount(0)
    for (const name of ['Add phone number', 'Import', 'Delete +1 (508) 308-4809'])
      await expect(page.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true')
    await page.getByRole('link', { name: '+1 (508) 308-4809', exact: true }).click()
    await expect(page.getByText('You have view-only access.')).toBeVisible()
    await expect(save(page)).toHaveCount(0)

    const user = await api.person({ service_provider_sid, account_sid })
    await page.route('**/config.json', (route) => route.fulfill({ json: { switches: ['admin-carriers'] } }))
    await open('/internal/phone-numbers', user.token)
    await expect(page.getByRole('button', { name: 'Add phone number' })).toHaveAttribute('aria-disabled', 'true')
    await expect(page.getByRole('checkbox', { name: 'Select +1 (508) 308-4809' })).toBeVisible()
  })

  test('exports all filtered numbers as CSV, which can be imported unchanged', async ({
    page,
    tenant,
    server,
    open,
  }, info) => {
    makeNumbers(server, tenant.account_sid, [...several(30), '99', '+1*'])
    await open('/internal/phone-numbers?filter=1')
    await page.getByRole('button', { name: 'Copy or download' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Download CSV' }).click()
    const path = info.outputPath('phone-numbers.csv')
    await (await download).saveAs(path)
    const text = await readFile(path, 'utf8')
    expect(text.trim().split('\r\n')).toHaveLength(1 + 31)
    expect(text).toContain("'+1*")
    expect(text).not.toMatch(/,'?\+?99,/)
    await page.goto('/internal/phone-numbers/import')
    await page.getByLabel('CSV file').setInputFiles(path)
    await page.getByRole('button', { name: 'Check 31 rows' }).click()
    await expect(page.getByRole('region', { name: 'Rows' })).toContainText('30 unchanged, 1 wrong')
  })
})

test.describe('assigning an application', () => {
  test('NUMBERS-02 NUMBERS-03 NUMBERS-05 sets the application of selected numbers of several pages, and undoes it', async ({
    page,
    api,
    tenant,
    server,
    open,
  }) => {
    const { account_sid } = tenant
    makeNumbers(server, account_sid, several(30))
    const [application_sid] = makeApplications(server, account_sid, ['Front desk', 'Night line'])
    await open('/internal/phone-numbers')
    await page.getByRole('checkbox', { name: 'Select +1 (508) 308-4001' }).check()
    await expect(selection(page)).toContainText('1 phone number selected')
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await expect(selection(page)).toContainText('25 phone numbers selected')
    // The selection is kept on other pages.
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect(page.getByRole('checkbox', { name: 'Select all on this page' })).not.toBeChecked()
    await page.getByRole('checkbox', { name: 'Select +1 (508) 308-4026' }).check()
    await expect(selection(page)).toContainText('26 phone numbers selected')
    await page.getByRole('button', { name: 'Set application' }).click()
    await field(page, 'Application').selectOption('Front desk')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expectToast(page, 'Number routing updated successfully')
    await expect(selection(page)).toBeHidden()
    const routed = async () =>
      (await fetchNumbers(api, tenant)).filter((one) => one.application_sid === application_sid)
    expect((await routed()).map(({ number }) => number)).toEqual([...several(25), '15083084026'])

    // The change can be undone. It gives each number its own application back.
    const notice = page.getByRole('status').filter({ hasText: 'Set the application of 26 phone numbers.' })
    await notice.getByRole('button', { name: 'Undo' }).click()
    await expectToast(page, 'The application of 26 phone numbers is as before')
    await expect(notice).toBeHidden()
    expect(await routed()).toEqual([])
  })

  test('NUMBERS-04 removes the application of numbers of several accounts only after a confirmation with their count', async ({
    page,
    api,
    tenant,
    server,
    open,
  }) => {
    const { account_sid } = tenant
    makeNumbers(server, account_sid, several(30))
    await api.account(tenant.service_provider_sid, { name: 'Beside' })
    const [application_sid, nightLine] = makeApplications(server, account_sid, ['Front desk', 'Night line'])
    const all = await fetchNumbers(api, tenant)
    const phone_number_sids = all.map((one) => one.phone_number_sid)
    await api.send('POST', '/patchbay/phone-numbers/routing', { application_sid, phone_number_sids })
    const routed = async () => {
      const numbers = await fetchNumbers(api, tenant)
      return numbers.filter((one) => one.application_sid === application_sid).map(({ number }) => number)
    }
    await open('/internal/phone-numbers')
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page.getByRole('button', { name: 'Select all 30 phone numbers' }).click()
    await page.getByRole('checkbox', { name: 'Select +1 (508) 308-4002' }).uncheck()
    await expect(selection(page)).toContainText('29 phone numbers selected')

    await page.getByRole('button', { name: 'Set application' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set the application of 29 phone numbers' })
    // The numbers can belong to several accounts. Nothing is chosen, so nothing can be applied.
    await expectNoFindings(page, 'the dialog')
    const apply = dialog.getByRole('button', { name: 'Apply' })
    await expect(apply).toHaveAttribute('aria-disabled', 'true')
    await dialog.getByRole('combobox', { name: 'Applications of' }).selectOption(tenant.accountName)
    await expect(apply).toHaveAttribute('aria-disabled', 'true')
    await dialog.getByRole('combobox', { name: 'Application', exact: true }).selectOption('None')
    await dialog.getByRole('button', { name: 'Remove application…' }).click()
    const question = page.getByRole('dialog', { name: 'Remove the application of 29 phone numbers' })
    await expect(question).toContainText('29 phone numbers will have no application.')
    await expectNoFindings(page, 'the question')
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await routed()).toHaveLength(30)

    await page.getByRole('button', { name: 'Remove application…' }).click()
    await question.getByRole('button', { name: 'Remove application' }).click()
    await expect(selection(page)).toBeHidden()
    expect(await routed()).toEqual(['15083084002'])

    // Another user changes a number before the undo, which keeps that change.
    const [changed] = phone_number_sids
    await api.send('POST', '/patchbay/phone-numbers/routing', {
      application_sid: nightLine,
      phone_number_sids: [changed],
    })
    await page.getByRole('button', { name: 'Undo' }).click()
    await expectToast(page, '1 phone number not restored: The application has been changed in the meantime')
    expect(await routed()).toHaveLength(29)
  })

  test('lists failed numbers with their reasons and retries only those, and clears the selection when the filter changes', async ({
    page,
    api,
    tenant,
    server,
    open,
  }) => {
    const { service_provider_sid, account_sid } = tenant
    const beside = await api.account(service_provider_sid, { name: 'Beside' })
    makeNumbers(server, account_sid, ['15083084001'])
    makeNumbers(server, beside, ['15083084002'])
    makeApplications(server, account_sid, ['Front desk'])
    await open(`/internal/phone-numbers?account=${beside}`)
    await field(page, 'Account').selectOption('All accounts')
    await expect(rows(page)).toHaveCount(2)
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page.getByRole('button', { name: 'Set application' }).click()
    await field(page, 'Applications of').selectOption(tenant.accountName)
    await field(page, 'Application').selectOption('Front desk')
    await page.getByRole('button', { name: 'Apply' }).click()
    const failed = page.getByRole('list', { name: 'Not routed' }).getByRole('listitem')
    await expect(failed).toHaveText(['+1 (508) 308-4002: The application belongs to another account than this number'])
    const again = page.waitForRequest('**/phone-numbers/routing')
    await page.getByRole('button', { name: 'Retry these' }).click()
    expect((await again).postDataJSON().phone_number_sids).toHaveLength(1)
    await expect(failed).toHaveCount(1)
    await page.getByRole('button', { name: 'Close', exact: true }).first().click()
    await expect(selection(page)).toContainText('2 phone numbers selected')
    await page.goBack()
    await expect(selection(page)).toBeHidden()
    await expect(field(page, 'Account')).toHaveValue(beside)
  })
})

test.describe('adding', () => {
  test('NUMBERS-06 NUMBERS-07 requires an account and a carrier', async ({ page, api, tenant, open }) => {
    await page.route('**/ServiceProviders/*/Accounts', (route) => route.fulfill({ json: [] }))
    await open('/internal/phone-numbers/add')
    await expectToast(page, 'You must create an account before you can create a phone number.')
    await expect(heading(page, 'Accounts')).toBeVisible()
    await page.unroute('**/ServiceProviders/*/Accounts')
    await page.goto('/internal/phone-numbers/add')
    await expectToast(page, 'You must create a SIP trunk before you can create a phone number.')
    await expect(heading(page, 'Carriers')).toBeVisible()
    await createCarrier(api, { service_provider_sid: tenant.service_provider_sid })
    await page.goto('/internal/phone-numbers/add')
    await expect(page.getByLabel('Phone number', { exact: false }).first()).toBeVisible()
  })

  test('saves what was entered before the preselected account arrived', async ({ page, api, tenant, open }) => {
    await createCarrier(api, { service_provider_sid: tenant.service_provider_sid }, 'Main trunk')
    const answer = await hold(page, '**/ServiceProviders/*/Accounts')
    await open('/internal/phone-numbers/add')
    await page.getByRole('textbox', { name: /^Phone number/ }).fill('+1 (508) 308-4809')
    await field(page, 'Carrier').selectOption('Main trunk')
    await save(page).click()
    await expect(field(page, 'Account')).toHaveAttribute('aria-invalid', 'true')
    expect(await fetchNumbers(api, tenant)).toEqual([])
    answer()
    await expectToast(page, 'Phone number created successfully')
    expect(await fetchNumbers(api, tenant)).toMatchObject([{ number: '15083084809' }])
  })

  test('waits for another save after a change, and says again what is invalid when the account has arrived', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await createCarrier(api, { service_provider_sid: tenant.service_provider_sid }, 'Main trunk')
    const answer = await hold(page, '**/ServiceProviders/*/Accounts')
    await open('/internal/phone-numbers/add')
    await save(page).click()
    await expect(field(page, 'Account')).toHaveAttribute('aria-invalid', 'true')
    await expect(page.getByText('Enter a phone number')).toBeVisible()
    answer()
    await expect(field(page, 'Account').locator('option:checked')).toHaveText(tenant.accountName)
    await expect(page.getByText('Enter a phone number')).toBeVisible()

    const answerAgain = await hold(page, '**/ServiceProviders/*/Accounts')
    await page.reload()
    await field(page, 'Carrier').selectOption('Main trunk')
    await save(page).click()
    await expect(field(page, 'Account')).toHaveAttribute('aria-invalid', 'true')
    await page.getByRole('textbox', { name: /^Phone number/ }).fill('1508')
    answerAgain()
    await expect(field(page, 'Account').locator('option:checked')).toHaveText(tenant.accountName)
    await page.waitForLoadState('networkidle')
    await expect(page.getByRole('textbox', { name: /^Phone number/ })).toHaveValue('1508')
    expect(await fetchNumbers(api, tenant)).toEqual([])
  })

  test('NUMBERS-08 NUMBERS-12 NUMBERS-14 NAV-33 creates a number with carrier and account, and reports a duplicate at its field', async ({
    page,
    api,
    tenant,
    server,
    open,
  }) => {
    const { service_provider_sid, account_sid } = tenant
    const voip_carrier_sid = await createCarrier(api, { service_provider_sid }, 'Main trunk')
    await createCarrier(api, { service_provider_sid }, 'Other trunk')
    makeApplications(server, account_sid, ['Front desk'])
    await addNumber(api, { number: '15083084809', account_sid, voip_carrier_sid })
    await open('/internal/phone-numbers')
    await page.getByRole('link', { name: 'Add phone number' }).click()
    await expect(page).toHaveURL(/\/internal\/phone-numbers\/add$/)
    await save(page).click()
    await expect(page.getByText('Enter a phone number')).toBeVisible()
    const number = page.getByRole('textbox', { name: /^Phone number/ })
    await number.fill('+1 (508) 308-4809')
    await expect(page.getByText('Stored as 15083084809.')).toBeVisible()
    // The only account is preselected.
    await expect(field(page, 'Account').locator('option:checked')).toHaveText(tenant.accountName)
    await expect(field(page, 'Application').locator('option')).toHaveText(['None', 'Front desk'])
    await field(page, 'Carrier').selectOption('Main trunk')
    await save(page).click()
    await expect(page.getByText('The phone number you have entered is already in use.', { exact: true })).toBeVisible()
    await expect(number).toBeFocused()
    // The duplicate is reported once: no toast and no banner repeats it.
    await expect(page.getByText(/already in use/)).toHaveCount(1)
    expect(await fetchNumbers(api, tenant)).toHaveLength(1)
    // Another carrier can have a number with the same digits.
    await field(page, 'Carrier').selectOption('Other trunk')
    await save(page).click()
    await expectToast(page, 'Phone number created successfully')
    await expect(page).toHaveURL(`/internal/phone-numbers?account=${account_sid}`)
    await expect(rows(page)).toHaveCount(2)
    expect(await fetchNumbers(api, tenant)).toMatchObject([
      { number: '15083084809', application_sid: null },
      { number: '15083084809', application_sid: null },
    ])
  })
})

test('a typed pattern shows numbers that it matches and has to be confirmed, and other texts are rejected', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await createCarrier(api, { service_provider_sid: tenant.service_provider_sid }, 'Main trunk')
  await open('/internal/phone-numbers/add')
  const number = page.getByRole('textbox', { name: /^Phone number/ })
  await field(page, 'Carrier').selectOption('Main trunk')
  await number.fill('+1508555124O')
  await save(page).click()
  await expect(page.getByText('it contains the letter “O”').first()).toBeVisible()
  await number.fill('1508*')
  await expect(page.getByText(/It matches 15085550123 and \d+, and also 4915085550123/)).toBeVisible()
  await save(page).click()
  await expect(page.getByText('Confirm that you want a pattern')).toBeVisible()
  expect(await fetchNumbers(api, tenant)).toEqual([])
  await page.getByRole('checkbox', { name: 'Store as a pattern' }).check()
  await save(page).click()
  await expectToast(page, 'Phone number created successfully')
  expect(await fetchNumbers(api, tenant)).toMatchObject([{ number: '1508*' }])
})

test('NUMBERS-13 NUMBERS-15 NAV-34 changes account and application but not number and carrier, and links to references', async ({
  page,
  api,
  tenant,
  server,
  open,
}) => {
  const { service_provider_sid, account_sid } = tenant
  const voip_carrier_sid = await createCarrier(api, { service_provider_sid }, 'Main trunk')
  const beside = await api.account(service_provider_sid, { name: 'Beside' })
  const [application_sid] = makeApplications(server, beside, ['Night line'])
  const sid = await addNumber(api, { number: '15083084809', account_sid, voip_carrier_sid })
  await open(`/internal/phone-numbers/${sid}/edit`)
  await expect(heading(page, '+1 (508) 308-4809')).toBeVisible()
  await expect(page.getByRole('textbox', { name: /^Phone number/ })).toHaveAttribute('readonly', '')
  await expect(field(page, 'Carrier')).toBeDisabled()
  await field(page, 'Account').selectOption('Beside')
  await field(page, 'Application').selectOption('Night line')
  const saveRequest = page.waitForRequest((request) => request.method() === 'PUT')
  await save(page).click()
  expect((await saveRequest).postDataJSON()).toEqual({ account_sid: beside, application_sid })
  await expectToast(page, 'Phone number updated successfully')
  await expect(row(page, '+1 (508) 308-4809')).toContainText('Night line')
  expect(await fetchNumber(api, sid)).toMatchObject({ number: '15083084809', voip_carrier_sid, account_sid: beside })

  await row(page, '+1 (508) 308-4809').getByRole('link', { name: 'Edit +1 (508) 308-4809' }).click()
  await page.getByRole('tab', { name: 'Refers to' }).click()
  await expect(page.getByRole('link', { name: 'Beside' })).toHaveAttribute('href', `/internal/accounts/${beside}/edit`)
  await expect(page.locator('dl').getByText('Night line')).toBeVisible()
  await page.getByRole('tab', { name: 'History' }).click()
  await expect(page.getByRole('list', { name: 'History' }).getByText('changed').first()).toBeVisible()
  await page.getByRole('tab', { name: 'Refers to' }).click()
  await page.getByRole('link', { name: 'Main trunk' }).click()
  await expect(heading(page, 'Main trunk')).toBeVisible()
})

test('NUMBERS-16 deletes a number after a confirmation', async ({ page, api, tenant, server, open }) => {
  makeNumbers(server, tenant.account_sid, ['15083084001', '15083084002'])
  await open('/internal/phone-numbers')
  await page.getByRole('button', { name: 'Delete +1 (508) 308-4001' }).click()
  await expect(page.getByRole('dialog', { name: 'Delete phone number?' })).toContainText('15083084001')
  await page.getByRole('button', { name: 'Delete phone number', exact: true }).click()
  await expectToast(page, 'Deleted phone number 15083084001')
  await expect(rows(page)).toHaveText([/308-4002/])
  expect((await fetchNumbers(api, tenant)).map(({ number }) => number)).toEqual(['15083084002'])
})

const csv = (text: string) => ({ name: 'numbers.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })

test.describe('importing', () => {
  /** Creates a second account, a number, and a file with a row of every kind. */
  const prepare = async (api: Api, { service_provider_sid, account_sid, accountName }: Tenant) => {
    await api.account(service_provider_sid, { name: 'Beside' })
    const voip_carrier_sid = await createCarrier(api, { service_provider_sid }, 'Main trunk')
    await addNumber(api, { number: '15083084000', account_sid, voip_carrier_sid })
    return [
      'number;carrier;account',
      `+15083084000;Main trunk;${accountName}`,
      `+1 508 308 4001;main trunk;${accountName}`,
      `15083084001;Main trunk;${accountName}`,
      `15083084002;No trunk;${accountName}`,
      '15083084003;Main trunk;',
    ].join('\n')
  }
  const outcomes = (page: Page) => page.getByRole('table', { name: 'Rows of the file' }).locator('tbody tr[data-row]')

  test('checks a file row by row, and imports only the selected rows', async ({ page, api, tenant, open }) => {
    const text = await prepare(api, tenant)
    await open('/internal/phone-numbers')
    await page.getByRole('link', { name: 'Import' }).click()
    await expect(heading(page, 'Import phone numbers')).toBeVisible()
    const file = page.getByLabel('CSV file')
    await file.setInputFiles(csv('name,colour\na,b'))
    await expect(page.getByRole('alert')).toHaveText(/must name the columns/)
    await file.setInputFiles(csv('x'.repeat(10_000_001)))
    await expect(page.getByRole('alert')).toHaveText(/At most 10 MB/)
    await file.setInputFiles(csv('number;carrier\n15083084001;"Main trunk\n15083084002;Main trunk'))
    await page.getByRole('button', { name: 'Check 1 row' }).click()
    await expect(outcomes(page)).toHaveText([/215083084001wrongA quotation mark is not closed.*Lines 2 to 3/])
    await file.setInputFiles(csv(text))
    await page.getByRole('button', { name: 'Check 5 rows' }).click()
    await expect(outcomes(page)).toHaveText([
      /15083084000unchanged/,
      /15083084001new/,
      /415083084001wrongLine 3 has the same number/,
      /515083084002wrongThere is no such carrier/,
      /615083084003wrongA new number needs an account/,
    ])
    expect(await fetchNumbers(api, tenant)).toHaveLength(1)
    await expectNoFindings(page, 'the rows')
    // A default is selected for rows without a value.
    await field(page, 'Account for rows without one').selectOption(tenant.accountName)
    await page.getByRole('button', { name: 'Check 5 rows' }).click()
    await page.getByRole('combobox', { name: 'Show' }).selectOption('2 new')
    await expect(outcomes(page)).toHaveCount(2)
    await page.getByRole('checkbox', { name: 'Import line 3' }).uncheck()
    await page.getByRole('button', { name: 'Import 1 phone number' }).click()
    await expectToast(page, '1 phone number imported')
    await expect(page.getByRole('region', { name: 'Rows' })).toContainText('1 new, 1 unchanged, 2 wrong, 1 imported')
    expect((await fetchNumbers(api, tenant)).map(({ number }) => number)).toEqual(['15083084000', '15083084003'])
    await page.getByRole('link', { name: 'Back to the list' }).click()
    await expect(row(page, '+1 (508) 308-4003')).toBeVisible()
  })

  test('says at each row why a text is no number, and imports a pattern only if it is confirmed', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { service_provider_sid, accountName } = tenant
    await createCarrier(api, { service_provider_sid }, 'Main trunk')
    const numbers = [
      '"1,50831E+10"',
      '15083084801.0',
      '+1 508-555-1242 x12',
      '+39 (0)6 5550 1234',
      '1508*',
      '0044 1605 551247',
    ]
    const text = ['sep=;', 'Number;Carrier;Account', ...numbers.map((one) => `${one};Main trunk;${accountName}`)]
    await open('/internal/phone-numbers/import')
    // A file of Excel in UTF-16 with the line breaks of old Macs.
    const buffer = Buffer.from(`\ufeff${text.join('\r')}`, 'utf16le')
    await page.getByLabel('CSV file').setInputFiles({ ...csv(''), buffer })
    await page.getByRole('button', { name: 'Check 6 rows' }).click()
    await expect(outcomes(page)).toHaveText([
      /wrongA spreadsheet has shortened this number, so that its last digits are lost\. Format the column as text/,
      /wrongA decimal number, not a phone number/,
      /wrongA called number has no extension\. Remove “x12” and write \+1 508-555-1242/,
      /390655501234new/,
      /1508\*patternA pattern, not a number\. It matches 15085550123 and .*Select the row to confirm it\./,
      /441605551247new/,
    ])
    await expect(page.getByRole('checkbox', { name: 'Import line 7' })).not.toBeChecked()
    await expect(page.getByRole('button', { name: 'Import 2 phone numbers' })).toBeVisible()
    await page.getByRole('checkbox', { name: 'Import all of these rows' }).uncheck()
    await page.getByRole('checkbox', { name: 'Import all of these rows' }).check()
    await expect(page.getByRole('checkbox', { name: 'Import line 7' })).not.toBeChecked()
    await page.getByRole('checkbox', { name: 'Import line 7' }).check()
    await page.getByRole('button', { name: 'Import 3 phone numbers' }).click()
    await expectToast(page, '3 phone numbers imported')
    expect((await fetchNumbers(api, tenant)).map(({ number }) => number)).toEqual([
      '1508*',
      '390655501234',
      '441605551247',
    ])
    // The list finds a number in any writing.
    await page.getByRole('link', { name: 'Back to the list' }).click()
    await expect(rows(page)).toHaveCount(3)
    const writings = ['+39 (0)6 5550 1234', '0039 06 5550 1234', 'sip:+390655501234@carrier.example', '+३९ ०६५५५० १२३४']
    for (const typed of writings) {
      await filterBox(page).fill(typed)
      await page.keyboard.press('Enter')
      await expect(rows(page)).toHaveText([/\+39 06 5550 1234/])
    }
  })

  test('reads an export below its title, and rejects rows that can be several numbers or have too many cells', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { service_provider_sid, accountName } = tenant
    await createCarrier(api, { service_provider_sid }, 'Main trunk')
    const text = [
      'Numbers of May;;;;',
      'Number;Phone Number;Carrier;Account;',
      ...['442079460950-59', '+442079460958', '2', '[12]', '"+३९ ०६ ५५५० १२३४"'].map(
        (one, at) => `${at + 1};${at === 0 ? '+' : ''}${one};Main trunk;${accountName};`,
      ),
      `6;+442079460959;Main trunk;${accountName};;Note`,
    ].join('\r\n')
    await open('/internal/phone-numbers/import')
    await page.getByLabel('CSV file').setInputFiles(csv(text))
    await page.getByRole('button', { name: 'Check 6 rows' }).click()
    await expect(outcomes(page)).toHaveText([
      /\+442079460950-59wrongThis can be several numbers, or a range\./,
      /442079460958new/,
      /2new/,
      /\[12\]wrongOnly one character in brackets\./,
      /390655501234new/,
      /442079460959wrongThis row has more cells than the file has columns\./,
    ])
  })

  test('takes the only account for rows without one, and asks for none', async ({ page, api, tenant, open }) => {
    await createCarrier(api, { service_provider_sid: tenant.service_provider_sid }, 'Main trunk')
    await open('/internal/phone-numbers/import')
    await page.getByLabel('CSV file').setInputFiles(csv('number;carrier;account\n15083084003;Main trunk;'))
    await expect(page.getByLabel('Carrier for rows without one')).toBeVisible()
    await expect(page.getByLabel('Account for rows without one')).toHaveCount(0)
    await page.getByRole('button', { name: 'Check 1 row' }).click()
    await page.getByRole('button', { name: 'Import 1 phone number' }).click()
    await expectToast(page, '1 phone number imported')
    const [imported] = await fetchNumbers(api, tenant)
    expect(imported).toMatchObject({ number: '15083084003', account_sid: tenant.account_sid })
  })

  test('ignores a column of accounts of a provider if the user says so', async ({ page, api, tenant, open }) => {
    await createCarrier(api, { service_provider_sid: tenant.service_provider_sid }, 'Main trunk')
    await api.account(tenant.service_provider_sid, { name: 'Beside' })
    await open('/internal/phone-numbers/import')
    await page
      .getByLabel('CSV file')
      .setInputFiles(csv('Account,5500012\nTelephone Number,Account\n4155550126,5500012\n4155550127,5500012'))
    await expect(page.getByText('Skipped 1 line above the column names.')).toBeVisible()
    await page.getByLabel('Account for rows without one').selectOption(tenant.accountName)
    await page.getByLabel('Carrier for rows without one').selectOption('Main trunk')
    await page.getByRole('button', { name: 'Check 2 rows' }).click()
    await expect(outcomes(page)).toHaveText([/wrongThere is no such account/, /wrongThere is no such account/])
    await page.getByRole('button', { name: 'Ignore this column' }).click()
    await expect(outcomes(page)).toHaveText([/4155550126new/, /4155550127new/])
    await expect(page.getByText('Ignored columns: account.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Ignore this column' })).toBeHidden()
  })

  test('asks for the column of the numbers, and says that a file is not in UTF-8', async ({ page, tenant, open }) => {
    const buffer = Buffer.from(`Label;Ziel;account\nZ\u00fcrich;+41 44 555 12 34;${tenant.accountName}`, 'latin1')
    await open('/internal/phone-numbers/import')
    await page.getByLabel('CSV file').setInputFiles({ ...csv(''), buffer })
    await expect(page.getByText('was read as Windows-1252')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Check rows' })).toHaveAttribute('aria-disabled', 'true')
    await page.getByLabel('Column with the numbers').selectOption('Ziel')
    await page.getByRole('button', { name: 'Check 1 row' }).click()
    await expect(outcomes(page)).toHaveText([/\+41 44 555 12 34wrongA new number needs a carrier/])
  })

  test('imports ten thousand rows with a progress bar', async ({ page, api, tenant, open }) => {
    const { service_provider_sid, accountName } = tenant
    await createCarrier(api, { service_provider_sid }, 'Main trunk')
    const lines = several(10_000).map((number) => `${number},Main trunk,${accountName}`)
    await open('/internal/phone-numbers/import')
    await page.getByLabel('CSV file').setInputFiles(csv(['number,carrier,account', ...lines].join('\n')))
    await page.getByRole('button', { name: 'Check 10,000 rows' }).click()
    await page.getByRole('button', { name: 'Import 10,000 phone numbers' }).click()
    await expect(page.getByRole('progressbar', { name: 'Importing' })).toBeVisible()
    // Waits once, because repeated queries of a region with a thousand rows slow down the import.
    await page.getByRole('status').getByText('10,000 imported', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Back to the list' }).click()
    await expect(page.getByText('Total: 10000 record(s)', { exact: true })).toBeVisible()
  })

  test('imports number by number on the platform’s own API server', async ({ page, api, tenant, server, open }) => {
    const text = await prepare(api, tenant)
    const [application_sid] = makeApplications(server, tenant.account_sid, ['Front desk'])
    await onPlatform(page)
    await open('/internal/phone-numbers/import')
    await page.getByLabel('CSV file').setInputFiles(csv(text))
    await page.getByRole('button', { name: 'Check 5 rows' }).click()
    await expect(page.getByRole('region', { name: 'Rows' })).toContainText('1 new, 1 unchanged, 3 wrong')
    await page.getByRole('button', { name: 'Import 1 phone number' }).click()
    await expectToast(page, '1 phone number imported')
    await page.getByRole('link', { name: 'Back to the list' }).click()
    await expect(rows(page)).toHaveText([/4000.*Main trunk/, /4001.*Main trunk/])

    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page.getByRole('button', { name: 'Set application' }).click()
    await field(page, 'Application').selectOption('Front desk')
    const refused = '**/PhoneNumbers/*'
    await page.route(refused, (route) => route.fulfill({ status: 403, json: { msg: 'insufficient privileges' } }), {
      times: 1,
    })
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect(page.getByRole('list', { name: 'Not routed' }).getByRole('listitem')).toHaveText([
      /insufficient privileges/,
    ])
    await page.getByRole('button', { name: 'Retry these' }).click()
    await expectToast(page, 'Number routing updated successfully')
    expect((await fetchNumbers(api, tenant)).map((one) => one.application_sid)).toEqual([
      application_sid,
      application_sid,
    ])
  })
})
