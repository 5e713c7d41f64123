import { randomUUID } from 'node:crypto'
import type { Registered } from '@patchbay/contract/registration'
import { type MailServer, type Received, startMailServer } from '@patchbay/testkit/fakes/mail-server'
import { type Answer, createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { statusAndMessage } from './fixtures.ts'

/** Registration by email in a hosted installation, from the form to the new account. */

let mails: MailServer
let api: TestApi
let service_provider_sid: string
beforeAll(async () => {
  mails = await startMailServer()
  const mailing = { SMTP_URL: mails.url, MAIL_FROM: 'Patchbay <no-reply@example.org>' }
  api = await createTestApi({ JAMBONES_HOSTING: '1', ...mailing }, undefined, { mailRetryMs: [10] })
  service_provider_sid = await api.provider()
  await api.admin.put(`/ServiceProviders/${service_provider_sid}`, { root_domain: 'sip.example.org' })
})
afterAll(async () => {
  await api.close()
  await mails.stop()
})

const password = 'Visitors-0wn'
const anEmail = () => `visitor-${randomUUID()}@example.org`

/** Sends a request from a unique address, so that rate limits have no effect. */
let lastAddress = 0
const anAddress = () => `10.2.${(lastAddress += 1) >> 8}.${lastAddress & 255}`

const from = async (remoteAddress: string, method: 'POST' | 'PUT', path: string, payload: object): Promise<Answer> => {
  const response = await api.app.inject({ method, url: `/v1${path}`, payload, remoteAddress })
  return { status: response.statusCode, body: response.body && response.json(), text: response.body, headers: {} }
}

const payloadFor = (email: string, more: object = {}) => ({
  service_provider_sid,
  provider: 'local',
  email,
  password,
  email_activation_code: '123456',
  inviteCode: '',
  ...more,
})

const register = async (email: string, more: object = {}): Promise<Registered> => {
  const answer = await from(anAddress(), 'POST', '/register', payloadFor(email, more))
  expect(answer).toMatchObject({ status: 200 })
  // The app itself validates responses against the contract.
  return answer.body as Registered
}

const codeIn = ({ text }: Received): string => /code is (\d{6})\./.exec(text)?.[1] ?? ''

const codeFor = async (email: string): Promise<string> => {
  const mail = await mails.next()
  expect([mail.to, mail.text]).toMatchObject([[email], expect.stringContaining('activation code is')])
  return codeIn(mail)
}

const confirm = (user_sid: string, code: string) =>
  from(anAddress(), 'PUT', `/ActivationCode/${code}`, { user_sid, type: 'email' })

const wrong = [400, 'invalid user or activation code']
const another = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

/** Registers a visitor and confirms the address. */
const registered = async (more: object = {}) => {
  const email = anEmail()
  const visitor = await register(email, more)
  expect((await confirm(visitor.user_sid, await codeFor(email))).status).toBe(204)
  return { ...visitor, caller: api.as(visitor.jwt) }
}

const readAccount = (account_sid: string) =>
  api.test.database.db.selectFrom('accounts').selectAll().where('account_sid', '=', account_sid).executeTakeFirst()

/** Matches objects with at least these members, recursively. */
const toPartialMatcher = (members: object): object =>
  Object.fromEntries(
    Object.entries(members).map(([key, value]: [string, unknown]) => [
      key,
      typeof value === 'object' ? (expect.objectContaining(value ?? {}) as unknown) : value,
    ]),
  )

describe('the complete flow', () => {
  test('API-116 API-117 REGISTER-09 a visitor registers, and the mailed code creates the account', async () => {
    const email = anEmail()
    const visitor = await register(email)
    expect(visitor).toMatchObject({ name: email, email, provider: 'local', root_domain: 'sip.example.org' })
    expect(visitor).toMatchObject({ pristine: true, is_active: false, email_validated: false, scope: 'read-write' })
    const { user_sid, account_sid, jwt } = visitor
    const claims: unknown = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({ user_sid, account_sid, service_provider_sid, scope: 'account', email })

    // Until then, there is no account, and the token permits nothing.
    expect(await readAccount(account_sid)).toBeUndefined()
    expect((await api.as(jwt).get('/Users/me')).status).toBe(401)

    const code = await codeFor(email)
    expect(statusAndMessage(await confirm(user_sid, '123456' === code ? '654321' : '123456'))).toEqual(wrong)
    expect(await readAccount(account_sid)).toBeUndefined()
    expect((await confirm(user_sid, code)).status).toBe(204)

    const me = await api.as(jwt).get('/Users/me')
    expect(me).toMatchObject({ status: 200, body: { user: { email, name: email, email_validated: true } } })
    expect(me.body).toMatchObject({
      account: { account_sid, name: email.slice(0, 64), plan_type: 'trial', is_active: 1, sip_realm: null },
      subscription: {
        products: [
          { name: 'concurrent call session', quantity: 5 },
          { name: 'registered device', quantity: 0 },
        ],
      },
    })
    const { trial_end_date } = (await readAccount(account_sid)) ?? {}
    const days = (Date.parse(`${trial_end_date}`) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(19.9)
    expect(days).toBeLessThan(21.1)
    const applications = await api.as(jwt).get('/Applications')
    const hook = (path: string) => ({ url: `https://public-apps.jambonz.cloud/${path}`, method: 'POST' })
    for (const seeded of [
      { name: 'dial time clock', call_hook: hook('dial-time'), call_status_hook: hook('call-status') },
      { name: 'hello world', call_hook: hook('hello-world') },
      { name: 'simple echo test', call_hook: hook('echo'), speech_synthesis_voice: 'en-US-Wavenet-C' },
    ])
      expect(applications.body).toContainEqual(expect.objectContaining(toPartialMatcher(seeded)))
    expect(applications.body).toHaveLength(3)
    // The name of the user is the email address.
    expect((await api.signIn(email, password)).status).toBe(200)
    expect(statusAndMessage(await confirm(user_sid, code))).toEqual(wrong)
  })

  test('a code from the browser is neither accepted nor stored', async () => {
    const email = anEmail()
    const { user_sid } = await register(email, { email_activation_code: '000111' })
    const code = await codeFor(email)
    const row = await api.test.database.db
      .selectFrom('patchbay_registrations')
      .selectAll()
      .where('user_sid', '=', user_sid)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(code)
    expect(JSON.stringify(row)).not.toContain(password)
    expect(statusAndMessage(await confirm(user_sid, code === '000111' ? '000112' : '000111'))).toEqual(wrong)
  })

  test('a new code replaces the last one', async () => {
    const email = anEmail()
    const { user_sid } = await register(email)
    const first = await codeFor(email)
    const again = await from(anAddress(), 'POST', '/ActivationCode', { user_sid, type: 'email' })
    expect(again.status).toBe(204)
    const second = await codeFor(email)
    // With a million codes, the same one can occur twice.
    const statuses = [await confirm(user_sid, first), await confirm(user_sid, second)].map(({ status }) => status)
    expect(statuses).toEqual(first === second ? [204, 400] : [400, 204])
  })

  test('after five wrong codes, the right one is rejected until a new code is requested', async () => {
    const email = anEmail()
    const { user_sid } = await register(email)
    const code = await codeFor(email)
    for (let tries = 0; tries < 5; tries += 1)
      expect(statusAndMessage(await confirm(user_sid, another(code)))).toEqual(wrong)
    expect(statusAndMessage(await confirm(user_sid, code))).toEqual(wrong)
    await from(anAddress(), 'POST', '/ActivationCode', { user_sid, type: 'email' })
    expect((await confirm(user_sid, await codeFor(email))).status).toBe(204)
  })

  test('three hundred concurrent attempts count as five', async () => {
    const email = anEmail()
    const { user_sid, account_sid } = await register(email)
    const code = Number(await codeFor(email))
    const guesses = Array.from({ length: 300 }, (_, index) => String((code + index) % 1_000_000).padStart(6, '0'))
    const answers = await Promise.all(guesses.toReversed().map((guess) => confirm(user_sid, guess)))
    expect(answers.filter(({ status }) => status === 204)).toEqual([])
    expect(await readAccount(account_sid)).toBeUndefined()
  })

  test('new codes and +tag addresses allow no more than ten attempts per mailbox and hour', async () => {
    const [name, domain] = anEmail().split('@')
    const outcomes: number[] = []
    let last = { user_sid: '', code: '' }
    for (let round = 0; round < 4; round += 1) {
      const email = `${name}+${round}@${domain}`
      const { user_sid } = await register(round % 2 === 0 ? email : email.toUpperCase())
      last = { user_sid, code: codeIn(await mails.next()) }
      for (let guess = 0; guess < 5; guess += 1) outcomes.push((await confirm(user_sid, another(last.code))).status)
    }
    expect(outcomes.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 400))
    expect(outcomes.slice(10)).toEqual(Array.from({ length: 10 }, () => 429))
    expect(await confirm(last.user_sid, last.code)).toMatchObject({
      status: 429,
      body: { code: 'too_many_activation_attempts' },
    })
    const other = anEmail()
    const visitor = await register(other)
    expect((await confirm(visitor.user_sid, await codeFor(other))).status).toBe(204)
  })

  test('a code expires', async () => {
    const email = anEmail()
    const { user_sid } = await register(email)
    const code = await codeFor(email)
    await api.test.database.db
      .updateTable('patchbay_registrations')
      .set({ expires_at: Date.now() - 1 })
      .where('user_sid', '=', user_sid)
      .execute()
    expect(statusAndMessage(await confirm(user_sid, code))).toEqual(wrong)
    const again = await from(anAddress(), 'POST', '/ActivationCode', { user_sid, type: 'email' })
    expect(statusAndMessage(again)).toEqual([400, 'invalid user_sid'])
  })

  test('concurrent confirmations with the same code create one account', async () => {
    const email = anEmail()
    const { user_sid } = await register(email)
    const code = await codeFor(email)
    const answers = await Promise.all(Array.from({ length: 5 }, () => confirm(user_sid, code)))
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    const users = await api.test.database.db.selectFrom('users').select('name').where('email', '=', email).execute()
    expect(users).toHaveLength(1)
  })

  test('if two visitors register the same address, the first to confirm gets it', async () => {
    const email = anEmail()
    const first = await register(email)
    const firstCode = await codeFor(email)
    const second = await register(email)
    const secondCode = await codeFor(email)
    const answers = await Promise.all([confirm(first.user_sid, firstCode), confirm(second.user_sid, secondCode)])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204, 422]))
    const users = await api.test.database.db.selectFrom('users').select('name').where('email', '=', email).execute()
    expect(users).toHaveLength(1)
  })

  test('an address that had an account before gets the free plan instead of a second trial', async () => {
    const email = anEmail()
    await api.test.database.db.insertInto('signup_history').values({ email, name: email }).execute()
    const { user_sid, account_sid } = await register(email)
    await confirm(user_sid, await codeFor(email))
    expect(await readAccount(account_sid)).toMatchObject({ plan_type: 'free', is_active: 1 })
  })
})

