import { describe, expect, test } from 'vitest'
import { type ParsedSipMessage, parseSip } from './parser.ts'
import { explainRefusal } from './refusal.ts'
import type { RefusalHop, RefusedCall, Responder } from './refused-call.ts'
import { describeStatus, registeredStatuses } from './statuses.ts'

const respond = (status: string, ...headers: readonly string[]): ParsedSipMessage => {
  const parsed = parseSip([`SIP/2.0 ${status}`, 'CSeq: 1 INVITE', ...headers, '', ''].join('\r\n'))
  if (parsed === undefined) throw new Error('This is not SIP')
  return parsed
}

const refused = (response: ParsedSipMessage, more: Partial<RefusedCall> = {}): RefusedCall => ({
  response,
  rang: false,
  ringSeconds: undefined,
  isCanceled: false,
  seconds: 5,
  hasCredentials: false,
  ...more,
})

const analytics =
  'Reason: SIP;cause=603;text="v=analytics1;url=https://redress.example/a?b=c;tel=+1 (555) 010-0099;email=redress@analytics.example;id=42";location=RLN'

describe('a blocked call', () => {
  test('names the network, the identifier, and the contacts', () => {
    const { explanation, details, title, side, isDecided, isOrdinary, block, source } = explainRefusal(
      refused(respond('603 Network Blocked', analytics)),
      { hop: 'carrier', name: 'Carrier Bluewave' },
    )
    expect(explanation).toBe('analytics of the network of the called party blocked the call')
    expect(details).toBe(
      ' The identifier of the block is 42. Ask this network to correct the block, and give the number, the time, and the ' +
        'Call-ID: https://redress.example/a?b=c, +15550100099, redress@analytics.example.',
    )
    expect([title, side, isDecided, isOrdinary, source]).toEqual([
      'Analytics of the network of the called party blocked the call',
      'network',
      false,
      false,
      'ATIS-1000099',
    ])
    expect(block?.contacts).toEqual([
      { kind: 'url', value: 'https://redress.example/a?b=c' },
      { kind: 'tel', value: '+15550100099' },
      { kind: 'email', value: 'redress@analytics.example' },
    ])
  })

  test.each([
    ['603 NETWORK BLOCKED', analytics, undefined],
    ['603 Decline', analytics, 'The reason phrase was changed on the way.'],
    ['480 Temporarily Unavailable', analytics, 'The status was changed on the way.'],
    ['603 Network Blocked', analytics.replace('SIP;cause=603', 'Q.850;cause=21'), undefined],
    ['603 Network Blocked', `Reason: Q.850;cause=21, ${analytics.slice('Reason: '.length)}`, undefined],
  ])('is recognized by its details: %s, %s', (status, header, more) => {
    const { block, details, title } = explainRefusal(refused(respond(status, header)))
    expect([block?.kind, block?.identifier, title]).toEqual([
      'analytics',
      '42',
      'Analytics of the network of the called party blocked the call',
    ])
    expect(details.includes('changed on the way')).toBe(more !== undefined)
    expect(details).toContain(more ?? '')
    expect(details).not.toContain('v=analytics1')
  })

  test('is recognized by its phrase, without details', () => {
    const { explanation, details, block } = explainRefusal(refused(respond('603 network blocked')))
    expect([explanation, details, block?.isPhraseOnly]).toEqual([
      'a network blocked the call, and gave no details',
      '',
      true,
    ])
  })

  test.each([
    'url=http://plain.example',
    'url=javascript:alert(1)',
    'url=https://user@evil.example',
    'url=https://a.example/"onclick=x',
    'url=https://a.example/<b>',
    `url=https://a.example/${'x'.repeat(400)}`,
    'tel=0123',
    'tel=+1555x',
    'email=a@b',
    'email=a@b.example?bcc=all@c.example',
    'email=<a@b.example>',
  ])('shows no contact that is unsafe or invalid: %s', (contact) => {
    const { block, details } = explainRefusal(
      refused(
        respond('603 Network Blocked', `Reason: SIP;cause=603;text="v=analytics1;${contact.replaceAll('"', '\\"')}"`),
      ),
    )
    expect(block?.contacts).toEqual([])
    expect(details).toBe(' It names no contact for an objection.')
  })

  test('by a filter shows the signed contact card of RFC 8688, and no other Call-Info', () => {
    const { title, side, details, block, isDecided } = explainRefusal(
      refused(
        respond(
          '608 Rejected',
          'Call-Info: <https://icon.example/a,b.png>;purpose=icon, <https://block.example/jcard>;purpose=jwscard',
          'Call-Info: <http://plain.example>;purpose=jwscard',
        ),
      ),
      { hop: 'carrier', name: 'Carrier Bluewave' },
    )
    expect([title, side, isDecided]).toEqual(['A filter in a network blocked the call', 'network', false])
    expect(block?.contacts).toEqual([{ kind: 'url', value: 'https://block.example/jcard' }])
    expect(details).toContain('https://block.example/jcard')
  })

  test('marked as unwanted is the decision of the called side, and has the RFC of its status', () => {
    expect(explainRefusal(refused(respond('607 Unwanted')), { hop: 'carrier' })).toMatchObject({
      title: 'The called side marked the caller as unwanted',
      side: 'called-party',
      source: 'RFC 8197 §4',
      isDecided: true,
      isOrdinary: true,
    })
  })
})

