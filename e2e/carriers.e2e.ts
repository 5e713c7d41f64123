import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hepAgent, hepPacket } from '@patchbay/testkit/peers/hep'
import { sipSession } from '@patchbay/testkit/peers/sipp'
import type { Locator, Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { writeCallFlow } from './support/call-flows.ts'
import { unsavedChanges } from './support/records.ts'
import { setRegisterStatus } from './support/seed-database.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

const table = (page: Page) => page.getByRole('table', { name: 'Carriers' })
const rows = (page: Page) => table(page).locator('tbody tr[data-row]')
const row = (page: Page, name: string) => rows(page).filter({ hasText: name })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const save = (page: Page) => page.getByRole('button', { name: 'Save' })
const usedBy = (page: Page) => page.getByRole('combobox', { name: 'Used by', exact: true })
const filterBox = (page: Page) => page.getByRole('searchbox', { name: 'Filter carriers' })
const tab = (page: Page, name: string) => page.getByRole('tab', { name })
const sip = (page: Page, number: number) => page.getByRole('group', { name: `SIP gateway ${number}`, exact: true })
const smpp = (page: Page, direction: 'inbound' | 'outbound', number: number) =>
  page.getByRole('group', { name: `SMPP ${direction} gateway ${number}`, exact: true })
const address = 'Network address'

/** Opens the rare settings of a gateway. The button says how many of them are set. */
const openOptions = (gateway: Locator, count = 0) =>
  gateway.getByRole('button', { name: count === 0 ? 'Options' : `Options ${count}`, exact: true }).click()
/** Uses the keyboard, because the tooltip of a focused button covers the row below. */
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).press('Enter')

const onPlatform = (page: Page) => page.route('**/config.json', (route) => route.fulfill({ json: {} }))

/** Creates a carrier with gateways at these addresses. */
const makeCarrier = async (api: Api, carrier: object, gateways: readonly object[] = []): Promise<string> => {
  const sip_gateways = gateways.length > 0 ? gateways : [{ ipv4: '10.1.1.1', inbound: true }]
  const created = await api.send('POST', '/patchbay/carriers', { carrier, sip_gateways })
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  return created.body.voip_carrier_sid
}

/** Creates a carrier of all accounts, one of the tenant's own account, and one of another account. */
const makeCarriers = async (api: Api, { service_provider_sid, account_sid }: Tenant) => {
  const beside = await api.account(service_provider_sid, { name: 'Beside' })
  return {
    beside,
    shared: await makeCarrier(api, { name: 'Shared telco', service_provider_sid }, [
      { ipv4: '10.1.1.1', inbound: true },
      { ipv4: '10.1.1.2', inbound: true, outbound: true },
    ]),
    own: await makeCarrier(api, { name: 'Own telco', service_provider_sid, account_sid, is_active: false }),
    foreign: await makeCarrier(api, { name: 'Foreign telco', service_provider_sid, account_sid: beside }),
  }
}

const fetchCarrier = async (api: Api, sid: string) => (await api.send('GET', `/VoipCarriers/${sid}`)).body
const fetchSipGateways = async (api: Api, sid: string): Promise<any[]> =>
  (await api.send('GET', `/SipGateways?voip_carrier_sid=${sid}`)).body
const fetchSmppGateways = async (api: Api, sid: string): Promise<any[]> =>
  (await api.send('GET', `/SmppGateways?voip_carrier_sid=${sid}`)).body

/** Creates a carrier that the platform has to register with. */
const makeRegistering = (api: Api, name: string, service_provider_sid: string) =>
  makeCarrier(api, {
    name,
    service_provider_sid,
    requires_register: true,
    register_username: 'us',
    register_password: 'secret-of-ours',
    register_sip_realm: 'sip.telco.example',
  })

