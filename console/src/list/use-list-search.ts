import { useEffect, useRef } from 'react'
import type { Screen } from '../routes/define-screen.ts'
import { type ListSearch, omitUndefined } from '../routes/list-search-params.ts'
import { useScreenSearch, useSetSearch } from '../screen/links.tsx'
import { saveListSearch } from './list-navigation-state.ts'

export interface ListAddress<Search extends ListSearch> {
  search: Search
  /**
   * Changes a filter, the order, or the page, as an entry in the browser history. Returns to the first page unless the
   * page changes.
   */
  change: (part: Partial<Search>) => void
  /** Changes the filter while the user types. The whole text is one entry in the browser history. */
  type: (filter: string) => void
  /** Ends typing, so that the next text is another entry in the browser history. */
  settle: () => void
  /** Opens a row, or closes the open one, without an entry in the browser history. */
  open: (key: string | undefined) => void
  /** Corrects the URL, such as a page after the last one, without an entry in the browser history. */
  correct: (part: Partial<Search>) => void
}

/**
 * Returns the filters of a list and functions that change them. They are in the URL, so that links and the browser's
 * Back button reproduce them.
 * @param onChange is called with the new filters
 */
export const useListSearch = <Search extends ListSearch>(
  screen: Screen<string, Search>,
  onChange?: (search: Search) => void,
): ListAddress<Search> => {
  const search = useScreenSearch<Search>(screen)
  const say = useSetSearch(screen)
  const isTyping = useRef(false)
  useEffect(() => saveListSearch(screen, search), [screen, search])

  const show = (next: Search, how: { replace?: boolean; resetScroll?: boolean } = {}) => {
    onChange?.(next)
    void say(omitUndefined(next), how)
  }
  const change = (part: Partial<Search>) => {
    isTyping.current = false
    show({ ...search, page: undefined, open: undefined, ...part })
  }
  return {
    search,
    change,
    type: (filter) => {
      const replace = isTyping.current
      isTyping.current = true
      show({ ...search, page: undefined, open: undefined, filter: filter === '' ? undefined : filter }, { replace })
    },
    settle: () => {
      isTyping.current = false
    },
    open: (key) => show({ ...search, open: key }, { replace: true, resetScroll: false }),
    correct: (part) => show({ ...search, ...part }, { replace: true }),
  }
}
