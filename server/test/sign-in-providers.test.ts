import { randomUUID } from 'node:crypto'
import type { Registered } from '@patchbay/contract/registration'
import {
  createPerson,
  createVisit,
  type FakeProvider,
  type Person,
  type Visit,
} from '@patchbay/testkit/fakes/sign-in-providers/consent'
import { startFakeGithub } from '@patchbay/testkit/fakes/sign-in-providers/github'
import { startFakeGoogle } from '@patchbay/testkit/fakes/sign-in-providers/google'
import { type Answer, createTestApi, type TestApi, type TestUser } from '@patchbay/testkit/test-api'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { countMentions, getMessage, getRow, sorted, statusAndMessage } from './fixtures.ts'

/** Sign-in and registration with Google and GitHub, including attempts to take over an account. */

const names = ['google', 'github'] as const
type Name = (typeof names)[number]

let api: TestApi
let fakes: Record<Name, FakeProvider>
let service_provider_sid: string
let withoutDomain: string
beforeAll(async () => {
  const [google, github] = await Promise.all([startFakeGoogle(), startFakeGithub()])
  fakes = { google, github }
  const providers = { ...google.environment, ...github.environment }
  api = await createTestApi({ JAMBONES_HOSTING: '1', PUBLIC_URL: 'https://console.example.org', ...providers })
  service_provider_sid = await api.provider()
  withoutDomain = await api.provider()
  await api.admin.put(`/ServiceProviders/${service_provider_sid}`, { root_domain: 'sip.example.org' })
})
afterAll(async () => {
  await api.close()
  await Promise.all([fakes.google.stop(), fakes.github.stop()])
})
afterEach(() => names.forEach((name) => fakes[name].behave('ok')))

let lastAddress = 0
const anAddress = () => `10.3.${(lastAddress += 1) >> 8}.${lastAddress & 255}`

const post = async (path: string, payload: object, token = '', remoteAddress = anAddress()): Promise<Answer> => {
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` }
  const response = await api.app.inject({ method: 'POST', url: `/v1${path}`, payload, headers, remoteAddress })
  return { status: response.statusCode, body: response.json(), text: response.body, headers: {} }
}

const visitTo = (name: Name, more: Partial<Visit> = {}): Visit =>
  createVisit({
    redirect_uri: `https://console.example.org/oauth-callback/${name}`,
    client_id: fakes[name].clientId,
    ...more,
  })

/** The request of the jambonz console, which uses neither nonce nor PKCE. */
const createJambonzPayload = (
  name: Name,
  code: string,
  { state, client_id, redirect_uri }: Visit,
  from = '/register',
) => ({
  service_provider_sid,
  provider: name,
  oauth2_code: code,
  oauth2_state: state,
  oauth2_client_id: client_id,
  oauth2_redirect_uri: redirect_uri,
  locationBeforeAuth: from,
})

/** The request of the Patchbay console. */
const payloadFor = (name: Name, code: string, visit: Visit, from?: string) => ({
  ...createJambonzPayload(name, code, visit, from),
  oauth2_code_verifier: visit.code_verifier,
  ...(name === 'google' ? { oauth2_nonce: visit.nonce } : {}),
})

interface Come {
  person: Person
  more?: object
  token?: string
  from?: string
}

/** A person consents at the provider and returns. */
const come = async (name: Name, { person, more = {}, token, from }: Come): Promise<Answer> => {
  fakes[name].seat(person)
  const visit = visitTo(name)
  const code = await fakes[name].consent(visit)
  return post('/register', { ...payloadFor(name, code, visit, from), ...more }, token)
}

const registeredBy = ({ status, body, text }: Answer): Registered => {
  if (status !== 200) throw new Error(`${status} ${text}`)
  // The app itself validates responses against the contract.
  return body as Registered
}

const userOfAccount = async (more: object = {}): Promise<TestUser & { account_sid: string; email: string }> => {
  const account_sid = await api.account(service_provider_sid)
  const user = await api.user({ service_provider_sid, account_sid, ...more })
  return { ...user, account_sid, email: `${user.name}@example.org` }
}

