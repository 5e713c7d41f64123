import { randomUUID } from 'node:crypto'
import { deflateSync, gzipSync } from 'node:zlib'
import type { ReceivedMessage } from '@patchbay/server/call-data/captures/captures'
import { createHomerCaptures } from '@patchbay/server/call-data/captures/homer-captures'
import { createSqlCaptures } from '@patchbay/server/call-data/captures/sql-captures'
import { createHepIntake, type HepIntake } from '@patchbay/server/call-data/ingest/hep-ingest'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { startFakeHomer } from '@patchbay/testkit/fakes/homer'
import { type Agent, type CapturedDatagram, hepAgent, hepPacket, toHepPacket } from '@patchbay/testkit/peers/hep'
import { sipSession } from '@patchbay/testkit/peers/sipp'
import { readPcap } from '@patchbay/testkit/peers/tshark'
import { isClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callRecord, getRow, type Row, seenMessage, statusAndMessage } from './fixtures.ts'

/** SIP captures, from traffic between two SIP agents to the API response, with access control. */

let api: TestApi
let intake: HepIntake
let agent: Agent
let service_provider_sid: string

beforeAll(async () => {
  api = await createTestApi()
  service_provider_sid = await api.provider()
  intake = createHepIntake({ sink: api.sinks.captures, logger: api.app.log })
  agent = hepAgent(await intake.listen({ host: '127.0.0.1', port: 0 }))
})
afterAll(async () => {
  agent.stop()
  await intake.close(5000)
  await api.close()
})

const below = (owner: string, sip_callid: string, more = '') =>
  `${owner}/RecentCalls/${encodeURIComponent(sip_callid)}${more}`
const ofAccount = (account_sid: string) => `/Accounts/${account_sid}`
const ofProvider = (sid: string) => `/ServiceProviders/${sid}`

const readCapture = async (owner: string, sip_callid: string): Promise<Row> => {
  const answer = await api.admin.get(below(owner, sip_callid))
  expect(answer.status).toBe(200)
  return getRow(answer)
}
const readTotal = async (owner: string, sip_callid: string) => (await readCapture(owner, sip_callid))['total']
const messagesIn = (capture: Row): Row[] => (capture['data'] as { messages: Row[] }).messages

const pcapAt = (owner: string, sip_callid: string, method = 'invite') =>
  api.app.inject({
    url: `/v1${below(owner, sip_callid, `/${method}/pcap`)}`,
    headers: { authorization: `Bearer ${api.admin.token}` },
  })

const storeCall = (account_sid: string, more: object) =>
  api.sinks.calls.store([callRecord(account_sid, { service_provider_sid, ...more })])
const storeMessages = (...messages: ReceivedMessage[]) => api.sinks.captures.store(messages)

const newAccount = () => api.account(service_provider_sid)

/** Creates a carrier with the registration status that jambonz's registrar stores. */
const registeredCarrier = async (callId: string, owner: { account_sid?: string } = {}) => {
  const response = await api.admin.post(`${ofProvider(service_provider_sid)}/VoipCarriers`, {
    name: randomUUID(),
    ...owner,
  })
  const register_status = JSON.stringify({ status: 'ok', reason: '200 OK', cseq: '1 REGISTER', callId, expires: 3600 })
  await api.test.database.db
    .updateTable('voip_carriers')
    .set({ register_status })
    .where('voip_carrier_sid', '=', member(response, 'sid'))
    .execute()
}

/** Resolves when this many packets have been received and processed. */
const dealtWith = async (count: () => number, minScope: number): Promise<void> => {
  await expect.poll(count).toBeGreaterThanOrEqual(minScope)
}
const done = () => {
  const { received: _received, ...fates } = intake.counts()
  return Object.values(fates).reduce((sum, count) => sum + count, 0)
}
const send = async (...packets: Buffer[]) => {
  const before = done()
  for (const packet of packets) await agent.send(packet)
  await dealtWith(done, before + packets.length)
}

