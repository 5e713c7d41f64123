import { expect, test } from 'vitest'
import { isSame, untouched } from './compare-values.ts'
import { mergeValues } from './merge-values.ts'

const base = { name: 'Acme', hook: { url: 'https://a', method: 'GET' }, tags: ['x'] }

test('merges changes of both sides to different fields', () => {
  const local = { ...base, name: 'Acme 2' }
  const remote = { ...base, hook: { url: 'https://b', method: 'GET' } }
  const merged = mergeValues(base, local, remote)
  expect(merged.conflicts).toEqual([])
  expect(merged.keepLocal).toEqual({ name: 'Acme 2', hook: { url: 'https://b', method: 'GET' }, tags: ['x'] })
  expect(merged.keepRemote).toEqual(merged.keepLocal)
})

test('a field that both have changed is a conflict, of branches field by field', () => {
  const local = { ...base, name: 'Mine', hook: { url: 'https://mine', method: 'POST' } }
  const remote = { ...base, hook: { url: 'https://theirs', method: 'GET' }, tags: ['y'] }
  const merged = mergeValues(base, local, remote)
  expect(merged.conflicts).toEqual([{ path: 'hook.url', localValue: 'https://mine', remoteValue: 'https://theirs' }])
  expect(merged.keepLocal).toEqual({ name: 'Mine', hook: { url: 'https://mine', method: 'POST' }, tags: ['y'] })
  expect(merged.keepRemote).toEqual({ name: 'Mine', hook: { url: 'https://theirs', method: 'POST' }, tags: ['y'] })
})

test('ignores the same change on both sides, and treats a list as one field', () => {
  const changed = { ...base, name: 'Same' }
  expect(mergeValues(base, changed, changed).conflicts).toEqual([])
  const lists = mergeValues(base, { ...base, tags: ['x', 'y'] }, { ...base, tags: [] })
  expect(lists.conflicts.map(({ path }) => path)).toEqual(['tags'])
})

test('values are the same whatever the order of their members', () => {
  expect(isSame(base, { tags: ['x'], hook: { method: 'GET', url: 'https://a' }, name: 'Acme' })).toBe(true)
  expect(isSame(base, { ...base, tags: [] })).toBe(false)
})

test('untouched returns the fields that only the remote side has changed', () => {
  const local = { ...base, name: 'Mine', tags: ['y'] }
  const remote = { name: 'Theirs', hook: { url: 'https://b', method: 'GET' }, tags: ['x'] }
  expect([...untouched(base, local, remote)]).toEqual([['hook.url', 'https://b']])
})
