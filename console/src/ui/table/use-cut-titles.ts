import { type RefObject, useEffect } from 'react'

/**
 * Gives the cells whose text is cut a title with the whole text. Reads the sizes after the layout of the browser, so
 * that it forces no other.
 * @param inputs the values on which the texts depend
 */
export const useCutTitles = (body: RefObject<HTMLElement | null>, inputs: readonly unknown[]): void => {
  useEffect(() => {
    const element = body.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => {
      for (const cell of element.querySelectorAll<HTMLElement>('tr[data-row] > td')) {
        if (cell.scrollWidth > cell.clientWidth) cell.title = cell.textContent
        else cell.removeAttribute('title')
      }
    })
    observer.observe(element)
    return () => observer.disconnect()
    // oxlint-disable-next-line react/exhaustive-deps -- the texts depend on them
  }, inputs)
}
