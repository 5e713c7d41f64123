import { randomUUID } from 'node:crypto'
import { type Caller, createTestApi, member, type TestUser, testSecret } from '@patchbay/testkit/test-api'
import { isMysql } from '@patchbay/testkit/test-database'
import { openTestApi } from '@patchbay/testkit/test-world'
import { SignJWT } from 'jose'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { getRow, getRows, snapshot, sorted, statusAndMessage } from '../fixtures.ts'

/** Identity and permissions are read from the database with every request, so that changes take effect immediately. */

const api = await openTestApi()

const freshPassword = () => `Fresh-${randomUUID()}`

const providerWithAccount = async () => {
  const service_provider_sid = await api.provider()
  return { service_provider_sid, account_sid: await api.account(service_provider_sid) }
}

const set = (table: 'users' | 'accounts', sid: string, values: object) =>
  api.test.database.db
    .updateTable(table)
    .set(values)
    .where(table === 'users' ? 'user_sid' : 'account_sid', '=', sid)
    .execute()

describe('a user whose row names no provider', () => {
  test('cannot be moved into an account of another provider, regardless of earlier changes', async () => {
    const own = await providerWithAccount()
    const foreign = await providerWithAccount()
    const victim = await api.user(own)
    await set('users', victim.sid, { service_provider_sid: null })
    const provider = await api.user({ service_provider_sid: own.service_provider_sid })
    const path = `/Users/${victim.sid}`
    expect((await provider.caller.put(path, { initial_password: freshPassword() })).status).toBe(204)
    const before = await snapshot(api)
    for (const body of [foreign, { account_sid: foreign.account_sid }, { ...foreign, name: 'moved' }])
      expect((await provider.caller.put(path, body)).status).toBe(400)
    expect(await snapshot(api)).toEqual(before)
    expect((await provider.caller.put(path, { account_sid: own.account_sid, name: `n ${randomUUID()}` })).status).toBe(
      204,
    )
  })

  test('is inaccessible to another provider', async () => {
    const own = await providerWithAccount()
    const victim = await api.user(own)
    await set('users', victim.sid, { service_provider_sid: null })
    const otherProviderUser = await api.user({ service_provider_sid: await api.provider() })
    const answer = await otherProviderUser.caller.put(`/Users/${victim.sid}`, { initial_password: freshPassword() })
    expect(statusAndMessage(answer)).toEqual([403, 'Forbidden'])
  })
})

describe('deactivations and removed permissions take effect with the next request', () => {
  test('a user who becomes view-only can no longer write or remove the flag', async () => {
    const tenant = await providerWithAccount()
    const user = await api.user(tenant)
    const change = () => user.caller.put(`/Accounts/${tenant.account_sid}`, { name: `changed ${randomUUID()}` })
    expect((await change()).status).toBe(204)
    expect((await api.admin.put(`/Users/${user.sid}`, { is_view_only: true })).status).toBe(204)
    expect(statusAndMessage(await change())).toEqual([403, 'User has view-only access'])
    for (const body of [
      { is_view_only: false },
      { old_password: user.password, new_password: freshPassword(), is_view_only: false },
    ])
      expect(statusAndMessage(await user.caller.put(`/Users/${user.sid}`, body))).toEqual([
        403,
        'User has view-only access',
      ])
    const renewed = api.as(member(await user.caller.post('/patchbay/session'), 'token'))
    expect((await renewed.put(`/Accounts/${tenant.account_sid}`, { name: 'x' })).status).toBe(403)
    expect(getRow(await renewed.get('/Users/me'))['user']).toMatchObject({ is_view_only: true })
  })

  test('sessions, renewals, keys, and sign-ins of a deactivated account are rejected until it is active again', async () => {
    const tenant = await providerWithAccount()
    const user = await api.user(tenant)
    const key = (await api.apiKey({ account_sid: tenant.account_sid })).caller
    const request = (caller: Caller) => caller.get(`/Accounts/${tenant.account_sid}`)
    expect([(await request(user.caller)).status, (await request(key)).status]).toEqual([200, 200])
    expect((await api.admin.put(`/Accounts/${tenant.account_sid}`, { is_active: false })).status).toBe(204)
    expect([(await request(user.caller)).status, (await request(key)).status]).toEqual([401, 401])
    expect((await user.caller.post('/patchbay/session')).status).toBe(401)
    expect((await key.post('/ApiKeys', { account_sid: tenant.account_sid })).status).toBe(401)
    expect((await api.signIn(user.name, user.password)).status).toBe(403)
    expect((await api.admin.put(`/Accounts/${tenant.account_sid}`, { is_active: true })).status).toBe(204)
    expect([(await request(user.caller)).status, (await request(key)).status]).toEqual([200, 200])
  })
})

