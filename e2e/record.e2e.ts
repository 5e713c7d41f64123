import type { Page } from '@playwright/test'
import { hold } from './support/hold-requests.ts'
import { unsavedChanges } from './support/records.ts'
import { typeSignIn } from './support/sign-in.ts'
import { expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Features of all record forms, tested with accounts. */

const name = (page: Page) => page.getByLabel('Account name')
const realm = (page: Page) => page.getByLabel('SIP realm')
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
const notice = (page: Page, text: string) => page.getByRole('region', { name: 'Notifications' }).getByText(text)
/** The look-up of the name finds those of other tests. */
const mineName = ({ account_sid }: Tenant) => `Mine ${account_sid}`
const mineRealm = ({ account_sid }: Tenant) => `mine.${account_sid}.example.com`
const theirsRealm = ({ account_sid }: Tenant) => `theirs.${account_sid}.example.com`
const conflict = (page: Page) => page.getByRole('dialog', { name: 'Another user changed this record' })

test("shows the record's name as heading and title, its state, SID, and creation time", async ({
  page,
  open,
  tenant,
}) => {
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await expect(page.getByRole('heading', { name: tenant.accountName, level: 1 })).toBeVisible()
  await expect(page).toHaveTitle(`${tenant.accountName} · Patchbay`)
  await expect(page.getByText('Active', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: `Copy the SID of ${tenant.accountName}` })).toBeVisible()
  await expect(page.getByText('created just now')).toBeVisible()
})

