import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { expectNoFindings, inEachLayout, layoutsOfTier } from './support/axe.ts'
import { closeDialog, copyRequest, copyRequestDialog, readCode, recordWrites } from './support/copied-requests.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { hold } from './support/hold-requests.ts'
import { failOnce, save } from './support/records.ts'
import { readClipboard, runCurl, runJavaScript } from './support/run-code.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Forms show the requests that a save would send, as code that has the effect of a save when it runs. */

const onPlatform = (page: Page) => page.route('**/config.json', (route) => route.fulfill({ json: {} }))

const awkwardName = (): string => `O'Brien "$HOME" \`id\` \\ ж ${randomUUID().slice(0, 8)}`

const password = `p'4"$s\\s`

const fillAccount = async (page: Page, name: string) => {
  await page.getByLabel('Account name').fill(name)
  await page.getByLabel('Max calls').fill('7')
  await page.getByLabel('Registration webhook URL').fill('https://example.org/register')
  await page.getByLabel('Use HTTP basic authentication for the registration webhook').check()
  await page.getByLabel('Registration webhook username').fill('user')
  await page.getByLabel('Registration webhook password').fill(password)
}

for (const [format, run] of [
  ['curl', runCurl],
  ['JavaScript', runJavaScript],
] as const) {
  test(`the ${format} code of a new account creates it with its limits, and contains no secret`, async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const writes = recordWrites(page)
    const name = awkwardName()
    const list = `/ServiceProviders/${tenant.service_provider_sid}/Accounts`
    const find = async () =>
      (await api.send('GET', list)).body.find((account: { name: string }) => account.name === name)
    await open('/internal/accounts/add')
    await fillAccount(page, name)
    const code = await readCode(page, format)
    await expect(copyRequestDialog(page)).toContainText('The form would send 2 requests.')
    await expect(copyRequestDialog(page)).toContainText('PATCHBAY_TOKEN, REGISTRATION_HOOK_PASSWORD')
    expect(code).not.toContain(api.token)
    expect(code).not.toContain("p'4")
    expect(writes).toEqual([])
    expect(await find()).toBeUndefined()

    const env = { PATCHBAY_TOKEN: api.token, REGISTRATION_HOOK_PASSWORD: password }
    await expect(run(code, { PATCHBAY_TOKEN: api.token })).rejects.toThrow('REGISTRATION_HOOK_PASSWORD')
    expect(await find(), 'without the secret').toBeUndefined()
    await run(code, env)
    const account = await find()
    expect(account.registration_hook).toMatchObject({ url: 'https://example.org/register', username: 'user', password })
    const limits = (await api.send('GET', `/Accounts/${account.account_sid}/Limits`)).body
    expect(limits).toMatchObject([{ category: 'voice_call_session', quantity: 7 }])

    // The form is as it was, and can still be saved.
    await closeDialog(page)
    await page.getByLabel('Account name').fill(`${name} 2`)
    await save(page).click()
    await expectToast(page, 'Account created successfully')
    expect(writes).toHaveLength(2)
  })

  test(`the ${format} code of a changed application changes only what the form has changed`, async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { account_sid } = tenant
    const hook = { url: 'https://example.org/call', method: 'POST', username: null, password: null }
    const application = { name: 'Reception', account_sid, call_hook: hook, call_status_hook: hook }
    const application_sid: string = (await api.send('POST', '/Applications', application)).body.sid
    await open(`/internal/applications/${application_sid}/edit`)
    const name = awkwardName()
    await page.getByLabel('Application name').fill(name)
    const code = await readCode(page, format)
    await expect(copyRequestDialog(page)).toContainText('The form would send 1 request.')
    const read = async () => (await api.send('GET', `/Applications/${application_sid}`)).body
    expect((await read()).name).toBe('Reception')
    await api.send('PUT', `/Applications/${application_sid}`, { call_hook: { ...hook, method: 'GET' } })
    await run(code, { PATCHBAY_TOKEN: api.token })
    expect(await read()).toMatchObject({ name, call_hook: { method: 'GET' } })
    await expect(run(code, { PATCHBAY_TOKEN: 'of-nobody' })).rejects.toThrow()
  })
}