const seen = (payload: string | Buffer, more: Partial<CapturedDatagram> = {}): CapturedDatagram => ({
  source: '3.3.3.3',
  sourcePort: 5060,
  destination: '10.0.0.5',
  destinationPort: 5070,
  payload: Buffer.from(payload),
  at: 1_700_000_000_123_456,
  ...more,
})
const createSipText = (sip_callid: string, more: Partial<ReceivedMessage> = {}) =>
  Buffer.from(seenMessage(sip_callid, more).content).toString()

/** Reads a pcap file with TShark. */
const asRead = (datagrams: readonly CapturedDatagram[], callid: string) =>
  datagrams.map(({ source, sourcePort, destination, destinationPort, payload, at = 0 }) => ({
    time: `${Math.floor(at / 1_000_000)}.${String(at % 1_000_000).padStart(6, '0')}000`,
    source,
    sourcePort,
    destination,
    destinationPort,
    what: /^SIP\/2\.0 (\d+)/.exec(payload.toString())?.[1] ?? payload.toString().split(' ')[0],
    callid,
    layers: expect.stringContaining(source.includes(':') ? 'eth:ethertype:ipv6:udp:sip' : 'eth:ethertype:ip:udp:sip'),
    faults: '',
  }))

const listPorts = (datagrams: readonly CapturedDatagram[]) => [
  ...new Set(datagrams.map(({ sourcePort }) => sourcePort)),
]

describe('traffic between SIPp instances, as a capture agent reports it', () => {
  const hosts = ['127.0.0.1', '::1']

  test.each(hosts)('API-055 the pcap of a call over %s is read packet by packet by TShark', async (host) => {
    const callid = `${randomUUID()}@${host}`
    const datagrams = await sipSession('call', { host, callid }, (packet) => agent.send(packet))
    const account_sid = await newAccount()
    await storeCall(account_sid, { sip_callid: callid, time: BigInt(Date.now()) * 1_000_000n })
    await expect.poll(() => readTotal(ofAccount(account_sid), callid)).toBe(datagrams.length)

    const answer = await pcapAt(ofAccount(account_sid), callid)
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/octet-stream'])
    const packets = await readPcap(answer.rawPayload, listPorts(datagrams))
    expect(packets).toEqual(asRead(datagrams, callid))
    expect(new Set(packets.map(({ what }) => what))).toEqual(new Set(['INVITE', '180', '200', 'ACK', 'BYE']))
    expect((await pcapAt(ofAccount(account_sid), callid, 'register')).statusCode).toBe(404)
  })

  test.each(hosts)('API-056 a registration over %s is found by tenants that may use the carrier', async (host) => {
    const callid = `${randomUUID()}@${host}`
    const datagrams = await sipSession('registration', { host, callid }, (packet) => agent.send(packet))
    const account_sid = await newAccount()
    await registeredCarrier(callid, { account_sid })
    await expect.poll(() => readTotal(ofAccount(account_sid), callid)).toBe(datagrams.length)
    expect(await readTotal(ofProvider(service_provider_sid), callid)).toBe(datagrams.length)
    for (const owner of [ofAccount(account_sid), ofProvider(service_provider_sid)]) {
      const file = (await pcapAt(owner, callid, 'register')).rawPayload
      expect(await readPcap(file, listPorts(datagrams))).toEqual(asRead(datagrams, callid))
      expect((await pcapAt(owner, callid, 'invite')).statusCode).toBe(404)
    }
  })
})

