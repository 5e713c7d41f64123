import { randomUUID } from 'node:crypto'
import { member } from '@patchbay/testkit/test-api'
import { createWorld, openTestWorld, signedIn, type UserName, type World } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { getRow, getRows, snapshot, sorted, statusAndMessage } from './fixtures.ts'
import { expectDeletedOnce, listAs, listInEachScope, readAuditEntries, readStatuses } from './owned-records.ts'

const { api, world } = await openTestWorld()

const as = (name: UserName, of: World = world) => signedIn(api, of.users[name])
const domain = () => `${randomUUID()}.example.org`
const path = '/MicrosoftTeamsTenants'
const read = async (sid: string) => getRow(await api.admin.get(`${path}/${sid}`))

const createTenant = async (more: object = {}, tenant_fqdn = domain()) => {
  const { P: service_provider_sid, A: account_sid } = world.sid
  return member(await api.admin.post(path, { service_provider_sid, account_sid, tenant_fqdn, ...more }), 'sid')
}

test('API-097 GET MicrosoftTeamsTenants returns the tenants the caller may see', async () => {
  const { actual, expected } = await listInEachScope(api, '/MicrosoftTeamsTenants', 'ms_teams_tenant_sid')
  expect(actual).toEqual(expected)
})

test('API-098 GET MicrosoftTeamsTenants/{sid} returns one tenant, and an invalid sid is rejected', async () => {
  const { ms_teams_tenant_sid } = world.things.A
  expect((await api.admin.get(`/MicrosoftTeamsTenants/${ms_teams_tenant_sid}`)).body).toEqual({
    ms_teams_tenant_sid,
    service_provider_sid: world.sid.P,
    account_sid: world.sid.A,
    application_sid: null,
    tenant_fqdn: `${ms_teams_tenant_sid}.example.org`,
  })
  for (const sid of ['nonsense', randomUUID()])
    expect((await api.admin.get(`/MicrosoftTeamsTenants/${sid}`)).status).toBe(404)
})

test('the applications of visible tenants are returned with their names and without duplicates', async () => {
  const of = await createWorld(api)
  const named: Record<string, string> = {}
  for (const [account, provider] of [
    ['A', 'P'],
    ['A2', 'P'],
    ['B', 'Q'],
  ] as const) {
    const { application_sid } = of.things[account]
    named[account] = application_sid
    const body = { service_provider_sid: of.sid[provider], account_sid: of.sid[account], application_sid }
    for (const turn of [1, 2]) {
      const response = await api.admin.post('/MicrosoftTeamsTenants', {
        ...body,
        tenant_fqdn: `${turn}.${application_sid}`,
      })
      expect(response.status).toBe(201)
    }
  }
  const applicationsPath = '/patchbay/ms-teams-tenants/applications'
  const listApplications = (name: UserName) => listAs(api, of, name, applicationsPath, 'application_sid')
  expect(await listApplications('user of A')).toEqual([named['A']])
  expect(await listApplications('user of P')).toEqual(sorted([named['A'], named['A2']]))
  expect(await listApplications('user of Q')).toEqual([named['B']])
  expect(await listApplications('admin')).toEqual(expect.arrayContaining(Object.values(named)))
  const [row] = getRows(await api.admin.get(applicationsPath))
  expect(row).toEqual({ application_sid: expect.any(String), name: expect.any(String) })
})

test('the account of a tenant determines its owner', async () => {
  const sid = await createTenant()
  const row = api.test.database.db.updateTable('ms_teams_tenants').where('ms_teams_tenant_sid', '=', sid)
  await row.set({ service_provider_sid: world.sid.Q }).execute()
  expect(await readStatuses(api, world, `${path}/${sid}`, ['user of P', 'user of Q'])).toEqual([200, 404])
})