describe('603 Decline', () => {
  const explain = (hop: RefusalHop, more: Partial<RefusedCall> = {}, ...headers: readonly string[]) =>
    explainRefusal(refused(respond('603 Decline', ...headers), more), { hop, name: 'Carrier Bluewave' })

  test('after ringing from a registered device was declined on the device', () => {
    expect(explain('client', { rang: true })).toMatchObject({
      explanation: 'the call was declined on the device',
      isDecided: true,
      isOrdinary: true,
      severity: 'warn',
      side: 'called-party',
    })
    expect(explain('client', { rang: true }, 'Reason: Q.850;cause=21;location=U').isDecided).toBe(true)
  })

  test.each<[string, RefusalHop, Partial<RefusedCall>, ...string[]]>([
    ['the platform', 'platform', { rang: true }],
    ['a carrier', 'carrier', { rang: true }],
    ['an unknown host', 'unknown', { rang: true }],
    ['a device that did not ring', 'client', {}],
    ['a device within 1 s', 'client', { rang: true, seconds: 0.5 }],
    ['a device after a CANCEL', 'client', { rang: true, isCanceled: true }],
    ['a device with an error of Twilio', 'client', { rang: true }, 'X-Twilio-Error: 10001'],
    ['a device with another cause', 'client', { rang: true }, 'Reason: Q.850;cause=17'],
    ['a device with a cause without a location', 'client', { rang: true }, 'Reason: Q.850;cause=21'],
    ['a device with another cause of SIP', 'client', { rang: true }, 'Reason: SIP;cause=503'],
  ])('from %s is no proof of a decision', (_what, hop, more, ...headers) => {
    const { isDecided, isOrdinary, explanation, title } = explain(hop, more, ...headers)
    expect([isDecided, isOrdinary]).toEqual([false, false])
    expect(`${explanation} ${title}`).not.toMatch(/declined/)
  })

  test('says that there is no reason only if there is none', () => {
    expect(explain('carrier').title).toBe('Carrier Bluewave rejected the call, without a reason')
    expect(explain('carrier', {}, 'Reason: Q.850;cause=38')).toMatchObject({
      title: 'Carrier Bluewave rejected the call',
      explanation: 'the response contains a reason',
      details: ' Reason given: Q.850 cause 38, network out of order.',
    })
    expect(explain('platform').title).toBe('The platform or its application rejected the call')
  })

  test.each<[RefusalHop, Partial<RefusedCall>, string, string]>([
    [
      'carrier',
      { rang: true, ringSeconds: 6.4 },
      ' after 6 s of ringing',
      'The called party, its device by a setting,',
    ],
    [
      'client',
      { rang: true, ringSeconds: 3, isCanceled: true },
      ' after 3 s of ringing',
      'The called party, its device',
    ],
    ['carrier', { rang: true, ringSeconds: 0.4 }, '', 'No ringing was captured before: a network or a filter'],
    ['carrier', { rang: true }, '', 'No ringing was captured before: a network or a filter'],
  ])('from a %s says whether the call rang before: %j', (hop, more, rang, advice) => {
    const explained = explain(hop, more)
    expect(explained.title).toBe(`Carrier Bluewave rejected the call${rang}, without a reason`)
    expect(explained.advice).toContain(advice)
    expect(explain(hop, more, 'Reason: Q.850;cause=21').title).toBe(`Carrier Bluewave rejected the call${rang}`)
  })

  test('with another phrase is no decision', () => {
    const call = refused(respond('603 Maximum cost exceeded'), { rang: true })
    expect(explainRefusal(call, { hop: 'client' }).isDecided).toBe(false)
  })
})