test.describe('the list', () => {
  test('CARRIERS-01 CARRIERS-02 CARRIERS-14 NAV-26 NAV-61 shows owner, state, and gateway counts of carriers with a single count request', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { beside } = await makeCarriers(api, tenant)
    const counted: string[] = []
    page.on('request', (request) => /gateway-counts|SipGateways/.test(request.url()) && counted.push(request.url()))
    await open('/internal/accounts')
    await expect(page.getByText('BYO Services')).toBeVisible()
    await page.getByRole('link', { name: 'Carriers', exact: true }).click()
    await expect(page).toHaveURL(/\/internal\/carriers$/)
    await expect(heading(page, 'Carriers')).toBeVisible()
    await expect(page.getByText('Total: 3 record(s)')).toBeVisible()
    await expect(row(page, 'Shared telco')).toContainText('All accounts')
    await expect(row(page, 'Shared telco')).toContainText('Active')
    await expect(row(page, 'Shared telco')).toContainText('2 inbound')
    await expect(row(page, 'Shared telco')).toContainText('1 outbound')
    await expect(row(page, 'Own telco')).toContainText(tenant.accountName)
    await expect(row(page, 'Own telco')).toContainText('Inactive')
    await expect(row(page, 'Own telco')).toContainText('0 outbound')
    expect(counted).toHaveLength(1)

    await usedBy(page).selectOption('Beside')
    await expect(page).toHaveURL(`/internal/carriers?account=${beside}`)
    await expect(row(page, 'Own telco')).toHaveCount(0)
    await expect(rows(page)).toHaveCount(2)
    const filterRequest = page.waitForRequest(/VoipCarriers\?.*name=/)
    await filterBox(page).fill('foreign')
    expect(new URL((await filterRequest).url()).searchParams.get('name')).toBe('foreign')
    await expect(rows(page)).toHaveText([/Foreign telco/])
    await expect(page).toHaveURL(`/internal/carriers?account=${beside}&filter=foreign`)
    await filterBox(page).fill('100%')
    await page.keyboard.press('Enter')
    await expect(rows(page)).toHaveCount(0)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect(rows(page)).toHaveCount(3)
  })

  test('CARRIERS-10 CARRIERS-11 shows whether the platform is registered with a carrier, or the reason why not', async ({
    page,
    api,
    tenant,
    open,
    server,
  }) => {
    const { service_provider_sid } = tenant
    const registering = (name: string) => makeRegistering(api, name, service_provider_sid)
    const [ok, failed, fresh] = [await registering('Fine'), await registering('Broken'), await registering('New')]
    setRegisterStatus(server, ok, { status: 'ok', callId: 'call-1' })
    setRegisterStatus(server, failed, { status: 'fail', reason: '403 Forbidden' })
    await open('/internal/carriers')
    await expect(row(page, 'Fine').getByText('Registered', { exact: true })).toBeVisible()
    await expect(row(page, 'Broken').getByText('Unregistered', { exact: true })).toBeVisible()
    await row(page, 'Broken').getByText('Unregistered').hover()
    await expect(page.getByRole('tooltip')).toHaveText('403 Forbidden')
    await expect(row(page, 'New').getByText('Unregistered', { exact: true })).toBeVisible()
    await expect(row(page, 'New')).toContainText('not reported')

    const status = page.getByRole('region', { name: 'Register status' })
    await row(page, 'Broken').getByRole('link', { name: 'Broken', exact: true }).click()
    await expect(status).toContainText('Status fail')
    await expect(status).toContainText('403 Forbidden')
    await open(`/internal/carriers/${fresh}/edit`)
    await expect(status).toContainText('Not Started')
    await open(`/internal/carriers/${ok}/edit`)
    await expect(status).toContainText('Status ok')
    await expect(status).toContainText('call-1')
  })

  test('says how old a registration is, and that a later REGISTER settled a refusal', async ({
    page,
    api,
    tenant,
    open,
    server,
  }) => {
    const { service_provider_sid } = tenant
    const registering = (name: string) => makeRegistering(api, name, service_provider_sid)
    const [lapsed, refused, settled] = [
      await registering('Lapsed'),
      await registering('Denied'),
      await registering('Settled'),
    ]
    const twoHoursAgo = new Date(Date.now() - 7_200_000).toISOString()
    setRegisterStatus(server, lapsed, { status: 'ok', reason: '200 OK', timestamp: twoHoursAgo, expires: 600 })
    const refusal = { status: 'fail', reason: '423 Interval Too Brief', cseq: '1 REGISTER' }
    setRegisterStatus(server, refused, { ...refusal, timestamp: twoHoursAgo, callId: 'not captured' })
    const { callid, length } = await writeCallFlow(server, tenant, 'healthy/register-423')
    setRegisterStatus(server, settled, { ...refusal, callId: callid })
    const captured = () => api.send('GET', `/ServiceProviders/${service_provider_sid}/RecentCalls/${callid}`)
    await expect.poll(async () => (await captured()).body.total).toBe(length)

    await open('/internal/carriers')
    await expect(row(page, 'Lapsed').getByText('Expired', { exact: true })).toBeVisible()
    await expect(row(page, 'Settled').getByText('Registered', { exact: true })).toBeVisible()
    await row(page, 'Settled').getByText('Registered', { exact: true }).hover()
    await expect(
      page.getByRole('tooltip', {
        name: 'The carrier refused a REGISTER with 423 Interval Too Brief, and accepted a later one.',
      }),
    ).toBeVisible()
    await row(page, 'Denied').getByText('Unregistered', { exact: true }).hover()
    await expect(page.getByRole('tooltip', { name: '423 Interval Too Brief (reported 2 hours ago)' })).toBeVisible()

    const status = page.getByRole('region', { name: 'Register status' })
    await row(page, 'Settled').getByRole('link', { name: 'Settled', exact: true }).click()
    await expect(status).toContainText(
      'The carrier refused a REGISTER with 423 Interval Too Brief, and accepted a later one.',
    )
    await expect(status).toContainText(/Reported\s*at an unknown time/)
    await expect(status).toContainText(/Accepted\s*(just now|1 minute ago)/)
    await open(`/internal/carriers/${lapsed}/edit`)
    await expect(status).toContainText('The registration has expired.')
    await expect(status).toContainText(/Reported\s*2 hours ago.*Expired\s*1 hour ago/s)
    await expectNoFindings(page, 'the register status')
  })

  test("CARRIERS-13 downloads the SIP of a registration from the carrier's owner", async ({
    page,
    api,
    tenant,
    open,
    server,
  }) => {
    const { service_provider_sid, account_sid } = tenant
    const registering = async (name: string, callId: string | undefined, owner: object) => {
      const settings = { requires_register: true, register_username: 'us', register_password: 'secret-of-ours' }
      const carrier = { name, service_provider_sid, register_sip_realm: 'sip.telco.example', ...settings, ...owner }
      const sid = await makeCarrier(api, carrier)
      setRegisterStatus(server, sid, { status: 'ok', ...(callId === undefined ? {} : { callId }) })
      return { sid, callId: callId ?? '' }
    }
    const own = await registering('Own', `${randomUUID()}@[::1]`, { account_sid })
    const shared = await registering('Shared', `${randomUUID()}/of%20all`, {})
    const silent = await registering('Silent', undefined, {})
    const agent = hepAgent(server.hepPort)
    const status = page.getByRole('region', { name: 'Register status' })
    const pcap = status.getByRole('button', { name: 'Download pcap' })
    const untilRequested = (path: RegExp) => page.waitForRequest((request) => path.test(request.url()))

    for (const [{ sid, callId }, path] of [
      [own, /\/Accounts\/[^/]+\/RecentCalls\/[^/]+\/register\/pcap$/],
      [shared, /\/ServiceProviders\/[^/]+\/RecentCalls\/[^/]+\/register\/pcap$/],
    ] as const) {
      await open(`/internal/carriers/${sid}/edit`)
      await pcap.click()
      await expect(status.getByRole('status')).toHaveText('No SIP of this registration was captured.')
      const heads = `Call-ID: ${callId}\r\nCSeq: 1 REGISTER\r\n\r\n`
      const ends = { source: '10.0.0.5', sourcePort: 5060, destination: '10.1.1.1', destinationPort: 5060 }
      for (const start of ['REGISTER sip:sip.telco.example SIP/2.0', 'SIP/2.0 200 OK'])
        await agent.send(hepPacket({ ...ends, payload: Buffer.from(`${start}\r\n${heads}`) }))
      const below = callId === own.callId ? `/Accounts/${account_sid}` : `/ServiceProviders/${service_provider_sid}`
      const captured = () => api.send('GET', `${below}/RecentCalls/${encodeURIComponent(callId)}`)
      await expect.poll(async () => (await captured()).body.total).toBe(2)
      const [request, download] = await Promise.all([untilRequested(path), page.waitForEvent('download'), pcap.click()])
      expect(decodeURIComponent(request.url())).toContain(callId)
      expect(download.suggestedFilename()).toMatch(/^callid-.+\.pcap$/)
      const file = readFileSync(await download.path())
      expect(file.readUInt32LE(0)).toBe(0xa1b2c3d4)
      expect(file.toString('latin1')).toContain(`SIP/2.0 200 OK\r\n${heads}`)
      await expect(status.getByRole('status')).toHaveCount(0)
    }

    const refused = await registering('Refused', `refused-${randomUUID()}`, {})
    const { length } = await sipSession(
      'a registration with a wrong password',
      { host: '127.0.0.1', callid: refused.callId },
      (packet) => agent.send(packet),
    )
    const path = `/ServiceProviders/${service_provider_sid}/RecentCalls/${refused.callId}`
    await expect.poll(async () => (await api.send('GET', path)).body.total).toBe(length)
    await open(`/internal/carriers/${refused.sid}/edit`)
    await status.getByRole('button', { name: 'SIP ladder', exact: true }).click()
    await expect(status.getByRole('list', { name: 'SIP messages' }).getByRole('button')).toHaveText([
      /REGISTER/,
      /401 Unauthorized/,
      /REGISTER/,
      /403 Forbidden/,
    ])
    await expect(status.getByRole('region', { name: 'Findings' }).getByRole('listitem')).toHaveText([
      /rejected the REGISTER with 403 Forbidden.*the password is wrong/,
    ])
    await expectNoFindings(page, 'the ladder of a registration')

    const headers = { 'x-request-id': 'id-of-the-request' }
    await page.route('**/register/pcap', (route) =>
      route.fulfill({ status: 500, headers, json: { msg: 'Homer is upset' } }),
    )
    await pcap.click()
    await expect(status.getByRole('alert')).toContainText('Homer is upset')
    await expect(status.getByRole('alert')).toContainText('Request ID id-of-the-request')
    await open(`/internal/carriers/${silent.sid}/edit`)
    await expect(status).toContainText('Status ok')
    await expect(pcap).toHaveCount(0)
    agent.stop()
  })

  test('CARRIERS-03 CARRIERS-04 NAV-27 NAV-28 COMMON-20 describes an empty list, and links rows to their forms', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await open('/internal/carriers')
    await expect(page.getByText('No Carriers.')).toBeVisible()
    await expect(filterBox(page)).toBeVisible()
    await page.getByRole('link', { name: 'Add carrier' }).first().click()
    await expect(page).toHaveURL(/\/internal\/carriers\/add$/)
    await expect(heading(page, 'Add a carrier')).toBeVisible()
    const { own } = await makeCarriers(api, tenant)
    await open('/internal/carriers')
    await page.getByRole('link', { name: 'Edit Own telco' }).click()
    await expect(page).toHaveURL(new RegExp(`/internal/carriers/${own}/edit$`))
    await expect(heading(page, 'Edit carrier: Own telco')).toBeVisible()
    await expect(page.getByLabel('Carrier name')).toHaveValue('Own telco')
  })

  test('ROLES-21 lets account users change their own carriers, and only see those of their provider', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { shared } = await makeCarriers(api, tenant)
    const { service_provider_sid, account_sid } = tenant
    const { token } = await api.person({ service_provider_sid, account_sid })
    await open('/internal/carriers', token)
    await expect(rows(page)).toHaveCount(2)
    await expect(usedBy(page)).toHaveCount(0)
    await expect(row(page, 'Own telco').getByRole('link')).toHaveCount(2)
    await expect(row(page, 'Own telco').getByRole('button', { name: 'Delete Own telco' })).toBeVisible()
    await expect(row(page, 'Shared telco').getByRole('link')).toHaveCount(0)
    await expect(row(page, 'Shared telco').getByRole('button')).toHaveCount(0)
    await page.goto(`/internal/carriers/${shared}/edit`)
    await expectToast(page, 'You do not have access to this resource')
    await expect(page).toHaveURL(/\/internal\/carriers$/)
  })

  test("CARRIERS-12 CARRIERS-29 shows the server's message for a carrier or its gateways that cannot be loaded", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { own } = await makeCarriers(api, tenant)
    const fails = (path: RegExp, msg: string) =>
      page.route(path, (route) => route.fulfill({ status: 500, json: { msg } }))
    await fails(/gateway-counts/, 'the gateways are away')
    await open('/internal/carriers')
    await expect(row(page, 'Own telco')).toContainText('Gateways error')
    await row(page, 'Own telco').getByText('Gateways error').hover()
    await expect(page.getByRole('tooltip')).toHaveText('the gateways are away')
    await fails(/\/VoipCarriers\?/, 'the carriers are away')
    await page.reload()
    await expectToast(page, 'the carriers are away')
    await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible()
    await fails(/\/patchbay\/carriers\/[^/?]+$/, 'this carrier is away')
    await page.goto(`/internal/carriers/${own}/edit`)
    await expectToast(page, 'this carrier is away')
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByLabel('Carrier name')).toHaveValue('Own telco')
  })
})