describe('responses do not reveal which addresses have an account', () => {
  const getShape = (answer: Answer): unknown => {
    const { email: _email, name: _name, jwt, user_sid, account_sid, ...rest } = answer.body as Registered
    return { status: answer.status, ...rest, lengths: [jwt, user_sid, account_sid].map(({ length }) => length > 30) }
  }

  test('known and unknown addresses get the same response, and only the mail differs', async () => {
    const { email } = await registered()
    const [unknown, existing] = [
      await from(anAddress(), 'POST', '/register', payloadFor(anEmail())),
      await from(anAddress(), 'POST', '/register', payloadFor(email)),
    ]
    expect(getShape(existing)).toEqual(getShape(unknown))
    await mails.next()
    const mail = await mails.next()
    expect(mail.to).toEqual([email])
    expect(mail.text).toContain('already has an account')
    expect(mail.html).toContain('already has an account')
    expect(mail.text).not.toContain('activation code')
    const { user_sid } = existing.body as Registered
    expect(statusAndMessage(await confirm(user_sid, '123456'))).toEqual(wrong)
    // Requesting another code reveals nothing either.
    expect((await from(anAddress(), 'POST', '/ActivationCode', { user_sid, type: 'email' })).status).toBe(204)
    expect((await mails.next()).text).toContain('Subject: You already have an account')
  })

  test('a mail that the mail server defers is sent again', async () => {
    const email = anEmail()
    mails.deferNext()
    const { user_sid } = await register(email)
    expect((await confirm(user_sid, await codeFor(email))).status).toBe(204)
  })

  test('an address gets four mails per hour from all clients, and further requests get the same response', async () => {
    const email = anEmail()
    for (let times = 0; times < 4; times += 1) {
      await register(email)
      await codeFor(email)
    }
    const { user_sid } = await register(email)
    const other = anEmail()
    await register(other)
    expect((await mails.next()).to).toEqual([other])
    expect(statusAndMessage(await confirm(user_sid, '123456'))).toEqual(wrong)
  })

  test('a network is limited to sixty registrations per hour', async () => {
    const address = anAddress()
    const body = { ...payloadFor(anEmail()), password: 'no' }
    for (let times = 0; times < 60; times += 1)
      expect((await from(address, 'POST', '/register', body)).status).toBe(400)
    expect((await from(address, 'POST', '/register', body)).status).toBe(429)
    expect((await from(anAddress(), 'POST', '/register', body)).status).toBe(400)
  })
})

