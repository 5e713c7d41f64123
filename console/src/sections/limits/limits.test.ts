import { expect, test } from 'vitest'
import { changedLimits, isUnlimitedText, limitsOfUnit, limitsValues, toLimitsValues } from './limits.ts'

const none = toLimitsValues([])

test.each([
  ['', true],
  ['0', true],
  ['25', true],
  [' 25 ', true],
  ['2147483647', true],
  ['2147483648', false],
  ['-1', false],
  ['1.5', false],
  ['1e3', false],
  ['many', false],
])('PROVIDERS-08 %j can be saved as a limit: %s', (text, can) => {
  expect(limitsValues.safeParse({ ...none, voice_call_session: text }).success).toBe(can)
})

test('PROVIDERS-10 empty and 0 mean unlimited, and 0 that is stored stays a 0', () => {
  expect(['', ' ', '0', '1'].map(isUnlimitedText)).toEqual([true, true, true, false])
  expect(toLimitsValues([{ category: 'voice_call_session', quantity: 0 }]).voice_call_session).toBe('0')
})

test('only limits that differ are saved; categories that no form edits are left alone', () => {
  const stored = toLimitsValues([
    { category: 'voice_call_session', quantity: 10 },
    { category: 'device', quantity: 5 },
  ])
  const changed = (values: typeof none) => changedLimits(values, stored)
  expect(changed(stored)).toEqual([])
  expect(changed({ ...stored, voice_call_session: ' 010 ' })).toEqual([])
  expect(changed(none)).toEqual([{ category: 'voice_call_session', limit: null }])
  expect(changed({ ...stored, voice_call_minutes: '0', voice_call_session_license: '4' })).toEqual([
    { category: 'voice_call_session_license', limit: 4 },
    { category: 'voice_call_minutes', limit: 0 },
  ])
})

test('COMMON-57 usage is counted in sessions and in minutes', () => {
  expect(limitsOfUnit).toEqual({
    session: ['voice_call_session', 'voice_call_session_license'],
    minute: ['voice_call_minutes', 'voice_call_minutes_license'],
  })
})
