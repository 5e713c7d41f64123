import { describe, expect, test } from 'vitest'
import { describeCause } from './causes.ts'
import { type ParsedSipMessage, parseSip } from './parser.ts'
import {
  formatProviderDetails,
  formatReasonHeaders,
  formatRetryAfter,
  parseReasons,
  parseRetryAfter,
} from './reasons.ts'

const respond = (status: string, ...headers: readonly string[]): ParsedSipMessage => {
  const parsed = parseSip([`SIP/2.0 ${status}`, 'CSeq: 1 INVITE', ...headers, '', ''].join('\r\n'))
  if (parsed === undefined) throw new Error('This is not SIP')
  return parsed
}

const format = (...headers: readonly string[]): string => formatReasonHeaders(respond('486 Busy Here', ...headers))

describe('Reason headers', () => {
  test.each([
    ['Reason: Q.850;cause=17', 'Q.850 cause 17, user busy'],
    ['reason:Q.850 ; cause = 17 ; text = "User \\"busy\\""', 'Q.850 cause 17, User "busy"'],
    ['Reason: SIP;description="User Hung Up"', 'SIP, User Hung Up'],
    ['Reason: SIP;cause=486', 'SIP cause 486, Busy Here'],
    ['Reason: SIP;cause=200;text="Call completed elsewhere"', 'SIP cause 200, Call completed elsewhere'],
    [
      'Reason: STIR;cause=436;text="Bad Identity Info";ppi="..abc"',
      'STIR cause 436, Bad Identity Info, about a signature of the calling number',
    ],
    ['Reason: STIR;cause=437', 'STIR cause 437, Unsupported Credential'],
    ['Reason: Q.850;cause=21;location=RLN', 'Q.850 cause 21, call rejected, from the network of the called party'],
    ['Reason: Q.850;cause=21;location=U', 'Q.850 cause 21, call rejected, from the user'],
    ['Reason: Q.850;cause=200', 'Q.850 cause 200'],
    ['Reason: preemption;cause=1;text="UA Preemption"', 'PREEMPTION cause 1, UA Preemption'],
    ['Reason: FreeSWITCH;cause=502;text="a, b; c"', 'FREESWITCH cause 502, a, b; c'],
    ['Reason: Q.850;cause=16;x=<a,b>;text="t"', 'Q.850 cause 16, t'],
    [
      'Reason: Q.850;cause=41, SIP;cause=500',
      'SIP cause 500, Server Internal Error; Q.850 cause 41, temporary failure',
    ],
    [
      'Reason: Q.850;cause=17;text="busy, sorry",Q.850;cause=18',
      'Q.850 cause 17, busy, sorry; Q.850 cause 18, no user responding',
    ],
    ['Reason: Q.850;cause=17,,Q.850;cause=17', 'Q.850 cause 17, user busy'],
    ['Reason: SIP;text="only words"', 'SIP, only words'],
    [
      'Reason: Q.850;cause=63;text="0a0b0c0d-1111-4222-8333-444455556666;CallRejected"',
      'Q.850 cause 63, CallRejected (identifier for support: 0a0b0c0d-1111-4222-8333-444455556666)',
    ],
    ['Reason: SIP;cause=603;text="v=analytics1;url=https://a.example"', 'SIP cause 603, blocked by analytics'],
  ])('%s', (header, expected) => expect(format(header)).toBe(` Reason given: ${expected}.`))

  test('several headers give one sentence, with the reasons of SIP first', () => {
    expect(format('Reason: Q.850;cause=17', 'Reason: SIP;cause=603')).toBe(
      ' Reason given: SIP cause 603, Decline; Q.850 cause 17, user busy.',
    )
  })

  test.each([
    'Reason:',
    'Reason: ',
    'Reason: ;',
    'Reason: ,',
    'Reason: ;text=""',
    'Warning:',
    'Warning: ,',
    'Warning: 399 a ""',
  ])('a header without a value gives no sentence: %s', (header) => expect(format(header)).toBe(''))

  test('every cause has words, in a Reason header without a text', () => {
    const causes = [
      1, 2, 3, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 25, 26, 27, 28, 29, 30, 31, 34, 38, 41, 42, 43, 44, 47,
    ]
    const more = [50, 55, 57, 58, 65, 70, 79, 87, 88, 95, 96, 97, 98, 99, 100, 101, 102, 111, 127]
    for (const cause of [...causes, ...more]) {
      expect(describeCause(cause), `${cause}`).toMatch(/^[a-z].*[a-z]$/)
      expect(format(`Reason: Q.850;cause=${cause}`)).toBe(
        ` Reason given: Q.850 cause ${cause}, ${describeCause(cause)}.`,
      )
    }
  })

  test('a long text is shortened, and control characters are removed', () => {
    expect(format(`Reason: SIP;cause=486;text="a\u0007b${'c'.repeat(2000)}"`)).toMatch(
      /^ Reason given: SIP cause 486, a bc{297}…\.$/,
    )
  })

  test('an unclosed quote does not hide the cause', () => {
    expect(parseReasons(respond('486 x', 'Reason: Q.850;cause=17;text="bu'))).toMatchObject([
      { protocol: 'Q.850', cause: 17 },
    ])
  })
})

