import { randomUUID } from 'node:crypto'
import { type Actor, scopes } from '@patchbay/contract/api/access'
import type { RecordFormat } from '@patchbay/contract/recordings/storage'
import { parseRecordingUrl, type RecordingPath } from '@patchbay/rules/recordings/recordings'
import { validatePatterns } from '@patchbay/rules/routing/outbound'
import { parseSpans } from '@patchbay/rules/traces/traces'
import { createServices } from '@patchbay/server/app/create-services'
import { createSink } from '@patchbay/server/app/ingest'
import { createSqlSinks } from '@patchbay/server/call-data/call-data-sinks'
import { createInfluxIntake } from '@patchbay/server/call-data/ingest/influx-ingest'
import { callFacts, callLine, callTimes } from '@patchbay/server/demo/call-records'
import { fillDemo } from '@patchbay/server/demo/seed-demo'
import { createRandom } from '@patchbay/server/demo/seeded-random'
import { createUserStore } from '@patchbay/server/resources/users/store'
import { testConfiguration } from '@patchbay/testkit/test-api'
import { createTestDatabase, type TestDatabase } from '@patchbay/testkit/test-database'
import Fastify from 'fastify'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let own: TestDatabase
beforeEach(async () => {
  own = await createTestDatabase()
})
afterEach(() => own.drop())

const until = Date.parse('2026-11-20T12:00:00Z')
const size = { accounts: 12, calls: 3000, alerts: 40, numbers: 300, days: 7, until, busiest: 0.5 }

const admin: Actor = {
  token: 'user',
  scope: 'admin',
  user_sid: null,
  account_sid: null,
  service_provider_sid: null,
  is_view_only: false,
  must_change_password: false,
}

const fill = async () => {
  const { database, migrated } = own
  const progress: string[] = []
  const sinks = createSqlSinks(database)
  const intake = createInfluxIntake({ sink: createSink(sinks), logger: Fastify().log })
  const services = createServices({
    configuration: testConfiguration(),
    database,
    missingSchema: migrated.missingSchema,
  })
  const context = {
    services,
    sinks,
    intake,
    progress: (what: string, done: number, of: number) => progress.push(`${what} ${done}/${of}`),
  }
  return { ...(await fillDemo(context, size, 'a-password-1')), services, progress }
}

