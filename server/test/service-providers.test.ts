import { randomUUID } from 'node:crypto'
import { member } from '@patchbay/testkit/test-api'
import { createWorld, openTestApi, signedIn } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { countMentions, getRow, getRows, type Row, snapshot, statusAndMessage } from './fixtures.ts'

const api = await openTestApi()

const read = async (sid: string): Promise<Row> => getRow(await api.admin.get(`/ServiceProviders/${sid}`))
const put = (sid: string, body: object) => api.admin.put(`/ServiceProviders/${sid}`, body)
const remove = (sid: string) => api.admin.delete(`/ServiceProviders/${sid}`)
const freshName = () => `provider ${randomUUID()}`
const freshDomain = () => `${randomUUID()}.example.org`
const url = 'https://example.org/hook'

const hookSid = async (service_provider_sid: string) => {
  const { db } = api.test.database
  const rows = db.selectFrom('service_providers').select('registration_hook_sid')
  return (
    (await rows.where('service_provider_sid', '=', service_provider_sid).executeTakeFirstOrThrow())
      .registration_hook_sid ?? ''
  )
}

describe('reading', () => {
  test('API-039 GET ServiceProviders returns the providers the caller may see', async () => {
    const world = await createWorld(api)
    const { P, Q } = world.sid
    const seenBy = async (name: keyof typeof world.users) =>
      getRows(await (await signedIn(api, world.users[name])).get('/ServiceProviders')).map(
        (row) => row['service_provider_sid'],
      )
    expect(await seenBy('admin')).toEqual(expect.arrayContaining([P, Q]))
    for (const name of ['user of P', 'user of A', 'user of A2', 'view-only user of A'] as const)
      expect(await seenBy(name)).toEqual([P])
    for (const name of ['user of Q', 'user of B'] as const) expect(await seenBy(name)).toEqual([Q])
    expect(
      getRows(await api.as(world.keys['key of A'].token).get('/ServiceProviders')).map(
        (row) => row['service_provider_sid'],
      ),
    ).toEqual([P])
  })

  test('PROVIDERS-06 a provider has its sid, name, and MS Teams domain, and separate limits', async () => {
    const name = freshName()
    const response = await api.admin.post('/ServiceProviders', { name, ms_teams_fqdn: 'teams.example.org' })
    const service_provider_sid = member(response, 'sid')
    const limit = { category: 'voice_call_session', quantity: 3 }
    await api.admin.post(`/ServiceProviders/${service_provider_sid}/Limits`, limit)
    const provider = { service_provider_sid, name, ms_teams_fqdn: 'teams.example.org' }
    expect(await read(service_provider_sid)).toMatchObject(provider)
    const all = getRows(await api.admin.get('/ServiceProviders'))
    expect(all.find((row) => row['service_provider_sid'] === service_provider_sid)).toMatchObject(provider)
    expect(getRows(await api.admin.get(`/ServiceProviders/${service_provider_sid}/Limits`))).toMatchObject([limit])
  })

  test('a single provider has all its fields, and its hook has url, method, username, and password', async () => {
    const name = freshName()
    const root_domain = freshDomain()
    const body = {
      name,
      root_domain,
      description: 'text',
      ms_teams_fqdn: 'teams.example.org',
      registration_hook: { url, method: 'get' },
    }
    const service_provider_sid = member(await api.admin.post('/ServiceProviders', body), 'sid')
    expect(await read(service_provider_sid)).toEqual({
      ...body,
      service_provider_sid,
      registration_hook: { url, method: 'GET', username: null, password: null },
    })
  })

  test('an unknown provider is 404 for an admin, a malformed sid is 400', async () => {
    expect((await api.admin.get(`/ServiceProviders/${randomUUID()}`)).status).toBe(404)
    expect(statusAndMessage(await api.admin.get('/ServiceProviders/123'))).toEqual([400, 'Bad request'])
    expect(statusAndMessage(await put('123', { name: 'x' }))).toEqual([400, 'Bad request'])
    expect((await put(randomUUID(), { name: 'x' })).status).toBe(404)
  })
})

