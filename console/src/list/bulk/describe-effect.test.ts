import { expect, test } from 'vitest'
import { describeEffect } from './describe-effect.ts'

const nouns = ['carrier', 'carriers'] as const
const toRecord = (before?: string | number | null) => ({
  changes: before === undefined ? [] : [{ field: 'application_sid', before, after: 'new' }],
})
const application = { name: 'application_sid', type: 'application' } as const

test.each([
  [
    [toRecord('a'), toRecord(null), toRecord(null), toRecord()],
    false,
    'replaces another value of 1 carrier, set for 2 carriers without a value, 1 carrier has it already',
  ],
  [
    [toRecord('a'), toRecord('b'), toRecord(), toRecord()],
    true,
    'removed from 2 carriers, 2 carriers have none already',
  ],
  [[toRecord()], true, '1 carrier has none already'],
])('%j, cleared: %s', (records, isCleared, text) => {
  expect(describeEffect(application, isCleared, records, nouns)).toBe(text)
})

test('a switch has only two values', () => {
  const records = [toRecord(0), toRecord()]
  const text = describeEffect({ ...application, type: 'flag' }, false, records, nouns)
  expect(text).toBe('changes 1 carrier, 1 carrier has it already')
})
