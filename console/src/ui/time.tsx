import { useSyncExternalStore } from 'react'
import styles from './time.module.css'
import { Tooltip } from './tooltip.tsx'

export interface RelativeTimeProps {
  /** A moment in ISO 8601. */
  iso: string
}

const dates: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }
const local = new Intl.DateTimeFormat('en', { ...dates, timeStyle: 'long' })
const utc = new Intl.DateTimeFormat('en', { ...dates, timeZone: 'UTC' })

const steps = [
  { unit: 'year', size: 365 * 86_400_000, last: 'last year', next: 'next year' },
  { unit: 'month', size: 30 * 86_400_000, last: 'last month', next: 'next month' },
  { unit: 'day', size: 86_400_000, last: 'yesterday', next: 'tomorrow' },
  { unit: 'hour', size: 3_600_000, last: '1 hour ago', next: 'in 1 hour' },
  { unit: 'minute', size: 60_000, last: '1 minute ago', next: 'in 1 minute' },
] as const

/**
 * "3 minutes ago", "in 2 days"; under a minute "just now". Intl.RelativeTimeFormat says the same in English, but making
 * the first one takes longer than drawing a list.
 */
export const relativeText = (at: Date, now = new Date()): string => {
  const elapsed = at.getTime() - now.getTime()
  const step = steps.find(({ size }) => Math.abs(elapsed) >= size)
  if (step === undefined) return 'just now'
  const count = Math.trunc(Math.abs(elapsed) / step.size)
  if (count === 1) return elapsed < 0 ? step.last : step.next
  return elapsed < 0 ? `${count} ${step.unit}s ago` : `in ${count} ${step.unit}s`
}

/** The moment in the time of the reader, with its zone, and in UTC. */
export const exactTexts = (at: Date): { local: string; utc: string } => ({
  local: local.format(at),
  utc: `${utc.format(at)} UTC`,
})

// One clock for all of them, which runs only while there is one to move.
const minute = 60_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(() => {
      now = Date.now()
      for (const each of listeners) each()
    }, minute)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** A time in a list: relative, and kept so; the exact local time and UTC on hover and on focus. */
export const RelativeTime = ({ iso }: RelativeTimeProps) => {
  const minuteNow = useSyncExternalStore(subscribe, () => now)
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return <span>{iso}</span>
  const exact = exactTexts(at)
  return (
    <Tooltip text={`${exact.local}\n${exact.utc}`}>
      {(tipId) => (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the exact time must be reachable by keyboard
        <time dateTime={iso} tabIndex={0} aria-describedby={tipId} className={styles.time}>
          {relativeText(at, new Date(minuteNow))}
        </time>
      )}
    </Tooltip>
  )
}
