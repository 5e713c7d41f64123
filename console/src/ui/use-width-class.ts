import { type RefObject, useLayoutEffect, useState } from 'react'

/** The width class of a table, by its width in rem, as in the style sheet. */
export type WidthClass = 'wide' | 'medium' | 'tight'

/** Rows that are cards have room below one another. */
const cards = 37
const toWidthClass = (width: number): WidthClass =>
  width <= cards || width >= 60 ? 'wide' : width >= 44 ? 'medium' : 'tight'

export const useWidthClass = (frame: RefObject<HTMLElement | null>): WidthClass => {
  const [room, setRoom] = useState<WidthClass>('wide')
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return undefined
    const look = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      setRoom(toWidthClass(element.offsetWidth / rem))
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [frame])
  return room
}
