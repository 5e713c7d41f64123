import { type RefCallback, useCallback, useState } from 'react'

const step = 150

export interface GrowingWindow {
  limit: number
  /** Goes on an element after the last row that is drawn, with `limit` as its key; near it, more are drawn. */
  end: RefCallback<HTMLTableRowElement>
  more: boolean
}

/** Draws a list as one scrolls through it, so that a list of any length opens at once. */
export const useGrowingWindow = (total: number): GrowingWindow => {
  const [limit, setLimit] = useState(step)
  const end = useCallback((row: HTMLTableRowElement) => {
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) setLimit((now) => now + step)
      },
      { rootMargin: '600px' },
    )
    observer.observe(row)
    return () => observer.disconnect()
  }, [])
  return { limit, end, more: total > limit }
}
