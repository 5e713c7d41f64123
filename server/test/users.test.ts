import { randomUUID } from 'node:crypto'
import { platformTables } from '@patchbay/server/database/platform-schema'
import { type Caller, member, type TestUser } from '@patchbay/testkit/test-api'
import { isMysql } from '@patchbay/testkit/test-database'
import {
  createWorld,
  type KeyName,
  openTestApi,
  signedIn,
  type UserName,
  type World,
  worldPassword,
} from '@patchbay/testkit/test-world'
import { sql } from 'kysely'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { countMentions, getRow, getRows, snapshot, sorted, statusAndMessage } from './fixtures.ts'

const api = await openTestApi()
const provider = await api.provider()
const account_sid = await api.account(provider)

const { stringify } = JSON

const rowOfUser = (user_sid: string) =>
  api.test.database.db.selectFrom('users').selectAll().where('user_sid', '=', user_sid).executeTakeFirstOrThrow()

const toScopedOwner = async (user_sid: string) => {
  const row = await rowOfUser(user_sid)
  return { account_sid: row.account_sid, service_provider_sid: row.service_provider_sid }
}

const password = 'Pass-w0rd-of-a-test'

const newUser = (more: object = {}) => {
  const name = `user-${randomUUID()}`
  return { name, email: `${name}@example.org`, initial_password: password, ...more }
}

const put = (user_sid: string, body: object) => api.admin.put(`/Users/${user_sid}`, body)

const isViewOnly = async (name: string, typed = password): Promise<unknown> => {
  const { body } = await api.signIn(name, typed)
  return getRow(await api.as(body.token).get('/Users/me'))['user']
}

describe('GET Users/me', () => {
  // API-007 also names the subscription, which belongs to the hosted mode.
  test('returns the signed-in user with account and service provider', async () => {
    const sip_realm = `${randomUUID()}.example.org`
    const root_domain = `${randomUUID()}.example.org`
    const sp = member(await api.admin.post('/ServiceProviders', { name: root_domain, root_domain }), 'sid')
    const own = await api.account(sp, { name: 'Mine', sip_realm, plan_type: 'paid', device_to_call_ratio: 3 })
    const { caller, sid, name } = await api.user({ account_sid: own })
    expect((await caller.get('/Users/me')).body).toEqual({
      subscription: null,
      user: {
        user_sid: sid,
        name,
        email: `${name}@example.org`,
        pending_email: null,
        phone: null,
        account_sid: own,
        service_provider_sid: sp,
        force_change: false,
        provider: 'local',
        provider_userid: null,
        scope: 'read-write',
        email_validated: false,
        phone_validated: false,
        email_content_opt_out: 0,
        is_active: 1,
        is_view_only: false,
      },
      account: {
        account_sid: own,
        name: 'Mine',
        sip_realm,
        root_domain,
        service_provider_sid: sp,
        registration_hook_sid: null,
        queue_event_hook_sid: null,
        device_calling_application_sid: null,
        siprec_hook_sid: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        plan_type: 'paid',
        stripe_customer_id: null,
        webhook_secret: expect.stringMatching(/^\*\*_\*{6}_\*+\w{4}$/),
        disable_cdrs: 0,
        deactivated_reason: null,
        device_to_call_ratio: 3,
        subspace_client_id: null,
        subspace_client_secret: null,
        subspace_sip_teleport_id: null,
        subspace_sip_teleport_destinations: null,
        record_all_calls: 0,
        record_format: 'mp3',
        bucket_credential: null,
        enable_debug_log: 0,
        trial_end_date: null,
        is_active: 1,
      },
      sp: {
        service_provider_sid: sp,
        name: root_domain,
        description: null,
        root_domain,
        registration_hook_sid: null,
        ms_teams_fqdn: null,
      },
    })
  })

  test('account and provider have all columns of jambonz, with masked secrets', async () => {
    const sp = await api.provider()
    const own = await api.account(sp)
    const { db } = api.test.database
    const secrets = {
      webhook_secret: 'wh_secret_in-clear-0001',
      subspace_client_secret: 'subspace-in-clear-0002',
      bucket_credential: api.services.encryption.encrypt('{"vendor":"google","service_key":"in clear"}'),
    }
    await db.updateTable('accounts').set(secrets).where('account_sid', '=', own).execute()
    const answer = await (await api.user({ account_sid: own })).caller.get('/Users/me')
    const { account, sp: ofAccount } = getRow(answer)
    expect(sorted(Object.keys(account ?? {}))).toEqual(
      sorted([...Object.keys(platformTables.accounts.columns), 'root_domain']),
    )
    expect(sorted(Object.keys(ofAccount ?? {}))).toEqual(sorted(Object.keys(platformTables.service_providers.columns)))
    for (const secret of Object.values(secrets)) expect(answer.text).not.toContain(secret)
    expect(account).toMatchObject({ bucket_credential: '********', subspace_client_secret: 'subspaXXXXXXXXXXXXXXXX' })
  })

  test('missing owners are null, and no secret is returned', async () => {
    const { user, account, sp } = getRow(await api.admin.get('/Users/me'))
    expect(user).toMatchObject({ account_sid: null, service_provider_sid: null })
    for (const none of [account, sp]) expect(new Set(Object.values(none ?? {}))).toEqual(new Set([null]))
    const ofProvider = getRow(await (await api.user({ service_provider_sid: provider })).caller.get('/Users/me'))
    expect(ofProvider).toMatchObject({ account: { account_sid: null }, sp: { service_provider_sid: provider } })
    const { text } = await (await api.user({ account_sid })).caller.get('/Users/me')
    for (const secret of ['hashed_password', 'argon2', 'activation_code', 'wh_secret'])
      expect(text).not.toContain(secret)
  })

  test('an API key has no user', async () => {
    expect(statusAndMessage(await (await api.apiKey({ account_sid })).caller.get('/Users/me'))).toEqual([
      403,
      'Forbidden',
    ])
  })
})

const createAndReadScope = async (owner: object) => {
  const body = newUser(owner)
  expect((await api.admin.post('/Users', body)).status).toBe(201)
  return (await api.signIn(body.name, password)).body.scope
}