describe('Warning headers', () => {
  test.each([
    ['Warning: 399 sbc.example "No codec"', 'No codec'],
    [
      'Warning: 304 a "Media type not available", 305 b "Say \\"no\\", please"',
      'Media type not available; Say "no", please',
    ],
    ['Warning: 370 a', 'insufficient bandwidth'],
    ['Warning: 305 a ""', 'incompatible media format'],
  ])('%s', (header, expected) => expect(format(header)).toBe(` It warns: ${expected}.`))
})

describe('Retry-After', () => {
  test.each([
    [
      '503 Service Unavailable',
      'Retry-After: 120 (maintenance);duration=3600',
      ' It asks to send it no calls for 120 seconds ("maintenance"), and can be reached for 3600 seconds after that.',
    ],
    [
      '480 Temporarily Unavailable',
      'Retry-After: 18000;duration=3600',
      ' It asks not to try again for 18000 seconds, and can be reached for 3600 seconds after that.',
    ],
    ['486 Busy Here', 'Retry-After: 1', ' It asks not to try again for 1 second.'],
    [
      '500 Server Internal Error',
      'Retry-After: 3 (a (nested \\) one) here)',
      ' It asks not to try again for 3 seconds ("a (nested ) one) here").',
    ],
    ['503 x', 'Retry-After: 60 (duration=5)', ' It asks to send it no calls for 60 seconds ("duration=5").'],
    ['503 x', 'Retry-After: 60 ()', ' It asks to send it no calls for 60 seconds.'],
    ['503 x', 'Retry-After:', ''],
    ['503 x', 'Retry-After: soon', ''],
    ['503 x', 'Retry-After: 99999999999', ''],
  ])('%s with %s', (status, header, expected) => expect(formatRetryAfter(respond(status, header))).toBe(expected))

  test('never repeats the header', () => {
    expect(parseRetryAfter(respond('503 x', 'Retry-After: 120 (a);duration=5;x=y'))).toEqual({
      seconds: 120,
      comment: 'a',
      durationSeconds: 5,
    })
  })
})

test.each([
  ['403 Forbidden', 'X-Twilio-Error: 10001 Account is not active', ' Twilio error 10001, Account is not active.'],
  ['603 Decline', 'X-Twilio-Error: 32224', ' Twilio error 32224, blocked by regulation.'],
  ['603 Decline', 'X-Twilio-Error: 12345', ' Twilio error 12345.'],
  ['603 Decline', 'X-Twilio-Error: see console', ' Twilio error: see console.'],
  ['603 Decline', 'X-Twilio-Error:', ''],
  ['404 Connection inactive D18', 'Server: x', ' Telnyx documents D18 as: connection inactive.'],
  [
    '403 Dialed number is not included in whitelisted countries D13',
    'Server: x',
    ' Telnyx documents D13 as: country of the destination not allowed.',
  ],
  ['403 Destination Number 1 is invalid D11', 'Server: x', ' Telnyx documents D11 as: invalid destination number.'],
  ['403 Forbidden D17', 'Server: x', ' Telnyx documents D17 as: account or profile disabled.'],
  // The documents of Telnyx contradict each other.
  ['403 Forbidden D10', 'Server: x', ''],
  ['603 Decline D52', 'Server: x', ''],
  // The code belongs to another status.
  ['503 D18', 'Server: x', ''],
  ['404 Not Found', 'X-Reason: no configured application', ' X-Reason: no configured application.'],
  ['503 Max Account Calls In Progress', 'X-Call-Limit: 10', ' X-Call-Limit: 10.'],
])('the texts of a provider in %s, %s', (status, header, expected) =>
  expect(formatProviderDetails(respond(status, header))).toBe(expected),
)