test('a key with an account and a provider belongs to the account only, regardless of the provider', async () => {
  const own = await providerWithAccount()
  const other = await providerWithAccount()
  const token = randomUUID()
  const row = { account_sid: own.account_sid, service_provider_sid: other.service_provider_sid }
  await api.test.database.db
    .insertInto('api_keys')
    .values({ api_key_sid: randomUUID(), token, ...row })
    .execute()
  const key = api.as(token)
  expect(getRows(await key.get('/Accounts')).map((account) => account['account_sid'])).toEqual([own.account_sid])
  expect((await key.get(`/Accounts/${other.account_sid}`)).status).toBe(403)
  expect((await key.get(`/ServiceProviders/${other.service_provider_sid}/Limits`)).status).toBe(403)
  expect((await key.put(`/ServiceProviders/${own.service_provider_sid}`, { name: 'mine' })).status).toBe(403)
})

describe('the last active admin', () => {
  test('cannot be deleted, deactivated, moved, or made view-only, by themselves, a key, or concurrent requests', async () => {
    const alone = await createTestApi()
    try {
      const { user_sid } = (await alone.signIn('admin', 'adm1n-of-the-tests')).body
      const key = (await alone.apiKey()).caller
      const service_provider_sid = await alone.provider()
      // A view-only admin and a deactivated one do not count.
      await alone.user({ is_view_only: true })
      const off = await alone.user()
      expect((await alone.admin.put(`/Users/${off.sid}`, { is_active: false })).status).toBe(204)
      for (const caller of [alone.admin, key])
        expect(await caller.delete(`/Users/${user_sid}`)).toMatchObject({ status: 400, body: { code: 'last_admin' } })
      for (const caller of [alone.admin, key])
        for (const body of [{ is_active: false }, { service_provider_sid }])
          expect(await caller.put(`/Users/${user_sid}`, body)).toMatchObject({
            status: 400,
            body: { code: 'last_admin' },
          })
      const second = await alone.user()
      const both = [user_sid, second.sid].map((sid) => key.put(`/Users/${sid}`, { is_active: false }))
      const [ofFirst, ofSecond] = await Promise.all(both)
      expect(sorted([ofFirst?.status, ofSecond?.status])).toEqual(['204', '400'])
      await key.put(`/Users/${second.sid}`, { is_active: true })
      await key.put(`/Users/${user_sid}`, { is_active: false })
      const blinded = await key.put(`/Users/${second.sid}`, { is_view_only: true })
      expect(blinded).toMatchObject({ status: 400, body: { code: 'last_admin' } })
      // Users who are not active admins can be deleted.
      expect((await key.delete(`/Users/${off.sid}`)).status).toBe(204)
    } finally {
      await alone.close()
    }
  })

  const remove = (key: Caller, sid: string) => key.delete(`/Users/${sid}`)
  const switchOff = (key: Caller, sid: string) => key.put(`/Users/${sid}`, { is_active: false })
  const blind = (key: Caller, sid: string) => key.put(`/Users/${sid}`, { is_view_only: true })

  test.each([
    ['deleted', [remove, remove]],
    ['deleted and deactivated', [remove, switchOff]],
    ['deleted and made view-only', [remove, blind]],
  ] as const)('of twenty who are %s at once one is left', async (_, [one, other]) => {
    const alone = await createTestApi()
    try {
      const { user_sid } = (await alone.signIn('admin', 'adm1n-of-the-tests')).body
      const key = (await alone.apiKey()).caller
      const sids = [user_sid]
      while (sids.length < 20) sids.push((await alone.user()).sid)
      const signal = await Promise.all(sids.map((sid, nth) => (nth % 2 === 0 ? one : other)(key, sid)))
      expect(sorted(signal.map(({ status }) => status))).toEqual([...Array<string>(19).fill('204'), '400'])
      expect(signal.find(({ status }) => status === 400)?.body).toMatchObject({ code: 'last_admin' })
      const remainingAdmins = getRows(await key.get('/Users')).filter(
        ({ scope, is_active, is_view_only }) => scope === 'admin' && is_active === 1 && is_view_only === false,
      )
      expect(remainingAdmins).toHaveLength(1)
    } finally {
      await alone.close()
    }
  })
})

