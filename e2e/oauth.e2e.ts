import { createPerson } from '@patchbay/testkit/fakes/sign-in-providers/consent'
import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { aVisitor, expect, hostedProvider, rootDomain, test, visitorsPassword } from './support/hosted-fixtures.ts'
import { expectToast } from './support/toasts.ts'

/** Sign-in and registration with Google and GitHub, including all failures. */

const stored = (page: Page) =>
  page.evaluate(() => ({
    state: localStorage.getItem('oauth-state'),
    from: localStorage.getItem('location-before-oauth'),
    token: localStorage.getItem('token'),
    root: localStorage.getItem('root-domain'),
  }))

const atSignIn = (page: Page) => expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()

const beginAt = async (page: Page, from: '/' | '/register', button: string) => {
  await page.goto(from)
  if (from === '/register') await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: button }).click()
}

const consent = (page: Page) => page.getByRole('link', { name: 'Continue' }).click()

/** Returns the account of the signed-in user. */
const ownAccount = async (page: Page): Promise<string> => {
  await expect(page).toHaveURL(/\/internal\/accounts\/[\w-]+\/edit$/)
  return /accounts\/([\w-]+)\//.exec(page.url())?.[1] ?? ''
}

for (const [provider, name, button] of [
  ['google', 'Google', 'Google'],
  ['github', 'GitHub', 'Github'],
] as const) {
  test(`OAUTH-01 OAUTH-04 AUTH-05 AUTH-06 COMMON-70 a visitor registers by ${name}, and signs in by it again`, async ({
    page,
    api,
    providers,
  }) => {
    const person = createPerson()
    providers[provider].seat(person)
    await page.goto('/')
    await expect(page.getByRole('button', { name: `Sign In With ${button}` })).toBeVisible()
    await beginAt(page, '/register', `Sign Up With ${button}`)
    await expect(page.getByRole('heading', { name: `Sign in to ${name}` })).toBeVisible()
    const url = new URL(page.url())
    const authorizationParameters = Object.fromEntries(url.searchParams)
    expect(authorizationParameters).toMatchObject({
      client_id: providers[provider].clientId,
      redirect_uri: `${api.url}/oauth-callback/${provider}`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    // The stored values are read from a static page in another tab.
    const beside = await page.context().newPage()
    await beside.goto(`${api.url}/patchbay.svg`)
    expect(await stored(beside)).toMatchObject({ state: authorizationParameters['state'], from: '/register' })
    await beside.close()

    const [registration] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/register')),
      consent(page),
    ])
    // The console knows the ID from its configuration only.
    const { clientId } = providers[provider]
    const configuration = await (await page.request.get(`${api.url}/config.json`)).json()
    expect(configuration).toMatchObject({ hosting: { signInProviders: { [provider]: { clientId } } } })
    expect(registration.postDataJSON()).toMatchObject({ provider, oauth2_client_id: clientId })
    const account_sid = await ownAccount(page)
    expect(await stored(page)).toMatchObject({ state: null, from: null, root: rootDomain })
    const me = await api.send('GET', '/Users/me', undefined, (await stored(page)).token ?? '')
    expect(me.body).toMatchObject({ user: { email: person.email, provider }, account: { account_sid } })

    await page.getByRole('button', { name: 'Sign out' }).click()
    await atSignIn(page)
    await beginAt(page, '/', `Sign In With ${button}`)
    await expect(page.getByRole('heading', { name: `Sign in to ${name}` })).toBeVisible()
    const { state } = Object.fromEntries(new URL(page.url()).searchParams)
    expect(state).toMatch(/^[\w-]{43}$/)
    expect(state).not.toBe(authorizationParameters['state'])
    await consent(page)
    expect(await ownAccount(page)).toBe(account_sid)
  })
}

