import { describe, expect, test } from 'vitest'
import { judgeRegistration, settleRegistration } from './registration.ts'

const now = Date.parse('2026-11-25T12:00:00Z')
const at = (text: string) => `2026-11-25T${text}.000Z`
const ok = (more: object) => judgeRegistration({ status: 'ok', reason: '200 OK', ...more }, now)

describe('a report', () => {
  test('is valid until the registration expires, and stale afterwards', () => {
    const timestamp = at('11:00:00')
    expect(ok({ timestamp, expires: 3600 })).toEqual({
      state: 'registered',
      reason: '200 OK',
      reported_at: timestamp,
      expires_at: at('12:00:00'),
      settled_at: null,
    })
    expect(ok({ timestamp, expires: '3599' }).state).toBe('stale')
    expect(ok({ timestamp: Date.parse(timestamp), expires: 60 }).state).toBe('stale')
  })

  test('without a time, as older platforms send it, is valid', () => {
    expect(ok({})).toMatchObject({ state: 'registered', expires_at: null })
  })

  test('about a failure has the reason of the carrier, if it sent one', () => {
    const failed = (reason: unknown) => judgeRegistration({ status: 'fail', reason }, now)
    expect(failed('403 Forbidden')).toMatchObject({ state: 'failing', reason: '403 Forbidden' })
    expect(failed({})).toMatchObject({ state: 'failing', reason: null })
  })

  test.each([{}, { status: null }, { status: '' }, { status: 7, timestamp: 'x', expires: -1 }, { reason: '200 OK' }])(
    'without a status says nothing: %j',
    (report) => {
      expect(judgeRegistration(report, now)).toMatchObject({ state: 'unknown', reported_at: null, expires_at: null })
    },
  )

  test('with times out of the range of dates does not throw', () => {
    expect(ok({ timestamp: 8.64e15, expires: 1e9 })).toMatchObject({ state: 'registered', expires_at: null })
    expect(ok({ timestamp: 1e300 })).toMatchObject({ state: 'registered', reported_at: null })
  })
})

describe('a refusal', () => {
  const report = { status: 'fail', reason: '423 Interval Too Brief', cseq: '7 REGISTER', timestamp: at('11:59:00') }
  const settle = (accepted: object | undefined, more: object = {}) => {
    const stored = { ...report, ...more }
    const complete = accepted && { cseq: 8, at: now - 30_000, seconds: 3600, ...accepted }
    return settleRegistration(judgeRegistration(stored, now), stored, complete, now)
  }

  test('is settled by a later REGISTER of the same Call-ID, whose expiry counts then', () => {
    expect(settle({})).toEqual({
      state: 'registered',
      reason: '423 Interval Too Brief',
      reported_at: at('11:59:00'),
      expires_at: at('12:59:30'),
      settled_at: at('11:59:30'),
    })
    expect(settle({ seconds: 10 })).toMatchObject({ state: 'stale', expires_at: at('11:59:40') })
    expect(settle({ seconds: undefined })).toMatchObject({ state: 'registered', expires_at: null })
  })

  test('is not settled without one, by the same one, or by an earlier one', () => {
    expect(settle(undefined).state).toBe('failing')
    expect(settle({ cseq: 7 }).state).toBe('failing')
    expect(settle({ cseq: 6, at: now }).state).toBe('failing')
  })

  test('without a CSeq is settled by a REGISTER after the time of the report, and not without a time', () => {
    expect(settle({ cseq: 1 }, { cseq: null }).state).toBe('registered')
    expect(settle({ at: now - 61_000 }, { cseq: null }).state).toBe('failing')
    expect(settle({}, { cseq: null, timestamp: undefined }).state).toBe('failing')
  })

  test('in the capture changes nothing about a valid registration', () => {
    expect(settle({}, { status: 'ok' })).toMatchObject({ state: 'registered', settled_at: null })
  })
})
