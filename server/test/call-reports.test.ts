import { randomUUID } from 'node:crypto'
import type { SharedReport } from '@patchbay/contract/call-reports'
import type { CallShare } from '@patchbay/contract/call-shares'
import { parseIpAddress } from '@patchbay/rules/networks/ip-address'
import type { ReceivedMessage } from '@patchbay/server/call-data/captures/captures'
import {
  analyzeFlow,
  type CallFlow,
  ipProtocols,
  judgeFlow,
  readCallFlows,
  startOfFlows,
} from '@patchbay/testkit/calls/call-flows'
import { readPcap } from '@patchbay/testkit/peers/tshark'
import { type Answer, type Caller, member } from '@patchbay/testkit/test-api'
import { openTestWorld, signedIn } from '@patchbay/testkit/test-world'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { callRecord, getRow, getRows, readPage, seenMessage, statusAndMessage } from './fixtures.ts'

/** Reports about calls for people outside the tenant: files for users, and links. */

const { api, world } = await openTestWorld()
const { A, B, P, Q } = world.sid
const user = await signedIn(api, world.users['user of A'])
const viewer = await signedIn(api, world.users['view-only user of A'])
/** Keys do not expire when a test sets the clock forward. */
const adminKey = api.as(world.keys['admin key'].token)

afterEach(() => {
  vi.useRealTimers()
})

/** The UDP ports of SIP in these captures. */
const ports = [5060, 5070]

const maskedQuery = 'numbers=masked&addresses=all'
const unmaskedQuery = 'numbers=shown&addresses=shown'

interface StoredCall {
  account_sid: string
  call_sid: string
  sip_callid: string
}

const storeCall = async (messages: readonly Partial<ReceivedMessage>[], more: object = {}): Promise<StoredCall> => {
  const stored = { account_sid: A, call_sid: randomUUID(), sip_callid: randomUUID(), ...more }
  await api.sinks.captures.store(messages.map((message) => seenMessage(stored.sip_callid, message)))
  const { account_sid, ...rest } = stored
  await api.sinks.calls.store([callRecord(account_sid, { service_provider_sid: P, ...rest })])
  return stored
}

const toMessage = (lines: readonly string[]): Buffer => Buffer.from([...lines, '', ''].join('\r\n'))

const secretCall = () =>
  storeCall(
    [
      {
        content: toMessage([
          'INVITE sip:+15083084809@10.0.0.5 SIP/2.0',
          'Via: SIP/2.0/UDP 192.168.7.9:5060;branch=z9hG4bKa',
          'From: "Alice Example" <sip:15083728299@3.3.3.3>;tag=1',
          'To: <sip:15083084809@10.0.0.5>',
          'Call-ID: secret-call@192.168.7.9',
          'CSeq: 1 INVITE',
          'X-Api-Token: s3cret-token',
          'Proxy-Authorization: Digest username="15083728299", nonce="n0nce", response="5ecret-response"',
          'User-Agent: <script>alert(1)</script>',
          'Content-Type: application/json',
          '',
          '{"caller":"+1 508-372-8299","card":"4111 1111"}',
        ]),
      },
      {
        at: 1_700_000_000_223_456,
        source: { address: '10.0.0.5', port: 5070 },
        destination: { address: '3.3.3.3', port: 5060 },
        content: toMessage([
          'SIP/2.0 503 No route to 15083084809',
          'Via: SIP/2.0/UDP 192.168.7.9:5060;branch=z9hG4bKa',
          'From: "Alice Example" <sip:15083728299@3.3.3.3>;tag=1',
          'To: <sip:15083084809@10.0.0.5>;tag=2',
          'Call-ID: secret-call@192.168.7.9',
          'CSeq: 1 INVITE',
        ]),
      },
    ],
    { answered: false, sip_status: 503, termination_reason: 'no route to 15083084809 over 10.0.0.5' },
  )

