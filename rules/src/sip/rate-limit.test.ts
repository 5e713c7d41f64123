import { describe, expect, test } from 'vitest'
import { type ParsedSipMessage, parseSip } from './parser.ts'
import { describeCallLimit, describeFraudFilter, describeRateLimit } from './rate-limit.ts'
import type { Responder } from './refused-call.ts'

const respond = (status: string, ...headers: readonly string[]): ParsedSipMessage => {
  const parsed = parseSip([`SIP/2.0 ${status}`, 'CSeq: 1 INVITE', ...headers, '', ''].join('\r\n'))
  if (parsed === undefined) throw new Error('This is not SIP')
  return parsed
}

const carrier: Responder = { hop: 'carrier', name: 'Carrier Bluewave', isOutbound: true, kind: 'carrier' }

describe('a rate limit', () => {
  test.each([
    ['503 CPS limit exceeded'],
    ['503 Max CPS reached'],
    ['503 Calls Per Second limit'],
    ['500 Rate limited'],
    ['503 Rate-Limit Exceeded'],
    ['429 Too Many Requests'],
    ['503 Request throttled'],
    ['503 Service Unavailable', 'Reason: SIP;cause=503;text="call per second limit reached"'],
    ['500 Server Internal Error', 'Warning: 399 carrier.example "Trunk is over its CPS"'],
  ])('is named by the phrase, or by a header: %s, %s', (status, ...headers) => {
    expect(describeRateLimit(respond(status, ...headers), carrier)).toMatchObject({
      title: 'Carrier Bluewave rejected the call because of a rate limit',
      advice: 'Spread the calls over more time, or ask the carrier for a higher limit of calls per second.',
      isOrdinary: false,
    })
  })

  test.each([
    ['503 Service Unavailable', 'Retry-After: 1'],
    ['503 Channel limit exceeded'],
    ['403 Maximum rate exceeded'],
    ['403 Rate too expensive'],
    ['603 Maximum cost exceeded'],
    ['503 Maximum calls in progress'],
    ['503 Accurate limit'],
    ['500 Server Internal Error', 'Warning: 399 cps.limit.example "Overloaded"'],
    ['503 CPS unavailable'],
  ])('is not concluded from other limits, or from a time to wait: %s, %s', (status, ...headers) => {
    expect(describeRateLimit(respond(status, ...headers), carrier)).toBeUndefined()
  })

  test('is no fault of a host that is not known', () => {
    const response = respond('503 CPS limit exceeded')
    expect(describeRateLimit(response, { ...carrier, hop: 'unknown', kind: 'unknown' })).toMatchObject({
      title: 'The response names a rate limit',
      side: 'unknown',
      advice:
        'Spread the calls over more time, or ask the operator of the host that sent this response for a higher limit.',
    })
  })
})

describe('a limit of simultaneous calls', () => {
  test.each([
    ['403 Call limit exceeded'],
    ['503 Channel limit exceeded'],
    ['486 Too many concurrent calls'],
    ['403 User channel limit exceeded D1'],
    ['503 Service Unavailable', 'Reason: Q.850;cause=34;text="Simultaneous calls exceeded"'],
  ])('is named by the phrase, or by a header: %s, %s', (status, ...headers) => {
    expect(describeCallLimit(respond(status, ...headers), carrier)).toMatchObject({
      title: 'Carrier Bluewave rejected the call because of a limit of simultaneous calls',
      isOrdinary: false,
    })
  })

  test.each([
    ['503 CPS limit exceeded'],
    ['403 Call duration limit exceeded'],
    ['403 Concurrent calls not allowed'],
    ['503 Channel unavailable'],
  ])('is not concluded from other texts: %s', (status) => {
    expect(describeCallLimit(respond(status), carrier)).toBeUndefined()
  })
})

describe('a protection against fraud', () => {
  test.each([
    ['503 Destination blocked by fraud protection'],
    ['403 Fraud detected'],
    ['403 Forbidden', 'Warning: 399 carrier.example "Suspected fraud"'],
    ['603 Decline', 'Reason: SIP;cause=603;text="Rejected as fraudulent"'],
  ])('is named by the phrase, or by a header: %s, %s', (status, ...headers) => {
    expect(describeFraudFilter(respond(status, ...headers), carrier)).toMatchObject({
      title: 'Carrier Bluewave rejected the call because of protection against fraud',
      advice: 'If the call is wanted, ask the carrier to allow this destination and this calling number.',
    })
  })

  test.each([
    ['503 Service Unavailable'],
    ['403 Blocked'],
    ['403 Defrauded'],
    ['403 Fraud'],
    ['403 Forbidden', 'Server: fraud-protection'],
  ])('is not concluded from other texts: %s, %s', (status, ...headers) => {
    expect(describeFraudFilter(respond(status, ...headers), carrier)).toBeUndefined()
  })
})