test.describe('deleting', () => {
  for (const [server, isOurs] of [
    ['ours', true],
    ["the platform's own", false],
  ] as const)
    test(`CARRIERS-05 CARRIERS-06 CARRIERS-07 CARRIERS-59 a carrier in use is not deleted, and what uses it is named; another goes with its gateways (server: ${server})`, async ({
      page,
      api,
      tenant,
      open,
    }) => {
      if (!isOurs) await onPlatform(page)
      const { own, shared } = await makeCarriers(api, tenant)
      const { service_provider_sid, account_sid } = tenant
      for (const number of ['15083084809', '442079460000'])
        await api.send('POST', '/PhoneNumbers', { number, account_sid, voip_carrier_sid: own })
      const free = await makeCarrier(api, { name: 'Free telco', service_provider_sid })
      const lcr = await api.send('POST', '/patchbay/lcrs', {
        name: 'To the world',
        service_provider_sid,
        routes: [{ regex: '^44', lcr_carrier_set_entries: [{ voip_carrier_sid: shared }] }],
        default_voip_carrier_sid: shared,
      })
      expect(lcr.status, JSON.stringify(lcr.body)).toBe(201)
      await open('/internal/carriers')
      const blocked = page.getByRole('dialog', { name: 'This carrier is in use' })
      const cannot = (numbers: number, routings: number) =>
        `In order to delete the carrier it cannot be in use by any Phone Numbers (${numbers}) or Outbound call Routings (${routings}).`
      await press(page, 'Delete Own telco')
      await expect(blocked).toContainText(cannot(2, 0))
      await expect(blocked.getByRole('list', { name: '2 phone numbers' })).toContainText('+1 (508) 308-4809')
      await page.keyboard.press('Escape')
      await press(page, 'Delete Shared telco')
      await expect(blocked).toContainText(cannot(0, 1))
      await expect(blocked.getByRole('list', { name: '1 outbound call routing' })).toContainText('To the world')
      await blocked.getByRole('link', { name: 'To the world' }).click()
      await expect(page).toHaveURL(/\/internal\/least-cost-routing\/[\w-]+\/edit$/)
      await page.goto(`/internal/carriers/${own}/edit?tab=used-by`)
      await page.getByRole('link', { name: '+1 (508) 308-4809' }).click()
      await expect(page).toHaveURL(/\/internal\/phone-numbers\/[\w-]+\/edit$/)

      await page.goto('/internal/carriers')
      await press(page, 'Delete Free telco')
      const question = page.getByRole('dialog', { name: 'Delete carrier?' })
      await expect(question).toContainText('Free telco will be deleted')
      await expect(question).toContainText('This cannot be undone.')
      await question.getByRole('button', { name: 'Delete carrier' }).click()
      await expectToast(page, 'Deleted Carrier Free telco')
      await expect(row(page, 'Free telco')).toHaveCount(0)
      expect(await fetchSipGateways(api, free)).not.toMatchObject([{}])
      expect((await api.send('GET', `/VoipCarriers/${free}`)).status).toBe(404)
    })

  test('CARRIERS-27 CARRIERS-28 refuses to save and delete a carrier after a user of another account has signed in', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { own, beside } = await makeCarriers(api, tenant)
    const { service_provider_sid, account_sid } = tenant
    const { token } = await api.person({ service_provider_sid, account_sid })
    const other = await api.person({ service_provider_sid, account_sid: beside })
    const becomesOther = () => page.evaluate((stored) => localStorage.setItem('token', stored), other.token)
    await open(`/internal/carriers/${own}/edit`, token)
    await page.getByLabel('Carrier name').fill('Taken over')
    await becomesOther()
    await save(page).click()
    await expectToast(page, 'You do not have permissions to make changes to this Carrier')
    expect((await fetchCarrier(api, own)).name).toBe('Own telco')

    await open('/internal/carriers', token)
    await page.getByRole('button', { name: 'Delete Own telco' }).click()
    const question = page.getByRole('dialog', { name: 'Delete carrier?' })
    await expect(question).toContainText('This cannot be undone.')
    await becomesOther()
    await question.getByRole('button', { name: 'Delete carrier' }).click()
    await expectToast(page, 'You do not have permissions to delete this Carrier')
    expect((await fetchCarrier(api, own)).name).toBe('Own telco')
  })
})