describe('a capture response', () => {
  test('has the format of Homer', async () => {
    const account_sid = await newAccount()
    const sip_callid = randomUUID()
    await storeCall(account_sid, { sip_callid })
    const [caller, desk] = [
      { address: '3.3.3.3', port: 5060 },
      { address: '2001:db8::5', port: 5070 },
    ]
    const content = Buffer.from(createSipText(sip_callid).replace(/^.*/, 'SIP/2.0 180 Ringing'))
    await storeMessages(
      seenMessage(sip_callid, { source: desk, destination: caller, at: 1_700_000_000_500_001, content }),
      seenMessage(sip_callid, { source: caller, destination: desk }),
    )
    const capture = await readCapture(ofAccount(account_sid), sip_callid)
    expect(capture).toMatchObject({
      total: 2,
      data: {
        hosts: {
          '3.3.3.3:5060': { host: ['3.3.3.3:5060'], position: 0 },
          '2001:db8::5:5070': { host: ['2001:db8::5:5070'], position: 1 },
        },
        alias: { '3.3.3.3:5060': '3.3.3.3:5060' },
        calldata: [
          { id: 1, srcId: '3.3.3.3:5060', dstId: '2001:db8::5:5070', method: 'INVITE', method_text: 'INVITE' },
          { id: 2, method: '180', method_text: '180 Ringing', ruri_user: content.toString().slice(0, 50) },
        ],
      },
    })
    expect(messagesIn(capture)).toEqual([
      {
        id: 1,
        sid: sip_callid,
        callid: sip_callid,
        create_date: 1_700_000_000_123,
        micro_ts: 1_700_000_000_123_456,
        srcIp: '3.3.3.3',
        srcPort: 5060,
        dstIp: '2001:db8::5',
        dstPort: 5070,
        protocol: 17,
        payloadType: 1,
        method: 'INVITE',
        from_user: '15083728299',
        to_user: '15083084809',
        raw: createSipText(sip_callid),
      },
      expect.objectContaining({ id: 2, method: '180', micro_ts: 1_700_000_000_500_001 }),
    ])
    expect(capture['keys']).toEqual(Object.keys(messagesIn(capture)[0] ?? {}))
  })

  test('is an empty list if nothing was captured', async () => {
    const account_sid = await newAccount()
    const sip_callid = randomUUID()
    await storeCall(account_sid, { sip_callid })
    expect(await readCapture(ofAccount(account_sid), sip_callid)).toMatchObject({ total: 0, data: { messages: [] } })
    expect((await pcapAt(ofAccount(account_sid), sip_callid)).statusCode).toBe(404)
  })

  test.each([
    'a84b4c76e66710@10.0.0.5',
    'one/two/three?four=five&six#seven',
    'half%20coded%2F100%',
    'trace',
    `"quoted"<angle>{curly}[square]\\~`,
    "'; DROP TABLE patchbay_sip_messages; --".replaceAll(' ', '+'),
    `long-${'x'.repeat(250)}`,
  ])('supports a Call-ID such as %s', async (odd) => {
    const account_sid = await newAccount()
    await storeCall(account_sid, { sip_callid: odd })
    await send(hepPacket(seen(createSipText(odd))))
    expect(await readTotal(ofAccount(account_sid), odd)).toBe(1)
    const answer = await pcapAt(ofAccount(account_sid), odd)
    expect(answer.rawPayload.toString('latin1')).toContain(`Call-ID: ${odd}\r\n`)
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename=callid-[\w.@+-]+\.pcap$/)
  })

  test('names the file by an unchanged plain Call-ID', async () => {
    const account_sid = await newAccount()
    const sip_callid = `${randomUUID()}@10.0.0.5`
    await storeCall(account_sid, { sip_callid })
    await storeMessages(seenMessage(sip_callid))
    const { headers } = await pcapAt(ofAccount(account_sid), sip_callid)
    expect(headers['content-disposition']).toBe(`attachment; filename=callid-${sip_callid}.pcap`)
  })

  test('contains at most the first 2,000 messages of a call', async () => {
    const account_sid = await newAccount()
    const sip_callid = randomUUID()
    await storeCall(account_sid, { sip_callid })
    await storeMessages(
      ...Array.from({ length: 2100 }, (_, n) => seenMessage(sip_callid, { at: 1_700_000_000_000_000 + n })),
    )
    expect(await readCapture(ofAccount(account_sid), sip_callid)).toMatchObject({
      total: 2000,
      is_cut: true,
      cut_at: 'end',
    })
    const { rawPayload } = await pcapAt(ofAccount(account_sid), sip_callid)
    expect(await readPcap(rawPayload, [5060])).toHaveLength(2000)
  })

  test('contains at most the newest 2,000 messages of a registration, ordered by time', async () => {
    const account_sid = await newAccount()
    const sip_callid = randomUUID()
    await registeredCarrier(sip_callid, { account_sid })
    const begin = 1_700_000_000_000_000
    // Two of them at each time, so that pages end amid those of one.
    const refreshed = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) =>
        seenMessage(sip_callid, {
          method: 'REGISTER',
          at: begin + Math.floor((from + n) / 2),
          content: Buffer.from(createSipText(sip_callid, { method: 'REGISTER' }).replace('314159', String(from + n))),
        }),
      )
    await storeMessages(...refreshed(0, 2000))
    const whole = await readCapture(ofAccount(account_sid), sip_callid)
    expect([whole['total'], whole['is_cut'], whole['cut_at']]).toEqual([2000, undefined, undefined])

    await storeMessages(...refreshed(2000, 2101))
    const cut = await readCapture(ofAccount(account_sid), sip_callid)
    expect(cut).toMatchObject({ total: 2000, is_cut: true, cut_at: 'beginning' })
    const times = messagesIn(cut).map(({ micro_ts }) => Number(micro_ts))
    expect(times).toEqual(times.toSorted((one, other) => one - other))
    expect([times[0], times.at(-1)]).toEqual([begin + 50, begin + 1050])
    expect(new Set(messagesIn(cut).map(({ raw }) => raw)).size).toBe(2000)

    const { rawPayload } = await pcapAt(ofAccount(account_sid), sip_callid, 'register')
    const packets = await readPcap(rawPayload, [5060])
    expect([packets.length, packets.at(-1)?.time]).toEqual([2000, '1700000000.001050000'])
  })

  test('is limited to some megabytes', async () => {
    const account_sid = await newAccount()
    const sip_callid = randomUUID()
    await storeCall(account_sid, { sip_callid })
    const content = Buffer.concat([Buffer.from(createSipText(sip_callid)), Buffer.alloc(64_000, 'x')])
    const messages = Array.from({ length: 300 }, (_, n) =>
      seenMessage(sip_callid, { at: 1_700_000_000_000_000 + n, content }),
    )
    for (let from = 0; from < 300; from += 50) await storeMessages(...messages.slice(from, from + 50))
    expect(await readTotal(ofAccount(account_sid), sip_callid)).toBe(200)
  })

  test.skipIf(isClickHouse)('is deleted with the other call data', async () => {
    const account_sid = await newAccount()
    const [old, fresh] = [randomUUID(), randomUUID()]
    for (const sip_callid of [old, fresh])
      await storeCall(account_sid, { sip_callid, time: 2_000_000_000_000_000_000n })
    const at = 2_000_000_000_000_000
    await createSqlCaptures(api.test.database, () => 1000).store([seenMessage(old, { at })])
    await storeMessages(seenMessage(fresh, { at }))
    await removeBefore(api.test.database, 'calls', 2000)
    const totals = await Promise.all([old, fresh].map((sip_callid) => readTotal(ofAccount(account_sid), sip_callid)))
    expect(totals).toEqual([0, 1])
  })
})

