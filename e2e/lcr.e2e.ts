import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { unsavedChanges } from './support/records.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const list = '/internal/least-cost-routing'
const rows = (page: Page) => page.getByRole('table', { name: 'Outbound call routing' }).locator('tbody tr[data-row]')
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const save = (page: Page) => page.getByRole('button', { name: 'Save' })
const entry = (page: Page) =>
  page.getByRole('list', { name: 'BYO Services' }).getByRole('link', { name: 'Outbound Call Routing' })
const pattern = (page: Page, nth: number) => page.getByLabel(`Digit prefix or regex of route ${nth}`, { exact: true })
const patterns = (page: Page) => page.getByLabel(/^Digit prefix or regex of route/)
const carrier = (page: Page, nth: number) => page.getByLabel(`Carrier of route ${nth}`, { exact: true })
const defaultCarrier = (page: Page) => page.getByLabel('Select a default outbound carrier')
const usedBy = (page: Page) => page.getByRole('combobox', { name: 'Used by' })
const onPlatform = (page: Page) => page.route('**/config.json', (route) => route.fulfill({ json: {} }))

const create = async (api: Api, path: string, body: object): Promise<string> => {
  const answer = await api.send('POST', path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.sid
}

interface Owner {
  account_sid?: string
  service_provider_sid?: string
}

/** Creates two carriers of an account, or of all accounts of a service provider. */
const makeCarriers = async (api: Api, owner: Owner) => ({
  north: await create(api, '/VoipCarriers', { name: 'North', ...owner }),
  south: await create(api, '/VoipCarriers', { name: 'South', ...owner }),
})

/** Creates an LCR with these patterns. The first carrier is the default. */
const makeRouting = async (api: Api, owner: Owner, regexes: readonly string[], name = 'Routing') => {
  const carriers = await makeCarriers(api, owner)
  const routes = regexes.map((regex) => ({ regex, lcr_carrier_set_entries: [{ voip_carrier_sid: carriers.north }] }))
  const body = { name, ...owner, routes, default_voip_carrier_sid: carriers.south }
  const lcr_sid = await create(api, '/patchbay/lcrs', body)
  return { ...carriers, lcr_sid, edit: `${list}/${lcr_sid}/edit` }
}

const ofProvider = ({ service_provider_sid }: Tenant) => ({ service_provider_sid })
const ofAccount = ({ account_sid }: Tenant) => ({ account_sid })

interface Stored {
  regex: string
  priority: number
  description: string | null
  lcr_carrier_set_entries: { voip_carrier_sid: string }[]
}

const storedRoutes = async (api: Api, lcr_sid: string): Promise<Stored[]> =>
  (await api.send('GET', `/LcrRoutes?lcr_sid=${lcr_sid}`)).body
/** Returns patterns, priorities, and first carriers. */
const fetchRouteSummaries = async (api: Api, lcr_sid: string) =>
  (await storedRoutes(api, lcr_sid)).map(({ regex, priority, lcr_carrier_set_entries: [first] }) => [
    regex,
    priority,
    first?.voip_carrier_sid,
  ])

/** Records all write requests from now on. */
const writes = (page: Page): string[] => {
  const writeRequests: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET')
      writeRequests.push(`${request.method()} ${new URL(request.url()).pathname.slice(7)}`)
  })
  return writeRequests
}