describe('creating', () => {
  test('API-040 POST ServiceProviders {name} returns the sid', async () => {
    const name = freshName()
    const response = await api.admin.post('/ServiceProviders', { name })
    expect(response).toMatchObject({ status: 201, body: { sid: expect.stringMatching(/^[0-9a-f-]{36}$/) } })
    const empty = { description: null, root_domain: null, ms_teams_fqdn: null, registration_hook: null }
    expect(await read(member(response, 'sid'))).toEqual({
      service_provider_sid: member(response, 'sid'),
      name,
      ...empty,
    })
  })

  test('a name or root domain of another provider is 422 with the field name, and no hook remains', async () => {
    const name = freshName()
    const root_domain = freshDomain()
    await api.admin.post('/ServiceProviders', { name, root_domain })
    const before = await snapshot(api)
    const post = (body: object) => api.admin.post('/ServiceProviders', { ...body, registration_hook: { url } })
    expect(await post({ name })).toMatchObject({ status: 422, body: { field: 'name' } })
    expect(await post({ name: name.toUpperCase() })).toMatchObject({ status: 422, body: { field: 'name' } })
    expect(await post({ name: freshName(), root_domain })).toMatchObject({
      status: 422,
      body: { field: 'root_domain' },
    })
    expect(await snapshot(api)).toEqual(before)
  })

  test.each([
    [{}, 'name', 'missing field name'],
    [{ name: '' }, 'name', 'name must not be empty'],
    [{ name: 'x'.repeat(65) }, 'name', 'name must be at most 64 characters long'],
    [{ name: 'x', description: 'x'.repeat(256) }, 'description', 'description must be at most 255 characters long'],
    [{ name: 'x', root_domain: 'x'.repeat(129) }, 'root_domain', 'root_domain must be at most 128 characters long'],
    [{ name: 'x', lcr_sid: null }, 'lcr_sid', 'unknown field lcr_sid'],
    [{ name: 'x', registration_hook: 'x' }, 'registration_hook', expect.stringContaining('registration_hook')],
  ])('%j is rejected with the field name', async (body, field, msg) => {
    expect(await api.admin.post('/ServiceProviders', body)).toMatchObject({ status: 400, body: { field, msg } })
  })

  test('two providers may have no root domain, by null and by an empty string', async () => {
    for (const root_domain of [null, null, '', ''])
      expect(
        (await api.admin.post('/ServiceProviders', { name: freshName(), root_domain, registration_hook: null })).status,
      ).toBe(201)
  })
})

describe('changing', () => {
  test('API-041 PUT ServiceProviders/{sid} updates name and ms_teams_fqdn, for an admin and its own user', async () => {
    const sid = await api.provider()
    const { caller } = await api.user({ service_provider_sid: sid })
    for (const who of [api.admin, caller]) {
      const body = { name: freshName(), ms_teams_fqdn: `${randomUUID()}.example.org` }
      expect(await who.put(`/ServiceProviders/${sid}`, body)).toMatchObject({ status: 204, text: '' })
      expect(await read(sid)).toMatchObject(body)
    }
  })

  test('absent fields and hooks remain, and null clears them', async () => {
    const sid = await api.provider()
    await put(sid, { description: 'd', root_domain: freshDomain(), ms_teams_fqdn: 'm', registration_hook: { url } })
    const before = await read(sid)
    expect((await put(sid, {})).status).toBe(204)
    expect((await put(sid, { name: String(before['name']) })).status).toBe(204)
    expect(await read(sid)).toEqual(before)
    const cleared = { description: null, root_domain: null, ms_teams_fqdn: null, registration_hook: null }
    const hook = await hookSid(sid)
    expect((await put(sid, cleared)).status).toBe(204)
    expect(await read(sid)).toMatchObject(cleared)
    expect(await countMentions(api, hook)).toEqual({})
  })

  test('a changed hook keeps its row', async () => {
    const sid = await api.provider()
    await put(sid, { registration_hook: { url, username: 'u', password: 'p' } })
    const hook = await hookSid(sid)
    await put(sid, { registration_hook: { url: `${url}/2`, method: 'get' } })
    expect(await hookSid(sid)).toBe(hook)
    expect((await read(sid))['registration_hook']).toEqual({
      url: `${url}/2`,
      method: 'GET',
      username: null,
      password: null,
    })
  })

  test('a name of another provider is 422, and nothing is changed', async () => {
    const name = freshName()
    await api.provider(name)
    const sid = await api.provider()
    const before = await snapshot(api)
    expect(await put(sid, { name, ms_teams_fqdn: 'new', registration_hook: { url } })).toMatchObject({
      status: 422,
      body: { field: 'name' },
    })
    expect(await snapshot(api)).toEqual(before)
  })
})

