import { describe, expect, test } from 'vitest'
import { compareNumbers, parseIdentities, parseStatedVerifications } from './identity.ts'
import { type ParsedSipMessage, parseSip } from './parser.ts'

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const signature = 'c2lnbmF0dXJl'.repeat(8)

const passport = (
  claims: unknown,
  header: unknown = { alg: 'ES256', typ: 'passport', ppt: 'shaken', x5u: 'https://x5u.example/c.pem' },
) => `${encode(header)}.${encode(claims)}.${signature}`

const claims = {
  attest: 'B',
  dest: { tn: ['15550100002'] },
  iat: 1_772_366_400,
  orig: { tn: '15550100001' },
  origid: '0a0b0c0d-1111-4222-8333-444455556666',
}

const invite = (...headers: readonly string[]): ParsedSipMessage => {
  const lines = ['INVITE sip:+15550100002@sbc.example SIP/2.0', 'CSeq: 1 INVITE', ...headers, '', '']
  const parsed = parseSip(lines.join('\r\n'))
  if (parsed === undefined) throw new Error('This is not SIP')
  return parsed
}

const decode = (...headers: readonly string[]) => parseIdentities(invite(...headers))

describe('an Identity header', () => {
  test('is decoded with its claims and the host of the certificate', () => {
    expect(
      decode(`Identity: ${passport(claims)};info=<https://cert.example:8443/a;b,c.pem>;alg=ES256;ppt="shaken"`),
    ).toEqual([
      {
        token: passport(claims),
        type: 'shaken',
        isCompact: false,
        isReadable: true,
        attestation: 'B',
        origination: '0a0b0c0d-1111-4222-8333-444455556666',
        issuedAt: 1_772_366_400,
        certificateHost: 'cert.example',
        calling: '15550100001',
        called: ['15550100002'],
        diverted: undefined,
        callerName: undefined,
        callReason: undefined,
      },
    ])
  })

  test('can have several values, in several headers, in one, and in the compact form of the name', () => {
    const div = passport({ ...claims, attest: undefined, div: { tn: '15550100003' } }, { ppt: 'div' })
    const rcd = passport({ ...claims, rcd: { nam: 'Front desk' }, crn: 'Appointment' }, { ppt: 'rcd' })
    const found = decode(
      `Identity: ${passport(claims)};info=<https://a.example/c,1>;alg=ES256;ppt=shaken, ${div};info=<https://b.example>;ppt=div`,
      `y: ${rcd};info=<https://c.example>`,
    )
    expect(
      found.map(({ type, certificateHost, diverted, callerName, callReason }) => [
        type,
        certificateHost,
        diverted,
        callerName,
        callReason,
      ]),
    ).toEqual([
      ['shaken', 'a.example', undefined, undefined, undefined],
      ['div', 'b.example', '15550100003', undefined, undefined],
      ['rcd', 'c.example', undefined, 'Front desk', 'Appointment'],
    ])
  })

  test('of several thousand characters is decoded completely', () => {
    const long = passport({ ...claims, rcd: { nam: 'Front desk', jcd: 'x'.repeat(3000) } })
    expect(long.length).toBeGreaterThan(4000)
    expect(decode(`Identity: ${long};info=<https://cert.example/c>;ppt=rcd`)).toMatchObject([
      { callerName: 'Front desk', isReadable: true, certificateHost: 'cert.example' },
    ])
  })

  test('in compact form has no claims', () => {
    expect(decode(`Identity: ..${signature};info=<https://cert.example>;alg=ES256;ppt=shaken`)).toMatchObject([
      { isCompact: true, isReadable: false, type: 'shaken', attestation: undefined },
    ])
  })

  test('takes the host of the certificate from the token if there is no info', () => {
    expect(decode(`Identity: ${passport(claims)}`)).toMatchObject([{ certificateHost: 'x5u.example', type: 'shaken' }])
  })

  test.each([
    ['no base64url', 'a!.b!.c'],
    ['no JSON', `${encode('{')}.${encode('}')}.x`],
    ['no object', `${encode([])}.${encode('1')}.x`],
    ['no UTF-8', `${Buffer.from([0xff, 0xfe]).toString('base64url')}.${encode(claims)}.x`],
    ['one part', '.'],
    ['members of every object', `${encode({ constructor: 1 })}.${encode({ __proto__: 1, attest: 'constructor' })}.x`],
  ])('with %s claims nothing', (_what, value) => {
    expect(decode(`Identity: ${value};info=<javascript:alert(1)>`)).toMatchObject([
      { attestation: undefined, origination: undefined, certificateHost: undefined, calling: undefined, called: [] },
    ])
  })

  test('has no value that is not of the right kind', () => {
    const wrong = {
      attest: 'D',
      origid: 'two words',
      iat: '1772366400',
      orig: 'x',
      dest: { tn: [1, {}] },
      div: [],
      rcd: 'x',
      crn: 1,
    }
    expect(decode(`Identity: ${passport(wrong)}`)).toMatchObject([
      {
        attestation: undefined,
        origination: undefined,
        issuedAt: undefined,
        calling: undefined,
        called: [],
        diverted: undefined,
      },
    ])
  })

  test('is ignored without a value, and beyond ten', () => {
    expect(decode('Identity:', 'Identity: ,')).toEqual([])
    expect(decode(...Array.from({ length: 12 }, () => `Identity: ..${signature}`))).toHaveLength(10)
  })
})

