import { selectedResults } from '@patchbay/contract/shared/call-results'
import { expect, test } from 'vitest'
import { describeStatus } from '../sip/statuses.ts'
import { getCallResult, type ResultCondition, toResultCondition } from './call-result.ts'

const errors = Array.from({ length: 300 }, (_, index) => index + 400)
const toResult = (sip_status: number, answered = false) => getCallResult({ answered, sip_status })

test('a call that the network delivered has not failed, as in statistics', () => {
  const delivered = errors.filter((status) => describeStatus(status).isDelivered)
  expect(delivered).toContain(486)
  expect(delivered.filter((status) => toResult(status) === 'failed')).toEqual([])
})

test('a call has failed with an error status, unless the status does not prove it', () => {
  const others = errors.filter((status) => !describeStatus(status).isDelivered && toResult(status) !== 'failed')
  expect(others).toEqual([408, 603])
})

test.each([
  [486, 'busy'],
  [600, 'busy'],
  [480, 'no answer'],
  [487, 'cancelled'],
  [0, 'not answered'],
  [200, 'not answered'],
])('a call that was not answered, with status %i, is %s', (status, result) => {
  expect(toResult(status)).toBe(result)
})

test('an answered call is answered, whatever its last status says', () => {
  expect(toResult(503, true)).toBe('answered')
})

const matches = ({ answered, status }: ResultCondition, call: { answered: boolean; sip_status: number }): boolean => {
  if (answered !== call.answered) return false
  if (status === undefined) return true
  if ('in' in status) return status.in.includes(call.sip_status)
  return call.sip_status >= status.from && call.sip_status <= status.until && !status.except.includes(call.sip_status)
}

test.each(selectedResults)('the condition of %s selects exactly the calls with this result', (result) => {
  const calls = [true, false].flatMap((answered) =>
    Array.from({ length: 1100 }, (_, sip_status) => ({ answered, sip_status })),
  )
  const selected = calls.filter((call) => matches(toResultCondition(result), call))
  expect(selected).toEqual(calls.filter((call) => getCallResult(call) === result))
  expect(selected).not.toEqual([])
})
