import { expect, test } from 'vitest'
import { getCallTimes } from './call-times.ts'

const attempted_at = '2026-11-27T22:10:31.000Z'
const answered_at = '2026-11-27T22:10:37.000Z'
const terminated_at = '2026-11-27T22:11:29.000Z'

test('an answered call waits until its answer, and is talked from there to its end', () => {
  expect(getCallTimes({ answered: true, attempted_at, answered_at, terminated_at })).toEqual({
    waiting: 6,
    talking: 52,
  })
})

test('a call without an answer waits until its end', () => {
  const call = { answered: false, attempted_at, answered_at: null, terminated_at }
  expect(getCallTimes(call)).toEqual({ waiting: 58, talking: undefined })
})

test('a time that is missing, or before the one that precedes it, proves nothing', () => {
  const none = { waiting: undefined, talking: undefined }
  expect(getCallTimes({ answered: true, attempted_at, answered_at: null, terminated_at })).toEqual(none)
  const jambonz = { answered: true, attempted_at, answered_at: '1970-01-01T00:00:00.000Z', terminated_at }
  expect(getCallTimes(jambonz)).toEqual(none)
  expect(getCallTimes({ answered: false, attempted_at, answered_at, terminated_at: null })).toEqual(none)
  expect(getCallTimes({ answered: false, attempted_at, answered_at, terminated_at: '2026-11-27T22:10:30Z' })).toEqual(
    none,
  )
})
