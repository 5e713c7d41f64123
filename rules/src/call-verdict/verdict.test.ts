import type { Alert } from '@patchbay/contract/alerts'
import type { Call } from '@patchbay/contract/recent-calls'
import { describe, expect, test } from 'vitest'
import { analyzeCaptures } from '../sip/findings/findings.ts'
import { registeredStatuses } from '../sip/statuses.ts'
import type { Span, TraceAttribute } from '../traces/traces.ts'
import { explainAlerts } from './alert-rules.ts'
import type { CallEvidence } from './evidence.ts'
import { explainRecord } from './record-rules.ts'
import { explainSip } from './sip-rules.ts'
import { explainTrace } from './trace-rules.ts'
import { explainLogErrors, judgeCall } from './verdict.ts'

const attempted = Date.parse('2026-11-21T13:00:00.000Z')

const application_sid = 'application'

const call = (more: Partial<Call> = {}): Call => ({
  attempted_at: new Date(attempted).toISOString(),
  account_sid: 'account',
  answered: false,
  answered_at: null,
  application_sid: null,
  call_sid: 'call',
  direction: 'inbound',
  duration: 0,
  from: '1',
  host: '10.0.0.5',
  recording_url: null,
  remote_host: '203.0.113.7',
  service_provider_sid: 'provider',
  sip_callid: 'x',
  sip_parent_callid: null,
  sip_status: 480,
  terminated_at: new Date(attempted + 10_000).toISOString(),
  termination_reason: 'failed',
  to: '2',
  trace_id: null,
  trunk: 'Twilio',
  ...more,
})
const answered = (more: Partial<Call> = {}): Call =>
  call({ answered: true, sip_status: 200, duration: 125, termination_reason: 'caller hungup', ...more })
const outbound = (sip_status: number, more: Partial<Call> = {}): Call =>
  call({ direction: 'outbound', sip_status, ...more })

const alert = (alert_type: string, more: Partial<Alert> = {}): Alert => ({
  time: new Date(attempted + 2000).toISOString(),
  account_sid: 'account',
  alert_type,
  detail: null,
  message: `message of ${alert_type}`,
  service_provider_sid: 'provider',
  target_sid: 'call',
  vendor: null,
  ...more,
})

const span = (name: string, attributes: Record<string, TraceAttribute['value']>, more: Partial<Span> = {}): Span => ({
  id: name,
  parent: null,
  name,
  start: BigInt(attempted) * 1_000_000n,
  end: BigInt(attempted + 100) * 1_000_000n,
  attributes: Object.entries(attributes).map(([key, value]) => ({ key, value })),
  ...more,
})

/** Returns the tone, the side, and the title of a verdict in one line. */
const judge = (one: Call, ...evidence: CallEvidence[]): string => {
  const { tone, title, cause } = judgeCall(one, evidence)
  return [tone, cause?.side, title].filter(Boolean).join(' | ')
}

