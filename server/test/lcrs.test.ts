import { randomUUID } from 'node:crypto'
import { prioritized } from '@patchbay/rules/routing/outbound'
import { type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { createWorld, signedIn, type World } from '@patchbay/testkit/test-world'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { countMentions, getRow, getRows, type Row, snapshot, sorted, statusAndMessage } from './fixtures.ts'

/** Outbound routing: tables, their routes, and the carriers of routes. */

let api: TestApi
let world: World
beforeAll(async () => {
  api = await createTestApi()
})
beforeEach(async () => {
  world = await createWorld(api)
})
afterAll(() => api.close())

const carrier = async (body: object = {}) =>
  member(await api.admin.post('/VoipCarriers', { name: randomUUID(), ...body }), 'sid')
const createLcr = async (body: object = {}, caller: Caller = api.admin) =>
  member(await caller.post('/Lcrs', { name: 'routing', ...body }), 'sid')
const read = async (sid: string) => getRow(await api.admin.get(`/Lcrs/${sid}`))
const readRoutes = async (sid: string) => getRows(await api.admin.get(`/LcrRoutes?lcr_sid=${sid}`))
const getEntries = (route: Row | undefined) => route?.['lcr_carrier_set_entries'] as Row[]
/** Returns patterns with their priorities and carriers. */
const summarize = async (sid: string) =>
  (await readRoutes(sid)).map((route) => [
    route['regex'],
    route['priority'],
    ...getEntries(route).map((entry) => entry['voip_carrier_sid']),
  ])
const over = (regex: string, ...carriers: string[]) => ({
  regex,
  lcr_carrier_set_entries: carriers.map((voip_carrier_sid) => ({ voip_carrier_sid })),
})
const stays = async (work: () => Promise<void>) => {
  const before = await snapshot(api)
  await work()
  expect(await snapshot(api)).toEqual(before)
}

describe('a single routing table', () => {
  test('API-103 API-105 API-106 API-107 LCR-23 is created, read, changed, and deleted', async () => {
    const sid = await createLcr({ name: 'name', is_active: true, default_carrier_set_entry_sid: null })
    const row = {
      lcr_sid: sid,
      name: 'name',
      is_active: 1,
      default_carrier_set_entry_sid: null,
      service_provider_sid: null,
      account_sid: null,
      number_routes: 0,
    }
    expect(await read(sid)).toEqual(row)
    expect((await api.admin.put(`/Lcrs/${sid}`, { name: 'other', is_active: '0' })).status).toBe(204)
    expect(await read(sid)).toEqual({ ...row, name: 'other', is_active: 0 })
    expect((await api.admin.put(`/Lcrs/${sid}`, {})).status).toBe(204)
    expect((await api.admin.put(`/Lcrs/${sid}`, { name: null })).status).toBe(204)
    expect(await read(sid)).toEqual({ ...row, name: null, is_active: 0 })
    const service_provider_sid = world.sid.P
    expect((await api.admin.put(`/Lcrs/${sid}`, { service_provider_sid })).status).toBe(204)
    expect(await read(sid)).toEqual({ ...row, name: null, is_active: 0, service_provider_sid })
    const account_sid = await api.account(service_provider_sid)
    expect((await api.admin.put(`/Lcrs/${sid}`, { account_sid })).status).toBe(204)
    expect(await read(sid)).toEqual({ ...row, name: null, is_active: 0, account_sid })
    const route = member(await api.admin.post('/LcrRoutes', { lcr_sid: sid, regex: '.*', priority: 9999 }), 'sid')
    const entry = { lcr_route_sid: route, voip_carrier_sid: await carrier({ account_sid }) }
    const default_carrier_set_entry_sid = member(await api.admin.post('/LcrCarrierSetEntries', entry), 'sid')
    expect((await api.admin.put(`/Lcrs/${sid}`, { default_carrier_set_entry_sid })).status).toBe(204)
    expect(await read(sid)).toMatchObject({ account_sid, default_carrier_set_entry_sid, number_routes: 1 })
    expect((await api.admin.delete(`/Lcrs/${sid}`)).status).toBe(204)
    expect(await countMentions(api, sid)).toEqual({})
    for (const path of [`/Lcrs/${sid}`, `/Lcrs/${randomUUID()}`, '/Lcrs/nonsense']) {
      expect((await api.admin.get(path)).status).toBe(404)
      expect((await api.admin.put(path, { name: 'x' })).status).toBe(404)
      expect((await api.admin.delete(path)).status).toBe(404)
    }
  })

  test('API-107 is deleted with its routes, their carriers, and its default, despite circular references', async () => {
    const voip_carrier_sid = await carrier()
    const body = { name: 'x', routes: [over('1', voip_carrier_sid)], default_voip_carrier_sid: voip_carrier_sid }
    const before = await snapshot(api)
    const sid = member(await api.admin.post('/patchbay/lcrs', body), 'sid')
    expect(await read(sid)).toMatchObject({
      number_routes: 2,
      default_carrier_set_entry_sid: expect.any(String) as string,
    })
    expect((await api.admin.delete(`/Lcrs/${sid}`)).status).toBe(204)
    expect(await snapshot(api)).toEqual(before)
  })

  test.each([
    [{}, 'missing field name'],
    [{ name: ' ' }, 'name must not be empty'],
    [{ name: 'x'.repeat(65) }, 'name must be at most 64 characters long'],
    [{ name: 'x', number_routes: 1 }, 'unknown field number_routes'],
    [{ name: 'x', account_sid: 'xxxx' }, 'unknown account_sid'],
    [{ name: 'x', service_provider_sid: 'xxxx' }, 'unknown service_provider_sid'],
    [{ name: 'x', default_carrier_set_entry_sid: 'xxxx' }, 'unknown default_carrier_set_entry_sid'],
  ])('%j is rejected', async (body, msg) => {
    await stays(async () => expect(statusAndMessage(await api.admin.post('/Lcrs', body))).toEqual([400, msg]))
  })
})

describe('the owner of a routing table', () => {
  const readOwner = async (sid: string) => {
    const { account_sid, service_provider_sid } = await read(sid)
    return [account_sid, service_provider_sid]
  }

  test('is an account or a provider, because jambonz would apply a row with both to all accounts', async () => {
    const { P, Q, B } = world.sid
    const account_sid = await api.account(P)
    expect(await readOwner(await createLcr({ account_sid, service_provider_sid: P }))).toEqual([account_sid, null])
    expect(await readOwner(await createLcr({ account_sid: '', service_provider_sid: Q }))).toEqual([null, Q])
    const unfit = await api.admin.post('/Lcrs', { name: 'x', account_sid: B, service_provider_sid: P })
    expect(statusAndMessage(unfit)).toEqual([400, 'account_sid is not of this service provider'])
  })

  test("is the caller's scope unless the caller is an admin, and cannot be changed", async () => {
    const { P, Q, B } = world.sid
    const ofP = await signedIn(api, world.users['user of P'])
    const sid = await createLcr({ account_sid: B, service_provider_sid: Q }, ofP)
    expect(await readOwner(sid)).toEqual([null, P])
    expect((await ofP.put(`/Lcrs/${sid}`, { account_sid: B, name: 'x' })).status).toBe(204)
    expect(await readOwner(sid)).toEqual([null, P])
    const account_sid = await api.account(P)
    const { caller } = await api.user({ account_sid, service_provider_sid: P })
    const own = await createLcr({ account_sid: B, service_provider_sid: Q }, caller)
    expect((await caller.put(`/Lcrs/${own}`, { account_sid: B, service_provider_sid: P })).status).toBe(204)
    expect(await readOwner(own)).toEqual([account_sid, null])
    const { caller: byKey } = await api.apiKey({ account_sid })
    expect((await byKey.get(`/Lcrs/${own}`)).status).toBe(200)
  })

  test('has at most one table, even with ten concurrent creations', async () => {
    const { P, A } = world.sid
    const ofP = await signedIn(api, world.users['user of P'])
    const ofA = await signedIn(api, world.users['user of A'])
    const { A: things } = world.things
    const taken = await ofA.post('/Lcrs', { name: 'x' })
    expect(statusAndMessage(taken)).toEqual([400, `Account: account ${A}  already has an active call routing table.`])
    const free = await createLcr()
    expect(statusAndMessage(await api.admin.put(`/Lcrs/${free}`, { account_sid: A }))[0]).toBe(400)
    expect((await ofA.delete(`/Lcrs/${things.lcr_sid}`)).status).toBe(204)
    for (const caller of [ofA, ofP]) {
      const all = await Promise.all(Array.from({ length: 10 }, () => caller.post('/Lcrs', { name: 'x' })))
      expect(sorted(all.map(({ status }) => status))).toEqual(['201', ...Array.from({ length: 9 }, () => '400')])
    }
    expect(statusAndMessage(await ofP.post('/Lcrs', { name: 'x' }))).toEqual([
      400,
      `Service Provider: provider ${P} already has an active call routing table.`,
    ])
    for (let own = 0; own < 2; own += 1) await createLcr()
  })

  test("API-102 sees only its own tables: providers not those of their accounts, and accounts not their provider's", async () => {
    const { P } = world.sid
    const ofProvider = await createLcr({ service_provider_sid: P })
    const { A, A2, B } = world.things
    const seen = async (caller: Caller) => getRows(await caller.get('/Lcrs')).map((row) => row['lcr_sid'])
    expect(await seen(await signedIn(api, world.users['user of P']))).toEqual([ofProvider])
    expect(await seen(await signedIn(api, world.users['user of Q']))).toEqual([])
    expect(await seen(await signedIn(api, world.users['user of A']))).toEqual([A.lcr_sid])
    expect(await seen(await signedIn(api, world.users['view-only user of A']))).toEqual([A.lcr_sid])
    expect(await seen(api.admin)).toEqual(expect.arrayContaining([ofProvider, A.lcr_sid, A2.lcr_sid, B.lcr_sid]))
  })

  test('can be changed only if the new owner may use the carriers', async () => {
    const { P, Q } = world.sid
    const ofP = await carrier({ service_provider_sid: P })
    const body = { name: 'x', routes: [], default_voip_carrier_sid: ofP, service_provider_sid: P }
    const sid = member(await api.admin.post('/patchbay/lcrs', body), 'sid')
    const move = (more: object) => api.admin.put(`/Lcrs/${sid}`, more)
    for (const more of [{ service_provider_sid: Q }, { account_sid: await api.account(Q), service_provider_sid: Q }])
      expect(statusAndMessage(await move(more))).toEqual([400, 'the routes use carriers that this owner cannot use'])
    expect(await readOwner(sid)).toEqual([null, P])
    const account_sid = await api.account(P)
    expect((await move({ account_sid })).status).toBe(204)
    expect(await readOwner(sid)).toEqual([account_sid, null])
    expect((await move({ account_sid: '', service_provider_sid: '' })).status).toBe(204)
    expect(await readOwner(sid)).toEqual([null, null])
  })

  test('is no account if another component stored an empty string, and a table of a deleted account can be changed', async () => {
    const { db } = api.test.database
    const [empty, lost] = [randomUUID(), randomUUID()]
    await db.insertInto('lcr').values({ lcr_sid: empty, account_sid: '', service_provider_sid: world.sid.P }).execute()
    await db.insertInto('lcr').values({ lcr_sid: lost, account_sid: randomUUID() }).execute()
    expect(await readOwner(empty)).toEqual([null, world.sid.P])
    const ofP = await signedIn(api, world.users['user of P'])
    expect((await ofP.put(`/Lcrs/${empty}`, { name: 'x' })).status).toBe(204)
    expect((await api.admin.put(`/Lcrs/${lost}`, { name: 'x' })).status).toBe(204)
  })
})

describe('single routes and their carriers', () => {
  test('API-104 API-109 LCR-24 are added, listed in order, changed, and deleted', async () => {
    const lcr_sid = await createLcr()
    const voip_carrier_sid = await carrier()
    const later = member(await api.admin.post('/LcrRoutes', { lcr_sid, regex: '2*', priority: 5 }), 'sid')
    const newRoute = { lcr_sid, regex: '1*', description: 'the first', priority: 1 }
    const lcr_route_sid = member(await api.admin.post('/LcrRoutes', newRoute), 'sid')
    const entry = { workload: 1, lcr_route_sid, voip_carrier_sid, priority: 1 }
    const entrySid = member(await api.admin.post('/LcrCarrierSetEntries', entry), 'sid')
    const row = { ...entry, lcr_carrier_set_entry_sid: entrySid }
    const listed = { ...newRoute, lcr_route_sid, lcr_carrier_set_entries: [row] }
    expect((await readRoutes(lcr_sid))[0]).toEqual(listed)
    expect(getRow(await api.admin.get(`/LcrRoutes/${lcr_route_sid}`))).toEqual(listed)
    // The carriers of a route are listed by priority.
    const before = { ...entry, priority: 0 }
    const beforeSid = member(await api.admin.post('/LcrCarrierSetEntries', before), 'sid')
    const both = [{ ...before, lcr_carrier_set_entry_sid: beforeSid }, row]
    expect(getEntries((await readRoutes(lcr_sid))[0])).toEqual(both)
    expect((await api.admin.delete(`/LcrCarrierSetEntries/${beforeSid}`)).status).toBe(204)
    const entries = `/LcrCarrierSetEntries?lcr_route_sid=${lcr_route_sid}`
    expect(getRows(await api.admin.get(entries))).toEqual([row])
    expect((await api.admin.put(`/LcrCarrierSetEntries/${entrySid}`, { priority: 2 })).status).toBe(204)
    expect(getRow(await api.admin.get(`/LcrCarrierSetEntries/${entrySid}`))).toEqual({ ...row, priority: 2 })
    expect((await api.admin.put(`/LcrRoutes/${lcr_route_sid}`, { priority: 9 })).status).toBe(204)
    expect((await readRoutes(lcr_sid)).map((route) => route['lcr_route_sid'])).toEqual([later, lcr_route_sid])
    expect((await api.admin.delete(`/LcrCarrierSetEntries/${entrySid}`)).status).toBe(204)
    expect(getRows(await api.admin.get(entries))).toEqual([])
    await api.admin.post('/LcrCarrierSetEntries', entry)
    expect((await api.admin.delete(`/LcrRoutes/${lcr_route_sid}`)).status).toBe(204)
    expect(await countMentions(api, lcr_route_sid)).toEqual({})
    expect(getRows(await api.admin.get(entries))).toEqual([])
    for (const path of [`/LcrRoutes/${lcr_route_sid}`, `/LcrCarrierSetEntries/${entrySid}`])
      for (const method of ['get', 'delete'] as const) expect((await api.admin[method](path)).status).toBe(404)
  })

  test('missing and unknown values are named', async () => {
    const { lcr_route_sid, voip_carrier_sid } = world.things.A
    const posted = async (path: string, body: object) => statusAndMessage(await api.admin.post(path, body))
    expect(statusAndMessage(await api.admin.get('/LcrRoutes'))).toEqual([400, 'missing lcr_sid'])
    expect(statusAndMessage(await api.admin.get('/LcrCarrierSetEntries'))).toEqual([400, 'missing lcr_route_sid'])
    expect(getRows(await api.admin.get(`/LcrRoutes?lcr_sid=${randomUUID()}`))).toEqual([])
    const route = { regex: '1', priority: 1 }
    expect(await posted('/LcrRoutes', route)).toEqual([400, 'missing parameter lcr_sid'])
    expect(await posted('/LcrRoutes', { ...route, lcr_sid: 'xxx' })).toEqual([400, 'unknown lcr_sid'])
    const entries = '/LcrCarrierSetEntries'
    expect(await posted(entries, { voip_carrier_sid })).toEqual([400, 'missing lcr_route_sid'])
    expect(await posted(entries, { lcr_route_sid: 'x', voip_carrier_sid })).toEqual([400, 'unknown lcr_route_sid'])
    expect(await posted(entries, { lcr_route_sid })).toEqual([400, 'missing voip_carrier_sid'])
    expect(await posted(entries, { lcr_route_sid, voip_carrier_sid: 'x' })).toEqual([400, 'unknown voip_carrier_sid'])
  })

  test('the default route cannot be deleted, even with its entry, until another one is the default', async () => {
    const { A } = world.things
    const ofA = await signedIn(api, world.users['user of A'])
    const routes = `/Lcrs/${A.lcr_sid}/Routes`
    const body = [{ ...over('.*', A.voip_carrier_sid), priority: 9999 }]
    expect((await ofA.post(routes, body)).status).toBe(204)
    const { default_carrier_set_entry_sid: entry } = await read(A.lcr_sid)
    const [, route] = await readRoutes(A.lcr_sid)
    expect(getEntries(route).map((each) => each['lcr_carrier_set_entry_sid'])).toEqual([entry])
    await stays(async () => {
      for (const path of [`/LcrRoutes/${String(route?.['lcr_route_sid'])}`, `/LcrCarrierSetEntries/${String(entry)}`])
        expect(statusAndMessage(await ofA.delete(path))).toEqual([
          422,
          'the default route of an lcr can only be deleted with the lcr, or after another route becomes the default',
        ])
    })
    const other = A.lcr_carrier_set_entry_sid
    expect((await ofA.put(`/Lcrs/${A.lcr_sid}`, { default_carrier_set_entry_sid: other })).status).toBe(204)
    expect((await ofA.delete(`/LcrRoutes/${String(route?.['lcr_route_sid'])}`)).status).toBe(204)
    expect((await ofA.delete(`/LcrCarrierSetEntries/${other}`)).status).toBe(422)
    expect((await ofA.put(`/Lcrs/${A.lcr_sid}`, { default_carrier_set_entry_sid: '' })).status).toBe(204)
    expect((await ofA.delete(`/LcrCarrierSetEntries/${other}`)).status).toBe(204)
  })
})

describe('references to resources of other tenants', () => {
  test('no body can refer to a table, route, entry, or carrier of another account', async () => {
    const { A, A2, B } = world.things
    const ofA = await signedIn(api, world.users['user of A'])
    const ghost = randomUUID()
    await stays(async () => {
      for (const foreign of [
        A2,
        B,
        { lcr_sid: ghost, lcr_route_sid: ghost, lcr_carrier_set_entry_sid: ghost, voip_carrier_sid: ghost },
      ]) {
        const { lcr_sid, lcr_route_sid, lcr_carrier_set_entry_sid, voip_carrier_sid } = foreign
        const route = over('1', voip_carrier_sid)
        const own = over('1', A.voip_carrier_sid)
        const routes = `/Lcrs/${A.lcr_sid}/Routes`
        const whole = `/patchbay/lcrs/${A.lcr_sid}`
        const [ownEntry] = own.lcr_carrier_set_entries
        const tried = [
          ['unknown lcr_sid', ofA.get(`/LcrRoutes?lcr_sid=${lcr_sid}`)],
          ['unknown lcr_sid', ofA.post('/LcrRoutes', { lcr_sid, regex: '1', priority: 1 })],
          ['lcr_sid may not be modified', ofA.put(`/LcrRoutes/${A.lcr_route_sid}`, { lcr_sid })],
          [
            'unknown lcr_route_sid',
            ofA.post('/LcrCarrierSetEntries', { lcr_route_sid, voip_carrier_sid: A.voip_carrier_sid }),
          ],
          [
            'unknown voip_carrier_sid',
            ofA.post('/LcrCarrierSetEntries', { lcr_route_sid: A.lcr_route_sid, voip_carrier_sid }),
          ],
          [
            'unknown voip_carrier_sid',
            ofA.put(`/LcrCarrierSetEntries/${A.lcr_carrier_set_entry_sid}`, { voip_carrier_sid }),
          ],
          [
            'lcr_route_sid may not be modified',
            ofA.put(`/LcrCarrierSetEntries/${A.lcr_carrier_set_entry_sid}`, { lcr_route_sid }),
          ],
          [
            'unknown default_carrier_set_entry_sid',
            ofA.put(`/Lcrs/${A.lcr_sid}`, { default_carrier_set_entry_sid: lcr_carrier_set_entry_sid }),
          ],
          [
            'unknown voip_carrier_sid',
            ofA.post(routes, [
              { ...own, priority: 0 },
              { ...route, priority: 1 },
            ]),
          ],
          [
            'unknown voip_carrier_sid',
            ofA.put(routes, [
              { ...own, priority: 0 },
              { ...route, priority: 1 },
            ]),
          ],
          [
            'unknown lcr_route_sid',
            ofA.put(routes, [
              { ...own, priority: 0 },
              { ...own, lcr_route_sid },
            ]),
          ],
          [
            'unknown lcr_carrier_set_entry_sid',
            ofA.put(routes, [
              {
                lcr_route_sid: A.lcr_route_sid,
                regex: '7',
                lcr_carrier_set_entries: [{ ...ownEntry, lcr_carrier_set_entry_sid }],
              },
            ]),
          ],
          [
            'unknown voip_carrier_sid',
            ofA.put(whole, { routes: [own, route], default_voip_carrier_sid: A.voip_carrier_sid }),
          ],
          [
            'unknown default_voip_carrier_sid',
            ofA.put(whole, { routes: [own], default_voip_carrier_sid: voip_carrier_sid }),
          ],
        ] as const
        for (const [msg, answer] of tried) expect(statusAndMessage(await answer)).toEqual([400, msg])
        expect(getRows(await ofA.get(`/LcrCarrierSetEntries?lcr_route_sid=${lcr_route_sid}`))).toEqual([])
      }
    })
  })

  test('sids of another tenant in a list are ignored, and its rows remain unchanged', async () => {
    const { A, A2 } = world.things
    const ofA = await signedIn(api, world.users['user of A'])
    const before = await readRoutes(A2.lcr_sid)
    const { lcr_route_sid, lcr_carrier_set_entry_sid, lcr_sid } = A2
    const entry = { lcr_carrier_set_entry_sid, lcr_route_sid, voip_carrier_sid: A.voip_carrier_sid }
    const taken = { lcr_route_sid, lcr_sid, regex: '9', priority: 7, lcr_carrier_set_entries: [entry] }
    const body = { routes: [taken], default_voip_carrier_sid: A.voip_carrier_sid }
    expect((await ofA.put(`/patchbay/lcrs/${A.lcr_sid}`, body)).status).toBe(204)
    expect((await ofA.post(`/Lcrs/${A.lcr_sid}/Routes`, [taken])).status).toBe(204)
    expect(await readRoutes(A2.lcr_sid)).toEqual(before)
    expect((await readRoutes(A.lcr_sid)).map((route) => route['lcr_route_sid'])).not.toContain(lcr_route_sid)
  })

  test('an account can use the shared carriers of its provider, and a provider those of its accounts', async () => {
    const { P, Q } = world.sid
    const ofA = await signedIn(api, world.users['user of A'])
    const ofP = await signedIn(api, world.users['user of P'])
    const [shared, foreign, nobodys] = [
      await carrier({ service_provider_sid: P }),
      await carrier({ service_provider_sid: Q }),
      await carrier(),
    ]
    const own = await createLcr({}, ofP)
    const getStatus = async (caller: Caller, lcr_sid: string, voip_carrier_sid: string) =>
      (await caller.post(`/Lcrs/${lcr_sid}/Routes`, [{ ...over('1', voip_carrier_sid), priority: 1 }])).status
    const { A } = world.things
    expect(await getStatus(ofA, A.lcr_sid, shared)).toBe(204)
    expect(await getStatus(ofP, own, A.voip_carrier_sid)).toBe(204)
    for (const sid of [foreign, nobodys]) {
      expect(await getStatus(ofA, A.lcr_sid, sid)).toBe(400)
      expect(await getStatus(ofP, own, sid)).toBe(400)
      expect(await getStatus(api.admin, await createLcr(), sid)).toBe(204)
    }
  })
})

describe('changing several routes with the API of jambonz', () => {
  test('API-108 POST adds all routes, and priority 9999 marks the default', async () => {
    const [one, two] = [await carrier(), await carrier()]
    const sid = await createLcr()
    const post = (body: object[]) => api.admin.post(`/Lcrs/${sid}/Routes`, body)
    const blank = { lcr_route_sid: '', description: null }
    const both = prioritized(over('1', one, two).lcr_carrier_set_entries)
    const routes = [
      { regex: '1', lcr_carrier_set_entries: both, ...blank, priority: 0 },
      { ...over('.*', two), ...blank, priority: 9999 },
    ]
    expect((await post(routes)).status).toBe(204)
    expect(await summarize(sid)).toEqual([
      ['1', 0, one, two],
      ['.*', 9999, two],
    ])
    const [, last] = await readRoutes(sid)
    expect(await read(sid)).toMatchObject({
      number_routes: 2,
      default_carrier_set_entry_sid: getEntries(last)[0]?.['lcr_carrier_set_entry_sid'],
    })
    expect((await post([])).status).toBe(204)
    expect((await post([{ ...over('2', one), priority: 1 }])).status).toBe(204)
    expect((await summarize(sid)).map(([regex]) => regex)).toEqual(['1', '2', '.*'])
  })

  test('API-108 PUT changes named routes, adds routes without a sid, and keeps others', async () => {
    const [one, two] = [await carrier(), await carrier()]
    const sid = await createLcr()
    const all = `/Lcrs/${sid}/Routes`
    const first = [
      { ...over('1', one), priority: 0 },
      { ...over('2', one), priority: 1 },
      { ...over('.*', one), priority: 9999 },
    ]
    await api.admin.post(all, first)
    const [a, b, last] = await readRoutes(sid)
    const moved = [
      { ...b, priority: 0 },
      { ...over('3', two), lcr_route_sid: '', priority: 2 },
      { ...last, lcr_carrier_set_entries: getEntries(last).map((entry) => ({ ...entry, voip_carrier_sid: two })) },
    ]
    const { default_carrier_set_entry_sid } = await read(sid)
    expect((await api.admin.put(`/LcrRoutes/${String(a?.['lcr_route_sid'])}`, { priority: 5 })).status).toBe(204)
    expect((await api.admin.put(all, moved)).status).toBe(204)
    expect(await summarize(sid)).toEqual([
      ['2', 0, one],
      ['3', 2, two],
      ['1', 5, one],
      ['.*', 9999, two],
    ])
    expect((await readRoutes(sid))[0]?.['lcr_route_sid']).toBe(b?.['lcr_route_sid'])
    expect(await read(sid)).toMatchObject({ default_carrier_set_entry_sid, number_routes: 4 })
    const added = {
      lcr_route_sid: b?.['lcr_route_sid'],
      lcr_carrier_set_entries: [{ voip_carrier_sid: two, priority: 1 }],
    }
    expect((await api.admin.put(all, [added])).status).toBe(204)
    expect((await summarize(sid))[0]).toEqual(['2', 0, one, two])
  })

  test.each([
    [[{ regex: '1', priority: 0 }], 'Lcr Route batch process require lcr_carrier_set_entries'],
    [
      [{ regex: '1', priority: 0, lcr_carrier_set_entries: [] }],
      'Lcr Route batch process require lcr_carrier_set_entries',
    ],
    [
      [{ regex: '1', priority: 0, lcr_carrier_set_entries: [{}] }],
      'One of lcr_carrier_set_entries is missing voip_carrier_sid',
    ],
    [[over('1', 'xxx')], 'unknown voip_carrier_sid'],
    [[over('1', 'mine')], 'missing field priority'],
    [[{ ...over('1', 'mine'), regex: undefined, priority: 0 }], 'missing field regex'],
    [[{ ...over('x'.repeat(33), 'mine'), priority: 0 }], /must be at most 32 characters long$/],
    [[{ ...over('1', 'mine'), priority: 'first' }], /must be a whole number/],
    [[{ ...over('1', 'mine'), priority: 2 ** 31 }], /must be a whole number/],
    [[{ ...over('1', 'mine'), colour: 'red' }], 'unknown field colour'],
    [{}, 'the body must be a JSON list'],
    [['nonsense', null, 3], /./],
  ])('%j is rejected, and no other route of the request is saved', async (body, msg) => {
    const sid = await createLcr()
    const ownCarrier = await carrier()
    const named = JSON.parse(JSON.stringify(body).replaceAll('"mine"', `"${ownCarrier}"`)) as object[]
    const good = { ...over('0', ownCarrier), priority: 0 }
    const requestBody = Array.isArray(named) ? [good, ...named] : named
    await stays(async () => {
      for (const method of ['post', 'put'] as const) {
        const [status, text] = statusAndMessage(await api.admin[method](`/Lcrs/${sid}/Routes`, requestBody))
        expect([status, String(text)]).toEqual([400, expect.stringMatching(msg) as unknown])
      }
    })
  })
})

describe('saving a routing table with its routes in one request', () => {
  test('API-108 LCR-15 the table has exactly the routes of the request, in order, followed by the default', async () => {
    const [one, two] = [await carrier(), await carrier()]
    const routes = [over('^1', one), { ...over('^2', two, one), description: 'two' }, over('^3', one)]
    const body = { name: 'whole', is_active: false, routes, default_voip_carrier_sid: two }
    const sid = member(await api.admin.post('/patchbay/lcrs', body), 'sid')
    expect(await summarize(sid)).toEqual([
      ['^1', 0, one],
      ['^2', 1, two, one],
      ['^3', 2, one],
      ['.*', 9999, two],
    ])
    const stood = await readRoutes(sid)
    expect(stood[3]).toMatchObject({ description: 'System Default Route' })
    const before = await read(sid)
    expect(before).toMatchObject({ name: 'whole', is_active: 0, number_routes: 4 })
    const change = {
      name: 'other',
      is_active: 1,
      default_voip_carrier_sid: one,
      routes: [stood[2], over('^4', two), stood[0]],
    }
    expect((await api.admin.put(`/patchbay/lcrs/${sid}`, change)).status).toBe(204)
    expect(await summarize(sid)).toEqual([
      ['^3', 0, one],
      ['^4', 1, two],
      ['^1', 2, one],
      ['.*', 9999, one],
    ])
    const routeSids = (await readRoutes(sid)).map((route) => route['lcr_route_sid'])
    expect([routeSids[0], routeSids[2], routeSids[3]]).toEqual([2, 0, 3].map((at) => stood[at]?.['lcr_route_sid']))
    expect(await read(sid)).toEqual({ ...before, name: 'other', is_active: 1 })
    expect((await api.admin.put(`/patchbay/lcrs/${sid}`, { routes: [], default_voip_carrier_sid: one })).status).toBe(
      204,
    )
    expect(await summarize(sid)).toEqual([['.*', 9999, one]])
    expect(await read(sid)).toEqual({ ...before, name: 'other', is_active: 1, number_routes: 1 })
  })

  test('LCR-09 LCR-10 LCR-11 a default carrier is required, and a pattern and carrier for each route; otherwise, nothing changes', async () => {
    const { A } = world.things
    const ofA = await signedIn(api, world.users['user of A'])
    const put = async (body: object) =>
      statusAndMessage(await ofA.put(`/patchbay/lcrs/${A.lcr_sid}`, { name: 'new', ...body }))
    const [default_voip_carrier_sid, good] = [A.voip_carrier_sid, over('1', A.voip_carrier_sid)]
    await stays(async () => {
      expect(await put({ routes: [good] })).toEqual([400, 'missing default_voip_carrier_sid'])
      expect(await put({ routes: [good], default_voip_carrier_sid: '' })).toEqual([
        400,
        'missing default_voip_carrier_sid',
      ])
      expect(await put({ default_voip_carrier_sid })).toEqual([400, 'missing field routes'])
      const routes = (route: object) => ({ routes: [good, route], default_voip_carrier_sid })
      expect(await put(routes({ ...good, regex: ' ' }))).toEqual([400, 'regex must not be empty'])
      expect(await put(routes({ ...good, regex: undefined }))).toEqual([400, 'regex must not be empty'])
      expect(await put(routes({ regex: '1' }))).toEqual([
        400,
        'Lcr Route batch process require lcr_carrier_set_entries',
      ])
    })
  })

  test('duplicate sids, and the sids of the default route, are assigned only once', async () => {
    const { A } = world.things
    const one = { ...over('1', A.voip_carrier_sid), lcr_route_sid: A.lcr_route_sid }
    const whole = `/patchbay/lcrs/${A.lcr_sid}`
    const put = (routes: object[]) => api.admin.put(whole, { routes, default_voip_carrier_sid: A.voip_carrier_sid })
    expect((await put([one, one])).status).toBe(204)
    expect((await put(await readRoutes(A.lcr_sid))).status).toBe(204)
    expect((await summarize(A.lcr_sid)).map(([regex]) => regex)).toEqual(['1', '1', '.*', '.*'])
  })

  test('a thousand routes are saved with all of their sids, and one more is rejected', async () => {
    const one = await carrier()
    const createRoutes = (length: number) => Array.from({ length }, (_, at) => over(`^0${at}`, one))
    const send = (routes: object[]) => ({ name: 'x', routes, default_voip_carrier_sid: one })
    const sid = member(await api.admin.post('/patchbay/lcrs', send(createRoutes(1000))), 'sid')
    expect(await read(sid)).toMatchObject({ number_routes: 1001 })
    const stored = (await readRoutes(sid)).slice(0, 1000)
    expect((await api.admin.put(`/patchbay/lcrs/${sid}`, send(stored.toReversed()))).status).toBe(204)
    expect((await summarize(sid)).map(([regex, priority]) => [regex, priority]).slice(0, 1000)).toEqual(
      Array.from({ length: 1000 }, (_, at) => [`^0${999 - at}`, at]),
    )
    await stays(async () => {
      const [status, text] = statusAndMessage(await api.admin.put(`/patchbay/lcrs/${sid}`, send(createRoutes(1001))))
      expect([status, text]).toEqual([400, 'routes must be at most 1000'])
      // The other endpoints have the same body limit.
      expect((await api.admin.put(`/Lcrs/${sid}/Routes`, stored)).status).toBe(413)
    })
  })

  test('with three hundred concurrent saves, one complete list remains, and readers never see a partial list', async () => {
    const one = await carrier()
    const createRoutes = (head: string) => Array.from({ length: 6 }, (_, at) => over(`^${head}${at}`, one))
    const send = (head: string) => ({ name: head, routes: createRoutes(head), default_voip_carrier_sid: one })
    const sid = member(await api.admin.post('/patchbay/lcrs', send('0-')), 'sid')
    const isWhole = (patterns: readonly unknown[]) => {
      const head = String(patterns[0]).replace(/\d$/, '')
      return JSON.stringify(patterns) === JSON.stringify([0, 1, 2, 3, 4, 5].map((at) => `${head}${at}`).concat('.*'))
    }
    const readPatterns = async () => (await summarize(sid)).map(([regex]) => regex)
    const { caller: another } = await api.user()
    const saves = [api.admin, another].flatMap((caller, writer) =>
      Array.from({ length: 150 }, (_, at) => caller.put(`/patchbay/lcrs/${sid}`, send(`${writer}-${at}-`))),
    )
    const seen = await Promise.all(Array.from({ length: 30 }, readPatterns))
    const answers = await Promise.all(saves)
    // A caller with a hundred changes in progress gets a 429, and that request changes nothing.
    const saved = answers.filter(({ status }) => status === 204)
    expect(answers.filter(({ status }) => status !== 204 && status !== 429)).toEqual([])
    expect(saved.length).toBeGreaterThan(100)
    expect(seen.filter((patterns) => !isWhole(patterns))).toEqual([])
    const last = await readPatterns()
    expect(isWhole(last)).toBe(true)
    expect(last[0]).toBe(`^${String((await read(sid))['name'])}0`)
  })
})

test('API-079 a carrier in use by a routing table cannot be deleted, and the tables show its use', async () => {
  const { A } = world.things
  const ofA = await signedIn(api, world.users['user of A'])
  const [lcr] = getRows(await ofA.get('/Lcrs'))
  const routes = getRows(await ofA.get(`/LcrRoutes?lcr_sid=${String(lcr?.['lcr_sid'])}`))
  expect(routes.flatMap(getEntries).map((entry) => entry['voip_carrier_sid'])).toEqual([A.voip_carrier_sid])
  expect(statusAndMessage(await ofA.delete(`/VoipCarriers/${A.voip_carrier_sid}`))).toEqual([
    422,
    'cannot delete voip carrier with active outbound call routes',
  ])
  expect((await ofA.delete(`/Lcrs/${A.lcr_sid}`)).status).toBe(204)
  expect((await ofA.delete(`/VoipCarriers/${A.voip_carrier_sid}`)).status).toBe(204)
})

test('the audit trail contains changes of routes, visible to the owner of the table', async () => {
  const { A } = world.things
  const ofA = await signedIn(api, world.users['user of A'])
  const trail = async (kind: string, caller: Caller) => {
    const page = getRow(await caller.get(`/patchbay/audit-trail?page=1&count=25&kind=${kind}`))
    return page['data'] as Row[]
  }
  const body = { name: 'told', routes: [over('^9', A.voip_carrier_sid)], default_voip_carrier_sid: A.voip_carrier_sid }
  await ofA.put(`/patchbay/lcrs/${A.lcr_sid}`, body)
  const ofP = await signedIn(api, world.users['user of P'])
  const [entry] = await trail('lcr', ofP)
  expect(entry).toMatchObject({ action: 'update', sid: A.lcr_sid, name: 'told' })
  const changes = entry?.['changes'] as Row[]
  expect(sorted(changes.map(({ field }) => field))).toEqual(['default_carrier_set_entry_sid', 'name', 'routes'])
  expect(JSON.stringify(changes)).toContain('^9')
  const sid = member(await ofA.post('/LcrRoutes', { lcr_sid: A.lcr_sid, regex: '^8', priority: 3 }), 'sid')
  const carrierSetEntry = { lcr_route_sid: sid, voip_carrier_sid: A.voip_carrier_sid }
  await ofA.post('/LcrCarrierSetEntries', carrierSetEntry)
  await ofA.delete(`/LcrRoutes/${sid}`)
  expect((await trail('lcr_route', ofP)).map(({ action, name }) => [action, name])).toEqual([
    ['delete', '^8'],
    ['create', '^8'],
  ])
  expect((await trail('lcr_carrier_set_entry', ofP)).map(({ action }) => action)).toEqual(['create'])
  expect(await trail('lcr', await signedIn(api, world.users['user of Q']))).toEqual([])
})
