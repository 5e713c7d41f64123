import { randomUUID } from 'node:crypto'
import { createTestApi, member } from '@patchbay/testkit/test-api'
import { openTestWorld, signedIn } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { statusAndMessage } from './fixtures.ts'

/** Registration and activation codes without hosted mode: for administrators, and for one's own contact data. */

const { api, world } = await openTestWorld()
const code = '123456'
const wrongCode = [400, 'invalid user or activation code']

const readUser = (user_sid: string) =>
  api.test.database.db.selectFrom('users').selectAll().where('user_sid', '=', user_sid).executeTakeFirstOrThrow()

describe('a change of the email address with a code', () => {
  const change = async (user_sid: string) => {
    const email = `${randomUUID()}@example.org`
    expect((await api.admin.put(`/Users/${user_sid}`, { email, email_activation_code: code })).status).toBe(204)
    return email
  }

  test('is confirmed by the user or an administrator with the code, once', async () => {
    const user = await api.user({ account_sid: world.sid.A })
    for (const caller of [user.caller, api.admin]) {
      const email = await change(user.sid)
      const confirm = (entered: string) =>
        caller.put(`/ActivationCode/${entered}`, { user_sid: user.sid, type: 'email' })
      expect(statusAndMessage(await confirm('000000'))).toEqual(wrongCode)
      expect(await readUser(user.sid)).toMatchObject({ email, email_validated: 0 })
      expect((await confirm(code)).status).toBe(204)
      expect(await readUser(user.sid)).toMatchObject({ email, email_validated: 1, email_activation_code: null })
      expect(statusAndMessage(await confirm(code))).toEqual(wrongCode)
    }
  })

  test('cannot be confirmed by other users, view-only administrators, and without a token', async () => {
    const user = await api.user({ account_sid: world.sid.A })
    await change(user.sid)
    for (const name of ['another user of A', 'user of P', 'user of B', 'view-only admin'] as const) {
      const caller = await signedIn(api, world.users[name])
      const answer = await caller.put(`/ActivationCode/${code}`, { user_sid: user.sid, type: 'email' })
      expect([name, answer.status]).toEqual([name, 404])
    }
    expect((await api.nobody.put(`/ActivationCode/${code}`, { user_sid: user.sid, type: 'email' })).status).toBe(404)
    expect(await readUser(user.sid)).toMatchObject({ email_validated: 0 })
  })

  test('is rejected by its name in hosted mode, where the server creates the codes', async () => {
    const hosted = await createTestApi({ JAMBONES_HOSTING: '1', PUBLIC_URL: 'https://console.example.org' })
    try {
      const provider = await hosted.provider()
      const user = await hosted.user({ account_sid: await hosted.account(provider) })
      const body = { email: `${randomUUID()}@example.org`, email_activation_code: code }
      expect(await user.caller.put(`/Users/${user.sid}`, body)).toMatchObject({
        status: 400,
        body: { field: 'email_activation_code' },
      })
    } finally {
      await hosted.close()
    }
  })
})

describe("a user's own phone number", () => {
  const phone = { type: 'phone', value: '16173334444', code }

  test('is stored and confirmed with the code that the user chooses', async () => {
    const { sid: user_sid, caller } = await api.user({ account_sid: world.sid.A })
    expect((await caller.post('/ActivationCode', { user_sid, ...phone })).status).toBe(204)
    expect(await readUser(user_sid)).toMatchObject({ phone: phone.value, phone_validated: 0 })
    expect(statusAndMessage(await caller.put('/ActivationCode/000000', { user_sid, type: 'phone' }))).toEqual(wrongCode)
    expect((await caller.put(`/ActivationCode/${code}`, { user_sid, type: 'phone' })).status).toBe(204)
    expect(await readUser(user_sid)).toMatchObject({ phone: phone.value, phone_validated: 1 })
    const taken = await api.user({ account_sid: world.sid.A2 })
    expect((await taken.caller.post('/ActivationCode', { user_sid: taken.sid, ...phone })).status).toBe(422)
  })

  test.each([
    [{ ...phone, type: 'fax' }, 'invalid activation type: fax'],
    [{ ...phone, type: 'email', value: 'nobody' }, 'use PUT /Users/:user_sid to change the email address'],
    [{ ...phone, type: 'email', value: 'a@example.org' }, 'use PUT /Users/:user_sid to change the email address'],
    [{ ...phone, code: '' }, 'invalid code'],
  ])('POST /ActivationCode rejects %j', async (body, msg) => {
    const { sid: user_sid, caller } = await api.user({ account_sid: world.sid.A })
    expect(statusAndMessage(await caller.post('/ActivationCode', { user_sid, ...body }))).toEqual([400, msg])
  })

  test('cannot be changed by other users, API keys, view-only users, and users who must change their password', async () => {
    const { user_sid } = world.users['user of A']
    const others = [
      await signedIn(api, world.users['another user of A']),
      await signedIn(api, world.users['user of P']),
      api.as(world.keys['key of A'].token),
      api.nobody,
    ]
    for (const caller of others) expect((await caller.post('/ActivationCode', { user_sid, ...phone })).status).toBe(404)
    for (const name of ['view-only user of A', 'user of A who must change the password'] as const) {
      const caller = await signedIn(api, world.users[name])
      const answer = await caller.post('/ActivationCode', { user_sid: world.users[name].user_sid, ...phone })
      expect([name, answer.status]).toEqual([name, 404])
    }
  })
})

