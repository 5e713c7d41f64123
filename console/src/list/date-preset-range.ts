import type { DateChoice } from '../routes/date-presets.ts'

/** When the dates of lists are. */

const midnight = (daysAgo: number, now: Date): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo)

/** The period of a date choice as the API takes it: local days as UTC instants, or a rolling window. */
export const toDateRange = (
  date: DateChoice = 'today',
  now = new Date(),
): { start?: string; end?: string; days?: string } => {
  if (date === 'today') return { start: midnight(0, now).toISOString() }
  if (date !== 'yesterday') return { days: date }
  const end = new Date(midnight(0, now).getTime() - 1)
  return { start: midnight(1, now).toISOString(), end: end.toISOString() }
}