test.describe('the list', () => {
  test('LCR-01 LCR-25 LCR-26 NAV-38 NAV-66 opens from the menu for admins, and filters by text and by account', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await makeRouting(api, ofAccount(tenant), ['^44', '^1'], 'Of the account')
    const { lcr_sid } = await makeRouting(api, ofProvider(tenant), ['^44'], 'Of the provider')
    await makeRouting(api, { service_provider_sid: await api.provider() }, [], 'Elsewhere')
    await api.send('PUT', `/Lcrs/${lcr_sid}`, { is_active: false })
    await open('/internal/accounts')
    await entry(page).click()
    await expect(heading(page, 'Outbound call routing')).toBeFocused()
    await expect(page).toHaveURL(new RegExp(`${list}$`))
    const row = (name: string) => rows(page).filter({ has: page.getByRole('link', { name, exact: true }) })
    await expect(row('Of the account')).toContainText(`Active${tenant.accountName}2 routes`)
    await expect(row('Of the provider')).toContainText(`Inactive${tenant.providerName}1 route`)
    await expect(row('Elsewhere')).toHaveCount(0)
    await page.getByRole('searchbox', { name: 'Filter outbound routings' }).fill('OF THE PROV')
    await expect(rows(page)).toHaveText([/Of the provider/])
    await page.getByRole('searchbox', { name: 'Filter outbound routings' }).fill('')
    await usedBy(page).selectOption(tenant.accountName)
    await expect(rows(page)).toHaveText([/Of the account/])
    await expect(page).toHaveURL(new RegExp(`account=${tenant.account_sid}`))
    await page.getByRole('link', { name: 'Edit Of the account' }).click()
    await expect(page.getByRole('form', { name: 'Edit outbound call routes' })).toBeVisible()
    await page.goBack()
    await page.getByRole('link', { name: 'Add outbound call routes' }).click()
    await expect(page.getByRole('form', { name: 'Add outbound call routes' })).toBeVisible()
  })

  test('LCR-27 COMMON-20 describes the effect of an empty list with a link to add one, and shows an error with a retry', async ({
    page,
    api,
    open,
  }) => {
    await page.route('**/Lcrs', (route) => route.fulfill({ json: [] }), { times: 1 })
    await open(list)
    await expect(page.getByText('No outbound call routes.', { exact: true })).toBeVisible()
    await expect(page.getByText('Without routes, outbound calls use a random active carrier')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Add outbound call routes' })).toHaveCount(2)
    await expect(page.getByRole('searchbox', { name: 'Filter outbound routings' })).toBeVisible()
    await page.route('**/Lcrs', (route) => route.fulfill({ status: 500, json: { msg: 'The database is away' } }), {
      times: 1,
    })
    await page.reload()
    await expect(page.getByText('The database is away')).toBeVisible()
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByText('The database is away')).toHaveCount(0)
    expect(api.url).not.toBe('')
  })

  test('LCR-22 deletes an LCR with its routes, after a confirmation', async ({ page, api, tenant, open }) => {
    const { lcr_sid } = await makeRouting(api, ofAccount(tenant), ['^44'], 'Goes')
    await makeRouting(api, ofProvider(tenant), [], 'Stays')
    await open(list)
    const button = page.getByRole('button', { name: 'Delete Goes' })
    await button.click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(button).toBeFocused()
    await button.click()
    await expect(page.getByRole('dialog', { name: 'Delete outbound call routing?' })).toContainText('Goes')
    await page.getByRole('button', { name: 'Delete routing' }).click()
    await expectToast(page, 'Deleted outbound call route Goes')
    await expect(rows(page)).toHaveText([/Stays/])
    expect((await api.send('GET', `/Lcrs/${lcr_sid}`)).status).toBe(404)
  })

  test('COMMON-12 NAV-65 hides the menu entry if the feature is switched off, but keeps its screens', async ({
    page,
    open,
  }) => {
    await open(list)
    await expect(entry(page)).toHaveAttribute('aria-current', 'page')
    await page.route('**/config.json', async (route) => {
      const answer = await route.fetch()
      const config: { switches: string[] } = await answer.json()
      await route.fulfill({ json: { ...config, switches: [...config.switches, 'no-lcr'] } })
    })
    await open(list)
    await expect(heading(page, 'Outbound call routing')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Outbound Call Routing' })).toHaveCount(0)
  })
})

