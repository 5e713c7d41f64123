import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWorld, rowsOf, signedIn, sorted, type UserName, type World } from './support.ts'

let api: TestApi
let world: World
beforeAll(async () => {
  api = await createTestApi()
  world = await createWorld(api)
})
afterAll(() => api.close())

test('API-097 GET MicrosoftTeamsTenants answers the tenants the caller may see', async () => {
  const [ofA, ofA2, ofB] = [world.things.A, world.things.A2, world.things.B].map((its) => its.ms_teams_tenant_sid)
  const seen = async (name: UserName) =>
    sorted(
      rowsOf(await (await signedIn(api, world.users[name])).get('/MicrosoftTeamsTenants')).map(
        (row) => row['ms_teams_tenant_sid'],
      ),
    )
  expect(await seen('user of A')).toEqual([ofA])
  expect(await seen('user of P')).toEqual(sorted([ofA, ofA2]))
  expect(await seen('user of B')).toEqual([ofB])
  expect(await seen('admin')).toEqual(sorted([ofA, ofA2, ofB]))
})

test('API-098 GET MicrosoftTeamsTenants/{sid} answers one tenant; a sid that is none is none', async () => {
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

test('whose a tenant is, its account says', async () => {
  const { db } = api.test.database
  const ms_teams_tenant_sid = randomUUID()
  const row = {
    ms_teams_tenant_sid,
    account_sid: world.sid.A,
    service_provider_sid: world.sid.Q,
    tenant_fqdn: 'a.example',
  }
  await db.insertInto('ms_teams_tenants').values(row).execute()
  const status = async (name: UserName) =>
    (await (await signedIn(api, world.users[name])).get(`/MicrosoftTeamsTenants/${ms_teams_tenant_sid}`)).status
  expect([await status('user of P'), await status('user of Q')]).toEqual([200, 404])
})
