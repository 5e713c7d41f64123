import { formatPhoneNumber } from '@patchbay/rules/phone-number/format'
import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { makeApplications, makeNumbers, makeTeamsTenant } from './support/seed-database.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Shows the records that prevent the deletion of an account, and deletes nothing. */

const inUse = (page: Page) => page.getByRole('dialog', { name: 'This account is in use' })
const question = (page: Page) => page.getByRole('dialog', { name: 'Delete account?' })
/** Uses the keyboard, because the tooltip of a focused button covers the row below. */
const press = (page: Page, name: string) =>
  page.getByRole('button', { name: `Delete ${name}`, exact: true }).press('Enter')
const confirm = (page: Page) => question(page).getByRole('button', { name: 'Delete account', exact: true })

for (const [server, config] of [
  ['ours', undefined],
  ["the platform's own", {}],
] as const)
  test(`ACCOUNTS-06 ACCOUNTS-50 ACCOUNTS-51 ACCOUNTS-52 an account with applications, numbers, MS Teams tenants or API keys is not deleted: the blockers are listed (server: ${server})`, async ({
    page,
    api,
    tenant,
    open,
    server: running,
  }) => {
    if (config) await page.route('**/config.json', (route) => route.fulfill({ json: config }))
    const { service_provider_sid, account_sid: every } = tenant
    const account = (name: string) => api.account(service_provider_sid, { name })
    const fqdn = (account_sid: string) => `${account_sid}.example.org`
    const createKey = async (account_sid: string): Promise<string> =>
      (await api.send('POST', `/Accounts/${account_sid}/ApiKeys`, {})).body.token
    const numbers = Array.from({ length: 12 }, (_, index) => `1508555${String(index).padStart(4, '0')}`)
    const [app, number, teams, key] = [
      await account('With an application'),
      await account('With a number'),
      await account('With a tenant'),
      await account('With a key'),
    ]
    makeApplications(running, app, ['Welcome line'])
    makeNumbers(running, number, ['442079460000'])
    makeTeamsTenant(running, { account_sid: teams, service_provider_sid }, fqdn(teams))
    const token = await createKey(key)
    makeApplications(running, every, ['Queue', 'Voicemail'])
    makeNumbers(running, every, numbers)
    makeTeamsTenant(running, tenant, fqdn(every))
    await createKey(every)
    const masked = `********-****-****-****-********${token.slice(-4)}`
    const deleted: string[] = []
    page.on('request', (request) => request.method() === 'DELETE' && deleted.push(request.url()))

    await open('/internal/accounts')
    for (const [name, title, item] of [
      ['With an application', '1 application', 'Welcome line'],
      ['With a number', '1 phone number', '+44 20 7946 0000'],
      ['With a tenant', '1 MS Teams tenant', fqdn(teams)],
      ['With a key', '1 API key', masked],
    ] as const) {
      await press(page, name)
      await expect(inUse(page)).toContainText(name)
      await expect(inUse(page).getByRole('list')).toHaveCount(1)
      await expect(inUse(page).getByRole('list', { name: title }).getByRole('listitem')).toHaveText([item])
      await expect(inUse(page).getByRole('button', { name: 'Delete account' })).toHaveCount(0)
      await page.keyboard.press('Escape')
      await expect(inUse(page)).toHaveCount(0)
      await expect(page.getByRole('button', { name: `Delete ${name}`, exact: true })).toBeFocused()
    }

    await page.getByRole('link', { name: tenant.accountName, exact: true }).click()
    await page.getByRole('button', { name: 'Delete account', exact: true }).click()
    await expect(inUse(page).getByRole('heading', { level: 3 })).toHaveText([
      '2 applications',
      '12 phone numbers',
      '1 MS Teams tenant',
      '1 API key',
    ])
    await expect(inUse(page).getByRole('list', { name: '12 phone numbers' }).getByRole('listitem')).toHaveText([
      ...numbers.slice(0, 10).map(formatPhoneNumber),
      'and 2 more',
    ])
    await expectNoFindings(page, 'what blocks a deletion')
    await inUse(page).getByRole('link', { name: 'Show the API keys of this account' }).click()
    await expect(inUse(page)).toHaveCount(0)
    await expect(page.getByRole('table', { name: 'Account API keys' })).toBeVisible()
    expect(deleted).toEqual([])
    for (const sid of [app, number, teams, key, every])
      expect((await api.send('GET', `/Accounts/${sid}`)).status).toBe(200)
  })

test('allows the deletion after the last API key is deleted', async ({ page, api, tenant, open }) => {
  const path = `/Accounts/${tenant.account_sid}/ApiKeys`
  const { sid } = (await api.send('POST', path, {})).body
  await open('/internal/accounts')
  await press(page, tenant.accountName)
  await inUse(page).getByRole('button', { name: 'Close' }).last().click()
  await api.send('DELETE', `${path}/${sid}`)
  await press(page, tenant.accountName)
  await confirm(page).click()
  await expectToast(page, `Deleted account ${tenant.accountName}`)
})

test('reports that references are being checked, and offers a retry if the check fails', async ({
  page,
  tenant,
  open,
}) => {
  let answer: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(
    '**/blockers',
    async (route) => {
      await released
      await route.fulfill({ status: 500, json: { msg: 'The database is away' } })
    },
    { times: 1 },
  )
  await open('/internal/accounts')
  await press(page, tenant.accountName)
  await expect(question(page)).toContainText('Checking where it is used…')
  await expect(confirm(page)).toHaveAttribute('aria-disabled', 'true')
  answer()
  await expect(question(page).getByRole('alert').first()).toContainText('The database is away')
  await expect(confirm(page)).toHaveAttribute('aria-disabled', 'true')
  await question(page).getByRole('button', { name: 'Retry' }).click()
  await expect(question(page).getByRole('alert')).toHaveCount(0)
  await confirm(page).click()
  await expectToast(page, `Deleted account ${tenant.accountName}`)
})
