import { expect, test } from 'vitest'
import { LastTotals, readCountedPage } from './counted-page.ts'
import type { PageRead } from './nearer-end.ts'

const createRows = (total: number) => Array.from({ length: total }, (_, row) => row)

/** A list whose reads are recorded in the order in which they begin. `count` ends after `select` has begun. */
const createList = (rows: readonly number[]) => {
  const reads: string[] = []
  return {
    reads,
    count: async () => {
      reads.push('count')
      await Promise.resolve()
      reads.push('counted')
      return rows.length
    },
    select: ({ direction, limit, offset }: PageRead) => {
      reads.push(direction)
      const source = direction === 'forward' ? rows : rows.toReversed()
      const page = source.slice(offset, offset + limit)
      return Promise.resolve(direction === 'forward' ? page : page.toReversed())
    },
  }
}

test.each([0, 1, 19_000, 20_000, 20_001, 50_000])(
  'returns the exact page and total if the last total was %i',
  async (lastTotal) => {
    const rows = createRows(20_000)
    for (const offset of [0, 25, 5000, 5025, 10_000, 12_000, 19_975, 19_990, 20_000, 60_000]) {
      const { rows: page, total } = await readCountedPage(createList(rows), 25, offset, lastTotal)
      expect(total).toBe(20_000)
      expect(page, `offset ${offset}`).toEqual(rows.slice(offset, offset + 25))
    }
  },
)

test('counts an empty list, and a list without a page', async () => {
  expect(await readCountedPage(createList([]), 25, 0)).toEqual({ rows: [], total: 0 })
  expect(await readCountedPage(createList(createRows(9)), 0, 0, 9)).toEqual({ rows: [], total: 9 })
})

test('reads a deep page while it counts if the last total is known, and after that otherwise', async () => {
  const reads = async (lastTotal?: number) => {
    const list = createList(createRows(20_000))
    await readCountedPage(list, 25, 19_975, lastTotal)
    return list.reads
  }
  expect(await reads(20_000)).toEqual(['count', 'backward', 'counted'])
  expect(await reads()).toEqual(['count', 'counted', 'backward'])
  expect(await reads(19_990)).toEqual(['count', 'backward', 'counted', 'backward'])
})

test('keeps a bounded number of totals, and forgets those that were set first', () => {
  const totals = new LastTotals()
  for (let list = 0; list < 201; list += 1) totals.set(`list ${list}`, list)
  expect(totals.get('list 0')).toBeUndefined()
  expect(totals.get('list 1')).toBe(1)
  totals.set('x'.repeat(501), 1)
  expect(totals.get('x'.repeat(501))).toBeUndefined()
})
