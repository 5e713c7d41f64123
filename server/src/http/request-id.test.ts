import { expect, test } from 'vitest'
import { toTraceId } from './request-id.ts'

test.for([
  ['4A5165A2-6c8d-4e0c-b368-1eda657a9b47', '4a5165a26c8d4e0cb3681eda657a9b47'],
  ['a'.repeat(32), 'a'.repeat(32)],
  ['a'.repeat(31), undefined],
  ['0'.repeat(32), undefined],
  ['order-17', undefined],
])('the trace of the request %s has the ID %s', ([requestId, traceId]) => {
  expect(toTraceId(requestId ?? '')).toBe(traceId)
})
