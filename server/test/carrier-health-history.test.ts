import { randomUUID } from 'node:crypto'
import type { HealthHistory } from '@patchbay/contract/carrier-health'
import { dayMs } from '@patchbay/contract/shared/durations'
import type { Counters } from '@patchbay/server/auth/counters/counters'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { createHealthWatch, watchIntervalMs } from '@patchbay/server/jobs/watch-carrier-health'
import { minAlertGapMs } from '@patchbay/server/resources/voip-carriers/health-transitions'
import { type RedisServer, startRedis } from '@patchbay/testkit/servers/redis'
import { type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { getRow, readPage } from './fixtures.ts'

/** The history of carrier health and its alerts, with Debian's redis-server and the keys that the SBCs write. */

let server: RedisServer
let redis: Redis
let api: TestApi
let provider: string
let account_sid: string
/** API keys, whose session is not in Redis. */
let admin: Caller
let clock: number

beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.port)
  api = await createTestApi(server.settings)
  admin = (await api.apiKey()).caller
})
afterAll(async () => {
  await api.close()
  redis.disconnect()
  await server.stop()
})
beforeEach(async () => {
  const { db } = api.test.database
  for (const table of ['sip_gateways', 'voip_carriers'] as const) await db.deleteFrom(table).execute()
  for (const part of ['states', 'changes', 'watches'] as const)
    await db.deleteFrom(`patchbay_carrier_health_${part}`).execute()
  provider = await api.provider()
  account_sid = await api.account(provider)
  clock = Date.now() - 20 * 60_000
})

/** Counts like Redis, with the clock of the test. */
const createCounters = (): Counters => {
  const counts = new Map<string, { count: number; until: number }>()
  const find = (counter: string) => {
    const current = counts.get(counter)
    return current !== undefined && current.until > clock ? current : undefined
  }
  return {
    ...api.services.counters,
    read: (counter) => Promise.resolve(find(counter)?.count ?? 0),
    increment: (counter, seconds) => {
      const next = { count: (find(counter)?.count ?? 0) + 1, until: find(counter)?.until ?? clock + seconds * 1000 }
      counts.set(counter, next)
      return Promise.resolve(next.count)
    },
  }
}

const createWatch = (counters = createCounters(), more: object = {}) =>
  createHealthWatch(
    {
      database: api.test.database,
      health: api.services.platformHealth,
      counters,
      pingTtlSeconds: 300,
      captures: api.services.captures,
      raisesAlerts: true,
      ...more,
    },
    () => clock,
  )

/** Runs the next check, by default one interval after the last one. */
const check = async (run: () => Promise<void>, afterMs = watchIntervalMs) => {
  clock += afterMs
  await run()
}

const runAll = async (runs: readonly (() => Promise<void>)[]) => {
  await Promise.all(runs.map((run) => run()))
}

const createCarrier = async (more: object = {}, sip_gateways: object[] = [{ ipv4: '192.0.2.1', port: 5060 }]) => {
  const carrier = { name: `north ${randomUUID()}`, service_provider_sid: provider, account_sid, ...more }
  const gateways = sip_gateways.map((gateway) => ({ outbound: true, send_options_ping: true, ...gateway }))
  const created = await admin.post('/patchbay/carriers', { carrier, sip_gateways: gateways })
  const { sip_gateway_sids } = created.body as { sip_gateway_sids: string[] }
  return { sid: member(created, 'voip_carrier_sid'), name: carrier.name, gateway: sip_gateway_sids[0] ?? '' }
}

const fail = (gateway: string) => redis.set(`blacklist-sip-gateway:${gateway}`, '1', 'EX', 300)
const recover = (gateway: string) => redis.del(`blacklist-sip-gateway:${gateway}`)

// The cast is safe: the app itself checks responses against the contract.
const readHistory = async (sid: string, query: Record<string, string> = {}, caller = admin) =>
  (await readPage(caller, `/patchbay/carriers/${sid}/health-changes`, query)) as unknown as HealthHistory
const findStates = async (sid: string) =>
  (await readHistory(sid)).data.map(({ from_state, to_state }) => [from_state, to_state])
const findAlerts = async () => {
  return (await readPage(admin, `/Accounts/${account_sid}/Alerts`, {})).data
}
const iso = (at: number) => new Date(at).toISOString()