const change = (user_sid: string, columns: { provider?: string; provider_userid?: string; is_active?: 0 | 1 }) =>
  api.test.database.db.updateTable('users').set(columns).where('user_sid', '=', user_sid).execute()

describe.each(names)('by %s', (name) => {
  test('OAUTH-07 API-115 the request of jambonz creates an account, and GET Users/me shows that it has no SIP realm', async () => {
    const person = createPerson()
    fakes[name].seat(person)
    const visit = visitTo(name, { nonce: '', code_verifier: '' })
    const payload = createJambonzPayload(name, await fakes[name].consent(visit), visit)
    expect(Object.keys(payload).toSorted()).toEqual([
      'locationBeforeAuth',
      'oauth2_client_id',
      'oauth2_code',
      'oauth2_redirect_uri',
      'oauth2_state',
      'provider',
      'service_provider_sid',
    ])
    const answer = await post('/register', payload)
    expect(answer).toMatchObject({
      status: 200,
      body: {
        jwt: expect.any(String),
        account_sid: expect.any(String),
        root_domain: 'sip.example.org',
        name: person.email,
        email: person.email,
        provider: name,
        provider_userid: name === 'google' ? person.id : person.login,
        [name === 'google' ? 'picture' : 'avatar_url']: person.picture,
        pristine: true,
        is_active: true,
        email_validated: true,
      },
    })
    const { jwt, account_sid } = registeredBy(answer)
    const me = getRow(await api.as(jwt).get('/Users/me'))
    expect(me).toMatchObject({
      user: { email: person.email, provider: name },
      account: { account_sid, sip_realm: null, root_domain: 'sip.example.org', is_active: 1 },
    })
  })

  test('a returning person is signed in from every page, even with another name, address, and login', async () => {
    const person = createPerson()
    const first = registeredBy(await come(name, { person }))
    const moved = { ...createPerson(), id: person.id }
    for (const from of ['/register', '/sign-in']) {
      const again = registeredBy(await come(name, { person: moved, from }))
      expect(again).toMatchObject({ user_sid: first.user_sid, account_sid: first.account_sid, pristine: false })
      expect(again).not.toHaveProperty('root_domain')
      expect((await api.as(again.jwt).get('/Users/me')).status).toBe(200)
    }
  })

  test('no account is created from the sign-in page', async () => {
    const person = createPerson()
    const answer = await come(name, { person, from: '/sign-in' })
    expect(statusAndMessage(answer)).toEqual([404, 'registering a new account not allowed from the sign-in page'])
    expect(await countMentions(api, person.email)).toEqual({})
  })

  test('a service provider without a root domain accepts no registration', async () => {
    const answer = await come(name, { person: createPerson(), more: { service_provider_sid: withoutDomain } })
    expect(statusAndMessage(answer)).toEqual([422, `root_domain missing for service provider ${withoutDomain}`])
  })

  test.each(['oauth2_code', 'oauth2_state', 'oauth2_client_id', 'oauth2_redirect_uri'])(
    'without %s',
    async (member) => {
      const answer = await come(name, { person: createPerson(), more: { [member]: undefined } })
      expect(statusAndMessage(answer)).toEqual([400, `missing ${member} for provider ${name}`])
    },
  )

  test('a code that was used, belongs to another client or visit, or has another redirect is rejected', async () => {
    const person = createPerson()
    fakes[name].seat(person)
    const used = name === 'google' ? 'invalid grant' : 'bad verification code'
    const visit = visitTo(name)
    const code = await fakes[name].consent(visit)
    const payload = payloadFor(name, code, visit)
    expect((await post('/register', payload)).status).toBe(200)
    expect(statusAndMessage(await post('/register', payload))).toEqual([403, used])

    const fresh = async (more: object) => {
      const another = visitTo(name)
      const payloadForCode = payloadFor(name, await fakes[name].consent(another), another)
      return statusAndMessage(await post('/register', { ...payloadForCode, ...more }))
    }
    expect(await fresh({ oauth2_client_id: 'of-another' })).toEqual([
      400,
      'oauth2_client_id is not the one that is set here',
    ])
    expect(await fresh({ oauth2_code_verifier: visitTo(name).code_verifier })).toEqual([403, used])
    expect(await fresh({ oauth2_code_verifier: null })).toEqual([403, used])
    expect((await fresh({ oauth2_code_verifier: 'short' }))[0]).toBe(400)
    const elsewhere = 'oauth2_redirect_uri must be an address of this console'
    for (const oauth2_redirect_uri of [
      'https://evil.example.com/oauth-callback/google',
      'https://console.example.org@evil.example.com/',
      'https://console.example.org.evil.example.com/',
      'https://console.example.org/oauth-callback/google?next=https://evil.example.com',
      'javascript:alert(1)',
      'console',
    ])
      expect(await fresh({ oauth2_redirect_uri })).toEqual([400, elsewhere])
    const unregistered = { oauth2_redirect_uri: 'https://console.example.org/another' }
    expect(await fresh(unregistered)).toEqual([403, 'redirect uri mismatch'])
  })

  test('errors of the provider are reported and create nothing', async () => {
    const person = createPerson({ isVerified: false })
    expect(getMessage(await come(name, { person }))).toMatch(/has not verified your email address$/)
    fakes[name].seat(createPerson())
    const visit = visitTo(name)
    const payload = payloadFor(name, await fakes[name].consent(visit), visit)
    fakes[name].behave('nonsense')
    expect(statusAndMessage(await post('/register', payload))).toEqual([
      403,
      'The sign-in provider returned an unexpected response',
    ])
    expect(await countMentions(api, person.email)).toEqual({})
  })

  test('twenty concurrent sign-ins of the same person create one account', async () => {
    const person = createPerson()
    const answers = await Promise.all(Array.from({ length: 20 }, () => come(name, { person })))
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    const { db } = api.test.database
    expect(await db.selectFrom('users').select('name').where('email', '=', person.email).execute()).toHaveLength(1)
    expect(await db.selectFrom('accounts').select('name').where('name', '=', person.email).execute()).toHaveLength(1)
  })

  test('a deactivated user, or a user of a deactivated account, cannot sign in', async () => {
    const person = createPerson()
    const { user_sid } = registeredBy(await come(name, { person }))
    await change(user_sid, { is_active: 0 })
    expect(statusAndMessage(await come(name, { person }))).toEqual([403, 'Forbidden'])
  })
})