test('no other status proves that a person decided, whatever its text and its hop', () => {
  for (const status of registeredStatuses.filter((one) => one >= 300 && one !== 603 && one !== 607))
    for (const hop of ['platform', 'carrier', 'client', 'unknown'] as const) {
      const call = refused(respond(`${status} Decline`), { rang: true })
      expect(explainRefusal(call, { hop }).isDecided, `${status} ${hop}`).toBe(false)
    }
})

test.each([
  ['404 Number Not Provisioned', 'X: y', 'The called number is not configured on the platform'],
  ['404 Not Found', 'X-Reason: no configured application', 'No application is configured for the called number'],
  ['503 Maximum Calls In Progress', 'X: y', 'A limit of simultaneous calls was reached'],
  ['503 Max Account Calls In Progress', 'X-Call-Limit: 5', 'The call limit of the account was reached'],
  ['503 Max Service Provider Calls In Progress', 'X: y', 'The call limit of the service provider was reached'],
  ['503 Service Unavailable', 'X-Reason: Account exists but is inactive', 'The account is inactive'],
])('the platform itself explains %s, %s', (status, header, title) => {
  const response = respond(status, header)
  expect(explainRefusal(refused(response), { hop: 'platform' })).toMatchObject({ title, side: 'platform' })
  // Another host does not speak for this platform.
  expect(explainRefusal(refused(response), { hop: 'carrier', name: 'Carrier Bluewave' }).title).toBeUndefined()
})

test('487 is canceled by the caller only with its CANCEL', () => {
  const response = respond('487 Request Terminated')
  expect(explainRefusal(refused(response, { isCanceled: true }))).toMatchObject({ isOrdinary: true, side: 'caller' })
  expect(explainRefusal(refused(response))).toMatchObject({ isOrdinary: true, side: 'unknown' })
})

