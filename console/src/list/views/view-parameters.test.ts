import { expect, test } from 'vitest'
import { isSameView, toViewParameters } from './view-parameters.ts'

test('a view contains the filters and columns of a list, but not the page or the open row', () => {
  const search = {
    account: 'all',
    page: 3,
    size: 50,
    open: 'row',
    tab: 'sip',
    view: 'sid',
    date: undefined,
    columns: 'a,b',
  }
  expect(toViewParameters(search)).toEqual({ account: 'all', size: '50', columns: 'a,b' })
})

test.each([
  [{}, {}, true],
  [{ a: '1', b: '2' }, { b: '2', a: '1' }, true],
  [{ a: '1' }, {}, false],
  [{}, { a: '1' }, false],
  [{ a: '1' }, { a: '2' }, false],
])('%j and %j are the same view: %s', (one, other, expected) => {
  expect(isSameView(one, other)).toBe(expected)
})