test('Google: the nonce of another visit is rejected', async () => {
  const answer = await come('google', { person: createPerson(), more: { oauth2_nonce: randomUUID() } })
  expect(statusAndMessage(answer)).toEqual([403, 'The sign-in provider returned an unexpected response'])
})

test('GitHub: taking over the login name of another person does not give access to the account', async () => {
  const first = createPerson()
  const { user_sid } = registeredBy(await come('github', { person: first }))
  const taker = createPerson({ login: first.login })
  expect(registeredBy(await come('github', { person: taker })).user_sid).not.toBe(user_sid)
  // This also applies to users that jambonz created without the GitHub user id.
  const old = await userOfAccount()
  const person = createPerson({ email: old.email })
  await change(old.sid, { provider: 'github', provider_userid: person.login })
  const another = await come('github', { person: createPerson({ login: person.login }), from: '/sign-in' })
  expect(another.status).toBe(404)
  expect(registeredBy(await come('github', { person, from: '/sign-in' })).user_sid).toBe(old.sid)
  const renamed = { ...createPerson(), id: person.id }
  expect(registeredBy(await come('github', { person: renamed, from: '/sign-in' })).user_sid).toBe(old.sid)
})

test('Google: a user created by jambonz is identified by the id', async () => {
  const old = await userOfAccount()
  const person = createPerson()
  await change(old.sid, { provider: 'google', provider_userid: person.id })
  expect(registeredBy(await come('google', { person, from: '/sign-in' })).user_sid).toBe(old.sid)
})