test('shows the placeholder of the form where the form will be', async ({ page, open, tenant }) => {
  const release = await hold(page, `**/Accounts/${tenant.account_sid}`)
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  const main = page.getByRole('main')
  await expect(main.getByRole('status').filter({ hasText: 'Loading…' })).toHaveCount(1)
  for (const width of [1440, 1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    const title = await page.getByRole('heading', { level: 1 }).boundingBox()
    const shape = await main.locator('span[aria-hidden=true]').first().boundingBox()
    expect({ width, x: shape?.x }).toEqual({ width, x: title?.x })
  }
  release()
  await expect(name(page)).toHaveValue(tenant.accountName)
})

test('deletes the record from its own screen, and returns to the list', async ({ page, open, tenant, api }) => {
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await page.getByRole('button', { name: 'Delete account' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click()
  await expectToast(page, `Deleted account ${tenant.accountName}`)
  await expect(page).toHaveURL(/accounts$/)
  expect((await api.send('GET', `/Accounts/${tenant.account_sid}`)).status).toBe(404)
})

test('shows what is deleted with an account, and requires the name of an account with users', async ({
  page,
  open,
  tenant,
  api,
}) => {
  const { account_sid, service_provider_sid } = tenant
  for (let count = 0; count < 2; count += 1) await api.person({ account_sid, service_provider_sid })
  await open('/internal/accounts')
  await page.getByRole('button', { name: `Delete ${tenant.accountName}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete account?' })
  await expect(dialog).toContainText('will be deleted, and with it 2 users')
  const confirm = dialog.getByRole('button', { name: 'Delete account' })
  await expect(confirm).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByRole('textbox', { name: `Type ${tenant.accountName} to confirm` }).fill(tenant.accountName)
  await confirm.click()
  await expectToast(page, `Deleted account ${tenant.accountName}`)
  expect((await api.send('GET', `/Accounts/${account_sid}`)).status).toBe(404)
})

test('leads each count of the contents of an account to a list of exactly these records', async ({
  page,
  open,
  tenant,
  api,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const beside = await api.account(service_provider_sid)
  const hook = { url: 'https://example.org', method: 'POST' }
  const send = async (path: string, body: object) => expect((await api.send('POST', path, body)).status).toBe(201)
  const providerPath = `/ServiceProviders/${service_provider_sid}`
  await send(`${providerPath}/VoipCarriers`, { name: 'shared' })
  for (const owner of [account_sid, beside]) {
    await api.person({ account_sid: owner, service_provider_sid })
    await send('/Applications', { account_sid: owner, name: 'app', call_hook: hook, call_status_hook: hook })
    await send('/PhoneNumbers', { account_sid: owner, number: owner.slice(0, 8) })
    await send(`${providerPath}/VoipCarriers`, { name: `of ${owner}`, account_sid: owner })
    await send('/Clients', { account_sid: owner, username: 'desk', password: 'desk-password', is_active: true })
  }
  await open(`/internal/accounts/${account_sid}/edit?tab=contents`)
  const panel = page.getByRole('tabpanel', { name: 'Contents' })
  await expect(panel.getByRole('term')).toHaveText([
    'Users',
    'Applications',
    'Phone numbers',
    'Carriers',
    'SIP clients',
  ])
  for (const count of ['1 user', '1 application', '1 phone number', '1 carrier', '1 SIP client']) {
    await panel.getByRole('link', { name: count, exact: true }).click()
    // A list that is filtered in the browser also says how many there are without the filter.
    await expect(page.getByText(new RegExp(`^1 (of \\d+ )?${count.slice(2)}s?$`))).toBeVisible()
    await page.goBack()
  }
  const unused = await api.account(service_provider_sid, { name: 'Unused' })
  await send(`${providerPath}/VoipCarriers`, { name: 'of the unused', account_sid: unused })
  await page.goto('/internal/accounts')
  await page.getByRole('button', { name: 'Delete Unused' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete account?' })
  await expect(dialog).toContainText('will be deleted, and with it 1 carrier.')
  await dialog.getByRole('link', { name: '1 carrier' }).click()
  await expect(page.getByRole('link', { name: 'of the unused', exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: 'shared', exact: true })).toHaveCount(0)
  await page.getByRole('button', { name: 'Owner: the account: remove this filter' }).click()
  await expect(page.getByRole('link', { name: 'shared', exact: true })).toBeVisible()
})

test('keeps typed values of the form while another tab is open', async ({ page, open, tenant, api }) => {
  const { account_sid, service_provider_sid } = tenant
  await api.person({ account_sid, service_provider_sid })
  await open(`/internal/accounts/${account_sid}/edit`)
  await name(page).fill('Not saved yet')
  await page.getByRole('tab', { name: 'Contents' }).click()
  const panel = page.getByRole('tabpanel', { name: 'Contents' })
  await expect(panel.getByRole('term')).toHaveText(['Users'])
  await expect(panel.getByRole('definition')).toHaveText(['1'])
  await expect(page.getByRole('form')).toBeHidden()
  await expect(page).toHaveURL(/\?tab=contents$/)
  // The shortcut does not save a form on a hidden tab.
  await page.keyboard.press('Control+s')
  await page.getByRole('tab', { name: 'Contents' }).press('ArrowLeft')
  await expect(page.getByRole('tab', { name: 'Details', selected: true })).toBeFocused()
  await expect(name(page)).toHaveValue('Not saved yet')
  expect((await api.send('GET', `/Accounts/${account_sid}`)).body.name).toBe(tenant.accountName)
})

test('keeps the tab in the URL, and shows the first tab for an unknown one', async ({ page, open, tenant }) => {
  await open(`/internal/accounts/${tenant.account_sid}/edit?tab=contents`)
  await expect(page.getByText('This account is empty.')).toBeVisible()
  await page.reload()
  await expect(page.getByText('This account is empty.')).toBeVisible()
  await open(`/internal/accounts/${tenant.account_sid}/edit?tab=nonsense`)
  await expect(name(page)).toHaveValue(tenant.accountName)
})

test('shows the request ID of an error for copying', async ({ page, open, tenant }) => {
  await page.route('**/Accounts/*', async (route) => {
    if (route.request().method() !== 'PUT') return route.fallback()
    await route.fulfill({
      status: 500,
      headers: { 'x-request-id': 'req-of-mine' },
      json: { msg: 'The database is away' },
    })
  })
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await name(page).fill('Once')
  await save(page).click()
  await expect(page.getByRole('form').getByText('req-of-mine')).toBeVisible()
  await expect(page.getByRole('form').getByRole('button', { name: 'Copy request ID' })).toBeVisible()
  await expect(notice(page, 'req-of-mine')).toBeVisible()
})

test('saves with Ctrl+S, also from within a field', async ({ page, open, tenant, api }) => {
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await name(page).fill('Saved by a key')
  await page.keyboard.press('Control+s')
  await expectToast(page, 'Account updated successfully')
  expect((await api.send('GET', `/Accounts/${tenant.account_sid}`)).body.name).toBe('Saved by a key')
})

test('shows the toast at the same time as it hides the spinner', async ({ page, open, tenant, api }) => {
  const { account_sid, service_provider_sid } = tenant
  const user = await api.person({ account_sid, service_provider_sid })
  await open(`/internal/accounts/${account_sid}/edit`, user.token)
  await name(page).fill('Saved in one moment')
  const busyWithToast = page.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        const look = () => {
          const toast = document.querySelector('section[aria-label="Notifications"] p')
          // Checked after the next frame is rendered.
          if (toast)
            requestAnimationFrame(() => setTimeout(() => resolve(document.querySelector('form [inert]') !== null)))
          else requestAnimationFrame(look)
        }
        look()
      }),
  )
  await save(page).click()
  expect(await busyWithToast).toBe(false)
})

test('keeps concurrent changes of other fields', async ({ page, open, tenant, api }) => {
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await name(page).fill('My name for it')
  await api.send('PUT', `/Accounts/${tenant.account_sid}`, { sip_realm: theirsRealm(tenant) })
  await save(page).click()
  await expectToast(page, 'Account updated successfully')
  const { body } = await api.send('GET', `/Accounts/${tenant.account_sid}`)
  expect([body.name, body.sip_realm]).toEqual(['My name for it', theirsRealm(tenant)])
})

test.describe('with concurrent changes of the same field', () => {
  test.beforeEach(async ({ page, open, tenant, api }) => {
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await name(page).fill(mineName(tenant))
    await realm(page).fill(mineRealm(tenant))
    await api.send('PUT', `/Accounts/${tenant.account_sid}`, { name: 'Theirs' })
    await save(page).click()
    await expect(conflict(page).getByRole('row', { name: /Account name.* Theirs Mine/ })).toBeVisible()
    await expect(conflict(page).getByRole('row')).toHaveCount(2)
    expect((await api.send('GET', `/Accounts/${tenant.account_sid}`)).body.name).toBe('Theirs')
  })

  test('lets the user keep the own value', async ({ page, tenant, api }) => {
    await conflict(page).getByRole('button', { name: 'Save my values' }).click()
    await expectToast(page, 'Account updated successfully')
    const { body } = await api.send('GET', `/Accounts/${tenant.account_sid}`)
    expect([body.name, body.sip_realm]).toEqual([mineName(tenant), mineRealm(tenant)])
  })

  test('lets the user take the other value, and keeps the remaining changes unsaved', async ({ page, tenant, api }) => {
    await conflict(page).getByRole('button', { name: 'Use their values' }).click()
    await expect(name(page)).toHaveValue('Theirs')
    await expect(realm(page)).toHaveValue(mineRealm(tenant))
    await expect(unsavedChanges(page)).toBeVisible()
    await save(page).click()
    await expectToast(page, 'Account updated successfully')
    const { body } = await api.send('GET', `/Accounts/${tenant.account_sid}`)
    expect([body.name, body.sip_realm]).toEqual(['Theirs', mineRealm(tenant)])
  })

  test('saves nothing after Cancel, and keeps the typed text', async ({ page, tenant, api }) => {
    await page.keyboard.press('Escape')
    await expect(conflict(page)).toHaveCount(0)
    await expect(name(page)).toHaveValue(mineName(tenant))
    expect((await api.send('GET', `/Accounts/${tenant.account_sid}`)).body.name).toBe('Theirs')
  })
})

test('updates a form without changes after a later read', async ({ page, open, tenant, api }) => {
  await page.clock.install()
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await expect(name(page)).toHaveValue(tenant.accountName)
  await api.send('PUT', `/Accounts/${tenant.account_sid}`, { name: 'Renamed elsewhere' })
  await page.clock.fastForward(60_000)
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await expect(name(page)).toHaveValue('Renamed elsewhere')
  await expect(page.getByRole('heading', { name: 'Renamed elsewhere' })).toBeVisible()
  await expect(unsavedChanges(page)).toHaveCount(0)
})

test('shows both errors if name and realm are taken, and focuses the first field', async ({
  page,
  open,
  tenant,
  api,
}) => {
  const takenRealm = `${tenant.account_sid}.example.com`
  await api.account(tenant.service_provider_sid, { name: 'Taken', sip_realm: takenRealm })
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await name(page).fill('Taken')
  await realm(page).fill(takenRealm)
  await save(page).click()
  await expect(page.getByText('The name you have entered is already in use')).toBeVisible()
  await expect(page.getByText('The SIP Realm you have entered is already in use')).toBeVisible()
  await expect(name(page)).toBeFocused()
})

test('blocks typing while saving, and restores the focus after a failure', async ({ page, open, tenant }) => {
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await name(page).fill('Once')
  let answer = () => {}
  await page.route('**/Accounts/*', async (route) => {
    if (route.request().method() !== 'PUT') return route.fallback()
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    await route.fulfill({ status: 500, json: { msg: 'The database is away' } })
  })
  const saveRequest = page.waitForRequest((request) => request.method() === 'PUT')
  await page.keyboard.press('Enter')
  await saveRequest
  await page.keyboard.type('and more')
  await expect(name(page)).toHaveValue('Once')
  answer()
  await expectToast(page, 'The database is away')
  await expect(name(page)).toBeFocused()
  await expect(name(page)).toHaveValue('Once')
})

test('restores typed text after an unexpected end of the session, only for the same user', async ({
  page,
  open,
  tenant,
  api,
}) => {
  const owner = { service_provider_sid: tenant.service_provider_sid }
  const [author, other] = [await api.person(owner), await api.person(owner)]
  await open(`/internal/accounts/${tenant.account_sid}/edit`, author.token)
  await name(page).fill('Typed before')
  await api.send('POST', '/logout', undefined, author.token)
  await save(page).click()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await typeSignIn(page, author.name, author.password)
  await expect(name(page)).toHaveValue('Typed before')
  await expect(unsavedChanges(page)).toBeVisible()

  const token = await page.evaluate(() => localStorage.getItem('token') ?? '')
  await api.send('POST', '/logout', undefined, token)
  await save(page).click()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await typeSignIn(page, other.name, other.password)
  await expect(name(page)).toHaveValue(tenant.accountName)
})

test('lets view-only users read, reveal, and copy values', async ({ page, context, open, tenant, api }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { token } = await api.person({ service_provider_sid: tenant.service_provider_sid, is_view_only: true })
  await open(`/internal/accounts/${tenant.account_sid}/edit`, token)
  await expect(name(page)).toHaveAttribute('readonly')
  await expect(
    page
      .getByRole('main')
      .getByText(/view-only access/)
      .filter({ visible: true }),
  ).toHaveCount(1)
  await page.getByRole('button', { name: `Copy the SID of ${tenant.accountName}` }).click()
  await expectToast(page, `${tenant.account_sid} copied to clipboard`)
})

test('links to the sections of a long form on a wide screen, and counts invalid fields', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const carrier = { name: 'Cobalt', service_provider_sid: tenant.service_provider_sid }
  const { sid } = (await api.send('POST', '/VoipCarriers', carrier)).body
  await page.setViewportSize({ width: 1440, height: 800 })
  await open(`/internal/carriers/${sid}/edit`)
  const index = page.getByRole('navigation', { name: 'On this page' })
  const link = (section: string) => index.getByRole('button', { name: section })
  await expect(index.getByRole('button')).toHaveText([
    'Carrier',
    'Use',
    'SIP gateways',
    'Outbound authentication',
    'Inbound authentication',
    'Signaling',
  ])
  await expect(link('Carrier')).toHaveAttribute('aria-current', 'location')
  await link('Signaling').click()
  await expect(page.getByRole('heading', { name: 'Signaling', level: 2 })).toBeInViewport()
  await expect(page.getByRole('heading', { name: 'Signaling', level: 2 })).toBeFocused()
  await link('Carrier').click()
  await page.getByLabel('Carrier name').fill('')
  await page.getByLabel('Carrier name').blur()
  await expect(link('Carrier')).toHaveText('Carrier1 invalid field')
  // With the SMPP tab, the page has three sections, which need no links.
  await page.getByRole('tab', { name: 'SMS' }).click()
  await expect(index).toBeHidden()
  await page.getByRole('tab', { name: 'Voice' }).click()
  await expect(index).toBeVisible()
  await page.setViewportSize({ width: 1024, height: 800 })
  await expect(index).toBeHidden()
})