describe('POST Users', () => {
  test('API-009 POST Users creates a user from all its fields', async () => {
    const body = newUser({
      force_change: true,
      is_active: true,
      is_view_only: true,
      service_provider_sid: provider,
      account_sid,
    })
    const response = await api.admin.post('/Users', body)
    expect(response).toMatchObject({ status: 201, body: { user_sid: expect.stringMatching(/^[0-9a-f-]{36}$/) } })
    const row = await rowOfUser(member(response, 'user_sid'))
    const { name, email } = body
    expect(row).toMatchObject({
      name,
      email,
      force_change: 1,
      is_active: 1,
      service_provider_sid: provider,
      account_sid,
      provider: 'local',
    })
    expect(row.hashed_password).toMatch(/^\$argon2/)
    expect(await api.signIn(name, password)).toMatchObject({
      status: 200,
      body: { scope: 'account', force_change: true },
    })
    const idle = newUser({ is_active: false, force_change: false })
    await api.admin.post('/Users', idle)
    expect((await api.signIn(idle.name, password)).status).toBe(403)
  })

  test('without owners a user is an admin, with a provider its user, and with an account its user', async () => {
    expect(await createAndReadScope({})).toBe('admin')
    expect(await createAndReadScope({ account_sid: null, service_provider_sid: null })).toBe('admin')
    expect(await createAndReadScope({ service_provider_sid: provider, account_sid: null })).toBe('service_provider')
    expect(await createAndReadScope({ account_sid, service_provider_sid: provider })).toBe('account')
    expect(await createAndReadScope({ account_sid })).toBe('account')
  })

  test.each([
    ['name', undefined, 'missing field name'],
    ['name', '', 'name must not be empty'],
    ['name', 'x'.repeat(256), 'name must be at most 255 characters long'],
    ['email', undefined, 'missing field email'],
    ['email', 'x'.repeat(256), 'email must be at most 255 characters long'],
    ['initial_password', undefined, 'missing field initial_password'],
    ['initial_password', '', 'initial_password must not be empty'],
    ['initial_password', 7, 'initial_password must be text'],
    ['initial_password', null, 'initial_password must be text'],
    ['initial_password', 'x'.repeat(1025), 'initial_password must be at most 1024 characters long'],
    ['email', 'nobody', 'email must be an email address such as name@example.com'],
    ['email', 'a b@example.org', 'email must be an email address such as name@example.com'],
    ['is_active', 'yes', 'is_active must be true, false, 0 or 1'],
    ['account_sid', 'x', 'account_sid must be a sid (UUID)'],
    ['scope', 'admin', 'unknown field scope'],
    ['hashed_password', 'x', 'unknown field hashed_password'],
  ])('%s: %j is rejected with the field name', async (field, value, msg) => {
    const body = newUser({ [field]: value })
    expect(await api.admin.post('/Users', body)).toMatchObject({ status: 400, body: { msg, field } })
    expect((await api.signIn(body.name, password)).status).not.toBe(200)
  })

  test('a name or email of another user is 422, regardless of case', async () => {
    const taken = newUser()
    await api.admin.post('/Users', taken)
    const before = await snapshot(api)
    for (const clash of [
      { name: taken.name },
      { name: taken.name.toUpperCase() },
      { email: taken.email },
      { email: taken.email.toUpperCase() },
    ])
      expect(await api.admin.post('/Users', newUser(clash))).toMatchObject({
        status: 422,
        body: {
          msg: 'invalid username or email',
          code: 'name' in clash ? 'user_name_taken' : 'user_email_taken',
          field: Object.keys(clash)[0],
        },
      })
    expect(await snapshot(api)).toEqual(before)
  })

  test('an admin cannot name owners that do not exist or do not match', async () => {
    const otherProvider = await api.provider()
    for (const owner of [
      { account_sid: randomUUID() },
      { account_sid, service_provider_sid: otherProvider },
      { account_sid, service_provider_sid: randomUUID() },
    ])
      expect(await api.admin.post('/Users', newUser(owner))).toMatchObject({
        status: 400,
        body: { field: 'account_sid' },
      })
    expect(await api.admin.post('/Users', newUser({ service_provider_sid: randomUUID() }))).toMatchObject({
      status: 400,
      body: { field: 'service_provider_sid' },
    })
  })
})

const createOwned = async (caller: Caller, owner: object) => {
  const response = await caller.post('/Users', newUser(owner))
  return response.status === 201 ? toScopedOwner(member(response, 'user_sid')) : response.status
}

describe('permission to create users', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld(api)
  })
  const both = async (user: UserName, key: KeyName) => [
    await signedIn(api, world.users[user]),
    api.as(world.keys[key].token),
  ]

  test('an account, as user or key, creates users of itself only, regardless of the request', async () => {
    const { A, A2, B, P, Q } = world.sid
    for (const caller of await both('user of A', 'key of A')) {
      for (const owner of [
        {},
        { service_provider_sid: null },
        { account_sid: A2 },
        { account_sid: B, service_provider_sid: Q },
      ])
        expect(await createOwned(caller, owner)).toEqual({ account_sid: A, service_provider_sid: P })
    }
  })

  test('a provider, as user or key, creates users of itself and its accounts only', async () => {
    const { A, B, P, Q } = world.sid
    for (const caller of await both('user of P', 'key of P')) {
      for (const owner of [{}, { account_sid: null }, { service_provider_sid: Q }])
        expect(await createOwned(caller, owner)).toEqual({ account_sid: null, service_provider_sid: P })
      for (const service_provider_sid of [Q, null])
        expect(await createOwned(caller, { account_sid: A, service_provider_sid })).toEqual({
          account_sid: A,
          service_provider_sid: P,
        })
      expect(await createOwned(caller, { account_sid: B })).toBe(400)
      expect(await createOwned(caller, { account_sid: randomUUID() })).toBe(400)
    }
  })

  test('ROLES-27 a provider cannot create an admin, and an account can create neither an admin nor a provider user', async () => {
    const { P } = world.sid
    const [below, lowest] = [await both('user of P', 'key of P'), await both('user of A', 'key of A')]
    const before = await snapshot(api)
    const [admin, ofProvider] = [
      { account_sid: null, service_provider_sid: null },
      { account_sid: null, service_provider_sid: P },
    ]
    for (const caller of below) {
      for (const owner of [admin, { service_provider_sid: null }])
        expect(await caller.post('/Users', newUser(owner))).toMatchObject({
          status: 403,
          body: { msg: 'insufficient permissions', field: 'service_provider_sid' },
        })
    }
    for (const caller of lowest) {
      for (const owner of [admin, ofProvider, { account_sid: null }])
        expect(await caller.post('/Users', newUser(owner))).toMatchObject({
          status: 403,
          body: { msg: 'insufficient permissions', field: 'account_sid' },
        })
    }
    expect(await snapshot(api)).toEqual(before)
  })

  test("a key cannot change a user of another account or provider, nor an admin's password", async () => {
    const victims = ['admin', 'user of Q', 'user of B', 'user of P', 'user of A2'] as const
    const before = await snapshot(api)
    const caller = api.as(world.keys['key of A'].token)
    for (const name of victims) {
      const path = `/Users/${world.users[name].user_sid}`
      for (const body of [
        { initial_password: password },
        { old_password: worldPassword, new_password: password },
        { name: 'mine' },
      ])
        expect(statusAndMessage(await caller.put(path, body))).toEqual([403, 'Forbidden'])
    }
    const ofProvider = api.as(world.keys['key of P'].token)
    for (const name of ['admin', 'user of Q', 'user of B'] as const)
      expect(
        (await ofProvider.put(`/Users/${world.users[name].user_sid}`, { initial_password: password })).status,
      ).toBe(403)
    const ofAdmin = api.as(world.keys['admin key'].token)
    expect((await ofAdmin.put(`/Users/${world.users.admin.user_sid}`, { initial_password: password })).status).toBe(403)
    const another = `/Users/${world.users['another user of A'].user_sid}`
    expect(statusAndMessage(await caller.put(another, { initial_password: password }))).toEqual([403, 'Forbidden'])
    expect(await snapshot(api)).toEqual(before)
    expect((await ofProvider.put(another, { initial_password: password })).status).toBe(204)
  })
})