/** Creates all resources that are deleted with a provider. */
const fill = async (service_provider_sid: string): Promise<{ carrier: string; token: string }> => {
  const { db } = api.test.database
  const voip_carrier_sid = randomUUID()
  await put(service_provider_sid, { registration_hook: { url } })
  const { caller } = await api.apiKey({ service_provider_sid })
  await api.admin.post(`/ServiceProviders/${service_provider_sid}/Limits`, { category: 'device', quantity: 1 })
  await db.insertInto('voip_carriers').values({ voip_carrier_sid, name: 'c', service_provider_sid }).execute()
  await db
    .insertInto('sip_gateways')
    .values({ sip_gateway_sid: randomUUID(), ipv4: '10.2.2.2', inbound: 1, outbound: 0, voip_carrier_sid })
    .execute()
  await db
    .insertInto('smpp_gateways')
    .values({ smpp_gateway_sid: randomUUID(), ipv4: '10.2.2.2', voip_carrier_sid })
    .execute()
  const routing = { name: 'routing', service_provider_sid, routes: [], default_voip_carrier_sid: voip_carrier_sid }
  await api.admin.post('/patchbay/lcrs', routing)
  await db
    .insertInto('speech_credentials')
    .values({ speech_credential_sid: randomUUID(), service_provider_sid, vendor: 'google', credential: '{}' })
    .execute()
  return { carrier: voip_carrier_sid, token: caller.token }
}

describe('deleting', () => {
  test('API-042 DELETE ServiceProviders/{sid} deletes the service provider', async () => {
    const sid = await api.provider()
    expect(await remove(sid)).toMatchObject({ status: 204, text: '' })
    expect((await api.admin.get(`/ServiceProviders/${sid}`)).status).toBe(404)
    expect(getRows(await api.admin.get('/ServiceProviders')).map((row) => row['service_provider_sid'])).not.toContain(
      sid,
    )
  })

  test('an unknown or malformed sid is 404', async () => {
    for (const sid of [randomUUID(), '123']) expect((await remove(sid)).status).toBe(404)
  })

  test('is rejected without changes while an account or a user refers to it', async () => {
    const withAccount = await api.provider()
    const account_sid = await api.account(withAccount, { is_active: false })
    const withUser = await api.provider()
    await api.user({ service_provider_sid: withUser })
    const before = await snapshot(api)
    for (const sid of [withAccount, withUser])
      expect(statusAndMessage(await remove(sid))).toEqual([403, 'insufficient privileges'])
    expect(await snapshot(api)).toEqual(before)
    await api.admin.delete(`/Accounts/${account_sid}`)
    expect((await remove(withAccount)).status).toBe(204)
  })

  test('the resources that block the deletion or are deleted can be counted before, for the provider itself only', async () => {
    const sid = await api.provider()
    const contents = async () => getRow(await api.admin.get(`/patchbay/service-providers/${sid}/contents`))
    const none = {
      accounts: 0,
      users: 0,
      applications: 0,
      phone_numbers: 0,
      ms_teams_tenants: 0,
      sbc_addresses: 0,
      api_keys: 0,
      voip_carriers: 0,
      lcrs: 0,
      speech_credentials: 0,
      service_provider_limits: 0,
    }
    expect(await contents()).toEqual(none)
    await fill(await api.provider())
    await fill(sid)
    const account_sid = await api.account(sid)
    await api.apiKey({ account_sid })
    await api.user({ service_provider_sid: sid })
    const own = { accounts: 1, users: 1, voip_carriers: 1, lcrs: 1, speech_credentials: 1, api_keys: 1 }
    expect(await contents()).toEqual({ ...none, ...own, service_provider_limits: 1 })
    expect((await api.admin.get(`/patchbay/service-providers/${randomUUID()}/contents`)).status).toBe(404)
  })

  test('the provider is deleted with carriers, gateways, routing, speech credentials, keys, limits, and hook, and nothing else', async () => {
    const neighbour = await api.provider()
    await fill(neighbour)
    const before = await snapshot(api)
    const sid = await api.provider()
    const { token } = await fill(sid)
    expect((await remove(sid)).status).toBe(204)
    expect(await snapshot(api)).toEqual(before)
    expect((await api.as(token).get('/ServiceProviders')).status).toBe(401)
  })

  test('the deletion is rejected while a number uses one of its carriers', async () => {
    const sid = await api.provider()
    const { carrier } = await fill(sid)
    const { db } = api.test.database
    await db
      .insertInto('phone_numbers')
      .values({ phone_number_sid: randomUUID(), number: '99', voip_carrier_sid: carrier })
      .execute()
    const before = await snapshot(api)
    expect(statusAndMessage(await remove(sid))).toEqual([422, 'still in use by something else'])
    expect(await snapshot(api)).toEqual(before)
  })
})
