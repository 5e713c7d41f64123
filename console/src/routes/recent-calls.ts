import { PhoneCall } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { type DateChoice, dates, rememberedFilters } from './date-presets.ts'
import { type Given, type ListSearch, listSearch, parseOneOf, omitUndefined, textIn } from './list-search-params.ts'

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

export const recentCalls = defineScreen({
  path: '/internal/recent-calls',
  title: 'Recent calls',
  search: parseCallSearch,
  defaultSearch: rememberedSearch,
  menu: { group: 'general', icon: PhoneCall },
  shortcut: 'c',
})

/** The records of an account that name one call. */
export const oneCall = defineScreen({
  path: '/internal/recent-calls/$account_sid/$call_sid',
  title: 'Call',
  parent: recentCalls,
  ownAccount: true,
})
