import type { DateChoice } from '../routes/date-presets.ts'
import { startOfDay } from '../ui/format/calendar-days.ts'
import { type Preferences, preferences } from '../ui/preferences.ts'

/** The periods of the date presets. */

/**
 * Returns the query parameters for a date preset: days of the chosen time zone, in which lists show their times, as
 * instants in UTC, or a rolling window in days.
 */
export const toDateRange = (
  date: DateChoice = 'today',
  now = new Date(),
  { timeZone }: Pick<Preferences, 'timeZone'> = preferences(),
): { start?: string; end?: string; days?: string } => {
  if (date === 'today') return { start: startOfDay(now, 0, timeZone).toISOString() }
  if (date !== 'yesterday') return { days: date }
  const end = new Date(startOfDay(now, 0, timeZone).getTime() - 1)
  return { start: startOfDay(now, 1, timeZone).toISOString(), end: end.toISOString() }
}
