import { minuteMs } from '@patchbay/contract/shared/durations'
import { type ReactNode, useSyncExternalStore } from 'react'
import { Tooltip } from '../overlay/tooltip.tsx'
import { usePreferences } from '../preferences.ts'
import { lastUsedText, type Moment, momentText, relativeText, toDate, tooltipLines } from './datetime.ts'
import styles from './time.module.css'

export interface TimeProps {
  iso: Moment
}

// All times share one timer, which runs only while a time is displayed.
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
    }, minuteMs)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The current time, which changes every minute. */
export const useMinute = (): Date => new Date(useSyncExternalStore(subscribe, () => now))

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
  const minute = useMinute()
  if (at === undefined) return '–'
  return (
    <TimeWithTip at={at} tip={tooltipLines(at, reading)} className={styles.relative}>
      {relativeText(at, minute)}
    </TimeWithTip>
  )
}

/** The time of an event, such as "Today, 14:03:07" or "Nov 21, 14:03". The tooltip shows the age and the exact time. */
export const DateTime = ({ iso, toText = momentText }: TimeProps & { toText?: typeof momentText }) => {
  const reading = usePreferences()
  const at = toDate(iso)
  const minute = useMinute()
  if (at === undefined) return '–'
  return (
    <TimeWithTip at={at} tip={[relativeText(at, minute), ...tooltipLines(at, reading)]} className={styles.exact}>
      {toText(at, minute, reading)}
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