const secrets = [
  '5083084809',
  '5083728299',
  'Alice',
  '10.0.0.5',
  '192.168.7.9',
  's3cret',
  'n0nce',
  '5ecret',
  '4111 1111',
]

const readFile = (
  caller: Caller,
  { account_sid, sip_callid }: StoredCall,
  kind: 'html' | 'pcap',
  query = maskedQuery,
) =>
  api.app.inject({
    url: `/v1/patchbay/accounts/${account_sid}/call-report.${kind}?sip_callid=${encodeURIComponent(sip_callid)}&${query}`,
    headers: { authorization: `Bearer ${caller.token}` },
  })

const getShares = ({ account_sid, call_sid }: StoredCall) =>
  `/patchbay/Accounts/${account_sid}/Calls/${call_sid}/Shares`

const share = (caller: Caller, call: StoredCall, more: object = {}): Promise<Answer> =>
  caller.post(getShares(call), {
    expires_in_hours: 1,
    includes_recording: 0,
    report: { sip_callid: call.sip_callid, numbers: 'masked', addresses: 'all' },
    ...more,
  })

const open = (token: string, path = '') =>
  api.app.inject({ url: `/v1/patchbay/shared-report${path}`, headers: { authorization: `Bearer ${token}` } })

const toHex = (address: string): string => Buffer.from(parseIpAddress(address)?.toByteArray() ?? []).toString('hex')

describe('the files of a report', () => {
  test('contain no number, address, or credential that is masked, and no script', async () => {
    const call = await secretCall()
    const page = await readFile(user, call, 'html')
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers['content-disposition']).toBe('attachment; filename="call-report-2023-11-14T22-13-20Z.html"')
    const pcap = await readFile(user, call, 'pcap')
    for (const secret of secrets) {
      expect(page.body).not.toContain(secret)
      expect(pcap.rawPayload.includes(secret)).toBe(false)
    }
    for (const address of ['10.0.0.5', '3.3.3.3', '192.168.7.9'])
      expect(pcap.rawPayload.toString('hex')).not.toContain(toHex(address))
    expect(page.body).not.toContain('<script')
    for (const text of ['503 Service Unavailable', 'sip:plus-number-', 'secret-call@192.0.2.', 'alert(1)'])
      expect(page.body).toContain(text)
    const packets = await readPcap(pcap.rawPayload, ports)
    expect(packets.map(({ what, faults }) => [what, faults])).toEqual([
      ['INVITE', ''],
      ['503', ''],
    ])
    expect(packets[0]?.source).toBe(packets[1]?.destination)
  })

  test('show numbers and public addresses by choice, and never credentials', async () => {
    const call = await secretCall()
    const { body } = await readFile(user, call, 'html', 'numbers=shown&addresses=private')
    for (const text of ['+15083084809', '+1 (508) 372-8299', '3.3.3.3']) expect(body).toContain(text)
    for (const secret of ['10.0.0.5', '192.168.7.9', 's3cret', 'n0nce', '5ecret', '4111 1111'])
      expect(body).not.toContain(secret)
    const last = await readFile(user, call, 'html', 'numbers=last_digits&addresses=shown')
    expect(last.body).toContain('-4809@10.0.0.5')
    expect(last.body).not.toContain('308480')
  })

  test('are those of the own account only', async () => {
    const call = await secretCall()
    const otherUser = await signedIn(api, world.users['user of B'])
    expect((await readFile(otherUser, call, 'html')).statusCode).toBe(403)
    for (const kind of ['html', 'pcap'] as const) {
      const answer = await readFile(otherUser, { ...call, account_sid: B }, kind)
      expect([answer.statusCode, answer.json().msg]).toEqual([404, 'Call not found'])
    }
    // Another tenant has a call with the same Call-ID at the same time, so either can own the messages.
    await storeCall([], { account_sid: B, service_provider_sid: Q, sip_callid: call.sip_callid })
    const answer = await readFile(user, call, 'html')
    expect([answer.statusCode, answer.json().msg]).toEqual([404, 'No SIP of this call was captured'])
  })

  test('can be downloaded by view-only users', async () => {
    expect((await readFile(viewer, await secretCall(), 'pcap')).statusCode).toBe(200)
  })

  test.each([
    ['sip_callid', 'sip_callid=&numbers=shown&addresses=all'],
    ['numbers', 'sip_callid=a&numbers=some&addresses=all'],
    ['addresses', 'sip_callid=a&numbers=shown'],
  ])('name an invalid %s', async (field, query) => {
    const answer = await user.get(`/patchbay/accounts/${A}/call-report.html?${query}`)
    expect([answer.status, Reflect.get(Object(answer.body), 'field')]).toEqual([400, field])
  })

  test('are limited to 500 messages, and say so', async () => {
    const call = await storeCall(
      Array.from({ length: 501 }, (_, position) => ({
        at: 1_700_000_000_000_000 + position * 1000,
        content: toMessage(['BYE sip:a@b.example SIP/2.0', 'From: <sip:a@b>;tag=1', `CSeq: ${position} BYE`]),
      })),
    )
    const page = await readFile(user, call, 'html')
    expect(page.body).toContain('The call has more messages than this report.')
    expect(page.body).toContain('id="message-500"')
    expect(page.body).not.toContain('id="message-501"')
  })
})

