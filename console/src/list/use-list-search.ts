import { useEffect, useRef } from 'react'
import { saveListSearch } from './list-navigation-state.ts'
import { useSetSearch, useScreenSearch } from '../screen/links.tsx'
import { type ListSearch, omitUndefined } from '../routes/list-search-params.ts'
import type { Screen } from '../routes/define-screen.ts'

export interface ListAddress<Search extends ListSearch> {
  search: Search
  /** another filter, order or page, which Back undoes; any but another page starts at the first */
  change: (part: Partial<Search>) => void
  /** a filter that is being typed: one step for Back, however long it becomes */
  type: (filter: string) => void
  /** typing is over */
  settle: () => void
  /** opens a row, or closes the one that is open; no step for Back */
  open: (key: string | undefined) => void
  /** corrects the address, as a page that is past the end */
  correct: (part: Partial<Search>) => void
}

/** A list's filters live in the address, so that a link shows what its sender saw, and Back works. */
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
