import { fromNearerEnd, type PageRead } from './nearer-end.ts'

/** Reads pages of lists together with their exact total. */

/** Up to this offset, reading a page takes less time than counting the list, so both are done at the same time. */
const nearOffset = 5000

const maxTotals = 200
const maxKeyLength = 500

/**
 * The last totals of lists. A total is out of date after the next change, also by another program, so it only decides
 * which queries run at the same time, and never the result.
 */
export class LastTotals {
  readonly #totals = new Map<string, number>()

  get(key: string): number | undefined {
    return this.#totals.get(key)
  }

  set(key: string, total: number): void {
    if (key.length > maxKeyLength) return
    this.#totals.delete(key)
    this.#totals.set(key, total)
    const [oldest] = this.#totals.keys()
    if (this.#totals.size > maxTotals && oldest !== undefined) this.#totals.delete(oldest)
  }
}

export interface CountedList<Row> {
  count(): Promise<number>
  /** Returns rows in the order of the list, also if they are read backward. */
  select(read: PageRead): Promise<Row[]>
}

/**
 * Returns a page and the total. Reads the page from the nearer end of the list. If the last total is known, the rows are
 * counted at the same time, and the page is read again only if it was read from an end that has moved.
 *
 * @param lastTotal total of an earlier read
 */
export const readCountedPage = async <Row>(
  list: CountedList<Row>,
  size: number,
  offset: number,
  lastTotal = 0,
): Promise<{ rows: Row[]; total: number }> => {
  const isNear = offset <= nearOffset
  const early: PageRead | undefined = isNear
    ? { direction: 'forward', limit: size, offset }
    : lastTotal > offset
      ? fromNearerEnd(lastTotal, size, offset)
      : undefined
  const [total, rows] = await Promise.all([list.count(), size === 0 ? [] : early && list.select(early)])
  if (offset >= total || size === 0) return { rows: [], total }
  if (rows && (early?.direction === 'forward' || total === lastTotal)) return { rows, total }
  return { rows: await list.select(fromNearerEnd(total, size, offset)), total }
}
