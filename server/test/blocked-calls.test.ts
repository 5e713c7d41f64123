import { randomUUID } from 'node:crypto'
import type { Alert } from '@patchbay/contract/alerts'
import type { CallQuality } from '@patchbay/contract/call-quality'
import { dayMs, hourMs, minuteMs } from '@patchbay/contract/shared/durations'
import { lastDays } from '@patchbay/rules/calls/call-quality'
import { createSink } from '@patchbay/server/app/ingest'
import { createHepIntake, type HepIntake } from '@patchbay/server/call-data/ingest/hep-ingest'
import { createInfluxIntake } from '@patchbay/server/call-data/ingest/influx-ingest'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { createMarkCount } from '@patchbay/server/jobs/count-sip-marks'
import { createBlockWatch } from '@patchbay/server/jobs/watch-blocked-numbers'
import { type Agent, hepAgent, hepPacket } from '@patchbay/testkit/peers/hep'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { getRow } from './fixtures.ts'

/** Blocked calls and claimed identities: from captured SIP and call records through the intakes to call quality and alerts. */

let api: TestApi
let hep: HepIntake
let agent: Agent
let influx: FastifyInstance
let port: number

beforeAll(async () => {
  api = await createTestApi()
  hep = createHepIntake({ sink: api.sinks.captures, logger: api.app.log })
  agent = hepAgent(await hep.listen({ host: '127.0.0.1', port: 0 }))
  influx = createInfluxIntake({ sink: createSink(api.sinks), logger: api.app.log })
  port = Number(new URL(await influx.listen({ host: '127.0.0.1', port: 0 })).port)
})
afterAll(async () => {
  agent.stop()
  await hep.close(5000)
  await influx.close()
  await api.close()
})

interface Tenant {
  account_sid: string
  service_provider_sid: string
}

const createTenant = async (): Promise<Tenant> => {
  const service_provider_sid = await api.provider()
  return { service_provider_sid, account_sid: await api.account(service_provider_sid) }
}

/** A call of an account, as its record and its captured SIP describe it. */
interface Case {
  sip_callid: string
  call_sid: string
  at: number
  from: string
  trunk: string
  direction: string
  answered: boolean
  sip_status: number
}

const createCase = (more: Partial<Case> = {}): Case => ({
  sip_callid: randomUUID(),
  call_sid: randomUUID(),
  at: Date.now(),
  from: '+15083728299',
  trunk: 'north',
  direction: 'outbound',
  answered: false,
  sip_status: 603,
  ...more,
})

const sendRecords = async ({ account_sid, service_provider_sid }: Tenant, ...cases: Case[]): Promise<void> => {
  const lines = cases.map(
    ({ trunk, direction, answered, call_sid, from, sip_callid, sip_status, at }) =>
      `cdrs,service_provider_sid=${service_provider_sid},account_sid=${account_sid},host=10.0.0.9,trunk=${trunk},` +
      `direction=${direction},answered=${answered} call_sid="${call_sid}",duration=0,from="${from}",to="15085550002",` +
      `sip_callid="${sip_callid}",sip_status=${sip_status} ${at}000000`,
  )
  const answer = await fetch(`http://127.0.0.1:${port}/write?db=cdrs&precision=n`, {
    method: 'POST',
    body: lines.join('\n'),
  })
  expect(answer.status).toBe(204)
}

const countHandled = (): number => {
  const { received: _received, ...outcomes } = hep.counts()
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0)
}

interface Captured {
  start: string
  headers?: readonly string[]
  /** Milliseconds after the attempt. */
  after?: number
  cseq?: number
  toTag?: boolean
}