test('copies the code, and says so', async ({ page, tenant, open, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await page.getByLabel('Account name').fill('Changed')
  const code = await readCode(page)
  await copyRequestDialog(page).getByRole('button', { name: 'Copy', exact: true }).click()
  await expect(copyRequestDialog(page).getByRole('status')).toHaveText('Copied 1 request as curl')
  expect(await readClipboard(page)).toBe(code)
  const module = await readCode(page, 'JavaScript')
  await expect(copyRequestDialog(page).getByRole('status')).toHaveText('')
  await copyRequestDialog(page).getByRole('button', { name: 'Copy', exact: true }).click()
  await expect(copyRequestDialog(page).getByRole('status')).toHaveText('Copied 1 request as JavaScript')
  expect(await readClipboard(page)).toBe(module)
})

test('selects the code if the browser denies the clipboard', async ({ page, tenant, open }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('denied', 'NotAllowedError'))
  })
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await page.getByLabel('Account name').fill('Changed')
  const code = await readCode(page)
  await copyRequestDialog(page).getByRole('button', { name: 'Copy', exact: true }).click()
  await expect(copyRequestDialog(page).getByRole('alert')).toContainText('denied access to the clipboard')
  await expect(copyRequestDialog(page).getByRole('status')).toHaveText('')
  expect(await page.evaluate(() => getSelection()?.toString())).toBe(code)
})

test('a form with errors states them at its fields and shows no request', async ({ page, tenant, api, open }) => {
  const writes = recordWrites(page)
  await open('/internal/accounts/add')
  await copyRequest(page).click()
  await expect(page.getByLabel('Account name')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('Account name')).toBeFocused()
  // A name that is taken, which only the server knows.
  await page.getByLabel('Account name').fill(tenant.accountName)
  await copyRequest(page).click()
  await expect(page.getByText(/already in use|taken|another account/i).first()).toBeVisible()
  await expect(copyRequestDialog(page)).toHaveCount(0)
  await page.getByLabel('Account name').fill(awkwardName())
  expect(await readCode(page)).toContain(`${api.url}/api/v1/Accounts`)
  expect(writes).toEqual([])
})

test('a form without changes says that a save would send nothing', async ({ page, tenant, open }) => {
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await copyRequest(page).click()
  await expect(copyRequestDialog(page)).toContainText('Nothing has changed, so saving would send no request.')
  await expect(copyRequestDialog(page).getByRole('button', { name: 'Copy', exact: true })).toHaveCount(0)
  await closeDialog(page)
  await expect(copyRequest(page)).toBeFocused()
  await expect(page).toHaveURL(/\/edit$/)
})

test('a view-only user has no requests of a save, as there is no save', async ({ page, api, tenant, open }) => {
  const viewer = await api.person({ service_provider_sid: tenant.service_provider_sid, is_view_only: true })
  await open(`/internal/accounts/${tenant.account_sid}/edit`, viewer.token)
  await expect(page.getByText('View only', { exact: true })).toBeVisible()
  await expect(copyRequest(page)).toHaveCount(0)
})

test('on a server without extensions, a carrier is saved by the requests of that server', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await onPlatform(page)
  const name = awkwardName()
  await open('/internal/carriers/add')
  await page.getByLabel('Carrier name').fill(name)
  await page.getByLabel('Network address').fill('198.51.100.7')
  const code = await readCode(page)
  expect(code).not.toContain('/patchbay/')
  expect(code).toContain('voip_carrier_sid=$(')
  await runCurl(code, { PATCHBAY_TOKEN: api.token })
  const path = `/ServiceProviders/${tenant.service_provider_sid}/VoipCarriers`
  const carrier = (await api.send('GET', path)).body.find((one: { name: string }) => one.name === name)
  const gateways = (await api.send('GET', `/SipGateways?voip_carrier_sid=${carrier.voip_carrier_sid}`)).body
  expect(gateways).toMatchObject([{ ipv4: '198.51.100.7' }])
})

test('a failed read is shown, and the form can still be saved', async ({ page, tenant, open }) => {
  await onPlatform(page)
  const path = `/Accounts/${tenant.account_sid}`
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await page.getByLabel('Enable debug log for this account').check()
  // That server cannot compare versions, so a save reads the record again.
  await failOnce(page, `**${path}`, 'The database is busy')
  await copyRequest(page).click()
  await expect(copyRequestDialog(page).getByRole('alert').first()).toContainText('The database is busy')
  await closeDialog(page)
  await save(page).click()
  await expectToast(page, 'Account updated successfully')
})

