import { type DateChoice, dates, rememberedFilters } from '../../routes/date-presets.ts'
import {
  type Given,
  type ListSearch,
  listSearch,
  parseOneOf,
  omitUndefined,
  textIn,
} from '../../routes/list-search-params.ts'

/** The filters of recent calls, as the URL holds them. What is at its default is left out. */

export interface CallSearch extends ListSearch {
  account?: string
  date?: DateChoice
  direction?: 'inbound' | 'outbound'
  answered?: 'true' | 'false'
  /** days in UTC, YYYY-MM-DD, both included, in place of a date */
  from?: string
  until?: string
  trunk?: string
  /** of the final SIP answer */
  status?: string
}

const dayIn = (given: Given, name: string): string | undefined => {
  const text = textIn(given, name)
  return text && !Number.isNaN(Date.parse(text)) ? text : undefined
}

export const parseCallSearch = (given: Given): CallSearch =>
  omitUndefined({
    account: textIn(given, 'account'),
    date: parseOneOf(dates, given['date']),
    direction: parseOneOf(['inbound', 'outbound'], given['direction']),
    answered: parseOneOf(['true', 'false'], given['answered']),
    from: dayIn(given, 'from'),
    until: dayIn(given, 'until'),
    trunk: textIn(given, 'trunk'),
    status: textIn(given, 'status'),
    ...listSearch(given),
  })

/** What a visit without filters starts with: the last date, direction and status (api/4-calls-and-hosted.md §6.1). */
export const rememberedSearch = (): CallSearch => parseCallSearch({ ...rememberedFilters() })
