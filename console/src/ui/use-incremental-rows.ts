import { type RefCallback, useCallback, useEffect, useState } from 'react'

const step = 150
/** Up to this number of rows are rendered while the browser is idle, so that the browser's search finds them. */
const findableRows = 1000

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

/** Whether the user sees the start of the page. */
const isAtTop = () => window.scrollY < window.innerHeight

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
    if (grown > step && isAtTop()) setGrown(step)
  }
  const limit = Math.max(grown, at + 1)
  const more = total > limit
  const grow = useCallback(() => setGrown((now) => Math.max(now, at + 1) + step), [at])
  useEffect(() => void drawn.set(getCurrentUrl(), grown), [grown])
  useEffect(() => {
    if (!more || limit >= findable || !('requestIdleCallback' in window)) return undefined
    const idle = requestIdleCallback(grow)
    return () => cancelIdleCallback(idle)
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
