import { randomUUID } from 'node:crypto'
import type { Overview } from '@patchbay/contract/overview'
import { dayMs, hourMs } from '@patchbay/contract/shared/durations'
import type { AlertRecord } from '@patchbay/server/call-data/alerts/alert-record'
import type { CallRecord } from '@patchbay/server/call-data/calls/call-record'
import { type FeatureServer, startFeatureServer } from '@patchbay/testkit/peers/feature-server'
import { freePort } from '@patchbay/testkit/servers/ports'
import { type RedisServer, startRedis } from '@patchbay/testkit/servers/redis'
import { type Caller, createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { callDataPlaces } from './call-data.ts'
import { callRecord, getRow, nanosecondsAt, statusAndMessage } from './fixtures.ts'
import { addOverviewRecords, type OverviewRecords } from './overview-records.ts'

/** The overview of an account and of a service provider, compared with manually counted calls and records. */

/** Returns the rows of a list, whose total must be their number. */
const listRows = async (caller: Caller, path: string): Promise<Record<string, unknown>[]> => {
  const body = (await caller.get(path)).body as
    | Record<string, unknown>[]
    | { total: number; data: Record<string, unknown>[] }
  if (Array.isArray(body)) return body
  expect(body.total).toBe(body.data.length)
  return body.data
}

const readOverview = async (caller: Caller, path: string, query: Record<string, string> = {}): Promise<Overview> =>
  getRow(await caller.get(`${path}/overview?${new URLSearchParams(query).toString()}`)) as unknown as Overview
const ofAccount = (sid: string) => `/patchbay/accounts/${sid}`
const ofProvider = (sid: string) => `/patchbay/service-providers/${sid}`

describe.each(callDataPlaces)('calls in %s', async (_place, open) => {
  const { api, storeCalls, storeAlerts } = await open()
  let provider: string
  let account_sid: string
  beforeEach(async () => {
    provider = await api.provider()
    account_sid = await api.account(provider)
  })

  let nanoseconds = 0n
  /** A call of its own nanosecond, because InfluxDB merges points with the same time. */
  const call = (at: number, more: Partial<CallRecord> = {}) =>
    callRecord(account_sid, {
      service_provider_sid: provider,
      time: nanosecondsAt(at) + (nanoseconds += 1n),
      trunk: 'north',
      ...more,
    })
  const failed = (at: number, sip_status: number, more: Partial<CallRecord> = {}) =>
    call(at, { answered: false, sip_status, ...more })

  test('counts the calls of today and of last week up to the same time of day', async () => {
    const now = Date.now()
    // A day that starts within an hour, as in time zones with an offset of half an hour.
    const today = now - 3 * hourMs - 20 * 60_000
    const weekAgo = 7 * dayMs
    await storeCalls([
      call(today + 1000),
      failed(today + 2000, 503),
      call(now - 1000),
      call(today - 1000),
      call(today - weekAgo + 1000),
      failed(now - weekAgo - 60_000, 486),
      // Later on that day, and on the day before.
      call(now - weekAgo + 60_000),
      call(today - weekAgo - 1000),
    ])
    for (const path of [ofAccount(account_sid), ofProvider(provider)]) {
      const { call_data } = await readOverview(api.admin, path, { today: new Date(today).toISOString() })
      expect(call_data).toMatchObject({ state: 'connected', setting: null })
      expect(call_data.figures?.today).toEqual({ attempts: 3, answered: 2 })
      expect(call_data.figures?.last_week).toEqual({
        attempts: 2,
        answered: 1,
        from: new Date(today - weekAgo).toISOString(),
        until: expect.stringMatching(/^\d{4}-/),
      })
      const until = Date.parse(call_data.figures?.last_week.until ?? '')
      expect(until).toBeGreaterThanOrEqual(now - weekAgo)
      expect(until).toBeLessThan(now - weekAgo + 60_000)
    }
  })

  test('counts last week from and until the times that the caller names, because the clock can change', async () => {
    const now = Date.now()
    const [today, weekAgo] = [now - 3 * hourMs, now - 7 * dayMs]
    const [from, until] = [today - 7 * dayMs - hourMs, weekAgo - hourMs]
    await storeCalls([from - 1000, from + 1000, until - 1000, until + 1000].map((at) => call(at)))
    const toQuery = (more: Record<string, string>) => ({ today: new Date(today).toISOString(), ...more })
    const days = { last_week_from: new Date(from).toISOString(), last_week_until: new Date(until).toISOString() }
    const { call_data } = await readOverview(api.admin, ofAccount(account_sid), toQuery(days))
    const [begin, end] = [days.last_week_from, days.last_week_until]
    expect(call_data.figures?.last_week).toEqual({ attempts: 2, answered: 2, from: begin, until: end })
    const other = { last_week_from: new Date(from - 4 * hourMs).toISOString() }
    const rejected = await api.admin.get(
      `${ofAccount(account_sid)}/overview?${new URLSearchParams(toQuery(other)).toString()}`,
    )
    expect(statusAndMessage(rejected)).toEqual([400, '"last_week_from" is not one week ago'])
  })

  test('returns 24 hours, of which the last one contains the present', async () => {
    const now = Date.now()
    await storeCalls([call(now), failed(now, 404), call(now - 23 * hourMs), call(now - 24 * hourMs)])
    const { figures } = (await readOverview(api.admin, ofAccount(account_sid))).call_data
    const { hours = [] } = figures ?? {}
    expect(hours).toHaveLength(24)
    expect(hours.filter(({ attempts }) => attempts > 0)).toEqual([hours[0], hours[23]])
    expect(hours[0]).toMatchObject({ attempts: 1, answered: 1 })
    expect(hours[23]).toMatchObject({ attempts: 2, answered: 1 })
    expect(Date.parse(hours[23]?.hour ?? '')).toBeLessThanOrEqual(now)
    expect(Date.parse(hours[0]?.hour ?? '')).toBe(Date.parse(hours[23]?.hour ?? '') - 23 * hourMs)
  })

  test('lists the five most frequent failures, and not the calls that reached a busy or absent called party', async () => {
    const now = Date.now()
    const statuses = [503, 503, 503, 404, 404, 500, 488, 403, 408, 486, 486, 486, 486, 487, 480, 607, 603]
    await storeCalls([call(now), ...statuses.map((status) => failed(now, status))])
    const failures = (await readOverview(api.admin, ofProvider(provider))).call_data.figures?.failures
    expect(failures).toMatchObject({
      // A refusal without a reason (603) can come from a network, a filter, or the platform, so that it counts.
      calls: 10,
      statuses: [
        { sip_status: 503, calls: 3 },
        { sip_status: 404, calls: 2 },
        { sip_status: 403, calls: 1 },
        { sip_status: 408, calls: 1 },
        { sip_status: 488, calls: 1 },
      ],
    })
    // The period selects exactly these calls in the list of recent calls.
    const { from = '', until = '' } = failures ?? {}
    const period = `start=${from}T00:00:00Z&end=${until}T23:59:59.999Z`
    const listed = await api.admin.get(
      `/ServiceProviders/${provider}/RecentCalls?page=1&count=25&answered=false&sip_status=503&${period}`,
    )
    expect(getRow(listed)).toMatchObject({ total: 3 })
  })

  test('a carrier that delivers fewer than half of at least ten calls needs attention', async () => {
    const now = Date.now()
    const many = (count: number, status: number, trunk: string) =>
      Array.from({ length: count }, () => failed(now, status, { trunk }))
    await storeCalls([
      ...many(6, 503, 'failing'),
      ...many(4, 486, 'failing'),
      ...many(5, 503, 'half'),
      ...many(5, 486, 'half'),
      ...many(9, 503, 'few'),
    ])
    const { attention } = await readOverview(api.admin, ofAccount(account_sid))
    expect(attention.filter(({ kind }) => kind === 'carrier_failing')).toMatchObject([
      { count: 1, records: [{ name: 'failing', used: 4, quantity: 10 }] },
    ])
  })

  test('the first call is received, and answered calls show that users can make calls', async () => {
    const read = async () => (await readOverview(api.admin, ofAccount(account_sid))).setup
    expect((await read()).steps.at(-1)).toEqual({ step: 'first_call', state: 'open', problem: null })
    await storeCalls([failed(Date.now() - 300 * dayMs, 503), call(Date.now() - 31 * dayMs)])
    expect(await read()).toMatchObject({ is_ready: false })
    expect((await read()).steps.at(-1)).toEqual({ step: 'first_call', state: 'done', problem: null })
    await storeCalls([call(Date.now() - 29 * dayMs)])
    expect(await read()).toMatchObject({ is_ready: true })
  })

  test('other tenants see none of these calls and alerts', async () => {
    const now = Date.now()
    const beside = await api.account(provider)
    const alert: AlertRecord = {
      time: nanosecondsAt(now),
      account_sid,
      service_provider_sid: provider,
      alert_type: 'webhook-failure',
      message: 'no response',
      detail: null,
      target_sid: null,
      vendor: null,
      extra: {},
    }
    await storeCalls([failed(now, 503)])
    await storeAlerts([alert])
    const own = await readOverview(api.admin, ofAccount(account_sid))
    expect(own.attention).toMatchObject([{ kind: 'alerts', count: 1, records: [] }])
    const other = await readOverview(api.admin, ofAccount(beside))
    expect(other.call_data.figures).toMatchObject({ today: { attempts: 0 }, failures: { calls: 0, statuses: [] } })
    expect(other.attention).toEqual([])
    const { caller } = await api.apiKey({ account_sid: beside })
    const denied = await caller.get(`${ofAccount(account_sid)}/overview`)
    expect(statusAndMessage(denied)).toEqual([403, 'insufficient privileges'])
    const later = await readOverview(api.admin, ofAccount(account_sid), {
      alerts_since: new Date(now + 1000).toISOString(),
    })
    expect(later.attention).toEqual([])
  })
})

describe('problems', () => {
  let api: TestApi
  let records: OverviewRecords
  beforeAll(async () => {
    api = await createTestApi({ ACCOUNT_CALL_DATA_ROWS_PER_DAY: '1000' })
  })
  beforeEach(async () => {
    records = await addOverviewRecords(api)
  })
  afterAll(() => api.close())

  const read = async () => (await readOverview(api.admin, ofProvider(records.provider))).attention

  test('there are none for new records', async () => {
    expect(await read()).toEqual([])
  })

  test('carriers that are not registered, with the reason, and those that reported nothing', async () => {
    const waiting = await records.carrier({ name: 'waiting', requires_register: 1 })
    const register_status = JSON.stringify({ status: 'fail', reason: '403 Forbidden' })
    const rejected = await records.carrier({ name: 'rejected', requires_register: 1, register_status })
    const anHourAgo = new Date(Date.now() - hourMs).toISOString()
    const expired = { status: 'ok', reason: '200 OK', timestamp: anHourAgo, expires: 60 }
    const lapsed = await records.carrier({
      name: 'lapsed',
      requires_register: 1,
      register_status: JSON.stringify(expired),
    })
    await records.carrier({ requires_register: 1, register_status: JSON.stringify({ status: 'ok' }) })
    const valid = JSON.stringify({ ...expired, expires: 7200 })
    await records.carrier({ requires_register: 1, register_status: valid })
    await records.carrier({ requires_register: 1, is_active: 0 })
    expect(await read()).toMatchObject([
      {
        kind: 'carrier_unregistered',
        count: 2,
        records: [
          { sid: lapsed, name: 'lapsed', detail: null, expires_at: expect.stringMatching(/^\d{4}-/) },
          { sid: rejected, name: 'rejected', detail: '403 Forbidden' },
        ],
      },
      { kind: 'registration_unreported', count: 1, records: [{ sid: waiting, name: 'waiting', detail: null }] },
    ])
  })

  test('speech services whose test failed, unless they do not serve that use', async () => {
    const sid = await records.speech({ vendor: 'google', label: 'g1', tts_tested_ok: 0, stt_tested_ok: 1 })
    await records.speech({ vendor: 'google', label: 'g2', use_for_tts: 0, tts_tested_ok: 0, stt_tested_ok: 1 })
    await records.speech({ vendor: 'google', label: 'g3', tts_tested_ok: null, stt_tested_ok: null })
    expect(await read()).toMatchObject([
      { kind: 'speech_test_failed', count: 1, records: [{ sid, name: 'g1', detail: 'google' }] },
    ])
  })

  test('applications without a service for their vendor, until the account or its provider has one', async () => {
    const sid = await records.application({
      name: 'talks',
      speech_synthesis_vendor: 'elevenlabs',
      speech_recognizer_vendor: 'deepgram',
    })
    expect(await read()).toMatchObject([
      { kind: 'speech_missing', count: 1, records: [{ sid, name: 'talks', detail: 'elevenlabs, deepgram' }] },
    ])
    // A service with a label, or for the other use, does not count.
    await records.speech({ vendor: 'elevenlabs', label: 'other' })
    await records.speech({ vendor: 'deepgram', use_for_stt: 0 })
    await records.speech({ vendor: 'elevenlabs', account_sid: await records.otherAccount() })
    expect(await read()).toMatchObject([{ records: [{ detail: 'elevenlabs, deepgram' }] }])
    await records.speech({ vendor: 'elevenlabs', account_sid: null })
    expect(await read()).toMatchObject([{ records: [{ detail: 'deepgram' }] }])
    await records.speech({ vendor: 'deepgram' })
    expect(await read()).toEqual([])
  })

  test('no application whose speech vendors are only the defaults of the database', async () => {
    const defaults = { speech_synthesis_vendor: undefined, speech_recognizer_vendor: undefined }
    const sid = await records.application({ ...defaults, speech_synthesis_voice: undefined })
    expect(await read()).toEqual([])
    const set = (settings: { speech_synthesis_voice?: null; speech_recognizer_language?: string }) =>
      api.test.database.db.updateTable('applications').set(settings).where('application_sid', '=', sid).execute()
    await set({ speech_synthesis_voice: null })
    expect(await read()).toEqual([])
    await set({ speech_recognizer_language: 'de-DE' })
    expect(await read()).toMatchObject([{ kind: 'speech_missing', records: [{ sid, detail: 'google' }] }])
  })

  test('numbers of accounts without an application', async () => {
    const application_sid = await records.application({})
    const numbers = ['1', '20', '3', '4', '5', '6', '100']
    for (const number of numbers) await records.number({ number })
    await records.number({ number: '7', application_sid })
    await records.number({ number: '8', account_sid: null })
    await records.speech({ vendor: 'google' })
    const [numbersWithout] = await read()
    expect(numbersWithout).toMatchObject({ kind: 'number_without_application', count: 7 })
    expect(numbersWithout?.records.map(({ name }) => name)).toEqual(['1', '3', '4', '5', '6'])
  })

  test('no number whose calls start the default application of its carrier', async () => {
    const application_sid = await records.application({})
    await records.speech({ vendor: 'google' })
    const voip_carrier_sid = await records.carrier({ application_sid })
    await records.number({ number: '1', voip_carrier_sid })
    expect(await read()).toEqual([])
    const without = await records.carrier({})
    await records.number({ number: '2', voip_carrier_sid: without })
    expect(await read()).toMatchObject([{ kind: 'number_without_application', count: 1, records: [{ name: '2' }] }])
    const list = '/patchbay/phone-numbers?attention=number_without_application&page=1&page_size=25'
    for (const owner of [`account_sid=${records.account}`, `service_provider_sid=${records.provider}`])
      expect(await api.admin.get(`${list}&${owner}`)).toMatchObject({
        body: { total: 1, data: [{ number: '2' }] },
      })
  })

  test('API keys that expire within 30 days, with a masked token', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * dayMs)
    const sid = await records.apiKey(inDays(10))
    await records.apiKey(inDays(40))
    await records.apiKey(inDays(-1))
    const [keys] = await read()
    expect(keys).toMatchObject({ kind: 'api_key_expiring', count: 1, records: [{ sid }] })
    expect(keys?.records[0]?.name).toMatch(/^\*{8}-.*[0-9a-f]{4}$/)
    expect(Date.parse(keys?.records[0]?.expires_at ?? '')).toBeGreaterThan(Date.now())
  })

  test('quotas for call data that are almost used up today', async () => {
    await records.usage({ kind: 'calls', amount: 800 })
    await records.usage({ kind: 'spans', amount: 799 })
    await records.usage({ kind: 'alerts', amount: 1000, day: -1 })
    expect(await read()).toMatchObject([
      { kind: 'limit_near', count: 1, records: [{ sid: records.account, detail: 'calls', used: 800, quantity: 1000 }] },
    ])
  })

  test('are in the lists that filter by them, page by page, and no other records', async () => {
    await records.carrier({ name: 'waiting', requires_register: 1 })
    const register_status = JSON.stringify({ status: 'fail', reason: '403 Forbidden' })
    await records.carrier({ name: 'rejected', requires_register: 1, register_status, account_sid: null })
    await records.carrier({ name: 'fine' })
    await records.speech({ vendor: 'google', label: 'broken', tts_tested_ok: 0 })
    await records.speech({ vendor: 'google', label: 'shared', tts_tested_ok: 0, account_sid: null })
    await records.speech({ vendor: 'google', tts_tested_ok: 1 })
    const beside = await records.otherAccount()
    await records.application({ name: 'b', speech_synthesis_vendor: 'nuance' })
    await records.application({ name: 'a', speech_synthesis_vendor: 'nuance', account_sid: beside })
    const application_sid = await records.application({ name: 'c' })
    for (const number of ['1', '2', '3']) await records.number({ number })
    await records.number({ number: '4', application_sid })
    await records.number({ number: '5', account_sid: null })
    await records.apiKey(new Date(Date.now() + 10 * dayMs))
    await records.apiKey(new Date(Date.now() + 40 * dayMs))
    const provider = `/ServiceProviders/${records.provider}`
    const lists = {
      carrier_unregistered: `${provider}/VoipCarriers?page=1&page_size=25`,
      registration_unreported: `${provider}/VoipCarriers?page=1&page_size=25`,
      speech_test_failed: `${provider}/SpeechCredentials?`,
      speech_missing: `${provider}/Applications?page=1&page_size=25`,
      number_without_application: `/patchbay/phone-numbers?service_provider_sid=${records.provider}&page=1&page_size=25`,
      api_key_expiring: `/patchbay/service-providers/${records.provider}/api-keys?page=1&count=25`,
    }
    const { caller: user } = await api.user({ account_sid: beside, service_provider_sid: records.provider })
    const kinds = new Map((await read()).map((problem) => [problem.kind, problem]))
    for (const [kind, path] of Object.entries(lists)) {
      const problem = kinds.get(kind as keyof typeof lists)
      const rows = await listRows(api.admin, `${path}&attention=${kind}`)
      const sids = new Set(rows.flatMap((row) => Object.values(row)))
      expect({ kind, count: rows.length }).toEqual({ kind, count: problem?.count })
      expect(problem?.records.every(({ sid }) => sids.has(sid))).toBe(true)
      expect((await api.admin.get(`${path}&attention=alerts`)).status).toBe(400)
      const own = await listRows(user, `${path}&attention=${kind}`)
      expect({ kind, own: own.length }).toEqual({ kind, own: kind === 'speech_missing' ? 1 : 0 })
    }
    const second = await api.admin.get(`${provider}/Applications?page=2&page_size=1&attention=speech_missing`)
    expect(second.body).toMatchObject({ total: 2, data: [{ name: 'b' }] })
    const named = await api.admin.get(`${provider}/Applications?page=1&name=A&attention=speech_missing`)
    expect(named.body).toMatchObject({ total: 1, data: [{ name: 'a' }] })
    const ofOne = await api.admin.get(`/Accounts/${beside}/Applications?attention=speech_missing`)
    expect(ofOne.body).toMatchObject([{ name: 'a' }])
    const usedBy = await api.admin.get(
      `${lists.carrier_unregistered}&account_sid=${beside}&attention=carrier_unregistered`,
    )
    expect(usedBy.body).toMatchObject({ total: 1, data: [{ name: 'rejected' }] })
  })

  test('problems of one account are not those of another', async () => {
    await records.carrier({ requires_register: 1 })
    await records.number({ number: '1' })
    await records.application({ speech_synthesis_vendor: 'nuance' })
    const beside = await records.otherAccount()
    expect((await readOverview(api.admin, ofAccount(beside))).attention).toEqual([])
    expect((await readOverview(api.admin, ofProvider(await api.provider()))).attention).toEqual([])
    expect((await readOverview(api.admin, ofAccount(records.account))).attention.map(({ kind }) => kind)).toEqual([
      'registration_unreported',
      'speech_missing',
      'number_without_application',
    ])
  })

  test.each([
    ['today=yesterday', 'invalid "today" query arg', 'today'],
    ['alerts_since=2026', 'invalid "alerts_since" query arg', 'alerts_since'],
    ['today=2020-01-01T00:00:00Z', '"today" is not within the last two days', 'today'],
    ['today=2120-01-01T00:00:00Z', '"today" is not within the last two days', 'today'],
  ])('%s is rejected', async (query, message, field) => {
    const answer = await api.admin.get(`${ofAccount(records.account)}/overview?${query}`)
    expect(statusAndMessage(answer)).toEqual([400, message])
    expect(getRow(answer)).toMatchObject({ field })
  })
})