describe('the record alone', () => {
  test.each([
    [outbound(403), 'bad | carrier | Carrier Twilio did not allow the call (403 Forbidden).'],
    [outbound(401), 'bad | carrier | Carrier Twilio received no valid credentials (401 Unauthorized).'],
    [outbound(404), 'bad | carrier | Carrier Twilio does not know the called number (404 Not Found).'],
    [
      outbound(408, { trunk: null }),
      'bad | carrier | The call timed out before it was answered (408 Request Timeout).',
    ],
    [
      outbound(408, { trunk: 'user' }),
      'bad | called-party | The call timed out before it was answered (408 Request Timeout).',
    ],
    [
      outbound(488),
      'bad | unknown | The offered media were rejected, or least cost routing failed (488 Not Acceptable Here).',
    ],
    [outbound(480), 'bad | unknown | The call could not be connected (480 Temporarily Unavailable).'],
    [outbound(606), 'bad | carrier | Carrier Twilio rejected the offered media (606 Not Acceptable).'],
    [outbound(486), 'neutral | called-party | Carrier Twilio responded that the called party is busy (486 Busy Here).'],
    [
      outbound(600, { trunk: 'user' }),
      'neutral | called-party | The SIP client responded that the called party is busy (600 Busy Everywhere).',
    ],
    [outbound(603), 'bad | unknown | The call was rejected, without a reason (603 Decline).'],
    [
      outbound(607),
      'neutral | called-party | Carrier Twilio responded that the called side marked the caller as unwanted (607 Unwanted).',
    ],
    [outbound(608), 'bad | network | A filter in a network blocked the call (608 Rejected).'],
    [outbound(487), 'neutral | caller | The call was canceled before it was answered (487 Request Terminated).'],
    [
      outbound(424),
      'bad | carrier | Carrier Twilio rejected the call: it cannot use the location of the caller that the request contains (424 Bad Location Information).',
    ],
    [
      outbound(699),
      'bad | carrier | Carrier Twilio rejected the call: a failure of all destinations of an unknown kind: 699 is not a registered status and is treated as 600 (699).',
    ],
    [outbound(503), 'bad | carrier | Carrier Twilio was not available for the call (503 Service Unavailable).'],
    [outbound(500), 'bad | unknown | A server failed to handle the call (500 Server Internal Error).'],
    [outbound(502), 'bad | carrier | Carrier Twilio failed to handle the call (502 Bad Gateway).'],
    [
      outbound(482),
      'bad | carrier | Carrier Twilio rejected the call: the request looped back to it (482 Loop Detected).',
    ],
    [call({ sip_status: 401 }), 'bad | caller | The caller sent no valid credentials (401 Unauthorized).'],
    [call({ sip_status: 403 }), 'bad | unknown | The call was not allowed (403 Forbidden).'],
    [call({ sip_status: 404 }), 'bad | platform | No application was found for the called number (404 Not Found).'],
    [
      call({ sip_status: 404, application_sid }),
      'bad | unknown | The response to the caller says that the called number is not known (404 Not Found).',
    ],
    [
      call(),
      'bad | unknown | The call was not answered by the platform or its application (480 Temporarily Unavailable).',
    ],
    [
      call({ sip_status: 486 }),
      'neutral | unknown | The response to the caller says that the called party is busy (486 Busy Here).',
    ],
    [
      call({ sip_status: 487 }),
      'neutral | caller | The call was canceled before it was answered (487 Request Terminated).',
    ],
    [call({ sip_status: 488 }), 'bad | unknown | The offered media were rejected (488 Not Acceptable Here).'],
    [call({ sip_status: 503 }), 'bad | platform | The platform did not accept the call (503 Service Unavailable).'],
    [
      call({ sip_status: 503, application_sid }),
      'bad | unknown | The call was not accepted (503 Service Unavailable).',
    ],
    [call({ sip_status: 603 }), 'bad | unknown | The call was rejected, without a reason (603 Decline).'],
    [
      call({ sip_status: 607 }),
      'neutral | unknown | The response to the caller says that its calls are unwanted (607 Unwanted).',
    ],
    [
      call({ sip_status: 608 }),
      'bad | unknown | The response to the caller says that a filter blocked the call (608 Rejected).',
    ],
    [call({ sip_status: 500 }), 'bad | platform | The platform failed to handle the call (500 Server Internal Error).'],
    [
      call({ sip_status: 500, application_sid }),
      'bad | unknown | A server failed to handle the call (500 Server Internal Error).',
    ],
    [
      call({ sip_status: 504 }),
      'bad | unknown | The call was rejected: an upstream server did not respond in time (504 Server Time-out).',
    ],
    [
      call({ sip_status: 513 }),
      'bad | unknown | The call was rejected: the message is too long for it (513 Message Too Large).',
    ],
    [
      call({ sip_status: 483 }),
      'bad | unknown | The call was rejected: the request passed too many hops (483 Too Many Hops).',
    ],
    [call({ sip_status: null }), 'bad | unknown | The call was not answered, and its record has no SIP status.'],
    [
      call({ sip_status: 200 }),
      'bad | unknown | The call was not answered, although its record has the status 200 OK.',
    ],
    [call({ sip_status: 183 }), 'bad | unknown | The call was not answered, although its record has the status 183.'],
    [
      call({ sip_status: null, termination_reason: 'caller abandoned' }),
      'neutral | caller | The caller hung up before the call was answered.',
    ],
  ])('explains %#', (one, expected) => expect(judge(one)).toBe(expected))

  test('every failed call has a next step', () => {
    for (const direction of ['inbound', 'outbound'])
      for (const sip_status of [null, 0, ...Array.from({ length: 400 }, (_, n) => 300 + n)]) {
        const { title, cause } = judgeCall(call({ direction, sip_status }))
        expect(cause?.next, `${direction} ${sip_status}`).toMatch(/\.$/)
        // The record does not prove who decided, and does not prove that there is nothing to do.
        expect(`${title} ${cause?.next}`).not.toMatch(/called party declined|No action is necessary/)
      }
  })

  test('an answered call gets a line with its duration and who hung up', () => {
    expect(judge(answered())).toBe('neutral | Answered, 2 min 5 s. The caller hung up.')
    expect(judge(answered({ duration: 45, termination_reason: 'called party hungup' }))).toBe(
      'neutral | Answered, 45 s. The called party hung up.',
    )
    expect(judge(answered({ termination_reason: null }))).toBe('neutral | Answered, 2 min 5 s.')
    expect(judge(answered({ termination_reason: 'constructor' }))).toBe('neutral | Answered, 2 min 5 s.')
  })
})

