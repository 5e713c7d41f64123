import type { RunningServer } from '@patchbay/testkit/servers/server-process'
import type { Page } from '@playwright/test'
import { screens } from '../console/src/app/pages.ts'
import { accountList } from '../console/src/routes/accounts.ts'
import { alerts } from '../console/src/routes/alerts.ts'
import { createPassword } from '../console/src/routes/create-password.ts'
import { inboundExplainer } from '../console/src/routes/inbound-explainer.ts'
import { ownRouting } from '../console/src/routes/lcr.ts'
import { recentCalls } from '../console/src/routes/recent-calls.ts'
import { signIn } from '../console/src/routes/sign-in.ts'
import { expectNoFindings, inEachLayout, type Layout, layoutsOfTier, themes } from './support/axe.ts'
import { aCall, anAlert, writeAlerts, writeCalls, writeTracedCall } from './support/calls.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { expectPlainLanguage } from './support/plain-language.ts'
import { typeSignIn } from './support/sign-in.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'

/**
 * Checks every declared screen: plain texts, and in the layouts of the tier no accessibility violations and no horizontal
 * scrolling.
 */

/** Saves a screenshot to the folder in the environment variable PICTURES, if it is set. */
const picture = async (page: Page, name: string): Promise<void> => {
  const folder = process.env['PICTURES']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

/** Waits for a render with the new width, which happens after the next frame. */
const untilRendered = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))

/** Checks a page in each theme and width, and saves a screenshot. */
const look = async (page: Page, name: string): Promise<void> => {
  await expectPlainLanguage(page, name)
  const check = async ({ colorScheme, width, rules }: Layout) => {
    await untilRendered(page)
    const what = `${name}-${colorScheme}-${width}`
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
    await expectNoFindings(page, what, { rules })
    await expectToFit(page, what)
    await picture(page, what)
  }
  await inEachLayout(page, check, layoutsOfTier)
}