test.describe('the form', () => {
  test('CARRIERS-08 CARRIERS-15 CARRIERS-17 CARRIERS-24 CARRIERS-25 creates a carrier with all settings of the Voice tab', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await open('/internal/carriers/add')
    await expect(tab(page, 'Voice')).toHaveAttribute('aria-selected', 'true')
    const expectTabs = async () => {
      await expect(page.getByRole('tablist', { name: 'Voice and SMS' }).getByRole('tab')).toHaveText(['Voice', 'SMS'])
      await expect(tab(page, 'Voice')).toHaveAttribute('id', /-sip$/)
      await expect(tab(page, 'SMS')).toHaveAttribute('id', /-smpp$/)
    }
    await expectTabs()
    await expect(page.getByLabel('DTMF type').getByRole('option')).toHaveText(['RFC 2833', 'Tones'])
    await expect(page.getByLabel('DTMF type')).toHaveValue('rfc2833')
    await page.getByLabel('Carrier name').fill('New telco')
    await page.getByLabel('Description').fill('Takes us everywhere')
    await usedBy(page).selectOption(tenant.accountName)
    await page.getByLabel('DTMF type').selectOption('Tones')
    await page.getByLabel('E.164 syntax').check()
    await sip(page, 1).getByLabel(address).fill('10.2.2.2')
    await page.getByLabel('Auth username').fill('us')
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill('secret-of-ours')
    await page.getByLabel('Require SIP Register').check()
    await page.getByLabel('SIP realm').fill('sip.telco.example')
    await page.getByLabel('SIP from user').fill('from-us')
    await page.getByLabel('SIP from domain').fill('us.example.org')
    await page.getByLabel('Use public IP in contact').check()
    await page.getByLabel('Tech prefix').fill('123')
    await page.getByLabel('SIP Diversion Header').fill('+1508')
    await page.getByLabel('Outbound SIP Proxy').fill(' proxy. telco.example:5060')
    await save(page).click()
    await expectToast(page, 'Carrier created successfully')
    await expect(page).toHaveURL(`/internal/carriers?account=${tenant.account_sid}`)
    await row(page, 'New telco').getByRole('link', { name: 'New telco', exact: true }).click()
    await expect(heading(page, 'Edit carrier: New telco')).toBeVisible()
    await expectTabs()
    for (const [label, value] of [
      ['Description', 'Takes us everywhere'],
      ['DTMF type', 'tones'],
      ['Auth username', 'us'],
      ['SIP realm', 'sip.telco.example'],
      ['SIP from user', 'from-us'],
      ['SIP from domain', 'us.example.org'],
      ['Tech prefix', '123'],
      ['SIP Diversion Header', '+1508'],
      ['Outbound SIP Proxy', 'proxy.telco.example:5060'],
    ] as const)
      await expect(page.getByLabel(label)).toHaveValue(value)
    for (const label of ['E.164 syntax', 'Require SIP Register', 'Use public IP in contact'])
      await expect(page.getByLabel(label)).toBeChecked()
    await expect(usedBy(page).locator('option:checked')).toHaveText(tenant.accountName)
    const sid = new URL(page.url()).pathname.split('/')[3] ?? ''
    expect(await fetchCarrier(api, sid)).toMatchObject({
      name: 'New telco',
      description: 'Takes us everywhere',
      account_sid: tenant.account_sid,
      application_sid: null,
      dtmf_type: 'tones',
      e164_leading_plus: 1,
      register_username: 'us',
      register_password: 'XXXXXXXX',
      requires_register: 1,
      register_sip_realm: 'sip.telco.example',
      register_from_user: 'from-us',
      register_from_domain: 'us.example.org',
      register_public_ip_in_contact: 1,
      tech_prefix: '123',
      diversion: '+1508',
      outbound_sip_proxy: 'proxy.telco.example:5060',
      is_active: 1,
    })
    expect(await fetchSipGateways(api, sid)).toMatchObject([{ ipv4: '10.2.2.2', port: 5060, netmask: 32, inbound: 1 }])
  })

  test('CARRIERS-21 CARRIERS-35 CARRIERS-36 CARRIERS-37 shows errors at their fields and sends nothing', async ({
    page,
    open,
  }) => {
    const writeRequests: string[] = []
    page.on('request', (request) => request.method() !== 'GET' && writeRequests.push(request.url()))
    await open('/internal/carriers/add')
    await page.getByLabel('Carrier name').fill('Wrong telco')
    await page.getByLabel('Outbound SIP Proxy').fill('localhost')
    await save(page).click()
    await expect(
      sip(page, 1).getByText('Please provide a valid IP address or fully qualified domain name.'),
    ).toBeVisible()
    await expect(page.getByText('Please provide a valid SIP Proxy domain or IP address.')).toBeVisible()
    await expect(sip(page, 1).getByLabel(address)).toBeFocused()
    await sip(page, 1).getByLabel(address).fill('sip.telco.example')
    await expect(
      sip(page, 1).getByText('A fully qualified domain name may only be used for outbound calls.'),
    ).toBeVisible()
    await sip(page, 1).getByLabel('Inbound').uncheck()
    await sip(page, 1).getByLabel('Outbound').check()
    await page.getByRole('button', { name: 'Add SIP gateway' }).click()
    await sip(page, 2).getByLabel(address).fill('sip.telco.example')
    await sip(page, 2).getByLabel('Outbound').check()
    await sip(page, 2).getByLabel('Inbound').uncheck()
    await expect(sip(page, 2).getByText('Each SIP gateway must have a unique IP address.')).toBeVisible()
    await page.getByRole('button', { name: 'Delete SIP gateway 2' }).click()
    await expect(sip(page, 2)).toHaveCount(0)
    expect(writeRequests).toEqual([])
  })

  test('CARRIERS-33 requires a SIP gateway, unless calls authenticate', async ({ page, api, tenant, open }) => {
    const { service_provider_sid } = tenant
    const created = await api.send('POST', `/ServiceProviders/${service_provider_sid}/VoipCarriers`, {
      name: 'Without gateways',
    })
    const path = `/internal/carriers/${created.body.sid}/edit`
    await open(path)
    await page.getByLabel('Description').fill('Changed')
    await save(page).click()
    await expect(page.getByText('You must provide at least one SIP Gateway.')).toBeVisible()
    expect(await fetchCarrier(api, created.body.sid)).toMatchObject({ description: null })
    await page.getByLabel('Inbound username').fill('telco')
    await page.getByLabel('Inbound password').fill('secret-of-the-telco')
    await save(page).click()
    await expectToast(page, 'Carrier updated successfully')
    expect(await fetchCarrier(api, created.body.sid)).toMatchObject({ description: 'Changed' })
    expect(await fetchSipGateways(api, created.body.sid)).toEqual([])
  })

  test('CARRIERS-26 CARRIERS-30 CARRIERS-34 CARRIERS-40 saves gateways with their carrier, and deletes a saved gateway immediately', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { own } = await makeCarriers(api, tenant)
    const writes: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') writes.push(`${request.method()} ${new URL(request.url()).pathname}`)
    })
    await open(`/internal/carriers/${own}/edit`)
    const remove = (number: number) => page.getByRole('button', { name: `Delete SIP gateway ${number}` })
    await expect(remove(1)).toHaveAttribute('aria-disabled', 'true')
    await expect(sip(page, 1).getByLabel('Port')).toHaveValue('5060')
    await expect(sip(page, 1).getByLabel('Netmask')).toHaveValue('32')
    await sip(page, 1).getByLabel('Netmask').selectOption('/24')
    await page.getByRole('button', { name: 'Add SIP gateway' }).click()
    await sip(page, 2).getByLabel(address).fill('sip.telco.example')
    await sip(page, 2).getByLabel('Outbound').check()
    await sip(page, 2).getByLabel('Inbound').uncheck()
    await sip(page, 2).getByLabel('Protocol').selectOption('TLS/SRTP')
    await sip(page, 2).getByLabel('Port').fill('')
    await openOptions(sip(page, 2))
    for (const flag of ['Pad crypto', 'Send OPTIONS ping', 'Use sips scheme'])
      await sip(page, 2).getByLabel(flag).check()
    await sip(page, 2).getByLabel('Active').uncheck()
    await page.getByLabel('Carrier name').fill('Renamed telco')
    await page.getByRole('switch', { name: 'Active' }).click()
    await save(page).click()
    await expectToast(page, 'Carrier updated successfully')
    await expect(page).toHaveURL(/\/internal\/carriers$/)
    expect(writes).toEqual([`PUT /api/v1/patchbay/carriers/${own}`])
    expect(await fetchCarrier(api, own)).toMatchObject({ name: 'Renamed telco', is_active: 1 })
    expect(await fetchSipGateways(api, own)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ipv4: '10.1.1.1', netmask: 24, inbound: 1, outbound: 0, is_active: 1 }),
        expect.objectContaining({
          ipv4: 'sip.telco.example',
          port: null,
          protocol: 'tls/srtp',
          inbound: 0,
          outbound: 1,
          is_active: 0,
          pad_crypto: 1,
          send_options_ping: 1,
          use_sips_scheme: 1,
        }),
      ]),
    )

    // Other changes in the form remain unsaved.
    await row(page, 'Renamed telco').getByRole('link', { name: 'Renamed telco', exact: true }).click()
    await page.getByLabel('Tech prefix').fill('999')
    const at = (await sip(page, 1).getByLabel(address).inputValue()) === 'sip.telco.example' ? 1 : 2
    await expect(sip(page, 3 - at).getByLabel('Netmask')).toHaveValue('24')
    await expect(sip(page, at).getByLabel('Port')).toHaveValue('')
    await expect(sip(page, at).getByLabel('Protocol')).toHaveValue('tls/srtp')
    await openOptions(sip(page, at), 3)
    for (const flag of ['Outbound', 'Pad crypto', 'Send OPTIONS ping', 'Use sips scheme'])
      await expect(sip(page, at).getByLabel(flag)).toBeChecked()
    for (const flag of ['Inbound', 'Active']) await expect(sip(page, at).getByLabel(flag)).not.toBeChecked()
    await remove(at).click()
    const question = page.getByRole('dialog', { name: 'Delete SIP gateway?' })
    await expect(question).toContainText('sip.telco.example will be deleted immediately')
    await question.getByRole('button', { name: 'Delete gateway' }).click()
    await expectToast(page, 'SIP gateway successfully deleted')
    await expect(sip(page, 2)).toHaveCount(0)
    await expect(sip(page, 1).getByLabel(address)).toHaveValue('10.1.1.1')
    expect(await fetchSipGateways(api, own)).toHaveLength(1)
    await expect(page.getByLabel('Tech prefix')).toHaveValue('999')
    await expect(unsavedChanges(page)).toBeVisible()
    await page.getByLabel('Tech prefix').fill('')
    await expect(unsavedChanges(page)).toHaveCount(0)
  })

  test('saves and keeps the ICE and DTLS settings of outbound TLS gateways', async ({ page, api, tenant, open }) => {
    const { service_provider_sid } = tenant
    const gateway = {
      ipv4: 'sip.telco.example',
      inbound: false,
      outbound: true,
      protocol: 'tls/srtp',
      remove_ice: true,
    }
    const sid = await makeCarrier(api, { name: 'With media flags', service_provider_sid }, [gateway])
    const path = `/internal/carriers/${sid}/edit`
    await open(path)
    const removeIce = sip(page, 1).getByLabel('Remove ICE')
    const dtlsOff = sip(page, 1).getByLabel('DTLS off')
    await openOptions(sip(page, 1), 1)
    await expect(removeIce).toBeChecked()
    await expect(dtlsOff).not.toBeChecked()
    // A change of another field keeps both.
    await sip(page, 1).getByLabel('Port').fill('5062')
    await save(page).click()
    await expectToast(page, 'Carrier updated successfully')
    expect(await fetchSipGateways(api, sid)).toMatchObject([{ port: 5062, remove_ice: 1, dtls_off: 0 }])
    await open(path)
    await openOptions(sip(page, 1), 1)
    await removeIce.uncheck()
    await dtlsOff.check()
    await save(page).click()
    await expectToast(page, 'Carrier updated successfully')
    expect(await fetchSipGateways(api, sid)).toMatchObject([{ port: 5062, remove_ice: 0, dtls_off: 1 }])
    await open(path)
    await openOptions(sip(page, 1), 1)
    await expect(dtlsOff).toBeChecked()
    await sip(page, 1).getByLabel('Protocol').selectOption('UDP')
    await expect(dtlsOff).toHaveCount(0)
  })

  test('CARRIERS-41 CARRIERS-42 CARRIERS-52 CARRIERS-53 saves credentials and gateways of both directions on the SMS tab', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { own } = await makeCarriers(api, tenant)
    await open(`/internal/carriers/${own}/edit`)
    await tab(page, 'SMS').click()
    await page.getByLabel('Outbound System ID').fill('us')
    await page.getByLabel('Outbound SMPP password', { exact: true }).fill('to-them-1')
    await page.getByLabel('Inbound System ID').fill('them')
    await page.getByLabel('Inbound SMPP password', { exact: true }).fill('to-us-12')
    await page.getByRole('button', { name: 'Add SMPP outbound gateway' }).click()
    await expect(smpp(page, 'outbound', 1).getByLabel('Port')).toHaveValue('2775')
    await smpp(page, 'outbound', 1).getByLabel(address).fill('smpp.telco.example')
    await smpp(page, 'outbound', 1).getByLabel('Use TLS').check()
    await smpp(page, 'outbound', 1).getByLabel('Primary').check()
    await page.getByRole('button', { name: 'Add SMPP inbound gateway' }).click()
    await smpp(page, 'inbound', 1).getByLabel(address).fill('10.3.3.3')
    await smpp(page, 'inbound', 1).getByLabel('Netmask').selectOption('/28')
    await save(page).click()
    await expectToast(page, 'Carrier updated successfully')
    expect(await fetchCarrier(api, own)).toMatchObject({
      smpp_system_id: 'us',
      smpp_password: 'XXXXXXXX',
      smpp_inbound_system_id: 'them',
      smpp_inbound_password: 'XXXXXXXX',
    })
    expect(await fetchSmppGateways(api, own)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ipv4: 'smpp.telco.example',
          port: 2775,
          use_tls: 1,
          is_primary: 1,
          outbound: 1,
          inbound: 0,
        }),
        expect.objectContaining({ ipv4: '10.3.3.3', netmask: 28, use_tls: 0, is_primary: 0, outbound: 0, inbound: 1 }),
      ]),
    )

    await open(`/internal/carriers/${own}/edit`)
    await tab(page, 'SMS').click()
    await expect(page.getByLabel('Outbound System ID')).toHaveValue('us')
    await expect(page.getByLabel('Inbound System ID')).toHaveValue('them')
    await expect(smpp(page, 'outbound', 1).getByLabel(address)).toHaveValue('smpp.telco.example')
    await expect(smpp(page, 'inbound', 1).getByLabel(address)).toHaveValue('10.3.3.3')
    await expect(smpp(page, 'inbound', 1).getByLabel('Netmask')).toHaveValue('28')
    for (const flag of ['Use TLS', 'Primary']) {
      await expect(smpp(page, 'outbound', 1).getByLabel(flag)).toBeChecked()
      await expect(smpp(page, 'inbound', 1).getByLabel(flag)).not.toBeChecked()
    }
    for (const direction of ['outbound', 'inbound'] as const) {
      await page.getByRole('button', { name: `Delete SMPP ${direction} gateway 1` }).click()
      const question = page.getByRole('dialog', { name: `Delete SMPP ${direction} gateway?` })
      await question.getByRole('button', { name: 'Delete gateway' }).click()
      await expectToast(page, `SMPP ${direction} gateway successfully deleted`)
      await expect(smpp(page, direction, 1)).toHaveCount(0)
    }
    expect(await fetchSmppGateways(api, own)).toEqual([])
  })

  test('CARRIERS-44 CARRIERS-46 CARRIERS-47 CARRIERS-48 CARRIERS-49 opens the SMS tab if it contains an error', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { own } = await makeCarriers(api, tenant)
    await open(`/internal/carriers/${own}/edit`)
    await tab(page, 'SMS').click()
    const add = (direction: string) => page.getByRole('button', { name: `Add SMPP ${direction} gateway` }).click()
    await page.getByLabel('Inbound SMPP password', { exact: true }).fill('to-us-12')
    await add('outbound')
    await smpp(page, 'outbound', 1).getByLabel(address).fill('telco.example')
    await tab(page, 'Voice').click()
    await save(page).click()
    await expect(tab(page, 'SMS')).toHaveAttribute('aria-selected', 'true')
    await expect(smpp(page, 'outbound', 1).getByLabel(address)).toBeFocused()
    const outbound = smpp(page, 'outbound', 1)
    await expect(
      outbound.getByText('When using an FQDN, you must use a subdomain (e.g. smpp.telco.example).'),
    ).toBeVisible()
    await outbound.getByLabel(address).fill('nowhere')
    await expect(
      outbound.getByText('Please provide a valid outbound IP address or fully qualified domain name.'),
    ).toBeVisible()
    await add('inbound')
    await smpp(page, 'inbound', 1).getByLabel(address).fill('smpp.telco.example')
    await expect(
      smpp(page, 'inbound', 1).getByText('Please provide a valid inbound IP address or fully qualified domain name.'),
    ).toBeVisible()
    for (const direction of ['outbound', 'inbound'] as const) {
      await smpp(page, direction, 1).getByLabel(address).fill('10.4.4.4')
      await add(direction)
      await smpp(page, direction, 2).getByLabel(address).fill('10.4.4.4')
      await expect(
        smpp(page, direction, 2).getByText(`Each ${direction} SMPP gateway must have a unique IP address.`),
      ).toBeVisible()
    }
  })

  test("CARRIERS-50 CARRIERS-54 requires a gateway for outbound credentials, and shows the platform's addresses", async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { own } = await makeCarriers(api, tenant)
    const { service_provider_sid } = tenant
    await api.send('POST', '/Sbcs', { ipv4: '203.0.113.7', port: 5070, service_provider_sid })
    await api.send('POST', '/Smpps', { ipv4: '203.0.113.8', port: 2776, use_tls: true, service_provider_sid })
    await open(`/internal/carriers/${own}/edit`)
    await page.getByText('Have your carrier send calls to these addresses').click()
    await expect(page.getByRole('listitem').filter({ hasText: '203.0.113.7:5070' })).toBeVisible()
    await tab(page, 'SMS').click()
    await page.getByText('Have your carrier send messages to these addresses').click()
    await expect(page.getByRole('listitem').filter({ hasText: '203.0.113.8:2776' })).toContainText('(TLS)')
    await page.getByLabel('Outbound System ID').fill('us')
    await tab(page, 'Voice').click()
    await save(page).click()
    const gatewayError = page.getByText('You must provide at least one Outbound Gateway.')
    await expect(gatewayError).toBeVisible()
    await page.getByRole('button', { name: 'Add SMPP outbound gateway' }).click()
    await expect(gatewayError).toHaveCount(0)
  })

  test('CARRIERS-09 ROLES-23 COMMON-16 creates a predefined carrier after a confirmation, for all accounts or for one', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const templates = (await api.send('GET', '/PredefinedCarriers')).body as any[]
    const [first, second] = templates
    await open('/internal/carriers/add')
    const choice = page.getByLabel('Select a predefined carrier')
    await expect(choice.getByRole('option')).toHaveCount(templates.length + 1)
    await choice.selectOption(first.name)
    await expect(page.getByText('will be created for all accounts immediately')).toBeVisible()
    await page.getByRole('button', { name: `Create ${first.name}` }).click()
    await expect(page).toHaveURL(/\/internal\/carriers\/[\w-]{36}\/edit$/)
    await expect(page.getByLabel('Carrier name')).toHaveValue(first.name)
    await expect(usedBy(page)).toHaveValue('')
    await expect(page.getByLabel('Default application')).toHaveCount(0)

    const { token } = await api.person({
      service_provider_sid: tenant.service_provider_sid,
      account_sid: tenant.account_sid,
    })
    await open('/internal/carriers/add', token)
    await choice.selectOption(second.name)
    await page.getByRole('button', { name: `Create ${second.name}` }).click()
    await expect(page).toHaveURL(/\/internal\/carriers\/[\w-]{36}\/edit$/)
    const sid = new URL(page.url()).pathname.split('/')[3] ?? ''
    expect(await fetchCarrier(api, sid)).toMatchObject({ name: second.name, account_sid: tenant.account_sid })
    // Carriers of an account offer its applications, unless the configuration restricts this to admins.
    await expect(page.getByLabel('Default application')).toBeVisible()
    await page.route('**/config.json', (route) =>
      route.fulfill({ json: { extensions: [], switches: ['no-default-trunk-routing'] } }),
    )
    await open(`/internal/carriers/${sid}/edit`, token)
    await expect(page.getByLabel('Carrier name')).toHaveValue(second.name)
    await expect(page.getByLabel('Default application')).toHaveCount(0)
    const operator = await api.person({ service_provider_sid: tenant.service_provider_sid })
    await open(`/internal/carriers/${sid}/edit`, operator.token)
    await expect(page.getByLabel('Carrier name')).toHaveValue(second.name)
    await expect(page.getByLabel('Default application')).toHaveCount(0)
    await open(`/internal/carriers/${sid}/edit`)
    await expect(page.getByLabel('Default application')).toBeVisible()
  })

  test('reports a duplicate name before saving, and shows server errors at their fields', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { own } = await makeCarriers(api, tenant)
    await open(`/internal/carriers/${own}/edit`)
    await page.getByLabel('Carrier name').fill('shared TELCO')
    await save(page).click()
    await expect(
      page.getByText('The name you have entered is already in use on another one of your carriers.'),
    ).toBeVisible()
    await page.getByLabel('Carrier name').fill('Own telco')
    await page.getByRole('button', { name: 'Add SIP gateway' }).click()
    await sip(page, 2).getByLabel(address).fill('10.9.9.9')
    await page.route('**/patchbay/carriers/*', (route) =>
      route.fulfill({ status: 400, json: { msg: 'netmask too small', field: 'sip_gateways.0.netmask' } }),
    )
    await save(page).click()
    await expectToast(page, 'netmask too small')
    await expect(sip(page, 2).getByText('netmask too small')).toBeVisible()
    await expect(sip(page, 2).getByLabel('Netmask')).toBeFocused()
  })
})

