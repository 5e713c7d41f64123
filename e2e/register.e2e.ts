import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { closeDialog, copyRequest, readCode } from './support/copied-requests.ts'
import { hold } from './support/hold-requests.ts'
import {
  anEmail,
  aVisitor,
  codeFor,
  expect,
  hostedProvider,
  rootDomain,
  test,
  visitorsPassword,
} from './support/hosted-fixtures.ts'
import { readCurlRequests } from './support/run-code.ts'
import { typeSignIn } from './support/sign-in.ts'
import { expectToast } from './support/toasts.ts'

/** Visitors of a hosted installation, from the sign-in page to an account with its own subdomain. */

const aSubdomain = () => `acme-${crypto.randomUUID().slice(0, 8)}`

const inStorage = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key)

const registerByEmail = async (page: Page, email: string, password = visitorsPassword) => {
  await page.goto('/register/email')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('REGISTER-01 AUTH-03 NAV-09 links from the sign-in page to the registration, which requires accepting the terms first', async ({
  page,
}) => {
  await page.goto('/')
  await page.getByRole('link', { name: 'Register' }).click()
  await expect(page).toHaveURL('/register')
  await expect(page.getByRole('heading', { name: 'Register' })).toBeVisible()
  const ways = [
    page.getByRole('link', { name: 'Sign Up With Email' }),
    page.getByRole('button', { name: 'Sign Up With Google' }),
    page.getByRole('button', { name: 'Sign Up With Github' }),
  ]
  for (const way of ways) await expect(way).toBeHidden()
  await expect(page.getByRole('link', { name: 'Terms of Service' })).toHaveAttribute(
    'href',
    'https://jambonz.org/terms',
  )
  await expect(page.getByRole('link', { name: 'Privacy Policy' })).toHaveAttribute(
    'href',
    'https://jambonz.org/privacy',
  )
  const terms = page.getByRole('checkbox')
  await terms.check()
  for (const way of ways) await expect(way).toBeVisible()
  await expectNoFindings(page, 'registering')
  await terms.uncheck()
  for (const way of ways) await expect(way).toBeHidden()
})

test('REGISTER-02 REGISTER-03 NAV-10 COMMON-06 requires address and password, and sends them with the service provider', async ({
  page,
  mails,
}) => {
  await page.goto('/register/email')
  await expect(page.getByRole('button', { name: 'Go back' })).toBeVisible()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('Enter an email address')).toBeVisible()
  await expect(page.getByText('Enter a password')).toBeVisible()
  await page.getByLabel('Email').fill('nobody')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('Enter an email address such as name@example.com')).toBeVisible()

  const email = anEmail()
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('password must be at least 6 characters')).toBeVisible()
  await expect(page).toHaveURL('/register/email')
  await page.getByLabel('Password', { exact: true }).fill(visitorsPassword)
  const [request] = await Promise.all([
    page.waitForRequest((candidate) => candidate.url().endsWith('/register') && candidate.method() === 'POST'),
    page.getByRole('button', { name: 'Continue' }).click(),
  ])
  expect(request.postDataJSON()).toEqual({
    service_provider_sid: hostedProvider,
    provider: 'local',
    email,
    password: visitorsPassword,
    // The server generates the code.
    email_activation_code: '',
    inviteCode: '',
  })
  await codeFor(mails, email)
})

test('REGISTER-04 REGISTER-05 REGISTER-06 COMMON-71 NAV-11 registers a visitor step by step', async ({
  page,
  api,
  mails,
}) => {
  const email = anEmail()
  await registerByEmail(page, email)
  await expect(page).toHaveURL('/register/email/verify-your-email')
  await expect(page.getByText('Please enter the code we just sent to your email')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Go back' })).toBeVisible()
  expect(await inStorage(page, 'root-domain')).toBe(rootDomain)
  expect(await inStorage(page, 'token')).toMatch(/^ey/)
  await expectNoFindings(page, 'verifying an address')

  await page.getByLabel('Verification Code').fill(await codeFor(mails, email))
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL('/register/choose-a-subdomain')
  await expect(page.getByText(`.${rootDomain}`, { exact: true })).toBeVisible()
  const name = aSubdomain()
  await page.getByRole('textbox', { name: 'Subdomain' }).fill(name)
  await page.getByRole('button', { name: 'Complete Registration →' }).click()
  await expect(page).toHaveURL(/\/internal\/accounts\/[\w-]+\/edit$/)
  const me = await api.send('GET', '/Users/me', undefined, (await inStorage(page, 'token')) ?? '')
  expect(me.body.account.sip_realm).toBe(`${name}.${rootDomain}`)
})

test('REGISTER-07 REGISTER-08 requires a code, shows the server’s message for a wrong one, and sends another on request', async ({
  page,
  mails,
}) => {
  const email = anEmail()
  await registerByEmail(page, email)
  const first = await codeFor(mails, email)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('Enter the code', { exact: true })).toBeVisible()
  await page.getByLabel('Verification Code').fill(first === '123456' ? '654321' : '123456')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('invalid user or activation code')).toBeVisible()
  await expect(page).toHaveURL('/register/email/verify-your-email')

  await page.getByRole('button', { name: 'Send another code' }).click()
  await expectToast(page, 'A new code was sent. The previous code no longer works.')
  await page.getByLabel('Verification Code').fill(await codeFor(mails, email))
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL('/register/choose-a-subdomain')
})