describe('PUT Users/{sid}', () => {
  test('API-010 changes each field individually, including flags that are switched off', async () => {
    const { sid, name } = await api.user({ account_sid })
    const renamed = `renamed-${name}`
    for (const [body, expected] of [
      [{ name: renamed }, { name: renamed }],
      [{ email: `${renamed}@example.org` }, { email: `${renamed}@example.org` }],
      [{ force_change: true }, { force_change: 1 }],
      [{ force_change: false }, { force_change: 0 }],
      [{ is_active: false }, { is_active: 0 }],
      [{ is_active: true }, { is_active: 1 }],
      [
        { email: `2${renamed}@example.org`, email_activation_code: '123456' },
        { email: `2${renamed}@example.org`, email_activation_code: '123456', email_validated: 0 },
      ],
    ]) {
      expect([stringify(body), (await put(sid, body ?? {})).status]).toEqual([stringify(body), 204])
      expect(await rowOfUser(sid)).toMatchObject(expected ?? {})
    }
  })

  test('a new initial password replaces the old one and ends the sessions', async () => {
    const { sid, name, password: old, caller } = await api.user({ account_sid })
    expect((await put(sid, { initial_password: password })).status).toBe(204)
    expect((await caller.get('/Users/me')).status).toBe(401)
    expect((await api.signIn(name, old)).status).toBe(403)
    expect((await api.signIn(name, password)).status).toBe(200)
  })

  test.each(['   ', '\u200b\u200b', '\u202e', '\u2060\ufeff', '\u3164'])(
    'a name or address of which nobody sees anything (%j) is refused, of users, accounts and providers',
    async (unseen) => {
      const { sid, name } = await api.user({ service_provider_sid: provider })
      const answers = [
        await api.admin.post('/Users', newUser({ name: unseen })),
        await api.admin.post('/Users', newUser({ email: unseen })),
        await put(sid, { name: unseen }),
        await put(sid, { email: unseen }),
        await api.admin.put(`/Accounts/${account_sid}`, { name: unseen }),
        await api.admin.put(`/ServiceProviders/${provider}`, { name: unseen }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400])
      expect(answers[2]?.body).toMatchObject({ msg: 'name must not be empty', field: 'name' })
      // Inside a name, these characters are allowed.
      expect((await put(sid, { name: `${name} \u{1f469}\u200d\u{1f680}` })).status).toBe(204)
    },
  )

  test('a name or email of another user is 422', async () => {
    const [one, other] = [await api.user(), await api.user()]
    expect(await put(one.sid, { name: other.name.toUpperCase() })).toMatchObject({
      status: 422,
      body: { field: 'name' },
    })
    expect(await put(one.sid, { email: `${other.name}@example.org` })).toMatchObject({
      status: 422,
      body: { field: 'email' },
    })
    expect((await put(one.sid, { name: one.name, email: `${one.name}@example.org` })).status).toBe(204)
  })

  test.each([
    [{}, 'no updates requested'],
    [{ nonsense: 1 }, 'no updates requested'],
    [{ name: '', email: null }, 'no updates requested'],
    [{ old_password: 'x' }, 'new_password and old_password both required'],
    [{ new_password: 'xxxxxxxx' }, 'new_password and old_password both required'],
    [{ old_password: 'x', new_password: 'xxxxxxxx', name: 'n' }, 'can not change name and password simultaneously'],
    [{ email_activation_code: '1' }, 'email and email_activation_code both required'],
    [{ account_sid: '3fbe0fd3-4bd8-4a9c-b8c6-9b1ad4b0c0a1' }, 'Invalid request: account_sid does not exist'],
  ])('%j is rejected: %s', async (body, msg) => {
    const { sid } = await api.user({ account_sid })
    const before = await snapshot(api)
    expect(statusAndMessage(await put(sid, body))).toEqual([400, msg])
    expect(await snapshot(api)).toEqual(before)
  })

  test('a new email address must be valid, and an invalid stored one can be sent again unchanged', async () => {
    const { user_sid } = (await api.admin.post('/Users', newUser())).body as { user_sid: string }
    await api.test.database.db
      .updateTable('users')
      .set({ email: 'operator' })
      .where('user_sid', '=', user_sid)
      .execute()
    expect(await api.admin.put(`/Users/${user_sid}`, { email: 'operator', is_active: 0 })).toMatchObject({
      status: 204,
    })
    expect(await api.admin.put(`/Users/${user_sid}`, { email: 'someone' })).toMatchObject({
      status: 400,
      body: { msg: 'email must be an email address such as name@example.com', field: 'email' },
    })
  })

  test('a user who signs in externally has no password to change', async () => {
    const { sid, password: old_password } = await api.user()
    await api.test.database.db.updateTable('users').set({ provider: 'google' }).where('user_sid', '=', sid).execute()
    expect(statusAndMessage(await put(sid, { old_password, new_password: password }))).toEqual([
      400,
      'can not change password when using oauth2',
    ])
  })

  test('an unknown user is 404 for an admin', async () => {
    expect((await put(randomUUID(), { name: 'x' })).status).toBe(404)
  })

  test('a conflict prevents all changes, including flags', async () => {
    const [one, other] = [await api.user(), await api.user()]
    const before = await snapshot(api)
    expect(
      (await put(one.sid, { force_change: true, is_view_only: true, initial_password: password, name: other.name }))
        .status,
    ).toBe(422)
    expect(await snapshot(api)).toEqual(before)
  })
})

