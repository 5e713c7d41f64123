import { expect, test } from 'vitest'
import { FieldsChangedError, findFieldChanges } from './field-changes.ts'

const watched = { kind: 'voip_carrier', fields: ['is_active', 'application_sid'] } as const
const record = (before: object, after: object) => [{ action: 'update', kind: 'voip_carrier', before, after }]

test('only watched fields with another value are changes, and flags are numbers', () => {
  const before = { name: 'Atlantic', is_active: true, application_sid: null }
  const after = { name: 'Baltic', is_active: 0, application_sid: null }
  expect(findFieldChanges(record(before, after), watched)).toEqual([{ field: 'is_active', before: 1, after: 0 }])
})

test('a field that the change does not name keeps its value', () => {
  expect(findFieldChanges(record({ is_active: 1, application_sid: 'a' }, { is_active: 1 }), watched)).toEqual([])
})

test('changes of other kinds are ignored', () => {
  const changes = [{ action: 'delete', kind: 'webhook', before: { is_active: 1 }, after: null }]
  expect(findFieldChanges(changes, watched)).toEqual([])
})

test.each([
  [record({ is_active: 1 }, { is_active: 0 }), 'another value'],
  [[], 'no recorded change'],
])('%j does not fulfill an expectation: %s', (changes) => {
  expect(() => findFieldChanges(changes, { ...watched, expected: { is_active: 0 } })).toThrow(FieldsChangedError)
})
