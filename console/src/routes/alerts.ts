import { CircleAlert } from 'lucide-react'
import { type DateChoice, dates, rememberedFilters } from './date-presets.ts'
import { defineScreen } from './define-screen.ts'
import { type Given, type ListSearch, listSearch, omitUndefined, parseChoice, textIn } from './list-search-params.ts'

/** The filters of alerts in the URL. Filters with default values are left out. */

export interface AlertSearch extends ListSearch {
  account?: string
  date?: DateChoice
  /** Only alerts since this time (ISO 8601), whatever the date. Links to new alerts contain it. */
  since?: string
  /** The stored type, which may be unknown to the console. */
  type?: string
  /** Groups the alerts by type and object. */
  view?: 'groups'
  /** Hides groups of which all alerts are acknowledged. */
  acknowledged?: 'hide'
}

const parseInstant = (params: Given, name: string): string | undefined => {
  const text = textIn(params, name)
  return text !== undefined && Number.isNaN(Date.parse(text)) ? undefined : text
}

/** Parses the filters of alerts. */
export const parseAlertSearch = (params: Given): AlertSearch =>
  omitUndefined({
    account: textIn(params, 'account'),
    date: parseChoice(dates, params['date']),
    since: parseInstant(params, 'since'),
    type: textIn(params, 'type'),
    view: parseChoice(['groups'] as const, params['view']),
    acknowledged: parseChoice(['hide'] as const, params['acknowledged']),
    ...listSearch(params),
  })

/** Returns the search of a visit without filters: the date that was chosen last. */
export const rememberedSearch = (): AlertSearch => parseAlertSearch({ date: rememberedFilters().date })

export const alerts = defineScreen({
  path: '/internal/alerts',
  title: 'Alerts',
  search: parseAlertSearch,
  defaultSearch: rememberedSearch,
  menu: {
    group: 'Calls',
    icon: CircleAlert,
  },
  shortcut: 'l',
})