test('redirects to the first step if the step of the code or of the subdomain is opened directly', async ({ page }) => {
  await page.goto('/register/email/verify-your-email')
  await expect(page).toHaveURL('/register/email')
  await page.goto('/register/choose-a-subdomain')
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
})

test('SUBDOMAIN-01 SUBDOMAIN-02 SUBDOMAIN-03 SUBDOMAIN-04 NAV-12 validates a subdomain during typing', async ({
  page,
  api,
  mails,
  open,
}) => {
  const { token } = await aVisitor(api, mails)
  await open('/register/choose-a-subdomain', token)
  await expect(
    page.getByText(
      'This will be the FQDN where your carrier sends calls, and where your devices register. You can change it at any time.',
    ),
  ).toBeVisible()
  await expect(page.getByText(`.${rootDomain}`, { exact: true })).toBeVisible()
  const complete = page.getByRole('button', { name: 'Complete Registration →' })
  await expect(complete).toHaveAttribute('aria-disabled', 'true')
  const subdomain = page.getByRole('textbox', { name: 'Subdomain' })
  for (const [wrong, why] of [
    ['ab', 'must be at least 3 characters long'],
    ['a_b', 'can contain only letters from a to z, digits, and hyphens'],
    ['-ab', 'must not start or end with a hyphen'],
  ] as const) {
    await subdomain.fill(wrong)
    await expect(page.getByRole('status').filter({ hasText: why })).toBeVisible()
    await expect(page.getByRole('img', { name: 'not valid' })).toBeVisible()
    await expect(complete).toHaveAttribute('aria-disabled', 'true')
  }
  await subdomain.fill(aSubdomain())
  await expect(page.getByRole('img', { name: 'valid', exact: true })).toBeVisible()
  await expect(complete).not.toHaveAttribute('aria-disabled')
  await expectNoFindings(page, 'choosing a subdomain')
})

test('SUBDOMAIN-05 SUBDOMAIN-06 SUBDOMAIN-07 SUBDOMAIN-08 checks the availability half a second after the last keystroke', async ({
  page,
  api,
  mails,
  open,
}) => {
  const taken = aSubdomain()
  const before = await aVisitor(api, mails)
  await api.send('POST', `/Accounts/${before.account_sid}/SipRealms/${taken}.${rootDomain}`, undefined, before.token)

  const { token, account_sid } = await aVisitor(api, mails)
  const availabilityRequests: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname.endsWith('/Availability')) availabilityRequests.push(url.searchParams.get('value') ?? '')
  })
  await page.clock.install()
  await open('/register/choose-a-subdomain', token)
  const subdomain = page.getByRole('textbox', { name: 'Subdomain' })
  await expect(subdomain).toBeVisible()
  await page.clock.pauseAt(Date.now() + 60_000)
  for (const key of taken) {
    await subdomain.press(key)
    await page.clock.runFor(450)
  }
  expect(availabilityRequests).toEqual([])
  await page.clock.runFor(50)
  await expect(page.getByText(`${taken}.${rootDomain} is taken.`)).toBeVisible()
  expect(availabilityRequests).toEqual([`${taken}.${rootDomain}`])
  const complete = page.getByRole('button', { name: 'Complete Registration →' })
  await expect(complete).toHaveAttribute('aria-disabled', 'true')

  const free = aSubdomain()
  await subdomain.fill(free)
  await page.clock.runFor(500)
  await expect(page.getByText(`${free}.${rootDomain} is available.`)).toBeVisible()
  await page.clock.resume()
  await complete.click()
  await expect(page).toHaveURL(`/internal/accounts/${account_sid}/edit`)
})

