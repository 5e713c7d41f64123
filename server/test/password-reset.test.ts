import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Endpoint } from '@patchbay/contract/api/endpoint'
import { contract } from '@patchbay/contract/contract'
import { createApp } from '@patchbay/server/app/app'
import { hashOfLink } from '@patchbay/server/auth/reset-links'
import { createCertificate } from '@patchbay/testkit/fakes/certificate'
import { type MailServer, type Received, startMailServer } from '@patchbay/testkit/fakes/mail-server'
import { getPort } from '@patchbay/testkit/servers/ports'
import { createTestApi, member, type TestApi, type TestUser, testConfiguration } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getRow, statusAndMessage } from './fixtures.ts'

/** Password reset, from the request for a mail to the new password. */

let mails: MailServer
let api: TestApi
const switchedOn = { ENABLE_FORGOT_PASSWORD: '1', PUBLIC_URL: 'https://console.example.org/' }
beforeAll(async () => {
  mails = await startMailServer()
  const mailing = { SMTP_URL: mails.url, MAIL_FROM: 'Patchbay <no-reply@example.org>' }
  api = await createTestApi({ ...switchedOn, ...mailing }, undefined, { mailRetryMs: [10] })
})
afterAll(async () => {
  await api.close()
  await mails.stop()
})

const fresh = () => `Fresh-${randomUUID()}`
const getEmail = ({ name }: { name: string }) => `${name}@example.org`
const linkIn = ({ text }: Received): string => /reset-password\/(\S+)/.exec(text)?.[1] ?? ''

const ask = (email: unknown, remoteAddress = '127.0.0.1', headers = {}) =>
  api.app.inject({ method: 'POST', url: '/v1/forgot-password', payload: { email }, remoteAddress, headers })

/** Sends a request from a unique address, so that rate limits have no effect. */
let lastAddress = 0
const anAddress = () => `10.1.${(lastAddress += 1) >> 8}.${lastAddress & 255}`

const linkFor = async (user: { name: string }): Promise<string> => {
  expect((await ask(getEmail(user), anAddress())).statusCode).toBe(204)
  const mail = await mails.next()
  expect(mail.to).toEqual([getEmail(user)])
  return linkIn(mail)
}

const exchange = (link: string) => api.nobody.post('/signin', { link })
const withLink = async (link: string) => api.as(member(await exchange(link), 'jwt'))

const change = (user: Partial<TestUser> & { sid: string }, values: object) =>
  api.test.database.db.updateTable('users').set(values).where('user_sid', '=', user.sid).execute()

const owners = {
  admin: () => Promise.resolve({}),
  'user of a provider': async () => ({ service_provider_sid: await api.provider() }),
  'user of an account': async () => {
    const service_provider_sid = await api.provider()
    return { service_provider_sid, account_sid: await api.account(service_provider_sid) }
  },
}