describe('demo data', () => {
  test('is a provider with all requested data, found like any other data', async () => {
    const { accounts, users, service_provider_sid, services, progress } = await fill()
    expect(new Set(accounts).size).toBe(12)
    const of = (search: object) =>
      services.calls.search({ owner: { service_provider_sid }, page: 1, pageSize: 10, ...search })
    expect((await of({})).total).toBe(3000)
    expect((await of({ after: until - 7 * 86_400_000 - 1, until })).total).toBe(3000)
    const first = await services.calls.search({ owner: { account_sid: accounts[0] ?? '' }, page: 1, pageSize: 1 })
    expect(first.total / 3000).toBeCloseTo(0.5, 1)
    const { total, alerts } = await services.alerts.search({ owner: { service_provider_sid }, page: 1, pageSize: 40 })
    expect(total).toBe(40)
    const [alert] = alerts.filter(({ target_sid }) => target_sid !== null)
    expect(await of({ text: alert?.target_sid })).toMatchObject({
      total: 1,
      calls: [{ account_sid: alert?.account_sid }],
    })
    expect(progress).toContain('calls 3000/3000')
    expect(progress).toContain('traces 200/200')
    const [whole] = (await of({ pageSize: 1 })).calls
    if (whole === undefined) throw new Error('there is no call')
    expect(whole.account_sid).toBe(accounts[0])
    expect(parseSpans(await services.traces.read(whole.trace_id ?? '')).length).toBeGreaterThan(8)
    expect((await services.logs?.read(whole))?.length).toBeGreaterThan(8)
    expect((await services.captures.read(whole.sip_callid ?? '')).total).toBe(7)
    const parented = (await of({ pageSize: 400 })).calls.filter(({ sip_parent_callid }) => sip_parent_callid)
    expect(parented.length).toBeGreaterThan(10)
    for (const { sip_parent_callid, sip_callid, trace_id, attempted_at } of parented.slice(0, 5)) {
      const [parent] = await services.calls.find({ service_provider_sid }, { sip_callid: sip_parent_callid ?? '' })
      expect(parent).toMatchObject({ trace_id, direction: 'inbound' })
      expect(Date.parse(parent?.attempted_at ?? '')).toBeLessThan(Date.parse(attempted_at))
      expect((await services.captures.read(sip_callid ?? '')).total).toBeGreaterThan(3)
    }
    const [from, to] = [until - 7 * 86_400_000, until].map((at) => Math.floor(at / 86_400_000)) as [number, number]
    const sums = await own.database.db
      .selectFrom('patchbay_call_days')
      .select((select) => select.fn.sum<number>('pdd_calls').as('calls'))
      .where('day', '>=', from)
      .where('day', '<=', to)
      .executeTakeFirst()
    expect(Number(sums?.calls)).toBeGreaterThanOrEqual(2 * (200 + 10))
    expect((await services.captures.read('6f1e2c7a@10.0.0.5')).total).toBe(4)
    const recorded = (await of({ pageSize: 150 })).calls.flatMap(({ recording_url }) => recording_url ?? [])
    expect(recorded).toHaveLength(10)
    for (const recording_url of recorded) {
      const { path } = parseRecordingUrl(recording_url, 'http://localhost') as { path: RecordingPath }
      const { account_sid, call_sid, year, month, day, format } = path
      const name = { call_sid, day: `${year}-${month}-${day}`, format: format as RecordFormat }
      const recording = await services.recordings.find(account_sid, name)
      expect(recording?.size).toBeGreaterThan(100_000)
      await recording?.remove()
    }
    const keys = await own.database.db.selectFrom('api_keys').select(['account_sid', 'last_used']).execute()
    expect(keys.filter(({ account_sid }) => account_sid === accounts[0])).toHaveLength(4)
    expect(keys.filter(({ last_used }) => last_used === null)).toHaveLength(2)
    for (const table of ['account_limits', 'service_provider_limits', 'system_information'] as const)
      expect(await own.database.db.selectFrom(table).selectAll().execute()).toHaveLength(1)
    const { db } = own.database
    for (const [table, count] of [
      ['applications', 15],
      ['phone_numbers', 315],
      ['ms_teams_tenants', 3],
      ['clients', 13],
      ['voip_carriers', 6],
      ['lcr', 3],
      ['sbc_addresses', 2],
    ] as const)
      expect(await db.selectFrom(table).selectAll().execute()).toHaveLength(count)
    const people = await createUserStore(own.database).list(admin)
    expect(people.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['account-user', 'provider-user', 'view-only-user', ...users]),
    )
    expect(new Set(people.map(({ scope }) => scope))).toEqual(new Set(scopes))
    const states = { is_view_only: true, is_active: 0, force_change: 1 }
    for (const state of Object.entries(states))
      expect(people.filter((user) => Reflect.get(user, state[0]) === state[1])).not.toEqual([])
    for (const context of ['account_name', 'service_provider_name'] as const)
      expect(people.some((user) => user[context])).toBe(true)
  })

  test('has carriers in every state, numbers with every kind of routing, and routes with check results', async () => {
    const { db } = own.database
    const template = { predefined_carrier_sid: randomUUID(), name: 'Twilio' }
    await db.insertInto('predefined_carriers').values(template).execute()
    const { service_provider_sid, accounts } = await fill()
    const carriers = await db.selectFrom('voip_carriers').selectAll().execute()
    expect(carriers.map(({ name }) => name)).toEqual(expect.arrayContaining(['Atlantic SIP', 'Twilio']))
    const statuses = carriers.map(({ register_status }) => JSON.parse(register_status ?? '{}').status)
    expect(new Set(statuses)).toEqual(new Set(['ok', 'fail', undefined]))
    expect(new Set(carriers.map(({ is_active }) => is_active))).toEqual(new Set([0, 1]))
    expect(new Set(carriers.map(({ account_sid }) => account_sid))).toEqual(new Set([null, accounts[0]]))
    expect(new Set(carriers.map((carrier) => carrier.service_provider_sid))).toEqual(new Set([service_provider_sid]))
    const gateways = await db.selectFrom('sip_gateways').select(['inbound', 'outbound']).execute()
    for (const way of ['inbound', 'outbound'] as const) expect(gateways.some((gateway) => gateway[way])).toBe(true)
    const messages = await db.selectFrom('smpp_gateways').select(['inbound', 'outbound']).execute()
    for (const way of ['inbound', 'outbound'] as const) expect(messages.some((gateway) => gateway[way])).toBe(true)
    const numbers = await db.selectFrom('phone_numbers').selectAll().execute()
    const hands = numbers.map(({ account_sid, application_sid }) => [account_sid !== null, application_sid !== null])
    for (const hand of [
      [true, true],
      [true, false],
      [false, false],
    ])
      expect(hands).toContainEqual(hand)
    const routes = await db.selectFrom('lcr_routes').select(['lcr_sid', 'regex']).orderBy('priority').execute()
    const faults = [...new Set(routes.map(({ lcr_sid }) => lcr_sid))].flatMap((sid) =>
      validatePatterns(routes.filter(({ lcr_sid }) => lcr_sid === sid).map(({ regex }) => regex)).flat(),
    )
    expect(faults.map((fault) => fault.is)).toEqual(
      expect.arrayContaining(['invalid', 'cut_off', 'shadowed', 'unanchored']),
    )
  })

  test('is the same in every run', () => {
    const owner = { account_sid: 'a', service_provider_sid: 'p' }
    const lines = () => {
      const dice = createRandom(1)
      return [...callTimes(dice, 500, until - 86_400_000, until)].map((at) =>
        callLine(dice, callFacts(dice, { ...owner, at, call_sid: dice.uuid() })),
      )
    }
    expect(lines()).toEqual(lines())
    expect(new Set(lines()).size).toBe(500)
  })

  test('calls are sorted from oldest to newest, within the period, and offices call by day', () => {
    const monday = Date.parse('2026-11-16T00:00:00Z')
    const times = [...callTimes(createRandom(5), 10_000, monday, monday + 86_400_000)]
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times.every((at) => at >= monday && at < monday + 86_400_000)).toBe(true)
    const between = (from: number, to: number) =>
      times.filter((at) => new Date(at).getUTCHours() >= from && new Date(at).getUTCHours() < to).length
    expect(between(9, 17)).toBeGreaterThan(10 * between(0, 5))
  })
})
