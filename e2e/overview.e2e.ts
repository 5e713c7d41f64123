import { dayMs } from '@patchbay/contract/shared/durations'
import { google } from '@patchbay/testkit/fakes/speech/google'
import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { aCall, anAlert, writeAlerts, writeCalls } from './support/calls.ts'
import { hold } from './support/hold-requests.ts'
import { setRegisterStatus } from './support/seed-database.ts'
import { typeSignIn } from './support/sign-in.ts'
import { expect, test } from './support/test.ts'
import { fetchUnconditionally } from './support/unconditional-fetch.ts'

/** The overview: calls, problems with links to the screens that solve them, and the steps to a first call. */

const section = (page: Page, name: string) => page.getByRole('main').getByRole('region', { name, exact: true })
const step = (page: Page, name: string) =>
  section(page, 'Get ready for calls')
    .getByRole('listitem')
    .filter({ has: page.getByText(name, { exact: true }) })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const calls = (page: Page) => page.getByRole('table', { name: 'Recent calls' }).locator('tbody tr[data-row]')

test('is the first entry of the menu and the target of the logo, and has a shortcut', async ({ page, open }) => {
  await open('/internal/accounts')
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link').first()).toHaveText('Overview')
  await page.getByRole('link', { name: 'Patchbay', exact: true }).click()
  await expect(heading(page, 'Overview')).toBeFocused()
  await page.getByRole('link', { name: 'Accounts', exact: true }).click()
  await expect(heading(page, 'Accounts')).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await expect(heading(page, 'Overview')).toBeVisible()
  await expect(page).toHaveURL(/\/internal\/overview$/)
})

test('compares the calls of today with last week, and links each failure to exactly its calls', async ({
  page,
  tenant,
  server,
  open,
}) => {
  const now = Date.now()
  const failed = (sip_status: number, more = {}) => aCall({ answered: false, sip_status, ...more })
  const lastWeek = now - 7 * dayMs
  await writeCalls(server.intakePort, tenant, [
    aCall({ attempted_at: now }),
    failed(503, { attempted_at: now, from: '15550000001' }),
    failed(503, { attempted_at: now, from: '15550000002' }),
    failed(486, { attempted_at: now }),
    aCall({ attempted_at: lastWeek - 1000 }),
    failed(404, { attempted_at: lastWeek - 1000 }),
  ])
  await open('/internal/overview')
  const main = section(page, 'Calls')
  await expect(main.getByRole('link', { name: '4 attempts today' })).toBeVisible()
  await expect(main).toContainText('25.0 %')
  await expect(main).toContainText(/\+100 % from 2 on \w+day last week, up to this time/)
  await expect(main).toContainText('−25.0 points from 50.0 %')
  await expect(
    main.getByRole('img', { name: /^Calls of this hour and the 23 before: 4 attempts, 1 answered/ }),
  ).toBeVisible()
  const failures = main.getByRole('table', { name: 'Most frequent failures' })
  await expect(failures.locator('tbody tr')).toHaveCount(1)
  await expect(failures).toContainText(/503 Service Unavailable.*overloaded/)
  await failures.getByRole('link', { name: '2 calls that failed with 503' }).click()
  await expect(calls(page)).toHaveCount(2)
  await expect(calls(page).first()).toContainText('failed 503')
  await page.goBack()
  await main.getByRole('link', { name: '4 attempts today' }).click()
  await expect(calls(page)).toHaveCount(4)
})

/** Returns the names of the links in a section that begin with a number. */
const numberedLinks = async (page: Page, name: string): Promise<string[]> => {
  const links = await section(page, name).getByRole('link').all()
  const names = await Promise.all(
    links.map(async (link) => (await link.getAttribute('aria-label')) ?? (await link.innerText())),
  )
  return names.filter((text) => /^\d+ [a-z]/i.test(text))
}

