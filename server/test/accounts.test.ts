import { randomUUID } from 'node:crypto'
import { platformTables } from '@patchbay/server/database/platform-schema'
import { member } from '@patchbay/testkit/test-api'
import { createWorld, openTestApi, signedIn, type World } from '@patchbay/testkit/test-world'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { countMentions, getRow, getRows, type Row, snapshot, sorted, statusAndMessage } from './fixtures.ts'

const api = await openTestApi()
const provider = await api.provider()

const read = async (account_sid: string): Promise<Row> => getRow(await api.admin.get(`/Accounts/${account_sid}`))

const put = (account_sid: string, body: object) => api.admin.put(`/Accounts/${account_sid}`, body)

const freshRealm = () => `${randomUUID()}.example.org`

const hookSids = (account_sid: string) =>
  api.test.database.db
    .selectFrom('accounts')
    .select(['registration_hook_sid', 'queue_event_hook_sid'])
    .where('account_sid', '=', account_sid)
    .executeTakeFirstOrThrow()

const hookRows = (webhook_sid: string | null) =>
  api.test.database.db
    .selectFrom('webhooks')
    .selectAll()
    .where('webhook_sid', '=', webhook_sid ?? '')
    .execute()

const application = async (
  account_sid: string,
  hooks: { call_hook_sid?: string; call_status_hook_sid?: string } = {},
) => {
  const application_sid = randomUUID()
  const row = { application_sid, name: `app ${application_sid}`, account_sid, ...hooks }
  await api.test.database.db.insertInto('applications').values(row).execute()
  return application_sid
}