describe('passwords', () => {
  const change = (user: TestUser, body: object) => user.caller.put(`/Users/${user.sid}`, body)

  test('changing the own password requires the old one, regardless of the field with the new one', async () => {
    const user = await api.user(await providerWithAccount())
    const expected = [400, 'new_password and old_password both required']
    expect(statusAndMessage(await change(user, { initial_password: freshPassword() }))).toEqual(expected)
    expect(statusAndMessage(await change(user, { initial_password: freshPassword(), name: 'x' }))).toEqual(expected)
    const wrong = { initial_password: freshPassword(), old_password: 'not the old one' }
    expect((await change(user, wrong)).status).toBe(403)
    const next = freshPassword()
    expect((await change(user, { initial_password: next, old_password: user.password })).status).toBe(204)
    expect((await api.signIn(user.name, next)).status).toBe(200)
  })

  test('wrong old passwords count like failed sign-ins, and a reset by another user clears the count', async () => {
    const tenant = await providerWithAccount()
    const user = await api.user(tenant)
    const answers = []
    for (let guess = 0; guess < 7; guess += 1)
      answers.push(await change(user, { old_password: `guess ${guess}`, new_password: freshPassword() }))
    for (const answer of answers.slice(0, 5)) expect(statusAndMessage(answer)).toEqual([403, 'Forbidden'])
    for (const { body } of answers.slice(5)) expect(body).toMatchObject({ code: 'locked_out' })
    expect((await change(user, { old_password: user.password, new_password: freshPassword() })).status).toBe(403)
    const next = freshPassword()
    expect((await api.admin.put(`/Users/${user.sid}`, { initial_password: next })).status).toBe(204)
    expect((await api.signIn(user.name, next)).status).toBe(200)
  })

  test('the most common passwords are rejected, regardless of the policy', async () => {
    const user = await api.user(await providerWithAccount())
    const text = 'password is too common'
    for (const password of ['password', 'BaseBall', '12345678']) {
      const body = { old_password: user.password, new_password: password }
      expect(statusAndMessage(await change(user, body))).toEqual([400, text])
      const own = { old_password: user.password, initial_password: password }
      expect(statusAndMessage(await change(user, own))).toEqual([400, text])
      const tried = await user.caller.post('/change-password', body)
      expect(statusAndMessage(tried)).toEqual([400, text])
    }
  })

  test('the most common passwords and short ones are rejected if a user sets them for another user, too', async () => {
    const user = await api.user(await providerWithAccount())
    const other = { name: randomUUID(), email: `${randomUUID()}@example.org`, initial_password: 'BaseBall' }
    const tooCommon = [400, 'password is too common']
    expect(statusAndMessage(await api.admin.post('/Users', other))).toEqual(tooCommon)
    expect(statusAndMessage(await api.admin.put(`/Users/${user.sid}`, { initial_password: 'password' }))).toEqual(
      tooCommon,
    )
    expect((await api.signIn(user.name, user.password)).status).toBe(200)
    expect(statusAndMessage(await api.admin.put(`/Users/${user.sid}`, { initial_password: 'abc' }))).toEqual([
      400,
      'password must be at least 6 characters long',
    ])
  })

  test('with PASSWORD_REJECT_COMMON=0, common passwords can be chosen', async () => {
    const tolerant = await createTestApi({ PASSWORD_REJECT_COMMON: '0' })
    try {
      const user = await tolerant.user()
      const body = { old_password: user.password, new_password: 'password' }
      expect((await user.caller.put(`/Users/${user.sid}`, body)).status).toBe(204)
      expect((await tolerant.admin.put(`/Users/${user.sid}`, { initial_password: 'baseball' })).status).toBe(204)
    } finally {
      await tolerant.close()
    }
  })

  test('if several concurrent changes use the same old password, one succeeds', async () => {
    const user = await api.user(await providerWithAccount())
    const newPasswords = Array.from({ length: 3 }, freshPassword)
    const bodies = newPasswords.map((new_password) => ({ old_password: user.password, new_password }))
    const answers = await Promise.all(bodies.map((body) => change(user, body)))
    expect(sorted(answers.map(({ status }) => status))).toEqual(['204', '403', '403'])
    const signedIn = await Promise.all(newPasswords.map((password) => api.signIn(user.name, password)))
    expect(signedIn.map(({ status }) => status)).toEqual(answers.map(({ status }) => (status === 204 ? 200 : 403)))
  })

  test('a new password and the end of sessions are one transaction', async () => {
    const user = await api.user(await providerWithAccount())
    const { db } = api.test.database
    const fails = isMysql ? "SIGNAL SQLSTATE '45000';" : "SELECT RAISE(ABORT, 'stuck');"
    await sql
      .raw(
        `CREATE TRIGGER stuck BEFORE DELETE ON patchbay_sessions ${isMysql ? 'FOR EACH ROW' : ''} BEGIN ${fails} END`,
      )
      .execute(db)
    try {
      expect((await api.admin.put(`/Users/${user.sid}`, { initial_password: freshPassword() })).status).toBe(500)
    } finally {
      await sql.raw('DROP TRIGGER stuck').execute(db)
    }
    expect((await user.caller.get('/Users/me')).status).toBe(200)
    expect((await api.signIn(user.name, user.password)).status).toBe(200)
  })

  test('an account key cannot set passwords of users, and a platform key cannot set those of admins', async () => {
    const tenant = await providerWithAccount()
    const user = await api.user(tenant)
    const admin = await api.user()
    const ofAccount = (await api.apiKey({ account_sid: tenant.account_sid })).caller
    const ofAll = (await api.apiKey()).caller
    for (const body of [
      { initial_password: freshPassword() },
      { old_password: user.password, new_password: freshPassword() },
    ])
      expect(statusAndMessage(await ofAccount.put(`/Users/${user.sid}`, body))).toEqual([403, 'Forbidden'])
    expect((await ofAll.put(`/Users/${admin.sid}`, { initial_password: freshPassword() })).status).toBe(403)
    expect((await ofAll.put(`/Users/${user.sid}`, { initial_password: freshPassword() })).status).toBe(204)
  })
})

