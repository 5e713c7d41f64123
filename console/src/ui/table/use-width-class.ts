import { type RefObject, useLayoutEffect, useState } from 'react'

/** The width class of a table, by its width in rem, as in the style sheet. */
export type WidthClass = 'wide' | 'medium' | 'tight'

/** Tables up to this width, in rem, show rows as cards, which have space for all columns below each other. */
const maxCardWidth = 37
const toWidthClass = (width: number): WidthClass =>
  width <= maxCardWidth || width >= 60 ? 'wide' : width >= 44 ? 'medium' : 'tight'

export const useWidthClass = (frame: RefObject<HTMLElement | null>): WidthClass => {
  const [widthClass, setWidthClass] = useState<WidthClass>('wide')
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return undefined
    const measure = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      setWidthClass(toWidthClass(element.offsetWidth / rem))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [frame])
  return widthClass
}