describe('alerts', () => {
  const judgeWith = (one: Call, ...alerts: Alert[]) => judge(one, ...explainAlerts(one, alerts))

  test('explain an inbound call better than its status', () => {
    expect(judgeWith(call(), alert('webhook-failure'))).toBe('bad | application | Webhook failed.')
    expect(judgeWith(call({ sip_status: 503 }), alert('account-call-limit', { target_sid: null }))).toBe(
      'bad | platform | Call limit of the account reached.',
    )
    expect(judgeWith(outbound(503), alert('no-carrier'))).toBe('bad | platform | No carrier.')
  })

  test('are only further evidence if they cannot have prevented the call', () => {
    const one = outbound(403)
    const { cause, further } = judgeCall(one, explainAlerts(one, [alert('webhook-failure')]))
    expect([cause?.source, further.map(({ title }) => title)]).toEqual(['record', ['Webhook failed.']])
    expect(judgeWith(call({ sip_status: 486 }), alert('webhook-failure'))).toMatch(/^neutral \| unknown/)
  })

  test('are ignored if they concern another call, another time, or an unknown cause', () => {
    const ignored = [
      alert('webhook-failure', { target_sid: 'another call' }),
      alert('webhook-failure', { target_sid: null, time: new Date(attempted - 1000).toISOString() }),
      alert('webhook-failure', { target_sid: null, time: new Date(attempted + 60_000).toISOString() }),
      alert('account-api-limit', { target_sid: null }),
      alert('a new type', { target_sid: null }),
    ]
    expect(explainAlerts(call(), ignored)).toEqual([])
    // The jambonz server returns 1970 for an unknown end.
    const endless = call({ terminated_at: '1970-01-01T00:00:00.000Z' })
    expect(explainAlerts(endless, [alert('webhook-failure', { target_sid: null })])).toHaveLength(1)
    expect(explainAlerts(call({ call_sid: null }), [alert('webhook-failure', { target_sid: 'x' })])).toEqual([])
  })

  test('that repeat are counted, and make an answered call a problem', () => {
    const one = answered()
    const [first, second] = explainAlerts(one, [
      alert('tts-failure'),
      alert('tts-failure'),
      alert('alert-from-application'),
    ])
    expect([first?.isProblem, second?.title]).toEqual([false, 'Text-to-speech failed (2 times).'])
    expect(judgeWith(one, alert('tts-failure'))).toBe('warn | speech-vendor | Answered, 2 min 5 s. The caller hung up.')
    expect(judgeWith(one, alert('alert-from-application'))).toMatch(/^neutral/)
  })
})

