import { describe, expect, test } from 'vitest'
import { clampPage, defaultPageSize, pageCount, pagerItems, pageSizes } from './paging.ts'

describe('paging', () => {
  test('COMMON-25 COMMON-26 offers the page sizes 25, 50, and 100, with 25 as the default', () => {
    expect(pageSizes).toEqual([25, 50, 100])
    expect(defaultPageSize).toBe(25)
  })

  test('COMMON-27 COMMON-28 counts pages from 1 to the rounded-up quotient of total and page size', () => {
    expect(pageCount(26, 25)).toBe(2)
    expect(pageCount(25, 25)).toBe(1)
    expect(pageCount(0, 25)).toBe(0)
    expect(clampPage(0, 5)).toBe(1)
    expect(clampPage(9, 5)).toBe(5)
    expect(clampPage(3, 0)).toBe(1)
  })

  /** Current page as [n], jumps as << and >>. */
  const drawPager = (page: number, pages: number) =>
    pagerItems(page, pages)
      .map((item) =>
        item.kind === 'jump' ? (item.direction === 'back' ? '<<' : '>>') : item.current ? `[${item.page}]` : item.page,
      )
      .join(' ')

  test.each([
    [1, 1, '[1]'],
    [1, 5, '[1] 2 3 4 5'],
    [1, 6, '[1] 2 3 4 5 6'],
    [6, 6, '1 2 3 4 5 [6]'],
    [1, 7, '[1] 2 3 4 >> 7'],
    [4, 7, '1 2 3 [4] 5 6 7'],
    [3, 6, '1 2 [3] 4 5 6'],
    [1, 10, '[1] 2 3 4 >> 10'],
    [4, 10, '1 2 3 [4] 5 >> 10'],
    [5, 10, '1 << 4 [5] 6 >> 10'],
    [7, 10, '1 << 6 [7] 8 9 10'],
    [10, 10, '1 << 7 8 9 [10]'],
    [4, 8, '1 2 3 [4] 5 >> 8'],
    [5, 8, '1 << 4 [5] 6 7 8'],
    [10, 20, '1 << 9 [10] 11 >> 20'],
  ])('COMMON-29 COMMON-31 page %i of %i shows %s', (page, pages, expected) => {
    expect(drawPager(page, pages)).toBe(expected)
  })

  test('COMMON-30 jumps by 3 pages, but not past the ends', () => {
    const jumps = (page: number, pages: number) =>
      pagerItems(page, pages).flatMap((item) => (item.kind === 'jump' ? [item.to] : []))
    expect(jumps(10, 20)).toEqual([7, 13])
    expect(jumps(1, 10)).toEqual([4])
    expect(jumps(10, 10)).toEqual([7])
    for (let pages = 1; pages < 30; pages += 1)
      for (let page = 1; page <= pages; page += 1)
        for (const to of jumps(page, pages)) expect(to >= 1 && to <= pages).toBe(true)
  })
})