test('each figure and sentence leads to a list of exactly its records, whatever the account of the lists was', async ({
  page,
  api,
  tenant,
  server,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const beside = { service_provider_sid, account_sid: await api.account(service_provider_sid) }
  const send = async (path: string, body: object) => expect((await api.send('POST', path, body)).status).toBe(201)
  const hook = { url: 'https://example.org', method: 'POST' }
  for (const owner of [tenant, beside]) {
    const { account_sid: owned } = owner
    await send('/Applications', {
      account_sid: owned,
      name: 'silent',
      call_hook: hook,
      call_status_hook: hook,
      speech_synthesis_vendor: 'deepgram',
    })
    await send('/PhoneNumbers', { account_sid: owned, number: owned.slice(0, 8) })
    const expires_at = new Date(Date.now() + 3 * dayMs).toISOString()
    await send('/ApiKeys', { account_sid: owned, expires_at })
    const failed = (sip_status: number) => aCall({ answered: false, sip_status, trunk: 'failing trunk' })
    const lastWeek = { attempted_at: Date.now() - 7 * dayMs - 1000 }
    await writeCalls(server.intakePort, owner, [
      ...[503, 503, 404, 0, 486].flatMap((status) => [failed(status), failed(status)]),
      aCall(),
      aCall(lastWeek),
      aCall({ ...lastWeek, answered: false }),
      aCall({ attempted_at: lastWeek.attempted_at - dayMs }),
    ])
  }
  await writeAlerts(server.intakePort, tenant, [anAlert({ message: 'one' }), anAlert({ message: 'another' })])
  const carriers = `/ServiceProviders/${service_provider_sid}/VoipCarriers`
  const registered = { requires_register: true, register_username: 'me', register_password: 'secret' }
  for (const name of ['waiting', 'refused', 'waiting too'])
    await send(carriers, { name, ...registered, register_sip_realm: 'example.org' })
  await send(carriers, { name: 'well' })
  const { body: listed } = await api.send('GET', carriers)
  const refused = (listed as { name: string; voip_carrier_sid: string }[]).find(({ name }) => name === 'refused')
  setRegisterStatus(server, refused?.voip_carrier_sid ?? '', { status: 'fail', reason: '403 Forbidden' })

  await open(`/internal/phone-numbers?account=${account_sid}`)
  await page.goto('/internal/overview')
  await expect(section(page, 'Calls').getByRole('link', { name: '22 attempts today' })).toBeVisible()
  const names = [...(await numberedLinks(page, 'Calls')), ...(await numberedLinks(page, 'Needs attention'))]
  expect(names).toEqual([
    '22 attempts today',
    expect.stringMatching(/^4 attempts on \w+day last week, up to this time$/),
    expect.stringMatching(/^2 answered today/),
    expect.stringMatching(/^2 answered on \w+day last week, up to this time$/),
    '8 calls that failed with 503',
    '4 calls that failed without a status',
    '4 calls that failed with 404',
    '1 carrier is not registered',
    '2 carriers have reported no registration, so they may not be registered',
    '2 applications use a speech service that is not configured',
    '2 phone numbers have no application',
    '2 API keys expire within 30 days',
    '2 new alerts',
  ])
  for (const name of names) {
    await page.getByRole('main').getByRole('link', { name, exact: true }).click()
    const [count = ''] = name.split(' ')
    await expect(page.getByRole('status').filter({ hasText: new RegExp(`^${count} [a-zA-Z ]+$`) })).toBeVisible()
    await page.goBack()
  }
  // The carrier that delivers too little is named with its attempts, which are the calls of its list.
  await expect(section(page, 'Needs attention')).toContainText('failing trunk 4 of 20 calls delivered')
  await section(page, 'Needs attention').getByRole('link', { name: 'failing trunk' }).click()
  await expect(calls(page)).toHaveCount(20)
  await page.goBack()
  // An hour of the chart leads to its calls.
  const hour = section(page, 'Calls').getByRole('slider', { name: 'Hour' })
  const [, attempts = ''] = /(\d+) attempts/.exec((await hour.getAttribute('aria-valuetext')) ?? '') ?? []
  await hour.press('Enter')
  await expect(calls(page)).toHaveCount(Number(attempts))
  // The filter is a chip, which can be removed.
  await page.goBack()
  await page.getByRole('link', { name: '2 phone numbers have no application' }).click()
  await page.getByRole('button', { name: 'Problem: no application: remove this filter' }).click()
  await expect(page).toHaveURL('/internal/phone-numbers')
})

test('shows the calls of an hour beside its bar, at the pointer and at the keyboard, and all of them in a table', async ({
  page,
  tenant,
  server,
  open,
}) => {
  await writeCalls(server.intakePort, tenant, [aCall(), aCall(), aCall({ answered: false, sip_status: 486 })])
  await open('/internal/overview')
  const hour = section(page, 'Calls').getByRole('slider', { name: 'Hour' })
  const values = hour.getByRole('term')
  await expect(values).toHaveCount(0)
  await hour.focus()
  await expect(hour).toHaveAttribute('aria-valuetext', /^\d\d:\d\d: 3 attempts, 2 answered$/)
  await expect(values).toHaveCount(3)
  await expect(hour).toContainText(/not overAttempts3Answered2/)
  await hour.press('ArrowLeft')
  await expect(hour).toContainText(/Attempts0Answered0/)
  await hour.press('Home')
  await expect(hour).toHaveAttribute('aria-valuenow', '0')
  await hour.press('End')
  await expect(hour).toHaveAttribute('aria-valuenow', '23')
  await hour.blur()
  await expect(values).toHaveCount(0)
  const box = await hour.boundingBox()
  await hour.hover({ position: { x: (box?.width ?? 0) - 3, y: 20 } })
  await expect(hour).toContainText(/Attempts3Answered2/)
  const rows = section(page, 'Calls').getByRole('table', { name: 'Calls per hour' }).getByRole('row')
  await expect(rows).toHaveCount(25)
  await expect(rows.last()).toHaveText(/^\d\d:\d\d32$/)
})

test('shows the setup steps of records that exist, with a link to the screen that completes each one', async ({
  page,
  api,
  tenant,
  server,
  open,
}) => {
  await open('/internal/overview')
  await expect(section(page, 'Get ready for calls')).toContainText('0 of 6 steps are done.')
  await step(page, 'Application').getByRole('link', { name: 'Add an application' }).click()
  await expect(heading(page, 'Add an application')).toBeVisible()
  const { account_sid, service_provider_sid } = tenant
  const application = await api.send('POST', '/Applications', {
    account_sid,
    name: 'ready',
    call_hook: { url: 'https://example.org', method: 'POST' },
    call_status_hook: { url: 'https://example.org', method: 'POST' },
  })
  expect(application.status).toBe(201)
  await page.goBack()
  await page.reload()
  await expect(step(page, 'Application')).toContainText(
    'The application names a speech service that the account does not have.',
  )
  await expect(step(page, 'Application')).not.toContainText('Done')
  for (const use of ['tts', 'stt'])
    expect(
      (
        await api.send('POST', `/Accounts/${account_sid}/SpeechCredentials`, {
          vendor: 'google',
          use_for_tts: use === 'tts',
          use_for_stt: use === 'stt',
          service_key: JSON.stringify(google.credential),
        })
      ).status,
    ).toBe(201)
  await page.reload()
  await expect(step(page, 'Application')).toContainText('Done')
  await expect(step(page, 'Application').getByRole('link')).toHaveCount(0)
  await expect(step(page, 'First call').getByRole('link', { name: 'Open recent calls' })).toBeVisible()
  // An answered call shows that the system is ready.
  await writeCalls(server.intakePort, { account_sid, service_provider_sid }, [aCall()])
  await page.reload()
  await expect(section(page, 'Calls')).toBeVisible()
  await expect(section(page, 'Get ready for calls')).toHaveCount(0)
})

test('tells account users who has to complete a step, and shows only what belongs to their account', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const beside = await api.account(tenant.service_provider_sid)
  for (const account_sid of [tenant.account_sid, beside])
    expect((await api.send('POST', '/PhoneNumbers', { account_sid, number: account_sid.slice(0, 8) })).status).toBe(201)
  const { token } = await api.person({
    account_sid: tenant.account_sid,
    service_provider_sid: tenant.service_provider_sid,
  })
  await open('/internal/overview', token)
  await expect(step(page, 'SIP addresses')).toContainText('An administrator of the platform has to do this.')
  await expect(step(page, 'SIP addresses').getByRole('link')).toHaveCount(0)
  await expect(step(page, 'Phone number').getByRole('link', { name: 'Add a phone number' })).toBeVisible()
  const main = section(page, 'Calls')
  await expect(main).toContainText('Not connected')
  await expect(main).toContainText('An administrator of the platform can connect it.')
  const attention = section(page, 'Needs attention')
  await expect(attention.getByText('1 phone number has no application')).toBeVisible()
  await attention.getByRole('link', { name: tenant.account_sid.slice(0, 8) }).click()
  await expect(page).toHaveURL(/\/phone-numbers\/[^/]+\/edit/)
})