describe('a sign-in with the address of a local user', () => {
  const getTicket = (answer: Answer): string => String(getRow(answer)['link_ticket'])
  const link = (ticket: string, password: string) => post('/patchbay/sign-in-links', { ticket, password })

  test.each(['/register', '/sign-in'])('is linked after the password is verified, from %s', async (from) => {
    const user = await userOfAccount()
    const person = createPerson({ email: user.email.toUpperCase() })
    const refused = await come('google', { person, from })
    expect(statusAndMessage(refused)).toEqual([400, `user already exists with email ${person.email}`])
    const ticket = getTicket(refused)
    expect(ticket).toMatch(/^[\w-]{43}$/)
    expect(await countMentions(api, ticket)).toEqual({})
    expect(statusAndMessage(await link(ticket, 'a guess'))).toEqual([403, 'Forbidden'])
    const linked = registeredBy(await link(ticket, user.password))
    expect(linked).toMatchObject({ user_sid: user.sid, account_sid: user.account_sid, provider: 'google' })
    expect((await api.as(linked.jwt).get('/Users/me')).status).toBe(200)
    // The ticket works once. Afterwards, signing in needs no ticket, and the password remains valid.
    expect(statusAndMessage(await link(ticket, user.password))[0]).toBe(403)
    expect(registeredBy(await come('google', { person, from })).user_sid).toBe(user.sid)
    expect((await api.signIn(user.name, user.password)).status).toBe(200)
  })

  test('gives a ticket for a few attempts, for ten minutes, and until the next ticket', async () => {
    const user = await userOfAccount()
    const person = createPerson({ email: user.email })
    const over = 'The time to link the accounts has ended. Sign in with the provider again.'
    const first = getTicket(await come('github', { person }))
    const second = getTicket(await come('github', { person }))
    expect(statusAndMessage(await link(first, user.password))).toEqual([403, over])
    const { db } = api.test.database
    await db
      .updateTable('patchbay_link_tickets')
      .set({ expires_at: Date.now() - 1 })
      .execute()
    expect(statusAndMessage(await link(second, user.password))).toEqual([403, over])
    const third = getTicket(await come('github', { person }))
    const guesses = await Promise.all(Array.from({ length: 20 }, () => link(third, 'a guess')))
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([403]))
    expect(guesses.filter((answer) => getMessage(answer) === over).length).toBeGreaterThanOrEqual(15)
    expect(statusAndMessage(await link(third, user.password))).toEqual([403, over])
    expect(statusAndMessage(await link(randomUUID(), user.password))).toEqual([403, over])
  })

  test('counts wrong passwords like failed sign-ins and records them', async () => {
    const user = await userOfAccount()
    const person = createPerson({ email: user.email })
    for (let count = 0; count < 6; count += 1) await link(getTicket(await come('google', { person })), 'a guess')
    const ticket = getTicket(await come('google', { person }))
    expect((await link(ticket, user.password)).body).toMatchObject({ code: 'locked_out' })
    expect((await api.signIn(user.name, user.password, anAddress())).body).toMatchObject({ code: 'locked_out' })
    await api.services.trail.flush()
    const trail = await api.admin.get(`/patchbay/audit-trail?page=1&count=9&sid=${user.sid}&action=refused`)
    expect(trail.text).toContain('Login credentials are incorrect')
  })

  test('is limited per network and hour', async () => {
    const address = anAddress()
    const body = { ticket: 'x', password: 'y' }
    for (let count = 0; count < 60; count += 1)
      expect((await post('/patchbay/sign-in-links', body, '', address)).status).toBe(403)
    expect((await post('/patchbay/sign-in-links', body, '', address)).status).toBe(429)
    expect((await post('/patchbay/sign-in-links', body)).status).toBe(403)
  })

  test('is linked once by two concurrent requests', async () => {
    const user = await userOfAccount()
    const ticket = getTicket(await come('google', { person: createPerson({ email: user.email }) }))
    const answers = await Promise.all([link(ticket, user.password), link(ticket, user.password)])
    expect(sorted(answers.map(({ status }) => status))).toEqual(['200', '403'])
  })

  test('is offered to local users of accounts only', async () => {
    const ofProvider = await api.user({ service_provider_sid })
    const elsewhere = await userOfAccount()
    await change(elsewhere.sid, { provider: 'github', provider_userid: 'x' })
    for (const email of [`${ofProvider.name}@example.org`, elsewhere.email]) {
      const refused = await come('google', { person: createPerson({ email }) })
      expect(statusAndMessage(refused)).toEqual([400, `user already exists with email ${email}`])
      expect(refused.body).not.toHaveProperty('link_ticket')
    }
  })
})

