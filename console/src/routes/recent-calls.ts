import { type SelectedResult, selectedResults } from '@patchbay/contract/shared/call-results'
import { PhoneCall } from 'lucide-react'
import { type DateChoice, dates, rememberedFilters } from './date-presets.ts'
import { defineScreen } from './define-screen.ts'
import {
  type Given,
  type ListSearch,
  listSearch,
  omitUndefined,
  parseChoice,
  textIn,
  textsIn,
} from './list-search-params.ts'

/** The filters of recent calls in the URL. Filters with default values are left out. */

export interface CallSearch extends ListSearch {
  account?: string
  date?: DateChoice
  direction?: 'inbound' | 'outbound'
  answered?: 'true' | 'false'
  /** Selects calls by what their final status says. */
  result?: SelectedResult
  /** The first and last day in UTC, YYYY-MM-DD, or instants (ISO 8601). They replace `date`. */
  from?: string
  until?: string
  trunk?: string
  /** The final SIP status. */
  sip_status?: string
  /** The name of `sip_status` in older links. */
  status?: string
  /** Seconds. */
  min_duration?: string
  max_duration?: string
  /** Part of the calling or called number. */
  number?: string
  application_sid?: string
  /** The ids of the columns, separated by commas. */
  columns?: string
  /** The SID of the saved view that was opened last. */
  view?: string
  /** The selected tab of the open call. */
  tab?: string
}

const dayIn = (params: Given, name: string): string | undefined => {
  const text = textIn(params, name)
  return text && !Number.isNaN(Date.parse(text)) ? text : undefined
}

/** Parses the filters of recent calls. */
export const parseCallSearch = (params: Given): CallSearch =>
  omitUndefined({
    account: textIn(params, 'account'),
    date: parseChoice(dates, params['date']),
    direction: parseChoice(['inbound', 'outbound'], params['direction']),
    answered: parseChoice(['true', 'false'], params['answered']),
    result: parseChoice(selectedResults, params['result']),
    from: dayIn(params, 'from'),
    until: dayIn(params, 'until'),
    trunk: textIn(params, 'trunk'),
    sip_status: textIn(params, 'sip_status') ?? textIn(params, 'status'),
    ...textsIn(params, 'min_duration', 'max_duration', 'number', 'application_sid', 'columns', 'view'),
    // The next call that opens shows its first tab.
    tab: params['open'] ? textIn(params, 'tab') : undefined,
    ...listSearch(params),
  })

/**
 * Returns the search of a visit without filters: the date, direction, and status that were chosen last
 * (docs/reference/platform-api/call-records.md#console-filters).
 */
export const rememberedSearch = (): CallSearch => parseCallSearch({ ...rememberedFilters() })

export const recentCalls = defineScreen({
  path: '/internal/recent-calls',
  title: 'Recent calls',
  search: parseCallSearch,
  defaultSearch: rememberedSearch,
  menu: { group: 'Calls', icon: PhoneCall },
  shortcut: 'c',
})

/** The URL parameters of a call: the selected tab, and the leg that it belongs to, unless it is the first. */
export interface OneCallSearch {
  tab?: string | undefined
  leg?: number | undefined
}

const parseOneCallSearch = (params: Given): OneCallSearch =>
  omitUndefined({ tab: textIn(params, 'tab'), leg: Number(params['leg']) > 1 ? Number(params['leg']) : undefined })

/** The records of an account that belong to one call. */
export const oneCall = defineScreen({
  path: '/internal/recent-calls/$account_sid/$call_sid',
  title: 'Call',
  search: parseOneCallSearch,
  parent: recentCalls,
  ownAccount: true,
})