describe('sessions', () => {
  test('if a token is renewed concurrently, one renewal succeeds and one session remains', async () => {
    const user = await api.user()
    const answers = await Promise.all([1, 2, 3].map(() => user.caller.post('/patchbay/session')))
    expect(sorted(answers.map(({ status }) => status))).toEqual(['200', '401', '401'])
    const { db } = api.test.database
    const remainingSessions = await db
      .selectFrom('patchbay_sessions')
      .select('token_hash')
      .where('user_sid', '=', user.sid)
      .execute()
    expect(remainingSessions).toHaveLength(1)
    expect((await user.caller.get('/Users/me')).status).toBe(401)
  })

  test('twelve concurrent sign-ins of a user with the right password succeed', async () => {
    const { name, password } = await api.user()
    const answers = await Promise.all(Array.from({ length: 12 }, () => api.signIn(name, password, '10.7.7.7')))
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  })

  test('renewal ends at the maximum session duration', async () => {
    const brief = await createTestApi({ JWT_EXPIRES_IN: '120', SESSION_MAX_HOURS: '1' })
    try {
      const user = await brief.user()
      const began = Math.floor(Date.now() / 1000)
      const sign = (auth_time: number) =>
        new SignJWT({ scope: 'admin', user_sid: user.sid, auth_time })
          .setProtectedHeader({ alg: 'HS256' })
          .setIssuedAt(began)
          .setExpirationTime(began + 600)
          .sign(new TextEncoder().encode(testSecret))
      const fresh = await sign(began - 3000)
      const old = await sign(began - 3600)
      for (const token of [fresh, old]) await brief.services.sessions.start(token, user.sid, Date.now() + 600_000)
      expect((await brief.as(fresh).post('/patchbay/session')).status).toBe(200)
      expect((await brief.as(old).post('/patchbay/session')).status).toBe(401)
    } finally {
      await brief.close()
    }
  })
})