describe('the complete flow', () => {
  const allOwners = Object.entries(owners)

  test.each(allOwners)('API-005 API-127 API-133 an %s sets a new password', async (_, toScopedOwner) => {
    const owner = await toScopedOwner()
    const user = await api.user({ ...owner, is_view_only: true })
    await change(user, { force_change: 1 })
    const link = await linkFor(user)
    expect(link).toMatch(/^[\w-]{22,}$/)

    const answer = await exchange(link)
    const { account_sid = null, service_provider_sid = null }: Record<string, string | null> = owner
    const userFields = { name: user.name, email: getEmail(user), account_sid, service_provider_sid, force_change: true }
    expect(answer).toMatchObject({ status: 200, body: { user_sid: user.sid, ...userFields, pristine: false } })
    expect(
      JSON.stringify(await api.test.database.db.selectFrom('patchbay_reset_links').selectAll().execute()),
    ).not.toContain(link)

    const caller = api.as(member(answer, 'jwt'))
    const new_password = fresh()
    expect((await caller.post('/change-password', { old_password: link, new_password })).status).toBe(204)
    const signedIn = await api.signIn(user.name, new_password)
    expect(signedIn).toMatchObject({ status: 200, body: { force_change: false } })
    expect((await api.signIn(user.name, user.password)).status).toBe(403)
    expect((await user.caller.get('/Users/me')).status).toBe(401)

    expect(statusAndMessage(await exchange(link))).toEqual([403, 'Forbidden'])
    expect((await caller.post('/change-password', { old_password: link, new_password: fresh() })).status).toBe(401)
    expect((await api.signIn(user.name, new_password)).status).toBe(200)
  })

  test('requesting the mail ends no session and does not change the password', async () => {
    const user = await api.user()
    await linkFor(user)
    expect((await user.caller.get('/Users/me')).status).toBe(200)
    expect((await api.signIn(user.name, user.password)).status).toBe(200)
  })

  test('the mail has the configured sender and URL, independent of the request', async () => {
    const user = await api.user()
    await ask(getEmail(user), anAddress(), { host: 'evil.example.com', 'x-forwarded-host': 'evil.example.com' })
    const mail = await mails.next()
    expect(mail.from).toBe('no-reply@example.org')
    expect(mail.text).toContain('Subject: Reset password request')
    expect(mail.text).toContain(`https://console.example.org/reset-password/${linkIn(mail)}`)
    expect(mail.html).toContain(`href="https://console.example.org/reset-password/${linkIn(mail)}"`)
    expect(mail.text).not.toContain('evil')
  })

  test('the audit trail contains the request for a link with its address, and who changed the password', async () => {
    const user = await api.user()
    const link = await linkFor(user)
    await (await withLink(link)).post('/change-password', { old_password: link, new_password: fresh() })
    await exchange(link)
    await api.services.trail.flush()
    const page = getRow(await api.admin.get(`/patchbay/audit-trail?page=1&count=5&sid=${user.sid}`))
    expect(page['data']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: 'create', kind: 'reset_link', actor: 'nobody', address: expect.any(String) }),
        expect.objectContaining({ action: 'update', kind: 'user', actor: 'user', actor_sid: user.sid }),
      ]),
    )
    const refused = getRow(await api.admin.get('/patchbay/audit-trail?page=1&count=50&action=refused'))
    expect(JSON.stringify(refused['data'])).toContain('The reset link is not valid')
    expect(JSON.stringify([page, refused])).not.toContain(link)
  })
})

describe('requests reveal nothing', () => {
  test('unknown, inactive, and externally signed-in users get the same response but no link', async () => {
    const inactive = await api.user()
    await change(inactive, { is_active: 0 })
    const other = await api.user()
    await change(other, { provider: 'google' })
    const localUser = await api.user()
    const owner = await owners['user of an account']()
    const ofClosed = await api.user(owner)
    await api.test.database.db
      .updateTable('accounts')
      .set({ is_active: 0 })
      .where('account_sid', '=', owner.account_sid)
      .execute()
    const emails = [
      `${randomUUID()}@example.org`,
      getEmail(inactive),
      getEmail(ofClosed),
      getEmail(other),
      getEmail(localUser),
    ]
    const answers = []
    for (const email of emails) answers.push(await ask(email, anAddress()))
    for (const answer of answers) {
      const { date: _date, 'x-request-id': _id, ...headers } = answer.headers
      const { date: __date, 'x-request-id': __id, ...first } = answers[0]?.headers ?? {}
      expect([answer.statusCode, answer.body, headers]).toEqual([204, '', first])
    }
    const both = [await mails.next(), await mails.next()]
    expect(both.flatMap(({ to }) => to).toSorted()).toEqual([getEmail(other), getEmail(localUser)].toSorted())
    const toOther = both.find(({ to }) => to[0] === getEmail(other))
    expect(toOther?.text).toContain('You sign in to Patchbay with Google')
    expect(toOther?.text).not.toContain('reset-password/')
  })

  test.each([
    [undefined],
    [''],
    ['nobody'],
    ['a@b@c'],
    ['a b@example.org'],
    [7],
    [null],
    [['a@example.org']],
    ['a@x.org, b@x.org'],
  ])('RESET-02 RESET-03 %j is not an address', async (email) => {
    const { statusCode, body } = await ask(email)
    const text = 'invalid or missing email'
    expect([statusCode, JSON.parse(body)]).toEqual([
      400,
      { msg: text, error: text, code: 'email_invalid', field: 'email' },
    ])
  })

  test('a mail that the mail server defers is sent again', async () => {
    const user = await api.user()
    mails.deferNext()
    expect((await exchange(await linkFor(user))).status).toBe(200)
  })

  test('a mailbox gets at most three mails per hour, and the response stays the same', async () => {
    const user = await api.user()
    const links = [await linkFor(user), await linkFor(user), await linkFor(user)]
    expect((await ask(getEmail(user).toUpperCase(), anAddress())).statusCode).toBe(204)
    const next = await api.user()
    await linkFor(next)
    expect(mails.received.filter(({ to }) => to[0] === getEmail(user))).toHaveLength(3)
    // A mail that is not sent does not invalidate earlier links.
    expect((await exchange(links[2] ?? '')).status).toBe(200)
  })

  test('a client address with too many requests is rejected, and others are not', async () => {
    const address = anAddress()
    const unknown = `${randomUUID()}@example.org`
    for (let count = 0; count < 60; count += 1) expect((await ask(unknown, address)).statusCode).toBe(204)
    expect((await ask(unknown, address)).statusCode).toBe(429)
    expect((await ask(unknown, anAddress())).statusCode).toBe(204)
  })
})

