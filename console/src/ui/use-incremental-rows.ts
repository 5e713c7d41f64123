import { type RefCallback, useCallback, useEffect, useState } from 'react'

const step = 150
/** As many rows of a table are drawn while the page rests, so that the browser's own find sees them. */
const findableRows = 1000

export interface GrowingWindow {
  limit: number
  /** Goes on an element after the last row that is drawn, with `limit` as its key; near it, more are drawn. */
  end: RefCallback<HTMLElement>
  more: boolean
}

// Who comes back to a place finds as many rows drawn as were, and so the scroll where it was.
const drawn = new Map<string, number>()
const place = () => window.location.pathname + window.location.search

/**
 * Draws a list as one scrolls through it, so that a list of any length opens at once. `at` is a row that must show;
 * `findable`: so many are drawn unasked.
 */
export const useGrowingWindow = (total: number, at = -1, findable = findableRows): GrowingWindow => {
  const [grown, setGrown] = useState(() => drawn.get(place()) ?? step)
  const limit = Math.max(grown, at + 1)
  const more = total > limit
  const grow = useCallback(() => setGrown((now) => now + step), [])
  useEffect(() => void drawn.set(place(), grown), [grown])
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