describe('visibility of secrets', () => {
  test('members cannot read the hook password of the provider, and view-only users cannot read any', async () => {
    const tenant = await providerWithAccount()
    const password = 'hook-password-1'
    const registration_hook = { url: 'https://example.org/register', method: 'POST', username: 'hook', password }
    await api.admin.put(`/ServiceProviders/${tenant.service_provider_sid}`, { registration_hook })
    await api.admin.put(`/Accounts/${tenant.account_sid}`, { registration_hook, queue_event_hook: registration_hook })
    const belonging = (await api.user(tenant)).caller
    const provider = (await api.user({ service_provider_sid: tenant.service_provider_sid })).caller
    const looking = (await api.user({ service_provider_sid: tenant.service_provider_sid, is_view_only: true })).caller
    const paths = [
      `/ServiceProviders/${tenant.service_provider_sid}`,
      '/ServiceProviders',
      `/Accounts/${tenant.account_sid}`,
      '/Accounts',
    ]
    const shows = async (caller: Caller, path: string) => (await caller.get(path)).text.includes(password)
    for (const path of paths) {
      expect([path, await shows(provider, path)]).toEqual([path, true])
      expect([path, await shows(looking, path)]).toEqual([path, false])
      expect([path, await shows(belonging, path)]).toEqual([path, path.startsWith('/Accounts')])
    }
  })

  test('sending back a masked hook password keeps the stored one', async () => {
    const tenant = await providerWithAccount()
    const hook = { url: 'https://example.org/register', method: 'POST', username: 'hook', password: 'hook-password-1' }
    await api.admin.put(`/Accounts/${tenant.account_sid}`, { registration_hook: hook })
    const masked = { ...hook, url: 'https://example.org/other', password: 'XXXXXXXX' }
    expect((await api.admin.put(`/Accounts/${tenant.account_sid}`, { registration_hook: masked })).status).toBe(204)
    expect(getRow(await api.admin.get(`/Accounts/${tenant.account_sid}`))['registration_hook']).toEqual({
      ...hook,
      url: masked.url,
    })
  })

  test('the limits of an account can be set by its operator only', async () => {
    const tenant = await providerWithAccount()
    const user = (await api.user(tenant)).caller
    const key = (await api.apiKey({ account_sid: tenant.account_sid })).caller
    const provider = (await api.user({ service_provider_sid: tenant.service_provider_sid })).caller
    const path = `/Accounts/${tenant.account_sid}/Limits`
    expect((await provider.post(path, { category: 'voice_call_session', quantity: 2 })).status).toBe(201)
    for (const caller of [user, key]) {
      expect((await caller.post(path, { category: 'voice_call_session', quantity: 0 })).status).toBe(403)
      expect((await caller.delete(path)).status).toBe(403)
      expect(getRows(await caller.get(path))).toEqual([expect.objectContaining({ quantity: 2 })])
    }
  })
})