describe('an ordinary cause of a network', () => {
  const explain = (status: string, ...reasons: readonly string[]) =>
    explainRefusal(refused(respond(status, ...reasons)), { hop: 'carrier', name: 'Carrier Bluewave' })

  test.each([
    ['480 Temporarily Unavailable', 19, 'The response says that the called party did not answer'],
    ['503 Service Unavailable', 17, 'The response says that the called party was busy'],
    ['500 Server Internal Error', 17, 'The response says that the called party was busy'],
  ])('is more exact than %s', (status, cause, title) => {
    expect(explain(status, `Reason: Q.850;cause=${cause}`)).toMatchObject({
      title,
      side: 'called-party',
      isOrdinary: true,
      severity: 'warn',
    })
  })

  test.each([
    ['the status that means the same', '503 Service Unavailable', ['Reason: SIP;cause=486, Q.850;cause=17']],
    [
      'the status of the response, which means the same',
      '480 Gone Out',
      ['Reason: Q.850;cause=19', 'Reason: SIP;cause=480'],
    ],
    ['the same cause of another network', '480 Gone Out', ['Reason: Q.850;cause=19;location=LN, Q.850;cause=19']],
  ])('counts beside %s', (_name, status, reasons) => {
    expect(explain(status, ...reasons)).toMatchObject({ isOrdinary: true, side: 'called-party' })
  })

  test.each(['486', '480'])('is not proven by the reason %s of SIP alone', (cause) => {
    expect(explain('503 Service Unavailable', `Reason: SIP;cause=${cause}`).isOrdinary).toBe(false)
  })

  test('leads to the ringing of calls if it is no answer, whatever was called', () => {
    for (const kind of ['carrier', 'client', 'uri'] as const)
      expect(explainRefusal(refused(respond('480 Gone Out', 'Reason: Q.850;cause=19')), { kind }).advice).toBe(
        'If this happens often, compare how long calls ring before they are answered.',
      )
  })

  test.each([
    ['another cause contradicts it', '480 Gone Out', ['Reason: Q.850;cause=19, Q.850;cause=34']],
    ['a status of another meaning contradicts it', '480 Gone Out', ['Reason: SIP;cause=486, Q.850;cause=19']],
    ['a reason of a vendor is beside it', '480 Gone Out', ['Reason: Q.850;cause=19, X.int;cause=19']],
    ['another reason contradicts it', '503 Service Unavailable', ['Reason: SIP;cause=503, Q.850;cause=17']],
    ['the status is more exact', '404 Not Found', ['Reason: Q.850;cause=17']],
    ['it is a failure', '503 Service Unavailable', ['Reason: Q.850;cause=34']],
  ])('counts nothing if %s', (_name, status, reasons) => {
    expect(explain(status, ...reasons).isOrdinary).toBe(false)
  })
})

describe('a cause about the called number', () => {
  const explain = (status: string, reason: string, host: Partial<Responder> = {}) =>
    explainRefusal(refused(respond(status, `Reason: ${reason}`)), { hop: 'carrier', kind: 'carrier', ...host })

  test.each([
    ['480 Temporarily Unavailable', 'Q.850;cause=1', 'is not allocated', 404],
    ['500 Server Internal Error', 'Q.850;cause=1', 'is not allocated', 404],
    ['503 Service Unavailable', 'Q.850;cause=1, SIP;cause=404', 'is not allocated', 404],
    ['503 Service Unavailable', 'Q.850;cause=5', 'has a wrong prefix', 484],
    ['502 Bad Gateway', 'Q.850;cause=22', 'has changed', 410],
    ['503 Service Unavailable', 'Q.850;cause=28', 'is not complete, or has a wrong format', 484],
  ])('is more exact than %s: %s', (status, reason, meaning, sameStatus) => {
    const { title, explanation, isOrdinary, severity, side, advice } = explain(status, reason)
    expect([title, explanation]).toEqual([
      `The response says that the called number ${meaning}`,
      `the called number ${meaning}`,
    ])
    expect([isOrdinary, severity, side, advice]).toEqual([false, 'bad', 'carrier', describeStatus(sameStatus).advice])
  })

  test.each([
    ['403 Forbidden', 'Q.850;cause=1'],
    ['503 Service Unavailable', 'Q.850;cause=1, Q.850;cause=34'],
    ['503 Service Unavailable', 'Q.850;cause=1, SIP;cause=503'],
    ['503 Service Unavailable', 'Q.850;cause=3'],
  ])('is not read from %s with %s', (status, reason) => {
    expect(explain(status, reason).explanation).not.toContain('the called number')
  })

  test('is passed on by the platform', () => {
    const { side, advice } = explain('503 Service Unavailable', 'Q.850;cause=1', { hop: 'platform', kind: 'client' })
    expect([side, advice]).toEqual([
      'unknown',
      'Check that the SIP client is registered, and the name that was dialed.',
    ])
  })
})