describe('for administrators', () => {
  test('POST and PUT /ActivationCode store and confirm a phone number and an address', async () => {
    const { sid: user_sid } = await api.user({ account_sid: world.sid.A })
    for (const [type, value] of [
      ['phone', '15083084809'],
      ['email', `${randomUUID()}@example.org`],
    ] as const) {
      expect((await api.admin.post('/ActivationCode', { user_sid, type, value, code })).status).toBe(204)
      expect(await readUser(user_sid)).toMatchObject({ [type]: value, [`${type}_validated`]: 0 })
      expect((await api.admin.put(`/ActivationCode/${code}`, { user_sid, type })).status).toBe(204)
      expect(await readUser(user_sid)).toMatchObject({ [type]: value, [`${type}_validated`]: 1 })
    }
  })

  test.each([
    [{ type: 'fax', value: '1', code }, 'invalid activation type: fax'],
    [{ type: 'email', value: 'nobody', code }, 'invalid email'],
    [{ type: 'phone', value: '', code }, 'invalid phone'],
    [{ type: 'phone', value: '1'.repeat(21), code }, 'invalid phone'],
    [{ type: 'phone', value: '1', code: '1'.repeat(17) }, 'invalid code'],
    [{ type: 'phone', value: '1', code }, 'invalid user_sid'],
  ])('POST /ActivationCode rejects %j', async (body, msg) => {
    expect(statusAndMessage(await api.admin.post('/ActivationCode', { user_sid: randomUUID(), ...body }))).toEqual([
      400,
      msg,
    ])
  })

  test('POST /register creates account and user when the code of the request is confirmed', async () => {
    const provider = await api.provider()
    await api.admin.put(`/ServiceProviders/${provider}`, { root_domain: `${randomUUID()}.example.org` })
    const email = `${randomUUID()}@example.org`
    const body = { service_provider_sid: provider, provider: 'local', email, password: 'pass-of-a-visitor' }
    const registered = await api.admin.post('/register', { ...body, email_activation_code: code })
    expect(registered).toMatchObject({ status: 200, body: { email, email_validated: false } })
    const user_sid = member(registered, 'user_sid')
    expect((await api.admin.put('/ActivationCode/000000', { user_sid, type: 'email' })).status).toBe(400)
    expect((await api.admin.put(`/ActivationCode/${code}`, { user_sid, type: 'email' })).status).toBe(204)
    expect(await readUser(user_sid)).toMatchObject({ email, email_validated: 1 })
    expect(statusAndMessage(await api.admin.put(`/ActivationCode/${code}`, { user_sid, type: 'email' }))).toEqual(
      wrongCode,
    )
    const again = await api.admin.post('/register', { ...body, email_activation_code: code })
    expect(statusAndMessage(again)).toEqual([422, 'account already exists for this email'])
  })

  test('the customer confirms a registration with its code and the token of the response', async () => {
    const provider = await api.provider()
    await api.admin.put(`/ServiceProviders/${provider}`, { root_domain: `${randomUUID()}.example.org` })
    const email = `${randomUUID()}@example.org`
    const body = { service_provider_sid: provider, provider: 'local', email, password: 'pass-of-a-visitor' }
    const registered = await api.admin.post('/register', { ...body, email_activation_code: code })
    const user_sid = member(registered, 'user_sid')
    const customer = api.as(member(registered, 'jwt'))
    const confirm = (entered: string) => customer.put(`/ActivationCode/${entered}`, { user_sid, type: 'email' })
    expect(statusAndMessage(await confirm('000000'))).toEqual(wrongCode)
    expect((await customer.get('/Users/me')).status).toBe(401)
    expect((await confirm(code)).status).toBe(204)
    expect((await customer.get('/Users/me')).status).toBe(200)
    expect(await readUser(user_sid)).toMatchObject({ email, email_validated: 1 })
    const unknown = await api.nobody.put(`/ActivationCode/${code}`, { user_sid: randomUUID(), type: 'email' })
    expect(unknown.status).toBe(404)
  })

  test('POST /BetaInviteCodes creates codes', async () => {
    expect(await api.admin.post('/BetaInviteCodes', { count: 2 })).toMatchObject({ status: 200, body: { added: 2 } })
    const viewOnly = await signedIn(api, world.users['view-only admin'])
    expect((await viewOnly.post('/BetaInviteCodes', { count: 1 })).status).toBe(403)
  })

  test('other callers get 404, as without these endpoints', async () => {
    const user_sid = world.users['user of A'].user_sid
    for (const caller of [api.nobody, await signedIn(api, world.users['user of P'])])
      for (const path of ['/register', '/ActivationCode', '/InviteCodes'])
        expect([path, (await caller.post(path, { user_sid, code })).status]).toEqual([path, 404])
  })
})
