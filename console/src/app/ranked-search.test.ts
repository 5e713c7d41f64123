import { expect, test } from 'vitest'
import { findable, rankMatches } from './ranked-search.ts'

const find = (query: string, names: readonly string[], limit = 10) =>
  rankMatches(
    query,
    names.map((name) => findable(name, name)),
    limit,
  )

test.each([
  [
    'acme',
    ['Macmead', 'The Acme Group', 'ACME West', 'Beta', 'Acme'],
    ['Acme', 'ACME West', 'The Acme Group', 'Macmead'],
  ],
  ['west ac', ['Acme West', 'Acme East', 'West'], ['Acme West']],
  ['re ca', ['Recent calls', 'Accounts'], ['Recent calls']],
  ['zurich', ['Zürich', 'Genève'], ['Zürich']],
  ['GENÈVE', ['Zürich', 'Geneve'], ['Geneve']],
  ['acme prod', ['acme-prod_1', 'acme.test'], ['acme-prod_1']],
  ['acme-prod', ['Acme Prod'], ['Acme Prod']],
  ['北京', ['北京分公司', '上海'], ['北京分公司']],
  ['nothing', ['Acme'], []],
])('%s finds each word anywhere, what names it best first', (query, names, expected) => {
  expect(find(query, names).items).toEqual(expected)
})

test('the start of the name is better than that of a word, that better than its middle; the whole name is best', () => {
  const names = ['Exact', 'Big east', 'East', 'Eastern', 'Beast']
  expect(find('east', names).items).toEqual(['East', 'Eastern', 'Big east', 'Beast'])
})

test('other texts find too, from the start of their words, and less well than a name', () => {
  const all = [findable('by sid', 'Beta', '3f2a01bc-77de'), findable('by name', '3f2 office')]
  expect(rankMatches('3f2', all, 10).items).toEqual(['by name', 'by sid'])
  expect(rankMatches('3f2a01bc-77de', all, 10).items).toEqual(['by sid'])
  expect(rankMatches('f2a0', all, 10).items).toEqual([])
})

test('returns the best of many matches and their total number', () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `Account ${index}`)
  expect(find('account 9', names, 3)).toMatchObject({ items: ['Account 9', 'Account 90', 'Account 91'], total: 3439 })
  expect(find('nothing', names)).toEqual({ items: [], total: 0, best: 0 })
})
