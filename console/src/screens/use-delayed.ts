import { useEffect, useRef, useState } from 'react'

/** How long typing must rest before a filter is applied, in milliseconds (spec 0 §9). */
export const filterDelayMs = 1000

/** A text that is applied once typing has rested; when the applied text changes elsewhere, it follows. */
export const useDelayed = (applied: string, apply: (text: string) => void): [string, (text: string) => void] => {
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
  useEffect(() => {
    if (text === applied) return
    const timer = setTimeout(() => latest.current(text), filterDelayMs)
    return () => clearTimeout(timer)
  }, [text, applied])
  return [text, setText]
}
