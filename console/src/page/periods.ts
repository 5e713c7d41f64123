import { type DateChoice, dates } from './dates.ts'

/** When the dates of lists are. */

const midnight = (daysAgo: number, now: Date): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo)

/** The period of a date choice as the API takes it: local days as UTC instants, or a rolling window. */
export const periodOf = (
  date: DateChoice = 'today',
  now = new Date(),
): { start?: string; end?: string; days?: string } => {
  if (date === 'today') return { start: midnight(0, now).toISOString() }
  if (date !== 'yesterday') return { days: date }
  const end = new Date(midnight(0, now).getTime() - 1)
  return { start: midnight(1, now).toISOString(), end: end.toISOString() }
}

const dayMilliseconds = 86_400_000

/** The least choice whose period holds all from `from` to `until` (epoch milliseconds); none reaches beyond 30 days. */
export const dateHolding = (from: number, until: number, now = new Date()): DateChoice | undefined =>
  dates.find((date) => {
    const { start, end, days } = periodOf(date, now)
    const first = days === undefined ? Date.parse(start ?? '') : now.getTime() - Number(days) * dayMilliseconds
    return from > first && (end === undefined || until <= Date.parse(end))
  })