test('names the setting that connects a missing source to administrators', async ({ page, open }) => {
  await open('/internal/overview')
  await expect(section(page, 'Calls')).toContainText('Set JAMBONES_REDIS_HOST on the server to connect it.')
})

test('lists problems with links to the records that solve them, and new alerts', async ({
  page,
  api,
  tenant,
  server,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const carrier = await api.send('POST', `/ServiceProviders/${service_provider_sid}/VoipCarriers`, {
    name: 'unregistered carrier',
    requires_register: true,
    register_username: 'me',
    register_password: 'secret',
    register_sip_realm: 'example.org',
  })
  expect(carrier.status).toBe(201)
  const failed = () => aCall({ answered: false, sip_status: 503, trunk: 'failing trunk' })
  await writeCalls(server.intakePort, tenant, Array.from({ length: 12 }, failed))
  await writeAlerts(server.intakePort, tenant, [anAlert()])
  const expires_at = new Date(Date.now() + 3 * dayMs).toISOString()
  expect((await api.send('POST', '/ApiKeys', { account_sid, name: 'Billing', expires_at })).status).toBe(201)
  await open('/internal/overview')
  const attention = section(page, 'Needs attention')
  const problem = (name: string) => attention.getByRole('list', { name })
  await expect(attention.getByText('1 API key expires within 30 days')).toBeVisible()
  await expect(attention.getByRole('link', { name: '1 new alert' })).toBeVisible()
  await expect(problem('1 carrier delivered fewer than half of its calls since yesterday (UTC)')).toContainText(
    'failing trunk 0 of 12 calls delivered',
  )
  await attention.getByRole('link', { name: 'Billing' }).click()
  await expect(page).toHaveURL('/internal/api-keys?filter=Billing')
  await page.goBack()
  await attention.getByRole('link', { name: 'failing trunk' }).click()
  await expect(calls(page)).toHaveCount(12)
  await page.goBack()
  await attention.getByRole('link', { name: 'unregistered carrier' }).click()
  await expect(page.getByLabel('Carrier name')).toHaveValue('unregistered carrier')
  await page.goBack()
  await attention.getByRole('link', { name: '1 new alert' }).click()
  await expect(heading(page, 'Alerts')).toBeVisible()
})

test('leads administrators from a certificate that expires to the system status', async ({ page, open }) => {
  const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString()
  const record = { sid: null, account_sid: null, detail: null, used: null, quantity: null }
  await page.route('**/overview?*', async (route) => {
    const response = await fetchUnconditionally(route)
    const records = [
      { ...record, name: 'console.example.org', expires_at: inDays(3.5) },
      { ...record, name: '192.0.2.10:5061', expires_at: inDays(-2.5) },
    ]
    const attention = [{ kind: 'certificate_expiring', count: records.length, records }]
    await route.fulfill({ response, json: { ...(await response.json()), attention } })
  })
  await open('/internal/overview')
  const title = '2 TLS certificates have expired or expire within 14 days'
  const certificates = section(page, 'Needs attention').getByRole('list', { name: title })
  await expect(certificates).toContainText('console.example.org expires in 3 days')
  await expect(certificates).toContainText('192.0.2.10:5061 expired 2 days ago')
  await page.getByRole('link', { name: title }).click()
  await expect(heading(page, 'System status')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'TLS certificates' })).toBeVisible()
})

