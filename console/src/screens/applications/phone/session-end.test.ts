import { expect, test } from 'vitest'
import { findFailure } from './session-end.ts'

const url = 'wss://sip.example.com:8443'
const response = (status_code: number, reason_phrase: string, headers: Record<string, string> = {}) => ({
  status_code,
  reason_phrase,
  getHeader: (name: string) => headers[name],
})

test('a call that one side has ended has not failed', () => {
  expect(findFailure({ originator: 'remote', cause: 'Terminated', message: null }, url)).toBe(undefined)
  expect(findFailure({ originator: 'local', cause: 'Canceled', message: response(487, 'Canceled') }, url)).toBe(
    undefined,
  )
  // The BYE of the other side is a request, and has no status.
  const bye = { getHeader: () => undefined }
  expect(findFailure({ originator: 'remote', cause: 'Terminated', message: bye }, url)).toBe(undefined)
})

test('a rejected call has the status, and the reason that the platform adds', () => {
  const message = response(480, 'Temporarily Unavailable', { 'X-Reason': 'no configured application' })
  expect(findFailure({ originator: 'remote', cause: 'Unavailable', message }, url)).toEqual({
    kind: 'rejected',
    status: 480,
    reason: 'Temporarily Unavailable',
    detail: 'no configured application',
  })
})

test.each([
  ['Request Timeout', { kind: 'no-response', url }],
  ['Connection Error', { kind: 'disconnected', url, code: undefined, reason: '' }],
  ['No Answer', { kind: 'no-answer' }],
  ['RTP Timeout', { kind: 'no-media' }],
  ['Bad Media Description', { kind: 'other', cause: 'Bad Media Description' }],
])('a call that ended with %s has failed', (cause, failure) => {
  expect(findFailure({ originator: 'local', cause, message: null }, url)).toEqual(failure)
})