describe('reading', () => {
  test('API-013 GET Accounts returns the accounts the caller may see', async () => {
    const world = await createWorld(api)
    const { A, A2, B } = world.sid
    const seenBy = async (user: keyof World['users']) =>
      getRows(await (await signedIn(api, world.users[user])).get('/Accounts')).map((row) => row['account_sid'])
    expect(await seenBy('user of A')).toEqual([A])
    expect(await seenBy('user of B')).toEqual([B])
    expect(sorted(await seenBy('user of P'))).toEqual(sorted([A, A2]))
    expect(await seenBy('admin')).toEqual(expect.arrayContaining([A, A2, B]))
  })

  test('API-014 ACCOUNTS-47 GET Accounts/{sid} returns one account with all its fields', async () => {
    const root_domain = freshRealm()
    const service_provider_sid = member(
      await api.admin.post('/ServiceProviders', { name: root_domain, root_domain }),
      'sid',
    )
    const sip_realm = freshRealm()
    const registration_hook = { url: 'https://example.org/reg', method: 'GET', username: 'u', password: 'p' }
    const queue_event_hook = { url: 'https://example.org/queue', method: 'POST', username: 'v', password: 'q' }
    const account_sid = await api.account(service_provider_sid, {
      name: 'Whole',
      sip_realm,
      trial_end_date: '2031-05-06T07:08:09Z',
      registration_hook,
      queue_event_hook,
    })
    const application_sid = await application(account_sid)
    await put(account_sid, { device_calling_application_sid: application_sid, siprec_hook_sid: application_sid })
    expect(await read(account_sid)).toEqual({
      account_sid,
      name: 'Whole',
      sip_realm,
      service_provider_sid,
      root_domain,
      webhook_secret: expect.stringMatching(/^wh_secret_[1-9A-HJ-NP-Za-km-z]{22}$/),
      device_calling_application_sid: application_sid,
      siprec_hook_sid: application_sid,
      registration_hook,
      queue_event_hook,
      record_all_calls: 0,
      record_format: 'mp3',
      enable_debug_log: 0,
      bucket_credential: null,
      plan_type: 'trial',
      trial_end_date: '2031-05-06T07:08:09.000Z',
      is_active: 1,
      device_to_call_ratio: 5,
      disable_cdrs: 0,
      deactivated_reason: null,
      stripe_customer_id: null,
      subspace_client_id: null,
      subspace_client_secret: null,
      subspace_sip_teleport_id: null,
      subspace_sip_teleport_destinations: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    const [inList] = getRows(await api.admin.get(`/ServiceProviders/${service_provider_sid}/Accounts`))
    expect(inList).toEqual(await read(account_sid))
  })

  test('an unknown account is 404 for an admin, a malformed sid is 400 for all', async () => {
    expect((await api.admin.get(`/Accounts/${randomUUID()}`)).status).toBe(404)
    expect(statusAndMessage(await api.admin.get('/Accounts/123'))).toEqual([400, 'Bad request'])
    expect(statusAndMessage(await api.admin.put('/Accounts/123', {}))).toEqual([400, 'Bad request'])
  })

  test('the webhook secret is complete for callers who may edit the account, and masked for others', async () => {
    const world = await createWorld(api)
    const secretFor = async (name: keyof World['users'], path: string) => {
      const answer = await (await signedIn(api, world.users[name])).get(path)
      const row =
        path === '/Accounts' ? getRows(answer).find(({ account_sid }) => account_sid === world.sid.A) : getRow(answer)
      return row?.['webhook_secret']
    }
    const whole = `wh_secret_${world.sid.A.slice(0, 22)}`
    const masked = whole.slice(0, -4).replace(/[a-z0-9]/g, '*') + whole.slice(-4)
    for (const path of ['/Accounts', `/Accounts/${world.sid.A}`]) {
      for (const name of ['user of A', 'user of P', 'admin'] as const) expect(await secretFor(name, path)).toBe(whole)
      for (const name of ['view-only user of A', 'view-only user of P', 'view-only admin'] as const)
        expect(await secretFor(name, path)).toBe(masked)
    }
  })

  test('the secret of the bucket is masked in the list and in a single account', async () => {
    const account_sid = await api.account(provider)
    const stored = {
      vendor: 'aws_s3',
      name: 'calls',
      region: 'us-east-1',
      access_key_id: 'AKIA',
      secret_access_key: 'hunter2-hunter2',
    }
    const bucket_credential = api.services.encryption.encrypt(JSON.stringify(stored))
    await api.test.database.db
      .updateTable('accounts')
      .set({ bucket_credential })
      .where('account_sid', '=', account_sid)
      .execute()
    expect((await read(account_sid))['bucket_credential']).toEqual({ ...stored, secret_access_key: 'hunterXXXXXXXXX' })
    expect((await api.admin.get('/Accounts')).text).not.toContain('hunter2')
  })
})

const post = (body: object) => api.admin.post('/Accounts', { service_provider_sid: provider, ...body })

describe('creating', () => {
  test('API-015 POST Accounts accepts name, realm, hooks, provider, and debug switch, and returns the sid', async () => {
    const sip_realm = freshRealm()
    const registration_hook = { url: 'https://example.org/reg', method: 'POST', username: 'u', password: 'p' }
    const queue_event_hook = { url: 'wss://example.org/queue', method: 'GET', username: null, password: null }
    const body = {
      name: 'Made',
      service_provider_sid: provider,
      sip_realm,
      registration_hook,
      queue_event_hook,
      enable_debug_log: true,
    }
    const answer = await api.admin.post('/Accounts', body)
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({ sid: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(await read(member(answer, 'sid'))).toMatchObject({ ...body, enable_debug_log: 1 })
  })

  test('an account created by a provider belongs to it, even if the body names another provider', async () => {
    const world = await createWorld(api)
    const caller = await signedIn(api, world.users['user of Q'])
    for (const body of [{ name: 'one', service_provider_sid: world.sid.P }, { name: 'two' }]) {
      const response = await caller.post('/Accounts', body)
      expect(await read(member(response, 'sid'))).toMatchObject({ service_provider_sid: world.sid.Q })
    }
  })

  test('an admin must name an existing provider', async () => {
    expect(await api.admin.post('/Accounts', { name: 'x' })).toMatchObject({
      status: 400,
      body: { msg: 'missing field service_provider_sid', field: 'service_provider_sid' },
    })
    const service_provider_sid = randomUUID()
    expect(statusAndMessage(await api.admin.post('/Accounts', { name: 'x', service_provider_sid }))).toEqual([
      400,
      `service_provider not found for sid ${service_provider_sid}`,
    ])
  })

  test('a name is required and has at most 64 characters that are not all blank', async () => {
    expect(await post({})).toMatchObject({ status: 400, body: { msg: 'missing field name', field: 'name' } })
    expect(await post({ name: ' ' })).toMatchObject({ status: 400, body: { field: 'name' } })
    expect(await post({ name: 'ä'.repeat(65) })).toMatchObject({
      status: 400,
      body: { msg: 'name must be at most 64 characters long', field: 'name' },
    })
    expect((await post({ name: 'ä'.repeat(64) })).status).toBe(201)
  })

  test('the webhook secret is generated, and a secret in the request is ignored', async () => {
    const account_sid = await api.account(provider, { webhook_secret: 'mine' })
    expect((await read(account_sid))['webhook_secret']).toMatch(/^wh_secret_.{22}$/)
    const other = await read(await api.account(provider))
    expect(other['webhook_secret']).not.toBe((await read(account_sid))['webhook_secret'])
  })

  test('an unknown field is rejected with its name, and no account is created', async () => {
    const before = await snapshot(api)
    const body = { name: 'x', service_provider_sid: provider, subspace: 'x' }
    expect(await api.admin.post('/Accounts', body)).toMatchObject({
      status: 400,
      body: { msg: 'unknown field subspace', field: 'subspace' },
    })
    expect(await snapshot(api)).toEqual(before)
  })

  test('two accounts may have the same name', async () => {
    const name = `twice ${randomUUID()}`
    expect(await api.account(provider, { name })).not.toBe(await api.account(provider, { name }))
  })
})

describe('the SIP realm', () => {
  test('is stored in lowercase when creating and changing an account', async () => {
    const realm = freshRealm()
    const account_sid = await api.account(provider, { sip_realm: realm.toUpperCase() })
    expect((await read(account_sid))['sip_realm']).toBe(realm)
    await put(account_sid, { sip_realm: `SIP.${realm}` })
    expect((await read(account_sid))['sip_realm']).toBe(`sip.${realm}`)
  })

  test('rejects a realm of another account with 422 and the field name, regardless of case', async () => {
    const sip_realm = freshRealm()
    await api.account(provider, { sip_realm })
    const other = await api.account(await api.provider())
    for (const requestedRealm of [sip_realm, sip_realm.toUpperCase()]) {
      const body = { name: 'x', service_provider_sid: provider, sip_realm: requestedRealm }
      expect(await api.admin.post('/Accounts', body)).toMatchObject({ status: 422, body: { field: 'sip_realm' } })
      expect(await put(other, { sip_realm: requestedRealm })).toMatchObject({
        status: 422,
        body: { field: 'sip_realm' },
      })
    }
    expect((await read(other))['sip_realm']).toBeNull()
  })

  test('is cleared by null and by an empty string, and two accounts may have no realm', async () => {
    const accounts = [
      await api.account(provider, { sip_realm: freshRealm() }),
      await api.account(provider, { sip_realm: freshRealm() }),
    ]
    expect((await put(accounts[0] ?? '', { sip_realm: null })).status).toBe(204)
    expect((await put(accounts[1] ?? '', { sip_realm: '' })).status).toBe(204)
    for (const sid of accounts) expect((await read(sid))['sip_realm']).toBeNull()
  })

  test('can be checked for availability before saving', async () => {
    const sip_realm = freshRealm()
    const name = `named ${randomUUID()}`
    const account_sid = await api.account(provider, { sip_realm, name })
    const taken = async (query: Record<string, string>) =>
      (await api.admin.get(`/patchbay/accounts/taken?${new URLSearchParams(query).toString()}`)).body
    expect(await taken({ sip_realm, name })).toEqual({ name: true, sip_realm: true })
    expect(await taken({ sip_realm: sip_realm.toUpperCase(), name, except: account_sid })).toEqual({
      name: false,
      sip_realm: false,
    })
    expect(await taken({ name, service_provider_sid: await api.provider() })).toEqual({ name: false, sip_realm: false })
    expect(await taken({ name, service_provider_sid: provider })).toEqual({ name: true, sip_realm: false })
    expect(await taken({})).toEqual({ name: false, sip_realm: false })
  })
})

describe('changing', () => {
  test('API-016 PUT Accounts/{sid} sets each field and keeps absent ones', async () => {
    const account_sid = await api.account(provider)
    const application_sid = await application(account_sid)
    const hook = { url: 'http://example.org/hook', method: 'GET', username: null, password: null }
    const changes: Record<string, unknown> = {
      name: 'Renamed',
      sip_realm: freshRealm(),
      webhook_secret: 'wh_secret_chosen',
      siprec_hook_sid: application_sid,
      device_calling_application_sid: application_sid,
      registration_hook: hook,
      queue_event_hook: { ...hook, method: 'POST' },
      record_format: 'wav',
    }
    let expected = await read(account_sid)
    for (const [field, value] of Object.entries(changes)) {
      expect([field, (await put(account_sid, { [field]: value })).status]).toEqual([field, 204])
      expected = { ...expected, [field]: value }
      expect(await read(account_sid)).toEqual(expected)
    }
    for (const field of ['enable_debug_log', 'record_all_calls'])
      for (const value of [true, false, 1, 0, true]) {
        expect(await put(account_sid, { [field]: value })).toMatchObject({ status: 204, text: '' })
        expected = { ...expected, [field]: Number(value) }
        expect(await read(account_sid)).toEqual(expected)
      }
    const bucket = {
      vendor: 'aws_s3',
      name: 'recordings',
      region: 'eu-west-1',
      access_key_id: 'AKIA',
      secret_access_key: 'abcdefghij',
      tags: [{ Key: 'team', Value: 'voice' }],
    }
    expect((await put(account_sid, { bucket_credential: bucket })).status).toBe(204)
    expected = { ...expected, bucket_credential: { ...bucket, secret_access_key: 'abcdefXXXX' } }
    expect(await read(account_sid)).toEqual(expected)
    expect((await put(account_sid, {})).status).toBe(204)
    expect(await read(account_sid)).toEqual(expected)
  })

  test('a storage credential is encrypted at rest, and its masked secret means the stored one', async () => {
    const account_sid = await api.account(provider)
    const bucket = {
      vendor: 's3_compatible',
      endpoint: 'https://s3.example',
      name: 'b',
      access_key_id: 'K',
      secret_access_key: 'abcdefghij',
    }
    const column = async () => {
      const { db } = api.test.database
      const row = await db
        .selectFrom('accounts')
        .select('bucket_credential')
        .where('account_sid', '=', account_sid)
        .executeTakeFirstOrThrow()
      return row.bucket_credential
    }
    const whole = async () => JSON.parse(api.services.encryption.decrypt((await column()) ?? '') ?? 'null')
    await put(account_sid, { bucket_credential: bucket })
    expect(await column()).not.toContain('abcdefghij')
    expect(await whole()).toEqual(bucket)
    await put(account_sid, { bucket_credential: { ...bucket, name: 'other', secret_access_key: 'abcdefXXXX' } })
    expect(await whole()).toEqual({ ...bucket, name: 'other' })
    const refused = await put(account_sid, { bucket_credential: { ...bucket, secret_access_key: 'zzzzzzXXXX' } })
    expect(refused).toMatchObject({ status: 400, body: { field: 'bucket_credential.secret_access_key' } })
    const service_key = JSON.stringify({ client_email: 'a@b', private_key: '-----BEGIN PRIVATE KEY-----\nMIIEvQ+more' })
    await put(account_sid, { bucket_credential: { vendor: 'google', name: 'g', service_key } })
    const response = (await read(account_sid))['bucket_credential'] as { service_key: string }
    expect(JSON.parse(response.service_key)).toEqual({
      client_email: 'a@b',
      private_key: '-----BEGIN PRIVATE KEY-----\nMIIEvQXXXXX',
    })
    expect((await put(account_sid, { bucket_credential: { vendor: 'tape' } })).body).toMatchObject({
      msg: 'unknown storage vendor: tape',
    })
    expect((await put(account_sid, { bucket_credential: { vendor: 'azure', name: 'x' } })).status).toBe(400)
    await put(account_sid, { bucket_credential: { vendor: 'none' } })
    expect(await column()).toBeNull()
  })

  test('null clears optional fields', async () => {
    const account_sid = await api.account(provider, {
      sip_realm: freshRealm(),
      deactivated_reason: 'why',
      trial_end_date: '2030-01-01T00:00:00Z',
    })
    const application_sid = await application(account_sid)
    await put(account_sid, { device_calling_application_sid: application_sid, siprec_hook_sid: application_sid })
    const cleared = {
      sip_realm: null,
      device_calling_application_sid: null,
      siprec_hook_sid: null,
      deactivated_reason: null,
      trial_end_date: null,
    }
    expect((await put(account_sid, cleared)).status).toBe(204)
    expect(await read(account_sid)).toMatchObject(cleared)
  })

  test.each([
    ['name', 'x'.repeat(65), 'name must be at most 64 characters long'],
    ['name', '', 'name must not be empty'],
    ['name', null, 'name must be text'],
    ['sip_realm', 'not a realm', 'sip_realm must be a domain name such as sip.example.com'],
    ['webhook_secret', '', 'webhook_secret must not be empty'],
    ['record_format', 'ogg', 'record_format must be mp3 or wav'],
    ['plan_type', 'gold', 'plan_type must be trial, free or paid'],
    ['record_all_calls', 'yes', 'record_all_calls must be true, false, 0 or 1'],
    ['device_to_call_ratio', 1.5, 'device_to_call_ratio must be a whole number'],
    ['trial_end_date', 'soon', 'trial_end_date must be an ISO 8601 date and time'],
    ['siprec_hook_sid', 'x', 'siprec_hook_sid must be a sid (UUID)'],
    ['nonsense', 1, 'unknown field nonsense'],
    ['registration_hook_sid', randomUUID(), 'unknown field registration_hook_sid'],
    ['account_sid', randomUUID(), 'primary key account_sid is immutable'],
    ['stripe_customer_id', 'cus_1', 'stripe_customer_id may not be modified'],
    ['created_at', '2020-01-01T00:00:00.000Z', 'created_at may not be modified'],
  ])('%s: %j is rejected with the field name', async (field, value, msg) => {
    const account_sid = await api.account(provider)
    const before = await read(account_sid)
    expect(await put(account_sid, { [field]: value })).toMatchObject({ status: 400, body: { msg, field } })
    expect(await read(account_sid)).toEqual(before)
  })

  test('the provider cannot be changed, but sending the current one is allowed', async () => {
    const account_sid = await api.account(provider)
    const service_provider_sid = await api.provider()
    expect(await put(account_sid, { service_provider_sid })).toMatchObject({
      status: 400,
      body: { msg: 'service_provider_sid may not be modified', field: 'service_provider_sid' },
    })
    expect((await put(account_sid, { service_provider_sid: provider })).status).toBe(204)
    expect((await read(account_sid))['service_provider_sid']).toBe(provider)
  })

  test("an account cannot use another account's application", async () => {
    const account_sid = await api.account(provider)
    const foreignApplication = await application(await api.account(provider))
    for (const field of ['device_calling_application_sid', 'siprec_hook_sid']) {
      for (const sid of [foreignApplication, randomUUID()])
        expect(await put(account_sid, { [field]: sid })).toMatchObject({ status: 400, body: { field } })
      expect((await read(account_sid))[field]).toBeNull()
    }
  })
})

describe('hooks', () => {
  const url = 'https://example.org/hook'

  test('ACCOUNTS-48 a hook has url, method (GET or POST), username, and password', async () => {
    const account_sid = await api.account(provider)
    const registration_hook = { url, method: 'GET', username: 'u', password: 'p' }
    const queue_event_hook = { url: `${url}/queue`, method: 'POST', username: 'v', password: 'q' }
    await put(account_sid, { registration_hook, queue_event_hook })
    const stored = await read(account_sid)
    expect(stored['registration_hook']).toEqual(registration_hook)
    expect(stored['queue_event_hook']).toEqual(queue_event_hook)
    for (const method of ['PUT', '', 'DELETE'])
      expect(await put(account_sid, { registration_hook: { url, method } })).toMatchObject({
        status: 400,
        body: { field: 'registration_hook.method' },
      })
    expect(await read(account_sid)).toEqual(stored)
  })

  test('a method in lowercase is accepted, and an absent one means POST', async () => {
    const account_sid = await api.account(provider, {
      registration_hook: { url, method: 'get' },
      queue_event_hook: { url, method: 'post' },
    })
    expect(await read(account_sid)).toMatchObject({
      registration_hook: { method: 'GET' },
      queue_event_hook: { method: 'POST' },
    })
    await put(account_sid, { registration_hook: { url } })
    expect((await read(account_sid))['registration_hook']).toEqual({
      url,
      method: 'POST',
      username: null,
      password: null,
    })
  })

  test('a change updates the existing row', async () => {
    const account_sid = await api.account(provider, { registration_hook: { url }, queue_event_hook: { url } })
    const before = await hookSids(account_sid)
    await put(account_sid, { registration_hook: { url: `${url}/2`, method: 'GET', username: 'u', password: 'p' } })
    expect(await hookSids(account_sid)).toEqual(before)
    expect(await hookRows(before.registration_hook_sid)).toEqual([
      { webhook_sid: before.registration_hook_sid, url: `${url}/2`, method: 'GET', username: 'u', password: 'p' },
    ])
    expect((await read(account_sid))['queue_event_hook']).toMatchObject({ url })
  })

  test('absent means unchanged; null and an object without a url clear the hook and delete the row', async () => {
    for (const cleared of [null, {}, { url: '' }, { url: null, method: 'GET' }]) {
      const account_sid = await api.account(provider, { registration_hook: { url }, queue_event_hook: { url } })
      const sids = await hookSids(account_sid)
      await put(account_sid, { name: 'kept' })
      expect(await hookSids(account_sid)).toEqual(sids)
      expect((await put(account_sid, { queue_event_hook: cleared })).status).toBe(204)
      expect(await read(account_sid)).toMatchObject({ registration_hook: { url }, queue_event_hook: null })
      expect(await hookRows(sids.queue_event_hook_sid)).toEqual([])
      expect(await hookRows(sids.registration_hook_sid)).toHaveLength(1)
    }
  })

  const shareHook = async () => {
    const one = await api.account(provider, { registration_hook: { url } })
    const { registration_hook_sid } = await hookSids(one)
    const other = await api.account(provider)
    const change = api.test.database.db.updateTable('accounts').set({ registration_hook_sid })
    await change.where('account_sid', '=', other).execute()
    return { one, other }
  }

  test('a row that two accounts share remains when one of them clears it or is deleted', async () => {
    const { one, other } = await shareHook()
    expect((await put(one, { registration_hook: null })).status).toBe(204)
    expect((await read(one))['registration_hook']).toBeNull()
    expect((await read(other))['registration_hook']).toMatchObject({ url })
    const again = await shareHook()
    expect((await api.admin.delete(`/Accounts/${again.one}`)).status).toBe(204)
    expect((await read(again.other))['registration_hook']).toMatchObject({ url })
  })

  test('a change of a shared row does not affect the hook of the other account', async () => {
    const { one, other } = await shareHook()
    expect((await put(one, { registration_hook: { url: 'https://changed.example.org' } })).status).toBe(204)
    expect((await read(one))['registration_hook']).toMatchObject({ url: 'https://changed.example.org' })
    expect((await read(other))['registration_hook']).toMatchObject({ url })
  })

  test.each([
    ['ftp://example.org', 'registration_hook.url'],
    ['not an address', 'registration_hook.url'],
    [`https://example.org/${'x'.repeat(1024)}`, 'registration_hook.url'],
    [7, 'registration_hook.url'],
  ])('the url %j is rejected with the field name', async (wrong, field) => {
    const account_sid = await api.account(provider)
    expect(await put(account_sid, { registration_hook: { url: wrong } })).toMatchObject({
      status: 400,
      body: { field },
    })
    expect((await read(account_sid))['registration_hook']).toBeNull()
  })

  test('a webhook_sid cannot be set, so that rows of others cannot be changed', async () => {
    const victim = await hookSids(await api.account(provider, { registration_hook: { url } }))
    const account_sid = await api.account(provider)
    const registration_hook = { url: 'https://evil.example.org', webhook_sid: victim.registration_hook_sid }
    expect(await put(account_sid, { registration_hook })).toMatchObject({
      status: 400,
      body: { field: 'registration_hook.webhook_sid' },
    })
    expect(await hookRows(victim.registration_hook_sid)).toMatchObject([{ url }])
  })

  test('a later conflicting field prevents storing valid hooks', async () => {
    const sip_realm = freshRealm()
    await api.account(provider, { sip_realm })
    const without = await api.account(provider)
    const having = await api.account(provider, { registration_hook: { url }, queue_event_hook: { url } })
    const before = await snapshot(api)
    const clashing = { registration_hook: { url: `${url}/new` }, queue_event_hook: null, sip_realm }
    expect((await put(without, clashing)).status).toBe(422)
    expect((await put(having, clashing)).status).toBe(422)
    expect((await api.admin.post('/Accounts', { name: 'x', service_provider_sid: provider, ...clashing })).status).toBe(
      422,
    )
    expect((await put(having, { registration_hook: null, siprec_hook_sid: randomUUID() })).status).toBe(400)
    expect(await snapshot(api)).toEqual(before)
  })
})

const asAccount = async (more: object = {}) => {
  const account_sid = await api.account(provider, more)
  const { caller } = await api.user({ account_sid, service_provider_sid: provider })
  const key = await api.apiKey({ account_sid })
  return { account_sid, callers: [caller, key.caller] }
}

describe('fields that account users may change', () => {
  test('include name, hooks, recording, and debugging, also with an API key', async () => {
    const { account_sid, callers } = await asAccount()
    for (const [index, caller] of callers.entries()) {
      const body = {
        name: `by ${index}`,
        registration_hook: { url: `http://example.org/${index}`, method: 'get' },
        queue_event_hook: { url: `http://example.org/q${index}`, method: 'post' },
        record_all_calls: true,
        record_format: 'wav',
        enable_debug_log: true,
      }
      expect((await caller.put(`/Accounts/${account_sid}`, body)).status).toBe(204)
      expect(getRow(await caller.get(`/Accounts/${account_sid}`))).toMatchObject({
        name: `by ${index}`,
        registration_hook: { url: `http://example.org/${index}`, method: 'GET' },
        record_all_calls: 1,
        record_format: 'wav',
        enable_debug_log: 1,
      })
    }
  })

  test('do not include the realm: a new one is rejected, the current one is accepted in any case', async () => {
    const sip_realm = freshRealm()
    const { account_sid, callers } = await asAccount({ sip_realm })
    for (const caller of callers) {
      const set = (realm: string) => caller.put(`/Accounts/${account_sid}`, { name: 'saved', sip_realm: realm })
      expect(await set(freshRealm())).toMatchObject({
        status: 400,
        body: { msg: 'use POST /Accounts/:sid/SipRealms/:realm to set or change the sip realm', field: 'sip_realm' },
      })
      expect((await set(sip_realm)).status).toBe(204)
      expect((await set(sip_realm.toUpperCase())).status).toBe(204)
      expect(await read(account_sid)).toMatchObject({ sip_realm, name: 'saved' })
    }
  })

  test('accept a realm that an older version of jambonz stored with capitals as unchanged', async () => {
    const { account_sid, callers } = await asAccount()
    const sip_realm = `SIP-${randomUUID()}.Example.org`
    await api.test.database.db
      .updateTable('accounts')
      .set({ sip_realm })
      .where('account_sid', '=', account_sid)
      .execute()
    for (const caller of callers)
      expect((await caller.put(`/Accounts/${account_sid}`, { name: 'x', sip_realm })).status).toBe(204)
  })

  test.each([
    ['plan_type', 'trial', 'paid'],
    ['is_active', true, false],
    ['disable_cdrs', 0, 1],
    ['device_to_call_ratio', 5, 100],
    ['trial_end_date', '2030-01-01T00:00:00.000Z', '2040-01-01T00:00:00.000Z'],
    ['trial_end_date', '2030-01-01T00:00:00.000Z', null],
    ['deactivated_reason', 'unpaid', 'paid now'],
    ['deactivated_reason', 'unpaid', null],
  ])('do not include %s: %j may be sent again, %j is rejected', async (field, current, requested) => {
    const { account_sid, callers } = await asAccount({
      trial_end_date: '2030-01-01T00:00:00Z',
      deactivated_reason: 'unpaid',
    })
    const before = await read(account_sid)
    for (const caller of callers) {
      expect((await caller.put(`/Accounts/${account_sid}`, { [field]: current })).status).toBe(204)
      expect(await caller.put(`/Accounts/${account_sid}`, { [field]: requested })).toMatchObject({
        status: 400,
        body: { field },
      })
    }
    expect(await read(account_sid)).toEqual(before)
    expect((await put(account_sid, { [field]: requested })).status).toBe(204)
  })
})

const readSecret = async (account_sid: string) => (await read(account_sid))['webhook_secret']

describe('the webhook secret', () => {
  test('API-019 regenerate=true returns a new secret, which the account then has', async () => {
    const account_sid = await api.account(provider)
    const old = await readSecret(account_sid)
    const answer = await api.admin.get(`/Accounts/${account_sid}/WebhookSecret?regenerate=true`)
    expect(answer.status).toBe(200)
    const fresh = member(answer, 'webhook_secret')
    expect(fresh).toMatch(/^wh_secret_.{22}$/)
    expect(fresh).not.toBe(old)
    expect(await readSecret(account_sid)).toBe(fresh)
    expect((await api.admin.get(`/Accounts/${account_sid}/WebhookSecret`)).body).toEqual({ webhook_secret: fresh })
  })

  test('without regenerate=true, the current secret is returned', async () => {
    const account_sid = await api.account(provider)
    const webhook_secret = await readSecret(account_sid)
    for (const query of ['', '?regenerate=false', '?regenerate='])
      expect((await api.admin.get(`/Accounts/${account_sid}/WebhookSecret${query}`)).body).toEqual({ webhook_secret })
    expect((await api.admin.get(`/Accounts/${account_sid}/WebhookSecret?regenerate=1`)).status).toBe(400)
    expect(await readSecret(account_sid)).toBe(webhook_secret)
  })

  test('view-only users can neither read nor renew it', async () => {
    const world = await createWorld(api)
    const before = await readSecret(world.sid.A)
    for (const name of ['view-only user of A', 'view-only user of P', 'view-only admin'] as const) {
      const caller = await signedIn(api, world.users[name])
      for (const query of ['', '?regenerate=true', '?regenerate=false', '?regenerate='])
        expect(statusAndMessage(await caller.get(`/Accounts/${world.sid.A}/WebhookSecret${query}`))).toEqual([
          403,
          'User has view-only access',
        ])
    }
    expect(await readSecret(world.sid.A)).toBe(before)
  })

  test('an unknown account is 404', async () => {
    for (const query of ['', '?regenerate=true'])
      expect((await api.admin.get(`/Accounts/${randomUUID()}/WebhookSecret${query}`)).status).toBe(404)
  })
})

/** Creates rows in every table that can refer to an account, directly or indirectly. Returns their sids. */
const fill = async (account_sid: string, service_provider_sid: string): Promise<Record<string, string>> => {
  const { db } = api.test.database
  const id: Record<string, string> = {}
  const sid = (name: string) => (id[name] ??= randomUUID())
  const webhook = (name: string) =>
    db
      .insertInto('webhooks')
      .values({ webhook_sid: sid(name), url: `https://${sid(name)}.example.org` })
      .execute()
  await webhook('call_hook')
  await webhook('status_hook')
  await db
    .insertInto('applications')
    .values({
      application_sid: sid('application'),
      name: 'app',
      account_sid,
      call_hook_sid: sid('call_hook'),
      call_status_hook_sid: sid('status_hook'),
    })
    .execute()
  await put(account_sid, { device_calling_application_sid: sid('application'), siprec_hook_sid: sid('application') })
  await put(account_sid, {
    registration_hook: { url: 'https://r.example.org' },
    queue_event_hook: { url: 'https://q.example.org' },
  })
  const hooks = await hookSids(account_sid)
  id['registration_hook'] = hooks.registration_hook_sid ?? ''
  id['queue_event_hook'] = hooks.queue_event_hook_sid ?? ''

  id['user'] = (await api.user({ account_sid, service_provider_sid, is_view_only: true })).sid
  id['key'] = (await api.apiKey({ account_sid })).sid
  await api.admin.post(`/Accounts/${account_sid}/Limits`, { category: 'device', quantity: 3 })

  const application_sid = sid('application')
  await db
    .insertInto('voip_carriers')
    .values({ voip_carrier_sid: sid('carrier'), name: 'c', account_sid, service_provider_sid, application_sid })
    .execute()
  const voip_carrier_sid = sid('carrier')
  await db
    .insertInto('sip_gateways')
    .values({ sip_gateway_sid: sid('sip gateway'), ipv4: '10.1.1.1', inbound: 1, outbound: 1, voip_carrier_sid })
    .execute()
  await db
    .insertInto('smpp_gateways')
    .values({ smpp_gateway_sid: sid('smpp gateway'), ipv4: '10.1.1.1', voip_carrier_sid })
    .execute()
  await db
    .insertInto('phone_numbers')
    .values({
      phone_number_sid: sid('number'),
      number: '1',
      voip_carrier_sid,
      account_sid,
      application_sid,
      service_provider_sid,
    })
    .execute()
  await db
    .insertInto('ms_teams_tenants')
    .values({
      ms_teams_tenant_sid: sid('tenant'),
      service_provider_sid,
      account_sid,
      application_sid,
      tenant_fqdn: sid('tenant'),
    })
    .execute()
  await db
    .insertInto('clients')
    .values({ client_sid: sid('client'), account_sid, username: 'u' })
    .execute()
  await db
    .insertInto('call_routes')
    .values({ call_route_sid: sid('call route'), priority: 1, account_sid, regex: '.*', application_sid })
    .execute()
  await db
    .insertInto('dns_records')
    .values({ dns_record_sid: sid('dns record'), account_sid, record_type: 'A', record_id: 1 })
    .execute()

  await db
    .insertInto('lcr')
    .values({ lcr_sid: sid('lcr'), name: 'l', account_sid })
    .execute()
  await db
    .insertInto('lcr_routes')
    .values({ lcr_route_sid: sid('route'), lcr_sid: sid('lcr'), regex: '.*', priority: 1 })
    .execute()
  await db
    .insertInto('lcr_carrier_set_entry')
    .values({ lcr_carrier_set_entry_sid: sid('entry'), lcr_route_sid: sid('route'), voip_carrier_sid })
    .execute()
  await db
    .updateTable('lcr')
    .set({ default_carrier_set_entry_sid: sid('entry') })
    .where('lcr_sid', '=', sid('lcr'))
    .execute()

  await db
    .insertInto('speech_credentials')
    .values({ speech_credential_sid: sid('speech'), account_sid, vendor: 'google', credential: '{}' })
    .execute()
  await db
    .insertInto('google_custom_voices')
    .values({ google_custom_voice_sid: sid('voice'), speech_credential_sid: sid('speech'), model: 'm', name: 'n' })
    .execute()

  const { product_sid } = await db.selectFrom('products').select('product_sid').limit(1).executeTakeFirstOrThrow()
  await db
    .insertInto('account_subscriptions')
    .values({ account_subscription_sid: sid('subscription'), account_sid })
    .execute()
  await db
    .insertInto('account_products')
    .values({
      account_product_sid: sid('product'),
      account_subscription_sid: sid('subscription'),
      product_sid,
      quantity: 1,
    })
    .execute()
  await db
    .insertInto('account_offers')
    .values({ account_offer_sid: sid('offer'), account_sid, product_sid, stripe_product_id: 'x' })
    .execute()
  const public_ipv4 = sid('ip').slice(0, 13)
  await db
    .insertInto('account_static_ips')
    .values({ account_static_ip_sid: sid('ip'), account_sid, public_ipv4 })
    .execute()
  return id
}

const rowCounts = (state: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(state).map(([table, text]) => [table, text === '' ? 0 : text.split('\n').length]))

/** Tables whose rows name their account. */
const tablesWithAccount = Object.entries(platformTables).flatMap(([table, { columns }]) =>
  table !== 'accounts' && 'account_sid' in columns ? [table] : [],
)

const readContents = async (account_sid: string): Promise<Row> =>
  getRow(await api.admin.get(`/patchbay/accounts/${account_sid}/contents`))

/** Tables whose rows can belong to an account, determined from the table definitions. */
const tablesOfAccounts = (): string[] => {
  const owned = new Set(['lcr'])
  const parents = { accounts: true, applications: true, users: true } as Record<string, boolean>
  for (let more = true; more; ) {
    more = false
    for (const [table, { columns }] of Object.entries(platformTables)) {
      const refersTo = Object.values(columns).flatMap((column) =>
        'references' in column && column.references ? [column.references.table] : [],
      )
      if (owned.has(table) || table in parents || !refersTo.some((parent) => parents[parent] || owned.has(parent)))
        continue
      owned.add(table)
      more = true
    }
  }
  return [...owned, 'applications', 'users']
}

describe('deleting', () => {
  test('API-017 DELETE Accounts/{sid} with an empty body deletes an account', async () => {
    for (const body of [undefined, {}]) {
      const account_sid = await api.account(provider)
      expect(await api.admin.delete(`/Accounts/${account_sid}`, body)).toMatchObject({ status: 204, text: '' })
      expect((await api.admin.get(`/Accounts/${account_sid}`)).status).toBe(404)
      expect((await api.admin.delete(`/Accounts/${account_sid}`)).status).toBe(404)
    }
  })

  test('everything that belongs to the account is deleted, and nothing else', async () => {
    const neighbour = await api.account(provider)
    await fill(neighbour, provider)
    const before = await snapshot(api)
    const account_sid = await api.account(provider)
    const sids = await fill(account_sid, provider)
    // The test covers a table only if it has a row.
    const counts = rowCounts(await snapshot(api))
    const filled = Object.entries(rowCounts(before)).filter(([table, count]) => (counts[table] ?? 0) > count)
    expect(filled.map(([table]) => table)).toEqual(expect.arrayContaining(tablesOfAccounts()))

    expect((await api.admin.delete(`/Accounts/${account_sid}`)).status).toBe(204)
    for (const [name, sid] of Object.entries({ account: account_sid, ...sids }))
      expect([name, await countMentions(api, sid)]).toEqual([name, {}])
    expect(await snapshot(api)).toEqual(before)
  })

  test('more users than a statement has keys are deleted with their settings, whatever the case of the SID on MySQL', async () => {
    const { db, engine } = api.test.database
    const account_sid = await api.account(provider)
    const other = await api.account(provider)
    const users = Array.from({ length: 501 }, () => ({ user_sid: randomUUID(), account_sid }))
    const neighbour = { user_sid: randomUUID(), account_sid: other }
    const all = [...users, neighbour]
    const named = all.map((user) => ({ ...user, name: user.user_sid, email: user.user_sid, provider: 'local' }))
    const columns = all.map(({ user_sid }) => ({ user_sid, screen: 'calls', columns: '[]' }))
    for (let first = 0; first < all.length; first += 100) {
      await db
        .insertInto('users')
        .values(named.slice(first, first + 100))
        .execute()
      await db
        .insertInto('patchbay_list_columns')
        .values(columns.slice(first, first + 100))
        .execute()
    }
    // SQLite compares SIDs with case.
    const requested = engine === 'mysql' ? account_sid.toUpperCase() : account_sid
    expect((await api.admin.delete(`/Accounts/${requested}`)).status).toBe(204)
    const remaining = await db.selectFrom('patchbay_list_columns').select('user_sid').execute()
    const inserted = new Set<string>(all.map(({ user_sid }) => user_sid))
    expect(remaining.filter(({ user_sid }) => inserted.has(user_sid))).toEqual([{ user_sid: neighbour.user_sid }])
  })

  test('the counts of its contents match exactly what is deleted', async () => {
    await fill(await api.account(provider), provider)
    const account_sid = await api.account(provider)
    expect(new Set(Object.values(await readContents(account_sid)))).toEqual(new Set([0]))
    await fill(account_sid, provider)
    for (const number of ['2', '3'])
      await api.test.database.db
        .insertInto('phone_numbers')
        .values({ phone_number_sid: randomUUID(), number, account_sid })
        .execute()
    const contents = await readContents(account_sid)
    expect(contents).toMatchObject({ users: 1, applications: 1, lcrs: 1, phone_numbers: 3 })
    expect(Object.values(contents)).not.toContain(0)

    const before = rowCounts(await snapshot(api))
    expect((await api.admin.delete(`/Accounts/${account_sid}`)).status).toBe(204)
    const after = rowCounts(await snapshot(api))
    const signal = tablesWithAccount.map((table) => {
      const kind = table === 'lcr' ? 'lcrs' : table
      return [kind, Number(before[table]) - Number(after[table])]
    })
    expect(contents).toEqual(Object.fromEntries(signal))
    expect((await api.admin.get(`/patchbay/accounts/${account_sid}/contents`)).status).toBe(404)
  })

  test('API-036 returns the deletion blockers in one response: counts, and the first ten', async () => {
    const account_sid = await api.account(provider)
    const readBlockers = async () => getRow(await api.admin.get(`/patchbay/accounts/${account_sid}/blockers`))
    const none = { total: 0, first: [] }
    expect(await readBlockers()).toEqual({
      applications: none,
      phone_numbers: none,
      ms_teams_tenants: none,
      api_keys: none,
    })
    const sids = await fill(account_sid, provider)
    // Resources of other accounts are not counted.
    await fill(await api.account(provider), provider)
    const numbers = Array.from({ length: 12 }, (_, index) => `1555${String(index).padStart(2, '0')}`)
    for (const number of numbers.toReversed())
      await api.test.database.db
        .insertInto('phone_numbers')
        .values({ phone_number_sid: randomUUID(), number, account_sid })
        .execute()
    const blockers = await readBlockers()
    expect(blockers).toEqual({
      applications: { total: 1, first: [{ sid: sids['application'], name: 'app' }] },
      phone_numbers: { total: 13, first: expect.any(Array) as unknown },
      ms_teams_tenants: { total: 1, first: [{ sid: sids['tenant'], name: sids['tenant'] }] },
      api_keys: {
        total: 1,
        first: [{ sid: sids['key'], name: expect.stringMatching(/^[*-]{32}[0-9a-f]{4}$/) as unknown }],
      },
    })
    const { first } = blockers['phone_numbers'] as { first: Row[] }
    expect(first).toHaveLength(10)
    expect(first.map(({ name }) => name)).toEqual(expect.arrayContaining(numbers.slice(0, 9)))
  })

  test('administrators and users of the provider delete an account with everything that blocks others', async () => {
    const ofProvider = await api.user({ service_provider_sid: provider })
    const keyOfProvider = await api.apiKey({ service_provider_sid: provider })
    for (const caller of [api.admin, ofProvider.caller, keyOfProvider.caller]) {
      const account_sid = await api.account(provider)
      await fill(account_sid, provider)
      expect((await caller.delete(`/Accounts/${account_sid}`)).status).toBe(204)
    }
  })

  test.each([
    ['applications', 'application_sid', 'applications (1)'],
    ['phone_numbers', 'phone_number_sid', 'phone numbers (1)'],
    ['ms_teams_tenants', 'ms_teams_tenant_sid', 'MS Teams tenants (1)'],
    ['api_keys', 'api_key_sid', 'API keys (1)'],
  ] as const)(
    'users, keys, and tokens of an account with %s get 422 with the blockers, and nothing is deleted',
    async (kind, column, named) => {
      const account_sid = await api.account(provider)
      const user = await api.user({ account_sid, service_provider_sid: provider })
      const values = {
        applications: { name: 'ivr', account_sid },
        phone_numbers: { number: '15085550199', account_sid },
        ms_teams_tenants: { tenant_fqdn: `${account_sid}.example.org`, account_sid, service_provider_sid: provider },
        api_keys: { token: randomUUID(), account_sid },
      }[kind]
      const sid = randomUUID()
      await sql`insert into ${sql.table(kind)} (${sql.join([column, ...Object.keys(values)].map((name) => sql.ref(name)))})
        values (${sql.join([sid, ...Object.values(values)])})`.execute(api.test.database.db)
      const { body: blockers } = await user.caller.get(`/patchbay/accounts/${account_sid}/blockers`)
      const before = await snapshot(api)
      expect(await user.caller.delete(`/Accounts/${account_sid}`)).toMatchObject({
        status: 422,
        body: { code: 'account_in_use', msg: `cannot delete account with ${named}`, blockers },
      })
      expect(await snapshot(api)).toEqual(before)

      await sql`delete from ${sql.table(kind)} where ${sql.ref(column)} = ${sid}`.execute(api.test.database.db)
      // A key is in use itself.
      const key = await api.apiKey({ account_sid })
      expect(statusAndMessage(await key.caller.delete(`/Accounts/${account_sid}`))).toEqual([
        422,
        'cannot delete account with API keys (1)',
      ])
      expect((await api.admin.delete(`/ApiKeys/${key.sid}`)).status).toBe(204)
      expect((await user.caller.delete(`/Accounts/${account_sid}`)).status).toBe(204)
    },
  )

  test('a user of the account may delete it if nothing uses it, which ends the sessions of its users', async () => {
    const account_sid = await api.account(provider)
    const one = await api.user({ account_sid, service_provider_sid: provider })
    const other = await api.user({ account_sid, service_provider_sid: provider })
    expect((await one.caller.delete(`/Accounts/${account_sid}`)).status).toBe(204)
    for (const caller of [one.caller, other.caller]) expect((await caller.get('/Accounts')).status).toBe(401)
    expect(await countMentions(api, one.sid)).toEqual({})
    expect(await countMentions(api, other.sid)).toEqual({})
    expect((await api.signIn(other.name, other.password)).status).toBe(403)
  })

  test('the deletion is rejected while the routing of another provider uses its carrier', async () => {
    const account_sid = await api.account(provider)
    const { caller, sid } = await api.user({ account_sid, service_provider_sid: provider })
    const { carrier = '' } = await fill(account_sid, provider)
    const { db } = api.test.database
    const [lcr_sid, lcr_route_sid] = [randomUUID(), randomUUID()]
    await db
      .insertInto('lcr')
      .values({ lcr_sid, name: 'theirs', service_provider_sid: await api.provider() })
      .execute()
    await db.insertInto('lcr_routes').values({ lcr_route_sid, lcr_sid, regex: '.*', priority: 1 }).execute()
    await db
      .insertInto('lcr_carrier_set_entry')
      .values({ lcr_carrier_set_entry_sid: randomUUID(), lcr_route_sid, voip_carrier_sid: carrier })
      .execute()
    const before = await snapshot(api)
    expect(statusAndMessage(await api.admin.delete(`/Accounts/${account_sid}`))).toEqual([
      422,
      'still in use by something else',
    ])
    expect(await snapshot(api)).toEqual(before)
    expect(getRow(await caller.get('/Users/me'))).toMatchObject({ user: { user_sid: sid } })
  })

  test('the deletion is rejected while the device calls of another account use its application', async () => {
    const account_sid = await api.account(provider)
    const { application: device_calling_application_sid = '' } = await fill(account_sid, provider)
    const other = await api.account(provider)
    const { db } = api.test.database
    await db.updateTable('accounts').set({ device_calling_application_sid }).where('account_sid', '=', other).execute()
    const before = await snapshot(api)
    expect(statusAndMessage(await api.admin.delete(`/Accounts/${account_sid}`))).toEqual([
      422,
      'still in use by something else',
    ])
    expect(await snapshot(api)).toEqual(before)
  })
})