describe('access to a capture', () => {
  const none = { total: 0, data: { messages: [], calldata: [], hosts: {}, alias: {} } }

  /** Checks that a capture cannot be distinguished from an unknown one. */
  const expectHidden = async (owner: string, sip_callid: string) => {
    expect(await readCapture(owner, sip_callid)).toMatchObject(none)
    expect(await readCapture(owner, sip_callid)).toEqual(await readCapture(owner, randomUUID()))
    for (const method of ['invite', 'register']) {
      const answer = await api.admin.get(below(owner, sip_callid, `/${method}/pcap`))
      expect(statusAndMessage(answer)).toEqual([404, 'Not Found'])
      expect(answer.text).toBe((await api.admin.get(below(owner, randomUUID(), `/${method}/pcap`))).text)
    }
  }

  test('depends on the call record, and other tenants see nothing', async () => {
    const [account_sid, sibling, otherProvider] = [await newAccount(), await newAccount(), await api.provider()]
    const sip_callid = randomUUID()
    await storeMessages(seenMessage(sip_callid))
    await storeCall(account_sid, { sip_callid })
    expect(await readTotal(ofAccount(account_sid), sip_callid)).toBe(1)
    expect(await readTotal(ofProvider(service_provider_sid), sip_callid)).toBe(1)
    await expectHidden(ofAccount(sibling), sip_callid)
    await expectHidden(ofProvider(otherProvider), sip_callid)
    await expectHidden(ofAccount(account_sid), sip_callid.toUpperCase())
  })

  test('includes calls from which an own call was created', async () => {
    const [account_sid, sibling] = [await newAccount(), await newAccount()]
    const parent = randomUUID()
    await storeMessages(seenMessage(parent))
    await storeCall(account_sid, { sip_callid: randomUUID(), sip_parent_callid: parent })
    expect(await readTotal(ofAccount(account_sid), parent)).toBe(1)
    await expectHidden(ofAccount(sibling), parent)
  })

  test('API-056 includes registrations of carriers that the tenant may use', async () => {
    const [account_sid, sibling, otherProvider] = [await newAccount(), await newAccount(), await api.provider()]
    const [own, shared, unknown] = [`${randomUUID()}@[::1]`, `"${randomUUID()}"\\`, randomUUID()]
    await storeMessages(...[own, shared, unknown].map((id) => seenMessage(id, { method: 'REGISTER' })))
    await registeredCarrier(own, { account_sid })
    await registeredCarrier(shared)
    for (const owner of [ofAccount(account_sid), ofProvider(service_provider_sid)])
      for (const sip_callid of [own, shared]) expect(await readTotal(owner, sip_callid)).toBe(1)
    expect(await readTotal(ofAccount(sibling), shared)).toBe(1)
    await expectHidden(ofAccount(sibling), own)
    for (const sip_callid of [own, shared]) {
      await expectHidden(ofProvider(otherProvider), sip_callid)
      await expectHidden(ofAccount(await api.account(otherProvider)), sip_callid)
    }
    await expectHidden(ofProvider(service_provider_sid), unknown)
    await expectHidden(ofAccount(account_sid), own.slice(1))
  })

  test('rejects an invalid Call-ID, and there are two kinds of pcap', async () => {
    const account_sid = await newAccount()
    const sip_callid = randomUUID()
    await storeMessages(seenMessage(sip_callid))
    await storeCall(account_sid, { sip_callid })
    for (const odd of [`${sip_callid} `, 'ä', '\u0000', 'x'.repeat(290)])
      await expectHidden(ofAccount(account_sid), odd)
    for (const method of ['options', 'constructor', '%00', 'invite%2Fpcap'])
      expect((await api.admin.get(`${below(ofAccount(account_sid), sip_callid)}/${method}/pcap`)).status).toBe(404)
    expect((await pcapAt(ofAccount(account_sid), sip_callid, 'INVITE')).statusCode).toBe(200)
  })
})

