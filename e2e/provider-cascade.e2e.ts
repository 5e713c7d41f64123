import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { answerWithDeletion, cascadeDialogs } from './support/cascade.ts'
import { expectEveryLayout } from './support/expect-every-layout.ts'
import { failOnce, withoutExtensions } from './support/records.ts'
import { test as withRedis } from './support/redis.ts'
import { makeApplications, makeNumbers } from './support/seed-database.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'

/** Deleting a service provider with its accounts and their contents, after the dialog has said that it is in use. */

const settings = '/internal/settings?tab=provider'
const ask = (page: Page) => page.getByRole('button', { name: 'Delete service provider', exact: true })
const { inUse, question, withContents, confirm, nameField } = cascadeDialogs('service provider')

const openQuestion = async (page: Page) => {
  await ask(page).press('Enter')
  await withContents(page).press('Enter')
  await expect(question(page)).toBeVisible()
}

const status = async (api: Api, path: string): Promise<number> => (await api.send('GET', path)).status

/** Adds an account, and a carrier, an SBC address, and an API key of the provider itself. */
const addContents = async (api: Api, { service_provider_sid }: Tenant): Promise<string> => {
  const account_sid = await api.account(service_provider_sid, { name: `Second ${randomUUID().slice(0, 8)}` })
  const address = { ipv4: '203.0.113.7', service_provider_sid }
  for (const [path, body] of [
    ['/VoipCarriers', { name: 'Atlantic', service_provider_sid }],
    ['/Sbcs', address],
    ['/Smpps', address],
    ['/ApiKeys', { service_provider_sid }],
    ['/Clients', { account_sid, username: 'alice', password: 'sdf12412' }],
  ] as const)
    expect((await api.send('POST', path, body)).status).toBe(201)
  return account_sid
}

