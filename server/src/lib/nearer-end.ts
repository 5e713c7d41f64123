/** A query for a page of a list: its direction, and the numbers of rows to return and to skip. */
export interface PageRead {
  /** `backward` reads in the reverse order of the list and counts the offset from its end. */
  direction: 'forward' | 'backward'
  limit: number
  offset: number
}

/**
 * Returns the query for a page from the nearer end of a list, so that the last page takes no longer than the first. The
 * caller reverses rows that are read backward.
 *
 * @param total number of rows of the list
 * @param offset number of rows before the page, less than `total`
 */
export const fromNearerEnd = (total: number, size: number, offset: number): PageRead => {
  const limit = Math.min(size, total - offset)
  const offsetFromEnd = total - offset - limit
  return offsetFromEnd < offset
    ? { direction: 'backward', limit, offset: offsetFromEnd }
    : { direction: 'forward', limit: size, offset }
}
