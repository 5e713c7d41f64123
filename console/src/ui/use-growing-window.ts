import { type RefObject, useEffect, useRef, useState } from 'react'

const step = 150

export interface GrowingWindow {
  limit: number
  /** Goes on the element after the last row that is drawn; when it comes near, more are. */
  end: RefObject<HTMLTableRowElement | null>
  more: boolean
}

/** Draws a list as one scrolls through it, so that a list of any length opens at once. */
export const useGrowingWindow = (total: number): GrowingWindow => {
  const [limit, setLimit] = useState(step)
  const end = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    if (end.current === null) return
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) setLimit((now) => now + step)
      },
      { rootMargin: '600px' },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [limit, total])
  return { limit, end, more: total > limit }
}
