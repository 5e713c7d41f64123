import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSink } from '@patchbay/server/app/ingest'
import { createInfluxIntake } from '@patchbay/server/call-data/ingest/influx-ingest'
import { limitedLogs, limitedTraces } from '@patchbay/server/call-data/quotas/limited-sinks'
import { createQuotas, type Quotas } from '@patchbay/server/call-data/quotas/quotas'
import { createRecordingQuota } from '@patchbay/server/call-data/quotas/recording-quota'
import { toTraceParts } from '@patchbay/server/call-data/traces/trace-parts'
import { toResponseSpans } from '@patchbay/server/call-data/traces/trace-response'
import { startRecording, tones } from '@patchbay/testkit/fakes/recorder'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { otlpSpan, readPage, sorted } from '../fixtures.ts'

/** Accounts that store as much as they can. */

const dayMs = 86_400_000
const today = Date.UTC(2026, 4, 1, 12)

const api = await openTestApi({ ACCOUNT_RECORDINGS_MAX_MB: '1' })
const provider = await api.provider()

const createTestQuotas = (callDataRowsPerDay: number, now = () => today): Quotas =>
  createQuotas({
    database: api.test.database,
    limits: { callDataRowsPerDay, recordingBytes: 1000 },
    logger: api.app.log,
    now,
  })

const readAlerts = async (account_sid: string) => {
  const { data } = await readPage(api.admin, `/Accounts/${account_sid}/Alerts`, {})
  return sorted(data.map(({ alert_type }) => alert_type))
}
const warning = 'account-quota-warning'
const reached = 'account-quota-reached'