describe('the trace', () => {
  const judgeWith = (one: Call, ...spans: Span[]) => judge(one, ...explainTrace(one, spans))
  const slow = { end: BigInt(attempted + 12_300) * 1_000_000n }

  test.each<[string, Call, Span, string]>([
    [
      'a webhook that failed',
      call(),
      span('performAppWebhook', { 'http.statusCode': 500 }),
      'bad | application | The application webhook responded with 500.',
    ],
    [
      'a webhook without a response',
      call(),
      span('performAppWebhook', {}, { error: 'ECONNREFUSED' }),
      'bad | application | The application webhook failed.',
    ],
    [
      'a caller who hung up during a slow webhook',
      call({ sip_status: 487 }),
      span('performAppWebhook', { 'http.statusCode': 200 }, slow),
      'bad | application | The caller hung up while the application webhook took 12.3 s.',
    ],
    [
      'a failed step',
      call({ sip_status: 500 }),
      span('lookupApplication', {}, { error: '' }),
      'bad | unknown | A step of the call failed: lookupApplication.',
    ],
    [
      'a webhook that answered in time',
      call({ sip_status: 503, application_sid }),
      span('performAppWebhook', { 'http.statusCode': 200 }),
      'bad | unknown | The call was not accepted (503 Service Unavailable).',
    ],
  ])('explains %s', (_what, one, evidence, expected) => expect(judgeWith(one, evidence)).toBe(expected))

  test.each<[Span, string]>([
    [
      span('verb:hook', { 'http.statusCode': 504, 'hook.url': 'https://a.example' }),
      'The application webhook responded with 504. https://a.example',
    ],
    [
      span('tts-generation', { 'tts.vendor': 'google' }, { error: 'quota' }),
      'The speech synthesis of google failed. quota',
    ],
    [span('stt-listen:1', { 'stt.resolve': 'connection failure' }), 'The speech recognition could not be reached.'],
    [span('invite', { 'invite.status_code': 503 }), 'An outbound leg of the call failed with 503 Service Unavailable.'],
    [
      span('tts-generation', { 'tts.vendor': 'google', time_to_first_byte_ms: '6100' }),
      'The caller waited 6.1 s for speech synthesis.',
    ],
  ])('finds the problem of an answered call: %#', (one, expected) => {
    const [cause] = explainTrace(answered(), [one])
    expect([cause?.title, cause?.detail].filter(Boolean).join(' ')).toBe(expected)
    expect(judgeWith(answered(), one)).toMatch(/^warn/)
  })

  test('does not blame the carrier for a leg that the SBC can have rejected itself', () => {
    const findSides = (status: number) =>
      explainTrace(answered(), [span('invite', { 'invite.status_code': status })]).map(({ side }) => side)
    expect([503, 603, 480, 488, 500].map(findSides)).toEqual([
      ['carrier'],
      ['unknown'],
      ['unknown'],
      ['unknown'],
      ['unknown'],
    ])
  })

  test('reports no wait for a webhook after the caller left, and the whole webhook during which the caller left', () => {
    const after = (seconds: number) => BigInt(attempted + seconds * 1000) * 1_000_000n
    const root = span('incoming-call', {}, { end: after(8) })
    const late = span('verb:hook', {}, { start: after(8.01), end: after(15.2) })
    expect(explainTrace(answered(), [root, late])).toEqual([])
    const first = span('performAppWebhook', {}, { end: after(12.3) })
    expect(explainTrace(call({ sip_status: 487 }), [root, first])[0]?.title).toBe(
      'The caller hung up while the application webhook took 12.3 s.',
    )
    expect(explainTrace(answered(), [root, first])[0]?.title).toBe(
      'The caller waited 8.0 s for the application webhook.',
    )
  })

  test('reports a busy leg, and an ordinary wait, as no problem', () => {
    const spans = [span('invite', { 'invite.status_code': 486 }), span('verb:hook', { 'http.statusCode': 200 })]
    expect(explainTrace(answered(), spans)).toEqual([])
  })
})

