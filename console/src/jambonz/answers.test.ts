import { afterAll, beforeEach, expect, test, vi } from 'vitest'

// The session listens to the window from the moment it is loaded.
vi.stubGlobal('window', { addEventListener: () => {}, location: { origin: 'https://pbx.example' } })

const { api, transport } = await import('../api/client.ts')
afterAll(() => vi.unstubAllGlobals())

const requests: string[] = []
beforeEach(() => {
  requests.length = 0
  vi.stubGlobal('fetch', async (address: string) => {
    requests.push(address.replace('https://pbx.example/api/v1', ''))
    return new Response(
      JSON.stringify([
        { inbound: 1, outbound: 1 },
        { inbound: 0, outbound: 1 },
      ]),
    )
  })
})

test("sends Patchbay's calls to the server unless there is a module that answers them", async () => {
  const read = () => api('GET /patchbay/gateway-counts', { query: { voip_carrier_sid: 'a,b' } })
  await read()
  expect(requests.splice(0)).toEqual(['/patchbay/gateway-counts?voip_carrier_sid=a%2Cb'])
  const load = vi.fn<NonNullable<typeof transport.loadAnswers>>(() => import('./answers.ts'))
  transport.loadAnswers = load
  await api('GET /Accounts', {})
  expect(requests.splice(0)).toEqual(['/Accounts'])
  expect(load).not.toHaveBeenCalled()
  expect(await read()).toEqual([
    { voip_carrier_sid: 'a', inbound: 1, outbound: 2 },
    { voip_carrier_sid: 'b', inbound: 1, outbound: 2 },
  ])
  expect(requests).toEqual(['/SipGateways?voip_carrier_sid=a', '/SipGateways?voip_carrier_sid=b'])
})

test('fails without a request for a feature that jambonz does not have', async () => {
  transport.loadAnswers = () => import('./answers.ts')
  const read = api('GET /patchbay/audit-trail', { query: { page: '1', count: '1' } })
  await expect(read).rejects.toMatchObject({ kind: 'rejected', status: 404 })
  expect(requests).toEqual([])
})

const lcr = { lcr_sid: 'l', name: 'Old', is_active: 1, default_carrier_set_entry_sid: null }
const route = (lcr_route_sid: string, regex: string) => ({
  lcr_route_sid,
  regex,
  description: null,
  priority: 0,
  lcr_carrier_set_entries: [{ lcr_carrier_set_entry_sid: `${lcr_route_sid}-e`, voip_carrier_sid: 'c', priority: 0 }],
})
const stored = { ...lcr, routes: [route('r', '^1')], default_voip_carrier_sid: null }

/** Answers like a server on which other reads than the first find another record. Updates of routes fail. */
const stubRouting = (later: typeof stored) => {
  let isRead = false
  vi.stubGlobal('fetch', async (address: string, { method }: RequestInit) => {
    const path = address.replace(/^.*\/v1/, '')
    requests.push(`${String(method)} ${path}`)
    const { routes, default_voip_carrier_sid: _default, ...current } = isRead ? later : stored
    if (path.startsWith('/LcrRoutes')) return Response.json(routes)
    if (method === 'GET') return Response.json(current)
    if (path.endsWith('/Routes')) return Response.json({ msg: 'Not now' }, { status: 500 })
    isRead = true
    return new Response(null, { status: 204 })
  })
}

const saveRouting = (base: object) => {
  const body = { name: 'New', is_active: true, routes: [], default_voip_carrier_sid: 'c' }
  return api('PUT /patchbay/lcrs/:lcr_sid', { params: { lcr_sid: 'l' }, body }, { base })
}

test('reads the parts of a record before its update, and fails with the record if another user has changed it', async () => {
  transport.loadAnswers = () => import('./answers.ts')
  stubRouting(stored)
  const seen = { ...stored, name: 'Before' }
  await expect(saveRouting(seen)).rejects.toMatchObject({ status: 412, answer: { record: stored } })
  expect(requests).toEqual(['GET /Lcrs/l', 'GET /LcrRoutes?lcr_sid=l'])
})

test('returns the current record after an update that failed in part', async () => {
  transport.loadAnswers = () => import('./answers.ts')
  const later = { ...stored, name: 'New' }
  stubRouting(later)
  const message = 'Saved: outbound routing, the removal of route ^1. Not saved: routes (Not now).'
  await expect(saveRouting(stored)).rejects.toMatchObject({ status: 500, message, answer: { record: later } })
})