test.describe("the platform's own server", () => {
  test('saves each part separately, reports the failed part, and sends only that part on the next Save', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    await onPlatform(page)
    const writes: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') writes.push(`${request.method()} ${new URL(request.url()).pathname.slice(8)}`)
    })
    let refuses = true
    await page.route('**/SipGateways', (route) =>
      refuses && route.request().postData()?.includes('10.5.5.2')
        ? route.fulfill({ status: 400, json: { msg: 'not this one' } })
        : route.continue(),
    )
    const { service_provider_sid } = tenant
    await open('/internal/carriers/add')
    await page.getByLabel('Carrier name').fill('Part by part')
    await sip(page, 1).getByLabel(address).fill('10.5.5.1')
    await page.getByRole('button', { name: 'Add SIP gateway' }).click()
    await sip(page, 2).getByLabel(address).fill('10.5.5.2')
    await save(page).click()
    await expectToast(page, 'Saved: SIP gateway 10.5.5.1. Not saved: SIP gateway 10.5.5.2 (not this one).')
    const createRequests = [
      `POST ServiceProviders/${service_provider_sid}/VoipCarriers`,
      'POST SipGateways',
      'POST SipGateways',
    ]
    expect(writes.splice(0)).toEqual(createRequests)
    refuses = false
    await save(page).click()
    await expectToast(page, 'Carrier created successfully')
    expect(writes.splice(0)).toEqual(['POST SipGateways'])
    const { data } = (await api.send('GET', `/ServiceProviders/${service_provider_sid}/VoipCarriers?page=1`)).body
    const [{ voip_carrier_sid }] = data
    expect(data).toHaveLength(1)

    refuses = true
    await page.getByRole('link', { name: 'Part by part', exact: true }).click()
    await page.getByLabel('Tech prefix').fill('777')
    await page.getByRole('button', { name: 'Add SIP gateway' }).click()
    await sip(page, 3).getByLabel(address).fill('10.5.5.20')
    await page.getByRole('button', { name: 'Add SIP gateway' }).click()
    await sip(page, 4).getByLabel(address).fill('10.5.5.4')
    await save(page).click()
    await expectToast(page, 'Saved: carrier, SIP gateway 10.5.5.4. Not saved: SIP gateway 10.5.5.20 (not this one).')
    refuses = false
    writes.length = 0
    await save(page).click()
    await expectToast(page, 'Carrier updated successfully')
    expect(writes).toEqual(['POST SipGateways'])
    expect(await fetchCarrier(api, voip_carrier_sid)).toMatchObject({ tech_prefix: '777' })
    const addresses = (await fetchSipGateways(api, voip_carrier_sid)).map(({ ipv4 }) => ipv4)
    expect(new Set(addresses)).toEqual(new Set(['10.5.5.1', '10.5.5.2', '10.5.5.20', '10.5.5.4']))
  })
})

