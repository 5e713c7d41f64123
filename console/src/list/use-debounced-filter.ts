import { useEffect, useRef, useState } from 'react'

/** A filter applies after the user has stopped typing for this many milliseconds (COMMON-33). */
export const filterDelayMs = 1000

export interface PendingText {
  text: string
  setText: (text: string) => void
  /** Whether the typed text is not applied yet. */
  isPending: boolean
  /** Applies the text immediately. */
  apply: () => void
}

/**
 * Returns the text of a filter field that is applied after a pause in typing. If the applied text changes elsewhere,
 * the field follows.
 */
export const useDebouncedFilter = (applied: string, apply: (text: string) => void): PendingText => {
  const [text, setText] = useState(applied)
  const [followed, setFollowed] = useState(applied)
  const latest = useRef(apply)
  useEffect(() => {
    latest.current = apply
  })
  if (followed !== applied) {
    setFollowed(applied)
    setText(applied)
  }
  const isPending = text !== applied
  useEffect(() => {
    if (!isPending) return undefined
    const timer = setTimeout(() => latest.current(text), filterDelayMs)
    return () => clearTimeout(timer)
  }, [text, isPending])
  return { text, setText, isPending, apply: () => isPending && apply(text) }
}
