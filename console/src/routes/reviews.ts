import { ClipboardCheck } from 'lucide-react'
import { type PeriodSearch, parsePeriodSearch } from './call-quality.ts'
import { defineScreen } from './define-screen.ts'
import { type Given, omitUndefined, textsIn } from './list-search-params.ts'

/** The filters of the list of reviews in the URL. */

export interface ReviewSearch extends PeriodSearch {
  /** `reviewed`, or absent for calls to review. */
  state?: string
  reason?: string
  /** `me`, `none`, or absent for all. */
  assignee?: string
  max_score?: string
}

export const reviews = defineScreen({
  path: '/internal/reviews',
  title: 'Reviews',
  search: (params: Given): ReviewSearch =>
    omitUndefined({ ...parsePeriodSearch(params), ...textsIn(params, 'state', 'reason', 'assignee', 'max_score') }),
  serverExtension: 'call-reviews',
  menu: { group: 'Conversations', icon: ClipboardCheck, tab: 'Reviews' },
  shortcut: 'r',
})

export const reviewSettings = defineScreen({
  path: '/internal/reviews/settings',
  title: 'Review settings',
  minScope: 'service_provider',
  serverExtension: 'call-reviews',
  parent: reviews,
  inPalette: true,
})