const sendSip = async ({ sip_callid, at }: Case, ...messages: Captured[]): Promise<void> => {
  const before = countHandled()
  for (const { start, headers = [], after = 0, cseq = 1, toTag = start.startsWith('SIP/') } of messages) {
    const lines = [
      start,
      `Via: SIP/2.0/UDP 10.0.0.5:5060;branch=z9hG4bK${cseq}`,
      'From: <sip:+15083728299@10.0.0.5>;tag=a',
      `To: <sip:15085550002@3.3.3.3>${toTag ? ';tag=b' : ''}`,
      `Call-ID: ${sip_callid}`,
      `CSeq: ${cseq} INVITE`,
      ...headers,
      'Content-Length: 0',
    ]
    await agent.send(
      hepPacket({
        at: (at + after) * 1000,
        source: '10.0.0.5',
        sourcePort: 5060,
        destination: '3.3.3.3',
        destinationPort: 5060,
        payload: Buffer.from(`${lines.join('\r\n')}\r\n\r\n`),
      }),
    )
  }
  await vi.waitUntil(() => countHandled() >= before + messages.length, 30_000)
}

const invite = 'INVITE sip:15085550002@3.3.3.3 SIP/2.0'
const details =
  'Reason: SIP;cause=603;text="v=analytics1;url=https://blocks.example/;tel=+15085550100;id=4711";location=RLN'
const networkBlocked: Captured = { start: 'SIP/2.0 603 Network Blocked', headers: [details], after: 900 }