describe('a link', () => {
  test('that is too old is rejected, as is the token that was issued for it', async () => {
    const user = await api.user()
    const link = await linkFor(user)
    const caller = await withLink(link)
    await api.test.database.db
      .updateTable('patchbay_reset_links')
      .set({ expires_at: Date.now() - 1 })
      .where('link_hash', '=', hashOfLink(link))
      .execute()
    expect(statusAndMessage(await exchange(link))).toEqual([403, 'Forbidden'])
    expect((await caller.post('/change-password', { old_password: link, new_password: fresh() })).status).toBe(401)
    const bySession = await user.caller.post('/change-password', { old_password: link, new_password: fresh() })
    expect(statusAndMessage(bySession)).toEqual([400, 'old_password is incorrect'])
  })

  const endings: Readonly<Record<string, (user: TestUser) => Promise<unknown>>> = {
    'a newer link': (user) => linkFor(user),
    'a new password': (user) => api.admin.put(`/Users/${user.sid}`, { initial_password: fresh() }),
    'another address': (user) => api.admin.put(`/Users/${user.sid}`, { email: `${randomUUID()}@example.org` }),
    'a deactivation': (user) => change(user, { is_active: 0 }),
  }
  test.each(Object.entries(endings))('ends with %s', async (_, end) => {
    const user = await api.user()
    const link = await linkFor(user)
    const caller = await withLink(link)
    await end(user)
    expect((await exchange(link)).status).toBe(403)
    expect((await caller.get('/PasswordSettings')).status).toBe(401)
  })

  test('can be used once, even with two concurrent requests', async () => {
    const user = await api.user()
    const link = await linkFor(user)
    const caller = await withLink(link)
    const both = await Promise.all(
      [1, 2].map(() => caller.post('/change-password', { old_password: link, new_password: fresh() })),
    )
    expect(both.filter(({ status }) => status === 204)).toHaveLength(1)
  })

  test('changes the password of its user only', async () => {
    const user = await api.user()
    const other = await api.user()
    const link = await linkFor(user)
    const otherLink = await linkFor(other)
    const tries = [user.caller, await withLink(link)]
    for (const caller of tries) {
      const answer = await caller.post('/change-password', { old_password: otherLink, new_password: fresh() })
      expect(statusAndMessage(answer)).toEqual([400, 'old_password is incorrect'])
    }
    expect((await api.signIn(user.name, user.password)).status).toBe(200)
    expect((await exchange(otherLink)).status).toBe(200)
  })

  test('gives a token that permits only reading the policy and changing the password', async () => {
    const user = await api.user()
    const link = await linkFor(user)
    const caller = await withLink(link)
    const open: string[] = []
    for (const [key, { access }] of Object.entries<Endpoint>(contract)) {
      if (access.minScope === 'public') continue
      const [method, path = ''] = key.split(' ')
      const send = { GET: caller.get, POST: caller.post, PUT: caller.put, DELETE: caller.delete }[method ?? '']
      const answer = await send?.(path.replaceAll(/:\w+/g, user.sid))
      if (answer?.status === 403 && statusAndMessage(answer)[1] === 'You must change your password first') continue
      open.push(key)
    }
    expect(open).toEqual(['POST /change-password', 'GET /PasswordSettings'])
    // A token for the link does not accept the old password, even if it is correct.
    const answer = await caller.post('/change-password', { old_password: user.password, new_password: fresh() })
    expect(statusAndMessage(answer)).toEqual([400, 'old_password is incorrect'])
  })

  test('that is unknown is rejected, and after many attempts the address is locked out for a while', async () => {
    const address = anAddress()
    const tryOne = (link: string) =>
      api.app.inject({ method: 'POST', url: '/v1/signin', payload: { link }, remoteAddress: address })
    for (let count = 0; count < 60; count += 1)
      expect((await tryOne(randomUUID())).json()).toMatchObject({ msg: 'Forbidden' })
    expect((await tryOne(randomUUID())).json()).toMatchObject({ code: 'locked_out' })
    expect((await exchange(randomUUID())).body).toMatchObject({ msg: 'Forbidden' })
  })
})

