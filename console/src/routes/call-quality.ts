import { ChartColumn } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { type Given, omitUndefined, parseChoice, textIn } from './list-search-params.ts'

/** The filters of the call quality screen in the URL. */

export const periods = ['1', '7', '30', '90'] as const
export type QualityPeriod = (typeof periods)[number]

export interface PeriodSearch {
  /** A SID, or `all`. */
  account?: string | undefined
  days?: QualityPeriod | undefined
}

/** Parses the account and the period in the URL. */
export const parsePeriodSearch = (params: Given): PeriodSearch => ({
  account: textIn(params, 'account'),
  days: parseChoice(periods, params['days']),
})

export interface QualitySearch extends PeriodSearch {
  trunk?: string
  direction?: 'inbound' | 'outbound'
}

/** Parses the filters of the call quality screen. */
export const parseQualitySearch = (params: Given): QualitySearch =>
  omitUndefined({
    ...parsePeriodSearch(params),
    trunk: textIn(params, 'trunk'),
    direction: parseChoice(['inbound', 'outbound'], params['direction']),
  })

export const callQuality = defineScreen({
  path: '/internal/call-quality',
  title: 'Call quality',
  search: parseQualitySearch,
  serverExtension: 'call-quality',
  menu: { group: 'Calls', icon: ChartColumn },
  shortcut: 'q',
})
