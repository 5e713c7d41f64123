import { type ReactNode, useSyncExternalStore } from 'react'
import { Tooltip } from '../overlay/tooltip.tsx'
import { usePreferences } from '../preferences.ts'
import { lastUsedText, type Moment, relativeText, toDate, tooltipLines, written } from './datetime.ts'
import styles from './time.module.css'

export interface TimeProps {
  iso: Moment
}

// All times share one timer, which runs only while a time is displayed.
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

const useRelativeText = (at: Date | undefined): string => {
  const minuteNow = useSyncExternalStore(subscribe, () => now)
  return at === undefined ? '' : relativeText(at, new Date(minuteNow))
}

interface TimeWithTipProps {
  at: Date
  tip: readonly string[]
  className: string | undefined
  children: ReactNode
}

const TimeWithTip = ({ at, tip, className, children }: TimeWithTipProps) => (
  <Tooltip text={tip.join('\n')}>
    {(tipId) => (
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its tip must be reachable by keyboard
      <time dateTime={at.toISOString()} tabIndex={0} aria-describedby={tipId} className={className}>
        {children}
      </time>
    )}
  </Tooltip>
)

/** The age of a time, updated continuously. The tooltip shows the exact time in the selected zone and in UTC. */
export const RelativeTime = ({ iso }: TimeProps) => {
  const reading = usePreferences()
  const at = toDate(iso)
  const relative = useRelativeText(at)
  if (at === undefined) return '–'
  return (
    <TimeWithTip at={at} tip={tooltipLines(at, reading)} className={styles.relative}>
      {relative}
    </TimeWithTip>
  )
}

/**
 * The time of an event to the second in the selected zone, such as Sat 2026-11-21 14:03:07. The tooltip shows the rest.
 */
export const DateTime = ({ iso }: TimeProps) => {
  const reading = usePreferences()
  const at = toDate(iso)
  const relative = useRelativeText(at)
  if (at === undefined) return '–'
  const { weekday, date, time } = written(at, reading)
  return (
    <TimeWithTip at={at} tip={[relative, ...tooltipLines(at, reading)]} className={styles.exact}>
      <span className={styles.weekday}>{weekday}</span> <span className={styles.date}>{date}</span> {time}
    </TimeWithTip>
  )
}

/** The day of the last use. The tooltip shows the exact time. */
export const LastUsed = ({ iso }: TimeProps) => {
  const reading = usePreferences()
  const minuteNow = useSyncExternalStore(subscribe, () => now)
  const at = toDate(iso)
  const day = lastUsedText(at, new Date(minuteNow), reading)
  if (at === undefined) return day
  return (
    <TimeWithTip at={at} tip={tooltipLines(at, reading)} className={styles.relative}>
      {day}
    </TimeWithTip>
  )
}