describe('the owner of a user', () => {
  const promoted = 'Invalid request: user may not be promoted'

  test('null is accepted for owners that are already null, so that admins and provider users can be saved', async () => {
    const admin = await api.user()
    const ofProvider = await api.user({ service_provider_sid: provider })
    expect(
      (await put(admin.sid, { name: `${admin.name}2`, account_sid: null, service_provider_sid: null })).status,
    ).toBe(204)
    expect(
      (await put(ofProvider.sid, { name: `${ofProvider.name}2`, account_sid: null, service_provider_sid: provider }))
        .status,
    ).toBe(204)
    expect((await rowOfUser(ofProvider.sid)).name).toBe(`${ofProvider.name}2`)
  })

  test('a null that would promote the user is rejected for every caller', async () => {
    const ofAccount = await api.user({ account_sid, service_provider_sid: provider })
    const ofProvider = await api.user({ service_provider_sid: provider })
    const colleague = await api.user({ account_sid, service_provider_sid: provider })
    const before = await snapshot(api)
    for (const caller of [api.admin, ofProvider.caller, colleague.caller, ofAccount.caller]) {
      expect(statusAndMessage(await caller.put(`/Users/${ofAccount.sid}`, { account_sid: null, name: 'x' }))).toEqual([
        400,
        promoted,
      ])
      expect(
        statusAndMessage(await caller.put(`/Users/${ofAccount.sid}`, { service_provider_sid: null, name: 'x' })),
      ).toEqual([400, promoted])
    }
    for (const caller of [api.admin, ofProvider.caller])
      expect(
        statusAndMessage(await caller.put(`/Users/${ofProvider.sid}`, { service_provider_sid: null, name: 'x' })),
      ).toEqual([400, promoted])
    expect(await snapshot(api)).toEqual(before)
  })

  test('callers who could create such a user promote a user with a scope in the request', async () => {
    const promoter = await api.user({ service_provider_sid: provider })
    const key = (await api.apiKey({ service_provider_sid: provider })).caller
    for (const caller of [promoter.caller, key]) {
      const target = await api.user({ account_sid, service_provider_sid: provider })
      const body = { scope: 'service_provider', account_sid: null, service_provider_sid: provider }
      expect((await caller.put(`/Users/${target.sid}`, body)).status).toBe(204)
      expect(await toScopedOwner(target.sid)).toEqual({ account_sid: null, service_provider_sid: provider })
      expect((await target.caller.get('/Users/me')).status).toBe(401)
    }
    const target = await api.user({ account_sid, service_provider_sid: provider })
    expect((await put(target.sid, { scope: 'service_provider' })).status).toBe(204)
    expect(await toScopedOwner(target.sid)).toEqual({ account_sid: null, service_provider_sid: provider })
    expect((await put(target.sid, { scope: 'admin', account_sid: null, service_provider_sid: null })).status).toBe(204)
    expect(await toScopedOwner(target.sid)).toEqual({ account_sid: null, service_provider_sid: null })
    const trail = await api.admin.get(`/patchbay/audit-trail?page=1&count=25&kind=user&sid=${target.sid}&action=update`)
    expect(trail.text).toContain(stringify({ field: 'role', before: 'service_provider', after: 'admin' }))
    expect(trail.text).toContain(stringify({ field: 'role', before: 'account', after: 'service_provider' }))
  })

  test('promotion above the own scope or with an owner that does not fit is rejected', async () => {
    const target = await api.user({ account_sid, service_provider_sid: provider })
    const colleague = await api.user({ account_sid, service_provider_sid: provider })
    const ofProvider = await api.user({ service_provider_sid: provider })
    const viewOnly = await api.user({ service_provider_sid: provider, is_view_only: true })
    const accountKey = (await api.apiKey({ account_sid })).caller
    const providerKey = (await api.apiKey({ service_provider_sid: provider })).caller
    const otherProvider = await api.provider()
    const foreign = await api.user({ service_provider_sid: otherProvider })
    const before = await snapshot(api)
    const path = `/Users/${target.sid}`
    for (const caller of [ofProvider.caller, providerKey, colleague.caller, accountKey, target.caller])
      expect(statusAndMessage(await caller.put(path, { scope: 'admin' }))).toEqual([400, promoted])
    for (const caller of [colleague.caller, accountKey, target.caller])
      expect(statusAndMessage(await caller.put(path, { scope: 'service_provider' }))).toEqual([400, promoted])
    expect(statusAndMessage(await ofProvider.caller.put(`/Users/${ofProvider.sid}`, { scope: 'admin' }))).toEqual([
      400,
      promoted,
    ])
    for (const caller of [viewOnly.caller, foreign.caller])
      expect((await caller.put(path, { scope: 'service_provider' })).status).toBe(403)
    for (const owner of [{ account_sid }, { service_provider_sid: otherProvider }])
      expect((await put(target.sid, { scope: 'service_provider', ...owner })).status).toBe(400)
    expect((await put(target.sid, { scope: 'admin', service_provider_sid: provider })).status).toBe(400)
    // The current or a narrower scope, and values of the platform, change nothing.
    for (const scope of ['account', 'read-write', null])
      expect(statusAndMessage(await put(target.sid, { scope, account_sid: null }))).toEqual([400, promoted])
    expect(await snapshot(api)).toEqual(before)
  })

  test('callers cannot move a user out of their own scope', async () => {
    const otherProvider = await api.provider()
    const beside = await api.account(provider)
    const foreign = await api.account(otherProvider)
    const target = await api.user({ account_sid, service_provider_sid: provider })
    const colleague = await api.user({ account_sid, service_provider_sid: provider })
    const ofProvider = await api.user({ service_provider_sid: provider })
    const before = await snapshot(api)
    const path = `/Users/${target.sid}`
    const toAccount = [400, 'Invalid request: user may not be promoted or moved to another account']
    const toProvider = [400, 'Invalid request: user may not be promoted or moved to another service provider']
    for (const sid of [beside, foreign])
      expect(statusAndMessage(await colleague.caller.put(path, { account_sid: sid }))).toEqual(toAccount)
    for (const caller of [colleague.caller, ofProvider.caller])
      expect(statusAndMessage(await caller.put(path, { service_provider_sid: otherProvider }))).toEqual(toProvider)
    expect(statusAndMessage(await ofProvider.caller.put(path, { account_sid: foreign }))).toEqual([
      400,
      'Invalid request: user may not be moved to another service provider',
    ])
    expect(await snapshot(api)).toEqual(before)
  })

  test('a provider can move a user within its scope, which ends the sessions; sending the same owner does not', async () => {
    const beside = await api.account(provider)
    const target = await api.user({ account_sid, service_provider_sid: provider })
    const { caller } = await api.user({ service_provider_sid: provider })
    const path = `/Users/${target.sid}`
    expect(
      (await caller.put(path, { name: `${target.name}2`, account_sid, service_provider_sid: provider })).status,
    ).toBe(204)
    expect((await target.caller.get('/Users/me')).status).toBe(200)
    expect((await caller.put(path, { account_sid: beside })).status).toBe(204)
    expect(await toScopedOwner(target.sid)).toEqual({ account_sid: beside, service_provider_sid: provider })
    expect((await target.caller.get('/Users/me')).status).toBe(401)
  })

  test('an admin who is moved into an account also gets its provider', async () => {
    const { sid } = await api.user()
    expect((await put(sid, { account_sid })).status).toBe(204)
    expect(await toScopedOwner(sid)).toEqual({ account_sid, service_provider_sid: provider })
  })

  test('an admin cannot assign an account user to an unknown provider or to one that does not match the account', async () => {
    const { sid } = await api.user({ account_sid, service_provider_sid: provider })
    for (const service_provider_sid of [await api.provider(), randomUUID()])
      expect(await put(sid, { service_provider_sid })).toMatchObject({ status: 400 })
    expect(await toScopedOwner(sid)).toEqual({ account_sid, service_provider_sid: provider })
  })
})