describe('the ingest server', () => {
  const stored = async (sip_callid: string): Promise<number> => (await api.services.captures.read(sip_callid)).total

  test('stores a repeated packet once, and a retransmission twice', async () => {
    const sip_callid = randomUUID()
    const packet = hepPacket(seen(createSipText(sip_callid)))
    const before = intake.counts()
    await send(packet, packet, hepPacket(seen(createSipText(sip_callid), { at: 1_700_000_000_623_456 })))
    await send(packet)
    expect(await stored(sip_callid)).toBe(2)
    const { stored: all, repeated } = intake.counts()
    expect([all - before.stored, repeated - before.repeated]).toEqual([2, 2])
  })

  test('accepts compressed packets and packets of maximum size', async () => {
    const [deflated, gzipped, large] = [randomUUID(), randomUUID(), randomUUID()]
    const whole = Buffer.concat([Buffer.from(createSipText(large)), Buffer.alloc(64_000, 'x')])
    await send(
      hepPacket(seen(deflateSync(createSipText(deflated)), { isCompressed: true })),
      hepPacket(seen(gzipSync(createSipText(gzipped)), { isCompressed: true })),
      hepPacket(seen(whole)),
    )
    expect(await Promise.all([deflated, gzipped, large].map(stored))).toEqual([1, 1, 1])
  })

  test('counts packets that it cannot store', async () => {
    const sip_callid = randomUUID()
    const text = createSipText(sip_callid)
    const before = intake.counts()
    await send(
      hepPacket(seen(createSipText(sip_callid, { method: 'OPTIONS' }))),
      hepPacket(seen(text, { type: 5 })),
      hepPacket(seen('\r\n\r\n')),
      hepPacket(seen(text.replace(/^Call-ID.*\r\n/m, ''))),
      hepPacket(seen(Buffer.alloc(1000, 0))),
      hepPacket(seen(text)).subarray(0, 100),
      toHepPacket([]),
      Buffer.from('nonsense'),
      Buffer.alloc(0),
      hepPacket(seen('no zlib', { isCompressed: true })),
      hepPacket(seen(deflateSync(Buffer.alloc(1_000_000, 'x')), { isCompressed: true })),
    )
    const { ignored, otherProtocol, withoutCallId, withoutAddress, unreadable } = intake.counts()
    expect({
      ignored: ignored - before.ignored,
      otherProtocol: otherProtocol - before.otherProtocol,
      withoutCallId: withoutCallId - before.withoutCallId,
      withoutAddress: withoutAddress - before.withoutAddress,
      unreadable: unreadable - before.unreadable,
    }).toEqual({ ignored: 1, otherProtocol: 1, withoutCallId: 3, withoutAddress: 1, unreadable: 5 })
    expect(await stored(sip_callid)).toBe(0)
  })

  test('accepts only packets with its key, if it has one', async () => {
    const guarded = createHepIntake({ sink: api.sinks.captures, logger: api.app.log, key: 'secret' })
    const outside = hepAgent(await guarded.listen({ host: '127.0.0.1', port: 0 }))
    const keys = [{}, { key: '' }, { key: 'wrong' }, { key: 'secret' }]
    const ids = keys.map(() => randomUUID())
    for (const [at, key] of keys.entries()) await outside.send(hepPacket(seen(createSipText(ids[at] ?? ''), key)))
    await dealtWith(() => guarded.counts().stored, 1)
    expect(guarded.counts()).toMatchObject({ received: 4, rejected: 3 })
    expect(await Promise.all(ids.map(stored))).toEqual([0, 0, 0, 1])
    outside.stop()
    await guarded.close(5000)
  })

  test('limits its queue while the database fails, retries, and stores the rest on close', async () => {
    const storedMessages: ReceivedMessage[] = []
    let isAway = true
    const store = async (messages: readonly ReceivedMessage[]) => {
      if (isAway) throw new Error('away')
      storedMessages.push(...messages)
      return messages.length
    }
    const full = createHepIntake({ sink: { store }, logger: api.app.log, maxPending: 5, maxAttempts: 2 })
    const outside = hepAgent(await full.listen({ host: '127.0.0.1', port: 0 }))
    const sendSome = async (count: number) => {
      const { received } = full.counts()
      for (let n = 0; n < count; n += 1) await outside.send(hepPacket(seen(createSipText(randomUUID()))))
      await dealtWith(() => full.counts().received, received + count)
    }
    await sendSome(8)
    expect(full.counts().dropped).toBe(3)
    await dealtWith(() => full.counts().lost, 5)
    isAway = false
    await sendSome(4)
    outside.stop()
    await full.close(5000)
    expect(full.counts()).toMatchObject({ received: 12, stored: 4, dropped: 3, lost: 5 })
    expect(storedMessages).toHaveLength(4)
  })
})

test('Homer is queried only for callers that own the call', async () => {
  const homer = await startFakeHomer()
  const sip_callid = randomUUID()
  const own = await createTestApi({}, undefined, { captures: createHomerCaptures(homer.address) })
  const account_sid = await own.account(await own.provider())
  await own.sinks.calls.store([callRecord(account_sid, { sip_callid })])
  const sibling = await own.account(await own.provider())
  homer.capture = { ...homer.capture, total: 1 }
  const hidden = await own.admin.get(below(ofAccount(sibling), sip_callid))
  expect([hidden.status, getRow(hidden)['total'], homer.requests]).toEqual([200, 0, []])
  expect(getRow(await own.admin.get(below(ofAccount(account_sid), sip_callid)))['total']).toBe(1)
  await own.close()
  await homer.stop()
})
