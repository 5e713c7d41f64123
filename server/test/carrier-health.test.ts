import { randomUUID } from 'node:crypto'
import type { CarrierHealth, CarrierHealthSummary } from '@patchbay/contract/carrier-health'
import { readCallFlows } from '@patchbay/testkit/calls/call-flows'
import { type RedisServer, startRedis } from '@patchbay/testkit/servers/redis'
import { type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callRecord, nanosecondsAt, statusAndMessage } from './fixtures.ts'

/** Tests with Debian's redis-server, and with the keys that the SBCs of jambonz write. */

let server: RedisServer
let redis: Redis
let api: TestApi
let service_provider_sid: string
let account_sid: string
let beside: string
/** API keys, whose session is not in Redis. */
let admin: Caller
let provider: Caller
let account: Caller
let other: Caller

beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.port)
  api = await createTestApi(server.settings)
  service_provider_sid = await api.provider()
  account_sid = await api.account(service_provider_sid)
  beside = await api.account(service_provider_sid)
  admin = (await api.apiKey()).caller
  provider = (await api.apiKey({ service_provider_sid })).caller
  account = (await api.apiKey({ account_sid })).caller
  other = (await api.apiKey({ service_provider_sid: await api.provider() })).caller
})
afterAll(async () => {
  await api.close()
  redis.disconnect()
  await server.stop()
})

const monitored = { outbound: true, send_options_ping: true }

const createCarrier = async (more: object = {}, gateways: readonly object[] = [monitored]) => {
  const name = `carrier ${randomUUID()}`
  const carrier = { name, service_provider_sid, ...more }
  const sip_gateways = gateways.map((gateway, index) => ({ ipv4: `192.0.2.${index + 1}`, ...gateway }))
  const created = await api.admin.post('/patchbay/carriers', { carrier, sip_gateways })
  const { sip_gateway_sids } = created.body as { sip_gateway_sids: string[] }
  return { name, sid: member(created, 'voip_carrier_sid'), gateways: sip_gateway_sids }
}

const fail = (sip_gateway_sid: string | undefined, seconds: number) =>
  redis.set(`blacklist-sip-gateway:${sip_gateway_sid}`, '1', 'EX', seconds)

const setStatus = (voip_carrier_sid: string, status: object) =>
  api.test.database.db
    .updateTable('voip_carriers')
    .set({ register_status: JSON.stringify(status) })
    .where('voip_carrier_sid', '=', voip_carrier_sid)
    .execute()

// The casts are safe: the app itself checks responses against the contract.
const find = async (caller: Caller, sid: string) =>
  (await caller.get(`/patchbay/carriers/${sid}/health`)).body as CarrierHealth
const list = async (caller: Caller, ...sids: string[]) =>
  (await caller.get(`/patchbay/carrier-health?voip_carrier_sid=${sids.join(',')}`)).body as CarrierHealthSummary[]