const userIn = async (user_sid: string, caller = api.admin) =>
  getRows(await caller.get('/Users')).find((row) => row['user_sid'] === user_sid)

/** User data that jambonz stores but never returns. */
const secrets = /hashed_password|argon2|activation_code|123456/

describe('GET Users and GET Users/{sid}', () => {
  test('USERS-21 API-008 returns a single user with owners and flags', async () => {
    const sp = await api.provider()
    const own = await api.account(sp, { name: 'Acme' })
    const { name: service_provider_name } = getRow(await api.admin.get(`/ServiceProviders/${sp}`))
    const body = newUser({ account_sid: own, force_change: true, is_view_only: true })
    const sid = member(await api.admin.post('/Users', body), 'user_sid')
    expect(await api.admin.get(`/Users/${sid}`)).toMatchObject({
      status: 200,
      body: {
        user_sid: sid,
        name: body.name,
        email: body.email,
        scope: 'account',
        service_provider_sid: sp,
        service_provider_name,
        account_sid: own,
        account_name: 'Acme',
        is_active: 1,
        is_view_only: true,
        force_change: 1,
        provider: 'local',
      },
    })
    const admin = await api.user()
    const ofProvider = await api.user({ service_provider_sid: sp })
    expect((await api.admin.get(`/Users/${admin.sid}`)).body).toMatchObject({
      scope: 'admin',
      service_provider_sid: null,
      service_provider_name: null,
      account_sid: null,
      account_name: null,
      is_active: 1,
      is_view_only: false,
      force_change: 0,
    })
    expect((await api.admin.get(`/Users/${ofProvider.sid}`)).body).toMatchObject({
      scope: 'service_provider',
      service_provider_sid: sp,
      service_provider_name,
      account_sid: null,
    })
  })

  test('USERS-21 API-006 the list contains each user with its owners, sorted by name', async () => {
    const sp = await api.provider()
    const own = await api.account(sp, { name: 'Acme' })
    const { name: service_provider_name } = getRow(await api.admin.get(`/ServiceProviders/${sp}`))
    const caller = (await api.apiKey({ service_provider_sid: sp })).caller
    const createdSids = []
    for (const [name, owner] of [
      ['Zoe', { service_provider_sid: sp }],
      ['adam', { account_sid: own, is_view_only: true }],
    ] as const) {
      const body = newUser({ ...owner, name: `${name} ${randomUUID()}` })
      createdSids.push({ ...body, user_sid: member(await api.admin.post('/Users', body), 'user_sid') })
    }
    const [zoe, adam] = createdSids
    const flags = { is_active: 1, force_change: 0, provider: 'local' }
    expect((await caller.get('/Users')).body).toEqual([
      {
        ...flags,
        user_sid: adam?.user_sid,
        name: adam?.name,
        email: adam?.email,
        scope: 'account',
        is_view_only: true,
        account_sid: own,
        account_name: 'Acme',
        service_provider_sid: sp,
        service_provider_name,
      },
      {
        ...flags,
        user_sid: zoe?.user_sid,
        name: zoe?.name,
        email: zoe?.email,
        scope: 'service_provider',
        is_view_only: false,
        service_provider_sid: sp,
        service_provider_name,
      },
    ])
    const admin = await api.user()
    expect(await userIn(admin.sid)).toEqual({
      ...flags,
      user_sid: admin.sid,
      name: admin.name,
      email: `${admin.name}@example.org`,
      scope: 'admin',
      is_view_only: false,
    })
    expect((await (await api.apiKey({ account_sid: await api.account(sp) })).caller.get('/Users')).body).toEqual([])
  })

  test('a user whose row names no provider belongs to the account and its provider', async () => {
    const user = await api.user({ account_sid })
    await api.test.database.db
      .updateTable('users')
      .set({ service_provider_sid: null })
      .where('user_sid', '=', user.sid)
      .execute()
    const owner = { scope: 'account', account_sid, service_provider_sid: provider }
    const ofProvider = await api.user({ service_provider_sid: provider })
    expect(await userIn(user.sid, ofProvider.caller)).toMatchObject(owner)
    expect((await ofProvider.caller.get(`/Users/${user.sid}`)).body).toMatchObject(owner)
    expect((await user.caller.get(`/Users/${user.sid}`)).body).toMatchObject(owner)
    const otherProviderUser = await api.user({ service_provider_sid: await api.provider() })
    expect(await userIn(user.sid, otherProviderUser.caller)).toBeUndefined()
  })

  test('USERS-22 passwords and codes are never returned, and initial_password is accepted by POST and PUT', async () => {
    const body = newUser({ account_sid })
    const sid = member(await api.admin.post('/Users', body), 'user_sid')
    await put(sid, { email: `2${body.email}`, email_activation_code: '123456' })
    expect((await put(sid, { initial_password: `${password}2` })).status).toBe(204)
    expect((await api.signIn(body.name, `${password}2`)).status).toBe(200)
    for (const path of ['/Users', `/Users/${sid}`]) {
      const { text } = await api.admin.get(path)
      expect(text).toContain(body.name)
      expect(text).not.toContain(password)
      expect(text).not.toMatch(secrets)
    }
  })

  test('an unknown user is 404 for an admin, and 403 for others, like a user of another tenant', async () => {
    const { caller } = await api.user({ account_sid })
    const others = await api.user()
    expect(statusAndMessage(await api.admin.get(`/Users/${randomUUID()}`))).toEqual([404, 'Not Found'])
    expect(statusAndMessage(await api.admin.get('/Users/123'))).toEqual([400, 'Bad request'])
    for (const sid of [randomUUID(), others.sid])
      expect(statusAndMessage(await caller.get(`/Users/${sid}`))).toEqual([403, 'insufficient permissions'])
  })
})