test.describe('without admin permissions', () => {
  test("NAV-67 NAV-68 NAV-39 ROLES-22 opens the user's own LCR or the form for a new one, and redirects from the list with 'You do not have permissions to manage all outbound call routes'", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await makeCarriers(api, ofProvider(tenant))
    const { token } = await api.person(ofProvider(tenant))
    await open(list, token)
    await expectToast(page, 'You do not have permissions to manage all outbound call routes')
    await expect(page).toHaveURL(new RegExp(`${list}/add$`))
    await page.goto('/internal/recent-calls')
    await entry(page).click()
    await expect(page).toHaveURL(new RegExp(`${list}/add$`))
    await expect(usedBy(page)).toHaveCount(0)
    await page.getByLabel('Name').fill('Of the provider')
    await defaultCarrier(page).selectOption('North')
    await pattern(page, 1).fill('^44')
    await carrier(page, 1).selectOption('South')
    await save(page).click()
    await expectToast(page, 'Least cost routing successfully created')
    await expect(page).toHaveURL(new RegExp(`${list}/[\\da-f-]{36}/edit$`))
    await expect(heading(page, 'Of the provider')).toBeVisible()
    const { pathname } = new URL(page.url())
    await page.goto('/internal/recent-calls')
    await entry(page).click()
    await expect(page).toHaveURL(new RegExp(`${pathname}$`))
    await expect(entry(page)).toHaveAttribute('aria-current', 'page')
    await page.goto(`${list}/add`)
    await expect(page.getByText('You already have an outbound call routing')).toBeVisible()
  })

  test('LCR-07 LCR-08 ROLES-21 lets users edit and delete their own LCR in its form, admins in the list, and denies access to others', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const own = await makeRouting(api, ofAccount(tenant), ['^44'], 'Own')
    const shared = await makeRouting(api, ofProvider(tenant), ['^44'], 'Shared')
    const { token } = await api.person({ ...ofProvider(tenant), ...ofAccount(tenant) })
    const remove = page.getByRole('button', { name: 'Delete routing' })
    await open(own.edit)
    await expect(pattern(page, 1)).toHaveValue('^44')
    await expect(remove).toHaveCount(0)
    await open(shared.edit, token)
    await expectToast(page, 'You do not have access to this resource')
    await page.goto(own.edit)
    await expect(save(page)).toBeVisible()
    await pattern(page, 1).fill('^45')
    await save(page).click()
    await expectToast(page, 'Least cost routing successfully updated')
    // The routes are kept, and further changes are compared with the saved version.
    await expect(page).toHaveURL(new RegExp(`${own.edit}$`))
    await expect(unsavedChanges(page)).toHaveCount(0)
    await remove.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete routing' }).click()
    await expectToast(page, 'Deleted least cost routing Own')
    await expect(page).toHaveURL(new RegExp(`${list}/add$`))
    expect((await api.send('GET', `/Lcrs/${own.lcr_sid}`)).status).toBe(404)
  })

  test('shows view-only users everything, read-only', async ({ page, api, tenant, open }) => {
    const { edit } = await makeRouting(api, ofProvider(tenant), ['^44'])
    const { token } = await api.person({ ...ofProvider(tenant), is_view_only: true })
    await open(edit, token)
    await expect(pattern(page, 1)).toHaveAttribute('readonly')
    await expect(carrier(page, 1)).toBeDisabled()
    for (const name of [/^Save$/, /^Add route$/, /^Remove route/, /^Move route/, /^Delete/])
      await expect(page.getByRole('button', { name })).toHaveCount(0)
    await page.getByRole('button', { name: 'Try a number' }).click()
    await page.getByLabel('Called number').fill('442071838750')
    await expect(page.getByText('North is selected')).toBeVisible()
  })
})