test('the dialog stays until the requests are known, so that no other request is taken for one of them', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await onPlatform(page)
  const path = `/Accounts/${tenant.account_sid}`
  const writes = recordWrites(page)
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await page.getByLabel('Account name').fill('Changed')
  const release = await hold(page, `**${path}`)
  const read = page.waitForRequest(`**${path}`)
  await copyRequest(page).click()
  await read
  await page.keyboard.press('Escape')
  await expect(copyRequestDialog(page).getByRole('button', { name: 'Close' })).toHaveCount(0)
  release()
  expect(await readCode(page)).toContain('Changed')
  await closeDialog(page)
  expect(writes).toEqual([])
  expect((await api.send('GET', path)).body.name).toBe(tenant.accountName)
})

test('the code of an import imports all chosen rows, in as many requests as the import', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { service_provider_sid, account_sid, accountName } = tenant
  await api.send('POST', '/VoipCarriers', { name: 'Main trunk', service_provider_sid })
  const choose = async (count: number) => {
    const rows = Array.from({ length: count }, (_, nth) => `${15_085_550_100 + nth},Main trunk,${accountName}`)
    const buffer = Buffer.from(['number,carrier,account', ...rows].join('\n'))
    await page.getByLabel('CSV file').setInputFiles({ name: 'numbers.csv', mimeType: 'text/csv', buffer })
    await page.getByRole('button', { name: /^Check / }).click()
    await expect(page.getByRole('button', { name: /^Import [\d,]+ phone numbers$/ })).toBeVisible()
  }
  const stored = async () => (await api.send('GET', `/PhoneNumbers?account_sid=${account_sid}`)).body
  await open('/internal/phone-numbers/import')
  await choose(1001)
  await expect(copyRequest(page)).toHaveAttribute('aria-disabled', 'true')
  await expect(copyRequest(page)).toHaveAccessibleDescription('The requests of at most 1,000 rows are shown.')

  // A request imports up to 500 rows.
  await choose(502)
  await page.getByRole('checkbox', { name: 'Import line 2', exact: true }).uncheck()
  const writes = recordWrites(page)
  const code = await readCode(page)
  await closeDialog(page)
  expect(writes).toEqual([])
  expect(await stored()).toEqual([])
  await runCurl(code, { PATCHBAY_TOKEN: api.token })
  const numbers = (await stored()).map(({ number }: { number: string }) => number)
  expect(numbers).toHaveLength(501)
  expect(numbers).not.toContain('15085550100')
  await page.getByRole('button', { name: 'Import 501 phone numbers' }).click()
  await expect(page.getByRole('region', { name: 'Rows' })).toContainText('501 imported')
  expect(writes).toHaveLength(code.split('curl ').length - 1)
})

test('works by keyboard alone, in both themes and at all widths', async ({ page, tenant, open, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.setViewportSize({ width: 390, height: 844 })
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await page.getByLabel('Account name').fill('Changed')
  await copyRequest(page).focus()
  await page.keyboard.press('Enter')
  await copyRequestDialog(page).getByRole('tab', { name: 'curl' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(copyRequestDialog(page).getByRole('tab', { name: 'JavaScript' })).toBeFocused()
  for (const target of [
    copyRequestDialog(page).getByLabel('Requests as JavaScript'),
    copyRequestDialog(page).getByRole('button', { name: 'Copy', exact: true }),
  ]) {
    await page.keyboard.press('Tab')
    await expect(target).toBeFocused()
  }
  await page.keyboard.press('Enter')
  await expect(copyRequestDialog(page).getByRole('status')).toHaveText('Copied 1 request as JavaScript')
  await inEachLayout(
    page,
    async ({ colorScheme, width, rules }) => {
      const what = `copy-request-${colorScheme}-${width}`
      await expectNoFindings(page, what, { rules })
      await expectToFit(page, what)
      const folder = process.env['PICTURES']
      if (folder) await page.screenshot({ path: `${folder}/${what}.png` })
    },
    layoutsOfTier,
  )
  await closeDialog(page)
  await expect(copyRequest(page)).toBeFocused()
})