for (const server of ['ours', "the platform's own"])
  test(`detects concurrent changes and asks which version to keep (server: ${server})`, async ({
    page,
    api,
    tenant,
    open,
  }) => {
    if (server !== 'ours') await onPlatform(page)
    const { own } = await makeCarriers(api, tenant)
    await open(`/internal/carriers/${own}/edit`)
    await page.getByLabel('Tech prefix').fill('777')
    await page.getByLabel('Description').fill('mine')
    await page.getByRole('button', { name: 'Add SIP gateway' }).click()
    await sip(page, 2).getByLabel(address).fill('10.6.6.6')
    await api.send('POST', '/SipGateways', { voip_carrier_sid: own, ipv4: '10.7.7.7', inbound: true })
    await api.send('PUT', `/VoipCarriers/${own}`, { description: 'theirs', diversion: 'elsewhere' })
    await save(page).click()
    const dialog = page.getByRole('dialog', { name: 'Another user changed this record' })
    await expect(dialog).toContainText('theirs')
    const gateways = dialog.getByRole('row').filter({ hasText: 'SIP gateways' })
    await expect(gateways).toContainText('10.7.7.7:5060')
    await expect(gateways).toContainText('10.6.6.6:5060')
    await dialog.getByRole('button', { name: 'Save my values' }).click()
    await expectToast(page, 'Carrier updated successfully')
    expect(await fetchCarrier(api, own)).toMatchObject({
      description: 'mine',
      diversion: 'elsewhere',
      tech_prefix: '777',
    })
  })

test.describe('with carriers restricted to operators', () => {
  test('lets view-only and account users look at carriers but not change them', async ({ page, api, tenant, open }) => {
    const { own } = await makeCarriers(api, tenant)
    const { service_provider_sid, account_sid } = tenant
    const viewer = await api.person({ service_provider_sid, is_view_only: true })
    await open(`/internal/carriers/${own}/edit`, viewer.token)
    await expect(page.getByLabel('Carrier name')).toHaveAttribute('readonly', '')
    await expect(save(page)).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Delete carrier' })).toHaveCount(0)
    const config = await (await page.request.get('/config.json')).json()
    await page.route('**/config.json', (route) =>
      route.fulfill({ json: { ...config, switches: [...config.switches, 'admin-carriers'] } }),
    )
    const user = await api.person({ service_provider_sid, account_sid })
    await open('/internal/carriers', user.token)
    await expect(page.getByRole('button', { name: 'Add carrier' })).toHaveAttribute('aria-disabled', 'true')
    await expect(page.getByRole('button', { name: 'Delete Own telco' })).toHaveAttribute('aria-disabled', 'true')
  })
})