describe('the email address for links', () => {
  const anotherAddress = () => `${randomUUID()}@elsewhere.example`
  const stands = async ({ sid }: TestUser) =>
    (
      await api.test.database.db
        .selectFrom('users')
        .select(['email', 'hashed_password'])
        .where('user_sid', '=', sid)
        .executeTakeFirstOrThrow()
    ).email

  test.each(Object.entries(owners))(
    'of an %s: changing the own address requires the old password',
    async (_, toScopedOwner) => {
      const user = await api.user(await toScopedOwner())
      const put = (body: object) => user.caller.put(`/Users/${user.sid}`, body)
      const email = anotherAddress()
      for (const body of [
        { email },
        { email, old_password: '' },
        { email, name: fresh() },
        // An address with another case can be another mailbox.
        { email: getEmail(user).toUpperCase() },
      ])
        expect(await put(body)).toMatchObject({
          status: 400,
          body: { msg: 'old_password is required to change the email address', field: 'old_password' },
        })
      expect(await put({ email, old_password: 'not it' })).toMatchObject({
        status: 403,
        body: { field: 'old_password' },
      })
      // This also applies together with a rejected new password.
      expect((await put({ email, new_password: fresh() })).status).toBe(400)
      expect(await stands(user)).toBe(getEmail(user))

      const renamed = fresh()
      expect((await put({ name: renamed, email: getEmail(user) })).status).toBe(204)
      expect((await put({ email, old_password: user.password })).status).toBe(204)
      expect(await stands(user)).toBe(email)
      const new_password = fresh()
      const last = anotherAddress()
      expect((await put({ email: last, old_password: user.password, new_password })).status).toBe(204)
      expect(await stands(user)).toBe(last)
      expect((await api.signIn(renamed, new_password)).status).toBe(200)
    },
  )

  test('wrong passwords count like failed sign-ins', async () => {
    const user = await api.user()
    const guess = () => user.caller.put(`/Users/${user.sid}`, { email: anotherAddress(), old_password: 'a guess' })
    for (let tried = 0; tried < 5; tried += 1) expect(statusAndMessage(await guess())).toEqual([403, 'Forbidden'])
    expect(statusAndMessage(await guess())[1]).toMatch(/^Maximum login attempts reached/)
    const right = { email: anotherAddress(), old_password: user.password }
    expect((await user.caller.put(`/Users/${user.sid}`, right)).status).toBe(403)
    expect(await stands(user)).toBe(getEmail(user))
  })

  test('a key that may not set the password may not set the address either', async () => {
    const service_provider_sid = await api.provider()
    const account_sid = await api.account(service_provider_sid)
    const [ofAccount, ofProvider, admin] = [
      await api.user({ service_provider_sid, account_sid }),
      await api.user({ service_provider_sid }),
      await api.user(),
    ]
    const keys = {
      account: (await api.apiKey({ account_sid })).caller,
      provider: (await api.apiKey({ service_provider_sid })).caller,
      admin: (await api.apiKey()).caller,
    }
    for (const [key, user, status] of [
      ['account', ofAccount, 403],
      ['account', ofProvider, 403],
      ['provider', admin, 403],
      ['admin', admin, 403],
      ['provider', ofAccount, 204],
      ['provider', ofProvider, 204],
      ['admin', ofProvider, 204],
    ] as const) {
      const email = anotherAddress()
      const before = await stands(user)
      const put = (body: object) => keys[key].put(`/Users/${user.sid}`, body)
      expect([key, (await put({ email, old_password: user.password })).status]).toEqual([key, status])
      expect([key, (await put({ email })).status]).toEqual([key, status === 204 ? 204 : status])
      expect(await stands(user)).toBe(status === 204 ? email : before)
    }
    // The key may still change the other fields of this user.
    const rest = { name: fresh(), email: await stands(ofAccount) }
    expect((await keys.account.put(`/Users/${ofAccount.sid}`, rest)).status).toBe(204)
  })

  test('can be changed without the password by callers who may set it, and for users who sign in externally', async () => {
    const service_provider_sid = await api.provider()
    const [boss, user] = [await api.user(), await api.user({ service_provider_sid })]
    expect((await boss.caller.put(`/Users/${user.sid}`, { email: anotherAddress() })).status).toBe(204)
    await change(user, { provider: 'github' })
    expect((await user.caller.put(`/Users/${user.sid}`, { email: anotherAddress() })).status).toBe(204)
  })

  test('if address and password are changed concurrently, the current password is required', async () => {
    const user = await api.user()
    const put = (body: object) => user.caller.put(`/Users/${user.sid}`, { old_password: user.password, ...body })
    const answers = await Promise.all([put({ new_password: fresh() }), put({ email: anotherAddress() })])
    expect(answers[0]?.status).toBe(204)
    expect((await put({ email: anotherAddress() })).status).toBe(403)
  })

  test('follows the rules of jambonz if password reset is disabled', async () => {
    const off = await createTestApi()
    const user = await off.user()
    const put = (body: object) => user.caller.put(`/Users/${user.sid}`, body)
    expect((await put({ email: anotherAddress() })).status).toBe(204)
    expect(statusAndMessage(await put({ email: anotherAddress(), old_password: user.password }))).toEqual([
      400,
      'new_password and old_password both required',
    ])
    const { account_sid, service_provider_sid } = await (async () => {
      const provider = await off.provider()
      return { service_provider_sid: provider, account_sid: await off.account(provider) }
    })()
    const colleague = await off.user({ account_sid, service_provider_sid })
    const { caller } = await off.apiKey({ account_sid })
    expect((await caller.put(`/Users/${colleague.sid}`, { email: anotherAddress() })).status).toBe(204)
    await off.close()
  })
})

