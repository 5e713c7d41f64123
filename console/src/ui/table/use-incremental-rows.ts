import { type RefCallback, useCallback, useEffect, useState } from 'react'

const step = 150
/** More than a screen has. */
const firstRows = 60
/** Up to this number of rows are rendered without scrolling, so that the browser's search finds them. */
const findableRows = 1000
/** The user types the next letter in between. */
const pauseMs = 400

export interface GrowingWindow {
  limit: number
  /**
   * The ref of an element after the last rendered row, with `limit` as its key. More rows are rendered when it comes
   * near.
   */
  end: RefCallback<HTMLElement>
  more: boolean
}

// The number of rendered rows by URL, so that the scroll position can be restored when the user returns.
const drawn = new Map<string, number>()
const getCurrentUrl = () => window.location.pathname + window.location.search

/**
 * Renders a list incrementally while the user scrolls, so that lists of any length open quickly. Begins again when the
 * number of rows changes at the top of the page, because a keystroke in a filter would render thousands of rows
 * otherwise. `at` is a row that must be rendered, and `findable` is the number of rows that are rendered without
 * scrolling.
 */
export const useGrowingWindow = (total: number, at = -1, findable = findableRows): GrowingWindow => {
  const [grown, setGrown] = useState(() => drawn.get(getCurrentUrl()) ?? step)
  const [followed, setFollowed] = useState(total)
  if (followed !== total) {
    setFollowed(total)
    if (scrollY < step) setGrown(firstRows)
  }
  const limit = Math.max(grown, at + 1)
  const more = total > limit
  const grow = useCallback(() => setGrown((now) => Math.max(now, at + 1) + step), [at])
  useEffect(() => void drawn.set(getCurrentUrl(), grown), [grown])
  useEffect(() => {
    if (!more || limit >= findable) return undefined
    const timer = setTimeout(grow, pauseMs)
    return () => clearTimeout(timer)
  }, [more, limit, findable, grow])
  const end = useCallback(
    (row: HTMLElement) => {
      const observer = new IntersectionObserver(
        ([entry]) => {
          if (entry?.isIntersecting) grow()
        },
        { rootMargin: '600px' },
      )
      observer.observe(row)
      return () => observer.disconnect()
    },
    [grow],
  )
  return { limit, end, more }
}
