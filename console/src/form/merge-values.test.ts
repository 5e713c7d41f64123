import { expect, test } from 'vitest'
import { isSame, mergeValues, untouched } from './merge-values.ts'

const base = { name: 'Acme', hook: { url: 'https://a', method: 'GET' }, tags: ['x'] }

test('what only others have changed is taken, what only was changed here stays', () => {
  const mine = { ...base, name: 'Acme 2' }
  const theirs = { ...base, hook: { url: 'https://b', method: 'GET' } }
  const merged = mergeValues(base, mine, theirs)
  expect(merged.conflicts).toEqual([])
  expect(merged.mine).toEqual({ name: 'Acme 2', hook: { url: 'https://b', method: 'GET' }, tags: ['x'] })
  expect(merged.theirs).toEqual(merged.mine)
})

test('a field that both have changed is a conflict, of branches field by field', () => {
  const mine = { ...base, name: 'Mine', hook: { url: 'https://mine', method: 'POST' } }
  const theirs = { ...base, hook: { url: 'https://theirs', method: 'GET' }, tags: ['y'] }
  const merged = mergeValues(base, mine, theirs)
  expect(merged.conflicts).toEqual([{ path: 'hook.url', mine: 'https://mine', theirs: 'https://theirs' }])
  expect(merged.mine).toEqual({ name: 'Mine', hook: { url: 'https://mine', method: 'POST' }, tags: ['y'] })
  expect(merged.theirs).toEqual({ name: 'Mine', hook: { url: 'https://theirs', method: 'POST' }, tags: ['y'] })
})

test('the same change on both sides is none; a list is one field', () => {
  const changed = { ...base, name: 'Same' }
  expect(mergeValues(base, changed, changed).conflicts).toEqual([])
  const lists = mergeValues(base, { ...base, tags: ['x', 'y'] }, { ...base, tags: [] })
  expect(lists.conflicts.map(({ path }) => path)).toEqual(['tags'])
})

test('values are the same whatever the order of their members', () => {
  expect(isSame(base, { tags: ['x'], hook: { method: 'GET', url: 'https://a' }, name: 'Acme' })).toBe(true)
  expect(isSame(base, { ...base, tags: [] })).toBe(false)
})

test('what nobody has touched here and others have changed', () => {
  const mine = { ...base, name: 'Mine', tags: ['y'] }
  const theirs = { name: 'Theirs', hook: { url: 'https://b', method: 'GET' }, tags: ['x'] }
  expect([...untouched(base, mine, theirs)]).toEqual([['hook.url', 'https://b']])
})
