import { type Given, oneOf, said, textIn } from '../../page/list-search.ts'

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
  said({
    account: textIn(given, 'account'),
    days: oneOf(periods, given['days']),
    trunk: textIn(given, 'trunk'),
    direction: oneOf(['inbound', 'outbound'], given['direction']),
  })