const toToken = (payload: object, ppt = 'shaken'): string =>
  [{ alg: 'ES256', ppt, typ: 'passport', x5u: 'https://cert.example/a.pem' }, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat('c2lnbmF0dXJl')
    .join('.')

const identityHeader = (attest: string): string =>
  `Identity: ${toToken({ attest, orig: { tn: '15083728299' } })};info=<https://cert.example/a.pem>;alg=ES256;ppt=shaken`
const statedHeader = (result: string): string =>
  `P-Asserted-Identity: <sip:+15083728299;verstat=${result}@carrier.example>`

/** The jobs run at this time, even if they have just run. */
const getCounters = () => ({
  ...api.services.counters,
  read: () => Promise.resolve(0),
  increment: () => Promise.resolve(1),
})
const { calls, captures } = { calls: () => api.services.calls, captures: () => api.services.captures }
const createCount = (now: number) =>
  createMarkCount(
    { database: api.test.database, calls: calls(), captures: captures(), counters: getCounters() },
    () => now,
  )
const countMarks = (now = Date.now() + 2 * minuteMs): Promise<void> => createCount(now)()
const watch = (now = Date.now()): Promise<void> =>
  createBlockWatch({ database: api.test.database, counters: getCounters() }, () => now)()

const readQuality = async (path: string, more = ''): Promise<CallQuality> => {
  const { from, until } = lastDays(2)
  return getRow(
    await api.admin.get(`/patchbay/${path}/call-quality?from=${from}&until=${until}${more}`),
  ) as unknown as CallQuality
}
const ofAccount = ({ account_sid }: Tenant, more = '') => readQuality(`accounts/${account_sid}`, more)
const ofProvider = ({ service_provider_sid }: Tenant) => readQuality(`service-providers/${service_provider_sid}`)

const readAlerts = async ({ account_sid }: Tenant): Promise<Alert[]> => {
  const answer = await api.admin.get(`/Accounts/${account_sid}/Alerts?page=1&count=100&days=3`)
  return getRow(answer)['data'] as Alert[]
}

describe('blocked calls', () => {
  test.each(['the SIP before the record', 'the record before the SIP'])(
    'count 603+ by day, carrier, direction, account, and calling number: %s',
    async (order) => {
      const tenant = await createTenant()
      const other = await createTenant()
      const [blocked, filtered, declined] = [
        createCase(),
        createCase({ trunk: 'south', sip_status: 608, from: '15083728299' }),
        createCase({ trunk: 'south' }),
      ]
      const records = () => sendRecords(tenant, blocked, filtered, declined)
      if (order === 'the record before the SIP') await records()
      await sendSip(blocked, { start: invite }, networkBlocked)
      await sendSip(declined, { start: invite }, { start: 'SIP/2.0 603 Decline', after: 900 })
      // Without the record, the job searches again later.
      await countMarks()
      const before = (await ofAccount(tenant)).total.blocked
      expect(before).toBe(order === 'the SIP before the record' ? 0 : 2)
      if (order === 'the SIP before the record') await records()
      await countMarks(Date.now() + 10 * minuteMs)
      const quality = await ofAccount(tenant)
      expect(quality).toMatchObject({ counts_sip: true, total: { attempts: 3, blocked: 2 } })
      expect(quality.days).toMatchObject([{ blocked: 2 }])
      expect(quality.directions).toMatchObject([{ direction: 'outbound', blocked: 2 }])
      expect(quality.trunks).toMatchObject([
        { trunk: 'south', blocked: 1 },
        { trunk: 'north', blocked: 1 },
      ])
      const numbers = [
        {
          number: '15083728299',
          calls: 2,
          analytics: 1,
          filtered: 1,
          unwanted: 0,
          last_at: new Date(Math.max(blocked.at, filtered.at)).toISOString(),
        },
      ]
      expect(quality.blocked_numbers).toEqual(numbers)
      expect(await ofProvider(tenant)).toMatchObject({
        blocked_numbers: numbers,
        accounts: [{ account_sid: tenant.account_sid, blocked: 2 }],
      })
      expect(await ofAccount(tenant, '&trunk=north')).toMatchObject({ total: { blocked: 1 } })
      expect(await ofAccount(tenant, '&direction=inbound')).toMatchObject({ blocked_numbers: [] })
      for (const foreign of [await ofAccount(other), await ofProvider(other)])
        expect(foreign).toMatchObject({ total: { blocked: 0 }, blocked_numbers: [] })
    },
  )

  test('are counted once, however often records, packets, and jobs are repeated', async () => {
    const tenant = await createTenant()
    const signed = { start: invite, headers: [identityHeader('A')] }
    const cases = Array.from({ length: 20 }, () => createCase({ from: '15085550077' }))
    for (const one of cases) await sendSip(one, signed, networkBlocked)
    const both = createCase({ from: '15085550077', sip_status: 608 })
    // A status that the record tells, with details that the SIP tells.
    await sendSip(both, signed, { start: 'SIP/2.0 608 Rejected', headers: [details], after: 900 })
    await sendRecords(tenant, ...cases, both)
    await sendRecords(tenant, ...cases, both)
    const now = Date.now() + 2 * minuteMs
    await Promise.all([createCount(now)(), createCount(now)()])
    // Another capture agent reports the same messages later.
    for (const one of cases) await sendSip({ ...one, at: one.at + 1 }, signed, networkBlocked)
    await countMarks(Date.now() + 10 * minuteMs)
    const quality = await ofAccount(tenant)
    expect(quality.total).toMatchObject({ attempts: 21, blocked: 21 })
    expect(quality.blocked_numbers).toMatchObject([{ calls: 21, analytics: 20, filtered: 1 }])
    expect(quality.identities).toMatchObject([{ calls: 21, level_a: 21 }])
  })

  test('are none if a later attempt decided, the call was answered, the status differs, or another tenant has the Call-ID', async () => {
    const [tenant, other] = [await createTenant(), await createTenant()]
    const declinedLater = createCase()
    await sendSip(
      declinedLater,
      { start: invite },
      networkBlocked,
      { start: invite, cseq: 2, after: 1000 },
      { start: 'SIP/2.0 603 Decline', cseq: 2, after: 1500 },
    )
    const answered = createCase({ answered: true, sip_status: 200 })
    const failedLater = createCase({ sip_status: 503 })
    const shared = createCase()
    const longBefore = createCase()
    for (const one of [answered, failedLater, shared]) await sendSip(one, { start: invite }, networkBlocked)
    await sendSip({ ...longBefore, at: longBefore.at - 5 * hourMs }, { start: invite }, networkBlocked)
    await sendRecords(tenant, declinedLater, answered, failedLater, shared, longBefore)
    await sendRecords(other, { ...shared, call_sid: randomUUID() })
    await countMarks()
    for (const owner of [tenant, other])
      expect(await ofAccount(owner)).toMatchObject({ total: { blocked: 0 }, blocked_numbers: [] })
  })

  test('list telephone numbers of outbound calls only, the most blocked first', async () => {
    const tenant = await createTenant()
    await sendRecords(
      tenant,
      createCase({ sip_status: 607, from: 'anonymous' }),
      createCase({ sip_status: 607, from: '15085550001', direction: 'inbound' }),
      createCase({ sip_status: 607, from: '0015085550002' }),
      createCase({ sip_status: 608, from: '+15085550003' }),
      createCase({ sip_status: 608, from: '+1 508 555 0003' }),
      // A national number keeps its 0. The digits without it are a number in Maine.
      createCase({ sip_status: 608, from: '02079460958' }),
    )
    const { blocked_numbers, total } = await ofAccount(tenant)
    expect(total.blocked).toBe(6)
    expect(blocked_numbers?.map(({ number, calls: count, unwanted }) => [number, count, unwanted])).toEqual([
      ['15085550003', 2, 0],
      ['02079460958', 1, 0],
      ['15085550002', 1, 1],
    ])
  })

  test('disappear with their account, and after the retention period', async () => {
    const [deleted, expired] = [await createTenant(), await createTenant()]
    const blocked = createCase()
    await sendSip(blocked, { start: invite, headers: [identityHeader('B')] }, networkBlocked)
    await sendRecords(deleted, blocked)
    await sendRecords(expired, createCase({ sip_status: 608 }))
    await countMarks()
    expect((await ofAccount(deleted)).identities).toHaveLength(1)
    const scope = { owner: 'account_sid', sid: deleted.account_sid, before: undefined, run: randomUUID() } as const
    for (const step of api.services.deletionSteps)
      for (let position: unknown; ; ) {
        ;({ position } = await step.run({ ...scope, skipsStorage: false }, position, new AbortController().signal))
        if (position === undefined) break
      }
    const countRows = async (table: 'patchbay_blocked_calls' | 'patchbay_identity_days', { account_sid }: Tenant) =>
      (await api.test.database.db.selectFrom(table).selectAll().where('account_sid', '=', account_sid).execute()).length
    expect(await countRows('patchbay_blocked_calls', deleted)).toBe(0)
    expect(await countRows('patchbay_identity_days', deleted)).toBe(0)
    const marks = await api.test.database.db
      .selectFrom('patchbay_sip_marks')
      .select('kind')
      .where('sip_callid', '=', blocked.sip_callid)
      .execute()
    expect(marks).toEqual([])
    expect(await countRows('patchbay_blocked_calls', expired)).toBe(1)
    await removeBefore(api.test.database, 'calls', Date.now() + dayMs)
    expect(await countRows('patchbay_blocked_calls', expired)).toBe(0)
  })
})

describe('identities', () => {
  test('count the claims of the first INVITE by carrier and direction', async () => {
    const tenant = await createTenant()
    const inbound = () => createCase({ direction: 'inbound', answered: true, sip_status: 200 })
    const sendCase = async (one: Case, ...headers: string[]) => {
      await sendSip(
        one,
        { start: invite, headers },
        { start: invite, headers: [identityHeader('C')], after: 5, toTag: true },
      )
      return one
    }
    await sendRecords(
      tenant,
      await sendCase(inbound(), identityHeader('A'), statedHeader('TN-Validation-Passed')),
      await sendCase(inbound(), `y: ${toToken({ dest: { tn: ['1'] } }, 'div')};ppt=div`, identityHeader('B')),
      await sendCase(inbound(), 'Identity: no.token.here'),
      await sendCase(inbound(), statedHeader('TN-Validation-Failed')),
      await sendCase(inbound()),
      await sendCase(createCase({ trunk: 'south' }), identityHeader('C')),
    )
    await countMarks()
    const none = { level_a: 0, level_b: 0, level_c: 0, no_level: 0, passed: 0, failed: 0 }
    expect((await ofAccount(tenant)).identities).toEqual([
      {
        ...none,
        trunk: 'north',
        direction: 'inbound',
        calls: 4,
        level_a: 1,
        level_b: 1,
        no_level: 1,
        passed: 1,
        failed: 1,
      },
      { ...none, trunk: 'south', direction: 'outbound', calls: 1, level_c: 1 },
    ])
    expect((await ofProvider(tenant)).identities).toHaveLength(2)
    expect((await ofAccount(tenant, '&trunk=south')).identities).toHaveLength(1)
    expect((await ofAccount(await createTenant())).identities).toEqual([])
  })

  test('are counted when the record of a long call arrives, unless it takes more than a day', async () => {
    const tenant = await createTenant()
    const [long, lost] = [createCase(), createCase()]
    for (const one of [long, lost]) await sendSip(one, { start: invite, headers: [identityHeader('A')] })
    const start = Date.now()
    for (const minutes of [2, 4, 8, 30, 100]) await countMarks(start + minutes * minuteMs)
    await sendRecords(tenant, long)
    await countMarks(start + 8 * hourMs)
    expect((await ofAccount(tenant)).identities).toMatchObject([{ calls: 1 }])
    await countMarks(start + 25 * hourMs)
    await sendRecords(tenant, lost)
    await countMarks(start + 26 * hourMs)
    expect((await ofAccount(tenant)).identities).toMatchObject([{ calls: 1 }])
  })
})

describe('the alert about a blocked calling number', () => {
  const storeBlocked = (tenant: Tenant, count: number, more: Partial<Case> = {}) =>
    sendRecords(tenant, ...Array.from({ length: count }, () => createCase({ sip_status: 608, ...more })))

  test('is raised once for the fifth blocked call in 24 hours, and says what to do', async () => {
    const [tenant, other] = [await createTenant(), await createTenant()]
    const now = Date.now()
    await storeBlocked(tenant, 4, { at: now - 25 * hourMs })
    await storeBlocked(tenant, 3)
    await storeBlocked(tenant, 1, { trunk: 'south', sip_status: 607 })
    await storeBlocked(other, 4)
    await watch(now)
    expect(await readAlerts(tenant)).toEqual([])
    await storeBlocked(tenant, 1, { trunk: 'south' })
    await Promise.all([watch(now), watch(now)])
    await watch(now + 23 * hourMs)
    const alerts = await readAlerts(tenant)
    expect(alerts).toMatchObject([
      {
        alert_type: 'calling-number-blocked',
        account_sid: tenant.account_sid,
        service_provider_sid: tenant.service_provider_sid,
        calling_number: '15083728299',
        blocked_calls: 5,
      },
    ])
    expect(alerts[0]?.message).toContain(
      '5 calls with the calling number 15083728299 were blocked in the last 24 hours: 4 by a filter (608), 1 as unwanted by ' +
        'the called side (607). Carriers: north, south. Do not repeat the calls at once, and do not switch the carrier',
    )
    expect(await readAlerts(other)).toEqual([])
    // A day later, only new blocks raise another one.
    await watch(now + 25 * hourMs)
    expect(await readAlerts(tenant)).toHaveLength(1)
    await storeBlocked(tenant, 5, { at: now + 24 * hourMs })
    await watch(now + 25 * hourMs)
    expect(await readAlerts(tenant)).toHaveLength(2)
  })

  test('is not raised for inbound calls, for callers without a number, and for more than 20 numbers', async () => {
    const tenant = await createTenant()
    await storeBlocked(tenant, 6, { direction: 'inbound' })
    await storeBlocked(tenant, 6, { from: 'anonymous' })
    await watch()
    expect(await readAlerts(tenant)).toEqual([])
    for (let number = 0; number < 22; number += 1) await storeBlocked(tenant, 5, { from: `150855510${10 + number}` })
    await watch()
    await watch()
    expect(await readAlerts(tenant)).toHaveLength(20)
  })
})
