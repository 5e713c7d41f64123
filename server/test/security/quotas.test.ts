import { createSink } from '@patchbay/server/app/ingest'
import { createInfluxIntake } from '@patchbay/server/call-data/ingest/influx-ingest'
import { createSqlLogs } from '@patchbay/server/call-data/logs/sql-logs'
import { limitedLogs, limitedTraces } from '@patchbay/server/call-data/quotas/limited-sinks'
import { createQuotas, type Quotas } from '@patchbay/server/call-data/quotas/quotas'
import { createRecordingQuota } from '@patchbay/server/call-data/quotas/recording-quota'
import { createSqlTraces } from '@patchbay/server/call-data/traces/sql-traces'
import { toTraceParts } from '@patchbay/server/call-data/traces/trace-parts'
import { toResponseSpans } from '@patchbay/server/call-data/traces/trace-response'
import { startRecording, tones } from '@patchbay/testkit/fake-recorder'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { otlpSpan, readPage, sorted } from '../fixtures.ts'

/** Accounts that store as much as they can. */

let api: TestApi
let provider: string

const dayMs = 86_400_000
const today = Date.UTC(2026, 4, 1, 12)

beforeAll(async () => {
  api = await createTestApi({ ACCOUNT_RECORDINGS_MAX_MB: '1' })
  provider = await api.provider()
})
afterAll(() => api.close())

const quotasOf = (callDataRowsPerDay: number, now = () => today): Quotas =>
  createQuotas({
    database: api.test.database,
    limits: { callDataRowsPerDay, recordingBytes: 1000 },
    logger: api.app.log,
    now,
  })

const alertsOf = async (account_sid: string) => {
  const { data } = await readPage(api.admin, `/Accounts/${account_sid}/Alerts`, {})
  return sorted(data.map(({ alert_type }) => alert_type))
}
const warning = 'account-quota-warning'
const reached = 'account-quota-reached'

describe('call data', () => {
  const writer = (quotas: Quotas) => {
    const intake = createInfluxIntake({ sink: createSink(api.test.database, quotas), logger: api.app.log })
    let nth = 0
    return async (database: 'cdrs' | 'alerts', account_sid: string, count: number) => {
      const lines = Array.from({ length: count }, () => {
        nth += 1
        const at = BigInt(Date.now()) * 1_000_000n + BigInt(nth)
        return database === 'cdrs'
          ? `cdrs,account_sid=${account_sid},service_provider_sid=${provider} call_sid="${randomUUID()}" ${at}`
          : `alerts,account_sid=${account_sid},alert_type=no-tts message="alert ${nth}" ${at}`
      })
      const { statusCode } = await intake.inject({
        method: 'POST',
        url: `/write?db=${database}`,
        payload: lines.join('\n'),
      })
      expect(statusCode).toBe(204)
    }
  }
  const callsOf = async (account_sid: string) =>
    (await readPage(api.admin, `/Accounts/${account_sid}/RecentCalls`, {})).total

  test('of an account over its quota is dropped, with alerts at 80 % and at 100 %, once each', async () => {
    const [greedy, other] = [await api.account(provider), await api.account(provider)]
    const write = writer(quotasOf(10))
    await write('cdrs', greedy, 7)
    expect(await alertsOf(greedy)).toEqual([])
    await write('cdrs', greedy, 1)
    expect(await alertsOf(greedy)).toEqual([warning])
    await write('cdrs', greedy, 1)
    await write('cdrs', greedy, 100)
    await write('cdrs', greedy, 100)
    expect([await callsOf(greedy), await alertsOf(greedy)]).toEqual([10, [reached, warning]])

    await write('cdrs', other, 5)
    expect([await callsOf(other), await alertsOf(other)]).toEqual([5, []])
    // Alerts have a quota of their own.
    await write('alerts', greedy, 3)
    expect(await alertsOf(greedy)).toHaveLength(5)
  })

  test('is counted on after a restart, and anew on the next day', async () => {
    const account_sid = await api.account(provider)
    await writer(quotasOf(10))('cdrs', account_sid, 6)
    await writer(quotasOf(10))('cdrs', account_sid, 6)
    expect(await callsOf(account_sid)).toBe(10)
    await writer(quotasOf(10, () => today + dayMs))('cdrs', account_sid, 6)
    expect(await callsOf(account_sid)).toBe(16)
    // A clock that was set back finds the quota of its day.
    await writer(quotasOf(10))('cdrs', account_sid, 6)
    expect(await callsOf(account_sid)).toBe(16)
  })

  test('is limited for all processes together', async () => {
    const account_sid = await api.account(provider)
    const processes = Array.from({ length: 4 }, () => quotasOf(100))
    const admitted = await Promise.all(
      processes.flatMap((quotas) => Array.from({ length: 10 }, () => quotas.admit('calls', account_sid, 7))),
    )
    expect(admitted.reduce((sum, count) => sum + count, 0)).toBe(100)
    expect(await alertsOf(account_sid)).toEqual([reached, warning])
  })

  test('is not limited by a quota of 0', async () => {
    expect(await quotasOf(0).admit('calls', randomUUID(), 1_000_000)).toBe(1_000_000)
  })

  test('of days long past is no longer counted', async () => {
    const account_sid = await api.account(provider)
    await quotasOf(10, () => today - 30 * dayMs).admit('calls', account_sid, 5)
    await quotasOf(10).admit('calls', account_sid, 5)
    const rows = await api.test.database.db
      .selectFrom('patchbay_account_usage')
      .select('day')
      .where('account_sid', '=', account_sid)
      .execute()
    expect(rows).toEqual([{ day: today / dayMs - 0.5 }])
  })

  test('counts spans and log lines that name their account', async () => {
    const account_sid = await api.account(provider)
    const quotas = quotasOf(3)
    const call_sid = randomUUID()
    const logs = createSqlLogs(api.test.database)
    const line = (nth: number, more: object = {}) => ({
      call_id: call_sid,
      text: JSON.stringify({ level: 30, time: 1_700_000_000_000 + nth, callSid: call_sid, ...more }),
    })
    await limitedLogs(logs, quotas).store([1, 2, 3, 4, 5].map((nth) => line(nth, { accountSid: account_sid })))
    await limitedLogs(logs, quotas).store([line(6)])
    const call = { call_sid, sip_callid: null } as unknown as Parameters<typeof logs.read>[0]
    expect(await logs.read(call)).toHaveLength(4)

    const sql = createSqlTraces(api.test.database)
    const traces = limitedTraces(sql, quotas)
    const attributes = [{ key: 'accountSid', value: { stringValue: account_sid } }]
    const deliver = async (): Promise<[string, number]> => {
      const trace_id = randomUUID().replaceAll('-', '')
      const spans = toResponseSpans([{ scopeSpans: [{ spans: [otlpSpan(trace_id, { attributes })] }] }]).traces.get(
        trace_id,
      )
      const rejected: number[] = []
      for await (const part of toTraceParts(trace_id, spans ?? [])) rejected.push(await traces.storeParts([part]))
      return [trace_id, rejected.reduce((sum, count) => sum + count, 0)]
    }
    const delivered = [await deliver(), await deliver(), await deliver(), await deliver()]
    expect(delivered.map(([, rejected]) => rejected)).toEqual([0, 0, 0, 1])
    const isStored = await Promise.all(delivered.map(async ([trace_id]) => (await sql.read(trace_id)) !== undefined))
    expect(isStored).toEqual([true, true, true, false])
  })
})