describe('the history', () => {
  test('contains each change once, with its gateway, time, and end', async () => {
    const { sid, gateway } = await createCarrier()
    const run = createWatch()
    await check(run)
    expect(await readHistory(sid)).toMatchObject({ total: 0, watched_since: iso(clock), unwatched: [], data: [] })
    await fail(gateway)
    await check(run)
    await check(run)
    const failedAt = clock - watchIntervalMs
    await recover(gateway)
    await check(run)
    expect(await readHistory(sid)).toMatchObject({
      total: 2,
      data: [
        { from_state: 'failing', to_state: 'no_failure_known', changed_at: iso(clock), ended_at: null },
        {
          sip_gateway_sid: gateway,
          address: '192.0.2.1:5060',
          from_state: 'no_failure_known',
          to_state: 'failing',
          changed_at: iso(failedAt),
          ended_at: iso(clock),
        },
      ],
    })
    expect(await readHistory(sid, { count: '1', page: '2' })).toMatchObject({
      total: 2,
      data: [{ to_state: 'failing' }],
    })
  })

  test('contains a registration that is lost, expires, and succeeds again, with the response of the carrier', async () => {
    const register = {
      requires_register: true,
      register_username: 'u',
      register_password: 'p',
      register_sip_realm: 'r.example.org',
    }
    const { sid } = await createCarrier(register, [])
    const report = (status: object) =>
      api.test.database.db
        .updateTable('voip_carriers')
        .set({ register_status: JSON.stringify(status) })
        .where('voip_carrier_sid', '=', sid)
        .execute()
    const run = createWatch()
    await check(run)
    await report({ status: 'ok', timestamp: iso(clock), expires: 60 })
    await check(run)
    await report({ status: 'fail', reason: '403 Forbidden' })
    await check(run)
    await report({ status: 'ok', timestamp: iso(clock), expires: 60 })
    await check(run)
    await check(run, 61_000)
    expect((await readHistory(sid)).data).toMatchObject([
      { to_state: 'registration_expired', sip_gateway_sid: null, address: null },
      { to_state: 'registered', reason: null },
      { to_state: 'registration_failing', reason: '403 Forbidden' },
    ])
    expect((await findAlerts()).map((row) => row['alert_type'])).toEqual([
      'registration-recovered',
      'registration-lost',
    ])
  })

  test('has no change while Redis hangs, and says when Patchbay did not watch', async () => {
    const { sid, gateway } = await createCarrier()
    await fail(gateway)
    const run = createWatch()
    await check(run)
    expect(await findStates(sid)).toEqual([[null, 'failing']])
    const lastSeen = clock
    await server.pause()
    try {
      await expect(check(run)).rejects.toThrow(/Redis|service/)
    } finally {
      server.resume()
    }
    await redis.ping()
    expect(await findStates(sid)).toEqual([[null, 'failing']])
    await check(run, 10 * watchIntervalMs)
    expect(await findStates(sid)).toEqual([[null, 'failing']])
    expect((await readHistory(sid)).unwatched).toEqual([{ from: iso(lastSeen), until: iso(clock) }])
  })

  test('is recorded once if several processes check, at the same time and one after another', async () => {
    const { sid, gateway } = await createCarrier()
    const shared = createCounters()
    const processes = Array.from({ length: 4 }, () => createWatch(shared))
    await check(() => runAll(processes))
    await fail(gateway)
    await check(() => runAll(processes))
    // Processes whose claims do not exclude each other, as after a claim has expired.
    await recover(gateway)
    await check(() => runAll(Array.from({ length: 4 }, () => createWatch())))
    expect(await findStates(sid)).toEqual([
      ['failing', 'no_failure_known'],
      ['no_failure_known', 'failing'],
    ])
    expect((await findAlerts()).map((row) => row['alert_type'])).toEqual(['gateway-recovered', 'gateway-failing'])
    const { db } = api.test.database
    expect(await db.selectFrom('patchbay_carrier_health_watches').selectAll().execute()).toHaveLength(1)
  })

  test('records registrations without Redis, and no state of gateways', async () => {
    const { sid } = await createCarrier()
    await check(createWatch(createCounters(), { health: undefined }))
    expect(await findStates(sid)).toEqual([])
    expect((await readHistory(sid)).watched_since).toBe(iso(clock))
    expect(await api.test.database.db.selectFrom('patchbay_carrier_health_states').selectAll().execute()).toEqual([])
  })

  test('is deleted after its retention, and states with their gateway', async () => {
    const { sid, gateway } = await createCarrier()
    const run = createWatch()
    await check(run)
    await fail(gateway)
    await check(run)
    const { database } = api.test
    await removeBefore(database, 'health', clock - 30 * dayMs)
    expect(await findStates(sid)).toHaveLength(1)
    await removeBefore(database, 'health', clock + 1)
    expect(await readHistory(sid)).toMatchObject({ total: 0, watched_since: null })
    expect((await admin.delete(`/VoipCarriers/${sid}`)).status).toBe(204)
    await check(createWatch())
    expect(await database.db.selectFrom('patchbay_carrier_health_states').selectAll().execute()).toEqual([])
  })

  test('is visible to the owner of the carrier only', async () => {
    const { sid } = await createCarrier()
    const own = (await api.apiKey({ account_sid })).caller
    const others = [
      (await api.apiKey({ account_sid: await api.account(provider) })).caller,
      (await api.apiKey({ service_provider_sid: await api.provider() })).caller,
    ]
    expect(await readHistory(sid, {}, own)).toMatchObject({ total: 0 })
    for (const other of others)
      expect((await other.get(`/patchbay/carriers/${sid}/health-changes?page=1&count=25`)).status).toBe(403)
  })
})

