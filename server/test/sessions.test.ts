import { randomUUID } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { adminPassword, member } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'

const api = await openTestApi()

describe('signing in', () => {
  test('API-003 POST /login returns token, user_sid, and force_change; wrong credentials are rejected', async () => {
    const { status, body } = await api.signIn('admin', adminPassword)
    expect(status).toBe(200)
    expect(body).toMatchObject({ scope: 'admin', force_change: false })
    expect(body.user_sid).toMatch(/^[0-9a-f-]{36}$/)
    expect((await api.as(body.token).get('/Users/me')).status).toBe(200)
    const wrong = await api.signIn('admin', 'wrong')
    expect(wrong.status).toBe(403)
    expect(wrong.body).toMatchObject({ msg: 'Forbidden' })
  })

  test('a password is accepted in both forms of Unicode, wherever it was set, and jambonz hashes in the typed form', async () => {
    const service_provider_sid = await api.provider()
    const nfc = (word: string) => `Caf\u00e9-${word}-11`
    const nfd = (word: string) => `Cafe\u0301-${word}-11`
    const name = `unicode-${randomUUID()}`
    const created = await api.admin.post('/Users', {
      name,
      email: `${name}@example.com`,
      initial_password: nfd('quartz'),
      force_change: false,
      is_active: true,
      service_provider_sid,
    })
    expect(created.status).toBe(201)
    const user_sid = member(created, 'user_sid')
    for (const form of [nfc, nfd]) expect((await api.signIn(name, form('quartz'))).status).toBe(200)
    expect((await api.signIn(name, 'Cafe-quartz-11')).status).toBe(403)
    // The old password can be typed in the other form when it is changed.
    const { body } = await api.signIn(name, nfc('quartz'))
    const changed = await api
      .as(body.token)
      .put(`/Users/${user_sid}`, { old_password: nfd('quartz'), new_password: nfc('feldspar') })
    expect(changed.status).toBe(204)
    for (const form of [nfc, nfd]) expect((await api.signIn(name, form('feldspar'))).status).toBe(200)

    // jambonz stores the hash of the bytes, which it accepts after a sign-in here.
    const hashed_password = await hash(nfd('granite'), { algorithm: 1, memoryCost: 4096, timeCost: 3, parallelism: 2 })
    const { db } = api.test.database
    await db.updateTable('users').set({ hashed_password }).where('user_sid', '=', user_sid).execute()
    expect((await api.signIn(name, nfd('granite'))).status).toBe(200)
    const stored = await db
      .selectFrom('users')
      .select('hashed_password')
      .where('user_sid', '=', user_sid)
      .executeTakeFirst()
    expect(stored).toEqual({ hashed_password })
  })

  test('AUTH-29 the token contains scope, account_sid, user_sid, and service_provider_sid', async () => {
    const service_provider_sid = await api.provider()
    const account_sid = await api.account(service_provider_sid)
    const { caller, sid } = await api.user({ account_sid, service_provider_sid })
    expect(decodeJwt(caller.token)).toMatchObject({
      scope: 'account',
      account_sid,
      service_provider_sid,
      user_sid: sid,
    })
    // A claim without a value is absent.
    const ofProvider = await api.user({ service_provider_sid })
    const providerClaims = decodeJwt(ofProvider.caller.token)
    expect(providerClaims).toMatchObject({ scope: 'service_provider', service_provider_sid, user_sid: ofProvider.sid })
    expect(providerClaims).not.toHaveProperty('account_sid')
    const ofAdmin = await api.user()
    const adminClaims = decodeJwt(ofAdmin.caller.token)
    expect(adminClaims).toMatchObject({ scope: 'admin', user_sid: ofAdmin.sid })
    for (const absent of ['account_sid', 'service_provider_sid']) expect(adminClaims).not.toHaveProperty(absent)
  })

  test('user names are case-insensitive', async () => {
    const { name, password } = await api.user()
    expect((await api.signIn(name.toUpperCase(), password)).status).toBe(200)
  })

  test('a missing name or password is 400', async () => {
    expect((await api.nobody.post('/login', { username: 'admin' })).status).toBe(400)
    expect((await api.nobody.post('/login', {})).status).toBe(400)
    expect((await api.nobody.post('/login', { username: 'admin', password: 7 })).status).toBe(400)
  })

  test('after too many failures, the right password is rejected too, for known and unknown names', async () => {
    const { name, password } = await api.user()
    for (const typed of [name, 'nobody-of-that-name']) {
      const answers = []
      for (let attempt = 1; attempt <= 7; attempt += 1) answers.push(await api.signIn(typed, 'wrong', '10.0.0.1'))
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403, 403])
      expect(answers[4]?.body).toMatchObject({ msg: 'Forbidden' })
      const text = 'Maximum login attempts reached. Please try again in 1800 seconds.'
      expect(answers[5]?.body).toMatchObject({ msg: text, error: text })
    }
    expect((await api.signIn(name, password, '10.0.0.9')).status).toBe(403)
  })

  test('concurrent attempts count like sequential ones', async () => {
    const { name } = await api.user()
    const answers = await Promise.all(Array.from({ length: 12 }, () => api.signIn(name, 'wrong', '10.0.0.2')))
    const tried = answers.filter(({ text }) => !text.includes('try again later'))
    expect(tried.length).toBeLessThanOrEqual(6)
  })

  test('a success resets the count', async () => {
    const { name, password } = await api.user()
    for (let round = 0; round < 3; round += 1) {
      for (let attempt = 0; attempt < 4; attempt += 1) await api.signIn(name, 'wrong', '10.0.0.3')
      expect((await api.signIn(name, password, '10.0.0.3')).status).toBe(200)
    }
  })

  test('an inactive user is rejected, and an open session ends', async () => {
    const { name, password, sid, caller } = await api.user()
    expect((await api.admin.put(`/Users/${sid}`, { is_active: false })).status).toBe(204)
    expect((await caller.get('/Users/me')).status).toBe(401)
    expect((await api.signIn(name, password)).status).toBe(403)
  })

  test('an account user whose row names no provider has the scope account, never admin', async () => {
    const account_sid = await api.account(await api.provider())
    const { name, password, sid } = await api.user({ account_sid })
    await api.test.database.db
      .updateTable('users')
      .set({ service_provider_sid: null })
      .where('user_sid', '=', sid)
      .execute()
    const { body } = await api.signIn(name, password)
    expect(body.scope).toBe('account')
    expect((await api.as(body.token).get('/Accounts')).body).toHaveLength(1)
  })
})

