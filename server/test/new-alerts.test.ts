import { dayMs } from '@patchbay/contract/shared/durations'
import type { AlertRecord } from '@patchbay/server/call-data/alerts/alert-record'
import type { Caller } from '@patchbay/testkit/test-api'
import { beforeEach, describe, expect, test } from 'vitest'
import { callDataPlaces } from './call-data.ts'
import { alertRecord, getRow, nanosecondsAt } from './fixtures.ts'

/** Alerts that users have not seen. */

interface NewAlerts {
  total: number
  since: string | null
  until: string | null
  newest: string | null
  data: { message: string; time: string }[]
}

describe.each(callDataPlaces)('in %s', async (target, open) => {
  const { api, storeAlerts } = await open()
  let provider: string
  let account_sid: string
  let user: Caller
  let operator: Caller
  beforeEach(async () => {
    provider = await api.provider()
    account_sid = await api.account(provider)
    user = await signIn({ account_sid, service_provider_sid: provider })
    operator = await signIn({ service_provider_sid: provider })
  })

  const signIn = async (scope: { account_sid?: string; service_provider_sid: string }): Promise<Caller> =>
    (await api.user(scope)).caller

  const now = Date.now()
  let nanoseconds = 0n
  /** An alert with its own nanosecond, because InfluxDB merges alerts with the same time. */
  const alert = (at: number, message: string, more: Partial<AlertRecord> = {}) =>
    alertRecord({
      account_sid,
      service_provider_sid: provider,
      time: nanosecondsAt(at) + (nanoseconds += 1n),
      message,
      ...more,
    })
  const ofAccount = (sid = account_sid) => `/patchbay/accounts/${sid}`
  const ofProvider = () => `/patchbay/service-providers/${provider}`
  const read = async (path = ofAccount(), caller = user, count = 100) =>
    getRow(await caller.get(`${path}/new-alerts?count=${count}`)) as unknown as NewAlerts
  const messages = async (path = ofAccount(), caller = user) =>
    (await read(path, caller)).data.map(({ message }) => message)
  const mark = async (until: string | null, path = ofAccount(), caller = user) => {
    expect((await caller.put(`${path}/seen-alerts`, { until })).status).toBe(204)
  }

  test('lists the oldest alerts of 30 days first, and counts only what was not returned before', async () => {
    expect(await read()).toEqual({ total: 0, since: null, until: null, newest: null, data: [] })
    await storeAlerts([
      alert(now - 31 * dayMs, 'too old'),
      alert(now - 29 * dayMs, 'first'),
      alert(now - 2 * dayMs, 'second'),
      alert(now - 1000, 'third'),
    ])
    const page = await read(ofAccount(), user, 2)
    expect(page).toMatchObject({ total: 3, data: [{ message: 'first' }, { message: 'second' }] })
    expect(page.since).toBe(page.data[0]?.time)
    await mark(page.until)
    expect(await messages()).toEqual(['third'])
    await storeAlerts([alert(now, 'fourth')])
    expect(await messages()).toEqual(['third', 'fourth'])
    await mark((await read()).newest)
    expect(await read()).toMatchObject({ total: 0, data: [] })
  })

  test('loses no alert of several with the same time', async () => {
    // InfluxDB stores one alert per instant.
    const more = target === 'InfluxDB' ? {} : { time: nanosecondsAt(now - 1000) }
    await storeAlerts(Array.from({ length: 5 }, (_, position) => alert(now - 1000, `alert ${position}`, more)))
    const seen: string[] = []
    for (const total of [5, 3, 1]) {
      const page = await read(ofAccount(), user, 2)
      expect(page.total).toBe(total)
      seen.push(...page.data.map(({ message }) => message))
      await mark(page.until)
    }
    expect(new Set(seen).size).toBe(5)
    expect(await messages()).toEqual([])
  })

  test('belongs to the user: another user of the account, and one of another tenant, are not concerned', async () => {
    await storeAlerts([alert(now - 1000, 'one')])
    const colleague = await signIn({ account_sid, service_provider_sid: provider })
    await mark((await read()).until)
    expect(await messages()).toEqual([])
    expect(await messages(ofAccount(), colleague)).toEqual(['one'])
    expect(await messages(ofProvider(), operator)).toEqual(['one'])

    const other = await api.provider()
    const outsider = await signIn({ account_sid: await api.account(other), service_provider_sid: other })
    const { newest } = await read(ofAccount(), colleague)
    expect((await outsider.get(`${ofAccount()}/new-alerts?count=1`)).status).toBe(403)
    expect((await outsider.put(`${ofAccount()}/seen-alerts`, { until: newest })).status).toBe(403)
    expect(await messages(ofAccount(), colleague)).toEqual(['one'])
  })

  test('marks the alerts of one account as seen without those of others', async () => {
    const other = await api.account(provider)
    await storeAlerts([
      alert(now - 4000, 'of the other', { account_sid: other }),
      alert(now - 3000, 'of the first'),
      alert(now - 2000, 'of the provider', { account_sid: null }),
    ])
    await mark((await read(ofAccount(), operator)).newest, ofAccount(), operator)
    expect(await messages(ofAccount(), operator)).toEqual([])
    expect(await messages(ofProvider(), operator)).toEqual(['of the other', 'of the provider'])
    await storeAlerts([alert(now - 1000, 'later')])
    expect(await messages(ofProvider(), operator)).toEqual(['of the other', 'of the provider', 'later'])
    // Alerts that were returned for all accounts are seen in each of them.
    await mark((await read(ofProvider(), operator)).newest, ofProvider(), operator)
    expect(await messages(ofProvider(), operator)).toEqual([])
    expect(await messages(ofAccount(), operator)).toEqual([])
    expect(await messages(ofAccount(other), operator)).toEqual([])
  })

  test('keeps the furthest position of parallel requests, in any order', async () => {
    await storeAlerts(Array.from({ length: 6 }, (_, position) => alert(now - 6000 + position, `alert ${position}`)))
    const positions = await Promise.all(
      [1, 2, 3, 4, 5].map(async (count) => (await read(ofAccount(), user, count)).until),
    )
    await Promise.all([...positions, ...positions.toReversed()].map((until) => mark(until)))
    expect(await messages()).toEqual(['alert 5'])
    await mark(positions[0] ?? null)
    expect(await messages()).toEqual(['alert 5'])
    expect(await countMarks()).toBe(1)
  })

  const countMarks = async () => {
    const { rows } = await api.test.database.db
      .selectFrom('patchbay_seen_alerts')
      .select(({ fn }) => fn.countAll<number | string>().as('rows'))
      .where('account_sid', '=', account_sid)
      .executeTakeFirstOrThrow()
    return Number(rows)
  }

  test('leaves out acknowledged alerts, and counts alerts in the overview for the user', async () => {
    await storeAlerts([
      alert(now - 2000, 'https://example.org/a failed'),
      alert(now - 1000, 'https://example.org/b failed'),
    ])
    const group = {
      account_sid,
      alert_type: 'webhook-failure',
      object_kind: 'url',
      object_id: 'https://example.org/a',
      until: new Date(now).toISOString(),
    }
    expect((await user.post('/patchbay/alert-acknowledgments', group)).status).toBe(201)
    expect(await messages()).toEqual(['https://example.org/b failed'])
    const attention = async () => getRow(await user.get(`${ofAccount()}/overview`))['attention']
    expect(await attention()).toContainEqual({ kind: 'alerts', count: 1, records: [] })
    await mark((await read()).newest)
    expect(await attention()).not.toContainEqual(expect.objectContaining({ kind: 'alerts' }))
  })

  test('is deleted with the user and with the account', async () => {
    await storeAlerts([alert(now - 1000, 'one')])
    const { sid, caller } = await api.user({ account_sid, service_provider_sid: provider })
    await mark((await read()).newest, ofAccount(), caller)
    expect(await countMarks()).toBe(1)
    expect((await api.admin.delete(`/Users/${sid}`)).status).toBe(204)
    expect(await countMarks()).toBe(0)
    await mark((await read(ofAccount(), operator)).newest, ofAccount(), operator)
    expect(await countMarks()).toBe(1)
    expect((await api.admin.delete(`/Accounts/${account_sid}`)).status).toBe(204)
    expect(await countMarks()).toBe(0)
  })

  test('refuses a position that is none, and a count out of range', async () => {
    for (const until of ['', 'now', '1-2-3', null])
      expect((await user.put(`${ofAccount()}/seen-alerts`, { until })).status).toBe(400)
    for (const count of ['0', '101', 'all', ''])
      expect((await user.get(`${ofAccount()}/new-alerts?count=${count}`)).status).toBe(400)
  })
})