describe('a cause that is more exact than the status', () => {
  const explain = (status: string, reason: string, more: Partial<RefusedCall> = {}, host: Partial<Responder> = {}) =>
    explainRefusal(refused(respond(status, `Reason: ${reason}`), more), {
      hop: 'carrier',
      name: 'Carrier Bluewave',
      kind: 'carrier',
      ...host,
    })

  test.each([
    ['404 Not Found', 'Q.850;cause=1', 'The response says that the called number is not allocated'],
    ['604 Does Not Exist Anywhere', 'Q.850;cause=1', 'The response says that the called number is not allocated'],
    ['410 Gone', 'Q.850;cause=22', 'The response says that the called number has changed'],
    [
      '484 Address Incomplete',
      'Q.850;cause=28',
      'The response says that the called number is not complete, or has a wrong format',
    ],
    ['404 Not Found', 'Q.850;cause=2', 'The response says that there is no route to the called number'],
    ['404 Not Found', 'Q.850;cause=3', 'The response says that there is no route to the called number'],
    ['480 Gone Out', 'Q.850;cause=18', 'The response says that the called party did not respond'],
    ['408 Request Timeout', 'Q.850;cause=18, SIP;cause=408', 'The response says that the called party did not respond'],
    [
      '480 Gone Out',
      'Q.850;cause=20, SIP;cause=480',
      'The response says that the called device is switched off, or out of reach',
    ],
    ['480 Gone Out', 'Q.850;cause=38', 'Carrier Bluewave could not connect the call: network out of order'],
    ['500 Oops', 'Q.850;cause=41', 'Carrier Bluewave could not connect the call: temporary failure'],
    ['502 Bad Gateway', 'Q.850;cause=27', 'Carrier Bluewave could not connect the call: destination out of order'],
    ['487 Request Terminated', 'Q.850;cause=19', 'The response says that the called party did not answer'],
    ['487 Request Terminated', 'Q.850;cause=17', 'The response says that the called party was busy'],
    ['487 Request Terminated', 'Q.850;cause=1', 'The response says that the called number is not allocated'],
    ['487 Request Terminated', 'Q.850;cause=38', 'Carrier Bluewave could not connect the call: network out of order'],
  ])('is the headline: %s, %s', (status, reason, title) => {
    expect(explain(status, reason).title).toBe(title)
  })

  test.each([
    ['404 Not Found', 'Q.850;cause=17', undefined],
    ['404 Not Found', 'Q.850;cause=20', undefined],
    ['404 Not Found', 'Q.850;cause=38', undefined],
    ['404 Not Found', 'Q.850;cause=3, Q.850;cause=34', undefined],
    ['410 Gone', 'Q.850;cause=1', undefined],
    ['403 Forbidden', 'Q.850;cause=38', undefined],
    [
      '480 Gone Out',
      'Q.850;cause=18, Q.850;cause=38',
      'Carrier Bluewave responded that the called party cannot be reached now',
    ],
    ['503 Service Unavailable', 'Q.850;cause=31', undefined],
  ])('is not the headline if the status says something else, or several disagree: %s, %s', (status, reason, title) => {
    expect(explain(status, reason).title).toBe(title)
  })

  test('says nothing about a 487 that answers a CANCEL', () => {
    for (const cause of [1, 17, 18, 19, 38])
      expect(explain('487 Request Terminated', `Q.850;cause=${cause}`, { isCanceled: true })).toMatchObject({
        title: undefined,
        side: 'caller',
        isOrdinary: true,
      })
  })

  test('says whether anything is broken, and on which side', () => {
    const rate = (status: string, reason: string) => {
      const { isOrdinary, severity, side } = explain(status, reason)
      return [isOrdinary, severity, side]
    }
    expect(rate('480 Gone Out', 'Q.850;cause=20')).toEqual([true, 'warn', 'called-party'])
    expect(rate('480 Gone Out', 'Q.850;cause=18')).toEqual([false, 'warn', 'called-party'])
    expect(rate('480 Gone Out', 'Q.850;cause=38')).toEqual([false, 'bad', 'carrier'])
    expect(rate('487 Request Terminated', 'Q.850;cause=38')).toEqual([false, 'bad', 'carrier'])
  })

  test('leads to the device if it is a registered one, and otherwise to other carriers', () => {
    for (const cause of [18, 20]) {
      const reason = `Q.850;cause=${cause}`
      expect(explain('480 Gone Out', reason).advice).toContain('compare the answer rates of your carriers')
      expect(explain('480 Gone Out', reason, {}, { hop: 'client', kind: 'client' }).advice).toContain(
        'Check that the SIP client is registered',
      )
    }
    expect(explain('480 Gone Out', 'Q.850;cause=34').advice).toContain('channel limit')
    expect(explain('480 Gone Out', 'Q.850;cause=38').advice).not.toContain('channel limit')
  })

  test.each([16, 31])('gives no reason: %i', (cause) => {
    const { title, advice } = explain('480 Gone Out', `Q.850;cause=${cause}`)
    expect(title).toBe('Carrier Bluewave responded that the called party cannot be reached now')
    expect(advice).toContain('The cause in the response names no reason.')
  })

  test('is no fault of the platform, which passes it on', () => {
    for (const reason of ['Q.850;cause=3', 'Q.850;cause=1'])
      expect(explain('404 Not Found', reason, {}, { hop: 'platform', kind: 'unknown' }).side).toBe('unknown')
    expect(explain('480 Gone Out', 'Q.850;cause=18', {}, { hop: 'platform', kind: 'unknown' }).side).toBe('unknown')
  })
})

