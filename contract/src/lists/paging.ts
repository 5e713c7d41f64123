/** Paging of lists (COMMON-25 to COMMON-31). Page numbers start at 1. */

export const pageSizes = [25, 50, 100] as const
export type PageSize = (typeof pageSizes)[number]
export const defaultPageSize: PageSize = 25

/** Returns the number of pages. 0 if there are no rows. */
export const pageCount = (total: number, pageSize: number): number => Math.ceil(total / pageSize)

/** Returns the page number, limited to the existing pages. */
export const clampPage = (page: number, pages: number): number => Math.min(Math.max(1, page), Math.max(1, pages))

export type PagerItem =
  | { kind: 'page'; page: number; current: boolean }
  | { kind: 'jump'; to: number; direction: 'back' | 'forward' }

const adjacentPages = 1
const jumpDistance = 3
const pagesAtEnds = 4

/**
 * Returns the page numbers in the pager: the first and last page, one neighbor on each side of the current page, and
 * the first or last four pages if the current page is near an end.
 */
const visiblePages = (page: number, pages: number): number[] => {
  const pageNumbers = new Set([1, pages])
  for (let near = page - adjacentPages; near <= page + adjacentPages; near += 1) pageNumbers.add(near)
  if (page <= pagesAtEnds) for (let first = 1; first <= pagesAtEnds; first += 1) pageNumbers.add(first)
  if (page > pages - pagesAtEnds)
    for (let last = pages - pagesAtEnds + 1; last <= pages; last += 1) pageNumbers.add(last)
  return [...pageNumbers].filter((pageNumber) => pageNumber >= 1 && pageNumber <= pages).sort((a, b) => a - b)
}

/**
 * Returns the pager's items from left to right. Each gap becomes a jump by three pages that stops at the first or last
 * page. A gap of one page shows that page, because a jump would take the same space.
 */
export const pagerItems = (page: number, pages: number): PagerItem[] => {
  const items: PagerItem[] = []
  const addPage = (pageNumber: number) => items.push({ kind: 'page', page: pageNumber, current: pageNumber === page })
  let previous = 0
  for (const visiblePage of visiblePages(page, pages)) {
    if (visiblePage === previous + 2) addPage(previous + 1)
    else if (visiblePage > previous + 1) {
      const back = visiblePage <= page
      const to = clampPage(back ? page - jumpDistance : page + jumpDistance, pages)
      items.push({ kind: 'jump', to, direction: back ? 'back' : 'forward' })
    }
    addPage(visiblePage)
    previous = visiblePage
  }
  return items
}