describe('the signed numbers', () => {
  const compare = (...headers: readonly string[]) => {
    const { isCallingSigned, isCalledSigned } = compareNumbers(invite(...headers), {
      calling: '15550100001',
      called: ['15550100002'],
    })
    return [isCallingSigned, isCalledSigned]
  }
  const to = 'To: <sip:+15550100002@sbc.example>'

  test.each<[(boolean | undefined)[], string[]]>([
    [
      [true, true],
      ['From: "Ann" <sip:+1-555-010-0001@a.example>;tag=1', to],
    ],
    [
      [true, true],
      ['From: <sip:anonymous@anonymous.invalid>;tag=1', 'P-Asserted-Identity: <sip:x@a>, <tel:+1(555)010.0001>', to],
    ],
    [
      [false, true],
      ['From: <sip:15550100009@a.example>;tag=1', to],
    ],
    // A national number has no calling code.
    [
      [true, true],
      ['From: <sip:5550100001@a.example>;tag=1', 'To: <sip:5550100002@sbc.example>'],
    ],
    [
      [true, true],
      ['From: <sip:05550100001@a.example>;tag=1', to],
    ],
    [
      [false, true],
      ['From: <sip:0001@a.example>;tag=1', to],
    ],
    [
      [undefined, true],
      ['From: <sip:anonymous@anonymous.invalid>;tag=1', to],
    ],
    [
      [true, false],
      ['From: <tel:+15550100001;verstat=TN-Validation-Passed>;tag=1', 'To: <sip:0115550100002@sbc.example>'],
    ],
    [
      [true, undefined],
      ['From: <sip:15550100001@a>;tag=1', 'To: <sip:reception@sbc.example>'],
    ],
  ])('match: %j for %j', (expected, headers) => expect(compare(...headers)).toEqual(expected))
})

describe('the word of a carrier', () => {
  const state = (...headers: readonly string[]) =>
    parseStatedVerifications(invite(...headers)).map(({ header, result, attestation, text }) =>
      [header, result ?? text, attestation].filter(Boolean).join(' '),
    )

  test.each([
    [
      'P-Asserted-Identity: <sip:+15550100001;verstat=TN-Validation-Passed-A@carrier.example;user=phone>',
      'P-Asserted-Identity passed A',
    ],
    ['P-Asserted-Identity: <tel:+15550100001;verstat=TN-Validation-Failed-C>', 'P-Asserted-Identity failed C'],
    ['P-Asserted-Identity: <sip:1@a>;verstat=No-TN-Validation', 'P-Asserted-Identity none'],
    ['From: "x" <sip:1@a;verstat=TN-Validation-Passed>;tag=1', 'From passed'],
    ['From: <sip:1@a>;tag=1;verstat=TN-Validation-Passed-b', 'From passed B'],
    ['X-Twilio-VerStat: TN-Validation-Passed-A', 'X-Twilio-VerStat passed A'],
    ['X-Plivo-Stir-Verification: Verified', 'X-Plivo-Stir-Verification Verified'],
    ['From: <sip:1@a>;verstat=nonsense;tag=1', 'From nonsense'],
  ])('%s', (header, expected) => expect(state(header)).toEqual([expected]))

  test('is not the name of a caller, and not a value of a longer name', () => {
    expect(state('From: "a;verstat=TN-Validation-Passed-A" <sip:1@a>;tag=1', 'X-Twilio-VerStat:')).toEqual([])
    expect(state('From: <sip:1@a>;tag=1;x-verstat=TN-Validation-Passed-A')).toEqual([])
  })
})