test('OAUTH-05 OAUTH-07 COMMON-08 opens the account of a user with a SIP realm, with a complete sign-in request', async ({
  page,
  api,
  providers,
}) => {
  providers.github.seat(createPerson())
  await beginAt(page, '/register', 'Sign Up With Github')
  await consent(page)
  const account_sid = await ownAccount(page)
  const { token } = await stored(page)
  const realm = `acme-${account_sid.slice(0, 8)}.${rootDomain}`
  await api.send('POST', `/Accounts/${account_sid}/SipRealms/${realm}`, undefined, token ?? '')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await atSignIn(page)
  await beginAt(page, '/', 'Sign In With Github')
  const [request] = await Promise.all([
    page.waitForRequest((candidate) => candidate.method() === 'POST' && candidate.url().endsWith('/register')),
    consent(page),
  ])
  expect(request.postDataJSON()).toEqual({
    service_provider_sid: hostedProvider,
    provider: 'github',
    oauth2_code: expect.stringMatching(/^\w+$/),
    oauth2_state: expect.stringMatching(/^[\w-]{43}$/),
    oauth2_client_id: providers.github.clientId,
    oauth2_redirect_uri: `${api.url}/oauth-callback/github`,
    oauth2_code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    locationBeforeAuth: '/sign-in',
  })
  expect(await ownAccount(page)).toBe(account_sid)
})

test('OAUTH-02 OAUTH-03 OAUTH-08 NAV-13 rejects an unknown provider, a different state, and a missing code', async ({
  page,
  providers,
}) => {
  const postRequests: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') postRequests.push(request.url())
  })
  await page.goto('/oauth-callback/twitter?code=1&state=2')
  await expectToast(page, 'twitter is not a valid OAuth provider')
  await atSignIn(page)
  await page.goto('/oauth-callback/google?code=1&state=2')
  await expectToast(page, 'Invalid state')
  await atSignIn(page)

  // The state of an earlier attempt is rejected, even with a valid code.
  providers.google.seat(createPerson())
  await beginAt(page, '/register', 'Sign Up With Google')
  const first = new URL(page.url())
  await beginAt(page, '/register', 'Sign Up With Google')
  await page.goto(first.href)
  await consent(page)
  await expectToast(page, 'Invalid state')
  await atSignIn(page)

  await beginAt(page, '/', 'Sign In With Google')
  const state = new URL(page.url()).searchParams.get('state') ?? ''
  await page.goto(`/oauth-callback/google?state=${state}`)
  await expectToast(page, 'Google did not sign you in')
  await atSignIn(page)
  expect(postRequests).toEqual([])
  expect((await stored(page)).token).toBeNull()
})

test('OAUTH-06 reports a denied consent, a missing account, and a failing provider, with a way back', async ({
  page,
  providers,
}) => {
  providers.github.seat(createPerson())
  await beginAt(page, '/', 'Sign In With Github')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expectToast(page, 'GitHub did not sign you in: The user has denied your application access.')
  await atSignIn(page)

  await beginAt(page, '/', 'Sign In With Github')
  await consent(page)
  await expectToast(page, 'registering a new account not allowed from the sign-in page')
  await atSignIn(page)

  await beginAt(page, '/register', 'Sign Up With Github')
  providers.github.seat(createPerson({ isVerified: false }))
  await consent(page)
  await expectToast(page, 'verified')
  await expect(page.getByRole('heading', { name: 'Register' })).toBeVisible()
})

test('rejects a code that is sent twice', async ({ page, providers }) => {
  providers.google.seat(createPerson())
  await beginAt(page, '/register', 'Sign Up With Google')
  const [back] = await Promise.all([
    page.waitForRequest((request) => request.url().includes('/oauth-callback/google?')),
    consent(page),
  ])
  await ownAccount(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await atSignIn(page)
  await page.goto(back.url())
  await expectToast(page, 'Invalid state')
  await atSignIn(page)
})

test('links an address to an existing password account with its password, and then accepts both ways to sign in', async ({
  page,
  api,
  mails,
  providers,
}) => {
  const visitor = await aVisitor(api, mails)
  providers.google.seat(createPerson({ email: visitor.email }))
  await beginAt(page, '/', 'Sign In With Google')
  await consent(page)
  const password = page.getByLabel('Password', { exact: true })
  await expect(page.getByText(`user already exists with email ${visitor.email}`)).toBeVisible()
  await expectNoFindings(page, 'linking Google')
  await password.fill('not the password')
  await page.getByRole('button', { name: 'Link Google' }).click()
  await expect(page.getByRole('alert').getByText('Forbidden')).toBeVisible()
  await password.fill(visitorsPassword)
  await page.getByRole('button', { name: 'Link Google' }).click()
  expect(await ownAccount(page)).toBe(visitor.account_sid)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await atSignIn(page)
  await beginAt(page, '/', 'Sign In With Google')
  await consent(page)
  expect(await ownAccount(page)).toBe(visitor.account_sid)
  expect(await api.signIn(visitor.email, visitorsPassword)).toMatch(/^ey/)
})