describe('a busy status', () => {
  const explain = (status: string, ...reasons: readonly string[]) =>
    explainRefusal(refused(respond(status, ...reasons)), { hop: 'carrier', name: 'Carrier Bluewave' })

  test.each(['34;text="No circuit/channel available"', '38', '41', '42', '47', '1'])(
    'is contradicted by cause %s alone',
    (cause) => {
      expect(explain('486 Busy Here', `Reason: Q.850;cause=${cause}`)).toMatchObject({
        title: 'The response says busy, which its reason contradicts',
        side: 'unknown',
        isOrdinary: false,
        severity: 'warn',
      })
    },
  )

  test.each([
    [[]],
    [['Reason: Q.850;cause=17']],
    [['Reason: Q.850;cause=21']],
    [['Reason: SIP;cause=486, Q.850;cause=34']],
    [['Reason: Q.850;cause=17', 'Reason: Q.850;cause=34']],
  ])('counts with %j', (reasons) => {
    expect(explain('486 Busy Here', ...reasons)).toMatchObject({ title: undefined, isOrdinary: true })
  })
})

test('603 of the platform leads to the outbound routing only for outbound calls', () => {
  const advice = (isOutbound: boolean) =>
    explainRefusal(refused(respond('603 Decline')), { hop: 'platform', isOutbound }).advice
  expect(advice(true)).toContain('Check the outbound routing')
  expect(advice(false)).toBe('Check whether the application declines the call, or dials a party that does.')
})

