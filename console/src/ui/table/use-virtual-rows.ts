import { type RefObject, useEffect, useState } from 'react'

/** Renders only the rows near the viewport. All rows must have the same height. */

/** The number of rendered rows, and the number of rows by which the window moves. */
const drawnRows = 200
const step = 50

/** Returns the range of rendered rows for the first visible row. Short lists are rendered completely. */
export const windowAt = (top: number, rows: number) => {
  const start = Math.max(0, Math.min(Math.floor(top / step) * step - step, rows - drawnRows))
  return { start, end: Math.min(start + drawnRows, rows) }
}

/**
 * Returns the first visible row, in steps, and a function that announces the row to scroll to before it is rendered.
 * The list element has the height of all rows. Without rows nothing is observed.
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