test.each(registeredStatuses)(
  'the record of a call to a client or a SIP URI gives no advice about carriers: %i',
  (status) => {
    for (const trunk of ['user', 'sipUri']) {
      const { title, next } = explainRecord(outbound(status, { trunk }))
      expect(`${title} ${next}`).not.toMatch(/carrier|channel|gateways|outbound routing|least cost|tech prefix/i)
    }
  },
)

test.each([422, 423, 491])('the advice about a final %i does not call it normal', (status) => {
  expect(explainRecord(outbound(status)).next).not.toMatch(/normal|nothing has to be done/i)
})

test('the record alone leaves open who timed out', () => {
  expect(explainRecord(outbound(408)).next).toBe(
    'Carrier Twilio did not respond, or responded with this status. Open the SIP messages to see which.',
  )
})

describe('captured SIP', () => {
  const message = (seconds: number, isFromPlatform: boolean, start: string, ...headers: string[]) => ({
    micro_ts: (attempted + seconds * 1000) * 1000,
    srcIp: isFromPlatform ? '10.0.0.5' : '203.0.113.7',
    srcPort: 5060,
    dstIp: isFromPlatform ? '203.0.113.7' : '10.0.0.5',
    dstPort: 5060,
    protocol: 17,
    raw: [start, 'From: <sip:1@a>;tag=1', 'To: <sip:2@b>', 'Call-ID: x', 'CSeq: 1 INVITE', ...headers, '', ''].join(
      '\r\n',
    ),
  })
  const legs = (...messages: ReturnType<typeof message>[]) =>
    analyzeCaptures([{ name: 'A', capture: { total: messages.length, data: { messages } } }])
  const rejected = (status: string, ...headers: string[]) =>
    legs(message(0, true, 'INVITE sip:2@b SIP/2.0'), message(1, false, `SIP/2.0 ${status}`, ...headers))

  test('prove the rejection of a carrier', () => {
    const one = outbound(503)
    const { tone, cause } = judgeCall(one, explainSip(one, rejected('503 Service Unavailable')))
    expect([tone, cause?.source, cause?.side]).toEqual(['bad', 'sip', 'carrier'])
    expect(cause?.detail).toContain('rejected the call with 503 Service Unavailable')
  })

  test('name both who may have canceled an outbound call', () => {
    const one = outbound(487)
    const { cause } = judgeCall(one, [])
    expect(cause?.next).toMatch(/^The caller gave up, or the application did/)
  })

  test('lead an inbound call that the platform declined to its application', () => {
    const one = call({ sip_status: 603 })
    const declined = legs(message(0, false, 'INVITE sip:2@b SIP/2.0'), message(1, true, 'SIP/2.0 603 Decline'))
    const { cause } = judgeCall(one, explainSip(one, declined))
    expect([cause?.side, cause?.next]).toEqual([
      'platform',
      'Check whether the application declines the call, or dials a party that does.',
    ])
  })

  test('do not call a response busy that names a congested network', () => {
    const one = outbound(486)
    const { tone, cause } = judgeCall(one, explainSip(one, rejected('486 Busy Here', 'Reason: Q.850;cause=34')))
    expect([tone, cause?.side, cause?.title]).toEqual([
      'bad',
      'unknown',
      'The response says busy, which its reason contradicts (486 Busy Here).',
    ])
  })

  test('prove that a person ended the call', () => {
    const one = outbound(486)
    const { tone, cause } = judgeCall(one, explainSip(one, rejected('486 Busy Here')))
    expect([tone, cause?.source, cause?.side]).toEqual(['neutral', 'sip', 'called-party'])
  })

  test.each<[Call, string, string]>([
    [outbound(603), '603 Decline', 'bad | carrier | Carrier Twilio rejected the call, without a reason (603 Decline).'],
    [outbound(603), '603 Network Blocked', 'bad | network | A network blocked the call (603 Network Blocked).'],
    [outbound(500), '500 Oops', 'bad | carrier | Carrier Twilio failed to handle the call (500 Oops).'],
    [
      outbound(480),
      '480 Not now',
      'bad | carrier | Carrier Twilio responded that the called party cannot be reached now (480 Not now).',
    ],
    [
      outbound(487),
      '487 Request Terminated',
      'neutral | unknown | The call ended before an answer, and no CANCEL was captured (487 Request Terminated).',
    ],
    [
      outbound(603, { remote_host: '198.51.100.9' }),
      '603 Decline',
      'bad | unknown | The call was rejected, without a reason (603 Decline).',
    ],
    [
      outbound(404),
      '603 Network Blocked',
      'bad | carrier | Carrier Twilio does not know the called number (404 Not Found).',
    ],
    // The capture has another status than the record, so that it does not explain the record.
    [outbound(603), '404 Not Found', 'bad | carrier | The call was rejected, without a reason (603 Decline).'],
  ])('refine what the record alone cannot tell: %#', (one, status, expected) =>
    expect(judge(one, ...explainSip(one, rejected(status)))).toBe(expected),
  )

  describe('of another leg', () => {
    const capture = (...messages: ReturnType<typeof message>[]) => ({ total: messages.length, data: { messages } })
    /** Moves a message to the leg of a party that the platform called. */
    const onLeg = (name: string, one: ReturnType<typeof message>) => {
      const move = (address: string) => (address === '203.0.113.7' ? `198.51.100.${name.charCodeAt(0)}` : address)
      const raw = one.raw.replace('Call-ID: x', `Call-ID: ${name}`)
      return { ...one, srcIp: move(one.srcIp), dstIp: move(one.dstIp), raw }
    }
    const start = 'INVITE sip:2@b SIP/2.0'
    /** Judges a call that the platform rejected at 3 s, after it had called parties: begin, end, and status of each. */
    const judgeLegs = (one: Call, own: string, ...others: (readonly [from: number, to: number, status: string])[]) => {
      const analyzed = analyzeCaptures([
        { name: 'A', capture: capture(message(0, false, start), message(3, true, `SIP/2.0 ${own}`)) },
        ...others.map(([from, to, status], index) => {
          const name = 'BCD'.charAt(index)
          const messages = [message(from, true, start), message(to, false, `SIP/2.0 ${status}`)]
          return { name, capture: capture(...messages.map((each) => onLeg(name, each))) }
        }),
      ])
      return judge(one, ...explainSip(one, analyzed))
    }
    const passedOn = 'The call was passed on, and rejected there:'
    const [unknown, busy] = ['404 Not Found', '486 Busy Here']
    const inbound = (sip_status: number, more: Partial<Call> = {}) => call({ sip_status, sip_callid: 'x', ...more })

    test.each<[string, string]>([
      ['the platform rejected the call', judgeLegs(call({ sip_status: 503 }), '503 Service Unavailable', [1, 2, busy])],
      ['the last of several parties decided', judgeLegs(inbound(480), '480 Gone', [0.5, 1, unknown], [1.1, 2, busy])],
    ])('say why: %s', (_name, verdict) => {
      expect(verdict).toBe(`neutral | unknown | ${passedOn} the called party is busy (486 Busy Here).`)
    })

    test.each<[string, string]>([
      ['a party was busy before', judgeLegs(inbound(404), unknown, [0.5, 1, busy], [1.1, 2, unknown])],
      ['another party was busy at the same time', judgeLegs(inbound(404), unknown, [1, 2, busy], [1.1, 2.5, unknown])],
      ['the called party was the only one', judgeLegs(inbound(404), unknown, [1, 2, unknown])],
    ])('say that the number is unknown if %s', (_name, verdict) => {
      expect(verdict).toBe(`bad | unknown | ${passedOn} it does not know this number or name (404 Not Found).`)
    })

    test('leave it open whether the application declined with the same status', () => {
      expect(judgeLegs(inbound(404, { application_sid }), unknown, [1, 2, unknown])).toBe(
        'bad | unknown | The response to the caller says that the called number is not known (404 Not Found).',
      )
    })

    test('say nothing about the call if they disagree', () => {
      const disagreeing = [[1, 2, busy] as const, [1.1, 2.5, '503 Service Unavailable'] as const]
      expect(judgeLegs(inbound(500), '500 Oops', ...disagreeing)).toBe(
        'bad | platform | The platform failed to handle the call (500 Server Internal Error).',
      )
    })

    test('are those that the call was passed on to', () => {
      const one = outbound(404, { sip_callid: 'B', remote_host: '198.51.100.66' })
      expect(judgeLegs(one, unknown, [1, 2, unknown])).toBe(
        'bad | carrier | Carrier Twilio does not know the called number (404 Not Found).',
      )
    })
  })

  test('say that a silent carrier did not respond', () => {
    const silent = legs(...[0, 0.5, 1.5, 32].map((seconds) => message(seconds, true, 'INVITE sip:2@b SIP/2.0')))
    const [first] = explainSip(outbound(408), silent)
    expect([first?.title, first?.next]).toEqual([
      'Carrier Twilio did not respond (408 Request Timeout).',
      'Check the gateways of the carrier, and send it an OPTIONS request.',
    ])
    const elsewhere = outbound(408, { remote_host: '198.51.100.9' })
    expect(judge(elsewhere, ...explainSip(elsewhere, silent))).toBe(
      'bad | carrier | The call timed out before it was answered (408 Request Timeout).',
    )
  })

  test('rank below an alert that names the call', () => {
    const one = call()
    const evidence = [
      ...explainSip(one, rejected('480 Temporarily Unavailable')),
      ...explainAlerts(one, [alert('webhook-failure')]),
    ]
    const { cause, further } = judgeCall(one, evidence)
    expect([cause?.source, further.map(({ source }) => source)]).toEqual(['alerts', ['sip']])
  })

  test('say how an answered call ended, without a problem', () => {
    const one = answered({ direction: 'outbound' })
    const dialog = (...start: Parameters<typeof message>) => {
      const packet = message(...start)
      const isResponse = packet.raw.startsWith('SIP')
      const raw = packet.raw.replace('To: <sip:2@b>', 'To: <sip:2@b>;tag=2')
      return { ...packet, raw: isResponse && !start[2].includes('481') ? raw : raw.replace('1 INVITE', '2 BYE') }
    }
    const media = (address: string) =>
      ['Content-Type: application/sdp', '', 'v=0', `c=IN IP4 ${address}`, 'm=audio 20000 RTP/AVP 0', ''] as const
    const lost = legs(
      message(0, true, 'INVITE sip:2@b SIP/2.0', ...media('10.0.0.5')),
      dialog(1, false, 'SIP/2.0 200 OK', ...media('203.0.113.7')),
      dialog(30, true, 'BYE sip:2@b SIP/2.0'),
      dialog(30.1, false, 'SIP/2.0 481 Unknown'),
    )
    const { tone, title, cause, further } = judgeCall(one, explainSip(one, lost))
    expect([tone, title, cause]).toEqual([
      'neutral',
      'Answered, 2 min 5 s. The caller hung up, and the called party no longer knew the call.',
      undefined,
    ])
    expect(further.map(({ side, next }) => [side, next])).toEqual([
      [
        'carrier',
        'It can have ended the call before with a BYE that was not captured, or have restarted. Look for the Call-ID in its log.',
      ],
    ])
  })

  test('tell an outbound call that rang and was canceled from one at the timeout of a dial verb', () => {
    const one = outbound(487)
    const cancel = (seconds: number) => {
      const packet = message(seconds, true, 'CANCEL sip:2@b SIP/2.0')
      return { ...packet, raw: packet.raw.replace('1 INVITE', '1 CANCEL') }
    }
    const ring = (from: number, to: number, judged = one) =>
      explainSip(
        judged,
        legs(message(0, true, 'INVITE sip:2@b SIP/2.0'), message(from, false, 'SIP/2.0 180 Ringing'), cancel(to)),
      )[0]
    expect(ring(2, 40)?.title).toBe(
      'The call rang for 38 s, and was canceled before it was answered (487 Request Terminated).',
    )
    expect(ring(2, 40)?.next).toMatch(/^The caller gave up, or the application did/)
    expect(ring(5, 60.5)?.next).toMatch(/^It was canceled after 60 s. That is the timeout of a dial verb/)
    expect(ring(2, 12)?.title).toBe('The call was canceled before it was answered (487 Request Terminated).')
    expect(ring(2, 40, call({ sip_status: 487 }))?.title).toBe(
      'The call was canceled before it was answered (487 Request Terminated).',
    )
    expect(ring(2, 40, outbound(486))?.title).not.toContain('rang')
  })

  test('blame a missing PRACK only for the rejection of the record', () => {
    const early = [1, 1.5, 2.5, 4.5].map((seconds) =>
      message(seconds, true, 'SIP/2.0 183 Session Progress', 'Require: 100rel', 'RSeq: 7'),
    )
    const invited = message(0, false, 'INVITE sip:2@b SIP/2.0')
    const unconfirmed = legs(invited, ...early, message(33, true, 'SIP/2.0 504 Server Time-out'))
    const explain = (sip_status: number) => explainSip(call({ sip_status }), unconfirmed)[0]?.title
    expect(explain(504)).toBe(
      'No PRACK for 183 Session Progress arrived, and the call was rejected (504 Server Time-out).',
    )
    expect(explain(487)).not.toContain('PRACK')
  })

  test('say nothing about the end of the call that is the end of another leg', () => {
    const lost = [
      message(0, true, 'INVITE sip:2@b SIP/2.0'),
      message(1, false, 'SIP/2.0 200 OK'),
      message(30, true, 'BYE sip:2@b SIP/2.0'),
      message(30.1, false, 'SIP/2.0 481 Unknown'),
    ].map((packet, index) => {
      const raw = index === 0 ? packet.raw : packet.raw.replace('To: <sip:2@b>', 'To: <sip:2@b>;tag=2')
      return { ...packet, raw: index < 2 ? raw : raw.replace('1 INVITE', '2 BYE') }
    })
    const renamed = lost.map((packet) => ({ ...packet, raw: packet.raw.replace('Call-ID: x', 'Call-ID: y') }))
    const [own, other] = [lost.slice(0, 2), renamed].map((messages) => ({ total: messages.length, data: { messages } }))
    const analyzed = analyzeCaptures([
      { name: 'A', capture: own },
      { name: 'B', capture: other },
    ])
    expect(analyzed.findings.some(({ ending }) => ending !== undefined)).toBe(true)
    const evidence = explainSip(answered({ direction: 'outbound' }), analyzed)
    expect(evidence.filter(({ ending }) => ending !== undefined)).toEqual([])
  })

  test('find a problem of an answered call, and none in an ordinary one', () => {
    const one = answered({ direction: 'outbound' })
    const repeated = [1, 1.5, 2.5].map((seconds) => message(seconds, false, 'SIP/2.0 200 OK'))
    const lost = legs(message(0, true, 'INVITE sip:2@b SIP/2.0'), ...repeated)
    expect(judge(one, ...explainSip(one, lost))).toMatch(/^warn/)
    expect(explainSip(one, legs())).toEqual([])
  })
})

test('log errors are further evidence, and never the verdict', () => {
  expect(explainLogErrors([])).toEqual([])
  const evidence = explainLogErrors(['first', 'second'])
  expect(evidence[0]).toMatchObject({ title: 'The log has 2 errors.', detail: 'first' })
  expect(judgeCall(call(), evidence).cause?.source).toBe('record')
  expect(judgeCall(call(), evidence).further).toHaveLength(1)
  expect(judgeCall(answered(), evidence).tone).toBe('neutral')
})