test.describe('adding', () => {
  test("LCR-02 LCR-03 LCR-06 LCR-14 LCR-18 creates an LCR for an account with a single request, and shows 'Least cost routing successfully created'", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { north, south } = await makeCarriers(api, ofProvider(tenant))
    await open(`${list}/add`)
    await expect(page.getByLabel('Active')).toBeChecked()
    await expect(usedBy(page).getByRole('option')).toHaveText(['All accounts', tenant.accountName])
    const writeRequests = writes(page)
    await save(page).click()
    await expect(page.getByText('Choose a default outbound carrier')).toBeVisible()
    await expect(page.getByText('Enter a digit prefix or a regular expression')).toBeVisible()
    await expect(page.getByText('Choose a carrier', { exact: true }).and(page.locator('[role=alert]'))).toBeVisible()
    expect(writeRequests).toEqual([])
    await page.getByLabel('Name').fill('Made')
    await usedBy(page).selectOption(tenant.accountName)
    await defaultCarrier(page).selectOption('South')
    await pattern(page, 1).fill('^44')
    await carrier(page, 1).selectOption('North')
    await page.getByRole('button', { name: 'Add route' }).click()
    await pattern(page, 2).fill('1508')
    await expect(page.getByText('Also matches inside a number: start with ^ to match only the beginning')).toBeVisible()
    await carrier(page, 2).selectOption('South')
    await save(page).click()
    await expectToast(page, 'Least cost routing successfully created')
    await expect(page).toHaveURL(new RegExp(`${list}$`))
    await expect(rows(page)).toHaveText([new RegExp(`Made.*${tenant.accountName}.*2 routes`)])
    expect(writeRequests).toEqual(['POST /patchbay/lcrs'])
    // Each owner can have only one, so those that have one are not offered again.
    await page.goto(new URL(`${list}/add`, page.url()).href)
    await expect(usedBy(page).getByRole('option')).toHaveText(['All accounts'])
    const routes = [{ regex: '^44', lcr_carrier_set_entries: [{ voip_carrier_sid: north }] }]
    await create(api, '/patchbay/lcrs', {
      name: 'Of all',
      ...ofProvider(tenant),
      routes,
      default_voip_carrier_sid: south,
    })
    await api.account(tenant.service_provider_sid, { name: 'Beside' })
    await page.reload()
    await expect(usedBy(page)).toHaveText(/Beside$/)
    await expect(usedBy(page)).not.toContainText('All accounts')
    const [{ lcr_sid }] = (await api.send('GET', '/Lcrs')).body.filter(
      ({ account_sid }: { account_sid: string }) => account_sid === tenant.account_sid,
    )
    expect(await fetchRouteSummaries(api, lcr_sid)).toEqual([
      ['^44', 0, north],
      ['1508', 1, south],
      ['.*', 9999, south],
    ])
  })

  test("LCR-12 LCR-13 LCR-28 requires a carrier, and shows 'There are no available carriers', or for an account 'There are no available carriers defined for this account'", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const beside = await api.account(tenant.service_provider_sid, { name: 'Beside' })
    await open(`${list}/add`)
    await expect(page.getByText('There are no available carriers', { exact: true }).first()).toBeVisible()
    await expect(save(page)).toHaveAttribute('aria-disabled', 'true')
    // A carrier of another account belongs to the same provider, but cannot be used by this account.
    await create(api, '/VoipCarriers', { name: 'Of Beside', account_sid: beside })
    await page.reload()
    await expect(save(page)).toBeEnabled()
    await defaultCarrier(page).selectOption('Of Beside')
    await usedBy(page).selectOption(tenant.accountName)
    await expect(page.getByText('There are no available carriers defined for this account').first()).toBeVisible()
    await expect(save(page)).toHaveAttribute('aria-disabled', 'true')
    await expect(defaultCarrier(page)).toHaveValue('')
  })

  test("LCR-16 saves each part separately on the platform's own API server, and retries only the part that failed", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { north, south } = await makeCarriers(api, ofProvider(tenant))
    await onPlatform(page)
    await open(`${list}/add`)
    await page.getByLabel('Name').fill('By parts')
    await defaultCarrier(page).selectOption('South')
    await pattern(page, 1).fill('^44')
    await carrier(page, 1).selectOption('North')
    const writeRequests = writes(page)
    await page.route('**/Routes', (route) => route.fulfill({ status: 500, json: { msg: 'The database is away' } }), {
      times: 1,
    })
    await save(page).click()
    await expectToast(page, 'Saved: outbound routing. Not saved: routes (The database is away).')
    await expect(pattern(page, 1)).toHaveValue('^44')
    await save(page).click()
    await expectToast(page, 'Least cost routing successfully created')
    const [{ lcr_sid }] = (await api.send('GET', '/Lcrs')).body.filter(
      ({ service_provider_sid }: { service_provider_sid: string }) =>
        service_provider_sid === tenant.service_provider_sid,
    )
    const all = `/Lcrs/${lcr_sid}`
    expect(writeRequests).toEqual(['POST /Lcrs', `POST ${all}/Routes`, `PUT ${all}/Routes`])
    expect(await fetchRouteSummaries(api, lcr_sid)).toEqual([
      ['^44', 0, north],
      ['.*', 9999, south],
    ])

    await page.goto(`${list}/${lcr_sid}/edit`)
    await pattern(page, 1).fill('^45')
    await page.getByLabel('Name').fill('Renamed')
    await page.route('**/Routes', (route) => route.fulfill({ status: 500, json: { msg: 'The database is away' } }), {
      times: 1,
    })
    writeRequests.length = 0
    await save(page).click()
    await expectToast(page, 'Saved: outbound routing. Not saved: routes (The database is away).')
    expect(writeRequests).toEqual([`PUT ${all}`, `PUT ${all}/Routes`])
    await save(page).click()
    await expectToast(page, 'Least cost routing successfully updated')
    expect(writeRequests).toEqual([`PUT ${all}`, `PUT ${all}/Routes`, `PUT ${all}/Routes`])
    expect((await api.send('GET', all)).body.name).toBe('Renamed')
    expect(await fetchRouteSummaries(api, lcr_sid)).toEqual([
      ['^45', 0, north],
      ['.*', 9999, south],
    ])
  })
})