test('a provider is deleted with its accounts by keyboard, after its name is typed', async ({
  page,
  api,
  tenant,
  open,
  server,
}) => {
  const { account_sid, service_provider_sid, providerName, accountName } = tenant
  const second = await addContents(api, tenant)
  const [application = ''] = makeApplications(server, account_sid, ['Welcome line'])
  makeNumbers(server, second, ['15085550001', '15085550002'])
  const person = await api.person({ account_sid: second, service_provider_sid })
  await api.send('PUT', `/Accounts/${second}`, { device_calling_application_sid: application })
  // The lists remember the account that was chosen last, which the links of the dialog do not show alone.
  await open('/internal/phone-numbers')
  await page.getByRole('combobox', { name: 'Account', exact: true }).selectOption(accountName)
  await expect(page.getByText('Nothing matches these filters.')).toBeVisible()
  await page.goto(settings)
  await ask(page).press('Enter')
  await expect(inUse(page)).toContainText(
    `${providerName} cannot be deleted while it has 2 accounts, 1 user, 1 SBC address. Move or delete them first.`,
  )
  await withContents(page).focus()
  await page.keyboard.press('Enter')
  await expect(question(page).getByRole('button', { name: 'Cancel' })).toBeFocused()
  const deleted = question(page).getByRole('list', { name: 'Deleted:' })
  for (const text of ['2 accounts', '1 user', '1 API key', '1 application', '2 phone numbers', '1 carrier'])
    await expect(deleted.getByRole('listitem').filter({ hasText: text })).toBeVisible()
  await expect(deleted).toContainText('1 SIP client')
  await expect(deleted).toContainText('1 SBC address')
  const keptList = question(page).getByRole('list', { name: 'Kept:' })
  await expect(keptList).toContainText('Calls in progress, which are not known here without Redis.')
  await expect(keptList).toContainText('Records of other service providers and of the platform')
  await expectEveryLayout(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await deleted.getByRole('link', { name: '2 phone numbers' }).click()
  await expect(page.getByRole('table', { name: 'Phone numbers' }).getByRole('row')).toHaveCount(3)
  await page.goto(settings)
  await openQuestion(page)
  await expect(confirm(page)).toHaveAccessibleDescription('Type the name of the service provider to confirm.')
  await confirm(page).press('Enter')
  await expect(question(page)).toBeVisible()
  await nameField(page).focus()
  await page.keyboard.type(providerName)
  await confirm(page).press('Enter')
  await expect(question(page)).toHaveCount(0)
  const outcome = page.getByText(`Deleted service provider ${providerName} with its contents.`)
  await expect(outcome).toBeVisible()
  for (const path of [
    `/ServiceProviders/${service_provider_sid}`,
    `/Accounts/${account_sid}`,
    `/Accounts/${second}`,
    `/Users/${person.user_sid}`,
  ])
    expect(await status(api, path)).toBe(404)
  // Another provider is the current one now.
  await expect(page.getByLabel('Service provider name')).not.toHaveValue(providerName)
  await expect(page.getByText(accountName)).toHaveCount(0)
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(outcome).toHaveCount(0)
})

test('records that others use are named, and nothing is deleted until they are free', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { service_provider_sid, providerName } = tenant
  const carrier = await api.send('POST', '/VoipCarriers', { name: 'Atlantic', service_provider_sid })
  // The routing of the platform belongs to no provider.
  const lcr = await api.send('POST', '/Lcrs', { name: `Platform ${randomUUID().slice(0, 8)}` })
  const lcr_route_sid = (await api.send('POST', '/LcrRoutes', { lcr_sid: lcr.body.sid, regex: '^1', priority: 1 })).body
    .sid
  const entry = { lcr_route_sid, voip_carrier_sid: carrier.body.sid, workload: 1, priority: 1 }
  expect((await api.send('POST', '/LcrCarrierSetEntries', entry)).status).toBe(201)
  const another = await api.provider(`Other ${randomUUID().slice(0, 8)}`)
  await failOnce(page, '**/used-elsewhere', 'The database is away')
  await open(settings)
  await openQuestion(page)
  await expect(question(page)).toContainText('The database is away')
  await nameField(page).fill(providerName)
  await expect(confirm(page)).toHaveAccessibleDescription('It is not known what would be deleted.')
  await question(page).getByRole('button', { name: 'Retry' }).click()
  const used = question(page).getByRole('list', { name: 'Used outside of the service provider' })
  await expect(used.getByRole('listitem')).toHaveText(['carrier Atlantic, used by outbound routings'])
  await expect(confirm(page)).toHaveAccessibleDescription('Records outside of the service provider use records of it.')
  await expectEveryLayout(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.keyboard.press('Escape')
  await api.send('DELETE', `/Lcrs/${lcr.body.sid}`)
  await openQuestion(page)
  await expect(used).toHaveCount(0)
  await nameField(page).fill(providerName)
  await confirm(page).click()
  await expect(page.getByText(`Deleted service provider ${providerName} with its contents.`)).toBeVisible()
  const paths = [`/ServiceProviders/${service_provider_sid}`, `/ServiceProviders/${another}`]
  expect(await Promise.all(paths.map((path) => status(api, path)))).toEqual([404, 200])
})

test('a deletion that is not possible keeps the dialog with the reason', async ({ page, api, tenant, open }) => {
  const { service_provider_sid, providerName } = tenant
  await open(settings)
  await openQuestion(page)
  await failOnce(page, '**/patchbay/bulk-changes', '5 bulk changes of this tenant are not finished', 429)
  await nameField(page).fill(providerName)
  await confirm(page).click()
  await expect(question(page).getByRole('alert')).toContainText('5 bulk changes of this tenant are not finished')
  expect(await status(api, `/ServiceProviders/${service_provider_sid}`)).toBe(200)
})

test('the settings show the progress, also after a reload, and what could not be deleted by kind and name', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { service_provider_sid, providerName } = tenant
  const owner = { kind: 'service_provider', sid: service_provider_sid, name: providerName } as const
  const change = await answerWithDeletion(page, { ...owner, total: 2000, done: 400 })
  await open(settings)
  await openQuestion(page)
  await nameField(page).fill(providerName)
  await confirm(page).click()
  const progress = page.getByRole('group', { name: 'Bulk change' })
  await expect(progress).toContainText(`Deleting service provider ${providerName}: 400 of 2,000`)
  await expect(progress).toBeInViewport()
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeFocused()
  await expectEveryLayout(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.reload()
  await expect(progress).toContainText(`Deleting service provider ${providerName}: 400 of 2,000`)
  const reason = 'cannot delete application with phone numbers'
  change.failures = [
    { kind: 'application', sid: 'a', name: 'Welcome line', reason },
    { kind: 'sbc_address', sid: 's', name: '203.0.113.7', reason: 'Not found' },
    { kind: 'service_provider', sid: service_provider_sid, name: providerName, reason: 'The provider was kept' },
  ]
  Object.assign(change, { status: 'finished', total: 407, failed: 3, finished_at: new Date().toISOString() })
  await expect(page.getByRole('alert')).toContainText(
    `Kept service provider ${providerName}. 400 records of it were deleted.`,
  )
  const failures = page.getByRole('list', { name: 'Not changed' })
  await expect(failures.getByRole('listitem')).toHaveText([
    `Application Welcome line: ${reason}`,
    'SBC address 203.0.113.7: Not found',
    `Service provider ${providerName}: The provider was kept`,
  ])
  await expect(failures.getByRole('link', { name: 'Welcome line' })).toHaveAttribute('href', /applications\/a\/edit/)
  await expectEveryLayout(page)
  expect(await status(api, `/ServiceProviders/${service_provider_sid}`)).toBe(200)
})

test('is offered neither to view-only users nor by a server without it', async ({ page, api, tenant, open }) => {
  const viewer = await api.person({ is_view_only: true })
  await open(settings, viewer.token)
  await expect(ask(page)).toHaveAttribute('aria-disabled', 'true')
  await expect(ask(page)).toHaveAccessibleDescription(/view-only access/)
  const ofProvider = await api.person({ service_provider_sid: tenant.service_provider_sid })
  await open('/internal/settings', ofProvider.token)
  await expect(page.getByLabel('Service provider name')).toHaveValue(tenant.providerName)
  await expect(ask(page)).toHaveCount(0)
  const dialog = page.getByRole('dialog', { name: 'Delete service provider?' })
  for (const names of [['provider-cascade'], []]) {
    await withoutExtensions(page, ...names)
    await open(settings)
    await ask(page).press('Enter')
    await expect(dialog).toContainText(
      names.length === 0 ? 'It must have no accounts' : 'while it has 1 account, 1 user',
    )
    await expect(page.getByRole('button', { name: 'Delete with contents…' })).toHaveCount(0)
  }
})

withRedis(
  'calls in progress of all accounts are counted and ended first, and nothing is deleted if they cannot be',
  async ({ page, api, tenant, open, featureServer }) => {
    const { account_sid, service_provider_sid, providerName } = tenant
    const second = await addContents(api, tenant)
    await featureServer.call(account_sid)
    await featureServer.call(second)
    const keptList = question(page).getByRole('list', { name: 'Kept:' })
    // Calls that are not listed could not be ended.
    const listed = `**/service-providers/${service_provider_sid}/live-calls`
    await page.route(listed, async (route) => {
      const answer = await route.fetch()
      return route.fulfill({ json: { ...(await answer.json()), is_cut: true } })
    })
    await open(settings)
    await openQuestion(page)
    await expect(keptList.getByRole('listitem').first()).toHaveText('More than 2 calls in progress.')
    await expect(question(page).getByRole('checkbox')).toHaveCount(0)
    await page.unroute(listed)
    await page.reload()
    await openQuestion(page)
    await expect(keptList.getByRole('listitem').first()).toHaveText('2 calls in progress.')
    await question(page).getByRole('checkbox', { name: 'End the 2 calls in progress' }).check()
    await nameField(page).fill(providerName)
    featureServer.answer = (response) => response.writeHead(480, 'Temporarily Unavailable').end()
    await confirm(page).click()
    await expect(question(page).getByRole('alert')).toContainText('2 calls could not be ended, so nothing was deleted.')
    expect(await status(api, `/Accounts/${second}`)).toBe(200)
    featureServer.answer = undefined
    await confirm(page).click()
    await expect(page.getByText(`Deleted service provider ${providerName} with its contents.`)).toBeVisible()
    expect(featureServer.heard.map(({ body }) => body['call_status'])).toContain('completed')
    expect(await status(api, `/ServiceProviders/${service_provider_sid}`)).toBe(404)
  },
)
