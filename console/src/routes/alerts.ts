import { CircleAlert } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { type DateChoice, dates, rememberedFilters } from './date-presets.ts'
import { type Given, type ListSearch, listSearch, parseOneOf, omitUndefined, textIn } from './list-search-params.ts'

/** The filters of alerts, as the address holds them. What is at its default is left out. */

export interface AlertSearch extends ListSearch {
  account?: string
  date?: DateChoice
  /** as it is stored, also one that is not known here */
  type?: string
}

export const parseAlertSearch = (given: Given): AlertSearch =>
  omitUndefined({
    account: textIn(given, 'account'),
    date: parseOneOf(dates, given['date']),
    type: textIn(given, 'type'),
    ...listSearch(given),
  })

/** What a visit without filters starts with: the date last chosen. */
export const rememberedSearch = (): AlertSearch => parseAlertSearch({ date: rememberedFilters().date })

export const alerts = defineScreen({
  path: '/internal/alerts',
  title: 'Alerts',
  search: parseAlertSearch,
  defaultSearch: rememberedSearch,
  menu: {
    group: 'general',
    icon: CircleAlert,
  },
  shortcut: 'l',
})