test('leads administrators from a failed backup to the system status', async ({ page, open }) => {
  const reason = 'The backup cannot be written: /backups/a: the disk is full.'
  const record = { sid: null, account_sid: null, detail: reason, used: null, quantity: null, expires_at: null }
  await page.route('**/overview?*', async (route) => {
    const response = await fetchUnconditionally(route)
    const attention = [
      { kind: 'backup_failing', count: 1, records: [{ ...record, name: 'Backups of this installation' }] },
    ]
    await route.fulfill({ response, json: { ...(await response.json()), attention } })
  })
  await open('/internal/overview')
  const title = '1 scheduled backup has failed or is overdue'
  const backups = section(page, 'Needs attention').getByRole('list', { name: title })
  await expect(backups).toContainText('Backups of this installation')
  await expect(backups).toContainText(reason)
  await page.getByRole('link', { name: title }).click()
  await expect(heading(page, 'System status')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Scheduled backups' })).toBeVisible()
  await expect(page.getByText('No backups are scheduled.')).toBeVisible()
})

test('shows placeholders while it loads, an error with Retry after a failure, and that there is no problem', async ({
  page,
  open,
}) => {
  const release = await hold(page, '**/overview?*')
  await open('/internal/overview')
  await expect(page.getByRole('main').getByText('Loading…')).toBeAttached()
  await page.route('**/overview?*', (route) => route.fulfill({ status: 500, json: { msg: 'Out of order' } }))
  release()
  await page.reload()
  await expect(page.getByRole('main').getByText('Out of order')).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(section(page, 'Needs attention')).toContainText('No problems found.')
  await expect(section(page, 'Calls')).toContainText('No call failed.')
})

test('refreshes every 30 seconds while the page is visible, and not while it is hidden', async ({
  page,
  tenant,
  server,
  open,
}) => {
  await page.clock.install()
  await open('/internal/overview')
  const attempts = section(page, 'Calls').getByRole('link', { name: /attempts? today$/ })
  await expect(attempts).toHaveText('0')
  await writeCalls(server.intakePort, tenant, [aCall()])
  await page.clock.runFor(31_000)
  await expect(attempts).toHaveText('1')
  const setVisibility = (state: string) =>
    page.evaluate((visibility) => {
      Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true })
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    }, state)
  await setVisibility('hidden')
  const requested: string[] = []
  page.on('request', (request) => void requested.push(request.url()))
  await page.clock.runFor(120_000)
  expect(requested.filter((url) => url.includes('/overview'))).toEqual([])
  await setVisibility('visible')
  await expect.poll(() => requested.some((url) => url.includes('/overview'))).toBe(true)
})

