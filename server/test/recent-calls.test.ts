import { randomUUID } from 'node:crypto'
import type { CallRecord } from '@patchbay/server/call-data/calls/call-record'
import type { CallId } from '@patchbay/server/call-data/calls/calls'
import type { CallOwner } from '@patchbay/server/call-data/calls/search-options'
import { beforeEach, describe, expect, test } from 'vitest'
import { callDataPlaces } from './call-data.ts'
import { callRecord, nanosecondsAt, readPage, sorted, statusAndMessage } from './fixtures.ts'

describe.each(callDataPlaces)('in %s', async (scope, open) => {
  const { api, storeCalls } = await open()
  let provider: string
  let account_sid: string
  beforeEach(async () => {
    provider = await api.provider()
    account_sid = await api.account(provider)
  })

  const store = (...records: CallRecord[]) => storeCalls(records)

  const call = (more: Partial<CallRecord> = {}) => callRecord(account_sid, { service_provider_sid: provider, ...more })

  const read = (query: Record<string, string> = {}, path = `/Accounts/${account_sid}`) =>
    readPage(api.admin, `${path}/RecentCalls`, query)

  /** Returns the call_sids that a query finds, in order. */
  const findSids = async (query: Record<string, string> = {}) => (await read(query)).data.map((row) => row['call_sid'])

  describe('the response', () => {
    test('API-052 contains data and total, by page, with page and page_size as requested', async () => {
      const start = Date.parse('2025-02-24T13:00:00Z')
      const sids = Array.from({ length: 7 }, (_, index) => `call-${index}`)
      await store(
        ...sids.map((call_sid, index) =>
          call({
            call_sid,
            time: nanosecondsAt(start + index * 1000),
            direction: index % 2 ? 'outbound' : 'inbound',
            answered: index < 5,
          }),
        ),
      )
      const newestFirst = sids.toReversed()
      const first = await read({ page: '1', count: '3' })
      expect(first).toMatchObject({ total: 7, page: '1', page_size: '3' })
      expect(first.data.map((row) => row['call_sid'])).toEqual(newestFirst.slice(0, 3))
      expect(await findSids({ page: '2', count: '3' })).toEqual(newestFirst.slice(3, 6))
      expect(await read({ page: '3', count: '3' })).toMatchObject({
        total: 7,
        page: '3',
        data: [{ call_sid: 'call-0' }],
      })
      expect(await read({ page: '4', count: '3' })).toEqual({ total: 7, page: '4', page_size: '3', data: [] })
      expect(await read({ page: '1', count: '500' })).toMatchObject({ total: 7, page_size: '500' })
      const narrowed = {
        start: '2025-02-24T13:00:01Z',
        end: '2025-02-24T13:00:05Z',
        direction: 'outbound',
        answered: 'true',
        filter: '1508',
      }
      expect(await read(narrowed)).toMatchObject({ total: 2, data: [{ call_sid: 'call-3' }, { call_sid: 'call-1' }] })
      expect(await read({ ...narrowed, days: '1' })).toMatchObject({ total: 0, data: [] })
      expect(await findSids({ answered: 'false' })).toEqual(['call-6', 'call-5'])
      expect(await findSids({ direction: 'inbound' })).toEqual(['call-6', 'call-4', 'call-2', 'call-0'])
      expect(await findSids({ start: '2025-02-24T13:00:05Z' })).toEqual(['call-6', 'call-5'])
      expect(await findSids({ end: '2025-02-24T13:00:01Z' })).toEqual(['call-1', 'call-0'])
      await store(call({ call_sid: 'just now', time: nanosecondsAt(Date.now() - 1000) }))
      expect(await findSids({ days: '1' })).toEqual(['just now'])
    })

    test('CALLS-36 a call record has all its fields', async () => {
      const record = {
        call_sid: '6f1f5f0a-7a68-4ab7-a7f3-f8a4f9f8ee11',
        account_sid,
        service_provider_sid: provider,
        direction: 'outbound',
        from: '15083728299',
        to: '15083084809',
        sip_callid: '85f6c4b1@10.0.0.5',
        sip_parent_callid: 'parent@10.0.0.5',
        trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
        recording_url: 'https://example.org/recording',
        duration: 45,
        sip_status: 200,
        host: '10.0.0.5',
        remote_host: '3.3.3.3',
        trunk: 'my trunk',
        application_sid: '5c1f5f0a-7a68-4ab7-a7f3-f8a4f9f8ee22',
        termination_reason: 'caller hungup',
        cost: 0.25,
        rate: 1.5,
        billed_seconds: 60,
      }
      const times = {
        answered_at: Date.parse('2025-02-24T13:11:54.969Z'),
        terminated_at: Date.parse('2025-02-24T13:12:39.153Z'),
      }
      await store(call({ ...record, ...times, answered: true, time: nanosecondsAt('2025-02-24T13:11:51.969Z') }))
      expect((await read()).data).toEqual([
        {
          ...record,
          answered: true,
          attempted_at: '2025-02-24T13:11:51.969Z',
          answered_at: '2025-02-24T13:11:54.969Z',
          terminated_at: '2025-02-24T13:12:39.153Z',
        },
      ])
    })

    test('missing values of a call are null, including times', async () => {
      const none = {
        call_sid: null,
        answered_at: null,
        terminated_at: null,
        sip_status: null,
        recording_url: null,
        to: null,
        trunk: null,
      }
      await store(call({ ...none, answered: false }))
      expect((await read()).data).toMatchObject([{ ...none, answered: false, duration: 0 }])
    })

    test('fields of newer writers are included and cannot replace known ones', async () => {
      const extra = { codec: 'opus', jitter: 1.5, is_video: true, 'with space': 'ä"\\' }
      const forged: CallRecord['extra'] = scope === 'InfluxDB' ? {} : { account_sid: 'forged', answered: false }
      await store(call({ extra: { ...extra, ...forged } }))
      expect((await read()).data).toMatchObject([{ ...extra, account_sid, answered: true }])
    })

    test('is empty for an account without calls', async () => {
      expect(await read()).toEqual({ total: 0, page: '1', page_size: '25', data: [] })
    })
  })

  describe('extended filters', () => {
    test('find calls by their minimum duration, and ignore invalid values', async () => {
      await store(
        call({ call_sid: 'short', duration: 4, trunk: 'a' }),
        call({ call_sid: 'long', duration: 61, trunk: 'b' }),
        call({ call_sid: 'longer', duration: 3600, trunk: 'c' }),
      )
      for (const [min_duration, expected] of [
        ['1', ['long', 'longer', 'short']],
        ['5', ['long', 'longer']],
        ['61', ['long', 'longer']],
        ['62', ['longer']],
        ['3600', ['longer']],
        ['99999', []],
      ] as const)
        expect({ min_duration, sids: sorted(await findSids({ min_duration })) }).toEqual({
          min_duration,
          sids: expected,
        })
      for (const min_duration of ['0', '-1', '1.5', 'x', '100000', ''])
        expect({ min_duration, total: (await read({ min_duration })).total }).toEqual({ min_duration, total: 3 })
    })

    test('find calls by their maximum duration, and ignore invalid values', async () => {
      await store(
        call({ call_sid: 'unanswered', duration: 0, trunk: 'a' }),
        call({ call_sid: 'short', duration: 59, trunk: 'b' }),
        call({ call_sid: 'long', duration: 60, trunk: 'c' }),
      )
      for (const [max_duration, expected] of [
        ['0', ['unanswered']],
        ['58', ['unanswered']],
        ['59', ['short', 'unanswered']],
        ['60', ['long', 'short', 'unanswered']],
      ] as const)
        expect({ max_duration, sids: sorted(await findSids({ max_duration })) }).toEqual({
          max_duration,
          sids: expected,
        })
      expect(await findSids({ min_duration: '1', max_duration: '59' })).toEqual(['short'])
      expect(await findSids({ min_duration: '60', max_duration: '59' })).toEqual([])
      for (const max_duration of ['-1', '1.5', 'x', '100000', '007', ''])
        expect({ max_duration, total: (await read({ max_duration })).total }).toEqual({ max_duration, total: 3 })
    })

    test('find calls by their result, and those with an unknown status', async () => {
      const failed = (call_sid: string, sip_status: number) =>
        call({ call_sid, answered: false, sip_status, trunk: call_sid })
      await store(
        call({ call_sid: 'answered' }),
        failed('busy', 486),
        failed('busy everywhere', 600),
        failed('no answer', 480),
        failed('cancelled', 487),
        failed('failed', 503),
        failed('failed, not found', 404),
        failed('timeout', 408),
        failed('unknown', 0),
      )
      for (const [result, expected] of [
        ['answered', ['answered']],
        ['busy', ['busy', 'busy everywhere']],
        ['no answer', ['no answer']],
        ['cancelled', ['cancelled']],
        ['failed', ['failed', 'failed, not found']],
      ] as const)
        expect({ result, sids: sorted(await findSids({ result })) }).toEqual({ result, sids: expected })
      expect((await read({ result: 'failed' })).total).toBe(2)
      expect(await findSids({ result: 'failed', sip_status: '503' })).toEqual(['failed'])
      expect(await findSids({ result: 'failed', answered: 'true' })).toEqual([])
      for (const result of ['FAILED', "failed' OR 1=1", '']) expect((await read({ result })).total).toBe(9)
      expect(await findSids({ sip_status: '0' })).toEqual(['unknown'])
    })

    test('find calls by their application', async () => {
      const [application_sid, other] = [randomUUID(), randomUUID()]
      await store(
        call({ call_sid: 'one', application_sid, trunk: 'a' }),
        call({ call_sid: 'two', application_sid, trunk: 'b', answered: false, sip_status: 486 }),
        call({ call_sid: 'three', application_sid: other, trunk: 'c' }),
        call({ call_sid: 'four', application_sid: null, trunk: 'd' }),
      )
      expect(sorted(await findSids({ application_sid }))).toEqual(['one', 'two'])
      expect(await findSids({ application_sid, sip_status: '486' })).toEqual(['two'])
      expect(await findSids({ application_sid, answered: 'true' })).toEqual(['one'])
      expect(await findSids({ application_sid: other.toUpperCase() })).toEqual([])
      expect(await findSids({ application_sid: "' OR 1=1" })).toEqual([])
      expect((await read({ application_sid: '' })).total).toBe(4)
    })

    test('find calls by a part of the calling or called number, or by its start after a plus sign', async () => {
      await store(
        call({ call_sid: 'one', from: '+15085551079', to: '442079460958', trunk: 'a' }),
        call({ call_sid: 'two', from: '15085552000', to: '+4930123456', trunk: 'b' }),
        call({ call_sid: 'three', from: 'reception', to: '33015085', trunk: 'Voxbone 1508', sip_callid: '1508' }),
        call({ call_sid: 'zero', from: '00442079460958', to: '7', trunk: 'c' }),
      )
      for (const [number, expected] of [
        ['1508', ['one', 'three', 'two']],
        ['+1508', ['one', 'two']],
        ['+1 (508) 555-1079', ['one']],
        ['15085551079', ['one']],
        ['0958', ['one', 'zero']],
        ['+4420', ['one', 'zero']],
        ['0044 (0)20 7946', ['one', 'zero']],
        ['sip:+442079460958@carrier.example', ['one', 'zero']],
        ['020 7946 0958', ['one', 'zero']],
        ['+442079460958', ['one', 'zero']],
        ['+0958', []],
        ['reception', ['three']],
        ['Voxbone', []],
        ['%', []],
        ['.', []],
        ['+', ['one', 'two']],
      ] as const)
        expect({ number, sids: sorted(await findSids({ number })) }).toEqual({ number, sids: expected })
      expect(await findSids({ number: '1508', filter: 'Voxbone' })).toEqual(['three'])
      expect(await findSids({ number: '+1508', answered: 'false' })).toEqual([])
      expect((await read({ number: '  ' })).total).toBe(4)
    })

    test('find calls by the Call-ID, and by a part of the name of the carrier', async () => {
      await store(
        call({ call_sid: 'one', sip_callid: 'abc@10.0.0.5', trunk: 'Twilio 44' }),
        call({ call_sid: 'two', sip_callid: 'def@10.0.0.5', trunk: 'Voxbone', from: 'reception' }),
      )
      expect(await findSids({ filter: 'abc@10.0.0.5' })).toEqual(['one'])
      expect(await findSids({ filter: 'abc@10.0.0' })).toEqual([])
      expect(await findSids({ filter: 'wilio' })).toEqual(['one'])
      expect(await findSids({ filter: 'reception' })).toEqual(['two'])
      // A number does not find a carrier with these digits in its name.
      expect(await findSids({ filter: '44' })).toEqual([])
      expect(await findSids({ filter: 'nowhere' })).toEqual([])
    })
  })

  describe('order', () => {
    test('is newest first with nanosecond precision', async () => {
      const start = nanosecondsAt('2025-01-01T00:00:00.000Z')
      await store(
        call({ call_sid: 'b', time: start + 5n }),
        call({ call_sid: 'd', time: start + 1_000_000n }),
        call({ call_sid: 'a', time: start }),
        call({ call_sid: 'c', time: start + 999_999n }),
      )
      const { data } = await read()
      expect(data.map((row) => row['call_sid'])).toEqual(['d', 'c', 'b', 'a'])
      expect(data.map((row) => row['attempted_at'])).toEqual([
        '2025-01-01T00:00:00.001Z',
        '2025-01-01T00:00:00.000999999Z',
        '2025-01-01T00:00:00.000000005Z',
        '2025-01-01T00:00:00.000Z',
      ])
    })

    test('is stable for calls with the same time, so that no page repeats or omits one', async () => {
      const sids = Array.from({ length: 11 }, () => randomUUID())
      // InfluxDB stores one call per instant for each host, trunk, and other tags.
      await store(...sids.map((call_sid) => call({ call_sid, trunk: call_sid })))
      const pages: unknown[] = []
      for (const page of ['1', '2', '3', '4']) pages.push(...(await findSids({ page, count: '3' })))
      expect(sorted(pages)).toEqual(sorted(sids))
    })

    test('includes times before 1970', async () => {
      await store(call({ call_sid: 'old', time: -1n }), call({ call_sid: 'new', time: 0n }))
      const { data } = await read()
      expect(data.map((row) => row['attempted_at'])).toEqual([
        '1970-01-01T00:00:00.000Z',
        '1969-12-31T23:59:59.999999999Z',
      ])
    })
  })

  describe.skipIf(scope === 'InfluxDB')('storing', () => {
    test('a repeated record is stored once, in one batch and in two', async () => {
      const record = call()
      await store(record, record)
      await store(record)
      expect(await read()).toMatchObject({ total: 1 })
    })

    test('calls in the same millisecond with different call_sids are all stored', async () => {
      await store(call({ call_sid: 'one' }), call({ call_sid: 'two' }))
      await store(call({ call_sid: 'TWO' }))
      expect(sorted(await findSids())).toEqual(['TWO', 'one', 'two'])
    })

    test('without a call_sid, the SIP Call-ID identifies a call; without both, all of its values do', async () => {
      const nameless = { call_sid: null, sip_callid: null }
      const records = [
        call({ call_sid: null, sip_callid: 'one' }),
        call({ call_sid: null, sip_callid: 'two' }),
        call({ ...nameless, to: '1' }),
        call({ ...nameless, to: '2' }),
      ]
      await store(...records)
      await store(...records)
      expect(await read()).toMatchObject({ total: 4 })
    })

    test('stores a thousand calls in one batch', async () => {
      await store(...Array.from({ length: 1100 }, (_, index) => call({ time: BigInt(index) })))
      expect(await read({ count: '500', page: '3' })).toMatchObject({ total: 1100, page_size: '500' })
      expect((await read({ count: '500', page: '3' })).data).toHaveLength(100)
    })
  })

  const ago = (call_sid: string, time: number) => call({ call_sid, time: nanosecondsAt(Date.now() - time) })

  describe('time', () => {
    const instants = ['2025-03-01T00:00:00.000Z', '2025-03-02T00:00:00.000Z', '2025-03-03T00:00:00.000Z']
    const storeInstants = () => store(...instants.map((at) => call({ call_sid: at, time: nanosecondsAt(at) })))

    test('start and end are inclusive, individually and together, in any ISO 8601 notation', async () => {
      await storeInstants()
      const [first, second, third] = instants
      expect(await findSids({ start: second ?? '' })).toEqual([third, second])
      expect(await findSids({ end: second ?? '' })).toEqual([second, first])
      expect(await findSids({ start: second ?? '', end: second ?? '' })).toEqual([second])
      expect(await findSids({ start: '2025-03-02T00:00:00.001Z' })).toEqual([third])
      expect(await findSids({ end: '2025-03-01T23:59:59.999Z' })).toEqual([first])
      expect(await findSids({ start: '2025-03-02T02:00:00+02:00' })).toEqual([third, second])
      expect(await findSids({ start: '2025-03-03' })).toEqual([third])
      expect(await findSids({ start: third ?? '', end: first ?? '' })).toEqual([])
    })

    test('days is a rolling window and overrides start and end', async () => {
      const day = 86_400_000
      await store(ago('now', 1000), ago('within', 3 * day - 60_000), ago('without', 3 * day + 60_000))
      expect(await findSids({ days: '3' })).toEqual(['now', 'within'])
      expect(await findSids({ days: '4' })).toEqual(['now', 'within', 'without'])
      expect(await findSids({ days: '3', start: '2001-01-01T00:00:00Z', end: '2001-01-02T00:00:00Z' })).toEqual([
        'now',
        'within',
      ])
    })
  })

  describe('filters', () => {
    test('answered: true and false filter, anything else is ignored', async () => {
      await store(
        call({ call_sid: 'yes', answered: true, time: 2n }),
        call({ call_sid: 'no', answered: false, time: 1n }),
      )
      expect(await findSids({ answered: 'true' })).toEqual(['yes'])
      expect(await findSids({ answered: 'false' })).toEqual(['no'])
      for (const answered of ['', 'all', 'TRUE', '1', 'null'])
        expect(await findSids({ answered })).toEqual(['yes', 'no'])
    })

    test('direction and trunk match exactly, and empty values are ignored', async () => {
      await store(
        call({ call_sid: 'a', direction: 'inbound', trunk: 'Twilio', time: 2n }),
        call({ call_sid: 'b', direction: 'outbound', trunk: 'Twilio 2', time: 1n }),
      )
      expect(await findSids({ direction: 'inbound' })).toEqual(['a'])
      expect(await findSids({ direction: 'outbound' })).toEqual(['b'])
      expect(await findSids({ direction: 'Inbound' })).toEqual([])
      expect(await findSids({ direction: '' })).toEqual(['a', 'b'])
      expect(await findSids({ trunk: 'Twilio' })).toEqual(['a'])
      expect(await findSids({ trunk: 'twilio' })).toEqual([])
      expect(await findSids({ trunk: 'Twil%' })).toEqual([])
      expect(await findSids({ trunk: '' })).toEqual(['a', 'b'])
    })

    test('filter matches part of the calling or called number, case-sensitively, or the complete call_sid', async () => {
      const call_sid = randomUUID()
      await store(
        call({ call_sid, from: '15551110000', to: 'Alice@example.org', time: 2n }),
        call({ call_sid: 'other', from: 'bob', to: '15552220000', time: 1n }),
      )
      expect(await findSids({ filter: '555' })).toEqual([call_sid, 'other'])
      expect(await findSids({ filter: '51110' })).toEqual([call_sid])
      expect(await findSids({ filter: 'Alice' })).toEqual([call_sid])
      expect(await findSids({ filter: 'alice' })).toEqual([])
      expect(await findSids({ filter: 'ob' })).toEqual(['other'])
      expect(await findSids({ filter: call_sid })).toEqual([call_sid])
      expect(await findSids({ filter: call_sid.slice(0, -1) })).toEqual([])
      expect(await findSids({ filter: call_sid.toUpperCase() })).toEqual([])
      expect(await findSids({ filter: '' })).toEqual([call_sid, 'other'])
    })

    test.each(['%', '_', '.', '*', '+', "'", '\\', '/', '"', '(', '[a]', '$', '^', ';', '--', '?', 'ü', '😀', ' '])(
      'the filter %j means that character and nothing else',
      async (filter) => {
        await store(
          call({ call_sid: 'from', from: `1${filter}2`, to: '3', time: 3n }),
          call({ call_sid: 'to', from: '3', to: filter, time: 2n }),
          call({ call_sid: 'neither', from: '12', to: 'xay', time: 1n }),
        )
        expect(await read({ filter })).toMatchObject({ total: 2, data: [{ call_sid: 'from' }, { call_sid: 'to' }] })
      },
    )

    test.skipIf(scope === 'InfluxDB')(
      'a text of any length and with any characters finds exactly the numbers that contain it',
      async () => {
        const neighbor = await api.account(provider)
        const numbers = [
          '+15085551079',
          '15085551079',
          '++1508',
          '442079460958',
          'alice+test',
          'Alice Ü.',
          'sip:100%_\\\'"@a',
          'a%b',
          'a_b',
          'a\\b',
          'üñî😀日本語',
          '12',
          '',
          null,
        ]
        const pairs = numbers.flatMap((from, index) => [
          { from, to: numbers[(index * 5 + 3) % numbers.length] ?? null },
          { from: null, to: from },
        ])
        const trunk = 'Voxbone 1508'
        const records = [account_sid, neighbor].flatMap((sid) =>
          pairs.map((pair, index) =>
            callRecord(sid, { ...pair, trunk, service_provider_sid: provider, time: BigInt(index) }),
          ),
        )
        await store(...records)
        const filters = new Set(
          [
            ...numbers,
            'oxbo',
            '1508555107',
            '5508',
            '0958\n',
            '9580',
            '079\n442',
            '%',
            '_b',
            'a%',
            '\\b',
            '1508 ',
          ].flatMap((number) => {
            const characters = Array.from(number ?? '')
            return [1, 2, 3, 4, 7].flatMap((length) => [
              characters.slice(0, length).join(''),
              characters.slice(-length).join(''),
              characters.join(''),
            ])
          }),
        )
        filters.delete('')
        const count = (matches: (number: string) => boolean, sids: readonly string[], inTrunk = false) =>
          records.filter(
            (record) =>
              sids.includes(record.account_sid) && (inTrunk || matches(record.from ?? '') || matches(record.to ?? '')),
          ).length
        for (const text of filters) {
          const isTrunk = trunk.includes(text) && !/^[+\d\s()-]*$/.test(text)
          const expected = count((number) => number.includes(text), [account_sid], isTrunk)
          const { total, data } = await read({ filter: text })
          expect({ text, total, rows: data.length }).toEqual({ text, total: expected, rows: Math.min(expected, 25) })
        }
        for (const text of ['1508555', '0958', 'lice'])
          expect(
            await readPage(api.admin, `/ServiceProviders/${provider}/RecentCalls`, { filter: text }),
          ).toMatchObject({
            total: count((number) => number.includes(text), [account_sid, neighbor]),
          })
        for (const start of ['15', '1508', '1508555', '4420'])
          expect({ start, total: (await read({ number: `+${start}` })).total }).toEqual({
            start,
            total: count((number) => number.startsWith(start) || number.startsWith(`+${start}`), [account_sid]),
          })
      },
    )

    test('pages of a search by number follow each other, also with calls of the same time', async () => {
      const sids = Array.from({ length: 12 }, (_, index) => `call-${index}`)
      await store(
        ...sids.map((call_sid, index) =>
          call({
            call_sid,
            trunk: call_sid,
            from: '15085551079',
            time: nanosecondsAt('2025-01-01') + BigInt(index >> 2),
          }),
        ),
        call({ call_sid: 'other', from: '15085551080', time: nanosecondsAt('2025-01-01') }),
      )
      const pages: unknown[] = []
      for (const page of ['1', '2', '3', '4', '5']) {
        const { total, data } = await read({ filter: '5551079', page, count: '3' })
        expect({ page, total }).toEqual({ page, total: 12 })
        pages.push(...data.map((row) => row['call_sid']))
      }
      expect(sorted(pages.slice(0, 4))).toEqual(['call-10', 'call-11', 'call-8', 'call-9'])
      expect(sorted(pages)).toEqual(sorted(sids))
      expect(await read({ filter: '5551079', page: '300', count: '25' })).toMatchObject({ total: 12, data: [] })
    })

    test('filters can be combined, and the total counts the result', async () => {
      await store(
        call({ call_sid: 'hit', direction: 'inbound', answered: true, from: '777' }),
        call({ call_sid: 'x', direction: 'outbound', answered: true, from: '777', time: 3n }),
        call({ call_sid: 'y', direction: 'inbound', answered: false, from: '777', time: 2n }),
        call({ call_sid: 'z', direction: 'inbound', answered: true, from: '888', time: 1n }),
      )
      expect(await read({ direction: 'inbound', answered: 'true', filter: '77', count: '1' })).toMatchObject({
        total: 1,
        data: [{ call_sid: 'hit' }],
      })
      expect(await read({ direction: 'inbound', count: '1' })).toMatchObject({ total: 3 })
    })
  })

  test('the calls of an owner are found by their ids, newest first', async () => {
    const ids = { call_sid: randomUUID(), trace_id: randomUUID().replaceAll('-', '') }
    const legs = [
      call({ ...ids, sip_callid: "in'@10.0.0.5", time: 1n }),
      call({ ...ids, sip_callid: 'out@10.0.0.5', direction: 'outbound', time: 2n }),
    ]
    const elsewhere = await api.account(provider)
    await store(...legs, call(), callRecord(elsewhere, ids))
    const { calls } = api.services
    const findById = async (id: CallId, owner: CallOwner = { account_sid }) =>
      (await calls.find(owner, id)).map(({ sip_callid }) => sip_callid)
    const both = ['out@10.0.0.5', "in'@10.0.0.5"]
    expect(await findById({ call_sid: ids.call_sid })).toEqual(both)
    expect(await findById({ trace_id: ids.trace_id })).toEqual(both)
    expect(await findById({ sip_callid: "in'@10.0.0.5" })).toEqual(["in'@10.0.0.5"])
    expect(await findById({ call_sid: ids.call_sid }, { service_provider_sid: provider })).toEqual(both)
    expect(await findById({ call_sid: "' OR 1=1" })).toEqual([])
  })

  test('a filter that is a call_sid finds its legs within the other filters, of the own tenant only', async () => {
    const [call_sid, inNumber] = [randomUUID(), randomUUID()]
    const leg = (more: Partial<CallRecord>) => call({ call_sid, ...more })
    const day = Date.parse('2025-02-24T00:00:00Z')
    const at = (hours: number) => ({ time: nanosecondsAt(day + hours * 3_600_000) })
    await store(
      leg({ sip_callid: 'in', direction: 'inbound', ...at(1) }),
      leg({ sip_callid: 'out', direction: 'outbound', answered: false, ...at(2) }),
      call({ call_sid: 'another', to: `sip:${inNumber}@example.org`, ...at(3) }),
      callRecord(await api.account(provider), {
        call_sid,
        service_provider_sid: provider,
        sip_callid: 'theirs',
        ...at(0),
      }),
    )
    const sips = async (query: Record<string, string>, path?: string) => {
      const { total, data } = await read({ count: '25', page: '1', filter: call_sid, ...query }, path)
      return [total, data.map((row) => row['sip_callid'])]
    }
    expect(await sips({})).toEqual([2, ['out', 'in']])
    expect(await sips({ page: '2', count: '1' })).toEqual([2, ['in']])
    expect(await sips({ direction: 'inbound' })).toEqual([1, ['in']])
    expect(await sips({ answered: 'false' })).toEqual([1, ['out']])
    expect(await sips({ start: '2025-02-24T01:30:00Z' })).toEqual([1, ['out']])
    expect(await sips({ end: '2025-02-24T00:30:00Z' })).toEqual([0, []])
    expect(await sips({}, `/ServiceProviders/${provider}`)).toEqual([3, ['out', 'in', 'theirs']])
    expect(await findSids({ filter: inNumber })).toEqual(['another'])
    expect(await findSids({ filter: randomUUID() })).toEqual([])
  })

  describe('bad queries', () => {
    const noPage = 'missing or invalid "page" query arg'
    const noCount = 'missing or invalid "count" query arg'

    test.each([
      ['page=x&count=25', '1', '25'],
      ['page=1&count=many', '1', '25'],
      ['page=1&count=25&start=yesterday', '1', '25'],
    ])('%s counts as the default, as in the API of jambonz', async (query, page, page_size) => {
      for (const path of [`/Accounts/${account_sid}`, `/ServiceProviders/${provider}`])
        expect((await api.admin.get(`${path}/RecentCalls?${query}`)).body).toMatchObject({ page, page_size })
    })

    test.each([
      ['count=25', noPage],
      ['page=0&count=25', noPage],
      ['page=-1&count=25', noPage],
      ['page=1.5&count=25', noPage],
      ['page=&count=25', noPage],
      ['page=1&page=2&count=25', noPage],
      ['page=99999999999999999999&count=25', noPage],
      ['page=1', noCount],
      ['page=1&count=501', noCount],
      ['page=1&count=0', noCount],
      ['page=1&count=-5', noCount],
      ['page=1&count=25&days=x', 'invalid "days" query arg'],
      ['page=1&count=25&days=0', 'invalid "days" query arg'],
      ['page=1&count=25&end=never', 'invalid "end" query arg'],
    ])('%s: %s', async (query, msg) => {
      for (const path of [`/Accounts/${account_sid}`, `/ServiceProviders/${provider}`])
        expect(statusAndMessage(await api.admin.get(`${path}/RecentCalls?${query}`))).toEqual([400, msg])
    })

    test('a page beyond the last is empty', async () => {
      await store(call())
      expect(await read({ page: '999999999', count: '500' })).toEqual({
        total: 1,
        page: '999999999',
        page_size: '500',
        data: [],
      })
    })
  })

  describe('access to calls', () => {
    test('an account sees its own, and a provider those of its accounts', async () => {
      const beside = await api.account(provider)
      const otherProvider = await api.provider()
      const foreign = await api.account(otherProvider)
      await store(
        call({ call_sid: 'own', time: 3n }),
        callRecord(beside, { service_provider_sid: provider, call_sid: 'beside', time: 2n }),
        callRecord(foreign, { service_provider_sid: otherProvider, call_sid: 'foreign', time: 1n }),
      )
      expect(await findSids()).toEqual(['own'])
      const ofProvider = await read({}, `/ServiceProviders/${provider}`)
      expect(ofProvider).toMatchObject({ total: 2, data: [{ call_sid: 'own' }, { call_sid: 'beside' }] })
      expect((await read({}, `/ServiceProviders/${otherProvider}`)).data).toMatchObject([{ call_sid: 'foreign' }])
      expect(await read({ filter: 'foreign' })).toMatchObject({ total: 0 })
      expect((await read({ filter: 'foreign' }, `/Accounts/${foreign}`)).total).toBe(1)
    })

    test('if two accounts report the same call, each sees its own record', async () => {
      const other = await api.account(provider)
      const shared = { call_sid: 'shared', time: 7n }
      await store(call({ ...shared, to: 'mine' }), callRecord(other, { ...shared, to: 'theirs' }))
      expect((await read()).data).toMatchObject([{ to: 'mine' }])
      expect((await read({}, `/Accounts/${other}`)).data).toMatchObject([{ to: 'theirs' }])
    })
  })
})