test('without force_change, a password of an administrator need not be changed, as in jambonz', async () => {
  const body = newUser({ account_sid })
  const sid = member(await api.admin.post('/Users', body), 'user_sid')
  expect((await api.signIn(body.name, password)).body).toMatchObject({ force_change: false })
  expect((await put(sid, { initial_password: `${password}2` })).status).toBe(204)
  expect((await api.signIn(body.name, `${password}2`)).body).toMatchObject({ force_change: false })
  expect((await put(sid, { initial_password: `${password}3`, force_change: true })).status).toBe(204)
  expect((await api.signIn(body.name, `${password}3`)).body).toMatchObject({ force_change: true })
})

test('USERS-23 a user created with force_change sees it at sign-in until the password has been changed', async () => {
  const body = newUser({ account_sid, force_change: true })
  const sid = member(await api.admin.post('/Users', body), 'user_sid')
  const signedInAs = async (typed: string) => (await api.signIn(body.name, typed)).body
  expect(await signedInAs(password)).toMatchObject({ force_change: true })
  const { token } = await signedInAs(password)
  expect(await signedInAs(password)).toMatchObject({ force_change: true })
  const changed = { old_password: password, new_password: `${password}2` }
  expect((await api.as(token).put(`/Users/${sid}`, changed)).status).toBe(204)
  expect(await signedInAs(`${password}2`)).toMatchObject({ force_change: false })
})

describe('DELETE Users/{sid}', () => {
  test('API-012 deletes the user with all related rows and ends the sessions', async () => {
    const user = await api.user({ account_sid, is_view_only: true })
    const stays = await api.user({ account_sid })
    expect(await api.admin.delete(`/Users/${user.sid}`)).toMatchObject({ status: 204, text: '' })
    expect(await countMentions(api, user.sid)).toEqual({})
    expect((await user.caller.get('/Users/me')).status).toBe(401)
    expect((await api.signIn(user.name, user.password)).status).toBe(403)
    expect((await api.admin.get(`/Users/${user.sid}`)).status).toBe(404)
    expect((await stays.caller.get('/Users/me')).status).toBe(200)
    expect(statusAndMessage(await api.admin.delete(`/Users/${user.sid}`))).toEqual([404, 'Not Found'])
    expect(statusAndMessage(await api.admin.delete('/Users/123'))).toEqual([400, 'Bad request'])
  })

  test('every scope can delete the users that it may change, including the own user', async () => {
    const inAccount = () => api.user({ account_sid, service_provider_sid: provider })
    const ofProvider = await api.user({ service_provider_sid: provider })
    const colleague = await inAccount()
    for (const caller of [api.admin, ofProvider.caller, colleague.caller])
      expect((await caller.delete(`/Users/${(await inAccount()).sid}`)).status).toBe(204)
    for (const { caller, sid } of [colleague, ofProvider, await api.user()]) {
      expect((await caller.delete(`/Users/${sid}`)).status).toBe(204)
      expect((await caller.get('/Users/me')).status).toBe(401)
    }
  })

  test('the name and address of a deleted user can be used again', async () => {
    const body = newUser()
    const sid = member(await api.admin.post('/Users', body), 'user_sid')
    await api.admin.delete(`/Users/${sid}`)
    expect((await api.admin.post('/Users', body)).status).toBe(201)
  })

  test('a failed deletion keeps the user and the sessions', async () => {
    const user = await api.user({ account_sid })
    const { db } = api.test.database
    const fails = isMysql ? "SIGNAL SQLSTATE '45000';" : "SELECT RAISE(ABORT, 'stuck');"
    await sql
      .raw(
        `CREATE TRIGGER stuck BEFORE DELETE ON patchbay_sessions ${isMysql ? 'FOR EACH ROW' : ''} BEGIN ${fails} END`,
      )
      .execute(db)
    try {
      expect((await api.admin.delete(`/Users/${user.sid}`)).status).toBe(500)
    } finally {
      await sql.raw('DROP TRIGGER stuck').execute(db)
    }
    expect((await user.caller.get('/Users/me')).status).toBe(200)
  })
})

const change = (user: TestUser, body: object, caller = user.caller) => caller.put(`/Users/${user.sid}`, body)