describe('recordings', () => {
  const folderOf = (account_sid: string) => join(api.services.configuration.dataDir, 'recordings', account_sid)
  const sizesOf = async (account_sid: string): Promise<number[]> => {
    const names = await readdir(folderOf(account_sid), { recursive: true }).catch(() => [])
    const files = names.filter((name) => name.endsWith('.wav'))
    return Promise.all(files.map(async (name) => (await stat(join(folderOf(account_sid), name))).size))
  }

  test('of an account over its quota are refused, and the one that reaches it is kept as far as it goes', async () => {
    const url = (await api.app.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws')
    const account = () => api.account(provider, { record_format: 'wav' })
    const [greedy, other] = [await account(), await account()]
    const reason = 'the account has used up its quota for recordings'
    const call = await startRecording({ url, account_sid: greedy })
    call.say(tones([440, 1000], 60)).catch(() => {})
    expect(await call.closed).toEqual([1008, reason])
    const [size = 0] = await sizesOf(greedy)
    expect(size).toBeGreaterThanOrEqual(1024 ** 2)
    expect(size).toBeLessThan(2 * 1024 ** 2)
    expect(await alertsOf(greedy)).toEqual([reached])

    const next = await startRecording({ url, account_sid: greedy })
    expect(await next.closed).toEqual([1008, reason])
    expect(await sizesOf(greedy)).toEqual([size])

    const unaffected = await startRecording({ url, account_sid: other })
    await unaffected.say(tones([440, 1000], 1))
    await unaffected.hangUp()
    await expect.poll(() => sizesOf(other)).toHaveLength(1)
    expect(await alertsOf(other)).toEqual([])
  })

  test('are counted on the disk, so that those that are removed make room', async () => {
    const account_sid = await api.account(provider)
    const { dataDir } = api.services.configuration
    const day = join(folderOf(account_sid), '2026/05/01')
    await mkdir(day, { recursive: true })
    await writeFile(join(day, 'a.wav'), Buffer.alloc(600))
    let clock = 0
    const quota = createRecordingQuota(dataDir, 1000, quotasOf(0), () => clock)
    const first = await quota.begin(account_sid)
    const second = await quota.begin(account_sid)
    // Two at once share what is left.
    expect([first?.grow(200), second?.grow(100), second?.grow(250)]).toEqual([true, true, false])
    await second?.end()
    expect(await alertsOf(account_sid)).toEqual([reached])
    expect(await quota.begin(account_sid)).toBeUndefined()
    await rm(join(day, 'a.wav'))
    clock += 60_000
    await first?.end()
    expect(await quota.begin(account_sid)).toBeDefined()
  })

  test('raise an alert at 80 % once a day', async () => {
    const account_sid = await api.account(provider)
    for (const bytes of [799, 800, 810]) await quotasOf(0).noteRecordings(account_sid, bytes)
    expect(await alertsOf(account_sid)).toEqual([warning])
    await quotasOf(0, () => today + dayMs).noteRecordings(account_sid, 820)
    expect(await alertsOf(account_sid)).toEqual([warning, warning])
  })
})
