import type { AlertRecord } from '@patchbay/server/call-data/alerts/alert-record'
import { beforeEach, describe, expect, test } from 'vitest'
import { callDataPlaces } from './call-data.ts'
import { alertRecord, nanosecondsAt, readPage, sorted, statusAndMessage } from './fixtures.ts'

describe.each(callDataPlaces)('in %s', async (_place, open) => {
  const { api, storeAlerts } = await open()
  let provider: string
  let account_sid: string
  beforeEach(async () => {
    provider = await api.provider()
    account_sid = await api.account(provider)
  })

  const store = (...records: AlertRecord[]) => storeAlerts(records)

  const alert = (more: Partial<AlertRecord> = {}) =>
    alertRecord({ account_sid, service_provider_sid: provider, ...more })

  const read = (query: Record<string, string> = {}, path = `/Accounts/${account_sid}`) =>
    readPage(api.admin, `${path}/Alerts`, query)

  /** Returns the messages that a query finds, in order. */
  const findMessages = async (query: Record<string, string> = {}) =>
    (await read(query)).data.map((row) => row['message'])

  describe('the response', () => {
    test('API-053 contains data and total, by page, for days or from start to end', async () => {
      const start = Date.parse('2025-02-24T13:00:00Z')
      await store(
        ...Array.from({ length: 7 }, (_, index) =>
          alert({ message: `alert ${index}`, time: nanosecondsAt(start + index * 1000) }),
        ),
        alert({ message: 'just now', time: nanosecondsAt(Date.now() - 1000) }),
      )
      expect(await findMessages({ count: '3' })).toEqual(['just now', 'alert 6', 'alert 5'])
      expect(await read({ page: '3', count: '3' })).toMatchObject({
        total: 8,
        page: '3',
        page_size: '3',
        data: [{ message: 'alert 1' }, { message: 'alert 0' }],
      })
      expect(await read({ page: '4', count: '3' })).toEqual({ total: 8, page: '4', page_size: '3', data: [] })
      const period = { start: '2025-02-24T13:00:01Z', end: '2025-02-24T13:00:03Z' }
      expect(await read(period)).toMatchObject({ total: 3 })
      expect(await findMessages(period)).toEqual(['alert 3', 'alert 2', 'alert 1'])
      expect(await findMessages({ ...period, days: '1' })).toEqual(['just now'])
      expect(await findMessages({ start: '2025-02-24T13:00:05Z' })).toEqual(['just now', 'alert 6', 'alert 5'])
      expect(await findMessages({ end: '2025-02-24T13:00:01Z' })).toEqual(['alert 1', 'alert 0'])
    })

    test('ALERTS-05 an alert has time, message, and other fields, including those of newer writers', async () => {
      const baseAlert = {
        account_sid,
        service_provider_sid: provider,
        alert_type: 'tts-failure',
        message: 'text to speech request to google failed: quota',
        detail: 'quota "exceeded", ü',
        target_sid: '6f1f5f0a-7a68-4ab7-a7f3-f8a4f9f8ee11',
        vendor: 'google',
      }
      const extra = { region: 'eu west', attempts: 2, fatal: true }
      const time = nanosecondsAt('2025-02-24T13:11:51.969Z')
      await store(alert({ ...baseAlert, extra, time }), alert({ message: 'plain', time: time - 1n }))
      const none = { detail: null, target_sid: null, vendor: null }
      expect((await read()).data).toMatchObject([
        { ...baseAlert, ...extra, time: '2025-02-24T13:11:51.969Z' },
        { ...none, message: 'plain', alert_type: 'webhook-failure', time: '2025-02-24T13:11:51.968999999Z' },
      ])
    })

    test('is empty for an account without alerts', async () => {
      expect(await read()).toEqual({ total: 0, page: '1', page_size: '25', data: [] })
    })
  })

  describe('order', () => {
    test('is newest first with nanosecond precision, and stable for equal times, so that no page repeats an alert', async () => {
      const messages = Array.from({ length: 11 }, (_, index) => `at once ${index}`)
      const time = nanosecondsAt('2025-01-01T00:00:00.000Z')
      // InfluxDB stores one alert per type, account, and instant.
      await store(...messages.map((message, index) => alert({ message, alert_type: `type-${index}`, time })))
      await store(alert({ message: 'later', time: time + 1n }), alert({ message: 'earlier', time: time - 1n }))
      const pages: unknown[] = []
      for (const page of ['1', '2', '3', '4', '5']) pages.push(...(await findMessages({ page, count: '3' })))
      expect([pages[0], pages.at(-1)]).toEqual(['later', 'earlier'])
      expect(sorted(pages.slice(1, -1))).toEqual(sorted(messages))
    })
  })

  describe('filters', () => {
    test('alert_type matches exactly, an empty one is ignored, and it can be combined with the time', async () => {
      const at = (time: string) => nanosecondsAt(`2025-03-${time}T00:00:00Z`)
      await store(
        alert({ message: 'a', alert_type: 'no-tts', time: at('03') }),
        alert({ message: 'b', alert_type: 'no-stt', time: at('02') }),
        alert({ message: 'c', alert_type: 'no-tts', time: at('01') }),
        alert({ message: 'd', alert_type: "one of\\ 'theirs' = ü", time: at('01') - 1n }),
      )
      expect(await findMessages({ alert_type: 'no-tts' })).toEqual(['a', 'c'])
      expect(await read({ alert_type: 'no-tts', start: '2025-03-02T00:00:00Z' })).toMatchObject({
        total: 1,
        data: [{ message: 'a' }],
      })
      expect(await findMessages({ alert_type: "one of\\ 'theirs' = ü" })).toEqual(['d'])
      for (const alert_type of ['NO-TTS', 'no-', 'no-%', "' OR ''='", 'unknown'])
        expect(await findMessages({ alert_type })).toEqual([])
      expect(await findMessages({ alert_type: '' })).toEqual(['a', 'b', 'c', 'd'])
    })

    test('the types of newer platforms are stored, returned, and found', async () => {
      const types = [
        'no-llm',
        'llm-failure',
        'no-krisp',
        'error-updating-call',
        'wallet-low-balance',
        'wallet-depleted',
        'wallet-recharge-failed',
      ]
      const now = nanosecondsAt(Date.now())
      await store(
        ...types.map((alert_type, index) =>
          alert({ alert_type, message: `of ${alert_type}`, time: now - BigInt(index) }),
        ),
      )
      expect((await read()).data.map((row) => row['alert_type'])).toEqual(types)
      for (const alert_type of types) expect(await findMessages({ alert_type })).toEqual([`of ${alert_type}`])
    })
  })

  describe('access to alerts', () => {
    test('an account sees its own, and a provider those of its accounts and those without an account', async () => {
      const beside = await api.account(provider)
      const otherProvider = await api.provider()
      const foreign = await api.account(otherProvider)
      await store(
        alert({ message: 'own', time: 4n }),
        alert({ account_sid: beside, message: 'beside', time: 3n }),
        alert({ account_sid: null, message: 'of the provider', time: 2n }),
        alert({ account_sid: foreign, service_provider_sid: otherProvider, message: 'foreign', time: 1n }),
      )
      expect(await findMessages()).toEqual(['own'])
      const ofProvider = await read({}, `/ServiceProviders/${provider}`)
      expect(ofProvider).toMatchObject({
        total: 3,
        data: [{ message: 'own' }, { message: 'beside' }, { account_sid: null, message: 'of the provider' }],
      })
      expect((await read({}, `/ServiceProviders/${otherProvider}`)).data).toMatchObject([{ message: 'foreign' }])
    })
  })

  describe('bad queries', () => {
    const noPage = 'missing or invalid "page" query arg'
    const noCount = 'missing or invalid "count" query arg'

    test.each([
      ['page=x&count=25', '1', '25'],
      ['page=1&count=many', '1', '25'],
      ['page=1&count=25&start=yesterday', '1', '25'],
    ])('%s counts as the default, as in the API of jambonz', async (query, page, page_size) => {
      await store(alert({ message: 'one' }))
      for (const path of [`/Accounts/${account_sid}`, `/ServiceProviders/${provider}`])
        expect((await api.admin.get(`${path}/Alerts?${query}`)).body).toMatchObject({
          total: 1,
          page,
          page_size,
          data: [{ message: 'one' }],
        })
    })

    test.each([
      ['count=25', noPage],
      ['page=0&count=25', noPage],
      ['page=1', noCount],
      ['page=1&count=501', noCount],
      ['page=1&count=25&days=x', 'invalid "days" query arg'],
      ['page=1&count=25&end=never', 'invalid "end" query arg'],
    ])('%s: %s', async (query, msg) => {
      for (const path of [`/Accounts/${account_sid}`, `/ServiceProviders/${provider}`])
        expect(statusAndMessage(await api.admin.get(`${path}/Alerts?${query}`))).toEqual([400, msg])
    })

    test('a type that is too long is rejected with the field name, and a page beyond the last is empty', async () => {
      await store(alert())
      const { body } = await api.admin.get(
        `/Accounts/${account_sid}/Alerts?page=1&count=25&alert_type=${'x'.repeat(256)}`,
      )
      expect(body).toMatchObject({ field: 'alert_type' })
      expect(await read({ page: '999999999', count: '500' })).toMatchObject({ total: 1, data: [] })
    })
  })
})