describe('bearer tokens', () => {
  test('API-001 without a valid token, every request is 401', async () => {
    for (const caller of [api.nobody, api.as('nonsense'), api.as(`${api.admin.token}x`)]) {
      const answer = await caller.get('/Accounts')
      expect(answer.status).toBe(401)
      expect(answer.headers['www-authenticate']).toContain('Bearer realm="Users"')
      expect(answer.body).toMatchObject({ msg: 'Unauthorized' })
    }
  })

  test('a token can be a header, body field, or query parameter, but only one of them', async () => {
    const { token } = api.admin
    expect((await api.nobody.get(`/Accounts?access_token=${token}`)).status).toBe(200)
    expect((await api.admin.get(`/Accounts?access_token=${token}`)).status).toBe(400)
  })

  test('a token signed with another secret is rejected', async () => {
    const { SignJWT } = await import('jose')
    const sign = (secret: string, claims: object) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode(secret))
    const forged = await sign('some other secret', { ...decodeJwt(api.admin.token) })
    expect((await api.as(forged).get('/Accounts')).status).toBe(401)
  })

  test('API-002 ERRORS-12 all bodies are JSON, including errors, with a readable msg', async () => {
    const json = 'application/json; charset=utf-8'
    const fine = await api.admin.get('/ServiceProviders')
    expect(fine.headers['content-type']).toBe(json)
    for (const [response, status, msg] of [
      [await api.admin.get('/Accounts/not-a-sid'), 400, 'Bad request'],
      [await api.admin.get('/NoSuchThing'), 404, 'This path does not exist'],
      [await api.nobody.get('/NoSuchThing'), 401, 'Unauthorized'],
      [await api.signIn('admin', 'wrong'), 403, 'Forbidden'],
    ] as const) {
      expect(response).toMatchObject({ status, body: { msg } })
      expect(response.headers['content-type']).toBe(json)
    }
  })

  test('an expired API key is rejected', async () => {
    const { caller } = await api.apiKey({ expires_at: '2020-01-01T00:00:00Z' })
    expect((await caller.get('/Accounts')).status).toBe(401)
  })
})

describe('signing out and renewing', () => {
  test('API-004 POST /logout returns 204 and ends all sessions of the user', async () => {
    const { name, password, caller } = await api.user()
    const other = api.as((await api.signIn(name, password)).body.token)
    expect(await caller.post('/logout')).toMatchObject({ status: 204, text: '' })
    expect((await caller.get('/Users/me')).status).toBe(401)
    expect((await other.get('/Users/me')).status).toBe(401)
  })

  test('an API key has no session to end', async () => {
    const { caller } = await api.apiKey()
    expect((await caller.post('/logout')).status).toBe(403)
  })

  test('a renewed session continues with a new token, and the old one is invalid', async () => {
    const { caller } = await api.user()
    const { body } = await api.as(caller.token).post('/patchbay/session')
    expect(body).toEqual({ token: expect.any(String) })
    const { token } = body as { token: string }
    expect((await api.as(token).get('/Users/me')).status).toBe(200)
    expect((await caller.get('/Users/me')).status).toBe(401)
  })
})