describe('the setup steps', () => {
  let api: TestApi
  let records: OverviewRecords
  beforeAll(async () => {
    api = await createTestApi()
  })
  beforeEach(async () => {
    await api.test.database.db.deleteFrom('sbc_addresses').execute()
    records = await addOverviewRecords(api)
  })
  afterAll(() => api.close())

  const states = async (path: string) => {
    const { setup } = await readOverview(api.admin, path)
    return { is_ready: setup.is_ready, ...Object.fromEntries(setup.steps.map(({ step, state }) => [step, state])) }
  }
  const allOpen = {
    is_ready: false,
    sip_addresses: 'open',
    carrier: 'open',
    speech: 'open',
    application: 'open',
    number: 'open',
    first_call: 'open',
  }

  test.each(['account', 'provider'] as const)('are done by records, in the scope of the %s', async (scope) => {
    const read = () => states(scope === 'account' ? ofAccount(records.account) : ofProvider(records.provider))
    expect(await read()).toEqual(allOpen)
    await records.sipAddress()
    expect(await read()).toEqual({ ...allOpen, sip_addresses: 'done' })
    const voip_carrier_sid = await records.carrier({ account_sid: null })
    await records.gateway({ voip_carrier_sid, is_active: 0, inbound: 1 })
    await records.gateway({ voip_carrier_sid: await records.carrier({ is_active: 0 }), inbound: 1 })
    expect(await read()).toMatchObject({ carrier: 'open' })
    await records.gateway({ voip_carrier_sid, outbound: 1 })
    expect(await read()).toMatchObject({ carrier: 'done', speech: 'open' })
    await records.speech({ vendor: 'google', account_sid: null })
    expect(await read()).toMatchObject({ speech: 'untested' })
    await records.speech({ vendor: 'google', label: 'failed', tts_tested_ok: 0 })
    expect(await read()).toMatchObject({ speech: 'failing' })
    await records.speech({ vendor: 'google', label: 'tested', tts_tested_ok: 1 })
    expect(await read()).toMatchObject({ speech: 'done', application: 'open' })
    await records.application({ call_hook_sid: null })
    expect(await read()).toMatchObject({ application: 'open' })
    const application_sid = await records.application({})
    expect(await read()).toMatchObject({ application: 'done', number: 'open' })
    await records.number({ number: '1', application_sid, voip_carrier_sid })
    expect(await read()).toMatchObject({ number: 'done', first_call: 'open', is_ready: false })
    await records.call({ answered: false, sip_status: 404 })
    expect(await read()).toMatchObject({ first_call: 'failing', is_ready: false })
    await records.call({ answered: true })
    expect(await read()).toMatchObject({ first_call: 'done', is_ready: true })
  })

  test('an answered call shows that users can make calls, whatever the steps say', async () => {
    await records.call({ answered: false, sip_status: 404 })
    expect(await states(ofAccount(records.account))).toEqual({ ...allOpen, first_call: 'failing' })
    await records.call({ answered: true, time: nanosecondsAt(Date.now() - 31 * dayMs) })
    expect(await states(ofAccount(records.account))).toMatchObject({ is_ready: false })
    await records.call({ answered: true, time: nanosecondsAt(Date.now() - 29 * dayMs) })
    expect(await states(ofAccount(records.account))).toEqual({ ...allOpen, first_call: 'done', is_ready: true })
  })

  const readProblems = async () => {
    const { setup } = await readOverview(api.admin, ofAccount(records.account))
    return Object.fromEntries(setup.steps.map(({ step, problem }) => [step, problem]))
  }

  test('a carrier is not done while its registration failed or was not reported', async () => {
    const voip_carrier_sid = await records.carrier({ requires_register: 1 })
    await records.gateway({ voip_carrier_sid, inbound: 1 })
    expect(await readProblems()).toMatchObject({ carrier: 'registration_unreported' })
    const report = (register_status: object) =>
      api.test.database.db
        .updateTable('voip_carriers')
        .set({ register_status: JSON.stringify(register_status) })
        .where('voip_carrier_sid', '=', voip_carrier_sid)
        .execute()
    await report({ status: 'fail', reason: '403 Forbidden' })
    expect(await states(ofAccount(records.account))).toMatchObject({ carrier: 'failing' })
    await report({ status: 'ok', timestamp: new Date(Date.now() - hourMs).toISOString(), expires: 60 })
    expect(await readProblems()).toMatchObject({ carrier: 'registration_failing' })
    // The number exists, but its carrier does not work.
    await records.speech({ vendor: 'google' })
    const application_sid = await records.application({})
    await records.number({ number: '1', application_sid, voip_carrier_sid })
    expect(await readProblems()).toMatchObject({ number: 'carrier_failing', application: null })
    await report({ status: 'ok' })
    expect(await states(ofAccount(records.account))).toMatchObject({ carrier: 'done', number: 'done' })
    await api.test.database.db
      .updateTable('voip_carriers')
      .set({ is_active: 0 })
      .where('voip_carrier_sid', '=', voip_carrier_sid)
      .execute()
    expect(await readProblems()).toMatchObject({ carrier: null, number: 'carrier_inactive' })
    // Another carrier that works is enough.
    const works = await records.carrier({})
    await records.gateway({ voip_carrier_sid: works, inbound: 1, outbound: 1 })
    await records.number({ number: '2', application_sid, voip_carrier_sid: works })
    expect(await states(ofAccount(records.account))).toMatchObject({ carrier: 'done', number: 'done' })
  })

  test('a number is not done while no call can reach it, or its application has no instructions', async () => {
    await records.speech({ vendor: 'google', tts_tested_ok: 1 })
    const application_sid = await records.application({})
    await records.number({ number: '1', application_sid })
    expect(await readProblems()).toMatchObject({ number: 'no_inbound_gateway' })
    const voip_carrier_sid = await records.carrier({})
    await records.gateway({ voip_carrier_sid, outbound: 1 })
    await records.number({ number: '2', application_sid, voip_carrier_sid })
    expect(await readProblems()).toMatchObject({ carrier: null, number: 'no_inbound_gateway' })
    await records.gateway({ voip_carrier_sid, inbound: 1 })
    expect(await states(ofAccount(records.account))).toMatchObject({ number: 'done' })
    const silent = await records.application({ call_hook_sid: null })
    await api.test.database.db.updateTable('phone_numbers').set({ application_sid: silent }).execute()
    expect(await readProblems()).toMatchObject({ application: null, number: 'application_failing' })
    // Another account's application receives the calls of a shared carrier.
    await api.test.database.db.deleteFrom('phone_numbers').execute()
    const foreign = await records.application({ account_sid: await records.otherAccount() })
    await records.gateway({
      voip_carrier_sid: await records.carrier({ account_sid: null, application_sid: foreign }),
      inbound: 1,
    })
    expect(await states(ofAccount(records.account))).toMatchObject({ number: 'open' })
  })

  test.each([{ requires_register: 1 }, { trunk_type: 'auth' }] as const)(
    'a carrier with %j needs no inbound gateway',
    async (more) => {
      await records.speech({ vendor: 'google', tts_tested_ok: 1 })
      const voip_carrier_sid = await records.carrier({ ...more, register_status: JSON.stringify({ status: 'ok' }) })
      await records.gateway({ voip_carrier_sid, outbound: 1 })
      await records.number({ number: '1', application_sid: await records.application({}), voip_carrier_sid })
      expect(await states(ofAccount(records.account))).toMatchObject({ carrier: 'done', number: 'done' })
    },
  )

  test('a speech service that serves no use is none, whatever its last test says', async () => {
    await records.speech({ vendor: 'google', tts_tested_ok: 1, use_for_tts: 0, use_for_stt: 0 })
    expect(await states(ofAccount(records.account))).toMatchObject({ speech: 'open' })
    await records.speech({ vendor: 'aws', tts_tested_ok: 1, use_for_tts: 0, use_for_stt: 1 })
    expect(await states(ofAccount(records.account))).toMatchObject({ speech: 'untested' })
  })

  test('an application is not done while its speech is missing or failed, or its webhook failed at its last call', async () => {
    const application_sid = await records.application({})
    expect(await readProblems()).toMatchObject({ application: 'speech_missing' })
    await records.speech({ vendor: 'google', tts_tested_ok: 1, stt_tested_ok: 0 })
    const voip_carrier_sid = await records.carrier({})
    await records.gateway({ voip_carrier_sid, inbound: 1 })
    await records.number({ number: '1', application_sid, voip_carrier_sid })
    expect(await readProblems()).toMatchObject({ application: 'speech_failed', number: 'application_failing' })
    await api.test.database.db.updateTable('speech_credentials').set({ stt_tested_ok: 1 }).execute()
    expect(await states(ofAccount(records.account))).toMatchObject({ application: 'done', number: 'done' })
    const call = { application_sid, direction: 'inbound', answered: false, sip_status: 480, call_sid: randomUUID() }
    await records.call(call)
    expect(await readProblems()).toMatchObject({ application: null, first_call: 'not_answered' })
    await api.sinks.alerts.store([
      {
        time: nanosecondsAt(Date.now()),
        account_sid: records.account,
        service_provider_sid: records.provider,
        alert_type: 'webhook-failure',
        message: 'url https://app.example.org returned 500',
        detail: null,
        target_sid: call.call_sid,
        vendor: null,
        extra: {},
      },
    ])
    expect(await readProblems()).toMatchObject({ application: 'webhook_failed', number: 'application_failing' })
  })

  test('records of other tenants complete no step', async () => {
    const foreign = await addOverviewRecords(api)
    const voip_carrier_sid = await foreign.carrier({})
    await foreign.gateway({ voip_carrier_sid, inbound: 1 })
    await foreign.speech({ vendor: 'google', tts_tested_ok: 1 })
    await foreign.number({ number: '1', application_sid: await foreign.application({}) })
    await foreign.sipAddress()
    await foreign.call({ answered: true })
    expect(await states(ofAccount(records.account))).toEqual(allOpen)
    expect(await states(ofProvider(records.provider))).toEqual(allOpen)
  })
})

