/** Paging rules of every list (spec 0 §9). Pages are 1-based. */

export const pageSizes = [25, 50, 100] as const
export type PageSize = (typeof pageSizes)[number]
export const defaultPageSize: PageSize = 25

export const pageCount = (total: number, pageSize: number): number => Math.ceil(total / pageSize)

/** The page itself, or the nearest one that exists. */
export const clampPage = (page: number, pages: number): number => Math.min(Math.max(1, page), Math.max(1, pages))

export type PagerItem =
  | { kind: 'page'; page: number; current: boolean }
  | { kind: 'jump'; to: number; direction: 'back' | 'forward' }

const neighbours = 1
const jump = 3
const atTheEnds = 4

/** Which page numbers stand in the pager: the ends, one neighbour each side, the first or last four near an end. */
const shownPages = (page: number, pages: number): number[] => {
  const shown = new Set([1, pages])
  for (let near = page - neighbours; near <= page + neighbours; near += 1) shown.add(near)
  if (page <= atTheEnds) for (let first = 1; first <= atTheEnds; first += 1) shown.add(first)
  if (page > pages - atTheEnds) for (let last = pages - atTheEnds + 1; last <= pages; last += 1) shown.add(last)
  return [...shown].filter((shownPage) => shownPage >= 1 && shownPage <= pages).sort((a, b) => a - b)
}

/** The pager's items, left to right; a gap becomes a jump by three pages, never past an end. */
export const pagerItems = (page: number, pages: number): PagerItem[] => {
  const items: PagerItem[] = []
  let previous = 0
  for (const shown of shownPages(page, pages)) {
    if (shown > previous + 1) {
      const back = shown <= page
      const to = clampPage(back ? page - jump : page + jump, pages)
      items.push({ kind: 'jump', to, direction: back ? 'back' : 'forward' })
    }
    items.push({ kind: 'page', page: shown, current: shown === page })
    previous = shown
  }
  return items
}