test.each([
  ['missing provider', 400, { provider: undefined }],
  ['missing service_provider_sid', 400, { service_provider_sid: undefined }],
  ['invalid service_provider_sid', 422, { service_provider_sid: randomUUID() }],
  ['invalid service_provider_sid', 422, { service_provider_sid: 'x' }],
  ['invalid provider: twitter', 422, { provider: 'twitter' }],
  ['missing email or password', 400, { email: '' }],
  ['missing email or password', 400, { password: undefined }],
  ['invalid email', 400, { email: 'nobody' }],
  ['password must be at least 6 characters', 400, { password: 'short' }],
  ['password is too common', 400, { password: 'password' }],
  ['invalid invite code', 422, { inviteCode: 'NOSUCH' }],
] as const)('API-116 REGISTER-09 registering is refused: %s', async (msg, status, more) => {
  const answer = await from(anAddress(), 'POST', '/register', payloadFor(anEmail(), more))
  expect(statusAndMessage(answer)).toEqual([status, msg])
})

test('registration requires a root domain of the provider', async () => {
  const without = await api.provider()
  const answer = await from(anAddress(), 'POST', '/register', payloadFor(anEmail(), { service_provider_sid: without }))
  expect(statusAndMessage(answer)).toEqual([422, `root_domain missing for service provider ${without}`])
})