/** Everything that identifies leg A, and everything that identifies leg B. */
const legFacts = {
  A: [
    '442079460111',
    '442079460112',
    '203.0.113.61',
    '198.51.100.61',
    'leg-a-',
    'User of leg A',
    'trunk of leg A',
    '404',
  ],
  B: [
    '442079460221',
    '442079460222',
    '203.0.113.62',
    '198.51.100.62',
    'leg-b-',
    'User of leg B',
    'trunk of leg B',
    '503',
  ],
} as const

/** Stores a call of two legs with different numbers, addresses, and results. Returns both. */
const storeTwoLegs = async (): Promise<{ A: StoredCall; B: StoredCall }> => {
  const storeLeg = (name: keyof typeof legFacts, more: object) => {
    const [from, to, source, destination, prefix, user_, trunk, status] = legFacts[name]
    const sip_callid = `${prefix}${randomUUID()}@${source}`
    const common = [
      `Via: SIP/2.0/UDP ${source}:5060;branch=z9hG4bK${name}`,
      `From: "${user_}" <sip:${from}@${source}>;tag=1`,
      `To: <sip:${to}@${destination}>`,
      `Call-ID: ${sip_callid}`,
      'CSeq: 1 INVITE',
    ]
    const sdp = ['v=0', `o=- 1 1 IN IP4 ${source}`, 's=-', `c=IN IP4 ${source}`, 't=0 0', 'm=audio 4000 RTP/AVP 0']
    const invite = [`INVITE sip:${to}@${destination} SIP/2.0`, ...common, 'Content-Type: application/sdp', '', ...sdp]
    const ends = { source: { address: source, port: 5060 }, destination: { address: destination, port: 5060 } }
    return storeCall(
      [
        { ...ends, content: toMessage(invite) },
        {
          source: ends.destination,
          destination: ends.source,
          at: 1_700_000_000_223_456,
          content: toMessage([`SIP/2.0 ${status} Rejected`, ...common]),
        },
      ],
      {
        sip_callid,
        from,
        to,
        host: source,
        remote_host: destination,
        trunk,
        answered: false,
        sip_status: Number(status),
        termination_reason: `rejected by ${destination}`,
        ...more,
      },
    )
  }
  const legA = await storeLeg('A', {})
  const legB = await storeLeg('B', { direction: 'outbound', sip_parent_callid: legA.sip_callid })
  return { A: legA, B: legB }
}