describe('a signed-in user', () => {
  test('can link the identity, and all other sign-in methods remain valid', async () => {
    const user = await userOfAccount()
    const person = createPerson()
    const linked = registeredBy(await come('github', { person, token: user.caller.token }))
    expect(linked).toMatchObject({ user_sid: user.sid, account_sid: user.account_sid, email_validated: true })
    expect(linked).not.toHaveProperty('pristine')
    expect((await user.caller.get('/Users/me')).status).toBe(200)
    expect((await api.signIn(user.name, user.password)).status).toBe(200)
    expect(registeredBy(await come('github', { person })).user_sid).toBe(user.sid)
    // Another identity of the same provider replaces it.
    const second = createPerson()
    registeredBy(await come('github', { person: second, token: user.caller.token }))
    expect(registeredBy(await come('github', { person: second })).user_sid).toBe(user.sid)
    expect((await come('github', { person, from: '/sign-in' })).status).toBe(404)
  })

  test('cannot link an identity, or one with an address, of another user', async () => {
    const owner = createPerson()
    registeredBy(await come('google', { person: owner }))
    const user = await userOfAccount()
    const { token } = user.caller
    expect(statusAndMessage(await come('google', { person: owner, token }))).toEqual([
      422,
      'account already exists for this oauth user/provider',
    ])
    const email = (await userOfAccount()).email
    const refused = await come('google', { person: createPerson({ email }), token })
    expect(statusAndMessage(refused)).toEqual([400, `user already exists with email ${email}`])
    expect(refused.body).not.toHaveProperty('link_ticket')
  })

  test('must first change the password if required, and an invalid token is ignored', async () => {
    const user = await userOfAccount({ force_change: true })
    const { caller } = user
    expect(statusAndMessage(await come('google', { person: createPerson(), token: caller.token }))[0]).toBe(403)
    const person = createPerson()
    expect(registeredBy(await come('google', { person, token: 'made up' }))).toMatchObject({ pristine: true })
  })
})

test('deleting a user or an account deletes its links, and the person can register again', async () => {
  for (const what of ['Users', 'Accounts'] as const) {
    const person = createPerson()
    const first = registeredBy(await come('github', { person }))
    const sid = what === 'Users' ? first.user_sid : first.account_sid
    expect((await api.admin.delete(`/${what}/${sid}`)).status).toBe(204)
    const { db } = api.test.database
    const links = await db
      .selectFrom('patchbay_sign_in_links')
      .select('user_sid')
      .where('user_sid', '=', first.user_sid)
      .execute()
    expect(links).toEqual([])
    expect(registeredBy(await come('github', { person })).user_sid).not.toBe(first.user_sid)
  }
})

test('an installation without sign-in providers returns an error', async () => {
  const bare = await createTestApi({ JAMBONES_HOSTING: '1' })
  const service_provider = await bare.provider()
  const body = { provider: 'google', service_provider_sid: service_provider, oauth2_code: 'x' }
  expect(statusAndMessage(await bare.nobody.post('/register', body))).toEqual([
    422,
    'sign-in with google is not set up here',
  ])
  await bare.close()
})