describe('the health of a carrier', () => {
  test('names the failing gateways first, since when they fail, and those that are not monitored', async () => {
    const carrier = await createCarrier({}, [monitored, { outbound: true }, monitored])
    await fail(carrier.gateways[2], 200)
    const health = await find(provider, carrier.sid)
    expect(health).toMatchObject({
      state: 'partly_failing',
      registration: null,
      gateway_count: 3,
      failing_count: 1,
      monitored_count: 2,
      gateways: [
        { sip_gateway_sid: carrier.gateways[2], ipv4: '192.0.2.3', state: 'failing' },
        { sip_gateway_sid: carrier.gateways[0], ipv4: '192.0.2.1', state: 'no_failure_known', failing_since: null },
        { sip_gateway_sid: carrier.gateways[1], ipv4: '192.0.2.2', state: 'not_monitored', failing_since: null },
      ],
    })
    const age = Date.now() - Date.parse(health.gateways[0]?.failing_since ?? '')
    expect(age).toBeGreaterThanOrEqual(100_000)
    expect(age).toBeLessThan(160_000)
    await redis.del(`blacklist-sip-gateway:${carrier.gateways[2]}`)
    expect((await find(provider, carrier.sid)).state).toBe('no_failure_known')
  })

  test('reports a registration as failing, valid, or stale', async () => {
    const { sid } = await createCarrier(
      {
        requires_register: true,
        register_username: 'u',
        register_password: 'p',
        register_sip_realm: 'sip.example.org',
      },
      [],
    )
    expect(await find(provider, sid)).toMatchObject({ state: 'unknown', registration: { state: 'unknown' } })
    await setStatus(sid, { status: 'fail', reason: '403 Forbidden' })
    expect(await find(provider, sid)).toMatchObject({
      state: 'failing',
      registration: { state: 'failing', reason: '403 Forbidden' },
    })
    await setStatus(sid, { status: 'ok', reason: '200 OK', timestamp: new Date().toISOString(), expires: 3600 })
    expect(await find(provider, sid)).toMatchObject({
      state: 'no_failure_known',
      registration: { state: 'registered' },
    })
    await setStatus(sid, { status: 'ok', timestamp: new Date(Date.now() - 7_200_000).toISOString(), expires: 3600 })
    expect(await find(provider, sid)).toMatchObject({ state: 'failing', registration: { state: 'stale' } })
  })

  test('has no failed registration if a later captured REGISTER was accepted', async () => {
    const { sid } = await createCarrier({
      requires_register: true,
      register_username: 'us',
      register_password: 'secret-of-ours',
      register_sip_realm: 'sip.telco.example',
    })
    const flow = readCallFlows().find(({ name }) => name === 'healthy/register-503-then-ok')
    const callId = `register-${randomUUID()}`
    const startedAt = Date.now() - 60_000
    await api.sinks.captures.store(
      (flow?.messages ?? []).map(({ seconds, source, destination, text }) => ({
        sip_callid: callId,
        method: 'REGISTER',
        at: startedAt * 1000 + Math.round(seconds * 1e6),
        transport: 17,
        source,
        destination,
        content: Buffer.from(text.replace(/^Call-ID: .*$/m, `Call-ID: ${callId}`)),
      })),
    )
    const refused = { status: 'fail', reason: '503 Service Unavailable', callId }
    await setStatus(sid, { ...refused, cseq: '1 REGISTER' })
    expect(await find(provider, sid)).toMatchObject({
      state: 'no_failure_known',
      registration: {
        state: 'registered',
        reason: '503 Service Unavailable',
        settled_at: new Date(startedAt + 31_050).toISOString(),
        expires_at: new Date(startedAt + 331_050).toISOString(),
      },
    })
    const overview = await provider.get(`/patchbay/service-providers/${service_provider_sid}/overview`)
    expect(overview.text).not.toContain('503 Service Unavailable')
    // A refusal of the last captured REGISTER, or of another Call-ID, is not settled.
    for (const report of [
      { ...refused, cseq: '2 REGISTER' },
      { ...refused, cseq: '1 REGISTER', callId: 'another' },
    ]) {
      await setStatus(sid, report)
      expect(await find(provider, sid)).toMatchObject({ state: 'failing', registration: { settled_at: null } })
    }
  })

  test('counts the calls of the last hour, for an account only its own', async () => {
    const { sid, name } = await createCarrier()
    const store = (owner: string, more: object) =>
      api.sinks.calls.store([
        callRecord(owner, { service_provider_sid, trunk: name, time: nanosecondsAt(Date.now()), ...more }),
      ])
    await store(account_sid, { answered: true })
    await store(beside, { answered: false })
    await store(beside, { answered: false })
    await store(beside, { answered: true, time: nanosecondsAt(Date.now() - 5 * 3_600_000) })
    expect((await find(provider, sid)).calls).toMatchObject({ attempts: 3, answered: 1 })
    expect((await list(admin, sid))[0]?.calls).toMatchObject({ attempts: 3, answered: 1 })
    expect((await list(account, sid))[0]?.calls).toMatchObject({ attempts: 1, answered: 1 })
  })

  test('is limited to carriers that the caller can use', async () => {
    const shared = await createCarrier()
    const own = await createCarrier({ account_sid })
    const foreign = await createCarrier({ account_sid: beside })
    const sids = [shared.sid, own.sid, foreign.sid]
    const seenBy = async (caller: Caller) =>
      new Set((await list(caller, ...sids)).map(({ voip_carrier_sid }) => voip_carrier_sid))
    expect(await seenBy(provider)).toEqual(new Set(sids))
    expect(await seenBy(account)).toEqual(new Set([shared.sid, own.sid]))
    expect(await seenBy(other)).toEqual(new Set())
    for (const sid of [shared.sid, foreign.sid])
      expect((await account.get(`/patchbay/carriers/${sid}/health`)).status).toBe(403)
    expect((await account.get(`/patchbay/carriers/${own.sid}/health`)).status).toBe(200)
    expect((await other.get(`/patchbay/carriers/${own.sid}/health`)).status).toBe(403)
  })

  test('is returned for at most 100 carriers', async () => {
    const tooMany = Array.from({ length: 101 }, () => randomUUID()).join(',')
    for (const wrong of ['', 'x', tooMany])
      expect(statusAndMessage(await admin.get(`/patchbay/carrier-health?voip_carrier_sid=${wrong}`))[0]).toBe(400)
    expect(await list(admin, randomUUID())).toEqual([])
  })

  test('is unknown while Redis hangs, and the response does not wait for it', async () => {
    const { sid, gateways } = await createCarrier()
    await fail(gateways[0], 300)
    expect((await list(provider, sid))[0]?.state).toBe('failing')
    await server.pause()
    try {
      const before = performance.now()
      expect((await list(provider, sid))[0]?.state).toBe('unknown')
      expect(performance.now() - before).toBeLessThan(10_000)
    } finally {
      server.resume()
    }
  })
})

test('without Redis, the gateways are unknown or not monitored', async () => {
  const plain = await createTestApi()
  try {
    const carrier = { name: 'plain', service_provider_sid: await plain.provider() }
    const sip_gateways = [
      { ipv4: '192.0.2.1', ...monitored },
      { ipv4: '192.0.2.2', inbound: true },
    ]
    const created = await plain.admin.post('/patchbay/carriers', { carrier, sip_gateways })
    const health = await find(plain.admin, member(created, 'voip_carrier_sid'))
    expect(health.gateways.map(({ state }) => state)).toEqual(['unknown', 'not_monitored'])
    expect(health.state).toBe('unknown')
  } finally {
    await plain.close()
  }
})