test('reports at the field that another user has taken the subdomain', async ({ page, api, mails, open }) => {
  const subdomainName = aSubdomain()
  const { token } = await aVisitor(api, mails)
  await open('/register/choose-a-subdomain', token)
  await page.getByRole('textbox', { name: 'Subdomain' }).fill(subdomainName)
  await expect(page.getByText(`${subdomainName}.${rootDomain} is available.`)).toBeVisible()
  const other = await aVisitor(api, mails)
  await api.send(
    'POST',
    `/Accounts/${other.account_sid}/SipRealms/${subdomainName}.${rootDomain}`,
    undefined,
    other.token,
  )
  await page.getByRole('button', { name: 'Complete Registration →' }).click()
  await expect(page.getByRole('textbox', { name: 'Subdomain' })).toHaveAttribute('aria-invalid', 'true')
  await expect(page).toHaveURL('/register/choose-a-subdomain')
})

test('SUBDOMAIN-09 NAV-47 changes the SIP realm on its own screen, and returns to the account', async ({
  page,
  api,
  mails,
  open,
}) => {
  const { token, account_sid } = await aVisitor(api, mails)
  const own = aSubdomain()
  await api.send('POST', `/Accounts/${account_sid}/SipRealms/${own}.${rootDomain}`, undefined, token)
  await open(`/internal/accounts/${account_sid}/sip-realm/edit`, token)
  await expect(page.getByRole('heading', { name: 'Edit Sip Realm' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Cancel' })).toBeVisible()
  const subdomain = page.getByRole('textbox', { name: 'Subdomain' })
  await expect(subdomain).toHaveValue(own)
  await expect(page.getByText(`${own}.${rootDomain} is your current subdomain.`)).toBeVisible()
  const otherName = aSubdomain()
  await subdomain.fill('x')
  await expect(page.getByRole('img', { name: 'not valid' })).toBeVisible()
  await expect(copyRequest(page)).toHaveAttribute('aria-disabled', 'true')
  await subdomain.fill(otherName)
  await expect(page.getByRole('img', { name: 'valid', exact: true })).toBeVisible()
  await expectNoFindings(page, 'editing the SIP realm')
  const requests = await readCurlRequests(await readCode(page), () => '')
  const requestPath = `/api/v1/Accounts/${account_sid}/SipRealms/${otherName}.${rootDomain}`
  expect(requests).toEqual([{ method: 'POST', path: requestPath, body: null }])
  await closeDialog(page)
  await page.getByRole('button', { name: 'Change Sip Realm' }).click()
  await expect(page).toHaveURL(`/internal/accounts/${account_sid}/edit`)
  const me = await api.send('GET', '/Users/me', undefined, token)
  expect(me.body.account.sip_realm).toBe(`${otherName}.${rootDomain}`)
})

test('AUTH-03 keeps the sign-in form in place while the other ways to sign in load', async ({ page }) => {
  const release = await hold(page, '**/hosted-options*.js')
  await page.goto('/')
  const button = page.getByRole('button', { name: 'Log in' })
  const before = await button.boundingBox()
  release()
  await expect(page.getByRole('link', { name: 'Register' })).toBeVisible()
  expect(await button.boundingBox()).toEqual(before)
})

test('AUTH-08 AUTH-09 opens the account after signing in until it has a SIP realm, and the applications afterwards', async ({
  page,
  api,
  mails,
}) => {
  const { email, token, account_sid } = await aVisitor(api, mails)
  await page.goto('/')
  await typeSignIn(page, email, visitorsPassword)
  await expect(page).toHaveURL(`/internal/accounts/${account_sid}/edit`)
  await api.send('POST', `/Accounts/${account_sid}/SipRealms/${aSubdomain()}.${rootDomain}`, undefined, token)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  const [, me] = await Promise.all([
    typeSignIn(page, email, visitorsPassword),
    page.waitForRequest((request) => request.url().endsWith('/Users/me')),
  ])
  expect(me.method()).toBe('GET')
  await expect(page).toHaveURL('/internal/applications')
})

test('NAV-53 COMMON-03 hides users from the menu of a hosted installation', async ({ page, api, mails, open }) => {
  const { token } = await aVisitor(api, mails)
  await open('/internal/applications', token)
  const menu = page.getByRole('navigation')
  await expect(menu.getByRole('link', { name: 'Applications' })).toBeVisible()
  await expect(menu.getByRole('link', { name: 'Users' })).toBeHidden()
})

test('reports slow and failing servers, and keeps the typed text', async ({ page, mails }) => {
  const email = anEmail()
  await page.route('**/register', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 500, json: { msg: 'no' } }) : route.continue(),
  )
  await registerByEmail(page, email)
  await expect(page.getByRole('alert').getByText('no')).toBeVisible()
  await page.unroute('**/register')
  const answer = await hold(page, '**/api/v1/register')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('button', { name: 'Continue' })).toHaveAttribute('aria-busy', 'true')
  await expect(page.getByLabel('Email')).toHaveValue(email)
  answer()
  await expect(page).toHaveURL('/register/email/verify-your-email')
  await codeFor(mails, email)
})
