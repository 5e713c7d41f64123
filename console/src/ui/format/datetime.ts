import { dayMs, hourMs, minuteMs } from '@patchbay/contract/shared/durations'
import type { Preferences } from '../preferences.ts'

/**
 * A time of the API: ISO 8601, or milliseconds since the Unix epoch. Empty values, 0, and invalid dates count as no
 * time.
 */
export type Moment = string | number | null | undefined

export const toDate = (moment: Moment): Date | undefined => {
  // Date parses '7' as the month July, so only texts that start with a year are accepted.
  const isDate = typeof moment === 'number' || /^\d{4}-\d{2}/.test(moment ?? '')
  const date = new Date(isDate ? (moment ?? 0) : Number.NaN)
  return date.getTime() ? date : undefined
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const

const formatters = new Map<string, Intl.DateTimeFormat>()

const getFormatter = (timeZone: string): Intl.DateTimeFormat => {
  const cachedFormatter = formatters.get(timeZone)
  if (cachedFormatter) return cachedFormatter
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const
  const newFormatter = new Intl.DateTimeFormat('en', {
    ...numeric,
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
    timeZone,
  })
  formatters.set(timeZone, newFormatter)
  return newFormatter
}

/**
 * Returns a date whose UTC members are the local time of a zone. Avoids Intl for UTC and the browser's zone, because
 * its first use is slow.
 */
export const toZonedDate = (at: Date, timeZone: string): Date => {
  if (timeZone === 'UTC') return at
  if (timeZone === 'local') return new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  const parts = Object.fromEntries(
    getFormatter(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second))
}

export interface WrittenMoment {
  /** The weekday, such as `Sat`. */
  weekday: string
  /** The date, such as `2026-11-21`. */
  date: string
  /** The time, such as `14:03:07` or `02:03:07 PM`. */
  time: string
}

export type Reading = Pick<Preferences, 'timeZone' | 'clock'>

/** Formats a time with the weekday, in digits that have a constant width and sort chronologically. */
export const written = (at: Date, { timeZone, clock }: Reading): WrittenMoment => {
  const wall = toZonedDate(at, timeZone)
  const [date = '', time = ''] = wall.toISOString().slice(0, 19).split('T')
  const hour = wall.getUTCHours()
  const twelve = `${String(hour % 12 || 12).padStart(2, '0')}${time.slice(2)} ${hour < 12 ? 'AM' : 'PM'}`
  return { weekday: weekdays[wall.getUTCDay()] ?? '', date, time: clock === '12' ? twelve : time }
}

const formatOffset = (at: Date): string => {
  const minutes = -at.getTimezoneOffset()
  const pair = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, '0')
  return `UTC${minutes < 0 ? '-' : '+'}${pair(minutes / 60)}:${pair(minutes % 60)}`
}

/**
 * Returns the time in the selected zone and in UTC, each with the name of the zone. Returns one line if both are the
 * same.
 */
export const tooltipLines = (at: Date, reading: Reading): string[] => {
  const line = (timeZone: string, name: string) => {
    const { weekday, date, time } = written(at, { ...reading, timeZone })
    return `${weekday} ${date} ${time} ${name}`
  }
  const { timeZone } = reading
  const utc = line('UTC', 'UTC')
  return timeZone === 'UTC' ? [utc] : [line(timeZone, timeZone === 'local' ? formatOffset(at) : timeZone), utc]
}

const steps = [
  { unit: 'year', size: 365 * dayMs },
  { unit: 'month', size: 30 * dayMs },
  { unit: 'day', size: dayMs },
  { unit: 'hour', size: hourMs },
  { unit: 'minute', size: minuteMs },
] as const

/**
 * Returns "3 minutes ago" or "in 2 days", and "just now" below one minute. Counts elapsed time, and does not say
 * "yesterday" or "last month", which depend on the calendar. Intl.RelativeTimeFormat returns the same texts, but
 * creating the first instance takes longer than rendering a list.
 */
export const relativeText = (at: Date, now = new Date()): string => {
  const elapsed = at.getTime() - now.getTime()
  const step = steps.find(({ size }) => Math.abs(elapsed) >= size)
  if (step === undefined) return 'just now'
  const count = Math.trunc(Math.abs(elapsed) / step.size)
  const duration = count === 1 ? `1 ${step.unit}` : `${count} ${step.unit}s`
  return elapsed < 0 ? `${duration} ago` : `in ${duration}`
}

/** Returns the number of calendar days since a time. */
const countDaysSince = (at: Date, now: Date, reading: Reading): number => {
  const toDayNumber = (moment: Date) => Date.parse(written(moment, reading).date) / dayMs
  return toDayNumber(now) - toDayNumber(at)
}

/** Returns "Today" or "Yesterday", or undefined for another day. */
export const recentDay = (at: Date, now: Date, reading: Reading): string | undefined =>
  ['Today', 'Yesterday'][countDaysSince(at, now, reading)]

/** Returns the date in English, with the year if it is not the current one. */
export const dateText = (at: Date, now: Date, reading: Reading, style: Intl.DateTimeFormatOptions): string => {
  const { date } = written(at, reading)
  const isThisYear = written(now, reading).date.startsWith(date.slice(0, 5))
  return new Date(date).toLocaleDateString('en', {
    ...style,
    ...(isThisYear ? {} : { year: 'numeric' }),
    day: 'numeric',
    timeZone: 'UTC',
  })
}

/** Returns a time in a sentence: "Today, 22:10:31", "Nov 27, 22:10", or "Nov 27, 2025, 22:10". */
export const momentText = (at: Date, now: Date, reading: Reading): string => {
  const { time } = written(at, reading)
  const recent = recentDay(at, now, reading)
  if (recent !== undefined) return `${recent}, ${time}`
  // Seconds matter on the day of an event. The tooltip contains them later.
  return `${dateText(at, now, reading, { month: 'short' })}, ${time.slice(0, 5)}${time.slice(8)}`
}

const neverUsed = 'Never used'

/**
 * Formats a date as "Never used", "Today", "Yesterday", or "12 days ago", by calendar days. Returns "Never used" for
 * future days.
 */
export const lastUsedText = (at: Date | undefined, now: Date, reading: Reading): string => {
  if (at === undefined) return neverUsed
  const days = countDaysSince(at, now, reading)
  return days < 0 ? neverUsed : (recentDay(at, now, reading) ?? `${days} days ago`)
}