describe('changing the own password', () => {
  test('API-011 old_password and new_password change the password with 204, and a wrong old password is rejected', async () => {
    const user = await api.user({ account_sid })
    const wrong = await change(user, { old_password: 'wrong', new_password: password })
    expect(statusAndMessage(wrong)).toEqual([403, 'Forbidden'])
    expect((await api.signIn(user.name, password)).status).toBe(403)
    expect(await change(user, { old_password: user.password, new_password: password })).toMatchObject({
      status: 204,
      text: '',
    })
    expect((await api.signIn(user.name, password)).status).toBe(200)
    expect((await api.signIn(user.name, user.password)).status).toBe(403)
  })

  test('ends the other sessions and keeps this one', async () => {
    const user = await api.user()
    const elsewhere = api.as((await api.signIn(user.name, user.password)).body.token)
    const otherUser = await api.user()
    expect((await change(user, { old_password: user.password, new_password: password })).status).toBe(204)
    expect((await user.caller.get('/Users/me')).status).toBe(200)
    expect((await elsewhere.get('/Users/me')).status).toBe(401)
    expect((await otherUser.caller.get('/Users/me')).status).toBe(200)
  })

  test('rejects the current password as new password', async () => {
    const user = await api.user()
    expect(statusAndMessage(await change(user, { old_password: user.password, new_password: user.password }))).toEqual([
      400,
      'new password cannot be your old password',
    ])
  })
})

const forced = () => api.user({ account_sid, service_provider_sid: provider, force_change: true })

describe('a user who must change the password', () => {
  const mustChange = [403, 'You must change your password first']

  test('can read the policy and do nothing else', async () => {
    const { caller, sid, password: old_password } = await forced()
    const own = `/Users/${sid}`
    const both = { old_password, new_password: password }
    expect((await caller.get('/PasswordSettings')).status).toBe(200)
    const before = await snapshot(api)
    for (const answer of [
      await caller.get('/Users/me'),
      await caller.get('/Accounts'),
      await caller.get(`/Accounts/${account_sid}`),
      await caller.put(`/Accounts/${account_sid}`, { name: 'x' }),
      await caller.put(`/Accounts/${account_sid}`, { name: 'x', ...both }),
      await caller.post('/patchbay/session'),
      await caller.post('/ApiKeys', { account_sid }),
      await caller.put(own, { force_change: false }),
      await caller.put(own, { initial_password: password }),
      await caller.put(own, { ...both, force_change: false }),
      await caller.put(own, { ...both, is_active: true }),
      await caller.put(own, { ...both, email: 'new@example.org' }),
      await caller.put(own, { ...both, is_view_only: false }),
    ])
      expect(statusAndMessage(answer)).toEqual(mustChange)
    expect(await snapshot(api)).toEqual(before)
  })

  test("cannot change a colleague's password, even with the right old one", async () => {
    const { caller } = await forced()
    const colleague = await api.user({ account_sid, service_provider_sid: provider })
    const both = { old_password: colleague.password, new_password: password }
    expect(statusAndMessage(await caller.put(`/Users/${colleague.sid}`, both))).toEqual(mustChange)
    expect((await api.signIn(colleague.name, colleague.password)).status).toBe(200)
  })

  test('can sign out', async () => {
    const { caller } = await forced()
    expect((await caller.post('/logout')).status).toBe(204)
    expect((await caller.get('/PasswordSettings')).status).toBe(401)
  })

  test('has full access with the same token after the change, and is not asked again at sign-in', async () => {
    const { caller, sid, name, password: old_password } = await forced()
    expect((await caller.put(`/Users/${sid}`, { old_password, new_password: password })).status).toBe(204)
    expect((await caller.get(`/Accounts/${account_sid}`)).status).toBe(200)
    expect((await api.signIn(name, password)).body).toMatchObject({ force_change: false })
  })

  test('is restricted immediately if the flag is set during a session', async () => {
    const { caller, sid } = await api.user({ account_sid })
    await put(sid, { force_change: true })
    expect(statusAndMessage(await caller.get('/Accounts'))).toEqual(mustChange)
  })
})

describe('view-only users', () => {
  test('ROLES-18 the flag is stored when creating and changing a user, and returned by every read', async () => {
    const body = newUser({ is_view_only: true, account_sid })
    const sid = member(await api.admin.post('/Users', body), 'user_sid')
    const seen = async () => {
      const me = getRow(await api.as((await api.signIn(body.name, password)).body.token).get('/Users/me'))['user']
      const all = getRows(await api.admin.get('/Users'))
      const rows = [me, getRow(await api.admin.get(`/Users/${sid}`)), all.find((row) => row['user_sid'] === sid)]
      return rows.map((row) => Reflect.get(Object(row), 'is_view_only'))
    }
    expect(await seen()).toEqual([true, true, true])
    expect((await put(sid, { is_view_only: false })).status).toBe(204)
    expect(await seen()).toEqual([false, false, false])
    expect((await put(sid, { is_view_only: true })).status).toBe(204)
    expect((await put(sid, { is_view_only: true })).status).toBe(204)
    expect(await seen()).toEqual([true, true, true])
  })

  test('a user with all permissions of jambonz can be made view-only', async () => {
    const { db } = api.test.database
    const user = await api.user({ account_sid })
    for (const { permission_sid } of await db.selectFrom('permissions').select('permission_sid').execute())
      await db
        .insertInto('user_permissions')
        .values({ user_permissions_sid: randomUUID(), user_sid: user.sid, permission_sid })
        .execute()
    const readMe = async () => getRow(await user.caller.get('/Users/me'))['user']
    expect(await readMe()).toMatchObject({ is_view_only: false })
    expect((await put(user.sid, { is_view_only: true })).status).toBe(204)
    expect(await readMe()).toMatchObject({ is_view_only: true })
  })

  test('a change without the flag keeps it, as does a change of the own password', async () => {
    const user = await api.user({ account_sid, is_view_only: true })
    await put(user.sid, { name: `${user.name}2` })
    expect(
      (await user.caller.put(`/Users/${user.sid}`, { old_password: user.password, new_password: password })).status,
    ).toBe(204)
    expect(await isViewOnly(`${user.name}2`)).toMatchObject({ is_view_only: true })
  })

  test('the VIEW_ONLY permission is created if the database lacks it', async () => {
    const { db } = api.test.database
    await db.deleteFrom('user_permissions').execute()
    await db.deleteFrom('permissions').where('name', '=', 'VIEW_ONLY').execute()
    const user = await api.user({ is_view_only: true })
    expect(statusAndMessage(await user.caller.post('/ServiceProviders', { name: 'x' }))).toEqual([
      403,
      'User has view-only access',
    ])
  })

  test('two password fields in one body do not bypass the restriction', async () => {
    const user = await api.user({ account_sid, service_provider_sid: provider, is_view_only: true })
    const colleague = await api.user({ account_sid, service_provider_sid: provider })
    const both = { old_password: user.password, new_password: password }
    const before = await snapshot(api)
    const { caller } = user
    for (const answer of [
      await caller.post(`/Accounts/${account_sid}/Limits`, { category: 'device', quantity: 1, ...both }),
      await caller.post('/ApiKeys', { account_sid, ...both }),
      await caller.post('/Users', newUser(both)),
      await caller.put(`/Accounts/${account_sid}`, { name: 'x', ...both }),
      await caller.delete(`/Accounts/${account_sid}`, both),
      await caller.put(`/Users/${user.sid}`, { ...both, is_view_only: false }),
      await caller.put(`/Users/${user.sid}`, { ...both, email: 'x@example.org' }),
      await caller.put(`/Users/${user.sid}`, { initial_password: password }),
      await caller.put(`/Users/${user.sid}`, { name: 'x' }),
      await caller.put(`/Users/${colleague.sid}`, { old_password: colleague.password, new_password: password }),
    ])
      expect(statusAndMessage(answer)).toEqual([403, 'User has view-only access'])
    expect(await snapshot(api)).toEqual(before)
  })
})