describe('POST /signin without a link', () => {
  test.each([
    [{}, 400, 'missing email or password'],
    [{ email: 'a@example.org' }, 400, 'missing email or password'],
    [{ link: '' }, 400, 'missing email or password'],
    [{ email: 'a@example.org', password: 'x' }, 403, 'Forbidden'],
  ])('%j', async (body, status, msg) => {
    expect(statusAndMessage(await api.nobody.post('/signin', body))).toEqual([status, msg])
  })
})

describe('POST /signin with an email address', () => {
  const confirm = (user_sid: string, more: object = {}) =>
    api.test.database.db
      .updateTable('users')
      .set({ email_validated: 1, ...more })
      .where('user_sid', '=', user_sid)
      .execute()
  const signInAs = (email: string, password: string) => api.nobody.post('/signin', { email, password })

  test('signs in local users of every scope with a confirmed address', async () => {
    const provider = await api.provider()
    const account_sid = await api.account(provider)
    for (const owner of [
      {},
      { service_provider_sid: provider },
      { account_sid },
      { account_sid, is_view_only: true },
    ]) {
      const user = await api.user(owner)
      await confirm(user.sid)
      const answer = await signInAs(`${user.name}@EXAMPLE.org`, user.password)
      expect(answer).toMatchObject({
        status: 200,
        body: { user_sid: user.sid, name: user.name, provider: 'local', email_validated: true, pristine: false },
      })
      const caller = api.as(member(answer, 'jwt'))
      expect((await caller.get('/Users/me')).status).toBe(200)
      const isViewOnly = 'is_view_only' in owner
      expect((await caller.post('/Webhooks', { url: 'https://example.org' })).status).toBe(isViewOnly ? 403 : 201)
    }
  })

  test('denies unknown, unconfirmed, and deactivated users, other providers, and wrong passwords alike', async () => {
    const [unconfirmed, inactive, external, wrong] = [
      await api.user(),
      await api.user(),
      await api.user(),
      await api.user(),
    ]
    await confirm(inactive.sid, { is_active: 0 })
    await confirm(external.sid, { provider: 'google' })
    await confirm(wrong.sid)
    for (const { name, password } of [unconfirmed, inactive, external, { ...wrong, password: 'wrong' }])
      expect(statusAndMessage(await signInAs(`${name}@example.org`, password))).toEqual([403, 'Forbidden'])
  })

  test('counts wrong passwords, so that the address is locked out', async () => {
    const user = await api.user()
    await confirm(user.sid)
    const answers = []
    for (let attempt = 0; attempt < 12; attempt += 1) answers.push(await signInAs(`${user.name}@example.org`, 'wrong'))
    expect(String(statusAndMessage(answers.at(-1) ?? (await signInAs('', '')))[1])).toContain('Maximum login attempts')
    expect((await signInAs(`${user.name}@example.org`, user.password)).status).toBe(403)
  })
})