test.describe('editing', () => {
  test('LCR-04 LCR-05 LCR-19 LCR-20 NAV-40 reorders routes by dragging, with keys, and with buttons', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { edit, lcr_sid, south } = await makeRouting(api, ofAccount(tenant), ['^1', '^2', '^3', '^4'])
    await open(edit)
    await expect(pattern(page, 1)).toHaveValue('^1')
    const order = () => patterns(page).evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value))
    const handle = (nth: number) => page.getByRole('button', { name: `Move route ${nth}`, exact: true })
    const expectText = (text: string) => expect(page.getByText(text)).toHaveCount(1)

    await handle(1).scrollIntoViewIfNeeded()
    await page.evaluate(() => window.scrollBy(0, 300))
    const [from, to] = [await handle(1).boundingBox(), await handle(3).boundingBox()]
    if (!from || !to) throw new Error('the handles do not show')
    await page.mouse.move(from.x + 5, from.y + 5)
    await page.mouse.down()
    await page.mouse.move(to.x + 5, to.y + to.height, { steps: 5 })
    await expect.poll(order).toEqual(['^2', '^3', '^1', '^4'])
    await page.mouse.up()
    await expectText('Dropped at place 3 of 4.')

    await handle(1).focus()
    await page.keyboard.press('Space')
    await expectText('Picked up the route at place 1 of 4. Arrow keys move it, Space drops it, Escape puts it back.')
    await page.keyboard.press('ArrowDown')
    await expectText('The route is now at place 2 of 4.')
    await expect(handle(2)).toBeFocused()
    await page.keyboard.press('Escape')
    await expectText('Put back at place 1 of 4.')
    expect(await order()).toEqual(['^2', '^3', '^1', '^4'])
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    expect(await order()).toEqual(['^3', '^2', '^1', '^4'])
    await page.getByRole('button', { name: 'Move route 4 up' }).click()
    await expect(page.getByRole('button', { name: 'Move route 3 up' })).toBeFocused()
    expect(await order()).toEqual(['^3', '^2', '^4', '^1'])
    await carrier(page, 1).selectOption('South')

    const writeRequests = writes(page)
    await save(page).click()
    await expectToast(page, 'Least cost routing successfully updated')
    await expectToast(page, 'Least cost routing rule successfully updated')
    await expect(page).toHaveURL(new RegExp(`${list}$`))
    expect(writeRequests).toEqual([`PUT /patchbay/lcrs/${lcr_sid}`])
    expect((await fetchRouteSummaries(api, lcr_sid)).map(([regex, priority]) => [regex, priority])).toEqual([
      ['^3', 0],
      ['^2', 1],
      ['^4', 2],
      ['^1', 3],
      ['.*', 9999],
    ])
    expect((await fetchRouteSummaries(api, lcr_sid))[0]?.[2]).toBe(south)
  })

  test("LCR-17 LCR-21 deletes a stored route immediately after a confirmation, with 'Least cost routing rule successfully deleted', and an unsaved one without", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { edit, lcr_sid } = await makeRouting(api, ofAccount(tenant), ['^1', '^2', '^3'])
    await open(edit)
    await pattern(page, 1).fill('^11')
    await page.getByRole('button', { name: 'Add route' }).click()
    await page.getByRole('button', { name: 'Remove route 4' }).click()
    await expect(patterns(page)).toHaveCount(3)
    const writeRequests = writes(page)
    await page.getByRole('button', { name: 'Remove route 2' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete route?' })
    await expect(dialog).toContainText('will be deleted immediately, even if you don’t save the form')
    await page.route('**/LcrRoutes/*', (route) => route.fulfill({ status: 500, json: { msg: 'Not now' } }), {
      times: 1,
    })
    await dialog.getByRole('button', { name: 'Delete route' }).click()
    await expect(dialog.getByRole('alert').first()).toContainText('Not now')
    await dialog.getByRole('button', { name: 'Delete route' }).click()
    await expectToast(page, 'Least cost routing rule successfully deleted')
    await expect(patterns(page)).toHaveCount(2)
    await expect(pattern(page, 1)).toHaveValue('^11')
    await expect(unsavedChanges(page)).toBeVisible()
    expect(writeRequests.every((one) => one.startsWith('DELETE /LcrRoutes/'))).toBe(true)
    expect((await fetchRouteSummaries(api, lcr_sid)).map(([regex]) => regex)).toEqual(['^1', '^3', '.*'])
    // The remaining routes are saved without a conflict, because nothing else has changed.
    await save(page).click()
    await expectToast(page, 'Least cost routing rule successfully updated')
    expect((await fetchRouteSummaries(api, lcr_sid)).map(([regex]) => regex)).toEqual(['^11', '^3', '.*'])
  })

  test('shows concurrent changes of the routes beside the user’s own, with carrier names', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { edit, lcr_sid, north, south } = await makeRouting(api, ofAccount(tenant), ['^1'])
    await open(edit)
    await pattern(page, 1).fill('^11')
    const concurrentRoutes = [{ regex: '^7', lcr_carrier_set_entries: [{ voip_carrier_sid: south }] }]
    const saved = await api.send('PUT', `/patchbay/lcrs/${lcr_sid}`, {
      name: 'Of another',
      routes: concurrentRoutes,
      default_voip_carrier_sid: south,
    })
    expect(saved.status).toBe(204)
    await save(page).click()
    const dialog = page.getByRole('dialog', { name: 'Another user changed this record' })
    await expect(dialog.getByRole('row', { name: /Route based on first match/ })).toContainText(
      '^7 over South^11 over North',
    )
    await dialog.getByRole('button', { name: 'Save my values' }).click()
    await expectToast(page, 'Least cost routing successfully updated')
    expect(await fetchRouteSummaries(api, lcr_sid)).toEqual([
      ['^11', 0, north],
      ['.*', 9999, south],
    ])
    expect((await api.send('GET', `/Lcrs/${lcr_sid}`)).body.name).toBe('Of another')
  })

  test('shows a server error above Save, and keeps the typed text', async ({ page, api, tenant, open }) => {
    const { edit } = await makeRouting(api, ofAccount(tenant), ['^1'])
    await open(edit)
    await pattern(page, 1).fill('^11')
    await page.route('**/patchbay/lcrs/*', (route) =>
      route.fulfill({ status: 400, json: { msg: 'unknown voip_carrier_sid', field: 'voip_carrier_sid' } }),
    )
    await save(page).click()
    await expect(page.getByRole('form').getByRole('alert')).toContainText('unknown voip_carrier_sid')
    await expect(pattern(page, 1)).toHaveValue('^11')
    await expect(unsavedChanges(page)).toBeVisible()
  })
})