/** Returns the responses of the three ways to set a password. */
const trySettingPassword = async (typed: string): Promise<unknown[]> => {
  const [user, other] = [await api.user(), await api.user()]
  return [
    statusAndMessage(await api.admin.post('/Users', newUser({ initial_password: typed }))),
    statusAndMessage(await put(other.sid, { initial_password: typed })),
    statusAndMessage(await user.caller.put(`/Users/${user.sid}`, { old_password: user.password, new_password: typed })),
  ]
}

const refused = (msg: string) => [
  [400, msg],
  [400, msg],
  [400, msg],
]

const set = (settings: object) => api.admin.put('/PasswordSettings', settings)

describe('the password policy', () => {
  afterEach(async () => {
    await api.test.database.db.deleteFrom('password_settings').execute()
  })

  const fine = [
    [201, undefined],
    [204, undefined],
    [204, undefined],
  ]

  test('AUTH-22 length, digit, and special character are required as configured, for every way to set a password', async () => {
    expect(await trySettingPassword('abcdef')).toEqual(fine)
    expect(await trySettingPassword('abcde')).toEqual(refused('password must be at least 6 characters long'))
    await set({ min_password_length: 12, require_digit: 0, require_special_character: 0 })
    expect(await trySettingPassword('abcdefghijk')).toEqual(refused('password must be at least 12 characters long'))
    expect(await trySettingPassword('abcdefghijkl')).toEqual(fine)
    await set({ require_digit: 1 })
    expect(await trySettingPassword('abcdefghijkl')).toEqual(refused('password must contain at least one digit'))
    expect(await trySettingPassword('abcdefghijk1')).toEqual(fine)
    await set({ require_digit: 0, require_special_character: 1 })
    expect(await trySettingPassword('abcdefghijk1')).toEqual(
      refused('password must contain at least one special character'),
    )
    for (const special of ['!', '"', '\\', '?', '|', '['])
      expect(await trySettingPassword(`abcdefghijk${special}`)).toEqual(fine)
    await set({ require_digit: 1 })
    expect(await trySettingPassword('abcdefghij!')).toEqual(refused('password must be at least 12 characters long'))
    expect(await trySettingPassword('abcdefghij1!')).toEqual(fine)
  })

  test('a rejected password changes nothing', async () => {
    await api.admin.put('/PasswordSettings', { min_password_length: 20 })
    const name = `user-${randomUUID()}`
    expect(await api.admin.post('/Users', newUser({ name, initial_password: 'short' }))).toMatchObject({
      status: 400,
      body: { field: 'initial_password' },
    })
    expect((await api.signIn(name, 'short')).status).toBe(403)
  })
})

test('API-007 GET Users/me returns user and account with realm, root domain, plan, ratio, and subscription', async () => {
  const { db } = api.test.database
  const root_domain = `${randomUUID().slice(0, 8)}.example.org`
  const of = await api.provider()
  await api.admin.put(`/ServiceProviders/${of}`, { root_domain })
  const sip_realm = `one.${root_domain}`
  const account = await api.account(of, { sip_realm })
  const { caller, sid } = await api.user({ account_sid: account })
  const expectedAccount = { account_sid: account, sip_realm, root_domain, plan_type: 'trial', device_to_call_ratio: 5 }
  expect((await caller.get('/Users/me')).body).toMatchObject({
    user: { user_sid: sid },
    account: expectedAccount,
    subscription: null,
  })

  const account_subscription_sid = randomUUID()
  const products = await db
    .selectFrom('products')
    .selectAll()
    .where('category', '!=', 'api_rate')
    .orderBy('name')
    .execute()
  await db
    .insertInto('account_subscriptions')
    .values({ account_subscription_sid: randomUUID(), account_sid: account, pending: 1 })
    .execute()
  await db
    .insertInto('account_subscriptions')
    .values({
      account_subscription_sid,
      account_sid: account,
      pending: 0,
      card_type: 'visa',
      last4: api.services.encryption.encrypt('"4242"'),
      exp_month: 7,
      exp_year: 2031,
    })
    .execute()
  for (const [index, { product_sid }] of products.entries())
    await db
      .insertInto('account_products')
      .values({ account_product_sid: randomUUID(), account_subscription_sid, product_sid, quantity: 10 + index })
      .execute()
  expect((await caller.get('/Users/me')).body).toMatchObject({
    account: expectedAccount,
    subscription: {
      status: 'active',
      account_subscription_sid,
      products: [
        { name: 'concurrent call session', quantity: 10 },
        { name: 'registered device', quantity: 11 },
      ],
      card_type: 'visa',
      last4: '4242',
      exp_month: 7,
      exp_year: 2031,
    },
  })
})
