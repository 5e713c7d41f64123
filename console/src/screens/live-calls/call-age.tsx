import { formatClock } from '@patchbay/contract/shared/durations'
import { useSyncExternalStore } from 'react'

/** All rows share one timer. */
const second = 1000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

const subscribe = (listener: () => void): (() => void) => {
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(() => {
      now = Date.now()
      for (const notify of listeners) notify()
    }, second)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Shows the elapsed time of a call, updated every second. */
export const CallAge = ({ since }: { since: string }) => {
  const at = useSyncExternalStore(subscribe, () => now)
  const seconds = Math.max(0, Math.floor((at - Date.parse(since)) / second))
  return <time dateTime={`PT${seconds}S`}>{formatClock(seconds)}</time>
}
