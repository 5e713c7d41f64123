import { expect, test } from 'vitest'
import { changedMembers } from './changed-members.ts'

test('only what differs, compared by value', () => {
  const before = { name: 'a', realm: null, hook: { url: 'x', method: 'GET' }, flag: true }
  expect(changedMembers({ ...before, hook: { url: 'x', method: 'GET' } }, before)).toEqual({})
  const now = { ...before, realm: 'r', hook: { url: 'x', method: 'POST' } }
  expect(changedMembers<object>(now, before)).toEqual({ realm: 'r', hook: { url: 'x', method: 'POST' } })
})