describe('changes of tenants', () => {
  test('API-101 API-099 API-100 TEAMS-11 are possible for its account, its provider, and an admin', async () => {
    const { P: service_provider_sid, A: account_sid, B } = world.sid
    const { application_sid } = world.things.A
    for (const name of ['user of A', 'user of P', 'admin'] as const) {
      const caller = await as(name)
      const tenant_fqdn = domain()
      const body = { service_provider_sid, account_sid, tenant_fqdn, application_sid }
      const ms_teams_tenant_sid = member(await caller.post(path, body), 'sid')
      expect(await read(ms_teams_tenant_sid)).toEqual({ ms_teams_tenant_sid, ...body })
      const changed = { tenant_fqdn: domain(), account_sid, application_sid: null }
      expect((await caller.put(`${path}/${ms_teams_tenant_sid}`, changed)).status).toBe(204)
      expect(await read(ms_teams_tenant_sid)).toEqual({ ms_teams_tenant_sid, service_provider_sid, ...changed })
      expect((await caller.put(`${path}/${ms_teams_tenant_sid}`, {})).status).toBe(204)
      await expectDeletedOnce(caller, `${path}/${ms_teams_tenant_sid}`)
    }
    const own = { service_provider_sid: world.sid.Q, account_sid: B, tenant_fqdn: domain() }
    const sid = member(await (await as('user of A')).post(path, own), 'sid')
    expect(await read(sid)).toMatchObject({ account_sid, service_provider_sid })
    expect((await (await as('user of A')).put(`${path}/${sid}`, { account_sid: B })).status).toBe(204)
    expect(await read(sid)).toMatchObject({ account_sid, service_provider_sid })
  })

  test('a tenant moves between accounts together with its application and provider', async () => {
    const { Q, A2, B } = world.sid
    const sid = await createTenant({ application_sid: world.things.A.application_sid })
    const put = async (body: object) => statusAndMessage(await api.admin.put(`${path}/${sid}`, body))
    const msg = 'application_sid does not exist for specified account_sid'
    expect(await put({ account_sid: A2 })).toEqual([400, msg])
    expect(await put({ account_sid: A2, application_sid: world.things.A2.application_sid })).toEqual([204, undefined])
    expect(await put({ account_sid: B, application_sid: '' })).toEqual([204, undefined])
    expect(await read(sid)).toMatchObject({ account_sid: B, service_provider_sid: Q, application_sid: null })
  })

  test('missing required fields are reported in the order of the API', async () => {
    const body = { service_provider_sid: world.sid.P, account_sid: world.sid.A }
    const refused = async (requestBody: object) => statusAndMessage(await api.admin.post(path, requestBody))
    expect(await refused({})).toEqual([400, 'missing field service_provider_sid'])
    expect(await refused({ service_provider_sid: world.sid.P })).toEqual([400, 'missing field account_sid'])
    expect(await refused(body)).toEqual([400, 'missing field tenant_fqdn'])
  })

  test.each<[Readonly<Record<string, string>>, string]>([
    [{ tenant_fqdn: ' ' }, 'tenant_fqdn must not be empty'],
    [{ tenant_fqdn: 'x'.repeat(256) }, 'tenant_fqdn must be at most 255 characters long'],
    [{ account_sid: '' }, 'unknown account_sid'],
    [{ account_sid: 'B' }, 'unknown account_sid'],
    [{ service_provider_sid: 'Q' }, 'service_provider_sid must be your own'],
    [{ application_sid: 'of A2' }, 'application_sid does not exist for specified account_sid'],
    [{ application_sid: 'xxx' }, 'unknown application_sid'],
  ])('a provider cannot name %j', async (wrong, msg) => {
    const resources: Readonly<Record<string, string>> = { ...world.sid, 'of A2': world.things.A2.application_sid }
    const body = Object.fromEntries(Object.entries(wrong).map(([field, value]) => [field, resources[value] ?? value]))
    const { P: service_provider_sid, A: account_sid } = world.sid
    const ofP = await as('user of P')
    const sid = await createTenant()
    const before = await snapshot(api)
    const requestBody = { service_provider_sid, account_sid, tenant_fqdn: domain(), ...body }
    expect(statusAndMessage(await ofP.post(path, requestBody))).toEqual([400, msg])
    expect(statusAndMessage(await ofP.put(`${path}/${sid}`, body))).toEqual([400, msg])
    expect(await snapshot(api)).toEqual(before)
  })

  test('an account and a provider that do not match are rejected for admins too', async () => {
    const { Q: service_provider_sid } = world.sid
    const msg = 'account_sid is not of this service provider'
    const sid = await createTenant()
    const body = { service_provider_sid, account_sid: world.sid.A, tenant_fqdn: domain() }
    expect(statusAndMessage(await api.admin.post(path, body))).toEqual([400, msg])
    expect(statusAndMessage(await api.admin.put(`${path}/${sid}`, { service_provider_sid }))).toEqual([400, msg])
  })

  test('a domain is unique regardless of case, even with twenty concurrent creations', async () => {
    const { P: service_provider_sid, A: account_sid } = world.sid
    const tenant_fqdn = domain()
    const add = () => api.admin.post(path, { service_provider_sid, account_sid, tenant_fqdn })
    const all = await Promise.all(Array.from({ length: 20 }, add))
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1)
    const taken = { status: 422, body: { field: 'tenant_fqdn', msg: 'Duplicate entry: tenant_fqdn is already in use' } }
    for (const answer of all.filter(({ status }) => status !== 201)) expect(answer).toMatchObject(taken)
    const other = `${path}/${await createTenant()}`
    expect(await api.admin.put(other, { tenant_fqdn: tenant_fqdn.toUpperCase() })).toMatchObject(taken)
  })

  test('the audit trail shows changes of a tenant to its owner', async () => {
    const ofP = await as('user of P')
    const tenant_fqdn = domain()
    const sid = await createTenant({}, tenant_fqdn)
    await ofP.put(`${path}/${sid}`, { account_sid: world.sid.A2 })
    await ofP.delete(`${path}/${sid}`)
    const entries = await readAuditEntries(ofP, 'ms_teams_tenant', sid)
    expect(entries.map(({ action, name, account_sid }) => [action, name, account_sid])).toEqual([
      ['delete', tenant_fqdn, world.sid.A2],
      ['update', tenant_fqdn, world.sid.A2],
      ['create', tenant_fqdn, world.sid.A],
    ])
  })
})