describe('POST /change-password with the old password', () => {
  test('changes it, ends all sessions, and clears the mark that it must be changed', async () => {
    const user = await api.user({ force_change: true })
    const new_password = fresh()
    expect((await user.caller.post('/change-password', { old_password: user.password, new_password })).status).toBe(204)
    expect((await user.caller.get('/PasswordSettings')).status).toBe(401)
    expect((await api.signIn(user.name, new_password)).body).toMatchObject({ force_change: false })
  })

  const missing = 'missing old_password or new_password'
  test.each([
    [{}, 400, missing],
    [{ old_password: 'x' }, 400, missing],
    [{ new_password: 'x' }, 400, missing],
    [{ old_password: 'wrong', new_password: 'Long-enough-1' }, 400, 'old_password is incorrect'],
    [{ old_password: 'OWN', new_password: 'short' }, 400, 'password must be at least 6 characters long'],
    [{ old_password: 'OWN', new_password: 'password' }, 400, 'password is too common'],
    [{ old_password: 'OWN', new_password: 'OWN' }, 400, 'new password cannot be your old password'],
  ])('%j is rejected', async (body, status, msg) => {
    const user = await api.user()
    const own = Object.fromEntries(
      Object.entries(body).map(([name, value]) => [name, value === 'OWN' ? user.password : value]),
    )
    expect(statusAndMessage(await user.caller.post('/change-password', own))).toEqual([status, msg])
    expect((await user.caller.get('/Users/me')).status).toBe(200)
  })

  test('is rejected for users who sign in externally and for keys', async () => {
    const user = await api.user()
    await change(user, { provider: 'github' })
    const body = { old_password: user.password, new_password: fresh() }
    expect(statusAndMessage(await user.caller.post('/change-password', body))).toEqual([
      400,
      'user is using oauth authentication',
    ])
    expect((await (await api.apiKey()).caller.post('/change-password', body)).status).toBe(403)
  })

  test('wrong passwords count like failed sign-ins and are recorded', async () => {
    const user = await api.user()
    // If there are very many entries in the same second, they are merged.
    await api.services.trail.flush()
    const guess = () => user.caller.post('/change-password', { old_password: 'wrong', new_password: fresh() })
    for (let count = 0; count < 5; count += 1) expect((await guess()).status).toBe(400)
    expect((await guess()).body).toMatchObject({ code: 'locked_out' })
    expect((await api.signIn(user.name, user.password)).body).toMatchObject({ code: 'locked_out' })
    await api.services.trail.flush()
    const { body } = await api.admin.get(`/patchbay/audit-trail?page=1&count=9&sid=${user.sid}&action=refused`)
    expect(JSON.stringify(body)).toContain('old_password is incorrect')
  })
})

/** Starts an app with the same database and other settings. Captures its log. */
const appWith = async (settings: NodeJS.ProcessEnv) => {
  const lines: string[] = []
  const { database } = api.test
  const log = { write: (line: string) => void lines.push(line) }
  const app = await createApp({ configuration: testConfiguration(settings), database, log })
  const askIt = (email: string) => app.inject({ method: 'POST', url: '/v1/forgot-password', payload: { email } })
  return { app, lines, askIt }
}

