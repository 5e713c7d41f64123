import { type FocusEvent, type KeyboardEvent, type PointerEvent, type RefObject, useState } from 'react'
import { flushSync } from 'react-dom'

interface ReorderOptions {
  list: RefObject<HTMLElement | null>
  count: number
  move: (from: number, to: number) => void
  /** The singular noun, such as "route". */
  noun: string
}

/** The distance to the edge of the window at which dragging scrolls, and the scroll distance per frame, in pixels. */
const edge = 96
const scrollBy = 10

const getMiddle = (row: Element): number => {
  const { top, height } = row.getBoundingClientRect()
  return top + height / 2
}

/** Returns the index to which the pointer drags the row. */
const targetIndex = (list: Element, at: number, y: number): number => {
  const [before, after] = [list.children[at - 1], list.children[at + 1]]
  if (before && y < getMiddle(before)) return at - 1
  return after && y > getMiddle(after) ? at + 1 : at
}

const scrollNearEdge = (y: number): void => {
  if (y < edge) window.scrollBy(0, -scrollBy)
  if (y > window.innerHeight - edge) window.scrollBy(0, scrollBy)
}

/**
 * Reorders the rows of a list by dragging a handle, by keys on the handle (Space or Enter picks up and drops, arrow
 * keys move, Escape cancels), or by buttons. Every step is announced to screen readers.
 */
export const useReorder = ({ list, count, move, noun }: ReorderOptions) => {
  const [lifted, setLifted] = useState<{ at: number; from: number }>()
  const [announcement, announce] = useState('')

  const positionText = (at: number) => `place ${at + 1} of ${count}`
  /** The focused element keeps the focus while its row moves. */
  const put = (from: number, to: number) => {
    const focused = document.activeElement
    flushSync(() => move(from, to))
    if (focused instanceof HTMLElement && list.current?.contains(focused)) focused.focus()
  }
  const shift = (at: number, to: number) => {
    if (to < 0 || to >= count || to === at) return false
    put(at, to)
    announce(`The ${noun} is now at ${positionText(to)}.`)
    return true
  }
  const lift = (at: number) => {
    setLifted({ at, from: at })
    announce(`Picked up the ${noun} at ${positionText(at)}. Arrow keys move it, Space drops it, Escape puts it back.`)
  }
  const drop = (at: number) => {
    setLifted(undefined)
    announce(`Dropped at ${positionText(at)}.`)
  }
  const putBack = ({ at, from }: { at: number; from: number }) => {
    if (at !== from) put(at, from)
    setLifted(undefined)
    announce(`Put back at ${positionText(from)}.`)
  }

  const onKeyDown = (at: number) => (event: KeyboardEvent) => {
    const { key } = event
    const isLifted = lifted?.at === at
    if (key === ' ' || key === 'Enter') {
      event.preventDefault()
      if (isLifted) drop(at)
      else lift(at)
      return
    }
    if (!isLifted) return
    if (key === 'Escape') putBack(lifted)
    else if (key === 'ArrowUp' || key === 'ArrowDown') {
      const to = key === 'ArrowUp' ? at - 1 : at + 1
      if (shift(at, to)) setLifted({ ...lifted, at: to })
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  const onPointerDown = (from: number) => (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || !event.isPrimary) return
    event.preventDefault()
    event.currentTarget.focus()
    startDrag(from, event.clientY)
  }

  const startDrag = (from: number, startY: number) => {
    let [at, y] = [from, startY]
    let frame = 0
    const follow = (moved: globalThis.PointerEvent) => {
      y = moved.clientY
    }
    const settle = () => {
      scrollNearEdge(y)
      const to = list.current ? targetIndex(list.current, at, y) : at
      if (to !== at) {
        put(at, to)
        at = to
        setLifted({ at, from })
      }
      frame = requestAnimationFrame(settle)
    }
    const end = () => {
      cancelAnimationFrame(frame)
      document.removeEventListener('pointermove', follow)
      document.removeEventListener('pointerup', finish)
      document.removeEventListener('pointercancel', cancel)
      document.removeEventListener('keydown', escape, true)
    }
    const finish = () => {
      end()
      drop(at)
    }
    const cancel = () => {
      end()
      putBack({ at, from })
    }
    const escape = (pressed: globalThis.KeyboardEvent) => {
      if (pressed.key !== 'Escape') return
      pressed.stopPropagation()
      cancel()
    }
    document.addEventListener('pointermove', follow)
    document.addEventListener('pointerup', finish)
    document.addEventListener('pointercancel', cancel)
    document.addEventListener('keydown', escape, true)
    setLifted({ at: from, from })
    frame = requestAnimationFrame(settle)
  }

  return {
    /** The current index of the row that is being moved. */
    lifted: lifted?.at,
    /** The text for a live region. */
    said: announcement,
    /** Moves a row by a button, which keeps the focus. */
    moveBy: (at: number, by: number): void => void shift(at, at + by),
    handle: (at: number) => ({
      'aria-pressed': lifted?.at === at,
      onKeyDown: onKeyDown(at),
      onPointerDown: onPointerDown(at),
      // The row is dropped when the handle loses the focus. A moved row has received the focus again before this task
      // runs.
      onBlur: ({ currentTarget: handle }: FocusEvent<HTMLElement>) =>
        queueMicrotask(() => {
          if (document.activeElement !== handle) setLifted(undefined)
        }),
    }),
  }
}