test.describe('patterns', () => {
  test('shows the problems of each pattern during typing', async ({ page, api, tenant, open }) => {
    const { edit } = await makeRouting(api, ofAccount(tenant), ['^44', '^33', '^55'])
    await open(edit)
    const hint = (nth: number) =>
      pattern(page, nth).evaluate((input) => {
        const ids = input.getAttribute('aria-describedby')?.split(' ') ?? []
        return ids.map((id) => document.querySelector(`[id="${id}"]`)?.textContent).join(' ')
      })
    for (const [typed, text] of [
      ['^4420', 'Never reached: route 1 matches all of its numbers first'],
      ['^44', 'Same as route 1, which is tried first'],
      ['(', 'Invalid expression'],
      ['.*', 'Matches every number: later routes are never reached'],
      ['1508', 'Also matches inside a number: start with ^ to match only the beginning'],
      ['1'.repeat(33), 'At most 32 characters'],
    ] as const) {
      await pattern(page, 2).fill(typed)
      await expect.poll(() => hint(2)).toContain(text)
    }
    await pattern(page, 2).fill('(')
    await expect.poll(() => hint(3)).toContain('Never reached: route 2 is not a valid expression and ends the lookup')
  })

  test('opens, renders on scrolling, edits, and saves a thousand routes', async ({ page, api, tenant, open }) => {
    const regexes = Array.from({ length: 1000 }, (_, at) => `^${1_000_000 + at}$`)
    const { edit, lcr_sid } = await makeRouting(api, ofAccount(tenant), regexes)
    await open(edit)
    // CSS selectors are faster here than label queries, which search the whole document.
    const routeItems = page.locator('ol[aria-label=Routes] > li')
    await expect(routeItems).toHaveCount(150)
    await page.getByText('850 more…').scrollIntoViewIfNeeded()
    await expect(routeItems).toHaveCount(300)
    await expect(page.getByRole('button', { name: 'Add route' })).toHaveAttribute('aria-disabled', 'true')
    await page.locator('input[name="routes.1.regex"]').fill('^77')
    await save(page).click()
    await expectToast(page, 'Least cost routing rule successfully updated')
    const stored = (await fetchRouteSummaries(api, lcr_sid)).map(([regex]) => regex)
    expect(stored.slice(0, 3)).toEqual(['^1000000$', '^77', '^1000002$'])
    expect(stored.slice(999)).toEqual(['^1000999$', '.*'])
  })
})

