import { ChartColumn } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { type Given, parseOneOf, omitUndefined, textIn } from './list-search-params.ts'

/** What the screen shows, as the address holds it. */

export const periods = ['1', '7', '30', '90'] as const
export type QualityPeriod = (typeof periods)[number]

export interface QualitySearch {
  /** a sid, or `all` */
  account?: string
  days?: QualityPeriod
  trunk?: string
  direction?: 'inbound' | 'outbound'
}

export const parseQualitySearch = (given: Given): QualitySearch =>
  omitUndefined({
    account: textIn(given, 'account'),
    days: parseOneOf(periods, given['days']),
    trunk: textIn(given, 'trunk'),
    direction: parseOneOf(['inbound', 'outbound'], given['direction']),
  })

export const callQuality = defineScreen({
  path: '/internal/call-quality',
  title: 'Call quality',
  search: parseQualitySearch,
  serverExtension: 'call-quality',
  menu: { group: 'general', icon: ChartColumn },
  shortcut: 'q',
})