/** Returns the content of a report as one text, with the addresses of its packets in hexadecimal notation. */
const joinContents = (contents: readonly { rawPayload: Buffer }[]): string =>
  contents.map(({ rawPayload }) => `${rawPayload.toString('latin1')}\n${rawPayload.toString('hex')}`).join('\n')

const notations = (fact: string): string[] => [fact, toHex(fact)].filter((text) => text !== '')

describe('a report of one leg', () => {
  test.each([
    ['A', 'B'],
    ['B', 'A'],
  ] as const)('with leg %s contains nothing of leg %s, in no file and in no link', async (own, other) => {
    const legs = await storeTwoLegs()
    const query = `${unmaskedQuery}&legs=one`
    const files = [await readFile(user, legs[own], 'html', query), await readFile(user, legs[own], 'pcap', query)]
    expect(files.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    // The link belongs to leg A, and its report to either leg.
    const report = { sip_callid: legs[own].sip_callid, numbers: 'shown', addresses: 'shown', legs: 'one' }
    const created = await share(user, legs.A, { report })
    expect(created.status).toBe(201)
    const token = member(created, 'token')
    const linked = [await open(token), await open(token, '/report.html'), await open(token, '/call.pcap')]
    for (const contents of [files, linked]) {
      const text = joinContents(contents)
      for (const fact of legFacts[own].slice(0, 6)) expect(text).toContain(fact)
      for (const fact of legFacts[other].slice(0, 7))
        for (const notation of notations(fact)) expect(text).not.toContain(notation)
      expect(text).not.toContain(`${legFacts[other][7]} `)
    }
    expect(await readPcap((linked[2] ?? files[1])?.rawPayload ?? Buffer.alloc(0), ports)).toHaveLength(2)
    expect(linked[0]?.json<SharedReport>().report.legs).toHaveLength(1)
    const [link] = getRows(await user.get(getShares(legs.A))) as unknown as CallShare[]
    expect(link?.report).toEqual({ numbers: 'shown', addresses: 'shown', legs: 'one' })
  })

  test('has both legs by default, and by choice', async () => {
    const { A: legA } = await storeTwoLegs()
    for (const query of [unmaskedQuery, `${unmaskedQuery}&legs=all`]) {
      const text = joinContents([await readFile(user, legA, 'html', query), await readFile(user, legA, 'pcap', query)])
      for (const fact of [...legFacts.A.slice(0, 6), ...legFacts.B.slice(0, 6)]) expect(text).toContain(fact)
    }
  })

  test('has no link to the leg of another call, and rejects an unknown choice', async () => {
    const legs = await storeTwoLegs()
    const other = await storeTwoLegs()
    const report = { sip_callid: other.B.sip_callid, numbers: 'shown', addresses: 'shown', legs: 'one' }
    const answer = await share(user, legs.A, { report })
    expect([answer.status, Reflect.get(Object(answer.body), 'field')]).toEqual([400, 'report.sip_callid'])
    expect((await readFile(user, legs.A, 'html', `${unmaskedQuery}&legs=some`)).statusCode).toBe(400)
  })

  test('ends if the choice of its link is unknown', async () => {
    const { A: legA } = await storeTwoLegs()
    const created = await share(user, legA)
    const { db } = api.test.database
    const choose = (report_legs: string | null) =>
      db
        .updateTable('patchbay_call_shares')
        .set({ report_legs })
        .where('call_share_sid', '=', member(created, 'sid'))
        .execute()
    // Links that are older than the choice show all legs.
    await choose(null)
    expect((await open(member(created, 'token'))).json<SharedReport>().report.legs).toHaveLength(2)
    await choose('a newer choice')
    expect((await open(member(created, 'token'))).statusCode).toBe(404)
  })
})

describe('a report of a call of the corpus', () => {
  const flows = readCallFlows().filter(({ messages }) => messages[0]?.text.startsWith('REGISTER ') === false)

  const storeFlow = async (flow: CallFlow): Promise<StoredCall> => {
    const stored = { account_sid: A, call_sid: randomUUID(), sip_callid: flow.callId }
    const time = BigInt(Date.parse(flow.call.attempted_at)) * 1_000_000n
    const shift = Date.parse(flow.call.attempted_at) - startOfFlows
    await api.sinks.captures.store(
      flow.legs.flatMap(({ callId, messages }) =>
        messages.map(({ seconds, source, destination, transport, agent, text }) => ({
          sip_callid: callId,
          method: 'INVITE',
          at: (startOfFlows + shift) * 1000 + Math.round(seconds * 1e6),
          transport: ipProtocols[transport],
          source,
          destination,
          agent,
          content: Buffer.from(text),
        })),
      ),
    )
    const { attempted_at: _attempted, account_sid: _account, answered_at, terminated_at, ...facts } = flow.call
    const toMs = (iso: string | null) => (iso === null ? null : Date.parse(iso))
    const record = { ...facts, answered_at: toMs(answered_at), terminated_at: toMs(terminated_at) }
    for (const { callId, name } of flow.legs) {
      const ids = name === 'A' ? stored : { call_sid: randomUUID(), sip_parent_callid: flow.callId }
      await api.sinks.calls.store([
        callRecord(A, {
          ...(name === 'A' ? record : {}),
          ...ids,
          time,
          sip_callid: callId,
          service_provider_sid: P,
        }),
      ])
    }
    return stored
  }

  test('has its verdict, and contains no address of its packets in any notation if all are masked', async () => {
    for (const flow of flows.filter((_, position) => position % 12 === 0)) {
      const call = await storeFlow(flow)
      const addresses = new Set(
        flow.messages.flatMap(({ source, destination }) => [source.address, destination.address]),
      )
      const unmaskedPage = await readFile(user, call, 'html', unmaskedQuery)
      expect([flow.name, unmaskedPage.statusCode]).toEqual([flow.name, 200])
      const judged = judgeFlow(flow, analyzeFlow(flow))
      // The record of another leg is not in the file of a flow, so its verdict can differ.
      const title = flow.legs.length > 1 ? '' : judged.slice(judged.indexOf(': ') + 2)
      expect(unmaskedPage.body.replaceAll('&#39;', "'").replaceAll('&amp;', '&')).toContain(title)
      const page = await readFile(user, call, 'html')
      const pcap = await readFile(user, call, 'pcap')
      for (const address of addresses) {
        expect([flow.name, page.body.includes(address)]).toEqual([flow.name, false])
        expect([flow.name, pcap.rawPayload.includes(address)]).toEqual([flow.name, false])
        expect([flow.name, pcap.rawPayload.includes(Buffer.from(toHex(address), 'hex'))]).toEqual([flow.name, false])
      }
    }
  })
})

describe('a link to a report', () => {
  const createLink = async (caller: Caller, call: StoredCall, more: object = {}) => {
    const created = await share(caller, call, more)
    expect(created.status).toBe(201)
    return { token: member(created, 'token'), sid: member(created, 'sid') }
  }
  const listLinks = async (call: StoredCall) => getRows(await user.get(getShares(call))) as unknown as CallShare[]

  test('shows the masked report and its files without a session, and can be revoked', async () => {
    const call = await secretCall()
    const { token, sid } = await createLink(user, call, { note: 'Ticket 1' })
    const answer = await open(token)
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, expect.stringContaining('no-store')])
    const { report } = answer.json<SharedReport>()
    expect(report).toMatchObject({
      account_name: `account ${A}`,
      masking: { numbers: 'masked', addresses: 'all' },
      call: { from: 'number-1', to: 'number-2', sip_status: '503 Service Unavailable' },
      verdict: { tone: 'bad' },
      is_cut: false,
    })
    expect(report.arrows.map(({ title }) => title)).toEqual(['INVITE', '503 No route to number-2'])
    const page = await open(token, '/report.html')
    const pcap = await open(token, '/call.pcap')
    for (const { body } of [answer, page, pcap])
      for (const secret of [...secrets, '3.3.3.3']) expect(body).not.toContain(secret)
    expect(await readPcap(pcap.rawPayload, ports)).toHaveLength(2)
    expect(await listLinks(call)).toMatchObject([
      { call_share_sid: sid, note: 'Ticket 1', views: 1, report: { numbers: 'masked', addresses: 'all' } },
    ])
    await user.delete(`/patchbay/Accounts/${A}/CallShares/${sid}`)
    for (const path of ['', '/report.html', '/call.pcap']) expect((await open(token, path)).statusCode).toBe(404)
    const { data } = await readPage(adminKey, '/patchbay/audit-trail', { kind: 'call_share', sid })
    expect(data.map(({ action }) => action)).toEqual(['delete', 'create'])
    expect(JSON.stringify(data)).not.toContain(token)
  })

  test('does not open the conversation, and a link to the conversation does not open the report', async () => {
    const call = await secretCall()
    const { token } = await createLink(user, call)
    const shared = await createLink(user, call, { report: null })
    const openCall = async (value: string, path = '') =>
      (await api.as(value).get(`/patchbay/shared-call${path}`)).status
    expect([await openCall(token), await openCall(token, '/recording'), await openCall(shared.token)]).toEqual([
      404, 404, 200,
    ])
    const paths = ['', '/report.html', '/call.pcap']
    const statuses = await Promise.all(paths.map(async (path) => (await open(shared.token, path)).statusCode))
    expect(statuses).toEqual([404, 404, 404])
  })

  test('expires', async () => {
    const { token } = await createLink(adminKey, await secretCall())
    vi.useFakeTimers({ toFake: ['Date'] })
    const now = Date.now()
    vi.setSystemTime(now + 3_599_000)
    expect((await open(token)).statusCode).toBe(200)
    vi.setSystemTime(now + 3_601_000)
    expect((await open(token)).statusCode).toBe(404)
  })

  test('ends when its creator becomes view-only', async () => {
    const account_sid = await api.account(P)
    const { sid, caller } = await api.user({ account_sid })
    const { token } = await createLink(caller, await storeCall([{}], { account_sid }))
    expect((await open(token)).statusCode).toBe(200)
    await api.admin.put(`/Users/${sid}`, { is_view_only: true })
    expect((await open(token)).statusCode).toBe(404)
  })

  test.each([
    ['report.sip_callid', { report: { sip_callid: 'other', numbers: 'shown', addresses: 'all' } }],
    ['report.numbers', { report: { sip_callid: 'a', numbers: 'some', addresses: 'all' } }],
    ['report.addresses', { report: { sip_callid: 'a', numbers: 'shown' } }],
    ['includes_recording', { includes_recording: 1 }],
  ])('is not created with an invalid %s', async (field, more) => {
    const answer = await share(user, await secretCall(), more)
    expect([answer.status, Reflect.get(Object(answer.body), 'field')]).toEqual([400, field])
  })

  test('is not created for the call of another tenant, or by view-only users', async () => {
    const call = await secretCall()
    const otherUser = await signedIn(api, world.users['user of B'])
    expect((await share(otherUser, call)).status).toBe(403)
    expect(statusAndMessage(await share(otherUser, { ...call, account_sid: B }))).toEqual([404, 'Call not found'])
    expect(statusAndMessage(await share(viewer, call))).toEqual([403, 'User has view-only access'])
  })

  test('has the masking of its creation, which an unknown value ends', async () => {
    const call = await secretCall()
    const { token, sid } = await createLink(user, call)
    const { db } = api.test.database
    await db
      .updateTable('patchbay_call_shares')
      .set({ report_numbers: 'a newer choice' })
      .where('call_share_sid', '=', sid)
      .execute()
    expect((await open(token)).statusCode).toBe(404)
    expect(getRow(await api.as(token).get('/patchbay/shared-report'))).toMatchObject({ msg: 'Not Found' })
  })
})