describe('alerts', () => {
  test('inform the owner when a gateway fails and recovers, are grouped by carrier, and reach the destinations', async () => {
    const { sid, name, gateway } = await createCarrier()
    const destination = { name: 'ops', kind: 'webhook', target: 'https://example.org/alerts', account_sid }
    const created = await admin.post('/patchbay/alert-destinations', { ...destination, types: ['gateway-failing'] })
    const run = createWatch()
    await check(run)
    await fail(gateway)
    await check(run)
    await recover(gateway)
    await check(run)
    expect(await findAlerts()).toMatchObject([
      { alert_type: 'gateway-recovered' },
      {
        alert_type: 'gateway-failing',
        account_sid,
        service_provider_sid: provider,
        message: `SIP gateway 192.0.2.1:5060 of carrier ${name} failed an OPTIONS ping. The SBCs skip it for outbound calls.`,
        voip_carrier_sid: sid,
        sip_gateway_sid: gateway,
      },
    ])
    const groups = await readPage(admin, `/patchbay/accounts/${account_sid}/alert-groups`, {})
    expect(groups.data).toMatchObject([
      { alert_type: 'gateway-recovered', object_kind: 'carrier', object_id: sid },
      { alert_type: 'gateway-failing', object_kind: 'carrier', object_id: sid },
    ])
    const deliveries = `/patchbay/alert-destinations/${member(created, 'sid')}/deliveries`
    expect((await readPage(admin, deliveries, {})).data).toMatchObject([{ alert_type: 'gateway-failing' }])
  })

  test('are at least ten minutes apart for each direction of a flapping gateway, whose history is complete', async () => {
    const { sid, gateway } = await createCarrier({ account_sid: null })
    const run = createWatch()
    await check(run)
    const flap = async () => {
      await fail(gateway)
      await check(run)
      await recover(gateway)
      await check(run)
    }
    for (let times = 0; times < 3; times += 1) await flap()
    const count = async () => {
      return getRow(await admin.get(`/ServiceProviders/${provider}/Alerts?page=1&count=25`))['total']
    }
    expect(await count()).toBe(2)
    expect((await readHistory(sid)).total).toBe(6)
    clock += minAlertGapMs
    await flap()
    expect(await count()).toBe(4)
  })

  test('are not raised for a carrier without an owner, by the first check, or if another store contains the alerts', async () => {
    const free = await createCarrier({ account_sid: null, service_provider_sid: null })
    const { gateway } = await createCarrier()
    await fail(gateway)
    const run = createWatch()
    await check(run)
    await fail(free.gateway)
    await check(run)
    await recover(gateway)
    await check(createWatch(createCounters(), { raisesAlerts: false }))
    expect(await findAlerts()).toEqual([])
    expect(await findStates(free.sid)).toEqual([['no_failure_known', 'failing']])
  })
})