describe('call data', () => {
  const writer = (quotas: Quotas) => {
    const intake = createInfluxIntake({ sink: createSink(api.sinks, quotas), logger: api.app.log })
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
  const countCalls = async (account_sid: string) =>
    (await readPage(api.admin, `/Accounts/${account_sid}/RecentCalls`, {})).total

  test('is dropped over the quota of its account, with one alert each at 80 % and 100 %', async () => {
    const [greedy, other] = [await api.account(provider), await api.account(provider)]
    const write = writer(createTestQuotas(10))
    await write('cdrs', greedy, 7)
    expect(await readAlerts(greedy)).toEqual([])
    await write('cdrs', greedy, 1)
    await expect.poll(() => readAlerts(greedy)).toEqual([warning])
    await write('cdrs', greedy, 1)
    await write('cdrs', greedy, 100)
    await write('cdrs', greedy, 100)
    await expect.poll(() => readAlerts(greedy)).toEqual([reached, warning])
    expect(await countCalls(greedy)).toBe(10)

    await write('cdrs', other, 5)
    expect([await countCalls(other), await readAlerts(other)]).toEqual([5, []])
    // Alerts have a separate quota.
    await write('alerts', greedy, 3)
    await expect.poll(() => readAlerts(greedy)).toHaveLength(5)
  })

  test('is counted across a restart, and again from zero on the next day', async () => {
    const account_sid = await api.account(provider)
    await writer(createTestQuotas(10))('cdrs', account_sid, 6)
    await writer(createTestQuotas(10))('cdrs', account_sid, 6)
    expect(await countCalls(account_sid)).toBe(10)
    await writer(createTestQuotas(10, () => today + dayMs))('cdrs', account_sid, 6)
    expect(await countCalls(account_sid)).toBe(16)
    // After the clock was set back, the quota of the earlier day applies.
    await writer(createTestQuotas(10))('cdrs', account_sid, 6)
    expect(await countCalls(account_sid)).toBe(16)
  })

  test('is limited over all processes together', async () => {
    const account_sid = await api.account(provider)
    const processes = Array.from({ length: 4 }, () => createTestQuotas(100))
    const admitted = await Promise.all(
      processes.flatMap((quotas) => Array.from({ length: 10 }, () => quotas.admit('calls', account_sid, 7))),
    )
    expect(admitted.reduce((sum, count) => sum + count, 0)).toBe(100)
    await expect.poll(() => readAlerts(account_sid)).toEqual([reached, warning])
  })

  test('is unlimited with a quota of 0', async () => {
    expect(await createTestQuotas(0).admit('calls', randomUUID(), 1_000_000)).toBe(1_000_000)
  })

  test('usage rows of past days are deleted', async () => {
    const account_sid = await api.account(provider)
    await createTestQuotas(10, () => today - 30 * dayMs).admit('calls', account_sid, 5)
    await createTestQuotas(10).admit('calls', account_sid, 5)
    const rows = await api.test.database.db
      .selectFrom('patchbay_account_usage')
      .select('day')
      .where('account_sid', '=', account_sid)
      .execute()
    expect(rows).toEqual([{ day: today / dayMs - 0.5 }])
  })

  test('includes spans and log lines that name their account', async () => {
    const account_sid = await api.account(provider)
    const quotas = createTestQuotas(3)
    const call_sid = randomUUID()
    const { logs, traces: storedTraces } = api.services
    if (logs === undefined) throw new Error('the store has log lines')
    const line = (nth: number, more: object = {}) => ({
      call_id: call_sid,
      text: JSON.stringify({ level: 30, time: 1_700_000_000_000 + nth, callSid: call_sid, ...more }),
    })
    await limitedLogs(api.sinks.logs, quotas).store(
      [1, 2, 3, 4, 5].map((nth) => line(nth, { accountSid: account_sid })),
    )
    await limitedLogs(api.sinks.logs, quotas).store([line(6)])
    const call = { call_sid, sip_callid: null } as unknown as Parameters<typeof logs.read>[0]
    expect(await logs.read(call)).toHaveLength(4)

    const traces = limitedTraces(api.sinks.traces, quotas)
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
    const isStored = await Promise.all(
      delivered.map(async ([trace_id]) => (await storedTraces.read(trace_id)) !== undefined),
    )
    expect(isStored).toEqual([true, true, true, false])
  })
})

describe('recordings', () => {
  const getFolder = (account_sid: string) => join(api.services.configuration.dataDir, 'recordings', account_sid)
  const readSizes = async (account_sid: string): Promise<number[]> => {
    const names = await readdir(getFolder(account_sid), { recursive: true }).catch(() => [])
    const files = names.filter((name) => name.endsWith('.wav'))
    return Promise.all(files.map(async (name) => (await stat(join(getFolder(account_sid), name))).size))
  }

  test('are rejected over the quota of the account, and the recording that reaches it is stored up to that point', async () => {
    const url = (await api.app.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws')
    const account = () => api.account(provider, { record_format: 'wav' })
    const [greedy, other] = [await account(), await account()]
    const reason = 'the account has used up its quota for recordings'
    const call = await startRecording({ url, account_sid: greedy })
    call.say(tones([440, 1000], 60)).catch(() => {})
    expect(await call.closed).toEqual([1008, reason])
    const [size = 0] = await readSizes(greedy)
    expect(size).toBeGreaterThanOrEqual(1024 ** 2)
    expect(size).toBeLessThan(2 * 1024 ** 2)
    await expect.poll(() => readAlerts(greedy)).toEqual([reached])

    const next = await startRecording({ url, account_sid: greedy })
    expect(await next.closed).toEqual([1008, reason])
    expect(await readSizes(greedy)).toEqual([size])

    const unaffected = await startRecording({ url, account_sid: other })
    await unaffected.say(tones([440, 1000], 1))
    await unaffected.hangUp()
    await expect.poll(() => readSizes(other)).toHaveLength(1)
    expect(await readAlerts(other)).toEqual([])
  })

  test('are measured on disk, so that removed ones free quota', async () => {
    const account_sid = await api.account(provider)
    const { dataDir } = api.services.configuration
    const day = join(getFolder(account_sid), '2026/05/01')
    await mkdir(day, { recursive: true })
    await writeFile(join(day, 'a.wav'), Buffer.alloc(600))
    let clock = 0
    const quota = createRecordingQuota(dataDir, 1000, createTestQuotas(0), () => clock)
    const first = await quota.begin(account_sid)
    const second = await quota.begin(account_sid)
    // Two concurrent recordings share the remaining quota.
    expect([first?.grow(200), second?.grow(100), second?.grow(250)]).toEqual([true, true, false])
    await second?.end()
    await expect.poll(() => readAlerts(account_sid)).toEqual([reached])
    expect(await quota.begin(account_sid)).toBeUndefined()
    await rm(join(day, 'a.wav'))
    clock += 60_000
    await first?.end()
    expect(await quota.begin(account_sid)).toBeDefined()
  })

  test('cause an alert at 80 % once a day', async () => {
    const account_sid = await api.account(provider)
    for (const bytes of [799, 800, 810]) await createTestQuotas(0).noteRecordings(account_sid, bytes)
    await expect.poll(() => readAlerts(account_sid)).toEqual([warning])
    await createTestQuotas(0, () => today + dayMs).noteRecordings(account_sid, 820)
    await expect.poll(() => readAlerts(account_sid)).toEqual([warning, warning])
  })
})
