import { stored } from '../session/storage.ts'
import { parseChoice } from './list-search-params.ts'

/** The date ranges of the recent calls and alerts lists (COMMON-34). */

export const dates = ['today', 'yesterday', '7', '14', '30'] as const
export type DateChoice = (typeof dates)[number]

/** Returns the date preset, or undefined for today, which is the default. */
export const unlessToday = (date: DateChoice | undefined): DateChoice | undefined =>
  date === 'today' ? undefined : date

interface Filters {
  date?: DateChoice | undefined
  direction?: string | undefined
  answered?: string | undefined
}

/**
 * Returns the last choice of filters in these lists. It is kept until the user opens another section
 * (docs/reference/platform-api/call-records.md#console-filters).
 */
export const rememberedFilters = (): Filters => {
  const [date, direction, answered] = (stored.queryFilter.read() ?? '').split('/')
  return { date: unlessToday(parseChoice(dates, date)), direction, answered }
}

/** Stores the choice of filters for the next visit of these lists. */
export const rememberFilters = ({ date, direction, answered }: Filters): void =>
  stored.queryFilter.write([date ?? 'today', direction ?? 'io', answered ?? 'all'].join('/'))