describe('changes by a registered user', () => {
  test('a new address is effective when it is confirmed', async () => {
    const { user_sid, email, caller } = await registered()
    const newEmail = anEmail()
    expect((await caller.post('/ActivationCode', { user_sid, type: 'email', value: newEmail, code: '1' })).status).toBe(
      204,
    )
    const code = await codeFor(newEmail)
    expect((await caller.get('/Users/me')).body).toMatchObject({ user: { email } })
    expect((await confirm(user_sid, code)).status).toBe(204)
    expect((await caller.get('/Users/me')).body).toMatchObject({ user: { email: newEmail, name: newEmail } })
    expect((await api.signIn(newEmail, password)).status).toBe(200)
  })

  test('users cannot change the address of another user', async () => {
    const { user_sid } = await registered()
    const otherUser = await registered()
    const body = { user_sid, type: 'email', value: anEmail() }
    for (const caller of [otherUser.caller, api.nobody, api.admin])
      expect(statusAndMessage(await caller.post('/ActivationCode', body))).toEqual([400, 'invalid user_sid'])
  })

  test('registering again while signed in changes address and password, and nothing is lost', async () => {
    const { user_sid, account_sid, caller } = await registered()
    const email = anEmail()
    const answer = await caller.post('/register', payloadFor(email, { password: 'An0ther-one' }))
    expect(answer).toMatchObject({ status: 200, body: { user_sid, account_sid, email, email_validated: false } })
    expect(answer.body).not.toHaveProperty('pristine')
    expect((await confirm(user_sid, await codeFor(email))).status).toBe(204)
    expect((await caller.get('/Users/me')).body).toMatchObject({ user: { email, user_sid }, account: { account_sid } })
    expect((await api.signIn(email, 'An0ther-one')).status).toBe(200)
  })

  test('after the trial, everything can be read but nothing changed', async () => {
    const { account_sid, email, caller } = await registered()
    const end = { is_active: 0, deactivated_reason: 'trial expired' } as const
    await api.test.database.db.updateTable('accounts').set(end).where('account_sid', '=', account_sid).execute()
    expect((await api.signIn(email, password)).status).toBe(200)
    expect((await caller.get('/Applications')).status).toBe(200)
    const message = 'The account is suspended. Upgrade it or pay the outstanding amount to continue.'
    expect(statusAndMessage(await caller.put(`/Accounts/${account_sid}`, { name: 'other' }))).toEqual([403, message])
    // An account that an operator has deactivated remains inactive.
    const off = { is_active: 0, deactivated_reason: 'fraud' } as const
    await api.test.database.db.updateTable('accounts').set(off).where('account_sid', '=', account_sid).execute()
    expect((await caller.get('/Applications')).status).toBe(401)
    expect((await api.signIn(email, password)).status).toBe(403)
  })
})