describe('a mail server that speaks TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-mail-'))
  const certificate = createCertificate(folder, 'mail')
  afterAll(() => rmSync(folder, { recursive: true }))

  test.each(['smtps', 'starttls'] as const)('receives mails by %s if its certificate is trusted', async (tls) => {
    const server = await startMailServer({ tls, ...certificate })
    const mailSettings = { SMTP_URL: server.url, SMTP_CA_FILE: certificate.cert, MAIL_FROM: 'a@example.org' }
    const { app, askIt } = await appWith({ ...switchedOn, ...mailSettings })
    const user = await api.user()
    expect((await askIt(getEmail(user))).statusCode).toBe(204)
    expect(await server.next()).toMatchObject({ to: [getEmail(user)], secure: true })
    await app.close()
    await server.stop()
  })

  test.each(['smtps', 'starttls'] as const)(
    'receives no mails by %s if its certificate is not trusted',
    async (tls) => {
      const server = await startMailServer({ tls, ...certificate })
      const unknown = { SMTP_URL: server.url, MAIL_FROM: 'a@example.org' }
      const { app, lines, askIt } = await appWith({ ...switchedOn, ...unknown })
      expect((await askIt(getEmail(await api.user()))).statusCode).toBe(204)
      await expect.poll(() => lines.join('')).toContain('an email to reset a password could not be sent')
      expect(lines.join('')).toContain('self-signed certificate')
      expect(lines.join('')).not.toMatch(/reset-password\/|mail-password/)
      // The password of the mail account is not sent either.
      expect([server.received, server.signIns()]).toEqual([[], 0])
      await app.close()
      await server.stop()
    },
  )

  test('is required if a CA is configured: a server without TLS receives nothing', async () => {
    const server = await startMailServer()
    const mailSettings = { SMTP_URL: server.url, SMTP_CA_FILE: certificate.cert, MAIL_FROM: 'a@example.org' }
    const { app, lines, askIt } = await appWith({ ...switchedOn, ...mailSettings })
    expect((await askIt(getEmail(await api.user()))).statusCode).toBe(204)
    await expect.poll(() => lines.join('')).toContain('an email to reset a password could not be sent')
    expect([server.received, server.signIns()]).toEqual([[], 0])
    await app.close()
    await server.stop()
  })

  test('is rejected under another host name', async () => {
    const server = await startMailServer({
      tls: 'starttls',
      ...createCertificate(folder, 'elsewhere', 'DNS:elsewhere'),
    })
    const SMTP_CA_FILE = join(folder, 'elsewhere.crt')
    const { app, lines, askIt } = await appWith({
      ...switchedOn,
      SMTP_URL: server.url,
      SMTP_CA_FILE,
      MAIL_FROM: 'a@example.org',
    })
    expect((await askIt(getEmail(await api.user()))).statusCode).toBe(204)
    await expect.poll(() => lines.join('')).toContain('an email to reset a password could not be sent')
    expect([server.received, server.signIns()]).toEqual([[], 0])
    await app.close()
    await server.stop()
  })
})

describe('without a mail server', () => {
  test('if it is not configured, mails are logged', async () => {
    const { app, lines, askIt } = await appWith(switchedOn)
    const user = await api.user()
    expect((await askIt(getEmail(user))).statusCode).toBe(204)
    await expect.poll(() => lines.join('')).toContain(`"to":"${getEmail(user)}"`)
    const [, link = ''] = /reset-password\/([\w-]+)/.exec(lines.join('')) ?? []
    expect((await exchange(link)).status).toBe(200)
    await app.close()
  })

  const refusing = async () => {
    const server = createServer((socket) => socket.end('554 no\r\n')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server
  }

  test('if it rejects mails, the response is the same, the log contains no link, and the server continues', async () => {
    const server = await refusing()
    const SMTP_URL = `smtp://127.0.0.1:${getPort(server)}`
    const { app, lines, askIt } = await appWith({ ...switchedOn, SMTP_URL, MAIL_FROM: 'a@example.org' })
    const user = await api.user()
    expect((await askIt(getEmail(user))).statusCode).toBe(204)
    await expect.poll(() => lines.join('')).toContain('an email to reset a password could not be sent')
    expect(lines.join('')).not.toContain('reset-password/')
    expect((await app.inject({ url: '/health' })).statusCode).toBe(200)
    await app.close()
    server.close()
  })

  test('if it does not respond, the response is still immediate', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const connected = once(silent, 'connection')
    const SMTP_URL = `smtp://127.0.0.1:${getPort(silent)}`
    const { app, askIt } = await appWith({ ...switchedOn, SMTP_URL, MAIL_FROM: 'a@example.org' })
    expect((await askIt(getEmail(await api.user()))).statusCode).toBe(204)
    // The delivery still hangs after the response, and closing the app does not wait for it.
    const [socket] = await connected
    await app.close()
    socket.destroy()
    silent.close()
  })
})

test('COMMON-10 if it is disabled, no mail is sent and earlier links are invalid', async () => {
  const user = await api.user()
  const link = await linkFor(user)
  const { app, askIt } = await appWith({})
  expect((await askIt(getEmail(user))).statusCode).toBe(404)
  const signin = await app.inject({ method: 'POST', url: '/v1/signin', payload: { link } })
  expect(signin.statusCode).toBe(403)
  await app.close()
  expect((await exchange(link)).status).toBe(200)
})

