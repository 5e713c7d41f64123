import { formatDay, toDayRange } from '@patchbay/rules/calls/call-quality'
import type { ChartColumn, ChartPeriod } from './chart-model.ts'

/** The days of a chart, in UTC like the sums of the server. */

const formatDate = (day: string, weekday: { weekday?: 'short' }): string =>
  new Date(day).toLocaleDateString('en', { ...weekday, month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Returns all days of a period as YYYY-MM-DD, both ends inclusive, also those without calls. */
export const listDays = (period: { from: string; until: string }): readonly string[] => {
  const { from, until } = toDayRange(period)
  return Array.from({ length: until - from + 1 }, (_, at) => formatDay(from + at))
}

export const toDayPeriods = (days: readonly string[], columns: readonly ChartColumn[]): ChartPeriod[] =>
  days.map((day, at) => {
    const name = formatDate(day, { weekday: 'short' })
    const values = columns.map(({ label, cells }) => `${label} ${cells[at] ?? ''}`).join(', ')
    return { key: day, tick: formatDate(day, {}), name, description: `${name}: ${values}` }
  })