test("GET Users/me contains the account's addresses and masked keys", async () => {
  const { account_sid, caller } = await registered()
  const { caller: key } = await api.apiKey({ account_sid })
  const { db } = api.test.database
  const address = { account_static_ip_sid: randomUUID(), account_sid, public_ipv4: '203.0.113.7' }
  await db
    .insertInto('account_static_ips')
    .values({ ...address, private_ipv4: '10.0.0.7' })
    .execute()
  const { body, text } = await caller.get('/Users/me')
  expect(body).toMatchObject({ static_ips: ['203.0.113.7'], api_keys: [{ last_used: null }] })
  expect(text).not.toContain(key.token)
  const own = await createTestApi()
  expect((await own.admin.get('/Users/me')).body).not.toHaveProperty('api_keys')
  await own.close()
})

describe('deleting the own account', () => {
  test('API-017 requires the password in hosted mode and deletes everything', async () => {
    const { account_sid, user_sid, caller } = await registered()
    const wrongPassword = [403, 'The password is wrong']
    for (const body of [undefined, {}, { password: '' }, { password: 'An0ther-one' }])
      expect(statusAndMessage(await caller.delete(`/Accounts/${account_sid}`, body))).toEqual(wrongPassword)
    expect(await readAccount(account_sid)).toBeDefined()
    expect((await caller.delete(`/Accounts/${account_sid}`, { password })).status).toBe(204)
    expect(await readAccount(account_sid)).toBeUndefined()
    expect((await caller.get('/Users/me')).status).toBe(401)
    const users = await api.test.database.db
      .selectFrom('users')
      .select('name')
      .where('user_sid', '=', user_sid)
      .execute()
    expect(users).toEqual([])
  })

  test('is possible after the trial, but never with an API key', async () => {
    const { account_sid, caller } = await registered()
    const { caller: key } = await api.apiKey({ account_sid })
    expect(statusAndMessage(await key.delete(`/Accounts/${account_sid}`, { password }))[0]).toBe(403)
    const end = { is_active: 0, deactivated_reason: 'trial expired' } as const
    await api.test.database.db.updateTable('accounts').set(end).where('account_sid', '=', account_sid).execute()
    expect((await caller.delete(`/Accounts/${account_sid}`, { password })).status).toBe(204)
  })

  test('requires users without a password to delete what is in use first, unless the account is suspended', async () => {
    const { account_sid, caller, user_sid } = await registered()
    const { db } = api.test.database
    await db.updateTable('users').set({ provider: 'github' }).where('user_sid', '=', user_sid).execute()
    const refused = await caller.delete(`/Accounts/${account_sid}`)
    expect(statusAndMessage(refused)).toEqual([422, 'cannot delete account with applications (3)'])
    expect(refused.body).toMatchObject({ code: 'account_in_use', blockers: { applications: { total: 3 } } })
    const end = { is_active: 0, deactivated_reason: 'trial expired' } as const
    await db.updateTable('accounts').set(end).where('account_sid', '=', account_sid).execute()
    expect((await caller.delete(`/Accounts/${account_sid}`)).status).toBe(204)
  })

  test('counts wrong passwords', async () => {
    const { account_sid, caller } = await registered()
    for (let tries = 0; tries < 5; tries += 1)
      await caller.delete(`/Accounts/${account_sid}`, { password: `guess ${tries}` })
    const locked = statusAndMessage(await caller.delete(`/Accounts/${account_sid}`, { password: 'guess 6' }))
    expect(locked).toEqual([403, 'Maximum login attempts reached. Please try again in 1800 seconds.'])
    expect((await caller.delete(`/Accounts/${account_sid}`, { password })).status).toBe(403)
    expect((await api.admin.delete(`/Accounts/${account_sid}`)).status).toBe(204)
  })
})