describe('a call that rang', () => {
  const explain = (status: string, more: Partial<RefusedCall>, hop: RefusalHop = 'carrier', ...headers: string[]) => {
    const { title, isOrdinary, side } = explainRefusal(refused(respond(status, ...headers), { rang: true, ...more }), {
      hop,
      name: 'Carrier Bluewave',
    })
    return [title, isOrdinary, side]
  }
  const unanswered = ['The call rang for 30 s, and was not answered', true, 'called-party']

  test.each(['408 Request Timeout', '480 Temporarily Unavailable'])('for long was not answered: %s', (status) => {
    expect(explain(status, { ringSeconds: 30 })).toEqual(unanswered)
    expect(explain(status, { ringSeconds: 30 }, 'unknown')).toEqual(unanswered)
    expect(explain(status, { ringSeconds: 30 }, 'carrier', 'Reason: Q.850;cause=18')).toEqual(unanswered)
  })

  test.each<[string, Partial<RefusedCall>, RefusalHop, ...string[]]>([
    ['did not ring', { ringSeconds: undefined }, 'carrier'],
    ['rang for a moment', { ringSeconds: 14 }, 'carrier'],
    ['was canceled', { ringSeconds: 30, isCanceled: true }, 'carrier'],
    ['was ended by the platform', { ringSeconds: 30 }, 'platform'],
    ['has a cause of a network', { ringSeconds: 30 }, 'carrier', 'Reason: Q.850;cause=38'],
    ['has a reason of SIP', { ringSeconds: 30 }, 'carrier', 'Reason: SIP;cause=403'],
    ['has a warning', { ringSeconds: 30 }, 'carrier', 'Warning: 399 sbc "no route"'],
    ['has an error of Twilio', { ringSeconds: 30 }, 'carrier', 'X-Twilio-Error: 32011'],
  ])('is not said to be unanswered if it %s', (_what, more, hop, ...headers) => {
    for (const status of ['408 Request Timeout', '480 Temporarily Unavailable']) {
      const [title, isOrdinary] = explain(status, more, hop, ...headers)
      expect([title ?? '', isOrdinary]).toEqual([expect.not.stringContaining('not answered'), false])
    }
  })

  test('is not said to be unanswered if the platform responded to the caller', () => {
    const call = refused(respond('480 Temporarily Unavailable'), { ringSeconds: 30 })
    expect(explainRefusal(call, { isOutbound: false }).isOrdinary).toBe(false)
  })
})

test('the advice about a captured 408 is about what the host called', () => {
  const { title, advice } = explainRefusal(refused(respond('408 Request Timeout')), {
    hop: 'carrier',
    name: 'Carrier Bluewave',
  })
  expect([title, advice]).toEqual([
    'Carrier Bluewave responded that the called side did not respond in time',
    'If this happens again, send the Call-ID and the time to the carrier.',
  ])
})

describe('503 with a cause of Q.850', () => {
  const explain = (cause: string, kind: 'carrier' | 'client' = 'carrier') => {
    const { title, explanation, advice } = explainRefusal(refused(respond('503 Service Unavailable', cause)), {
      hop: kind,
      name: 'Carrier Bluewave',
      kind,
    })
    return [title, explanation, advice]
  }

  test.each([
    ['27', 'destination out of order'],
    ['38', 'network out of order'],
  ])('states the cause %s, and not capacity', (cause, meaning) => {
    const [title, explanation, advice] = explain(`Reason: Q.850;cause=${cause}`)
    expect([title, explanation]).toEqual([
      `Carrier Bluewave was not available for the call: ${meaning}`,
      'it was not available for the call',
    ])
    expect(advice).not.toContain('channel limit')
  })

  test('leads to the channel limit if all channels were in use', () => {
    expect(explain('Reason: Q.850;cause=34')[2]).toContain('channel limit')
    expect(explain('Reason: Q.850;cause=34', 'client')[2]).not.toContain('channel')
  })

  test('has the meaning of a cause that several networks, or the status of the response, repeat', () => {
    for (const reason of ['Q.850;cause=38;location=LN, Q.850;cause=38', 'SIP;cause=503, Q.850;cause=38'])
      expect(explain(`Reason: ${reason}`)[0]).toBe(
        'Carrier Bluewave was not available for the call: network out of order',
      )
  })

  test('has the general meaning if the cause is unknown, or not the only one', () => {
    const general = 'it is overloaded, in maintenance, or has no route to the called party'
    for (const reason of ['Q.850;cause=126', 'Q.850;cause=38, SIP;cause=500', 'SIP;cause=503'])
      expect(explain(`Reason: ${reason}`).slice(0, 2)).toEqual([undefined, general])
  })
})
