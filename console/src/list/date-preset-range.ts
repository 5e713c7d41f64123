import type { DateChoice } from '../routes/date-presets.ts'

/** The periods of the date presets. */

const midnight = (daysAgo: number, now: Date): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo)

/** Returns the query parameters for a date preset: local days as instants in UTC, or a rolling window in days. */
export const toDateRange = (
  date: DateChoice = 'today',
  now = new Date(),
): { start?: string; end?: string; days?: string } => {
  if (date === 'today') return { start: midnight(0, now).toISOString() }
  if (date !== 'yesterday') return { days: date }
  const end = new Date(midnight(0, now).getTime() - 1)
  return { start: midnight(1, now).toISOString(), end: end.toISOString() }
}