test.describe('the dry run', () => {
  const outbound = { inbound: false, outbound: true }

  test('LCR-05 explains step by step which carrier takes a number, according to the unsaved form', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { edit, north, south } = await makeRouting(api, ofAccount(tenant), ['^33', '^44'], 'Own')
    await create(api, '/SipGateways', { voip_carrier_sid: north, ipv4: '10.0.0.1', ...outbound })
    await create(api, '/SipGateways', { voip_carrier_sid: north, ipv4: '10.0.0.2', is_active: false, ...outbound })
    await open(edit)
    await pattern(page, 1).fill('^4420')
    await page.getByRole('button', { name: 'Try a number' }).click()
    const dialog = page.getByRole('dialog', { name: 'Try a number' })
    const steps = dialog.getByRole('listitem')
    await dialog.getByLabel('Called number').fill('+44 20 7183 8750')
    await expect(dialog.getByText('Looked up as +442071838750')).toBeVisible()
    await expect(steps).toHaveText([/\^4420Does not match/, /\^44Does not match/, /\.\*Matches at the start: taken/])
    await expect(
      dialog.getByText('South is selected, but has no active outbound gateway, so the call fails.'),
    ).toBeVisible()
    await dialog.getByLabel('Called number').fill('44 20 7183 8750')
    await expect(steps.first()).toHaveText(/\^4420Matches at the start: taken/)
    await expect(dialog.getByText('2 later routes are not tried.')).toBeVisible()
    await expect(dialog.getByRole('status')).toContainText('North is selected.')
    await expect(dialog.getByRole('status')).toContainText('The SBCs send no OPTIONS pings to this carrier.')
    await expect(steps.filter({ hasText: '10.0.0.1:5060' })).toBeVisible()
    await expect(steps.filter({ hasText: '10.0.0.2' })).toContainText('inactive: not tried')
    await page.keyboard.press('Escape')
    await page.route('**/patchbay/carrier-health?*', (route) =>
      route.fulfill({
        json: [
          {
            voip_carrier_sid: north,
            state: 'failing',
            registration: { state: 'failing', reason: '403 Forbidden', reported_at: null, expires_at: null },
            calls: null,
            gateway_count: 1,
            failing_count: 1,
            monitored_count: 1,
          },
        ],
      }),
    )
    await page.getByRole('button', { name: 'Try a number' }).click()
    await dialog.getByLabel('Called number').fill('44 20 7183 8750')
    await expect(dialog.getByRole('status')).toContainText(
      /North is selected, but calls may not reach it\.\s*The registration failed: 403 Forbidden\. 1 of 1 gateways failed/,
    )
    await page.keyboard.press('Escape')
    await pattern(page, 1).fill('(')
    await page.getByRole('button', { name: 'Try a number' }).click()
    await dialog.getByLabel('Called number').fill('44')
    await expect(steps.first()).toContainText('the lookup ends here without a carrier')
    await expect(dialog.getByText('No route selects a carrier.')).toBeVisible()
    expect(south).not.toBe(north)
  })

  test('shows in the list which LCRs apply to an account: one, two, or none', async ({ page, api, tenant, open }) => {
    await makeRouting(api, ofAccount(tenant), ['^1'], 'Own')
    const beside = await api.account(tenant.service_provider_sid, { name: `Beside ${randomUUID().slice(0, 8)}` })
    await open(list)
    await page.getByRole('button', { name: 'Try a number' }).click()
    const dialog = page.getByRole('dialog', { name: 'Try a number' })
    await dialog.getByLabel('Called number').fill('15083084809')
    await dialog.getByLabel('Account').selectOption(beside)
    await expect(dialog.getByText('No outbound routing applies to calls of this account.')).toBeVisible()
    await page.keyboard.press('Escape')
    const { lcr_sid } = await makeRouting(api, ofProvider(tenant), ['^2'], 'Shared')
    await api.send('PUT', `/Lcrs/${lcr_sid}`, { is_active: false })
    await page.reload()
    await page.getByRole('button', { name: 'Try a number' }).click()
    await dialog.getByLabel('Called number').fill('15083084809')
    await dialog.getByLabel('Account').selectOption(tenant.account_sid)
    await expect(dialog.getByText('Two outbound routings apply')).toBeVisible()
    await expect(dialog.getByRole('heading', { level: 3 }).filter({ hasText: /^Own|^Shared/ })).toHaveCount(2)
    await expect(dialog.getByText('It is inactive, but the platform ignores that.')).toBeVisible()
    // Users who cannot see the provider's LCR are informed that one can exist.
    const { token } = await api.person({ ...ofProvider(tenant), ...ofAccount(tenant) })
    await open(`${list}/own`, token)
    await page.getByRole('button', { name: 'Try a number' }).click()
    await dialog.getByLabel('Called number').fill('15083084809')
    await expect(dialog.getByText('If your service provider has an outbound routing')).toBeVisible()
    await expect(dialog.getByLabel('Account')).toHaveCount(0)
  })
})