describe('sources that are not connected or fail', () => {
  test('names the settings that connect calls in progress and call records', async () => {
    const api = await createTestApi({ INTAKE_INFLUX: '0' })
    const { account } = await addOverviewRecords(api)
    const { live_calls, call_data, setup } = await readOverview(api.admin, ofAccount(account))
    expect(live_calls).toEqual({ state: 'not_connected', setting: 'JAMBONES_REDIS_HOST', count: null })
    expect(call_data).toEqual({ state: 'not_connected', setting: 'INTAKE_INFLUX', figures: null })
    expect(setup.steps.at(-1)).toEqual({ step: 'first_call', state: 'unknown', problem: null })
    await api.close()
  })

  test('an InfluxDB that does not respond leaves the rest of the overview', async () => {
    const api = await createTestApi({ JAMBONES_TIME_SERIES_HOST: `127.0.0.1:${await freePort()}` })
    const records = await addOverviewRecords(api)
    await records.number({ number: '1' })
    const { call_data, attention } = await readOverview(api.admin, ofAccount(records.account))
    expect(call_data).toEqual({ state: 'unavailable', setting: null, figures: null })
    expect(attention).toMatchObject([{ kind: 'number_without_application' }])
    await api.close()
  })
})

describe('calls in progress', () => {
  let redis: RedisServer
  let featureServer: FeatureServer
  let api: TestApi
  beforeAll(async () => {
    redis = await startRedis()
    featureServer = await startFeatureServer(redis.port)
    api = await createTestApi(redis.settings)
  })
  afterAll(async () => {
    await api.close()
    await featureServer.close()
    await redis.stop()
  })

  test('are counted without ended and expired ones, and compared with the limits', async () => {
    const records = await addOverviewRecords(api)
    const beside = await records.otherAccount()
    await records.callLimit({ account_sid: records.account }, 4)
    await records.callLimit({ service_provider_sid: records.provider }, 100)
    await featureServer.calls(records.account, 4)
    await featureServer.calls(beside, 2)
    await featureServer.end(await featureServer.call(records.account))
    await featureServer.calls((await addOverviewRecords(api)).account, 3)
    await featureServer.write(['ZADD', 'active-call-sids', '1', `call:${records.account}:expired`])
    const provider = await readOverview(api.admin, ofProvider(records.provider))
    expect(provider.live_calls).toEqual({ state: 'connected', setting: null, count: 6 })
    expect(provider.attention).toMatchObject([
      { kind: 'limit_near', records: [{ sid: records.account, detail: null, used: 4, quantity: 4 }] },
    ])
    const account = await readOverview(api.admin, ofAccount(beside))
    expect(account).toMatchObject({ live_calls: { count: 2 }, attention: [] })
  })
})

test('a Redis that stops leaves the rest of the overview', async () => {
  const redis = await startRedis()
  const api = await createTestApi(redis.settings)
  const { account, provider } = await addOverviewRecords(api)
  const { caller } = await api.apiKey({ service_provider_sid: provider })
  await redis.stop()
  const { live_calls, call_data } = await readOverview(caller, ofAccount(account))
  expect(live_calls).toEqual({ state: 'unavailable', setting: null, count: null })
  expect(call_data.state).toBe('connected')
  await api.close()
})