/** Tokens that components of jambonz sign themselves (docs/reference/platform-api/identity.md#session-validity). */
describe('a token without a user', () => {
  const sign = (claims: object, expires: string | null = '1h') => {
    const token = new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256' }).setIssuedAt()
    return (expires === null ? token : token.setExpirationTime(expires)).sign(new TextEncoder().encode(testSecret))
  }
  const getAccountsStatus = async (claims: object, expires?: string | null) =>
    (await api.as(await sign(claims, expires)).get('/Accounts')).status

  test.runIf(isMysql)('is accepted on a jambonz database with exactly the scope in its claims', async () => {
    const own = await providerWithAccount()
    const other = await providerWithAccount()
    const account = api.as(await sign({ scope: 'account', account_sid: own.account_sid, permissions: [] }))
    expect((await account.get(`/Accounts/${own.account_sid}`)).status).toBe(200)
    expect((await account.get(`/Accounts/${other.account_sid}`)).status).toBe(403)
    expect((await account.put(`/Accounts/${own.account_sid}`, { name: 'by the platform' })).status).toBe(204)
    expect((await account.get('/Users/me')).status).toBe(403)
    const provider = api.as(await sign({ scope: 'service_provider', service_provider_sid: own.service_provider_sid }))
    expect(getRows(await provider.get('/Accounts')).map((row) => row['account_sid'])).toEqual([own.account_sid])
    const looking = api.as(await sign({ scope: 'account', account_sid: own.account_sid, is_view_only: true }))
    expect((await looking.put(`/Accounts/${own.account_sid}`, { name: 'x' })).status).toBe(403)
    expect(await getAccountsStatus({ scope: 'admin' })).toBe(200)
  })

  test('is rejected without an expiry, with an unknown scope, and if its owners do not exist, match, or are inactive', async () => {
    const own = await providerWithAccount()
    const closed = await providerWithAccount()
    await api.admin.put(`/Accounts/${closed.account_sid}`, { is_active: false })
    const { account_sid, service_provider_sid } = own
    expect(await getAccountsStatus({ scope: 'account', account_sid }, null)).toBe(401)
    for (const claims of [
      {},
      { scope: 'superuser' },
      { scope: 'account' },
      { scope: 'account', account_sid: randomUUID() },
      { scope: 'account', account_sid: closed.account_sid },
      { scope: 'account', account_sid, service_provider_sid: closed.service_provider_sid },
      { scope: 'service_provider' },
      { scope: 'service_provider', service_provider_sid: randomUUID() },
      { scope: 'service_provider', service_provider_sid, account_sid },
      { scope: 'admin', account_sid },
    ])
      expect([claims, await getAccountsStatus(claims)]).toEqual([claims, 401])
  })

  test.skipIf(isMysql)('is rejected on the embedded database, because no other component has its secret', async () => {
    expect(await getAccountsStatus({ scope: 'admin' })).toBe(401)
  })
})

test('a jambonz token with little more than a user is accepted if its session exists', async () => {
  const user = await api.user(await providerWithAccount())
  const claims = { scope: 'account', user_sid: user.sid, email: 'x@example.org' }
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(testSecret))
  expect((await api.as(token).get('/Users/me')).status).toBe(401)
  await api.services.sessions.start(token, user.sid, Date.now() + 3_600_000)
  expect(getRow(await api.as(token).get('/Users/me'))['user']).toMatchObject({ name: user.name, is_view_only: false })
})
