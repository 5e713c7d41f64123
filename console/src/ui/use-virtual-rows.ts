import { type RefObject, useEffect, useState } from 'react'

/** Of long lists whose rows are all as high those near what is seen are drawn. */

/** So many rows are drawn at once, and the window moves by so many. */
const drawnRows = 200
const step = 50

/** The rows that are drawn where this one is at the top: all of a few, of many those around it. */
export const windowAt = (top: number, rows: number) => {
  const start = Math.max(0, Math.min(Math.floor(top / step) * step - step, rows - drawnRows))
  return { start, end: Math.min(start + drawnRows, rows) }
}

/**
 * Which row of so many is at the top of what is seen, in steps, while whatever holds the list scrolls; the list is as
 * high as all of its rows. A row that is to be gone to is told before it is drawn. Nothing is looked at where there are none.
 */
export const useTopRow = (list: RefObject<HTMLElement | null>, rows: number): [number, (row: number) => void] => {
  const [top, setTop] = useState(0)
  useEffect(() => {
    if (rows === 0) return undefined
    const look = () => {
      const box = list.current?.getBoundingClientRect()
      if (box && box.height > 0) setTop(Math.floor(Math.max(0, (-box.top / box.height) * rows) / step) * step)
    }
    addEventListener('scroll', look, { capture: true, passive: true })
    return () => removeEventListener('scroll', look, { capture: true })
  }, [list, rows])
  return [top, setTop]
}