describe('invite codes', () => {
  test('are created by admins, can be tested, and are claimed once', async () => {
    const response = await api.admin.post('/BetaInviteCodes', { count: 3 })
    expect(response).toMatchObject({ status: 200, body: { status: 'ok', added: 3 } })
    const { codes } = response.body as { codes: string[] }
    for (const code of codes) expect(code).toMatch(/^[0-9ABCXZ]{6}$/)
    const [code = '', claimed = ''] = codes
    expect((await from(anAddress(), 'POST', '/InviteCodes', { code, test: true })).status).toBe(204)
    const claims = Array.from({ length: 20 }, () => from(anAddress(), 'POST', '/InviteCodes', { code: claimed }))
    const statuses = (await Promise.all(claims)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 204)).toHaveLength(1)
    expect(statuses.filter((status) => status === 404)).toHaveLength(19)

    await registered({ inviteCode: code })
    expect((await from(anAddress(), 'POST', '/InviteCodes', { code, test: true })).status).toBe(404)
  })

  test('are protected by a rate limit', async () => {
    const address = anAddress()
    for (let times = 0; times < 30; times += 1)
      expect((await from(address, 'POST', '/InviteCodes', { code: 'ABCXZ9', test: true })).status).toBe(404)
    expect((await from(address, 'POST', '/InviteCodes', { code: 'ABCXZ9', test: true })).status).toBe(429)
  })
})

test('without hosting, registration is disabled except for administrators', async () => {
  const own = await createTestApi()
  const answers = [
    await own.nobody.post('/register', payloadFor(anEmail())),
    await own.nobody.post('/ActivationCode', { user_sid: randomUUID(), type: 'email' }),
    await own.nobody.put('/ActivationCode/123456', { user_sid: randomUUID(), type: 'email' }),
    await own.nobody.post('/InviteCodes', { code: 'ABCXZ9' }),
  ]
  for (const answer of answers) expect(answer.status).toBe(404)
  expect((await own.admin.post('/BetaInviteCodes', {})).status).toBe(200)
  await own.close()
})
