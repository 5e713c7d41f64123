import connect from '@jambonz/db-helpers'
import type { LcrRoute } from '@patchbay/contract/lcr-routes'
import type { Lcr } from '@patchbay/contract/lcrs'
import { lookUpRoute, routingsFor } from '@patchbay/rules/routing/outbound'
import { createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Compares Patchbay's outbound routing with jambonz's published package on the same database. */

const errors: unknown[] = []
const silent = {
  info: () => {},
  debug: () => {},
  warn: () => {},
  error: (...args: unknown[]) => void errors.push(args),
}

let api: TestApi
let platform: ReturnType<typeof connect>
beforeAll(async () => {
  api = await createTestApi()
  const { hostname: host, port, pathname } = new URL(api.test.address)
  const at = { host, port: Number(port), user: 'root', database: pathname.slice(1), connectionLimit: 2 }
  platform = connect(at, silent)
  // The package connects on load, and throws if it is closed before the connection is established.
  await platform.ping()
})
afterAll(async () => {
  platform.pool.end()
  await api.close()
})

const patterns = [
  '^1508',
  '1508',
  '44',
  '^44',
  '.*',
  '^$',
  '+44',
  '\\+44',
  '(',
  '[1-3]{3}',
  '^(33|34)',
  '0$',
  '1*',
  '^1|2',
  '5+',
  '\\d{11}',
]
const numbers = ['15083084809', '+442071838750', '442071838750', '33145', '4415081', '2', '0', '555', '150']

/** Returns pseudo-random numbers below a limit, the same in each run. */
const sequence = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

test('selects the same carrier for a number: the first match, or none if an invalid pattern comes before it', async () => {
  const provider = await api.provider()
  const account_sid = await api.account(provider)
  const carriers = await Promise.all(
    ['a', 'b', 'c', 'default'].map(async (name) =>
      member(await api.admin.post('/VoipCarriers', { name, account_sid }), 'sid'),
    ),
  )
  const [default_voip_carrier_sid] = carriers
  const body = { name: 'routing', account_sid, routes: [], default_voip_carrier_sid }
  const sid = member(await api.admin.post('/patchbay/lcrs', body), 'sid')
  const next = sequence(3)
  const outcomes = new Set<string>()
  for (let round = 0; round < 40; round += 1) {
    const routes = Array.from({ length: next(5) }, () => ({
      regex: patterns[next(patterns.length)],
      lcr_carrier_set_entries: Array.from({ length: 1 + next(2) }, () => ({
        voip_carrier_sid: carriers[next(carriers.length)],
      })),
    }))
    const saved = await api.admin.put(`/patchbay/lcrs/${sid}`, { routes, default_voip_carrier_sid })
    expect(saved.status).toBe(204)
    // Routes without carriers are skipped.
    if (next(2) === 0) await api.admin.post('/LcrRoutes', { lcr_sid: sid, regex: '.*', priority: -1 })
    const stored = (await api.admin.get(`/LcrRoutes?lcr_sid=${sid}`)).body as LcrRoute[]
    for (const number of numbers) {
      errors.length = 0
      const platformResult = await platform.lookupCarrierByAccountLcr(account_sid, number)
      const { steps, voip_carrier_sid } = lookUpRoute(stored, number)
      const kinds = steps.map(({ outcome }) => outcome.is)
      expect([routes, number, voip_carrier_sid]).toEqual([routes, number, platformResult ?? null])
      expect([routes, number, kinds.includes('invalid')]).toEqual([routes, number, errors.length > 0])
      for (const is of kinds) outcomes.add(is)
    }
  }
  expect([...outcomes].toSorted()).toEqual(['empty', 'invalid', 'not_tried', 'taken', 'unmatched'])
})

test("finds the same routing tables for an account: its own and its provider's, of which the first row applies", async () => {
  const provider = await api.provider()
  const [own, other] = [await api.account(provider), await api.account(provider)]
  const createLcr = async (owner: object) => member(await api.admin.post('/Lcrs', { name: 'x', ...owner }), 'sid')
  await createLcr({ account_sid: own, is_active: false })
  await createLcr({ service_provider_sid: provider })
  await createLcr({})
  const all = (await api.admin.get('/Lcrs')).body as Lcr[]
  for (const account_sid of [own, other]) {
    const platformRows = await platform.lookupLcrByAccount(account_sid)
    const ours = routingsFor(all, { account_sid, service_provider_sid: provider })
    expect(ours.map(({ lcr_sid }) => lcr_sid).toSorted()).toEqual(platformRows.map(({ lcr_sid }) => lcr_sid).toSorted())
    expect(ours).toHaveLength(account_sid === own ? 2 : 1)
  }
})

test('finds the same account for the domain that a device calls: its own realm, or that of the parent domain', async () => {
  const provider = await api.provider()
  const [own, above] = [`own-${provider}.example.com`, `above-${provider}.example.com`]
  for (const sip_realm of [own, above]) await api.account(provider, { sip_realm })
  const { caller } = await api.user({ service_provider_sid: provider })
  for (const realm of [
    own,
    above,
    above.toUpperCase(),
    `sub.${above}`,
    `a.sub.${above}`,
    'example.com',
    'nowhere.example.net',
  ]) {
    const platformResult = await platform.lookupAccountBySipRealm(realm)
    const query = new URLSearchParams({ source: '192.0.2.1', number: '1', realm })
    const { body } = await caller.get(`/patchbay/inbound-routing?${query.toString()}`)
    const { end } = body as { end: { account?: { sid: string } } }
    expect([realm, end.account?.sid ?? null]).toEqual([realm, platformResult?.account_sid ?? null])
  }
})