test('opens after signing in for users who choose it as their start page, and not for others', async ({
  page,
  api,
  tenant,
}) => {
  const { name, password } = await api.person({ service_provider_sid: tenant.service_provider_sid })
  const preferences = page.getByRole('dialog', { name: 'Preferences' })
  const openPreferences = () => page.getByRole('button', { name: 'Preferences' }).click()
  await page.goto(api.url)
  await typeSignIn(page, name, password)
  await expect(heading(page, 'Accounts')).toBeVisible()
  await openPreferences()
  await preferences.getByLabel('Start page').selectOption('Overview')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await typeSignIn(page, name, password)
  await expect(heading(page, 'Overview')).toBeVisible()
  await openPreferences()
  await preferences.getByLabel('Start page').selectOption('Accounts')
  await page.goto(`${api.url}/internal`)
  await expect(heading(page, 'Accounts')).toBeVisible()
})

test('the start screens show the setup steps in compact form until users can make calls', async ({
  page,
  api,
  tenant,
  server,
  open,
}) => {
  const { account_sid, service_provider_sid } = tenant
  const notice = page.getByRole('main').getByRole('region', { name: 'Get ready for calls' })
  const openStart = async (token?: string) => {
    // At the first visit, the notice is not shown if its data arrives after the screen has opened.
    await open('/internal', token)
    await page.waitForLoadState('networkidle')
    await page.reload()
  }
  await openStart()
  await expect(page).toHaveURL(/\/internal\/accounts$/)
  await expect(notice).toContainText('0 of 6 steps are done.')
  await expect(notice.getByRole('listitem')).toHaveCount(6)
  await expect(notice.getByRole('listitem').first()).toHaveText('SIP addresses: Open')
  await expectNoFindings(page, 'setup notice')
  const answer = await hold(page, '**/overview?*')
  await page.reload()
  await expect(notice).toContainText('0 of 6 steps are done.')
  const carrier = { name: 'Telco', service_provider_sid }
  await api.send('POST', '/patchbay/carriers', { carrier, sip_gateways: [{ ipv4: '10.1.1.1', inbound: true }] })
  answer()
  await expect(notice).toContainText('1 of 6 steps are done.')
  await notice.getByRole('link', { name: 'Show the steps' }).click()
  await expect(heading(page, 'Overview')).toBeVisible()

  const { token } = await api.person({ account_sid, service_provider_sid })
  await openStart(token)
  await expect(page).toHaveURL(new RegExp(`/internal/accounts/${account_sid}/edit$`))
  await writeCalls(server.intakePort, tenant, [aCall()])
  await open('/internal', token)
  await expect(page.getByLabel('Account name')).toBeVisible()
  await page.waitForLoadState('networkidle')
  await expect(notice).toHaveCount(0)
})