describe('an invitation', () => {
  const invite = (body: object, caller = api.admin) => caller.post('/patchbay/users/invitations', body)
  const guest = (more: object = {}) => {
    const sid = randomUUID()
    return { name: `guest ${sid}`, email: `${sid}@example.org`, ...more }
  }

  test('creates a user who chooses a password with the mailed link, once', async () => {
    const owner = { service_provider_sid: await api.provider() }
    const body = guest(owner)
    const answer = await invite(body)
    expect([answer.status, answer.body]).toEqual([201, { user_sid: expect.any(String) as string, is_mailed: true }])
    const mail = await mails.next()
    expect(mail.to).toEqual([body.email])
    // The name could be a message to a stranger.
    expect(mail.text).not.toContain(body.name)
    const link = linkIn(mail)
    expect((await exchange(link)).body).toMatchObject({ name: body.name })
    const password = fresh()
    const chosen = await (await withLink(link)).post('/change-password', { old_password: link, new_password: password })
    expect(chosen.status).toBe(204)
    expect((await api.signIn(body.name, password)).body).toMatchObject({ force_change: false })
    expect((await exchange(link)).status).toBe(403)
  })

  test('is valid for three days, and another one replaces it', async () => {
    const body = guest()
    const user_sid = member(await invite(body), 'user_sid')
    const first = linkIn(await mails.next())
    const { expires_at } = await api.test.database.db
      .selectFrom('patchbay_reset_links')
      .select('expires_at')
      .where('user_sid', '=', user_sid)
      .executeTakeFirstOrThrow()
    const days = (expires_at - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(2.9)
    expect(days).toBeLessThanOrEqual(3)
    expect((await api.admin.post(`/patchbay/users/${user_sid}/invitation`)).status).toBe(204)
    const second = linkIn(await mails.next())
    expect((await exchange(first)).status).toBe(403)
    expect((await exchange(second)).status).toBe(200)
  })

  test.each([
    [{ email: 'nobody' }, 400, 'email'],
    [{ name: '' }, 400, 'name'],
    [{ initial_password: 'x' }, 400, 'initial_password'],
    [{ account_sid: randomUUID() }, 400, 'account_sid'],
  ])('with %j is rejected at the field, and creates nobody', async (more, status, field) => {
    const body = guest(more)
    const answer = await invite(body)
    expect([answer.status, getRow(answer)['field']]).toEqual([status, field])
    const users = await api.test.database.db
      .selectFrom('users')
      .select('name')
      .where('email', '=', body.email)
      .execute()
    expect(users).toEqual([])
  })

  test('is not mailed to inactive users or users of another sign-in provider', async () => {
    for (const values of [{ is_active: 0 }, { provider: 'google' }]) {
      const user = await api.user()
      await change(user, values)
      const answer = await api.admin.post(`/patchbay/users/${user.sid}/invitation`)
      expect([answer.status, getRow(answer)['code']]).toEqual([422, 'user_not_invitable'])
    }
  })

  test('is limited per mailbox', async () => {
    const user_sid = member(await invite(guest()), 'user_sid')
    await mails.next()
    const statuses = []
    for (let count = 0; count < 10; count += 1)
      statuses.push((await api.admin.post(`/patchbay/users/${user_sid}/invitation`)).status)
    expect(statuses).toEqual([...Array<number>(9).fill(204), 429])
    for (let count = 0; count < 9; count += 1) await mails.next()
  })

  test('keeps the user if the mail server does not accept the mail, and says so', async () => {
    const silent = await createTestApi({
      ...switchedOn,
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'a@b.example',
    })
    const body = guest()
    const answer = await silent.admin.post('/patchbay/users/invitations', body)
    expect([answer.status, getRow(answer)['is_mailed']]).toEqual([201, false])
    const again = await silent.admin.post(`/patchbay/users/${member(answer, 'user_sid')}/invitation`)
    expect([again.status, getRow(again)['code']]).toEqual([503, 'email_not_sent'])
    await silent.close()
  })

  test('does not exist where links are not mailed', async () => {
    const off = await createTestApi({})
    expect((await off.admin.post('/patchbay/users/invitations', guest())).status).toBe(404)
    await off.close()
  })
})
