import { expect, test } from 'vitest'
import { fromNearerEnd } from './nearer-end.ts'

/** Reads a page of a list in the way that the function returns. */
const readPage = (rows: readonly number[], size: number, offset: number) => {
  const { direction, limit, offset: skipped } = fromNearerEnd(rows.length, size, offset)
  const source = direction === 'forward' ? rows : rows.toReversed()
  const page = source.slice(skipped, skipped + limit)
  return direction === 'forward' ? page : page.toReversed()
}

test('returns the same rows for every page, from either end', () => {
  for (const total of [1, 2, 9, 10, 11, 25]) {
    const rows = Array.from({ length: total }, (_, row) => row)
    for (const size of [1, 3, 5, 30])
      for (let offset = 0; offset < total; offset += 1)
        expect(readPage(rows, size, offset), `${total} ${size} ${offset}`).toEqual(rows.slice(offset, offset + size))
  }
})

test('skips at most half of the rows', () => {
  expect(fromNearerEnd(100_000, 25, 99_975)).toEqual({ direction: 'backward', limit: 25, offset: 0 })
  expect(fromNearerEnd(100_010, 25, 100_000)).toEqual({ direction: 'backward', limit: 10, offset: 0 })
  expect(fromNearerEnd(100_000, 25, 49_975)).toEqual({ direction: 'forward', limit: 25, offset: 49_975 })
  expect(fromNearerEnd(100_000, 25, 50_000)).toEqual({ direction: 'backward', limit: 25, offset: 49_975 })
})