/** Checks a screen and each of its other tabs. */
const tour = async (page: Page, name: string): Promise<void> => {
  await look(page, name)
  const others = page.getByRole('main').getByRole('tab', { selected: false }).filter({ visible: true })
  // In reverse order, because nested tabs precede the tabs around them.
  for (const label of (await others.allInnerTexts()).toReversed()) {
    await page.getByRole('main').getByRole('tab', { name: label, exact: true }).click()
    await look(page, `${name}-${label.toLowerCase()}`)
  }
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

/** Steps that make all parts of a screen visible before it is checked. */
const prepare: Partial<Record<string, (page: Page) => Promise<void>>> = {
  [recentCalls.path]: (page) =>
    page
      .getByRole('button', { name: /^Call from/ })
      .first()
      .click(),
  [alerts.path]: (page) => page.getByRole('button', { name: 'Webhook failed:' }).click(),
  [inboundExplainer.path]: async (page) => {
    await page.getByLabel('Source address').fill('10.0.0.1')
    await page.getByLabel('Called number').fill('15083084809')
    await page.getByLabel('Called host').fill('nowhere.example.org')
    await page.getByRole('button', { name: 'Explain' }).click()
    await expect(page.getByRole('list', { name: 'Steps' })).toBeVisible()
  },
}

/** Creates an LCR of the account with invalid patterns. */
const makeRouting = async (api: Api, { account_sid, service_provider_sid }: Tenant): Promise<string> => {
  const carrier = await api.send('POST', '/VoipCarriers', { name: 'Carrier', service_provider_sid })
  const voip_carrier_sid: string = carrier.body.sid
  const routes = ['^44', '44', '(', '^44'].map((regex) => ({ regex, lcr_carrier_set_entries: [{ voip_carrier_sid }] }))
  const lcr = { name: 'Routing', account_sid, routes, default_voip_carrier_sid: voip_carrier_sid }
  return (await api.send('POST', '/patchbay/lcrs', lcr)).body.sid
}

/** Records for all screens: a tenant with a record of each kind, and the SIDs in the paths. */
type SeededTenant = Tenant & Readonly<Record<string, string>>

const furnish = async (server: RunningServer, api: Api): Promise<SeededTenant> => {
  const names = { providerName: 'Provider of everything', accountName: 'Account of everything' }
  const service_provider_sid = await api.provider(names.providerName)
  const account_sid = await api.account(service_provider_sid, { name: names.accountName })
  const tenant = { ...names, service_provider_sid, account_sid }
  await writeCalls(server.intakePort, tenant, [
    aCall({ answered: false, direction: 'outbound', attempted_at: Date.now() - 60_000 }),
  ])
  const { call_sid } = await writeTracedCall(server, tenant)
  await writeAlerts(server.intakePort, tenant, [
    anAlert({ vendor: 'google', target_sid: call_sid }),
    anAlert({ alert_type: 'alert-from-application', message: 'a long word '.repeat(30) }),
  ])
  const { user_sid } = await api.person({ account_sid })
  await api.send('PUT', `/Accounts/${account_sid}`, { sip_realm: `${account_sid}.example.org` })
  const create = async (collection: string, body: object): Promise<string> =>
    (await api.send('POST', `/${collection}`, body)).body.sid
  const voip_carrier_sid = await create('VoipCarriers', { name: 'Trunk', service_provider_sid })
  await create('SipGateways', { voip_carrier_sid, ipv4: '10.1.1.1', inbound: true })
  await create('SmppGateways', { voip_carrier_sid, ipv4: '10.1.1.2', outbound: true })
  const tenant_fqdn = `${account_sid}.example.org`
  const hook = { url: 'https://apps.example.org/call', username: 'u', password: 'p' }
  const app_json = '[{"verb":"say","text":"Hello"}]'
  const application = { name: 'Reception', account_sid, call_hook: hook, call_status_hook: hook, app_json }
  return {
    ...tenant,
    call_sid,
    user_sid,
    voip_carrier_sid,
    application_sid: await create('Applications', application),
    phone_number_sid: await create('PhoneNumbers', { number: '15083084809', account_sid, voip_carrier_sid }),
    client_sid: await create('Clients', { account_sid, username: 'reception', password: 'p4ssword' }),
    lcr_sid: await makeRouting(api, tenant),
    speech_credential_sid: await create(`ServiceProviders/${service_provider_sid}/SpeechCredentials`, {
      vendor: 'microsoft',
      api_key: 'k3y-of-a-tenant',
      region: 'westus',
    }),
    alert_destination_sid: await create('patchbay/alert-destinations', {
      name: 'On call',
      kind: 'email',
      target: 'operator@example.org',
      account_sid,
    }),
    ms_teams_tenant_sid: await create('MicrosoftTeamsTenants', { service_provider_sid, account_sid, tenant_fqdn }),
  }
}

/** The screens are not changed, so all tests of a worker share the same records. */
const seededTest = test.extend<object, { house: SeededTenant }>({
  house: [async ({ server, api }, use) => use(await furnish(server, api)), { scope: 'worker' }],
  tenant: async ({ house }, use) => use(house),
})

for (const screen of screens.filter(({ audience, path }) => audience === undefined && path !== ownRouting.path))
  seededTest(`${screen.title} has no accessibility findings`, async ({ page, open, house }) => {
    const path = screen.path.replaceAll(/\$(\w+)/g, (_, name: string) => house[name] ?? `the-house-lacks-${name}`)
    await open(path)
    await expect(page).toHaveURL(new RegExp(`${path}(\\?|$)`))
    await expect(page.locator('#page-title')).toBeVisible()
    await prepare[screen.path]?.(page)
    await tour(page, path.replaceAll(/\W+/g, '-').replace('-internal-', ''))
  })

for (const [name, path, title] of [
  ['sign-in', signIn.path, signIn.title],
  ['documentation', '/api/docs', 'Patchbay API'],
  ['not found', '/internal/nowhere', "That page doesn't exist."],
] as const)
  test(`${name} has no accessibility findings`, async ({ page, open }) => {
    if (name === 'not found') await open(path)
    else await page.goto(path)
    await expect(heading(page, title)).toBeVisible()
    if (name === 'documentation') await page.getByRole('button', { name: 'Open all' }).click()
    await look(page, name)
  })

test('the dialogs have no accessibility violations', async ({ page, open, api, tenant }) => {
  await open('/internal/accounts')
  await page.getByRole('button', { name: 'Add service provider' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectNoFindings(page, 'add a service provider')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: `Delete ${tenant.accountName}` }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectNoFindings(page, 'delete an account')
  const { token, user_sid } = await api.person()
  await open(`/internal/users/${user_sid}/edit`, token)
  for (const name of ['Change password', 'Delete user']) {
    await page.getByRole('button', { name }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expectNoFindings(page, name)
    await page.keyboard.press('Escape')
  }
  await makeRouting(api, tenant)
  await open('/internal/least-cost-routing')
  await page.getByRole('button', { name: 'Try a number' }).click()
  await page.getByLabel('Called number').fill('15083084809')
  await page.getByLabel('Account', { exact: true }).selectOption(tenant.account_sid)
  await expect(page.getByText('No route selects a carrier.')).toBeVisible()
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme })
    await expectNoFindings(page, 'try a number')
  }
})

test('the forced change of password has no accessibility findings', async ({ page, api, tenant }) => {
  const { name, password } = await api.person({ service_provider_sid: tenant.service_provider_sid, force_change: true })
  await page.goto(signIn.path)
  await typeSignIn(page, name, password)
  await expect(heading(page, createPassword.title)).toBeVisible()
  await look(page, 'create-password')
})

test('the open menu has no accessibility violations', async ({ page, open }) => {
  await page.setViewportSize({ width: 390, height: 900 })
  await open(accountList.path)
  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  await expectNoFindings(page, 'open menu')
  await expectToFit(page, 'open menu')
})
